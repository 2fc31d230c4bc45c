# lower: comprehension_of_range x:*fp32 N=4
# lower: try_statement x:*fp32 N=4
# lower: lambda_expression x:*fp32 N=4
# lower: dictionary x:*fp32 N=4
# lower: enumerated x:*fp32 N=4
# lower: list_append x:*fp32 N=4
# lower: size_of x:*fp32 N=4
# lower: launch_inside x:*fp32 N=4
# lower: int_for_array x:i32 N=4
# lower: result_of_store x:*fp32 N=4
# lower: text_for_number x:*fp32 N=4
# lower: dot_inner x:*fp32 N=4
# lower: dot_of_rows x:*fp32 N=4
# lower: keywords x:*fp32 N=4
# lower: mean_of_tile x:*fp32 N=4
# lower: float_offset x:*fp32 n:i32 N=4
# lower: for_over_tuple x:*fp32 N=4
# lower: shifted_float x:*fp32 N=4
# lower: match_statement x:*fp32 N=4
# lower: while_true x:*fp32 N=4
# lower: float_for_block x:*fp32 N=4.5
# lower: float_for_block x:*fp32 N='4'
# lower: list_for_array x=(1.0,2.0) n=3
# lower: list_for_array x=None n=3
# lower: with_statement x:*fp32 N=4
# lower: global_statement x:*fp32 N=4
# lower: import_inside x:*fp32 N=4
# lower: deleted x:*fp32 N=4
# lower: python_functions x:*fp32 N=4
# lower: break_and_continue x:*fp32 N=4
# lower: yielded x:*fp32 N=4
# lower: elements_of_tiles x:*fp32 N=4
# lower: cache_by_position x:*fp32 n:i32 N=4
# lower: swapped_full x:*fp32 N=4
# lower: shifted_constant x:*fp32 N=4
# lower: permuted_row x:*fp32 N=4
# lower: range_of_array x:*fp32 N=4
# lower: max_of_math x:*fp32 N=4
# lower: number_as_text x:*fp32 n='4' N=4
# lower: total_of_an_integer x:*fp32 n:i32
# lower: none_in_an_arm x:*fp32 n:i32 N=4
# lower: else_of_a_loop x:*fp32 n:i32
# lower: every_third x:*fp32 N=8
# lower: null_mask x:*fp32
# lower: float_from_launch x:*fp32 T:fp32 N=8
# lower: float_offset_from_launch x:*fp32 T:fp32
# lower: float_bits_from_launch x:*fp32 T:fp32
"""What newcomers write, and what the compiler says: each message names what to write instead."""
import math
import triton
import triton.language as tl


@triton.jit
def comprehension_of_range(x, N: tl.constexpr):
    t = [i for i in range(4)]


@triton.jit
def try_statement(x, N: tl.constexpr):
    try:
        a = 1
    except ValueError:
        a = 2


@triton.jit
def lambda_expression(x, N: tl.constexpr):
    f = lambda a: a + 1
    tl.store(x, f(1.0))


@triton.jit
def dictionary(x, N: tl.constexpr):
    d = {"a": 1}


@triton.jit
def enumerated(x, N: tl.constexpr):
    for i, v in enumerate((1, 2)):
        tl.store(x, v)


@triton.jit
def list_append(x, N: tl.constexpr):
    a = []
    a.append(1)


@triton.jit
def other(x):
    tl.store(x, 1.0)


@triton.jit
def launch_inside(x, N: tl.constexpr):
    other[(1,)](x)


@triton.jit
def int_for_array(x, N: tl.constexpr):
    y = tl.load(x)


@triton.jit
def result_of_store(x, N: tl.constexpr):
    y = tl.store(x, 1.0) + 1


@triton.jit
def text_for_number(x, N: tl.constexpr):
    y = tl.load(x + tl.arange(0, 4), mask=tl.arange(0, 4) < 3, other='0')


@triton.jit
def dot_inner(x, N: tl.constexpr):
    a = tl.zeros((16, 32), tl.float32)
    b = tl.zeros((16, 32), tl.float32)
    c = tl.dot(a, b)


@triton.jit
def dot_of_rows(x, N: tl.constexpr):
    a = tl.zeros((16,), tl.float32)
    c = tl.dot(a, a)


@triton.jit
def keywords(x, N: tl.constexpr):
    c = tl.load(x, msk=True)
    d = tl.sum(tl.arange(0, 4), dim=0)


@triton.jit
def mean_of_tile(x, N: tl.constexpr):
    c = tl.mean(tl.arange(0, 4))


@triton.jit
def float_offset(x, n, N: tl.constexpr):
    c = tl.load(x + n / 2)


@triton.jit
def for_over_tuple(x, N: tl.constexpr):
    for v in (1, 2, 3):
        tl.store(x, v)


@triton.jit
def shifted_float(x, N: tl.constexpr):
    a = tl.load(x) << 2


@triton.jit
def match_statement(x, N: tl.constexpr):
    match N:
        case 1:
            a = 2


@triton.jit
def while_true(x, N: tl.constexpr):
    while True:
        tl.store(x, 1.0)


@triton.jit
def float_for_block(x, N: tl.constexpr):
    i = tl.arange(0, N)


@triton.jit
def with_statement(x, N: tl.constexpr):
    with open("a"):
        pass


@triton.jit
def global_statement(x, N: tl.constexpr):
    global q
    q = 1


@triton.jit
def import_inside(x, N: tl.constexpr):
    import math


@triton.jit
def deleted(x, N: tl.constexpr):
    assert x, "a"
    del x


@triton.jit
def python_functions(x, N: tl.constexpr):
    a = sorted((2, 1))
    b = tl.load(x)
    print(round(b))
    c = abs(b)
    d = zip((1,), (2,))


@triton.jit
def break_and_continue(x, N: tl.constexpr):
    for i in range(4):
        if i == 2:
            break
        tl.store(x, i)
    for i in range(4):
        continue


@triton.jit
def yielded(x, N: tl.constexpr):
    yield 1


@triton.jit
def elements_of_tiles(x, N: tl.constexpr):
    a = x[0]
    b = tl.arange(0, 8)
    c = b[0]
    b[8] = 3
    e = b[1:3]


@triton.jit
def list_for_array(x, n):
    y = tl.load(x + tl.arange(0, 4))


@triton.jit
def cache_by_position(x, n, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i, i < n, 0.0, "cg")


@triton.jit
def swapped_full(x, N: tl.constexpr):
    v = tl.full(0.0, (N,))
    w = tl.full(0.0, (N,), tl.float32)


@triton.jit
def shifted_constant(x, N: tl.constexpr):
    v = 1.0 << 3
    w = 1.0 | 3


@triton.jit
def permuted_row(x, N: tl.constexpr):
    v = tl.permute(tl.load(x + tl.arange(0, N)), (1, 0))


@triton.jit
def range_of_array(x, N: tl.constexpr):
    for i in range(x):
        tl.store(x + i, 1.0)


@triton.jit
def max_of_math(x, N: tl.constexpr):
    tl.store(x, tl.math.max(tl.load(x), 0.0))
    tl.store(x, tl.math.min(tl.load(x), 0.0))


@triton.jit
def number_as_text(x, n, N: tl.constexpr):
    tl.store(x, n)


@triton.jit
def total_of_an_integer(x, n):
    s = 0
    for i in range(n):
        s += tl.load(x + i)
    tl.store(x, s)


@triton.jit
def none_in_an_arm(x, n, N: tl.constexpr):
    i = tl.arange(0, N)
    m = None
    if n > 3:
        m = i < n
    tl.store(x + i, 1.0, mask=m)


@triton.jit
def else_of_a_loop(x, n):
    i = 0
    while i < n:
        i += 1
    else:
        i = 0
    tl.store(x, i)


@triton.jit
def every_third(x, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    w = v[::2]
    w = v[::3]


@triton.jit
def null_mask(x):
    tl.store(x, 1.0, mask=null)


@triton.jit
def float_from_launch(x, T, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), T // 2)


@triton.jit
def float_offset_from_launch(x, T):
    tl.store(x + T, 1.0)


@triton.jit
def float_bits_from_launch(x, T):
    tl.store(x + (T & 7), 1.0)


@triton.jit
def size_of(x, N: tl.constexpr):
    tl.store(x, math.fabs(tl.load(x)))
