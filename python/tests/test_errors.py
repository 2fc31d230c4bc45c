"""What goes wrong, and what kernels say: exceptions with the command's texts, Python's stdout."""

import contextlib
import io
import os
import unittest
from unittest import mock

import tilec
import tilec.language as tl
from needs_numpy import np, setUpModule
from tilec import errors


@tilec.jit
def asserting(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.device_assert(value < n, "too large")
    tl.store(x + i, value + 1)


@tilec.jit
def computing(x, y, out, OP: tl.constexpr):
    a, b = tl.load(x), tl.load(y)
    if OP == "+":
        tl.store(out, a + b)
    elif OP == "-":
        tl.store(out, a - b)
    elif OP == "*":
        tl.store(out, a * b)
    else:
        tl.store(out, tl.sum(tl.load(x + tl.arange(0, 2)), dtype=x.dtype.element_ty))


@tilec.jit
def following(addresses, out):
    row = tl.load(addresses + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, 4)
    v = tl.load(row + i)
    tl.store(out + tl.program_id(0) * 4 + i, v)
    tl.store(row + i, v + 1)


@tilec.jit
def racing(x, out, BLOCK: tl.constexpr):
    s = tl.sum(tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)))
    tl.store(out, tl.load(out) + s)


@tilec.jit
def reaching(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i) + 1)


@tilec.jit
def executing(x, CODE: tl.constexpr):
    """Four warps, each lane of which executes PTX."""
    i = tl.arange(0, 128)
    v = tl.inline_asm_elementwise(CODE, "=r,r", [tl.load(x + i)], dtype=tl.int32, is_pure=False,
                                  pack=1)
    tl.store(x + i, v)


@tilec.jit
def printing(x, BLOCK: tl.constexpr):
    tl.static_print("compiled for", BLOCK)
    tl.device_print("val\x1b[31mue", tl.load(x))


@tilec.jit
def refusing(x, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK % 2 == 0, "BLOCK must be even")


@tilec.jit
def with_a_construct(x):
    with x:
        pass


@tilec.jit
def wide(x, OUT: tl.constexpr):
    i = tl.arange(0, 256)
    tl.store(x + i, tl.sum(tl.dot(tl.zeros((256, 256), tl.float32),
                                  tl.zeros((256, OUT), tl.float32)), axis=1))


class Faults(unittest.TestCase):
    def test_debug_says_whether_assertions_are_looked_at(self):
        def fails(**said):
            try:
                kernel[(1,)](np.full(4, 9, np.float32), 5.0, BLOCK=4, **said)
            except RuntimeError as error:
                self.assertIn("device-side assert", str(error))
                return True
            return False

        self.addCleanup(tilec.knobs.refresh_knobs)
        found = {}
        for variable in (None, "0", "1"):
            with mock.patch.dict(os.environ, {"TRITON_DEBUG": variable or ""}):
                tilec.knobs.refresh_knobs()
                for flag in (None, False, True):
                    kernel = tilec.jit(asserting.fn, debug=flag)
                    found[variable, flag] = [fails(), fails(debug=False), fails(debug=True)]
        off, on = [False, False, True], [True, False, True]
        self.assertEqual(found, {(None, None): on, (None, False): off, (None, True): on,
                                 ("0", None): off, ("0", False): off, ("0", True): on,
                                 **{("1", flag): [True] * 3 for flag in (None, False, True)}})

    def test_debug_finds_overflow(self):
        cases = [(np.int32, 2**31 - 1, 1, "+"), (np.int16, -2**15, -1, "+"), (np.uint8, 200, 100, "+"),
                 (np.int32, -2**31, 1, "-"), (np.uint32, 1, 2, "-"), (np.int8, -128, -1, "*"),
                 (np.uint32, 2**16, 2**16, "*")]
        for kind, a, b, op in cases:
            x, y, out = (np.array([v], kind) for v in (a, b, 0))
            with np.errstate(over="ignore"):
                wrapped = {"+": x + y, "-": x - y, "*": x * y}[op]
            computing[(1,)](x, y, out, OP=op)
            self.assertEqual(out, wrapped)
            for said in ({"debug": True}, {"sanitize_overflow": True}):
                with self.assertRaisesRegex(errors.AssertionFault, f"{x.dtype} overflow detected"):
                    computing[(1,)](x, y, out, OP=op, **said)
            computing[(1,)](x, y, out, OP=op, debug=True, sanitize_overflow=False)
            computing[(1,)](x * 0, x * 0, out, OP=op, debug=True)
        x = np.array([2**31 - 1, 1], np.int32)
        computing[(1,)](x, x, out.astype(np.int32), OP="sum", debug=True)  # Triton looks into no reduction
        x, out = np.array([2**63 - 1]), np.zeros(1, np.int64)
        computing[(1,)](x, x, out, OP="+", debug=True)  # nor at 64 bits
        self.assertEqual(out[0], -2)

    def test_assertion(self):
        x = np.arange(8, dtype=np.float32)
        with self.assertRaises(AssertionError) as caught:
            asserting[(1,)](x, 5.0, BLOCK=8)
        self.assertIsInstance(caught.exception, errors.AssertionFault)
        line = asserting.starting_line_number + 4
        self.assertIn(f"{__file__}:{line}:5: error:", str(caught.exception))
        self.assertIn("too large", str(caught.exception))
        self.assertIn("program (0, 0, 0)", str(caught.exception))
        asserting[(1,)](x[:4], 5.0, BLOCK=4)
        self.assertEqual(x[:4].tolist(), [1, 2, 3, 4])

    def test_access(self):
        for device in ("cpu", "interp", "sim"):
            x = np.zeros(12, np.float32)
            with self.assertRaises(IndexError) as caught:
                reaching[(1,)](x[:5], BLOCK=8, check=True, device=device)
            self.assertIsInstance(caught.exception, errors.AccessFault)
            self.assertIn(f"{__file__}:{reaching.starting_line_number + 3}:", str(caught.exception))
            self.assertIn("load of x[5] is outside of its 5 elements", str(caught.exception))
            self.assertEqual(x[5:].tolist(), [0] * 7)

    def test_access_on_sim(self):
        """The simulator finds it without `check`, in the words of a check."""
        x = np.zeros(12, np.float32)
        with self.assertRaises(IndexError) as caught:
            reaching[(1,)](x[:5], BLOCK=8, device="sim")
        self.assertIsInstance(caught.exception, errors.AccessFault)
        self.assertIn(f"{__file__}:{reaching.starting_line_number + 3}:", str(caught.exception))
        self.assertIn("load of x[5] is outside of its 5 elements", str(caught.exception))

    def test_loaded_addresses_on_sim(self):
        """They may lead to any memory of the process, and nowhere else."""
        table = [np.full(4, i, np.float32) for i in range(3)]
        addresses = np.array([x.ctypes.data for x in table], np.uint64)
        out = np.zeros(12, np.float32)
        following[(3,)](addresses, out, device="sim")
        self.assertEqual(out.tolist(), [0] * 4 + [1] * 4 + [2] * 4)
        self.assertEqual([x.tolist() for x in table], [[i + 1.0] * 4 for i in range(3)])
        for wrong in (64, 1 << 60):
            addresses[1] = wrong
            with self.assertRaisesRegex(errors.AccessFault, "where the process has no memory"):
                following[(3,)](addresses, out, device="sim")

    def test_interp_always_checks(self):
        x = np.zeros(12, np.float32)
        with self.assertRaisesRegex(errors.AccessFault, r"load of x\[5\] is outside"):
            reaching[(1,)](x[:5], BLOCK=8, device="interp")
        self.assertEqual(x[5:].tolist(), [0] * 7)

    def test_race(self):
        """A forgotten atomic_add: an error where a launch is asked to check, and not else."""
        err = io.StringIO()
        for device in ("sim", "interp"):
            x, out = np.ones(12, np.float32), np.zeros(1, np.float32)
            with self.assertRaises(errors.RaceFault) as caught, contextlib.redirect_stderr(err):
                racing[(3,)](x, out, BLOCK=4, check=True, device=device)
            self.assertIn("change the same elements by a load and a store", err.getvalue())
            line = racing.starting_line_number + 3
            self.assertIn(f"{__file__}:{line}:", str(caught.exception))
            self.assertIn("race: load of out[0], which program (0, 0, 0) changes",
                          str(caught.exception))
            racing[(1,)](x, out, BLOCK=4, check=True, device=device)
            with contextlib.redirect_stderr(err):
                racing[(3,)](x, out, BLOCK=4, device=device)

    def test_faults_of_the_simulator(self):
        """Each is what it is, none of them a mistake that the compiler has found."""
        share = "{ .shared .b32 word; st.shared.b32 [word], $1; mov.b32 $0, $1; }"
        for code, fault, text in (("bar.sync 5, 160; mov.b32 $0, $1;", errors.SyncFault, "barrier 5"),
                                  (share, errors.RaceFault, "of shared memory"),
                                  ("trap; mov.b32 $0, $1;", errors.TritonError, "with trap")):
            x = np.arange(128, dtype=np.int32)
            with self.assertRaisesRegex(errors.TritonError, text) as caught:
                executing[(1,)](x, CODE=code, device="sim", num_warps=4)
            self.assertIs(type(caught.exception), fault)
            self.assertNotIsInstance(caught.exception, errors.CompilationError)

    def test_check_sees_strides(self):
        x = np.zeros((4, 6), np.float32)
        reaching[(1,)](x[0, :4], BLOCK=4, check=True)
        with self.assertRaises(errors.AccessFault):
            reaching[(1,)](x[:, 0], BLOCK=4, check=True)


class Compiling(unittest.TestCase):
    def test_classes(self):
        x = np.zeros(8, np.float32)
        with self.assertRaisesRegex(errors.CompileTimeAssertionFailure, "BLOCK must be even"):
            refusing[(1,)](x, BLOCK=3)
        with self.assertRaises(errors.UnsupportedLanguageConstruct):
            with_a_construct[(1,)](x)
        with self.assertRaisesRegex(errors.CompilationError, "is a constexpr; it cannot be a tensor"):
            refusing[(1,)](x, BLOCK=x)
        with self.assertRaisesRegex(errors.CompilationError, "`x` is a run-time parameter"):
            reaching[(1,)]("text", BLOCK=4)
        for error in (errors.CompileTimeAssertionFailure, errors.UnsupportedLanguageConstruct):
            self.assertTrue(issubclass(error, errors.CompilationError))

    def test_cause_is_the_reason(self):
        @tilec.jit
        def kernel(x):
            tl.store(x, tl.expand_dims(tl.arange(0, 4), -3))

        with self.assertRaises(errors.CompilationError) as caught:
            kernel[(1,)](np.zeros(4, np.float32))
        cause = caught.exception.__cause__
        self.assertIsInstance(cause, ValueError)
        self.assertEqual(str(cause), "invalid axis -3. Expected -2 <= axis < 2")
        self.assertIn(f"error: {cause}\n", str(caught.exception))
        with self.assertRaises(errors.CompileTimeAssertionFailure) as caught:
            refusing[(1,)](np.zeros(8, np.float32), BLOCK=3)
        self.assertIsNone(caught.exception.__cause__)

    def test_options(self):
        with self.assertRaisesRegex(AssertionError, "num_warps must be a power of 2") as caught:
            reaching[(1,)](np.zeros(4, np.float32), BLOCK=4, num_warps=3)
        self.assertIsInstance(caught.exception, errors.CompilationError)

    def test_too_much_for_the_device(self):
        x = np.zeros(256, np.float32)
        with self.assertRaises(errors.OutOfResources) as caught:
            wide[(1,)](x, OUT=256, device="sim", num_warps=4)
        self.assertGreater(caught.exception.required, caught.exception.limit)

    def test_goes_on_after_errors(self):
        x = np.zeros(8, np.float32)
        for _ in range(3):
            with self.assertRaises(errors.CompilationError):
                refusing[(1,)](x, BLOCK=3)
            refusing[(1,)](x, BLOCK=4)


@tilec.jit
def warned_of(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 0.5)
    tl.store(x + i, unknown)


class Texts(unittest.TestCase):
    def test_errors_go_before_warnings(self):
        with self.assertRaises(tilec.CompilationError) as caught:
            warned_of[(1,)](np.zeros(4, np.int32), 4)
        text = str(caught.exception)
        self.assertIn(": error: ", text.partition("\n")[0])
        given = "a.py:1:2: warning: w\n    line\na.py:3:4: error: e\nhint: h\n"
        self.assertEqual(tilec.errors._errors_first(given),
                         "a.py:3:4: error: e\nhint: h\na.py:1:2: warning: w\n    line\n")

    def test_too_many_warps(self):
        with tilec.use_device("sim"), self.assertRaises(tilec.OutOfResources) as caught:
            wide[(1,)](np.zeros(4, np.float32), 4, num_warps=128)
        self.assertEqual((caught.exception.required, caught.exception.limit), (128, 32))

    def test_an_assertion_is_what_triton_raises(self):
        self.assertTrue(issubclass(tilec.AssertionFault, (AssertionError, RuntimeError)))


class Devices(unittest.TestCase):
    def test_array_of_a_gpu(self):
        class OnGpu:
            __cuda_array_interface__ = {"data": (4096, False), "shape": (4,), "typestr": "<f4",
                                        "version": 3}

        with self.assertRaises(tilec.TritonError) as caught:
            reaching[(1,)](OnGpu(), BLOCK=4, device="cpu")
        self.assertIsInstance(caught.exception, ValueError)
        self.assertIn("the tensor given for `x` is in a device's memory", str(caught.exception))
        if dict((d[0], d[2]) for d in tilec._core.devices())["cuda"]:
            with self.assertRaisesRegex(RuntimeError, "the device `cuda` cannot be used here"):
                reaching[(1,)](OnGpu(), BLOCK=4)
            with self.assertRaisesRegex(RuntimeError, "^error: the device `cuda` cannot be used here"):
                reaching[(1,)](np.zeros(4, np.float32), BLOCK=4, device="cuda")


class Speech(unittest.TestCase):
    def test_prints(self):
        x = np.full(4, 2.5, np.float32)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            printing[(2,)](x, BLOCK=64)
        lines = out.getvalue().splitlines()
        self.assertEqual(lines[0], "compiled for 64")
        self.assertEqual(len(lines), 3)
        self.assertIn("val\\x1b[31mue: 2.5", lines[1])
        self.assertEqual(err.getvalue(), "")

    def test_warnings(self):
        @tilec.jit(do_not_specialize=["BLOCK"])
        def listed(x, BLOCK: tl.constexpr):
            tl.store(x, BLOCK)

        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            listed[(1,)](np.zeros(1, np.float32), BLOCK=2)
        self.assertEqual(out.getvalue(), "")
        self.assertIn("warning:", err.getvalue())
        self.assertIn(f"{__file__}:", err.getvalue())

    def test_forgotten_arrays_are_their_programs_business(self):
        @tilec.jit
        def forgets(x, bias):
            value = tl.load(x)
            tl.store(x, 1.0)

        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            forgets[(1,)](np.zeros(1, np.float32), np.zeros(1, np.float32))
        self.assertIn("`value` is loaded, and stands nowhere else", err.getvalue())
        self.assertNotIn("bias", err.getvalue())

    def test_rows_that_are_not_there(self):
        """Rows are as far apart as the launch says: of another array, or of one in Fortran's order."""
        @tilec.jit
        def rows(x, out, stride, w, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            v = tl.load(x + tl.program_id(0) * stride + i, mask=i < w, other=0.0)
            tl.store(out + tl.program_id(0), tl.sum(v, axis=0))

        def told(x, stride, w, programs):
            err = io.StringIO()
            with contextlib.redirect_stderr(err):
                rows[(programs,)](x, np.empty(40, np.float32), stride, w, BLOCK=16)
            return err.getvalue()

        x = np.ones((8, 10), np.float32)
        self.assertEqual(told(x, 10, 10, 8), "")
        self.assertEqual(told(x, 10, 10, 4), "")
        self.assertIn("it loads 83 elements of `x`, which has 80: 8 rows, 11 apart", told(x, 11, 6, 8))
        fortran = np.asfortranarray(x)
        self.assertIn("x: its strides are (1, 8), and kernel `rows` takes", told(fortran, 10, 10, 8))
        self.assertEqual(told(np.asfortranarray(x[:, :1]), 1, 1, 8), "")

    def test_an_object_says_what_an_argument_is(self):
        @tilec.jit
        def one(x):
            tl.store(x, 1.0)

        with self.assertRaisesRegex(TypeError, "`x` cannot be an object: .*\nhint: give an array of NumPy or PyTorch"):
            one[(1,)](object())

    def test_arrays_in_another_order(self):
        """One index takes elements of each that do not belong together; of all in one order it does."""
        def told(x, y):
            @tilec.jit
            def double(x, y, n, BLOCK: tl.constexpr):
                i = tl.arange(0, BLOCK)
                tl.store(y + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)

            err = io.StringIO()
            with contextlib.redirect_stderr(err):
                double[(1,)](x, y, x.size, BLOCK=64)
            return err.getvalue()

        rows, columns = np.ones((6, 8), np.float32), np.ones((8, 6), np.float32).T
        self.assertIn("y: its strides are (1, 6), and those of `x`, of the same shape, (8, 1)", told(rows, columns))
        self.assertIn("numpy.ascontiguousarray", told(columns, rows))
        self.assertEqual(told(columns, columns.copy(order="F")), "")
        self.assertEqual(told(rows, rows.copy()), "")
        self.assertEqual(told(rows[:1, :6], columns[:, :1].T), "")
        self.assertEqual(told(np.ones((3, 1, 4), np.float32), np.ones((1, 3, 4), np.float32).swapaxes(0, 1)), "")

    def test_stdout_that_fails(self):
        class Broken(io.StringIO):
            def write(self, text):
                raise BrokenPipeError

        with contextlib.redirect_stdout(Broken()), self.assertRaises(BrokenPipeError):
            printing[(1,)](np.zeros(4, np.float32), BLOCK=128)


class Calls(unittest.TestCase):
    def test_wrong_arguments_are_told_as_the_launchs(self):
        x = np.zeros(4, np.float32)
        for args, block, texts in (
                ((x,), 512.5, ("note: `BLOCK` was given as constexpr 512.5", "the launch gives `BLOCK`")),
                (([[0.0] * 20] * 20,), 4, ("give an array, which is one",)),
                (([0.0, 1.0],), 4, ("note: `x` was given as (fp32, fp32)", "for `x` give an array")),
                (("x.npy",), 4, ("the launch gives it: pass an array or a number",))):
            with self.assertRaises(errors.CompilationError) as caught:
                reaching[(1,)](*args, BLOCK=block)
            for text in texts:
                self.assertIn(text, str(caught.exception))
            self.assertEqual(str(caught.exception).count("error: "), 1)

    def test_wrong_values_of_functions(self):
        x = np.zeros(8, np.float32)
        for call, text in (
                (lambda: tilec.autotune(tilec.Config({"BLOCK": 4}), key=[])(reaching), "takes a list of configurations"),
                (lambda: tilec.testing.do_bench(lambda: None, rep=1, quantiles=2), "quantiles are a list"),
                (lambda: tilec.cdiv("10", 2), "cdiv takes two integers, and '10' is none"),
                (lambda: tilec.cdiv(x.shape, 2), "x.shape\\[0\\] and len\\(x\\) are some")):
            with self.assertRaisesRegex(TypeError, text):
                call()
        with self.assertRaisesRegex(errors.CompilationError, "enable_fp_fusion must be True or False, not a text"):
            reaching[(1,)](x, BLOCK=4, enable_fp_fusion="no")

    def test_wrong_names_of_arguments(self):
        """Of a grid, of one of a tuned kernel, and of a heuristic."""
        tuned = tilec.autotune([tilec.Config({"BLOCK": 4}), tilec.Config({"BLOCK": 8})], key=[])(reaching)
        rated = tilec.heuristics({"BLOCK": lambda args: args["BLOC"]})(reaching)
        x = np.zeros(8, np.float32)
        for launch in (lambda: reaching[lambda meta: (meta["BLOK"],)](x, BLOCK=4),
                       lambda: tuned[lambda meta: (meta["BLOK"],)](x),
                       lambda: rated[lambda meta: (1,)](x)):
            with self.assertRaises(KeyError) as caught:
                launch()
            self.assertIsInstance(caught.exception, errors.TritonError)
            self.assertRegex(str(caught.exception), "no argument is called 'BLOC?K?'; did you mean|hint: there are 'x'")
            self.assertIn("hint: there are 'x'", str(caught.exception))
        with self.assertRaisesRegex(KeyError, "^'mine'$"):
            reaching[lambda meta: ({}["mine"],)](x, BLOCK=4)

    def test_texts_of_a_launch(self):
        kernel = reaching[(1,)](np.zeros(4, np.float32), BLOCK=4)
        self.assertEqual(list(kernel.asm), ["source", "ttir", "ttgir", "llir", "asm"])
        for name, text in (("source", "def reaching"), ("ttir", "load"), ("llir", "define"), ("asm", "ret")):
            self.assertIn(text, kernel.asm[name])
        self.assertGreaterEqual(kernel.stats["compile_seconds"], 0)
        with self.assertRaisesRegex(KeyError, "'ptxx'; there are 'source', 'ttir'"):
            kernel.asm["ptxx"]

    def test_what_is_neither_on_nor_off(self):
        x = np.zeros(8, np.float32)
        for option in ("check", "debug", "unspecialised"):
            for value in ("yes", "False", "", b"1", 1.5, [], {}):
                with self.assertRaisesRegex(TypeError, f"{option} must be True( or False|, False or \"first\"), not ") as caught:
                    reaching[(1,)](x, BLOCK=8, **{option: value})
                self.assertIn(repr(value), str(caught.exception))
        with self.assertRaisesRegex(TypeError, r"check_accesses\(\) must be True, False or \"first\", not 'no'"):
            tilec.check_accesses("no")
        with self.assertRaisesRegex(TypeError, "debug must be True or False, not 'on'"):
            tilec.jit(reaching.fn, debug="on")
        reaching[(1,)](x, BLOCK=8, check=np.bool_(True), debug=0)
        reaching[(1,)](x, BLOCK=8, check=None, debug=None)
        with self.assertRaises(IndexError):
            reaching[(1,)](x[:5], BLOCK=8, check=np.bool_(True))

    def test_exceptions_of_arguments_pass(self):
        class Bad:
            @property
            def __array_interface__(self):
                raise KeyError("mine")

        class Worse:
            def __dlpack__(self):
                raise ZeroDivisionError

        for bad, error in ((Bad(), KeyError), (Worse(), ZeroDivisionError)):
            with self.assertRaises(error):
                reaching[(1,)](bad, BLOCK=4)

    def test_deep_constants(self):
        deep = ()
        for _ in range(100_000):
            deep = (deep,)
        with self.assertRaises((RecursionError, errors.TritonError)):
            reaching[(1,)](np.zeros(4), BLOCK=deep)


if __name__ == "__main__":
    unittest.main()
