"""triton._utils: small questions about dtypes and shapes that programs ask there."""

from .language import _names
from .language.core import TRITON_MAX_TENSOR_NUMEL
from .language.types import dtype_of

BITWIDTH_DICT = {row[0]: row[2] for row in _names.DTYPES}
# "fp16" of "float16", "i32" of "int32"
type_canonicalisation_dict = {
    **{row[1]: dtype_of(row[1]).mangle() for row in _names.DTYPES},
    **{row[0]: dtype_of(row[0]).mangle() for row in _names.DTYPES},
    "bool": "u1", "int1": "u1", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5",
    "float8_e4m3fnuz": "fp8e4b8", "float8_e5m2fnuz": "fp8e5b16"}


def canonicalize_dtype(dtype):
    """The short name of what NumPy, PyTorch or a text calls a dtype."""
    return type_canonicalisation_dict[str(dtype).rpartition(".")[2]]


def get_primitive_bitwidth(name):
    return BITWIDTH_DICT[name]


def is_power_of_two(x):
    return x > 0 and x & (x - 1) == 0


def validate_block_shape(shape):
    """Number of elements of a tile; tiles of any extents are there, up to a size."""
    numel = 1
    for extent in shape:
        if not isinstance(extent, int):
            raise TypeError(f"the extents of a tile are known integers, not {extent!r}")
        if extent < 1:
            raise ValueError(f"an extent of a tile must be a power of 2, or another number from 1 on, not {extent}")
        numel *= extent
    if numel > TRITON_MAX_TENSOR_NUMEL:
        raise ValueError(f"a tile has at most {TRITON_MAX_TENSOR_NUMEL} elements, not {numel}")
    return numel
