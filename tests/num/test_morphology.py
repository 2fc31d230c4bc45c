"""kernels/morphology.py against its definition in NumPy, bit by bit: images and elements of any
size, anchors, borders, rows apart, thresholds, one element or one per image."""

import numpy as np

import morphology
from arguments import empty
from harness import NUMPY_TYPES, THOROUGH, Suite, generator

suite = Suite(one_in=4)
random = generator()
STEPS = ["erode", "dilate", "gradient"]
CHAINS = ["open", "close", "tophat", "blackhat"]


def pixels(dtype, *shape):
    if dtype == "fp32":
        return random.standard_normal(shape).astype(np.float32)
    return random.integers(0, np.iinfo(NUMPY_TYPES[dtype]).max, shape, NUMPY_TYPES[dtype],
                           endpoint=True)


def rows_apart(x):
    """The images with 3 unused pixels behind each row, cut off by a view."""
    return suite.write(np.pad(x, ((0, 0), (0, 0), (0, 3)))) + f"[:,:,:{x.shape[2]}]"


def images_of(x, out):
    return {"x": rows_apart(x), "out": empty(out, *x.shape), "H": "x.shape(1)", "W": "x.shape(2)",
            "image_stride": "x.stride(0)", "row_stride": "x.stride(1)",
            "out_image": "out.stride(0)", "out_row": "out.stride(1)"}


def case(label, kernel, x, args, want, threshold, block):
    dtype = {np.uint8: "u8", np.uint16: "u16", np.float32: "fp32"}[x.dtype.type]
    if threshold is not None:
        want, dtype = np.where(want > threshold, 255, 0).astype(np.uint8), "u8"
    if dtype == "fp32":
        want = want.astype(np.float64)
    suite.case(label, f"morphology.py:{kernel}", "cdiv(W,BLOCK_W),cdiv(H,BLOCK_H),x.shape(0)",
               {**images_of(x, dtype), **args, "threshold": threshold, "BLOCK_H": block[0],
                "BLOCK_W": block[1]}, {"out": (dtype, want)})


def rectangle(op, dtype, shape, size, anchor, border, threshold=None, block=(16, 24)):
    x = pixels(dtype, *shape)
    value = float(pixels("fp32", 1)[0]) if dtype == "fp32" else int(pixels(dtype, 1)[0])
    mask = np.ones(size, np.uint8)
    exact = np.float32(value) if dtype == "fp32" else value
    want = np.stack([morphology.apply(op, image, mask, anchor, border, exact) for image in x])
    case(f"{op} {dtype} {shape} by {size} at {anchor} {border} {threshold}", "rectangle_kernel", x,
         {"value": value, "OP": repr(op), "KH": size[0], "KW": size[1], "ANCHOR_Y": anchor[0],
          "ANCHOR_X": anchor[1], "BORDER": repr(border)}, want, threshold, block)


def element(op, dtype, shape, mask, anchor, border, threshold=None):
    """By rows of a mask that are compiled in."""
    x = pixels(dtype, *shape)
    want = np.stack([morphology.apply(op, image, mask, anchor, border, 7) for image in x])
    text = "/".join("".join(map(str, row)) for row in mask)
    case(f"{op} {dtype} {shape} by {text} at {anchor} {border}", "rectangle_kernel", x,
         {"value": 7, "OP": repr(op), "KH": mask.shape[0], "KW": mask.shape[1],
          "ANCHOR_Y": anchor[0], "ANCHOR_X": anchor[1], "BORDER": repr(border),
          "ELEMENT": repr(text)}, want, threshold, (16, 24))


def elements():
    cross = np.zeros((4, 5), int)
    cross[2], cross[:, 1] = 1, 1
    sparse = (random.random((5, 11)) < 0.4) * 1
    sparse[1] = 0  # a row without any
    shapes = [((2, 19, 30), cross, (2, 1)), ((1, 33, 20), ellipse(9, 7), (4, 3)),
              ((3, 18, 25), sparse, (1, 4)), ((1, 1, 1), np.array([[0, 1], [1, 0]]), (1, 0))]
    borders = ["none", "constant", "replicate", "reflect", "reflect101"]
    for n, op in enumerate(STEPS + CHAINS):
        for m, (shape, mask, anchor) in enumerate(shapes):
            border = borders[(n + m) % (len(borders) if op in STEPS else 2)]
            element(op, ("u8", "u16", "fp32")[(n + 2 * m) % 3], shape, mask, anchor, border)
    element("close", "u8", (1, 40, 50), ellipse(15, 13), (7, 6), "none", 99)


def rectangles():
    sizes = [((3, 3), (1, 1)), ((1, 5), (0, 0)), ((4, 2), (2, 1)), ((7, 1), (6, 0)),
             ((15, 10), (3, 9))]
    shapes = [(2, 20, 33), (1, 1, 1), (3, 7, 50)]
    borders = ["none", "constant", "replicate", "reflect", "reflect101"]
    for n, op in enumerate(STEPS + CHAINS):
        for m, (size, anchor) in enumerate(sizes):
            border = borders[(n + m) % (len(borders) if op in STEPS else 2)]
            dtype = ("u8", "u16", "fp32")[(n + 2 * m) % 3]
            rectangle(op, dtype, shapes[(n + m) % len(shapes)], size, anchor, border)
    rectangle("blackhat", "u8", (2, 30, 40), (5, 5), (2, 2), "none", 60)
    rectangle("dilate", "fp32", (1, 30, 40), (2, 9), (1, 4), "constant", 0.5)
    if THOROUGH:
        rectangle("open", "u8", (1, 130, 200), (31, 63), (15, 31), "none", block=(64, 64))
        rectangle("dilate", "u16", (1, 40, 40), (91, 81), (45, 40), "reflect", block=(64, 64))


def chains(dtype, shape, mask, anchor, border):
    """Open, close and gradient at once."""
    x = pixels(dtype, *shape)
    value = 0.25 if dtype == "fp32" else 7
    want = {out: np.stack([morphology.apply(op, image, mask, anchor, border, value) for image in x])
            for out, op in (("opened", "open"), ("closed", "close"), ("gradient", "gradient"))}
    args = {**{out: empty(dtype, *shape) for out in want}, **images_of(x, dtype),
            "out_image": "opened.stride(0)", "out_row": "opened.stride(1)"}
    del args["out"]
    text = None if mask.all() else repr("/".join("".join(map(str, row)) for row in mask))
    suite.case(f"chains {dtype} {shape} by {mask.shape} at {anchor} {border}",
               "morphology.py:chains_kernel", "cdiv(W,BLOCK_W),cdiv(H,BLOCK_H),x.shape(0)",
               {**args, "value": value, "KH": mask.shape[0], "KW": mask.shape[1],
                "ANCHOR_Y": anchor[0], "ANCHOR_X": anchor[1], "BORDER": repr(border),
                "ELEMENT": text, "BLOCK_H": 16, "BLOCK_W": 24},
               {out: (dtype, t.astype(np.float64) if dtype == "fp32" else t)
                for out, t in want.items()})


def all_chains():
    chains("u8", (2, 20, 33), np.ones((5, 5), int), (2, 2), "none")
    chains("u16", (1, 33, 20), np.ones((4, 2), int), (3, 0), "constant")
    chains("fp32", (1, 19, 30), ellipse(5, 7), (2, 3), "constant")


def lines_of(mask, anchor):
    """(power, row, columns from the anchor where two lines of 2**power pixels begin) of each run."""
    found = []
    for i, row in enumerate(mask):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], row, [0]])))
        for a, b in zip(edges[::2].tolist(), edges[1::2].tolist()):
            power = (b - a).bit_length() - 1
            found.append((power, i - anchor[0], a - anchor[1], b - (1 << power) - anchor[1]))
    return sorted(found)


def masked(name, dtype, shape, masks, anchor, largest, border):
    """By one mask, or by one per image."""
    x = pixels(dtype, *shape)
    tables = [lines_of(mask, anchor) for mask in masks]
    most = max(map(len, tables))
    powers = max([1] + [line[0] + 1 for t in tables for line in t])
    runs = np.array([[line[1:] for line in t] + [(99, 99, 99)] * (most - len(t)) for t in tables],
                    np.int32).reshape(len(masks), most, 3)
    starts = np.array([[sum(line[0] < p for line in t) for p in range(powers + 1)] for t in tables],
                      np.int32)
    want = np.stack([morphology.step(image, masks[i % len(masks)], anchor, largest, border, 7)
                     for i, image in enumerate(x)])
    each = len(masks) > 1
    case(f"{name} {dtype} {shape} {largest} {border}", "mask_kernel", x,
         {"runs": runs, "starts": starts, "runs_stride": 3 * most if each else 0,
          "starts_stride": powers + 1 if each else 0, "value": 7, "LARGEST": largest,
          "BORDER": repr(border), "POWERS": powers}, want, None, (16, 24))


def ellipse(height, width):
    y, x = np.ogrid[:height, :width]
    return ((((y - height // 2) / (height / 2))**2 + ((x - width // 2) / (width / 2))**2) <= 1) * 1


def masks():
    cross = np.zeros((5, 5), int)
    cross[2], cross[:, 2] = 1, 1
    any_mask = (random.random((3, 4, 6)) < 0.4) * 1
    any_mask[0, 1], any_mask[1] = 1, 0  # one with a whole row, and one without any pixel
    for n, dtype in enumerate(("u8", "u16", "fp32")):
        masked("cross", dtype, (2, 19, 30), [cross], (2, 2), n == 0, "none")
        masked("ellipse", dtype, (1, 33, 20), [ellipse(9, 7)], (4, 3), n != 0, "reflect101")
        masked("masks", dtype, (3, 18, 25), list(any_mask), (1, 4), n != 1, "constant")


for part in (rectangles, elements, masks, all_chains):
    part()
suite.finish()
