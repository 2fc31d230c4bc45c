from typing import Any

from . import core as core, extra as extra, math as math
from .core import *
from .core import _log2 as _log2, _unwrap_if_constexpr as _unwrap_if_constexpr
from .extra import libdevice as libdevice

random: Any
standard: Any
target_info: Any
