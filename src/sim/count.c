/*
 * count.c - what accesses cost a GPU, and the sums for each line of the source
 *
 * Global memory moves in sectors of 32 bytes, four of which are a line.  An access of a warp asks
 * the L2 once for each line, for the sectors of it that its lanes touch.  Copies to shared memory
 * (cp.async) of the same line are asked for together only where they go to one line of shared
 * memory too, and else each fetches its sector anew: an H200's counters said so
 * (docs/simulator.md). Shared memory has 32 banks of 4 bytes; words of one bank are read one after
 * the other, a word that several lanes want once.  Accesses of 8 and 16 bytes go in two and four
 * parts of a warp.
 */
#include <stdlib.h>
#include <string.h>

#include "execute.h"

enum { SECTOR = 32, LINE = 128, BANKS = 32, BANK_BYTES = 4 };

static WorkCount *counts_of(const Warp *w)
{
    return &w->worker->counts[w->inst - w->module->code.at];
}

/* Put a number into a small set unless it is there; gives the new size. */
static int add_new(uint64_t *set, int n, uint64_t x)
{
    for (int i = n - 1; i >= 0; i--) {
        if (set[i] == x)
            return n;
    }
    set[n] = x;
    return n + 1;
}

/* Sectors that lanes touch: those of one line of global memory that go to the same place are one
 * request. */
typedef struct {
    uint64_t sector[2 * LANES], place[2 * LANES];
    int sectors, lines;
} Touched;

static void touch(Touched *t, uint64_t address, uint64_t place)
{
    uint64_t sector = address / SECTOR;
    bool line_known = false;

    for (int i = t->sectors - 1; i >= 0; i--) {
        if (t->place[i] != place)
            continue;
        if (t->sector[i] == sector)
            return;
        line_known |= t->sector[i] / (LINE / SECTOR) == sector / (LINE / SECTOR);
    }
    t->sector[t->sectors] = sector;
    t->place[t->sectors++] = place;
    t->lines += !line_known;
}

static void add_touched(Warp *w, const Touched *t)
{
    WorkCount *c = counts_of(w);

    c->global_requests++;
    c->global_lines += (uint64_t)t->lines;
    c->global_sectors += (uint64_t)t->sectors;
}

void count_global(Warp *w, uint32_t bytes, uint32_t mask, const uint64_t address[LANES])
{
    Touched t = {.sectors = 0};

    FOR_LANES(lane, mask)
    {
        touch(&t, address[lane], 0);
        touch(&t, address[lane] + bytes - 1, 0);
    }
    add_touched(w, &t);
}

void count_copies(Warp *w, uint32_t mask, const uint64_t from[LANES], const uint64_t to[LANES])
{
    Touched t = {.sectors = 0};

    FOR_LANES(lane, mask)
    touch(&t, from[lane], to[lane] / LINE);
    add_touched(w, &t);
}

/* Turns of the banks for some lanes of a request: the most different words in one bank. */
static int waves_of(uint32_t bytes, uint32_t mask, const uint64_t address[LANES])
{
    uint64_t words[BANKS][LANES * 4];
    int n[BANKS] = {0}, most = 0;

    FOR_LANES(lane, mask)
    {
        for (uint32_t i = 0; i < bytes; i += BANK_BYTES) {
            uint64_t word = (address[lane] + i) / BANK_BYTES;
            int bank = (int)(word % BANKS);

            n[bank] = add_new(words[bank], n[bank], word);
            most = MAX(most, n[bank]);
        }
    }
    return most;
}

void count_shared(Warp *w, uint32_t bytes, uint32_t mask, const uint64_t address[LANES])
{
    uint32_t parts = MAX(1, MIN(bytes, 16) / BANK_BYTES), lanes = LANES / parts;
    WorkCount *c = counts_of(w);

    c->shared_requests++;
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t part = mask & (uint32_t)(((UINT64_C(1) << lanes) - 1) << (i * lanes));

        if (!part)
            continue;
        int waves = waves_of(bytes, part, address);
        c->shared_waves += (uint64_t)waves;
        c->shared_extra += (uint64_t)(waves - 1);
    }
}

void count_unit(Warp *w, uint32_t bytes)
{
    WorkCount *c = counts_of(w);

    c->shared_requests++;
    c->shared_waves += (bytes + LINE - 1) / LINE;
}

/* --- sums --- */

static int compare_lines(const void *a, const void *b)
{
    const LineCount *x = a, *y = b;
    int files = strcmp(x->file ? x->file : "", y->file ? y->file : "");

    return files ? files : (x->line > y->line) - (x->line < y->line);
}

static LineCount line_of(const SimModule *m, const Inst *in, const WorkCount *work)
{
    const PtxPlace *place = &m->places.at[in->place];
    bool known = in->place > 0 && place->file;

    return (LineCount){.file = known ? place->file : NULL,
                       .line = known ? place->line : (int)in->line,
                       .work = *work};
}

void count_add(WorkCount *to, const WorkCount *from, int n)
{
    for (int i = 0; i < n; i++) {
        to[i].instructions += from[i].instructions;
        to[i].lanes += from[i].lanes;
        to[i].global_requests += from[i].global_requests;
        to[i].global_lines += from[i].global_lines;
        to[i].global_sectors += from[i].global_sectors;
        to[i].shared_requests += from[i].shared_requests;
        to[i].shared_waves += from[i].shared_waves;
        to[i].shared_extra += from[i].shared_extra;
        to[i].branches += from[i].branches;
        to[i].divergent += from[i].divergent;
        to[i].special += from[i].special;
        to[i].tensor += from[i].tensor;
        to[i].apart += from[i].apart;
        to[i].cycles += from[i].cycles;
        to[i].memory_waits += from[i].memory_waits;
        to[i].shared_waits += from[i].shared_waits;
        to[i].barrier_waits += from[i].barrier_waits;
    }
}

bool count_lines(const SimModule *m, const WorkCount *counts, SimCounts *out)
{
    LineCount *lines = calloc((size_t)m->code.len + 1, sizeof *lines);
    int n = 0, kept = 0;

    if (!lines)
        return false;
    for (int i = 0; i < m->code.len; i++) {
        if (counts[i].instructions > 0)
            lines[n++] = line_of(m, &m->code.at[i], &counts[i]);
    }
    if (n > 0)
        qsort(lines, (size_t)n, sizeof *lines, compare_lines);
    for (int i = 0; i < n; i++) {
        if (kept > 0 && compare_lines(&lines[kept - 1], &lines[i]) == 0)
            count_add(&lines[kept - 1].work, &lines[i].work, 1);
        else
            lines[kept++] = lines[i];
    }
    *out = (SimCounts){.lines = lines, .count = kept};
    return true;
}
