# lower: told x:*fp32 t:*fp32 o:*fp32 n:i32 B=128
# lower: told_in_place x:*fp32 n:i32 B=128
# lower: quiet x:*fp32 t:*fp32 o:*fp32 n:i32 B=128
# lower: told x:*fp32 t:*fp32 o:*fp32 n:i32 B=32
# Lanes that exchange values through memory, with and without a barrier between.
import triton
import triton.language as tl


@triton.jit
def told(x, t, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    lane = tl.arange(0, B)
    tl.store(t + i, tl.load(x + i))
    tl.store(o + i, tl.load(t + i + 1, mask=i + 1 < n))
    tl.store(o + i, tl.load(t + i - 3, mask=i > 0))
    tl.store(t + lane, tl.load(x + lane), mask=lane < n)
    tl.store(o + lane, tl.load(t + (lane + 1) % n))
    tl.store(o + lane, tl.load(t + lane + 1, mask=lane < B - 1))
    tl.store(o + lane, tl.load(t + (lane ^ 1)))
    tl.store(o + lane, tl.load(t + (B - 1 - lane)))


@triton.jit
def told_in_place(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, tl.load(x + i + 1), mask=i < n)
    tl.debug_barrier()
    for k in range(n):
        v = tl.load(x + k * B + i)
        w = tl.load(x + k * B + 8 + i)
        tl.store(x + k * B + i, v + w)


@triton.jit
def quiet(x, t, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    lane = tl.arange(0, B)
    tl.store(t + i, tl.load(x + i))
    tl.store(o + i, tl.load(t + i))
    tl.store(o + i, tl.load(t + B + i))
    tl.store(o + i, tl.load(t + n + i))
    tl.store(o + i, tl.load(t + i + 1, mask=lane == B - 1))
    tl.store(o + i, tl.load(t + i + 64, mask=lane < 32))
    tl.debug_barrier()
    tl.store(o + i, tl.load(t + i + 1))
    tl.debug_barrier()
    tl.store(x + lane, tl.load(x + lane + 1) / tl.sum(tl.load(x + lane)))
    tl.debug_barrier()
    tl.store(t + 2 * lane, tl.load(x + lane))
    tl.store(o + lane, tl.load(t + 2 * lane + 1))
    tl.store(t + B + B - 1 - lane, tl.load(x + B + lane))
    tl.store(o + lane, tl.load(t + 3 * B - lane))
