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

void put_extent(Writer *p, const Value *v, int d)
{
    if (!put_symbol(p, value_extent(v, d), true))
        text_printf(&p->text, "%d", v->type->dims[d]);
}

static void put_shape(Writer *p, const Value *v)
{
    text_put(&p->text, "[");
    for (int d = 0; d < v->type->rank; d++) {
        text_put(&p->text, d > 0 ? ", " : "");
        put_extent(p, v, d);
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

    if (put_symbol(p, v->number, level == LEVEL_ANY))
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
    /* what is chosen of numbers is an i32 or fp32 */
    bool typed = op->code == OP_addptr ||
                 (op->code == OP_select && (whole->dtype == DT_FP32 || whole->dtype == DT_I32));

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

/* Of fp64: a number alone would be an fp32, which no function of libdevice takes beside an fp64. */
static void put_wide(Writer *p, const Value *v)
{
    uint64_t bits;
    const Value *b = bare(p, v);

    if (!is_literal(p, b) || !value_constant(b, &bits)) {
        put_value(p, v, LEVEL_ANY);
        return;
    }
    text_put(&p->text, "tl.full(");
    put_shape(p, v);
    text_put(&p->text, ", ");
    put_number(p, b, bits, LEVEL_ANY);
    text_put(&p->text, ", tl.float64)");
}

static void put_call(Writer *p, const Op *op, const char *name)
{
    static const char *const leads[] = {"", ", ", ", "};
    const bool is_wide =
        strncmp(name, "libdevice.", 10) == 0 && op->results[0]->type->dtype == DT_FP64;

    text_printf(&p->text, "%s(", name);
    if (!is_wide)
        put_operands(p, op, 0, op->noperands, leads);
    for (int i = 0; i < op->noperands && is_wide; i++) {
        text_put(&p->text, leads[i]);
        put_wide(p, op->operands[i]);
    }
    if (op->code == OP_minnan || op->code == OP_maxnan)
        text_put(&p->text, ", propagate_nan=tl.PropagateNan.ALL");
    text_put(&p->text, ")");
}

/* An integer that the operator converts by itself, as the other operand has that type; NULL: v is
 * written as it is. */
static const Value *unpromoted(const Writer *p, const Op *op, const Value *v, const Value *other)
{
    const Op *cast = map_get(p->names, MAP_KEY(v)) ? NULL : opt_made_by(v, OP_cast);
    bool computes = op->code == OP_add || op->code == OP_sub || op->code == OP_mul ||
                    (op->code == OP_div && dtype_is_float(v->type->dtype));
    DType to = v->type->dtype;

    if (!computes || !cast || is_literal(p, other) || other->type->dtype != to)
        return NULL;
    const Value *from = cast->operands[0];
    if (!dtype_is_signed(from->type->dtype) || type_size(from->type) > type_size(v->type) ||
        is_literal(p, from))
        return NULL;
    return to == DT_I64 || to == DT_FP32 || to == DT_FP64 ? from : NULL;
}

/* Of what is added, b, if it is -b; NULL: it is something else, or has a name. */
static const Value *subtracted(const Writer *p, const Op *op, const Value *y)
{
    const Op *neg = map_get(p->names, MAP_KEY(y)) ? NULL : opt_made_by(y, OP_neg);

    return neg && (op->code == OP_add || op->code == OP_addptr) ? neg->operands[0] : NULL;
}

/* Of indices what is the same for all lanes is written first, as pid * BLOCK + lanes: is it behind
 * them? */
static bool adds_lanes(const Writer *p, const Op *op)
{
    const Value *x = bare(p, op->operands[0]), *y = bare(p, op->operands[1]);

    return op->code == OP_add && opt_is_int(x) && x->type->rank > 0 && y->type->rank == 0 &&
           !is_literal(p, y) && !subtracted(p, op, y);
}

/* a - (b - c), but a + b + c where that is how it was computed. */
static void put_operator(Writer *p, const Op *op, Form form, Level level)
{
    bool wraps = form.level < level || (form.level == level && level == LEVEL_COMPARE);
    bool bares = make_shape(p, op, 0, 2, op->results[0]->type);
    bool second = !bares && is_literal(p, op->operands[0]);
    Level right = (Level)(form.level + 1), left = form.level == LEVEL_COMPARE ? right : form.level;
    const bool turned = bares && adds_lanes(p, op);
    const Value *first = op->operands[turned], *other = op->operands[!turned];
    const Value *x = bares || second ? bare(p, first) : first;
    const Value *y = bares || !second ? bare(p, other) : other;
    left = op->code == OP_mul && is_literal(p, x) ? LEVEL_SUM : left; /* -2.0 * x */
    const Value *plain_x = unpromoted(p, op, x, y), *plain_y = unpromoted(p, op, y, x);
    const Value *less = subtracted(p, op, y);
    int64_t n;

    text_put(&p->text, wraps ? "(" : "");
    (bares || second ? put_bare : put_value)(p, plain_x ? plain_x : x, left);
    if ((op->code == OP_add || op->code == OP_addptr) && is_literal(p, y) &&
        value_const_int(y, &n) && n < 0 && n > INT32_MIN)
        text_printf(&p->text, " - %lld", (long long)-n);
    else if (less) {
        text_put(&p->text, " - ");
        put_value(p, less, right);
    } else {
        text_put(&p->text, form.text);
        (bares || !second ? put_bare : put_value)(p, !plain_x && plain_y ? plain_y : y, right);
    }
    text_put(&p->text, wraps ? ")" : "");
}

const Value *print_rounded_up(const Writer *p, const Op *op)
{
    const Value *by = op->operands[1];
    const Op *sum = opt_made_by(op->operands[0], OP_add), *more;
    int64_t less, all;

    if (op->code != OP_div || op->results[0]->type->rank > 0 || !opt_is_int(by) || !sum ||
        map_get(p->names, MAP_KEY(op->operands[0])) || !value_const_int(sum->operands[1], &less))
        return NULL;
    if (value_const_int(by, &all))
        return less == all - 1 && all > 1 ? sum->operands[0] : NULL;
    more = opt_made_by(sum->operands[0], OP_add);
    if (less != -1 || !more || map_get(p->names, MAP_KEY(sum->operands[0])))
        return NULL;
    return more->operands[1] == by   ? more->operands[0]
           : more->operands[0] == by ? more->operands[1]
                                     : NULL;
}

/* An operand that is written in place, made so; NULL: it is not. */
static const Op *part_made_by(const Writer *p, const Op *op, int i, OpCode code)
{
    const Value *v = op->operands[i];

    return map_get(p->names, MAP_KEY(v)) || v->def->code != code ? NULL : v->def;
}

static bool is_one(const Writer *p, const Value *v)
{
    uint64_t bits;

    return is_literal(p, v) && value_constant(v, &bits) &&
           scalar_to_double(v->type->dtype, bits) == 1;
}

const Value *print_sigmoid(const Writer *p, const Op *op)
{
    const DType dtype = op->nresults == 1 ? op->results[0]->type->dtype : DT_I1;

    if (op->code != OP_div || (dtype != DT_FP32 && dtype != DT_FP64) ||
        !is_one(p, op->operands[0]) || !op->operands[1]->def)
        return NULL;
    const Op *sum = part_made_by(p, op, 1, OP_add);
    for (int i = 0; sum && i < 2; i++) {
        const Op *exp = sum->operands[i]->def ? part_made_by(p, sum, i, OP_exp) : NULL;
        const Op *neg = exp && exp->operands[0]->def ? part_made_by(p, exp, 0, OP_neg) : NULL;
        if (neg && is_one(p, sum->operands[1 - i]))
            return neg->operands[0];
    }
    return NULL;
}

static void put_rounded_up(Writer *p, const Value *x, const Value *by)
{
    text_put(&p->text, "tl.cdiv(");
    put_value(p, x, LEVEL_ANY);
    text_put(&p->text, ", ");
    put_value(p, by, LEVEL_ANY);
    text_put(&p->text, ")");
}

bool print_opposite(const Writer *p, const Value *condition)
{
    return !map_get(p->names, MAP_KEY(condition)) && condition->def &&
           print_opposite_of(condition->def->code) != OP_COUNT &&
           opt_is_int(condition->def->operands[0]); /* of a NaN both are false */
}

void put_opposite(Writer *p, const Value *condition)
{
    Op op = *condition->def;

    op.code = print_opposite_of(op.code);
    put_operator(p, &op, print_operator(&op), LEVEL_ANY);
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

/* tl.associative_scan((x, y), 0, combine, reverse=True) */
void put_along(Writer *p, const Op *op)
{
    const char *known = print_reduction(op), *axis = known ? "axis=" : "";
    const char *call = known ? known : op->code == OP_scan ? "tl.associative_scan" : "tl.reduce";
    const bool several = op->noperands > 1;
    Words all = {0};

    text_printf(&p->text, "%s(%s", call, several ? "(" : "");
    for (int i = 0; i < op->noperands; i++) {
        Writer w = *p;
        w.text = text_new(p->arena);
        put_value(&w, op->operands[i], LEVEL_ANY);
        text_put(&w.text, several && i == op->noperands - 1 ? ")" : "");
        vec_push(p->arena, &all, w.text.s);
    }
    vec_push(p->arena, &all, arena_printf(p->arena, "%s%d", axis, (int)attr_axis(op)));
    if (!known)
        vec_push(p->arena, &all, print_function_of(p, op));
    if (op->code == OP_scan && attr_reverse(op))
        vec_push(p->arena, &all, "reverse=True");
    put_list(p, &all, (int)(p->text.len - p->began));
    text_put(&p->text, ")");
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

    if (print_draw(p, v)) {
        put_draw(p, print_draw(p, v));
        return;
    }
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
    case OP_sort: /* of integers */
        text_put(&p->text, "tl.sort(");
        put_value(p, op->operands[0], LEVEL_ANY);
        text_put(&p->text, attr_descending(op) ? ", descending=True)" : ")");
        return;
    case OP_gather:
        text_put(&p->text, "tl.gather(");
        put_value(p, op->operands[0], LEVEL_ANY);
        text_put(&p->text, ", ");
        put_value(p, op->operands[1], LEVEL_ANY);
        text_printf(&p->text, ", %d)", (int)attr_axis(op));
        return;
    default:
        if (print_is_joined(op))
            put_joined(p, op);
        else if (print_sigmoid(p, op)) {
            text_put(&p->text, "tl.sigmoid(");
            put_value(p, print_sigmoid(p, op), LEVEL_ANY);
            text_put(&p->text, ")");
        } else if (print_rounded_up(p, op))
            put_rounded_up(p, print_rounded_up(p, op), op->operands[1]);
        else if (print_operator(op).text)
            put_operator(p, op, print_operator(op), level);
        else
            put_call(p, op, print_function(op));
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
