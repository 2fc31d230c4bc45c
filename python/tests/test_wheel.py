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
            os.chmod(f"{folder}/tilec/tilec-command", 0o755)  # as pip does
            environment = {"PYTHONPATH": f"{folder}:{HERE}", "TILEC_CACHE_DIR": f"{folder}/cache",
                           "PATH": os.environ["PATH"]}
            done = subprocess.run([sys.executable, "-S", "-c", PROGRAM], capture_output=True,
                                  text=True, env=environment, cwd=folder)
            script = next(pathlib.Path(folder).glob("tilec-*.data/scripts/tilec"))
            self.assertTrue(script.read_text().startswith("#!python\n"))
            kernel = str(HERE.parent.parent / "kernels" / "add.py")
            for command in [[script], ["-m", "tilec"]]:
                self.check_command([sys.executable, "-S", *command], kernel, environment, folder)
        self.assertEqual(done.stdout, f"[1.5, 1.5, 1.5, 1.5] {folder}/tilec/__init__.py True\n",
                         done.stderr)
        self.assertRegex(made, r"/tilec-[\d.]+-cp39-abi3-linux_\w+\.whl$")

    def test_build_folder_is_named_from_the_repository_on(self):
        with tempfile.TemporaryDirectory() as folder:
            given = os.path.relpath(os.environ["TILEC_BUILD"], HERE.parent.parent)
            done = subprocess.run([sys.executable, "-c", "import backend; print(backend.built())"],
                                  capture_output=True, text=True, cwd=folder,
                                  env={**os.environ, "TILEC_BUILD": given, "PYTHONPATH": str(HERE.parent)})
            self.assertEqual(os.path.realpath(done.stdout.strip()),
                             os.path.realpath(os.path.join(os.environ["TILEC_BUILD"], "python")),
                             done.stderr)

    def check_command(self, command, kernel, environment, folder):
        """The script and `python -m tilec` are the command of the wheel, with its code generator."""
        def run(*words):
            return subprocess.run([*command, *words], capture_output=True, text=True, cwd=folder,
                                  env=environment)

        self.assertIn("out: agrees with x+y", run("run", kernel, "--call", "add").stdout)
        self.assertIn("add_kernel", run("list", kernel).stdout)
        self.assertEqual(run("run", "missing.py").returncode, 3)
        if "-m" in command:  # a short word for `run --profile`
            self.assertIn("--profile measures", run("profile", kernel, "--device", "sim").stderr)


if __name__ == "__main__":
    unittest.main()
