#!/bin/sh
# unwritten.sh TILEC SOURCE - elements of arrays by `empty` that a kernel leaves as they were are told, and no others
. "$(dirname "$0")/expect.inc"
cat >"$folder/k.py" <<'KERNEL'
import triton
import triton.language as tl


# tilec: call grey --grid h x=zeros(u8,16x24x3) o=empty_like(x) h=16 w=24 B=32 --compare o=interp
@triton.jit
def negative(x, o, h, w, B: tl.constexpr):
    r = tl.program_id(0)
    i = tl.arange(0, B)
    tl.store(o + r * w + i, 255 - tl.load(x + r * w + i, mask=i < w), mask=i < w)


@triton.jit
def fill(o, n, V: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.full([B], V, o.dtype.element_ty), mask=i < n)


@triton.jit
def double(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


# a program's place is what it counts: the second launch must begin with the count of the first
@triton.jit
def place(count, o):
    tl.store(o + tl.atomic_add(count, 1), 1)


# o follows what the same launch left in a
@triton.jit
def chain(a, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(a + i, -1, mask=i < n)
    tl.debug_barrier()
    tl.store(o + i, tl.load(a + i))


@triton.jit
def through(a, o, n, m, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(a + i, i, mask=i < n)
    tl.debug_barrier()
    tl.store(o + i, tl.load(a + i, mask=i < m), mask=i < m)


@triton.jit
def tally(a, o):
    tl.store(a + tl.program_id(0) % 3, 0)
    tl.debug_barrier()
    tl.atomic_xchg(a + 2, 0)
    tl.atomic_add(a + 2, 1)
    tl.store(o + tl.program_id(0), tl.atomic_add(a + 3, 1))


@triton.jit
def both(xs, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(xs[0] + i, i, mask=i < n)
    tl.store(xs[1] + i, i, mask=i < n - 1)

KERNEL

run() {
    "$tilec" run "$folder/k.py:$@"
}
# told TEXT KERNEL ARGUMENT... : a warning, nothing on stdout, and exit code 0; with --check an error
told() {
    said=$1
    shift
    expect 0 err "tilec: warning: $said" run "$@"
    expect 1 err "tilec: $said" run "$@" --check
}
# quiet KERNEL ARGUMENT... : nothing is said, and --check has nothing against it
quiet() {
    expect 0 out "" run "$@"
    silent
    expect 0 out "" run "$@" --check
    ! grep -qv "note: --check has looked at accesses" "$folder/err" || wrong "it was not silent"
}

image='randint(u8,64x64x3,0,255)'
for device in cpu interp sim; do
    told "o: 8192 of 12288 elements were not written, the first is o[21,21,1]" \
        negative --device $device --grid h x="$image" o='empty_like(x)' h=64 w=64 B=64
    told "o: 1 of 101 elements was not written, the first is o[100]" \
        place --device $device --grid 100 count='zeros(i32,1)' o='empty(i32,101)'
    # what is right may be what `empty` puts there
    quiet negative --device $device --grid h x='zeros(u8,64x64)' o='empty_like(x)' h=64 w=64 B=64
    quiet place --device $device --grid 100 count='zeros(i32,1)' o='empty(i32,100)'
done
told "o: none of its 9 elements was written" fill --grid 1 o='empty(fp32,3x3)' n=0 V=1 B=16
told "o: 1 of 9 elements was not written, the first is o[2,2]" fill --grid 1 o='empty(fp64,3x3)' n=8 V=1 B=16
told "o: 8 of 16 elements were not written, the first is o[1,0]" \
    fill --grid 1 o='empty(fp16,3x8)[::2,:]' n=8 V=1 B=8
told "xs[1]: 1 of 8 elements was not written, the first is xs[1][7]" \
    both --grid 1 xs='(empty(i32,8), empty(i32,8))' n=8 B=8
expect 0 err "zeros(i8,9) instead of empty says so" run fill --grid 1 o='empty(i8,9)' n=8 V=0 B=16
for t in i1 u8 i16 i32 u64; do
    quiet fill --grid 2 o="empty($t,20)" n=20 V=1 B=16
done
for t in i8 i16 i32 i64; do
    quiet fill --grid 2 o="empty($t,20)" n=20 V=-1 B=16
done
for t in fp8e4nv bf16 fp16 fp32 fp64; do
    quiet fill --grid 2 o="empty($t,20)" n=20 V='float("nan")' B=16
done
quiet double --grid 2 x='full(u8,20,255)' n=20 B=16
told "x: the kernel reads and changes what \`empty\` leaves there" double --grid 2 x='empty(fp32,20)' n=20 B=16
quiet chain --grid 1 a='empty(i32,16)' o='empty(i32,16)' n=16 B=16
quiet fill --grid 1 o='zeros(fp32,9)' n=8 V=1 B=16
quiet fill --grid 1 o='empty(fp32,0)' n=0 V=1 B=16

# where it loads an element that nobody has written, --check on devices that look at each knows which
for device in interp sim; do
    expect 1 err "k.py:45:21: error: load of a[12], which nobody has written: it holds what \`empty\` left" \
        run through --grid 1 --device $device --check a='empty(i32,16)' o='empty(i32,16)' n=12 m=16 B=16
    expect 0 out "" run through --grid 1 --device $device --check a='empty(i32,16)' o='empty(i32,12)' n=12 m=12 B=16
    silent
    expect 0 out "" run through --grid 1 --device $device --check a='zeros(i32,16)' o='empty(i32,16)' n=12 m=16 B=16
    silent
    expect 1 err "error: atomic on a[3], which nobody has written" \
        run tally --grid 1 --device $device --check a='empty(i32,4)' o='empty(i32,1)'
    expect 0 out "" run through --grid 1 --device $device a='empty(i32,16)' o='empty(i32,16)' n=12 m=16 B=16
    ! grep -q "nobody has written" "$folder/err" || wrong "it was not asked for"
done

# results are those of the first launch, in files, on the screen and for --compare
expect 1 out "[[ 7  7  7]" run fill --grid 1 o='empty(i32,3x3)' n=8 V=7 B=16 --check --show o
grep -qF "[ 7  7 -1]]" "$folder/out" || wrong "an element that is not written changed"
expect 0 out "" run fill --grid 1 o='empty(i32,9)' n=8 V=7 B=16 --save o="$folder/o.npy" --time 2
expect 0 out "x: agrees with @" run double --grid 1 x="@$folder/o.npy" n=0 B=16 --compare x="@$folder/o.npy"
expect 0 out '"unwritten": [{"name": "o", "elements": 9, "unwritten": 5, "first": [1,1], "sure": true}]' \
    run fill --grid 1 o='empty(i32,3x3)' n=4 V=7 B=16 --json
expect 0 out '"restored"' run fill --grid 1 o='empty(i32,9)' n=9 V=7 B=16 --json --time 2
! grep -q unwritten "$folder/out" || wrong "all elements are written"

# what is debugged, or took long, is not done twice, and is not sure
expect 0 out '"sure": false' run fill --grid 1 o='empty(i32,9)' n=8 V=7 B=16 --debug --json --check
grep -qF "second time to be sure, because it is being debugged" "$folder/err" || wrong "it does not say why"

# one word for each shape of the files
for i in 1 2 3; do
    expect 0 out "" run fill --grid 1 o='zeros(u8,8x8x3)' n=192 V=$i B=256 --save o="$folder/c$i.png"
    expect 0 out "" run fill --grid 1 o='zeros(u8,8x8)' n=64 V=$i B=256 --save o="$folder/g$i.png"
done
expect 0 err "c1.png: o: 128 of 192 elements were not written, the first is o[2,5,1]" run negative --grid h \
    --each "$folder/[cg]*.png" x='@{}' o='empty_like(x)' h='x.shape(0)' w='x.shape(1)' B=8 --save o="$folder/{name}.npy"
[ "$(grep -c "not written" "$folder/err")" = 1 ] || wrong "not one word for the shape"
expect 0 out '"unwritten": [{"path": "' run negative --grid h --json --threads 1 \
    --each "$folder/[cg]*.png" x='@{}' o='empty_like(x)' h='x.shape(0)' w='x.shape(1)' B=8
expect 1 err "c1.png: o: 128 of 192 elements" run negative --grid h --check \
    --each "$folder/c*.png" x='@{}' o='empty_like(x)' h='x.shape(0)' w='x.shape(1)' B=8
expect 0 err "c1.png: o: 256 of 384 elements" run negative --grid h --batch 2 \
    --each "$folder/c*.png" x='@{}' o='empty_like(x)' h='x.shape(0)*x.shape(1)' w='x.shape(2)' B=8

expect 0 out "o: 768 of 1152 elements were not written" "$tilec" test "$folder/k.py"
expect 1 out "o: 768 of 1152 elements were not written" "$tilec" test "$folder/k.py" --check
finish
