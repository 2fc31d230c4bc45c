#!/bin/sh
# tensors.sh TILEC SOURCE - which loads become copies of tensor maps, and of which ones
#
# That they bring what they should is for tests/num/test_gpu_products.py, whose kernels these are.
. "$(dirname "$0")/expect.inc"
cd "$source" || exit 1

arch=sm_90a am=512
# plan_of KERNEL WORDS.. : its plan, for matrices of at most 512 x 512
plan_of() {
    kernel=$1
    shift
    "$tilec" dump "tests/num/gpu/tensors.py:$kernel" --arch "$arch" --stage layout \
        'a_ptr=zeros(fp16,(512,512))' 'b_ptr=zeros(fp16,(512,512))' 'c_ptr=zeros(fp32,(512,512))' \
        m=400 n=336 k=320 am="$am" bk=512 M=128 N=64 K=64 STAGES=3 "$@"
}
moved() {
    plan_of moved '_all_ptr=zeros(fp16,9)' 'at_ptr=zeros(i32,1)' back=5 HOW="'$1'"
}

a='of %a_ptr, [%k, %m] elements by [2, 2*%am] bytes, rows of 128'
ring='ring of 3 stages at 0..73728, mbarriers at 73728..73776'
for how in wrapped masked counted chosen; do
    expect 0 out "map 0: tiles of 64 x 128 $a" plan_of by_pointers HOW="'$how'"
    expect 0 out "$ring" plan_of by_pointers HOW="'$how'"
    expect 0 out ' by 1 of map 1 at (64*%' plan_of by_pointers HOW="'$how'"
done
expect 0 out '%a_ptr, [2147483648, %m] elements' plan_of by_pointers HOW="'even'"
expect 0 out "map 0: tiles of 64 x 128 $a" plan_of by_blocks
expect 0 out "map 0: tiles of 64 x 128 $a" plan_of by_descriptors
expect 0 out '%a by 2 of map 0 at (128*%0, %start), %b by 1 of map 1' plan_of turned
expect 0 out 'x 1 of %a_ptr, [%k, %m, 2147483648] elements by [2, 2*%am, 2*%a_batch] bytes' \
    plan_of batched a_batch=262144 b_batch=262144
expect 0 out '(%start, 128*%0, %batch + %which)' plan_of batched a_batch=262144 b_batch=262144
expect 0 out '[%k, %m + -1*%back] elements' moved cut
expect 0 out '(%start, 1 + 128*%0)' moved below
expect 0 out 'by [2, 4*%am] bytes' moved alone

# none COMMAND.. : what it plans has no tensor maps, but copies that threads ask for
none() {
    expect 0 out 'copy by 8' "$@"
    ! grep -q '^map 0' "$folder/out" || wrong "there are tensor maps: $*"
}
none plan_of by_pointers HOW="'seen'" # rows that are loaded from the beginning again are stored
none moved before                     # coordinates may be negative where nothing is masked
none moved loaded
none moved heads # m * am is no number that the launch knows
am=514 # of which nobody says that 16 bytes divide it
expect 0 out 'map 0: tiles of 64 x 64 of %b_ptr' plan_of by_pointers HOW="'masked'"
am=512
arch=sm_80 none plan_of by_pointers HOW="'masked'"
finish
