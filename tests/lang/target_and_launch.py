# run: kernel x:i32[6]
# lower: default x:*i32
"""R303: questions about the launch and the target, and the functions that reductions combine with;
R136: types of tuples."""
import triton
import triton.language as tl
from triton.language import target_info
from triton.language.extra import cuda


@triton.jit
def kernel(x):
    v = tl.arange(1, 6)
    tl.store(x, tl.reduce(v, 0, tl.standard._sum_combine))
    tl.store(x + 1, tl.reduce(v, 0, tl.standard._prod_combine))
    tl.store(x + 2, tl.reduce(v, 0, tl.standard._xor_combine))
    tl.store(x + 3, tl.reduce(v, 0, tl.standard._or_combine))
    tl.store(x + 4, tl.reduce(v, 0, tl.standard._elementwise_max))
    if target_info.is_cuda():
        tl.store(x + 5, -1)
    else:
        tl.store(x + 5, tl.reduce(v, 0, tl.standard._elementwise_min))
    tl.static_assert(not tl.target_info.is_hip())
    tl.static_assert(not tl.target_info.cuda_capability_geq(9, 0))
    tl.static_assert(tl.target_info.current_target() is None)


@triton.jit
def default(x):
    warps: tl.constexpr = tl.extra.cuda.num_warps()
    tl.static_assert(cuda.num_threads() == 32 * warps)
    tl.static_assert(warps == 4)
    tl.static_assert(isinstance(tl.arange(0, 4), tl.tensor))
    tl.static_assert(not isinstance(tl.arange(0, 4), tl.tensor_descriptor))
    d = tl.make_tensor_descriptor(x, [8], [1], [4])
    tl.static_assert(isinstance(d, tl.tensor_descriptor))
    tl.static_assert(not isinstance(d, tl.tensor))
    t = (1, None, tl.float32, (x, None))
    tl.static_assert(t.type == (tl.int32, None, tl.float32, (tl.pointer_type(tl.int32), None)))
    tl.store(x, warps)
