"""What a kernel reaches through its names, without compiling it: for keys of caches."""

import ast
import builtins
import hashlib
import textwrap

from .names import FunctionSpace, MISSING, is_code, kernel_of, language_name, look
from .source import Source, SourceError


class _Reader(ast.NodeVisitor):
    """The values that the names in one function stand for, attributes of modules included."""

    def __init__(self, space):
        self.space = space
        self.bound = set()
        self.found = {}  # name -> (value, owner)

    def visit_FunctionDef(self, node):
        arguments = node.args
        for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            self.bound.add(a.arg)
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                self.bound.add(n.id)
        for statement in node.body:
            self.visit(statement)

    def visit_Name(self, node):
        self._look_up(node)

    def visit_Attribute(self, node):
        self._look_up(node)

    def _look_up(self, node):
        value, name, owner = self._value(node)
        if value is not MISSING:
            self.found[name] = (value, owner)
        elif isinstance(node, ast.Attribute):
            self.visit(node.value)

    def _value(self, node):
        if isinstance(node, ast.Name) and node.id not in self.bound:
            place = self.space.place(node.id)
            return look(place), node.id, place[0]
        if isinstance(node, ast.Attribute):
            module, name, _ = self._value(node.value)
            if isinstance(module, type(ast)):
                return getattr(module, node.attr, MISSING), f"{name}.{node.attr}", module
        return MISSING, None, None


def _source_of(fn):
    if hasattr(fn, "_source"):
        return fn.fn, fn._source
    fn = getattr(fn, "fn", fn)
    return fn, Source(fn)


def references(function):
    """{name: (value, owner)} of what a jit or constexpr function names: not what the language and
    Python have.
    """
    fn, source = _source_of(function)
    reader = _Reader(FunctionSpace(fn))
    reader.visit(ast.parse(textwrap.dedent(source.text)))
    return {name: (value, owner) for name, (value, owner) in reader.found.items()
            if not isinstance(value, type(ast)) and language_name(value) is None
            and getattr(builtins, name, MISSING) is not value}


def _reach(function, seen):
    """All functions that it calls, directly or not, itself first, each with its references."""
    function = kernel_of(function)
    if id(function) in seen:
        return
    try:
        found = references(function)
    except (SourceError, SyntaxError, AttributeError):
        found = {}
    seen[id(function)] = (function, found)
    for value, _ in found.values():
        if is_code(value):
            _reach(value, seen)


def key_of(kernel):
    """A text that differs where the source of anything that the kernel reaches does, or a value."""
    seen = {}
    _reach(kernel, seen)
    hasher = hashlib.sha256()
    for function, found in seen.values():
        try:
            hasher.update(_source_of(function)[1].src.encode())
        except (SourceError, AttributeError):
            hasher.update(repr(function).encode())
        for name in sorted(found):
            value = found[name][0]
            hasher.update(f"{name}={'' if is_code(value) else value!r};".encode())
    return hasher.hexdigest()


def used_globals(kernel):
    """{(name, id of the namespace): (value, namespace)} of all values that the kernel reaches."""
    seen = {}
    _reach(kernel, seen)
    return {(name, id(owner)): (value, owner) for _, found in seen.values()
            for name, (value, owner) in found.items() if not is_code(value) and value is not None}
