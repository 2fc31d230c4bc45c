# lower: memory p:*i64
# lower: others p:*i32 n:i32
# run: floats grid=1 out:fp32[3]
"""R40: an integer that no type holds is refused wherever a run-time value is made of it."""
import triton
import triton.language as tl


@triton.jit
def memory(p):
    at = p + tl.arange(0, 4)
    tl.store(p, 2**64)
    tl.store(at, -(2**63) - 1)
    x = tl.load(at, mask=tl.arange(0, 4) < 2, other=2**64)
    tl.atomic_add(p, 2**64)
    tl.atomic_cas(p, 2**64, 0)
    tl.atomic_cas(p, 0, 2**64)


@triton.jit
def add(a, b):
    return 2**64


@triton.jit
def others(p, n):
    a = tl.full([], 2**64 + 5, tl.int64)
    b = tl.reduce(tl.arange(0, 4), 0, add)
    c = tl.int32(2**64)
    block = tl.make_block_ptr(p, (2**64,), (1,), (0,), (4,), (0,))
    good = tl.make_block_ptr(p, (n,), (1,), (0,), (4,), (0,))
    tl.store(good, 2**64)


# what a float can hold is no integer for long
@triton.jit
def floats(out):
    tl.store(out, 2**64)
    tl.store(out + 1, tl.full([], 2**65, tl.float32))
    tl.store(out + 2, tl.float32(2**66))
