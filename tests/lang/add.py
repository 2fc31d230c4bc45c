# lower: add x:*fp32:16 y:*fp32:16 out:*fp32:16 n:i32:16 BLOCK=128
# run: add x:fp32[10]=iota y:fp32[10]=1,2 out:fp32[12] n:i32=10 BLOCK=4 grid=3
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(x + offs, mask=mask)
    b = tl.load(y + offs, mask=mask, other=0.0)
    tl.store(out + offs, a + b, mask=mask)
