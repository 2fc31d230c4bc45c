#!/bin/sh
# peers.sh [BUILD] - the kernels of kernels/ beside OpenCV and PyTorch on one core, where both are
#
# PYTHON says which Python has them; else it is that of tools/python.sh.  Writes BUILD/bench-peers.json and
# BUILD/bench-peers-transformer.json.
set -eu
build=$(cd "${1:-build}" && pwd)
cd "$(dirname "$0")/.."
python=${PYTHON:-$(tools/python.sh)}
PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
if ! "$python" -c 'import cv2, torch, tilec' 2>/dev/null; then
    echo "not beside OpenCV and PyTorch, which $python has not: PYTHON=... make bench takes another Python"
    exit 0
fi
core=$(taskset -cp $$ | sed 's/.*[ ,-]//') # one that this process may use
taskset -c "$core" "$python" -m tilec bench/peers.py --json "$build/bench-peers.json"
taskset -c "$core" "$python" -m tilec bench/peers_transformer.py --json "$build/bench-peers-transformer.json"
