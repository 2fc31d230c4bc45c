#!/bin/sh
# sass.sh TILEC SOURCE - machine code of GPUs as text, each instruction under the line that it is from
. "$(dirname "$0")/expect.inc"
cd "$source" || exit 1

tools=$folder/tools # with what a case may use of the toolkit
mkdir "$tools"
sass() {
    arch=$1
    shift
    expect "$@" env PATH="$tools" "$tilec" dump kernels/add.py --stage sass --arch "$arch" \
        "x:*fp32" "y:*fp32" "out:*fp32" n:i32 BLOCK=1024
}

# from CODE LINE : an instruction of that name comes from that line of the kernel
from() {
    awk -v code="$1" -v place="kernels/add.py\", line $2" '
        /\/\/## File/ { here = index($0, place) > 0 }
        here && $0 ~ "[ .]" code "[ .]" { found = 1 }
        END { exit !found }' "$folder/out" || wrong "no $1 from line $2 for $arch"
}

# take PROGRAM : cases have it from here on; false: it is not installed
take() {
    found=$(command -v "$1") && ln -s "$(readlink -f "$found")" "$tools/$1"
}

# blocks of which one always follows the other are one: between two, LLVM forgets what it knows of
# threads, and addresses of a long kernel take more instructions
expect 0 out 'define' "$tilec" dump tests/num/gpu/attention.py:tutorial --stage llvm --arch sm_90a \
    'q_ptr:*fp16' 'k_ptr:*fp16' 'v_ptr:*fp16' 'o_ptr:*fp16' 'lse_ptr:*fp32' length=4096 'scale:fp32' \
    CAUSAL=True M=128 D=128 N=64
awk '/^  br label / { next_block = substr($3, 2); sub(/,$/, "", next_block); next }
     /^[0-9]+:/ { split($1, label, ":"); if (next_block == label[1] && $0 !~ /,/) exit 1; next_block = "" }
     /^  [^b]/ { next_block = "" }' "$folder/out" || wrong "a block that could be part of the one in front of it"

# what is missing is named
sass sm_90a 1 err 'tilec: error: the stage `sass` needs ptxas of the CUDA toolkit, in PATH'
sass sm_999 2 err 'no code can be made for `sm_999`'
take ptxas || finish
sass sm_90a 1 err 'needs nvdisasm or cuobjdump of the CUDA toolkit, in PATH'

# cuobjdump has the code alone
if take cuobjdump; then
    sass sm_90a 0 out 'FADD'
fi

take nvdisasm || finish
load=$(grep -n 'total = ' kernels/add.py | cut -d: -f1)
store=$(grep -n 'tl.store' kernels/add.py | head -n 1 | cut -d: -f1)
for arch in sm_80 sm_86 sm_89 sm_90a sm_100; do
    sass $arch 0 out "kernels/add.py\", line $load"
    from LDG "$load"
    from FADD "$load"
    from STG "$store"
    grep -qF "	// kernels/add.py:$load:  total = " "$folder/out" || wrong "no text of line $load for $arch"
done

# helpers, and helpers of helpers, name who called them, in PTX and in machine code
cat >"$folder/helpers.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def inner(x):
    return tl.sqrt(x)


@triton.jit
def outer(x):
    return inner(x) * 2


@triton.jit
def kernel(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, outer(tl.load(x + at)))
END
for stage in ptx sass; do
    expect 0 out "$folder/helpers.py:7:  return tl.sqrt(x)" env PATH="$tools" "$tilec" dump "$folder/helpers.py:kernel" \
        --stage $stage --arch sm_90a 'x:*fp32' 'out:*fp32' BLOCK=128
    grep -A 4 "helpers.py:7:  return" "$folder/out" | grep -o "called at .*" | head -n 2 >"$folder/calls"
    printf '%s\n' "called at $folder/helpers.py:12:  return inner(x) * 2" \
        "called at $folder/helpers.py:18:  tl.store(out + at, outer(tl.load(x + at)))" | cmp -s - "$folder/calls" ||
        wrong "$stage does not say who called: $(cat "$folder/calls")"
done
finish
