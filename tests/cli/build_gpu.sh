#!/bin/sh
# build_gpu.sh TILEC SOURCE - kernels ahead of time for a GPU: objects and headers of `tilec build --arch`,
# compiled as C and C++ without a warning, and launched on a driver that only writes down
. "$(dirname "$0")/expect.inc"
kernels=$source/tests/aot/kernels.py
case $(uname -m) in
x86_64) ;;
*) finish ;;
esac

# build NAME KERNEL ARGUMENT... : $folder/NAME.o and .h
build() {
    name=$1
    kernel=$2
    shift 2
    expect 0 out "$name: " "$tilec" build "$kernel" -o "$folder/$name.o" --header "$folder/$name.h" --name "$name" "$@"
}
build add_gpu "$source/kernels/add.py" --arch sm_80 --grid 'cdiv(n,BLOCK)' 'x:*fp32' 'y:*fp32' 'out:*fp32' n:i32 BLOCK=256,1024
[ "$(cat "$folder/out")" = "add_gpu: 4 specialisations, each for sm_80" ] || wrong "it says something else"
grep -qF "for NVIDIA's chips from sm_80 on, as PTX" "$folder/add_gpu.h" || wrong "the header does not say for what"
build small_gpu "$kernels:small" --arch sm_90a 'out:*i64' 'x:*i64' n:u32 BLOCK=16,64
grep -qF "for NVIDIA's chip sm_90a alone, as PTX" "$folder/small_gpu.h" || wrong "the header does not say for what alone"
build big_gpu "$source/kernels/matmul.py:matmul_kernel" --arch sm_80 --num-stages 4 \
    --grid 'cdiv(M,BLOCK_M)*cdiv(N,BLOCK_N)' 'a:*fp16' 'b:*fp16' 'c:*fp16' M:i32 N:i32 K:i32 stride_am:i32 stride_ak=1 \
    stride_bk:i32 stride_bn=1 stride_cm:i32 stride_cn=1 BLOCK_M=128 BLOCK_N=128 BLOCK_K=64 GROUP_M=8
build wide_gpu "$source/kernels/matmul.py:matmul_kernel" --arch sm_90a --num-stages 3 --num-warps 8 \
    --grid 'cdiv(M,BLOCK_M)*cdiv(N,BLOCK_N)' 'a:*fp16' 'b:*fp16' 'c:*fp16' M:i32 N:i32 K:i32 stride_am:i32 stride_ak=1 \
    stride_bk:i32 stride_bn=1 stride_cm:i32 stride_cn=1 BLOCK_M=128 BLOCK_N=256 BLOCK_K=64 GROUP_M=8
expect 0 out '"levels": ["sm_80"]' "$tilec" build "$source/kernels/add.py" -o "$folder/j.o" --header "$folder/j.h" --arch sm_80 \
    --name j --json 'x:*fp32' 'y:*fp32' 'out:*fp32' n:i32 BLOCK=64
rm "$folder/j.o"

# objects need nothing, and are data alone
nm -u "$folder"/*.o | grep -q ' U ' && wrong "an object needs something"
nm "$folder"/*.o | grep -q ' [tT] ' && wrong "an object has code"

# programs, by each compiler that there is
warnings="-Wall -Wextra -pedantic -Wconversion -Wshadow -Werror -I$folder -I$source/tests/aot"
cp "$source/tests/aot/test_gpu.c" "$folder/test_gpu.cpp"
for compiler in "gcc -std=c99" "clang -std=c99" "g++ -std=c++17" "clang++ -std=c++17"; do
    command -v "${compiler%% *}" >/dev/null || continue
    program=$source/tests/aot/test_gpu.c
    [ "${compiler#*++}" = "$compiler" ] || program=$folder/test_gpu.cpp
    # shellcheck disable=SC2086
    expect 0 out "" $compiler $warnings -I"$source/tests/unit" "$program" "$folder/add_gpu.o" "$folder/big_gpu.o" \
        "$folder/small_gpu.o" "$folder/wide_gpu.o" -ldl -o "$folder/program"
    silent
    expect 0 out "all is well" env TILEC_LIBCUDA="$TILEC_FAKE_CUDA" "$folder/program"
done

# without a driver it says so
cat >"$folder/none.c" <<'END'
#include <stdio.h>
#include "add_gpu.h"

int main(void)
{
    int status = add_gpu(NULL, NULL, NULL, 5, 256, NULL);

    printf("%d: %s\n", status, tilec_aot_gpu_problem());
    return 0;
}
END
expect 0 out "" cc -I"$folder" "$folder/none.c" "$folder/add_gpu.o" -ldl -o "$folder/none"
expect 0 out "6: there is no NVIDIA driver" env TILEC_LIBCUDA=/nowhere/libcuda.so.1 "$folder/none"

# the PTX is what an assembler takes
if command -v ptxas >/dev/null; then
    for image in add big; do
        "$folder/program" $image >"$folder/$image.ptx"
        expect 0 "" "" ptxas -arch=sm_80 "$folder/$image.ptx" -o "$folder/$image.cubin"
    done
fi

# mistakes: an exit code, a reason, no file
mistake() {
    code=$1 text=$2 kernel=$3
    shift 3
    expect "$code" err "$text" "$tilec" build "$kernel" -o "$folder/no.o" --header "$folder/no.h" "$@"
    [ ! -e "$folder/no.o" ] && [ ! -e "$folder/no.h" ] || wrong "it left a file: $*"
}
add="x:*fp32 y:*fp32 out:*fp32 n:i32 BLOCK=64"
# shellcheck disable=SC2086
{
    mistake 2 "--arch x86-64-v3: that is no chip of a GPU" "$source/kernels/add.py" --arch x86-64-v3 $add
    mistake 2 "for the CPUs of --cpu or for the GPU of --arch" "$source/kernels/add.py" --arch sm_80 --cpu x86-64 $add
    mistake 2 "no code can be made for \`sm_999\`" "$source/kernels/add.py" --arch sm_999 $add
}
mistake 1 "the kernel prints or asserts" "$kernels:guarded" --arch sm_80 'out:*i32' 'x:*i32' n:i32 limit:i32 double:i1 B=32
finish
