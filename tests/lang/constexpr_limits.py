# lower: kernel out:*i32
# lower: refused out:*i32
"""What is put together at compile time has an end: parts shared at all levels, lists in themselves."""
import triton
import triton.language as tl


@triton.constexpr_function
def shared(n):
    a = (1,)
    for i in range(n):
        a = (a, a)
    return a


@triton.constexpr_function
def length_of_text(n):
    return len(str(shared(n)))


@triton.constexpr_function
def is_equal(n):
    return shared(n) == shared(n), shared(n) < shared(n), shared(n) in [shared(n)]


@triton.constexpr_function
def in_itself():
    a = []
    a.append(a)
    b = [a]
    return a == b, a in b, len(str(a)) > 100, len(b)


@triton.constexpr_function
def gives_itself():
    a = []
    a.append(a)
    return a


@triton.constexpr_function
def doubled(n, s):
    for i in range(n):
        s = s + s
    return s


@triton.constexpr_function
def grows():
    a = [1]
    while True:
        a += a


@triton.constexpr_function
def many():
    for i in range(1000):
        a = [i] * 60000
    return a


@triton.jit
def kernel(out):
    tl.static_assert(length_of_text(60) > 1 << 20)
    tl.static_assert(is_equal(3) == (True, False, True))
    tl.static_assert(is_equal(60)[0] == False)
    tl.static_assert(in_itself() == (False, False, True, 1))


@triton.jit
def refused(out):
    tl.store(out, len(shared(60)))
    tl.store(out, len(gives_itself()))
    tl.store(out, doubled(40, "x") + 1)
    tl.store(out, len(doubled(40, (1,))))
    tl.store(out, grows())
    tl.store(out, shared(20) + 1)
    tl.store(out, many())
