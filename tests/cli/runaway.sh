#!/bin/sh
# runaway.sh TILEC SOURCE - a grid that is far too large ends soon where accesses are checked
. "$(dirname "$0")/expect.inc"
cat >"$folder/k.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def grow(x, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i) + 1)
KERNEL
for device in cpu ${TILEC_THOROUGH:+interp}; do # two seconds of each core
    expect 1 err "k.py:8:21: error: load of x[1000] is outside of its 1000 elements" \
        timeout 600 "$tilec" run "$folder/k.py" --grid 2000000000 x='zeros(fp32,1000)' B=256 --device $device --check
    grep -qF "note: in program (3, 0, 0), at [232] of the tile" "$folder/err" || wrong "not the first program"
    grep -qF "note: the launch was stopped 2 s behind the first of these" "$folder/err" || wrong "it ran on"
    expect 1 err "24 elements in 1 program" \
        "$tilec" run "$folder/k.py" --grid 4 x='zeros(fp32,1000)' B=256 --device $device --check
    ! grep -q "was stopped" "$folder/err" || wrong "it ran to its end"
done
finish
