"""triton.backends.nvidia.compiler: names that programs import."""

from ...absent import fill as _fill

_fill(globals(), "CUDABackend CUDAOptions get_ptxas get_ptxas_version min_dot_size "
                 "ptx_get_version sm_arch_from_capability",
      "the core writes PTX itself: kernel.warmup(...).asm[\"ptx\"] on a device `cuda` or `sim`")
