"""Rows of gpu.py for boxes: generalised intersection over union, the loss, and the loss with its gradient.

The loss takes two launches, the sums of the programs and the sum of these.  The gradient is that of the
predicted boxes, in the same pass; PyTorch's is autograd's.  `tools` is the module gpu.py.
"""

import torch

EPS = 1e-5
BOXES = 256  # of a sample


def rows(tools, lib):
    """Names and makers."""
    makers = []
    for dtype in (torch.float32, torch.bfloat16):
        makers.append((f"giou {word(dtype)}", lambda d=dtype: giou(tools, lib, d)))
    for batch in (32, 1024, 65536):
        makers.append((f"giou loss {batch}", lambda n=batch: loss(tools, lib, n)))
    for dtype in (torch.float32, torch.bfloat16):
        makers.append((f"giou loss with gradient {word(dtype)}",
                       lambda d=dtype: loss_and_gradient(tools, lib, 65536, d)))
    return makers


def word(dtype):
    return "fp32" if dtype == torch.float32 else "bf16"


def boxes(batch, dtype):
    """Predicted and true boxes that overlap, [batch, BOXES, 4]."""
    corner = torch.rand(batch, BOXES, 2, device="cuda")
    gt = torch.cat([corner, corner + torch.rand_like(corner)], -1)
    return (gt + 0.1 * torch.rand_like(gt)).to(dtype), gt.to(dtype)


def giou(tools, lib, dtype):
    pred, gt = boxes(65536, dtype)
    batch = len(pred)
    out = torch.empty(batch, BOXES, device="cuda")
    expected = torch.empty(batch, BOXES, device="cuda")
    tools.peer("giou").giou_kernel[(batch,)](pred.double(), gt.double(), expected, BOXES, EPS,
                                             BLOCK=BOXES)
    return tools.Row(f"giou {batch}x{BOXES} {word(dtype)}",
                     tools.both(lib, "giou", "giou_kernel", (batch,), (pred, gt, out, BOXES, EPS),
                                BLOCK=BOXES),
                     {"tilec": out, "triton": out}, expected, 1e-5,
                     bytes=2 * pred.numel() * pred.element_size() + 4 * out.numel())


def sums(tools, lib, pred, gt, d_pred, factor):
    """Providers of both launches, and the loss that they leave."""
    module, batch = tools.peer("giou"), len(pred)
    parts = torch.empty(batch, device="cuda")
    counts = torch.empty(batch, device="cuda", dtype=torch.int32)
    out = torch.empty(2, device="cuda")
    first = tools.both(lib, "giou", "giou_loss_kernel", (batch, 1),
                       (pred, gt, parts, counts, d_pred, None, factor, BOXES, EPS), BLOCK=BOXES)
    block, warps = module.mean_tile(batch)
    second = tools.both(lib, "giou", "giou_mean_kernel", (1,), (parts, counts, out, batch),
                        num_warps=warps, BLOCK=block)
    return {name: tools.one_after_the_other(first[name], second[name]) for name in first}, out


def loss(tools, lib, batch):
    pred, gt = boxes(batch, torch.float32)
    of = tools.peer("giou").giou_loss_reference
    providers, out = sums(tools, lib, pred, gt, None, None)
    compiled = torch.compile(of, dynamic=False)
    return tools.Row(f"giou loss {batch}x{BOXES} fp32",
                     {**providers, "torch": lambda: of(pred, gt), "compile": lambda: compiled(pred, gt)},
                     {"tilec": out[:1], "triton": out[:1]}, of(pred, gt).reshape(1), 1e-4,
                     bytes=2 * pred.numel() * 4)


def loss_and_gradient(tools, lib, batch, dtype):
    pred, gt = boxes(batch, dtype)
    of = tools.peer("giou").giou_loss_reference
    d_pred, factor = torch.empty_like(pred), torch.full((1,), 1 / (batch * BOXES), device="cuda")
    providers, _ = sums(tools, lib, pred, gt, d_pred, factor)
    compiled = torch.compile(of, dynamic=False)
    given = pred.detach().requires_grad_(True)
    by = lambda function: lambda: torch.autograd.grad(function(given, gt), given)[0]
    exact = pred.detach().float().requires_grad_(True)
    reference, = torch.autograd.grad(of(exact, gt), exact)
    return tools.Row(f"giou loss with gradient {batch}x{BOXES} {word(dtype)}",
                     {**providers, "torch": by(of), "compile": by(compiled)},
                     {"tilec": d_pred, "triton": d_pred}, reference,
                     1e-4 if dtype == torch.float32 else 5e-3,
                     bytes=3 * pred.numel() * pred.element_size())
