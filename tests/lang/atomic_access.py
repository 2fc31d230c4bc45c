# run: kernel flags:i32[4] data:i64[3] x:fp32[4]=-0.0 out:i64[8]
# run: tiles p:u32[5] q:fp64[5]=-0.0 out:u32[5]
# run: chain grid=4 flags:i32[4] out:i32[4]
# lower: refused h:*i8 c:*i32 p:*i32
"""R220, R224: tl.atomic_load, tl.atomic_store, tl.atomic_poll."""
import triton
import triton.language as tl


@triton.jit
def kernel(flags, data, x, out):
    tl.atomic_store(flags, 3)
    tl.atomic_store(flags + 1, 4, sem="release", scope="sys")
    tl.atomic_store(flags + 2, 5, mask=False)
    tl.store(out, tl.atomic_load(flags))
    tl.store(out + 1, tl.atomic_load(flags + 1, sem="relaxed", scope="gpu"))
    tl.store(out + 2, tl.atomic_load(flags + 1, mask=False))
    tl.atomic_store(data, 1 << 40)
    tl.store(out + 3, tl.atomic_load(data))
    tl.store(out + 4, 1 / tl.atomic_load(x) < 0)  # -0 stays -0
    tl.store(out + 5, tl.atomic_poll(flags, 3, sem="acquire"))
    tl.store(out + 6, tl.atomic_poll(flags, 3, timeout_ns=0))
    tl.store(out + 7, tl.atomic_poll(flags, 4, timeout_ns=0))


@triton.jit
def tiles(p, q, out):
    at = tl.arange(0, 5)
    tl.atomic_store(p + at, at + 7, mask=at < 4)
    tl.atomic_poll(p + tl.arange(0, 4), tl.arange(0, 4) + 7)
    inside = tl.atomic_load(p + at, mask=at > 0)
    same = tl.atomic_poll(q + at, 0.0, timeout_ns=0)
    tl.store(out + at, inside + same.to(tl.uint32) * 100)


@triton.jit
def chain(flags, out):
    """Each program waits for the one before."""
    i = tl.program_id(0)
    if i > 0:
        tl.atomic_poll(flags + i - 1, 1)
        tl.store(out + i, tl.load(out + i - 1) + i)
    tl.atomic_store(flags + i, 1)


@triton.jit
def refused(h, c: tl.const, p):
    tl.atomic_load(h)
    tl.atomic_store(c, 1)
    tl.atomic_poll(p, 1, timeout_ns=10)
    tl.atomic_load(p, sem="none")
