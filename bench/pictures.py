#!/usr/bin/env python3
"""Pictures of docs/benchmarks.md, drawn from what the benchmarks wrote: SVG, by Python alone.

    python3 bench/pictures.py [--check] [FOLDER]

FOLDER (docs/pictures) has the data, cpu.json of `bench/peers.py --json`, gpu.json of `bench/gpu.py
--json`, plain.json and works.json of the same with --only, and gets the pictures; one without data, or
of one size alone, is not drawn.
--check writes nothing, and names the pictures that are not those of the data (exit code 1).

Two kinds: `lines` over a size, with quartiles where the data has them, and `ratios` of all rows.  Each
says below where its numbers come from.  Axes are logarithmic.  Colours are of middle lightness, text
follows the reader's background, and every point tells its number when it is pointed at.
"""

import argparse
import json
import math
import os
import re
import sys
from xml.sax.saxutils import escape

COLOURS = ["#3b82c4", "#d9822b", "#3f9e5a", "#b75bb0", "#c9485b", "#8a8f98"]
OURS = "tilec"  # is drawn wide, below the others
STYLE = """<style>
text { font: 12px sans-serif; fill: #333 }
.title { font-size: 14px; font-weight: bold }
.small { font-size: 10px }
.grid { stroke: #888; stroke-opacity: .3 }
.one { stroke: #888; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } }
</style>"""
WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 200, 40, 84  # of the axes, from the picture's edges
NAMES, LINE = 330, 17  # of `ratios`: room for a row's name, and its height

FASTER = "peer's time / tilec's (above 1: tilec is faster)"
PROVIDERS = {"tilec": "tilec", "triton": "Triton", "torch": "PyTorch", "compile": "torch.compile",
             "mma.sync": "mma.sync alone", "Fourier": "Fourier (PyTorch)", "RWKV": "RWKV's CUDA"}


# --- data: {label: [(size, low, middle, high)]} ---------------------------------------------------


def by_series(names):
    """Of cpu.json the ratios of series, {name in the data: label}."""
    def points(data):
        found = {label: sorted((row["size"], *row["ratio"]) for row in data["rows"]
                               if row.get("series") == name) for name, label in names.items()}
        return {label: row for label, row in found.items() if row}

    return points


def by_size(pattern, rate=False):
    """Of gpu.json the rows whose name is `pattern`, which has one group, the size: microseconds, or
    TFLOP/s."""
    def points(data):
        found = {}
        for row in data["rows"]:
            size = re.fullmatch(pattern, row["name"])
            for name, time in row["microseconds"].items() if size else ():
                value = row["flops"] / time * 1e-6 if rate else time
                found.setdefault(PROVIDERS.get(name, name), []).append((int(size[1]),) + (value,) * 3)
        return {label: sorted(points) for label, points in found.items()}

    return points


# --- axes ------------------------------------------------------------------------------------------


class Scale:
    """A logarithmic axis: values from `low` to `high` on places from `start` to `stop`."""

    def __init__(self, low, high, start, stop):
        self.low, self.high, self.start = low, high, start
        self.step = (stop - start) / math.log(high / low)

    def at(self, value):
        return self.start + self.step * math.log(value / self.low)

    def ticks(self):
        """1, 2 and 5 times the powers of ten; powers alone where these are many."""
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        digits = (1,) if len(decades) > 4 else (1, 2, 5)
        return [d * 10.0**k for k in decades for d in digits
                if self.low <= d * 10.0**k * (1 + 1e-9) and d * 10.0**k <= self.high * (1 + 1e-9)]


def text(x, y, words, anchor="start", kind=""):
    kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{escape(words)}</text>'


def line(x1, y1, x2, y2, kind, colour=None):
    paint = f' stroke="{colour}"' if colour else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"{paint}/>'


def dot(x, y, colour, words):
    return (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}">'
            f'<title>{escape(words)}</title></circle>')


def number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}".replace(",", " ")


def source(data, y):
    """Machine, date and command of the data, as two lines."""
    versions = [f"{name} {data[key]}" for key, name in
                (("torch", "PyTorch"), ("triton", "Triton"), ("cuda", "CUDA"), ("opencv", "OpenCV"))
                if key in data]
    return [text(8, y, ", ".join([data["device"], data["date"], *versions]), kind="small"),
            text(8, y + 14, data.get("command", ""), kind="small")]


def document(width, height, title, parts):
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img">')
    return "\n".join([head, f"<title>{escape(title)}</title>", STYLE,
                      text(8, 20, title, kind="title"), *parts, "</svg>", ""])


# --- kinds of pictures -----------------------------------------------------------------------------


def curve(label, points, colour, across, up, unit):
    """One series: its line, its points, and their quartiles."""
    places = [(across.at(size), up.at(middle)) for size, _, middle, _ in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    wide = 4 if label == OURS else 1.5
    parts = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{wide}"/>']
    for (size, low, middle, high), (x, y) in zip(points, places):
        if low < high:
            parts.append(line(x, up.at(low), x, up.at(high), "quartiles", colour))
        parts.append(dot(x, y, colour, f"{label}, {size}: {number(middle)} {unit}".rstrip()))
    return parts


def lines(data, title, points, size_name, value_name, unit=""):
    """The series over their sizes, or None where none has two."""
    series = points(data)
    if not any(len(points) > 1 for points in series.values()):
        return None
    sizes = sorted({p[0] for row in series.values() for p in row})
    values = [v for row in series.values() for p in row for v in p[1:]] + ([] if unit else [1])
    across = Scale(sizes[0], max(sizes[-1], sizes[0] * 2), LEFT + 16, WIDTH - RIGHT - 16)
    up = Scale(min(values) / 1.15, max(values) * 1.15, HEIGHT - BOTTOM, TOP + 16)
    parts = [text(8, TOP, value_name, kind="small"),
             text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 32, size_name, "middle")]
    for value in up.ticks():
        kind = "one" if value == 1 and not unit else "grid"
        parts += [line(LEFT, up.at(value), WIDTH - RIGHT, up.at(value), kind),
                  text(LEFT - 6, up.at(value) + 4, number(value), "end")]
    parts += [text(across.at(size), HEIGHT - BOTTOM + 16, str(size), "middle", "small")
              for size in sizes]
    for n, (label, row) in enumerate(series.items()):
        colour, y = COLOURS[n % len(COLOURS)], TOP + 20 + 18 * n
        parts += curve(label, row, colour, across, up, unit)
        parts += [f'<rect x="{WIDTH - RIGHT + 12}" y="{y - 9}" width="12" height="4" fill="{colour}"/>',
                  text(WIDTH - RIGHT + 30, y - 3, label)]
    return document(WIDTH, HEIGHT, title, parts + source(data, HEIGHT - 24))


def ratios(data, title):
    """Every row that tilec and a peer have: each peer's time as a multiple of tilec's."""
    rows = [(row["name"], {name: time / row["microseconds"]["tilec"]
                           for name, time in row["microseconds"].items()
                           if name not in ("tilec", "mma.sync")})
            for row in data["rows"] if "tilec" in row["microseconds"]]
    rows = [(name, peers) for name, peers in rows if peers]
    if not rows:
        return None
    values = [1] + [v for _, peers in rows for v in peers.values()]
    across = Scale(min(values) / 1.1, max(values) * 1.1, NAMES, WIDTH - 16)
    bottom = TOP + 24 + LINE * len(rows)
    names = list(dict.fromkeys(name for _, peers in rows for name in peers))
    colours = dict(zip(names, COLOURS))
    parts = [line(across.at(v), TOP + 12, across.at(v), bottom, "one" if v == 1 else "grid")
             for v in across.ticks()]
    parts += [text(across.at(v), bottom + 14, number(v), "middle") for v in across.ticks()]
    for n, name in enumerate(names):
        parts += [f'<circle cx="{16 + 130 * n}" cy="{TOP - 4}" r="3.5" fill="{colours[name]}"/>',
                  text(24 + 130 * n, TOP, PROVIDERS.get(name, name))]
    for n, (name, peers) in enumerate(rows):
        y = TOP + 24 + LINE * n
        parts.append(text(NAMES - 12, y + 4, name, "end"))
        parts += [dot(across.at(v), y, colours[peer], f"{name}, {PROVIDERS.get(peer, peer)}: {number(v)}")
                  for peer, v in peers.items()]
    parts.append(text((NAMES + WIDTH) / 2, bottom + 32, FASTER, "middle"))
    return document(WIDTH, bottom + 76, title, parts + source(data, bottom + 52))


def over(title, size_name, names):
    """A picture of cpu.json over a size."""
    return lambda data: lines(data, title, by_series(names), size_name, FASTER)


def on_gpu(title, size_name, pattern, rate=False):
    """A picture of gpu.json over a size."""
    unit = "TFLOP/s" if rate else "us"
    name = "TFLOP/s (higher is better)" if rate else "microseconds (lower is better)"
    return lambda data: lines(data, title, by_size(pattern, rate), size_name, name, unit)


PICTURES = {
    "cpu-giou": over("Loss of boxes, 256 a sample, fp32", "samples", {
        "GIoU loss beside PyTorch": "PyTorch",
        "GIoU loss beside torch.compile": "torch.compile",
        "GIoU loss with gradients beside PyTorch": "PyTorch, gradients",
        "GIoU loss with gradients beside torch.compile": "torch.compile, gradients"}),
    "cpu-softmax": over("Softmax of 4096 rows, fp32", "columns", {"softmax": "PyTorch"}),
    "cpu-matmul": over("Product of square matrices, fp32", "rows", {"matmul": "PyTorch (MKL)"}),
    "cpu-dilate": over("Dilation of 256 images of 256x256, u8", "side of the element", {
        "dilate rect": "OpenCV, square", "dilate ellipse": "OpenCV, ellipse",
        "dilate at run time": "OpenCV, run-time ellipse"}),
    "cpu-timex": over("timex, 8 samples of 64 channels, fp32", "T", {
        "timex beside conv1d": "conv1d", "timex beside Fourier": "Fourier (PyTorch)",
        "timex gradients beside conv1d": "conv1d, gradients"}),
    "cpu-find": over("A template found in 16 images of 256x256, u8", "side of the template", {
        "find products": "matchTemplate", "find normalised": "matchTemplate, normalised"}),
    "gpu-all": lambda data: ratios(data, "Kernels beside Triton and PyTorch on a GPU"),
    "plain-all": lambda data: ratios(data, "Plain kernels beside Triton and PyTorch on a GPU"),
    "works-all": lambda data: ratios(data, "Boxes, timex and images beside Triton and PyTorch on a GPU"),
    "gpu-softmax": on_gpu("Softmax of 4096 rows, fp32", "columns", r"softmax 4096x(\d+) fp32.*"),
    "gpu-square": on_gpu("Square of 65536 rows, fp32", "columns", r"square 65536x(\d+) fp32"),
    "gpu-matmul": on_gpu("Product of square matrices, fp16", "rows", r"matmul (\d+) fp16", True),
    "gpu-attention": on_gpu("Attention, 4 x 32 heads of 4096, fp16", "D",
                            r"attention 4x32x4096x(\d+) fp16", True),
    "gpu-giou": on_gpu("Loss of boxes, 256 a sample, fp32", "samples", r"giou loss (\d+)x256 fp32"),
    "gpu-dilate": on_gpu("Dilation of 2048 images of 256x256, u8", "side of the element",
                         r"dilate (\d+)x.* u8"),
    "gpu-timex": on_gpu("timex, 32 samples of 768 channels, fp32", "T",
                        r"timex 32x768x(\d+) fp32"),
}


FILES = {"cpu": ["cpu.json"], "gpu": ["gpu.json", "works.json"], "plain": ["plain.json"], "works": ["works.json"]}


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def drawn(folder):
    """{file: text} of the pictures that there is data for, each of the first file that has it."""
    data = {name: read(os.path.join(folder, name)) for names in FILES.values() for name in names
            if os.path.exists(os.path.join(folder, name))}
    found = {}
    for name, draw in PICTURES.items():
        for file in FILES[name.split("-")[0]]:
            picture = draw(data[file]) if file in data else None
            if picture:
                found[os.path.join(folder, name + ".svg")] = picture
                break
    return found


def same(path, picture):
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        return file.read() == picture


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="only compare with what is there")
    parser.add_argument("folder", nargs="?", default=os.path.join("docs", "pictures"))
    options = parser.parse_args()
    pictures = drawn(options.folder)
    if options.check:
        stale = [path for path, picture in pictures.items() if not same(path, picture)]
        stale += [name.path for name in os.scandir(options.folder)
                  if name.name.endswith(".svg") and name.path not in pictures]
        print("".join(f"{path}: not the picture of the data beside it; `python3 bench/pictures.py` draws it\n"
                      for path in stale), end="", file=sys.stderr)
        return 1 if stale else 0
    for path, picture in pictures.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
