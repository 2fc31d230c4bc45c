/*
 * nv_ring.c - which loops have a producer, and what their ring is
 */
#include "../gpu_plan/nv_dot.h"
#include "nv_ring.h"

#include <string.h>

/* --- maps --- */

int nv_map_number(NvPlan *p, const GenMap *map)
{
    GenRecipe *r = &p->recipe;
    GenMap wanted = *map;

    for (int i = 0; i < r->nmaps; i++) {
        wanted.arg = r->maps[i].arg;
        wanted.stride[0] = r->maps[i].stride[0];
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
            all |= parameters_of_sum(&m->extent[d]) | parameters_of_sum(&m->stride[d]);
    }
    return all;
}

/* Have maps refuse arguments that make one of these parameters negative; false: no room for that.
 */
static bool demand(NvPlan *p, uint64_t params)
{
    GenRecipe *r = &p->recipe;
    int i = 0;

    for (; params; params &= params - 1) {
        int param = __builtin_ctzll(params);
        while (i < r->nmaps && r->maps[i].stride[0].bytes[0] != 0)
            i++;
        if (i == r->nmaps)
            return false;
        r->maps[i].stride[0] = (GenSum){
            .scale[0] = 1,
            .param[0] = param,
            .bytes[0] = type_size(p->func->body->args[param]->type),
        };
    }
    return true;
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
    NvFill *fill = NEW(p->arena, NvFill);
    uint64_t assumed = 0;
    bool can = count > 0 && is_possible(p, loop) && nv_can_produce(p, loop->op, fill);

    for (int i = 0; can && i < count; i++) {
        NvTensor t;
        GenMap map;
        can = nv_tensor_of(p, loads[i]->op, puts[i]->out[0], INT32_MAX, &t, &map, &assumed);
        if (can)
            t.map = nv_map_number(p, &map);
        can = can && t.map >= 0;
        if (!can)
            break;
        vec_push(p->arena, &fill->tensors, t);
        fill->bytes[0] += t.bytes * t.boxes;
    }
    if (!can || !nv_can_produce(p, loop->op, fill) || !demand(p, assumed & ~nv_map_parameters(p))) {
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

    if (!r)
        return;
    choose_producer(p);
    find_last(r);
    p->producer = nv_list_producer(p);
    size_ring(p);
}
