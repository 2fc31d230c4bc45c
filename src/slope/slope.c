/*
 * slope.c - the slope of a function along a direction, from differences that shrink
 *
 * Central differences of steps that get smaller by four, extrapolated to the step 0 (Ridders 1982):
 * large steps are exact but for the curve of the function, small ones but for its roundings, and
 * the tableau says where between the two it is best, and how good that is.  Results are subtracted
 * one by one before they are summed, so what the step does not change adds no rounding; those of
 * weight 0, which may be no numbers, are left out.
 *
 * Where the slope jumps at the point itself, both sides keep apart as steps shrink.  A jump
 * further away is passed when steps get shorter than the way to it.
 */
#include <float.h>
#include <math.h>

#include "slope.h"

enum { LEVELS = 10, SHRINK = 4 };
#define FIRST_STEP 0x1p-6
#define SLOPE_ROUGH_BOUND                                                                          \
    1e-4 /* of the size of the slope: what is not known better is not judged */

typedef struct {
    double up, down; /* slopes of the two sides */
    double noise;    /* what the last bits of the results may come to */
} Sides;

static void evaluate_at(const SlopeWork *w, double step, double *out)
{
    const SlopeTask *t = w->task;

    for (int64_t i = 0; i < t->n; i++)
        t->x[i] = w->start[i] + step * w->along[i];
    t->evaluate(t->context, out);
}

static Sides sides_of(const SlopeWork *w, double step)
{
    Sides s = {0};

    evaluate_at(w, step, w->above);
    evaluate_at(w, -step, w->below);
    for (int64_t i = 0; i < w->task->nout; i++) {
        double weight = w->task->weights[i], above = w->above[i], below = w->below[i];

        if (weight == 0)
            continue;
        s.up += weight * (above - w->here[i]);
        s.down += weight * (w->here[i] - below);
        if (above != below)
            s.noise += fabs(weight) * (fabs(above) + fabs(below));
    }
    s.up /= step;
    s.down /= step;
    s.noise *= DBL_EPSILON / step;
    return s;
}

/* Do the sides stay apart, where a smooth function's come nearer by SHRINK? */
static bool is_kink(Sides before, Sides now)
{
    double gap = fabs(now.up - now.down), size = fmax(fabs(now.up), fabs(now.down));

    return gap > 1e-4 * size && gap > 0.5 * fabs(before.up - before.down);
}

/* The next row of the tableau, of central differences; where it is good it becomes *best. */
static void extrapolate(double *row, const double *last, int n, Sides now, Slope *best)
{
    double power = SHRINK * SHRINK;

    row[0] = (now.up + now.down) / 2;
    for (int k = 1; k <= n; k++, power *= SHRINK * SHRINK) {
        row[k] = row[k - 1] + (row[k - 1] - last[k - 1]) / (power - 1);
        double error = fmax(fabs(row[k] - row[k - 1]), fabs(row[k] - last[k - 1])) + now.noise;
        if (error < best->error)
            *best = (Slope){.kind = SLOPE_SMOOTH, .value = row[k], .error = error};
    }
}

Slope slope_along(SlopeWork *w, double size)
{
    const Slope nothing = {.kind = SLOPE_ROUGH, .error = INFINITY};
    double rows[2][LEVELS], step = FIRST_STEP;
    Sides before = {0}, now = {0};
    Slope best = nothing;
    bool jumps = false;
    int n = 0; /* levels in the tableau */

    for (int level = 0; level < LEVELS; level++, step /= SHRINK, before = now) {
        now = sides_of(w, step);
        bool is_defined = isfinite(now.up) && isfinite(now.down);
        jumps = is_defined && n > 0 && is_kink(before, now);
        if (jumps || !is_defined) { /* what larger steps gave says nothing of this point */
            best = nothing;
            n = 0;
        }
        if (!is_defined)
            continue;
        extrapolate(rows[level % 2], rows[(level + 1) % 2], n++, now, &best);
        size = fmax(size, fabs(rows[level % 2][0]));
        if (best.error <= SLOPE_BOUND / 8 * size)
            break;
    }
    if (jumps)
        best = (Slope){.kind = SLOPE_KINK,
                       .error = now.noise,
                       .least = fmin(now.up, now.down),
                       .most = fmax(now.up, now.down)};
    else if (!(best.error <= SLOPE_ROUGH_BOUND * size))
        best.kind = SLOPE_ROUGH;
    return best;
}
