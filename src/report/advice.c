/*
 * advice.c - what to try with a kernel, by rules over what was measured
 *
 * A rule is a row of the table at the end and a function that looks for what it is about.  It says
 * nothing without a figure: on the simulator counters, on a CPU samples and the machine's roofs,
 * and of a GPU's code what it takes of a multiprocessor.  An advice weighs what it may gain at
 * most: a share of the time, as the rules of NVIDIA's Nsight Compute estimate it, of which each
 * here that has a counterpart there takes its measure.  What a resource costs that is hardly used
 * is little, so that where parts of a GPU can be weighed (effort.c) it counts for as much as that
 * is busy.
 */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

static const double worth_it = 0.05; /* of the kernel: less is not told */

void advice_add(Search *s, const char *file, int line, double weight, const char *figure)
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
                       .gains = s->rule->gains,
                       .weight = MIN(weight, 1)}));
}

double advice_share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* How busy a part of the GPU is; 1 where that is not known. */
double advice_busy(const Search *s, EffortPart part)
{
    return s->has_effort ? effort_busy(&s->effort, part) : 1;
}

/* What nobody could gain from shorter waits: the time that the busiest part takes. */
double advice_spare(const Search *s)
{
    return s->has_effort ? 1 - effort_busy(&s->effort, s->effort.most) : 1;
}

const char *advice_bytes(const Search *s, double bytes)
{
    return report_bytes(s->view->arena, bytes);
}

/* --- by what the code takes of a GPU --- */

typedef struct {
    const char *file; /* NULL: nowhere */
    int line, n;
} SpillPlace;
typedef VEC(SpillPlace) SpillPlaces;

/* `//## File "k.py", line 7`, as nvdisasm puts it above what is of that line. */
static bool read_place(const RunView *v, const char *at, const char *end, SpillPlace *out)
{
    static const char file[] = "//## File \"", line[] = "\", line ";
    const char *name = strstr(at, file);
    const char *number = name && name < end ? strstr(name, line) : NULL;

    if (!number || number > end)
        return false;
    name += strlen(file);
    *out = (SpillPlace){.file = arena_strndup(v->arena, name, (size_t)(number - name)),
                        .line = atoi(number + strlen(line))};
    return true;
}

static void count_at(const RunView *v, SpillPlaces *all, const SpillPlace *at)
{
    for (int i = 0; i < all->len; i++) {
        if (all->at[i].line == at->line && strcmp(all->at[i].file, at->file) == 0) {
            all->at[i].n++;
            return;
        }
    }
    vec_push(v->arena, all, ((SpillPlace){at->file, at->line, 1}));
}

/* The line with the most instructions that store or load a thread's own memory. */
static SpillPlace spilled_at(const RunView *v)
{
    SpillPlace now = {0}, most = {0};
    SpillPlaces all = {0};
    const char *text = "", *end;

    for (int i = 0; i < v->stages.len; i++) {
        if (strcmp(v->stages.at[i].name, "sass") == 0)
            text = v->stages.at[i].text;
    }
    for (; *text; text = end + (*end == '\n')) {
        end = text + strcspn(text, "\n");
        const char *line = arena_strndup(v->arena, text, (size_t)(end - text));
        if (!read_place(v, text, end, &now) && now.file &&
            (strstr(line, " STL") || strstr(line, " LDL")))
            count_at(v, &all, &now);
    }
    for (int i = 0; i < all.len; i++)
        most = all.at[i].n > most.n ? all.at[i] : most;
    return most;
}

/* How much of what a thread holds is in memory. */
static void look_spills(Search *s)
{
    const tilec_stats *k = &s->view->timing.stats;
    double held = k->local_bytes + 4.0 * k->registers;
    const SpillPlace at = k->local_bytes > 0 ? spilled_at(s->view) : (SpillPlace){0};

    if (k->local_bytes > 0)
        advice_add(
            s, at.file, at.line, MAX(advice_share(k->local_bytes, held), worth_it),
            arena_printf(s->view->arena,
                         "each thread keeps %d bytes in memory that its %d registers do not hold",
                         k->local_bytes, k->registers));
}

/* What there is too little of, and what takes less of it. */
static const struct {
    const char *limit, *remedy;
} limits[] = {
    {"registers", "smaller tiles, or more warps a program, leave a thread less to hold"},
    {"shared memory", "smaller tiles of products, or fewer num_stages"},
    {"programs", "more warps a program, or larger tiles: places for programs run out"},
    {"warps", "fewer warps a program: so many do not divide the places"},
};

static const char *remedy_of_limit(const Search *s, const char *limit)
{
    for (int i = 0; i < COUNT(limits); i++) {
        if (strcmp(limits[i].limit, limit) == 0)
            return limits[i].remedy;
    }
    return s->rule->remedy;
}

static void look_occupancy(Search *s)
{
    const Occupancy *o = s->view->occupancy;
    const double low = s->has_effort ? 0.8 : 0.5;

    if (!o || occupancy_share(o) >= low || o->grid < o->multiprocessors)
        return;
    int before = s->found.len;
    advice_add(
        s, NULL, 0, MIN(1 - occupancy_share(o), advice_spare(s)),
        arena_printf(s->view->arena, "%d program%s of %d warp%s at once, by %s: %.0f%% of %d warps",
                     o->programs, o->programs == 1 ? "" : "s", o->warps, o->warps == 1 ? "" : "s",
                     o->limit, 100 * occupancy_share(o), o->most_warps));
    if (s->found.len > before)
        s->found.at[before].remedy = remedy_of_limit(s, o->limit);
}

static void look_tail(Search *s)
{
    static const double some = 0.15;
    const Occupancy *o = s->view->occupancy;

    if (!o || o->waves < 2 || occupancy_tail(o) < some)
        return;
    advice_add(
        s, NULL, 0, occupancy_tail(o),
        arena_printf(s->view->arena,
                     "%lld programs are %.2f waves of %lld: %.0f%% of the time goes to places "
                     "that stay empty",
                     (long long)o->grid, (double)o->grid / (double)o->wave, (long long)o->wave,
                     100 * occupancy_tail(o)));
}

/* Where waits are counted, look_waits() has them.  Programs can ask at once for no more than all
 * that they ask for: where that of all that are resident is too little, memory waits for them, and
 * they for it. */
static void look_flight(Search *s)
{
    const RunView *v = s->view;
    const Occupancy *o = v->occupancy;
    double bytes = view_moved(v) > 0 ? view_moved(v) : v->timing.stats.bytes;

    if (!o || v->counting || bytes <= 0 || o->grid < o->wave ||
        v->timing.stats.flops > SWEEP_FLOPS_A_BYTE * bytes)
        return;
    double most = bytes / (double)o->grid * o->programs;
    if (most >= o->flight)
        return;
    advice_add(
        s, NULL, 0, 1 - most / o->flight,
        arena_printf(v->arena,
                     "the %d program%s that a multiprocessor holds ask for %s in all, and memory "
                     "is busy with %s on the way to each",
                     o->programs, o->programs == 1 ? "" : "s", advice_bytes(s, most),
                     advice_bytes(s, o->flight)));
}

/* --- of any device --- */

/* The fullest multiprocessor has most of the work, and others have less, or none. */
static double programs_idle(const Occupancy *o)
{
    int64_t rounds = (o->grid + o->multiprocessors - 1) / o->multiprocessors;

    return 1 - (double)o->grid / (double)(rounds * o->multiprocessors);
}

static void look_programs(Search *s)
{
    const RunView *v = s->view;
    const Occupancy *o = v->occupancy;
    double places = o ? (double)o->wave : v->threads;
    double programs = (double)v->timing.grid[0] * v->timing.grid[1] * v->timing.grid[2];

    if (programs <= 0 || programs >= places)
        return;
    advice_add(
        s, NULL, 0, o ? programs_idle(o) : 1 - programs / places,
        o ? arena_printf(v->arena,
                         "%.0f program%s for %d multiprocessors, on which %.0f would fit at once",
                         programs, programs == 1 ? "" : "s", o->multiprocessors, places)
          : arena_printf(v->arena, "%.0f program%s for %d threads", programs,
                         programs == 1 ? "" : "s", v->threads));
}

static void look_shape(Search *s)
{
    if (s->view->timing.hint)
        advice_add(s, NULL, 0, 0.5, s->view->timing.hint);
}

/* What is gained where each byte moves once: until another part is the busiest. */
static double gain_of_once(const Effort *e, double once)
{
    double left = once * e->cycles[EFFORT_CACHE];

    for (int i = 0; i < EFFORT_PARTS; i++) {
        if (i != EFFORT_CACHE)
            left = MAX(left, e->cycles[i]);
    }
    return (e->cycles[EFFORT_CACHE] - left) / e->total;
}

/* Arrays are read again and again, and memory is what there is too little of. */
static void look_again(Search *s)
{
    static const double often = 3, most = 0.5;
    const RunView *v = s->view;
    double must = v->timing.stats.bytes, moved = view_moved(v);

    if (must <= 0 || moved < often * must)
        return;
    advice_add(s, NULL, 0,
               s->has_effort ? gain_of_once(&s->effort, must / moved) : MIN(1 - must / moved, most),
               arena_printf(v->arena, "%s move for arrays of %s: %.1f times",
                            advice_bytes(s, moved), advice_bytes(s, must), moved / must));
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

static const double near_roof = 0.7;

/* As the chip itself has counted. */
static void look_dram(Search *s, const ChipCounters *c)
{
    const tilec_counter *busy =
        chip_counter(c, "dram__throughput.avg.pct_of_peak_sustained_elapsed");

    if (busy && busy->value >= 100 * near_roof)
        advice_add(s, NULL, 0, busy->value / 100,
                   arena_printf(s->view->arena, "the chip's memory is busy %.0f%% of the time",
                                busy->value));
}

/* Nothing is said where the kernel seems faster than that, as one does of which it is not known how
 * much of its arrays it moves. */
static void look_bytes(Search *s, const char *source)
{
    static const double possible = 1.1;
    const Profile *p = s->view->profile;
    double rate = p->timing->stats.bytes / p->timing->times.median;

    if (profile_memory(p) < near_roof || rate > possible * p->peaks.bytes)
        return;
    advice_add(s, NULL, 0, profile_memory(p),
               arena_printf(s->view->arena, "%.0f%% of what %s gives: %.1f of %.1f GB/s",
                            100 * profile_memory(p), source, rate / 1e9, p->peaks.bytes / 1e9));
}

static void look_memory(Search *s)
{
    const Profile *p = s->view->profile;

    if (p && p->chip)
        look_dram(s, p->chip);
    if (p && p->has_peaks && !p->peaks.cached)
        look_bytes(s, "memory");
}

/* Of arrays that are still there from the run before. */
static void look_cache(Search *s)
{
    const Profile *p = s->view->profile;

    if (p && p->has_peaks && p->peaks.cached)
        look_bytes(s, "the cache");
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
    advice_add(s, l->file, l->line, profile_share(p, l) * (1 - profile_roofline(p)),
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
            advice_add(
                s, NULL, 0, profile_share(p, l),
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
     "contiguous one, or a transposition by way of the tile", advice_of_coalesced, true},
    {"conflicts", "Banks of shared memory conflict",
     "another shape of the tile, or another num_warps, gives another layout", advice_of_conflicts, true},
    {"divergent", "Warps diverge",
     "a mask in place of a branch, or a condition that is the same for all of a program",
     advice_of_divergent, true},
    {"lanes", "Lanes are idle",
     "a tile with as many elements as the program has lanes, or fewer warps", advice_of_lanes, true},
    {"spills", "Registers are spilled",
     "smaller tiles, or more warps a program, leave a thread less to hold", look_spills, true},
    {"occupancy", "Few warps are resident",
     "smaller tiles or fewer num_stages, where the kernel waits for memory; products that are "
     "pipelined need few warps", look_occupancy, true},
    {"waits", "Warps wait for memory",
     "more bytes a program: larger blocks, or several tiles whose loads do not wait for each other; "
     "more warps at once", advice_of_memory_waits, true},
    {"shared", "Warps wait for shared memory and special functions",
     "fewer reductions, exchanges and exponentials in a row: larger tiles for each, or sums that are "
     "added at the end", advice_of_shared_waits, true},
    {"barriers", "Warps wait for each other",
     "fewer warps a program, or fewer reductions across all of it: a row for each warp",
     advice_of_barrier_waits, true},
    {"unit", "One unit has most of the work",
     "the same by others: exp2 and one division in place of several, sums in registers", advice_of_unit, true},
    {"apart", "Multiplications and additions are apart",
     "tl.fma(a, b, c) does both at once, and rounds once; a * b + c rounds twice, on all devices alike",
     advice_of_apart, true},
    {"tensor", "Products run without tensor cores",
     "tiles of 16 rows and columns or more, of 16-bit floats, or fp32 with "
     "input_precision=\"tf32\" where its accuracy will do", advice_of_tensor, true},
    {"flight", "Waits are not hidden",
     "more bytes a program: larger blocks, or several tiles whose loads do not wait for each other; "
     "more warps at once", look_flight, true},
    {"tail", "The last wave is short",
     "block sizes that make the programs a multiple of a wave, or programs that loop over tiles",
     look_tail, true},
    {"programs", "There are too few programs",
     "smaller blocks make more of them, if no launch is larger; a long sum can be split between "
     "programs", look_programs, true},
    {"rows", "Rows of the tiles are short", "docs/block-sizes.md", look_shape, false},
    {"again", "Memory is asked again and again",
     "larger tiles, or an order of the programs in which neighbours share what they read",
     look_again, true},
    {"memory", "Memory is the limit",
     "only fewer bytes help: narrower types, or this kernel fused with the one before it",
     look_memory, false},
    {"cache", "The cache is the limit",
     "data that other work has put out of the cache takes longer; give larger arrays to see how long; "
     "else fewer bytes: narrower types, or this kernel fused with the one before it", look_cache, false},
    {"latency", "Steps wait for each other",
     "more independent work in the line: a larger block, or several sums that are added at the end",
     look_latency, true},
    {"launching", "Launching takes much of the time",
     "more work a launch: several calls in one, or larger arrays", look_launching, true},
};
/* clang-format on */

/* The largest first; of equal ones that which the table has first. */
static void sort(Advices *all)
{
    for (int i = 1; i < all->len; i++) {
        Advice a = all->at[i];
        int k = i;

        for (; k > 0 && all->at[k - 1].weight < a.weight; k--)
            all->at[k] = all->at[k - 1];
        all->at[k] = a;
    }
}

Advices advice_find(const RunView *v)
{
    Search s = {.view = v, .sum = view_counted(v)};

    s.has_effort = effort_find(v, &s.effort);
    for (int i = 0; i < COUNT(rules); i++) {
        s.rule = &rules[i];
        rules[i].look(&s);
    }
    sort(&s.found);
    return s.found;
}
