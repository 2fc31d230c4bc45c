# Kernels stand wherever Python allows a def.
import pytest
import torch

try:
    import triton
    import triton.language as tl
    HAS_TRITON = True
except ImportError:
    import fake_triton as triton
    HAS_TRITON = False

if HAS_TRITON:
    @triton.jit
    def guarded(x_ptr, n, BLOCK: tl.constexpr):
        offs = tl.arange(0, BLOCK)
        tl.store(x_ptr + offs, offs, mask=offs < n)

    if hasattr(tl, "exp2"):
        @triton.jit
        def exponent(x):
            return tl.exp2(x)
    else:

        @triton.jit
        def exponent(x):
            return tl.exp(x)
else:
    def guarded(*args):
        raise RuntimeError("no triton")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_copy(n):
    import triton.language as dialect

    def helper(x):
        return x

    @triton.jit
    def kernel(x_ptr, y_ptr, N: dialect.constexpr):
        i = tl.arange(0, N)
        tl.store(y_ptr + i, tl.load(x_ptr + i))

    kernel[(1,)](helper(n), n, n)


@pytest.mark.parametrize("n", [1])
def test_add(n):
    @triton.jit
    def helper(x, y):
        return x + y

    @triton.jit
    def kernel(x_ptr, y_ptr, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(y_ptr + i, helper(tl.load(x_ptr + i), 1))

    with pytest.raises(ValueError):
        @triton.jit
        def unused(): pass


class Suite:
    class Inner:
        @staticmethod
        @triton.jit
        def method(x_ptr):
            tl.store(x_ptr, 1)

    def run(self):
        async def later():
            @triton.jit
            def kernel(x_ptr):
                tl.store(x_ptr, 2)


@triton.jit
def outer(x_ptr):
    @triton.jit
    def inner(y):
        return y
    tl.store(x_ptr, inner(1))
