"""What everything that can be launched has in common: `kernel[grid](arguments)`."""

import functools

from .errors import ArgumentNameError


class Arguments(dict):
    """Arguments by name, as grids, heuristics and hooks get them: who asks for a name that is none
    is told which there are.
    """

    def __missing__(self, name):
        from difflib import get_close_matches

        names = {n.lower(): n for n in self if n not in ("grid", "warmup")}
        near = get_close_matches(str(name).lower(), names, 1, 0.5)
        guess = f"; did you mean {names[near[0]]!r}?" if near else ""
        raise ArgumentNameError(f"no argument is called {name!r}{guess}\n"
                                f"hint: there are {', '.join(map(repr, names.values()))}")

    def __getattr__(self, name):
        raise AttributeError(f"the arguments are a dict: meta[{name!r}] for meta.{name}")


class KernelInterface:
    """A kernel, or a decorator around one; `run` is what each kind does in its own way."""

    def run(self, *args, grid, warmup=False, **kwargs):
        raise NotImplementedError

    def warmup(self, *args, grid, **kwargs):
        """Compile for such arguments without running."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def __getitem__(self, grid):
        return functools.partial(self.run, grid=grid)
