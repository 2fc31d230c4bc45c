/*
 * builtin_static.c - what runs at compile time, promises and notes to the compiler (semantics R8
 * to R11, R290 to R301)
 */
#include "tl.h"

#include <math.h>
#include <string.h>

/* --- constexpr and types --- */

Val static_constexpr(Lower *l, const Args *a)
{
    if (!val_is_known(arg(a, ARG_value))) {
        error_at(l, arg_span(a, ARG_value), E_NOT_CONSTEXPR, "tl.constexpr",
                 val_text(l, arg(a, ARG_value)));
        hint_not_constexpr(l, arg_node(a, ARG_value));
        return val_unknown();
    }
    return arg(a, ARG_value);
}

/* A constant is its own value here. */
Val static_unwrap(Lower *l, const Args *a)
{
    (void)l;
    return arg(a, ARG_value);
}

Val static_pointer_type(Lower *l, const Args *a)
{
    const Type *t;
    bool is_const;

    if (!arg_dtype(l, a, ARG_element_ty, &t) || !arg_bool(l, a, ARG_const, &is_const))
        return val_unknown();
    if (t->pointer)
        return fail_val(l, arg_span(a, ARG_element_ty), E_POINTER_POINTER);
    return val_type(type_pointer(l->module, t->dtype, is_const));
}

/* tl.dtype("fp32"), tl.dtype("uint8") */
Val static_dtype(Lower *l, const Args *a)
{
    const char *name;
    DType t;

    if (arg(a, ARG_name).kind == VAL_TYPE)
        return arg(a, ARG_name);
    if (!arg_string(l, a, ARG_name, &name))
        return val_unknown();
    if (dtype_from_name(name, strlen(name), &t) || dtype_from_long_name(name, strlen(name), &t))
        return val_dtype(l, t);
    return fail_val(l, arg_span(a, ARG_name), E_NOT_A_DTYPE, a->builtin->name, name);
}

/* tl.core.get_int_dtype(bits, signed) */
Val static_int_dtype(Lower *l, const Args *a)
{
    static const DType ints[] = {DT_I8, DT_I16, DT_I32, DT_I64, DT_U8, DT_U16, DT_U32, DT_U64};
    int64_t bits;
    bool is_signed;

    if (!arg_int(l, a, ARG_bitwidth, &bits) || !arg_bool(l, a, ARG_signed, &is_signed))
        return val_unknown();
    if (bits == 1 && !is_signed)
        return val_dtype(l, DT_I1);
    for (int i = 0; i < COUNT(ints); i++) {
        if (dtype_bits(ints[i]) == bits && dtype_is_signed(ints[i]) == is_signed)
            return val_dtype(l, ints[i]);
    }
    return fail_val(l, a->span, E_INT_DTYPE, (long long)bits);
}

Val static_class(Lower *l, const Args *a)
{
    const char *advice = advice_for_function(a->builtin->name);

    error_at(l, a->span, E_CLASS_CALL, a->builtin->name);
    if (advice)
        hint_at(l, "%s", advice);
    return val_unknown();
}

/* tl.tuple of a tuple is that tuple. */
Val static_tuple(Lower *l, const Args *a)
{
    const Tuple *t = arg(a, ARG_values).tuple;

    return t->n == 1 && t->items[0].kind == VAL_TUPLE ? t->items[0] : static_class(l, a);
}

static Val type_of_constant(Lower *l, const Args *a, Val v)
{
    Val *types;
    DType t;

    if (val_is_number(v))
        return literal_dtype(l, v.c, a->span, &t) ? val_const_type(l, v.c, t) : val_unknown();
    if (v.kind != VAL_TUPLE)
        return fail_val(l, a->span, E_WRONG_KIND, a->builtin->name,
                        "a number known at compile time", val_text(l, v));
    types = NEW_N(l->arena, Val, v.tuple->n + 1);
    for (int i = 0; i < v.tuple->n; i++)
        types[i] = type_of_constant(l, a, v.tuple->items[i]);
    return val_tuple(l, v.tuple->n, types);
}

/* tl.constexpr_type(10): what `.type` of the constant is; of a tuple those of its items. */
Val static_constexpr_type(Lower *l, const Args *a)
{
    return type_of_constant(l, a, arg(a, ARG_value));
}

/* tl.tuple_type([tl.int32, ...]): what the type of a tuple is compared with. */
Val static_tuple_type(Lower *l, const Args *a)
{
    Val types = arg(a, ARG_types);

    if (types.kind != VAL_TUPLE)
        return fail_val(l, arg_span(a, ARG_types), E_WRONG_KIND, a->builtin->name,
                        "a list of types", val_text(l, types));
    return types;
}

/* triton.language.standard._log2: how often a compile-time integer can be halved. */
Val static_log2(Lower *l, const Args *a)
{
    int64_t i;
    int n = 0;

    if (!arg_int(l, a, ARG_i, &i))
        return val_unknown();
    while (i > 1) {
        i /= 2;
        n++;
    }
    return val_int(l, n);
}

/* A range outside of `for`. */
Val static_range(Lower *l, const Args *a)
{
    error_at(l, a->span, E_RANGE_VALUE, a->builtin->name);
    hint_at(l, H_RANGE_VALUE);
    return val_unknown();
}

/* --- Python's builtins (R9, R11) --- */

Val static_len(Lower *l, const Args *a)
{
    Val v = arg(a, ARG_obj);

    if (v.kind == VAL_TUPLE)
        return val_int(l, v.tuple->n);
    if (val_is_const(v, CONST_STRING))
        return val_int(l, (int64_t)v.c->ntext);
    error_at(l, arg_span(a, ARG_obj), E_LEN, val_text(l, v));
    if (v.kind == VAL_RUN && v.run->type->rank > 0)
        hint_at(l, H_LEN);
    else if (v.kind == VAL_RUN && v.run->type->pointer)
        hint_at(l, H_LEN_POINTER);
    return val_unknown();
}

/* What a kernel converts to where Python calls the function. */
static const char *conversion_dtype(const char *function)
{
    bool integer = strcmp(function, "int") == 0;

    return dtype_long_name(integer ? DT_I32 : strcmp(function, "bool") == 0 ? DT_I1 : DT_FP32);
}

static Val bad_conversion(Lower *l, const Args *a)
{
    bool runs = arg(a, ARG_x).kind == VAL_RUN;

    error_at(l, arg_span(a, ARG_x), runs ? E_CONVERSION : E_CONVERSION_VALUE, a->builtin->name,
             val_text(l, arg(a, ARG_x)));
    if (runs)
        hint_at(l, H_CONVERSION, conversion_dtype(a->builtin->name));
    return val_unknown();
}

/* int(), float(), bool(): Python's, on what is known at compile time. */
Val static_python(Lower *l, const Args *a)
{
    const PyFunction f = {.builtin = py_builtin(a->builtin->name)};
    const Const function = {.kind = CONST_FUNCTION, .function = &f};
    Arg one = {.v = arg(a, ARG_x), .node = arg_node(a, ARG_x)};
    const ArgList args = {.at = &one, .n = 1, .span = a->span};

    if (arg(a, ARG_x).kind == VAL_RUN)
        return bad_conversion(l, a);
    if (!val_is_known(arg(a, ARG_x)))
        return bad_conversion(l, a);
    return static_call(l, &function, &args);
}

bool value_is_instance(Val v, const char *class)
{
    if (strcmp(class, "tensor") == 0)
        return v.kind == VAL_RUN && !val_is_handle(v);
    if (strcmp(class, "tensor_descriptor") == 0)
        return val_is_handle(v) && v.run->type->handle == HANDLE_DESCRIPTOR;
    if (strcmp(class, "tuple") == 0)
        return v.kind == VAL_TUPLE;
    if (strcmp(class, "pointer_type") == 0)
        return v.kind == VAL_TYPE && v.type->pointer && v.type->rank == 0;
    if (strcmp(class, "block_type") == 0)
        return v.kind == VAL_TYPE && v.type->rank > 0;
    if (strcmp(class, "dtype") == 0)
        return v.kind == VAL_TYPE;
    if (strcmp(class, "constexpr_type") == 0)
        return v.kind == VAL_CONST_TYPE;
    if (strcmp(class, "int") == 0)
        return v.kind == VAL_CONST && const_is_integral(v.c);
    if (strcmp(class, "float") == 0)
        return val_is_const(v, CONST_FLOAT);
    if (strcmp(class, "bool") == 0)
        return val_is_const(v, CONST_BOOL);
    if (strcmp(class, "str") == 0)
        return val_is_const(v, CONST_STRING);
    return false; /* constexpr too: R9 looks at what is inside */
}

Val static_isinstance(Lower *l, const Args *a)
{
    Val class = arg(a, ARG_classinfo);
    int n = class.kind == VAL_TUPLE ? class.tuple->n : 1;
    bool is = false;

    for (int i = 0; i < n; i++) {
        Val c = class.kind == VAL_TUPLE ? class.tuple->items[i] : class;
        if (c.kind == VAL_CLASS) {
            is |= arg(a, ARG_obj).kind == VAL_TUPLE && arg(a, ARG_obj).tuple->class &&
                  class_is(l, arg(a, ARG_obj).tuple->class, c.class);
            continue;
        }
        if (c.kind != VAL_BUILTIN || !(c.builtin->where & IN_CLASS))
            return fail_val(l, arg_span(a, ARG_classinfo), E_ISINSTANCE, val_text(l, c));
        is |= value_is_instance(arg(a, ARG_obj), c.builtin->name);
    }
    return val_bool(l, is);
}

/* x.NAME by a compile-time string. */
static Val attribute_of(Lower *l, const Args *a)
{
    const char *name;

    if (!arg_string(l, a, ARG_name, &name))
        return val_unknown();
    return l->language->value_attribute(l, arg(a, ARG_obj), intern(l->interner, name),
                                        arg_span(a, ARG_name));
}

static Val try_attribute(Lower *l, const Args *a, bool *found)
{
    int errors = l->quiet_errors;
    Val v;

    l->quiet++;
    v = attribute_of(l, a);
    l->quiet--;
    *found = errors == l->quiet_errors;
    return v;
}

Val static_getattr(Lower *l, const Args *a)
{
    bool found;
    Val v = try_attribute(l, a, &found);

    if (found)
        return v;
    return arg_node(a, ARG_default) ? arg(a, ARG_default) : attribute_of(l, a);
}

Val static_hasattr(Lower *l, const Args *a)
{
    bool found;

    try_attribute(l, a, &found);
    return val_bool(l, found);
}

static bool all_numbers(const Tuple *t)
{
    for (int i = 0; i < t->n; i++) {
        if (!val_is_number(t->items[i]))
            return false;
    }
    return true;
}

/* NaN and -0.0: Python's answer would depend on the order. */
static bool has_no_order(const Tuple *t)
{
    for (int i = 0; i < t->n; i++) {
        const Const *c = t->items[i].c;

        if (c->kind == CONST_FLOAT && (isnan(c->real) || (c->real == 0 && signbit(c->real))))
            return true;
    }
    return false;
}

static Val python_extremum(Lower *l, const Args *a, const Tuple *t)
{
    if (!l->frame->is_static && t->n > 1 && has_no_order(t))
        return fail_val(l, a->span, E_EXTREMUM_ORDER, a->builtin->name);
    const PyFunction f = {.builtin = py_builtin(a->builtin->name)};
    const Const function = {.kind = CONST_FUNCTION, .function = &f};
    ArgList args = {.at = NEW_N(l->arena, Arg, t->n + 1), .n = t->n, .span = a->span};

    for (int i = 0; i < t->n; i++)
        args.at[i].v = t->items[i];
    if (t->n == 1) /* Python takes one argument for the list of them */
        return t->items[0];
    return static_call(l, &function, &args);
}

/* min, max: Python's on constants, else a fold of tl.minimum or tl.maximum (R11). */
Val static_extremum(Lower *l, const Args *a)
{
    const Tuple *t = arg(a, ARG_values).tuple;

    if (t->n == 1 && t->items[0].kind == VAL_TUPLE)
        t = t->items[0].tuple;
    if (t->n == 0 || (t->n == 1 && !all_numbers(t))) {
        error_at(l, a->span, E_EXTREMUM_ARGS, a->builtin->name);
        hint_at(l, H_EXTREMUM_TILE, a->builtin->name);
        return val_unknown();
    }
    if (all_numbers(t))
        return python_extremum(l, a, t);
    Val v = t->items[0];
    for (int i = 1; i < t->n; i++)
        v = extremum_values(l, (OpCode)a->builtin->data, v, t->items[i], a->span);
    return v;
}

/* --- printing --- */

/* What is known at run time only, as Triton's print() shows it: "int32[constexpr[128]]" of a tile,
 * "int32[]" of a scalar. */
static const char *run_text(Lower *l, const Type *t)
{
    Type scalar = *t;
    Text s = text_new(l->arena);

    if (t->handle != HANDLE_NONE)
        return val_type_text(l, t);
    scalar.rank = 0;
    text_printf(&s, "%s[", val_type_text(l, &scalar));
    for (int i = 0; i < t->rank; i++)
        text_printf(&s, "%sconstexpr[%d]", i ? ", " : "", t->dims[i]);
    text_put(&s, "]");
    return s.s;
}

static const char *printed_text(Lower *l, Val v)
{
    Const c;

    if (val_to_const(l, v, &c))
        return const_str(&c, l->arena);
    return v.kind == VAL_RUN ? run_text(l, v.run->type) : val_text(l, v);
}

/* A compile-time print shows up among the diagnostics (R294). */
Val static_print(Lower *l, const Args *a)
{
    const Tuple *t = arg(a, ARG_values).tuple;
    Text s = text_new(l->arena);

    text_put(&s, "");
    for (int i = 0; i < t->n; i++)
        text_printf(&s, "%s%s", i ? " " : "", printed_text(l, t->items[i]));
    print_at(l, a->span, s.s);
    return val_none(l);
}

/* --- promises (R300, R301) --- */

static bool check_promise(Lower *l, const Args *a, const Type *t, int n)
{
    int want = t->rank > 0 ? t->rank : 1;
    bool scalar_runs = t->rank == 0 && a->builtin->data != HINT_MULTIPLE_OF;

    if (n == want && !scalar_runs)
        return true;
    error_at(l, arg_span(a, ARG_values), E_PROMISE_LENGTH, a->builtin->name, val_type_text(l, t),
             n);
    return false;
}

Val hint_promise(Lower *l, const Args *a)
{
    int64_t attrs[1 + MAX_RANK] = {a->builtin->data};
    Value *v;
    int n;

    if (arg(a, ARG_input).kind == VAL_CONST) /* nothing to promise about a constant */
        return arg(a, ARG_input);
    v = arg_run(l, a, ARG_input);
    if (!v || !arg_ints(l, a, ARG_values, MAX_RANK, attrs + 1, &n) ||
        !check_promise(l, a, v->type, n))
        return val_unknown();
    for (int i = 1; i <= n; i++) {
        if (attrs[i] < 1)
            return fail_val(l, arg_span(a, ARG_values), E_PROMISE, (long long)attrs[i]);
    }
    return val_run(build_op(&l->b, OP_hint, 1, &v, 1 + n, attrs, 0, NULL)->results[0]);
}

Val hint_assume(Lower *l, const Args *a)
{
    Value *c;

    if (arg(a, ARG_cond).kind == VAL_CONST) {
        if (!const_truth(arg(a, ARG_cond).c))
            warn_at(l, arg_span(a, ARG_cond), W_ASSUME_FALSE);
        return val_none(l);
    }
    c = lower_condition(l, arg(a, ARG_cond), arg_span(a, ARG_cond), H_AMBIGUOUS_ASSUME);
    if (!c)
        return val_unknown();
    build_op(&l->b, OP_assume, 1, &c, 0, NULL, 0, NULL);
    return val_none(l);
}

Val hint_condition(Lower *l, const Args *a)
{
    (void)l;
    return arg(a, ARG_arg);
}

/* R303: of the launch, or 4 where nobody asked for a number, which then is asked for; or that many
 * threads. */
Val static_warps(Lower *l, const Args *a)
{
    enum { USUAL = 4 };

    if (l->num_warps == 0)
        l->num_warps = USUAL;
    return val_int(l, l->num_warps * a->builtin->data);
}

Val static_no(Lower *l, const Args *a)
{
    (void)a;
    return val_bool(l, false);
}

Val hint_nothing(Lower *l, const Args *a)
{
    (void)a;
    return val_none(l);
}
