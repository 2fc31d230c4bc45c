/*
 * derive.c - the kernel of a kernel's gradients as source, for one set of types and constants
 *
 * Derives afresh, in the job's arena, and keeps nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "../grad/grad.h"

/* What the derived kernel is fixed to; NULL: given at run time, or nothing that a test can say. */
static const char *fixed_value(const FrontArg *arg, Arena *a)
{
    if (!arg->is_constexpr || arg->form != FRONT_VALUE)
        return NULL;
    switch (arg->constant.kind) {
    case CONST_NONE:
    case CONST_BOOL:
    case CONST_INT:
    case CONST_FLOAT:
    case CONST_STRING:
        return const_text(&arg->constant, a);
    default:
        return NULL;
    }
}

_Static_assert((int)GRAD_READ == (int)TILEC_GRADIENT_READ &&
                   (int)GRAD_STORED == (int)TILEC_GRADIENT_STORED &&
                   (int)GRAD_ADDED == (int)TILEC_GRADIENT_ADDED,
               "a fill for each of the public ones");

/* Copies the text to *to, which moves behind it. */
static const char *put_text(char **to, const char *text)
{
    size_t n = strlen(text) + 1;
    char *at = memcpy(*to, text, n);

    *to += n;
    return at;
}

/* All in one piece of memory, from malloc(); NULL: there is none. */
static tilec_derived *public_result(const GradResult *r)
{
    size_t bytes = strlen(r->text) + strlen(r->kernel) + 2;

    for (int i = 0; i < r->ngradients; i++)
        bytes += strlen(r->gradients[i].array) + strlen(r->gradients[i].gradient) + 2;
    tilec_derived *out =
        malloc(sizeof *out + sizeof(tilec_gradient) * (size_t)r->ngradients + bytes);
    if (!out)
        return NULL;
    tilec_gradient *gradients = (tilec_gradient *)(out + 1);
    char *texts = (char *)(gradients + r->ngradients);
    for (int i = 0; i < r->ngradients; i++)
        gradients[i] = (tilec_gradient){put_text(&texts, r->gradients[i].array),
                                        put_text(&texts, r->gradients[i].gradient),
                                        (tilec_gradient_fill)r->gradients[i].fill};
    *out = (tilec_derived){put_text(&texts, r->text), put_text(&texts, r->kernel), gradients,
                           r->ngradients};
    return out;
}

static tilec_status derive(Job *job, void *wanted)
{
    DeriveJob *d = wanted;
    const Request *r = d->request;
    const FrontKernel *k = r->kernel->signature;
    tilec_status status = bind_request(d->request, job);

    if (status != TILEC_OK)
        return status;
    const Func *f = compile_lower(r, job->arena, job->diags);
    if (!f)
        return TILEC_REFUSED;
    GradParam *params = NEW_N(job->arena, GradParam, k->nparams);
    for (int i = 0; i < k->nparams; i++)
        params[i] = (GradParam){.name = k->params[i].name,
                                .is_constexpr = k->params[i].is_constexpr,
                                .has_default = k->params[i].has_default,
                                .value = fixed_value(&r->binding->params[i], job->arena)};
    const GradWish wish = {.kernel = k->name,
                           .of = d->of,
                           .wrt = d->wrt,
                           .nwrt = d->nwrt,
                           .params = params,
                           .nparams = k->nparams};
    GradResult result;
    if (!grad_derive(f->module, &wish, job->arena, job->diags, &result))
        return TILEC_REFUSED;
    d->derived = public_result(&result);
    return d->derived ? TILEC_OK : TILEC_NO_MEMORY;
}

const FileJob derive_gradients = {.locked = derive};
