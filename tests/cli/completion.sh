#!/bin/sh
# completion.sh TILEC SOURCE - what bash offers behind a beginning of a command line
. "$(dirname "$0")/expect.inc"
command -v bash >/dev/null || exit 0
cd "$source" || exit 1

# offers WORD... : what completes the last one, with bash's words
offers() {
    bash -c '. tools/completion/tilec.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _tilec tilec "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
        echo "[${COMPREPLY[*]}]"' bash "$@"
}

add=kernels/add.py
expect 0 out "[dump debug devices]" offers tilec d
expect 0 out "[list]" offers tilec l
expect 0 out "[build]" offers tilec b
expect 0 out "[--variant]" offers tilec build "$add" --v
expect 0 out "[x86-64-v4]" offers tilec build "$add" --cpu x86-64-v4
expect 0 out "[add mixed in-place]" offers tilec run "$add" --call ""
expect 0 out "[transposed]" offers tilec test "$add" kernels/matmul.py --call tr
expect 0 out "[kernels/softmax.py]" offers tilec test "$add" kernels/so
expect 0 out "[--save --show --skip-existing --sweep]" offers tilec run "$add" --s
expect 0 out "[layout llvm]" offers tilec dump "$add" --stage l
expect 0 out "[$add]" offers tilec run kernels/ad
expect 0 out "[add_kernel]" offers tilec run "$add" :
expect 0 out "[matmul_kernel]" offers tilec run kernels/matmul.py : mat
expect 0 out "[BLOCK_M= BLOCK_N= BLOCK_K=]" offers tilec run kernels/matmul.py : matmul_kernel BLOCK_
expect 0 out "[x= y= out= n= BLOCK=]" offers tilec run "$add" ""
expect 0 out "[x= y= out= n= BLOCK=]" offers tilec run "$add" : add_kernel ""
expect 0 out "[@kernels/add.py]" offers tilec run "$add" @kernels/ad
expect 0 out "[rand( randn( randint(]" offers tilec run "$add" x = ra
expect 0 out "[out]" offers tilec run "$add" x = ou
expect 0 out "[x y out n BLOCK]" offers tilec run "$add" --show ""
PATH=$(dirname "$tilec"):$PATH
expect 0 out "[grid]" offers tilec help gri
expect 0 out "[test]" offers tilec help te
expect 0 out "[]" offers tilec run missing.py : k ""
finish
