# lower: constant x:*fp32
# lower: function x:*fp32
# lower: whole_module x:*fp32
# lower: chosen x:*fp32
# lower: nothing x:*fp32
# lower: raises x:*fp32
"""R3 to R6: names whose values other modules of a project have; the message names the import."""
import project
import triton
import triton.language as tl
from project.consts import PLACEHOLDER, shim
from project.settings import has_tiles

_PLACEHOLDER = tl.constexpr(PLACEHOLDER)
_acos = shim.acos
SIZE = tl.constexpr(project.size())
NOTHING = None

if has_tiles():
    import project.tiles as tiles
else:
    tiles = None


@triton.jit
def constant(x):
    tl.store(x, _PLACEHOLDER)


@triton.jit
def function(x):
    tl.store(x, _acos(tl.load(x)))


@triton.jit
def whole_module(x):
    tl.store(x, SIZE)


@triton.jit
def chosen(x):
    tl.store(x, tiles.cumsum(tl.load(x), axis=0))


@triton.jit
def nothing(x):
    tl.store(x, NOTHING.cumsum(tl.load(x), axis=0))


@triton.jit
def raises(x):
    if x.dtype.element_ty == tl.int32:
        tl.store(x, 1)
    else:
        raise ValueError("only integers")
