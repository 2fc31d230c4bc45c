#!/usr/bin/env python3
"""python_names.py - the names of the language, for Python

    tools/python_names.py [--check] [ROOT]

Reads the compiler's tables (src/tl/builtins.h, src/libdevice/libdevice.h, src/ir/dtypes.h) and writes, in
python/tilec/language, _names.py and the stubs for type checkers: core.pyi, math.pyi and
extra/libdevice.pyi.  --check writes nothing, and exits with 1 where one of these is not what the
tables say.
"""
import argparse
import pathlib
import re
import sys

FOLDER = "python/tilec/language"
WHERE = {"TM": {"tl", "method"}, "TX": {"tl", "math"}, "TXM": {"tl", "math", "method"},
         "IN_TL": {"tl"}, "IN_MATH": {"math"}, "IN_METHOD": {"method"}, "IN_TRITON": {"triton"},
         "IN_CUDA": {"cuda"}, "IN_PYTHON": {"python"}, "IN_CLASS": {"class"},
         "IN_DESCRIPTOR": {"descriptor"}, "IN_TARGET": {"target"}, "IN_STANDARD": {"standard"}}
ELSEWHERE = {"python", "class", "descriptor", "target", "standard"}  # no functions of modules, nor of tiles
HEAD = '''"""Names of the language, as the compiler has them.  Written by tools/python_names.py: run it anew
after a change of src/tl/builtins.h, src/libdevice/libdevice.h or src/ir/dtypes.h.
"""

'''

# of the names in the table, those that stubs write as classes
NOT_FUNCTIONS = {"constexpr", "pointer_type", "tensor", "dtype", "block_type", "tuple",
                 "constexpr_type"}
NO_RESULT = {"store", "store_tensor_descriptor", "debug_barrier", "device_assert", "device_print",
             "static_assert", "static_print", "assume", "gdc_wait", "gdc_launch_dependents"}
UNARY = ("neg", "invert")
BINARY = [side + name for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or",
                                   "xor", "lshift", "rshift") for side in ("", "r")]
BINARY += ["lt", "le", "gt", "ge", "eq", "ne", "getitem"]


def ignored(operator):
    """Comparisons of object give bool, those of tiles do not."""
    return "  # type: ignore[override]" if operator in ("eq", "ne") else ""


STUB_IMPORTS = """# Written by tools/python_names.py from the compiler's tables.
from typing import Any, Callable, Iterator
"""
STUB_HEAD = STUB_IMPORTS + """
class tensor:
    dtype: Any
    type: Any
    shape: Any
    numel: Any
    T: Any
    def __getattr__(self, name: str) -> Any: ...
    def __bool__(self) -> bool: ...
"""
STUB_CLASSES = """
class constexpr:
    value: Any
    def __init__(self, value: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __index__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __getitem__(self, key: Any) -> Any: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
""" + "".join(f"    def __{name}__(self{other}) -> Any: ...{ignored(name)}\n"
              for names, other in ((UNARY, ""), (BINARY[:-1] + ["pow", "rpow"], ", other: Any"))
              for name in names) + """
class dtype:
    name: str
    primitive_bitwidth: int
    itemsize: int
    fp_mantissa_width: int
    exponent_bias: int
    int_bitwidth: int
    scalar: dtype
    element_ty: dtype
    shape: Any
    def __init__(self, name: str) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class pointer_type(dtype):
    const: bool
    def __init__(self, element_ty: dtype, address_space: int = ..., const: bool = ...) -> None: ...

class block_type(dtype):
    numel: int
    def __init__(self, element_ty: dtype, shape: Any) -> None: ...

class tensor_descriptor:
    def __getattr__(self, name: str) -> Any: ...

class base_value:
    def __getattr__(self, name: str) -> Any: ...

class tensor_descriptor_type(dtype): ...
class constexpr_type:
    value: Any

class tuple:
    def __iter__(self) -> Iterator[Any]: ...
    def __getattr__(self, name: str) -> Any: ...

base_type = dtype
class const: ...
class PropagateNan:
    NONE: str
    ALL: str

def must_use_result(fn: Any, why: Any = ...) -> Any: ...
def builtin(fn: Any) -> Any: ...
def extern(fn: Any) -> Any: ...
def _aggregate(cls: Any) -> Any: ...

TRITON_MAX_TENSOR_NUMEL: int
void: dtype
pi32_t: pointer_type
"""


def rows(root, path, macro, fields):
    """The fields of the table's rows, without quotes."""
    pattern = macro + r"\(\s*" + r",\s*".join([r'("[^"]*"|[^,]*?)'] * fields) + r"\s*\)\s*$"
    for line in (root / path).read_text().splitlines():
        match = re.match(pattern, re.sub(r"/\*.*?\*/", "", line).strip())
        if match:
            yield [f.strip().strip('"') for f in match.groups()]


def places(text):
    """{"tl", "math", ...} of `IN_TL | IN_MATH`."""
    found = set()
    for word in text.split("|"):
        found |= WHERE[word.strip()]
    return found


def table(name, comment, lines):
    return f"# {comment}\n{name} = (\n" + "".join(f"    {line},\n" for line in lines) + ")\n"


def builtins(root):
    """(name, places, signature) of each function of the language's modules, and of tiles."""
    for name, where, _, signature, _ in rows(root, "src/tl/builtins.h", "BUILTIN", 5):
        if not places(where) <= ELSEWHERE:
            yield name, places(where) - ELSEWHERE, signature


def libdevice(root):
    return [row[0] for row in rows(root, "src/libdevice/libdevice.h", "LIBDEVICE", 6)]


def dtypes(root):
    return list(rows(root, "src/ir/dtypes.h", "DTYPE", 9))


def names(root):
    """The text of _names.py."""
    functions = [f'("{n}", "{" ".join(sorted(at))}", "{signature}")'
                 for n, at, signature in builtins(root)]
    types = [f'("{name}", "{long}", {bits}, "{kind}", {mantissa}, {bias})'
             for _, _, name, long, bits, kind, _, mantissa, bias in dtypes(root)]
    return (HEAD + table("BUILTINS", "name, where it is visible, parameters with their defaults",
                         functions) +
            "\n" + table("LIBDEVICE", "functions of libdevice",
                         [f'"{n}"' for n in libdevice(root)]) +
            "\n" + table("DTYPES", "str, name in tl, bits, kind (Bool, Signed, Unsigned, Float), "
                         "mantissa bits, bias", types))


# --- stubs ---------------------------------------------------------------------------------------


def parameters(signature, first=""):
    """`x: Any, dim: Any = ...` of a row's words; `first` instead of the first one."""
    written = [first] if first else []
    for word in signature.split()[bool(first):]:
        name, default, _ = word.partition("=")
        written.append(f"{name}: Any" + (" = ..." if default else ""))
    return ", ".join(written)


def stub(name, signature, result="tensor"):
    result = "Iterator[Any]" if name in ("range", "static_range") else result
    return f"def {name}({parameters(signature)}) -> {result}: ...\n"


def core_stub(root):
    """core.pyi: a tile with its operators and methods, classes, dtypes, functions."""
    text = STUB_HEAD
    for operator in UNARY:
        text += f"    def __{operator}__(self) -> tensor: ...\n"
    for operator in BINARY:
        text += f"    def __{operator}__(self, other: Any) -> tensor: ...{ignored(operator)}\n"
    seen = set()
    for name, at, signature in builtins(root):
        if "method" in at and name not in seen:
            seen.add(name)
            text += f"    def {name}({parameters(signature, 'self')}) -> Any: ...\n"
    text += STUB_CLASSES + "".join(f"{row[3]}: dtype\n" for row in dtypes(root)) + "\n"
    for name, at, signature in builtins(root):
        if "tl" in at and name not in NOT_FUNCTIONS:
            text += stub(name, signature, "None" if name in NO_RESULT else "Any")
    return text


def module_stub(root, place):
    """math.pyi, libdevice.pyi: functions of tiles."""
    functions = {n: signature for n, at, signature in builtins(root) if place in at}
    functions.update({n: "*args" for n in libdevice(root) if n not in functions})
    return (STUB_IMPORTS + "from {}core import tensor\n\n".format("." if place else "..") +
            "".join(stub(n, signature) for n, signature in functions.items()))


def make(root):
    """The text of each file."""
    return {"_names.py": names(root), "core.pyi": core_stub(root),
            "math.pyi": module_stub(root, "math"), "extra/libdevice.pyi": module_stub(root, "")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).parent.parent,
                        type=pathlib.Path)
    options = parser.parse_args()
    for name, text in make(options.root).items():
        path = options.root / FOLDER / name
        if not options.check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path} is out of date: run tools/python_names.py")


if __name__ == "__main__":
    main()
