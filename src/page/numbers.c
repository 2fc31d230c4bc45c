/*
 * numbers.c - what is known of all of the kernel: times, rates, counters, what it takes of a GPU
 *
 * Only what was measured is there, so that a device without a clock of meaning has no time.
 */
#include "page.h"

#include <string.h>

static void add(Numbers *all, const RunView *v, const char *title, double value, const char *text,
                const char *about)
{
    vec_push(v->arena, all, ((Number){title, text, about, value}));
}

static void add_rate(Numbers *all, const RunView *v, const char *title, double amount,
                     const char *about)
{
    const Timing *t = &v->timing;

    if (amount > 0)
        add(all, v, title, amount / t->times.median, timing_rate(v->arena, amount, t->times.median),
            about);
}

static bool is_cached(const RunView *v)
{
    return v->profile && v->profile->has_peaks && v->profile->peaks.cached;
}

static void add_times(Numbers *all, const RunView *v)
{
    Arena *a = v->arena;
    const Timing *t = &v->timing;

    if (t->times.n == 0)
        return;
    add(all, v, "time", t->times.median, timing_duration(a, t->times.median),
        arena_printf(a, "median of %d run%s, sure to %s", t->times.n, t->times.n == 1 ? "" : "s",
                     times_unsure_text(a, &t->times)));
    add_rate(all, v, "GB/s", t->stats.bytes,
             arena_printf(a, "arrays that are read and written, once each%s",
                          is_cached(v) ? ", from a cache" : ""));
    add_rate(all, v, "GFLOP/s", t->stats.flops, "float operations of the kernel itself");
    if (v->profile && v->profile->has_peaks)
        add(all, v, "roofline", profile_roofline(v->profile),
            arena_printf(a, "%.0f%%", 100 * profile_roofline(v->profile)),
            "the least time that the machine would take, by the time that it took");
}

static void add_share(Numbers *all, const RunView *v, const char *title, uint64_t part,
                      uint64_t whole, const char *about)
{
    if (whole > 0)
        add(all, v, title, (double)part / (double)whole,
            arena_printf(v->arena, "%.1f%%", 100 * (double)part / (double)whole), about);
}

static void add_counts(Numbers *all, const RunView *v)
{
    const tilec_count sum = view_counted(v);
    Arena *a = v->arena;

    if (!v->counting)
        return;
    add(all, v, "instructions", (double)sum.instructions, report_count(a, (double)sum.instructions),
        "that warps executed");
    add(all, v, "requests", (double)sum.global_lines, report_count(a, (double)sum.global_lines),
        "to the L2, each for part of a line of 128 bytes");
    add(all, v, "sectors", (double)sum.global_sectors, report_count(a, (double)sum.global_sectors),
        "of 32 bytes, that moved");
    add_share(all, v, "bank conflicts", sum.shared_extra, sum.shared_waves,
              "of the turns of shared memory's banks");
    add_share(all, v, "divergent", sum.divergent, sum.branches, "of the branches with a condition");
}

static void add_chip(Numbers *all, const RunView *v)
{
    const ChipCounters *c = v->profile ? v->profile->chip : NULL;
    ChipNumber n;

    if (c && c->problem)
        add(all, v, "counters", 0, "none",
            arena_strndup(v->arena, c->problem, strcspn(c->problem, "\n")));
    for (int i = 0; c && chip_told(c, i, &n); i++) {
        if (n.text)
            add(all, v, n.title, n.value, n.text, n.about);
    }
}

static void add_bytes(Numbers *all, const RunView *v)
{
    Arena *a = v->arena;

    if (v->timing.stats.bytes > 0)
        add(all, v, "must move", v->timing.stats.bytes, report_bytes(a, v->timing.stats.bytes),
            "arrays that are read and written, once each");
    if (view_moved(v) > 0)
        add(all, v, "moved", view_moved(v), report_bytes(a, view_moved(v)),
            "sectors of 32 bytes, between the L2 and multiprocessors");
    else if (view_asked(v) > 0)
        add(all, v, "asked for", view_asked(v), report_bytes(a, view_asked(v)),
            "by loads and stores, each time");
}

static void add_occupancy(Numbers *all, const RunView *v)
{
    const Occupancy *o = v->occupancy;
    Arena *a = v->arena;

    if (!o)
        return;
    add(all, v, "occupancy", occupancy_share(o),
        arena_printf(a, "%.0f%%", 100 * occupancy_share(o)),
        o->registers > 0 ? "of the warps that a multiprocessor has room for"
                         : "of the warps of a multiprocessor, at most: registers are not known");
    add(all, v, "waves", (double)o->grid / (double)MAX(o->wave, 1),
        arena_printf(a, "%.2g", (double)o->grid / (double)MAX(o->wave, 1)),
        arena_printf(a, "of %lld programs", (long long)o->wave));
    if (o->registers > 0)
        add(all, v, "registers", o->registers, arena_printf(a, "%d", o->registers), "of a thread");
    add(all, v, "shared memory", o->shared, report_bytes(a, o->shared), "of a program");
}

Numbers numbers_of(const RunView *v)
{
    Numbers all = {0};
    const int32_t *g = v->timing.grid;
    double programs = (double)g[0] * g[1] * g[2];

    add_times(&all, v);
    add(&all, v, "programs", programs, report_count(v->arena, programs),
        arena_printf(v->arena, "grid %d,%d,%d", g[0], g[1], g[2]));
    add_counts(&all, v);
    add_bytes(&all, v);
    add_occupancy(&all, v);
    add_chip(&all, v);
    return all;
}
