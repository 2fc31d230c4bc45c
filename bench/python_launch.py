#!/usr/bin/env python3
"""python_launch.py - what a launch costs that Python asks for, beside what the kernel does

    PYTHONPATH=build/python python3 bench/python_launch.py

Prints microseconds a launch, the best of many short runs: with no array and with four, of NumPy and,
where it is installed, of PyTorch.
"""

import timeit

import numpy as np

import tilec
import tilec.language as tl

try:
    import torch
except ImportError:
    torch = None


@tilec.jit
def nothing(n, BLOCK: tl.constexpr):
    pass


@tilec.jit
def first(a, b, c, d, n, BLOCK: tl.constexpr):
    tl.store(d, tl.load(a))


def best(call, runs=300, number=500):
    return min(timeit.repeat(call, number=number, repeat=runs)) / number * 1e6


def rows():
    yield "no array", lambda: nothing[(1,)](1000, BLOCK=256)
    arrays = {"NumPy": np.zeros(1000, np.float32)}
    if torch:
        arrays["PyTorch"] = torch.zeros(1000)
    for library, x in arrays.items():
        yield f"four of {library}", lambda x=x: first[(1,)](x, x, x, x, 1000, BLOCK=256)
        yield (f"four of {library}, the grid a function",
               lambda x=x: first[lambda meta: (1000 // meta["BLOCK"],)](x, x, x, x, 1000, BLOCK=256))


for name, launch in rows():
    launch()
    print(f"{name:40s} {best(launch):6.2f} us")
