/*
 * advice.c - what to try with a kernel, by rules over what was measured
 *
 * A rule is a row of the table at the end and a function that looks for what it is about.  It says
 * nothing without a figure: on the simulator counters, on a CPU samples and the machine's roofs,
 * and of a GPU's code what it takes of a multiprocessor.  How much weight an advice has is the
 * share of the kernel that it is about: of the time, or of what is counted.
 */
#include "report.h"

#include <stdlib.h>

enum { SECTOR = 32 };
static const double worth_it = 0.05; /* of the kernel: less is not told */

typedef struct Rule Rule;
typedef struct {
    const RunView *view;
    const Rule *rule; /* whose turn it is */
    tilec_count sum;
    Advices found;
} Search;
struct Rule {
    const char *id, *title, *remedy;
    void (*look)(Search *s);
};

static void add_at(Search *s, const char *file, int line, double weight, const char *figure)
{
    if (weight < worth_it)
        return;
    vec_push(s->view->arena, &s->found,
             ((Advice){.id = s->rule->id,
                       .title = s->rule->title,
                       .remedy = s->rule->remedy,
                       .figure = figure,
                       .file = file,
                       .line = line,
                       .weight = MIN(weight, 1)}));
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static const char *bytes_text(const Search *s, double bytes)
{
    return report_bytes(s->view->arena, bytes);
}

/* --- by counters, line by line --- */

typedef void LookAt(Search *s, const tilec_count *c);
static void each_count(Search *s, LookAt *look)
{
    const Counting *k = s->view->counting;

    for (int i = 0; k && i < k->lines.len; i++) {
        if (k->lines.at[i].file)
            look(s, &k->lines.at[i]);
    }
}

/* What moves beyond the bytes that the line wants.  Where these cannot be counted: an access of a
 * warp, of 16 bytes a lane at most, needs no more than 16 sectors, and one more where it begins
 * between two. */
static void coalesced_at(Search *s, const tilec_count *c)
{
    static const double much = 1.5, most = 17;
    const tilec_line *l = view_line(s->view, c->file, c->line);
    double moved = (double)c->global_sectors * SECTOR, all = (double)s->sum.global_sectors * SECTOR;
    double each = share((double)c->global_sectors, (double)c->global_requests);

    if (l && l->bytes > 0 && moved >= much * l->bytes)
        add_at(s, c->file, c->line, share(moved - l->bytes, all),
               arena_printf(s->view->arena,
                            "%s move in sectors of 32 bytes for the %s that are used: %.0f%%",
                            bytes_text(s, moved), bytes_text(s, l->bytes), 100 * l->bytes / moved));
    else if ((!l || l->bytes <= 0) && each > most)
        add_at(s, c->file, c->line, share(moved, all) * (1 - most / each),
               arena_printf(s->view->arena, "each access of a warp moves %.1f sectors of 32 bytes",
                            each));
}

static void look_coalesced(Search *s)
{
    each_count(s, coalesced_at);
}

static void conflicts_at(Search *s, const tilec_count *c)
{
    static const double some = 0.1;

    if ((double)c->shared_extra < some * (double)c->shared_waves)
        return;
    add_at(s, c->file, c->line, share((double)c->shared_extra, (double)s->sum.shared_waves),
           arena_printf(s->view->arena,
                        "%.0f%% of the turns of shared memory's banks are conflicts",
                        100 * share((double)c->shared_extra, (double)c->shared_waves)));
}

static void look_conflicts(Search *s)
{
    each_count(s, conflicts_at);
}

static void divergent_at(Search *s, const tilec_count *c)
{
    if (c->divergent == 0)
        return;
    add_at(s, c->file, c->line, share((double)c->divergent, (double)s->sum.branches),
           arena_printf(s->view->arena, "%.0f%% of the branches here split their warp",
                        100 * share((double)c->divergent, (double)c->branches)));
}

static void look_divergent(Search *s)
{
    each_count(s, divergent_at);
}

static void lanes_at(Search *s, const tilec_count *c)
{
    static const double most = 0.75;
    double full = 32 * (double)c->instructions, idle = full - (double)c->lanes;

    if ((double)c->lanes > most * full)
        return;
    add_at(s, c->file, c->line, share(idle, 32 * (double)s->sum.instructions),
           arena_printf(s->view->arena, "%.1f of 32 lanes take part in the instructions here",
                        share((double)c->lanes, (double)c->instructions)));
}

static void look_lanes(Search *s)
{
    each_count(s, lanes_at);
}

/* --- by what the code takes of a GPU --- */

static void look_spills(Search *s)
{
    const tilec_stats *k = &s->view->timing.stats;

    if (k->local_bytes > 0)
        add_at(
            s, NULL, 0, 0.5,
            arena_printf(s->view->arena,
                         "each thread keeps %d bytes in memory that its %d registers do not hold",
                         k->local_bytes, k->registers));
}

static void look_occupancy(Search *s)
{
    static const double low = 0.5;
    const Occupancy *o = s->view->occupancy;

    if (!o || occupancy_share(o) >= low || o->grid < o->wave)
        return;
    add_at(s, NULL, 0, 1 - occupancy_share(o),
           arena_printf(s->view->arena,
                        "%d program%s of %d warps at once, by %s: %.0f%% of %d warps", o->programs,
                        o->programs == 1 ? "" : "s", o->warps, o->limit, 100 * occupancy_share(o),
                        o->most_warps));
}

static void look_tail(Search *s)
{
    static const double some = 0.15;
    const Occupancy *o = s->view->occupancy;

    if (!o || o->waves < 2 || occupancy_tail(o) < some)
        return;
    add_at(s, NULL, 0, occupancy_tail(o),
           arena_printf(s->view->arena,
                        "%lld programs are %.2f waves of %lld: %.0f%% of the time goes to places "
                        "that stay empty",
                        (long long)o->grid, (double)o->grid / (double)o->wave, (long long)o->wave,
                        100 * occupancy_tail(o)));
}

/* Programs can ask at once for no more than all that they ask for: where that of all that are
 * resident is too little, memory waits for them, and they for it. */
static void look_flight(Search *s)
{
    const RunView *v = s->view;
    const Occupancy *o = v->occupancy;
    double bytes = view_moved(v) > 0 ? view_moved(v) : v->timing.stats.bytes;

    if (!o || bytes <= 0 || o->grid < o->wave || v->timing.stats.flops > SWEEP_FLOPS_A_BYTE * bytes)
        return;
    double most = bytes / (double)o->grid * o->programs;
    if (most >= o->flight)
        return;
    add_at(
        s, NULL, 0, 1 - most / o->flight,
        arena_printf(v->arena,
                     "the %d program%s that a multiprocessor holds ask for %s in all, and memory "
                     "is busy with %s on the way to each",
                     o->programs, o->programs == 1 ? "" : "s", bytes_text(s, most),
                     bytes_text(s, o->flight)));
}

/* --- of any device --- */

static void look_programs(Search *s)
{
    const RunView *v = s->view;
    const Occupancy *o = v->occupancy;
    double places = o ? (double)o->wave : v->threads;
    double programs = (double)v->timing.grid[0] * v->timing.grid[1] * v->timing.grid[2];

    if (programs <= 0 || programs >= places)
        return;
    add_at(
        s, NULL, 0, 1 - programs / places,
        o ? arena_printf(
                v->arena,
                "%.0f program%s, of which %.0f would fit at once: %d on each of %d multiprocessors",
                programs, programs == 1 ? "" : "s", places, o->programs, o->multiprocessors)
          : arena_printf(v->arena, "%.0f program%s for %d threads", programs,
                         programs == 1 ? "" : "s", v->threads));
}

static void look_shape(Search *s)
{
    if (s->view->timing.hint)
        add_at(s, NULL, 0, 0.5, s->view->timing.hint);
}

/* Arrays are read again and again, and memory is what there is too little of. */
static void look_again(Search *s)
{
    static const double often = 3, busy = 0.5;
    const RunView *v = s->view;
    double must = v->timing.stats.bytes, moved = view_moved(v);

    if (must <= 0 || moved < often * must)
        return;
    add_at(s, NULL, 0, MIN(1 - must / moved, busy),
           arena_printf(v->arena, "%s move for arrays of %s: %.1f times", bytes_text(s, moved),
                        bytes_text(s, must), moved / must));
}

/* --- by samples --- */

static const tilec_line *hottest(const Profile *p)
{
    for (int i = 0; i < p->lines->lines.len; i++) {
        if (p->lines->lines.at[i].file)
            return &p->lines->lines.at[i];
    }
    return NULL;
}

static void look_memory(Search *s)
{
    static const double near = 0.7;
    const Profile *p = s->view->profile;

    if (!p || !p->has_peaks || profile_memory(p) < near)
        return;
    add_at(s, NULL, 0, profile_memory(p),
           arena_printf(s->view->arena, "%.0f%% of what memory gives: %.1f of %.1f GB/s",
                        100 * profile_memory(p),
                        p->timing->stats.bytes / p->timing->times.median / 1e9,
                        p->peaks.bytes / 1e9));
}

/* Neither memory nor arithmetic is near its roof: steps wait for each other. */
static void look_latency(Search *s)
{
    static const double far = 0.3;
    const Profile *p = s->view->profile;
    const tilec_line *l = p ? hottest(p) : NULL;

    if (!l || !p->has_peaks || p->timing->stats.flops < 0 || profile_roofline(p) >= far ||
        !profile_is_sure(l))
        return;
    add_at(s, l->file, l->line, profile_share(p, l) * (1 - profile_roofline(p)),
           arena_printf(s->view->arena,
                        "%.0f%% of the roofline, and this line has %.0f%% of the time",
                        100 * profile_roofline(p), 100 * profile_share(p, l)));
}

static void look_launching(Search *s)
{
    static const double much = 0.2;
    const Profile *p = s->view->profile;

    for (int i = 0; p && p->has_peaks && i < p->lines->lines.len; i++) {
        const tilec_line *l = &p->lines->lines.at[i];

        if (!l->file && profile_is_sure(l) && profile_share(p, l) > much)
            add_at(s, NULL, 0, profile_share(p, l),
                   arena_printf(s->view->arena,
                                "%.0f%% of the time goes to launching and waiting, of runs of %s",
                                100 * profile_share(p, l),
                                timing_duration(s->view->arena, p->timing->times.median)));
    }
}

/* clang-format off */
static const Rule rules[] = {
    {"uncoalesced", "Accesses are not coalesced",
     "let neighbouring lanes take neighbouring elements: the tile's last dimension along the array's "
     "contiguous one, or a transposition by way of the tile", look_coalesced},
    {"conflicts", "Banks of shared memory conflict",
     "another shape of the tile, or another num_warps, gives another layout", look_conflicts},
    {"divergent", "Warps diverge",
     "a mask in place of a branch, or a condition that is the same for all of a program",
     look_divergent},
    {"lanes", "Lanes are idle",
     "a tile with as many elements as the program has lanes, or fewer warps", look_lanes},
    {"spills", "Registers are spilled",
     "smaller tiles, or more warps a program, leave a thread less to hold", look_spills},
    {"occupancy", "Few warps are resident",
     "smaller tiles or fewer num_stages, where the kernel waits for memory; products that are "
     "pipelined need few warps", look_occupancy},
    {"flight", "Waits are not hidden",
     "more bytes a program: larger blocks, or several tiles whose loads do not wait for each other; "
     "more warps at once", look_flight},
    {"tail", "The last wave is short",
     "block sizes that make the programs a multiple of a wave, or programs that loop over tiles",
     look_tail},
    {"programs", "There are too few programs",
     "smaller blocks make more of them, if no launch is larger; a long sum can be split between "
     "programs", look_programs},
    {"rows", "Rows of the tiles are short", "docs/block-sizes.md", look_shape},
    {"again", "Memory is asked again and again",
     "larger tiles, or an order of the programs in which neighbours share what they read",
     look_again},
    {"memory", "Memory is the limit",
     "only fewer bytes help: narrower types, or this kernel fused with the one before it",
     look_memory},
    {"latency", "Steps wait for each other",
     "more independent work in the line: a larger block, or several sums that are added at the end",
     look_latency},
    {"launching", "Launching takes much of the time",
     "more work a launch: several calls in one, or larger arrays", look_launching},
};
/* clang-format on */

static int by_weight(const void *a, const void *b)
{
    const Advice *x = a, *y = b;

    return (x->weight < y->weight) - (x->weight > y->weight);
}

Advices advice_find(const RunView *v)
{
    Search s = {.view = v, .sum = view_counted(v)};

    for (int i = 0; i < COUNT(rules); i++) {
        s.rule = &rules[i];
        rules[i].look(&s);
    }
    if (s.found.len > 0)
        qsort(s.found.at, (size_t)s.found.len, sizeof *s.found.at, by_weight);
    return s.found;
}
