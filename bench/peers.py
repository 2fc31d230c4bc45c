"""Kernels of kernels/ on the CPU beside OpenCV and PyTorch, on the same arrays.

    taskset -c 1 python -m tilec bench/peers.py [--json FILE] [WORD...]

Needs OpenCV and PyTorch; `make bench` runs it where they are.  Rows whose name has one of the WORDs.
Each round runs both, one behind the other, and what is compared is the time of the CPU that each took:
on one core, since on a busy machine a launch on several waits for threads that have none.  Results of
morphology must be equal, others near.  Prints for each row both least times in milliseconds, and the
peer's time divided by ours: the median of the rounds and its quartiles.  FILE gets the same, and for
pictures.py of rows that differ in a size their series and size.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import sys
import time

import cv2
import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kernels"))
import giou
import matmul
import morphology
import registration
import softmax
import timex

ROUNDS, LEAST_ROUNDS, SECONDS = 15, 5, 10  # of a row: fewer rounds where they would take longer
OPS = {"dilate": cv2.MORPH_DILATE, "open": cv2.MORPH_OPEN, "gradient": cv2.MORPH_GRADIENT,
       "close": cv2.MORPH_CLOSE, "blackhat": cv2.MORPH_BLACKHAT}
SHAPES = {"ellipse": cv2.MORPH_ELLIPSE, "cross": cv2.MORPH_CROSS, "rect": cv2.MORPH_RECT}
ELEMENTS = [*(("dilate", "rect", side) for side in (3, 5, 15, 31, 63)),
            *(("dilate", "ellipse", side) for side in (5, 15, 31)),
            ("dilate", "cross", 15), ("open", "ellipse", 15), ("blackhat", "ellipse", 15),
            ("open", "rect", 5), ("gradient", "rect", 5)]

words, figures = [], []


def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def wanted(name):
    return not words or any(word in name for word in words)


def row(name, ours, peer, against="PyTorch", series=None, size=None):
    """Measure and print; `series`, `size`: what a picture draws of it."""
    if not wanted(name):
        return
    ours(), peer()
    rounds = SECONDS / max(seconds(ours) + seconds(peer), 1e-6)
    pairs = [(seconds(ours), seconds(peer))
             for _ in range(int(min(max(rounds, LEAST_ROUNDS), ROUNDS)))]
    least = [1e3 * min(times) for times in zip(*pairs)]
    low, middle, high = np.percentile([b / a for a, b in pairs], [25, 50, 75])
    print(f"{name:50s} {least[0]:8.2f} {least[1]:8.2f} {against:14s} {middle:6.2f}  "
          f"({low:.2f} to {high:.2f})", flush=True)
    figures.append({"name": name, "series": series, "size": size, "against": against,
                    "milliseconds": least, "ratio": [round(float(r), 4) for r in (low, middle, high)],
                    "rounds": len(pairs)})


def near(names, ours, peer, bound):
    """Of rows that are wanted the results are alike."""
    if any(map(wanted, names)):
        a, b = ours(), peer()
        a, b = a.double(), b.double()
        assert (a - b).abs().max() <= bound * b.abs().max(), names


def morphology_rows():
    images = torch.randint(0, 256, (256, 256, 256), dtype=torch.uint8)
    for op, shape, side in ELEMENTS:
        element = cv2.getStructuringElement(SHAPES[shape], (side, side))
        text = None if element.all() else "/".join("".join(map(str, r)) for r in element)

        def ours():
            return morphology.apply(images, op, (side, side), element=text)

        def peer():
            return [cv2.morphologyEx(image, OPS[op], element) for image in images.numpy()]

        name = f"{op} {shape} {side}, 256 images u8"
        assert not wanted(name) or (ours().numpy() == np.stack(peer())).all(), name
        row(name, ours, peer, "OpenCV", f"{op} {shape}", side)
    for side in (5, 15, 31):
        element = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
        mask = element.tolist()

        def ours():
            return morphology.by_masks(images, [mask], True)

        def peer():
            return [cv2.dilate(image, element) for image in images.numpy()]

        name = f"dilate ellipse at run time {side}, 256 images u8"
        assert not wanted(name) or (ours().numpy() == np.stack(peer())).all(), name
        row(name, ours, peer, "OpenCV",
            "dilate at run time", side)
    chains, element = ("open", "close", "gradient"), np.ones((5, 5), np.uint8)
    row("open, close and gradient rect 5, 256 images u8",
        lambda: morphology.chains(images, (5, 5)),
        lambda: [[cv2.morphologyEx(image, OPS[op], element) for op in chains]
                 for image in images.numpy()], "OpenCV")


def find_rows():
    images = torch.randint(0, 256, (16, 256, 256), dtype=torch.uint8)

    def find(side, how, window=None):
        template = images[0, 100:100 + side, 100:100 + side].contiguous()
        top, left, rows, columns = window or (0, 0, 257 - side, 257 - side)

        def by_template(part):
            way = cv2.TM_CCOEFF_NORMED if how == "normalised" else cv2.TM_CCORR
            return cv2.matchTemplate(part, template.numpy(), way)

        def by_filter(part):
            return cv2.filter2D(part, cv2.CV_32F, template.numpy().astype(np.float32),
                                anchor=(0, 0))[:rows, :columns]

        def peer(respond):
            for image in images.numpy():
                part = image[top:top + rows + side - 1, left:left + columns + side - 1]
                cv2.minMaxLoc(respond(part))

        ours = lambda: registration.find(images, template, how == "normalised", window)
        name = f"find {side}x{side} {how} {rows}x{columns}, 16 u8"
        row(name, ours, lambda: peer(by_template), "matchTemplate",
            None if window else f"find {how}", side)
        if how == "products":
            row(name + " ", ours, lambda: peer(by_filter), "filter2D")

    for side in (5, 9, 17, 33):
        find(side, "normalised")
        find(side, "products")
    find(33, "normalised", (84, 84, 33, 33))


def shift_rows():
    images = torch.randint(0, 256, (64, 256, 256), dtype=torch.uint8)
    whole = torch.randint(-16, 17, (len(images), 2), dtype=torch.int32)
    for how, flag, shifts in (("pixels", cv2.INTER_NEAREST, whole),
                              ("bilinear", cv2.INTER_LINEAR, whole + 0.25)):
        def peer():
            for image, (dy, dx) in zip(images.numpy(), shifts.tolist()):
                matrix = np.float32([[1, 0, dx - 16], [0, 1, dy - 16]])
                cv2.warpAffine(image, matrix, (224, 224), flags=flag)

        row(f"shift and crop to 224, {how}, 64 u8",
            lambda: registration.shift(images, shifts, (224, 224), bilinear=how == "bilinear"), peer,
            "OpenCV")
    maps = torch.rand(64, 224, 224)
    row("argmax, 64 maps of 224x224 fp32", lambda: registration.argmax(maps),
        lambda: torch.unravel_index(maps.flatten(1).argmax(1), (224, 224)))


def timex_row(batch, channels, length, series):
    """Forward beside conv1d and Fourier transforms, gradients beside those of conv1d."""
    k, w = torch.randn(batch, channels, length), torch.randn(channels, length)
    g, shape = torch.randn_like(k), f"{batch}x{channels}x{length}"

    def fourier():
        by_k, by_w = (torch.fft.rfft(x, 2 * length) for x in (k, w.flip(-1)))
        return torch.fft.irfft(by_k * by_w, 2 * length)[..., :length]

    def gradients():
        again, weights = k.clone().requires_grad_(True), w.clone().requires_grad_(True)
        timex.reference(again, weights).backward(g)

    peers = ((lambda: timex.reference(k, w), "conv1d"), (fourier, "Fourier"))
    near([f"timex {shape} {against}" for _, against in peers], lambda: timex.timex(k, w), fourier, 1e-5)
    for of, against in peers:
        row(f"timex {shape} {against}", lambda: timex.timex(k, w), of, against,
            f"timex beside {against}" if series else None, length)
    row(f"timex {shape}, both gradients", lambda: timex.timex_gradients(g, k, w), gradients, "conv1d",
        "timex gradients beside conv1d" if series else None, length)


def timex_rows():
    for length in (48, 192, 768, 1536):
        timex_row(8, 64, length, True)
    timex_row(8, 768, 768, False)


def giou_rows():
    compiled = torch.compile(giou.giou_loss_reference, dynamic=False)
    for batch in (32, 512, 8192):
        corner = torch.rand(batch, 256, 2)
        gt = torch.cat([corner, corner + torch.rand_like(corner)], -1)
        plain, count = gt + 0.1 * torch.rand_like(gt), batch * 256
        given = [x.clone().requires_grad_(True) for x in (plain, gt)]
        near([f"giou loss {batch}x256 fp32 {of}" for of in ("PyTorch", "torch.compile")], lambda: giou.giou_loss(plain, gt),
             lambda: giou.giou_loss_reference(plain, gt), 1e-4)
        for of, against in ((giou.giou_loss_reference, "PyTorch"), (compiled, "torch.compile")):
            def forward():
                with torch.no_grad():
                    of(plain, gt)

            row(f"giou loss {batch}x256 fp32 {against}", lambda: giou.giou_loss(plain, gt), forward,
                against, f"GIoU loss beside {against}", batch)
            row(f"giou loss with gradients {batch}x256 fp32 {against}",
                lambda: giou.giou_loss(plain, gt, gradients=True, count=count),
                lambda: torch.autograd.grad(of(*given), given), against,
                f"GIoU loss with gradients beside {against}", batch)


def matrix(dtype, size):
    if dtype == "int8":
        return torch.randint(-128, 128, (size, size), dtype=torch.int8)
    return torch.randn(size, size).to({"fp32": torch.float32, "fp16": torch.float16,
                                       "bf16": torch.bfloat16}[dtype])


def product_rows():
    for columns in (256, 781, 1024, 4096, 12672):
        x = torch.randn(4096, columns)
        work = f"softmax 4096x{columns} fp32", lambda: softmax.softmax(x), lambda: torch.softmax(x, 1)
        near(work[:1], *work[1:], 1e-5)
        row(*work, "PyTorch", "softmax", columns)
    for size in (256, 512, 1024, 2048):
        for dtype, bound in (("fp32", 1e-5), ("fp16", 1e-2), ("bf16", 1e-2), ("int8", 0)):
            a, b = (matrix(dtype, size) for _ in range(2))
            peer = torch._int_mm if dtype == "int8" else torch.matmul
            work = f"matmul {size} {dtype}", lambda: matmul.matmul(a, b), lambda: peer(a, b)
            near(work[:1], *work[1:], bound)
            row(*work, "PyTorch", "matmul" if dtype == "fp32" else f"matmul {dtype}", size)


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()}, one core"


def run(parts):
    """What the command line asks of these functions, which make rows."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*", metavar="WORD", help="rows whose name has one of these")
    parser.add_argument("--json", help="write the figures there as well")
    options = parser.parse_args()
    words.extend(options.words)
    torch.manual_seed(0)
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    print(f"{'':50s} {'tilec':>8s} {'peer':>8s} {'':14s} peer's time / tilec's")
    for part in parts:
        part()
        if options.json:
            about = {"device": machine(), "date": datetime.date.today().isoformat(),
                     "torch": torch.__version__, "opencv": cv2.__version__,
                     "command": f"python -m tilec bench/{os.path.basename(sys.argv[0])}",
                     "rows": figures}
            with open(options.json + ".new", "w", encoding="utf-8") as out:
                json.dump(about, out, indent=1)
            os.replace(options.json + ".new", options.json)


if __name__ == "__main__":
    run([giou_rows, product_rows, morphology_rows, find_rows, shift_rows, timex_rows])
