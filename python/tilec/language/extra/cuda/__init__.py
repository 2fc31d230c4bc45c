"""triton.language.extra.cuda: functions of NVIDIA GPUs."""

from . import utils
from .utils import *
from .. import libdevice

__tilec_module__ = "triton.language.extra.cuda"
