/*
 * reproduce.c - a launch as a file that needs no other
 *
 * Writes afresh, in the job's arena, and keeps nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "../repro/repro.h"

/* Under the name of its parameter; *next is the parameter behind the last one without a name. */
static tilec_arg named(const Request *r, int i, int *next)
{
    tilec_arg arg = r->args[i];

    if (!arg.name)
        arg.name = r->kernel->signature->params[(*next)++].name;
    return arg;
}

static bool is_given(const tilec_arg *args, int n, const char *name)
{
    for (int i = 0; i < n; i++) {
        if (strcmp(args[i].name, name) == 0)
            return true;
    }
    return false;
}

/* What decorators say, which are not in the file: those of @triton.autotune and of heuristics. */
static tilec_status add_tuned(Job *job, Request *r, tilec_arg *args, int *n)
{
    const FrontKernel *k = r->kernel->signature;
    const FrontTuning *tuning = r->kernel->tuning;
    bool is_tuned = tuning && tuning->nconfigs + tuning->nheuristics > 0;

    for (int i = 0; i < k->nparams; i++) {
        ValueJob value = {.request = r, .param = i};

        if (is_given(args, *n, k->params[i].name) || (k->params[i].has_default && !is_tuned))
            continue;
        tilec_status status = bind_param_value(job, &value);
        if (status != TILEC_OK)
            return status;
        value.value.name = k->params[i].name;
        args[(*n)++] = value.value;
    }
    return TILEC_OK;
}

static bool has_bad_array(const tilec_arg *a)
{
    bool is_array = a->kind == TILEC_ARG_TENSOR || a->kind == TILEC_ARG_DESCRIPTOR;
    bool has_items = a->kind == TILEC_ARG_TUPLE;

    for (int i = 0; has_items && i < a->nitems; i++) {
        if (has_bad_array(&a->items[i]))
            return true;
    }
    return is_array && (a->tensor.ndim < 0 || a->tensor.memory != TILEC_MEMORY_HOST);
}

/* Which arguments are arrays that the kernel writes and never reads; of one that cannot be lowered
 * nobody knows. */
static const bool *find_unread(Job *job, const Request *r)
{
    const Binding *b = r->binding;
    bool *unread = NEW_N(job->arena, bool, r->nargs + MAX_PARAMS);
    const Func *f = compile_lower(r, job->arena, diags_new(job->arena, r->file->sources));

    memset(unread, 0, (size_t)(r->nargs + MAX_PARAMS) * sizeof *unread);
    if (!f)
        return unread;
    const MemoryUse use = ir_memory_use(f, job->arena);
    for (int i = 0; i < r->nargs; i++) {
        for (int slot = 0; slot < b->nslots; slot++)
            unread[i] |= b->tensors[slot] == &r->args[i].tensor &&
                         memory_is_only_written(b, slot, use.loaded, use.stored);
    }
    return unread;
}

static tilec_status reproduce(Job *job, void *wanted)
{
    ReproduceJob *j = wanted;
    Request *r = j->request;
    tilec_arg *args = NEW_N(job->arena, tilec_arg, r->nargs + MAX_PARAMS);
    tilec_status status = bind_request(r, job);
    int n = 0, next = 0;

    if (status != TILEC_OK)
        return status;
    for (; n < r->nargs; n++) {
        args[n] = named(r, n, &next);
        if (has_bad_array(&args[n]))
            return job_refuse(
                job, TILEC_REFUSED,
                "`%s` cannot be written to a file: nobody says how large it is, or it "
                "is not in the host's memory",
                args[n].name);
    }
    status = add_tuned(job, r, args, &n);
    if (status != TILEC_OK)
        return status;
    const ReproLaunch launch = {.file = r->file->parsed,
                                .kernel = r->kernel->full_name,
                                .grid = j->grid,
                                .args = args,
                                .nargs = n,
                                .unread = find_unread(job, r),
                                .num_warps = r->options.num_warps,
                                .num_stages = r->options.num_stages};
    const char *text = repro_text(&launch, job->arena, job->diags);
    if (!text)
        return TILEC_REFUSED;
    j->text = strdup(text);
    return j->text ? TILEC_OK : TILEC_NO_MEMORY;
}

const FileJob reproduce_launch = {.locked = reproduce};
