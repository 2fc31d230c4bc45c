#!/bin/sh
# debugger.sh TILEC SOURCE - gdb stops in compiled kernels and knows names in them
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 # cannot work under a debugger
export ASAN_OPTIONS

gdb=$(command -v gdb) || {
    echo "skipped: there is no gdb"
    finish
}
"$gdb" -q --batch -nx -ex run --args true 2>&1 | grep -q 'exited normally' || {
    echo "skipped: gdb may not run programs here"
    finish
}

cat >kernel.py <<'END'
import triton
import triton.language as tl


@triton.jit
def scale(v, factor, TWICE: tl.constexpr):
    doubled = v * factor
    return doubled + 1


@triton.jit
def kernel(x, out, n, factor, BLOCK: tl.constexpr, EPS: tl.constexpr, step):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    v = tl.load(x + offs * step, mask=mask)
    total = tl.sum(v)
    count = 0
    for i in range(3):
        count += i
    w = scale(v, factor, True)
    tl.store(out + offs, w + total + count, mask=mask)
END

# stops OPTION COMMAND... : a run under gdb, which gets these commands behind its start
stops() {
    option=$1
    shift
    for command; do
        set -- "$@" -ex "$command"
        shift
    done
    "$gdb" -q --batch -nx -ex 'set breakpoint pending on' -ex 'set width 0' -ex 'set confirm off' "$@" --args \
        "$tilec" run kernel.py $option --grid 4 --threads 1 x='arange(fp32,16)' out='empty(fp32,16)' n=14 \
        factor=2.5 BLOCK=4 EPS=0.5 step=1
}

# a line of the kernel; arguments, scalars and tiles have names there
for cached in no yes; do
    expect 0 out "Breakpoint 1, kernel (x=0x" \
        stops --debug 'break kernel.py:22' run 'print n' 'print factor' 'print x[0]@3' 'print program_id' 'info locals'
    for line in 'n=14, factor=2.5) at kernel.py:22' ' = 14$' ' = 2.5$' ' = {0, 1, 2}$' ' = {0, 0, 0}$' \
        '^pid = 0$' '^offs = {0, 1, 2, 3}$' '^mask = {true, true, true, true}$' '^v = {0, 1, 2, 3}$' '^total = 6$' \
        '^count = 3$' '^w = {1, 3.5, 6, 8.5}$' '^BLOCK = 4$' '^EPS = 0.5$' '^step = 1$' 'tl.store(out + offs, w + total'; do
        grep -q -- "$line" out || wrong "no '$line' ($cached)"
    done
done

# `next` goes through the statements, also where a tile is a loop of the machine and reads earlier ones
cat >steps.py <<'END'
import triton
import triton.language as tl


@triton.jit
def kernel(x, out, n, rounds, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    acc = tl.load(x + offs, mask=mask)
    for i in range(rounds):
        acc = acc * 2 + i
        acc = acc - offs
    tl.store(out + offs, acc, mask=mask)
END
set -- -ex 'break steps.py:8' -ex run
for _ in 1 2 3 4 5 6 7 8 9; do
    set -- "$@" -ex next
done
"$gdb" -q --batch -nx -ex 'set breakpoint pending on' -ex 'set width 0' "$@" --args "$tilec" run steps.py --debug --grid 1 \
    --threads 1 x='arange(fp32,256)' out='empty(fp32,256)' n=250 rounds=2 BLOCK=256 >out 2>&1
steps=$(grep -o '^[0-9][0-9]*	' out | tr -d '\t' | tr '\n' ' ')
[ "$steps" = "8 9 10 11 12 10 11 12 10 13 " ] || wrong "next goes through the lines $steps"

# a line of a tile of two dimensions, or of a product, is stopped at once, and its value is there at the next; lines
# of one statement and of helpers are stopped at too
cat >rows.py <<'END'
import triton
import triton.language as tl


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def kernel(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    places = x + at
    v = tl.load(places,
                mask=at < BLOCK * BLOCK - 1)
    w = tl.dot(v, v)
    u = plus(v * 2, w * w) * 3
    tl.store(places, u)
    tl.store(out + at, u)
END
# walk LINE STEPS: the lines that a breakpoint there and so many steps behind it lead to
walk() {
    line=$1
    set -- -ex "break rows.py:$line" -ex run $(seq "$2" | sed 's/.*/-ex next/')
    "$gdb" -q --batch -nx -ex 'set breakpoint pending on' -ex 'set width 0' "$@" -ex 'print v[1][2]' --args "$tilec" \
        run rows.py --debug --grid 1 --threads 1 x='arange(fp32,16x16)' out='empty(fp32,16x16)' BLOCK=16 >out 2>&1
    grep -o '^[0-9][0-9]*	' out | tr -d '\t' | tr '\n' ' '
}
while read -r line steps lines; do
    walked=$(walk "$line" "$steps")
    [ "$walked" = "$lines " ] || wrong "from line $line, next goes through the lines $walked"
    grep -q '^\$1 = 18$' out || wrong "v cannot be read behind line $line"
done <<'END'
14 5 14 15 16 17 18 19
16 1 16 17
7 1 7 17
END

# a helper is a frame of its own, with its caller below
expect 0 out 'at kernel.py:8' stops -g 'break kernel.py:8' run backtrace 'print doubled' 'print TWICE' up 'print total'
for line in '^#0  scale () at kernel.py:8' '^#1  .*kernel (.*) at kernel.py:21' ' cpu_launch ()' ' = {0, 2.5, 5, 7.5}$' \
    ' = true$' ' = 6$'; do
    grep -q -- "$line" out || wrong "no '$line'"
done

# one program of several; its loop, round by round
expect 0 out 'program_id[0] == 2' stops -g 'break kernel.py:20 if program_id[0] == 2' run 'info breakpoints' 'print pid' \
    continue 'print i' 'print count'
for line in 'kernel.py:20' '^\$1 = 2$' '^\$2 = [01]$' '^\$3 = 0$'; do
    grep -q -- "$line" out || wrong "no '$line'"
done

# without the option no code knows its lines, and nothing stops
expect 0 out 'exited normally' stops '' 'break kernel.py:22' run
TILEC_DEBUG=1
export TILEC_DEBUG
expect 0 out 'Breakpoint 1, kernel' stops '' 'break kernel.py:22' run

# values that passes have replaced or dropped have names all the same
expect 0 out '[2. 2. 2.]' "$tilec" run "$source/tests/num/gpu/control.py:newton" a_ptr='full(fp32,3,8.)' \
    out_ptr='empty(fp32,3)' rounds_ptr='empty(i32,1)' n=3 BLOCK=4 --grid 1 --show out_ptr
finish
