"""What a launch gives back: the compiled kernel, its texts and what it needs of the machine."""

import collections
import collections.abc
import copy
import functools

# what programs call a text -> the compiler's stage
_STAGES = {"ttir": "ir", "ttgir": "opt", "llir": "llvm", "ptx": "ptx", "asm": "asm", "sass": "sass"}
_ON_CPU = ("source", "ttir", "ttgir", "llir", "asm")
_ON_GPU = ("source", "ttir", "ttgir", "llir", "ptx")

Metadata = collections.namedtuple(
    "KernelMetadata", "name hash num_warps num_stages num_ctas shared target backend_name "
    "enable_fp_fusion cluster_dims tmem_size global_scratch_size profile_scratch_size")


class Texts(collections.abc.Mapping):
    """The stages of one compiled kernel, made when they are asked for."""

    def __init__(self, kernel, call):
        self._kernel = kernel
        self._call = call
        self._known = {}

    def __getitem__(self, name):
        if name not in self._known:
            self._known[name] = self._make(name)
        return self._known[name]

    def _make(self, name):
        if name == "source":
            return self._kernel.src
        if name == "cubin" and "ptx" in self:
            return _assembled(self["ptx"])
        if name not in _STAGES or (name in ("asm", "ptx") and name not in self._names()):
            raise KeyError(f"{name!r}; there are {', '.join(map(repr, self))}")
        return self._call.dump(_STAGES[name])

    def _names(self):
        return _ON_GPU if self._call.device() in ("cuda", "sim") else _ON_CPU

    def __iter__(self):
        return iter(self._names())

    def __len__(self):
        return len(self._names())


def _assembled(ptx):
    """What the toolkit's assembler makes of PTX, where there is one."""
    import os
    import re
    import subprocess
    import tempfile

    from . import knobs

    try:
        assembler = knobs.nvidia.ptxas.path
    except RuntimeError as missing:
        raise KeyError(f"cubin: {missing}") from None
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("kernel.ptx", "kernel.cubin")]
        with open(paths[0], "w", encoding="utf-8") as file:
            file.write(ptx)
        chip = re.search(r"^\.target (\w+)", ptx, re.MULTILINE)[1]
        done = subprocess.run([assembler, f"-arch={chip}", "-o", paths[1], paths[0]],
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{assembler} refuses the code for {chip}:\n{done.stderr}")
        with open(paths[1], "rb") as file:
            return file.read()


# what @jit(repr=...) is told: {parameter: type}, "constexpr" where it is compiled in; their values
Specialization = collections.namedtuple("Specialization", "signature constants")


def _specialization(kernel, call):
    import re

    header = re.search("^kernel .*", call.dump("ir"), re.MULTILINE).group()  # behind its constants
    types = dict(re.findall(r"%(\w+): (\*?\w+)", header))
    given = call.constants()
    signature = {name: types.get(name, "constexpr") for name in kernel.arg_names}
    return Specialization(signature, {n: given[n] for n in kernel.arg_names if n not in types})


class CompiledKernel:
    """One specialisation of a kernel on one device."""

    launch_enter_hook = None
    launch_exit_hook = None

    def __init__(self, kernel, call):
        self._kernel = kernel
        self._call = call
        self._stats = None
        self.asm = Texts(kernel, call)
        self.src = kernel
        self.name = kernel.__name__ if kernel.has_usual_repr else \
            kernel.repr(self.specialization())
        self.function = None
        self._options = {}

    def compiled_from(self, source, options):
        """The same for who has compiled a source with options, which launches of it have, too."""
        made = copy.copy(self)
        made.src, made._options = source, options
        return made

    def specialization(self):
        """The types and constants that it was compiled for."""
        return _specialization(self._kernel, self._call)

    def device(self):
        """Its name: "cpu", "cuda", "interp" or "sim"."""
        return self._call.device()

    def _on_gpu(self):
        return self.device() in ("cuda", "sim")

    @property
    def stats(self):
        """What compiling took, and what a GPU's code needs, as tilec_stats has it."""
        if self._stats is None:
            self._stats = self._call.stats()
        return self._stats

    @property
    def hash(self):
        import hashlib

        return hashlib.sha256(self.asm["ttir"].encode()).hexdigest()

    def times(self):
        """What parts of the compile took, in microseconds, as Triton's listeners are told of it."""
        from .knobs import CompileTimes

        took = {name[:-8]: round(1e6 * value) for name, value in self.stats.items()
                if name.endswith("_seconds")}
        stages = [(stage, took[part]) for stage, part in
                  (("generator", "generator"), ("llir", "emit"), ("cubin", "assemble"))]
        rest = took["compile"] - took["keep"] - sum(time for _, time in stages)
        return CompileTimes(max(rest, 1), stages, took["keep"])

    def tell_listener(self, listener):
        """Call knobs.compilation.listener for this compile, or for finding it in the cache."""
        from .compiler.compiler import ASTSource
        from .runtime.driver import driver

        told = self.specialization()
        target = driver.active.get_current_target()
        listener(src=ASTSource(self._kernel, told.signature, told.constants),
                 metadata={**self.metadata._asdict(), "target": target}, metadata_group={},
                 times=self.times(), cache_hit=bool(self.stats["from_cache"]))

    # programs divide by these to guess how many programs fit: on a CPU they must not be 0
    @property
    def n_regs(self):
        return self.stats["registers"] if self._on_gpu() else 32

    @property
    def n_spills(self):
        return self.stats["local_bytes"] // 4

    @property
    def n_max_threads(self):
        return 1024

    @property
    def shared(self):
        return self.stats["shared_bytes"] if self._on_gpu() else 1

    @property
    def metadata(self):
        warps = self.stats["warps"] if self._on_gpu() else self._asked("num_warps", 4)
        return Metadata(name=self.name, hash=self.hash, num_warps=warps,
                        num_stages=self._asked("num_stages", 3), num_ctas=self._asked("num_ctas", 1),
                        shared=self.shared, target=self._call.device(),
                        backend_name=self._call.device(), enable_fp_fusion=self._fuses(),
                        cluster_dims=(1, 1, 1), tmem_size=0, global_scratch_size=0,
                        profile_scratch_size=0)

    def _asked(self, option, default):
        """What the launch said of an option."""
        given = None if option in self._kernel.arg_names else self._call.constants().get(option)
        return default if given is None else given

    def _fuses(self):
        return bool(self._asked("enable_fp_fusion", False))

    @property
    def packed_metadata(self):
        return self.metadata

    def _init_handles(self):
        """Nothing is loaded late here."""

    def __getitem__(self, grid):
        return functools.partial(self._launch, grid)

    def _launch(self, grid, *args, **kwargs):
        """All arguments, as Triton takes them; or, as releases up to 3.2 did and programs that keep
        compiled kernels do, those alone that are not compiled in, by position.
        """
        if kwargs or len(args) != len(self._variable) or len(args) == len(self._kernel.params):
            return self._kernel[grid](*args, **{**self._options, **kwargs})
        return self._kernel[grid](**{**self._options, **self._compiled_in}, **dict(zip(self._variable, args)))

    def run(self, grid_0, grid_1, grid_2, stream, function, metadata, launch_metadata, enter_hook, exit_hook, *args):
        """A launch by what programs that write their own launchers give; the package calls its hooks itself."""
        on_stream = {"stream": stream} if self.device() == "cuda" else {}
        return self._launch((grid_0, grid_1, grid_2), *args, **on_stream)

    def launch_metadata(self, grid, stream, *args):
        """Nothing: hooks are told when run() launches."""

    @functools.cached_property
    def _variable(self):
        """Names of the parameters that are not compiled in."""
        return [p.name for p in self._kernel.params if not p.is_constexpr]

    @functools.cached_property
    def _compiled_in(self):
        """{name: value} of the others, and of options."""
        given = self._call.constants()
        return {name: value for name, value in given.items() if name not in self._variable}

    def _repr_html_(self):
        from .shown import Cell, table

        took = f"{1e3 * self.stats['compile_seconds']:.3g} ms"
        rows = [("compiled for", self._call.device()),
                ("compiling took", took + (", from the cache" if self.stats["from_cache"] else ""))]
        if self._on_gpu():
            rows += [("warps", self.stats["warps"]),
                     ("registers of a thread", self.stats["registers"]),
                     ("shared memory", f"{self.stats['shared_bytes']} bytes"),
                     ("local memory of a thread", f"{self.stats['local_bytes']} bytes")]
        return table([Cell(self.name, left=True), ""],
                     [[Cell(name, left=True), value] for name, value in rows])

    def __getattr__(self, name):
        raise AttributeError(f"a compiled kernel has no `{name}`: a launch gives no result, which "
                             "is in the arrays that the kernel stores to")

    def _is_no_array(self, *_, **__):
        raise TypeError(f"`{self.name}` gives no result: what it computes is in the arrays that it stores to, "
                        "which the launch was given")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _is_no_array
    __floordiv__ = __mod__ = __pow__ = __matmul__ = __rmatmul__ = __neg__ = __abs__ = _is_no_array
    __lt__ = __le__ = __gt__ = __ge__ = __len__ = __iter__ = __float__ = __int__ = _is_no_array
    __array__ = __setitem__ = _is_no_array

    def __bool__(self):
        return True

    def __repr__(self):
        return f"<{self.name}, compiled for {self._call.device()}>"
