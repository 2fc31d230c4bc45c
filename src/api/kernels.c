/*
 * kernels.c - the kernels of a file, and their parameters
 */
#include <string.h>

#include "api.h"

int tilec_kernel_count(const tilec_file *file)
{
    return handle_is_file(file) ? file->nkernels : 0;
}

const char *tilec_kernel_name(const tilec_file *file, int i)
{
    return handle_is_file(file) && i >= 0 && i < file->nkernels ? file->kernels[i].name : NULL;
}

const char *tilec_only_kernel(const tilec_file *file)
{
    return handle_is_file(file) && file->only ? file->only->name : NULL;
}

const Kernel *api_find_kernel(const tilec_file *file, const char *name)
{
    if (!name)
        return file->only;
    for (int i = 0; i < file->nkernels; i++) {
        if (strcmp(file->kernels[i].name, name) == 0)
            return &file->kernels[i];
    }
    for (int i = 0; i < file->nkernels; i++) {
        if (strcmp(file->kernels[i].full_name, name) == 0)
            return &file->kernels[i];
    }
    return NULL;
}

int tilec_param_count(const tilec_file *file, const char *kernel)
{
    const Kernel *k = handle_is_file(file) ? api_find_kernel(file, kernel) : NULL;

    return k && k->signature ? k->signature->nparams : -1;
}

tilec_status tilec_param_info(const tilec_file *file, const char *kernel, int i, tilec_param *out)
{
    const Kernel *k = handle_is_file(file) ? api_find_kernel(file, kernel) : NULL;

    if (!handle_is_file(file) || !out)
        return TILEC_BAD_ARGUMENT;
    if (!k || !k->signature || i < 0 || i >= k->signature->nparams)
        return TILEC_NOT_FOUND;
    const FrontParam *p = &k->signature->params[i];
    const Fallback *f = &k->fallbacks[i];
    bool computed =
        f->heuristic >= 0 && strcmp(k->tuning->heuristics[f->heuristic].name, p->name) == 0;
    *out = (tilec_param){.name = p->name,
                         .is_constexpr = p->is_constexpr,
                         .has_default = computed || f->known,
                         .is_computed = computed,
                         .line = p->line,
                         .value = {.name = p->name}};
    out->has_value = out->has_default && !out->is_computed &&
                     bind_argument_of(&k->fallbacks[i].value, &out->value);
    return TILEC_OK;
}
