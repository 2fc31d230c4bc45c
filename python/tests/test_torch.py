"""tilec.torch.op: operators under torch.compile, fake tensors, vmap and autograd; kernels in profiles."""

import inspect
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest

import tilec

try:
    import torch
except ImportError:
    torch = None
else:
    from torch_operators import (add_one, add_one_kernel, added, chained, halved_first, row_sums, scale,
                                 scale_kernel, scaled, stored_twice, twice_and_thrice)


@unittest.skipUnless(torch, "needs PyTorch")
class Operators(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.x = torch.randn(10, 30)

    def test_call(self):
        torch.testing.assert_close(scale(self.x, 3.0), self.x * 3)
        torch.testing.assert_close(scale(self.x, factor=3.0), self.x * 3)
        self.assertIs(torch.ops.tilec.scale.default, scale._opoverload)

    def test_non_contiguous(self):
        for view in (self.x.T, self.x[::2, ::3], self.x.expand(4, 10, 30)):
            torch.testing.assert_close(scale(view, 2.0), view * 2)

    def test_strided(self):
        torch.testing.assert_close(row_sums(self.x.T), self.x.sum(0))

    def test_without_elements(self):
        for shape in ((0,), (0, 3), (3, 0)):
            self.assertEqual(scale(torch.empty(shape), 2.0).shape, shape)
        self.assertEqual(row_sums(torch.empty(0, 3)).shape, (0,))

    def test_changes_its_argument(self):
        x = torch.zeros(5)
        add_one(x)
        self.assertEqual(x.tolist(), [1] * 5)
        y = torch.zeros(5, 2)
        add_one(y[:, 1])
        self.assertEqual(y.tolist(), [[0, 1]] * 5)

    def test_several_results(self):
        two, three = twice_and_thrice(self.x)
        torch.testing.assert_close(two + three, self.x * 5)

    def test_autograd(self):
        x = self.x.clone().requires_grad_(True)
        scale(scale(x, 3.0), 2.0).sum().backward()
        self.assertTrue((x.grad == 6).all())
        y = scale(x.detach().requires_grad_(True).T, 2.0)
        y.backward(torch.ones_like(y))

    def test_derived_backward(self):
        x = self.x.clone().requires_grad_(True)
        scaled(scaled(x, 3.0), 2.0).sum().backward()
        self.assertTrue((x.grad == 6).all())
        wide = torch.randn(7, 4, dtype=torch.float64, requires_grad=True)
        torch.autograd.gradcheck(lambda v: scaled(v.T, 3.0), (wide,))
        w, places = torch.randn(1, dtype=torch.float64, requires_grad=True), torch.zeros(3, dtype=torch.int32)
        torch.autograd.gradcheck(lambda v, u: chained(v, u, places), (wide, w))
        torch.autograd.gradcheck(lambda v: chained(v, w.detach(), places)[1], (wide,))
        torch.autograd.gradcheck(lambda u: chained(u.view(1, 1), u, places), (w,))  # one tensor twice
        torch.autograd.gradcheck(added, (wide,))

    def test_derived_backward_of_a_compiled_graph(self):
        x = self.x.clone().requires_grad_(True)
        torch.compile(lambda v: scaled(v * 2, 3.0).sum(), backend="aot_eager", fullgraph=True)(x).backward()
        self.assertTrue((x.grad == 6).all())
        torch.library.opcheck(scaled, (x.detach().requires_grad_(True), 3.0))

    def test_derived_backward_refuses(self):
        for function, why in ((halved_first, "computes with `div` of PyTorch"),
                              (stored_twice, "which an earlier launch has stored to")):
            x = self.x.clone().requires_grad_(True)
            with self.assertRaisesRegex(NotImplementedError, why):
                function(x).sum().backward()
        with self.assertRaisesRegex(TypeError, "change none of their arguments"):
            tilec.torch.op(mutates="x", backward="derive")(lambda x: None)

    def test_refuses_options_at_once(self):
        def same(x: torch.Tensor) -> torch.Tensor:
            return x.clone()

        for options, kind, why in (({"name": "scale"}, ValueError, '"library::name".*not \'scale\''),
                                   ({"name": "a::b c"}, ValueError, '"library::name"'),
                                   ({"backward": "derived"}, TypeError, '"derive", not \'derived\''),
                                   ({"backward": 3}, TypeError, '"derive", not 3'),
                                   ({"fake": 3}, TypeError, "fake is a function, not 3"),
                                   ({"setup": 3}, TypeError, "setup is a function, not 3")):
            with self.subTest(options), self.assertRaisesRegex(kind, why):
                tilec.torch.op(**{"name": "tilec_test::refused", **options})(same)
        with self.assertRaisesRegex(TypeError, 'of a function, not of \'a::b\'; its name is an option'):
            tilec.torch.op("a::b")

    def test_operator_without_backward_says_which_option_gives_one(self):
        @tilec.torch.op(name="tilec_test::without_backward")
        def doubled(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        x = self.x.clone().requires_grad_(True)
        made = doubled(x)
        with self.assertRaisesRegex(NotImplementedError, "tilec_test::without_backward` has no backward: .*backward="):
            made.sum().backward()
        doubled.register_autograd(lambda ctx, gradient: gradient * 2)  # PyTorch's way to add one later
        doubled(x).sum().backward()
        self.assertTrue((x.grad == 2).all())

    def test_gradcheck(self):
        x = torch.randn(7, dtype=torch.float64, requires_grad=True)
        torch.autograd.gradcheck(lambda v: scale(v, 3.0), (x,))

    def test_fake_tensors(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode() as mode:
            made = scale(mode.from_tensor(self.x), 2.0)
            sums = row_sums(mode.from_tensor(self.x))
        self.assertEqual((tuple(made.shape), tuple(sums.shape)), ((10, 30), (10,)))
        torch.testing.assert_close(scale(self.x, 3.0), self.x * 3)

    def test_other_threads_launch_meanwhile(self):
        results = []
        with tilec.torch._Watched(tilec.torch._silence):
            thread = threading.Thread(target=lambda: results.append(scale(self.x, 2.0)))
            thread.start()
            thread.join()
        torch.testing.assert_close(results[0], self.x * 2)
        self.assertNotIn("__getitem__", tilec.JITFunction.__dict__)

    def test_meta(self):
        self.assertEqual(scale(torch.empty(4, 5, device="meta"), 2.0).shape, (4, 5))

    def test_compile(self):
        for backend in ("eager", "aot_eager"):
            torch._dynamo.reset()
            compiled = torch.compile(lambda x: scale(x.sin(), 2.0) + 1, fullgraph=True,
                                     backend=backend)
            torch.testing.assert_close(compiled(self.x), self.x.sin() * 2 + 1)
            torch.testing.assert_close(compiled(self.x[:4]), self.x[:4].sin() * 2 + 1)

    def test_compile_with_gradients(self):
        torch._dynamo.reset()
        compiled = torch.compile(lambda x: scale(x, 3.0).sum(), fullgraph=True, backend="aot_eager")
        x = self.x.clone().requires_grad_(True)
        compiled(x).backward()
        self.assertTrue((x.grad == 3).all())

    def test_inductor(self):
        """Kernels that torch.compile writes itself, forward and backward, without what is warned of."""
        def run(x, w):
            return torch.nn.functional.layer_norm(x.relu() @ w, (7,)).softmax(-1).amax(0).sum() + x.amax(0).sum()

        program = """
            import torch, torch._inductor.config as config
            config.cpu_backend = "triton"
            x, w = torch.load(input(), weights_only=True)
            x.requires_grad_()
            BODY
            result = torch.compile(run)(x, w)
            result.backward()
            torch.save([result.detach(), x.grad], input())
        """
        with tempfile.TemporaryDirectory() as folder:
            given, made = os.path.join(folder, "given"), os.path.join(folder, "made")
            w = torch.randn(30, 7)
            torch.save([self.x, w], given)
            body = textwrap.dedent(inspect.getsource(run))
            text = textwrap.dedent(program).replace("BODY", body)
            done = subprocess.run(
                [sys.executable, "-m", "tilec", "-c", text], input=f"{given}\n{made}\n", text=True, timeout=600,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": folder, "TORCHINDUCTOR_COMPILE_THREADS": "1"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("warning: ", done.stderr)
            result, gradient = torch.load(made, weights_only=True)
        x = self.x.clone().requires_grad_()
        wanted = run(x, w)
        wanted.backward()
        torch.testing.assert_close(result, wanted.detach(), rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(gradient, x.grad, rtol=1e-4, atol=1e-4)

    def test_vmap(self):
        torch.testing.assert_close(torch.vmap(lambda x: scale(x, 2.0))(self.x), self.x * 2)
        torch.testing.assert_close(torch.vmap(lambda x: scale(x, 2.0), in_dims=1, out_dims=1)(self.x),
                                   self.x * 2)
        two, three = torch.vmap(twice_and_thrice)(self.x)
        torch.testing.assert_close(two + three, self.x * 5)
        self.assertEqual(torch.vmap(lambda x: scale(x, 2.0))(torch.empty(0, 3)).shape, (0, 3))
        nested = torch.vmap(torch.vmap(lambda x: scale(x, 2.0)))(self.x)
        torch.testing.assert_close(nested, self.x * 2)

    def test_opcheck(self):
        torch.library.opcheck(scale, (self.x, 2.0))
        torch.library.opcheck(scale, (self.x.clone().requires_grad_(True), 2.0))
        torch.library.opcheck(add_one, (torch.zeros(5),))
        torch.library.opcheck(row_sums, (self.x,))


@unittest.skipUnless(torch, "needs PyTorch")
class Shown(unittest.TestCase):
    def test_explain(self):
        x = torch.arange(24, dtype=torch.bfloat16).reshape(4, 6)
        out = torch.zeros(24)
        told = scale_kernel.explain(x, out, 24, 2.0, BLOCK=16, grid=lambda meta: (tilec.cdiv(24, meta["BLOCK"]),),
                                    program=1)
        stored = next(tile for step in told.steps for name, tile in step.values.items() if "stored" in name)
        self.assertEqual(stored.array[:8].tolist(), [2.0 * i for i in range(16, 24)])
        self.assertFalse(out.any())
        with self.assertRaisesRegex(tilec.errors.ArgumentError, "the strides of `x`"):
            scale_kernel.explain(x[:1].expand(4, 6), out, 24, 2.0, BLOCK=16, grid=2)


@unittest.skipUnless(torch, "needs PyTorch")
class Profiles(unittest.TestCase):
    def test_table_and_trace(self):
        """Launches by the kernel's name, in operators and without, inside of what asks for them."""
        x = torch.randn(10, 30)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            with torch.profiler.record_function("step"):
                scale(x, 2.0)
                add_one(x)
                add_one_kernel[(1,)](x, x.numel(), BLOCK=512)
        counts = {row.key: row.count for row in profile.key_averages()}
        self.assertEqual((counts["scale_kernel"], counts["add_one_kernel"]), (1, 2))
        self.assertIn("add_one_kernel", profile.key_averages().table(sort_by="self_cpu_time_total"))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            profile.export_chrome_trace(path)
            with open(path, encoding="utf-8") as file:
                events = json.load(file)["traceEvents"]
        spans = {name: [e for e in events if e.get("name") == name and e.get("ph") == "X"]
                 for name in ("step", "scale_kernel", "add_one_kernel")}
        (step,) = spans["step"]
        self.assertEqual([len(found) for found in spans.values()], [1, 1, 2])
        for e in spans["scale_kernel"] + spans["add_one_kernel"]:
            self.assertLessEqual(step["ts"], e["ts"])
            self.assertLessEqual(e["ts"] + e["dur"], step["ts"] + step["dur"] + 1)


if __name__ == "__main__":
    unittest.main()
