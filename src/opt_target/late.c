/*
 * late.c - what rounds of a loop add up is reduced behind the loop
 *
 * Takes and gives verified IR, for targets whose threads wait for each other where they reduce a
 * tile.  A loss or a mean of a long row is often written so that each round reduces its tile and
 * adds the number that comes of it to what is carried.  The tile itself may be carried as well:
 *
 *     s = s0                                   s = s0, t = 0 everywhere
 *     for .. :                         ->      for .. :
 *         s = s + sum(x)                           t = t + x
 *                                              s = s + sum(t)
 *
 * and so with the least and the largest, which is exact.  Sums of floats come in another order, as
 * they do within a tile, and each lane has fewer roundings than before.
 *
 * s is to be carried for nothing else.  A lane keeps more registers, so there is a limit.  Of a
 * tile beyond it, x stands for what parts of the axis come to, which a lane mostly has: of columns
 * the halves, quarters and so on, of rows, which are read in vectors, some neighbours.
 *
 * Early is the other way round, for targets that keep a tile in memory, which each round would read
 * and write: it reduces what it adds, and carries what comes of that.
 */
#include "opt_target.h"
#include "../ir/analysis.h"

enum {
    USUAL_WARPS = 4, /* where the launch does not say */
    LANES = 32,
    MOST_EACH = 16,    /* elements that a lane keeps more, of one tile, */
    SOME_EACH = 8,     /* of one of which parts come together first, */
    MOST_ALL = 32,     /* and of all */
    MOST_TOGETHER = 8, /* neighbours of a row that a lane mostly has, */
    LEAST_LEFT = 8,    /* and elements along the axis for which it would pay no more */
    MOST_SUMS = 4,     /* of one loop */
    LEAST_EARLY = 256  /* elements: shorter tiles are soon read and written */
};

typedef struct {
    UseLists uses;
    int lanes;
} Late;

/* A carried number, what each round does to it, and the tile that this is of. */
typedef struct {
    int carried; /* the number of the value that the loop carries */
    Op *add, *reduce;
    int together; /* so many elements along the axis come together in the round */
} Sum;

static bool is_used_once(const Late *x, const Value *v)
{
    return uses_count(&x->uses, v) == 1;
}

static bool is_exact_or_wide(const Type *t)
{
    return !t->pointer && (t->dtype == DT_FP32 || t->dtype == DT_FP64 ||
                           (dtype_is_int(t->dtype) && dtype_bits(t->dtype) >= 32));
}

/* Does the round reduce a tile by the same op by which it adds to carried value number i? */
static bool find_sum(const Late *x, const Op *loop, int i, Sum *out)
{
    const Block *body = loop->regions[0];
    const Value *arg = body->args[i + 1];
    Value *next = opt_last(body)->operands[i];
    Op *add = next->def;

    if (!add || add->block != body || add->noperands != 2 || !is_used_once(x, next) ||
        !is_used_once(x, arg) || (add->operands[0] != arg && add->operands[1] != arg))
        return false;
    const Value *other = add->operands[add->operands[0] == arg];
    Op *reduce = other->def;
    if (!ir_reduces(reduce) || reduce->block != body || reduce->noperands != 1 ||
        !is_used_once(x, other) || !is_exact_or_wide(reduce->operands[0]->type))
        return false;
    *out = (Sum){i, add, reduce, 1};
    return ir_combine_kind(reduce).neutral == add->code;
}

/* Elements that a lane keeps more. */
static int64_t elements_each(const Late *x, const Sum *s)
{
    int64_t all = type_numel(s->reduce->operands[0]->type) / s->together;

    return (all + x->lanes - 1) / x->lanes;
}

/* Is the axis the one whose neighbours are read in vectors, of several? */
static bool goes_along_rows(const Op *reduce)
{
    int rank = reduce->operands[0]->type->rank;

    return rank > 1 && attr_axis(reduce) == rank - 1;
}

/* How many have to come together that few enough are left; 1: that is not to be had. */
static int parts_together(const Late *x, const Sum *s)
{
    const Type *t = s->reduce->operands[0]->type;
    int dim = t->dims[attr_axis(s->reduce)], together = 1;

    for (int d = 0; d < t->rank; d++) {
        if ((t->dims[d] & (t->dims[d] - 1)) != 0)
            return 1;
    }
    while (type_numel(t) > (int64_t)SOME_EACH * x->lanes * together)
        together *= 2;
    bool fits = dim / together >= LEAST_LEFT && t->rank < MAX_RANK &&
                (!goes_along_rows(s->reduce) || together <= MOST_TOGETHER);
    return fits ? together : 1;
}

/* What the round adds: the tile, or parts of it that have come together. */
static Value *added_tile(Builder *b, const Sum *s)
{
    Value *x = s->reduce->operands[0];
    int axis = (int)attr_axis(s->reduce), behind = goes_along_rows(s->reduce), n = 0;
    int32_t dims[MAX_RANK];

    if (s->together == 1)
        return x;
    for (int d = 0; d < x->type->rank; d++) {
        if (d == axis && !behind)
            dims[n++] = s->together;
        dims[n++] = d == axis ? x->type->dims[d] / s->together : x->type->dims[d];
        if (d == axis && behind)
            dims[n++] = s->together;
    }
    return build_reduce_along(b, s->add->code, build_reshape(b, x, n, dims), axis + behind);
}

static int find_sums(const Late *x, const Op *loop, Sum *sums)
{
    int64_t all = 0;
    int n = 0;

    for (int i = 0; i < loop->nresults && n < MOST_SUMS; i++) {
        if (!find_sum(x, loop, i, &sums[n]))
            continue;
        if (elements_each(x, &sums[n]) > MOST_EACH)
            sums[n].together = parts_together(x, &sums[n]);
        int64_t each = elements_each(x, &sums[n]);
        if (each <= MOST_EACH && all + each <= MOST_ALL) {
            all += each;
            n++;
        }
    }
    return n;
}

static uint64_t neutral_bits(const Op *reduce)
{
    CombineKind kind = ir_combine_kind(reduce);
    DType t = reduce->operands[0]->type->dtype;

    return dtype_is_float(t) ? scalar_from_double(t, kind.real) : kind.bits;
}

/* Behind the loop: the tile reduced, and added to what was there in front of it. */
static void reduce_behind(Op *loop, const Sum *s, Value *before, Value *tile)
{
    Builder b = builder_before(loop->next);
    Map *map = map_new(b.module->arena);

    map_put(map, MAP_KEY(s->reduce->operands[0]), tile);
    op_clone(&b, s->reduce, map);
    Value *all = map_get(map, MAP_KEY(s->reduce->results[0]));
    Value *sum = build_binary(&b, s->add->code, before, all);
    sum->name = loop->results[s->carried]->name;
    loop->results[s->carried]->repl = sum;
}

static void visit(Op *loop, void *late)
{
    Sum sums[MOST_SUMS];
    Value *first[MOST_SUMS], *next[MOST_SUMS], *now[MOST_SUMS];
    int n = loop->code == OP_for ? find_sums(late, loop, sums) : 0;
    int carried = loop->nresults;

    if (n == 0)
        return;
    Builder b = builder_before(opt_last(loop->regions[0]));
    for (int k = 0; k < n; k++)
        next[k] = added_tile(&b, &sums[k]);
    b = builder_before(loop);
    for (int k = 0; k < n; k++)
        first[k] = build_const(&b, next[k]->type, neutral_bits(sums[k].reduce));
    loop = opt_carry_more(loop, n, first, next, now);
    Op *yield = opt_last(loop->regions[0]);
    b = builder_before(yield);
    for (int k = 0; k < n; k++) {
        yield->operands[carried + k] = build_binary(&b, sums[k].add->code, now[k], next[k]);
        yield->operands[sums[k].carried] = loop->regions[0]->args[sums[k].carried + 1];
    }
    for (int k = 0; k < n; k++)
        reduce_behind(loop, &sums[k], loop->operands[FOR_BOUNDS + sums[k].carried],
                      loop->results[carried + k]);
}

void opt_late(Func *f)
{
    Late x = {.uses = ir_uses(f, f->module->arena),
              .lanes = LANES * (f->num_warps > 0 ? f->num_warps : USUAL_WARPS)};

    ir_walk(f->body, visit, &x);
    opt_resolve_all(f->body);
}

/* --- early --- */

/* The op that reduces, and nothing else reads, what rounds have added to where there
 * was nothing, whose bits it gives; NULL. */
static Op *reduced_behind(const Late *x, const Op *loop, int i, uint64_t *bits)
{
    const Value *arg = loop->regions[0]->args[i + 1], *tile = loop->results[i];
    const Op *add = opt_last(loop->regions[0])->operands[i]->def;
    Op *reduce = loop->next;

    if (!is_used_once(x, tile) || !is_used_once(x, arg) || !is_exact_or_wide(tile->type) ||
        type_numel(tile->type) < LEAST_EARLY || !add || add->noperands != 2 ||
        !is_used_once(x, add->results[0]) || (add->operands[0] != arg && add->operands[1] != arg))
        return NULL;
    while (reduce && !(ir_reduces(reduce) && reduce->operands[0] == tile))
        reduce = reduce->next;
    if (!reduce || reduce->noperands != 1 || ir_combine_kind(reduce).neutral != add->code)
        return NULL;
    bool known = value_constant(loop->operands[FOR_BOUNDS + i], bits);
    bool zero = add->code == OP_add && scalar_to_double(tile->type->dtype, *bits) == 0;
    return known && (zero || *bits == neutral_bits(reduce)) ? reduce : NULL;
}

static void visit_early(Op *loop, void *late)
{
    Sum sums[MOST_SUMS];
    Value *first[MOST_SUMS], *next[MOST_SUMS], *now[MOST_SUMS];
    int carried = loop->nresults, n = 0;
    uint64_t bits = 0;

    for (int i = 0; loop->code == OP_for && i < carried && n < MOST_SUMS; i++) {
        Op *reduce = reduced_behind(late, loop, i, &bits);
        if (!reduce)
            continue;
        Builder b = builder_before(loop);
        sums[n] = (Sum){i, opt_last(loop->regions[0])->operands[i]->def, reduce};
        first[n] = build_const(&b, reduce->results[0]->type, bits);
        Map *map = map_new(b.module->arena);
        bool second = sums[n].add->operands[0] == loop->regions[0]->args[i + 1];
        map_put(map, MAP_KEY(reduce->operands[0]), sums[n].add->operands[second]);
        b = builder_before(opt_last(loop->regions[0]));
        op_clone(&b, reduce, map);
        next[n++] = map_get(map, MAP_KEY(reduce->results[0]));
    }
    if (n == 0)
        return;
    loop = opt_carry_more(loop, n, first, next, now);
    Op *yield = opt_last(loop->regions[0]);
    Builder b = builder_before(yield);
    for (int k = 0; k < n; k++) {
        yield->operands[carried + k] = build_binary(&b, sums[k].add->code, now[k], next[k]);
        yield->operands[sums[k].carried] = loop->regions[0]->args[sums[k].carried + 1];
        sums[k].reduce->results[0]->repl = loop->results[carried + k];
    }
}

void opt_early(Func *f)
{
    Late x = {.uses = ir_uses(f, f->module->arena)};

    ir_walk(f->body, visit_early, &x);
    opt_resolve_all(f->body);
}
