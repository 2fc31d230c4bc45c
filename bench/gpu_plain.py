"""Rows of gpu.py for the kernels of plain.py: what memory bounds, or nearly so, beside Triton and PyTorch.

Nothing is tuned: blocks and warps are what people write, the same for tilec and Triton.  `tools` is the
module gpu.py.
"""

import torch
import torch.nn.functional as F

HALF, BRAIN, SINGLE = torch.float16, torch.bfloat16, torch.float32
SHORT = {HALF: "fp16", BRAIN: "bf16", SINGLE: "fp32", torch.uint8: "u8", torch.int8: "i8"}
NEAR = {HALF: 2e-3, BRAIN: 2e-2, SINGLE: 1e-5}
MANY = 1 << 26  # elements of what goes one by one


def rows(tools, lib):
    """Names and makers."""
    return [(name, lambda m=make, n=name: m(Bench(tools, lib, n))) for name, make in MAKERS.items()]


class Bench:
    """What each maker needs."""

    def __init__(self, tools, lib, name):
        self.tools, self.lib, self.name = tools, lib, name

    def row(self, kernel, grid, args, outs, reference, bytes, tolerance, warps=4, torch_run=None, **named):
        """outs: tensors among args that the kernel writes; torch_run gives what they hold."""
        run = self.tools.both(self.lib, "plain", kernel, grid, args, num_warps=warps, **named)
        outputs = dict.fromkeys(run, outs[0] if len(outs) == 1 else tuple(outs))
        if torch_run:
            run["torch"] = torch_run
        return self.tools.Row(self.name, run, outputs, reference, tolerance, bytes=bytes)

    def adding(self, kernel, grid, args, sums, reference, bytes, torch_run, **named):
        """A kernel that adds to `sums`, which are set to 0 in front of it."""
        run = self.tools.both(self.lib, "plain", kernel, grid, args, num_warps=4, **named)
        run["torch"] = torch_run
        from_zero = {name: lambda r=r: (sums.zero_(), r(), sums)[2] for name, r in run.items()}
        return self.tools.Row(self.name, from_zero, {}, reference, 1e-5, bytes=bytes)

    def each(self, kernel, ins, out, compute, *numbers, block=1024, **named):
        """An elementwise kernel: compute(*ins) is what PyTorch has for it."""
        n = out.numel()
        bytes = sum(x.numel() * x.element_size() for x in (*ins, out))
        return self.row(kernel, (-(-n // block),), (*ins, out, n, *numbers), [out], compute(*ins), bytes,
                        NEAR.get(out.dtype, 0), torch_run=lambda: compute(*ins), BLOCK=block, **named)

    def along(self, kernel, ins, out, compute, rows, n, *numbers, tolerance=None, **named):
        """A kernel of one row a program, with as many warps as people give so long a row."""
        block = 1 << (n - 1).bit_length()
        bytes = sum(x.numel() * x.element_size() for x in (*ins, out))
        return self.row(kernel, (rows,), (*ins, out, n, *numbers), [out], compute(*ins), bytes,
                        NEAR.get(out.dtype, 0) if tolerance is None else tolerance,
                        warps=4 if block <= 1024 else 8 if block <= 4096 else 16,
                        torch_run=lambda: compute(*ins), BLOCK=block, **named)


def random(*shape, dtype=SINGLE):
    return torch.randn(*shape, device="cuda").to(dtype)


def gelu(b, dtype):
    x = random(MANY, dtype=dtype)
    return b.each("gelu", [x], torch.empty_like(x), F.gelu)


def relu(b, dtype, n=MANY):
    x = random(n, dtype=dtype)
    return b.each("relu", [x], torch.empty_like(x), F.relu)


def dim(b):
    x = torch.randint(0, 256, (4 * MANY,), device="cuda", dtype=torch.uint8)
    return b.each("dim", [x], torch.empty_like(x), lambda x: (x.int() * 3 >> 2).to(torch.uint8))


def cast(b, source, target):
    return b.each("cast", [random(MANY, dtype=source)], random(MANY, dtype=target), lambda x: x.to(target))


def silu_backward(b):
    dy, x = random(MANY, dtype=HALF), random(MANY, dtype=HALF)
    return b.each("silu_backward", [dy, x], torch.empty_like(x),
                  lambda dy, x: torch.ops.aten.silu_backward(dy, x))


def clamped_axpy(b):
    x, y = random(MANY), random(MANY)
    return b.each("clamped_axpy", [x, y], torch.empty_like(x), lambda x, y: (2 * x + y).clamp(-1, 1), 2.0)


def dropout(b):
    """Compared with Triton's; PyTorch draws other numbers."""
    x = random(MANY)
    outs = [torch.empty_like(x), torch.empty_like(x)]
    n, block, named = x.numel(), 1024, {"BLOCK": 1024}
    b.tools.peer("plain").dropout[(n // block,)](x, outs[1], n, 0.25, 7, **named)
    reference = outs[1].clone()
    return b.row("dropout", (n // block,), (x, outs[0], n, 0.25, 7), [outs[0]], reference, 8 * n, 1e-6,
                 torch_run=lambda: (F.dropout(x, 0.25), reference)[1], **named)


def adam(b):
    """At a rate of 0, so that all providers do the same again."""
    p, g, m, v = random(MANY), random(MANY), random(MANY), random(MANY).abs()
    run = b.tools.both(b.lib, "plain", "adam", (MANY // 1024,), (p, g, m, v, MANY, 0.0), BLOCK=1024)
    same = {name: lambda r=r: (r(), p)[1] for name, r in run.items()}
    return b.tools.Row(b.name, same, {}, p.clone(), 0, bytes=7 * 4 * MANY)


def unpack_int4(b):
    q = torch.randint(0, 256, (MANY // 2,), device="cuda", dtype=torch.uint8)
    scale = random(MANY // 128, dtype=HALF)
    out = torch.empty(MANY, device="cuda", dtype=HALF)

    def compute():
        both = torch.stack((q & 15, q >> 4), 1).reshape(-1, 128).half() - 8
        return (both * scale[:, None]).reshape(-1)

    return b.row("unpack_int4", (MANY // 1024,), (q, scale, out, MANY), [out], compute(), MANY * 2.5, 2e-3,
                 torch_run=compute, GROUP=128, BLOCK=1024)


def swiglu(b, n):
    x = random(8192, 2 * n, dtype=BRAIN)
    out = torch.empty(8192, n, device="cuda", dtype=BRAIN)
    return b.along("swiglu", [x], out, lambda x: F.silu(x[:, :n]) * x[:, n:], 8192, n)


def rms_norm(b, n):
    x, w = random(8192, n, dtype=BRAIN), random(n, dtype=BRAIN)
    return b.along("rms_norm", [x, w], torch.empty_like(x), lambda x, w: F.rms_norm(x, (n,), w, 1e-6), 8192, n, 1e-6)


def add_rms_norm(b, n):
    x, r, w = random(8192, n, dtype=HALF), random(8192, n, dtype=HALF), random(n, dtype=HALF)
    return b.along("add_rms_norm", [x, r, w], torch.empty_like(x),
                   lambda x, r, w: F.rms_norm(x.float() + r.float(), (n,), w.float(), 1e-6).half(), 8192, n, 1e-6)


def quantise_rows(b, n):
    x = random(8192, n, dtype=HALF)
    q, scale = torch.empty(8192, n, device="cuda", dtype=torch.int8), torch.empty(8192, device="cuda")

    def compute():
        scales = x.float().abs().amax(1) / 127
        return (x.float() / scales[:, None]).round().to(torch.int8), scales

    return b.row("quantise_rows", (8192,), (x, q, scale, n), [q, scale], compute(), x.numel() * 3, 1e-2,
                 warps=8, torch_run=compute, BLOCK=1 << (n - 1).bit_length())


def quantise_groups(b):
    x = random(8192, 4096, dtype=HALF)
    q = torch.empty(8192, 4096, device="cuda", dtype=torch.float8_e4m3fn)
    scale = torch.empty(8192 * 32, device="cuda")

    def compute():
        g = x.float().reshape(-1, 128)
        scales = g.abs().amax(1).clamp_min(1e-6) / 448
        return (g / scales[:, None]).to(torch.float8_e4m3fn).view(torch.uint8), scales

    return b.row("quantise_groups", (8192,), (x, q, scale), [q.view(torch.uint8), scale], compute(), x.numel() * 3,
                 1e-2, torch_run=compute, GROUP=128, GROUPS=32)


def masked_softmax(b):
    x = random(16, 1024, 1024, dtype=HALF)
    mask = torch.ones(1024, 1024, device="cuda", dtype=torch.bool).triu(1)
    return b.along("masked_softmax", [x], torch.empty_like(x),
                   lambda x: torch.softmax((x * 0.125).masked_fill(mask, -torch.inf), 2), 16 * 1024, 1024, 0.125)


def online_softmax(b):
    rows, n = 4096, 50257
    x = random(rows, n, dtype=BRAIN)
    out = torch.empty_like(x)
    compute = lambda: torch.softmax(x, 1)
    return b.row("online_softmax", (rows,), (x, out, n), [out], compute(), 6 * x.numel(), 2e-2, warps=8,
                 torch_run=compute, BLOCK=4096)


def online_cross_entropy(b):
    rows, n = 8192, 32000
    x, label = random(rows, n, dtype=BRAIN), torch.randint(0, n, (rows,), device="cuda")
    out = torch.empty(rows, device="cuda")
    compute = lambda: F.cross_entropy(x.float(), label, reduction="none")
    return b.row("online_cross_entropy", (rows,), (x, label, out, n), [out], compute(), 2 * x.numel(), 1e-4,
                 warps=8, torch_run=compute, BLOCK=4096)


def log_sum_exp(b):
    x = random(16384, 4096)
    return b.along("log_sum_exp", [x], torch.empty(16384, device="cuda"), lambda x: torch.logsumexp(x, 1), 16384, 4096)


def argmax_rows(b):
    x = random(16384, 4096)
    out = torch.empty(16384, device="cuda", dtype=torch.int64)
    return b.along("argmax_rows", [x], out, lambda x: x.argmax(1), 16384, 4096)


def cumsum_rows(b):
    x = random(16384, 2048)
    return b.along("cumsum_rows", [x], torch.empty_like(x), lambda x: x.cumsum(1), 16384, 2048, tolerance=1e-4)


def sort_rows(b, n, dtype=SINGLE):
    x = random((1 << 24) // n, n, dtype=dtype)
    y = torch.empty_like(x)
    return b.row("sort_rows", (x.shape[0],), (x, y), [y], x.sort(1)[0], 2 * x.numel() * x.element_size(), 0,
                 torch_run=lambda: x.sort(1)[0], BLOCK=n)


def topk_rows(b, n, k):
    x = random((1 << 24) // n, n)
    y = torch.empty(x.shape[0], k, device="cuda")
    return b.row("topk_rows", (x.shape[0],), (x, y), [y], x.topk(k)[0], 4 * (x.numel() + y.numel()), 0,
                 torch_run=lambda: x.topk(k)[0], K=k, BLOCK=n)


def rope(b):
    heads, positions, d = 32, 8192, 128
    x = random(positions, heads, d, dtype=BRAIN)
    angle = random(positions, d // 2)
    cos, sin, y = angle.cos(), angle.sin(), torch.empty_like(x)

    def compute():
        one, two = x[..., :d // 2].float(), x[..., d // 2:].float()
        c, s = cos[:, None], sin[:, None]
        return torch.cat((one * c - two * s, two * c + one * s), 2).to(BRAIN)

    return b.row("rope", (positions * heads,), (x, cos, sin, y, heads), [y], compute(), 4 * x.numel(), 2e-2,
                 warps=1, torch_run=compute, D=d)


def blocks(b, kernel, ins, out, m, n, M, N, compute, grid=None, warps=4):
    bytes = sum(x.numel() * x.element_size() for x in (*ins, out))
    return b.row(kernel, grid or (-(-m // M), -(-n // N)), (*ins, out, m, n), [out], compute(*ins), bytes,
                 max(NEAR.get(out.dtype, 0), 1e-4), warps=warps, torch_run=lambda: compute(*ins), M=M, N=N)


def transpose(b, dtype, m, n):
    x = random(m, n, dtype=dtype)
    return blocks(b, "transpose", [x], torch.empty(n, m, device="cuda", dtype=dtype), m, n, 64, 64,
                  lambda x: x.t().contiguous())


def column_sums(b):
    m, n = 4096, 16384
    return blocks(b, "column_sums", [random(m, n)], torch.empty(n, device="cuda"), m, n, 32, 64,
                  lambda x: x.sum(0), grid=(n // 64,))


def bias_gelu(b, n):
    x, bias = random(8192, n, dtype=HALF), random(n, dtype=HALF)
    return blocks(b, "bias_gelu", [x, bias], torch.empty_like(x), 8192, n, 16, 128,
                  lambda x, bias: F.gelu(x + bias, approximate="tanh"))


def depthwise(b):
    x, w = random(64, 32, 112, 112), random(3, 3)
    y = torch.empty_like(x)
    weights = w.expand(32, 1, 3, 3).contiguous()
    compute = lambda: F.conv2d(x, weights, padding=1, groups=32)
    return b.row("depthwise", (4, 7, 64 * 32), (x, w, y, 112, 112), [y], compute(), 8 * x.numel(), 1e-5,
                 torch_run=compute, H=16, W=32)


def embedding(b):
    table, index = random(50000, 1024, dtype=HALF), torch.randint(0, 50000, (65536,), device="cuda")
    out = torch.empty(65536, 1024, device="cuda", dtype=HALF)
    compute = lambda: F.embedding(index, table)
    return b.row("embedding", (65536,), (table, index, out, 1024), [out], compute(), 4 * out.numel(), 0,
                 torch_run=compute, BLOCK=1024)


def scatter_add(b):
    n, bins = 1 << 24, 1 << 20
    x, index = random(n), torch.randint(0, bins, (n,), device="cuda", dtype=torch.int32)
    y, wide = torch.empty(bins, device="cuda"), index.long()
    reference = torch.zeros(bins, device="cuda").scatter_add_(0, wide, x)
    return b.adding("scatter_add", (n // 1024,), (x, index, y, n), y, reference, 8 * n,
                    lambda: y.scatter_add_(0, wide, x), BLOCK=1024)


def histogram(b):
    n = 1 << 25
    x = torch.randint(0, 256, (n,), device="cuda", dtype=torch.int32)
    y = torch.empty(256, device="cuda", dtype=torch.int32)
    return b.adding("histogram", (n // 4096,), (x, y, n), y, torch.bincount(x), 4 * n,
                    lambda: y.copy_(torch.bincount(x, minlength=256)), BINS=256, BLOCK=4096)


MAKERS = {
    "gelu fp16": lambda b: gelu(b, HALF),
    "gelu fp32": lambda b: gelu(b, SINGLE),
    "relu fp16": lambda b: relu(b, HALF),
    "relu fp16 ragged": lambda b: relu(b, HALF, MANY - 3),
    "bytes darker": dim,
    "cast fp32 to bf16": lambda b: cast(b, SINGLE, BRAIN),
    "cast bf16 to fp32": lambda b: cast(b, BRAIN, SINGLE),
    "silu backward fp16": silu_backward,
    "clamped axpy fp32": clamped_axpy,
    "dropout fp32": dropout,
    "adam fp32": adam,
    "int4 to fp16": unpack_int4,
    "swiglu bf16 4096": lambda b: swiglu(b, 4096),
    "swiglu bf16 5461": lambda b: swiglu(b, 5461),
    "rms of rows bf16 4096": lambda b: rms_norm(b, 4096),
    "rms of rows bf16 1000": lambda b: rms_norm(b, 1000),
    "add and rms of rows fp16 8192": lambda b: add_rms_norm(b, 8192),
    "rows to int8 4096": lambda b: quantise_rows(b, 4096),
    "rows to int8 11008": lambda b: quantise_rows(b, 11008),
    "groups to fp8": quantise_groups,
    "masked softmax fp16 1024": masked_softmax,
    "online softmax bf16 50257": online_softmax,
    "online cross entropy bf16 32000": online_cross_entropy,
    "log sum exp fp32 4096": log_sum_exp,
    "argmax of rows fp32 4096": argmax_rows,
    "cumsum of rows fp32 2048": cumsum_rows,
    "sort of rows fp32 128": lambda b: sort_rows(b, 128),
    "sort of rows fp32 1024": lambda b: sort_rows(b, 1024),
    "sort of rows fp16 4096": lambda b: sort_rows(b, 4096, HALF),
    "topk 8 of fp32 1024": lambda b: topk_rows(b, 1024, 8),
    "topk 64 of fp32 4096": lambda b: topk_rows(b, 4096, 64),
    "rope of heads bf16": rope,
    "transpose fp32 8192": lambda b: transpose(b, SINGLE, 8192, 8192),
    "transpose fp16 8191x4097": lambda b: transpose(b, HALF, 8191, 4097),
    "column sums fp32": column_sums,
    "bias and gelu fp16 4096": lambda b: bias_gelu(b, 4096),
    "bias and gelu fp16 4001": lambda b: bias_gelu(b, 4001),
    "depthwise 3x3 fp32": depthwise,
    "embedding fp16 1024": embedding,
    "scatter add fp32": scatter_add,
    "histogram 256 i32": histogram,
}
