"""A launch as words of the command `tilec`: the kernel in a file, arrays in files, and values.

For what the command can do and the library cannot, a report and the debugger.  It runs on copies of
the arrays, so that those of the program stay as they are.
"""

import os
import subprocess
import tempfile
import types

from . import device
from .dependencies import reached
from .errors import ArgumentError, CompilationError, DeviceError
from .language.constants import ConstexprFunction, unwrap
from .language.types import dtype
from .names import is_code, language_name
from .wrappers import is_array

_OPTIONS = ("num_warps", "num_stages", "arch")
_WISHES = ("debug", "sanitize_overflow", "enable_fp_fusion")  # the command has True or False of these
_PASSED_OVER = ("num_ctas", "stream", "check", "unspecialised", "waves_per_eu",
                "matrix_instr_nonkdim", "kpack", "enable_reflect_ftz")


def command_path():
    """The program `tilec` of this package; None: it was built without."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tilec-command")
    return path if os.path.exists(path) else None


class Told:
    """The words, in `words`, and a folder that they name files in; for `with`."""

    def __init__(self, kernel, grid, args, kwargs):
        self._kernel = kernel
        self._grid = grid
        self._given, self._options = _sorted(kernel, args, kwargs)
        self._asked = self._options.pop("device", None)
        self._folder = tempfile.TemporaryDirectory(prefix="tilec-")
        self._files = 0
        self.words = []

    def __enter__(self):
        self.folder = self._folder.__enter__()
        try:
            named = _file_of(self._kernel, self.folder)
            self.file = os.path.join(self.folder, named.rpartition(":")[0])  # that the kernel is in
            self.words = [named, *self._grid_words()]
            self.words += [f"--{name.replace('_', '-')}={value}"
                           for name, value in self._options.items() if value is not None]
            self.words += [f"{name}={self._text(name, value)}" for name, value in self._given.items()]
        except BaseException:
            self._folder.cleanup()
            raise
        return self

    def __exit__(self, *told):
        return self._folder.__exit__(*told)

    def start(self, command, *words, **how):
        """The command as a process, in the folder."""
        program = command_path()
        if program is None:
            raise DeviceError("this package was built without the command `tilec`")
        return subprocess.Popen([program, command, *self.words, *words], cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)

    def run(self, command, *words):
        """What it prints, on the device that the launch is for."""
        words = ("--device", self._device(), *words)
        with self.start(command, *words, stdin=subprocess.DEVNULL) as process:
            out, said = process.communicate()
        if process.returncode != 0:
            raise CompilationError(error_message=said.strip())
        return out

    def _grid_words(self):
        grid = self._grid
        if callable(grid):
            defaults = {p.name: p.default for p in self._kernel.params if p.has_default}
            grid = grid({**defaults, **self._given})
        extents = grid if isinstance(grid, (tuple, list)) else (grid,)
        return ["--grid", ",".join(str(int(n)) for n in extents)]

    def _device(self):
        on_gpu = any(getattr(value, "is_cuda", False) for value in self._given.values())
        return self._asked or device.selected or ("cuda" if on_gpu else "cpu")

    def _text(self, name, value):
        """A value as the command's language has it."""
        value = unwrap(value)
        if isinstance(value, dtype):
            return value.name
        if value is None or isinstance(value, (bool, int, float, str)):
            return repr(value)
        if isinstance(value, (tuple, list)):
            return f"({''.join(self._text(name, item) + ',' for item in value)})"
        if getattr(value, "shape", None) == () and hasattr(value, "item"):
            return repr(value.item())
        if is_array(value):
            return self._array(name, value)
        if is_code(value) and getattr(value, "__name__", None):
            return value.__name__
        raise ArgumentError(f"`{name}`, a {type(value).__name__}, cannot be told to the command")

    def _array(self, name, value):
        import numpy as np

        suffix = ""
        if hasattr(value, "detach"):
            value = value.detach().cpu()
            if str(value.dtype) == "torch.bfloat16":
                value, suffix = value.view(_short_of(value)), ":bf16"
        array = np.asarray(value)
        stored, view = _in_memory(name, array)
        self._files += 1
        np.save(os.path.join(self.folder, f"{self._files}.npy"), stored)
        return f"@{self._files}.npy{suffix}{view}"


def _short_of(tensor):
    import importlib

    return getattr(importlib.import_module(type(tensor).__module__), "int16")


def _in_memory(name, array):
    """An array without gaps, and the view of it that has the strides of this one."""
    import numpy as np

    if array.flags.c_contiguous or array.flags.f_contiguous:
        return array, ""
    steps = [stride // array.itemsize for stride in array.strides]
    inner = list(zip(steps, steps[1:], array.shape[1:]))
    if not all(s > 0 for s in steps) or not all(
            big % small == 0 and big // small >= extent for big, small, extent in inner):
        raise ArgumentError(f"the strides of `{name}` cannot be told to the command: pass a copy")
    wider = [big // small for big, small, _ in inner]
    whole = np.zeros((array.shape[0], *wider, steps[-1]), array.dtype)
    view = (*(slice(n) for n in array.shape), 0)
    whole[view] = array
    return whole, f"[{''.join(f':{n},' for n in array.shape)}0]"


def _sorted(kernel, args, kwargs):
    """Arguments by name, and options of the launch."""
    if len(args) > len(kernel.arg_names):
        raise TypeError(f"{kernel.__name__} takes {len(kernel.arg_names)} arguments, "
                        f"not {len(args)}")
    given = dict(zip(kernel.arg_names, args))
    twice = next((name for name in kwargs if name in given), None)
    if twice:
        raise TypeError(f"{kernel.__name__} got two values for `{twice}`")
    options = {name: kwargs.pop(name) for name in (*_OPTIONS, "device")
               if name in kwargs and name not in kernel.arg_names}
    wishes = {name: kwargs.pop(name) for name in _WISHES
              if name in kwargs and name not in kernel.arg_names}
    given.update((name, bool(value)) for name, value in wishes.items() if value is not None)
    given.update((name, value) for name, value in kwargs.items()
                 if name in kernel.arg_names or
                 name not in _PASSED_OVER and (name != "maxnreg" or value is not None))
    return given, options


# --- the kernel's file -----------------------------------------------------------------------


def _file_of(kernel, folder):
    """FILE:KERNEL: where it was written, or, of a notebook's cell, a file with all that it uses."""
    path = os.path.abspath(kernel.source_path)
    if kernel.is_as_written and os.path.isfile(path) and kernel.__qualname__ == kernel.__name__:
        return f"{path}:{kernel.__name__}"
    with open(os.path.join(folder, "kernel.py"), "w", encoding="utf-8") as file:
        file.write(_written(kernel))
    return f"kernel.py:{kernel.__name__}"


def _written(kernel):
    """A file of the kernel and the functions and constants that it reaches."""
    functions, constants, imports = [], {}, {}
    for function, found in reached(kernel):
        functions.append(_text_of(function))
        imports.update(_imports_of(getattr(function, "fn", function)))
        for name, (value, _) in found.items():
            if not is_code(value):
                constants[name] = _constant(name, value)
            elif getattr(value, "__name__", name) != name:
                raise ArgumentError(f"`{name}` is `{value.__name__}` elsewhere: put the kernel into "
                                    "a file, or call it by that name")
    head = ["import triton", "import triton.language", *imports.values(), *constants.values()]
    return "\n".join([*head, "", "", "\n\n".join(reversed(functions))])


def _text_of(function):
    if isinstance(function, type):
        raise ArgumentError(f"the kernel uses the class `{function.__name__}`: put both into a file")
    decorator = "constexpr_function" if isinstance(function, ConstexprFunction) else "jit"
    source = getattr(function, "_source", None)
    if source is None:
        from .source import Source

        source = Source(getattr(function, "fn", function))
    return f"@triton.{decorator}\n{source.src.rstrip()}\n"


def _imports_of(fn):
    """{name: how the language comes to it}."""
    found = {}
    for name, value in fn.__globals__.items():
        full = language_name(value)
        if not full:
            continue
        if isinstance(value, types.ModuleType):
            found[name] = f"import {full} as {name}"
        elif "." in full and name in fn.__code__.co_names:
            module, _, member = full.rpartition(".")
            found[name] = f"from {module} import {member} as {name}"
    return found


def _constant(name, value):
    value = unwrap(value)
    if isinstance(value, dtype):
        return f"{name}: triton.language.constexpr = triton.language.{value}"
    if value is None or isinstance(value, (bool, int, float, str, tuple)):
        return f"{name}: triton.language.constexpr = {value!r}"
    raise ArgumentError(f"`{name}`, a {type(value).__name__}, cannot be written into a file: put the "
                        "kernel into one")
