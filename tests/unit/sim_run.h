/*
 * sim_run.h - run PTX in the simulator, for its tests
 */
#ifndef TILEC_TEST_SIM_RUN_H
#define TILEC_TEST_SIM_RUN_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/sim/sim.h"
/* after base.h: cmocka makes fail() a macro */
#include <cmocka.h>

#define SIM_HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"

/* A kernel, and what it is launched with; `status` and `error` are what came of it. */
typedef struct {
    SimModule *module;
    SimLaunch launch;
    SimRange ranges[8];
    uint64_t args[12];
    SimCounts counts;
    SimStatus status;
    SimError error;
} SimRun;

static inline FILE *sim_open_file(const char *name)
{
    char path[512];
    const char *source = getenv("TILEC_SOURCE");

    snprintf(path, sizeof path, "%s/tests/sim/%s", source ? source : ".", name);
    return fopen(path, "rb");
}

static inline bool sim_has_file(const char *name)
{
    FILE *f = sim_open_file(name);

    if (f)
        fclose(f);
    return f != NULL;
}

/* All of a file of tests/sim, for free(). */
static inline char *sim_file(const char *name)
{
    FILE *f = sim_open_file(name);
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    char *text = calloc(1, (size_t)n + 1);
    rewind(f);
    assert_int_equal(fread(text, 1, (size_t)n, f), n);
    fclose(f);
    return text;
}

static inline SimRun sim_open(const char *text, int warps)
{
    SimRun r = {0};

    r.status = sim_load(text, strlen(text), &r.module, &r.error);
    if (r.status != SIM_OK)
        fprintf(stderr, "line %d: %s: %s\n", r.error.ptx_line, r.error.text, r.error.ptx);
    assert_int_equal(r.status, SIM_OK);
    r.launch = (SimLaunch){.grid = {1, 1, 1}, .warps = warps, .threads = 1};
    return r;
}

static inline void sim_array(SimRun *r, int arg, void *data, size_t bytes)
{
    r->args[arg] = (uint64_t)(uintptr_t)data;
    r->ranges[r->launch.nranges++] = (SimRange){r->args[arg], bytes, false};
}

static inline void sim_go(SimRun *r, const char *kernel)
{
    const SimKernel *k = sim_kernel(r->module, kernel);

    assert_non_null(k);
    r->launch.args = r->args;
    r->launch.ranges = r->ranges;
    r->status = sim_launch(k, &r->launch, &r->error);
}

/* It must work. */
static inline void sim_run(SimRun *r, const char *kernel)
{
    sim_go(r, kernel);
    if (r->status != SIM_OK)
        fprintf(stderr, "%s (line %d: %s)\n", r->error.text, r->error.ptx_line, r->error.ptx);
    assert_int_equal(r->status, SIM_OK);
}

static inline void sim_close(SimRun *r)
{
    free(r->counts.lines);
    sim_unload(r->module);
}

/* What comes between a kernel's head and its end, and what is wrong with that. */
typedef struct {
    const char *body, *why; /* NULL: nothing is wrong */
} SimMisuse;

/* Of a kernel `k` whose first argument is an array. */
static inline void sim_misuse(const char *head, const SimMisuse *m, int warps)
{
    _Alignas(16) static char array[7168];
    char text[6000];

    snprintf(text, sizeof text, "%s%sret;\n}\n", head, m->body);
    SimRun r = sim_open(text, warps);
    sim_array(&r, 0, array, sizeof array);
    sim_go(&r, "k");
    if (m->why ? !strstr(r.error.text, m->why) : r.status != SIM_OK)
        fprintf(stderr, "%s: '%s' is not in '%s'\n", m->body, m->why, r.error.text);
    assert_int_equal(r.status, m->why ? SIM_FAULT : SIM_OK);
    assert_true(!m->why || strstr(r.error.text, m->why));
    sim_close(&r);
}

#endif
