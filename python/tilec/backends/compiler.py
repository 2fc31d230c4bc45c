"""triton.backends.compiler: targets, and names that programs import."""

import collections
import types

GPUTarget = collections.namedtuple("GPUTarget", ["backend", "arch", "warp_size"])
GPUTarget.__doc__ = """A device to compile for: "cpu" with arch 0, or "cuda" with arch 80 and so on."""


class BaseBackend:
    """What extends Triton's compiler derives from this; tilec takes no such extensions."""

    def __init__(self, target):
        self.target = target

    def hash(self):
        """Changes with what is compiled for."""
        return "-".join(map(str, self.target))

    def parse_options(self, given):
        """The options of a launch, as attributes, with what they are where nobody says them."""
        defaults = {"num_warps": 4, "num_stages": 3, "num_ctas": 1, "enable_fp_fusion": False, "debug": False,
                    "extern_libs": ()}
        return types.SimpleNamespace(**{**defaults, **given})
