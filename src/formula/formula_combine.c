/*
 * formula_combine.c - functions that associative_scan and reduce cannot combine by
 *
 * What they give is the same in any order only where f(f(a, b), c) is f(a, f(b, c)).  A blend,
 * 0.5 * a + 0.5 * b, a difference, or a * decay + b is not: the result follows from how a device
 * splits a tile, and is none of the recurrence that was meant.  So a function of single numbers is
 * tried with some triples, which are small and not below 0, as a function may ask of its numbers;
 * those that are not computed from their arguments alone are passed over.
 */
#include <math.h>

#include "formula.h"

enum { MOST_WORK = 400, MOST_OPERANDS = 4, NUMBERS = 5 };

/* A function, or region, with its arguments. */
typedef struct {
    const Block *body;
    uint64_t args[2];
    int *work; /* ops that may still be evaluated */
} Frame;

static bool evaluate(const Frame *f, const Value *v, uint64_t *out);

static bool evaluate_call(const Frame *f, const Op *op, uint64_t *out)
{
    const Block *body = op->callee ? op->callee->body : NULL;
    const Op *end = body ? opt_last(body) : NULL;
    Frame inner = {body, {0}, f->work};

    if (!end || end->code != OP_return || op->noperands != 2 || op->nresults != 1)
        return false;
    return evaluate(f, op->operands[0], &inner.args[0]) &&
           evaluate(f, op->operands[1], &inner.args[1]) && evaluate(&inner, end->operands[0], out);
}

static bool evaluate(const Frame *f, const Value *v, uint64_t *out)
{
    const Op *op = v->def;
    uint64_t at[MOST_OPERANDS] = {0};
    const void *src[MOST_OPERANDS] = {0};

    if (!op && v->block == f->body && v->index < 2) {
        *out = f->args[v->index];
        return true;
    }
    if (!op || v->type->rank > 0 || --*f->work < 0)
        return false;
    if (value_constant(v, out))
        return true;
    if (op->code == OP_call)
        return evaluate_call(f, op, out);
    if (!op_has(op, FOLDS) || op->noperands < 1 || op->noperands > MOST_OPERANDS)
        return false;
    for (int i = 0; i < op->noperands; i++) {
        src[i] = &at[i];
        if (!evaluate(f, op->operands[i], &at[i]))
            return false;
    }
    *out = 0;
    return scalar_apply(op->code, op->attrs, op->operands[op->code == OP_select]->type->dtype,
                        v->type->dtype, src, out, 1);
}

static bool combine(const Op *op, uint64_t a, uint64_t b, uint64_t *out)
{
    const Op *end = opt_last(op->regions[0]);
    int work = MOST_WORK;
    const Frame f = {op->regions[0], {a, b}, &work};

    return evaluate(&f, end->operands[0], out);
}

/* Do two numbers differ by more than rounding explains? */
static bool differ(DType t, double a, double b)
{
    double share = dtype_is_float(t) ? fmax(1e-4, ldexp(4, -dtype_mantissa_bits(t))) : 0;

    return isfinite(a) && isfinite(b) && fabs(a - b) > share * (fabs(a) + fabs(b));
}

static bool is_associative(const Op *op)
{
    static const double floats[NUMBERS] = {0.25, 1.0, 2.5, 3.0, 0.5},
                        ints[NUMBERS] = {1, 2, 4, 3, 5};
    DType t = op->operands[0]->type->dtype;
    const double *numbers = dtype_is_float(t) ? floats : ints;
    int others = 0;

    for (int i = 0; i < NUMBERS; i++) {
        uint64_t a = scalar_from_double(t, numbers[i]);
        uint64_t b = scalar_from_double(t, numbers[(i + 1) % NUMBERS]);
        uint64_t c = scalar_from_double(t, numbers[(i + 2) % NUMBERS]);
        uint64_t ab, bc, left, right;
        if (!combine(op, a, b, &ab) || !combine(op, ab, c, &left) || !combine(op, b, c, &bc) ||
            !combine(op, a, bc, &right))
            return true;
        others += differ(t, scalar_to_double(t, left), scalar_to_double(t, right));
    }
    return others < NUMBERS - 1;
}

static bool combines_numbers(const Op *op)
{
    const Type *t = op->noperands == 1 ? op->operands[0]->type : NULL;

    return (op->code == OP_scan || op->code == OP_reduce) && t && !t->pointer &&
           t->handle == HANDLE_NONE && t->dtype != DT_I1 && ir_combine_code(op) == OP_COUNT;
}

static void look_at(Op *op, void *suspect)
{
    if (!combines_numbers(op) || is_associative(op))
        return;
    tell_warn(suspect, op,
              "a recurrence h = a * h + x is a scan of pairs, (a1 * a2, a2 * x1 + x2); what has "
              "no such form is a loop",
              "the function that this combines by is not associative: f(f(a, b), c) is another "
              "number than f(a, f(b, c)), and which of them counts is not said");
}

void formula_combine(const Suspect *s)
{
    if (tell_any(s, combines_numbers))
        ir_walk(s->func->body, look_at, (void *)s);
}
