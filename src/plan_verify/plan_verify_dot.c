/*
 * plan_verify_dot.c - what is wrong with the plan of a product, for plan_verify.c
 *
 * Operands lie as the unit takes them, each round's tile at its place, panels have room for all of
 * b, tiles divide the extents, and what counts rows, columns and elements along k is there.
 */
#include "plan_verify.h"

/* --- buffers --- */

bool plan_buffer_is_there(const Plan *p, int buffer)
{
    return buffer >= 0 && buffer < p->buffers.len && p->buffers.at[buffer].bytes > 0;
}

bool plan_is_kept(const Plan *p, int buffer, int keep)
{
    return plan_buffer_is_there(p, buffer) && p->buffers.at[buffer].keep == keep;
}

bool plan_has_room(const Plan *p, int buffer, DType t, int64_t elements)
{
    const Buffer *b = plan_buffer_is_there(p, buffer) ? &p->buffers.at[buffer] : NULL;
    int64_t bytes = elements * dtype_size(t);

    if (!b || b->dtype != t || b->keep < 0 || b->keep > p->keeps.len)
        return false;
    if (b->keep == 0)
        return b->bytes >= bytes;
    int others = keep_all_slots(&p->keeps.at[b->keep - 1]) - 1;
    return b->slot >= bytes && b->bytes - b->slot * others >= bytes;
}

static const Buffer *buffer_of(const Plan *p, const Value *v)
{
    return &p->buffers.at[plan_buffer(p, v)];
}

/* --- operands --- */

typedef struct {
    int m, n, k;
} Extents;

/* Elements rounded up to whole parts. */
static int64_t rounded(int n, int part)
{
    return (n + (int64_t)part - 1) / part * part;
}

static const char *panels_fault(const Plan *p, const Step *s, Extents e)
{
    const DotPlan *d = &s->dot;
    const Op *op = s->op;
    bool by_fma = d->unit == DOT_FMA;
    DType t = by_fma ? buffer_of(p, op->operands[DOT_B])->dtype : op->operands[DOT_B]->type->dtype;
    DType in = d->unit == DOT_PAIRS ? DT_I16 : t;
    int64_t columns = rounded(e.n, d->lanes), depth = rounded(d->rounds * e.k, d->group);

    if (!by_fma && (buffer_of(p, op->operands[DOT_A])->dtype != t ||
                    buffer_of(p, op->operands[DOT_B])->dtype != t))
        return "a product's operands do not lie as its unit takes them";
    if (!plan_has_room(p, d->packed, in, columns * depth))
        return "a product has no room for its panels";
    if (d->keep != 0 && (!plan_is_kept(p, d->packed, d->keep) ||
                         (d->sums != NO_BUFFER && !plan_is_kept(p, d->sums, d->keep))))
        return "a product keeps its panels where there is no room for them";
    if (d->unit == DOT_VNNI && !plan_has_room(p, d->sums, DT_I32, columns))
        return "a product has no room for the sums of its columns";
    if (d->unit == DOT_PAIRS && !plan_has_room(p, d->widened, in, e.m * depth))
        return "a product has no room for its rows in 16 bits";
    return NULL;
}

/* Bytes of a may have lost their sign, where VNNI alone reads them. */
static const char *signs_fault(const Plan *p, const Step *s)
{
    const Value *a = s->op->operands[DOT_A];

    if (buffer_of(p, s->op->operands[DOT_B])->biased ||
        (buffer_of(p, a)->biased && (s->dot.unit != DOT_VNNI || uses_count(&p->uses, a) != 1)))
        return "bytes without a sign are read as if they had one";
    return NULL;
}

/* Does each round's tile of `other` rows of a, or columns of b, lie where the product takes it, and
 * is there room for all? */
static bool lies_well(const Plan *p, const Value *v, bool is_a, int64_t other, int64_t k,
                      int rounds)
{
    const Buffer *b = buffer_of(p, v);
    bool along_k = is_a != b->turned;
    int64_t least = along_k ? rounds * k : other, lines = along_k ? other : rounds * k;

    return b->row >= least && b->apart == (along_k ? k : k * b->row) &&
           plan_has_room(p, plan_buffer(p, v), b->dtype, lines * b->row);
}

/* Tiles of the loop's rounds lie where the product takes them. */
static const char *rounds_fault(const Plan *plan, const Step *s, Extents e)
{
    const Op *op = s->op;
    const Value *p = op->operands[DOT_A], *q = op->operands[DOT_B];
    const Buffer *a = buffer_of(plan, p), *b = buffer_of(plan, q);
    int rounds = s->dot.rounds;

    if ((a->row != 0 && !lies_well(plan, p, true, e.m, e.k, rounds)) ||
        (b->row != 0 && !lies_well(plan, q, false, e.n, e.k, rounds)) ||
        ((a->turned || b->turned) && s->dot.unit != DOT_FMA))
        return "operands do not lie as their product takes them";
    if (rounds == 1)
        return a->loop || b->loop ? "a product takes one of the tiles that lie together" : NULL;
    if (a->loop != op->block->owner || b->loop != a->loop || a->rounds != rounds ||
        b->rounds != rounds || a->row == 0 || b->row == 0 || e.k % s->dot.group != 0)
        return "tiles of several rounds do not lie as their product takes them";
    return NULL;
}

/* --- products --- */

/* Does what counts the rows, columns or elements along k count as many, and is it there? */
static const char *live_fault(const Step *s, IsThere *is_made, const void *ctx)
{
    const Type *a = s->op->operands[DOT_A]->type, *sum = s->op->results[0]->type;

    for (int i = 0; i < LIVES; i++) {
        const Value *v = s->dot.live[i];
        if (v &&
            (sum->rank != 2 || !plan_can_count(v, is_made, ctx) ||
             type_numel(plan_counted(v)->type) != (i == LIVE_DEPTH ? a->dims[1] : sum->dims[i])))
            return "what a product leaves out is not known in front of it";
    }
    return NULL;
}

/* Is what may be read in place what fills the buffer, as rows of the same dtype? */
static const char *place_fault(const Plan *p, const Step *s)
{
    for (int i = DOT_A; i <= DOT_B; i++) {
        const Value *v = s->op->operands[i];
        const Buffer *b = buffer_of(p, v);
        if (b->in_place &&
            (b->in_place != v->def || s->dot.unit != DOT_FMA || b->turned ||
             s->dot.packed != NO_BUFFER || b->dtype != v->type->dtype || b->same[i] < 0))
            return "an operand is read in place that cannot be";
    }
    return NULL;
}

/* A sum that begins as zero is the product's own, or that of the loop around. */
static const char *sum_fault(const Plan *p, const Step *s)
{
    const Op *from = buffer_of(p, s->op->results[0])->begins;

    if (from && ((from != s->op && from != s->op->block->owner) || s->dot.unit == DOT_AMX))
        return "a sum begins as zero that cannot";
    return NULL;
}

/* Is that computed for any vector by itself, and of the buffer the element where it stands? */
static bool is_of_a_block(const Entry *e, int buffer)
{
    bool is_cut = e->kind == MAKE_CUT || e->kind == MAKE_AHEAD;
    bool is_value = e->kind <= MAKE_OP && e->kind != MAKE_GATHER && e->kind != MAKE_SCANNED;

    if (e->kind == MAKE_READ && e->buffer == buffer)
        return e->number == 0 && e->map[0] == 0 && e->map[1] == 1;
    return is_cut || is_value || e->kind == MAKE_LOAD || e->kind == MAKE_ROOT;
}

static bool is_of_blocks(const Schedule *s, Part part, int buffer)
{
    bool stores = part != PART_MAIN;

    for (int i = 0; i < s->part[part].len; i++) {
        const Entry *e = &s->entries.at[s->part[part].at[i]];
        if (!is_of_a_block(e, buffer))
            return false;
        stores |= e->kind == MAKE_ROOT;
    }
    return stores;
}

/* A result that goes to memory is one that a nest would store, and nothing else. */
static const char *result_fault(const Plan *p, const Step *s)
{
    int buffer = plan_buffer(p, s->op->results[0]);
    const Buffer *b = &p->buffers.at[buffer];
    const Nest *n = b->stored;

    if (n && (n->result != 1 + buffer || s->dot.unit == DOT_AMX || n->rank != 2 ||
              n->roots.len != 1 || n->roots.at[0].kind != ROOT_STORE || !b->last || !n->schedule ||
              !is_of_blocks(n->schedule, PART_ROWS, buffer) ||
              !is_of_blocks(n->schedule, PART_MAIN, buffer)))
        return "a product stores a result that it cannot";
    return NULL;
}

/* What it begins with is made of each block by itself, in place of the nest that would fill it. */
static const char *start_fault(const Plan *p, const Step *s)
{
    int buffer = plan_buffer(p, s->op->results[0]);
    const Nest *n = s->dot.start;

    if (n &&
        (n->unless != s->op || s->dot.unit == DOT_AMX || s->dot.rounds > 1 || n->rank != 2 ||
         n->roots.len != 1 || n->roots.at[0].kind != ROOT_FILL || n->roots.at[0].buffer != buffer ||
         !n->schedule || !is_of_blocks(n->schedule, PART_ROWS, buffer) ||
         !is_of_blocks(n->schedule, PART_MAIN, buffer)))
        return "a product begins with what it cannot compute";
    return NULL;
}

static const char *block_fault(const DotPlan *d, Extents e)
{
    if (d->unit != DOT_AMX && d->rows > DOT_MAX_ROWS)
        return "a product's block has too many rows";
    if (d->unit == DOT_AMX && (e.m % d->height != 0 || d->rows % d->height != 0 ||
                               e.n % d->lanes != 0 || e.k % d->depth != 0 || d->depth % d->group))
        return "a product is not cut into whole tiles";
    return NULL;
}

const char *plan_product_fault(const Plan *p, const Step *s, IsThere *is_made, const void *ctx)
{
    const Op *op = s->op;
    const Type *a = op->operands[DOT_A]->type, *sum = op->results[0]->type;
    const DotPlan *d = &s->dot;
    Extents e = {a->dims[a->rank - 2], sum->dims[sum->rank - 1], a->dims[a->rank - 1]};

    if (!plan_buffer_is_there(p, plan_buffer(p, op->results[0])) ||
        !plan_buffer_is_there(p, plan_buffer(p, op->operands[DOT_A])) ||
        !plan_buffer_is_there(p, plan_buffer(p, op->operands[DOT_B])))
        return "a product has no buffer";
    if (d->keep != buffer_of(p, op->operands[DOT_B])->keep || d->keep > p->keeps.len)
        return "a product does not know whether its panels are kept";
    bool packs = d->unit != DOT_FMA || buffer_of(p, op->operands[DOT_B])->turned;
    const char *faults[] = {packs ? panels_fault(p, s, e) : NULL,
                            signs_fault(p, s),
                            rounds_fault(p, s, e),
                            live_fault(s, is_made, ctx),
                            block_fault(d, e),
                            place_fault(p, s),
                            sum_fault(p, s),
                            start_fault(p, s),
                            result_fault(p, s)};
    for (int i = 0; i < COUNT(faults); i++) {
        if (faults[i])
            return faults[i];
    }
    return NULL;
}
