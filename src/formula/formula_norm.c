/*
 * formula_norm.c - norms and variances whose parts do not belong together
 *
 *   - the mean of squares less the mean: of a variance it is the square of the mean;
 *   - tl.rsqrt(x) + eps, where eps was to keep x from 0;
 *   - x times the root of the variance of x - mean, with a mean that nobody subtracts from what is
 *     scaled;
 *   - x / tl.sum(x * x), where a norm is the root of that;
 *   - x times the root of the mean of squares of x + y, as of a residual that was to be scaled,
 * too;
 *   - the mean of squares less the square of a sum by n, which is divided once too little;
 *   - tl.sum(x * x) + tl.sum(y * y) - tl.dot(x, y), a distance without its 2;
 *   - tl.sum(x * y) / (tl.sum(x * x) * tl.sum(y * y)), for a cosine;
 *   - a running mean of x by a running mean of x * x, as of a gradient, without a root;
 *   - the mean of a column of which each program has some rows only, where it has whole rows;
 *   - x - tl.sum(x), which is a mean without its division, or a factor that stands outside of the
 *     parentheses.
 *
 * Sums may be those of a row, or what a loop has added up.
 */
#include "formula.h"

#include <math.h>

enum { DEEPEST = 16, SAME_DEPTH = 8 };

/* --- parts of a formula --- */

/* The same for all lanes, and known before anything is loaded: a constant or a number of the
 * launch. */
bool norm_is_given(const Value *v)
{
    uint64_t bits;

    v = ir_bare(v);
    /* 1 - t, groups * width */
    if (v->def && (v->def->code == OP_sub || v->def->code == OP_mul) && v->type->rank == 0)
        return norm_is_given(v->def->operands[0]) && norm_is_given(v->def->operands[1]);
    return value_constant(v, &bits) ||
           (!v->def && v->type->rank == 0 && v->block->owner == NULL && !v->type->pointer);
}

/* What it is without casts, and without a choice of 0 for lanes that are not there. */
const Value *norm_element(const Value *v)
{
    const Op *op = ir_bare(v)->def;
    uint64_t bits;

    if (op && op->code == OP_select && value_constant(op->operands[2], &bits) &&
        scalar_to_double(op->operands[2]->type->dtype, bits) == 0)
        return ir_bare(op->operands[1]);
    return ir_bare(v);
}

/* As ir_same(), of sums and products in either order. */
static bool is_same_turned(const Value *a, const Value *b, int depth)
{
    const Op *x = a->def, *y = b->def;

    if (ir_same(a, b, depth))
        return true;
    return depth > 0 && x && y && x->code == y->code && op_has(x, COMMUTES) && x->noperands == 2 &&
           a->type == b->type &&
           is_same_turned(norm_element(x->operands[0]), norm_element(y->operands[1]), depth / 2) &&
           is_same_turned(norm_element(x->operands[1]), norm_element(y->operands[0]), depth / 2);
}

bool norm_is_same(const Value *a, const Value *b)
{
    return is_same_turned(norm_element(a), norm_element(b), SAME_DEPTH);
}

/* x of x * x; NULL: it is no square. */
const Value *norm_squared(const Value *v)
{
    const Op *op = norm_element(v)->def;

    if (!op || op->code != OP_mul || !norm_is_same(op->operands[0], op->operands[1]))
        return NULL;
    return norm_element(op->operands[0]);
}

/* What a loop adds to its result in each round; NULL: it is none. */
static const Value *added_by_loop(const Value *v)
{
    const Op *loop = v->def, *sum;

    if (!loop || loop->code != OP_for)
        return NULL;
    sum = opt_last(loop->regions[0])->operands[v->index]->def;
    for (int i = 0; sum && sum->code == OP_add && i < 2; i++) {
        if (sum->operands[i] == loop->regions[0]->args[1 + v->index])
            return sum->operands[1 - i];
    }
    return NULL;
}

/* The tile whose elements it sums up; NULL: it is no sum. */
const Value *norm_summed(const Value *v)
{
    const Value *more;
    const Op *op;

    v = ir_bare(v);
    more = added_by_loop(v);
    if (more)
        v = ir_bare(more);
    op = v->def;
    if (!ir_reduces(op) || op->noperands != 1 || ir_combine_code(op) != OP_add)
        return more && more->type->rank > 0 ? norm_element(more) : NULL;
    v = ir_bare(op->operands[0]);
    more = added_by_loop(v);
    return norm_element(more ? more : v);
}

/* The sum of which it is a given part, as a mean is; *part: whether it is less than the whole. */
const Value *norm_sum_of(const Value *v, bool *part)
{
    const Op *op = ir_bare(v)->def;

    if (op && op->code == OP_div && norm_is_given(op->operands[1])) {
        *part = true;
        return norm_sum_of(op->operands[0], part);
    }
    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        if (!norm_is_given(op->operands[i]))
            continue;
        *part = true;
        return norm_sum_of(op->operands[1 - i], part);
    }
    return norm_summed(v) ? ir_bare(v) : NULL;
}

/* .. the tile that is summed up */
static const Value *summed_in(const Value *v, bool *part)
{
    const Value *sum = norm_sum_of(v, part);

    return sum ? norm_summed(sum) : NULL;
}

/* Without what keeps it from 0. */
const Value *norm_without_eps(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    for (int i = 0; op && (op->code == OP_add || op->code == OP_max) && i < 2; i++) {
        if (norm_is_given(op->operands[i]))
            return op->operands[1 - i];
    }
    return v;
}

/* What it is the root of, by which something is divided; NULL: nothing. */
static const Value *under_root(const Value *v)
{
    const Op *op = ir_bare(v)->def, *root;
    uint64_t bits;

    if (op && op->code == OP_rsqrt)
        return op->operands[0];
    if (!op || op->code != OP_div || !value_constant(op->operands[0], &bits) ||
        scalar_to_double(op->operands[0]->type->dtype, bits) != 1)
        return NULL;
    root = ir_bare(norm_without_eps(op->operands[1]))->def;
    return root && root->code == OP_sqrt ? root->operands[0] : NULL;
}

/* --- what is looked for --- */

static void look_at_variance(const Suspect *s, const Op *op)
{
    bool of_squares = false, of_elements = false;
    const Value *squares = summed_in(op->operands[0], &of_squares);
    const Value *elements = squares ? summed_in(op->operands[1], &of_elements) : NULL;
    const Value *x = elements && of_squares && of_elements ? norm_squared(squares) : NULL;

    if (x && norm_is_same(x, elements))
        tell_warn(s, op, "mean of x * x - mean * mean",
                  "this is the mean of squares less the mean: for a variance it is less the "
                  "square of the mean");
}

/* q / n - s * s / n */
static void look_at_square(const Suspect *s, const Op *op)
{
    bool part = false, divided = false;
    const Value *squares = summed_in(op->operands[0], &part);
    const Op *quotient = ir_bare(op->operands[1])->def;
    const Op *square = quotient && quotient->code == OP_div && norm_is_given(quotient->operands[1])
                           ? ir_bare(quotient->operands[0])->def
                           : NULL;

    if (!squares || !part || !norm_squared(squares) || !square || square->code != OP_mul ||
        ir_bare(square->operands[0]) != ir_bare(square->operands[1]))
        return;
    const Value *elements = summed_in(square->operands[0], &divided);
    if (elements && !divided && norm_is_same(elements, norm_squared(squares)))
        tell_warn(s, op, "mean of x * x - mean * mean, of mean = sum / n",
                  "the square of a sum is divided once here, and belongs to a mean that is "
                  "squared");
}

static void look_at_eps(const Suspect *s, const Op *op)
{
    uint64_t bits;

    for (int i = 0; i < 2; i++) {
        const Value *eps = op->operands[1 - i];
        bool is_small = norm_is_given(eps);
        if (value_constant(ir_bare(eps), &bits)) {
            double c = scalar_to_double(ir_bare(eps)->type->dtype, bits);
            is_small = c > 0 && c < 0.01;
        }
        const Op *root = ir_bare(op->operands[i])->def;
        if (is_small && under_root(op->operands[i]) && root &&
            (root->code == OP_rsqrt || under_root(root->results[0])))
            tell_warn(s, op, "tl.rsqrt(x + eps), or 1 / (tl.sqrt(x) + eps)",
                      "what is added to a quotient by a root does not keep it from being "
                      "infinite");
    }
}

/* Does nobody compute with it but to take that difference? */
static bool is_only_subtracted(const Suspect *s, const Value *v, const Op *difference, int depth)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *user = uses_of(uses, v)[i].op;
        bool moves = op_has(user, MOVES) || user->code == OP_cast;
        if (user == difference || user->code == OP_store)
            continue;
        if (!moves || depth == 0 || !is_only_subtracted(s, user->results[0], difference, depth - 1))
            return false;
    }
    return true;
}

/* x * rstd, or x / std, of the variance of x - mean */
static void look_at_scaled(const Suspect *s, const Op *op, const Value *x, const Value *variance)
{
    bool part;
    const Value *squares = summed_in(norm_without_eps(variance), &part);
    const Value *centred = squares ? norm_squared(squares) : NULL;
    const Op *difference = centred ? centred->def : NULL;

    for (int i = 0; difference && difference->code == OP_add && i < 2; i++) {
        if (norm_element(x)->type->rank > 0 &&
            norm_element(difference->operands[i]) == norm_element(x))
            tell_warn(s, op, "scale the sum, of which the norm is",
                      "this scales by the norm of a sum one of its summands alone");
    }
    if (!difference || difference->code != OP_sub || norm_element(x)->type->rank == 0 ||
        norm_element(x) != norm_element(difference->operands[0]))
        return;
    const Value *mean = ir_bare(difference->operands[1]);
    const Value *sum = norm_sum_of(mean, &part);
    if (sum && norm_element(norm_summed(sum)) == norm_element(x) &&
        is_only_subtracted(s, mean, difference, 8))
        tell_warn(s, op, "(x - mean) * rstd",
                  "this scales by a deviation from the mean what no mean was subtracted from");
}

/* r * r of the root r: what it is the root of. */
static const Value *without_root(const Value *v)
{
    const Value *root = norm_squared(v);

    return root && root->def && root->def->code == OP_sqrt ? root->def->operands[0] : v;
}

static void look_at_norm(const Suspect *s, const Op *op)
{
    const Value *x = norm_element(op->operands[0]);
    bool part = false;
    const Value *squares = summed_in(without_root(norm_without_eps(op->operands[1])), &part);
    const Value *of = squares ? norm_squared(squares) : NULL;

    if (of && x->type->rank > 0 && norm_is_same(x, of))
        tell_warn(s, op, "x / tl.sqrt(tl.sum(x * x)), or x * tl.rsqrt(..)",
                  "this divides by a %s of squares, and not by its root", part ? "mean" : "sum");
}

static bool is_sum_of_squares(const Value *v)
{
    bool part;
    const Value *squares = summed_in(norm_without_eps(v), &part);

    return squares && norm_squared(squares);
}

static void look_at_cosine(const Suspect *s, const Op *op)
{
    bool part;
    const Value *products = summed_in(op->operands[0], &part);
    const Op *product = products ? products->def : NULL;
    const Op *norms = ir_bare(norm_without_eps(op->operands[1]))->def;

    if (product && product->code == OP_mul && norms && norms->code == OP_mul &&
        is_sum_of_squares(norms->operands[0]) && is_sum_of_squares(norms->operands[1]))
        tell_warn(s, op, "tl.sum(x * y) / tl.sqrt(tl.sum(x * x) * tl.sum(y * y))",
                  "this divides a product by the squares of both lengths, and not by the "
                  "lengths");
}

/* |x|^2 + |y|^2 - x * y */
static void look_at_distance(const Suspect *s, const Op *op)
{
    const Op *both = ir_bare(op->operands[0])->def, *product = ir_bare(op->operands[1])->def;

    if (both && product && product->code == OP_dot && both->code == OP_add &&
        is_sum_of_squares(both->operands[0]) && is_sum_of_squares(both->operands[1]))
        tell_warn(s, op, "x * x + y * y - 2 * x * y",
                  "the square of a difference has the product twice");
}

/* Factors of a product that are not given; false: there are more than two. */
static bool factors_of(const Value *v, const Value *out[2], int *n, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (norm_is_given(v))
        return true;
    if (op && op->code == OP_mul && depth > 0)
        return factors_of(op->operands[0], out, n, depth - 1) &&
               factors_of(op->operands[1], out, n, depth - 1);
    if (op && op->code == OP_div && depth > 0 && norm_is_given(op->operands[1]))
        return factors_of(op->operands[0], out, n, depth - 1);
    if (*n == 2)
        return false;
    out[(*n)++] = norm_element(v);
    return true;
}

static bool is_loaded(const Value *v)
{
    return v->def && op_only_reads(v->def) && v->type->rank > 0;
}

/* The loaded x, the one that is wanted if that is not NULL, of a sum of x times something given, to
 * that power, and of what was loaded elsewhere; NULL: it is no such sum. */
static const Value *in_running_mean(const Value *v, int power, const Value *wanted)
{
    const Op *op = ir_bare(v)->def;

    if (op && op->code == OP_add) {
        for (int i = 0; i < 2; i++) {
            const Value *new[2], *old[2];
            int nnew = 0, nold = 0;
            if (factors_of(op->operands[i], new, &nnew, SAME_DEPTH) && nnew == power &&
                new[0] == new[power - 1] && is_loaded(new[0]) && (!wanted || new[0] == wanted) &&
                factors_of(op->operands[1 - i], old, &nold, SAME_DEPTH) && nold == 1 &&
                is_loaded(old[0]) && old[0] != new[0])
                return new[0];
        }
        return NULL;
    }
    for (int i = 0; op && (op->code == OP_mul || op->code == OP_div) && i < 2; i++) {
        if (norm_is_given(op->operands[1 - i]) && (op->code == OP_mul || i == 0))
            return in_running_mean(op->operands[i], power, wanted);
    }
    return NULL;
}

static void look_at_moments(const Suspect *s, const Op *op)
{
    const Value *x = in_running_mean(norm_without_eps(op->operands[1]), 2, NULL);

    if (x && in_running_mean(op->operands[0], 1, x))
        tell_warn(s, op, "mean / (tl.sqrt(mean of squares) + eps)",
                  "this divides a running mean by one of squares, and not by its root");
}

/* The root of v = b * v + (1 - b) * g */
static void look_at_root(const Suspect *s, const Op *op)
{
    if (in_running_mean(norm_without_eps(op->operands[0]), 1, NULL))
        tell_warn(s, op, "v = b * v + (1 - b) * g * g for a mean of squares",
                  "this is the root of a running mean of what was loaded, which may be less than "
                  "0, and not of its squares");
}

/* The sum that is subtracted, as it is or among others that are: x - (tl.sum(x) + y). */
static const Op *subtracted_sum(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def, *sum = NULL;

    if (ir_reduces(op) && op->noperands == 1 && ir_combine_code(op) == OP_add)
        return op;
    for (int i = 0; op && op->code == OP_add && depth > 0 && i < 2 && !sum; i++)
        sum = subtracted_sum(op->operands[i], depth - 1);
    return sum;
}

static void look_at_sum(const Suspect *s, const Op *op)
{
    const Op *sum = subtracted_sum(op->operands[1], 2);
    const Value *x = ir_bare(op->operands[0]);

    if (!sum || x->type->rank == 0 || !dtype_is_float(x->type->dtype) ||
        !is_same_turned(x, ir_bare(sum->operands[0]), SAME_DEPTH))
        return;
    if (x->def && x->def->code == OP_mul && ir_bare(op->operands[1])->def == sum)
        tell_warn(s, op, "p * (g - tl.sum(p * g)) for the gradient of a softmax",
                  "this is p * g less the sum of all p * g: the sum is not multiplied by p");
    else
        tell_warn(s, op, "x - tl.sum(x) / n subtracts the mean",
                  "this subtracts from each element the sum of all of them, and no mean");
}

/* x - tl.sum(x, 0) / n of whole rows, some a program */
static void look_at_column(const Suspect *s, const Op *op)
{
    bool part = false;
    const Value *sum = norm_sum_of(op->operands[1], &part);
    const Value *x = norm_element(op->operands[0]);

    if (sum && part && ir_reduces(sum->def) && x->type->rank == 2 &&
        norm_element(sum->def->operands[0]) == x && tell_is_shared_out(s, sum->def))
        tell_warn(s, sum->def, "the other axis, or a loop over all rows",
                  "this is the mean along axis %d, of which each program has a part only",
                  (int)attr_axis(sum->def));
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (op->nresults != 1 || !dtype_is_float(op->results[0]->type->dtype))
        return;
    if (op->code == OP_sub) {
        look_at_variance(s, op);
        look_at_square(s, op);
        look_at_distance(s, op);
        look_at_sum(s, op);
        look_at_column(s, op);
    }
    if (op->code == OP_add)
        look_at_eps(s, op);
    if (op->code == OP_sqrt || op->code == OP_rsqrt)
        look_at_root(s, op);
    for (int i = 0; op->code == OP_mul && i < 2; i++) {
        const Value *variance = under_root(op->operands[1 - i]);
        if (variance)
            look_at_scaled(s, op, op->operands[i], variance);
    }
    if (op->code == OP_div) {
        const Op *root = ir_bare(norm_without_eps(op->operands[1]))->def;
        look_at_norm(s, op);
        look_at_moments(s, op);
        look_at_cosine(s, op);
        if (root && root->code == OP_sqrt)
            look_at_scaled(s, op, op->operands[0], root->operands[0]);
    }
}

void formula_norm(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
