#!/bin/sh
# each.sh TILEC SOURCE - `run --each` and `--batch`: files in, files out, what is damaged, what is refused
. "$(dirname "$0")/expect.inc"
mkdir "$folder/work" && cd "$folder/work" || exit 1
cat >add.py <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def add(o, x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def assert_small(o, x, n, BLOCK: tl.constexpr, NAME: tl.constexpr = "", I: tl.constexpr = 0):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.device_print(NAME, I)
    tl.device_assert(v < 100, "too large", mask=i < n)
    tl.store(o + i, v, mask=i < n)
KERNEL
mkdir in masks out refs
for i in 0 1 2 3 4 5 6 7 8 9; do
    width=$((i % 3 + 4))
    "$tilec" run add.py:add --grid 1 x="full(u8,3x$width,$i)" y="arange(u8,3x$width)" o='empty_like(x)' \
        n='x.numel()' BLOCK=64 --save "o=in/a$i.png" --save "y=masks/a$i.pgm" --save "x=refs/a$i.npy" ||
        wrong "no inputs"
done

# each OPTION... : the sum of an image and its mask, both from files
each() {
    "$tilec" run add.py:add --grid 'cdiv(n,BLOCK)' --each 'in/*.png' x=@{} y='@masks/{name}.pgm' \
        o='empty_like(x)' n='x.numel()' BLOCK=64 "$@"
}
# as check.npy says: i + 2 * (0, 1, 2, ...)
check_outputs() {
    for i in 0 1 2 3 4 5 6 7 8 9; do
        expect 0 out "" "$tilec" run add.py:add --grid 1 x="@in/a$i.png" y="@masks/a$i.pgm" \
            o='empty_like(x)' n='x.numel()' BLOCK=64 --save o=one.npy
        cmp -s one.npy "$1/a$i.npy" || wrong "$1/a$i.npy is not what one run gives"
    done
    expect 0 out "" find "$1" -name '.*' -type f
    [ ! -s "$folder/out" ] || wrong "files are left beside the results"
}

# a kernel that ends the process says of which files
for n in "" "--batch 1"; do
    # shellcheck disable=SC2086
    expect 139 err "it was at work on in/a0.png" "$tilec" run add.py:add --grid 'cdiv(n,BLOCK)' \
        --each 'in/*.png' $n --threads 1 x=@{} y='@masks/{name}.pgm' o='empty_like(x)' n=1000000000 BLOCK=64
done

expect 0 err "10 of 10 files in " each --save 'o=out/{name}.npy'
[ ! -s "$folder/out" ] || wrong "something is on stdout"
check_outputs out
for threads in 1 2 5 40; do
    mkdir "t$threads"
    expect 0 err "10 of 10 files" each --threads $threads --save "o=t$threads/{name}.npy"
    check_outputs "t$threads"
done
# shapes differ: 4, 5 and 6 columns, so batches are of 2 and less
for n in 1 2 3 100; do
    mkdir "b$n"
    expect 0 err "10 of 10 files" each --batch $n --save "o=b$n/{name}.npy"
    check_outputs "b$n"
done

# what stands for what; several outputs; in place only where {} says so
expect 0 err "10 of 10" each --save 'o=out/{i}-{name}.{ext}' --save 'x={dir}/../out/{name}.npz' \
    --save 'y=out/{name}.npz:mask' --save 'o=out/{name}.npz:{ext}'
[ -s out/3-a3.png ] || wrong "no out/3-a3.png"
expect 0 out "u8 3x4" "$tilec" run add.py:add --grid 0 x=@out/a3.npz:mask y=@out/a3.npz:x \
    o=@out/a3.npz:png n=0 BLOCK=1 --show o
cp -r in copies
expect 0 err "10 of 10" "$tilec" run add.py:add --grid 1 --each 'copies/*.png' x=@{} y=x o=x n='x.numel()' \
    BLOCK=64 --save 'o={}'
expect 2 err "would overwrite the input in/a0.png; if that is meant, write --save o={}" each \
    --save 'o=in/{name}.png'
expect 2 err "'{nam}' stands for nothing; there are {} {name}" each --save 'o=out/{nam}.png'
expect 2 err "--save o=out/x.npy: in/a0.png and in/a1.png would both be written to out/x.npy; {name}" each \
    --save o=out/x.npy
expect 2 err "would both be written to" each --each 'copies/*.png' --save 'o=out/{name}.npy'
expect 2 err "would write in/a1.png, which is an input too" "$tilec" run add.py:add --grid 1 \
    --each 'in/a[12].png' x=@{} y=x o=x n=1 BLOCK=1 --save 'o=in/a{i}.png'
expect 3 err "there is no folder new/deep; \`mkdir -p new/deep\` makes it" each --save 'o=new/deep/{name}.npy'
expect 3 err "there is no folder new/a0, and 9 more are missing" each --save 'o=new/{name}/x.npy'
grep -qxF "hint: mkdir -p new/a0 new/a1 new/a2 new/a3 new/a4 new/a5 new/a6 new/a7 new/a8 new/a9" "$folder/err" ||
    wrong "they are not all named"
expect 3 err "hint: mkdir -p 'new dir/a0'" each --save 'o=new dir/{name}/x.npy'
expect 2 err "--each needs a value behind it, and \`--grid\` is an option" "$tilec" run add.py:add --each --grid 2 x=@{}
expect 0 err "10 of 10 files" each --each './in/*.png' --each "$PWD/masks/../in/a*.png" --save 'o=out/{name}.npy'
ln in/a0.png linked-a0.png && ln -s in/a1.png linked-a1.png # other names are other files
expect 0 err "3 of 3 files" "$tilec" run add.py:add --grid 1 --each 'linked-a?.png' --each in/a0.png x=@{} y=x o='empty_like(x)' n=1 \
    BLOCK=1 --save 'o=out/{i}.npy'
expect 2 err "do not go to stdout" each --save o=-
expect 2 err "a file '.gif' is not known here" each --save 'o=out/{name}.gif'
expect 3 err "--each none/*.png: there is no such file" "$tilec" run add.py:add --grid 1 \
    --each 'none/*.png' x=@{} y=x o=x n=1 BLOCK=1
expect 3 err "hint: only a shell knows \`~\`; write the folder" "$tilec" run add.py:add --grid 1 --each '~/none/*.png' x=@{}
expect 3 err "hint: only a shell knows {A,B}; --each may be given" "$tilec" run add.py:add --grid 1 --each '{in,out}/*.png' x=@{}
expect 2 err "quote that: --each 'in/*.png'" "$tilec" run add.py:add --grid 1 --each in/*.png x=@{}
expect 2 err "--batch N is about the files of --each" "$tilec" run add.py:add --grid 1 --batch 3
expect 2 err "hint: a member of each .npz is written in quotes" "$tilec" run add.py:add --grid 0 --each 'out/*.npz' \
    x=@{}:w y=x o=x n=0 BLOCK=1
expect 0 out "u8 3x4" "$tilec" run add.py:add --grid 0 --each 'out/a[03].npz' x="@'{}:mask'" y=x o=x n=0 \
    BLOCK=1 --show o
expect 2 err "all make many calls" each --sweep
expect 2 err "for the kernel alone name one file in the place of {}, and leave --each away" each --time
expect 2 err "--count counts one call, and --each makes many: name one file" each --count
expect 2 err "its first extent has to be the number of files, here 2" "$tilec" run add.py:add --grid 1 \
    --each 'in/*.png' --batch 2 x=@{} y=x o='x[0]' n=1 BLOCK=1 --save 'o=out/{name}.npy'
expect 2 err "with --batch it stands for several files" "$tilec" run add.py:add --grid 1 --each 'in/*.png' \
    --batch 2 x=@{} y=x o=x n={i} BLOCK=1
expect 2 err "no argument reads one" "$tilec" run add.py:add --grid 1 --each 'in/*.png' --batch 2 \
    x='ones(u8,4)' y=x o=x n={i} BLOCK=1
expect 2 err "no argument reads the files; x=@{} does" "$tilec" run add.py:add --grid 1 \
    --each 'in/*.png' x='ones(u8,4)' y=x o=x n=1 BLOCK=1

# what is wrong with the call is said once, by the first file
expect 2 err "with in/a0.png: the kernel has no parameter 'm'" each m=1 --show o
[ "$(wc -l <"$folder/err")" = 1 ] || wrong "it was said more than once"
expect 1 err "with in/a0.png: add.py:6:15: error: " "$tilec" run add.py:add --grid 1 --each 'in/*.png' x=@{} y="'text'" o=x n=1 BLOCK=1
expect 1 err "with in/a0.png: 'o' could not be saved: out/a0.png: PNG holds u8 or u16, not fp32" \
    "$tilec" run add.py:add --grid 1 --each 'in/*.png' x=@{} y=x o='empty(fp32,3x4)' n=1 BLOCK=1 \
    --save 'o=out/{name}.png'
expect 3 err "nowhere.npy: No such file" each z=@nowhere.npy

expect 3 err "hint: --each 'in/*' takes the files in it" "$tilec" run add.py:add --grid 1 --each in/ x=@{} y=x o=x n=1 BLOCK=1

# placeholders as values, prints and arrays in the order of the files
small() {
    "$tilec" run add.py:assert_small --grid 1 --each 'in/*.png' x=@{} o='empty_like(x)' n='x.numel()' \
        BLOCK=64 NAME={name} I='10*{i}' "$@"
}
expect 0 out "in/a4.png:" small --show 'o[0,:2]'
[ "$(grep -c "^in/a" "$folder/out")" = 10 ] && grep "^in/" "$folder/out" | sort -c || wrong "not in order"
grep -q "a7.*70" "$folder/out" || wrong "no print with the name and the number"
expect 0 out '"files": 10, "done": 10, "seconds": ' small --json

# damaged files are named, skipped and counted; an assertion is that of its file
head -c 40 in/a3.png >cut && mv cut in/a3.png
rm masks/a5.pgm
cp refs/a6.npy in/a0.png
for extra in "" "--threads 1" "--batch 2"; do
    rm -rf out && mkdir out
    expect 1 err "7 of 10 files" each $extra --save 'o=out/{name}.npy'
    grep -q "; 3 failed" "$folder/err" || wrong "it does not count the failures"
    grep -q "^tilec: in/a0.png: not a .png file: it begins as a .npy" "$folder/err" || wrong "a0 is not named"
    grep -q "^tilec: in/a3.png: damaged PNG file: " "$folder/err" || wrong "a3 is not named"
    grep -q "^tilec: in/a5.png: masks/a5.pgm: No such file" "$folder/err" || wrong "a5 is not named"
    grep -o "in/a[0-9].png" "$folder/err" | uniq | tr '\n' ' ' >order
    [ "$(cat order)" = "in/a0.png in/a3.png in/a5.png " ] || wrong "not in the order of the files"
    [ "$(echo out/*)" = "out/a1.npy out/a2.npy out/a4.npy out/a6.npy out/a7.npy out/a8.npy out/a9.npy" ] ||
        wrong "other files than those that could be read"
done
expect 1 out '"failed": ["in/a0.png", "in/a3.png", "in/a5.png"]' each --json
cp copies/* in
expect 0 out "" "$tilec" run add.py:add --grid 1 x='full(u8,3x4,200)' y='zeros(u8,3x4)' o=x n=12 BLOCK=16 \
    --save x=in/a1.png
expect 1 err "in/a1.png: add.py:16:5: error: assertion failed: too large" small --save 'o=out/{name}.npy'
grep -q "9 of 10 files" "$folder/err" || wrong "an assertion costs other files"

# compared with files, one by one
expect 1 err "9 of 10 files" "$tilec" run add.py:add --grid 1 --each 'copies/*.png' x=@{} y=x \
    o='empty_like(x)' n=0 BLOCK=1 --compare 'x=@in/{name}.png'
grep -q "^tilec: copies/a1.png: " "$folder/err" || wrong "the file that differs is not named"
grep -q "; 1 failed; compared: 9 agree, 0 differ$" "$folder/err" || wrong "another shape is no difference"
cp -r copies wanted
expect 0 out "" "$tilec" run add.py:add --grid 1 x='full(u8,3x5,7)' y=x o=x n=0 BLOCK=1 --save x=wanted/a1.png
for extra in "" "--batch 2" "--batch 4"; do
    compare() {
        "$tilec" run add.py:add --grid 'cdiv(n,BLOCK)' --each 'copies/*.png' x=@{} y=x o='empty_like(x)' \
            n='x.numel()' BLOCK=64 --compare 'x=@wanted/{name}.png' --compare interp $extra "$@"
    }
    rm -rf out && mkdir out
    expect 1 err "; compared: 9 agree, 1 differs" compare --save 'o=out/{name}.npy'
    grep -q "^tilec: copies/a1.png: " "$folder/err" || wrong "the file that differs is not named"
    check=$(echo out/*.npy | wc -w)
    [ "$check" = 10 ] || wrong "$check files instead of 10"
    expect 1 out '"compared": [{"path": "copies/a0.png", "compare": [{"name": "x", ' compare --json
done

# a batch that fails is done again file by file: one is to blame
for n in 2 3 10; do
    rm -rf out && mkdir out
    expect 1 err "tilec: in/a1.png: add.py:16:5: error: assertion failed: too large" "$tilec" run \
        add.py:assert_small --grid 'cdiv(n,BLOCK)' --each 'in/*.png' --batch $n x=@{} o='empty_like(x)' \
        n='x.numel()' BLOCK=64 --save 'o=out/{name}.npy'
    grep -q "9 of 10 files" "$folder/err" || wrong "it costs other files"
    [ "$(grep -c "assertion failed: too large" "$folder/err")" = 1 ] || wrong "it is said of other files"
    [ "$(echo out/*.npy | wc -w)" = 9 ] || wrong "files are missing"
done

# what only one file has stops nothing, even if it is the first
mkdir mixed
cp copies/a[123].png mixed
expect 0 out "" "$tilec" run add.py:add --grid 1 x='zeros(u8,3x4x3)' y=x o=x n=0 BLOCK=1 --save x=mixed/a0.png
expect 2 err "with mixed/a1.png: n: " "$tilec" run add.py:add --grid 1 --each 'mixed/a[123].png' x=@{} y=x o=x \
    n='x.shape(2)' BLOCK=64
cp mixed/a1.png mixed/b0.png
cp mixed/a0.png mixed/b1.png
expect 1 err "1 of 2 files" "$tilec" run add.py:add --grid 1 --each 'mixed/b*.png' x=@{} y=x o=x \
    n='x.shape(2)' BLOCK=64
grep -q "^tilec: mixed/b0.png: n: " "$folder/err" || wrong "the odd one is not named"

# `**`: folders of any depth, and none; no hidden ones, none behind links, no other meaning of a name
mkdir -p 'deep/b/c[1]' deep/.hidden deep/b/.git elsewhere && ln -s ../elsewhere deep/link && ln -s .. deep/b/up
for file in 'deep/b/c[1]/x' deep/b/y deep/z deep/a.b deep/.hidden/h deep/b/.git/g elsewhere/e; do
    cp copies/a1.png "$file.png" || wrong "no $file.png"
done
# found_by LIST PATTERN...: these and no other files, in this order
found_by() {
    list=$1 patterns=
    shift
    for pattern in "$@"; do patterns="$patterns --each $pattern"; done
    # shellcheck disable=SC2086
    (set -f && expect 0 out "" "$tilec" run add.py:add --grid 0 $patterns x=@{} y=x o=x n=0 BLOCK=1 --show 'x[0,:1]')
    [ "$(sed -n 's/\.png:$//p' "$folder/out" | tr '\n' ' ')" = "$list " ] || wrong "$*: $(cat "$folder/out")"
}
all='deep/a.b deep/b/c[1]/x deep/b/y deep/z'
found_by "$all" 'deep/**/*.png'
found_by "$all" 'deep/**'
found_by "$all" 'deep/**/**/*' 'deep/**/z.png'
found_by "$all" 'd*/**/*.png'
found_by 'deep/b/c[1]/x deep/b/y' 'deep/**/b/**/*.png'
found_by 'deep/b/c[1]/x' '**/x.png'
found_by 'deep/b/y' '**/b/*.png'
found_by 'deep/link/e' 'deep/link/**/*.png' # one that is named
found_by 'deep/a.b deep/z' 'deep/**.png'
expect 3 err "--each deep/**/*.gif: there is no such file" "$tilec" run add.py:add --grid 1 \
    --each 'deep/**/*.gif' x=@{} y=x o=x n=1 BLOCK=1
# deeper than any path can name: found is what can be opened
(
    mkdir pit && cp copies/a1.png pit && cd pit || exit
    level=$(printf '%0200d' 0)
    for i in $(seq 25); do
        mkdir "$level" && cd -P "$level" 2>/dev/null || break
    done
)
expect 0 err "--each pit/**/*.png: folders whose path has more than 4096 bytes are left out" "$tilec" run add.py:add \
    --grid 0 --each 'pit/**/*.png' x=@{} y=x o=x n=0 BLOCK=1 --show 'x[0,:1]'
expect 3 err "there is no such file" "$tilec" run add.py:add --grid 0 --each '/proc/self/**/*.png' x=@{} y=x o=x n=0 BLOCK=1
deep() {
    "$tilec" run add.py:add --grid 1 --each 'deep/**/*.png' x=@{} y=x o=x n=1 BLOCK=1 --save "$@"
}
expect 3 err "hint: mkdir -p mirror/deep 'mirror/deep/b/c[1]' mirror/deep/b" deep 'o=mirror/{dir}/{name}.npy'
mkdir -p 'mirror/deep/b/c[1]'
expect 0 err "4 of 4 files" deep 'o=mirror/{dir}/{name}.npy'
[ -s 'mirror/deep/b/c[1]/x.npy' ] && [ -s mirror/deep/a.b.npy ] || wrong "{dir} is not the file's folder"
cp deep/z.png deep/b/z.png
expect 2 err "deep/b/z.png and deep/z.png would both be written to out/z.npy" deep 'o=out/{name}.npy'

# one table for all: rows in the order of the files, with their paths
for extra in "--threads 1" "--threads 3"; do
    expect 0 err "5 of 5 files" "$tilec" run add.py:assert_small --grid 1 --each 'copies/a[0-4].png' x=@{} \
        o='empty(i32,x.shape(0))' n=2 BLOCK=2 $extra --save o=all.csv --save 'x=out/{name}.npy'
    head -n 1 all.csv | grep -qxF "file,o[0],o[1],o[2]" || wrong "titles: $(cat all.csv)"
    sed 1d all.csv | cut -d, -f1 | sort -c && [ "$(wc -l <all.csv)" = 6 ] || wrong "rows: $(cat all.csv)"
    sed -n 4p all.csv | grep -qx "copies/a2.png,4,6,-1" || wrong "values: $(cat all.csv)"
done

rm all.csv
expect 0 err "3 of 3 files" "$tilec" run add.py:assert_small --grid 1 --each 'copies/a[036].png' --batch 2 x=@{} \
    o='empty(fp32,(x.shape(0),1))' n=2 BLOCK=2 --save o=-.csv
[ "$(grep -v "^(" "$folder/out" | cut -d, -f1 | tr '\n' ' ')" = "file copies/a0.png copies/a3.png copies/a6.png " ] ||
    wrong "rows of batches"
# files of a list, in its order; of stdin, as find writes them
listed() {
    expect 0 out "x: " "$tilec" run add.py:add --grid 0 --each "$1" x=@{} y=x o=x n='{i}' BLOCK=2 --show x
    [ "$(grep -E '^(copies|#)' "$folder/out" | tr -d '\n')" = "$2" ] || wrong "files of $1"
}
printf 'copies/a3.png\r\n\ncopies/a0.png\ncopies/a3.png\ncopies/a1.png' >names.txt
listed @names.txt copies/a3.png:copies/a0.png:copies/a1.png:
[ "$(find copies -name 'a[25].png' -print0 | "$tilec" run add.py:add --grid 0 --each @- x=@{} y=x o=x n=0 BLOCK=2 --show x |
    grep -c '^copies/a[25].png:')" = 2 ] || wrong "names on stdin"
printf 'copies/a3.png\nnone.png\ncopies/a0.png\n' >names.txt
expect 1 err "none.png: No such file" "$tilec" run add.py:add --grid 0 --each @names.txt x=@{} y=x o=x n=0 BLOCK=2 --show x
grep -q "2 of 3 files" "$folder/err" || wrong "the others are done"
printf '# those of today\ncopies/a3.png\n' >names.txt
expect 3 err "--each @names.txt: there is no file '# those of today'; each line is a name, and none a comment" \
    "$tilec" run add.py:add --grid 0 --each @names.txt x=@{} y=x o=x n=0 BLOCK=2
cp copies/a0.png '#a.png'
echo '#a.png' >names.txt
listed @names.txt '#a.png:'
echo copies >names.txt
expect 3 err "--each @names.txt: 'copies' is a folder" "$tilec" run add.py:add --grid 0 --each @names.txt x=@{} y=x o=x n=0 BLOCK=2
echo >names.txt
expect 3 err "--each @names.txt: there is no name in it" "$tilec" run add.py:add --grid 0 --each @names.txt x=@{} y=x o=x n=0 BLOCK=2
expect 3 err "none.txt: No such file" "$tilec" run add.py:add --grid 0 --each @none.txt x=@{} y=x o=x n=0 BLOCK=2
expect 2 err "stdin is read as --each @- already" sh -c 'echo copies/a0.png | "$0" run add.py:add --grid 0 --each @- x=@{} \
    y=@- o=x n=0 BLOCK=2' "$tilec"

# a pipe that a pattern matches has no end
mkdir pipes && mkfifo pipes/b.png && cp copies/a0.png pipes/a.png
expect 0 err "pipes/b.png is left out, since it is no file" timeout 500 "$tilec" run add.py:add --grid 0 --each 'pipes/*' x=@{} y=x \
    o=x n=0 BLOCK=2 --show x

# several arrays are columns of one, with titles
table() {
    rm -f all.csv
    "$tilec" run add.py:add --grid 1 --each 'copies/a[01].png' x=@{} y='full(fp64,1,0.5)' o='full(i64,2,2**60+1)' n=0 BLOCK=2 "$@"
}
expect 0 err "2 of 2 files" table --save o=all.csv:first,'second "x"' --save y=./all.csv --save 'x=out/{name}.npy'
[ "$(cat all.csv)" = 'file,first,"second ""x""",y
copies/a0.png,1152921504606846977,1152921504606846977,0.5
copies/a1.png,1152921504606846977,1152921504606846977,0.5' ] || wrong "columns: $(cat all.csv)"
expect 0 out "file,y,o[0],o[1]" table --save y=-.csv --save o=-.csv
expect 2 err "--save o=all.csv:a: titles for 1 column, and the array has 2" table --save o=all.csv:a
expect 2 err "--save o=all.csv: it has 3 rows, and 'y' beside it has 1" "$tilec" run add.py:add --grid 0 --each 'copies/a[01].png' \
    x=@{} y='ones(u8,2)' o='zeros(u8,3x2)' n=0 BLOCK=2 --save y=all.csv --save o=all.csv

# numbers in it are those of a .csv of one call
for value in 'full(fp64,2,16777217.25)' 'full(fp64,2,1/3)' 'full(fp16,2,65504)' 'full(fp32,2,1e-9)' 'full(i64,2,2**53+1)'; do
    expect 0 out "" "$tilec" run add.py:add --grid 1 x=@copies/a0.png y=x o="$value" n=0 BLOCK=2 --save o=one.csv
    expect 0 err "1 of 1 files" "$tilec" run add.py:add --grid 1 --each 'copies/a0.png' x=@{} y=x o="$value" n=0 BLOCK=2 \
        --save o=all.csv
    number=$(head -n 1 one.csv)
    [ "$(tail -n 1 all.csv)" = "copies/a0.png,$number,$number" ] || wrong "$value: $number in $(cat all.csv)"
done
expect 0 out "65504" "$tilec" run add.py:add --grid 1 x=@copies/a0.png y=x o='full(fp16,2,65504)' n=0 BLOCK=2 --save o=-.csv
rm all.csv one.csv
expect 2 err "and a .csv without it has rows of all" "$tilec" run add.py:add --grid 1 --each 'copies/*.png' x=@{} \
    y=x o=x n=2 BLOCK=2 --save o=all.npy
expect 2 err "rows of a table have up to 2 dimensions, and it has 3" "$tilec" run add.py:add --grid 1 \
    --each 'copies/a0.png' x=@{} y=x o='empty(u8,2x2x2)' n=2 BLOCK=2 --save o=all.csv
[ ! -e all.csv ] || wrong "a table of nothing"

# what is there already is left out
rm -rf out && mkdir out
again() {
    "$tilec" run add.py:add --grid 1 --each 'copies/a[0-4].png' x=@{} y=x o='empty_like(x)' n='{i}' BLOCK=64 \
        --save 'o=out/{name}.npy' --skip-existing "$@"
}
expect 0 err "5 of 5 files" again
grep -q "replaced" "$folder/err" && wrong "there was nothing to replace"
grep -q "; 0 skipped" "$folder/err" || wrong "nothing was there"
cp out/a4.npy first
rm out/a4.npy out/a1.npy
expect 0 err "2 of 2 files" again
grep -q "; 3 skipped" "$folder/err" || wrong "three were there"
cmp -s out/a4.npy first || wrong "{i} is another number"
expect 0 err "0 of 0 files" again
grep -q "; 5 skipped: all outputs are there, and not older than their files$" "$folder/err" || wrong "no word of why"
expect 0 out '"skipped": 5, "failed": []' again --batch 2 --json
touch -d '2001-01-01' copies/a2.png
touch -d '2002-01-01' out/a3.npy
expect 0 err "1 of 1 files" again
grep -q "; 4 skipped; 1 older output replaced$" "$folder/err" || wrong "one is older than its file"
expect 2 err "--skip-existing is about what --save writes for the files of --each" each --skip-existing

# one that ends the process: how many were done before
printf 'P2 2 1 9 9 9' >crash-a.pgm
cp crash-a.pgm crash-b.pgm
printf 'P2 1 1 9 9' >crash-c.pgm
expect 139 err "tilec: stopped: 2 of 3 files are done" "$tilec" run add.py:add --grid 'cdiv(n,BLOCK)' --each 'crash-*.pgm' \
    --threads 1 x=@{} y=x o='empty_like(x)' n='1000000000*(2-x.shape(1))+2' BLOCK=64 --save 'o=out/{name}.pgm'

# stopped at any moment: files that are whole or not there, and none beside them
mkdir many stopped
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    for j in 0 1 2 3 4 5 6 7 8 9; do cp in/a0.png "many/$i-$j.png"; done
done
for wait in 0.05 0.06 0.07 0.08 0.09 0.1 0.12 0.14 0.16 1 20 400; do # longer ones where others use the machine
    [ "${wait#0}" != "$wait" ] || [ -z "$(ls stopped)" ] || break
    timeout -s INT "$wait" "$tilec" run add.py:add --grid 1 --each 'many/*.png' x=@{} y=x o='empty_like(x)' \
        n='x.numel()' BLOCK=64 --threads 4 --save 'o=stopped/{name}.png' 2>/dev/null
done
expect 0 out "" find stopped -name '.*' -type f
[ ! -s "$folder/out" ] || wrong "a file is left that was not whole"
expect 0 err "0 failed" sh -c '"$1" run add.py:add --grid 1 --each "stopped/*.png" x=@{} y=x o=x n=0 BLOCK=1 || exit
    echo "0 failed" >&2' sh "$tilec"

# names that would drive a terminal do so neither in lines nor in a table
mkdir -p "$folder/odd"
cat >"$folder/odd/k.py" <<'END'
import triton
import triton.language as tl

@triton.jit
def k(x, out):
    v = tl.load(x)
    print("a\x1b[31m", v)
    tl.store(out, v)
END
printf '7\n' >"$(printf '%s/odd/in\n\033[31m.csv' "$folder")"
expect 0 out 'odd/in\n\x1b[31m.csv:' "$tilec" run "$folder/odd/k.py" --each "$folder/odd/in*.csv" x=@{} out='empty(fp32,1)' \
    --grid 1 --show out --save out="$folder/odd/all.csv"
grep -qF '(0, 0, 0) a\x1b[31m: 7' "$folder/out" || wrong "no printed line"
grep -qF 'odd/in\n\x1b[31m.csv,7' "$folder/odd/all.csv" || wrong "no row in the table"
finish
