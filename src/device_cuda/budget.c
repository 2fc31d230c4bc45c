/*
 * budget.c - registers for a kernel's threads, by what ptxas made of the last try
 *
 * A multiprocessor's registers are shared by the programs on it.  The planner says in PTX how many
 * there shall be where it knows; where that leaves too few for a thread, so that some are spilled
 * to memory, they are left to ptxas.  Of other kernels that wait at barriers with much in registers
 * the planner only says that two programs on a multiprocessor are worth an attempt (`together`),
 * for while a single one waits, nothing happens: if ptxas took more than that leaves, it is asked
 * to do with less, and a few spilled words are a small price.  On an H200, softmax of rows of 16384
 * by 16 or 32 warps then takes between 1.0 and 0.6 of the time.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "device_cuda.h"

/* The lines by which PTX says how many registers a thread shall have. */
static const char *const budget_lines[] = {"\n.minnctapersm ", "\n.maxnreg ", "\n\tsetmaxnreg."};
static const char threads_line[] = "\n.reqntid ";

static bool has_budget(const GenOutput *ptx)
{
    for (int i = 0; i < COUNT(budget_lines); i++) {
        if (strstr(ptx->data, budget_lines[i]))
            return true;
    }
    return false;
}

/* The same text with comments for these lines. */
static GenOutput without_budget(const GenOutput *ptx, Arena *a)
{
    GenOutput out = *ptx;
    char *text = arena_strndup(a, ptx->data, ptx->len);

    for (int i = 0; i < COUNT(budget_lines); i++) {
        char *line = strstr(text, budget_lines[i]);
        if (line)
            memcpy(line + 1, "//", 2);
    }
    out.data = text;
    return out;
}

/* The same text that asks for so many programs together; false: there is no place for it. */
static bool with_budget(const GenOutput *ptx, Arena *a, GenOutput *out)
{
    const char *threads = strstr(ptx->data, threads_line);
    const char *rest = threads ? strchr(threads + 1, '\n') : NULL;

    if (!rest)
        return false;
    *out = *ptx;
    out->data = arena_printf(a, "%.*s\n.minnctapersm %d%s", (int)(rest - ptx->data), ptx->data,
                             ptx->together, rest);
    out->len = strlen(out->data);
    return true;
}

/* Goes through a text from one number with `what` behind it to the next one; -1: no more. */
static int next_number(const char *text, const char **at, const char *what)
{
    const char *end = strstr(*at, what), *begin = end;

    if (!end)
        return -1;
    *at = end + strlen(what);
    while (begin > text && isdigit((unsigned char)begin[-1]))
        begin--;
    return atoi(begin);
}

CudaReport cuda_report(const char *said)
{
    CudaReport r = {0, 0};
    const char *at = said;

    for (int n; (n = next_number(said, &at, " registers")) >= 0;)
        r.registers = MAX(r.registers, n);
    at = said;
    for (int n; (n = next_number(said, &at, " bytes spill stores")) >= 0;)
        r.spilled += n;
    return r;
}

/* Programs that the registers of a multiprocessor are enough for. */
static int fitting(const CudaReport *r, int warps)
{
    enum { REGISTERS = 65536, LANES = 32, UNIT = 8 };
    int each = (r->registers + UNIT - 1) / UNIT * UNIT * LANES * warps;

    return each > 0 ? REGISTERS / each : 0;
}

bool cuda_try_again(const GenOutput *ptx, const CudaReport *r, Arena *a, GenOutput *next)
{
    if (has_budget(ptx)) {
        if (r->spilled > 0)
            *next = without_budget(ptx, a);
        return r->spilled > 0;
    }
    return ptx->together > 0 && r->spilled == 0 && r->registers > 0 &&
           fitting(r, ptx->warps) < ptx->together && with_budget(ptx, a, next);
}

bool cuda_is_better(const GenOutput *tried, const CudaReport *r)
{
    enum { WORTH_IT = 64 }; /* bytes of a thread */

    return !has_budget(tried) || r->spilled <= WORTH_IT;
}
