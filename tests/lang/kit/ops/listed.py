import triton

__all__ = ["thrice"]
__all__ += ["_hidden"]


@triton.jit
def thrice(x):
    return x * 3


@triton.jit
def _hidden(x):
    return x * 4


@triton.jit
def unlisted(x):
    return x * 5
