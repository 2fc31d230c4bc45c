# run: constants out:fp32[13]
# run: derived out:fp32[4]
# run: passed out:fp32[1]
# run: by_default out:fp32[3]
# run: on_one_line out:i32[3]
# lower: computed out:*fp32
# lower: assigned out:*fp32
# lower: chosen out:*fp32
# lower: misspelt out:*fp32
# lower: too_large out:*fp32
# What a class holds, and scalars of NumPy, are constants of kernels (R3, R25).
import dataclasses
import os
import numpy as np
import torch
import triton
import triton.language as tl

WIDTH = 7

class Config:
    WIDTH = 16
    DOUBLE = WIDTH * 2
    SCALE: tl.constexpr = 1.5
    WRAPPED = tl.constexpr(3)
    SIZES = [1, 3]
    TYPE = torch.float16
    THIRD = np.float32(1) / 3
    SMALL = np.float16(0.1)
    BLOCK = np.int64(8)
    FLAG = np.bool_(0)
    WRAPS = np.uint8(250) + np.uint8(10)
    MANY = int(os.environ["TILEC_TEST_MANY"])

    class Inner:
        DEPTH = 5

class Derived(Config):
    OWN = 9

class Assigned:
    WIDTH = 4
    HEIGHT = 5

Assigned.WIDTH = 8

class Line(dict[str, {1: 2}]): HEIGHT = 11; DEPTH: tl.constexpr = HEIGHT + 1
class Empty: pass  # WIDTH = 3

class Chosen:
    if torch.cuda.is_available():
        WIDTH = 4
    else:
        WIDTH = 8
    LARGE = np.int8(200)

@dataclasses.dataclass
class Record:
    width: int = 6

WIDTH_OF_LINE: tl.constexpr = Line.HEIGHT * 2

LOWEST = tl.constexpr(np.float32(-1e9))

@triton.jit
def constants(out):
    tl.store(out, Config.WIDTH)
    tl.store(out + 1, Config.DOUBLE)
    tl.store(out + 2, Config.SCALE)
    tl.store(out + 3, Config.WRAPPED)
    tl.store(out + 4, Config.SIZES[1])
    tl.store(out + 5, tl.full((), 0.1, Config.TYPE))
    tl.store(out + 6, Config.THIRD)
    tl.store(out + 7, Config.SMALL)
    tl.store(out + 8, tl.sum(tl.arange(0, Config.BLOCK)))
    tl.store(out + 9, 1.0 if Config.FLAG else 2.0)
    tl.store(out + 10, Record.width)
    tl.store(out + 11, LOWEST)
    tl.store(out + 12, Config.WRAPS - 5)

@triton.jit
def derived(out):
    tl.store(out, Derived.OWN)
    tl.store(out + 1, Derived.WIDTH)
    tl.store(out + 2, Config.Inner.DEPTH)
    tl.store(out + 3, Assigned.HEIGHT)

@triton.jit
def width_of(config: tl.constexpr):
    return config.WIDTH

@triton.jit
def passed(out):
    tl.store(out, width_of(Config))

@triton.jit
def sum_of(width: tl.constexpr = Config.WIDTH, of_base=Derived.DOUBLE, low=np.int32(3)):
    return width + of_base + low

@triton.jit
def by_default(out):
    tl.store(out, sum_of())
    tl.store(out + 1, sum_of(0))
    tl.store(out + 2, sum_of(0, 0))

@triton.jit
def computed(out):
    tl.store(out, Config.MANY)

@triton.jit
def assigned(out):
    tl.store(out, Assigned.WIDTH)

@triton.jit
def chosen(out):
    tl.store(out, Chosen.WIDTH)

@triton.jit
def misspelt(out):
    tl.store(out, Config.WIDHT)

@triton.jit
def too_large(out):
    tl.store(out, Chosen.LARGE)


@triton.jit
def on_one_line(out):
    tl.store(out, Line.HEIGHT)
    tl.store(out + 1, Line.DEPTH)
    tl.store(out + 2, WIDTH_OF_LINE)
