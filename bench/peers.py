"""Kernels of kernels/ on the CPU beside OpenCV and PyTorch, on the same arrays.

    taskset -c 1 python -m tilec bench/peers.py [WORD]

Needs OpenCV and PyTorch.  Rows whose name has WORD.  Each round runs both, one behind the other, and
what is compared is the time of the CPU that each took: on one core, since on a busy machine a launch
on several waits for threads that have none.  Results of morphology must be equal.  Prints for each
row both least times in milliseconds, and the peer's time divided by ours: the median of the rounds
and its quartiles.
"""

import pathlib
import sys
import time

import cv2
import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kernels"))
import morphology
import registration
import timex

ROUNDS = 15
OPS = {"dilate": cv2.MORPH_DILATE, "open": cv2.MORPH_OPEN, "gradient": cv2.MORPH_GRADIENT,
       "blackhat": cv2.MORPH_BLACKHAT}
SHAPES = {"ellipse": cv2.MORPH_ELLIPSE, "cross": cv2.MORPH_CROSS, "rect": cv2.MORPH_RECT}
ELEMENTS = [("dilate", "rect", 3), ("dilate", "rect", 15), ("dilate", "rect", 63),
            ("dilate", "ellipse", 5), ("dilate", "ellipse", 15), ("dilate", "ellipse", 31),
            ("dilate", "cross", 15), ("open", "ellipse", 15), ("blackhat", "ellipse", 15),
            ("open", "rect", 5), ("gradient", "rect", 5)]


def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def row(name, ours, peer):
    if not any(word in name for word in sys.argv[1:] or [""]):
        return
    ours(), peer(), ours(), peer()
    pairs = [(seconds(ours), seconds(peer)) for _ in range(ROUNDS)]
    least = [1e3 * min(times) for times in zip(*pairs)]
    low, middle, high = np.percentile([b / a for a, b in pairs], [25, 50, 75])
    print(f"{name:44s} {least[0]:8.2f} {least[1]:8.2f}  {middle:6.2f}  ({low:.2f} to {high:.2f})",
          flush=True)


def morphology_rows(images):
    for op, shape, side in ELEMENTS:
        element = cv2.getStructuringElement(SHAPES[shape], (side, side))
        text = None if element.all() else "/".join("".join(map(str, r)) for r in element)

        def ours():
            return morphology.apply(images, op, (side, side), element=text)

        def peer():
            return [cv2.morphologyEx(image, OPS[op], element) for image in images.numpy()]

        assert (ours().numpy() == np.stack(peer())).all(), f"{op} {shape} {side}"
        row(f"{op} {shape} {side}, 64 images u8", ours, peer)


def find_rows(images):
    def find(side, normalised, window=None):
        template = images[0, 100:100 + side, 100:100 + side].contiguous()
        how = cv2.TM_CCOEFF_NORMED if normalised else cv2.TM_CCORR
        top, left, rows, columns = window or (0, 0, 257 - side, 257 - side)

        def peer():
            for image in images.numpy():
                part = image[top:top + rows + side - 1, left:left + columns + side - 1]
                cv2.minMaxLoc(cv2.matchTemplate(part, template.numpy(), how))

        what = "normalised" if normalised else "products"
        row(f"find {side}x{side} {what} {rows}x{columns}, 16 u8",
            lambda: registration.find(images, template, normalised, window), peer)

    for side in (9, 33):
        find(side, True)
        find(side, False)
    find(33, True, (84, 84, 33, 33))


def shift_rows(images):
    whole = torch.randint(-16, 17, (len(images), 2), dtype=torch.int32)
    for how, flag, shifts in (("pixels", cv2.INTER_NEAREST, whole),
                              ("bilinear", cv2.INTER_LINEAR, whole + 0.25)):
        def peer():
            for image, (dy, dx) in zip(images.numpy(), shifts.tolist()):
                matrix = np.float32([[1, 0, dx - 16], [0, 1, dy - 16]])
                cv2.warpAffine(image, matrix, (224, 224), flags=flag)

        row(f"shift and crop to 224, {how}, 64 u8",
            lambda: registration.shift(images, shifts, (224, 224), bilinear=how == "bilinear"), peer)


def torch_rows():
    maps = torch.rand(64, 224, 224)
    row("argmax, 64 maps of 224x224 fp32 (torch)", lambda: registration.argmax(maps),
        lambda: torch.unravel_index(maps.flatten(1).argmax(1), (224, 224)))
    k, w, g = torch.randn(8, 64, 768), torch.randn(64, 768), torch.randn(8, 64, 768)
    row("timex 8x64x768 (conv1d)", lambda: timex.timex(k, w), lambda: timex.reference(k, w))

    def gradients():
        again, weights = k.clone().requires_grad_(True), w.clone().requires_grad_(True)
        timex.reference(again, weights).backward(g)

    row("timex 8x64x768, both gradients (conv1d)", lambda: timex.timex_gradients(g, k, w), gradients)


if __name__ == "__main__":
    torch.manual_seed(0)
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    pixels = torch.randint(0, 256, (64, 256, 256), dtype=torch.uint8)
    print(f"{'':44s} {'ours':>8s} {'peer':>8s}  peer's time / ours")
    morphology_rows(pixels)
    find_rows(pixels[:16])
    shift_rows(pixels)
    torch_rows()
