"""@jit: a function that is compiled from its source and launched as kernel[grid](arguments).

_core.Kernel, which JITFunction derives from, launches what is known without running any Python; here
is what happens once: reading the signature, loading, noticing that a global has changed, describing
what was compiled, and the exceptions.
"""

import collections
import sys
import threading
import types

from . import _core, async_compile, errors, knobs, reproduced
from .cache_keys import key_of
from .compiled import CompiledKernel
from .gradients import warn_of_gradients
from .kernel import Arguments, KernelInterface
from .language.constants import ConstexprFunction, constexpr
from .language.types import dtype
from .names import Surroundings
from .source import Source
from .speech import say
from .values import describe
from .wrappers import MockTensor, TensorWrapper


class KernelParam:
    """One parameter of a kernel; `num` is its place."""

    def __init__(self, num, parameter, is_listed, is_unaligned):
        self.num = num
        self.name = parameter.name
        # *args and **kwargs, which the compiler refuses in its own words, are none that a launch can miss
        is_rest = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        self.has_default = parameter.default is not parameter.empty or is_rest
        self.default = () if is_rest else parameter.default
        given = parameter.annotation
        self.annotation = "" if given is parameter.empty else (
            given if isinstance(given, str) else getattr(given, "__name__", str(given)))
        self.is_constexpr = "constexpr" in self.annotation
        self.is_const = not self.is_constexpr and "const" in self.annotation
        self.do_not_specialize = is_listed
        self.do_not_specialize_on_alignment = is_unaligned

    def __repr__(self):
        return f"<parameter {self.name}>"


def _listed(names, which):
    """The names of parameters that are listed by name or number."""
    return tuple(names[w] if isinstance(w, int) else w for w in which or ()
                 if not isinstance(w, int) or w < len(names))


_SETTING = threading.Lock()

# what hooks are told of the kernel
FunctionInfo = collections.namedtuple("FunctionInfo", "module name jit_function")


class LaunchMetadata:
    """What hooks around a launch are told, made when they ask: get() gives a dict."""

    def __init__(self, compiled, grid, args, kwargs):
        self._compiled, self._grid = compiled, grid
        self._args, self._kwargs = args, kwargs

    def get(self):
        kernel = self._compiled.src
        about = {"name": self._compiled.name, "function": self._compiled.function, "stream": 0}
        if kernel.launch_metadata is not None:
            given = Arguments({**dict(zip(kernel.arg_names, self._args)), **self._kwargs})
            grid = self._grid(given) if callable(self._grid) else self._grid
            about.update(kernel.launch_metadata(grid, self._compiled.metadata, given))
        return about


class _Compiled(dict):
    """{key: compiled kernel}, emptied when the kernel is loaded again; emptying it has that done."""

    def __init__(self, kernel):
        super().__init__()
        self._kernel = kernel

    def clear(self):
        super().clear()
        self._kernel._set_file(None)


class DeviceCaches:
    """JITFunction.device_caches[device]: a tuple that begins with what was compiled.  There is one for
    all devices, whatever a program's library calls the current one.
    """

    def __init__(self, kernel):
        self._compiled = _Compiled(kernel)

    def __getitem__(self, device):
        return (self._compiled, {}, None, None, None)

    def clear(self):
        self._compiled.clear()


class JITFunction(_core.Kernel, KernelInterface):
    """A kernel; `fn` is the Python function that it was made of."""

    def __init__(self, fn, version=None, repr=None, launch_metadata=None, do_not_specialize=None,
                 do_not_specialize_on_alignment=None, debug=None, noinline=None):
        # not at the top: it takes as long as the rest of the package
        from inspect import Parameter, isasyncgenfunction, iscoroutinefunction, signature

        self.fn = fn
        self.version = version
        self.debug = debug
        self.noinline = noinline
        self.launch_metadata = launch_metadata
        self.do_not_specialize = do_not_specialize or []
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment or []
        if not hasattr(fn, "__globals__"):
            raise TypeError(f"a kernel is a function made by `def`, not {fn!r}")
        if iscoroutinefunction(fn) or isasyncgenfunction(fn):
            raise TypeError(f"a kernel is a function made by `def`: leave out the `async` of `{fn.__qualname__}`; "
                            "launches on a GPU do not wait by themselves")
        self.signature = signature(fn)
        names = list(self.signature.parameters)
        self.unspecialised = _listed(names, do_not_specialize)
        self.unaligned = _listed(names, do_not_specialize_on_alignment)
        self.params = [KernelParam(i, p, p.name in self.unspecialised, p.name in self.unaligned)
                       for i, p in enumerate(self.signature.parameters.values())]
        self.arg_names = names
        self.constexprs = [p.num for p in self.params if p.is_constexpr]
        self.pre_run_hooks = []
        self.device_caches = DeviceCaches(self)
        self.module = self.__module__ = fn.__module__
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__doc__ = fn.__doc__
        self.__globals__ = fn.__globals__
        self._repr = repr
        self._original = self._source = Source(fn)
        kinds = [p.kind for p in self.signature.parameters.values()]
        by_name = kinds.count(Parameter.KEYWORD_ONLY) + kinds.count(Parameter.VAR_KEYWORD)
        self._set_params(tuple((p.name, p.is_constexpr, *([p.default] if p.has_default else []))
                               for p in self.params),
                         len(kinds) - by_name, Parameter.VAR_POSITIONAL in kinds)

    @property
    def debug(self):
        """What @jit says of assertions and of integers that overflow; None: nothing."""
        return None if self._debug < 0 else bool(self._debug)

    @debug.setter
    def debug(self, said):
        if isinstance(said, (str, bytes, float)):
            raise TypeError(f"jit: debug must be True or False, not {said!r}")
        self._debug = -1 if said is None else bool(said)

    # --- the source ------------------------------------------------------------------------

    @property
    def src(self):
        return self._source.src

    @src.setter
    def src(self, text):
        self._unsafe_update_src(text)

    def _unsafe_update_src(self, text):
        """Compile this text from now on, here and where other kernels call this one."""
        self._source = self._original.replaced(text)
        self._set_file(None)
        _core.touch()

    @property
    def raw_src(self):
        return self._source.lines

    @property
    def starting_line_number(self):
        return self._source.first

    @property
    def source_path(self):
        """The file, or what stands for one, that the function's text is from."""
        return self._source.path

    @property
    def is_as_written(self):
        """Is the text that of the function, and not another one since?"""
        return self._source is self._original

    @property
    def has_usual_repr(self):
        """Are compiled kernels called as the function is?"""
        return self._repr is None

    def repr(self, specialization):
        return self.__name__ if self._repr is None else self._repr(specialization)

    # --- what _core asks for ---------------------------------------------------------------

    _named = Arguments  # for the arguments that a grid's function gets

    def _load(self):
        names = Surroundings(self)
        file = _core.File(names.root, names)
        with _SETTING:
            if self._file is None:  # else another thread was quicker, and may have compiled already
                self.device_caches.clear()  # what was compiled is for the file before
                self._set_file(file)

    def _changed(self, file, index):
        return file.resolve.changed(file, index)

    def _compiled(self, call, args, kwargs, is_warmup):
        kwargs = kwargs or {}
        made = CompiledKernel(self, call)
        cache = self.device_caches[0][0]
        key = key_of(self, made, args, kwargs)
        if key in cache:
            return made
        if async_compile.in_task():
            async_compile.active.hold(lambda: cache.__setitem__(key, made))
        else:
            cache[key] = made
        for hook in (knobs.runtime.kernel_load_start_hook, knobs.runtime.kernel_load_end_hook):
            if hook:
                hook(module=None, function=None, name=made.name, metadata_group={}, hash=made.hash)
        if knobs.compilation.listener:
            made.tell_listener(knobs.compilation.listener)
        hooks = (knobs.runtime.jit_cache_hook, knobs.runtime.jit_post_compile_hook)
        if any(hooks):
            told = self._told_of(made, key, args, kwargs, is_warmup)
            for hook in filter(None, hooks):
                hook(**told)
        return made

    def _wants_gradient(self, parameter):
        return warn_of_gradients(self.__name__, parameter)

    def _told_of(self, made, key, args, kwargs, is_warmup):
        """What hooks are told of a compile, which lies behind it here."""
        from .preload import text_of

        specialization = made.specialization()
        return {"key": key, "repr": f"{self.__name__}({made.asm['ttir'].splitlines()[0]})",
                "fn": FunctionInfo(self.__module__, self.__qualname__, self),
                "compile": {"key": key, "device": 0, "signature": specialization.signature,
                            "constants": specialization.constants, "configs": [{}],
                            "num_warps": made.metadata.num_warps, "num_ctas": 1,
                            "num_stages": made.metadata.num_stages,
                            "enable_fp_fusion": made.metadata.enable_fp_fusion,
                            "launch_cooperative_grid": False,
                            "extern_libs": tuple((kwargs.get("extern_libs") or {}).items()),
                            "specialization_data": text_of(self, args, kwargs),
                            "is_warmup": is_warmup},
                "is_manual_warmup": is_warmup, "already_compiled": False}

    # --- launching -------------------------------------------------------------------------

    def run(self, *args, grid, warmup=False, **kwargs):
        """Launch, or with `warmup` compile only; kernel[grid](...) is the quick way to it."""
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        if warmup:
            args = tuple(map(_for_warmup, args))
            kwargs = {name: _for_warmup(value) for name, value in kwargs.items()}
            return self._warm_up(grid, args, kwargs)
        if reproduced.active:
            reproduced.active.take(self, grid, args, kwargs)
        made = self._launch_with_hooks(grid, args, kwargs)
        if async_compile.active:
            async_compile.active.take()
        return made

    def _warm_up(self, grid, args, kwargs):
        from .preload import text_of

        mode, text = async_compile.active, None
        if mode and mode.executor:
            text = text_of(self, args, kwargs)
        if text is None:  # what cannot be told apart is compiled at once
            return self._launch(grid, args, kwargs, True)
        return mode.submit(self, text, lambda: self._launch(grid, args, kwargs, True))

    def _launch_with_hooks(self, grid, args, kwargs):
        enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
        if not enter and not leave:
            return self._launch_in_range(grid, args, kwargs)
        about = LaunchMetadata(self._launch(grid, args, kwargs, True), grid, args, kwargs)
        if enter:
            enter(about)
        made = self._launch_in_range(grid, args, kwargs)
        if leave:
            leave(about)
        return made

    def _launch_in_range(self, grid, args, kwargs):
        """Where a profiler of PyTorch is at work it records the launch, under the kernel's name."""
        profiler = sys.modules.get("torch.autograd.profiler")
        if not getattr(profiler, "_is_profiler_enabled", False):
            return self._launch(grid, args, kwargs, False)
        with profiler.record_function(self.__name__):
            return self._launch(grid, args, kwargs, False)

    def warmup(self, *args, grid, **kwargs):
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def add_pre_run_hook(self, hook):
        """Call `hook` with the arguments of each launch, before it."""
        self.pre_run_hooks.append(hook)
        self._is_slow = True

    def report(self, *args, grid, **kwargs):
        """What `tilec report` says of such a launch, made on copies of the arrays: a Report."""
        from .reports import report

        return report(self, grid, args, kwargs)

    def explain(self, *args, grid, program=0, **kwargs):
        """What one program of such a launch does, statement by statement: an Explanation."""
        from .explained import explain

        return explain(self, grid, program, args, kwargs)

    def preload(self, specialization_data):
        """Compile for what a hook was told as compile["specialization_data"]; the compiled kernel."""
        from .preload import preload

        return preload(self, specialization_data)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel\n"
                           f"hint: launch it as {self.__name__}[grid](...)")

    @property
    def cache_key(self):
        """A text that differs where the kernel's source does, or that of something it calls."""
        from .dependencies import key_of

        return key_of(self)

    @property
    def hash(self):
        """The same; programs that replace a text set it to None, which is not needed here."""
        return self.cache_key

    @hash.setter
    def hash(self, _):
        pass

    @property
    def used_global_vals(self):
        """{(name, id of the namespace): (value, namespace)}; programs that set `hash` empty it."""
        from .dependencies import used_globals

        return used_globals(self)

    @used_global_vals.setter
    def used_global_vals(self, _):
        pass

    def __repr__(self):
        return f"JITFunction({self.__module__}:{self.__qualname__})"


def _for_warmup(value):
    """An argument that says no more than a dtype, as a pointer to such elements."""
    kind = type(value)
    if kind.__name__ == "dtype" and kind.__module__ == "torch":
        value = MockTensor(value)
    if not isinstance(value, MockTensor):
        return value
    pointer = object.__new__(TensorWrapper)
    pointer.base, pointer.dtype = None, value.dtype
    return pointer


def jit(fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None,
        do_not_specialize_on_alignment=None, debug=None, noinline=None, **unknown):
    """Make a kernel of a function: @jit, or @jit(do_not_specialize=["n"])."""
    if unknown:
        raise TypeError(f"jit has no option `{min(unknown)}`: options of a launch stand there, "
                        "kernel[grid](..., num_warps=4), or in a Config of @autotune")

    def decorate(function):
        if isinstance(function, JITFunction):
            return function
        if not callable(function):
            raise TypeError(f"jit makes kernels of functions, not of {function!r}")
        return JITFunction(function, version=version, repr=repr, launch_metadata=launch_metadata,
                           do_not_specialize=do_not_specialize,
                           do_not_specialize_on_alignment=do_not_specialize_on_alignment,
                           debug=debug, noinline=noinline)

    return decorate if fn is None else decorate(fn)


# --- what _core says -------------------------------------------------------------------------


def _raise(status, kind, text):
    raise errors.of_status(status, kind, text.rstrip("\n"))


_core.classes(dtype, constexpr, TensorWrapper, types.SimpleNamespace,
              (KernelInterface, ConstexprFunction))
_core.voices(_raise, say, describe)
