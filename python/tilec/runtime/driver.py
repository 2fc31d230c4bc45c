"""triton.runtime.driver: what programs ask of the device before they launch.

`driver.active` is the device that launches go to: the GPU where PyTorch is loaded and has one, else
the CPU, whose answers are such that arithmetic on them makes sense (a clock, a count of
processors, registers and memory to divide by).
"""

import os
import sys
import time

from .. import device
from ..backends import Backend, backends
from ..backends.compiler import BaseBackend, GPUTarget
from ..backends.driver import DriverBase, GPUDriver


def _torch():
    """PyTorch, if the program has loaded it."""
    return sys.modules.get("torch")


def _has_gpu():
    if os.environ.get("TILEC_CUDA_AS"):
        return False  # what PyTorch says then is cuda_as.py's
    torch = _torch()
    return torch is not None and hasattr(torch, "cuda") and torch.cuda.is_available()


# --- the CPU as a device of PyTorch would look ---------------------------------------------------


class HostEvent:
    """A point in time."""

    def __init__(self, enable_timing=True, **_):
        self.at = None

    def record(self, stream=None):
        self.at = time.perf_counter_ns()

    def elapsed_time(self, end):
        """Milliseconds from here to `end`."""
        return (end.at - self.at) * 1e-6

    def synchronize(self):
        pass

    wait = synchronize

    def query(self):
        return True


class HostStream:
    """Work on the CPU is done when a call returns."""

    cuda_stream = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def synchronize(self):
        pass


class HostInterface:
    """As torch.cuda, for the CPU."""

    Event, Stream = HostEvent, HostStream

    @staticmethod
    def synchronize(device=None):
        pass

    @staticmethod
    def current_device():
        return 0

    @staticmethod
    def set_device(index):
        pass

    @staticmethod
    def device_count():
        return 1

    @staticmethod
    def is_available():
        return True

    @staticmethod
    def current_stream(device=None):
        return HostStream()

    @staticmethod
    def stream(stream):
        return stream


# --- drivers -----------------------------------------------------------------------------------


class _Utils:
    """`driver.active.utils`."""

    def __init__(self, properties):
        self.get_device_properties = properties


class HostDriver(DriverBase):
    """Launches on host memory: by the CPU, the interpreter or the simulator."""

    def __init__(self):
        self.utils = _Utils(self._properties)

    @staticmethod
    def is_active():
        return True

    @staticmethod
    def get_current_target():
        if device.selected == "sim":
            return GPUTarget("cuda", 80, 32)
        return GPUTarget("cpu", 0, 32)

    @staticmethod
    def get_current_device():
        return 0

    @staticmethod
    def set_current_device(index):
        pass

    @staticmethod
    def get_current_stream(index=None):
        return 0

    @staticmethod
    def get_device_capability(index=None):
        return (8, 0) if device.selected == "sim" else (0, 0)

    @staticmethod
    def get_device_interface():
        return HostInterface

    @staticmethod
    def get_active_torch_device():
        import torch

        return torch.device("cpu")

    @staticmethod
    def get_benchmarker():
        from ..testing import do_bench

        return do_bench

    @staticmethod
    def get_empty_cache_for_benchmark():
        """Nothing: on the CPU times are those with caches as the calls before leave them."""

    @staticmethod
    def clear_cache(cache):
        pass

    @staticmethod
    def _properties(index=0):
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else \
            os.cpu_count()
        return {"multiprocessor_count": processors, "max_shared_mem": 1 << 20,
                "max_num_regs": 1 << 16, "warpSize": 32, "sm_clock_rate": 1000000,
                "mem_clock_rate": 1000000, "mem_bus_width": 64}


class CudaDriver(GPUDriver):
    """Launches on NVIDIA GPUs; PyTorch answers."""

    def __init__(self):
        self._cuda = _torch().cuda
        self.utils = _Utils(self._properties)
        self.get_current_device = self._cuda.current_device
        self.set_current_device = self._cuda.set_device
        self.get_device_capability = self._cuda.get_device_capability

    @staticmethod
    def is_active():
        return _has_gpu()

    def get_current_target(self):
        major, minor = self._cuda.get_device_capability()
        return GPUTarget("cuda", 10 * major + minor, 32)

    def get_current_stream(self, index=None):
        return self._cuda.current_stream(index).cuda_stream

    def get_device_interface(self):
        return self._cuda

    def get_active_torch_device(self):
        return _torch().device("cuda", self._cuda.current_device())

    get_benchmarker = staticmethod(HostDriver.get_benchmarker)

    @staticmethod
    def get_empty_cache_for_benchmark():
        """Memory larger than the second-level cache."""
        torch = _torch()
        return torch.empty(1 << 26, dtype=torch.int32, device="cuda")

    @staticmethod
    def clear_cache(cache):
        cache.zero_()

    def _properties(self, index=0):
        found = self._cuda.get_device_properties(index)
        shared = getattr(found, "shared_memory_per_block_optin", 0)
        return {"multiprocessor_count": found.multi_processor_count, "max_shared_mem": shared,
                "max_num_regs": getattr(found, "regs_per_multiprocessor", 1 << 16),
                "warpSize": getattr(found, "warp_size", 32),
                "sm_clock_rate": getattr(found, "clock_rate", 0),
                "mem_clock_rate": getattr(found, "memory_clock_rate", 0),
                "mem_bus_width": getattr(found, "memory_bus_width", 0)}


class DriverConfig:
    """Which driver is active: the default one, unless set_active() was called."""

    def __init__(self):
        self._active = None   # that a program has set
        self._default = None  # that was asked for last
        self._known = {}

    @property
    def default(self):
        on_gpu = device.selected in (None, "cuda") and _has_gpu()
        kind = CudaDriver if on_gpu else HostDriver
        if kind not in self._known:
            self._known[kind] = kind()
        self._default = self._known[kind]
        return self._default

    @property
    def active(self):
        return self._active or self.default

    def set_active(self, driver):
        self._active = driver

    def reset_active(self):
        self._active = None


backends.update(cpu=Backend(BaseBackend, HostDriver), nvidia=Backend(BaseBackend, CudaDriver))
driver = DriverConfig()
