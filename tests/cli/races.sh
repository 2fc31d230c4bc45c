#!/bin/sh
# races.sh TILEC SOURCE - programs, and lanes, that touch one element in no order: --check on simulator and interpreter
. "$(dirname "$0")/expect.inc"
silent_errors() {
    [ ! -s "$folder/err" ] || wrong "it was not silent"
}

cat >"$folder/r.py" <<'KERNEL'
import triton
import triton.language as tl

# tilec: call forgotten --grid 4 x=ones(fp32,1000) o=zeros(fp32,1) n=1000 B=256 --device sim
@triton.jit
def total(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0))
    tl.store(o, tl.load(o) + s)

# tilec: call atomic --grid 4 x=ones(fp32,1000) o=zeros(fp32,1) n=1000 B=256 --device sim
@triton.jit
def good(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = tl.sum(tl.load(x + i, mask=i < n, other=0.0))
    tl.atomic_add(o, s)

# tilec: call overlap --grid 4 x=arange(fp32,1000) n=1000 B=256 --device sim
@triton.jit
def shift(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i + 1, mask=i + 1 < n, other=0.0)
    tl.debug_barrier()
    tl.store(x + i, v, mask=i < n)

# tilec: call two --grid 4,2 x=zeros(i32,4x3) --device sim
@triton.jit
def two(x):
    tl.store(x + tl.program_id(0) * 3 + 2, tl.program_id(1) + 1)

# tilec: call same --grid 4,2 x=zeros(i32,4x3) --device sim
@triton.jit
def same(x):
    tl.store(x + tl.program_id(0) * 3 + 2, tl.program_id(0) + 1)

# tilec: call lock --grid 40 lock=zeros(i32,1) x=zeros(fp32,8) --device sim
@triton.jit
def lock(lock, x):
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    i = tl.arange(0, 8)
    tl.store(x + i, tl.load(x + i) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)

# tilec: call wide --grid 2 x=zeros(i8,32) --device sim
@triton.jit
def wide(x):
    tl.store(x + tl.program_id(0) * 8 + tl.arange(0, 16), tl.program_id(0).to(tl.int8) + 1)

# tilec: call last --grid 40 count=zeros(i32,1) part=zeros(fp32,40) o=zeros(fp32,1) --device sim
@triton.jit
def last(count, part, o):
    p = tl.program_id(0)
    tl.store(part + p, 1.0 + p)
    tl.debug_barrier()
    if tl.atomic_add(count, 1) == 39:
        i = tl.arange(0, 64)
        tl.store(o, tl.sum(tl.load(part + i, mask=i < 40, other=0.0)))
        tl.store(count, 0)

# tilec: call relaxed --grid 40 count=zeros(i32,1) part=zeros(fp32,40) o=zeros(fp32,1) --device sim
@triton.jit
def relaxed(count, part, o):
    p = tl.program_id(0)
    tl.store(part + p, 1.0 + p)
    if tl.atomic_add(count, 1, sem="relaxed") == 39:
        i = tl.arange(0, 64)
        tl.store(o, tl.sum(tl.load(part + i, mask=i < 40, other=0.0)))

# tilec: call chain --grid 40 flag=zeros(i32,41) s=zeros(fp32,41) --device sim
@triton.jit
def chain(flag, s):
    p = tl.program_id(0)
    if p > 0:
        while tl.atomic_add(flag + p - 1, 0, sem="acquire") == 0:
            pass
        tl.store(s + p, tl.load(s + p - 1) + 1)
    else:
        tl.store(s, 1.0)
    tl.debug_barrier()
    tl.atomic_xchg(flag + p, 1, sem="release")
# tilec: call mixed --grid 8 c=zeros(i32,1) o=zeros(i32,1) --device sim
@triton.jit
def mixed(c, o):
    tl.atomic_add(c, 1)
    tl.store(o, tl.load(o) + 1)

# tilec: call flag --grid 2 flag=zeros(i32,1) o=zeros(fp32,1) r=zeros(fp32,1) --device sim
@triton.jit
def flag(flag, o, r):
    if tl.program_id(0) == 0:
        tl.store(o, 1.0)
        tl.debug_barrier()
        tl.atomic_xchg(flag, 1)
    else:
        while tl.load(flag, volatile=True) == 0:
            pass
        tl.store(r, tl.load(o))

@triton.jit
def put(x):
    tl.store(x, tl.program_id(0) + 1)

@triton.jit
def helped(x):
    put(x)

@triton.jit
def exchange(x, t, o, WAIT: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(t + i, tl.load(x + i) * 2)
    if WAIT:
        tl.debug_barrier()
    tl.store(o + i, tl.load(t + (i ^ 1)))

@triton.jit
def turn(x, WAIT: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + B - 1 - i)
    if WAIT:
        tl.debug_barrier()
    tl.store(x + i, v)

# the first two loads of an element are by two lanes; either may store it too early
@triton.jit
def slide(x, WAIT: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i) + tl.load(x + i + 1)
    if WAIT:
        tl.debug_barrier()
    tl.store(x + i, v)

# all lanes load the scalar, one stores it
@triton.jit
def pivot(x, WAIT: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i) / tl.load(x)
    if WAIT:
        tl.debug_barrier()
    tl.store(x + i, v)

# each lane reads what it wrote; a tile of another shape has other lanes
@triton.jit
def again(x, t, o, ROWS: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(t + i, tl.load(x + i) * 2)
    if ROWS:
        j = tl.arange(0, B // 2)[:, None] * 2 + tl.arange(0, 2)[None, :]
        tl.store(o + j, tl.load(t + j))
    else:
        tl.store(t + i, tl.load(t + i) + 1)
        tl.store(o + i, tl.load(t + i))

# what is stored is made of all that was loaded: a sum, a sorted row; scalars are one lane
@triton.jit
def behind(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(x + B - 1 - i, tl.load(x + i) - tl.sum(tl.load(x + i)))
    for k in range(n):
        tl.store(o, tl.load(o) + tl.load(o + 1))
    tl.store(x + i, tl.sort(tl.load(x + B - 1 - i)))
KERNEL

# races CALL MESSAGE: --check says so, and on the CPU that nobody looked.  With one thread programs come
# in their order, so that which is the second one is known.
races() {
    expect 1 err "error: race: " "$tilec" run "$folder/r.py" --call "$1" --check
    for device in sim interp; do
        expect 1 err "error: race: $2" "$tilec" run "$folder/r.py" --call "$1" --check --threads 1 --device $device
        expect 0 out "" "$tilec" run "$folder/r.py" --call "$1" --device $device
        grep -q "race" "$folder/err" && wrong "it looked for races, of which nobody had asked"
    done
    expect 0 err "$unseen" "$tilec" run "$folder/r.py" --call "$1" --check --device cpu
    expect 0 out '"checked": {"accesses": true, "races": false}' \
        "$tilec" run "$folder/r.py" --call "$1" --check --device cpu --json
}
unseen="note: --check has looked at accesses; races between programs are looked for by --device interp and --device sim"
races forgotten "load of o[0], which program (0, 0, 0) changes"
races overlap "store to x[256], which program (0, 0, 0) loads"
races two "store to x[0, 2], which program (0, 0, 0) changes"
races wide "store to x[8], which program (0, 0, 0) changes"
races relaxed "load of part["
races mixed "load of o[0]"
for device in sim interp; do
    expect 1 err "r.py:9:5: note: here program (0, 0, 0) changes it" \
        "$tilec" run "$folder/r.py" --call forgotten --check --threads 1 --device $device
    expect 1 err "in program (1, 0, 0)" \
        "$tilec" run "$folder/r.py" --call forgotten --check --threads 1 --device $device
done
expect 1 err 'r.py:107:5: note: in `put`, called from here' \
    "$tilec" run "$folder/r.py:helped" --grid 2 x='zeros(i32,1)' --check --device interp

# lanes of one program, with no barrier between
lanes() {
    text=$1 kernel=$2
    shift 2
    expect 1 err "error: race: $text" "$tilec" run "$folder/r.py:$kernel" --check --device interp "$@" WAIT=False
    grep -q "hint: tl.debug_barrier() between the two" "$folder/err" || wrong "it does not say what to do"
    expect 0 out "" "$tilec" run "$folder/r.py:$kernel" --check --device interp "$@" WAIT=True
    silent
}
lanes "load of t[1], which another lane of the program changes" exchange --grid 2 x='rand(fp32,64)' t='empty_like(x)' \
    o='empty_like(x)' B=32
lanes "store to x[0], which another lane of the program loads" turn --grid 1 x='arange(fp32,32)' B=32
lanes "store to x[0], which another lane of the program loads" pivot --grid 1 x='rand(fp32,32)+1' B=32
lanes "store to x[1], which another lane of the program loads" slide --grid 1 x='rand(fp32,33)+1' B=32
expect 0 out "" "$tilec" run "$folder/r.py:again" --grid 1 --check --device interp x='rand(fp32,64)' t='empty_like(x)' \
    o='empty_like(x)' B=64 ROWS=False
silent
expect 1 err "load of t[0], which another lane" "$tilec" run "$folder/r.py:again" --grid 1 --check --device interp \
    x='rand(fp32,64)' t='empty_like(x)' o='empty_like(x)' B=64 ROWS=True
for device in sim interp; do
    expect 0 out "" "$tilec" run "$folder/r.py:behind" --grid 1 --check --device $device x='rand(fp32,64)' o='ones(fp32,2)' n=3 B=64
    silent
done

# what atomics order, the same value twice, and one program alone, is none
for call in atomic same lock last chain flag; do
    expect 0 out "1 passed, 0 failed" "$tilec" test "$folder/r.py" --call $call --check
    silent_errors
    expect 0 out "1 passed, 0 failed" "$tilec" test "$folder/r.py" --call $call --check --device interp
    silent_errors
done
expect 0 err "$unseen" "$tilec" test "$folder/r.py" --call same --check --device cpu
for device in sim interp; do
    expect 0 out "1 passed, 0 failed" "$tilec" test "$folder/r.py" --call forgotten --check --grid 1 --device $device
done
expect 0 out '"checked": {"accesses": true, "races": true}' \
    "$tilec" run "$folder/r.py" --call same --check --device interp --json
expect 0 out "" "$tilec" run "$folder/r.py" --call two --grid 1 --check --device cpu # one program races with nobody
silent

# what of an array is loaded: the first 12 of 16 (n), of 4x8 (n * m), of 4x8 that is changed as well
cat >"$folder/part.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def part(x, o, n, m, K: tl.constexpr, STEP: tl.constexpr, INTO: tl.constexpr):
    for k in range(K):
        v = tl.load(x + k * STEP)
        if INTO:
            tl.store(x + k * STEP, v + 1)
        tl.store(o + k, v)
KERNEL
part() {
    "$tilec" run "$folder/part.py" --grid 1 --check o='zeros(fp32,64)' "$@"
}
whole="warning: x: only its first 12 of"
expect 0 err "$whole 16 elements are loaded" part --device interp x='ones(fp32,16)' n=16 m=7 K=12 STEP=1 INTO=False
expect 0 err "$whole 32 elements are loaded" part --device interp x='ones(fp32,4x8)' n=4 m=8 K=12 STEP=1 INTO=False
for words in "n=20 m=7 K=12 STEP=1 INTO=False" "n=16 m=12 K=12 STEP=1 INTO=False" "n=16 m=7 K=16 STEP=1 INTO=False" \
    "n=16 m=7 K=6 STEP=2 INTO=False" "n=16 m=7 K=12 STEP=1 INTO=True" "n=16 m=7 K=1 STEP=1 INTO=False"; do
    expect 0 out "" part --device interp x='ones(fp32,16)' $words
    silent
done

# what is looked at is too large for the memory there is; sanitizers cannot be held to so little
cat >"$folder/large.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def fill(x):
    tl.store(x + tl.program_id(0) * 4 + tl.arange(0, 4), 1)
KERNEL
little() {
    (ulimit -v 20000000 && exec "$tilec" "$@")
}
if little --version >/dev/null 2>&1; then
    for device in sim interp; do
        expect 1 err "out of memory: to look for races takes 56 bytes for each of the 2147483648 elements of the arrays, 120 GB" \
            little run "$folder/large.py" --device $device --check --grid 2 x="zeros(u8,2147483648)"
    done
fi

# an element that two arguments have
cat >shared.py <<'END'
import triton
import triton.language as tl


@triton.jit
def shift(out, x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.debug_barrier()
    tl.store(out + i, v, mask=i < n)
END
for device in interp sim; do
    expect 1 err "store to out[4] (in the same memory as x[3]), which program (0, 0, 0) loads" "$tilec" run shared.py --grid 4 \
        --device $device --threads 1 --check out='arange(fp32,16)' x='out[1:]' n=15 B=4
done
finish
