"""triton.runtime."""

from ..errors import InterpreterError, OutOfResources
from ..kernel import KernelInterface
from ..tuning import Autotuner, Config, Heuristics, autotune, heuristics
from ..wrappers import MockTensor, TensorWrapper, reinterpret
from . import _async_compile, autotuner, cache, errors, interpreter, jit
from .cache import RedisRemoteCacheBackend, RemoteCacheBackend
from .driver import driver
from .jit import JITFunction
