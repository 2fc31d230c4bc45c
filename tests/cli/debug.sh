#!/bin/sh
# debug.sh TILEC SOURCE - the prompt of `tilec debug`: what its commands show, where they go, what they refuse
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
cat >k.py <<'KERNEL'
import triton
import triton.language as tl

HALF: tl.constexpr = 0.5


@triton.jit
def centre(v, inside):
    mean = tl.sum(tl.where(inside, v, 0.0)) * HALF
    return v - mean


@triton.jit
def rows(out, x, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * stride + at, mask=inside, other=-1.0)
    centred = centre(v, inside)
    tl.device_print("row", row)
    tl.store(out + row * columns + at, tl.log(centred), mask=inside)


@triton.jit
def sums(out, x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) + tl.program_id(0))


@triton.jit
def doubled(out, x, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(out + at, v)
    tl.store(out + at, 2 * v + tl.where(v == 6, 1, 0))


@triton.jit
def grows(out):
    total = 1.0
    for k in range(3, 6):
        total *= 1e20
    tl.store(out, total)


@triton.jit
def fades(out, x, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at[:, None] * N + at[None, :])
    for k in range(3):
        v = tl.dot(v, v) / tl.sum(v)
        w = tl.exp(v - tl.max(v))
        v = v + w * k
    tl.store(out + at, tl.sum(v * 1e38, axis=1))
KERNEL

# debug COMMANDS [WORD...] : the commands, with ; between them, on 3 rows of 5
grid=3
stride=5
debug() {
    commands=$1
    shift
    echo "$commands" | sed 's/ *; */\n/g' >script
    "$tilec" debug k.py:rows --grid "$grid" x='arange(fp32,3x5)' out='empty(fp32,3x5)' columns=5 stride="$stride" BLOCK=8 \
        -x script "$@"
}

# where it begins, and that the end of the commands is the end
expect 0 out "program (0, 0, 0), rows at k.py:15" debug 'list'
expect 0 out "   15 >     row = tl.program_id(0)" debug 'list'
expect 0 out "stride = 5  (i32)" debug 'info'
expect 0 out "x: array, fp32 3x5  min 0.  max 14.  mean 7" debug 'info'
expect 0 out "the launch has ended" debug 'continue'
# a run that does not end is stopped where it is
cat >hang.py <<'END'
import triton
import triton.language as tl


@triton.jit
def hang(flag):
    while tl.atomic_add(flag, 0) == 0:
        pass
END
printf 'c\nprint flag\n' >hangs
expect 0 out "interrupted, program (0, 0, 0), hang at hang.py:7" "$tilec" debug hang.py --grid 2 flag='zeros(i32,1)' \
    --timeout 0.2 -x hangs
grep -q '^flag: i32 1  min 0  max 0' out || wrong "no prompt behind it"

# what the last statement of a loop's body makes is told there, and not at the loop's beginning
printf 'catch inf\nc\nprint k\nprint total\n' >grows
expect 0 out "program (0, 0, 0), grows at k.py:42" "$tilec" debug k.py:grows --grid 1 out='empty(fp32,1)' -x grows
grep -qx 'k = 4  (i32)' out && grep -qx 'total = inf  (fp32)' out || wrong "names at the end of a loop's body"
expect 0 err "hint: line 16 gives \`at\` its value, which it does not have here" debug 'print at'
expect 0 err "hint: \`info\` lists the names that mean something here" debug 'print att'
expect 0 out "(2, 0, 0) row: 2" debug 'continue'

# moves
expect 0 out "centre at k.py:9" debug 'b 19; c; step'
expect 0 out "#1  rows at k.py:19" debug 'b 19; c; step; where'
expect 0 out "rows at k.py:20" debug 'b 19; c; next'
expect 0 out "rows at k.py:20" debug 'b centre; c; finish; finish'
expect 0 out "rows at k.py:17" debug 'step 3; back'
expect 0 out "program (2, 0, 0), rows at k.py:15" debug 'program 2'
expect 0 out "program (1, 0, 0), rows at k.py:15" debug 'program 2; program 1'
expect 0 out "breakpoint 1, program (2, 0, 0), rows at k.py:19" debug 'b 19 program 2; c; c; rc'
expect 0 out "breakpoint 1, program (1, 0, 0), rows at k.py:19" debug 'b 19 if row == 1; run'
expect 0 out "breakpoint 3 at k.py:15, where the next statement begins" debug 'b 18; delete; b k.py:19; b 13'
expect 0 err "begins in line 11, or behind it in the same function" debug 'b 11'
expect 0 out "breakpoint 1, program (2, 0, 0), rows at k.py:15" debug 'b 15 hits 3; run'
expect 0 out "breakpoint 1, program (1, 0, 0), rows at k.py:16" debug 'b 16 if row >= 0 hits %2; run'
expect 0 out "breakpoint 1 at k.py:16 program 1,*,* if row > 0 hits >=2" debug 'b 16 program 1,* hits >1 if row > 0; i stops'
expect 0 err "hits 0: write 3, >=3, >3 or %3" debug 'b 15 hits 0'
expect 0 out "row 2: fp32 8" debug 'log 19 row {row}: {v}; c'
grep -q "^row 0: fp32 8  min" out || wrong "no log of the first program"
expect 0 out "log point 1 at k.py:19: {row}" debug 'log k.py:19 {row}; i stops'
expect 0 err "log what?" debug 'log 19'
expect 0 out "no breakpoints and no watches" debug 'b 18; watch out[0,1]; delete; info stops'

# what a program prints is said once, and not lost where one stood in front of it
expect 0 out "(0, 0, 0) row: 0" debug 'b 20; c; back; next; next'
[ "$(grep -c 'row: ' "$folder/out")" = 1 ] || wrong "row is not printed once"
expect 0 out "(0, 0, 0) row: 0" debug 'b 20; c; next; back; back; next; next'
[ "$(grep -c 'row: ' "$folder/out")" = 1 ] || wrong "row is not printed once"

# values: names, expressions of the kernel's language, arrays, the caller's
expect 0 out "0  5.  6.  7.  8.  9.  (-1.)  (-1.)  (-1.)" debug 'b 19 program 1; c; print v'
expect 0 out "tl.sum(tl.where(inside, v, 0.0)) / columns = 7.  (fp32)" \
    debug 'b 19 program 1; c; print tl.sum(tl.where(inside, v, 0.0)) / columns'
expect 0 out "centre(v, inside)[4] = -8.5  (fp32)" debug 'b 19 program 1; c; print centre(v, inside)[4]'
expect 0 out "[1,0]  [1,1]  [1,2]  [1,3]  [1,4]  [2,0]" debug 'b 19 program 1; c; print x + row * stride + at'
expect 0 out "x[1:,2].sum() = 19.0" debug 'print x[1:,2].sum()'
expect 0 out "(BLOCK, HALF) = (8, 0.5)" debug 'print (BLOCK, HALF)'
expect 0 out "HALF * 4" debug 'print HALF * 4'
expect 0 out "row = 0  (i32)" debug 'b centre; c; up; print row'
expect 0 out "mean = 5.  (fp32)" debug 'b 10; c; print mean'

# .. at the place of the program, in its grid
cubic() {
    echo "$1" | sed 's/ *; */\n/g' | "$tilec" debug k.py:sums --grid 2,3,4 x='ones(fp32,8)' out='zeros(fp32,8)' BLOCK=8
}
for axis in '0@1 2' '1@2 3' '2@3 4'; do
    place=tl.program_id\(${axis%@*}\) size=tl.num_programs\(${axis%@*}\)
    set -- ${axis#*@}
    expect 0 out "$place = $1  (i32)" cubic "program 1,2,3; print $place"
    expect 0 out "$size = $2  (i32)" cubic "program 1,2,3; print $size"
    expect 0 out "breakpoint 1, program (1, 2, 3), sums at k.py:27" \
        cubic "b 27 program 1,2,3 if $place == $1 and $size == $2; c"
    expect 0 out "the launch has ended" cubic "b 27 program 1,2,3 if $place != $1 or $size != $2; c"
done
expect 0 out "breakpoint 1, program (1, 2, 0), sums at k.py:27" cubic 'b 27 if tl.program_id(1) == 2; c; c'

# what stops by itself
expect 0 out "watch 1: k.py:21: out[1,3] was nan, now nan" debug 'watch out[1,3]; c'
expect 0 out 'k.py:21: `log` makes NaN: 8 of 8 elements, the first at [0]' debug 'catch nan; c'
fades() {
    echo "$1" | sed 's/ *; */\n/g' >script
    "$tilec" debug k.py:fades --grid 2 x='rand(fp32,16x16)' out='empty(fp32,16)' N=16 -x script
}
expect 0 out 'k.py:54: `add` of a tile'\''s elements makes an infinity: 16 of 16 elements, the first at [0]' fades 'catch inf; c'
# going back takes products and functions as they were: all values are the same, whichever way one comes there
expect 0 out "k = 2  (i32)" fades 'b 53 hits 3; c; info; bk 5; n 5; info; rc; c; info; program 1; program 0; c; info'
grep '^[vw]: ' out | sort | uniq -c | awk '$1 != 4 { exit 1 } END { exit NR != 2 }' || wrong "values that are others on the way back"
stride=6
expect 0 out "load of x[3, 0] is outside of its shape (3, 5)" debug 'c; info'
expect 0 out "program (2, 0, 0), rows at k.py:18" debug 'c; info'
expect 0 err "the launch fails here: \`back\` and \`reverse-continue\` go back" debug 'c; c'
expect 0 out "rows at k.py:17" debug 'c; back 2'
stride=5
raced() {
    printf 'continue\n' | "$tilec" debug k.py:sums --grid 2 x='ones(fp32,8)' out='zeros(fp32,8)' BLOCK=8 --check
}
expect 0 out "error: race: store to out[0], which program (0, 0, 0) changes" raced
# asked for at the prompt, wherever the run stands
hunts() {
    echo "$1" | sed 's/ *; */\n/g' >script
    "$tilec" debug k.py:sums --grid 2 x='ones(fp32,8)' out="$2" BLOCK=8 -x script
}
expect 0 out "the launch has ended" hunts 'c' 'zeros(fp32,8)'
expect 0 out "error: race: store to out[0], which program (0, 0, 0) changes" hunts 'program 1; catch race; c' 'zeros(fp32,8)'
expect 0 out "program (0, 0, 0), sums at k.py:26" hunts 'program 1; n; catch race' 'zeros(fp32,8)'
expect 0 out "breakpoint 1, program (1, 0, 0), sums at k.py:27" hunts 'b 27 hits 2; c; catch race; c; rc; c; back; c' 'zeros(fp32,8)'
expect 0 out "error: race" hunts 'c; catch uninitialised; c; back; c' 'zeros(fp32,8)'

# the first element that is not what it should be, and the last write to it
differs() {
    printf 'break 34\ndiffer\nprint at\n' | "$tilec" debug k.py:doubled --grid 3 x='arange(fp32,3x4)' out='empty(fp32,3x4)' \
        BLOCK=4 --compare "$1"
}
expect 0 out "out: differs from 2*x in 1 of 12 elements" differs out='2*x'
expect 0 out "watch 2: k.py:35: out[1,2] was 6., now 13." differs out='2*x'
expect 0 out "0   4   5   6   7" differs out='2*x'
expect 0 out "out: agrees with cpu in 12 elements" differs out=cpu
expect 0 err "no names are left" differs cpu
# and what another version, or another value, makes of it
sed 's/ + tl.where(v == 6, 1, 0)//' k.py >fixed.py
against() {
    printf 'differ\ncontinue\n' | "$tilec" debug k.py:doubled --grid 3 x='arange(fp32,3x4)' out='empty(fp32,3x4)' BLOCK=4 --against "$1"
}
expect 0 out "out: differs from fixed.py:doubled in 1 of 12 elements" against fixed.py
expect 0 out "k.py:35: what is stored is 13., and in fixed.py:doubled 12.: 1 of 4 elements differ, the first at [2]" against fixed.py
expect 0 out "watch 1: k.py:35: out[1,2] was 6., now 13." against fixed.py
expect 0 out "out: agrees with BLOCK=2 grid=6 in 12 elements" against BLOCK=2,grid=6
expect 3 err "nowhere.py: No such file" against nowhere.py
expect 0 out "out: agrees with sim in 12 elements" against sim
expect 2 err "'cpuu' is no device; did you mean 'cpu'?" against cpuu
expect 0 err "nobody has said what arrays should be" debug 'differ'

# the first value that a name has there and not here: in the second round of the second program, in a helper
cat >new.py <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def grown(v, i):
    w = v + i
    return w * 2


@triton.jit
def work(out, x, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + at)
    for i in range(3):
        v = grown(v, i)
    tl.store(out + at, v)
KERNEL
sed 's/w = v + i$/w = v + i + tl.where((v == 12) \& (i == 1), 1, 0)/' new.py >old.py
sed '/^    w = /d; s/w \* 2/(v + i) * 2 + tl.where((v == 12) \& (i == 1), 1, 0)/' new.py >older.py
newer() {
    echo "$1" | sed 's/ *; */\n/g' >script
    "$tilec" debug new.py:work --grid 2 x='arange(fp32,8)' out='empty(fp32,8)' N=4 -x script --against "$2"
}
expect 0 out 'new.py:7: `w` is 13., and in old.py:work 14.: 1 of 4 elements differ, the first at [2]' newer 'differ; info; up; info' old.py
grep -q '^program (1, 0, 0), grown at new.py:8' out && grep -q '^i = 1 ' out || wrong "not the place of it"
expect 0 out 'new.py:16: `v` is 26., and in older.py:work 27.: 1 of 4 elements differ, the first at [2]' newer 'differ' older.py
expect 0 out 'watch 1: new.py:17: out[6] was nan, now 56.' newer 'differ; continue' old.py
[ "$(grep -c '1 of 8 elements (12' out)" = 1 ] || wrong "not one comparison"
expect 0 out '1 of 8 elements (12' newer 'b 15; differ; c; rc; differ' old.py
! grep -q ' [2-9] of 8 elements' out || wrong "what differs is counted twice"
expect 0 out "out: agrees with new.py:work in 8 elements" newer 'differ' new.py
# of other grids there are results alone
expect 0 out 'watch 1: new.py:17: out[6] was nan, now 56.' newer 'differ' old.py,N=2,grid=4

# values of a device: its products are rounded to tf32, and its sums have another order, so that it goes another way
cat >device.py <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def twice(v):
    w = v * 2
    return w


@triton.jit
def product(out, a, b, K, N: tl.constexpr):
    i = tl.arange(0, N)
    acc = tl.zeros((N, N), tl.float32)
    for k in range(0, K, N):
        x = tl.load(a + i[:, None] * K + k + i[None, :])
        y = tl.load(b + (k + i[:, None]) * N + i[None, :])
        acc = tl.dot(twice(x), y, acc, input_precision="tf32")
    tl.store(out + i[:, None] * N + i[None, :], acc + 1)


@triton.jit
def parts(out, x, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i)
    if tl.sum(v).to(tl.int32, bitcast=True) % 2 == 0:
        z = v + 1
    else:
        z = v - 1
    tl.store(out + i, z)


@triton.jit
def lines(out, x, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i)
    for k in range(40):
        v = v + k
    tl.store(out + i, v)
KERNEL
on() {
    what=$1
    shift
    echo "$what" | sed 's/ *; */\n/g' >script
    "$tilec" debug -x script "$@"
}
product="device.py:product --grid 1 a=rand(fp32,16x32) b=rand(fp32,32x16) out=empty(fp32,16x16) K=32 N=16"
parts="device.py:parts --grid 8 x=rand(fp32,8x1024) out=zeros(fp32,8x1024) N=1024"
"$tilec" run $product --device sim --save out=product.npy >/dev/null || wrong "no product"
# what it stores and has there is what sim computes, bit for bit; the interpreter is not as near
expect 0 out "out: agrees with @product.npy in 256 elements; greatest error 0" on 'differ' $product --device sim --compare out=@product.npy,0,0
expect 0 out "out: differs from @product.npy" on 'differ' $product --compare out=@product.npy,0,0
expect 0 out "device.py:18: \`acc\` is " on 'differ' $product --against sim
grep -q "and on sim" out && grep -q "^program (0, 0, 0), product at device.py:18" out || wrong "not the first value"
expect 0 out "out: agrees with sim" on 'b 18; c; p k; c; p k; back; p x[:2]; b twice; rc; n; info; c; differ' $product --device sim --against sim
# two devices
expect 0 out "device.py:18: \`acc\` is " on 'differ' $product --device sim --against interp
grep -q "and on interp" out && grep -q "^program (0, 0, 0), product at device.py:18" out || wrong "not the first value of two devices"
expect 0 out "device.py:18: \`acc\` is " on 'differ' $product --device cpu --against sim
expect 0 out "out: agrees with sim" on 'differ' $product --device sim --arch sm_90a --against sim
# which way it goes, too
expect 0 out "device.py:26: the condition is True, and on sim False" on 'differ' $parts --against sim
expect 0 out "out: agrees with sim" on 'b 30 program 5; c; back; c; differ' $parts --device sim --against sim
grep -q "^program (5, 0, 0), parts at device.py:29" out || wrong "the way of the interpreter"
! grep -q "another way" out || wrong "values are not those of sim"
expect 0 out "out: agrees with cpu" on 'catch nan; b 30 program 6; c; p i[:2]; program 0; differ' $parts --device cpu --against cpu
expect 0 out "tl.max(z) = 1.9999161  (fp32)" on 'b 30 program 6; c; p tl.max(z); watch out[7,0]; c; p v[0]' $parts --device sim
grep -q "^watch 2: device.py:30: out\[7,0\] was 0., now " out || wrong "no watch"
# more values than there is room for at a time: of as many programs as there is
expect 0 out "out: agrees with sim" on 'c; program 3; c; differ' device.py:lines --grid 40 x='rand(fp32,40x16384)' out='zeros(fp32,40x16384)' N=16384 --device sim --against sim
! grep -q "interpreter's" out || wrong "values are the interpreter's"
expect 2 err "there is no device \`simm\`" on c $product --device simm
expect 1 err "no code can be made for" on c $product --device sim --arch sm_12
expect 0 out "\"text\": " on 'b 18; c; p acc[0,0]' $product --device sim --json

# the calls of kernels/: each value is there on the other device, in the same order
calls="matmul.py:matmul_kernel=tails attention.py:attention_kernel=odd"
[ -z "${TILEC_THOROUGH:-}" ] || calls=$(for f in "$source"/kernels/*.py; do "$tilec" list --json "$f"; done | tr ',{' '\n\n' | awk -F'"' '
    /"kernel": / { kernel = $4 } /"file": / { file = $4; sub(".*/", "", file) }
    /"calls": / { in_calls = 1; $0 = substr($0, index($0, "[")) }
    in_calls { if (/"[^"]+"/) print file ":" kernel "=" $2; if (/\]/) in_calls = 0 }')
for call in $calls; do
    for device in sim cpu; do
        expect 0 out "the launch has ended" on c "$source/kernels/${call%%=*}" --call "${call#*=}" --device $device
        ! grep -q "interpreter's" out || wrong "$call goes another way on $device"
    done
done
[ -z "${TILEC_THOROUGH:-}" ] || [ "$(echo "$calls" | wc -l)" -gt 50 ] || wrong "not the calls of kernels/"

# what was typed, again, and on from there
expect 0 out "mean = 17.5  (fp32)" debug 'list; record walk; b 10 program 1; c; p mean; quit'
printf '%s\n' 'b 10 program 1' c 'p mean' | cmp -s - walk || wrong "the record is not what was typed"
expect 0 out "row = 1  (i32)" debug 'replay walk; up; p row'
expect 0 out "breakpoint 2 at k.py:15" debug 'record again; replay walk; b 15; record; up'
{ cat walk && echo 'b 15'; } | cmp -s - again || wrong "the record is not what was replayed"
echo 'replay self' >self
expect 0 err "replays itself" debug 'replay self; p columns'
grep -qF "columns = 5  (i32)" "$folder/out" || wrong "no prompt behind what replays itself"
expect 0 err "nowhere: No such file" debug 'replay nowhere'
expect 0 err "nowhere/walk: No such file" debug 'record nowhere/walk'

# arrays in expressions, by their elements, with names of the place in the index
for pair in 'tl.max(abs(v[:5] - x[row,:]))@= 0.  (fp32)' 'x[row,1:3] + v[:2]@0  11.  13.' 'x[row,columns-1]@= 9.  (fp32)' 'v[0] == x[row,0]@= True  (i1)'     'tl.sum(x[:])@= 105.  (fp32)' 'x[0][1:3] * tl.program_id(0)@0  1.  2.' 'x[row].sum() / columns@= 7.0'; do
    expect 0 out "${pair#*@}" debug "b 19 program 1; c; print ${pair%%@*}"
done
expect 0 out "breakpoint 1, program (2, 0, 0), rows at k.py:19" debug 'b 19 if x[row,0] > 5 + tl.sum(x[0,1:2]); c'
expect 0 out "first 5. of 5." debug 'log 19 first {v[0]} of {x[row,0] + 0}; c'
# they change nothing
expect 0 err "changes no array, which its \`store\` would" debug 'print tl.store(out, 3.0); print out[0,0]'
grep -q '^out\[0,0\] = nan' out || wrong "an expression has changed an array"

# refused, and the prompt goes on
for command in 'print colums + 1@`colums` is not defined' 'print row +@the expression is not complete' 'print tl.sum(at@this `(` is never closed' \
    'print centre@cannot convert function centre to tensor' 'list 999@has no line 999' \
    'list 9999999999@has no line 9999999999' 'up 99999999999999999999@nobody calls' 'b centre; c; up; up 99999999999999999999@nobody calls' 'print x[9,9]@outside dimension' 'breack 3@did you mean '\''break'\''' \
    'break 400@no statement' 'break nobody@no function that this kernel calls' 'program 3@no program of the grid 3x1x1' \
    'step -1@not a number of times' 'watch columns@no element of an array' 'watch x[0]@is not one element' \
    'catch zero@nan, inf' 'catch@catch what?' 'up@nobody calls' 'down@innermost' 'back@where the launch begins' 'list 99@no line' \
    'print@print what?' 'pr 1@begins several commands' 'delete 7@no breakpoint or watch 7' 'picture columns@cannot be drawn' \
    'print row)@nothing opens this `)`' 'print row # it@a comment' 'b 19 if@an expression is missing' 'b 19 program@program which?' \
    'b 19 if v >@the expression is not complete' 'b 19 if (v > 3@this `(` is never closed' 'b 15 if row@line 15 gives `row` its value' \
    'b 19 if nobody > 1@`nobody` is not defined' 'b 19 if v > 3@is ambiguous' 'b centre if row == 1@`row` is not defined' \
    'b 19; c; print v + x[nobody]@nobody'\'' is not an earlier argument' 'b 19; c; print v[:3] + x[0]@    v[:3] + x[0]' 'b 19; c; print v + x[0]@incompatible' \
    'print x * 2@hint: x[:] is what an array has' 'print abs(x)@hint: x[:] is what' 'print x[row]@row' \
    'log 19 {row +}@the expression is not complete' 'log 19 {row} {}@an expression is missing' 'watch@watch what?' \
    'info nothing@`info stops`' 'help nothing@there is no command' 'b 19 program 1,2@no program of the grid'; do
    expect 0 err "${command#*@}" debug "${command%%@*}; print columns"
    grep -qF "columns = 5  (i32)" "$folder/out" || wrong "no prompt behind ${command%%@*}"
    ! grep -q '__' "$folder/err" || wrong "a line is shown that nobody has typed"
done
# the place of what is wrong with a condition
expect 0 err "       ^" debug 'b 19 if v >'
expect 0 out "no breakpoints and no watches" debug 'b 19 if v >; b 19 if nobody; log 19 {nobody}; info stops'
expect 0 out "breakpoint 1 at k.py:9 if tl.sum(v) > HALF" debug 'b 9 if tl.sum(v) > HALF; info stops'
expect 0 out "nothing is displayed" debug 'display'
expect 0 err "no names are left" debug 'continue; info'
expect 0 err "the launch has ended: \`back\`" debug 'continue; step'
expect 0 out "rows at k.py:21" debug 'continue; back'

# the command line
expect 0 out "columns = 5  (i32)" sh -c 'echo "p columns" | "$@"' sh "$tilec" debug k.py:rows --grid 1 \
    x='arange(fp32,3x5)' out='empty(fp32,3x5)' columns=5 stride=5 BLOCK=8
expect 3 err "nowhere: No such file or directory" debug 'list' -x nowhere
expect 2 err "--grid E[,E[,E]] is missing" "$tilec" debug k.py:rows
expect 2 err "there is no option '--time'" "$tilec" debug k.py:rows --time
expect 2 err "--dap takes no file" "$tilec" debug k.py:rows --dap
grid=0
expect 0 out "the launch has ended" debug 'list'
expect 0 out "usage: tilec debug" "$tilec" debug --help
finish
