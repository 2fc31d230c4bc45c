# lower: kernel p:*fp32 q:*i32 n:i32
# lower: unknown p:*fp32 n:i32
# lower: given p:*fp32 n:i32
# lower: elsewhere p:*fp32 f:fp32
"""R7, R30, R103, R153: the first reason for an error is the one that is told, where it stands."""
import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, c=1):
    return a + b + c


@triton.jit
def iota(N: tl.constexpr):
    return tl.arange(0, N)


@triton.jit
def kernel(p, q, n):
    i = tl.arange(0, 16)
    a = add(n, 1, d=2)
    a = add(n, 1, a=n + n)
    a = tl.load(p + i, mask=i < n & i > 2)
    a = i < n < 3
    a = p[0]
    a = tl.abs(p)
    a = i.T + i[None, :, None].T
    tl.store(p, i)

    def inner(x):
        return x

    a = inner(n) + innr


@triton.jit
def unknown(p, n):
    if n > 0:
        x = undefined1 + 1
    else:
        x = 3
    for i in range(n):
        y = undefined2
        if i > 3:
            z = undefined3
    tl.store(p, undefined1 + undefined2 + undefined3)
    tl.store(p, undefined4)


@triton.jit
def given(p, n):
    tl.store(p + iota(n), 1)


@triton.jit
def elsewhere(p, f):
    a = tl.tanh(f) + tl.math.sum(f)
    b = f.to(tl.fp16) + f.to(float32) + f.to(torch.bfloat16)
    c = load(p) + torch.sum(p)
    d = true
    tl.store(p, abs(f))
