#!/bin/sh
# build.sh TILEC SOURCE - kernels ahead of time: the objects and headers of `tilec build`, compiled as C
# and C++ without a warning, run at each level of the CPU, and compared with `tilec run` at that
# level, bit for bit
. "$(dirname "$0")/expect.inc"
kernels=$source/tests/aot/kernels.py
levels="x86-64 x86-64-v3 x86-64-v4"
case $(uname -m) in
x86_64) ;;
*)
    expect 2 err "there is no level" "$tilec" build "$source/kernels/add.py" -o "$folder/a.o" \
        --header "$folder/a.h" 'x:*fp32' 'y:*fp32' 'out:*fp32' n:i32 BLOCK=64
    finish
    ;;
esac

# build KERNEL ARGUMENT... : $folder/KERNEL.o and .h
build() {
    name=${1#*:}
    file=$1
    shift
    expect 0 out "each for 3 levels" "$tilec" build "$file" -o "$folder/$name.o" \
        --header "$folder/$name.h" "$@"
}
build "$source/kernels/add.py:add_kernel" --grid 'cdiv(n, BLOCK)' --variant n=7 'x:*fp32' 'y:*fp32' \
    'out:*fp32' n:i32 BLOCK=256,1024
build "$kernels:scale_rows" 'out:*fp32' 'x:*fp32' 'factors:*fp32' rows:i32 columns:i32 stride:i32 BLOCK=128
build "$kernels:sort_tiles" --disjoint 'out:*fp32' 'x:*fp32' B=4096
build "$kernels:halves" 'out:*fp16' 'x:*fp16' n:i64 B=64
build "$kernels:guarded" 'out:*i32' 'x:*i32' n:i32 limit:i32 double:i1 B=32
build "$kernels:small" 'out:*i64' 'x:*i64' n:u32 BLOCK=16,64
expect 0 out "" "$tilec" build "$kernels:double" -o "$folder/pairs.o" --header "$folder/pairs.h" --name pairs \
    --grid 1 'out:*i64' 'pair=(7, 9)'

# programs, by each compiler that there is
objects="$folder/add_kernel.o $folder/scale_rows.o $folder/sort_tiles.o $folder/halves.o
    $folder/guarded.o $folder/pairs.o $folder/small.o"
warnings="-Wall -Wextra -pedantic -Wconversion -Wshadow -Werror -I$folder"
programs=""
cp "$source/tests/aot/test_aot.c" "$folder/test_aot.cpp"
for compiler in "gcc -std=c99" "clang -std=c99" "g++ -std=c++17" "clang++ -std=c++17"; do
    command -v "${compiler%% *}" >/dev/null || continue
    test_aot=$source/tests/aot/test_aot.c
    [ "${compiler#*++}" = "$compiler" ] || test_aot=$folder/test_aot.cpp
    program=$folder/program.$(echo "$compiler" | tr -c 'a-z0-9\n' _)
    # shellcheck disable=SC2086
    expect 0 out "" $compiler $warnings "$test_aot" $objects -lm -o "$program"
    silent
    programs="$programs $program"
done

# run KERNEL GRID OUTPUT ARGUMENT... : all of its arrays, at $level, into $folder/$level
run() {
    name=${1#*:} file=$1 grid=$2 out=$3
    shift 3
    saves=""
    for argument; do
        case $argument in *=*\(*) saves="$saves --save ${argument%%=*}=$folder/$level/${argument%%=*}.$name.npy" ;; esac
    done
    # shellcheck disable=SC2086
    expect 0 out "" "$tilec" run "$file" --arch "$level" --grid "$grid" $saves "$@"
}
for level in $levels; do
    mkdir "$folder/$level"
    "$tilec" run "$source/kernels/add.py" --arch "$level" --grid 1 'x=ones(fp32,4)' y=x out=x n=4 \
        BLOCK=4 >"$folder/out" 2>"$folder/err" || {
        grep -qF "this machine's CPU lacks" "$folder/err" || wrong "it does not say what is missing"
        break
    }
    run "$source/kernels/add.py:add_kernel" 'cdiv(n,BLOCK)' out 'x=randn(fp32,10007)' \
        'y=randn(fp32,10007)' 'out=empty(fp32,10007)' n=10007 BLOCK=256
    run "$kernels:scale_rows" rows out 'out=empty(fp32,13x777)' 'x=randn(fp32,13x777)' \
        'factors=rand(fp32,13)' rows=13 columns=777 stride=777 BLOCK=128
    run "$kernels:sort_tiles" 3 out 'out=empty(fp32,12288)' 'x=randn(fp32,12288)' B=4096
    if [ "$level" = x86-64 ]; then # which has no instructions for 16-bit floats; `run` needs them
        level=interp
        mkdir "$folder/interp"
        expect 0 out "" "$tilec" run "$kernels:halves" --device interp --grid 16 \
            --save x="$folder/x86-64/x.halves.npy" --save out="$folder/x86-64/out.halves.npy" \
            'out=empty(fp16,1001)' 'x=randn(fp16,1001)' n=1001 B=64
        level=x86-64
    else
        run "$kernels:halves" 16 out 'out=empty(fp16,1001)' 'x=randn(fp16,1001)' n=1001 B=64
    fi
    for program in $programs; do
        expect 0 out "$level" env TILEC_CPU=$level "$program" "$folder/$level"
        highest=$program
    done
    reached=$level
done
# what the environment asks for is not more than there is; of a level between two the lower one runs
expect 0 out "$reached" "$highest" "$folder/$reached"
expect 0 out "$reached" env TILEC_CPU= "$highest" "$folder/$reached"
expect 0 out "$reached" env TILEC_CPU=x86-64-v4 "$highest" "$folder/$reached"
expect 0 out x86-64 env TILEC_CPU=x86-64-v2 "$highest" "$folder/x86-64"

# nothing but the C library is asked for
nm -u "$folder"/*.o | awk '$1 == "U" && $2 !~ /^(getenv|strcmp|memcpy|memset|memmove|aligned_alloc|free|fmaf?|__(extendhfsf2|truncsfhf2))$/' >"$folder/out"
[ ! -s "$folder/out" ] || wrong "an object needs more than it should"
# one level alone
expect 0 out "" "$tilec" build "$source/kernels/add.py" -o "$folder/one.o" --header "$folder/one.h" \
    --cpu x86-64-v3 --name add_v3 'x:*fp32' 'y:*fp32' 'out:*fp32' n:i32 BLOCK=64
nm "$folder/one.o" | grep -qF add_v3_1.x86-64-v3 || wrong "the level is missing"
nm "$folder/one.o" | grep -qF x86-64-v4 && wrong "a level was not asked for"

# what names no level that there is code for runs none, and says so
cat >"$folder/which.c" <<'END'
#include <stdio.h>
#include "add_kernel.h"
#include "one.h"

int main(void)
{
    float x[4] = {1, 2, 3, 4}, out[4] = {0};
    int any = add_kernel(x, x, out, 4, 256), v3 = add_v3(x, x, x, 0, 1, 1, 1);

    printf("%d %g %s, %d %s\n", any, out[3], add_kernel_cpu(), v3, add_v3_cpu());
    return TILEC_AOT_NO_CPU != 2;
}
END
none="none: TILEC_CPU names no level of CPUs that there is code for"
# shellcheck disable=SC2086
expect 0 out "" gcc -std=c99 $warnings "$folder/which.c" "$folder/add_kernel.o" "$folder/one.o" -o "$folder/which"
expect 0 out "2 0 $none, 2 $none" env TILEC_CPU=nonsense "$folder/which"
expect 0 out "2 0 $none, 2 $none" env TILEC_CPU=x86-64-v33 "$folder/which"
expect 0 out "0 8 x86-64, 2 $none" env TILEC_CPU=x86-64 "$folder/which"
expect 0 out "0 8 x86-64, 2 $none" env TILEC_CPU=x86-64-v2 "$folder/which"

# in a shared library its functions are hidden, or not; those of the header can be made real ones
visible() { # OBJECT: what others see of a library of it
    expect 0 out "" gcc -shared "$1" -o "$folder/seen.so"
    nm -D --defined-only "$folder/seen.so" | awk '{print $3}' | grep -v '^_' | sort >"$folder/out"
}
visible "$folder/add_kernel.o"
[ ! -s "$folder/out" ] || wrong "a library shows functions of the object"
expect 0 out "" "$tilec" build "$source/kernels/add.py" -o "$folder/seen.o" --header "$folder/seen.h" \
    --export --cpu x86-64 --name seen 'x:*fp32' 'y:*fp32' 'out:*fp32' n:i32 BLOCK=64
visible "$folder/seen.o"
[ "$(tr '\n' ' ' <"$folder/out")" = "seen_1 seen_2 seen_level " ] || wrong "a library does not show what it should"
# shellcheck disable=SC2086
expect 0 out "" gcc -std=c99 $warnings -shared -fPIC -DTILEC_AOT_FUNCTION= -x c "$folder/add_kernel.h" \
    -x none "$folder/add_kernel.o" -lm -o "$folder/libreal.so"
nm -D --defined-only "$folder/libreal.so" | awk '{print $3}' | grep -v '^_' | sort >"$folder/out"
[ "$(tr '\n' ' ' <"$folder/out")" = "add_kernel add_kernel_cpu add_kernel_grid add_kernel_range " ] ||
    wrong "the functions of the header are not real ones"
cat >"$folder/foreign.c" <<'END'
extern int printf(const char *, ...);
extern int add_kernel(const float *x, const float *y, float *out, int n, long block);

int main(void)
{
    float x[4] = {1, 2, 3, 4}, out[4] = {0};
    int status = add_kernel(x, x, out, 4, 256), refused = add_kernel(x, x, out, 4, 100);

    printf("%d %g %d\n", status, out[3], refused);
    return 0;
}
END
expect 0 out "" gcc "$folder/foreign.c" "$folder/libreal.so" -Wl,-rpath,"$folder" -o "$folder/foreign"
expect 0 out "0 8 1" "$folder/foreign"

# the example, by make and by CMake
cp -r "$source/examples/aot" "$folder/example"
expect 0 out "" make -C "$folder/example" TILEC="$tilec"
expect 0 out "307680 pixels, 0 of them wrong" "$folder/example/blur"
rm "$folder/example/blur.h"
expect 0 out "" make -C "$folder/example" TILEC="$tilec"
expect 0 out "" cmake -S "$source/examples/aot" -B "$folder/example/build" -DTILEC="$tilec"
expect 0 out "" cmake --build "$folder/example/build"
expect 0 out "0 of them wrong, with code for x86-64" env TILEC_CPU=x86-64 "$folder/example/build/blur"

# mistakes: an exit code, a reason, no file
add="$source/kernels/add.py -o $folder/no.o --header $folder/no.h x:*fp32 y:*fp32 out:*fp32"
mistake() {
    code=$1 text=$2
    shift 2
    # shellcheck disable=SC2086
    expect "$code" err "$text" "$tilec" build $add "$@"
    [ ! -e "$folder/no.o" ] && [ ! -e "$folder/no.h" ] || wrong "it left a file: $*"
}
mistake 1 "\`BLOCK\` was not given" n:i32
mistake 1 "\`n\`" BLOCK=64
mistake 2 "is a tl.constexpr, which is compiled in" n:i32 BLOCK:i32
mistake 2 "did you mean 'BLOCK'" n:i32 BLOK=64
mistake 2 "n:*fp32 is its type" 'n=zeros(fp32,4)' BLOCK=64
mistake 2 "each is a whole number" n:i32 BLOCK=64,fp32
mistake 2 "hint: False and True are 0 and 1" n:i32 BLOCK=False,True
expect 2 err "not to stdout" "$tilec" build "$source/kernels/add.py" -o - --header "$folder/no.h"
mistake 2 "BLOCK: 32 is there twice" n:i32 BLOCK=32,64,32
mistake 2 "there is no level \`x86-64-v5\`" n:i32 BLOCK=64 --cpu x86-64-v5
mistake 2 "does not come behind" n:i32 BLOCK=64 --cpu x86-64-v3,x86-64
mistake 2 "'a-b' cannot be the name of a function" n:i32 BLOCK=64 --name a-b
mistake 2 "is whole" n:i32 BLOCK=64 --grid 'n/BLOCK'
mistake 2 "no parameter of this name" n:i32 BLOCK=64 --grid 'cdiv(m,BLOCK)'
mistake 2 "is no whole number" n:i32 BLOCK=64 --grid 'cdiv(x,BLOCK)'
mistake 2 "no such function" n:i32 BLOCK=64 --grid 'sqrt(n)'
mistake 2 "needs NAME=VALUE" n:i32 BLOCK=64 --variant n
mistake 2 "only an integer that calls give" n:i32 BLOCK=64 --variant BLOCK=3
mistake 2 "more than 64 specialisations" n:i32 "BLOCK=$(seq -s, 2 2 80)"
# of a kernel that cannot be read the command says what a launch would say
for code in 'def k(out, class):' 'def k(out, n' 'def k(out, n): tl.store(out, (1)'; do
    printf 'import triton\nimport triton.language as tl\n@triton.jit\n%s\n' "$code" >"$folder/bad.py"
    expect 1 err "bad.py:4:" "$tilec" run "$folder/bad.py:k" --grid 1 'out=zeros(i32,4)' n=4
    cp "$folder/err" "$folder/told"
    expect 1 err "" "$tilec" build "$folder/bad.py:k" -o "$folder/no.o" --header "$folder/no.h" \
        --grid 1 'out:*i32' n:i32
    cmp -s "$folder/told" "$folder/err" || wrong "run says something else of: $code"
done
expect 2 err "'double' cannot be the name of a function in C: it is a word" "$tilec" build "$kernels:double" -o "$folder/no.o" \
    --header "$folder/no.h" 'out:*i64' 'pair=(7, 9)'
expect 2 err "-o FILE.o is missing" "$tilec" build "$source/kernels/add.py" --header "$folder/no.h"
expect 2 err "--header FILE.h is missing" "$tilec" build "$source/kernels/add.py" -o "$folder/no.o"
expect 2 err "one file" "$tilec" build "$source/kernels/add.py" -o "$folder/a" --header "$folder/a"
expect 3 err "cannot be written" "$tilec" build "$source/kernels/add.py" -o "$folder/no/a.o" \
    --header "$folder/a.h"
finish
