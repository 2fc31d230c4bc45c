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
