"""What `import triton` gives once tilec.install() was called: Triton's names, made by tilec."""

from . import *
from . import (__getattr__, aggregate, cdiv, errors, jit, knobs, language, must_use_result, runtime,
               testing)
from .install import TRITON_VERSION as __version__

__name__ = "triton"
__tilec_module__ = "triton"
__path__ = []
