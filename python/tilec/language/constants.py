"""Values known at compile time: constexpr, and functions that kernels call at compile time."""

import functools
import operator

from .marker import BuiltinClass


NUMBERS = frozenset((int, float, bool))


def unwrap(value):
    """What a constexpr holds, also inside of tuples and lists; anything else as it is."""
    if type(value) in NUMBERS:  # in each launch, as of cdiv; isinstance() below takes a microsecond
        return value
    while isinstance(value, constexpr):
        value = value.value
    if isinstance(value, list):
        return [unwrap(v) for v in value]
    if isinstance(value, tuple):
        items = [unwrap(v) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


class constexpr(metaclass=BuiltinClass):
    """A value that is compiled in; as an annotation, a parameter that takes such values.

    Operators give a constexpr again, comparisons, too, whose truth is that of the value.
    """

    def __init__(self, value):
        self.value = unwrap(value)

    @property
    def type(self):
        return constexpr_type(self.value)

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __hash__(self):
        return hash((constexpr, self.value))

    def __bool__(self):
        return bool(self.value)

    def __index__(self):
        return operator.index(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __len__(self):
        return len(self.value)

    def __iter__(self):
        return iter(self.value)

    def __contains__(self, item):
        return unwrap(item) in self.value

    def __getitem__(self, key):
        return self.value[unwrap(key)]

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)

    def __not__(self):
        return constexpr(not self.value)

    def logical_and(self, other):
        return constexpr(self.value and unwrap(other))

    def logical_or(self, other):
        return constexpr(self.value or unwrap(other))


def _add_operators():
    """Operators of constexpr: each as operator.NAME does it on the values."""

    def binary(function, method, reverse=False):
        def forward(self, other):
            return constexpr(function(self.value, unwrap(other)))

        def backward(self, other):
            return constexpr(function(unwrap(other), self.value))

        made = backward if reverse else forward
        made.__name__ = method
        setattr(constexpr, method, made)

    def unary(function, method):
        def made(self):
            return constexpr(function(self.value))

        made.__name__ = method
        setattr(constexpr, method, made)

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor",
                 "lshift", "rshift"):
        function = getattr(operator, f"__{name}__")
        binary(function, f"__{name}__")
        binary(function, f"__r{name}__", reverse=True)
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        binary(getattr(operator, name), f"__{name}__")
    for name in ("neg", "pos", "invert"):
        unary(getattr(operator, name), f"__{name}__")


_add_operators()


class constexpr_type(metaclass=BuiltinClass):
    """The type of a constexpr: its value."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"constexpr_type[{self.value}]"


class ConstexprFunction:
    """A Python function that kernels call at compile time; Python calls it as it is."""

    __tilec_constexpr_function__ = True

    def __init__(self, fn, builtin=None):
        self.fn = fn
        functools.update_wrapper(self, fn)
        if builtin:
            self.__tilec_builtin__ = builtin

    @property
    def _source(self):
        """Its text, which the compiler takes; looked for when it is needed."""
        from ..source import Source

        if "_text" not in self.__dict__:
            self._text = Source(self.fn)
        return self._text

    @property
    def src(self):
        return self._source.src

    def _unsafe_update_src(self, text):
        """Let kernels take this text from now on; Python calls what it has."""
        from .. import _core

        self._text = self._source.replaced(text)
        _core.touch()

    @property
    def cache_key(self):
        """A text that differs where its source does, or that of something it calls; where that is no
        function for kernels there is none.
        """
        from ..dependencies import key_of, refuse_strangers

        refuse_strangers(self)
        return key_of(self)

    def __call__(self, *args, **kwargs):
        if kwargs:
            kwargs = {k: unwrap(v) for k, v in kwargs.items()}
        return self.fn(*map(unwrap, args), **kwargs)

    def __get__(self, instance, owner):
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self):
        return f"<constexpr_function {self.__qualname__}>"


def constexpr_function(fn):
    """Make `fn` callable in kernels, on values known at compile time."""
    return ConstexprFunction(fn)


def _cdiv(x: int, div: int):
    for number in (x, div):
        if isinstance(number, (str, tuple, list)):
            raise TypeError(f"triton.cdiv takes two integers, and {number!r} is none: x.shape[0] and len(x) are some")
    return (x + (div - 1)) // div


def _next_power_of_2(n: int):
    if isinstance(n, (float, str)):
        raise TypeError(f"triton.next_power_of_2 takes an integer, not {n!r}: n // 2 and int(n) are some")
    return 1 << (n - 1).bit_length() if n > 1 else max(n, 0)


_cdiv.__name__ = _cdiv.__qualname__ = "cdiv"
_next_power_of_2.__name__ = _next_power_of_2.__qualname__ = "next_power_of_2"
cdiv = ConstexprFunction(_cdiv, "triton.cdiv")
cdiv.__doc__ = "The least integer not below x / div."
next_power_of_2 = ConstexprFunction(_next_power_of_2, "triton.next_power_of_2")
next_power_of_2.__doc__ = "The smallest power of 2 that is not below n; 0 for 0."
