/*
 * nv_copies.c - which loads of a loop run ahead of it, as copies to shared memory
 *
 * A load whose result goes nowhere but to shared memory becomes a copy that does not pass through
 * registers (NV_COPY: cp.async), asked for some rounds before the round that needs it.
 *
 * That needs: addresses that are computed from what the loop carries, from indices that are loaded,
 * best in the round before (../opt_target/ahead.c), and from outside alone; nothing in the loop
 * that may write where is read; vectors of 4, 8 or 16 bytes that are neighbours in both memories;
 * zero, if anything, for what the mask leaves out.
 *
 * Beside these, what rounds load for the next one to compute with before they multiply, as packed
 * weights and their scales, would be one round ahead alone.  So each thread copies these words to a
 * place of its own, as early as the others, and takes them from there (NV_TAKE) where it loaded
 * them.  Nobody else reads that, so it lies as the threads have it and needs no barrier.  So do
 * tiles of the round itself that a factor is computed of, as a bias is added to what is multiplied
 * next: too large for registers a round ahead, they would be waited for.
 */
#include "../gpu_plan/nv_dot.h"
#include "nv_copies.h"

#include <string.h>

/* --- what the steps ahead need --- */

/* Of loads those of indices, that each thread reads for itself. */
bool nv_can_run_ahead(const NvStep *s)
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
        if (!nv_can_run_ahead(s) || (s->kind == NV_LOAD && may_be_written(v, v->body, s->op)))
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
    size_t tiles = (size_t)v->ntiles, arguments = (size_t)v->body->nargs;
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

    return size << copy_bits(load, put) >= NV_LEAST_COPY && !attr_volatile(load->op) &&
           nv_pads_with_zero(load->op) && !may_be_written(v, v->body, load->op);
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

static void find_copies(LoopView *v, bool common)
{
    for (int i = 0; i < v->body->steps.len; i++) {
        const NvStep *put = v->body->steps.at[i];
        const NvStep *load = put->kind == NV_PUT && put->out[0]->common == common
                                 ? load_behind(v, put->in[0])
                                 : NULL;
        if (!load || !is_candidate(v, put, load) || !need_address(v, load))
            continue;
        vec_push(v->plan->arena, &v->copies, copy_step(v->plan, load, put));
        vec_push(v->plan->arena, &v->loads, load);
        vec_push(v->plan->arena, &v->puts, put);
        vec_push(v->plan->arena, &v->takes, NULL);
    }
}

void nv_find_copies(LoopView *v)
{
    find_copies(v, false);
    int factors = v->copies.len;
    find_copies(v, true);
    v->commons = v->copies.len - factors;
}

/* Can threads copy what this loads for themselves? */
static bool is_own_candidate(const LoopView *v, const NvStep *s)
{
    return s->nout == 1 && s->out[0] && s->out[0]->layout && !s->detail && !s->once &&
           s->uses.len == 0 && !attr_volatile(s->op) && nv_pads_with_zero(s->op) &&
           type_size(s->out[0]->value->type) << s->access->vector_bits >= NV_LEAST_COPY &&
           !may_be_written(v, v->body, s->op);
}

/* Do many threads have the same words, which would be copied for each of them? */
static bool is_held_often(const LoopView *v, const NvStep *load)
{
    enum { TWICE = 2 };
    const Layout *l = load->out[0]->layout;
    int64_t own = layout_registers(l) >> __builtin_popcount(load->same);

    return own * nv_thread_count(v->plan) > TWICE * type_numel(load->out[0]->value->type);
}

/* Does each round load it for the next one, to compute with it before it multiplies? */
static bool is_for_next_round(const LoopView *v, const NvStep *s)
{
    if (s->kind != NV_LOAD || !s->out[0] || v->users[s->out[0]->id] != 1)
        return false;
    for (int i = 0; i < v->body->nends; i++) {
        if (v->body->ends[i] == s->out[0])
            return v->kept[i + 1];
    }
    return false;
}

static int count_for_next_round(const LoopView *v)
{
    int n = 0;

    for (int i = 0; i < v->body->steps.len; i++)
        n += is_for_next_round(v, v->body->steps.at[i]);
    return n;
}

typedef VEC(const NvStep *) Loads;

/* The loads of this round behind a factor that is computed in it, and not copied. */
static void find_behind(const LoopView *v, const NvTile *factor, bool *seen, Loads *out)
{
    VEC(const NvTile *) todo = {0};

    vec_push(v->plan->arena, &todo, factor);
    while (todo.len > 0) {
        const NvTile *t = todo.at[--todo.len];
        const NvStep *s = t ? v->maker[t->id] : NULL;
        if (!s || seen[t->id])
            continue;
        seen[t->id] = true;
        if (s->kind == NV_LOAD)
            vec_push(v->plan->arena, out, s);
        for (int i = 0; s->kind != NV_LOAD && i < s->nin; i++)
            vec_push(v->plan->arena, &todo, s->in[i]);
    }
}

static Loads loads_of_factors(const LoopView *v)
{
    bool *seen = NEW_N(v->plan->arena, bool, v->plan->tiles.len);
    Loads found = {0};

    for (int i = 0; i < v->copies.len; i++)
        seen[v->copies.at[i]->out[0]->id] = true;
    for (int i = 0; i < v->body->steps.len; i++) {
        const NvStep *s = v->body->steps.at[i];
        for (int part = MMA_A; s->kind == NV_DOT && part <= MMA_B; part++)
            find_behind(v, s->in[part], seen, &found);
    }
    return found;
}

/* The load as a copy that threads make for themselves; they take it where they loaded it. */
static void copy_for_itself(LoopView *v, const NvStep *load)
{
    NvPlan *p = v->plan;
    NvTile *t = NEW(p->arena, NvTile);
    const NvTile *shape = load->out[0];
    NvStep *copy = nv_step(p, NV_COPY, load->op), *take = nv_step(p, NV_TAKE, load->op);
    NvCopy *detail = NEW(p->arena, NvCopy);
    int bits = load->access->vector_bits;

    *t = (NvTile){.id = p->tiles.len, .value = shape->value, .buffer = nv_buffer(p, 0)};
    vec_push(p->arena, &p->tiles, t);
    *detail = (NvCopy){.shape = shape, .layout = shape->layout, .bits = bits};
    detail->own = layout_registers(shape->layout) >> (bits + __builtin_popcount(load->same));
    for (int i = 0; i < load->nin; i++)
        copy->in[i] = load->in[i];
    copy->out[0] = t;
    copy->detail = detail;
    take->in[0] = t;
    take->out[0] = shape;
    copy->access = take->access = load->access;
    copy->same = take->same = load->same;
    vec_push(p->arena, &v->copies, copy);
    vec_push(p->arena, &v->loads, load);
    vec_push(p->arena, &v->puts, NULL);
    vec_push(p->arena, &v->takes, take);
}

/* --- their room --- */

/* Bytes of a copy's tile within a stage. */
int64_t nv_stage_part(const NvPlan *p, const NvStep *copy)
{
    const NvCopy *c = copy->detail;
    int64_t own = (int64_t)c->own * nv_thread_count(p) * type_size(c->shape->value->type)
                  << c->bits;
    int64_t bytes = own > 0 ? own : shared_bytes(&copy->out[0]->memory);

    return (bytes + STAGE_ALIGN - 1) / STAGE_ALIGN * STAGE_ALIGN;
}

/* Bytes of a stage; the buffers that its copies take the place of. */
static int64_t bytes_of_stage(const LoopView *v, bool **copied)
{
    NvPlan *p = v->plan;
    int64_t bytes = 0;

    *copied = NEW_N(p->arena, bool, p->buffers.len + 1);
    for (int i = 0; i < v->copies.len; i++) {
        (*copied)[v->copies.at[i]->out[0]->buffer] = true;
        bytes += nv_stage_part(p, v->copies.at[i]);
    }
    return bytes;
}

int nv_stages_of_copies(const LoopView *v, int wanted)
{
    bool *copied;
    int64_t bytes = bytes_of_stage(v, &copied);

    return nv_stages_that_fit(v->plan, v->body, copied, bytes, wanted);
}

/* On a multiprocessor, by its shared memory and by what a round at least has in registers. */
static int64_t programs_with(const LoopView *v, int stages)
{
    bool *copied;
    int64_t bytes = bytes_of_stage(v, &copied);
    int64_t registers = MAX(nv_round_registers(v->body, NULL), 1) * nv_thread_count(v->plan);

    return MIN(nv_programs_beside(v->plan, v->body, copied, bytes * stages),
               v->plan->chip->registers / registers);
}

/* Registers of a thread for the sums of a round's products and around them; 0: one of these goes by
 * groups of warps. */
static int64_t registers_of_sums(const NvBlock *body)
{
    enum { OTHERS = 40 };
    int64_t words = OTHERS;

    for (int i = 0; i < body->steps.len; i++) {
        const NvStep *s = body->steps.at[i];
        if (s->kind != NV_DOT)
            continue;
        if (((const NvDot *)s->detail)->kind == DOT_WGMMA)
            return 0;
        words += layout_registers(s->out[0]->layout);
    }
    return words;
}

/* Where no more than two stages fit, and leave a program alone, and of few warps, while tiles that
 * are there for one round only leave room for enough of them: what waits for a tile has others to
 * compute beside it then.  Such a tile passes through registers. */
bool nv_rather_beside(const LoopView *v, int stages)
{
    NvPlan *p = v->plan;
    int64_t largest = 0, sums = registers_of_sums(v->body);
    bool *copied;
    int64_t bytes = bytes_of_stage(v, &copied);

    for (int i = 0; i < v->copies.len; i++)
        largest = MAX(largest, nv_stage_part(p, v->copies.at[i]));
    int64_t registers = MAX(sums, 1) * nv_thread_count(p) + largest / 4;
    int64_t beside =
        MIN(nv_programs_beside(p, v->body, copied, bytes), p->chip->registers / registers);
    return stages == 2 && sums > 0 && beside * p->warps >= NV_ENOUGH_WARPS &&
           nv_programs_beside(p, v->body, copied, bytes * stages) * p->warps < NV_ENOUGH_WARPS;
}

/* One of which more may be needed and carried; the one that it is of stays as it is. */
static LoopView copy_of_view(const LoopView *v)
{
    LoopView own = *v;

    own.needed = NEW_N(v->plan->arena, bool, v->ntiles);
    own.carried = NEW_N(v->plan->arena, bool, v->body->nargs);
    memcpy(own.needed, v->needed, (size_t)v->ntiles);
    memcpy(own.carried, v->carried, (size_t)v->body->nargs);
    return own;
}

/* Of what threads copy for themselves: what others have as well goes only if it is one instruction
 * each, no more than what they have alone, and nothing stays that a round waits for anyway. */
static bool often_held_go(const LoopView *v, const LoopView *own)
{
    int64_t alone = 0, often = 0;

    for (int i = v->copies.len; i < own->copies.len; i++) {
        int64_t bytes = nv_stage_part(v->plan, own->copies.at[i]);
        bool many = is_held_often(v, own->loads.at[i]);
        alone += many ? 0 : bytes;
        often += many ? bytes : 0;
        if (many && ((const NvCopy *)own->copies.at[i]->detail)->own > 1)
            return false;
    }
    return often <= alone && own->copies.len - v->copies.len == count_for_next_round(v);
}

static LoopView with_next_round(const LoopView *v, bool often)
{
    LoopView own = copy_of_view(v);

    for (int i = 0; i < v->body->steps.len; i++) {
        const NvStep *s = v->body->steps.at[i];
        if (is_for_next_round(v, s) && is_own_candidate(v, s) && (often || !is_held_often(v, s)) &&
            need_address(&own, s))
            copy_for_itself(&own, s);
    }
    return own;
}

static void find_for_next_round(LoopView *v, int stages)
{
    LoopView own = with_next_round(v, true);

    if (!often_held_go(v, &own))
        own = with_next_round(v, false);
    if (nv_stages_of_copies(&own, stages) == stages)
        *v = own;
}

static bool stores(const NvBlock *b)
{
    for (int i = 0; i < b->steps.len; i++) {
        if (b->steps.at[i]->kind == NV_STORE)
            return true;
    }
    return false;
}

/* Do programs beside each other hide what a round waits for, or are they still enough with these
 * copies?  A loop that stores what each round makes goes along a sequence, as the states of chunks
 * do, and of programs that do there are few: a pair is all that a multiprocessor has of them. */
static bool leave_enough(const LoopView *v, const LoopView *own, int stages)
{
    enum { OF = 3, STAY = 2, PAIR = 2 };
    int64_t with = programs_with(own, stages);

    return with * OF >= programs_with(v, stages) * STAY || (with >= PAIR && stores(v->body));
}

/* Rounds wait for these where they compute with them.  What many threads have would be copied for
 * each of them. */
static void find_for_factors(LoopView *v, int stages)
{
    LoopView own = copy_of_view(v);
    Loads loads = loads_of_factors(v);

    for (int i = 0; i < loads.len; i++) {
        const NvStep *s = loads.at[i];
        if (!is_own_candidate(v, s) || is_held_often(v, s) || !need_address(&own, s))
            return;
        copy_for_itself(&own, s);
    }
    if (loads.len > 0 && nv_stages_of_copies(&own, stages) == stages &&
        leave_enough(v, &own, stages))
        *v = own;
}

void nv_find_own_copies(LoopView *v, int stages)
{
    nv_find_kept(v);
    find_for_next_round(v, stages);
    find_for_factors(v, stages);
}

/* --- is it right? --- */

/* The step of the body that takes it; NULL: none does, or several. */
static const NvStep *taker_of(const NvBlock *body, const NvTile *t)
{
    const NvStep *found = NULL;

    for (int i = 0; i < body->steps.len; i++) {
        const NvStep *s = body->steps.at[i];
        if (s->kind == NV_TAKE && s->in[0] == t) {
            if (found)
                return NULL;
            found = s;
        }
    }
    return found;
}

static int vectors_of(const NvStep *s, const Layout *l)
{
    return layout_registers(l) >> (s->access->vector_bits + __builtin_popcount(s->same));
}

static bool own_is_taken(const NvPlan *p, const NvStep *loop, const NvStep *copy)
{
    const NvCopy *c = copy->detail;
    const NvStep *take = taker_of(loop->body[0], copy->out[0]);

    return take && take->access == copy->access && take->same == copy->same &&
           take->out[0]->layout == c->layout && c->own == vectors_of(take, c->layout) &&
           copy->out[0]->buffer == loop->ahead->buffer &&
           copy->out[0]->at + nv_stage_part(p, copy) <= loop->ahead->bytes;
}

const char *nv_copies_wrong(const NvPlan *p, const NvStep *loop)
{
    const NvBlock *ahead = loop->kind == NV_FOR && loop->ahead ? &loop->ahead->steps : NULL;

    for (int i = 0; ahead && i < ahead->steps.len; i++) {
        const NvStep *s = ahead->steps.at[i];
        if (s->kind == NV_COPY && ((const NvCopy *)s->detail)->own > 0 && !own_is_taken(p, loop, s))
            return "what its threads copy for themselves is not what they take";
    }
    return NULL;
}
