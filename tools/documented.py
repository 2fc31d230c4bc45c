#!/usr/bin/env python3
"""documented.py - how many functions of the headers of src/ say what their prototype cannot

For each folder and in total: the functions that a header declares, and how many of them have a
comment of their own, which ends right above the prototype or begins behind it.  Names of files
alone, such as `/* arena.c */`, and the titles of sections, `/* --- errors --- */`, are no comment;
what stands above a group counts for its first function.  Functions whose body is in the header are left out, and so are macros.

    tools/documented.py [--list] [ROOT]

--list names the functions without a comment.  Exits with 1 where fewer than 90% have one.
"""
import argparse
import collections
import pathlib
import re
import sys

LEAST_PERCENT = 90
PROTOTYPE = re.compile(r"(?!typedef\b|static\b|extern\b|return\b)[A-Za-z_][\w *]*?[ *](\w+)\(")
FILE_NAMES = re.compile(r"/\*\s*(\w+\.[ch]\b[\s,]*(and\b)?\s*)+\*/")
SECTION = re.compile(r"/\*\s*-+ .*")


def end_of_statement(lines, first):
    """The index of the line that ends the declaration which begins at `first`."""
    for i in range(first, len(lines)):
        if re.search(r"[;{]", lines[i]):
            return i
    return first


def comment_above(lines, i):
    """The comment that ends on the line above lines[i] and shares its lines with nothing else."""
    if i == 0 or not lines[i - 1].rstrip().endswith("*/"):
        return ""
    start = i - 1
    while start > 0 and "/*" not in lines[start]:
        start -= 1
    text = "\n".join(lines[start:i]).strip()
    return text if text.startswith("/*") else ""


def says_something(comment):
    return bool(comment) and not FILE_NAMES.fullmatch(comment) and not SECTION.match(comment)


def functions(header):
    """(name, whether it has a comment) for each function that a header declares."""
    lines = header.read_text().split("\n")
    i = 0
    while i < len(lines):
        match = PROTOTYPE.match(lines[i])
        last = end_of_statement(lines, i)
        if not match or "{" in lines[last].split("/*")[0] or match[1].isupper():
            i += 1
            continue
        _, _, behind = " ".join(lines[i : last + 1]).partition("/*")
        comment = "/*" + behind.strip() if behind else comment_above(lines, i)
        yield match[1], says_something(comment)
        i = last + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", action="store_true", help="name the functions without a comment")
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent)
    args = parser.parse_args()
    total, documented = collections.Counter(), collections.Counter()
    for header in sorted(pathlib.Path(args.root).glob("src/*/*.h")):
        for name, has_comment in functions(header):
            for key in header.parent.name, "total":
                total[key] += 1
                documented[key] += has_comment
            if args.list and not has_comment:
                print(f"src/{header.parent.name}/{header.name}: {name}")
    if not total:
        sys.exit("documented.py: no functions found")
    for key in sorted(total, key=lambda k: (k == "total", k)):
        print(f"{key:14} {documented[key]:4} of {total[key]:4}  {100 * documented[key] // total[key]}%")
    sys.exit(100 * documented["total"] < LEAST_PERCENT * total["total"])


if __name__ == "__main__":
    main()
