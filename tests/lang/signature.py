# signature: kernel
# signature: odd
# signature: wrong
# signature: kernle
# signature: plain
# lower: listed p:*fp32 N=4
# lower: kernel x:*fp32 y:*i8 n:i64 m:i32 scale:fp32 flag:i1 N=4 M=8 D=fp16 S='a' T=1 U=2
"""R18, R19, R27 to R29: what a signature says."""
import os
import triton
import triton.language as tl

SIZE: tl.constexpr = 16


@triton.jit(do_not_specialize=["n", 3], do_not_specialize_on_alignment=[0, "n"])
def kernel(x, y: "*i8", n: tl.int64, m, scale: "fp32", flag=None, N: tl.constexpr = SIZE * 2,
           M: "tl.constexpr" = 8, D: tl.constexpr = tl.float16, S: tl.constexpr = "a", T=(1, 2),
           U: tl.constexpr = int(os.cpu_count())):
    tl.store(x, n + m)


@triton.jit
def odd(p: tl.const, q: "const *fp32", i: int, f: float, unknown: torch.Tensor, b: "nonsense"):
    pass


@triton.jit(do_not_specialize=["N"])
def wrong(p, N: tl.constexpr, *rest):
    pass


def plain(x):
    pass


@triton.jit(do_not_specialize=["N"])
def listed(p, N: tl.constexpr):
    tl.store(p, N)
