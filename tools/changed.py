#!/usr/bin/env python3
"""changed.py - which files have changed since a check of them passed

    tools/changed.py BUILD CHECK [--headers] [RULES...] <FILES    names those of FILES, one a line
    tools/changed.py BUILD CHECK --passed                         all that FILES had are right

A file has changed where its bytes have, those of RULES, files that say how the check goes, or with
--headers those of a header of ours that its object in BUILD was made with (of all where there is
none).  Only bytes count, no times.  BUILD/checked/CHECK has their sums; a fresh clone has none, and
there everything is named.
"""
import argparse
import hashlib
import os
import pathlib
import subprocess
import sys


class Sums:
    """Those of files, each read once."""

    def __init__(self):
        self.known = {}

    def of(self, name):
        if name not in self.known:
            path = pathlib.Path(name)
            self.known[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        return self.known[name]

    def together(self, names):
        return hashlib.sha256("".join(self.of(name) for name in names).encode()).hexdigest()


def headers_of_objects(build):
    """What each source's object was made of, in our tree: ninja knows it of the compiler."""
    told = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=False)
    headers = {}
    for block in told.stdout.split("\n\n"):
        names = [os.path.relpath(os.path.join(build, line.strip())) for line in block.splitlines()[1:]
                 if not line.strip().startswith("/")]
        for source in names[:1]:  # in front of what it includes
            headers.setdefault(source, set()).update(names[1:])
    return headers


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("build")
    p.add_argument("check")
    p.add_argument("rules", nargs="*")
    p.add_argument("--headers", action="store_true")
    p.add_argument("--passed", action="store_true")
    options = p.parse_intermixed_args()
    kept = pathlib.Path(options.build, "checked", options.check)
    after = kept.with_suffix(".next")
    if options.passed:
        after.replace(kept)
        return
    sums = Sums()
    headers = headers_of_objects(options.build) if options.headers else {}
    every = sorted(str(path) for path in pathlib.Path().glob("[is]*/**/*.h")) if options.headers else []
    now = [f"{sums.together([name, *options.rules, *sorted(headers.get(name, every))])} {name}"
           for name in sorted(sys.stdin.read().split())]
    before = set(kept.read_text().splitlines()) if kept.exists() else set()
    after.parent.mkdir(exist_ok=True)
    after.write_text("".join(line + "\n" for line in now))
    for line in now:
        if line not in before:
            print(line.split(" ", 1)[1])


if __name__ == "__main__":
    main()
