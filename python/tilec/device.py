"""Which device runs launches on host arrays, and whether launches check their accesses.

TILEC_DEVICE and TILEC_CHECK, 1 or "first", say it for a whole process and those that it starts.
"""

import atexit
import os
import sys

from . import _core

NAMES = ("cpu", "interp", "sim", "cuda")
# the device that was asked for, None: the one where the arrays are
selected = None


class _Restore:
    """What the functions below give: as a context manager it undoes them at the end."""

    def __init__(self, undo, before):
        self.undo = undo
        self.before = before

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.undo(self.before)


def use_device(name):
    """Run host arrays on `name`: "cpu", "interp" (slow, defines what is right), "sim" (a GPU in
    software that checks every access); None: the default.  In a `with`, until its end.
    """
    global selected
    if name is not None and name not in NAMES:
        raise ValueError(f"there is no device `{name}`; there are {', '.join(NAMES)}")
    before, selected = selected, name
    _core.host_device(name)
    return _Restore(use_device, before)


def check_accesses(on=True):
    """Let all launches look at every access, as if each had check=True; "first": as if each had
    check="first", which looks at the first launch of its kind, and warns.  In a `with`, until its
    end.
    """
    return _Restore(check_accesses, _core.check_all(on))


def synchronize():
    """Wait for the launches on GPUs that assert something, and raise AssertionFault where that does
    not hold.  Else the next launch on a GPU raises it, or it is told when the process ends.
    """
    _core.async_fault(True)


def _tell_at_exit():
    from .errors import TritonError

    try:
        synchronize()
    except TritonError as error:
        print(f"tilec: {error}", file=sys.stderr)


atexit.register(_tell_at_exit)
_core.waits(os.environ.get("CUDA_LAUNCH_BLOCKING") == "1")
use_device(os.environ.get("TILEC_DEVICE") or None)
_CHECKS = {"": False, "0": False, "1": True, "first": "first"}


def _asked(text):
    """What TILEC_CHECK says."""
    if text not in _CHECKS:
        import warnings

        warnings.warn(f"TILEC_CHECK={text} says nothing: it is 1 or \"first\"", RuntimeWarning, 2)
    return _CHECKS.get(text, False)


check_accesses(_asked(os.environ.get("TILEC_CHECK", "")))
