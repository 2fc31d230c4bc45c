"""triton.compiler.compiler: compiling without a launch."""

import re

from .. import speech
from ..backends.compiler import BaseBackend, GPUTarget
from ..errors import TritonError
from ..jit import CompiledKernel
from ..language.constants import unwrap
from ..language.types import dtype_of
from ..runtime.cache import triton_key
from ..runtime.driver import driver
from ..wrappers import MockTensor


class ASTSource:
    """A jit function with the types of its arguments: {"x": "*fp32", "n": "i32"}; `constexprs` gives
    values, by name or by number; `attrs` says of which integers what divides them, by their number:
    {(1,): [["tt.divisibility", 16]]}.
    """

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        names = fn.arg_names
        self.fn = fn
        self.name = fn.__name__
        self.ext = "ttir"
        self.signature = signature
        self.attrs = attrs
        self.constants = {}
        for name, value in (constexprs or {}).items():
            name = name[0] if isinstance(name, tuple) else name
            self.constants[names[name] if isinstance(name, int) else name] = unwrap(value)

    def arguments(self):
        """By name, what stands for such arguments in warmup()."""
        types = self.signature
        if not hasattr(types, "items"):
            types = dict(zip(self.fn.arg_names, types))
        return {**{name: _stand_in(kind, self._divisor(name)) for name, kind in types.items()
                   if name not in self.constants and kind != "constexpr"}, **self.constants}

    def _divisor(self, name):
        """What divides an argument, as `attrs` says; 1: nobody knows."""
        said = dict((self.attrs or {}).get((self.fn.arg_names.index(name),), ()))
        return said.get("tt.divisibility", 1)


class IRSource:
    """A file of Triton's IR, which tilec does not read."""

    def __init__(self, path, *_):
        raise TritonError(f"tilec compiles functions, not files of Triton's IR such as {path}")


def _stand_in(kind, divisor):
    """A value of the type that a signature names, and of an integer a multiple of that alone."""
    pointer = re.fullmatch(r"\*k?(\w+)", kind)
    if pointer:
        return MockTensor(dtype_of(pointer[1]))
    if dtype_of(kind).is_floating():
        return 0.5
    return True if dtype_of(kind).is_bool() else ((1 << (dtype_of(kind).int_bitwidth - 2)) // divisor + 3) * divisor


def compile(src, target=None, options=None, **_):
    """The compiled kernel of an ASTSource, for the device that is active, or for a target that need
    not be there.
    """
    if not isinstance(src, ASTSource):
        raise TritonError("tilec compiles an ASTSource: a jit function with a signature\n"
                          "hint: ASTSource(kernel, {'x': '*fp32', 'n': 'i32'}, {'BLOCK': 64}); a launch, "
                          "kernel[grid](x, n, BLOCK=64), compiles by itself, kernel.warmup(.., grid=(1,)) only compiles")
    if src.fn.module.startswith("torch."):  # a module that PyTorch's Inductor has written
        speech.written.add(src.fn.source_path)
    options = _launch_options(options)
    made = src.fn.warmup(**src.arguments(), grid=(1,), **options, **_place(target))
    return made.compiled_from(src, options)


def _place(target):
    """The options of a launch that say for what code is made.  Code for a GPU is the simulator's,
    which takes any chip; of those from 90 on Triton means what only that chip has.
    """
    if target is None or target == driver.active.get_current_target():
        return {}
    if target.backend == "cpu":
        return {"device": "cpu"}
    if target.backend != "cuda":
        raise TritonError(f"tilec makes code for CPUs and NVIDIA's GPUs, not for {target.backend!r}")
    return {"device": "sim", "arch": "sm_90a" if target.arch == 90 else f"sm_{target.arch}"}


def _launch_options(options):
    values = options if isinstance(options, dict) else getattr(options, "__dict__", {})
    known = ("num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "debug")
    return {name: values[name] for name in known if values.get(name) is not None}


def make_backend(target):
    return BaseBackend(target)


def max_shared_mem(index):
    """Bytes of shared memory that one program may have."""
    return driver.active.utils.get_device_properties(index)["max_shared_mem"]


def get_cache_key(src, backend=None, backend_options=None, env_vars=None):
    return f"{triton_key()}-{src.fn.cache_key}-{src.signature}-{src.constants}"
