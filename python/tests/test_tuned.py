"""One store of what tuning finds: the command, C and Python find what another of them has found."""

import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.environ.get("TILEC_BUILD", "")

try:
    import numpy
except ImportError:
    numpy = None

KERNEL = '''
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"BLOCK": 1}), triton.Config({"BLOCK": 4096}, num_warps=8),
                          triton.Config({"BLOCK": 4096})], key=["n"], cache_results=True)
@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)
'''

PROGRAM = '''
import sys
import tilec, tilec.knobs
tilec.install()
import numpy
sys.path.insert(0, sys.argv[1])
from kernel import add

said = []
tilec.knobs.autotuning.listener = lambda **news: said.append(news["cache_hit"])
n = int(sys.argv[2])
x, out = numpy.ones(n, numpy.float32), numpy.zeros(n, numpy.float32)
add[lambda meta: (-(-n // meta["BLOCK"]),)](x, x, out, n)
assert (out == 2).all()
print(add.best_config.kwargs, "known" if said[0] else "new", len(add.configs_timings))
'''


def output(*words, env):
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


@unittest.skipUnless(numpy and os.path.exists(os.path.join(BUILD, "tilec")) and
                     os.path.exists(os.path.join(BUILD, "examples", "tune")),
                     "needs NumPy, the command and the examples")
class Everywhere(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "kernel.py")
        for name, text in (("kernel.py", KERNEL), ("program.py", PROGRAM)):
            with open(os.path.join(self.folder, name), "w") as file:
                file.write(text)
        self.env = {**os.environ, "TILEC_CACHE_DIR": os.path.join(self.folder, "cache")}

    def command(self, n, *options):
        return output(os.path.join(BUILD, "tilec"), "run", self.path, "--grid", "cdiv(n,BLOCK)",
                      f"n={n}", "x=ones(fp32,n)", "y=ones(fp32,n)", "out=empty(fp32,n)", *options,
                      env=self.env)

    def command_tunes(self):
        self.assertIn("fastest: BLOCK=4096", self.command(65536, "--tune", "--time=3"))

    def command_knows(self, n=65536):
        return '"tuned": "BLOCK=4096' in self.command(n, "--json")

    def python(self, n=65536):
        return output(sys.executable, os.path.join(self.folder, "program.py"), self.folder, str(n),
                      env=self.env).splitlines()[-1]

    def c(self):
        """The example's arrays have 65536 elements."""
        return output(os.path.join(BUILD, "examples", "tune"), self.path,
                      env=self.env).splitlines()[-1]

    def kept(self):
        return sum(name.endswith(".tuned") for name in os.listdir(self.env["TILEC_CACHE_DIR"]))

    def test_by_the_command(self):
        self.assertFalse(self.command_knows())
        self.command_tunes()
        self.assertEqual(self.c(), "BLOCK=4096 is the fastest, as was known")
        self.assertEqual(self.python(), "{'BLOCK': 4096} known 2")
        self.assertEqual(self.kept(), 1)

    def test_by_c(self):
        self.assertEqual(self.c(), "BLOCK=4096 is the fastest")
        self.assertTrue(self.command_knows())
        self.assertEqual(self.python(), "{'BLOCK': 4096} known 2")
        self.assertEqual(self.kept(), 1)

    def test_by_python(self):
        self.assertEqual(self.python(), "{'BLOCK': 4096} new 2")
        self.assertEqual(self.python(), "{'BLOCK': 4096} known 2")
        self.assertTrue(self.command_knows())
        self.assertFalse(self.command_knows(65537))
        self.assertEqual(self.c(), "BLOCK=4096 is the fastest, as was known")
        self.assertEqual(self.kept(), 1)
        self.assertEqual(self.python(65537), "{'BLOCK': 4096} new 2")
        self.assertEqual(self.kept(), 2)

    def test_damage_and_another_text(self):
        self.python()
        cache = self.env["TILEC_CACHE_DIR"]
        for name in os.listdir(cache):
            if name.endswith(".tuned"):
                with open(os.path.join(cache, name), "w") as file:
                    file.write("tilec-tuned 2\n1e-9 1e-9")
        self.assertEqual(self.python(), "{'BLOCK': 4096} new 2")
        with open(self.path, "w") as file:
            file.write(KERNEL.replace("+ tl.load(y", "+ 1 * tl.load(y"))
        self.assertEqual(self.python(), "{'BLOCK': 4096} new 2")

    def test_a_cache_that_cannot_be_written_is_none(self):
        self.env["TILEC_CACHE_DIR"] = self.path
        for _ in range(2):
            self.assertEqual(self.python(), "{'BLOCK': 4096} new 2")


if __name__ == "__main__":
    unittest.main()
