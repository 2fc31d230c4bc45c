"""triton.language.math: functions of tiles of floats, libdevice's among them."""

from ._fill import fill as _fill

_fill(globals(), "triton.language.math", ["math"], libdevice=True)
