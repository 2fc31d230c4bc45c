/*
 * nv_pipeline.c - loads of a loop that only feed products run ahead of it
 *
 * A load whose result goes nowhere but to shared memory becomes a copy that does not pass through
 * registers (NV_COPY: cp.async), asked for some rounds before the round that needs it.  For that
 * the steps that compute its addresses and masks are listed a second time: NvAhead, which the loop
 * runs `distance` rounds ahead of its body, with tiles and carried values of its own.  The tile
 * lies in as many buffers as there are stages, one more than the distance: while one is read the
 * others fill.
 *
 * That needs: addresses that are computed from what the loop carries, from indices that are loaded,
 * best in the round before (../opt/ahead.c), and from outside alone;
 * nothing in the loop that may write where is read; vectors of 4, 8 or 16 bytes that are neighbours
 * in both memories; zero, if anything, for what the mask leaves out.
 *
 * A round that began with a barrier and reads of shared memory would have nothing to multiply until
 * they are done.  Where one product alone reads the copies, the barrier stands in front of its last
 * step along K instead, and behind it the first reads of the next round are done meanwhile.
 */
#include "../gpu_plan/nv_dot.h"
#include "nv_ring.h"

#include <string.h>

enum { LEAST_COPY = 4, STAGE_ALIGN = 1024 };

/* What is known of a loop while its loads are looked at. */
typedef struct {
    NvPlan *plan;
    NvStep *loop;
    NvBlock *body;
    const NvStep **maker; /* by tile: the step of the body that makes it; NULL: none does */
    int *argument;    /* by tile: of which argument of the body it is; 0: of none that is carried */
    const int *users; /* by tile, in the whole plan */
    bool *needed;     /* by tile: the steps ahead compute it */
    bool *carried;    /* by argument */
    const NvTile **ahead; /* by tile of the body: that of the steps ahead; NULL: they have none */
    VEC(NvStep *) copies; /* and in the same order */
    VEC(const NvStep *) loads;
    VEC(const NvStep *) puts;
} LoopView;

/* --- counting --- */

void nv_count_users(const NvBlock *b, int *users)
{
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->nin; k++) {
            if (s->in[k])
                users[s->in[k]->id]++;
        }
        if (s->ahead)
            nv_count_users(&s->ahead->steps, users);
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                nv_count_users(s->body[r], users);
        }
    }
    for (int i = 0; i < b->nends; i++) {
        if (b->ends[i])
            users[b->ends[i]->id]++;
    }
}

/* --- what the steps ahead need --- */

/* Of loads those of indices, that each thread reads for itself. */
static bool can_run_ahead(const NvStep *s)
{
    return s->kind == NV_COMPUTE ||
           (s->kind == NV_CONVERT && s->conversion->kind != CONVERT_SHARED) ||
           (s->kind == NV_LOAD && s->nout == 1 && s->uses.len == 0 && !s->detail && !s->once &&
            !op_is_volatile(s->op) && dtype_is_int(s->op->results[0]->type->dtype));
}

static bool may_be_written(const LoopView *v, const NvBlock *b, const Op *load);

/* Mark what a tile is made of; false: something of it cannot be computed ahead. */
static bool need(LoopView *v, const NvTile *tile)
{
    VEC(const NvTile *) todo = {0};

    vec_push(v->plan->arena, &todo, tile);
    while (todo.len > 0) {
        const NvTile *t = todo.at[--todo.len];
        const NvStep *s = v->maker[t->id];
        int argument = v->argument[t->id];
        if (v->needed[t->id])
            continue;
        v->needed[t->id] = true;
        if (argument > 0) {
            v->carried[argument] = true;
            vec_push(v->plan->arena, &todo, v->body->ends[argument - 1]);
        }
        if (!s)
            continue;
        if (!can_run_ahead(s) || (s->kind == NV_LOAD && may_be_written(v, v->body, s->op)))
            return false;
        for (int i = 0; i < s->nin; i++) {
            if (s->in[i])
                vec_push(v->plan->arena, &todo, s->in[i]);
        }
    }
    return true;
}

/* Address and mask of a load; nothing stays marked when that fails. */
static bool need_address(LoopView *v, const NvStep *load)
{
    size_t tiles = (size_t)v->plan->tiles.len, arguments = (size_t)v->body->nargs;
    bool *needed = NEW_N(v->plan->arena, bool, tiles),
         *carried = NEW_N(v->plan->arena, bool, arguments);
    bool can = true;

    memcpy(needed, v->needed, tiles);
    memcpy(carried, v->carried, arguments);
    for (int i = 0; i <= LOAD_MASK && i < load->nin && can; i++)
        can = !load->in[i] || need(v, load->in[i]);
    if (!can) {
        memcpy(v->needed, needed, tiles);
        memcpy(v->carried, carried, arguments);
    }
    return can;
}

/* --- which loads --- */

/* The load behind a tile that nobody else uses, through moves that leave registers where they are;
 * NULL: there is none. */
static const NvStep *load_behind(const LoopView *v, const NvTile *t)
{
    const NvStep *s = v->maker[t->id];

    while (s && v->users[t->id] == 1 && s->kind == NV_COMPUTE && op_has(s->op, MOVES) && !s->take &&
           s->in[0]->layout && s->in[0]->layout->nreg == t->layout->nreg) {
        t = s->in[0];
        s = v->maker[t->id];
    }
    return s && s->kind == NV_LOAD && !s->detail && v->users[t->id] == 1 ? s : NULL;
}

static bool pads_with_zero(const Op *load)
{
    const Value *other = op_operand(load, LOAD_OTHER);
    uint64_t bits;

    return !other || (value_constant(other, &bits) && bits == 0);
}

/* Elements of a copy, as bits: what the load reads in one piece and shared memory has in one. */
static int copy_bits(const NvStep *load, const NvStep *put)
{
    const Layout *l = put->in[0]->layout;
    const SharedLayout *memory = &put->out[0]->memory;
    int n = 0;

    while (n < load->access->vector_bits && n < memory->nbits &&
           l->reg[load->access->regs[n]] == memory->coordinate[n])
        n++;
    return n;
}

static bool may_be_written(const LoopView *v, const NvBlock *b, const Op *load)
{
    const NvPlan *p = v->plan;

    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        bool writes = s->op && !s->body[0] && op_has(s->op, WRITES | EFFECT);
        if (writes && (!p->options->disjoint || !op_has(s->op, WRITES) || s->nin == 0 ||
                       (ir_bases_of(p->bases, s->op->operands[0]) &
                        ir_bases_of(p->bases, load->operands[0])) != 0))
            return true;
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r] && may_be_written(v, s->body[r], load))
                return true;
        }
    }
    return false;
}

static bool is_candidate(const LoopView *v, const NvStep *put, const NvStep *load)
{
    const Type *t = load->out[0]->value->type;
    int size = type_size(t);

    return size << copy_bits(load, put) >= LEAST_COPY && !attr_volatile(load->op) &&
           pads_with_zero(load->op) && !may_be_written(v, v->body, load->op);
}

static NvStep *copy_step(NvPlan *p, const NvStep *load, const NvStep *put)
{
    NvStep *s = nv_step(p, NV_COPY, load->op);
    NvCopy *copy = NEW(p->arena, NvCopy);

    for (int i = 0; i < load->nin; i++)
        s->in[i] = load->in[i];
    s->out[0] = put->out[0];
    s->access = load->access;
    s->detail = copy;
    *copy = (NvCopy){load->out[0], put->in[0]->layout, copy_bits(load, put)};
    return s;
}

static void find_copies(LoopView *v)
{
    for (int i = 0; i < v->body->steps.len; i++) {
        const NvStep *put = v->body->steps.at[i];
        const NvStep *load = put->kind == NV_PUT ? load_behind(v, put->in[0]) : NULL;
        if (!load || !is_candidate(v, put, load) || !need_address(v, load))
            continue;
        vec_push(v->plan->arena, &v->copies, copy_step(v->plan, load, put));
        vec_push(v->plan->arena, &v->loads, load);
        vec_push(v->plan->arena, &v->puts, put);
    }
}

/* --- the loop's new form --- */

static void rename_buffer(NvBlock *b, int from, int to)
{
    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->uses.len; k++) {
            if (s->uses.at[k].buffer == from)
                s->uses.at[k].buffer = to;
        }
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                rename_buffer(s->body[r], from, to);
        }
    }
}

/* Bytes of a copy's tile within a stage. */
static int64_t stage_part(const NvStep *copy)
{
    return (shared_bytes(&copy->out[0]->memory) + STAGE_ALIGN - 1) / STAGE_ALIGN * STAGE_ALIGN;
}

static int stages_that_fit(const LoopView *v, int wanted)
{
    NvPlan *p = v->plan;
    bool *copied = NEW_N(p->arena, bool, p->buffers.len + 1);
    int64_t bytes = 0;

    for (int i = 0; i < v->copies.len; i++) {
        copied[v->copies.at[i]->out[0]->buffer] = true;
        bytes += stage_part(v->copies.at[i]);
    }
    return nv_stages_that_fit(p, v->body, copied, bytes, wanted);
}

/* The tiles of a stage, one behind the other. */
static void place_tiles(LoopView *v, NvAhead *a)
{
    NvPlan *p = v->plan;

    a->buffer = a->fill ? p->ring->buffer : nv_buffer(p, 0);
    for (int i = 0; i < v->copies.len; i++) {
        NvTile *t = p->tiles.at[v->copies.at[i]->out[0]->id];
        p->buffers.at[t->buffer].bytes = 0;
        rename_buffer(v->body, t->buffer, a->buffer);
        t->buffer = a->buffer;
        t->at = a->bytes;
        a->bytes += stage_part(v->copies.at[i]);
    }
    nv_use(p, v->loop, a->buffer, !a->fill, false);
    if (a->fill) {
        nv_ring_room(p, v->loop, a->stages, a->bytes);
        return;
    }
    p->buffers.at[a->buffer].bytes = a->stages * a->bytes;
    p->buffers.at[a->buffer].align = STAGE_ALIGN;
}

static bool is_gone(const LoopView *v, const NvStep *s)
{
    for (int i = 0; i < v->loads.len; i++) {
        if (v->loads.at[i] == s || v->puts.at[i] == s)
            return true;
        for (const NvTile *t = v->puts.at[i]->in[0]; t != v->loads.at[i]->out[0];
             t = v->maker[t->id]->in[0]) {
            if (v->maker[t->id] == s)
                return true;
        }
    }
    return false;
}

/* The tile that the steps ahead make in its place, or one of outside. */
static const NvTile *ahead_tile(const LoopView *v, const NvTile *t)
{
    return t && v->ahead[t->id] ? v->ahead[t->id] : t;
}

/* Another tile of the same value, which no step finds by nv_tile(). */
static void make_ahead_tile(LoopView *v, const NvTile *t)
{
    NvTile *own = NEW(v->plan->arena, NvTile);

    *own = *t;
    own->id = v->plan->tiles.len;
    vec_push(v->plan->arena, &v->plan->tiles, own);
    v->ahead[t->id] = own;
}

/* The same step on tiles of those that run ahead. */
static NvStep *ahead_step(LoopView *v, const NvStep *s)
{
    NvPlan *p = v->plan;
    NvStep *own = NEW(p->arena, NvStep);

    *own = *s;
    own->in = NEW_N(p->arena, const NvTile *, s->nin + 1);
    own->out = NEW_N(p->arena, const NvTile *, s->nout + 1);
    for (int i = 0; i < s->nin; i++)
        own->in[i] = ahead_tile(v, s->in[i]);
    for (int i = 0; i < s->nout; i++)
        own->out[i] = ahead_tile(v, s->out[i]);
    return own;
}

/* Arguments of the body, of which the steps ahead have those that they need, and its ends. */
static void ahead_arguments(LoopView *v, NvBlock *ahead)
{
    const NvBlock *body = v->body;

    ahead->nargs = body->nargs;
    ahead->args = NEW_N(v->plan->arena, const NvTile *, body->nargs + 1);
    ahead->nends = body->nends;
    ahead->ends = NEW_N(v->plan->arena, const NvTile *, body->nends + 1);
    for (int i = 0; i < body->nargs; i++) {
        if (i > 0 && !v->carried[i])
            continue;
        make_ahead_tile(v, body->args[i]);
        ahead->args[i] = ahead_tile(v, body->args[i]);
    }
}

static void mark_read(const NvBlock *b, bool *read);

static void mark_inputs(const NvStep *s, bool *read)
{
    for (int i = 0; i < s->nin; i++) {
        if (s->in[i])
            read[s->in[i]->id] = true;
    }
    if (s->ahead)
        mark_read(&s->ahead->steps, read);
    for (int r = 0; r < COUNT(s->body); r++) {
        if (s->body[r])
            mark_read(s->body[r], read);
    }
}

static void mark_read(const NvBlock *b, bool *read)
{
    for (int i = 0; i < b->steps.len; i++)
        mark_inputs(b->steps.at[i], read);
    for (int i = 0; i < b->nends; i++) {
        if (b->ends[i])
            read[b->ends[i]->id] = true;
    }
}

/* What is only computed for copies is not computed in the rounds of the body as well. */
static void drop_unread(LoopView *v)
{
    NvBlock *b = v->body;
    bool *read = NEW_N(v->plan->arena, bool, v->plan->tiles.len);
    int at = b->steps.len;

    mark_read(&(NvBlock){.ends = b->ends, .nends = b->nends}, read);
    for (int i = b->steps.len; i-- > 0;) {
        NvStep *s = b->steps.at[i];
        if (can_run_ahead(s) && v->ahead[s->out[0]->id] && !read[s->out[0]->id])
            continue;
        mark_inputs(s, read);
        b->steps.at[--at] = s;
    }
    b->steps.len -= at;
    for (int i = 0; i < b->steps.len; i++)
        b->steps.at[i] = b->steps.at[at + i];
}

/* Whoever changes one of the two lists later on leaves the other as it is: they share no steps. */
static void divide(LoopView *v, NvAhead *a)
{
    NvPlan *p = v->plan;
    NvBlock rest = {0};

    v->ahead = NEW_N(p->arena, const NvTile *, p->tiles.len);
    ahead_arguments(v, &a->steps);
    for (int i = 0; i < v->body->steps.len; i++) {
        NvStep *s = v->body->steps.at[i];
        if (can_run_ahead(s) && v->needed[s->out[0]->id]) {
            make_ahead_tile(v, s->out[0]);
            vec_push(p->arena, &a->steps.steps, ahead_step(v, s));
        }
        for (int k = 0; k < v->loads.len; k++) {
            if (v->loads.at[k] == s)
                vec_push(p->arena, &a->steps.steps, ahead_step(v, v->copies.at[k]));
        }
        if (!is_gone(v, s))
            vec_push(p->arena, &rest.steps, s);
    }
    for (int i = 1; i < a->steps.nargs; i++)
        a->steps.ends[i - 1] = v->carried[i] ? ahead_tile(v, v->body->ends[i - 1]) : NULL;
    v->body->steps.at = rest.steps.at;
    v->body->steps.len = rest.steps.len;
    v->body->steps.cap = rest.steps.cap;
    drop_unread(v);
}

/* Does that step leave shared memory alone, and write nothing? */
static bool only_computes(const NvStep *s)
{
    return can_run_ahead(s) || (s->kind == NV_LOAD && s->uses.len == 0);
}

/* The one product of the body that reads what the copies bring, by ldmatrix and in several steps
 * along K, where nothing else needs the barrier at the beginning of a round; NULL: none. */
static const NvStep *early_product(const NvBlock *body, const NvAhead *a)
{
    const NvStep *found = NULL;

    for (int i = 0; i < body->steps.len; i++) {
        const NvStep *s = body->steps.at[i];
        if (only_computes(s))
            continue;
        const NvDot *d = s->kind == NV_DOT ? s->detail : NULL;
        if (found || !d || d->kind != DOT_MMA || d->k <= d->tiling.shape.k)
            return NULL;
        for (int part = MMA_A; part <= MMA_B; part++) {
            if (d->operand[part].way != OPERAND_MATRICES || s->in[part]->buffer != a->buffer)
                return NULL;
        }
        found = s;
    }
    return found;
}

/* The first that reads by instructions for matrices.  Copies and reads of shared memory go through
 * the same unit in order, so a round asks for its copies behind the first reads of that product.
 * What products in flight read is free when the last of them is on its way. */
static const NvStep *host_of(const NvBlock *body, const NvAhead *a)
{
    if (a->flying.len > 0)
        return a->flying.at[a->flying.len - 1];
    for (int i = 0; i < body->steps.len; i++) {
        const NvStep *s = body->steps.at[i];
        if (s->kind == NV_DOT && ((const NvDot *)s->detail)->kind != DOT_FMA)
            return s;
    }
    return NULL;
}

/* Does a unit read what the copies bring? */
static bool needs_fence(const LoopView *v)
{
    for (int i = 0; i < v->copies.len; i++) {
        if (v->copies.at[i]->out[0]->by_unit)
            return true;
    }
    return false;
}

/* Which products go on over the end of a round. */
static void find_flying(LoopView *v, NvAhead *a)
{
    NvPlan *p = v->plan;
    bool *copied = NEW_N(p->arena, bool, p->tiles.len);

    for (int i = 0; i < v->copies.len; i++)
        copied[v->copies.at[i]->out[0]->id] = true;
    nv_find_flying(p, v->body, v->users, copied, a);
}

/* Rounds wait for the ring instead, and there is nothing that runs ahead. */
static void leave_to_producer(NvAhead *a)
{
    a->steps.steps.len = 0;
    a->steps.args = a->steps.ends = NULL;
    a->steps.nargs = a->steps.nends = 0;
    a->free = (NvWait){0};
    a->host = a->flying.len > 0 ? a->flying.at[a->flying.len - 1] : NULL;
}

static void wait_for_copies(LoopView *v, NvAhead *a)
{
    a->own = (NvWait){.kind = NV_WAIT_COPIES,
                      .who = v->loop->who,
                      .in_flight = a->distance - 1,
                      .fence = needs_fence(v)};
    a->all = nv_wait_warps(v->plan);
    a->host = host_of(v->body, a);
    a->early = early_product(v->body, a);
}

static void pipeline_loop(NvPlan *p, NvStep *loop, NvBlock *body, const int *users)
{
    LoopView v = {.plan = p, .loop = loop, .body = body, .users = users};
    NvAhead *a = NEW(p->arena, NvAhead);

    *a = (NvAhead){.stages = nv_stages_wanted(p, loop->op)};
    if (a->stages < 2)
        return;
    v.maker = NEW_N(p->arena, const NvStep *, p->tiles.len);
    v.argument = NEW_N(p->arena, int, p->tiles.len);
    v.needed = NEW_N(p->arena, bool, p->tiles.len);
    v.carried = NEW_N(p->arena, bool, v.body->nargs);
    for (int i = 0; i < v.body->steps.len; i++) {
        const NvStep *s = v.body->steps.at[i];
        for (int k = 0; k < s->nout; k++) {
            if (s->out[k])
                v.maker[s->out[k]->id] = s;
        }
    }
    for (int i = 1; i < v.body->nargs; i++)
        v.argument[v.body->args[i]->id] = i;
    find_copies(&v);
    if (v.copies.len == 0)
        return;
    a->stages = stages_that_fit(&v, a->stages);
    if (a->stages < 2)
        return;
    a->distance = a->stages - 1;
    a->fill = nv_ring_loop(p, loop, (const NvStep *const *)v.loads.at, v.puts.at, v.loads.len);
    find_flying(&v, a);
    place_tiles(&v, a);
    divide(&v, a);
    nv_let_fly(p, loop, a);
    if (a->fill) {
        leave_to_producer(a);
        nv_delay_product(p, v.body, users, a);
    } else {
        wait_for_copies(&v, a);
    }
    loop->ahead = a;
}

static void walk(NvPlan *p, NvBlock *b, const int *users)
{
    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        for (int r = 0; r < COUNT(s->body); r++) {
            if (!s->body[r])
                continue;
            walk(p, s->body[r], users);
            if (s->kind == NV_FOR)
                pipeline_loop(p, s, s->body[r], users);
        }
    }
}

void nv_pipeline(NvPlan *p)
{
    int *users = NEW_N(p->arena, int, p->tiles.len + 1);

    nv_count_users(p->body, users);
    walk(p, p->body, users);
    nv_ring_finish(p);
}
