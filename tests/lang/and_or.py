# run: kernel grid=1 out:i32[4] n:i32=6 p:i32[1]=9 HAS=True
# run: kernel grid=1 out:i32[4] n:i32=0 p:i32[1]=0 HAS=True
# run: kernel grid=1 out:i32[4] n:i32=6 p=None HAS=False
# lower: two p:*i32 n:i32 x:fp32
"""R110: what is known at compile time is dropped, and one operand that is left stays as it is."""
import triton
import triton.language as tl


@triton.jit
def kernel(out, n, p, HAS: tl.constexpr):
    if HAS and n:
        tl.store(out, 1)
    tl.store(out + 1, False or n)
    x = p is not None and tl.load(p)
    tl.store(out + 2, x)
    tl.store(out + 3, (n and False) or (not HAS and (n > 3 and True)))


@triton.jit
def two(p, n, x):
    a = n > 3 and n
    b = x and n > 3
    c = n > 3 and True and n > 2
    tl.store(p, c)
