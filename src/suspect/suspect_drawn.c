/*
 * suspect_drawn.c - random numbers that are the same in all programs, or for all elements
 *
 * tl.rand(seed, tl.arange(0, BLOCK)), and the results go to where the program's number says: each
 * block has the same numbers, and a dropout of rows leaves out the same columns of each.  Told of
 * draws whose seeds and offsets follow from no program, and from nothing that was loaded, where
 * they go into what is stored element by element: weights that rows share are summed up with these.
 *
 * One number that is added to all elements of a tile rounds all of them up, or none; one that is
 * compared leaves out whole rows, which is often meant.  Offsets that are a tile of equal ones,
 * tl.rand(pid, seed + zeros), are surely not.
 *
 * tl.where(tl.rand(..) < p, x / (1 - p), 0.0) keeps p of the elements, and scales them as if it
 * left out p.
 */
#include "suspect.h"

#define ROUND_OF_32 0xD2511F53 /* Philox: what a round multiplies the first counter by */
#define ROUND_OF_64 0xD2E7470EE14C6C93

enum { MOST_ROUNDS = 64 };

/* The rounds that a stored value is made of. */
typedef struct {
    const Value *at[MOST_ROUNDS];
    int n;
    bool beyond;
} Rounds;

static bool is_round(const Op *op)
{
    uint64_t bits;

    if (op->code != OP_mulhi)
        return false;
    for (int i = 0; i < 2; i++) {
        if (value_constant(op->operands[i], &bits) && (bits == ROUND_OF_32 || bits == ROUND_OF_64))
            return true;
    }
    return false;
}

static void note_rounds(Rounds *r, const Value *v, Map *seen)
{
    const Op *op = v->def;

    if (!op || map_get(seen, MAP_KEY(v)))
        return;
    map_put(seen, MAP_KEY(v), (void *)v);
    if (is_round(op)) {
        r->beyond |= r->n == MOST_ROUNDS;
        if (!r->beyond)
            r->at[r->n++] = v;
    }
    for (int i = 0; i < op->noperands && (op_has(op, FOLDS) || op_has(op, MOVES)); i++)
        note_rounds(r, op->operands[i], seen);
}

static bool is_of_no_program(const Op *op, void *unused)
{
    (void)unused;
    return op->code != OP_program_id;
}

/* Another one in each program or round, or may be. */
static bool is_one_for_all(const Op *op, void *unused)
{
    (void)unused;
    return op->code != OP_program_id && op->code != OP_call && !op_has(op, READS | EFFECT) &&
           !(op->regions[0] && !op_has(op, COMBINES));
}

static bool look_for_round(const Op *op)
{
    return is_round(op);
}

/* Rank 0 as it was drawn, and then a float of each lane? */
static bool is_one_draw(const Suspect *s, const Value *v)
{
    const Op *op = v->def;
    Rounds r = {.n = 0};

    if (!op || op->code != OP_splat || !dtype_is_float(v->type->dtype))
        return false;
    note_rounds(&r, op->operands[0], map_new(s->arena));
    return r.n > 0;
}

static void look_at_sum(const Suspect *s, const Op *op)
{
    for (int i = 0; i < 2; i++) {
        if (ir_bare(op->operands[1 - i])->type->rank > 0 && is_one_draw(s, op->operands[i]))
            tell_warn(s, op, "tl.rand(seed, i) of the offsets of the elements draws one for each",
                      "one random number is added to all elements of the tile");
    }
}

/* Are all lanes of the tile made of the same draw, though the offsets are a tile? */
static bool is_same_in_lanes(const Suspect *s, const Rounds *r)
{
    for (int i = 0; i < r->n; i++) {
        const Type *t = r->at[i]->type;
        if (t->rank == 0)
            return false;
        for (int d = 0; d < t->rank; d++) {
            if (axis_of(tell_axis(s), r->at[i])->constancy[d] < t->dims[d])
                return false;
        }
    }
    return r->n > 0 && type_numel(r->at[0]->type) > 1;
}

/* --- what is kept, and by what it is scaled --- */

/* The number that a draw is compared with, and whether smaller draws are chosen; NULL. */
static const Value *drawn_limit(const Suspect *s, const Value *v, bool *less)
{
    const Op *op = ir_unmoved(v)->def;

    if (!op || (op->code != OP_lt && op->code != OP_le && op->code != OP_gt && op->code != OP_ge))
        return NULL;
    for (int i = 0; i < 2; i++) {
        Rounds r = {.n = 0};
        const Value *limit = ir_bare(op->operands[1 - i]);
        note_rounds(&r, op->operands[i], map_new(s->arena));
        if (r.n == 0 || limit->type->rank > 0)
            continue;
        *less = (op->code == OP_lt || op->code == OP_le) == (i == 0);
        return limit;
    }
    return NULL;
}

static bool is_one(const Value *v)
{
    uint64_t bits;

    return value_constant(v, &bits) && scalar_to_double(v->type->dtype, bits) == 1;
}

/* What x was divided by, or multiplied by the inverse of; NULL: it was not. */
static const Value *divided_by(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    if (op && op->code == OP_div)
        return ir_bare(op->operands[1]);
    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        const Op *inverse = ir_bare(op->operands[i])->def;
        if (inverse && inverse->code == OP_div && is_one(ir_bare(inverse->operands[0])))
            return ir_bare(inverse->operands[1]);
    }
    return NULL;
}

static bool is_zero(const Value *v)
{
    uint64_t bits;

    return value_constant(ir_bare(v), &bits) && bits == 0;
}

static void look_at_scale(const Suspect *s, const Op *op)
{
    enum { DEEPEST = 8 };
    bool less = false, kept = is_zero(op->operands[2]);
    const Value *by = divided_by(op->operands[kept ? 1 : 2]);
    const Value *p =
        by && is_zero(op->operands[kept ? 2 : 1]) ? drawn_limit(s, op->operands[0], &less) : NULL;

    if (!p)
        return;
    bool keeps_p = less == kept; /* smaller draws stay */
    const Op *rest = by->def && by->def->code == OP_sub && is_one(ir_bare(by->def->operands[0]))
                         ? by->def
                         : NULL;
    if (keeps_p ? rest && ir_same(ir_bare(rest->operands[1]), p, DEEPEST) : ir_same(by, p, DEEPEST))
        tell_warn(s, op,
                  keeps_p ? "keep what is above it, tl.rand(..) > p, or divide by p"
                          : "keep what is below it, tl.rand(..) < p, or divide by 1 - p",
                  "this keeps %s of the elements, and is scaled as if it kept %s",
                  keeps_p ? "p" : "1 - p", keeps_p ? "1 - p" : "p");
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;
    Rounds r = {.n = 0};

    if (op->code == OP_select && op->results[0]->type->rank > 0)
        look_at_scale(s, op);
    if (op->code == OP_add && op->results[0]->type->rank > 0)
        look_at_sum(s, op);
    if (op->code != OP_store)
        return;
    const Value *data = op->operands[STORE_DATA], *p = op->operands[STORE_PTR];
    note_rounds(&r, data, map_new(s->arena));
    if (is_same_in_lanes(s, &r)) {
        tell_warn(s, r.at[0]->def,
                  "tl.rand(seed, offsets): the seed is one number, the offsets are another one "
                  "for each element",
                  "all lanes of the tile draw the same random number: the offset is the same in "
                  "all of them");
        return;
    }
    if (r.n == 0 || r.beyond || ir_slice(s->func, s->arena, &p, 1, is_of_no_program, NULL) ||
        !ir_slice(s->func, s->arena, r.at, r.n, is_one_for_all, NULL))
        return;
    tell_warn(s, r.at[0]->def,
              "give it the offsets of the elements, tl.rand(seed, pid * BLOCK + tl.arange(0, "
              "BLOCK)), or each program a seed",
              "these random numbers are the same in all programs, and what is made of them is "
              "stored by each to a place of its own");
}

void suspect_drawn(const Suspect *s)
{
    if (s->func->is_kernel && tell_any(s, look_for_round))
        ir_walk(s->func->body, look_at, (void *)s);
}
