"""Inline PTX against NumPy: the devices without an assembler translate it, the simulator executes it."""

import numpy as np

from harness import NUMPY_TYPES, Suite, Tensor, decode, encode, generator, nearest

suite = Suite(one_in=2)
random = generator()
COUNT = 300
LETTERS = {8: "r", 16: "h", 32: "r", 64: "l"}


def bits(width):
    """Bit patterns: all sizes of numbers, and the ends."""
    dtype = NUMPY_TYPES[f"u{width}"]
    x = random.integers(0, 2**width, COUNT, dtype=dtype, endpoint=False) \
        if width < 64 else random.integers(0, 2**64 - 1, COUNT, dtype=dtype, endpoint=True)
    x >>= random.integers(0, width, COUNT).astype(dtype)
    x[:4] = 0, 1, 2**width - 1, 2**(width - 1)
    return x


def floats(dtype):
    """Bit patterns as floats, numbers of usual sizes, and all that is special."""
    real = NUMPY_TYPES[dtype]
    info = np.finfo(real)
    x = random.integers(0, 2**info.bits - 1, COUNT, dtype=NUMPY_TYPES[f"u{info.bits}"]).view(real)
    x[::2] = random.standard_normal(len(x[::2])) * 10.0 ** random.integers(-3, 4, len(x[::2]))
    special = [0, -0.0, np.inf, -np.inf, np.nan, 0.5, 1.5, -2.5, 127.5, -128.5, 255.5, 448, 460, 5, 0.25,
               info.max, info.tiny, info.tiny / 4]
    x[:len(special)] = np.array(special, real)
    return x


def case(label, out, args, rows, constraints=None, pack=1, dtypes=None, rtol=0.0, **more):
    """rows: a text and its result for all elements; args: arrays, as they lie in registers."""
    widths = [8 * a.itemsize for a in args]
    letters = [LETTERS[w] for w in widths]
    texts = tuple(text for text, _ in rows)
    own = 8 * np.dtype(NUMPY_TYPES[out]).itemsize
    names = ["a", "b", "c"]
    want = np.stack([np.asarray(w) for _, w in rows])
    suite.case(f"{label} {len(args)} {out}", "programs/inline_asm.py:run_texts", "cdiv(n,BLOCK)",
               {**{name: args[min(i, len(args) - 1)] for i, name in enumerate(names)},
                "out": f"empty({out},{len(rows)}x{COUNT})", "n": COUNT, "COUNT": len(args),
                "TEXTS": texts, "CONSTRAINTS": repr(constraints or ",".join(["=" + LETTERS[own]] + letters)),
                "PACK": pack, "BLOCK": 128}, {"out": (out, want)}, rtol=rtol, **more)


FOURS = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)


def four(x):
    """The code of the value of e2m1 that is nearest to x >= 0, the even one of two."""
    away = np.abs(np.minimum(np.nan_to_num(x), 8).astype(np.float64)[:, None] - FOURS)
    return np.argmin(away + (np.arange(8) % 2) * 1e-12, axis=1)


def scoped(text):
    return "{ .reg .pred p, q; .reg .b16 h, g; .reg .b32 v, w; " + text + " }"


def quiet(function):
    def result(*args):
        with np.errstate(all="ignore"):
            return function(*args)
    return result


# --- floats ---------------------------------------------------------------------------------


def numbers_first(f, x, y):
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, f(x, y)))


def saturated(x):
    return np.where(x > 0, np.minimum(x, 1), 0).astype(x.dtype)


@quiet
def of_floats():
    for t, dtype in (("f32", "fp32"), ("f64", "fp64"), ("f16", "fp16")):
        x, y = floats(dtype), np.roll(floats(dtype), 7)
        rn = "" if t == "f16" else ".rn"
        rows = [(f"add{rn}.{t} $0, $1, $2;", x + y), (f"sub{rn}.{t} $0, $1, $2;", x - y),
                (f"mul{rn}.{t} $0, $1, $2;", x * y),
                (f"min.{t} $0, $1, $2;", numbers_first(np.minimum, x, y)),
                (f"max.{t} $0, $1, $2;", numbers_first(np.maximum, x, y))]
        if t != "f64":
            rows += [(f"add.sat.{t} $0, $1, $2;", saturated(x + y)),
                     (f"min.NaN.{t} $0, $1, $2;", np.minimum(x, y)),
                     (f"max.NaN.{t} $0, $1, $2;", np.maximum(x, y))]
        if t != "f16":
            rows += [(f"div.rn.{t} $0, $1, $2;", x / y), (f"copysign.{t} $0, $1, $2;", np.copysign(y, x))]
        case("floats", dtype, (x, y), rows)
        if t != "f16":
            case("floats", dtype, (x,), [
                (f"neg.{t} $0, $1;", -x), (f"abs.{t} $0, $1;", abs(x)), (f"sqrt.rn.{t} $0, $1;", np.sqrt(x)),
                (f"rcp.rn.{t} $0, $1;", 1 / x), (f"cvt.rni.{t}.{t} $0, $1;", np.rint(x)),
                (f"cvt.rzi.{t}.{t} $0, $1;", np.trunc(x)), (f"cvt.rmi.{t}.{t} $0, $1;", np.floor(x)),
                (f"cvt.rpi.{t}.{t} $0, $1;", np.ceil(x))])


@quiet
def to_a_side():
    """Products of fp32 are exact in fp64."""
    x, y = floats("fp32"), np.roll(floats("fp32"), 7)
    exact = x.astype(np.float64) * y
    near = exact.astype(np.float32)
    below = np.where(near > exact, np.nextafter(near, np.float32(-np.inf)), near)
    above = np.where(near < exact, np.nextafter(near, np.float32(np.inf)), near)
    fma = x.astype(np.float64) * y + 0.5
    ties = np.abs(x.astype(np.float64) * y) < 2.0**-20
    fma = np.where(ties, 0.5, fma)  # where two roundings might count
    x2 = np.where(ties, np.float32(0), x)
    case("sides", "fp32", (x, y), [
        ("mul.rz.f32 $0, $1, $2;", np.where(exact > 0, below, above)), ("mul.rm.f32 $0, $1, $2;", below),
        ("mul.rp.f32 $0, $1, $2;", above), ("mul.rz.sat.f32 $0, $1, $2;", saturated(np.where(exact > 0, below, above)))])
    case("fma", "fp32", (x2, y), [("fma.rn.f32 $0, $1, $2, 0f3F000000;", fma.astype(np.float32))], rtol=2.0**-23)


@quiet
def approximations():
    x = random.uniform(0.01, 3, COUNT).astype(np.float32)
    case("approx", "fp32", (x,), [
        ("ex2.approx.ftz.f32 $0, $1;", np.exp2(x)), ("lg2.approx.f32 $0, $1;", np.log2(x)),
        ("sin.approx.f32 $0, $1;", np.sin(x)), ("cos.approx.f32 $0, $1;", np.cos(x)),
        ("tanh.approx.f32 $0, $1;", np.tanh(x)), ("rsqrt.approx.f32 $0, $1;", 1 / np.sqrt(x)),
        ("rcp.approx.ftz.f32 $0, $1;", 1 / x), ("sqrt.approx.f32 $0, $1;", np.sqrt(x)),
        ("div.full.f32 $0, 1.0, $1;", 1 / x)], rtol=1e-3, atol=1e-5)
    h = x.astype(np.float16)
    case("approx", "fp16", (h,), [("ex2.approx.f16 $0, $1;", np.exp2(h)), ("tanh.approx.f16 $0, $1;", np.tanh(h))],
         rtol=3e-3)


def halves(f, *registers):
    """A function of fp16 or bf16, given as fp32, on both halves of registers."""
    out = 0
    for shift in (0, 16):
        out = out | f(*[(r >> np.uint32(shift) & 0xffff).astype(np.uint16) for r in registers]).astype(np.uint32) << np.uint32(shift)
    return out.astype(np.uint32)


def plain(dtype):
    """Pairs without NaN, of numbers whose results are none either."""
    x = encode(random.uniform(-8, 8, 2 * COUNT), dtype)
    x = x.bits if isinstance(x, Tensor) else x.view(np.uint16)
    return x.astype(np.uint16).view(np.uint32)


@quiet
def pairs():
    for t, dtype in (("f16x2", "fp16"), ("bf16x2", "bf16")):
        def of(f):
            def on_bits(*v):
                values = [decode(Tensor("bf16", x)) if dtype == "bf16" else x.view(np.float16).astype(np.float64) for x in v]
                y = encode(f(*values), dtype)
                return y.bits if dtype == "bf16" else y.view(np.uint16)
            return on_bits
        x, y, z = plain(dtype), plain(dtype), plain(dtype)
        case(t, "u32", (x, y), [
            (f"add.{t} $0, $1, $2;", halves(of(lambda a, b: a + b), x, y)),
            (f"sub.{t} $0, $1, $2;", halves(of(lambda a, b: a - b), x, y)),
            (f"mul.{t} $0, $1, $2;", halves(of(lambda a, b: a * b), x, y)),
            (f"min.{t} $0, $1, $2;", halves(of(np.minimum), x, y)),
            (f"max.{t} $0, $1, $2;", halves(of(np.maximum), x, y))])
        case(t, "u32", (x, y, z), [
            (f"fma.rn.{t} $0, $1, $2, $3;", halves(of(lambda a, b, c: a * b + c), x, y, z)),
            (f"fma.rn.relu.{t} $0, $1, $2, $3;", halves(of(lambda a, b, c: np.maximum(a * b + c, 0)), x, y, z))])
        case(t, "u32", (x,), [(f"neg.{t} $0, $1;", x ^ np.uint32(0x80008000)), (f"abs.{t} $0, $1;", x & np.uint32(0x7fff7fff))])


# --- integers -------------------------------------------------------------------------------


def wrapped(values, dtype):
    """Python's integers in a dtype."""
    width = np.dtype(NUMPY_TYPES[dtype]).itemsize * 8
    return np.array([v % 2**width for v in values], NUMPY_TYPES[f"u{width}"]).view(NUMPY_TYPES[dtype])


@quiet
def integers():
    for sign in "us":
        for width in (16, 32, 64):
            t, dtype = f"{sign}{width}", f"{'i' if sign == 's' else 'u'}{width}"
            x, y, z = (bits(width).view(NUMPY_TYPES[dtype]) for _ in range(3))
            y = np.roll(y, 5)
            a, b, c = x.tolist(), y.tolist(), z.tolist()
            n = np.roll(bits(32), 3) % np.uint32(80)
            case("integers", dtype, (x, y, z), [
                (f"mad.lo.{t} $0, $1, $2, $3;", wrapped([i * j + k for i, j, k in zip(a, b, c)], dtype)),
                (f"sad.{t} $0, $1, $2, $3;", wrapped([abs(i - j) + k for i, j, k in zip(a, b, c)], dtype))])
            case("integers", dtype, (x, y), [
                (f"add.{t} $0, $1, $2;", x + y), (f"sub.{t} $0, $1, $2;", x - y),
                (f"mul.lo.{t} $0, $1, $2;", x * y), (f"min.{t} $0, $1, $2;", np.minimum(x, y)),
                (f"max.{t} $0, $1, $2;", np.maximum(x, y)),
                (f"mul.hi.{t} $0, $1, $2;", wrapped([i * j >> width for i, j in zip(a, b)], dtype))])
            case("shifts", dtype, (x, n), [
                (f"shr.{t} $0, $1, $2;", wrapped([i >> int(j) for i, j in zip(a, n)], dtype)),
                (f"shl.b{width} $0, $1, $2;", wrapped([i << int(j) for i, j in zip(a, n)], dtype))])
            if width < 64:
                wide = dtype[0] + str(2 * width)
                case("wide", wide, (x, y), [(f"mul.wide.{t} $0, $1, $2;", wrapped([i * j for i, j in zip(a, b)], wide))])


def field(x, at, n, width, is_signed):
    """bfe of one number."""
    if n == 0:
        return 0
    sign = x >> min(at + n - 1, width - 1) & 1 if is_signed else 0
    out = 0
    for i in range(width):
        out |= (x >> (at + i) & 1 if i < n and at + i < width else sign) << i
    return out


def lookup(x, y, z, table):
    out = 0
    for k in range(8):
        if table >> k & 1:
            out |= (x if k & 4 else ~x) & (y if k & 2 else ~y) & (z if k & 1 else ~z)
    return out


def permuted(x, y, selector):
    out = 0
    for i in range(4):
        digit = selector >> (4 * i) & 15
        byte = (y << 32 | x) >> (8 * (digit & 7)) & 255
        out |= (byte if digit < 8 else 255 * (byte >> 7)) << (8 * i)
    return out


def bitwise():
    x, y, z = bits(32), np.roll(bits(32), 5), np.roll(bits(32), 9)
    a, b, c = x.tolist(), y.tolist(), z.tolist()
    each = [(f"lop3.b32 $0, $1, $2, $3, {t:#x};", wrapped([lookup(i, j, k, t) for i, j, k in zip(a, b, c)], "u32"))
            for t in (0, 0xea, 0x96, 0xe8, 0x6a, 0xca, 0x42, 255)]
    both = [j << 32 | i for i, j in zip(a, b)]
    case("bits", "u32", (x, y, z), each + [
        ("prmt.b32 $0, $1, $2, $3;", wrapped([permuted(i, j, k) for i, j, k in zip(a, b, c)], "u32")),
        ("prmt.b32.f4e $0, $1, $2, $3;", wrapped([i >> 8 * (k & 3) for i, k in zip(both, c)], "u32")),
        ("prmt.b32.rc8 $0, $1, $2, $3;", wrapped([(i >> 8 * (k & 3) & 255) * 0x1010101 for i, k in zip(a, c)], "u32")),
        ("shf.l.wrap.b32 $0, $1, $2, $3;", wrapped([i << (k & 31) >> 32 for i, k in zip(both, c)], "u32")),
        ("shf.l.clamp.b32 $0, $1, $2, $3;", wrapped([i << min(k, 32) >> 32 for i, k in zip(both, c)], "u32")),
        ("shf.r.wrap.b32 $0, $1, $2, $3;", wrapped([i >> (k & 31) for i, k in zip(both, c)], "u32")),
        ("shf.r.clamp.b32 $0, $1, $2, $3;", wrapped([i >> min(k, 32) for i, k in zip(both, c)], "u32"))])
    at, n = z & np.uint32(63), y & np.uint32(63)
    rows = [(f"bfe.{t}32 $0, $1, $2, $3;", wrapped([field(i, int(j), int(k), 32, t == "s") for i, j, k in zip(a, at, n)], "u32"))
            for t in "us"]
    mask = [(2**int(k) - 1) << int(j) for j, k in zip(at, n)]
    rows.append(("bfi.b32 $0, $1, 0x12345678, $2, $3;",
                 wrapped([(0x12345678 & ~m) | (i << int(j) & m) for i, j, m in zip(a, at, mask)], "u32")))
    case("fields", "u32", (x, at, n), rows)
    case("counts", "u32", (x,), [
        ("popc.b32 $0, $1;", wrapped([i.bit_count() if hasattr(i, "bit_count") else bin(i).count("1") for i in a], "u32")),
        ("clz.b32 $0, $1;", wrapped([32 - i.bit_length() for i in a], "u32")),
        ("bfind.u32 $0, $1;", wrapped([i.bit_length() - 1 for i in a], "u32")),
        ("bfind.shiftamt.u32 $0, $1;", wrapped([32 - i.bit_length() if i else -1 for i in a], "u32")),
        ("brev.b32 $0, $1;", wrapped([int(f"{i:032b}"[::-1], 2) for i in a], "u32")),
        ("not.b32 $0, $1;", ~x), ("cnot.b32 $0, $1;", (x == 0).astype(np.uint32)),
        (scoped("mov.b32 {h, g}, $1; mov.b32 $0, {g, h};"), x << np.uint32(16) | x >> np.uint32(16)),
        ("{ .reg .b8 a, b, c, d; mov.b32 {a, b, c, d}, $1; mov.b32 $0, {d, c, b, a}; }", x.byteswap()),
        (scoped("mov.b32 v, 0x0f0f0f0f; and.b32 $0, $1, v;"), x & np.uint32(0x0f0f0f0f)),
        (scoped("mov.b32 v, 0f40490FDB; xor.b32 $0, $1, v;"), x ^ np.uint32(0x40490fdb))])


# --- conversions, predicates ----------------------------------------------------------------


@quiet
def whole(x, dtype):
    """The nearest integer of the dtype; NaN is 0, or of 64 bits the highest bit."""
    info = np.iinfo(NUMPY_TYPES[dtype])
    wide = x.itemsize == 8 or info.bits == 64
    of_nan = (1 << (info.bits - 1) if info.min == 0 else info.min) if wide else 0
    return wrapped([of_nan if np.isnan(v) else info.max if v >= info.max else info.min if v <= info.min else int(v)
                    for v in x.tolist()], dtype)


ROUND = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


@quiet
def conversions():
    for f, dtype in (("f32", "fp32"), ("f64", "fp64")):
        x = floats(dtype)
        for width in (16, 32, 64):
            for sign in "us":
                out = f"{'i' if sign == 's' else 'u'}{width}"
                case(f"from {f}", out, (x,), [(f"cvt.{r}.{sign}{width}.{f} $0, $1;", whole(ROUND[r](x), out)) for r in ROUND])
    for width in (16, 32, 64):
        for sign in "us":
            dtype = f"{'i' if sign == 's' else 'u'}{width}"
            x = bits(width).view(NUMPY_TYPES[dtype])
            case(f"to f32 from {dtype}", "fp32", (x,), [(f"cvt.rn.f32.{sign}{width} $0, $1;", x.astype(np.float32))])
            case(f"to f64 from {dtype}", "fp64", (x,), [(f"cvt.rn.f64.{sign}{width} $0, $1;", x.astype(np.float64))])
            clipped = [min(max(int(v), -128), 127) for v in x.tolist()]
            case(f"narrow {dtype}", "i32", (x,), [
                (f"cvt.sat.s8.{sign}{width} $0, $1;", np.array(clipped, np.int32)),
                (f"cvt.u8.{sign}{width} $0, $1;", np.array([v % 256 for v in x.tolist()], np.int32))])
    x, y = floats("fp32"), np.roll(floats("fp32"), 7)
    x[np.isnan(x)], y[np.isnan(y)] = 1, 2
    packed = lambda f, t: f(x).view(t).astype(np.uint32) << np.uint32(16) | f(y).view(t)
    half = lambda v: v.astype(np.float16)
    brain = lambda v: encode(v, "bf16").bits
    rows = [("cvt.rn.f16x2.f32 $0, $1, $2;", packed(half, np.uint16)), ("cvt.rn.bf16x2.f32 $0, $1, $2;", packed(brain, np.uint16)),
            ("cvt.rn.relu.f16x2.f32 $0, $1, $2;", packed(lambda v: half(np.maximum(v, np.float32(0)) + 0), np.uint16)),
            ("cvt.rz.bf16x2.f32 $0, $1, $2;", (x.view(np.uint32) & np.uint32(0xffff0000)) | y.view(np.uint32) >> np.uint32(16))]
    case("pairs", "u32", (x, y), rows)
    eights = lambda t: encode(np.clip(x, -1e5, 1e5), t).bits.astype(np.uint16) << np.uint16(8) | encode(np.clip(y, -1e5, 1e5), t).bits
    case("eights", "u16", (x, y), [
        ("cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", eights("fp8e4nv")), ("cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;", eights("fp8e5"))])
    near = np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5, np.inf], np.float32)  # ties, to the even one
    x, y = np.concatenate([floats("fp32")[:-16], near, -near]), np.roll(floats("fp32"), 7)
    fours = lambda v: np.where(np.isnan(v), 7, four(np.abs(v)) | np.signbit(v) << 3).astype(np.uint32)
    to_four = "{ .reg .b8 t; cvt.rn.satfinite%s.e2m1x2.f32 t, $1, $2; mov.b32 $0, {t, t, t, t}; }"
    rectify = lambda codes: np.where(codes & 8, 0, codes)
    case("fours", "u32", (x, y), [
        (to_four % "", (fours(x) << 4 | fours(y)) * 0x01010101),
        (to_four % ".relu", (rectify(fours(x)) << 4 | rectify(fours(y))) * 0x01010101)], since="sm_100")
    codes = bits(32)
    value = lambda code: (FOURS[code & 7] * np.where(code & 8, -1, 1)).astype(np.float16).view(np.uint16).astype(np.uint32)
    case("of fours", "u32", (codes,), [
        ("{ .reg .b8 t, u, v, w; mov.b32 {t, u, v, w}, $1; cvt.rn.f16x2.e2m1x2 $0, u; }",
         value(codes >> 12 & 15) << 16 | value(codes >> 8 & 15))], since="sm_100")


@quiet
def predicates():
    x, y = floats("fp32"), np.roll(floats("fp32"), 7)
    nan = np.isnan(x) | np.isnan(y)
    compare = {"eq": x == y, "ne": (x != y) & ~nan, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y,
               "equ": (x == y) | nan, "neu": x != y, "ltu": (x < y) | nan, "geu": (x >= y) | nan, "num": ~nan, "nan": nan}
    case("setp", "u32", (x, y), [(scoped(f"setp.{c}.f32 p, $1, $2; selp.b32 $0, 7, 1, p;"), np.where(v, 7, 1).astype(np.uint32))
                                 for c, v in compare.items()])
    case("guards", "fp32", (x, y), [
        (scoped("setp.gt.f32 p, $1, 0f3F800000; mov.b32 $0, $1; @p mul.f32 $0, $1, 2.0; @!p mov.b32 $0, $2;"),
         np.where(x > 1, x * np.float32(2), y)),
        (scoped("setp.lt.f32 p, $1, $2; setp.gt.and.f32 q, $1, 0f00000000, !p; selp.f32 $0, $1, $2, q;"),
         np.where(~(x < y) & (x > 0), x, y))])
    i, j = bits(32), np.roll(bits(32), 5)
    case("set", "u32", (i, j), [
        ("set.lo.u32.u32 $0, $1, $2;", np.where(i < j, 2**32 - 1, 0).astype(np.uint32)),
        ("set.lt.u32.s32 $0, $1, $2;", np.where(i.view(np.int32) < j.view(np.int32), 2**32 - 1, 0).astype(np.uint32))])


# --- several elements in a register ---------------------------------------------------------


def several():
    low, high = bits(8), np.roll(bits(8), 5)
    case("bytes", "u16", (low, high), [
        ("prmt.b32 $0, $2, $3, 0x5140; prmt.b32 $1, $2, $3, 0x7362;", high.astype(np.uint16) << np.uint16(8) | low)],
         "=r,=r,r,r", 4)
    x, y = (random.standard_normal(COUNT).astype(np.float16) for _ in range(2))
    case("two", "fp16", (x, y), [("add.f16x2 $0, $1, $2;", x + y)], "=r,r,r", 2)
    f = random.standard_normal(COUNT).astype(np.float32)
    case("two", "fp16", (f,), [("cvt.rn.f16x2.f32 $0, $2, $1;", f.astype(np.float16))], "=r,r,r", 2)
    packed = bits(8)
    suite.case("unpack_fours", "programs/inline_asm.py:unpack_fours", "cdiv(n,BLOCK)",
               {"packed": packed, "low": f"empty(fp16,{COUNT})", "high": f"empty(fp16,{COUNT})", "scale": 0.5,
                "n": COUNT, "BLOCK": 128},
               {"low": ("fp16", (packed & 15) * 0.5), "high": ("fp16", (packed >> 4) * 0.5)})


of_floats()
to_a_side()
approximations()
pairs()
integers()
bitwise()
conversions()
predicates()
several()
suite.finish()
