#!/bin/sh
# usage.sh TILEC SOURCE - exit codes, messages and hints of a wrong command line
. "$(dirname "$0")/expect.inc"
add=$source/kernels/add.py
matmul=$source/kernels/matmul.py

expect 0 out "usage: tilec COMMAND" "$tilec" --help
expect 0 out "usage: tilec run" "$tilec" run --help
expect 0 out "usage: tilec dump" "$tilec" help options
expect 2 err "usage: tilec COMMAND" "$tilec"
for way in "" help --help "help help" "help --help"; do # where to begin is one screen, each line within it
    "$tilec" $way >"$folder/brief" 2>&1
    [ "$(wc -l <"$folder/brief")" -le 40 ] || wrong "tilec $way prints more than 40 lines"
    ! grep -E '.{81}' "$folder/brief" || wrong "tilec $way prints long lines"
    for word in run list test dump build devices help; do
        [ "$(grep -c "^  $word " "$folder/brief")" = 1 ] || wrong "tilec $way has not one line on $word"
    done
    [ "$(grep -c '^  tilec ' "$folder/brief")" = 3 ] || wrong "tilec $way has not three examples"
done
expect 0 out "usage: tilec dump" "$tilec" help dump
expect 0 out "--save NAME" "$tilec" run "$add" --grid 1 --help
expect 0 out "NAME:TYPE" "$tilec" dump -h
! grep -q -e --save "$folder/out" || wrong "dump's help has options of run"
expect 0 out "usage: tilec devices" "$tilec" devices --help
! grep -q FILE "$folder/out" || wrong "the help of devices is about files"
version=$(sed -n 's/^#define TILEC_VERSION_[MP][A-Z]* //p' "$source/include/tilec.h" | paste -sd .)
expect 0 out "tilec $version" "$tilec" --version
# topics: those that docs/ mark, as text for a terminal
expect 0 out "  values       what stands in NAME=VALUE" "$tilec" help topics
expect 0 out "  randint(T,S,LO,HI[,seed=N])" "$tilec" help values
expect 0 out "printf 'import triton\nimport" "$tilec" help errors
for topic in $(sed -n 's/^<!-- topic: \([a-z, ]*\): .*/\1/p' "$source"/docs/*.md | tr -d ,); do
    expect 0 "" "" "$tilec" help "$topic"
    [ "$(wc -l <"$folder/out")" -ge 4 ] || wrong "the topic $topic says nothing"
    ! grep -v '^    ' "$folder/out" | grep -qE '^(\||#|```)|\]\(|.{81}' ||
        wrong "the topic $topic is no plain text"
done
expect 0 out "usage: tilec devices" "$tilec" help devices # a command, and a topic, too
grep -q "the reference interpreter: slow and exact" "$folder/out" || wrong "the topic devices is not told"
expect 2 err "there is no help about 'gird'; did you mean 'grid'?" "$tilec" help gird
expect 2 err "there is no help about 'nothing'; tilec help topics lists what there is" "$tilec" help nothing
for word in start tutorial language kernel debug gdb profile python functions tl.load; do # what newcomers have asked for
    expect 0 "" "" "$tilec" help $word
done
# entries of docs/reference.md: whole names, their last parts, options
expect 0 out "tl.dot(input, other, acc=None" "$tilec" help dot
expect 0 out "desc.load([0, 0])" "$tilec" help load
expect 0 out "tl.load(pointer, mask=None" "$tilec" help load
expect 0 out "libdevice.tanh(x)" "$tilec" help tl.tanh
expect 0 out "libdevice.acosh(x)" "$tilec" help acosh
! grep -q "libdevice.cosh(x)" "$folder/out" || wrong "acosh is cosh"
expect 0 out "--save NAME[:TYPE]=FILE" "$tilec" help --save
expect 0 out "--save NAME[:TYPE]=FILE" "$tilec" help save
expect 0 out "code that gdb can stop in" "$tilec" help -g
expect 0 out "is it near to" "$tilec" help --compare
expect 2 err "did you mean 'cumsum'?" "$tilec" help cumsm
expect 2 err "did you mean '--compare'?" "$tilec" help --compar
expect 0 out "interp" "$tilec" devices
expect 0 out '"name": "cpu"' "$tilec" devices --json
expect 0 out "  cuda:1: Fake GPU, sm_80, 132 processors, 1.1 GB" \
    env "TILEC_LIBCUDA=$TILEC_FAKE_CUDA" "$tilec" devices
expect 0 out '"units": [{"model": "Fake GPU", "arch": "sm_90a"' \
    env "TILEC_LIBCUDA=$TILEC_FAKE_CUDA" "$tilec" devices --json
expect 0 out "cuda     not available   0 threads  there is no NVIDIA driver: /nowhere/libcuda" \
    env TILEC_LIBCUDA=/nowhere/libcuda.so "$tilec" devices
expect 0 out "add.py:28 " "$tilec" run "$source/kernels/add.py" --device sim --count --grid 1 x="ones(fp32,4)" \
    y=x out=x n=4 BLOCK=32
expect 0 out "matmul.py:" "$tilec" run "$source/kernels/matmul.py" --call square --device sim --count
! grep -q "PTX" "$folder/out" || wrong "lines of the PTX are in the table"
[ "$(grep -c "^- " "$folder/out")" -le 1 ] || wrong "what is in no line is not one row"
expect 0 out '"line": 28, "instructions": ' "$tilec" run "$source/kernels/add.py" --device sim --count --json \
    --grid 1 x="ones(fp32,4)" y=x out=x n=4 BLOCK=32
expect 2 err "the device \`cpu\` does not count; the device \`sim\` does" "$tilec" run "$source/kernels/add.py" --count --grid 1 \
    x="ones(fp32,4)" y=x out=x n=4 BLOCK=32
expect 1 err "the device \`cuda\` cannot be used here: there is no NVIDIA driver" \
    env TILEC_LIBCUDA=/nowhere/libcuda.so "$tilec" run "$source/kernels/add.py" --device cuda \
    --grid 1 x="ones(fp32,4)" y=x out=x n=4 BLOCK=4

# ptxas takes nothing beyond ASCII, in comments neither: names and paths are written as .file has them
mkdir "$folder/ü"
sed 's/add_kernel/größe/' "$add" >"$folder/ü/ä.py"
expect 0 out 'gr\303\266\303\237e' "$tilec" dump "$folder/ü/ä.py:größe" --stage ptx --arch sm_90a 'x:*fp32' \
    'y:*fp32' 'out:*fp32' n:i32 BLOCK=64
! LC_ALL=C grep -q '[^ -~[:space:]]' "$folder/out" || wrong "PTX with bytes beyond ASCII"
expect 0 out 'größe' "$tilec" dump "$folder/ü/ä.py:größe" --stage asm 'x:*fp32' 'y:*fp32' 'out:*fp32' n:i32 BLOCK=64

# 2: the command line is wrong
expect 2 err "did you mean 'devices'?" "$tilec" device
expect 2 err "did you mean '--grid'?" "$tilec" run "$add" --gird 1
expect 2 err "there is no option '--grid' here" "$tilec" dump "$add" --grid 1
expect 2 err "FILE.py[:KERNEL] is missing" "$tilec" run --grid 1
expect 2 err "--grid E[,E[,E]] is missing" "$tilec" run "$add" n=1
expect 2 err "hint: \`tilec list $add\` shows a call that can be copied" "$tilec" run "$add"
expect 2 err "needs a value" "$tilec" run "$add" --grid
expect 2 err "takes no value" "$tilec" run "$add" --json=1
expect 2 err "whole number" "$tilec" run "$add" --grid 1 --threads=none
expect 2 err "--save needs NAME=FILE" "$tilec" run "$add" --grid 1 --save out
expect 2 err "is no option and no NAME=VALUE" "$tilec" run "$add" --grid 1 more
expect 2 err "hint: it comes later: put n=... in front of x=..." "$tilec" run "$add" --grid 1 x="rand(fp32,n)" n=1
expect 2 err "cannot be made of itself" "$tilec" run "$add" --grid 1 n=n+1
expect 2 err "is given twice" "$tilec" run "$add" --grid 1 n=1 n=2
expect 2 err "--grid is given twice" "$tilec" run "$add" --grid 1 --grid=2
expect 2 err "did you mean 'BLOCK'?" "$tilec" run "$add" --grid 1 BLOCKS=4
expect 2 err "an option says it: --num-warps N" "$tilec" run "$add" --grid 1 num_warps=4
expect 2 err "has no kernel 'adder'" "$tilec" run "$add:adder" --grid 1
expect 2 err "matmul_kernel" "$tilec" run "$matmul" --grid 1
expect 2 err "from 0 to 2^31 - 1" "$tilec" run "$add" --grid -1
expect 2 err "hint: without quotes it is an expression" "$tilec" run "$add" --grid "'cdiv(5,4)'"
expect 2 err "at most 3 values" "$tilec" run "$add" --grid 1,1,1,1
expect 2 err "there is no such argument" "$tilec" run "$add" --grid 1 n=1 --save "x=$folder/x.npy"
expect 2 err "not an array" "$tilec" run "$add" --grid 1 n=1 --show n
expect 2 err "did you mean 'llvm'?" "$tilec" dump "$add" --stage lvm
expect 2 err "is no type" "$tilec" dump "$add" --stage ir n:int
expect 2 err "device" "$tilec" run "$add" --device gpu --grid 1 x="ones(fp32,4)" \
    y=x out=x n=4 BLOCK=4

expect 2 err "'--grid' is no option and no NAME=VALUE" "$tilec" run -- "$add" --grid 1
expect 2 err "'5' is no option" "$tilec" run "$add" --json 5

# 3: files
expect 3 err "/nowhere/add.py" "$tilec" run /nowhere/add.py --grid 1
expect 3 err "/nowhere/x.npy" "$tilec" run "$add" --grid 1 x=@/nowhere/x.npy
echo junk >"$folder/x.npy"
expect 3 err "not a .npy file" "$tilec" run "$add" --grid 1 x="@$folder/x.npy"

# what --save cannot write is found before the kernel runs
save() {
    (cd "$folder" && "$tilec" run "$add" --device interp --grid 1 x="ones(fp32,4)" y="ones(fp32,4)" \
        out="zeros(fp32,4)" n=4 BLOCK=4 --save x=ok.npy --show out "$@")
}
mkdir "$folder/kept" && chmod 500 "$folder/kept"
expect 3 err "there is no folder '/nowhere'; make it first" save --save out=/nowhere/out.npy
expect 3 err "kept: Is a directory" save --save out=kept
expect 3 err "new/: Is a directory" save --save out=new/
if [ "$(id -u)" != 0 ]; then
    expect 3 err "kept/out.npy: Permission denied" save --save out=kept/out.npy
fi
[ ! -e "$folder/ok.npy" ] || wrong "it ran all the same"
ln -s . "$folder/here"
for same in ok.npy ./ok.npy "$folder/ok.npy" here/ok.npy; do # first a new file, then an old one
    expect 2 err "--save out=$same: 'x' is saved to that file already" save --save "out=$same"
done
expect 0 "" "" save
ln "$folder/ok.npy" "$folder/link.npy"
for same in ok.npy here/ok.npy link.npy; do
    expect 2 err "--save out=$same: 'x' is saved to that file already" save --save "out=$same"
done

# one that fails all the same does not cost the others
if [ -e /dev/full ]; then
    rm -f "$folder/ok.npy"
    expect 3 out "[2. 2. 2. 2.]" save --save out=/dev/full --save y=y.npy
    grep -qF "'out' could not be saved: /dev/full: No space left" "$folder/err" || wrong "no reason"
    [ -e "$folder/ok.npy" ] && [ -e "$folder/y.npy" ] || wrong "the other arrays were not saved"
fi

expect 3 err "add.py:1x" "$tilec" run "$folder/add.py:1x" --grid 1 # no name: part of the path
expect 3 err "add.py:k." "$tilec" run "$folder/add.py:k." --grid 1

# a kernel that both arms define is one
cat >"$folder/arms.py" <<'KERNEL'
import triton

if triton.__version__ > "3":
    @triton.jit
    def twice(out):
        pass
else:
    @triton.jit
    def twice(out):
        pass

@triton.jit
def other(out):
    pass
KERNEL
expect 2 err "it has twice, other" "$tilec" run "$folder/arms.py" --grid 1

# what is said of a kernel that is accepted, from the cache as well
cat >"$folder/says.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def says(x, n):
    tl.static_print("type of n:", n)
    a: tl.constexpr = n * 2
    tl.store(x, a)
KERNEL
for i in 1 2; do
    expect 0 err "type of n: int32" "$tilec" run "$folder/says.py" --grid 1 x="ones(i32,4)" n=4
    expect 0 err "says.py:7:5: warning: \`a\` is declared tl.constexpr" \
        "$tilec" run "$folder/says.py" --grid 1 --time=3 x="ones(i32,4)" n=4
    [ "$(grep -c warning "$folder/err")" = 1 ] || wrong "it was said more than once"
done
expect 0 err "type of n: int32" "$tilec" dump "$folder/says.py" --stage ir x="ones(i32,4)" n=4

# names are Python's, which are not only ASCII
cat >"$folder/names.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def other(x):
    tl.store(x, 2)

@triton.jit
def ké(é, größe):
    tl.store(é, größe)
KERNEL
expect 0 out "é: i32 1" "$tilec" run "$folder/names.py:ké" --grid 'größe - 6' é="zeros(i32,1)" \
    größe='é.numel() + 6' --show é --save "é=$folder/é.npy"
expect 0 out "[7]" "$tilec" run "$folder/names.py:other" --grid 0 x="@$folder/é.npy" --show x
expect 0 out "ké" "$tilec" dump "$folder/names.py:ké" --stage ir "é:*i32" größe:i32

# 1: the kernel is refused
cat >"$folder/bad.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def bad(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), unknown)
KERNEL
expect 1 err "$folder/bad.py:6:" "$tilec" run "$folder/bad.py" --grid 1 x="ones(fp32,4)" BLOCK=4
expect 1 err "BLOCK" "$tilec" run "$add" --device interp --grid 1 x="ones(fp32,4)" y=x out=x n=4
echo "x = 1" >"$folder/none.py"
expect 1 err "no function with @triton.jit" "$tilec" run "$folder/none.py" --grid 1
printf '__global__ void k(float *x) {\n    x[0] = 1;\n}\n' >"$folder/cuda.py"
expect 1 err "it has no functions: a kernel is written in Python" "$tilec" run "$folder/cuda.py" --grid 1
# with --json an error is an object on stdout, and stderr says what it says
refused() {
    code=$1 object=$2
    shift 2
    expect "$code" out "$object" "$tilec" run "$@"
    [ "$(wc -l <"$folder/out")" = 1 ] && [ -s "$folder/err" ] || wrong "it is not one object"
}
printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef k(x):\n    tl.store(x, colums)\n    columns = 1\n' \
    >"$folder/wrong.py"
place="\"file\": \"$folder/wrong.py\", \"line\": 5, \"column\": 17"
refused 1 "{\"kind\": \"refused\", \"message\": \"\`colums\` is not defined\", $place, \"hint\": " \
    "$folder/wrong.py" --grid 1 x="ones(fp32,1)" --json
# of several errors the first counts, and a hint of another one is not its own
refused 1 '"message": "argument `x` was not given", "file"' "$add" --grid 1 --json
grep -qF '"hint": "`add_kernel` takes' "$folder/out" || wrong "that hint is about another error"
refused 2 '{"kind": "usage", "message": "--grid is given twice", "file": null, "line": null' \
    "$add" --grid 1 --json --grid 2
refused 2 "there is no option '--gird' here\", \"file\": null" "$add" --gird 1 --json
refused 2 "\"hint\": \"did you mean '--grid'?\", \"text\": \"" "$add" --gird 1 --json
refused 3 '{"kind": "file", "message": "/nowhere/add.py: No such file or directory; there is no folder '\''/nowhere'\''"' \
    /nowhere/add.py --grid 1 --json
printf -- '--json\n--grid 1/2\n' >"$folder/wrong.args"
refused 2 "\"file\": \"$folder/wrong.args\", \"line\": 2, \"column\": null, \"hint\": \"\`/\`" "$add" \
    "@$folder/wrong.args" x="ones(fp32,1)" y=x out=x n=1 BLOCK=1
finish
