#!/bin/sh
# rehearsal.sh TILEC SOURCE - small launches on the CPU are checked beside their own run
. "$(dirname "$0")/expect.inc"
set -f # words are no patterns
export TILEC_CACHE="$folder/cache"
cat >"$folder/k.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def left(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i - 1, mask=i < n)
    tl.store(y + i, v, mask=i < n)

@triton.jit
def count(x, h):
    j = tl.load(x + tl.program_id(0))
    tl.store(h + j, tl.load(h + j) + 1)

@triton.jit
def short(x, y, n, B: tl.constexpr):
    s = 0.0
    for j in range(n // B):
        s += tl.sum(tl.load(x + j * B + tl.arange(0, B)), axis=0)
    tl.store(y, s)

@triton.jit
def far(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + 1000000000 * i, tl.load(x + 1000000000 * i, mask=i < n), mask=i < n)

@triton.jit
def twice(x, h, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
    for k in range(h):
        tl.atomic_add(x, 0.0)
KERNEL
cd "$folder" || exit 1

run() {
    kernel=$1
    shift
    "$tilec" run "k.py:$kernel" "$@"
}

found='note: a second run has found this'
words='--grid 2 x=rand(fp32,100) y=empty(fp32,100) n=100 B=64'
# shellcheck disable=SC2086 # they are words
{
    expect 0 err 'k.py:7:9: warning: load of x[-1] is outside of its 100 elements' run left $words --show y
    grep -qF "$found" err || wrong 'it does not say who has found it'
    grep -q '^y: fp32 100' out || wrong 'results come all the same'
    expect 0 err 'warning: load of x[-1]' run left $words --json
    # who asks for silence, for times or for a check has what was asked for
    expect 0 out '' run left $words -q
    silent
    expect 0 out '' run left $words --time 1
    ! grep -qF "$found" err || wrong 'it ran beside what is timed'
    expect 1 err 'error: load of x[-1]' run left $words --check
    ! grep -qF "$found" err || wrong 'it was checked twice'
    expect 0 err "$found" run left $words --compare y=cpu
}
# what two programs do to one element; what is in place is as the command's own run has left it
expect 0 err 'warning: race: load of h[1], which program' run count --grid 4 'x=full(i32,4,1)' 'h=zeros(i32,3)'
expect 0 out '[2. 2. 2. 2.]' run twice --grid 1 --show x 'x=ones(fp32,4)' h=3 n=4 B=4
! grep -q . err || wrong 'it was not silent'
# elements that are not loaded
expect 0 err 'x: only its first 64 of 100 elements are loaded' run short --grid 1 'x=rand(fp32,100)' 'y=zeros(fp32,1)' n=100 B=64
grep -qF "$found" err || wrong 'it does not say who has found it'
# where the process ends, the line is said all the same, and of each place
expect 139 err "kernel 'far' reached memory outside of its arrays" run far --grid 2 'x=rand(fp32,100)' 'y=empty(fp32,100)' n=100 B=64
grep -qF 'k.py:25:34: warning: load of x[1000000000] is outside of its 100 elements' err || wrong 'not the line of the load'
grep -qF 'k.py:25:5: warning: store to y[1000000000] is outside of its 100 elements' err || wrong 'not the line of the store'
grep -qF "$found" err || wrong 'it does not say who has found it'
# a launch that takes long is not waited for
expect 0 out '' run twice --grid 1 'x=ones(fp32,4)' h=20000000 n=4 B=4
silent
finish
