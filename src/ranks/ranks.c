/*
 * ranks.c - which of how many ranks this process is, and the plugin through which they talk
 *
 * Open MPI, MPICH and Slurm say in the environment what they have started.  The plugin is looked
 * for beside the program and where an installation has it, and only where there are several ranks,
 * so that a single process neither needs nor loads an MPI.
 */
#define _GNU_SOURCE
#include "ranks.h"

#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CPUS = 1024 };

static int number_of(const char *const *names, int otherwise)
{
    for (; *names; names++) {
        const char *text = getenv(*names);

        if (text && *text >= '0' && *text <= '9')
            return atoi(text);
    }
    return otherwise;
}

Ranks ranks_find(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", NULL};
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS",
                                        NULL};
    static const char *const host_ranks[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                             "SLURM_LOCALID", NULL};
    static const char *const host_sizes[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                             "SLURM_STEP_TASKS_PER_NODE", NULL};
    Ranks r = {number_of(ranks, 0), number_of(sizes, 1), 0, 1, NULL};

    if (r.size < 2)
        return (Ranks){.size = 1, .host_size = 1};
    r.host_rank = number_of(host_ranks, 0);
    r.host_size = number_of(host_sizes, 1);
    if (r.host_size < 1)
        r.host_size = 1;
    return r;
}

int ranks_cpus(const Ranks *r)
{
    const long all = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t set;
    int n = all < 1 ? 1 : (int)all;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < n)
        n = CPU_COUNT(&set);
    else
        n /= r->host_size;
    return n < 1 ? 1 : n > MOST_CPUS ? MOST_CPUS : n;
}

/* For free(); a text that there is no memory for is no text. */
__attribute__((format(printf, 1, 2))) static char *words(const char *fmt, ...)
{
    va_list args;
    char *text;

    va_start(args, fmt);
    const int n = vasprintf(&text, fmt, args);
    va_end(args);
    return n < 0 ? strdup("") : text;
}

/* From the first of the two places that has it. */
static void *open_plugin(void)
{
    static const char *const places[] = {"tilec-mpi.so", "../lib/tilec/tilec-mpi.so"};
    char program[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    void *library = NULL;

    if (n <= 0)
        return NULL;
    program[n] = '\0';
    *(strrchr(program, '/') + 1) = '\0';
    for (int i = 0; i < 2 && !library; i++) {
        char *path = words("%s%s", program, places[i]);

        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        free(path);
    }
    return library;
}

static char *explain(const Ranks *r, const char *what, int error)
{
    char text[512];

    r->messages->explain(error, text, sizeof text);
    return words("rank %d: %s: %s", r->rank, what, text);
}

char *ranks_open(Ranks *r)
{
    void *library;

    if (r->size < 2 || r->messages)
        return NULL;
    library = open_plugin();
    r->messages = library ? dlsym(library, "tilec_ranks") : NULL;
    if (!r->messages || r->messages->version != RANKS_VERSION) {
        const char *why = library ? "it is of another version" : dlerror();

        r->messages = NULL;
        return words("this is one of %d ranks, and tilec-mpi.so, through which they share the "
                     "work, cannot be used: %s",
                     r->size, why ? why : "it is not there");
    }
    return NULL;
}

void ranks_end(const Ranks *r)
{
    r->messages->end();
}

/* A launcher of another kind starts processes that MPI takes for one each: all of them would do
 * all of the work, at the same time. */
char *ranks_begin(Ranks *r)
{
    const int started = r->size, error = r->messages->begin(&r->rank, &r->size);

    if (error)
        return explain(r, "MPI does not begin", error);
    if (r->size != started) {
        const int known = r->size;

        ranks_end(r);
        return words("%d ranks were started, and MPI knows of %d: they were not started in a way "
                     "that the MPI of tilec-mpi.so knows; under srun, `--mpi=TYPE` says how, and "
                     "`srun --mpi=list` which types there are",
                     started, known);
    }
    return NULL;
}

char *ranks_send(const Ranks *r, int to, int tag, const void *bytes, size_t n)
{
    const int error = r->messages->send(to, tag, bytes, n);
    char *what, *why;

    if (!error)
        return NULL;
    what = words("no message to rank %d", to);
    why = explain(r, what, error);
    free(what);
    return why;
}

RanksMessage *ranks_receive(const Ranks *r, char **why)
{
    int is_there = 0, from, tag, error;
    RanksMessage *m = NULL;
    size_t n;

    error = r->messages->look(&is_there, &from, &tag, &n);
    if (!error && !is_there)
        return NULL;
    if (!error && !(m = malloc(sizeof *m + n))) {
        *why = words("rank %d: no memory for a message", r->rank);
        return NULL;
    }
    if (!error && !(error = r->messages->take(from, tag, m->bytes, n))) {
        *m = (RanksMessage){NULL, from, tag, n};
        return m;
    }
    free(m);
    *why = explain(r, "no message", error);
    return NULL;
}
