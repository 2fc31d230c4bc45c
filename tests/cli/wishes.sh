#!/bin/sh
# wishes.sh TILEC SOURCE - `debug`, `sanitize_overflow`, `enable_fp_fusion` and `maxnreg`, which a launch takes by
# name, as arguments
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
cat >k.py <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def checked(x, n):
    tl.device_assert(n < 5, "n is large")
    tl.store(x, n)


@triton.jit
def product(x, n):
    tl.store(x, n * 65536)


@triton.jit
def own(x, debug):
    tl.store(x, debug)


@triton.jit
def rest(x, a):
    tl.store(x, a * a - (1 + 2.0**-11))


@triton.jit
def own_fusion(x, a, enable_fp_fusion):
    tl.store(x, a * a - (1 + 2.0**-11) + enable_fp_fusion)
KERNEL

# of KERNEL N WORDS : runs it
of() {
    kernel=$1 n=$2
    shift 2
    "$tilec" run "k.py:$kernel" --grid 1 'x=zeros(i32,1)' n="$n" --show x "$@"
}
expect 1 err "k.py:7:5: error: assertion failed: n is large" of checked 7
expect 1 err "k.py:7:5: error: assertion failed: n is large" of checked 7 debug=True
expect 0 out "[7]" of checked 7 debug=False
expect 0 out "[-2147483648]" of product 32768
for device in cpu interp sim; do
    for wish in debug=True sanitize_overflow=True; do
        expect 1 err "k.py:13:17: error: assertion failed: int32 overflow" \
            of product 32768 $wish --device $device
    done
    expect 0 out "[-2147483648]" of product 32768 debug=True sanitize_overflow=False --device $device
done
expect 0 out "[7]" "$tilec" run k.py:own --grid 1 'x=zeros(i32,1)' debug=7 --show x
expect 2 err "debug=True or debug=False is an option of the launch, and 1 is neither" of checked 1 debug=1
expect 2 err "and i32 is neither" "$tilec" dump k.py:checked --stage ir 'x:*i32' n:i32 debug:i32
expect 2 err "and i32 is neither" "$tilec" build k.py:checked -o k.o --header k.h 'x:*i32' n:i32 debug:i32
expect 0 out "assert" "$tilec" dump k.py:checked --stage ir 'x:*i32' n:i32
expect 0 out "store" "$tilec" dump k.py:checked --stage ir 'x:*i32' n:i32 debug=False
! grep -q assert "$folder/out" || wrong "debug=False leaves an assertion"

# rest_of A WORDS : what is left of A * A behind its first bits
rest_of() {
    a=$1
    shift
    "$tilec" run k.py:rest --grid 1 'x=zeros(fp32,1)' a="$a" --show x "$@"
}
for device in cpu interp sim; do
    expect 0 out "[0.]" rest_of 1.000244140625 --device $device
    expect 0 out "[0.]" rest_of 1.000244140625 enable_fp_fusion=False --device $device
    expect 0 out "[5.9604645e-08]" rest_of 1.000244140625 enable_fp_fusion=True --device $device
    expect 0 out "[1.]" "$tilec" run k.py:own_fusion --grid 1 'x=zeros(fp32,1)' a=1.000244140625 \
        enable_fp_fusion=1 --show x --device $device
done
expect 2 err "and 1 is neither" rest_of 1.5 enable_fp_fusion=1

# registers of a thread
for device in cpu sim; do
    expect 0 out "[5.9604645e-08]" rest_of 1.000244140625 enable_fp_fusion=True maxnreg=40 --device $device
done
expect 0 out ".maxnreg 40" "$tilec" dump k.py:rest --device sim --stage ptx 'x:*fp32' a:fp32 maxnreg=40
expect 0 out "at most 40 registers a thread" \
    "$tilec" dump k.py:rest --device sim --stage layout 'x:*fp32' a:fp32 maxnreg=40
expect 2 err "maxnreg=N is an option of the launch, and True is no whole number" rest_of 1.5 maxnreg=True
expect 1 err "maxnreg is 256: a thread has no more than 255 registers" rest_of 1.5 maxnreg=256 --device sim
for stage in ir opt asm; do
    expect 0 out "fma" "$tilec" dump k.py:rest --stage $stage 'x:*fp32' a:fp32 enable_fp_fusion=True
    expect 0 out "mul" "$tilec" dump k.py:rest --stage $stage 'x:*fp32' a:fp32
    ! grep -q fma "$folder/out" || wrong "$stage has an fma without being asked"
done
expect 0 out "rest: 2 specialisations" "$tilec" build k.py:rest -o k.o --header k.h 'x:*fp32' a:fp32 enable_fp_fusion=True

# without its assertions a kernel needs nothing of the library: it may be built for a GPU
expect 1 err "the kernel prints or asserts" \
    "$tilec" build k.py:checked -o k.o --header k.h --arch sm_80 'x:*i32' n:i32
expect 0 out "for sm_80" \
    "$tilec" build k.py:checked -o k.o --header k.h --arch sm_80 'x:*i32' n:i32 debug=False
finish
