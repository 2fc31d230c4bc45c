"""triton.tools."""

from . import tensor_descriptor
