/*
 * assembled.c - what a GPU's assembler makes of a kernel that the simulator runs: the registers of
 * a thread, and what does not fit into them
 */
#include "report.h"
#include "../base/ptxas.h"

#include <errno.h>
#include <string.h>

static const char *assemble(Arena *a, const char *arch, const char *ptx, PtxasReport *out)
{
    const char *const argv[] = {"ptxas", "-v",        "-arch",      arch,
                                "-o",    "/dev/null", "/dev/stdin", NULL};
    OsRun run;
    int status = os_run(a, argv, ptx, strlen(ptx), &run);

    if (status == ENOENT)
        return "it needs ptxas of the CUDA toolkit, in PATH";
    if (status != 0)
        return strerror(status);
    if (run.code != 0)
        return arena_printf(a, "ptxas refuses the PTX: %s", run.errors);
    *out = ptxas_report(run.errors);
    return NULL;
}

/* The PTX without a word of how many registers there shall be; NULL: it has none, or the launch has
 * said it, and not the plan, which uses `setmaxnreg` then. */
static const char *without_budget(Arena *a, const char *ptx)
{
    const char *word = strstr(ptx, "setmaxnreg.dec") ? strstr(ptx, "\n.maxnreg ") : NULL;
    char *copy = word ? arena_strndup(a, ptx, strlen(ptx)) : NULL;

    if (copy)
        memset(copy + (word + 1 - ptx), ' ', strcspn(word + 1, "\n"));
    return copy;
}

/* As device_cuda/budget.c: where the registers that the planner allows are too few, it is the
 * assembler that says. */
const char *assembled_find(Arena *a, const char *arch, const char *ptx, tilec_stats *stats)
{
    PtxasReport said;
    const char *problem = assemble(a, arch, ptx, &said);
    const char *free = !problem && said.spilled > 0 ? without_budget(a, ptx) : NULL;

    if (free)
        problem = assemble(a, arch, free, &said);
    if (problem)
        return problem;
    stats->registers = said.registers;
    stats->local_bytes = said.spilled;
    return NULL;
}
