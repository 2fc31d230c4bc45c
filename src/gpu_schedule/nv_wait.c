/*
 * nv_wait.c - where warps must wait for each other
 *
 * A barrier goes in front of a step that would write what another thread may still read, or read or
 * write what another may not have written yet: of shared memory, and of global memory where the
 * program's own order says so and two pointers may meet.
 *
 * Threads that each go on with their own elements wait for nobody: where the addresses of two
 * accesses are polynomials (poly.h) that lie apart, in one round of a loop or in any two, as a row
 * that is changed in place block by block, there is no barrier.
 *
 * What is *pending* is what was done since the last barrier, and what reads shared memory by itself
 * (NV_SEND), until a step waits for that.  A loop's body is looked at twice, the
 * second time with what its own end leaves behind.  The same walk over a plan that has its barriers
 * says whether one is missing.
 */
#include "nv_ring.h"
#include "../axis/poly.h"

#include <stdlib.h>
#include <string.h>

/* Something done since warps last met: to shared memory, or through a pointer. */
typedef struct {
    bool write, global;
    bool sent;           /* it goes on by itself, whoever meets */
    const NvTile *parts; /* each warp does it to its own part of that one alone; NULL: not so */
    bool around;         /* in an earlier round of a loop: its pointer may have been another one */
    const Op *loop;      /* of that one; NULL: of none, or several */
    int64_t offset, end; /* of shared memory */
    uint64_t bases;      /* of global memory: the arrays that it may be in */
    const NvTile *tile;  /* in which the pointer was; NULL: nobody knows */
    bool others;         /* it goes to places beside those, too: of a record's other fields */
} Pending;
typedef VEC(Pending) PendingList;

static bool same_pending(const Pending *a, const Pending *b)
{
    return a->write == b->write && a->global == b->global && a->sent == b->sent &&
           a->parts == b->parts && a->around == b->around && a->loop == b->loop &&
           a->offset == b->offset && a->end == b->end && a->bases == b->bases &&
           a->tile == b->tile && a->others == b->others;
}

/* A list that is longer no longer says which pointers they were: at most a barrier too many. */
enum { MANY_PENDING = 64 };

/* around: what was done was done in an earlier round of that loop; NULL: in this one. */
static void merge(NvPlan *p, PendingList *into, const PendingList *from, const Op *around)
{
    for (int i = 0; i < from->len; i++) {
        Pending x = from->at[i];
        bool there = false;
        if (around)
            x.loop = !x.around || x.loop == around ? around : NULL;
        x.around |= around != NULL;
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

/* --- addresses that lie apart --- */

/* A tile's addresses: a polynomial of scalars, and what the indices add to it: each some stride
 * times 0 to `most`. */
typedef struct {
    Poly first;
    int64_t reach; /* elements, of all of them together; none lies below the first */
    int count;
    struct Span {
        int64_t stride, most;
    } spans[MAX_RANK];
} Stretch;

static bool stretch_of(const NvTile *t, Stretch *out)
{
    static const int8_t identity[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    PolyScope scope = {0};
    Poly all;

    *out = (Stretch){0};
    if (!t || !poly_of(&scope, t->value, identity, &all))
        return false;
    for (int i = 0; i < all.count; i++) {
        const PolyTerm *x = &all.terms[i];
        bool index = poly_has_index(&(Poly){1, {*x}}, -1);
        if (index &&
            (x->count != 1 || x->scale < 0 || x->scale > INT32_MAX || out->count == MAX_RANK))
            return false;
        if (index) {
            struct Span span = {x->scale, t->value->type->dims[x->of[0].key] - 1};
            out->spans[out->count++] = span;
            out->reach += span.stride * span.most;
        } else if (!poly_push(&out->first, x)) {
            return false;
        }
    }
    return true;
}

/* The span of the largest stride below that one; NULL: there is none. */
static const struct Span *next_span(const Stretch *x, int64_t below)
{
    const struct Span *best = NULL;

    for (int i = 0; i < x->count; i++) {
        const struct Span *s = &x->spans[i];
        if (s->stride < below && s->stride > 0 && (!best || s->stride > best->stride))
            best = s;
    }
    return best;
}

static bool same_spans(const Stretch *a, const Stretch *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->spans, b->spans, (size_t)a->count * sizeof *a->spans) == 0);
}

/* Is there no difference of two indices along each dimension, of strides below `below`, that makes
 * up for `between`?  The largest stride first: where the others together reach less far than it,
 * two differences along it are all that come near. */
static bool never_meet(const Stretch *x, int64_t between, int64_t below)
{
    const struct Span *s = next_span(x, below);
    int64_t rest = 0;

    if (!s)
        return between != 0;
    for (int i = 0; i < x->count; i++) {
        if (x->spans[i].stride < s->stride)
            rest += x->spans[i].stride * x->spans[i].most;
        else if (x->spans[i].stride == s->stride && &x->spans[i] != s)
            return false;
    }
    if (rest >= s->stride)
        return llabs(between) > s->stride * s->most + rest;
    int64_t near = between / s->stride;
    for (int64_t d = near - 1; d <= near + 1; d++) {
        if (llabs(d) <= s->most && !never_meet(x, between - d * s->stride, s->stride))
            return false;
    }
    return true;
}

/* How far it moves with each round of the loop; 0: it does not, or nobody knows. */
static int64_t moved_by_round(const Poly *p, const Op *loop)
{
    const Block *body = loop->regions[0];
    int64_t step, moved = 0;

    if (loop->code != OP_for || !value_const_signed(loop->operands[FOR_STEP], &step))
        return 0;
    for (int i = 0; i < p->count; i++) {
        const PolyTerm *t = &p->terms[i];
        for (int k = 0; k < t->count; k++) {
            const Value *v = t->of[k].value;
            if (v == body->args[0] && t->count == 1 && llabs(step) <= INT32_MAX &&
                llabs(t->scale) <= INT32_MAX)
                moved = t->scale * step;
            else if (block_encloses(body, v->block))
                return 0;
        }
    }
    return moved;
}

/* Can no element of the one be an element of the other?  Where b is of an earlier round of a loop,
 * or a is, in any two of its rounds. */
static bool lie_apart(const Pending *a, const Pending *b)
{
    const Op *loop = a->around ? a->loop : b->loop;
    Stretch x, y;
    int64_t between;

    if (a->others || b->others || (a->around && b->around) || ((a->around || b->around) && !loop) ||
        !stretch_of(a->tile, &x) || !stretch_of(b->tile, &y) ||
        type_size(a->tile->value->type) != type_size(b->tile->value->type))
        return false;
    Poly apart = x.first;
    if (a->tile->value->type->dtype != b->tile->value->type->dtype ||
        !poly_add(&apart, &y.first, -1) || !poly_is_constant(&apart, &between) ||
        llabs(between) > INT32_MAX || x.reach > INT32_MAX || y.reach > INT32_MAX)
        return false;
    if (!loop)
        return between > y.reach || -between > x.reach ||
               (same_spans(&x, &y) && never_meet(&x, between, INT64_MAX));
    return llabs(moved_by_round(&x.first, loop)) > MAX(between + x.reach, y.reach - between);
}

static bool may_meet(const NvPlan *p, const Pending *a, const Pending *b)
{
    if (a->global != b->global)
        return false;
    if (!a->global && a->parts && a->parts == b->parts && !a->sent && !b->sent)
        return false;
    if (!a->global)
        return a->offset < b->end && b->offset < a->end;
    if (a->tile == b->tile && !a->around && !b->around && is_spread(p, a->tile))
        return false;
    if (lie_apart(a, b))
        return false;
    return !p->options->disjoint || (a->bases & b->bases) != 0;
}

static bool is_scalar(const Pending *x)
{
    return x->tile && !x->tile->layout;
}

/* Have all threads read what is written now?  Of scalars the only warp's lanes have, by one
 * instruction (nv_once_plan.c). */
static bool has_been_read(const NvPlan *p, const Pending *was, const Pending *now)
{
    return p->warps == 1 && !was->write && is_scalar(was) && is_scalar(now);
}

static bool must_wait(const NvPlan *p, const PendingList *pending, const PendingList *now)
{
    for (int i = 0; i < pending->len; i++) {
        for (int k = 0; k < now->len; k++) {
            const Pending *x = &pending->at[i], *y = &now->at[k];
            if ((x->write || y->write) && !has_been_read(p, x, y) && may_meet(p, x, y))
                return true;
        }
    }
    return false;
}

static bool uses_global(const NvStep *s)
{
    return s->kind == NV_LOAD || s->kind == NV_STORE || s->kind == NV_SEND || s->kind == NV_ATOMIC;
}

/* `tile`: of the pointers; NULL: nobody knows.  What no write of the kernel can meet needs no wait.
 */
static void put_global(NvPlan *p, const Op *op, const NvTile *tile, bool others, PendingList *out)
{
    Pending x = {.write = op_has(op, WRITES),
                 .global = true,
                 .bases = ir_bases_of(p->bases, op->operands[0]),
                 .tile = tile,
                 .others = others};

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
            put_global(p, s->op, NULL, false, out);
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

    for (int i = 0; s->kind != NV_SENT && i < s->uses.len; i++) {
        const NvUse *u = &s->uses.at[i];
        const NvBuffer *b = &p->buffers.at[u->buffer];
        Pending x = {.write = u->write, .offset = b->offset, .end = b->offset + b->bytes};
        if (s->kind == NV_SEND)
            x.parts = ((const NvSend *)s->detail)->tensor.tile;
        if (u->late == late)
            vec_push(p->arena, &out, x);
    }
    if (!late && uses_global(s))
        put_global(p, s->op, s->kind == NV_SEND ? NULL : s->in[0], s->detail != NULL, &out);
    if (s->kind == NV_REDUCE || s->kind == NV_SCAN)
        accesses_of_region(p, s->body[0], &out);
    for (int i = 0; !late && s->ahead && i < s->ahead->steps.steps.len; i++) {
        const NvStep *copy = s->ahead->steps.steps.at[i];
        if (copy->kind == NV_COPY)
            put_global(p, copy->op, NULL, false, &out); /* of a later round */
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
            merge(w->plan, &start, pending, round > 0 ? s->op : NULL);
            merge(w->plan, &start, pending, NULL);
        }
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                walk_block(w, s->body[r], &start);
            if (s->kind == NV_WHILE && r == 0)
                merge(w->plan, &tested, &start, NULL);
        }
        merge(w->plan, pending, &start, NULL);
    }
    merge(w->plan, pending, &tested, NULL);
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

    merge(w->plan, &before, pending, NULL);
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
        merge(w->plan, &arm, pending, NULL);
        walk_block(w, s->body[r], &arm);
        merge(w->plan, &both, &arm, NULL);
    }
    *pending = both;
}

/* Warps meet: of what was done, that is left which goes on by itself; of that, nothing in memory
 * that the step has waited for. */
static void keep_sent(PendingList *pending)
{
    int n = 0;

    for (int i = 0; i < pending->len; i++) {
        if (pending->at[i].sent)
            pending->at[n++] = pending->at[i];
    }
    pending->len = n;
}

static void end_sent(const NvPlan *p, PendingList *pending, const NvStep *s)
{
    for (int i = 0; i < pending->len; i++) {
        Pending *x = &pending->at[i];
        for (int k = 0; k < s->uses.len; k++)
            x->sent &= x->offset != p->buffers.at[s->uses.at[k].buffer].offset;
    }
}

/* What a warp has laid down is read. */
static void go_on_by_itself(NvPlan *p, PendingList *pending, const NvStep *s)
{
    PendingList reads = accesses(p, s, false);

    for (int i = 0; i < reads.len; i++) {
        if (reads.at[i].global)
            continue;
        Pending x = reads.at[i];
        x.write = false;
        x.parts = NULL; /* a lane of the warp waits for it, and no other one */
        x.sent = true;
        vec_push(p->arena, pending, x);
    }
}

static void count_barrier(Walk *w, NvStep *s, PendingList *pending)
{
    if (!nv_meets(&s->before) && !map_get(w->steps, MAP_KEY(s)))
        w->count++;
    map_put(w->steps, MAP_KEY(s), s);
    keep_sent(pending);
}

static void walk_step(Walk *w, NvStep *s, PendingList *pending)
{
    NvPlan *p = w->plan;
    PendingList early = accesses(p, s, false), late = accesses(p, s, true);
    bool meets = nv_meets(&s->within);

    if (s->kind == NV_SENT)
        end_sent(p, pending, s);
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
        keep_sent(pending);
    if (meets)
        keep_sent(pending);
    else if (!s->ahead || s->ahead->fill) /* others' rounds wait for their copies */
        merge(p, pending, &early, NULL);
    merge(p, pending, &late, NULL);
    if (s->kind == NV_SEND)
        go_on_by_itself(p, pending, s);
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
    for (int i = 0; !w.hurried && i < pending.len; i++) {
        if (pending.at[i].sent) /* nobody waits for it at all */
            w.hurried = p->body->steps.at[p->body->steps.len - 1];
    }
    return w.hurried;
}
