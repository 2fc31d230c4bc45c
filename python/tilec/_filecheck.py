"""triton._filecheck: kernels compiled without a launch, as tests of Triton's front end do.

What looks for words of MLIR in the result is refused: there are none.
"""

from .errors import TritonError


def run_parser(kernel_fn, args=(), kwargs=None, target=None):
    """Compile the kernel for such arguments; raises where it is wrong.  Of the result there is no MLIR."""
    return kernel_fn.warmup(*args, grid=(1,), **(kwargs or {}))


def run_filecheck(name, module_str, check_template):
    raise TritonError("the lines `CHECK:` are about MLIR, which tilec has not: asm[\"ttir\"] has its own IR")


def run_filecheck_test(kernel_fn):
    run_parser(kernel_fn)
    run_filecheck(kernel_fn.__name__, "", "")


def filecheck_test(fn):
    """Make a test of a kernel with `CHECK:` lines."""
    def test_fn():
        run_filecheck_test(fn)

    test_fn.__name__ = fn.__name__
    return test_fn
