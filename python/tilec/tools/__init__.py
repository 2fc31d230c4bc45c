"""triton.tools."""

from . import tensor_descriptor
from .linear_layout import LinearLayout
