"""Objects of a `@triton.aggregate` outside of kernels: what they hold, and that it stays so.

The compiler takes such a class from its text; this is for programs that make objects of it, to ask for
their fields or to make others of them.  The class stays the one that was decorated, so that its text,
its closures and `isinstance` are found as before.
"""

import functools
import types
import typing

from .constants import ConstexprFunction, constexpr, unwrap

_MARK = "__tilec_aggregate__"
_OPEN = "_tilec_open"  # of an object: its constructor runs


def _own_fields(cls):
    """Name and annotation of each; one written as text is what it names, where that is there."""
    try:
        hints = typing.get_type_hints(cls)
    except (NameError, TypeError, AttributeError, SyntaxError):
        hints = {}
    own = vars(cls).get("__annotations__", {})
    return {name: hints.get(name, hint) for name, hint in own.items()}


def _assign(self, *args, **kwargs):
    """The constructor of a class that has none: its fields in their order, or by name."""
    cls, given = type(self), {}
    names = list(cls.__tilec_fields__)
    if len(args) > len(names):
        raise TypeError(f"{cls.__name__} has {len(names)} fields, {len(args)} values were given")
    for name, value in [*zip(names, args), *kwargs.items()]:
        if name in given:
            raise TypeError(f"{cls.__name__}: field '{name}' was given twice")
        given[name] = value
    for name, value in given.items():
        setattr(self, name, value)


class _Constructor:
    """__init__ of an aggregate: within it fields are assigned, behind it each has a value."""

    def __init__(self, own):
        self.own = own
        self.__func__ = getattr(own, "fn", own)  # what it closes over is looked for here

    def __get__(self, instance, owner):
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, instance, *args, **kwargs):
        if _OPEN in vars(instance):  # that of a base, called by that of the class
            return self.own(instance, *args, **kwargs)
        object.__setattr__(instance, _OPEN, True)
        self.own(instance, *args, **kwargs)
        cls = type(instance)
        for name in cls.__tilec_fields__:
            if name not in vars(instance):
                if not hasattr(cls, name):
                    raise TypeError(f"{cls.__name__}: field '{name}' has no value")
                setattr(instance, name, getattr(cls, name))
        del vars(instance)[_OPEN]


def _converted(value, annotation):
    """As a field of that annotation holds it: a constexpr, or a tl.tuple of such, with the names of a named tuple."""
    if annotation is constexpr:
        return constexpr(value)
    is_tuple = isinstance(annotation, type) and issubclass(annotation, tuple) and not hasattr(annotation, "_fields")
    if not is_tuple or not isinstance(value, tuple):
        return value
    made = annotation(_converted(item, constexpr if isinstance(item, (int, float, str)) else None) for item in value)
    for name, item in zip(getattr(value, "_fields", ()), made):
        setattr(made, name, item)
    return made


def _set(self, name, value):
    """Assign a field."""
    cls = type(self)
    if _OPEN not in vars(self):
        raise AttributeError(f"cannot assign to field '{name}' on immutable aggregate {cls.__name__}: "
                             f"tl.aggregate_replace(it, {name}=...) makes another one")
    if name not in cls.__tilec_fields__:
        raise TypeError(f"{cls.__name__} has no field '{name}'")
    object.__setattr__(self, name, _converted(value, cls.__tilec_fields__[name]))


def aggregate(cls):
    """Mark a class whose objects kernels use; its fields are its annotations, those of bases first."""
    fields = {}
    for base in cls.__bases__:
        if base is not object and _MARK not in vars(base):
            raise TypeError("Aggregates can only inherit from other aggregates, "
                            f"and {base.__name__} is none: {cls.__name__}")
    for base in reversed(cls.__mro__):
        fields.update(_own_fields(base) if base is cls else vars(base).get("__tilec_fields__", {}))
    cls.__tilec_fields__ = fields
    cls.__tilec_aggregate__ = True
    own = vars(cls).get("__init__")
    if isinstance(own, (types.FunctionType, ConstexprFunction)):
        cls.__init__ = _Constructor(own)
    elif cls.__init__ is object.__init__:
        cls.__init__ = _Constructor(_assign)
    if cls.__setattr__ is object.__setattr__:
        cls.__setattr__ = _set
    return cls


def aggregate_replace(value, **fields):
    """Another object like `value`, with other values in some fields."""
    value, cls = unwrap(value), type(unwrap(value))
    if _MARK not in vars(cls):
        raise TypeError(f"aggregate_replace expects an aggregate instance, not {cls.__name__}")
    made = cls.__new__(cls)
    object.__setattr__(made, _OPEN, True)
    for name, new in {**vars(value), **fields}.items():
        setattr(made, name, new)
    del vars(made)[_OPEN]
    return made
