"""repro(): a launch as one file, with all that it needs.

    with tilec.repro("softmax_repro.py"):
        model(x)

writes the first launch in it, before it runs: the kernel and what it uses, the arguments and the call.
`tilec run FILE` makes that launch, and so does `python FILE` with Triton and PyTorch.
"""

import os

from . import _core, knobs

active = None  # the one that waits for a launch


class repro:
    """Writes the first launch inside of `with`, or the first of the kernel that is called `kernel`, to `path`,
    which must not be there unless `replace`.  Behind it `written` says whether there was one.
    """

    def __init__(self, path, kernel=None, replace=False):
        self.path, self.kernel, self.replace = path, kernel, replace
        self.written = False

    def __enter__(self):
        global active
        if active is not None:
            raise RuntimeError("a tilec.repro() is entered already")
        if not self.replace and os.path.exists(self.path):
            raise FileExistsError(f"{os.fspath(self.path)} is there already; replace=True writes over it")
        active = self
        _core.slow(True)
        return self

    def __exit__(self, *_):
        global active
        active = None
        knobs.runtime._changed()

    def take(self, kernel, grid, args, kwargs):
        """A launch is about to be."""
        if self.written or self.kernel not in (None, kernel.__name__):
            return
        text = kernel._repro(grid, *_on_host(args, kwargs))
        with open(self.path, "w" if self.replace else "x", encoding="utf-8") as file:
            file.write(text)
        self.written = True


def _on_host(args, kwargs):
    """The same with copies in the host's memory of what a GPU has; one array stays one."""
    copies = {}

    def copied(value):
        if isinstance(value, tuple):
            items = [copied(v) for v in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if not getattr(value, "is_cuda", False):
            return value
        return copies.setdefault(id(value), value.detach().cpu())

    return tuple(map(copied, args)), {name: copied(value) for name, value in kwargs.items()}
