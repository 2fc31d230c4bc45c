/*
 * header.c - tilec_build_header(): the header of what tilec_build() makes
 *
 * What the parameters of the C function are follows from the forms: what all of them take as a type
 * is given by calls; what all compile in alike is no parameter; and a whole number that they
 * compile in with different values, or only some, says which form a call takes.  src/aot makes the
 * text.
 */
#include <string.h>

#include "api.h"
#include "../aot/aot.h"

typedef struct {
    const tilec_file *file;
    const char *kernel_name; /* or NULL */
    const Kernel *kernel;
    const tilec_build_options *options;
    const tilec_object *object; /* or NULL */
    const char *function, *grid;
    char *text;
} HeaderJob;

/* What is compiled in, without what says that it is. */
static const tilec_arg *unwrapped(const tilec_arg *a)
{
    return a && a->kind == TILEC_ARG_CONSTEXPR && a->nitems == 1 ? a->items : a;
}

/* The argument that a form has for a parameter; NULL: none. */
static const tilec_arg *argument_of(const Kernel *k, const tilec_build_form *f, int param)
{
    int next = 0; /* the parameter that an unnamed argument goes to */

    for (int i = 0; i < f->nargs; i++) {
        const tilec_arg *a = &f->args[i];

        if (a->name ? strcmp(a->name, k->signature->params[param].name) == 0 : next++ == param)
            return a;
    }
    return NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static uint64_t bits_of(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static bool same_value(const tilec_arg *a, const tilec_arg *b)
{
    if (a->kind != b->kind || a->nitems != b->nitems)
        return false;
    for (int i = 0; i < a->nitems; i++) {
        if (!same_value(&a->items[i], &b->items[i]))
            return false;
    }
    return a->integer == b->integer && a->uinteger == b->uinteger &&
           bits_of(a->real) == bits_of(b->real) && a->dtype == b->dtype &&
           same_text(a->text, b->text);
}

/* --- one parameter --- */

/* What the forms say of it: one entry a form, NULL where it is not given. */
typedef struct {
    const tilec_arg **at;
    int n, types, absent;
} Given;

static Given given_of(Job *job, const HeaderJob *h, int param)
{
    Given g = {.at = NEW_N(job->arena, const tilec_arg *, h->options->nforms),
               .n = h->options->nforms};

    for (int i = 0; i < g.n; i++) {
        g.at[i] = unwrapped(argument_of(h->kernel, &h->options->forms[i], param));
        g.absent += !g.at[i];
        g.types += g.at[i] && g.at[i]->kind == TILEC_ARG_TYPE;
    }
    return g;
}

/* Is the argument, or what stands in for it, a number that calls would have to give, though nobody
 * said its type? */
static bool is_untyped(const HeaderJob *h, int param, int form)
{
    const tilec_arg *a = argument_of(h->kernel, &h->options->forms[form], param);
    tilec_param info;

    if (h->kernel->signature->params[param].is_constexpr)
        return false;
    tilec_param_info(h->file, h->kernel->name, param, &info);
    if (!a && info.has_value)
        a = &info.value;
    return a && (a->kind == TILEC_ARG_INT || a->kind == TILEC_ARG_UINT ||
                 a->kind == TILEC_ARG_FLOAT || a->kind == TILEC_ARG_BOOL);
}

static bool all_are_whole(const Given *g)
{
    for (int i = 0; i < g->n; i++) {
        if (!g->at[i] || (g->at[i]->kind != TILEC_ARG_TYPE && g->at[i]->kind != TILEC_ARG_INT))
            return false;
    }
    return true;
}

static const tilec_arg *first_type(const Given *g)
{
    for (int i = 0; i < g->n; i++) {
        if (g->at[i] && g->at[i]->kind == TILEC_ARG_TYPE)
            return g->at[i];
    }
    return NULL;
}

static bool types_agree(const Given *g)
{
    const tilec_arg *first = first_type(g);

    for (int i = 0; i < g->n; i++) {
        const tilec_arg *a = g->at[i];
        if (a && a->kind == TILEC_ARG_TYPE &&
            (a->dtype != first->dtype || !a->pointer != !first->pointer))
            return false;
    }
    return true;
}

static bool values_agree(const Given *g)
{
    for (int i = 1; i < g->n; i++) {
        if (!same_value(g->at[i], g->at[0]))
            return false;
    }
    return true;
}

static void add_choice(Job *job, AotParam *p, int64_t value)
{
    for (int i = 0; i < p->choices.len; i++) {
        if (p->choices.at[i] == value)
            return;
    }
    vec_push(job->arena, &p->choices, value);
}

static AotUse use_of(const AotParam *p, const tilec_arg *a)
{
    if (p->kind == AOT_FIXED)
        return (AotUse){.divisor = 1};
    if (a->kind == TILEC_ARG_INT)
        return (AotUse){.is_set = true, .value = a->integer};
    return (AotUse){.divisor = a->integer ? a->integer : a->pointer ? 16 : 1};
}

static tilec_status refuse_param(Job *job, const AotParam *p, const char *why)
{
    return job_refuse(job, TILEC_BAD_ARGUMENT, "the parameter `%s` %s", p->name, why);
}

static tilec_status take_param(Job *job, const HeaderJob *h, AotHeader *out, AotForm *forms, int i)
{
    AotParam *p = &out->params[i];
    Given g = given_of(job, h, i);

    for (int k = 0; k < g.n; k++) {
        if (is_untyped(h, i, k))
            return refuse_param(job, p,
                                "has a value that is not compiled in, and no type\nhint: "
                                "TILEC_ARG_CONSTEXPR compiles it in, TILEC_ARG_TYPE has calls "
                                "give it");
    }
    p->is_missing = g.absent == g.n;
    p->kind = g.types > 0                         ? AOT_GIVEN
              : p->is_missing                     ? AOT_FIXED
              : g.absent == 0 && values_agree(&g) ? AOT_FIXED
                                                  : AOT_CHOSEN;
    if (p->kind != AOT_FIXED && !all_are_whole(&g))
        return refuse_param(job, p, "differs between forms, which only whole numbers can");
    if (p->kind == AOT_FIXED && !p->is_missing)
        p->value = *g.at[0];
    if (p->kind == AOT_GIVEN && !types_agree(&g))
        return refuse_param(job, p, "has other types in other forms");
    if (p->kind == AOT_GIVEN)
        p->type = *first_type(&g);
    for (int k = 0; k < g.n; k++) {
        forms[k].uses[i] = use_of(p, g.at[k]);
        if (p->kind == AOT_CHOSEN)
            add_choice(job, p, g.at[k]->integer);
    }
    return TILEC_OK;
}

/* --- all of it --- */

static tilec_status take_params(Job *job, const HeaderJob *h, AotHeader *out)
{
    const FrontKernel *k = h->kernel->signature;
    AotForm *forms = NEW_N(job->arena, AotForm, h->options->nforms);
    tilec_status status = TILEC_OK;

    out->params = NEW_N(job->arena, AotParam, k->nparams + 1);
    out->nparams = k->nparams;
    for (int i = 0; i < h->options->nforms; i++)
        forms[i] = (AotForm){.symbol = h->options->forms[i].symbol,
                             .uses = NEW_N(job->arena, AotUse, k->nparams + 1)};
    for (int i = 0; status == TILEC_OK && i < k->nparams; i++) {
        out->params[i].name = k->params[i].name;
        out->params[i].is_written = !h->object || h->object->written >> MIN(i, 63) & 1;
        status = take_param(job, h, out, forms, i);
    }
    out->forms = forms;
    out->nforms = h->options->nforms;
    return status;
}

/* A form or the level may not be called like the function. */
static tilec_status check_names(Job *job, const AotHeader *h)
{
    bool is_twice = same_text(h->level, h->function);

    for (int i = 0; i < h->nforms; i++)
        is_twice |= strcmp(h->forms[i].symbol, h->function) == 0;
    if (is_twice)
        return job_refuse(job, TILEC_BAD_ARGUMENT, "two functions would be called `%s`",
                          h->function);
    return TILEC_OK;
}

static tilec_status make_header(Job *job, void *what)
{
    HeaderJob *h = what;
    const tilec_build_options *o = h->options;
    bool is_gpu = !api_build_has_levels(o);
    AotHeader out = {.arena = job->arena,
                     .kernel = h->kernel->name,
                     .function = h->function ? h->function : h->kernel->name,
                     .level = is_gpu ? NULL : o->level_symbol,
                     .levels = o->levels,
                     .nlevels = o->nlevels,
                     .is_gpu = is_gpu,
                     .is_disjoint = o->disjoint != 0,
                     .may_fault = !h->object || h->object->may_fault,
                     .grid = h->grid};
    tilec_status status = take_params(job, h, &out);
    const char *problem, *text = NULL;

    if (status == TILEC_OK)
        status = check_names(job, &out);
    if (status != TILEC_OK)
        return status;
    text = aot_header(&out, &problem);
    if (!text)
        return job_refuse(job, TILEC_BAD_ARGUMENT, "%s", problem);
    h->text = strdup(text);
    return h->text ? TILEC_OK : TILEC_NO_MEMORY;
}

/* In front of all else: of symbols that begin with the name less can be said. */
static tilec_status check_function(Job *job, void *header)
{
    const HeaderJob *h = header;
    const Kernel *k = handle_is_file(h->file) ? api_find_kernel(h->file, h->kernel_name) : NULL;
    const char *name = h->function ? h->function : k ? k->name : NULL;
    const char *problem = name ? aot_name_problem(job->arena, name) : NULL;

    if (!problem)
        return TILEC_OK;
    return job_refuse(job, TILEC_BAD_ARGUMENT, "%s%s", problem,
                      h->function ? ""
                                  : "\nhint: another one can be given: --name of `tilec build`");
}

tilec_status tilec_build_header(tilec_file *file, const char *kernel,
                                const tilec_build_options *options, const tilec_object *object,
                                const char *function, const char *grid, char **text, char **error)
{
    HeaderJob job = {.file = file,
                     .kernel_name = kernel,
                     .options = options,
                     .object = object,
                     .function = function,
                     .grid = grid};

    api_no_error(error);
    if (!text)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_build_header: text is NULL");
    tilec_status status = job_run(check_function, &job, error, NULL);
    if (status == TILEC_OK)
        status = api_check_build(options, error);
    if (status == TILEC_OK)
        status = api_open_build(file, kernel, options, &job.kernel, error);
    if (status == TILEC_OK)
        status = job_run(make_header, &job, error, NULL);
    if (status == TILEC_OK)
        *text = job.text;
    return status;
}
