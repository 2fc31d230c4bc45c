"""A loss function of a training loop: generalised intersection over union of boxes, forward and
backward each one kernel, as an operator of PyTorch.

Boxes are [n, 4] as left, top, right, bottom with left < right and top < bottom;

    giou = I / U - (C - U) / C

with the areas I of the intersection, U of the union, C of the smallest box around both.  The loss
is the mean of 1 - giou.  Here a small network learns to give the box of a rectangle from its
picture's four noisy measurements.

    python -m tilec giou_training.py        (needs PyTorch)
"""

import torch
import triton
import triton.language as tl

import tilec.torch

EPS = 1e-7


@triton.jit
def load_boxes(boxes, at, inside):
    """The edges of the boxes number `at`; those that are not there have the area 1."""
    left = tl.load(boxes + at * 4, mask=inside, other=0.0)
    top = tl.load(boxes + at * 4 + 1, mask=inside, other=0.0)
    right = tl.load(boxes + at * 4 + 2, mask=inside, other=1.0)
    bottom = tl.load(boxes + at * 4 + 3, mask=inside, other=1.0)
    return left, top, right, bottom


@triton.jit
def giou_kernel(pred, true, out, n, eps, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    pl, pt, pr, pb = load_boxes(pred, at, inside)
    gl, gt, gr, gb = load_boxes(true, at, inside)
    common = tl.maximum(tl.minimum(pr, gr) - tl.maximum(pl, gl), 0.0) * \
        tl.maximum(tl.minimum(pb, gb) - tl.maximum(pt, gt), 0.0)
    union = (pr - pl) * (pb - pt) + (gr - gl) * (gb - gt) - common + eps
    around = (tl.maximum(pr, gr) - tl.minimum(pl, gl)) * \
        (tl.maximum(pb, gb) - tl.minimum(pt, gt)) + eps
    tl.store(out + at, common / union - (around - union) / around, mask=inside)


@triton.jit
def giou_backward_kernel(pred, true, gradient, out, n, eps, BLOCK: tl.constexpr):
    """out = gradient * d giou / d pred, by the chain rule through the three areas."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    pl, pt, pr, pb = load_boxes(pred, at, inside)
    gl, gt, gr, gb = load_boxes(true, at, inside)
    g = tl.load(gradient + at, mask=inside, other=0.0)
    width = tl.maximum(tl.minimum(pr, gr) - tl.maximum(pl, gl), 0.0)
    height = tl.maximum(tl.minimum(pb, gb) - tl.maximum(pt, gt), 0.0)
    w, h = pr - pl, pb - pt
    wide = tl.maximum(pr, gr) - tl.minimum(pl, gl)
    high = tl.maximum(pb, gb) - tl.minimum(pt, gt)
    common = width * height
    union = w * h + (gr - gl) * (gb - gt) - common + eps
    around = wide * high + eps

    # giou = I / U - 1 + U / C, and U = P + G - I
    d_union = 1 / around - common / (union * union)
    d_common = g * (1 / union - d_union)
    d_pred = g * d_union
    d_around = -g * union / (around * around)
    meet = (width > 0) & (height > 0)
    d_left = -tl.where(meet & (pl > gl), d_common * height, 0.0) - d_pred * h - \
        tl.where(pl < gl, d_around * high, 0.0)
    d_top = -tl.where(meet & (pt > gt), d_common * width, 0.0) - d_pred * w - \
        tl.where(pt < gt, d_around * wide, 0.0)
    d_right = tl.where(meet & (pr < gr), d_common * height, 0.0) + d_pred * h + \
        tl.where(pr > gr, d_around * high, 0.0)
    d_bottom = tl.where(meet & (pb < gb), d_common * width, 0.0) + d_pred * w + \
        tl.where(pb > gb, d_around * wide, 0.0)
    tl.store(out + at * 4, d_left, mask=inside)
    tl.store(out + at * 4 + 1, d_top, mask=inside)
    tl.store(out + at * 4 + 2, d_right, mask=inside)
    tl.store(out + at * 4 + 3, d_bottom, mask=inside)


@tilec.torch.op
def giou_gradient(pred: torch.Tensor, true: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(pred)
    n = pred.shape[0]
    giou_backward_kernel[(triton.cdiv(n, 256),)](pred, true, gradient, out, n, EPS, BLOCK=256)
    return out


def giou_backward(ctx, gradient):
    pred, true, _ = ctx.saved_tensors
    return giou_gradient(pred, true, gradient), None


@tilec.torch.op(backward=giou_backward)
def giou(pred: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
    """The giou of each pair of boxes, [n]; differentiable in `pred`."""
    out = pred.new_empty(pred.shape[0])
    n = pred.shape[0]
    giou_kernel[(triton.cdiv(n, 256),)](pred, true, out, n, EPS, BLOCK=256)
    return out


def giou_reference(pred, true):
    """The same by operations of PyTorch."""
    low, high = torch.maximum(pred[:, :2], true[:, :2]), torch.minimum(pred[:, 2:], true[:, 2:])
    common = (high - low).clamp(min=0).prod(-1)
    union = (pred[:, 2:] - pred[:, :2]).prod(-1) + (true[:, 2:] - true[:, :2]).prod(-1) - common
    around = (torch.maximum(pred[:, 2:], true[:, 2:]) -
              torch.minimum(pred[:, :2], true[:, :2])).prod(-1)
    return common / (union + EPS) - (around - union) / (around + EPS)


def as_boxes(numbers):
    """Any [n, 4] as boxes: a corner, and sizes that are positive."""
    return torch.cat([numbers[:, :2], numbers[:, :2] + torch.nn.functional.softplus(numbers[:, 2:])], 1)


def train(steps, loss_of):
    """The losses of all steps."""
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 4))
    net.to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    losses = []
    for _ in range(steps):
        true = as_boxes(torch.randn(512, 4, device=device))
        pred = as_boxes(net(true + 0.05 * torch.randn_like(true)))
        loss = (1 - loss_of(pred, true)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    true, pred = as_boxes(torch.randn(1000, 4)), as_boxes(torch.randn(1000, 4)).requires_grad_(True)
    got, want = giou(pred, true), giou_reference(pred, true)
    torch.testing.assert_close(got, want, atol=1e-5, rtol=1e-5)
    weights = torch.randn(1000)
    ours, theirs = (torch.autograd.grad((v * weights).sum(), pred)[0] for v in (got, want))
    torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-4)
    losses, reference = train(200, giou), train(200, giou_reference)
    print(f"loss: {losses[0]:.3f} at first, {losses[-1]:.3f} after 200 steps "
          f"(by operations of PyTorch {reference[-1]:.3f})")
    assert losses[-1] < 0.4 * losses[0] and abs(losses[-1] - reference[-1]) < 0.05


if __name__ == "__main__":
    main()
