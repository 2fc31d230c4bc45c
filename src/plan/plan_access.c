/*
 * plan_access.c - the form of each access of a nest, and which masks become bounds of its loops
 *
 * An access takes the best form that its address permits along the inner dimension: one scalar, a
 * contiguous vector, upwards or downwards, one each of whose elements several lanes have, fields of
 * records that several loads share, elements at even steps, or an address for each lane.  Masks
 * that compare what steps evenly with something fixed in a row are bounds: below them the inner
 * loop needs no masks (cpu_nest.c).  Read axis/access.c first.
 */
#include "plan_internal.h"

enum {
    MAX_BOUNDS = 64,
    LEAST_LANES = 4,      /* for which looking at indices pays */
    LONG_ROW = 4096,      /* bytes, beside which two lines are little, .. */
    LONG_CUT_ROW = 16384, /* .. and two that are stored both ways */
    MASK_DEPTH = 12       /* ops of a mask that are looked at */
};

/* --- forms --- */

static bool is_contiguous(const Access *a)
{
    return a->ok && a->stride == 1 && !a->scale && a->every == 0 && a->flip == 0;
}

static bool is_spread(const Access *a)
{
    return a->ok && a->stride == 1 && !a->scale && a->every > 0;
}

static bool is_flipped(const Access *a)
{
    return a->ok && a->stride == 1 && !a->scale && a->flip > 0;
}

static bool is_backwards(const Access *a)
{
    return a->ok && a->stride == -1 && !a->scale && !a->chunked;
}

/* The index tile of ptr = base + index with a base that the inner dimension does not move, when
 * its dtype holds a run of all lanes. */
static Value *index_of_access(const Nest *n, const Value *ptr, const int8_t *map)
{
    if (!ptr->def || ptr->def->code != OP_addptr || n->lanes < LEAST_LANES)
        return NULL;
    Access base = access_of(n->space, ptr->def->operands[0], map);
    Value *index = ptr->def->operands[1];
    DType t = index->type->dtype;
    bool wide = dtype_bits(t) - dtype_is_signed(t) >= 8 || n->lanes < 1 << (dtype_bits(t) - 1);
    return wide && base.ok && !base.chunked && base.stride == 0 ? index : NULL;
}

/* Whether an operand of a load, of which the last two may be missing, differs along the nest. */
static bool any_follows(const Nest *n, const Op *op, const int8_t *map)
{
    bool follows = access_follows(n->space, op->operands[LOAD_PTR], map);

    for (int i = LOAD_MASK; i < op->noperands && !follows; i++)
        follows = op->operands[i] && access_follows(n->space, op->operands[i], map);
    return follows;
}

static AccessForm form_of(const Nest *n, const AccessPlan *a, bool is_load)
{
    if (a->steps.ok && a->steps.stride == 0)
        return FORM_SHARED;
    if (is_contiguous(&a->steps))
        return FORM_CONTIGUOUS;
    if (is_backwards(&a->steps) && !n->serial)
        return FORM_BACKWARDS;
    if (is_load && is_spread(&a->steps))
        return FORM_SPREAD;
    if (is_flipped(&a->steps))
        return FORM_FLIPPED;
    if (is_load && (plan_is_record(n, &a->steps) || plan_is_apart(n, &a->steps)))
        return FORM_RECORD;
    if (a->steps.ok)
        return FORM_STEPS;
    return a->index ? FORM_INDEXED : FORM_LANES;
}

static AccessPlan *plan_load(Plan *p, Nest *n, const Leaf *leaf)
{
    const Op *op = leaf->value->def;
    AccessPlan *a = NEW(p->arena, AccessPlan);

    if (n->serial || !any_follows(n, op, leaf->map))
        return a; /* uniform */
    a->steps = access_of(n->space, op->operands[LOAD_PTR], leaf->map);
    if (!a->steps.ok)
        a->index = index_of_access(n, op->operands[LOAD_PTR], leaf->map);
    a->form = form_of(n, a, true);
    return a;
}

/* Bytes, a power of two, that the address of every chunk is known to be a multiple of. */
static int64_t chunk_alignment(const Plan *p, const Nest *n, const Value *ptr)
{
    const Axis *a = axis_of(p->axis, ptr);

    if (!a || a->contiguity[n->order[n->rank - 1]] % n->lanes != 0 || n->space->anywhere)
        return 1;
    int64_t d = MAX(a->divisibility, 1);
    return d & -d;
}

/* May it be another one in another program, as far as `depth` ops show? */
static bool moves_with_program(const Value *v, int depth)
{
    if (!v->def) /* what a loop carries, or the kernel is given */
        return v->block->owner != NULL;
    bool moves = depth == 0 || v->def->code == OP_program_id || op_only_reads(v->def);
    for (int i = 0; i < v->def->noperands && !moves; i++)
        moves = moves_with_program(v->def->operands[i], depth - 1);
    return moves;
}

/* A line that is stored around the cache in part takes as long as many whole ones.  Of one row all
 * but the ends are whole, and these the next program completes, unless a mask that is the same in
 * each, `columns < width`, cuts the row; of several rows each would leave two that nobody does in
 * time. */
static bool stores_whole_lines(const Nest *n, const Op *op, int64_t align)
{
    const Type *t = op->operands[STORE_PTR]->type;
    const Value *mask = op_operand(op, STORE_MASK);
    int64_t rows = 1, bytes = (int64_t)n->dims[n->order[n->rank - 1]] * dtype_size(t->dtype);

    if (align >= NT_LINE)
        return true;
    if (mask && !moves_with_program(mask, MASK_DEPTH))
        return bytes >= LONG_CUT_ROW;
    for (int k = 0; k < n->rank - 1; k++)
        rows *= n->dims[n->order[k]];
    return rows == 1 || bytes >= LONG_ROW;
}

/* Does the kernel load from where it stores?  Then the lines are in the cache, and a store around
 * it has to drive them out first. */
bool plan_stores_in_place(const Plan *p, const Value *ptr)
{
    const Use *uses = uses_of(&p->uses, ptr);

    for (int i = 0; i < uses_count(&p->uses, ptr); i++) {
        if (op_only_reads(uses[i].op))
            return true;
    }
    return false;
}

static AccessPlan *plan_store(Plan *p, Nest *n, const Op *op)
{
    AccessPlan *a = NEW(p->arena, AccessPlan);

    a->steps = access_of(n->space, op->operands[STORE_PTR], plan_identity);
    a->form = form_of(n, a, false);
    if (a->form == FORM_LANES && plan_packs(p, n, op, &a->skip))
        a->form = FORM_PACKED;
    DType t = op->operands[STORE_PTR]->type->dtype;
    int64_t align = chunk_alignment(p, n, op->operands[STORE_PTR]);
    a->align = MIN(align, (int64_t)dtype_size(t) * n->lanes);
    a->streaming = p->options->streaming && a->form == FORM_CONTIGUOUS && a->align >= NT_LEAST &&
                   stores_whole_lines(n, op, align) &&
                   !plan_stores_in_place(p, op->operands[STORE_PTR]);
    return a;
}

/* --- bounds --- */

typedef struct {
    Value *value;
    int8_t map[MAX_RANK];
} Conjunct;

/* What is left of a mask, on a stack. */
typedef struct {
    Plan *p;
    Nest *n;
    VEC(Conjunct) todo;
} Conjuncts;

/* Is it a comparison that pieces were cut at?  It is no bound: there is as much to do on either
 * side, and one number says for all of a piece which accesses are off. */
static bool cuts_pieces(const Nest *n, const Value *v, const int8_t *map)
{
    int i = access_quotient(n->space, v, map);

    return i != NO_QUOTIENT && quotient_compares(&n->pieces.at[i]);
}

static void push_conjunct(Conjuncts *c, Value *v, const int8_t *map)
{
    Conjunct x = {.value = v};

    for (int d = 0; d < v->type->rank; d++)
        x.map[d] = map[d];
    vec_push(c->p->arena, &c->todo, x);
}

bool plan_same_place(const Bound *b, const Value *v, const int8_t *map)
{
    if (b->value != v)
        return false;
    for (int d = 0; d < v->type->rank; d++) {
        if (b->map[d] != map[d] && v->type->dims[d] > 1)
            return false;
    }
    return true;
}

static const Bound *find_bound(const Nest *n, const Value *v, const int8_t *map)
{
    for (int i = 0; i < n->bounds.len; i++) {
        if (plan_same_place(&n->bounds.at[i], v, map))
            return &n->bounds.at[i];
    }
    return NULL;
}

/* The next part that is no conjunction itself; false: none is left. */
static bool next_conjunct(Conjuncts *c, Conjunct *out)
{
    int8_t in[MAX_RANK];

    while (c->todo.len > 0) {
        Conjunct a = c->todo.at[--c->todo.len];
        const Value *v = a.value;
        bool whole = v->type->rank == 0 || !v->def || find_bound(c->n, v, a.map) ||
                     plan_buffer(c->p, v) != NO_BUFFER ||
                     (!access_follows(c->n->space, v, a.map) && !c->n->halved);
        Value *source = whole ? NULL : access_renamed(v, a.map, in);
        *out = a;
        if (source) {
            push_conjunct(c, source, in);
        } else if (!whole && v->def->code == OP_and) {
            push_conjunct(c, v->def->operands[1], a.map);
            push_conjunct(c, v->def->operands[0], a.map);
        } else {
            return true;
        }
    }
    return false;
}

static void add_bound(Plan *p, Nest *n, const Conjunct *c, BoundKind kind, int operand,
                      Access steps)
{
    Bound b = {.value = c->value, .kind = kind, .operand = operand, .steps = steps};

    for (int d = 0; d < c->value->type->rank; d++)
        b.map[d] = c->map[d];
    vec_push(p->arena, &n->bounds, b);
}

/* Is it a comparison, true up to some index of the row and false from there on, or the other way
 * round? */
static void compare_bound(Plan *p, Nest *n, const Conjunct *c)
{
    const Op *op = c->value->def;
    OpCode code = op->code;

    if (code != OP_lt && code != OP_le && code != OP_gt && code != OP_ge)
        return;
    const Type *t = op->operands[0]->type;
    int moving = access_follows(n->space, op->operands[0], c->map) ? 0 : 1;
    if (dtype_is_float(t->dtype) || t->dtype == DT_U64 || t->pointer ||
        access_follows(n->space, op->operands[1 - moving], c->map))
        return;
    BoundKind kind = (code == OP_lt || code == OP_le) == (moving == 0) ? BOUND_COMPARE : BOUND_FROM;
    Access a = access_of(n->space, op->operands[moving], c->map);
    if (a.ok && !a.chunked && a.stride > 0 && !a.scale)
        add_bound(p, n, c, kind, moving, a);
}

static void or_bound(Plan *p, Nest *n, const Conjunct *c)
{
    const Op *op = c->value->def;

    for (int i = 0; i < op->noperands; i++) {
        if (access_follows(n->space, op->operands[i], c->map))
            continue;
        add_bound(p, n, c, BOUND_OR, i, (Access){0});
        return;
    }
}

static bool is_true(const Value *v)
{
    uint64_t bits;

    return value_constant(v, &bits) && (bits & 1);
}

static void bound_mask(Plan *p, Nest *n, Value *mask, const int8_t *map)
{
    Conjuncts c = {.p = p, .n = n};
    Conjunct x;

    push_conjunct(&c, mask, map);
    while (n->bounds.len < MAX_BOUNDS && next_conjunct(&c, &x)) {
        const Value *v = x.value;
        if (find_bound(n, v, x.map) ||
            (v->type->rank > 0 && (cuts_pieces(n, v, x.map) || access_waits(n->space, v, x.map))))
            continue;
        if (v->type->rank == 0 || !access_follows(n->space, v, x.map)) {
            if (!is_true(v))
                add_bound(p, n, &x, BOUND_ROW, 0, (Access){0});
        } else if (plan_buffer(p, v) == NO_BUFFER && v->def) {
            (v->def->code == OP_or ? or_bound : compare_bound)(p, n, &x);
        }
    }
}

/* Is one of the conjuncts of a root's mask a bound, which is false behind it? */
static bool dies_with_bounds(Plan *p, Nest *n, Value *mask)
{
    Conjuncts c = {.p = p, .n = n};
    Conjunct x;

    if (!mask)
        return false;
    push_conjunct(&c, mask, plan_identity);
    while (next_conjunct(&c, &x)) {
        const Bound *b = find_bound(n, x.value, x.map);
        if (b && bound_ends(b))
            return true;
    }
    return false;
}

/* --- bounds that all masks have --- */

/* Of a mask's conjuncts, how many are bounds that end, and is `b` one of them? */
static int count_bounds(Plan *p, Nest *n, Value *mask, const int8_t *map, const Bound *b, bool *has)
{
    Conjuncts c = {.p = p, .n = n};
    Conjunct x;
    int count = 0;

    *has = false;
    push_conjunct(&c, mask, map);
    while (next_conjunct(&c, &x)) {
        const Bound *found = find_bound(n, x.value, x.map);
        count += found && bound_ends(found);
        *has |= found == b;
    }
    return count;
}

/* Do all roots of a nest have the bound in their masks? */
static bool bounds_all_roots(Plan *p, Nest *n, const Bound *b)
{
    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        Value *mask = plan_root_mask(r);
        bool has = false;

        if (mask)
            count_bounds(p, n, mask, plan_identity, b, &has);
        if (!has)
            return false;
    }
    return true;
}

/* Do all masks that have bounds have this one? */
static bool bounds_all_masks(Plan *p, Nest *n, const Bound *b)
{
    bool has;

    for (int i = 0; i < n->leaves.len; i++) {
        const Leaf *leaf = &n->leaves.at[i];
        Value *mask = leaf->load ? op_operand(leaf->value->def, LOAD_MASK) : NULL;

        if (mask && count_bounds(p, n, mask, leaf->map, b, &has) > 0 && !has)
            return false;
    }
    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        Value *mask = plan_root_mask(r);

        if (mask && count_bounds(p, n, mask, plan_identity, b, &has) > 0 && !has)
            return false;
    }
    return true;
}

/* A row that is dead as a whole, and what lies behind the end of one, should not be gone through
 * with masks that are false: processors take hundreds of cycles for an access of which all lanes
 * are off where there is no memory. */
static void find_last_bounds(Plan *p, Nest *n)
{
    for (int i = 0; n->bounds.len > 1 && i < n->bounds.len; i++) {
        Bound *b = &n->bounds.at[i];

        b->is_last = bound_ends(b) && (bounds_all_roots(p, n, b) || bounds_all_masks(p, n, b));
    }
}

bool plan_ends_with_bounds(Plan *p, Nest *n, Value *mask, const int8_t *map)
{
    bool has = false;

    for (int i = 0; i < n->bounds.len; i++) {
        const Bound *b = &n->bounds.at[i];
        if (b->is_last)
            count_bounds(p, n, mask, map, b, &has);
        if (b->is_last && !has)
            return false;
    }
    return has;
}

/* Is it a conjunct of the mask? */
static bool has_bound(Plan *p, Nest *n, Value *mask, const int8_t *map, const Bound *b)
{
    bool has;

    count_bounds(p, n, mask, map, b, &has);
    return has;
}

bool plan_bounds_meet(Plan *p, Nest *n)
{
    for (int i = 0; i < n->leaves.len; i++) {
        const Leaf *leaf = &n->leaves.at[i];
        Value *mask = leaf->load ? op_operand(leaf->value->def, LOAD_MASK) : NULL;
        int has = 0;

        for (int k = 0; mask && k < n->bounds.len; k++)
            has += has_bound(p, n, mask, leaf->map, &n->bounds.at[k]);
        if (has != 0 && has != n->bounds.len)
            return false;
    }
    return true;
}

static void find_bounds(Plan *p, Nest *n)
{
    for (int i = 0; i < n->leaves.len; i++) {
        const Leaf *leaf = &n->leaves.at[i];
        const Op *op = leaf->value->def;
        Value *mask = leaf->load ? op_operand(op, LOAD_MASK) : NULL;
        if (mask && leaf->value->type->rank > 0 &&
            (access_follows(n->space, op->operands[LOAD_PTR], leaf->map) ||
             access_follows(n->space, mask, leaf->map)))
            bound_mask(p, n, mask, leaf->map);
    }
    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        Value *mask = plan_root_mask(r);
        if (mask)
            bound_mask(p, n, mask, plan_identity);
    }
    find_last_bounds(p, n);
}

/* --- nests --- */

bool plan_has_buffer(const void *plan, const Value *v)
{
    return plan_buffer(plan, v) != NO_BUFFER;
}

static AccessPlan *plan_root_access(Plan *p, Nest *n, const Root *r)
{
    if (r->kind != ROOT_STORE && (r->kind != ROOT_ATOMIC || n->serial))
        return NULL;
    AccessPlan *a = plan_store(p, n, r->op);
    a->streaming &= r->kind == ROOT_STORE;
    return a;
}

/* Of nests that go element by element those of atomics alone. */
static bool may_have_bounds(const Nest *n)
{
    return !n->serial || n->roots.at[0].kind == ROOT_ATOMIC;
}

/* An atomic whose result is asked for, 0 where it is masked off? */
static bool gives_zeros(const Plan *p, const Root *r)
{
    return r->kind == ROOT_ATOMIC && uses_count(&p->uses, r->op->results[0]) > 0;
}

void plan_accesses(Plan *p, Nest *n)
{
    n->access = map_new(p->arena);
    for (int i = 0; i < n->leaves.len; i++) {
        Leaf *leaf = &n->leaves.at[i];
        if (!leaf->load)
            continue;
        WideKey key = access_key(leaf->value, leaf->map);
        leaf->access = map_get_wide(n->access, key); /* of two roots, it may be there twice */
        if (!leaf->access)
            map_put_wide(n->access, key, leaf->access = plan_load(p, n, leaf));
    }
    for (int i = 0; i < n->leaves.len; i++) {
        const AccessPlan *a = n->leaves.at[i].access;
        if (a && a->form == FORM_RECORD && !a->group)
            plan_group_loads(p, n, i);
    }
    if (may_have_bounds(n))
        find_bounds(p, n);
    for (int i = 0; i < n->roots.len; i++) {
        Root *r = &n->roots.at[i];
        r->access = plan_root_access(p, n, r);
        r->dies = !gives_zeros(p, r) && dies_with_bounds(p, n, plan_root_mask(r));
    }
    for (int i = 0; i < n->roots.len; i++) {
        const AccessPlan *a = n->roots.at[i].access;
        if (a && a->form == FORM_STEPS && !n->serial && plan_is_record(n, &a->steps))
            plan_group_stores(p, n, i);
    }
}
