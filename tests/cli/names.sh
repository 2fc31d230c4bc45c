#!/bin/sh
# names.sh TILEC SOURCE - names of files that would drive a terminal, or begin a line, in messages
. "$(dirname "$0")/expect.inc"
odd=$(printf 'o\nerror: \033[31m') shown='o\nerror: \x1b[31m'
mkdir "$folder/$odd"
cd "$folder/$odd" || exit 1
cp "$source/kernels/add.py" "$odd.py"
cat >twice.py <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def a(x):
    tl.store(x, 1)


@triton.jit
def b(x):
    tl.store(x, 1)
KERNEL
cp twice.py "$odd.2.py"
cat >imports.py <<'KERNEL'
import triton
import triton.language as tl
from .nowhere import helper


@triton.jit
def k(x):
    tl.store(x, helper(1))
KERNEL

# one CODE TEXT WORDS : a message with the name in it, which has no byte that a terminal obeys
one() {
    code=$1 text=$2
    shift 2
    expect "$code" err "$text" "$tilec" "$@"
    ! grep -q "$(printf '\033')" "$folder/err" || wrong "an escape comes through: $*"
    ! grep -q '^error: ' "$folder/err" || wrong "a name begins a line: $*"
}
one 2 "tilec: $shown.py has no kernel 'c'" run "$odd.py:c" --grid 1
one 2 "tilec: which kernel of $shown.2.py? Write $shown.2.py:NAME" run "$odd.2.py" --grid 1
one 2 "tilec: $shown.py has no call 'c'" run "$odd.py" --call c
one 2 "tilec: $shown.2.py names no calls" run "$odd.2.py" --call c
one 2 "hint: \`tilec list $shown.py\` shows a call" run "$odd.py" x='ones(fp32,4)'
one 2 "$shown.cu: this holds no kernels" run "$odd.cu" --grid 1
one 3 "did you mean '$shown.py'?" run "$odd" --grid 1
one 3 "$shown.npy: No such file" run "$odd.py" --grid 1 x=@"'$odd.npy'"
one 3 "there is no folder '$shown'; make it first" run "$odd.py" --grid 1 x='ones(fp32,4)' y=x out=x n=4 \
    BLOCK=4 --save out="$odd/x.npy"
one 1 "/$shown" run "$folder/$odd/imports.py" --grid 1 x='ones(i32,1)'
printf '%s\0' "$folder/$odd" >list.txt
one 3 "'$folder/$shown' is a folder" run "$odd.py" --grid 1 --each @list.txt x=@{} y=x out=x n=4 BLOCK=4
printf -- '--frob\n' >"$odd.txt"
one 2 "$shown.txt:1: there is no option" run "$odd.py" @"$odd.txt"
TILEC_CACHE_SIZE=0 TILEC_PLUGIN=$odd one 1 "TILEC_PLUGIN is no absolute path: $shown" run "$odd.py" --grid 1 x='ones(fp32,4)' y=x \
    out=x n=4 BLOCK=4 --arch x86-64
TILEC_CACHE_DIR=/dev/null/$odd one 0 "the cache folder /dev/null/$shown is not used" run "$odd.py" --call add

# what a file's author wrote in it: texts, comments, names of calls
red=$(printf '\033[31m')
cat >hostile.py <<KERNEL
import triton
import triton.language as tl


# tilec: call c${red}x --grid 1 x=zeros(fp32,4) n=4 --compare x=x+1
# tilec: call wrong --grid 1 x=zeros(fp32,4) n=3 --compare x=x+2
@triton.jit(repr="${red}")
def k(x, n, B: tl.constexpr = 4, T: tl.constexpr = "${red}"):
    i = tl.arange(0, B)  # ${red}
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)  # ${red}
KERNEL
harmless() {
    code=$1 text=$2
    shift 2
    expect "$code" out "$text" "$tilec" "$@"
    ! grep -q "$(printf '\033')" "$folder/out" "$folder/err" || wrong "an escape comes through: $*"
}
harmless 0 'T  constant  : tl.constexpr = "\x1b[31m"' list hostile.py
harmless 0 'calls: c\x1b[31mx, wrong' list hostile.py
harmless 1 'PASS  hostile.py:5  c\x1b[31mx  cpu' test hostile.py --device cpu
harmless 0 '# \x1b[31m' dump hostile.py --stage asm 'x:*fp32' n:i32
harmless 0 '# \x1b[31m' dump hostile.py --stage ptx 'x:*fp32' n:i32
cp hostile.py "$odd.py"
harmless 0 "neither here nor by $shown.py:k" run hostile.py --grid 1 x='zeros(fp32,4)' n=0 --against "$odd.py:k"
finish
