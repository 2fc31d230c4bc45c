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
  222...'

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
picture x nowhere/x.png
END
expect 0 err '`nothing` is no array of the launch' debug rows.py:rows
grep -qF '`7` is no program of the grid 3x1x1' err || wrong "no word of the program"
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
