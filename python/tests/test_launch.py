"""kernel[grid](arguments): arrays, numbers, grids, options, what a launch gives back."""

import collections
import dataclasses
import enum
import pathlib
import sys
import tempfile
import types
import unittest
from concurrent.futures import Future, ThreadPoolExecutor
import unittest.mock
import uuid
import warnings

import tilec
import tilec.language as tl
from helper_kernels import add, copy_matrix, store_number
from needs_numpy import np, setUpModule


def aligned(array):
    """The part of an array of four bytes an element that begins at a multiple of 64 bytes."""
    return array[-array.ctypes.data % 64 // 4:]


@tilec.jit
def store_constant(out, VALUE: tl.constexpr, SCALE: tl.constexpr = 2):
    tl.store(out, VALUE * SCALE)


@tilec.jit
def store_one(out):
    tl.store(out, 1)


@tilec.jit
def rest_of_square(x, out):
    a = tl.load(x)
    tl.store(out, a * a - (1 + 2.0**-11))


class OtherOptions(unittest.TestCase):
    def test_those_of_other_makers_are_accepted(self):
        out = np.zeros(1, np.int32)
        store_one[(1,)](out, waves_per_eu=2, matrix_instr_nonkdim=16, kpack=2,
                        enable_reflect_ftz=False, extern_libs=None)
        self.assertEqual(out[0], 1)
        with self.assertRaisesRegex(tilec.TritonError, "kpak"):
            store_one[(1,)](out, kpak=2)


@tilec.jit
def store_programs(out):
    here = (tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(0)
    tl.store(out + here + tl.program_id(0), 1)


@tilec.jit
def choose(out, other, NAME: tl.constexpr, DTYPE: tl.constexpr, SHAPE: tl.constexpr):
    if other is None:
        tl.store(out, 1)
    if NAME == "two":
        tl.store(out + 1, 2)
    tl.store(out + 2, tl.full((), 2.75, DTYPE).to(tl.float32))
    tl.store(out + 3, SHAPE[0] * 10 + SHAPE[1])


@tilec.jit
def needs_block(out, BLOCK: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK), 1)


@tilec.jit
def method(self, out):
    tl.store(out, 1)


@tilec.jit
def store_by_name(out, n, *, BLOCK: tl.constexpr = 2, VALUE=7):
    tl.store(out + tl.arange(0, BLOCK), n + VALUE)


@tilec.jit
def store_last(out, KEYS: tl.constexpr):
    tl.store(out, KEYS[2])


@tilec.jit
def store_record(out, C: tl.constexpr):
    tl.store(out + tl.arange(0, C.BLOCK), tl.full((), C.inner.WIDTH, C.inner.DTYPE))


@dataclasses.dataclass
class Config:
    BLOCK: int
    inner: object


class Mode(enum.Enum):
    SLOW = 0
    FAST = "fast"


class Level(enum.IntEnum):
    HIGH = 5


class Indexed(enum.Enum):
    """As those that extensions in C++ make: a member turns itself into a number."""
    HIGH = "high"

    def __index__(self):
        return 6


class Ratio(float, enum.Enum):
    HALF = 0.5


class Name(str, enum.Enum):
    TWO = "two"


@tilec.jit
def ignore(out, KEY: tl.constexpr, plain=0):
    tl.store(out, 7)


@tilec.jit
def by_mode(out, MODE: tl.constexpr):
    tl.store(out, 1 if MODE == Mode.FAST else 2)
    tl.store(out + 1, 1 if MODE.value == "fast" else 2)


class ByNameOnly(unittest.TestCase):
    """Parameters behind a `*`."""

    def test_given(self):
        out = np.zeros(4, np.int32)
        store_by_name[(1,)](out, 2)
        store_by_name[(1,)](out + 0, 2, BLOCK=4)
        self.assertEqual(out.tolist(), [9, 9, 0, 0])
        store_by_name[(1,)](out, 2, VALUE=1, BLOCK=4)
        self.assertEqual(out.tolist(), [3] * 4)

    def test_by_position(self):
        with self.assertRaisesRegex(TypeError, "takes 2 arguments by position, but 3 were given"):
            store_by_name[(1,)](np.zeros(4, np.int32), 2, 4)

    def test_defaults_are_those_of_the_def(self):
        value = tl.constexpr(4)

        @tilec.jit
        def helper(x, *, k=value):
            return x + k

        @tilec.jit
        def kernel(out):
            tl.store(out, helper(1))

        value = tl.constexpr(6)
        out = np.zeros(1, np.int32)
        kernel[(1,)](out)
        self.assertEqual(out[0], 5)


class Objects(unittest.TestCase):
    """Arguments for tl.constexpr parameters that are no constants."""

    class Same:
        def __init__(self, number):
            self.number = number

        def __hash__(self):
            return self.number

        def __eq__(self, other):
            return self.number == other.number

        def __repr__(self):
            return "same"

    def test_not_read(self):
        for key in (uuid.UUID(int=1), object(), Mode, np.float32, np.dtype("int32"), tl.exp, len,
                    lambda: 1, self.Same(1), frozenset({1}), 1j, b"bytes", tl.constexpr(object()),
                    self.Same(-1)):
            out = np.zeros(1, np.int32)
            ignore[(1,)](out, key)
            self.assertEqual(out[0], 7, key)
            ignore[(1,)](out, KEY=key)

    def test_specialised(self):
        out = np.zeros(1, np.int32)
        made = {id(ignore[(1,)](out, key)): key for key in (self.Same(1), self.Same(1),
                                                            self.Same(2), uuid.UUID(int=1),
                                                            uuid.UUID(int=2), "same")}
        self.assertEqual(len(made), 5)
        self.assertIn("store", ignore[(1,)](out, uuid.UUID(int=1)).asm["ttir"])

    def test_read(self):
        with self.assertRaisesRegex(tilec.errors.CompilationError,
                                    "`VALUE` is an object of the caller's"):
            store_constant[(1,)](np.zeros(1, np.int32), uuid.UUID(int=1))

    def test_refused(self):
        out = np.zeros(1, np.int32)
        for refused in ((out, {}), (out, set()), (out, 1, uuid.UUID(int=1))):
            with self.assertRaisesRegex(TypeError, "cannot be a"):
                ignore[(1,)](*refused)
        with self.assertRaisesRegex(TypeError, r"`KEY\[1\]` is a constant, which cannot be a tensor"):
            ignore[(1,)](out, (1, out))

    def test_in_a_tuple(self):
        out = np.zeros(4, np.int32)
        keys = ((0, uuid.UUID(int=1), 7), (0, uuid.UUID(int=2), 7), (0, self.Same(1), 8))
        made = {id(store_last[(1,)](out, key)) for key in keys}
        self.assertEqual(len(made), 3)
        self.assertEqual(out[0], 8)
        with self.assertRaisesRegex(tilec.errors.CompilationError,
                                    r"cannot convert an object, UUID\('0+-0000-0000-0000-0+1'\), .* to tensor"):
            store_last[(1,)](out, (0, 1, uuid.UUID(int=1)))


class Records(unittest.TestCase):
    """Objects whose attributes are constants, for tl.constexpr parameters."""

    def test_attributes(self):
        inner = types.SimpleNamespace(WIDTH=3, DTYPE=tl.float32, UNREAD=object())
        for record in (Config(4, inner), types.SimpleNamespace(BLOCK=4, inner=inner),
                       tl.constexpr(Config(4, inner)), (Config(4, inner), 5)[0]):
            out = np.zeros(8, np.float32)
            store_record[(1,)](out, record)
            self.assertEqual(out.tolist(), [3] * 4 + [0] * 4)

    def test_specialised_by_values(self):
        out = np.zeros(8, np.float32)
        config = Config(2, types.SimpleNamespace(WIDTH=1, DTYPE=tl.int32))
        store_record[(1,)](out, config)
        config.BLOCK = 3
        store_record[(1,)](out, config)
        self.assertEqual(out.tolist(), [1] * 3 + [0] * 5)

    def test_wrong(self):
        out = np.zeros(8, np.float32)
        with self.assertRaisesRegex(tilec.errors.CompilationError, "has no attribute `BLOCK`"):
            store_record[(1,)](out, types.SimpleNamespace(BLOK=4))
        with self.assertRaisesRegex(TypeError, "`value` cannot be a .*Config"):
            store_number[(1,)](out, Config(4, None))

    def test_failing(self):
        class Failing:
            def __repr__(self):
                raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            ignore[(1,)](np.zeros(1, np.int32), Failing())

    def test_enumerations(self):
        for mode, expected in ((Mode.FAST, 1), (Mode.SLOW, 2)):
            out = np.zeros(2, np.int32)
            by_mode[(1,)](out, mode)
            self.assertEqual(out.tolist(), [expected] * 2)
        for member, expected in ((Level.HIGH, 10), (Indexed.HIGH, 12), (Ratio.HALF, 1)):
            store_constant[(1,)](out, member)
            self.assertEqual(out[0], expected)
        chosen = np.zeros(4, np.float32)
        choose[(1,)](chosen, None, Name.TWO, tl.float32, (1, 2))
        self.assertEqual(chosen[1], 2)


class Specialised(unittest.TestCase):
    """What of an argument makes another specialisation."""

    @staticmethod
    def copied(out, x, n):
        tl.store(out, tl.load(x) + n)

    def kinds(self, values, **options):
        """How many specialisations arrays at several addresses and several numbers make."""
        kernel = tilec.jit(self.copied, **options)
        data = np.arange(96, dtype=np.int32)
        start = -data.ctypes.data // 4 % 16  # there it is aligned to 64 bytes
        made = set()
        for offset in (0, 1, 4):
            for n in values:
                out = np.zeros(1, np.int32)
                made.add(id(kernel[(1,)](out, data[start + offset:], n)))
                self.assertEqual(out[0], start + offset + n)
        return len(made)

    def test_alignment(self):
        self.assertGreaterEqual(self.kinds([3, 32, 1]), 9)
        self.assertEqual(self.kinds([3, 32], do_not_specialize=["out", "x", "n"]), 1)
        self.assertEqual(self.kinds([3, 32], do_not_specialize_on_alignment=["out", 1, "n"]), 1)
        self.assertEqual(self.kinds([3, 1], do_not_specialize_on_alignment=["out", 1, "n"]), 2)
        self.assertEqual(self.kinds([3, 1], do_not_specialize=["out", "x", "n"]), 1)

    def test_parameters(self):
        kernel = tilec.jit(self.copied, do_not_specialize_on_alignment=["x", 2])
        self.assertEqual([p.do_not_specialize_on_alignment for p in kernel.params],
                         [False, True, True])
        self.assertFalse(any(p.do_not_specialize for p in kernel.params))


class Arrays(unittest.TestCase):
    def test_sum(self):
        x = np.arange(1000, dtype=np.float32)
        y = np.ones_like(x)
        out = np.empty_like(x)
        add[(4,)](x, y, out, 1000, BLOCK=256)
        np.testing.assert_array_equal(out, x + 1)

    def test_dtypes(self):
        for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                     "float16", "float32", "float64"):
            x = np.arange(8).astype(name)
            out = np.empty_like(x)
            add[(1,)](x, x, out, 8, 8)
            np.testing.assert_array_equal(out, x + x, name)

    def test_bool(self):
        out = np.zeros(2, bool)
        store_number[(1,)](out, True)
        self.assertEqual(out.tolist(), [True, False])

    def test_strides(self):
        base = np.arange(48, dtype=np.float32).reshape(6, 8)
        for view in (base, base.T, base[::2], base[:, ::-1], base[::-1, 1:7:2]):
            out = np.empty(view.shape, np.float32)
            rows, columns = view.shape
            strides = [s // 4 for s in view.strides]
            copy_matrix[(rows,)](view, out, rows, columns, *strides, BLOCK=8)
            np.testing.assert_array_equal(out, view)

    def test_subclass_and_empty(self):
        class Mine(np.ndarray):
            pass

        x = np.arange(8, dtype=np.int32).view(Mine)
        out = np.zeros(8, np.int32)
        add[(1,)](x, x, out, 8, BLOCK=8)
        self.assertEqual(out.tolist(), list(range(0, 16, 2)))
        nothing = np.empty((0, 3), np.int32)
        add[(1,)](nothing, nothing, nothing, 0, BLOCK=8)

    def test_array_interface(self):
        class Interface:
            __array_interface__ = property(lambda self: self.array.__array_interface__)

            def __init__(self, array):
                self.array = array

        x = np.arange(16, dtype=np.int16)
        out = np.zeros(8, np.int16)
        add[(1,)](Interface(x[:8]), Interface(x[8:]), Interface(out), 8, BLOCK=8)
        self.assertEqual(out.tolist(), [8 + 2 * i for i in range(8)])
        copy_matrix[(1,)](Interface(x[::2]), out, 1, 8, 0, 2, BLOCK=8)
        self.assertEqual(out.tolist(), x[::2].tolist())

    def test_dlpack(self):
        class Exported:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

        x = np.arange(16, dtype=np.float64)[::2]
        out = np.zeros(8)
        copy_matrix[(1,)](Exported(x), Exported(out), 1, 8, 0, 2, BLOCK=8)
        self.assertEqual(out.tolist(), x.tolist())

    def test_attributes_of_a_tensor(self):
        class Device:
            type, index = "cpu", None

        class Tensor:
            device, dtype = Device(), "torch.float32"

            def __init__(self, array):
                self.array = array
                self.shape = array.shape

            def data_ptr(self):
                return self.array.ctypes.data

            def stride(self):
                return tuple(s // 4 for s in self.array.strides)

        x = np.arange(8, dtype=np.float32)
        out = np.zeros(8, np.float32)
        add[(1,)](Tensor(x), Tensor(x), Tensor(out), 8, BLOCK=8)
        self.assertEqual(out.tolist(), (2 * x).tolist())

    def test_gradients_that_get_lost(self):
        class Tensor:
            def __init__(self, array, requires_grad):
                self.array, self.requires_grad = array, requires_grad

            @property
            def __array_interface__(self):
                return self.array.__array_interface__

        def launch(kernel, recording, wanting=True):
            """The warnings of launches, with a library that would record them or not."""
            library = types.ModuleType("torch")
            library.is_grad_enabled = lambda: recording
            x = np.arange(8, dtype=np.float32)
            with unittest.mock.patch.dict(sys.modules, torch=library), \
                    warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                for _ in range(2):
                    kernel[(1,)](Tensor(x, False), Tensor(x, wanting), x.copy(), 8, BLOCK=8)
            return seen

        for warmed_up in (True, False):
            kernel = tilec.jit(add.fn)
            if warmed_up:
                self.assertEqual(launch(kernel, True, wanting=False) + launch(kernel, False), [])
            lost, = launch(kernel, True)
            self.assertIn("the tensor given for `y` requires a gradient", str(lost.message))
            self.assertEqual(lost.filename, __file__)

    def test_classes_of_numbers_are_no_dtypes(self):
        for given, meant in ((float, "tl.float32"), (int, "tl.int32"), (bool, "tl.int1")):
            with self.assertRaisesRegex(tilec.TritonError, rf"the class `{given.__name__}` of Python \(a dtype is {meant}\)"):
                choose[(1,)](np.zeros(4, np.float32), None, "two", given, (1, 2))

    def test_masked_arrays(self):
        x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
        for mask in (np.ma.nomask, np.zeros(4, bool)):
            add[(1,)](np.ma.masked_array(x, mask), x, out, 4, BLOCK=4)
            self.assertEqual(out.tolist(), [0, 2, 4, 6])
        for given in ((np.ma.masked_array(x, x > 2), x, out), (x, x, np.ma.masked_array(out, x > 2))):
            with self.assertRaisesRegex(ValueError, r"has masked elements, .*: x\.filled\(0\)"):
                add[(1,)](*given, 4, BLOCK=4)

    def test_allocators(self):
        tilec.set_allocator(lambda size, alignment, stream: None)
        tilec.set_allocator(None)
        with self.assertRaisesRegex(TypeError, "an allocator is a function, .*, not 3"):
            tilec.set_allocator(3)

    def test_what_is_no_array(self):
        out = np.zeros(1, np.float32)
        for wrong in (np.zeros(1, complex), np.zeros(1, ">f4"), np.zeros(1, object), object(), {}):
            with self.assertRaisesRegex(TypeError, "`value`|`out`"):
                store_number[(1,)](out, wrong)
        odd = np.zeros(2, [("a", "i1"), ("b", "<f4")])["b"]
        with self.assertRaisesRegex(ValueError, "strides of the array given for `out`"):
            store_number[(1,)](odd, 1.0)

    def test_read_only(self):
        class Interface:
            def __init__(self, array):
                self.array = array

            __array_interface__ = property(lambda self: self.array.__array_interface__)

        x, out = np.frombuffer(b"abcdefgh", np.uint8), np.zeros(8, np.uint8)
        for wrap in (lambda a: a, Interface):
            add[(1,)](wrap(x), wrap(np.broadcast_to(np.uint8(1), 8)), out, 1, BLOCK=8)
            self.assertEqual(out[0], ord("b"))
            with self.assertRaisesRegex(ValueError, "array given for `out` is read-only"):
                add[(1,)](out, out, wrap(x), 8, BLOCK=8)
        self.assertEqual(x.tobytes(), b"abcdefgh")

    def test_reinterpreted(self):
        bits = np.zeros(4, np.int8)
        store_number[(1,)](tilec.reinterpret(bits, tl.uint8), 255)
        self.assertEqual(bits.tolist(), [-1, 0, 0, 0])

    def test_pointer_and_dtype_alone(self):
        class Pointer:
            def __init__(self, array, dtype, first=0):
                self.array, self.dtype, self.first = array, dtype, first

            def data_ptr(self):
                return self.array.ctypes.data + self.first

        x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
        add[(1,)](Pointer(x, "float32", 16), x, Pointer(out, np.dtype(np.float32)), 4, BLOCK=4)
        self.assertEqual(out.tolist(), [4, 6, 8, 10, 0, 0, 0, 0])
        tuned = tilec.autotune([tilec.Config({"BLOCK": 4}), tilec.Config({"BLOCK": 8})], ["n"])(add)
        with warnings.catch_warnings(record=True):
            tuned[(1,)](Pointer(x, tl.float32), Pointer(x, tl.float32), Pointer(out, tl.float32), 4)
        self.assertEqual(out.tolist(), [0, 2, 4, 6, 0, 0, 0, 0])
        with self.assertRaisesRegex(TypeError, "no dtype that an argument can be"):
            add[(1,)](x, x, Pointer(out, "complex64"), 4, BLOCK=4)


class Values(unittest.TestCase):
    def stored(self, value, dtype):
        out = np.zeros(1, dtype)
        store_number[(1,)](out, value)
        return out[0].item()

    def test_numbers(self):
        for value in (0, 1, 16, -5, 2**31, 2**40, -2**63, np.int16(7), np.uint8(200)):
            self.assertEqual(self.stored(value, np.int64), value)
        self.assertEqual(self.stored(2**63 + 1, np.uint64), 2**63 + 1)
        for value in (0.5, -3.25, np.float32(1.5), np.float16(2)):
            self.assertEqual(self.stored(value, np.float64), value)
        self.assertEqual(self.stored(np.bool_(True), np.int32), 1)
        for value in (2**64, -2**63 - 1):
            with self.assertRaisesRegex(OverflowError, "`value` does not fit into 64 bits"):
                self.stored(value, np.int64)

    def test_constants(self):
        out = np.zeros(1, np.int32)
        store_constant[(1,)](out, 21)
        self.assertEqual(out[0], 42)
        store_constant[(1,)](out, tl.constexpr(5), SCALE=tl.constexpr(3))
        self.assertEqual(out[0], 15)

    def test_texts_dtypes_tuples_none(self):
        out = np.zeros(4, np.float32)
        choose[(1,)](out, None, "two", tl.int32, (3, 4))
        self.assertEqual(out.tolist(), [1, 2, 2, 34])
        choose[(1,)](out, out, NAME="zwei", DTYPE=tl.float16, SHAPE=(tl.constexpr(5), 6))
        self.assertEqual(out.tolist(), [1, 2, 2.75, 56])
        choose[(1,)](out, out, NAME="ü", DTYPE=tl.float16, SHAPE=[7, 8])
        self.assertEqual(out[3], 78)

    def test_wrong_calls(self):
        out = np.zeros(1, np.int32)
        for call, text in (
                (lambda: store_number[(1,)](out), "misses an argument for `value`"),
                (lambda: store_number[(1,)](out, vaule=1), "`value`; it has no parameter `vaule`, which"),
                (lambda: store_number[(1,)](out, num_warps=4), "misses an argument for `value`: it takes out, value, and was given out$"),
                (lambda: store_number[(2.5,)](out, 1), "are integers, not 2.5: triton.cdiv"),
                (lambda: store_number[2.5](out, 1), "are integers, not 2.5: triton.cdiv"),
                (lambda: store_number[(1,)](out, out.sum), r"cannot be the method `sum`.*\nhint: parentheses call it: x.sum\(\)"),
                (lambda: store_number[(1,)](out, slice(0, 4)), "cannot be a slice: .*\nhint: its bounds are numbers"),
                (lambda: store_number[(tilec.cdiv(7.5, 2),)](out, 1), "not 4.0: triton.cdiv.n, BLOCK. of integers"),
                (lambda: tilec.next_power_of_2(7.5), "takes an integer, not 7.5: n // 2 and int.n. are"),
                (lambda: tilec.next_power_of_2("a"), "takes an integer, not 'a'"),
                (lambda: tilec.grad(store_number, of="out", wrt="x"), "no parameter `x`, only out, value"),
                (lambda: store_number[(1,)](out, 1, 2), "takes 2 arguments, but 3 were given: out, value"),
                (lambda: store_number[1][2](out, 1), r"the kernel has its grid: .*, and for two axes kernel\[\(x, y\)\]"),
                (lambda: needs_block[(1,)](out), "`BLOCK`, which is compiled in: BLOCK=... by name"),
                (lambda: store_number[("4",)](out, 1), "are integers, not '4'$"),
                (lambda: store_number[None](out, 1), "are integers, not None$"),
                (lambda: store_number[(1,), 256](out, 1), "names the grid alone, kernel.*no threads"),
                (lambda: store_number[lambda: 1](out, 1), "gets the arguments by name: lambda meta"),
                (lambda: store_number[(1,)](b"x" * 9000, 1), r"cannot be a bytes: b'x{198}\.\.\.\nhint: numpy.frombuffer"),
                (lambda: store_number[(1,)](out.astype(complex), 1), "real and imaginary parts in turn"),
                (lambda: store_number[(1,)](out.astype(object), 1), r"\.astype\(numpy.float32\) makes numbers"),
                (lambda: store_number[(1,)](np.zeros(1, [("a", "f4")]), 1), r"a field of it, x\['name'\]"),
                (lambda: store_number[(1,)](out.astype(">i4"), 1), r"newbyteorder\('='\)"),
                (lambda: method[(1,)](out), "a kernel is no method, and `self` takes the first"),
                (lambda: tilec.jit(num_warps=4), "no option `num_warps`: options of a launch stand there"),
                (lambda: store_number[(1,)](out, out=out, value=1), "two values for the parameter `out`"),
                (lambda: store_number[(1,)](out, 1, vaule=2), "no parameter `vaule`")):
            with self.assertRaisesRegex(TypeError, text):
                call()
        with self.assertRaisesRegex(RuntimeError, "Cannot call @triton.jit"):
            store_number(out, 1)
        with self.assertRaisesRegex(tilec.TritonError, "compiles by itself"):
            tilec.compile(store_number)
        with self.assertRaisesRegex(AttributeError, "has no `sum`: a launch gives no result, which"):
            store_number[(1,)](out, 1).sum()
        given = store_number[(1,)](out, 1)
        for use in (lambda: given + 1, lambda: 2 * given, lambda: given < 0, lambda: -given, lambda: len(given),
                    lambda: list(given), lambda: float(given), lambda: np.asarray(given), lambda: np.allclose(given, out)):
            with self.assertRaisesRegex(TypeError, "`store_number` gives no result: .* the arrays that it stores to"):
                use()
        with self.assertRaisesRegex(TypeError, r"`out` cannot be a .*\nhint: a launch gives no result: give the array that"):
            store_number[(1,)](given, 1)
        with self.assertRaisesRegex(tilec.TritonError, "hint: did you mean `num_warps`?"):
            store_number[(1,)](out, 1, num_warp=4)
        with self.assertRaisesRegex(tilec.TritonError, r"\(fp32, fp32, fp32, fp32, \.\. 64 values\)"):
            store_number[(1,)]([0.5] * 64, 1)
        for wrong, meant in (("chek", "check"), ("devcie", "device"), ("num_warp", "num_warps")):
            with self.assertRaisesRegex(tilec.TritonError, f"no parameter `{wrong}`(?s:.*)hint: did you mean `{meant}`"):
                store_number[(1,)](out, 1, **{wrong: 1})
        with self.assertRaisesRegex(tilec.TritonError, "num_warps, num_stages, num_ctas and num_cpu_threads"):
            store_number[(1,)](out, 1, num_threads=4)
        with self.assertRaisesRegex(AttributeError, r"meta\['BLOCK'\] for meta.BLOCK"):
            store_number[lambda meta: meta.BLOCK](out, 1)
        with self.assertRaisesRegex(KeyError, "'BLOCK'\nhint: there are 'out', 'value'$"):
            store_number[lambda meta: meta["BLOCK"]](out, 1)

    def test_arrays_as_grids(self):
        out = np.zeros(1, np.int32)
        for grid in (np.array([1]), np.array([1, 1]), np.array(1), np.int64(1), [1]):
            store_number[grid](out, out[0] + 1)
        self.assertEqual(out[0], 5)


@tilec.jit
def apply(out, FUNCTION: tl.constexpr, value):
    tl.store(out, FUNCTION(value))


def multiplier(factor):
    factor = tl.constexpr(factor)

    @tilec.jit
    def times(x):
        return x * factor

    return times


@tilec.constexpr_function
def squared(n):
    return n * n


@tilec.jit
def use_tuples(out, pair, named, plain: tl.constexpr):
    tl.store(pair[0], pair[1])
    tl.store(out, named.scale * tl.load(named.array) + plain[0])


Named = collections.namedtuple("Named", "array scale")


@tilec.jit
def copy_tile(from_, to, row):
    to.store([0, 0], from_.load([row, 0]))


@tilec.jit
def apply_float(out, function: tl.constexpr, x):
    tl.store(out, function(x))


@tilec.jit
def asked(out, function: tl.constexpr):
    tl.store(out, function())


class Aggregates(unittest.TestCase):
    def test_functions(self):
        out = np.zeros(1, np.int32)
        two, five = multiplier(2), multiplier(5)
        for function, expected in ((two, 6), (five, 15), (two, 6),
                                   (tilec.heuristics({})(multiplier(7)), 21)):
            apply[(1,)](out, function, 3)
            self.assertEqual(out[0], expected)
        apply[(1,)](out, squared, tl.constexpr(4))
        self.assertEqual(out[0], 16)
        two.src = "def times(x):\n    return x * factor + 1\n"
        apply[(1,)](out, two, 3)
        self.assertEqual(out[0], 7)
        with self.assertRaisesRegex(tilec.errors.CompilationError, "unknown"):
            two.src = "def times(x):\n    return unknown\n"
            apply[(1,)](out, two, 3)

    def test_functions_of_the_language(self):
        out = np.zeros(1, np.float32)
        for function, expected in ((tl.exp2, 8), (tl.math.sqrt, np.sqrt(np.float32(3))),
                                   (tl.extra.libdevice.rint, 3), (tl.exp2, 8)):
            apply_float[(1,)](out, function, 3.0)
            self.assertEqual(out[0], np.float32(expected))
        out = np.zeros(1, np.int32)
        asked[(1,)](out, tl.extra.cuda.num_warps)
        self.assertEqual(out[0], 4)
        asked[(1,)](out, tl.extra.cuda.num_threads)
        self.assertEqual(out[0], 128)

    def test_functions_are_let_go(self):
        function = multiplier(3)
        apply[(1,)](np.zeros(1, np.int32), function, 3)
        before = sys.getrefcount(function)
        for _ in range(20):
            apply[(1,)](np.zeros(1, np.int32), function, 3)
        self.assertEqual(sys.getrefcount(function), before)

    def test_tuples(self):
        out, x = np.zeros(1, np.float32), np.full(1, 4, np.float32)
        use_tuples[(1,)](out, (x, 3.0), Named(x, 10), (5, "text"))
        self.assertEqual((x[0], out[0]), (3, 35))
        use_tuples[(1,)](out, (x, tl.constexpr(2)), Named(scale=2.5, array=x), plain=(1,))
        self.assertEqual((x[0], out[0]), (2, 6))

    def test_constexpr_for_any_parameter(self):
        out = np.zeros(1, np.int64)
        asm = store_number[(1,)](out, tl.constexpr(77)).asm["ttir"]
        self.assertEqual(out[0], 77)
        self.assertNotIn("%value", asm)

    def test_descriptors(self):
        from tilec.tools.tensor_descriptor import TensorDescriptor

        x = np.arange(24, dtype=np.float32).reshape(4, 6)
        out = np.zeros((2, 4), np.float32)
        to = TensorDescriptor.from_tensor(out, [2, 4])
        copy_tile[(1,)](TensorDescriptor.from_tensor(x, [2, 4]), to, 1)
        np.testing.assert_array_equal(out, x[1:3, :4])
        copy_tile[(1,)](TensorDescriptor.from_tensor(x, [2, 4], padding="nan"), to, 3)
        self.assertTrue(np.isnan(out[1]).all())
        with self.assertRaises(tilec.TritonError):
            copy_tile[(1,)](TensorDescriptor.from_tensor(x, [3, 4]), to, 3)


class Grids(unittest.TestCase):
    def programs(self, grid):
        out = np.zeros(64, np.int32)
        store_programs[grid](out)
        return int(out.sum())

    def test_forms(self):
        seen = []

        def grid(meta):
            seen.append(meta)
            return meta["SCALE"], np.int64(meta["VALUE"])

        for extents, count in (((3,), 3), (5, 5), ([2, 3], 6), ((2, 3, 4), 24), (np.int64(7), 7),
                               ((np.int32(2), tl.constexpr(3)), 6), (lambda meta: 4, 4),
                               (lambda meta: [2, 2], 4), ((0,), 0)):
            self.assertEqual(self.programs(extents), count, extents)
        out = np.zeros(1, np.int32)
        store_constant[grid](out, 3)
        self.assertEqual(seen, [{"out": out, "VALUE": 3, "SCALE": 2}])

    def warned(self, grid, *arguments):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            store_number[grid](*arguments)
        return [str(each.message) for each in seen]

    def test_grids_of_nothing(self):
        out = np.zeros(4, np.int32)
        told, = self.warned((4 // 8,), out, 3)
        self.assertIn("kernel `store_number`: the grid (0, 1, 1) has no programs", told)
        self.assertEqual(len(self.warned((2, 0), out, 3)), 1)
        self.assertEqual(self.warned((1,), out, 3), [])
        self.assertEqual(self.warned((0,), out, 0), [])  # n is 0
        self.assertEqual(self.warned((0,), out[:0], 3), [])

    def test_wrong_ones(self):
        for grid in ((), (1, 1, 1, 1), (-1,), (2**31,)):
            with self.assertRaises(ValueError):
                self.programs(grid)
        for grid in ((1.5,), None, ("a",)):
            with self.assertRaises(TypeError):
                self.programs(grid)
        for grid in (np.float32(2), (np.float64(2.5),), (None,)):
            with self.assertRaisesRegex(TypeError, "the extents of a grid are integers, not "):
                self.programs(grid)
        with self.assertRaises(ZeroDivisionError):
            self.programs(lambda meta: 1 // 0)


class Options(unittest.TestCase):
    def test_devices(self):
        x = np.arange(8, dtype=np.float32)
        for options in ({"device": "interp"}, {"device": "sim"}, {"device": None},
                        {"num_warps": 8, "num_stages": 2, "num_ctas": 1}, {"check": True}):
            out = np.zeros(8, np.float32)
            add[(1,)](x, x, out, 8, BLOCK=8, **options)
            self.assertEqual(out.tolist(), (2 * x).tolist(), options)
        with self.assertRaisesRegex(tilec.TritonError, "there is no device `gpu`"):
            add[(1,)](x, x, x, 8, BLOCK=8, device="gpu")
        with self.assertRaisesRegex(tilec.TritonError, "num_warps must be a power of 2"):
            add[(1,)](x, x, x, 8, BLOCK=8, num_warps=-3)

    def test_compiled_kernel(self):
        x = np.arange(8, dtype=np.float32)
        compiled = add[(1,)](x, x, x.copy(), 8, BLOCK=8)
        self.assertIs(add[(1,)](x, x, x.copy(), 8, BLOCK=8), compiled)
        self.assertIsNot(add[(1,)](x, x, x.copy(), 8, BLOCK=16), compiled)
        self.assertIn("kernel @add", compiled.asm["ttir"])
        self.assertIn("define", compiled.asm["llir"])
        self.assertIn("ret", compiled.asm["asm"])
        self.assertEqual(list(compiled.asm), ["source", "ttir", "ttgir", "llir", "asm"])
        with self.assertRaises(KeyError):
            compiled.asm["ptx"]
        self.assertEqual(compiled.metadata.name, "add")
        self.assertGreater(compiled.n_regs * compiled.metadata.shared, 0)
        self.assertEqual(compiled.n_spills, 0)

    def test_compiled_kernels_know_what_is_compiled_in(self):
        """Programs that keep them give what is variable, as for Triton up to 3.2, or all, as since."""
        x = np.arange(8, dtype=np.float32)
        compiled = add[(1,)](x, x, x.copy(), 8, BLOCK=8, num_warps=2)
        for rest, options in (((8,), {}), ((8, 8), {"num_warps": 2})):
            out = np.zeros(8, np.float32)
            again = compiled[(1,)](x, x, out, *rest, **options)  # another one where `out` is aligned otherwise
            self.assertEqual(again.specialization(), compiled.specialization())
            self.assertEqual(list(out), list(2 * x))
        out = np.zeros(8, np.float32)
        compiled[(1,)](x, x, out, n=3, BLOCK=4)
        self.assertEqual(list(out), [0, 2, 4, 0, 0, 0, 0, 0])
        with self.assertRaisesRegex(TypeError, "misses an argument for `n`"):
            compiled[(1,)](x, x, out)

    def test_enable_fp_fusion(self):
        a, out = np.array([1 + 2**-12], np.float32), np.ones(1, np.float32)
        told = []
        with tilec.knobs.runtime.scope():
            tilec.knobs.runtime.jit_cache_hook = lambda **about: told.append(about["compile"]["enable_fp_fusion"])
            for device in ("cpu", "interp", "sim"):
                for said, fuses in (({}, False), ({"enable_fp_fusion": True}, True), ({"enable_fp_fusion": None}, False),
                                    ({"enable_fp_fusion": False}, False)):
                    made = rest_of_square[(1,)](a, out, device=device, **said)
                    self.assertEqual((out[0], made.metadata.enable_fp_fusion), (2**-24 if fuses else 0, fuses))
        self.assertEqual(set(told), {False, True})

    def test_compiled_for_a_gpu(self):
        x = np.arange(8, dtype=np.float32)
        compiled = add[(1,)](x, x, x.copy(), 8, BLOCK=8, device="sim")
        self.assertIn(".entry", compiled.asm["ptx"])
        self.assertGreater(compiled.metadata.num_warps, 0)

    def test_warmup(self):
        out = np.zeros(1, np.int32)
        compiled = store_constant.warmup(out, 3, grid=(1,))
        self.assertEqual(out[0], 0)
        self.assertIn("kernel @store_constant", compiled.asm["ttir"])
        compiled = add.warmup(*[tilec.MockTensor(tl.float32)] * 3, 64, BLOCK=64, grid=(1,))
        self.assertIn("*fp32", compiled.asm["ttir"])

    def test_hooks_and_run(self):
        @tilec.jit
        def store(out, VALUE: tl.constexpr):
            tl.store(out, VALUE)

        out, seen = np.zeros(1, np.int32), []
        store.run(out, 5, grid=(1,))
        self.assertEqual(out[0], 5)
        store.add_pre_run_hook(lambda *args, **kwargs: seen.append((args, kwargs)))
        store[(1,)](out, VALUE=6)
        self.assertEqual((out[0], seen), (6, [((out,), {"VALUE": 6})]))

    def test_hooks_of_all_launches(self):
        @tilec.jit(launch_metadata=lambda grid, metadata, args: {"grid": grid, "n": args["n"]})
        def store(out, n):
            tl.store(out, n)

        out, seen = np.zeros(1, np.int32), []
        runtime = tilec.knobs.runtime
        with runtime.scope():
            self.addCleanup(tilec._core.slow, False)
            tilec._core.slow(True)
            runtime.launch_enter_hook = lambda about: seen.append(("enter", about.get(), out[0]))
            runtime.launch_exit_hook = lambda about: seen.append(("exit", about.get()["name"], out[0]))
            runtime.jit_post_compile_hook = lambda **told: seen.append(told["fn"].name)
            store[(1,)](out, 5)
        about = {"name": "store", "function": None, "stream": 0, "grid": (1,), "n": 5}
        self.assertEqual(seen, [store.__qualname__, ("enter", about, 0), ("exit", "store", 5)])
        store[(1,)](out, 7)
        self.assertEqual((out[0], len(seen)), (7, 3))

    def test_arch(self):
        x, knobs = np.arange(8, dtype=np.float32), tilec.knobs.runtime

        def target(**options):
            made = add[(1,)](x, x, out := np.zeros_like(x), 8, BLOCK=8, **options)
            self.assertEqual(out.tolist(), (2 * x).tolist())
            return next(line for line in made.asm["ptx"].splitlines() if ".target" in line).split()[1]

        self.assertEqual(target(device="sim", arch="sm80"), "sm_80")
        self.assertEqual(target(device="sim", arch="sm_90"), "sm_90")
        with knobs.scope():
            knobs.override_arch = "sm89"
            self.assertEqual(target(device="sim"), "sm_89")
            self.assertEqual(target(device="sim", arch="sm80"), "sm_80")
            add[(1,)](x, x, np.zeros_like(x), 8, BLOCK=8)  # it is about GPUs
        self.assertNotEqual(target(device="sim", arch=None), "sm_89")
        add[(1,)](x, x, np.zeros_like(x), 8, BLOCK=8, arch="x86-64-v3")
        with self.assertRaisesRegex(tilec.errors.TritonError, "sm_80"):
            add[(1,)](x, x, x, 8, BLOCK=8, arch="sm80")
        with self.assertRaises(TypeError):
            add[(1,)](x, x, x, 8, BLOCK=8, arch=80)

    def test_compiled_for_a_target(self):
        from tilec.backends.compiler import GPUTarget
        from tilec.compiler import ASTSource, compile

        source = ASTSource(add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": 64})
        for chip, name in ((80, "sm_80"), (90, "sm_90a"), (100, "sm_100")):
            self.assertIn(f"\n.target {name}\n",
                          compile(source, target=GPUTarget("cuda", chip, 32)).asm["ptx"])
        for target in (None, GPUTarget("cpu", 0, 32)):
            self.assertNotIn("ptx", compile(source, target=target).asm)
        for target, said in ((GPUTarget("cuda", 42, 32), "no code can be made for `sm_42`"),
                             (GPUTarget("hip", "gfx942", 64), "not for 'hip'")):
            with self.assertRaisesRegex(tilec.TritonError, said):
                compile(source, target=target)

    def test_compiled_for_multiples(self):
        from tilec.backends.compiler import GPUTarget
        from tilec.compiler import ASTSource, compile

        @tilec.jit
        def doubled(x, stride, BLOCK: tl.constexpr):
            at = x + tl.program_id(0) * stride + tl.arange(0, BLOCK)
            tl.store(at, tl.load(at) * 2)

        def ptx(attrs):
            source = ASTSource(doubled, {"x": "*fp32", "stride": "i32"}, {"BLOCK": 1024}, attrs)
            return compile(source, target=GPUTarget("cuda", 80, 32)).asm["ptx"]

        self.assertNotIn("ld.global.v4", ptx(None))
        self.assertNotIn("ld.global.v4", ptx({(1,): [["tt.divisibility", 1]]}))
        self.assertIn("ld.global.v4", ptx({(1,): [["tt.divisibility", 16]]}))

    def test_assembled(self):
        x = np.zeros(8, np.float32)
        asm = add[(1,)](x, x, x, 8, BLOCK=8, device="sim", arch="sm80").asm
        with tempfile.TemporaryDirectory() as folder:
            ptxas = pathlib.Path(folder, "ptxas")
            ptxas.write_text("#!/bin/sh\ncase $1 in --version) echo release 13.0;; "
                             "*) echo $1 > $3; cat $4 >> $3;; esac\n")
            ptxas.chmod(0o755)
            with unittest.mock.patch.dict("os.environ", TRITON_PTXAS_PATH=str(ptxas)):
                self.assertEqual(asm["cubin"], b"-arch=sm_80\n" + asm["ptx"].encode())
        self.assertNotIn("cubin", add[(1,)](x, x, x, 8, BLOCK=8).asm)

    def test_listener_of_compiles(self):
        @tilec.jit
        def store(out, n, WIDTH: tl.constexpr):
            tl.store(out + tl.arange(0, WIDTH), n + 0x5eed)

        told, out = [], np.zeros(4, np.int32)
        with tilec.knobs.compilation.scope():
            tilec.knobs.compilation.listener = lambda **news: told.append(news)
            store[(1,)](out, 7, WIDTH=4)
            store[(1,)](out, 7, WIDTH=4)
            store[(1,)](out, 7, WIDTH=2)
        store[(1,)](out, 7, WIDTH=1)
        self.assertEqual([news["src"].constants["WIDTH"] for news in told], [4, 2])
        for news in told:
            times = news["times"]
            self.assertEqual((times.total_lowering > 0, times.store_results > 0),
                             (not news["cache_hit"],) * 2)
            self.assertGreaterEqual(times.total, times.total_lowering + times.ir_initialization)
            self.assertGreater(times.ir_initialization, 0)
            self.assertEqual((news["metadata"]["name"], news["src"].signature["out"]), ("store", "*i32"))

    def test_override_of_stages(self):
        x = np.zeros(8, np.float32)
        add[(1,)](x, x, x, 8, BLOCK=8, ir_override=None)
        with self.assertRaisesRegex(ValueError, "`ir_override` puts a file in the place"):
            add[(1,)](x, x, x, 8, BLOCK=8, ir_override="add.ttgir")

    def test_profiler_of_torch(self):
        @tilec.jit
        def store(out, n):
            tl.store(out, n)

        class record_function:
            def __init__(self, name):
                self.name = name

            def __enter__(self):
                seen.append(("enter", self.name, out[0]))

            def __exit__(self, *_):
                seen.append(("exit", self.name, out[0]))

        out, seen = np.zeros(1, np.int32), []
        profiler = types.ModuleType("torch.autograd.profiler")
        profiler.record_function = record_function
        with unittest.mock.patch.dict(sys.modules, {"torch.autograd.profiler": profiler}):
            store[(1,)](out, 3)  # one that does not say whether it is at work
            profiler._is_profiler_enabled = False
            store[(1,)](out, 4)
            profiler._is_profiler_enabled = True
            store[(1,)](out, 5)
            store.warmup(out, 7, grid=(1,))  # nothing is launched
            with tilec.knobs.runtime.scope():
                tilec.knobs.runtime.launch_enter_hook = lambda _: seen.append("hook")
                store.run(out, 6, grid=(1,))
        store[(1,)](out, 8)
        self.assertEqual(seen, [("enter", "store", 4), ("exit", "store", 5), "hook",
                                ("enter", "store", 5), ("exit", "store", 6)])
        self.assertEqual(out[0], 8)

    def test_hooks_of_loading(self):
        @tilec.jit
        def store(out, VALUE: tl.constexpr):
            tl.store(out, VALUE)

        def told(module, function, name, metadata_group, hash):
            seen.append((name, hash))

        out, seen = np.zeros(1, np.int32), []
        hooks = (tilec.knobs.runtime.kernel_load_start_hook, tilec.knobs.runtime.kernel_load_end_hook)
        for hook in hooks:
            hook.add(told)
            self.addCleanup(hook.remove, told)
        made = [store[(1,)](out, VALUE=value) for value in (3, 3, 4)]
        self.assertEqual(seen, 2 * [("store", made[0].hash)] + 2 * [("store", made[2].hash)])

    def test_preload(self):
        @tilec.jit
        def store(out, n, pair, KIND: tl.constexpr):
            tl.store(out + pair[1], (n + pair[0]).to(KIND))

        told, out = [], aligned(np.zeros(80, np.int32))
        with tilec.knobs.runtime.scope():
            tilec.knobs.runtime.jit_cache_hook = lambda **about: told.append(about)
            made = store.warmup(out, 32, (2, tl.constexpr(3)), tl.int32, grid=(1,))
        about, = told
        self.assertEqual((about["fn"].name, about["compile"]["is_warmup"]), (store.__qualname__, True))
        self.assertIs(store.device_caches[0][0][about["key"]], made)
        self.assertEqual(about["compile"]["signature"]["n"], "i32")
        text = about["compile"]["specialization_data"]
        store.device_caches[0][0].clear()
        self.assertFalse(store.device_caches[0][0])
        again = store.preload(text)
        self.assertIsNot(again, made)
        self.assertEqual(again.hash, made.hash)
        self.assertEqual(len(store.device_caches[0][0]), 1)
        store[(1,)](out, 48, (2, tl.constexpr(3)), tl.int32)
        self.assertEqual(out[3], 50)
        with self.assertRaisesRegex(RuntimeError, "Specialization data is for"):
            store_number.preload(text)
        target = text[text.index('"backend": ') + 11:].split(",")[0]
        with self.assertRaisesRegex(RuntimeError, "Specialization data is for {'backend': 'other'"):
            store.preload(text.replace(target, '"other"'))

    def test_preload_for_a_function(self):
        @tilec.jit
        def seven():
            return 7

        @tilec.jit
        def nine():
            return 9

        @tilec.jit
        def store(out, f: tl.constexpr):
            tl.store(out, f())

        told, out = [], np.zeros(1, np.int32)
        with tilec.knobs.runtime.scope():
            tilec.knobs.runtime.jit_cache_hook = lambda **about: told.append(about["compile"]["specialization_data"])
            store[(1,)](out, seven)
            store[(1,)](out, nine)
        self.assertEqual(len(told), 2)
        store.device_caches[0][0].clear()
        store.preload(told[0])[(1,)](out, seven)
        self.assertEqual((out[0], len(store.device_caches[0][0])), (7, 1))
        seven.src = "def seven():\n    return 8\n"
        with self.assertRaisesRegex(RuntimeError, "is for another function than the `.*seven` that there is"):
            store.preload(told[0])

    def test_counted_in_tritons_terms(self):
        """Code for multiples of 4, 8 or 64 is no other code to hooks and caches; options are."""
        @tilec.jit
        def store(out, n, pair):
            tl.store(out, n + pair[0])

        @tilec.jit(do_not_specialize=["n"])
        def any_number(out, n):
            tl.store(out, n)

        told, out = [], aligned(np.zeros(64, np.int32))
        cache = store.device_caches[0][0]
        with tilec.knobs.runtime.scope():
            tilec.knobs.runtime.jit_cache_hook = lambda **about: told.append(about["compile"])
            for n in (1, 2, 4, 8, 16, 32, 3):
                store[(1,)](out, n, (2, 4))
                self.assertEqual(out[0], n + 2)
            self.assertEqual((len(told), len(cache)), (3, 3))
            store[(1,)](out[4:], 2, (3, 8))  # at a multiple of 16 bytes
            self.assertEqual(len(cache), 3)
            store[(1,)](out[1:], 2, (2, 4))
            store[(1,)](out, 2, (1, 4))
            store[(1,)](out, 2, (2, 4, 6))
            self.assertEqual((len(told), len(cache)), (6, 6))
            for n in (1, 2, 16):
                any_number[(1,)](out, n)
            self.assertEqual(len(any_number.device_caches[0][0]), 1)
            made = store[(1,)](out, 2, (2, 4), num_warps=8)
            self.assertIs(store[(1,)](out, 2, (2, 4), num_warps=8), made)
            self.assertEqual((made.metadata.num_warps, told[-1]["num_warps"], len(cache)), (8, 8, 7))
            self.assertEqual(store[(1,)](out, 2, (2, 4), num_warps=4).metadata.num_warps, 4)
            store[(1,)](out, 2, (2, 4), extern_libs={"libdevice": "libdevice.bc"})
            self.assertEqual((len(told), len(cache)), (9, 8))

    def test_warmup_by_dtypes_compiles_for_arrays(self):
        @tilec.jit
        def move(x, out, N: tl.constexpr):
            i = tl.arange(0, N)
            tl.store(out + i, tl.load(x + i))

        made = move.warmup(tilec.MockTensor(tl.float32), tilec.MockTensor(tl.float32), N=16, grid=(1,))
        memory = aligned(np.zeros(256, np.float32))
        self.assertIs(move[(1,)](memory[:16], memory[64:80], N=16), made)

    def test_compiling_elsewhere(self):
        @tilec.jit
        def store(out, VALUE: tl.constexpr):
            tl.store(out, VALUE)

        @tilec.jit
        def wrong(out):
            tl.store(out, missing)  # noqa: F821

        out, cache = np.zeros(1, np.int32), store.device_caches[0][0]
        with ThreadPoolExecutor(2) as pool:
            with tilec.AsyncCompileMode(pool):
                futures = [store.warmup(out, value, grid=(1,)) for value in (1, 2, 1)]
                self.assertIs(futures[0], futures[2])
                made = [future.result() for future in futures]
                self.assertEqual(len(cache), 0)
                self.assertIs(store[(1,)](out, 2), made[1])
                self.assertEqual((out[0], len(cache)), (2, 2))
                store.warmup(out, 3, grid=(1,))
            self.assertEqual(len(cache), 3)
            self.assertIs(store.warmup(out, 1, grid=(1,)), made[0])
            with self.assertRaisesRegex(tilec.CompilationError, "`missing` is not defined"):
                with tilec.AsyncCompileMode(pool):
                    wrong.warmup(out, grid=(1,))
            with tilec.AsyncCompileMode(pool, ignore_errors=True):
                wrong.warmup(out, grid=(1,))
        waiting = Future()  # of an executor that begins nothing
        with self.assertRaises(ZeroDivisionError):
            with tilec.AsyncCompileMode(types.SimpleNamespace(submit=lambda *_: waiting)):
                store.warmup(out, 4, grid=(1,))
                raise ZeroDivisionError
        self.assertTrue(waiting.cancelled())

    def test_names_of_compiled_kernels(self):
        def name(specialization):
            types = "_".join(specialization.signature.values()).replace("*", "p")
            return f"store_{types}_{specialization.constants}"

        @tilec.jit(repr=name)
        def store(out, n, one, VALUE: tl.constexpr, TYPE: tl.constexpr = tl.int8):
            tl.store(out, n + one + VALUE)

        out = np.zeros(1, np.int32)
        for n, kind in ((2**40, "i64"), (2**63, "u64"), (True, "i1"), (2.0, "fp32"), (7, "i32")):
            self.assertEqual(store[(1,)](out, n, 1, 3).name, f"store_pi32_{kind}_constexpr_constexpr_"
                             "constexpr_{'one': 1, 'VALUE': 3, 'TYPE': 'i8'}")
        self.assertEqual(store[(1,)](out, n, 1, 3).metadata.name[:9], "store_pi3")
        self.assertEqual(out[0], 11)

    def test_unspecialised(self):
        out = np.zeros(64, np.int32)
        made = [store_number[(1,)](out[i:], n, unspecialised=True) for i, n in ((0, 1), (1, 16), (4, 7))]
        self.assertIs(made[0], made[1])
        self.assertIs(made[0], made[2])
        self.assertEqual([out[0], out[1], out[4]], [1, 16, 7])
        self.assertNotIn("div 16", made[0].asm["ttir"])
        self.assertIsNot(store_number[(1,)](out, 1), store_number[(1,)](out, 16))

    def test_debug_is_compiled_in(self):
        out = np.zeros(1, np.int32)
        usual = store_number[(1,)](out, 6)
        self.assertIs(usual, store_number[(1,)](out, 6, debug=None))
        self.assertIsNot(usual, store_number[(1,)](out, 6, debug=True))

    def test_libraries_of_other_compilers(self):
        out = np.zeros(1, np.int32)
        store_number[(1,)](out, 6, extern_libs={"libdevice": "libdevice.10.bc"})
        self.assertEqual(out[0], 6)


@tilec.jit
def grow(x, n, BLOCK: tl.constexpr):
    v = tl.load(x + tl.arange(0, BLOCK))
    for i in range(n):
        v = v * 1.000001 + i
    tl.store(x + tl.arange(0, BLOCK), v)


class Profile(unittest.TestCase):
    def test_lines(self):
        for device in (None, "interp"):
            x = np.ones(64, np.float32)
            with tilec.profile(device) as p:
                with self.assertRaises(tilec.errors.DeviceError):
                    tilec.profile(device).__enter__()
                for _ in range(1000):
                    grow[(1,)](x, 20000 if device is None else 500, BLOCK=64, device=device or "cpu")
                    if device:
                        break
            loop = [line for line in p.lines if line.source == "v = v * 1.000001 + i"]
            self.assertEqual([line.file for line in loop], [__file__])
            # What launching takes depends on the machine; of the kernel's own lines the loop's lead.
            kernel = [line for line in p.lines if line.file]
            rounds = [line.share for line in kernel if 0 <= loop[0].line - line.line <= 1]
            self.assertGreater(sum(rounds), 0.5 * sum(line.share for line in kernel))
            self.assertAlmostEqual(sum(line.share for line in p.lines), 1)
            self.assertRegex(str(p), r"(?m)^test_launch.py:\d+ +\d+\.\d%  v = v \* 1\.000001 \+ i$")
        with tilec.profile() as nothing:
            pass
        self.assertEqual((nothing.lines, nothing.samples), ([], 0))


if __name__ == "__main__":
    unittest.main()
