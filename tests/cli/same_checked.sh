#!/bin/sh
# same_checked.sh TILEC SOURCE - what --check looks at makes code longer, and changes no result
. "$(dirname "$0")/expect.inc"
cd "$folder" || exit 1
k=$source/tests/num/gpu

# same FILE:KERNEL OUTPUT WORD... : that array of the CPU is the same with --check as without
same() {
    kernel=$1 output=$2
    shift 2
    expect 0 out "" "$tilec" run "$k/$kernel" --quiet "$@" --save "$output=plain.npy"
    expect 0 out "" "$tilec" run "$k/$kernel" --quiet "$@" --check --save "$output=checked.npy"
    cmp plain.npy checked.npy || wrong "$kernel: other results with --check"
}

# rows in strips, whose masks have a part that is known for no column
same attention.py:split_decode part_ptr --grid 2 'q_ptr=randn(fp32,3x24)' 'k_ptr=randn(fp32,50x24)' \
    'v_ptr=randn(fp32,50x24)' 'part_ptr=zeros(fp32,2x3x24)' 'top_ptr=zeros(fp32,2x3)' \
    'sum_ptr=zeros(fp32,2x3)' length=50 per_split=25 scale=0.2 H=3 D=24 N=7

# so long that it is cut into functions, one of which knows where a loop's tiles are kept
same tensors.py:gram c_ptr --grid 2,2 'x_ptr=randn(fp16,200x160)' 'c_ptr=zeros(fp16,200x200)' \
    m=200 k=160 xm=160 cm=200 M=128 K=64

# several loops of a kernel that ask for loads of the next round, the second by what the first has moved
expect 0 out ".entry" "$tilec" dump "$source/kernels/registration.py:find_kernel" --stage ptx \
    --device sim --check --num-warps 1 'x:*i8' 'templates:*i8' 'scores:*fp64' 'places:*i32' H=25 W=35 \
    top=0 left=0 rows=20 columns=27 image_stride=950 row_stride=38 template_image=0 \
    template_stride=72 template_row=12 TH=6 TW=9 NORMALISED=False BLOCK_Y=7 BLOCK_X=20 BLOCKS=True

finish
