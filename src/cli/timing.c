/*
 * timing.c - what `run --time` says, as a table for people or as JSON for programs
 *
 * Rates are counted from the kernel itself: bytes are its arrays, once each for reading and once
 * for writing; operations are those that the compiler counted.  The median stands for the run.
 */
#include "cli.h"

#include <stdlib.h>

enum { LEAST_RUNS = 5, MOST_RUNS = 10000 };
static const double usual_seconds = 1.0; /* of timed runs, when no number is given */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void timing_summary(Timing *t, double *seconds, int n)
{
    qsort(seconds, (size_t)n, sizeof *seconds, by_value);
    t->runs = n;
    t->min = seconds[0];
    t->max = seconds[n - 1];
    t->median = n % 2 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
}

/* A run that is timed. */
static double run_once(Call *k)
{
    fresh_restore(k, &k->kept);
    return call_again(k);
}

/* The first tenth only warms up. */
void timing_measure(Call *k)
{
    Cli *c = k->cli;
    const Options *o = &k->options;
    double budget = o->seconds > 0 ? o->seconds : usual_seconds;
    Progress p = progress_start(c, "timing");
    double once = run_once(k), started;
    int wanted = o->runs ? o->runs : (int)MAX(LEAST_RUNS, MIN(MOST_RUNS, budget / once)), n;
    double *seconds = NEW_N(c->arena, double, wanted);

    for (int i = 0; i < wanted / 10; i++)
        run_once(k);
    started = os_seconds();
    for (n = 0; n < wanted; n++) {
        if (!o->runs && n >= LEAST_RUNS && os_seconds() - started > budget)
            break;
        seconds[n] = run_once(k);
        progress_at(&p, (double)n / wanted);
    }
    progress_end(&p);
    timing_summary(&k->timing, seconds, n);
}

const char *timing_duration(Arena *a, double s)
{
    if (s < 1e-3)
        return arena_printf(a, "%.2f us", s * 1e6);
    if (s < 1)
        return arena_printf(a, "%.3f ms", s * 1e3);
    return arena_printf(a, "%.3f s", s);
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
    Table table = table_new(a, COUNT(titles), 0);

    text_printf(out, "%s on %s, grid %d,%d,%d, %d run%s\n", t->kernel, t->device, t->grid[0],
                t->grid[1], t->grid[2], t->runs, t->runs == 1 ? "" : "s");

    for (int i = 0; i < COUNT(titles); i++)
        table_put(&table, titles[i]);
    table_put(&table, timing_duration(a, t->median));
    table_put(&table, timing_duration(a, t->min));
    table_put(&table, timing_duration(a, t->max));
    table_put(&table, timing_rate(a, t->stats.bytes, t->median));
    table_put(&table, timing_rate(a, t->stats.flops, t->median));
    table_put(&table, timing_rate(a, t->stats.int_ops, t->median));
    text_put(out, table_text(&table));
}

const char *timing_table(Arena *a, const Timing *t)
{
    Text out = text_new(a);

    put_times(&out, t);
    if (t->fresh)
        text_put(&out,
                 "arrays that it both reads and writes were restored before each run, outside "
                 "of its time\n");
    text_printf(&out, "compiled in %s%s%s\n", timing_duration(a, t->stats.compile_seconds),
                t->stats.from_cache ? " (from the cache)" : "", parts_text(a, &t->stats));
    if (t->stats.warps > 0)
        text_printf(&out, "%d warps, %d registers, %d bytes of shared and %d of local memory\n",
                    t->stats.warps, t->stats.registers, t->stats.shared_bytes,
                    t->stats.local_bytes);
    if (t->hint)
        text_printf(&out, "hint: %s\n", t->hint);
    return out.s;
}

void put_json_text(Text *out, const char *s)
{
    text_put(out, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            text_printf(out, "\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            text_printf(out, "\\u%04x", (unsigned)*s);
        else
            text_putn(out, s, 1);
    }
    text_put(out, "\"");
}

const char *timing_json(Arena *a, const Timing *t)
{
    Text out = text_new(a);

    text_put(&out, "{\"kernel\": ");
    put_json_text(&out, t->kernel);
    text_put(&out, ", \"device\": ");
    put_json_text(&out, t->device);
    text_printf(&out, ", \"grid\": [%d, %d, %d], \"first_s\": %.9g, \"compile_s\": %.9g",
                t->grid[0], t->grid[1], t->grid[2], t->first, t->stats.compile_seconds);
    text_printf(&out, ", \"generator_s\": %.9g, \"emit_s\": %.9g, \"assemble_s\": %.9g",
                t->stats.generator_seconds, t->stats.emit_seconds, t->stats.assemble_seconds);
    text_printf(&out, ", \"from_cache\": %s, \"bytes\": %.17g",
                t->stats.from_cache ? "true" : "false", t->stats.bytes);
    if (t->stats.flops >= 0)
        text_printf(&out, ", \"flops\": %.17g, \"int_ops\": %.17g", t->stats.flops,
                    t->stats.int_ops);
    if (t->stats.warps > 0)
        text_printf(
            &out, ", \"warps\": %d, \"registers\": %d, \"shared_bytes\": %d, \"local_bytes\": %d",
            t->stats.warps, t->stats.registers, t->stats.shared_bytes, t->stats.local_bytes);
    if (t->runs > 0)
        text_printf(&out, ", \"runs\": %d, \"median_s\": %.9g, \"min_s\": %.9g, \"max_s\": %.9g",
                    t->runs, t->median, t->min, t->max);
    if (t->runs > 0 && t->median > 0) /* JSON has no infinity for the rates */
        text_printf(&out, ", \"gb_per_s\": %.6g", t->stats.bytes / t->median / 1e9);
    if (t->runs > 0 && t->median > 0 && t->stats.flops >= 0)
        text_printf(&out, ", \"gflop_per_s\": %.6g, \"giop_per_s\": %.6g",
                    t->stats.flops / t->median / 1e9, t->stats.int_ops / t->median / 1e9);
    if (t->runs > 0)
        text_printf(&out, ", \"restored\": %s", t->fresh ? "true" : "false");
    if (t->compared)
        text_printf(&out, ", \"compare\": %s", t->compared);
    if (t->checked)
        text_printf(&out, ", \"checked\": {\"accesses\": true, \"races\": %s}",
                    t->races ? "true" : "false");
    if (t->unwritten)
        text_printf(&out, ", \"unwritten\": %s", t->unwritten);
    if (t->hint) {
        text_put(&out, ", \"hint\": ");
        put_json_text(&out, t->hint);
    }
    if (t->profile)
        text_printf(&out, ", \"profile\": %s", t->profile);
    if (t->tuned) {
        text_put(&out, ", \"tuned\": ");
        put_json_text(&out, t->tuned);
    }
    if (t->lines)
        text_printf(&out, ", \"lines\": %s", t->lines);
    return out.s;
}
