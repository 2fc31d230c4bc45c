/*
 * key.c - what the fastest configuration depends on
 *
 * The machine and the device, the text of the kernel, the values of the arguments that `key` of
 * @triton.autotune names, and the dtypes of all arrays.  Whatever of these changes is another file.
 * The list of configurations is not part of it, since a file has the times of each: whoever leaves
 * some out, as functions of Python's do, still finds those that it has.
 */
#include <string.h>

#include "tuning.h"

/* --- the machine, as far as times depend on it --- */

static int unit_of(const Tuning *t)
{
    for (int i = 0; i < t->nargs; i++) {
        if (t->args[i].kind == TILEC_ARG_TENSOR && t->args[i].tensor.memory == TILEC_MEMORY_DEVICE)
            return t->args[i].tensor.device_id;
    }
    return t->options.device_id;
}

static void put_machine(Text *out, const Tuning *t)
{
    tilec_context *ctx = t->file->ctx;
    const char *name = device_at(device_find(t->launch.device))->name;
    tilec_device d;
    tilec_unit u;

    for (int i = 0; tilec_device_info(ctx, i, &d) == TILEC_OK; i++) {
        if (strcmp(d.name, name) == 0)
            text_printf(out, "%s\n%s\n%d\n", d.name, d.description, d.threads);
    }
    if (tilec_unit_info(ctx, name, unit_of(t), &u) == TILEC_OK)
        text_printf(out, "%s\n%s\n", u.name, u.arch ? u.arch : "");
    text_printf(out, "%d\n%s\n%s\n", t->launch.threads, t->launch.arch ? t->launch.arch : "",
                TILEC_VERSION);
}

static bool put_kernel(Text *out, const Tuning *t)
{
    char *text = NULL;

    if (tilec_dump(t->file, t->kernel->full_name, "ast", NULL, 0, NULL, &text, NULL) != TILEC_OK)
        return false;
    text_printf(out, "%s\n%s\n", t->kernel->name, text);
    tilec_free(text);
    return true;
}

/* --- arguments --- */

/* As launches have it: unnamed ones come first, and fill the parameters in order. */
static const tilec_arg *argument(const Tuning *t, int param)
{
    const char *name = t->kernel->signature->params[param].name;

    for (int i = 0; i < t->nargs; i++) {
        if (t->args[i].name ? strcmp(t->args[i].name, name) == 0 : i == param)
            return &t->args[i];
    }
    return NULL;
}

static bool is_tuned(const Tuning *t, const char *name)
{
    for (int i = 0; i < t->count; i++) {
        if (t->all[i].config.nvalues > 0 && tilec_config_value(&t->all[i].config, name))
            return true;
    }
    return false;
}

static bool is_key(const Tuning *t, const char *name)
{
    bool given = t->options.keys != NULL;
    const char *const *keys = given ? t->options.keys : t->kernel->tuning->keys;
    int n = given ? t->options.nkeys : t->kernel->tuning->nkeys;

    for (int i = 0; i < n; i++) {
        if (strcmp(keys[i], name) == 0)
            return true;
    }
    return false;
}

static void put_argument(Text *out, const tilec_arg *a, const char *name, bool is_key)
{
    switch (a->kind) {
    case TILEC_ARG_TENSOR:
    case TILEC_ARG_DESCRIPTOR:
        text_printf(out, "%s:%s\n", name, tilec_dtype_name(a->tensor.dtype));
        return;
    case TILEC_ARG_TUPLE:
        for (int i = 0; i < a->nitems; i++)
            put_argument(out, &a->items[i], name, is_key);
        return;
    default:
        if (is_key)
            text_printf(out, "%s=%s\n", name, config_value_text(out->arena, a));
    }
}

const char *key_path(const Tuning *t)
{
    const char *folder = tilec_cache_folder(t->file->ctx);
    Text text = text_new(t->arena);

    put_machine(&text, t);
    if (!folder || !put_kernel(&text, t))
        return NULL;
    for (int i = 0; i < t->kernel->signature->nparams; i++) {
        const char *name = t->kernel->signature->params[i].name;
        const tilec_arg *a = argument(t, i);

        if (a && !is_tuned(t, name))
            put_argument(&text, a, name, is_key(t, name));
    }
    Hash128 h = hash128_bytes(text.s, text.len);
    return arena_printf(t->arena, "%s/%016llx%016llx.tuned", folder, (unsigned long long)h.lo,
                        (unsigned long long)h.hi);
}
