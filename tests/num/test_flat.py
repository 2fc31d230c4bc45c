"""Flat indices (programs/flat.py) against NumPy: rows from less than a vector to more than a program
long, on views, with NaN, where masks leave out what no array has."""

import numpy as np

from arguments import apart, empty
from harness import EPSILON, NUMPY_TYPES, Suite, decode, encode, generator

suite = Suite(one_in=3)
random = generator()


def floats(dtype, *shape):
    x = random.standard_normal(shape).astype(np.float32)
    x[random.random(shape) < 0.05] = np.nan
    return encode(x, dtype)


def case(label, kernel, grid, args, outputs, **tolerance):
    suite.case(label, "programs/flat.py:" + kernel, str(grid), args, outputs, **tolerance)


def batch_norms():
    for dtype, n, c, hw, block in (("fp32", 2, 3, 49, 512), ("fp16", 3, 5, 200, 256),
                                   ("bf16", 2, 4, 1000, 300), ("fp32", 9, 7, 5, 128),
                                   ("fp32", 2, 2, 64, 128), ("fp16", 1, 6, 1, 64)):
        x = floats(dtype, n, c, hw)
        mean, scale = floats("fp32", c), floats("fp32", c)
        want = (decode(x) - decode(mean)[:, None]) * decode(scale)[:, None]
        case(f"batch norm {dtype} {n}x{c}x{hw}", "batch_norm", "cdiv(n,BLOCK)",
             {"x": x, "out": empty(dtype, n, c, hw), "mean": mean, "scale": scale,
              "n": n * c * hw, "C": c, "HW": hw, "BLOCK": block},
             {"out": (dtype, np.maximum(want, 0.0))}, rtol=EPSILON[dtype], atol=1e-6)


def pads():
    for dtype, images, h, w, p, block in (("fp32", 3, 9, 56, 1, 256), ("u8", 2, 20, 130, 3, 512),
                                          ("i16", 2, 7, 5, 2, 128), ("fp16", 2, 3, 100, 1, 300)):
        x = random.integers(0, 100, (images, h, w)).astype(NUMPY_TYPES[dtype])
        want = np.pad(x, ((0, 0), (p, p), (p, p)), constant_values=0.5 if dtype[0] == "f" else 0)
        case(f"pad {dtype} {images}x{h}x{w} by {p}", "pad", "cdiv(xnumel,XBLOCK)",
             {"in_ptr0": x, "out_ptr0": empty(dtype, *want.shape), "xnumel": want.size,
              "H": h, "W": w, "P": p, "XBLOCK": block}, {"out_ptr0": (dtype, want)})


def heads():
    for dtype, batch, t, h, d, block in (("fp32", 2, 9, 3, 64, 256), ("fp16", 2, 5, 4, 100, 512),
                                         ("fp32", 1, 7, 5, 3, 128), ("u8", 2, 3, 2, 300, 512)):
        x = random.integers(0, 100, (batch, t, h, d)).astype(NUMPY_TYPES[dtype])
        want = x.transpose(0, 2, 1, 3)
        case(f"heads {dtype} {batch}x{t}x{h}x{d}", "swap_heads", "cdiv(xnumel,XBLOCK)+1",
             {"in_ptr0": apart(suite, x.reshape(-1, d)), "out_ptr0": empty(dtype, *want.shape), "xnumel": x.size,
              "ks0": d, "ks1": h, "ks2": t, "stride": "in_ptr0.stride(0)", "XBLOCK": block},
             {"out_ptr0": (dtype, want)})


def concatenations():
    for dtype, rows, a, b, block in (("fp32", 11, 64, 128, 512), ("bf16", 9, 100, 33, 256),
                                     ("i32", 20, 3, 5, 128), ("u8", 5, 130, 200, 512)):
        x, y = (encode(random.integers(0, 100, (rows, k)), dtype) for k in (a, b))
        want = np.concatenate([decode(x), decode(y)], 1)
        case(f"concatenate {dtype} {rows}x({a}+{b})", "concatenate", "cdiv(xnumel,XBLOCK)",
             {"in_ptr0": x, "in_ptr1": y, "out_ptr0": empty(dtype, rows, a + b),
              "xnumel": want.size, "A": a, "B": b, "XBLOCK": block}, {"out_ptr0": (dtype, want)})


def sums():
    for n, c, hw, rows, block in ((4, 5, 49, 1, 128), (3, 6, 200, 4, 256), (2, 3, 4, 2, 64)):
        x = random.standard_normal((n, c, hw)).astype(np.float32)
        flat = x.transpose(1, 0, 2).reshape(c, -1)
        case(f"channels {n}x{c}x{hw} by {rows}", "channel_sums", "cdiv(xnumel,XBLOCK)",
             {"in_ptr0": x, "out_ptr0": empty("fp32", c), "out_ptr1": empty("i32", c), "xnumel": c,
              "rnumel": n * hw, "HW": hw, "XBLOCK": rows, "RBLOCK": block},
             {"out_ptr0": ("fp32", flat.astype(np.float64).sum(1)),
              "out_ptr1": ("i32", flat.argmax(1))}, rtol=1e-5, atol=1e-4)


def outer():
    for b, r, k, rows, block in ((3, 7, 50, 128, 8), (2, 5, 200, 256, 8), (9, 3, 4, 64, 4)):
        x = random.standard_normal((b, r, k)).astype(np.float32)
        case(f"outer sums {b}x{r}x{k}", "outer_sums", "cdiv(xnumel,XBLOCK)",
             {"in_ptr0": x, "out_ptr0": empty("fp32", b, k), "out_ptr1": empty("fp32", b, k),
              "xnumel": b * k, "rnumel": r, "ks0": k, "XBLOCK": rows, "RBLOCK": block},
             {"out_ptr0": ("fp32", x.sum(1)), "out_ptr1": ("fp32", x.max(1))}, rtol=1e-5, atol=1e-5)


def images():
    for dtype, n, c, h, w, block in (("i32", 2, 3, 5, 50, 300), ("i16", 3, 2, 4, 7, 128),
                                     ("u8", 1, 3, 9, 150, 512)):
        x = random.integers(0, 100, (n, c, h, w)).astype(NUMPY_TYPES[dtype])
        want = x[:, ::-1, :, ::-1]
        flat = np.zeros(-(-x.size // block) * block, np.int32)
        flat[:x.size] = want.reshape(-1)
        case(f"rows turned {dtype} {n}x{c}x{h}x{w}", "image_rows", "cdiv(n,BLOCK)",
             {"x": x, "out": empty(dtype, n, c, h, w), "n": x.size, "C": c, "H": h, "W": w,
              "sums": empty("i32", flat.size // block), "BLOCK": block},
             {"out": (dtype, want), "sums": ("i32", flat.reshape(-1, block).sum(1))})


def halves():
    for dtype, rows, h, d in (("fp32", 3, 64, 128), ("fp16", 4, 100, 200), ("bf16", 2, 60, 256),
                              ("fp32", 2, 3, 64), ("fp64", 2, 37, 80)):
        x = random.standard_normal((rows, d)).astype(np.float32)
        x[random.random(x.shape) < 0.05] = np.nan
        x = x.astype(np.float64) if dtype == "fp64" else encode(x, dtype)
        y = np.asarray(decode(x) if dtype != "fp64" else x)
        want = np.zeros_like(y)
        want[:, :h] = -np.pad(y, ((0, 0), (0, h)))[:, h:2 * h]
        want[:, h:] = y[:, :d - h]
        case(f"halves {dtype} {rows}x{d} at {h}", "rotate_halves", rows,
             {"x": apart(suite, x), "out": empty(dtype, rows, d), "low": empty(dtype, rows, h),
              "high": empty(dtype, rows, d - h), "stride": "x.stride(0)", "H": h, "D": d},
             {"out": (dtype, want), "low": (dtype, want[:, :h]), "high": (dtype, want[:, h:])})


def wraps():
    """So few programs that their numbers times the block fit 32 bits, and more."""
    for programs in (1000, 5000):
        at = np.arange(programs, dtype=np.int64)[:, None] * 2**20 + np.arange(64)
        at = at.astype(np.int32)  # wraps from 2048 programs on, and is 0 again
        x = random.integers(0, 256, 4096).astype(np.uint8)
        half, rest = np.fix(at / 2).astype(np.int32), np.fmod(at, 3)
        case(f"wraps {programs}", "halves_of_offsets", programs,
             {"x": x, "out": empty("u8", programs, 64), "numbers": empty("i32", programs, 64),
              "n": x.size},
             {"out": ("u8", np.where((at >= 0) & (at < x.size), x[half & 4095], 7)),
              "numbers": ("i32", half + rest)})


def chains():
    """fp16 with every pattern of bits: subnormal numbers, infinities and NaN."""
    for n, block, bits in ((1000, 128, 0xffff), (333, 37, 0x83ff), (70, 100, 0xffff)):
        x, y = ((random.integers(0, 65536, k).astype(np.uint16) & bits).view(np.float16)
                for k in (n, 3 * n))
        a, b, c = x, y[::3], np.float16(1.25)
        with np.errstate(all="ignore"):
            rows = [a + b * c - a, np.where(a < b, a * c, -b),
                    np.fmax(np.fmin(a + b, c), a * b), np.abs(a) * b + a * c - np.float16(1),
                    np.where((a == b) | (a != a), b + c, a), np.fmax(a, b), a - b]
        case(f"chains {n}", "chains", "cdiv(n,BLOCK)",
             {"x": x, "y": y, "out": empty("fp16", 7, n), "n": n, "scale": 1.25, "BLOCK": block},
             {"out": ("fp16", np.stack(rows))}, rtol=0, atol=0)


def rows():
    for dtype, m, n, block in (("fp32", 9, 255, 256), ("fp16", 7, 130, 512), ("i32", 5, 1, 64),
                               ("u8", 4, 700, 256), ("fp64", 8, 64, 128), ("bf16", 6, 257, 300),
                               ("i64", 3, 99, 1024), ("fp32", 3, 3, 64)):
        table = random.integers(0, 20, (12, n)).astype(NUMPY_TYPES.get(dtype, np.float32))

        def given(x):
            return x if dtype in NUMPY_TYPES else encode(x, dtype)

        index = random.integers(0, 12, m).astype(np.int32)
        lengths = random.integers(0, n + 2, m).astype(np.int32)
        want = np.where(np.arange(n) < lengths[:, None], table[index], 3)
        case(f"picked rows {dtype} {m}x{n}", "picked_rows", "cdiv(n,BLOCK)+1",
             {"out": empty(dtype, m, n), "table": apart(suite, given(table)), "index": index,
              "lengths": lengths, "n": m * n, "N": n, "stride": "table.stride(0)", "BLOCK": block},
             {"out": (dtype, want)})
        numbers = np.full(-(-m * n // block) * block, -7, np.int32)
        numbers[:m * n] = index.repeat(n)
        case(f"numbers {dtype} {m}x{n}", "unmasked_numbers", "cdiv(n,BLOCK)",
             {"out": empty("i32", m, n), "numbers": empty("i32", numbers.size), "index": index,
              "n": m * n, "N": n, "BLOCK": block},
             {"out": ("i32", index[:, None] + np.arange(n)), "numbers": ("i32", numbers)})
        if dtype == "u8":
            continue
        sums = np.zeros((12, n))
        np.add.at(sums, index, table[:m])
        case(f"added rows {dtype} {m}x{n}", "added_rows", "cdiv(n,BLOCK)+1",
             {"out": given(np.zeros_like(table)), "x": given(table[:m].copy()), "index": index, "n": m * n, "N": n,
              "stride": n, "BLOCK": block}, {"out": (dtype, sums)})


def turned():
    for dtype, m, n, block in (("fp32", 40, 70, 256), ("u8", 33, 100, 300), ("fp64", 64, 64, 512),
                               ("fp16", 5, 130, 128), ("i32", 130, 15, 128), ("fp32", 17, 33, 1024)):
        x = random.integers(0, 100, (m, n)).astype(NUMPY_TYPES[dtype])
        out = empty(dtype, n, m)
        case(f"turned {dtype} {m}x{n}", "turned_in", "1,cdiv(m*N,BLOCK)+2",
             {"out": out, "x": x, "m": m, "N": n, "pitch": m, "BLOCK": block},
             {"out": (dtype, x.T + x.dtype.type(1))})
        case(f"turned {dtype} {m}x{n} by what is stored", "turned_out", "cdiv(m*N,BLOCK)",
             {"out": out, "x": apart(suite, x), "m": m, "N": n, "pitch": "x.stride(0)", "BLOCK": block},
             {"out": (dtype, x.T)})
        some = block * (m * n // block // 2)
        want = np.full((n, m), 9, x.dtype)
        want.T.flat[:some] = x.flat[:some] + 1
        case(f"some of {dtype} {m}x{n} turned", "turned_in", f"1,{some // block}",
             {"out": np.full((n, m), 9, x.dtype), "x": x, "m": m, "N": n, "pitch": m, "BLOCK": block},
             {"out": (dtype, want)})
    for n in (40, 70):
        x = random.integers(0, 100, (n, n)).astype(np.int32)
        case(f"in place {n}", "shifted_in_place", "cdiv(n,BLOCK)",
             {"x": x, "n": n * n - 3, "N": n, "BLOCK": 256},
             {"x": ("i32", np.where(np.arange(n * n).reshape(n, n).T < n * n - 3, 2 * x, x))})


def channels():
    for dtype, b, c, h, w, block in (("fp32", 2, 32, 9, 7, 256), ("u8", 1, 70, 5, 40, 512),
                                     ("fp32", 3, 16, 6, 6, 128), ("i16", 2, 3, 20, 30, 256)):
        x = random.integers(0, 100, (b, c, h, w)).astype(NUMPY_TYPES[dtype])
        last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
        number = np.broadcast_to(np.arange(c), last.shape).astype(x.dtype)
        upper = np.arange(h)[:, None] < np.arange(w)
        args = {"n": x.size, "C": c, "H": h, "W": w, "BLOCK": block}
        case(f"channels last {dtype} {x.shape}", "channels_last", "cdiv(n,BLOCK)",
             {"out": empty(dtype, *last.shape), "x": x, **args},
             {"out": (dtype, np.where(upper[None, :, :, None], last, number))})
        case(f"channels first {dtype} {x.shape}", "channels_first", "cdiv(n,BLOCK)",
             {"out": empty(dtype, *x.shape), "x": last, **args}, {"out": (dtype, x)})


def records():
    for dtype, fields, n, block in (("u8", 3, 3000, 1024), ("fp32", 3, 769, 300), ("fp16", 2, 2049, 512),
                                    ("i64", 4, 1031, 256), ("fp64", 3, 256, 128), ("u8", 4, 255, 128),
                                    ("i16", 5, 1500, 512), ("fp32", 40, 60, 256), ("u16", 3, 1000, 256)):
        x = random.integers(0, 100, (fields, n + 3)).astype(NUMPY_TYPES[dtype])
        if dtype.startswith("fp"):
            x[0, 5:8] = np.nan, np.inf, -np.inf
            x[1, n - 1] = -np.inf
        size = fields * n - 1
        i = np.arange(size)
        want = x[i % fields, i // fields]
        want = np.where(i // fields % 5 == i % fields, (i % 64).astype(x.dtype), want)
        case(f"packed {dtype} {fields}x{n}", "packed", "cdiv(n,BLOCK)+1",
             {"out": np.full(size + 2, 1, x.dtype), "x": x, "plane": n + 3, "n": size, "N": fields,
              "BLOCK": block}, {"out": (dtype, np.append(want, np.full(2, 1, x.dtype)))})
        whole = np.ascontiguousarray(x[:, :n].T)
        with np.errstate(invalid="ignore"):
            turned = whole[:, ::-1] + whole[:, :1]
        case(f"turned records {dtype} {fields}x{n}", "turned_records", "cdiv(n,BLOCK)",
             {"out": empty(dtype, n, fields), "x": whole, "n": fields * n, "N": fields, "BLOCK": block},
             {"out": (dtype, turned)})
        last = np.ascontiguousarray(np.stack([x[:, :n], x[:, 3:]]).transpose(0, 2, 1))
        case(f"planar {dtype} {fields}x{n}", "planar", "cdiv(2*N*n,BLOCK)",
             {"out": empty(dtype, 2, fields, n), "x": last, "n": n, "N": fields, "BLOCK": block},
             {"out": (dtype, last.transpose(0, 2, 1))})


def windows():
    for dtype, b, h, w, radius, block in (("u8", 2, 20, 300, 2, 512), ("fp32", 3, 17, 70, 1, 256),
                                          ("u8", 1, 40, 256, 1, 1024), ("i16", 2, 5, 9, 1, 128)):
        x = random.integers(0, 100, (b, h, w)).astype(NUMPY_TYPES[dtype])
        size = 2 * radius + 1
        padded = np.pad(x, ((0, 0), (radius, radius), (radius, radius)))
        want = np.lib.stride_tricks.sliding_window_view(padded, (size, size), (1, 2)).max((3, 4))
        case(f"largest near {dtype} {x.shape}", "largest_near", "cdiv(B*H*W,BLOCK)",
             {"out": empty(dtype, *x.shape), "x": x, "B": b, "H": h, "W": w, "R": radius, "BLOCK": block},
             {"out": (dtype, want)})
    for h, w, block in ((40, 100, 256), (16, 64, 512), (3, 5, 16)):
        x = random.integers(0, 100, (h, w)).astype(np.float32)
        padded = np.pad(x, 1, mode="edge")
        want = np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).sum((2, 3))
        case(f"smoothed {h}x{w}", "smoothed", "cdiv(H*W,BLOCK)",
             {"out": empty("fp32", h, w), "x": x, "H": h, "W": w, "BLOCK": block}, {"out": ("fp32", want)})


batch_norms()
rows()
turned()
channels()
records()
windows()
pads()
heads()
concatenations()
sums()
outer()
images()
halves()
wraps()
chains()
suite.finish()
