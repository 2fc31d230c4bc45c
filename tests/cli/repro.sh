#!/bin/sh
# repro.sh TILEC SOURCE - what `--repro` writes: a file that needs no other and makes the same launch
. "$(dirname "$0")/expect.inc"

mkdir "$folder/package" "$folder/alone"
cat >"$folder/package/helpers.py" <<'END'
import triton
import triton.language as lang

SCALE = lang.constexpr(3.0)


def host_only(n):
    return n + 1


@triton.jit
def square(v):
    return v * v * SCALE


@triton.constexpr_function
def twice(n):
    return host_only(n) * 2
END
cat >"$folder/package/scale.py" <<'END'
import triton
import triton.language as tl
import helpers
from helpers import twice as doubled
from triton.language.extra import libdevice as ld

WIDTH: tl.constexpr = 2


class Config:
    SHIFT = 5


@triton.jit
def square(v):
    return v


@triton.autotune(configs=[triton.Config({"BLOCK": 8}, num_warps=2)], key=["n"])
@triton.jit(do_not_specialize=["n"])
def scale(out, x, n, ACT: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    v = tl.load(x + at, mask=inside, other=0.0)
    v = helpers.square(v) + square(v) * doubled(WIDTH) + ld.tanh(v) + Config.SHIFT
    tl.store(out + at, ACT(v), mask=inside)


@triton.jit
def relu(x):
    return tl.maximum(x, 0.0)
END

# same FILE ARGUMENTS: the launch and the one of the file that it writes give the same
same() {
    file=$1
    shift
    rm -f "$folder/alone/r.py"
    expect 0 out "" "$tilec" run "$file" "$@" --save out="$folder/want.npy" --repro "$folder/alone/r.py"
    expect 0 out "" "$tilec" run "$folder/alone/r.py" --save out="$folder/got.npy"
    cmp "$folder/want.npy" "$folder/got.npy" || wrong "another result: $*"
}
holds() {
    grep -qF -- "$1" "$folder/alone/r.py" || wrong "the file has no '$1'"
}

# helpers of two files with one name, a library, a class, a configuration, a function for a parameter
same "$folder/package/scale.py:scale" --grid 3 x='randn(fp32,20)' out='empty(fp32,20)' n=20 ACT=relu
holds 'v = square_2(v) + square(v) * twice(WIDTH) + ld.tanh(v) + Config.SHIFT'
holds 'SCALE = tl.constexpr(3.0)'
holds '@triton.jit(do_not_specialize=["n"])'
holds '#     BLOCK=8'
holds '#     out=empty(fp32,(20,))'
grep -q helpers "$folder/alone/r.py" && wrong "it needs another file"

same "$source/kernels/softmax.py" --call softmax x='randn(fp32,10x781)'

# arrays: views of one memory, in place, numbers in order, one value, all types
cat >"$folder/copy.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def copy(out, x, y, n, stride, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at * stride, mask=at < n) + tl.load(y + at, mask=at < n)
    tl.store(out + at, v, mask=at < n)
END
copy() {
    same "$folder/copy.py" --grid 1 n=8 BLOCK=8 "$@"
}
copy stride=2 x='randn(fp32,2x20)[0,1::2]' y=x out='empty(fp32,8)'
holds 'x=strided(data(fp32,(19,)'
holds '#     y=x'
copy stride=1 x='rand(fp16,30)[3:]' y='x[2:]' out='x[5:]'
holds '#     y=strided(x,(25,),(1,),2)'
copy stride=1 x='arange(i32,9)' y='full(i32,9,-7)' out='zeros(i32,9)'
holds '#     x=arange(i32,(9,))'
holds '#     y=full(i32,(9,),-7)'
# what a kernel only writes to is not told, unless others see that memory
copy stride=1 x='randn(fp32,9)' y='rand(fp32,9)' out='randn(fp32,8)'
holds '#     out=empty(fp32,(8,))'
holds '# out is empty here: the kernel writes to it, and reads nothing of it'
copy stride=1 x='randn(fp32,9)' y='rand(fp32,9)' out='x'
grep -q 'empty(' "$folder/alone/r.py" && wrong "memory that is read is not told"
for t in i8 i16 i64 u8 u16 u32 u64 bf16 fp64 fp8e5 fp8e4nv; do
    copy stride=1 x="(arange(i32,9)*5+1).to($t)" y="full($t,9,2)" out="empty($t,9)"
done
copy stride=-1 x='arange(fp32,9)[::-1]' y='full(fp32,8,inf)' out='empty(fp32,8)'

# large arrays are random ones of the same statistics, which the file and the page of help say
large() {
    expect 0 err "" "$tilec" run "$folder/copy.py" --grid 1 n=8 BLOCK=8 stride=1 x="$1" y=x \
        out='empty_like(x)' --repro "$folder/alone/r.py"
    expect 0 out "$2" "$tilec" run "$folder/alone/r.py" --show x
    rm "$folder/alone/r.py"
}
large 'randn(fp32,100000,seed=9)*2+40' 'mean 40'
large 'rand(fp32,100000,seed=9)*2+40' 'mean 41'
large 'randint(i64,100000,-5,9,seed=9)' 'min -5  max 8'

# what the file says is refused where it is wrong
bad() {
    expect 2 err "$1" "$tilec" run "$folder/copy.py" --grid 1 n=8 BLOCK=8 stride=1 x="$2" y=x out=x
}
bad "the text is not 32 bytes in base64" "data(fp32,8,'AAAA')"
bad "some of its elements are outside of that array's memory" 'strided(zeros(fp32,8),999,1)'
bad "some of its elements are outside of that array's memory" 'strided(zeros(fp32,8),8,1,-1)'
bad "there is a stride for each extent" 'strided(zeros(fp32,8),(2,2),1)'

# it replaces a file, but none that the command has read; one call alone has one
cp "$folder/copy.py" "$folder/same.py"
expect 2 err "" "$tilec" run "$folder/same.py" --grid 1 n=8 BLOCK=8 stride=1 x='zeros(fp32,8)' y=x out=x \
    --repro "$folder/same.py"
cmp -s "$folder/copy.py" "$folder/same.py" || wrong "the kernel is gone"
expect 2 err "--repro is about one call, and --sweep makes many" "$tilec" run "$folder/copy.py" --grid 1 \
    n=8 BLOCK=8 stride=1,2 x='zeros(fp32,20)' y=x out=x --sweep --repro "$folder/alone/r.py"

# Python takes it, too
if command -v python3 >/dev/null; then
    same "$folder/package/scale.py:scale" --grid 3 x='randn(fp32,20)' out='empty(fp32,20)' n=20 ACT=relu
    expect 0 out "" python3 -m py_compile "$folder/alone/r.py"
fi
finish
