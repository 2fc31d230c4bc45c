# run: make.kernel out:fp32[5] n=2
# signature: make.kernel
# lower: make.parameters out:*fp32
# lower: make.conditional out:*fp32
# run: make.deeper.inner out:fp32[3]
# run: Kernels.method out:fp32[2] n=9
# signature: Kernels.method
# lower: elsewhere out:*fp32
"""R2: what a kernel sees of the functions around it; a class is no such scope."""
import triton
import triton.language as tl

WIDTH = tl.constexpr(100)
HEIGHT = tl.constexpr(200)
GIVEN = tl.constexpr(300)


def make(GIVEN, *REST, other=None):
    WIDTH = tl.constexpr(7)
    plain = 2
    DOUBLE: tl.constexpr = plain * WIDTH
    FIRST, (SECOND, THIRD) = tl.constexpr(1), (tl.constexpr(2), 3)
    if other:
        EITHER = tl.constexpr(1)
    else:
        EITHER = tl.constexpr(2)
    for STEP in range(3):
        pass

    @triton.jit
    def kernel(out, n: tl.constexpr = plain):
        tl.store(out, WIDTH)
        tl.store(out + 1, DOUBLE)
        tl.store(out + 2, HEIGHT)
        tl.store(out + 3, SECOND)
        tl.store(out + 4, n)

    @triton.jit
    def parameters(out):
        tl.store(out, GIVEN)
        tl.store(out, REST)
        tl.store(out, plain)

    @triton.jit
    def conditional(out):
        tl.store(out, EITHER)
        tl.store(out, STEP)

    def deeper():
        DOUBLE = tl.constexpr(1)
        HEIGHT = DOUBLE + WIDTH

        @triton.jit
        def inner(out):
            tl.store(out, WIDTH)
            tl.store(out + 1, DOUBLE)
            tl.store(out + 2, HEIGHT)

    return kernel


class Kernels:
    WIDTH = tl.constexpr(8)
    SIZE = 9

    @staticmethod
    @triton.jit
    def method(out, n: tl.constexpr = SIZE):
        tl.store(out, WIDTH)
        tl.store(out + 1, n)


@triton.jit
def elsewhere(out):
    tl.store(out, DOUBLE)
