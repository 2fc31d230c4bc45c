/*
 * label.c - defects: pixels above a threshold that touch, by a side or a corner
 *
 * Runs of such pixels are found row by row and joined to those of the row above that they touch
 * (Rosenfeld and Pfaltz, 1966; a forest of which each tree is a defect, its root the first run).
 * Since a root is always the earlier of two, defects come in the order of their first pixels, row
 * by row: the labels are those of scipy.ndimage.label with a structure of 3 x 3 ones.
 */
#include "inspect.h"

#include <stdlib.h>

typedef struct Run {
    int row, left, right; /* columns left .. right - 1 */
    unsigned peak;
} Run;

static unsigned pixel(const void *row, tilec_dtype dtype, int x)
{
    return dtype == TILEC_U8 ? ((const uint8_t *)row)[x] : ((const uint16_t *)row)[x];
}

/* Most rows of most images have none: this loop is one that compilers make vectors of. */
static bool any_above(const void *row, tilec_dtype dtype, int width, unsigned threshold)
{
    unsigned most = 0;

    if (dtype == TILEC_U8) {
        const uint8_t *p = row;
        uint8_t m = 0;

        for (int x = 0; x < width; x++)
            m = p[x] > m ? p[x] : m;
        most = m;
    } else {
        const uint16_t *p = row;
        uint16_t m = 0;

        for (int x = 0; x < width; x++)
            m = p[x] > m ? p[x] : m;
        most = m;
    }
    return most > threshold;
}

static int root(Defects *d, int i)
{
    while (d->parents[i] != i)
        i = d->parents[i] = d->parents[d->parents[i]];
    return i;
}

static void join(Defects *d, int a, int b)
{
    a = root(d, a);
    b = root(d, b);
    d->parents[a > b ? a : b] = a > b ? b : a;
}

/* Appends the runs of a row; gives how many runs there are then. */
static int find_runs(Defects *d, int n, const void *row, tilec_dtype dtype, int y, int width,
                     unsigned threshold)
{
    for (int x = 0; x < width; x++) {
        unsigned value = pixel(row, dtype, x);
        Run run = {y, x, x, value};

        if (value <= threshold)
            continue;
        for (; x < width && (value = pixel(row, dtype, x)) > threshold; x++)
            run.peak = value > run.peak ? value : run.peak;
        run.right = x;
        ROOM(d->runs, n, d->runs_cap);
        ROOM(d->parents, n, d->parents_cap);
        d->runs[n] = run;
        d->parents[n] = n;
        n++;
    }
    return n;
}

/* Joins runs begin .. end - 1 of a row to those of the row above, above .. begin - 1. */
static void join_rows(Defects *d, int above, int begin, int end)
{
    for (int a = above, b = begin; a < begin && b < end;) {
        const Run *upper = &d->runs[a], *lower = &d->runs[b];

        if (upper->left <= lower->right && lower->left <= upper->right)
            join(d, a, b);
        if (upper->right < lower->right)
            a++;
        else
            b++;
    }
}

static void add_run(Defect *defect, const Run *run)
{
    defect->area += run->right - run->left;
    defect->left = run->left < defect->left ? run->left : defect->left;
    defect->right = run->right > defect->right ? run->right : defect->right;
    defect->bottom = run->row + 1;
    defect->peak = run->peak > defect->peak ? run->peak : defect->peak;
}

/* A root becomes a defect, of which its parent then is the number, from -1 down. */
static void measure(Defects *d, int nruns)
{
    d->n = 0;
    d->area = 0;
    for (int i = 0; i < nruns; i++) {
        const Run *run = &d->runs[i];
        int number = i;

        while (number >= 0 && d->parents[number] != number)
            number = d->parents[number];
        if (number == i) {
            ROOM(d->at, d->n, d->cap);
            d->at[d->n] = (Defect){0, run->row, run->left, run->row + 1, run->right, run->peak};
            d->parents[i] = -1 - d->n;
            number = d->parents[i];
            d->n++;
        }
        add_run(&d->at[-1 - number], run);
        d->area += run->right - run->left;
    }
}

void label(Defects *d, const void *pixels, tilec_dtype dtype, int height, int width,
           unsigned threshold)
{
    const size_t row_bytes = (size_t)width * tilec_dtype_size(dtype);
    int above = 0, begin = 0;

    for (int y = 0; y < height; y++) {
        const char *row = (const char *)pixels + (size_t)y * row_bytes;
        int end = begin;

        if (any_above(row, dtype, width, threshold))
            end = find_runs(d, begin, row, dtype, y, width, threshold);
        join_rows(d, above, begin, end);
        above = begin;
        begin = end;
    }
    measure(d, begin);
}

void defects_free(Defects *d)
{
    free(d->at);
    free(d->runs);
    free(d->parents);
    *d = (Defects){0};
}
