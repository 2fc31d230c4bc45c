"""triton.tools.tensor_descriptor: descriptors that the host makes."""

import dataclasses
from typing import Any, List


@dataclasses.dataclass
class TensorDescriptor:
    """An array, as `shape` and `strides` (in elements) describe it, of which a kernel loads and
    stores tiles of `block_shape`; outside there is zero, or NaN with padding="nan".
    """

    base: Any
    shape: List[int]
    strides: List[int]
    block_shape: List[int]
    padding: str = "zero"
    __tilec_descriptor__ = True  # what _core knows it by

    def __post_init__(self):
        rank = len(self.shape)
        if rank == 0 or not len(self.strides) == len(self.block_shape) == rank:
            raise ValueError(f"a descriptor's shape, strides and block_shape have one length, at "
                             f"least 1: {self.shape}, {self.strides}, {self.block_shape}")
        if self.strides[-1] != 1:
            raise ValueError("the last dimension of a descriptor must be contiguous")
        if self.padding not in ("zero", "nan"):
            raise ValueError(f'padding is "zero" or "nan", not {self.padding!r}')

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero"):
        """The descriptor of a whole array, of PyTorch or NumPy."""
        if hasattr(tensor, "stride"):
            strides = list(tensor.stride())
        else:
            strides = [s // tensor.itemsize for s in tensor.strides]
        return TensorDescriptor(tensor, list(tensor.shape), strides, list(block_shape), padding)
