"""triton.runtime._async_compile: compiling on other threads.  tilec compiles in milliseconds, where it
is asked.
"""


class AsyncCompileMode:
    """`with AsyncCompileMode(executor): kernel.warmup(...)`: what is in it compiles as always."""

    def __init__(self, executor=None, *, ignore_errors=False):
        self.executor = executor
        self.ignore_errors = ignore_errors

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass
