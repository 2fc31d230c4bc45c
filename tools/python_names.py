#!/usr/bin/env python3
"""python_names.py - the names of the language, for Python

    tools/python_names.py [--check] [ROOT]

Reads the compiler's tables (src/tl/builtins.h, src/tl/libdevice.h, src/ir/dtypes.h) and writes
python/tilec/language/_names.py.  --check writes nothing, and exits with 1 where that file is not
what the tables say.
"""
import argparse
import pathlib
import re
import sys

OUT = "python/tilec/language/_names.py"
WHERE = {"TM": {"tl", "method"}, "TX": {"tl", "math"}, "TXM": {"tl", "math", "method"},
         "IN_TL": {"tl"}, "IN_MATH": {"math"}, "IN_METHOD": {"method"}, "IN_TRITON": {"triton"},
         "IN_CUDA": {"cuda"}, "IN_PYTHON": {"python"}, "IN_CLASS": {"class"}}
PYTHON_ONLY = {"python", "class"}
HEAD = '''"""Names of the language, as the compiler has them.  Written by tools/python_names.py: run it anew
after a change of src/tl/builtins.h, src/tl/libdevice.h or src/ir/dtypes.h.
"""

'''


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


def make(root):
    builtins, dtypes = [], []
    for name, where, _, signature, _ in rows(root, "src/tl/builtins.h", "BUILTIN", 5):
        if not places(where) <= PYTHON_ONLY:
            at = " ".join(sorted(places(where) - PYTHON_ONLY))
            builtins.append(f'("{name}", "{at}", "{signature}")')
    for _, _, name, long, bits, kind, _, mantissa, bias in rows(root, "src/ir/dtypes.h", "DTYPE", 9):
        dtypes.append(f'("{name}", "{long}", {bits}, "{kind}", {mantissa}, {bias})')
    libdevice = [f'"{r[0]}"' for r in rows(root, "src/tl/libdevice.h", "LIBDEVICE", 3)]
    return (HEAD + table("BUILTINS", "name, where it is visible, parameters with their defaults",
                         builtins) +
            "\n" + table("LIBDEVICE", "functions of libdevice", libdevice) +
            "\n" + table("DTYPES", "str, name in tl, bits, kind (Bool, Signed, Unsigned, Float), "
                         "mantissa bits, bias", dtypes))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).parent.parent,
                        type=pathlib.Path)
    options = parser.parse_args()
    text, path = make(options.root), options.root / OUT
    if not options.check:
        path.write_text(text)
    elif path.read_text() != text:
        sys.exit(f"{path} is out of date: run tools/python_names.py")


if __name__ == "__main__":
    main()
