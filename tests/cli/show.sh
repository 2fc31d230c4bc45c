#!/bin/sh
# show.sh TILEC SOURCE - what `--show` prints of an array: its summary, parts, all, a picture
. "$(dirname "$0")/expect.inc"

show() {
    "$tilec" run "$source/kernels/add.py" --grid 8 x="arange(fp32,2000)" y=x out="empty(fp32,2000)" \
        n=1999 BLOCK=256 "$@"
}

expect 0 out "out: fp32 2000  min 0.  max 3996.  mean 1998  nan 1  inf 0" show --show out
expect 0 out "... " show --show out=brief
expect 0 out "out[:4]: fp32 4  min 0.  max 6.  mean 3  nan 0  inf 0" show --show 'out[:4]'
expect 0 out "[0. 2. 4. 6.]" show --show 'out[:4]'
expect 0 out "[   0.    2.    4." show --show out=whole
grep -qF ... "$folder/out" && wrong "it was cut"
expect 0 out "out[:200]: fp32 200" show --show 'out[:200]=whole'
grep -qF ... "$folder/out" && wrong "it was cut"
expect 0 err "out: fp32 2000  min" show --json --show out

# what cannot be shown so is known before the kernel runs
expect 0 out "@@@@" show --show out=picture # a vector is a band
expect 2 err "--show out=hole: there is no way 'hole'; did you mean 'whole'?" show --show out=hole
expect 2 err "--show ou: there is no such argument; did you mean 'out'?" show --show ou=whole

picture() {
    "$tilec" run "$source/kernels/add.py" --grid 1 x="full(fp32,4x4,0.5)" y=x out="empty(fp32,4x4)" \
        n=16 BLOCK=16 "$@"
}
expect 0 out "@@@@" picture --show out=picture # a file is no terminal
printf '\033[38;2;255;255;255;48;2;255;255;255m' >"$folder/block"
expect 0 out "$(cat "$folder/block")" picture --show out=blocks

# transparency: the ground shows through, in two greys of which 0.6 is the first
alpha() {
    "$tilec" run "$source/kernels/add.py" --grid 0 x="$1" y=x out=x n=0 BLOCK=16 --show "x=${2:-blocks}"
}
# first_is R G B: of the first cell, the colour of the upper half
first_is() {
    grep -qF "$(printf '\033[38;2;%d;%d;%d' "$@")" "$folder/out" || wrong "the first colour is not $*"
}
expect 0 out "" alpha "zeros(u8,4x4x2)"
first_is 153 153 153
expect 0 out "" alpha "full(u8,4x4x4,255)"
first_is 255 255 255
expect 0 out "" alpha "zeros(u16,8x8x4)"
first_is 153 153 153
grep -qF "$(printf '2;102;102;102')" "$folder/out" || wrong "no second square"
expect 0 out "" alpha "arange(u8,1x1x4)*85" # (0, 85, 170), opaque
first_is 0 85 170
expect 0 out "" alpha "arange(u8,1x1x2)*51" # black that hides a fifth
first_is 122 122 122
expect 0 out "" alpha "arange(u16,1x2x2)*21845" # from 0 to 43690, a third and the whole
first_is 102 102 102
expect 2 err "cannot be drawn: a picture has one or two dimensions" alpha "zeros(fp32,4x4x4)"
expect 2 err "cannot be drawn: a picture has one or two dimensions" alpha "zeros(u8,4x4x5)"
finish
