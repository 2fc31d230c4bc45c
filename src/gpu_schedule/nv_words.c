/*
 * nv_words.c - what steps that go by slices read, and which loads stand in front of these
 *
 * Corners of a cell, say, that are read somewhere: what one load brings to the cache is there for
 * another one as long as few lie between, so slices are short.  All other loads are best in front.
 *
 * All of them or none, with the steps that their addresses and masks are made of: what one slice
 * loads would be waited for while nothing else is on its way.  What comes as halves or bytes stays
 * in the words in which it came, until a slice asks for it (NvStep.words).
 */
#include "nv_schedule.h"

enum { WORD = 4 }; /* bytes */

/* --- what a step reads, and what that takes --- */

uint32_t nv_vector_bits(const NvStep *s)
{
    uint32_t bits = 0;

    for (int i = 0; s->access && i < s->access->vector_bits; i++)
        bits |= 1u << s->access->regs[i];
    return bits;
}

int nv_register_read(const NvStep *s, int i, int r)
{
    if (!s->in[i])
        return -1;
    if (!s->in[i]->layout)
        return 0;
    if (s->kind == NV_CONVERT)
        return s->conversion->take[r];
    if (s->kind == NV_COMPUTE)
        return s->take ? s->take[r] : r;
    int first = r & ~(int)nv_vector_bits(s);
    if (i == 0)
        return first & ~(int)s->access->run;
    return i == (s->kind == NV_LOAD ? (int)LOAD_MASK : (int)STORE_MASK) ? first : r;
}

/* Is it a sign of what is there anyway?  Instructions take that with their operands. */
static bool is_other_sign(const NvPlan *p, const NvTile *t)
{
    const Op *op = t->value->def;

    return op && (op->code == OP_abs || op->code == OP_neg) && t->value->type->dtype == DT_FP32 &&
           uses_count(&p->uses, op->operands[0]) > 1;
}

int nv_register_words(const NvPlan *p, const NvTile *t)
{
    const Type *type = t->value->type;
    const NvValue *facts = nv_value(p, t->value);

    if (is_other_sign(p, t))
        return 0;
    if (!type->pointer && (type->dtype == DT_I1 || (!facts->home && facts->cost <= NV_CHEAP)))
        return 0;
    return type->pointer || type_size(type) > 4 ? 2 : 1;
}

/* --- loads in front --- */

int nv_within_word(const NvStep *load)
{
    int size = type_size(load->out[0]->value->type), bits = 0;

    for (int i = 0; i < load->access->vector_bits && size << (i + 1) <= WORD; i++)
        bits |= 1 << load->access->regs[i];
    return bits;
}

/* Each of them by itself, of a tile, all of whose registers it reads. */
static bool may_stand_in_front(const NvStep *s)
{
    return s->kind == NV_LOAD && !s->detail && !s->once && s->same == 0 && s->out[0] &&
           s->out[0]->layout;
}

/* The steps among the first n that make what `s` reads, and what these read. */
static void mark_makers(NvStep *const *steps, int n, const NvStep *s, bool *marked)
{
    for (int i = n; i-- > 0;) {
        for (int k = 0; k < s->nin; k++) {
            if (marked[i] || !s->in[k] || nv_step_shape(steps[i]) != s->in[k])
                continue;
            marked[i] = true;
            mark_makers(steps, i, steps[i], marked);
        }
    }
}

int nv_loads_first(const NvPlan *p, NvStep *const *steps, int count, NvStep **order)
{
    bool *first = NEW_N(p->arena, bool, count), stored = false;
    int loads = 0, n = 0;

    for (int i = 0; i < count; i++) {
        stored = stored || steps[i]->kind == NV_STORE;
        if (steps[i]->kind != NV_LOAD)
            continue;
        if (stored || !may_stand_in_front(steps[i]))
            return 0;
        loads++;
        first[i] = true;
        mark_makers(steps, i, steps[i], first);
    }
    for (int pass = 0; loads > 0 && pass < 2; pass++) {
        for (int i = 0; i < count; i++) {
            if (first[i] == (pass == 0))
                order[n++] = steps[i];
        }
        loads = pass == 0 ? n : loads;
    }
    return loads;
}

/* --- corners --- */

/* Is it made of what a tile of other addresses was found at? */
static bool is_of_loaded(const Value *v, int steps)
{
    const Op *op = v->def;

    if (!op || !type_is_tile(v->type) || steps == 0)
        return false;
    if (op_only_reads(op))
        return true;
    for (int i = 0; op_has(op, PURE) && i < op->noperands; i++) {
        if (is_of_loaded(op->operands[i], steps - 1))
            return true;
    }
    return false;
}

/* Does each lane read where what was loaded for it says? */
static bool is_scattered(const NvPlan *p, const NvStep *s)
{
    enum { STEPS = 24 };
    const Axis *x =
        s->kind == NV_LOAD && s->in[0]->layout ? axis_of(p->axis, s->in[0]->value) : NULL;

    for (int d = 0; x && d < s->in[0]->layout->rank; d++) {
        if (x->contiguity[d] > 1)
            return false;
    }
    return x && is_of_loaded(s->in[0]->value, STEPS);
}

/* Corners of a cell, say, that are read somewhere: what one load brings to the cache is there for
 * another one as long as few lie between.  How often to halve the tiles for that. */
int nv_halves_of_corners(const NvPlan *p, NvStep *const *steps, int count)
{
    enum { FEW = 16 }; /* elements that a thread asks for at once */
    uint64_t seen = 0;
    int64_t elements = 0;
    bool again = false;
    int halves = 0;

    for (int i = 0; i < count; i++) {
        const NvStep *s = steps[i];
        if (!is_scattered(p, s))
            continue;
        uint64_t bases = ir_bases_of(p->bases, s->op->operands[LOAD_PTR]);
        again |= (seen & bases) != 0;
        seen |= bases;
        elements += layout_registers(s->out[0]->layout);
    }
    while (again && halves < NV_MOST_HALVES && elements >> halves > FEW)
        halves++;
    return halves;
}
