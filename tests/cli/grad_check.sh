#!/bin/sh
# grad_check.sh TILEC SOURCE - what `tilec grad --check` says: agreement, the worst element, kinks, what it is not for
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
cat >k.py <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def scale(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    area = tl.load(x + offsets, mask=offsets < n)
    tl.store(out + offsets, area * area, mask=offsets < n)


@triton.jit
def rows(x, w, out, row, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    at = tl.program_id(0) * row + offsets
    tl.store(out + at, tl.load(x + at) * tl.load(w + offsets))


@triton.jit
def squares(x, out, row, BLOCK: tl.constexpr):
    a = tl.load(x + tl.program_id(0) * row + tl.arange(0, BLOCK))
    tl.store(out + tl.program_id(0), tl.sum(a * a, axis=0))


@triton.jit
def weighed(x, w, out, row, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0), tl.sum(tl.load(x + tl.program_id(0) * row + at) * tl.load(w + at), axis=0))


@triton.jit
def added(x, out, BLOCK: tl.constexpr):
    a = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.atomic_add(out, tl.sum(a * a * a, axis=0))


@triton.jit
def turns(x, out, row, count, BLOCK: tl.constexpr):
    for k in range(tl.program_id(0), count, tl.num_programs(0)):
        at = k * row + tl.arange(0, BLOCK)
        tl.store(out + at, 2 * tl.load(x + at))


@triton.jit
def rectified(x, out, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(x + offsets)
    tl.store(out + offsets, tl.where(a > 0, a, 0.0))


@triton.jit
def rooted(x, out, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.sqrt(tl.load(x + offsets)))


@triton.jit
def rounded(a, b, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = i[:, None] * BLOCK + i[None, :]
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(2):
        total = tl.dot(tl.load(a + at).to(tl.bfloat16), tl.load(b + k + at).to(tl.bfloat16), total)
    tl.store(out + at, total.to(tl.float16))


@triton.jit
def outside(x, out, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + 2 * offsets))


@triton.jit
def ragged(x, ends, out, row):
    h = 0.5
    for i in range(tl.load(ends + tl.program_id(0))):
        h = h * h + tl.load(x + tl.program_id(0) * row + i)
    tl.store(out + tl.program_id(0), h)
KERNEL

# prove KERNEL WRT WORD...
prove() {
    kernel=$1 wrt=$2
    shift 2
    "$tilec" grad k.py:"$kernel" --of out --wrt "$wrt" --check "$@"
}
for device in interp cpu sim; do
    expect 0 out 'd_x: agrees with differences along 4 directions, in 16 of 100 elements; farthest off ' \
        prove scale x --device "$device" --grid 'cdiv(n,BLOCK)' n=100 x='randn(bf16,n)' out='empty(bf16,n)' BLOCK=64
    # what is rounded on the way is not, and accumulators are as wide as the arrays
    expect 0 out 'd_b: agrees' prove rounded a,b --device "$device" --grid 1 \
        a='randn(fp32,16x16)' b='randn(fp32,257)' out='empty(fp16,16x16)' BLOCK=16
done
# few elements are all looked at; one array given twice counts as two
expect 0 out 'd_w: agrees with differences along 4 directions, in 4 of 4 elements' \
    prove rows x,w --grid 3 x='randn(fp32,3x4)' w='x[0]' out='empty(fp32,3x4)' row=4 BLOCK=4
# strided arrays have the gradients where they lie
expect 0 out 'd_x: agrees' prove rows x --grid 3 x='randn(fp32,3x8)[:,:4]' w='randn(fp32,4)' out='empty(fp32,3x8)[:,:4]' row='x.stride(0)' BLOCK=4

# programs that store one element break what is taken for granted: found by its differences
twice='x=randn(fp32,4) w=randn(fp32,4) out=empty(fp32,4) row=0 BLOCK=4'
expect 1 out 'd_w: differs from differences along 4 of 4 directions, in 4 of 4 elements' prove rows w --grid 2 --device cpu $twice
expect 1 out '    worst: d_w[' prove rows w --grid 2 --device cpu $twice
expect 1 out '"pass": false' prove rows w --grid 2 --device cpu --json $twice
expect 1 out '"worst": {"index": [' prove rows w --grid 2 --device cpu --json $twice
expect 1 err 'outside' prove outside x --grid 1 x='randn(fp32,8)' out='empty(fp32,16)' BLOCK=16

# at a kink either slope is right; where no slope is finite nothing is said
expect 0 out '    at kinks, where any slope between both sides is right: 8' prove rectified x --grid 1 x='zeros(fp32,8)' out='empty(fp32,8)' BLOCK=8
expect 1 out 'd_x: not judged: differences of `out` say too little here' prove rooted x --grid 1 x='zeros(fp32,8)' out='empty(fp32,8)' BLOCK=8
expect 0 out 'd_x: agrees with differences along 4 directions, in 7 of 9 elements' prove rooted x --grid 1 x='arange(fp32,9)-1' out='empty(fp32,16)' BLOCK=9
expect 0 out '"kinks": 8' prove rectified x --json --grid 1 x='zeros(fp32,8)' out='empty(fp32,8)' BLOCK=8

# what a kernel adds to is what it was, for each difference
expect 0 out 'd_x: agrees with differences along 4 directions' prove added x --grid 2 x='randn(fp32,16)' out='zeros(fp32,1)' BLOCK=8

# rows that overlap are no rows of a derived kernel that stores each element: atomics add them up
overlap='--grid 3 row=4 x=randn(fp32,16) out=empty(fp32,3) BLOCK=8'
expect 0 err 'note: not 8 <= row, so that d_x is derived with --atomics' prove squares x $overlap
expect 0 out 'd_x: agrees with differences' prove squares x $overlap
expect 0 out 'd_x: agrees with differences' prove squares x $overlap --atomics
both='--grid 3 row=4 x=randn(fp32,16) w=randn(fp32,8) out=empty(fp32,3) BLOCK=8'
expect 0 err 'note: not 8 <= row, so that d_x is derived with --atomics' prove weighed x,w $both
expect 0 out 'd_w: agrees with differences' prove weighed x,w $both
expect 0 out 'd_w_parts' prove weighed x,w $both -o /dev/stdout # which has nothing to do with it
expect 1 err '--check: elements of `out` are stored twice, as not 4 <= row' prove turns x --grid 2 row=3 count=4 x='randn(fp32,16)' out='empty(fp32,16)' BLOCK=4

# rounds that data says: how many there are at most is an option, which may use arguments; too few are found
rows='--grid 3 row=6 x=rand(fp32,3x6) ends=arange(i32,3)+4 out=empty(fp32,3)'
for rounds in rounds=6 'rounds=row' 'rounds=x.shape(1)+3'; do
    expect 0 out 'd_x: agrees with differences along 4 directions' prove ragged x --rounds "$rounds" $rows
done
expect 1 err 'h_tape' prove ragged x --rounds rounds=5 $rows
expect 2 err 'how many rounds a loop makes at most depends on data: say it by --rounds rounds=N' prove ragged x $rows
expect 2 err '--rounds turns=6: the derived kernel has no such number of rounds' prove ragged x --rounds rounds=6 --rounds turns=6 $rows
expect 2 err '--rounds 6: write NAME=N' prove ragged x --rounds 6 $rows
expect 2 err '--check: rounds: 1.5 is no number of elements or rounds' prove ragged x --rounds rounds=1.5 $rows
expect 2 err '--rounds is for --check, which runs the kernels' "$tilec" grad k.py:ragged --of out --wrt x --rounds rounds=6

# the source is written where it is asked for
expect 0 "" "" prove scale x --grid 1 n=9 x='randn(fp32,9)' out='empty(fp32,9)' BLOCK=16 -o grad.py >/dev/null
expect 0 out 'def scale_grad(' cat grad.py

# the derived kernel, two programs of which walk over five, has a gradient, in which programs meet again
expect 0 "" "" prove rows x,w --grid 5 x='randn(fp32,5x4)' w='randn(fp32,4)' out='empty(fp32,5x4)' row=4 BLOCK=4 -o walked.py >/dev/null
for device in interp cpu sim; do
    expect 0 out 'd_w: agrees' "$tilec" grad walked.py:rows_grad --of d_x --wrt w,d_out --check --quiet --device "$device" --grid 2 \
        x='randn(fp32,5x4)' w='randn(fp32,4)' out='empty(fp32,5x4)' row=4 d_out='randn(fp32,5x4)' d_x='empty(fp32,5x4)' \
        d_w_parts='zeros(fp32,2x4)' programs=5 BLOCK=4
done

# the command line
expect 2 err "how many programs? --grid" prove scale x n=9 x='randn(fp32,9)' out='empty(fp32,9)' BLOCK=16
expect 2 err "--check: \`x\` needs elements, as x=randn(fp32,64)" prove scale x --grid 1 'x:*fp32' out='empty(fp32,9)' n=9 BLOCK=16
expect 2 err "--check: \`x\` needs values, and \`empty\` has none" prove scale x --grid 1 x='empty(fp32,9)' out='empty(fp32,9)' n=9 BLOCK=16
expect 2 err "--device is for --check, which runs the kernels" "$tilec" grad k.py:scale --of out --wrt x --device interp
finish
