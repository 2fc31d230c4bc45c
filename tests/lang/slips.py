# lower: walrus_statement x:*fp32 n:i32 B=16
# lower: c_comment x:*fp32 n:i32 B=16
# lower: c_long_comment x:*fp32 n:i32 B=16
# lower: c_declaration x:*fp32 n:i32 B=16
# lower: one_bracket_too_many x:*fp32 n:i32 B=16
# lower: tab_between_spaces x:*fp32 n:i32 B=16
# lower: comma_forgotten x:*fp32 n:i32 B=16
# lower: equals_forgotten x:*fp32 n:i32 B=16
# lower: unbound_annotation x:*fp32 n:i32 B=16
# lower: prefix_of_a_name x:*fp32 n:i32 B_SIZE=16
# lower: nothing_near x:*fp32 n:i32 B=16
# lower: torch_not_imported x:*fp32 n:i32 B=16
# lower: numpy_not_imported x:*fp32 n:i32 B=16
# lower: infinity_of_numpy x:*fp32 n:i32 B=16
# lower: print_of_a_debugger x:*fp32 n:i32 B=16
# lower: pointer_length x:*fp32 n:i32 B=16
# lower: extremum_of_one x:*fp32 n:i32 B=16
# lower: axis_of_a_row x:*fp32 n:i32 B=16
# lower: row_to_matrix x:*fp32 n:i32 B=16
# lower: transposed_row x:*fp32 n:i32 B=16
# lower: dot_of_int32 x:*fp32 n:i32 B=16
# lower: dot_accumulator x:*fp32 n:i32 B=16
# lower: keyword_of_torch x:*fp32 n:i32 B=16
# lower: keyword_default x:*fp32 n:i32 B=16
# lower: arange_of_numpy x:*fp32 n:i32 B=16
# lower: block_pointer_mask x:*fp32 n:i32 B=16
# lower: block_pointer_moved x:*fp32 n:i32 B=16
# lower: descriptor_offsets x:*fp32 n:i32 B=16
# lower: descriptor_turned x:*fp32 n:i32 B=16
# lower: bits_of_a_float x:*fp32 n:i32 B=16
# lower: histogram_of_floats x:*fp32 n:i32 B=16
# lower: random_by_floats x:*fp32 n:i32 B=16
# lower: bits_that_do_not_fit x:*fp32 n:i32 B=16
# lower: pointer_stored x:*fp32 n:i32 B=16
# lower: pointer_times x:*fp32 n:i32 B=16
# lower: pointers_added x:*fp32 n:i32 B=16
# lower: text_formatted x:*fp32 n:i32 B=16
# lower: power_of_two x:*fp32 n:i32 B=16
# lower: number_too_large x:*fp32 n:i32 B=16
# lower: two_targets x:*fp32 n:i32 B=16
# lower: value_in_tuple x:*fp32 n:i32 B=16
# lower: attribute_set x:*fp32 n:i32 B=16
# lower: sides_differ x:*fp32 n:i32 B=16
# lower: loop_for_ever x:*fp32 n:i32 B=16
# lower: text_asserted x:*fp32 n:i32 B=16
# lower: store_of_more x:*fp32 n:i32 B=16
# lower: dictionary_filled x:*fp32 n:i32 B=16
# lower: list_filled x:*fp32 n:i32 B=16
# lower: bound_in_try x:*fp32 n:i32 B=16
# lower: index_behind x:*fp32 n:i32 B=16
# lower: axis_of_programs x:*fp32 n:i32 B=16
# lower: returns_differ x:*fp32 n:i32 B=16
# lower: values_by_star x:*fp32
# lower: list_of_elements x:*fp32 n:i32 B=16
# lower: brackets_for_a_call x:*fp32 n:i32 B=16
# lower: function_of_torch_dim x:*fp32 n:i32 B=16
# lower: dtype_of_llvm x:*fp32 n:i32 B=16
# lower: counted_up x:*fp32 n:i32 B=16
# lower: exclusive_or x:*fp32 n:i32 B=16
# lower: range_of_the_ir x:*fp32 n:i32 B=16
# lower: text_of_a_value x:*fp32 n:i32 B=16
# lower: parameter_rebound x:*fp32 n:i32 B=16
# lower: function_of_c x:*fp32 n:i32 B=16
# lower: one_mistake_once x:*fp32 n:i32 B=16
# lower: module_called x:*fp32 n:i32 B=16
"""Slips of the keyboard: what Python refuses, or would not mean so."""
import triton
import triton.language as tl


@triton.jit
def walrus_statement(x, n, B: tl.constexpr):
    i := tl.arange(0, B)
    tl.store(x + i, 1.0)


@triton.jit
def c_comment(x, n, B: tl.constexpr):
    // offsets
    tl.store(x, 1.0)


@triton.jit
def c_long_comment(x, n, B: tl.constexpr):
    /* offsets */
    tl.store(x, 1.0)


@triton.jit
def c_declaration(x, n, B: tl.constexpr):
    int i = 0
    tl.store(x + i, 1.0)


@triton.jit
def one_bracket_too_many(x, n, B: tl.constexpr):
    i = tl.arange(0, B))
    tl.store(x + i, 1.0)


@triton.jit
def tab_between_spaces(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
	v = 1.0
    tl.store(x + i, v)


@triton.jit
def comma_forgotten(x, n, B: tl.constexpr):
    tl.store(x 1.0)


@triton.jit
def equals_forgotten(x, n, B: tl.constexpr):
    tl.store(x, 1.0, mask n > 0)


@triton.jit
def unbound_annotation(x, n, B: constexpr):
    tl.store(x, B)


@triton.jit
def prefix_of_a_name(x, n, B_SIZE: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1.0)


@triton.jit
def nothing_near(x, n, B: tl.constexpr):
    tl.store(x, 1.0, mask=mask)


@triton.jit
def torch_not_imported(x, n, B: tl.constexpr):
    tl.store(x, torch.exp(tl.load(x)))


@triton.jit
def numpy_not_imported(x, n, B: tl.constexpr):
    tl.store(x, np.float32(3))


@triton.jit
def infinity_of_numpy(x, n, B: tl.constexpr):
    tl.store(x, -Inf)


@triton.jit
def print_of_a_debugger(x, n, B: tl.constexpr):
    tl.debug_print("x", n)


@triton.jit
def pointer_length(x, n, B: tl.constexpr):
    tl.store(x, len(x))


@triton.jit
def extremum_of_one(x, n, B: tl.constexpr):
    tl.store(x, max(tl.load(x + tl.arange(0, B))))


@triton.jit
def axis_of_a_row(x, n, B: tl.constexpr):
    tl.store(x, tl.sum(tl.load(x + tl.arange(0, B)), axis=1))


@triton.jit
def row_to_matrix(x, n, B: tl.constexpr):
    tl.store(x, tl.sum(tl.broadcast_to(tl.arange(0, B), (B, 4))))


@triton.jit
def transposed_row(x, n, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), tl.trans(tl.arange(0, B)))


@triton.jit
def dot_of_int32(x, n, B: tl.constexpr):
    a = tl.zeros((16, 16), tl.int32)
    tl.store(x, tl.sum(tl.dot(a, a)))


@triton.jit
def dot_accumulator(x, n, B: tl.constexpr):
    a = tl.zeros((16, 16), tl.float16)
    tl.store(x, tl.sum(tl.dot(a, a, tl.zeros((16, 32), tl.float32))))


@triton.jit
def keyword_of_torch(x, n, B: tl.constexpr):
    tl.store(x, tl.sum(tl.arange(0, B), dim=0))


@triton.jit
def keyword_default(x, n, B: tl.constexpr):
    tl.store(x, tl.load(x, mask=n > 0, default=0.0))


@triton.jit
def arange_of_numpy(x, n, B: tl.constexpr):
    tl.store(x + tl.arange(B), 1.0)


@triton.jit
def block_pointer_mask(x, n, B: tl.constexpr):
    p = tl.make_block_ptr(x, (8, 8), (8, 1), (0, 0), (8, 8), (1, 0))
    tl.store(x, tl.sum(tl.load(p, mask=tl.arange(0, 8) < 4)))


@triton.jit
def block_pointer_moved(x, n, B: tl.constexpr):
    p = tl.make_block_ptr(x, (8, 8), (8, 1), (0, 0), (8, 8), (1, 0))
    tl.store(x, tl.sum(tl.load(p + 8)))


@triton.jit
def descriptor_offsets(x, n, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [8, 8], [8, 1], [8, 8])
    tl.store(x, tl.sum(d.load(0, 0)))


@triton.jit
def descriptor_turned(x, n, B: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [8, 8], [1, 8], [8, 8])
    tl.store(x, tl.sum(d.load([0, 0])))


@triton.jit
def bits_of_a_float(x, n, B: tl.constexpr):
    tl.atomic_and(x, 1)


@triton.jit
def histogram_of_floats(x, n, B: tl.constexpr):
    tl.store(x, tl.sum(tl.histogram(tl.load(x + tl.arange(0, B)), 8)))


@triton.jit
def random_by_floats(x, n, B: tl.constexpr):
    tl.store(x, tl.rand(7, tl.load(x)))


@triton.jit
def bits_that_do_not_fit(x, n, B: tl.constexpr):
    tl.store(x, tl.load(x).to(tl.int16, bitcast=True))


@triton.jit
def pointer_stored(x, n, B: tl.constexpr):
    tl.store(x, x + 1)


@triton.jit
def pointer_times(x, n, B: tl.constexpr):
    tl.store(x, tl.load(x * n))


@triton.jit
def pointers_added(x, n, B: tl.constexpr):
    tl.store(x, tl.load(x + x))


@triton.jit
def text_formatted(x, n, B: tl.constexpr):
    print("n is %d" % n)


@triton.jit
def power_of_two(x, n, B: tl.constexpr):
    tl.store(x, 2 ** tl.load(x))


@triton.jit
def number_too_large(x, n, B: tl.constexpr):
    tl.store(x, 3000000000000 * n)


@triton.jit
def two_targets(x, n, B: tl.constexpr):
    a = b = tl.load(x)
    tl.store(x, a + b)


@triton.jit
def value_in_tuple(x, n, B: tl.constexpr):
    tl.store(x, n in (1, 2))


@triton.jit
def attribute_set(x, n, B: tl.constexpr):
    n.x = 3


@triton.jit
def sides_differ(x, n, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), tl.load(x + tl.arange(0, B)) if n > 1 else 0.0)


@triton.jit
def loop_for_ever(x, n, B: tl.constexpr):
    while True:
        tl.store(x, 1.0)


@triton.jit
def text_asserted(x, n, B: tl.constexpr):
    tl.device_assert("n is small", n < 32)


@triton.jit
def store_of_more(x, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(x + tl.arange(0, B), v[:, None])


@triton.jit
def dictionary_filled(x, n, B: tl.constexpr):
    d = {}
    d['a'] = tl.load(x)
    tl.store(x, d['a'])


@triton.jit
def list_filled(x, n, B: tl.constexpr):
    t = []
    t.append(tl.load(x))
    tl.store(x, t[0])


@triton.jit
def bound_in_try(x, n, B: tl.constexpr):
    try:
        v = tl.load(x)
    except ValueError:
        v = 0.0
    tl.store(x, v)


@triton.jit
def index_behind(x, n, B: tl.constexpr):
    tl.store(x, tl.arange(0, B).shape[1])


@triton.jit
def axis_of_programs(x, n, B: tl.constexpr):
    tl.store(x, tl.program_id(axis=x))


@triton.jit
def one_or_half(n):
    if n > 0:
        return 1
    else:
        return 0.5


@triton.jit
def returns_differ(x, n, B: tl.constexpr):
    tl.store(x, one_or_half(n))


@triton.jit
def values_by_star(*args):
    tl.store(args[0], 1.0)


@triton.jit
def function_of_c(x, n, B: tl.constexpr):
    tl.store(x, tl.extra.libdevice.tanhf(tl.load(x)))


@triton.jit
def one_mistake_once(x, n, B: tl.constexpr):
    tl.store(x + tl.arange(0, n), tl.zeros((n,), tl.float32))


@triton.jit
def module_called(x, n, B: tl.constexpr):
    tl.store(x, tl.random(0, n))


@triton.jit
def parameter_rebound(x, n, B: tl.constexpr):
    x = tl.load(x)
    tl.store(x + n, 1.0)


@triton.jit
def list_of_elements(x, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    w = [e * 2 for e in v]


@triton.jit
def brackets_for_a_call(x, n, B: tl.constexpr):
    v = tl.load[x + tl.arange(0, B)]


@triton.jit
def function_of_torch_dim(x, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    w = v * v.dim()


@triton.jit
def dtype_of_llvm(x, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B)).to(tl.f16)


@triton.jit
def counted_up(x, n, B: tl.constexpr):
    tl.atomic_inc(x)


@triton.jit
def exclusive_or(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.logical_xor(i < n, i > 3)


@triton.jit
def range_of_the_ir(x, n, B: tl.constexpr):
    i = tl.make_range(0, B)


@triton.jit
def text_of_a_value(x, n, B: tl.constexpr):
    print(str(n))
