#!/bin/sh
# files.sh TILEC SOURCE - array files: formats by suffix, members, stdin and stdout, what is refused
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
cat >copy.py <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def copy(o, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def say(o, x, n, BLOCK: tl.constexpr):
    tl.device_print("spoken")
    copy(o, x, n, BLOCK)
KERNEL

# copy X OPTION... : o becomes X
copy() {
    x=$1
    shift
    "$tilec" run copy.py:copy --grid 'cdiv(n,BLOCK)' x="$x" o='empty_like(x)' n='x.numel()' BLOCK=64 "$@"
}

# what was read is not replaced, by whatever name or link; an array's own file only by --save
cp copy.py kept.py
printf 'x=ones(fp32,4) o=zeros(fp32,4) n=4 BLOCK=4 --grid 1\n' >kept.args
cp kept.args args.copy
printf 'value = 2.0\n' >module.py
printf 'import triton\nimport triton.language as tl\nimport module\n\n\n@triton.jit\ndef twice(o):\n    tl.store(o, module.value)\n' >imports.py
ln -s copy.py link.npy
ln copy.py hard.o
read_it="this command has read that file, and does not replace it"
for way in '--trace copy.py' '--trace ./hard.o' '--save o=link.npy' '--trace kept.args' '--trace data.npy'; do
    [ -e data.npy ] || expect 0 out "" "$tilec" run copy.py:copy @kept.args --save o=data.npy
    # shellcheck disable=SC2086 # they are words
    expect 2 err "${way##*[ =]}: $read_it" "$tilec" run copy.py:copy @kept.args x=@data.npy $way
done
expect 3 err "module.py: $read_it" "$tilec" run imports.py --grid 1 o='zeros(fp32,1)' --trace module.py
for way in '-o k.o --header copy.py' '-o hard.o --header k.h' '-o k.o --header kept.args'; do
    # shellcheck disable=SC2086
    expect 2 err "$read_it" "$tilec" build copy.py:copy 'o:*fp32' 'x:*fp32' n:i32 BLOCK=4 @kept.args $way
done
ln data.npy second.npy
expect 2 err "second.npy: $read_it" copy @data.npy --save o=second.npy
rm second.npy
cp data.npy kept.npy
expect 2 err "would replace a file that this call reads" copy @data.npy --save o=./data.npy
expect 2 err "would replace a file that this call reads" copy "@data.npy[:2]" --save o=data.npy
cmp -s data.npy kept.npy || wrong "an array that was read has been replaced by another one"
expect 0 out "" copy @data.npy --save x=data.npy
cmp -s copy.py kept.py && cmp -s kept.args args.copy && [ "$(cat module.py)" = "value = 2.0" ] && [ ! -e k.h ] ||
    wrong "what was read has been replaced"

# every format, there and back
expect 0 out "" copy 'rand(u8,5x7x3)' --save o=a.png --save x=a.npy
expect 0 out "" copy @a.png --save o=a.ppm
expect 0 out "" copy @a.ppm --save o=b.npy
cmp -s a.npy b.npy || wrong "an image has changed on its way"
expect 0 out "" copy 'rand(u16,5x7)' --save o=a.png --save x=a.npy
expect 0 out "" copy @a.png --save o=a.pgm
expect 0 out "" copy @a.pgm --save o=a.csv
expect 0 out "" copy @a.csv:u16 --save o=b.npy
cmp -s a.npy b.npy || wrong "a 16-bit image has changed on its way"

# a type behind an image converts its samples, or is refused
expect 0 out "" copy 'arange(u16,2x3)*100' --save o=t.png --save x=t.pgm
for file in t.png t.pgm; do
    expect 0 out "[[  0. 100. 200.]" copy "@$file:fp32" --show o
    expect 0 out "i64 2x3  min 0  max 500" copy "@$file:i64" --show o
    expect 3 err "$file: u8 does not hold a sample of 300" copy "@$file:u8"
done
# .. and on saving: rounded to even, and what lies beyond becomes the least or greatest
printf '0.5\n1.5\n-3\n254.6\n300\nnan\ninf\n-inf\n' >wide.csv
expect 0 out "" copy @wide.csv:fp32 --save o:u8=narrow.npy --save o:i8=narrow.npz:i8 --save x:fp64=narrow.npz:fp64 \
    --save o:u64=narrow.npz:u64
expect 0 out "[  0   2   0 255 255   0 255   0]" copy @narrow.npy --show x
expect 0 out "[   0    2   -3  127  127    0  127 -128]" copy @narrow.npz:i8 --show x
expect 0 out "fp64 8  min -3.  max 300." copy @narrow.npz:fp64 --show x
expect 0 out "u64 8  min 0  max 18446744073709551615" copy @narrow.npz:u64 --show x
expect 0 out "" copy '(arange(i32,2x3)-1)*200' --save o:u8=narrow.png --save o:i8=narrow.npy
expect 0 out "[[  0   0 200]" copy @narrow.png --show x
expect 0 out "[[-128    0  127]" copy @narrow.npy --show x
expect 0 out "" copy 'full(u64,2,18446744073709551615)' --save o:i64=narrow.npy --save o:i16=narrow.npz
expect 0 out "[9223372036854775807 9223372036854775807]" copy @narrow.npy --show x
expect 0 out "[32767 32767]" copy @narrow.npz --show x
expect 0 out "" copy 'rand(fp32,40x50)*255' --save o:u8=-.png 
expect 2 err "--save o:int=o.png: there is no dtype 'int'" copy 'ones(u8,4)' --save o:int=o.png
expect 2 err "or NAME:TYPE=FILE, not 'o:u8'" copy 'ones(u8,4)' --save o:u8
# as many digits as a number has, and a file in Fortran's order in its own
printf 'P2 2 1 65535 00000001 2' >digits.pgm
expect 0 out "[[1 2]]" copy @digits.pgm --show o
printf 'P2 2 1 65535 65535 1234567' >digits.pgm
expect 3 err "a sample is more than 65535" copy @digits.pgm
printf 'P3 1 1 2559173 1 2' >digits.ppm
expect 3 err "the greatest sample is more than 65535" copy @digits.ppm

# what is no array file: empty, a folder, closed
: >empty.png
: >empty.csv
mkdir some.npy
expect 3 err "empty.png: it is empty" copy @empty.png
expect 3 err "empty.csv: it is empty" copy @empty.csv
expect 3 err "stdin: it is empty" copy @-
expect 3 err "some.npy: Is a directory; the name of a file in it is missing" copy @some.npy
expect 3 err "some.npy: Is a directory; the name of a file in it is missing" copy 'ones(u8,4)' --save o=some.npy
# a name without @
mkdir -p in/1 && cp b.npy in/1/0001.npy
for name in in/1/0001.npy 1/0001.npy b.npy; do
    expect 2 err "hint: a file is written with @: x=@$name" copy "$name"
done
expect 2 err "hint: a file is written with @: x=@in/1/0001.npy" copy 'in/1/0001.npy[0]'
printf 'l,2\n3,4\n' >slip.csv
expect 0 err "warning: slip.csv: the first line is taken for titles, since it begins with no number" copy @slip.csv
printf 'a,"2"\n3,4\n' >slip.csv
expect 0 out "" copy @slip.csv
[ ! -s "$folder/err" ] || wrong "a title in quotes is one"
printf '1,foo\n2,3\n' >titles.csv
expect 3 err "titles.csv: line 1, column 2: 'foo' is not a number; a line of titles begins with one" copy @titles.csv
closed() {
    "$tilec" run "$1" --grid 1 "x=$2" o=x n=1 BLOCK=64 <&-
}
expect 3 err "tilec: @- comes from stdin, which is closed" closed copy.py:copy @-
expect 3 err "tilec: @-.png comes from stdin, which is closed" closed copy.py:copy @-.png
expect 3 err "the kernel's file comes from stdin, which is closed" closed -:copy 'ones(u8,4)'
expect 3 err "the output could not be written" sh -c '"$1" list copy.py >&-' sh "$tilec"
expect 0 out "" sh -c '"$1" run copy.py:copy --grid 1 x="ones(u8,4)" o=x n=1 BLOCK=4 --save x=with.npy <&- >&- 2>&-' sh "$tilec"
expect 0 out "[1 1 1 1]" copy @with.npy --show o

# members
expect 0 out "" copy 'arange(fp32,6)' --save o=m.npz --save x=m.npz:in --save o=copy.npz
expect 0 out "[0. 1. 2. 3. 4. 5.]" copy @m.npz:o --show o
expect 0 out "[1. 2. 3.]" copy '@m.npz:in[1:4]' --show o
expect 0 out "[1065353216 1073741824]" copy '@m.npz:in:i32[1:3]' --show o
expect 0 out "[0. 1. 2. 3. 4. 5.]" copy @copy.npz --show o
expect 0 out "[0. 1. 2. 3. 4. 5.]" copy "@'copy.npz':o" --show o
expect 3 err "which of its arrays? Write @FILE.npz:NAME; it has o, in" copy @m.npz
expect 3 err "there is no array 'w' in it; it has o, in" copy @m.npz:w
expect 2 err "'x' is its member 'a' already" copy 'ones(fp32,2)' --save x=q.npz:a --save o=./q.npz:a
expect 2 err "'x' is saved to that file already" copy 'ones(fp32,2)' --save x=q.npy --save o=./q.npy

# other suffixes are refused by name, before anything runs
expect 3 err "x.jpg: a file '.jpg' is not known here; known are .npy, .npz, .png" copy @x.jpg
expect 2 err "o.tiff: a file '.tiff' is not known here; known are .npy" copy 'ones(u8,2x2)' \
    --save o=o.tiff
expect 2 err "only read; .pgm holds grey" copy 'ones(u8,2x2)' --save o=o.pbm
expect 3 err "'o' could not be saved: o.png: PNG holds u8 or u16, not fp32" copy 'ones(fp32,2x2)' \
    --save o=o.png --save x=never.npy
[ ! -e never.npy ] && [ ! -e o.png ] || wrong "it ran before it saw what a file cannot hold"

# stdin and stdout
expect 0 out "" sh -c 'cat "$1" >x; "$0" run copy.py:copy --grid 1 x=@- o="empty_like(x)" n=35 BLOCK=64 \
    --save o=- <x >y && cmp x y' "$tilec" b.npy
say() {
    "$tilec" run copy.py:say --grid 1 x="$@" o='empty_like(x)' n=2 BLOCK=2
}
expect 0 err "spoken" say 'ones(u8,1x2)' --save o=-.pgm --time=2 --show x
[ "$(tr -d '\001' <out | tr '\n' ' ')" = "P5 2 1 255 " ] || wrong "something else is on stdout"
expect 0 err "GFLOP/s" say 'ones(u8,1x2)' --save o=-.csv --time=2 --show x
expect 0 out "1,1" say 'ones(u8,1x2)' --save o=-.csv
expect 2 err "--save o=- and --json both want stdout" say 'ones(u8,2)' --save o=- --json
expect 2 err "'x' is saved to that file already" say 'ones(u8,2)' --save x=- --save o=-
pipe() {
    printf '%s' "$1" >text
    shift
    "$@" <text
}
expect 0 out "[1 2 3]" pipe "1
2
3" "$tilec" run copy.py:copy --grid 1 x=@-.csv o='empty_like(x)' n=3 BLOCK=4 --show o
expect 3 err "stdin: the name has no suffix" pipe "1,2" "$tilec" run copy.py:copy --grid 1 x=@- o=x n=3 \
    BLOCK=4
expect 2 err "stdin is read as @- already; @-.csv has to come from a file" sh -c 'cat b.npy | "$0" run \
    copy.py:copy --grid 1 x=@- o=@-.csv n=3 BLOCK=4' "$tilec"
expect 0 out "[7. 7.]" sh -c '"$0" run -:copy --grid 1 x="full(fp32,2,7)" o="empty_like(x)" n=2 BLOCK=2 \
    --show o <copy.py' "$tilec"
expect 1 err "<stdin>:4:5: error" pipe "import triton
@triton.jit
def f():
    x
" "$tilec" run - --grid 1
expect 2 err "stdin is read as the kernel's file already" sh -c '"$0" run -:copy --grid 1 x=@- o=x n=2 \
    BLOCK=2 <copy.py' "$tilec"

# nothing that is half written, no file of ours beside the results
expect 0 out "" find . -name '*.tmp'
[ ! -s out ] || wrong "temporary files are left"

# what others write, and what others read of ours
python=$("$source/tools/python.sh" 2>/dev/null) || finish
expect 0 out "all is well" "$python" "$source/tests/cli/files.py" make .
for name in grey1 grey2 grey4 grey8 grey16 alpha8 alpha16 rgb8 rgb16 rgba8 rgba16 palette clear \
    interlaced; do
    expect 0 out "" copy "@$name.png" --save o="$name.out.npy" --save x="$name.out.png"
done
for name in stored:a stored:b packed:a; do
    expect 0 out "" copy "@${name%:*}.npz:${name#*:}" --save x="${name%:*}-${name#*:}.out.npy"
done
expect 0 out "[[0 1 2]" copy @fortran.npy --show o
expect 0 out "" copy @big.npz:a --save o=both.npz --save x=both.npz
# compressed: smaller, and the same arrays; what deflate makes no smaller is stored
expect 0 out "" copy 'arange(i32,40000)//100' --save o=small.npz --save x=small.npz:in --compress
expect 0 out "" copy 'arange(i32,40000)//100' --save o=small9.npz --compress 9
expect 0 out "" copy 'arange(i32,40000)//100' --save o=large.npz
expect 0 out "" copy 'rand(u64,5)' --save o=noise.npz --save x=noise.npy --compress
[ "$(wc -c <large.npz)" -gt 160000 ] && [ "$(wc -c <small.npz)" -lt 6000 ] || wrong "it is not compressed"
[ "$(wc -c <small9.npz)" -lt "$(wc -c <small.npz)" ] || wrong "level 9 is not smaller"
expect 0 out "i32 40000  min 0  max 399" copy @small.npz:in --show o
expect 0 out "" copy @noise.npz --save o=noise-o.npy
cmp -s noise.npy noise-o.npy || wrong "noise is not stored"
expect 2 err "--compress has levels from 1 to 9, not 10" copy 'ones(i32,4)' --compress 10
expect 2 err "--compress is about files that --save writes" copy 'ones(i32,4)' --compress
expect 0 out "" copy 'randn(fp32,30x3)' --save o=numbers.csv --save x=numbers.npy
expect 0 out "" copy 'randn(bf16,8)' --save o=bf16.npy --save x=bf16.csv
expect 0 out "all is well" "$python" "$source/tests/cli/files.py" check .
finish
