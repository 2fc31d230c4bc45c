"""Tensors of PyTorch as arguments, where PyTorch is installed."""

import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest
import warnings

import tilec
import tilec.language as tl
from helper_kernels import add, copy_matrix, small, store_number

try:
    import torch
except ImportError:
    torch = None


def attributes_only(tensor):
    """The tensor as PyTorch before 2.10 has it: without the C function of DLPack."""

    class Old:
        device, dtype, shape = tensor.device, tensor.dtype, tensor.shape

        def data_ptr(self):
            return tensor.data_ptr()

        def stride(self):
            return tensor.stride()

    return Old()


@unittest.skipIf(torch is None, "PyTorch is not installed")
class Tensors(unittest.TestCase):
    def test_dtypes(self):
        for name in ("int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32",
                     "float64"):
            for wrap in (lambda t: t, attributes_only):
                x = torch.arange(8).to(getattr(torch, name))
                out = torch.zeros_like(x)
                add[(1,)](wrap(x), wrap(x), wrap(out), 8, BLOCK=8)
                self.assertEqual(out.tolist(), (x + x).tolist(), name)

    def test_small_floats(self):
        for name in ("float8_e4m3fn", "float8_e5m2"):
            x = torch.arange(8, dtype=torch.float32).to(getattr(torch, name))
            out = torch.zeros(8)
            copy_matrix[(1,)](x, out, 1, 8, 0, 1, BLOCK=8)
            self.assertEqual(out.tolist(), x.to(torch.float32).tolist())

    def test_bool(self):
        flags = torch.tensor([True, False, True])
        out = torch.zeros(3, dtype=torch.int32)
        copy_matrix[(1,)](flags, out, 1, 3, 0, 1, BLOCK=4)
        self.assertEqual(out.tolist(), [1, 0, 1])

    def test_views(self):
        base = torch.arange(48, dtype=torch.float32).reshape(6, 8)
        for view in (base, base.T, base[1::2], base[:, 2:6], base.expand(6, 8), base[0].expand(3, 8)):
            for wrap in (lambda t: t, attributes_only):
                out = torch.zeros(view.shape)
                rows, columns = view.shape
                copy_matrix[(rows,)](wrap(view), out, rows, columns, *view.stride(), BLOCK=8)
                self.assertTrue(torch.equal(out, view))

    def test_parameters_and_gradients(self):
        weight = torch.nn.Parameter(torch.ones(8))
        out = torch.zeros(8)
        add[(1,)](weight, weight.detach(), out, 8, BLOCK=8)
        self.assertEqual(out.tolist(), [2] * 8)

    def test_no_elements_and_no_dimensions(self):
        empty, scalar = torch.empty(0), torch.zeros(())
        add[(0,)](empty, empty, empty, 0, BLOCK=8)
        add[(1,)](empty, empty, empty, 0, BLOCK=8)
        store_number[(1,)](scalar, 2.5)
        self.assertEqual(scalar.item(), 2.5)

    def test_check(self):
        base = torch.zeros(8)
        with self.assertRaises(tilec.AccessFault):
            add[(1,)](base[:5], base, torch.zeros(8), 8, BLOCK=8, check=True)

    def test_reinterpreted(self):
        bits = torch.zeros(4, dtype=torch.int8)
        store_number[(1,)](tilec.reinterpret(bits, tl.uint8), 255)
        store_number[(1,)](tilec.reinterpret(bits[1:], torch.uint8), 254)
        self.assertEqual(bits.tolist(), [-1, -2, 0, 0])

    def test_warmup_by_dtype(self):
        compiled = add.warmup(torch.float32, torch.float32, torch.float16, 64, BLOCK=64, grid=(1,))
        self.assertIn("*fp16", compiled.asm["ttir"])

    def test_where_kernels_cannot_read(self):
        for tensor in (torch.zeros(8, device="meta"), torch.zeros(8, dtype=torch.complex64),
                       torch.zeros(8).to_sparse()):
            with self.assertRaisesRegex((ValueError, TypeError), "`out`"):
                store_number[(1,)](tensor, 1)
        with warnings.catch_warnings():  # PyTorch's of its own quantized and sparse tensors
            warnings.simplefilter("ignore")
            quantized = torch.quantize_per_tensor(torch.ones(8), 1.0, 0, torch.quint8)
            compressed = torch.ones(2, 4).to_sparse_csr()
        for tensor, why in ((quantized, r"is quantized, .*: \.dequantize\(\)"), (compressed, r"is sparse, .*\.to_dense")):
            with self.assertRaisesRegex(ValueError, "`out` " + why):
                store_number[(1,)](tensor, 1)
        with self.assertRaisesRegex(ValueError, r'\.to\("cpu"\) brings elements here, of which "meta" has none'):
            store_number[(1,)](torch.zeros(8, device="meta"), 1)

    def test_references(self):
        import sys

        x = torch.zeros(8)
        add[(1,)](x, x, x, 8, BLOCK=8)
        before = sys.getrefcount(x)
        for _ in range(100):
            add[(1,)](x, x, x, 8, BLOCK=8)
        self.assertEqual(sys.getrefcount(x), before)

    @unittest.skipUnless(torch is not None and torch.cuda.is_available(), "there is no GPU")
    def test_gpu(self):
        x = torch.arange(1000, device="cuda", dtype=torch.float32)
        out = torch.zeros_like(x)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            add[(4,)](x, x, out, 1000, BLOCK=256)
        stream.synchronize()
        self.assertTrue(torch.equal(out, x + x))
        with self.assertRaisesRegex(ValueError, "is in the host's memory"):
            add[(4,)](x, x.cpu(), out, 1000, BLOCK=256)

    @unittest.skipUnless(torch is not None and torch.cuda.is_available(), "there is no GPU")
    def test_assertions_on_a_gpu_come_later(self):
        x = torch.zeros(1000, device="cuda")
        small[(4,)](x, 1000, BLOCK=256)
        tilec.synchronize()
        x[300] = 3
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            small[(4,)](x, 1000, BLOCK=256)
        for wait in (tilec.synchronize, lambda: small[(4,)](x, 1000, BLOCK=256)):
            graph.replay()
            torch.cuda.synchronize()
            with self.assertRaisesRegex(tilec.AssertionFault, r"(?s)too large.*program \(1, 0, 0\), at \[44\].*"
                                        "in an earlier launch of `small`, which was not waited for"):
                wait()
        tilec.synchronize()
        program = """
            import torch, tilec, tilec.language as tl

            @tilec.jit
            def small(x):
                tl.device_assert(tl.load(x) < 3, "too large")

            small[(1,)](torch.full((1,), 5., device="cuda"))
            print("goes on")
        """
        for blocking, output in (("0", "goes on\n"), ("1", "")):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "program.py")
                path.write_text(textwrap.dedent(program))
                ran = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False,
                                     env={**os.environ, "CUDA_LAUNCH_BLOCKING": blocking,
                                          "PYTHONPATH": os.path.dirname(os.path.dirname(tilec.__file__))})
            self.assertEqual((ran.returncode != 0, ran.stdout), (blocking == "1", output))
            self.assertIn("assertion failed: too large", ran.stderr)


if __name__ == "__main__":
    unittest.main()
