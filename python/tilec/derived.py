"""tilec.grad(kernel, of="out", wrt=("x", "w")): launches of the kernel of a kernel's gradients.

    gradient = tilec.grad(kernel, of="out", wrt="x")
    gradient[grid](x, out, n, BLOCK=1024, d_out=d_out, d_x=d_x)

The compiler derives it for the types and constants of the first such launch (docs/gradients.md), and
what it derives is a kernel as any other: `gradient.derive(x, out, n, BLOCK=1024)` gives it.
"""

import collections
import functools
import linecache
import re

from .jit import JITFunction
from .kernel import KernelInterface
from .language.constants import constexpr
from .speech import DERIVED

_READ, _STORED, _PARTS, _ADDED = range(4)  # as tilec_gradient_fill in tilec.h

# a parameter of the derived kernel: `d_x` for `x`
Gradient = collections.namedtuple("Gradient", "array name fill stored")

# grid, arrays that are copied and zeroed before, workspaces as Derived._space takes them, sums of parts,
# numbers beside the kernel's own arguments, options of both kernels
Plan = collections.namedtuple("Plan", "derived grid copied zeroed spaces sums numbers options options_of_sums")


class Derived:
    """A derived kernel: `kernel` launches it, `text` is the Python file that has it, `gradients` says
    which parameter is whose gradient, `saved` which arrays are to be as the forward left them.
    """

    def __init__(self, text, name, gradients, workspaces, sums, sizes, needs, programs, grid, saved):
        self.text = text
        self._needs = needs
        self.saved = saved
        self.gradients = [Gradient(*g) for g in gradients]
        self._workspaces, self._sums, self._sizes = workspaces, sums, sizes
        self._programs, self._grid = programs, grid
        self._options = {} if _asks_data(text) else {"debug": False}
        self._kept = {}  # workspaces of NumPy's, for the next launch: pages that were written are there at once
        names = _names_in(text, name)
        self.kernel = names[name]
        self.kernel.saved_by_forward = tuple(saved)
        self._add_up = names.get(f"{name}_sum")

    def unmet(self, grid, named):
        """(array, condition) for each that a launch does not meet."""
        known = {**named, "grid": grid, "tl": _Language}
        return [(array, text) for array, text in self._needs if not _value(text, known)]

    def unsaid(self, options):
        """Which number of rounds a launch has to say, and does not; None: none."""
        return next((name for name, array in self._sizes if not array and name not in options), None)

    def plan(self, grid, named, gradients, options):
        """What launches of such arguments do."""
        sizes = {name: _size(named[array]) for name, array in self._sizes if array}
        said = dict(self._sizes)
        known = {**named, **sizes, **{k: v for k, v in options.items() if k in said}, "grid": grid,
                 "tl": _Language, "triton": _Language, "min": min, "max": max}

        def number(text):
            return int(_value(text, known))

        sums = [(total, parts, number(rows), number(width)) for total, parts, rows, width in self._sums]
        filled = {total: width for total, _, _, width in sums}
        copied, zeroed = [], []
        for g in self.gradients:
            if g.fill == _READ:
                continue
            stored = number(g.stored) if g.stored else filled.get(g.name, 0)
            if g.array == self.gradients[0].array:
                copied.append(g.name)  # what is not touched keeps it
            elif not _is_within(gradients[g.name], stored):
                zeroed.append(g.name)  # also where each is stored: elements that are not read have none
        spaces = [(name, max(number(count), 0), dtype, zero)  # a loop of no rounds may count less
                  for name, count, dtype, zero in self._workspaces]
        counts = {name: number(text) for name, text in self._programs}
        return Plan(self, tuple(map(number, self._grid)), copied, zeroed, spaces, sums, {**sizes, **counts},
                    {**self._options, **options}, {k: v for k, v in options.items() if k not in said})

    def launch(self, plan, named, gradients):
        """With workspaces and sums; what `gradients` held before does not matter, but for the first."""
        like = gradients[self.gradients[0].name]
        for name in plan.copied:
            gradients[name][...] = like
        for name in plan.zeroed:
            _zero(gradients[name])
        spaces = {name: self._space(name, *how, like) for name, *how in plan.spaces}
        given = gradients
        if plan.sums:
            given = {g.name: gradients[g.name] for g in self.gradients if g.fill != _PARTS}
        made = self.kernel[plan.grid](**named, **given, **spaces, **plan.numbers, **plan.options)
        for total, parts, rows, width in plan.sums:
            self._add_up[(-(-width // 128),)](gradients[total], spaces[parts], rows, width, ROWS=16, BLOCK=128,
                                              **plan.options_of_sums)
        if not hasattr(like, "new_empty"):
            self._kept.update(spaces)
        return made

    def _space(self, name, n, dtype, zero, like):
        """Memory of the kind that `like` has; no other launch has it now."""
        if hasattr(like, "new_empty"):
            import torch

            return (like.new_zeros if zero else like.new_empty)(n, dtype=getattr(torch, _NAMES[dtype]))
        import numpy

        space = self._kept.pop(name, None)
        if space is None or space.size != n:
            return (numpy.zeros if zero else numpy.empty)(n, _NAMES[dtype])
        if zero:
            space.fill(0)
        return space


@functools.lru_cache(maxsize=1024)
def _code(text):
    return compile(text, "<derived>", "eval")


def _value(text, known):
    """Of an expression of the compiler's making."""
    return eval(_code(text), {"__builtins__": {}}, known)


class _Language:
    """What expressions of numbers call."""
    minimum, maximum, cdiv = min, max, staticmethod(lambda a, b: -(-a // b))


def _size(array):
    """How many elements there are from the first to the last."""
    return 1 + sum((n - 1) * s for n, s in _layout(array) or ((1, 1),))


def _is_within(array, n):
    """Are its elements the first n, or fewer, one behind the other?"""
    layout = _layout(array)
    return layout is not None and len(layout) <= 1 and all(s == 1 and m <= n for m, s in layout or ((1, 1),))


_NAMES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64",
          **{f"{sign}{bits}": f"{'u' * (sign == 'u')}int{bits}" for sign in "iu" for bits in (8, 16, 32, 64)}}


def _names_in(text, name):
    """What the text of a file defines, in which `triton` is this package."""
    import tilec
    from . import language
    from .language.extra import libdevice

    path = f"{DERIVED}{name} {next(_names_in.numbers)}>"
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    code = re.sub(r"^(import|from) .*$", "", text, flags=re.MULTILINE)
    names = {"__name__": __name__, "triton": tilec, "tl": language, "libdevice": libdevice}
    exec(compile(code, path, "exec"), names)
    return names


def _asks_data(text):
    """Does it assert more than what `unmet` knows before the launch, which stands at its beginning?  A GPU's launch
    waits for programs that assert something."""
    begins = re.search(r'"""\n(?: +tl\.(?:static|device)_assert\((?:[^"\n]|"[^"]*"|\n)*?\)\n)*', text[text.index('"""') + 3:])
    return "tl.device_assert(" in text[text.index('"""') + 3 + begins.end():]


_names_in.numbers = iter(range(1 << 62))


def _kind(value, is_constexpr):
    """What of an argument the derived kernel depends on."""
    if isinstance(value, constexpr):
        value, is_constexpr = value.value, True
    if value is None or isinstance(value, (bool, str)):
        return value
    if is_constexpr:
        return type(value), value if getattr(value, "__hash__", None) else repr(value)
    if isinstance(value, int):
        return int, -2**31 <= value < 2**31, value >= 2**63
    if isinstance(value, (tuple, list)):
        return tuple(_kind(v, False) for v in value)
    return type(value), str(getattr(value, "dtype", None))


_MOST_PLANS = 256


def _of_plan(value):
    """What of an argument a plan depends on; raises TypeError where nobody knows."""
    if value is None or isinstance(value, (bool, int, str, float)):
        return type(value), value
    if callable(getattr(value, "stride", None)) and hasattr(value, "data_ptr"):
        return type(value), value.dtype, tuple(value.shape), value.stride()
    if type(value).__name__ != "ndarray":
        raise TypeError
    return type(value), value.dtype, value.shape, value.strides


def _alike(kernel, grid, named, gradients, options):
    """What launches of the same plan have in common; None: it is planned anew."""
    try:
        key = (kernel._current(), grid, *named, *map(_of_plan, named.values()), *gradients,
               *map(_of_plan, gradients.values()), *options.items())
        hash(key)
    except TypeError:
        return None
    return key


def _layout(array):
    """Shape and strides in elements; None: nobody says."""
    shape = getattr(array, "shape", None)
    if shape is None:
        return None
    if callable(getattr(array, "stride", None)):
        strides = array.stride()
    elif getattr(array, "strides", None) is not None:
        strides = (s // array.itemsize for s in array.strides)
    else:
        return None
    kept = [(n, s) for n, s in zip(shape, strides) if n != 1]  # the stride of one element is none
    if 0 in tuple(shape):
        return ()
    flat = []  # as few dimensions as it has, so that a view of all elements in a row is the same
    for n, s in kept:
        if flat and flat[-1][1] == n * s:
            flat[-1] = (flat[-1][0] * n, s)
        else:
            flat.append((n, s))
    return tuple(flat)


def _zero(array):
    if hasattr(array, "zero_"):
        array.detach().zero_()  # one that wants a gradient itself is a leaf that autograd guards
    else:
        array.fill(0)


def split(kernel, args, kwargs):
    """(arguments of the kernel by name, those of gradients, options of the launch)"""
    if not isinstance(kernel, JITFunction):
        raise TypeError(f"grad derives a kernel of @jit, not a {type(kernel).__name__}: of one with "
                        "@autotune or @heuristics take what they decorate, kernel.fn")
    if len(args) > len(kernel.arg_names):
        raise TypeError(f"kernel `{kernel.__name__}` takes {len(kernel.arg_names)} arguments, but "
                        f"{len(args)} were given")
    named = {p.name: p.default for p in kernel.params if p.has_default}
    named.update(zip(kernel.arg_names, args))
    gradients, options = {}, {}
    for name, value in kwargs.items():
        if name in kernel.arg_names[:len(args)]:
            raise TypeError(f"kernel got two values for the parameter `{name}`")
        where = named if name in kernel.arg_names else gradients if name.startswith("d_") else options
        where[name] = value
    return named, gradients, options


class Gradients(KernelInterface):
    """What tilec.grad() gives: gradient[grid](arguments of the kernel, d_out=, d_x=, ...)"""

    def __init__(self, kernel, of, wrt, atomics=False, recompute=False, tape="keep", fused=False):
        split(kernel, (), {})  # is it one?
        constants = getattr(kernel, "saved_by_forward", ())
        if constants:
            raise ValueError(f"kernel `{kernel.__name__}`: its gradient would take `{constants[0]}` for a constant, which "
                             "the forward computes: derive it with recompute=True")
        self.fn = kernel
        self.of = of
        self.recompute = recompute
        self.tape = _tape(tape)
        self.fused = fused
        self.wrt = (wrt,) if isinstance(wrt, str) else tuple(wrt)
        self.atomics = _atomics(atomics, self.wrt)
        if not self.wrt:
            raise ValueError("wrt is empty: it names the arrays whose gradients are wanted")
        self.__name__ = f"{kernel.__name__}_grad"
        self._known = {}
        self._plans = {}  # by what launches have in common
        for name in (of, *self.wrt):
            if name not in kernel.arg_names:
                raise TypeError(f"kernel `{kernel.__name__}` has no parameter `{name}`, only "
                                f"{', '.join(kernel.arg_names)}")

    def _derived(self, named, options, atomics):
        kernel = self.fn
        key = (kernel._current(), atomics, *(_kind(named.get(p.name), p.is_constexpr) for p in kernel.params))
        found = self._known.get(key)
        if found is None:
            found = Derived(*kernel._derive((), {**named, **options}, self.of, self.wrt, atomics, self.recompute,
                                            self.tape, self.fused))
            found = self._known.setdefault(key, found)
        return found

    def derive(self, *args, **kwargs):
        """The Derived for these arguments of the kernel."""
        named, _, options = split(self.fn, args, kwargs)
        return self._derived(named, options, self.atomics)

    def _meeting(self, grid, named, options):
        """The Derived whose conditions this launch meets: arrays of which elements overlap are added to by atomics."""
        atomics = self.atomics
        while True:
            derived = self._derived(named, options, atomics)
            unmet = derived.unmet(grid, named)
            more = atomics | _atomics([array for array, _ in unmet if array in self.wrt], self.wrt)
            if more == atomics:
                break
            atomics = more
        if unmet:
            raise ValueError(f"gradient of kernel `{self.fn.__name__}`: elements of `{unmet[0][0]}` are stored twice, as "
                             f"{unmet[0][1]} does not hold")
        return derived

    def _check(self, named, gradients, derived):
        wanted = [g.name for g in derived.gradients]
        if set(gradients) != set(wanted):
            missing = [name for name in wanted if name not in gradients]
            text = f"an argument for `{missing[0]}` is missing" if missing else \
                f"there is no gradient `{min(set(gradients) - set(wanted))}`"
            raise TypeError(f"gradient of kernel `{self.fn.__name__}`: {text}; it takes "
                            f"{', '.join(wanted)} by name")
        for g in derived.gradients:
            layouts = _layout(named[g.array]), _layout(gradients[g.name])
            if None not in layouts and layouts[0] != layouts[1]:
                raise ValueError(f"`{g.name}` needs the shape and strides of `{g.array}`, element for "
                                 f"element: extents and strides are {layouts[1]} instead of {layouts[0]}")

    def run(self, *args, grid, warmup=False, **kwargs):
        return self._run(grid, warmup, args, kwargs)

    def __getitem__(self, grid):
        def launch(*args, **kwargs):  # of which one may be called `grid`
            return self._run(grid, False, args, kwargs)

        return launch

    def _run(self, grid, warmup, args, kwargs):
        named, gradients, options = split(self.fn, args, kwargs)
        grid = grid(named) if callable(grid) else grid
        grid = (*((grid,) if isinstance(grid, int) else grid), 1, 1)[:3]
        key = None if warmup else _alike(self.fn, grid, named, gradients, options)
        plan = self._plans.get(key) if key else None
        if plan:
            return plan.derived.launch(plan, named, gradients)
        derived = self._meeting(grid, named, options)
        self._check(named, gradients, derived)
        unsaid = derived.unsaid(options)
        if unsaid:
            raise TypeError(f"gradient of kernel `{self.fn.__name__}`: how many rounds a loop makes at most depends on "
                            f"data: say it by {unsaid}=N")
        if warmup:
            return derived.kernel.run(grid=grid, warmup=True, **named, **gradients, **options)
        plan = derived.plan(grid, named, gradients, options)
        if key:
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            self._plans[key] = plan
        return derived.launch(plan, named, gradients)

    def __repr__(self):
        return f"Gradients({self.fn!r}, of={self.of!r}, wrt={self.wrt!r})"


def _atomics(what, wrt):
    """As tilec_launch_options has it."""
    if isinstance(what, bool):
        return int(what)
    names = (what,) if isinstance(what, str) else tuple(what)
    unknown = [name for name in names if name not in wrt]
    if unknown:
        raise ValueError(f"atomics={what!r}: `{unknown[0]}` is not in wrt")
    return sum(2 << wrt.index(name) for name in set(names))


def _tape(what):
    """As tilec_launch_options has it."""
    named = {"keep": 0, "recompute": -1}
    if what in named:
        return named[what]
    if isinstance(what, int) and not isinstance(what, bool) and 0 < what < 2**31:
        return what
    raise ValueError(f"tape={what!r}: it is 'keep', 'recompute', or of how many rounds")


def grad(kernel, of, wrt, atomics=False, recompute=False, tape="keep", fused=False):
    """The gradients of the array `of`, a name, by the arrays `wrt`, a name or several.

    What it gives is launched as the kernel is, with an array by name for each gradient: d_out, which is
    read, and d_x, which is filled, whatever was in it.  These have shape and strides of theirs.

    atomics: programs that meet at an element add to it by atomics, in no fixed order, at gradients of all
    arrays or of those named; else each stores a part, in memory that the launch allocates, and a second
    launch adds the parts up.

    recompute: what the kernel has stored, as the mean of a row, is computed again; else arrays that it
    stored to are to be as its launch left them, where that spares a pass: those of derive(...).saved.

    tape: what a loop that goes backwards keeps of what its rounds began with: "keep", of each round;
    "recompute", nothing, and each is computed from the loop's beginning; N, of N rounds, between which
    the others are computed once more.

    fused: a launch does what the kernel does, too, and takes its place; refused where programs hand
    gradients to the same elements.
    """
    return Gradients(kernel, of, wrt, atomics, recompute, tape, fused)
