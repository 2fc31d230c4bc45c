"""pytest --tilec on a project whose tests know nothing of it."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

import tilec

try:
    import numpy
    import pytest
except ImportError:
    pytest = None

PACKAGE = str(pathlib.Path(tilec.__file__).parent.parent)

PROJECT = """
    import numpy as np
    import pytest
    import triton
    import triton.language as tl

    @triton.jit
    def copy(x, out, n, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at, mask=at < n, other=0))

    def test_copies(device):
        assert device == "cpu"
        x, out = np.arange(10.0, dtype=np.float32), np.empty(10, np.float32)
        copy[(1,)](x, out, 10, BLOCK=10)
        assert (x == out).all()

    def test_stores_behind_the_end():
        out = np.zeros(20, np.float32)
        copy[(1,)](out[:10].copy(), out[:10], 10, BLOCK=16)

    @pytest.mark.parametrize("device", ["cuda", "cpu", "cuda:0"])
    def test_parameter(device):
        assert device == "cpu"
"""


@unittest.skipUnless(pytest, "needs NumPy and pytest")
class Plugin(unittest.TestCase):
    def run_pytest(self, *options, conftest="", **environment):
        """Numbers by outcome, and what was printed."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("test_copy.py", PROJECT), ("conftest.py", conftest)):
                pathlib.Path(folder, name).write_text(textwrap.dedent(text))
            run = subprocess.run(
                [sys.executable, "-m", "pytest", "-p", "tilec.pytest_plugin", "-p",
                 "no:cacheprovider", *options], cwd=folder, capture_output=True, text=True,
                env={**os.environ, "PYTHONPATH": PACKAGE, "CUDA_VISIBLE_DEVICES": "",
                     **environment})
        outcomes = re.findall(r"(\d+) (passed|failed|error)", run.stdout.splitlines()[-1])
        return {name: int(n) for n, name in outcomes}, run.stdout + run.stderr

    def test_kernels_run_here(self):
        outcomes, text = self.run_pytest("--tilec")
        self.assertEqual(outcomes, {"passed": 5}, text)
        self.assertIn("`import triton` means tilec, kernels run on cpu\n", text)

    def test_checked(self):
        outcomes, text = self.run_pytest("--tilec-check")
        self.assertEqual(outcomes, {"passed": 4, "failed": 1}, text)
        self.assertRegex(text, r"AccessFault(.|\n)*test_copy.py:10")
        self.assertIn("accesses are checked", text)

    def test_another_device(self):
        outcomes, text = self.run_pytest("--tilec-device=interp")
        self.assertEqual(outcomes, {"passed": 5}, text)
        self.assertIn("kernels run on interp", text)

    def test_fixture_of_the_project(self):
        outcomes, text = self.run_pytest("--tilec", conftest="""
            import pytest, triton
            assert triton.__tilec_module__

            @pytest.fixture(scope="session")
            def device():
                return "cuda"
        """)
        self.assertEqual(outcomes, {"passed": 5}, text)

    def test_option_of_the_projects_conftest(self):
        outcomes, text = self.run_pytest("--tilec", "--device", "cpu", conftest="""
            import pytest

            def pytest_addoption(parser):
                parser.addoption("--device", action="store", default="cuda")

            @pytest.fixture
            def device(request):
                return request.config.getoption("--device")
        """)
        self.assertEqual(outcomes, {"passed": 5}, text)

    def test_off(self):
        outcomes, text = self.run_pytest("-k", "parameter", conftest="""
            import sys, types
            language = types.SimpleNamespace(constexpr=int)
            sys.modules["triton"] = types.SimpleNamespace(jit=lambda f: f, language=language)
            sys.modules["triton.language"] = language
        """)
        self.assertEqual(outcomes, {"passed": 1, "failed": 2}, text)


if __name__ == "__main__":
    unittest.main()
