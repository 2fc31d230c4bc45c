/*
 * build.c - kernels ahead of time: tilec_build()
 *
 * A form is bound and lowered once a level, since a target changes nothing that several share, but
 * the passes do; then all of them go to the target together, which makes one object.  Nothing is
 * kept: neither in the file, nor in the cache.  Of a GPU there is one level, the chip.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"

/* --- under the file's lock --- */

static const Func *lower_form(Job *job, const Request *r)
{
    const Func *f = compile_lower(r, job->arena, job->diags);

    if (f && !device_at(r->device)->schedules)
        opt_drop_schedule(f->module); /* CPUs follow no such wishes */
    return f;
}

/* The parameters behind the slots of `set`. */
static uint64_t params_of_slots(const Binding *b, int nparams, uint64_t set)
{
    uint64_t params = 0;
    int slot = 0;

    for (int i = 0; i < nparams; i++) {
        const FrontArg *a = &b->params[i];
        int n = a->is_constexpr ? 0 : a->form == FRONT_VALUE ? 1 : a->nparts;
        for (int end = slot + n; slot < end; slot++) {
            if (set >> MIN(slot, 63) & 1)
                params |= UINT64_C(1) << MIN(i, 63);
        }
    }
    return params;
}

/* Only parameters that are one value have a place in a C function. */
static tilec_status refuse_parts(Job *job, const Request *r)
{
    const FrontKernel *k = r->kernel->signature;

    for (int i = 0; i < k->nparams; i++) {
        if (!r->binding->params[i].is_constexpr && r->binding->params[i].form != FRONT_VALUE)
            return job_refuse(job, TILEC_REFUSED,
                              "`%s` is a tuple or a descriptor: a function of C's takes arrays and "
                              "numbers alone",
                              k->params[i].name);
    }
    return TILEC_OK;
}

/* What programs say is written to a buffer of the library's, on a device with memory of its own. */
static tilec_status refuse_speech(Job *job, const Request *r, const Func *f)
{
    if (!device_at(r->device)->arrays || !func_hidden(f, PARAM_RECORDS))
        return TILEC_OK;
    return job_refuse(job, TILEC_REFUSED,
                      "the kernel prints or asserts, which needs the library on the device `%s`\n"
                      "hint: take that out, or build it for a CPU",
                      device_at(r->device)->name);
}

static tilec_status lower_one(Job *job, BuildJob *b, int form)
{
    Request *r = &b->requests[form];
    const Func **funcs = NEW_N(job->arena, const Func *, b->nlevels);
    tilec_status status = bind_request(r, job);

    if (status == TILEC_OK)
        status = refuse_parts(job, r);
    for (int k = 0; status == TILEC_OK && k < b->nlevels; k++) {
        funcs[k] = lower_form(job, r);
        if (!funcs[k])
            return TILEC_REFUSED;
    }
    if (status != TILEC_OK)
        return status;
    b->forms[form] = (GenForm){.symbol = b->options->forms[form].symbol, .funcs = funcs};
    b->out->written |= params_of_slots(r->binding, r->kernel->signature->nparams,
                                       ir_memory_use(funcs[0], job->arena).stored);
    b->out->may_fault |= func_hidden(funcs[0], PARAM_RECORDS) != NULL;
    return refuse_speech(job, r, funcs[0]);
}

static tilec_status lower_forms(Job *job, void *build)
{
    BuildJob *b = build;
    tilec_status status = TILEC_OK;

    b->forms = NEW_N(job->arena, GenForm, b->options->nforms);
    for (int i = 0; status == TILEC_OK && i < b->options->nforms; i++)
        status = lower_one(job, b, i);
    return status;
}

/* --- without it --- */

static tilec_status optimise_form(Job *job, const BuildJob *b, int form, const Target *target)
{
    const Device *device = device_at(b->requests[form].device);
    const Func **funcs = NEW_N(job->arena, const Func *, b->nlevels);

    for (int k = 0; k < b->nlevels; k++) {
        funcs[k] = compile_optimise(b->forms[form].funcs[k], device, target, job->diags);
        if (!funcs[k] || !opt_refuse_asm(funcs[k]->module, target->takes, device->name, job->diags))
            return TILEC_REFUSED;
    }
    b->forms[form].funcs = funcs;
    return TILEC_OK;
}

static tilec_status give_object(BuildJob *b, const GenOutput *object)
{
    b->out->data = malloc(object->len);
    if (!b->out->data)
        return TILEC_NO_MEMORY;
    memcpy(b->out->data, object->data, object->len);
    b->out->size = object->len;
    return TILEC_OK;
}

/* The names of all levels that a device has, lowest first, and NULL. */
static const char *const *level_names(const Device *d, Arena *a)
{
    VEC(const char *) names = {0};

    for (int i = 0; d->level && d->level(i); i++)
        vec_push(a, &names, d->level(i)->name);
    vec_push(a, &names, NULL);
    return names.at;
}

static tilec_status emit_forms(Job *job, void *build)
{
    BuildJob *b = build;
    const char *why;
    const Request *r = &b->requests[0];
    const Target *target = compile_target(r->file->ctx, device_at(r->device), job->arena, &why);
    GenOutput object;

    if (!target)
        return job_refuse(job, TILEC_FAILED, "no code generator: %s", why);
    tilec_status status = compile_check_arch(job, target, b->levels[0].name);
    for (int i = 0; status == TILEC_OK && i < b->options->nforms; i++)
        status = optimise_form(job, b, i, target);
    if (status != TILEC_OK)
        return status;
    const GenBuild all = {.levels = b->levels,
                          .nlevels = b->nlevels,
                          .known = level_names(device_at(r->device), job->arena),
                          .forms = b->forms,
                          .nforms = b->options->nforms,
                          .level_symbol = b->options->level_symbol,
                          .disjoint = b->options->disjoint != 0,
                          .exported = b->options->exported != 0};
    if (!target->build)
        return job_refuse(job, TILEC_FAILED, "no objects can be made for this device");
    return target->build(&all, job->arena, &object, job->diags) ? give_object(b, &object)
                                                                : TILEC_FAILED;
}

const FileJob build_object = {.locked = lower_forms, .unlocked = emit_forms};
