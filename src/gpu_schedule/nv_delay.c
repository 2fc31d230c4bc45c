/*
 * nv_delay.c - a product that a round leaves to the next one
 *
 * Attention multiplies queries and keys, makes weights of the sums, and multiplies these and the
 * values: the unit for matrices has nothing to do while weights are made.  So a round does its
 * second product when the next one has asked for its first: the values' part of a round is
 * multiplied while the next round's weights are made (the order of FlashAttention-3's pipeline
 * within a group of warps).
 *
 * Several groups of warps would all multiply, then all make weights.  So they take turns: one asks
 * for its products when the one before it has, and is as much behind it from then on.  Who has the
 * turn must not wait for those who wait for theirs: a loop in whose turn all warps meet has none.
 *
 * For that the product is the last that happens to its sum in a round, and all else in the body
 * reads only what the round began with.  The first round leaves it out, and behind the loop it is
 * done for the last one; code for a round is made twice.
 */
#include "../gpu_plan/nv_dot.h"
#include "nv_ring.h"

typedef struct {
    NvPlan *plan;
    NvBlock *body;
    const int *users;
    int first, at; /* steps: the first product, and the one that may wait */
    int end;       /* which of the ends it is */
} Delay;

static const NvDot *group_dot(const NvStep *s)
{
    const NvDot *d = s->kind == NV_DOT ? s->detail : NULL;

    return d && d->kind == DOT_WGMMA && d->part == 0 && !d->in_tensor_memory ? d : NULL;
}

static int made_at(const NvBlock *b, const NvTile *t)
{
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->nout; k++) {
            if (s->out[k] == t)
                return i;
        }
    }
    return -1;
}

static bool reads(const NvStep *s, const NvTile *t)
{
    for (int i = 0; i < s->nin; i++) {
        if (s->in[i] == t)
            return true;
    }
    return false;
}

/* The first step that reads the tile, in it or within; the number of steps: none. */
static int first_reader(const NvBlock *b, const NvTile *t)
{
    for (int i = 0; i < b->steps.len; i++) {
        if (reads(b->steps.at[i], t))
            return i;
        for (int r = 0; r < COUNT(b->steps.at[i]->body); r++) {
            const NvBlock *inner = b->steps.at[i]->body[r];
            if (inner && first_reader(inner, t) < inner->steps.len)
                return i;
        }
    }
    return b->steps.len;
}

/* Its rows are registers that the body makes, and its columns come from the ring. */
static bool can_wait(const Delay *x, const NvStep *s)
{
    const NvDot *d = group_dot(s);
    const NvOperand *rows = &d->operand[MMA_A];
    return d->in_flight == 0 && s->out[0]->value->type->dtype != DT_FP16 &&
           d->operand[MMA_B].way == OPERAND_MEMORY &&
           s->in[MMA_B]->buffer == x->plan->ring->buffer && rows->way == OPERAND_REGISTERS &&
           rows->nlate == 0 && made_at(x->body, s->in[MMA_A]) > x->first;
}

/* The product's sum is carried, and nobody but the loop's end reads it. */
static bool is_end(Delay *x, const NvStep *s)
{
    int found = 0;

    for (int i = 0; i < x->body->nends; i++) {
        if (x->body->ends[i] != s->out[0])
            continue;
        x->end = i;
        found++;
    }
    return found == 1 && x->users[s->out[0]->id] == 1;
}

/* A thread has registers for the first product's sum beside all that the other one needs. */
static bool fits(const Delay *x)
{
    enum { OTHERS = 40 };
    const NvPlan *p = x->plan;
    const NvStep *first = x->body->steps.at[x->first], *s = x->body->steps.at[x->at];
    int64_t words =
        nv_register_words(p, first->out[0]) * layout_registers(first->out[0]->layout) +
        nv_register_words(p, s->out[0]) * layout_registers(s->out[0]->layout) +
        layout_registers(s->in[MMA_A]->layout) * type_size(s->in[MMA_A]->value->type) / 4;

    return words + OTHERS <= nv_ring_registers(p);
}

static bool find(Delay *x)
{
    const NvBlock *b = x->body;

    x->first = x->at = -1;
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        if (!group_dot(s))
            continue;
        if (x->first < 0)
            x->first = i;
        else if (can_wait(x, s) && is_end(x, s))
            x->at = i;
    }
    return x->at >= 0 && is_end(x, b->steps.at[x->at]) &&
           first_reader(b, b->args[x->end + 1]) > x->first && fits(x);
}

/* Behind the first product, reading what the round before has left; or behind others that the round
 * asks for before it waits for the first one, if registers are there for all: these land the
 * sooner, while it goes on (the gradient of attention by its queries, of 64: 792 -> 713 us on an
 * H200). */
static void move(Delay *x)
{
    NvStep **steps = x->body->steps.at, *s = steps[x->at];
    int waits = first_reader(x->body, steps[x->first]->out[0]), to = x->first + 1;
    bool fits = nv_round_registers(x->body, s) <= nv_ring_registers(x->plan);

    for (int i = to; fits && i < MIN(waits, x->at); i++) {
        if (group_dot(steps[i]))
            to = i + 1;
    }
    for (int i = x->at; i > to; i--)
        steps[i] = steps[i - 1];
    steps[to] = s;
    x->at = to;
}

/* Are its rows to be there before it begins?  If it is the last one that a round asks for: then
 * what waits for those before it goes on while it does.  Where another one is behind it, rows a
 * step at a time are faster, as that one has the unit the sooner (4 to 6 % of such gradients). */
static bool goes_at_once(const Delay *x)
{
    for (int i = x->at + 1; i < x->body->steps.len; i++) {
        if (group_dot(x->body->steps.at[i]))
            return false;
    }
    return true;
}

static void rename_reads(NvBlock *b, const NvTile *from, const NvTile *to)
{
    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->nin; k++) {
            if (s->in[k] == from)
                s->in[k] = to;
        }
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                rename_reads(s->body[r], from, to);
        }
    }
}

void nv_delay_product(NvPlan *p, NvBlock *body, const int *users, NvAhead *a)
{
    Delay x = {.plan = p, .body = body, .users = users};

    if (a->flying.len > 0 || !find(&x))
        return;
    NvStep *s = body->steps.at[x.at];
    rename_reads(body, body->args[x.end + 1], s->out[0]);
    move(&x);
    ((NvDot *)s->detail)->at_once |= goes_at_once(&x);
    a->delayed = s;
    a->delayed_end = x.end;
    a->turns = p->warps >> WGMMA_WARP_BITS > 1;
}

/* --- turns --- */

static bool meets_in(const NvBlock *b, const NvStep *end);

static bool meets(const NvStep *s)
{
    if (nv_meets(&s->within) || (s->ahead && nv_meets(&s->ahead->all)))
        return true;
    for (int r = 0; r < COUNT(s->body); r++) {
        if (s->body[r] && meets_in(s->body[r], NULL))
            return true;
    }
    return false;
}

/* Do all warps wait for each other in the block, as far as `end`? */
static bool meets_in(const NvBlock *b, const NvStep *end)
{
    for (int i = 0; i < b->steps.len && b->steps.at[i] != end; i++) {
        if (meets(b->steps.at[i]))
            return true;
    }
    return end && meets(end);
}

bool nv_meets_in_turn(const NvStep *loop)
{
    return meets_in(loop->body[0], loop->ahead->delayed);
}

static void settle_in(NvPlan *p, NvBlock *b)
{
    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        NvAhead *a = (NvAhead *)s->ahead; /* it was made here */
        if (a && a->turns)
            a->turns = !nv_meets_in_turn(s);
        p->turns |= a && a->turns;
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                settle_in(p, s->body[r]);
        }
    }
}

void nv_settle_turns(NvPlan *p)
{
    p->turns = false;
    settle_in(p, p->body);
}
