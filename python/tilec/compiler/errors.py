"""triton.compiler.errors: exceptions under Triton's name of the module."""

from ..errors import (CompilationError, CompileTimeAssertionFailure, TritonError,
                      UnsupportedLanguageConstruct)
