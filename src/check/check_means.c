/*
 * check_means.c - divisors of sums that only a launch shows to be wrong
 *
 * Assertions that are made where accesses are checked:
 *   - a sum that is divided by the extent of its tile, where a program's number stands in the
 * index, as in pid * GROUP + tl.arange(0, GROUP): GROUP may be how many there always are, so the
 * mask must let all lanes of a row through, or none;
 *   - a number that was loaded, as the length of a sequence, divides no sum of more summands;
 *   - a sum that is divided by how far the tiles of programs are apart has no tile that is longer.
 *
 * Masks, bounds and sums are told apart as in src/suspect/suspect_mean.c.
 */
#include "check.h"
#include "../suspect/suspect.h"

#include <string.h>

enum { DEEPEST = 40, MOST_VISITS = 500 };

/* start + tl.arange(0, N) */
static bool is_begun_anywhere(const Value *index)
{
    const Op *op = index->def;

    if (!op || op->code != OP_add)
        return false;
    for (int i = 0; i < 2; i++) {
        const Op *start = op->operands[i]->def;
        if (mean_range_of(op->operands[1 - i]) && start && start->code == OP_splat)
            return true;
    }
    return false;
}

/* --- asked when programs run --- */

static void ask(Op *op, void *func)
{
    const Op *sum = mean_divided_sum(op);
    Value *mask = sum ? mean_mask_of(sum->operands[0], DEEPEST) : NULL;
    static const char text[] =
        "this divides a sum by all lanes of its tile, and the mask of the load leaves some out: "
        "divide by how many there are";
    (void)func;
    if (!mask || !type_same_shape(mask->type, sum->operands[0]->type))
        return;
    const Value *index = mean_limited_along(mask, attr_axis(sum), DEEPEST);
    if (!index || !is_begun_anywhere(index))
        return;
    Builder b = builder_before(op);
    int64_t attrs[] = {attr_of_text(b.module, text, strlen(text)), 0, 1};
    b.span = op->span;
    b.site = op->site;
    b.mark = op->mark;
    Value *there = build_cast(&b, mask, DT_I32, ROUND_NEAREST);
    Value *all = build_reduce_along(&b, OP_min, there, attr_axis(sum));
    Value *any = build_reduce_along(&b, OP_max, there, attr_axis(sum));
    Value *right = build_binary(&b, OP_eq, all, any);
    build_op(&b, OP_assert, 1, &right, COUNT(attrs), attrs, 0, NULL);
}

/* --- fewer than were added up --- */

static bool looks_loaded(const Value *v, int depth, int *left)
{
    const Op *op = v->def;

    if (!op || depth == 0 || --*left < 0)
        return op != NULL;
    if (op_has(op, READS))
        return true;
    for (int i = 0; i < op->noperands; i++) {
        if (looks_loaded(op->operands[i], depth - 1, left))
            return true;
    }
    return false;
}

/* Where that is not found out, yes. */
static bool follows_load(const Value *v, int depth)
{
    int left = MOST_VISITS;

    return looks_loaded(v, depth, &left);
}

/* An integer that was loaded, and is not compared with anything. */
static Value *loaded_number(Value *v)
{
    while (v->def && (v->def->code == OP_cast || v->def->code == OP_splat))
        v = v->def->operands[0];
    return v->def && v->def->code == OP_load && v->type->rank == 0 && !v->type->pointer &&
                   dtype_is_int(v->type->dtype)
               ? v
               : NULL;
}

/* One load, element by element, from which no other one takes anything out. */
static const Op *load_as_it_is(const Value *v, int depth)
{
    const Op *op = v->def, *load = NULL;

    if (!op || depth == 0)
        return NULL;
    if (op_only_reads(op))
        return op;
    for (int i = 0; i < op->noperands; i++) {
        bool made = op_has(op, FOLDS) && op->code != OP_select;
        if (!made && !op_has(op, MOVES))
            return NULL;
        if (!follows_load(op->operands[i], depth - 1))
            continue;
        if (load)
            return NULL;
        load = load_as_it_is(op->operands[i], depth - 1);
        if (!load)
            return NULL;
    }
    return load;
}

static void require_all(const Op *op, Value *number, Value *low, Value *high)
{
    static const char text[] =
        "this divides a sum by a number that was loaded, and is less than there are summands: a "
        "mask, or the end of the loop, leaves the others out";
    Builder b = builder_before((Op *)op);
    int64_t attrs[] = {attr_of_text(b.module, text, strlen(text)), 0, 1};
    const Type *wide = type_scalar(b.module, DT_I64);

    b.span = op->span;
    b.site = op->site;
    b.mark = op->mark;
    Value *n = build_cast(&b, number, DT_I64, ROUND_NEAREST);
    Value *all = build_cast(&b, high, DT_I64, ROUND_NEAREST);
    if (low)
        all = build_binary(&b, OP_sub, all, build_cast(&b, low, DT_I64, ROUND_NEAREST));
    Value *none = build_binary(&b, OP_le, n, build_const(&b, wide, 0));
    Value *right = build_binary(&b, OP_or, none, build_binary(&b, OP_ge, n, all));
    build_op(&b, OP_assert, 1, &right, COUNT(attrs), attrs, 0, NULL);
}

/* acc / n, where each round adds one more */
static void ask_rounds(const Op *op, Value *number, const Value *total)
{
    const Op *loop = total->def, *sum;
    int64_t step;

    if (!loop || loop->code != OP_for || !value_const_signed(loop->operands[FOR_STEP], &step) ||
        step != 1 || follows_load(loop->operands[FOR_HI], DEEPEST) ||
        follows_load(loop->operands[FOR_LO], DEEPEST))
        return;
    sum = opt_last(loop->regions[0])->operands[total->index]->def;
    for (int i = 0; sum && sum->code == OP_add && i < 2; i++) {
        const Op *load = load_as_it_is(sum->operands[1 - i], DEEPEST);
        const Value *mask = load ? op_operand(load, ir_access(load).mask) : NULL;
        if (sum->operands[i] == loop->regions[0]->args[1 + total->index] && load &&
            (!mask || !follows_load(mask, DEEPEST)) &&
            tell_is_moved(load->operands[ir_access(load).pointer], loop, DEEPEST))
            require_all(op, number, loop->operands[FOR_LO], loop->operands[FOR_HI]);
    }
}

/* tl.sum(v, axis) / n, where the mask lets through as many as there may be */
static void ask_tile(const Op *op, Value *number, const Op *sum)
{
    const Op *load = load_as_it_is(sum->operands[0], DEEPEST);
    Value *mask = load ? op_operand(load, ir_access(load).mask) : NULL, *bound = NULL;

    if (!mask || follows_load(mask, DEEPEST) ||
        !type_same_shape(mask->type, sum->operands[0]->type))
        return;
    const Value *index = mean_compared_along(mask, attr_axis(sum), DEEPEST, &bound);
    while (bound && bound->def && bound->def->code == OP_splat)
        bound = bound->def->operands[0];
    if (index && mean_range_of(index) && bound && bound->type->rank == 0 &&
        dtype_is_int(bound->type->dtype))
        require_all(op, number, NULL, bound);
}

static void ask_for_number(Op *op, void *func)
{
    Value *number = op->code == OP_div && !dtype_is_int(op->results[0]->type->dtype)
                        ? loaded_number(op->operands[1])
                        : NULL;
    (void)func;
    if (!number)
        return;
    const Value *total = ir_bare(op->operands[0]);
    if (ir_reduces(total->def) && total->def->noperands == 1 &&
        ir_combine_code(total->def) == OP_add)
        ask_tile(op, number, total->def);
    else
        ask_rounds(op, number, total);
}

/* --- more than the share of a program --- */

/* The factor of tl.program_id(..) in an address, and how many elements lie side by side from there
 * on; NULL. */
static Value *step_of_program(const Value *pointer, int *lanes)
{
    Value *step = NULL;

    for (const Value *p = ir_bare(pointer); p->def && p->def->code == OP_addptr;
         p = ir_bare(p->def->operands[0])) {
        const Op *sum = ir_bare(p->def->operands[1])->def;
        int parts = sum && sum->code == OP_add ? 2 : 1;
        for (int i = 0; i < parts; i++) {
            const Value *part = ir_bare(parts > 1 ? sum->operands[i] : p->def->operands[1]);
            const Op *op = part->def;
            if (mean_range_of(part))
                *lanes = part->type->dims[0];
            for (int k = 0; op && op->code == OP_mul && k < 2; k++) {
                const Op *id = ir_bare(op->operands[k])->def;
                if (id && id->code == OP_program_id)
                    step = (Value *)ir_bare(op->operands[1 - k]);
            }
        }
    }
    return step;
}

/* tl.sum(tl.load(x + pid * G + i, mask=pid * G + i < n)) / G */
static void ask_for_share(Op *op, void *func)
{
    static const char text[] =
        "this divides the sum of a tile by how far the tiles of programs are apart, which is less "
        "than a tile has: its mask compares with the number of all, i < G leaves out what is of "
        "others";
    const Op *sum = op->code == OP_div ? ir_bare(op->operands[0])->def : NULL;
    int lanes = 0;

    (void)func;
    if (!sum || !ir_reduces(sum) || sum->noperands != 1 || ir_combine_code(sum) != OP_add ||
        sum->operands[0]->type->rank != 1)
        return;
    const Op *load = ir_uncast(sum->operands[0])->def;
    Value *mask = load && load->code == OP_load ? op_operand(load, LOAD_MASK) : NULL;
    const Value *index = mask ? mean_limited_along(mask, attr_axis(sum), DEEPEST) : NULL;
    Value *step =
        index && !mean_range_of(index) ? step_of_program(load->operands[LOAD_PTR], &lanes) : NULL;
    if (!step || step->type->rank > 0 || lanes < 2 || !mean_is_same(step, op->operands[1]))
        return;
    Builder b = builder_before(op);
    int64_t attrs[] = {attr_of_text(b.module, text, strlen(text)), 0, 1};
    b.span = op->span;
    b.site = op->site;
    b.mark = op->mark;
    Value *right = build_binary(&b, OP_ge, step, build_const(&b, step->type, (uint64_t)lanes));
    build_op(&b, OP_assert, 1, &right, COUNT(attrs), attrs, 0, NULL);
}

void check_means(Func *f)
{
    ir_walk(f->body, ask_for_share, f);
    ir_walk(f->body, ask, f);
    ir_walk(f->body, ask_for_number, f);
}
