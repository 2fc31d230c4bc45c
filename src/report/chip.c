/*
 * chip.c - what a GPU has counted in a launch, as `run --profile` and `report` say it
 */
#include "report.h"

#include <string.h>

typedef enum { PLAIN, BYTES, PERCENT, SECONDS } Unit;

/* In the order in which they are told, those alone that a person asks for; JSON has all. */
static const struct {
    const char *name, *title, *about;
    Unit unit;
    double scale;
} known[] = {
    {"gpu__time_duration.sum", "time, counted", "of the kernel alone", SECONDS, 1e-9},
    {"smsp__inst_executed.sum", "instructions", "that warps executed", PLAIN, 1},
    {"smsp__issue_active.avg.pct_of_peak_sustained_active", "issue slots",
     "of the cycles in which a scheduler could issue one", PERCENT, 1},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "warps there",
     "of those that a multiprocessor has room for, on average", PERCENT, 1},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "multiprocessors",
     "how busy their busiest unit is", PERCENT, 1},
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "memory system",
     "how busy its busiest part is", PERCENT, 1},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM", "how busy it is", PERCENT, 1},
    {"dram__bytes_read.sum", "DRAM read", "", BYTES, 1},
    {"dram__bytes_write.sum", "DRAM written", "what the L2 keeps is not among it", BYTES, 1},
    {"lts__t_sector_hit_rate.pct", "L2 hits", "of the sectors that are asked of the L2", PERCENT,
     1},
    {"lts__t_sectors.sum", "L2 sectors", "of 32 bytes", PLAIN, 1},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors loaded",
     "that loads ask of the L1; tensor copies do not", PLAIN, 1},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors stored", "likewise", PLAIN, 1},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "bank conflicts",
     "turns of shared memory's banks too many", PLAIN, 1},
};

void chip_add(void *counters, const tilec_counter *told)
{
    ChipCounters *c = counters;

    vec_push(c->arena, &c->all, *told);
}

const char *report_count(Arena *a, double n)
{
    return n < 1e6    ? arena_printf(a, "%.0f", n)
           : n < 1e8  ? arena_printf(a, "%.3g M", n / 1e6)
           : n < 1e11 ? arena_printf(a, "%.3g G", n / 1e9)
                      : arena_printf(a, "%.3g T", n / 1e12);
}

static const char *text_of(Arena *a, double value, Unit unit)
{
    return unit == BYTES     ? report_bytes(a, value)
           : unit == PERCENT ? arena_printf(a, "%.1f%%", value)
           : unit == SECONDS ? timing_duration(a, value)
                             : report_count(a, value);
}

const tilec_counter *chip_counter(const ChipCounters *c, const char *name)
{
    for (int i = 0; i < c->all.len; i++) {
        if (strcmp(c->all.at[i].name, name) == 0)
            return &c->all.at[i];
    }
    return NULL;
}

bool chip_told(const ChipCounters *c, int i, ChipNumber *out)
{
    if (i >= COUNT(known))
        return false;
    const tilec_counter *found = chip_counter(c, known[i].name);
    *out = (ChipNumber){.title = known[i].title, .about = known[i].about};
    if (found) {
        out->value = found->value * known[i].scale;
        out->text = text_of(c->arena, out->value, known[i].unit);
    }
    return true;
}

const char *chip_table(const ChipCounters *c)
{
    Table table = table_new(c->arena, 3, 1);
    ChipNumber number;

    if (c->problem)
        return arena_printf(c->arena, "without the chip's counters: %s\n", c->problem);
    table_put(&table, "counted");
    table_put(&table, "-");
    table_put(&table, "");
    for (int i = 0; chip_told(c, i, &number); i++) {
        if (!number.text)
            continue;
        table_put(&table, number.title);
        table_put(&table, number.text);
        table_put(&table, number.about);
    }
    return strchr(table_text(&table), '\n') + 1;
}

void chip_put_json(Text *out, const ChipCounters *c)
{
    json_object(out, "counters");
    for (int i = 0; i < c->all.len; i++)
        json_number(out, c->all.at[i].name, c->all.at[i].value, 17);
    json_object_end(out);
    if (c->problem)
        json_text(out, "no_counters", c->problem);
}
