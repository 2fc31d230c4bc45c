# run: relative x:fp32[4]=iota
# run: names x:fp32[4]=iota
# run: modules x:fp32[4]=iota
# run: reexported x:fp32[4]=iota
# run: numbers x:fp32[4]
# run: tried x:fp32[4]=iota
# run: circle x:fp32[4]=iota
# run: with_tl x:fp32[4]=iota
# run: in_function.kernel x:fp32[4]=iota
# signature: defaults
# lower: plain_number x:*fp32
# run: shims x:fp32[4]=iota
# lower: narrow x:*fp32
# signature: tuned
# run: plain_attribute x:fp32[4]
# lower: from_host x:*fp32
# run: renamed x:fp32[4]=iota
# run: renamed_too x:fp32[4]=iota
# lower: not_a_kernel x:*fp32
# lower: no_such_name x:*fp32
# lower: no_such_module x:*fp32
# lower: unlisted_name x:*fp32
# lower: helper_is_wrong x:*fp32
# lower: itself_only x:*fp32
# lower: not_text x:*fp32
"""R2 to R6: names of other files of a package, found without Python."""
import kit
import kit.binary as binary
import kit.constants
import kit.jits
import kit.loose.more as more
import kit.ops.basic as basic
import triton
import triton.language as tl
from kit import constants, doubled
from kit.compat import exp
from kit.compat import tl as language
from kit.device import CONFIGS, NARROW, WIDE, backend, exp2, libdevice_of_vendor, shim
from kit.constants import FROM_HOST, HALF, PLAIN, QUARTER, WIDTH
from kit.jits import fast, jit as compiled
from kit.missing import helper
from kit.ops import *
from kit.ops.basic import even, no_such, scale as scaled, wrong
from kit.ops.circle import itself

try:
    from kit.missing import relu
except ImportError:
    try:
        from kit.absent import relu
    except ImportError:
        from kit.ops.basic import twice as relu

TWO_WIDTHS = WIDTH * 2
THREE = constants.WIDTH + 1


@triton.jit
def relative(x):
    i = tl.arange(0, 4)
    tl.store(x + i, scaled(tl.load(x + i)))


@triton.jit
def names(x):
    i = tl.arange(0, 4)
    v = twice(tl.load(x + i))
    v = thrice(v) + _hidden(v) + scale(v, by=1)
    tl.store(x + i, v)


@triton.jit
def modules(x):
    i = tl.arange(0, 4)
    v = basic.twice(tl.load(x + i)) + more.plus_one(0)
    v += kit.ops.basic.own_math.halve(v) + kit.loose.more.plus_one(1)
    tl.store(x + i, v)


@triton.jit
def reexported(x):
    i = tl.arange(0, 4)
    tl.store(x + i, doubled(tl.load(x + i)) + kit.WIDTH)


@triton.jit
def numbers(x):
    tl.store(x, WIDTH)
    tl.store(x + 1, HALF + QUARTER)
    tl.store(x + 2, TWO_WIDTHS)
    tl.store(x + 3, THREE + basic.doubled_width(WIDTH))


@triton.jit
def tried(x):
    i = tl.arange(0, 4)
    tl.store(x + i, relu(exp(tl.load(x + i))))


@triton.jit
def circle(x):
    i = tl.arange(0, 4)
    tl.store(x + i, even(tl.load(x + i), 5))


@triton.jit
def with_tl(x):
    i = language.arange(0, 4)
    language.store(x + i, language.exp(language.load(x + i)))


def in_function():
    from kit.ops.basic import twice as two

    @triton.jit
    def kernel(x):
        tl.store(x, two(tl.load(x + 1)))


@triton.jit
def defaults(x, n: tl.constexpr = WIDTH, m: tl.constexpr = PLAIN, k: tl.constexpr = basic.plain(2)):
    tl.store(x, n)


@triton.jit
def shims(x):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.store(x + i, libdevice_of_vendor.pow(v, 2.0) + exp2(v) + shim.floor(v) + WIDE)


@triton.jit
def narrow(x):
    tl.store(x, NARROW)


@triton.autotune(configs=CONFIGS, key=[])
@triton.jit
def tuned(x, N: tl.constexpr, M: tl.constexpr = backend.backend.SIZES[0]):
    tl.store(x, N)


@triton.jit
def plain_number(x):
    tl.store(x, PLAIN)


@triton.jit
def plain_attribute(x):
    tl.store(x, kit.constants.PLAIN)


@triton.jit
def from_host(x):
    tl.store(x, FROM_HOST)


@triton.jit
def no_such_name(x):
    tl.store(x, no_such(1))


@triton.jit
def no_such_module(x):
    tl.store(x, helper(1))


@triton.jit
def unlisted_name(x):
    tl.store(x, unlisted(1))


@triton.jit
def helper_is_wrong(x):
    i = tl.arange(0, 4)
    tl.store(x + i, wrong(tl.load(x + i)))


@triton.jit
def itself_only(x):
    tl.store(x, itself(1))


@triton.jit
def not_text(x):
    tl.store(x, binary.f(1))


# Decorators of another file.
@compiled
def renamed(x):
    i = tl.arange(0, 4)
    v = renamed_helper(tl.load(x))
    tl.debug_barrier()
    tl.store(x + i, v + i)


@kit.jits.fast(noinline=True)
def renamed_helper(v):
    return v + 10


quick = fast


@quick
def renamed_too(x):
    tl.store(x, 5.0)


@basic.twice
def not_a_kernel(x):
    tl.store(x, 5.0)
