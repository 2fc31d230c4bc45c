/*
 * nv_ring.c - which loops have a producer, and its program
 *
 * The producer's program is made of the IR: the loops that take tiles from the ring, what they
 * stand in, and the scalars that bounds and coordinates are made of.  Its thread computes them by
 * itself, so they are made of what every thread can compute: not of tiles, and not of what the
 * kernel writes.
 */
#include "../gpu_plan/nv_dot.h"
#include "nv_ring.h"

#include <string.h>

enum { MOST_WORK = 4000 };

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

/* Of a loop: its counter, or what it carries. */
static bool can_compute_argument(Able *x, const Value *v)
{
    const Op *loop = v->block->owner;

    if (!loop) /* of the kernel */
        return true;
    if (loop->code != OP_for || !can_compute_all(x, loop->operands, FOR_BOUNDS))
        return false;
    return v->index == 0 || (can_compute(x, loop->operands[FOR_BOUNDS + v->index - 1]) &&
                             can_compute(x, v->block->last->operands[v->index - 1]));
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
        if (op->code == OP_for ? !can_compute_all(x, op->operands, FOR_BOUNDS)
                               : op->code != OP_if || !can_compute(x, op->operands[0]))
            return false;
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

/* --- maps --- */

int nv_map_number(NvPlan *p, const GenMap *map)
{
    GenRecipe *r = &p->recipe;
    GenMap wanted = *map;

    for (int i = 0; i < r->nmaps; i++) {
        wanted.arg = r->maps[i].arg;
        if (memcmp(&r->maps[i], &wanted, sizeof wanted) == 0)
            return i;
    }
    if (r->nmaps == GEN_MAPS)
        return -1;
    wanted.arg = p->func->nparams + r->nmaps;
    r->maps[r->nmaps] = wanted;
    return r->nmaps++;
}

static uint64_t parameters_of_sum(const GenSum *s)
{
    bool alone = s->bytes[0] != 0 && s->bytes[1] == 0 && s->scale[0] > 0 && s->constant <= 0;

    return alone && s->param[0] < 64 ? UINT64_C(1) << s->param[0] : 0;
}

uint64_t nv_map_parameters(const NvPlan *p)
{
    uint64_t all = 0;

    for (int i = 0; i < p->recipe.nmaps; i++) {
        const GenMap *m = &p->recipe.maps[i];
        for (int d = 0; d < m->rank; d++)
            all |=
                parameters_of_sum(&m->extent[d]) | (d > 0 ? parameters_of_sum(&m->stride[d]) : 0);
    }
    return all;
}

/* --- registers --- */

enum { GROUP = 1 << WGMMA_WARP_BITS };

int64_t nv_round_registers(const NvBlock *b, const NvStep *delayed)
{
    enum { OTHERS = 40 };
    int64_t words = OTHERS, made = 0;

    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        const NvDot *d = s->kind == NV_DOT ? s->detail : NULL;
        const NvTile *rows = d ? s->in[MMA_A] : NULL;
        if (!rows)
            continue;
        words += layout_registers(s->out[0]->layout) + d->parts_at_once * d->part_words;
        int64_t own = d->kind != DOT_FMA && d->operand[MMA_A].way != OPERAND_MEMORY && d->part == 0
                          ? layout_registers(d->layout[MMA_A]) * d->mma->bytes / 4
                          : 0;
        if (s == delayed)
            words += layout_registers(rows->layout) * type_size(rows->value->type) / 4;
        else if (rows->value->block == s->op->block)
            made = MAX(made, own);
        else
            words += own;
    }
    return words + made;
}

static int64_t registers_of_round(const NvStep *loop)
{
    return nv_round_registers(loop->body[0], loop->ahead ? loop->ahead->delayed : NULL);
}

/* Of a loop of several products by groups of warps; 0: it is none. */
static int64_t registers_of_products(const NvStep *loop)
{
    const NvBlock *b = loop->body[0];
    int products = 0;

    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        const NvDot *d = s->kind == NV_DOT ? s->detail : NULL;
        if (d && d->kind != DOT_WGMMA)
            return 0;
        products += d != NULL;
    }
    return products > 1 ? registers_of_round(loop) : 0;
}

/* Of all loops within the most: a thread has them from the program's beginning to its end. */
static int64_t registers_of_rounds(const NvBlock *b)
{
    int64_t most = 0;

    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                most = MAX(most, registers_of_rounds(s->body[r]));
        }
        if (s->kind == NV_FOR)
            most = MAX(most, registers_of_products(s));
    }
    return most;
}

/* Of programs of one group a multiprocessor has two, and while one makes weights of a product the
 * other multiplies.  With a producer beside each, a quarter has three warps, and registers for so
 * much less.  A loop of one product has enough on its way by itself. */
static bool costs_a_program(const NvPlan *p)
{
    enum { WITHOUT = 2, WITH = 3 }; /* warps of a quarter */
    int64_t needed = p->warps == GROUP ? registers_of_rounds(p->body) : 0;

    return needed > nv_quarter_registers(p) / WITH && needed <= nv_quarter_registers(p) / WITHOUT;
}

/* --- loops --- */

static bool is_possible(const NvPlan *p, const NvStep *loop)
{
    bool inner = false;

    for (int i = 0; p->ring && i < p->ring->loops.len; i++) {
        for (const Op *op = p->ring->loops.at[i]->op; op && !inner; op = op->block->owner)
            inner = op == loop->op;
    }
    return !p->no_tensors && chip_has(p->chip, CHIP_GROUPS) && !inner &&
           p->warps < p->chip->warps && !func_hidden(p->func, PARAM_RECORDS) && !costs_a_program(p);
}

static NvRing *need_ring(NvPlan *p)
{
    if (p->ring)
        return p->ring;
    p->ring = NEW(p->arena, NvRing);
    *p->ring = (NvRing){.warps = 1,
                        .parts = 1,
                        .fills = map_new(p->arena),
                        .buffer = nv_buffer(p, 0),
                        .barriers = nv_buffer(p, 0)};
    p->buffers.at[p->ring->buffer].align = WGMMA_ALIGN;
    p->buffers.at[p->ring->buffer].always = true;
    p->buffers.at[p->ring->barriers].always = true;
    return p->ring;
}

const NvFill *nv_ring_loop(NvPlan *p, const NvStep *loop, const NvStep *const *loads,
                           const NvStep *const *puts, int count)
{
    GenRecipe before = p->recipe;
    Able able = {.plan = p, .known = map_new(p->arena)};
    NvFill *fill = NEW(p->arena, NvFill);
    uint64_t assumed = 0;
    bool can = count > 0 && is_possible(p, loop) && can_run(&able, loop->op);

    for (int i = 0; can && i < count; i++) {
        NvTensor t;
        GenMap map;
        can = nv_tensor_of(p, loads[i]->op, puts[i]->out[0], INT32_MAX, &t, &map, &assumed) &&
              can_locate(&able, &t);
        if (can)
            t.map = nv_map_number(p, &map);
        can = can && t.map >= 0;
        if (!can)
            break;
        vec_push(p->arena, &fill->tensors, t);
        fill->bytes[0] += t.bytes * t.boxes;
    }
    if (!can || (assumed & ~nv_map_parameters(p)) != 0) {
        p->recipe = before;
        return NULL;
    }
    map_put(need_ring(p)->fills, MAP_KEY(loop->op), fill);
    return fill;
}

void nv_ring_room(NvPlan *p, const NvStep *loop, int stages, int64_t bytes)
{
    NvRing *r = p->ring;

    r->stages = r->loops.len == 0 ? stages : MIN(r->stages, stages);
    r->bytes = MAX(r->bytes, bytes);
    vec_push(p->arena, &r->loops, loop);
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
        if (loop && v->index > 0) {
            need(x, loop->operands[FOR_BOUNDS + v->index - 1]);
            need(x, v->block->last->operands[v->index - 1]);
        }
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
            need_all(x, op->operands, op->code == OP_for ? FOR_BOUNDS : 1);
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

static void list_op(Program *x, const Op *op, NvBlock *out)
{
    if (op->code == OP_for) {
        list_for(x, op, out);
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

/* --- the producer's registers --- */

static int64_t most_needed(const NvPlan *p)
{
    int64_t needed = 0;

    for (int i = 0; i < p->ring->loops.len; i++)
        needed = MAX(needed, registers_of_round(p->ring->loops.at[i]));
    return needed;
}

int64_t nv_programs_by_registers(const NvPlan *p)
{
    int64_t threads = (int64_t)nv_launched_warps(p) << p->chip->lane_bits;

    return MAX(p->chip->registers / (threads * most_needed(p)), 1);
}

/* A group of warps gives its registers away where they are needed. */
static void choose_producer(NvPlan *p)
{
    NvRing *r = p->ring;
    int64_t needed = most_needed(p);

    if (needed <= nv_launched_registers(p) || nv_ring_registers(p) <= nv_launched_registers(p) ||
        p->warps + GROUP > p->chip->warps)
        return;
    r->warps = GROUP;
    r->registers = nv_ring_registers(p);
}

int nv_launched_warps(const NvPlan *p)
{
    return p->warps + (p->ring ? p->ring->warps : 0);
}

/* --- parts of a stage --- */

/* Does a step of the block read the tile, or one within it? */
static bool is_read(const NvBlock *b, const NvTile *t, const NvStep *but)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; s != but && k < s->nin; k++) {
            if (s->in[k] == t)
                return true;
        }
        for (int r = 0; r < COUNT(s->body); r++) {
            if (is_read(s->body[r], t, but))
                return true;
        }
    }
    return false;
}

static bool is_for_next_round(const NvStep *loop, const NvTensor *t)
{
    const NvStep *s = loop->ahead->delayed;

    return s && s->in[MMA_B] == t->tile;
}

/* A round reads more than what it leaves to the next one. */
static bool has_two_parts(const NvStep *loop)
{
    const NvFill *f = loop->ahead->fill;

    return loop->ahead->delayed && f->tensors.len > 1;
}

static void divide_fill(const NvPlan *p, const NvStep *loop)
{
    NvFill *f = map_get(p->ring->fills, MAP_KEY(loop->op));

    memset(f->bytes, 0, sizeof f->bytes);
    for (int i = 0; i < f->tensors.len; i++) {
        NvTensor *t = &f->tensors.at[i];
        t->part = is_for_next_round(loop, t);
        f->bytes[t->part] += t->bytes * t->boxes;
        f->soon |= t->part > 0 && is_read(loop->body[0], t->tile, loop->ahead->delayed);
    }
}

/* One ring is for all loops, so all have parts, or none has.  Of three stages and more one is empty
 * anyhow when a round ends: parts would cost two waits a round (attention of 64 6 %). */
static void divide_stages(NvPlan *p)
{
    NvRing *r = p->ring;

    if (r->stages > 2)
        return;
    for (int i = 0; i < r->loops.len; i++) {
        if (!has_two_parts(r->loops.at[i]))
            return;
    }
    r->parts = NV_RING_PARTS;
    for (int i = 0; i < r->loops.len; i++)
        divide_fill(p, r->loops.at[i]);
}

/* --- how long it is --- */

static void size_ring(NvPlan *p)
{
    const NvRing *r = p->ring;

    divide_stages(p);
    p->buffers.at[r->buffer].bytes = r->stages * r->bytes;
    p->buffers.at[r->barriers].bytes = (int64_t)2 * r->parts * r->stages * NV_MBARRIER_BYTES;
}

bool nv_ring_shorten(NvPlan *p)
{
    if (!p->ring || p->ring->stages <= 2)
        return false;
    p->ring->stages--;
    size_ring(p);
    return true;
}

/* Of the last loop that takes from the ring, if nothing has it begin anew. */
static void find_last(const NvRing *r)
{
    const Op *loop = r->loops.at[r->loops.len - 1]->op, *outer = loop->block->owner;
    NvFill *fill = map_get(r->fills, MAP_KEY(loop));

    while (outer && outer->code != OP_for && outer->code != OP_while)
        outer = outer->block->owner;
    fill->last = !outer;
}

void nv_ring_finish(NvPlan *p)
{
    NvRing *r = p->ring;
    Program x = {.plan = p, .needed = map_new(p->arena)};

    if (!r)
        return;
    choose_producer(p);
    find_last(r);
    need_loops(&x);
    p->producer = list_block(&x, p->func->body);
    p->producer->args = p->body->args;
    p->producer->nargs = p->body->nargs;
    size_ring(p);
}
