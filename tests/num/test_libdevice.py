"""Functions of libdevice one by one: integers and what is exact bit by bit, the others within the
bounds of docs/accuracy.md, against decimal numbers."""

import ctypes
import ctypes.util
import math
import os
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np

import reference
from harness import EPSILON, NUMPY_TYPES, THOROUGH, Suite, generator

suite = Suite(one_in=4)
random = generator()
N = int(os.environ.get("TILEC_NUMBERS") or (203 if THOROUGH else 107))  # no multiple of BLOCK = 96
MANY = max(N, 20_003)  # where the reference is quick
WIDE = np.longdouble
ROOT_2 = Decimal(2).sqrt()
FLOATS = {"fp32": np.float32, "fp64": np.float64}
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 3.0, 8.0, -3.0]


EXACT = set()  # what was compared without any tolerance


def label_of(op, inputs):
    return f"{op} {' '.join(str(x.dtype) for x in inputs)}"


def apply(op, inputs, dtype, want, after="", **tolerance):
    """inputs: arrays of one length; `want` may be wider than dtype; `after`: a function of the result."""
    if not tolerance:
        EXACT.add(op)
    given = [*inputs, *[inputs[0]] * (4 - len(inputs))]
    suite.case(label_of(op, inputs), "libdevice.py:apply", "cdiv(n,BLOCK)",
               {**dict(zip("xyzw", given)), "out": f"empty({dtype},{len(want)})", "n": len(want),
                "OP": repr(op), "AFTER": repr(after), "TAKES": len(inputs), "BLOCK": 96 if len(want) < MANY else 1024}, {"out": (dtype, want)},
               **tolerance)


# --- integers ---


def whole(dtype, n=N):
    info = np.iinfo(NUMPY_TYPES[dtype])
    x = random.integers(info.min, info.max, n, info.dtype, endpoint=True)
    x[:4] = [0, 1, info.max, info.min]
    return random.permutation(x)


def by_element(f, dtype, *arrays):
    """f of Python's unbounded integers, cut to dtype."""
    bits = np.iinfo(NUMPY_TYPES[dtype]).bits
    cut = [f(*(int(v) for v in row)) & (2**bits - 1) for row in zip(*arrays)]
    return np.array(cut, np.dtype(f"u{bits // 8}")).view(NUMPY_TYPES[dtype])


def low_24(v, signed):
    v &= 0xffffff
    return v - (1 << 24) if signed and v >> 23 else v


def permuted(x, y, s):
    source = (x & 0xffffffff) | (y & 0xffffffff) << 32
    return sum((source >> 8 * (s >> 4 * i & 7) & 255) << 8 * i for i in range(4))


def check_integers():
    for dtype in ("i32", "u32", "i64", "u64"):
        bits = np.iinfo(NUMPY_TYPES[dtype]).bits
        x, y = whole(dtype), whole(dtype)
        apply("brev", [x], dtype, by_element(lambda v: int(f"{v % 2**bits:0{bits}b}"[::-1], 2), dtype, x))
        apply("mulhi", [x, y], dtype, by_element(lambda v, w: v * w >> bits, dtype, x, y))
    for dtype in ("i32", "u32"):
        x, y, z = whole(dtype), whole(dtype), whole("u32")
        signed = dtype == "i32"
        for op, f in (("hadd", lambda v, w: v + w >> 1), ("rhadd", lambda v, w: v + w + 1 >> 1),
                      ("mul24", lambda v, w: low_24(v, signed) * low_24(w, signed))):
            apply(op, [x, y], dtype, by_element(f, dtype, x, y))
        apply("sad", [x, y, z], dtype, by_element(lambda v, w, s: abs(v - w) + s, dtype, x, y, z))
        apply("byte_perm", [x, y, z], "i32", by_element(permuted, "i32", x, y, z))


# --- exact functions of floats ---


def bit_patterns(dtype, n=N):
    """Random ones: every exponent is as likely."""
    bits = np.iinfo(np.int32 if dtype == "fp32" else np.int64)
    x = random.integers(bits.min, bits.max, n, bits.dtype, endpoint=True).view(FLOATS[dtype])
    x[:len(SPECIAL)] = SPECIAL
    return random.permutation(x)


def pairs(dtype):
    """Random numbers, equal ones, near ones, and all pairs of special ones."""
    special = np.array(SPECIAL, FLOATS[dtype])
    x, y = bit_patterns(dtype), bit_patterns(dtype)
    y[:20] = x[:20]
    with np.errstate(over="ignore"):
        y[20:90] = x[20:90] * random.integers(1, 60, 70) / 2
    grid = np.meshgrid(special, special)
    return (np.concatenate([x, grid[0].ravel(), y]).astype(FLOATS[dtype]),
            np.concatenate([y, grid[1].ravel(), x]).astype(FLOATS[dtype]))


def signed_remainder(x, y):
    try:
        return math.remainder(x, y)
    except ValueError:
        return math.nan


def check_exact():
    for dtype, kind in FLOATS.items():
        x, y = pairs(dtype)
        apply("nextafter", [x, y], dtype, np.nextafter(x, y))
        apply("remainder", [x, y], dtype,
              np.array([signed_remainder(float(v), float(w)) for v, w in zip(x, y)]))
        last_bit = {"fp32": np.uint32, "fp64": np.uint64}[dtype](1)
        signalling = (np.array(np.inf, kind).view(type(last_bit)) + last_bit).view(kind)
        x = np.array([signalling, signalling, 1, signalling, 2], kind)
        y = np.array([0.0, -0.0, signalling, 2, signalling], kind)
        apply("pow", [x, y], dtype, np.array([1, 1, 1, np.nan, np.nan], kind))
        x = np.array([signalling, np.inf, -np.inf, signalling, 1], kind)
        y = np.array([np.inf, signalling, signalling, 0, signalling], kind)
        apply("hypot", [x, y], dtype, np.array([np.inf, np.inf, np.inf, np.nan, np.nan], kind))
        x = bit_patterns(dtype)
        exponent = np.frexp(np.abs(x))[1].astype(np.int64) - 1
        ends = np.select([x == 0, np.isinf(x), np.isnan(x)], [-np.inf, np.inf, np.nan], exponent)
        apply("logb", [x], dtype, ends)
        none = np.iinfo(np.int32)
        apply("ilogb", [x], "i32", np.select(
            [x == 0, np.isinf(x), np.isnan(x)], [none.min, none.max, none.min], exponent))
    x = bit_patterns("fp64")
    x = x[~np.isnan(x)]
    halves = x.view(np.int32)
    apply("double2loint", [x], "i32", halves[0::2])
    apply("double2hiint", [x], "i32", halves[1::2])
    apply("hiloint2double", [halves[1::2].copy(), halves[0::2].copy()], "fp64", x)


def check_conversions():
    """To whole numbers by each rounding, beyond the range as well, where the nearest end is given."""
    for source, dtype in (("float", "fp32"), ("double", "fp64")):
        x = random.uniform(-3, 3, N) * 2.0 ** random.integers(-3, 68, N)
        x[:60] = random.integers(-50, 50, 60) / 2
        x = np.concatenate([x, SPECIAL]).astype(FLOATS[dtype])
        for target, name, result in (("int", "i32", "i32"), ("uint", "u32", "i32"), ("ll", "i64", "i64"),
                                     ("ull", "u64", "i64")):
            info = np.iinfo(NUMPY_TYPES[name])
            for rounding, f in (("rn", np.rint), ("rz", np.trunc), ("rd", np.floor), ("ru", np.ceil)):
                want = [0 if v != v else info.max if v >= float(info.max) else info.min
                        if v <= info.min else int(v) for v in f(x)]
                apply(f"{source}2{target}_{rounding}", [x], result,
                      np.array(want, info.dtype).view(NUMPY_TYPES[result]))
    for source, dtype in (("int", "i32"), ("uint", "u32"), ("ll", "i64"), ("ull", "u64")):
        x = whole(dtype)
        apply(f"{source}2float_rn", [x], "fp32", x.astype(np.float32))
        apply(f"{source}2double_rn", [x], "fp64", x.astype(np.float64))


# --- rounding to a side ---


def to_side(value, side, kind):
    """A fraction as the next number of the kind on that side."""
    if value == 0:
        return kind(0)
    info = np.finfo(kind)
    sign, magnitude = 1 if value > 0 else -1, abs(value)
    up = side == ("ru" if value > 0 else "rd")
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > magnitude
    unit = Fraction(2) ** (max(exponent, int(info.minexp)) - int(info.nmant))
    nearest = unit * (magnitude // unit + (up and magnitude % unit != 0))
    if nearest > Fraction(float(info.max)):
        return kind(sign * (math.inf if up else float(info.max)))
    return kind(sign * float(nearest))


def root(value, side, kind):
    """The root of a fraction that no kind holds all of: 200 bits of it, and one more where it is cut."""
    scaled = value * 4 ** 1200
    whole = math.isqrt(int(scaled))
    exact = whole * whole == scaled
    return to_side(Fraction(2 * whole + (not exact), 2 ** 1201), side, kind)


EXACTLY = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y, "rcp": lambda x: 1 / x, "fma": lambda x, y, z: x * y + z,
}


def zero_to_side(op, side, values):
    """An exact zero: of a sum of different signs -0 down, else 0; of one sign this one."""
    kind = type(values[0])
    signs = [math.copysign(1, v) for v in values]
    if op not in ("add", "sub", "fma"):
        return kind(math.copysign(0, math.prod(signs)))
    left = signs[0] * signs[1] if op == "fma" else signs[0]
    right = -signs[-1] if op == "sub" else signs[-1]
    return kind(math.copysign(0, left if left == right else -1 if side == "rd" else 1))


def sided(op, side, values):
    """One result; where an operand is no finite number, or a divisor 0, what NumPy gives."""
    kind = type(values[0])
    with np.errstate(all="ignore"):
        nearest = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
                   "rcp": lambda v: kind(1) / v, "sqrt": np.sqrt,
                   "fma": lambda a, b, c: WIDE(a) * WIDE(b) + WIDE(c)}[op](*values)
    divided = op in ("div", "rcp") and values[-1] == 0
    if divided or not all(np.isfinite(values)) or (op == "sqrt" and values[0] <= 0):
        return kind(nearest)
    if op == "sqrt":
        return root(Fraction(float(values[0])), side, kind)
    value = EXACTLY[op](*(Fraction(float(v)) for v in values))
    return to_side(value, side, kind) if value else zero_to_side(op, side, values)


def related(x, y, z):
    """Of some, z is close to -x y, so that their sum cancels, or has its last bits far below."""
    with np.errstate(all="ignore"):
        z[:60] = -x[:60] * y[:60]
        z[60:90] = np.nextafter(-x[60:90] * y[60:90], z[60:90])
        z[90:110] = 0
    return z


def moderate(dtype, n=N):
    """Numbers with exponents close to each other, some with few bits."""
    x = random.uniform(-2, 2, n) * 2.0 ** random.integers(-30, 30, n)
    x[::4] = random.integers(-9, 9, len(x[::4]))
    return x.astype(FLOATS[dtype])


def check_sides():
    for dtype, kind in FLOATS.items():
        x, y = pairs(dtype)
        z = bit_patterns(dtype, len(x))
        near = [moderate(dtype) for _ in range(3)]
        near[2] = related(*near)
        x, y, z = (np.concatenate(both) for both in zip((x, y, related(x, y, z)), near))
        for op, takes in (("add", 2), ("sub", 2), ("mul", 2), ("div", 2), ("fma", 3), ("rcp", 1),
                          ("sqrt", 1)):
            for side in ("rz", "rd", "ru"):
                inputs, name = [x, y, z][:takes], f"{op}_{side}"
                if suite.is_left_out(label_of(name, inputs)):  # nobody wants to know what it should be
                    EXACT.add(name)
                    continue
                want = np.array([sided(op, side, v) for v in zip(*inputs)], kind)
                apply(name, inputs, dtype, want)
                apply_zeros(name, inputs, dtype, want)


def apply_zeros(op, inputs, dtype, want):
    """Once more where zero is wanted: 1/0 shows its sign."""
    zero = want == 0
    if zero.any():
        with np.errstate(divide="ignore"):
            apply(op, [v[zero] for v in inputs], dtype, 1 / want[zero], after="rcp_rn")


def check_conversions_to_side():
    for source, dtype in (("int", "i32"), ("uint", "u32"), ("ll", "i64"), ("ull", "u64")):
        x = whole(dtype)
        x[N // 2:] >>= random.integers(0, np.iinfo(x.dtype).bits - 2, N - N // 2).astype(x.dtype)
        for side in ("rz", "rd", "ru"):
            for target, result in (("float", "fp32"), ("double", "fp64")):
                if target == "double" and dtype in ("i32", "u32"):
                    continue
                want = [to_side(Fraction(int(v)), side, FLOATS[result]) for v in x]
                apply(f"{source}2{target}_{side}", [x], result, np.array(want))
    x = np.concatenate([bit_patterns("fp64"), moderate("fp64"), bit_patterns("fp32").astype(np.float64)])
    with np.errstate(over="ignore"):
        for side in ("rz", "rd", "ru"):
            want = [to_side(Fraction(float(v)), side, np.float32) if np.isfinite(v) else np.float32(v)
                    for v in x]
            apply(f"double2float_{side}", [x], "fp32", np.array(want))


# --- within bounds ---


def exactly(f, **special):
    """f of decimal numbers, on arrays; `special` says what it is at numbers by their names, where f is
    not asked, and inside of what range it is."""
    ends = {float(name): value for name, value in special.get("at", {}).items()}
    low, high = special.get("domain", (-math.inf, math.inf))

    def one(x):
        if x in ends:
            return WIDE(ends[x])
        if not low <= x <= high or not math.isfinite(x):
            return WIDE(math.nan)
        return WIDE(str(f(Decimal(x))))

    return lambda v: np.array([one(float(x)) for x in v], WIDE)


def norm(*v):
    total = np.sqrt(sum(WIDE(x) ** 2 for x in v))
    infinite = np.any([np.isinf(x) for x in v], axis=0)
    return np.where(infinite, np.inf, total)


def inverse_norm(*v):
    return 1 / norm(*v)


def spread(low, high, n=N):
    """Of all magnitudes between two powers of ten."""
    return 10 ** random.uniform(low, high, n)


def around(*places):
    return np.concatenate([place + random.uniform(-0.01, 0.01, 20) for place in places])


def chances():
    return np.concatenate([random.uniform(0, 1, N), spread(-320, 0, 60), [0, 1, 0.25, 0.5, 0.75, 1.5]])


def components(n):
    """Vectors of n numbers: of one magnitude, of magnitudes close to each other, of any whose norms and
    their inverses are normal numbers."""
    return [np.concatenate([random.uniform(-1, 1, MANY),
                            random.uniform(-1, 1, MANY) * 2.0 ** random.integers(-9, 9, MANY),
                            spread(-307, 307, MANY)]) for _ in range(n)]


# name: reference, arguments
APPROXIMATED = {
    "sinpi": (exactly(reference.sin_pi), lambda: [random.uniform(-9, 9, N) * spread(0, 9)]),
    "cospi": (exactly(reference.cos_pi), lambda: [random.uniform(-9, 9, N) * spread(0, 9)]),
    "erfcx": (exactly(reference.scaled_erfc, at={"inf": 0, "-inf": math.inf}),
              lambda: [np.concatenate([random.uniform(-26, 5, N), spread(-20, 20)])]),
    "erfinv": (exactly(lambda x: reference.inverse_erfc(1 - x), domain=(-1, 1),
                       at={"1": math.inf, "-1": -math.inf, "0": 0}),
               lambda: [np.concatenate([random.uniform(-1, 1, N), 1 - spread(-15, 0, 50)])]),
    "erfcinv": (exactly(reference.inverse_erfc, domain=(0, 2),
                        at={"0": math.inf, "2": -math.inf, "1": 0}), lambda: [2 * chances()]),
    "normcdf": (exactly(lambda x: reference.erfc(-x / ROOT_2) / 2, at={"inf": 1, "-inf": 0}),
                lambda: [random.uniform(-39, 9, N)]),
    "normcdfinv": (exactly(lambda p: -ROOT_2 * reference.inverse_erfc(2 * p), domain=(0, 1),
                           at={"1": math.inf, "0": -math.inf, "0.5": 0}), lambda: [chances()]),
    "lgamma": (exactly(reference.log_gamma, domain=(0, math.inf),
                       at={"inf": math.inf, "0": math.inf, "1": 0, "2": 0}),
               lambda: [np.concatenate([random.uniform(0, 12, N), spread(-300, 305),
                                        around(1, 2, 3, 8)])]),
    "tgamma": (exactly(reference.gamma, at={"inf": math.inf, "0": math.inf, "-1": math.nan,
                                            "-3": math.nan}),
               lambda: [np.concatenate([random.uniform(-180, 172, N), random.uniform(-5, 5, N),
                                        spread(-300, 0, 50)])]),
    "rcbrt": (lambda x: 1 / np.cbrt(x),
              lambda: [np.concatenate([random.uniform(-9, 9, MANY), spread(-37.9, -37.6), spread(-320, 308)])]),
    "norm3d": (norm, lambda: components(3)),
    "norm4d": (norm, lambda: components(4)),
    "rhypot": (inverse_norm, lambda: components(2)),
    "rnorm3d": (inverse_norm, lambda: components(3)),
    "rnorm4d": (inverse_norm, lambda: components(4)),
}


def bounds():
    """name -> largest error in fp32 and fp64."""
    with open(os.path.join(suite.source, "docs", "accuracy.md"), encoding="utf-8") as page:
        rows = page.read().split("| libdevice |")[1]
    return {name: (float(single), float(double)) for name, single, double
            in re.findall(r"^\| `(\w+)` \| ([0-9.]+) \| ([0-9.]+) \|$", rows, re.M)}


def check_every_function_has_a_bound():
    """A row of a table, a word of text, or equality, which is tested here or (of plain operations) in test_ops."""
    with open(os.path.join(suite.source, "docs", "accuracy.md"), encoding="utf-8") as page:
        named = set(re.findall(r"\b\w+\b", " ".join(re.findall(r"`([^`]*)`", page.read()))))
    with open(os.path.join(suite.source, "src", "ir", "ops.h"), encoding="utf-8") as table:
        approximated = set(re.findall(r"^OP\( (\w+),.*\bAPPROX\b", table.read(), re.M))
    with open(os.path.join(suite.source, "src", "libdevice", "libdevice.h"), encoding="utf-8") as table:
        functions = re.findall(r'^LIBDEVICE\( "(\w+)", +"\w+", +(\w+), +(?:OP_)?(\w+)', table.read(), re.M)
    assert len(functions) > 150
    without = [name for name, maker, op in functions
               if not (name in named or name in EXACT or (maker == "libdevice_op" and (op in named or op not in approximated)))]
    assert not without, f"docs/accuracy.md has no bound of {', '.join(without)}, and no test finds them exact"


def check_approximated():
    promised = bounds()
    assert set(promised) == set(APPROXIMATED), "docs/accuracy.md and this test name other functions"
    for op, (function, arguments) in APPROXIMATED.items():
        for index, (dtype, kind) in enumerate(FLOATS.items()):
            with np.errstate(all="ignore"):
                x = [a.astype(kind) for a in arguments()]
                if len(x) == 1:
                    x = [np.concatenate([x[0], SPECIAL if op != "lgamma" else np.abs(SPECIAL)])]
                    x[0] = np.where(x[0] == 0, 0, x[0]).astype(kind)
                if suite.is_left_out(label_of(op, x)):
                    continue
                want = function(*[v.astype(WIDE) for v in x])
            apply(op, x, dtype, want, units=promised[op][index])


def check_subnormal_norms():
    """These are rounded twice, the second time by less than half a unit."""
    for op, function, scale in (("norm4d", norm, -1070), ("rnorm4d", inverse_norm, 1023)):
        with np.errstate(all="ignore"):
            x = [random.uniform(-1, 1, MANY) * 2.0 ** (scale + random.integers(-3, 1, MANY)) for _ in range(4)]
            want = function(*[v.astype(WIDE) for v in x])
        apply(op, x, "fp64", want, units=0.76)


def check_negative_log_gamma():
    for dtype, kind in FLOATS.items():
        x = -np.concatenate([random.uniform(0, 12, N), spread(-30, 3)]).astype(kind)
        want = exactly(reference.log_gamma)(x).astype(np.float64)
        tolerance = 8 * EPSILON[dtype]
        apply("lgamma", [x], dtype, want, rtol=tolerance, atol=tolerance)
        ends = np.array([-1, -2, -7, -1e9, -1e30, -np.inf, -0.0], kind)
        apply("lgamma", [ends], dtype, np.full(len(ends), np.inf))
        ends = np.array([0.0, -0.0, -1, -2, -171, -1e9, -np.inf, -200.5, -201.5], kind)
        apply("tgamma", [ends], dtype, np.array([np.inf, -np.inf, *[np.nan] * 5, -0.0, 0.0]))


def bessel_j(n, x):
    """The mean of an integrand over a circle, exact to rounding."""
    angle = 2 * np.pi * np.arange(512) / 512
    return np.cos(n[:, None] * angle - x[:, None] * np.sin(angle)).mean(axis=1)


def bessel_y(n, x):
    """The C library's."""
    function = ctypes.CDLL(ctypes.util.find_library("m")).yn
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_int, ctypes.c_double]
    return np.array([function(int(k), float(v)) for k, v in zip(n, x)])


def check_orders():
    for dtype, kind in FLOATS.items():
        n = random.integers(-60, 60, N).astype(np.int32)
        n[:20] = random.integers(-1, 2, 20)
        x = random.uniform(0, 60, N).astype(kind)
        x[30:50] = spread(-15, 0, 20)
        one = EPSILON[dtype]
        with np.errstate(all="ignore"):
            want = bessel_y(n, x).astype(kind).astype(np.float64)
        apply("yn", [n, x], dtype, want, rtol=64 * one, atol=16 * one)
        x = np.concatenate([-x[:30], x[30:]])
        apply("jn", [n, x], dtype, bessel_j(n, x.astype(np.float64)), rtol=16 * one, atol=16 * one)
        ends = np.array([0, np.inf, np.nan, 0, -0.0], kind)
        orders = np.array([3, 4, 5, 0, 1], np.int32)
        apply("jn", [orders, ends], dtype, np.array([0, 0, np.nan, 1, 0]))
        apply("yn", [orders, ends], dtype, np.array([-np.inf, 0, np.nan, -np.inf, -np.inf]))


for part in (check_integers, check_exact, check_conversions, check_sides, check_conversions_to_side, check_approximated,
             check_subnormal_norms, check_negative_log_gamma, check_orders, check_every_function_has_a_bound):
    part()
suite.finish()
