/*
 * lower_class.c - named tuples, aggregates and enumerations (semantics R3, R31)
 *
 * An instance is a tuple whose items have names; so it goes through loops, branches and calls as
 * any tuple does.  What makes it is the class's __init__, in which `self` is such a tuple whose
 * items are set one after the other, or, without one, the arguments in the order of the fields.
 */
#include "lower.h"

#include <string.h>

enum { MAX_BASES = 16 };

/* --- what a class has --- */

/* The class that a base names; NULL for what is none of the program's, such as NamedTuple, which is
 * no error. */
static const AstClass *base_class(Lower *l, const AstClass *c, const Node *base)
{
    const Where w = {.file = c->file, .scope = c->scope, .before = UINT32_MAX, .any = true};
    int errors = l->quiet_errors;
    Val v = l->language->value_of_host(l, &w, base, c->span);

    l->quiet_errors = errors;
    return v.kind == VAL_CLASS ? v.class : NULL;
}

/* The bases of bases are followed, the first ones: Python's order, where it matters here. */
static const AstClass *next_base(Lower *l, const AstClass *c)
{
    const AstClass *found = NULL;

    for (int i = 0; i < c->nbases && !found; i++)
        found = base_class(l, c, c->bases[i]);
    return found;
}

const AstFunc *class_function(Lower *l, const AstClass *c, Sym name)
{
    const AstFunc *fn = NULL;

    for (int i = 0; c && !fn && i < MAX_BASES; i++) {
        fn = file_find_in(c->file, c->body, name);
        c = fn ? c : next_base(l, c);
    }
    return fn;
}

bool class_is(Lower *l, const AstClass *c, const AstClass *base)
{
    for (int i = 0; c && c != base && i < MAX_BASES; i++)
        c = next_base(l, c);
    return c == base;
}

bool val_is_aggregate(Val v)
{
    return v.kind == VAL_TUPLE && v.tuple->class && v.tuple->class->kind == CLASS_AGGREGATE;
}

/* A base that is no aggregate itself does not make one. */
static bool has_fields(const AstClass *c)
{
    return c->kind == CLASS_AGGREGATE || c->kind == CLASS_NAMED_TUPLE;
}

bool class_lets_run(const AstFunc *fn)
{
    const AstClass *c = fn->scope && fn->scope->is_class ? class_around(fn) : NULL;

    return c && has_fields(c) && (!fn->is_constexpr_function || class_of_init(fn));
}

const AstClass *class_of_init(const AstFunc *fn)
{
    const AstClass *c = strcmp(fn->name, "__init__") == 0 ? class_around(fn) : NULL;

    return c && c->kind == CLASS_AGGREGATE && fn->nparams > 0 ? c : NULL;
}

/* --- fields --- */

typedef struct {
    const AstField *field;
    const AstClass *class; /* that declares it */
} Field;
typedef VEC(Field) Fields;

/* Those of the bases go first. */
static void put_fields(Lower *l, const AstClass *c, int depth, Fields *out)
{
    const AstClass *base = depth < MAX_BASES ? next_base(l, c) : NULL;

    if (base && has_fields(base))
        put_fields(l, base, depth + 1, out);
    for (int i = 0; i < c->nfields; i++) {
        Field f = {&c->fields[i], c};
        int at = 0;

        while (at < out->len && out->at[at].field->name != f.field->name)
            at++;
        if (at < out->len)
            out->at[at] = f; /* declared again */
        else
            vec_push(l->arena, out, f);
    }
}

static Val default_of(Lower *l, const Field *f, Span span)
{
    const Where w = {
        .file = f->class->file, .scope = f->class->scope, .before = UINT32_MAX, .any = true};
    Val v = l->language->value_of_host(l, &w, f->field->value, span);

    return v.kind == VAL_UNKNOWN ? fail_val(l, span, E_FIELD_DEFAULT, f->field->name) : v;
}

/* --- instances --- */

static Val instance(Lower *l, const AstClass *c, const Fields *fields, const Val *items)
{
    Sym *names = NEW_N(l->arena, Sym, fields->len + 1);
    const Tuple like = {.n = fields->len, .fields = names, .class = c};

    for (int i = 0; i < fields->len; i++)
        names[i] = fields->at[i].field->name;
    return val_tuple_like(l, &like, items);
}

/* Is every field of a new instance set? */
static Val check_set(Lower *l, const AstClass *c, Val v, Span span)
{
    for (int i = 0; v.kind == VAL_TUPLE && i < v.tuple->n; i++) {
        if (v.tuple->items[i].kind == VAL_UNDEFINED)
            return fail_val(l, span, E_FIELD_UNSET, c->name, v.tuple->fields[i]);
    }
    return v;
}

static Val construct(Lower *l, const AstClass *c, const Fields *fields, const AstFunc *init,
                     const ArgList *args)
{
    Val *items = NEW_N(l->arena, Val, fields->len + 1);

    for (int i = 0; i < fields->len; i++)
        items[i] = (Val){.kind = VAL_UNDEFINED};
    ArgList all = arguments_behind(l, instance(l, c, fields, items), args, args->span);
    return check_set(l, c, call_function(l, init, &all), args->span);
}

Val class_call(Lower *l, const AstClass *c, const ArgList *args)
{
    const AstFunc *init =
        c->kind == CLASS_AGGREGATE ? class_function(l, c, intern(l->interner, "__init__")) : NULL;
    Fields fields = {0};

    if (!has_fields(c))
        return fail_hint(l, args->span, H_CLASS_NO_VALUE, E_CLASS_NO_VALUE, c->name);
    put_fields(l, c, 0, &fields);
    if (init)
        return construct(l, c, &fields, init, args);
    PyParam *params = NEW_N(l->arena, PyParam, fields.len + 1);
    int *index = NEW_N(l->arena, int, fields.len + 1);
    Val *items = NEW_N(l->arena, Val, fields.len + 1);
    for (int i = 0; i < fields.len; i++)
        params[i] =
            (PyParam){fields.at[i].field->name, fields.at[i].field->value != NULL, false, false};
    if (!lower_bind_arguments(l, c->name, params, fields.len, args, index))
        return val_unknown();
    for (int i = 0; i < fields.len; i++)
        items[i] = index[i] >= 0 ? args->at[index[i]].v : default_of(l, &fields.at[i], args->span);
    return instance(l, c, &fields, items);
}

bool class_set_field(Lower *l, const Node *target, Val v)
{
    const AstFunc *fn = l->frame->fn;
    Sym self = class_of_init(fn) ? fn->params[0].name : NULL;
    Binding *b = self ? env_find(l, self) : NULL;
    int field;

    if (!b || target->left->kind != N_NAME || target->left->name != self ||
        b->val.kind != VAL_TUPLE || v.kind == VAL_UNKNOWN)
        return b != NULL && v.kind == VAL_UNKNOWN;
    field = field_index(b->val.tuple->fields, b->val.tuple->n, target->name);
    if (field < 0)
        return false;
    Val now = val_tuple_like(l, b->val.tuple, b->val.tuple->items);
    now.tuple->items[field] = v;
    Binding set = *b;
    set.val = now;
    env_put(l, env_slot(l, self), set);
    return true;
}

Val class_replace(Lower *l, const ArgList *args)
{
    Val self = args->n > 0 && !args->at[0].keyword ? args->at[0].v : val_unknown();

    if (self.kind == VAL_UNKNOWN && args->n > 0 && !args->at[0].keyword)
        return self;
    if (!val_is_aggregate(self))
        return fail_val(l, args->span, E_REPLACE_INSTANCE);
    Val out = val_tuple_like(l, self.tuple, self.tuple->items);
    for (int i = 1; i < args->n; i++) {
        const Arg *a = &args->at[i];
        int field = a->keyword ? field_index(out.tuple->fields, out.tuple->n, a->keyword) : -1;

        if (a->v.kind == VAL_UNKNOWN)
            return a->v;
        if (field < 0)
            return fail_val(l, a->keyword ? a->word : args->span, E_REPLACE_FIELD,
                            self.tuple->class->name, a->keyword ? a->keyword : "");
        out.tuple->items[field] = a->v;
    }
    return out;
}

/* --- members --- */

/* A member of an enumeration has a name and a value; of those of integers the value is all. */
static Val enum_member(Lower *l, const AstClass *c, const AstGlobal *g, Span span)
{
    const Where w = {.file = c->file, .scope = c->body, .before = g->start, .any = true};
    const Sym names[] = {intern(l->interner, "name"), intern(l->interner, "value")};
    Sym *fields = NEW_N(l->arena, Sym, COUNT(names));
    Val v = l->language->value_of_host(l, &w, g->value, span);

    if (v.kind == VAL_UNKNOWN)
        return fail_val(l, span, E_MEMBER_VALUE, c->name, g->name);
    for (int i = 0; i < c->nbases; i++) {
        const char *base = file_full_name_in(c->file, c->bases[i], l->arena);

        if (base && strstr(base, "Int"))
            return v;
    }
    memcpy(fields, names, sizeof names);
    const Tuple like = {.n = 2, .fields = fields, .class = c};
    return val_tuple_like(l, &like, (Val[]){val_string(l, g->name), v});
}

/* The class's own, or that of one of its bases. */
static bool attribute_of_class(Lower *l, const AstClass *c, Sym name, Span span, Val *out)
{
    bool found = false;

    for (int i = 0; c && !found && i < MAX_BASES; i++) {
        found = l->language->class_attribute(l, c, name, span, out);
        c = found ? c : next_base(l, c);
    }
    return found;
}

Val class_member(Lower *l, const AstClass *c, Sym name, Span span)
{
    const AstFunc *fn = class_function(l, c, name);
    const AstGlobal *g = file_assigned(c->file, c->body, name, UINT32_MAX);
    Fields fields = {0};
    Val v;

    if (fn)
        return (Val){.kind = VAL_FUNC, .func = fn};
    if (c->kind == CLASS_ENUM && g)
        return enum_member(l, c, g, span);
    if (has_fields(c))
        put_fields(l, c, 0, &fields);
    for (int i = 0; i < fields.len; i++) {
        if (fields.at[i].field->name == name && fields.at[i].field->value)
            return default_of(l, &fields.at[i], span);
    }
    if (attribute_of_class(l, c, name, span, &v))
        return v;
    return fail_val(l, span, E_NO_ATTRIBUTE, val_text(l, (Val){.kind = VAL_CLASS, .class = c}),
                    name);
}

/* --- operators --- */

static const AstClass *class_of(Val v)
{
    return v.kind == VAL_TUPLE ? v.tuple->class : NULL;
}

static const AstFunc *function_of(Lower *l, Val v, const char *name)
{
    const AstClass *c = class_of(v);

    return c ? class_function(l, c, intern(l->interner, name)) : NULL;
}

/* fn(self, other) */
static Val call_of_two(Lower *l, const AstFunc *fn, const Arg *self, const Arg *other, Span span)
{
    Arg second = *other;
    const ArgList one = {&second, 1, span};
    const ArgList both = arguments_behind(l, self->v, &one, self->node->span);

    return call_function(l, fn, &both);
}

bool class_binary(Lower *l, BinaryOp op, const Arg *x, const Arg *y, Span span, Val *out)
{
    static const char *const names[] = {
        [BIN_ADD] = "add",           [BIN_SUB] = "sub", [BIN_MUL] = "mul", [BIN_DIV] = "truediv",
        [BIN_FLOORDIV] = "floordiv", [BIN_MOD] = "mod", [BIN_POW] = "pow", [BIN_MATMUL] = "matmul",
        [BIN_AND] = "and",           [BIN_OR] = "or",   [BIN_XOR] = "xor", [BIN_SHL] = "lshift",
        [BIN_SHR] = "rshift",
    };
    const AstClass *a = class_of(x->v), *b = class_of(y->v);

    if ((!a && !b) || x->v.kind == VAL_UNKNOWN || y->v.kind == VAL_UNKNOWN)
        return false;
    const char *name = arena_printf(l->arena, "__%s__", names[op]);
    const char *reflected = arena_printf(l->arena, "__r%s__", names[op]);
    const AstFunc *fn = function_of(l, x->v, name);
    const AstFunc *behind = a != b ? function_of(l, y->v, reflected) : NULL; /* as in Python */
    if (fn)
        *out = call_of_two(l, fn, x, y, span);
    else if (behind)
        *out = call_of_two(l, behind, y, x, span);
    else if (val_is_aggregate(x->v))
        *out = fail_val(l, span, E_CLASS_OPERATOR, a->name, name);
    else if (val_is_aggregate(y->v))
        *out = fail_val(l, span, E_CLASS_OPERATOR, b->name, reflected);
    else
        return false;
    return true;
}

bool class_compare(Lower *l, CompareOp op, const Arg *x, const Arg *y, Span span, Val *out)
{
    static const char *const names[] = {
        [CMP_EQ] = "__eq__", [CMP_NE] = "__ne__", [CMP_LT] = "__lt__",
        [CMP_LE] = "__le__", [CMP_GT] = "__gt__", [CMP_GE] = "__ge__",
    };
    const char *name = (size_t)op < COUNT(names) ? names[op] : NULL;
    const AstFunc *fn = name && y->v.kind != VAL_UNKNOWN ? function_of(l, x->v, name) : NULL;

    if (fn)
        *out = call_of_two(l, fn, x, y, span);
    return fn != NULL;
}

bool class_unary(Lower *l, UnaryOp op, const Arg *x, Span span, Val *out)
{
    static const char *const names[] = {
        [UN_PLUS] = "__pos__", [UN_MINUS] = "__neg__", [UN_INVERT] = "__invert__"};
    const AstFunc *fn = function_of(l, x->v, names[op]);
    const ArgList none = {.span = span}, self = arguments_behind(l, x->v, &none, x->node->span);

    if (fn)
        *out = call_function(l, fn, &self);
    else if (val_is_aggregate(x->v))
        *out = fail_val(l, span, E_CLASS_OPERATOR, x->v.tuple->class->name, names[op]);
    else
        return false;
    return true;
}
