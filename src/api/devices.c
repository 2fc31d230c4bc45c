/*
 * devices.c - the devices that there are, which of them can be used, and what each keeps
 */
#include <strings.h>

#include "api.h"

_Static_assert((int)TILEC_MEMORY_DEVICE == (int)MEMORY_DEVICE, "tilec_memory and device.h agree");
int tilec_device_count(const tilec_context *ctx)
{
    return handle_is_context(ctx) ? device_listed() : 0;
}

tilec_status tilec_device_info(const tilec_context *ctx, int i, tilec_device *out)
{
    const Device *d = i < device_listed() ? device_at(i) : NULL;

    if (!handle_is_context(ctx) || !out)
        return TILEC_BAD_ARGUMENT;
    if (!d)
        return TILEC_NOT_FOUND;
    *out = (tilec_device){.name = d->name,
                          .description = d->describe(),
                          .available = !device_missing(d),
                          .threads = d->threads(),
                          .missing = device_missing(d),
                          .finds_races = d->finds_races};
    return TILEC_OK;
}

static tilec_status explain_device(Job *job, void *name)
{
    Text all = text_new(job->arena);
    bool is_large = false; /* PyTorch and CUDA's own documents write it so */
    int n = device_listed();

    for (int i = 0; i < n; i++) {
        text_printf(&all, "%s%s", i == 0 ? "" : i < n - 1 ? ", " : " and ", device_at(i)->name);
        is_large |= strcasecmp(name, device_at(i)->name) == 0;
    }
    bool is_gpu = strncasecmp(name, "gpu", 3) == 0 || strncasecmp(name, "nvidia", 6) == 0;
    const char *more = is_large                           ? ", in small letters"
                       : is_gpu                           ? "; NVIDIA's GPUs are cuda, cuda:1 ..."
                       : strncasecmp(name, "sm_", 3) == 0 ? "; a chip is one's --arch"
                                                          : "";
    return job_refuse(job, TILEC_NOT_FOUND, "there is no device `%s`; there are %s%s",
                      (const char *)name, all.s, more);
}

int api_device(const char *name, char **error)
{
    int number = device_find(name);

    if (number < 0)
        job_run(explain_device, (void *)name, error, NULL);
    return number;
}

bool api_available(const Device *d, char **error)
{
    const char *missing = device_missing(d);

    if (missing)
        api_error(error,
                  "the device `%s` cannot be used here: %s\n"
                  "hint: `sim` simulates a GPU, `cpu` and `interp` are always there",
                  d->name, missing);
    return !missing;
}

const char *api_refuse_arch(const Device *d, const char *arch, bool runs)
{
    if (!d->has_archs)
        return "its code is for this machine alone";
    return d->refuse_arch ? d->refuse_arch(arch, runs) : NULL;
}

void *api_device_state(tilec_context *ctx, int number)
{
    const Device *device = device_at(number);
    void *state = atomic_load_explicit(&ctx->states[number], memory_order_acquire);

    if (state || !device->open)
        return state;
    pthread_mutex_lock(&ctx->lock);
    state = atomic_load_explicit(&ctx->states[number], memory_order_relaxed);
    if (!state) {
        state = device->open();
        atomic_store_explicit(&ctx->states[number], state, memory_order_release);
    }
    pthread_mutex_unlock(&ctx->lock);
    return state;
}
