/*
 * undefined.c - results that say nothing: made of what `empty` left, NaN, or infinite
 *
 * The library says of each array whether the kernel asks for what was there before the launch.
 * Where that is storage of `empty`, it is whatever was there; atomics add to it, too.
 *
 * Results that are NaN are rarely what was meant, unless NaN or an infinity came in, or the kernel
 * has some of its own; nor are some
 * that are infinite, where not all are, or where they have 16 bits or less.  Of infinities only the
 * positive one counts: overflow is mostly that, and the logarithm of 0 the other.
 */
#include "call.h"

#include <math.h>

/* --- `empty` --- */

static const char *undefined_text(const Call *k)
{
    Cli *c = k->cli;
    Text t = text_new(c->arena);

    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        const MaybeUnwritten *m = &k->unwritten.arrays.at[i];
        if (m->block < k->first_block || !c->store.blocks.at[m->block].is_empty ||
            !(m->uses & TILEC_LOADS_FIRST) || array_numel(&m->array) == 0)
            continue;
        text_printf(&t, "%s%s: the kernel %s what `empty` leaves there, which is undefined\n",
                    t.len ? "\n" : "", m->name,
                    m->uses & TILEC_STORES ? "reads and changes" : "reads");
        text_printf(&t, "hint: zeros(%s,%s) begins with 0", tilec_dtype_name(m->array.dtype),
                    summary_shape(c->arena, &m->array));
    }
    return t.len ? t.s : NULL;
}

/* --- what is no number --- */

/* How many elements are NaN, and how many infinite; the first of each. */
typedef struct {
    int64_t n, nans, infinite, first_nan, first_infinite;
} Oddities;

static void note_oddities(Oddities *o, const double *v, int64_t at, int64_t lanes, bool negative)
{
    for (int64_t i = 0; i < lanes; i++) {
        if (isnan(v[i]) && o->nans++ == 0)
            o->first_nan = at + i;
        if (isinf(v[i]) && (negative || v[i] > 0) && o->infinite++ == 0)
            o->first_infinite = at + i;
    }
}

/* `negative`: -inf counts, too. */
static Oddities oddities_of(Cli *c, const Array *a, bool negative)
{
    Oddities o = {.n = array_numel(a)};
    double v[ARRAY_LANES];

    if (!dtype_is_float((DType)a->dtype))
        return o;
    const Array dense = array_cast(&c->store, a, a->dtype);
    for (int64_t i = 0; i < o.n; i += ARRAY_LANES) {
        int64_t lanes = MIN(ARRAY_LANES, o.n - i);

        array_numbers(&dense, i, lanes, v);
        note_oddities(&o, v, i, lanes, negative);
    }
    return o;
}

/* NaN and infinities follow from those that come in. */
static bool oddities_came_in(const Call *k)
{
    for (int i = 0; i < k->args.count; i++) {
        if (k->args.args[i].kind == TILEC_ARG_FLOAT && !isfinite(k->args.args[i].real))
            return true;
    }
    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        const MaybeUnwritten *m = &k->unwritten.arrays.at[i];
        Oddities o;
        if (m->uses & TILEC_STORES)
            continue;
        o = oddities_of(k->cli, &m->array, true);
        if (o.nans + o.infinite > 0)
            return true;
    }
    return false;
}

/* Did it begin with random numbers, which are finite? */
static bool began_finite(const Call *k, const MaybeUnwritten *m)
{
    return m->block >= k->first_block && k->cli->store.blocks.at[m->block].is_drawn;
}

/* Is all of it what the kernel computed, or made of finite numbers? */
static bool is_result(const Call *k, const MaybeUnwritten *m)
{
    return (m->uses & TILEC_STORES) && (!(m->uses & TILEC_LOADS) || began_finite(k, m)) &&
           m->count == 0;
}

/* "o: 3 of 8 elements are NaN, the first is o[5]" */
static void put_oddities(const Call *k, Text *t, const MaybeUnwritten *m, int64_t count,
                         int64_t first, const char *what)
{
    int64_t n = array_numel(&m->array);

    text_printf(t, "%s%s: ", t->len ? "\n" : "", m->name);
    if (n == 1)
        text_printf(t, "its only element is %s", what);
    else if (count == n)
        text_printf(t, "all of its %lld elements are %s", (long long)n, what);
    else
        text_printf(t, "%lld of %lld elements %s %s, the first is %s[%s]", (long long)count,
                    (long long)n, count == 1 ? "is" : "are", what, m->name,
                    array_index_text(k->cli->arena, &m->array, first));
}

static const char *odd_text(const Call *k)
{
    Text t = text_new(k->cli->arena);
    bool any_nan = false, any_infinite = false;

    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        const MaybeUnwritten *m = &k->unwritten.arrays.at[i];
        Oddities o = is_result(k, m) ? oddities_of(k->cli, &m->array, false) : (Oddities){0};
        bool narrow = tilec_dtype_size(m->array.dtype) <= 2;
        bool nans = o.nans > 0 && !(m->uses & TILEC_OWN_NAN);
        bool infinite = o.infinite > 0 && !(m->uses & TILEC_OWN_INF) &&
                        (narrow || o.infinite < o.n || began_finite(k, m));
        if (nans)
            put_oddities(k, &t, m, o.nans, o.first_nan, "NaN");
        if (infinite)
            put_oddities(k, &t, m, o.infinite, o.first_infinite, "infinite");
        any_nan |= nans;
        any_infinite |= infinite;
    }
    if (t.len == 0 || oddities_came_in(k))
        return NULL;
    if (any_nan)
        text_put(&t,
                 "\nhint: 0/0, inf - inf, the root or logarithm of a negative number; the softmax "
                 "of a row whose mask leaves nothing is exp(-inf - -inf)");
    if (any_infinite)
        text_put(&t, "\nhint: fp16 ends at 65504, and exp(x) in fp32 at x = 88: sum in fp32, "
                     "subtract the maximum first, or scale");
    return t.s;
}

void undefined_tell(Call *k)
{
    const int kept = k->cli->store.blocks.len;
    const char *text;

    unwritten_find_arrays(k);
    text = undefined_text(k);
    if (text && k->options.launch.check)
        cli_stop(k->cli, CLI_REFUSED, "%s", text);
    if (!text)
        text = odd_text(k);
    array_free_from(&k->cli->store, kept);
    if (text)
        call_warn(k, text);
}
