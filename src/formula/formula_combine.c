/*
 * formula_combine.c - functions that associative_scan and reduce cannot combine by
 *
 * What they give is the same in any order only where f(f(a, b), c) is f(a, f(b, c)).  A blend,
 * 0.5 * a + 0.5 * b, a difference, or a * decay + b is not: the result follows from how a device
 * splits a tile, and is none of the recurrence that was meant.  So a function of single numbers is
 * tried with some triples, which are small and not below 0, as a function may ask of its numbers;
 * those that are not computed from their arguments alone are passed over.
 *
 * So is one of several numbers, (a1 * a2, a2 * b1 + b2).  Some of these may be flags, so that it is
 * told only where triples of 0 and 1 differ, too.
 */
#include <math.h>

#include "formula.h"

enum { MOST_WORK = 400, MOST_OPERANDS = 4, NUMBERS = 5, FLAGS = 64 };

/* What there is of one element of a tile: a number of each operand. */
typedef struct {
    uint64_t at[MOST_OPERANDS];
} Element;

/* A function, or region, with its arguments. */
typedef struct {
    const Block *body;
    Element args[2];
    int n;     /* numbers of each */
    int *work; /* ops that may still be evaluated */
} Frame;

static bool evaluate(const Frame *f, const Value *v, uint64_t *out);

static bool evaluate_call(const Frame *f, const Op *op, int result, uint64_t *out)
{
    const Block *body = op->callee ? op->callee->body : NULL;
    const Op *end = body ? opt_last(body) : NULL;
    Frame inner = {.body = body, .n = op->noperands / 2, .work = f->work};

    if (!end || end->code != OP_return || op->noperands % 2 != 0 || inner.n > MOST_OPERANDS ||
        result >= end->noperands)
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (!evaluate(f, op->operands[i], &inner.args[i / inner.n].at[i % inner.n]))
            return false;
    }
    return evaluate(&inner, end->operands[result], out);
}

static bool evaluate(const Frame *f, const Value *v, uint64_t *out)
{
    const Op *op = v->def;
    uint64_t at[MOST_OPERANDS] = {0};
    const void *src[MOST_OPERANDS] = {0};

    if (!op && v->block == f->body && v->index < 2 * f->n) {
        *out = f->args[v->index / f->n].at[v->index % f->n];
        return true;
    }
    if (!op || v->type->rank > 0 || --*f->work < 0)
        return false;
    if (value_constant(v, out))
        return true;
    if (op->code == OP_call)
        return evaluate_call(f, op, v->index, out);
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

static bool combine(const Op *op, const Element *a, const Element *b, Element *out)
{
    const Op *end = opt_last(op->regions[0]);
    int work = MOST_WORK;
    const Frame f = {op->regions[0], {*a, *b}, op->noperands, &work};

    for (int i = 0; i < f.n; i++) {
        if (!evaluate(&f, end->operands[i], &out->at[i]))
            return false;
    }
    return true;
}

/* Do two numbers differ by more than rounding explains? */
static bool differ(DType t, double a, double b)
{
    double share = dtype_is_float(t) ? fmax(1e-4, ldexp(4, -dtype_mantissa_bits(t))) : 0;

    return isfinite(a) && isfinite(b) && fabs(a - b) > share * (fabs(a) + fabs(b));
}

typedef enum { SAME, OTHER, UNKNOWN } Outcome;

/* f(f(a, b), c) beside f(a, f(b, c)) */
static Outcome try_out(const Op *op, const Element abc[3])
{
    Element ab, bc, left, right;

    if (!combine(op, &abc[0], &abc[1], &ab) || !combine(op, &ab, &abc[2], &left) ||
        !combine(op, &abc[1], &abc[2], &bc) || !combine(op, &abc[0], &bc, &right))
        return UNKNOWN;
    for (int i = 0; i < op->noperands; i++) {
        DType t = op->operands[i]->type->dtype;
        if (differ(t, scalar_to_double(t, left.at[i]), scalar_to_double(t, right.at[i])))
            return OTHER;
    }
    return SAME;
}

/* Triple number `which` of small numbers. */
static void choose_numbers(const Op *op, int which, Element abc[3])
{
    static const double floats[NUMBERS] = {0.25, 1.0, 2.5, 3.0, 0.5},
                        ints[NUMBERS] = {1, 2, 4, 3, 5};

    for (int i = 0; i < 3 * op->noperands; i++) {
        DType t = op->operands[i / 3]->type->dtype;
        int at = (which + i % 3 + 2 * (i / 3)) % NUMBERS;
        double x = dtype_is_float(t) ? floats[at] : t == DT_I1 ? at % 2 : ints[at];
        abc[i % 3].at[i / 3] = scalar_from_double(t, x);
    }
}

/* .. of 0 and 1 */
static void choose_flags(const Op *op, int which, Element abc[3])
{
    const unsigned spread = 0x9e3779b1, high = 20; /* of a hash by multiplication */

    for (int i = 0; i < 3 * op->noperands; i++) {
        unsigned bits = ((unsigned)which + 1) * spread >> high;
        abc[i % 3].at[i / 3] =
            scalar_from_double(op->operands[i / 3]->type->dtype, bits >> (unsigned)i & 1);
    }
}

static bool is_associative(const Op *op)
{
    Element abc[3] = {0};
    int others = 0, flags = 0;

    for (int i = 0; i < NUMBERS; i++) {
        choose_numbers(op, i, abc);
        Outcome o = try_out(op, abc);
        if (o == UNKNOWN)
            return true;
        others += o == OTHER;
    }
    for (int i = 0; i < FLAGS && op->noperands > 1 && flags == 0; i++) {
        choose_flags(op, i, abc);
        flags += try_out(op, abc) == OTHER;
    }
    return others < NUMBERS - 1 || (op->noperands > 1 && flags == 0);
}

static bool combines_numbers(const Op *op)
{
    if ((op->code != OP_scan && op->code != OP_reduce) || op->noperands > MOST_OPERANDS)
        return false;
    for (int i = 0; i < op->noperands; i++) {
        const Type *t = op->operands[i]->type;
        if (t->pointer || t->handle != HANDLE_NONE || (op->noperands == 1 && t->dtype == DT_I1))
            return false;
    }
    return op->noperands == 1 ? ir_combine_code(op) == OP_COUNT
                              : ir_combine_kind(op).winner == OP_COUNT;
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
