"""What a package does so that its modules can be imported where there is no Triton."""
import importlib.util

try:
    import triton
except ImportError:
    triton = None

if triton is not None:
    import triton.language as tl
    from triton.language import float32 as wide
else:
    class tl:
        constexpr = int
        int32 = None

    class wide:
        pass

if triton:
    import triton.language as truth
else:
    class truth:
        pass

FOUND = importlib.util.find_spec("triton") is not None
if FOUND:
    from triton import language as found
else:
    class found:
        pass

try:
    import triton.language as tried
except ImportError:
    class tried:
        pass


class before:
    pass


try:
    import triton.language as before
except ImportError:
    pass
