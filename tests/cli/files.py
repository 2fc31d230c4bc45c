"""files.py make|check FOLDER - array files by NumPy and zlib, for files.sh: theirs, and ours read by them"""
import struct
import sys
import zlib

import numpy as np

GREY, RGB, PALETTE, ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, ALPHA: 2, RGBA: 4}
HEIGHT, WIDTH = 9, 13


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def pack_row(row, depth):
    """Samples as the bytes of a row."""
    if depth == 16:
        return row.astype(">u2").tobytes()
    if depth == 8:
        return row.astype("u1").tobytes()
    bits = "".join(format(v, f"0{depth}b") for v in row)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def png(samples, kind, depth, extra=b"", interlaced=False):
    height, width, channels = samples.shape
    passes = [(0, 0, 1, 1)]
    if interlaced:  # Adam7: first row, first column, steps
        passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2),
                  (0, 1, 2, 2), (1, 0, 2, 1)]
    raw = b""
    for y, x, dy, dx in passes:
        for row in samples[y::dy, x::dx]:
            raw += b"\0" + pack_row(row.reshape(-1), depth)
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra +
            chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def samples_of(kind, depth):
    rng = np.random.default_rng(kind * 100 + depth)
    return rng.integers(0, 2 ** depth, (HEIGHT, WIDTH, CHANNELS[kind]))


COLOURS = np.random.default_rng(1).integers(0, 256, (16, 3))


def images():
    """name -> (the file's bytes, the array that it is)"""
    out = {}
    for depth in (1, 2, 4):
        s = samples_of(GREY, depth)
        out[f"grey{depth}"] = png(s, GREY, depth), (s * 255 // (2 ** depth - 1)).astype("u1")
    for name, kind in (("grey", GREY), ("alpha", ALPHA), ("rgb", RGB), ("rgba", RGBA)):
        for depth in (8, 16):
            s = samples_of(kind, depth)
            out[f"{name}{depth}"] = png(s, kind, depth), s.astype(f"u{depth // 8}")
    s = samples_of(PALETTE, 4)
    plte = chunk(b"PLTE", COLOURS.astype("u1").tobytes())
    out["palette"] = png(s, PALETTE, 4, plte), COLOURS[s[..., 0]].astype("u1")
    s = samples_of(GREY, 8)
    s[2, 3] = 77  # the grey that is transparent
    clear = np.concatenate([s, np.where(s == 77, 0, 255)], axis=2)
    out["clear"] = png(s, GREY, 8, chunk(b"tRNS", b"\0\x4d")), clear.astype("u1")
    s = samples_of(RGB, 8)
    out["interlaced"] = png(s, RGB, 8, interlaced=True), s.astype("u1")
    return {name: (data, array[..., 0] if array.shape[2] == 1 else array)
            for name, (data, array) in out.items()}


def read_png(path):
    """Of those with 8 or 16 bits and the filters None and Up."""
    data = open(path, "rb").read()
    at, packed = 8, b""
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert zlib.crc32(name + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
        if name == b"IHDR":
            width, height, depth, kind = struct.unpack(">IIBB", body[:10])
        packed += body if name == b"IDAT" else b""
        at += 12 + size
    channels = CHANNELS[kind]
    rows = np.frombuffer(zlib.decompress(packed), "u1").reshape(height, -1)
    out = np.zeros((height, rows.shape[1] - 1), "u1")
    for y in range(height):
        assert rows[y, 0] in (0, 2)
        out[y] = rows[y, 1:] + (out[y - 1] if rows[y, 0] == 2 and y > 0 else 0)
    pixels = out.view(">u2" if depth == 16 else "u1").reshape(height, width, channels)
    return pixels[..., 0] if channels == 1 else pixels


A, B = np.arange(1000.0).reshape(20, 50), np.asfortranarray(np.arange(6, dtype="i4").reshape(2, 3))


def make():
    for name, (data, _) in images().items():
        open(name + ".png", "wb").write(data)
    np.savez("stored.npz", a=A, b=B)
    np.save("fortran.npy", np.asfortranarray(np.arange(6).reshape(2, 3)))
    np.savez_compressed("packed.npz", a=A, b=B)
    np.savez_compressed("big.npz", a=np.zeros(3 << 20, "f4"))


def check():
    for name, (_, array) in images().items():
        got = np.load(name + ".out.npy")
        assert got.dtype == array.dtype and np.array_equal(got, array), name
        assert np.array_equal(read_png(name + ".out.png"), array), name
    for name, array in (("stored-a", A), ("stored-b", B), ("packed-a", A)):
        assert np.array_equal(np.load(name + ".out.npy"), array), name
    small = np.load("small.npz")
    assert all((small[name] == np.arange(40000) // 100).all() for name in ("o", "in"))
    both = np.load("both.npz")
    assert sorted(both.files) == ["o", "x"] and both["o"].shape == (3 << 20,)
    numbers = np.loadtxt("numbers.csv", delimiter=",", dtype="f4")
    assert np.array_equal(numbers, np.load("numbers.npy"))
    bits = np.load("bf16.npy").view("u2").astype("u4") << 16
    # the fewest digits that are the same bf16
    assert np.allclose(bits.view("f4"), np.loadtxt("bf16.csv", dtype="f4"), rtol=2 ** -9, atol=0)


{"make": make, "check": check}[sys.argv[1]]()
print("all is well")
