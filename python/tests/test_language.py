"""triton.language as Python sees it: names, dtypes, constexpr, what calls on the host do."""

import ast
import inspect
import pathlib
import pickle
import re
import subprocess
import sys
import unittest

import tilec
import tilec.language as tl
from tilec.errors import OutsideKernelError, TritonError
from tilec.language import _names, types

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Names(unittest.TestCase):
    def test_table_is_the_compilers(self):
        script = ROOT / "tools" / "python_names.py"
        if not script.exists():
            self.skipTest("not in the source tree")
        run = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_version_is_the_headers(self):
        header = ROOT / "include" / "tilec.h"
        if not header.exists():
            self.skipTest("not in the source tree")
        parts = re.findall(r"#define TILEC_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read_text())
        self.assertEqual(tilec.__version__, ".".join(parts))

    def test_every_row_of_the_source_is_read(self):
        source = ROOT / "src" / "libdevice" / "libdevice.h"
        if not source.exists():
            self.skipTest("not in the source tree")
        self.assertEqual(source.read_text().count('LIBDEVICE( "'), len(_names.LIBDEVICE))
        text = (ROOT / "src" / "tl" / "builtins.h").read_text()
        others = ("IN_DESCRIPTOR", "IN_TARGET", "IN_STANDARD")
        elsewhere = sum(("IN_PYTHON" in line and "IN_TL" not in line) or
                        any(place in line for place in others) for line in text.splitlines() if line.startswith('BUILTIN("'))
        self.assertEqual(text.count('\nBUILTIN("'), len(_names.BUILTINS) + elsewhere)

    def test_every_name_is_there_and_says_what_it_is(self):
        for name, where, _ in _names.BUILTINS:
            if "tl" in where.split():
                self.assertEqual(getattr(tl, name).__tilec_builtin__, "triton.language." + name)
            if "math" in where.split():
                self.assertEqual(getattr(tl.math, name).__tilec_builtin__,
                                 "triton.language.math." + name)
        for name in _names.LIBDEVICE:
            self.assertEqual(getattr(tl.extra.libdevice, name).__tilec_builtin__,
                             "triton.language.extra.libdevice." + name)
            self.assertTrue(getattr(tl.math, name).__tilec_builtin__)
        self.assertEqual(tl.extra.cuda.smid.__tilec_builtin__, "triton.language.extra.cuda.smid")

    def test_modules_of_every_kind_of_device(self):
        import tilec.language.extra.cuda.libdevice as cuda
        import tilec.language.extra.hip.libdevice as hip

        self.assertIs(cuda, tl.extra.libdevice)
        self.assertIs(hip.pow, tl.extra.libdevice.pow)
        self.assertEqual(tl.extra.hip.__tilec_module__, "triton.language.extra.hip")

    def test_stubs_have_the_names(self):
        folder = pathlib.Path(tl.__file__).parent
        if not (folder / "core.pyi").exists():
            self.skipTest("the package has no stubs here")
        for module, path in ((tl.core, "core.pyi"), (tl.math, "math.pyi"),
                             (tl.extra.libdevice, "extra/libdevice.pyi")):
            written = {n.name for n in ast.parse((folder / path).read_text()).body
                       if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
            self.assertEqual({n for n in written if not hasattr(module, n)}, set())
            there = {n for n, v in vars(module).items()
                     if hasattr(v, "__tilec_builtin__") and not n.startswith("_")}
            self.assertEqual(there - written - {*tl.core._NOT_HERE, "base_type"}, set(), path)

    def test_signature(self):
        self.assertEqual(list(inspect.signature(tl.load).parameters)[:3],
                         ["pointer", "mask", "other"])
        permute = inspect.signature(tl.reshape).parameters
        self.assertEqual(permute["shape"].kind, inspect.Parameter.VAR_POSITIONAL)
        self.assertIs(permute["can_reorder"].default, False)

    def test_unknown_name_is_explained(self):
        with self.assertRaisesRegex(AttributeError, "no `laod`.*\n.*did you mean `load`"):
            tl.laod
        with self.assertRaisesRegex(AttributeError, "libdevice` has no `tanhh`"):
            tl.extra.libdevice.tanhh
        self.assertFalse(hasattr(tl, "ones"))

    def test_call_on_the_host(self):
        for function in (tl.load, tl.math.exp, tl.extra.libdevice.pow, tl.extra.cuda.smid):
            with self.assertRaisesRegex(OutsideKernelError, "inside of a kernel"):
                function(1)
        with self.assertRaises(ValueError):
            tl.tensor(1)
        self.assertTrue(issubclass(OutsideKernelError, TritonError))

    def test_what_works_on_the_host(self):
        self.assertEqual(tl.cdiv(10, 4), 3)
        self.assertEqual(tl.cdiv(tl.constexpr(10), 4), 3)
        self.assertEqual(tl.core._log2(tl.constexpr(64)), 6)
        self.assertEqual(tl.core.get_int_dtype(16, signed=False), tl.uint16)

    def test_pickle(self):
        for name in ("load", "float16", "constexpr"):
            made = pickle.loads(pickle.dumps(getattr(tl, name)))
            self.assertTrue(made is getattr(tl, name) or made == getattr(tl, name))
        self.assertIs(pickle.loads(pickle.dumps(tl.math.exp)), tl.math.exp)


class Dtypes(unittest.TestCase):
    def test_attributes(self):
        self.assertEqual(str(tl.float32), "fp32")
        self.assertEqual(repr(tl.bfloat16), "triton.language.bfloat16")
        self.assertEqual((tl.float16.fp_mantissa_width, tl.float8e4b8.exponent_bias), (10, 8))
        self.assertEqual((tl.int16.get_int_min_value(), tl.uint8.get_int_max_value()),
                         (-32768, 255))
        self.assertEqual((tl.int1.primitive_bitwidth, tl.int64.itemsize), (1, 8))
        self.assertTrue(tl.float8e5.is_fp8() and tl.float8e5.is_fp8e5() and tl.bfloat16.is_bf16())
        self.assertFalse(tl.int1.is_int_signed())
        self.assertEqual(tl.int1.kind(), tl.dtype.KIND.BOOLEAN)
        self.assertEqual([t.mangle() for t in (tl.int8, tl.uint32, tl.float16)],
                         ["i8", "u32", "fp16"])

    def test_equality_and_hash(self):
        self.assertEqual(tl.float32, tl.dtype("fp32"))
        self.assertTrue(tl.float32 == tl.constexpr(tl.float32))
        self.assertNotEqual(tl.int32, tl.uint32)
        self.assertEqual(len({tl.float32, tl.dtype("fp32"), tl.float16}), 2)

    def test_pointers_and_tiles(self):
        pointer = tl.pointer_type(tl.float16)
        self.assertEqual(str(pointer), "pointer<fp16>")
        self.assertTrue(pointer.is_ptr() and not pointer.is_const())
        self.assertNotEqual(pointer, tl.pointer_type(tl.float16, const=True))
        self.assertNotEqual(pointer, tl.float16)
        self.assertEqual(tl.block_type(tl.int32, [16, 8]).numel, 128)
        self.assertEqual(tl.block_type(tl.int32, [16]).scalar, tl.int32)
        with self.assertRaisesRegex(TypeError, "points to a dtype"):
            tl.pointer_type(4)
        with self.assertRaisesRegex(ValueError, "no element type `fp17`"):
            tl.dtype("fp17")

    def test_class_is_a_builtin_and_instances_are_not(self):
        self.assertEqual(tl.dtype.__tilec_builtin__, "triton.language.dtype")
        self.assertFalse(hasattr(tl.float32, "__tilec_builtin__"))
        self.assertFalse(hasattr(tl.constexpr(1), "__tilec_builtin__"))

    def test_dtype_of_what_others_call_it(self):
        for text, want in (("float16", tl.float16), ("torch.bfloat16", tl.bfloat16),
                           ("i32", tl.int32), ("fp8e5", tl.float8e5), ("u8", tl.uint8),
                           ("bool", tl.int1), ("float8_e4m3fn", tl.float8e4nv),
                           ("*fp32", tl.pointer_type(tl.float32))):
            self.assertEqual(types.dtype_of(text), want)


class Constexpr(unittest.TestCase):
    def test_arithmetic(self):
        three = tl.constexpr(3)
        for got, want in ((three + 4, 7), (4 - three, 1), (three * three, 9), (7 // three, 2),
                          (2**three, 8), (three / 2, 1.5), (7 % three, 1), (three << 2, 12),
                          (1 << three, 8), (three & 1, 1), (~three, -4), (-three, -3),
                          (three.logical_and(0), 0), (6 | tl.constexpr(1), 7)):
            self.assertIsInstance(got, tl.constexpr)
            self.assertEqual(got.value, want)

    def test_comparisons_are_constexprs(self):
        four = tl.constexpr(4)
        self.assertIsInstance(four == 4, tl.constexpr)
        self.assertTrue(four == 4 and four > 3 and 5 > four and not four != 4)
        self.assertIsInstance(tl.constexpr("a") == "b", tl.constexpr)

    def test_use_in_python(self):
        self.assertEqual(list(range(tl.constexpr(3))), [0, 1, 2])
        self.assertEqual([10, 20, 30][tl.constexpr(1)], 20)
        self.assertEqual(tl.constexpr(tl.constexpr(5)).value, 5)
        self.assertEqual(tl.constexpr((1, tl.constexpr(2))).value, (1, 2))
        self.assertEqual(tl.constexpr([4, 5])[tl.constexpr(1)], 5)
        self.assertEqual(tl.constexpr(max)(2, 3), 3)
        self.assertEqual(repr(tl.constexpr(3)), "constexpr[3]")
        self.assertEqual(len({tl.constexpr(1), tl.constexpr(1)}), 1)

    def test_constexpr_function(self):
        @tl.core.constexpr_function
        def double(x):
            """Twice x."""
            return tl.constexpr(2 * x)

        self.assertEqual(double(tl.constexpr(4)), 8)
        self.assertEqual(double(4).value, 8)  # in Python it gives what it returns
        self.assertTrue(double.__tilec_constexpr_function__)
        self.assertEqual((double.__name__, double.__doc__), ("double", "Twice x."))


if __name__ == "__main__":
    unittest.main()
