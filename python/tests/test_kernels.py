"""The functions around the kernels of kernels/, as a user of PyTorch calls them, against operations
of PyTorch in float64 and the gradients that autograd has for these."""

import importlib.util
import pathlib
import unittest

import tilec

try:
    import torch
except ImportError:
    torch = None

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "kernels"


def load(name):
    """A file of kernels/, for which `triton` is tilec."""
    tilec.install()
    spec = importlib.util.spec_from_file_location(f"kernels_{name}", KERNELS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@unittest.skipUnless(torch and KERNELS.exists(), "needs PyTorch and the source tree")
class _Kernels(unittest.TestCase):
    name = None

    @classmethod
    def setUpClass(cls):
        if torch and KERNELS.exists():
            cls.kernels = load(cls.name)

    def setUp(self):
        torch.manual_seed(1)

    def near(self, got, want, rtol):
        """Relative to the largest element."""
        error = (got.double() - want).abs().max() / want.abs().max().clamp(min=1e-30)
        self.assertLessEqual(error.item(), rtol)


class Timex(_Kernels):
    name = "timex"

    def compare(self, B, C, T):
        k = torch.randn(B, C, T + 3)[:, :, :T]
        w, g = torch.randn(C, T), torch.randn(B, C, T)
        exact_k = k.double().requires_grad_(True)
        exact_w = w.double().requires_grad_(True)
        want = self.kernels.reference(exact_k, exact_w, 0.25)
        want.backward(g.double())
        self.near(self.kernels.timex(k, w, 0.25), want.detach(), 1e-5)
        d_k, d_w = self.kernels.timex_gradients(g, k, w)
        self.near(d_k, exact_k.grad, 1e-5)
        self.near(d_w, exact_w.grad, 1e-5)

    def test_shapes(self):
        for shape in ((1, 1, 1), (3, 2, 1), (2, 3, 7), (1, 2, 129), (5, 2, 64)):
            with self.subTest(shape=shape):
                self.compare(*shape)

    def test_long(self):
        self.compare(2, 1, 4111)


class Giou(_Kernels):
    name = "giou"

    def boxes(self, samples, n):
        corner = torch.rand(samples, n, 2)
        return torch.cat([corner, corner + torch.rand(samples, n, 2) * 0.5], -1)

    @staticmethod
    def formula(p, g, eps):
        """The loss by its definition, in float64."""
        meet = torch.minimum(p, g)[..., 2:] - torch.maximum(p, g)[..., :2]
        meet = torch.where(meet >= 0, meet, 0).prod(-1)  # clamp: 0 or 1 where they touch
        union = (p[..., 2:] - p[..., :2]).prod(-1) + (g[..., 2:] - g[..., :2]).prod(-1) - meet
        around = (torch.maximum(p, g)[..., 2:] - torch.minimum(p, g)[..., :2]).prod(-1)
        valid = g[..., 3] > 0
        giou = meet / (union + eps) - (around - union) / (around + eps)
        return torch.where(valid, giou, 0).sum() / valid.sum().clamp(min=1)

    def compare(self, p, g, rtol, count=None):
        exact_p, exact_g = p.double().requires_grad_(True), g.double().requires_grad_(True)
        want = self.formula(exact_p, exact_g, 1e-5)
        want.backward()
        loss, d_p, d_g = self.kernels.giou_loss(p, g, gradients=True, count=count)
        self.near(loss, want.detach(), rtol)
        self.near(self.kernels.giou_loss(p, g), want.detach(), rtol)
        self.near(d_p, exact_p.grad, rtol)
        self.near(d_g, exact_g.grad, rtol)

    def test_loss(self):
        for n in (1, 75, 256, 1500):
            p, g = self.boxes(4, n), self.boxes(4, n)
            g[:, n - n // 4:] = 0
            with self.subTest(n=n):
                self.compare(p, g, 3e-5)
                self.compare(p, g, 3e-5, count=4 * (n - n // 4))

    def test_small_floats(self):
        for dtype in (torch.float16, torch.bfloat16):
            with self.subTest(dtype=dtype):
                p, g = self.boxes(3, 40).to(dtype), self.boxes(3, 40).to(dtype)
                self.compare(p, g, 2**-7)

    def test_finite(self):
        """Boxes without area, apart, and nothing at all."""
        p = torch.tensor([[[0.0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1], [5, 5, 6, 6]]])
        g = torch.tensor([[[0.0, 0, 0, 0], [1, 1, 1, 1], [8, 8, 9, 9], [5, 5, 5, 6]]])
        for t in self.kernels.giou_loss(p, g, gradients=True):
            self.assertTrue(torch.isfinite(t).all())
        loss, d_p, _ = self.kernels.giou_loss(p, torch.zeros_like(g), gradients=True)
        self.assertEqual((loss.item(), d_p.abs().max().item()), (0, 0))


class Morphology(_Kernels):
    name = "morphology"

    def test_pooling(self):
        x = torch.randint(0, 256, (2, 40, 150), dtype=torch.uint8)
        for size in (1, 3, 15):
            want = torch.nn.functional.max_pool2d(x[:, None].float(), size, 1, size // 2)[:, 0]
            got = self.kernels.rectangle(x, "dilate", (size, size))
            self.assertTrue(torch.equal(got.float(), want))

    def test_chains(self):
        x = torch.randint(0, 256, (2, 40, 90), dtype=torch.uint8)
        for text in (None, "0110/1111/0100"):
            got = self.kernels.chains(x, (3, 4), element=text)
            for op, mine in zip(("open", "close", "gradient"), got):
                self.assertTrue(torch.equal(mine, self.kernels.apply(x, op, (3, 4), element=text)))

    def test_masks(self):
        x = torch.randint(0, 256, (3, 40, 90), dtype=torch.uint8)
        texts = ["0110/1111/0100", "1001/0000/1111", "0000/0000/0010"]
        masks = [[[int(v) for v in row] for row in text.split("/")] for text in texts]
        for largest, op in ((True, "dilate"), (False, "erode")):
            want = [self.kernels.apply(x[i:i + 1], op, (3, 4), element=text)
                    for i, text in enumerate(texts)]
            self.assertTrue(torch.equal(self.kernels.by_masks(x, masks, largest), torch.cat(want)))
        self.assertTrue(torch.equal(self.kernels.by_masks(x[:1], masks[:1], largest), want[0]))

    def test_ellipse(self):
        self.assertEqual(self.kernels.ellipse(5, 5), "00100/11111/11111/11111/00100")
        self.assertEqual(self.kernels.ellipse(1, 3), "010")
        text = self.kernels.ellipse(7, 9)
        element = torch.tensor([[int(v) for v in row] for row in text.split("/")], dtype=torch.bool)
        x = torch.rand(2, 70, 140)
        padded = torch.nn.functional.pad(x, (4, 4, 3, 3), value=float("inf"))
        windows = padded.unfold(1, 7, 1).unfold(2, 9, 1)
        want = windows[..., element].amin(-1)
        got = self.kernels.apply(x, "erode", (7, 9), element=text)
        self.assertTrue(torch.equal(got, want))

    def test_steps(self):
        """Borders that a chain cannot have in one launch, and the threshold behind it."""
        x = torch.rand(1, 30, 30)
        one = self.kernels.rectangle(x, "erode", (3, 3), border="reflect")
        want = self.kernels.rectangle(one, "dilate", (3, 3), border="reflect")
        got = self.kernels.rectangle(x, "open", (3, 3), border="reflect")
        self.assertTrue(torch.equal(got, want))
        got = self.kernels.rectangle(x, "open", (3, 3), border="reflect", threshold=0.2)
        self.assertTrue(torch.equal(got, torch.where(want > 0.2, 255.0, 0.0)))


class Registration(_Kernels):
    name = "registration"

    def test_register(self):
        scene = torch.randint(0, 256, (120, 150), dtype=torch.uint8)
        by = [(k % 5 - 2, 3 - k % 7) for k in range(8)]
        moved = torch.stack([torch.roll(scene, shift, (0, 1)) for shift in by])
        template = scene[50:71, 60:84]
        out, offsets, scores = self.kernels.register(moved, template, (50, 60), (100, 120))
        self.assertEqual(offsets.tolist(), [list(shift) for shift in by])
        self.assertTrue(torch.equal(out, scene[10:110, 15:135].expand(8, -1, -1)))
        self.near(scores, torch.ones(8).double(), 1e-12)

    def test_products(self):
        x, templates = torch.randn(3, 40, 50), torch.randn(4, 7, 6)
        response = torch.nn.functional.conv2d(x[:, None].double(), templates[:, None].double())
        places = response.flatten(2).argmax(2)
        for blocks in (None, False, True):
            scores, offsets = self.kernels.find(x, templates, normalised=False, blocks=blocks)
            self.near(scores, response.amax((2, 3)), 1e-6)
            self.assertEqual(offsets.tolist(), torch.stack([places // 45, places % 45], -1).tolist())
        best, at = self.kernels.argmax(response.flatten(0, 1))
        self.assertEqual(at.tolist(), offsets.flatten(0, 1).tolist())
        self.assertTrue(torch.equal(best, response.amax((2, 3)).flatten()))

    def test_window(self):
        x = torch.randint(0, 256, (5, 60, 60), dtype=torch.uint8)
        each = torch.stack([x[b, None, 20 + b:30 + b, 25:37] for b in range(5)])
        _, offsets = self.kernels.find(x, each, window=(18, 20, 9, 10), origin=(20, 25))
        self.assertEqual(offsets[:, 0].tolist(), [[b, 0] for b in range(5)])

    def test_bilinear(self):
        x = torch.rand(2, 30, 40, dtype=torch.float64)
        got = self.kernels.shift(x, torch.tensor([[0.5, 0.0], [0.0, -0.25]]), bilinear=True)
        self.near(got[0, 1:], (x[0, 1:] + x[0, :-1]) / 2, 1e-12)
        self.near(got[1, :, :-1], 0.75 * x[1, :, :-1] + 0.25 * x[1, :, 1:], 1e-12)


class Attention(_Kernels):
    name = "attention"

    def compare(self, heads, kv_heads, q_length, k_length, d, causal):
        q, k, v = (torch.randn(2, t, h, d).transpose(1, 2)
                   for h, t in ((heads, q_length), (kv_heads, k_length), (kv_heads, k_length)))
        behind = torch.randn(2, heads, q_length, d)
        exact = [x.double().requires_grad_(True) for x in (q, k, v)]
        want = self.kernels.reference(*exact, causal)
        given = [x.requires_grad_(True) for x in (q, k, v)]
        got = self.kernels.attention(*given, causal)
        self.near(got, want.detach(), 1e-5)
        for mine, other in zip(torch.autograd.grad(got, given, behind),
                               torch.autograd.grad(want, exact, behind.double())):
            self.near(mine, other, 1e-5)

    def test_gradients(self):
        """Of one configuration each: what the tuner chooses among is tested elsewhere."""
        for name in ("", "_query", "_key"):
            getattr(self.kernels, f"attention{name}_kernel").configs[:-1] = []
        self.compare(4, 2, 33, 50, 40, False)
        self.compare(2, 2, 37, 37, 40, True)

    def test_blind(self):
        """Queries that see no key are 0 and have no gradient."""
        for name in ("", "_query", "_key"):
            getattr(self.kernels, f"attention{name}_kernel").configs[:-1] = []
        q, k = torch.randn(1, 1, 9, 16, requires_grad=True), torch.randn(1, 1, 4, 16)
        out = self.kernels.attention(q, k, k, True)
        out.sum().backward()
        self.assertEqual(out[:, :, :5].abs().max().item(), 0)
        self.assertEqual(q.grad[:, :, :5].abs().max().item(), 0)
        want = torch.nn.functional.scaled_dot_product_attention(q[:, :, 5:], k, k, is_causal=True)
        self.near(out[:, :, 5:], want.double(), 1e-5)


class Norms(_Kernels):
    name = "norms"

    def compare(self, shape, dtype, rtol):
        x, behind = torch.randn(shape).to(dtype), torch.randn(shape).to(dtype)
        n = shape[-1]
        w, b = torch.randn(n).to(dtype), torch.randn(n).to(dtype)
        for way, of_torch, given in (
                (self.kernels.layer_norm, lambda x, w, b: torch.nn.functional.layer_norm(
                    x, (n,), w, b), (x, w, b)),
                (self.kernels.rms_norm, lambda x, w: torch.nn.functional.rms_norm(
                    x, (n,), w, 1e-6), (x, w))):
            mine = [t.clone().requires_grad_(True) for t in given]
            exact = [t.double().requires_grad_(True) for t in given]
            got, want = way(*mine), of_torch(*exact)
            self.near(got, want.detach(), rtol)
            for a, e in zip(torch.autograd.grad(got, mine, behind),
                            torch.autograd.grad(want, exact, behind.double())):
                self.near(a, e, rtol)

    def test_shapes(self):
        for shape in ((3, 5, 7), (300, 130), (2, 17000), (1, 9000)):
            with self.subTest(shape=shape):
                self.compare(shape, torch.float32, 1e-5)
        self.compare((20, 100), torch.bfloat16, 2**-7)

    def test_nothing(self):
        x, w = torch.randn(0, 8, requires_grad=True), torch.ones(8, requires_grad=True)
        self.kernels.rms_norm(x, w).sum().backward()
        self.assertEqual(w.grad.abs().max().item(), 0)


class CrossEntropy(_Kernels):
    name = "cross_entropy"

    def compare(self, rows, columns, dtype, rtol, **choices):
        x = (torch.randn(rows, columns) * 3).to(dtype).requires_grad_(True)
        targets = torch.randint(0, columns, (rows,))
        targets[rows // 2] = -100
        exact = x.detach().double().requires_grad_(True)
        want = self.kernels.reference(exact, targets, **choices)
        got = self.kernels.cross_entropy(x, targets, **choices)
        self.near(got, want.detach(), 1e-5)
        behind = torch.randn(want.shape)
        exact_gradient, = torch.autograd.grad(want, exact, behind.double(), retain_graph=True)
        self.near(torch.autograd.grad(got, x, behind)[0], exact_gradient, rtol)
        if choices["reduction"] != "none":
            exact_gradient, = torch.autograd.grad(want, exact)
            for in_place in (False, True):
                logits = x.detach().clone()
                loss, gradient = self.kernels.cross_entropy_with_gradient(logits, targets, **choices,
                                                                          in_place=in_place)
                self.near(loss, want.detach(), 1e-5)
                self.near(gradient, exact_gradient, rtol)
                self.assertEqual(torch.equal(logits, gradient), in_place)

    def test_reductions(self):
        for choices in ({"reduction": "mean"}, {"reduction": "sum", "smoothing": 0.1, "z": 1e-2},
                        {"reduction": "none", "smoothing": 0.3}):
            with self.subTest(**choices):
                self.compare(33, 1001, torch.float32, 1e-5, **choices)
        self.compare(3, 5000, torch.bfloat16, 2**-7, reduction="mean")

    def test_nothing_counts(self):
        """PyTorch's mean over no rows."""
        loss = self.kernels.cross_entropy(torch.randn(3, 5), torch.full((3,), -100))
        self.assertTrue(torch.isnan(loss))


class Rope(_Kernels):
    name = "rope"

    def compare(self, d, rotated, interleaved, positions):
        q, k = torch.randn(2, 37, 3, d), torch.randn(2, 1, 37, d).transpose(1, 2)
        tables = self.kernels.make_tables(64, rotated)
        places = torch.arange(37) + 5 if positions is None else positions
        cos, sin = (t.double()[places] for t in tables)
        exact = [x.double().requires_grad_(True) for x in (q, k)]
        want = [self.kernels.reference(x, cos, sin, interleaved) for x in exact]
        behind = [torch.randn(x.shape) for x in want]
        gradients = torch.autograd.grad(want, exact, [b.double() for b in behind])
        given = [x.requires_grad_(True) for x in (q, k)]
        for kept in (tables, None):
            got = self.kernels.rope(*given, kept, positions, 5, rotated=rotated,
                                    interleaved=interleaved)
            for mine, other in zip(got + torch.autograd.grad(got, given, behind),
                                   (*want, *gradients)):
                self.near(mine, other.detach(), 1e-6 if kept else 1e-5)
        turned = [x.detach().clone() for x in given]
        self.kernels.rope_(*turned, tables, positions, 5, rotated=rotated, interleaved=interleaved)
        for mine, other in zip(turned, want):
            self.near(mine, other.detach(), 1e-6)

    def test_styles(self):
        self.compare(64, 64, False, None)
        self.compare(30, 18, True, torch.randint(0, 64, (37,)))


if __name__ == "__main__":
    unittest.main()
