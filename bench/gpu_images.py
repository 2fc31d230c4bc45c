"""Rows of gpu.py for 2,048 grey images of 256x256: morphology, a template found in each, and each moved by
its own shift.

PyTorch has no morphology: its peer is max_pool2d, of fp32, into which pixels were turned before the clock
runs.  Triton has no slices of tiles, which the kernels of morphology and registration are made of: it
dilates by one load for each pixel of the element, and takes those kernels that have none.  `tools` is the
module gpu.py.
"""

import torch
import torch.nn.functional as F

IMAGES, SIDE = 2048, 256
CROPPED = 224
TEMPLATE = 33
TILES = [(64, 128, 8), (32, 128, 8), (32, 128, 4), (32, 64, 4)]  # of morphology, with warps, to choose from


def rows(tools, lib):
    """Names and makers."""
    makers = [(f"dilate {size}", lambda n=size: dilate(tools, lib, n)) for size in (3, 5, 15, 31, 63)]
    return makers + [("open, close and gradient", lambda: chains(tools, lib)),
                     ("find template", lambda: find(tools, lib)),
                     ("argmax", lambda: argmax(tools, lib)),
                     ("shift and crop", lambda: shift(tools, lib))]


def images():
    return torch.randint(0, 256, (IMAGES, SIDE, SIDE), device="cuda", dtype=torch.uint8)


def pooled(x, size):
    """The largest of size x size, of fp32 [images, 1, H, W]; the smallest is -pooled(-x)."""
    return F.max_pool2d(x, size, 1, size // 2)


def morphology(tools, lib, kernel, outputs, x, more, size, **named):
    """The kernel by the fastest of TILES; outputs: behind x, more: behind the strides."""
    grid = lambda meta: (-(-SIDE // meta["BLOCK_W"]), -(-SIDE // meta["BLOCK_H"]), IMAGES)
    strides = (SIDE * SIDE, SIDE) * 2
    configs = [tools.triton.Config({"BLOCK_H": high, "BLOCK_W": wide}, num_warps=warps)
               for high, wide, warps in TILES]
    return tools.fastest(lib, "morphology", kernel, grid, (x, *outputs, SIDE, SIDE, *strides, *more),
                         configs, KH=size, KW=size, ANCHOR_Y=size // 2, ANCHOR_X=size // 2,
                         BORDER="none", **named)


def dilate(tools, lib, size):
    x = images()
    out, floats = torch.empty_like(x), x[:, None].float()
    providers = {"tilec": morphology(tools, lib, "rectangle_kernel", (out,), x, (0, None), size,
                                     OP="dilate")}
    if size <= 5:
        loads, grid = tools.peer("by_loads").dilate_kernel, (SIDE // 128, SIDE // 16, IMAGES)
        providers["triton"] = lambda: loads[grid](x, out, SIDE, SIDE, SIDE=size, BLOCK_H=16,
                                                  BLOCK_W=128)
    return tools.Row(f"dilate {size}x{size} {IMAGES}x{SIDE}x{SIDE} u8",
                     {**providers, "torch": lambda: pooled(floats, size)},
                     {name: out for name in providers}, pooled(floats, size), 0,
                     bytes=2 * x.numel())


def chains(tools, lib):
    """Of one batch all three, in one launch."""
    x = images()
    out, floats = [torch.empty_like(x) for _ in range(3)], x[:, None].float()
    ours = morphology(tools, lib, "chains_kernel", out, x, (0,), 5)

    def by_pools():
        large, small = pooled(floats, 5), pooled(-floats, 5)
        return pooled(-small, 5), -pooled(-large, 5), large + small

    return tools.Row(f"open, close and gradient 5x5 {IMAGES}x{SIDE}x{SIDE} u8",
                     {"tilec": ours, "torch": by_pools},
                     {"tilec": tuple(out)}, by_pools(), 0, bytes=4 * x.numel())


def find(tools, lib):
    """The largest sum of products of each image; PyTorch writes all of them."""
    x = images()
    template = x[0, 100:100 + TEMPLATE, 100:100 + TEMPLATE].contiguous()
    side = SIDE - TEMPLATE + 1
    pieces = (-(-side // 32))**2
    scores = torch.empty(IMAGES, pieces, device="cuda", dtype=torch.float64)
    places = torch.empty(IMAGES, pieces, device="cuda", dtype=torch.int32)
    best = torch.empty(IMAGES, device="cuda", dtype=torch.float64)
    offsets = torch.empty(IMAGES, 2, device="cuda", dtype=torch.int32)
    search = lib.kernel("registration", "find_kernel", (pieces, 1, IMAGES),
                        (x, template, scores, places, SIDE, SIDE, 0, 0, side, side, SIDE * SIDE, SIDE,
                         0, TEMPLATE * TEMPLATE, TEMPLATE), TH=TEMPLATE, TW=TEMPLATE, NORMALISED=False,
                        BLOCK_Y=32, BLOCK_X=32, BLOCKS=True)
    choose = lib.kernel("registration", "best_kernel", (IMAGES,),
                        (scores, places, best, offsets, pieces, side, 0, 0), BLOCK=256)
    floats, weights = x[:, None].float(), template[None, None].float()
    by_torch = lambda: F.conv2d(floats, weights).flatten(1).max(1)[0]
    return tools.Row(f"find template {TEMPLATE}x{TEMPLATE} {IMAGES}x{SIDE}x{SIDE} u8",
                     {"tilec": tools.one_after_the_other(search, choose), "torch": by_torch},
                     {"tilec": best}, by_torch(), 1e-5,
                     flops=2 * IMAGES * side * side * TEMPLATE * TEMPLATE)


def argmax(tools, lib):
    x = torch.randn(IMAGES, SIDE, SIDE, device="cuda")
    pieces = SIDE // 16
    scores = torch.empty(IMAGES, pieces, device="cuda")
    places = torch.empty(IMAGES, pieces, device="cuda", dtype=torch.int32)
    best = torch.empty(IMAGES, device="cuda")
    offsets = torch.empty(IMAGES, 2, device="cuda", dtype=torch.int32)
    search = tools.both(lib, "registration", "peak_kernel", (pieces, IMAGES),
                        (x, scores, places, SIDE, SIDE, SIDE * SIDE, SIDE), BLOCK_Y=16, BLOCK_X=64)
    choose = tools.both(lib, "registration", "best_kernel", (IMAGES,),
                        (scores, places, best, offsets, pieces, SIDE, 0, 0), BLOCK=256)
    by_torch = lambda: torch.stack(torch.unravel_index(x.flatten(1).argmax(1), (SIDE, SIDE)), 1)
    return tools.Row(f"argmax {IMAGES}x{SIDE}x{SIDE} fp32",
                     {**{name: tools.one_after_the_other(search[name], choose[name]) for name in search},
                      "torch": by_torch},
                     {name: offsets for name in search}, by_torch(), 0, bytes=4 * x.numel())


def shift(tools, lib):
    x = torch.randn(IMAGES, SIDE, SIDE, device="cuda")
    shifts = torch.randint(-16, 17, (IMAGES, 2), device="cuda", dtype=torch.int32)
    out = torch.empty(IMAGES, CROPPED, CROPPED, device="cuda")
    margin = (SIDE - CROPPED) // 2
    grid = (-(-CROPPED // 128), -(-CROPPED // 16), IMAGES)
    providers = tools.both(lib, "registration", "shift_kernel", grid,
                           (x, out, shifts, SIDE, SIDE, CROPPED, CROPPED, margin, margin, SIDE * SIDE,
                            SIDE, CROPPED * CROPPED, CROPPED, 0), UNDO=False, BILINEAR=False,
                           BLOCK_Y=16, BLOCK_X=128)
    at = torch.arange(margin, margin + CROPPED, device="cuda")
    image = torch.arange(IMAGES, device="cuda")[:, None, None]
    by_torch = lambda: x[image, (at - shifts[:, :1])[:, :, None], (at - shifts[:, 1:])[:, None, :]]
    return tools.Row(f"shift and crop {IMAGES}x{SIDE}x{SIDE} to {CROPPED} fp32",
                     {**providers, "torch": by_torch}, {name: out for name in providers}, by_torch(), 0,
                     bytes=8 * out.numel())
