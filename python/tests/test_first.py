"""check="first": a checked run in front of the first launch of its kind, told as a warning."""

import os
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

import tilec
import tilec.language as tl
from needs_numpy import np, setUpModule


@tilec.jit
def shifting(x, out, n, BY: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i + BY, mask=i < n), mask=i < n)


@tilec.jit
def adding(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0))


@tilec.jit
def doubling(pair, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(pair[1] + i, 2 * tl.load(pair[0] + i, mask=i < n), mask=i < n)


@tilec.jit
def lasting(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    for _ in range(n):
        v = v * 0.5 + 1.0
    tl.store(x + i, v)


@tilec.jit
def following(addresses, n):
    p = tl.load(addresses).to(tl.pointer_type(tl.float32))
    tl.store(p, tl.load(p) + n)


def told_by(launch):
    """The texts of the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        launch()
    return [str(w.message) for w in caught if issubclass(w.category, tilec.CheckWarning)]


def twos(n):
    return np.full(n, 2, np.float32)


class First(unittest.TestCase):
    def test_an_access_outside(self):
        x, out = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
        launch = lambda **how: shifting[(4,)](x, out, 1000, BY=3, BLOCK=256, **how)
        told = told_by(lambda: launch(check="first"))
        self.assertEqual(len(told), 1)
        self.assertRegex(told[0], r"test_first.py:\d+:\d+: warning: load of x\[1000\] is outside of its 1000 ")
        self.assertNotIn("error", told[0])
        self.assertIn("3 elements in 1 program", told[0])
        np.testing.assert_array_equal(out[:997], x[3:])
        self.assertEqual(told_by(lambda: launch(check="first")), [])  # once

    def test_each_set_of_types(self):
        for dtype in (np.float16, np.float64):
            x = np.zeros(64, dtype)
            launch = lambda: shifting[(1,)](x, x.copy(), 64, BY=9, BLOCK=64, check="first")
            self.assertEqual([len(told_by(launch)) for _ in range(2)], [1, 0])

    def test_programs_that_race(self):
        x = np.arange(1001, dtype=np.float32)
        told = told_by(lambda: shifting[(4,)](x, x, 1000, BY=1, BLOCK=256, check="first"))
        self.assertEqual(len(told), 1)
        self.assertIn("warning: race: ", told[0])

    def test_nothing_to_tell(self):
        x, out = twos(1000), twos(1000)
        self.assertEqual(told_by(lambda: shifting[(4,)](x, out, 1000, BY=0, BLOCK=256, check="first")), [])
        self.assertEqual(told_by(lambda: shifting[(4,)](x[500:], out[:500], 500, BY=0, BLOCK=128,
                                                        check="first")), [])

    def test_what_is_written_counts_once(self):
        out = np.zeros(1, np.float32)
        self.assertEqual(told_by(lambda: adding[(4,)](twos(1000), out, 1000, BLOCK=256, check="first")), [])
        self.assertEqual(out[0], 2000)

    def test_memory_that_is_shared(self):
        with tempfile.TemporaryDirectory() as folder:
            out = np.memmap(os.path.join(folder, "out"), np.float32, "w+", shape=(1,))
            adding[(4,)](twos(512), out, 512, BLOCK=128, check="first")
            self.assertEqual(out[0], 1024)

    def test_arrays_that_overlap(self):
        x = twos(300)
        self.assertEqual(told_by(lambda: doubling[(3,)]((x, x), 300, BLOCK=128, check="first")), [])
        np.testing.assert_array_equal(x, 4)
        x = np.arange(300, dtype=np.float32)
        told = told_by(lambda: shifting[(4,)](x[:200], x[1:], 200, BY=0, BLOCK=64, check="first"))
        self.assertIn("race: ", told[0])

    def test_addresses_that_were_loaded(self):
        target = twos(1)
        following[(1,)](np.array([target.ctypes.data], np.int64), 5.0, check="first")
        self.assertEqual(target[0], 7)

    def test_it_has_its_time(self):
        x = twos(512)
        begun = time.monotonic()
        self.assertEqual(told_by(lambda: lasting[(1,)](x, 2000000, BLOCK=512, check="first")), [])
        self.assertLess(time.monotonic() - begun, 20)

    def test_great_arrays_are_passed_over(self):
        x = np.zeros((5 << 20) + 8, np.float32)
        self.assertEqual(told_by(lambda: shifting[(4,)](x, x, 256, BY=8, BLOCK=64, check="first")), [])

    def test_who_asks(self):
        x = twos(100)
        launch = lambda **how: shifting[(1,)](x, x.copy(), 100, BY=7, BLOCK=128, **how)
        self.assertEqual(told_by(launch), [])
        with tilec.check_accesses("first"):
            self.assertEqual(told_by(lambda: launch(check=False)), [])
            self.assertEqual(len(told_by(launch)), 1)
        with self.assertRaises(tilec.AccessFault):
            launch(check=True)
        for wrong in ("last", "yes"):
            with self.assertRaisesRegex(TypeError, 'check must be True, False or "first"'):
                launch(check=wrong)

    def test_the_environment(self):
        text = "import tilec; print(tilec.check_accesses(False).before)"
        for value, means in (("first", "first"), ("1", "True"), ("0", "False")):
            done = subprocess.run([sys.executable, "-c", text], env={**os.environ, "TILEC_CHECK": value},
                                  capture_output=True, text=True, check=True)
            self.assertEqual((done.stdout.strip(), done.stderr), (means, ""))
        done = subprocess.run([sys.executable, "-c", text], env={**os.environ, "TILEC_CHECK": "frist"},
                              capture_output=True, text=True, check=True)
        self.assertIn('TILEC_CHECK=frist says nothing: it is 1 or "first"', done.stderr)

    def test_it_may_be_an_error(self):
        x = twos(100)
        with warnings.catch_warnings():
            warnings.simplefilter("error", tilec.CheckWarning)
            with self.assertRaises(tilec.CheckWarning):
                shifting[(1,)](x, x.copy(), 100, BY=5, BLOCK=128, check="first")


if __name__ == "__main__":
    unittest.main()
