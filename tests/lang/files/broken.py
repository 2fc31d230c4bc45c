import triton
import triton.language as tl

SETTINGS = [1, 2
LIMIT = 32

def host(:
    return ((

@triton.jit
def good(x_ptr):
    tl.store(x_ptr, 1)

@triton.jit
def unclosed(x_ptr, n):
    x = tl.load(x_ptr + (n * 2
    y = x + 1
    tl.store(x_ptr, y)

@triton.jit
def several(x_ptr, n):
    a = 1 +
    b = tl.load(x_ptr n)
    if n = 3:
        c = 1
    elif n > 2
        d = 2
    else:
        e = 3
    for i in range(n)
        f = 1
    while n:
    g = 08
      h = 1
    'open
    tl.store(x_ptr, a) extra
    5 = a
    k = $a
    return

@triton.jit
def header(x_ptr, x_ptr, *, n):
    pass

@triton.jit
def still_good(x_ptr):
    if x_ptr:
        raise ValueError("dead {code}")
    tl.store(x_ptr, 2)

@triton.jit
def cut_off(x_ptr):
    tl.store(x_ptr +
