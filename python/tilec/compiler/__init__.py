"""triton.compiler."""

from ..errors import CompilationError
from . import compiler, errors
from .compiler import (ASTSource, CompiledKernel, IRSource, compile, get_cache_key, make_backend,
                       max_shared_mem, triton_key)
