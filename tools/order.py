#!/usr/bin/env python3
"""order.py - do two arguments of one call, or two elements of one initialiser, make code?

C leaves open which of them is evaluated first, so that ops and instructions would stand in an order,
and have numbers, that depend on who compiled the compiler.  A function makes code where it inserts
an op or an instruction (ROOTS), or calls one that does; calls through pointers are not seen.  One of
the two has to be a statement of its own, in front.

    tools/order.py [ROOT]

Names each place in src/; exits with 1 where there is one.
"""
import pathlib
import re
import sys

ROOTS = re.compile(r"op_append|op_insert_before|op_clone|LLVM(Build|AppendBasicBlock|GetInsertBlock)\w*")
HOLDS = "build_hold"  # what a macro asks that has its arguments one after the other
NO_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*', re.DOTALL | re.MULTILINE)
MACRO = re.compile(r"^#define (\w+)\([\w, ]*\)((?:\\\n|.)*)", re.MULTILINE)
HEAD = re.compile(r"^(static )?[\w ]+[ *]+(\w+)\([^;{}]*\)\n\{.*?^\}", re.DOTALL | re.MULTILINE)
CALL = re.compile(r"\b([a-zA-Z_]\w*)\(")
OPENS = re.compile(r"\b[a-zA-Z_]\w*\(|[)=]\s*\{")
NOT_CALLS = {"if", "for", "while", "switch", "return", "sizeof"}


def blank(match):
    """Nothing in its place, but as many characters and lines."""
    return re.sub(r"[^\n]", " ", match[0])


class Functions:
    """Those of all files, by name, and which of them make code."""

    def __init__(self, root):
        self.all = []  # (file, name, where its text begins in the file, text)
        self.local, self.shared, self.known = {}, {}, {}
        for file in sorted((root / "src").rglob("*.[ch]")):
            whole = file.read_text()
            for name, body in MACRO.findall(whole):
                macro = self.local[file, name] = (file, name, 0, "\n{" + body)
                if file.suffix == ".h":
                    self.shared[name] = macro
            text = NO_CODE.sub(blank, whole)
            for match in HEAD.finditer(text):
                found = (file, match[2], text.count("\n", 0, match.start()) + 1, match[0])
                self.all.append(found)
                self.local[file, match[2]] = found
                if not match[1] or file.suffix == ".h":
                    self.shared[match[2]] = found

    def holds(self, file, name):
        """Is it a macro that says which of its arguments is first?"""
        macro = self.local.get((file, name)) or self.shared.get(name)
        if not macro or macro[2] != 0:
            return False
        callees = CALL.findall(macro[3])
        return HOLDS in callees or any(self.holds(macro[0], n) for n in callees if n != name)

    def makes(self, file, name):
        """Does a call of that name in that file make code?"""
        if ROOTS.fullmatch(name):
            return True
        function = self.local.get((file, name)) or self.shared.get(name)
        if not function:
            return False
        key = function[:2]
        if key not in self.known:
            self.known[key] = False  # of one that calls itself the others decide
            body = function[3][function[3].index("\n{"):]
            self.known[key] = any(self.makes(key[0], callee) for callee in set(CALL.findall(body)))
        return self.known[key]


def arguments(text, start):
    """What stands between commas from the bracket before `start` to the one that closes it."""
    depth, found, begin = 0, [], start
    for i in range(start, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            if depth == 0:
                return found + [text[begin:i]]
            depth -= 1
        elif text[i] == "," and depth == 0:
            found.append(text[begin:i])
            begin = i + 1
        elif text[i] == ";":
            break
    return []


def places(functions):
    """(file, line, what makes code) of each call and initialiser with two such arguments."""
    for file, _, line, text in functions.all:
        body = text.index("\n{") + 2
        for match in OPENS.finditer(text, body):
            if match[0][:-1] in NOT_CALLS or functions.holds(file, match[0][:-1]):
                continue
            makers = []
            for argument in arguments(text, match.end()):
                makers += [n for n in CALL.findall(argument) if functions.makes(file, n)][:1]
            if len(makers) > 1:
                yield file, line + text.count("\n", 0, match.start()), makers


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    sys.setrecursionlimit(10000)
    functions = Functions(root)
    found = 0
    for file, line, makers in places(functions):
        print(f"{file}:{line}: which is first, {' or '.join(makers)}?")
        found += 1
    print(f"{len(functions.all)} functions, {found} wrong")
    return 1 if found or not functions.all else 0


if __name__ == "__main__":
    sys.exit(main())
