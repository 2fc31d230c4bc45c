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

    const GenOptions options = {.disjoint = b->options->disjoint != 0};

    for (int k = 0; k < b->nlevels; k++) {
        funcs[k] = compile_optimise(b->forms[form].funcs[k], device, target, &options, job->diags);
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

static const FileJob build_object = {.locked = lower_forms, .unlocked = emit_forms};

/* --- the entry point --- */

static bool is_identifier(const char *s)
{
    if (!s || (!isalpha((unsigned char)*s) && *s != '_'))
        return false;
    while (isalnum((unsigned char)*s) || *s == '_')
        s++;
    return *s == '\0';
}

/* Is it the name of two functions? */
static bool is_there_twice(const tilec_build_options *o, const char *symbol)
{
    int n = o->level_symbol && strcmp(o->level_symbol, symbol) == 0;

    for (int i = 0; i < o->nforms; i++)
        n += strcmp(o->forms[i].symbol, symbol) == 0;
    return n > 1;
}

/* Of an unknown device more is said later. */
bool api_build_has_levels(const tilec_build_options *o)
{
    int device = device_find(o->device);

    return device < 0 || device_at(device)->level;
}

tilec_status api_check_build(const tilec_build_options *o, char **error)
{
    bool good = o && o->forms && o->nforms > 0 && o->levels && o->nlevels > 0;

    if (!good)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "there are no options, forms or levels");
    for (int i = 0; i < o->nforms; i++)
        good = good && is_identifier(o->forms[i].symbol);
    if (!good || (api_build_has_levels(o) && !is_identifier(o->level_symbol)))
        return api_refuse(error, TILEC_BAD_ARGUMENT,
                          "the name of a function is no identifier of C's");
    for (int i = 0; i < o->nforms; i++) {
        if (is_there_twice(o, o->forms[i].symbol))
            return api_refuse(error, TILEC_BAD_ARGUMENT, "two functions would be called `%s`",
                              o->forms[i].symbol);
    }
    if (o->num_warps < 0 || o->num_stages < 0)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "num_%s cannot be negative; 0 is the default",
                          o->num_warps < 0 ? "warps" : "stages");
    return TILEC_OK;
}

/* Of a device whose levels are chips, which request_open() has looked at. */
static tilec_status take_chip(const tilec_build_options *o, GenLevel *out, char **error)
{
    *out = (GenLevel){.name = o->levels[0]};
    return o->nlevels == 1 && out->name
               ? TILEC_OK
               : api_refuse(error, TILEC_BAD_ARGUMENT,
                            "tilec_build: for the device `%s` there is one level, the chip",
                            o->device);
}

/* Each of the caller's levels must stand behind the one before it in the device's. */
static tilec_status find_levels(const tilec_build_options *o, const Device *d, GenLevel *out,
                                char **error)
{
    int at = 0;

    if (!d->level && d->has_archs)
        return take_chip(o, out, error);
    for (int k = 0; k < o->nlevels; k++) {
        const GenLevel *level = NULL;
        bool known = false;
        for (int i = 0; o->levels[k] && d->level && d->level(i); i++) {
            bool same = strcmp(d->level(i)->name, o->levels[k]) == 0;
            known = known || same;
            if (!same || i < at)
                continue;
            level = d->level(i);
            at = i + 1;
            break;
        }
        if (level)
            out[k] = *level;
        else if (known)
            return api_refuse(error, TILEC_BAD_ARGUMENT,
                              "the level `%s` does not come behind the one in front of it",
                              o->levels[k]);
        else
            return api_refuse(error, TILEC_NOT_FOUND,
                              "there is no level `%s`; of x86-64 there are x86-64, x86-64-v2 "
                              "(SSE4.2), x86-64-v3 (AVX2, FMA) and x86-64-v4 (AVX-512)",
                              o->levels[k] ? o->levels[k] : "NULL");
    }
    return TILEC_OK;
}

static tilec_status open_form(Request *r, tilec_file *file, const char *kernel,
                              const tilec_build_options *o, int form, char **error)
{
    const tilec_launch_options options = {.device = o->device,
                                          .arch = api_build_has_levels(o) ? NULL : o->levels[0],
                                          .num_warps = o->num_warps,
                                          .num_stages = o->num_stages,
                                          .on_message = o->on_message,
                                          .user = o->user};

    r->shown = true;
    return request_open(r, file, kernel, o->forms[form].args, o->forms[form].nargs, &options,
                        error);
}

tilec_status api_open_build(tilec_file *file, const char *kernel, const tilec_build_options *o,
                            const Kernel **out, char **error)
{
    GenLevel *levels = calloc((size_t)o->nlevels, sizeof *levels);
    Request r = {0};
    tilec_status status = levels ? TILEC_OK : api_refuse(error, TILEC_NO_MEMORY, "out of memory");

    for (int i = 0; status == TILEC_OK && i < o->nforms; i++)
        status = open_form(&r, file, kernel, o, i, error);
    if (status == TILEC_OK)
        status = find_levels(o, device_at(r.device), levels, error);
    *out = r.kernel;
    free(levels);
    return status;
}

tilec_status tilec_build(tilec_file *file, const char *kernel, const tilec_build_options *options,
                         tilec_object *out, char **error)
{
    api_no_error(error);
    tilec_status status = api_check_build(options, error);
    if (status != TILEC_OK)
        return status;
    if (!out)
        return api_refuse(error, TILEC_BAD_ARGUMENT, "tilec_build: out is NULL");
    tilec_object object = {0};
    Request *requests = calloc((size_t)options->nforms, sizeof *requests);
    Binding *bindings = calloc((size_t)options->nforms, sizeof *bindings);
    GenLevel *levels = calloc((size_t)options->nlevels, sizeof *levels);
    BuildJob job = {.requests = requests,
                    .options = options,
                    .levels = levels,
                    .nlevels = options->nlevels,
                    .out = &object};
    if (!requests || !bindings || !levels)
        status = api_refuse(error, TILEC_NO_MEMORY, "out of memory");
    for (int i = 0; status == TILEC_OK && i < options->nforms; i++) {
        requests[i].binding = &bindings[i];
        status = open_form(&requests[i], file, kernel, options, i, error);
    }
    if (status == TILEC_OK)
        status = find_levels(options, device_at(requests[0].device), levels, error);
    if (status == TILEC_OK)
        status = request_run_on_file(&requests[0], &build_object, &job, error);
    if (status == TILEC_OK)
        *out = object;
    free(levels);
    free(bindings);
    free(requests);
    return status;
}
