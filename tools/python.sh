#!/bin/sh
# python.sh - print the path of a Python 3 that can import NumPy
#
# It is that of the interpreter itself: what stands in PATH may be a script that looks for it, which takes
# as long as Python's start.  TILEC_PYTHON names it where it is known, as to CTest.  With --make, and if
# none is found, make one in .venv with NumPy from PyPI.
if [ -n "${TILEC_PYTHON:-}" ]; then
    echo "$TILEC_PYTHON"
    exit 0
fi
cd "$(dirname "$0")/.." || exit 1

for python in "$PWD/.venv/bin/python3" python3 /usr/bin/python3; do
    "$python" -c 'import numpy, sys; print(sys.executable)' 2>/dev/null && exit 0
done
[ "${1:-}" = --make ] || exit 1
python3 -m venv .venv >&2 && .venv/bin/pip install -q numpy >&2 || exit 1
echo "$PWD/.venv/bin/python3"
