/*
 * fuzz_npy.c - hostile .npy headers
 *
 * Whatever the bytes are, the parser gives a header or a reason, reads nothing outside them, and a
 * header that it accepts is one that the loader can use.
 */
#include "../../src/io/io.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Guard guard;
    Arena *a;
    NpyHeader h;

    if (setjmp(guard.env) != 0)
        return 0;
    a = arena_new(&guard);
    if (!npy_parse(a, (const char *)data, size, &h)) {
        if (h.ndim < 0 || h.ndim > IO_MAX_DIMS || h.data_at > size)
            abort();
        for (int i = 0; i < h.ndim; i++) {
            if (h.shape[i] < 0)
                abort();
        }
    }
    arena_free(a);
    return 0;
}
