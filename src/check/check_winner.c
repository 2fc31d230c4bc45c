/*
 * check_winner.c - a lane that was masked off is the greatest, where accesses are checked
 *
 * tl.max(tl.load(x + i, mask=i < n, other=0.0)) is 0 where all of x is negative, and tl.argmax
 * gives the number of a lane that is not there.  `other=0.0` is right where nothing is negative, so
 * that is asked when the programs run: in each row of a maximum or minimum, or of a choice of an
 * index, one of the lanes that the mask lets through must hold the result, if there are any.
 *
 * So is tl.max(tl.where(x == m, 0.0, x)) of the greatest m: what was to be taken out must not win.
 *
 * Of a scan none of the lanes that are there may hold more than the greatest of them.  Places of a
 * sort that are stored, or chosen by their numbers, hold what a sort of the lanes that are there
 * has at them: none that was left out may come before.
 *
 * Takes and gives verified IR, without calls.  Looks at what is made of masked loads of one mask by
 * operations on elements.  Nothing is asked where `other` is so large that it is a mark or an
 * infinity, nor of a maximum that an exponential subtracts: for that any number near it will do.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "../ir/analysis.h"

enum { DEEPEST = 40, SAME_DEPTH = 12 };
#define A_MARK 1e4 /* from there on nothing of data beats it */

/* --- which lanes are there --- */

typedef struct {
    const Type *shape;
    Value *mask;
    bool fails; /* of several masks, or of what is not followed */
} Lanes;

/* Fills in what it cannot beat? */
static bool is_mark(const Op *load)
{
    uint64_t bits;

    const Value *other = op_operand(load, ir_access(load).other);

    return other && (!value_constant(other, &bits) ||
                     !(fabs(scalar_to_double(other->type->dtype, bits)) < A_MARK));
}

static void note_load(Lanes *s, const Op *load)
{
    Value *mask = op_operand(load, ir_access(load).mask);

    s->fails |= !mask; /* loaded without one: each lane is there, whatever its neighbour is */
    if (!mask)
        return;
    s->fails |= is_mark(load) || !type_same_shape(mask->type, s->shape) ||
                (s->mask && !ir_same(s->mask, mask, SAME_DEPTH));
    s->mask = mask;
}

static void find_mask(Lanes *s, const Value *v, int depth)
{
    const Op *op = v->def;

    if (s->fails || !op || !type_same_shape(v->type, s->shape))
        return;
    s->fails = depth == 0;
    if (op_only_reads(op))
        note_load(s, op);
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++)
        find_mask(s, op->operands[i], depth - 1);
}

/* --- what is looked at --- */

/* (value, index) of one of two elements, both of the same one. */
static bool chooses_index(const Op *op)
{
    const Op *end = opt_last(op->regions[0]);
    const Op *index = op->noperands == 2 ? op->operands[1]->def : NULL;

    while (index && op_has(index, MOVES))
        index = index->operands[0]->def;
    if (!index || index->code != OP_arange || end->noperands != 2)
        return false;
    const Op *value = end->operands[0]->def, *at = end->operands[1]->def;
    return value && at && value->code == OP_select && at->code == OP_select &&
           value->operands[0] == at->operands[0];
}

static bool chooses_value(const Op *op)
{
    const Op *only = ir_combine_kind(op).only;

    return op->noperands == 1 && only &&
           (only->code == OP_max || only->code == OP_min || only->code == OP_maxnan ||
            only->code == OP_minnan);
}

bool check_flows_into_power(const UseLists *uses, const Value *v, int depth)
{
    const Use *at = uses_of(uses, v);

    for (int i = 0; i < uses_count(uses, v) && depth > 0; i++) {
        const Op *op = at[i].op;
        if (op->code == OP_exp || op->code == OP_exp2)
            return true;
        if ((op_has(op, FOLDS) || op_has(op, MOVES)) && op->nresults == 1 &&
            check_flows_into_power(uses, op->results[0], depth - 1))
            return true;
    }
    return false;
}

/* --- the question --- */

static const char wins_text[] = "a lane that the mask of the load leaves out wins here: its "
                                "`other` must lose against all that is there";

static Value *along(Builder *b, Value *row, const Type *shape, int axis)
{
    const Type *t = type_with_dtype(b->module, shape, row->type->dtype);

    return row->type->rank == 0 ? build_splat(b, row, t)
                                : build_broadcast(b, build_expand(b, row, axis), t);
}

static Value *any_along(Builder *b, Value *v, int axis)
{
    return build_reduce_along(b, OP_max, build_cast(b, v, DT_I32, ROUND_NEAREST), axis);
}

static void ask(Op *op, Value *mask, int which, const char *text)
{
    Builder b = builder_before(op->next);
    const int axis = attr_axis(op);
    Value *v = op->operands[which], *r = op->results[which];
    int64_t attrs[] = {attr_of_text(b.module, text, strlen(text)), 0, 1};

    b.span = op->span;
    b.site = op->site;
    b.mark = op->mark;
    Value *holds = build_binary(&b, OP_eq, v, along(&b, r, v->type, axis));
    if (dtype_is_float(v->type->dtype)) /* NaN holds nothing, and is */
        holds = build_binary(&b, OP_or, holds, build_unary(&b, OP_isnan, v));
    Value *there = any_along(&b, mask, axis);
    Value *found = any_along(&b, build_binary(&b, OP_and, mask, holds), axis);
    Value *right = build_binary(&b, OP_ge, found, there);
    build_op(&b, OP_assert, 1, &right, COUNT(attrs), attrs, 0, NULL);
}

/* --- the greatest was taken out --- */

static const char taken_text[] =
    "a lane wins here that was given this number to be left out: "
    "-float(\"inf\") loses against all, and float(\"inf\") in a minimum";

/* x == m of the greatest or least m of the row, or i == the index of that */
static bool is_winner_of(const Value *condition)
{
    const Op *op = condition->def;

    for (int i = 0; op && op->code == OP_eq && i < 2; i++) {
        const Op *winner = ir_bare(op->operands[i])->def;
        if (ir_reduces(winner) && (chooses_index(winner) || chooses_value(winner)))
            return true;
    }
    return false;
}

static void ask_taken(Op *op)
{
    const int which = op->noperands - 1;
    const Op *choice = op->code == OP_reduce ? op->operands[which]->def : NULL;
    uint64_t bits;

    if (!choice || choice->code != OP_select || !is_winner_of(choice->operands[0]) ||
        !value_constant(choice->operands[1], &bits) ||
        !dtype_is_float(choice->results[0]->type->dtype) ||
        !(fabs(scalar_to_double(choice->results[0]->type->dtype, bits)) < A_MARK))
        return;
    Builder b = builder_before(op);
    b.span = op->span;
    b.site = op->site;
    b.mark = op->mark;
    ask(op, build_unary(&b, OP_not, choice->operands[0]), which, taken_text);
}

/* The choice that a round has left for the next one, of what it has taken out; NULL. */
static const Op *choice_before(const Value *v)
{
    const Op *loop = v->block->owner;

    if (v->def || !loop || loop->code != OP_for || v->index == 0)
        return NULL;
    const Op *choice = opt_last(loop->regions[0])->operands[v->index - 1]->def;
    return choice && choice->code == OP_select && choice->operands[2] == v ? choice : NULL;
}

/* tl.where(i == at, 0.0, v) of the round before: it wins where others are less. */
static void ask_taken_before(Op *op)
{
    const Op *choice =
        op->code == OP_reduce && chooses_value(op) ? choice_before(op->operands[0]) : NULL;
    uint64_t bits;

    if (!choice || !is_winner_of(choice->operands[0]) ||
        !value_constant(choice->operands[1], &bits) ||
        !dtype_is_float(choice->results[0]->type->dtype) ||
        !(fabs(scalar_to_double(choice->results[0]->type->dtype, bits)) < A_MARK))
        return;
    Builder b = builder_before(op->next);
    const OpCode code = ir_combine_code(op);
    const bool greatest = code == OP_max || code == OP_maxnan;
    int64_t attrs[] = {attr_of_text(b.module, taken_text, strlen(taken_text)), 0, 1};

    b.span = op->span;
    b.site = op->site;
    b.mark = op->mark;
    Value *won = op->results[0];
    Value *last =
        build_reduce_along(&b, greatest ? OP_min : OP_max, op->operands[0], attr_axis(op));
    Value *taken = build_binary(&b, OP_eq, won, build_const(&b, won->type, bits));
    Value *beats = build_binary(&b, greatest ? OP_lt : OP_gt, last, won);
    Value *right = build_unary(&b, OP_not, build_binary(&b, OP_and, taken, beats));
    build_op(&b, OP_assert, 1, &right, COUNT(attrs), attrs, 0, NULL);
}

/* The greatest or least of the lanes that the mask lets through, for each row. */
static Value *best_along(Builder *b, Value *v, Value *mask, OpCode how, int axis)
{
    const Type *t = v->type;
    bool greatest = how == OP_max;
    Value *none = dtype_is_float(t->dtype) ? build_float(b, t, greatest ? -INFINITY : INFINITY)
                                           : build_const(b, t, ir_extreme(t->dtype, !greatest));

    return build_reduce_along(b, how, build_select(b, mask, v, none), axis);
}

static void ask_scan(Op *op, Value *mask)
{
    Builder b = builder_before(op->next);
    OpCode code = ir_combine_code(op);
    OpCode how = code == OP_max || code == OP_maxnan ? OP_max : OP_min;
    int64_t attrs[] = {attr_of_text(b.module, wins_text, strlen(wins_text)), 0, 1};

    b.span = op->span;
    b.site = op->site;
    b.mark = op->mark;
    Value *there = best_along(&b, op->operands[0], mask, how, attr_axis(op));
    Value *given = best_along(&b, op->results[0], mask, how, attr_axis(op));
    Value *wins = build_binary(&b, how == OP_max ? OP_gt : OP_lt, given, there);
    Value *right = build_unary(&b, OP_not, wins);
    build_op(&b, OP_assert, 1, &right, COUNT(attrs), attrs, 0, NULL);
}

/* --- sorts --- */

/* Who takes places of what a sort gives: a store, or tl.where(i == k, ..); op NULL: nobody. */
typedef struct {
    Op *op;
    Value *places; /* which of them */
} Taken;

/* As it is, or as the float that it stands for. */
static Taken taken_from(const UseLists *uses, const Value *v, int depth)
{
    const Use *at = uses_of(uses, v);
    Taken t = {NULL};

    for (int i = 0; i < uses_count(uses, v) && depth > 0 && !t.op; i++) {
        Op *op = (Op *)at[i].op;
        Value *mask = op->code == OP_store ? op_operand(op, STORE_MASK) : NULL;
        Value *where = op->code == OP_select && at[i].operand == 1 ? op->operands[0] : NULL;
        const Op *is = where ? where->def : NULL;
        bool chooses = is && op_has(is, COMPARES) && ir_bare(is->operands[0])->def &&
                       ir_bare(is->operands[0])->def->code == OP_arange;
        if ((mask && at[i].operand == STORE_DATA) || chooses)
            t = (Taken){op, mask ? mask : where};
        else if ((op_has(op, FOLDS) || op->code == OP_bitcast) && !op_has(op, COMPARES))
            t = taken_from(uses, op->results[0], depth - 1);
    }
    return t;
}

/* Those places have what a sort of the lanes that are there would have put there, up to its end. */
static void ask_sort(Op *op, Value *mask, const Taken *t)
{
    Builder b = builder_before(t->op);
    Value *v = op->operands[0], *sorted = op->results[0];
    int64_t attrs[] = {attr_of_text(b.module, wins_text, strlen(wins_text)), 0, 1};
    int64_t falls = attr_descending(op);

    b.span = op->span;
    b.site = op->site;
    b.mark = op->mark;
    Value *last = build_const(&b, v->type, ir_extreme(v->type->dtype, !falls));
    Value *there = build_select(&b, mask, v, last);
    const Type *type = there->type;
    there = build_op(&b, OP_sort, 1, &there, 1, &falls, 1, &type)->results[0];
    Value *right = build_binary(&b, OP_eq, sorted, there);
    right = build_binary(&b, OP_or, right, build_binary(&b, OP_eq, there, last));
    Value *operands[] = {right, t->places};
    build_op(&b, OP_assert, 2, operands, COUNT(attrs), attrs, 0, NULL);
}

typedef struct {
    Arena *arena;
    VEC(Op *) found;
} Reductions;

static void note_reduction(Op *op, void *reductions)
{
    Reductions *r = reductions;

    bool chooses = (ir_reduces(op) && chooses_index(op)) ||
                   ((ir_reduces(op) || op->code == OP_scan) && chooses_value(op)) ||
                   op->code == OP_sort;

    if (chooses && !op->operands[0]->type->pointer)
        vec_push(r->arena, &r->found, op);
}

void check_winners(Func *f)
{
    Reductions r = {.arena = f->module->arena};

    ir_walk(f->body, note_reduction, &r);
    if (r.found.len == 0)
        return;
    UseLists uses = ir_uses(f, r.arena);
    for (int i = 0; i < r.found.len; i++) {
        Op *op = r.found.at[i];
        ask_taken(op);
        ask_taken_before(op);
        Lanes s = {.shape = op->operands[0]->type};

        find_mask(&s, op->operands[0], DEEPEST);
        if (s.fails || !s.mask || check_flows_into_power(&uses, op->results[0], DEEPEST))
            continue;
        Taken taken = {NULL};
        if (op->code == OP_sort)
            taken = taken_from(&uses, op->results[0], SAME_DEPTH);
        if (taken.op && type_same_shape(taken.places->type, op->operands[0]->type))
            ask_sort(op, s.mask, &taken);
        else if (op->code == OP_scan)
            ask_scan(op, s.mask);
        else if (op->code != OP_sort)
            ask(op, s.mask, op->noperands - 1, wins_text);
    }
}
