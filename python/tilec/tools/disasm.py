"""triton.tools.disasm: names that programs import."""

from ..absent import fill as _fill

_fill(globals(), "extract get_sass", "kernel.warmup(...).asm[\"sass\"] is the text where the CUDA "
      "toolkit is installed")
