# run: kernel out:i32[8] FLAG=True MODE='fast' N=None T=fp16
# run: kernel out:i32[8] FLAG=False MODE='slow' N=3 T=fp32
# lower: refused out:*i32 MODE='fast'
"""R100, R102, R103, R110, R120: what is known at compile time is decided there."""
import triton
import triton.language as tl


@triton.jit
def kernel(out, FLAG: tl.constexpr, MODE: tl.constexpr, N: tl.constexpr, T: tl.constexpr):
    if FLAG:
        tl.store(out, 1)
    elif MODE == "slow":
        tl.store(out, 2)
    else:
        this_is_never_looked_at(lambda: 0)
    if MODE == "fast" and FLAG:
        tl.store(out + 1, 1)
    if N is not None and N > 2:
        tl.store(out + 2, N)
    x = 10 if T == tl.float16 else 20
    tl.store(out + 3, x)
    if not FLAG:
        tl.store(out + 4, 5)
    if T.is_fp16():
        tl.store(out + 5, T.primitive_bitwidth)
    if N is None or tl.load(out) == 0:
        tl.store(out + 6, 7)
    if FLAG:
        return
    tl.store(out + 7, 9)


@triton.jit
def refused(out, MODE: tl.constexpr):
    if MODE:
        tl.store(out, 1)
    if 1 < 2 < 3:
        tl.store(out, 1)
    if tl.arange(0, 4) > 2:
        tl.store(out, 1)
    if 1.5:
        tl.store(out, 2)
