# lower: copy p:*fp32:16 out:*fp32:16 m:i32 n:i32
# run: copy p:fp32[15]=iota out:fp32[15] m:i32=3 n:i32=5
# run: passed p:fp32[12]=iota out:fp32[12] n:i32=3
# run: padded p:fp32[6]=iota out:fp32[8] n:i32=3
# run: parts p:fp32[6]=iota out:fp32[5] n:i32=3
# run: uninlined p:fp32[6]=iota out:fp32[1] n:i32=3
# lower: padded p:*fp32 out:*fp32 n:i32
# lower: nan_of_ints p:*i32
# lower: two_paddings p:*fp32 n:i32
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
        v = shifted(at, 4 * i)
        tl.debug_barrier()
        tl.store_tensor_descriptor(dst, [4 * i], v)


@triton.jit
def padded(p, out, n):
    d = tl.make_tensor_descriptor(p, [2, n], [n, 1], [2, 4], padding_option="nan")
    for i in range(1):
        x = tl.ravel(d.load([0, i + 1]))
        tl.store(out + tl.arange(0, 8), x)


@triton.jit
def last_of(desc):
    return desc.shape[1] * 100 + desc.strides[0].to(tl.int32)


@triton.jit
def parts(p, out, n):
    d = tl.make_tensor_descriptor(p, [2, n], [n + 4, 1], [2, 4])
    tl.static_assert(d.shape[0].dtype == tl.int32 and d.strides[0].dtype == tl.int64)
    tl.store(out, d.shape[0])
    tl.store(out + 1, d.shape[1])
    tl.store(out + 2, d.strides[0])
    tl.store(out + 3, d.strides[1])
    tl.store(out + 4, last_of(d))


@triton.jit
def nan_of_ints(p):
    d = tl.make_tensor_descriptor(p, [4], [1], [4], padding_option="nan")


@triton.jit
def two_paddings(p, n):
    if n > 0:
        d = tl.make_tensor_descriptor(p, [4], [1], [4], padding_option="nan")
    else:
        d = tl.make_tensor_descriptor(p, [4], [1], [4])
    tl.store(p, tl.sum(d.load([0])))


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
    k = tl.make_tensor_descriptor(p, [n], [1], [4], padding_option="one")


@triton.jit(noinline=True)
def sum_of(d, row):
    return tl.sum(d.load([row, 0]))


@triton.jit
def uninlined(p, out, n):
    tl.store(out, sum_of(tl.make_tensor_descriptor(p, [2, n], [n, 1], [1, 4]), 1))
