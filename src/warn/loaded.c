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
 * decides no address, those that are compiled in too, and none says how many were loaded.  It is
 * not said of arrays that are indexed by what was loaded, as tables are; nor of dimensions alone
 * where a number that was loaded itself ends a loop or a mask, as lengths of sequences do; nor of
 * the last row or element alone where programs look at what those in front of them have, as a shift
 * by one does, and sums of all blocks before.
 */
#include <stdio.h>
#include <stdlib.h>

#include "warn.h"
#include "../tensor/tensor.h"

enum { MOST_FACTORS = 3, LEAST_HOLE = 16, MOST_TIMES = 4, MOST_NUMBERS = 400 };

/* --- the numbers of a launch --- */

/* Arguments, and the extents of the grid. */
typedef struct {
    int64_t at[MOST_NUMBERS];
    int n;
} Numbers;

static Numbers numbers_of(const Launch *l)
{
    Numbers n = {.n = 3};

    for (int i = 0; i < 3; i++)
        n.at[i] = l->grid[i];
    for (int i = 0; i < l->nslots && n.n < COUNT(n.at); i++) {
        if (!l->tensors[i] && l->slots[i] > 1 && l->slots[i] <= INT32_MAX)
            n.at[n.n++] = (int64_t)l->slots[i];
    }
    return n;
}

/* .. those that are compiled in, too. */
static Numbers all_numbers_of(const Launch *l, const Numbers *n)
{
    Numbers all = *n;

    for (int i = 0; i < l->nargs && all.n < COUNT(all.at); i++) {
        if (l->args[i].kind == TILEC_ARG_INT && l->args[i].integer > 1)
            all.at[all.n++] = l->args[i].integer;
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
static bool is_argument(const Launch *l, int64_t number)
{
    for (int i = 0; i < l->nargs; i++) {
        if (l->args[i].kind == TILEC_ARG_INT && l->args[i].integer == number)
            return true;
    }
    return false;
}

/* .. and no other number: of taps of a filter, for one, of which the kernel knows how many. */
static bool is_compiled_in(const Launch *l, const Numbers *n, int64_t number)
{
    return is_argument(l, number) && !is_product(n, number, 1);
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
        n += (t->shape[i] - 1) * llabs(tensor_stride(t, i));
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
static bool is_all(const Launch *l, const Numbers *n, int64_t all, int64_t first)
{
    const Numbers more = all_numbers_of(l, n);
    const Programs *p = l->programs;

    if (p->bounded_by_data || is_product(n, first, MOST_FACTORS))
        return false;
    if (is_product(n, all, MOST_FACTORS - 1))
        return true;
    return !p->indexed_by_data &&
           ((is_multiple(n, all, MOST_FACTORS - 1) && !is_multiple(n, first, MOST_FACTORS)) ||
            (is_product(&more, all, MOST_FACTORS) && !is_product(&more, first, MOST_FACTORS)));
}

/* A part of a row behind whole ones, which neither a number of the launch nor a row ends. */
static bool ends_within_row(const Launch *l, const Numbers *n, const tilec_tensor *t, int64_t first)
{
    const Numbers more = all_numbers_of(l, n);
    const Programs *p = l->programs;

    return t->ndim > 1 && span_of(t) == elements_of(t) && tensor_stride(t, t->ndim - 1) == 1 &&
           first % t->shape[t->ndim - 1] != 0 && first > t->shape[t->ndim - 1] &&
           !p->bounded_by_data && !p->indexed_by_data && !is_multiple(&more, first, MOST_FACTORS);
}

/* All rows of fewer columns than there are, one behind the other: the distance of another array. */
static int64_t taken_for_row(const Launch *l, const Numbers *n, const tilec_tensor *t,
                             int64_t first)
{
    const Numbers more = all_numbers_of(l, n);

    if (t->ndim != 2 || span_of(t) != elements_of(t) || tensor_stride(t, 1) != 1 ||
        first % t->shape[0] != 0 || t->shape[0] < 2)
        return 0;
    int64_t row = first / t->shape[0];
    return row > 1 && row < t->shape[1] && first % t->shape[1] != 0 &&
                   is_product(n, t->shape[0], 1) && is_product(&more, row, 1)
               ? row
               : 0;
}

/* Are all but the last element of one dimension the first ones? */
static bool is_all_but_last(const tilec_tensor *t, int64_t first)
{
    int64_t all = elements_of(t), row = 1;

    for (int d = t->ndim - 1; d >= 0; d--) {
        if (all - first == row)
            return true;
        row *= t->shape[d];
    }
    return false;
}

static bool warn_of_first(const Launch *l, const Numbers *n, const tilec_tensor *t,
                          const unsigned char *read)
{
    int64_t all = elements_of(t), first = first_ones(read, span_of(t));
    char what[200];

    if (first < 2 || first >= all || (l->programs->looks_back && is_all_but_last(t, first)))
        return false;
    int64_t row = taken_for_row(l, n, t, first);
    if (row > 0) {
        snprintf(what, sizeof what,
                 "its rows are %lld elements apart, and only its first %lld are loaded, as if they "
                 "were %lld apart",
                 (long long)t->shape[1], (long long)first, (long long)row);
        warn_say_of(l, t, what, "the address takes the distance of its own rows, x.stride(0)");
        return true;
    }
    if (!is_all(l, n, all, first) && !ends_within_row(l, n, t, first))
        return false;
    snprintf(what, sizeof what, "only its first %lld of %lld elements are loaded", (long long)first,
             (long long)all);
    warn_say_of(l, t, what, hint);
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
        lowest += tensor_stride(t, d) < 0 ? (t->shape[d] - 1) * tensor_stride(t, d) : 0;
    for (int64_t i = 0; i < all; i++) {
        int64_t at = -lowest;
        for (int d = 0; d < t->ndim; d++)
            at += index[d] * tensor_stride(t, d);
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
        if (t->shape[d] > 1 && tensor_stride(t, d) == 0)
            return false;
        n *= u->n[d];
    }
    return n == u->loaded;
}

/* One of the blocks of more than two programs?  Of two one may load what is in front of its own. */
static bool is_one_block(const Launch *l, const unsigned char *read, int64_t used, int64_t all)
{
    for (int i = 0; i < 3 && is_argument(l, used) && flags_end(read, all) == used; i++) {
        if (l->grid[i] > 2 && all > used * (l->grid[i] - 1) && all <= used * l->grid[i])
            return true;
    }
    return false;
}

/* There is one for each program along one axis of the grid, and as many as there are along another
 * one were loaded. */
static bool is_of_other_axis(const Launch *l, int64_t used, int64_t all)
{
    for (int i = 0; i < 3 && used > 1; i++) {
        for (int k = 0; k < 3; k++) {
            if (all == l->grid[i] && used == l->grid[k])
                return true;
        }
    }
    return false;
}

/* As many as the other one of two dimensions has: of width by the limit of height. */
static bool is_of_other_dimension(const Launch *l, const tilec_tensor *t, int d, int64_t used)
{
    for (int i = 0; i < t->ndim && t->ndim == 2; i++) {
        if (i != d && used > 1 && t->shape[i] == used && is_argument(l, t->shape[d]) &&
            is_argument(l, used))
            return true;
    }
    return false;
}

/* Integers that were loaded for indices in so many steps as a number of the launch has: pages of a
 * table, of which there may be more. */
static bool is_table(const Numbers *n, const Launch *l, const tilec_tensor *t, int64_t used)
{
    const Numbers all = all_numbers_of(l, n);

    for (int i = 0; i < all.n && l->programs->indexed_by_data && dtype_is_int((DType)t->dtype);
         i++) {
        for (int k = 0; k < all.n; k++) {
            if (all.at[k] > 1 && all.at[i] > all.at[k] &&
                (all.at[i] + all.at[k] - 1) / all.at[k] == used)
                return true;
        }
    }
    return false;
}

/* Are those along dimension `d` most likely all that there are, for the kernel? */
static bool is_short(const Launch *l, const Numbers *n, const Used *u, const tilec_tensor *t, int d)
{
    int64_t all = t->shape[d], used = u->n[d], end = flags_end(u->at[d], all);
    bool late = flags_begin_late(u->at[d], all);

    if (used == 1 && d == 0 && u->at[0][0])
        return all > 1 && (all == l->grid[0] || all == l->grid[1] || all == l->grid[2] ||
                           (t->ndim == 1 && is_compiled_in(l, n, all)));
    if (used < all && !late && end == used &&
        (is_of_other_axis(l, used, all) || is_of_other_dimension(l, t, d, used)))
        return true;
    if (used > 1 && used < all && !late && is_one_block(l, u->at[d], used, all))
        return true;
    return used > 1 && used < all && !is_table(n, l, t, used) &&
           flags_in_blocks(u->at[d], all, LEAST_HOLE) &&
           (is_product(n, all, 1) || is_argument(l, all)) && !is_product(n, used, MOST_FACTORS) &&
           !is_argument(l, used) &&
           (late || (!is_product(n, end, MOST_FACTORS) && !is_argument(l, end)));
}

/* Of integers in one dimension, which may be what ends loops and masks. */
static bool is_of_numbers(const tilec_tensor *t)
{
    return t->ndim == 1 && dtype_is_int((DType)t->dtype);
}

/* The first of a list, or of rows, of which there is one for each of a few programs. */
static bool is_one_for_all(const Launch *l, const Used *u, const tilec_tensor *t)
{
    int64_t all = t->shape[0];

    return u->n[0] == 1 && u->at[0][0] && all > 2 &&
           (all == l->grid[0] || all == l->grid[1] || all == l->grid[2]);
}

/* The first row of as many as a number of the launch says, where another array has this shape. */
static bool is_row_of_twins(const Launch *l, const Used *u, const tilec_tensor *t)
{
    bool same = t->ndim > 1 && u->n[0] == 1 && u->at[0][0] && t->shape[0] > 2 &&
                u->n[t->ndim - 1] > 1 && is_argument(l, t->shape[0]);

    for (int i = 0; same && i < l->nslots; i++) {
        const tilec_tensor *other = l->tensors[i];
        bool twin = other && other != t && other->data != t->data && other->ndim == t->ndim;
        for (int d = 0; twin && d < t->ndim; d++)
            twin = other->shape[d] == t->shape[d];
        if (twin)
            return true;
    }
    return false;
}

static void warn_of_dimensions(const Launch *l, const Numbers *n, const tilec_tensor *t,
                               const unsigned char *read)
{
    char what[200];
    Used u;

    if (t->ndim < 1 || t->ndim > MAX_RANK || !used_new(&u, t))
        return;
    used_count(&u, t, read);
    for (int d = 0; d < t->ndim && is_box(&u, t); d++) {
        bool of_axis = is_of_numbers(t) && is_of_other_axis(l, u.n[d], t->shape[d]) &&
                       flags_end(u.at[d], t->shape[d]) == u.n[d];
        bool first = d == 0 && (is_one_for_all(l, &u, t) || is_row_of_twins(l, &u, t));
        if (l->programs->looks_back && u.n[d] == t->shape[d] - 1 &&
            flags_end(u.at[d], t->shape[d]) == u.n[d])
            continue;
        if (!first && (l->programs->bounded_by_data ? !of_axis : !is_short(l, n, &u, t, d)))
            continue;
        snprintf(what, sizeof what,
                 "along dimension %d only %lld of %lld are loaded, and %lld is the first that is "
                 "not",
                 d, (long long)u.n[d], (long long)t->shape[d],
                 (long long)flags_first_clear(u.at[d]));
        warn_say_of(l, t, what, hint);
        break;
    }
    free(u.at[0]);
}

/* One element for each row (0) of what has one for each column (1), or the other way around:
 * another array has as many rows as were loaded, and as many columns as this one has elements. */
static bool is_by(int along, const Launch *l, const tilec_tensor *t, int64_t used)
{
    for (int i = 0; i < l->nslots; i++) {
        const tilec_tensor *u = l->tensors[i];
        if (u && u->ndim == 2 && u->shape[along] == used && u->shape[1 - along] == t->shape[0])
            return true;
    }
    return false;
}

static bool warn_of_row_index(const Launch *l, const tilec_tensor *t, const unsigned char *read)
{
    static const char *const names[] = {"row", "column"};
    char what[200], way[80];

    if (t->ndim != 1 || tensor_stride(t, 0) != 1 || l->programs->bounded_by_data)
        return false;
    int64_t all = t->shape[0], used = first_ones(read, all);
    bool counts = is_argument(l, all) || l->grid[0] == all;
    int along = is_by(0, l, t, used) ? 0 : 1;
    if (used < 2 || used == all || !counts || !is_by(along, l, t, used))
        return false;
    snprintf(what, sizeof what,
             "only its first %lld elements are loaded, as many as there are %ss, and it has %lld, "
             "as many as there are %ss",
             (long long)used, names[along], (long long)all, names[1 - along]);
    snprintf(way, sizeof way, "is it indexed by the %s, and not by the %s?", names[along],
             names[1 - along]);
    warn_say_of(l, t, what, way);
    return true;
}

/* Who looks up rows of a table takes those that are asked for. */
static bool is_indexed_by_data(const Launch *l, const tilec_tensor *t)
{
    for (int i = 0; i < l->nslots; i++) {
        if (l->tensors[i] == t && (l->programs->indexed >> MIN(i, 63) & 1))
            return true;
    }
    return false;
}

void warn_of_loaded(const Launch *l, const tilec_tensor *t, const unsigned char *read)
{
    const Numbers n = numbers_of(l);

    if (is_indexed_by_data(l, t))
        return;
    if (!warn_of_row_index(l, t, read) && !warn_of_first(l, &n, t, read))
        warn_of_dimensions(l, &n, t, read);
}
