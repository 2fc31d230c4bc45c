/*
 * ranks.c - which of how many ranks this process is, and the plugin through which they talk
 *
 * Open MPI, MPICH and Slurm say in the environment what they have started.  The plugin is looked
 * for beside the program and where an installation has it, and only where there are several ranks,
 * so that a single process neither needs nor loads an MPI.
 */
#include "ranks.h"
#include "inspect.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        char *path = format("%s%s", program, places[i]);

        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        free(path);
    }
    return library;
}

static char *explain(const Ranks *r, const char *what, int error)
{
    char text[512];

    r->messages->explain(error, text, sizeof text);
    return format("rank %d: %s: %s", r->rank, what, text);
}

char *ranks_open(Ranks *r)
{
    void *library;
    int error;

    if (r->size < 2)
        return NULL;
    library = open_plugin();
    r->messages = library ? dlsym(library, "tilec_ranks") : NULL;
    if (!r->messages || r->messages->version != RANKS_VERSION) {
        const char *why = library ? "it is of another version" : dlerror();

        r->messages = NULL;
        return format("this is one of %d ranks, and tilec-mpi.so, through which they share the "
                      "images, cannot be used: %s",
                      r->size, why ? why : "it is not there");
    }
    if ((error = r->messages->begin(&r->rank, &r->size)))
        return explain(r, "MPI does not begin", error);
    return NULL;
}

void ranks_close(const Ranks *r)
{
    if (r->messages)
        r->messages->end();
}

char *ranks_send(const Ranks *r, int to, int tag, const void *bytes, size_t n)
{
    const int error = r->messages->send(to, tag, bytes, n);
    char *what, *why;

    if (!error)
        return NULL;
    what = format("no message to rank %d", to);
    why = explain(r, what, error);
    free(what);
    return why;
}

bool ranks_receive(const Ranks *r, Message *out, char **why)
{
    int is_there = 0, error = r->messages->look(&is_there, &out->from, &out->tag, &out->n);

    if (!error && !is_there)
        return false;
    if (!error) {
        out->bytes = more(NULL, out->n);
        if (!(error = r->messages->take(out->from, out->tag, out->bytes, out->n)))
            return true;
        free(out->bytes);
    }
    *why = explain(r, "no message", error);
    return false;
}
