# run: rows p:fp32[24]=iota out:fp32[24] i:i32[8]=3,0,5,-1,2,9,1,4
# run: columns p:fp32[24]=iota out:fp32[16] n:i32=7
# run: added out:i32[12] n:i32=3
# lower: refused p:*fp32 q:*i8 i:*i32
# R243, R244: rows of a descriptor by their numbers, atomics on its tiles.
import triton
import triton.language as tl

@triton.jit
def rows(p, out, i):
    src = tl.make_tensor_descriptor(p, [6, 4], [4, 1], [1, 4])
    dst = tl.make_tensor_descriptor(out, [6, 4], [4, 1], [1, 4])
    at = tl.load(i + tl.arange(0, 8))
    x = src.gather(at, 1)
    tl.static_assert(x.shape == [8, 4])
    dst.scatter(x + 100, tl.flip(at), 0)

@triton.jit
def columns(p, out, n):
    d = tl.make_tensor_descriptor(p, [n - 4, 8], [8, 1], [1, 8], padding_option="nan")
    x = d.gather(tl.arange(1, 3), tl.load(p + 4).to(tl.int32))
    tl.store(out + tl.arange(0, 2)[:, None] * 8 + tl.arange(0, 8)[None, :], x)

@triton.jit
def added(out, n):
    d = tl.make_tensor_descriptor(out, [n, 4], [4, 1], [2, 4])
    tile = tl.arange(0, 8).reshape(2, 4)
    for k in range(2):
        d.atomic_add([0, 1], tile)
        d.atomic_max([2, 0], tile + k)
        d.atomic_or([1, -1], tile * 0 + 64)

@triton.jit
def refused(p, q, i):
    d = tl.make_tensor_descriptor(p, [6, 4], [4, 1], [2, 4])
    d.gather(tl.arange(0, 8), 0)
    e = tl.make_tensor_descriptor(p, [6, 4], [4, 1], [1, 4])
    e.gather(tl.load(p + tl.arange(0, 8)), 0)
    e.scatter(tl.zeros((4, 4), tl.float32), tl.arange(0, 8), 0)
    d.atomic_and([0, 0], tl.zeros((2, 4), tl.float32))
    d.atomic_add([0, 0], tl.zeros((4, 2), tl.float32))
    tl.make_tensor_descriptor(q, [6, 4], [4, 1], [1, 8])
    tl.make_tensor_descriptor(p, [6, 4], [4, 1], [8, 2])
    d.pop([0, 0])
