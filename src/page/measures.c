/*
 * measures.c - what is known of each line, as columns: shares of samples and rates on a CPU,
 * counters on the simulator, and what a line does where that is all that is known
 *
 * A column is a row of a table here: its title, what it is, and a function that gives the number of
 * a line.  How much colour a cell has is its number by the largest in the column.
 */
#include "page.h"

#include <math.h>
#include <string.h>

/* One line of the source, from where it is known; either may be NULL. */
typedef struct {
    const RunView *view;
    const tilec_line *line;
    const tilec_count *count;
} Of;
typedef struct {
    const char *title, *about, *form; /* of printf, for the number; NULL: bytes; "t": a time */
    double (*number)(const Of *of);   /* not above 0: there is nothing to tell */
    double scale;                     /* a number that is all the colour there is; 0: the largest */
} Column;

/* --- of a CPU --- */

static double share_of(const Of *of)
{
    return 100 * profile_share(of->view->profile, of->line);
}

static double seconds_of(const Of *of)
{
    return profile_time(of->view->profile, of->line);
}

static double rate_of(const Of *of, double amount)
{
    return profile_is_sure(of->line) ? amount / seconds_of(of) / 1e9 : 0;
}

static double bytes_rate_of(const Of *of)
{
    return rate_of(of, of->line->bytes);
}

static double flops_rate_of(const Of *of)
{
    return rate_of(of, of->line->flops);
}

static double roofline_of(const Of *of)
{
    const Profile *p = of->view->profile;

    return p->has_peaks ? 100 * profile_line_roofline(p, of->line) : 0;
}

static double ipc_of(const Of *of)
{
    return of->line->cycles > 0 ? of->line->instructions / of->line->cycles : 0;
}

static const Column of_samples[] = {
    {"share", "of the samples", "%.1f%%", share_of, 0},
    {"time", "the share of the median of all runs", "t", seconds_of, 0},
    {"GB/s", "bytes of the elements that the line reads and writes, by its time", "%.2f",
     bytes_rate_of, 0},
    {"GFLOP/s", "float operations, by its time", "%.2f", flops_rate_of, 0},
    {"roof", "of what the nearest cache and arithmetic would allow", "%.0f%%", roofline_of, 100},
    {"IPC", "instructions a cycle", "%.2f", ipc_of, 0},
};

/* --- of the simulator --- */

static double instructions_of(const Of *of)
{
    return (double)of->count->instructions;
}

static double lanes_of(const Of *of)
{
    return (double)of->count->lanes / (double)of->count->instructions;
}

static double requests_of(const Of *of)
{
    return (double)of->count->global_lines;
}

static double sectors_of(const Of *of)
{
    return (double)of->count->global_sectors;
}

/* Of the bytes that move for the line. */
static double used_of(const Of *of)
{
    double moved = 32 * sectors_of(of);

    return of->line && moved > 0 ? MIN(100 * of->line->bytes / moved, 100) : 0;
}

static double waves_of(const Of *of)
{
    return (double)of->count->shared_waves;
}

static double conflicts_of(const Of *of)
{
    return (double)of->count->shared_extra;
}

static double divergent_of(const Of *of)
{
    return (double)of->count->divergent;
}

/* Of all cycles of warps. */
static double waits_of(const Of *of)
{
    const tilec_count *c = of->count, sum = view_counted(of->view);
    uint64_t waits = c->memory_waits + c->shared_waits + c->barrier_waits;

    return sum.cycles > 0 ? 100 * (double)waits / (double)sum.cycles : 0;
}

static const Column of_counts[] = {
    {"instr.", "instructions that warps executed", "%.0f", instructions_of, 0},
    {"lanes", "of 32, that took part in them, on average", "%.1f", lanes_of, 32},
    {"req.", "requests to the L2, each for part of a line of 128 bytes", "%.0f", requests_of, 0},
    {"sect.", "sectors of 32 bytes, that moved", "%.0f", sectors_of, 0},
    {"used", "of the bytes that moved; 100% where an element was wanted more than once", "%.0f%%",
     used_of, 100},
    {"waves", "turns of the banks of shared memory", "%.0f", waves_of, 0},
    {"confl.", "turns that bank conflicts cost", "%.0f", conflicts_of, 0},
    {"div.", "branches that split a warp", "%.0f", divergent_of, 0},
    {"wait",
     "of the cycles of warps, which wait here for memory, shared memory or each other; a model",
     "%.1f%%", waits_of, 0},
};

/* --- of what is only compiled and timed --- */

static double bytes_of(const Of *of)
{
    return of->line->bytes;
}

static double flops_of(const Of *of)
{
    return of->line->flops;
}

static const Column of_work[] = {
    {"bytes", "of the elements that the line reads and writes", NULL, bytes_of, 0},
    {"flops", "float operations", "%.3g", flops_of, 0},
};

/* --- the table --- */

static const char *cell_text(Arena *a, const Column *c, double v)
{
    if (v <= 0)
        return "";
    if (!c->form)
        return report_bytes(a, v);
    if (strcmp(c->form, "t") == 0)
        return timing_duration(a, v);
    return arena_printf(a, c->form, v);
}

/* Columns in which no line has anything are left out. */
static void add_column(const RunView *v, Measures *m, const Column *c, const Of *of)
{
    double most = c->scale;
    bool is_empty = true;

    for (int i = 0; i < m->lines.len; i++) {
        double number = c->number(&of[i]);
        most = c->scale > 0 ? most : MAX(most, number);
        is_empty &= !(number > 0);
    }
    if (is_empty)
        return;
    m->titles[m->n] = c->title;
    m->abouts[m->n] = c->about;
    for (int i = 0; i < m->lines.len; i++) {
        double number = c->number(&of[i]);
        m->lines.at[i].cells[m->n] =
            (Cell){cell_text(v->arena, c, number), MAX(0, MIN(number / most, 1))};
    }
    m->n++;
}

static Of *lines_of_counts(const RunView *v, Measures *m)
{
    const Counting *k = v->counting;
    VEC(Of) of = {0};
    tilec_count *rest = NEW(v->arena, tilec_count);

    *rest = (tilec_count){0};
    for (int i = 0; i < k->lines.len; i++) {
        const tilec_count *c = &k->lines.at[i];

        if (!c->file) {
            counting_sum(rest, c);
            continue;
        }
        vec_push(v->arena, &of, ((Of){v, view_line(v, c->file, c->line), c}));
        vec_push(v->arena, &m->lines, ((MeasuredLine){.file = c->file, .line = c->line}));
    }
    if (rest->instructions > 0) {
        vec_push(v->arena, &of, ((Of){v, NULL, rest}));
        vec_push(v->arena, &m->lines, ((MeasuredLine){.file = NULL}));
    }
    return of.at;
}

static Of *lines_of_work(const RunView *v, Measures *m)
{
    VEC(Of) of = {0};

    for (int i = 0; v->lines && i < v->lines->lines.len; i++) {
        const tilec_line *l = &v->lines->lines.at[i];
        vec_push(v->arena, &of, ((Of){v, l, NULL}));
        vec_push(v->arena, &m->lines, ((MeasuredLine){.file = l->file, .line = l->line}));
    }
    return of.at;
}

Measures measures_of(const RunView *v)
{
    Measures m = {.rest = v->counting ? "in no line of the source" : "launching, waiting"};
    const Column *columns = v->counting ? of_counts : v->profile ? of_samples : of_work;
    int n = v->counting ? COUNT(of_counts) : v->profile ? COUNT(of_samples) : COUNT(of_work);
    const Of *of = v->counting ? lines_of_counts(v, &m) : lines_of_work(v, &m);

    for (int i = 0; i < n; i++)
        add_column(v, &m, &columns[i], of);
    return m;
}
