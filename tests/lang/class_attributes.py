# run: kernel out:fp32[8]
# lower: none out:*fp32
# lower: unknown out:*fp32
"""R3, R31: what a class assigns is a constant, as an attribute of a module is."""
import os
from dataclasses import dataclass

import triton
import triton.language as tl
from kit.settings import Limits


class Cfg:
    WIDTH = 16
    ANNOTATED: tl.constexpr = 3
    WRAPPED = tl.constexpr(4)
    TYPE = tl.float16
    TWICE = WIDTH * 2
    if WIDTH > 8:
        CHOSEN = 5
    else:
        CHOSEN = 6
    COUNT = os.cpu_count()

    class Inner:
        DEPTH = 7


@dataclass
class Record:
    size: int
    scale: float = 0.5


class Base:
    INHERITED = 8
    HIDDEN = 1


class Derived(Base):
    HIDDEN = 9


WIDTH = 100


@triton.jit
def kernel(out):
    tl.store(out, Cfg.WIDTH * 1.0)
    tl.store(out + 1, Cfg.ANNOTATED + Cfg.WRAPPED)
    tl.store(out + 2, tl.full((), Cfg.TWICE + Cfg.CHOSEN, Cfg.TYPE).to(tl.float32))
    tl.store(out + 3, Cfg.Inner.DEPTH)
    tl.store(out + 4, Record.scale)
    tl.store(out + 5, Derived.INHERITED)
    tl.store(out + 6, Derived.HIDDEN)
    tl.store(out + 7, Limits.LOWEST)


@triton.jit
def none(out):
    tl.store(out, Cfg.WIDHT + Record.size)


@triton.jit
def unknown(out):
    tl.store(out, Cfg.COUNT)
