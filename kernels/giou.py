"""Generalised intersection over union of boxes, forward (Rezatofighi et al., CVPR 2019).

    iou  = |A and B| / |A or B|
    giou = iou - (|C| - |A or B|) / |C|          C: the smallest box around A and B

Boxes are [batch, boxes, 4] as left, top, right, bottom, in any unit, with top < bottom.  A sample
has a fixed number of places for boxes; a place whose true box has bottom <= 0 is empty: its giou
is 0 and it does not count.  The loss is sum(giou) / max(number of boxes, 1).
"""

import torch

import triton
import triton.language as tl


@triton.jit
def load_box(boxes, offsets, inside):
    """The four edges of the boxes at `offsets` in fp32; 0 where not inside."""
    left = tl.load(boxes + offsets * 4, mask=inside, other=0.0).to(tl.float32)
    top = tl.load(boxes + offsets * 4 + 1, mask=inside, other=0.0).to(tl.float32)
    right = tl.load(boxes + offsets * 4 + 2, mask=inside, other=0.0).to(tl.float32)
    bottom = tl.load(boxes + offsets * 4 + 3, mask=inside, other=0.0).to(tl.float32)
    return left, top, right, bottom


# tilec: call boxes --grid 16    # the last 50 of 200 places are empty
#     gt=(rand(fp32, (16, 200, 4)) + arange(i32, 4) // 2) * (arange(i32, (200, 4)) < 600)
#     pred=rand(fp32, (16, 200, 4)) + arange(i32, 4) // 2 out=empty(fp32, (16, 200))
#     n_boxes=200 eps=1e-5 BLOCK=256
# tilec: call equal --call boxes pred=gt --compare out=gt[:, :, 3] > 0, 0.01
@triton.jit
def giou_kernel(pred, gt, out, n_boxes, eps, BLOCK: tl.constexpr):
    """out[i, j] = giou of pred[i, j] and gt[i, j], or 0 where gt[i, j] is empty.

    pred, gt: [batch, n_boxes, 4], out: [batch, n_boxes], contiguous, any float dtype; n_boxes <=
    BLOCK.  Program i does sample i.  `eps` (1e-5) is added to both areas that are divided by, so
    that boxes without area give a number.
    """
    sample = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_boxes
    offsets = sample * n_boxes + columns
    p_left, p_top, p_right, p_bottom = load_box(pred, offsets, inside)
    g_left, g_top, g_right, g_bottom = load_box(gt, offsets, inside)

    width = tl.maximum(tl.minimum(p_right, g_right) - tl.maximum(p_left, g_left), 0.0)
    height = tl.maximum(tl.minimum(p_bottom, g_bottom) - tl.maximum(p_top, g_top), 0.0)
    common = width * height
    p_area = (p_right - p_left) * (p_bottom - p_top)
    g_area = (g_right - g_left) * (g_bottom - g_top)
    union = p_area + g_area - common
    around = (tl.maximum(p_right, g_right) - tl.minimum(p_left, g_left)) * \
             (tl.maximum(p_bottom, g_bottom) - tl.minimum(p_top, g_top))
    giou = common / (union + eps) - (around - union) / (around + eps)

    valid = inside & (g_bottom > 0)
    tl.store(out + offsets, tl.where(valid, giou, 0.0), mask=inside)


def giou_loss(pred: torch.Tensor, gt: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    """Sum of giou over the boxes that are there, divided by their number."""
    batch, n_boxes, _ = pred.shape
    out = torch.empty(batch, n_boxes, device=pred.device, dtype=torch.float32)
    giou_kernel[(batch,)](pred, gt, out, n_boxes, eps, BLOCK=triton.next_power_of_2(n_boxes))
    count = (gt[..., 3] > 0).sum()
    return out.sum() / torch.clamp(count, min=1)


def giou_loss_reference(pred: torch.Tensor, gt: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    """The same by tensor operations."""
    p, g = pred.float(), gt.float()
    low = torch.maximum(p[..., :2], g[..., :2])
    high = torch.minimum(p[..., 2:], g[..., 2:])
    common = (high - low).clamp(min=0).prod(-1)
    union = (p[..., 2:] - p[..., :2]).prod(-1) + (g[..., 2:] - g[..., :2]).prod(-1) - common
    outer = torch.maximum(p[..., 2:], g[..., 2:]) - torch.minimum(p[..., :2], g[..., :2])
    around = outer.prod(-1)
    giou = common / (union + eps) - (around - union) / (around + eps)
    valid = g[..., 3] > 0
    return torch.where(valid, giou, 0.0).sum() / torch.clamp(valid.sum(), min=1)


if __name__ == "__main__":
    torch.manual_seed(0)
    corner = torch.rand(32, 200, 2, device="cuda")
    truth = torch.cat([corner, corner + torch.rand_like(corner)], -1)
    truth[:, 150:] = 0
    guess = truth + 0.1 * torch.rand_like(truth)
    print(giou_loss(guess, truth).item(), giou_loss_reference(guess, truth).item())
    print(triton.testing.do_bench(lambda: giou_loss(guess, truth)), "ms")
