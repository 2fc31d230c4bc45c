/*
 * array.c - arrays that the command line makes, fills and walks
 *
 * Random numbers are the same on every machine: element k of an array made with `seed` comes from
 * the (k+1)-th output of SplitMix64 started at `seed` (Steele, Lea and Flood, 2014), so it depends
 * on nothing but seed and k.  docs/cli.md repeats the formulas for who wants to check them.
 */
#include "cli.h"
#include "../ir/ir.h"

#include <string.h>

/* The public dtypes are the compiler's own, in the same order. */
_Static_assert((int)TILEC_I1 == (int)DT_I1 && (int)TILEC_FP16 == (int)DT_FP16 &&
                   (int)TILEC_FP64 == (int)DT_FP64,
               "tilec_dtype follows dtypes.h");

bool array_dtype(const char *name, size_t len, tilec_dtype *out)
{
    DType t;

    if (!dtype_from_name(name, len, &t) && !dtype_from_long_name(name, len, &t))
        return false;
    *out = (tilec_dtype)t;
    return true;
}

/* Small storage ends where memory ends, so that a kernel without its mask does not go unnoticed;
 * large storage begins where pages do, which is faster. */
enum { MOST_GUARDED = 1 << 20 };

/* Storage that is kept until the command ends; fresh pages are zero. */
static void *new_block(Cli *c, size_t bytes)
{
    Storage b = {.bytes = MAX(bytes, 64), .is_guarded = bytes <= MOST_GUARDED};

    b.memory = b.is_guarded ? os_alloc_guarded(b.bytes) : os_alloc_pages(b.bytes);
    if (!b.memory)
        stop(c, CLI_REFUSED, "there is no memory for an array of %.3g MB", (double)bytes / 1e6);
    vec_push(c->arena, &c->blocks, b);
    return b.memory;
}

int array_block(const Cli *c, const void *data)
{
    for (int i = 0; i < c->blocks.len; i++) {
        const Storage *s = &c->blocks.at[i];
        uintptr_t start = (uintptr_t)s->memory, at = (uintptr_t)data;

        if (at >= start && at - start < s->bytes)
            return i;
    }
    return -1;
}

static void free_block(const Storage *b)
{
    if (b->is_guarded)
        os_free_guarded(b->memory, b->bytes);
    else
        os_free_pages(b->memory, b->bytes);
}

void array_free_from(Cli *c, int kept)
{
    for (int i = kept; i < c->blocks.len; i++)
        free_block(&c->blocks.at[i]);
    c->blocks.len = kept;
}

Array array_new(Cli *c, tilec_dtype t, int ndim, const int64_t *shape)
{
    Array a = {.dtype = t, .ndim = ndim};
    int64_t bytes = (int64_t)tilec_dtype_size(t), step = 1;
    bool empty = false;

    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0)
            stop(c, CLI_USAGE, "an array cannot have a negative extent");
        empty |= shape[i] == 0;
    }
    for (int i = ndim - 1; i >= 0; i--) {
        a.shape[i] = shape[i];
        a.strides[i] = step;
        if (empty)
            continue;
        if (__builtin_mul_overflow(bytes, shape[i], &bytes))
            stop(c, CLI_USAGE, "an array is larger than the address space");
        step *= shape[i];
    }
    a.data = new_block(c, empty ? 0 : (size_t)bytes);
    return a;
}

int64_t array_numel(const Array *a)
{
    int64_t n = 1;

    for (int i = 0; i < a->ndim; i++) {
        if (a->shape[i] == 0)
            return 0; /* the other extents may have a product beyond 64 bits */
    }
    for (int i = 0; i < a->ndim; i++)
        n *= a->shape[i];
    return n;
}

size_t array_bytes(const Array *a)
{
    return (size_t)array_numel(a) * tilec_dtype_size(a->dtype);
}

bool array_is_dense(const Array *a)
{
    int64_t step = 1;

    if (array_numel(a) == 0)
        return true;
    for (int i = a->ndim - 1; i >= 0; i--) {
        if (a->shape[i] != 1 && a->strides[i] != step)
            return false;
        step *= a->shape[i];
    }
    return true;
}

bool array_has_shape_of(const Array *a, const Array *b)
{
    return a->ndim == b->ndim &&
           (a->ndim == 0 || memcmp(a->shape, b->shape, sizeof *a->shape * (size_t)a->ndim) == 0);
}

const void *array_at(const Array *a, const int64_t *index)
{
    int64_t offset = 0;

    for (int i = 0; i < a->ndim; i++)
        offset += index[i] * a->strides[i];
    return (const char *)a->data + offset * (int64_t)tilec_dtype_size(a->dtype);
}

const char *array_index_text(Cli *c, const Array *a, int64_t k)
{
    Text t = text_new(c->arena);
    int64_t left = k, step = array_numel(a);

    text_put(&t, "");
    for (int i = 0; i < a->ndim; i++) {
        step /= a->shape[i];
        text_printf(&t, "%s%lld", i ? "," : "", (long long)(left / step));
        left %= step;
    }
    return t.s;
}

/* The next index in row-major order; false behind the last. */
static bool next_index(const Array *a, int64_t *index)
{
    for (int i = a->ndim - 1; i >= 0; i--) {
        if (++index[i] < a->shape[i])
            return true;
        index[i] = 0;
    }
    return false;
}

void array_copy_dense(const Array *a, void *to)
{
    size_t size = tilec_dtype_size(a->dtype);
    int64_t index[CLI_MAX_DIMS] = {0};
    char *out = to;

    if (array_numel(a) == 0)
        return;
    if (array_is_dense(a)) {
        memcpy(to, a->data, array_bytes(a));
        return;
    }
    do {
        memcpy(out, array_at(a, index), size);
        out += size;
    } while (next_index(a, index));
}

static void put_bits(Array *a, int64_t k, uint64_t bits)
{
    size_t size = tilec_dtype_size(a->dtype);

    memcpy((char *)a->data + (size_t)k * size, &bits, size);
}

/* Store a value; the two common types without the detour over their bits. */
void array_put(Array *a, int64_t k, double v)
{
    if (a->dtype == TILEC_FP32)
        ((float *)a->data)[k] = (float)v;
    else if (a->dtype == TILEC_FP64)
        ((double *)a->data)[k] = v;
    else
        put_bits(a, k, scalar_from_double((DType)a->dtype, v));
}

double array_number(const Array *a, int64_t k)
{
    size_t size = tilec_dtype_size(a->dtype);
    uint64_t bits = 0;

    memcpy(&bits, (const char *)a->data + (size_t)k * size, size);
    return scalar_to_double((DType)a->dtype, bits);
}

Array array_cast(Cli *c, const Array *a, tilec_dtype t)
{
    const int64_t attrs[] = {ROUND_NEAREST};
    Array dense = *a, out;
    const void *source[1];

    if (!array_is_dense(a)) {
        dense = array_new(c, a->dtype, a->ndim, a->shape);
        array_copy_dense(a, dense.data);
    }
    if (t == a->dtype)
        return dense;
    out = array_new(c, t, a->ndim, a->shape);
    source[0] = dense.data;
    if (!scalar_apply(OP_cast, attrs, (DType)a->dtype, (DType)t, source, out.data,
                      (size_t)array_numel(a)))
        bug("a cast without a meaning");
    return out;
}

void array_fill(Array *a, double v)
{
    int64_t n = array_numel(a);

    for (int64_t k = 0; k < n; k++)
        array_put(a, k, v);
}

void array_fill_int(Array *a, uint64_t v)
{
    int64_t n = array_numel(a);
    uint64_t bits = scalar_truncate((DType)a->dtype, v);

    for (int64_t k = 0; k < n; k++)
        put_bits(a, k, bits);
}

int array_unwritten_byte(tilec_dtype t)
{
    return t == TILEC_I1 ? 1 : 0xff;
}

void array_fill_unwritten(Array *a)
{
    memset(a->data, array_unwritten_byte(a->dtype), array_bytes(a));
}

void array_count_up(Array *a)
{
    int64_t n = array_numel(a);

    if (dtype_is_float((DType)a->dtype)) {
        for (int64_t k = 0; k < n; k++)
            array_put(a, k, (double)k);
        return;
    }
    for (int64_t k = 0; k < n; k++)
        put_bits(a, k, scalar_truncate((DType)a->dtype, (uint64_t)k));
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
void array_randomise(Array *a, uint64_t seed)
{
    int64_t n = array_numel(a);
    int digits = float_digits(a->dtype);

    for (int64_t k = 0; k < n; k++) {
        uint64_t z = random_bits(seed, (uint64_t)k);

        if (a->dtype == TILEC_I1)
            put_bits(a, k, z >> 63);
        else if (!dtype_is_float((DType)a->dtype))
            put_bits(a, k, z);
        else
            array_put(a, k, (double)(z >> (64 - digits)) / (double)((uint64_t)1 << digits));
    }
}

/*
 * Nearly normal, mean 0 and variance 1: the sum of twelve 16-bit uniform numbers less 6, from
 * outputs 3k+1 .. 3k+3.  Unlike a logarithm it rounds the same everywhere; it ends at +-6.
 */
void array_randomise_normal(Array *a, uint64_t seed)
{
    int64_t n = array_numel(a);

    for (int64_t k = 0; k < n; k++) {
        int64_t sum = 0;

        for (uint64_t i = 0; i < 3; i++) {
            uint64_t z = random_bits(seed, 3 * (uint64_t)k + i);

            for (int part = 0; part < 64; part += 16)
                sum += (int64_t)((z >> part) & 0xffff);
        }
        array_put(a, k, (double)(2 * sum + 12 - 12 * 65536) / (2 * 65536.0));
    }
}

/* low + z * count / 2^64 of the generator's number z, count = last - low + 1: each of these
 * numbers, which wrap at 64 bits, is as likely as the others but for 2^-64 * count. */
void array_randomise_between(Array *a, uint64_t seed, uint64_t low, uint64_t last)
{
    int64_t n = array_numel(a);

    for (int64_t k = 0; k < n; k++) {
        unsigned __int128 z = random_bits(seed, (uint64_t)k);
        uint64_t v = low + (uint64_t)((z * (last - low) + z) >> 64);

        if (dtype_is_float((DType)a->dtype))
            array_put(a, k, (double)(int64_t)v);
        else
            put_bits(a, k, scalar_truncate((DType)a->dtype, v));
    }
}
