/*
 * plain.c - what rules of single ops put together, as a person would write it
 *
 *     tl.where(c, x, 0.0) + tl.where(c, 0.0, y)      tl.where(c, x, y)
 *     x + -y * z, -y + x                             x - y * z, x - y
 *     x * 0.5 / y * 2.0, x * -0.5 / y * 2.0          x / y, -x / y
 *     -x / y beside x / y                            -(x / y), which is divided once
 *     x + y + y + y                                  x + y * 3.0
 *     tl.where(x != 0.0, x * y, 0.0)                 x * y, of a y that is finite where masks leave
 *                                                    lanes out
 *     columns >= 0                                   true, of what counts from 0 on
 *     row + (1 - i) + (i - 1)                        row
 *     trans(dot(trans(x), y))                        dot(trans(y), x)
 *     tl.where(i == 1, x, y)                         tl.where(i == 0, y, x), of two indices
 *
 * The last is one form for what is split and joined, which the source then says (../grad_print/).
 * Runs last, when equal values are merged.
 */
#include <math.h>

#include "../opt_target/opt_target.h"
#include "gather.h"
#include "windows.h"

enum { MOST_DEPTH = 8, SHALLOW = 5 };

typedef struct {
    const Grad *g;
    UseLists uses;
    bool changed;
} Plain;

static bool is_used_once(const Plain *p, const Value *v)
{
    return uses_count(&p->uses, v) == 1;
}

bool gather_is_first_of_two(const Value *mask)
{
    const int axis = mask->type->rank - 1;
    const Op *eq;
    int64_t at;

    while (opt_made_by(mask, OP_broadcast) && mask->def->operands[0]->type->dims[axis] == 2)
        mask = mask->def->operands[0];
    eq = opt_made_by(mask, OP_eq);
    return axis >= 0 && mask->type->dims[axis] == 2 && eq &&
           value_const_int(eq->operands[1], &at) && at == 0 && opt_is_index(eq->operands[0], axis);
}

/* The mask of the first of two indices, if this is that of the second; NULL. */
static Value *first_of_two(Builder *b, Value *mask)
{
    const int axis = mask->type->rank - 1;
    const Op *op = mask->def;
    int64_t at;

    if (!op || axis < 0 || mask->type->dims[axis] != 2)
        return NULL;
    if (op->code == OP_broadcast) {
        Value *first = first_of_two(b, op->operands[0]);
        return first ? build_broadcast(b, first, mask->type) : NULL;
    }
    if (op->code != OP_eq || !value_const_int(op->operands[1], &at) || at != 1 ||
        !opt_is_index(op->operands[0], axis))
        return NULL;
    return build_binary(b, OP_eq, op->operands[0], build_int(b, op->operands[0]->type, 0));
}

/* Is it 0 where x is, in lanes that masks leave out, too? */
static bool is_zero_with(const Plain *p, const Value *v, const Value *x)
{
    const Op *op = v->def;

    if (v == x || (op && op->code == OP_neg))
        return v == x || is_zero_with(p, op->operands[0], x);
    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        if (is_zero_with(p, op->operands[i], x))
            return grad_is_finite_left_out(p->g, op->operands[1 - i]);
    }
    return false;
}

static Value *plain_select(const Plain *p, Op *op)
{
    const Op *guard = opt_made_by(op->operands[0], OP_ne);
    Builder b = builder_before(op);

    if (guard && grad_is_number(guard->operands[1], 0) && grad_is_number(op->operands[2], 0) &&
        is_zero_with(p, op->operands[1], guard->operands[0]))
        return op->operands[1];
    Value *first = first_of_two(&b, op->operands[0]);
    return first ? build_select(&b, first, op->operands[2], op->operands[1]) : NULL;
}

/* where(c, x, 0) + where(c, 0, y) */
static Value *either_of(Op *sum, const Op *x, const Op *y)
{
    if (!x || !y || x->operands[0] != y->operands[0] || !grad_is_number(x->operands[2], 0) ||
        !grad_is_number(y->operands[1], 0))
        return NULL;
    Builder b = builder_before(sum);
    return build_select(&b, x->operands[0], x->operands[1], y->operands[2]);
}

static bool is_spread(const Op *op)
{
    return op->code == OP_splat || op->code == OP_broadcast || op->code == OP_expand;
}

/* Of -y * z and -y / z that nobody else reads, maybe times more, without the sign; NULL. */
static Value *without_sign(const Plain *p, Builder *b, Value *v, int depth)
{
    Op *op = v->def;

    if (!op || depth == 0 || (op->code != OP_mul && op->code != OP_div && !is_spread(op)) ||
        !is_used_once(p, v))
        return NULL;
    const Op *neg = is_spread(op) ? NULL : opt_made_by(op->operands[0], OP_neg);
    Value *first = neg ? neg->operands[0] : without_sign(p, b, op->operands[0], depth - 1);
    Value *operands[2] = {first, op->noperands > 1 ? op->operands[1] : NULL};
    return !first
               ? NULL
               : build_op(b, op->code, op->noperands, operands, op->nattrs, op->attrs, 1, &v->type)
                     ->results[0];
}

/* x + y * z for x - -y * z */
static Value *plain_less(const Plain *p, Op *op)
{
    Builder b = builder_before(op);
    Value *more = dtype_is_float(op->results[0]->type->dtype)
                      ? without_sign(p, &b, op->operands[1], MOST_DEPTH)
                      : NULL;

    return more ? build_binary(&b, OP_add, op->operands[0], more) : NULL;
}

/* x for 0 + x, whatever sign a zero of x has. */
static Value *plain_without_zero(const Op *op)
{
    for (int i = 0; i < 2; i++) {
        uint64_t bits;
        if (dtype_is_float(op->results[0]->type->dtype) && value_constant(op->operands[i], &bits) &&
            scalar_to_double(op->results[0]->type->dtype, bits) == 0)
            return op->operands[1 - i];
    }
    return NULL;
}

static bool is_factor(const Value *v, double *out)
{
    uint64_t bits;

    if (!value_constant(v, &bits) || !dtype_is_float(v->type->dtype))
        return false;
    *out = scalar_to_double(v->type->dtype, bits);
    return *out != 0 && isfinite(*out);
}

/* 2 and 0.5; as well as numbers of that type can be, ln(2) and log2(e). */
static bool make_one(const Value *v, double a, double b)
{
    const double slack = v->type->dtype == DT_FP32   ? 0x1p-23
                         : v->type->dtype == DT_FP64 ? 0x1p-51
                                                     : 0;

    return fabs(a * b - 1) <= slack;
}

/* The product of both is what multiplying by one after the other gives. */
static bool is_exact(double a, double b)
{
    int exponent;

    return fabs(frexp(a, &exponent)) == 0.5 || fabs(frexp(b, &exponent)) == 0.5;
}

/* x times that; by -1 and 1 without multiplying. */
static Value *times(Builder *b, Value *x, double by)
{
    return by == 1    ? x
           : by == -1 ? build_unary(b, OP_neg, x)
                      : build_binary(b, OP_mul, x, build_float(b, x->type, by));
}

/* v times the factor, where it is multiplied by a number already, and nobody else reads it; NULL:
 * it is not. */
static Value *with_factor(const Plain *p, Builder *b, Value *v, double factor, int depth)
{
    const Op *op = v->def;
    double by;

    if (!op || depth == 0 || !is_used_once(p, v))
        return NULL;
    for (int i = 0; op->code == OP_mul && i < 2; i++) {
        if (!is_factor(op->operands[i], &by))
            continue;
        if (make_one(v, by, factor))
            return op->operands[1 - i];
        return is_exact(by, factor) ? times(b, op->operands[1 - i], by * factor) : NULL;
    }
    if (op->code != OP_mul && op->code != OP_div && op->code != OP_neg && !is_spread(op))
        return NULL;
    for (int i = 0; i < (op->code == OP_mul ? 2 : 1); i++) {
        Value *operands[2] = {op->operands[0], op->noperands > 1 ? op->operands[1] : NULL};
        operands[i] = with_factor(p, b, op->operands[i], factor, depth - 1);
        if (operands[i])
            return build_op(b, op->code, op->noperands, operands, op->nattrs, op->attrs, 1,
                            &v->type)
                ->results[0];
    }
    return NULL;
}

/* -(x / y) for -x / y, where x / y is needed, too. */
static Value *plain_quotient(const Plain *p, Op *op)
{
    const Op *neg = opt_made_by(op->operands[0], OP_neg);
    Value *x = neg ? neg->operands[0] : NULL, *y = op->operands[1];
    Builder b = builder_before(op);

    for (int i = 0; x && i < uses_count(&p->uses, y); i++) {
        const Op *other = uses_of(&p->uses, y)[i].op;
        if (other->code == OP_div && other->block == op->block && other->operands[0] == x)
            return build_unary(&b, OP_neg, build_binary(&b, OP_div, x, y));
    }
    return NULL;
}

/* Twice a half, ln(2) times log2(e). */
static Value *plain_product(const Plain *p, Op *op)
{
    Builder b = builder_before(op);
    double by;

    if (!is_factor(op->operands[1], &by) || by == 1)
        return NULL;
    return with_factor(p, &b, op->operands[0], by, MOST_DEPTH);
}

/* What v is so many times, a small number, maybe once. */
static Value *times_of(const Plain *p, Value *v, double *by)
{
    const Op *op = opt_made_by(v, OP_mul);
    const bool is_times = op && is_used_once(p, v) && is_factor(op->operands[1], by) &&
                          *by == floor(*by) && *by > 0 && *by < MOST_DEPTH;

    *by = is_times ? *by : 1;
    return is_times ? op->operands[0] : v;
}

/* y * 3 for y * 2 + y, x + y * 2 for x + y + y. */
static Value *plain_times(const Plain *p, Op *op)
{
    double by, more;
    Value *y = times_of(p, op->operands[1], &by);
    const Op *before = opt_made_by(op->operands[0], OP_add);
    Builder b = builder_before(op);

    if (times_of(p, op->operands[0], &more) == y)
        return times(&b, y, by + more);
    if (!before || !is_used_once(p, before->results[0]) ||
        times_of(p, before->operands[1], &more) != y)
        return NULL;
    return build_binary(&b, OP_add, before->operands[0], times(&b, y, by + more));
}

static Value *plain_sum(const Plain *p, Op *op)
{
    Value *x = op->operands[0], *y = op->operands[1];
    const Op *left = opt_made_by(x, OP_select), *right = opt_made_by(y, OP_select);
    Value *either = either_of(op, left, right);
    Builder b = builder_before(op);

    either = either ? either : either_of(op, right, left);
    if (either || !dtype_is_float(x->type->dtype))
        return either;
    Value *more = plain_times(p, op);
    if (more)
        return more;
    if (opt_made_by(x, OP_neg))
        return build_binary(&b, OP_sub, y, x->def->operands[0]);
    Value *less = without_sign(p, &b, y, MOST_DEPTH);
    if (less)
        return build_binary(&b, OP_sub, x, less);
    less = without_sign(p, &b, x, MOST_DEPTH);
    return less ? build_binary(&b, OP_sub, y, less) : NULL;
}

static bool counts_from_zero(const Value *v)
{
    const Op *op = v->def, *loop = op ? NULL : v->block->owner;
    int64_t n;

    if (value_const_int(v, &n))
        return n >= 0;
    if (loop && loop->code == OP_for && v->index == 0)
        return counts_from_zero(loop->operands[FOR_LO]) &&
               value_const_int(loop->operands[FOR_STEP], &n) && n > 0;
    switch (op ? op->code : OP_COUNT) {
    case OP_program_id:
    case OP_num_programs:
        return true;
    case OP_arange:
        return attr_start(op) >= 0;
    case OP_splat:
    case OP_broadcast:
    case OP_expand:
    case OP_rem: /* which has the sign of what is divided */
        return counts_from_zero(op->operands[0]);
    case OP_add:
    case OP_mul:
        return counts_from_zero(op->operands[0]) && counts_from_zero(op->operands[1]);
    default:
        return false;
    }
}

static Value *plain_comparison(Op *op)
{
    int64_t n;

    if (!opt_is_int(op->operands[0]) || !value_const_int(op->operands[1], &n) || n != 0 ||
        !counts_from_zero(op->operands[0]))
        return NULL;
    Builder b = builder_before(op);
    return build_int(&b, op->results[0]->type, 1);
}

/* What v is added up from, if that is it already, as all else cancels; NULL. */
static Value *what_remains(const Value *v, Value *part, const Poly *all, int depth)
{
    const Op *op = part->def;
    PolyScope scope = {0};
    Poly p;

    if (part != v && part->type == v->type && poly_of(&scope, part, window_sides, &p) &&
        poly_equal(&p, all))
        return part;
    for (int i = 0; op && depth > 0 && i < op->noperands; i++) {
        if (op->code != OP_add && op->code != OP_sub && op->code != OP_splat &&
            op->code != OP_broadcast)
            return NULL;
        Value *found = what_remains(v, op->operands[i], all, depth - 1);
        if (found)
            return found;
    }
    return NULL;
}

/* x - y for -1 * y + x. */
static Value *plain_difference(Op *op)
{
    for (int i = 0; i < 2 && op->code == OP_add; i++) {
        const Op *times = opt_made_by(op->operands[i], OP_mul);
        int64_t n;
        if (!times || !value_const_int(times->operands[1], &n) || n != -1)
            continue;
        Builder b = builder_before(op);
        return build_binary(&b, OP_sub, op->operands[1 - i], times->operands[0]);
    }
    return NULL;
}

/* x[:, None] for (x + 1)[:, None] - 1. */
static Value *plain_shift(Op *op)
{
    const Op *spread = op->operands[0]->def;
    const Op *sum = spread && is_spread(spread) ? spread->operands[0]->def : NULL;
    int64_t by, before;

    if (!sum || (sum->code != OP_add && sum->code != OP_sub) ||
        !value_const_int(op->operands[1], &by) || !value_const_int(sum->operands[1], &before) ||
        (op->code == sum->code ? by + before : by - before) != 0)
        return NULL;
    Builder b = builder_before(op);
    return build_op(&b, spread->code, 1, &sum->operands[0], spread->nattrs, spread->attrs, 1,
                    &op->results[0]->type)
        ->results[0];
}

static Value *plain_number(Op *op)
{
    Value *v = op->results[0], *shifted = plain_shift(op);
    Value *less = shifted ? shifted : plain_difference(op);
    PolyScope scope = {0};
    Poly all;

    if (less)
        return less;
    if (!opt_is_int(v) || v->type->dtype == DT_I1 || !poly_of(&scope, v, window_sides, &all) ||
        all.count > 2)
        return NULL;
    return what_remains(v, v, &all, SHALLOW);
}

/* dot(trans(y), x) for trans(dot(trans(x), y)). */
static Value *plain_transposed(const Plain *p, Op *op)
{
    static const int turned[2] = {1, 0};
    const Op *dot = opt_made_by(op->operands[0], OP_dot);
    uint64_t bits;

    if (!dot || op->results[0]->type->rank != 2 || op->attrs[0] != 1 ||
        !is_used_once(p, dot->results[0]) || !value_constant(dot->operands[2], &bits) || bits != 0)
        return NULL;
    const Op *x = opt_made_by(dot->operands[0], OP_permute);
    const Op *y = opt_made_by(dot->operands[1], OP_permute);
    if (!x && !y)
        return NULL;
    Builder b = builder_before(op);
    Value *operands[3];
    operands[0] = y ? y->operands[0] : build_permute(&b, dot->operands[1], turned);
    operands[1] = x ? x->operands[0] : build_permute(&b, dot->operands[0], turned);
    operands[2] = build_float(&b, op->results[0]->type, 0);
    return build_op(&b, OP_dot, 3, operands, dot->nattrs, dot->attrs, 1, &op->results[0]->type)
        ->results[0];
}

static void look_at(Op *op, void *plain)
{
    Plain *p = plain;
    Value *rest = op->code == OP_add ? plain_without_zero(op) : NULL;
    Value *made = rest                                               ? rest
                  : op->code == OP_select                            ? plain_select(p, op)
                  : op->code == OP_add && opt_is_int(op->results[0]) ? plain_number(op)
                  : op->code == OP_sub && opt_is_int(op->results[0]) ? plain_number(op)
                  : op->code == OP_sub                               ? plain_less(p, op)
                  : op->code == OP_add                               ? plain_sum(p, op)
                  : op->code == OP_mul                               ? plain_product(p, op)
                  : op->code == OP_div                               ? plain_quotient(p, op)
                  : op->code == OP_ge                                ? plain_comparison(op)
                  : op->code == OP_permute                           ? plain_transposed(p, op)
                                                                     : NULL;

    if (!made)
        return;
    const bool may_be_named = !rest || is_used_once(p, rest);
    if (!made->name && made->def && made->def->code != OP_const && may_be_named)
        made->name = op->results[0]->name;
    value_shaped_like(op->block->func->module, made, op->results[0]);
    op->results[0]->repl = made;
    p->changed = true;
}

/* What reads a tile as well where it is written as what it was spread from. */
static bool are_elementwise(const UseLists *uses, const Value *v)
{
    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *op = uses_of(uses, v)[i].op;
        if (op->code != OP_store && op->code != OP_select && !op_is_elementwise(op))
            return false;
    }
    return true;
}

/* What is spread has the name, and is spread by what reads it: d_total / n for a tile of it. */
static void name_before_spread(Op *op, void *plain)
{
    const Plain *p = plain;
    Value *v = op->nresults == 1 ? op->results[0] : NULL;

    if ((op->code != OP_splat && op->code != OP_broadcast) || !v->name || !op->operands[0]->def ||
        op->operands[0]->def->code == OP_const || !are_elementwise(&p->uses, v))
        return;
    if (!op->operands[0]->name)
        op->operands[0]->name = v->name;
    v->name = NULL;
}

bool gather_write_plainly(Grad *g, Diags *d)
{
    static const char *const passes[] = {"fold", "cse", "dce"};
    Plain p = {.changed = true};

    for (int round = 0; round < MOST_DEPTH && p.changed; round++) {
        p = (Plain){.g = g, .uses = ir_uses(g->func, g->arena)};
        ir_walk(g->func->body, look_at, &p);
        opt_resolve_all(g->func->body);
        for (int i = 0; i < COUNT(passes) && p.changed; i++) {
            if (!opt_run_pass(g->func->module, passes[i], d))
                return false;
        }
    }
    p.uses = ir_uses(g->func, g->arena);
    ir_walk(g->func->body, name_before_spread, &p);
    return true;
}
