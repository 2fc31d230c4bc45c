"""What README.md shows is what happens: the kernel's output, its error, the C program."""

import os
import re
import shlex
import subprocess
import sys
import tempfile

TILEC, SOURCE, DEVICES = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3].split(",")
NUMBER = re.compile(r"-?\d+\.\d*(?:e-?\d+)?|-?\d+")


def same(got, want):
    """Equal but for the last digits of numbers and the spaces around them."""
    a, b = NUMBER.findall(got), NUMBER.findall(want)
    close = len(a) == len(b) and all(
        abs(float(x) - float(y)) <= 1e-5 * abs(float(y)) for x, y in zip(a, b))
    return close and NUMBER.sub("#", got).split() == NUMBER.sub("#", want).split()


def main():
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as f:
        text = f.read()
    blocks = re.findall(r"```(\w*)[^\n]*\n(.*?)```", text, re.S)
    kernel = next(body for kind, body in blocks if kind == "python")
    program = next(body for kind, body in blocks if kind == "c")
    session = next(body for kind, body in blocks if body.startswith("$ build/tilec run"))
    mistake = next(body for kind, body in blocks if body.startswith("softmax.py:"))
    for device in DEVICES:
        check_kernel(device, kernel, session, mistake)
    with open(os.path.join(SOURCE, "examples", "add.c"), encoding="utf-8") as f:
        assert f.read() == program, "README.md and examples/add.c differ"


def check_kernel(device, kernel, session, mistake):
    command, want = session[2:].split("\n", 1)
    words = [TILEC, *shlex.split(command)[1:], "--device", device]
    with tempfile.TemporaryDirectory(prefix="tilec-readme-") as folder:
        path = os.path.join(folder, "softmax.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(kernel)
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert same(done.stdout, want), done.stdout
        with open(path, "w", encoding="utf-8") as f:
            f.write(kernel.replace("at < columns", "at < colums"))
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and done.stderr == mistake, done.stderr


main()
