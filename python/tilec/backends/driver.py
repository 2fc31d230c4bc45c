"""triton.backends.driver: what drivers derive from."""


class DriverBase:
    """Answers for a device; tilec's own are in triton.runtime.driver."""


class GPUDriver(DriverBase):
    """Answers for a GPU."""
