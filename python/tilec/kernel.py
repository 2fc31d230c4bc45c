"""What everything that can be launched has in common: `kernel[grid](arguments)`."""

import functools


class KernelInterface:
    """A kernel, or a decorator around one; `run` is what each kind does in its own way."""

    def run(self, *args, grid, warmup=False, **kwargs):
        raise NotImplementedError

    def warmup(self, *args, grid, **kwargs):
        """Compile for such arguments without running."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def __getitem__(self, grid):
        return functools.partial(self.run, grid=grid)
