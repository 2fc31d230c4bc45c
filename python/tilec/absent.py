"""Names of Triton's inner modules that tilec has no counterpart of.

Programs import them for one of their ways, often one that they do not go here, so that the import
must work; whatever uses such a name is told why it cannot.
"""

from .errors import TritonError


def _stand_in(module, name, why):
    def refuse(cls, *args, **kwargs):
        raise TritonError(f"{module}.{name} is a part of Triton's own compiler, which tilec has not: {why}")

    return type(name, (), {"__new__": refuse, "__module__": module, "__doc__": f"Refused: {why}"})


def fill(namespace, names, why):
    """Put a class for each of the names, parted by spaces, into a module's globals: it may be derived
    from and asked for with isinstance(), but making an object, or a call, raises a TritonError.
    """
    module = "triton" + namespace["__name__"][len("tilec"):]
    for name in names.split():
        namespace[name] = _stand_in(module, name, why)
