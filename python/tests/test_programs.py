"""The programs of examples/python, each run as a user would, with NumPy and, where it is, PyTorch."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import tilec

try:
    import numpy
except ImportError:
    numpy = None
try:
    import matplotlib
except ImportError:
    matplotlib = None
try:
    import torch
except ImportError:
    torch = None

PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
PACKAGE = str(pathlib.Path(tilec.__file__).parent.parent)


@unittest.skipUnless(numpy and PROGRAMS.exists(), "needs NumPy and the source tree")
class _Programs(unittest.TestCase):
    def run_program(self, name, arrays, *arguments):
        paths = [PACKAGE] + [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "EXAMPLES_ARRAYS": arrays}
        run = subprocess.run([sys.executable, "-m", "tilec", str(PROGRAMS / name), *arguments],
                             env=env, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout


class Programs(_Programs):
    """One test a program and library, added below."""


def _add_tests():
    for program in ("vector_add", "fused_softmax", "matmul", "dropout", "layer_norm", "attention"):
        for library in ("numpy", "torch"):
            def test(self, program=program, library=library):
                out = self.run_program(program + ".py", library)
                self.assertIn("of the reference (" + {"numpy": "NumPy", "torch": "PyTorch"}[library],
                              out)

            skip = unittest.skipIf(library == "torch" and torch is None, "needs PyTorch")
            setattr(Programs, f"test_{program}_{library}", skip(test))


_add_tests()


class Plot(_Programs):
    def test_draws(self):
        with tempfile.TemporaryDirectory() as folder:
            out = self.run_program("plot.py", "numpy", folder)
            rows = pathlib.Path(folder, "rows.csv").read_text().splitlines()
            self.assertEqual(pathlib.Path(folder, "rows.png").exists(), matplotlib is not None)
        self.assertRegex(out, r"(?m)^rows:\n +columns +tilec \(GB/s\) +NumPy \(GB/s\)$")
        self.assertEqual(len(rows), 9)


@unittest.skipUnless(torch, "needs PyTorch")
class WithTorch(_Programs):
    def test_giou_training(self):
        self.assertIn("after 200 steps", self.run_program("giou_training.py", "torch"))


if __name__ == "__main__":
    unittest.main()
