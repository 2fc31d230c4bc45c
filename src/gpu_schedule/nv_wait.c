/*
 * nv_wait.c - where warps must wait for each other
 *
 * A barrier goes in front of a step that would write what another thread may still read, or read or
 * write what another may not have written yet: of shared memory, and of global memory where the
 * program's own order says so and two pointers may meet.
 *
 * What is *pending* is what was done since the last barrier.  A loop's body is looked at twice, the
 * second time with what its own end leaves behind.  The same walk over a plan that has its barriers
 * says whether one is missing.
 */
#include "nv_schedule.h"

/* Something done since warps last met: to shared memory, or through a pointer. */
typedef struct {
    bool write, global;
    bool around;         /* in an earlier round of a loop: its pointer may have been another one */
    int64_t offset, end; /* of shared memory */
    uint64_t bases;      /* of global memory: the arrays that it may be in */
    const NvTile *tile;  /* in which the pointer was; NULL: nobody knows */
} Pending;
typedef VEC(Pending) PendingList;

static bool same_pending(const Pending *a, const Pending *b)
{
    return a->write == b->write && a->global == b->global && a->around == b->around &&
           a->offset == b->offset && a->end == b->end && a->bases == b->bases && a->tile == b->tile;
}

/* A list that is longer no longer says which pointers they were: at most a barrier too many. */
enum { MANY_PENDING = 64 };

static void merge(NvPlan *p, PendingList *into, const PendingList *from, bool around)
{
    for (int i = 0; i < from->len; i++) {
        Pending x = from->at[i];
        bool there = false;
        x.around |= around;
        if (into->len >= MANY_PENDING)
            x.tile = NULL;
        for (int k = 0; k < into->len && !there; k++)
            there = same_pending(&into->at[k], &x);
        if (!there)
            vec_push(p->arena, into, x);
    }
}

/* Does each thread have its own elements of a tile of pointers, none of which lead to one place? */
static bool is_spread(const NvPlan *p, const NvTile *t)
{
    Inverse v;

    if (!t || !t->layout)
        return false;
    layout_invert(t->layout, &v);
    return v.copies.lane == 0 && v.copies.warp == 0 &&
           access_distinct(p->arena, p->axis, (Value *)t->value);
}

static bool may_meet(const NvPlan *p, const Pending *a, const Pending *b)
{
    if (a->global != b->global)
        return false;
    if (!a->global)
        return a->offset < b->end && b->offset < a->end;
    if (a->tile == b->tile && !a->around && !b->around && is_spread(p, a->tile))
        return false;
    return !p->options->disjoint || (a->bases & b->bases) != 0;
}

static bool must_wait(const NvPlan *p, const PendingList *pending, const PendingList *now)
{
    for (int i = 0; i < pending->len; i++) {
        for (int k = 0; k < now->len; k++) {
            const Pending *x = &pending->at[i], *y = &now->at[k];
            if ((x->write || y->write) && may_meet(p, x, y))
                return true;
        }
    }
    return false;
}

static bool uses_global(const NvStep *s)
{
    return s->kind == NV_LOAD || s->kind == NV_STORE || s->kind == NV_ATOMIC;
}

/* `tile`: of the pointers; NULL: nobody knows.  What no write of the kernel can meet needs no wait.
 */
static void put_global(NvPlan *p, const Op *op, const NvTile *tile, PendingList *out)
{
    Pending x = {.write = op_has(op, WRITES),
                 .global = true,
                 .bases = ir_bases_of(p->bases, op->operands[0]),
                 .tile = tile};

    if (!x.write && (p->options->disjoint ? x.bases & p->written : p->written) == 0)
        return;
    vec_push(p->arena, out, x);
}

/* What a combine function does to global memory, at any time within the step. */
static void accesses_of_region(NvPlan *p, const NvBlock *b, PendingList *out)
{
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        if (uses_global(s))
            put_global(p, s->op, NULL, out);
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                accesses_of_region(p, s->body[r], out);
        }
    }
}

/* What a step does before it first waits within, or behind the last time. */
static PendingList accesses(NvPlan *p, const NvStep *s, bool late)
{
    PendingList out = {0};

    for (int i = 0; i < s->uses.len; i++) {
        const NvUse *u = &s->uses.at[i];
        const NvBuffer *b = &p->buffers.at[u->buffer];
        Pending x = {.write = u->write, .offset = b->offset, .end = b->offset + b->bytes};
        if (u->late == late)
            vec_push(p->arena, &out, x);
    }
    if (!late && uses_global(s))
        put_global(p, s->op, s->in[0], &out);
    if (s->kind == NV_REDUCE || s->kind == NV_SCAN)
        accesses_of_region(p, s->body[0], &out);
    for (int i = 0; !late && s->ahead && i < s->ahead->steps.steps.len; i++) {
        const NvStep *copy = s->ahead->steps.steps.at[i];
        if (copy->kind == NV_COPY)
            put_global(p, copy->op, copy->in[0], &out);
    }
    return out;
}

typedef enum {
    PUTS,  /* says where barriers are to be */
    LOOKS, /* at those that are there */
    COUNTS /* those that it would put, and puts none */
} WalkKind;
typedef struct {
    NvPlan *plan;
    WalkKind kind;
    const NvStep *hurried; /* the first one that has none and needs it */
    Map *steps;            /* of COUNTS: in front of which they are */
    int count;
} Walk;

static void walk_block(Walk *w, const NvBlock *b, PendingList *pending);

/* A loop's body comes twice: behind what is in front of it, and behind its own end; behind neither
 * where each round begins with a barrier, or has one in the only step that it could be for.  What
 * follows a while stands behind its condition as well, without the body that came behind that. */
static void walk_loop(Walk *w, const NvStep *s, PendingList *pending)
{
    PendingList tested = {0};

    for (int round = 0; round < 2; round++) {
        PendingList start = {0};
        if (!s->ahead || s->ahead->fill) {
            merge(w->plan, &start, pending, round > 0);
            merge(w->plan, &start, pending, false);
        }
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                walk_block(w, s->body[r], &start);
            if (s->kind == NV_WHILE && r == 0)
                merge(w->plan, &tested, &start, false);
        }
        merge(w->plan, pending, &start, false);
    }
    merge(w->plan, pending, &tested, false);
}

static bool is_innermost(const NvBlock *b)
{
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        if (s->kind == NV_FOR || s->kind == NV_WHILE)
            return false;
        for (int r = 0; s->kind == NV_IF && r < COUNT(s->body); r++) {
            if (!is_innermost(s->body[r]))
                return false;
        }
    }
    return true;
}

/* Barriers that its rounds would have. */
static int count_barriers(Walk *w, const NvStep *loop, const PendingList *pending)
{
    Walk own = {.plan = w->plan, .kind = COUNTS, .steps = map_new(w->plan->arena)};
    PendingList before = {0};

    merge(w->plan, &before, pending, false);
    walk_loop(&own, loop, &before);
    return own.count;
}

/* One barrier in front of the loop does where each round would have one for what was done before.
 */
static bool waits_in_front(Walk *w, const NvStep *s, const PendingList *pending)
{
    static const PendingList none = {0};
    bool innermost = s->kind == NV_FOR && is_innermost(s->body[0]);

    return w->kind == PUTS && innermost && pending->len > 0 &&
           count_barriers(w, s, pending) > count_barriers(w, s, &none);
}

static void walk_if(Walk *w, const NvStep *s, PendingList *pending)
{
    PendingList both = {0};

    for (int r = 0; r < 2; r++) {
        PendingList arm = {0};
        merge(w->plan, &arm, pending, false);
        walk_block(w, s->body[r], &arm);
        merge(w->plan, &both, &arm, false);
    }
    *pending = both;
}

static void count_barrier(Walk *w, NvStep *s, PendingList *pending)
{
    if (!nv_meets(&s->before) && !map_get(w->steps, MAP_KEY(s)))
        w->count++;
    map_put(w->steps, MAP_KEY(s), s);
    pending->len = 0;
}

static void walk_step(Walk *w, NvStep *s, PendingList *pending)
{
    NvPlan *p = w->plan;
    PendingList early = accesses(p, s, false), late = accesses(p, s, true);
    bool meets = nv_meets(&s->within);

    if (must_wait(p, pending, &early) || (!meets && must_wait(p, pending, &late)) ||
        waits_in_front(w, s, pending)) {
        if (w->kind == PUTS)
            s->before = nv_wait_warps(p); /* in every later round, too */
        else if (w->kind == LOOKS && !w->hurried)
            w->hurried = s;
        if (w->kind == COUNTS)
            count_barrier(w, s, pending);
    }
    if (w->kind != LOOKS && nv_meets(&s->before))
        pending->len = 0;
    if (meets)
        pending->len = 0;
    else if (!s->ahead || s->ahead->fill) /* others' rounds wait for their copies */
        merge(p, pending, &early, false);
    merge(p, pending, &late, false);
    if (s->kind == NV_FOR || s->kind == NV_WHILE)
        walk_loop(w, s, pending);
    else if (s->kind == NV_IF)
        walk_if(w, s, pending);
    else if (s->kind == NV_SLICES)
        walk_block(w, s->body[0], pending);
}

static void walk_block(Walk *w, const NvBlock *b, PendingList *pending)
{
    for (int i = 0; i < b->steps.len; i++)
        walk_step(w, b->steps.at[i], pending);
}

static NvStep *barrier(NvPlan *p, const NvWait *wait)
{
    NvStep *s = nv_step(p, NV_BARRIER, NULL);

    s->within = *wait;
    return s;
}

static void insert_barriers(NvPlan *p, NvBlock *b)
{
    NvBlock out = {0};

    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        if (nv_meets(&s->before))
            vec_push(p->arena, &out.steps, barrier(p, &s->before));
        vec_push(p->arena, &out.steps, s);
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                insert_barriers(p, s->body[r]);
        }
    }
    b->steps.at = out.steps.at;
    b->steps.len = out.steps.len;
    b->steps.cap = out.steps.cap;
}

void nv_put_barriers(NvPlan *p)
{
    Walk w = {.plan = p, .kind = PUTS};
    PendingList pending = {0};

    walk_block(&w, p->body, &pending);
    insert_barriers(p, p->body);
}

const NvStep *nv_hurried(NvPlan *p)
{
    Walk w = {.plan = p, .kind = LOOKS};
    PendingList pending = {0};

    walk_block(&w, p->body, &pending);
    return w.hurried;
}
