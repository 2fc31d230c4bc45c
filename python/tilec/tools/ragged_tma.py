"""triton.tools.ragged_tma: descriptors of rows of which a part belongs to each of many sequences.

A kernel reads and writes T[begin : begin + size] through one descriptor, whatever the part: outside of
it loads give zeros and stores do nothing.  The trick is in two more dimensions in front.  The index
`far` of the first one goes 2^64 elements ahead, which is nowhere at all in 64 bits, and `far` rows back;
the second one goes to the row behind the part; the rows' own dimension ends at `far`.  So the row that
is n rows before the part's end is the one with the index far - n, and what is not before the end is
outside of the descriptor.
"""

from .. import jit
from ..language import core as tl
from .tensor_descriptor import TensorDescriptor

_FAR = 1 << 30  # as in _place()
_ENDLESS = 0x7FFF0000


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    """A descriptor for load_ragged() and its kin, of an array of two or three dimensions of which
    `ragged_dim`, not the last, has the parts.
    """
    whole = TensorDescriptor.from_tensor(T, block_shape)
    rank = len(whole.shape)
    ragged_dim += rank if ragged_dim < 0 else 0
    if rank > 3:
        raise AssertionError(f"a ragged descriptor is of an array of 2 or 3 dimensions, not of {rank}")
    if not 0 <= ragged_dim < rank - 1:
        raise AssertionError("any dimension may be ragged but the last")
    if whole.shape[ragged_dim] > _FAR:
        raise AssertionError(f"a ragged dimension has at most {_FAR} rows")
    row = whole.strides[ragged_dim]
    shape = list(whole.shape)
    shape[ragged_dim] = _FAR
    return TensorDescriptor(T, [_ENDLESS, _ENDLESS] + shape,
                            [(1 << 64) // _FAR - row, row] + list(whole.strides),
                            [1, 1] + list(block_shape))


@jit
def to_ragged_indices(slice_off, slice_size, row):
    """The indices of a row of the part: of the two dimensions in front, and of its own."""
    far = 0x40000000
    return far, slice_off + slice_size, far - slice_size + row


@jit
def _place(slice_off, slice_size, coords, ragged_dim: tl.constexpr):
    far, end, row = to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    return [far, end] + coords[:ragged_dim] + [row] + coords[ragged_dim + 1:]


@jit
def load_ragged(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr = 0):
    """A tile of the part that begins at row `slice_off` and has `slice_size` rows; `coords` are
    relative to it.
    """
    tl.static_assert(len(TMA.shape) == len(coords) + 2,
                     "a ragged descriptor comes from create_ragged_descriptor()")
    tile = TMA.load(_place(slice_off, slice_size, coords, ragged_dim))
    return tl.reshape(tile, tile.shape[2:])


@jit
def store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Store a tile into the part."""
    TMA.store(_place(slice_off, slice_size, coords, ragged_dim), tl.reshape(data, [1, 1] + data.shape))


@jit
def atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Add a tile to the part, each element at once."""
    TMA.atomic_add(_place(slice_off, slice_size, coords, ragged_dim),
                   tl.reshape(data, [1, 1] + data.shape))
