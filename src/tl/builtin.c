/*
 * builtin.c - finds a function of the language, binds its arguments, and calls its handler
 *
 * Takes the rows of builtins.h.  Handlers ask for the arguments that they need, by name, through
 * the arg_*() functions here, which report what is wrong.
 */
#include "tl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const Builtin builtins[] = {
#define BUILTIN(name, where, data, signature, handler) {name, where, data, signature, handler},
#include "builtins.h"
};

/* --- finding --- */

const Builtin *builtin_find(Sym name, int where)
{
    for (int i = 0; i < COUNT(builtins); i++) {
        if ((builtins[i].where & where) && strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    }
    return NULL;
}

const char *builtin_near(const char *word, int where)
{
    const char *names[COUNT(builtins) + DT_COUNT];
    int n = 0;

    for (int i = 0; i < COUNT(builtins); i++) {
        if (builtins[i].where & where)
            names[n++] = builtins[i].name;
    }
    for (int t = 0; (where & IN_TL) && t < DT_COUNT; t++)
        names[n++] = dtype_long_name((DType)t);
    return near_name(word, names, n);
}

/* Are they one name but for case and underscores, as atomicAdd and atomic_add are? */
static bool is_alike(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "_");
        b += strspn(b, "_");
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

const char *builtin_alike(const char *word, int where)
{
    for (int i = 0; i < COUNT(builtins); i++) {
        if ((builtins[i].where & where) && is_alike(word, builtins[i].name))
            return builtins[i].name;
    }
    return NULL;
}

/* --- signatures --- */

typedef struct {
    int n;
    PyParam params[BUILTIN_MAX_PARAMS];
    Val defaults[BUILTIN_MAX_PARAMS];
    int8_t place[ARG_COUNT]; /* of each name in `params`; -1: not there */
} Signature;

static const char *const arg_names[] = {
#define ARGUMENT(name) [ARG_##name] = #name,
#include "../lower/arguments.h"
};

/* A word of a signature as a name. */
static ArgName name_of(const Builtin *b, Sym word)
{
    int low = 0, high = ARG_COUNT - 1;

    while (low <= high) {
        int middle = (low + high) / 2, order = strcmp(word, arg_names[middle]);
        if (order == 0)
            return (ArgName)middle;
        if (order < 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    bug("arguments.h lacks `%s` of %s", word, b->name);
}

static Val parse_default(Lower *l, const char *s)
{
    if (strcmp(s, "None") == 0)
        return val_none(l);
    if (strcmp(s, "True") == 0 || strcmp(s, "False") == 0)
        return val_bool(l, s[0] == 'T');
    if (s[0] == '\'')
        return val_string(l, "");
    if (s[0] == '(')
        return val_tuple(l, 0, NULL);
    return val_int(l, strtol(s, NULL, 10));
}

static void parse_param(Lower *l, const Builtin *b, Signature *s, const char *word, size_t n)
{
    const char *eq = memchr(word, '=', n);
    size_t name = eq ? (size_t)(eq - word) : n;
    PyParam *p = &s->params[s->n];

    p->star = word[0] == '*';
    p->name = intern_n(l->interner, word + p->star, name - p->star);
    p->has_default = eq != NULL;
    s->place[name_of(b, p->name)] = (int8_t)s->n;
    if (eq)
        s->defaults[s->n] = parse_default(l, arena_strndup(l->arena, eq + 1, n - name - 1));
    s->n++;
}

static const Signature *signature_of(Lower *l, const Builtin *b)
{
    Signature *s = map_get(l->signatures, MAP_KEY(b));

    if (s)
        return s;
    s = NEW(l->arena, Signature);
    memset(s->place, -1, sizeof s->place);
    for (const char *at = b->signature; *at;) {
        size_t n = strcspn(at, " ");
        if (s->n == BUILTIN_MAX_PARAMS)
            bug("builtins.h: %s has too many parameters", b->name);
        parse_param(l, b, s, at, n);
        at += n + strspn(at + n, " ");
    }
    map_put(l->signatures, MAP_KEY(b), s);
    return s;
}

/* "shape, value, dtype" */
static const char *parameters_text(Lower *l, const Builtin *b)
{
    const Signature *s = signature_of(l, b);
    Text list = text_new(l->arena);

    for (int i = 0; i < s->n; i++)
        text_printf(&list, "%s%s%s", i ? ", " : "", s->params[i].star ? "*" : "",
                    s->params[i].name);
    return list.s;
}

/* --- calling --- */

/* The positional arguments from `first` on. */
static Val rest_tuple(Lower *l, const ArgList *args, int first)
{
    Val *rest = NEW_N(l->arena, Val, args->n + 1);
    int n = 0;

    for (int i = first; first >= 0 && i < args->n; i++) {
        if (!args->at[i].keyword)
            rest[n++] = args->at[i].v;
    }
    return val_tuple(l, n, rest);
}

static bool is_method_call(const ArgList *args)
{
    return args->n > 0 && args->at[0].node && args->at[0].node->kind == N_PASS;
}

/* How such a call is written. */
static void hint_of_call(Lower *l, const Builtin *b, const ArgList *args)
{
    const char *advice = advice_for_call(b->name);

    if (b->where & IN_DESCRIPTOR)
        hint_at(l, H_DESCRIPTOR_CALL, b->name);
    else if (advice && (!is_method_call(args) || signature_of(l, b)->n == 1))
        hint_at(l, "%s", advice);
}

bool bind_builtin(Lower *l, const Builtin *b, const ArgList *args, Args *out)
{
    const Signature *s = signature_of(l, b);
    int index[BUILTIN_MAX_PARAMS];

    *out = (Args){.builtin = b, .span = args->span, .place = s->place};
    if (!lower_bind_arguments(l, b->name, s->params, s->n, args, index)) {
        hint_of_call(l, b, args);
        return false;
    }
    for (int i = 0; i < s->n; i++) {
        bool given = index[i] >= 0;
        out->node[i] = given ? args->at[index[i]].node : NULL;
        if (s->params[i].star)
            out->v[i] = rest_tuple(l, args, index[i]);
        else
            out->v[i] = given ? args->at[index[i]].v : s->defaults[i];
    }
    return true;
}

Val call_builtin(Lower *l, const Builtin *b, const ArgList *args)
{
    Args a;

    if (!bind_builtin(l, b, args, &a))
        return val_unknown();
    l->b.span = args->span;
    return b->handler(l, &a);
}

/* --- arguments --- */

static int arg_place(const Args *a, ArgName name)
{
    if (a->place[name] < 0)
        bug("%s has no parameter `%s`", a->builtin->name, arg_names[name]);
    return a->place[name];
}

Val arg(const Args *a, ArgName name)
{
    return a->v[arg_place(a, name)];
}

const Node *arg_node(const Args *a, ArgName name)
{
    return a->node[arg_place(a, name)];
}

Span arg_span(const Args *a, ArgName name)
{
    const Node *n = arg_node(a, name);

    return n ? n->span : a->span;
}

bool arg_is_self(const Args *a, ArgName name)
{
    const Node *n = arg_node(a, name);

    return n && n->kind == N_PASS;
}

bool arg_given(const Args *a, ArgName name)
{
    return !val_is_none(arg(a, name));
}

bool arg_unknown(const Args *a)
{
    for (int i = 0; i < BUILTIN_MAX_PARAMS; i++) {
        if (a->node[i] && val_unknown_inside(a->v[i]))
            return true;
    }
    return false;
}

Value *arg_run(Lower *l, const Args *a, ArgName name)
{
    if (val_is_const(arg(a, name), CONST_STRING)) {
        error_at(l, arg_span(a, name), E_NOT_A_TENSOR, val_text(l, arg(a, name)));
        hint_at(l, H_TEXT_ARGUMENT);
        return NULL;
    }
    return val_to_run(l, arg(a, name), arg_span(a, name));
}

static const AstParam *find_param(Lower *l, Sym name)
{
    for (int i = 0; i < l->frame->fn->nparams; i++) {
        if (l->frame->fn->params[i].name == name)
            return &l->frame->fn->params[i];
    }
    return NULL;
}

bool hint_not_constexpr(Lower *l, const Node *n)
{
    const Binding *b = n && n->kind == N_NAME ? env_find(l, n->name) : NULL;

    if (!b || !b->bound || b->val.kind != VAL_RUN || b->val.run->type->pointer)
        return false;
    int line = source_place(l->frame->file->set->sources, b->span.start).line;
    const AstParam *param = find_param(l, n->name);
    if (b->demoted)
        hint_at(l, H_DEMOTED, n->name, line, n->name);
    else if (param && b->span.start == param->span.start && param->is_constexpr)
        hint_at(l, H_GIVEN_RUN_TIME, n->name);
    else if (param && b->span.start == param->span.start)
        hint_at(l, H_PARAM_CONSTEXPR, n->name);
    else if (param && param->is_constexpr)
        hint_at(l, H_REBOUND, n->name, line);
    else
        return false;
    return true;
}

/* The place of the parameter that holds v, where there had to be an int or the like. */
static bool note_given(Lower *l, const Node *n, Val v)
{
    const AstParam *p = n && n->kind == N_NAME ? find_param(l, n->name) : NULL;

    if (!p)
        return false;
    note_at(l, p->span, NOTE_PARAM_GIVEN, p->name, val_text(l, v));
    if (val_is_const(v, CONST_FLOAT))
        hint_at(l, H_GIVE_INT, p->name);
    else if (val_is_const(v, CONST_STRING))
        hint_at(l, H_TEXT_ARGUMENT);
    return true;
}

/* Is it one thing, and not just equal? */
static bool is_same(Val a, Val b)
{
    if (a.kind != b.kind)
        return false;
    return a.kind == VAL_CONST   ? a.c == b.c
           : a.kind == VAL_TUPLE ? a.tuple == b.tuple
                                 : a.kind == VAL_RUN && a.run == b.run;
}

const char *note_parameter(Lower *l, Val v)
{
    const AstParam *found = NULL;

    for (int i = 0; i < l->frame->fn->nparams; i++) {
        const AstParam *p = &l->frame->fn->params[i];
        const Binding *b = env_find(l, p->name);

        if (!b || !b->bound || b->span.start != p->span.start || !is_same(b->val, v))
            continue;
        if (found)
            return NULL; /* None stands for several */
        found = p;
    }
    if (found)
        note_at(l, found->span, NOTE_PARAM_GIVEN, found->name, val_text(l, v));
    return found ? found->name : NULL;
}

/* The parameter at the front of `p + offsets`, when that is the mistake: what the launch gave. */
bool note_not_a_pointer(Lower *l, const Node *address)
{
    while (address && address->kind == N_BINARY)
        address = address->left;
    const AstParam *p = address && address->kind == N_NAME ? find_param(l, address->name) : NULL;
    const Binding *b = p ? env_find(l, p->name) : NULL;

    if (!b || !b->bound || (b->val.kind == VAL_RUN && b->val.run->type->pointer))
        return false;
    if (b->span.start != p->span.start) {
        note_at(l, b->span, NOTE_ASSIGNED_HERE, p->name);
        hint_at(l, H_PARAM_REBOUND, p->name);
        return true;
    }
    note_at(l, p->span, NOTE_PARAM_GIVEN, p->name, val_text(l, b->val));
    hint_at(l, H_GIVE_ARRAY, p->name);
    return true;
}

/* tl.full(0.0, (N,)): its arguments are most likely turned around. */
static bool begins_with_shape(Lower *l, const Args *a)
{
    return strcmp(signature_of(l, a->builtin)->params[0].name, "shape") == 0;
}

/* It had to be a compile-time `wanted`. */
static bool not_constexpr(Lower *l, const Args *a, ArgName name, const char *wanted)
{
    Val v = arg(a, name);

    if (val_blamed(l, v))
        return false;
    if (v.kind == VAL_RUN)
        error_at(l, arg_span(a, name), E_NOT_CONSTEXPR, a->builtin->name, val_text(l, v));
    else
        error_at(l, arg_span(a, name), E_WRONG_KIND, a->builtin->name, wanted, val_text(l, v));
    if (v.kind == VAL_TUPLE && strcmp(wanted, "an int") == 0)
        hint_at(l, H_ONE_NUMBER);
    if (v.kind == VAL_CONST && !note_given(l, arg_node(a, name), v) &&
        val_is_const(v, CONST_FLOAT) && strcmp(wanted, "an int") == 0)
        hint_at(l, "%s", begins_with_shape(l, a) ? advice_for_call(a->builtin->name) : H_WHOLE);
    if (!hint_not_constexpr(l, arg_node(a, name)) && v.kind == VAL_RUN)
        hint_at(l, H_CONSTEXPR_FROM);
    return false;
}

static bool const_to_int64(const Const *c, int64_t *out)
{
    *out = (int64_t)c->integer;
    return const_is_integral(c) && *out == c->integer;
}

bool arg_int(Lower *l, const Args *a, ArgName name, int64_t *out)
{
    Val v = arg(a, name);

    *out = 0;
    if (v.kind == VAL_CONST && const_to_int64(v.c, out))
        return true;
    return not_constexpr(l, a, name, "an int");
}

bool arg_bool(Lower *l, const Args *a, ArgName name, bool *out)
{
    Val v = arg(a, name);

    *out = v.kind == VAL_CONST && const_truth(v.c);
    return v.kind == VAL_CONST || not_constexpr(l, a, name, "True or False");
}

bool arg_string(Lower *l, const Args *a, ArgName name, const char **out)
{
    Val v = arg(a, name);

    *out = "";
    if (val_is_none(v))
        return true;
    if (!val_is_const(v, CONST_STRING))
        return not_constexpr(l, a, name, "a string");
    *out = const_str(v.c, l->arena);
    return true;
}

/* What to write where a dtype must stand. */
static void hint_of_dtype(Lower *l, const Args *a, Val v)
{
    const char *text = val_is_const(v, CONST_STRING) ? const_str(v.c, l->arena) : "";
    size_t n = strlen(text);
    DType t;

    if (v.kind == VAL_BUILTIN && strcmp(v.builtin->name, "float") == 0)
        hint_at(l, H_DTYPE_PYTHON, "tl.float32");
    else if (v.kind == VAL_BUILTIN && strcmp(v.builtin->name, "int") == 0)
        hint_at(l, H_DTYPE_PYTHON, "tl.int32");
    else if (dtype_from_long_name(text, n, &t) || dtype_from_name(text, n, &t))
        hint_at(l, H_DTYPE_TEXT, dtype_long_name(t));
    else if (*text && advice_for_function(text))
        hint_at(l, "%s", advice_for_function(text));
    else
        hint_at(l, H_DTYPE_ARGUMENTS, a->builtin->name, parameters_text(l, a->builtin));
}

bool arg_dtype(Lower *l, const Args *a, ArgName name, const Type **out)
{
    Val v = val_plain_type(arg(a, name));

    *out = NULL;
    if (v.kind == VAL_TYPE && v.type->rank == 0) {
        *out = v.type;
        return true;
    }
    error_at(l, arg_span(a, name), E_NOT_A_DTYPE, a->builtin->name, val_text(l, v));
    hint_of_dtype(l, a, v);
    return false;
}

bool arg_axis(Lower *l, const Args *a, ArgName name, int rank, int *out)
{
    int64_t axis;

    *out = 0;
    if (!arg_int(l, a, name, &axis))
        return false;
    if (axis < -rank || axis >= rank) {
        error_at(l, arg_span(a, name), E_AXIS, (long long)axis, rank, rank);
        if (rank > 0)
            hint_at(l, H_AXIS, rank - 1);
        else
            hint_at(l, H_AXIS_SCALAR);
        return false;
    }
    *out = (int)(axis < 0 ? axis + rank : axis);
    return true;
}

/* Element k of an argument is no compile-time int. */
static void bad_element(Lower *l, const Args *a, ArgName name, int k, Val item)
{
    const Node *n = arg_node(a, name);
    bool display = n && (n->kind == N_TUPLE || n->kind == N_LIST) && k < n->nitems;

    if (val_blamed(l, item))
        return;
    error_at(l, display ? n->items[k]->span : arg_span(a, name), E_SHAPE_ELEMENT, k,
             val_text(l, item));
    if (val_is_const(item, CONST_FLOAT))
        hint_at(l, H_WHOLE);
    else if (display)
        hint_not_constexpr(l, n->items[k]);
    else if (item.kind == VAL_RUN)
        hint_at(l, H_SHAPE_ELEMENT);
}

bool arg_ints(Lower *l, const Args *a, ArgName name, int max, int64_t *out, int *n)
{
    Val v = arg(a, name);
    bool inner = v.kind == VAL_TUPLE && v.tuple->n == 1 && v.tuple->items[0].kind == VAL_TUPLE;
    const Tuple *t = inner ? v.tuple->items[0].tuple : v.tuple;

    *n = 0;
    if (v.kind != VAL_TUPLE) {
        *n = 1;
        return arg_int(l, a, name, out);
    }
    if (t->n > max) {
        error_at(l, arg_span(a, name), E_RANK, max);
        return false;
    }
    for (; *n < t->n; ++*n) {
        Val item = t->items[*n];
        if (item.kind == VAL_CONST && const_to_int64(item.c, &out[*n]))
            continue;
        bad_element(l, a, name, *n, item);
        return false;
    }
    return true;
}

bool arg_shape(Lower *l, const Args *a, ArgName name, int *rank, int32_t *dims)
{
    int64_t ints[MAX_RANK];

    *rank = 0;
    if (!arg_ints(l, a, name, MAX_RANK, ints, rank) ||
        !ops_check_tile(l, *rank, ints, arg_span(a, name)))
        return false;
    for (int d = 0; d < *rank; d++)
        dims[d] = (int32_t)ints[d];
    return true;
}

void arg_name_extents(Lower *l, const Args *a, ArgName name, Value *v)
{
    const Symbol *names[MAX_RANK] = {NULL};
    Val shape = arg(a, name);

    if (shape.kind == VAL_TUPLE && shape.tuple->n == 1 && shape.tuple->items[0].kind == VAL_TUPLE)
        shape = shape.tuple->items[0];
    int n = shape.kind == VAL_TUPLE ? shape.tuple->n : 1;
    for (int d = 0; d < n && d < v->type->rank; d++) {
        Val item = shape.kind == VAL_TUPLE ? shape.tuple->items[d] : shape;
        names[d] = item.kind == VAL_CONST ? item.c->symbol : NULL;
    }
    value_name_extents(l->module, v, names);
}

/* The name that was meant, or all of them, unless the error `wrong` lists them. */
static void hint_of_choice(Lower *l, const char *wrong, const char *s, const char *const *names,
                           int n)
{
    const char *near = near_name(s, names, n);
    Text list = text_new(l->arena);

    for (int k = 0; k < n; k++) {
        if (names[k][0])
            text_printf(&list, "%s%s", list.len ? ", " : "", names[k]);
    }
    if (near && near[0])
        hint_at(l, H_DID_YOU_MEAN, near);
    else if (!strstr(wrong, names[n - 1]))
        hint_at(l, H_CHOICES, list.s);
}

bool arg_choice(Lower *l, const Args *a, ArgName name, const char *const *names, const int *values,
                int n, const char *wrong, int64_t *out)
{
    const char *s;

    *out = 0;
    if (!arg_string(l, a, name, &s))
        return false;
    for (int k = 0; k < n; k++) {
        *out = values ? values[k] : k;
        if (strcmp(names[k], s) == 0)
            return true;
    }
    error_at(l, arg_span(a, name), wrong, s);
    hint_of_choice(l, wrong, s, names, n);
    return false;
}
