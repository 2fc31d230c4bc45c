"""Lesson 6: races and atomics (06_races.md).  `racy` is wrong, and so no call of it is tested."""

import triton
import triton.language as tl


@triton.jit
def racy(x, out, n, BLOCK: tl.constexpr):
    """The sum of x, if only one program at a time would run."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0)
    tl.store(out, tl.load(out) + part)


# tilec: call sum --grid cdiv(n,BLOCK) --device cpu,interp --compare out=x.sum()
#     n=1000 x=arange(fp32,n)%10 out=zeros(fp32,1) BLOCK=256
@triton.jit
def by_atomics(x, out, n, BLOCK: tl.constexpr):
    """The sum of x, which programs add up in memory, one after the other."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0)
    tl.atomic_add(out, part)


# tilec: call sum --grid cdiv(n,BLOCK) --compare out=x[:256].sum()
#     n=1024 x=arange(fp32,n)%8 BLOCK=256 out=empty(fp32,cdiv(n,BLOCK))
@triton.jit
def by_parts(x, out, n, BLOCK: tl.constexpr):
    """A sum for each program, at a place of its own; a second launch, or the host, adds these."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0)
    tl.store(out + tl.program_id(0), part)


# tilec: call bytes --grid cdiv(n,BLOCK) --compare counts=n//16
#     n=4096 x=arange(i32,n)%16 counts=zeros(i32,16) BLOCK=256
@triton.jit
def histogram(x, counts, n, BLOCK: tl.constexpr):
    """counts[v] = how many elements of x are v."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(counts + v, 1, mask=i < n)
