#!/bin/sh
# accesses.sh TILEC SOURCE - pictures of which elements programs read and write, and pictures as PNG
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1

cat >rows.py <<'END'
import triton
import triton.language as tl


# tilec: call small --grid 3 x=arange(fp32,3x6) out=empty(fp32,3x6) columns=5 stride=5 BLOCK=8
@triton.jit
def rows(out, x, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * stride + at, mask=inside, other=0.0)
    tl.store(out + row * columns + at, v + 1, mask=inside)


@triton.jit
def meet(out, x):
    tl.store(out + 2, tl.load(x + tl.program_id(0) % 2) + tl.load(out))
END

# debug FILE:KERNEL WORD... : with what stands in `script`
debug() {
    "$tilec" debug "$@" -x script
}
# block TEXT : the lines of it stand in the output as they are here
block() {
    case $(cat out) in
    *"$1"*) ;;
    *) wrong "no such lines: $1" ;;
    esac
}

# the whole launch, whatever has run; one program; which program
cat >script <<'END'
next 4
picture x access
picture out access
picture x access program 1
pict x programs
continue
picture out access
END
expect 0 "" "" debug rows.py:rows
block 'x: fp32 3x6
  rrrrrr
  rrrrrr
  rrr...
  . nobody, r one program reads
  read by one program: 15, by none: 3, the first is x[2,3]'
block 'out: fp32 3x6
  wwwwww
  wwwwww
  www...
  . nobody, w one program writes
  written by one program: 15, by none: 3, the first is out[2,3]'
block '  .....r
  rrrr..
  ......'
block '  000001
  111122
  222...
  0 (0, 0, 0), 1 (1, 0, 0), 2 (2, 0, 0)
  read'

# what has been done up to here: by all programs, by the one where the run stands, also behind a step back
cat >script <<'END'
picture x access now
break 12 program 1
continue
picture x access now
picture x access now program
picture out programs now
pict out access now program 0
back
picture x access now program 1
continue
delete
continue
picture out access now
picture out access now program
END
expect 0 "" "" debug rows.py:rows
block '(tilec) picture x access now
x: fp32 3x6, up to here
  ......
  ......
  ......
  . nobody
  nobody reads or writes it'
block '(tilec) picture x access now
x: fp32 3x6, up to here
  rrrrrr
  rrrr..
  ......
  . nobody, r one program reads
  read by one program: 10, by none: 8, the first is x[1,4]
(tilec) picture x access now program
x: fp32 3x6, up to here
  .....r
  rrrr..
  ......'
block '(tilec) picture out programs now
out: fp32 3x6, up to here
  00000.
  ......'
block '(tilec) pict out access now program 0
out: fp32 3x6, up to here
  wwwww.
  ......'
block '(tilec) picture x access now program 1
x: fp32 3x6, up to here
  ......'
block '(tilec) picture out access now
out: fp32 3x6, up to here
  wwwwww
  wwwwww
  www...'
block '(tilec) picture out access now program
out: fp32 3x6, up to here
  ......
  ....ww
  www...'

# each time that the run stands still, and what cannot be shown there is told
cat >script <<'END'
display v
display picture x access now program
display
next 4
next
display none
next
display info
delete 99
END
expect 0 err "there is no breakpoint or watch 99" debug rows.py:rows
block 'display print v
display picture x access now program
(tilec) next 4'
block '(tilec) next
program (1, 0, 0), rows at rows.py:8
    8       row = tl.program_id(0)
print v: `v` is not defined
x: fp32 3x6, up to here'
block '(tilec) next 4
program (0, 0, 0), rows at rows.py:12
   12       tl.store(out + row * columns + at, v + 1, mask=inside)
v: fp32 8  min 0.  max 4.  mean 1.25  nan 0  inf 0  not loaded 3
   +0  +1  +2  +3  +4    +5    +6    +7
0  0.  1.  2.  3.  4.  (0.)  (0.)  (0.)
x: fp32 3x6, up to here
  rrrrr.'
block '(tilec) display none
(tilec) next
program (1, 0, 0), rows at rows.py:9
    9       at = tl.arange(0, BLOCK)
(tilec) display info
out: array'
expect 0 out '"text":' debug rows.py:rows --json
[ "$(grep -c '"value"' out)" = 0 ] || wrong "a display has a value of its own"

# .. where the run looks for races, too, and in a loop with a helper
cat >loop.py <<'END'
import triton
import triton.language as tl


@triton.jit
def part(x, at, k):
    return tl.load(x + at + k * 4)


@triton.jit
def loop(out, x, N: tl.constexpr):
    at = tl.arange(0, 4)
    total = tl.zeros([4], tl.float32)
    for k in range(N):
        total += part(x, at, k)
    tl.store(out + at, total)
END
cat >script <<'END'
break part hits 3
continue
picture x access now
finish
picture x access now
END
for check in "" --check; do
    expect 0 "" "" debug loop.py $check --grid 1 x='ones(fp32,4x4)' out='empty(fp32,4)' N=4
    block '(tilec) picture x access now
x: fp32 4x4, up to here
  rrrr
  rrrr
  ....'
    block '(tilec) finish
program (0, 0, 0), loop at loop.py:15'
    block '(tilec) picture x access now
x: fp32 4x4, up to here
  rrrr
  rrrr
  rrrr
  ....'
done

# who reads and who writes twice; views, rows of one dimension, an array that nobody touches
cat >script <<'END'
picture x access
picture out access
END
expect 0 "" "" debug rows.py:meet --grid 4 x='zeros(fp32,99)' out='zeros(fp32,2x4)[1,::2]'
block 'x: fp32 99
  RR..............................................................
  ...................................
  . nobody, R several programs read
  read by one program: 0, by several: 2, the first is x[0], by none: 97, the first is x[2]'
block 'out: fp32 2
  RW
  R several programs read, W several programs write'
block 'written by one program: 0, by several: 1, the first is out[1] by (0, 0, 0) and (3, 0, 0), by none: 1'
expect 0 "" "" debug rows.py:meet --grid 0 x='zeros(fp32,99)' out='zeros(fp32,2)'
expect 0 "" "" debug rows.py:rows --grid 1 x='zeros(fp32,2x3)' out='x' columns=3 stride=3 BLOCK=4
block 'x: fp32 2x3
  bbb
  ...'

# a race ends the run, but no picture; an address that overflows is told from its array
cat >script <<'END'
picture out access
continue
END
expect 0 out "W several programs write" debug rows.py:meet --check --grid 4 x='arange(fp32,99)' out='zeros(fp32,3)'
grep -q "error: race" out err || wrong "no race"
cat >far.py <<'END'
import triton
import triton.language as tl


@triton.jit
def far(out, x, stride):
    row = tl.program_id(0)
    tl.store(out + row, tl.load(x + row * stride))
END
cat >script <<'END'
continue
print x + row * stride
END
expect 0 out "x + row * stride = near " debug far.py --grid 2 x='zeros(u8,4)' out='zeros(u8,4)' stride=-2000000000

grep -qE "= near (x|out)-[12]" out || wrong "no offset from an array"

# as files, which what was read is never replaced by
cat >script <<'END'
picture out access out.png
picture out programs programs.png
picture x x.png
picture x access program 2 rows.png
picture nothing access
picture x access program 7
picture x access program 1 2
picture x access now and then
picture x acess
picture x nowhere/x.png
END
expect 0 err '`nothing` is no array of the launch' debug rows.py:rows
grep -qF '`7` is no program of the grid 3x1x1' err || wrong "no word of the program"
for word in 'access now and then' acess; do
    grep -qF "\`$word\`: behind an array stands \`access\`" err || wrong "no word of $word"
done
grep -qF '`2` is more than a program' err || wrong "no word of what is too much"
grep -qF 'nowhere/x.png: No such file or directory' err || wrong "no word of the folder"
for file in out programs x rows; do
    expect 0 out "fp32 81x162x3" "$tilec" run rows.py:meet --grid 0 x="@$file.png:fp32" out=x --show x
done
cp x.png y.png
printf 'picture x y.png\n' >script
expect 0 err "y.png" debug rows.py:rows --grid 1 x='@y.png:fp32' out='empty_like(x)' columns=3 stride=3 BLOCK=4
cmp -s x.png y.png || wrong "a file that was read is gone"
finish
