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

#include "bind.h"

/* --- complaints --- */

bool bind_refuse(Binder *b, tilec_status status, Span span, const char *fmt, ...)
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

void bind_note(Binder *b, Span span, const char *fmt, ...)
{
    va_list ap;

    if (!b->job)
        return;
    va_start(ap, fmt);
    diag_v(b->job->diags, DIAG_NOTE, span, fmt, ap);
    va_end(ap);
}

void bind_hint(Binder *b, const char *fmt, ...)
{
    va_list ap;

    if (!b->job)
        return;
    va_start(ap, fmt);
    diag_v(b->job->diags, DIAG_HINT, (Span){0}, fmt, ap);
    va_end(ap);
}

/* --- which argument goes to which parameter --- */

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

/* What no parameter is called, as where an array without TILEC_ARRAY is taken for a name. */
static bool is_no_name(const char *name)
{
    static const char in_names[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

    return name[0] == 0 || name[strspn(name, in_names)] != 0;
}

static void refuse_name(Binder *b, const char *name, int argument)
{
    const char *names[MAX_PARAMS], *near;

    b->misspelt = true;
    bind_refuse(b, TILEC_NOT_FOUND, b->kernel->span, "kernel `%s` has no parameter `%s`",
                b->kernel->name, name);
    for (int i = 0; i < b->kernel->nparams; i++)
        names[i] = b->kernel->params[i].name;
    near = near_name(name, names, b->kernel->nparams);
    if (!near)
        near = bind_near_option(name);
    if (near)
        bind_hint(b, "did you mean `%s`?", near);
    else if (is_no_name(name))
        bind_hint(
            b,
            "argument %d has that name: an array alone is no argument, TILEC_ARRAY(x, n) makes one "
            "of it",
            argument + 1);
    else if (strncmp(name, "num_", 4) == 0)
        bind_hint(b, "a launch has num_warps, num_stages, num_ctas and num_cpu_threads");
}

static void take_argument(Binder *b, int param, const tilec_arg *a)
{
    if (!b->given[param])
        b->given[param] = a;
    else
        bind_refuse(b, TILEC_REFUSED, b->kernel->params[param].span,
                    "parameter `%s` was given twice, by the arguments %d and %d",
                    b->kernel->params[param].name, (int)(b->given[param] - b->r->args) + 1,
                    (int)(a - b->r->args) + 1);
}

/* A launch option that is only a hint here must still be one. */
static void check_hint(Binder *b, const tilec_arg *a)
{
    int least = bind_option_least(bind_option_index(a->name));
    Span whole = source_whole(b->r->file->source);
    Const c;

    if (!bind_constant_of(a, NULL, NULL, &c) || c.kind == CONST_NONE)
        return;
    bool counts = strncmp(a->name, "num_", 4) == 0 || strcmp(a->name, "maxnreg") == 0;
    if (counts && c.kind != CONST_INT && c.kind != CONST_BOOL)
        bind_refuse(b, TILEC_REFUSED, whole, "%s must be a whole number of %d or more, not %s",
                    a->name, least, const_kind_name(&c));
    else if (c.kind == CONST_INT && c.integer < least)
        bind_refuse(b, TILEC_REFUSED, whole, "%s must be a whole number of %d or more, not %lld",
                    a->name, least, (long long)c.integer);
    else if (c.kind == CONST_INT && strcmp(a->name, "num_ctas") == 0 &&
             (c.integer & (c.integer - 1)) != 0)
        bind_refuse(b, TILEC_REFUSED, whole, "num_ctas must be a power of 2 (1, 2), not %lld",
                    (long long)c.integer);
}

/* Is it one of the options that say what kernels look for while they run, and how they round? */
static bool take_wish(Binder *b, const tilec_arg *a)
{
    Wish *wish = strcmp(a->name, "debug") == 0               ? &b->debug
                 : strcmp(a->name, "sanitize_overflow") == 0 ? &b->overflow
                 : strcmp(a->name, "enable_fp_fusion") == 0  ? &b->fusion
                                                             : NULL;
    Const c;

    if (!wish || !bind_constant_of(a, NULL, NULL, &c) || c.kind == CONST_NONE)
        return wish;
    if (c.kind != CONST_BOOL && c.kind != CONST_INT)
        bind_refuse(b, TILEC_REFUSED, source_whole(b->r->file->source),
                    "%s must be True or False, not %s", a->name, const_kind_name(&c));
    *wish = const_truth(&c) ? WISH_ON : WISH_OFF;
    return wish;
}

/* An option that fills a parameter is checked there. */
static void check_bound_options(Binder *b)
{
    Const c;

    if (!bind_option(b->r, "num_warps", &c))
        return;
    int param = bind_param_index(b->kernel, "num_warps", 0);
    if (param < 0 || b->given[param])
        bind_check_warps(b, source_whole(b->r->file->source), &c);
}

/* One more than there are parameters; perhaps for a name that stands in front of it. */
static void refuse_more(Binder *b, int argument)
{
    bind_refuse(b, TILEC_REFUSED, b->kernel->span,
                "kernel `%s` has %d parameters; argument %d is one too many", b->kernel->name,
                b->kernel->nparams, argument + 1);
    for (int i = 0; i < argument; i++) {
        const tilec_arg *a = &b->r->args[i];

        if (!a->name && a->kind == TILEC_ARG_STRING && a->text &&
            bind_param_index(b->kernel, a->text, 0) >= 0) {
            bind_hint(b,
                      "argument %d is the text \"%s\": a value for the parameter of that name is "
                      "TILEC_NAMED(%s, ..) in C, tilec::named(\"%s\", ..) in C++",
                      i + 1, a->text, a->text, a->text);
            return;
        }
    }
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
            take_argument(b, param, a);
        else if (!a->name)
            refuse_more(b, i);
        else if (bind_option_index(a->name) < 0)
            refuse_name(b, a->name, i);
        else if (strcmp(a->name, "num_warps") == 0)
            bind_check_warps(b, source_whole(b->r->file->source),
                             bind_constant_of(a, NULL, NULL, &c) ? &c : &none);
        else if (!take_wish(b, a))
            check_hint(b, a);
    }
    check_bound_options(b);
}

/* --- the launch --- */

/* What the launch wishes for, in whatever way it says so; 0: nothing. */
static int bind_wish(Binder *b, const char *name)
{
    Const c;

    if (!heuristics_option(b->r, b->given, b->computed, name, &c) || c.kind == CONST_NONE)
        return 0;
    bool good = c.kind == CONST_INT && c.integer >= 0 && c.integer <= INT32_MAX;
    if (b->status == TILEC_OK && !good)
        bind_refuse(b, TILEC_REFUSED, source_whole(b->r->file->source),
                    "%s must be a whole number of 0 or more", name);
    return good ? (int)c.integer : 0;
}

/* What the code looks for while it runs, and how it rounds. */
static void bind_looks(Binder *b)
{
    Binding *out = b->out;
    int checks = !b->r->options.check ? 0 : b->r->checks_unasked ? 1 : 2;

    out->drops_asserts = b->debug == WISH_OFF;
    out->finds_overflow = b->overflow ? b->overflow == WISH_ON : b->debug == WISH_ON;
    out->fuses = b->fusion == WISH_ON;
    bind_key_byte(out, checks | out->drops_asserts << 2 | out->finds_overflow << 3 |
                           out->fuses << 4 | request_names(b->r) << 5);
}

/* Devices that follow wishes have code for each; a compile shows them in the IR. */
static void bind_wishes(Binder *b)
{
    enum { MOST_REGISTERS = 255 };
    Binding *out = b->out;
    bool schedules = device_at(b->r->device)->schedules;

    out->num_warps = out->num_stages = out->maxnreg = 0;
    if (!schedules && !b->job)
        return;
    out->num_warps = bind_wish(b, "num_warps");
    out->num_stages = bind_wish(b, "num_stages");
    out->maxnreg = bind_wish(b, "maxnreg");
    if (b->status == TILEC_OK && out->maxnreg > MOST_REGISTERS)
        bind_refuse(b, TILEC_REFUSED, source_whole(b->r->file->source),
                    "maxnreg is %d: a thread has no more than %d registers", out->maxnreg,
                    MOST_REGISTERS);
    if (b->status == TILEC_OK && out->num_warps > 0)
        bind_check_warps(b, source_whole(b->r->file->source),
                         &(Const){.kind = CONST_INT, .integer = out->num_warps});
    if (schedules) {
        bind_key_put(out, &out->num_warps, sizeof out->num_warps);
        bind_key_put(out, &out->num_stages, sizeof out->num_stages);
        bind_key_put(out, &out->maxnreg, sizeof out->maxnreg);
    }
}

BindTo bind_to(Binder *b, int i)
{
    FrontArg *to = &b->out->params[i];

    memset(to, 0, sizeof *to); /* in place: gcc makes a literal elsewhere, and copies it by words */
    to->name = b->kernel->params[i].name;
    return (BindTo){&b->kernel->params[i], to};
}

/* In `a` where something must be computed, or holds several values. */
static tilec_status bind_in(Binder *b, Request *r, Job *job, Arena *a)
{
    Binding *out = r->binding;

    b->r = r;
    b->job = job;
    b->out = out;
    b->kernel = r->kernel->signature;
    b->status = TILEC_OK;
    b->misspelt = false;
    b->debug = b->overflow = b->fusion = WISH_UNSAID;
    b->computed = NULL;
    b->arena = a;
    b->nparts = b->kernel->nparams;
    b->level = 0;
    for (int i = 0; i < b->kernel->nparams; i++)
        b->given[i] = NULL;
    out->nslots = 0;
    out->id = -1;
    out->typed_only = false;
    out->nkey = 0;
    bind_key_put(out, &r->kernel->index, sizeof r->kernel->index);
    bind_key_byte(out, r->device);
    bind_key_byte(out, r->options.wide_floats);
    assign(b);
    bind_looks(b);
    if (r->kernel->tuning->nheuristics > 0)
        b->computed = heuristics_evaluate(r, b->given, a, job != NULL);
    bind_wishes(b);
    for (int i = 0; i < b->kernel->nparams; i++) {
        if (b->given[i])
            bind_argument(b, bind_to(b, i), b->given[i]);
        else
            bind_missing(b, i);
    }
    out->arch = r->options.arch;
    if (!out->arch && device_at(r->device)->arrays)
        out->arch = device_arch(device_at(r->device), out->id);
    bind_key_arch(out);
    out->hash = hash_bytes(out->key, out->nkey, 0);
    return b->status;
}

static tilec_status bind_quietly(Job *job, void *request)
{
    Binder b;

    return bind_in(&b, request, NULL, job->arena);
}

/* Is anything given, or does anything stand in for what is not, that is made in an arena? */
static bool needs_arena(const Request *r)
{
    bool needs = r->kernel->tuning->nheuristics > 0 || r->kernel->has_tuple;

    for (int i = 0; i < r->nargs && !needs; i++)
        needs = r->args[i].kind == TILEC_ARG_TUPLE || r->args[i].kind == TILEC_ARG_CONSTEXPR ||
                r->args[i].kind == TILEC_ARG_DESCRIPTOR;
    return needs;
}

/* Under the file's lock: functions that the file only imports become known, for good. */
static void import_functions(const Request *r, const tilec_arg *args, int n, int level)
{
    for (int i = 0; args && i < n && level < BIND_MOST_LEVELS; i++) {
        const tilec_arg *a = &args[i];

        if (a->kind == TILEC_ARG_FUNCTION && a->text)
            front_import_function(r->file->parsed, a->text);
        else if (a->kind == TILEC_ARG_TUPLE || a->kind == TILEC_ARG_CONSTEXPR)
            import_functions(r, a->items, a->nitems, level + 1);
    }
}

tilec_status bind_request(Request *r, Job *job)
{
    Binder b;

    if (job)
        import_functions(r, r->args, r->nargs, 0);
    if (!job && needs_arena(r))
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
    const Const *c = b.given[v->param] ? NULL : bind_missing_value(&b, v->param, &option);
    v->value = b.given[v->param] ? *b.given[v->param] : (tilec_arg){0};
    if (c && !bind_argument_of(c, &v->value))
        return job_refuse(job, TILEC_NOT_FOUND, "no argument can have the value of `%s`", p->name);
    if (c && c->kind == CONST_STRING)
        v->value.text = intern(names, v->value.text);
    v->value.name = p->name;
    return TILEC_OK;
}
