"""The text of a function: from its file, a notebook's cell, or wherever inspect finds it.

inspect takes as long to import as the rest of the package, so that it waits for the first kernel.
"""


class SourceError(OSError):
    """A function whose source cannot be found, so that it cannot be compiled."""


class Source:
    """`raw` is the text with its decorators and as it is indented, from line `first` of `path` on;
    `text` the same from `def` on, line `line`, and `src` that without indentation.
    """

    def __init__(self, fn):
        import inspect

        try:
            lines, self.first = inspect.getsourcelines(fn)
            self.path = inspect.getsourcefile(fn) or inspect.getfile(fn)
        except (OSError, TypeError) as error:
            name = getattr(fn, "__qualname__", repr(fn))
            raise SourceError(f"the source of `{name}` cannot be found: kernels are compiled from it; "
                              "put the function into a file or a notebook's cell") from error
        self.raw = "".join(lines)
        self.lines = lines
        self._begin_at_def(self.raw)
        self.line = self.first + self.raw[:len(self.raw) - len(self.text)].count("\n")

    def _begin_at_def(self, raw):
        import re

        start = re.search(r"^[ \t]*def[ \t]+(\w+)", raw, re.MULTILINE)
        if start is None:
            lines = [line.strip() for line in raw.strip().split("\n")]
            line = next((line for line in lines if not line.startswith("@")), lines[0])
            raise SourceError(f"a kernel is a function made by `def`, not `{line}`")
        self.text = raw[start.start():]
        self.name = start[1]

    @property
    def src(self):
        import textwrap

        return textwrap.dedent(self.text)

    def replaced(self, text):
        """The same function with another text, which has a `def`."""
        other = object.__new__(Source)
        other.__dict__.update(self.__dict__)
        other._begin_at_def(text)
        return other
