#!/bin/sh
# mistakes.sh TILEC SOURCE - what people type wrongly, and what they are told: see mistakes.txt
. "$(dirname "$0")/expect.inc"
table=$source/tests/cli/mistakes.txt
set -f # words of the table are no patterns
cp "$source/kernels/add.py" "$folder"
cd "$folder" || exit 1
echo >x.txt
cp x.txt "a,b.txt"
echo text >text.npy
printf 'PK\003\004' >packed.npy
printf '\377\330\377\340' >jpeg.png
# npy NAME TYPE: an array of such elements
npy() {
    printf "\223NUMPY\001\000\166\000%-117s\n" "{'descr': '$2', 'fortran_order': False, 'shape': (1,), }" >"$1"
    printf '0123456789abcdef' >>"$1"
}
npy complex.npy '<c16'
npy names.npy '<U4'
npy dates.npy '<M8[D]'
printf 'import triton\nimport triton.language as tl\n\n@triton.jit\ndef k(x):\n    tl.store(x, 3\342\210\2222)\n' >minus.py
echo 'version https://git-lfs.github.com/spec/v1' >lfs.npy

while IFS='|' read -r code text words; do
    case $code in
    '' | '#'*) continue ;;
    esac
    # shellcheck disable=SC2086 # they are words
    expect "${code% }" err "$(echo "$text" | sed 's/^ //; s/ $//')" "$tilec" ${words}
done <"$table"

expect 0 err "TILEC_CACHE says nothing; the cache's folder is TILEC_CACHE_DIR" env -u TILEC_CACHE_DIR HOME="$folder" \
    TILEC_CACHE="$folder" "$tilec" run add.py --grid 1 x="ones(fp32,4)" y=x out=x n=4 BLOCK=4

# without its mask a kernel reaches the end of its arrays, and memory
if [ "$("$tilec" run add.py --grid 1 x="ones(fp32,4)" y=x out=x n=4 BLOCK=4 2>&1)" = "" ]; then
    "$tilec" run add.py --grid 1 x="ones(fp32,4)" y=x out=x n=100 BLOCK=128 2>err.txt
    grep -q "reached memory outside of its arrays: --check says where" err.txt ||
        wrong "an access behind an array was not noticed"
    cat >wild.py <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def wild(x):
    p = tl.load(x).to(tl.pointer_type(tl.float32))
    tl.store(p, 1.0)
KERNEL
    "$tilec" run wild.py --grid 1 x="full(i64,1,64)" --check 2>err.txt
    grep -q "outside of its arrays, which --check does not see of pointers" err.txt ||
        wrong "--check is told to use --check"
fi
finish
