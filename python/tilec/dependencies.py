"""What a kernel reaches through its names, without compiling it: for keys of caches."""

import ast
import builtins
import hashlib
import textwrap
import types

from .kernel import KernelInterface
from .language.constants import ConstexprFunction, constexpr
from .names import (FunctionSpace, MISSING, class_text, defaults_of, is_code, kernel_of,
                    language_name, look, role_of_class)
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


def _function_of(function):
    """The function of Python behind one for kernels, None: it has none."""
    fn = getattr(function, "fn", function)
    return fn if isinstance(fn, types.FunctionType) else None


def _of_signature(function):
    """{what is meant: value} of what the `def` has evaluated."""
    fn = _function_of(function)
    if fn is None:
        return {}
    return {**{f"{name}:": value for name, value in fn.__annotations__.items()}, **defaults_of(fn)}


def _of_class(cls):
    """The same of what a class's own text has defined; what Python adds to it is left out."""
    return {name: member for name, member in vars(cls).items()
            if name in cls.__dict__.get("__annotations__", ())
            or getattr(_function_of(_undecorated(member)), "__module__", None) == cls.__module__}


def _undecorated(member):
    """The function in a staticmethod or property of a class."""
    return kernel_of(getattr(member, "__func__", None) or getattr(member, "fget", None) or member)


def _code_in(value):
    """The functions and classes of the program in a value."""
    if isinstance(value, constexpr):
        yield from _code_in(value.value)
    elif isinstance(value, tuple):
        for item in value:
            yield from _code_in(item)
    else:
        value = _undecorated(value)
        if is_code(value) and not isinstance(value, types.ModuleType) and not language_name(value):
            yield value


def _reach(function, seen):
    """All functions and classes that it uses, directly or not, itself first, each with its
    references.
    """
    if id(function) in seen:
        return
    is_class = isinstance(function, type)
    try:
        found = {} if is_class else references(function)
    except (SourceError, SyntaxError, AttributeError):
        found = {}
    seen[id(function)] = (function, found)
    if is_class and role_of_class(function) is None:
        return
    more = _of_class(function) if is_class else _of_signature(function)
    for value in (*(value for value, _ in found.values()), *more.values()):
        for code in _code_in(value):
            _reach(code, seen)


def reached(function):
    """(function, what its names stand for, as references() has it) of all that it uses, itself first."""
    seen = {}
    _reach(function, seen)
    return list(seen.values())


def _text_of_value(value):
    """The same in another process, for all that a kernel can use."""
    if isinstance(value, constexpr):
        return f"constexpr({_text_of_value(value.value)})"
    if isinstance(value, tuple):
        return f"({','.join(map(_text_of_value, value))})"
    value = _undecorated(value)
    return getattr(value, "__name__", "") if is_code(value) else repr(value)


def _text_of_code(function):
    """What a function or class is by itself, without what it uses."""
    is_class = isinstance(function, type)
    if is_class and role_of_class(function) is None:
        return function.__qualname__
    more = _of_class(function) if is_class else _of_signature(function)
    options = [getattr(function, name, None) for name in ("unspecialised", "unaligned", "noinline")]
    try:
        text = class_text(function)[0] if is_class else f"{_source_of(function)[1].src}{options}"
    except (SourceError, AttributeError):
        text = repr(function)
    return text + "".join(f"{name}={_text_of_value(more[name])};" for name in sorted(more))


def refuse_strangers(function):
    """Raise a RuntimeError where a constexpr function names a function that is none for kernels: no key
    follows what that one does.
    """
    for name, (value, _) in references(function).items():
        if callable(value) and not isinstance(value, (type, KernelInterface, ConstexprFunction)) and \
                getattr(value, "__module__", None) not in ("math", "copy"):
            raise RuntimeError(f"Unsupported function referenced: `{name}`, {value!r}; a constexpr function calls others")


def key_of(kernel):
    """A text that differs where the source of anything that the kernel reaches does, or a value; and
    its own line, which is in what debuggers are told.
    """
    seen = {}
    kernel = kernel_of(kernel)
    _reach(kernel, seen)
    hasher = hashlib.sha256(str(getattr(kernel, "starting_line_number", "")).encode())
    for function, found in seen.values():
        hasher.update(_text_of_code(function).encode())
        for name in sorted(found):
            hasher.update(f"{name}={_text_of_value(found[name][0])};".encode())
    return hasher.hexdigest()


def used_globals(kernel):
    """{(name, id of the namespace): (value, namespace)} of all values that the kernel reaches."""
    seen = {}
    _reach(kernel_of(kernel), seen)
    return {(name, id(owner)): (value, owner) for _, found in seen.values()
            for name, (value, owner) in found.items() if not is_code(value) and value is not None}
