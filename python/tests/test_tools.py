"""triton.tools: microscaling formats, descriptors of ragged arrays, linear layouts; extensions in C."""

import shutil
import tempfile
import unittest

import tilec
import tilec.language as tl
from needs_numpy import np, setUpModule
from tilec import knobs
from tilec.runtime.build import compile_module_from_src
from tilec.runtime.cache import FileCacheManager
from tilec.tools import LinearLayout
from tilec.tools.ragged_tma import (atomic_add_ragged, create_ragged_descriptor, load_ragged,
                                    store_ragged)

if np is not None:
    from tilec.tools.mxfp import MXFP4Tensor, MXScaleTensor

try:
    import torch
except ImportError:
    torch = None


def arrays():
    """Functions that make an array of float32 of a list, of each library that is here."""
    yield lambda values: np.array(values, np.float32)
    if torch is not None:
        yield lambda values: torch.tensor(values, dtype=torch.float32)


@tilec.jit
def copy_part(x, y, x_begin, y_begin, x_size, y_size, ADD: tl.constexpr):
    tile = load_ragged(x, x_begin, x_size, [0, 0])
    if ADD:
        atomic_add_ragged(y, y_begin, y_size, [0, 0], tile)
    else:
        store_ragged(y, y_begin, y_size, [0, 0], tile)


@tilec.jit
def copy_planes(x, y, begin, size):
    tile = load_ragged(x, begin, size, [0, 2, 0], ragged_dim=1)
    store_ragged(y, begin, size, [0, 2, 0], tile, ragged_dim=1)


class Microscaling(unittest.TestCase):
    def test_rounds_to_the_nearest_even(self):
        given = [0., -0., .25, .26, .75, 1.25, 1.75, 2.5, 3.5, 5., 7., -.3, float("nan"), -float("inf")]
        wanted = [0., -0., 0., .5, 1., 1., 2., 2., 4., 4., 6., -.5, 6., -6.]
        for array in arrays():
            got = MXFP4Tensor(array(given)).to("float32")
            self.assertEqual(got.tolist(), wanted)
            self.assertTrue(np.signbit(got.tolist()[1]))

    def test_every_code_there_and_back(self):
        for array in arrays():
            codes = MXFP4Tensor(array([0]))
            codes.data = MXScaleTensor(array([2.0**(i - 127) for i in range(16)])).data
            self.assertEqual(codes.data.tolist(), list(range(16)))
            self.assertEqual(MXFP4Tensor(codes.to(np.float32)).data.tolist(), list(range(16)))

    def test_pack(self):
        rng = np.random.default_rng(3)
        for shape, dim in (((4, 6), 0), ((4, 6), 1), ((3, 5), 1), ((7,), 0), ((2, 3, 4), 1)):
            for array in arrays():
                codes = MXFP4Tensor(array(rng.choice([0, .5, 1, 1.5, 2, 3, 4, 6, -1], shape).tolist()))
                packed = codes.to_packed_tensor(dim)
                self.assertEqual(packed.shape[dim], (shape[dim] + 1) // 2)
                self.assertEqual(codes.unpack_packed_tensor(packed, dim, shape).tolist(),
                                 codes.data.tolist())
        pair = MXFP4Tensor(np.array([1., -2.], np.float32))
        self.assertEqual(pair.to_packed_tensor(0).tolist(), [0b1100_0010])
        with self.assertRaises(AssertionError):
            pair.to_packed_tensor(1)

    def test_random(self):
        codes = MXFP4Tensor(size=(40, 50), device="cpu").random().data
        self.assertEqual(set(sum(codes.tolist(), [])), set(range(16)))
        scales = MXScaleTensor(size=1000, device="cpu").random(low=1 / 128, high=2.0)
        self.assertEqual((int(scales.data.min()), int(scales.data.max())), (120, 128))
        self.assertLess(int(MXScaleTensor(size=5000, device="cpu").random().data.max()), 255)

    def test_scales(self):
        for array in arrays():
            scales = MXScaleTensor(array([1, 3, .7, 2.0**-126, 3e38, 0, -1, float("nan"), float("inf")]))
            self.assertEqual(scales.data.tolist(), [127, 128, 126, 1, 254, 255, 255, 255, 255])
            got = scales.to("float32").tolist()
            self.assertEqual(got[:5], [1, 2, .5, 2.0**-126, 2.0**127])
            self.assertTrue(np.isnan(got[5:]).all())

    def test_refuses(self):
        with self.assertRaises(ValueError):
            MXFP4Tensor()
        with self.assertRaises(AssertionError):
            MXScaleTensor(data=[1.0])
        with self.assertRaises(AssertionError):
            MXFP4Tensor(np.zeros(3, np.float32)).to("float16")


class Ragged(unittest.TestCase):
    def test_touches_the_part_alone(self):
        for add in (False, True):
            x = np.arange(60 * 8, dtype=np.float32).reshape(60, 8)
            y = np.full((60, 8), -1.0, np.float32)
            copy_part[(1,)](create_ragged_descriptor(x, [16, 8]), create_ragged_descriptor(y, [16, 8]),
                            42, 21, 5, 9, add)
            wanted = np.full((60, 8), -1.0, np.float32)
            wanted[21:30] = -1 if add else 0
            wanted[21:26] += x[42:47] if add else 0
            wanted[21:26] = wanted[21:26] if add else x[42:47]
            np.testing.assert_array_equal(y, wanted)

    def test_another_dimension(self):
        x = np.arange(2 * 20 * 4, dtype=np.float32).reshape(2, 20, 4)
        y = np.zeros_like(x)
        copy_planes[(1,)](create_ragged_descriptor(x, [2, 8, 4], ragged_dim=1),
                          create_ragged_descriptor(y, [2, 8, 4], ragged_dim=-2), 5, 7)
        wanted = np.zeros_like(x)
        wanted[:, 7:12] = x[:, 7:12]
        np.testing.assert_array_equal(y, wanted)

    def test_refuses(self):
        for shape, block, dim in (((3,), [2], 0), ((3, 4), [2, 4], 1), ((2, 2, 2, 4), [2] * 3 + [4], 0)):
            with self.assertRaises(AssertionError):
                create_ragged_descriptor(np.zeros(shape, np.float32), block, dim)


class Layouts(unittest.TestCase):
    def test_swizzle(self):
        """Columns of a tile in shared memory go by the exclusive or with the row."""
        swizzle = LinearLayout.from_bases(
            [("offset", [[0, 1], [0, 2], [1, 1], [2, 2]])], ["row", "column"])
        for offset in range(16):
            row, column = offset // 4, offset % 4
            self.assertEqual(swizzle.apply({"offset": offset}), {"row": row, "column": column ^ row})
        back = swizzle.invert()
        self.assertEqual(back.apply({"row": 2, "column": 3}), {"offset": 9})
        self.assertEqual(swizzle.compose(back), LinearLayout.identity_1d(16, "offset", "offset"))
        self.assertEqual(swizzle.get_matrix_view(),
                         [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
        self.assertEqual(swizzle.bases, [("offset", [[0, 1], [0, 2], [1, 1], [2, 2]])])
        self.assertEqual(swizzle.out_dims, [("row", 4), ("column", 4)])

    def test_threads_and_registers(self):
        """Which element of memory a register reads: registers hold the low bits, threads the high ones."""
        held = LinearLayout.identity_1d(2, "register", "i") * LinearLayout.identity_1d(4, "thread", "i") \
            * LinearLayout.zeros_1d(2, "warp", "i")
        self.assertEqual(held.apply({"register": 1, "thread": 3, "warp": 1}), {"i": 7})
        self.assertTrue(held.is_surjective())
        self.assertFalse(held.is_injective())
        memory = LinearLayout.strided_1d(8, 2, "offset", "j") * LinearLayout.identity_1d(1, "offset", "j")
        self.assertFalse(memory.is_surjective())
        with self.assertRaisesRegex(ValueError, "not invertible"):
            held.invert()
        turned = LinearLayout.from_bases([("offset", [[4], [2], [1]])], ["i"])
        found = held.invert_and_compose(turned)
        for register in range(2):
            for thread in range(4):
                at = {"register": register, "thread": thread, "warp": 0}
                self.assertEqual(turned.apply(found.apply(at)), held.apply(at))
        self.assertEqual(held.pseudoinvert().apply({"i": 5}), {"register": 1, "thread": 2, "warp": 0})

    def test_refused(self):
        with self.assertRaisesRegex(ValueError, "no power of two"):
            LinearLayout.identity_1d(3, "a", "b")
        with self.assertRaisesRegex(ValueError, "does not reach all"):
            LinearLayout.from_bases([("a", [[2], [2]])], ["b"])
        with self.assertRaisesRegex(ValueError, "none of them"):
            LinearLayout.identity_1d(4, "a", "b").apply({"a": 4})


EXTENSION = """
#include <Python.h>
static PyObject *answer(PyObject *self, PyObject *none) { return PyLong_FromLong(ANSWER); }
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {0}};
static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "answers", NULL, -1, methods};
PyMODINIT_FUNC PyInit_answers(void) { return PyModule_Create(&def); }
"""


@unittest.skipUnless(any(map(shutil.which, ("cc", "gcc", "clang"))), "no C compiler")
class Extensions(unittest.TestCase):
    def test_built_once(self):
        with tempfile.TemporaryDirectory() as folder, knobs.cache.scope():
            knobs.cache.dir = folder
            made = compile_module_from_src(EXTENSION, "answers", ccflags=["-DANSWER=41"])
            again = compile_module_from_src(EXTENSION, "answers", ccflags=["-DANSWER=41"])
            other = compile_module_from_src(EXTENSION, "answers", ccflags=["-DANSWER=42"])
            self.assertEqual((made.answer(), again.answer(), other.answer()), (41, 41, 42))
            self.assertEqual(made.__file__, again.__file__)
            self.assertTrue(made.__file__.startswith(folder))

    def test_damaged_in_the_cache(self):
        class Damaged(FileCacheManager):
            def get_file(self, filename):
                return self.put("no library", filename)

        with tempfile.TemporaryDirectory() as folder, knobs.cache.scope():
            knobs.cache.dir, knobs.cache.manager_class = folder, Damaged
            made = compile_module_from_src(EXTENSION, "answers", ccflags=["-DANSWER=43"])
            self.assertEqual(made.answer(), 43)


if __name__ == "__main__":
    unittest.main()
