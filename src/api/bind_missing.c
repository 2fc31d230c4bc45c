/*
 * bind_missing.c - what parameters take that a call does not give (semantics R22, R23, R330)
 *
 * In this order: a launch option of that name, what @triton.heuristics computes, the first
 * configuration of @triton.autotune, the default in the signature.  What a kernel says of these is
 * looked up once, when its file is loaded.
 */
#include <string.h>

#include "bind.h"

/* Launch options of the language (R330) that may be named like arguments.  Those with a default
 * also fill a parameter of that name. */
static const struct {
    const char *name;
    int fallback;
    int least; /* what a whole number must be at least */
} option_names[] = {
    {"num_warps", 4, 1},         {"num_stages", 3, 0},  {"num_ctas", 1, 1},
    {"num_cpu_threads", 0, 0},   {"maxnreg", 0, 0},     {"enable_fp_fusion", 0, 0},
    {"sanitize_overflow", 0, 0}, {"debug", 0, 0},       {"launch_cooperative_grid", 0, 0},
    {"launch_pdl", 0, 0},        {"extern_libs", 0, 0},
};

/* --- launch options --- */

int bind_option_index(const char *name)
{
    for (int i = 0; i < COUNT(option_names); i++) {
        if (strcmp(option_names[i].name, name) == 0)
            return i;
    }
    return -1;
}

const char *bind_near_option(const char *name)
{
    const char *names[COUNT(option_names)];

    for (int i = 0; i < COUNT(option_names); i++)
        names[i] = option_names[i].name;
    return near_name(name, names, COUNT(option_names));
}

int bind_option_least(int option)
{
    return option_names[option].least;
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
    int option = bind_option_index(name), value = option >= 0 ? option_names[option].fallback : 0;

    *out = (Const){.kind = CONST_INT, .integer = value};
    return value != 0;
}

/* --- one call --- */

const Const *bind_missing_value(const Binder *b, int i, Const *option)
{
    const Fallback *f = &b->r->kernel->fallbacks[i];

    if (bind_option(b->r, b->kernel->params[i].name, option))
        return option;
    if (f->heuristic >= 0)
        return b->computed && b->computed[f->heuristic].known ? &b->computed[f->heuristic].value
                                                              : NULL;
    return f->known ? &f->value : NULL;
}

/* Does it only lack an argument that is complained about itself: one that nobody gave, or one that
 * an earlier heuristic should have computed? */
static bool is_consequence(const Binder *b, int heuristic)
{
    const char *missing = b->computed[heuristic].trouble.missing;
    int cause = missing ? bind_param_index(b->kernel, missing, 0) : -1;
    Const ignored;

    return cause >= 0 && !b->given[cause] && !bind_missing_value(b, cause, &ignored) &&
           b->r->kernel->fallbacks[cause].heuristic < heuristic;
}

static void refuse_uncomputed(Binder *b, const FrontParam *p, int heuristic)
{
    const FrontTrouble *t = &b->computed[heuristic].trouble;

    if (is_consequence(b, heuristic))
        return;
    bind_refuse(b, TILEC_REFUSED, p->span,
                "`%s` was not given, and its heuristic cannot be evaluated", p->name);
    if (t->why)
        bind_note(b, t->where, "%s", t->why);
    bind_hint(b, "give the value of `%s`, or values instead of types for what it is computed from",
              p->name);
}

static void refuse_untold(Binder *b, const Fallback *f)
{
    if (f->why)
        bind_note(b, f->where, "%s", f->why);
    bind_hint(b, "it comes from `%s`, which is not a constant of the file; give the value",
              f->text);
}

/* What decorators say of names that are no parameters, one of which may be meant. */
static bool note_tuning(Binder *b)
{
    const FrontTuning *t = b->r->kernel->tuning;

    for (int i = 0; i < t->nwarnings; i++)
        bind_note(b, t->warnings[i].span, "%s", t->warnings[i].text);
    for (int i = 0; i < t->nwarnings; i++)
        bind_hint(b, "%s", t->warnings[i].hint);
    return t->nwarnings > 0;
}

/* Which parameters the arguments without a name went to: one that was forgotten moves all behind
 * it.  False: they all have names. */
static bool note_positions(Binder *b)
{
    int n = 0;

    for (int i = 0; i < b->r->nargs; i++)
        n += !b->r->args[i].name;
    if (n == 0 || !b->job)
        return n > 0;
    Text t = text_new(b->job->arena);
    for (int i = 0; i < n && i < b->kernel->nparams; i++)
        text_printf(&t, "%s`%s`", i ? ", " : "", b->kernel->params[i].name);
    bind_hint(b, "by position there %s for %s; is one missing between them?",
              n == 1 ? "is an argument" : "are arguments", t.s);
    return true;
}

static bool is_missing(const Binder *b, int i)
{
    Const option;

    return !b->given[i] && !bind_missing_value(b, i, &option);
}

/* What the kernel takes, and which of that there is, beside the first argument that is missing. */
static void note_names(Binder *b, int missing)
{
    if (!b->job)
        return;
    Text takes = text_new(b->job->arena), given = text_new(b->job->arena);
    for (int i = 0; i < b->kernel->nparams; i++) {
        const char *name = b->kernel->params[i].name;
        if (i < missing && is_missing(b, i))
            return;
        text_printf(&takes, "%s%s", i ? ", " : "", name);
        if (b->given[i])
            text_printf(&given, "%s%s", given.len ? ", " : "", name);
    }
    const char *name = b->kernel->params[missing].name, *file = b->r->file->source->shown;
    bind_hint(b, "`%s` takes %s, and was given %s: write %s=VALUE, too%s", b->kernel->name, takes.s,
              given.len ? given.s : "nothing", name,
              file[0] == '<' ? ""
                             : arena_printf(b->job->arena, "; `tilec list %s` shows a call", file));
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
    bind_refuse(b, TILEC_REFUSED, p->span, "%s `%s` was not given",
                p->is_constexpr ? "the constexpr" : "argument", p->name);
    if (!note_positions(b) && !p->is_constexpr && !p->has_default)
        note_names(b, i);
    if (p->is_constexpr && note_tuning(b))
        return;
    if (f->text && p->is_constexpr) /* an unread configuration may have any constexpr */
        refuse_untold(b, f);
    else if (p->is_constexpr && !p->has_default)
        bind_hint(b, "it is known when the kernel is compiled, as in %s=128", p->name);
    else if (p->has_default)
        bind_hint(b, "its default is not a constant of the file; give the value");
}

bool bind_missing(Binder *b, int i)
{
    Const option;
    const Const *c = bind_missing_value(b, i, &option);

    if (c)
        return bind_value(b, bind_to(b, i), c);
    refuse_missing(b, i, &b->r->kernel->fallbacks[i]);
    return false;
}

/* --- what a kernel says --- */

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
            f = (Fallback){given->known, given->value, given->text, given->where, given->why, -1};
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
    configs_describe(f, k, a);
    k->fallbacks = NEW_N(a, Fallback, k->signature->nparams);
    for (int i = 0; i < k->signature->nparams; i++) {
        k->fallbacks[i] = find_fallback(&k->signature->params[i], k->tuning);
        k->has_tuple |= k->fallbacks[i].known && k->fallbacks[i].value.kind == CONST_TUPLE;
    }
}
