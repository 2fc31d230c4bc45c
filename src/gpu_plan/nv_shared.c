/*
 * nv_shared.c - where buffers lie in shared memory, and where threads must wait
 *
 * A buffer is in use from the first step that touches it to the last one, and to the end of every
 * loop that it is carried around in; buffers that are never in use at once may lie at the same
 * place.  A barrier goes in front of a step that would write what another thread may still read, or
 * read or write what another may not have written yet: of shared memory, and of global memory where
 * the program's own order says so and two pointers may meet.
 *
 * What is *pending* is what was done since the last barrier.  A loop's body is looked at twice, the
 * second time with what its own end leaves behind.
 */
#include "nv_plan.h"

/* --- when buffers are in use --- */

static void touch(NvPlan *p, int buffer, int number)
{
    NvBuffer *b = &p->buffers.at[buffer];

    if (b->last < b->first) {
        b->first = b->last = number;
        return;
    }
    b->first = MIN(b->first, number);
    b->last = MAX(b->last, number);
}

static int last_number(const NvStep *s)
{
    int last = s->number;

    for (int r = 0; r < COUNT(s->body); r++) {
        const NvBlock *b = s->body[r];
        if (b && b->steps.len > 0)
            last = MAX(last, last_number(b->steps.at[b->steps.len - 1]));
    }
    return last;
}

static void find_uses(NvPlan *p, const NvBlock *b)
{
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->uses.len; k++)
            touch(p, s->uses.at[k].buffer, s->number);
        for (int k = 0; s->ahead && k < s->uses.len; k++)
            touch(p, s->uses.at[k].buffer, last_number(s));
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                find_uses(p, s->body[r]);
        }
    }
}

/* A buffer that is used inside of a loop and outside stays in use for all of the loop. */
static void extend(NvPlan *p, const NvBlock *b)
{
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        int first = s->number, last = last_number(s);
        for (int k = 0; s->body[0] && k < p->buffers.len; k++) {
            NvBuffer *buffer = &p->buffers.at[k];
            if (buffer->first < first && buffer->last >= first)
                buffer->last = MAX(buffer->last, last);
            if (buffer->first <= last && buffer->last > last)
                buffer->first = MIN(buffer->first, first);
        }
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                extend(p, s->body[r]);
        }
    }
}

/* --- offsets --- */

enum { ALIGN = 128 };

/* Two that are never in use at once may share a place, but who writes the second one must wait for
 * those who read the first.  Small ones, such as reductions have, are not worth that, as long as
 * there are few. */
enum { SMALL = 512, SMALL_ONES = 8 };

static bool keeps_apart(const NvPlan *p)
{
    int64_t bytes = 0;

    for (int i = 0; i < p->buffers.len; i++)
        bytes += p->buffers.at[i].bytes <= SMALL ? p->buffers.at[i].bytes : 0;
    return bytes <= SMALL * SMALL_ONES;
}

static bool may_share(const NvBuffer *a, const NvBuffer *b, bool apart)
{
    if (apart && a->bytes <= SMALL && b->bytes <= SMALL)
        return false;
    return a->first > b->last || b->first > a->last;
}

/* The lowest place where no other buffer lies that was placed and cannot share it. */
static int64_t free_place(const NvPlan *p, int buffer, const bool *placed, bool apart)
{
    const NvBuffer *b = &p->buffers.at[buffer];
    int64_t at = 0;

    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < p->buffers.len; i++) {
            const NvBuffer *other = &p->buffers.at[i];
            if (!placed[i] || may_share(b, other, apart) || other->offset >= at + b->bytes ||
                at >= other->offset + other->bytes)
                continue;
            at = (other->offset + other->bytes + ALIGN - 1) / ALIGN * ALIGN;
            moved = true;
        }
    }
    return at;
}

/* Large ones first. */
static void place_buffers(NvPlan *p)
{
    bool *placed = NEW_N(p->arena, bool, p->buffers.len + 1), apart = keeps_apart(p);

    for (int n = 0; n < p->buffers.len; n++) {
        int next = -1;
        for (int i = 0; i < p->buffers.len; i++) {
            if (!placed[i] && (next < 0 || p->buffers.at[i].bytes > p->buffers.at[next].bytes))
                next = i;
        }
        p->buffers.at[next].offset = free_place(p, next, placed, apart);
        placed[next] = true;
        p->shared = MAX(p->shared, p->buffers.at[next].offset + p->buffers.at[next].bytes);
    }
}

/* --- barriers --- */

/* Something done since the last barrier: to shared memory, or through a pointer. */
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

/* What a step does before its own first barrier, or behind its last one. */
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

static void walk_block(NvPlan *p, const NvBlock *b, PendingList *pending);

/* A loop's body comes twice: behind what is in front of it, and behind its own end; behind neither
 * where each round begins with a barrier, or has one in the only step that it could be for.  What
 * follows a while stands behind its condition as well, without the body that came behind that. */
static void walk_loop(NvPlan *p, const NvStep *s, PendingList *pending)
{
    PendingList tested = {0};

    for (int round = 0; round < 2; round++) {
        PendingList start = {0};
        if (!s->ahead) {
            merge(p, &start, pending, round > 0);
            merge(p, &start, pending, false);
        }
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                walk_block(p, s->body[r], &start);
            if (s->kind == NV_WHILE && r == 0)
                merge(p, &tested, &start, false);
        }
        merge(p, pending, &start, false);
    }
    merge(p, pending, &tested, false);
}

static void walk_if(NvPlan *p, const NvStep *s, PendingList *pending)
{
    PendingList both = {0};

    for (int r = 0; r < 2; r++) {
        PendingList arm = {0};
        merge(p, &arm, pending, false);
        walk_block(p, s->body[r], &arm);
        merge(p, &both, &arm, false);
    }
    *pending = both;
}

static void walk_step(NvPlan *p, NvStep *s, PendingList *pending)
{
    PendingList early = accesses(p, s, false), late = accesses(p, s, true);

    if (must_wait(p, pending, &early) || (!s->syncs && must_wait(p, pending, &late)))
        s->waits = true; /* in every later round, too */
    if (s->waits)
        pending->len = 0;
    if (s->syncs || s->kind == NV_BARRIER)
        pending->len = 0;
    else if (!s->ahead) /* whose rounds wait for its copies */
        merge(p, pending, &early, false);
    merge(p, pending, &late, false);
    if (s->kind == NV_FOR || s->kind == NV_WHILE)
        walk_loop(p, s, pending);
    else if (s->kind == NV_IF)
        walk_if(p, s, pending);
}

static void walk_block(NvPlan *p, const NvBlock *b, PendingList *pending)
{
    for (int i = 0; i < b->steps.len; i++)
        walk_step(p, b->steps.at[i], pending);
}

static void insert_barriers(NvPlan *p, NvBlock *b)
{
    NvBlock out = {0};

    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        if (s->waits)
            vec_push(p->arena, &out.steps, nv_step(p, NV_BARRIER, NULL));
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

void nv_place(NvPlan *p)
{
    PendingList pending = {0};

    for (int i = 0; i < p->buffers.len; i++)
        p->buffers.at[i].last = -1;
    find_uses(p, p->body);
    extend(p, p->body);
    place_buffers(p);
    walk_block(p, p->body, &pending);
    insert_barriers(p, p->body);
    if (p->shared <= p->chip->shared)
        return;
    diag(p->diags, DIAG_ERROR, p->func->span,
         "this kernel needs %lld bytes of shared memory, and %s has %lld for a program",
         (long long)p->shared, p->chip->name, (long long)p->chip->shared);
    diag(p->diags, DIAG_HINT, (Span){0, 0}, "use a smaller block or fewer stages");
    p->refused = true;
}
