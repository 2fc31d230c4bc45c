"""What names in a kernel mean: globals, closures, other modules, changes, texts from anywhere."""

import enum
import fractions
import importlib
import linecache
import math
import re
import sys
import types
import typing
import unittest

import helper_module
import helper_module as other_name
import tilec
import tilec as triton
import tilec.language as tl
from helper_module import scaled as renamed
from needs_numpy import np, setUpModule
from tilec import errors
from tilec.language import exp2

WIDTH = tl.constexpr(4)
ANNOTATED: tl.constexpr = 5
PLAIN = 6
TYPE = tl.float16
NOTHING = None
SIZES = tl.constexpr((3, 4))
TEXT = tl.constexpr("text")
LIST = [1, 2]
DEFAULT = 8


class Settings:
    DEFAULT = 2
    DTYPE = tl.int16

    def __init__(self, width):
        self.WIDTH = width

    @property
    def half(self):
        return self.WIDTH // 2


SETTINGS = Settings(8)
POINTERS = types.SimpleNamespace(HALF=tl.pointer_type(tl.float16))


@triton.jit
def helper(x):
    return x + WIDTH


@triton.jit
def calls_helper(out):
    tl.store(out, helper(1))


@triton.jit
def uses_other_module(out):
    tl.store(out, renamed(2) + other_name.scaled(1) + helper_module.WIDTH)
    tl.store(out + 1, helper_module.doubled(10) + helper_module.PLAIN)


@triton.jit
def with_default(out, VALUE: tl.constexpr = DEFAULT):
    tl.store(out, VALUE)


@triton.jit
def factorial(n: tl.constexpr):
    if n == 0:
        return 1
    else:
        return n * factorial(n - 1)


class Holder:
    FACTOR = 3

    @staticmethod
    @triton.jit
    def store(out, value):
        tl.store(out, value * 2)


def run(kernel, *args, n=4, dtype="float32", **kwargs):
    out = np.zeros(n, dtype)
    kernel[(1,)](out, *args, **kwargs)
    return out.tolist()


def from_text(text, names, filename="<made of a text>"):
    """Run `text` as a notebook runs a cell: its lines are known to linecache alone."""
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), names)
    return names


class Globals(unittest.TestCase):
    def test_values(self):
        @triton.jit
        def values(out):
            tl.store(out, WIDTH + ANNOTATED)
            tl.store(out + 1, tl.full((), 2.75, TYPE).to(tl.int8) if NOTHING is None else 0)
            tl.store(out + 2, SIZES[0] * 10 + SIZES[1])
            if TEXT == "text":
                tl.store(out + 3, exp2(3.0) + math.pi)

        self.assertEqual(run(values), [9, 2, 34, np.float32(8 + math.pi)])

    def test_what_kernels_may_not_use(self):
        for name in ("PLAIN", "LIST", "np"):
            names = from_text(f"import tilec.language as tl, tilec\nimport numpy as np\nPLAIN = 6\n"
                              f"LIST = [1]\n@tilec.jit\ndef kernel(out):\n    tl.store(out, {name})\n",
                              {"__name__": "made"}, f"<{name}>")
            with self.assertRaises(tilec.errors.CompilationError) as caught:
                run(names["kernel"])
            self.assertIn(f"<{name}>:7:19: error:", str(caught.exception))
        with self.assertRaisesRegex(tilec.errors.CompilationError, "`helper_modul` is not defined"):
            run(self.misspelt)

    @staticmethod
    @triton.jit
    def misspelt(out):
        tl.store(out, helper_modul.WIDTH)

    def test_another_module(self):
        self.assertEqual(run(uses_other_module, n=2), [12 + 9 + 6, 27])

    def test_recursion(self):
        @triton.jit
        def store(out):
            tl.store(out, factorial(5))

        self.assertEqual(run(store, n=1), [120])

    def test_default_is_the_one_of_the_definition(self):
        global DEFAULT
        self.assertEqual(run(with_default, n=1), [8])
        DEFAULT = 9
        try:
            self.assertEqual(run(with_default, n=1), [8])
        finally:
            DEFAULT = 8

    def test_method(self):
        self.assertEqual(run(Holder.store, 4, n=1), [8])
        self.assertEqual(run(Holder().store, 4, n=1), [8])

    def test_late_global(self):
        names = from_text("import tilec.language as tl, tilec\n@tilec.jit\ndef kernel(out):\n"
                          "    tl.store(out, LATE)\n", {"__name__": "late"}, "<late>")
        with self.assertRaisesRegex(tilec.errors.CompilationError, "`LATE` is not defined"):
            run(names["kernel"])
        names["LATE"] = tl.constexpr(3)
        self.assertEqual(run(names["kernel"], n=1), [3])


class Pair(typing.NamedTuple):
    first: tl.tensor
    second: tl.constexpr


class Mode(enum.Enum):
    ONE = 1
    TWO = "two"


@triton.aggregate
class Scaled:
    value: tl.tensor
    factor: tl.constexpr

    def __init__(self, value, factor):
        self.value = value
        self.factor = tl.constexpr(factor)

    @triton.jit
    def get(self):
        return self.value * self.factor * WIDTH


class Classes(unittest.TestCase):
    def test_named_tuple(self):
        @triton.jit
        def kernel(out):
            pair = Pair(tl.load(out) + 1, 5)
            tl.store(out, pair.first + pair.second)

        self.assertEqual(run(kernel, n=1), [6])

    def test_enumeration(self):
        @triton.jit
        def kernel(out, MODE: tl.constexpr):
            if MODE == Mode.TWO.value:
                tl.store(out, Mode.ONE.value)

        self.assertEqual(run(kernel, "two", n=1), [1])

    def test_aggregate(self):
        @triton.jit
        def kernel(out):
            tl.store(out, Scaled(tl.load(out) + 2, 5).get())

        self.assertEqual(run(kernel, n=1), [40])


@tl.constexpr
def doubled(n):
    return 2 * n


class Launches:
    @property
    def value(self):
        run(reads_property)
        return 3


LAUNCHES = Launches()


@tilec.jit
def reads_property(out):
    tl.store(out, LAUNCHES.value)


@tilec.jit
def calls_doubled(out, N: tl.constexpr):
    tl.store(out + tl.arange(0, doubled(N)), 5)


@tilec.must_use_result("it only \"moves\" a copy")
@tilec.jit
def moved(p):
    return p + 1


@tilec.jit
def drops_result(out):
    moved(out)


class LaunchesItself(tl.constexpr):
    """Asked for its value it launches the kernel that reads it, if that has been loaded once."""

    @property
    def value(self):
        if self.launches:
            run(reads_launching)
        return 4

    @value.setter
    def value(self, given):
        self.launches = False


LAUNCHING = LaunchesItself(4)


@tilec.jit
def reads_launching(out):
    tl.store(out, LAUNCHING)


class Odd(unittest.TestCase):
    def test_a_result_that_must_be_used(self):
        with self.assertRaisesRegex(tilec.CompilationError, 'it only "moves" a copy') as caught:
            run(drops_result)
        line = drops_result.starting_line_number + 2
        self.assertIn(f"test_names.py:{line}:5: error:", str(caught.exception))

    def test_constexpr_above_a_def(self):
        self.assertEqual(list(run(calls_doubled, 2)), [5, 5, 5, 5])

    def test_a_property_that_launches_the_kernel(self):
        with self.assertRaisesRegex(RuntimeError, "`reads_property` is launched by what one of its"):
            run(reads_property)

    def test_a_constant_that_launches_the_kernel_again(self):
        self.assertEqual(run(reads_launching)[0], 4)
        LAUNCHING.launches = True
        with self.assertRaisesRegex(errors.ChangedGlobalError, "LAUNCHING has changed"):
            run(reads_launching)  # whose launch by its own name is refused, so that this has no value
        LAUNCHING.launches = False
        self.assertEqual(run(reads_launching)[0], 4)


class Closures(unittest.TestCase):
    def test_values_and_functions(self):
        def make(value, function, module):
            @triton.jit
            def kernel(out):
                tl.store(out, function(value) + module.WIDTH)

            return kernel

        @triton.jit
        def twice(x):
            return 2 * x

        self.assertEqual(run(make(tl.constexpr(5), twice, helper_module), n=1), [16])
        self.assertEqual(run(make(tl.constexpr(1), helper, helper_module), n=1), [11])

    def test_closure_goes_before_global(self):
        WIDTH = tl.constexpr(100)

        @triton.jit
        def kernel(out):
            tl.store(out, WIDTH + helper(0))

        self.assertEqual(run(kernel, n=1), [104])

    def test_one_function_of_two_surroundings(self):
        def make(value):
            @triton.jit
            def inner(x):
                return x + value

            return inner

        one, two = make(tl.constexpr(1)), make(tl.constexpr(20))

        @triton.jit
        def both(out):
            tl.store(out, one(0) + two(0))

        self.assertEqual(run(both, n=1), [21])

    def test_rebound(self):
        def make(value):
            @triton.jit
            def kernel(out):
                tl.store(out, value)

            def change(to):
                nonlocal value
                value = to

            return kernel, change

        kernel, change = make(tl.constexpr(1))
        self.assertEqual(run(kernel, n=1), [1])
        change(tl.constexpr(2))
        self.assertEqual(run(kernel, n=1), [2])


class Changes(unittest.TestCase):
    def names(self, text, filename):
        head = "import tilec\nimport tilec.language as tl\n"
        return from_text(head + text, {"__name__": filename.strip("<>")}, filename)

    def test_global_raises(self):
        for old, new, shown in (("tl.constexpr(1)", tl.constexpr(2), "constexpr[1] to constexpr[2]"),
                                ("tl.int32", tl.int64, "int32 to int64")):
            names = self.names(f"X = {old}\n@tilec.jit\ndef kernel(out):\n"
                               "    tl.store(out, tl.full((), 1, tl.int32) + (X if X == 1 else 0))\n"
                               if "constexpr" in old else
                               f"X = {old}\n@tilec.jit\ndef kernel(out):\n"
                               "    tl.store(out, tl.full((), 1, X))\n", f"<change {shown}>")
            run(names["kernel"])
            before = names["X"]
            names["X"] = new
            with self.assertRaisesRegex(RuntimeError, "Global variable X has changed since we "
                                                      "compiled this kernel, from ") as caught:
                run(names["kernel"])
            self.assertIn(shown.split(" to ")[1], str(caught.exception))
            names["X"] = before
            run(names["kernel"])

    def test_equal_value_is_no_change(self):
        names = self.names("X = tl.constexpr(1000)\n@tilec.jit\ndef kernel(out):\n"
                           "    tl.store(out, X)\n", "<equal>")
        run(names["kernel"])
        names["X"] = tl.constexpr(1000)
        self.assertEqual(run(names["kernel"], n=1), [1000])

    def test_constexpr_changed_in_place(self):
        cst = tl.constexpr(42)

        @triton.jit
        def kernel(out):
            tl.store(out, cst)

        self.assertEqual(run(kernel, n=1), [42])
        cst.value = 43
        with self.assertRaisesRegex(RuntimeError, "cst has changed since we compiled this kernel, "
                                                  r"from constexpr\[42\] to constexpr\[43\]"):
            run(kernel, n=1)

    def test_function_compiles_anew(self):
        names = self.names("@tilec.jit\ndef inner(x):\n    return x + 1\n"
                           "@tilec.jit\ndef middle(x):\n    return inner(x)\n"
                           "@tilec.jit\ndef kernel(out):\n    tl.store(out, middle(1))\n"
                           "@tilec.jit\ndef other(x):\n    return x + 10\n", "<functions>")
        kernel, inner = names["kernel"], names["inner"]
        self.assertEqual(run(kernel, n=1), [2])
        names["inner"] = names["other"]
        self.assertEqual(run(kernel, n=1), [11])
        names["inner"] = inner
        inner.src = "def inner(x):\n    return x + 100\n"
        self.assertEqual(run(kernel, n=1), [101])
        inner._unsafe_update_src("def inner(x):\n    return x + 1000\n")
        self.assertEqual(run(kernel, n=1), [1001])
        kernel._unsafe_update_src(kernel.src.replace("middle(1)", "middle(2)"))
        self.assertEqual(run(kernel, n=1), [1002])

    def test_module_attribute_compiles_anew(self):
        module = types.ModuleType("settings")
        module.N = 3

        @triton.jit
        def kernel(out):
            tl.store(out, module.N)

        self.assertEqual(run(kernel, n=1), [3])
        module.N = 4
        self.assertEqual(run(kernel, n=1), [4])

    def test_reloaded_module(self):
        self.assertEqual(run(uses_other_module, n=2)[1], 27)
        importlib.reload(helper_module)
        self.assertEqual(run(uses_other_module, n=2)[1], 27)

    def test_cache_key(self):
        names = self.names("X = tl.constexpr(1)\n@tilec.jit\ndef inner(x):\n    return x + X\n"
                           "@tilec.jit\ndef kernel(out):\n    tl.store(out, inner(1))\n", "<key>")
        keys = {names["kernel"].cache_key, names["kernel"].cache_key}
        names["inner"].src = "def inner(x):\n    return x - X\n"
        keys.add(names["kernel"].cache_key)
        names["kernel"].src = "def kernel(out):\n    tl.store(out, inner(2))\n"
        keys.add(names["kernel"].cache_key)
        names["kernel"].used_global_vals = {}  # as programs do that set `hash`
        keys.add(names["kernel"].cache_key)
        self.assertEqual(len(keys), 3)
        lines = [self.names("\n" * n + "@tilec.jit\ndef kernel(out):\n    tl.store(out, 1)\n", f"<line {n}>")
                 for n in (0, 1)]
        self.assertNotEqual(lines[0]["kernel"].cache_key, lines[1]["kernel"].cache_key)

    def test_no_cache_key_of_what_calls_python(self):
        text = "@tilec.constexpr_function\ndef f():\n    return {}\n"
        names = self.names("import linecache, math\n" + text.format("math.sqrt(4.0) + max(1, 2)"), "<key known>")
        self.assertTrue(names["f"].cache_key)
        names = self.names("import linecache\n" + text.format("linecache.getline('x', 1)"), "<key unknown>")
        with self.assertRaisesRegex(RuntimeError, "Unsupported function referenced: `linecache.getline`"):
            names["f"].cache_key

    def keys(self, *texts):
        """cache_key of the kernel in each text, which calls what `inner` is."""
        made = []
        for text in texts:
            names = self.names(text + "@tilec.jit\ndef kernel(out):\n    tl.store(out, inner(1))\n",
                               f"<keys {len(linecache.cache)}>")
            self.assertEqual(names["kernel"].cache_key, names["kernel"].cache_key)
            made.append(names["kernel"].cache_key)
        return made

    def test_cache_key_of_what_is_used(self):
        inner = "@tilec.jit\ndef inner(x):\n    return x + {}\n"
        classes = ("class C(enum.Enum):\n    A = {}\n" + inner.format("C.A.value"),
                   "class C(typing.NamedTuple):\n    x: tl.constexpr = {}\n" +
                   inner.format("C().x"),
                   "@tilec.jit\ndef deep():\n    return {}\n"
                   "class C(typing.NamedTuple):\n    x: tl.constexpr\n"
                   "    @tilec.jit\n    def f(self):\n        return deep()\n" +
                   inner.format("C(1).f()"))
        for text in (inner, "N = {}\n@tilec.jit\ndef inner(x, y=N):\n    return x + y\n",
                     "N = tl.int{}\n@tilec.jit\ndef inner(x: N):\n    return x\n",
                     "@tilec.jit\ndef deep():\n    return {}\nD = (deep,)\n" +
                     inner.format("D[0]()"),
                     "@tilec.jit\ndef deep():\n    return {}\nD = tl.constexpr(deep)\n" +
                     inner.format("D()"),
                     "def deep():\n    return {}\n@tilec.constexpr_function\n"
                     "def inner(x):\n    return x + deep()\n",
                     "N = tl.constexpr(({}, 2))\n" + inner.format("N[0]"),
                     "@tilec.jit(noinline={} > 8)\ndef inner(x):\n    return x\n", *classes):
            head = "import enum, typing\n"
            before, again, after = self.keys(*(head + text.format(n) for n in (8, 8, 16)))
            self.assertEqual(before, again, text)
            self.assertNotEqual(before, after, text)


LATER = 1


@tilec.jit
def helped(x, y=LATER):
    return x + y


LATER = 5


class Factor:
    value = 4


@tilec.jit
def by_expression(x, y=Factor.value, names=Factor, z=int("7")):
    return x + y * z


@tilec.jit
def deep_default(x, f=helped, MODE: tl.constexpr = "a"):
    return f(x) if MODE == "a" else x


@tilec.jit
def uses_defaults(out, y=LATER):
    tl.store(out, helped(10))
    tl.store(out + 1, helped(10, 3))
    tl.store(out + 2, by_expression(1))
    tl.store(out + 3, deep_default(20))
    tl.store(out + 4, y)


class Defaults(unittest.TestCase):
    """Of helpers, as Python evaluated them when it ran the `def`."""

    def test_evaluated_before(self):
        self.assertEqual(run(uses_defaults, n=5), [11, 13, 29, 21, 5])

    def test_local_of_a_factory(self):
        def made(n):
            @tilec.jit
            def inner(x, y=n * 3):
                return x + y
            return inner

        two, seven = made(2), made(7)

        @tilec.jit
        def kernel(out):
            tl.store(out, two(1))
            tl.store(out + 1, seven(1))

        self.assertEqual(run(kernel, n=2), [7, 22])

    def test_set_by_hand(self):
        @tilec.jit
        def inner(x, y=1):
            return x + y

        @tilec.jit
        def kernel(out):
            tl.store(out, inner(1))

        inner.fn.__defaults__ = (9,)
        self.assertEqual(run(kernel, n=1), [10])


class Sources(unittest.TestCase):
    def test_signature(self):
        @triton.jit(do_not_specialize=["n", 0], noinline=True)
        def kernel(out, n: "i64", m=3, BLOCK: tl.constexpr = 4):
            """Text."""
            tl.store(out, n + m + BLOCK)

        self.assertEqual([p.name for p in kernel.params], ["out", "n", "m", "BLOCK"])
        self.assertEqual([p.is_constexpr for p in kernel.params], [False, False, False, True])
        self.assertEqual([p.has_default for p in kernel.params], [False, False, True, True])
        self.assertEqual(kernel.arg_names, ["out", "n", "m", "BLOCK"])
        self.assertEqual((kernel.__name__, kernel.__doc__), ("kernel", "Text."))
        self.assertTrue(kernel.src.startswith("def kernel(out, "))
        self.assertEqual(run(kernel, 1, n=1), [8])
        self.assertIn("n: i64", run_asm(kernel, np.zeros(1, np.float32), 1))
        self.assertNotIn("div 16", run_asm(kernel, np.zeros(64, np.float32), 16).split("%m")[0])

    def test_no_source(self):
        names = {"__name__": "nowhere", "tilec": tilec}
        with self.assertRaisesRegex(OSError, "the source of `f` cannot be found"):
            exec("@tilec.jit\ndef f(x):\n    pass\n", names)
        with self.assertRaisesRegex(OSError, "a kernel is a function made by `def`"):
            tilec.jit(lambda x: x)
        with self.assertRaisesRegex(TypeError, "a kernel is a function made by `def`: leave out the `async` of `.*waits`"):
            @triton.jit
            async def waits(x):
                tl.store(x, 1)
        for other in (abs, types.SimpleNamespace):
            with self.assertRaisesRegex(TypeError, "a kernel is a function made by `def`, not <"):
                tilec.jit(other)
        with self.assertRaises(TypeError):
            tilec.jit(3)

    def test_parameters_without_a_number(self):
        @triton.jit
        def kernel(out, **kwargs):
            tl.store(out, 1)

        for given in ({}, {"a": 3}):
            with self.assertRaisesRegex(errors.CompilationError, r"`\*\*` parameters are not supported"):
                kernel[(1,)](np.zeros(1, np.int32), **given)

        @triton.jit
        def rest(*arrays):
            tl.store(arrays[0], 1)

        for n in range(4):
            with self.assertRaisesRegex(errors.CompilationError, r"`\*arrays`: a kernel takes no variable number"):
                rest[(1,)](*n * [np.zeros(1, np.int32)])

    def test_jit_of_a_kernel_is_that_kernel(self):
        self.assertIs(tilec.jit(helper), helper)

    def test_places(self):
        @triton.jit
        def wrong(out):
            tl.store(out, helper(unknown))

        with self.assertRaises(tilec.errors.CompilationError) as caught:
            run(wrong)
        line = wrong.starting_line_number + 2
        self.assertIn(f"{__file__}:{line}:34: error: `unknown` is not defined", str(caught.exception))


def annotated(**given):
    """A decorator that writes annotations where the text has none."""
    def decorate(function):
        function.__annotations__ = given
        return function

    return decorate


class Types(unittest.TestCase):
    def test_pointers_are_globals_of_kernels(self):
        pointer, constant = tl.pointer_type(tl.int32), tl.pointer_type(tl.int32, const=True)

        @triton.jit
        def kernel(out):
            tl.store(out.to(pointer), 1)
            tl.static_assert(out.to(constant).dtype == constant and constant != pointer)
            tl.static_assert(POINTERS.HALF.element_ty == tl.float16)

        self.assertEqual(np.float32(run(kernel)[0]).view(np.int32), 1)

    def test_annotations_that_a_decorator_wrote(self):
        @triton.jit
        @annotated(x=tl.float16, n="tl.uint8", p=tl.pointer_type(tl.int32), N=tl.constexpr, o=object)
        def kernel(out, x, n,
                   p, N,  # a comment: with a colon
                   o):
            tl.static_assert(x.dtype == tl.float16 and n.dtype == tl.uint8)
            tl.static_assert(p.dtype.element_ty == tl.int32 and out.dtype.element_ty == tl.float32)
            tl.store(out + tl.arange(0, N), x + n + o)

        out = np.zeros(4, np.float32)
        kernel[(1,)](out, 0.5, 3, out.view(np.int32), 3, 2)
        self.assertEqual(list(out), [5.5, 5.5, 5.5, 0])


class Objects(unittest.TestCase):
    """Globals and closures that hold constants in attributes."""

    def test_attributes(self):
        namespace = types.SimpleNamespace(inner=types.SimpleNamespace(WIDTH=6))

        @triton.jit
        def kernel(out):
            tl.store(out, SETTINGS.WIDTH)
            tl.store(out + 1, SETTINGS.half)
            tl.store(out + 2, namespace.inner.WIDTH)
            tl.store(out + 3, tl.full((), Settings.DEFAULT, Settings.DTYPE))

        self.assertEqual(run(kernel), [8, 4, 6, 2])

    def test_changes(self):
        settings = Settings(3)

        @triton.jit
        def kernel(out):
            tl.store(out, settings.WIDTH)

        self.assertEqual(run(kernel)[0], 3)
        settings.WIDTH = 5
        self.assertEqual(run(kernel)[0], 5)
        settings = Settings(7)
        self.assertEqual(run(kernel)[0], 7)

    def test_wrong(self):
        @triton.jit
        def kernel(out):
            tl.store(out, SETTINGS.WIDHT)

        with self.assertRaisesRegex(triton.CompilationError, "Settings binds no `WIDHT`"):
            run(kernel)

    def test_numbers_of_numpy(self):
        numbers = types.SimpleNamespace(scale=np.float32(3), width=np.int64(4), flag=np.bool_(True),
                                        pair=(np.int32(1), 2))

        OF_NUMPY = tl.constexpr(np.float32(3))

        class Limits:
            LOWEST = np.float32(-1e9)

        @triton.jit
        def kernel(out):
            tl.store(out, numbers.scale)
            tl.store(out + 1, tl.sum(tl.arange(0, numbers.width)))
            tl.store(out + 2, Limits.LOWEST if numbers.flag else 0.0)
            tl.store(out + 3, numbers.pair[0] + OF_NUMPY * 10)

        self.assertEqual(run(kernel), [3, 6, -1e9, 31])
        numbers.scale = np.float32(5)
        self.assertEqual(run(kernel)[0], 5)

    def test_members_of_enumerations(self):
        class Mode(enum.Enum):
            FAST = 1
            EXACT = np.int64(2)

        settings = types.SimpleNamespace(mode=Mode.EXACT)

        @triton.jit
        def kernel(out, MODE: tl.constexpr):
            tl.store(out, settings.mode.value)
            tl.store(out + 1, 1 if settings.mode == MODE else 2)
            tl.store(out + 2, 1 if settings.mode == Mode.FAST else 2)

        self.assertEqual(run(kernel, Mode.EXACT)[:3], [2, 1, 2])
        settings.mode = Mode.FAST
        self.assertEqual(run(kernel, Mode.EXACT)[:3], [1, 2, 1])

    def test_what_is_no_constant_is_never_a_number(self):
        values = {"list whose item 1 is a dict": [1, {}], "dict": {}, "set": {1}, "object": object(),
                  "fractions.Fraction": fractions.Fraction(1, 2), "numpy.ndarray of shape (1,)": np.zeros(1),
                  "numpy.datetime64": np.datetime64("2020-01-01"), "bytes": b"x"}
        for what, value in values.items():
            settings = types.SimpleNamespace(value=value)
            uses = {"o + settings.value": "settings.value", "1 if settings.value else 2": "a test",
                    "settings.value == 0": "a comparison", "CONST": "a constexpr"}
            for text in uses:
                names = {"tl": tl, "tilec": tilec, "settings": settings,
                         "CONST": tl.constexpr(value), "__name__": "made"}
                from_text(f"@tilec.jit\ndef kernel(out):\n    o = 1\n    tl.store(out, {text})\n",
                          names, f"<{what} {text}>")
                with self.subTest(what=what, text=text), self.assertRaisesRegex(
                        tilec.errors.CompilationError,
                        f"is an? {re.escape(what)}, for which a kernel has no value"):
                    run(names["kernel"])

    def test_functions_of_other_libraries(self):
        exp = np.exp
        settings = types.SimpleNamespace(act=np.exp)
        for text in ("np.exp(1.0)", "exp(1.0)", "settings.act(1.0)", "1.0 if np.exp else 2.0"):
            names = {"tl": tl, "tilec": tilec, "settings": settings, "np": np, "exp": exp,
                     "__name__": "made"}
            from_text(f"@tilec.jit\ndef kernel(out):\n    tl.store(out, {text})\n", names, f"<{text}>")
            with self.subTest(text), self.assertRaisesRegex(
                    tilec.errors.CompilationError,
                    "`exp` comes from module `numpy`(.|\n)*hint: the language has it as `tl.exp`"):
                run(names["kernel"])

    def test_arrays_are_no_such_objects(self):
        array = np.zeros(1)

        @triton.jit
        def kernel(out):
            tl.store(out, array.ndim)

        with self.assertRaisesRegex(triton.CompilationError, "global variable `array`"):
            run(kernel)


def run_asm(kernel, *args):
    return kernel[(1,)](*args).asm["ttir"]


if __name__ == "__main__":
    unittest.main()
