#!/bin/sh
# pictures.sh TILEC SOURCE - bench/pictures.py draws what its data says, and docs/pictures is drawn from the data beside it
source=$2
python=$("$source/tools/python.sh")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -B - "$source" "$folder" <<'END'
import contextlib, io, json, os, sys
import xml.etree.ElementTree as tree

source, folder = sys.argv[1:]
sys.path.insert(0, os.path.join(source, "bench"))
import pictures


def run(*words):
    """Its exit code and what it says."""
    sys.argv = ["pictures.py", *words]
    with contextlib.redirect_stderr(io.StringIO()) as said:
        return pictures.main(), said.getvalue()


assert run("--check", os.path.join(source, "docs", "pictures")) == (0, ""), "docs/pictures: python3 bench/pictures.py"
about = {"device": "A <Xeon> & more", "date": "2026-01-02", "torch": "9.9", "command": "python <x>"}
row = lambda n, ratio: {"name": f"softmax {n}", "series": "softmax", "size": n,
                        "against": "PyTorch", "ratio": ratio}
cpu = {**about, "rows": [row(1000, [8, 10, 12.5]), row(10, [0.1, 0.1, 0.1]), row(100, [1, 1, 2]),
                         {"name": "else", "series": None, "size": None, "ratio": [1, 1, 1]}]}
times = lambda *t: dict(zip(("tilec", "triton", "torch"), t))
gpu = {**about, "rows": [
    {"name": "softmax 4096x100 fp32", "flops": 0, "microseconds": times(10, 5, 40)},
    {"name": "softmax 4096x1000 fp32 by 16 warps", "flops": 0, "microseconds": times(100, 50, 400)},
    {"name": "alone", "flops": 0, "microseconds": {"torch": 3}}]}
for name, data in (("cpu", cpu), ("gpu", gpu)):
    with open(os.path.join(folder, name + ".json"), "w") as file:
        json.dump(data, file)
assert run("--check", folder)[0] == 1
assert run(folder) == run("--check", folder) == (0, "")
files = sorted(n for n in os.listdir(folder) if n.endswith(".svg"))
assert files == ["cpu-softmax.svg", "gpu-all.svg", "gpu-softmax.svg"], files


def points(name):
    """{what a point tells: its place}, and all words of a picture, which is well-formed."""
    root = tree.parse(os.path.join(folder, name)).getroot()
    tag = lambda name: root.iter("{http://www.w3.org/2000/svg}" + name)
    return ({c[0].text: (float(c.get("cx")), float(c.get("cy"))) for c in tag("circle") if len(c)},
            [t.text for t in tag("text")])


def near(a, b):
    assert abs(a - b) < 0.3, (a, b)


at, words = points("cpu-softmax.svg")
assert list(at) == ["PyTorch, 10: 0.1", "PyTorch, 100: 1", "PyTorch, 1000: 10"], at
(x1, y1), (x2, y2), (x3, y3) = at.values()
near(x2 - x1, x3 - x2)  # tenfold is as far everywhere, and more is higher
near(y1 - y2, y2 - y3)
assert x2 - x1 > 100 and y1 - y2 > 80
assert "A <Xeon> & more, 2026-01-02, PyTorch 9.9" in words and "python <x>" in words, words
at, words = points("gpu-all.svg")
assert at.keys() == {f"{name}, {peer}: {n}" for name in ("softmax 4096x100 fp32", "softmax 4096x1000 fp32 by 16 warps")
                     for peer, n in (("Triton", "0.5"), ("PyTorch", "4"))}, at
at, words = points("gpu-softmax.svg")
up = {who: at[f"{who}, 100: {n} us"][1] for who, n in (("Triton", 5), ("tilec", 10), ("PyTorch", 40))}
near(2 * (up["Triton"] - up["tilec"]), up["tilec"] - up["PyTorch"])  # twice, and four times as long
with open(os.path.join(folder, files[0]), "a") as file:
    file.write(" ")
os.rename(os.path.join(folder, files[1]), os.path.join(folder, "other.svg"))
code, said = run("--check", folder)
assert code == 1 and all(name in said for name in (files[0], files[1], "other.svg")), said
END
