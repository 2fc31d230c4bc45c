from typing import Any

from . import libdevice as libdevice

cuda: Any
hip: Any
intel: Any
cpu: Any
