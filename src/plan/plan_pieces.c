/*
 * plan_pieces.c - which rows are gone through in pieces, in which quotients of their indices stay
 *
 * Kernels on flat indices, as compilers write them, divide: offs // HW % C is the channel of an
 * element, offs % W its column.  Neither steps evenly, so what is loaded there would be gathered,
 * and what is made of it computed for each lane anew, where it is the same for a whole image or
 * row.  So a loop is put around the inner one, from one piece of a row to the next: where x // D
 * stays, it is a scalar, x % D steps as x does, and all that was said of addresses, masks and
 * scalars of a row holds within a piece (axis/access.c).  Where pieces end is found when running,
 * exactly: with any sign, and where x comes around.
 *
 * That is worth something where an access takes another form for it, or elements are looked up
 * anyhow, and not where a quotient is only computed (plan_divide.c).  A piece costs a division,
 * what was moved in front of its inner loop, and a vector that it does not fill.  So it has to have
 * some vectors: constant divisors do or do not, and for others there is a second nest, the one
 * without pieces, and which of them runs is asked in front of both.
 *
 * A nest keeps its tiles' dimensions; the loop over pieces is one more, behind them in `dims`, and
 * the last but one in `order`.
 */
#include <string.h>

#include "plan_internal.h"

enum {
    MOST_QUOTIENTS = 4,
    LEAST_VECTORS = 3,     /* of a piece */
    LONGEST_STEP = 1 << 16 /* of what is divided */
};

typedef struct {
    Value *value;
    int8_t map[MAX_RANK];
} Spot;

typedef struct {
    Plan *plan;
    Nest *nest; /* that is to go in pieces */
    Map *seen;
    VEC(Spot) todo;
} Search;

/* --- which quotients --- */

static void look_later(Search *s, Value *v, const int8_t *map)
{
    Spot x = {.value = v};

    if (!v || v->type->rank == 0 || map_get_wide(s->seen, access_key(v, map)))
        return;
    memcpy(x.map, map, sizeof *map * (size_t)v->type->rank);
    map_put_wide(s->seen, access_key(v, map), v);
    vec_push(s->plan->arena, &s->todo, x);
}

/* Is it long enough a piece for which a quotient by this stays?  Of what is no constant it is asked
 * when running. */
static bool is_long(const Search *s, const Quotient *q)
{
    return q->number == 0 || q->number >= s->nest->least * q->stride;
}

static void consider(Search *s, Value *v, const int8_t *map)
{
    Nest *n = s->nest;
    Quotient q;

    if (!access_division(v, map, &q) || n->pieces.len >= MOST_QUOTIENTS ||
        access_quotient(n->space, v, map) != NO_QUOTIENT)
        return;
    if (access_waits(n->space, q.dividend, q.map) ||
        (q.divisor && access_waits(n->space, q.divisor, plan_identity)))
        return;
    q.stride = plan_steps_up(s->plan, n->space, q.dividend, q.map, LONGEST_STEP);
    if (q.stride <= 0 || !is_long(s, &q))
        return;
    vec_push(s->plan->arena, &n->pieces, q);
    n->space->quotients = n->pieces.at;
    n->space->nquotients = n->pieces.len;
}

static void look_at(Search *s, const Spot *at)
{
    Value *v = at->value;
    int8_t in[MAX_RANK];

    if (plan_buffer(s->plan, v) != NO_BUFFER || !v->def || access_rearranges(v))
        return;
    Value *source = access_renamed(v, at->map, in);
    if (source) {
        look_later(s, source, in);
        return;
    }
    consider(s, v, at->map);
    if (access_follows(s->nest->space, v, at->map)) {
        bool left = access_quotient(s->nest->space, v, at->map) != NO_QUOTIENT;
        s->nest->work += left ? 0 : plan_op_cost(v->def);
        s->nest->branches |= plan_is_usual(v->def);
    }
    for (int i = 0; i < v->def->noperands; i++) {
        if (v->def->code != OP_gather || i != GATHER_SOURCE)
            look_later(s, v->def->operands[i], at->map);
    }
}

static void look_at_all(Search *s)
{
    while (s->todo.len > 0) {
        Spot at = s->todo.at[--s->todo.len];
        look_at(s, &at);
    }
}

static void look_at_operands(Search *s, const Op *op)
{
    for (int i = 0; op && i < op->noperands; i++)
        look_later(s, op->operands[i], plan_identity);
}

/* Find those that step in the pieces found so far, more may do when there are more; and what work
 * is left for each element. */
static void find_quotients(Search *s)
{
    Nest *n = s->nest;

    n->work = 0;
    n->branches = false;
    s->seen = map_new(s->plan->arena);
    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        look_at_operands(s, r->kind != ROOT_FILL     ? r->op
                            : r->source == NO_BUFFER ? r->value->def
                                                     : NULL);
    }
    look_at_all(s);
}

int64_t plan_steps_up(const Plan *p, AccessSpace *space, Value *v, const int8_t *map, int64_t most)
{
    Access a = access_of(space, v, map);

    if (dtype_is_float(v->type->dtype) || !a.ok || a.chunked || a.scale || a.stride > most)
        return 0;
    for (const Widened *w = a.widened; w; w = w->next) {
        if (!w->value || !axis_of(p->axis, w->value)->has_range)
            return 0;
    }
    return MAX(a.stride, 0);
}

/* --- the nest --- */

/* Does it go element by element for no other reason than that its additions, which is all it does,
 * are to no neighbours as far as is known without pieces? */
static bool may_add_rows(const Plan *p, const Nest *n)
{
    const Root *r = &n->roots.at[0];

    return n->serial && r->buffer == NO_BUFFER && plan_adds_vectors(p, r);
}

/* Elements may be computed in any order, and those of a row in any vectors. */
static bool may_cut(const Plan *p, const Nest *n)
{
    if (n->backwards || n->lined != 0 || n->keep != 0 || n->rank == MAX_RANK || p->options->debug)
        return false;
    if (may_add_rows(p, n))
        return true;
    if (n->serial || n->lanes == 1)
        return false;
    for (int i = 0; i < n->roots.len; i++) {
        RootKind kind = n->roots.at[i].kind;
        if (kind != ROOT_STORE && kind != ROOT_FILL && kind != ROOT_REDUCE)
            return false;
    }
    return true;
}

Nest *plan_copy_nest(Plan *p, const Nest *n)
{
    Nest *out = NEW(p->arena, Nest);

    *out = *n;
    memset(&out->roots, 0, sizeof out->roots);
    memset(&out->leaves, 0, sizeof out->leaves);
    for (int i = 0; i < n->roots.len; i++)
        vec_push(p->arena, &out->roots, n->roots.at[i]);
    for (int i = 0; i < n->leaves.len; i++)
        vec_push(p->arena, &out->leaves, n->leaves.at[i]);
    return out;
}

/* Is a divisor a multiple of so many? */
static bool is_multiple(const Plan *p, const Quotient *q, int lanes)
{
    const Axis *facts = q->number == 0 ? axis_of(p->axis, q->divisor) : NULL;

    return facts ? facts->divisibility % lanes == 0 : q->number > 0 && q->number % lanes == 0;
}

/* Does a piece end where a vector would without pieces?  Below 0 that takes a quotient that is
 * rounded down. */
static bool ends_with_vector(const Plan *p, const Nest *n, const Quotient *q)
{
    const Axis *x = axis_of(p->axis, q->dividend);

    if (quotient_compares(q) || q->stride != 1 || !is_multiple(p, q, n->lanes) || !x ||
        (!q->down && (!x->has_range || x->lo < 0)) || x->divisibility % n->lanes != 0)
        return false;
    for (int d = 0; d < q->dividend->type->rank; d++) {
        if (q->map[d] == n->order[n->rank - 1])
            return x->contiguity[d] % n->lanes == 0;
    }
    return false;
}

static bool is_aligned(const Plan *p, const Nest *n)
{
    for (int i = 0; i < n->pieces.len; i++) {
        if (!ends_with_vector(p, n, &n->pieces.at[i]))
            return false;
    }
    return true;
}

static void add_loop(Nest *n)
{
    int inner = n->order[n->rank - 1];

    n->order[n->rank - 1] = n->rank;
    n->order[n->rank] = inner;
    n->dims[n->rank] = 1;
    n->level_of[n->rank] = 0;
    n->rank++;
    n->level_of[inner] = n->rank;
}

/* Of a row, or of the shortest piece of it that is known. */
static int shortest(const Nest *n)
{
    int64_t extent = n->dims[n->order[n->rank - 1]];

    for (int i = 0; i < n->pieces.len; i++) {
        const Quotient *q = &n->pieces.at[i];
        if (q->number > 0)
            extent = MIN(extent, q->number / q->stride);
    }
    return (int)extent;
}

static bool has_unknown(const Nest *n)
{
    for (int i = 0; i < n->pieces.len; i++) {
        if (n->pieces.at[i].divisor && n->pieces.at[i].number == 0)
            return true;
    }
    return false;
}

/* --- halves --- */

/* Is there about as much of a row where what bound `b` compares is below its limit as there is
 * behind it?  Then `out` is that comparison. */
static bool halves(const Plan *p, const Nest *n, const Bound *b, Quotient *out)
{
    if (!bound_compares(b) || !access_comparison(b->value, b->map, out))
        return false;
    const Axis *x = axis_of(p->axis, out->dividend);
    out->stride = plan_steps_up(p, n->space, out->dividend, out->map, LONGEST_STEP);
    int64_t least = n->least * out->stride;
    return out->stride > 0 && x && x->has_range && out->from > x->lo && x->hi >= out->from &&
           out->from - x->lo >= least && x->hi - out->from >= least - 1;
}

/* What some accesses need to be below a limit and others not would leave a row without an element
 * for which all bounds hold. */
static void cut_in_halves(Plan *p, Nest *n)
{
    Quotient x, y;

    for (int i = 0; i < n->bounds.len; i++) {
        const Bound *b = &n->bounds.at[i];
        if (b->kind != BOUND_COMPARE || !halves(p, n, b, &x))
            continue;
        bool both = false;
        for (int k = 0; k < n->bounds.len && !both; k++)
            both = n->bounds.at[k].kind == BOUND_FROM && halves(p, n, &n->bounds.at[k], &y) &&
                   x.dividend == y.dividend && x.from == y.from;
        if (!both || n->pieces.len >= MOST_QUOTIENTS)
            continue;
        vec_push(p->arena, &n->pieces, x);
        n->halved = true;
    }
}

/* --- the choice --- */

/* Does a store no longer go around the cache, since pieces begin anywhere? */
static bool loses_streaming(const Nest *n, const Nest *pieces)
{
    for (int i = 0; i < n->roots.len; i++) {
        const AccessPlan *before = n->roots.at[i].access, *now = pieces->roots.at[i].access;
        if (before && before->streaming && !now->streaming)
            return true;
    }
    return false;
}

/* chunked: to have no chunks is worth it, too. */
static bool takes_another(const AccessPlan *before, const AccessPlan *now, bool chunked)
{
    /* pieces that begin anywhere lose these */
    if (now && (before->form == FORM_SPREAD || before->form == FORM_FLIPPED))
        return false;
    return now &&
           (now->form != before->form || (chunked && now->steps.chunked != before->steps.chunked) ||
            now->form == FORM_INDEXED || now->form == FORM_LANES);
}

/* Does an access take another form in pieces, or one that computes what each lane accesses?  An
 * address for each vector costs less than lines that are fetched to be written. */
static bool has_another_form(const Nest *n, const Nest *pieces)
{
    bool chunked = !loses_streaming(n, pieces);

    for (int i = 0; i < n->leaves.len; i++) {
        if (takes_another(n->leaves.at[i].access, pieces->leaves.at[i].access, chunked))
            return true;
    }
    for (int i = 0; i < n->roots.len; i++) {
        if (takes_another(n->roots.at[i].access, pieces->roots.at[i].access, chunked))
            return true;
    }
    return false;
}

static bool adds_to_neighbours(const Root *r)
{
    return r->access->form == FORM_CONTIGUOUS && !r->access->steps.chunked;
}

static void set_accesses(Plan *p, Nest *n)
{
    memset(&n->bounds, 0, sizeof n->bounds);
    n->aligned = is_aligned(p, n);
    plan_find_accesses(p, n);
}

/* Give the copy its shape; false: it is not worth it. */
static bool finish(Plan *p, Nest *n, Nest *out)
{
    add_loop(out);
    plan_size_body(p, out, shortest(out));
    set_accesses(p, out);
    if (!out->halved)
        cut_in_halves(p, out);
    if (out->halved)
        set_accesses(p, out);
    out->whole = has_unknown(out) ? n : NULL;
    if (n->serial)
        return adds_to_neighbours(&out->roots.at[0]);
    return out->halved || has_another_form(n, out);
}

static bool compare_the_same(const Bound *a, const Bound *b)
{
    const Op *x = a->value->def, *y = b->value->def;

    return x->operands[a->operand] == y->operands[b->operand] &&
           x->operands[1 - a->operand] == y->operands[1 - b->operand] &&
           memcmp(a->map, b->map, sizeof *a->map * (size_t)a->value->type->rank) == 0;
}

static bool has_opposite(const Nest *n, const Bound *b)
{
    BoundKind opposite = b->kind == BOUND_FROM ? BOUND_COMPARE : BOUND_FROM;

    for (int k = 0; k < n->bounds.len && bound_compares(b); k++) {
        if (n->bounds.at[k].kind == opposite && compare_the_same(b, &n->bounds.at[k]))
            return true;
    }
    return false;
}

/* Where `i < n` holds for some accesses and `i >= n` for others, as of two arrays that are put
 * together, no element has both, and all would be gone through with masks.  What is kept is the
 * part in front of the limit; of a limit that is a number, as of what lies before an array's first
 * element, the part behind it, in which most rows are as a whole. */
static void drop_opposites(Nest *n)
{
    uint64_t dropped = 0, bits;
    int kept = 0;

    for (int i = 0; i < n->bounds.len; i++) {
        const Bound *b = &n->bounds.at[i];
        if (!has_opposite(n, b))
            continue;
        bool is_number = value_constant(b->value->def->operands[1 - b->operand], &bits);
        if (b->kind == (is_number ? BOUND_COMPARE : BOUND_FROM))
            dropped |= UINT64_C(1) << i;
    }
    for (int i = 0; i < n->bounds.len; i++) {
        if (!(dropped >> i & 1))
            n->bounds.at[kept++] = n->bounds.at[i];
    }
    n->bounds.len = kept;
}

/* As if floats were widened to fp32: so measured, of those of 16 bits that are looked up else. */
static int least_piece(const Plan *p, const Nest *n)
{
    Nest widened = *n;

    widened.widens = true;
    return LEAST_VECTORS * plan_full_lanes(p, &widened);
}

static Nest *choose_pieces(Plan *p, Nest *n)
{
    int inner = n->order[n->rank - 1];

    if (!may_cut(p, n))
        return n;
    Nest *out = plan_copy_nest(p, n);
    Search s = {.plan = p, .nest = out};
    int before;

    out->serial = false;
    out->least = least_piece(p, n);
    if (n->dims[inner] < out->least)
        return n;
    if (n->serial)
        plan_size_body(p, out, n->dims[inner]);
    do {
        before = out->pieces.len;
        out->space = plan_space(p, out);
        find_quotients(&s);
    } while (out->pieces.len > before);
    if (out->pieces.len == 0)
        cut_in_halves(p, out);
    return out->pieces.len > 0 && finish(p, n, out) ? out : n;
}

Nest *plan_pieces(Plan *p, Nest *n)
{
    Nest *chosen = choose_pieces(p, n);

    drop_opposites(chosen);
    if (chosen->whole)
        drop_opposites(n);
    return chosen;
}

/* --- before there is a shape --- */

/* Does it step by one along the inner dimension, in pieces? */
static bool steps_by_one(Plan *p, Nest *n, Value *ptr, const int8_t *map)
{
    Search s = {.plan = p, .nest = n};
    int before;

    do {
        before = n->pieces.len;
        n->space = plan_space(p, n);
        s.seen = map_new(p->arena);
        look_later(&s, ptr, map);
        look_at_all(&s);
    } while (n->pieces.len > before);
    Access a = access_of(n->space, ptr, map);
    return n->pieces.len > 0 && a.ok && !a.chunked && !a.scale && a.stride == 1;
}

int plan_dimension_in_pieces(Plan *p, const Nest *n, Value *ptr, const int8_t *map)
{
    int full = p->machine.vector_bytes / dtype_size(ptr->type->dtype);

    for (int d = n->rank - 1; d >= 0 && n->rank > 1 && n->rank < MAX_RANK; d--) {
        Nest own = {.rank = n->rank, .lanes = full, .least = LEAST_VECTORS * full};
        own.order[n->rank - 1] = d;
        if (n->dims[d] >= own.least && steps_by_one(p, &own, ptr, map))
            return d;
    }
    return -1;
}

static bool has_runs(const Plan *p, const Value *v)
{
    const Axis *a = axis_of(p->axis, v);
    bool has = false;

    for (int d = 0; a && d < v->type->rank; d++)
        has |= a->contiguity[d] > 1;
    return has;
}

/* Of offsets, or of such a quotient. */
bool plan_has_pieces(const Plan *p, const Op *op)
{
    enum { DEEP = 4 };
    Quotient q;

    for (int i = 0; i < DEEP && op && op->nresults == 1; i++) {
        if (op->results[0]->type->rank == 0 || !access_division(op->results[0], plan_identity, &q))
            return false;
        if (has_runs(p, q.dividend))
            return q.number == 0 || q.number >= LEAST_VECTORS * p->machine.vector_bytes / 4;
        op = q.dividend->def;
    }
    return false;
}
