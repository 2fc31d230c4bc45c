"""triton.language.semantic: names that programs import.  The rules themselves are in tilec's core."""

from ..absent import fill as _fill
from ..errors import CompilationError


class IncompatibleTypeErrorImpl(CompilationError):
    """What Triton raises for operands that do not go together; tilec raises its base."""


_fill(globals(), "TritonSemantic",
      "the core, in C, checks and lowers what kernels say; kernels call tl.* functions")
