"""Kernels that apply one operation, chosen by a constexpr, for test_ops.py."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def unary(x, out, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    if OP == "exp":
        r = tl.exp(v)
    elif OP == "exp2":
        r = tl.exp2(v)
    elif OP == "exp10":
        r = libdevice.exp10(v)
    elif OP == "log":
        r = tl.log(v)
    elif OP == "log2":
        r = tl.log2(v)
    elif OP == "sqrt":
        r = tl.sqrt(v)
    elif OP == "rsqrt":
        r = tl.rsqrt(v)
    elif OP == "sin":
        r = tl.sin(v)
    elif OP == "cos":
        r = tl.cos(v)
    elif OP == "tan":
        r = libdevice.tan(v)
    elif OP == "tanh":
        r = libdevice.tanh(v)
    elif OP == "erf":
        r = tl.erf(v)
    elif OP == "floor":
        r = tl.floor(v)
    elif OP == "ceil":
        r = tl.ceil(v)
    elif OP == "abs":
        r = tl.abs(v)
    elif OP == "sigmoid":
        r = tl.sigmoid(v)
    elif OP == "1/":
        r = 1 / v
    elif OP == "2/":
        r = 2 / v
    elif OP == "2**24/":
        r = 16777216.0 / v
    elif OP == "-2**-24/":
        r = -5.9604644775390625e-08 / v
    elif OP == "/(1+exp)":
        r = v / (1 + tl.exp(-v))
    elif OP == "away":
        r = tl.where(v >= 0, tl.floor(v + 0.5), tl.ceil(v - 0.5))
    elif OP == "neg":
        r = -v
    elif OP == "invert":
        r = ~v
    elif out.dtype.element_ty == tl.float16:
        r = tl.where(at < n, v.to(tl.float16), 0.0)  # what is infinite in fp16 is meant
    else:
        r = v.to(out.dtype.element_ty)  # high bits that are lost are meant
    tl.store(out + at, r, mask=at < n)


@triton.jit
def bessel(x, out, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    if OP == "j0":
        r = libdevice.j0(v)
    elif OP == "j1":
        r = libdevice.j1(v)
    elif OP == "y0":
        r = libdevice.y0(v)
    elif OP == "y1":
        r = libdevice.y1(v)
    elif OP == "i0":
        r = libdevice.cyl_bessel_i0(v)
    else:
        r = libdevice.cyl_bessel_i1(v)
    tl.store(out + at, r, mask=at < n)


@triton.jit
def quotients(x, by, out, n, OP: tl.constexpr, MOST: tl.constexpr, BLOCK: tl.constexpr):
    """All of x by one number, another one in each program; with MOST, of what is at most that, and not below 0."""
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=1)
    if MOST:
        a &= MOST
    b = tl.load(by + tl.program_id(0))
    if OP == "////" or OP == "//%":
        a = a // b
    tl.store(out + tl.program_id(0) * n + at, a % b if OP == "%" or OP == "//%" else a // b, mask=at < n)


@triton.jit
def binary(x, y, out, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=1)
    b = tl.load(y + at, mask=at < n, other=1)
    if OP == "+":
        r = a + b
    elif OP == "-":
        r = a - b
    elif OP == "*":
        r = a * b
    elif OP == "/":
        r = a / b
    elif OP == "/(1+abs)":
        r = a / (1 + tl.abs(b))
    elif OP == "//":
        r = a // b
    elif OP == "%":
        r = a % b
    elif OP == "&":
        r = a & b
    elif OP == "|":
        r = a | b
    elif OP == "^":
        r = a ^ b
    elif OP == "<<":
        r = a << b
    elif OP == ">>":
        r = a >> b
    elif OP == "min":
        r = tl.minimum(a, b)
    elif OP == "max":
        r = tl.maximum(a, b)
    elif OP == "<":
        r = a < b
    elif OP == "<=":
        r = a <= b
    elif OP == "==":
        r = a == b
    elif OP == "!=":
        r = a != b
    elif OP == "where":
        r = tl.where(a > b, a, b)
    tl.store(out + at, r, mask=at < n)


@triton.jit
def reduce_rows(x, out, n_cols, OP: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Reduce axis 1 of a ROWS x COLS tile of a matrix of n_cols <= COLS columns."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, COLS)
    v = tl.load(x + rows[:, None] * n_cols + columns[None, :], mask=columns[None, :] < n_cols,
                other=0)
    if OP == "sum":
        r = tl.sum(v, axis=1)
    elif OP == "max":
        r = tl.max(v, axis=1)
    elif OP == "min":
        r = tl.min(v, axis=1)
    elif OP == "argmax":
        r = tl.argmax(v, axis=1)
    elif OP == "argmin":
        r = tl.argmin(v, axis=1)
    elif OP == "xor_sum":
        r = tl.xor_sum(v, axis=1)
    tl.store(out + rows, r)


@triton.jit
def reduce_all(x, out, ROWS: tl.constexpr, COLS: tl.constexpr, AXIS: tl.constexpr):
    """Sum over an axis, or over all when AXIS is None, of a whole tile."""
    at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    r = tl.sum(tl.load(x + at), axis=AXIS)
    if AXIS is None:
        tl.store(out, r)
    elif AXIS == 0:
        tl.store(out + tl.arange(0, COLS), r)
    else:
        tl.store(out + tl.arange(0, ROWS), r)


@triton.jit
def scan_rows(x, out, REVERSE: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :]
    tl.store(out + at, tl.cumsum(tl.load(x + at), axis=1, reverse=REVERSE))


@triton.jit
def sum_and_most(sum_a, most_a, sum_b, most_b):
    return sum_a + sum_b, tl.maximum(most_a, most_b)


@triton.jit
def scan_columns(x, doubled, both, last, n, REVERSE: tl.constexpr, WHOLE: tl.constexpr,
                 ROWS: tl.constexpr, COLS: tl.constexpr):
    """Down the columns: what is stored as it comes, and where WHOLE what is looked at as a tile, too."""
    c = tl.program_id(0) * COLS + tl.arange(0, COLS)
    at = tl.arange(0, ROWS)[:, None] * n + c[None, :]
    inside = c[None, :] < n
    v = tl.load(x + at, mask=inside, other=0)
    tl.store(doubled + at, tl.cumsum(v, 0, reverse=REVERSE) * 2, mask=inside)
    total, most = tl.associative_scan((v, v), 0, sum_and_most, reverse=REVERSE)
    tl.store(both + at, total - most, mask=inside)
    if WHOLE:
        tl.store(last + c, tl.sum(most, 0), mask=c < n)


@triton.jit
def fields_apart(x, all_out, some_out, n, first, stride, FIELDS: tl.constexpr, BLOCK: tl.constexpr):
    """Fields of records that are so far apart, of all and of two thirds of them."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    some = inside & (i % 3 != 1)
    p = x + first + i * stride
    whole = tl.load(p, mask=inside, other=0)
    part = tl.load(p, mask=some, other=1)
    for f in tl.static_range(1, FIELDS):
        whole += tl.load(p + f, mask=inside, other=0) * (f + 1)
        part += tl.load(p + f, mask=some, other=1) * (f + 1)
    tl.store(all_out + i, whole, mask=inside)
    tl.store(some_out + i, part, mask=inside)
