/*
 * bind.c - from the arguments of a call to the parameters of a kernel (semantics R22 to R29)
 *
 * Takes what the caller gave, by position or name, and fills a Binding: for each parameter either
 * a constant to compile in or a run-time type with its hint, the run-time values as slots, and the
 * key that all of this makes.  Runs on every launch, so it allocates nothing (unless heuristics.c
 * must compute arguments first) and, when told nothing to report to, says nothing; a failed call is
 * bound again with a Job that collects every complaint, each at the parameter's place in the
 * source.
 */
#include <string.h>

#include "api.h"

typedef struct {
    Request *r;
    Job *job; /* NULL: quietly */
    Binding *out;
    const FrontKernel *kernel;
    tilec_status status;      /* the first thing that was wrong */
    Arena *arena;             /* NULL where nothing needs one */
    bool misspelt;            /* a name was wrong: a parameter that is missing is no news then */
    const Computed *computed; /* by @triton.heuristics; NULL when there are none */
    const tilec_arg *given[MAX_PARAMS];
} Binder;

/* Launch options of the language (R330) that may be named like arguments.  Those with a default
 * also fill a parameter of that name. */
static const struct {
    const char *name;
    int fallback;
} option_names[] = {
    {"num_warps", 4},         {"num_stages", 3},  {"num_ctas", 1},
    {"num_cpu_threads", 0},   {"maxnreg", 0},     {"enable_fp_fusion", 0},
    {"sanitize_overflow", 0}, {"debug", 0},       {"launch_cooperative_grid", 0},
    {"launch_pdl", 0},        {"extern_libs", 0},
};

/* complaints */

static bool refuse(Binder *b, tilec_status status, Span span, const char *fmt, ...) PRINTF(4, 5);
static bool refuse(Binder *b, tilec_status status, Span span, const char *fmt, ...)
{
    va_list ap;

    if (b->status == TILEC_OK)
        b->status = status;
    if (!b->job)
        return false;
    va_start(ap, fmt);
    diag_v(b->job->diags, DIAG_ERROR, span, fmt, ap);
    va_end(ap);
    return false;
}

static void note(Binder *b, Span span, const char *fmt, ...) PRINTF(3, 4);
static void note(Binder *b, Span span, const char *fmt, ...)
{
    va_list ap;

    if (!b->job)
        return;
    va_start(ap, fmt);
    diag_v(b->job->diags, DIAG_NOTE, span, fmt, ap);
    va_end(ap);
}

static void hint(Binder *b, const char *fmt, ...) PRINTF(2, 3);
static void hint(Binder *b, const char *fmt, ...)
{
    va_list ap;

    if (!b->job)
        return;
    va_start(ap, fmt);
    diag_v(b->job->diags, DIAG_HINT, (Span){0}, fmt, ap);
    va_end(ap);
}

/* which argument goes to which parameter */

static int option_index(const char *name)
{
    for (int i = 0; i < COUNT(option_names); i++) {
        if (strcmp(option_names[i].name, name) == 0)
            return i;
    }
    return -1;
}

/* The parameter of that name; `guess` is looked at first. */
int bind_param_index(const FrontKernel *k, const char *name, int guess)
{
    if (guess < k->nparams && strcmp(k->params[guess].name, name) == 0)
        return guess;
    for (int i = 0; i < k->nparams; i++) {
        if (strcmp(k->params[i].name, name) == 0)
            return i;
    }
    return -1;
}

static void refuse_name(Binder *b, const char *name)
{
    const char *names[MAX_PARAMS], *near;

    b->misspelt = true;
    refuse(b, TILEC_NOT_FOUND, b->kernel->span, "kernel `%s` has no parameter `%s`",
           b->kernel->name, name);
    for (int i = 0; i < b->kernel->nparams; i++)
        names[i] = b->kernel->params[i].name;
    near = near_name(name, names, b->kernel->nparams);
    if (near)
        hint(b, "did you mean `%s`?", near);
}

static void take(Binder *b, int param, const tilec_arg *a)
{
    if (!b->given[param])
        b->given[param] = a;
    else
        refuse(b, TILEC_REFUSED, b->kernel->params[param].span, "parameter `%s` was given twice",
               b->kernel->params[param].name);
}

static bool is_power_of_two(const Const *c)
{
    return c->kind == CONST_INT && c->integer > 0 && (c->integer & (c->integer - 1)) == 0;
}

/* R330; all other options are hints that a CPU ignores. */
static bool check_warps(Binder *b, Span span, const Const *c)
{
    return is_power_of_two(c) || refuse(b, TILEC_REFUSED, span, "num_warps must be a power of 2");
}

/* An option that fills a parameter is checked there. */
static void check_options(Binder *b)
{
    Const c;

    if (!bind_option(b->r, "num_warps", &c))
        return;
    int param = bind_param_index(b->kernel, "num_warps", 0);
    if (param < 0 || b->given[param])
        check_warps(b, source_whole(b->r->file->source), &c);
}

static void assign(Binder *b)
{
    static const Const none = {.kind = CONST_NONE};
    int next = 0; /* the parameter that an unnamed argument goes to */
    Const c;

    for (int i = 0; i < b->r->nargs; i++) {
        const tilec_arg *a = &b->r->args[i];
        int param = a->name ? bind_param_index(b->kernel, a->name, i) : next++;

        if (param >= 0 && param < b->kernel->nparams)
            take(b, param, a);
        else if (!a->name)
            refuse(b, TILEC_REFUSED, b->kernel->span,
                   "kernel `%s` has %d parameters; argument %d is one too many", b->kernel->name,
                   b->kernel->nparams, i + 1);
        else if (option_index(a->name) < 0)
            refuse_name(b, a->name);
        else if (strcmp(a->name, "num_warps") == 0)
            check_warps(b, source_whole(b->r->file->source),
                        bind_constant_of(a, NULL, NULL, &c) ? &c : &none);
    }
    check_options(b);
}

/* the key */

static void key_put(Binding *out, const void *p, size_t n)
{
    memcpy(out->key + out->nkey, p, n);
    out->nkey += n;
}

static void key_byte(Binding *out, int byte)
{
    out->key[out->nkey++] = (uint8_t)byte;
}

enum { KEY_RUN_TIME = 0x40, KEY_POINTER = 0x80 };

static Hash128 hash_tuple(const Const *c);

/* What tells a constant from all others of its kind, in 128 bits. */
static Hash128 hash_constant(const Const *c)
{
    uint64_t parts[2] = {0, 0};

    switch (c->kind) {
    case CONST_STRING:
        return hash128_bytes(c->text, c->ntext);
    case CONST_TUPLE:
        return hash_tuple(c);
    case CONST_FLOAT:
        memcpy(parts, &c->real, sizeof c->real);
        break;
    case CONST_DTYPE:
        parts[0] = (uint64_t)c->dtype;
        break;
    case CONST_FUNCTION:
        parts[0] = (uint64_t)(uintptr_t)c->function;
        break;
    default:
        memcpy(parts, &c->integer, sizeof c->integer);
        break;
    }
    return (Hash128){parts[0], parts[1]};
}

static Hash128 hash_tuple(const Const *c)
{
    struct {
        Hash128 before, item;
        uint64_t kind;
    } chain = {{0, 0}, {0, 0}, 0};

    for (int i = 0; i < c->nitems; i++) {
        chain.item = hash_constant(&c->items[i]);
        chain.kind = (uint64_t)c->items[i].kind;
        chain.before = hash128_bytes(&chain, sizeof chain);
    }
    return chain.before;
}

static void key_constant(Binding *out, const Const *c)
{
    Hash128 hash;

    key_byte(out, (int)c->kind);
    switch (c->kind) {
    case CONST_BOOL:
    case CONST_INT:
        key_put(out, &c->integer, sizeof c->integer);
        break;
    case CONST_FLOAT:
        key_put(out, &c->real, sizeof c->real);
        break;
    case CONST_STRING:
        hash = hash128_bytes(c->text, c->ntext);
        key_put(out, &c->ntext, sizeof c->ntext);
        key_put(out, &hash, sizeof hash);
        break;
    case CONST_DTYPE:
        key_byte(out, (int)c->dtype);
        break;
    case CONST_TUPLE:
        key_put(out, &c->nitems, sizeof c->nitems);
        hash = hash_tuple(c);
        key_put(out, &hash, sizeof hash);
        break;
    case CONST_FUNCTION: /* of this file, and keys are the file's */
        key_put(out, &c->function, sizeof c->function);
        break;
    default: /* CONST_NONE; parameters get nothing but plain values */
        break;
    }
}

static void key_arch(Binding *out)
{
    Hash128 hash;

    key_byte(out, out->arch != NULL);
    if (!out->arch)
        return;
    hash = hash128_bytes(out->arch, strlen(out->arch));
    key_put(out, &hash, sizeof hash);
}

/* what a parameter becomes */

static void bind_constant(Binder *b, int i, const Const *c)
{
    b->out->params[i] = (FrontArg){
        .name = b->kernel->params[i].name, .is_constexpr = true, .constant = *c, .divisible = 1};
    key_constant(b->out, c);
}

static void bind_run_time(Binder *b, int i, DType t, bool pointer, int divisible, uint64_t bits)
{
    Binding *out = b->out;

    out->params[i] = (FrontArg){
        .name = b->kernel->params[i].name, .dtype = t, .pointer = pointer, .divisible = divisible};
    out->slots[out->nslots] = bits;
    out->tensors[out->nslots] = NULL;
    out->nslots++;
    key_byte(out, KEY_RUN_TIME | (pointer ? KEY_POINTER : 0) | (int)t);
    key_byte(out, divisible);
}

/* All tensors of a launch are on one device, since it runs there. */
static bool check_device_id(Binder *b, const FrontParam *p, const tilec_tensor *t, const Device *d)
{
    int count = d->arrays->count();

    if (count > 0 && (t->device_id < 0 || t->device_id >= count))
        return refuse(b, TILEC_NOT_FOUND, p->span,
                      "the tensor given for `%s` is on number %d of the device `%s`, which has %d",
                      p->name, t->device_id, d->name, count);
    if (b->out->id < 0)
        b->out->id = t->device_id;
    if (b->out->id == t->device_id)
        return true;
    return refuse(
        b, TILEC_BAD_ARGUMENT, p->span,
        "the tensor given for `%s` is on number %d of the device `%s`, others on number %d",
        p->name, t->device_id, d->name, b->out->id);
}

/* Is it where the device of this launch can reach it? */
static bool check_memory(Binder *b, const FrontParam *p, const tilec_tensor *t)
{
    static const char *const names[] = {
        [MEMORY_HOST] = "the host's", [MEMORY_DEVICE] = "a device's"};
    const Device *d = device_at(b->r->device);

    if ((unsigned)t->memory >= (unsigned)COUNT(names))
        return refuse(b, TILEC_BAD_ARGUMENT, p->span, "the memory of `%s` is none of tilec_memory",
                      p->name);
    if (t->memory == TILEC_MEMORY_HOST && t->device_id != 0)
        return refuse(b, TILEC_BAD_ARGUMENT, p->span,
                      "the tensor given for `%s` is in the host's memory, which has no number %d",
                      p->name, t->device_id);
    if ((MemoryKind)t->memory == d->memory)
        return t->memory == TILEC_MEMORY_HOST || check_device_id(b, p, t, d);
    if (b->r->shown)
        return true;
    return refuse(b, TILEC_BAD_ARGUMENT, p->span,
                  "the tensor given for `%s` is in %s memory; the device `%s` works on %s", p->name,
                  names[t->memory], d->name, names[d->memory]);
}

/* Whether the description can be looked at at all. */
static const char *tensor_problem(const tilec_tensor *t)
{
    bool empty = false;

    if (!tilec_dtype_name(t->dtype))
        return "its dtype is none of tilec_dtype";
    if (t->ndim > TILEC_MAX_DIMS)
        return "it has too many dimensions";
    if (t->ndim > 0 && !t->shape)
        return "it has dimensions but no shape";
    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] < 0)
            return "its shape is negative";
        empty |= t->shape[i] == 0;
    }
    return t->data || empty ? NULL : "its data is NULL";
}

/* R24: few classes, so that views do not each compile anew. */
static int address_divisor(uint64_t address)
{
    return address % 64 == 0 ? 64 : address % 16 == 0 ? 16 : 1;
}

/* A tensor given for an annotated parameter is read as that type (R27), of the same size. */
static bool bind_tensor(Binder *b, int i, const tilec_tensor *t)
{
    const FrontParam *p = &b->kernel->params[i];
    const char *problem = tensor_problem(t);
    uint64_t address = (uint64_t)(uintptr_t)t->data;
    DType dtype = (DType)t->dtype;

    if (problem)
        return refuse(b, TILEC_BAD_ARGUMENT, p->span, "the tensor given for `%s` is wrong: %s",
                      p->name, problem);
    if (!check_memory(b, p, t))
        return false;
    if (p->is_constexpr)
        return refuse(b, TILEC_REFUSED, p->span, "`%s` is a constexpr; it cannot be a tensor",
                      p->name);
    if (p->typed && (!p->pointer || dtype_size(p->dtype) != dtype_size(dtype)))
        return refuse(b, TILEC_REFUSED, p->span,
                      "`%s` is annotated as %s%s; a tensor of %s was given", p->name,
                      p->pointer ? "*" : "", dtype_name(p->dtype), dtype_name(dtype));
    if (p->typed)
        dtype = p->dtype;
    bind_run_time(b, i, dtype, true, p->do_not_specialize ? 1 : address_divisor(address), address);
    b->out->tensors[b->out->nslots - 1] = t;
    if (b->r->options.check)
        key_byte(b->out, view_dims(t));
    return true;
}

/* Whether `v` is a value of the integer type. */
static bool in_range(DType t, __int128 v)
{
    int bits = dtype_bits(t);

    if (t == DT_I1 || dtype_is_unsigned(t))
        return 0 <= v && v >> bits == 0;
    return v >> (bits - 1) == 0 || v >> (bits - 1) == -1;
}

static bool refuse_kind(Binder *b, const FrontParam *p, const char *given)
{
    return refuse(b, TILEC_REFUSED, p->span, "`%s` is annotated as %s%s; %s was given", p->name,
                  p->pointer ? "*" : "", dtype_name(p->dtype), given);
}

/* A number for a parameter whose annotation fixes its type (R27). */
static bool bind_typed(Binder *b, int i, const Const *c)
{
    const FrontParam *p = &b->kernel->params[i];
    bool whole = c->kind == CONST_INT || c->kind == CONST_BOOL;

    if (p->pointer || (!whole && !dtype_is_float(p->dtype)))
        return refuse_kind(b, p, c->kind == CONST_FLOAT ? "a float" : "a number");
    if (dtype_is_float(p->dtype)) {
        double v = whole ? (double)c->integer : c->real;
        bind_run_time(b, i, p->dtype, false, 1, scalar_from_double(p->dtype, v));
        return true;
    }
    if (!in_range(p->dtype, c->integer))
        return refuse(b, TILEC_REFUSED, p->span, "`%s` is annotated as %s; the value is too large",
                      p->name, dtype_name(p->dtype));
    int divisible = c->kind == CONST_INT && !p->do_not_specialize && c->integer % 16 == 0 ? 16 : 1;
    bind_run_time(b, i, p->dtype, false, divisible,
                  scalar_truncate(p->dtype, (uint64_t)c->integer));
    return true;
}

/* An integer for a parameter without annotation: R24, first two rows. */
static bool bind_int(Binder *b, int i, const Const *c)
{
    const FrontParam *p = &b->kernel->params[i];

    if (c->integer == 1 && !p->do_not_specialize) {
        bind_constant(b, i, c);
        return true;
    }
    DType t = in_range(DT_I32, c->integer)   ? DT_I32
              : in_range(DT_I64, c->integer) ? DT_I64
                                             : DT_U64;
    if (!in_range(t, c->integer))
        return refuse(b, TILEC_REFUSED, p->span, "the value of `%s` does not fit into 64 bits",
                      p->name);
    int divisible = c->integer % 16 == 0 && !p->do_not_specialize ? 16 : 1;
    bind_run_time(b, i, t, false, divisible, scalar_truncate(t, (uint64_t)c->integer));
    return true;
}

/* A plain value, from the caller or from the signature. */
static bool bind_value(Binder *b, int i, const Const *c)
{
    const FrontParam *p = &b->kernel->params[i];

    if (c->kind != CONST_NONE && strcmp(p->name, "num_warps") == 0 && !check_warps(b, p->span, c))
        return false;
    if (p->is_constexpr || c->kind == CONST_NONE) {
        bind_constant(b, i, c);
        return true;
    }
    switch (c->kind) {
    case CONST_BOOL:
    case CONST_INT:
    case CONST_FLOAT:
        if (p->typed)
            return bind_typed(b, i, c);
        if (c->kind == CONST_INT)
            return bind_int(b, i, c);
        if (c->kind == CONST_BOOL)
            bind_run_time(b, i, DT_I1, false, 1, c->integer != 0);
        else
            bind_run_time(b, i, DT_FP32, false, 1, scalar_from_double(DT_FP32, c->real));
        return true;
    case CONST_FUNCTION:
    case CONST_TUPLE: /* the lowering makes its numbers run-time values (R24) */
        if (p->typed)
            return refuse_kind(b, p, c->kind == CONST_TUPLE ? "a tuple" : "a function");
        bind_constant(b, i, c);
        return true;
    default:
        refuse(b, TILEC_REFUSED, p->span, "`%s` is a run-time parameter; %s cannot be passed",
               p->name, c->kind == CONST_STRING ? "a string" : "a dtype");
        hint(b, "annotate it as `%s: tl.constexpr`", p->name);
        return false;
    }
}

/* A type without a value, for looking at code only. */
static bool bind_type(Binder *b, int i, const tilec_arg *a)
{
    const FrontParam *p = &b->kernel->params[i];

    if (p->is_constexpr)
        return refuse(b, TILEC_REFUSED, p->span, "`%s` is a constexpr; it needs a value", p->name);
    if (!tilec_dtype_name(a->dtype))
        return refuse(b, TILEC_BAD_ARGUMENT, p->span, "the type given for `%s` is wrong", p->name);
    b->out->typed_only = true;
    bind_run_time(b, i, (DType)a->dtype, a->pointer != 0, a->pointer ? 16 : 1, 0);
    return true;
}

static bool bind_given(Binder *b, int i, const tilec_arg *a)
{
    const FrontParam *p = &b->kernel->params[i];
    Const c;

    if (a->kind == TILEC_ARG_TENSOR)
        return bind_tensor(b, i, &a->tensor);
    if (a->kind == TILEC_ARG_TYPE)
        return bind_type(b, i, a);
    if (bind_constant_of(a, b->r->file->parsed, b->arena, &c))
        return bind_value(b, i, &c);
    if (a->kind == TILEC_ARG_STRING)
        return refuse(b, TILEC_BAD_ARGUMENT, p->span, "the text given for `%s` is NULL", p->name);
    if (a->kind == TILEC_ARG_DTYPE)
        return refuse(b, TILEC_BAD_ARGUMENT, p->span, "the dtype given for `%s` is wrong", p->name);
    if (a->kind == TILEC_ARG_FUNCTION)
        return refuse(b, a->text ? TILEC_REFUSED : TILEC_BAD_ARGUMENT, p->span,
                      "the file has no @triton.jit function `%s`, which is given for `%s`",
                      a->text ? a->text : "NULL", p->name);
    if (a->kind == TILEC_ARG_TUPLE)
        return refuse(b, TILEC_BAD_ARGUMENT, p->span,
                      "the tuple given for `%s` holds what is no constant, or too much of it",
                      p->name);
    return refuse(b, TILEC_BAD_ARGUMENT, p->span,
                  "the kind of the argument for `%s` is none of tilec_arg_kind", p->name);
}

/* parameters that are not given */

static const Const *missing_value(const Binder *b, int i, Const *option);

/* Does it only lack an argument that is complained about itself: one that nobody gave, or one that
 * an earlier heuristic should have computed? */
static bool is_consequence(const Binder *b, int heuristic)
{
    const char *missing = b->computed[heuristic].trouble.missing;
    int cause = missing ? bind_param_index(b->kernel, missing, 0) : -1;
    Const ignored;

    return cause >= 0 && !b->given[cause] && !missing_value(b, cause, &ignored) &&
           b->r->kernel->fallbacks[cause].heuristic < heuristic;
}

static void refuse_uncomputed(Binder *b, const FrontParam *p, int heuristic)
{
    const FrontTrouble *t = &b->computed[heuristic].trouble;

    if (is_consequence(b, heuristic))
        return;
    refuse(b, TILEC_REFUSED, p->span, "`%s` was not given, and its heuristic cannot be evaluated",
           p->name);
    if (t->why)
        note(b, t->where, "%s", t->why);
    hint(b, "give the value of `%s`, or values instead of types for what it is computed from",
         p->name);
}

static void refuse_missing(Binder *b, int i, const Fallback *f)
{
    const FrontParam *p = &b->kernel->params[i];

    if (b->misspelt)
        return;
    if (f->heuristic >= 0) {
        refuse_uncomputed(b, p, f->heuristic);
        return;
    }
    refuse(b, TILEC_REFUSED, p->span, "%s `%s` was not given",
           p->is_constexpr ? "the constexpr" : "argument", p->name);
    if (f->text && p->is_constexpr) /* an unread configuration may have any constexpr */
        hint(b, "it comes from `%s`, which is not a constant of the file; give the value", f->text);
    else if (p->has_default)
        hint(b, "its default is not a constant of the file; give the value");
}

bool bind_option(const Request *r, const char *name, Const *out)
{
    const tilec_launch_options *o = &r->options;
    int value = 0;

    if (o->num_warps != 0 && strcmp(name, "num_warps") == 0)
        value = o->num_warps;
    if (o->num_stages != 0 && strcmp(name, "num_stages") == 0)
        value = o->num_stages;
    *out = (Const){.kind = CONST_INT, .integer = value};
    return value != 0;
}

bool bind_option_default(const char *name, Const *out)
{
    int option = option_index(name), value = option >= 0 ? option_names[option].fallback : 0;

    *out = (Const){.kind = CONST_INT, .integer = value};
    return value != 0;
}

/* What a parameter takes that the caller did not give; NULL when there is nothing. */
static const Const *missing_value(const Binder *b, int i, Const *option)
{
    const Fallback *f = &b->r->kernel->fallbacks[i];

    if (bind_option(b->r, b->kernel->params[i].name, option))
        return option;
    if (f->heuristic >= 0)
        return b->computed && b->computed[f->heuristic].known ? &b->computed[f->heuristic].value
                                                              : NULL;
    return f->known ? &f->value : NULL;
}

static bool bind_missing(Binder *b, int i)
{
    Const option;
    const Const *c = missing_value(b, i, &option);

    if (c)
        return bind_value(b, i, c);
    refuse_missing(b, i, &b->r->kernel->fallbacks[i]);
    return false;
}

/* What the signature says, or the launch option of that name. */
static Fallback find_default(const FrontParam *p)
{
    Fallback f = {.heuristic = -1};

    if (p->has_default) {
        f.known = p->default_known;
        f.value = p->default_value;
    } else {
        f.known = bind_option_default(p->name, &f.value);
    }
    return f;
}

/* Whether `name` gives the parameter a value; "**" stands for what could not be read and may give
 * any, but nothing that is known already. */
static bool gives(const char *name, const FrontParam *p, const Fallback *f)
{
    return strcmp(name, p->name) == 0 || (strcmp(name, "**") == 0 && !f->known && f->heuristic < 0);
}

/* The first configuration of @triton.autotune goes before the default in the signature, and what
 * @triton.heuristics computes before both. */
static Fallback find_fallback(const FrontParam *p, const FrontTuning *tuning)
{
    Fallback f = find_default(p);

    for (int i = 0; tuning->nconfigs > 0 && i < tuning->configs[0].nbindings; i++) {
        const FrontBinding *given = &tuning->configs[0].bindings[i];
        if (gives(given->name, p, &f))
            f = (Fallback){given->known, given->value, given->text, -1};
    }
    for (int i = 0; i < tuning->nheuristics; i++) {
        if (gives(tuning->heuristics[i].name, p, &f))
            f.heuristic = i;
    }
    return f;
}

void bind_describe(tilec_file *f, Kernel *k, Arena *a)
{
    static const FrontTuning none;
    const FrontTuning *tuning = front_tuning(f->parsed, k->name);

    k->tuning = tuning ? tuning : &none;
    k->fallbacks = NEW_N(a, Fallback, k->signature->nparams);
    for (int i = 0; i < k->signature->nparams; i++)
        k->fallbacks[i] = find_fallback(&k->signature->params[i], k->tuning);
}

/* What the launch wishes for, in whatever way it says so; 0: nothing. */
static int bind_wish(Binder *b, const char *name)
{
    Const c;

    if (!heuristics_option(b->r, b->given, b->computed, name, &c) || c.kind == CONST_NONE)
        return 0;
    bool good = c.kind == CONST_INT && c.integer >= 0 && c.integer <= INT32_MAX;
    if (b->status == TILEC_OK && !good)
        refuse(b, TILEC_REFUSED, source_whole(b->r->file->source),
               "%s must be a whole number of 0 or more", name);
    return good ? (int)c.integer : 0;
}

/* Devices that follow wishes have code for each; a compile shows them in the IR. */
static void bind_wishes(Binder *b)
{
    Binding *out = b->out;
    bool schedules = device_at(b->r->device)->schedules;

    out->num_warps = out->num_stages = 0;
    if (!schedules && !b->job)
        return;
    out->num_warps = bind_wish(b, "num_warps");
    out->num_stages = bind_wish(b, "num_stages");
    if (b->status == TILEC_OK && out->num_warps > 0)
        check_warps(b, source_whole(b->r->file->source),
                    &(Const){.kind = CONST_INT, .integer = out->num_warps});
    if (schedules) {
        key_put(out, &out->num_warps, sizeof out->num_warps);
        key_put(out, &out->num_stages, sizeof out->num_stages);
    }
}

/* In `a` where something must be computed, or a tuple was given. */
static tilec_status bind_in(Binder *b, Request *r, Job *job, Arena *a)
{
    Binding *out = r->binding;

    b->r = r;
    b->job = job;
    b->out = out;
    b->kernel = r->kernel->signature;
    b->status = TILEC_OK;
    b->misspelt = false;
    b->computed = NULL;
    b->arena = a;
    for (int i = 0; i < b->kernel->nparams; i++)
        b->given[i] = NULL;
    out->nslots = 0;
    out->id = -1;
    out->typed_only = false;
    out->nkey = 0;
    key_put(out, &r->kernel->index, sizeof r->kernel->index);
    key_byte(out, r->device);
    key_byte(out, r->options.check != 0);
    assign(b);
    if (r->kernel->tuning->nheuristics > 0)
        b->computed = heuristics_evaluate(r, b->given, a, job != NULL);
    bind_wishes(b);
    for (int i = 0; i < b->kernel->nparams; i++) {
        if (b->given[i])
            bind_given(b, i, b->given[i]);
        else
            bind_missing(b, i);
    }
    out->arch = r->options.arch;
    if (!out->arch && device_at(r->device)->arrays)
        out->arch = device_arch(device_at(r->device), out->id);
    key_arch(out);
    out->hash = hash_bytes(out->key, out->nkey, 0);
    return b->status;
}

static tilec_status bind_quietly(Job *job, void *request)
{
    Binder b;

    return bind_in(&b, request, NULL, job->arena);
}

static bool has_tuple(const Request *r)
{
    for (int i = 0; i < r->nargs; i++) {
        if (r->args[i].kind == TILEC_ARG_TUPLE)
            return true;
    }
    return false;
}

tilec_status bind_request(Request *r, Job *job)
{
    Binder b;

    if (!job && (r->kernel->tuning->nheuristics > 0 || has_tuple(r)))
        return job_run(bind_quietly, r, NULL, NULL);
    return bind_in(&b, r, job, job ? job->arena : NULL);
}

tilec_status bind_param_value(Job *job, void *value)
{
    ValueJob *v = value;
    Interner *names = v->request->file->names;
    Binder b;
    tilec_status status = bind_in(&b, v->request, job, job->arena);
    Const option;

    if (status != TILEC_OK)
        return status;
    const FrontParam *p = &b.kernel->params[v->param];
    const Const *c = b.given[v->param] ? NULL : missing_value(&b, v->param, &option);
    v->value = b.given[v->param] ? *b.given[v->param] : (tilec_arg){0};
    if (c && !bind_argument_of(c, &v->value))
        return job_refuse(job, TILEC_NOT_FOUND, "no argument can have the value of `%s`", p->name);
    if (c && c->kind == CONST_STRING)
        v->value.text = intern(names, v->value.text);
    v->value.name = p->name;
    return TILEC_OK;
}
