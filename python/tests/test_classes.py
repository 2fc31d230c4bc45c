"""Classes that kernels use: named tuples, aggregates, enumerations, and how they are answered."""

import collections
import enum
import unittest
from typing import NamedTuple

import tilec as triton
import tilec.language as tl
from needs_numpy import np, setUpModule

Point = collections.namedtuple("Point", "x y", defaults=(7,))
Made = enum.Enum("Made", {"ONE": 1, "TWO": 2})


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Span(NamedTuple):
    pointer: tl.tensor
    length: tl.constexpr

    @triton.jit
    def store(self, value):
        tl.store(self.pointer + tl.arange(0, self.length), value)


@triton.aggregate
class State:
    value: tl.tensor
    step: tl.constexpr = 3

    @triton.jit
    def next(self):
        return State(self.value + self.step, self.step)


@triton.jit
def counts(out):
    s = State(tl.arange(0, 4))
    for i in range(2):
        s = s.next()
    Span(out, 4).store(s.value + Color.BLUE.value)


@triton.jit
def of_no_text(out):
    p = Point(1)
    tl.store(out, p.x * 10 + p.y)
    tl.store(out + 1, Made.TWO.value + Point(1, 2).y)


class Classes(unittest.TestCase):
    def test_module(self):
        out = np.zeros(4, np.int32)
        counts[(1,)](out)
        self.assertEqual(out.tolist(), [8, 9, 10, 11])

    def test_without_text(self):
        out = np.zeros(2, np.int32)
        of_no_text[(1,)](out)
        self.assertEqual(out.tolist(), [17, 4])

    def test_closure(self):
        factor = tl.constexpr(5)

        @triton.aggregate
        class Local:
            inner: State

            @triton.jit
            def scaled(self):
                return self.inner.next().value * factor

        @triton.jit
        def kernel(out):
            Span(out, 2).store(Local(State(tl.arange(0, 2))).scaled())

        out = np.zeros(2, np.int32)
        kernel[(1,)](out)
        self.assertEqual(out.tolist(), [15, 20])

    def test_argument(self):
        @triton.jit
        def kernel(out, p, spans):
            tl.store(out, p.x + p.y)
            tl.store(spans[0].pointer, spans[0].length)

        out, other = np.zeros(1, np.int32), np.zeros(1, np.int32)
        kernel[(1,)](out, Point(3, 4), (Span(other, 6),))
        self.assertEqual((out.tolist(), other.tolist()), ([7], [6]))

    def test_what_is_no_value(self):
        class Plain:
            pass

        @triton.jit
        def kernel(out):
            tl.store(out, Plain)

        with self.assertRaisesRegex(triton.CompilationError,
                                    "`Plain` is the class .*Plain, for which a kernel has no"):
            kernel[(1,)](np.zeros(1))


if __name__ == "__main__":
    unittest.main()
