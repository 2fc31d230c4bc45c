# lower: kernel x:*fp32
"""What the host looks up when it runs is None until then; what `except` has for it will do."""
import triton
import triton.language as tl

found = None


def look_up():
    global found
    found = __import__("vendor").functions


def functions():
    return found


try:
    look_up()
    shim = functions()
except ImportError:
    shim = triton.language.extra.libdevice
power = shim.pow
nothing: tl.constexpr = None


@triton.jit
def kernel(x):
    tl.static_assert(nothing is None)
    tl.store(x, power(tl.load(x), 3.0) + shim.exp(1.0))
