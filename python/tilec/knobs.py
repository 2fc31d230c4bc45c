"""triton.knobs: settings that programs read, by theme, from the environment unless they were assigned.

A setting is a descriptor in a class that derives from base_knobs, with the variable of the environment that
it has, and programs make such classes of their own.  What is assigned is also written to the environment,
for processes that are started, unless `propagate_env` is False; `knobs.env` in the place of a value, or del,
takes an assigned value away.  Settings without a variable are attributes of the class.
"""

import collections
import os

from . import _core

propagate_env = True


class Env:
    """Of `env`: assigned to a setting, it is read from the environment again."""


env = Env()
_TRUE = ("1", "true", "on", "yes", "y")


def _truth(text):
    return text.strip().lower() in _TRUE


def _as_text(value):
    """What the environment holds for an assigned value, None: nothing; raises a KeyError for values that it
    cannot hold.
    """
    return {bool: lambda: "1" if value else "0", str: lambda: value, int: lambda: str(value),
            type(None): lambda: None}[type(value)]()


# --- settings --------------------------------------------------------------------------------------


class env_base:
    """A setting; `read` makes a value of the variable's text, None where it is not set or empty."""

    def __init__(self, key, default=None):
        self.key = key
        self.default = default
        self.name = None

    def __set_name__(self, owner, name):
        self.name = name

    def read(self, text):
        return text

    def get(self):
        """Its value while nothing is assigned."""
        text = os.environ.get(self.key)
        return self.read(text) if text else self.default

    def transform(self, value):
        """What an assigned value is seen as."""
        return value

    def __get__(self, group, owner=None):
        if group is None:
            return self
        return self.transform(group.__dict__[self.name]) if self.name in group.__dict__ else self.get()

    def __set__(self, group, value):
        if isinstance(value, Env):
            self.__delete__(group)
            return
        group.__dict__[self.name] = value
        if propagate_env and type(value) in (bool, str, int, type(None)):
            _put_back({self.key: _as_text(value)})

    def __delete__(self, group):
        group.__dict__.pop(self.name, None)


class env_str(env_base):
    """A text."""


class env_opt_str(env_base):
    """A text, or None."""


class env_str_callable_default(env_base):
    """A text; the default is what a function gives now."""

    def get(self):
        return os.environ.get(self.key) or self.default()


class env_bool(env_base):
    """True or False."""

    def __init__(self, key, default=False):
        super().__init__(key, default)

    def read(self, text):
        return _truth(text)


class env_opt_bool(env_bool):
    """True, False, or None where nobody has said."""

    def __init__(self, key, default=None):
        super().__init__(key, default)


class env_int(env_base):
    """A whole number."""

    def __init__(self, key, default=0):
        super().__init__(key, default)

    def read(self, text):
        try:
            return int(text)
        except ValueError:
            raise RuntimeError(f"{self.key} is a whole number, not {text!r}") from None


class env_class(env_base):
    """A class, as MODULE:NAME; `type` is the name of one that it derives from."""

    def __init__(self, key, type):
        super().__init__(key)
        self.type = type

    def read(self, text):
        import importlib

        module, colon, name = text.partition(":")
        if not colon:
            raise RuntimeError(f"{self.key} is MODULE:CLASS, not {text!r}")
        found = getattr(importlib.import_module(module), name)
        if self.type not in [base.__name__ for base in found.__mro__]:
            raise RuntimeError(f"{self.key}: {text} is no {self.type}")
        return found


NvidiaTool = collections.namedtuple("NvidiaTool", "path version")
NvidiaTool.__doc__ = """A program of the CUDA toolkit."""


class env_nvidia_tool(env_base):
    """A program of the CUDA toolkit, where one is installed: tilec itself needs none and brings none."""

    def __init__(self, binary):
        super().__init__(f"TRITON_{binary.upper().replace('-', '_')}_PATH")
        self.binary = binary

    def get(self):
        return self.transform(os.environ.get(self.key))

    def transform(self, path):
        import shutil

        toolkit = os.environ.get("CUDA_HOME") or "/usr/local/cuda"
        for candidate in (path, shutil.which(self.binary), os.path.join(toolkit, "bin", self.binary)):
            version = candidate and _version_of(candidate)
            if version:
                return NvidiaTool(candidate, version)
        raise RuntimeError(f"there is no {self.binary} here; {self.key} says where one is")


def _version_of(program):
    """"13.0" of a program of the toolkit; None: it is none."""
    import re
    import subprocess

    try:
        said = subprocess.run([program, "--version"], stdout=subprocess.PIPE, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.search(rb"release (\d+\.\d+)", said)
    return found and found[1].decode()


# --- groups of settings ----------------------------------------------------------------------------


def _put_back(variables):
    """Write {name: text, or None: not set} to the environment."""
    for name, text in variables.items():
        if text is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = text


class _Scope:
    """What `with group.scope()` keeps; contextlib takes as long to import as all that is here."""

    def __init__(self, group):
        self._group = group

    def __enter__(self):
        self._assigned = dict(self._group.__dict__)
        self._variables = {s.key: os.environ.get(s.key) for s in self._group.knob_descriptors.values()}
        return self._group

    def __exit__(self, *_):
        self._group.__dict__.clear()
        self._group.__dict__.update(self._assigned)
        _put_back(self._variables)
        self._group._changed()


class base_knobs:
    """Settings of one theme."""

    @property
    def knob_descriptors(self):
        """{name: setting} of those with a variable."""
        return {name: setting for name, setting in vars(type(self)).items()
                if isinstance(setting, env_base)}

    @property
    def knobs(self):
        """{name: value} of the same."""
        return {name: getattr(self, name) for name in self.knob_descriptors}

    def copy(self):
        made = type(self)()
        made.__dict__.update(self.__dict__)
        return made

    def reset(self):
        """Forget what was assigned to settings with a variable."""
        for setting in self.knob_descriptors.values():
            setting.__delete__(self)
        return self

    def scope(self):
        """A context manager whose end takes back what was assigned in it."""
        return _Scope(self)

    def _changed(self):
        """Values have changed in another way than by an assignment."""


class HookChain:
    """Functions that are called at some event, in the order in which they were added or against it;
    false while there are none.
    """

    def __init__(self, reversed=False):
        self.calls = []
        self.reversed = reversed

    def __bool__(self):
        return bool(self.calls)

    def add(self, function):
        if function not in self.calls:
            self.calls.append(function)
        runtime._changed()

    def remove(self, function):
        if function in self.calls:
            self.calls.remove(function)
        runtime._changed()

    def __call__(self, *args, **kwargs):
        for function in reversed(self.calls) if self.reversed else self.calls:
            function(*args, **kwargs)


class CompileTimes(collections.namedtuple("CompileTimes",
                                          "ir_initialization lowering_stages store_results")):
    """What a listener of compiles is told, in microseconds; `lowering_stages` are (name, time)."""

    @property
    def total_lowering(self):
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self):
        return self.ir_initialization + self.total_lowering + self.store_results


class build_knobs(base_knobs):
    cc = env_opt_str("CC")
    cudacrt_path = env_opt_str("TRITON_CUDACRT_PATH")
    cudart_path = env_opt_str("TRITON_CUDART_PATH")
    impl = None

    @property
    def backend_dirs(self):
        return {self.cudacrt_path, self.cudart_path} - {None}


class redis_knobs(base_knobs):
    key_format = env_str("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}")
    host = env_str("TRITON_REDIS_HOST", "localhost")
    port = env_int("TRITON_REDIS_PORT", 6379)


class cache_knobs(base_knobs):
    """Where results of tuning and programs' own files are; compiled code is in TILEC_CACHE_DIR."""

    home_dir = env_str_callable_default("TRITON_HOME", lambda: os.path.expanduser("~/"))
    dump_dir = env_str_callable_default("TRITON_DUMP_DIR", lambda: cache.get_triton_dir("dump"))
    override_dir = env_str_callable_default("TRITON_OVERRIDE_DIR",
                                            lambda: cache.get_triton_dir("override"))
    dir = env_str_callable_default("TRITON_CACHE_DIR", lambda: cache.get_triton_dir("cache"))
    manager_class = env_class("TRITON_CACHE_MANAGER", "CacheManager")
    remote_manager_class = env_class("TRITON_REMOTE_CACHE_BACKEND", "RemoteCacheBackend")

    def get_triton_dir(self, dirname):
        return os.path.join(self.home_dir, ".triton", dirname)


class compilation_knobs(base_knobs):
    override = env_bool("TRITON_KERNEL_OVERRIDE")
    dump_ir = env_bool("TRITON_KERNEL_DUMP")
    dump_ir_extract_di_local_variables = env_bool("LLVM_EXTRACT_DI_LOCAL_VARIABLES")
    store_binary_only = env_bool("TRITON_STORE_BINARY_ONLY")
    always_compile = env_bool("TRITON_ALWAYS_COMPILE")
    use_ir_loc = env_opt_str("USE_IR_LOC")
    enable_asan = env_bool("TRITON_ENABLE_ASAN")
    disable_line_info = env_bool("TRITON_DISABLE_LINE_INFO")
    front_end_debugging = env_bool("TRITON_FRONT_END_DEBUGGING")
    allow_non_constexpr_globals = env_bool("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS")
    instrumentation_mode = env_str("TRITON_INSTRUMENTATION_MODE", "")
    listener = None


class autotuning_knobs(base_knobs):
    cache = env_bool("TRITON_CACHE_AUTOTUNING")
    print = env_bool("TRITON_PRINT_AUTOTUNING")
    listener = None


def _launches_are_seen():
    """Is an AsyncCompileMode entered, or a repro()?"""
    import sys

    modules = map(sys.modules.get, ("tilec.async_compile", "tilec.reproduced"))
    return any(module is not None and module.active is not None for module in modules)


class runtime_knobs(base_knobs):
    """Where hooks of launches are set launches go the long way, which calls them.  `debug` is what
    TRITON_DEBUG said at import or at the last refresh_knobs(), None where it said nothing;
    `override_arch`, of launches on GPUs, is looked at at the same times.
    """

    interpret = env_bool("TRITON_INTERPRET")
    override_arch = env_opt_str("TRITON_OVERRIDE_ARCH")
    debug = None
    launch_enter_hook = HookChain()
    launch_exit_hook = HookChain(reversed=True)
    kernel_load_start_hook = HookChain()
    kernel_load_end_hook = HookChain(reversed=True)
    jit_cache_hook = None
    jit_post_compile_hook = None
    add_stages_inspection_hook = None

    def _changed(self):
        _core.slow(bool(self.launch_enter_hook or self.launch_exit_hook or _launches_are_seen()))
        _core.debug(-1 if self.debug is None else bool(self.debug))
        _core.arch(self.override_arch)

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        self._changed()

    def __delattr__(self, name):
        super().__delattr__(name)
        self._changed()


class language_knobs(base_knobs):
    fp32_default = env_opt_str("TRITON_F32_DEFAULT")
    default_fp_fusion = env_bool("TRITON_DEFAULT_FP_FUSION", True)
    strict_reduction_ordering = False


class nvidia_knobs(base_knobs):
    cuobjdump = env_nvidia_tool("cuobjdump")
    nvdisasm = env_nvidia_tool("nvdisasm")
    ptxas = env_nvidia_tool("ptxas")
    ptxas_blackwell = env_nvidia_tool("ptxas-blackwell")
    dump_nvptx = env_bool("NVPTX_ENABLE_DUMP")
    disable_ptxas_opt = env_bool("DISABLE_PTXAS_OPT")
    ptxas_options = env_opt_str("PTXAS_OPTIONS")
    mock_ptx_version = env_opt_str("TRITON_MOCK_PTX_VERSION")
    dump_ptxas_log = env_bool("TRITON_DUMP_PTXAS_LOG")
    libdevice_path = env_opt_str("TRITON_LIBDEVICE_PATH")
    libcuda_path = env_opt_str("TRITON_LIBCUDA_PATH")


class amd_knobs(base_knobs):
    """Programs set them; tilec has no code for AMD's GPUs."""

    use_buffer_ops = env_bool("AMDGCN_USE_BUFFER_OPS", True)
    use_buffer_atomics = env_bool("AMDGCN_USE_BUFFER_ATOMICS", True)
    buffer_ops_analyze_small_tensor_range = env_bool("AMDGCN_ANALYZE_SMALL_TENSOR_RANGE")
    dump_amdgcn = env_bool("AMDGCN_ENABLE_DUMP")
    libhip_path = env_opt_str("TRITON_LIBHIP_PATH")
    use_block_pingpong = env_opt_bool("TRITON_HIP_USE_BLOCK_PINGPONG")
    use_in_thread_transpose = env_opt_bool("TRITON_HIP_USE_IN_THREAD_TRANSPOSE")
    use_async_copy = env_bool("TRITON_HIP_USE_ASYNC_COPY")
    scalarize_packed_fops = env_bool("AMDGCN_SCALARIZE_PACKED_FOPS")


class proton_knobs(base_knobs):
    disable = env_bool("TRITON_PROTON_DISABLE")
    cupti_lib_dir = env_opt_str("TRITON_CUPTI_LIB_PATH")
    enable_nvtx = env_bool("TRITON_ENABLE_NVTX", True)


build = build_knobs()
redis = redis_knobs()
cache = cache_knobs()
compilation = compilation_knobs()
autotuning = autotuning_knobs()
runtime = runtime_knobs()
language = language_knobs()
nvidia = nvidia_knobs()
amd = amd_knobs()
proton = proton_knobs()


def refresh_knobs():
    """Read again what is only read at import."""
    runtime.debug = env_opt_bool("TRITON_DEBUG").get()


refresh_knobs()
