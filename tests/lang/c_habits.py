# lower: c_and x:*fp32
# lower: c_or x:*fp32
# lower: c_not x:*fp32
# lower: c_choice x:*fp32
# lower: c_increment x:*fp32
# lower: c_else_if x:*fp32
# lower: c_block x:*fp32
# lower: print_statement x:*fp32
# lower: range_by_dots x:*fp32
# lower: times_sign x:*fp32
# lower: minus_sign x:*fp32
# lower: dtype_of_c x:*fp32
# lower: module_not_imported x:*fp32
# lower: float_suffix x:*fp32
# lower: long_suffix x:*fp32
# lower: unsigned_suffix x:*fp32
# lower: unit_of_a_number x:*fp32
# lower: factor_without_sign x:*fp32
# lower: loop_with_type x:*fp32
# lower: loop_in_three_parts x:*fp32
# lower: loop_over_elements x:*fp32
# lower: pointer_parameter x:*fp32
# lower: address_of x:*fp32
# lower: member_by_arrow x:*fp32
# lower: member_of_namespace x:*fp32
# lower: equal_thrice x:*fp32
# lower: then_block x:*fp32
# lower: at_most x:*fp32
# lower: curly_quotes x:*fp32
# lower: cuda_atomic x:*fp32
# lower: cuda_print x:*fp32
# lower: cuda_shuffle x:*fp32
# lower: cuda_functions x:*fp32
# lower: cuda_indices x:*fp32
# lower: numba_functions x:*fp32
# lower: opencl_functions x:*fp32
# lower: constants_of_c x:*fp32
# lower: declared_by_call x:*fp32
# lower: pointer_written x:*fp32
# lower: pointer_declared x:*fp32
# lower: declared_by_word x:*fp32
# lower: pointer_read x:*fp32
# lower: assigned_in_a_test x:*fp32
# lower: barrier_of_warps x:*fp32
"""What C, CUDA and typographers write otherwise: the message says how a kernel does."""
import triton
import triton.language as tl


@triton.jit
def c_and(x):
    i = tl.load(x)
    if i > 0 && i < 3:
        tl.store(x, i)


@triton.jit
def c_or(x):
    i = tl.load(x)
    if i > 0 || i < 3:
        tl.store(x, i)


@triton.jit
def c_not(x):
    i = tl.load(x)
    if !i:
        tl.store(x, i)


@triton.jit
def c_choice(x):
    i = tl.load(x)
    tl.store(x, i > 0 ? i : 0)


@triton.jit
def c_increment(x):
    i = 0
    i++
    tl.store(x, i)


@triton.jit
def c_else_if(x):
    i = tl.load(x)
    if i > 3:
        tl.store(x, i)
    else if i > 2:
        tl.store(x, 1)


@triton.jit
def c_block(x):
    i = tl.load(x)
    if i > 3 {
        tl.store(x, i)
    }


@triton.jit
def print_statement(x):
    print "a"


@triton.jit
def range_by_dots(x):
    for i in 0..3:
        tl.store(x, i)


@triton.jit
def times_sign(x):
    tl.store(x, tl.load(x) × 2)


@triton.jit
def minus_sign(x):
    tl.store(x, tl.load(x) − 2)


@triton.jit
def dtype_of_c(x):
    tl.store(x, tl.sum(tl.zeros((4,), tl.float)))


@triton.jit
def module_not_imported(x):
    tl.store(x, math.pi)


@triton.jit
def float_suffix(x):
    tl.store(x, tl.load(x) + 1e-6f)


@triton.jit
def long_suffix(x):
    tl.store(x, 1000L)


@triton.jit
def unsigned_suffix(x):
    tl.store(x, 0xffu)


@triton.jit
def unit_of_a_number(x):
    tl.store(x + 1k, 1.0)


@triton.jit
def factor_without_sign(x):
    tl.store(x, 2y)


@triton.jit
def loop_with_type(x):
    for (int j = 0; j < 4; j++) {
        tl.store(x + j, 1.0);
    }


@triton.jit
def loop_in_three_parts(x):
    for (j = 0; j < 4; ++j):
        tl.store(x + j, 1.0)


@triton.jit
def loop_over_elements(x):
    for (auto v : x) {
        tl.store(x, v)
    }


@triton.jit
def pointer_parameter(float* x):
    tl.store(x, 1.0)


@triton.jit
def address_of(x):
    atomic_add(&x[0], 1.0)


@triton.jit
def member_by_arrow(x):
    tl.store(x, x->y)


@triton.jit
def member_of_namespace(x):
    tl::store(x, 1.0)


@triton.jit
def equal_thrice(x):
    if tl.load(x) === 1:
        tl.store(x, 1.0)


@triton.jit
def then_block(x):
    if tl.load(x) > 1 then
        tl.store(x, 1.0)


@triton.jit
def at_most(x):
    if tl.load(x) ≤ 1:
        tl.store(x, 1.0)


@triton.jit
def curly_quotes(x):
    print(“x”)


@triton.jit
def cuda_atomic(x):
    atomicAdd(x, 1.0)
    atomicSub(x, 1.0)
    atomicCAS(x, 0.0, 1.0)


@triton.jit
def cuda_print(x):
    printf("%f", tl.load(x))


@triton.jit
def cuda_shuffle(x):
    v = tl.load(x + tl.arange(0, 32))
    v += __shfl_down_sync(0xffffffff, v, 16)
    v += tl.shfl_down(v, 16)


@triton.jit
def cuda_functions(x):
    v = __expf(tl.load(x)) + sqrtf(tl.load(x)) + fmaxf(tl.load(x), 0.0)
    __syncthreads()
    tl.store(x, v + __ldg(x))


@triton.jit
def cuda_indices(x):
    i = blockIdx.x * blockDim.x + threadIdx.x


@triton.jit
def numba_functions(x):
    i = cuda.grid(1)
    cuda.atomic.add(x, 0, 1.0)
    for j in prange(4):
        tl.store(x + j, 1.0)


@triton.jit
def opencl_functions(x):
    i = get_global_id(0)
    tl.store(x + i, select(1.0, 2.0, i > 3))


@triton.jit
def constants_of_c(x):
    tl.store(x, M_PI + INT_MAX + FLT_MAX)


@triton.jit
def declared_by_call(x):
    v = Var(3)
    tl.store(x, v)


@triton.jit
def pointer_written(x):
    *x = 3.0


@triton.jit
def pointer_read(x):
    tl.store(x, 1.0)
    v = *x


@triton.jit
def assigned_in_a_test(x):
    if (m = 3) > 2:
        tl.store(x, 1.0)


@triton.jit
def barrier_of_warps(x):
    tl.sync()
    tl.print(x)


@triton.jit
def pointer_declared(x):
    float* p = x
    tl.store(p, 1.0)


@triton.jit
def declared_by_word(x):
    Var v = 3
    tl.store(x, v)
