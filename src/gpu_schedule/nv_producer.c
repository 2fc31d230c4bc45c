/*
 * nv_producer.c - the program of a ring's producer
 *
 * It is made of the IR: the loops that take tiles from the ring, what they stand in, and the
 * scalars that bounds, conditions and coordinates are made of.  Its thread computes them by itself,
 * so they are made of what every thread can compute: not of tiles, and not of what the kernel
 * writes.
 */
#include "nv_ring.h"

#include <string.h>

enum { MOST_WORK = 4000 };

/* --- loops in the IR --- */

static const Value *condition_of(const Op *op) /* a while */
{
    return op->regions[0]->last->operands[0];
}

int nv_carried_from(const Value *v, const Value *from[2])
{
    const Op *loop = v->block->owner;
    int carried = loop->code == OP_for ? v->index - 1 : v->index;

    if (carried < 0 || (loop->code != OP_for && loop->code != OP_while))
        return 0;
    if (loop->code == OP_while && v->block == loop->regions[1]) {
        from[0] = loop->regions[0]->last->operands[1 + carried];
        return 1;
    }
    from[0] = loop->operands[loop->code == OP_for ? FOR_BOUNDS + carried : carried];
    from[1] = loop->regions[loop->code == OP_while]->last->operands[carried];
    return 2;
}

/* What says how often its regions run. */
static int bounds_of(const Op *op, const Value *bounds[FOR_BOUNDS])
{
    int count = op->code == OP_for ? FOR_BOUNDS : 1;

    for (int i = 0; i < count; i++)
        bounds[i] = op->code == OP_while ? condition_of(op) : op->operands[i];
    return count;
}

/* --- what a thread by itself can compute --- */

typedef struct {
    NvPlan *plan;
    Map *known; /* value to itself: it can be computed, or that is being found out */
    int work;
} Able;

static bool can_compute(Able *x, const Value *v);

static bool can_compute_all(Able *x, Value *const *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (!can_compute(x, values[i]))
            return false;
    }
    return true;
}

/* What it is made of is. */
static bool can_compute_carried(Able *x, const Value *v)
{
    const Value *from[2];
    int count = nv_carried_from(v, from);

    for (int i = 0; i < count; i++) {
        if (!can_compute(x, from[i]))
            return false;
    }
    return true;
}

/* Of a loop: its counter, or what it carries. */
static bool can_compute_argument(Able *x, const Value *v)
{
    const Op *loop = v->block->owner;

    if (!loop) /* of the kernel */
        return true;
    if (loop->code != OP_while &&
        (loop->code != OP_for || !can_compute_all(x, loop->operands, FOR_BOUNDS)))
        return false;
    return can_compute_carried(x, v);
}

/* Nobody writes there while the kernel runs. */
static bool can_load(const NvPlan *p, const Op *op)
{
    return op_only_reads(op) && !op_is_volatile(op) &&
           (ir_bases_of(p->bases, op->operands[LOAD_PTR]) & ~p->constant) == 0;
}

static bool can_compute(Able *x, const Value *v)
{
    const Op *op = v->def;

    if (v->type->rank > 0 || v->type->handle != HANDLE_NONE || ++x->work > MOST_WORK)
        return false;
    if (map_get(x->known, MAP_KEY(v)))
        return true;
    map_put(x->known, MAP_KEY(v), (void *)v);
    if (!op)
        return can_compute_argument(x, v);
    if (op->regions[0] || op->nresults != 1 || (!op_has(op, PURE) && !can_load(x->plan, op)))
        return false;
    return can_compute_all(x, op->operands, op->noperands);
}

/* The loop and what it stands in. */
static bool can_run(Able *x, const Op *op)
{
    for (; op; op = op->block->owner) {
        const Value *bounds[FOR_BOUNDS];
        int count = bounds_of(op, bounds);
        if (op->code != OP_for && op->code != OP_while && op->code != OP_if)
            return false;
        for (int i = 0; i < count; i++) {
            if (!can_compute(x, bounds[i]))
                return false;
        }
    }
    return true;
}

static bool can_locate(Able *x, const NvTensor *t)
{
    for (int d = 0; d < t->rank; d++) {
        for (int i = 0; i < t->at[d].count; i++) {
            for (int k = 0; k < t->at[d].terms[i].count; k++) {
                if (!can_compute(x, t->at[d].terms[i].of[k].value))
                    return false;
            }
        }
    }
    return true;
}

bool nv_can_produce(NvPlan *p, const Op *loop, const NvFill *fill)
{
    Able x = {.plan = p, .known = map_new(p->arena)};
    bool can = can_run(&x, loop);

    for (int i = 0; can && i < fill->tensors.len; i++)
        can = can_locate(&x, &fill->tensors.at[i]);
    return can;
}

/* --- the producer's program --- */

typedef struct {
    NvPlan *plan;
    Map *needed; /* value to itself */
    VEC(const Value *) todo;
} Program;

static void need(Program *x, const Value *v)
{
    if (map_get(x->needed, MAP_KEY(v)))
        return;
    map_put(x->needed, MAP_KEY(v), (void *)v);
    vec_push(x->plan->arena, &x->todo, v);
}

static void need_all(Program *x, Value *const *values, int count)
{
    for (int i = 0; i < count; i++)
        need(x, values[i]);
}

/* Everything that needed values are made of. */
static void complete(Program *x)
{
    while (x->todo.len > 0) {
        const Value *v = x->todo.at[--x->todo.len];
        const Op *loop = v->def ? NULL : v->block->owner;
        if (v->def)
            need_all(x, v->def->operands, v->def->noperands);
        const Value *from[2];
        int count = loop ? nv_carried_from(v, from) : 0;
        for (int i = 0; i < count; i++)
            need(x, from[i]);
    }
}

static void need_coordinates(Program *x, const NvFill *fill)
{
    for (int i = 0; i < fill->tensors.len; i++) {
        const NvTensor *t = &fill->tensors.at[i];
        for (int d = 0; d < t->rank; d++) {
            for (int k = 0; k < t->at[d].count; k++) {
                const PolyTerm *term = &t->at[d].terms[k];
                for (int f = 0; f < term->count; f++)
                    need(x, term->of[f].value);
            }
        }
    }
}

/* Marks the loops that it goes through, too: as known values of their counters. */
static void need_loops(Program *x)
{
    const NvRing *r = x->plan->ring;

    for (int i = 0; i < r->loops.len; i++) {
        const Op *op = r->loops.at[i]->op;
        need_coordinates(x, map_get(r->fills, MAP_KEY(op)));
        for (; op; op = op->block->owner) {
            const Value *bounds[FOR_BOUNDS];
            int count = bounds_of(op, bounds);
            for (int k = 0; k < count; k++)
                need(x, bounds[k]);
            map_put(x->needed, MAP_KEY(op), (void *)op);
        }
    }
    complete(x);
}

static bool is_needed(const Program *x, const void *what)
{
    return map_get(x->needed, MAP_KEY(what)) != NULL;
}

static const NvTile *scalar(Program *x, const Value *v)
{
    return nv_tile(x->plan, v, NULL);
}

static NvStep *list_step(Program *x, NvStepKind kind, const Op *op, NvBlock *out)
{
    NvStep *s = nv_step(x->plan, kind, op);

    s->who = (NvWarps){x->plan->warps, 1};
    vec_push(x->plan->arena, &out->steps, s);
    return s;
}

static void list_fill(Program *x, const Op *loop, const NvFill *fill, NvBlock *out)
{
    NvStep *s = list_step(x, NV_FILL, NULL, out);
    Program own = {.plan = x->plan, .needed = map_new(x->plan->arena)};

    need_coordinates(&own, fill);
    s->op = loop;
    s->detail = fill;
    s->nin = own.todo.len;
    s->in = NEW_N(x->plan->arena, const NvTile *, s->nin + 1);
    for (int i = 0; i < s->nin; i++)
        s->in[i] = scalar(x, own.todo.at[i]);
}

static NvBlock *list_block(Program *x, const Block *b);

/* With those carried values that somebody needs. */
static void list_for(Program *x, const Op *op, NvBlock *out)
{
    NvPlan *p = x->plan;
    const Block *b = op->regions[0];
    const NvFill *fill = map_get(p->ring->fills, MAP_KEY(op));
    NvBlock *body = list_block(x, b);
    NvStep *s = list_step(x, NV_FOR, op, out);

    s->body[0] = body;
    s->nin = FOR_BOUNDS;
    s->nout = 0;
    for (int i = 0; i < FOR_BOUNDS; i++)
        s->in[i] = scalar(x, op->operands[i]);
    body->args = NEW_N(p->arena, const NvTile *, b->nargs);
    body->ends = NEW_N(p->arena, const NvTile *, b->nargs);
    body->args[body->nargs++] = scalar(x, b->args[0]);
    for (int i = 1; i < b->nargs; i++) {
        if (!is_needed(x, b->args[i]))
            continue;
        s->in[s->nin++] = scalar(x, op->operands[FOR_BOUNDS + i - 1]);
        s->out[s->nout++] = scalar(x, op->results[i - 1]);
        body->args[body->nargs++] = scalar(x, b->args[i]);
        body->ends[body->nends++] = scalar(x, b->last->operands[i - 1]);
    }
    if (fill)
        list_fill(x, op, fill, body);
}

/* Both of its regions with those arguments that somebody needs. */
static void list_while(Program *x, const Op *op, NvBlock *out)
{
    NvPlan *p = x->plan;
    const Block *test = op->regions[0], *body = op->regions[1];
    NvBlock *own[] = {list_block(x, test), list_block(x, body)};
    NvStep *s = list_step(x, NV_WHILE, op, out);

    memcpy(s->body, own, sizeof own);
    s->nin = s->nout = 0;
    for (int r = 0; r < COUNT(own); r++) {
        own[r]->args = NEW_N(p->arena, const NvTile *, test->nargs + body->nargs + 1);
        own[r]->ends = NEW_N(p->arena, const NvTile *, test->nargs + body->nargs + 1);
    }
    own[0]->ends[own[0]->nends++] = scalar(x, condition_of(op));
    for (int i = 0; i < test->nargs; i++) {
        if (!is_needed(x, test->args[i]))
            continue;
        s->in[s->nin++] = scalar(x, op->operands[i]);
        own[0]->args[own[0]->nargs++] = scalar(x, test->args[i]);
        own[1]->ends[own[1]->nends++] = scalar(x, body->last->operands[i]);
    }
    for (int i = 0; i < body->nargs; i++) {
        if (!is_needed(x, body->args[i]))
            continue;
        s->out[s->nout++] = scalar(x, op->results[i]);
        own[1]->args[own[1]->nargs++] = scalar(x, body->args[i]);
        own[0]->ends[own[0]->nends++] = scalar(x, test->last->operands[1 + i]);
    }
}

static void list_op(Program *x, const Op *op, NvBlock *out)
{
    if (op->code == OP_for) {
        list_for(x, op, out);
    } else if (op->code == OP_while) {
        list_while(x, op, out);
    } else if (op->code == OP_if) {
        NvBlock *arms[] = {list_block(x, op->regions[0]), list_block(x, op->regions[1])};
        NvStep *s = list_step(x, NV_IF, op, out);
        s->in[0] = scalar(x, op->operands[0]);
        s->nout = 0;
        memcpy(s->body, arms, sizeof arms);
    } else {
        NvStep *s = list_step(x, op_has(op, READS) ? NV_LOAD : NV_COMPUTE, op, out);
        for (int i = 0; i < s->nin; i++)
            s->in[i] = scalar(x, op->operands[i]);
        s->out[0] = scalar(x, op->results[0]);
        if (s->kind == NV_LOAD)
            s->access = nv_access(x->plan, op, NULL, false);
    }
}

static NvBlock *list_block(Program *x, const Block *b)
{
    NvBlock *out = NEW(x->plan->arena, NvBlock);

    for (const Op *op = b ? b->first : NULL; op; op = op->next) {
        if (is_needed(x, op->regions[0]      ? (const void *)op
                         : op->nresults == 1 ? op->results[0]
                                             : NULL))
            list_op(x, op, out);
    }
    return out;
}

NvBlock *nv_list_producer(NvPlan *p)
{
    Program x = {.plan = p, .needed = map_new(p->arena)};

    need_loops(&x);
    NvBlock *out = list_block(&x, p->func->body);
    out->args = p->body->args;
    out->nargs = p->body->nargs;
    return out;
}
