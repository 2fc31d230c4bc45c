/*
 * resolve_name.c - what names mean (semantics R2 to R8, R72, R161)
 *
 * A name is looked for among the locals, then in the functions around the kernel, then at module
 * level, then among Python's builtins.  Of modules that are no files (resolve_import.c) only the
 * language's own and Python's math mean something.
 */
#include "resolve.h"

#include <stdio.h>
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
    {"triton.language.standard", IN_TL | IN_STANDARD},
    {"triton.language.random", IN_TL},
    {"triton.language.math", IN_MATH | IN_LIBDEVICE},
    {"triton.language.libdevice", IN_LIBDEVICE},
    {"triton.language.target_info", IN_TARGET},
    {"triton.language.extra", 0},
    {"triton.language.extra.cuda", IN_CUDA},
    {"triton.language.extra.cuda.utils", IN_CUDA},
    {"triton.language.extra.hip", 0},
    {"triton.language.extra.intel", 0},
    {"triton.language.extra.cpu", 0},
    {"triton.language.PropagateNan", 0},
    {"math", 0},
    {"itertools", 0},
    {"torch.version", 0},
};

/* Every target has a module of its own for the same functions. */
static bool is_libdevice(const char *name)
{
    size_t n = strlen(name), end = strlen(".libdevice");

    return strncmp(name, "triton.language.extra.", strlen("triton.language.extra.")) == 0 &&
           n > end && strcmp(name + n - end, ".libdevice") == 0;
}

static int module_where(const char *name)
{
    if (is_libdevice(name))
        return IN_LIBDEVICE;
    for (int i = 0; i < COUNT(modules); i++) {
        if (strcmp(modules[i].name, name) == 0)
            return modules[i].where;
    }
    return -1;
}

bool module_is_known(Sym module)
{
    return module_where(module) >= 0;
}

/* What Python has there is known at compile time. */
static bool is_of_python(const char *module)
{
    return strcmp(module, "math") == 0 || strcmp(module, "itertools") == 0 ||
           strcmp(module, "torch.version") == 0;
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

/* Members that are no functions of the language; of math and itertools, what Python has. */
static Val find_constant(Lower *l, Sym module, Sym member, int where)
{
    const char *full = arena_printf(l->arena, "%s.%s", module, member);
    Py p = {.arena = l->arena};
    Const c;
    DType t;

    if (module_where(full) >= 0)
        return val_module(intern(l->interner, full));
    if ((where & IN_TL) && dtype_from_long_name(member, strlen(member), &t))
        return val_dtype(l, t);
    if (is_of_python(module) && py_full_name(&p, full, &c))
        return val_const(l, c);
    if ((where & IN_TL) && strcmp(member, "pi32_t") == 0)
        return val_type(type_pointer(l->module, DT_I32, false));
    if (strcmp(module, "triton.language.PropagateNan") == 0)
        return val_string(l, member);
    return val_unknown();
}

bool module_has(Sym module, Sym member)
{
    int where = module_where(module);
    char full[128];
    DType t;

    if (where < 0)
        return false;
    snprintf(full, sizeof full, "%s.%s", module, member);
    return find_function(member, where).kind != VAL_UNKNOWN || module_where(full) >= 0 ||
           ((where & IN_TL) && dtype_from_long_name(member, strlen(member), &t)) ||
           (is_of_python(module) && py_has_name(full)) ||
           strcmp(module, "triton.language.PropagateNan") == 0;
}

static const char *own_dtype(Lower *l, Sym name)
{
    size_t n = strlen(name);
    DType t;

    if (!dtype_from_long_name(name, n, &t) && !dtype_from_name(name, n, &t))
        return NULL;
    return arena_printf(l->arena, "tl.%s", dtype_long_name(t));
}

/* C's functions of floats end in `f`. */
static const char *without_f(Lower *l, Sym name)
{
    size_t n = strlen(name);

    return n > 1 && name[n - 1] == 'f' ? arena_strndup(l->arena, name, n - 1) : NULL;
}

const char *own_name(Lower *l, Sym name)
{
    const char *plain, *alike;

    if (strncmp(name, "__", 2) == 0 && libdevice_find(name + 2))
        name = intern(l->interner, name + 2);
    plain = without_f(l, name + strspn(name, "_"));
    if (plain && !libdevice_find(name) && (builtin_find(plain, IN_MATH) || libdevice_find(plain)))
        name = plain;
    alike = builtin_alike(name, IN_TL);
    if (alike)
        return arena_printf(l->arena, "tl.%s", alike);
    if (libdevice_find(name))
        return arena_printf(l->arena, "tl.extra.libdevice.%s", name);
    return own_dtype(l, name);
}

bool hint_instead(Lower *l, Sym name, const char *near)
{
    const char *advice = advice_for_function(name);

    if (advice)
        hint_at(l, "%s", advice);
    else if (near)
        hint_at(l, H_DID_YOU_MEAN, near);
    return advice || near;
}

/* What a dtype is called that C and PyTorch call so. */
static const char *meant_dtype(Sym name)
{
    static const WordText names[] = {
        {"float", "float32"}, {"half", "float16"}, {"double", "float64"}, {"int", "int32"},
        {"long", "int64"},    {"bool", "int1"},    {"uint", "uint32"},    {"byte", "uint8"}};

    return text_of_word(names, COUNT(names), name);
}

/* In `math` functions of elements are meant: there max is tl.maximum, and tl.max is a reduction. */
static const char *elementwise_name(Lower *l, Sym module, Sym member)
{
    const char *last = strrchr(module, '.');
    bool in_math = strcmp(last ? last + 1 : module, "math") == 0;

    if (in_math && strcmp(member, "max") == 0)
        return "tl.maximum";
    if (in_math && strcmp(member, "min") == 0)
        return "tl.minimum";
    return own_name(l, member);
}

static Val no_member(Lower *l, Sym module, Sym member, int where, Span span)
{
    const char *own = elementwise_name(l, module, member), *near = builtin_near(member, where);

    if (!near && where & IN_LIBDEVICE)
        near = libdevice_near(member);
    error_at(l, span, E_NO_MEMBER, module, member);
    if (where & IN_TL && meant_dtype(member))
        hint_at(l, H_DID_YOU_MEAN, meant_dtype(member));
    else if (own)
        hint_at(l, H_LANGUAGE_HAS, own);
    else if (!hint_instead(l, member, near) && where & IN_TL)
        hint_at(l, H_ALL_FUNCTIONS);
    return val_unknown();
}

/* What Python has in modules that mean nothing to kernels: torch.finfo, and, outside of kernels or
 * where it is compared, torch.float16, which is no dtype of the language. */
static bool foreign_member(Lower *l, Sym module, Sym member, Val *out)
{
    const char *full = arena_printf(l->arena, "%s.%s", module, member);
    Py p = {.arena = l->arena};
    Const c;

    *out = val_module(intern(l->interner, full));
    if (module_where(full) >= 0)
        return true;
    bool is_of_process = strcmp(module, "os") == 0; /* a kernel asks nothing of that */
    if ((is_of_process && !l->frame->is_static) || !py_full_name(&p, full, &c))
        return false;
    bool is_compared = c.kind == CONST_DTYPE && l->admitted == ADMIT_DTYPES;
    if (c.kind != CONST_FUNCTION && !l->frame->is_static && !is_compared)
        return false;
    *out = val_from_python(l, &c);
    return true;
}

/* Libraries whose functions work on whole arrays, at any depth of their modules. */
static bool is_array_library(Sym module)
{
    static const char *const names[] = {"torch", "numpy", "jax",     "cupy",   "scipy",
                                        "cv2",   "PIL",   "skimage", "pandas", "tensorflow"};

    for (int i = 0; i < COUNT(names); i++) {
        size_t n = strlen(names[i]);
        if (strncmp(module, names[i], n) == 0 && (module[n] == '.' || module[n] == '\0'))
            return true;
    }
    return false;
}

static void hint_of_foreign(Lower *l, Sym module, Sym member, const Imported *import)
{
    const char *own = is_array_library(module) ? own_name(l, member) : own_dtype(l, member);

    if (own)
        hint_at(l, H_LANGUAGE_HAS, own);
    else if (!is_array_library(module))
        hint_of_import(l, import, NULL);
    else if (!hint_instead(l, member, NULL)) {
        hint_at(l, H_FOREIGN_FUNCTION, member);
        if (import && import->is_missing)
            hint_of_import(l, import, NULL);
    }
}

Val module_member(Lower *l, Sym module, Sym member, const Imported *import, Span span)
{
    int where = module_where(module);
    Val v;

    if (where < 0 && foreign_member(l, module, member, &v))
        return v;
    if (where < 0) {
        error_at(l, span, E_UNKNOWN_IMPORT, member, module);
        hint_of_foreign(l, module, member, import);
        return val_unknown();
    }
    v = find_function(member, where);
    if (v.kind == VAL_UNKNOWN)
        v = find_constant(l, module, member, where);
    return v.kind == VAL_UNKNOWN ? no_member(l, module, member, where, span) : v;
}

/* --- names --- */

/* The nearest of all names that could have been meant. */
static const char *near_visible(Lower *l, Sym name)
{
    static const char *const constants[] = {"None", "True", "False"};
    const FrontFile *file = l->frame->file;
    VEC(const char *) words = {0};

    for (int i = 0; i < COUNT(constants); i++)
        vec_push(l->arena, &words, constants[i]);
    for (int i = 0; i < l->frame->env.len; i++) {
        if (l->frame->env.at[i].bound && !l->frame->env.at[i].missing)
            vec_push(l->arena, &words, l->frame->names.at[i]);
    }
    for (int i = 0; i < file->nfuncs; i++) {
        if (file->funcs[i]->is_jit)
            vec_push(l->arena, &words, file->funcs[i]->name);
    }
    for (int i = 0; i < file->nglobals; i++)
        vec_push(l->arena, &words, file->globals[i].name);
    for (int i = 0; i < file->nimports; i++)
        vec_push(l->arena, &words, file->imports[i].name);
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

static bool is_link(const Node *n)
{
    return n->kind == N_CALL || n->kind == N_ATTRIBUTE;
}

void chain_begin(Lower *l, const Node *n)
{
    for (const Node *in = l->chain; in && is_link(in); in = in->left) {
        if (in->left == n)
            return;
    }
    l->chain = n;
}

/* What is made of a name where it stands: `name.member(...)`. */
typedef struct {
    const Node *call;   /* NULL: it is not called, nor is its member */
    const Node *member; /* the last one in front of a call; NULL: none is asked for */
} NameUse;

static NameUse use_of(const Lower *l, const Node *name)
{
    NameUse use = {0};

    const Node *n = l->chain;

    for (; n && is_link(n); n = n->left) {
        if (n->kind == N_CALL)
            use = (NameUse){.call = n};
        else if (!use.member)
            use.member = n;
    }
    return n == name ? use : (NameUse){0};
}

/* Of torch.nn.functional.relu, where nothing binds `torch`: what is there instead of `relu`, or of
 * a module in front of it. */
static bool hint_of_member(Lower *l, const Node *member, const Node *name)
{
    for (const Node *n = member; n && n->kind == N_ATTRIBUTE && n != name; n = n->left) {
        const char *own = own_name(l, n->name), *advice = advice_for_function(n->name);

        if (own)
            hint_at(l, H_LANGUAGE_HAS, own);
        else if (advice)
            hint_at(l, "%s", advice);
        if (own || advice)
            return true;
    }
    return false;
}

/* tl.float32 for float33; NULL: it is near to none. */
static const char *near_dtype(Lower *l, Sym name)
{
    const char *names[DT_COUNT], *near;
    int n = 0;

    for (int t = 0; t < DT_COUNT && name[strcspn(name, "0123456789")]; t++) {
        if (dtype_long_name((DType)t))
            names[n++] = dtype_long_name((DType)t);
    }
    near = near_name(name, names, n);
    return near ? arena_printf(l->arena, "tl.%s", near) : NULL;
}

static void hint_of_name(Lower *l, const Node *n)
{
    const NameUse use = use_of(l, n);
    const char *near = near_visible(l, n->name), *own = own_name(l, n->name);
    const char *advice =
        use.call && !use.member ? advice_for_function(n->name) : advice_for_word(n->name);

    if (is_library_alias(n->name) && hint_of_member(l, use.member, n))
        return;
    if (strncmp(n->name, "\xe2\x80", 2) == 0) /* of U+2018, U+201C and what is near them */
        hint_at(l, H_CURLY_QUOTES);
    else if (advice)
        hint_at(l, "%s", advice);
    else if (own && (use.call || !near))
        hint_at(l, H_LANGUAGE_HAS, own);
    else if (near || (near = near_dtype(l, n->name)))
        hint_at(l, H_DID_YOU_MEAN, near);
    else
        hint_at(l, H_NOT_DEFINED);
}

Val lower_undefined(Lower *l, const Node *name)
{
    const Binding *b = env_find(l, name->name);

    if (env_was_skipped(l, name->name)) {
        env_miss(l, name->name, name->span);
        return val_unknown();
    }
    error_at(l, name->span, E_NOT_DEFINED, name->name);
    if (b && b->lost)
        explain_lost(l, b, name->name);
    else if (hints_show(l))
        hint_of_name(l, name);
    env_miss(l, name->name, name->span); /* one complaint a name */
    return val_unknown();
}

Val lower_name(Lower *l, const Node *n)
{
    const Binding *b = env_find(l, n->name);
    bool found = false;
    Val v = val_unknown();

    if (b && b->bound && val_is_const(b->val, CONST_OBJECT) &&
        b->val.c->class == &front_object_class) {
        const char *text = b->val.c->object;
        if (language_function(l, text, n->span, &v))
            return v;
        return fail_val(l, n->span, E_HOST_OBJECT, n->name, text);
    }
    if (b && b->bound)
        return b->val;
    if (!b || !b->lost)
        v = global_value(l, n->name, n->span, &found);
    return found ? v : lower_undefined(l, n);
}
