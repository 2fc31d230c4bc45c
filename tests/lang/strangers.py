# lower: elements_in_parentheses x:*fp32 y:*fp32 n:i32 B=16
# lower: column_in_parentheses x:*fp32 y:*fp32 n:i32 B=16
# lower: inner_elements x:*fp32 y:*fp32 n:i32 B=16
# lower: last_element x:*fp32 y:*fp32 n:i32 B=16
# lower: counted_by_colons x:*fp32 y:*fp32 n:i32 B=16
# lower: rows_by_semicolons x:*fp32 y:*fp32 n:i32 B=16
# lower: transposed_by_a_dot x:*fp32 y:*fp32 n:i32 B=16
# lower: function_without_name x:*fp32 y:*fp32 n:i32 B=16
# lower: imaginary x:*fp32 y:*fp32 n:i32 B=16
# lower: copied x:*fp32 y:*fp32 n:i32 B=16
# lower: stopwatch x:*fp32 y:*fp32 n:i32 B=16
# lower: failure x:*fp32 y:*fp32 n:i32 B=16
# lower: bits x:*fp32 y:*fp32 n:i32 B=16
# lower: cut_off x:*fp32 y:*fp32 n:i32 B=16
# lower: counted_up x:*fp32 y:*fp32 n:i32 B=16
# lower: counted_down x:*fp32 y:*fp32 n:i32 B=16
# lower: pointer_to_vectors x:*fp32 y:*fp32 n:i32 B=16
# lower: begins_below x:*fp32 y:*fp32 n:i32 B=16
# lower: half_a_block x:*fp32 y:*fp32 n:i32 B=16
# lower: half_an_extent x:*fp32 y:*fp32 n:i32 B=16
# lower: filled_with_a_tile x:*fp32 y:*fp32 n:i32 B=16
# lower: offset_of_a_list x:*fp32 y:*fp32 n:i32 B=16
# lower: offset_of_two x:*fp32 y:*fp32 n:i32 B=16
# lower: added_to_the_array x:*fp32 y:*fp32 n:i32 B=16
# lower: border x:*fp32 y:*fp32 n:i32 B=16
# lower: zero_padding x:*fp32 y:*fp32 n:i32 B=16
# lower: root x:*fp32 y:*fp32 n:i32 B=16
# lower: channels x:*fp32 y:*fp32 n:i32 B=16
# lower: bytes x:*fp32 y:*fp32 n:i32 B=16
# lower: moved x:*fp32 y:*fp32 n:i32 B=16
# lower: dense x:*fp32 y:*fp32 n:i32 B=16
# lower: split_by_four x:*fp32 y:*fp32 n:i32 B=16
# lower: log_of_one_more x:*fp32 y:*fp32 n:i32 B=16
# lower: scattered x:*fp32 y:*fp32 n:i32 B=16
# lower: gradient x:*fp32 y:*fp32 n:i32 B=16
# lower: axes_turned x:*fp32 y:*fp32 n:i32 B=16
# lower: looked_up x:*fp32 y:*fp32 n:i32 B=16
# lower: blended x:*fp32 y:*fp32 n:i32 B=16
# lower: turned x:*fp32 y:*fp32 n:i32 B=16
# lower: made_of_numbers x:*fp32 y:*fp32 n:i32 B=16
# lower: of_python x:*fp32 y:*fp32 n:i32 B=16
"""What strangers from CUDA, MATLAB, NumPy and PyTorch write: the message says how a kernel does."""
import triton
import triton.language as tl


@triton.jit
def elements_in_parentheses(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    v = x(1:n)


@triton.jit
def column_in_parentheses(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    v = x(:, 1)


@triton.jit
def inner_elements(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    v = x(2:end-1)


@triton.jit
def last_element(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = v[end]


@triton.jit
def counted_by_colons(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = 1:2:n


@triton.jit
def rows_by_semicolons(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = [v; v]


@triton.jit
def transposed_by_a_dot(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = v.' * v


@triton.jit
def function_without_name(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = @(t) t * 2


@triton.jit
def imaginary(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = 1i * v


@triton.jit
def copied(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = repmat(v, 2, 1)


@triton.jit
def stopwatch(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tic


@triton.jit
def failure(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    error('bad')


@triton.jit
def bits(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = bitand(i, 3)


@triton.jit
def cut_off(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = fix(v)


@triton.jit
def counted_up(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    ++n


@triton.jit
def counted_down(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    --n


@triton.jit
def pointer_to_vectors(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    tl.store((float4*)y + i, v)


@triton.jit
def begins_below(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.arange(-1, 2)


@triton.jit
def half_a_block(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.arange(0, B / 2)


@triton.jit
def half_an_extent(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.zeros((B, B / 2), tl.float32)


@triton.jit
def filled_with_a_tile(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.full((B,), v, tl.float32)


@triton.jit
def offset_of_a_list(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.load(x + [0, 1])


@triton.jit
def offset_of_two(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.load(x + (i, i))


@triton.jit
def added_to_the_array(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    y += v


@triton.jit
def border(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.load(x + i - 1, boundary="reflect")


@triton.jit
def zero_padding(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.load(x + i, padding="zero")


@triton.jit
def root(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = v ** 0.5


@triton.jit
def channels(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = 0.299 * v.r


@triton.jit
def bytes(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = v.uint8()


@triton.jit
def moved(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = v.to("cuda")


@triton.jit
def dense(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = x.is_contiguous()


@triton.jit
def split_by_four(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    a, b = v.split(4)


@triton.jit
def log_of_one_more(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = v.log1p()


@triton.jit
def scattered(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    v.scatter_(0, i, v)


@triton.jit
def gradient(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = v.grad


@triton.jit
def axes_turned(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = v.swapaxes(0, 1)


@triton.jit
def looked_up(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.embedding(x, i)


@triton.jit
def blended(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.mix(v, v, 0.5)


@triton.jit
def turned(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.rot90(v)


@triton.jit
def made_of_numbers(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    w = tl.tensor([1.0, 2.0])


@triton.jit
def of_python(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a, *b = (1, 2, 3)
    print("x {}".format(n))
    v = tl.load(x + i, i < n, other=tl.float32)
    async for k in range(3):
        pass
    if n < 0:
        raise ValueError("n")
