"""triton.language.extra.libdevice: NVIDIA's names for functions of floats; every device has them."""

from .._fill import fill as _fill

_fill(globals(), "triton.language.extra.libdevice", libdevice=True)
