"""triton.backends.driver: names that programs import."""

from ..runtime.driver import CudaDriver as GPUDriver, HostDriver as DriverBase
