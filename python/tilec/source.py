"""The text of a function: from its file, a notebook's cell, or wherever inspect finds it."""

import inspect
import re
import textwrap

_DEF = re.compile(r"^[ \t]*def[ \t]+\w+[ \t]*\(", re.MULTILINE)


class SourceError(OSError):
    """A function whose source cannot be found, so that it cannot be compiled."""


class Source:
    """`raw` is the text with its decorators and as it is indented, from line `first` of `path` on;
    `text` the same from `def` on, line `line`, and `src` that without indentation.
    """

    def __init__(self, fn):
        try:
            lines, self.first = inspect.getsourcelines(fn)
        except (OSError, TypeError) as error:
            name = getattr(fn, "__qualname__", repr(fn))
            raise SourceError(f"the source of `{name}` cannot be found: kernels are compiled from it; "
                              "put the function into a file or a notebook's cell") from error
        self.raw = "".join(lines)
        self.lines = lines
        start = _DEF.search(self.raw)
        if start is None:
            raise SourceError(f"a kernel is a function made by `def`, not `{lines[0].strip()}`")
        self.text = self.raw[start.start():]
        self.line = self.first + self.raw.count("\n", 0, start.start())
        self.path = _path(fn)
        self.name = fn.__code__.co_name

    @property
    def src(self):
        return textwrap.dedent(self.text)

    def replaced(self, text):
        """The same function with another text, which begins with `def`."""
        other = object.__new__(Source)
        other.__dict__.update(self.__dict__)
        start = _DEF.search(text)
        if start is None:
            raise SourceError("the text of a kernel begins with `def`")
        other.text = text[start.start():]
        other.name = other.text.split("(", 1)[0].split()[1]
        return other


def _path(fn):
    try:
        return inspect.getsourcefile(fn) or fn.__code__.co_filename
    except TypeError:
        return fn.__code__.co_filename
