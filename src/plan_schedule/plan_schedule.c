/*
 * plan_schedule.c - what the code of each nest computes, part by part
 *
 * The inner loop of a nest is cut into segments (cpu_nest.c), and what its body computes differs
 * between them: below all bounds there are no masks, behind them stores vanish and reductions are
 * done at once.  So each has a list of entries of its own, and a list in front of all is for what
 * does not change along the row: where the bounds cut it, what is prefetched, and what some body
 * needs but not anew for each vector.  plan_values.c makes the entries of values.
 *
 * A part that would never run has no entries.
 */
#include <string.h>

#include "plan_schedule_internal.h"

enum {
    MAX_ROWS = 4,    /* that a body computes */
    LONG_ENOUGH = 4, /* vectors of a row whose last one may load and store what another one has */
    MOST_IN_ROW = 64 /* entries of all vectors of a row, side by side */
};

/* --- in front of the inner loop --- */

static int deepest(const Scheduler *s, const int *in, int nin)
{
    int level = 0;

    for (int i = 0; i < nin; i++)
        level = in[i] == NO_ENTRY ? level : MAX(level, s->out->entries.at[in[i]].level);
    return level;
}

/* What is found in front of a row stands where what it is made of does, and a root in the body. */
static void add_number(Scheduler *s, EntryKind kind, int number, int *in, int nin)
{
    bool before = kind == MAKE_CUT || kind == MAKE_AHEAD || kind == MAKE_LINE;
    Entry e = {.kind = kind, .number = number, .in = in, .nin = nin};

    e.level = before ? deepest(s, in, nin) : s->nest->rank;
    plan_entry(s, e, !before);
}

static void compare_cut(Scheduler *s, const Bound *b, int number)
{
    const Op *op = b->value->def;
    int n = IN_WIDENED;

    for (const Widened *w = b->steps.widened; w; w = w->next)
        n++;
    int *in = NEW_N(s->plan->arena, int, n);
    in[IN_STEPS] = plan_compute(s, AS_ROW, op->operands[b->operand], b->map).entry;
    in[IN_LIMIT] = plan_compute(s, AS_VALUE, op->operands[1 - b->operand], b->map).entry;
    n = IN_WIDENED;
    for (const Widened *w = b->steps.widened; w; w = w->next)
        in[n++] = w->value ? plan_compute(s, AS_ROW, w->value, w->map).entry : NO_ENTRY;
    add_number(s, MAKE_CUT, number, in, n);
}

static void cut(Scheduler *s, int number)
{
    const Bound *b = &s->nest->bounds.at[number];

    if (bound_compares(b)) {
        compare_cut(s, b, number);
        return;
    }
    int *in = NEW_N(s->plan->arena, int, 1);
    Value *v = b->kind == BOUND_OR ? b->value->def->operands[b->operand] : b->value;
    in[IN_STEPS] = plan_compute(s, AS_VALUE, v, b->map).entry;
    add_number(s, MAKE_CUT, number, in, 1);
}

/* Of rows that begin at an address which no index of the nest changes, or that the loop around the
 * inner one steps through. */
static void ahead(Scheduler *s, int number)
{
    const Leaf *leaf = &s->nest->ahead.at[number].leaf;
    int level = s->nest->ahead.at[number].rows > 0 ? nest_row_level(s->nest) : 0;
    Value *ptr = leaf->value->def->operands[LOAD_PTR];
    Access a = access_of(s->nest->space, ptr, leaf->map);

    if (!a.ok || a.stride != 1 || a.scale || a.chunked ||
        access_waits(s->nest->space, ptr, leaf->map))
        return;
    int *in = NEW_N(s->plan->arena, int, 1);
    in[0] = plan_compute(s, AS_ROW, ptr, leaf->map).entry;
    if (s->out->entries.at[in[0]].level == level)
        add_number(s, MAKE_AHEAD, number, in, 1);
}

static void piece(Scheduler *s, int number)
{
    const Quotient *q = &s->nest->pieces.at[number];
    int *in = NEW_N(s->plan->arena, int, PIECE_DIVISOR + 1);
    Made d = {.entry = NO_ENTRY};
    Entry e = {.kind = MAKE_PIECE,
               .value = q->dividend,
               .level = s->nest->rank - 1,
               .number = number,
               .in = in,
               .nin = PIECE_DIVISOR + 1};

    memcpy(e.map, q->map, sizeof e.map);
    in[PIECE_ROW] = plan_compute(s, AS_ROW, q->dividend, q->map).entry;
    if (q->divisor)
        d = plan_compute(s, AS_VALUE, q->divisor, plan_identity);
    in[PIECE_DIVISOR] = d.entry;
    s->pieces[number] = plan_entry(s, e, false).entry;
}

static void line(Scheduler *s)
{
    int *in = NEW_N(s->plan->arena, int, 1), number = s->nest->lined - 1;
    Value *ptr = s->nest->roots.at[number].op->operands[STORE_PTR];

    in[0] = plan_compute(s, AS_ROW, ptr, plan_identity).entry;
    add_number(s, MAKE_LINE, number, in, 1);
}

/* A dividend may be made of what remains of an earlier one. */
static void rows(Scheduler *s)
{
    for (int i = 0; i < s->nest->pieces.len; i++)
        piece(s, i);
    for (int i = 0; i < s->nest->bounds.len; i++)
        cut(s, i);
    for (int i = 0; i < s->nest->ahead.len; i++)
        ahead(s, i);
    if (s->nest->lined != 0)
        line(s);
}

/* --- bodies --- */

/* Are there vectors that are not full, be there bounds or not? */
static bool is_uneven(const Nest *n)
{
    return n->dims[n->order[n->rank - 1]] % n->lanes != 0 || n->lined != 0 ||
           (n->pieces.len > 0 && !n->aligned);
}

static void begin_part(Scheduler *s, Part part)
{
    const Nest *n = s->nest;

    s->part = part;
    s->tail = part != PART_MAIN && is_uneven(n) && !s->out->again;
    s->stored = false;
    s->values = 0;
    s->body = s->current = plan_tables(s->plan->arena, NULL);
}

/* Set the input that is a root's mask; false: it is off here. */
static bool root_mask(Scheduler *s, const Root *r, int *in)
{
    Value *mask = plan_root_mask(r);

    *in = NO_ENTRY;
    if (!mask)
        return true;
    Made m = plan_compute(s, AS_MASK, mask, plan_identity);
    if (!plan_is_known(s, m, true))
        *in = m.entry;
    return !plan_is_known(s, m, false);
}

_Static_assert((int)RMW_DATA == (int)STORE_DATA && (int)RMW_PTR == (int)STORE_PTR,
               "an atomic that goes by vectors is a store here");

/* What a field of records holds is computed where its store stands, since memory may be another one
 * behind it; records are stored with the last of them. */
static void store_root(Scheduler *s, const Root *r, int number)
{
    const RecordGroup *g = r->access->group;
    int fields = g ? g->step : 0;
    int *in = NEW_N(s->plan->arena, int, ACCESS_INPUTS + fields);

    for (int i = 0; i < ACCESS_INPUTS; i++)
        in[i] = NO_ENTRY;
    if (!root_mask(s, r, &in[IN_MASK]))
        return;
    s->data[number] = plan_compute(s, AS_VALUE, r->op->operands[STORE_DATA], plan_identity).entry;
    if (g && number != g->last)
        return;
    for (int f = 0; f < fields; f++)
        in[ACCESS_INPUTS + f] = s->data[g->stores[f]];
    in[IN_DATA] = g ? NO_ENTRY : s->data[number];
    plan_address(s, r->access, r->op->operands[STORE_PTR], plan_identity,
                 in[IN_MASK] != NO_ENTRY || s->tail, in);
    add_number(s, MAKE_ROOT, number, in, ACCESS_INPUTS + fields);
}

static void count_root(Scheduler *s, const Root *r, int number)
{
    int *in = NEW_N(s->plan->arena, int, HISTOGRAM_MASK + 1);

    if (!root_mask(s, r, &in[HISTOGRAM_MASK]))
        return;
    in[HISTOGRAM_VALUES] =
        plan_compute(s, AS_VALUE, r->op->operands[HISTOGRAM_VALUES], plan_identity).entry;
    add_number(s, MAKE_ROOT, number, in, HISTOGRAM_MASK + 1);
}

static void fill_root(Scheduler *s, const Root *r, int number)
{
    int *in = NEW_N(s->plan->arena, int, 1);

    if (r->source == NO_BUFFER)
        in[0] = plan_compute(s, AS_VALUE, r->value, plan_identity).entry;
    else
        in[0] = plan_entry(s, plan_buffer_entry(s, r->source, 0, r->value, AS_VALUE, plan_identity),
                           true)
                    .entry;
    add_number(s, MAKE_ROOT, number, in, 1);
}

/* Of a reduction, a scan, an atomic. */
static void operands_root(Scheduler *s, const Root *r, EntryKind kind, int number)
{
    int n = r->op->noperands;
    int *in = NEW_N(s->plan->arena, int, n + 1);
    bool masked = r->kind == ROOT_ATOMIC && plan_root_mask(r);

    for (int i = 0; i < n; i++) {
        if (masked && i == RMW_MASK)
            root_mask(s, r, &in[i]);
        else
            in[i] = plan_compute(s, AS_VALUE, r->op->operands[i], plan_identity).entry;
    }
    add_number(s, kind, number, in, n);
}

static void root(Scheduler *s, int number)
{
    const Root *r = &s->nest->roots.at[number];

    if (r->access) {
        store_root(s, r, number);
        s->stored = true;
        return;
    }
    switch (r->kind) {
    case ROOT_COUNT:
        count_root(s, r, number);
        break;
    case ROOT_FILL:
        fill_root(s, r, number);
        s->stored = true;
        break;
    default:
        operands_root(s, r, MAKE_ROOT, number);
        s->stored |= r->kind == ROOT_SCAN;
        break;
    }
}

static void body(Scheduler *s, Part part)
{
    begin_part(s, part);
    for (int i = 0; i < s->nest->roots.len; i++)
        root(s, i);
}

/* --- where all bounds are false --- */

/* Of pairs with one value the first is the best. */
static void first_root(Scheduler *s, const Root *r, Made value, int number)
{
    int *in = NEW_N(s->plan->arena, int, 2);

    in[0] = value.entry;
    in[1] = plan_compute(s, AS_LANE, r->op->operands[1], plan_identity).entry;
    add_number(s, MAKE_REST, number, in, 2);
}

/* Every lane often has the same there, the mask's `other` and what follows from it: it is combined
 * once, or for a sum counted.  False: lanes differ, and nothing has been added. */
static bool reduce_at_once(Scheduler *s, const Root *r, int number)
{
    const Op *op = r->op;
    OpCode simple = r->combining.kind.neutral;
    const Tables *before = s->current;
    int entries = s->out->part[PART_REST].len;

    if (r->combining.along != ALONG_LANES || (simple == OP_COUNT && !r->combining.rising) ||
        simple == OP_mul || simple == OP_xor)
        return false;
    s->body = s->current = plan_tables(s->plan->arena, before);
    Made m = plan_compute(s, AS_VALUE, op->operands[0], plan_identity);
    if (s->out->entries.at[m.entry].vector) {
        s->out->part[PART_REST].len = entries;
        s->body = s->current = before;
        return false;
    }
    if (r->combining.rising)
        first_root(s, r, m, number);
    else
        operands_root(s, r, MAKE_REST, number);
    return true;
}

/* Stores and counts under a bound vanish, reductions may be done at once, the rest is looped over.
 * Masks are false where any of the last bounds is; what else asks for a bound wants that one to
 * be, so no other one may be the last. */
static void dead(Scheduler *s)
{
    int roots = s->nest->roots.len;
    bool *done = NEW_N(s->plan->arena, bool, roots);

    s->assumed = 0;
    begin_part(s, PART_REST);
    for (int i = 0; i < roots; i++) {
        const Root *r = &s->nest->roots.at[i];
        done[i] = r->kind == ROOT_REDUCE ? reduce_at_once(s, r, i) : r->dies;
    }
    begin_part(s, PART_DEAD);
    for (int i = 0; i < roots; i++) {
        if (!done[i])
            root(s, i);
    }
    for (int i = 0; i < s->nest->bounds.len; i++)
        s->nest->bounds.at[i].is_last &= (s->assumed & ~(UINT64_C(1) << i)) == 0;
}

/* --- vectors that overlap --- */

/* Is it the same whenever it is computed, for whichever elements a vector has?  What is known of
 * the first lane alone is not, nor what a root of this nest changes. */
static bool may_repeat(const Nest *n, const Entry *e)
{
    for (int i = 0; e->kind == MAKE_READ && i < n->roots.len; i++) {
        if (n->roots.at[i].buffer == e->buffer)
            return false;
    }
    switch (e->kind) {
    case MAKE_LOAD:
        return !op_is_volatile(e->value->def) &&
               (!e->access || (e->access->form == FORM_CONTIGUOUS && !e->access->steps.chunked));
    case MAKE_AHEAD: /* of rows in front of the inner loop, not of parts of one in it */
        return n->ahead.at[e->number].rows > 0;
    case MAKE_SCALAR:
    case MAKE_KNOWN:
    case MAKE_ZERO:
    case MAKE_CONST:
    case MAKE_INDEX:
    case MAKE_READ:
    case MAKE_OP:
    case MAKE_CUT:
    case MAKE_LINE:
    case MAKE_ROOT:
        return e->role != AS_LANE;
    default:
        return false;
    }
}

/* A store that writes the same twice, whole vectors at any element. */
static bool stores_again(const Root *r)
{
    return r->kind == ROOT_STORE && r->access->form == FORM_CONTIGUOUS &&
           !r->access->steps.chunked && !r->access->streaming;
}

/* Do all rows end where the tile does, or have nothing? */
static bool rows_are_whole(const Nest *n)
{
    for (int i = 0; i < n->bounds.len; i++) {
        if (n->bounds.at[i].kind != BOUND_ROW)
            return false;
    }
    return true;
}

/* Of a short row a vector is much, and memory takes a mask as fast.  What is loaded once, in front
 * of a row, is the same for both of its vectors. */
static bool loads_again(const Scheduler *s, const Entry *e)
{
    const Nest *n = s->nest;

    if (e->level < n->rank && rows_are_whole(n))
        return true;
    return n->dims[n->order[n->rank - 1]] >= LONG_ENOUGH * n->lanes &&
           !plan_sees_stores(s->plan, n, e->value->def);
}

/* Fills, and stores of what is made of buffers and of other memory than they store to. */
static bool repeats(const Scheduler *s)
{
    const Nest *n = s->nest;
    bool stores = false;

    if (n->serial || n->backwards || n->lanes == 1 || n->pieces.len > 0)
        return false;
    for (int i = 0; i < n->roots.len; i++) {
        stores |= n->roots.at[i].kind == ROOT_STORE;
        if (n->roots.at[i].kind != ROOT_FILL && !stores_again(&n->roots.at[i]))
            return false;
    }
    for (int i = 0; i < s->out->entries.len; i++) {
        const Entry *e = &s->out->entries.at[i];
        if (!may_repeat(n, e) || (stores && e->kind == MAKE_LOAD && !loads_again(s, e)))
            return false;
    }
    return true;
}

/* May what is dead be computed first, on both sides of what is not?  Where one bound is false, so
 * are all masks, then.  Of a row without an edge in front there is little to mask. */
static bool may_begin_with_edges(const Scheduler *s)
{
    const Nest *n = s->nest;
    bool begins = false;

    for (int i = 0; i < n->bounds.len; i++) {
        begins |= n->bounds.at[i].kind == BOUND_FROM;
        if (n->bounds.at[i].kind == BOUND_OR)
            return false;
    }
    for (int i = 0; i < n->roots.len; i++) {
        if (n->roots.at[i].kind != ROOT_FILL)
            return false;
    }
    return begins && n->pieces.len == 0 && n->dims[n->order[n->rank - 1]] >= 2 * n->lanes &&
           s->out->ends && plan_bounds_meet(s->plan, s->nest);
}

/* Nothing of a dead segment reads memory under a mask of lanes, or took a bound for false that may
 * begin later. */
static bool edges_are_dead(const Scheduler *s)
{
    for (int i = 0; i < s->out->part[PART_DEAD].len; i++) {
        const Entry *e = &s->out->entries.at[s->out->part[PART_DEAD].at[i]];
        if (e->kind == MAKE_LOAD && e->in[IN_MASK] != NO_ENTRY && e->level == s->nest->rank)
            return false;
    }
    return s->assumed == 0;
}

/* --- nests --- */

static bool has_end(const Nest *n)
{
    for (int i = 0; i < n->bounds.len; i++) {
        if (bound_ends(&n->bounds.at[i]))
            return true;
    }
    return false;
}

/* Extents are known, so without bounds it is known which segments there are. */
static void bodies(Scheduler *s)
{
    const Nest *n = s->nest;
    int extent = n->dims[n->order[n->rank - 1]];
    bool cut = n->bounds.len > 0, uneven = is_uneven(n), mixed = cut || uneven;
    bool edges = may_begin_with_edges(s);

    if (cut || extent >= n->lanes)
        body(s, PART_MAIN);
    s->out->again = mixed && extent >= n->lanes && repeats(s);
    if (mixed && (cut || !s->out->again))
        body(s, PART_MIXED);
    if (s->out->ends)
        dead(s);
    s->out->edges = edges && s->out->again && edges_are_dead(s);
    s->out->whole = s->out->edges && extent * s->out->part[PART_MAIN].len <= MOST_IN_ROW * n->lanes;
}

/* --- rows side by side --- */

/* How many rows of its buffer two reads are apart, along the loop around the inner one; 0: they
 * are not at one place of these. */
static int64_t rows_apart(const Scheduler *s, const Entry *a, const Entry *b)
{
    const Nest *n = s->nest;
    const Type *t = a->value->type;
    int64_t row = s->plan->buffers.at[a->buffer].row, pitch = 1;

    if (b->buffer != a->buffer || b->value != a->value || !a->vector || !b->vector)
        return 0;
    for (int d = t->rank - 1; d >= 0; d--) {
        if (a->map[d] == n->order[n->rank - 2])
            return (b->number - a->number) % pitch == 0 ? (b->number - a->number) / pitch : 0;
        pitch *= d == t->rank - 1 && row != 0 ? row : t->dims[d];
    }
    return 0;
}

/* Does a body that computes so many rows read some of its vectors once for several? */
static bool shares_rows(const Scheduler *s, int rows)
{
    const Schedule *out = s->out;

    for (int i = 0; i < out->part[PART_MAIN].len; i++) {
        const Entry *a = &out->entries.at[out->part[PART_MAIN].at[i]];
        for (int k = 0; k < i && a->kind == MAKE_READ; k++) {
            const Entry *b = &out->entries.at[out->part[PART_MAIN].at[k]];
            int64_t apart = b->kind == MAKE_READ ? rows_apart(s, a, b) : 0;
            if (apart != 0 && apart > -rows && apart < rows)
                return true;
        }
    }
    return false;
}

/* Fills of what is made of buffers, for which nothing is found in front of a row. */
static int rows_of(const Scheduler *s)
{
    const Nest *n = s->nest;

    if (n->rank < 2 || n->pieces.len > 0 || s->out->part[PART_ROWS].len > 0 ||
        s->out->part[PART_MIXED].len > 0 || !repeats(s))
        return 1;
    for (int i = 0; i < n->roots.len; i++) {
        if (n->roots.at[i].kind != ROOT_FILL)
            return 1;
    }
    for (int rows = MAX_ROWS; rows > 1; rows--) {
        if (n->dims[n->order[n->rank - 2]] % rows == 0 && shares_rows(s, rows))
            return rows;
    }
    return 1;
}

/* --- nests --- */

static void schedule_nest(Plan *p, Nest *n)
{
    Scheduler s = {.plan = p, .nest = n, .out = NEW(p->arena, Schedule)};

    n->schedule = s.out;
    s.data = NEW_N(p->arena, int, n->roots.len);
    s.pieces = NEW_N(p->arena, int, n->pieces.len + 1);
    s.some = s.known[0] = s.known[1] = NO_ENTRY;
    for (int i = 0; i < ROLES; i++)
        s.lasting[i] = map_new(p->arena);
    s.out->ends = has_end(n);
    begin_part(&s, PART_ROWS);
    rows(&s);
    bodies(&s);
    if (plan_drop_lines(p, n)) {
        schedule_nest(p, n);
        return;
    }
    s.out->rows = rows_of(&s);
    plan_strips(p, n);
    n->unroll = MAX(n->unroll / s.out->rows, 1);
    s.out->beyond = plan_reaches_beyond(p, n);
}

/* And those that may run in its place. */
static void schedule_nests(Plan *p, Nest *n)
{
    if (!n)
        return;
    schedule_nest(p, n);
    schedule_nests(p, n->whole);
    schedule_nests(p, n->direct);
}

static void schedule_block(Plan *p, BlockPlan *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        Step *s = &b->steps.at[i];
        schedule_nests(p, s->nest);
        schedule_block(p, s->body[0]);
        schedule_block(p, s->body[1]);
    }
}

void plan_schedule(Plan *p)
{
    schedule_block(p, p->body);
}
