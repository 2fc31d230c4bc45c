"""triton.runtime.build: names that programs import."""

from ..absent import fill as _fill

_fill(globals(), "_build compile_module_from_file compile_module_from_src compile_so_from_file "
                 "compile_so_from_src platform_key",
      "no C is compiled at run time; a program's own extensions are built by setuptools")
