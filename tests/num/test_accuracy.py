"""Functions of fp32 against docs/accuracy.md: its bounds hold on every device, and what a number gives
does not depend on those beside it.

Every 16411th bit pattern of fp32 is an argument, infinities, subnormals and NaN with them; with
TILEC_PATTERNS=N in the environment N patterns, evenly apart, are.  A quarter of them come again
in an order by chance.
"""

import math
import os
import re
import subprocess

import numpy as np

from harness import PATIENCE, Suite, generator

suite = Suite()
COUNT = int(os.environ.get("TILEC_PATTERNS", 2**32 // 16411))
BLOCK = 1024
erf = np.vectorize(math.erf)
FUNCTIONS = {
    "exp": np.exp, "exp2": np.exp2, "exp10": lambda x: 10.0**x, "log": np.log, "log2": np.log2, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "rsqrt": lambda x: 1 / np.sqrt(x), "erf": erf, "tanh": np.tanh,
}


def bounds(variant):
    """name -> largest error of fp32 in units in the last place."""
    with open(os.path.join(suite.source, "docs", "accuracy.md"), encoding="utf-8") as page:
        all_devices, gpus = page.read().split("| function on GPUs |")
    row = r"^\| `(\w+)` \| ([0-9.]+) \|"
    promised = dict(re.findall(row, all_devices, re.M))
    if not variant.startswith(("interp", "cpu")):
        promised.update(re.findall(row, gpus, re.M))
    return {name: float(ulp) for name, ulp in promised.items()}


def unit_in_last_place(x):
    """Of fp32 at the size of x, for values within its range."""
    exponent = np.frexp(x)[1] - 1
    return np.exp2(np.maximum(exponent, -126) - 23.0)


def worst_error(got, want):
    """In units; infinite where one is a NaN, an infinity or beyond the range and the other not."""
    largest = np.finfo(np.float32).max
    half = unit_in_last_place(largest) / 2
    over = np.abs(want) >= largest + half
    want = np.where(over, np.copysign(np.inf, want), want)
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    # what rounds to infinity may be the largest number, and the other way round
    edge = np.isinf(got) & (np.abs(want) > largest * (1 - 2.0**-23))
    edge |= over & (np.abs(got) >= largest * (1 - 2.0**-23)) & (np.sign(got) == np.sign(want))
    with np.errstate(invalid="ignore"):
        error = np.abs(got - want) / unit_in_last_place(np.where(np.isfinite(want), want, 1))
    error = np.where(same, 0, np.where(edge, 0, np.where(np.isfinite(error), error, np.inf)))
    at = int(np.argmax(error))
    return error[at], at


def check(variant, name, function, bound, x, again):
    out = os.path.join(suite.folder.name, name + ".npy")
    words = suite.command(variant, "ops.py:unary", "cdiv(n,BLOCK)", {
        "x": x, "out": f"empty(fp32,{x.size})", "n": x.size, "OP": f"'{name}'", "BLOCK": BLOCK})
    done = subprocess.run(words + ["--save", "out=" + out], capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    if done.returncode != 0:
        return f"{variant}: {name}: exit {done.returncode}: {done.stderr.strip()}"
    got = np.load(out).astype(np.float64)
    with np.errstate(all="ignore"):
        want = function(x.astype(np.float64))
    error, at = worst_error(got, want)
    print(f"{variant}: {name}: {error:.3f} of {bound} units, at {x[at]!r}")
    if not error <= bound:
        return f"{variant}: {name}({x[at]!r}) is {got[at]!r} instead of {want[at]!r}: {error:.3f} units"
    first, second = got[again], got[x.size - again.size:]
    differs = np.flatnonzero((first != second) & ~(np.isnan(first) & np.isnan(second)))
    if differs.size:
        i = differs[0]
        return f"{variant}: {name}({x[again[i]]!r}) is {first[i]!r} or {second[i]!r}, as its neighbours are"
    return None


def main():
    stride = max(1, 2**32 // COUNT)
    bits = (np.arange(COUNT, dtype=np.uint64) * stride).astype(np.uint32)
    # neighbours are alike, and then anything beside anything: a target may look at many at once,
    # and gives the same
    again = generator().permutation(bits.size)[: COUNT // 4]
    x = np.concatenate([bits, bits[again]]).view(np.float32)
    for variant in suite.variants:
        promised = bounds(variant)
        for name, function in FUNCTIONS.items():
            suite.others += 1
            failure = check(variant, name, function, promised[name], x, again)
            if failure:
                suite.failures.append(failure)
    suite.finish()


main()
