/*
 * suspect_mean.c - a mean that is divided by the extent of a tile of which the mask leaves lanes
 * out
 *
 * tl.sum(tl.load(x + i, mask=i < n, other=0.0)) / BLOCK is the mean of n numbers only where n is
 * BLOCK, and then nobody needs the mask.  Told where the lanes of a tl.arange from 0 on are
 * compared with a number, so that one row is all there is.  What depends
 * on numbers of the launch src/check/check_means.c asks when programs run.
 *
 * So is tl.sum(acc) / BLOCK of what the rounds of a loop have added up lane by lane, tile by tile
 * along a row.
 *
 * .. and a mean by a number to which each round has added BLOCK, though a mask leaves lanes out.
 *
 * .. and of the elements of a row by how many rows the tile or the array has;
 *
 * .. and of h * w elements by h, or of the elements of tiles by how many programs there are.
 *
 * A sum that a loop has made lane by lane, over h rows of w elements, is divided by h: told where
 * it is divided by the number w that the mask compares lanes with.
 */
#include "suspect.h"

#include <math.h>

enum { DEEPEST = 40 };

/* --- the sum --- */

/* The number that a quotient is by, or the factor of it that is compiled in, as of rows * BLOCK. */
static const Value *constant_divisor(const Value *v, uint64_t *bits)
{
    const Op *op = ir_bare(v)->def;

    if (value_constant(v, bits))
        return v;
    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        if (value_constant(op->operands[i], bits))
            return op->operands[i];
    }
    return NULL;
}

/* The quotient is a sum along `axis` of a tile, by its extent, or times 1 by it; it may be divided
 * by other numbers, too. */
const Op *mean_divided_sum(const Op *op)
{
    uint64_t bits;

    if (op->code != OP_div && op->code != OP_mul)
        return NULL;
    const Op *sum = ir_unmoved(op->operands[0])->def;
    while (sum && (sum->code == OP_cast || sum->code == OP_div))
        sum = ir_unmoved(sum->operands[0])->def;
    const Value *divisor = constant_divisor(op->operands[1], &bits);
    if (!ir_reduces(sum) || sum->noperands != 1 || !divisor)
        return NULL;
    const Op *only = ir_combine_kind(sum).only;
    const Type *t = sum->operands[0]->type;
    double by = scalar_to_double(divisor->type->dtype, bits);
    double lanes = t->dims[attr_axis(sum)];
    bool is_mean = op->code == OP_div ? by == lanes : fabs(by * lanes - 1) < 1e-6;
    return only && only->code == OP_add && is_mean && lanes > 1 ? sum : NULL;
}

/* --- the mask --- */

/* The tile of one dimension that an index is along `dim`; NULL: there is no such thing. */
static const Value *index_along(const Value *v, int dim)
{
    while (v->def && op_has(v->def, MOVES) && v->type->rank > 0) {
        dim = tell_dimension_before(v->def, dim);
        if (dim < 0)
            return NULL;
        v = v->def->operands[0];
    }
    return v->type->rank == 1 ? v : NULL;
}

/* A number that is the same for all lanes, and no constant that lets all of them through. */
static bool is_bound(const Value *v, int lanes)
{
    const Op *op = ir_unmoved(v)->def;
    int64_t c;

    if (value_const_int(v, &c))
        return c < lanes;
    return ir_unmoved(v)->type->rank == 0 || !op || op->code == OP_splat;
}

/* What the mask compares with a bound along `dim`, and the bound; NULL: not just that. */
const Value *mean_compared_along(const Value *mask, int dim, int depth, Value **bound)
{
    const Op *op = mask->def;

    if (!op || depth == 0 || mask->type->rank == 0)
        return NULL;
    if (op->code == OP_lt) {
        *bound = op->operands[1];
        return is_bound(*bound, mask->type->dims[dim]) ? index_along(op->operands[0], dim) : NULL;
    }
    if (op->code == OP_and) {
        const Value *x = mean_compared_along(op->operands[0], dim, depth - 1, bound);
        return x ? x : mean_compared_along(op->operands[1], dim, depth - 1, bound);
    }
    if (!op_has(op, MOVES))
        return NULL;
    dim = tell_dimension_before(op, dim);
    return dim < 0 ? NULL : mean_compared_along(op->operands[0], dim, depth - 1, bound);
}

const Value *mean_limited_along(const Value *mask, int dim, int depth)
{
    Value *bound;

    return mean_compared_along(mask, dim, depth, &bound);
}

const Op *mean_range_of(const Value *index)
{
    const Op *op = index->def;

    return op && op->code == OP_arange && attr_start(op) == 0 ? op : NULL;
}

/* The mask of the one load that the value is made of, element by element; NULL: none, or several.
 */
Value *mean_mask_of(const Value *v, int depth)
{
    const Op *op = v->def;
    Value *mask = NULL;

    if (!op || depth == 0)
        return NULL;
    if (op_only_reads(op))
        return op_operand(op, ir_access(op).mask);
    for (int i = 0; i < op->noperands && (op_has(op, FOLDS) || op->code == OP_cast); i++) {
        Value *other = mean_mask_of(op->operands[i], depth - 1);
        if (mask && other && !ir_same(mask, other, DEEPEST))
            return NULL;
        mask = mask ? mask : other;
    }
    return mask;
}

/* --- the mean of what a loop has added up, lane by lane --- */

/* A number of the launch; NULL: it is none. */
static const Value *number_of_launch(const Value *v)
{
    v = ir_bare(v);
    return !v->def && v->block->owner == NULL && !v->type->pointer ? v : NULL;
}

static bool compares_with(const Value *mask, const Value *number, int depth)
{
    const Op *op = mask->def;

    if (!op || depth == 0)
        return false;
    if (op_has(op, COMPARES))
        return ir_bare(op->operands[1]) == number;
    for (int i = 0; i < op->noperands && (op->code == OP_and || op_has(op, MOVES)); i++) {
        if (compares_with(op->operands[i], number, depth - 1))
            return true;
    }
    return false;
}

/* Is the counter of the loop multiplied with the number in an address? */
static bool goes_by(const Value *v, const Value *counter, const Value *number, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (!op || depth == 0)
        return false;
    for (int i = 0; op->code == OP_mul && i < 2; i++) {
        if (ir_bare(op->operands[i]) == counter && ir_bare(op->operands[1 - i]) == number)
            return true;
    }
    for (int i = 0; i < op->noperands && (op->code == OP_addptr || op->code == OP_add); i++) {
        if (goes_by(op->operands[i], counter, number, depth - 1))
            return true;
    }
    return false;
}

/* acc / w of acc += tl.load(x + r * w + c, mask=c < w) in range(h): there are h summands. */
static void look_at_rounds(const Suspect *s, const Op *op)
{
    const Value *by = op->code == OP_div ? number_of_launch(op->operands[1]) : NULL;
    const Value *total = by ? ir_bare(op->operands[0]) : NULL;
    const Op *loop = total ? total->def : NULL;
    int64_t low;

    if (!loop || loop->code != OP_for || total->type->rank == 0 ||
        !value_const_int(loop->operands[FOR_LO], &low) || low != 0)
        return;
    const Value *rounds = number_of_launch(loop->operands[FOR_HI]);
    const Op *sum = opt_last(loop->regions[0])->operands[total->index]->def;
    for (int i = 0; rounds && rounds != by && sum && sum->code == OP_add && i < 2; i++) {
        const Value *mask = mean_mask_of(sum->operands[1 - i], DEEPEST);
        if (sum->operands[i] == loop->regions[0]->args[1 + total->index] && mask &&
            compares_with(mask, by, DEEPEST) && !compares_with(mask, rounds, DEEPEST))
            tell_warn(s, op, "divide by how many rounds there are",
                      "this divides what the rounds of a loop have added up by the number of "
                      "lanes that the mask lets through, and not by that of rounds");
        const Op *load = ir_uncast(sum->operands[1 - i])->def;
        if (sum->operands[i] == loop->regions[0]->args[1 + total->index] && !mask && load &&
            load->code == OP_load &&
            goes_by(load->operands[LOAD_PTR], loop->regions[0]->args[0], by, DEEPEST))
            tell_warn(s, op, "divide by how many rounds there are",
                      "this divides what the rounds of a loop have added up by how far they are "
                      "apart, and not by how many there are");
    }
}

/* What is multiplied with itself, or has lost its sign. */
static const Value *bare_square(const Value *v)
{
    const Op *op = ir_uncast(v)->def;
    bool squares = op && op->code == OP_mul && ir_same(op->operands[0], op->operands[1], DEEPEST);

    return squares || (op && op->code == OP_abs) ? op->operands[0] : v;
}

/* tl.sum(acc, axis) / BLOCK, where each round of a loop adds the next tile along that axis */
static void look_at_tiles(const Suspect *s, const Op *op, const Op *sum)
{
    const Value *total = ir_uncast(sum->operands[0]);
    const Op *loop = total->def, *added;

    if (!loop || loop->code != OP_for)
        return;
    added = opt_last(loop->regions[0])->operands[total->index]->def;
    for (int i = 0; added && added->code == OP_add && i < 2; i++) {
        const Op *load = ir_uncast(bare_square(added->operands[1 - i]))->def;
        if (added->operands[i] != loop->regions[0]->args[1 + total->index] || !load ||
            !op_only_reads(load))
            continue;
        const Value *p = load->operands[ir_access(load).pointer];
        const Value *index = axis_march(p, loop);
        if (index && tell_is_along(p, (int)attr_axis(sum), index, DEEPEST))
            tell_warn(s, op, "divide by how many there are in all: tl.sum(..) / n",
                      "this divides what all rounds have added up by the %d lanes of the tile "
                      "of one",
                      sum->operands[0]->type->dims[attr_axis(sum)]);
    }
}

/* --- the mean by lanes that a loop has counted --- */

/* What round i of a loop adds to a total that begins with 0; NULL: it is none. */
static const Value *added_by(const Op *loop, int i)
{
    const Op *sum = opt_last(loop->regions[0])->operands[i]->def;
    uint64_t bits;

    if (!value_constant(loop->operands[FOR_BOUNDS + i], &bits) || bits != 0)
        return NULL;
    for (int k = 0; sum && sum->code == OP_add && k < 2; k++) {
        if (sum->operands[k] == loop->regions[0]->args[1 + i])
            return sum->operands[1 - k];
    }
    return NULL;
}

/* count += BLOCK in each round, beside total += tl.load(.., mask=c < n, other=0.0) */
static void look_at_count(const Suspect *s, const Op *op)
{
    const Value *count = ir_bare(op->operands[1]), *total = ir_bare(op->operands[0]);
    const Op *loop = count->def;
    int64_t lanes;

    if (total->def && ir_reduces(total->def) && total->def->noperands == 1)
        total = ir_bare(total->def->operands[0]);
    if (!loop || loop->code != OP_for || total->def != loop)
        return;
    const Value *one = added_by(loop, count->index), *all = added_by(loop, total->index);
    if (!one || !all || !value_const_int(one, &lanes) || lanes < 2)
        return;
    if (all->def && ir_reduces(all->def) && all->def->noperands == 1)
        all = all->def->operands[0];
    const Value *mask = mean_mask_of(all, DEEPEST);
    if (mask && mask->type->rank > 0 && type_numel(mask->type) == lanes &&
        tell_is_moved(mask, loop, DEEPEST))
        tell_warn(s, op, "divide by how many there are, or count those: tl.sum(mask, 0)",
                  "this divides what a loop has added up by all lanes of its tiles, and the "
                  "mask of the load leaves some of the last one out");
}

/* acc / 4 of acc += tl.load(..) in range(3): a mean by one too many, or too few */
static void look_at_few(const Suspect *s, const Op *op)
{
    const Value *total = ir_bare(op->operands[0]), *added;
    const Op *loop = total->def;
    uint64_t bits, trips;

    if (op->code != OP_div || !loop || loop->code != OP_for || total->type->rank == 0 ||
        !value_constant(ir_bare(op->operands[1]), &bits) || !opt_trip_count(loop, &trips))
        return;
    double by = scalar_to_double(ir_bare(op->operands[1])->type->dtype, bits);
    added = added_by(loop, total->index);
    if (!added || !ir_bare(added)->def || !op_only_reads(ir_bare(added)->def) || trips < 2 ||
        fabs(by - (double)trips) != 1)
        return;
    tell_warn(s, op, "divide by how many rounds there are, or let the loop make as many",
              "this divides by %g what %llu rounds of a loop have loaded and added up", by,
              (unsigned long long)trips);
}

/* --- a sum of rows and columns, divided by the rows --- */

bool mean_is_same(const Value *a, const Value *b)
{
    return ir_same(ir_bare(a), ir_bare(b), DEEPEST);
}

/* tl.sum(v) / h of a v that is loaded under i < h * w */
static void look_at_factor(const Suspect *s, const Op *op)
{
    const Op *sum = ir_bare(op->operands[0])->def;
    Value *bound = NULL;

    if (!sum || !ir_reduces(sum) || sum->noperands != 1 || ir_combine_code(sum) != OP_add)
        return;
    const Value *mask = mean_mask_of(sum->operands[0], DEEPEST);
    if (!mask || !type_same_shape(mask->type, sum->operands[0]->type) ||
        !mean_compared_along(mask, attr_axis(sum), DEEPEST, &bound))
        return;
    const Op *all = ir_bare(bound)->def;
    for (int i = 0; all && all->code == OP_mul && i < 2; i++) {
        if (!number_of_launch(op->operands[1]) ||
            !mean_is_same(all->operands[i], op->operands[1]) ||
            mean_is_same(all->operands[1 - i], op->operands[1]))
            continue;
        tell_warn(s, op, "divide by the product, as the mask has it",
                  "this divides a sum by one factor of how many there are: the mask compares "
                  "with a product");
        return;
    }
}

/* --- a sum divided by what n was rounded up to --- */

/* tl.cdiv(n, B) * B */
static bool is_rounded_up(const Value *v)
{
    const Op *op = ir_bare(v)->def;
    int64_t by, size, more;

    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        const Op *tiles = ir_bare(op->operands[1 - i])->def;
        const Op *sum = tiles && tiles->code == OP_div ? ir_bare(tiles->operands[0])->def : NULL;
        if (sum && value_const_int(ir_bare(op->operands[i]), &size) && size > 1 &&
            value_const_int(ir_bare(tiles->operands[1]), &by) && by == size &&
            (sum->code == OP_add || sum->code == OP_sub) &&
            (value_const_int(ir_bare(sum->operands[1]), &more) ||
             value_const_int(ir_bare(sum->operands[0]), &more)))
            return true;
    }
    return false;
}

static bool sums_masked(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (!op || depth == 0)
        return false;
    if (op->code == OP_for)
        return sums_masked(opt_last(op->regions[0])->operands[ir_bare(v)->index], depth - 1);
    if (ir_reduces(op))
        return op->noperands == 1 && ir_combine_code(op) == OP_add &&
               (mean_mask_of(op->operands[0], DEEPEST) || sums_masked(op->operands[0], depth - 1));
    return op->code == OP_add &&
           (sums_masked(op->operands[0], depth - 1) || sums_masked(op->operands[1], depth - 1));
}

static void look_at_rounded(const Suspect *s, const Op *op)
{
    if (is_rounded_up(op->operands[1]) && sums_masked(op->operands[0], DEEPEST))
        tell_warn(s, op, "divide by how many there are, n",
                  "this divides a sum by how many lanes all tiles have, and a mask leaves some "
                  "of the last one out");
}

/* --- a sum divided by how many programs there are --- */

/* tl.sum(tl.load(x + i, mask=i < n)) / tl.num_programs(0), where i goes on by tiles */
static void look_at_programs(const Suspect *s, const Op *op)
{
    const Op *by = ir_bare(op->operands[1])->def, *sum = ir_bare(op->operands[0])->def;
    int64_t step;

    if (!by || by->code != OP_num_programs || !sum || !ir_reduces(sum) || sum->noperands != 1 ||
        ir_combine_code(sum) != OP_add || sum->results[0]->type->rank > 0)
        return;
    const Op *load = ir_uncast(sum->operands[0])->def;
    if (!load || load->code != OP_load || !op_operand(load, LOAD_MASK))
        return;
    const Value *index = axis_program_march(load->operands[LOAD_PTR], attr_axis(by), &step);
    const Value *of = mean_limited_along(op_operand(load, LOAD_MASK), attr_axis(sum), DEEPEST);
    if (index && of && index != of && step == index->type->dims[0])
        tell_warn(s, op, "divide by how many elements there are, n",
                  "this divides a sum of elements by how many programs there are, each of which "
                  "has %lld of them",
                  (long long)step);
}

/* --- a sum along a row divided by the number of rows --- */

/* tl.sum(v, axis=1) / BM, or / m, where the mask is rows < m and columns < n */
static void look_at_other_axis(const Suspect *s, const Op *op)
{
    const Op *sum = ir_bare(op->operands[0])->def;
    const Type *t = sum && ir_reduces(sum) && sum->noperands == 1 ? sum->operands[0]->type : NULL;
    const Value *mask = t && t->rank == 2 && ir_combine_code(sum) == OP_add
                            ? mean_mask_of(sum->operands[0], DEEPEST)
                            : NULL;
    const Value *by = ir_bare(op->operands[1]);
    Value *bound = NULL, *other_bound = NULL;
    uint64_t bits;

    if (!mask || !type_same_shape(mask->type, t))
        return;
    int axis = (int)attr_axis(sum);
    if (!mean_compared_along(mask, axis, DEEPEST, &bound) || mean_is_same(bound, by) ||
        value_constant(ir_bare(bound), &bits))
        return;
    bool is_lanes = value_constant(by, &bits) && t->dims[axis] != t->dims[1 - axis] &&
                    scalar_to_double(by->type->dtype, bits) == t->dims[1 - axis];
    bool is_other = number_of_launch(by) &&
                    mean_compared_along(mask, 1 - axis, DEEPEST, &other_bound) &&
                    mean_is_same(other_bound, by);
    if (is_lanes || is_other)
        tell_warn(s, op, "divide by the number that the mask compares the index of this axis with",
                  "this divides a sum along axis %d by how many there are along axis %d", axis,
                  1 - axis);
}

/* --- told at once --- */

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;
    const Op *sum = mean_divided_sum(op);
    const Value *mask = sum ? mean_mask_of(sum->operands[0], DEEPEST) : NULL;

    look_at_rounds(s, op);
    if (op->code == OP_div) {
        look_at_count(s, op);
        look_at_few(s, op);
        look_at_other_axis(s, op);
        look_at_factor(s, op);
        look_at_programs(s, op);
        look_at_rounded(s, op);
    }
    if (sum)
        look_at_tiles(s, op, sum);
    if (!mask || !type_same_shape(mask->type, sum->operands[0]->type))
        return;
    const Value *index = mean_limited_along(mask, attr_axis(sum), DEEPEST);
    if (index && mean_range_of(index))
        tell_warn(s, op, "divide by how many there are: tl.sum(..) / n",
                  "this divides a sum by the %d lanes of its tile, some of which the mask of "
                  "the load leaves out",
                  sum->operands[0]->type->dims[attr_axis(sum)]);
}

void suspect_mean(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
