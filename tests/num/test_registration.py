"""kernels/registration.py against its definition in NumPy, in float64, and against SciPy where that
is installed: templates and windows of any size, one, several and one per image, ties, NaN, images
without contrast, shifts by pixels and between them, crops, and all steps behind each other.
"""

import numpy as np

from arguments import empty
from harness import NUMPY_TYPES, THOROUGH, Suite, generator

try:
    import scipy.ndimage
    import scipy.signal
except ImportError:
    scipy = None

suite = Suite(one_in=3)
random = generator()
BLOCK = (7, 20)


def pixels(dtype, *shape):
    if dtype in ("fp32", "fp64"):
        return (random.standard_normal(shape) + 3).astype(NUMPY_TYPES[dtype])
    info = np.iinfo(NUMPY_TYPES[dtype])
    return random.integers(info.min, info.max, shape, NUMPY_TYPES[dtype], endpoint=True)


def rows_apart(x):
    """The arrays with 3 unused pixels behind each row, cut off by a view."""
    wide = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, 3)])
    return suite.write(wide) + "[" + ":," * (x.ndim - 1) + f":{x.shape[-1]}]"


def response(x, template, normalised):
    """At each position where the template is inside of the image."""
    x, template = x.astype(np.float64), template.astype(np.float64)
    windows = np.lib.stride_tricks.sliding_window_view(x, template.shape)
    if not normalised:
        return (windows * template).sum((2, 3))
    template = template - template.mean()
    windows = windows - windows.mean((2, 3), keepdims=True)
    scale = np.sqrt((windows**2).sum((2, 3)) * (template**2).sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(scale == 0, 0, (windows * template).sum((2, 3)) / scale)


def best_in_pieces(map_, rows, columns):
    """The largest value of each piece and its place, as find_kernel numbers them."""
    scores, places = [], []
    for y in range(0, map_.shape[0], rows):
        for x in range(0, map_.shape[1], columns):
            piece = map_[y:y + rows, x:x + columns]
            at = np.unravel_index(piece.argmax(), piece.shape)
            scores.append(piece[at])
            places.append((y + at[0]) * map_.shape[1] + x + at[1])
    return scores, places


def tolerances(x, templates, normalised):
    """Integers are exact, of z but for its square root; fp32 is added in fp32."""
    types = {x.dtype, templates.dtype}
    if np.dtype(np.float32) not in types:
        return {"rtol": 1e-12 if normalised or np.dtype(np.float64) in types else 0}
    size = np.nanmax(np.abs(x)) * np.abs(templates).sum((-1, -2)).max()
    return {"atol": 1e-5 if normalised else 1e-6 * size}


def find(label, x, templates, normalised, window=None, block=BLOCK, blocks=False):
    """templates: [T, h, w], or [B, T, h, w]."""
    h, w = templates.shape[-2:]
    top, left, rows, columns = window or (0, 0, x.shape[1] - h + 1, x.shape[2] - w + 1)
    each = templates if templates.ndim == 4 else np.stack([templates] * len(x))
    want = [[best_in_pieces(response(image, t, normalised)[top:top + rows, left:left + columns],
                            *block) for t in ts] for image, ts in zip(x, each)]
    scores, places = np.moveaxis(np.array(want), 2, 0)
    last = templates.ndim - 3
    suite.case(f"find {label} {x.dtype} {x.shape} {templates.shape} {normalised} {blocks}",
               "registration.py:find_kernel",
               f"cdiv(rows,BLOCK_Y)*cdiv(columns,BLOCK_X),{each.shape[1]},{len(x)}",
               {"x": rows_apart(x), "templates": rows_apart(templates),
                "scores": empty("fp64", *scores.shape), "places": empty("i32", *places.shape),
                "H": x.shape[1], "W": x.shape[2], "top": top, "left": left, "rows": rows,
                "columns": columns, "image_stride": "x.stride(0)", "row_stride": "x.stride(1)",
                "template_image": "templates.stride(0)" if last else 0,
                "template_stride": f"templates.stride({last})",
                "template_row": f"templates.stride({last + 1})", "TH": h, "TW": w,
                "NORMALISED": normalised, "BLOCK_Y": block[0], "BLOCK_X": block[1],
                "BLOCKS": blocks},
               {"scores": ("fp64", scores), "places": ("i32", places.astype(np.int32))},
               **tolerances(x, templates, normalised))


def finds():
    shapes = [((2, 20, 31), (2, 3, 4)), ((1, 9, 40), (1, 9, 1)), ((2, 30, 30), (1, 8, 15)),
              ((1, 5, 5), (3, 5, 5)), ((1, 40, 70), (1, 17, 33))]
    types = ["u8", "fp32", "u16", "fp64", "i16"]
    for n, (shape, template) in enumerate(shapes):
        for m, normalised in enumerate((True, False)):
            dtype = types[(n + m) % len(types)]
            find("plain", pixels(dtype, *shape), pixels(dtype, *template), normalised,
                 blocks=n % 2 == m)
    for n, dtype in enumerate(("u8", "i8", "fp32", "u16", "fp64")):
        find("blocks", pixels(dtype, 2, 25, 35), pixels(dtype, 2, 6, 9), n % 2 == 0, blocks=True)
    find("each", pixels("u8", 3, 12, 20), pixels("u8", 3, 2, 4, 3), True)
    find("window", pixels("u8", 2, 30, 40), pixels("u8", 1, 6, 5), True, (3, 8, 15, 21))
    find("float template", pixels("u8", 1, 20, 30), pixels("fp32", 1, 4, 4), False)
    find("single pixel", pixels("u8", 1, 9, 9), pixels("u8", 2, 1, 1), True)
    if THOROUGH:
        find("large", pixels("u8", 1, 150, 130), pixels("u8", 1, 90, 101), True, block=(16, 32))
        find("large", pixels("u16", 1, 150, 130), pixels("u16", 1, 64, 65), True, block=(16, 32))


def hard_finds():
    """Ties, which the first wins; no contrast; NaN, which is before all numbers."""
    ties = np.tile(pixels("u8", 1, 4, 5), (1, 6, 9))
    find("ties", ties, ties[:, :4, :5], True)
    flat = np.full((1, 20, 30), 65535, np.uint16)
    flat[0, 12, 14] = 65534
    find("ties", ties, ties[:, :4, :5], True, blocks=True)
    find("flat", flat.astype(np.float32) / 7, pixels("fp32", 1, 3, 3), True, blocks=True)
    find("flat", flat, pixels("u16", 1, 3, 3), True)
    find("flat", flat.astype(np.float32) / 7, pixels("fp32", 1, 3, 3), True)
    find("flat template", pixels("fp32", 1, 20, 30), np.full((1, 3, 3), 0.1, np.float32), True)
    spoiled = pixels("fp32", 1, 20, 30)
    spoiled[0, 9, 13] = np.nan
    find("NaN", spoiled, pixels("fp32", 1, 2, 3), True)
    find("NaN", spoiled, pixels("fp32", 1, 2, 3), False)


def best(label, scores, columns, origin=(0, 0), block=16):
    """Of one row of responses, or pieces of them, each."""
    n, pieces = scores.shape
    places = np.stack([random.permutation(3 * pieces)[:pieces] for _ in range(n)]).astype(np.int32)
    order = np.argsort(places, axis=1)
    in_order = np.take_along_axis(scores, order, 1)
    first = np.take_along_axis(order, in_order.argmax(1)[:, None], 1)
    offsets = np.stack(np.unravel_index(np.take_along_axis(places, first, 1)[:, 0],
                                        (3 * pieces // columns + 1, columns)), 1)
    suite.case(f"best {label} {scores.shape}", "registration.py:best_kernel", str(n),
               {"scores": scores, "places": places, "best": empty("fp64", n),
                "offsets": empty("i32", n, 2), "pieces": pieces, "columns": columns,
                "origin_y": origin[0], "origin_x": origin[1], "BLOCK": block},
               {"best": ("fp64", np.take_along_axis(scores, first, 1)[:, 0].astype(np.float64)),
                "offsets": ("i32", (offsets - origin).astype(np.int32))})


def bests():
    best("plain", random.standard_normal((5, 70)), 9, (3, -2))
    best("ties", random.integers(0, 4, (5, 45)).astype(np.float64), 7)
    best("one", random.standard_normal((3, 1)), 1)
    bad = random.standard_normal((4, 50)).astype(np.float32)
    bad[0, [7, 40]] = np.nan
    bad[1], bad[2] = -np.inf, np.nan
    bad[3, [9, 20]] = np.inf
    best("NaN", bad, 11)


def peak(label, x, block):
    scores, places = zip(*[best_in_pieces(map_, block[0], x.shape[2]) for map_ in x])
    suite.case(f"peak {label} {x.shape}", "registration.py:peak_kernel",
               f"cdiv(rows,BLOCK_Y),{len(x)}",
               {"x": rows_apart(x), "scores": empty("fp32", len(x), len(scores[0])),
                "places": empty("i32", len(x), len(scores[0])), "rows": x.shape[1],
                "columns": x.shape[2], "image_stride": "x.stride(0)", "row_stride": "x.stride(1)",
                "BLOCK_Y": block[0], "BLOCK_X": block[1]},
               {"scores": ("fp32", np.array(scores, np.float64)),
                "places": ("i32", np.array(places, np.int32))})


def peaks():
    x = random.integers(0, 9, (3, 23, 37)).astype(np.float32)
    x[2, 11, 30] = np.nan
    peak("ties", x, (4, 16))
    peak("ties", x[:, :1], (8, 64))
    peak("low", np.full((1, 9, 5), -np.inf, np.float32), (4, 4))


def shifted(image, shift, order, value):
    """scipy.ndimage.shift with mode "constant", by its definition."""
    H, W = image.shape
    y, x = np.arange(H) - shift[0], np.arange(W) - shift[1]
    inside = np.logical_and.outer((y >= 0) & (y <= H - 1), (x >= 0) & (x <= W - 1))

    def at(rows, columns):
        rows, columns = np.clip(rows, 0, H - 1), np.clip(columns, 0, W - 1)
        return image[rows.astype(int)[:, None], columns.astype(int)].astype(np.float64)

    if order == 0:
        return np.where(inside, at(np.floor(y + 0.5), np.floor(x + 0.5)), value)
    top, left = np.floor(y), np.floor(x)
    down, right = (y - top)[:, None], x - left
    above = (1 - right) * at(top, left) + right * at(top, left + 1)
    below = (1 - right) * at(top + 1, left) + right * at(top + 1, left + 1)
    return np.where(inside, (1 - down) * above + down * below, value)


def shift(label, x, shifts, size, order=0, undo=False, value=7):
    (B, H, W), (OH, OW) = x.shape, size
    top, left = (H - OH) // 2, (W - OW) // 2
    want = []
    for image, by in zip(x, shifts.astype(np.float64)):
        by = -by if undo else by
        whole = shifted(image, by, order, value)
        if scipy:
            other = scipy.ndimage.shift(image.astype(np.float64), by, order=order, cval=value)
            assert np.allclose(whole, other, atol=1e-9), f"{label}: not what SciPy has"
        want.append(whole[max(top, 0):top + OH, max(left, 0):left + OW])
    want = np.array(want)
    dtype = {np.uint8: "u8", np.uint16: "u16", np.float32: "fp32", np.float64: "fp64"}[x.dtype.type]
    if x.dtype.kind == "u":
        want = np.floor(want + 0.5).astype(x.dtype)
    near = {} if x.dtype.kind == "u" else {"atol": 1e-5 if dtype == "fp32" and order else 1e-13}
    suite.case(f"shift {label} {dtype} {x.shape} {size} {order} {undo}",
               "registration.py:shift_kernel", f"cdiv(OW,BLOCK_X),cdiv(OH,BLOCK_Y),{B}",
               {"x": rows_apart(x), "out": empty(dtype, B, OH, OW), "shifts": shifts, "H": H,
                "W": W, "OH": OH, "OW": OW, "top": top, "left": left,
                "image_stride": "x.stride(0)", "row_stride": "x.stride(1)",
                "out_image": "out.stride(0)", "out_row": "out.stride(1)", "value": value,
                "UNDO": undo, "BILINEAR": order == 1, "BLOCK_Y": 8, "BLOCK_X": 24},
               {"out": (dtype, want)}, **near)


def shifts():
    def whole(n):
        return random.integers(-9, 10, (n, 2)).astype(np.int32)

    def quarters(n):  # whose weights are exact in any float, and of u8 nothing is near a half
        return (random.integers(-20, 21, (n, 2)) / 4).astype(np.float32)

    shift("plain", pixels("u8", 3, 30, 41), whole(3), (30, 41))
    shift("crop", pixels("u16", 2, 25, 33), whole(2), (20, 28), undo=True)
    shift("crop", pixels("fp32", 2, 25, 34), whole(2), (1, 7))
    shift("away", pixels("u8", 2, 9, 9), np.array([[9, 0], [-3, -40]], np.int32), (9, 9))
    shift("nearest", pixels("u8", 4, 12, 15), quarters(4), (12, 15))
    for n, dtype in enumerate(("u8", "u16", "fp32", "fp64")):
        size = (20 - n, 29 - 3 * n)
        shift("quarters", pixels(dtype, 4, 20, 29), quarters(4), size, 1, n % 2 == 1)
    shift("fractions", pixels("fp64", 3, 18, 21), random.uniform(-5, 5, (3, 2)), (16, 16), 1)
    shift("one pixel", pixels("fp32", 2, 1, 1), np.array([[0, 0], [0.5, 0]], np.float32), (1, 1), 1)
    shift("whole", pixels("fp32", 2, 9, 10), whole(2), (9, 10), 1)


def compare_with_scipy():
    x, template = pixels("fp64", 17, 22), pixels("fp64", 5, 4)
    other = scipy.signal.correlate2d(x, template, "valid")
    assert np.allclose(response(x, template, False), other, rtol=1e-12)


for part in (finds, hard_finds, bests, peaks, shifts):
    part()
if scipy:
    compare_with_scipy()
suite.finish()
