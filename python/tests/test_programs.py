"""The programs of examples/python, each run as a user would, with NumPy and, where it is, PyTorch."""

import os
import pathlib
import re
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
    import dask.array
    import distributed
except ImportError:
    distributed = None
try:
    import torch
except ImportError:
    torch = None

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = SOURCE / "examples" / "python"
PACKAGE = str(pathlib.Path(tilec.__file__).parent.parent)


@unittest.skipUnless(numpy and PROGRAMS.exists(), "needs NumPy and the source tree")
class _Programs(unittest.TestCase):
    def run_program(self, name, arrays, *arguments, **variables):
        paths = [PACKAGE] + [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "EXAMPLES_ARRAYS": arrays,
               **variables}
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


class SeveralProcesses(_Programs):
    """Programs that start others, or are started by them, in a folder of the examples."""

    def run_command(self, *words):
        paths = [PACKAGE] + [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
        run = subprocess.run([sys.executable, *words], cwd=PROGRAMS, capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    @unittest.skipUnless(distributed, "needs dask and distributed")
    def test_dask_images(self):
        self.assertIn("on 2 workers: equal to the reference", self.run_command("dask_images.py"))

    @unittest.skipUnless(torch and torch.distributed.is_available(), "needs PyTorch with gloo")
    def test_distributed_training(self):
        out = self.run_command("-m", "torch.distributed.run", "--nproc-per-node", "2", "-m", "tilec",
                               "distributed_training.py")
        self.assertIn("2 ranks: each loss is that of one rank alone", out)


# What comes behind the last block of docs/from-pytorch.md: rows with gaps between them, columns,
# rows in another order, rows that are one, and weights with gaps.
VIEWS = '''
torch.manual_seed(0)
m, weights = torch.randn(64, 1000), torch.rand(2000)
for x in (m, m[:, :781], m[::2, 3:], m.T, m.T[:, 5:40], m[:, ::2], m[:1].expand(8, 1000)):
    w = weights[::2][:x.shape[1]]
    want = x.double() * torch.rsqrt((x.double() ** 2).mean(dim=1, keepdim=True) + 1e-5) * w
    torch.testing.assert_close(rms_norm(x, w, 1e-5).double(), want, rtol=1e-5, atol=1e-5)
print("all views")
'''


@unittest.skipUnless(torch, "needs PyTorch")
class FromPyTorch(_Programs):
    def test_any_strides(self):
        page = (SOURCE / "docs" / "from-pytorch.md").read_text()
        kernel = re.search(r"(?s)^```python rms_norm\.py\n(.*?)^```", page, re.M).group(1)
        program = re.findall(r"(?s)^```python\n(.*?)^```", page, re.M)[-1]
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "rms_norm.py").write_text(kernel)
            path = pathlib.Path(folder, "use.py")
            path.write_text(program + VIEWS)
            for check in ("1", "0"):
                self.assertIn("all views", self.run_program(path, "torch", TILEC_CHECK=check))


if __name__ == "__main__":
    unittest.main()
