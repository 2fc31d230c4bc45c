/*
 * array_fill.c - what arrays of the command line begin with: one value, numbers in order, random
 * ones
 *
 * Random numbers are the same on every machine: element k of an array made with `seed` comes from
 * the (k+1)-th output of SplitMix64 started at `seed` (Steele, Lea and Flood, 2014), so it depends
 * on nothing but seed and k.  docs/cli.md repeats the formulas for who wants to check them.
 */
#include "array.h"
#include "../ir/ir.h"

#include <string.h>

/* What a part of an array is filled with. */
typedef struct {
    Array *a;
    uint64_t bits;            /* of all elements */
    uint64_t seed, low, last; /* of random numbers */
} Filling;

static void fill_part(void *filling, int64_t first, int64_t n)
{
    const Filling *f = filling;
    void *at = array_element(f->a, first);

    switch (tilec_dtype_size(f->a->dtype)) {
    case 1:
        memset(at, (int)f->bits, (size_t)n);
        return;
    case 2:
        for (int64_t k = 0; k < n; k++)
            ((uint16_t *)at)[k] = (uint16_t)f->bits;
        return;
    case 4:
        for (int64_t k = 0; k < n; k++)
            ((uint32_t *)at)[k] = (uint32_t)f->bits;
        return;
    default:
        for (int64_t k = 0; k < n; k++)
            ((uint64_t *)at)[k] = f->bits;
    }
}

static void fill_bits(Array *a, uint64_t bits)
{
    parts_run(array_numel(a), fill_part, &(Filling){.a = a, .bits = bits});
}

void array_fill(Array *a, double v)
{
    fill_bits(a, scalar_from_double((DType)a->dtype, v));
}

void array_fill_int(Array *a, uint64_t v)
{
    fill_bits(a, scalar_truncate((DType)a->dtype, v));
}

/* The low bits of an integer, of which i1 takes whether there are any. */
static void put_integer(const Array *a, int64_t k, uint64_t v)
{
    element_put_bits(a->data, k, tilec_dtype_size(a->dtype), a->dtype == TILEC_I1 ? v != 0 : v);
}

static void put_bits(const Array *a, int64_t k, uint64_t bits)
{
    element_put_bits(a->data, k, tilec_dtype_size(a->dtype), bits);
}

int array_unwritten_byte(tilec_dtype t)
{
    return t == TILEC_I1 ? 1 : 0xff;
}

void array_fill_unwritten(Array *a)
{
    uint64_t byte = (uint64_t)array_unwritten_byte(a->dtype);

    fill_bits(a, byte * UINT64_C(0x0101010101010101));
}

static void count_part(void *filling, int64_t first, int64_t n)
{
    Array *a = ((const Filling *)filling)->a;

    if (dtype_is_float((DType)a->dtype)) {
        for (int64_t k = first; k < first + n; k++)
            array_put(a, k, (double)k);
        return;
    }
    for (int64_t k = first; k < first + n; k++)
        put_integer(a, k, (uint64_t)k);
}

void array_count_up(Array *a)
{
    parts_run(array_numel(a), count_part, &(Filling){.a = a});
}

/* Output number k + 1 of SplitMix64 started at `seed`. */
static uint64_t random_bits(uint64_t seed, uint64_t k)
{
    uint64_t z = seed + (k + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Bits of the fraction, the hidden one included: so many random bits make an exact number. */
static int float_digits(tilec_dtype t)
{
    static const unsigned char digits[] = {
#define DTYPE(id, text, triton, repr, bits, kind, e, m, bias) [DT_##id] = (m) + 1,
#include "../ir/dtypes.h"
    };

    return digits[t];
}

/* Uniform in [0, 1) with as many digits as the type has; integers get all their bits random. */
static void randomise_part(void *filling, int64_t first, int64_t n)
{
    const Filling *f = filling;
    Array *a = f->a;
    int digits = float_digits(a->dtype);

    for (int64_t k = first; k < first + n; k++) {
        uint64_t z = random_bits(f->seed, (uint64_t)k);

        if (a->dtype == TILEC_I1)
            put_bits(a, k, z >> 63);
        else if (!dtype_is_float((DType)a->dtype))
            put_bits(a, k, z);
        else
            array_put(a, k, (double)(z >> (64 - digits)) / (double)((uint64_t)1 << digits));
    }
}

void array_randomise(Array *a, uint64_t seed)
{
    parts_run(array_numel(a), randomise_part, &(Filling){.a = a, .seed = seed});
}

/*
 * Nearly normal, mean 0 and variance 1: the sum of twelve 16-bit uniform numbers less 6, from
 * outputs 3k+1 .. 3k+3.  Unlike a logarithm it rounds the same everywhere; it ends at +-6.
 */
static void normal_part(void *filling, int64_t first, int64_t n)
{
    const Filling *f = filling;

    for (int64_t k = first; k < first + n; k++) {
        int64_t sum = 0;

        for (uint64_t i = 0; i < 3; i++) {
            uint64_t z = random_bits(f->seed, 3 * (uint64_t)k + i);

            for (int part = 0; part < 64; part += 16)
                sum += (int64_t)((z >> part) & 0xffff);
        }
        array_put(f->a, k, (double)(2 * sum + 12 - 12 * 65536) / (2 * 65536.0));
    }
}

void array_randomise_normal(Array *a, uint64_t seed)
{
    parts_run(array_numel(a), normal_part, &(Filling){.a = a, .seed = seed});
}

/* low + z * count / 2^64 of the generator's number z, count = last - low + 1: each of these
 * numbers, which wrap at 64 bits, is as likely as the others but for 2^-64 * count. */
static void between_part(void *filling, int64_t first, int64_t n)
{
    const Filling *f = filling;
    Array *a = f->a;

    for (int64_t k = first; k < first + n; k++) {
        unsigned __int128 z = random_bits(f->seed, (uint64_t)k);
        uint64_t v = f->low + (uint64_t)((z * (f->last - f->low) + z) >> 64);

        if (dtype_is_float((DType)a->dtype))
            array_put(a, k, (double)(int64_t)v);
        else
            put_integer(a, k, v);
    }
}

void array_randomise_between(Array *a, uint64_t seed, uint64_t low, uint64_t last)
{
    parts_run(array_numel(a), between_part,
              &(Filling){.a = a, .seed = seed, .low = low, .last = last});
}
