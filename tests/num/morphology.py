"""Morphology by its definition, in NumPy, with OpenCV's conventions: what test_morphology.py
compares with."""

import numpy as np

MODES = {"replicate": "edge", "reflect": "symmetric", "reflect101": "reflect"}


def neutral(dtype, largest):
    if dtype.kind == "f":
        return -np.inf if largest else np.inf
    return np.iinfo(dtype).min if largest else np.iinfo(dtype).max


def step(image, mask, anchor, largest, border, value):
    """Dilate or erode one image [H, W] by a mask of 0 and 1."""
    before = anchor
    after = mask.shape[0] - 1 - anchor[0], mask.shape[1] - 1 - anchor[1]
    widths = list(zip(before, after))
    if border in MODES:
        padded = np.pad(image, widths, MODES[border])
    else:
        around = neutral(image.dtype, largest) if border == "none" else value
        padded = np.pad(image, widths, constant_values=around)
    out = np.full(image.shape, neutral(image.dtype, largest), image.dtype)
    for i, j in np.argwhere(mask):
        part = padded[i:i + image.shape[0], j:j + image.shape[1]]
        out = np.maximum(out, part) if largest else np.minimum(out, part)
    return out


def difference(a, b):
    return a - b if a.dtype.kind == "f" else np.where(a > b, a - b, 0).astype(a.dtype)


def apply(op, image, mask, anchor, border="none", value=0):
    """One of the seven operations on one image."""
    def one(x, largest):
        return step(x, mask, anchor, largest, border, value)

    if op in ("erode", "dilate"):
        return one(image, op == "dilate")
    if op == "gradient":
        return difference(one(image, True), one(image, False))
    if op in ("open", "tophat"):
        opened = one(one(image, False), True)
        return opened if op == "open" else difference(image, opened)
    closed = one(one(image, True), False)
    return closed if op == "close" else difference(closed, image)
