try:
    import triton
    import triton.language as tl
    HAS_TRITON = True
except ImportError:
    triton = None
    tl = None
    HAS_TRITON = False

try:
    from no_such_package.fast import exp
except ImportError:
    from .ops.math import exp
