/*
 * fuzz_object.c - any bytes as a compiled object: refused with a reason, or loaded
 *
 * What is loaded is not run: only the loader has to withstand hostile bytes, since the cache's
 * checksum is no defence against somebody who writes entries on purpose.
 */
#include "../../src/device_cpu/device_cpu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Code *code;
    const char *why;
    RunStatus status = code_load(data, size, &code, &why);

    if ((status == RUN_OK) != (code != NULL) || (status == RUN_OK) != (why == NULL))
        bug("loaded with a reason, or refused without one");
    if (code)
        code_symbol(code, "tilec_kernel");
    code_free(code);
    return 0;
}
