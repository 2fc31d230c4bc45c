# lower: assigned o:*i32 n:i32
# lower: range_assigned o:*i32 n:i32
# lower: tile_of_that_name o:*i32 n:i32
# lower: parameter o:*i32 n:i32 max:i32
# lower: no_function o:*i32 n:i32
# lower: near_of_libdevice o:*i32 n:i32
# lower: nothing_near o:*i32 n:i32
"""Values that have the name of a function, and functions that are misspelt."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def assigned(o, n):
    max = 3
    tl.store(o, max(n, 4))


@triton.jit
def range_assigned(o, n):
    range = n
    for i in range(n):
        tl.store(o, i)


@triton.jit
def tile_of_that_name(o, n):
    len = tl.arange(0, 4)
    tl.store(o, len(o))


@triton.jit
def parameter(o, n, max):
    tl.store(o, max(n, 4))


@triton.jit
def no_function(o, n):
    count = n
    tl.store(o, count())


@triton.jit
def near_of_libdevice(o, n):
    tl.store(o, libdevice.tanhh(tl.load(o)))


@triton.jit
def nothing_near(o, n):
    tl.store(o, libdevice.no_such_function(tl.load(o)))
