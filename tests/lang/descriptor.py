# lower: copy p:*fp32:16 out:*fp32:16 m:i32 n:i32
# run: copy p:fp32[15]=iota out:fp32[15] m:i32=3 n:i32=5
# run: passed p:fp32[12]=iota out:fp32[12] n:i32=3
# lower: refused p:*fp32 i:*i32 n:i32
"""Tensor descriptors: zeros outside of the array, nothing stored there."""
import triton
import triton.language as tl


@triton.jit
def copy(p, out, m, n):
    src = tl.make_tensor_descriptor(p, shape=[m, n], strides=[n, 1], block_shape=[2, 4])
    dst = tl.make_tensor_descriptor(out, [m, n], [n, 1], [2, 4])
    tl.static_assert(src.block_shape == (2, 4) and src.dtype == tl.float32)
    for i in range(0, m, 2):
        for j in range(0, n, 4):
            dst.store([i, j], src.load([i, j]) + 100)


@triton.jit
def shifted(desc, at):
    return tl.load_tensor_descriptor(desc, [at + 2])


@triton.jit
def passed(p, out, n):
    src = tl.make_tensor_descriptor(p, [12], [1], [4])
    dst = tl.make_tensor_descriptor(out, [12], [1], [4])
    for i in range(n):
        if i > 0:
            at = src
        else:
            at = dst
        tl.store_tensor_descriptor(dst, [4 * i], shifted(at, 4 * i))


@triton.jit
def refused(p, i, n):
    a = tl.make_tensor_descriptor(p, [n], [n], [4])
    b = tl.make_tensor_descriptor(p, [n, n], [n, 1], [4, 4])
    c = tl.load(b)
    d = b.load([0])
    b.store([0, 0], tl.zeros((4, 2), tl.float32))
    e = tl.advance(b, (1, 1))
    f = tl.load_tensor_descriptor(p, [0])
    g = b.strides_
    h = b + 1
    k = tl.make_tensor_descriptor(p, [n], [1], [4], padding_option="nan")
