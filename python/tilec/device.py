"""Which device runs launches on host arrays: the CPU, unless something else is asked for."""

import os

NAMES = ("cpu", "interp", "sim", "cuda")
# the device that was asked for, None: the one where the arrays are
selected = os.environ.get("TILEC_DEVICE") or None


class _Restore:
    """What use_device() gives: as a context manager it puts the device before back at the end."""

    def __init__(self, before):
        self.before = before

    def __enter__(self):
        return self

    def __exit__(self, *_):
        use_device(self.before)


def use_device(name):
    """Run host arrays on `name`: "cpu", "interp" (slow, defines what is right), "sim" (a GPU in
    software that checks every access); None: the default.  In a `with`, until its end.
    """
    global selected
    if name is not None and name not in NAMES:
        raise ValueError(f"there is no device `{name}`; there are {', '.join(NAMES)}")
    before, selected = selected, name
    return _Restore(before)
