/*
 * resolve_global.c - what code outside of kernels binds to names (semantics R2, R3, R6, R19)
 *
 * Python has run all of a file before a kernel is compiled; here its assignments are read, and
 * evaluated when a kernel asks.  Each knows its scope, its place and what the name held before, so
 * that code at module level sees what stands before it.  Where a host `if` or loop decides what a
 * name holds, all that it may hold must agree.
 */
#include "resolve.h"

#include <string.h>

bool annotation_is_constexpr(const Node *n)
{
    if (n->kind == N_STRING)
        return strstr(n->text, "constexpr") != NULL;
    return (n->kind == N_NAME || n->kind == N_ATTRIBUTE) && strcmp(n->name, "constexpr") == 0;
}

/* --- assignments --- */

/* Would Python hold a tl.constexpr instance in `g`: the call itself, or an operator on one?  Of two
 * that it would choose from, either is enough. */
static bool makes_constexpr(Lower *l, const AstGlobal *g, const Node *n, int depth);

static bool one_makes_constexpr(Lower *l, const AstGlobal *g, const Node *n, int depth)
{
    for (int i = 0; i < n->nitems; i++) {
        if (makes_constexpr(l, g, n->items[i], depth))
            return true;
    }
    return false;
}

static bool global_is_constexpr(Lower *l, const AstGlobal *g, int depth)
{
    return g->file->is_given || (g->annotation && annotation_is_constexpr(g->annotation)) ||
           makes_constexpr(l, g, g->value, depth);
}

static bool name_makes_constexpr(Lower *l, const AstGlobal *g, Sym name, int depth)
{
    const AstGlobal *of = file_assigned(g->file, g->scope, name, g->start);

    for (const AstScope *s = g->scope; !of && s; s = s->outer)
        of = file_assigned(g->file, s->outer, name, UINT32_MAX);
    if (!of)
        of = imported_global(g->file, file_import(g->file, name));
    return of && depth <= 8 && global_is_constexpr(l, of, depth + 1);
}

/* `module.NAME` */
static bool member_makes_constexpr(Lower *l, const AstGlobal *g, const Node *n, int depth)
{
    const AstImport *import = n->left->kind == N_NAME ? file_import(g->file, n->left->name) : NULL;
    const FrontFile *file = import ? imported_file(g->file, import) : NULL;
    const AstGlobal *of = file ? file_assigned(file, NULL, n->name, UINT32_MAX) : NULL;

    return of && depth <= 8 && global_is_constexpr(l, of, depth + 1);
}

static bool makes_constexpr(Lower *l, const AstGlobal *g, const Node *n, int depth)
{
    switch (n->kind) {
    case N_CALL:
        return annotation_is_constexpr(n->left);
    case N_UNARY:
        return makes_constexpr(l, g, n->left, depth);
    case N_BINARY:
        return makes_constexpr(l, g, n->left, depth) || makes_constexpr(l, g, n->right, depth);
    case N_CONDITIONAL:
        return makes_constexpr(l, g, n->left, depth) || makes_constexpr(l, g, n->extra, depth);
    case N_COMPARE:
        return makes_constexpr(l, g, n->left, depth) || one_makes_constexpr(l, g, n, depth);
    case N_BOOL:
        return one_makes_constexpr(l, g, n, depth);
    case N_NAME:
        return name_makes_constexpr(l, g, n->name, depth);
    case N_ATTRIBUTE:
        return member_makes_constexpr(l, g, n, depth);
    default:
        return false;
    }
}

/* R3: may a kernel take from outside what `g` holds? */
static bool may_be_global(Lower *l, const AstGlobal *g, Val v)
{
    return val_is_function(v) || v.kind == VAL_TYPE || val_is_none(v) ||
           global_is_constexpr(l, g, 0);
}

Val value_of_host(Lower *l, const Where *w, const Node *n, Span span)
{
    Frame *frame = l->frame;
    Val v;

    l->frame = frame_new(l, frame->fn, span);
    l->frame->file = w->file;
    l->frame->scope = w->scope;
    l->frame->before = w->before;
    l->frame->is_static = true;
    l->quiet++;
    v = static_expr(l, n);
    l->quiet--;
    l->frame = frame;
    return val_is_known(v) ? v : val_unknown();
}

Val static_outside(Lower *l, const Node *n)
{
    bool was_static = l->frame->is_static;
    Val v;

    l->frame->is_static = true;
    v = static_expr(l, n);
    l->frame->is_static = was_static;
    return v;
}

/* What Python holds, whoever may use it; unknown when that cannot be told. */
static Val evaluate_global(Lower *l, const AstGlobal *g, Span span)
{
    const Where w = {.file = g->file, .scope = g->scope, .before = g->start};

    if (!g->scope && map_get(g->file->changed, MAP_KEY(g->name)))
        return val_unknown(); /* some function may have assigned another one */
    return value_of_host(l, &w, g->value, span);
}

static bool is_open(Lower *l, const AstGlobal *g)
{
    return choice_state(l, g->file, g->choice) == CHOICE_OPEN;
}

/* Functions and texts that the host chooses are the same thing for different machines and versions
 * (a precision, a way to round), so that any one will do. */
static bool is_choosable(Val v)
{
    return val_is_function(v) || val_is_const(v, CONST_STRING);
}

/* `tl.constexpr(X)` is X here. */
static const Node *without_constexpr(const Node *n)
{
    bool wrapped = n->kind == N_CALL && n->nitems == 1 && n->items[0]->kind != N_KEYWORD &&
                   annotation_is_constexpr(n->left);

    return wrapped ? n->items[0] : n;
}

/* `A if there else B`, where nothing tells whether it is: two texts, of which the last one counts.
 */
static void choose_text(Lower *l, GlobalValue *known, const AstGlobal *g, Span span)
{
    const Where w = {.file = g->file, .scope = g->scope, .before = g->start};
    const Node *n = without_constexpr(g->value);
    Val first, last;

    if (n->kind != N_CONDITIONAL || map_get(g->file->changed, MAP_KEY(g->name)))
        return;
    first = value_of_host(l, &w, n->left, span);
    last = value_of_host(l, &w, n->extra, span);
    if (!val_is_const(first, CONST_STRING) || !val_is_const(last, CONST_STRING))
        return;
    known->val = last;
    known->arm = n->extra;
    known->other_arm = n->left;
}

static GlobalValue *find_global(Lower *l, const AstGlobal *g, Span span)
{
    GlobalValue *known = map_get(l->globals, MAP_KEY(g));

    if (known)
        return known;
    known = NEW(l->arena, GlobalValue);
    known->val = val_unknown(); /* a global made of itself */
    map_put(l->globals, MAP_KEY(g), known);
    known->val = evaluate_global(l, g, span);
    if (known->val.kind == VAL_UNKNOWN)
        choose_text(l, known, g, span);
    return known;
}

/* What can be chosen goes before what is not known; but a text or a number is for somebody to say.
 */
static void join_global(GlobalValue *known, const GlobalValue *before, const AstGlobal *g)
{
    bool unknown = known->val.kind == VAL_UNKNOWN;

    if (val_is_const(known->val, CONST_STRING) && before->val.kind != VAL_UNKNOWN &&
        !is_choosable(before->val)) {
        known->val = val_unknown();
        known->other = g;
    }
    if (known->other || (val_same(known->val, before->val) && !unknown))
        return;
    known->other = g;
    if (!is_choosable(before->val) || !unknown)
        return;
    known->val = before->val;
    known->taken = g;
}

/* What cannot be known, such as the functions for one kind of machine, may fail: then the first
 * function or module that an `except` block has for it will do.  So it is with None, which stands
 * for what the host finds out when it runs. */
static void join_instead(Lower *l, GlobalValue *known, const AstGlobal *g, Span span)
{
    Val was = known->val;

    if (val_is_none(was))
        known->val = val_unknown();
    for (const AstGlobal *i = g->instead; i && known->val.kind == VAL_UNKNOWN; i = i->instead) {
        GlobalValue *v = find_global(l, i, span);

        if (!val_is_function(v->val))
            continue;
        known->val = v->val;
        known->taken = known->other = i;
    }
    if (known->val.kind == VAL_UNKNOWN)
        known->val = was;
}

/* What the name holds behind `g`: under a condition, that or what it held before. */
static GlobalValue *find_joined(Lower *l, const AstGlobal *g, Span span)
{
    GlobalValue *known = find_global(l, g, span);
    const AstGlobal *last = g;

    while (!known->joined && is_open(l, last) && choice_assigned(l, last->earlier)) {
        last = choice_assigned(l, last->earlier);
        join_global(known, find_global(l, last, span), last);
    }
    if (!known->joined)
        join_instead(l, known, g, span);
    known->joined = true;
    return known;
}

/* How --define names a global: that of another file with its module. */
static const char *defined_name(Lower *l, const AstGlobal *g)
{
    return g->file == l->root ? g->name
                              : arena_printf(l->arena, "%s.%s", file_module(g->file), g->name);
}

void hint_of_global(Lower *l, const AstGlobal *g)
{
    if (g->scope && g->scope->is_class)
        hint_at(l, H_ATTRIBUTE_UNKNOWN);
    else
        hint_at(l, H_GLOBAL_UNKNOWN, defined_name(l, g));
}

/* The first import in an expression that brings nothing a kernel can use; NULL without one. */
static const AstImport *unreadable_import(Lower *l, const FrontFile *file, const Node *n)
{
    const Node *parts[] = {n->left, n->right, n->extra};
    const AstImport *found = n->kind == N_NAME ? file_import(file, n->name) : NULL;

    if (found && import_that_resolves(file, found))
        found = NULL;
    for (size_t i = 0; i < COUNT(parts) && !found; i++)
        found = parts[i] ? unreadable_import(l, file, parts[i]) : NULL;
    for (int i = 0; i < n->nitems && !found; i++)
        found = n->items[i] ? unreadable_import(l, file, n->items[i]) : NULL;
    return found;
}

static void explain_unknown(Lower *l, const AstGlobal *g)
{
    const AstImport *import = unreadable_import(l, g->file, g->value);

    if (!import) {
        hint_of_global(l, g);
        return;
    }
    if (import->member)
        note_at(l, import->span, NOTE_UNKNOWN_IMPORT, import->name, import->module);
    else
        note_at(l, import->span, NOTE_UNKNOWN_MODULE, import->module);
    hint_of_import(l, import_module(g->file, import->module), g);
}

/* Each global is complained about once. */
static Val refuse_global(Lower *l, const AstGlobal *g, GlobalValue *known, Span span)
{
    if (known->told && l->quiet == 0)
        return val_unknown();
    known->told = l->quiet == 0;
    error_at(l, span, known->other ? E_GLOBAL_CHOICE : E_GLOBAL, g->name);
    note_at(l, g->span, NOTE_ASSIGNED_HERE, g->name);
    if (known->other) {
        note_at(l, known->other->span, NOTE_ASSIGNED_HERE, g->name);
        hint_of_global(l, g);
    } else if (known->val.kind == VAL_UNKNOWN) {
        explain_unknown(l, g);
    } else {
        hint_at(l, H_GLOBAL, g->name);
    }
    return val_unknown();
}

/* `name`: as --define would call it; NULL: it decides over functions, not over a value. */
static void warn_choice(Lower *l, Span at, Span other, Sym name, const char *defined)
{
    warn_at(l, at, W_CHOICE, name);
    note_at(l, other, NOTE_OTHER_CHOICE);
    if (defined && l->quiet == 0)
        hint_at(l, H_CHOICE, defined);
}

/* Each choice is told once. */
static void warn_of_value(Lower *l, GlobalValue *known, const AstGlobal *g)
{
    Span at = known->taken ? known->taken->span : known->arm ? known->arm->span : g->span;
    Span other = known->taken ? g->span : known->other ? known->other->span : (Span){0};

    if (known->told || l->quiet > 0)
        return;
    known->told = true;
    if (!known->other)
        other = known->other_arm->span;
    warn_choice(l, at, other, g->name, val_is_function(known->val) ? NULL : defined_name(l, g));
}

static Val assigned_value(Lower *l, const Where *w, const AstGlobal *g, Span span)
{
    GlobalValue *known = find_joined(l, g, span);
    Val v = known->val;
    bool allowed = v.kind != VAL_UNKNOWN && (w->any || may_be_global(l, g, v));
    bool usable = known->other ? val_is_function(v) || (allowed && is_choosable(v)) : allowed;

    if (!usable)
        return refuse_global(l, g, known, span);
    if (known->other || known->arm)
        warn_of_value(l, known, g);
    return v;
}

/* What the user said about the name, in front of all that the file does. */
static Val given_value(Lower *l, const AstGlobal *g, Span span)
{
    GlobalValue *known = find_global(l, g, span);

    if (known->val.kind != VAL_UNKNOWN || known->told)
        return known->val;
    known->told = l->quiet == 0;
    error_at(l, g->value->span, E_DEFINE_VALUE, g->name);
    hint_at(l, H_DEFINE);
    return val_unknown();
}

void warn_of_choice(Lower *l, const AstFunc *fn)
{
    const AstFunc *other = choice_other(l, fn);
    const AstGlobal *g = NULL;

    if (choice_state(l, fn->file, fn->choice) == CHOICE_OPEN)
        g = choice_assigned(l, file_assigned(fn->file, fn->scope, fn->name, UINT32_MAX));
    if ((!other && !g) || l->quiet > 0 || map_get(l->told, MAP_KEY(fn)))
        return;
    map_put(l->told, MAP_KEY(fn), l);
    warn_choice(l, fn->span, other ? other->span : g->span, fn->name, NULL);
}

static Val function_value(Lower *l, const AstFunc *fn)
{
    warn_of_choice(l, fn);
    return (Val){.kind = VAL_FUNC, .func = fn};
}

/* --- names --- */

/* What functions and classes around the code bind, the innermost first.  A class counts only for
 * what stands right in it. */
static bool closure_value(Lower *l, const Where *w, Sym name, Span span, Val *out)
{
    for (const AstScope *s = w->scope; s; s = s->outer) {
        bool right_here = s == w->scope && w->before != UINT32_MAX;
        uint32_t before = right_here ? w->before : UINT32_MAX;
        const AstFunc *fn;
        const AstGlobal *g;
        const AstClass *c;

        if (s->is_class && !right_here)
            continue;
        fn = choice_function(l, file_find_in(w->file, s, name));
        g = fn ? NULL : choice_assigned(l, file_assigned(w->file, s, name, before));
        c = fn || g ? NULL : choice_class(l, w->file, s, name);
        if (fn)
            *out = function_value(l, fn);
        else if (g)
            *out = assigned_value(l, w, g, span);
        else if (c)
            *out = (Val){.kind = VAL_CLASS, .class = c};
        if (fn || g || c)
            return true;
    }
    return false;
}

/* `if there: import project.tile as t` and `else: t = None`: what the import brings is meant. */
static bool stands_for_import(Lower *l, const AstGlobal *g, const AstImport *import)
{
    while (g && is_open(l, g))
        g = choice_assigned(l, g->earlier);
    return import && !g;
}

/* `if there: import project.tile as t` and `else: class t: ...`, or such a class in front of the
 * import: it only stands in where there is no such module. */
static bool class_gives_way(Lower *l, const AstClass *c, const AstImport *import)
{
    return c->in_except || choice_state(l, c->file, c->choice) == CHOICE_OPEN ||
           (!import->goes_last && c->span.start < import->span.start);
}

static bool find_value(Lower *l, const Where *w, Sym name, Span span, Val *out)
{
    const AstFunc *fn =
        w->is_member ? file_member_function(w->file, name) : file_find(w->file, name);
    uint32_t before = w->scope ? UINT32_MAX : w->before;
    const AstGlobal *g = file_assigned(w->file, NULL, name, before);
    const AstImport *import = file_import(w->file, name);
    const AstImport *good = import ? import_that_resolves(w->file, import) : NULL;
    const AstClass *class;
    bool found = true;

    if (g && g->file->is_given) {
        *out = given_value(l, g, span);
        return true;
    }
    if (host_value(l, w, name, span, out) || closure_value(l, w, name, span, out))
        return true;
    fn = choice_function(l, fn);
    g = choice_assigned(l, g);
    class = choice_class(l, w->file, NULL, name);
    if (class && good && class_gives_way(l, class, good))
        class = NULL;
    if (stands_for_import(l, g, import))
        g = NULL;
    if (fn && !fn->in_except)
        *out = function_value(l, fn);
    else if (g && !g->in_except)
        *out = assigned_value(l, w, g, span);
    else if (class)
        *out = (Val){.kind = VAL_CLASS, .class = class};
    else if (good)
        *out = import_value(l, w, good, span);
    else if (fn)
        *out = function_value(l, fn);
    else if (g)
        *out = assigned_value(l, w, g, span);
    else if (import)
        *out = import_value(l, w, import, span);
    else
        found = star_value(l, w, name, span, out);
    return found;
}

bool value_at(Lower *l, const Where *w, Sym name, Span span, Val *out)
{
    bool found = find_value(l, w, name, span, out);

    if (found)
        *out = val_called(l, name, *out);
    return found;
}

bool class_attribute(Lower *l, const AstClass *c, Sym name, Span span, Val *out)
{
    /* in front of a place, so that the class's own names are seen from there */
    const Where w = {.file = c->file, .scope = c->body, .before = UINT32_MAX - 1, .any = true};
    bool is_own =
        file_assigned(c->file, c->body, name, UINT32_MAX) || file_class(c->file, c->body, name);
    Span where;

    if (!is_own || !class_is_assigned(c, name, &where))
        return is_own && closure_value(l, &w, name, span, out);
    *out = val_unknown();
    error_at(l, span, E_MEMBER_VALUE, c->name, name);
    note_at(l, where, NOTE_ASSIGNED_HERE, name);
    hint_at(l, H_ATTRIBUTE_UNKNOWN);
    return true;
}

Val global_value(Lower *l, Sym name, Span span, bool *found)
{
    const Frame *f = l->frame;
    const Where w = {.file = f->file, .scope = f->scope, .before = f->before, .any = f->is_static};
    const Builtin *b = builtin_find(name, IN_PYTHON);
    Val v = val_unknown();

    DType t;

    *found = value_at(l, &w, name, span, &v);
    if (*found)
        return v;
    *found = b || (f->file->is_given && dtype_from_name(name, strlen(name), &t));
    return b ? (Val){.kind = VAL_BUILTIN, .builtin = b} : *found ? val_dtype(l, t) : v;
}
