"""A kernel that Python runs, for tests of what is wrapped around kernels."""

from tilec.kernel import KernelInterface


class Standin(KernelInterface):
    """`fn` is called with the arguments of each launch; `launches` keeps the keyword ones."""

    def __init__(self, fn, key="key"):
        import inspect

        self.fn = fn
        self.__name__ = fn.__name__
        self.arg_names = list(inspect.signature(fn).parameters)
        self.cache_key = key
        self.launches = []

    def run(self, *args, grid, warmup=False, **kwargs):
        options = {k: kwargs.pop(k) for k in list(kwargs) if k not in self.arg_names}
        self.launches.append({**kwargs, **options})
        return (warmup, kwargs, options) if warmup else self.fn(*args, **kwargs)
