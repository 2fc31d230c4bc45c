"""triton.runtime._allocation: workspace for kernels, of which tilec's need none."""

from .. import set_allocator
from ..errors import TritonError


class NullAllocator:
    """What is set while a program has set nothing."""

    def __call__(self, size, alignment, stream):
        raise TritonError("kernels of tilec need no workspace: nobody has to give them any")


def set_profile_allocator(allocator):
    """As set_allocator(): nothing happens."""


def has_profile_allocator():
    return False
