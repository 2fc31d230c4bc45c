/*
 * loaded.c - what a checked launch has not loaded of an array that it only reads
 *
 * Loops that make n // BLOCK rounds leave 40 of 1000 elements, or of the columns of each row, a
 * forgotten stride loads the first 129 of 30 x 100, a forgotten offset the first row for all
 * programs, and a loop that begins at 1 all but the first: the results look like others.  Where
 * accesses are followed for races it is known which elements were loaded, and nothing else of the
 * kernel has to be.
 *
 * A part may be what was meant.  So it is said where numbers of the launch say how many there are,
 * n or rows * stride, or a few times that, as of two halves side by side, or, where what was loaded
 * decides no address, those that are compiled in too, and none says how many
 * were loaded; of dimensions alone not where a number that was loaded itself ends a loop or a mask,
 * as lengths of sequences do.
 */
#include <stdio.h>
#include <stdlib.h>

#include "api.h"

enum { MOST_FACTORS = 3, LEAST_HOLE = 16, MOST_TIMES = 4 };

/* --- the numbers of a launch --- */

/* Arguments, and the extents of the grid. */
typedef struct {
    int64_t at[2 * MAX_PARAMS + 3];
    int n;
} Numbers;

static Numbers numbers_of(const Request *r, const int32_t *grid)
{
    const Binding *b = r->binding;
    Numbers n = {.n = 3};

    for (int i = 0; i < 3; i++)
        n.at[i] = grid[i];
    for (int i = 0; i < b->nslots; i++) {
        if (!b->tensors[i] && b->slots[i] > 1 && b->slots[i] <= INT32_MAX)
            n.at[n.n++] = (int64_t)b->slots[i];
    }
    return n;
}

/* .. those that are compiled in, too. */
static Numbers all_numbers_of(const Request *r, const Numbers *n)
{
    Numbers all = *n;

    for (int i = 0; i < r->nargs && all.n < COUNT(all.at); i++) {
        if (r->args[i].kind == TILEC_ARG_INT && r->args[i].integer > 1)
            all.at[all.n++] = r->args[i].integer;
    }
    return all;
}

/* Is it a product of so many of them at most, of those from `first` on?  Each counts twice at most:
 * 8 * 8 * 8 is 512 by chance. */
static bool is_product_from(const Numbers *n, int first, bool again, int64_t number, int factors)
{
    for (int i = first; i < n->n; i++) {
        int64_t x = n->at[i];
        int next = i > first || again ? i : i + 1;
        if (x == number || (factors > 1 && x > 1 && number % x == 0 &&
                            is_product_from(n, next, false, number / x, factors - 1)))
            return true;
    }
    return false;
}

static bool is_product(const Numbers *n, int64_t number, int factors)
{
    return is_product_from(n, 0, true, number, factors);
}

/* .. or a few times that? */
static bool is_multiple(const Numbers *n, int64_t number, int factors)
{
    for (int times = 1; times <= MOST_TIMES; times++) {
        if (number % times == 0 && is_product(n, number / times, factors))
            return true;
    }
    return false;
}

/* Is it an argument, one that is compiled in too? */
static bool is_argument(const Request *r, int64_t number)
{
    for (int i = 0; i < r->nargs; i++) {
        if (r->args[i].kind == TILEC_ARG_INT && r->args[i].integer == number)
            return true;
    }
    return false;
}

/* .. and no other number: of taps of a filter, for one, of which the kernel knows how many. */
static bool is_compiled_in(const Request *r, const Numbers *n, int64_t number)
{
    return is_argument(r, number) && !is_product(n, number, 1);
}

static const char hint[] =
    "do the grid and the loops reach all of it, as tl.cdiv(n, BLOCK) does, and do the strides fit?";

/* --- the first elements --- */

static int64_t elements_of(const tilec_tensor *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->ndim; i++)
        n *= t->shape[i];
    return n;
}

/* Elements of its memory: more than its own where it has gaps. */
static int64_t span_of(const tilec_tensor *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->ndim; i++)
        n += (t->shape[i] - 1) * llabs(memory_stride(t, i));
    return n;
}

/* How many, where these are the first ones of the memory; else 0. */
static int64_t first_ones(const unsigned char *read, int64_t n)
{
    int64_t first = 0;

    while (first < n && read[first])
        first++;
    for (int64_t i = first; i < n; i++) {
        if (read[i])
            return 0;
    }
    return first;
}

/* Do numbers of the launch, such as rows * columns, say that there are so many, and none that it is
 * the first ones? */
static bool is_all(const Request *r, const Numbers *n, int64_t all, int64_t first)
{
    const Numbers more = all_numbers_of(r, n);
    const Programs *p = &r->spec->programs;

    if (p->bounded_by_data || is_product(n, first, MOST_FACTORS))
        return false;
    if (is_product(n, all, MOST_FACTORS - 1))
        return true;
    return !p->indexed_by_data &&
           ((is_multiple(n, all, MOST_FACTORS - 1) && !is_multiple(n, first, MOST_FACTORS)) ||
            (is_product(&more, all, MOST_FACTORS) && !is_product(&more, first, MOST_FACTORS)));
}

static bool warn_of_first(const Request *r, const Numbers *n, const tilec_tensor *t,
                          const unsigned char *read)
{
    int64_t all = elements_of(t), first = first_ones(read, span_of(t));
    char what[200];

    if (first < 2 || first >= all || !is_all(r, n, all, first))
        return false;
    snprintf(what, sizeof what, "only its first %lld of %lld elements are loaded", (long long)first,
             (long long)all);
    programs_say_of(r, t, what, hint);
    return true;
}

/* --- along its dimensions --- */

/* Which indices along each dimension have elements that were loaded. */
typedef struct {
    unsigned char *at[MAX_RANK];
    int64_t n[MAX_RANK]; /* how many of them */
    int64_t loaded;      /* elements in all */
} Used;

static bool used_new(Used *u, const tilec_tensor *t)
{
    int64_t room = 0;

    for (int d = 0; d < t->ndim; d++)
        room += t->shape[d];
    *u = (Used){.at = {calloc((size_t)room + 1, 1)}};
    for (int d = 1; d < t->ndim && u->at[0]; d++)
        u->at[d] = u->at[d - 1] + t->shape[d - 1];
    return u->at[0] != NULL;
}

static void used_count(Used *u, const tilec_tensor *t, const unsigned char *read)
{
    int64_t index[MAX_RANK] = {0}, lowest = 0, all = elements_of(t);

    for (int d = 0; d < t->ndim; d++)
        lowest += memory_stride(t, d) < 0 ? (t->shape[d] - 1) * memory_stride(t, d) : 0;
    for (int64_t i = 0; i < all; i++) {
        int64_t at = -lowest;
        for (int d = 0; d < t->ndim; d++)
            at += index[d] * memory_stride(t, d);
        for (int d = 0; d < t->ndim && read[at]; d++) {
            u->n[d] += !u->at[d][index[d]];
            u->at[d][index[d]] = 1;
        }
        u->loaded += read[at];
        for (int d = t->ndim - 1; d >= 0 && ++index[d] == t->shape[d]; d--)
            index[d] = 0;
    }
}

/* All that have these indices, and no others. */
static bool is_box(const Used *u, const tilec_tensor *t)
{
    int64_t n = 1;

    for (int d = 0; d < t->ndim; d++) {
        if (t->shape[d] > 1 && memory_stride(t, d) == 0)
            return false;
        n *= u->n[d];
    }
    return n == u->loaded;
}

/* One of the blocks of more than two programs?  Of two one may load what is in front of its own. */
static bool is_one_block(const Request *r, const int32_t *grid, const unsigned char *read,
                         int64_t used, int64_t all)
{
    for (int i = 0; i < 3 && is_argument(r, used) && flags_end(read, all) == used; i++) {
        if (grid[i] > 2 && all > used * (grid[i] - 1) && all <= used * grid[i])
            return true;
    }
    return false;
}

/* Are those along dimension `d` most likely all that there are, for the kernel? */
static bool is_short(const Request *r, const Numbers *n, const int32_t *grid, const Used *u,
                     const tilec_tensor *t, int d)
{
    int64_t all = t->shape[d], used = u->n[d], end = flags_end(u->at[d], all);
    bool late = flags_begin_late(u->at[d], all);

    if (used == 1 && d == 0 && u->at[0][0])
        return all > 1 && (all == grid[0] || all == grid[1] || all == grid[2] ||
                           (t->ndim == 1 && is_compiled_in(r, n, all)));
    if (used > 1 && used < all && !late && is_one_block(r, grid, u->at[d], used, all))
        return true;
    return used > 1 && used < all && flags_in_blocks(u->at[d], all, LEAST_HOLE) &&
           (is_product(n, all, 1) || is_argument(r, all)) && !is_product(n, used, MOST_FACTORS) &&
           !is_argument(r, used) &&
           (late || (!is_product(n, end, MOST_FACTORS) && !is_argument(r, end)));
}

static void warn_of_dimensions(const Request *r, const Numbers *n, const int32_t *grid,
                               const tilec_tensor *t, const unsigned char *read)
{
    char what[200];
    Used u;

    if (r->spec->programs.bounded_by_data || t->ndim < 1 || t->ndim > MAX_RANK || !used_new(&u, t))
        return;
    used_count(&u, t, read);
    for (int d = 0; d < t->ndim && is_box(&u, t); d++) {
        if (!is_short(r, n, grid, &u, t, d))
            continue;
        snprintf(what, sizeof what,
                 "along dimension %d only %lld of %lld are loaded, and %lld is the first that is "
                 "not",
                 d, (long long)u.n[d], (long long)t->shape[d],
                 (long long)flags_first_clear(u.at[d]));
        programs_say_of(r, t, what, hint);
        break;
    }
    free(u.at[0]);
}

void loaded_warn(const Request *r, const int32_t *grid, const tilec_tensor *t,
                 const unsigned char *read)
{
    const Numbers n = numbers_of(r, grid);

    if (!warn_of_first(r, &n, t, read))
        warn_of_dimensions(r, &n, grid, t, read);
}
