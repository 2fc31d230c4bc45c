# run: kernel x:fp32[6]=1,2,3,4,5,6 out:fp32[6]
# lower: run_time_if x:*fp32
# lower: too_many x:*fp32
# lower: too_few x:*fp32
# lower: no_tuple x:*fp32
# lower: starred x:*fp32
# lower: attribute x:*fp32
# R21: comprehensions over tuples, with conditions and several variables; R135: what is unpacked.
import triton
import triton.language as tl

@triton.jit
def kernel(x, out):
    large: tl.constexpr = [v for v in (10, 20, 30, 40) if v >= 30]
    tl.static_assert(len(large) == 2)
    tl.static_assert(large[1] == 40)
    both: tl.constexpr = [v for v in (0, 1, 2, 3, 4, 5) if v > 1 if v % 2 == 0]
    tl.static_assert(both == (2, 4))
    none: tl.constexpr = [v for v in (1, 2) if v > 2]
    tl.static_assert(len(none) == 0)
    sums: tl.constexpr = [a + b for a, b in ((1, 2), (3, 4))]
    tl.static_assert(sums == (3, 7))
    nested: tl.constexpr = [a + b + c for a, (b, c) in ((1, (2, 3)), (4, (5, 6)))]
    tl.static_assert(nested == (6, 15))
    a = -1.0
    tiles = [tl.load(x + i) * s for i, s in ((0, 2), (1, 3), (2, 5)) if s != 3]
    tl.store(out, tiles[0])
    tl.store(out + 1, tiles[1])
    tl.store(out + 2, a)  # the variables of a comprehension are its own
    (b, c), d = (tiles, 7)
    tl.store(out + 3, b)
    tl.store(out + 4, c)
    tl.store(out + 5, d)

@triton.jit
def run_time_if(x):
    t = [v for v in (1, 2) if tl.load(x) > v]

@triton.jit
def too_many(x):
    t = [a + b for a, b in ((1, 2, 3),)]

@triton.jit
def too_few(x):
    t = [a for a, b, c in ((1, 2),)]

@triton.jit
def no_tuple(x):
    t = [a + b for a, b in (1, 2)]

@triton.jit
def starred(x):
    t = [a for a, *b in ((1, 2, 3),)]
    c, *d = (1, 2, 3)

@triton.jit
def attribute(x):
    t = [1 for x.a in (1, 2)]
