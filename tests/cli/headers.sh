#!/bin/sh
# headers.sh TILEC SOURCE - the headers by themselves: no warning in any language that they are for,
# under the compilers that there are, and the C++ one at work
. "$(dirname "$0")/expect.inc"
build=$(dirname "$tilec")
warnings="-Wall -Wextra -pedantic -Wconversion -Wshadow -Werror -I$source/include"
library="-L$build -ltilec -Wl,-rpath,$build"

cat >"$folder/c99.c" <<'END'
#include <stdio.h>
#include <tilec_call.h>

int main(void)
{
    float x[4] = {1, 2, 3, 4};
    tilec_arg a = TILEC_STRIDED_OF(TILEC_FP32, x, TILEC_LIST(2, 1), TILEC_LIST(2, 1));
    tilec_arg b = tilec_named("BLOCK", tilec_int(tilec_cdiv(5, 2)));
    char *error = NULL;

    printf("%d %d %s ", a.tensor.ndim, (int)b.integer, b.name);
    printf("%d\n", (int)tilec_call(NULL, "k", TILEC_GRID(1), &error,
                                   TILEC_ARRAY_OF(TILEC_FP32, x, 4), tilec_float(1.5)));
    tilec_free(error);
    return 0;
}
END
compilers=$(for c in gcc clang; do command -v $c; done)
for cc in $compilers; do
    for standard in c99 c11 c17; do
        # shellcheck disable=SC2086
        expect 0 out "" "$cc" -std=$standard $warnings "$folder/c99.c" -o "$folder/c99" $library
        silent
    done
    expect 0 out "2 3 BLOCK 5" "$folder/c99"
    expect 0 out "" "$cc" -std=c11 $warnings "$source/examples/add.c" -o "$folder/add" $library
    silent
done
compilers=$(for c in g++ clang++; do command -v $c; done)
for cc in $compilers; do
    for standard in c++17 c++20; do
        expect 0 out "" "$cc" -std=$standard $warnings "$source/tests/cpp/test_hpp.cpp" \
            -o "$folder/test" $library
        silent
        expect 0 out "all is well" "$folder/test"
        expect 0 out "" "$cc" -std=$standard $warnings "$source/examples/add.cpp" -o "$folder/add" \
            $library
        silent
    done
    expect 0 out "99999 + 0.5 = 99999.5" "$folder/add" "$source/kernels/add.py"
done
# what is no argument is said in words
refused() {
    printf '#include <optional>\n#include <tilec.hpp>\nenum class colour { red };\nvoid f(const tilec::kernel &k, %s)\n{ k(tilec::grid(1), a); }\n' \
        "$1" >"$folder/refused.cpp"
    for cc in $compilers; do
        expect 1 err "$2" "$cc" -std=c++17 -I"$source/include" -fsyntax-only "$folder/refused.cpp"
        grep -qF "no matching function" "$folder/err" && wrong "it says more than that: $1"
    done
}
refused "float *a" "a pointer has no extent: pass tilec::view(pointer, n)"
refused "const float *const a" "a pointer has no extent: pass tilec::view(pointer, n)"
refused "colour a" "an enumeration is no argument of a kernel: static_cast it"
refused "std::vector<bool> a" "this is no argument of a kernel: pass a number"
refused "std::optional<int> a" "this is no argument of a kernel: pass a number"
refused "std::unique_ptr<float[]> &a" "this is no argument of a kernel: pass a number"
# C++ is told which header is its own
echo '#include <tilec_call.h>' >"$folder/wrong.cpp"
for cc in $compilers; do
    expect 1 err "C++ has tilec.hpp" "$cc" -I"$source/include" -c "$folder/wrong.cpp" -o /dev/null
done
finish
