"""triton._internal_testing: helpers that Triton's own tests import, and tests of projects like them.

Needs NumPy and PyTorch, and for the marks pytest.
"""

import collections
import contextlib
import os

import numpy as np
import torch

from . import knobs
from .language.types import DTYPES, dtype, dtype_of
from .runtime.driver import driver
from .wrappers import TensorWrapper, reinterpret

# --- names of dtypes -------------------------------------------------------------------------------

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["u" + name for name in int_dtypes]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = float_dtypes + ["bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = dtypes + ["bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool", *int_dtypes, "uint8", *float_dtypes, "bfloat16"]
tma_dtypes = sorted(set(dtypes_with_bfloat16) - {"int64", "uint64", "float64"})


def str_to_triton_dtype(name):
    return dtype_of(name)


def torch_dtype_name(of):
    """"float16" of torch.float16; the short name of a dtype of the language."""
    return of.name if isinstance(of, dtype) else str(of).rpartition(".")[2]


# --- values ----------------------------------------------------------------------------------------


def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    """Random values, the same in each run; integers are never 0, bfloat16 are float32 with no more
    bits than that, float8 bytes of moderate numbers.
    """
    random = rs or np.random.RandomState(17)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if dtype_str in integral_dtypes:
        limits = np.iinfo(dtype_str)
        low = limits.min if low is None else max(low, limits.min)
        high = limits.max if high is None else min(high, limits.max)
        values = random.randint(low, high, shape, dtype=dtype_str)
        return np.where(values == 0, np.array(1, dtype_str), values)
    if "float8" in dtype_str:
        return random.randint(20, 40, shape, dtype=np.int8)
    values = random.standard_normal(shape)
    if dtype_str in ("bool", "bool_", "int1"):
        return values > 0
    if dtype_str == "bfloat16":
        bits = values.astype(np.float32).view(np.uint32)
        return (bits & np.uint32(0xFFFF0000)).view(np.float32)
    return values.astype(dtype_str)


def to_triton(x, device, dst_type=None):
    """A tensor of these values, seen as `dst_type` where PyTorch or NumPy has no such dtype."""
    name = x.dtype.name
    if name in uint_dtypes:
        signed = torch.tensor(x.view(name[1:]), device=device)
        return reinterpret(signed, DTYPES[name])
    if dst_type and "float8" in dst_type:
        return reinterpret(torch.tensor(x, device=device), DTYPES[dst_type])
    tensor = torch.tensor(x, device=device)
    return tensor.bfloat16() if (name, dst_type) == ("float32", "bfloat16") else tensor


def to_numpy(x):
    """An array of the same values; bfloat16 as float32."""
    if isinstance(x, TensorWrapper):
        return x.base.cpu().numpy().astype(torch_dtype_name(x.dtype))
    return (x.float() if x.dtype == torch.bfloat16 else x).cpu().numpy()


def unwrap_tensor(t):
    return t.base if isinstance(t, TensorWrapper) else t


def default_alloc_fn(size, align, stream):
    return torch.empty(size, dtype=torch.int8, device=driver.active.get_active_torch_device())


# --- where do the tests run? -----------------------------------------------------------------------


def is_interpreter():
    """Do programs ask for Python's interpretation of kernels?  They get the CPU instead."""
    return knobs.runtime.interpret


def get_current_target():
    return None if is_interpreter() else driver.active.get_current_target()


def is_cuda():
    target = get_current_target()
    return target is not None and target.backend == "cuda"


def _arch_between(low, high=10**6):
    """Is it a GPU whose number (80, 90...) lies in [low, high)?"""
    return is_cuda() and low <= get_current_target().arch < high


def is_ampere_or_newer():
    return _arch_between(80)


def is_hopper():
    return _arch_between(90, 100)


def is_hopper_or_newer():
    return _arch_between(90)


def is_blackwell():
    return _arch_between(100, 120)


def is_blackwell_ultra():
    return _arch_between(103, 104)


def is_sm12x():
    return _arch_between(120, 130)


def supports_tma(byval_only=False):
    return is_interpreter() or is_hopper_or_newer()


def supports_ws():
    return is_interpreter() or is_hopper_or_newer()


def tma_skip_msg(byval_only=False):
    return "needs a GPU of sm_90 or newer, or TRITON_INTERPRET=1"


def _never():
    return False


def get_hip_lds_size():
    return 0


def get_arch():
    target = get_current_target()
    return "" if target is None else str(target.arch)


def __getattr__(name):
    """is_hip() and its kin, a name for each model of other makers: none is here.  And the mark, which
    needs pytest.
    """
    if name.startswith("is_"):
        return _never
    if name != "requires_tma":
        raise AttributeError(name)
    import pytest

    return pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())


# --- processes and settings ------------------------------------------------------------------------

ProcessResult = collections.namedtuple("ProcessResult", "exc driver_stderr_output")


def _answer(pipe, client_fn, args, kwargs, env, path):
    os.environ.update(env or {})
    with open(path, "wb") as file:
        os.dup2(file.fileno(), 2)
    try:
        client_fn(*args, **kwargs)
        pipe.send(None)
    except Exception as error:
        pipe.send(error)


def run_in_process(client_fn, args=(), kwargs=None, env=None):
    """Call it in a process of its own: the exception, and what the process wrote to stderr."""
    import multiprocessing
    import tempfile

    context = multiprocessing.get_context("spawn")
    receive, send = context.Pipe(duplex=False)
    with tempfile.NamedTemporaryFile("r") as file:
        process = context.Process(target=_answer,
                                  args=(send, client_fn, args, kwargs or {}, env, file.name))
        process.start()
        send.close()
        try:
            error = receive.recv()
        except EOFError:
            error = RuntimeError("the process ended without an answer")
        process.join()
        return ProcessResult(error, file.read())


def _fresh_knobs_impl(skipped_attr=None):
    """A function that gives triton.knobs without assigned values and without Triton's variables in
    the environment, and one that puts both back.
    """
    groups = [v for n, v in vars(knobs).items()
              if isinstance(v, knobs.base_knobs) and n not in (skipped_attr or ())]
    before, propagates = dict(os.environ), knobs.propagate_env
    scopes = contextlib.ExitStack()

    def fresh():
        for group in groups:
            scopes.enter_context(group.scope())
            for setting in group.reset().knob_descriptors.values():
                os.environ.pop(setting.key, None)
        os.environ.pop("TRITON_DEBUG", None)
        knobs.refresh_knobs()
        knobs.propagate_env = True
        return knobs

    def reset():
        scopes.close()
        os.environ.clear()
        os.environ.update(before)
        knobs.propagate_env = propagates

    return fresh, reset
