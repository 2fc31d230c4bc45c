/*
 * builtin_say.c - what a program says while it runs: print, device_print, assert, device_assert
 *
 * A print becomes one `record`, whose message has a {} for each value that is only known when the
 * kernel runs; what is known now stands in the message itself.  R numbers are rules of the language
 * (docs/language.md).
 */
#include <string.h>

#include "tl.h"

/* Braces in a message stand for values, so those of a text are doubled. */
static void put_text(Text *t, const char *s)
{
    for (; *s; s++) {
        text_putn(t, s, 1);
        if (*s == '{' || *s == '}')
            text_putn(t, s, 1);
    }
}

/* A newcomer's "%d", a letter of printf's behind a percent sign, or "{}". */
static void warn_of_format(Lower *l, const char *s, Span span)
{
    const char *at = strchr(s, '%'), *braces = strstr(s, "{}");
    size_t n = at ? 1 + strspn(at + 1, "-+ 0123456789.l") : 0;

    if (braces)
        warn_at(l, span, W_PRINT_FORMAT, 2, braces);
    else if (at && at[n] && strchr("cdefgiosuxX", at[n]))
        warn_at(l, span, W_PRINT_FORMAT, (int)n + 1, at);
}

/* R290: `x`, `x:` and `x: ` all become ` x: ` in front of values. */
static void put_prefix(Lower *l, Text *t, const char *s, bool has_values)
{
    size_t n = strlen(s);
    bool spaced = n > 0 && s[n - 1] == ' ';
    bool done = spaced && n > 1 && s[n - 2] == ':';

    put_text(t, s[0] == ' ' || (has_values && n == 0) ? "" : " ");
    if (!has_values || done) {
        put_text(t, s);
        return;
    }
    bool colon = !spaced && n > 0 && s[n - 1] == ':';
    put_text(t, arena_strndup(l->arena, s, spaced ? n - 1 : n));
    text_put(t, colon ? " " : ": ");
}

typedef struct {
    Text message;
    VEC(Value *) values;
} Saying;

/* False after an error. */
static bool say_value(Lower *l, Saying *s, Val v, Span span)
{
    if (v.kind == VAL_TUPLE) {
        text_put(&s->message, "(");
        for (int i = 0; i < v.tuple->n; i++) {
            text_put(&s->message, i > 0 ? ", " : "");
            if (!say_value(l, s, v.tuple->items[i], span))
                return false;
        }
        text_put(&s->message, ")");
        return true;
    }
    if (v.kind == VAL_RUN || val_is_number(v)) {
        Value *x = val_to_run(l, v, span);
        if (x)
            vec_push(l->arena, &s->values, x);
        text_put(&s->message, "{}");
        return x != NULL;
    }
    Const c;
    put_text(&s->message, val_to_const(l, v, &c) ? const_str(&c, l->arena) : val_text(l, v));
    return v.kind != VAL_UNKNOWN;
}

Val say_print(Lower *l, const Args *a)
{
    const Tuple *values = arg(a, ARG_args).tuple;
    Saying s = {.message = text_new(l->arena)};
    bool hex = false;

    if (!val_is_const(arg(a, ARG_prefix), CONST_STRING)) {
        error_at(l, arg_span(a, ARG_prefix), E_PRINT_PREFIX, val_text(l, arg(a, ARG_prefix)));
        hint_at(l, H_PRINT_PREFIX);
        return val_unknown();
    }
    if (!arg_bool(l, a, ARG_hex, &hex))
        return val_unknown();
    warn_of_format(l, const_str(arg(a, ARG_prefix).c, l->arena), arg_span(a, ARG_prefix));
    put_prefix(l, &s.message, const_str(arg(a, ARG_prefix).c, l->arena), values->n > 0);
    for (int i = 0; i < values->n; i++) {
        text_put(&s.message, i > 0 ? ", " : "");
        if (!say_value(l, &s, values->items[i], arg_span(a, ARG_args)))
            return val_unknown();
    }
    Op *op = build_op(&l->b, OP_record, s.values.len, s.values.at, 0, NULL, 0, NULL);
    attr_set(op, ATTR_record_kind, RECORD_PRINT);
    attr_set(op, ATTR_message, attr_of_text(l->module, s.message.s, s.message.len));
    attr_set(op, ATTR_hex, hex);
    return val_none(l);
}

/* i1, of what is asserted; NULL after an error. */
static Value *asserted_condition(Lower *l, Val c, Span span)
{
    if (c.kind == VAL_TUPLE) {
        error_at(l, span, E_ASSERT_TUPLE);
        hint_at(l, H_ASSERT_TUPLE);
        return NULL;
    }
    if (val_is_const(c, CONST_STRING)) {
        error_at(l, span, E_ASSERT_TEXT);
        hint_at(l, H_ASSERT_TEXT);
        return NULL;
    }
    if (c.kind == VAL_CONST)
        return build_int(&l->b, type_scalar(l->module, DT_I1), const_truth(c.c));
    Value *v = val_to_run(l, c, span);
    return v ? ops_cast(l, v, DT_I1, ROUND_NEAREST, span) : NULL;
}

/* One that is known to hold says nothing, and none does where the launch asks for no assertions. */
static void build_assert(Lower *l, Value *const *v, int n, const char *message)
{
    int64_t known;

    if (l->drops_asserts || (value_const_int(v[ASSERT_CONDITION], &known) && known))
        return;
    Op *op = build_op(&l->b, OP_assert, n, v, 0, NULL, 0, NULL);
    attr_set(op, ATTR_message, attr_of_text(l->module, message, strlen(message)));
}

static const char *message_text(Lower *l, Val v)
{
    Const c;

    return val_is_none(v) ? "" : val_to_const(l, v, &c) ? const_str(&c, l->arena) : val_text(l, v);
}

Val say_assert(Lower *l, const Args *a)
{
    Value *v[2];
    int n = arg_given(a, ARG_mask) ? 2 : 1;

    if (arg_unknown(a))
        return val_unknown();
    v[ASSERT_CONDITION] = asserted_condition(l, arg(a, ARG_cond), arg_span(a, ARG_cond));
    v[ASSERT_MASK] = n == 2 ? asserted_condition(l, arg(a, ARG_mask), arg_span(a, ARG_mask)) : NULL;
    if (!v[ASSERT_CONDITION] || (n == 2 && !v[ASSERT_MASK]) || !ops_broadcast_all(l, v, n, a->span))
        return val_unknown();
    build_assert(l, v, n, message_text(l, arg(a, ARG_msg)));
    return val_none(l);
}

/* R297: x itself, which must be 0 where the mask is. */
Val say_expect_zero(Lower *l, const Args *a)
{
    Value *v[2], *x = arg_run(l, a, ARG_x);

    if (!x)
        return val_unknown();
    v[ASSERT_CONDITION] = asserted_condition(l, val_run(x), arg_span(a, ARG_x));
    v[ASSERT_MASK] = asserted_condition(l, arg(a, ARG_mask), arg_span(a, ARG_mask));
    if (!v[ASSERT_CONDITION] || !v[ASSERT_MASK])
        return val_unknown();
    v[ASSERT_CONDITION] = build_unary(&l->b, OP_not, v[ASSERT_CONDITION]);
    if (!ops_broadcast_all(l, v, 2, a->span))
        return val_unknown();
    build_assert(l, v, 2, "expected zero where the mask is true");
    return val_run(x);
}

void say_overflow(Lower *l, Value *result, Value *x, Value *y, Span span)
{
    static const struct {
        OpCode code;
        const char *name;
    } names[] = {{OP_add, "add"}, {OP_sub, "sub"}, {OP_mul, "mul"}};
    DType t = result->type->dtype;
    const char *name = NULL;

    for (int i = 0; i < COUNT(names); i++)
        name = names[i].code == result->def->code ? names[i].name : name;
    if (!name || !dtype_is_int(t) || t == DT_I1 || dtype_bits(t) >= 64)
        return;
    Value *wide_y = build_cast(&l->b, y, DT_I64, ROUND_NEAREST);
    Value *wide =
        build_binary(&l->b, result->def->code, build_cast(&l->b, x, DT_I64, ROUND_NEAREST), wide_y);
    Value *same =
        build_binary(&l->b, OP_eq, wide, build_cast(&l->b, result, DT_I64, ROUND_NEAREST));
    l->b.span = span;
    Text text = text_new(l->arena);
    text_printf(&text, "%s overflow detected for operation %s", dtype_long_name(t), name);
    build_assert(l, &same, 1, text.s);
}

void lower_assert(Lower *l, const Node *n)
{
    Val c = lower_expr(l, n->left), message = n->right ? lower_expr(l, n->right) : val_none(l);

    if (c.kind == VAL_UNKNOWN)
        return;
    l->b.span = n->left->span;
    Value *v = asserted_condition(l, c, n->left->span);
    if (v)
        build_assert(l, &v, 1, message_text(l, message));
}
