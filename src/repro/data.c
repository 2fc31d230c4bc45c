/*
 * data.c - arrays as words that make them again, which `tilec run` and Python read alike
 *
 * One value everywhere, and numbers in order, are said so.  Of others small arrays are there byte
 * by byte, and large ones become random numbers of the same statistics.  Arrays that share memory
 * share it again: the first of them has all of it, and the others are parts.
 */
#include <math.h>
#include <string.h>

#include "inside.h"

enum { INLINE_BYTES = 32 << 10 };

/* Elements of one dtype that lie side by side. */
typedef struct {
    const char *at;
    DType dtype;
    int64_t n;
} Memory;

/* Where its elements are. */
static Memory memory_of(const tilec_tensor *t)
{
    int64_t low = 0, high = 0, step = 1;
    DType dtype = (DType)t->dtype;

    for (int i = t->ndim - 1; i >= 0; i--) {
        int64_t last = (t->shape[i] - 1) * (t->strides ? t->strides[i] : step);

        if (t->shape[i] == 0)
            return (Memory){t->data, dtype, 0};
        low += MIN(last, 0);
        high += MAX(last, 0);
        step *= t->shape[i];
    }
    return (Memory){(const char *)t->data + low * dtype_size(dtype), dtype, high - low + 1};
}

static const char *end_of(const Memory *m)
{
    return m->at + m->n * dtype_size(m->dtype);
}

/* Do they meet, as parts of one array would? */
static bool is_shared(const Memory *a, const Memory *b)
{
    return a->dtype == b->dtype && a->n > 0 && b->n > 0 && a->at < end_of(b) && b->at < end_of(a) &&
           (a->at - b->at) % dtype_size(a->dtype) == 0;
}

/* What it and all that share memory with it cover. */
static Memory whole_of(const DataWriter *w, const tilec_tensor *t)
{
    Memory out = memory_of(t);

    for (bool grows = true; grows;) {
        grows = false;
        for (int i = 0; i < w->all.len; i++) {
            const Memory other = memory_of(w->all.at[i]);
            const char *end = MAX(end_of(&out), end_of(&other)), *at = MIN(out.at, other.at);
            int64_t n = (end - at) / dtype_size(out.dtype);

            if (!is_shared(&out, &other) || n == out.n)
                continue;
            out.at = at;
            out.n = n;
            grows = true;
        }
    }
    return out;
}

/* --- statistics --- */

static uint64_t bits_at(const Memory *m, int64_t k)
{
    uint64_t bits = 0;

    memcpy(&bits, m->at + k * dtype_size(m->dtype), (size_t)dtype_size(m->dtype));
    return bits;
}

static double number_at(const Memory *m, int64_t k)
{
    return scalar_to_double(m->dtype, bits_at(m, k));
}

typedef struct {
    double low, high, mean, deviation; /* of what is finite */
    int64_t nans, infinities;
    bool is_one_value, counts_up;
} Statistics;

static Statistics statistics_of(const Memory *m)
{
    Statistics s = {.low = INFINITY, .high = -INFINITY, .is_one_value = true, .counts_up = true};
    double sum = 0, squares = 0, first = number_at(m, 0);
    int64_t finite = 0;

    first = isfinite(first) ? first : 0;
    for (int64_t k = 0; k < m->n; k++) {
        double v = number_at(m, k);

        s.is_one_value = s.is_one_value && bits_at(m, k) == bits_at(m, 0);
        s.counts_up = s.counts_up && v == (double)k;
        s.nans += isnan(v) != 0;
        s.infinities += isinf(v) != 0;
        if (!isfinite(v))
            continue;
        finite++;
        s.low = MIN(s.low, v);
        s.high = MAX(s.high, v);
        sum += v - first; /* near to the mean, where squares cancel */
        squares += (v - first) * (v - first);
    }
    if (finite == 0)
        return s;
    s.mean = first + sum / (double)finite;
    s.deviation =
        sqrt(MAX(squares / (double)finite - (sum / (double)finite) * (sum / (double)finite), 0));
    return s;
}

/* --- words --- */

/* (3,6), and (3,) of one dimension */
static void put_numbers(Text *out, const int64_t *at, int n)
{
    text_put(out, "(");
    for (int i = 0; i < n; i++)
        text_printf(out, "%lld%s", (long long)at[i], n == 1 || i + 1 < n ? "," : "");
    text_put(out, ")");
}

static void put_number(Text *out, DType t, uint64_t bits)
{
    double v = scalar_to_double(t, bits);

    if (t == DT_U64)
        text_printf(out, "%llu", (unsigned long long)bits);
    else if (!dtype_is_float(t))
        text_printf(out, "%lld", (long long)scalar_to_int(t, bits));
    else if (isfinite(v))
        scalar_put_shortest(out, t, v);
    else
        text_put(out, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
}

static void note(DataWriter *w, const char *name, const Statistics *s, const char *what)
{
    text_printf(&w->notes, "# %s is not the real array, which is too large: %s numbers", name,
                what);
    if (s->nans > 0)
        text_printf(&w->notes, "; it has %lld NaN, which these have not", (long long)s->nans);
    if (s->infinities > 0)
        text_printf(&w->notes, "; it has %lld infinities, which these have not",
                    (long long)s->infinities);
    text_put(&w->notes, "\n");
}

/* Random numbers of that kind. */
static void put_random(DataWriter *w, const char *name, const Memory *m, const char *shape,
                       const Statistics *s, Text *out)
{
    const char *type = dtype_name(m->dtype);
    int seed = ++w->seeds;

    if (!dtype_is_float(m->dtype)) {
        text_printf(out, "randint(%s,%s,%.0f,%.0f,seed=%d)", type, shape, s->low, s->high + 1,
                    seed);
        note(w, name, s, "random whole");
        return;
    }
    const char *wide = dtype_bits(m->dtype) < 32 ? "fp32" : type;
    /* even ones reach 1.73 deviations to both sides, normal ones further */
    bool is_even = s->high - s->low < 3.6 * s->deviation;
    double scale = is_even ? s->high - s->low : s->deviation, first = is_even ? s->low : s->mean;

    text_printf(out, "(%s(%s,%s,seed=%d)*", is_even ? "rand" : "randn", wide, shape, seed);
    scalar_put_shortest(out, DT_FP32, isfinite(scale) ? (double)(float)scale : 1);
    text_put(out, "+");
    scalar_put_shortest(out, DT_FP32, isfinite(first) ? (double)(float)first : 0);
    text_put(out, wide == type ? ")" : ").to(");
    text_printf(out, wide == type ? "" : "%s)", type);
    note(w, name, s, is_even ? "even random" : "normal random");
}

/* What it has is of no use, and nobody's business: memory that was never written may have anything
 * of the process.  Others see the memory that it shares. */
static bool is_unread(const DataWriter *w, const tilec_tensor *t)
{
    bool is_one = false;

    for (int i = 0; i < w->unread.len; i++)
        is_one |= w->unread.at[i] == t;
    return is_one && whole_of(w, t).n == memory_of(t).n;
}

/* What makes all of the memory, in that shape. */
static void put_memory(DataWriter *w, const char *name, const Memory *m, const tilec_tensor *t,
                       const int64_t *dims, int ndim, Text *out)
{
    Text shape = text_new(w->arena);
    const char *type = dtype_name(m->dtype);
    Statistics s;

    put_numbers(&shape, dims, ndim);
    if (m->n == 0 || t->blank) {
        text_printf(out, "%s(%s,%s)", t->blank ? "empty" : "zeros", type, shape.s);
        return;
    }
    s = statistics_of(m);
    if (s.is_one_value) {
        text_printf(out, "full(%s,%s,", type, shape.s);
        put_number(out, m->dtype, bits_at(m, 0));
        text_put(out, ")");
    } else if (is_unread(w, t)) {
        text_printf(out, "empty(%s,%s)", type, shape.s);
        text_printf(&w->notes,
                    "# %s is empty here: the kernel writes to it, and reads nothing of it\n", name);
    } else if (s.counts_up) {
        text_printf(out, "arange(%s,%s)", type, shape.s);
    } else if (m->n * dtype_size(m->dtype) <= INLINE_BYTES) {
        text_printf(out, "data(%s,%s,'", type, shape.s);
        text_put_base64(out, m->at, (size_t)m->n * (size_t)dtype_size(m->dtype));
        text_put(out, "')");
    } else {
        put_random(w, name, m, shape.s, &s, out);
    }
}

static int64_t stride_of(const tilec_tensor *t, int dim)
{
    int64_t step = 1;

    if (t->strides)
        return t->strides[dim];
    for (int i = dim + 1; i < t->ndim; i++)
        step *= t->shape[i];
    return step;
}

/* Row-major, without gaps, and all of that memory? */
static bool is_whole(const tilec_tensor *t, const Memory *m)
{
    int64_t step = 1;

    for (int i = t->ndim - 1; i >= 0; i--) {
        if (t->shape[i] != 1 && stride_of(t, i) != step)
            return false;
        step *= t->shape[i];
    }
    return step == m->n && (m->n == 0 || t->data == (const void *)m->at);
}

static bool has_layout_of(const tilec_tensor *a, const tilec_tensor *b)
{
    for (int i = 0; i < a->ndim && a->ndim == b->ndim; i++) {
        if (a->shape[i] != b->shape[i] || stride_of(a, i) != stride_of(b, i))
            return false;
    }
    return a->ndim == b->ndim && a->data == b->data && a->dtype == b->dtype;
}

/* Behind what it is a part of: its shape, its strides, and where it begins there. */
static void put_part(const tilec_tensor *t, const void *from, Text *out)
{
    int64_t strides[TILEC_MAX_DIMS];

    for (int i = 0; i < t->ndim; i++)
        strides[i] = stride_of(t, i);
    text_put(out, ",");
    put_numbers(out, t->shape, t->ndim);
    text_put(out, ",");
    put_numbers(out, strides, t->ndim);
    text_printf(
        out, ",%lld)",
        (long long)(((const char *)t->data - (const char *)from) / dtype_size((DType)t->dtype)));
}

void data_put(DataWriter *w, const tilec_tensor *t, const char *text, Text *out)
{
    const Memory whole = whole_of(w, t), mine = memory_of(t);
    const KnownArray known = {t, text};

    for (int i = 0; i < w->known.len; i++) {
        const KnownArray *k = &w->known.at[i];
        const Memory other = memory_of(k->tensor);

        if (has_layout_of(t, k->tensor)) {
            text_put(out, k->text);
            return;
        }
        if (whole_of(w, k->tensor).at != whole.at || !is_shared(&whole, &other) || mine.n == 0)
            continue;
        text_printf(out, "strided(%s", k->text);
        put_part(t, k->tensor->data, out);
        return;
    }
    vec_push(w->arena, &w->known, known);
    if (is_whole(t, &whole)) {
        put_memory(w, text, &whole, t, t->shape, t->ndim, out);
        return;
    }
    text_put(out, "strided(");
    put_memory(w, text, &whole, t, &whole.n, 1, out);
    put_part(t, whole.at, out);
}
