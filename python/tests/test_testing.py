"""triton.testing, the drivers, arrays with another dtype, files of the cache, knobs."""

import contextlib
import io
import os
import pathlib
import statistics
import tempfile
import time
import unittest
from unittest import mock

import tilec
import tilec.language as tl
from tilec import device, knobs, testing
from tilec.runtime import cache
from tilec.runtime.driver import driver
from tilec.tools.tensor_descriptor import TensorDescriptor
from tilec.wrappers import MockTensor, TensorWrapper, reinterpret

try:
    import numpy as np
except ImportError:
    np = None
try:
    import matplotlib
except ImportError:
    matplotlib = None


@tilec.jit
def add_one(x):
    tl.store(x, tl.load(x) + 1)


class Clock:
    """Time that passes only in calls of work(), which takes 4 and 1 milliseconds by turns."""

    def __init__(self):
        self.now = self.calls = 0

    def perf_counter_ns(self):
        return self.now

    def work(self):
        self.calls += 1
        self.now += 1_000_000 if self.calls % 2 else 4_000_000


class Times(unittest.TestCase):
    def test_milliseconds(self):
        start = time.perf_counter()
        got = testing.do_bench(lambda: time.sleep(0.002), warmup=1, rep=10)
        self.assertTrue(2 <= got < 1000 * (time.perf_counter() - start), got)

    def bench(self, *arguments, **options):
        clock = Clock()
        with device.use_device("cpu"), mock.patch("tilec.runtime.driver.time", clock):
            return testing.do_bench(clock.work, *arguments, **options)

    def test_modes(self):
        every = self.bench(warmup=1, rep=30, return_mode="all")
        self.assertGreater(len(every), 3)
        self.assertEqual({round(t, 9) for t in every}, {1, 4})
        low, high = self.bench(warmup=1, rep=30, quantiles=[0.0, 1.0])
        self.assertAlmostEqual(low, 1)
        self.assertAlmostEqual(high, 4)
        self.assertIsInstance(self.bench(1, 5, quantiles=[0.5]), float)
        for mode, of in (("min", min), ("max", max), ("mean", statistics.mean), ("median", statistics.median)):
            self.assertAlmostEqual(self.bench(warmup=1, rep=30, return_mode=mode), of(every))
        fn = Clock().work
        with self.assertRaisesRegex(ValueError, "return_mode"):
            testing.do_bench(fn, return_mode="best")
        with self.assertRaisesRegex(TypeError, "do_bench.lambda: kernel.grid"):
            testing.do_bench(3)

    def test_quantiles_lie_between(self):
        self.assertEqual(testing._quantile([4, 1, 2, 3], 0.5), 2.5)
        self.assertEqual(testing._quantile([7], 0.9), 7)
        with self.assertRaises(ValueError):
            testing._quantile([1], 1.5)

    def test_gradients_are_dropped(self):
        class Tensor:
            grad = 1

        testing.do_bench(lambda: None, 1, 1, grad_to_none=[Tensor])
        self.assertIsNone(Tensor.grad)

    def test_graph_on_the_cpu_is_a_plain_measurement(self):
        if driver.active.get_current_target().backend == "cpu":
            self.assertGreater(testing.do_bench_cudagraph(lambda: time.sleep(0.001), rep=3), 0.9)


class Report(unittest.TestCase):
    def make(self, **options):
        @testing.perf_report(testing.Benchmark(
            x_names=["n", "m"], x_vals=[2, (3, 4)], line_arg="who", line_vals=[10, 20],
            line_names=["a", "b"], plot_name="sums", args={"base": 100}, ylabel="s", **options))
        def measure(n, m, who, base):
            value = float(n + m + who + base)
            return (value, value - 1, value + 1) if who == 10 else value

        return measure

    def test_table(self):
        table = self.make().run(return_df=True)
        self.assertEqual(list(table.columns), ["n", "m", "a (s)", "b (s)"])
        rows = table.rows if hasattr(table, "rows") else table.values.tolist()
        self.assertEqual([list(r) for r in rows], [[2, 2, 114, 124], [3, 4, 117, 127]])

    def test_prints_and_files(self):
        out = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(io.StringIO()):
            self.make().run(print_data=True, save_path=folder, diff_col=True)
            csv = pathlib.Path(folder, "sums.csv").read_text().splitlines()
            page = pathlib.Path(folder, "results.html").read_text()
            self.assertEqual("sums.png" in page, matplotlib is not None)
            self.assertEqual(pathlib.Path(folder, "sums.png").exists(), matplotlib is not None)
        self.assertEqual(csv[0], "n,m,a (s),b (s),Diff")
        self.assertEqual([float(v) for v in csv[2].split(",")], [3, 4, 117, 127, 10])
        self.assertRegex(out.getvalue(), r"sums:\n.*n\s+m\s+a \(s\)")

    def test_table_without_pandas(self):
        text = str(testing.Table(["n", "time"], [[1, 0.5], [1000, 2.0]]))
        self.assertEqual(text.splitlines()[2].split(), ["1", "1000", "2.000000"])
        self.assertEqual(len({len(line) for line in text.splitlines()}), 1)

    def test_several_benchmarks(self):
        marks = testing.perf_report([testing.Benchmark(["n"], [1], "w", [1], ["x"], "", {})] * 2)(
            lambda n, w: 1.0)
        self.assertEqual(len(marks.run(return_df=True)), 2)

    def test_wrong_number_of_values(self):
        with self.assertRaisesRegex(ValueError, "take 2 values"):
            list(testing.Benchmark(["a", "b"], [(1, 2, 3)], "w", [], [], "", {}).places())


@unittest.skipUnless(np, "needs NumPy")
class Comparisons(unittest.TestCase):
    def test_assert_close(self):
        testing.assert_close(np.ones(3), np.ones(3) + 0.005)
        testing.assert_close(1.0, 1.005)
        testing.assert_close(np.float16(1), [1.0], atol=lambda dtype: 0)
        testing.assert_close(np.array([np.nan]), np.array([np.nan]))
        with self.assertRaisesRegex(AssertionError, "(?s)first.*Mismatched"):
            testing.assert_close(np.ones(3), np.zeros(3), err_msg="first")

    def test_allclose(self):
        self.assertTrue(testing.allclose(np.ones(3), np.ones(3)))
        self.assertFalse(testing.allclose(np.ones(3), np.ones(3) + 1))
        self.assertFalse(testing.allclose(np.ones(3), np.ones(4)))
        self.assertTrue(testing.allclose(np.full(2, 100.0), np.full(2, 101.0), rtol=0.02))


class Drivers(unittest.TestCase):
    def test_the_cpu(self):
        with device.use_device("cpu"):
            active = driver.active
            self.assertEqual(active.get_current_target().backend, "cpu")
            self.assertEqual((active.get_current_device(), active.get_current_stream(0)), (0, 0))
            properties = active.utils.get_device_properties(0)
            self.assertTrue(all(isinstance(v, int) and v > 0 for v in properties.values()))
            interface = active.get_device_interface()
            start, end = interface.Event(enable_timing=True), interface.Event()
            start.record()
            end.record()
            interface.synchronize()
            self.assertGreaterEqual(start.elapsed_time(end), 0)

    def test_the_simulator_is_a_gpu(self):
        with device.use_device("sim"):
            self.assertEqual(driver.active.get_current_target(), ("cuda", 80, 32))

    def test_rooflines(self):
        with device.use_device("cpu"):
            processors = driver.active.utils.get_device_properties(0)["multiprocessor_count"]
            self.assertAlmostEqual(testing.get_max_tensorcore_tflops("float16", 1000000),
                                   processors * 4 * 512e-3)
            self.assertLess(testing.get_max_simd_tflops("float32", 1000000),
                            testing.get_max_tensorcore_tflops("float32", 1000000))
            self.assertGreater(testing.get_dram_gbps(), 0)
        with self.assertRaisesRegex(ValueError, "no figure"):
            testing.get_max_simd_tflops("float64", 1)

    def test_set_active(self):
        own = object()
        driver.set_active(own)
        self.assertIs(driver.active, own)
        driver.reset_active()
        self.assertIs(driver.active, driver.default)

    def test_use_device(self):
        before = device.selected
        with device.use_device("interp"):
            with device.use_device("sim"):
                self.assertEqual(device.selected, "sim")
            self.assertEqual(device.selected, "interp")
        self.assertEqual(device.selected, before)
        with self.assertRaisesRegex(ValueError, "no device `gpu`; there are cpu, interp"):
            device.use_device("gpu")


@unittest.skipUnless(np, "needs NumPy")
class Wrappers(unittest.TestCase):
    def test_reinterpret(self):
        base = np.arange(6, dtype=np.uint8).reshape(2, 3)
        seen = reinterpret(base, "fp8e5")
        self.assertIsInstance(seen, TensorWrapper)
        self.assertEqual((seen.shape, seen.stride(), seen.stride(0), seen.element_size()),
                         ((2, 3), (3, 1), 3, 1))
        self.assertEqual(seen.data_ptr(), base.ctypes.data)
        self.assertIs(reinterpret(seen, np.uint8), base)
        self.assertIs(reinterpret(seen, "fp8e4nv").base, base)
        with self.assertRaises(TypeError):
            reinterpret(3, "fp8e5")

    def test_copies(self):
        seen = reinterpret(np.ones(3, np.int8), "fp8e5")
        other = seen.clone()
        seen.zero_()
        self.assertEqual((other.base.sum(), seen.base.sum()), (3, 0))
        self.assertEqual(seen.copy_(other).base.sum(), 3)

    def test_mock(self):
        self.assertEqual(MockTensor("fp32", [2, 3, 4]).stride(), (12, 4, 1))
        self.assertEqual((MockTensor("fp32").data_ptr(), MockTensor.wrap_dtype(3)), (0, 3))

    def test_descriptor(self):
        made = TensorDescriptor.from_tensor(np.zeros((4, 8), np.float32), [2, 4])
        self.assertEqual((made.shape, made.strides, made.block_shape), ([4, 8], [8, 1], [2, 4]))
        with self.assertRaisesRegex(ValueError, "contiguous"):
            TensorDescriptor.from_tensor(np.zeros((4, 8)).T, [2, 4])
        with self.assertRaisesRegex(ValueError, "one length"):
            TensorDescriptor.from_tensor(np.zeros((4, 8)), [2])


class Files(unittest.TestCase):
    def test_cache(self):
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.dict(os.environ, TRITON_CACHE_DIR=folder):
            manager = cache.get_cache_manager("key")
            self.assertIsNone(manager.get_file("a.bin"))
            path = manager.put(b"\0\1", "a.bin")
            self.assertEqual(pathlib.Path(manager.get_file("a.bin")).read_bytes(), b"\0\1")
            manager.put_group("a", {"a.bin": path})
            self.assertEqual(manager.get_group("a"), {"a.bin": path})
            manager.put_group("a", {"a.bin": path, "b.bin": path + "x"})
            self.assertIsNone(manager.get_group("a"))  # it is not complete
            self.assertEqual(knobs.cache.dir, folder)
            self.assertNotEqual(cache.get_dump_manager("key").cache_dir, manager.cache_dir)

    def test_remote_cache(self):
        data = {}

        class Store(cache.RemoteCacheBackend):
            def get(self, filenames):
                return {name: data[name] for name in filenames if name in data}

            def put(self, filename, value):
                data[filename] = value

        with tempfile.TemporaryDirectory() as folder, knobs.cache.scope(), \
                mock.patch.dict(os.environ, TRITON_CACHE_DIR=folder):
            knobs.cache.remote_manager_class = Store
            manager = cache.RemoteCacheManager("key")
            self.assertIsNone(manager.get_file("a.json"))
            manager.put("{}", "a.json", binary=False)
            manager.put(b"\0", "a.bin")
            manager.put_group("a", {"a.json": "", "a.bin": ""})
            group = cache.RemoteCacheManager("key").get_group("a")
            self.assertEqual({name: pathlib.Path(path).read_bytes() for name, path in group.items()},
                             {"a.json": b"{}", "a.bin": b"\0"})
            del data["a.bin"]
            self.assertIsNone(manager.get_group("a"))

    def test_chain_of_hooks(self):
        heard = []
        chain = knobs.HookChain(reversed=True)
        self.assertFalse(chain)
        first, second = (lambda x, n=n: heard.append((n, x)) for n in (1, 2))
        for hook in (first, second, second):
            chain.add(hook)
        chain(5)
        chain.remove(first)
        chain(6)
        self.assertEqual((heard, bool(chain)), ([(2, 5), (1, 5), (2, 6)], True))

    @unittest.skipUnless(np, "needs NumPy")
    def test_hooks_of_launches(self):
        heard = []

        def enter(metadata):
            heard.append(("enter", metadata.get()["name"]))

        with knobs.runtime.scope():
            knobs.runtime.launch_enter_hook = enter
            add_one[(1,)](np.zeros(1, np.float32))
        knobs.runtime.launch_exit_hook.add(enter)
        add_one[(1,)](np.zeros(1, np.float32))
        knobs.runtime.launch_exit_hook.remove(enter)
        add_one[(1,)](np.zeros(1, np.float32))
        self.assertEqual(heard, [("enter", "add_one")] * 2)

    def test_knobs(self):
        with mock.patch.dict(os.environ, TRITON_PRINT_AUTOTUNING="on"):
            self.assertIs(knobs.autotuning.print, True)
            with knobs.autotuning.scope():
                knobs.autotuning.print = False
                self.assertIs(knobs.autotuning.print, False)
            self.assertIs(knobs.autotuning.print, True)
        with self.assertRaises(AttributeError):
            knobs.runtime.nothing

    def test_what_is_assigned_goes_to_the_environment(self):
        with mock.patch.dict(os.environ), knobs.amd.scope(), knobs.redis.scope():
            for name in ("AMDGCN_USE_BUFFER_OPS", "TRITON_REDIS_PORT"):
                os.environ.pop(name, None)
            knobs.amd.use_buffer_ops = False
            knobs.redis.port = 7
            self.assertEqual((os.environ["AMDGCN_USE_BUFFER_OPS"], os.environ["TRITON_REDIS_PORT"]), ("0", "7"))
            os.environ["TRITON_REDIS_PORT"] = "8"
            self.assertEqual(knobs.redis.port, 7)
            knobs.redis.port = knobs.env
            self.assertEqual(knobs.redis.port, 8)
            with knobs.redis.scope():
                knobs.redis.port = 9
            self.assertEqual((knobs.redis.port, os.environ["TRITON_REDIS_PORT"]), (8, "8"))
            with mock.patch.object(knobs, "propagate_env", False):
                knobs.redis.port = 10
            self.assertEqual((knobs.redis.port, os.environ["TRITON_REDIS_PORT"]), (10, "8"))
            os.environ["TRITON_REDIS_PORT"] = "many"
            with self.assertRaisesRegex(RuntimeError, "a whole number, not 'many'"):
                knobs.redis.reset().port

    def test_knobs_of_a_program(self):
        class Mine(knobs.base_knobs):
            text = knobs.env_str("TILEC_TEST_TEXT", "usual")
            flag = knobs.env_opt_bool("TILEC_TEST_FLAG")
            manager = knobs.env_class("TILEC_TEST_MANAGER", "CacheManager")

        mine = Mine()
        with mock.patch.object(knobs, "propagate_env", False), mock.patch.dict(os.environ):
            other = mine.copy()
            other.flag = False
            self.assertEqual(mine.knobs, {"text": "usual", "flag": None, "manager": None})
            self.assertEqual(other.knobs, {"text": "usual", "flag": False, "manager": None})
            self.assertEqual(other.reset().knobs, mine.knobs)
            os.environ["TILEC_TEST_MANAGER"] = "tilec.runtime.cache:FileCacheManager"
            self.assertIs(mine.manager, cache.FileCacheManager)
            for wrong in ("tilec.runtime.cache", "collections:Counter"):
                os.environ["TILEC_TEST_MANAGER"] = wrong
                self.assertRaises(RuntimeError, lambda: mine.manager)

    def test_folders(self):
        with mock.patch.dict(os.environ, TRITON_HOME="/there"):
            for name in ("TRITON_CACHE_DIR", "TRITON_DUMP_DIR", "TRITON_OVERRIDE_DIR"):
                os.environ.pop(name, None)
            self.assertEqual((knobs.cache.dir, knobs.cache.dump_dir, knobs.cache.override_dir),
                             ("/there/.triton/cache", "/there/.triton/dump", "/there/.triton/override"))


if __name__ == "__main__":
    unittest.main()
