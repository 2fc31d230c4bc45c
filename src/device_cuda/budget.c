/*
 * budget.c - registers for a kernel's threads, by what ptxas made of the last try
 *
 * A multiprocessor's registers are shared by the programs on it.  The planner says in PTX how many
 * there shall be where it knows; where that leaves too few for a thread, so that more than one or
 * two are spilled to memory, one fewer is tried, and else the target is asked for PTX without a
 * word of them.  Of other kernels
 * that wait at barriers with much in registers the planner only says that two programs on a
 * multiprocessor are worth an attempt (`together`), for while a single one waits, nothing happens:
 * if ptxas took more than that leaves, the target is asked for PTX that says it, and a few spilled
 * words are a small price.  On an H200, softmax of rows of 16384 by 16 or 32 warps then takes
 * between 1.0 and 0.6 of the time.
 *
 * Where rounds begin with the loads of the next one, the planner counts registers as if all of a
 * round were there at once.  The assembler left alone shows how few are enough: where so many more
 * programs fit that they are worth it, it is told that number.  On an H200, products of sparse
 * samples then take 0.81 of the time, a softmax across rows 0.81, a split LoRA projection 0.89.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_cuda.h"

enum { SHARED = 227 << 10 };

/* Programs that the registers of a multiprocessor are enough for.  A warp has its own in one of the
 * four quarters. */
static int fitting(const PtxasReport *r, int warps)
{
    enum { QUARTERS = 4, REGISTERS = 65536 / QUARTERS, LANES = 32, UNIT = 8 };
    int each = (r->registers + UNIT - 1) / UNIT * UNIT * LANES;

    return each > 0 && warps > 0 ? REGISTERS / each * QUARTERS / warps : 0;
}

/* Kernels that only wait for memory have the more on its way the more programs there are: for one
 * register too many one program less would fit.  With warps enough that is not worth tighter code,
 * unless a program would be alone: nothing then happens while it begins and ends.  0: it is not so.
 */
static int one_more(const GenOutput *ptx, const PtxasReport *r)
{
    enum { REGISTERS = 65536, LANES = 32, UNIT = 8, ENOUGH_WARPS = 32 };
    int more = fitting(r, ptx->warps) + 1;
    int each = REGISTERS / (more * ptx->warps * LANES) / UNIT * UNIT;
    bool wants = more == 2 || more * ptx->warps <= ENOUGH_WARPS;

    return ptx->crowds && wants && each < r->registers && r->registers - each <= UNIT &&
                   (size_t)more * ptx->shared <= SHARED
               ? more
               : 0;
}

/* Where so many were asked for.  A second program is worth what the planner says, a third one half
 * of that: if it takes more, it is the second one that is tried. */
static GenBudget keep_asked(const GenOutput *ptx, GenBudget asked, const PtxasReport *r)
{
    enum { TWO = 2 };
    bool wished = (int)asked <= ptx->together;
    int worth = wished ? ptx->worth / (asked > TWO ? 2 : 1) : 0;

    if (r->spilled <= worth)
        return asked;
    return wished && asked > TWO ? asked - 1 : GEN_BUDGET_PLAN;
}

GenBudget cuda_wish(const GenOutput *ptx, GenBudget asked, const PtxasReport *r)
{
    enum { LITTLE = 8 }; /* spilled bytes of a thread */

    if (asked == GEN_BUDGET_NONE)
        return asked;
    if (asked > 0)
        return keep_asked(ptx, asked, r);
    if (ptx->budgeted)
        return r->spilled > LITTLE ? GEN_BUDGET_NONE : asked;
    if (r->spilled > 0 || r->registers == 0)
        return asked;
    return fitting(r, ptx->warps) < ptx->together ? ptx->together : one_more(ptx, r);
}

static const char word[] = ".minnctapersm";

void cuda_tell_fewer(char *ptx)
{
    char *at = strstr(ptx, word), *digit = at ? at + sizeof word - 1 : NULL, number[16];

    if (!digit)
        return;
    digit += strspn(digit, " ");
    size_t len = strspn(digit, "0123456789");
    snprintf(number, sizeof number, "%*d", (int)len, atoi(digit) - 1);
    memcpy(digit, number, len);
}

void cuda_leave_alone(char *ptx)
{
    char *at = strstr(ptx, word);

    for (; at && *at && *at != '\n'; at++)
        *at = ' ';
}

GenBudget cuda_more(const GenOutput *ptx, const PtxasReport *alone)
{
    enum { MOST_WARPS = 48, MORE = 6, THAN = 5 }; /* of every chip's multiprocessor */
    int fit = MIN(fitting(alone, ptx->warps), MOST_WARPS / ptx->warps);

    if (ptx->shared > 0)
        fit = MIN(fit, (int)(SHARED / ptx->shared));
    return alone->spilled == 0 && fit * THAN >= ptx->told * MORE ? fit : GEN_BUDGET_PLAN;
}
