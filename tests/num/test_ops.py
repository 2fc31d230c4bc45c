"""Operations one by one against NumPy: every dtype, odd lengths, NaN, infinities, overflow."""

import ctypes
import ctypes.util
import itertools
import math

import numpy as np

from harness import EPSILON, FLOATS, NUMPY_TYPES, SMALL_FLOATS, Suite, Tensor, decode, encode, generator, rounded

suite = Suite(one_in=5)
random = generator()
INTS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
N = 1003  # with BLOCK = 96: ten whole programs and a tail


def apply(label, kernel, inputs, dtype, want, op, **tolerance):
    args = dict(zip(("x", "y"), inputs))
    suite.case(label, f"ops.py:{kernel}", "cdiv(n,BLOCK)",
               {**args, "out": f"empty({dtype},{want.size})", "n": want.size, "OP": repr(op),
                "BLOCK": 96}, {"out": (dtype, want)}, **tolerance)


SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 1e-40, -1e-40, 1e38, -1e38, 88.7,
           -87.5, -103.0, 3.14159274, 100.0]


def math_inputs(op):
    """Values over the range where the function is neither constant nor infinite, and beyond."""
    if op in ("log", "log2", "sqrt", "rsqrt"):
        x = np.exp(random.uniform(-80, 80, N))
    elif op in ("sin", "cos"):
        x = random.uniform(-200, 200, N)
    elif op.endswith("/"):
        x = np.exp(random.uniform(-88, 88, N)) * random.choice([-1, 1], N)
    elif op in ("erf", "sigmoid"):
        x = random.uniform(-6, 6, N)
    else:
        x = random.uniform(-80, 80, N)
    x[: len(SPECIAL)] = SPECIAL
    return x


def vector(f):
    """A function of Python's math on arrays, NaN where it has no value."""
    def safe(v):
        try:
            return f(float(v))
        except (ValueError, OverflowError):
            return math.nan
    return np.vectorize(safe, otypes=[np.float64])


MATH = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin, "cos": np.cos, "erf": vector(math.erf),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "/(1+exp)": lambda x: x / (1 + np.exp(-x)),
}
EXACT = {"floor": np.floor, "ceil": np.ceil, "abs": np.abs, "neg": np.negative, "1/": lambda x: 1 / x,
         "2/": lambda x: 2 / x, "2**24/": lambda x: 2**24 / x, "-2**-24/": lambda x: -(2**-24) / x}


def check_math():
    for op, reference in {**MATH, **EXACT}.items():
        for dtype in ("fp32", "fp64"):
            x = math_inputs(op)
            if op in ("sin", "cos") and dtype == "fp64":
                x[np.isfinite(x) & (np.abs(x) > 2**30)] = 2**30  # as far as docs/accuracy.md promises
            x = encode(x, dtype)
            with np.errstate(all="ignore"):
                want = rounded(reference(decode(x)), dtype)
            # near a root of sin or log the last bits of the argument decide: absolute there
            apply(f"{op} {dtype}", "unary", [x], dtype, want, op,
                  rtol=0 if op in EXACT else 4 * EPSILON[dtype],
                  atol=0 if op in EXACT else 1e-37 + 0.5 * EPSILON[dtype] * (op in ("sin", "cos")))
    for dtype in ("fp16", "bf16"):
        x = encode(math_inputs("neg"), dtype)
        apply(f"neg {dtype}", "unary", [x], dtype, -decode(x), "neg")
        apply(f"abs {dtype}", "unary", [x], dtype, np.abs(decode(x)), "abs")


def check_rounding_away():
    """Halves away from 0 as people write it, which is one op on the way; as float and as integer."""
    halves = random.integers(-300, 300, N) / 2
    for dtype in ("fp32", "fp64"):
        kind = NUMPY_TYPES[dtype]
        x = np.concatenate([SPECIAL, halves, np.nextafter(halves.astype(kind), kind(0)), [-0.3, 2**23 + 1, -2**23 - 1]])
        x = x.astype(kind)
        with np.errstate(all="ignore"):
            want = np.where(x >= 0, np.floor(x + kind(0.5)), np.ceil(x - kind(0.5)))
        apply(f"away {dtype}", "unary", [x], dtype, want, "away")
        small = x[np.abs(x) < 100]
        apply(f"away {dtype} as i8", "unary", [small], "i8",
              np.where(small >= 0, np.floor(small + kind(0.5)), np.ceil(small - kind(0.5))).astype(np.int8), "away")


def bessel_reference(op, x):
    """J, I: the mean of an integrand over a circle, exact to rounding; Y: the C library's."""
    n = int(op[1])
    if op[0] == "y":
        function = getattr(ctypes.CDLL(ctypes.util.find_library("m")), op)
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
        return vector(function)(x)
    angle = 2 * np.pi * np.arange(512) / 512
    if op[0] == "j":
        return np.cos(n * angle - x[:, None] * np.sin(angle)).mean(axis=1)
    return (np.exp(x[:, None] * np.cos(angle)) * np.cos(n * angle)).mean(axis=1)


BESSEL_ENDS = {"j0": (0, 1), "j1": (0, 0), "y0": (0, -np.inf), "y1": (0, -np.inf),
               "i0": (np.inf, 1), "i1": (np.inf, 0)}  # at infinity and at 0


def check_bessel():
    points = np.concatenate([np.linspace(-60, 60, N), [1e-3, 8, np.nextafter(8, 9), -8]])
    for op, ends in BESSEL_ENDS.items():
        for dtype in ("fp32", "fp64"):
            x = encode(points, dtype)
            with np.errstate(all="ignore"):
                want = rounded(bessel_reference(op, np.asarray(decode(x), np.float64)), dtype)
            apply(f"bessel {op} {dtype}", "bessel", [x], dtype, want, op,
                  rtol=16 * EPSILON[dtype], atol=16 * EPSILON[dtype])
            x, want = encode([np.nan, np.inf, 0.0], dtype), np.array([np.nan, *ends])
            apply(f"bessel {op} {dtype} at the ends", "bessel", [x], dtype, want, op,
                  rtol=2 * EPSILON[dtype])


def int_values(dtype):
    info = np.iinfo(NUMPY_TYPES[dtype])
    x = random.integers(info.min, info.max, N, info.dtype, endpoint=True)
    x[:4] = [0, 1, info.max, info.min]
    return x


def truncated(x, y):
    """Quotient toward zero and its remainder, as in C."""
    q = x // y
    q = q + ((q * y != x) & ((x < 0) != (y < 0)))
    return q, x - q * y


def check_int_binary():
    for dtype in INTS:
        kind = NUMPY_TYPES[dtype]
        bits = np.iinfo(kind).bits
        x, y = int_values(dtype), int_values(dtype)[::-1].copy()
        y[y == 0] = 3
        if kind(-1 if dtype[0] == "i" else 1) < 0:
            y[y == -1] = -3  # the least number over -1 is not defined
        shift = random.integers(0, bits, N).astype(kind)
        q, r = truncated(x, y)
        cases = {"+": x + y, "-": x - y, "*": x * y, "//": q, "%": r, "&": x & y, "|": x | y,
                 "^": x ^ y, "min": np.minimum(x, y), "max": np.maximum(x, y),
                 "where": np.where(x > y, x, y)}
        for op, want in cases.items():
            apply(f"{op} {dtype}", "binary", [x, y], dtype, want, op)
        for op, want in {"<<": x << shift, ">>": x >> shift}.items():
            apply(f"{op} {dtype}", "binary", [x, shift], dtype, want, op)
        for op, want in {"<": x < y, "<=": x <= y, "==": x == y, "!=": x != y}.items():
            apply(f"{op} {dtype}", "binary", [x, y], "i1", want, op)
        apply(f"invert {dtype}", "unary", [x], dtype, ~x, "invert")
        apply(f"neg {dtype}", "unary", [x], dtype, -x, "neg")
        apply(f"/ {dtype}", "binary", [x, y], "fp32",
              rounded(x.astype(np.float32).astype(np.float64) / y.astype(np.float32), "fp32"), "/",
              rtol=2 * EPSILON["fp32"])


def divisors(dtype):
    """Those at which a reciprocal changes its form: both ends, powers of two and beside them."""
    info = np.iinfo(NUMPY_TYPES[dtype])
    near = {1 << k for k in range(info.bits)} | {info.max, info.min, 3, 7, 10, 641}
    near = {d + e for d in near for e in (-1, 0, 1)} - {0}
    signs = (1, -1) if info.min < 0 else (1,)
    return sorted({s * d for d in near for s in signs if info.min <= s * d <= info.max and s * d != -1})


def check_division_by_one_number():
    for dtype in INTS:
        kind = NUMPY_TYPES[dtype]
        info = np.iinfo(kind)
        by = [0, *divisors(dtype)]
        step = kind(by[len(by) // 3])
        x = np.unique(np.concatenate([
            np.array([info.min, info.min + 1, info.max - 1, info.max, 0], kind), np.array(by, kind),
            np.array([d - 1 for d in by if d > info.min], kind),
            random.integers(info.min, info.max, 50, kind, endpoint=True), step * np.arange(5).astype(kind)]))
        short = (2**31 - 1,) if info.bits == 64 else ()  # GPUs divide those as words
        for op, most in itertools.product(("//", "%", "////", "//%"), (0, info.max, *short)):
            a = (x & kind(most) if most else x).astype(object)
            d = np.array(by[1:], object)[:, None]
            q, r = truncated(truncated(a[None, :], d)[0] if len(op) > 2 else a[None, :], d)
            want = np.vstack([0 * a, r if "%" in op else q])  # by 0 both are 0
            suite.case(f"{op} {dtype} by one number, at most {most}", "ops.py:quotients", f"{len(by)}",
                       {"x": x, "by": np.array(by, kind), "out": f"empty({dtype},{want.size})",
                        "n": len(x), "OP": repr(op), "MOST": most, "BLOCK": 1024},
                       {"out": (dtype, want.astype(kind).reshape(-1))}, unchecked=True)


def check_mixed():
    """Two types meet: the wider integer, the float, the wider float (R43)."""
    pairs = [("i8", "i32", "i32"), ("u8", "i8", "u8"), ("i32", "u32", "u32"), ("i64", "u32", "i64"),
             ("fp16", "fp32", "fp32"), ("fp32", "fp64", "fp64"), ("fp16", "i64", "fp16"),
             ("bf16", "i8", "fp32"), ("fp16", "bf16", "fp16")]
    for left, right, result in pairs:
        a = encode(random.integers(0, 100, N), left)
        b = encode(random.integers(0, 100, N), right)
        x, y = decode(a), decode(b)
        want = x.astype(np.float64) * y if result[0] == "f" else \
            x.astype(NUMPY_TYPES[result]) * y.astype(NUMPY_TYPES[result])
        apply(f"{left} * {right}", "binary", [a, b], result,
              rounded(want, result) if result[0] == "f" else want, "*")


def check_float_binary():
    for dtype in FLOATS:
        a = encode(np.concatenate([SPECIAL, random.standard_normal(N)]), dtype)
        b = encode(np.concatenate([SPECIAL[::-1], random.standard_normal(N)]), dtype)
        x, y = decode(a), decode(b)
        with np.errstate(all="ignore"):
            for op, want in {"+": x + y, "-": x - y, "*": x * y}.items():
                apply(f"{op} {dtype}", "binary", [a, b], dtype, rounded(want, dtype), op)
            apply(f"/ {dtype}", "binary", [a, b], dtype, rounded(x / y, dtype), "/",
                  rtol=EPSILON[dtype] if dtype != "fp64" else 0)
            apply(f"% {dtype}", "binary", [a, b], dtype, rounded(np.fmod(x, y), dtype), "%")
            # a NaN gives way to the other operand (R61)
            apply(f"max {dtype}", "binary", [a, b], dtype, np.fmax(x, y), "max")
            apply(f"min {dtype}", "binary", [a, b], dtype, np.fmin(x, y), "min")
            for op, want in {"<": x < y, "<=": x <= y, "==": x == y, "!=": x != y}.items():
                apply(f"{op} {dtype}", "binary", [a, b], "i1", want, op)


def check_by_large():
    """Divisors that are seen to be no less than 1, of which some are infinite; dividends of all sizes."""
    for low, high in ((-149, 127), (-70, 30), (20, 128)):
        x, y = (random.standard_normal(8192) * 2.0**random.integers(*ends, 8192) for ends in ((low, high), (-20, 128)))
        x[::100], y[50::100], x[7::1000] = 0, np.inf, np.nan
        with np.errstate(all="ignore"):
            x, y = x.astype(np.float32), y.astype(np.float32)
            want = x / (1 + np.abs(y))
        suite.case(f"/ (1 + abs) from 2^{low}", "ops.py:binary", "cdiv(n,BLOCK)",
                   {"x": x, "y": y, "out": f"empty(fp32,{x.size})", "n": x.size, "OP": repr("/(1+abs)"), "BLOCK": 1024},
                   {"out": ("fp32", want)})


def check_pairs():
    """Several elements a thread, which may be computed two at a time: as if by fp32, rounded once."""
    for dtype in ("fp16", "bf16"):
        bits = random.integers(0, 1 << 16, (2, 32768), np.uint16)
        bits[1, ::2] = bits[0, ::2] ^ random.integers(0, 1 << 12, 16384, np.uint16)  # of nearly the same size
        a, b = (x.view(np.float16) if dtype == "fp16" else Tensor(dtype, x) for x in bits)
        with np.errstate(all="ignore"):
            x, y = (decode(v).astype(np.float32) for v in (a, b))
            for op, want in {"+": x + y, "-": x - y, "*": x * y, "max": np.fmax(x, y), "min": np.fmin(x, y)}.items():
                suite.case(f"{op} {dtype} in pairs", "ops.py:binary", "cdiv(n,BLOCK)",
                           {"x": a, "y": b, "out": f"empty({dtype},{want.size})", "n": want.size, "OP": repr(op),
                            "BLOCK": 1024}, {"out": (dtype, rounded(want, dtype))})


def check_short_pairs():
    for dtype in ("i8", "u8", "i16", "u16"):
        info = np.iinfo(NUMPY_TYPES[dtype])
        a, b = random.integers(info.min, info.max + 1, (2, 8192), NUMPY_TYPES[dtype])
        for op, want in {"max": np.maximum(a, b), "min": np.minimum(a, b)}.items():
            suite.case(f"{op} {dtype} in pairs", "ops.py:binary", "cdiv(n,BLOCK)",
                       {"x": a, "y": b, "out": f"empty({dtype},{want.size})", "n": want.size, "OP": repr(op),
                        "BLOCK": 1024}, {"out": (dtype, want)})


def cast_reference(x, source, target):
    """What a store converts `x` to (R80-R84)."""
    if target == "i1":
        return x != 0
    if target in INTS:
        if x.dtype.kind != "f":
            return x.astype(NUMPY_TYPES[target])
        info = np.iinfo(NUMPY_TYPES[target])
        whole = np.trunc(np.nan_to_num(x, nan=0, posinf=1e30, neginf=-1e30))
        return np.array([min(max(int(v), info.min), info.max) for v in whole.ravel()],
                        NUMPY_TYPES[target])
    return rounded(x, target)


def near_middles(dtype):
    """Integers in the middle between two numbers of bf16, and beside it."""
    info = np.iinfo(NUMPY_TYPES[dtype])
    bits = min(info.bits, 52) - (info.min < 0) - 9
    if bits < 1:
        return np.array([], NUMPY_TYPES[dtype])
    middles = random.integers(256, 512, 40) * 2 + 1 << random.integers(0, bits, 40)
    near = np.concatenate([middles + e for e in (-1, 0, 1)])
    near = np.concatenate([near >> 1, -near >> 1]) if info.min < 0 else near >> 1
    return near.astype(NUMPY_TYPES[dtype])


def check_casts():
    sources = FLOATS + ["i1", "i8", "i32", "i64", "u8", "u32", "u64"]
    for source in sources:
        if source in FLOATS:
            values = np.concatenate([SPECIAL, random.standard_normal(N) * 100, [65520, 65519.99,
                                     1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-30, 2**-24, 2**-25,
                                     1.5 * 2**-25, 448, 464, 465, 500, 2**-9, 2**-10]])
        elif source == "i1":
            values = random.integers(0, 2, N)
        else:
            values = np.concatenate([int_values(source), near_middles(source)])
        a = encode(values, source)
        x = decode(a)
        for target in list(NUMPY_TYPES) + list(SMALL_FLOATS):
            if target.startswith("fp8") and source not in FLOATS:
                continue
            values, inputs = x, a
            if target in INTS and source in FLOATS and np.iinfo(NUMPY_TYPES[target]).bits < 32:
                # narrow integers go by way of wider ones; out of range is not defined (R81)
                low = np.iinfo(NUMPY_TYPES[target]).min
                fits = np.abs(x) <= 127 if low < 0 else (x >= 0) & (x <= 255)
                values = np.where(fits, x, 1)
                inputs = encode(values, source)
            apply(f"{source} to {target}", "unary", [inputs], target,
                  cast_reference(values, source, target), "none",
                  unchecked=target in ("fp8e4nv", "fp8e5"))  # numbers beyond their largest are told of
    for source in ("fp8e4nv", "fp8e5"):
        a = encode(np.zeros(256), source)
        a.bits = np.arange(256, dtype=np.uint8)
        for target in FLOATS:
            apply(f"{source} to {target}", "unary", [a], target, rounded(decode(a), target), "none")


def check_reductions():
    for dtype in FLOATS + INTS:
        for rows, columns in ((1, 1), (3, 7), (5, 100), (2, 1025)):
            if dtype in FLOATS:
                a = encode(random.standard_normal((rows, columns)), dtype)
            else:
                info = np.iinfo(NUMPY_TYPES[dtype])
                a = random.integers(info.min, info.max, (rows, columns), info.dtype, endpoint=True)
            x = decode(a)
            results = {"max": x.max(1), "min": x.min(1), "argmax": x.argmax(1),
                       "argmin": x.argmin(1)}
            if dtype in FLOATS:
                results["sum"] = x.sum(1)
            elif np.iinfo(NUMPY_TYPES[dtype]).bits >= 32:
                results["sum"] = x.sum(1, dtype=NUMPY_TYPES[dtype])
                results["xor_sum"] = np.bitwise_xor.reduce(x, 1)
            for op, want in results.items():
                out = "i32" if op.startswith("arg") else dtype
                # a sum in a narrow type depends on its order
                atol = columns * EPSILON[dtype] * 2 if op == "sum" and dtype in FLOATS else 0
                suite.case(f"{op} {dtype} {rows}x{columns}", "ops.py:reduce_rows", "1",
                           {"x": a, "out": f"empty({out},{rows})", "n_cols": columns,
                            "OP": repr(op), "ROWS": rows, "COLS": columns}, {"out": (out, want)},
                           atol=atol)
    wide = random.integers(-128, 127, (4, 300), np.int8)
    suite.case("sum of i8 is i32", "ops.py:reduce_rows", "1",
               {"x": wide, "out": "empty(i32,4)", "n_cols": 300, "OP": "'sum'", "ROWS": 4,
                "COLS": 300}, {"out": ("i32", wide.sum(1, dtype=np.int32))})
    holes = np.array([[np.nan, 2, 1], [3, np.nan, 4], [np.nan] * 3], np.float32)
    for op, want in {"max": [2, 4, np.nan], "min": [1, 3, np.nan]}.items():
        suite.case(f"{op} of NaN", "ops.py:reduce_rows", "1",
                   {"x": holes, "out": "empty(fp32,3)", "n_cols": 3, "OP": repr(op), "ROWS": 3,
                    "COLS": 3}, {"out": ("fp32", np.array(want))})
    for op, want in {"argmax": [1, 2], "argmin": [2, 0]}.items():
        suite.case(f"{op} of NaN", "ops.py:reduce_rows", "1",
                   {"x": holes[:2].copy(), "out": "empty(i32,2)", "n_cols": 3, "OP": repr(op),
                    "ROWS": 2, "COLS": 3}, {"out": ("i32", np.array(want))})


def check_axes():
    for rows, columns in ((4, 8), (3, 5), (1, 17), (33, 2)):
        x = random.standard_normal((rows, columns)).astype(np.float32)
        for axis in (None, 0, 1):
            want = x.astype(np.float64).sum(axis)
            size = want.size
            suite.case(f"sum {rows}x{columns} over {axis}", "ops.py:reduce_all", "1",
                       {"x": x, "out": f"empty(fp32,{size})", "ROWS": rows, "COLS": columns,
                        "AXIS": axis}, {"out": ("fp32", want.reshape(size))}, atol=1e-5)
        for reverse in (False, True):
            order = slice(None, None, -1) if reverse else slice(None)
            want = x.astype(np.float64)[:, order].cumsum(1)[:, order]
            suite.case(f"cumsum {rows}x{columns} {reverse}", "ops.py:scan_rows", "1",
                       {"x": x, "out": f"empty(fp32,{rows}x{columns})", "REVERSE": reverse,
                        "ROWS": rows, "COLS": columns}, {"out": ("fp32", want)}, atol=1e-5)


def check_columns():
    """Scans down tiles of few columns, of many, and of numbers of these that fill no vectors."""
    shapes = ((37, 16, 75), (5, 24, 50), (9, 40, 40), (3, 20, 33), (33, 128, 300), (2, 1, 3),
              (70, 64, 64), (4, 3, 5), (1, 48, 100))
    for i, (rows, columns, n) in enumerate(shapes):
        for dtype, reverse in itertools.product(("fp32", "fp16", "fp64", "i32"), (False, True)):
            x = encode(random.integers(-2, 3, (rows, n)), dtype)
            if dtype != "i32":
                x[random.random(x.shape) < 0.01] = np.nan
            whole = (i + reverse) % 2 == 0
            v = x.astype(np.float64)[::-1] if reverse else x.astype(np.float64)
            most, total = np.fmax.accumulate(v, 0), v.cumsum(0)
            order = slice(None, None, -1) if reverse else slice(None)
            with np.errstate(invalid="ignore"):
                both = (total - most)[order]
            want = {"doubled": (dtype, 2 * total[order]), "both": (dtype, both)}
            if whole:
                want["last"] = (dtype, most.sum(0))
            suite.case(f"scan {dtype} {rows}x{columns} of {n} {reverse}", "ops.py:scan_columns",
                       str(-(-n // columns)),
                       {"x": x, "doubled": f"empty({dtype},{rows}x{n})",
                        "both": f"empty({dtype},{rows}x{n})", "last": f"empty({dtype},{n})", "n": n,
                        "REVERSE": reverse, "WHOLE": whole, "ROWS": rows, "COLS": columns}, want)


def check_fields():
    """Records of a length that is an argument, longer ones, and such that go backwards."""
    n = 150
    for i, stride in enumerate((1, 4, 7, 16, 33, -5)):
        for dtype, fields in itertools.product(("fp32", "fp16", "fp64", "i8", "i32"), (2, 3, 4)):
            x = encode(random.integers(-2, 3, n * abs(stride) + 8), dtype)
            start = 0 if stride > 0 else (1 - n) * stride
            at = start + np.arange(n)[:, None] * stride + np.arange(fields)[None, :]
            v = x.astype(np.int64)[at] * np.arange(1, fields + 1)
            some = np.where(np.arange(n) % 3 != 1, v.sum(1), fields * (fields + 1) // 2)
            suite.case(f"fields {dtype} {fields} by {stride}", "ops.py:fields_apart", "2",
                       {"x": x, "all_out": f"empty({dtype},{n})", "some_out": f"empty({dtype},{n})",
                        "n": n, "stride": stride, "FIELDS": fields, "BLOCK": 100, "first": start},
                       {"all_out": (dtype, v.sum(1)), "some_out": (dtype, some)})


for part in (check_math, check_rounding_away, check_bessel, check_int_binary, check_division_by_one_number, check_mixed,
             check_float_binary, check_by_large, check_pairs, check_short_pairs, check_casts, check_reductions, check_axes,
             check_columns, check_fields):
    part()
suite.finish()
