/*
 * device.c - a context with the kernels, and arrays that the device can reach
 *
 * Devices on the host's memory work on the program's own arrays.  Others get copies: a Mirror has
 * both ends, and grows as a group does.  Of several GPUs the workers take turns.
 */
#include "device.h"

#include <kernels.h>
#include <stdlib.h>
#include <string.h>
#include <tilec_io.h>

/* A text of the library as one for free(), without the newline at its end. */
char *device_why(char *error)
{
    size_t n = error ? strlen(error) : 0;
    char *why;

    while (n && error[n - 1] == '\n')
        n--;
    why = n ? format("%.*s", (int)n, error) : format("out of memory");
    tilec_free(error);
    return why;
}

static tilec_status load(Device *d, const char *name, const char *text, size_t len,
                         tilec_file **file, char **error)
{
    return tilec_load_string(d->ctx, name, text, len, file, error);
}

/* Which of the device's own kind this worker has, and whether its memory is the host's. */
static char *choose_unit(Device *d, int worker)
{
    const int units = tilec_unit_count(d->ctx, d->launch.device);
    tilec_unit unit;

    if (units < 1) {
        for (int i = 0; i < tilec_device_count(d->ctx); i++) {
            tilec_device device;

            if (tilec_device_info(d->ctx, i, &device) == TILEC_OK && device.missing &&
                strcmp(device.name, d->launch.device) == 0)
                return format("--device %s: %s", device.name, device.missing);
        }
        return format("--device %s: there is none here", d->launch.device);
    }
    d->unit = worker % units;
    if (tilec_unit_info(d->ctx, d->launch.device, d->unit, &unit) != TILEC_OK)
        return format("--device %s: there is none here", d->launch.device);
    d->has_memory = unit.memory != 0;
    return NULL;
}

char *device_open(Device **out, const Options *o, int worker, int threads, int *code)
{
    Device *d = more(NULL, sizeof *d);
    char *error = NULL, *why = NULL;

    *d = (Device){.options = o, .element = element_rows(o)};
    *code = EXIT_SOME_FAILED;
    d->launch = (tilec_launch_options){.device = o->device, .threads = threads};
    if (tilec_open(NULL, &d->ctx, &error) ||
        load(d, "kernels/registration.py", kernel_registration, sizeof kernel_registration - 1,
             &d->registration, &error) ||
        load(d, "kernels/morphology.py", kernel_morphology, sizeof kernel_morphology - 1,
             &d->morphology, &error))
        why = device_why(error);
    if (!why)
        why = choose_unit(d, worker);
    if (!why && (why = template_read(&d->template, o->template_path)))
        *code = EXIT_FILES;
    if (why) {
        device_close(d);
        return why;
    }
    *out = d;
    return NULL;
}

void device_close(Device *d)
{
    if (!d)
        return;
    for (int i = 0; i < MIRRORS; i++)
        mirror_free(d, &d->mirrors[i]);
    free(d->template.pixels);
    free(d->element);
    free(d->scores);
    free(d->places);
    free(d->best);
    free(d->offsets);
    tilec_unload(d->registration);
    tilec_unload(d->morphology);
    tilec_close(d->ctx);
    free(d);
}

bool device_is_gpu(const Device *d)
{
    return strcmp(d->launch.device, "cuda") == 0 || strcmp(d->launch.device, "sim") == 0;
}

/* --- arrays --- */

void mirror_free(Device *d, Mirror *m)
{
    if (m->there)
        tilec_release(d->ctx, d->launch.device, d->unit, m->there, NULL);
    *m = (Mirror){0};
}

char *mirror_set(Device *d, Mirror *m, void *host, size_t bytes)
{
    char *error = NULL;

    m->host = host;
    if (!d->has_memory || bytes <= m->bytes)
        return NULL;
    mirror_free(d, m);
    m->host = host;
    if (tilec_alloc(d->ctx, d->launch.device, d->unit, bytes, &m->there, &error) != TILEC_OK)
        return device_why(error);
    m->bytes = bytes;
    return NULL;
}

static tilec_place place_of(const Device *d, void *data, bool is_there)
{
    return is_there ? (tilec_place){data, TILEC_MEMORY_DEVICE, d->unit}
                    : (tilec_place){.data = data};
}

char *mirror_copy(Device *d, const Mirror *m, size_t bytes, bool to_device)
{
    const tilec_place host = place_of(d, m->host, false), there = place_of(d, m->there, true);
    char *error = NULL;

    if (!d->has_memory || !bytes)
        return NULL;
    if (tilec_copy(d->ctx, d->launch.device, to_device ? there : host, to_device ? host : there,
                   bytes, NULL, &error) != TILEC_OK)
        return device_why(error);
    return NULL;
}

tilec_arg mirror_arg(const Device *d, const Mirror *m, tilec_dtype dtype, int ndim,
                     const int64_t *shape)
{
    const tilec_tensor t = {.data = d->has_memory ? m->there : m->host,
                            .dtype = dtype,
                            .ndim = ndim,
                            .shape = shape,
                            .memory = d->has_memory ? TILEC_MEMORY_DEVICE : TILEC_MEMORY_HOST,
                            .device_id = d->unit};

    return (tilec_arg){.kind = TILEC_ARG_TENSOR, .tensor = t};
}
