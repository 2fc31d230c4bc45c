"""Configurations: Config, autotune, which measures them and keeps the fastest, and heuristics.

A tuned kernel runs all configurations when it meets a new key (values of some arguments, dtypes of
all) and afterwards the fastest.  What it found is kept for the process, and with
`cache_results=True` (or TRITON_CACHE_AUTOTUNING=1) on disk, for this machine.  The library measures
and keeps (python/src/tune.c); here is Triton's face of it: what a run is, with its hooks.
"""

import collections.abc
import concurrent.futures
import contextlib
import copy
import difflib
import functools
import threading
import time
import warnings

from . import _core, async_compile, device, knobs
from .errors import AutotunerError, CompilationError, OutOfResources, PTXASError
from .kernel import Arguments, KernelInterface
from .values import type_name
from .wrappers import copy_into, copy_of, fill_with_zeros, is_array

_MOST_THREADS = 16  # that compile: each takes some tens of megabytes
# what a configuration may fail with and the others go on
_SKIPPED = (OutOfResources, CompilationError, PTXASError)
# options of Config that older releases of Triton had; they asked for nothing that tilec has
_OBSOLETE = {"enable_warp_specialization", "enable_persistent", "num_buffers_warp_spec",
             "num_consumer_groups", "reg_dec_producer", "reg_inc_consumer"}


def _advice(option):
    """What is meant by an option that no Config has."""
    near = difflib.get_close_matches(option, ("num_warps", "num_stages", "num_ctas", "maxnreg"), 1)
    return (f"did you mean `{near[0]}`?" if near else
            f"values of parameters are a dictionary, Config({{'{option}': 128}})")


class Config:
    """One choice: values for parameters of the kernel, and options of the launch.  `pre_hook` is
    called with all arguments by name before each launch with it.
    """

    def __init__(self, kwargs=None, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None,
                 pre_hook=None, ir_override=None, **obsolete):
        unknown = set(obsolete) - _OBSOLETE
        if unknown:
            raise TypeError(f"a Config has no option `{min(unknown)}`: {_advice(min(unknown))}")
        if not isinstance(kwargs, collections.abc.Mapping):
            raise TypeError("the values of a Config are a dictionary: "
                            "Config({'BLOCK': 128}, num_warps=4)")
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def _options(self):
        options = {"num_warps": self.num_warps, "num_ctas": self.num_ctas,
                   "num_stages": self.num_stages, "maxnreg": self.maxnreg,
                   "ir_override": self.ir_override}
        return {name: value for name, value in options.items() if value is not None}

    def all_kwargs(self):
        """What a launch with it gets by name."""
        return {**self.kwargs, **self._options()}

    def _key(self):
        return (*sorted(self.all_kwargs().items(), key=lambda item: item[0]), self.pre_hook)

    def __eq__(self, other):
        return isinstance(other, Config) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())

    def __repr__(self):
        return f"Config({self})"


def _descriptor_of_its_own(value):
    """A descriptor that may be changed while others are in use; all else as it is."""
    return copy.copy(value) if hasattr(value, "__tilec_descriptor__") else value


def _cpus():
    """How many this process may use."""
    return _core.units("cpu")[0][3]


def _innermost(fn, is_it):
    """The first of a decorated function and what it wraps for which `is_it` holds."""
    while not is_it(fn):
        fn = fn.fn
    return fn


@functools.lru_cache(maxsize=None)
def _text_of(dtype):
    """str() of it, which takes NumPy microseconds."""
    return str(dtype)


class Autotuner(KernelInterface):
    """A kernel whose configuration is chosen by measuring; see autotune()."""

    def __init__(self, fn, arg_names, configs, key, reset_to_zero=None, restore_value=None,
                 pre_hook=None, post_hook=None, prune_configs_by=None, warmup=None, rep=None,
                 use_cuda_graph=False, do_bench=None, cache_results=False, verify=False):
        prune = prune_configs_by or {}
        self.fn = fn
        self.base_fn = _innermost(fn, lambda f: not hasattr(f, "fn"))
        self.base_kernel = _innermost(fn, lambda f: isinstance(f, _core.Kernel) or
                                      not hasattr(f, "fn"))
        self.__name__ = getattr(self.base_fn, "__name__", "kernel")
        self.__doc__ = self.base_fn.__doc__
        self.__module__ = self.base_fn.__module__
        self.arg_names = arg_names
        if not hasattr(configs, "__iter__"):
            raise TypeError(f"@autotune takes a list of configurations: [Config({{'BLOCK': 128}})], not {configs!r}")
        self.configs = list(configs)
        self._has_none = not self.configs
        self.configs = self.configs or [Config({})]
        wrong = [c for c in self.configs if not hasattr(c, "all_kwargs")]
        if wrong:
            raise TypeError("what @autotune measures are configurations, Config({'BLOCK': 128}), "
                            f"and none is {wrong[0]!r}")
        self.keys = [key] if isinstance(key, str) else list(key)
        self.reset_to_zero = list(reset_to_zero or ())
        self.restore_value = list(restore_value or ())
        self._check_names()
        _warn_of_pruning(self.__name__, prune)
        self.pre_hook = pre_hook or self._reset
        self.post_hook = post_hook or self._restore
        self.user_defined_pre_hook, self.user_defined_post_hook = bool(pre_hook), bool(post_hook)
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.num_warmups, self.num_reps = warmup, rep
        self.use_cuda_graph = use_cuda_graph
        self._do_bench = do_bench
        self.cache_results = cache_results
        self.verify = verify
        self.cache = {}          # Config by key
        self.configs_timings = {}  # of the last key: what do_bench gave, by Config
        self.bench_time = 0.0    # of the last key, in seconds
        self.best_config = None
        self.nargs = None        # while tuning: arguments by position, by name
        self._compiled = None    # of the last run that was measured
        self._lock = threading.RLock()
        self._saved = {}

    def _check_names(self):
        self._warn_of_keys()
        lists = {"reset_to_zero": self.reset_to_zero, "restore_value": self.restore_value}
        for option, names in lists.items():
            for name in names:
                if name not in self.arg_names:
                    raise ValueError(f"{option} of the tuned kernel {self.__name__}: it has no "
                                     f"parameter `{name}`, only {', '.join(self.arg_names)}")

    def _warn_of_keys(self):
        """Triton ignores them, and programs have some."""
        unknown = [name for name in self.keys if name not in self.arg_names]
        if unknown:
            warnings.warn(
                f"key of the tuned kernel {self.__name__}: it has no parameter `{unknown[0]}`, only "
                f"{', '.join(self.arg_names)}; nothing is tuned anew for it", RuntimeWarning, stacklevel=5)

    # --- what runs leave behind ---

    def _reset(self, args, reset_only=False):
        for name in self.reset_to_zero:
            if args.get(name) is not None:
                fill_with_zeros(args[name])
        if not reset_only:
            self._saved = {name: copy_of(args[name]) for name in self.restore_value
                           if args.get(name) is not None}

    def _restore(self, args, exception=None):
        for name, saved in self._saved.items():
            copy_into(args[name], saved)
        self._saved = {}

    # --- measuring ---

    @property
    def _measures_itself(self):
        """Does the user say how, or is there no kernel below that the library could time?"""
        return bool(self._do_bench or self.num_warmups is not None or self.num_reps is not None or
                    self.use_cuda_graph or not isinstance(self.base_kernel, _core.Kernel))

    @property
    def do_bench(self):
        """How a configuration is measured: a function of a call and `quantiles`."""
        if self._do_bench:
            return self._do_bench
        from . import testing

        given = {"warmup": self.num_warmups, "rep": self.num_reps}
        given = {name: value for name, value in given.items() if value is not None}
        if self.use_cuda_graph:
            given.pop("warmup", None)
            return functools.partial(testing.do_bench_cudagraph, **given)
        return functools.partial(testing.do_bench, **given)

    def _call(self, config, args, kwargs):
        """One launch with `config` as it is measured, hooks and all."""
        current = {**kwargs, **config.all_kwargs()}
        named = Arguments({**self.nargs, **current})
        if config.pre_hook:
            config.pre_hook(named)
        self.pre_hook(named)
        try:
            self._compiled = self.fn.run(*args, **current)
        except Exception as error:
            self.post_hook(named, exception=error)
            raise
        self.post_hook(named, exception=None)

    def _may_compile_ahead(self):
        """Is there nothing between here and the kernel but heuristics, and nobody who is told?"""
        fn = self.fn
        while isinstance(fn, Heuristics):
            fn = fn.fn
        hooks = (knobs.runtime.kernel_load_start_hook, knobs.runtime.kernel_load_end_hook,
                 knobs.runtime.jit_cache_hook, knobs.runtime.jit_post_compile_hook,
                 knobs.compilation.listener, async_compile.active)
        return isinstance(fn, _core.Kernel) and not any(hooks) and not fn.pre_run_hooks

    def _ahead(self, config, args, kwargs):
        """A call that compiles `config`, with descriptors as its hook makes them."""
        kwargs = {**kwargs, **config.all_kwargs(), "warmup": True}
        if config.pre_hook:
            args = [_descriptor_of_its_own(value) for value in args]
            kwargs = {name: _descriptor_of_its_own(value) for name, value in kwargs.items()}
            with contextlib.suppress(Exception):  # it is called again in front of the run
                config.pre_hook(Arguments({**dict(zip(self.arg_names, args)), **kwargs}))
        return functools.partial(self.fn.run, *args, **kwargs)

    def _compile_ahead(self, configs, args, kwargs):
        """Compile several at a time what runs would compile one by one; what fails here fails again
        in its run.
        """
        def call(compile_one):
            with contextlib.suppress(Exception):
                compile_one()

        threads = min(len(configs), _cpus(), _MOST_THREADS)
        if threads < 2 or not self._may_compile_ahead():
            return
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            list(pool.map(call, [self._ahead(config, args, kwargs) for config in configs]))

    def _measure(self, config, args, kwargs):
        """Times at the median, 20% and 80%, or the exception because of which there are none."""
        try:
            return self.do_bench(lambda: self._call(config, args, kwargs),
                                 quantiles=(0.5, 0.2, 0.8))
        except _SKIPPED as error:
            return error

    def _run_or_skip(self, config, args, kwargs):
        """One launch of which the library asks the device for its time: True, or an exception."""
        try:
            self._call(config, args, kwargs)
        except _SKIPPED as error:
            return error
        return True

    def _try(self, config, args, kwargs, told):
        """What a run in search of the fastest gives, of which a text is printed the first time."""
        first = config not in told
        if first and knobs.autotuning.print:
            print(f"tuning {self.__name__} with {config}")
        found = (self._measure if self._measures_itself else self._run_or_skip)(config, args, kwargs)
        if first and knobs.autotuning.print and isinstance(found, Exception):
            print(f"tuning {self.__name__}: skipped {config}: {found}")
        told[config] = found
        return found

    def _bench(self, *args, config, **meta):
        """What tuners of programs, which derive from this one, measure by: the times of _measure(),
        infinite where the configuration is skipped.
        """
        before = self.nargs
        self.nargs = before or dict(zip(self.arg_names, args))
        try:
            found = self._measure(config, args, meta)
        finally:
            self.nargs = before
        return [float("inf")] * 3 if isinstance(found, Exception) else found

    def _timings(self, configs, args, kwargs, given):
        """Times of those that run, {config: times}; were they known before?"""
        found = {}

        def run(number):
            if not found:
                self._compile_ahead(configs, args, kwargs)
            result = self._try(configs[number], args, kwargs, found)
            if isinstance(result, Exception):
                return None
            return True if result is True else _median(result) / 1e3

        if not isinstance(self.base_kernel, _core.Kernel):
            for number in range(len(configs)):
                run(number)
            rows, known = (), False
        else:
            unkept = not (self.cache_results or knobs.autotuning.cache)
            _, known, rows = self.base_kernel._tune(
                given, [config.all_kwargs() for config in configs], self.keys, run,
                self._measures_itself, unkept, kwargs.get("device"))
        if not known and self._measures_itself:
            timings = {c: t for c, t in found.items() if not isinstance(t, Exception)}
        else:
            timings = {configs[i]: [1e3 * t for t in times] for i, *times in rows}
        if not timings:
            raise next(iter(found.values()))
        return timings, known

    def _tune(self, configs, args, kwargs):
        """{config: times} of those that run; the first one's exception where none does; were these
        times known?
        """
        given = {name: value for name, value in {**self.nargs, **kwargs}.items()
                 if name in self.arg_names}
        before = None if self._somebody_cares(configs) else _cheap_copies(given)
        timings, known = self._timings(configs, args, kwargs, given)
        if known:
            return timings, True
        self._warn_in_place(timings, before, args, kwargs)
        if self.verify:
            self._verify(list(timings), args, kwargs)
        self.pre_hook(Arguments({**self.nargs, **kwargs, **_fastest(timings).all_kwargs()}),
                      reset_only=True)
        return timings, False

    def _somebody_cares(self, configs):
        """Does the user say what becomes of arrays that runs change?"""
        return bool(self.user_defined_pre_hook or self.user_defined_post_hook or self.reset_to_zero or
                    self.restore_value or any(config.pre_hook for config in configs))

    def _warn_in_place(self, timings, before, args, kwargs):
        """The runs that were measured have changed what they read, unless somebody sees to that or
        it makes no difference to one more run.  `before`: _cheap_copies() from before them.
        """
        stats = getattr(self._compiled, "stats", None)
        if self._somebody_cares(timings) or not stats or not stats["in_place"]:
            return
        may = "may hold"
        if before is not None:
            if not self._depends_on(before, _fastest(timings), args, kwargs):
                return
            may = "hold"
        warnings.warn(
            f"{self.__name__} reads what it writes, and was run many times while it was tuned, so that "
            f"its arrays {may} what all these runs have left: name those that it changes in "
            "restore_value=[...] of @triton.autotune, or in reset_to_zero=[...]",
            RuntimeWarning, stacklevel=2)

    def _depends_on(self, before, config, args, kwargs):
        """Would one more run on the arrays give something else than one on those of before?"""
        arrays = {name: array for name, array in {**self.nargs, **kwargs}.items() if name in before}
        held = _copies(arrays)
        self._call_on(config, args, kwargs)
        again = _copies(arrays)
        _put_back(arrays, before)
        self._call_on(config, args, kwargs)
        once = _copies(arrays)
        _put_back(arrays, held)
        return any(_disagree(*_difference(again[name], once[name])) for name in arrays)

    # --- do all configurations give the same? ---

    def _verify(self, configs, args, kwargs):
        """Run each on the arrays as they are now and compare with what the first one wrote."""
        named = {**self.nargs, **kwargs}
        arrays = {name: value for name, value in named.items() if is_array(value)}
        before = _copies(arrays)
        wanted = None
        for config in configs:
            self._call_on(config, args, kwargs)
            results = _copies(arrays)
            _put_back(arrays, before)
            wanted = wanted or results
            for name, result in results.items():
                self._compare(name, result, wanted[name], config, configs[0])

    def _call_on(self, config, args, kwargs):
        """A launch whose results stay: no post_hook."""
        current = {**kwargs, **config.all_kwargs()}
        named = Arguments({**self.nargs, **current})
        if config.pre_hook:
            config.pre_hook(named)
        self.pre_hook(named, reset_only=True)
        self.fn.run(*args, **current)

    def _compare(self, name, result, wanted, config, first):
        difference, scale, bits = _difference(result, wanted)
        if _disagree(difference, scale, bits, self.verify):
            raise AutotunerError(
                f"configurations of {self.__name__} disagree in `{name}`: {config} differs from "
                f"{first} by {difference:.4g}, where values go up to {scale:.4g}")

    # --- choosing ---

    def prune_configs(self, kwargs):
        """The configurations worth measuring for the arguments in `nargs` and `kwargs`."""
        configs = self.configs
        if self.early_config_prune:
            configs = list(_called("early_config_prune", "f(configs, named_args, **kwargs)", self.early_config_prune,
                                   configs, Arguments(self.nargs), **kwargs))
            if not configs:
                raise AutotunerError("No valid autotuner configs after pruning. `early_config_prune` "
                                     "should return at least one config.")
        if not self.perf_model:
            return configs
        top = self.configs_top_k
        if not isinstance(top, int):
            top = max(1, int(len(configs) * top))
        if len(configs) <= top:
            return configs
        return sorted(configs, key=lambda c: _called(
            "perf_model", "f(**args)", self.perf_model, **{**self.nargs, **kwargs, **c.all_kwargs()}))[:top]

    def _key(self, named):
        for name in self.keys:
            if type(named.get(name)).__hash__ is None:
                raise TypeError(f"`{name}` is in the key of the tuned kernel {self.__name__}, and cannot be "
                                f"{type_name(named[name])}: give it a number, a text or a tuple")
        key = [named[name] for name in self.keys if name in named]
        for name in self.arg_names:
            dtype = getattr(named.get(name), "dtype", None)
            if dtype is not None:
                key.append(_text_of(dtype))
        return tuple(key + [device.selected] if device.selected else key)

    def _check_given_once(self, config, named):
        twice = config.kwargs.keys() & named.keys()
        if twice:
            raise ValueError(f"`{min(twice)}` of {self.__name__} is given by the launch and by the "
                             "configuration: leave it out of the launch")

    def _choose(self, args, kwargs, named):
        key = self._key(named)
        if key not in self.cache:
            with self._lock:  # one thread tunes, the others wait for what it finds
                self.nargs = dict(zip(self.arg_names, args))
                try:
                    if key not in self.cache:
                        self.cache[key] = self._choose_anew(key, args, kwargs, named)
                finally:
                    self.nargs = None
        return self.cache[key]

    def _choose_anew(self, key, args, kwargs, named):
        configs = self.prune_configs(kwargs)
        for config in configs:
            self._check_given_once(config, named)
        if len(configs) == 1:
            return configs[0]
        start = time.perf_counter()
        timings, known = self._tune(configs, args, kwargs)
        self.configs_timings, self.bench_time = timings, time.perf_counter() - start
        self._report(key, _fastest(timings), known)
        return _fastest(timings)

    def _report(self, key, best, known):
        if knobs.autotuning.print:
            how = "from disk" if known else f"in {self.bench_time:.2f} s"
            print(f"tuned {self.__name__} for {key} {how}: {best}")
        if knobs.autotuning.listener:
            knobs.autotuning.listener(
                fn=_innermost(self.fn, lambda f: hasattr(f, "cache_key")), key=key,
                best_config=best, configs_timings=self.configs_timings,
                duration=None if known else self.bench_time, cache_hit=known)

    # --- launching ---

    def run(self, *args, **kwargs):
        named = {**dict(zip(self.arg_names, args)), **kwargs}
        if len(self.configs) == 1:
            config = self.configs[0]
            self._check_given_once(config, named)
        else:
            config = self._choose(args, kwargs, named)
        self.best_config = config
        if config.pre_hook:
            config.pre_hook(Arguments({**named, **config.all_kwargs()}))
        if kwargs.pop("warmup", False):
            return self.fn.warmup(*args, **kwargs, **config.all_kwargs())
        grid = kwargs.pop("grid")
        try:
            return self.fn[grid](*args, **kwargs, **config.all_kwargs())
        except TypeError as error:
            if self._has_none and "misses an argument" in str(error):
                raise TypeError(f"{error}\nhint: the list of configurations of @autotune is empty") from error
            raise

    def warmup(self, *args, grid, **kwargs):
        """Compile all configurations that are worth it; a list."""
        with self._lock:
            self.nargs = dict(zip(self.arg_names, args))
            configs = self.prune_configs(kwargs)
            self.nargs = None
        return [self.fn.warmup(*args, grid=grid, **kwargs, **config.all_kwargs())
                for config in configs]

    def __call__(self, *args, **kwargs):
        return self.fn(*args, **kwargs)


_PRUNING = ("early_config_prune", "perf_model", "top_k")


def _warn_of_pruning(kernel, prune):
    """Triton ignores names that it does not know."""
    unknown = [name for name in prune if name not in _PRUNING]
    if unknown:
        near = difflib.get_close_matches(unknown[0], _PRUNING, 1)
        warnings.warn(f"prune_configs_by of the tuned kernel {kernel} has no `{unknown[0]}`, which is ignored: " +
                      (f"did you mean `{near[0]}`?" if near else f"there are {', '.join(_PRUNING)}"),
                      RuntimeWarning, stacklevel=4)


def _called(option, how, function, *args, **kwargs):
    """What it gives.  Where it does not take the arguments, Python's own text does not say who calls it."""
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        if error.__traceback__.tb_next is not None:
            raise
        raise TypeError(f"{error}: {option} is called as {how}, of which the last are the arguments of the "
                        f"launch by name") from error


def _fastest(timings):
    """The configuration with the least time, of lists or of numbers."""
    return min(timings, key=lambda c: timings[c])


def _median(times):
    """What do_bench gave, a number or several of which that is the first."""
    return float(times[0] if hasattr(times, "__getitem__") else times)


# arrays that are copied without being asked for, in bytes
_CHEAP = 64 << 20


def _copies(arrays):
    return {name: copy_of(array) for name, array in arrays.items()}


def _put_back(arrays, saved):
    for name, array in arrays.items():
        copy_into(array, saved[name])


def _is_plain(array):
    """Can it be copied and written back, each element once?"""
    if getattr(array, "requires_grad", False):
        return False
    if hasattr(array, "is_contiguous"):
        return array.is_contiguous()
    flags = getattr(array, "flags", None)
    return bool(getattr(flags, "c_contiguous", False)) and getattr(flags, "writeable", True)


def _cheap_copies(named):
    """Copies of all arrays among arguments, by name.  None where they are large, where one cannot be
    written back, or where an argument may have arrays inside.
    """
    arrays = {name: value for name, value in named.items() if is_array(value)}
    rest = [value for name, value in named.items() if name not in arrays]
    if not all(value is None or isinstance(value, (int, float, str)) for value in rest):
        return None
    if not all(map(_is_plain, arrays.values())):
        return None
    if sum(getattr(array, "nbytes", _CHEAP + 1) for array in arrays.values()) > _CHEAP:
        return None
    return _copies(arrays)


def _disagree(difference, scale, bits, bound=True):
    """Is what _difference() gives too much?  `bound` as `verify`."""
    if bound is True:
        bound = {16: 1e-2, 32: 1e-4}.get(bits, 1e-10)
    return bits == 0 and difference != 0 or not difference <= bound * scale


def _difference(result, wanted):
    """Largest difference of two arrays, largest value, bits of the dtype (0: integers)."""
    from .testing import _as_numpy
    import numpy

    floating = getattr(result.dtype, "is_floating_point", getattr(result.dtype, "kind", "") == "f")
    x, y = _as_numpy(result), _as_numpy(wanted)
    if numpy.array_equal(x, y):
        return 0, 0, 0
    x, y = (v.astype(numpy.float64 if floating else object) for v in (x, y))
    if not x.size:
        return 0, 0, 0
    same = (x == y) | ((x != x) & (y != y))
    gap = numpy.where(same, 0, numpy.abs(numpy.where(same, 0, x) - numpy.where(same, 0, y)))
    finite = y[numpy.isfinite(y)] if floating else y
    scale = numpy.abs(finite).max() if finite.size else 0
    return float(gap.max()), float(scale), result.dtype.itemsize * 8 if floating else 0


def _names_of(fn, decorator):
    """The names of the parameters of a kernel, which the decorator stands above."""
    if not hasattr(fn, "arg_names"):
        raise TypeError(f"@{decorator} takes a kernel, not {fn!r}: it stands above @triton.jit")
    return fn.arg_names


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None,
             pre_hook=None, post_hook=None, warmup=None, rep=None, use_cuda_graph=False,
             do_bench=None, cache_results=False, verify=False):
    """Decorator: launch with the fastest of `configs`, measured anew for each value of the arguments
    named in `key` and each combination of dtypes.

    prune_configs_by    {"early_config_prune": f(configs, named_args, **kwargs) -> configs,
                         "perf_model": f(**args) -> estimate, "top_k": how many are measured}
    reset_to_zero       arrays that are zeroed before every launch while measuring
    restore_value       arrays that get their values back after every launch while measuring
    pre_hook            f(args, reset_only=False) instead of both; post_hook f(args, exception)
    warmup, rep         milliseconds, as those of do_bench(); do_bench a function instead of it
    cache_results       keep times on disk, for this machine, where `tilec run --tune` and programs
                        in C find them, too, and look for theirs
    verify              True, or the largest relative difference: all configurations must write
                        the same values, otherwise an AutotunerError

    A configuration that cannot be compiled, or has no room on the device, is skipped.
    """
    def decorate(fn):
        return Autotuner(fn, _names_of(fn, "autotune"), configs, key, reset_to_zero, restore_value, pre_hook,
                         post_hook, prune_configs_by, warmup, rep, use_cuda_graph, do_bench,
                         cache_results, verify)

    return decorate


class Heuristics(KernelInterface):
    """A kernel some of whose parameters are computed from the others; see heuristics()."""

    def __init__(self, fn, arg_names, values):
        self.fn = fn
        self.base_fn = _innermost(fn, lambda f: not hasattr(f, "fn"))
        self.arg_names = arg_names
        if not hasattr(values, "items") or not all(map(callable, values.values())):
            raise TypeError("what @heuristics takes is a dictionary of functions: "
                            "{'BLOCK': lambda args: triton.next_power_of_2(args['n'])}")
        self.values = values
        self.__name__ = getattr(self.base_fn, "__name__", "kernel")
        self.__doc__ = self.base_fn.__doc__

    def run(self, *args, **kwargs):
        named = dict(zip(self.arg_names, args))
        for name, function in self.values.items():
            if name not in named:
                kwargs[name] = function(Arguments({**named, **kwargs}))
        if kwargs.pop("warmup", False):
            return self.fn.warmup(*args, **kwargs)
        grid = kwargs.pop("grid")
        return self.fn[grid](*args, **kwargs)

    def __call__(self, *args, **kwargs):
        return self.fn(*args, **kwargs)


def heuristics(values):
    """Decorator: the parameters named in `values` get what its functions give for a dictionary of
    all arguments.
    """
    return lambda fn: Heuristics(fn, _names_of(fn, "heuristics"), values)
