#!/usr/bin/env python3
"""check.py TILEC SOURCE: instructions of the kernels' inner loops, which no neighbour on the machine can change.

Each line of `cases` beside this file is a kernel with what it is compiled for.  Of its code for x86-64-v3 and -v4 the
innermost loop that reads and writes most in a round, outside of the stack and of constants, is held against `table`: its
instructions for every 64 bytes of that.  More or fewer by over 3 % fails; TILEC_UPDATE=1 writes the
table anew, and then a person reads why it changed.
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

MOST = 0.03
HERE = os.path.dirname(os.path.abspath(__file__))
ARCHES = ("x86-64-v3", "x86-64-v4")
LABEL = re.compile(r"^(\.L\w+|\w+):")
JUMP = re.compile(r"^\t(j\w+)\s+(\.L\w+)")
OTHER_MEMORY = re.compile(r"\((?!%rip)(?!%rsp)%")
WIDTHS = (("%zmm", 64), ("%ymm", 32), ("%xmm", 16))


def instructions(text):
    """(label or None, instruction) of each line of code, in order."""
    label = None
    for line in text.splitlines():
        line = line.split("#")[0].rstrip()
        found = LABEL.match(line)
        if found:
            label = found.group(1)
        elif line.startswith("\t") and not line.startswith("\t."):
            yield label, line
            label = None


def innermost_loops(code):
    """Runs of instructions from a label to the jump back to it, which have no other such run within."""
    at = {label: i for i, (label, _) in enumerate(code) if label}
    runs = set()
    for i, (_, line) in enumerate(code):
        jump = JUMP.match(line)
        if jump and at.get(jump.group(2), i + 1) <= i:
            runs.add((at[jump.group(2)], i))
    for first, last in runs:
        if not any((a, b) != (first, last) and first <= a and b <= last for a, b in runs):
            yield [line for _, line in code[first:last + 1]]


def moved(line):
    """Bytes that an instruction reads or writes, outside of the stack and of constants."""
    if not OTHER_MEMORY.search(line) or line.startswith("\tlea") or line.startswith("\tprefetch"):
        return 0
    name = line.split()[0]
    if "broadcastss" in name or "{1to" in line or name.endswith("ss") or "broadcastd" in name:
        return 4
    if "broadcastsd" in name or name.endswith("sd") or "broadcastq" in name:
        return 8
    return next((width for register, width in WIDTHS if register in line), 0)


def rate(text):
    """Instructions for 64 bytes of the loop that moves most, of several alike the shortest; None: there is none."""
    loops = [(sum(map(moved, loop)), -len(loop)) for loop in innermost_loops(list(instructions(text)))]
    total, length = max(loops, default=(0, 0))
    return 64 * -length / total if total else None


def measure(tilec, source, case):
    words, rates = case.split(), []
    for arch in ARCHES:
        command = [tilec, "dump", words[0], "--stage", "asm", "--device", "cpu", "--arch", arch, *words[1:]]
        run = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"{' '.join(command)}: {run.stderr}")
        found = rate(run.stdout)
        rates.append("none" if found is None else f"{found:.2f}")
    return rates


def differs(old, new):
    if "none" in (old, new):
        return old != new
    return abs(float(new) - float(old)) > MOST * float(old) + 0.005


def main():
    tilec, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with open(os.path.join(HERE, "cases"), encoding="utf-8") as f:
        cases = [line.strip() for line in f if line.strip() and not line.startswith("#")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(lambda case: measure(tilec, source, case), cases))
    table = os.path.join(HERE, "table")
    lines = [f"{case.split()[0]} {' '.join(row)}" for case, row in zip(cases, rows)]
    if os.environ.get("TILEC_UPDATE"):
        with open(table, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        return 0
    with open(table, encoding="utf-8") as f:
        known = f.read().splitlines()
    wrong = [line for line in lines if line.split()[0] not in {row.split()[0] for row in known}]
    for old, new in zip(known, lines):
        (name, *before), (other, *now) = old.split(), new.split()
        if name != other or any(map(differs, before, now)):
            wrong.append(f"{old} -> {' '.join(now)}")
    for line in wrong:
        print(f"instructions for 64 bytes, {', '.join(ARCHES)}: {line}", file=sys.stderr)
    if wrong or len(known) != len(lines):
        print("where that is meant: TILEC_UPDATE=1 tests/gen/loops/check.py", file=sys.stderr)
    return bool(wrong) or len(known) != len(lines)


if __name__ == "__main__":
    sys.exit(main())
