"""triton.compiler.make_launcher: names that programs import."""

from ..absent import fill as _fill

_fill(globals(), "make_launcher make_stub", "the core launches kernels without a stub of their own")
