"""Programs that hard-code "cuda", without a GPU: TILEC_CUDA_AS=cpu, or sim, or interp.

Tensors that are asked for on "cuda" are made in the host's memory, `x.cuda()` and `x.is_cuda` answer as
there, and so do the questions of torch.cuda that programs ask before they launch; `x.device` says "cpu",
which is true.  A mode of PyTorch sees the calls of the thread that asked for it, and new threads.
"""

import os
import threading

from . import device

DEVICES = ("cpu", "interp", "sim")
_installed = False


def wanted():
    """What the environment asks for; None: nothing."""
    name = os.environ.get("TILEC_CUDA_AS") or None
    if name is not None and name not in DEVICES:
        raise ValueError(f"TILEC_CUDA_AS is {', '.join(DEVICES[:-1])} or {DEVICES[-1]}, not {name!r}")
    return name


def _on_host(value):
    """A device as it is called here, any other value as it is."""
    import torch

    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    is_cuda = isinstance(value, str) and value.partition(":")[0] == "cuda"
    return "cpu" if is_cuda else value


def _mode():
    import torch
    from torch.overrides import TorchFunctionMode

    is_cuda = torch.Tensor.is_cuda.__get__

    class CudaAsHost(TorchFunctionMode):
        """Replaces the device in each call of PyTorch."""

        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if function in (torch.Tensor.cuda, torch.Tensor.pin_memory):
                return args[0]
            if function == is_cuda:
                return True
            if function is torch.Tensor.to:
                args = tuple(map(_on_host, args))
            for name in ("device", "map_location"):
                if name in kwargs:
                    kwargs = {**kwargs, name: _on_host(kwargs[name])}
            if kwargs.get("pin_memory"):
                kwargs = {**kwargs, "pin_memory": False}
            return function(*args, **kwargs)

    return CudaAsHost


class _Properties:
    """torch.cuda.get_device_properties(): of an A100, with the processors that are here."""

    name = "tilec on the host"
    major, minor = 8, 0
    warp_size = 32
    regs_per_multiprocessor = 1 << 16
    max_threads_per_multi_processor = 2048
    shared_memory_per_block = 48 << 10
    shared_memory_per_block_optin = shared_memory_per_multiprocessor = 163 << 10
    L2_cache_size = 40 << 20

    def __init__(self):
        self.multi_processor_count = os.cpu_count() or 1
        self.total_memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


class _Here:
    """torch.cuda.device(...) and torch.cuda.stream(...): there is one of each."""

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def _answers():
    """{name: function} of torch.cuda."""
    from .runtime.driver import HostEvent, HostInterface, HostStream

    properties = _Properties()
    memory = properties.total_memory
    nothing = ("synchronize", "set_device", "empty_cache", "init", "_lazy_init", "reset_peak_memory_stats",
               "manual_seed", "manual_seed_all", "set_stream", "ipc_collect")
    zeros = ("current_device", "memory_allocated", "max_memory_allocated", "memory_reserved",
             "max_memory_reserved")
    answers = {name: lambda *_, **__: None for name in nothing}
    answers.update({name: lambda *_, **__: 0 for name in zeros})
    answers.update(
        is_available=lambda: True, is_initialized=lambda: True, device_count=lambda: 1,
        get_device_capability=lambda *_: (8, 0), get_device_name=lambda *_: properties.name,
        get_device_properties=lambda *_: properties, mem_get_info=lambda *_: (memory, memory),
        is_bf16_supported=lambda *_, **__: True, current_stream=HostInterface.current_stream,
        default_stream=HostInterface.current_stream, is_current_stream_capturing=lambda: False,
        Event=HostEvent, Stream=HostStream, stream=_Here, device=_Here)
    return answers


def install():
    """Do it for this process, from now on.  Imports PyTorch; without it there is nothing to do."""
    global _installed
    try:
        import torch
    except ImportError:
        return
    if _installed:
        return
    _installed = True
    torch.cuda.__dict__.update(_answers())
    set_default = torch.set_default_device
    torch.set_default_device = lambda name: set_default(_on_host(name))
    mode = _mode()
    mode().__enter__()
    run = threading.Thread.run

    def run_with_mode(self):
        with mode():
            run(self)

    threading.Thread.run = run_with_mode


def begin(name):
    """As TILEC_CUDA_AS says it, for this process and those that it starts."""
    os.environ["TILEC_CUDA_AS"] = name
    if name != "cpu" and not os.environ.get("TILEC_DEVICE"):
        device.use_device(name)
        os.environ["TILEC_DEVICE"] = name
    install()
