/*
 * sim_micro.h - run a micro-kernel of tests/sim in the simulator
 */
#ifndef TILEC_TEST_SIM_MICRO_H
#define TILEC_TEST_SIM_MICRO_H

#include "../sim/micro.h"
#include "sim_run.h"

/* Input k of thread t is in[k * MICRO_THREADS + t], and so are the results; there is room for
 * MICRO_MOST of each. */
static inline void micro_run(const Micro *m, uint64_t *in, uint64_t *out)
{
    static char text[16384];

    micro_kernel(m, text, sizeof text);
    SimRun r = sim_open(text, MICRO_THREADS / 32);
    for (int k = 0; m->inputs[k]; k++) {
        for (int t = 0; t < MICRO_THREADS; t++)
            in[k * MICRO_THREADS + t] = micro_input(m, k, t);
    }
    memset(out, 0, MICRO_MOST * MICRO_THREADS * sizeof *out);
    sim_array(&r, 0, in, MICRO_MOST * MICRO_THREADS * sizeof *in);
    sim_array(&r, 1, out, MICRO_MOST * MICRO_THREADS * sizeof *out);
    sim_run(&r, "micro");
    sim_close(&r);
}

#endif
