/*
 * rules_math.c - adjoints of functions, each the derivative as books of analysis have it
 *
 * Written with the result where that is cheaper, and so that no finite gradient becomes 0 * inf
 * where it need not.  x is the operand, r the result, d the gradient of r.
 */
#include <math.h>

#include "../opt/opt.h"
#include "grad.h"

#define X grad_value(g, o->operands[0])
#define Y grad_value(g, o->operands[1])
#define R grad_value(g, o->results[0])
#define TWO(op, x, y) two(g, op, (build_hold(&g->b, y), x))
#define MUL(x, y) TWO(OP_mul, x, y)
#define DIV(x, y) TWO(OP_div, x, y)
#define ADD(x, y) TWO(OP_add, x, y)
#define SUB(x, y) TWO(OP_sub, x, y)
#define CALL(op, x) build_unary(&g->b, OP_##op, x)
#define NEG(x) grad_negated(g, x)
#define TIMES(x, n) grad_scaled(g, x, n)
#define NUMBER(n) grad_number(g, o->operands[0], n)
#define ADJOINT(name, formula)                                                                     \
    Value *adjoint_##name(Grad *g, const Op *o, int i, Value *d)                                   \
    {                                                                                              \
        (void)i;                                                                                   \
        return formula;                                                                            \
    }

/* Operands are made from the last one on, see build_hold(). */
static Value *two(Grad *g, OpCode code, Value *x)
{
    return grad_binary(g, code, x, build_held(&g->b));
}

static Value *square(Grad *g, Value *x)
{
    return MUL(x, x);
}

/* clang-format off */
ADJOINT( sqrt,  DIV(TIMES(d, 0.5), R) )
ADJOINT( rsqrt, TIMES(MUL(d, MUL(R, square(g, R))), -0.5) )
ADJOINT( exp,   grad_times_result(g, o, d) )
ADJOINT( exp2,  TIMES(grad_times_result(g, o, d), M_LN2) )
ADJOINT( exp10, TIMES(MUL(d, R), M_LN10) )
ADJOINT( expm1, MUL(d, ADD(R, NUMBER(1))) )
ADJOINT( log,   DIV(d, X) )
ADJOINT( log2,  DIV(TIMES(d, M_LOG2E), X) )
ADJOINT( log10, DIV(TIMES(d, M_LOG10E), X) )
ADJOINT( log1p, DIV(d, ADD(X, NUMBER(1))) )
ADJOINT( sin,   MUL(d, CALL(cos, X)) )
ADJOINT( cos,   NEG(MUL(d, CALL(sin, X))) )
ADJOINT( tan,   MUL(d, ADD(square(g, R), NUMBER(1))) )
ADJOINT( asin,  DIV(d, CALL(sqrt, SUB(NUMBER(1), square(g, X)))) )
ADJOINT( acos,  NEG(DIV(d, CALL(sqrt, SUB(NUMBER(1), square(g, X))))) )
ADJOINT( atan,  DIV(d, ADD(square(g, X), NUMBER(1))) )
ADJOINT( sinh,  MUL(d, CALL(cosh, X)) )
ADJOINT( cosh,  MUL(d, CALL(sinh, X)) )
ADJOINT( tanh,  MUL(d, SUB(NUMBER(1), square(g, R))) )
ADJOINT( asinh, DIV(d, CALL(sqrt, ADD(square(g, X), NUMBER(1)))) )
ADJOINT( acosh, DIV(d, CALL(sqrt, SUB(square(g, X), NUMBER(1)))) )
ADJOINT( atanh, DIV(d, SUB(NUMBER(1), square(g, X))) )
ADJOINT( erf,   TIMES(MUL(d, CALL(exp, NEG(square(g, X)))), M_2_SQRTPI) )
ADJOINT( erfc,  TIMES(MUL(d, CALL(exp, NEG(square(g, X)))), -M_2_SQRTPI) )
ADJOINT( cbrt,  DIV(d, TIMES(square(g, R), 3)) )
ADJOINT( hypot, DIV(MUL(d, grad_value(g, o->operands[i])), R) )
/* clang-format on */

/* y x^(y - 1), which is 0 for y = 0 at x = 0, too; r log x, 0 at x = 0 for y >= 0: as PyTorch. */
Value *adjoint_pow(Grad *g, const Op *o, int i, Value *d)
{
    Value *zero = NUMBER(0), *slope, *flat;

    if (i == 0) {
        Value *power = build_binary(&g->b, OP_pow, X, SUB(Y, NUMBER(1)));
        slope = MUL(MUL(d, Y), power);
        flat = build_binary(&g->b, OP_eq, Y, zero);
    } else {
        slope = MUL(MUL(d, R), CALL(log, X));
        Value *not_below = build_binary(&g->b, OP_ge, Y, zero);
        flat = build_binary(&g->b, OP_and, build_binary(&g->b, OP_eq, X, zero), not_below);
    }
    return build_select(&g->b, flat, zero, slope);
}

/* Of atan2(x, y): d y / (x^2 + y^2), -d x / (x^2 + y^2). */
Value *adjoint_atan2(Grad *g, const Op *o, int i, Value *d)
{
    Value *length = ADD(square(g, X), square(g, Y));

    return i == 0 ? DIV(MUL(d, Y), length) : NEG(DIV(MUL(d, X), length));
}

static bool is_one(const Value *v)
{
    uint64_t bits;

    return value_constant(v, &bits) && scalar_to_double(v->type->dtype, bits) == 1;
}

bool grad_logistic(Grad *g, const Op *o, Value *d)
{
    if (o->code != OP_div || !is_one(o->operands[0]))
        return false;
    const Op *sum = opt_made_by(o->operands[1], OP_add);
    if (!sum)
        return false;
    const Op *exp = opt_made_by(sum->operands[is_one(sum->operands[0])], OP_exp);
    if (!exp || !is_one(sum->operands[!is_one(sum->operands[0])]))
        return false;
    Value *slope = MUL(R, SUB(NUMBER(1), R)); /* r = 1 / (1 + e^z): dr/dz = -r (1 - r) */
    grad_add(g, exp->operands[0], NEG(MUL(d, slope)));
    return true;
}
