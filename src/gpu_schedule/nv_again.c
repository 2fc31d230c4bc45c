/*
 * nv_again.c - what is computed a second time, so that it need not be kept
 *
 * A program whose warps wait for each other with a row in registers keeps what it will read behind
 * the barrier.  Of a row of fp16 or bf16 that is computed with in fp32 that is twice what was
 * loaded, and a program of many warps has no registers for it: the assembler spills them, 31 words
 * of a thread in a cross entropy of 65,536 columns by 32 warps.  Where what is kept leaves too few,
 * such casts are made a second time, for all that reads them behind the barrier, and the words that
 * were loaded stay instead.
 *
 * A thread has seven predicates.  Where elements of a ragged row are loaded one by one, each by its
 * own comparison with the row's end, and stored by the same one, all of them would be alive in
 * between; the assembler does not compare twice, and loads what lies behind the seventh only when
 * the first ones are stored.  So a store compares again, where there is room for all that is
 * loaded: gradients of a cross entropy of 50,257 columns took 170 us, and take 140.
 *
 * The assembler must not see that both are the same (gen_nv/nv_flow.c).
 */
#include "nv_schedule.h"

enum {
    OTHERS = 16,     /* registers that any thread needs */
    PREDICATES = 7,  /* that it has */
    MOST_LOADED = 24 /* elements that it has room for at once */
};

/* Registers of the tile in a thread, each of a word. */
static int64_t registers_of(const NvTile *t)
{
    return t->layout && !t->value->type->pointer && t->value->type->dtype != DT_I1
               ? (int64_t)layout_registers(t->layout) * MAX(type_size(t->value->type), 4) / 4
               : 0;
}

static bool reads(const NvStep *s, const NvTile *t)
{
    for (int i = 0; i < s->nin; i++) {
        if (s->in[i] == t)
            return true;
    }
    return false;
}

/* Does something within the step use it? */
static bool reads_within(const NvStep *s, const NvTile *t)
{
    for (int r = 0; r < COUNT(s->body); r++) {
        const NvBlock *b = s->body[r];
        for (int i = 0; b && i < b->steps.len; i++) {
            if (reads(b->steps.at[i], t) || reads_within(b->steps.at[i], t))
                return true;
        }
        for (int i = 0; b && i < b->nends; i++) {
            if (b->ends[i] == t)
                return true;
        }
    }
    return false;
}

static bool is_read_behind(const NvBlock *b, int step, const NvTile *t)
{
    for (int i = step + 1; i < b->steps.len; i++) {
        if (reads(b->steps.at[i], t) || reads_within(b->steps.at[i], t))
            return true;
    }
    return false;
}

static bool is_used_within(const NvBlock *b, const NvTile *t)
{
    for (int i = 0; i < b->steps.len; i++) {
        if (reads_within(b->steps.at[i], t))
            return true;
    }
    return false;
}

/* Is it a row of two bytes an element, in the same registers, as numbers of four? */
static bool widens(const NvStep *s)
{
    const NvTile *from = s->nin == 1 ? s->in[0] : NULL, *to = s->nout == 1 ? s->out[0] : NULL;

    return s->kind == NV_COMPUTE && s->op->code == OP_cast && from && to && !s->slice_of &&
           !s->take && s->same == 0 && from->layout && from->layout == to->layout &&
           from->buffer == NV_NO_BUFFER && to->value->type->dtype == DT_FP32 &&
           (from->value->type->dtype == DT_FP16 || from->value->type->dtype == DT_BF16) &&
           layout_registers(from->layout) % 2 == 0;
}

/* What threads keep over that step. */
static int64_t kept_over(const NvBlock *b, int step)
{
    int64_t kept = 0;

    for (int i = 0; i <= step; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->nout; k++) {
            if (s->out[k] && is_read_behind(b, step, s->out[k]))
                kept += registers_of(s->out[k]);
        }
    }
    return kept;
}

/* The step once more, into a tile of its own, to stand beside that one. */
static NvStep *made_again(NvPlan *p, const NvStep *s, const NvStep *beside)
{
    NvStep *again = nv_step(p, NV_COMPUTE, s->op);
    NvTile *t = NEW(p->arena, NvTile);

    *t = *s->out[0];
    t->id = p->tiles.len;
    vec_push(p->arena, &p->tiles, t);
    for (int i = 0; i < s->nin; i++)
        again->in[i] = s->in[i];
    again->out[0] = t;
    again->same = s->same;
    again->again = true;
    again->number = beside->number;
    return again;
}

/* The cast once more, behind that step, for all that follows. */
static NvStep *cast_again(NvPlan *p, const NvStep *s, NvBlock *b, int step)
{
    NvStep *again = made_again(p, s, b->steps.at[step]);

    for (int i = step + 1; i < b->steps.len; i++) {
        NvStep *reader = b->steps.at[i];
        for (int k = 0; k < reader->nin; k++) {
            if (reader->in[k] == s->out[0])
                reader->in[k] = again->out[0];
        }
    }
    return again;
}

static void insert(NvPlan *p, NvBlock *b, int at, NvStep *s)
{
    vec_push(p->arena, &b->steps, s);
    for (int i = b->steps.len - 1; i > at; i--)
        b->steps.at[i] = b->steps.at[i - 1];
    b->steps.at[at] = s;
}

/* Those of the block that are read behind the step. */
static void cast_all_again(NvPlan *p, NvBlock *b, int step)
{
    for (int i = step; i >= 0; i--) {
        const NvStep *s = b->steps.at[i];
        if (widens(s) && is_read_behind(b, step, s->out[0]) && !is_used_within(b, s->out[0]))
            insert(p, b, step + 1, cast_again(p, s, b, step));
    }
}

void nv_cast_again(NvPlan *p)
{
    NvBlock *b = p->body;
    int64_t room = MIN(p->chip->registers / nv_thread_count(p), p->chip->own_registers);

    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        if (s->kind == NV_REDUCE && nv_meets(&s->within) && kept_over(b, i) + OTHERS > room)
            cast_all_again(p, b, i);
    }
}

/* --- masks --- */

/* Does it compare each of more elements than a thread has predicates for? */
static bool compares_many(const NvStep *s)
{
    const NvTile *t = s->nout == 1 ? s->out[0] : NULL;
    bool orders = s->kind == NV_COMPUTE && op_has(s->op, COMPARES) && s->op->code != OP_eq &&
                  s->op->code != OP_ne;
    const Type *compared = orders ? s->op->operands[0]->type : NULL;

    return orders && dtype_is_int(compared->dtype) && !compared->pointer && !s->take && t &&
           t->layout && layout_registers(t->layout) >> __builtin_popcount(s->same) >= PREDICATES;
}

/* Is all that has been loaded there when it is done? */
static bool waits_for_all(const NvStep *s)
{
    return s->kind == NV_REDUCE || s->kind == NV_SCAN || s->kind == NV_SORT ||
           s->kind == NV_BARRIER || nv_meets(&s->within);
}

/* The comparison that loads go by which the store could pass, and the store as well; NULL: none. */
static const NvStep *shared_mask(const NvBlock *b, int store)
{
    const NvTile *mask = b->steps.at[store]->in[STORE_MASK];
    const NvStep *compares = NULL;
    int loaded = 0;

    for (int i = 0; i < store && mask; i++) {
        const NvStep *s = b->steps.at[i];
        if (s->nout == 1 && s->out[0] == mask && compares_many(s))
            compares = s;
        if (loaded > 0 && waits_for_all(s)) /* the order is given, and nothing to be gained */
            return NULL;
        if (s->kind == NV_LOAD && s->out[0] && s->out[0]->layout && reads(s, mask))
            loaded += layout_registers(s->out[0]->layout);
    }
    return loaded > 0 && loaded <= MOST_LOADED ? compares : NULL;
}

void nv_compare_again(NvPlan *p, NvBlock *b)
{
    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        const NvStep *compares = s->kind == NV_STORE ? shared_mask(b, i) : NULL;
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                nv_compare_again(p, s->body[r]);
        }
        if (!compares)
            continue;
        NvStep *again = made_again(p, compares, s);
        s->in[STORE_MASK] = again->out[0];
        insert(p, b, i++, again);
    }
}
