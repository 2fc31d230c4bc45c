/*
 * builtin_math.c - elementwise functions (semantics R52 to R67, R258, R259)
 */
#include "tl.h"

/* --- operands --- */

/* R66: fp32 or fp64; NULL after an error. */
Value *float_operand(Lower *l, const Args *a, ArgName name)
{
    Value *v = arg_run(l, a, name);

    if (!v || (!v->type->pointer && (v->type->dtype == DT_FP32 || v->type->dtype == DT_FP64)))
        return v;
    error_at(l, arg_span(a, name), E_MATH_DTYPE, a->builtin->name, val_type_text(l, v->type));
    if (!v->type->pointer)
        hint_at(l, H_MATH_DTYPE);
    return NULL;
}

static Value *scalar_like(Lower *l, const Value *v, double d)
{
    Value *s = build_float(&l->b, type_scalar(l->module, v->type->dtype), d);

    return build_splat(&l->b, s, v->type);
}

/* bf16 computes as fp32 (R61, R62). */
static Val widen_bf16(Lower *l, Val v)
{
    if (v.kind == VAL_RUN && !v.run->type->pointer && v.run->type->dtype == DT_BF16)
        return val_run(build_cast(&l->b, v.run, DT_FP32, ROUND_NEAREST));
    return v;
}

/* --- operators as functions --- */

Val math_operator(Lower *l, const Args *a)
{
    return ops_binary(l, (BinaryOp)a->builtin->data, arg(a, ARG_input), arg(a, ARG_other), a->span);
}

Val math_logical(Lower *l, const Args *a)
{
    Value *x = arg_run(l, a, ARG_input), *y = arg_run(l, a, ARG_other);
    BinaryOp op = (BinaryOp)a->builtin->data;

    if (!x || !y)
        return val_unknown();
    return val_run(ops_logical(l, op, x, arg_span(a, ARG_input), y, arg_span(a, ARG_other)));
}

/* --- where --- */

/* An i1; anything else is compared with 0 (R63). */
static Value *where_condition(Lower *l, const Args *a)
{
    Value *c = arg_run(l, a, ARG_condition);

    if (c && c->type->pointer) {
        error_at(l, arg_span(a, ARG_condition), E_NEEDS_NUMBERS, "where",
                 val_type_text(l, c->type));
        return NULL;
    }
    if (!c || c->type->dtype == DT_I1)
        return c;
    warn_at(l, arg_span(a, ARG_condition), W_WHERE, val_type_text(l, c->type));
    return ops_cast(l, c, DT_I1, ROUND_NEAREST, arg_span(a, ARG_condition));
}

/* Both sides in one type: promoted, or pointers of one type. */
static bool where_sides(Lower *l, const Args *a, Value **x, Value **y)
{
    static const ArgName sides[] = {ARG_x, ARG_y};
    PromoteRule rule = {.adopts = true};
    bool pointers[2];

    for (int i = 0; i < 2; i++) {
        Val v = arg(a, sides[i]);
        pointers[i] = v.kind == VAL_RUN && v.run->type->pointer;
        if (v.kind == VAL_RUN || val_is_number(v))
            continue;
        error_at(l, arg_span(a, sides[i]), E_NOT_A_TENSOR, val_text(l, v));
        return false;
    }
    if (!ops_shapes_fit(l, arg(a, ARG_x), arg(a, ARG_y), a->span))
        return false;
    if (!pointers[0] && !pointers[1])
        return promote_pair(l, rule, arg(a, ARG_x), arg(a, ARG_y), x, y, a->span);
    *x = arg(a, ARG_x).run;
    *y = arg(a, ARG_y).run;
    bool same = pointers[0] && pointers[1] &&
                type_element(l->module, (*x)->type) == type_element(l->module, (*y)->type);
    if (!same)
        error_at(l, a->span, E_OPERANDS, val_text(l, arg(a, ARG_x)), val_text(l, arg(a, ARG_y)));
    return same;
}

Val math_where(Lower *l, const Args *a)
{
    Value *v[3];

    v[0] = where_condition(l, a);
    if (!v[0] || !where_sides(l, a, &v[1], &v[2]) || !ops_broadcast_all(l, v, 3, a->span))
        return val_unknown();
    return val_run(build_select(&l->b, v[0], v[1], v[2]));
}

/* --- extrema --- */

Val extremum_values(Lower *l, OpCode code, Val x, Val y, Span span)
{
    Val second = widen_bf16(l, y);

    return ops_math2(l, code, widen_bf16(l, x), second, span);
}

static bool wants_nan(Lower *l, const Args *a, bool *out)
{
    static const char *const names[] = {"", "NONE", "ALL"};
    static const int values[] = {0, 0, 1};
    int64_t which;

    if (!arg_choice(l, a, ARG_propagate_nan, names, values, COUNT(names), E_PROPAGATE_NAN, &which))
        return false;
    *out = which == 1;
    return true;
}

/* minnan and maxnan exist for floats; ints have no NaN. */
static OpCode with_nan(OpCode code, bool nan, Val x, Val y)
{
    bool floats = (x.kind == VAL_RUN && dtype_is_float(x.run->type->dtype)) ||
                  (y.kind == VAL_RUN && dtype_is_float(y.run->type->dtype)) ||
                  val_is_const(x, CONST_FLOAT) || val_is_const(y, CONST_FLOAT);

    if (!nan || !floats)
        return code;
    return code == OP_min ? OP_minnan : OP_maxnan;
}

Val math_extremum(Lower *l, const Args *a)
{
    bool nan;

    if (!wants_nan(l, a, &nan))
        return val_unknown();
    OpCode code = with_nan((OpCode)a->builtin->data, nan, arg(a, ARG_x), arg(a, ARG_y));
    return extremum_values(l, code, arg(a, ARG_x), arg(a, ARG_y), a->span);
}

Val math_clamp(Lower *l, const Args *a)
{
    Val x = widen_bf16(l, arg(a, ARG_x)), r;
    bool nan;

    if (!wants_nan(l, a, &nan))
        return val_unknown();
    r = extremum_values(l, with_nan(OP_max, nan, x, arg(a, ARG_min)), x, arg(a, ARG_min), a->span);
    r = extremum_values(l, with_nan(OP_min, nan, r, arg(a, ARG_max)), r, arg(a, ARG_max), a->span);
    if (r.kind == VAL_RUN && !dtype_is_float(r.run->type->dtype))
        return fail_val(l, a->span, E_CLAMP, val_text(l, r));
    return r;
}

/* --- integers --- */

/* (x + (d - 1)) // d: Python's on constants, C's at run time (R259). */
/* What a function of two constants, or of one, has given. */
static Val named(Lower *l, SymbolCode op, Val x, Val y, Val v)
{
    if (v.kind != VAL_CONST || x.kind != VAL_CONST || y.kind != VAL_CONST)
        return v;
    Const c = *v.c;
    c.symbol = NULL;
    const_name(l->arena, op, x.c, symbol_info(op)->operands == 2 ? y.c : NULL, &c);
    return val_const(l, c);
}

Val math_cdiv(Lower *l, const Args *a)
{
    Val x = arg(a, ARG_x), div = arg(a, ARG_div);
    Val less = ops_binary(l, BIN_SUB, div, val_int(l, 1), a->span);
    Val sum = ops_binary(l, BIN_ADD, x, less, a->span);

    return named(l, SYMBOL_cdiv, x, div, ops_binary(l, BIN_FLOORDIV, sum, div, a->span));
}

/* 0 for what is not positive, as Triton has it. */
Val math_next_power_of_2(Lower *l, const Args *a)
{
    int64_t n, p = 1;

    if (!arg_int(l, a, ARG_n, &n))
        return val_unknown();
    if (n <= 0)
        return val_int(l, 0);
    while (p < n && p < INT64_MAX / 2)
        p *= 2;
    Val given = arg(a, ARG_n);
    return named(l, SYMBOL_next_power_of_2, given, given, val_int(l, p));
}

static Val smaller(Lower *l, Val x, Val y, Span span)
{
    bool less = false;

    if (!val_is_number(x) || !val_is_number(y))
        return extremum_values(l, OP_min, x, y, span);
    const_compare(CMP_LT, x.c, y.c, &less);
    return less ? x : y;
}

Val math_swizzle2d(Lower *l, const Args *a)
{
    Val size_i = arg(a, ARG_size_i), size_j = arg(a, ARG_size_j), size_g = arg(a, ARG_size_g);
    Span s = a->span;
    Val ij = ops_binary(l, BIN_MUL, arg(a, ARG_i), size_j, s);
    ij = ops_binary(l, BIN_ADD, ij, arg(a, ARG_j), s);
    Val group_size = ops_binary(l, BIN_MUL, size_g, size_j, s);
    Val group = ops_binary(l, BIN_FLOORDIV, ij, group_size, s);
    Val first = ops_binary(l, BIN_MUL, group, size_g, s);
    Val rows = smaller(l, ops_binary(l, BIN_SUB, size_i, first, s), size_g, s);
    Val inside = ops_binary(l, BIN_MOD, ij, group_size, s);
    Val i = ops_binary(l, BIN_ADD, first, ops_binary(l, BIN_MOD, inside, rows, s), s);

    return val_pair(l, i, ops_binary(l, BIN_FLOORDIV, inside, rows, s));
}

Val math_umulhi(Lower *l, const Args *a)
{
    Val x = arg(a, ARG_x), y = arg(a, ARG_y);
    PromoteRule rule = {0};
    Value *vx = arg_run(l, a, ARG_x), *vy = arg_run(l, a, ARG_y);

    if (!vx || !vy || !ops_pair(l, rule, x, y, &vx, &vy, a->span))
        return val_unknown();
    DType t = vx->type->dtype;
    if (!dtype_is_int(t) || dtype_bits(t) < 32)
        return fail_val(l, a->span, E_UMULHI, val_type_text(l, vx->type));
    return val_run(build_binary(&l->b, OP_mulhi, vx, vy));
}

/* --- floats --- */

/* x.exp() takes 16-bit floats, which tl.exp(x) does not (R66); it computes in fp32. */
static bool is_small_self(const Args *a)
{
    Val v = arg(a, ARG_x);

    return arg_is_self(a, ARG_x) && v.kind == VAL_RUN && !v.run->type->pointer &&
           (v.run->type->dtype == DT_FP16 || v.run->type->dtype == DT_BF16);
}

Val math_float(Lower *l, const Args *a)
{
    bool small = is_small_self(a);
    Value *v = small ? build_cast(&l->b, arg(a, ARG_x).run, DT_FP32, ROUND_NEAREST)
                     : float_operand(l, a, ARG_x);

    if (!v)
        return val_unknown();
    v = build_unary(&l->b, (OpCode)a->builtin->data, v);
    return val_run(small ? build_cast(&l->b, v, arg(a, ARG_x).run->type->dtype, ROUND_NEAREST) : v);
}

Val math_abs(Lower *l, const Args *a)
{
    Value *v = arg_run(l, a, ARG_x);

    if (!v)
        return val_unknown();
    if (v->type->pointer)
        return fail_val(l, arg_span(a, ARG_x), E_NEEDS_NUMBERS, "abs", val_type_text(l, v->type));
    ops_warn_of_wrap(l, v, arg_span(a, ARG_x));
    bool never_negative = dtype_is_unsigned(v->type->dtype);
    return val_run(never_negative ? v : build_unary(&l->b, OP_abs, v));
}

Val math_sigmoid(Lower *l, const Args *a)
{
    Value *x = float_operand(l, a, ARG_x), *one, *e;

    if (!x)
        return val_unknown();
    one = scalar_like(l, x, 1);
    e = build_unary(&l->b, OP_exp, build_unary(&l->b, OP_neg, x));
    return val_run(build_binary(&l->b, OP_div, one, build_binary(&l->b, OP_add, one, e)));
}

/* One value per slice, back in the shape of the whole. */
static Value *back_in_shape(Lower *l, Value *v, int axis, const Type *shape)
{
    return ops_to_shape(l, build_expand(&l->b, v, axis), shape);
}

Val math_softmax(Lower *l, const Args *a)
{
    Value *x = float_operand(l, a, ARG_x), *z, *e, *sum;
    int axis = 0;

    if (!x)
        return val_unknown();
    if (x->type->rank == 0)
        return fail_val(l, arg_span(a, ARG_x), E_NEEDS_TILE, a->builtin->name,
                        val_type_text(l, x->type));
    if (arg_given(a, ARG_dim) && !arg_axis(l, a, ARG_dim, x->type->rank, &axis))
        return val_unknown();
    unread_warn(l, a, ARG_x, OP_max, x, axis);
    z = back_in_shape(l, reduce_values(l, OP_max, x, axis), axis, x->type);
    e = build_unary(&l->b, OP_exp, build_binary(&l->b, OP_sub, x, z));
    sum = back_in_shape(l, reduce_values(l, OP_add, e, axis), axis, x->type);
    return val_run(build_binary(&l->b, OP_div, e, sum));
}

Val math_fma(Lower *l, const Args *a)
{
    static const ArgName names[] = {ARG_x, ARG_y, ARG_z};
    PromoteRule rule = {0};
    Value *v[3];

    for (int i = 0; i < COUNT(names); i++) {
        Value *x = arg_run(l, a, names[i]);

        if (!x)
            return val_unknown();
        if (x->type->pointer)
            return fail_val(l, arg_span(a, names[i]), E_NEEDS_NUMBERS, "fma",
                            val_type_text(l, x->type));
    }
    if (!promote_pair(l, rule, arg(a, ARG_x), arg(a, ARG_y), &v[0], &v[1], a->span) ||
        !promote_pair(l, rule, val_run(v[0]), arg(a, ARG_z), &v[0], &v[2], a->span))
        return val_unknown();
    v[1] = build_cast(&l->b, v[1], v[0]->type->dtype, ROUND_NEAREST);
    if (!ops_broadcast_all(l, v, 3, a->span))
        return val_unknown();
    if (dtype_is_float(v[0]->type->dtype))
        return val_run(build_op(&l->b, OP_fma, 3, v, 0, NULL, 0, NULL)->results[0]);
    return val_run(build_binary(&l->b, OP_add, build_binary(&l->b, OP_mul, v[0], v[1]), v[2]));
}

/* R54: no promotion. */
Val math_fdiv(Lower *l, const Args *a)
{
    Value *x = arg_run(l, a, ARG_x), *y = arg_run(l, a, ARG_y);

    if (!x || !y)
        return val_unknown();
    bool floats = !x->type->pointer && !y->type->pointer && dtype_is_float(x->type->dtype) &&
                  dtype_is_float(y->type->dtype);
    if (!floats || x->type->dtype != y->type->dtype)
        return fail_val(l, a->span, E_FDIV, val_type_text(l, x->type), val_type_text(l, y->type));
    if (!ops_broadcast(l, &x, &y, a->span))
        return val_unknown();
    return val_run(build_binary(&l->b, OP_div, x, y));
}

Val math_div_rn(Lower *l, const Args *a)
{
    if (!float_operand(l, a, ARG_x) || !float_operand(l, a, ARG_y))
        return val_unknown();
    return ops_math2(l, OP_div, arg(a, ARG_x), arg(a, ARG_y), a->span);
}
