"""What values of Python are to kernels: a constant, or an object of which a kernel has no value.

constant() says which constant, describe() what stands there instead.  The extension reads what
constant() gives (src/value.c), and arguments of launches by the same rules.
"""

import enum
import os
import sys
import types

from . import _core
from .kernel import KernelInterface
from .language.constants import ConstexprFunction, constexpr
from .language.types import dtype

NO_CONSTANT = object()
# how the extension looks at what may change: core.h
WATCH_KEY, WATCH_ATTRIBUTE, WATCH_ITEM = range(3)
# libraries whose functions work on whole arrays, outside of kernels
_LIBRARIES = ("torch", "numpy", "jax", "cupy", "scipy")
_MARKS_OF_ARRAYS = ("__dlpack__", "__array_interface__", "__cuda_array_interface__")
_MARKS_OF_NUMBERS = ("__float__", "__index__", "__complex__")
_CONTAINERS = (dict, set, frozenset, list, tuple, range, slice, bytes, bytearray, memoryview)
_MOST_LEVELS = 16


# --- constants -----------------------------------------------------------------------------------


def constant(value, watch, levels=_MOST_LEVELS):
    """The constant that `value` is, or NO_CONSTANT.  watch(owner, name, how) is told of each thing
    that can change without being replaced.
    """
    if isinstance(value, constexpr):
        watch(value, "value", WATCH_ATTRIBUTE)
        return constant(value.value, watch, levels)
    if isinstance(value, dtype):
        return NO_CONSTANT if value.is_ptr() or value.is_block() else value
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)):
        return _items(value, watch, levels - 1) if levels > 0 else NO_CONSTANT
    if isinstance(value, enum.Enum):
        return NO_CONSTANT if constant(value.value, watch, levels) is NO_CONSTANT else value
    if _is_dtype(value):
        return value if _core.is_dtype(value) else NO_CONSTANT
    return _number(value, watch)


def _items(value, watch, levels):
    items = [constant(item, watch, levels) for item in value]
    if NO_CONSTANT in items:
        return NO_CONSTANT
    if isinstance(value, list):
        for i in range(len(value) + 1):  # one behind the end, which append() would fill
            watch(value, i, WATCH_ITEM)
    return type(value)(*items) if hasattr(value, "_fields") else tuple(items)


def _is_of(value, library, name):
    """Is it one of what the library, if the program has loaded it, calls so?"""
    kind = getattr(sys.modules.get(library), name, None)
    return isinstance(kind, type) and isinstance(value, kind)


def _is_dtype(value):
    """A dtype of NumPy or PyTorch, whether the language has it or not."""
    if isinstance(value, type):
        generic = getattr(sys.modules.get("numpy"), "generic", None)
        return isinstance(generic, type) and issubclass(value, generic)
    return _is_of(value, "numpy", "dtype") or _is_of(value, "torch", "dtype")


def _number(value, watch):
    """What a scalar of NumPy is, or an array without dimensions in the host's memory."""
    if _is_of(value, "torch", "Tensor"):
        return _number_of_tensor(value, watch)
    is_array = _is_of(value, "numpy", "ndarray") and value.ndim == 0
    if not is_array and not _is_of(value, "numpy", "generic"):
        return NO_CONSTANT
    if is_array:
        watch(value, (), WATCH_ITEM)
    number = value.item()
    return _plain(float(number) if _is_of(number, "numpy", "longdouble") else number)


def _number_of_tensor(value, watch):
    if type(value).__module__.partition(".")[0] != "torch" or value.dim() != 0 or \
            value.device.type != "cpu" or value.is_inference():
        return NO_CONSTANT
    try:
        number = value.item()
    except RuntimeError:  # one without data, as torch.compile traces
        return NO_CONSTANT
    watch(value, "_version", WATCH_ATTRIBUTE)
    return _plain(number)


def _plain(number):
    return number if isinstance(number, (bool, int, float, str)) else NO_CONSTANT


def is_same(before, now):
    """Are two constants the same to a kernel?  NaN is, 1 and True are not."""
    while isinstance(before, constexpr):
        before = before.value
    while isinstance(now, constexpr):
        now = now.value
    return type(before) is type(now) and repr(before) == repr(now)


def is_constant(value):
    """Would constant() find one that nobody can change in place?"""
    watched = []
    while isinstance(value, constexpr):
        value = value.value
    found = constant(value, lambda *watch: watched.append(watch))
    return found is not NO_CONSTANT and not watched


# --- what else there is ----------------------------------------------------------------------


def library_name(value, name, module):
    """The full name of what a library has for Python alone, a function, a class or a dtype that was
    found as `name` in `module` (None: elsewhere); None for all else.
    """
    asked = f"{module.__name__}.{name}" if module else None
    if _is_dtype(value):
        return asked if _is_library(asked) else None
    if isinstance(value, type):
        own = f"{value.__module__}.{value.__name__}"
        return own if _is_library(own) else None
    if isinstance(value, types.FunctionType):
        own = f"{value.__module__}.{value.__name__}"
        return own if _is_library(own) and "._" not in own else None
    return _owner_of(value, asked) if _is_function(value) else None


def _is_library(name):
    return name is not None and name.partition(".")[0] in _LIBRARIES


def _is_function(value):
    return isinstance(value, (types.FunctionType, types.BuiltinFunctionType,
                              types.MethodDescriptorType, types.WrapperDescriptorType)) or \
        _is_of(value, "numpy", "ufunc") or type(value).__name__ == "_ArrayFunctionDispatcher"


def _owner_of(value, asked):
    """The full name of a function that is written in C, which was asked for by the other one."""
    name = value.__name__
    for library in _LIBRARIES:
        if getattr(sys.modules.get(library), name, None) is value:
            return f"{library}.{name}"
    if asked and asked.endswith(f".{name}"):
        return asked
    return f"{getattr(value, '__module__', None) or 'builtins'}.{name}"


def type_name(value):
    """"a numpy.ndarray", "an object": for messages."""
    kind = type(value)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _is_array(value):
    return not _is_of(value, "numpy", "generic") and any(hasattr(type(value), mark) for mark in _MARKS_OF_ARRAYS)


def describe(value):
    """(what it is, what to do instead of using it); what to do is None for an object that is there
    for its attributes.
    """
    what = type_name(value)
    if isinstance(value, constexpr):
        return describe(value.value)
    if isinstance(value, type) and not _is_dtype(value):
        return f"the class {value.__qualname__}", None
    if isinstance(value, dtype):
        return f"the type {value}", "a kernel has the types of its arguments: pass a pointer"
    if _is_dtype(value):
        return f"{what}, {value}", "the language has no such dtype: name one of tl"
    if _is_of(value, "tilec.compiled", "CompiledKernel"):
        return what, f"a launch gives no result: give the array that `{value.name}` stores to"
    if _is_array(value):
        shape = tuple(getattr(value, "shape", ()))
        advice = "its number is a constant: NAME.item()" if shape == () else \
            "an array is an argument of the launch, which gives the kernel a pointer to it"
        return f"{what} of shape {shape}", advice
    if isinstance(value, (tuple, list)):
        return _describe_items(value, what)
    if isinstance(value, dict):
        return what, "give each item a name, in a class or a types.SimpleNamespace, or pass the item"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return what, "numpy.frombuffer(...) makes an array of it, which is an argument of the launch"
    if isinstance(value, slice):
        return what, "its bounds are numbers, which are arguments each: first, last"
    if _is_of(value, "torch.nn", "Module"):
        return what, "its tensors are arguments of the launch: x.weight, x.bias"
    if isinstance(value, _CONTAINERS):
        return what, "tuples and lists of constants are constants: tuple(...)"
    if isinstance(value, enum.Enum):
        return what, f"its value is {type_name(value.value)}, which is no constant"
    if any(hasattr(type(value), mark) for mark in _MARKS_OF_NUMBERS):
        return what, "an int or a float is a constant: int(...) or float(...)"
    if isinstance(value, os.PathLike):
        return what, "a text is a constant: str(...)"
    if isinstance(value, (types.BuiltinMethodType, types.MethodType)) and \
            not isinstance(value.__self__, types.ModuleType):
        call = "numel" if value.__name__ == "size" and hasattr(value.__self__, "numel") else value.__name__
        return f"the method `{value.__name__}`", f"parentheses call it: x.{call}()"
    if _is_function(value) or isinstance(value, (KernelInterface, ConstexprFunction)):
        return (f"the function `{value.__name__}`",
                "a kernel calls what is a `def` under @triton.jit, by its name")
    return what, None


def _describe_items(value, what):
    for i, item in enumerate(value):
        if constant(item, lambda *_: None) is NO_CONSTANT:
            inside, advice = describe(item)
            return (f"{what} whose item {i} is {inside}",
                    advice or "the items of a constant are numbers, texts, dtypes and tuples")
    return what, "it holds too much"
