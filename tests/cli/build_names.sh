#!/bin/sh
# build_names.sh TILEC SOURCE - `tilec build` with parameters and functions of names that are taken in C or
# C++: words, macros and types of the compilers and headers that are here, and the header's own names
. "$(dirname "$0")/expect.inc"
[ "$(uname -m)" = x86_64 ] || finish # elsewhere there are no levels: build.sh

# what programs may include in front of the header
cat >"$folder/all.h" <<'END'
#include <arpa/inet.h>
#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <float.h>
#include <getopt.h>
#include <inttypes.h>
#include <iso646.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#ifndef __cplusplus
#include <complex.h>
#include <stdbool.h>
#if __STDC_VERSION__ >= 201112L
#include <stdalign.h>
#include <stdatomic.h>
#include <stdnoreturn.h>
#endif
#endif
END
languages="gcc -std=c99
gcc -std=gnu17
gcc -std=gnu2x
clang -std=gnu17
clang -std=gnu2x
g++ -std=c++17
g++ -std=gnu++20
clang++ -std=gnu++17
clang++ -std=c++20"

here() { # the languages that there are compilers for
    echo "$languages" | while read -r compiler standard; do
        command -v "$compiler" >/dev/null && echo "$compiler $standard"
    done
}
of() { # the option for the language of a compiler
    case $1 in *++*) echo "-x c++" ;; *) echo "-x c" ;; esac
}

# words of C99 to C23 and C++17 to C++26, of types and macros, and what the header has for `k`
cat >"$folder/words" <<'END'
alignas alignof asm auto bool case catch char char16_t char32_t char8_t co_await co_return co_yield concept
const const_cast consteval constexpr constinit contract_assert decltype default delete do double dynamic_cast enum
explicit export extern false float friend goto inline int long mutable namespace new noexcept nullptr operator
private protected public register reinterpret_cast requires restrict short signed sizeof static static_assert
static_cast struct switch template this thread_local throw true typedef typeid typename typeof typeof_unqual union
unsigned using virtual void volatile wchar_t bitand bitor compl and_eq not_eq or_eq xor xor_eq final
override module _Alignas _Alignof _Atomic _Bool _Complex _Generic _Noreturn _Static_assert
_Thread_local _BitInt __func__ __int128 __attribute__ __LINE__ __linux__
int32_t int64_t uint64_t size_t memcpy memset strlen printf exp index NULL INT32_MAX M_PI std main
tilec_grid tilec_first tilec_last tilec_words tilec_args tilec_programs tilec_aot_cdiv TILEC_AOT TILEC_AOT_OK
TILEC_AOT_K k k_1 k_2 k_grid k_range k_level k_cpu args words programs grid first last names
double_ double__ N N_ N__ M K I E
END
# and the macros without arguments of these headers that do not begin as others must
here >"$folder/here"
while read -r compiler standard; do
    # shellcheck disable=SC2046
    "$compiler" "$standard" -D_GNU_SOURCE $(of "$compiler") -dM -E "$folder/all.h"
done <"$folder/here" | awk '$1 == "#define" && $2 ~ /^[a-z]/ && $2 !~ /\(/ { print $2 }' >>"$folder/words"
python_words='and|as|assert|break|class|continue|def|else|for|from|if|import|in|is|not|or|pass|return|try|while|with'
tr -s ' ' '\n' <"$folder/words" | sort -u | grep -vxE "$python_words" >"$folder/names"
grep -qx st_atime "$folder/names" || wrong "there are no macros among the names"

# kernels of sixty parameters each, all of which the grid has too
split -l 60 "$folder/names" "$folder/part."
for part in "$folder"/part.*; do
    {
        printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef k('
        sed 's/$/, /' "$part" | tr -d '\n'
        printf 'output):\n    tl.store(output, %s)\n' "$(head -1 "$part")"
    } >"$folder/k.py"
    # shellcheck disable=SC2046
    expect 0 out "2 specialisations" "$tilec" build "$folder/k.py:k" -o "$folder/k.o" --header "$folder/k.h" \
        --cpu x86-64 --grid "$(tr '\n' '+' <"$part")0" $(sed 's/$/:i32/' "$part") 'output:*i32'
    printf '#include "all.h"\n#include "k.h"\nint main(void) { return 0; }\n' >"$folder/program"
    while read -r compiler standard; do
        # shellcheck disable=SC2046
        expect 0 out "" "$compiler" "$standard" -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror -fsyntax-only \
            $(of "$compiler") "$folder/program"
    done <"$folder/here"
done

# names that would become one stay apart
cat >"$folder/two.py" <<'END'
import triton
import triton.language as tl
@triton.jit
def two(double, double_, N, N_, N__):
    tl.store(double_, N_)
END
expect 0 out "" "$tilec" build "$folder/two.py" -o "$folder/two.o" --header "$folder/two.h" --cpu x86-64 \
    --grid 1 'double:i32' 'double_:*i32' N:i32 N_:i32 N__:i32
grep -qF 'int two(int32_t double__, int32_t *double_, int32_t N___, int32_t N____, int32_t N_____)' \
    "$folder/two.h" || wrong "two parameters are called something else"

# names of functions
name() {
    code=$1 text=$2 name=$3
    expect "$code" err "$text" "$tilec" build "$source/kernels/add.py" -o "$folder/f.o" --header "$folder/f.h" \
        --cpu x86-64 --name "$name" 'x:*fp32' 'y:*fp32' 'out:*fp32' n:i32 BLOCK=64
}
for word in double xor class thread_local; do
    name 2 "'$word' cannot be the name of a function in C: it is a word" $word
done
for word in NULL INT32_MAX int32_t size_t errno linux stdin; do
    name 2 "'$word' cannot be the name of a function in C: C's headers" $word
done
for word in memcpy printf exp; do
    name 2 "'$word' cannot be the name of a function in C: the C library has one" $word
done
name 2 "every program has" main
name 2 "kept for others" tilec_free
name 2 "kept for others" __add
name 2 "kept for others" _Add
name 2 "other signs than C's" 3a
for word in add_t _add ADD INT8_ADD st_add; do
    name 0 "" $word
done
finish
