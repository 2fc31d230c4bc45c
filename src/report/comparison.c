/*
 * comparison.c - what `--compare` says: of each array how far it is from what it should be
 */
#include "report.h"

#include <math.h>

/* Arrays that nobody named and nothing happened to are not spoken of. */
bool comparison_is_told(const Comparison *m)
{
    return m->is_named || m->is_changed || m->is.wrong > 0;
}

static const char *worst_text(Store *s, const Comparison *m, const Array *a)
{
    Array dense = array_cast(s, a, a->dtype);
    uint64_t bits = element_get_bits(dense.data, m->is.worst, tilec_dtype_size(a->dtype));
    char text[ELEMENT_TEXT];

    element_format(text, a->dtype, bits, element_wants_exponent(a->dtype, bits));
    return arena_printf(s->arena, "%s", text);
}

static void put_difference(Store *s, Text *t, const Comparison *m)
{
    int64_t n = array_numel(m->got);

    text_printf(t, "%s: differs from %s in %lld of %lld elements (%.3g%%), rtol %g, atol %.3g\n",
                m->name, m->with, (long long)m->is.wrong, (long long)n,
                100.0 * (double)m->is.wrong / (double)n, m->is.rtol, m->is.atol);
    text_printf(t, "    worst: %s[%s] is %s, not %s; ", m->name,
                array_index_text(s->arena, m->got, m->is.worst), worst_text(s, m, m->got),
                worst_text(s, m, &m->want));
}

void comparison_put_nans(Text *t, const Comparison *m)
{
    text_printf(t, "%lld of %lld elements %s NaN in both", (long long)m->is.nans,
                (long long)array_numel(m->got), m->is.nans == 1 ? "is" : "are");
}

static void put_comparison(Store *s, Text *t, const Comparison *m)
{
    if (m->is.wrong > 0)
        put_difference(s, t, m);
    else
        text_printf(t, "%s: agrees with %s in %lld elements; ", m->name, m->with,
                    (long long)array_numel(m->got));
    text_printf(t, "greatest error %.3g, relative %.3g", m->is.max_abs, m->is.max_rel);
    if (m->is_wide)
        text_printf(t, ", %.4g units of %s", m->is.max_units, tilec_dtype_name(m->got->dtype));
    if (m->is.nans > 0) {
        text_put(t, "; ");
        comparison_put_nans(t, m);
    }
    text_put(t, "\n");
}

const char *comparison_text(Store *s, const Comparisons *all)
{
    Text t = text_new(s->arena);

    text_put(&t, "");
    for (int i = 0, told = 0; i < all->len; i++) {
        const Comparison *m = &all->at[i];

        if (comparison_is_told(m)) {
            put_comparison(s, &t, m);
            told++;
        }
        if (m->is_last && told == 0)
            text_printf(&t, "no array was changed, neither here nor by %s\n", m->with);
        told = m->is_last ? 0 : told;
    }
    return t.s;
}

/* Of 64 bits, with a sign or without. */
static const char *whole_json(Store *s, __int128 v)
{
    return v < 0 ? arena_printf(s->arena, "%lld", (long long)v)
                 : arena_printf(s->arena, "%llu", (unsigned long long)v);
}

/* "nan" and "inf" are texts: JSON has no such numbers. */
static void put_worst(Store *s, Text *t, const char *key, const Comparison *m, const Array *a)
{
    Array dense = array_cast(s, a, a->dtype);
    double v = array_number(&dense, m->is.worst);

    if (!isfinite(v))
        json_text(t, key, worst_text(s, m, a));
    else if (dense.dtype <= TILEC_U64)
        json_value(t, key, whole_json(s, array_whole(&dense, m->is.worst)));
    else
        json_number(t, key, v, 17);
}

static void put_json(Store *s, Text *t, const Comparison *m)
{
    int64_t n = array_numel(m->got);

    json_object(t, NULL);
    json_text(t, "name", m->name);
    json_text(t, "with", m->with);
    json_bool(t, "pass", m->is.wrong == 0);
    json_int(t, "elements", n);
    json_int(t, "wrong", m->is.wrong);
    json_int(t, "nan_in_both", m->is.nans);
    json_number(t, "share", n ? (double)m->is.wrong / (double)n : 0, 9);
    json_number(t, "max_abs", m->is.max_abs, 9);
    json_number(t, "max_rel", m->is.max_rel, 9);
    if (m->is_wide)
        json_number(t, "max_units", m->is.max_units, 9);
    json_number(t, "rtol", m->is.rtol, 9);
    json_number(t, "atol", m->is.atol, 9);
    if (n > 0) {
        json_object(t, "worst");
        array_put_index(t, "index", m->got, m->is.worst);
        put_worst(s, t, "value", m, m->got);
        put_worst(s, t, "reference", m, &m->want);
        json_object_end(t);
    }
    json_object_end(t);
}

const char *comparison_json(Store *s, const Comparisons *all)
{
    Text t = text_new(s->arena);

    json_array(&t, NULL);
    for (int i = 0; i < all->len; i++) {
        if (comparison_is_told(&all->at[i]))
            put_json(s, &t, &all->at[i]);
    }
    json_array_end(&t);
    return t.s;
}
