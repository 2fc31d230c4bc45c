"""`import triton` means tilec: in this process, in programs, in what they start."""

import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

import tilec

PACKAGE = str(pathlib.Path(tilec.__file__).parent.parent)


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = pathlib.Path(self.folder.name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return str(path)

    def python(self, *arguments, fails=False, **environment):
        env = {**os.environ, "PYTHONPATH": PACKAGE, **environment}
        run = subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True,
                             cwd=self.folder.name)
        self.assertEqual(run.returncode != 0, fails, run.stderr)
        return run.stderr if fails else run.stdout.strip()

    def program(self, text, *arguments, **options):
        return self.python("-m", "tilec", self.write("program.py", text), *arguments, **options)

    def test_every_module_that_programs_import(self):
        names = """triton.language triton.language.core triton.language.math triton.language.random
            triton.language.standard triton.language.extra triton.language.extra.libdevice
            triton.language.extra.cuda triton.language.extra.cuda.libdevice
            triton.language.extra.hip.libdevice triton.language.target_info triton.runtime
            triton.runtime.jit triton.runtime.autotuner triton.runtime.driver triton.runtime.cache
            triton.runtime.errors triton.runtime.interpreter triton.compiler
            triton.compiler.compiler triton.compiler.errors triton.backends.compiler
            triton.backends.driver triton.testing triton.tools triton.errors triton.knobs
            triton.tools.tensor_descriptor triton.tools.disasm triton.language.semantic
            triton.compiler.code_generator triton.compiler.make_launcher triton.runtime.build
            triton.runtime._allocation triton.runtime._async_compile
            triton.backends.nvidia.compiler triton.backends.nvidia.driver""".split()
        for order in (names, names[::-1]):
            out = self.program("".join(f"import {n}\n" for n in order) + """
                import triton.language as tl, tilec
                assert tl is tilec.language and triton.runtime is tilec.runtime
                print(triton.runtime.driver.active.get_current_target().backend)
                print(callable(triton.jit), triton.cdiv(7, 2), tilec.language.__spec__.name)
            """.replace("\n                ", "\n"), TILEC_DEVICE="cpu")
            self.assertEqual(out.split(), ["cpu", "True", "4", "tilec.language"])

    def test_parts_of_tritons_compiler(self):
        out = self.program("""
            import triton
            from triton.compiler.code_generator import CodeGenerator, ast_to_ttir
            from triton.language.semantic import IncompatibleTypeErrorImpl
            from triton.runtime._allocation import NullAllocator
            from triton.runtime._async_compile import AsyncCompileMode

            class Mine(CodeGenerator):
                pass

            for use in (ast_to_ttir, Mine, lambda: NullAllocator()(1, 1, 0)):
                try:
                    use()
                except triton.TritonError as error:
                    print(error)
            with AsyncCompileMode():
                print(issubclass(IncompatibleTypeErrorImpl, triton.CompilationError))
        """).splitlines()
        self.assertRegex(out[0], r"^triton.compiler.code_generator.ast_to_ttir is .*kernel.warmup\(")
        self.assertRegex(out[1], "^triton.compiler.code_generator.CodeGenerator is ")
        self.assertRegex(out[2], "no workspace")
        self.assertEqual(out[3:], ["True"])

    def test_names_that_programs_import(self):
        self.program("""
            from triton import (Config, CompilationError, JITFunction, KernelInterface,
                MockTensor, OutOfResources, TensorWrapper, TritonError, InterpreterError, autotune,
                cdiv, compile, constexpr_function, heuristics, jit, language, must_use_result,
                next_power_of_2, reinterpret, runtime, set_allocator, testing, tools, __version__)
            from triton.runtime.jit import JITFunction as J, KernelInterface, mangle_type
            from triton.runtime.autotuner import Autotuner, Config, Heuristics, OutOfResources
            from triton.runtime.driver import driver
            from triton.compiler import ASTSource, CompiledKernel, CompilationError
            from triton.compiler.errors import CompileTimeAssertionFailure
            from triton.language.extra import libdevice
            from triton.language.extra.libdevice import tanh, rsqrt
            from triton.language.math import exp, fdiv
            from triton.testing import do_bench, perf_report, Benchmark, assert_close
            from triton.backends.compiler import GPUTarget
            assert J is JITFunction
        """.replace(", mangle_type", ""))

    def test_version_and_metadata(self):
        out = self.program("""
            import importlib.util, importlib.metadata
            before = importlib.util.find_spec("triton")
            import triton
            print(before.name, importlib.util.find_spec("triton") is not None, triton.__name__)
            print(importlib.metadata.version("triton") == triton.__version__)
            print(tuple(map(int, triton.__version__.split("."))) >= (3, 4))
        """)
        self.assertEqual(out.split(), ["triton", "True", "triton", "True", "True"])

    def test_version_that_programs_are_told(self):
        """Some refuse releases of Triton for faults that tilec has not."""
        out = self.program("""
            import importlib.metadata, subprocess, sys
            import triton
            print(triton.__version__, importlib.metadata.version("triton"))
            ask = [sys.executable, "-m", "tilec", "-c", "import triton; print(triton.__version__)"]
            print(subprocess.run(ask, check=True, text=True, stdout=subprocess.PIPE).stdout)
        """, TILEC_TRITON_VERSION="3.7.1")
        self.assertEqual(out.split(), ["3.7.1"] * 3)
        said = self.program("import triton", fails=True, TILEC_TRITON_VERSION="3.x")
        self.assertIn("TILEC_TRITON_VERSION is a release like 3.6.0, not '3.x'", said)

    def test_what_is_not_there(self):
        out = self.program("""
            import triton
            for text in ("import triton.nothing", "from triton import nothing",
                         "from triton.language import laod", "triton.nothing"):
                try:
                    exec(text)
                except (ImportError, AttributeError) as error:
                    print(type(error).__name__, str(error).splitlines()[0])
        """)
        self.assertRegex(out, "ModuleNotFoundError.*triton.nothing.*\nImportError.*nothing")

    def test_another_triton_does_not_matter(self):
        self.write("triton/__init__.py", "__version__ = 'another'")
        self.write("triton/language/__init__.py", "")
        self.assertEqual(self.program("import triton.language; print(triton.language.load.__name__)",
                                      PYTHONPATH=PACKAGE + os.pathsep + self.folder.name), "load")
        text = self.python("-c", "import triton, tilec; tilec.install()", fails=True)
        self.assertIn("another triton is loaded already", text)
        self.assertEqual(self.python("-c", "import tilec; tilec.install(); tilec.install()\n"
                                     "import triton; print(triton.__tilec_module__)"), "triton")

    def test_arguments_and_main(self):
        out = self.program("""
            import sys, helper
            print(sys.argv[1:], __name__, helper.X, __file__ == sys.argv[0])
            if __name__ == "__main__":
                sys.exit(3 if "fail" in sys.argv else 0)
        """.replace("helper", "sys").replace("sys.X", "1").replace("sys, sys", "sys"), "-x", "--y=1")
        self.assertEqual(out, "['-x', '--y=1'] __main__ 1 True")

    def test_files_beside_the_program(self):
        self.write("helper.py", "X = 5")
        self.assertEqual(self.program("import helper; print(helper.X)"), "5")

    def test_module_and_text(self):
        self.write("package/__main__.py", "import sys, triton; print(sys.argv[1:], triton.__name__)")
        self.assertEqual(self.python("-m", "tilec", "-m", "package", "a"), "['a'] triton")
        self.assertEqual(self.python("-m", "tilec", "-c", "import triton, sys; print(sys.argv)", "b"),
                         "['-c', 'b']")

    def test_kernel_in_a_text(self):
        self.assertEqual(self.python("-m", "tilec", "-c", textwrap.dedent("""
            import triton, triton.language as tl
            @triton.jit
            def kernel(n):
                tl.device_print("n", n)
            kernel[(1,)](7)""")), "(0, 0, 0) n: 7")

    def test_exit_status_and_traceback(self):
        text = self.program("def f():\n    raise KeyError('mine')\nf()", fails=True)
        self.assertIn("program.py\", line 2, in f", text)
        self.assertIn("KeyError: 'mine'", text)

    def test_usage(self):
        self.assertIn("program.py", self.python("-m", "tilec", fails=True))
        self.assertIn("tilec", self.python("-m", "tilec", "--version"))
        for words, said in ((("--device", "gpu", "x"), "tilec: there is no device `gpu`; there are cpu, "),
                            (("nosuch.py",), "tilec: cannot open nosuch.py: No such file or directory"),
                            (("-m", "nosuch"), "tilec: there is no module nosuch"),
                            (("-m", "nosuch.part"), "tilec: there is no module nosuch.part"),
                            (("--devise", "cpu", "x"), "tilec: there is no option `--devise`; did you mean `--device`?"),
                            (("-k", "x"), "tilec: there is no option `-k`: `python -m tilec --help` lists"),
                            (("--check=1", "x"), "tilec: --check takes no value"),
                            (("--device",), "tilec: --device takes a name: cpu, interp, sim, cuda"),
                            (("--device=", "x"), "tilec: --device takes a name"),
                            (("--device", "cpu", "--check"), "tilec: --device cpu --check needs a program behind it"),
                            (("-c",), "tilec: -c needs a text behind it"),
                            (("-m",), "tilec: -m needs the name of a module behind it"),
                            (("rnu", "x.py"), "tilec: there is neither a file nor a command `rnu`; did you mean `run`?"),
                            (("nosuch",), "tilec: there is neither a file nor a command `nosuch`: `python -m")):
            out = self.python("-m", "tilec", *words, fails=True)
            self.assertIn(said, out)
            self.assertNotIn("Traceback", out)
            self.assertNotIn("package ...", out)

    def test_device(self):
        out = self.python("-m", "tilec", "--device=interp", "-c",
                          "import tilec.device as d, os; print(d.selected, os.environ['TILEC_DEVICE'])")
        self.assertEqual(out, "interp interp")

    def test_children(self):
        self.write("sitecustomize.py", "import builtins; builtins.OF_THE_MACHINE = 7")
        out = self.program("""
            import subprocess, sys, multiprocessing
            def ask(n):
                import triton
                return triton.__tilec_module__ + str(n)
            if __name__ == "__main__":
                print(subprocess.check_output([sys.executable, "-c",
                    "import triton; print(triton.__tilec_module__, OF_THE_MACHINE)"]).decode().strip())
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    print(pool.map(ask, [1, 2]))
        """, PYTHONPATH=PACKAGE + os.pathsep + self.folder.name)
        self.assertEqual(out.splitlines(), ["triton 7", "['triton1', 'triton2']"])


class Import(unittest.TestCase):
    def test_loads_neither_numpy_nor_torch(self):
        code = ("import sys, tilec; print(sorted({'numpy', 'torch', 'subprocess'} "
                "& set(sys.modules)))")
        run = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": PACKAGE})
        self.assertEqual(run.stdout.strip(), "[]", run.stderr)


if __name__ == "__main__":
    unittest.main()
