/*
 * advice_counts.c - rules of advice by what the simulator counts of each line, and by how busy that
 * keeps the parts of a GPU
 */
#include "inside.h"

#include <string.h>

enum { SECTOR = 32 };

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
    double each = advice_share((double)c->global_sectors, (double)c->global_requests);

    if (l && l->bytes > 0 && moved >= much * l->bytes)
        advice_add(s, c->file, c->line, advice_share(moved - l->bytes, all),
                   arena_printf(s->view->arena,
                                "%s move in sectors of 32 bytes for the %s that are used: %.0f%%",
                                advice_bytes(s, moved), advice_bytes(s, l->bytes),
                                100 * l->bytes / moved));
    else if ((!l || l->bytes <= 0) && each > most)
        advice_add(s, c->file, c->line, advice_share(moved, all) * (1 - most / each),
                   arena_printf(s->view->arena,
                                "each access of a warp moves %.1f sectors of 32 bytes", each));
}

void advice_of_coalesced(Search *s)
{
    each_count(s, coalesced_at);
}

static void conflicts_at(Search *s, const tilec_count *c)
{
    static const double some = 0.1;

    if ((double)c->shared_extra < some * (double)c->shared_waves)
        return;
    double waits = advice_share((double)s->sum.shared_waits, (double)s->sum.cycles);
    advice_add(s, c->file, c->line,
               advice_share((double)c->shared_extra, (double)s->sum.shared_waves) *
                   MAX(advice_busy(s, EFFORT_SHARED), waits),
               arena_printf(s->view->arena,
                            "%.0f%% of the turns of shared memory's banks are conflicts",
                            100 * advice_share((double)c->shared_extra, (double)c->shared_waves)));
}

void advice_of_conflicts(Search *s)
{
    each_count(s, conflicts_at);
}

static void divergent_at(Search *s, const tilec_count *c)
{
    double full = 32 * (double)s->sum.instructions;
    double idle = full > 0 ? 1 - (double)s->sum.lanes / full : 1;

    if (c->divergent == 0)
        return;
    advice_add(s, c->file, c->line,
               MIN(advice_share((double)c->divergent, (double)s->sum.branches), idle),
               arena_printf(s->view->arena, "%.0f%% of the branches here split their warp",
                            100 * advice_share((double)c->divergent, (double)c->branches)));
}

void advice_of_divergent(Search *s)
{
    each_count(s, divergent_at);
}

static void lanes_at(Search *s, const tilec_count *c)
{
    static const double most = 0.75;
    double full = 32 * (double)c->instructions, idle = full - (double)c->lanes;

    if ((double)c->lanes > most * full)
        return;
    advice_add(s, c->file, c->line,
               advice_share(idle, 32 * (double)s->sum.instructions) * advice_busy(s, EFFORT_ISSUE),
               arena_printf(s->view->arena, "%.1f of 32 lanes take part in the instructions here",
                            advice_share((double)c->lanes, (double)c->instructions)));
}

void advice_of_lanes(Search *s)
{
    each_count(s, lanes_at);
}

/* --- by how busy parts of a GPU are --- */

typedef uint64_t WaitsOf(const tilec_count *c);
static uint64_t memory_waits(const tilec_count *c)
{
    return c->memory_waits;
}
static uint64_t shared_waits(const tilec_count *c)
{
    return c->shared_waits;
}
static uint64_t barrier_waits(const tilec_count *c)
{
    return c->barrier_waits;
}

static const tilec_count *line_with_most(const Search *s, WaitsOf *waits)
{
    const Counting *k = s->view->counting;
    const tilec_count *most = NULL;

    for (int i = 0; i < k->lines.len; i++) {
        const tilec_count *c = &k->lines.at[i];

        if (c->file && waits(c) > 0 && (!most || waits(c) > waits(most)))
            most = c;
    }
    return most;
}

/* Warps that wait, while no part of the GPU is busy enough to say that it does not matter. */
static void look_waits(Search *s, WaitsOf *waits, const char *what)
{
    static const double often = 0.3, issued = 0.8;
    double part = advice_share((double)waits(&s->sum), (double)s->sum.cycles);

    if (!s->has_effort || part < often || advice_busy(s, EFFORT_ISSUE) > issued)
        return;
    const tilec_count *at = line_with_most(s, waits);
    EffortPart most = s->effort.most;
    const char *text = arena_printf(
        s->view->arena, "%.0f%% of a warp's cycles are waits for %s%s; %s %.0f%% of the time",
        100 * part, what, at ? ", most of them here" : "", effort_name(most),
        100 * advice_busy(s, most));
    advice_add(s, at ? at->file : NULL, at ? at->line : 0, MIN(part, advice_spare(s)), text);
}

void advice_of_memory_waits(Search *s)
{
    look_waits(s, memory_waits, "what is loaded from memory");
}

void advice_of_shared_waits(Search *s)
{
    look_waits(s, shared_waits, "shared memory, other lanes and special functions");
}

void advice_of_barrier_waits(Search *s)
{
    look_waits(s, barrier_waits, "other warps at barriers");
}

/* A part that is busy where all others are not, other than memory and what issues. */
void advice_of_unit(Search *s)
{
    static const double near = 0.6;
    EffortPart most = s->effort.most, next = EFFORT_ISSUE;

    if (!s->has_effort || (most != EFFORT_SPECIAL && most != EFFORT_SHARED) ||
        advice_busy(s, most) < near)
        return;
    for (int i = 0; i < EFFORT_PARTS; i++) {
        if (i != (int)most && s->effort.cycles[i] > s->effort.cycles[next])
            next = (EffortPart)i;
    }
    advice_add(s, NULL, 0, advice_busy(s, most) - advice_busy(s, next),
               arena_printf(s->view->arena, "%s %.0f%% of the time, the next, %s, %.0f%%",
                            effort_name(most), 100 * advice_busy(s, most), effort_name(next),
                            100 * advice_busy(s, next)));
}

static void apart_at(Search *s, const tilec_count *c)
{
    static const double some = 0.05;

    if ((double)c->apart < some * (double)c->instructions)
        return;
    advice_add(
        s, c->file, c->line,
        advice_share((double)c->apart, (double)s->sum.instructions) * advice_busy(s, EFFORT_ISSUE),
        arena_printf(s->view->arena,
                     "%.0f%% of the instructions here add to a product that another one made",
                     100 * advice_share((double)c->apart, (double)c->instructions)));
}

void advice_of_apart(Search *s)
{
    each_count(s, apart_at);
}

/* The line of the IR's first product, by its places; 0: there is none. */
static int line_of_product(const RunView *v, const char **file)
{
    for (int i = 0; i < v->stages.len; i++) {
        const char *dot = strcmp(v->stages.at[i].name, "opt:places") == 0
                              ? strstr(v->stages.at[i].text, " = dot ")
                              : NULL;
        const char *end = dot ? strchr(dot, '\n') : NULL;

        for (int k = 0; dot && k < v->counting->lines.len; k++) {
            const tilec_count *c = &v->counting->lines.at[k];
            const char *text = arena_printf(v->arena, "# %s:%d", c->file ? c->file : "", c->line);
            const char *place = c->file ? strstr(dot, text) : NULL;
            if (!place || (end && place > end) || strspn(place + strlen(text), "0123456789") > 0)
                continue;
            *file = c->file;
            return c->line;
        }
    }
    return 0;
}

/* Products that multiply-add instructions of single lanes do. */
void advice_of_tensor(Search *s)
{
    static const double slower = 8; /* than tensor cores on tf32, at least */
    const char *file = NULL;
    int line = s->has_effort && s->sum.tensor == 0 ? line_of_product(s->view, &file) : 0;

    if (line > 0)
        advice_add(s, file, line, advice_busy(s, EFFORT_ISSUE) * (1 - 1 / slower),
                   arena_printf(s->view->arena,
                                "no instruction is one of the tensor cores; %s %.0f%% of the time",
                                effort_name(EFFORT_ISSUE), 100 * advice_busy(s, EFFORT_ISSUE)));
}
