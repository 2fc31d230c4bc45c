"""triton.language.extra: libdevice, and one module for each kind of device."""

import sys

from . import cuda, libdevice

__tilec_module__ = "triton.language.extra"


def _same_elsewhere():
    """extra.cuda has libdevice, too; extra.hip, intel and cpu are modules with nothing else."""
    from types import ModuleType

    sys.modules[cuda.__name__ + ".libdevice"] = libdevice
    for name in ("hip", "intel", "cpu"):
        module = ModuleType(f"{__name__}.{name}", f"triton.language.extra.{name}: libdevice")
        module.__path__ = []
        module.__tilec_module__ = f"triton.language.extra.{name}"
        module.libdevice = libdevice
        sys.modules[module.__name__] = module
        sys.modules[module.__name__ + ".libdevice"] = libdevice
        globals()[name] = module


_same_elsewhere()
