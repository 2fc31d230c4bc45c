"""triton.backends.compiler: targets, and names that programs import."""

import collections

GPUTarget = collections.namedtuple("GPUTarget", ["backend", "arch", "warp_size"])
GPUTarget.__doc__ = """A device to compile for: "cpu" with arch 0, or "cuda" with arch 80 and so on."""


class BaseBackend:
    """What extends Triton's compiler derives from this; tilec takes no such extensions."""

    def __init__(self, target):
        self.target = target


class AttrsDescriptor:
    """Which arguments are multiples of 16 or equal to 1; the core finds that out by itself."""

    def __init__(self, arg_properties=None, property_values=None, **_):
        self.arg_properties = arg_properties or {}
        self.property_values = property_values or {}

    @classmethod
    def from_dict(cls, data):
        return cls(data.get("arg_properties"))
