/*
 * operators.c - operators on values (semantics R41 to R64, R70, R71, R110)
 *
 * Compile-time operands follow Python (src/python/).  Otherwise operands are brought to one dtype
 * (promote.c), then to one shape, and one op is built.
 */
#include "tl.h"
#include "../ir/analysis.h"

#include <string.h>

/* --- helpers --- */

static bool is_pointer(Val v)
{
    return v.kind == VAL_RUN && v.run->type->pointer;
}

static bool is_float(Val v)
{
    if (v.kind == VAL_RUN)
        return !v.run->type->pointer && dtype_is_float(v.run->type->dtype);
    return val_is_const(v, CONST_FLOAT);
}

static bool is_integer(Val v)
{
    return v.kind == VAL_CONST ? const_is_integral(v.c)
                               : v.kind == VAL_RUN && dtype_is_int(v.run->type->dtype);
}

/* Texts and tuples are operands of nothing. */
static bool is_told(Lower *l, Val v)
{
    return (v.kind == VAL_TUPLE || val_is_const(v, CONST_STRING)) && val_blamed(l, v);
}

/* What is an operand of nothing may come from the launch. */
static const char *note_wrong(Lower *l, Val v)
{
    bool is_wrong = val_is_none(v) || v.kind == VAL_TUPLE || val_is_const(v, CONST_STRING);

    return is_wrong ? note_parameter(l, v) : NULL;
}

/* A float where there has to be an integer, which the launch may give. */
static void note_float(Lower *l, Val v)
{
    const char *given = is_float(v) ? note_parameter(l, v) : NULL;

    if (given)
        hint_at(l, H_GIVE_INT, given);
}

/* .. of either side; `hint` is for what the kernel has computed. */
static void note_floats(Lower *l, Val x, Val y, const char *hint)
{
    note_float(l, x);
    note_float(l, y);
    hint_at(l, "%s", hint);
}

static bool is_uncalled(Val v)
{
    return v.kind == VAL_FUNC || v.kind == VAL_BUILTIN || v.kind == VAL_LIBDEVICE ||
           v.kind == VAL_METHOD;
}

static Val invalid_operands(Lower *l, BinaryOp op, Val x, Val y, Span span)
{
    bool pointer = is_pointer(x) || is_pointer(y);
    bool bits = op == BIN_AND || op == BIN_OR || op == BIN_XOR || op == BIN_SHL || op == BIN_SHR;

    if (is_told(l, x) || is_told(l, y))
        return val_unknown();
    error_at(l, span, E_OPERANDS, val_text(l, x), val_text(l, y));
    const char *given = note_wrong(l, x), *other = note_wrong(l, y);
    if ((given && x.kind == VAL_TUPLE) || (other && y.kind == VAL_TUPLE))
        hint_at(l, H_GIVE_ONE, given && x.kind == VAL_TUPLE ? given : other);
    else if (pointer && (x.kind == VAL_TUPLE || y.kind == VAL_TUPLE))
        hint_at(l, H_POINTER_TUPLE);
    else if (val_is_none(x) || val_is_none(y))
        hint_at(l, H_NONE_OPERAND);
    else if (is_uncalled(x) || is_uncalled(y))
        hint_at(l, H_UNCALLED);
    else if (pointer && (op == BIN_ADD || op == BIN_SUB) && (is_float(x) || is_float(y)))
        note_floats(l, x, y, H_POINTER_FLOAT);
    else if (is_pointer(x) && is_integer(y) && op == BIN_MUL)
        hint_at(l, H_POINTER_OFFSET);
    else if (pointer && is_pointer(x) != is_pointer(y)) {
        note_parameter(l, is_pointer(x) ? x : y);
        hint_at(l, H_POINTER_NUMBER);
    } else if (bits && (is_float(x) || is_float(y)))
        note_floats(l, x, y, H_BITS_OF_FLOAT);
    else if (x.kind == VAL_TUPLE || y.kind == VAL_TUPLE)
        hint_at(l, H_TUPLE_VALUE);
    else if (val_is_const(x, CONST_STRING) || val_is_const(y, CONST_STRING))
        hint_at(l, op == BIN_MOD ? H_FSTRING : H_TEXT_ARGUMENT);
    else if (val_is_handle(x) && (op == BIN_ADD || op == BIN_SUB))
        hint_at(l, H_ADVANCE_BY);
    return val_unknown();
}

static const char *instead_of_power(Val x, Val y)
{
    if (val_is_const(x, CONST_INT) && x.c->integer == 2)
        return H_POW_TWO;
    if (val_is_const(y, CONST_INT) && y.c->integer == 2)
        return H_POW_SQUARE;
    return val_is_const(y, CONST_FLOAT) && y.c->real == 0.5 ? H_POW_ROOT : H_POW;
}

/* A number, or a run-time value that is no pointer. */
static bool is_arithmetic(Val v)
{
    return val_is_number(v) || (v.kind == VAL_RUN && !v.run->type->pointer && !val_is_handle(v));
}

/* --- pointers --- */

static bool is_zero(Val v)
{
    return v.kind == VAL_CONST && const_is_integral(v.c) && v.c->integer == 0;
}

/* ptr + offset, ptr - offset (R70): steps count elements. */
static Val pointer_step(Lower *l, Val p, Val offset, bool subtract, Span span)
{
    Value *ptr = p.run, *off;

    if (is_zero(offset))
        return p;
    if (!is_integer(offset) || is_pointer(offset))
        return invalid_operands(l, BIN_ADD, p, offset, span);
    off = val_to_run(l, offset, span);
    if (!off)
        return val_unknown();
    if (subtract) /* an unsigned step still moves back */
        off = build_unary(&l->b, OP_neg,
                          dtype_is_unsigned(off->type->dtype)
                              ? build_cast(&l->b, off, DT_I64, ROUND_NEAREST)
                              : off);
    if (!ops_broadcast(l, &ptr, &off, span))
        return val_unknown();
    return val_run(build_addptr(&l->b, ptr, off));
}

static Val pointer_arithmetic(Lower *l, BinaryOp op, Val x, Val y, Span span)
{
    bool both = is_pointer(x) && is_pointer(y);

    if (both && op == BIN_ADD)
        return fail_hint(l, span, H_ADD_POINTERS, E_ADD_POINTERS);
    if (both || (op != BIN_ADD && op != BIN_SUB) || (op == BIN_SUB && is_pointer(y)))
        return invalid_operands(l, op, x, y, span);
    if (is_pointer(x))
        return pointer_step(l, x, y, op == BIN_SUB, span);
    return pointer_step(l, y, x, false, span);
}

/* --- arithmetic --- */

static OpCode binary_opcode(BinaryOp op)
{
    static const OpCode codes[] = {
        [BIN_ADD] = OP_add,      [BIN_SUB] = OP_sub, [BIN_MUL] = OP_mul, [BIN_DIV] = OP_div,
        [BIN_FLOORDIV] = OP_div, [BIN_MOD] = OP_rem, [BIN_POW] = OP_pow, [BIN_AND] = OP_and,
        [BIN_OR] = OP_or,        [BIN_XOR] = OP_xor, [BIN_SHL] = OP_shl, [BIN_SHR] = OP_shr,
    };
    return codes[op];
}

static Val to_fp32(Lower *l, Val v)
{
    if (v.kind == VAL_CONST) {
        Const c = const_float(const_to_double(v.c));
        c.symbol = v.c->symbol;
        return val_const(l, c);
    }
    return val_run(build_cast(&l->b, v.run, DT_FP32, ROUND_NEAREST));
}

/* Which kinds of operands an operator takes; false after an error. */
static bool check_kinds(Lower *l, BinaryOp op, Val x, Val y, Span span)
{
    bool ints = is_integer(x) && is_integer(y);
    bool bits = op == BIN_AND || op == BIN_OR || op == BIN_XOR || op == BIN_SHL || op == BIN_SHR;

    if (bits && !ints) {
        invalid_operands(l, op, x, y, span);
        return false;
    }
    if (op == BIN_FLOORDIV && !ints) {
        error_at(l, span, E_FLOORDIV, val_text(l, x), val_text(l, y));
        note_floats(l, x, y, H_FLOORDIV);
        return false;
    }
    return true;
}

/* R59: an arithmetic shift iff the left operand was signed before promotion. */
static Value *build_shift_right(Lower *l, Val x, Value *vx, Value *vy)
{
    DType t = vx->type->dtype;
    DType left = x.kind == VAL_RUN ? x.run->type->dtype : t;

    if (dtype_is_signed(left) == dtype_is_signed(t))
        return build_binary(&l->b, OP_shr, vx, vy);
    static const DType unsigned_of[] = {
        [DT_I8] = DT_U8, [DT_I16] = DT_U16, [DT_I32] = DT_U32, [DT_I64] = DT_U64,
        [DT_U8] = DT_I8, [DT_U16] = DT_I16, [DT_U32] = DT_I32, [DT_U64] = DT_I64,
    };
    DType other = unsigned_of[t];
    Value *amount = build_bitcast(&l->b, vy, other);
    Value *r = build_binary(&l->b, OP_shr, build_bitcast(&l->b, vx, other), amount);
    return build_bitcast(&l->b, r, t);
}

/* R43: not for run-time integers of which one has a sign, though both become floats. */
static bool may_divide(Lower *l, Val x, Val y, Span span)
{
    DType ignored;

    return x.kind != VAL_RUN || y.kind != VAL_RUN ||
           promote_types(l, x.run->type->dtype, y.run->type->dtype, true, span, &ignored);
}

static Val arithmetic(Lower *l, BinaryOp op, Val x, Val y, Span span)
{
    bool division = op == BIN_DIV || op == BIN_FLOORDIV || op == BIN_MOD;
    PromoteRule rule = {.adopts = true, .division = division};
    Val a = x, b = y;
    Value *vx, *vy;

    if (!check_kinds(l, op, x, y, span) || !ops_shapes_fit(l, x, y, span))
        return val_unknown();
    if (op == BIN_DIV && is_integer(x) && is_integer(y)) { /* R52 */
        if (!may_divide(l, x, y, span))
            return val_unknown();
        a = to_fp32(l, x);
        b = to_fp32(l, y);
    }
    if (!ops_pair(l, rule, a, b, &vx, &vy, span))
        return val_unknown();
    if (op == BIN_SHR)
        return val_run(build_shift_right(l, x, vx, vy));
    Value *result = build_binary(&l->b, binary_opcode(op), vx, vy);
    if (l->finds_overflow)
        say_overflow(l, result, vx, vy, span);
    return val_run(result);
}

static Val tuple_concat(Lower *l, const Tuple *a, const Tuple *b, Span span)
{
    Val *items = NEW_N(l->arena, Val, a->n + b->n + 1);

    memcpy(items, a->items, sizeof(Val) * (size_t)a->n);
    memcpy(items + a->n, b->items, sizeof(Val) * (size_t)b->n);
    return val_new_tuple(l, a->n + b->n, items, span);
}

static Val tuple_repeat(Lower *l, const Tuple *t, __int128 times, Span span)
{
    if (times <= 0 || t->n == 0)
        return val_tuple(l, 0, NULL);
    if (times > MAX_TUPLE / t->n)
        return fail_val(l, span, E_TUPLE_LONG);
    int n = t->n * (int)times;
    Val *items = NEW_N(l->arena, Val, n + 1);
    for (int i = 0; i < n; i++)
        items[i] = t->items[i % t->n];
    return val_new_tuple(l, n, items, span);
}

/* Python's operators on tuples; *took tells that there is one. */
static Val tuple_binary(Lower *l, BinaryOp op, Val x, Val y, Span span, bool *took)
{
    bool ints = y.kind == VAL_CONST && const_is_integral(y.c);
    bool ints_first = x.kind == VAL_CONST && const_is_integral(x.c);

    *took = true;
    if (op == BIN_ADD && x.kind == VAL_TUPLE && y.kind == VAL_TUPLE)
        return tuple_concat(l, x.tuple, y.tuple, span);
    if (op == BIN_MUL && x.kind == VAL_TUPLE && ints)
        return tuple_repeat(l, x.tuple, y.c->integer, span);
    if (op == BIN_MUL && y.kind == VAL_TUPLE && ints_first)
        return tuple_repeat(l, y.tuple, x.c->integer, span);
    *took = false;
    return val_unknown();
}

static Val constant_binary(Lower *l, BinaryOp op, Val x, Val y, Span span)
{
    Const c;
    const char *wrong = const_binary(l->arena, op, x.c, y.c, &c);

    if (!wrong)
        return val_const(l, c);
    error_at(l, span, E_CONST_OPERATOR, wrong, val_text(l, x), val_text(l, y));
    bool of_floats = val_is_const(x, CONST_FLOAT) || val_is_const(y, CONST_FLOAT);
    if (of_floats && op >= BIN_AND && op <= BIN_SHR)
        hint_at(l, op == BIN_SHL || op == BIN_SHR ? H_SHIFT_FLOAT : H_BITS_FLOAT);
    if (val_is_none(x) || val_is_none(y))
        hint_at(l, H_NONE_OPERAND);
    return val_unknown();
}

Val ops_binary(Lower *l, BinaryOp op, Val x, Val y, Span span)
{
    bool took;

    if (x.kind == VAL_UNKNOWN || y.kind == VAL_UNKNOWN)
        return val_unknown();
    if (op == BIN_MATMUL) {
        error_at(l, span, E_MATMUL);
        hint_at(l, H_MATMUL);
        return val_unknown();
    }
    Val v = tuple_binary(l, op, x, y, span, &took);
    if (took)
        return v;
    if (x.kind == VAL_CONST && y.kind == VAL_CONST)
        return constant_binary(l, op, x, y, span);
    if (is_pointer(x) || is_pointer(y))
        return pointer_arithmetic(l, op, x, y, span);
    if (!is_arithmetic(x) || !is_arithmetic(y))
        return invalid_operands(l, op, x, y, span);
    if (op == BIN_POW) {
        error_at(l, span, E_POW);
        hint_at(l, "%s", instead_of_power(x, y));
        return val_unknown();
    }
    return arithmetic(l, op, x, y, span);
}

/* --- unary --- */

Val ops_unary(Lower *l, UnaryOp op, Val x, Span span)
{
    Const c;
    const char *wrong;

    if (x.kind == VAL_UNKNOWN)
        return x;
    if (x.kind == VAL_CONST) {
        wrong = const_unary(l->arena, op, x.c, &c);
        return wrong ? fail_val(l, span, E_CONST_UNARY, wrong, val_text(l, x)) : val_const(l, c);
    }
    if (x.kind != VAL_RUN || !is_arithmetic(x))
        return fail_val(l, span, op == UN_INVERT ? E_INVERT : E_NEGATE, val_text(l, x));
    if (op == UN_PLUS)
        return x;
    if (op == UN_INVERT && dtype_is_float(x.run->type->dtype)) {
        error_at(l, span, E_INVERT, val_text(l, x));
        hint_at(l, H_INVERT);
        return val_unknown();
    }
    return val_run(build_unary(&l->b, op == UN_MINUS ? OP_neg : OP_not, x.run));
}

/* What `and`, `or`, `not` compute with: int1, or whether a pointer is one (R80, R87, R110). */
static Value *truth_value(Lower *l, Value *v, Span span)
{
    if (v->type->pointer)
        return build_cast(&l->b, v, DT_I1, ROUND_NEAREST);
    if (v->type->dtype == DT_I1)
        return v;
    error_at(l, span, E_BITCAST, dtype_bits(v->type->dtype), 1);
    hint_at(l, H_NOT_BOOL, val_type_text(l, v->type));
    return NULL;
}

Val ops_truth_not(Lower *l, Val x, Span span)
{
    Value *v;

    if (x.kind == VAL_UNKNOWN)
        return x;
    if (x.kind == VAL_CONST)
        return val_bool(l, !const_truth(x.c));
    if (x.kind == VAL_TUPLE)
        return val_bool(l, x.tuple->n == 0);
    if (x.kind != VAL_RUN)
        return val_bool(l, false);
    v = truth_value(l, x.run, span);
    return v ? val_run(build_unary(&l->b, OP_not, v)) : val_unknown();
}

Value *ops_logical(Lower *l, BinaryOp op, Value *x, Span x_span, Value *y, Span y_span)
{
    x = truth_value(l, x, x_span);
    y = x ? truth_value(l, y, y_span) : NULL;
    if (!y || !ops_broadcast(l, &x, &y, y_span))
        return NULL;
    return build_binary(&l->b, binary_opcode(op), x, y);
}

/* --- comparisons --- */

static OpCode compare_opcode(CompareOp op)
{
    static const OpCode codes[] = {
        [CMP_EQ] = OP_eq, [CMP_NE] = OP_ne, [CMP_LT] = OP_lt,
        [CMP_LE] = OP_le, [CMP_GT] = OP_gt, [CMP_GE] = OP_ge,
    };
    return codes[op];
}

/* Two types of constants are equal as these are, and one is the type that it is at run time. */
static bool types_equal(Val x, Val y)
{
    bool same = false;

    if (x.kind != VAL_CONST_TYPE || y.kind != VAL_CONST_TYPE)
        return val_same(val_plain_type(x), val_plain_type(y));
    const_compare(CMP_EQ, x.const_type->c, y.const_type->c, &same);
    return same;
}

/* Python's ==; run-time values in a tuple are equal when they are one value. */
static bool python_equal(Val x, Val y)
{
    bool same = x.kind == VAL_TUPLE && y.kind == VAL_TUPLE && x.tuple->n == y.tuple->n;

    if (x.kind == VAL_CONST && y.kind == VAL_CONST) {
        const_compare(CMP_EQ, x.c, y.c, &same);
        return same;
    }
    if (x.kind != VAL_TUPLE || y.kind != VAL_TUPLE)
        return types_equal(x, y);
    for (int i = 0; same && i < x.tuple->n; i++)
        same = python_equal(x.tuple->items[i], y.tuple->items[i]);
    return same;
}

static Val compare_constants(Lower *l, CompareOp op, Val x, Val y, Span span)
{
    const char *wrong;
    bool out;

    wrong = const_compare(op, x.c, y.c, &out);
    return wrong ? fail_val(l, span, E_CONST_OPERATOR, wrong, val_text(l, x), val_text(l, y))
                 : val_const(l, const_holds(x.c, y.c, out));
}

/* Constants, types, tuples, functions: Python's == and order. */
static Val compare_known(Lower *l, CompareOp op, Val x, Val y, Span span)
{
    int i = 0;

    if (x.kind == VAL_CONST && y.kind == VAL_CONST)
        return compare_constants(l, op, x, y, span);
    if (op == CMP_EQ || op == CMP_NE)
        return val_bool(l, python_equal(x, y) == (op == CMP_EQ));
    if (x.kind != VAL_TUPLE || y.kind != VAL_TUPLE)
        return invalid_operands(l, BIN_ADD, x, y, span);
    /* the first elements that differ decide, then the lengths */
    while (i < MIN(x.tuple->n, y.tuple->n) && python_equal(x.tuple->items[i], y.tuple->items[i]))
        i++;
    if (i < MIN(x.tuple->n, y.tuple->n))
        return ops_compare(l, op, x.tuple->items[i], y.tuple->items[i], span);
    return compare_constants(l, op, val_int(l, x.tuple->n), val_int(l, y.tuple->n), span);
}

/* x - y < 0, 0 > x - y */
static void warn_of_sign(Lower *l, CompareOp op, Val x, Val y, Span span)
{
    if (op == CMP_LT && x.kind == VAL_RUN && is_zero(y))
        ops_warn_of_wrap(l, x.run, span);
    if (op == CMP_GT && is_zero(x) && y.kind == VAL_RUN)
        ops_warn_of_wrap(l, y.run, span);
}

Val ops_compare(Lower *l, CompareOp op, Val x, Val y, Span span)
{
    PromoteRule rule = {0};
    Value *vx, *vy;

    if (x.kind == VAL_UNKNOWN || y.kind == VAL_UNKNOWN)
        return val_unknown();
    if (x.kind != VAL_RUN && y.kind != VAL_RUN)
        return compare_known(l, op, x, y, span);
    if (!is_arithmetic(x) || !is_arithmetic(y))
        return invalid_operands(l, BIN_ADD, x, y, span);
    if (!ops_pair(l, rule, x, y, &vx, &vy, span))
        return val_unknown();
    warn_of_sign(l, op, x, y, span);
    return val_run(build_binary(&l->b, compare_opcode(op), vx, vy));
}

/* --- functions of two values --- */

Val ops_math2(Lower *l, OpCode code, Val x, Val y, Span span)
{
    PromoteRule rule = {0};
    Value *vx, *vy;

    if (x.kind == VAL_UNKNOWN || y.kind == VAL_UNKNOWN)
        return val_unknown();
    if (!is_arithmetic(x) || !is_arithmetic(y))
        return invalid_operands(l, BIN_ADD, x, y, span);
    if (!ops_pair(l, rule, x, y, &vx, &vy, span))
        return val_unknown();
    return val_run(build_binary(&l->b, code, vx, vy));
}

/* --- casts (R80 to R85) --- */

static bool may_cast(const Type *from, DType to)
{
    bool fp8_with_int = (dtype_is_fp8(from->dtype) && dtype_is_int(to)) ||
                        (dtype_is_fp8(to) && dtype_is_int(from->dtype));

    if (from->pointer)
        return to == DT_I64 || to == DT_U64 || to == DT_I1;
    return !fp8_with_int;
}

Value *ops_cast(Lower *l, Value *v, DType to, Rounding r, Span span)
{
    if (!may_cast(v->type, to)) {
        error_at(l, span, E_CAST, val_type_text(l, v->type), dtype_triton_name(to));
        hint_at(l, !v->type->pointer    ? H_CAST_FP8
                   : dtype_is_float(to) ? H_STORE_POINTER
                                        : H_CAST_POINTER);
        return NULL;
    }
    return build_cast(&l->b, v, to, r);
}
