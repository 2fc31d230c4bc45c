"""Dilation as it is written first: one load for each pixel of the element.  A peer of
kernels/morphology.py, which Triton, who has no slices of tiles, cannot compile."""

import triton
import triton.language as tl


@triton.jit
def dilate_kernel(x, out, H, W, SIDE: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    """out: the largest of SIDE x SIDE pixels of x [images, H, W], u8.  Grid: (cdiv(W, BLOCK_W),
    cdiv(H, BLOCK_H), images)."""
    rows = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    columns = tl.program_id(0) * BLOCK_W + tl.arange(0, BLOCK_W)
    x += tl.program_id(2) * H * W
    out += tl.program_id(2) * H * W
    most = tl.zeros([BLOCK_H, BLOCK_W], tl.uint8)
    for i in tl.static_range(SIDE):
        for j in tl.static_range(SIDE):
            y = rows + (i - SIDE // 2)
            at = columns + (j - SIDE // 2)
            inside = ((y >= 0) & (y < H))[:, None] & ((at >= 0) & (at < W))[None, :]
            pixels = tl.load(x + y[:, None] * W + at[None, :], mask=inside, other=0)
            most = tl.maximum(most, pixels)
    inside = (rows < H)[:, None] & (columns < W)[None, :]
    tl.store(out + rows[:, None] * W + columns[None, :], most, mask=inside)
