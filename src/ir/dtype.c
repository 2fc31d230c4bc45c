/*
 * dtype.c - what dtypes.h says about each element type
 */
#include <string.h>

#include "ir.h"

typedef struct {
    const char *name, *triton, *longname;
    int bits;
    char kind; /* B bool, S signed, U unsigned, F float */
    int exponent, mantissa, bias;
} Row;

static const Row rows[] = {
#define DTYPE(id, text, triton, longname, bits, kind, e, m, bias)                                  \
    {text, triton, longname, bits, #kind[0], e, m, bias},
#include "dtypes.h"
};

static const Row *row_of(DType t)
{
    if ((unsigned)t >= DT_COUNT)
        bug("no dtype has the number %d", (int)t);
    return &rows[t];
}

const char *dtype_name(DType t)
{
    return row_of(t)->name;
}

const char *dtype_triton_name(DType t)
{
    return row_of(t)->triton;
}

const char *dtype_long_name(DType t)
{
    return row_of(t)->longname;
}

static bool is_text(const char *want, const char *s, size_t n)
{
    return strlen(want) == n && memcmp(want, s, n) == 0;
}

static bool find_row(bool is_long, const char *s, size_t n, DType *out)
{
    for (int t = 0; t < DT_COUNT; t++) {
        if (is_text(is_long ? rows[t].longname : rows[t].name, s, n)) {
            *out = (DType)t;
            return true;
        }
    }
    return false;
}

bool dtype_from_name(const char *s, size_t n, DType *out)
{
    return find_row(false, s, n, out);
}

bool dtype_from_long_name(const char *s, size_t n, DType *out)
{
    return find_row(true, s, n, out);
}

int dtype_bits(DType t)
{
    return row_of(t)->bits;
}

int dtype_size(DType t)
{
    return (row_of(t)->bits + 7) / 8;
}

bool dtype_is_float(DType t)
{
    return row_of(t)->kind == 'F';
}

bool dtype_is_fp8(DType t)
{
    return row_of(t)->kind == 'F' && row_of(t)->bits == 8;
}

bool dtype_is_small_float(DType t)
{
    return row_of(t)->kind == 'F' && row_of(t)->bits <= 16;
}

bool dtype_is_int(DType t)
{
    return row_of(t)->kind != 'F';
}

bool dtype_is_signed(DType t)
{
    return row_of(t)->kind == 'S';
}

bool dtype_is_unsigned(DType t)
{
    return row_of(t)->kind == 'U' || row_of(t)->kind == 'B';
}

int dtype_exponent_bits(DType t)
{
    return row_of(t)->exponent;
}

int dtype_mantissa_bits(DType t)
{
    return row_of(t)->mantissa;
}

int dtype_bias(DType t)
{
    return row_of(t)->bias;
}
