"""The kernels of tests/lang that run, through the command, against what their .out files say.

There the interpreter runs them as they were lowered; here they are compiled for a device.  What the
command has no words for is left out: scalars of other types than it gives to numbers, and cases
that end with a diagnostic.
"""

import os
import re

import numpy as np

from harness import NUMPY_TYPES, SMALL_FLOATS, Suite, encode

suite = Suite(one_in=2)
FOLDER = os.path.join(suite.source, "tests", "lang")


class Unsaid(Exception):
    """The command cannot say this."""


# some are in no bin; some are left out by a mask, and stored
LEFT_OUT = {("join.py", "counts"), ("memory.py", "masks")}


def array(dtype, count, values):
    if dtype not in NUMPY_TYPES and dtype not in SMALL_FLOATS:
        raise Unsaid(dtype)
    if not values:
        start = np.zeros(count)
    elif values == "iota":
        start = np.arange(count)
    else:
        start = np.resize([float(v) for v in values.split(",")], count)
    if dtype in NUMPY_TYPES and np.dtype(NUMPY_TYPES[dtype]).kind == "u":
        return start.astype(np.int64).astype(NUMPY_TYPES[dtype])
    return encode(start, dtype)


def argument(word):
    """name, dtype of an array or None, value"""
    found = re.fullmatch(r"(\w+):(\w+)\[(\d+)\](?:=(.*))?", word)
    if found:
        name, dtype, count, values = found.groups()
        return name, dtype, array(dtype, int(count), values)
    found = re.fullmatch(r"(\w+):(i32|fp32)(?::\d+)?=(.*)", word)
    if found:
        name, dtype, value = found.groups()
        if dtype == "i32" and value == "1" or dtype == "fp32" and "." not in value:
            raise Unsaid(word)
        return name, None, value
    found = re.fullmatch(r"(\w+)=(.*)", word)
    if not found:
        raise Unsaid(word)
    return found[1], None, found[2]


def expected(lines):
    """Arrays by name, from lines such as `out: 1 2.5 nan`; None of a diagnostic."""
    arrays = {}
    for line in lines:
        name, _, values = line.partition(":")
        try:
            arrays[name] = [float(v) if re.search("[.naif]|e", v) else int(v)
                            for v in values.split()]
        except ValueError:
            return None
    return arrays


def add(file, line, results):
    words = line.split()[2:]
    kernel, grid, args, outputs = words[0], "1", {}, {}
    for word in words[1:]:
        if word.startswith("grid="):
            grid = word[5:]
            continue
        name, dtype, value = argument(word)
        args[name] = value
        if dtype:
            kind = np.float64 if dtype.startswith(("fp", "bf")) else NUMPY_TYPES[dtype]
            outputs[name] = (dtype, np.array(results[name], kind))
    suite.case(f"{file}: {line[7:]}", f"../lang/{file}:{kernel}", grid, args, outputs,
               rtol=1e-6, atol=1e-37,  # seven digits are there
               unchecked=(file, kernel) in LEFT_OUT)


def cases():
    for file in sorted(os.listdir(FOLDER)):
        if not file.endswith(".out"):
            continue
        with open(os.path.join(FOLDER, file), encoding="utf-8") as f:
            blocks = re.split(r"^(?=# (?:run|lower|vars|signature):)", f.read(), flags=re.M)
        for block in blocks:
            line, *results = block.strip().splitlines() or [""]
            results = expected(results) if line.startswith("# run:") else None
            if results is None:
                continue
            try:
                add(file[:-4] + ".py", line, results)
            except Unsaid:
                pass


cases()
suite.finish()
