# lower: element x:*fp32 y:*fp32 n:i32 B=16
# lower: element_of_tile x:*fp32 y:*fp32 n:i32 B=16
# lower: element_assigned x:*fp32 y:*fp32 n:i32 B=16
# lower: power_of_elements x:*fp32 y:*fp32 n:i32 B=16
# lower: product_of_elements x:*fp32 y:*fp32 n:i32 B=16
# lower: quotient_of_elements x:*fp32 y:*fp32 n:i32 B=16
# lower: transposed x:*fp32 y:*fp32 n:i32 B=16
# lower: transposed_in_a_product x:*fp32 y:*fp32 n:i32 B=16
# lower: unequal x:*fp32 y:*fp32 n:i32 B=16
# lower: comment x:*fp32 y:*fp32 n:i32 B=16
# lower: loop x:*fp32 y:*fp32 n:i32 B=16
# lower: range_by_colons x:*fp32 y:*fp32 n:i32 B=16
# lower: end_of_block x:*fp32 y:*fp32 n:i32 B=16
# lower: otherwise x:*fp32 y:*fp32 n:i32 B=16
# lower: shown x:*fp32 y:*fp32 n:i32 B=16
# lower: printed x:*fp32 y:*fp32 n:i32 B=16
# lower: steps_of_a_half x:*fp32 y:*fp32 n:i32 B=16
# lower: half_of_a_number x:*fp32 y:*fp32 n:i32 B=16
# lower: tile_as_bound x:*fp32 y:*fp32 n:i32 B=16
# lower: rows_and_columns x:*fp32 y:*fp32 n:i32 B=16
# lower: forgotten_parameter x:*fp32 y:*fp32 n:i32 B=16
"""What MATLAB writes otherwise: the message says how a kernel does."""
import triton
import triton.language as tl


@triton.jit
def element(x, y, n, B: tl.constexpr):
    tl.store(y, x(3))


@triton.jit
def element_of_tile(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y, v(3))


@triton.jit
def element_assigned(x, y, n, B: tl.constexpr):
    y(3) = 1.0


@triton.jit
def power_of_elements(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    v = v .^ 2


@triton.jit
def product_of_elements(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    v = v .* v


@triton.jit
def quotient_of_elements(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    v = v ./ v


@triton.jit
def transposed(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    w = v'


@triton.jit
def transposed_in_a_product(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    w = v' * v'


@triton.jit
def unequal(x, y, n, B: tl.constexpr):
    if n ~= 3:
        tl.store(y, 1.0)


@triton.jit
def comment(x, y, n, B: tl.constexpr):
    % offsets
    tl.store(y, 1.0)


@triton.jit
def loop(x, y, n, B: tl.constexpr):
    for j = 1:3
        tl.store(y + j, 1.0)
    end


@triton.jit
def range_by_colons(x, y, n, B: tl.constexpr):
    for j in 1:3:
        tl.store(y + j, 1.0)


@triton.jit
def end_of_block(x, y, n, B: tl.constexpr):
    if n > 3:
        tl.store(y, 1.0)
    end


@triton.jit
def otherwise(x, y, n, B: tl.constexpr):
    if n > 3:
        tl.store(y, 1.0)
    elseif n > 2:
        tl.store(y, 2.0)


@triton.jit
def shown(x, y, n, B: tl.constexpr):
    disp(n)


@triton.jit
def printed(x, y, n, B: tl.constexpr):
    fprintf("%d", n)


@triton.jit
def steps_of_a_half(x, y, n, B: tl.constexpr):
    for j in range(0, 1, 0.5):
        tl.store(y, j)


@triton.jit
def half_of_a_number(x, y, n, B: tl.constexpr):
    for j in range(n / 2):
        tl.store(y + j, 1.0)


@triton.jit
def tile_as_bound(x, y, n, B: tl.constexpr):
    for j in range(tl.arange(0, B)):
        tl.store(y + j, 1.0)


@triton.jit
def rows_and_columns(x, y, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y, mod(n, 3))


@triton.jit
def forgotten_parameter(x, y, n, B: tl.constexpr):
    tl.store(y + H, length)
