/*
 * lower_call.c - calls: evaluating and binding arguments, calling helpers (semantics R22, R30,
 * R72, R140 to R144)
 */
#include "lower.h"
#include "../syntax/parse.h"

#include <string.h>

/* --- arguments --- */

static void push_arg(Lower *l, ArgList *list, Arg arg)
{
    if ((list->n & (list->n - 1)) == 0) /* full: the room is a power of two */
        list->at = arena_grow(l->arena, list->at, sizeof(Arg) * (size_t)list->n,
                              sizeof(Arg) * (size_t)MAX(2 * list->n, 1));
    list->at[list->n++] = arg;
}

static void push_starred(Lower *l, ArgList *list, const Node *n)
{
    Val v = lower_expr(l, n->left);

    if (v.kind != VAL_TUPLE && v.kind != VAL_UNKNOWN) {
        error_at(l, n->span, E_STARRED, val_text(l, v));
        if (v.kind == VAL_RUN && v.run->type->pointer)
            hint_at(l, H_STARRED);
    }
    if (v.kind != VAL_TUPLE) {
        push_arg(l, list, (Arg){.v = val_unknown(), .node = n->left});
        return;
    }
    for (int i = 0; i < v.tuple->n; i++)
        push_arg(l, list, (Arg){.v = v.tuple->items[i], .node = n->left});
}

static void push_keyword(Lower *l, ArgList *list, const Node *n, Admitted admitted)
{
    uint32_t start = n->span.start;
    Arg arg = {lower_admitting(l, n->left, admitted),
               n->left,
               n->name,
               {start, start + (uint32_t)strlen(n->name)}};

    push_arg(l, list, arg);
}

ArgList lower_arguments(Lower *l, const Node *call, Admitted admitted)
{
    ArgList list = {.span = call->span};

    for (int i = 0; i < call->nitems; i++) {
        const Node *n = call->items[i];
        if (n->kind == N_STARRED)
            push_starred(l, &list, n);
        else if (n->kind == N_DOUBLE_STARRED)
            push_arg(l, &list, (Arg){.v = fail_val(l, n->span, E_DOUBLE_STAR), .node = n});
        else if (n->kind == N_KEYWORD)
            push_keyword(l, &list, n, admitted);
        else
            push_arg(l, &list, (Arg){.v = lower_admitting(l, n, admitted), .node = n});
    }
    l->b.span = call->span;
    return list;
}

static bool any_unknown(const ArgList *args)
{
    for (int i = 0; i < args->n; i++) {
        if (val_unknown_inside(args->at[i].v))
            return true;
    }
    return false;
}

/* --- binding --- */

/* From `first` on. */
static void hint_parameters(Lower *l, const PyParam *params, int first, int n)
{
    Text list = text_new(l->arena);
    bool by_name = false; /* behind a star */

    for (int i = first; i < n; i++) {
        const char *comma = i > first ? ", " : "",
                   *star = params[i].by_name && !by_name ? "*, " : "";
        text_printf(&list, "%s%s%s%s", comma, star, params[i].star ? "*" : "", params[i].name);
        by_name |= params[i].star || params[i].by_name;
    }
    if (n > first)
        hint_at(l, H_PARAMETERS, list.s);
}

static void unexpected_keyword(Lower *l, const char *what, const PyParam *params, int n,
                               const Arg *arg)
{
    const char **names = NEW_N(l->arena, const char *, n + 1);

    for (int i = 0; i < n; i++)
        names[i] = params[i].name;
    error_at(l, arg->word, E_KEYWORD, what, arg->keyword);
    const char *near = advice_for_keyword(arg->keyword, names, n);
    near = near ? near : near_name(arg->keyword, names, n);
    bool of_border = strcmp(what, "load") == 0 && keyword_of_border(arg->keyword);
    if (near)
        hint_at(l, H_DID_YOU_MEAN, near);
    else if (!of_border)
        hint_parameters(l, params, 0, n);
    if (of_border)
        hint_at(l, H_BORDER);
}

typedef struct {
    Lower *l;
    const char *what;
    const PyParam *params;
    int n;
    const ArgList *args;
} BoundCall;

static bool report_binding(void *context, PyBindError e, int n)
{
    const BoundCall *b = context;
    const ArgList *args = b->args;
    int self = args->n > 0 && args->at[0].node && args->at[0].node->kind == N_PASS, given = -self;

    switch (e) {
    case PY_BIND_TOO_MANY:
        for (int i = 0; i < args->n; i++)
            given += args->at[i].keyword == NULL;
        error_at(b->l, args->span, E_TOO_MANY, b->what, n - self, given);
        hint_parameters(b->l, b->params, self, b->n);
        break;
    case PY_BIND_UNEXPECTED:
        unexpected_keyword(b->l, b->what, b->params, b->n, &args->at[n]);
        break;
    case PY_BIND_TWICE:
        error_at(b->l, args->at[n].word, E_TWICE, b->what, args->at[n].keyword);
        break;
    case PY_BIND_MISSING:
        error_at(b->l, args->span, E_MISSING, b->what, b->params[n].name);
        hint_parameters(b->l, b->params, self, b->n);
        break;
    }
    return false;
}

bool lower_bind_arguments(Lower *l, const char *what, const PyParam *params, int n,
                          const ArgList *args, int *out)
{
    const char **words = NEW_N(l->arena, const char *, args->n + 1);
    BoundCall call = {l, what, params, n, args};
    const PyBindReport report = {report_binding, &call};

    for (int i = 0; i < args->n; i++)
        words[i] = args->at[i].keyword;
    return py_bind(params, n, words, args->n, out, &report);
}

/* --- helpers --- */

/* R142; a descriptor is a scalar there, whatever its blocks are. */
static bool check_noinline(Lower *l, const AstFunc *fn, const Val *args, Span span)
{
    for (int i = 0; fn->noinline && i < fn->nparams; i++) {
        if (args[i].kind != VAL_RUN || val_is_handle(args[i]) || type_numel(args[i].run->type) == 1)
            continue;
        error_at(l, span, E_NOINLINE, fn->name, fn->params[i].name, val_text(l, args[i]));
        return false;
    }
    return true;
}

static Val call_instance(Lower *l, const Instance *in, const Val *args, int n)
{
    Values operands = {0};

    for (int i = 0; i < n; i++)
        val_flatten(l, args[i], &operands);
    Op *op = build_op(&l->b, OP_call, operands.len, operands.at, 0, NULL, in->func->nresults,
                      in->func->results ? in->func->results : (const Type *[]){NULL});
    Values given = {0};
    val_flatten(l, in->result, &given);
    for (int i = 0; i < op->nresults; i++)
        value_shaped_like(l->module, op->results[i], given.at[i]);
    op->callee = in->func;
    Value *const *next = op->results;
    return val_rebuild(l, in->result, &next);
}

/* `args` one a parameter. */
static Val call_bound(Lower *l, const AstFunc *fn, const Val *args, Span span)
{
    for (int i = 0; i < fn->nparams; i++) {
        if (val_unknown_inside(args[i]))
            return val_unknown();
    }
    if (!check_noinline(l, fn, args, span))
        return val_unknown();
    Instance *in = lower_instance(l, fn, args, span);
    if (in->state != INSTANCE_DONE)
        return val_unknown();
    l->b.span = span;
    return call_instance(l, in, args, fn->nparams);
}

const AstFunc *lower_plain_body(Lower *l, const AstFunc *fn)
{
    AstFunc *copy = map_get(l->plain, MAP_KEY(fn));

    if (fn->is_constexpr_function)
        return fn;
    if (copy)
        return copy;
    copy = NEW(l->arena, AstFunc);
    *copy = *fn;
    parse_function(l->arena, l->interner, fn->file->source, copy);
    map_put(l->plain, MAP_KEY(fn), copy);
    return copy;
}

static bool check_callable(Lower *l, const AstFunc *fn, Span span)
{
    if (fn->is_jit || fn->is_constexpr_function || class_lets_run(fn))
        return true;
    error_at(l, span, E_PLAIN_FUNCTION, fn->name);
    hint_at(l, H_ADD_JIT);
    return false;
}

/* R12: Python at compile time. */
static Val call_constexpr(Lower *l, const AstFunc *fn, const Val *args, Span span)
{
    if (fn->nerrors > 0) {
        l->quiet_errors += l->quiet > 0;
        if (l->quiet == 0)
            file_report_errors(fn, l->diags);
        return val_unknown();
    }
    return static_run(l, fn, args, span);
}

static Val star_tuple(Lower *l, const ArgList *args, int first)
{
    VEC(Val) items = {0};

    for (int i = first; first >= 0 && i < args->n; i++) {
        if (!args->at[i].keyword)
            vec_push(l->arena, &items, args->at[i].v);
    }
    return val_new_tuple(l, items.len, items.at, args->span);
}

Val call_function(Lower *l, const AstFunc *fn, const ArgList *args)
{
    if (!check_callable(l, fn, args->span))
        return val_unknown();
    bool runs = fn->is_jit || class_lets_run(fn);
    if (runs && !fn->is_jit)
        fn = lower_plain_body(l, fn);
    int n = fn->nparams;
    PyParam *params = NEW_N(l->arena, PyParam, n + 1);
    int *index = NEW_N(l->arena, int, n + 1);
    Val *values = NEW_N(l->arena, Val, n + 1);

    for (int i = 0; i < n; i++) {
        const AstParam *p = &fn->params[i];
        params[i] = (PyParam){p->name, p->default_value != NULL, p->is_star, false, p->by_name};
    }
    if (!lower_bind_arguments(l, fn->name, params, n, args, index))
        return val_unknown();
    for (int i = 0; i < n; i++) {
        if (params[i].star)
            values[i] = star_tuple(l, args, index[i]);
        else if (index[i] >= 0 && index[i] < args->n)
            values[i] = args->at[index[i]].v;
        else
            values[i] = lower_default(l, fn, &fn->params[i], args->span);
    }
    return runs ? call_bound(l, fn, values, args->span) : call_constexpr(l, fn, values, args->span);
}

ArgList arguments_behind(Lower *l, Val first, const ArgList *args, Span span)
{
    ArgList all = {.span = args->span};
    Node *self = NEW(l->arena, Node);

    self->kind = N_PASS; /* its place is looked at, and that it is the tile: arg_is_self() */
    self->span = span;
    push_arg(l, &all, (Arg){.v = first, .node = self});
    for (int i = 0; i < args->n; i++)
        push_arg(l, &all, args->at[i]);
    return all;
}

/* --- predicates of type objects (R72) --- */

static bool type_predicate(const Type *t, const char *name, bool *out)
{
    const char *rest = name + strlen("is_");

    if (!py_dtype_predicate(t->dtype, name, out))
        return false;
    *out &= !t->pointer;
    if (strcmp(rest, "ptr") == 0)
        *out = t->pointer;
    else if (strcmp(rest, "const") == 0)
        *out = t->is_const;
    else if (strcmp(rest, "block") == 0)
        *out = t->rank > 0;
    return true;
}

static Val call_predicate(Lower *l, const Method *m, const ArgList *args)
{
    bool out;

    if (args->n > 0)
        return fail_val(l, args->span, E_TOO_MANY, m->name, 0, args->n);
    if (strcmp(m->name, "get_block_shapes") == 0)
        return l->language->value_attribute(l, m->self, "shape", args->span);
    if (!type_predicate(m->self.type, m->name, &out))
        return fail_val(l, args->span, E_NO_ATTRIBUTE, val_text(l, m->self), m->name);
    return val_bool(l, out);
}

/* --- calls --- */

/* tl.float32(x): a run-time scalar of a number, or a cast. */
static Val call_type(Lower *l, const Type *t, const ArgList *args)
{
    Value *v;

    if (args->n != 1 || t->pointer || t->rank > 0)
        return fail_val(l, args->span, E_NOT_CALLABLE, val_text(l, val_type(t)));
    if (val_is_number(args->at[0].v))
        return val_run(l->language->literal_cast(l, args->at[0].v.c, t->dtype, args->span));
    v = l->language->val_to_run(l, args->at[0].v, args->span);
    return v ? val_run(l->language->ops_cast(l, v, t->dtype, ROUND_NEAREST, args->span))
             : val_unknown();
}

static Val call_method(Lower *l, const Method *m, const ArgList *args, Span name)
{
    if (!m->builtin && !m->func)
        return call_predicate(l, m, args);
    const ArgList all = arguments_behind(l, m->self, args, name);
    return m->func ? call_function(l, m->func, &all)
                   : l->language->call_builtin(l, m->builtin, &all);
}

static Val not_callable(Lower *l, Val f, int nargs, Span name)
{
    error_at(l, name, E_NOT_CALLABLE, val_text(l, f));
    bool is_run = f.kind == VAL_RUN && nargs > 0 && !val_is_handle(f);
    if (is_run && f.run->type->pointer)
        hint_at(l, H_CALL_POINTER);
    else if (nargs > 0 && (f.kind == VAL_TUPLE || (is_run && f.run->type->rank > 0)))
        hint_at(l, H_CALL_TILE);
    else if (f.kind == VAL_CONST || f.kind == VAL_RUN || f.kind == VAL_TUPLE)
        hint_at(l, H_NO_CALL);
    else if (f.kind == VAL_MODULE)
        hint_at(l, H_MODULE_CALL);
    return val_unknown();
}

/* One of Python's functions, such as math.sqrt: on what is known at compile time (R10). */
static Val call_python(Lower *l, Val f, const ArgList *args, Span name)
{
    if (f.c->kind != CONST_FUNCTION)
        return not_callable(l, f, args->n, name);
    for (int i = 0; i < args->n; i++) {
        Val v = args->at[i].v;
        const char *word = py_function_name(f.c->function);
        const PyBuiltin *b = f.c->function->builtin;

        if (val_is_known(v))
            continue;
        error_at(l, args->at[i].node ? args->at[i].node->span : args->span, E_PYTHON_MATH,
                 b ? b->name : word, val_text(l, v));
        if (!l->language->builtin_find(intern(l->interner, word), IN_TL) && word[0] == 'f')
            word++; /* math.fabs */
        if (l->language->builtin_find(intern(l->interner, word), IN_TL))
            hint_at(l, H_PYTHON_MATH, word);
        return val_unknown();
    }
    return static_call(l, f.c, args);
}

/* An object of the host that is a function of the language, `triton.language.exp`: that function.
 */
static Val named_function(Lower *l, Val f, Span name)
{
    bool is_object = val_is_const(f, CONST_OBJECT) && f.c->class == &front_object_class;
    Val found;

    return is_object && l->language->language_function(l, f.c->object, name, &found) ? found : f;
}

Val call_value(Lower *l, Val f, const ArgList *args, Span name)
{
    f = named_function(l, f, name);
    if (f.kind == VAL_UNKNOWN || any_unknown(args))
        return val_unknown();
    switch (f.kind) {
    case VAL_FUNC:
        return call_function(l, f.func, args);
    case VAL_BUILTIN:
        return l->language->call_builtin(l, f.builtin, args);
    case VAL_LIBDEVICE:
        return l->language->call_libdevice(l, f.libdevice, args);
    case VAL_CLASS:
        return class_call(l, f.class, args);
    case VAL_METHOD:
        return call_method(l, f.method, args, name);
    case VAL_TYPE:
        return call_type(l, f.type, args);
    case VAL_CONST_TYPE:
        return call_type(l, f.const_type->type, args);
    case VAL_CONST:
        return call_python(l, f, args, name);
    default:
        return not_callable(l, f, args->n, name);
    }
}

/* static_assert evaluates its message only when it fails (R295). */
static Val lower_static_assert(Lower *l, const Node *n)
{
    Val c;

    if (n->nitems < 1 || n->nitems > 2 || n->items[0]->kind == N_KEYWORD)
        return fail_val(l, n->span, E_STATIC_ASSERT_ARGS);
    c = lower_expr(l, n->items[0]);
    if (c.kind == VAL_UNKNOWN)
        return c;
    if (!val_is_const(c, CONST_BOOL)) {
        error_at(l, n->items[0]->span, E_STATIC_ASSERT_RUN, val_text(l, c));
        l->language->hint_not_constexpr(l, n->items[0]);
        hint_at(l, H_STATIC_ASSERT_RUN);
        return val_unknown();
    }
    if (c.c->integer)
        return val_none(l);
    const Node *msg = n->nitems == 2 ? n->items[1] : NULL;
    if (msg && msg->kind == N_KEYWORD)
        msg = msg->left;
    Val text = msg ? lower_expr(l, msg) : val_string(l, "");
    const char *s = text.kind == VAL_CONST ? const_str(text.c, l->arena) : "";
    return fail_val(l, n->span, E_STATIC_ASSERT, *s ? ": " : "", s);
}

/* `torch.finfo(torch.float16)`: a function of a module that means nothing to kernels, and so may
 * its arguments; Python runs the call when the kernel is compiled. */
static bool is_foreign_call(Val f)
{
    const PyBuiltin *b = val_is_const(f, CONST_FUNCTION) ? f.c->function->builtin : NULL;

    return b && (strncmp(b->name, "torch.", 6) == 0 || strncmp(b->name, "numpy.", 6) == 0);
}

/* A function of the language that computes: Python's own ask what its arguments are. */
static bool takes_values(Val f)
{
    bool is_python = f.kind == VAL_BUILTIN && (f.builtin->where & IN_PYTHON);

    return (f.kind == VAL_BUILTIN && !is_python) || f.kind == VAL_LIBDEVICE;
}

/* max(n, 4) where `max = 3` stands above: a value has the name of a function. */
static bool hides_function(Lower *l, const Node *callee, Val f)
{
    bool is_value = f.kind == VAL_RUN || f.kind == VAL_TUPLE ||
                    (f.kind == VAL_CONST && f.c->kind != CONST_FUNCTION);
    const Binding *b = is_value && callee->kind == N_NAME ? env_find(l, callee->name) : NULL;

    if (!b || !b->bound || !l->language->builtin_find(callee->name, IN_TL | IN_PYTHON))
        return false;
    error_at(l, callee->span, E_NOT_CALLABLE, val_text(l, f));
    note_at(l, b->span, NOTE_ASSIGNED_HERE, callee->name);
    hint_at(l, H_HIDES_FUNCTION, callee->name);
    return true;
}

Val lower_call(Lower *l, const Node *n)
{
    ArgList args;

    l->language->chain_begin(l, n);
    Val f = lower_expr(l, n->left);
    if (is_foreign_call(f))
        return l->language->static_outside(l, n);

    if (f.kind == VAL_BUILTIN && strcmp(f.builtin->name, "static_assert") == 0)
        return lower_static_assert(l, n);
    if (hides_function(l, n->left, f))
        return val_unknown();
    args = lower_arguments(l, n, takes_values(f) ? ADMIT_VALUES : ADMIT_CONSTANTS);
    if (f.kind == VAL_BUILTIN && strcmp(f.builtin->name, "aggregate_replace") == 0)
        return class_replace(l, &args);
    return call_value(l, f, &args, n->left->span);
}
