/*
 * occupancy.c - how many programs a GPU's multiprocessor holds at once, what keeps it from holding
 * more, and in how many waves a grid goes through
 *
 * Limits are those of the CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability", of which src/gpu_plan/chip.c has what plans depend on; tests/cli/test_report.c
 * holds the two against each other.  How many multiprocessors there are the machine says, and where
 * there is none the row of the largest GPU of that kind.  Registers are known of code that an
 * assembler has made; of PTX alone they are not, and what is told is then how many a thread could
 * have without costing a program.
 */
#include "report.h"

#include <string.h>

enum { KIB = 1024, LANES = 32, RESERVED = KIB, REGISTERS = 65536, REGISTER_UNIT = 8 };
enum { MEMORY_NS = 600 }; /* that a load of memory takes, about, on all of these */

/* clang-format off */
static const struct {
    const char *name;
    int warps, programs;   /* that a multiprocessor holds at most */
    int shared;            /* bytes of shared memory that it has, of which each program costs some more */
    int multiprocessors;   /* of .. */
    int memory;            /* GB/s that its memory gives */
    const char *model;
} chips[] = {
    {"sm_80",  64, 32, 164 * KIB, 108, 2039, "an A100"},
    {"sm_86",  48, 16, 100 * KIB,  84,  696, "an A40"},
    {"sm_87",  48, 16, 164 * KIB,  16,  205, "a Jetson AGX Orin"},
    {"sm_89",  48, 24, 100 * KIB, 142,  864, "an L40S"},
    {"sm_90",  64, 32, 228 * KIB, 132, 4800, "an H100 or H200"},
    {"sm_90a", 64, 32, 228 * KIB, 132, 4800, "an H100 or H200"},
    {"sm_100", 64, 32, 228 * KIB, 148, 8000, "a B200"},
    {"sm_100a", 64, 32, 228 * KIB, 148, 8000, "a B200"},
    {"sm_103", 64, 32, 228 * KIB, 148, 8000, "a B300"},
    {"sm_120", 48, 24, 100 * KIB, 170, 1792, "an RTX 5090"},
    {"sm_121", 48, 24, 100 * KIB,  48,  273, "a DGX Spark"},
};
/* clang-format on */

static int rounded_up(int n, int unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Warps that there are registers for, in the quarters of a multiprocessor. */
static int warps_by_registers(int registers)
{
    int of_warp = rounded_up(registers, REGISTER_UNIT) * LANES;

    return REGISTERS / 4 / of_warp * 4;
}

/* The most that a thread may have where so many warps are wanted. */
static int registers_by_warps(int warps)
{
    int quarter = (warps + 3) / 4;

    return MIN(REGISTERS / 4 / LANES / quarter / REGISTER_UNIT * REGISTER_UNIT, 255);
}

static void find_limit(Occupancy *o)
{
    const struct {
        int programs;
        const char *limit;
    } limits[] = {{o->by_warps, "warps"},
                  {o->by_slots, "programs"},
                  {o->by_shared, "shared memory"},
                  {o->by_registers, "registers"}};

    o->programs = INT32_MAX;
    for (int i = 0; i < COUNT(limits); i++) {
        if (limits[i].programs < 0 || limits[i].programs >= o->programs)
            continue;
        o->programs = limits[i].programs;
        o->limit = limits[i].limit;
    }
}

static void find_waves(Occupancy *o)
{
    o->wave = (int64_t)o->programs * o->multiprocessors;
    o->waves = o->wave > 0 ? (o->grid + o->wave - 1) / o->wave : 0;
    o->last = o->wave > 0 && o->grid > 0 ? o->grid - (o->waves - 1) * o->wave : 0;
}

bool occupancy_find(const char *arch, const tilec_stats *stats, const int32_t grid[3],
                    int multiprocessors, Occupancy *out)
{
    int chip = 0;

    while (chip < COUNT(chips) && strcmp(chips[chip].name, arch) != 0)
        chip++;
    if (chip == COUNT(chips) || stats->warps <= 0)
        return false;
    *out = (Occupancy){
        .arch = chips[chip].name,
        .most_warps = chips[chip].warps,
        .most_programs = chips[chip].programs,
        .most_shared = chips[chip].shared,
        .multiprocessors = multiprocessors > 0 ? multiprocessors : chips[chip].multiprocessors,
        .model = multiprocessors > 0 ? NULL : chips[chip].model,
        .warps = stats->warps,
        .shared = stats->shared_bytes,
        .registers = stats->registers,
        .bandwidth = chips[chip].memory * 1e9,
        .flight = (double)chips[chip].memory * MEMORY_NS / chips[chip].multiprocessors,
        .grid = (int64_t)grid[0] * grid[1] * grid[2]};
    out->by_warps = out->most_warps / out->warps;
    out->by_slots = out->most_programs;
    out->by_shared = out->most_shared / (out->shared + RESERVED);
    out->by_registers = out->registers > 0 ? warps_by_registers(out->registers) / out->warps : -1;
    find_limit(out);
    out->spare_registers = registers_by_warps(MAX(out->programs, 1) * out->warps);
    find_waves(out);
    return true;
}

double occupancy_share(const Occupancy *o)
{
    return (double)(o->programs * o->warps) / o->most_warps;
}

/* What multiprocessors spend idle in the last wave, if all programs take as long. */
double occupancy_tail(const Occupancy *o)
{
    return o->waves > 0 ? 1 - (double)o->grid / (double)(o->waves * o->wave) : 0;
}

const char *occupancy_chip(int i, int *warps, int *shared)
{
    if (i < 0 || i >= COUNT(chips))
        return NULL;
    *warps = chips[i].warps;
    *shared = chips[i].shared;
    return chips[i].name;
}
