import triton
import triton.language as tl


@triton.jit
def scale_rows(out, x, factors, rows, columns, stride, BLOCK: tl.constexpr):
    """out[r, c] = exp(x[r, c]) * factors[r] / sum(exp(x[r, :])): loops, a reduction, mathematics."""
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * stride + at, mask=at < columns, other=-float("inf"))
        total += tl.sum(tl.exp(v), axis=0)
    f = tl.load(factors + row)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * stride + at, mask=at < columns)
        tl.store(out + row * columns + at, tl.exp(v) * f / total, mask=at < columns)


@triton.jit
def sort_tiles(out, x, B: tl.constexpr):
    """Tiles that do not stay in registers: scratch memory beyond what lies on the stack."""
    at = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + at)
    s = tl.cumsum(v, 0)
    tl.store(out + at, tl.flip(s, 0) + tl.cumsum(tl.flip(v, 0), 0))


@triton.jit
def halves(out, x, n, B: tl.constexpr):
    """16-bit floats, in and out, computed in fp32."""
    at = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + at, mask=at < n)
    tl.store(out + at, (v.to(tl.float32) * 1.5 + 1).to(tl.float16), mask=at < n)


@triton.jit
def guarded(out, x, n, limit, double, B: tl.constexpr):
    """An assertion, a print, and values of several types."""
    at = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + at, mask=at < n, other=0)
    tl.device_assert(v < limit, "too large")
    print("seen", n)
    v += double
    tl.store(out + at, v, mask=at < n)


@triton.jit
def small(out, x, n, BLOCK: tl.constexpr, register: tl.constexpr = 3, bias=2):
    """Names that C has taken, a default, a number of 64 bits."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * register + bias + BLOCK * 1000, mask=at < n)


@triton.jit
def double(out, pair):
    """A name that C has taken, and a tuple that is compiled in."""
    tl.store(out, pair[0])
    tl.store(out + 1, pair[1])
