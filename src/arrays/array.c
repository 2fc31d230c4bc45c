/*
 * array.c - the arrays of a client: their memory, their elements, other types
 */
#include "array.h"
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

Store store_new(Client *c, const ValueHost *host)
{
    return (Store){.client = c, .arena = c->arena, .host = host};
}

/* Storage that is kept until it is freed; fresh pages are zero. */
static void *new_block(Store *store, size_t bytes)
{
    Storage b = {.bytes = MAX(bytes, 64), .is_guarded = bytes <= MOST_GUARDED};

    b.memory = b.is_guarded ? os_alloc_guarded(b.bytes) : os_alloc_pages(b.bytes);
    if (!b.memory)
        client_stop(store->client, CLIENT_REFUSED,
                    "there is no memory for an array of %.6g %s\n"
                    "hint: a shape counts elements; --each takes files one by one",
                    (double)bytes / (bytes < 1e12 ? 1e9 : 1e12), bytes < 1e12 ? "GB" : "TB");
    vec_push(store->arena, &store->blocks, b);
    return b.memory;
}

int array_block(const Store *store, const void *data)
{
    for (int i = 0; i < store->blocks.len; i++) {
        const Storage *s = &store->blocks.at[i];
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

void array_free_from(Store *store, int kept)
{
    for (int i = kept; i < store->blocks.len; i++)
        free_block(&store->blocks.at[i]);
    store->blocks.len = kept;
}

Array array_new(Store *store, tilec_dtype t, int ndim, const int64_t *shape)
{
    Array a = {.dtype = t, .ndim = ndim};
    int64_t bytes = (int64_t)tilec_dtype_size(t), step = 1;
    bool empty = false;

    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0)
            client_stop(store->client, CLIENT_USAGE, "an array cannot have a negative extent");
        empty |= shape[i] == 0;
    }
    for (int i = ndim - 1; i >= 0; i--) {
        a.shape[i] = shape[i];
        a.strides[i] = step;
        if (empty)
            continue;
        if (__builtin_mul_overflow(bytes, shape[i], &bytes))
            client_stop(store->client, CLIENT_USAGE, "an array is larger than the address space");
        step *= shape[i];
    }
    a.data = new_block(store, empty ? 0 : (size_t)bytes);
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

tilec_tensor array_tensor(const Array *a)
{
    return (tilec_tensor){.data = a->data,
                          .dtype = a->dtype,
                          .ndim = a->ndim,
                          .shape = a->shape,
                          .strides = a->strides};
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

const char *array_index_text(Arena *arena, const Array *a, int64_t k)
{
    Text t = text_new(arena);
    int64_t left = k, step = array_numel(a);

    text_put(&t, "");
    for (int i = 0; i < a->ndim; i++) {
        step /= a->shape[i];
        text_printf(&t, "%s%lld", i ? "," : "", (long long)(left / step));
        left %= step;
    }
    return t.s;
}

void array_put_index(Text *json, const char *key, const Array *a, int64_t k)
{
    json_value(json, key, arena_printf(json->arena, "[%s]", array_index_text(json->arena, a, k)));
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

/* `n` elements that lie `step` elements apart. */
static void copy_row(const char *from, int64_t step, size_t size, int64_t n, char *to)
{
    if (step == 1) {
        memcpy(to, from, (size_t)n * size);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        element_put_bits(to, i, size, element_get_bits(from, i * step, size));
}

void array_copy_dense(const Array *a, void *to)
{
    size_t size = tilec_dtype_size(a->dtype);
    int64_t index[ARRAY_MAX_DIMS] = {0}, row = a->ndim > 0 ? a->shape[a->ndim - 1] : 1;
    Array rows = *a; /* without the dimension along them */
    char *out = to;

    if (array_numel(a) == 0)
        return;
    if (array_is_dense(a)) {
        memcpy(to, a->data, array_bytes(a));
        return;
    }
    rows.ndim--;
    do {
        copy_row(array_at(&rows, index), a->strides[rows.ndim], size, row, out);
        out += (size_t)row * size;
    } while (next_index(&rows, index));
}

/* Store a value; the two common types without the detour over their bits. */
void array_put(Array *a, int64_t k, double v)
{
    if (a->dtype == TILEC_FP32)
        ((float *)a->data)[k] = (float)v;
    else if (a->dtype == TILEC_FP64)
        ((double *)a->data)[k] = v;
    else
        element_put_bits(a->data, k, tilec_dtype_size(a->dtype),
                         scalar_from_double((DType)a->dtype, v));
}

double array_number(const Array *a, int64_t k)
{
    return scalar_to_double((DType)a->dtype,
                            element_get_bits(a->data, k, tilec_dtype_size(a->dtype)));
}

__int128 array_whole(const Array *a, int64_t k)
{
    size_t size = tilec_dtype_size(a->dtype);
    uint64_t bits = element_get_bits(a->data, k, size);
    int shift = 64 - 8 * (int)size;
    bool is_signed = a->dtype >= TILEC_I8 && a->dtype <= TILEC_I64;

    return is_signed ? (int64_t)(bits << shift) >> shift : (__int128)bits;
}

void array_numbers(const Array *a, int64_t k, int64_t n, double *out)
{
    const int64_t attrs[] = {ROUND_NEAREST};
    const void *source = array_element(a, k);

    scalar_apply(OP_cast, attrs, (DType)a->dtype, DT_FP64, &source, out, (size_t)n);
}

typedef struct {
    const Array *from, *to;
} Cast;

static void cast_part(void *cast, int64_t first, int64_t n)
{
    const Cast *k = cast;
    const int64_t attrs[] = {ROUND_NEAREST};
    const void *source[] = {array_element(k->from, first)};

    if (!scalar_apply(OP_cast, attrs, (DType)k->from->dtype, (DType)k->to->dtype, source,
                      array_element(k->to, first), (size_t)n))
        bug("a cast without a meaning");
}

void *array_element(const Array *a, int64_t k)
{
    return (char *)a->data + (size_t)k * tilec_dtype_size(a->dtype);
}

Array array_cast(Store *store, const Array *a, tilec_dtype t)
{
    Array dense = *a, out;

    if (!array_is_dense(a)) {
        dense = array_new(store, a->dtype, a->ndim, a->shape);
        array_copy_dense(a, dense.data);
    }
    if (t == a->dtype)
        return dense;
    out = array_new(store, t, a->ndim, a->shape);
    parts_run(array_numel(a), cast_part, &(Cast){&dense, &out});
    return out;
}
