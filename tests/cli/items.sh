#!/bin/sh
# items.sh TILEC SOURCE - options and arguments in files: @FILE
. "$(dirname "$0")/expect.inc"
add=$source/kernels/add.py
mkdir "$folder/in"

# file NAME LINE... : a file of these lines
file() {
    name=$folder/$1
    shift
    printf '%s\n' "$@" >"$name"
}

# run WORD... : the kernel, from another folder than the files are in
run() {
    "$tilec" run "$add" "$@"
}

# a value goes on to the next item, a comment or the line's end; brackets and quotes hide all three
file call.args "# add two arrays" "" "n = 8   # elements" "x = arange(fp32, n) * 2 + 1" \
    "y=ones(fp32, n)  out = empty_like( x )" "BLOCK=max(len('a b=1 # @c'), 4) if n == 8 else 4" \
    "   --grid cdiv(n, BLOCK), 1" "--show out --threads=1 "
expect 0 out "[ 2.  4.  6.  8. 10. 12. 14. 16.]" run "@$folder/call.args"

# quotes around the whole value of an option are taken off, as a shell does
file quoted.args "@call.args" "--grid 'cdiv(n, BLOCK)'" '--compare "out=x + y"'
expect 0 out "out: agrees with x + y in 8 elements" run "@$folder/quoted.args"

# the mark that some editors begin a file with is none of it
printf '\357\273\277# two arrays\n@call.args\n' >"$folder/mark.args"
printf '\357\273\277@call.args\r\n' >"$folder/mark2.args"
expect 0 out "[ 2.  4.  6.  8. 10. 12. 14. 16.]" run "@$folder/mark.args"
expect 0 out "[ 2.  4.  6.  8. 10. 12. 14. 16.]" run "@$folder/mark2.args"

# the command line goes first, in the file's place; --time takes only a number
expect 0 out "[2. 4. 6.]" run "@$folder/call.args" n=3
expect 0 out "[2. 4. 6.]" run n=3 "@$folder/call.args"
expect 0 out "[5. 5. 5. 5. 5. 5. 5. 5.]" run "@$folder/call.args" "x=full(fp32,n,4)"
file time.args "--time" "@call.args" "--time 3"
expect 2 err "time.args:3: --time is given twice" run "@$folder/time.args"
file time.args "--time 3" "@call.args"
expect 0 out ", 3 runs" run "@$folder/time.args"
expect 0 out ", 2 runs" run "@$folder/time.args" --time 2

# a file goes before those that it names, which lie beside it, and so do files of values
file in/data.args "x=@x.npy --save out=o.npy" "n=4" "y=x" "BLOCK=16"
file outer.args "@in/data.args" "n=3" "out=empty(fp32,4)" "--grid 1"
expect 0 out "" run --grid 1 x="arange(fp32,4)" y=x out=x n=4 BLOCK=4 --save "x=$folder/in/x.npy"
expect 0 out "[ 0.  4.  8. nan]" run "@$folder/outer.args" --show out
[ -s "$folder/in/o.npy" ] || wrong "--save does not count from the file's folder"
cp "$folder/in/data.args" "$folder/windows.args"
sed 's/$/\r/' "$folder/outer.args" >"$folder/windows.args"
expect 0 out "[ 0.  4.  8. nan]" run "@$folder/windows.args" --show out

# dump passes over what is for run
expect 0 out "kernel @add_kernel(" "$tilec" dump "$add" --stage ir "@$folder/call.args"
expect 0 out "%y: *fp32 div 64" "$tilec" dump "$add" --stage ir "@$folder/call.args"
expect 0 out "%y: *fp32, " "$tilec" dump "$add" --stage ir "@$folder/call.args" --unspecialised
file types.args "x:*fp32 y:*fp32" "out:*fp32 n:i32 BLOCK=64"
expect 0 out "%n: i32" "$tilec" dump "$add" --stage ir "@$folder/types.args"

# messages have the file and the line
file wrong.args "n=4" "x=ones(fp32, n" "y=x"
expect 2 err "wrong.args:2: x: this \`(\` is never closed" run "@$folder/wrong.args"
file wrong.args "--grid n" "x=ones(fp32,4)" "n=0.5"
expect 2 err "wrong.args:1: --grid: each value must be an integer" run "@$folder/wrong.args"
file wrong.args "" "x=@none.npy"
expect 3 err "wrong.args:2: $folder/none.npy: No such file" run "@$folder/wrong.args"
file wrong.args "n=1 BLOCKS=2"
expect 2 err "wrong.args:1: the kernel has no parameter 'BLOCKS'; did you mean 'BLOCK'?" \
    run "@$folder/wrong.args"
file wrong.args "--gird 4"
expect 2 err "wrong.args:1: there is no option '--gird' here; did you mean '--grid'?" \
    run "@$folder/wrong.args"
file wrong.args "--grid"
expect 2 err "wrong.args:1: --grid needs a value behind it" run "@$folder/wrong.args"
file wrong.args "x='rand(fp32,4)'"
expect 2 err "wrong.args:1: x: in quotes this is a text" run "@$folder/wrong.args"
expect 2 err "hint: in a file no quotes are needed: x=rand(fp32,4)" run "@$folder/wrong.args"
file wrong.args "n=1" "n=2"
expect 2 err "wrong.args:2: argument 'n' is given twice" run "@$folder/wrong.args"
file wrong.args "kernels/add.py"
expect 2 err "wrong.args:1: 'kernels/add.py' is no option, no NAME=VALUE and no @file" \
    run "@$folder/wrong.args"
file wrong.args "n=1" "@in/none.args"
expect 3 err "wrong.args:2: $folder/in/none.args: No such file" run "@$folder/wrong.args"
expect 3 err "tilec: none.args: No such file" run @none.args
expect 2 err "'@' needs the name of a file behind it" run @
expect 3 err "$folder: Is a directory" run "@$folder"
printf 'n=1\0' >"$folder/wrong.args"
expect 3 err "this is no text" run "@$folder/wrong.args"

# what names itself ends, however it is called
file in/round.args "@../round.args"
file round.args "n=1" "@in/round.args"
expect 2 err "in/round.args:1: @../round.args: this file names itself" run "@$folder/round.args"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
    file "deep$i.args" "@deep$((i + 1)).args"
done
expect 2 err "deep16.args:1: @deep17.args: files that name files are more than 16 deep" \
    run "@$folder/deep1.args"
finish
