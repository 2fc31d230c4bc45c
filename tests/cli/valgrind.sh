#!/bin/sh
# valgrind.sh TILEC SOURCE - kernels of `tilec build` with tails read nothing that nobody wrote, as valgrind sees it
. "$(dirname "$0")/expect.inc"
if ! command -v valgrind >/dev/null || [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: there is no valgrind"
    finish
fi
cat >"$folder/tails.py" <<'KERNEL'
import triton
import triton.language as tl


@triton.jit
def softmax_rows(x, o, rows, columns, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.arange(0, C)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    v = tl.load(x + r[:, None] * columns + c[None, :], mask=inside, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=1)[:, None])
    tl.store(o + r[:, None] * columns + c[None, :], e / tl.sum(e, axis=1)[:, None], mask=inside)
KERNEL
cat >"$folder/main.c" <<'PROGRAM'
#include <stdio.h>
#include <stdlib.h>
#include "k.h"

int main(int argc, char **argv)
{
    int rows = atoi(argv[1]), columns = atoi(argv[2]), n = rows * columns;
    float *x = malloc(sizeof *x * (size_t)n), *o = malloc(sizeof *o * (size_t)n), sum = 0;

    (void)argc;
    for (int i = 0; i < n; i++)
        x[i] = (float)(i % 17);
    int status = softmax_rows(x, o, rows, columns);
    for (int i = 0; i < n; i++)
        sum += o[i];
    printf("%d %.3f\n", status, (double)sum);
    free(x);
    free(o);
    return 0;
}
PROGRAM
# clean R C ROWS COLUMNS
clean() {
    expect 0 out "each for" "$tilec" build "$folder/tails.py" -o "$folder/k.o" --header "$folder/k.h" \
        --grid "cdiv(rows, $1)" 'x:*fp32' 'o:*fp32' rows:i32 columns:i32 R="$1" C="$2"
    expect 0 out "" cc -I"$folder" "$folder/main.c" "$folder/k.o" -o "$folder/main" -lm
    for level in x86-64 x86-64-v3; do
        expect 0 out "0 $3.000" env TILEC_CPU=$level valgrind -q --error-exitcode=9 "$folder/main" "$3" "$4"
    done
}
clean 1 1000 3 1000
clean 1 1000 3 781
clean 7 30 20 29
clean 16 3 16 3
finish
