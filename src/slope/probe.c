/*
 * probe.c - a gradient against slopes along random directions, and at single elements
 *
 * A direction moves all elements at once, up or down by chance, each by a part of itself, so that
 * signs and domains stay; every element of the gradient counts in its slope.  Where that is wrong,
 * halves of the direction lead to an element that is.  Single elements, some by chance, are looked
 * at by themselves.
 */
#include <math.h>
#include <string.h>

#include "slope.h"

enum { DIRECTIONS = 4, ELEMENTS = 16 };

typedef struct {
    SlopeWork w;
    const SlopeTask *task;
    SlopeReport report;
    uint64_t random;
    bool leaves_out;            /* does it leave out results? */
    double least;               /* the shortest that an element moves */
    double size;                /* of the claimed slope along all: the root of the squares' sum */
    double *whole;              /* the direction, all elements of it */
    int64_t seen[ELEMENTS + 2]; /* elements that were looked at: as many as the report says */
} Probe;

/* splitmix64, by G. Steele and others 2014 */
static uint64_t next_random(Probe *p)
{
    uint64_t z = p->random += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static double length_of(const Probe *p, int64_t i)
{
    return fmax(fabs(p->w.start[i]), p->least);
}

static void measure(Probe *p)
{
    double squares = 0;
    int64_t n = p->task->n;

    for (int64_t i = 0; i < n; i++)
        squares += p->w.start[i] * p->w.start[i];
    for (int64_t i = 0; i < p->task->nout; i++)
        p->leaves_out |= p->task->weights[i] == 0;
    p->least = squares > 0 ? sqrt(squares / (double)n) / 16 : 1;
    squares = 0;
    for (int64_t i = 0; i < n; i++) {
        double part = p->task->claimed[i] * length_of(p, i);
        squares += isfinite(part) ? part * part : 0;
    }
    p->size = sqrt(squares);
}

/* The claimed slope along elements first to end of the direction, which is w.along from now on. */
static double choose(Probe *p, int64_t first, int64_t end)
{
    double sum = 0;

    memset(p->w.along, 0, sizeof(double) * (size_t)p->task->n);
    for (int64_t i = first; i < end; i++) {
        p->w.along[i] = p->whole[i];
        sum += p->whole[i] == 0 ? 0 : p->task->claimed[i] * p->whole[i];
    }
    return sum;
}

/* How far the claim is off, beyond what is not known; 0: not at all. */
static double distance(const Slope *s, double claimed, double bound)
{
    double off = s->kind == SLOPE_KINK ? fmax(s->least - claimed, claimed - s->most)
                                       : fabs(s->value - claimed);

    if (s->kind == SLOPE_ROUGH)
        return 0;
    return off > bound + 4 * s->error || isnan(off) ? off : 0;
}

static double larger_size(const Slope *s, double size)
{
    return s->kind == SLOPE_SMOOTH ? fmax(size, fabs(s->value)) : size;
}

static void settle(Probe *p, const Slope *s, double off, double claimed, double size)
{
    if (off == 0 && s->kind == SLOPE_SMOOTH && size > 0)
        p->report.largest = fmax(p->report.largest, fabs(s->value - claimed) / size);
}

static bool is_seen(const Probe *p, int64_t i)
{
    for (int k = 0; k < p->report.elements; k++) {
        if (p->seen[k] == i)
            return true;
    }
    return false;
}

static void look_at_element(Probe *p, int64_t i)
{
    double length = length_of(p, i), claimed = p->task->claimed[i] * length;
    double usual = p->size / sqrt((double)p->task->n);

    memset(p->w.along, 0, sizeof(double) * (size_t)p->task->n);
    p->w.along[i] = length;
    Slope s = slope_along(&p->w, usual);
    if (p->leaves_out && !isfinite(claimed))
        s.kind = SLOPE_ROUGH; /* 0 times what is no number */
    double size = larger_size(&s, isfinite(claimed) ? fmax(usual, fabs(claimed)) : usual);
    double off = distance(&s, claimed, SLOPE_BOUND * size);
    settle(p, &s, off, claimed, size);
    p->seen[p->report.elements++] = i;
    p->report.kinks += s.kind == SLOPE_KINK;
    p->report.rough += s.kind == SLOPE_ROUGH;
    if (off == 0)
        return;
    p->report.wrong_elements++;
    off = isfinite(off) && size > 0 ? off / size : INFINITY;
    double found = s.kind == SLOPE_SMOOTH ? s.value : claimed < s.least ? s.least : s.most;
    if (p->report.worst.at < 0 || off > p->report.worst.off)
        p->report.worst = (SlopeAt){i, p->task->claimed[i], found / length, off};
}

/* The element with which the larger part of the difference stays, from half to half. */
static int64_t follow(Probe *p, double off)
{
    int64_t first = 0, end = p->task->n;

    while (end - first > 1) {
        int64_t middle = first + (end - first) / 2;
        double claimed = choose(p, first, middle);
        Slope s = slope_along(&p->w, p->size);
        double left = s.kind == SLOPE_SMOOTH ? s.value - claimed : 0;

        if (fabs(left) >= fabs(off - left)) {
            end = middle;
            off = left;
        } else {
            first = middle;
            off -= left;
        }
    }
    return first;
}

/* All elements up or down; those of which the claim is no number have been looked at. */
static bool choose_signs(Probe *p)
{
    int64_t moved = 0;

    for (int64_t i = 0; i < p->task->n; i++) {
        double sign = next_random(p) & 1 ? 1 : -1;
        bool moves = isfinite(p->task->claimed[i]);
        p->whole[i] = moves ? sign * length_of(p, i) : 0;
        moved += moves;
    }
    return moved > 0;
}

static void look_along(Probe *p)
{
    if (!choose_signs(p))
        return;
    double claimed = choose(p, 0, p->task->n);
    Slope s = slope_along(&p->w, p->size);
    double size = larger_size(&s, p->size);
    if (s.kind != SLOPE_SMOOTH) /* of kinks of both signs the sides say nothing */
        return;
    p->report.directions++;
    double off = distance(&s, claimed, SLOPE_BOUND * size);
    settle(p, &s, off, claimed, size);
    if (off == 0)
        return;
    p->report.wrong_directions++;
    if (p->report.worst.at >= 0)
        return;
    int64_t at = follow(p, s.value - claimed);
    if (!is_seen(p, at))
        look_at_element(p, at);
}

/* Elements by chance, until there are as many; all where there are few. */
static void look_at_elements(Probe *p)
{
    int64_t n = p->task->n, next = 0;

    while (p->report.elements < MIN(n, ELEMENTS)) {
        int64_t i = n <= ELEMENTS ? next++ : (int64_t)(next_random(p) % (uint64_t)n);
        if (!is_seen(p, i))
            look_at_element(p, i);
    }
}

/* What is no number is wrong wherever the function has a slope. */
static void look_at_nan(Probe *p)
{
    for (int64_t i = 0; i < p->task->n; i++) {
        if (!isfinite(p->task->claimed[i])) {
            look_at_element(p, i);
            return;
        }
    }
}

SlopeReport slope_check(const SlopeTask *t, Arena *a)
{
    Probe p = {.task = t, .random = t->seed, .report.worst.at = -1};

    p.w = (SlopeWork){.task = t,
                      .start = NEW_N(a, double, t->n + 1),
                      .along = NEW_N(a, double, t->n + 1),
                      .here = NEW_N(a, double, t->nout + 1),
                      .above = NEW_N(a, double, t->nout + 1),
                      .below = NEW_N(a, double, t->nout + 1)};
    p.whole = NEW_N(a, double, t->n + 1);
    memcpy(p.w.start, t->x, sizeof(double) * (size_t)t->n);
    t->evaluate(t->context, p.w.here);
    measure(&p);
    look_at_nan(&p);
    for (int i = 0; i < DIRECTIONS && t->n > 1 && p.report.worst.off != INFINITY; i++)
        look_along(&p);
    look_at_elements(&p);
    memcpy(t->x, p.w.start, sizeof(double) * (size_t)t->n);
    return p.report;
}
