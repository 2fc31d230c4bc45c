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


@triton.aggregate
class Tiled:
    rows: tl.constexpr
    columns: "tl.constexpr" = 16

    @triton.constexpr_function
    def area(self):
        return self.rows * self.columns


@triton.aggregate
class Staged(Tiled):
    stages: tl.constexpr = tl.constexpr(2)


@triton.aggregate
class Square(Tiled):
    @triton.constexpr_function
    def __init__(self, side):
        self.rows = side
        self.columns = side


@triton.aggregate
class Cube(Square):
    def __init__(self, side):
        super().__init__(side)
        self.height = side

    height: tl.constexpr


@triton.aggregate
class Shaped:
    shape: tl.tuple


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

    def test_outside_of_kernels(self):
        made = Staged(4, stages=3)
        self.assertIsInstance(made.columns, tl.constexpr)
        self.assertEqual((made.rows.value, made.columns.value, made.stages.value), (4, 16, 3))
        self.assertEqual(Staged(2, 3).stages.value, 2)
        self.assertEqual(made.area().value, 64)
        self.assertEqual((Square(5).area().value, Cube(3).columns.value), (25, 3))
        other = tl.aggregate_replace(made, rows=9)
        self.assertEqual((type(other), other.rows.value, other.stages.value, made.rows.value),
                         (Staged, 9, 3, 4))

    def test_tuples_outside_of_kernels(self):
        shape = Shaped(Point(3, tl.constexpr(4))).shape
        self.assertIsInstance(shape, tl.tuple)
        self.assertEqual((shape.x.value, shape[1].value, shape.y.value), (3, 4, 4))
        self.assertEqual(Shaped((5,)).shape[0].value, 5)

    def test_outside_of_kernels_refused(self):
        with self.assertRaisesRegex(TypeError, "field 'rows' has no value"):
            Tiled()
        with self.assertRaisesRegex(TypeError, "Tiled has 2 fields, 3 values were given"):
            Tiled(1, 2, 3)
        with self.assertRaisesRegex(TypeError, "'rows' was given twice"):
            Tiled(1, rows=2)
        with self.assertRaisesRegex(TypeError, "Tiled has no field 'deep'"):
            tl.aggregate_replace(Tiled(1), deep=2)
        with self.assertRaisesRegex(TypeError, "expects an aggregate instance, not int"):
            tl.aggregate_replace(42, x=1)
        with self.assertRaisesRegex(AttributeError, "cannot assign to field 'rows' on immutable"):
            Tiled(1).rows = 2
        with self.assertRaisesRegex(TypeError, "only inherit from other aggregates, and Span"):
            triton.aggregate(type("Child", (Span,), {}))

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
