/*
 * nv_raise.c - small tiles that change their layout do so in front of a chain of long ones
 *
 * A row that is broadcast over a long tile is often converted in the middle of what is done with
 * that tile, where its name stands.  A conversion waits for other threads, so the chain could not
 * go by slices (nv_slices.c) across it.  Where a chain has more than registers hold, conversions of
 * small tiles move in front of it, with all that they are made of.
 */
#include "nv_schedule.h"

enum {
    SMALL = 8,         /* so many together may still be kept */
    MOST_CROSSING = 64 /* conversions that are looked at in one stretch */
};

/* Steps of a block that may change places as their operands allow, but for loads and stores. */
typedef struct {
    NvPlan *plan;
    NvStep **steps;
    int count;
    int *maker;   /* by tile: 1 + the step that makes it, 0: none of these */
    int *last;    /* by tile: 1 + the last step that reads it */
    bool *raised; /* by step */
} Stretch;

static bool may_change_places(const NvStep *s)
{
    switch (s->kind) {
    case NV_COMPUTE:
    case NV_STORE:
    case NV_CONVERT:
    case NV_MOVE:
    case NV_SORT:
        return true;
    case NV_LOAD:
        return !s->once;
    default:
        return false;
    }
}

static bool crosses_threads(const NvStep *s)
{
    return s->kind == NV_MOVE || s->kind == NV_SORT ||
           (s->kind == NV_CONVERT && s->conversion->kind > CONVERT_REGISTERS);
}

static int64_t words_of(const NvPlan *p, const NvTile *t)
{
    return (int64_t)nv_register_words(p, t) * (t->layout ? layout_registers(t->layout) : 1);
}

static int64_t words_made(const NvPlan *p, const NvStep *s)
{
    int64_t n = 0;

    for (int i = 0; i < s->nout; i++)
        n += s->out[i] ? words_of(p, s->out[i]) : 0;
    return n;
}

/* Small enough to be kept over all of the stretch, and no load from behind a store. */
static bool may_rise(const Stretch *x, int step)
{
    const NvStep *s = x->steps[step];

    if (nv_takes_many(x->plan, words_made(x->plan, s) * SMALL))
        return false;
    for (int i = 0; s->kind == NV_LOAD && i < step; i++) {
        if (x->steps[i]->kind == NV_STORE)
            return false;
    }
    return true;
}

/* Raise a step with what it is made of; nothing where something of that must stay. */
static void raise_step(Stretch *x, int step)
{
    bool *needed = NEW_N(x->plan->arena, bool, step + 1);

    needed[step] = true;
    for (int i = step; i >= 0; i--) {
        const NvStep *s = x->steps[i];
        if (!needed[i] || x->raised[i])
            continue;
        if (!may_rise(x, i))
            return;
        for (int k = 0; k < s->nin; k++) {
            int maker = s->in[k] ? x->maker[s->in[k]->id] : 0;
            if (maker > 0)
                needed[maker - 1] = true;
        }
    }
    for (int i = 0; i <= step; i++)
        x->raised[i] |= needed[i];
}

static void note_tiles(Stretch *x, bool made)
{
    for (int i = 0; i < x->count; i++) {
        const NvStep *s = x->steps[i];
        for (int k = 0; k < s->nout; k++) {
            if (s->out[k])
                x->maker[s->out[k]->id] = made ? i + 1 : 0;
        }
        for (int k = 0; k < s->nin; k++) {
            if (s->in[k])
                x->last[s->in[k]->id] = made ? i + 1 : 0;
        }
    }
}

/* Registers in use at once of the tiles that the stretch makes. */
static int64_t words_in_use(Stretch *x)
{
    int64_t now = 0, most = 0;

    for (int i = 0; i < x->count; i++) {
        const NvStep *s = x->steps[i];
        now += words_made(x->plan, s);
        most = MAX(most, now);
        for (int k = 0; k < s->nin; k++) {
            const NvTile *t = s->in[k];
            if (!t || x->last[t->id] != i + 1 || x->maker[t->id] == 0)
                continue;
            now -= words_of(x->plan, t);
            x->last[t->id] = 0; /* not twice */
        }
    }
    return most;
}

static void raise_in_stretch(Stretch *x)
{
    NvStep **order = NEW_N(x->plan->arena, NvStep *, x->count + 1);
    int n = 0, crossing = 0;

    for (int i = 0; i < x->count; i++)
        crossing += crosses_threads(x->steps[i]);
    if (crossing == 0 || crossing > MOST_CROSSING)
        return;
    x->raised = NEW_N(x->plan->arena, bool, x->count);
    note_tiles(x, true);
    bool is_long = nv_takes_many(x->plan, words_in_use(x));
    for (int i = 0; is_long && i < x->count; i++) {
        if (crosses_threads(x->steps[i]))
            raise_step(x, i);
    }
    note_tiles(x, false);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < x->count; i++) {
            if (x->raised[i] == (pass == 0))
                order[n++] = x->steps[i];
        }
    }
    for (int i = 0; i < n; i++)
        x->steps[i] = order[i];
}

static void raise_in_block(Stretch *x, NvBlock *b)
{
    for (int i = 0; i < b->steps.len;) {
        NvStep *s = b->steps.at[i];
        for (int r = 0; s->kind >= NV_FOR && r < COUNT(s->body); r++) {
            if (s->body[r])
                raise_in_block(x, s->body[r]);
        }
        x->steps = &b->steps.at[i];
        for (x->count = 0;
             i + x->count < b->steps.len && may_change_places(b->steps.at[i + x->count]);)
            x->count++;
        if (x->count > 1)
            raise_in_stretch(x);
        i += MAX(x->count, 1);
    }
}

void nv_raise(NvPlan *p)
{
    int n = p->tiles.len + 1;
    Stretch x = {.plan = p, .maker = NEW_N(p->arena, int, n), .last = NEW_N(p->arena, int, n)};

    raise_in_block(&x, p->body);
}
