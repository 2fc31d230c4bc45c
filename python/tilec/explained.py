"""kernel.explain(...): what one program of a launch does, statement by statement, with its tiles.

It is `tilec debug --json` with a listener: the launch runs in the interpreter, on copies of the
arrays, and behind each statement the names that it binds are asked for; of a store, what is stored.
"""

import ast
import json
import subprocess
import textwrap

from .errors import CompilationError
from .shown import Cell, folded, table
from .told import Told

_MOST_STEPS = 500  # statements of one program that are told
_EDGE = 4          # of a long axis, elements that are shown at each end
_ARRAYS = {"i1": "?", "fp64": "f8", "fp16": "f2",  # of NumPy; fp32 holds all others
           **{f"{sign}{8 * n}": f"{sign}{n}" for sign in "iu" for n in (1, 2, 4, 8)}}


class Tile:
    """A value of a kernel: `dtype` and `shape`, and `array`, of NumPy.  `loaded` is false where a mask
    has left an element out; None: it has left out none.  `points_into` is the array whose elements
    the numbers of pointers stand for; None: they are no pointers.
    """

    def __init__(self, told):
        import numpy as np

        numbers = [float(x) if isinstance(x, str) else x for x in told["data"]]
        self.dtype, self.shape = told["dtype"], tuple(told["shape"])
        self.array = np.array(numbers, _ARRAYS.get(self.dtype, "f4")).reshape(self.shape)
        loaded = np.array(told.get("loaded", True), bool)
        self.loaded = None if loaded.all() else loaded.reshape(self.shape)
        self.points_into = told.get("points_into")

    def _text(self, at):
        value = self.array[at]
        text = f"{value:.6g}" if self.array.dtype.kind == "f" else str(value)
        return f"({text})" if self.loaded is not None and not self.loaded[at] else text

    def summary(self):
        """In a line."""
        if self.shape == ():
            return self._text(())
        what = f"pointers into {self.points_into}" if self.points_into else self.dtype
        text = f"{what} {'x'.join(map(str, self.shape))}"
        if self.array.size and self.array.dtype.kind in "fi":
            text += f"  min {self.array.min():.6g}  max {self.array.max():.6g}"
        return text if self.loaded is None else f"{text}  not loaded {int((~self.loaded).sum())}"

    def _repr_html_(self):
        if self.array.ndim not in (1, 2):
            return table(None, [[self.summary()]])
        rows = [()] if self.array.ndim == 1 else [(i,) for i in _shown(self.shape[0])]
        columns = _shown(self.shape[-1])
        head = ["", *(".." if j is None else j for j in columns)]
        return table(head, [self._row(row, columns) for row in rows])

    def _row(self, row, columns):
        if row == (None,):
            return ["..", *("" for _ in columns)]
        cells = [".." if j is None else self._cell((*row, j)) for j in columns]
        return [Cell(row[0] if row else "", faint=True), *cells]

    def _cell(self, at):
        return Cell(self._text(at), faint=self.loaded is not None and not self.loaded[at])

    def __repr__(self):
        return f"<tile: {self.summary()}>"


def _shown(extent):
    """Indices along an axis, with a None where some are left out."""
    if extent <= 2 * _EDGE + 8:
        return list(range(extent))
    return [*range(_EDGE), None, *range(extent - _EDGE, extent)]


class Step:
    """One statement: `line`, its `source`, and `values`, {name: Tile}, what it has given."""

    def __init__(self, line, source, values):
        self.line, self.source, self.values = line, source, values

    def __repr__(self):
        told = ", ".join(f"{name} = {tile.summary()}" for name, tile in self.values.items())
        return f"<line {self.line}: {self.source}{'  ' + told if told else ''}>"


class Explanation:
    """`steps`, in the order in which `program` did them; explanation["v"] is the Tile that the name v
    had last.
    """

    def __init__(self, name, program, steps, is_whole):
        self.name, self.program, self.steps, self.is_whole = name, program, steps, is_whole

    def __getitem__(self, name):
        for step in reversed(self.steps):
            if name in step.values:
                return step.values[name]
        raise KeyError(name)

    def _title(self):
        part = "" if self.is_whole else ": its first statements"
        return f"program {self.program} of {self.name}{part}"

    def _repr_html_(self):
        rows = [[step.line, Cell(step.source, left=True),
                 Cell(_values_html(step), left=True, is_html=True)] for step in self.steps]
        return table(["line", Cell(self._title(), left=True), ""], rows)

    def __str__(self):
        lines = [f"{step.line:>5}  {step.source}" + "".join(f"\n         {name}: {tile.summary()}"
                                                           for name, tile in step.values.items())
                 for step in self.steps]
        return "\n".join([self._title(), *lines])

    def __repr__(self):
        return f"<{self._title()}, {len(self.steps)} statements>"


def _values_html(step):
    return "".join(folded(f"{name}: {tile.summary()}", tile._repr_html_()) if tile.shape else
                   table(None, [[Cell(f"{name} = {tile.summary()}", left=True)]])
                   for name, tile in step.values.items())


# --- the debugger ----------------------------------------------------------------------------


class _Debugger:
    """A process of `tilec debug --json`: a line for each command, and an object for an answer."""

    def __init__(self, told):
        self._process = told.start("debug", "--json", "--quiet", stdin=subprocess.PIPE)
        self.begins = self._answer()

    def _answer(self):
        line = self._process.stdout.readline()
        told = json.loads(line) if line.strip() else {}
        if "exit" in told or not told:
            said = self._process.communicate()[1]
            raise CompilationError(error_message=told.get("text") or said.strip())
        return told

    def ask(self, command):
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        return self._answer()

    def value(self, expression):
        """A Tile; None: it is none, or has no value here."""
        told = self.ask(f"print {expression}").get("value")
        return None if told is None else Tile(told)

    def close(self):
        self._process.kill()
        self._process.communicate()


class _Statements:
    """What the kernel's source says at each line of its file."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self._lines = text.splitlines()
        self._at = {}
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.stmt):
                self._at.setdefault(node.lineno, node)

    def source(self, line):
        node = self._at.get(line)
        last = line if node is None or hasattr(node, "body") else node.end_lineno
        return textwrap.dedent("\n".join(self._lines[line - 1:last]))

    def names(self, line):
        """Those that the statement binds."""
        node = self._at.get(line)
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        return [n.id for target in targets if target is not None for n in ast.walk(target)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]

    def stored(self, line):
        """The value of a store or an atomic, as an expression; None."""
        call = getattr(self._at.get(line), "value", None)
        if not isinstance(call, ast.Call) or len(call.args) < 2:
            return None
        name = getattr(call.func, "attr", "")
        is_one = name == "store" or name.startswith("atomic_")
        return ast.unparse(call.args[1]) if is_one else None


def _step(debugger, statements, program, line):
    """Past one statement of a program: what it was, and where the run stands behind it."""
    stored = statements.stored(line)
    values = {f"stored: {stored}": debugger.value(stored)} if stored else {}
    behind = debugger.ask("next")
    if behind["stop"].get("program") == program and behind["stop"]["reason"] != "fault":
        values.update((name, debugger.value(name)) for name in statements.names(line))
    values = {name: tile for name, tile in values.items() if tile is not None}
    return Step(line, statements.source(line), values), behind


def _walk(debugger, program, statements):
    here = debugger.begins
    if any(program):
        here = debugger.ask(f"program {','.join(map(str, program))}")
    if "stop" not in here:
        raise CompilationError(error_message=here.get("error", here.get("text")))
    steps = []
    while here["stop"].get("program") == list(program) and len(steps) < _MOST_STEPS:
        step, here = _step(debugger, statements, list(program), here["stop"]["line"])
        steps.append(step)
        if here["stop"]["reason"] == "fault":
            raise CompilationError(error_message=here["text"].strip())
    return steps, here["stop"].get("program") != list(program)


def explain(kernel, grid, program, args, kwargs):
    program = tuple(program) if isinstance(program, (tuple, list)) else (program,)
    program = (*program, 0, 0)[:3]
    with Told(kernel, grid, args, kwargs) as told:
        debugger = _Debugger(told)
        try:
            steps, is_whole = _walk(debugger, program, _Statements(told.file))
        finally:
            debugger.close()
    return Explanation(kernel.__name__, program, steps, is_whole)
