/*
 * tuned.c - which configuration of @triton.autotune was fastest, kept for later runs
 *
 * A file in the folder of the cache says so for one kernel, its configurations, one machine and
 * device, and the values that `key` names with the dtypes of all arrays.  Whatever of these changes
 * is another file.  It holds the number of the configuration and its text, and is forgotten when
 * they do not fit.
 */
#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4096 };
static const char magic_word[] = "tilec-tuned 1";

/* --- the file --- */

/* The machine as far as times depend on it. */
static void put_machine(Text *t, const Call *k)
{
    Cli *c = k->cli;
    tilec_device d;
    tilec_unit u;

    for (int i = 0; tilec_device_info(c->tilec, i, &d) == TILEC_OK; i++) {
        if (strcmp(d.name, k->timing.device) == 0)
            text_printf(t, "%s\n%s\n%d\n", d.name, d.description, d.threads);
    }
    if (tilec_unit_info(c->tilec, k->timing.device, k->options.device_id, &u) == TILEC_OK)
        text_printf(t, "%s\n%s\n", u.name, u.arch ? u.arch : "");
    text_printf(t, "%d\n%s\n", k->options.launch.threads, TILEC_VERSION);
}

static bool put_kernel(Text *t, const Call *k)
{
    Cli *c = k->cli;
    char *text = NULL;
    tilec_config config;

    if (tilec_dump(c->file, k->options.kernel, "ast", NULL, 0, NULL, &text, NULL) != TILEC_OK)
        return false;
    text_printf(t, "%s\n%s\n", k->options.kernel, text);
    tilec_free(text);
    for (int i = 0; i < tilec_config_count(c->file, k->options.kernel); i++) {
        if (tilec_config_info(c->file, k->options.kernel, i, &config) == TILEC_OK)
            text_printf(t, "%d %s\n", i, config_text(c->arena, &config));
    }
    return true;
}

static void put_key(Text *t, const Call *k)
{
    const char *name;
    int n = 0;

    while ((name = tilec_tuning_key(k->cli->file, k->options.kernel, n++)) != NULL) {
        for (int i = 0; i < k->args.names.len; i++) {
            const Named *v = &k->args.names.at[i];
            if (strcmp(v->name, name) == 0 && variant_gives(&k->options, name) &&
                !value_array(&v->value))
                text_printf(t, "%s=%s\n", name, const_text(&v->value, k->cli->arena));
        }
    }
    for (int i = 0; i < k->args.names.len; i++) {
        const Array *a = value_array(&k->args.names.at[i].value);
        if (a)
            text_printf(t, "%s:%s\n", k->args.names.at[i].name, tilec_dtype_name(a->dtype));
    }
}

/* NULL when nothing can be kept. */
static const char *path_of(const Call *k)
{
    const char *folder = tilec_cache_folder(k->cli->tilec);
    Text t = text_new(k->cli->arena);

    put_machine(&t, k);
    if (!folder || !put_kernel(&t, k))
        return NULL;
    put_key(&t, k);
    Hash128 h = hash128_bytes(t.s, t.len);
    return arena_printf(k->cli->arena, "%s/%016llx%016llx.tuned", folder, (unsigned long long)h.lo,
                        (unsigned long long)h.hi);
}

void tuned_keep(const Call *k, int config)
{
    Cli *c = k->cli;
    const char *path = path_of(k);
    tilec_config info;

    if (!path || tilec_config_info(c->file, k->options.kernel, config, &info) != TILEC_OK)
        return;
    const char *text =
        arena_printf(c->arena, "%s\n%d %s\n", magic_word, config, config_text(c->arena, &info));
    int error = os_rewrite_file(path, text, strlen(text));
    if (error)
        cli_warn(c, "what was found is not kept: %s: %s", shown_name(c->arena, path),
                 strerror(error));
}

/* --- later runs --- */

/* What the file names, if it fits the kernel's configurations. */
static bool read_choice(const Call *k, tilec_config *out)
{
    Cli *c = k->cli;
    const char *path = path_of(k);
    char *text, *end;
    size_t len;

    if (!path || os_read_file(c->arena, path, LONGEST, &text, &len) != 0)
        return false;
    if (strncmp(text, magic_word, strlen(magic_word)) != 0 || text[strlen(magic_word)] != '\n')
        return false;
    text += strlen(magic_word) + 1;
    long i = strtol(text, &end, 10);
    if (end == text || *end != ' ' || i < 0 || i > INT32_MAX ||
        tilec_config_info(c->file, k->options.kernel, (int)i, out) != TILEC_OK)
        return false;
    const char *wanted = arena_printf(c->arena, "%s\n", config_text(c->arena, out));
    return strcmp(end + 1, wanted) == 0;
}

/* Does the user say something of what configurations give? */
static bool is_chosen(const Call *k)
{
    const Options *o = &k->options;
    tilec_config config;

    if (tilec_config_info(k->cli->file, o->kernel, 0, &config) != TILEC_OK)
        return true;
    for (int i = 0; i < config.nvalues; i++) {
        if (variant_gives(o, config.values[i].name))
            return true;
    }
    return false;
}

void tuned_use(Call *k)
{
    Cli *c = k->cli;
    tilec_config choice;

    if (!k->options.uses_tuned || tilec_config_count(c->file, k->options.kernel) < 2 ||
        is_chosen(k) || !read_choice(k, &choice))
        return;
    for (int i = 0; i < choice.nvalues; i++) {
        if (variant_takes(c, &k->options, choice.values[i].name))
            args_add(c, &k->options, &k->args, &choice.values[i]);
    }
    k->timing.tuned = config_text(c->arena, &choice);
    if (!k->silent)
        terminal_say("tilec: tuned: %s, which --tune has found on this machine\n", k->timing.tuned);
}
