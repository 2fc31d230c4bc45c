#!/bin/sh
# suspicious.sh TILEC SOURCE - what a run tells of mistakes that the compiler cannot see, and that it is silent else
. "$(dirname "$0")/expect.inc"
cat >"$folder/k.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def double(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.jit
def single(x, out):
    i = tl.program_id(0)
    tl.store(out + i, tl.load(x + i) * 2)


@triton.jit
def tickets(counter, out):
    tl.store(out + tl.atomic_add(counter, 1), 1.0)


@triton.jit
def count(counter):
    tl.atomic_add(counter, 1)
KERNEL

# quiet COMMAND... : exits with 0 and says nothing on stderr
quiet() {
    expect 0 err "" "$@"
    [ ! -s "$folder/err" ] || wrong "it was not silent: $*"
}

run() {
    kernel=$1
    shift
    "$tilec" run "$folder/k.py:$kernel" "$@"
}

# --- grids ---
expect 0 err "the grid is 4x256x1, and kernel \`double\` never asks for tl.program_id(1)" run double \
    --grid 4,256 x="ones(fp32,1024)" out="zeros(fp32,1024)" n=1024 B=256
quiet run double --grid 4 x="ones(fp32,1024)" out="zeros(fp32,1024)" n=1024 B=256
quiet run double --grid 4,1,1 x="ones(fp32,1024)" out="zeros(fp32,1024)" n=1024 B=256
quiet run count --grid 64 counter="zeros(i32,1)"
quiet run tickets --grid 8,8 counter="zeros(i32,1)" out="zeros(fp32,64)"
expect 0 err "each of the 20000 programs of kernel \`single\` works on single elements" run single \
    --grid 20000 x="ones(fp32,20000)" out="zeros(fp32,20000)"
quiet run single --grid 100 x="ones(fp32,100)" out="zeros(fp32,100)"
# their operations count
expect 0 out '"flops": 100' run single --grid 100 x="ones(fp32,100)" out="zeros(fp32,100)" --json

finish
