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
        # shellcheck disable=SC2086
        expect 0 out "" "$cc" -std=$standard -fno-exceptions -fno-rtti $warnings \
            "$source/tests/cpp/test_no_exceptions.cpp" -o "$folder/quiet" $library
        silent
        expect 0 out "all is well" "$folder/quiet"
    done
    expect 134 err "error: /nowhere/x.py: No such file" "$folder/quiet" fail
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
refused "std::vector<std::pair<int, int>> a" "no element type for this C++ type: specialise it"
refused "float *a" "a pointer has no extent: pass tilec::view(pointer, n)"
refused "const float *const a" "a pointer has no extent: pass tilec::view(pointer, n)"
refused "colour a" "an enumeration is no argument of a kernel: static_cast it"
refused "std::vector<bool> a" "this is no argument of a kernel: pass a number"
refused "std::optional<int> a" "this is no argument of a kernel: pass a number"
refused "std::unique_ptr<float[]> &a" "this is no argument of a kernel: pass a number"
# and so is what is no file, no grid and no extent
stray() {
    printf '#include <tilec.hpp>\nvoid f(const tilec::context &c, const tilec::kernel &k, std::vector<float> &x)\n{ %s; (void)c, (void)k, (void)x; }\n' \
        "$1" >"$folder/stray.cpp"
    for cc in $compilers; do
        expect 1 err "$2" "$cc" -std=c++17 -I"$source/include" -fsyntax-only "$folder/stray.cpp"
        [ "$(grep -c 'error:' "$folder/err")" = 1 ] || wrong "it says more than that: $1"
    done
}
stray 'c["add"](tilec::grid(1), x)' 'kernels are in files: context.load('
stray 'k(4, x, x.size())' "a launch begins with how many programs there are: kernel(tilec::grid(programs), arguments"
stray 'k({4, 1, 1}, x, x.size())' "a launch begins with how many programs there are"
stray 'k[tilec::grid(1)](x)' "a launch begins with how many programs there are"
stray 'k(tilec::grid(1), tilec::options(), x)' "options are no argument: kernel.with(options)(grid, arguments...)"
stray 'tilec::view(x, 2.5)' "extents and strides are integers"
# and so is what a macro of C's cannot take: of WORDS C99 has only NAME; of what works it says nothing
cat >"$folder/macros.c" <<'END'
#include <stddef.h>
#include <tilec_call.h>
void f(int64_t n, size_t m, char c, float x[3][4], const float *p);
void f(int64_t n, size_t m, char c, float x[3][4], const float *p)
{
    (void)x, (void)p, (void)TILEC_GRID(1), (void)TILEC_GRID(n, c), (void)TILEC_GRID(1, 2, 3);
    (void)tilec_call_with(NULL, "k", TILEC_GRID(1), TILEC_OPTIONS(.check = 1, .threads = (int)n),
                          NULL, tilec_int(1));
    (void)TILEC_GRID(tilec_cdiv(n, 4), (int64_t)m), (void)TILEC_ARRAY_OF(TILEC_FP32, x, 3, 4);
#if __STDC_VERSION__ >= 201112L
    (void)TILEC_ARRAY(x[0], 3, 4), (void)TILEC_ARRAY(p, n), (void)TILEC_VALUE(n);
#endif
#ifdef WRONG
    (void)WRONG;
#endif
}
END
compilers=$(for c in gcc clang; do command -v $c; done)
macro_refused() {
    for cc in $compilers; do
        expect 1 err "$2" "$cc" -std=c11 -w -I"$source/include" "-DWRONG=$1" -fsyntax-only "$folder/macros.c"
        [ "$(grep -c 'error:' "$folder/err")" = 1 ] || wrong "it says more than that: $1"
        [ -z "$3" ] || expect 1 err "$3" "$cc" -std=c99 -w -I"$source/include" "-DWRONG=$1" \
            -fsyntax-only "$folder/macros.c"
    done
}
for cc in $compilers; do
    for standard in c99 c11 c17; do
        # shellcheck disable=SC2086
        expect 0 out "" "$cc" -std=$standard $warnings -fsyntax-only "$folder/macros.c"
        silent
    done
done
macro_refused "TILEC_GRID(1, 2, 3, 4)" "TILEC_GRID takes at most three extents" "at_most_three_extents"
macro_refused "TILEC_GRID(2.5)" "an extent of a TILEC_GRID is an integer" "invalid operands to binary"
macro_refused "TILEC_GRID(1, 1, 2.5f)" "an extent of a TILEC_GRID is an integer" "invalid operands to binary"
macro_refused "TILEC_GRID()" "TILEC_GRID takes one to three extents: TILEC_GRID(programs)" "extents_of_the_grid"
macro_refused "tilec_cdiv(n / 2.0, 256)" "tilec_cdiv divides integers, and rounds up"
macro_refused "TILEC_ARRAY_OF(TILEC_BF16, x, 3, n / 2.0)" "extents and strides are numbers of elements, and integers" \
    "invalid operands to binary"
macro_refused "TILEC_ARRAY(p, 10.5)" "extents and strides are numbers of elements, and integers"
macro_refused "TILEC_ARRAY(p)" "the extents stand behind the pointer: TILEC_ARRAY(x, rows, columns)"
macro_refused "TILEC_ARRAY(x, 3, 4)" "them: of \`float x[3][4]\` pass x[0]"
macro_refused "TILEC_STRIDED((void *)x, TILEC_LIST(3), TILEC_LIST(1))" "say the type of others by TILEC_ARRAY_OF"
# a function of that name takes it, or does not
for cc in $compilers; do
    for wrong in "TILEC_VALUE(&n):tilec_value_is_a_number_a_bool_or_a_text" \
        'tilec_call(NULL, "k", 4, NULL, tilec_int(1)):tilec_a_grid_is_written_TILEC_GRID|programs'; do
        "$cc" -std=c11 -w -I"$source/include" "-DWRONG=${wrong%:*}" -fsyntax-only "$folder/macros.c" \
            2>"$folder/err" && wrong "it compiles: ${wrong%:*}"
        grep -Eq "${wrong#*:}" "$folder/err" || wrong "$cc does not say ${wrong#*:}"
    done
done
for cc in $compilers; do # what C99 cannot do says what it can
    for macro in "TILEC_ARRAY(p, n):TILEC_ARRAY_OF" "TILEC_STRIDED(p, n, n):TILEC_STRIDED_OF" \
        "TILEC_VALUE(n):tilec_int_or_tilec_float" "TILEC_NAMED(N, n):tilec_named"; do
        name=${macro%%(*}
        expect 1 err "${name}_needs_C11_else_write_${macro#*:}" "$cc" -std=c99 -w \
            -I"$source/include" "-DWRONG=${macro%:*}" -fsyntax-only "$folder/macros.c"
        [ "$(grep -c 'error:' "$folder/err")" = 1 ] || wrong "it says more than that: $macro"
    done
done
# C++ is told which header is its own
echo '#include <tilec_call.h>' >"$folder/wrong.cpp"
for cc in $compilers; do
    expect 1 err "C++ has tilec.hpp" "$cc" -I"$source/include" -c "$folder/wrong.cpp" -o /dev/null
done
finish
