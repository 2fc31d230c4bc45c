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
"""What C, and typographers, write otherwise: the message says how Python does."""
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
