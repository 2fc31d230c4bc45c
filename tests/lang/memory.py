# run: masks p:i32[8]=iota out:i32[16] n:i32=3
# lower: options p:*fp32 out:*fp32 n:i32
# run: atomics p:i32[8] out:i32[12] f:fp32[2]
# lower: refused p:*fp32 q:*i8 n:i32
"""R200 to R224."""
import triton
import triton.language as tl


@triton.jit
def masks(p, out, n):
    offs = tl.arange(0, 4)
    tl.store(out + offs, tl.load(p + offs, mask=offs < n))
    tl.store(out + 4 + offs, tl.load(p + offs, offs < n, -1))
    tl.store(out + 8 + offs, tl.load(p + offs, mask=None), mask=offs > 1)
    tl.store(out + 12, tl.load(p + 5, mask=n > 5, other=7))
    tl.store(out + 13, tl.load(p + 5, mask=True))
    rows = tl.load(p + tl.arange(0, 2)[:, None], mask=(offs < n)[None, :], other=0)
    tl.static_assert(rows.shape == (2, 4))
    tl.store(out + 14, tl.sum(rows))


@triton.jit
def options(p, out, n):
    x = tl.load(p, cache_modifier=".cg", eviction_policy="evict_last", volatile=True)
    y = tl.load(p + tl.arange(0, 4), cache_modifier=".ca", eviction_policy="evict_first")
    tl.store(out, x, cache_modifier=".cs", eviction_policy="")
    tl.store(out + tl.arange(0, 4), y, mask=tl.arange(0, 4) < n, cache_modifier=".wt")
    tl.debug_barrier()


@triton.jit
def atomics(p, out, f):
    offs = tl.arange(0, 4)
    tl.store(out, tl.atomic_add(p, 5))
    tl.store(out + 1, tl.atomic_max(p, 9, sem="relaxed"))
    tl.store(out + 2, tl.atomic_min(p, 2, scope="cta"))
    tl.store(out + 3, tl.atomic_xchg(p, 6, sem="acquire", scope="sys"))
    tl.store(out + 4, tl.atomic_cas(p, 6, 8))
    tl.store(out + 5, tl.atomic_cas(p, 6, 9, sem="release"))
    tl.store(out + 8 + offs, tl.atomic_add(p + offs // 2, offs, mask=offs > 0))
    tl.atomic_add(f, 1.5)
    tl.atomic_or(p + 4, 3)
    tl.atomic_xor(p + 4, 1)
    tl.atomic_and(p + 4, 6)


@triton.jit
def refused(p, q, n):
    offs = tl.arange(0, 4)
    a = tl.load(n)
    b = tl.load(p, mask=offs < n)
    c = tl.load(p + offs, other=0.0)
    d = tl.load(p + offs, mask=offs)
    e = tl.load(p + offs, cache_modifier=".xx")
    f = tl.load(p + offs, eviction_policy="never")
    g = tl.load(p + offs, boundary_check=(0,))
    tl.store(p, offs)
    tl.store(p + offs, 1.0, mask=n)
    tl.store(p + offs, tl.zeros((2, 4), tl.float32))
    tl.store(p + offs, 1.0, cache_modifier=".ca")
    tl.atomic_add(q, 1)
    tl.atomic_or(p, 1)
    tl.atomic_add(p, 1, sem="seq_cst")
    tl.atomic_cas(q, 1, 2)
    tl.atomic_cas(p, n, 2.0)
    h = tl.load(p, masc=True)
    i = tl.load()
    j = tl.load(p, None, None, (), "", "", "", False, 1)
    k = tl.load(p, pointer=p)
