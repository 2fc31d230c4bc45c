"""tilec.repro(): a launch as one file."""

import enum
import os
import subprocess
import sys
import tempfile
import typing
import unittest

import tilec
import tilec.language as tl
from needs_numpy import np, setUpModule

try:
    import torch
except ImportError:
    torch = None

FACTOR = tl.constexpr(3)


def kernel_of(shift):
    """A kernel of a closure."""
    added = tl.constexpr(shift)

    @tilec.jit
    def helper(v):
        return v * FACTOR + added

    @tilec.jit
    def kernel(x, out, n, LAST: tl.constexpr, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, LAST(helper(tl.load(x + at, mask=at < n))), mask=at < n)

    return kernel


@tilec.jit
def negative(v):
    return -v


@tilec.jit
def wrong(x):
    tl.store(x, not_there)


class Pair(typing.NamedTuple):
    first: tl.tensor
    second: tl.tensor


class Mode(enum.IntEnum):
    ADD = 1
    MULTIPLY = 2


class Settings:
    SHIFT = 3


@tilec.aggregate
class Scaled:
    value: tl.tensor
    scale: tl.constexpr

    @tilec.jit
    def __init__(self, value, scale):
        self.value = value
        self.scale = scale

    @tilec.jit
    def get(self):
        return self.value * self.scale


@tilec.jit
def pair_of(v):
    return Pair(v, v + Settings.SHIFT)


@tilec.jit
def with_classes(x, out, more, MODE: tl.constexpr, TYPE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    p = pair_of(tl.load(x + at))
    made = p.first + p.second if MODE == Mode.ADD else p.first * p.second
    tl.store(out + at, Scaled(made, 2).get().to(TYPE) + tl.load(more[0] + at) * more[1])


class Repro(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "launch.py")

    def tearDown(self):
        self.folder.cleanup()

    def command(self, *words):
        done = subprocess.run([sys.executable, "-m", "tilec", *words], cwd=self.folder.name, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_same_launch(self):
        x = np.arange(10, dtype=np.float32) * 1.5
        out = np.zeros_like(x)
        with tilec.repro(self.path) as r:
            self.assertFalse(r.written)
            kernel_of(4)[lambda meta: (tilec.cdiv(10, meta["BLOCK"]),)](x, out, 10, negative, BLOCK=4)
            self.assertTrue(r.written)
        self.assertEqual(list(out), list(-(x * 3 + 4)))
        saved = os.path.join(self.folder.name, "out.npy")
        self.command("run", self.path, "--save", f"out={saved}")
        self.assertEqual(list(np.load(saved)), list(out))

    def test_classes(self):
        x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
        with tilec.repro(self.path):
            with_classes[(1,)](x, out, (x, 3), Mode.MULTIPLY, tl.float32, BLOCK=8)
        self.assertEqual(list(out), list(2 * x * (x + 3) + 3 * x))
        saved = os.path.join(self.folder.name, "out.npy")
        self.command("run", self.path, "--save", f"out={saved}")
        self.assertEqual(list(np.load(saved)), list(out))
        with open(self.path) as file:
            self.assertNotIn("tilec.", file.read().split("# tilec: call")[0].split("import", 1)[1])

    def test_named_kernel(self):
        x, out = np.ones(4, np.float32), np.zeros(4, np.float32)
        with tilec.repro(self.path, kernel="other") as r:
            kernel_of(1)[(1,)](x, out, 4, negative, BLOCK=4)
        self.assertFalse(r.written or os.path.exists(self.path))

    def test_kernel_that_is_refused(self):
        with tilec.repro(self.path):
            with self.assertRaises(tilec.CompilationError):
                wrong[(1,)](np.zeros(1, np.float32))
        with open(self.path) as file:
            self.assertIn("not_there", file.read())

    def test_nothing_is_overwritten(self):
        with open(self.path, "w") as file:
            file.write("mine")
        with self.assertRaises(FileExistsError):
            tilec.repro(self.path).__enter__()
        with tilec.repro(self.path, replace=True):
            negative_of = kernel_of(2)
            negative_of[(1,)](np.ones(4, np.float32), np.zeros(4, np.float32), 4, negative, BLOCK=4)
        with open(self.path) as file:
            self.assertNotEqual(file.read(), "mine")

    @unittest.skipIf(torch is None, "needs PyTorch")
    def test_python_takes_it(self):
        x, out = torch.randn(100000) * 2 + 40, torch.zeros(100000)
        with tilec.repro(self.path):
            kernel_of(2)[(98,)](x, out, 100000, negative, BLOCK=1024)
        text = self.command(self.path)
        self.assertIn("n = 100000", text)
        shown = self.command("run", self.path, "--show", "x[:1]")
        first = shown.split("[")[-1].split("]")[0]
        self.assertIn(f"x = tensor([{float(first):.4f}", text)


if __name__ == "__main__":
    unittest.main()
