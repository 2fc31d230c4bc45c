#!/usr/bin/env python3
"""arguments.py - does every signature of src/tl/builtins.h have the arguments that its handler reads?

A name that no signature has does not compile; one that a row lacks would be an internal error when
the handler asks for it.  For each row: the ARG_ names in its handler and in all functions of
src/tl/builtin*.c that the handler may call must be parameters of the row.

    tools/arguments.py [ROOT]

Names what is missing; exits with 1 where something is.
"""
import pathlib
import re
import sys

ROW = re.compile(r'^BUILTIN\("(\w+)".*"([^"]*)",\s*(\w+)\)$', re.MULTILINE)
HEAD = re.compile(r"^(?:static )?[\w ]+[ *]+(\w+)\([^;{]*\)\n\{", re.MULTILINE)


def functions_of(text):
    """Name -> body, for each function of a file in the style of this repository."""
    found = {}
    for piece in re.split(r"(?m)(?<=^\}\n)", text):
        head = HEAD.search(piece)
        if head:
            found[head[1]] = piece[head.start():]
    return found


def names_read(function, bodies, seen):
    """The arguments that a function reads, itself and through what it calls."""
    if function in seen or function not in bodies:
        return set()
    seen.add(function)
    body = bodies[function]
    names = set(re.findall(r"\bARG_(?!COUNT\b)(\w+)", body))
    for callee in re.findall(r"\b(\w+)\(", body):
        names |= names_read(callee, bodies, seen)
    return names


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "src/tl"
    rows = ROW.findall((root / "builtins.h").read_text())
    bodies = {}
    for file in sorted(root.glob("builtin*.c")):
        bodies.update(functions_of(file.read_text()))
    wrong = 0
    for name, signature, handler in rows:
        parameters = {word.split("=")[0].lstrip("*") for word in signature.split()}
        if handler not in bodies:
            print(f"{name}: no function {handler} in {root}")
            wrong += 1
        for missing in sorted(names_read(handler, bodies, set()) - parameters):
            print(f"{name}: {handler} reads `{missing}`, which its signature lacks")
            wrong += 1
    print(f"{len(rows)} rows, {wrong} wrong")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
