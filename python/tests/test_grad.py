"""tilec.grad: derived kernels launched with the forward's grid and arguments."""

import io
import unittest
from unittest import mock

import tilec
import tilec.language as tl
from needs_numpy import np, setUpModule


@tilec.jit
def scale(x, w, out, n, FACTOR: tl.constexpr = 2, BLOCK: tl.constexpr = 16):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    product = tl.load(x + at, mask=at < n) * tl.load(w + at % 4, mask=at < n)
    tl.store(out + at, FACTOR * product * product, mask=at < n)


@tilec.jit
def every_other(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.exp(tl.load(x + 2 * at, mask=at < n)), mask=at < n)


@tilec.jit
def filtered(x, w, out, n, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], x.dtype.element_ty)
    for k in tl.static_range(TAPS):
        here = at + k - TAPS // 2
        total += tl.load(w + k) * tl.load(x + here, mask=(here >= 0) & (here < n), other=0.0)
    tl.store(out + at, total, mask=at < n)


@tilec.jit
def boxes(x, out, n, BLOCK: tl.constexpr):
    """Three numbers beside each other for each of n boxes of a row."""
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x += tl.program_id(0) * n * 3
    a = tl.load(x + i * 3, mask=i < n)
    b = tl.load(x + i * 3 + 1, mask=i < n)
    c = tl.load(x + i * 3 + 2, mask=i < n)
    tl.store(out + tl.program_id(0) * n + i, a * a + 2 * b + 3 * c, mask=i < n)


@tilec.jit
def turned_heads(x, out, length, heads, batch, row, head, HALF: tl.constexpr, PAIRS: tl.constexpr, BLOCK: tl.constexpr):
    """Pairs of elements, of halves or beside each other, for each head of some rows of a sample."""
    i = tl.arange(0, BLOCK)
    one = 2 * i if PAIRS else i
    rows = tl.program_id(0) * 2 + tl.arange(0, 2)
    inside = (rows < length)[:, None] & (i < HALF)[None, :]
    for h in range(heads):
        at = tl.program_id(1) * batch + rows[:, None] * row + h * head + one[None, :]
        other = at + (1 if PAIRS else HALF)
        a = tl.load(x + at, mask=inside, other=0.0)
        b = tl.load(x + other, mask=inside, other=0.0)
        tl.store(out + at, a * a + b, mask=inside)
        tl.store(out + other, 3.0 * b - a, mask=inside)


@tilec.jit
def squares_by_tiles(x, out, rows, row, n, BLOCK: tl.constexpr):
    y, at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    here, inside = y[:, None] * row + at[None, :], (y < rows)[:, None] & (at < n)[None, :]
    values = tl.load(x + here, mask=inside)
    tl.store(out + here, values * values, mask=inside)


@tilec.jit
def faded(h, n, BLOCK: tl.constexpr):
    """In place, and not all of it."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(h + at, 0.5 * tl.load(h + at, mask=at < n), mask=at < n)


@tilec.jit
def gated(x, out, row, n, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    c = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    inside = (r < 5) & (c < n)
    a = tl.load(x + r * row + c, mask=inside, other=0.0)
    tl.store(out + r * n + c, a * a * tl.load(x + n + r * row + c, mask=inside, other=0.0), mask=inside)


@tilec.jit
def overlapping(x, w, out, row, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0), tl.sum(tl.load(x + tl.program_id(0) * row + at) * tl.load(w + at), axis=0))


@tilec.jit
def rows(x, out, row, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * row + at, mask=at < n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(values * values, axis=0))


@tilec.jit
def unit(x, out, size, row, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * row + at, mask=at < n, other=0.0)
    scale = 1 / tl.sqrt(tl.sum(values * values, axis=0) + 1.0)
    tl.store(size + tl.program_id(0), scale)
    tl.store(out + tl.program_id(0) * row + at, values * scale, mask=at < n)


@tilec.jit
def window(x, w, out, n, taps, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n - taps + 1
    total = tl.zeros([BLOCK], x.dtype.element_ty)
    for k in range(taps):
        total += tl.load(w + k) * tl.load(x + at + k, mask=inside, other=0.0)
    tl.store(out + at, total, mask=inside)


@tilec.jit
def weighed(x, w, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    here = tl.program_id(0) * n + at
    tl.store(out + here, tl.load(x + here, mask=at < n) * tl.load(w + at, mask=at < n), mask=at < n)


@tilec.jit
def turns(x, out, row, n, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for k in range(tl.program_id(0), count, tl.num_programs(0)):
        tl.store(out + k * row + at, tl.load(x + k * n + at, mask=at < n), mask=at < n)


@tilec.jit
def weighed_tower(x, w, out):
    """Rounds by the program's number, and a weight that programs meet at."""
    value = tl.load(x + tl.program_id(0))
    for _ in range(tl.program_id(0)):
        value = value * value * tl.load(w)
    tl.store(out + tl.program_id(0), value)


@tilec.jit
def tower(x, out):
    a = tl.load(x + tl.program_id(0))
    for k in range(tl.program_id(0)):
        a = a * a
    tl.store(out + tl.program_id(0), a)


@tilec.jit
def rows_below(x, out, H, W, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    below = tl.load(x + (row + 1) * W + j, mask=(row % H + 1 < H) & (j < W), other=0.0)
    tl.store(out + row * W + j, below * tl.load(x + row * W + j, mask=j < W), mask=j < W)


@tilec.jit
def some_rows(x, kept, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if tl.load(kept + row) == 0:
        tl.store(out + row, 0.0)
        return
    total = tl.full([], 0, tl.float64)
    for i in range(0, n, BLOCK):
        at = i + tl.arange(0, BLOCK)
        a = tl.load(x + row * n + at, mask=at < n, other=0.0)
        total += tl.sum(a * a, axis=0)
    tl.store(out + row, total)


@tilec.jit
def entropy(x, labels, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    a = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
    top = tl.max(a, axis=0)
    wanted = tl.load(x + row * n + tl.load(labels + row))
    tl.store(out + row, top + tl.log(tl.sum(tl.exp(a - top), axis=0)) - wanted)


@tilec.jit
def by_turns(x, w, out, n):
    """An integer and a float of each round are kept; programs meet at w."""
    a = tl.load(x + tl.program_id(0))
    k = 1
    for _ in range(n):
        a = a * a * k * tl.load(w)
        k = k * 3 % 7
    tl.store(out + tl.program_id(0), a)


@tilec.jit
def power(x, out, n: tl.constexpr):
    a = tl.load(x)
    tl.store(out, a * a * a if n == 3 else a * a)


@tilec.jit
def sign(x, out):
    tl.store(out, tl.where(tl.load(x) > 0, 1.0, -1.0))


@tilec.jit
def with_gradient(x, d_x, out):
    tl.store(out, tl.load(x) * tl.load(d_x))


@tilec.jit
def by_global(x, out):
    tl.store(out, tl.load(x) * SCALE_OF_NOW)


@tilec.jit
def squares_by_rows(x, out, stride, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * stride + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=tl.arange(0, BLOCK) < n, other=0.0)
    tl.store(out + at, a * a, mask=tl.arange(0, BLOCK) < n)


@tilec.jit
def picked_by_grid(x, grid, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.exp(tl.load(x + tl.load(grid + at))))


SCALE_OF_NOW: tl.constexpr = 3.0


class Gradients(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(1)
        self.x = random.standard_normal(50).astype(np.float32)
        self.w = random.standard_normal(4).astype(np.float32)
        self.d_out = random.standard_normal(50).astype(np.float32)

    def launch(self, gradient, x, w, d_out, **options):
        """Into arrays that hold something else."""
        d_x, d_w = np.full_like(x, 7), np.full_like(w, np.nan)
        gradient[(4,)](x, w, np.empty_like(x), len(x), d_out=d_out, d_x=d_x, d_w=d_w, **options)
        return d_x, d_w

    def wanted(self, x, w, d_out, factor=2):
        tiled = np.resize(w, len(x))
        slope = 2 * factor * d_out * x * tiled
        d_w = np.array([(slope * x)[k::4].sum() for k in range(4)])
        return slope * tiled, d_w

    def test_by_itself(self):
        gradient = tilec.grad(faded, of="h", wrt="h")
        h, d_h = np.ones(20, np.float32), np.arange(20, dtype=np.float32)
        d_before = np.full(20, np.nan, np.float32)
        gradient[(2,)](h, 17, BLOCK=16, d_h=d_h, d_h_2=d_before)
        np.testing.assert_array_equal(d_before, np.where(np.arange(20) < 17, 0.5 * d_h, d_h))

    def test_elements_and_sums(self):
        gradient = tilec.grad(scale, of="out", wrt=("x", "w"))
        for dtype, near in ((np.float32, 1e-4), (np.float64, 1e-12), (np.float16, 4e-2)):
            given = [a.astype(dtype) for a in (self.x, self.w, self.d_out)]
            exact = [a.astype(np.float64) for a in given]
            for got, want in zip(self.launch(gradient, *given), self.wanted(*exact)):
                np.testing.assert_allclose(got, want, rtol=near, atol=near)

    def test_constants_have_code_of_their_own(self):
        gradient = tilec.grad(scale, of="out", wrt=("x", "w"))
        for factor in (2, 5, 1.5):
            d_x, _ = self.launch(gradient, self.x, self.w, self.d_out, FACTOR=factor)
            np.testing.assert_allclose(d_x, self.wanted(self.x, self.w, self.d_out, factor)[0], rtol=1e-4)
        cube, square = tilec.grad(power, of="out", wrt="x"), np.float64(2) * np.ones(1)
        d_x = np.zeros(1)
        for n, want in ((3, 12), (2, 4), (3, 12)):
            cube[(1,)](square, np.zeros(1), n, d_out=np.ones(1), d_x=d_x)
            self.assertEqual(d_x[0], want)

    def test_only_what_is_not_stored_is_zeroed(self):
        x, w = self.x.astype(np.float64), np.ones(4)
        rows = x[:48].reshape(6, 8)
        for zeroed, gradient, grid, n, args, options in (
                (0, "scale", 4, 50, (x, w, np.zeros(50), 50), {}), (1, "scale", 4, 49, (x, w, np.zeros(50), 49), {}),
                (1, "scale", 3, 48, (x, w, np.zeros(50), 50), {}), (0, "rows", 6, 8, (rows, np.zeros((6, 8)), 8, 8), {"BLOCK": 8}),
                (1, "rows", 5, 8, (rows, np.zeros((6, 8)), 8, 8), {"BLOCK": 8}),
                (1, "rows", 6, 7, (rows, np.zeros((6, 8)), 8, 7), {"BLOCK": 8}),
                (1, "rows", 6, 4, (rows, np.zeros((6, 8)), 8, 8), {"BLOCK": 4})):
            kernel = scale if gradient == "scale" else squares_by_rows
            d_x = np.full_like(args[0], np.nan)
            with self.subTest(gradient, grid=grid, n=n), mock.patch("tilec.derived._zero", wraps=tilec.derived._zero) as zero:
                tilec.grad(kernel, "out", "x")[(grid,)](*args, d_out=np.ones_like(args[0]), d_x=d_x, **options)
                self.assertEqual(zero.call_count, zeroed)
                factor = 4 if kernel is scale else 2
                wanted = factor * args[0]
                if kernel is scale:
                    wanted[n:] = 0
                else:
                    wanted[grid:], wanted[:, n:] = 0, 0
                np.testing.assert_allclose(d_x, wanted)

    def test_windows_that_cover_an_array(self):
        x, w, d_out = np.linspace(-1, 2, 50), np.array([2.0, -1, 5]), np.sin(np.arange(50.0))
        for zeroed, n in ((0, 50), (1, 49)):
            d_x = np.full_like(x, np.nan)
            with self.subTest(n=n), mock.patch("tilec.derived._zero", wraps=tilec.derived._zero) as zero:
                tilec.grad(filtered, "out", "x")[(4,)](x, w, np.zeros(50), n, TAPS=3, BLOCK=16, d_out=d_out, d_x=d_x)
                self.assertEqual(zero.call_count, zeroed)
                wanted = np.convolve(d_out[:n], w, "same")
                np.testing.assert_allclose(d_x, np.append(wanted, np.zeros(50 - n)))

    def test_boxes_that_cover_an_array(self):
        x = np.arange(4 * 7 * 3, dtype=np.float64).reshape(4, 7, 3) / 7
        for zeroed, grid, n in ((0, (4, 2), 7), (1, (3, 2), 7), (1, (4, 1), 7), (1, (4, 2), 6)):
            d_x = np.full_like(x, np.nan)
            with self.subTest(grid=grid, n=n), mock.patch("tilec.derived._zero", wraps=tilec.derived._zero) as zero:
                tilec.grad(boxes, "out", "x")[grid](x, np.zeros((4, 7)), n, BLOCK=4, d_out=np.ones((4, 7)), d_x=d_x)
                self.assertEqual(zero.call_count, zeroed)
                wanted = np.zeros((4, n, 3))
                wanted[:grid[0], :4 * grid[1]] = np.array([0, 2, 3])
                wanted[:grid[0], :4 * grid[1], 0] = 2 * x.reshape(-1)[:4 * n * 3].reshape(4, n, 3)[:grid[0], :4 * grid[1], 0]
                np.testing.assert_allclose(d_x.reshape(-1)[:4 * n * 3].reshape(4, n, 3), wanted)

    def test_pairs_that_cover_an_array(self):
        x = np.arange(2 * 5 * 3 * 6, dtype=np.float64).reshape(2, 5, 3, 6) / 7
        for pairs in (False, True):
            for zeroed, grid, length, heads in ((0, (3, 2), 5, 3), (0, (4, 2), 5, 3), (1, (2, 2), 5, 3), (1, (3, 1), 5, 3),
                                                (1, (3, 2), 4, 3), (1, (3, 2), 5, 2)):
                d_x = np.full_like(x, np.nan)
                with self.subTest(pairs=pairs, grid=grid, length=length, heads=heads), \
                        mock.patch("tilec.derived._zero", wraps=tilec.derived._zero) as zero:
                    tilec.grad(turned_heads, "out", "x")[grid](x, np.zeros_like(x), length, heads, 90, 18, 6, HALF=3, PAIRS=pairs,
                                                               BLOCK=4, d_out=np.ones_like(x), d_x=d_x)
                    self.assertEqual(zero.call_count, zeroed)
                    wanted, one, other = np.zeros_like(x), slice(0, 3), slice(3, 6)
                    if pairs:
                        one, other = slice(0, 6, 2), slice(1, 6, 2)
                    done = slice(0, grid[1]), slice(0, min(length, 2 * grid[0])), slice(0, heads)
                    wanted[(*done, one)] = 2 * x[(*done, one)] - 1
                    wanted[(*done, other)] = 4
                    np.testing.assert_allclose(d_x, wanted)

    def test_tiles_that_cover_an_array(self):
        x = self.x[:48].reshape(6, 8)
        for zeroed, grid, rows, n in ((0, (2, 2), 6, 8), (0, (3, 4), 6, 8), (1, (1, 2), 6, 8), (1, (2, 1), 6, 8),
                                      (1, (2, 2), 5, 8), (1, (2, 2), 6, 7)):
            d_x = np.full_like(x, np.nan)
            with self.subTest(grid=grid, rows=rows, n=n), mock.patch("tilec.derived._zero", wraps=tilec.derived._zero) as zero:
                tilec.grad(squares_by_tiles, "out", "x")[grid](x, np.zeros_like(x), rows, 8, n, BLOCK=4, d_out=np.ones_like(x), d_x=d_x)
                self.assertEqual(zero.call_count, zeroed)
                wanted = 2 * x
                wanted[min(rows, 4 * grid[0]):], wanted[:, min(n, 4 * grid[1]):] = 0, 0
                np.testing.assert_allclose(d_x, wanted)

    def test_is_derived_once(self):
        gradient = tilec.grad(scale, of="out", wrt=("x",))
        first = gradient.derive(self.x, self.w, self.x, 50)
        self.assertIs(gradient.derive(self.x[1:], self.w, self.x, 16), first)
        self.assertIsNot(gradient.derive(self.x, self.w, self.x, 50, BLOCK=32), first)
        self.assertIsNot(gradient.derive(self.x, self.w, self.x, 2**40), first)
        self.assertIn("def scale_grad(x, w, out, n, d_out, d_x,", first.text)
        self.assertEqual([tuple(g) for g in first.gradients], [("out", "d_out", 0, None), ("x", "d_x", 1, "min(n, 16 * grid[0])")])
        self.assertEqual(tilec.grad(scale, "out", "w").derive(self.x, self.w, self.x, 50).gradients[1].fill, 3)

    def test_elements_that_are_not_read_have_no_gradient(self):
        d_x = np.full(10, 9.0)
        x = np.zeros(10)
        tilec.grad(every_other, "out", "x")[(1,)](x, np.zeros(5), 5, BLOCK=8, d_out=np.ones(5), d_x=d_x)
        self.assertEqual(d_x.tolist(), [1, 0] * 5)

    def test_an_argument_called_grid(self):
        x, out, d_x = self.x[:16], np.empty(16, np.float32), np.full(16, 7, np.float32)
        gradient = tilec.grad(picked_by_grid, of="out", wrt="x")
        gradient[(1,)](x=x, grid=np.arange(16, dtype=np.int32)[::-1].copy(), out=out, BLOCK=16, d_out=self.d_out[:16], d_x=d_x)
        np.testing.assert_allclose(d_x, self.d_out[15::-1] * np.exp(x), rtol=1e-5)

    def test_strided_arrays(self):
        x, d_x = np.ones((3, 8)), np.full((3, 8), 5.0)
        gradient = tilec.grad(rows, "out", "x")
        gradient[(3,)](x[:, :4], np.zeros(3), 8, 4, BLOCK=4, d_out=np.arange(3.0), d_x=d_x[:, :4])
        self.assertEqual(d_x[:, :4].tolist(), [[2 * k] * 4 for k in range(3)])
        self.assertTrue((d_x[:, 4:] == 5).all())
        with self.assertRaisesRegex(ValueError, "`d_x` needs the shape and strides of `x`"):
            gradient[(3,)](x[:, :4], np.zeros(3), 8, 4, BLOCK=4, d_out=np.arange(3.0), d_x=np.zeros((3, 4)))
        # elements in a row are that in any shape
        gradient[(3,)](x.reshape(-1), np.zeros((3, 1)), 8, 8, BLOCK=8, d_out=np.ones(3), d_x=d_x)
        self.assertTrue((d_x == 2).all())

    def test_what_a_launch_knows_is_not_asserted(self):
        """A GPU's launch waits for programs that assert; what data says is asserted all the same."""
        x, d_x = np.ones((3, 4)), np.zeros((3, 4))
        gradient = tilec.grad(rows, "out", "x")
        self.assertIn("tl.device_assert(", gradient.derive(x, np.zeros(3), 4, 4, BLOCK=4).text)
        for said, wanted in (({}, False), ({"debug": True}, True)):
            made = gradient[(3,)](x, np.zeros(3), 4, 4, BLOCK=4, d_out=np.ones(3), d_x=d_x, **said)
            self.assertIs("assert" in made.asm["ttir"], wanted)
        args = (np.zeros((3, 5)), np.zeros(3, np.int64), np.zeros(3), 5)
        made = tilec.grad(entropy, "out", "x")[(3,)](*args, BLOCK=8, d_out=np.ones(3), d_x=np.zeros((3, 5)))
        self.assertIn("assert", made.asm["ttir"])

    def test_launches_alike(self):
        """What is planned for one launch is done by others of the same numbers, and by no others."""
        x = np.arange(16.0)
        gradient = tilec.grad(rows, "out", "x")
        for row, n in ((4, 3), (3, 4), (np.int64(4), np.int64(3)), (np.int64(4), np.int64(2))):
            for names in (("row", "n"), ("n", "row")):  # in any order
                d_x, numbers = np.full(16, 5.0), {"row": row, "n": n}
                gradient[(3,)](x, np.zeros(3), **{k: numbers[k] for k in names}, BLOCK=4, d_out=np.ones(3), d_x=d_x)
                times = [sum(0 <= i - row * k < n for k in range(3)) for i in range(16)]
                self.assertEqual(d_x.tolist(), [2 * i * times[i] for i in range(16)])

    def test_rows_that_overlap(self):
        """Elements that programs meet are added to by atomics."""
        x, d_x = np.arange(4.0), np.full(4, 5.0)
        gradient = tilec.grad(rows, "out", "x")
        for stride, times in ((0, [3, 3, 3, 0]), (1, [1, 2, 2, 1])):
            gradient[(3,)](x, np.zeros(3), stride, 3 - stride, BLOCK=4, d_out=np.ones(3), d_x=d_x)
            self.assertEqual(d_x.tolist(), [2 * k * n for k, n in enumerate(times)])

    def test_halves_behind_each_other(self):
        """All elements are stored where both halves make a row, and the launch has programs for all of it; else zeroed."""
        for n, row, columns in ((6, 12, 2), (6, 13, 2), (6, 12, 1), (4, 12, 1), (8, 16, 2)):
            x, d_x = np.random.default_rng(n).random((5, row)), np.full((5, row), np.nan)
            gradient = tilec.grad(gated, "out", "x")
            d_out = np.arange(5.0 * n).reshape(5, n)
            args = (x, np.zeros((5, n)), row, n)
            gradient[(3, columns)](*args, BM=2, BN=4, d_out=d_out, d_x=d_x)
            self.assertTrue(gradient.derive(*args, BM=2, BN=4).gradients[1].stored)
            m, want = min(n, 4 * columns), np.zeros((5, row))
            a, b = x[:, :m], x[:, n:n + m]
            want[:, :m], want[:, n:n + m] = d_out[:, :m] * 2 * a * b, d_out[:, :m] * a * a
            np.testing.assert_allclose(d_x, want, rtol=1e-12)

    def test_others_that_do_not_overlap(self):
        """Of two arrays only the one whose rows overlap is added to by atomics; or what is wished is."""
        x, w, d_x, d_w = np.arange(6.0), np.arange(1.0, 5.0), np.full(6, 5.0), np.full(4, 5.0)
        gradient = tilec.grad(overlapping, "out", ("x", "w"))
        gradient[(3,)](x, w, np.zeros(3), 1, BLOCK=4, d_out=np.ones(3), d_x=d_x, d_w=d_w)
        self.assertEqual((d_x.tolist(), d_w.tolist()), ([1, 3, 6, 9, 7, 4], [3, 6, 9, 12]))
        for atomics, added in ((False, ()), ("x", ("d_x",)), (("x", "w"), ("d_x", "d_w")), (True, ("d_x", "d_w"))):
            derived = tilec.grad(overlapping, "out", ("x", "w"), atomics=atomics).derive(x, w, np.zeros(3), 4, BLOCK=4)
            self.assertEqual([g.name for g in derived.gradients if g.fill == 3], list(added))
        with self.assertRaisesRegex(ValueError, "atomics='b': `b` is not in wrt"):
            tilec.grad(overlapping, "out", "x", atomics="b")

    def test_what_the_forward_stored(self):
        x = np.random.default_rng(2).standard_normal((5, 20)).astype(np.float32)
        out, size, d_out = np.empty_like(x), np.empty(5, np.float32), np.ones_like(x)
        gradient = tilec.grad(unit, of="out", wrt="x")
        unit[(5,)](x, out, size, 20, 20, BLOCK=32)
        derived = gradient.derive(x, out, size, 20, 20, BLOCK=32)
        self.assertEqual(derived.saved, ["size"])
        scale = 1 / np.sqrt((x.astype(float)**2).sum(axis=1, keepdims=True) + 1)
        want = scale - x * scale**3 * x.sum(axis=1, keepdims=True)
        d_x = np.empty_like(x)
        gradient[(5,)](x, out, size, 20, 20, BLOCK=32, d_out=d_out, d_x=d_x)
        np.testing.assert_allclose(d_x, want, rtol=1e-4, atol=1e-5)
        with self.assertRaisesRegex(ValueError, "its gradient would take `size` for a constant"):
            tilec.grad(derived.kernel, of="d_x", wrt="x")
        again = tilec.grad(unit, of="out", wrt="x", recompute=True)
        again[(5,)](x, out, np.full(5, np.nan, np.float32), 20, 20, BLOCK=32, d_out=d_out, d_x=d_x)
        np.testing.assert_allclose(d_x, want, rtol=1e-4, atol=1e-5)
        self.assertEqual(again.derive(x, out, size, 20, 20, BLOCK=32).saved, [])

    def test_windows(self):
        """A valid convolution, by programs that end where elements do, and before: gathered, or by atomics; of
        many programs few walk over all."""
        w = np.array([0.5, -1.0, 2.0])
        gradient = tilec.grad(window, "out", ("x", "w"))
        for n, programs in ((14, 1), (18, 1), (40, 3), (9599, 600)):
            x, d_out = np.sin(np.arange(float(n))), np.cos(np.arange(float(n - 2)))
            d_x, d_w = np.full(n, 9.0), np.full(3, 9.0)
            gradient[(programs,)](x, w, np.zeros(n - 2), n, 3, BLOCK=16, d_out=d_out, d_x=d_x, d_w=d_w)
            np.testing.assert_allclose(d_x, np.convolve(d_out, w), rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(d_w, np.correlate(x, d_out), rtol=1e-12, atol=1e-12)
        fills = [g.fill for g in gradient.derive(x, w, x, 40, 3, BLOCK=16).gradients]
        self.assertEqual(fills, [0, 1, 2])  # read, stored, parts

    def test_parts_of_an_array(self):
        """Programs' sums fill all of a gradient, or its first elements; the rest have none."""
        x, d_out = np.sin(np.arange(15.0)), np.cos(np.arange(15.0))
        gradient = tilec.grad(weighed, "out", "w")
        for more in (0, 3):
            d_w = np.full(5 + more, np.nan)
            gradient[(3,)](x, np.ones(5 + more), np.zeros(15), 5, BLOCK=8, d_out=d_out, d_w=d_w)
            np.testing.assert_allclose(d_w, [*(x * d_out).reshape(3, 5).sum(axis=0), *[0] * more], rtol=1e-12)

    def test_results_that_overlap(self):
        x = np.ones(8)
        gradient = tilec.grad(turns, "out", "x")
        with self.assertRaisesRegex(ValueError, "elements of `out` are stored twice, as n <= row does not hold"):
            gradient[(1,)](x, np.zeros(8), 1, 4, 2, BLOCK=4, d_out=np.ones(8), d_x=np.ones(8))

    def test_rounds_of_each_program(self):
        """Where data or the program says how many, a launch says how many at most."""
        x, d_x = np.full(3, 0.5), np.zeros(3)
        gradient = tilec.grad(tower, "out", "x")
        with self.assertRaisesRegex(TypeError, "how many rounds a loop makes at most depends on data: say it by rounds=N"):
            gradient[(3,)](x, np.zeros(3), d_out=np.ones(3), d_x=d_x)
        for gradient in (gradient, tilec.grad(tower, "out", "x")):  # also where it is the first launch that says it
            gradient[(3,)](x, np.zeros(3), d_out=np.ones(3), d_x=d_x, rounds=2)
            np.testing.assert_allclose(d_x, [1, 2 * 0.5, 4 * 0.5**3])
        with self.assertRaisesRegex(Exception, "has no parameter `turns`"):
            gradient[(3,)](x, np.zeros(3), d_out=np.ones(3), d_x=d_x, rounds=2, turns=1)

    def test_rounds_beside_parts(self):
        """How many there are is said to the kernel, not to the one that adds parts up."""
        x, d_x, d_w = np.full(3, 0.5), np.zeros(3), np.zeros(1)
        tilec.grad(weighed_tower, "out", ("x", "w"))[(3,)](x, np.full(1, 2.0), np.zeros(3), d_out=np.ones(3), d_x=d_x,
                                                           d_w=d_w, rounds=2)
        np.testing.assert_allclose(d_x, [1, 4 * 0.5, 32 * 0.5**3])
        np.testing.assert_allclose(d_w, [0.5**2 + 12 * 0.5**4])

    def test_warnings(self):
        """Nobody wrote the derived kernel: what it may look like is no mistake."""
        x, d_x = np.sin(np.arange(18.0)).reshape(6, 3), np.full((6, 3), np.nan)
        with mock.patch("sys.stderr", io.StringIO()) as said:
            tilec.grad(rows_below, "out", "x")[(6,)](x, np.zeros((6, 3)), 2, 3, BLOCK=4, d_out=np.ones((6, 3)), d_x=d_x)
        np.testing.assert_allclose(d_x, x[[1, 0, 3, 2, 5, 4]], rtol=1e-12)
        self.assertEqual(said.getvalue(), "")

    def test_rows_that_are_left_out(self):
        """The kernel stores their zeros, too, so that nobody has to."""
        x, d_x = np.sin(np.arange(15.0)).reshape(3, 5), np.full((3, 5), np.nan)
        args = (x, np.array([1, 0, 1]), np.zeros(3), 5)
        gradient = tilec.grad(some_rows, "out", "x")
        gradient[(3,)](*args, BLOCK=4, d_out=np.ones(3), d_x=d_x)
        np.testing.assert_allclose(d_x, 2 * x * [[1], [0], [1]], rtol=1e-12)
        self.assertTrue(gradient.derive(*args, BLOCK=4).gradients[1].stored)

    def test_labels_outside_of_the_row(self):
        """They are taken to lie in it, and a launch ends where one does not; by atomics they may be anywhere."""
        x, d_x = np.sin(np.arange(15.0)).reshape(3, 5), np.zeros((3, 5))
        p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
        for labels, is_inside in (([4, 0, 2], True), ([5, 0, 2], False)):
            wanted = p.copy()
            np.subtract.at(wanted.reshape(-1), np.arange(3) * 5 + labels, 1)
            args = (x, np.array(labels), np.zeros(3), 5)
            tilec.grad(entropy, "out", "x", atomics=True)[(3,)](*args, BLOCK=8, d_out=np.ones(3), d_x=d_x)
            np.testing.assert_allclose(d_x, wanted, rtol=1e-12)
            gradient = tilec.grad(entropy, "out", "x")
            if is_inside:
                gradient[(3,)](*args, BLOCK=8, d_out=np.ones(3), d_x=d_x)
                np.testing.assert_allclose(d_x, wanted, rtol=1e-12)
            else:
                with self.assertRaisesRegex(Exception, "d_x is wrong: derive with --atomics"):
                    gradient[(3,)](*args, BLOCK=8, d_out=np.ones(3), d_x=d_x)

    def test_workspaces_of_a_launch_before(self):
        """They hold what it left; what must be zero is."""
        gradient = tilec.grad(by_turns, "out", ("x", "w"))
        d_x, d_w = np.zeros(3), np.zeros(1)
        for n, x in ((3, [0.5, 0.25, 1.0]), (3, [1.0, 0.5, 0.5]), (2, [0.5, 0.25, 1.0])):
            x, w = np.array(x), np.array([1.5])
            gradient[(3,)](x, w, np.zeros(3), n, d_out=np.ones(3), d_x=d_x, d_w=d_w)
            a, k, d_a = x, 1, np.zeros(3)  # d_a by w
            for _ in range(n):
                a, d_a, k = a * a * k * w, (2 * a * d_a * w + a * a) * k, k * 3 % 7
            np.testing.assert_allclose(d_w, d_a.sum(), rtol=1e-12)
            np.testing.assert_allclose(d_x, a * 2**n / x, rtol=1e-12)

    def test_what_is_kept_of_loops(self):
        """Gradients are the same, of workspaces of so many elements."""
        x, w, n = np.array([0.5, 0.25, 1.0]), np.array([1.5]), 5
        kept = []
        for tape, elements in (("keep", {15}), (2, {6, 9}), ("recompute", set())):
            gradient = tilec.grad(by_turns, "out", ("x", "w"), tape=tape)
            d_x, d_w = np.zeros(3), np.zeros(1)
            gradient[(3,)](x, w, np.zeros(3), n, d_out=np.ones(3), d_x=d_x, d_w=d_w)
            kept.append((*d_x, *d_w))
            derived = gradient.derive(x, w, x, n)
            sizes = {space.size for name, space in derived._kept.items() if not name.startswith("d_w")}
            self.assertEqual(sizes, elements)
        np.testing.assert_allclose(kept[1:], kept[:1] * 2, rtol=1e-12)
        for wrong in (0, -1, True, "some", 2.0):
            with self.assertRaisesRegex(ValueError, "it is 'keep', 'recompute', or of how many rounds"):
                tilec.grad(by_turns, "out", "x", tape=wrong)

    def test_forward_and_backward_in_one(self):
        x, out, size, d_x = np.sin(np.arange(100.0)).reshape(5, 20), np.zeros((5, 20)), np.zeros(5), np.full((5, 20), 7.0)
        d_out = np.cos(np.arange(100.0)).reshape(5, 20)
        gradient = tilec.grad(unit, "out", "x", fused=True)
        gradient[(5,)](x, out, size, 20, 20, BLOCK=32, d_out=d_out, d_x=d_x)
        scale = 1 / np.sqrt((x * x).sum(axis=1, keepdims=True) + 1)
        np.testing.assert_allclose(size, scale[:, 0], rtol=1e-12)
        np.testing.assert_allclose(out, x * scale, rtol=1e-12)
        want = d_out * scale - x * scale**3 * (d_out * x).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(d_x, want, rtol=1e-12, atol=1e-14)
        self.assertEqual(gradient.derive(x, out, size, 20, 20, BLOCK=32).saved, [])
        with self.assertRaisesRegex(Exception, "programs hand gradients to the same elements of `w`"):
            tilec.grad(weighed, "out", "w", fused=True).derive(x, x, x, 50, BLOCK=16)

    def test_grids(self):
        x = np.ones((3, 8))
        for grid in ((3,), 3, lambda meta: (meta["n"] - 5,)):
            d_x = np.zeros_like(x)
            tilec.grad(rows, "out", "x")[grid](x, np.zeros(3), 8, 8, BLOCK=8, d_out=np.ones(3), d_x=d_x)
            self.assertTrue((d_x == 2).all())

    def test_devices_and_options(self):
        d_x, _ = self.launch(tilec.grad(scale, "out", ("x", "w")), self.x, self.w, self.d_out, device="interp",
                             num_warps=8, check=True)
        np.testing.assert_allclose(d_x, self.wanted(self.x, self.w, self.d_out)[0], rtol=1e-4)

    def test_gradient_of_a_gradient(self):
        x, one, d_x = np.full(1, 3.0), np.ones(1), np.zeros(1)
        first = tilec.grad(power, "out", "x").derive(x, one, 3).kernel
        second = tilec.grad(first, of="d_x", wrt="x")
        second[(1,)](x, one, one, one, 3, d_d_x=one, d_x_2=d_x)
        self.assertEqual(d_x[0], 18)

    def test_a_parameter_may_have_the_name(self):
        x, d_x = np.full(1, 3.0), np.zeros(1)
        tilec.grad(with_gradient, "out", "x")[(1,)](x, np.full(1, 5.0), np.zeros(1), d_out=np.ones(1), d_x_2=d_x)
        self.assertEqual(d_x[0], 5)

    def test_mistakes(self):
        one = np.ones(1)
        with self.assertRaisesRegex(ValueError, "wrt is empty"):
            tilec.grad(scale, of="out", wrt=[])
        with self.assertRaisesRegex(TypeError, "has no parameter `y`"):
            tilec.grad(scale, "out", "y")
        with self.assertRaisesRegex(TypeError, "not a function"):
            tilec.grad(print_nothing, "out", "x")
        gradient = tilec.grad(power, "out", "x")
        with self.assertRaisesRegex(TypeError, "an argument for `d_x` is missing; it takes d_out, d_x by name"):
            gradient[(1,)](one, one, 3, d_out=one)
        with self.assertRaisesRegex(TypeError, "there is no gradient `d_y`"):
            gradient[(1,)](one, one, 3, d_out=one, d_x=one, d_y=one)
        with self.assertRaisesRegex(TypeError, "two values for the parameter `x`"):
            gradient[(1,)](one, one, 3, x=one, d_out=one, d_x=one)
        with self.assertRaisesRegex(tilec.TritonError, "no gradient of `out` reaches `x`"):
            tilec.grad(sign, "out", "x")[(1,)](one, one, d_out=one, d_x=one)

    def test_what_it_was_derived_from_changes(self):
        global SCALE_OF_NOW
        one, d_x = np.ones(1), np.zeros(1)
        gradient = tilec.grad(by_global, "out", "x")
        gradient[(1,)](one, one, d_out=one, d_x=d_x)
        self.assertEqual(d_x[0], 3)
        by_global._unsafe_update_src(by_global.src.replace("SCALE_OF_NOW", "4.0"))
        gradient[(1,)](one, one, d_out=one, d_x=d_x)
        self.assertEqual(d_x[0], 4)


def print_nothing(x, out):
    pass
