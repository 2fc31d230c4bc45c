/*
 * plan_strips.c - which tiles are gone through in strips of columns
 *
 * A tile is gone through row by row: each has its own bounds, and what its columns come to, in a
 * sum over axis 0, is read from a buffer and written back.  Where that is what a nest is for, the
 * two innermost loops change places: a strip of as many columns as the bodies have keeps its sums
 * in registers from the first row to the last.  What cuts the columns is found once for all rows.
 *
 * A scan's nest writes what it reads, and a strip of a part of each row would go to memory for
 * parts of lines, and come back for the rest of them: it has one strip that is as wide as the rows,
 * or none.
 *
 * Where the loop around these two reads the same vectors in each trip, as of `b` in the largest
 * `a[:, :, None] + b[None]` along axis 1, several trips, *planes*, go through a strip together: a
 * vector is read once for all, and more of what is combined is on its way at once.
 *
 * It takes a nest whose reductions or scan run along that loop, whose rows are cut alike, and
 * nothing that is done once a row.  Bounds of whole rows, `rows < height`, stay: they are asked row
 * by row.
 */
#include "plan_internal.h"

static bool differs_by_row(const Nest *n, const Entry *cut)
{
    return cut->kind == MAKE_CUT && cut->level == n->rank - 1;
}

/* A reduction or scan along the rows, which at least one has to be, or what is done element by
 * element. */
static bool fits(const Nest *n, const Root *r, bool *combines)
{
    bool along = r->kind == ROOT_REDUCE || r->kind == ROOT_SCAN;

    *combines |= along;
    if (along)
        return r->combining.along == ALONG_ROWS && attr_axis(r->op) == n->order[n->rank - 2];
    return r->kind == ROOT_FILL || r->kind == ROOT_STORE;
}

/* Where such a bound is false, so are all masks: the row is dead. */
static bool ends_row(const Nest *n, const Entry *cut)
{
    const Bound *b = &n->bounds.at[cut->number];

    return b->kind == BOUND_ROW && b->is_last;
}

static bool rows_are_alike(const Nest *n)
{
    const Schedule *s = n->schedule;

    for (int i = 0; i < s->entries.len; i++) {
        const Entry *e = &s->entries.at[i];
        if (e->kind == MAKE_SOME || e->kind == MAKE_REST ||
            (differs_by_row(n, e) && !ends_row(n, e)))
            return false;
    }
    return true;
}

/* As far as that is known before there is a schedule. */
static bool may_go_in_strips(const Nest *n)
{
    bool combines = false;

    if (n->rank < 2 || n->serial || n->backwards || n->keep != 0 || n->pieces.len > 0 ||
        n->dims[n->order[n->rank - 2]] < 2)
        return false;
    for (int i = 0; i < n->roots.len; i++) {
        if (!fits(n, &n->roots.at[i], &combines))
            return false;
    }
    return combines;
}

/* Vectors in which a copy keeps what it combines. */
static int running_vectors(const Plan *p, const Nest *n)
{
    int vectors = 0;

    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        if (r->kind == ROOT_REDUCE || r->kind == ROOT_SCAN)
            vectors += r->op->noperands;
    }
    return vectors * (n->lanes / plan_full_lanes(p, n));
}

static bool scans(const Nest *n)
{
    return n->roots.at[0].kind == ROOT_SCAN;
}

static int row_length(const Nest *n)
{
    return n->dims[n->order[n->rank - 1]];
}

static bool is_one_strip(const Nest *n)
{
    return n->lanes * n->unroll >= row_length(n);
}

/* As many copies as a row has vectors, or half of them of two registers each. */
static void fit_row(const Plan *p, Nest *n)
{
    int full = plan_full_lanes(p, n), vectors = row_length(n) / full, wide = 1;

    if (is_one_strip(n) || n->branches || row_length(n) % full != 0)
        return;
    if (vectors > MAX_UNROLL && vectors % 2 == 0 && 2 * full <= p->machine.vector_bytes)
        wide = 2;
    int copies = vectors / wide, work = n->work + n->roots.len;
    if (vectors % wide != 0 || copies > MAX_UNROLL ||
        vectors * work > REGISTER_WORK * p->machine.registers ||
        vectors * n->roots.at[0].op->noperands > p->machine.registers / 2)
        return;
    n->lanes = wide * full;
    n->unroll = copies;
}

/* Half of the registers hold what is combined, where the work leaves as many copies: a wider strip
 * asks memory for more at once, and for fewer rows. */
void plan_widen_strips(const Plan *p, Nest *n)
{
    int extent = row_length(n);

    if (may_go_in_strips(n) && scans(n)) {
        fit_row(p, n);
        return;
    }
    if (!may_go_in_strips(n) || n->unroll < MAX_UNROLL || n->lanes < plan_full_lanes(p, n))
        return;
    while (2 * n->lanes * n->unroll <= extent && 2 * n->lanes <= p->machine.vector_bytes &&
           2 * n->unroll * running_vectors(p, n) <= p->machine.registers / 2)
        n->lanes *= 2;
}

/* Is each of the roots a reduction by one op, of what is one number for all that is dead? */
static bool dead_is_alike(const Nest *n)
{
    const Schedule *s = n->schedule;

    for (int i = 0; i < s->part[PART_DEAD].len; i++) {
        const Entry *e = &s->entries.at[s->part[PART_DEAD].at[i]];
        if (e->kind != MAKE_ROOT)
            continue;
        const Root *r = &n->roots.at[e->number];
        OpCode op = r->combining.kind.neutral;
        if (r->kind != ROOT_REDUCE || op == OP_COUNT || op == OP_mul || op == OP_xor ||
            s->entries.at[e->in[0]].level > 0)
            return false;
    }
    return true;
}

/* --- planes --- */

/* A vector that is the same for all planes. */
static bool shares_vectors(const Nest *n)
{
    for (int i = 0; n->rank > 2 && i < n->leaves.len; i++) {
        const Leaf *leaf = &n->leaves.at[i];
        int inner = n->order[n->rank - 1], plane = n->order[n->rank - 3];
        bool along = false, apart = false;
        for (int d = 0; d < leaf->value->type->rank; d++) {
            along |= leaf->map[d] == inner;
            apart |= leaf->map[d] == plane;
        }
        if (along && !apart)
            return true;
    }
    return false;
}

static bool only_reduces(const Nest *n)
{
    for (int i = 0; i < n->roots.len; i++) {
        if (n->roots.at[i].kind != ROOT_REDUCE)
            return false;
    }
    return true;
}

/* As many as leave half of the registers to what is combined. */
static int planes_of(const Plan *p, const Nest *n)
{
    int planes = MAX_PLANES;

    if (!n->schedule->strips || n->branches || !only_reduces(n) || !shares_vectors(n))
        return 1;
    int running = n->unroll * running_vectors(p, n), extent = n->dims[n->order[n->rank - 3]];
    while (planes > 1 && (extent % planes != 0 || planes * running > p->machine.registers / 2))
        planes /= 2;
    return planes;
}

/* --- floats to be picked --- */

enum { LEAST_PICKED = 8 /* rows, or looking at what was picked takes as long */ };

/* Maxima and minima that leave NaN out take three instructions, and one where one of both is known
 * to be a number.  Of 0 and -0 the later row's is wanted, which is the one that is there if the
 * rows come from the last to the first.  Memory does not like that, so each vector has to be read
 * several times. */
static bool only_picks(const Nest *n)
{
    if (!n->schedule->strips || n->dims[n->order[n->rank - 2]] < LEAST_PICKED || !shares_vectors(n))
        return false;
    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        OpCode by = r->combining.kind.neutral;
        if (r->kind != ROOT_REDUCE || (by != OP_max && by != OP_min) ||
            !dtype_is_float(r->op->operands[0]->type->dtype))
            return false;
    }
    return true;
}

bool plan_planes_are_alike(const Nest *n)
{
    for (int i = 0; i < n->schedule->entries.len; i++) {
        const Entry *e = &n->schedule->entries.at[i];
        if (e->kind == MAKE_CUT && e->level >= n->rank - 2)
            return false;
    }
    return true;
}

void plan_strips(const Plan *p, Nest *n)
{
    n->schedule->strips = may_go_in_strips(n) && !n->schedule->edges && n->schedule->rows == 1 &&
                          rows_are_alike(n) && (!scans(n) || is_one_strip(n));
    n->schedule->alike = n->schedule->strips && dead_is_alike(n);
    n->schedule->picks = only_picks(n);
    n->schedule->planes = planes_of(p, n);
}
