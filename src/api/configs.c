/*
 * configs.c - the configurations of @triton.autotune, for programs that measure them
 *
 * The library itself takes the first one where nothing else is said (bind_missing.c).
 */
#include <string.h>

#include "bind.h"

/* Values that no tilec_arg can hold make it one that is not known, and so does what the file does
 * not tell. */
static tilec_config describe(const FrontConfig *config, Arena *a)
{
    tilec_arg *values = NEW_N(a, tilec_arg, config->nbindings + 1);
    tilec_config out = {.values = values, .nvalues = config->nbindings};

    for (int i = 0; i < config->nbindings; i++) {
        const FrontBinding *b = &config->bindings[i];

        if (!b->known || !bind_argument_of(&b->value, &values[i]))
            return (tilec_config){.nvalues = -1};
        values[i].name = b->name;
    }
    return out;
}

void configs_describe(Kernel *k, Arena *a)
{
    k->configs = NEW_N(a, tilec_config, k->tuning->nconfigs + 1);
    for (int i = 0; i < k->tuning->nconfigs; i++)
        k->configs[i] = describe(&k->tuning->configs[i], a);
}

static const Kernel *tuned_kernel(const tilec_file *file, const char *kernel)
{
    const Kernel *k = file ? api_find_kernel(file, kernel) : NULL;

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

    if (!file || !out)
        return TILEC_BAD_ARGUMENT;
    if (!k || i < 0 || i >= k->tuning->nconfigs)
        return TILEC_NOT_FOUND;
    if (k->configs[i].nvalues < 0)
        return TILEC_REFUSED;
    *out = k->configs[i];
    return TILEC_OK;
}

const char *tilec_tuning_key(const tilec_file *file, const char *kernel, int i)
{
    const Kernel *k = tuned_kernel(file, kernel);

    return k && i >= 0 && i < k->tuning->nkeys ? k->tuning->keys[i] : NULL;
}
