/*
 * math.c - exp, log, sin, ... and rounding to a side become sequences of primitive ops
 *
 * math_expand replaces every APPROX op that the target does not have by ops that all targets have.
 * So this is the vector math library of every target, and it is the same function everywhere.
 * The expansions themselves are in math_exp.c, math_log.c, math_trig.c, math_arc.c, math_hyper.c,
 * math_erf.c, math_pow.c, math_root.c and math_toward.c; docs/accuracy.md has the measured errors.
 *
 * All of them keep these rules:
 *
 *  1. No tables in memory: lookup8 has eight entries of 32 bits, which one register holds and one
 *     instruction of AVX2 looks up.  Cases are computed side by side and selected.  m_usually()
 *     says of a select that its second arm is for rare operands; targets may branch around it.
 *  2. No op that a vector unit lacks: AVX2 has no conversion between 64-bit integers and floats,
 *     no arithmetic shift and no product of them.  Exponents are read and made by integer adds,
 *     logical shifts, and by adding 1.5 * 2^mantissa, which leaves the nearest integer in the low
 *     bits of the sum.  ldexp is one instruction only on AVX-512, so it is not used.
 *  3. Results are right over the whole range of the format: NaN stays NaN, infinities, overflow,
 *     subnormal operands and results, and the sign of zero.  2^n is multiplied in as two factors
 *     where one would leave the range.
 *  4. Bounds are minnan and maxnan with a constant: they keep NaN, and cost one instruction.
 *  5. fma is one rounding on every target, and the reductions rely on that.
 *  6. fp32 may compute in fp64 where that replaces a longer double-single sequence; fp16, bf16 and
 *     fp8 pass through fp32 and round once at the end.
 *
 * The methods are the classical ones: W. Cody and W. Waite, Software Manual for the Elementary
 * Functions (1980); J.-M. Muller, Elementary Functions (3rd ed., 2016); T. J. Dekker, A floating-
 * point technique for extending the available precision (1971).  Polynomials are minimax
 * approximations of our own: tools/minimax.py derives every table and prints its error.
 */
#include "math.h"

/* --- the makers that math.h promises --- */

static const Format formats[PRECISIONS] = {
    [SINGLE] = {.real = DT_FP32,
                .bits = DT_U32,
                .mantissa = 23,
                .bias = 127,
                .one = 0x3f800000,
                .fields = 0xff800000,
                .smallest = 0x1p-126,
                .integers = 0x1p23,
                .tiny = 0x1p-25,
                .raise = 0x1p24},
    [DOUBLE] = {.real = DT_FP64,
                .bits = DT_U64,
                .mantissa = 52,
                .bias = 1023,
                .one = 0x3ff0000000000000,
                .fields = 0xfff0000000000000,
                .smallest = 0x1p-1022,
                .integers = 0x1p52,
                .tiny = 0x1p-54,
                .raise = 0x1p53},
};

const Format *m_format(const Math *m)
{
    return &formats[m->precise];
}

Value *m_num(Math *m, double v)
{
    return build_float(&m->b, type_with_dtype(m->b.module, m->shape, m_format(m)->real), v);
}

Value *m_int(Math *m, uint64_t v)
{
    return build_const(&m->b, type_with_dtype(m->b.module, m->shape, m_format(m)->bits), v);
}

Value *m_to_bits(Math *m, Value *x)
{
    return build_bitcast(&m->b, x, m_format(m)->bits);
}

Value *m_from_bits(Math *m, Value *bits)
{
    return build_bitcast(&m->b, bits, m_format(m)->real);
}

static Value *horner(Math *m, Value *x, const double *c, int n)
{
    Value *sum = K(c[n - 1]);

    for (int i = n - 2; i >= 0; i--)
        sum = m_fma(m, sum, x, K(c[i]));
    return sum;
}

/* Long ones in two chains, for half the latency: c0 + x (low + x^k high).  Not even and odd
 * degrees, whose sums would cancel where signs alternate.  The largest term comes last, alone. */
Value *m_poly(Math *m, Value *x, const Poly *p)
{
    if (p->n <= 8)
        return horner(m, x, p->c, p->n);
    int k = p->n <= 12 ? 4 : 8;
    Value *power = x;
    for (int i = 1; i < k; i *= 2)
        power = m_mul(m, power, power);
    Value *low = horner(m, x, p->c + 1, k);
    Value *high = horner(m, x, p->c + 1 + k, p->n - 1 - k);
    return m_fma(m, m_fma(m, power, high, low), x, K(p->c[0]));
}

Value *m_clamp(Math *m, Value *x, double low, double high)
{
    return m_minnan(m, m_maxnan(m, x, K(low)), K(high));
}

Value *m_keep_unbounded(Math *m, Value *v, Value *y)
{
    return m_select(m, m_lt(m, v, K(__builtin_inf())), y, v);
}

Value *m_keep_tiny(Math *m, Value *x, Value *y)
{
    return m_select(m, m_lt(m, m_abs(m, x), K(m_format(m)->tiny)), x, y);
}

/* A scalar takes the arm that is always right: nobody waits for one number.  So does a target that
 * would compute both. */
Value *m_usually(Math *m, Value *c, Value *x, Value *y)
{
    return m->shape->rank == 0 || m->straight ? y : build_usually(&m->b, c, x, y);
}

Math m_double(const Math *m)
{
    Math wide = *m;

    wide.precise = DOUBLE;
    return wide;
}

Value *m_cast(Math *m, Value *x)
{
    return build_cast(&m->b, x, m_format(m)->real, ROUND_NEAREST);
}

/* --- the pass --- */

typedef struct {
    Value *(*unary)(Math *m, Value *x);
    Value *(*binary)(Math *m, Value *x, Value *y);
} Expansion;

/* clang-format off */
static const Expansion expansions[OP_COUNT] = {
    [OP_rsqrt] = {.unary = math_rsqrt},
    [OP_exp]   = {.unary = math_exp},    [OP_exp2]  = {.unary = math_exp2},
    [OP_exp10] = {.unary = math_exp10},  [OP_expm1] = {.unary = math_expm1},
    [OP_log]   = {.unary = math_log},    [OP_log2]  = {.unary = math_log2},
    [OP_log10] = {.unary = math_log10},  [OP_log1p] = {.unary = math_log1p},
    [OP_sin]   = {.unary = math_sin},    [OP_cos]   = {.unary = math_cos},
    [OP_tan]   = {.unary = math_tan},    [OP_atan]  = {.unary = math_atan},
    [OP_asin]  = {.unary = math_asin},   [OP_acos]  = {.unary = math_acos},
    [OP_sinh]  = {.unary = math_sinh},   [OP_cosh]  = {.unary = math_cosh},
    [OP_tanh]  = {.unary = math_tanh},   [OP_asinh] = {.unary = math_asinh},
    [OP_acosh] = {.unary = math_acosh},  [OP_atanh] = {.unary = math_atanh},
    [OP_erf]   = {.unary = math_erf},    [OP_erfc]  = {.unary = math_erfc},
    [OP_cbrt]  = {.unary = math_cbrt},   [OP_pow]   = {.binary = math_pow},
    [OP_atan2] = {.binary = math_atan2}, [OP_hypot] = {.binary = math_hypot},
};
/* clang-format on */

/* Functions of fp32 that the target has stay, and arithmetic of fp64. */
/* What the target has itself. */
typedef struct {
    const bool *native;
    bool straight;
    const bool *large;
} Native;

static bool stays(const Native *o, const Op *op, DType dtype)
{
    return o->native && o->native[op->code] && (dtype == DT_FP32 || op_has(op, TOWARD));
}

/* fp64 to fp32 toward zero is what targets do themselves, as of the smaller floats. */
static bool rounds_to_side(const Op *op)
{
    if (op->code != OP_cast || attr_rounding(op) == ROUND_NEAREST)
        return false;
    const Type *from = op->operands[0]->type;
    return dtype_is_int(from->dtype) || attr_rounding(op) != ROUND_TO_ZERO;
}

static Value *expand_function(Op *op, const Native *o, bool large)
{
    const Expansion *e = &expansions[op->code];
    Value *x = op->operands[0];
    Value *y = op->noperands > 1 ? op->operands[1] : NULL;
    DType given = x->type->dtype;
    Math m = {builder_before(op), x->type, given == DT_FP64 ? DOUBLE : SINGLE, o->straight, large};
    bool small = dtype_is_small_float(given);

    if (small)
        x = m_cast(&m, x);
    if (small && y)
        y = m_cast(&m, y);
    Value *result = NULL;
    if (stays(o, op, x->type->dtype))
        result = y ? build_binary(&m.b, op->code, x, y) : build_unary(&m.b, op->code, x);
    else
        result = y ? e->binary(&m, x, y) : e->unary(&m, x);
    return small ? build_cast(&m.b, result, given, ROUND_NEAREST) : result;
}

/* In the precision of the result. */
static void expand_rounding(Op *op)
{
    const Type *to = op->results[0]->type;
    Math m = {builder_before(op), to, to->dtype == DT_FP64 ? DOUBLE : SINGLE, false, false};

    op->results[0]->repl = op_has(op, TOWARD) ? math_toward(&m, op) : math_cast_toward(&m, op);
    op_remove(op);
}

static void visit_function(Op *op, void *ctx)
{
    const Native *o = ctx;
    const Expansion *e = &expansions[op->code];
    bool large = e->unary && o->large && o->large[op->operands[0]->id];

    ir_resolve_operands(op);
    if (rounds_to_side(op) || (op_has(op, TOWARD) && !stays(o, op, op->operands[0]->type->dtype))) {
        expand_rounding(op);
        return;
    }
    if ((!e->unary && !e->binary) || stays(o, op, op->operands[0]->type->dtype))
        return;
    op->results[0]->repl = expand_function(op, o, large);
    op_remove(op);
}

void math_expand(Func *f, const bool *native, bool straight, const bool *large)
{
    Native o = {native, straight, large};

    ir_walk(f->body, visit_function, &o);
}
