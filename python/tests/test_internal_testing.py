"""What Triton's own tests import: values, dtypes, questions about the device."""

import os
import unittest
from unittest import mock

import tilec
import tilec.language as tl
from tilec import _utils, knobs
from tilec.language.standard import _elementwise_max, _sum_combine

try:
    import torch
    from tilec import _internal_testing as testing
except ImportError:
    torch = None


def fail_loudly(text):
    os.write(2, text.encode())
    raise KeyError(text)


@tilec.jit
def prefix_kernel(x, out, n: tl.constexpr):
    at = tl.arange(0, n)
    values = tl.load(x + at)
    tl.store(out + at, tl.associative_scan(values, 0, _sum_combine))
    tl.store(out + n, tl.reduce(values, 0, _elementwise_max))


class Combine(unittest.TestCase):
    def test_functions_of_standard(self):
        try:
            import numpy as np
        except ImportError:
            self.skipTest("needs NumPy")
        x, out = np.arange(8, dtype=np.float32), np.zeros(9, np.float32)
        prefix_kernel[(1,)](x, out, 8)
        self.assertEqual(list(out), list(x.cumsum()) + [7])
        with self.assertRaises(AttributeError):
            tl.standard._no_such_thing


class Utils(unittest.TestCase):
    def test_names(self):
        self.assertEqual(_utils.canonicalize_dtype("torch.float16"), "fp16")
        self.assertEqual(_utils.type_canonicalisation_dict["int32"], "i32")
        self.assertEqual(_utils.get_primitive_bitwidth("bf16"), 16)
        self.assertEqual(_utils.validate_block_shape([3, 5]), 15)
        with self.assertRaisesRegex(ValueError, "from 1 on, not 0"):
            _utils.validate_block_shape([8, 0])
        with self.assertRaises(ValueError):
            _utils.validate_block_shape([1 << 20, 1 << 10])
        self.assertEqual(tl.str_to_ty("*ki8", None), tl.pointer_type(tl.int8, const=True))

    def test_compiling_without_a_launch(self):
        from tilec import _filecheck

        @_filecheck.filecheck_test
        @tilec.jit
        def checked(n: tl.constexpr = 2):
            tl.arange(0, n)

        _filecheck.run_parser(prefix_kernel, args=(tilec.MockTensor(tl.float32),) * 2, kwargs={"n": 8})
        with self.assertRaisesRegex(tilec.CompilationError, "arange"):
            _filecheck.run_parser(prefix_kernel, (tilec.MockTensor(tl.float32),) * 2, {"n": -1})
        with self.assertRaisesRegex(tilec.errors.TritonError, "are about MLIR"):
            checked()

    def test_mangle_type(self):
        from tilec.runtime.jit import mangle_type

        self.assertEqual([mangle_type(v) for v in (1, 2**40, 2**63, 0.5, True, None)],
                         ["i32", "i64", "u64", "fp32", "u1", "constexpr"])


@unittest.skipUnless(torch, "needs PyTorch")
class Helpers(unittest.TestCase):
    def test_values_make_the_way_there_and_back(self):
        for name in testing.dtypes_with_bfloat16:
            x = testing.numpy_random(50, name)
            t = testing.to_triton(x, "cpu", dst_type=name)
            self.assertTrue((testing.to_numpy(t) == x).all(), name)
            self.assertEqual(str(testing.str_to_triton_dtype(name)),
                             {"bfloat16": "bf16"}.get(name, name).replace("float", "fp"))
        self.assertTrue((testing.numpy_random(1000, "int8") != 0).all())
        self.assertEqual(testing.numpy_random((2, 3), "bool").dtype, bool)
        wrapped = testing.to_triton(testing.numpy_random(5, "float8e5"), "cpu", "float8e5")
        self.assertEqual(wrapped.dtype, tl.float8e5)
        self.assertIs(testing.unwrap_tensor(wrapped), wrapped.base)

    def test_names(self):
        self.assertEqual(testing.torch_dtype_name(torch.float16), "float16")
        self.assertEqual(testing.torch_dtype_name(tl.float16), "fp16")

    def test_questions(self):
        with tilec.use_device("cpu"):
            self.assertFalse(testing.is_cuda() or testing.is_hip() or testing.is_hopper())
            self.assertFalse(testing.is_hip_mi300() or testing.is_xpu())
            self.assertEqual(testing.get_arch(), "0")
            with self.assertRaises(AttributeError):
                testing.of_no_use
        with tilec.use_device("sim"):
            self.assertTrue(testing.is_cuda() and testing.is_ampere_or_newer())
        with mock.patch.dict(os.environ, TRITON_INTERPRET="1"):
            self.assertTrue(testing.is_interpreter() and not testing.is_cuda())

    def test_run_in_process(self):
        result = testing.run_in_process(fail_loudly, ("oh",))
        self.assertIsInstance(result.exc, KeyError)
        self.assertEqual(result.driver_stderr_output, "oh")
        self.assertIsNone(testing.run_in_process(os.getcwd).exc)

    def test_fresh_knobs(self):
        with mock.patch.dict(os.environ, TRITON_DEBUG="1"):
            fresh, reset = testing._fresh_knobs_impl()
            self.assertFalse(fresh().runtime.debug)
            knobs.runtime.debug = True
            reset()
            self.assertEqual((knobs.runtime.debug, os.environ["TRITON_DEBUG"]), (True, "1"))
            del knobs.runtime.debug

    def test_a_reinterpreted_tensor_gets_other_data(self):
        x = tilec.reinterpret(torch.zeros(4, dtype=torch.int16), tl.uint16)
        x.data = torch.arange(3, dtype=torch.int16)
        self.assertEqual((x.base.tolist(), x.shape), ([0, 1, 2], (3,)))


class Knobs(unittest.TestCase):
    def test_refresh(self):
        knobs.runtime.debug = True
        with mock.patch.dict(os.environ, TRITON_DEBUG="0"):
            knobs.refresh_knobs()
            self.assertFalse(knobs.runtime.debug)


if __name__ == "__main__":
    unittest.main()
