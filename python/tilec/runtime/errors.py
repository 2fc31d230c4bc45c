"""triton.runtime.errors: exceptions under Triton's name of the module."""

from ..errors import AutotunerError, InterpreterError, OutOfResources, PTXASError, TritonError
