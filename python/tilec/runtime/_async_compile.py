"""triton.runtime._async_compile: compiling on other threads, under Triton's name of the module."""

from .. import async_compile as _modes
from ..async_compile import AsyncCompileMode


class _ActiveMode:
    """The mode that is entered, by the get() of a context variable."""

    @staticmethod
    def get(default=None):
        return _modes.active or default


active_mode = _ActiveMode()
