#!/bin/sh
# python.sh - print the path of a Python 3 that can import NumPy
#
# With --make, and if none is found, make one in .venv with NumPy from PyPI.
cd "$(dirname "$0")/.." || exit 1

for python in "$PWD/.venv/bin/python3" python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' >/dev/null 2>&1; then
        command -v "$python"
        exit 0
    fi
done
[ "${1:-}" = --make ] || exit 1
python3 -m venv .venv >&2 && .venv/bin/pip install -q numpy >&2 || exit 1
echo "$PWD/.venv/bin/python3"
