"""inspected.py make|check|... - images for tilec-inspect, and what it must say of them, from docs/inspect.md alone

`make` writes folders with images of several sizes, some of them damaged; `check --code CODE OPTION... IMAGES...` runs
nothing: it computes with NumPy what the tables of such a call hold, and compares.  Correlation, morphology
and labels are written out, slowly and obviously.
"""
import argparse
import os
import random
import struct
import sys
import zlib

import numpy as np


# --- images ---

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path, x):
    """u8 or u16, grey or in colour."""
    depth, kind = 8 * x.itemsize, 0 if x.ndim == 2 else 2
    rows = b"".join(b"\0" + row.astype(x.dtype.newbyteorder(">")).tobytes() for row in x)
    with open(path, "wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", x.shape[1], x.shape[0], depth, kind, 0, 0, 0))
                  + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def write_pgm(path, x):
    with open(path, "wb") as out:
        out.write(b"P5 %d %d %d\n" % (x.shape[1], x.shape[0], np.iinfo(x.dtype).max) + x.astype(x.dtype.newbyteorder(">")).tobytes())


def part(rng, height, width, most, dtype):
    """A part with a mark in its middle, anywhere up to `most` pixels off its place, and dark and bright spots."""
    scale = 1 if dtype == np.uint8 else 257
    y, x = np.mgrid[:height, :width]
    dy, dx = rng.integers(-most, most + 1, 2)
    image = 90 + 20 * np.sin((y - dy) / 9.0) + 15 * np.sin((x - dx) / 7.0) + rng.integers(-3, 4, (height, width))
    at = (height - MARK.shape[0]) // 2 + dy, (width - MARK.shape[1]) // 2 + dx
    image[at[0]:at[0] + MARK.shape[0], at[1]:at[1] + MARK.shape[1]] = MARK + rng.integers(-3, 4, MARK.shape)
    for _ in range(rng.integers(0, 6)):
        top, left = rng.integers(0, height - 5), rng.integers(0, width - 5)
        kind = rng.integers(0, 3)
        spot = [np.ones((3, 4)), np.eye(5), np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1]])][kind] > 0
        image[top:top + spot.shape[0], left:left + spot.shape[1]][spot] += rng.choice([-70, 90])
    return (np.clip(image, 0, 255) * scale).astype(dtype)


MANY = 800 if os.environ.get("TILEC_THOROUGH") else 200  # to be stopped among them
MARK = np.add.outer(np.arange(9) * 7 % 61, np.arange(7) * 11 % 53) + 110


def make():
    seed = int(os.environ.get("TILEC_SEED", "21"))
    print("TILEC_SEED", seed)
    rng = np.random.default_rng(seed)
    for folder in ("small", "wide", "empty", "many"):
        os.mkdir(folder)
    write_png("mark.png", MARK.astype(np.uint8))
    write_png("mark16.png", (MARK * 257).astype(np.uint16))
    for i in range(40):
        shape = (40, 48) if i % 5 else (37 + i % 2, 61)
        (write_pgm if i % 7 == 3 else write_png)("small/%02d.%s" % (i, "pgm" if i % 7 == 3 else "png"), part(rng, *shape, 2, np.uint8))
    for i in range(6):
        write_png("wide/%d.png" % i, part(rng, 48, 64, 3, np.uint16))
    np.save("stack.npy", np.stack([part(rng, 41, 50, 2, np.uint8) for _ in range(9)]))
    write_png("small/flat.png", np.full((40, 48), 7, np.uint8))
    write_png("small/colour.png", np.zeros((40, 48, 3), np.uint8))
    write_png("small/deep.png", part(rng, 40, 48, 2, np.uint16))
    write_png("small/tiny.png", np.arange(30, dtype=np.uint8).reshape(5, 6))
    np.save("small/real.npy", np.zeros((3, 40, 48), np.float32))
    whole = open("small/01.png", "rb").read()
    for name, data in (("cut", whole[:len(whole) // 2]), ("none", b""), ("text", b"no image\n"),
                       ("flipped", whole[:60] + bytes([whole[60] ^ 255]) + whole[61:])):
        open("small/%s.png" % name, "wb").write(data)
    open("small/notes.txt", "w").write("not an image by its name\n")
    stack = open("stack.npy", "rb").read()
    open("short.npy", "wb").write(stack[:len(stack) - 41 * 50 - 100])
    for i in range(MANY):
        write_pgm("many/%03d.pgm" % i, part(rng, 40, 48, 2, np.uint8))


# --- what docs/inspect.md says ---

BROKEN = {"cut": "damaged", "none": "damaged", "text": "damaged", "flipped": "damaged", "colour": "not grey", "real": "type"}


def images_of(argument):
    """Names and arrays, None for what cannot be read, with why."""
    if os.path.isdir(argument):
        names = [n for n in os.listdir(argument) if n.endswith((".png", ".pgm", ".npy"))]
        for name in sorted(names, key=os.fsencode):
            yield from images_of(argument.rstrip("/") + "/" + name)
        return
    stem = os.path.basename(argument).rsplit(".", 1)[0]
    if stem in BROKEN:
        yield argument, stem, None, BROKEN[stem]
    elif argument == "short.npy":
        for i, image in enumerate(np.load("stack.npy")):
            yield "%s[%d]" % (argument, i), "short-%06d" % i, image if i < 7 else None, "damaged"
    elif argument.endswith(".npy"):
        for i, image in enumerate(np.load(argument)):
            yield "%s[%d]" % (argument, i), "%s-%06d" % (stem, i), image, None
    else:
        yield argument, stem, read(argument), None


def read(path):
    """Of the PNG and PGM files that this program writes."""
    data = open(path, "rb").read()
    if path.endswith(".pgm"):
        width, height = map(int, data.split(None, 3)[1:3])
        return np.frombuffer(data[-height * width:], np.uint8).reshape(height, width)
    width, height, depth = struct.unpack(">IIB", data[16:25])
    size = depth // 8
    at = data.index(b"IDAT")
    rows = zlib.decompress(data[at + 4:at + 4 + struct.unpack(">I", data[at - 4:at])[0]])
    rows = np.frombuffer(rows, np.uint8).reshape(height, 1 + width * size)[:, 1:]
    return np.ascontiguousarray(rows).view(np.uint8 if size == 1 else ">u2").astype(np.uint8 if size == 1 else np.uint16)


def axis(size, crop, template, place, search):
    before = (size - crop) // 2
    return before, min(before, place, search), min(size - crop - before, size - template - place, search)


def find(image, t, place, up, down):
    """The first of the largest scores, row by row: whole numbers are exact."""
    best = None
    n, b = t.size, t.astype(np.int64)
    for y in range(-up[0], down[0] + 1):
        for x in range(-up[1], down[1] + 1):
            a = image[place[0] + y:, place[1] + x:][:t.shape[0], :t.shape[1]].astype(np.int64)
            spread_a = n * int((a * a).sum()) - int(a.sum()) ** 2
            spread_b = n * int((b * b).sum()) - int(b.sum()) ** 2
            both = n * int((a * b).sum()) - int(a.sum()) * int(b.sum())
            scale = float(spread_a) * float(spread_b)
            score = float(both) / np.sqrt(scale) if scale else 0.0
            if best is None or score > best[0]:
                best = score, y, x
    return best


def element(kind, height, width):
    e = np.zeros((height, width), bool)
    middle = height // 2, width // 2
    for i in range(height):
        if kind == "rect" or kind == "cross" and i == middle[0]:
            e[i] = True
        elif kind == "cross":
            e[i, middle[1]] = True
        elif abs(i - middle[0]) <= middle[0]:
            r = middle[0]
            half = int(np.rint(middle[1] * np.sqrt((r * r - (i - r) ** 2) / (r * r)))) if r else middle[1]
            e[i, max(middle[1] - half, 0):middle[1] + half + 1] = True
    return e


def extreme(x, e, largest):
    """Dilate or erode; outside of the image is nothing."""
    middle = e.shape[0] // 2, e.shape[1] // 2
    none = 0 if largest else np.iinfo(x.dtype).max
    padded = np.pad(x, [(s, s) for s in e.shape], constant_values=none)
    out = np.full_like(x, none)
    for i, j in zip(*np.nonzero(e)):
        top, left = e.shape[0] + i - middle[0], e.shape[1] + j - middle[1]
        out = (np.maximum if largest else np.minimum)(out, padded[top:top + x.shape[0], left:left + x.shape[1]])
    return out


def operate(x, op, e):
    erode, dilate = (lambda x: extreme(x, e, False)), (lambda x: extreme(x, e, True))
    return {"erode": lambda: erode(x), "dilate": lambda: dilate(x), "open": lambda: dilate(erode(x)), "close": lambda: erode(dilate(x)),
            "gradient": lambda: dilate(x) - erode(x), "tophat": lambda: x - dilate(erode(x)), "blackhat": lambda: erode(dilate(x)) - x}[op]()


def label(above):
    """Lists of pixels, of 8 neighbours, in the order of their first ones."""
    seen = ~above
    for y, x in zip(*np.nonzero(above)):
        if seen[y, x]:
            continue
        seen[y, x] = True
        pixels, at = [(y, x)], 0
        while at < len(pixels):
            y, x = pixels[at]
            at += 1
            for i in range(max(y - 1, 0), min(y + 2, above.shape[0])):
                for j in range(max(x - 1, 0), min(x + 2, above.shape[1])):
                    if not seen[i, j]:
                        seen[i, j] = True
                        pixels.append((i, j))
        yield np.array(pixels)


def inspect(image, o, t):
    """A row of images.csv behind its name, rows of defects.csv, and the picture."""
    crop = o.crop or [n - n // 8 for n in image.shape]
    place = o.at or [(n - m) // 2 for n, m in zip(image.shape, t.shape)]
    if image.dtype != t.dtype:
        return "type,,,,,", [], None
    if any(c > n or m > n or p + m > n for c, m, n, p in zip(crop, t.shape, image.shape, place)):
        return "too small,,,,,", [], None
    before, up, down = zip(*(axis(*a, o.search) for a in zip(image.shape, crop, t.shape, place)))
    score, dy, dx = find(image, t, place, up, down)
    if not score > o.min_score:
        return "not found,%d,%d,%.6f,," % (dy, dx, score), [], None
    inner = image[before[0] + dy:, before[1] + dx:][:crop[0], :crop[1]]
    found = operate(inner, o.op.replace("-", ""), o.element)
    above = found > (o.threshold if o.threshold is not None else 32 if image.dtype == np.uint8 else 8224)
    rows = []
    for k, pixels in enumerate(label(above)):
        (top, left), (bottom, right) = pixels.min(0), pixels.max(0) + 1
        rows.append("%d,%d,%d,%d,%d,%d,%d" % (k + 1, len(pixels), top, left, bottom, right, found[tuple(pixels.T)].max()))
    return "ok,%d,%d,%.6f,%d,%d" % (dy, dx, score, len(rows), above.sum()), rows, above


def check(words):
    def pair(text):
        numbers = [int(n) for n in text.replace("x", ",").split(",")]
        return numbers * 2 if len(numbers) == 1 else numbers

    def shape(text):
        kind, size = text.split(":")
        return element(kind, *pair(size))

    p = argparse.ArgumentParser()
    p.add_argument("images", nargs="+")
    p.add_argument("--code", type=int, required=True)
    p.add_argument("--template", default="mark.png")
    p.add_argument("-o", dest="out", required=True)
    p.add_argument("--op", default="blackhat")
    p.add_argument("--element", type=shape, default="rect:15")
    p.add_argument("--threshold", type=int)
    p.add_argument("--crop", type=pair)
    p.add_argument("--at", type=pair)
    p.add_argument("--search", type=int, default=10**6)
    p.add_argument("--min-score", type=float, default=0)
    for other in ("--batch", "--threads", "--device", "--memory"):
        p.add_argument(other)
    o = p.parse_args(words)
    t = read(o.template)
    images, defects, pictures = ["image,status,dy,dx,score,defects,area"], ["image,defect,area,top,left,bottom,right,peak"], {}
    for argument in o.images:
        for name, stem, image, why in images_of(argument):
            row, rows, above = (why + ",,,,,", [], None) if image is None else inspect(image, o, t)
            images.append(name + "," + row)
            defects += [name + "," + r for r in rows]
            if rows:
                pictures[stem + ".png"] = above * np.uint8(255)
    assert o.code == any(",ok," not in row for row in images[1:]), "exit code %d" % o.code
    for name, lines in (("images.csv", images), ("defects.csv", defects)):
        got = open(o.out + "/" + name).read().split("\n")
        for k, line in enumerate(lines + [""]):
            assert k < len(got) and got[k] == line, "%s:%d\n got %s\nwant %s" % (name, k + 1, got[k:k + 1], line)
        assert len(got) == len(lines) + 1, name
    assert sorted(os.listdir(o.out + "/defects")) == sorted(pictures), (os.listdir(o.out + "/defects"), sorted(pictures))
    for name, picture in pictures.items():
        assert (read_filtered(o.out + "/defects/" + name) == picture).all(), name
    assert len(defects) > 1, "nothing is found: the test tests nothing"


def read_filtered(path):
    """The pictures that tilec writes, whose rows have the filter Up, or none."""
    data = open(path, "rb").read()
    width, height = struct.unpack(">II", data[16:24])
    packed, at = b"", 8
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + n] if kind == b"IDAT" else b""
        at += n + 12
    out, above = [], np.zeros(width, np.uint8)
    for row in np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, width + 1):
        assert row[0] in (0, 2)
        above = row[1:] + above if row[0] == 2 else row[1:]
        out.append(above)
    return np.array(out)


if __name__ == "__main__":
    make() if sys.argv[1] == "make" else check(sys.argv[2:])
