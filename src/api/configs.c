/*
 * configs.c - the configurations of @triton.autotune, for programs that measure them
 *
 * The library itself takes the first one where nothing else is said (bind_missing.c).
 */
#include <string.h>

#include "bind.h"

/* What of a configuration cannot be told from the file, and why, as an error at its place. */
static const char *problem_of(const tilec_file *f, const FrontBinding *b, Arena *a)
{
    static const char untold[] = "cannot be told from the file";
    Diags *d = diags_new(a, f->sources);
    Span where = b->why ? b->where : b->node ? b->node->span : (Span){0};
    const char *why = b->why ? b->why : b->known ? "no argument can have it" : "it is no constant";

    if (strcmp(b->name, "**") == 0)
        diag(d, DIAG_ERROR, where, "the configurations of @triton.autotune %s: %s", untold, why);
    else
        diag(d, DIAG_ERROR, where, "`%s` of a configuration of @triton.autotune %s: %s", b->name,
             untold, why);
    return diags_text(d, a);
}

/* Values that no tilec_arg can hold make it one that is not known, and so does what the file does
 * not tell. */
static const char *describe(const tilec_file *f, const FrontConfig *config, Arena *a,
                            tilec_config *out)
{
    tilec_arg *values = NEW_N(a, tilec_arg, config->nbindings + 1);

    *out = (tilec_config){.values = values, .nvalues = config->nbindings};
    for (int i = 0; i < config->nbindings; i++) {
        const FrontBinding *b = &config->bindings[i];

        if (!b->known || !bind_argument_of(&b->value, &values[i])) {
            out->nvalues = -1;
            return problem_of(f, b, a);
        }
        values[i].name = b->name;
    }
    return NULL;
}

void configs_describe(const tilec_file *f, Kernel *k, Arena *a)
{
    int n = k->tuning->nconfigs;

    k->configs = NEW_N(a, tilec_config, n + 1);
    k->problems = NEW_N(a, const char *, n + 1);
    for (int i = 0; i < n; i++)
        k->problems[i] = describe(f, &k->tuning->configs[i], a, &k->configs[i]);
}

static const Kernel *tuned_kernel(const tilec_file *file, const char *kernel)
{
    const Kernel *k = handle_is_file(file) ? api_find_kernel(file, kernel) : NULL;

    return k && k->signature ? k : NULL;
}

int tilec_config_count(const tilec_file *file, const char *kernel)
{
    const Kernel *k = tuned_kernel(file, kernel);

    return k ? k->tuning->nconfigs : 0;
}

tilec_status tilec_config_info(const tilec_file *file, const char *kernel, int i, tilec_config *out)
{
    const Kernel *k = tuned_kernel(file, kernel);

    if (!handle_is_file(file) || !out)
        return TILEC_BAD_ARGUMENT;
    if (!k || i < 0 || i >= k->tuning->nconfigs)
        return TILEC_NOT_FOUND;
    if (k->configs[i].nvalues < 0)
        return TILEC_REFUSED;
    *out = k->configs[i];
    return TILEC_OK;
}

const char *tilec_config_problem(const tilec_file *file, const char *kernel, int i)
{
    const Kernel *k = tuned_kernel(file, kernel);

    return k && i >= 0 && i < k->tuning->nconfigs ? k->problems[i] : NULL;
}

const char *tilec_config_hook(const tilec_file *file, const char *kernel, int i)
{
    const Kernel *k = tuned_kernel(file, kernel);

    return k && i >= 0 && i < k->tuning->nconfigs ? k->tuning->configs[i].hook : NULL;
}

const char *tilec_tuning_key(const tilec_file *file, const char *kernel, int i)
{
    const Kernel *k = tuned_kernel(file, kernel);

    return k && i >= 0 && i < k->tuning->nkeys ? k->tuning->keys[i] : NULL;
}
