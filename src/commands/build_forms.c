/*
 * build_forms.c - which specialisations `tilec build` makes
 *
 * One for each choice of the parameters that have a few values; each of these once for what every
 * --variant says, and once without; and each of these for arrays that are aligned, with integers
 * that are multiples of 16, and for all others.  The more a form knows the earlier it comes.
 */
#include "build.h"
#include "../syntax/lex.h"

#include <string.h>

enum { MOST_FORMS = 64 };

static bool is_integer(const BuildParam *p)
{
    return p->kind == BUILD_GIVEN && !p->type.pointer && p->type.dtype != TILEC_I1 &&
           dtype_is_int((DType)p->type.dtype);
}

static const BuildCondition *condition_of(const BuildForm *f, int param)
{
    for (int i = 0; i < f->conditions.len; i++) {
        if (f->conditions.at[i].param == param)
            return &f->conditions.at[i];
    }
    return NULL;
}

static bool is_slot(const BuildForm *f, const Build *b, int param)
{
    return b->params[param].kind == BUILD_GIVEN && !condition_of(f, param);
}

/* Does it make a difference to the form whether its arguments are aligned? */
static bool can_be_aligned(const Build *b, const BuildForm *f)
{
    for (int i = 0; i < b->nparams; i++) {
        bool counts = b->params[i].type.pointer || is_integer(&b->params[i]);
        if (is_slot(f, b, i) && counts)
            return true;
    }
    return false;
}

static void add_form(Build *b, const BuildForm *f)
{
    BuildForm new = *f;

    if (b->forms.len == MOST_FORMS)
        cli_stop(b->cli, CLI_USAGE, "these are more than %d specialisations", MOST_FORMS);
    new.symbol = arena_printf(b->cli->arena, "%s_%d", b->symbol, b->forms.len + 1);
    vec_push(b->cli->arena, &b->forms, new);
}

static void add_aligned_and_not(Build *b, BuildForm f)
{
    f.is_aligned = can_be_aligned(b, &f);
    if (f.is_aligned)
        add_form(b, &f);
    f.is_aligned = false;
    add_form(b, &f);
}

/* --- what --variant says --- */

static int find_param(const Build *b, const char *name)
{
    const char **names = NEW_N(b->cli->arena, const char *, b->nparams + 1);

    for (int i = 0; i < b->nparams; i++) {
        names[i] = b->params[i].name;
        if (strcmp(names[i], name) == 0)
            return i;
    }
    cli_stop(b->cli, CLI_USAGE, "--variant: the kernel has no parameter '%s'%s", name,
             hint_text(b->cli->arena, name, names, b->nparams));
}

/* NAME=VALUE, of an integer that calls give */
static BuildCondition parse_condition(const Build *b, const char *text)
{
    Cli *c = b->cli;
    size_t n = name_length(text);
    const Names none = {0};

    if (n == 0 || text[n] != '=' || !text[n + 1])
        cli_stop(c, CLI_USAGE, "--variant needs NAME=VALUE, not '%s'", text);
    const char *name = arena_strndup(c->arena, text, n);
    int param = find_param(b, name);
    const BuildParam *p = &b->params[param];
    if (!is_integer(p))
        cli_stop(c, CLI_USAGE,
                 "--variant %s: only an integer that calls give can have values of its own%s", text,
                 p->kind == BUILD_FIXED && p->value.kind == TILEC_ARG_INT
                     ? arena_printf(c->arena,
                                    "\nhint: %s=64,128 compiles both, and calls choose one", name)
                     : "");
    Const v = value_parse(&c->store, &none, "--variant", text + n + 1);
    if (v.kind != CONST_INT || v.integer < INT64_MIN || v.integer > INT64_MAX)
        cli_stop(c, CLI_USAGE, "--variant %s: the value is no whole number of 64 bits", text);
    return (BuildCondition){param, (int64_t)v.integer};
}

/* Those of one --variant, which are divided by commas. */
static BuildConditions parse_variant(const Build *b, const char *text)
{
    Cli *c = b->cli;
    BuildConditions all = {0};

    for (const char *at = text;; at++) {
        size_t n = strcspn(at, ",");
        vec_push(c->arena, &all, parse_condition(b, arena_strndup(c->arena, at, n)));
        at += n;
        if (!*at)
            return all;
    }
}

static void add_variants(Build *b, const BuildForm *chosen)
{
    for (int i = 0; i < b->options->variants.len; i++) {
        BuildForm f = {0};
        BuildConditions more = parse_variant(b, b->options->variants.at[i]);
        for (int k = 0; k < chosen->conditions.len; k++)
            vec_push(b->cli->arena, &f.conditions, chosen->conditions.at[k]);
        for (int k = 0; k < more.len; k++)
            vec_push(b->cli->arena, &f.conditions, more.at[k]);
        add_aligned_and_not(b, f);
    }
    add_aligned_and_not(b, *chosen);
}

/* --- choices --- */

static void add_choices(Build *b, int param, const BuildForm *so_far)
{
    while (param < b->nparams && b->params[param].kind != BUILD_CHOSEN)
        param++;
    if (param == b->nparams) {
        add_variants(b, so_far);
        return;
    }
    for (int i = 0; i < b->params[param].choices.len; i++) {
        BuildForm f = {0};
        for (int k = 0; k < so_far->conditions.len; k++)
            vec_push(b->cli->arena, &f.conditions, so_far->conditions.at[k]);
        vec_push(b->cli->arena, &f.conditions,
                 ((BuildCondition){param, b->params[param].choices.at[i]}));
        add_choices(b, param + 1, &f);
    }
}

void build_add_forms(Build *b)
{
    const BuildForm any = {0};

    add_choices(b, 0, &any);
}

/* --- for the library --- */

/* A value that is compiled in whatever the parameter is. */
static tilec_arg constant(Cli *c, tilec_arg value)
{
    tilec_arg *item = NEW(c->arena, tilec_arg);

    if (value.kind > TILEC_ARG_NONE && value.kind != TILEC_ARG_TUPLE)
        return value; /* it is nothing else anywhere */
    *item = value;
    item->name = NULL;
    return (tilec_arg){.kind = TILEC_ARG_CONSTEXPR, .items = item, .nitems = 1};
}

static tilec_arg argument(const Build *b, const BuildForm *f, int i)
{
    const BuildParam *p = &b->params[i];
    const BuildCondition *is = condition_of(f, i);
    tilec_arg type = p->type;

    if (is)
        return constant(b->cli, (tilec_arg){.kind = TILEC_ARG_INT, .integer = is->value});
    if (p->kind == BUILD_FIXED)
        return constant(b->cli, p->value);
    type.integer = f->is_aligned && (type.pointer || is_integer(p)) ? 16 : 1;
    return type;
}

tilec_build_form build_form_arguments(const Build *b, const BuildForm *f)
{
    tilec_arg *args = NEW_N(b->cli->arena, tilec_arg, b->nparams + b->wishes.len + 1);
    int n = 0;

    for (int i = 0; i < b->nparams; i++) {
        if (b->params[i].kind == BUILD_FIXED && b->params[i].is_missing)
            continue;
        args[n] = argument(b, f, i);
        args[n++].name = b->params[i].name;
    }
    for (int i = 0; i < b->wishes.len; i++)
        args[n++] = b->wishes.at[i];
    return (tilec_build_form){.symbol = f->symbol, .args = args, .nargs = n};
}
