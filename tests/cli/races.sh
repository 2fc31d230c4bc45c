#!/bin/sh
# races.sh TILEC SOURCE - programs that touch one element in no order: --check on simulator and interpreter
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
    v = tl.load(x + i + 1, mask=i + 1 < n)
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
KERNEL

# races CALL MESSAGE: --check says so, and on the CPU that nobody looked.  With one thread programs come
# in their order, so that which is the second one is known.
races() {
    expect 1 err "error: race: " "$tilec" run "$folder/r.py" --call "$1" --check
    for device in sim interp; do
        expect 1 err "error: race: $2" "$tilec" run "$folder/r.py" --call "$1" --check --threads 1 --device $device
        expect 0 out "" "$tilec" run "$folder/r.py" --call "$1" --device $device
        silent
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
expect 1 err 'r.py:106:5: note: in `put`, called from here' \
    "$tilec" run "$folder/r.py:helped" --grid 2 x='zeros(i32,1)' --check --device interp

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
        expect 1 err "out of memory: to look for races takes 44 bytes for each of the 2147483648 elements of the arrays, 94.5 GB" \
            little run "$folder/large.py" --device $device --check --grid 2 x="zeros(u8,2147483648)"
    done
fi
finish
