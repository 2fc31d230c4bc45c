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
echo 'version https://git-lfs.github.com/spec/v1' >lfs.npy

while IFS='|' read -r code text words; do
    case $code in
    '' | '#'*) continue ;;
    esac
    # shellcheck disable=SC2086 # they are words
    expect "${code% }" err "$(echo "$text" | sed 's/^ //; s/ $//')" "$tilec" ${words}
done <"$table"

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
