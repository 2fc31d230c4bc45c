"""Values of Python in kernels: each kind by each way in is the constant that it is, or an error that
says what it is.  Never something else.
"""

import collections
import dataclasses
import decimal
import enum
import fractions
import linecache
import pathlib
import types
import typing
import unittest

import tilec
import tilec.language as tl
from needs_numpy import np, setUpModule

try:
    import torch
except ImportError:
    torch = None


class Colour(enum.Enum):
    RED = 3


class Level(enum.IntEnum):
    HIGH = 3


class Pair(typing.NamedTuple):
    first: object
    second: object


@dataclasses.dataclass(frozen=True)
class Record:
    v: object


class Slots:
    __slots__ = ("inner",)

    def __init__(self, inner):
        self.inner = inner


# value, what the kernel stores of V, what that is
RIGHT = {
    "int": (3, "V * 2", 6),
    "bool": (True, "2.0 if V else 1.0", 2),
    "float": (2.5, "V * 2", 5),
    "text": ("a", "2.0 if V == 'a' else 1.0", 2),
    "None": (None, "2.0 if V is None else 1.0", 2),
    "constexpr": (tl.constexpr(3), "V * 2", 6),
    "tuple": ((1, 3), "V[1] * 2", 6),
    "tuple in a tuple": ((1, (3,)), "V[1][0] * 2", 6),
    "list": ([1, 3], "V[1] * 2", 6),
    "named tuple": (Pair(1, 3), "V.second * 2", 6),
    "IntEnum": (Level.HIGH, "V * 2", 6),
    "Enum": (Colour.RED, "V.value * 2", 6),
    "tl dtype": (tl.float16, "2.0 if V == tl.float16 else 1.0", 2),
    "numpy.float64": (np.float64(2.5), "V * 2", 5),
    "numpy.float32": (np.float32(-1e9), "V", -1e9),
    "numpy.float16": (np.float16(2.5), "V * 2", 5),
    "numpy.longdouble": (np.longdouble(2.5), "V * 2", 5),
    "numpy.int8": (np.int8(-3), "V * 2", -6),
    "numpy.int64": (np.int64(3), "tl.sum(tl.zeros((V,), tl.float32) + 2)", 6),
    "numpy.uint64": (np.uint64(2**63), "2.0 if V == 9223372036854775808 else 1.0", 2),
    "numpy.bool": (np.bool_(True), "2.0 if V else 1.0", 2),
    "numpy.str_": (np.str_("a"), "2.0 if V == 'a' else 1.0", 2),
    "array without dimensions": (np.array(2.5), "V * 2", 5),
    "tuple of numpy's": ((np.float32(1), np.int64(3)), "V[1] * 2", 6),
    "list of numpy's": ([np.int64(3)], "V[0] * 2", 6),
    "named tuple of numpy's": (Pair(1, np.float32(2.5)), "V.second * 2", 5),
    "numpy.dtype": (np.dtype("float32"), "2.0 if V == tl.float32 else 1.0", 2),
    "class of numpy": (np.float32, "2.0 if V == tl.float32 else 1.0", 2),
    "numpy.bool as a dtype": (np.bool_, "2.0 if V == tl.int1 else 1.0", 2),
    "dtype of the pointer": (np.dtype("float32"), "2.0 if out.dtype.element_ty == V else 1.0", 2),
    "dtype of a tile": (np.float16, "tl.sum(tl.full((4,), 1.5, V).to(tl.float32))", 6),
}
# value, what the error says
WRONG = {
    "array": (np.zeros(3, np.float32), r"numpy\.ndarray of shape \(3,\)|cannot be a tensor"),
    "dict": ({"a": 3}, "a dict"),
    "set": ({1, 2}, "a set"),
    "bytes": (b"ab", "a bytes|b'ab'"),
    "range": (range(3), "a range|range\\(0, 3\\)"),
    "complex": (1j, "a complex|1j"),
    "Fraction": (fractions.Fraction(3), r"fractions\.Fraction|Fraction\(3, 1\)"),
    "Decimal": (decimal.Decimal(3), r"decimal\.Decimal|Decimal\('3'\)"),
    "path": (pathlib.Path("a"), "Path"),
    "object": (object(), "an object|<object object"),
    "lambda": (lambda x: x, "function"),
    "builtin function": (len, "`len`|function"),
    "ufunc": (np.exp, "`exp`|ufunc"),
    "module": (types, "module"),
    "deque": (collections.deque([3]), "deque"),
    "numpy.complex64": (np.complex64(3), r"complex64|\(3\+0j\)"),
    "numpy.datetime64": (np.datetime64("2020-01-01"), "datetime"),
    "dtype that kernels lack": (np.dtype("complex64"), "complex64"),
    "tuple of an array": ((1, np.zeros(3)), r"whose item 1 is a numpy\.ndarray|`[VTR].*\[1\]` is a constant"),
    "list of a dict": ([{}], "dict"),
    "Enum of an object": (enum.Enum("E", {"A": object()}).A, "E\\.A|an object"),
}
if torch:
    RIGHT.update({
        "tensor without dimensions": (torch.tensor(2.5), "V * 2", 5),
        "whole tensor without dimensions": (torch.tensor(3), "V * 2", 6),
        "torch dtype": (torch.float16, "2.0 if V == tl.float16 else 1.0", 2),
        "torch dtype of the pointer": (torch.float32, "2.0 if out.dtype.element_ty == V else 1.0", 2),
        "torch.Size": (torch.Size([1, 3]), "V[1] * 2", 6),
    })
    WRONG.update({
        "tensor": (torch.zeros(3), r"Tensor of shape \(3,\)|cannot be a tensor"),
        "device": (torch.device("cpu"), "device"),
        "torch dtype that kernels lack": (torch.complex64, "complex64"),
        "torch function": (torch.tanh, "`tanh`|function"),
    })


def kernel_of(expression, parameters="", names=None):
    """A kernel that stores the expression, in the surroundings `names`."""
    kernel_of.made += 1
    filename = f"<values {kernel_of.made}>"
    text = (f"import tilec\nimport tilec.language as tl\n@tilec.jit\n"
            f"def kernel(out{parameters}):\n    tl.store(out, {expression})\n")
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    names = {"__name__": filename, **(names or {})}
    exec(compile(text, filename, "exec"), names)
    return names["kernel"]


kernel_of.made = 0


def stored(kernel, *args, **kwargs):
    out = np.full(1, -7, np.float32)
    kernel[(1,)](out, *args, **kwargs)
    return out[0]


# --- ways in: each takes a value and an expression of V, and gives what the kernel stores -----------


def _named(name, owner):
    def way(value, expression):
        return stored(kernel_of(expression.replace("V", name), names=owner(value)))
    return way


def module_of(value):
    module = types.ModuleType("settings")
    module.X = value
    return module


def _closure(value, expression):
    text = (f"import tilec\nimport tilec.language as tl\ndef make(V):\n    @tilec.jit\n"
            f"    def kernel(out):\n        tl.store(out, {expression})\n    return kernel\n")
    filename = f"<closure {id(value)} {expression}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    names = {"__name__": filename}
    exec(compile(text, filename, "exec"), names)
    return stored(names["make"](tl.constexpr(value)))


def _helper_default(value, expression):
    text = (f"import tilec\nimport tilec.language as tl\n@tilec.jit\n"
            f"def helper(out, V: tl.constexpr = DEFAULT):\n    return {expression}\n"
            f"@tilec.jit\ndef kernel(out):\n    tl.store(out, helper(out))\n")
    filename = f"<default {id(value)} {expression}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    names = {"__name__": filename, "DEFAULT": value}
    exec(compile(text, filename, "exec"), names)
    return stored(names["kernel"])


def _default(value, expression):
    return stored(kernel_of(expression, ", V: tl.constexpr = DEFAULT", {"DEFAULT": value}))


def _argument(value, expression):
    return stored(kernel_of(expression, ", V: tl.constexpr"), value)


def _constexpr_argument(value, expression):
    return stored(kernel_of(expression, ", V"), tl.constexpr(value))


def _configuration(value, expression):
    tuned = tilec.autotune([tilec.Config({"V": value})], key=[])
    return stored(tuned(kernel_of(expression, ", V: tl.constexpr")))


def _heuristic(value, expression):
    computed = tilec.heuristics({"V": lambda args: value})
    return stored(computed(kernel_of(expression, ", V: tl.constexpr")))


def _field(value, expression):
    kernel = kernel_of(expression.replace("V", "R.v"), ", R: tl.constexpr")
    return stored(kernel, Record(value))


def _item_of_argument(value, expression):
    kernel = kernel_of(expression.replace("V", "T[1]"), ", T: tl.constexpr")
    return stored(kernel, (0, value))


WAYS = {
    "attribute of a module": _named("M.X", lambda v: {"M": module_of(v)}),
    "attribute of a namespace": _named("N.X", lambda v: {"N": types.SimpleNamespace(X=v)}),
    "attribute of a class": _named("C.X", lambda v: {"C": type("C", (), {"X": v})}),
    "attribute of a dataclass's object": _named("R.v", lambda v: {"R": Record(v)}),
    "attribute of an attribute": _named("S.inner.X", lambda v: {
        "S": Slots(types.SimpleNamespace(X=v))}),
    "item of a tuple": _named("M.X[1]", lambda v: {"M": module_of((0, v))}),
    "item of a list": _named("M.X[0]", lambda v: {"M": module_of([v])}),
    "field of a named tuple": _named("M.X.second", lambda v: {"M": module_of(Pair(0, v))}),
    "global constexpr": _named("X", lambda v: {"X": tl.constexpr(v)}),
    "annotated global": _named("X", lambda v: {"X": v, "__annotations__": {"X": tl.constexpr}}),
    "closure": _closure,
    "default": _default,
    "default of a helper": _helper_default,
    "argument": _argument,
    "constexpr as an argument": _constexpr_argument,
    "configuration": _configuration,
    "heuristic": _heuristic,
    "field of an argument": _field,
    "item of an argument": _item_of_argument,
}


class Table(unittest.TestCase):
    def test_right(self):
        for kind, (value, expression, want) in RIGHT.items():
            for name, way in WAYS.items():
                with self.subTest(kind=kind, way=name):
                    self.assertEqual(way(value, expression), np.float32(want))

    def test_wrong(self):
        for kind, (value, message) in WRONG.items():
            for name, way in WAYS.items():
                with self.subTest(kind=kind, way=name):
                    with self.assertRaisesRegex((tilec.CompilationError, TypeError, ValueError),
                                                message):
                        way(value, "V * 1.0")


class Changes(unittest.TestCase):
    """What changes in place is compiled anew."""

    def check(self, value, expression, change, before, after):
        module = module_of(value)
        kernel = kernel_of(expression.replace("V", "M.X"), names={"M": module})
        self.assertEqual(stored(kernel), before)
        self.assertEqual(stored(kernel), before)
        change(value)
        self.assertEqual(stored(kernel), after)

    def test_list(self):
        self.check([1, 2], "V[1]", lambda v: v.__setitem__(1, 5), 2, 5)
        self.check([1, 2], "V[-1]", lambda v: v.append(7), 2, 7)
        self.check([1, 2], "V[-1]", lambda v: v.pop(), 2, 1)
        self.check([[1], 2], "V[0][0]", lambda v: v[0].__setitem__(0, 6), 1, 6)
        self.check((0, [1]), "V[1][0]", lambda v: v[1].__setitem__(0, 6), 1, 6)

    def test_array_without_dimensions(self):
        self.check(np.array(2.5), "V", lambda v: v.fill(3.5), 2.5, 3.5)
        self.check([np.array(2.5)], "V[0]", lambda v: v[0].fill(3.5), 2.5, 3.5)

    @unittest.skipUnless(torch, "needs PyTorch")
    def test_tensor_without_dimensions(self):
        self.check(torch.tensor(2.5), "V", lambda v: v.add_(1), 2.5, 3.5)

    def test_attribute(self):
        self.check(Slots(np.float32(2)), "V.inner", lambda v: setattr(v, "inner", np.int64(3)), 2, 3)

    def test_type_of_an_equal_number(self):
        module = module_of(np.int32(1))
        kernel = kernel_of("2.0 if isinstance(M.X, int) else 1.0", names={"M": module})
        self.assertEqual(stored(kernel), 2)
        module.X = np.float32(1)
        self.assertEqual(stored(kernel), 1)


class Looked(unittest.TestCase):
    """Objects of which a kernel asks something, without using them as values."""

    def store(self, expression, value):
        return stored(kernel_of(expression, names={"M": module_of(value)}))

    def test_is_none(self):
        for value in (np.zeros(3), {}, object(), len, Record(1)):
            self.assertEqual(self.store("1.0 if M.X is None else 2.0", value), 2)
            self.assertEqual(self.store("1.0 if M.X is not None else 2.0", value), 1)
        self.assertEqual(self.store("1.0 if M.X is None else 2.0", None), 1)

    def test_attributes_of_an_array(self):
        self.assertEqual(self.store("M.X.shape[1] + M.X.ndim", np.zeros((3, 4))), 6)

    def test_equality_with_an_object(self):
        with self.assertRaisesRegex(tilec.CompilationError, "Slots"):
            self.store("1.0 if M.X == 3 else 2.0", Slots(3))

    def test_passed_on(self):
        helper = kernel_of("0").fn.__globals__["tilec"].jit(takes_settings)
        names = {"M": module_of(types.SimpleNamespace(width=np.int64(5))), "helper": helper}
        self.assertEqual(stored(kernel_of("helper(M.X)", names=names)), 5)

    def test_place_and_advice(self):
        with self.assertRaises(tilec.CompilationError) as caught:
            self.store("M.X + 1", {"a": 1})
        text = str(caught.exception)
        self.assertIn(":5:19: error: `M.X` is a dict, for which a kernel has no value", text)
        self.assertIn("hint: give each item a name", text)

    def test_bare_global(self):
        for value, said in ((np.zeros(3), "it is a numpy.ndarray of shape \\(3,\\): an array is an "
                                          "argument of the launch"),
                            ({}, "it is a dict"), ([1], "make it a compile-time constant")):
            with self.assertRaisesRegex(tilec.CompilationError,
                                        "(?s)Cannot access global variable `X`.*hint: " + said):
                stored(kernel_of("X", names={"X": value}))


@tilec.jit
def takes_settings(settings: tl.constexpr):
    return settings.width


class Libraries(unittest.TestCase):
    """What kernels name of NumPy and PyTorch themselves."""

    def message(self, expression, library):
        with self.assertRaises(tilec.CompilationError) as caught:
            stored(kernel_of(expression, names={"L": library}))
        return str(caught.exception)

    def test_functions(self):
        self.assertIn("`exp` comes from module `numpy`, which cannot be read here\n",
                      self.message("L.exp(1.0)", np))
        self.assertIn("hint: the language has it as `tl.exp`", self.message("L.exp(1.0)", np))
        self.assertIn("`sum` comes from module `numpy`", self.message("L.sum(out)", np))

    def test_dtypes(self):
        for dtype, want in (("float32", 1), ("float16", 2), ("int32", 2)):
            for compare in ("==", "is"):
                kernel = kernel_of(f"1.0 if out.dtype.element_ty {compare} L.{dtype} else 2.0",
                                   names={"L": np})
                self.assertEqual(stored(kernel), want)
        self.assertIn("hint: the language has it as `tl.float16`",
                      self.message("tl.zeros((4,), L.float16)", np))

    def test_limits(self):
        self.assertEqual(stored(kernel_of("L.finfo(L.float16).max", names={"L": np})), 65504)

    @unittest.skipUnless(torch, "needs PyTorch")
    def test_torch(self):
        for expression, said in (("L.tanh(1.0)", "hint: the language has it as `tl.extra.libdevice.tanh`"),
                                 ("L.nn.functional.relu(1.0)", "`relu` comes from module `torch.nn"),
                                 ("L.cuda.is_available()", "`is_available` comes from module `torch"),
                                 ("1.0 if L.complex64 == tl.float32 else 2.0", "`complex64` comes")):
            self.assertIn(said, self.message(expression, torch))
        for expression, want in (("1.0 if out.dtype.element_ty == L.float32 else 2.0", 1),
                                 ("1.0 if out.dtype.element_ty != L.float32 else 2.0", 2),
                                 ("L.finfo(L.float16).max", 65504), ("L.inf", np.inf)):
            self.assertEqual(stored(kernel_of(expression, names={"L": torch})), want)
        limits = module_of(torch.finfo(torch.float16))
        self.assertEqual(stored(kernel_of("M.X.max", names={"M": limits})), 65504)


if __name__ == "__main__":
    unittest.main()
