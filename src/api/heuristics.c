/*
 * heuristics.c - what @triton.heuristics computes for one launch (R346)
 *
 * Takes what the caller gave, and evaluates the functions in the order of their dictionary.  Each
 * sees the caller's arguments, then what earlier functions gave, the first configuration of
 * @triton.autotune and the defaults of the signature, whichever comes first.  A name that is no
 * parameter, such as num_warps, is computed as well, since a later function may ask for it.
 */
#include <string.h>

#include "api.h"

typedef struct {
    const Request *request;
    const tilec_arg *const *given;
    const Computed *computed;
    int ncomputed; /* so far */
    Arena *arena;
} Known;

static FrontGiven of_value(const Const *c)
{
    return (FrontGiven){.kind = GIVEN_VALUE, .value = *c};
}

static FrontGiven of_tensor(const tilec_tensor *t)
{
    bool shaped = t->ndim >= 0 && t->ndim <= TILEC_MAX_DIMS && (t->ndim == 0 || t->shape);

    return (FrontGiven){.kind = GIVEN_TENSOR,
                        .dtype = (DType)t->dtype,
                        .pointer = true,
                        .ndim = shaped ? t->ndim : -1,
                        .shape = t->shape,
                        .strides = t->strides,
                        .address = (uint64_t)(uintptr_t)t->data};
}

/* What is wrong with an argument is for the binding to say. */
static FrontGiven of_argument(const Known *k, const tilec_arg *a)
{
    Const c;

    switch (a->kind) {
    case TILEC_ARG_TENSOR:
        return tilec_dtype_name(a->tensor.dtype) ? of_tensor(&a->tensor) : (FrontGiven){0};
    case TILEC_ARG_TYPE:
        return (FrontGiven){.kind = tilec_dtype_name(a->dtype) ? GIVEN_TYPE : GIVEN_NOT,
                            .dtype = (DType)a->dtype,
                            .pointer = a->pointer != 0};
    default:
        return bind_constant_of(a, k->request->file->parsed, k->arena, &c) ? of_value(&c)
                                                                           : (FrontGiven){0};
    }
}

static const tilec_arg *named_argument(const Request *r, const char *name)
{
    for (int i = 0; i < r->nargs; i++) {
        if (r->args[i].name && strcmp(r->args[i].name, name) == 0)
            return &r->args[i];
    }
    return NULL;
}

/* What the caller gave under this name; NULL: nothing. */
static const tilec_arg *given_argument(const Known *k, const char *name, int param)
{
    return param >= 0 ? k->given[param] : named_argument(k->request, name);
}

/* Of what is no parameter: the first configuration's value. */
static FrontGiven of_configuration(const Kernel *k, const char *name)
{
    const FrontTuning *t = k->tuning;

    for (int i = 0; t && t->nconfigs > 0 && i < t->configs[0].nbindings; i++) {
        const FrontBinding *b = &t->configs[0].bindings[i];

        if (b->known && strcmp(b->name, name) == 0)
            return of_value(&b->value);
    }
    return (FrontGiven){0};
}

static FrontGiven find_said(const Known *k, const char *name)
{
    const Kernel *kernel = k->request->kernel;
    int param = bind_param_index(kernel->signature, name, 0);
    const tilec_arg *a = given_argument(k, name, param);
    Const c;

    if (a)
        return of_argument(k, a);
    if (bind_option(k->request, name, &c))
        return of_value(&c);
    for (int i = k->ncomputed - 1; i >= 0; i--) {
        if (k->computed[i].known && strcmp(kernel->tuning->heuristics[i].name, name) == 0)
            return of_value(&k->computed[i].value);
    }
    if (param < 0)
        return of_configuration(kernel, name);
    return kernel->fallbacks[param].known ? of_value(&kernel->fallbacks[param].value)
                                          : (FrontGiven){0};
}

/* The same, or else the default of a launch option. */
static FrontGiven find_given(void *context, const char *name)
{
    FrontGiven g = find_said(context, name);
    Const c;

    return g.kind == GIVEN_NOT && bind_option_default(name, &c) ? of_value(&c) : g;
}

bool heuristics_option(const Request *r, const tilec_arg *const *given, const Computed *computed,
                       const char *name, Const *out)
{
    Known known = {.request = r,
                   .given = given,
                   .computed = computed,
                   .ncomputed = computed ? r->kernel->tuning->nheuristics : 0};
    FrontGiven g = find_said(&known, name);

    *out = g.value;
    return g.kind == GIVEN_VALUE;
}

/* Is nothing to be computed, since the caller has said it? */
static bool is_said(const Known *k, const char *name)
{
    Const ignored;

    return given_argument(k, name, bind_param_index(k->request->kernel->signature, name, 0)) ||
           bind_option(k->request, name, &ignored);
}

const Computed *heuristics_evaluate(const Request *r, const tilec_arg *const *given, Arena *a,
                                    bool explain)
{
    const FrontTuning *t = r->kernel->tuning;
    Computed *all = NEW_N(a, Computed, t->nheuristics);
    Known known = {.request = r, .given = given, .computed = all, .arena = a};
    const FrontArguments args = {find_given, &known};

    for (int i = 0; i < t->nheuristics; i++) {
        Computed *c = &all[i];

        if (!is_said(&known, t->heuristics[i].name))
            c->known = front_heuristic(r->file->parsed, &t->heuristics[i], &args, a, &c->value,
                                       explain ? &c->trouble : NULL);
        known.ncomputed++;
    }
    return all;
}
