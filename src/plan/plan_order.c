/*
 * plan_order.c - which roots may share a nest, and which loads must stay where they are
 *
 * In a nest, element i of every root is done before element i+1 of any.  Programs say: all of the
 * first op, then all of the second.  The two agree unless one root reads what another writes at a
 * different element; the rules here look for exactly that, with `may alias` as the safe answer.
 */
#include "plan_internal.h"

static const PointerSum *sum_of(const Plan *p, const Value *ptr)
{
    ValueFacts *f = &p->facts[ptr->id];

    if (!f->sum) {
        PointerSum *s = NEW(p->arena, PointerSum);
        *s = access_sum_below(ptr);
        f->sum = s;
    }
    return f->sum;
}

/* What all differences between elements of a tile are multiples of, of pointers in elements: by
 * their steps, or because they themselves are; 0: there are none. */
static int64_t multiple_of(const Plan *p, const Value *v)
{
    const Axis *a = axis_of(p->axis, v);
    int64_t *known = &p->facts[v->id].multiple, own = a->divisibility;
    int64_t size = v->type->pointer ? dtype_size(v->type->dtype) : 1;

    if (v->type->rank == 0)
        return 0;
    for (int d = 0; d < v->type->rank; d++)
        own = a->contiguity[d] > 1 ? 1 : own;
    if (*known == 0)
        *known =
            MAX(access_multiple(p->arena, p->axis, (Value *)v), own % size == 0 ? own / size : 1);
    return *known;
}

/* Is n no sum of multiples of x and y? */
static bool lies_between(int64_t n, int64_t x, int64_t y)
{
    while (y != 0) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x == 0 ? n != 0 : n % x != 0;
}

/* Are they at two places of the same records, so that none of one's elements is one of the other's?
 * Bases that differ by a constant have the same differences, but one may not show it. */
static bool are_fields(const Plan *p, const Value *a, const Value *b)
{
    const PointerSum *x = sum_of(p, a), *y = sum_of(p, b);
    int64_t apart;

    if (!access_same_sum(x, y) || __builtin_sub_overflow(x->offset, y->offset, &apart))
        return false;
    int64_t of_base = MAX(multiple_of(p, x->base), multiple_of(p, y->base));
    return lies_between(apart, of_base, x->index ? multiple_of(p, x->index) : 0);
}

/* May the two pointers reach the same memory?  Not when they come from different parameters and the
 * launch promised that those are apart. */
static bool may_alias(const Plan *p, const Value *a, const Value *b)
{
    bool apart = p->bases && (ir_bases_of(p->bases, a) & ir_bases_of(p->bases, b)) == 0;

    return !apart && !are_fields(p, a, b);
}

const Type *plan_root_shape(const Root *r)
{
    switch (r->kind) {
    case ROOT_FILL:
        return r->value->type;
    case ROOT_REDUCE:
    case ROOT_SCAN:
    case ROOT_COUNT:
    case ROOT_STORE:
    case ROOT_ATOMIC:
        return r->op->operands[0]->type;
    }
    return NULL;
}

Value *plan_root_mask(const Root *r)
{
    switch (r->kind) {
    case ROOT_STORE:
        return op_operand(r->op, STORE_MASK);
    case ROOT_COUNT:
        return op_operand(r->op, HISTOGRAM_MASK);
    case ROOT_ATOMIC:
        return r->op->code == OP_atomic_rmw ? op_operand(r->op, RMW_MASK) : NULL;
    default:
        return NULL;
    }
}

_Static_assert(MAX_RANK == 16, "the maps below have an entry for each dimension");
const int8_t plan_identity[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const int8_t nowhere[MAX_RANK] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                         -1, -1, -1, -1, -1, -1, -1, -1};

bool plan_is_identity(const Value *v, const int8_t *map, int rank)
{
    if (v->type->rank != rank)
        return false;
    for (int d = 0; d < rank; d++) {
        if (map[d] != d && v->type->dims[d] != 1)
            return false;
    }
    return true;
}

/* A value still to be walked.  inside: compute it even when it has a buffer, as the fill of that
 * very buffer does.  rare: its leaves count, its work is hardly ever done.  whole: a buffer of
 * which any element may be read. */
typedef struct {
    Value *value;
    int8_t map[MAX_RANK];
    bool inside, rare, whole;
} Visit;

enum {
    MANY_VISITS = 16, /* for each value of the kernel */
    REPEATED_ROWS = 4 /* of a nest, that compute one value each for itself */
};

/* A walk from a root to leaves, over a stack of its own: programs may be long. */
typedef struct {
    Planner *pl;
    Nest *into;
    int open; /* nests of lower numbers take no more roots */
    Map *seen;
    VEC(Visit) todo;
} Walk;

static void add_leaf(Walk *w, const Visit *at, bool load)
{
    Value *v = at->value;
    Leaf leaf = {.value = v, .load = load};

    leaf.identity = !at->whole && plan_is_identity(v, at->map, w->into->rank);
    for (int d = 0; d < v->type->rank; d++)
        leaf.map[d] = at->map[d];
    vec_push(w->pl->plan->arena, &w->into->leaves, leaf);
}

static bool is_float_division(const Op *op)
{
    return op->code == OP_div && dtype_is_float(op->results[0]->type->dtype);
}

static void visit_later(Walk *w, Visit visit, const int8_t *map)
{
    for (int d = 0; d < visit.value->type->rank; d++)
        visit.map[d] = map[d];
    vec_push(w->pl->plan->arena, &w->todo, visit);
}

/* A buffer of which any element may be read; the map says more, where more is known. */
static void visit_whole(Walk *w, Value *v, const int8_t *map, bool rare)
{
    visit_later(w, (Visit){.value = v, .rare = rare, .whole = true}, map);
}

/* At the nest's indices, but along the axis. */
static void visit_gathered(Walk *w, const Op *op, const int8_t *map, bool rare)
{
    int8_t from[MAX_RANK];
    Value *tile = plan_gathered(op, from);

    for (int d = 0; d < tile->type->rank; d++)
        from[d] = from[d] < 0 || from[d] == attr_axis(op) ? -1 : map[from[d]];
    visit_whole(w, tile, from, rare);
}

/* The last first, so that the first is walked first. */
static void visit_operands(Walk *w, const Op *op, const int8_t *map, bool rare)
{
    bool usual = plan_is_usual(op);

    for (int i = op->noperands - 1; i >= 0; i--) {
        Visit visit = {.value = op->operands[i], .rare = rare || (usual && i == SELECT_ELSE)};

        if (op->code == OP_gather && i == GATHER_SOURCE)
            visit_gathered(w, op, map, rare);
        else if (op->nresults > 0 && access_rearranges(op->results[0]))
            visit_whole(w, visit.value, nowhere, rare);
        else
            visit_later(w, visit, map);
    }
}

/* In a program of many roots that all reach far back, walks would meet everything before them
 * again.  From some number of visits on, what an earlier nest has computed, and is too dear to be
 * computed twice, is marked where that is seen, not when the round has ended. */
static void buffer_early(Walk *w, ValueFacts *f)
{
    Planner *pl = w->pl;
    bool again = f->walked != NEST_NONE && f->walked < w->open;

    if (f->walked == NEST_NONE)
        f->walked = w->into->id;
    if (pl->visits++ < (int64_t)MANY_VISITS * pl->plan->func->nvalues || !again)
        return;
    if (f->buffered || !plan_is_worth_a_buffer(f))
        return;
    f->buffered = pl->changed = true;
    f->fill_nest = NEST_NONE;
}

/* Does a value that changes along the last dimension stay along others, which makes that so many
 * rows or more would compute it again? */
static bool is_repeated(const Walk *w, const Visit *at)
{
    const Nest *n = w->into;
    const Type *t = at->value->type;
    int64_t rows = 1;
    bool of_last = false;

    for (int d = 0; d < n->rank; d++)
        rows *= n->dims[d];
    for (int d = 0; d < t->rank; d++)
        of_last |= at->map[d] == n->rank - 1 && t->dims[d] > 1;
    return of_last && rows / type_numel(t) >= REPEATED_ROWS;
}

/* A load whose elements along the last dimension of the nest lie apart, each at an address of its
 * own. */
static bool is_scattered(const Walk *w, const Visit *at)
{
    const Op *op = at->value->def;
    const Axis *a = op && op_only_reads(op) ? axis_of(w->pl->plan->axis, plan_pointer(op)) : NULL;

    for (int d = 0; a && d < at->value->type->rank; d++) {
        if (at->map[d] == w->into->rank - 1 && (a->contiguity[d] > 1 || a->constancy[d] > 1))
            return false;
    }
    return a != NULL;
}

/* What is in one row that others want, too: floats that are worth keeping, and what is put together
 * from all over memory. */
static void buffer_repeated(Walk *w, const Visit *at, ValueFacts *f)
{
    bool dear = dtype_is_float(at->value->type->dtype) && plan_is_worth_a_row(f);

    if (f->buffered || !is_repeated(w, at) || !(dear || is_scattered(w, at)))
        return;
    f->buffered = w->pl->changed = true;
    f->fill_nest = NEST_NONE;
}

/* Does the op compute with floats of 16 bits, rather than pass their bits on, or change the sign?
 */
static bool widens(const Op *op)
{
    bool passes = op_only_reads(op) || op_has(op, MOVES) || op->code == OP_select ||
                  op->code == OP_abs || op->code == OP_neg || op->code == OP_bitcast ||
                  op->code == OP_hint || op->code == OP_const;

    if (passes)
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (plan_is_short_float(op->operands[i]->type))
            return true;
    }
    return op->nresults > 0 && plan_is_short_float(op->results[0]->type);
}

static void visit(Walk *w, const Visit *at)
{
    Value *v = at->value;
    ValueFacts *f = &w->pl->plan->facts[v->id];
    WideKey key = access_key(v, at->map);

    if (at->whole) {
        add_leaf(w, at, false);
        return;
    }
    if (map_get_wide(w->seen, key))
        return;
    map_put_wide(w->seen, key, v);
    if (v->type->rank > 0 && !at->inside) {
        buffer_early(w, f);
        buffer_repeated(w, at, f);
    }
    if (v->type->rank == 0 || (f->buffered && !at->inside)) {
        add_leaf(w, at, false);
        return;
    }
    int8_t in[MAX_RANK];
    Value *source = access_renamed(v, at->map, in);
    if (source) {
        visit_later(w, (Visit){.value = source, .rare = at->rare}, in);
        return;
    }
    if (op_only_reads(v->def))
        add_leaf(w, at, true);
    w->into->values++;
    w->into->work += at->rare ? 0 : plan_op_cost(v->def);
    w->into->branches |= plan_is_usual(v->def) || is_float_division(v->def);
    w->into->widens |= widens(v->def);
    visit_operands(w, v->def, at->map, at->rare);
}

void plan_leaves(Planner *pl, const Root *root, const Nest *open, Nest *into)
{
    Walk w = {.pl = pl, .into = into, .seen = map_new(pl->plan->arena)};

    w.open = open ? open->id : into->id;
    into->widens = root->kind != ROOT_STORE && root->kind != ROOT_FILL;
    if (root->kind != ROOT_FILL) {
        visit_operands(&w, root->op, plan_identity, false);
    } else if (root->source == NO_BUFFER) {
        Visit first = {.value = root->value};
        first.inside = pl->plan->facts[root->value->id].buffer == root->buffer;
        visit_later(&w, first, plan_identity);
    }
    while (w.todo.len > 0) {
        Visit at = w.todo.at[--w.todo.len];
        visit(&w, &at);
    }
}

static void pin(Planner *pl, const Value *load)
{
    pl->plan->facts[load->id].buffered = true;
    pl->changed = true;
}

/* No two elements of the tile are at one address. */
static bool no_repeats(const Planner *pl, Value *ptr)
{
    Plan *p = pl->plan;
    Repeats *known = &p->facts[ptr->id].repeats;

    if (*known == REPEATS_UNASKED)
        *known = access_distinct(p->arena, p->axis, ptr) ? REPEATS_NEVER : REPEATS_MAYBE;
    return *known == REPEATS_NEVER;
}

/* The load and the store or atomic touch the same element at the same index, and nothing else in
 * common. */
static bool same_element(const Planner *pl, const Leaf *load, const Op *write)
{
    return load->identity && load->value->def->operands[LOAD_PTR] == plan_pointer(write) &&
           no_repeats(pl, plan_pointer(write));
}

static bool is_write(const Root *r)
{
    return r->kind == ROOT_STORE || r->kind == ROOT_ATOMIC;
}

void plan_pin_loads(Planner *pl, const BlockState *st, const Root *root, const Nest *candidate,
                    int now)
{
    for (int i = 0; i < candidate->leaves.len; i++) {
        const Leaf *leaf = &candidate->leaves.at[i];
        if (!leaf->load)
            continue;
        const Value *ptr = leaf->value->def->operands[LOAD_PTR];
        int from = pl->plan->facts[leaf->value->id].order;
        for (int k = 0; k < st->writes.len; k++) {
            const Write *w = &st->writes.at[k];
            if (w->order > from && w->order < now && (!w->ptr || may_alias(pl->plan, ptr, w->ptr)))
                pin(pl, leaf->value);
        }
        if (is_write(root) && may_alias(pl->plan, ptr, plan_pointer(root->op)) &&
            !same_element(pl, leaf, root->op))
            pin(pl, leaf->value);
    }
}

static bool same_dims(const Nest *n, const Type *t)
{
    if (n->rank != t->rank)
        return false;
    for (int d = 0; d < n->rank; d++) {
        if (n->dims[d] != t->dims[d])
            return false;
    }
    return true;
}

/* Does the leaf read something that `r`, already in the nest, makes, other than at this index? */
static bool reads_result(const Planner *pl, const Leaf *leaf, const Root *r)
{
    if (r->kind == ROOT_FILL) {
        int buffer = pl->plan->facts[leaf->value->id].buffer;
        return buffer == r->buffer && !leaf->identity;
    }
    if (r->kind == ROOT_SCAN && r->op == leaf->value->def)
        return !leaf->identity;
    if (r->op == leaf->value->def && r->kind != ROOT_STORE)
        return true;
    return r->kind == ROOT_STORE && leaf->load &&
           may_alias(pl->plan, leaf->value->def->operands[LOAD_PTR], r->op->operands[STORE_PTR]);
}

static bool overwrites(const Planner *pl, const Leaf *old, const Root *root)
{
    if (root->kind == ROOT_FILL)
        return pl->plan->facts[old->value->id].buffer == root->buffer && !old->identity;
    return root->kind == ROOT_STORE && old->load &&
           may_alias(pl->plan, old->value->def->operands[LOAD_PTR],
                     root->op->operands[STORE_PTR]) &&
           !same_element(pl, old, root->op);
}

/* Two stores may reach one element, and not just each at its index. */
static bool stores_clash(const Planner *pl, const Op *x, const Op *y)
{
    Value *to = x->operands[STORE_PTR], *too = y->operands[STORE_PTR];

    return (to != too || !no_repeats(pl, too)) && may_alias(pl->plan, to, too);
}

bool plan_can_fuse(const Planner *pl, const Nest *open, const Root *root, const Nest *candidate)
{
    if (root->kind == ROOT_ATOMIC || root->kind == ROOT_SCAN ||
        !same_dims(open, plan_root_shape(root)))
        return false;
    for (int k = 0; k < open->roots.len; k++) {
        const Root *r = &open->roots.at[k];
        for (int i = 0; i < candidate->leaves.len; i++) {
            if (reads_result(pl, &candidate->leaves.at[i], r))
                return false;
        }
        if (r->kind == ROOT_STORE && root->kind == ROOT_STORE && stores_clash(pl, r->op, root->op))
            return false;
        if (root->source != NO_BUFFER && r->kind == ROOT_FILL && r->buffer == root->source)
            return false;
    }
    for (int i = 0; i < open->leaves.len; i++) {
        if (overwrites(pl, &open->leaves.at[i], root))
            return false;
    }
    return true;
}

/* --- the order of loops --- */

/* Of what has an element for each of the nest. */
enum { STORE_VOTES = 10, LOAD_VOTES = 4, BUFFER_VOTES = 2 };

/* Has it an element of its own for each of the nest? */
static bool is_whole(const Nest *n, const Leaf *leaf)
{
    int64_t all = 1;

    for (int d = 0; d < n->rank; d++)
        all *= n->dims[d];
    return type_numel(leaf->value->type) >= all;
}

/* Votes for the dimension along which this leaf is contiguous in memory, or in pieces of rows, or
 * in its buffer: half for rows that are the same for others. */
static void vote(const Planner *pl, const Nest *n, const Leaf *leaf, int *votes)
{
    const Type *t = leaf->value->type;

    if (t->rank == 0)
        return;
    bool whole = is_whole(n, leaf);
    if (leaf->load) {
        Value *ptr = leaf->value->def->operands[LOAD_PTR];
        const Axis *a = axis_of(pl->plan->axis, ptr);
        bool found = false;
        for (int d = 0; d < t->rank; d++) {
            if (leaf->map[d] < 0 || a->contiguity[d] <= 1)
                continue;
            votes[leaf->map[d]] += whole ? LOAD_VOTES : LOAD_VOTES / 2;
            found = true;
        }
        int dim = found ? -1 : plan_dimension_in_pieces(pl->plan, n, ptr, leaf->map);
        if (dim >= 0)
            votes[dim] += LOAD_VOTES;
        return;
    }
    int last = t->rank - 1;
    while (last > 0 && t->dims[last] == 1)
        last--;
    if (leaf->map[last] >= 0)
        votes[leaf->map[last]] += whole ? BUFFER_VOTES : BUFFER_VOTES / 2;
}

/* .. of a store more than of two loads: its lines are read, written in parts, and go back. */
static void vote_store(const Planner *pl, const Op *op, int *votes)
{
    const Value *ptr = op->operands[STORE_PTR];
    const Axis *a = axis_of(pl->plan->axis, ptr);

    for (int d = 0; d < ptr->type->rank; d++) {
        if (a->contiguity[d] > 1)
            votes[d] += STORE_VOTES;
    }
}

/* What goes through a tile's columns makes it column by column, where that does as well. */
static void turn_fill(Planner *pl, const Nest *n, const Root *r)
{
    bool along_columns = n->rank == 2 && n->order[1] == 0 && n->dims[1] > 1;

    if (r->kind == ROOT_FILL && r->value && along_columns && pl->plan->buffers.at[r->buffer].either)
        plan_turn(pl, r->buffer, r->value);
}

/* The dimension that most of what these roots access is contiguous along. */
static int inner_dimension(const Planner *pl, const Nest *n, const Root *roots, int nroots)
{
    int votes[MAX_RANK] = {0};

    for (int i = 0; i < n->leaves.len; i++)
        vote(pl, n, &n->leaves.at[i], votes);
    for (int i = 0; i < nroots; i++) {
        if (roots[i].kind == ROOT_STORE)
            vote_store(pl, roots[i].op, votes);
        if (roots[i].kind == ROOT_FILL)
            votes[n->rank - 1] += BUFFER_VOTES;
    }
    int inner = n->rank - 1;
    for (int d = n->rank - 1; d >= 0; d--) {
        if (n->dims[inner] == 1 || (n->dims[d] > 1 && votes[d] > votes[inner]))
            inner = d;
    }
    return inner;
}

static bool fills_either(const Planner *pl, const Root *r)
{
    return r->kind == ROOT_FILL && r->buffer >= 0 && pl->plan->buffers.at[r->buffer].either;
}

int plan_inner_dimension(const Planner *pl, const Nest *n)
{
    return inner_dimension(pl, n, n->roots.at, n->roots.len);
}

bool plan_goes_alike(const Planner *pl, const Nest *open, const Root *root, const Nest *candidate)
{
    bool either = fills_either(pl, root);

    for (int i = 0; i < open->roots.len; i++)
        either |= fills_either(pl, &open->roots.at[i]);
    return !either || plan_inner_dimension(pl, open) == inner_dimension(pl, candidate, root, 1);
}

void plan_choose_order(Planner *pl, Nest *n)
{
    int inner = plan_inner_dimension(pl, n), at = 0;

    for (int d = 0; d < n->rank; d++) {
        if (d != inner)
            n->order[at++] = d;
    }
    n->order[at] = inner;
    for (int i = 0; i < n->roots.len; i++)
        turn_fill(pl, n, &n->roots.at[i]);
}
