# lower: names_of_cuda x:*fp32
# lower: cast_of_c x:*fp32
# lower: launch_in_a_kernel x:*fp32
# lower: jump x:*fp32
# lower: two_at_once x:*fp32
# lower: memory_by_star x:*fp32
# lower: parts_of_an_index x:*fp32
# lower: assertion_in_brackets x:*fp32
# lower: program_not_called x:*fp32 out:*fp32 n:i32 B=16
# lower: dtype_of_python x:*fp32 out:*fp32 n:i32 B=16
"""What who knows CUDA writes, and what a kernel writes instead."""
import triton
import triton.language as tl


@triton.jit
def names_of_cuda(x):
    v = tl.load(x + tl.arange(0, 32))
    tl.store(x, v.to(half))
    tl.store(x, __half2float(v))
    tl.store(x, __float2half(v))
    tl.store(x + dim3(1, 2, 3), 1.0)
    wmma.mma_sync(v, v, v, v)
    cg.sync()
    i = tl.program_id(0) * tl.block_dim(0)
    tl.store(x + i.to(tl.longlong), 1.0)
    tl.async_copy(x, x)
    v = struct(1, 2)


@triton.jit
def cast_of_c(x):
    tl.store(x, (float)tl.load(x))


@triton.jit
def launch_in_a_kernel(x):
    helper<<<1, 32>>>(x)


@triton.jit
def jump(x):
    goto done


@triton.jit
def two_at_once(x):
    v = tl.load(x + tl.arange(0, 32))
    tl.store(x, tl.max(v, 0.0))
    tl.store(x, tl.min(v, v * 2))


@triton.jit
def memory_by_star(x):
    tl.store(x, *(x + 1))


@triton.jit
def parts_of_an_index(x):
    tl.store(x + tl.program_id(0).y, 1.0)


@triton.jit
def assertion_in_brackets(x):
    assert(tl.load(x) > 0, "x must be positive")


@triton.jit
def program_not_called(x, out, n, B: tl.constexpr):
    i = tl.program_id * B + tl.arange(0, B)
    tl.store(out + i, 1.0, mask=i < n)


@triton.jit
def dtype_of_python(x, out, n, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), tl.zeros((B,), float))
