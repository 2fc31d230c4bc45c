/*
 * access_distinct.c - is no value of a tile in two of its elements, or how far apart are they?
 *
 * A store to such addresses has one writer for each.  Below is what access.c knows of a tile along
 * all of its dimensions as text, for tests.
 */
#include "access.h"

static bool nothing_given(const void *whose, const Value *v)
{
    (void)whose;
    (void)v;
    return false;
}

/* --- elements of their own --- */

typedef struct {
    int64_t stride, extent;
} Steps;

/* The steps of v along dimension d, as one vector of all: a run that fills it is one, too. */
static bool whole_steps(Arena *a, const AxisFacts *x, Value *v, int d, Steps *out)
{
    int extent = v->type->dims[d];
    Access steps =
        access_of(access_space(a, x, d, extent, nothing_given, NULL), v, access_identity);

    *out = (Steps){steps.stride < 0 ? -steps.stride : steps.stride, extent};
    return steps.ok && !steps.scale && steps.every == 0 && steps.stride != INT64_MIN;
}

/* The largest steps first. */
static void sort_steps(Steps *s, int n)
{
    for (int i = 1; i < n; i++) {
        for (int k = i; k > 0 && s[k - 1].stride < s[k].stride; k--) {
            Steps t = s[k];
            s[k] = s[k - 1];
            s[k - 1] = t;
        }
    }
}

/* All steps are fixed numbers, so the value is a first one and a sum of them.  Each must go beyond
 * where the smaller ones reach together.  They reach less than 2^32 then: where an i32 among the
 * indices comes around after all, that is no difference that they make up for. */
bool access_distinct(Arena *a, const AxisFacts *x, Value *v)
{
    Steps s[MAX_RANK];
    int n = 0;
    int64_t reach = 0, more;

    for (int d = 0; d < v->type->rank; d++) {
        if (v->type->dims[d] > 1 && !whole_steps(a, x, v, d, &s[n++]))
            return false;
    }
    sort_steps(s, n);
    for (int i = n - 1; i >= 0; i--) {
        if (s[i].stride <= reach || __builtin_mul_overflow(s[i].stride, s[i].extent - 1, &more) ||
            __builtin_add_overflow(reach, more, &reach) || reach > UINT32_MAX)
            return false;
    }
    return true;
}

/* The power of two that all elements of a number known when running are multiples of. */
static int64_t power_in(const AxisFacts *x, const Value *v)
{
    const Axis *a = axis_of(x, v);

    for (int d = 0; a && d < v->type->rank; d++) {
        if (a->contiguity[d] > 1)
            return 1;
    }
    return a ? MAX(a->divisibility & -a->divisibility, 1) : 1;
}

/* Where steps of a tile reach less than 2^31 together, what a coming round of an i32 adds is no
 * difference between two elements; else powers of two are left, which divide that, too. */
int64_t access_multiple(Arena *a, const AxisFacts *x, Value *v)
{
    enum { MOST = 1 << 30 };
    int64_t multiple = 0, reach = 0, more;
    bool far = false;

    for (int d = 0; d < v->type->rank; d++) {
        int extent = v->type->dims[d];
        if (extent == 1)
            continue;
        Access s =
            access_of(access_space(a, x, d, extent, nothing_given, NULL), v, access_identity);
        if (!s.ok || s.every > 0 || s.stride > MOST || s.stride < -MOST)
            return 1;
        s.stride = s.stride < 0 ? -s.stride : s.stride;
        far |= s.scale || __builtin_mul_overflow(s.stride, extent - 1, &more) ||
               __builtin_add_overflow(reach, more, &reach) || reach > INT32_MAX;
        multiple = axis_gcd(multiple, s.scale ? s.stride * power_in(x, s.scale) : s.stride);
    }
    return MAX(far ? MIN(multiple & -multiple, MOST) : multiple, 1);
}

/* --- as text --- */

enum { TEXT_LANES = 16 };

static const char *name_of(const Value *v)
{
    return v->name ? v->name : "unnamed";
}

static void put_access(Text *t, const Access *a)
{
    int wide = 0;

    for (const Widened *w = a->widened; w; w = w->next)
        wide++;
    if (!a->ok) {
        text_put(t, "any");
        return;
    }
    text_printf(t, "%lld", (long long)a->stride);
    if (a->scale)
        text_printf(t, " * %%%s", name_of(a->scale));
    if (a->chunked)
        text_printf(t, " in each %d", TEXT_LANES);
    if (a->every > 0)
        text_printf(t, " every %d", a->every);
    if (a->flip > 0)
        text_printf(t, " flipped by %d", a->flip);
    if (wide > 0)
        text_printf(t, " widened %d", wide);
}

static void put_sum(Text *t, PointerSum s)
{
    if (!s.base)
        return;
    text_printf(t, ", from %%%s", name_of(s.base));
    if (s.index)
        text_printf(t, " + %%%s", name_of(s.index));
    if (s.offset != 0)
        text_printf(t, " + %lld", (long long)s.offset);
}

static void put_value(Text *t, AccessSpace **along, Value *v)
{
    const AccessSpace *any = along[0];

    if (v->type->rank == 0 || !v->name || !access_is_index(v->type))
        return;
    text_printf(t, "%%%s: steps", v->name);
    for (int d = 0; d < v->type->rank; d++) {
        Access a = access_of(along[d], v, access_identity);
        text_put(t, d ? ", " : " ");
        put_access(t, &a);
    }
    if (access_distinct(any->arena, any->axis, v))
        text_put(t, ", distinct");
    put_sum(t, access_of(along[0], v, access_identity).sum);
    text_put(t, "\n");
}

static void put_accesses(Text *t, AccessSpace **along, const Block *b)
{
    for (const Op *op = b->first; op; op = op->next) {
        for (int i = 0; i < op->nresults; i++)
            put_value(t, along, op->results[i]);
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                put_accesses(t, along, op->regions[r]);
        }
    }
}

const char *access_text(const AxisFacts *x, const Func *f, Arena *a)
{
    Text t = text_new(a);
    AccessSpace *along[MAX_RANK];

    for (int d = 0; d < MAX_RANK; d++)
        along[d] = access_space(a, x, d, TEXT_LANES, nothing_given, NULL);
    put_accesses(&t, along, f->body);
    return t.s ? t.s : "";
}
