"""Markers: what Python sees of the functions and classes that only mean something in kernels.

A kernel is compiled from its source, so that `tl.load` is never called; it only has to be found, to
say what it is, and to explain itself to whoever calls it elsewhere.
"""

from ..errors import OutsideKernelError


def _parameters(text):
    """The inspect.Parameter of each word of a row of the table, as "x *dims order=None"."""
    import ast
    from inspect import Parameter

    kind = Parameter.POSITIONAL_OR_KEYWORD
    for word in text.split():
        name, _, default = word.partition("=")
        if name.startswith("*"):
            yield Parameter(name[1:], Parameter.VAR_POSITIONAL)
            kind = Parameter.KEYWORD_ONLY
        else:
            yield Parameter(name, kind, default=ast.literal_eval(default) if default
                            else Parameter.empty)


def short_name(full):
    """How kernels write it: "tl.load" of "triton.language.load"."""
    return full.replace("triton.language.extra.libdevice.", "libdevice.").replace(
        "triton.language.", "tl.")


class Builtin:
    """A function of the language.  `__tilec_builtin__` is the dotted name by which the compiler
    knows it; `on_host` is what a call outside of a kernel does, an error where there is none.
    """

    __triton_builtin__ = True

    def __init__(self, full, parameters=None, on_host=None):
        self.__tilec_builtin__ = full
        self.__module__, _, self.__name__ = full.rpartition(".")
        self.__qualname__ = self.__name__
        self._parameters = parameters
        self._on_host = on_host

    def __call__(self, *args, **kwargs):
        if self._on_host is None:
            raise outside(self.__tilec_builtin__)
        return self._on_host(*args, **kwargs)

    @property
    def __doc__(self):
        if self._parameters is None:
            return f"{short_name(self.__tilec_builtin__)} of Triton, which tilec does not have yet."
        return f"{short_name(self.__tilec_builtin__)}{self.__signature__}: see docs/language.md"

    @property
    def __signature__(self):
        from inspect import Signature

        if self._parameters is None:
            raise ValueError(f"nothing is known about the parameters of {self.__name__}")
        return Signature(list(_parameters(self._parameters)))

    signature = __signature__

    def __repr__(self):
        return f"<{self.__tilec_builtin__}, a function for kernels>"

    def __reduce__(self):
        return find, (self.__module__, self.__name__)


def find(module, name):
    """The member of one of our modules that Triton calls `module`; what pickle restores."""
    import importlib

    where = importlib.import_module("tilec" + module[len("triton"):])
    return getattr(where, name)


class BuiltinClass(type):
    """Of classes that kernels name, too: the class is a builtin, its instances are not."""

    @property
    def __tilec_builtin__(cls):
        return "triton.language." + cls.__name__


class KernelClass(metaclass=BuiltinClass):
    """A class of values that only kernels have."""

    def __new__(cls, *args, **kwargs):
        raise outside(cls.__tilec_builtin__)


def outside(full):
    """The exception for a call of `full` by Python."""
    name = short_name(full)
    return OutsideKernelError(
        f"{name} is only there inside of a kernel: here are no programs and no tiles\n"
        f"hint: put the call into a function with @triton.jit and launch that")


def missing(module, names):
    """A module's __getattr__ that says which name is unknown, and which is near."""

    def __getattr__(name):
        if name.startswith("__"):
            raise AttributeError(name)
        import difflib

        near = difflib.get_close_matches(name, list(names()), 1)
        hint = f"\nhint: did you mean `{near[0]}`?" if near else ""
        raise AttributeError(f"`{module}` has no `{name}`, here or in Triton's language{hint}")

    return __getattr__
