#!/bin/sh
# run.sh TILEC SOURCE - what `run` and `dump` print and write
. "$(dirname "$0")/expect.inc"
add=$source/kernels/add.py

run_add() {
    "$tilec" run "$add" --grid "cdiv(n,BLOCK)" x="arange(fp32,1000)" y="full(fp32,1000,0.5)" \
        out="empty(fp32,1000)" n="x.numel()" BLOCK=256 "$@"
}

for device in interp cpu; do
    expect 0 out "" run_add --device $device
    silent
    expect 0 out "out: fp32 1000" run_add --device $device --show out
    expect 0 out "0.5   1.5   2.5 ... 997.5 998.5 999.5]" run_add --device $device --show out
    expect 0 out "GFLOP/s" run_add --device $device --time=3
    expect 0 out '"runs": 3' run_add --device $device --time 3 --json
    expect 0 out '"bytes": 12000' run_add --device $device --json
done

# a device with memory of its own, here one that does nothing: arrays go there and come back
expect 0 out "out: fp32 1000" run_add --device null:1 --show out
expect 0 out "[nan nan nan ... nan nan nan]" run_add --device null --show out
expect 0 out "1 warp, 2 registers, 3 bytes of shared and 4 of local memory" \
    run_add --device null --time=3
expect 0 out '"registers": 2, "shared_bytes": 3' run_add --device null --json
expect 0 out "[0. 1. 2.]" "$tilec" run "$add" --device null --grid 1 x="arange(fp32,3)" y="x[:0]" \
    out="x[::-1]" n=3 BLOCK=4 --show x
expect 0 out "for less" "$tilec" dump "$add" --device null:1 --stage asm x:*fp32 y:*fp32 out:*fp32 \
    n:i32 BLOCK=4
expect 2 err "--device null:2: there is none of that number" "$tilec" dump "$add" --device null:2 \
    --stage asm x:*fp32 y:*fp32 out:*fp32 n:i32 BLOCK=4
expect 2 err "--device null:2: there are only 2 of them" run_add --device null:2
expect 2 err "--device needs NAME or NAME:N, not 'null:x'" run_add --device null:x
expect 2 err "there is no device \`nil\`" run_add --device nil
expect 0 out "" run_add --threads 1 --num-warps 8 --num-stages=2 --quiet
silent

# --save writes the result of the first run, inputs stay as they are on disk
double() {
    "$tilec" run "$add" --grid "cdiv(n,BLOCK)" x="@$folder/x.npy" y=x out=x n="x.numel()" \
        BLOCK=64 "$@"
}
expect 0 out "" "$tilec" run "$add" --grid 4 x="ones(fp32,100)" y=x out="empty(fp32,100)" n=100 \
    BLOCK=32 --save "out=$folder/x.npy"
cp "$folder/x.npy" "$folder/before.npy"
expect 0 out "[4. 4. 4." double --time=5 --show x --save "x=$folder/y.npy"
cmp -s "$folder/x.npy" "$folder/before.npy" || wrong "an input file changed"
expect 0 out "[8. 8. 8." "$tilec" run "$add" --grid 4 x="@$folder/y.npy" y=x \
    out="empty(fp32,100)" n=100 BLOCK=32 --show out

# what is read may be a pipe, of less than the header's buffer or of more; it may end early
for n in 100 70000; do
    mkfifo "$folder/pipe$n"
    expect 0 out "" "$tilec" run "$add" --grid 1 x="ones(fp32,4)" y=x out="arange(fp32,$n)" n=4 \
        BLOCK=4 --save "out=$folder/whole.npy"
    cat "$folder/whole.npy" >"$folder/pipe$n" &
    expect 0 out "$((n - 1)).]" "$tilec" run "$add" --grid 0 x="@$folder/pipe$n" y=x out=x n=4 \
        BLOCK=4 --show x
    head -c 300 "$folder/whole.npy" >"$folder/pipe$n" &
    expect 3 err "shorter than its header says" "$tilec" run "$add" --grid 0 \
        x="@$folder/pipe$n" y=x out=x n=4 BLOCK=4
done
wait
# ... to where the output goes, and behind links
ln -s z.npy "$folder/link.npy"
ln -s /dev/fd/1 "$folder/stdout"
expect 0 out "NUMPY" run_add --save "out=$folder/stdout"
expect 0 out "" run_add --save "out=$folder/link.npy"
[ -L "$folder/link.npy" ] && [ -s "$folder/z.npy" ] || wrong "a link was replaced"

# the only kernel needs no name, though it has helpers in its file
cat >"$folder/helpers.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def least(a, b):
    return tl.minimum(a, b)

@triton.jit
def kernel(x, out):
    tl.store(out, tl.reduce(tl.load(x + tl.arange(0, 8)), 0, least))
KERNEL
expect 0 out "[-5.]" "$tilec" run "$folder/helpers.py" --grid 1 x="full(fp32,8,-5)" \
    out="zeros(fp32,1)" --show out
expect 0 out '"kernel": "kernel"' "$tilec" run "$folder/helpers.py" --grid 1 x="ones(fp32,8)" \
    out="zeros(fp32,1)" --json
expect 0 out '"assemble_s": 0, "from_cache": false' env TILEC_CACHE_DIR= "$tilec" run "$folder/helpers.py" \
    --grid 1 x="ones(fp32,8)" out="zeros(fp32,1)" --json
expect 0 out ': loading the code generator ' env TILEC_CACHE_DIR= "$tilec" run "$folder/helpers.py" \
    --grid 1 x="ones(fp32,8)" out="zeros(fp32,1)" --time 1

# a cache that others can write to is not used, and that is no error
mkdir "$folder/shared" && chmod 775 "$folder/shared"
for device in interp cpu; do
    expect 0 err "tilec: warning: the cache folder $folder/shared is not used" env \
        TILEC_CACHE_DIR="$folder/shared" "$tilec" run "$add" --device $device --grid 1 \
        x="ones(fp32,4)" y=x out="empty(fp32,4)" n=4 BLOCK=4
done
[ -z "$(ls "$folder/shared")" ] || wrong "the cache folder was used"

# an empty grid runs nothing; the name of the only kernel may be given
expect 0 out "[nan nan nan nan]" "$tilec" run "$add:add_kernel" --grid 0 x="ones(fp32,4)" y=x \
    out="empty(fp32,4)" n=4 BLOCK=4 --show out
expect 0 err "the grid 2x0x1 has no programs: nothing runs" "$tilec" run "$add" --grid 2,0 x="ones(fp32,4)" \
    y=x out="empty(fp32,4)" n=4 BLOCK=4

# a kernel that reaches far outside of its arrays is named before the signal ends the command
cat >"$folder/far.py" <<'KERNEL'
import triton
import triton.language as tl
@triton.jit
def far(x, n): tl.store(x + n, 1.0)
KERNEL
expect 139 err "tilec: kernel 'far' reached memory outside of its arrays" "$tilec" run \
    "$folder/far.py" --grid 1 x="ones(fp32,4)" n=100000000000
expect 1 err "store to x[100000000000] is outside of its 4 elements" "$tilec" run \
    "$folder/far.py" --device interp --grid 1 x="ones(fp32,4)" n=100000000000

# all threads fault at once; it is said all the same, once, as often as one tries
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    expect 139 err "tilec: kernel 'far' reached" "$tilec" run "$folder/far.py" --threads 8 --grid 4096 \
        x="ones(fp32,4)" n=100000000000
    [ "$(grep -c reached "$folder/err")" = 1 ] || wrong "it is said more than once"
done

# --grid sees what was not given: defaults, the first configuration, --num-warps; given values win
cat >"$folder/defaults.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"B": 2}), triton.Config({"B": 4})], key=["n"])
@triton.jit
def tuned(out, n, B: tl.constexpr, num_warps: tl.constexpr, K=3, S: tl.constexpr = "s"):
    tl.store(out + tl.program_id(0), tl.num_programs(0) * 1.0)
KERNEL
tuned() {
    "$tilec" run "$folder/defaults.py" out="zeros(fp32,64)" n=12 --show out "$@"
}
expect 0 out "[6. 6. 6. 6. 6. 6. 0." tuned --grid "n//B"
expect 0 out "[3. 3. 3. 0." tuned --grid "n//B" B=4
expect 0 out "[3. 3. 3. 0." tuned --grid "K"
expect 0 out "[4. 4. 4. 4. 0." tuned --grid num_warps
expect 0 out "[8. 8. 8. 8. 8. 8. 8. 8. 0." tuned --grid num_warps --num-warps 8

# heuristics are evaluated over the first configuration and the arguments; --grid sees their values
cat >"$folder/computed.py" <<'KERNEL'
import os
import triton
import triton.language as tl


def is_even(args):
    return args["n"] % args["BLOCK"] == 0


@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=w)
                          for b, w in zip([64, 128], [4, 8])], key=["n"])
@triton.heuristics({
    "EVEN": is_even,
    "PARTS": lambda args: triton.cdiv(args["n"], args["BLOCK"]) + (0 if args["EVEN"] else 100),
    "HAS_BIAS": lambda args: args["bias"] is not None,
    "HALVES": lambda args: args["x"].dtype == tl.float16 and args["x"].element_size() == 2,
})
@triton.jit
def scale(x, bias, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, PARTS: tl.constexpr,
          HAS_BIAS: tl.constexpr, HALVES: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at) if EVEN else tl.load(x + at, mask=at < n)
    if HAS_BIAS:
        values += tl.load(bias)
    values = values * (2 if HALVES else 3) + PARTS * 1000
    tl.store(out + at, values, mask=at < n)


@triton.heuristics({"CPUS": lambda args: os.cpu_count()})
@triton.jit
def unknown(out, CPUS: tl.constexpr):
    tl.store(out, CPUS)
KERNEL
scale() {
    n=$1 type=$2
    shift 2
    "$tilec" run "$folder/computed.py:scale" n="$n" x="full($type,n,1)" out="zeros(fp32,n)" \
        --show out "$@"
}
for device in interp cpu; do
    expect 0 out "3003" scale 192 fp32 --device $device --grid "cdiv(n,BLOCK)" bias=None
    expect 0 out "[3003. 3003. 3003. ... 3003. 3003. 3003.]" scale 192 fp32 --device $device \
        --grid "PARTS" bias=None
    expect 0 out "[2014. 2014. 2014. ... 2014. 2014. 2014.]" scale 128 fp16 --device $device \
        --grid "PARTS" bias="full(fp16,1,6)"
    expect 0 out " 102006.]" scale 100 fp32 \
        --device $device --grid "PARTS - 100" bias="full(fp32,1,1)"
    expect 0 out "[5003. 5003. 5003. ... 5003. 5003. 5003.]" scale 128 fp32 --device $device \
        --grid 4 bias=None BLOCK=32 PARTS=5 --time=2
    expect 0 out "[7]" "$tilec" run "$folder/computed.py:unknown" --device $device --grid 1 \
        out="zeros(i32,1)" CPUS=7 --show out
    expect 1 err "error: \`CPUS\` was not given, and its heuristic cannot be evaluated" \
        "$tilec" run "$folder/computed.py:unknown" --device $device --grid CPUS out="zeros(i32,1)"
    expect 1 err "computed.py:29:42: note: what \`os.cpu_count\` is cannot be known here" \
        "$tilec" run "$folder/computed.py:unknown" --device $device --grid 1 out="zeros(i32,1)"
done
expect 0 out "scale" "$tilec" dump "$folder/computed.py:scale" --stage ir "x:*fp16" "out:*fp32" \
    bias=None n=256
expect 1 err "note: \`n\` was given as a type, without a value" "$tilec" dump \
    "$folder/computed.py:scale" --stage ir "x:*fp16" "out:*fp32" bias=None n:i32

# a kernel inside of others goes by its whole name, beside one that has the bare name
cat >"$folder/nested.py" <<'KERNEL'
import triton
import triton.language as tl

def make():
    @triton.jit
    def k3(out):
        tl.store(out, 3.0)
    return k3

@triton.jit
def k3(out):
    tl.store(out, 1.0)

class Op:
    class Inner:
        @triton.jit
        def k2(out):
            tl.store(out, 2.0)

@triton.jit
def k2(out):
    tl.store(out, 4.0)
KERNEL
for device in interp cpu; do
    for name in make.k3=3 k3=1 k2=4 Op.Inner.k2=2; do
        expect 0 out "[${name#*=}.]" "$tilec" run "$folder/nested.py:${name%=*}" --device $device \
            --grid 1 out="zeros(fp32,1)" --show out
    done
done

# a full disk is no success
if [ -e /dev/full ]; then
    "$tilec" --help >/dev/full 2>"$folder/err"
    [ $? = 3 ] || wrong "writing to a full disk did not fail"
    run_add --json --show out >"$folder/out" 2>/dev/full
    [ $? = 3 ] || wrong "showing on a full disk did not fail"
fi

for stage in ast ir vars opt; do
    expect 0 out "add_kernel" "$tilec" dump "$add" --stage $stage x:*fp32 y:*fp32 out:*fp32 n:i32 \
        BLOCK=1024
done
for stage in plan schedule llvm asm; do
    expect 0 out "" "$tilec" dump "$add" --stage $stage x:*fp16 y:*fp16 out:*fp32 n=1000 BLOCK=1024
done
# a short loop of single elements counts by one number
cat >"$folder/elements.py" <<'KERNEL'
import triton
import triton.language as tl
@triton.jit
def total(x, out):
    s = 0.0
    for k in range(64):
        s += tl.load(x + k)
    tl.store(out, s)
KERNEL
expect 0 out incq "$tilec" dump "$folder/elements.py" --stage asm --arch x86-64-v3 x:*fp32 out:*fp32
grep -qw decl "$folder/out" && wrong "a second counter"
expect 0 out "add.py:25:" "$tilec" dump "$add" --stage asm x:*fp32 y:*fp32 out:*fp32 n:i32 BLOCK=1024
store=$(grep -n 'tl.store' "$add" | cut -d: -f1)
expect 0 out "# $add:$store:  tl.store(out + offsets, total, mask=inside)" "$tilec" dump "$add" --stage asm x:*fp32 \
    y:*fp32 out:*fp32 n:i32 BLOCK=1024
expect 0 out "// $add:$store:  tl.store(out + offsets, total, mask=inside)" "$tilec" dump "$add" --stage ptx x:*fp32 \
    y:*fp32 out:*fp32 n:i32 BLOCK=1024

# what kernels say while they run: prints on stdout, assertions and checks as errors
cat >"$folder/say.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def say(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i)
    print("v", v)
    tl.device_assert(v < 5, "large", mask=i < n)
END
cat >"$folder/rounds.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def rounds(x, n):
    acc = 0.0
    for j in range(n):
        acc += tl.load(x + 100 + j)
    tl.store(x, acc)
END
for device in interp cpu; do
    say() {
        "$tilec" run "$folder/say.py" --device $device --grid 2 x="arange(fp32,8)" "$@"
    }
    expect 0 out "(1, 0, 0) v: [4.0 5.0 6.0 7.0]" say n=4 B=4
    expect 0 err "(1, 0, 0) v: [4.0 5.0 6.0 7.0]" say n=4 B=4 --json
    expect 0 out "with 50% confidence" say n=4 B=4 --time=2
    expect 0 out "one run does not say how sure its time is" say n=4 B=4 --time=1
    [ "$(grep -c "(0, 0, 0) v" "$folder/out")" = 1 ] || wrong "timed runs print"
    expect 1 err "say.py:10:5: error: assertion failed: large" say n=6 B=4
    expect 1 out "(0, 0, 0) v: [0.0 1.0 2.0 3.0]" say n=6 B=4
    expect 0 out "" say n=4 B=4 --check
    expect 1 err "say.py:8:9: error: load of x[8] is outside of its 8 elements" say n=4 B=16 --check
    grep -qF "in program (0, 0, 0), at [8] of the tile; 24 elements in 2 programs" "$folder/err" ||
        wrong "no program"
    expect 1 err "100 elements in 2 programs" \
        "$tilec" run "$folder/rounds.py" --device $device --grid 2 x="zeros(fp32,8)" n=50 --check
done
# elements of a tile that are not there: 0, or dropped, and told
cat >"$folder/parts.py" <<'END'
import triton
import triton.language as tl
@triton.jit
def parts(out, k):
    v = tl.arange(0, 5) + 1
    w = v
    w[k:k + 3] = 9
    w[0] = v[k - 4] + v[k + 1]
    tl.store(out + tl.arange(0, 5), w)
    tl.store(out + 5 + tl.arange(0, 5), v[tl.arange(0, 5) * 2 - k])
END
for device in cpu sim; do
    expect 0 out "[5 2 3 9 9 0 0 2 4 0]" "$tilec" run "$folder/parts.py" --device $device \
        --grid 1 --show out out="empty(i32,10)" k=3
    expect 1 err "parts.py:7:7: error: a slice of 3 elements from 3 on leaves a dimension of 5" \
        "$tilec" run "$folder/parts.py" --device $device --grid 1 out="empty(i32,10)" k=3 --check
    expect 1 err "parts.py:8:14: error: index -1 is outside of a dimension of 5" \
        "$tilec" run "$folder/parts.py" --device $device --grid 1 out="empty(i32,10)" k=3 --check
    grep -qF "in program (0, 0, 0), at [0] of the tile; 3 elements in 1 program" "$folder/err" ||
        wrong "which elements are not there"
done
# the interpreter checks without being asked, and says nothing of what it cannot check
expect 1 err "error: load of x[100] is outside of its 8 elements" \
    "$tilec" run "$folder/rounds.py" --device interp --grid 2 x="zeros(fp32,8)" n=50
expect 1 err "error: load of x[100] is outside of its 8 elements" \
    "$tilec" run "$folder/rounds.py" --grid 2 x="zeros(fp32,8)" n=50 --compare interp
# a block that leaves its array is found along a block pointer that a helper advanced
cat >"$folder/block.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def following(block):
    return tl.advance(block, (4,))


@triton.jit
def block(x):
    at = tl.make_block_ptr(x, (8,), (1,), (0,), (4,), (0,))
    for i in range(2):
        tl.store(at, 1.0)
        at = following(at)
END
for device in interp cpu; do
    expect 0 out "" "$tilec" run "$folder/block.py" --check --device $device --grid 1 x="zeros(fp32,8)"
    expect 1 err "block.py:14:9: error: store to x[4] is outside of its 4 elements" "$tilec" run \
        "$folder/block.py" --check --device $device --grid 1 x="zeros(fp32,4)"
done

# places in two files: of code, of an error while running, and of names
mkdir -p "$folder/two"
cat >"$folder/two/helpers.py" <<'HELPERS'
import triton
import triton.language as tl
@triton.jit
def half(x, least):
    tl.assume(x > least)
    return x * 0.5
HELPERS
cat >"$folder/two/main.py" <<'KERNEL'
import triton
import triton.language as tl
from helpers import half
@triton.jit
def k(p, least):
    tl.store(p, half(tl.load(p), least))
KERNEL
two=$folder/two
expect 0 out "# $two/helpers.py:6:12 @[ $two/main.py:6:17 ]" "$tilec" dump "$two/main.py" --stage asm \
    p:*fp32 least:fp32
expect 0 out "#     called at $two/main.py:6:  tl.store(p, half(tl.load(p), least))" "$tilec" dump "$two/main.py" --stage asm \
    p:*fp32 least:fp32
grep -qF "# $two/helpers.py:6:  return x * 0.5" "$folder/out" || wrong "no text of the helper's line"
expect 0 out "func @half, $two/helpers.py:4" "$tilec" dump "$two/main.py" --stage vars p:*fp32 least:fp32
for file in helpers.py:5:5 main.py:6:17; do
    expect 1 err "$two/$file: " "$tilec" run "$two/main.py" --device interp --grid 1 "p=ones(fp32,1)" least=2.0
done

# what takes too much memory is refused before it does
cat >"$folder/large.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def large(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tiles = ()
    for k in tl.static_range(32):
        tiles += (tl.cumsum(tl.load(x + i + k), 0),)
    for k in tl.static_range(32):
        tl.store(x + i, tiles[k] * tiles[31 - k])
KERNEL
for device in interp cpu; do
    expect 1 err "this kernel holds too many tiles at once: they take" \
        "$tilec" run "$folder/large.py" --device $device --grid 1 x="zeros(fp32,8)" N="1<<24"
done

# timed runs of a kernel that changes what it reads find what the first one found
cat >"$folder/bump.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def a_name_that_is_longer_than_twenty_characters(x, limit, B: tl.constexpr):
    at = x + tl.program_id(0) * B + tl.arange(0, B)
    value = tl.load(at)
    tl.device_assert(value < limit, "it was not fresh")
    tl.store(at, value + 1)

@triton.jit
def copy(x, y, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), tl.load(x + tl.arange(0, B)))

@triton.jit
def count(x, B: tl.constexpr):
    before = tl.atomic_add(x, 1)
    tl.device_assert(before < 4, "it was not fresh")
KERNEL
bump() {
    "$tilec" run "$folder/bump.py:a_name_that_is_longer_than_twenty_characters" --grid 4 \
        x="zeros(i32,256)" limit=1 B=64 "$@"
}
for device in cpu interp sim; do
    expect 0 out "arrays that it both reads and writes were restored" bump --time 9 --device $device
    expect 0 out '"restored": true' bump --time=9 --json --device $device
    expect 0 out "[1 1 1 ... 1 1 1]" bump --time=3 --show x --device $device
    expect 0 out "restored" "$tilec" run "$folder/bump.py:count" --grid 4 x="zeros(i32,1)" B=1 \
        --time 5 --device $device
    expect 0 out '"restored": false' "$tilec" run "$folder/bump.py:copy" --grid 1 x="ones(i32,8)" \
        y="zeros(i32,8)" B=8 --time=5 --json --device $device
done
expect 0 out '"int_ops": 256' bump --json
expect 0 out " on cpu, grid " bump --time=3
# columns are as wide as what is in them, and fit a terminal
awk 'NR == 2 || NR == 3 { print length($0) }' "$folder/out" | uniq | wc -l | grep -qx 1 || wrong "ragged table"
awk 'NR == 2 && /^ *median  *min  *max  *GB\/s  *GFLOP\/s  *GIOP\/s$/ && length($0) <= 80' "$folder/out" |
    grep -q . || wrong "no titles, or too wide"

# a tuple, a list, a dtype and a function of the file as arguments; arithmetic on arrays
cat >"$folder/given.py" <<'END'
import triton
import triton.language as tl


@triton.jit
def relu(x):
    return tl.maximum(x, 0.0)


@triton.jit
def twice(x):
    return x * 2


@triton.jit
def given(x, out, ACT: tl.constexpr, ADD: tl.constexpr, D: tl.constexpr, B: tl.constexpr):
    o = tl.arange(0, B)
    v = tl.load(x + o)
    for i in tl.static_range(len(ADD)):
        v = v + ADD[i]
    tl.store(out + o, ACT(v).to(D))
END
given() {
    "$tilec" run "$folder/given.py:given" --grid 1 x="arange(fp32,4)-5" out="empty_like(x)" \
        D=fp16 B="len(x.shape)*4 if x.dtype is fp32 else 0" --show out "$@"
}
for device in interp cpu; do
    expect 0 out "[0. 0. 0. 1.]" given --device $device ACT=relu ADD="(1,2)"
    expect 0 out "[-4. -2.  0.  2.]" given --device $device ACT=twice ADD="[i+1 for i in range(2)]"
done
# the greatest value of a type is not shown as one beyond it
expect 0 out "[1.75  0.9]" "$tilec" run "$add" --grid 1 --show x x="(arange(fp32,2)*-0.875+1.75).to(fp8e4b15)" \
    y="zeros(fp8e4b15,2)" out="empty_like(x)" n=2 BLOCK=2
# what checks make of a long kernel is refused before they are made
cat >"$folder/long.py" <<'END'
import triton
import triton.language as tl
@triton.jit
def long(x):
    for i in tl.static_range(33000):
        tl.store(x, tl.load(x) + i)
END
expect 1 err "long.py:6:" "$tilec" run "$folder/long.py" --grid 1 x="ones(i32,4)" --check --device interp
expect 1 err "too long to be checked" "$tilec" run "$folder/long.py" --grid 1 x="ones(i32,4)" --check
# assembly is carried through the passes, and refused by a device whose assembler it is not
cat >"$folder/asm.py" <<'END'
import triton
import triton.language as tl
@triton.jit
def asm(x):
    v = tl.load(x)
    tl.inline_asm_elementwise("dead $0;", "=f,f", [v], tl.float32, True, 1)
    tl.store(x, tl.inline_asm_elementwise("fns.b32 $0, $1, 0, 1;", "=r,r", [v], tl.int32, True, 1))
END
cat >"$folder/ptx.py" <<'END'
import triton
import triton.language as tl
@triton.jit
def ptx(x, out):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    a = tl.inline_asm_elementwise("ex2.approx.ftz.f32 $0, $1;", "=f,f", [v], tl.float32, True, 1)
    b = tl.inline_asm_elementwise(" div.full.f32 $0, $1, $2;", "=f,f,f", [a, v + 1], tl.float32, True, 1)
    c = tl.inline_asm_elementwise("rcp.rn.f32 $0, $1;", "=r,r", [b], tl.int32, True, 1).to(tl.float32, bitcast=True)
    n = tl.inline_asm_elementwise("popc.b32 $0, $1;", "=r,r", [i + 3], tl.int32, True, 1)
    tl.store(out + i, c + n)
END
cat >"$folder/words.py" <<'END'
import triton
import triton.language as tl
@triton.jit
def words(out):
    i = tl.arange(0, 4) * 16 + 1
    v = tl.inline_asm_elementwise("""{
        .reg .b32 t<2>;
        and.b32 t0, $1, 0xf0;
        shr.u32 t0, t0, 4;
        mov.b32 t1, $2;
        max.s32 t1, t1, t0;
        sub.s32 $0, t1, -1;
    }""", "=r,r,r", [i, 2 - i], tl.int32, True, 1)
    tl.store(out + tl.arange(0, 4), v)
END
for device in interp cpu sim; do
    expect 0 out "[2 2 3 4]" "$tilec" run "$folder/words.py" --grid 1 out="empty(i32,4)" --show out --device $device
done
expect 0 out "inline_asm %v asm=" "$tilec" dump "$folder/asm.py" --stage opt "x:*i32"
for device in interp cpu; do
    expect 0 out "[  3.   2. 2.75  2.5]" "$tilec" run "$folder/ptx.py" --grid 1 x="arange(fp32,4)" out="empty_like(x)" \
        --show out --device $device
    expect 1 err "asm.py:7:17: error: inline assembly means nothing to the device \`$device\`: \`fns.b32\` is no instruction that is known here" \
        "$tilec" run "$folder/asm.py" --grid 1 x="ones(i32,4)" --device $device
done
expect 1 err "len() of function relu" given ACT=relu ADD=relu
expect 2 err "did you mean 'relu'?" given ACT=relo ADD="()"
expect 2 err "hint: \`/\` gives a float; cdiv(A,B)" "$tilec" run "$add" --grid 7/2 x="zeros(fp32,4)" \
    y=x out=x n=4 BLOCK=4

# arrays in tuples, and what reads them by tiles
cat >"$folder/parts.py" <<'END2'
import triton
import triton.language as tl
@triton.jit
def parts(outs, t, d):
    i = tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :]
    tl.store(outs[0] + i, d.load([1, t.skip]))
    tl.store(outs[1], t.x.to(tl.pointer_type(tl.float32)).dtype.element_ty.primitive_bitwidth + t[1])
END2
parts() {
    "$tilec" run "$folder/parts.py" --grid 1 outs="(zeros(fp32,2x4),zeros(i32,1))" \
        t="{'x':outs[0],'skip':2}" "$@"
}
for device in interp cpu null; do
    expect 0 out "t['x']: fp32 2x4" parts d="descriptor(arange(fp32,3x5),(2,4))" --show "t['x']" --device $device
done
for device in interp cpu; do
    expect 0 out "[[ 7.  8.  9.  0.]" parts d="descriptor(arange(fp32,3x5),(2,4))" --show "outs[0]" --device $device
    expect 0 out "[[ 7.  8.  9. nan]" parts d="descriptor(arange(fp32,3x5),(2,4),padding='nan')" \
        --show "outs[0]" --device $device
    expect 0 out "[34]" parts d="descriptor(arange(fp32,3x5),(2,4))" --show "outs[1]" --device $device
done
expect 2 err "--show outs: it is a tuple, not an array" parts d="descriptor(outs[0],(2,4))" --show outs
expect 2 err "tiles of 2 dimensions" parts d="descriptor(outs[0],8)"
expect 2 err "it is descriptor(X, SHAPE[, padding='nan'])" parts d="descriptor(8,8)"
expect 2 err "the fields of a named tuple are texts" parts d="{1: 2}"

# offsets that wrap, asserts with a text
cat >"$folder/slips.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def far(x, stride, B: tl.constexpr):
    row = tl.program_id(0) + 2
    tl.store(x + row * stride + tl.arange(0, B), 1.0)

@triton.jit
def asserts(n, x):
    assert n < 10, "too long"
    tl.store(x, n)
KERNEL
for device in cpu interp; do
    expect 1 err "hint: 32 bits wrap to negative numbers from 2^31 on" "$tilec" run "$folder/slips.py:far" \
        --grid 1 x='zeros(fp32,64)' stride=1100000000 B=16 --check --device $device
done
expect 1 err "slips.py:7:5: error: store to x" "$tilec" run "$folder/slips.py:far" --grid 1 \
    x='zeros(fp32,64)' stride=100 B=16 --check
! grep -q "32 bits" "$folder/err" || wrong "nothing has wrapped"
expect 1 err "slips.py:11:12: error: assertion failed: too long" "$tilec" run "$folder/slips.py:asserts" \
    --grid 1 n=20 x='zeros(i32,1)'
# a program that waits for the next one finds it on another thread, also once launches are known to be short
cat >"$folder/waits.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def waits(there, out):
    pid = tl.program_id(0)
    tl.atomic_xchg(there + pid, 1)
    if pid == 0:
        while tl.atomic_add(there + 1, 0) == 0:
            pass
    tl.store(out + pid, pid)
KERNEL
[ "$(nproc)" = 1 ] || expect 0 out "waits on cpu, grid 2,1,1" timeout 500 "$tilec" run "$folder/waits.py" --grid 2 --time=50 \
    there='zeros(i32,2)' out='empty(i32,2)'
# where the system gives a stack of 16 KB, the command takes one of its own; the environment lies on it, too, and so many
# bytes that the system draws by lot that with a long one not even `true` starts each time
little_stack() {
    env -i ${TILEC_PLUGIN:+"TILEC_PLUGIN=$TILEC_PLUGIN"} ${TILEC_CACHE_DIR:+"TILEC_CACHE_DIR=$TILEC_CACHE_DIR"} \
        sh -c 'ulimit -s 16 && exec "$@"' - "$tilec" "$@"
}
for device in cpu interp sim; do
    little_stack --version >/dev/null 2>&1 || break # that is not allowed, or too little for anything
    expect 0 out "x: agrees with 2" little_stack run "$folder/slips.py:asserts" --device $device --grid 1 n=2 x='zeros(i32,1)' \
        --compare x=2
done
# of a stage, what is of some lines: of the line itself, and of calls in it
cat >"$folder/lines.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def square(x):
    return x * x


@triton.jit
def lines(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    dead = v + 1
    tl.store(out + i, square(v))
KERNEL
part() { # CODE STREAM TEXT STAGE LINES
    expect "$1" "$2" "$3" "$tilec" dump "$folder/lines.py:lines" --stage "$4" --line "$5" 'x:*fp32' 'out:*fp32' B=16
}
part 0 out "lines.py:7:  return x * x" asm 7
part 0 out "    called at $folder/lines.py:15" asm 15
! grep -q "lines.py:13:" "$folder/out" || wrong "line 13 was not asked for"
part 0 out "mul" ptx 7-7
! grep -q "st.global" "$folder/out" || wrong "line 15 was not asked for"
part 0 out "  %v = load " ir 12-13
[ "$(grep -c store "$folder/out")" = 0 ] || wrong "line 15 was not asked for"
part 0 out "mul" opt 15
part 1 err "nothing is left of $folder/lines.py:14 here" opt 14
# all lines have all of the code, also behind LLVM's comments on blocks
"$tilec" dump "$source/kernels/softmax.py" --call softmax --device cpu --stage asm >"$folder/all"
expect 0 "" "" "$tilec" dump "$source/kernels/softmax.py" --call softmax --device cpu --stage asm --line 1-999
[ "$(grep -c '^.v[a-z]' "$folder/out")" = "$(grep -c '^.v[a-z]' "$folder/all")" ] || wrong "--line has lost instructions"
part 1 err "lines that have something: 7, 12 to 13, 15" opt 14
part 2 err "the stage \`plan\` is not shown by lines" plan 7
part 2 err "--line 7,8: it takes a line of the file" asm 7,8
part 2 err "what stands behind the colon is a line" asm 9-8
# as many parameters as the largest public kernels have, and more than there may be
many() { # N: a kernel that sums N scalars
    awk -v n="$1" 'BEGIN {
        for (i = 1; i <= n; i++) { params = params ", a" i; sum = sum " + a" i }
        print "import triton\nimport triton.language as tl\n\n@triton.jit"
        print "def many(x" params "):\n    tl.store(x, 0" sum ")"
    }' >"$folder/many.py"
}
many 150
for device in cpu sim; do
    # shellcheck disable=SC2046
    expect 0 out "x: agrees with 11325 in 1 elements" "$tilec" run "$folder/many.py" --device $device --grid 1 \
        x="zeros(i64,1)" $(awk 'BEGIN { for (i = 1; i <= 150; i++) print "a" i "=" i }') --compare x=11325
done
many 200
expect 1 err 'kernel `many` has more than 192 parameters' "$tilec" run "$folder/many.py" --grid 1 x="zeros(i64,1)"
# a mask that is a constant, and one that is none
expect 0 out "out: i32 16" "$tilec" run "$source/tests/lang/memory.py:masks" --grid 1 p='arange(i32,8)' out='zeros(i32,16)' n=3 --show out
finish
