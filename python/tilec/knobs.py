"""triton.knobs: settings that programs read, from the environment unless they were assigned."""

import os

_TRUE = ("1", "true", "on", "yes", "y")


def _flag(text):
    return text.strip().lower() in _TRUE


class _Scope:
    """What `with knobs.scope()` keeps; contextlib takes as long to import as all that is here."""

    def __init__(self, knobs):
        self._knobs, self._before = knobs, None

    def __enter__(self):
        self._before = dict(self._knobs._set)
        return self._knobs

    def __exit__(self, *_):
        self._knobs.reset()
        self._knobs._set.update(self._before)
        self._knobs._changed()


class Knobs:
    """Settings of one theme; each is (name of the environment's variable, how to read it, default).
    An assigned value goes first; `scope()` takes back what was assigned inside of it.
    """

    def __init__(self, **settings):
        self.__dict__["_settings"] = settings
        self.__dict__["_set"] = {}

    def __getattr__(self, name):
        if name not in self._settings:
            raise AttributeError(f"triton.knobs has no `{name}` here")
        if name in self._set:
            return self._set[name]
        variable, read, default = self._settings[name]
        text = os.environ.get(variable) if variable else None
        return read(text) if text else default

    def __setattr__(self, name, value):
        self._set[name] = value
        self._settings.setdefault(name, (None, None, None))

    def __delattr__(self, name):
        self._set.pop(name, None)

    def reset(self):
        self._set.clear()
        return self

    def scope(self):
        return _Scope(self)

    def _changed(self):
        """Called when a scope has taken back what was assigned."""


class HookChain:
    """Functions that are called at some event, in the order in which they were added or against it;
    false while there are none.
    """

    def __init__(self, changed, reversed=False):
        self.calls = []
        self.reversed = reversed
        self._changed = changed

    def __bool__(self):
        return bool(self.calls)

    def add(self, function):
        if function not in self.calls:
            self.calls.append(function)
        self._changed()

    def remove(self, function):
        if function in self.calls:
            self.calls.remove(function)
        self._changed()

    def __call__(self, *args, **kwargs):
        for function in reversed(self.calls) if self.reversed else self.calls:
            function(*args, **kwargs)


class _RuntimeKnobs(Knobs):
    """Where hooks of launches are set launches go the long way, which calls them."""

    def __init__(self, **settings):
        chains = {"launch_enter_hook": HookChain(self._changed),
                  "launch_exit_hook": HookChain(self._changed, reversed=True),
                  "kernel_load_start_hook": HookChain(self._changed),
                  "kernel_load_end_hook": HookChain(self._changed, reversed=True)}
        super().__init__(**{name: (None, None, chain) for name, chain in chains.items()}, **settings)

    def _changed(self):
        from . import _core

        _core.slow(bool(self.launch_enter_hook or self.launch_exit_hook))

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        self._changed()

    def __delattr__(self, name):
        super().__delattr__(name)
        self._changed()

    def reset(self):
        super().reset()
        self._changed()
        return self


def _cache_folder():
    from .runtime.cache import default_cache_dir

    return default_cache_dir()


class _CacheKnobs(Knobs):
    @property
    def dir(self):
        return self._set.get("dir") or _cache_folder()

    def __setattr__(self, name, value):
        self._set[name] = value


autotuning = Knobs(print=("TRITON_PRINT_AUTOTUNING", _flag, False),
                   cache=("TRITON_CACHE_AUTOTUNING", _flag, False), listener=(None, None, None))
runtime = _RuntimeKnobs(
    interpret=("TRITON_INTERPRET", _flag, False), debug=("TRITON_DEBUG", _flag, False),
    override_arch=("TRITON_OVERRIDE_ARCH", str, None), jit_cache_hook=(None, None, None),
    jit_post_compile_hook=(None, None, None))
compilation = Knobs(always_compile=("TRITON_ALWAYS_COMPILE", _flag, False),
                    dump_ir=("TRITON_KERNEL_DUMP", _flag, False), listener=(None, None, None),
                    use_ir_loc=("USE_IR_LOC", str, None),
                    disable_line_info=("TRITON_DISABLE_LINE_INFO", _flag, False),
                    front_end_debugging=("TRITON_FRONT_END_DEBUGGING", _flag, False),
                    override=("TRITON_KERNEL_OVERRIDE", _flag, False),
                    store_binary_only=("TRITON_STORE_BINARY_ONLY", _flag, False))
language = Knobs(fp32_default=("TRITON_F32_DEFAULT", str, None),
                 default_fp_fusion=("TRITON_DEFAULT_FP_FUSION", _flag, True),
                 strict_reduction_ordering=(None, None, False))
cache = _CacheKnobs()
nvidia = Knobs(disable_ptxas_opt=("DISABLE_PTXAS_OPT", _flag, False),
               dump_nvptx=("NVPTX_ENABLE_DUMP", _flag, False))
amd = Knobs(use_buffer_ops=("AMDGCN_USE_BUFFER_OPS", _flag, True))
proton = Knobs()
build = Knobs()
redis = Knobs()
propagate_env = True


def refresh_knobs():
    """Triton reads the environment at import and here again; ours is asked each time, so that all there is
    to do is to forget what was assigned of what Triton reads again.
    """
    del runtime.debug
