/*
 * fuzz_io.c - hostile array files of every format
 *
 * The first byte chooses the format.  Whatever the others are, reading gives an array that can be
 * written, or a reason, reads nothing outside of the bytes, and takes no more memory than allowed.
 */
#include "../../src/io/io.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"x.npy", "x.npz", "x.png", "x.pgm", "x.csv", "-"};
    const tilec_io_options options = {.most_bytes = 16 << 20};
    tilec_tensor t;
    char *error;

    if (size == 0)
        return 0;
    if (tilec_io_decode(names[data[0] % COUNT(names)], data + 1, size - 1, &options, &t, &error)) {
        if (!error)
            abort();
        free(error);
        return 0;
    }
    if (tilec_io_write("/dev/null", &t, NULL, NULL))
        abort();
    tilec_io_free(&t);
    return 0;
}
