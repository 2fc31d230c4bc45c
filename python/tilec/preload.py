"""What a kernel was compiled for, as a text: hooks are told it, and JITFunction.preload() compiles for it again.

The text says what each argument was: numbers, texts, dtypes and tuples of them as they are, of an array its
dtype, so that any array stands for it that begins at an aligned address.
"""

import importlib
import json
import weakref

from ._utils import canonicalize_dtype
from .language.constants import constexpr
from .language.types import dtype, dtype_of
from .wrappers import MockTensor


# {(name, cache_key): function} of those that texts name
_told = weakref.WeakValueDictionary()


def _written(value):
    """What JSON holds for an argument; raises a TypeError for what no text stands for."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, constexpr):
        return {"constexpr": _written(value.value)}
    if isinstance(value, tuple):
        return {"tuple": [_written(item) for item in value]}
    if isinstance(value, dtype):
        return {"dtype": value.name}
    if hasattr(value, "cache_key"):
        told = [_name_of(value), value.cache_key]
        _told[tuple(told)] = value
        return {"function": told}
    if hasattr(value, "dtype"):
        return {"array": canonicalize_dtype(value.dtype)}
    raise TypeError(f"no text stands for a {type(value).__name__}")


def _function(told):
    """The function of a text of this process, or one that its module has by the name."""
    name, key = told
    found = _told.get((name, key))
    if found is None and "<locals>" not in name:
        module, _, name = name.partition(":")
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part, None)
    if getattr(found, "cache_key", None) != key:
        raise RuntimeError(f"Specialization data is for another function than the `{name}` that there is")
    return found


_READ = {"function": _function, "constexpr": lambda value: constexpr(_read(value)), "dtype": dtype_of,
         "tuple": lambda items: tuple(map(_read, items)), "array": lambda name: MockTensor(dtype_of(name))}


def _read(written):
    if not isinstance(written, dict):
        return written
    (kind, value), = written.items()
    return _READ[kind](value)


def _name_of(kernel):
    return f"{kernel.__module__}:{kernel.__qualname__}"


def _target():
    from .runtime import driver

    return driver.active.get_current_target()._asdict()


def text_of(kernel, args, kwargs):
    """The text for a call; None where an argument is nothing that a text stands for."""
    try:
        return json.dumps({"name": _name_of(kernel), "target": _target(), "args": [_written(value) for value in args],
                           "kwargs": {name: _written(value) for name, value in kwargs.items()}})
    except TypeError:
        return None


def preload(kernel, text):
    """Compile `kernel` as text_of() has it."""
    data = json.loads(text)
    if data["name"] != _name_of(kernel):
        raise RuntimeError(f"Specialization data is for {data['name']}, and not for {_name_of(kernel)}")
    if data["target"] != _target():
        raise RuntimeError(f"Specialization data is for {data['target']}, and not for {_target()}")
    return kernel.warmup(*map(_read, data["args"]), grid=(1,),
                         **{name: _read(value) for name, value in data["kwargs"].items()})
