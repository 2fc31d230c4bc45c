/*
 * ranges.c - launches as ranges of NVTX, which NVIDIA's Nsight tools show beside what a GPU does
 *
 * A tool that looks on puts NVTX_INJECTION64_PATH into the environment; without one the library's
 * functions do nothing, and it is not opened.  It is the toolkit's libnvToolsExt, or what
 * TILEC_LIBNVTX names.  Ranges are those of the calling thread, and nest.
 */
#include <string.h>

#include "api.h"

void ranges_open(Ranges *out)
{
    const char *named = os_env("TILEC_LIBNVTX"), *error;

    *out = (Ranges){0};
    if (!named && !os_env("NVTX_INJECTION64_PATH"))
        return;
    void *lib = os_load_library(named ? named : "libnvToolsExt.so.1", &error);
    void *push = lib ? os_library_symbol(lib, "nvtxRangePushA") : NULL;
    void *pop = lib ? os_library_symbol(lib, "nvtxRangePop") : NULL;
    if (!push || !pop)
        return;
    memcpy(&out->push, &push, sizeof push);
    memcpy(&out->pop, &pop, sizeof pop);
}

void ranges_push(const Ranges *r, const char *name)
{
    if (r->push)
        r->push(name);
}

void ranges_pop(const Ranges *r)
{
    if (r->push)
        r->pop();
}
