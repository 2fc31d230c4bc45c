/*
 * ranges.c - launches as ranges of NVTX, which NVIDIA's Nsight tools show beside what a GPU does
 *
 * A tool that looks on names a library of its own in NVTX_INJECTION64_PATH.  Since version 3 NVTX
 * is headers alone: a program loads that library, calls its InitializeInjectionNvtx2() with a
 * function that finds tables by a number, and the tool writes into places that the tables point to
 * what is to be called.  Here is the program's side of that (NVIDIA/NVTX,
 * c/include/nvtx3/nvtxDetail), once in a process.  Without a tool nothing is loaded.  Ranges are
 * those of the calling thread, and nest.
 */
#include <pthread.h>
#include <string.h>

#include "api.h"

/* Numbers of the interface: groups of functions from 1 on, in the first of them these two. */
enum { GROUPS = 7, MOST_FUNCTIONS = 17, CORE = 1, RANGE_PUSH = 9, RANGE_POP = 11 };
enum { TABLE_OF_GROUPS = 1, TABLE_OF_VERSION = 3 };

/* How many functions each has, with one that is none in front. */
static const unsigned functions[GROUPS] = {0, 16, 9, 15, 7, 16, 7};

typedef void (*Function)(void);

static struct {
    pthread_mutex_t lock;                  /* while a context opens */
    void *tool;                            /* its library; NULL: none is loaded */
    atomic_bool looks_on;                  /* it has said what to call */
    Function call[GROUPS][MOST_FUNCTIONS]; /* NULL: it does not want to know */
    Function *places[GROUPS][MOST_FUNCTIONS];
} nvtx = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int find_group(int group, Function ***places, unsigned *n)
{
    if (group < CORE || group >= GROUPS)
        return 0;
    for (unsigned i = 1; i < functions[group]; i++)
        nvtx.places[group][i] = &nvtx.call[group][i];
    if (places)
        *places = nvtx.places[group];
    if (n)
        *n = functions[group];
    return 1;
}

static void hear_version(uint32_t of_tool)
{
    (void)of_tool;
}

static const void *find_table(uint32_t table)
{
    static const struct {
        size_t size;
        int (*find)(int group, Function ***places, unsigned *n);
    } of_groups = {sizeof of_groups, find_group};
    static const struct {
        size_t size;
        uint32_t version, reserved;
        void (*hear)(uint32_t of_tool);
    } of_version = {sizeof of_version, 3, 0, hear_version};

    return table == TABLE_OF_GROUPS    ? (const void *)&of_groups
           : table == TABLE_OF_VERSION ? &of_version
                                       : NULL;
}

/* A tool whose library cannot be loaded, or that does not want to look on, is none. */
static void let_in(const char *path)
{
    const char *error;
    void *lib = os_load_library(path, &error);
    void *entry = lib ? os_library_symbol(lib, "InitializeInjectionNvtx2") : NULL;
    int (*begin)(const void *(*find)(uint32_t table));

    if (!entry)
        return;
    nvtx.tool = lib;
    memcpy(&begin, &entry, sizeof begin);
    atomic_store(&nvtx.looks_on, begin(find_table) != 0);
}

void ranges_open(void)
{
    const char *path = os_env("NVTX_INJECTION64_PATH");

    if (!path)
        return;
    pthread_mutex_lock(&nvtx.lock);
    if (!nvtx.tool)
        let_in(path);
    pthread_mutex_unlock(&nvtx.lock);
}

static Function wanted(int of_core)
{
    return atomic_load(&nvtx.looks_on) ? nvtx.call[CORE][of_core] : NULL;
}

void ranges_push(const char *name)
{
    Function push = wanted(RANGE_PUSH);

    if (push)
        ((int (*)(const char *))push)(name);
}

void ranges_pop(void)
{
    Function pop = wanted(RANGE_POP);

    if (pop)
        ((int (*)(void))pop)();
}
