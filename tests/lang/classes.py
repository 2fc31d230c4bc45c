# run: named x:fp32[8]=iota out:fp32[8]
# run: aggregates out:i32[8]
# run: enums out:i32[4]
# run: operators out:i32[16]
# signature: defaults
# lower: not_made x:*fp32
# lower: wrong_calls x:*fp32
# lower: changed x:*fp32
# lower: no_operators x:*fp32
# R31: NamedTuple classes and aggregates; members of enumerations are constants.
import enum
from typing import NamedTuple
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate

class Tile(NamedTuple):
    pointer: tl.tensor
    shape: tl.constexpr
    scale: float = 2

    @triton.jit
    def load(self):
        return tl.load(self.pointer + tl.arange(0, self.shape[0])) * self.scale

class Function(NamedTuple):
    fn: tl.constexpr
    captured: tuple

@triton.jit
def add(x, y, z):
    return x + y * z

@triton.jit
def first_of(t):
    return Tile(shape=t.shape, pointer=t.pointer)

@triton.jit
def named(x, out):
    shape: tl.constexpr = (4, 8)
    t = Tile(x, shape, 3)
    tl.static_assert(isinstance(t, Tile) and isinstance(t, tl.tuple))
    tl.static_assert(t.scale.dtype == tl.int32)  # R14
    y = t.load() + t[2]
    apply = Function(add, (y, 10))
    z = apply.fn(y, *apply.captured)
    u = first_of(t)
    tl.store(out + tl.arange(0, 4), z)
    pointer, _, scale = u
    for i in range(2):
        u = Tile(u.pointer + 1, u.shape, u.scale)
    tl.store(out + 4 + tl.arange(0, 4), u.load())

@aggregate
class Counter:
    step: tl.constexpr
    value: tl.tensor

    def __init__(self, value, step=3):
        self.step = tl.constexpr(step)
        if value is None:
            self.value = tl.to_tensor(0)
        else:
            self.value = value

    @triton.jit
    def next(self, by=1):
        return Counter(self.value + self.step * by, self.step)

    @triton.constexpr_function
    def twice(step):
        return 2 * step

    @property
    def doubled(self):
        return self.value * 2

    @staticmethod
    def zero():
        return Counter(None)

    @triton.jit
    def __getitem__(self, i):
        return self.value + i

@triton.aggregate
class Pair:
    both: tl.tensor

    @triton.constexpr_function
    def __init__(self, a, b):
        self.both = a * 10 + b

@triton.aggregate
class Base:
    n: tl.constexpr = 8
    x: tl.tensor

    @triton.jit
    def sum(self):
        return tl.sum(self.x) + self.n

@triton.aggregate
class Derived(Base):
    y: tl.tensor

@triton.jit
def aggregates(out):
    c = Counter.zero()
    tl.static_assert(c.step == 3)
    tl.static_assert(Counter.twice(c.step) == 6)
    for i in range(4):
        c = c.next()
        if i > 2:
            c = c.next(by=2)
    tl.store(out, c.value)
    tl.store(out + 1, c.doubled)
    tl.store(out + 2, c[100])
    d = Derived(4, tl.arange(0, 4), 5)
    tl.static_assert(isinstance(d, Base) and not isinstance(c, Base))
    tl.static_assert(d.n == 4 and Base.n == 8)
    tl.store(out + 3, d.sum() + d.y)
    e = tl.aggregate_replace(d, x=tl.arange(0, 2), n=100)
    tl.store(out + 4, e.sum())
    tl.store(out + 5, d.sum())
    tl.store(out + 6, Pair(c.step, d.n).both)

class Color(enum.Enum):
    RED = 1
    BLUE = RED + 6

class Level(enum.IntEnum):
    LOW = 3

@triton.jit
def pick(color: tl.constexpr):
    if color == Color.BLUE:
        return 20
    else:
        return 10

@triton.jit
def enums(out):
    tl.store(out, pick(Color.RED) + pick(Color.BLUE))
    tl.static_assert(Color.BLUE.name == "BLUE")
    tl.store(out + 1, Color.BLUE.value)
    tl.store(out + 2, Level.LOW + 1)

@triton.jit
def defaults(tile: tl.constexpr = Tile(None, (1, 2)), level: tl.constexpr = Level.LOW):
    pass

class Plain:
    size = 8

@triton.jit
def not_made(x):
    p = Plain()
    q = Plain.shape
    r = Color.GREEN

@triton.jit
def wrong_calls(x):
    a = Tile(x)
    b = Tile(x, (4,), 5, 6)
    c = Tile(x, (4,), size=6)
    tl.aggregate_replace(3, x=1)
    d = Derived(4, x, x)
    tl.aggregate_replace(d, z=1)
    d.missing
    d[0]

@aggregate
class Unset:
    a: tl.constexpr
    b: tl.constexpr

    def __init__(self):
        self.a = 1

@triton.jit
def changed(x):
    d = Derived(4, x, x)
    d.x = 3
    u = Unset()

@triton.aggregate
class Complex:
    re: tl.tensor
    im: tl.tensor

    @triton.jit
    def __add__(self, other):
        return Complex(self.re + other.re, self.im + other.im)

    @triton.jit
    def __mul__(self, other):
        if isinstance(other, Complex):
            return Complex(self.re * other.re - self.im * other.im,
                           self.re * other.im + self.im * other.re)
        else:
            return Complex(self.re * other, self.im * other)

    @triton.jit
    def __rmul__(self, other):
        return Complex(self.re * other, self.im * other)

    @triton.jit
    def __rsub__(self, other):
        return Complex(other - self.re, -self.im)

    @triton.jit
    def __neg__(self):
        return Complex(-self.re, -self.im)

    @triton.jit
    def __eq__(self, other):
        return (self.re == other.re) & (self.im == other.im)

class Span(NamedTuple):
    first: tl.tensor
    count: int

    @triton.jit
    def __add__(self, by):
        return Span(self.first + by, self.count)

@triton.jit
def put(out, at, z):
    tl.store(out + at, z.re)
    tl.store(out + at + 1, z.im)

@triton.jit
def operators(out):
    z = Complex(tl.to_tensor(3), tl.to_tensor(4))
    w = z + Complex(10, 20)
    put(out, 0, w)
    put(out, 2, z * z)
    put(out, 4, z * 2)
    put(out, 6, tl.to_tensor(5) * z)
    put(out, 8, 1 - -z)
    for i in range(3):
        w += z
    put(out, 10, w)
    tl.store(out + 12, (z == z).to(tl.int32) + (z == w))
    s = Span(tl.to_tensor(7), 2) + 1
    tl.store(out + 13, s.first)
    tl.store(out + 14, s.count)
    both = s * 2
    tl.store(out + 15, both[2])

@triton.jit
def no_operators(x):
    z = Complex(x, x)
    a = z - z
    b = z / 2
    c = 2 + z
    d = Derived(4, x, x)
    e = d * 2
    f = 2 * d
    g = ~z
    d += d
