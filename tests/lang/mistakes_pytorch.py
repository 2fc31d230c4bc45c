# lower: astype x:*fp32 o:*fp32 n:i32 B=16
# lower: cuda_method x:*fp32 o:*fp32 n:i32 B=16
# lower: mean_method x:*fp32 o:*fp32 n:i32 B=16
# lower: mean_function x:*fp32 o:*fp32 n:i32 B=16
# lower: enumerate_in_a_loop x:*fp32 o:*fp32 n:i32 B=16
# lower: element_of_a_tile x:*fp32 o:*fp32 n:i32 B=16
# lower: pointer_indexed x:*fp32 o:*fp32 n:i32 B=16
# lower: pointer_element_assigned x:*fp32 o:*fp32 n:i32 B=16
# lower: offsets_as_mask x:*fp32 o:*fp32 n:i32 B=16
# lower: syncthreads x:*fp32 o:*fp32 n:i32 B=16
# lower: thread_index x:*fp32 o:*fp32 n:i32 B=16
# lower: shared_memory x:*fp32 o:*fp32 n:i32 B=16
# lower: square_root_by_power x:*fp32 o:*fp32 n:i32 B=16
# lower: relu_function x:*fp32 o:*fp32 n:i32 B=16
# lower: clip_function x:*fp32 o:*fp32 n:i32 B=16
# lower: where_of_two x:*fp32 o:*fp32 n:i32 B=16
# lower: branch_on_a_tile x:*fp32 o:*fp32 n:i32 B=16
# lower: concat_of_a_list x:*fp32 o:*fp32 n:i32 B=16
# lower: stack_of_tiles x:*fp32 o:*fp32 n:i32 B=16
# lower: empty_tile x:*fp32 o:*fp32 n:i32 B=16
# lower: zeros_without_dtype x:*fp32 o:*fp32 n:i32 B=16
# lower: ones_tile x:*fp32 o:*fp32 n:i32 B=16
# lower: transposed_row x:*fp32 o:*fp32 n:i32 B=16
# lower: print_of_an_f_string x:*fp32 o:*fp32 n:i32 B=16
# lower: float_method x:*fp32 o:*fp32 n:i32 B=16
# lower: inferred_extent x:*fp32 o:*fp32 n:i32 B=16
# lower: reshape_to_more x:*fp32 o:*fp32 n:i32 B=16
# lower: several_axes x:*fp32 o:*fp32 n:i32 B=16
# lower: argsort_function x:*fp32 o:*fp32 n:i32 B=16
# lower: atomic_in_camel_case x:*fp32 o:*fp32 n:i32 B=16
# lower: conditional_on_a_tile x:*fp32 o:*fp32 n:i32 B=16
# lower: mask_of_an_integer x:*fp32 o:*fp32 n:i32 B=16
# lower: other_without_mask x:*fp32 o:*fp32 n:i32 B=16
# lower: other_of_a_store x:*fp32 o:*fp32 n:i32 B=16
# lower: try_and_finally x:*fp32 o:*fp32 n:i32 B=16
# lower: with_in_a_kernel x:*fp32 o:*fp32 n:i32 B=16
# lower: program_id_not_called x:*fp32 o:*fp32 n:i32 B=16
# lower: sum_that_begins_as_integer x:*fp32 o:*fp32 n:i32 B=16
# lower: global_statement x:*fp32 o:*fp32 n:i32 B=16
# lower: rand_without_offset x:*fp32 o:*fp32 n:i32 B=16
# lower: dot_of_rows x:*fp32 o:*fp32 n:i32 B=16
# lower: functional_relu x:*fp32 o:*fp32 n:i32 B=16
# lower: functional_relu_in_full x:*fp32 o:*fp32 n:i32 B=16
# lower: pi_of_numpy x:*fp32 o:*fp32 n:i32 B=16
# lower: function_of_numpy x:*fp32 o:*fp32 n:i32 B=16
# lower: transposed_by_t x:*fp32 o:*fp32 n:i32 B=16
# lower: return_under_a_tile x:*fp32 o:*fp32 n:i32 B=16
# lower: while_of_a_tile x:*fp32 o:*fp32 n:i32 B=16
# lower: chosen x:*fp32 o:*fp32 n:i32 B=16
# lower: clamp_of_one_side x:*fp32 o:*fp32 n:i32 B=16
# lower: axis_of_numpy x:*fp32 o:*fp32 n:i32 B=16
# lower: greatest_where x:*fp32 o:*fp32 n:i32 B=16
# lower: softmax_of_torch x:*fp32 o:*fp32 n:i32 B=16
# lower: more_of_torch x:*fp32 N=8
# what people write who come from PyTorch, NumPy and CUDA
import triton
import triton.language as tl


@triton.jit
def astype(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i).astype(tl.float16)
    tl.store(o + i, v)


@triton.jit
def cuda_method(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i).cuda()
    tl.store(o + i, v)


@triton.jit
def mean_method(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(o + i, v.mean())


@triton.jit
def mean_function(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.mean(tl.load(x + i), axis=0)
    tl.store(o, v)


@triton.jit
def enumerate_in_a_loop(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    for j, v in enumerate(range(4)):
        tl.store(o + j, 1.0)


@triton.jit
def element_of_a_tile(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    v[v < 0] = 0.0
    tl.store(o + i, v)


@triton.jit
def pointer_indexed(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o[i], 1.0)


@triton.jit
def pointer_element_assigned(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    o[i] = tl.load(x + i)


@triton.jit
def offsets_as_mask(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x, i)
    tl.store(o + i, v)


@triton.jit
def syncthreads(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.syncthreads()
    tl.store(o + i, 1.0)


@triton.jit
def thread_index(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    t = threadIdx.x
    tl.store(o + t, 1.0)


@triton.jit
def shared_memory(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    s = tl.shared(64, tl.float32)
    tl.store(o + i, 1.0)


@triton.jit
def square_root_by_power(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    v = v ** 0.5
    tl.store(o + i, v)


@triton.jit
def relu_function(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.relu(tl.load(x + i))
    tl.store(o + i, v)


@triton.jit
def clip_function(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    v = tl.clip(v, 0, 1)
    tl.store(o + i, v)


@triton.jit
def where_of_two(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    v = tl.where(v > 0, v)
    tl.store(o + i, v)


@triton.jit
def branch_on_a_tile(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    if v > 0:
        v = -v
    tl.store(o + i, v)


@triton.jit
def concat_of_a_list(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.concat([tl.load(x + i), tl.load(x + i)])
    tl.store(o + i, v)


@triton.jit
def stack_of_tiles(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.stack(tl.load(x + i), tl.load(x + i))
    tl.store(o + i, 1.0)


@triton.jit
def empty_tile(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.empty((B,), tl.float32)
    tl.store(o + i, v)


@triton.jit
def zeros_without_dtype(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.zeros((B,))
    tl.store(o + i, v)


@triton.jit
def ones_tile(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.ones((B,), tl.float32)
    tl.store(o + i, v)


@triton.jit
def transposed_row(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i).T
    tl.store(o + i, v)


@triton.jit
def print_of_an_f_string(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    print(f'v = {v}')
    tl.store(o + i, v)


@triton.jit
def float_method(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    v = v.float()
    tl.store(o + i, v)


@triton.jit
def inferred_extent(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    v = v.view(8, -1)
    tl.store(o + i, v)


@triton.jit
def reshape_to_more(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.reshape(tl.load(x + i), (8, 9))
    tl.store(o + i, 1.0)


@triton.jit
def several_axes(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    v = tl.sum(v, axis=(0,))
    tl.store(o, v)


@triton.jit
def argsort_function(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.argsort(tl.load(x + i))
    tl.store(o + i, v)


@triton.jit
def atomic_in_camel_case(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.atomicAdd(o, 1.0)


@triton.jit
def conditional_on_a_tile(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store(o + i, v if v > 0 else 0)


@triton.jit
def mask_of_an_integer(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=n)
    tl.store(o + i, v)


@triton.jit
def other_without_mask(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, other=0.0)
    tl.store(o + i, v)


@triton.jit
def other_of_a_store(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i), mask=i < n, other=0)


@triton.jit
def try_and_finally(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    try:
        v = 1
    finally:
        v = 2
    tl.store(o + i, v)


@triton.jit
def with_in_a_kernel(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    with tl.static_range(4) as j:
        pass
    tl.store(o + i, 1.0)


@triton.jit
def program_id_not_called(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    pid = tl.program_id
    tl.store(o + pid * B + i, 1.0)


@triton.jit
def sum_that_begins_as_integer(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    s = 0
    for j in range(n):
        s += tl.load(x + j)
    tl.store(o, s)


@triton.jit
def global_statement(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    global n
    tl.store(o + i, 1.0)


@triton.jit
def rand_without_offset(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.rand(i)
    tl.store(o + i, v)


@triton.jit
def dot_of_rows(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.dot(tl.load(x + i), tl.load(x + i))
    tl.store(o, v)


@triton.jit
def functional_relu(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, F.relu(tl.load(x + i)))


@triton.jit
def functional_relu_in_full(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, torch.nn.functional.relu(tl.load(x + i)))


@triton.jit
def pi_of_numpy(x, o, n, B: tl.constexpr):
    tl.store(o, tl.load(x) * np.pi)


@triton.jit
def function_of_numpy(x, o, n, B: tl.constexpr):
    tl.store(o, np.exp(tl.load(x)))


@triton.jit
def transposed_by_t(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + i[None, :]).t()


@triton.jit
def return_under_a_tile(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    if i >= n:
        return
    tl.store(o + i, tl.load(x + i))


@triton.jit
def while_of_a_tile(x, o, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    while v > 0:
        v = v - 1.0


@triton.jit
def chosen(x, o, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    v = select(v > 0, v, 0.0)


@triton.jit
def clamp_of_one_side(x, o, n, B: tl.constexpr):
    v = tl.clamp(tl.load(x), min=0.0)


@triton.jit
def axis_of_numpy(x, o, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B)[:, np.newaxis])


@triton.jit
def greatest_where(x, o, n, B: tl.constexpr):
    v = tl.argmax(tl.arange(0, B))


@triton.jit
def softmax_of_torch(x, o, n, B: tl.constexpr):
    v = torch.softmax(tl.load(x + tl.arange(0, B)), dim=0)


@triton.jit
def more_of_torch(x, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    lo, hi = tl.minmax(v)
    tl.searchsorted(v, v)
    tl.one_hot(v)
    tl.cummax(v)
    tl.prefetch(x)
    tl.bernoulli(0.5)
    tl.frobnicate(v)
