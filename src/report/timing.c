/*
 * timing.c - what `run --time` says, as a table for people or as JSON for programs
 *
 * Rates are counted from the kernel itself: bytes are its arrays, once each for reading and once
 * for writing; operations are those that the compiler counted.  The median stands for the run.
 */
#include "report.h"

const char *timing_duration(Arena *a, double s)
{
    if (s < 1e-3)
        return arena_printf(a, "%.2f us", s * 1e6);
    if (s < 1)
        return arena_printf(a, "%.3f ms", s * 1e3);
    return arena_printf(a, "%.3f s", s);
}

const char *report_bytes(Arena *a, double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int unit = 0;

    for (; bytes >= 1000 && unit < COUNT(units) - 1; unit++)
        bytes /= 1000;
    return arena_printf(a, unit == 0 || bytes >= 100 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
}

const char *timing_rate(Arena *a, double amount, double seconds)
{
    if (amount < 0 || seconds <= 0)
        return "-";
    return arena_printf(a, "%.2f", amount / seconds / 1e9);
}

/* Where the time of a compile went; "" when there was none. */
static const char *parts_text(Arena *a, const tilec_stats *s)
{
    const char *assembling = "";

    if (s->emit_seconds <= 0)
        return "";
    if (s->assemble_seconds > 0)
        assembling = arena_printf(a, ", assembling %s", timing_duration(a, s->assemble_seconds));
    return arena_printf(a, ": loading the code generator %s, making code %s%s",
                        timing_duration(a, s->generator_seconds),
                        timing_duration(a, s->emit_seconds), assembling);
}

static void put_times(Text *out, const Timing *t)
{
    static const char *const titles[] = {"median", "min", "max", "GB/s", "GFLOP/s", "GIOP/s"};
    Arena *a = out->arena;
    Table table = table_titled(a, titles, COUNT(titles), 0);

    text_printf(out, "%s on %s, grid %d,%d,%d, %d run%s\n", t->kernel, t->device, t->grid[0],
                t->grid[1], t->grid[2], t->times.n, t->times.n == 1 ? "" : "s");

    table_put(&table, timing_duration(a, t->times.median));
    table_put(&table, timing_duration(a, t->times.min));
    table_put(&table, timing_duration(a, t->times.max));
    table_put(&table, timing_rate(a, t->stats.bytes, t->times.median));
    table_put(&table, timing_rate(a, t->stats.flops, t->times.median));
    table_put(&table, timing_rate(a, t->stats.int_ops, t->times.median));
    text_put(out, table_text(&table));
}

/* Lines that say how sure the median is. */
static void put_sureness(Text *out, const Times *t)
{
    Arena *a = out->arena;

    if (t->n < 2)
        text_put(out, "one run does not say how sure its time is; --time alone finds out\n");
    else
        text_printf(out, "sure to %s: the median lies between %s and %s with %.0f%% confidence\n",
                    times_unsure_text(a, t), timing_duration(a, t->low),
                    timing_duration(a, t->high), 100 * t->confidence);
    if (times_disagree(t))
        text_printf(
            out,
            "runs disagree: half of them took between %s and %s; the machine may be busy, or "
            "change its clock\n",
            timing_duration(a, t->lower_quarter), timing_duration(a, t->upper_quarter));
}

const char *timing_table(Arena *a, const Timing *t)
{
    Text out = text_new(a);

    put_times(&out, t);
    put_sureness(&out, &t->times);
    if (t->fresh)
        text_put(&out,
                 "arrays that it both reads and writes were restored before each run, outside "
                 "of its time\n");
    text_printf(&out, "compiled in %s%s%s\n", timing_duration(a, t->stats.compile_seconds),
                t->stats.from_cache ? " (from the cache)" : "", parts_text(a, &t->stats));
    if (t->stats.registers > 0)
        text_printf(&out, "%d warp%s, %d registers, %d bytes of shared and %d of local memory\n",
                    t->stats.warps, t->stats.warps == 1 ? "" : "s", t->stats.registers,
                    t->stats.shared_bytes, t->stats.local_bytes);
    else if (t->stats.warps > 0) /* the simulator has no chip's registers */
        text_printf(&out, "%d warp%s, %d bytes of shared memory\n", t->stats.warps,
                    t->stats.warps == 1 ? "" : "s", t->stats.shared_bytes);
    if (t->hint)
        text_printf(&out, "hint: %s\n", t->hint);
    return out.s;
}

static void put_times_json(Text *out, const Times *t)
{
    json_int(out, "runs", t->n);
    json_number(out, "median_s", t->median, 9);
    json_number(out, "min_s", t->min, 9);
    json_number(out, "max_s", t->max, 9);
    json_number(out, "median_low_s", t->low, 9);
    json_number(out, "median_high_s", t->high, 9);
    json_number(out, "confidence", t->confidence, 4);
    json_number(out, "lower_quarter_s", t->lower_quarter, 9);
    json_number(out, "upper_quarter_s", t->upper_quarter, 9);
    json_bool(out, "noisy", times_disagree(t));
}

/* What compiling took, and the work that there is; 0 operations are none, fewer are unknown. */
static void put_stats_json(Text *out, const tilec_stats *s)
{
    json_number(out, "compile_s", s->compile_seconds, 9);
    json_number(out, "generator_s", s->generator_seconds, 9);
    json_number(out, "emit_s", s->emit_seconds, 9);
    json_number(out, "assemble_s", s->assemble_seconds, 9);
    json_bool(out, "from_cache", s->from_cache);
    json_number(out, "bytes", s->bytes, 17);
    if (s->flops >= 0) {
        json_number(out, "flops", s->flops, 17);
        json_number(out, "int_ops", s->int_ops, 17);
    }
    if (s->warps > 0) {
        json_int(out, "warps", s->warps);
        json_int(out, "registers", s->registers);
        json_int(out, "shared_bytes", s->shared_bytes);
        json_int(out, "local_bytes", s->local_bytes);
    }
}

static void put_rates_json(Text *out, const tilec_stats *s, double seconds)
{
    json_number(out, "gb_per_s", s->bytes / seconds / 1e9, 6);
    if (s->flops >= 0) {
        json_number(out, "gflop_per_s", s->flops / seconds / 1e9, 6);
        json_number(out, "giop_per_s", s->int_ops / seconds / 1e9, 6);
    }
}

/* What was found beside times; each of these may be missing. */
static void put_findings_json(Text *out, const Timing *t)
{
    if (t->compared)
        json_value(out, "compare", t->compared);
    if (t->checked) {
        json_object(out, "checked");
        json_bool(out, "accesses", true);
        json_bool(out, "races", t->races);
        json_object_end(out);
    }
    if (t->unwritten)
        json_value(out, "unwritten", t->unwritten);
    if (t->hint)
        json_text(out, "hint", t->hint);
    if (t->profile)
        json_value(out, "profile", t->profile);
    if (t->tuned)
        json_text(out, "tuned", t->tuned);
    if (t->lines)
        json_value(out, "lines", t->lines);
}

void timing_put_json(Text *out, const Timing *t)
{
    json_text(out, "kernel", t->kernel);
    json_text(out, "device", t->device);
    json_array(out, "grid");
    for (int i = 0; i < 3; i++)
        json_int(out, NULL, t->grid[i]);
    json_array_end(out);
    json_number(out, "first_s", t->first, 9);
    put_stats_json(out, &t->stats);
    if (t->times.n > 0)
        put_times_json(out, &t->times);
    if (t->times.n > 0 && t->times.median > 0)
        put_rates_json(out, &t->stats, t->times.median);
    if (t->times.n > 0)
        json_bool(out, "restored", t->fresh);
    put_findings_json(out, t);
}
