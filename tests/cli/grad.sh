#!/bin/sh
# grad.sh TILEC SOURCE - what `tilec grad` writes, and what it refuses, with the place
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
cat >k.py <<'KERNEL'
import triton, elsewhere
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
def read_back(x, out, BLOCK: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK), tl.load(x))
    tl.store(out, tl.load(out) * 2.0)


@triton.jit
def recurrence(x, out, n):
    h = 1.0
    for i in range(n):
        h = h * tl.load(x + i)
    tl.store(out, h)


@triton.jit
def twice(x, out, far: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a = tl.load(x + offsets)
    tl.store(out + offsets, a)
    tl.store(out + far + offsets, 2.0 * a)


@triton.jit
def branch(x, out, n):
    a = tl.load(x)
    if n > 3:
        a = a * a
    tl.store(out, a)


@triton.jit
def sorted_row(x, out, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.sort(tl.load(x + offsets)))


@triton.jit
def multiplied(x, out, BLOCK: tl.constexpr):
    tl.store(out, tl.reduce(tl.load(x + tl.arange(0, BLOCK)), 0, times))


@triton.jit
def times(a, b):
    return a * b


@triton.jit
def rounds(x, out, n, STEP: tl.constexpr):
    for start in range(0, n, STEP):
        offsets = start + tl.arange(0, 16)
        tl.store(out + offsets, tl.load(x + offsets) * 3.0)


@triton.jit
def affine(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@triton.jit
def scanned(x, out, BLOCK: tl.constexpr):
    t = tl.arange(0, BLOCK)
    a = tl.load(x + t)
    _, h = tl.associative_scan((a, a), 0, affine)
    tl.store(out + t, h)


@triton.jit
def sign(x, out):
    tl.store(out, tl.where(tl.load(x) > 0, 1.0, -1.0))


@triton.jit
def carried(x, out, n):
    total = 0.0
    at = x
    for i in range(n):
        for j in range(n):
            total += tl.load(at)
            at += 1
    tl.store(out, total)


@triton.jit
def onward(x, out, n):
    total = 0.0
    at = x
    for i in range(n):
        part = 0.0
        for j in range(n):
            part += tl.load(at)
            at += 1
        total += part * part
    tl.store(out, total)


@triton.jit
def matrix(x, out, n, m, LESS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    inside = lanes <= n if LESS == 1 else lanes < m if LESS == 2 else lanes < n
    at = row * n + lanes
    if LESS == 3:
        at = (row * n + lanes) * 4 + 2 * row
    tl.store(out + row * BLOCK + lanes, tl.load(x + at, mask=inside))


@triton.jit
def quads(x, out, n, APART: tl.constexpr, BLOCK: tl.constexpr):
    at = (tl.program_id(1) * n + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) * 4
    inside = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK) < n
    a = tl.load(x + at, mask=inside)
    b = tl.load(x + at + APART, mask=inside)
    tl.store(out + tl.program_id(1) * 4096 + at, a * b, mask=inside)


@triton.jit
def jumps(x, at, out, n, step):
    h = 1.0
    p = at
    for i in range(0, n, step):
        h = h * tl.load(x + i)
    tl.store(out, h)


@triton.jit
def chased(x, links, out, n):
    h = 1.0
    p = x
    for i in range(n):
        h = h * tl.load(p)
        p += tl.load(links + i)
    tl.store(out, h)


@triton.jit
def gated(a):
    return a * tl.sigmoid(a)  # "of a"


@triton.jit
def through_helpers(x, out, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    a_value_with_a_long_name = tl.load(x + offsets)
    another = gated(tl.where(a_value_with_a_long_name > 2.0, a_value_with_a_long_name, 0.0)) + 1.5
    tl.store(out + offsets, elsewhere.squared(another))


@triton.jit
def in_front(x, out, n):
    value = tl.load(x + tl.program_id(0) * n)
    value_with_a_name_that_leaves_no_room = tl.where(value > 2.0, value * value, value + 1.0)
    tl.store(out + tl.program_id(0), value_with_a_name_that_leaves_no_room * 1.5)


@triton.jit
def five(x, out):
    h = 1.0
    for i in range(0, 10, 2):
        h = h * tl.load(x + i)
    tl.store(out, h)


@triton.jit
def flagged(x, links, out, n):
    h = 1.0
    flag = n > 3
    for i in range(n):
        h = tl.where(flag, h * tl.load(x + i), h + 1.0)
        flag = tl.load(links + i) > 0
    tl.store(out, h)
KERNEL
cat >elsewhere.py <<'KERNEL'
import triton


@triton.jit
def squared(a):
    return a * a
KERNEL

# derive KERNEL WORD... : of out with respect to x, both fp32
derive() {
    kernel=$1
    shift
    "$tilec" grad k.py:"$kernel" --of out --wrt x 'x:*fp32' 'out:*fp32' "$@"
}
elementwise() {
    derive scale n:i32 BLOCK=64 "$@"
}

# names, constants and masks are the forward's; an element that nobody else meets is stored
expect 0 out "def scale_grad(x, out, n, d_out, d_x, BLOCK: tl.constexpr):" elementwise
for text in 'tl.static_assert(BLOCK == 64)' 'offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)' 'area = tl.load(x + offsets,' \
    'tl.store(d_x + offsets, ' 'its elements are stored' 'other=0.0)'; do
    expect 0 out "$text" elementwise
done
elementwise >first.py
elementwise >second.py
expect 0 "" "" cmp first.py second.py
expect 0 "" "" elementwise -o written.py
silent
expect 0 "" "" cmp first.py written.py

# behind a statement stands the line that it comes from, without its comment, once for statements that follow each other;
# its number alone where they are the same, and in front where there is no room; in the kernel's file
# whole TEXT COMMAND... : one of the lines that it prints is TEXT
whole() {
    text=$1
    shift
    "$@" >"$folder/out" 2>"$folder/err"
    grep -qxF -- "$text" "$folder/out" || wrong "no line '$text': $*"
}
whole '    mask = offsets < n  # line 8: area = tl.load(x + offsets, mask=offsets < n)' elementwise
whole '    area = tl.load(x + offsets, mask=mask, other=0.0)' elementwise
whole '    tl.store(d_x + offsets, d_area, mask=mask)  # line 8: area = tl.load(x + offsets, mask=offset...' elementwise
whole '    offsets = tl.arange(0, BLOCK)  # line 160' derive through_helpers BLOCK=16
whole '    t_1 = tl.sigmoid(t)  # line 155: return a * tl.sigmoid(a)' derive through_helpers BLOCK=16
whole '    d_another = tl.load(d_out + offsets) * 2.0 * another  # line 163: tl.store(out + offsets, els...' derive through_helpers BLOCK=16
whole '    # line 170: tl.store(out + tl.program_id(0), value_with_a_name_that_leaves_no_room * 1.5)' derive in_front n:i32
whole '    for back in range(0, n):  # line 28: for i in range(n):' derive recurrence n:i32

# a gradient of a gradient is one more derivation
expect 0 out "def scale_grad_grad(" "$tilec" grad written.py --of d_x --wrt x,d_out \
    'x:*fp32' 'out:*fp32' n:i32 'd_out:*fp32' 'd_x:*fp32' BLOCK=64

# a stride that is not known may be less than a row, and programs share w
shared() {
    "$tilec" grad k.py:rows --of out --wrt x,w 'x:*fp32' 'w:*fp32' 'out:*fp32' row:i32 BLOCK=16 "$@"
}
for text in 'tl.store(d_w_row + offsets, ' 'Where not 16 <= row, d_x is wrong: derive with --atomics=x.' 'def rows_grad_sum(total, parts, n_parts, size,' \
    'd_w_parts: min(grid[0], 256) rows of BLOCK elements, float32; '; do
    expect 0 out "$text" shared
done
# of which a few do the work of all, and sum w's gradient where it is made; so by --stage grad, too
for text in 'Launch it with the grid of rows, but min(grid[0], 256) programs along axis 0: ' '        d_w += t * tl.load(x + at)' \
    '    each = tl.cdiv(programs, walking)' '    for pid in range(first, tl.minimum(first + each, programs)):' '    tl.store(d_w_row + offsets, d_w)'; do
    expect 0 out "$text" shared
done
expect 0 out 'd_w: partial sums: programs along axis 0 meet; min(grid[0], 256) do the work of all; each stores a row of BLOCK' shared --stage grad
expect 0 out 'tl.atomic_add(d_w + offsets, ' shared --atomics
expect 0 out 'd_w: is added to, by atomics: zero it before' shared --atomics

# what is taken for granted is said in what a launch has names for
expect 0 out 'where not 2 * N <= stride, d_x is wrong: derive with --atomics' \
    "$tilec" grad "$source/tests/grad/activations.py:values_and_gates" --of out --wrt x 'x:*fp32' 'out:*fp32' M:i32 N:i32 stride:i32 \
    BLOCK_M=4 BLOCK=16 --stage grad
expect 0 out 'where not (taps // 2) + n <= 16 * grid[0], d_x is wrong: derive with --atomics' \
    "$tilec" grad "$source/tests/grad/blind.py:centred" --of out --wrt x,w 'x:*fp32' 'w:*fp32' 'out:*fp32' n:i32 taps:i32 BLOCK=16 --stage grad

# a program comes to its own elements in several rounds, and to nobody else's
expect 0 out 'd_x: added in order: accesses of one program meet, no two programs do' \
    "$tilec" grad "$source/tests/grad/losses.py:cross_correlation" --of out --wrt x 'x:*fp32' 'y:*fp32' 'out:*fp32' N:i32 D:i32 \
    weight:fp32 BLOCK_N=8 BLOCK=4 --stage grad
# flat indices are told by their parts, rows of images by theirs, elements by quotients
of_kernel() {
    kernel=$1
    shift
    "$tilec" grad "$source/tests/grad/$kernel" --of out --wrt x 'x:*fp32' 'out:*fp32' BLOCK=16 "$@" --stage grad
}
expect 0 out 'd_x: plain store: in the last pass, with what the others hand on' of_kernel flat.py:batch_norm 'w:*fp32' 'b:*fp32' \
    N:i32 C:i32 HW:i32 eps:fp32
expect 0 out 'd_x: plain store: no element is met twice' of_kernel flat.py:channels_last total:i32 C:i32 HW:i32
expect 0 out 'd_x: plain store: no element is met twice' of_kernel flat.py:shuffled total:i32 H:i32 W:i32 R=2
expect 0 out 'd_x: plain store: no element is met twice' of_kernel shared_work.py:chunks_of_rows N:i32 CHUNK:i32
expect 0 out 'd_x: atomics' of_kernel shared_work.py:chunks_that_overlap N:i32 CHUNK:i32
expect 0 out 'd_x: atomics' of_kernel shared_work.py:blocks_that_overlap N:i32 CHUNK:i32
expect 0 out 'd_x: atomics' of_kernel flat.py:one_before total:i32 W:i32 stride:i32
expect 0 out 'd_x: atomics' of_kernel flat.py:two_divisors total:i32 W:i32 V:i32 stride:i32
expect 0 out 'd_x: atomics' of_kernel flat.py:crossed_parts total:i32 W:i32 stride:i32
# a branch that chooses what is loaded is a mask of it, but where it divides
expect 0 out 'd_x: gather: windows overlap' of_kernel window_rows.py:token_shift 'last:*fp32' 'mix:*fp32' T:i32 C:i32
expect 0 out '    before = tl.load(pointers + (t - 1) * C + c, mask=mask & (t > 0), other=0.0)' "$tilec" grad "$source/tests/grad/window_rows.py:but_the_first" \
    --of out --wrt x 'x:*fp32' 'out:*fp32' T:i32 C:i32 BLOCK=16
grep -qE '^ +(if|else)' "$folder/out" && wrong "a branch that chooses what is loaded is no mask"
expect 0 out 'if C > 5:' "$tilec" grad "$source/tests/grad/window_rows.py:arms_that_differ" --of out --wrt w 'x:*fp32' 'w:*fp32' 'out:*fp32' T:i32 \
    C:i32 BLOCK=16
expect 0 out 'where not H * tl.cdiv(grid[0], H) <= grid[0], d_x is wrong' of_kernel window_rows.py:rows_of_images 'w:*fp32' H:i32 \
    W:i32 C:i32
expect 0 out 'd_x: gather: ' of_kernel divided.py:by_quotients 'w:*fp32' n:i32 length:i32 stride:i32 pad:i32 taps:i32
expect 0 out 'd_x: atomics' of_kernel divided.py:nearest 'w:*fp32' n:i32 length:i32 taps:i32

# where each row has keys, softmax of a tile is as books have it; where one has none, 0 stays 0
one_tile() {
    "$tilec" grad "$source/tests/grad/left_out.py:$1" --of out --wrt q,k 'q:*fp32' 'k:*fp32' 'out:*fp32' T:i32 D=16 BLOCK_M=8 BLOCK=16
}
expect 0 out 'd_s = (d_p - tl.sum(d_p * p_1, axis=1)[:, None]) * p_1' one_tile keys_in_one_tile
expect 0 out ' != 0.0, ' one_tile rows_without_keys

# a row is as long as masks say of all that is read of it, else the launch says it
parts() {
    kernel=$1
    shift
    "$tilec" grad "$source/tests/grad/parts.py:$kernel" --of out --wrt w 'x:*fp32' 'w:*fp32' 'out:*fp32' BLOCK=16 "$@"
}
expect 0 out 'd_bias_parts: min(grid[0], 256) rows of (n * 2) elements' \
    "$tilec" grad "$source/tests/grad/parts.py:gates" --of out --wrt bias 'x:*fp32' 'bias:*fp32' 'out:*fp32' n:i32 BLOCK=16
expect 0 out 'd_w_parts: min(grid[0], 256) rows of 13 elements' parts part_of_tile
expect 0 out 'd_w_parts: min(grid[0], 256) rows of w_size elements' parts every_third
expect 0 out 'd_w_parts: min(grid[0], 256) rows of w_size elements' parts either_end n:i32 m:i32
expect 0 out 'd_w_parts: min(grid[0], 256) rows of w_size elements' parts sometimes n:i32 scales:i32

# what both read of an array that neither writes is loaded once
fused=$("$tilec" grad "$source/kernels/cross_entropy.py:cross_entropy_kernel" --call loss --of losses --wrt logits --fused)
[ "$(echo "$fused" | grep -c 'tl.load(targets + row)')" = 1 ] || wrong "the target is loaded twice"

# a factor that occurs twice gets twice the same
expect 0 out 'd_lse = t_1 + t_1 * (z * lse) * 2.0' "$tilec" grad "$source/tests/grad/losses.py:with_z_loss" --of out --wrt x 'x:*fp32' 'out:*fp32' \
    row:i32 z:fp32 BLOCK=16
# a loop that hands nothing to a value adds nothing to its gradient
expect 0 out 'd_t = tl.sum(d_t_lanes, axis=0) + tl.sum(d_t_lanes_1, axis=0)' "$tilec" grad "$source/tests/grad/rows.py:softmax_by_temperature" \
    --of out --wrt x,temperature 'x:*fp32' 'temperature:*fp32' 'out:*fp32' row:i32 BLOCK=16
# what had an axis inserted is multiplied without it
expect 0 out 'error_1[None, :], axis=1) * key_1, axis=0)' "$tilec" grad "$source/tests/grad/recurrences.py:delta_rule" --of out --wrt rate \
    'q:*fp32' 'k:*fp32' 'v:*fp32' 'rate:*fp32' 'out:*fp32' steps:i32 D=8
# rows of D elements, as many as a loop has rounds, or one of them
expect 0 out 'd_x: added in order' "$tilec" grad "$source/tests/grad/recurrences.py:read_twice" --of out --wrt x 'x:*fp32' 'out:*fp32' \
    steps:i32 D=8 --stage grad
expect 0 out 'where not 1 <= steps, d_x is wrong' "$tilec" grad "$source/tests/grad/recurrences.py:first_step" --of out --wrt x \
    'x:*fp32' 'out:*fp32' steps:i32 D=8 --stage grad
# what is moved by an argument is gathered, by what masks say; what no launch can know is not asked for
expect 0 out 'd_x: gather' "$tilec" grad "$source/tests/grad/windows.py:dilated" --of out --wrt x 'x:*fp32' 'out:*fp32' n:i32 step:i32 \
    BLOCK=16 --stage grad
expect 0 out 'where not n <= 16 * stride * grid' "$tilec" grad "$source/tests/grad/stepped.py:strided" --of y --wrt x 'x:*fp32' 'w:*fp32' \
    'y:*fp32' n:i32 m:i32 taps:i32 stride:i32 dilation:i32 pad:i32 BLOCK=16 --stage grad
# .. a round adds to the sum by its name, under a condition
expect 0 out '                gathered += ' "$tilec" grad "$source/tests/grad/stepped.py:strided" --of y --wrt x 'x:*fp32' 'w:*fp32' \
    'y:*fp32' n:i32 m:i32 taps:i32 stride:i32 dilation:i32 pad:i32 BLOCK=16
expect 0 out 'd_x: gather' "$tilec" grad "$source/tests/grad/stepped.py:overlapping_means" --of y --wrt x 'x:*fp32' 'y:*fp32' H:i32 W:i32 \
    OH:i32 OW:i32 BLOCK_H=8 BLOCK_W=8 --stage grad
expect 0 out 'd_x: atomics' "$tilec" grad "$source/tests/grad/stepped.py:known_by_memory" --of y --wrt x 'x:*fp32' 'steps:*i32' 'y:*fp32' \
    n:i32 m:i32 BLOCK=16 --stage grad
grep -q "where not" "$folder/out" && wrong "what is asked for cannot be"

# programs add to blocks that the last one's rounds reach, from the number on that has the block, or if they have it
lags() {
    kernel=$1
    shift
    "$tilec" grad "$source/tests/grad/lags.py:$kernel" --of out --wrt w 'x:*fp32' 'w:*fp32' 'out:*fp32' "$@"
}
expect 0 out 'd_w: its elements are stored, each once.' lags weighted_starts n:i32 LIMIT=3 FIRST=1 BLOCK=8
expect 0 out 'for program_1 in range((start + 7) // 16, t):' lags weighted_starts n:i32 LIMIT=3 FIRST=1 BLOCK=8
expect 0 out 'if start < tl.maximum(program_1 // 2 - 1, program_1 - 3) * 8:' lags grows_by_steps n:i32 BLOCK=8
expect 0 out '            d_m += d_m_1' lags several_blocks T:i32 B:i32 BLOCKS=2 BLOCK_B=4 BLOCK=8 STEP=8

# what a mean hands on is made of sums that are there, without another pass over the row
expect 0 out 't_5 = tl.sum(t_4 * values, axis=0) * t_3 * t_3 * t_3 / n_cols * values' \
    "$tilec" grad "$source/kernels/norms.py:norm_kernel" --call layer --of y --wrt x,weight,bias

# what is not stored need not be 0, and of a row what is the same for all lanes is doubled before it is spread
expect 0 out 'tl.store(d_x + t_1 + columns, d_values_1 - tl.sum(t_4, axis=0) * t_3 / n_cols, mask=inside)' \
    "$tilec" grad "$source/kernels/norms.py:norm_kernel" --call layer --of y --wrt x,weight,bias

# the maximum that softmax takes off may be anything, and so may one that grows in a loop, whose sums fade
measured() {
    kernel=$1
    shift
    "$tilec" grad "$source/tests/grad/references.py:$kernel" --of out --wrt x 'x:*fp32' 'out:*fp32' row:i32 BLOCK=16 "$@"
}
expect 0 out '    tl.store(d_x + t + at, (t_2 - tl.sum(t_2 * t_1, axis=0)) * t_1, mask=mask)' measured sunk
# which is the result that was stored, or made again
expect 0 out '    t_1 = tl.load(out + t + at, mask=mask, other=0.0)' measured sunk
expect 0 out '    t_2 = e / (tl.exp(-top) + tl.sum(e, axis=0))' measured sunk --recompute
expect 0 out '(t_3 - tl.sum(t_3 * t_2, axis=0)) * t_2' measured sunk --recompute
expect 0 out 'no gradient goes through these: out is the same whatever they are' measured log_softmax --stage grad
expect 0 out '    line 16: top = tl.max(a, axis=0)' measured log_softmax --stage grad
expect 0 out 'total = total * fade + weight' measured faded 'v:*fp32'
grep -q total_tape "$folder/out" && wrong "a sum that fades is kept on a tape"
# also where a clamped number, which is an extreme, too, is a factor of the scores
expect 0 out 'no gradient goes through these' "$tilec" grad "$source/tests/grad/unseen.py:att_cosine" --of o --wrt q,k,v,tau 'q:*fp32' 'k:*fp32' \
    'v:*fp32' 'tau:*fp32' 'o:*fp32' N:i32 D=16 BM=16 BN=16 --stage grad
grep -q _tape "$folder/out" && wrong "a clamped temperature makes a tape of attention"
# what several ops go on with is looked at once, or this would take minutes
expect 0 out 'def student_t_grad(' timeout 20 "$tilec" grad "$source/tests/grad/gamma.py:student_t" --of out --wrt x,loc,df 'x:*fp32' 'loc:*fp32' \
    'df:*fp32' 'out:*fp32' n:i32 columns:i32 BLOCK=16
grep -q 'libdevice.copysign(tl.full(\[16\], 1.0, tl.float64), ' "$folder/out" || wrong "libdevice takes no fp32 beside an fp64"
expect 0 out 'd_x: ' measured off_by_one --stage grad
grep -q "no gradient" "$folder/out" && wrong "the maximum in exp(x - m) / (1 + sum) has a gradient"
expect 0 out 'total_tape' measured half_faded 'v:*fp32' --stage grad
grep -q "no gradient" "$folder/out" && wrong "the maximum has a gradient where a sum does not fade"

# what the forward stored is loaded where that spares a pass, as it was stored and nobody overwrote it
stored() {
    kernel=$1
    shift
    "$tilec" grad "$source/tests/grad/saved.py:$kernel" --of out --wrt x 'x:*fp32' 'out:*fp32' BLOCK=16 "$@"
}
for text in '    rstd: as normed left it; a gradient of this one takes it for a constant.' '    average = tl.load(mean + pid)' \
    '    scale = tl.load(rstd + pid)'; do
    expect 0 out "$text" stored normed row:i32 'mean:*fp32' 'rstd:*fp32'
done
grep -qE 'as normed left it|(mean|rstd) \+' "$folder/out" || wrong "nothing is loaded"
expect 0 out 'rstd: read as normed left it, in place of computing it again' stored normed row:i32 'mean:*fp32' 'rstd:*fp32' --stage grad
expect 0 out 'average = tl.sum(t_1, axis=0) / row' stored normed row:i32 'mean:*fp32' 'rstd:*fp32' --recompute
expect 0 out '    out: as scanned left it' derive scanned BLOCK=16
for kernel in 'rounded total:*fp16' 'overwritten total:*fp32' 'shared total:*fp32' 'neighbours total:*fp32' 'by_rounds total:*fp32' \
    'in_one_arm total:*fp32 kept:*i32'; do
    # shellcheck disable=SC2086 # words
    expect 0 out 'd_x: ' stored $kernel row:i32 --stage grad
    grep -q "left it" "$folder/out" && wrong "$kernel: what is loaded is not what was computed"
done

# a gradient of a gradient takes nothing for a constant that the forward computes
"$tilec" grad "$source/kernels/norms.py:norm_kernel" --call rms --of y --wrt x,weight -o "$folder/once.py" > /dev/null
twice() {
    "$tilec" grad "$1:norm_kernel_grad" --of d_x --wrt "$2" 'x:*fp32' 'y:*fp32' 'weight:*fp32' bias=None mean=None 'rstd:*fp32' \
        n_cols:i32 x_row:i32 y_row:i32 eps:fp32 'd_y:*fp32' 'd_x:*fp32' 'd_weight_parts:*fp32' programs:i32 BLOCK=1024
}
expect 1 err "once.py:6:1: error: \`rstd\` would be taken for a constant, which the forward of this kernel computes" twice "$folder/once.py" x
expect 1 err "\`rstd\` would be taken for a constant" twice "$folder/once.py" d_y,weight
expect 0 out 'tl.store(d_d_y + ' twice "$folder/once.py" d_y
"$tilec" grad "$source/kernels/norms.py:norm_kernel" --call rms --of y --wrt x,weight --recompute -o "$folder/anew.py" > /dev/null
expect 0 out 'tl.store(d_x_2 + ' twice "$folder/anew.py" x

# what may be measured from anything is measured from the log of the sum, where that was stored: no pass to know it
expect 0 out '    tl.store(d_x + t + at, ' stored log_sum 'lse:*fp32' row:i32
grep -qF 'tl.max(' "$folder/out" && wrong "the largest and the sum are computed again"
for kernel in "$source/kernels/attention.py:attention_kernel --call full --of out --wrt q,k,v" \
    "$source/kernels/cross_entropy.py:cross_entropy_kernel --call loss --of losses --wrt logits"; do
    # shellcheck disable=SC2086 # words
    expect 0 out 'lse: as ' "$tilec" grad $kernel
    grep -qE '_tape|tl\.max\(|for back' "$folder/out" && wrong "$kernel: what goes before is computed again"
    # shellcheck disable=SC2086
    expect 0 out 'tl.max(' "$tilec" grad $kernel --recompute
    grep -qE 'lse: as |_tape|for back' "$folder/out" && wrong "$kernel --recompute: rounds keep what they began with"
done
for kernel in 'far_away lse:*fp32 row:i32' 'forgotten lse:*fp32 v:*fp32 keys:i32' 'grown lse:*fp32 v:*fp32 keys:i32 n:i32 SHOWN=5' \
    'crossed lse:*fp32 y:*fp32'; do
    # shellcheck disable=SC2086
    expect 0 out 'd_x: ' stored $kernel --stage grad
    grep -q "lse: " "$folder/out" && wrong "$kernel: lse is not what all is measured from"
done

# shifted windows are gathered, but not from lanes that know more than their number
windows() {
    kernel=$1
    shift
    "$tilec" grad "$source/tests/grad/windows.py:$kernel" --of out --wrt x 'x:*fp32' 'out:*fp32' n:i32 BLOCK=16 "$@"
}
expect 0 out 'd_x: its elements are stored, each once.' windows convolution 'w:*fp32' TAPS=5
expect 0 out 'd_x: its elements are stored, each once.' windows convolution_loop 'w:*fp32' taps:i32
expect 0 out 'd_x: its elements are stored, each once.' windows noisy seed:i32
expect 0 out 'gathered, mask=(r < H) & (c < W))' "$tilec" grad "$source/tests/grad/windows.py:depthwise_rounds" --of out --wrt x 'x:*fp32' \
    'w:*fp32' 'out:*fp32' H:i32 W:i32 C:i32 BLOCK_H=8 BLOCK_W=8
grep -q "is_read" "$folder/out" && wrong "depthwise_rounds: masks say which elements there are"
expect 0 out 'is_read' windows not_the_last_lanes 'w:*fp32' taps:i32
expect 0 out 'd_x: is added to, by atomics' windows by_lane 'w:*fp32'
expect 0 out 'd_x: is added to, by atomics' windows by_program 'scale:*fp32'
expect 0 out 'd_x: is added to, by atomics' windows normed
expect 0 out 'd_x: is added to, by atomics' windows beyond

# random numbers are calls again, whatever passes made of Philox
cat >drawn.py <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def uniform(x, y, p, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    keep = tl.rand(seed, i) > p
    tl.store(y + i, tl.where(keep, tl.load(x + i), 0.0))


@triton.jit
def normal(x, y, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i) * tl.randn(seed, i))


@triton.jit
def words(x, y, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    even = tl.randint(seed, i.to(tl.int64) + 5) % 2 == 0
    tl.store(y + i, tl.where(even, tl.load(x + i), 0.0))


@triton.jit
def seven_rounds(x, y, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    even = tl.randint(seed, i, n_rounds=7) % 2 == 0
    tl.store(y + i, tl.where(even, tl.load(x + i), 0.0))
KERNEL
drawn() {
    kernel=$1
    shift
    "$tilec" grad "drawn.py:$kernel" --of y --wrt x 'x:*fp32' 'y:*fp32' seed:i32 BLOCK=16 "$@"
}
expect 0 out 'keep = tl.rand(seed, i) > p' drawn uniform p:fp32
grep -q umulhi "$folder/out" && wrong "uniform: Philox is spelled out"
expect 0 out '* tl.randn(seed, i)' drawn normal
expect 0 out 'even = tl.randint(seed, t) % 2 == 0' drawn words
expect 0 out 'tl.umulhi(' drawn seven_rounds

# -x / y beside x / y is divided once, and several by one tile by its inverse
"$tilec" grad "$source/kernels/giou.py:giou_kernel" --of out --wrt pred 'pred:*fp32' 'gt:*fp32' 'out:*fp32' n_boxes:i32 eps:fp32 \
    BLOCK=256 >out
[ "$(grep -v '#.* / ' out | grep -o ' / ' | wc -l)" -le 2 ] || wrong "giou: more than two divisions"

# the larger and the smaller of two are compared once; in one kernel of both sums come last, which wait for all warps
pairs() {
    "$tilec" grad "$source/tests/grad/pairs.py:overlaps" --of out --wrt p --fused 'p:*bf16' 'g:*bf16' 'out:*fp32' n:i32 eps:fp32 BLOCK=16 "$@"
}
expect 0 out 'inverse = 1.0 / (union + eps)' pairs
expect 0 out 'tl.where(a < c, ' pairs
grep -qE '[abcd] == [abcd]' "$folder/out" && wrong "edges are compared thrice"
tail -n 1 "$folder/out" | grep -q 'tl.store(out + ' || wrong "the sum does not come last"

# of passes over the same elements the last stores what all hand on
layer_norm() {
    "$tilec" grad "$source/tests/grad/strided.py:layer_norm" --of out --wrt x 'x:*fp32' 'w:*fp32' 'b:*fp32' 'out:*fp32' \
        stride:i32 n:i32 eps:fp32 BLOCK=16 "$@"
}
expect 0 out 'd_x: its elements are stored, each once.' layer_norm
expect 0 out 'd_x: plain store: in the last pass, with what the others hand on' layer_norm --stage grad
expect 0 out 'd_x: is added to, by atomics' layer_norm --atomics

# also where passes write one address as different sums, and groups are C // G long, which G times are no more than C
groups() {
    "$tilec" grad "$source/tests/grad/unseen.py:group_norm_nhwc" --of y --wrt x 'x:*fp32' 'w:*fp32' 'b:*fp32' 'y:*fp32' 'mean:*fp32' \
        'rstd:*fp32' HW:i32 C:i32 G:i32 eps:fp32 BP=8 BG=4 --stage grad
}
expect 0 out 'd_x: plain store: in the last pass, with what the others hand on' groups
expect 0 out 'where not 1 <= G, d_x is wrong' groups
[ "$(grep -c "where not" "$folder/out")" = 1 ] || wrong "what is always so is said, too"

# softmax is measured from the log of its sum where its mask is that of the result, if with other types, as of a block
# pointer, and where the maximum begins with a number; so keys of causal attention in two stages have plain stores, and
# those of a window that several heads share one atomic for each block
attend() {
    kernel=$1
    shift
    "$tilec" grad "$source/tests/grad/unseen.py:$kernel" --of o --wrt q,k,v 'q:*fp32' 'k:*fp32' 'v:*fp32' 'o:*fp32' 'lse:*fp32' \
        N:i32 scale:fp32 D=16 BM=16 BN=16 "$@"
}
expect 0 out 'lse: as att_causal_blocks left it' attend att_causal_blocks
expect 0 out 'd_k: its elements are stored, each once.' attend att_causal_blocks
expect 0 out 'lse: as att_window_gqa left it' attend att_window_gqa G:i32 window:i32
expect 0 out 'each program sums what others hand to its own elements, and adds it once' attend att_window_gqa G:i32 window:i32 --stage grad

# of some arrays alone: nothing is taken for granted of these, and the others are as they were
two_of() {
    "$tilec" grad "$source/tests/grad/strided.py:layer_norm" --of out --wrt x,w 'x:*fp32' 'w:*fp32' 'b:*fp32' 'out:*fp32' \
        stride:i32 n:i32 eps:fp32 BLOCK=16 "$@"
}
expect 0 out 'd_x is wrong: derive with --atomics=x' two_of
for text in 'd_x: is added to, by atomics' 'd_w_parts: min(grid[0], 256) rows'; do
    expect 0 out "$text" two_of --atomics=x
done
expect 0 out 'd_w: is added to, by atomics' two_of --atomics=x,w
expect 2 err '--atomics=b: the array is not among those of --wrt' two_of --atomics=b
expect 2 err '--atomics ,x: a name is missing' two_of --atomics=,x

expect 0 out 'd_row + tl.where(columns_2 == picked, d_wanted, 0.0)' "$tilec" grad "$source/tests/grad/picks.py:smoothed_in_passes" \
    --of out --wrt x 'x:*fp32' 'labels:*i64' 'out:*fp32' row:i32 BLOCK=16

# else they are added in their order, the first without waiting for one
passes() {
    kernel=$1
    shift
    "$tilec" grad "$source/tests/grad/rows.py:$kernel" --of out --wrt x 'x:*fp32' 'out:*fp32' row:i32 BLOCK=16 "$@"
}
for kernel in 'by_mean_of_some some:i32' by_mean_of_even; do
    # shellcheck disable=SC2086 # words
    expect 0 out 'd_x: is added to, each element by one program: zero it before.' passes $kernel
done
expect 0 out 'd_x: is added to, by atomics' passes by_mean_of_even --atomics
expect 0 out 'd_x: its elements are stored, each once.' passes online_log_softmax # a maximum for each lane
grep -q _tape "$folder/out" && wrong "what is measured from lanes' maxima has a tape"
barriers=$(passes by_mean_of_even | grep -c 'tl.debug_barrier()')
[ "$barriers" = 1 ] || wrong "$barriers barriers between two passes"

# rounds that go on where the last one ended store each element once; those that overlap do not
expect 0 out 'tl.store(d_x + ' derive rounds n:i32 STEP=16
expect 1 err "k.py:69:9: error: it cannot be shown that each element of \`out\` is stored once" derive rounds n:i32 STEP=8

# rows by a width that is known at run time: stored where the mask says that a row ends before the next
stored='d_x: its elements are stored, each once'
added='d_x: is added to, by atomics'
expect 0 out "$stored" derive matrix n:i32 m:i32 LESS=0 BLOCK=16
for less in 1 3; do
    expect 0 out "$added" derive matrix n:i32 m:i32 LESS=$less BLOCK=16
done

# or where the call is to say so: an assertion, which --atomics needs none of
expect 0 out 'tl.device_assert(m <= n, "d_x is wrong: derive with --atomics")' derive matrix n:i32 m:i32 LESS=2 BLOCK=16
expect 0 out 'Where not m <= n, d_x is wrong: derive with --atomics.' derive matrix n:i32 m:i32 LESS=2 BLOCK=16
expect 0 out "$added" derive matrix n:i32 m:i32 LESS=2 BLOCK=16 --atomics
expect 0 out "$stored" derive quads n:i32 APART=3 BLOCK=16
expect 0 out "$added" derive quads n:i32 APART=4 BLOCK=16

# a tape for what rounds began with
expect 0 out 'h_tape: a workspace of n * 4 bytes, float32: h before each round.' derive recurrence n:i32
expect 1 err "k.py:138:5: error: rounds of a loop whose step is known only at run time" "$tilec" grad k.py:jumps --of out --wrt x \
    'x:*fp32' 'at:*fp32' 'out:*fp32' n:i32 step:i32
expect 1 err "and what \`flag\` was in each cannot be told: compute it from the loop's variable" "$tilec" grad k.py:flagged --of out --wrt x \
    'x:*fp32' 'links:*i32' 'out:*fp32' n:i32
# a pointer that moves on by what a round reads is a number of elements
for text in 'p_offset_tape: a workspace of n * 8 bytes, int64: p_offset before each round.' \
    'p_offset += tl.load(links + i).to(tl.int64)  # line 149: p += tl.load(links + i)'; do
    expect 0 out "$text" "$tilec" grad k.py:chased --of out --wrt x 'x:*fp32' 'links:*i32' 'out:*fp32' n:i32
done

# refused, with the line
expect 1 err "k.py:22:19: error: the kernel reads an array that it writes" derive read_back BLOCK=16
expect 1 err "k.py:21:5: note: written here" derive read_back BLOCK=16
expect 1 err "k.py:37:5: error: it cannot be shown that each element of \`out\` is stored once" derive twice far=8 BLOCK=16
expect 1 err "k.py:38:5: note: stored here, too" derive twice far=8 BLOCK=16
expect 0 out 'tl.store(d_x + offsets, ' derive twice far=16 BLOCK=16
expect 0 out "    if n > 3:" derive branch n:i32
expect 0 out "(t[None, :] <= t[:, None])" derive sorted_row BLOCK=16
expect 0 out "tl.cumprod(t, axis=0, reverse=True)" derive multiplied BLOCK=16
expect 0 out "tl.associative_scan((a, a), 0, scanned_grad_combine)" derive scanned BLOCK=16 --recompute
expect 1 err "k.py:94:5: error: a pointer is carried on from a loop that has ended" derive carried n:i32
expect 1 err "k.py:105:5: error: a pointer is carried on from a loop that has ended" derive onward n:i32
expect 1 err "no gradient of \`out\` reaches \`x\`" derive sign
expect 1 err "\`out\` cannot be differentiated by itself" "$tilec" grad k.py:scale --of out --wrt out 'x:*fp32' 'out:*fp32' n:i32 BLOCK=64
expect 1 err "\`x\` is given twice" "$tilec" grad k.py:scale --of out --wrt x,x 'x:*fp32' 'out:*fp32' n:i32 BLOCK=64
expect 1 err "\`n\` is no array of floats" "$tilec" grad k.py:scale --of out --wrt n 'x:*fp32' 'out:*fp32' n:i32 BLOCK=64
expect 1 err "\`n\` is a number, and gradients are of arrays" "$tilec" grad k.py:scale --of out --wrt n 'x:*fp32' 'out:*fp32' n:fp32 BLOCK=64
expect 1 err "the kernel stores nothing to \`x\`" "$tilec" grad k.py:scale --of x --wrt out 'x:*fp32' 'out:*fp32' n:i32 BLOCK=64

# halves of pairs are split and joined, arms of a choice one choice; a minus is one; halves of doubles are whole
judged="$source/tests/grad/judged.py"
expect 0 out 'first, second = tl.split(d_t_1)' "$tilec" grad "$judged:hadamard" --of out --wrt x 'x:*fp32' 'out:*fp32' n:i32 LOG=2 BLOCK=4
grep -qF 'd_t_2 = tl.join(d_a, d_b)' "$folder/out" || wrong "what was split is not joined"
grep -qE 'tl.where|lanes' "$folder/out" && wrong "it chooses by index"
expect 0 out 'd_p = tl.where(mask_1, d_p1, d_rest)' "$tilec" grad "$judged:top2_gate" --of weights --wrt logits 'logits:*fp32' \
    'weights:*fp32' 'ids:*i32' E:i32 BLOCK=8
expect 0 out 'd_A -= d_a * t_5' "$tilec" grad "$judged:mamba_scan" --of out --wrt A 'u:*fp32' 'delta:*fp32' 'A:*fp32' 'Bm:*fp32' 'Cm:*fp32' \
    'Dp:*fp32' 'z:*fp32' 'out:*fp32' L:i32 D:i32 N=4 BD=4
expect 0 out 'd_bv = ' "$tilec" grad "$judged:clip_loss" --of loss --wrt a,b 'a:*fp32' 'b:*fp32' 'log_temp:*fp32' 'loss:*fp32' N:i32 D=8 BN=4
grep -qE '0\.5|2\.0' "$folder/out" && wrong "half of twice as much"
fresh="$source/tests/grad/fresh.py"
expect 0 out 'd_d = tl.where(mask, d_loss, 0.0) / beta * d + t' "$tilec" grad "$fresh:smooth_l1_mean" --of Loss --wrt X 'X:*fp32' 'Y:*fp32' \
    'Loss:*fp32' n:i32 beta:fp32 BLOCK=16
expect 0 out '+ d_a_cubed * t_1 * 3.0' "$tilec" grad "$fresh:geglu_tanh" --of C --wrt A 'A:*fp32' 'B:*fp32' 'C:*fp32' stride:i32 n_cols:i32 BLOCK=16
expect 0 out '(d_r * (r * (r * r)) * (-0.125))[:, None] * q' "$tilec" grad "$fresh:qk_norm_heads" --of Out --wrt Q 'Q:*fp32' 'W:*fp32' \
    'Out:*fp32' n_tokens:i32 n_heads:i32 eps:fp32 D=8 BLOCK_H=4
expect 0 out 'tl.where(t_1 > 0.0, t_2, 0.0)' "$tilec" grad "$fresh:triplet_margin" --of Loss --wrt A 'A:*fp32' 'P:*fp32' 'N:*fp32' \
    'Loss:*fp32' D:i32 margin:fp32 eps:fp32 BLOCK_D=16
expect 0 out 'd_s = d_p * p' "$tilec" grad "$fresh:cross_attention" --of O --wrt Q,K,V 'Q:*fp32' 'K:*fp32' 'V:*fp32' 'O:*fp32' \
    'Lse:*fp32' TQ:i32 TK:i32 scale:fp32 D=16 BM=16 BN=16
grep -qF '!= 0.0' "$folder/out" && wrong "it guards what is 0 in lanes that are left out"

# what is kept of loops that go backwards
expect 0 out 'h_tape: a workspace of triton.cdiv(n, 3) * 4 bytes, float32: h before each round of a part.' derive recurrence n:i32 --tape 3
expect 0 out 'h_points: a workspace of 3 * 4 bytes, float32: h before the first round of each part.' derive recurrence n:i32 --tape 3
expect 0 out 'h_tape: a workspace of n * 4 bytes' derive recurrence n:i32 --tape keep
derive five --tape 5 | grep -q '_points' && wrong "points of a loop of no more rounds than these"
expect 0 out 'for back in range(' derive recurrence n:i32 --tape recompute
grep -qE '_tape|_points' "$folder/out" && wrong "a workspace without a tape"
expect 2 err "--tape some: it is \`keep\`, \`recompute\`, or of how many rounds" derive recurrence n:i32 --tape some
expect 2 err "--tape needs a whole number of 1 or more, not '0'" derive recurrence n:i32 --tape 0

# forward and backward in one kernel
expect 0 out '    tl.store(out + ' derive scale n:i32 BLOCK=64 --fused
grep -qF '"""What scale does, and gradients of out with respect to x.' "$folder/out" || wrong "it does not say what it does"

# the command line
expect 2 err "--of NAME is missing" "$tilec" grad k.py:scale --wrt x
expect 2 err "--wrt NAME is missing" "$tilec" grad k.py:scale --of out
expect 2 err "grad has one stage, --stage grad" "$tilec" grad k.py:scale --of out --wrt x --stage ir
expect 0 out "d_x: plain store: no element is met twice" derive scale n:i32 BLOCK=64 --stage grad
expect 2 err "has no parameter 'z'" "$tilec" grad k.py:scale --of out --wrt z
finish
