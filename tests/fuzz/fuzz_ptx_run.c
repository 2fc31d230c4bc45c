/*
 * fuzz_ptx_run.c - any bytes as PTX, and what loads is run: it ends, or is stopped with a reason
 *
 * Two warps, one program, a small array that every other parameter points to.  Whatever a kernel
 * does, it reaches nothing beyond that.
 */
#include "../../src/sim/sim.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A parameter takes more than 8 bytes to declare, so there are fewer than the text has of these. */
enum { MOST_BYTES = 1 << 20 };

static void run(const SimKernel *k, size_t size)
{
    static uint64_t array[64] __attribute__((aligned(128))), args[MOST_BYTES / 8];
    const SimRange range = {(uint64_t)(uintptr_t)array, sizeof array, false};
    SimCounts counts = {0};
    const SimLaunch launch = {.grid = {1, 1, 1},
                              .warps = 2,
                              .shared = 1024,
                              .args = args,
                              .ranges = &range,
                              .nranges = 1,
                              .turns = 3,
                              .counts = &counts};
    SimError error;

    for (size_t i = 0; i < size / 8; i++)
        args[i] = i % 2 ? 7 : range.address;
    memset(array, 0, sizeof array);
    SimStatus status = sim_launch(k, &launch, &error);
    if ((status == SIM_OK) != (error.text[0] == 0) && status != SIM_NO_MEMORY)
        bug("ran with a reason, or stopped without one");
    free(counts.lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SimModule *m = NULL;
    SimError error;

    if (size <= MOST_BYTES && sim_load((const char *)data, size, &m, &error) == SIM_OK &&
        sim_kernel(m, NULL))
        run(sim_kernel(m, NULL), size);
    sim_unload(m);
    return 0;
}
