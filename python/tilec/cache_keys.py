"""The keys of JITFunction.device_caches: what Triton compiles once has one.

tilec compiles for more kinds of arguments than Triton does: for multiples of 4, 8 and 64 beside those of
16. Programs that count what was compiled, in the caches or by hooks, count in Triton's terms.
"""

from .wrappers import TensorWrapper

_DEFAULTS = {"num_warps": 4, "num_stages": 3, "num_ctas": 1, "maxnreg": None}


def _address(value):
    if isinstance(value, TensorWrapper) and value.base is None:
        return 0  # of what was only warmed up
    if hasattr(value, "data_ptr"):
        return value.data_ptr()
    interface = getattr(value, "__array_interface__", None)
    return interface["data"][0] if interface else 0


def _kind(value, asks_value, asks_multiple):
    """What of an argument beside its type Triton compiles for."""
    if isinstance(value, tuple):
        return tuple(_kind(item, True, True) for item in value)
    if isinstance(value, bool) or not asks_value:
        return ""
    if isinstance(value, int):
        return "1" if value == 1 else "D" if asks_multiple and value % 16 == 0 else ""
    if hasattr(value, "dtype"):
        return "D" if asks_multiple and _address(value) % 16 == 0 else ""
    return ""


def _type(value):
    """How an item of a tuple is told from others: numbers and arrays are variable."""
    if isinstance(value, tuple):
        return f"({','.join(map(_type, value))})"
    if isinstance(value, (bool, int, float)):
        return type(value).__name__
    return f"*{value.dtype}" if hasattr(value, "dtype") else repr(value)


def _constant(parameter, value):
    return _type(value) if isinstance(value, tuple) and not parameter.is_constexpr else repr(value)


def key_of(kernel, made, args, kwargs):
    """A text for the call: types, constants, multiples of 16, options."""
    told = made.specialization()
    named = {**dict(zip(kernel.arg_names, args)), **kwargs}
    kinds = [_kind(named[p.name], not p.do_not_specialize, not p.do_not_specialize_on_alignment)
             for p in kernel.params if p.name in named and not p.is_constexpr]
    constants = [_constant(p, named.get(p.name, told.constants[p.name]))
                 for p in kernel.params if p.name in told.constants]
    options = {name: value for name, value in kwargs.items()
               if name not in told.signature and not (name in _DEFAULTS and _DEFAULTS[name] == value)}
    return (f"{kernel.__qualname__}{list(told.signature.values())}{kinds}{constants}"
            f"{made.device()}{kernel.debug}{sorted(options.items())}")
