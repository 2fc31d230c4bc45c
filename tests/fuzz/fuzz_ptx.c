/*
 * fuzz_ptx.c - any bytes as PTX: refused with a reason, or a module
 *
 * What is loaded is not run: a kernel may loop for ever.  The bytes end where they end, without a
 * zero behind them.
 */
#include "../../src/sim/sim.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SimModule *m = NULL;
    SimError error;
    SimStatus status = sim_load((const char *)data, size, &m, &error);

    if ((status == SIM_OK) != (m != NULL) || (status == SIM_OK) != (error.text[0] == 0))
        bug("loaded with a reason, or refused without one");
    sim_unload(m);
    return 0;
}
