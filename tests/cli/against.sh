#!/bin/sh
# against.sh TILEC SOURCE - `run --against`: two versions on the same inputs, compared, and timed in turns
. "$(dirname "$0")/expect.inc"

cat >"$folder/old.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def k(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
KERNEL
cat >"$folder/new.py" <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def k(x, out, n, extra, B: tl.constexpr, ROWS: tl.constexpr = 1):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, v + v, mask=i < n)

@triton.jit
def near(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2.001, mask=i < n)

@triton.jit
def short(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n - 1)

@triton.jit
def bump(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.device_assert(v < 1, "another run was seen")
    tl.store(x + i, v + 1, mask=i < n)
    tl.store(out + i, v, mask=i < n)

@triton.jit
def reads(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.device_assert(v < 1, "another run was seen")
    tl.store(out + i, v, mask=i < n)

@triton.jit
def sums(x, partial, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(partial + tl.program_id(0), tl.sum(tl.load(x + i, mask=i < n, other=0)))
    tl.device_print("program", tl.program_id(0))
KERNEL
cd "$folder" || exit 1

# run KERNEL WORD... : 6 rounds on 3000 random numbers
run() {
    kernel=$1
    shift
    "$tilec" run "$kernel" --grid 'cdiv(n,B)' n=3000 B=256 x='rand(fp32,n)' out='empty(fp32,n)' --time=6 "$@"
}

# another file: its kernel of the same name, which lacks two parameters
expect 0 out "out: agrees with old.py:k in 3000 elements; greatest error 0, relative 0" run new.py:k extra=1 --against old.py
grep -q "^in turns on cpu, 6 rounds$" out || wrong "how many rounds?"
[ "$(grep -cE "^(new|old)\.py:k +[0-9.]+ us .* 12,1,1$" out)" = 2 ] || wrong "a row for each"
grep -qE "new.py:k is [0-9.]+ times as fast as old.py:k(, so slower)?: between [0-9.]+ and [0-9.]+ with 95% confidence$" out ||
    wrong "no ratio"
expect 0 out "agrees with old.py:k B=64" run new.py:k extra=1 ROWS=2 --against old.py:k,B=64
grep -qE "^old.py:k B=64 .* 47,1,1$" out || wrong "the grid of its values"

# other values, hints, grids; on each device
expect 0 out "out: agrees with B=64 num_warps=8 in 3000" run old.py --against B=64,num_warps=8
expect 1 out "out: differs from grid=1 in 2744 of 3000" run old.py --against grid=1
for device in interp sim; do
    expect 0 out "in turns on $device" run old.py --device $device --against B=512
done

# results: another kernel of the file, tolerances
expect 0 out "out: agrees with :near in 3000 elements; greatest error 0.00" run new.py:k extra=1 --against :near,rtol=1e-3
expect 1 out "out: differs from :near in 2965 of 3000" run new.py:k extra=1 --against :near
grep -q "times as fast as :near" out || wrong "what differs is timed, too"
expect 1 out "    worst: out[2999] is nan, not " run new.py:short --against old.py:k
expect 1 out "x: differs from :bump" run new.py:reads --against :bump
# neither sees what the other, or a run before, has left; not in its first run either
for pair in "bump reads" "reads bump"; do
    for device in cpu sim; do
        expect 1 out "out: agrees with :${pair#* } in 3000" run new.py:${pair% *} --against :${pair#* } --device $device
        grep -q "were restored before each run" out || wrong "it does not say so"
    done
done
expect 0 out "x: agrees with :bump in 3000" run new.py:bump --against :bump
expect 1 err "warning: 'partial' is not compared: its shape is 12, and 47 in B=64" "$tilec" run new.py:sums \
    --grid 'cdiv(n,B)' n=3000 B=256 x='rand(fp32,n)' partial='empty(fp32,cdiv(n,B))' --time=1 --against B=64 --compare partial=0
[ "$(grep -c "program" out)" = 12 ] || wrong "only this call prints"
grep -q "^partial: differs from 0 " out || wrong "no --compare of the call"

# random arrays are the same ones behind one that is not
cat >two.py <<'KERNEL'
import triton
import triton.language as tl

@triton.jit
def k(a, b, out, B: tl.constexpr):
    i = tl.arange(0, 8)
    tl.store(out + i, tl.load(a + i) + tl.load(b + i))
KERNEL
expect 0 out "out: agrees with B=16 in 8 elements" "$tilec" run two.py --grid 1 B=8 a='rand(fp32,8)' b='rand(fp32,8*B)' \
    out='empty(fp32,8)' --time=1 --against B=16

# as JSON
expect 0 out '{"rounds": 6, "ratio": ' run new.py:k extra=1 --against old.py --json
for text in '"confidence": 0.95, "significant": ' '"pass": true, "results": [{"name": "out", "with": "old.py:k", "pass": true' \
    '"this": {"name": "new.py:k", "timing": {"kernel": "k", ' '"other": {"name": "old.py:k", "timing": {' '"median_low_s": '; do
    grep -qF "$text" out || wrong "no $text"
done
expect 1 out '"pass": false, "results": [{"name": "out", "with": ":near"' run new.py:k extra=1 --against :near --json

# mistakes, and what is for one call
expect 2 err "--save, --show and --count are for one" run old.py --against B=64 --show out
expect 2 err "--profile and --trace are for one" run old.py --against B=64 --profile
expect 2 err "--against takes times, which --check and --debug make longer" run old.py --against B=64 --check
expect 2 err "all make many calls: one of them at a time" run old.py --against B=64 --tune B=1,2
expect 2 err "the kernel has no parameter 'C'" run old.py --against C=64
expect 2 err "old.py has no kernel 'j'; it has k" run new.py:k --against old.py:j
expect 3 err "none.py: No such file or directory" run old.py --against none.py
expect 2 err "--against needs FILE.py[:KERNEL], :KERNEL of the same file, or NAME=VALUE, not 'near'" run new.py:k --against near
expect 2 err "--against B=64,8: what is other is written NAME=VALUE, not '8'" run old.py --against B=64,8
expect 2 err "--against B=64,B=8: 'B' is given twice" run old.py --against B=64,B=8
expect 2 err "--against needs FILE.py[:KERNEL] or NAME=VALUE, not ':'" run old.py --against :
finish
