"""What the names in a kernel mean: the compiler asks, the live objects of the program answer.

A Surroundings belongs to one loaded kernel.  Each function and module that the kernel reaches is a
space with a name of its own, in which the compiler asks for more.  What an answer depended on is
watched by the loaded file: before a launch it must still be the same object (src/file.c), and if it
is not, changed() says what that means.
"""

import builtins
import enum
import sys
import types

from .errors import ChangedGlobalError
from .kernel import KernelInterface
from .language.constants import ConstexprFunction, constexpr
from .language.types import dtype
from .source import Source, SourceError
from .values import (NO_CONSTANT, WATCH_ATTRIBUTE, WATCH_KEY, constant, describe, is_constant,
                     is_same, library_name)

# kinds of answers and roles of functions, as src/answer.c and tilec.h number them
_VALUE, _FUNCTION, _MODULE, _LANGUAGE, _CLASS, _LIBRARY, _OBJECT = range(7)
_JIT, _CONSTEXPR, _PYTHON, _NAMED_TUPLE, _AGGREGATE, _ENUM = range(6)
MISSING = object()
# modules of Python whose members the compiler evaluates itself
_PYTHON_MODULES = ("math", "itertools")


def defaults_of(fn):
    """{parameter: default}, as Python has evaluated them."""
    code, defaults = fn.__code__, fn.__defaults__ or ()
    named = zip(code.co_varnames[code.co_argcount - len(defaults):code.co_argcount], defaults)
    return {**dict(named), **(fn.__kwdefaults__ or {})}


class FunctionSpace:
    """Names in the body of a function: what it closes over, then its module's globals."""

    def __init__(self, fn):
        self.fn = fn
        code = fn.__code__
        self.cells = dict(zip(code.co_freevars, fn.__closure__ or ()))
        self.globals = fn.__globals__

    def place(self, name):
        """(owner, key, how to look there) of what the name means."""
        cell = self.cells.get(name)
        return (self.globals, name, WATCH_KEY) if cell is None else \
            (cell, "cell_contents", WATCH_ATTRIBUTE)

    def default(self, name, function):
        """What the `def` has made the parameter's default; MISSING for functions inside of it."""
        return defaults_of(self.fn).get(name, MISSING) if function == self.fn.__name__ else MISSING

    def is_constexpr(self, name):
        return name not in self.cells and _is_annotated(self.globals, name)


class _ModuleSpace:
    """Names behind `module.`"""

    def __init__(self, module):
        self.module = module

    def place(self, name):
        names = vars(self.module)
        return (names, name, WATCH_KEY) if name in names else \
            (self.module, name, WATCH_ATTRIBUTE)

    def is_constexpr(self, name):
        return True  # Triton lets kernels use attributes of modules as they are


class _ObjectSpace:
    """Names behind `object.`, of an object that holds constants."""

    def __init__(self, owner):
        self.owner = owner

    def place(self, name):
        return (self.owner, name, WATCH_ATTRIBUTE)

    def is_constexpr(self, name):
        return True


class _ClassSpace:
    """Names in a class: what its functions close over, then its module's globals."""

    def __init__(self, cls):
        self.cells = {}
        for member in vars(cls).values():
            fn = getattr(kernel_of(member), "fn", getattr(member, "__func__", member))
            if isinstance(fn, types.FunctionType):
                self.cells.update(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
        self.globals = vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}

    place = FunctionSpace.place
    is_constexpr = FunctionSpace.is_constexpr


def role_of_class(value):
    """What a class is to kernels; None: nothing."""
    if not isinstance(value, type):
        return None
    if "__tilec_aggregate__" in vars(value):
        return _AGGREGATE
    if issubclass(value, tuple) and hasattr(value, "_fields"):
        return _NAMED_TUPLE
    return _ENUM if issubclass(value, enum.Enum) else None


def class_text(cls):
    """(text, its first line, path) of a class; of one that no text made, as namedtuple() does, one
    that says the same.
    """
    import inspect  # takes as long as the rest of the package

    try:
        lines, line = inspect.getsourcelines(cls)
        return "".join(lines), line, inspect.getsourcefile(cls)
    except (OSError, TypeError):
        pass
    if role_of_class(cls) == _AGGREGATE:
        raise SourceError(f"the source of `{cls.__qualname__}` cannot be found")
    if hasattr(cls, "_fields"):
        values = cls._field_defaults
        lines = [f"class {cls.__name__}(NamedTuple):", "    pass"]
        lines += [f"    {name}: None" + (f" = {values[name]!r}" if name in values else "")
                  for name in cls._fields]
    else:
        lines = [f"class {cls.__name__}(Enum):", "    pass"]
        lines += [f"    {name} = {member.value!r}" for name, member in cls.__members__.items()]
    return "\n".join(lines) + "\n", 1, None


def _is_annotated(names, name):
    """Does the module say `name: tl.constexpr = ...`?"""
    annotation = (names.get("__annotations__") or {}).get(name)
    return annotation is constexpr or (isinstance(annotation, str) and
                                       annotation.split(".")[-1] == "constexpr")


def look(place):
    """What is there, or MISSING."""
    owner, key, how = place
    if how == WATCH_ATTRIBUTE:
        try:
            return getattr(owner, key)
        except (AttributeError, ValueError):  # ValueError: a cell that is empty yet
            return MISSING
    return owner.get(key, MISSING)


def _with_must_use(fn, source, kernel):
    """(text, its first line) of a function; of one that must_use_result() was called for, behind
    decorators that say so.
    """
    why = getattr(kernel, "_must_use_result", None) or getattr(fn, "_must_use_result", None)
    if not why:
        return source.text, source.line
    import json

    indent = source.text[:len(source.text) - len(source.text.lstrip())]
    reason = json.dumps(why, ensure_ascii=False) if isinstance(why, str) else ""
    decorators = f"{indent}@triton.must_use_result({reason})\n{indent}@triton.jit\n"
    return decorators + source.text, source.line - 2


def _annotation_text(value):
    """What stands for the annotation of a parameter in a text; None: nothing that kernels know."""
    if value is constexpr:
        return "tl.constexpr"
    if isinstance(value, str):
        return value
    return _type_text(value) if isinstance(value, dtype) else None


def _type_text(value):
    """"int32"; "*fp32" and "const *fp32" of pointers."""
    if not value.is_ptr():
        return value.name
    return f"{'const ' if value.is_const() else ''}*{value.element_ty}"


def _with_annotations(fn, text):
    """The text with what fn.__annotations__ says of parameters that the text says nothing of, as a
    decorator has written it there.
    """
    given = getattr(fn, "__annotations__", None) or {}
    head = text.partition(":\n")[0].replace(" ", "")
    if all(f"{name}:" in head for name in given if name != "return"):  # as in nearly all kernels
        return text
    import ast

    is_indented = text[:1].isspace()
    block = ast.parse(f"if 1:\n{text}" if is_indented else text).body[0]
    arguments = (block.body[0] if is_indented else block).args
    lines = text.encode().splitlines(True)
    for a in reversed([*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]):
        said = None if a.annotation else _annotation_text(given.get(a.arg))
        if said is not None:
            line, end = a.end_lineno - 1 - is_indented, a.end_col_offset
            lines[line] = lines[line][:end] + f": {said!r}".encode() + lines[line][end:]
    return b"".join(lines).decode()


class Surroundings:
    """The resolver of one kernel; `root` is the tuple that the kernel is loaded by."""

    def __init__(self, kernel):
        self.spaces = {}
        self.keys = {}  # id of a function or module -> its space's name
        self.globals = {}  # number of what is watched -> the global whose change is an error
        self.kept = []  # so that ids stay theirs
        self.root = self._describe(kernel.fn, kernel._source, kernel)

    def __call__(self, file, name, module, function):
        space = self.spaces.get(module)
        if space is None:
            return None
        if name.endswith("="):
            return self._default(file, space, name[:-1], function)
        place = space.place(name)
        value = look(place)
        if hasattr(builtins, name) and value is getattr(builtins, name):
            return None
        is_constexpr = space.is_constexpr(name)
        if isinstance(space, FunctionSpace) and function is None:
            # a default or an annotation, which Python evaluated when it ran the `def`
            return self._answer(file, None, name, value, is_constexpr)
        index = file.watch(*place, False)
        if isinstance(space, FunctionSpace) and place[2] == WATCH_KEY:
            self.globals[index] = name
        return self._answer(file, index, name, value, is_constexpr, getattr(space, "module", None))

    def _default(self, file, space, name, function):
        """None where only the text can tell what the default of a parameter is to kernels."""
        value = space.default(name, function) if isinstance(space, FunctionSpace) else MISSING
        is_type = isinstance(value, dtype) and (value.is_ptr() or value.is_block())
        return None if is_type else self._answer(file, None, name, value, True)

    # --- answers -----------------------------------------------------------------------------

    def _answer(self, file, index, name, value, is_constexpr, module=None):
        """`index` is that of what is watched, None where nothing needs to be; `module` is what the
        name was asked of.
        """
        while isinstance(value, constexpr):
            if index is not None:
                watched = file.watch(value, "value", WATCH_ATTRIBUTE, False)
                self.globals[watched] = name
            value, is_constexpr = value.value, True
            if isinstance(value, types.FunctionType):
                value = ConstexprFunction(value)  # `@tl.constexpr` above a def
        if value is MISSING:
            return None
        language = language_name(value)
        if language is not None:
            return (_LANGUAGE, language)
        if isinstance(value, dtype) and value.is_ptr():
            return (_LANGUAGE, _type_text(value))
        if isinstance(value, types.ModuleType):
            return (_MODULE, self._key(value, value.__name__, _ModuleSpace), None)
        if not isinstance(kernel_of(value), KernelInterface):
            library = library_name(value, name, module)
            if library is not None:
                return (_LIBRARY, library)
        return (self._function(file, value) or self._class(value) or
                self._value(file, value, is_constexpr))

    def _value(self, file, value, is_constexpr):
        """The answer for a constant, or an object that is none."""
        found = constant(value, lambda *place: file.watch(*place, False))
        if found is not NO_CONSTANT:
            return (_VALUE, found, is_constexpr or isinstance(found, dtype))
        what, advice = describe(value)
        return (_OBJECT, what, advice, self._key(value, what, _ObjectSpace), is_constexpr)

    def _function(self, file, value):
        value = kernel_of(value)
        try:
            if isinstance(value, KernelInterface):
                file.watch(value, "_source", True, True)
                return (_FUNCTION, _JIT, self._describe(value.fn, value._source, value))
            if isinstance(value, ConstexprFunction):
                file.watch(value, "_source", True, True)
                return (_FUNCTION, _CONSTEXPR, self._describe(value.fn, value._source))
            if isinstance(value, types.FunctionType):
                return (_FUNCTION, _PYTHON, self._describe(value, Source(value)))
        except SourceError:
            return None
        return None

    def _class(self, value):
        role = role_of_class(value)
        if role is None:
            return None
        text, line, path = class_text(value)
        module = self._key(value, f"{value.__module__}.{value.__qualname__}", _ClassSpace)
        return (_CLASS, role, (text, value.__name__, module, path, line, (), False, ()))

    def function(self, file, value):
        """An argument of a launch: (its name, its role, its description)."""
        answer = self._function(file, kernel_of(value))
        if answer is None:
            raise SourceError(f"the source of {value!r} cannot be found, so that no kernel can call it")
        _, role, parts = answer
        return parts[2], role, parts

    def _describe(self, fn, source, kernel=None):
        """The tuple that src/answer.c makes a function of."""
        module = self._key(fn, f"{fn.__module__}.{fn.__qualname__}", FunctionSpace)
        unspecialised = kernel.unspecialised if kernel is not None else ()
        unaligned = kernel.unaligned if kernel is not None else ()
        noinline = bool(kernel is not None and kernel.noinline)
        text, line = _with_must_use(fn, source, kernel)
        text = _with_annotations(fn, text)
        return (text, source.name, module, source.path, line, unspecialised, noinline, unaligned)

    def _key(self, owner, name, space):
        key = self.keys.get(id(owner))
        if key is None:
            key = name if name not in self.spaces else f"{name}#{len(self.spaces)}"
            self.keys[id(owner)] = key
            self.spaces[key] = space(owner)
            self.kept.append(owner)
        return key

    # --- changes -----------------------------------------------------------------------------

    def changed(self, file, index):
        """Something is another object than when the kernel was loaded.  True: the kernel has to be
        loaded again; False: it means the same.
        """
        owner, before, now = file.watched(index)
        name = self.globals.get(index)
        if is_constant(before) and is_same(before, now):
            file.accept(index)
            return False
        if name is None or before is None or is_code(before) or not is_constant(before):
            return True
        if isinstance(owner, constexpr):
            before, now = constexpr(before), constexpr(now)
        raise ChangedGlobalError(f"Global variable {name} has changed since we compiled this kernel, "
                                 f"from {before} to {now}")


def kernel_of(value):
    """The kernel inside of autotune and heuristics, which do nothing for a call in a kernel."""
    while isinstance(value, KernelInterface) and not hasattr(value, "_source"):
        value = value.fn
    return value


def is_code(value):
    """Is it a function or module, whose change means other code?"""
    return isinstance(value, (KernelInterface, ConstexprFunction, types.FunctionType,
                              types.ModuleType, type))


def language_name(value):
    """The dotted name of what the language itself has; None for anything else."""
    if isinstance(value, types.ModuleType):
        name = value.__name__
        return name if name in _PYTHON_MODULES else vars(value).get("__tilec_module__")
    if isinstance(value, types.BuiltinFunctionType):
        return f"{value.__module__}.{value.__name__}" if value.__module__ in _PYTHON_MODULES else None
    name = getattr(value, "__tilec_builtin__", None)
    return name if isinstance(name, str) else None
