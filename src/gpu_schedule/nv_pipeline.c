/*
 * nv_pipeline.c - loops some of whose loads run ahead of them
 *
 * The steps that compute addresses and masks of the copies (nv_copies.c) are listed a second time:
 * NvAhead, which the loop runs `distance` rounds ahead of its body, with tiles and carried values
 * of its own.  The tile lies in as many buffers as there are stages, one more than the distance:
 * while one is read the others fill.
 *
 * A round that began with a barrier and reads of shared memory would have nothing to multiply until
 * they are done.  Where one product alone reads the copies, the barrier stands in front of its last
 * step along K instead, and behind it the first reads of the next round are done meanwhile.
 */
#include "../gpu_plan/nv_dot.h"
#include "nv_copies.h"

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
        a->bytes += nv_stage_part(p, v->copies.at[i]);
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
        const NvTile *t = v->puts.at[i] ? v->puts.at[i]->in[0] : v->loads.at[i]->out[0];
        for (; t != v->loads.at[i]->out[0]; t = v->maker[t->id]->in[0]) {
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
        v->ahead[body->args[i]->id] = nv_own_tile(v->plan, body->args[i], body->args[i]->layout);
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

/* Is it only computed for copies, and for nobody that is left? */
static bool is_unread(const LoopView *v, const NvStep *s, const bool *read)
{
    return nv_can_run_ahead(s) && v->needed[s->out[0]->id] && !read[s->out[0]->id];
}

/* By tile: what the rounds of the body read, or hand on to who reads it. */
static bool *find_read(const LoopView *v)
{
    const NvBlock *b = v->body;
    bool *read = NEW_N(v->plan->arena, bool, v->plan->tiles.len);

    for (int i = 0; i < b->nends; i++) {
        if (b->ends[i] && v->kept[i + 1])
            read[b->ends[i]->id] = true;
    }
    for (int i = b->steps.len; i-- > 0;) {
        if (!is_gone(v, b->steps.at[i]) && !is_unread(v, b->steps.at[i], read))
            mark_inputs(b->steps.at[i], read);
    }
    return read;
}

void nv_find_kept(LoopView *v)
{
    const NvBlock *b = v->body;
    bool changed;

    v->kept = NEW_N(v->plan->arena, bool, b->nargs);
    for (int i = 1; i < b->nargs; i++) {
        const NvTile *result = v->loop->out[i - 1];
        v->kept[i] = !v->carried[i] || (result && v->users[result->id] > 0);
    }
    do {
        const bool *read = find_read(v);
        changed = false;
        for (int i = 1; i < b->nargs; i++) {
            if (!v->kept[i] && read[b->args[i]->id])
                changed = v->kept[i] = true;
        }
    } while (changed);
}

/* What is only computed for copies is not computed in the rounds of the body as well; what these
 * alone hand on stays as it came in. */
static void drop_unread(LoopView *v)
{
    NvBlock *b = v->body;
    int kept = 0;

    nv_find_kept(v);
    const bool *read = find_read(v);
    for (int i = 0; i < b->steps.len; i++) {
        if (!is_unread(v, b->steps.at[i], read))
            b->steps.at[kept++] = b->steps.at[i];
    }
    b->steps.len = kept;
    for (int i = 1; i < b->nargs; i++) {
        if (!v->kept[i])
            b->ends[i - 1] = b->args[i];
    }
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
        if (nv_can_run_ahead(s) && v->needed[s->out[0]->id]) {
            v->ahead[s->out[0]->id] = nv_own_tile(p, s->out[0], s->out[0]->layout);
            vec_push(p->arena, &a->steps.steps, ahead_step(v, s));
        }
        for (int k = 0; k < v->loads.len; k++) {
            if (v->loads.at[k] != s)
                continue;
            vec_push(p->arena, &a->steps.steps, ahead_step(v, v->copies.at[k]));
            if (v->takes.at[k]) {
                nv_use(p, v->takes.at[k], a->buffer, false, false);
                vec_push(p->arena, &rest.steps, v->takes.at[k]);
            }
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
    return nv_can_run_ahead(s) || (s->kind == NV_LOAD && s->uses.len == 0);
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
    LoopView v = {.plan = p, .loop = loop, .body = body, .ntiles = p->tiles.len, .users = users};
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
    nv_find_copies(&v);
    if (v.copies.len == v.commons)
        return;
    a->stages = nv_stages_of_copies(&v, a->stages);
    if (a->stages < 2)
        return;
    a->distance = a->stages - 1;
    a->fill = nv_ring_loop(p, loop, (const NvStep *const *)v.loads.at, v.puts.at,
                           v.loads.len - v.commons);
    if (!a->fill && nv_rather_beside(&v, a->stages))
        return;
    if (a->fill && v.commons > 0)
        return; /* each thread loads what it needs, in the plan that comes of this one */
    p->commons -= v.commons;
    if (!a->fill)
        nv_find_own_copies(&v, a->stages);
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
    if (p->commons == 0) /* else there will be another plan */
        nv_ring_finish(p);
}
