/*
 * lower_name.c - what names and attributes mean (semantics R2 to R8, R72, R161)
 *
 * A name is looked for among the locals, then in the functions around the kernel, then at module
 * level, then among Python's builtins.  Of imports only the language's own modules and Python's
 * math mean something; any other import is an error when, and only when, a kernel uses it.
 */
#include "lower.h"

#include <math.h>
#include <string.h>

/* --- modules --- */

enum { IN_LIBDEVICE = 1 << 16 };

/* Which functions a module has; modules by the end of their names. */
static const struct {
    const char *name;
    int where;
} modules[] = {
    {"triton", IN_TRITON},
    {"triton.language", IN_TL},
    {"triton.language.core", IN_TL},
    {"triton.language.standard", IN_TL},
    {"triton.language.random", IN_TL},
    {"triton.language.math", IN_MATH | IN_LIBDEVICE},
    {"triton.language.libdevice", IN_LIBDEVICE},
    {"triton.language.extra", 0},
    {"triton.language.extra.libdevice", IN_LIBDEVICE},
    {"triton.language.extra.cuda", IN_CUDA},
    {"triton.language.extra.cuda.libdevice", IN_LIBDEVICE},
    {"triton.language.extra.cuda.utils", IN_CUDA},
    {"triton.language.extra.hip", 0},
    {"triton.language.extra.hip.libdevice", IN_LIBDEVICE},
    {"triton.language.extra.intel", 0},
    {"triton.language.extra.intel.libdevice", IN_LIBDEVICE},
    {"triton.language.extra.cpu", 0},
    {"triton.language.extra.cpu.libdevice", IN_LIBDEVICE},
    {"triton.language.PropagateNan", 0},
    {"math", IN_PYMATH},
};

static int module_where(const char *name)
{
    for (int i = 0; i < COUNT(modules); i++)
        if (strcmp(modules[i].name, name) == 0)
            return modules[i].where;
    return -1;
}

static bool python_constant(const char *name, double *out)
{
    static const struct {
        const char *name;
        double value;
    } constants[] = {
        {"pi", M_PI}, {"e", M_E}, {"tau", 2 * M_PI}, {"inf", INFINITY}, {"nan", NAN},
    };

    for (int i = 0; i < COUNT(constants); i++) {
        *out = constants[i].value;
        if (strcmp(constants[i].name, name) == 0)
            return true;
    }
    return false;
}

static Val find_function(Sym member, int where)
{
    const Builtin *b = builtin_find(member, where);
    const Libdevice *d = where & IN_LIBDEVICE ? libdevice_find(member) : NULL;

    if (b)
        return (Val){.kind = VAL_BUILTIN, .builtin = b};
    if (d)
        return (Val){.kind = VAL_LIBDEVICE, .libdevice = d};
    return val_unknown();
}

/* Members that are no functions. */
static Val find_constant(Lower *l, Sym module, Sym member, int where)
{
    const char *full = arena_printf(l->arena, "%s.%s", module, member);
    DType t;
    double d;

    if (module_where(full) >= 0)
        return val_module(intern(l->names, full));
    if ((where & IN_TL) && dtype_from_long_name(member, strlen(member), &t))
        return val_dtype(l, t);
    if ((where & IN_PYMATH) && python_constant(member, &d))
        return val_float(l, d);
    if (strcmp(module, "triton.language.PropagateNan") == 0)
        return val_string(l, member);
    return val_unknown();
}

static const char *own_dtype(Lower *l, Sym name)
{
    size_t n = strlen(name);
    DType t;

    if (!dtype_from_long_name(name, n, &t) && !dtype_from_name(name, n, &t))
        return NULL;
    return arena_printf(l->arena, "tl.%s", dtype_long_name(t));
}

/* How a kernel spells what bears this name elsewhere, or NULL. */
static const char *own_name(Lower *l, Sym name)
{
    if (builtin_find(name, IN_TL))
        return arena_printf(l->arena, "tl.%s", name);
    if (libdevice_find(name))
        return arena_printf(l->arena, "tl.extra.libdevice.%s", name);
    return own_dtype(l, name);
}

static Val no_member(Lower *l, Sym module, Sym member, int where, Span span)
{
    const char *own = own_name(l, member), *near = builtin_near(member, where);

    error_at(l, span, E_NO_MEMBER, module, member);
    if (own)
        hint_at(l, H_LANGUAGE_HAS, own);
    else if (near)
        hint_at(l, H_DID_YOU_MEAN, near);
    return val_unknown();
}

Val module_member(Lower *l, Sym module, Sym member, Span span)
{
    int where = module_where(module);
    Val v;

    if (where < 0) {
        const char *own = own_dtype(l, member);
        error_at(l, span, E_UNKNOWN_IMPORT, member, module);
        if (own)
            hint_at(l, H_LANGUAGE_HAS, own);
        else
            hint_at(l, H_UNKNOWN_IMPORT);
        return val_unknown();
    }
    v = find_function(member, where);
    if (v.kind == VAL_UNKNOWN)
        v = find_constant(l, module, member, where);
    return v.kind == VAL_UNKNOWN ? no_member(l, module, member, where, span) : v;
}

/* --- module level --- */

static Val import_value(Lower *l, const AstImport *i, Span span)
{
    const char *full;

    if (!i->member)
        return val_module(i->module);
    full = arena_printf(l->arena, "%s.%s", i->module, i->member);
    if (module_where(full) >= 0)
        return val_module(intern(l->names, full));
    return module_member(l, i->module, i->member, span);
}

static bool import_resolves(Lower *l, const AstImport *i)
{
    int errors = l->quiet_errors;

    if (!i)
        return false;
    l->quiet++;
    import_value(l, i, i->span);
    l->quiet--;
    return errors == l->quiet_errors;
}

bool annotation_is_constexpr(const Node *n)
{
    if (n->kind == N_STRING)
        return strstr(n->text, "constexpr") != NULL;
    return (n->kind == N_NAME || n->kind == N_ATTRIBUTE) && strcmp(n->name, "constexpr") == 0;
}

/* Would Python hold a tl.constexpr instance in `g`: the call itself, or an operator on one?  Of two
 * that it would choose from, either is enough. */
static bool makes_constexpr(Lower *l, const AstGlobal *g, const Node *n, int depth);

static bool one_makes_constexpr(Lower *l, const AstGlobal *g, const Node *n, int depth)
{
    for (int i = 0; i < n->nitems; i++)
        if (makes_constexpr(l, g, n->items[i], depth))
            return true;
    return false;
}

static bool name_makes_constexpr(Lower *l, const AstGlobal *g, Sym name, int depth)
{
    const AstGlobal *of = file_assigned(l->file, g->scope, name, g->start);

    if (!of && g->scope)
        of = file_assigned(l->file, NULL, name, UINT32_MAX);
    if (!of || depth > 8)
        return false;
    return (of->annotation && annotation_is_constexpr(of->annotation)) ||
           makes_constexpr(l, of, of->value, depth + 1);
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
    default:
        return false;
    }
}

static bool is_function(Val v)
{
    return v.kind == VAL_FUNC || v.kind == VAL_BUILTIN || v.kind == VAL_LIBDEVICE ||
           v.kind == VAL_MODULE;
}

/* R3: may a kernel take from outside what `g` holds? */
static bool may_be_global(Lower *l, const AstGlobal *g, Val v)
{
    return is_function(v) || v.kind == VAL_TYPE || val_is_none(v) ||
           (g->annotation && annotation_is_constexpr(g->annotation)) ||
           makes_constexpr(l, g, g->value, 0);
}

/* What Python holds, whoever may use it; unknown when that cannot be told. */
static Val evaluate_global(Lower *l, const AstGlobal *g, Span span)
{
    Frame *frame = l->frame;
    Val v;

    l->frame = frame_new(l, frame->fn, span);
    l->frame->scope = g->scope;
    l->frame->before = g->start;
    l->frame->is_static = true;
    l->quiet++;
    v = lower_expr(l, g->value);
    l->quiet--;
    l->frame = frame;
    return val_is_known(v) ? v : val_unknown();
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
    return known;
}

/* Of functions any one will do: they are the same function for different machines and versions. */
static void join_global(GlobalValue *known, const GlobalValue *before, const AstGlobal *g)
{
    bool unknown = known->val.kind == VAL_UNKNOWN;

    if (known->other || (val_same(known->val, before->val) && !unknown))
        return;
    if (is_function(before->val) && unknown)
        known->val = before->val;
    known->other = g;
}

/* What the name holds behind `g`: under a condition, that or what it held before. */
static GlobalValue *find_joined(Lower *l, const AstGlobal *g, Span span)
{
    GlobalValue *known = find_global(l, g, span);
    const AstGlobal *last = g;

    while (!known->joined && last->is_choice && last->earlier) {
        last = last->earlier;
        join_global(known, find_global(l, last, span), last);
    }
    known->joined = true;
    return known;
}

/* Each global is complained about once. */
static Val refuse_global(Lower *l, const AstGlobal *g, GlobalValue *known, Span span)
{
    if (known->told && l->quiet == 0)
        return val_unknown();
    known->told = l->quiet == 0;
    error_at(l, span, known->other ? E_GLOBAL_CHOICE : E_GLOBAL, g->name);
    note_at(l, g->span, NOTE_ASSIGNED_HERE, g->name);
    if (known->other)
        note_at(l, known->other->span, NOTE_ASSIGNED_HERE, g->name);
    if (known->other || known->val.kind == VAL_UNKNOWN)
        hint_at(l, H_GLOBAL_UNKNOWN);
    else
        hint_at(l, H_GLOBAL, g->name);
    return val_unknown();
}

static void warn_choice(Lower *l, Span at, Span other, Sym name)
{
    warn_at(l, at, W_CHOICE, name);
    note_at(l, other, NOTE_OTHER_CHOICE);
}

static Val assigned_value(Lower *l, const AstGlobal *g, Span span)
{
    GlobalValue *known = find_joined(l, g, span);
    Val v = known->val;
    bool usable = known->other
                      ? is_function(v)
                      : v.kind != VAL_UNKNOWN && (l->frame->is_static || may_be_global(l, g, v));

    if (!usable)
        return refuse_global(l, g, known, span);
    if (known->other && !known->told && l->quiet == 0) {
        known->told = true;
        warn_choice(l, g->span, known->other->span, g->name);
    }
    return v;
}

void warn_of_choice(Lower *l, const AstFunc *fn)
{
    const AstFunc *other = file_other_choice(l->file, fn);
    const AstGlobal *g =
        fn->is_choice ? file_assigned(l->file, fn->scope, fn->name, UINT32_MAX) : NULL;

    if ((!other && !g) || l->quiet > 0 || map_get(l->told, MAP_KEY(fn)))
        return;
    map_put(l->told, MAP_KEY(fn), l);
    warn_choice(l, fn->span, other ? other->span : g->span, fn->name);
}

static Val function_value(Lower *l, const AstFunc *fn)
{
    warn_of_choice(l, fn);
    return (Val){.kind = VAL_FUNC, .func = fn};
}

/* What functions and classes around the code bind, the innermost first.  A class counts only for
 * what stands right in it. */
static bool closure_value(Lower *l, Sym name, Span span, Val *out)
{
    const Frame *frame = l->frame;

    for (const AstScope *s = frame->scope; s; s = s->outer) {
        bool right_here = s == frame->scope && frame->before != UINT32_MAX;
        uint32_t before = right_here ? frame->before : UINT32_MAX;
        const AstFunc *fn;
        const AstGlobal *g;

        if (s->is_class && !right_here)
            continue;
        fn = file_find_in(l->file, s, name);
        g = fn ? NULL : file_assigned(l->file, s, name, before);
        if (fn)
            *out = function_value(l, fn);
        else if (g)
            *out = assigned_value(l, g, span);
        if (fn || g)
            return true;
    }
    return false;
}

/* `from MODULE import *` brings every name of a known module, but none that begins with `_`; the
 * last one wins. */
static bool star_value(Lower *l, Sym name, Span span, Val *out)
{
    for (int i = l->file->nimports - 1; i >= 0 && name[0] != '_'; i--) {
        AstImport import = l->file->imports[i];
        if (strcmp(import.name, "*") != 0)
            continue;
        import.member = name;
        if (!import_resolves(l, &import))
            continue;
        *out = import_value(l, &import, span);
        return true;
    }
    return false;
}

Val global_value(Lower *l, Sym name, Span span, bool *found)
{
    const AstFunc *fn = file_find(l->file, name);
    uint32_t before = l->frame->scope ? UINT32_MAX : l->frame->before;
    const AstGlobal *g = file_assigned(l->file, NULL, name, before);
    const AstImport *import = file_import(l->file, name);
    const Builtin *b = builtin_find(name, IN_PYTHON | (l->frame->is_static ? IN_STATIC : 0));
    Val v;

    *found = true;
    if (closure_value(l, name, span, &v))
        return v;
    if (fn && !fn->is_fallback)
        return function_value(l, fn);
    if (g && !g->is_fallback)
        return assigned_value(l, g, span);
    if (import_resolves(l, import))
        return import_value(l, import, span);
    if (fn)
        return function_value(l, fn);
    if (g)
        return assigned_value(l, g, span);
    if (import)
        return import_value(l, import, span);
    if (star_value(l, name, span, &v))
        return v;
    if (b)
        return (Val){.kind = VAL_BUILTIN, .builtin = b};
    *found = false;
    return val_unknown();
}

/* --- names --- */

/* The nearest of all names that could have been meant. */
static const char *near_visible(Lower *l, Sym name)
{
    static const char *const constants[] = {"None", "True", "False"};
    VEC(const char *) words = {0};

    for (int i = 0; i < COUNT(constants); i++)
        vec_push(l->arena, &words, constants[i]);
    for (int i = 0; i < l->frame->env.len; i++)
        if (l->frame->env.at[i].bound && !l->frame->env.at[i].missing)
            vec_push(l->arena, &words, l->frame->names.at[i]);
    for (int i = 0; i < l->file->nfuncs; i++)
        if (l->file->funcs[i]->is_jit)
            vec_push(l->arena, &words, l->file->funcs[i]->name);
    for (int i = 0; i < l->file->nglobals; i++)
        vec_push(l->arena, &words, l->file->globals[i].name);
    for (int i = 0; i < l->file->nimports; i++)
        vec_push(l->arena, &words, l->file->imports[i].name);
    return near_name(name, words.at, words.len);
}

static void explain_lost(Lower *l, const Binding *b, Sym name)
{
    if (b->lost == LOST_IN_ARM)
        note_at(l, b->span, NOTE_LOST_IN_ARM, name);
    else if (b->lost == LOST_WITH_ARM)
        note_at(l, b->span, NOTE_LOST_WITH_ARM, name);
    else if (b->lost == LOST_IN_LOOP)
        note_at(l, b->span, NOTE_LOST_IN_LOOP, name);
    else
        note_at(l, b->span, NOTE_LOST_LOOP_VARIABLE, name);
}

static Val undefined_name(Lower *l, Sym name, Span span)
{
    const Binding *b = env_find(l, name);
    const char *near = near_visible(l, name), *own = own_name(l, name);

    error_at(l, span, E_NOT_DEFINED, name);
    if (b && b->lost)
        explain_lost(l, b, name);
    else if (near)
        hint_at(l, H_DID_YOU_MEAN, near);
    else if (own)
        hint_at(l, H_LANGUAGE_HAS, own);
    env_miss(l, name, span); /* one complaint a name */
    return val_unknown();
}

Val lower_name(Lower *l, const Node *n)
{
    const Binding *b = env_find(l, n->name);
    bool found = false;
    Val v = val_unknown();

    if (b && b->bound)
        return b->val;
    if (!b || !b->lost)
        v = global_value(l, n->name, n->span, &found);
    return found ? v : undefined_name(l, n->name, n->span);
}

/* --- attributes --- */

static Val shape_tuple(Lower *l, int rank, const int32_t *dims)
{
    Val items[MAX_RANK];

    for (int i = 0; i < rank; i++)
        items[i] = val_int(l, dims[i]);
    return val_tuple(l, rank, items);
}

static Val bind_method(Lower *l, Val self, Sym name, const Builtin *b)
{
    Method *m = NEW(l->arena, Method);

    *m = (Method){.self = self, .name = name, .builtin = b};
    return (Val){.kind = VAL_METHOD, .method = m};
}

static Val method_of(Lower *l, Val self, Sym name, Span span)
{
    const Builtin *b = builtin_find(name, IN_METHOD);
    const char *near;

    if (b)
        return bind_method(l, self, name, b);
    error_at(l, span, E_NO_ATTRIBUTE, val_text(l, self), name);
    near = builtin_near(name, IN_METHOD);
    if (near)
        hint_at(l, H_DID_YOU_MEAN, near);
    return val_unknown();
}

static Val run_attribute(Lower *l, Val self, Sym name, Span span)
{
    const Type *t = self.run->type;

    if (strcmp(name, "shape") == 0)
        return shape_tuple(l, t->rank, t->dims);
    if (strcmp(name, "numel") == 0)
        return val_int(l, type_numel(t));
    if (strcmp(name, "dtype") == 0)
        return val_type(type_element(l->module, t));
    if (strcmp(name, "type") == 0)
        return val_type(t);
    if (strcmp(name, "T") == 0 && t->rank == 2)
        return val_run(build_permute(&l->b, self.run, (int[]){1, 0}));
    if (strcmp(name, "T") == 0)
        return fail_val(l, span, E_T_RANK, val_text(l, self));
    return method_of(l, self, name, span);
}

static Val const_attribute(Lower *l, Val self, Sym name, Span span)
{
    DType t;

    bool asks_type = strcmp(name, "dtype") == 0 || strcmp(name, "type") == 0;
    const Builtin *b = builtin_find(name, IN_NUMBER);

    if (b && const_is_integral(self.c))
        return bind_method(l, self, name, b);
    if (asks_type && val_is_number(self))
        return literal_dtype(l, self.c, span, &t) ? val_dtype(l, t) : val_unknown();
    return method_of(l, self, name, span);
}

static int primitive_bits(const Type *t)
{
    return t->pointer ? 64 : dtype_bits(t->dtype);
}

static Val type_element_of(Lower *l, const Type *t)
{
    if (t->rank > 0)
        return val_type(type_element(l->module, t));
    return val_dtype(l, t->dtype);
}

static Val type_attribute(Lower *l, Val self, Sym name, Span span)
{
    const Type *t = self.type;

    if (strcmp(name, "element_ty") == 0)
        return type_element_of(l, t);
    if (strcmp(name, "scalar") == 0)
        return val_type(type_element(l->module, t));
    if (strcmp(name, "shape") == 0)
        return shape_tuple(l, t->rank, t->dims);
    if (strcmp(name, "name") == 0)
        return val_string(l, val_type_text(l, t));
    if (strcmp(name, "primitive_bitwidth") == 0 || strcmp(name, "int_bitwidth") == 0)
        return val_int(l, primitive_bits(t));
    if (strcmp(name, "itemsize") == 0)
        return val_int(l, t->pointer ? 8 : dtype_size(t->dtype));
    if (strcmp(name, "fp_mantissa_width") == 0)
        return val_int(l, dtype_mantissa_bits(t->dtype));
    if (strcmp(name, "exponent_bias") == 0)
        return val_int(l, dtype_bias(t->dtype));
    if (strncmp(name, "is_", 3) == 0)
        return bind_method(l, self, name, NULL);
    return fail_val(l, span, E_NO_ATTRIBUTE, val_text(l, self), name);
}

static Val block_ptr_attribute(Lower *l, Val self, Sym name, Span span)
{
    const BlockPtr *p = self.block_ptr;

    if (strcmp(name, "dtype") == 0)
        return val_type(p->base->type);
    if (strcmp(name, "type") == 0)
        return val_type(p->base->type);
    return method_of(l, self, name, span);
}

Val value_attribute(Lower *l, Val self, Sym name, Span span)
{
    bool compile_time = self.kind == VAL_CONST || self.kind == VAL_TYPE || self.kind == VAL_TUPLE;

    if (compile_time && strcmp(name, "value") == 0) /* of a tl.constexpr (R13) */
        return self;
    switch (self.kind) {
    case VAL_UNKNOWN:
        return self;
    case VAL_RUN:
        return run_attribute(l, self, name, span);
    case VAL_CONST:
        return const_attribute(l, self, name, span);
    case VAL_TYPE:
        return type_attribute(l, self, name, span);
    case VAL_MODULE:
        return module_member(l, self.module, name, span);
    case VAL_BLOCK_PTR:
        return block_ptr_attribute(l, self, name, span);
    default:
        return fail_val(l, span, E_NO_ATTRIBUTE, val_text(l, self), name);
    }
}

Val lower_attribute(Lower *l, const Node *n)
{
    Val self = lower_expr(l, n->left);

    l->b.span = n->span;
    return value_attribute(l, self, n->name, n->span);
}
