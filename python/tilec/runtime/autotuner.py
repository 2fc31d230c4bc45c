"""triton.runtime.autotuner: tuning under Triton's name of the module."""

from ..errors import AutotunerError, OutOfResources, PTXASError
from ..tuning import Autotuner, Config, Heuristics, autotune, heuristics
from .driver import driver
