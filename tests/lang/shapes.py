# lower: kernel p:*fp32
# run: kernel p:fp32[24]=iota
# run: order p:i32[24]=iota out:i32[24]
# lower: slices p:*fp32 out:*fp32
# run: slices p:fp32[24]=iota out:fp32[16]
# lower: refused_slices p:*fp32 n:i32
# lower: refused p:*fp32 n:i32
"""R150 to R157, beyond Triton: any extent."""
import triton
import triton.language as tl


@triton.jit
def kernel(p):
    x = tl.load(p + tl.arange(0, 12))
    y = x.reshape(3, 4)
    tl.static_assert(y.shape == (3, 4))
    tl.static_assert(tl.reshape(x, (2, 2, 3)).shape == (2, 2, 3))
    tl.static_assert(tl.view(x, [6, 2]).shape == (6, 2))
    tl.static_assert(y.trans().shape == (4, 3))
    tl.static_assert(y.T.shape == (4, 3))
    tl.static_assert(tl.trans(y, 1, 0).shape == (4, 3))
    tl.static_assert(tl.permute(y, (1, 0)).shape == (4, 3))
    tl.static_assert(y[:, None, :].shape == (3, 1, 4))
    tl.static_assert(y[None].shape == (1, 3, 4))
    tl.static_assert(tl.expand_dims(y, -1).shape == (3, 4, 1))
    tl.static_assert(y.expand_dims((0, 3)).shape == (1, 3, 4, 1))
    tl.static_assert(tl.broadcast_to(y[:, None, :], 3, 5, 4).shape == (3, 5, 4))
    tl.static_assert(x[None, :].broadcast_to((7, 12)).shape == (7, 12))
    tl.static_assert(tl.broadcast_to(1.0, [3]).shape == (3,))
    tl.static_assert(tl.ravel(y).shape == (12,))
    tl.static_assert(tl.zeros_like(y).shape == y.shape)
    tl.static_assert(tl.full((), 3, tl.int32).shape == ())
    tl.static_assert(tl.full([3, 5], 3, tl.float16).dtype == tl.float16)
    a, b = tl.broadcast(x[:, None], x[None, :])
    tl.static_assert(a.shape == b.shape and a.shape == (12, 12))
    s = tl.sum(x)
    tl.static_assert(s[None].shape == (1,) and s[None, :].shape == (1,))
    tl.static_assert(x[:, :, None].shape == (12, 1))
    tl.store(p, x.reshape(1, 12)[:, None].sum(axis=2).item())


@triton.jit
def order(p, out):
    x = tl.load(p + tl.arange(0, 24)).reshape(2, 3, 4)
    y = tl.permute(x, 2, 0, 1)
    tl.store(out + tl.arange(0, 24), tl.ravel(y))


# beyond the reference: slices with constant bounds
@triton.jit
def slices(p, out):
    x = tl.load(p + tl.arange(0, 24)).reshape(4, 6)
    part = x[1:-1, 2:5]
    tl.static_assert(part.shape == (2, 3))
    tl.store(out + tl.arange(0, 6).reshape(2, 3), part)
    tl.store(out + 6 + tl.arange(0, 4), x[:, 5:].reshape(4))
    i = tl.arange(0, 8)[2:]
    tl.store(out + 10 + tl.arange(0, 6), tl.load(p + i[:6]) + tl.sum(x[-2:, :3], 1)[1:])


@triton.jit
def refused_slices(p, n):
    x = tl.arange(0, 12)
    q = x[1:n]
    q = x[3:1]
    q = x[::2]
    q = x[1:2, 3:4]
    q = x[1.5:]
    q = x[:"a"]


@triton.jit
def refused(p, n):
    x = tl.load(p + tl.arange(0, 12))
    a = tl.arange(4, 4)
    b = tl.arange(0, 1 << 40)
    c = tl.zeros((n, 4), tl.float32)
    d = tl.zeros((0,), tl.float32)
    e = tl.zeros((1 << 20, 1 << 20), tl.float32)
    f = x.reshape(5, 2)
    g = tl.trans(x)
    h = tl.permute(x, (1,))
    i = tl.expand_dims(x, 3)
    j = tl.expand_dims(x, (0, 0))
    k = tl.broadcast_to(x, (4, 3))
    m = tl.broadcast_to(x, (5,))
    o = x[0, 0]
    s = tl.full((2,), x, tl.float32)
    t = tl.zeros((2,), "fp32")
    u = tl.program_id(3)
    v = tl.permute(x[:, None], (0, 0))
    w = x.shap
    y = tl.zeros(2.5, tl.float32)
    z = len(x)
