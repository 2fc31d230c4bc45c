#!/bin/sh
# assertions.sh TILEC SOURCE - which of several assertions is said to have failed, where and how often, on each device
. "$(dirname "$0")/expect.inc"
cat >"$folder/k.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def two(x, out, n, first, second, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    a = tl.load(x + i, m)
    tl.device_assert(a < first, "first", mask=m)
    b = a * 2
    tl.device_assert(b < second, "second", mask=m)
    tl.store(out + i, a + b, m)


@triton.jit
def kept(x, out, limit, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i)
    tl.store(out + i, a)
    tl.device_assert(a < limit, "behind a store")
    tl.store(out + i, a + 1)


@triton.jit
def several(x, out, six, programs, tile, loop, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i)
    for k in tl.static_range(6):
        tl.device_assert(a + k < six, "one of six")
    n = tl.program_id(0)
    tl.device_assert(n <= programs, "scalar")
    tl.device_assert(n < programs, "another scalar")
    tl.device_assert(tl.reshape(a, [8, B // 8]) < tile, "tile")
    for k in range(4):
        tl.device_assert(a + 100 * k < loop, "in a loop")
    tl.store(out + i, a)


@triton.jit
def either(p, q):
    return p | q


@triton.jit
def both(p, q):
    return p & q


@triton.jit
def agreed(x, out, limit, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i)
    any = tl.reduce(a >= limit, 0, either)
    all = tl.reduce(a < limit, 0, both)
    tl.device_assert(a < limit + 1, "far")
    tl.store(out, any.to(tl.int32) + 10 * all.to(tl.int32))
KERNEL

# run KERNEL ARGUMENT... : three programs of 512 numbers each, in their order
run() {
    name=$1
    shift
    # shellcheck disable=SC2086
    "$tilec" run "$folder/k.py:$name" --device $device $warps --threads 1 --grid 3 B=512 \
        x="arange(i32,1536)" out="zeros(i32,1536)" --show out "$@"
}

# fails TEXT PLACE KERNEL ARGUMENT... : with that message, and says nothing else
fails() {
    text=$1 place=$2
    shift 2
    expect 1 err "assertion failed: $text" run "$@"
    grep -qF "note: in program $place" "$folder/err" || wrong "it is not in $place"
    [ "$(grep -c "assertion failed" "$folder/err")" = 1 ] || wrong "more than one failed"
}

for on in interp cpu "sim 1" "sim 4" "sim 16"; do
    device=${on% *} warps=
    [ "$device" = "$on" ] || warps="--num-warps ${on#* }"
    expect 0 out "4605]" run two n=1536 first=1536 second=4000
    expect 0 out "[0 3 6 ... 0 0 0]" run two n=100 first=100 second=199
    fails first "(1, 0, 0), at [488] of the tile; 24 elements in 1 program" two n=1536 first=1000 second=4000
    fails second "(0, 0, 0), at [500] of the tile; 12 elements in 1 program" two n=1536 first=1536 second=1000
    fails first "(0, 0, 0), at [500] of the tile; 10 elements in 1 program" two n=510 first=500 second=100
    fails second "(0, 0, 0), at [50] of the tile; 450 elements in 1 program" two n=500 first=500 second=100
    expect 0 out "1534 1535 1536]" run kept limit=1536
    fails "behind a store" "(0, 0, 0), at [510] of the tile; 2 elements in 1 program" kept limit=510
    expect 0 out "1535]" run several six=1541 programs=3 tile=1536 loop=1836
    fails "one of six" "(2, 0, 0), at [511] of the tile" several six=1540 programs=3 tile=1536 loop=1836
    fails "one of six" "(2, 0, 0), at [511] of the tile" several six=1536 programs=3 tile=1536 loop=1836
    fails "another scalar" "(1, 0, 0)" several six=1541 programs=1 tile=1536 loop=1836
    fails scalar "(0, 0, 0)" several six=1541 programs=-1 tile=600 loop=1836
    fails tile "(2, 0, 0), at [7, 28] of the tile; 36 elements in 1 program" several six=1541 programs=3 tile=1500 loop=1836
    fails "in a loop" "(1, 0, 0), at [498] of the tile; 14 elements in 1 program" several six=1541 programs=3 tile=1536 loop=1310
    expect 0 out "[10  0  0" run agreed limit=512
    expect 0 out "[1 0 0" run agreed limit=511
done
finish
