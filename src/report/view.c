/*
 * view.c - one run of a kernel as those see it who show it: its stages, and sums of its lines
 *
 * Nothing is measured here.  The command fills a RunView in from what `run --time`, `--profile` and
 * `--count` take and `dump` shows; src/page and advice.c read it.
 */
#include "report.h"

#include <string.h>

enum { SECTOR = 32 };

/* In the order in which they happen to a kernel; a device lacks some. */
static const ViewStage stages[] = {
    {"ir:places", "Tile IR", "the kernel as it was lowered from the source"},
    {"opt:places", "After passes", "the tile IR that code is made of"},
    {"plan:places", "Plan", "the loop nests of a CPU that carry it out"},
    {"layout:places", "Plan", "how tiles lie on the lanes of a GPU, and what waits for what"},
    {"llvm", "LLVM IR", "what LLVM is given"},
    {"asm", "Assembly", "the machine code"},
    {"ptx", "PTX", "what a GPU's driver is given"},
    {"sass", "SASS", "the GPU's machine code"},
};

const ViewStage *view_stage(int i)
{
    return i >= 0 && i < COUNT(stages) ? &stages[i] : NULL;
}

tilec_count view_counted(const RunView *v)
{
    tilec_count sum = {0};

    for (int i = 0; v->counting && i < v->counting->lines.len; i++)
        counting_sum(&sum, &v->counting->lines.at[i]);
    return sum;
}

double view_asked(const RunView *v)
{
    double bytes = 0;

    for (int i = 0; v->lines && i < v->lines->lines.len; i++)
        bytes += v->lines->lines.at[i].bytes;
    return bytes;
}

double view_moved(const RunView *v)
{
    return (double)view_counted(v).global_sectors * SECTOR;
}

const tilec_line *view_line(const RunView *v, const char *file, int line)
{
    for (int i = 0; v->lines && i < v->lines->lines.len; i++) {
        const tilec_line *l = &v->lines->lines.at[i];

        if (l->line == line && l->file && strcmp(l->file, file) == 0)
            return l;
    }
    return NULL;
}
