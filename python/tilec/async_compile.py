"""AsyncCompileMode: compiling on other threads.

`with AsyncCompileMode(executor): kernel.warmup(...)` hands the compile to the executor and gives its future.
The core compiles without the GIL, and a launch that needs what another thread is making waits for it.
"""

import threading

from . import _core, knobs

active = None  # the mode that is entered
_here = threading.local()


def in_task():
    """Does this thread compile for a mode?"""
    return getattr(_here, "is_task", False)


class AsyncCompileMode:
    """What is warmed up in it is compiled by `executor`, each kernel once for the same arguments.  What was
    compiled appears in device_caches at the next launch, and at the end, which waits for all of it and raises
    what went wrong, unless `ignore_errors`; where an exception passes, what has not begun is cancelled.  Without an
    executor all is compiled where it is asked.
    """

    def __init__(self, executor=None, *, ignore_errors=False):
        self.executor = executor
        self.ignore_errors = ignore_errors
        self._futures = {}
        self._made = []

    def submit(self, kernel, key, compile):
        """The future of `compile()`, one for each key."""
        key = (kernel, key)
        if key not in self._futures:
            self._futures[key] = self.executor.submit(_task, compile)
        return self._futures[key]

    def hold(self, add):
        """Call add() later, on the thread that launches."""
        self._made.append(add)

    def take(self):
        """Let what was compiled appear."""
        made, self._made = self._made, []
        for add in made:
            add()

    def __enter__(self):
        global active
        if active is not None:
            raise RuntimeError("an AsyncCompileMode is entered already")
        active = self
        _core.slow(True)
        return self

    def __exit__(self, kind, *_):
        global active
        try:
            for future in self._futures.values():
                if kind is not None and future.cancel():
                    continue  # nobody waits for what has not begun
                error = future.exception()
                if error is not None and kind is None and not self.ignore_errors:
                    raise error
        finally:
            active = None
            knobs.runtime._changed()
            self.take()


def _task(compile):
    _here.is_task = True
    try:
        return compile()
    finally:
        _here.is_task = False
