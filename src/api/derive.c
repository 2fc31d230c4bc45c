/*
 * derive.c - the kernel of a kernel's gradients as source, for one set of types and constants
 *
 * Derives afresh, in the job's arena, and keeps nothing.
 */
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
                           .nparams = k->nparams,
                           .atomics = r->options.atomics != 0};
    const char *text = grad_derive(f->module, &wish, job->arena, job->diags);
    if (!text)
        return TILEC_REFUSED;
    d->text = strdup(text);
    return d->text ? TILEC_OK : TILEC_NO_MEMORY;
}

const FileJob derive_gradients = {.locked = derive};
