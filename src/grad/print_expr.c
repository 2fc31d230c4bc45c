/*
 * print_expr.c - values as Python expressions
 *
 * What the lowering spelled out is left to the language again: a scalar beside a tile, and a
 * dimension of 1 beside a longer one, are written bare where another operand has the shape.
 */
#include <math.h>
#include <string.h>

#include "../opt/opt.h"
#include "print.h"

typedef struct {
    const char *text;
    Level level;
} Form;

/* Operators between two operands, and what is called by its name. */
static Form operator_of(const Op *op)
{
    bool is_float = dtype_is_float(op->operands[0]->type->dtype);

    switch (op->code) {
    case OP_addptr:
    case OP_add:
        return (Form){" + ", LEVEL_SUM};
    case OP_sub:
        return (Form){" - ", LEVEL_SUM};
    case OP_mul:
        return (Form){" * ", LEVEL_PRODUCT};
    case OP_div:
        return (Form){is_float ? " / " : " // ", LEVEL_PRODUCT};
    case OP_rem:
        return (Form){" % ", LEVEL_PRODUCT};
    case OP_and:
        return (Form){" & ", LEVEL_AND};
    case OP_or:
        return (Form){" | ", LEVEL_OR};
    case OP_xor:
        return (Form){" ^ ", LEVEL_XOR};
    case OP_shl:
        return (Form){" << ", LEVEL_SHIFT};
    case OP_shr:
        return (Form){" >> ", LEVEL_SHIFT};
    case OP_eq:
        return (Form){" == ", LEVEL_COMPARE};
    case OP_ne:
        return (Form){" != ", LEVEL_COMPARE};
    case OP_lt:
        return (Form){" < ", LEVEL_COMPARE};
    case OP_le:
        return (Form){" <= ", LEVEL_COMPARE};
    case OP_gt:
        return (Form){" > ", LEVEL_COMPARE};
    case OP_ge:
        return (Form){" >= ", LEVEL_COMPARE};
    default:
        return (Form){NULL, LEVEL_ANY};
    }
}

static const char *function_of(const Op *op)
{
    switch (op->code) {
    case OP_select:
        return "tl.where";
    case OP_min:
    case OP_minnan:
        return "tl.minimum";
    case OP_max:
    case OP_maxnan:
        return "tl.maximum";
    case OP_fma:
        return "tl.fma";
    case OP_mulhi:
        return "tl.umulhi";
#define IN_TL(name)                                                                                \
    case OP_##name:                                                                                \
        return "tl." #name;
        IN_TL(abs)
        IN_TL(exp)
        IN_TL(exp2)
        IN_TL(log)
        IN_TL(log2)
        IN_TL(sin)
        IN_TL(cos)
        IN_TL(sqrt)
        IN_TL(rsqrt)
        IN_TL(floor)
        IN_TL(ceil)
        IN_TL(erf)
#undef IN_TL
#define IN_LIBDEVICE(name)                                                                         \
    case OP_##name:                                                                                \
        return "libdevice." #name;
        IN_LIBDEVICE(trunc)
        IN_LIBDEVICE(rint)
        IN_LIBDEVICE(round)
        IN_LIBDEVICE(copysign)
        IN_LIBDEVICE(ldexp)
        IN_LIBDEVICE(exp10)
        IN_LIBDEVICE(expm1)
        IN_LIBDEVICE(log10)
        IN_LIBDEVICE(log1p)
        IN_LIBDEVICE(tan)
        IN_LIBDEVICE(asin)
        IN_LIBDEVICE(acos)
        IN_LIBDEVICE(atan)
        IN_LIBDEVICE(sinh)
        IN_LIBDEVICE(cosh)
        IN_LIBDEVICE(tanh)
        IN_LIBDEVICE(asinh)
        IN_LIBDEVICE(acosh)
        IN_LIBDEVICE(atanh)
        IN_LIBDEVICE(erfc)
        IN_LIBDEVICE(cbrt)
        IN_LIBDEVICE(pow)
        IN_LIBDEVICE(atan2)
        IN_LIBDEVICE(hypot)
#undef IN_LIBDEVICE
    default:
        return NULL;
    }
}

static const char *reduction_of(const Op *op)
{
    CombineKind how = ir_combine_kind(op);
    OpCode code = how.only ? how.only->code : OP_COUNT;

    if (op->code == OP_scan)
        return code == OP_add ? "tl.cumsum" : NULL;
    return code == OP_add ? "tl.sum" : code == OP_max ? "tl.max" : code == OP_min ? "tl.min" : NULL;
}

bool print_knows(const Op *op)
{
    switch (op->code) {
    case OP_const:
    case OP_program_id:
    case OP_num_programs:
    case OP_arange:
    case OP_splat:
    case OP_broadcast:
    case OP_expand:
    case OP_reshape:
    case OP_permute:
    case OP_neg:
    case OP_not:
    case OP_isnan:
    case OP_isinf:
    case OP_bitcast:
    case OP_hint:
    case OP_store:
    case OP_atomic_rmw:
    case OP_dot:
    case OP_for:
    case OP_while:
    case OP_if:
    case OP_condition:
    case OP_yield:
    case OP_return:
        return true;
    case OP_cast:
        return attr_rounding(op) == ROUND_NEAREST && !op->operands[0]->type->pointer;
    case OP_load:
        return !attr_volatile(op);
    case OP_reduce:
    case OP_scan:
        return op->noperands == 1 && reduction_of(op);
    default:
        return operator_of(op).text || function_of(op);
    }
}

bool print_is_inline(const Value *v)
{
    const Op *op = v->def;

    return op && (op->code == OP_const || op->code == OP_hint ||
                  (!v->name &&
                   (op->code == OP_splat || op->code == OP_broadcast || op->code == OP_expand)));
}

/* --- numbers and shapes --- */

/* May the source use it?  Names of constexpr parameters and operators, which Python has too. */
static bool knows_symbol(const Writer *p, const Symbol *s)
{
    if (s->code == SYMBOL_NUMBER)
        return true;
    if (s->code == SYMBOL_NAME) {
        for (int i = 0; i < p->g->wish->nparams; i++) {
            const GradParam *param = &p->g->wish->params[i];
            if (strcmp(param->name, s->name) == 0)
                return param->is_constexpr && param->value;
        }
        return false;
    }
    if (symbol_info(s->code)->level == 0 || !knows_symbol(p, s->operands[0]))
        return false;
    return symbol_info(s->code)->operands < 2 || knows_symbol(p, s->operands[1]);
}

static bool put_symbol(Writer *p, const Symbol *s, bool in_list)
{
    if (!s || s->code == SYMBOL_NUMBER || !knows_symbol(p, s))
        return false;
    bool bare = in_list || s->code == SYMBOL_NAME;
    text_put(&p->text, bare ? "" : "(");
    symbol_put(&p->text, s);
    text_put(&p->text, bare ? "" : ")");
    return true;
}

static void put_shape(Writer *p, const Value *v)
{
    text_put(&p->text, "[");
    for (int d = 0; d < v->type->rank; d++) {
        text_put(&p->text, d > 0 ? ", " : "");
        if (!put_symbol(p, value_extent(v, d), true))
            text_printf(&p->text, "%d", v->type->dims[d]);
    }
    text_put(&p->text, "]");
}

static void put_number(Writer *p, const Value *v, uint64_t bits, Level level)
{
    DType t = v->type->dtype;
    double real = dtype_is_float(t) ? scalar_to_double(t, bits) : 0;
    int64_t whole = dtype_is_float(t) ? 0 : scalar_to_int(t, bits);
    bool negative =
        dtype_is_float(t) ? signbit(real) && !isnan(real) : dtype_is_signed(t) && whole < 0;

    if (put_symbol(p, v->number, false))
        return;
    if (t == DT_I1) {
        text_put(&p->text, bits ? "True" : "False");
        return;
    }
    bool wrap = negative && level > LEVEL_SUM;
    text_put(&p->text, wrap ? "(" : "");
    if (isnan(real))
        text_put(&p->text, "float(\"nan\")");
    else if (isinf(real))
        text_printf(&p->text, "%sfloat(\"inf\")", negative ? "-" : "");
    else if (dtype_is_float(t))
        ir_put_constant(&p->text, type_scalar(p->g->func->module, t), bits);
    else if (dtype_is_signed(t))
        text_printf(&p->text, "%lld", (long long)whole);
    else
        text_printf(&p->text, "%llu", (unsigned long long)bits);
    text_put(&p->text, wrap ? ")" : "");
}

static void put_type(Writer *p, const Value *v)
{
    text_printf(&p->text, "tl.%s", dtype_long_name(v->type->dtype));
}

/* --- operands that broadcast --- */

/* What stands for it beside an operand that has the shape. */
static const Value *bare(const Writer *p, const Value *v)
{
    if (map_get(p->names, MAP_KEY(v)) || !v->def)
        return v;
    return v->def->code == OP_splat || v->def->code == OP_broadcast ? v->def->operands[0] : v;
}

static bool is_literal(const Writer *p, const Value *v)
{
    return !map_get(p->names, MAP_KEY(v)) && v->def && v->def->code == OP_const;
}

/* Do operands written bare make the shape of the whole among them, and one the type? */
static bool make_shape(const Writer *p, const Op *op, int first, int n, const Type *whole)
{
    bool typed = op->code == OP_addptr;

    for (int i = first; i < first + n; i++)
        typed |= op->operands[i]->type->dtype == op->operands[first + n - 1]->type->dtype &&
                 !is_literal(p, bare(p, op->operands[i])) && (op->code != OP_select || i > 0);
    for (int d = 0; d < whole->rank && typed; d++) {
        bool found = whole->dims[d] == 1 && whole->rank > 1;
        for (int i = first; i < first + n; i++) {
            const Value *v = bare(p, op->operands[i]);
            found |= !is_literal(p, v) && v->type->rank == whole->rank &&
                     v->type->dims[d] == whole->dims[d];
        }
        if (!found)
            return false;
    }
    return typed;
}

void put_bare(Writer *p, const Value *v, Level level)
{
    uint64_t bits;
    const Value *b = bare(p, v);

    if (is_literal(p, b) && value_constant(b, &bits))
        put_number(p, b, bits, level);
    else
        put_value(p, b, level);
}

void put_operands(Writer *p, const Op *op, int first, int n, const char *const *leads)
{
    const Value *whole = op->nresults > 0 ? op->results[0] : op->operands[0];
    bool bares = make_shape(p, op, first, n, whole->type);
    int kept = first; /* written in full where they do not make the shape */

    while (kept < first + n - 1 && is_literal(p, op->operands[kept]))
        kept++;
    if (op->code == OP_select && kept == 0)
        kept = is_literal(p, op->operands[1]) ? 2 : 1;
    for (int i = first; i < first + n; i++) {
        text_put(&p->text, leads[i - first]);
        if (i == kept && !bares)
            put_value(p, op->operands[i], LEVEL_ANY);
        else
            put_bare(p, op->operands[i], LEVEL_ANY);
    }
}

static void put_call(Writer *p, const Op *op, const char *name)
{
    static const char *const leads[] = {"", ", ", ", "};

    text_printf(&p->text, "%s(", name);
    put_operands(p, op, 0, op->noperands, leads);
    if (op->code == OP_minnan || op->code == OP_maxnan)
        text_put(&p->text, ", propagate_nan=tl.PropagateNan.ALL");
    text_put(&p->text, ")");
}

/* a - (b - c), but a + b + c where that is how it was computed. */
static void put_operator(Writer *p, const Op *op, Form form, Level level)
{
    bool wraps = form.level < level || (form.level == level && level == LEVEL_COMPARE);
    bool bares = make_shape(p, op, 0, 2, op->results[0]->type);
    bool second = !bares && is_literal(p, op->operands[0]);
    Level right = (Level)(form.level + 1), left = form.level == LEVEL_COMPARE ? right : form.level;

    text_put(&p->text, wraps ? "(" : "");
    (bares || second ? put_bare : put_value)(p, op->operands[0], left);
    text_put(&p->text, form.text);
    (bares || !second ? put_bare : put_value)(p, op->operands[1], right);
    text_put(&p->text, wraps ? ")" : "");
}

static OpCode opposite(OpCode code)
{
    switch (code) {
    case OP_eq:
        return OP_ne;
    case OP_ne:
        return OP_eq;
    case OP_lt:
        return OP_ge;
    case OP_ge:
        return OP_lt;
    case OP_gt:
        return OP_le;
    case OP_le:
        return OP_gt;
    default:
        return OP_COUNT;
    }
}

bool print_opposite(const Writer *p, const Value *condition)
{
    return !map_get(p->names, MAP_KEY(condition)) && condition->def &&
           opposite(condition->def->code) != OP_COUNT &&
           opt_is_int(condition->def->operands[0]); /* of a NaN both are false */
}

void put_opposite(Writer *p, const Value *condition)
{
    Op op = *condition->def;

    op.code = opposite(op.code);
    put_operator(p, &op, operator_of(&op), LEVEL_ANY);
}

static void put_unary(Writer *p, const char *sign, const Value *v, Level level)
{
    bool wraps = level > LEVEL_UNARY;

    text_printf(&p->text, "%s%s", wraps ? "(" : "", sign);
    put_value(p, v, LEVEL_UNARY);
    text_put(&p->text, wraps ? ")" : "");
}

/* --- single ops --- */

static void put_constant(Writer *p, const Value *v, Level level)
{
    uint64_t bits = 0;

    value_constant(v, &bits);
    if (v->type->rank == 0) {
        put_number(p, v, bits, level);
        return;
    }
    text_put(&p->text, bits == 0 ? "tl.zeros(" : "tl.full(");
    put_shape(p, v);
    text_put(&p->text, ", ");
    if (bits != 0) {
        put_number(p, v, bits, LEVEL_ANY);
        text_put(&p->text, ", ");
    }
    put_type(p, v);
    text_put(&p->text, ")");
}

static void put_arange(Writer *p, const Op *op)
{
    int64_t start = attr_start(op);

    text_printf(&p->text, "tl.arange(%lld, ", (long long)start);
    if (start != 0 || !put_symbol(p, value_extent(op->results[0], 0), true))
        text_printf(&p->text, "%lld", (long long)start + op->results[0]->type->dims[0]);
    text_put(&p->text, ")");
}

/* A scalar, or a dimension of 1, to the shape. */
static void put_spread(Writer *p, const Op *op)
{
    const Value *v = op->results[0];

    text_put(&p->text, "tl.broadcast_to(");
    put_value(p, op->operands[0], LEVEL_ANY);
    text_put(&p->text, ", ");
    put_shape(p, v);
    text_put(&p->text, ")");
}

static void put_expand(Writer *p, const Op *op)
{
    int axis = (int)attr_axis(op);

    if (op->operands[0]->type->rank == 1) {
        put_value(p, op->operands[0], LEVEL_ATOM);
        text_put(&p->text, axis == 0 ? "[None, :]" : "[:, None]");
        return;
    }
    text_put(&p->text, "tl.expand_dims(");
    put_value(p, op->operands[0], LEVEL_ANY);
    text_printf(&p->text, ", %d)", axis);
}

static void put_permute(Writer *p, const Op *op)
{
    int n;
    const int64_t *dims = attr_dims(op, &n);

    text_put(&p->text, n == 2 && dims[0] == 1 ? "tl.trans(" : "tl.permute(");
    put_value(p, op->operands[0], LEVEL_ANY);
    for (int i = 0; i < n && !(n == 2 && dims[0] == 1); i++)
        text_printf(&p->text, "%s%lld%s", i == 0 ? ", (" : ", ", (long long)dims[i],
                    i == n - 1 ? ")" : "");
    text_put(&p->text, ")");
}

static void put_along(Writer *p, const Op *op)
{
    text_printf(&p->text, "%s(", reduction_of(op));
    put_value(p, op->operands[0], LEVEL_ANY);
    text_printf(&p->text, ", axis=%d%s)", (int)attr_axis(op),
                op->code == OP_scan && attr_reverse(op) ? ", reverse=True" : "");
}

static void put_dot(Writer *p, const Op *op)
{
    const Value *sum = op->operands[2];
    const AttrInfo *precision = attr_info(ATTR_precision);
    uint64_t bits;

    text_put(&p->text, "tl.dot(");
    put_value(p, op->operands[0], LEVEL_ANY);
    text_put(&p->text, ", ");
    put_value(p, op->operands[1], LEVEL_ANY);
    if (!is_literal(p, sum) || !value_constant(sum, &bits) || bits != 0) {
        text_put(&p->text, ", ");
        put_value(p, sum, LEVEL_ANY);
    }
    if (op->operands[0]->type->dtype == DT_FP32)
        text_printf(&p->text, ", input_precision=\"%s\"", precision->words[attr_precision(op)]);
    if (sum->type->dtype == DT_FP16) {
        text_put(&p->text, ", out_dtype=");
        put_type(p, sum);
    }
    text_put(&p->text, ")");
}

static void put_load(Writer *p, const Op *op)
{
    Value *mask = op_operand(op, LOAD_MASK), *other = op_operand(op, LOAD_OTHER);

    text_put(&p->text, "tl.load(");
    put_value(p, op->operands[LOAD_PTR], LEVEL_ANY);
    text_put(&p->text, mask ? ", mask=" : "");
    if (mask)
        put_bare(p, mask, LEVEL_ANY);
    text_put(&p->text, other ? ", other=" : "");
    if (other)
        put_bare(p, other, LEVEL_ANY);
    else if (mask) /* which is 0 here, and anything in Triton */
        text_put(&p->text,
                 dtype_is_float(op->results[0]->type->dtype) ? ", other=0.0" : ", other=0");
    text_put(&p->text, ")");
}

static void put_cast(Writer *p, const Op *op)
{
    put_value(p, op->operands[0], LEVEL_ATOM);
    text_put(&p->text, ".to(");
    put_type(p, op->results[0]);
    text_put(&p->text, op->code == OP_bitcast ? ", bitcast=True)" : ")");
}

void put_made(Writer *p, const Value *v, Level level)
{
    const Op *op = v->def;

    switch (op->code) {
    case OP_const:
        put_constant(p, v, level);
        return;
    case OP_program_id:
        text_printf(&p->text, "tl.program_id(%d)", (int)attr_axis(op));
        return;
    case OP_num_programs:
        text_printf(&p->text, "tl.num_programs(%d)", (int)attr_axis(op));
        return;
    case OP_arange:
        put_arange(p, op);
        return;
    case OP_splat:
    case OP_broadcast:
        put_spread(p, op);
        return;
    case OP_expand:
        put_expand(p, op);
        return;
    case OP_reshape:
        text_put(&p->text, "tl.reshape(");
        put_value(p, op->operands[0], LEVEL_ANY);
        text_put(&p->text, ", ");
        put_shape(p, v);
        text_put(&p->text, ")");
        return;
    case OP_permute:
        put_permute(p, op);
        return;
    case OP_neg:
        put_unary(p, "-", op->operands[0], level);
        return;
    case OP_not:
        put_unary(p, "~", op->operands[0], level);
        return;
    case OP_isnan: /* a NaN alone is not itself */
        text_put(&p->text, "(");
        put_value(p, op->operands[0], LEVEL_SHIFT);
        text_put(&p->text, " != ");
        put_value(p, op->operands[0], LEVEL_SHIFT);
        text_put(&p->text, ")");
        return;
    case OP_isinf:
        text_put(&p->text, "(tl.abs(");
        put_value(p, op->operands[0], LEVEL_ANY);
        text_put(&p->text, ") == float(\"inf\"))");
        return;
    case OP_hint: /* a promise, which may be left out */
        put_value(p, op->operands[0], level);
        return;
    case OP_cast:
    case OP_bitcast:
        put_cast(p, op);
        return;
    case OP_reduce:
    case OP_scan:
        put_along(p, op);
        return;
    case OP_dot:
        put_dot(p, op);
        return;
    case OP_load:
        put_load(p, op);
        return;
    default:
        if (operator_of(op).text)
            put_operator(p, op, operator_of(op), level);
        else
            put_call(p, op, function_of(op));
    }
}

void put_value(Writer *p, const Value *v, Level level)
{
    const char *name = map_get(p->names, MAP_KEY(v));

    if (name)
        text_put(&p->text, name);
    else
        put_made(p, v, level);
}
