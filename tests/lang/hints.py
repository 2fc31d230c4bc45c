# lower: kernel p:*fp32 n:i32
# lower: refused p:*fp32 n:i32
"""R300, R301, R290 to R296, R137, R303."""
import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_wait, gdc_launch_dependents


@triton.jit
def kernel(p, n):
    gdc_wait()
    tl.assume(n > 0)
    m = tl.multiple_of(n, 8)
    offs = tl.max_contiguous(tl.multiple_of(tl.arange(0, 16) * m, 16), 16)
    tile = tl.max_constancy(offs[:, None], [1, 1])
    tl.static_assert(tile.shape == (16, 1), "one column")
    tl.device_assert(n > 0, "n must be positive")
    assert n > 0, "n"
    assert n > 1
    tl.static_print("n is", n, offs, 3, tl.float16, tile, p)
    tl.debug_barrier()
    tl.store(p + tl.sum(tile), tl.program_id(1) + tl.num_programs(axis=2))
    print("n", n)
    gdc_launch_dependents()


@triton.jit
def refused(p, n):
    SIZE: tl.constexpr = 5
    tl.static_assert(SIZE == 4, f"size is {SIZE}, not {2 + 2}, {'a'!r} {tl.float32}")
    tl.static_assert(n > 0)
    tl.static_assert(SIZE)
    a = tl.multiple_of(tl.arange(0, 4), [4, 4])
    b = tl.multiple_of(n, n)
    c = tl.max_contiguous(n, 2)
    tl.assume(tl.arange(0, 4) > 0)
    d = f"{n}"
    tl.device_print(n)
    tl.multiple_of(n, 0)
