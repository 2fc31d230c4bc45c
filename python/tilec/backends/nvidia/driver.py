"""triton.backends.nvidia.driver: names that programs import."""

from ...absent import fill as _fill
from ...runtime.driver import CudaDriver

_fill(globals(), "CudaLauncher CudaUtils", "the core calls the driver; triton.runtime.driver.active "
      "answers for the device")
