# run: squeezed x:i32[6]=iota y:i32[6] z:i32[6]
# run: logic x:i32[4]=0,1,0,5 y:i32[4]=0,0,2,3 both:i32[4] either:i32[4]
# lower: joins p:*fp32 f:fp32
# lower: reshapes p:*fp32 f:fp32
# lower: choices p:*fp32 q:*i32 n:i32
# lower: arithmetic p:*fp32 n:i32 f:fp32
"""What functions of tiles give and refuse: squeeze, logical_and and logical_or, and wrong operands."""
import triton
import triton.language as tl


@triton.jit
def squeezed(x, y, z):
    i = tl.arange(0, 4)
    row = tl.load(x + i)[None, :]
    tl.static_assert(tl.squeeze(row, 0).shape == (4,) and row.squeeze(-2).shape == (4,))
    tl.static_assert(tl.squeeze(row[:, :, None], 2).shape == (1, 4))
    tl.store(y + i, tl.squeeze(row, 0) * 2)
    tl.store(z + i, tl.to_tensor(7) + tl.squeeze(row, dim=0))


@triton.jit
def logic(x, y, both, either):
    i = tl.arange(0, 4)
    a = tl.load(x + i) != 0
    b = tl.load(y + i) != 0
    tl.store(both + i, a.logical_and(b))
    tl.store(either + i, a.logical_or(b))


@triton.jit
def joins(p, f):
    v = tl.load(p + tl.arange(0, 4))
    a = tl.join(v, tl.zeros((8,), tl.float32))
    b = tl.cat(f, f)
    c = tl.cat(v, v[None, :])
    d = tl.split(v)
    e = tl.gather(v, v, 0)
    g = tl.gather(v, tl.arange(0, 4), 1)
    h = tl.histogram(v, 4)
    i = tl.histogram(tl.arange(0, 4), 0)
    j = tl.histogram(tl.arange(0, 4), 4, mask=v)
    k = tl.topk(v, 9)
    m = tl.sort(v, 1)
    n = tl.flip(v, 2)


@triton.jit
def reshapes(p, f):
    v = tl.zeros((2, 4), tl.float32)
    a = tl.squeeze(v, 0)
    b = tl.squeeze(v, 5)
    c = tl.permute(v, (0,))
    d = tl.permute(v, (0, 0))
    e = tl.trans(v, 0, 2)
    g = tl.reshape(v, (3, 3))
    h = tl.broadcast_to(v, (2, 5))
    i = tl.expand_dims(v, 7)
    j = v.to(tl.float99)
    k = v.to(tl.pointer_type(tl.float32))


@triton.jit
def choices(p, q, n):
    i = tl.arange(0, 4)
    a = tl.where(i, i, i)
    b = tl.where(i > 2, p + i, q + i)
    c = tl.where(i > 2, "text", i)
    d = tl.where(i > 2, i, p)
    e = tl.where(p + i, i, i)
    tl.static_assert(tl.where(i > 2, p + i, p + i).dtype == p.dtype)


@triton.jit
def arithmetic(p, n, f):
    a = tl.clamp(n, 0, 3)
    b = tl.fma(p, f, f)
    c = tl.maximum(p, f)
    d = tl.exp(p)
    e = tl.umulhi(f, f)
    g = tl.div_rn(p, f)
    h = tl.fdiv(n, n)
    i = tl.minimum(f, f, propagate_nan="text")
    j = tl.softmax(f)
    k = tl.abs(p)
    m = triton.next_power_of_2(n)
    tl.static_assert(triton.next_power_of_2(0) == 0 and triton.next_power_of_2(33) == 64)
