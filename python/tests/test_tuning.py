"""Config, autotune, heuristics: which configuration is chosen, and what arguments look like after."""

import contextlib
import io
import os
import threading
import unittest
import warnings
from unittest import mock

import tilec
import tilec.language as tl
from standin import Standin
from tilec import device, knobs
from tilec.errors import AutotunerError, CompilationError, OutOfResources
from tilec.tools.tensor_descriptor import TensorDescriptor
from tilec.tuning import Config, autotune, heuristics

try:
    import numpy as np
except ImportError:
    np = None

SIZES = [Config({"BLOCK": b}) for b in (16, 64, 256)]


def timed(times, calls=None):
    """A kernel whose launch with BLOCK=b takes times[b], by a do_bench of ours."""
    def kernel(x, n, BLOCK):
        if calls is not None:
            calls.append(BLOCK)
        if isinstance(times[BLOCK], Exception):
            raise times[BLOCK]
        latest.time = times[BLOCK]

    def measure(fn, quantiles):
        fn()
        return [latest.time] * 3

    latest = threading.local()  # others may launch what they have tuned between the two
    return Standin(kernel), measure


class Configs(unittest.TestCase):
    def test_options(self):
        config = Config({"BLOCK": 8}, num_warps=2, maxnreg=64)
        self.assertEqual(config.all_kwargs(), {"BLOCK": 8, "num_warps": 2, "num_ctas": 1,
                                               "num_stages": 3, "maxnreg": 64})
        self.assertEqual(str(config), "BLOCK: 8, num_warps: 2, num_ctas: 1, num_stages: 3, maxnreg: 64")
        with self.assertRaisesRegex(TypeError, "num_warp`"):
            Config({}, num_warp=4)
        Config({}, num_consumer_groups=2)

    def test_it_stands_above_jit(self):
        for decorator, name in ((autotune(SIZES, ["n"]), "autotune"), (heuristics({"B": len}), "heuristics")):
            with self.assertRaisesRegex(TypeError, f"@{name} takes a kernel, not .*: it stands above @triton.jit"):
                @tilec.jit
                @decorator
                def kernel(x, n, BLOCK: tl.constexpr):
                    pass

    def test_equality(self):
        self.assertEqual(Config({"A": 1, "B": 2}), Config({"B": 2, "A": 1}))
        self.assertEqual(len({Config({"A": 1}), Config({"A": 1}), Config({"A": 2})}), 2)
        self.assertNotEqual(Config({"A": 1}), Config({"A": 1}, num_warps=8))


class Autotune(unittest.TestCase):
    def test_fastest_is_kept_for_its_key(self):
        calls = []
        kernel, measure = timed({16: 3, 64: 1, 256: 2}, calls)
        tuned = autotune(SIZES, key=["n"], do_bench=measure)(kernel)
        tuned[(1,)](None, 10)
        self.assertEqual(calls, [16, 64, 256, 64])
        self.assertEqual(tuned.best_config, SIZES[1])
        tuned[(1,)](None, 10)
        self.assertEqual(calls[4:], [64])
        tuned[(1,)](None, 11)
        self.assertEqual(calls[5:], [16, 64, 256, 64])
        self.assertEqual(kernel.launches[-1], {"BLOCK": 64, "num_warps": 4, "num_ctas": 1,
                                               "num_stages": 3})
        self.assertEqual(tuned.configs_timings[SIZES[2]], [2, 2, 2])

    def test_many_threads(self):
        calls = []
        kernel, measure = timed({16: 3, 64: 1, 256: 2}, calls)
        tuned = autotune(SIZES, key=["n"], do_bench=measure)(kernel)
        threads = [threading.Thread(target=lambda: [tuned[(1,)](None, i % 5) for i in range(100)])
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([calls.count(b) for b in (16, 64, 256)], [5, 405, 5])

    def test_tuning_may_fail_and_be_tried_again(self):
        times = {16: KeyError("x"), 64: 1, 256: 2}
        kernel, measure = timed(times)
        tuned = autotune(SIZES, key=["n"], do_bench=measure)(kernel)
        with self.assertRaises(KeyError):
            tuned[(1,)](None, 1)
        times[16] = 3
        tuned[(1,)](None, 1)
        self.assertEqual(tuned.best_config, SIZES[1])

    def test_one_configuration_is_not_measured(self):
        calls = []
        kernel, measure = timed({16: 1}, calls)
        autotune(SIZES[:1], key=[], do_bench=measure)(kernel)[(1,)](None, 1)
        autotune([], key=[], do_bench=measure)(kernel)[(1,)](None, 1, BLOCK=16)
        self.assertEqual(calls, [16, 16])

    @unittest.skipUnless(np, "needs NumPy")
    def test_dtypes_are_part_of_the_key(self):
        kernel, measure = timed({16: 3, 64: 1, 256: 2})
        tuned = autotune(SIZES, key=[], do_bench=measure)(kernel)
        for dtype in (np.float32, np.float16, np.float32):
            tuned[(1,)](np.zeros(3, dtype), 1)
        self.assertEqual(list(tuned.cache), [("float32",), ("float16",)])

    def test_key_that_is_no_value(self):
        kernel, measure = timed({16: 3, 64: 1, 256: 2})
        with self.assertRaisesRegex(TypeError, "`n` is in the key of the tuned kernel .*, and cannot be a list: give"):
            autotune(SIZES, key=["n"], do_bench=measure)(kernel)[(1,)](None, [1])

    def test_configuration_without_room_is_skipped(self):
        for error in (OutOfResources(100, 10, "shared memory"), CompilationError(None, None, "no")):
            kernel, measure = timed({16: error, 64: 5, 256: 7})
            tuned = autotune(SIZES, key=["n"], do_bench=measure)(kernel)
            tuned[(1,)](None, 1)
            self.assertEqual(tuned.best_config.kwargs, {"BLOCK": 64})

    def test_when_none_runs_the_reason_is_raised(self):
        error = CompilationError(None, None, "kernel.py:3: error: no")
        kernel, measure = timed({16: error, 64: error, 256: error})
        with self.assertRaisesRegex(CompilationError, "kernel.py:3"):
            autotune(SIZES, key=[], do_bench=measure)(kernel)[(1,)](None, 1)

    def test_other_errors_are_not_hidden(self):
        kernel, measure = timed({16: KeyError("x"), 64: 1, 256: 1})
        with self.assertRaises(KeyError):
            autotune(SIZES, key=[], do_bench=measure)(kernel)[(1,)](None, 1)

    def test_given_twice(self):
        kernel, measure = timed({16: 1, 64: 1, 256: 1})
        with self.assertRaisesRegex(ValueError, "`BLOCK`.*by the launch and by the configuration"):
            autotune(SIZES, key=[], do_bench=measure)(kernel)[(1,)](None, 1, BLOCK=16)

    def test_what_is_no_configuration(self):
        kernel, measure = timed({16: 1})
        for make, text in ((lambda: Config({"BLOCK": 16}, warps=4), "`warps`: did you mean `num_warps`"),
                           (lambda: Config(BLOCK=16), r"`BLOCK`: .* Config\({'BLOCK': 128}\)"),
                           (lambda: Config(16), "are a dictionary: Config"),
                           (lambda: autotune([{"BLOCK": 16}], key=[])(kernel), "none is {'BLOCK': 16}"),
                           (lambda: heuristics({"BLOCK": 16})(kernel), "a dictionary of functions"),
                           (lambda: heuristics(["BLOCK"])(kernel), "a dictionary of functions")):
            with self.assertRaisesRegex(TypeError, text):
                make()
        self.assertEqual(autotune(SIZES[:1], key="n", do_bench=measure)(kernel).keys, ["n"])

    def test_unknown_names(self):
        kernel, _ = timed({})
        with self.assertWarnsRegex(RuntimeWarning, "key .*`m`, only x, n, BLOCK"):
            autotune(SIZES, key=["m"])(kernel)
        with self.assertRaisesRegex(ValueError, "reset_to_zero .*`m`, only x, n, BLOCK"):
            autotune(SIZES, key=[], reset_to_zero=["m"])(kernel)

    @unittest.skipUnless(np, "needs NumPy")
    def test_empty_list_of_configurations(self):
        @tilec.jit
        def stored(x, BLOCK: tl.constexpr):
            tl.store(x, BLOCK)

        tuned, out = autotune([], key=[])(stored), np.zeros(1, np.int32)
        tuned[(1,)](out, BLOCK=4)  # as in Triton
        self.assertEqual(out[0], 4)
        with self.assertRaisesRegex(TypeError, "`BLOCK`(?s:.*)hint: the list of configurations of @autotune is empty"):
            tuned[(1,)](out)

    def test_wrong_pruning(self):
        kernel, measure = timed({16: 1, 64: 1, 256: 1})
        with self.assertWarnsRegex(RuntimeWarning, "has no `early_prune`, .*: did you mean `early_config_prune`") as seen:
            autotune(SIZES, key=[], prune_configs_by={"early_prune": None})(kernel)
        self.assertEqual(seen.filename, __file__)
        tuned = autotune(SIZES, key=[], do_bench=measure,
                         prune_configs_by={"early_config_prune": lambda configs, named: configs})(kernel)
        with self.assertRaisesRegex(TypeError, r"'grid': early_config_prune is called as f\(configs, named_args, \*\*kwargs"):
            tuned[(1,)](None, 1)
        tuned = autotune(SIZES, key=[], do_bench=measure,
                         prune_configs_by={"perf_model": lambda BLOCK: BLOCK, "top_k": 1})(kernel)
        with self.assertRaisesRegex(TypeError, r"perf_model is called as f\(\*\*args\)"):
            tuned[(1,)](None, 1)

    def test_tuners_that_derive_from_ours(self):
        kernel, measure = timed({16: 3.0, 64: OutOfResources(2, 1, "room"), 256: 1.0})
        tuned = autotune(SIZES, key=[], do_bench=measure)(kernel)
        times = [tuned._bench(0, 1, config=config, grid=(1,))[0] for config in SIZES]
        self.assertEqual(times, [3.0, float("inf"), 1.0])
        self.assertIsNone(tuned.nargs)

    def test_pruning(self):
        calls, seen = [], []

        def early(configs, named, **kwargs):
            seen.append((named["n"], "grid" in kwargs))
            return configs[1:]

        kernel, measure = timed({16: 1, 64: 1, 256: 1}, calls)
        tuned = autotune(SIZES, key=[], do_bench=measure, prune_configs_by={
            "early_config_prune": early, "perf_model": lambda BLOCK, **_: -BLOCK, "top_k": 1})(kernel)
        tuned[(1,)](None, 7)
        self.assertEqual((calls, seen), ([256], [(7, True)]))
        tuned = autotune(SIZES, key=[], prune_configs_by={
            "early_config_prune": lambda *_, **__: []})(kernel)
        with self.assertRaisesRegex(AutotunerError, "No valid autotuner configs after pruning"):
            tuned[(1,)](None, 7)

    def test_hooks(self):
        log = []
        configs = [Config({"BLOCK": b}, pre_hook=lambda args: log.append(("config", args["BLOCK"])))
                   for b in (16, 64)]
        kernel, measure = timed({16: 2, 64: 1})
        autotune(configs, key=[], do_bench=measure,
                 pre_hook=lambda args, reset_only=False: log.append(("pre", reset_only)),
                 post_hook=lambda args, exception: log.append(("post", exception)))(kernel)[(1,)](0, 1)
        self.assertEqual(log, [("config", 16), ("pre", False), ("post", None), ("config", 64),
                               ("pre", False), ("post", None), ("pre", True), ("config", 64)])

    def test_prints(self):
        kernel, measure = timed({16: 2, 64: OutOfResources(2, 1, "registers"), 256: 1})
        out = io.StringIO()
        with mock.patch.dict(os.environ, TRITON_PRINT_AUTOTUNING="1"), \
                contextlib.redirect_stdout(out):
            autotune(SIZES, key=["n"], do_bench=measure)(kernel)[(1,)](None, 5)
        self.assertRegex(out.getvalue(), r"tuning kernel with BLOCK: 16(.|\n)*skipped BLOCK: 64.*"
                         r"registers(.|\n)*tuned kernel for \(5,\) in .* s: BLOCK: 256")

    def test_warmup_compiles_all(self):
        kernel, _ = timed({})
        made = autotune(SIZES, key=[])(kernel).warmup(None, 1, grid=(1,))
        self.assertEqual([options["BLOCK"] for _, options, _ in made], [16, 64, 256])

    def test_listener(self):
        heard = []
        kernel, measure = timed({16: 2, 64: 1, 256: 3})
        with knobs.autotuning.scope():
            knobs.autotuning.listener = lambda **news: heard.append(news)
            autotune(SIZES, key=["n"], do_bench=measure)(kernel)[(1,)](None, 5)
        self.assertEqual((heard[0]["best_config"], heard[0]["key"], heard[0]["cache_hit"]),
                         (SIZES[1], (5,), False))


@unittest.skipUnless(np, "needs NumPy")
class Arrays(unittest.TestCase):
    def setUp(self):
        def kernel(x, y, BLOCK):
            x += 1
            y += x[0]

        self.kernel = Standin(kernel)
        self.bench = lambda fn, quantiles: [(fn(), fn(), 1)[2]] * 3

    def test_reset_to_zero_and_restore_value(self):
        x, y = np.ones(3), np.full(3, 5.0)
        tuned = autotune(SIZES, key=[], reset_to_zero=["y"], restore_value=["x"],
                         do_bench=self.bench)(self.kernel)
        tuned[(1,)](x, y)
        self.assertEqual((x[0], y[0]), (2, 2))
        tuned[(1,)](x, y)
        self.assertEqual((x[0], y[0]), (3, 5))

    def test_none_needs_no_care(self):
        def kernel(x, y, BLOCK):
            pass

        autotune(SIZES, key=[], reset_to_zero=["y"], restore_value=["x"],
                 do_bench=self.bench)(Standin(kernel))[(1,)](None, None)

    def check_verify(self, offset, dtype, verify=True):
        def kernel(x, out, BLOCK):
            out[...] = x * 2 + (offset if BLOCK == 64 else 0)

        x, out = np.arange(4).astype(dtype), np.full(4, 9, dtype)
        autotune(SIZES, key=[], do_bench=self.bench, verify=verify)(Standin(kernel))[(1,)](x, out)
        return out

    def test_verify(self):
        self.assertEqual(list(self.check_verify(0, np.int32)), [0, 2, 4, 6])
        self.check_verify(1e-6, np.float32)
        for dtype, offset in ((np.int32, 1), (np.float32, 0.1), (np.float32, np.nan)):
            with self.assertRaisesRegex(AutotunerError, "disagree in `out`: BLOCK: 64.*BLOCK: 16"):
                self.check_verify(offset, dtype)
        self.check_verify(0.1, np.float32, verify=0.05)

    def test_verify_starts_each_from_the_same(self):
        def kernel(x, BLOCK):
            x += 1

        x = np.zeros(4, np.int64)
        autotune(SIZES, key=[], do_bench=lambda fn, quantiles: [1] * 3, verify=True)(
            Standin(kernel))[(1,)](x)
        self.assertEqual(list(x), [1, 1, 1, 1])


@tilec.jit
def increment(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.load(x + i) + 1)


@tilec.jit
def counted(out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, i, i < n)


@tilec.jit
def numbered(to, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    to.store([start], start + tl.arange(0, BLOCK))


@tilec.jit
def relu(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.maximum(tl.load(x + i), 0))


@tilec.jit
def by_scratch(x, scratch, BLOCK: tl.constexpr):
    i = tl.arange(0, 4)
    tl.store(scratch + i, tl.load(x + i) + 1)
    tl.store(x + 4 + i, tl.load(scratch + i) * 2)


@tilec.jit
def filled(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1)


@unittest.skipUnless(np, "needs NumPy")
class InPlace(unittest.TestCase):
    """A kernel that is tuned on what it changes."""

    def tune(self, x, out, kernel=increment, **options):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            autotune(SIZES, key=[], do_bench=lambda fn, quantiles: [(fn(), 1)[1]] * 3,
                     **options)(kernel)[(1,)](x, out)
        return [str(w.message) for w in told]

    def test_warns(self):
        x = np.zeros(4, np.int32)
        (text,) = self.tune(x, x)
        self.assertIn("increment reads what it writes, and was run many times", text)
        self.assertIn("its arrays hold what", text)
        self.assertIn("restore_value", text)
        self.assertEqual(list(x), [4] * 4)

    def test_silent_where_one_more_run_changes_nothing(self):
        x = np.array([-1, 2, -3, 4], np.int32)
        self.assertEqual(self.tune(x, x, relu), [])
        self.assertEqual(list(x), [0, 2, 0, 4])
        x, scratch = np.arange(8, dtype=np.float32), np.full(4, np.nan, np.float32)
        self.assertEqual(self.tune(x, scratch, by_scratch), [])
        self.assertEqual(list(x), [0, 1, 2, 3, 2, 4, 6, 8])

    def test_may_where_copies_are_not_cheap(self):
        x = np.zeros(4, np.int32)
        with mock.patch("tilec.tuning._CHEAP", 15):
            (text,) = self.tune(x, x, relu)
        self.assertIn("its arrays may hold what all these runs have left", text)
        (text,) = self.tune(x[::-1], x[::-1], relu)
        self.assertIn("may hold", text)

    def test_silent_where_somebody_cares_or_nothing_is_read(self):
        x, out = np.zeros(4, np.int32), np.zeros(4, np.int32)
        self.assertEqual(self.tune(x, out), [])
        self.assertEqual(self.tune(x, x, restore_value=["x"]), [])
        self.assertEqual(list(x), [1] * 4)
        self.assertEqual(self.tune(x, x, reset_to_zero=["x"]), [])
        self.assertEqual(self.tune(x, x, pre_hook=lambda args, reset_only=False: None), [])


@unittest.skipUnless(np, "needs NumPy")
class ByTheLibrary(unittest.TestCase):
    """Tuning of kernels that the library compiles."""

    def test_equal_code_is_measured_once(self):
        configs = [Config({"BLOCK": b}, num_warps=w) for b in (16, 64) for w in (2, 4)]
        for name, measured in (("cpu", 2), ("sim", 4)):
            x, out = np.zeros(4, np.int32), np.zeros(4, np.int32)
            calls = []
            with device.use_device(name):
                tuned = autotune(configs, key=[], do_bench=lambda fn, quantiles: (
                    calls.append(fn()), [len(calls)] * 3)[1])(increment)
                tuned[(1,)](x, out)
            self.assertEqual(len(calls), measured)
            self.assertEqual(tuned.best_config, configs[0])
            self.assertEqual(tuned.configs_timings[configs[0]], [1, 1, 1])

    def test_times_are_the_devices(self):
        x, out = np.zeros(4, np.int32), np.zeros(4, np.int32)
        hooks = []
        configs = [Config({"BLOCK": b}, pre_hook=lambda args: hooks.append(args["BLOCK"]))
                   for b in (16, 64)]
        tuned = autotune(configs, key=[])(increment)
        with device.use_device("cpu"):
            tuned[(1,)](x, out)
        self.assertEqual(list(out), [1] * 4)
        self.assertEqual(set(tuned.configs_timings), set(configs))
        for median, low, high in tuned.configs_timings.values():
            self.assertTrue(0 < low <= median <= high)
        self.assertGreater(hooks.count(64), 3)

    def test_several_are_compiled_at_a_time(self):
        def warm_up(kernel, grid, args, kwargs):
            compiled.append((threading.get_ident(), kwargs["BLOCK"]))
            if len(compiled) <= 2:
                meeting.wait(60)  # two threads are here at once
            return real(kernel, grid, args, kwargs)

        real = tilec.JITFunction._warm_up
        compiled, meeting = [], threading.Barrier(2)
        out = np.zeros(4, np.int32)
        configs = [Config({"BLOCK": b}) for b in (4, 0, 8, 16)]  # 0 cannot be compiled
        with (mock.patch.object(tilec.JITFunction, "_warm_up", warm_up),
              mock.patch("tilec.tuning._cpus", return_value=2), device.use_device("cpu")):
            tuned = autotune(configs, key=[])(heuristics({"n": lambda args: len(args["out"])})(counted))
            tuned[(1,)](out)
        self.assertEqual(sorted(block for _, block in compiled), [0, 4, 8, 16])
        self.assertNotIn(threading.get_ident(), [thread for thread, _ in compiled])
        self.assertEqual(set(tuned.configs_timings), {c for c in configs if c.kwargs["BLOCK"]})
        self.assertEqual(list(out), [0, 1, 2, 3])

    def test_descriptors_are_those_of_the_configuration(self):
        """Its hook says what block they have, also when the compiled code is asked of it later."""
        def set_block(args):
            args["to"].block_shape = [args["BLOCK"]]

        out = np.zeros(64, np.int32)
        configs = [Config({"BLOCK": b}, pre_hook=set_block) for b in (4, 8, 16)]
        for cpus in (1, 2):
            made = []

            def run(kernel, grid, args, kwargs, *rest):
                made.append((kwargs["BLOCK"], real(kernel, grid, args, kwargs, *rest)))
                return made[-1][1]

            real = tilec.JITFunction._launch_in_range
            to = TensorDescriptor.from_tensor(out, [1])
            with (mock.patch.object(tilec.JITFunction, "_launch_in_range", run), device.use_device("cpu"),
                  mock.patch("tilec.tuning._cpus", return_value=cpus)):
                tuned = autotune(configs, key=[])(numbered)
                tuned[lambda meta: (64 // meta["BLOCK"],)](to)
            self.assertEqual(set(tuned.configs_timings), set(configs))
            self.assertEqual(list(out), list(range(64)))
            for block, kernel in {block: kernel for block, kernel in made}.items():
                self.assertIn(f"descriptor i32[{block}]", kernel.asm["ttir"])
                self.assertFalse(kernel.stats["in_place"])

    def test_who_is_told_of_compiles_hears_of_them_in_order(self):
        x, out = np.zeros(4, np.int32), np.zeros(4, np.int32)
        threads = set()
        knobs.runtime.jit_post_compile_hook = lambda **told: threads.add(threading.get_ident())
        try:
            with mock.patch("tilec.tuning._cpus", return_value=2), device.use_device("cpu"):
                autotune([Config({"BLOCK": b}) for b in (4, 8)], key=[])(increment)[(1,)](x, out)
        finally:
            knobs.runtime.jit_post_compile_hook = None
        self.assertEqual(threads, {threading.get_ident()})

    def test_what_fails_is_skipped_and_else_raised(self):
        x = np.zeros(4, np.int32)
        wrong = autotune([Config({"BLOCK": 0}), Config({"BLOCK": 4})], key=[])(filled)
        wrong[(1,)](x)
        self.assertEqual(list(x), [1] * 4)
        self.assertEqual(wrong.best_config.kwargs, {"BLOCK": 4})
        wrong = autotune([Config({"BLOCK": 0}), Config({"BLOCK": -1})], key=[])(filled)
        with self.assertRaisesRegex(CompilationError, "BLOCK"):
            wrong[(1,)](x)

    def test_other_errors_end_it(self):
        def hook(args):
            raise KeyError("mine")

        x = np.zeros(4, np.int32)
        configs = [Config({"BLOCK": 4}, pre_hook=hook), Config({"BLOCK": 2})]
        with self.assertRaisesRegex(KeyError, "mine"):
            autotune(configs, key=[])(filled)[(1,)](x)


class Heuristic(unittest.TestCase):
    def test_sees_what_is_known_so_far(self):
        def kernel(x, n, BLOCK, EVEN):
            return BLOCK, EVEN

        made = heuristics({"BLOCK": lambda args: args["n"] * 2,
                           "EVEN": lambda args: args["BLOCK"] % 4 == 0})(Standin(kernel))
        self.assertEqual(made[(1,)](None, 6), (12, True))
        self.assertEqual(made[(1,)](None, n=7), (14, False))

    def test_below_autotune(self):
        def kernel(n, BLOCK, EVEN):
            return BLOCK, EVEN

        inner = heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})(Standin(kernel))
        tuned = autotune([Config({"BLOCK": 4})], key=[])(inner)
        self.assertEqual(tuned[(1,)](8), (4, True))
        self.assertEqual(tuned.arg_names, ["n", "BLOCK", "EVEN"])

    def test_device_is_part_of_the_key(self):
        kernel, measure = timed({16: 3, 64: 1, 256: 2})
        tuned = autotune(SIZES, key=["n"], do_bench=measure)(kernel)
        with device.use_device("interp"):
            tuned[(1,)](None, 1)
        tuned[(1,)](None, 1)
        self.assertEqual(len(tuned.cache), 2)


if __name__ == "__main__":
    unittest.main()
