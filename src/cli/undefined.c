/*
 * undefined.c - results that say nothing: made of what `empty` left, or of nothing but NaN
 *
 * The library says of each array whether the kernel asks for what was there before the launch.
 * Where that is storage of `empty`, it is whatever was there; atomics add to it, too.
 *
 * An array of results that is NaN in every element is rarely what was meant, unless NaN came in.
 */
#include "cli.h"

#include <math.h>

/* --- `empty` --- */

static const char *undefined_text(const Call *k)
{
    Cli *c = k->cli;
    Text t = text_new(c->arena);

    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        const MaybeUnwritten *m = &k->unwritten.arrays.at[i];
        if (m->block < k->first_block || !c->blocks.at[m->block].is_empty ||
            !(m->uses & TILEC_LOADS_FIRST) || array_numel(&m->array) == 0)
            continue;
        text_printf(&t, "%s%s: the kernel %s what `empty` leaves there, which is undefined\n",
                    t.len ? "\n" : "", m->name,
                    m->uses & TILEC_STORES ? "reads and changes" : "reads");
        text_printf(&t, "hint: zeros(%s,%s) begins with 0", tilec_dtype_name(m->array.dtype),
                    summary_shape(c, &m->array));
    }
    return t.len ? t.s : NULL;
}

/* --- NaN --- */

/* In any element, or in all of them? */
static bool has_nan(const Array *a, bool in_all)
{
    int64_t n = array_numel(a), nans = 0;
    double v[ARRAY_LANES];

    if (!dtype_is_float((DType)a->dtype) || n == 0)
        return false;
    for (int64_t i = 0; i < n; i += ARRAY_LANES) {
        int64_t lanes = MIN(ARRAY_LANES, n - i);

        array_numbers(a, i, lanes, v);
        for (int64_t m = 0; m < lanes; m++)
            nans += isnan(v[m]) != 0;
        if (in_all ? nans < i + lanes : nans > 0)
            break;
    }
    return in_all ? nans == n : nans > 0;
}

static bool nan_came_in(const Call *k)
{
    for (int i = 0; i < k->args.count; i++) {
        if (k->args.args[i].kind == TILEC_ARG_FLOAT && isnan(k->args.args[i].real))
            return true;
    }
    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        const MaybeUnwritten *m = &k->unwritten.arrays.at[i];
        if (!(m->uses & TILEC_STORES) && has_nan(&m->array, false))
            return true;
    }
    return false;
}

static bool is_only_nan(const MaybeUnwritten *m)
{
    enum { FEW = 2 }; /* elements, of which nothing follows */

    return (m->uses & TILEC_STORES) && !(m->uses & TILEC_LOADS) && m->count == 0 &&
           array_numel(&m->array) >= FEW && has_nan(&m->array, true);
}

static const char *nan_text(const Call *k)
{
    Text t = text_new(k->cli->arena);

    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        const MaybeUnwritten *m = &k->unwritten.arrays.at[i];
        if (is_only_nan(m))
            text_printf(&t, "%s%s: all of its %lld elements are NaN", t.len ? "\n" : "", m->name,
                        (long long)array_numel(&m->array));
    }
    if (t.len == 0 || nan_came_in(k))
        return NULL;
    text_put(&t,
             "\nhint: 0/0, inf - inf, the root or logarithm of a negative number; the softmax of "
             "a row whose mask leaves nothing is exp(-inf - -inf)");
    return t.s;
}

void undefined_tell(Call *k)
{
    const char *text;

    unwritten_find_arrays(k);
    text = undefined_text(k);
    if (text && k->options.launch.check)
        stop(k->cli, CLI_REFUSED, "%s", text);
    if (!text)
        text = nan_text(k);
    if (text)
        call_warn(k, text);
}
