"""The wheel of the build folder, unpacked elsewhere, compiles and runs a kernel."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = """
import ctypes, sys
from plain_kernels import store
import tilec
class Array:
    data = (ctypes.c_float * 4)()
    __array_interface__ = {"data": (ctypes.addressof(data), False), "shape": (4,), "typestr": "<f4"}
compiled = store[(1,)](Array(), 1.5)
print(list(Array.data), tilec.__file__, "ret" in compiled.asm["asm"])
"""


@unittest.skipUnless(os.environ.get("TILEC_BUILD"), "there is no build folder")
class Wheel(unittest.TestCase):
    def test_runs_where_it_is_unpacked(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, HERE.parent / "backend.py", folder], check=True,
                                  capture_output=True, text=True).stdout.split()[-1]
            with zipfile.ZipFile(made) as wheel:
                wheel.extractall(folder)
            environment = {"PYTHONPATH": f"{folder}:{HERE}", "TILEC_CACHE_DIR": f"{folder}/cache",
                           "PATH": os.environ["PATH"]}
            done = subprocess.run([sys.executable, "-S", "-c", PROGRAM], capture_output=True,
                                  text=True, env=environment, cwd=folder)
        self.assertEqual(done.stdout, f"[1.5, 1.5, 1.5, 1.5] {folder}/tilec/__init__.py True\n",
                         done.stderr)
        self.assertRegex(made, r"/tilec-[\d.]+-cp39-abi3-linux_\w+\.whl$")


if __name__ == "__main__":
    unittest.main()
