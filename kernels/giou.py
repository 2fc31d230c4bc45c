"""Generalised intersection over union of boxes, its gradient, and its loss (Rezatofighi et al.,
CVPR 2019).

    giou = I / (U + eps) - (C - U) / (C + eps)

with the areas I of the intersection of both boxes, U of their union, C of the smallest box around
both; eps (1e-5) makes a number of boxes without area.  The loss is sum(giou) / max(count, 1).

Boxes are [batch, n_boxes, 4] as left, top, right, bottom, in any unit, with left <= right and top
<= bottom.  A sample has a fixed number of places for boxes; a place whose true box has bottom <= 0
is empty, whatever else stands there: its giou and gradients are 0 and it does not count.

With U = P + G - I, P and G the areas of the boxes, the gradient is the chain rule through I, P, G
and C.  Where an edge of one box lies on that of the other, each box gets half, as by
PyTorch's `maximum` and `minimum`; boxes that touch count as boxes that meet, as by its `clamp` in most
versions (in 2.15 that has gradient 0 at its bound).

All of it is bound by memory: a box is loaded once, whatever is made of it, and computed in fp32
without a cast in front.  The fused kernel gives loss and gradients from one pass over the boxes;
the sums of its programs are added by a second, tiny launch, in an order that does not depend on
threads.
"""

import torch

import triton
import triton.language as tl


@triton.jit
def load_box(boxes, columns, inside):
    """The four edges of the boxes at `columns` in fp32; 0 where not inside."""
    left = tl.load(boxes + columns * 4, mask=inside, other=0.0).to(tl.float32)
    top = tl.load(boxes + columns * 4 + 1, mask=inside, other=0.0).to(tl.float32)
    right = tl.load(boxes + columns * 4 + 2, mask=inside, other=0.0).to(tl.float32)
    bottom = tl.load(boxes + columns * 4 + 3, mask=inside, other=0.0).to(tl.float32)
    return left, top, right, bottom


@triton.jit
def store_box(boxes, columns, edges, factor, valid, inside):
    """Four edges times `factor` where valid, 0 in the other places that are inside."""
    for k in tl.static_range(4):
        tl.store(boxes + columns * 4 + k, tl.where(valid, edges[k] * factor, 0.0), mask=inside)


@triton.jit
def places(n_boxes, BLOCK: tl.constexpr):
    """Of program (i, j): the number of the first box of sample i, the places in it, which are
    those from j * BLOCK on, and which of them are there."""
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    return tl.program_id(0).to(tl.int64) * n_boxes, columns, columns < n_boxes


@triton.jit
def extents(p, g):
    """(width, height) of the intersection, negative where the boxes lie apart, and of the box
    around both."""
    meet_width = tl.minimum(p[2], g[2]) - tl.maximum(p[0], g[0])
    meet_height = tl.minimum(p[3], g[3]) - tl.maximum(p[1], g[1])
    wide = tl.maximum(p[2], g[2]) - tl.minimum(p[0], g[0])
    high = tl.maximum(p[3], g[3]) - tl.minimum(p[1], g[1])
    return meet_width, meet_height, wide, high


@triton.jit
def areas(p, g):
    """I, U and C of the formula above."""
    meet_width, meet_height, wide, high = extents(p, g)
    common = tl.maximum(meet_width, 0.0) * tl.maximum(meet_height, 0.0)
    union = (p[2] - p[0]) * (p[3] - p[1]) + (g[2] - g[0]) * (g[3] - g[1]) - common
    return common, union, wide * high


@triton.jit
def giou_of(p, g, eps):
    common, union, around = areas(p, g)
    return common / (union + eps) - (around - union) / (around + eps)


@triton.jit
def share(mine, other):
    """What of the gradient of max(mine, other) is mine; of min(mine, other) it is
    share(other, mine)."""
    return tl.where(mine > other, 1.0, tl.where(mine == other, 0.5, 0.0))


@triton.jit
def edges_gradient(p, g, d_meet, d_own, d_around):
    """The gradient by the low and by the high edge of p along one axis.

    p, g: (low, high) of both boxes; d_meet, d_own, d_around: the gradients by the extents of the
    intersection, of p itself and of the box around both, along that axis.
    """
    low = -share(p[0], g[0]) * d_meet - d_own - share(g[0], p[0]) * d_around
    high = share(g[1], p[1]) * d_meet + d_own + share(p[1], g[1]) * d_around
    return low, high


@triton.jit
def giou_gradient(p, g, eps):
    """d giou / d p; with p and g exchanged it is d giou / d g."""
    meet_width, meet_height, wide, high = extents(p, g)
    common, union, around = areas(p, g)
    d_union = 1 / (around + eps) - common / ((union + eps) * (union + eps))
    d_common = 1 / (union + eps) - d_union
    d_around = -(union + eps) / ((around + eps) * (around + eps))
    meet = (meet_width >= 0) & (meet_height >= 0)
    d_width = tl.where(meet, d_common * meet_height, 0.0)
    d_height = tl.where(meet, d_common * meet_width, 0.0)
    left, right = edges_gradient((p[0], p[2]), (g[0], g[2]), d_width, d_union * (p[3] - p[1]),
                                 d_around * high)
    top, bottom = edges_gradient((p[1], p[3]), (g[1], g[3]), d_height, d_union * (p[2] - p[0]),
                                 d_around * wide)
    return left, top, right, bottom


# tilec: call boxes --grid 16    # the last 50 of 200 places are empty
#     gt=(rand(fp32, (16, 200, 4)) + arange(i32, 4) // 2) * (arange(i32, (200, 4)) < 600)
#     pred=rand(fp32, (16, 200, 4)) + arange(i32, 4) // 2 out=empty(fp32, (16, 200))
#     n_boxes=200 eps=1e-5 BLOCK=256
# tilec: call equal --call boxes pred=gt --compare out=gt[:, :, 3] > 0, 0.01
# tilec: call pieces --call boxes --grid 16,cdiv(n_boxes,BLOCK) BLOCK=64 --device cpu,sim
@triton.jit
def giou_kernel(pred, gt, out, n_boxes, eps, BLOCK: tl.constexpr):
    """out[i, j] = giou of pred[i, j] and gt[i, j], or 0 where gt[i, j] is empty.

    pred, gt: [batch, n_boxes, 4], out: [batch, n_boxes], contiguous, any float dtype.  Grid:
    (batch, cdiv(n_boxes, BLOCK)).
    """
    first, columns, inside = places(n_boxes, BLOCK)
    p = load_box(pred + first * 4, columns, inside)
    g = load_box(gt + first * 4, columns, inside)
    tl.store(out + first + columns, tl.where(g[3] > 0, giou_of(p, g, eps), 0.0), mask=inside)


# tilec: call gradient --grid 16,cdiv(n_boxes,BLOCK) --device cpu,sim
#     gt=(rand(fp32, (16, 75, 4)) + arange(i32, 4) // 2) * (arange(i32, (75, 4)) < 200)
#     pred=rand(fp32, (16, 75, 4)) + arange(i32, 4) // 2 gradient=randn(fp32, (16, 75))
#     d_pred=empty(fp32, (16, 75, 4)) d_gt=empty(fp32, (16, 75, 4)) n_boxes=75 eps=1e-5 BLOCK=64
@triton.jit
def giou_backward_kernel(pred, gt, gradient, d_pred, d_gt, n_boxes, eps, BLOCK: tl.constexpr):
    """d_pred = gradient * d giou / d pred, and d_gt alike; either may be None.

    gradient: [batch, n_boxes], what stands behind giou_kernel; d_pred, d_gt: as pred and gt; grid
    as there.
    """
    first, columns, inside = places(n_boxes, BLOCK)
    p = load_box(pred + first * 4, columns, inside)
    g = load_box(gt + first * 4, columns, inside)
    factor = tl.load(gradient + first + columns, mask=inside, other=0.0).to(tl.float32)
    if d_pred is not None:
        store_box(d_pred + first * 4, columns, giou_gradient(p, g, eps), factor, g[3] > 0,
                  inside)
    if d_gt is not None:
        store_box(d_gt + first * 4, columns, giou_gradient(g, p, eps), factor, g[3] > 0,
                  inside)


# tilec: call sums --grid 16,cdiv(n_boxes,BLOCK) --device cpu,sim
#     gt=(rand(fp32, (16, 75, 4)) + arange(i32, 4) // 2) * (arange(i32, (75, 4)) < 200)
#     pred=rand(fp32, (16, 75, 4)) + arange(i32, 4) // 2 sums=empty(fp32, 32) counts=empty(i32, 32)
#     d_pred=None d_gt=None factor=None n_boxes=75 eps=1e-5 BLOCK=64
# tilec: call fused --call sums d_pred=empty(fp32, (16, 75, 4)) d_gt=empty(fp32, (16, 75, 4))
#     factor=full(fp32, 1, 0.00125)
@triton.jit
def giou_loss_kernel(pred, gt, sums, counts, d_pred, d_gt, factor, n_boxes, eps,
                     BLOCK: tl.constexpr):
    """The sum of giou and the number of boxes of each program; on request the gradients, too.

    sums: fp32, counts: i32, one element a program, for giou_mean_kernel.  d_pred, d_gt, each of
    which may be None: `factor` times the gradient of the sum, so that with 1 / max(count, 1) they
    are the gradient of the loss; factor: pointer to one fp32, or None for 1.  Grid:
    (batch, cdiv(n_boxes, BLOCK)).
    """
    first, columns, inside = places(n_boxes, BLOCK)
    p = load_box(pred + first * 4, columns, inside)
    g = load_box(gt + first * 4, columns, inside)
    valid = g[3] > 0
    weight = 1.0
    if factor is not None:
        weight = tl.load(factor)
    if d_pred is not None:
        store_box(d_pred + first * 4, columns, giou_gradient(p, g, eps), weight, valid,
                  inside)
    if d_gt is not None:
        store_box(d_gt + first * 4, columns, giou_gradient(g, p, eps), weight, valid,
                  inside)
    program = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)
    tl.store(sums + program, tl.sum(tl.where(valid, giou_of(p, g, eps), 0.0), axis=0))
    tl.store(counts + program, tl.sum(valid.to(tl.int32), axis=0))


# tilec: call mean --grid 1 sums=rand(fp32, 777) counts=randint(i32, 777, 0, 5)
#     out=empty(fp32, 2) n=777 BLOCK=256 --device cpu,sim
# tilec: call none --call mean sums=zeros(fp32, 3) counts=zeros(i32, 3) n=3
#     --compare out=arange(i32, 2)
@triton.jit
def giou_mean_kernel(sums, counts, out, n, BLOCK: tl.constexpr):
    """out = [sum(sums) / max(count, 1), max(count, 1)], in fp32; n: how many sums there are.

    One program.
    """
    total = tl.zeros([BLOCK], tl.float32)
    count = tl.zeros([BLOCK], tl.int32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(sums + at, mask=at < n, other=0.0)
        count += tl.load(counts + at, mask=at < n, other=0)
    boxes = tl.maximum(tl.sum(count, axis=0), 1).to(tl.float32)
    tl.store(out, tl.sum(total, axis=0) / boxes)
    tl.store(out + 1, boxes)


def grid_of(boxes: torch.Tensor):
    """Grid and BLOCK for boxes [batch, n_boxes, 4]."""
    block = min(triton.next_power_of_2(boxes.shape[1]), 1024)
    return (boxes.shape[0], triton.cdiv(boxes.shape[1], block)), block


def mean_tile(n):
    """BLOCK and num_warps of giou_mean_kernel, one program, for n sums."""
    block = min(max(triton.next_power_of_2(n), 128), 8192)
    return block, 16 if block > 2048 else 4


def giou_loss(pred: torch.Tensor, gt: torch.Tensor, eps: float = 1e-5, gradients: bool = False,
              count: int = None):
    """The loss, a tensor of one fp32; with `gradients` also those of pred and gt.

    Two launches.  The gradients are that of the loss where the caller knows the `count` of boxes,
    as one does who padded them; else they must be divided by the count, which is a pass of its own.
    """
    grid, block = grid_of(pred)
    n = grid[0] * grid[1]
    sums = torch.empty(n, device=pred.device, dtype=torch.float32)
    counts = torch.empty(n, device=pred.device, dtype=torch.int32)
    out = torch.empty(2, device=pred.device, dtype=torch.float32)
    d_pred, d_gt = (torch.empty_like(pred), torch.empty_like(gt)) if gradients else (None, None)
    factor = torch.full((1,), 1 / max(count, 1), device=pred.device) if count is not None else None
    giou_loss_kernel[grid](pred, gt, sums, counts, d_pred, d_gt, factor, pred.shape[1], eps,
                           BLOCK=block)
    block, warps = mean_tile(n)
    giou_mean_kernel[(1,)](sums, counts, out, n, BLOCK=block, num_warps=warps)
    if not gradients:
        return out[0]
    return (out[0], d_pred, d_gt) if count is not None else (out[0], d_pred / out[1], d_gt / out[1])


def giou_loss_reference(pred: torch.Tensor, gt: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    """The same by tensor operations."""
    p, g = pred.float().unbind(-1), gt.float().unbind(-1)
    area = lambda left, top, right, bottom: (right - left) * (bottom - top)
    large, small = torch.maximum, torch.minimum
    common = ((small(p[2], g[2]) - large(p[0], g[0])).clamp(min=0)
              * (small(p[3], g[3]) - large(p[1], g[1])).clamp(min=0))
    union = area(*p) + area(*g) - common
    around = area(small(p[0], g[0]), small(p[1], g[1]), large(p[2], g[2]), large(p[3], g[3]))
    giou = common / (union + eps) - (around - union) / (around + eps)
    valid = g[3] > 0
    return torch.where(valid, giou, 0.0).sum() / torch.clamp(valid.sum(), min=1)


if __name__ == "__main__":
    torch.manual_seed(0)
    corner = torch.rand(32, 200, 2, device="cuda")
    truth = torch.cat([corner, corner + torch.rand_like(corner)], -1)
    truth[:, 150:] = 0
    guess = (truth + 0.1 * torch.rand_like(truth)).requires_grad_(True)
    loss, by_guess, by_truth = giou_loss(guess.detach(), truth, gradients=True)
    want = giou_loss_reference(guess, truth)
    want.backward()
    print(loss.item(), want.item(), (by_guess - guess.grad).abs().max().item())
    print(triton.testing.do_bench(lambda: giou_loss(guess.detach(), truth)), "ms")
