/*
 * derive.c - the kernel of a kernel's gradients as source, for one set of types and constants
 *
 * Derives afresh, in the job's arena, and keeps nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "../grad_print/print.h"

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
                   (int)GRAD_PARTS == (int)TILEC_GRADIENT_PARTS &&
                   (int)GRAD_ADDED == (int)TILEC_GRADIENT_ADDED,
               "a fill for each of the public ones");

/* What the result is copied to: texts behind arrays, in one piece from malloc(). */
typedef struct {
    char *next;   /* for texts; NULL: they are measured only */
    size_t bytes; /* so far */
} Copy;

static const char *copy_text(Copy *c, const char *text)
{
    size_t n = text ? strlen(text) + 1 : 0;
    char *at = c->next;

    c->bytes += n;
    if (!at || !text)
        return NULL;
    c->next += n;
    return memcpy(at, text, n);
}

static void copy_lists(Copy *c, const GradResult *r, tilec_derived *out)
{
    tilec_gradient *gradients = (tilec_gradient *)(out + 1);
    tilec_workspace *workspaces = (tilec_workspace *)(gradients + r->ngradients);
    tilec_partial_sum *sums = (tilec_partial_sum *)(workspaces + r->workspaces.len);
    tilec_gradient_size *sizes = (tilec_gradient_size *)(sums + r->sums.len);
    tilec_gradient_need *needs = (tilec_gradient_need *)(sizes + r->sizes.len);
    tilec_gradient_programs *programs = (tilec_gradient_programs *)(needs + r->needs.len);
    const char **saved = (const char **)(programs + r->programs.len);

    for (int i = 0; i < r->ngradients; i++)
        gradients[i] = (tilec_gradient){
            copy_text(c, r->gradients[i].array), copy_text(c, r->gradients[i].gradient),
            (tilec_gradient_fill)r->gradients[i].fill, copy_text(c, r->gradients[i].stored)};
    for (int i = 0; i < r->workspaces.len; i++) {
        const GradWorkspace *w = &r->workspaces.at[i];
        workspaces[i] = (tilec_workspace){copy_text(c, w->name), copy_text(c, w->count),
                                          (tilec_dtype)w->dtype, w->is_zero};
    }
    for (int i = 0; i < r->sums.len; i++) {
        const GradSum *s = &r->sums.at[i];
        sums[i] = (tilec_partial_sum){copy_text(c, s->total), copy_text(c, s->parts),
                                      copy_text(c, s->rows), copy_text(c, s->width)};
    }
    for (int i = 0; i < r->sizes.len; i++)
        sizes[i] = (tilec_gradient_size){copy_text(c, r->sizes.at[i].name),
                                         copy_text(c, r->sizes.at[i].array)};
    for (int i = 0; i < r->needs.len; i++)
        needs[i] = (tilec_gradient_need){copy_text(c, r->needs.at[i].array),
                                         copy_text(c, r->needs.at[i].text)};
    for (int i = 0; i < r->programs.len; i++)
        programs[i] = (tilec_gradient_programs){copy_text(c, r->programs.at[i].name),
                                                copy_text(c, r->programs.at[i].text)};
    for (int i = 0; i < r->saved.len; i++)
        saved[i] = copy_text(c, r->saved.at[i]);
    *out = (tilec_derived){.text = copy_text(c, r->text),
                           .kernel = copy_text(c, r->kernel),
                           .accesses = copy_text(c, r->accesses),
                           .gradients = gradients,
                           .workspaces = workspaces,
                           .sums = sums,
                           .sizes = sizes,
                           .needs = needs,
                           .ngradients = r->ngradients,
                           .nworkspaces = r->workspaces.len,
                           .nsums = r->sums.len,
                           .nsizes = r->sizes.len,
                           .nneeds = r->needs.len,
                           .programs = programs,
                           .nprograms = r->programs.len,
                           .saved = saved,
                           .nsaved = r->saved.len};
    for (int i = 0; i < AXES; i++)
        out->grid[i] = copy_text(c, r->grid[i]);
}

static size_t lists_size(const GradResult *r)
{
    return sizeof(tilec_derived) + sizeof(tilec_gradient) * (size_t)r->ngradients +
           sizeof(tilec_workspace) * (size_t)r->workspaces.len +
           sizeof(tilec_partial_sum) * (size_t)r->sums.len +
           sizeof(tilec_gradient_size) * (size_t)r->sizes.len +
           sizeof(tilec_gradient_need) * (size_t)r->needs.len +
           sizeof(tilec_gradient_programs) * (size_t)r->programs.len +
           sizeof(char *) * (size_t)r->saved.len;
}

/* NULL: there is no memory. */
static tilec_derived *public_result(const GradResult *r, Arena *a)
{
    size_t lists = lists_size(r);
    Copy measured = {0};

    copy_lists(&measured, r, (tilec_derived *)(void *)arena_alloc(a, lists));
    tilec_derived *out = malloc(lists + measured.bytes);
    if (!out)
        return NULL;
    Copy copy = {.next = (char *)out + lists};
    copy_lists(&copy, r, out);
    return out;
}

/* As GradWish has it, of the public one. */
static unsigned atomics_of(int wished, int nwrt)
{
    const unsigned bits = (unsigned)wished >> 1, all = (1u << MIN(nwrt, 31)) - 1;

    return (wished & TILEC_ATOMICS_OF_ALL) || (nwrt < 31 && (bits & all) == all) ? GRAD_ALL : bits;
}

static tilec_status derive(Job *job, void *wanted)
{
    DeriveJob *d = wanted;
    const Request *r = d->request;
    const FrontKernel *k = r->kernel->signature;
    tilec_status status = bind_request(d->request, job);

    if (status != TILEC_OK)
        return status;
    GradParam *params = NEW_N(job->arena, GradParam, k->nparams);
    for (int i = 0; i < k->nparams; i++)
        params[i] = (GradParam){.name = k->params[i].name,
                                .is_constexpr = k->params[i].is_constexpr,
                                .has_default = k->params[i].has_default,
                                .value = fixed_value(&r->binding->params[i], job->arena)};
    GradWish wish = {.kernel = k->name,
                     .of = d->of,
                     .wrt = d->wrt,
                     .nwrt = d->nwrt,
                     .params = params,
                     .nparams = k->nparams,
                     .atomics = atomics_of(r->options.atomics, d->nwrt),
                     .recompute = r->options.recompute != 0,
                     .tape = r->options.tape,
                     .fused = r->options.fused != 0};
    Grad g;
    GradResult result;
    do {
        const Func *f = compile_lower(r, job->arena, job->diags);
        if (!f || !grad_derive(f->module, &wish, job->arena, job->diags, &g))
            return TILEC_REFUSED;
        wish.parts |= g.missed;
    } while (g.missed);
    if (!grad_print(&g, &result))
        return TILEC_REFUSED;
    d->derived = public_result(&result, job->arena);
    return d->derived ? TILEC_OK : TILEC_NO_MEMORY;
}

const FileJob derive_gradients = {.locked = derive};
