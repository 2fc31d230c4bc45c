"""triton.runtime._async_compile: compiling on other threads, under Triton's name of the module."""

from ..async_compile import AsyncCompileMode
