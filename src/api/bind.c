/*
 * bind.c - from the arguments of a call to the parameters of a kernel (semantics R22 to R29)
 *
 * Takes what the caller gave, by position or name, and fills a Binding: for each parameter either
 * a constant to compile in or a run-time type with its hint, the run-time values as slots, and the
 * key that all of this makes.  Runs on every launch, so it allocates nothing and, when told
 * nothing to report to, says nothing; a failed call is bound again with a Job that collects every
 * complaint, each at the parameter's place in the source.
 */
#include <string.h>

#include "api.h"

typedef struct {
    Request *r;
    Job *job; /* NULL: quietly */
    Binding *out;
    const FrontKernel *kernel;
    tilec_status status; /* the first thing that was wrong */
    bool misspelt;       /* a name was wrong: a parameter that is missing is no news then */
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
    diag_v(b->job->diags, DIAG_ERROR, &b->r->file->source, span, fmt, ap);
    va_end(ap);
    return false;
}

static void hint(Binder *b, const char *fmt, ...) PRINTF(2, 3);
static void hint(Binder *b, const char *fmt, ...)
{
    va_list ap;

    if (!b->job)
        return;
    va_start(ap, fmt);
    diag_v(b->job->diags, DIAG_HINT, NULL, (Span){0}, fmt, ap);
    va_end(ap);
}

/* which argument goes to which parameter */

static int option_index(const char *name)
{
    for (int i = 0; i < COUNT(option_names); i++)
        if (strcmp(option_names[i].name, name) == 0)
            return i;
    return -1;
}

/* The parameter of that name; `guess` is looked at first. */
static int param_index(const FrontKernel *k, const char *name, int guess)
{
    if (guess < k->nparams && strcmp(k->params[guess].name, name) == 0)
        return guess;
    for (int i = 0; i < k->nparams; i++)
        if (strcmp(k->params[i].name, name) == 0)
            return i;
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

static bool is_power_of_two(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* R330; all other options are hints that a CPU ignores. */
static void check_warps(Binder *b, int64_t warps)
{
    if (!is_power_of_two(warps))
        refuse(b, TILEC_REFUSED, (Span){0}, "num_warps must be a power of 2");
}

static void assign(Binder *b)
{
    int next = 0; /* the parameter that an unnamed argument goes to */

    for (int i = 0; i < b->r->nargs; i++) {
        const tilec_arg *a = &b->r->args[i];
        int param = a->name ? param_index(b->kernel, a->name, i) : next++;

        if (param >= 0 && param < b->kernel->nparams)
            take(b, param, a);
        else if (!a->name)
            refuse(b, TILEC_REFUSED, b->kernel->span,
                   "kernel `%s` has %d parameters; argument %d is one too many", b->kernel->name,
                   b->kernel->nparams, i + 1);
        else if (option_index(a->name) < 0)
            refuse_name(b, a->name);
        else if (strcmp(a->name, "num_warps") == 0)
            check_warps(b, a->integer);
    }
    if (b->r->options.num_warps != 0)
        check_warps(b, b->r->options.num_warps);
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
    case CONST_NONE:
    case CONST_TUPLE: /* tuples only come from the signature: there is one a parameter */
        break;
    }
}

/* what a parameter becomes */

static void bind_constant(Binder *b, int i, const Const *c)
{
    b->out->front[i] = (FrontArg){
        .name = b->kernel->params[i].name, .is_constexpr = true, .constant = *c, .divisible = 1};
    key_constant(b->out, c);
}

static void bind_run_time(Binder *b, int i, DType t, bool pointer, int divisible, uint64_t bits)
{
    Binding *out = b->out;

    out->front[i] = (FrontArg){
        .name = b->kernel->params[i].name, .dtype = t, .pointer = pointer, .divisible = divisible};
    out->slots[out->nslots] = bits;
    out->tensors[out->nslots] = NULL;
    out->nslots++;
    key_byte(out, KEY_RUN_TIME | (pointer ? KEY_POINTER : 0) | (int)t);
    key_byte(out, divisible);
}

/* Whether the description can be looked at at all. */
static const char *tensor_problem(const tilec_tensor *t)
{
    bool empty = false;

    if (!tilec_dtype_name(t->dtype))
        return "its dtype is none of tilec_dtype";
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
    default:
        refuse(b, TILEC_REFUSED, p->span, "`%s` is a run-time parameter; %s cannot be passed",
               p->name,
               c->kind == CONST_STRING  ? "a string"
               : c->kind == CONST_DTYPE ? "a dtype"
                                        : "a tuple");
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
    Const c = {.kind = CONST_NONE};

    switch (a->kind) {
    case TILEC_ARG_TENSOR:
        return bind_tensor(b, i, &a->tensor);
    case TILEC_ARG_TYPE:
        return bind_type(b, i, a);
    case TILEC_ARG_INT:
        c = (Const){.kind = CONST_INT, .integer = a->integer};
        break;
    case TILEC_ARG_UINT:
        c = (Const){.kind = CONST_INT, .integer = a->uinteger};
        break;
    case TILEC_ARG_FLOAT:
        c = (Const){.kind = CONST_FLOAT, .real = a->real};
        break;
    case TILEC_ARG_BOOL:
        c = (Const){.kind = CONST_BOOL, .integer = a->integer != 0};
        break;
    case TILEC_ARG_NONE:
        break;
    case TILEC_ARG_STRING:
        if (!a->text)
            return refuse(b, TILEC_BAD_ARGUMENT, b->kernel->params[i].span,
                          "the text given for `%s` is NULL", b->kernel->params[i].name);
        c = (Const){.kind = CONST_STRING, .text = a->text, .ntext = strlen(a->text)};
        break;
    case TILEC_ARG_DTYPE:
        if (!tilec_dtype_name(a->dtype))
            return refuse(b, TILEC_BAD_ARGUMENT, b->kernel->params[i].span,
                          "the dtype given for `%s` is wrong", b->kernel->params[i].name);
        c = (Const){.kind = CONST_DTYPE, .dtype = (DType)a->dtype};
        break;
    default:
        return refuse(b, TILEC_BAD_ARGUMENT, b->kernel->params[i].span,
                      "the kind of the argument for `%s` is none of tilec_arg_kind",
                      b->kernel->params[i].name);
    }
    return bind_value(b, i, &c);
}

/* parameters that are not given */

static void refuse_missing(Binder *b, int i, const Fallback *f)
{
    const FrontParam *p = &b->kernel->params[i];

    if (b->misspelt)
        return;
    refuse(b, TILEC_REFUSED, p->span, "%s `%s` was not given",
           p->is_constexpr ? "the constexpr" : "argument", p->name);
    if (f->by_function)
        hint(b, "@triton.heuristics computes it, which runs in Python only; give the value");
    else if (f->text)
        hint(b, "it comes from `%s`, which is not a constant of the file; give the value", f->text);
    else if (p->has_default)
        hint(b, "its default is not a constant of the file; give the value");
}

/* The launch option that a parameter of this name asks for; 0: none. */
static int option_value(const Binder *b, const char *name)
{
    const tilec_launch_options *o = &b->r->options;

    if (o->num_warps != 0 && strcmp(name, "num_warps") == 0)
        return o->num_warps;
    if (o->num_stages != 0 && strcmp(name, "num_stages") == 0)
        return o->num_stages;
    return 0;
}

static bool bind_missing(Binder *b, int i)
{
    const Fallback *f = &b->r->kernel->fallbacks[i];
    int option = option_value(b, b->kernel->params[i].name);
    Const c = {.kind = CONST_INT, .integer = option};

    if (option != 0 || f->known)
        return bind_value(b, i, option != 0 ? &c : &f->value);
    refuse_missing(b, i, f);
    return false;
}

/* What the signature says, or the launch option of that name. */
static Fallback find_default(const FrontParam *p)
{
    int option = option_index(p->name);

    if (p->has_default)
        return (Fallback){.known = p->default_known, .value = p->fallback};
    if (option < 0 || option_names[option].fallback == 0)
        return (Fallback){.known = false};
    return (Fallback){
        .known = true,
        .value = {.kind = CONST_INT, .integer = option_names[option].fallback},
    };
}

/* Whether `name` gives the parameter a value; "**" stands for what could not be read and may give
 * any, but nothing that is known already. */
static bool gives(const char *name, const FrontParam *p, const Fallback *f)
{
    return strcmp(name, p->name) == 0 || (strcmp(name, "**") == 0 && !f->known);
}

/* The first configuration of @triton.autotune goes before the default in the signature, and what
 * @triton.heuristics computes before both. */
static Fallback find_fallback(const FrontParam *p, const FrontTuning *tuning)
{
    Fallback f = find_default(p);

    if (!tuning)
        return f;
    for (int i = 0; tuning->nconfigs > 0 && i < tuning->configs[0].nbindings; i++) {
        const FrontBinding *given = &tuning->configs[0].bindings[i];
        if (gives(given->name, p, &f))
            f = (Fallback){.known = given->known, .value = given->value, .text = given->text};
    }
    for (int i = 0; i < tuning->nheuristics; i++)
        if (gives(tuning->heuristics[i].name, p, &f))
            f = (Fallback){.by_function = true};
    return f;
}

void bind_describe(tilec_file *f, Kernel *k, Arena *a)
{
    const FrontTuning *tuning = front_tuning(f->front, k->name);

    k->fallbacks = NEW_N(a, Fallback, k->front->nparams);
    for (int i = 0; i < k->front->nparams; i++)
        k->fallbacks[i] = find_fallback(&k->front->params[i], tuning);
}

tilec_status bind_request(Request *r, Job *job)
{
    Binding *out = r->binding;
    Binder b;

    b.r = r;
    b.job = job;
    b.out = out;
    b.kernel = r->kernel->front;
    b.status = TILEC_OK;
    b.misspelt = false;
    for (int i = 0; i < b.kernel->nparams; i++)
        b.given[i] = NULL;
    out->nslots = 0;
    out->typed_only = false;
    out->nkey = 0;
    key_put(out, &r->kernel->index, sizeof r->kernel->index);
    key_byte(out, (int)r->device);
    assign(&b);
    for (int i = 0; i < b.kernel->nparams; i++) {
        if (b.given[i])
            bind_given(&b, i, b.given[i]);
        else
            bind_missing(&b, i);
    }
    out->hash = hash_bytes(out->key, out->nkey, 0);
    return b.status;
}
