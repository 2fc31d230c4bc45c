"""triton.runtime.interpreter: what programs look at to find out whether kernels are interpreted.
Here none are: TRITON_INTERPRET changes nothing, tilec.use_device("interp") runs another device.
"""

from ..errors import InterpreterError
from ..kernel import KernelInterface


class InterpretedFunction(KernelInterface):
    """A kernel that Python executes: there are none."""


class GridExecutor:
    """A launch that Python executes: there are none."""
