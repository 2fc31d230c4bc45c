/*
 * plan_line.c - rows whose vectors begin where a line of the cache does
 *
 * A store around the cache is of whole lines.  Where nobody knows at which place of a line a row
 * begins, as in a matrix of 781 columns, the few elements in front of the first line, and behind
 * the last whole one, are stored the usual way, under masks, and what is between goes around the
 * cache.  So vectors begin anywhere in the tile, and may neither be taken for chunks of it nor be
 * combined to anything: it is for nests that store, to one such row, what they read from others.
 *
 * Into the cache such a row is stored without masks: its first vector is where it begins, and the
 * next one, which may overlap it, where a vector's own place in memory is (Schedule.again).  Else
 * every second vector of AVX2 would lie in two lines, and each of AVX-512.
 */
#include <string.h>

#include "plan_internal.h"

/* Beside fewer lines two that are stored in part are too many. */
enum { LEAST_LINES = 16 };

/* May vectors of it begin at any element? */
static bool goes_anywhere(const AccessPlan *a)
{
    return a->form == FORM_UNIFORM || a->form == FORM_SHARED ||
           (a->form == FORM_CONTIGUOUS && !a->steps.chunked);
}

static bool all_go_anywhere(const Nest *n)
{
    for (int i = 0; i < n->leaves.len; i++) {
        const AccessPlan *a = n->leaves.at[i].access;
        if (a && !goes_anywhere(a))
            return false;
    }
    for (int i = 0; i < n->roots.len; i++) {
        if (n->roots.at[i].kind != ROOT_STORE || !goes_anywhere(n->roots.at[i].access))
            return false;
    }
    for (int i = 0; i < n->bounds.len; i++) {
        if (n->bounds.at[i].kind == BOUND_FROM)
            return false;
    }
    return true;
}

bool plan_sees_stores(const Plan *p, const Nest *n, const Op *load)
{
    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        if (r->kind != ROOT_STORE)
            continue;
        if (!p->bases || (ir_bases_of(p->bases, plan_pointer(load)) &
                          ir_bases_of(p->bases, plan_pointer(r->op))) != 0)
            return true;
    }
    return false;
}

/* Does it read what it stores to, so that no element may be computed twice? */
static bool sees_stores(const Plan *p, const Nest *n)
{
    for (int i = 0; i < n->leaves.len; i++) {
        if (n->leaves.at[i].load && plan_sees_stores(p, n, n->leaves.at[i].value->def))
            return true;
    }
    return false;
}

/* Of a row at any place of a line, or one that is stored around the cache in smaller pieces. */
static bool lacks_lines(const Plan *p, const Nest *n, const Root *r)
{
    const Value *ptr = r->op->operands[STORE_PTR];
    int size = dtype_size(ptr->type->dtype);
    bool is_aligned = r->access->align >= MIN(NT_LINE, size * n->lanes);

    return r->access->form == FORM_CONTIGUOUS && (!r->access->streaming || !is_aligned) &&
           size * n->lanes >= NT_LEAST &&
           (int64_t)n->dims[n->order[n->rank - 1]] * size >= LEAST_LINES * NT_LINE &&
           !plan_stores_in_place(p, ptr);
}

/* The one store whose lines they are, if no other one goes around the cache without; or -1. */
static int store_of_lines(const Plan *p, const Nest *n)
{
    int found = -1;

    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        bool lacks = lacks_lines(p, n, r);
        if (r->access->streaming && (!lacks || found >= 0))
            return -1;
        found = lacks && found < 0 ? i : found;
    }
    return found;
}

static void find_again(Plan *p, Nest *n, int lined)
{
    n->lined = lined;
    memset(&n->bounds, 0, sizeof n->bounds);
    n->space = plan_space(p, n);
    plan_accesses(p, n);
}

static bool may_have_lines(const Plan *p, const Nest *n)
{
    return !n->serial && n->lanes > 1 && n->keep == 0 && !p->options->debug && all_go_anywhere(n);
}

/* To the lines of that store; false: it cannot be. */
static bool go_by_lines(Plan *p, Nest *n, int store)
{
    if (store < 0)
        return false;
    find_again(p, n, 1 + store);
    if (all_go_anywhere(n))
        return true;
    find_again(p, n, 0);
    return false;
}

void plan_lines(Plan *p, Nest *n)
{
    if (!p->options->streaming || !may_have_lines(p, n))
        return;
    int store = store_of_lines(p, n);
    if (!go_by_lines(p, n, store))
        return;
    AccessPlan *a = n->roots.at[store].access;
    a->streaming = true;
    a->align = MIN(NT_LINE,
                   dtype_size(n->roots.at[store].op->operands[STORE_PTR]->type->dtype) * n->lanes);
}

/* Is none of its stores aligned as it is, or goes around the cache? */
static bool is_aligned_nowhere(const Nest *n)
{
    bool nowhere = true;

    for (int i = 0; i < n->roots.len && nowhere; i++) {
        const AccessPlan *a = n->roots.at[i].access;
        const Value *ptr = n->roots.at[i].op->operands[STORE_PTR];
        nowhere = !a->streaming && a->align < MIN(NT_LINE, dtype_size(ptr->type->dtype) * n->lanes);
    }
    return nowhere;
}

void plan_lines_in_cache(Plan *p, Nest *n)
{
    if (n->lined == 0 && n->pieces.len == 0 && may_have_lines(p, n) && is_aligned_nowhere(n) &&
        !sees_stores(p, n))
        go_by_lines(p, n, store_of_lines(p, n));
}

bool plan_drop_lines(Plan *p, Nest *n)
{
    if (n->lined == 0 || n->schedule->again || n->roots.at[n->lined - 1].access->streaming)
        return false;
    find_again(p, n, 0);
    return true;
}
