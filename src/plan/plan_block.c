/*
 * plan_block.c - list the steps of a block, in program order
 *
 * Scalar ops are steps of their own.  Roots go to the open nest when plan_order.c allows it, else
 * the open nest is closed and a new one is opened.  Pure scalar ops that do not need the open
 * nest's results are listed in front of it, so that they do not split it.  For debuggers nothing is
 * shared and nothing overtakes: statements come one after the other.
 */
#include "plan_internal.h"

int plan_add_buffer(Planner *pl, DType t, int64_t elements)
{
    Buffer b = {.dtype = t, .bytes = elements * dtype_size(t)};

    vec_push(pl->plan->arena, &pl->plan->buffers, b);
    return pl->plan->buffers.len - 1;
}

int plan_new_buffer(Planner *pl, const Type *t)
{
    Plan *p = pl->plan;
    Buffer b = {.pointer = true, .dtype = t->dtype, .bytes = type_numel(t) * 8};

    if (!t->pointer)
        return plan_add_buffer(pl, plan_register_dtype(t->dtype), type_numel(t));
    vec_push(p->arena, &p->buffers, b);
    return p->buffers.len - 1;
}

/* Most atomics go lane by lane, and so do combine functions that lanes cannot share. */
static bool one_by_one(Plan *p, const Nest *n)
{
    const Root *r = &n->roots.at[0];

    return r->combine ||
           (r->kind == ROOT_ATOMIC && (r->buffer != NO_BUFFER || !plan_adds_rows(p, n)));
}

static void flush(Planner *pl, BlockState *st)
{
    if (!st->open)
        return;
    plan_choose_order(pl, st->open);
    st->open->serial = one_by_one(pl->plan, st->open);
    Step s = {.kind = STEP_NEST, .nest = st->open};
    vec_push(pl->plan->arena, &st->out->steps, s);
    st->open = NULL;
}

static Nest *new_nest(Planner *pl, const Type *shape)
{
    Nest *n = NEW(pl->plan->arena, Nest);

    n->id = pl->next_nest++;
    n->rank = shape->rank;
    for (int d = 0; d < shape->rank; d++)
        n->dims[d] = shape->dims[d];
    return n;
}

static bool makes(const Root *r, const Value *v)
{
    return r->kind == ROOT_FILL ? r->value == v : v->def == r->op;
}

static bool needs_open(const BlockState *st, const Op *op)
{
    if (!st->open)
        return false;
    for (int i = 0; i < op->noperands; i++) {
        for (int k = 0; k < st->open->roots.len; k++) {
            if (makes(&st->open->roots.at[k], op->operands[i]))
                return true;
        }
    }
    return false;
}

/* The same of what a region takes from outside. */
static bool region_needs_open(const BlockState *st, const Block *b)
{
    for (const Op *op = b->first; op; op = op->next) {
        if (needs_open(st, op))
            return true;
        for (int r = 0; r < 2 && op->regions[r]; r++) {
            if (region_needs_open(st, op->regions[r]))
                return true;
        }
    }
    return false;
}

/* What is not always filled has a nest of its own. */
static int kept_by(const Plan *p, const Root *root)
{
    bool is_own = root->kind == ROOT_FILL && root->source == NO_BUFFER && root->buffer >= 0;

    return is_own ? p->buffers.at[root->buffer].keep : 0;
}

/* Of a scan by vectors each element is there once its place has been reached: what is done with it
 * element by element may follow at once. */
static bool follows_scan(const Nest *open, const Root *root)
{
    const Root *first = &open->roots.at[0];

    if (first->kind != ROOT_SCAN)
        return true;
    return !first->combine && (root->kind == ROOT_STORE || root->kind == ROOT_FILL);
}

/* May the root join the open nest? */
static bool joins_open(const Planner *pl, const BlockState *st, const Root *root,
                       const Nest *candidate)
{
    const Block *region = root->op ? root->op->regions[0] : NULL;

    if (pl->plan->options->debug || root->combine || (region && region_needs_open(st, region)))
        return false;
    if (kept_by(pl->plan, root) != 0 || st->open->keep != 0 || !follows_scan(st->open, root))
        return false;
    return plan_can_fuse(pl, st->open, root, candidate) &&
           plan_goes_alike(pl, st->open, root, candidate);
}

static void add_root(Planner *pl, BlockState *st, Root root, int now)
{
    Arena *a = pl->plan->arena;
    Nest *candidate = new_nest(pl, plan_root_shape(&root));

    plan_leaves(pl, &root, st->open, candidate);
    plan_pin_loads(pl, st, &root, candidate, now);
    if (st->open && !joins_open(pl, st, &root, candidate))
        flush(pl, st);
    if (!st->open) {
        st->open = candidate;
        st->open->keep = kept_by(pl->plan, &root);
    } else {
        st->open->work += candidate->work;
        st->open->values += candidate->values;
        st->open->branches |= candidate->branches;
        st->open->widens |= candidate->widens;
        for (int i = 0; i < candidate->leaves.len; i++)
            vec_push(a, &st->open->leaves, candidate->leaves.at[i]);
    }
    vec_push(a, &st->open->roots, root);
    if (root.kind == ROOT_FILL)
        pl->plan->facts[root.value->id].fill_nest = st->open->id;
    else
        map_put(pl->nest_of_op, MAP_KEY(root.op), (void *)(intptr_t)(st->open->id + 1));
    if (root.kind == ROOT_ATOMIC || root.combine)
        flush(pl, st);
}

static void add_fill(Planner *pl, BlockState *st, Value *v, int buffer, int source, int now)
{
    add_root(pl, st, (Root){.kind = ROOT_FILL, .value = v, .buffer = buffer, .source = source},
             now);
}

static void add_step(Planner *pl, BlockState *st, StepKind kind, Op *op)
{
    bool pure_scalar = kind == STEP_SCALAR && !op_has(op, READS | WRITES | EFFECT);

    if (!pure_scalar || pl->plan->options->debug || needs_open(st, op))
        flush(pl, st);
    Step s = {.kind = kind, .op = op};
    vec_push(pl->plan->arena, &st->out->steps, s);
}

/* --- writes --- */

typedef struct {
    Planner *pl;
    BlockState *st;
    int order;
} WriteWalk;

/* No access moves past it: other programs may write in between. */
static bool orders_memory(const Op *op)
{
    if (op->code == OP_atomic_rmw)
        return attr_sem(op) != SEM_RELAXED;
    return op->code == OP_barrier || op->code == OP_atomic_cas;
}

static void note_write(Op *op, void *ctx)
{
    WriteWalk *w = ctx;

    if (op->code != OP_store && !orders_memory(op) && op->code != OP_atomic_rmw)
        return;
    Write write = {.ptr = orders_memory(op) ? NULL : plan_pointer(op), .order = w->order};
    vec_push(w->pl->plan->arena, &w->st->writes, write);
}

static void note_writes(Planner *pl, BlockState *st, Op *op, int order)
{
    WriteWalk w = {pl, st, order};

    note_write(op, &w);
    for (int r = 0; r < 2; r++) {
        if (op->regions[r])
            ir_walk(op->regions[r], note_write, &w);
    }
}

/* --- loops and ifs --- */

static bool reads_buffer(const Nest *candidate, const Plan *p, int buffer, bool own)
{
    for (int i = 0; i < candidate->leaves.len; i++) {
        const Leaf *leaf = &candidate->leaves.at[i];
        if (p->facts[leaf->value->id].buffer == buffer && !(own && leaf->identity))
            return true;
    }
    return false;
}

/* Of fills that are only tried.  No value has it, NO_BUFFER many have: what is kept in a buffer of
 * its own is read from there and not computed. */
enum { TRIAL_BUFFER = NO_BUFFER - 1 };

/* Filling `carried[j]` in place would spoil what a yield still has to read. */
static bool needs_copy(Planner *pl, const Op *yield, int first, const int *carried, int j)
{
    for (int k = first; k < yield->noperands; k++) {
        Value *v = yield->operands[k];
        if (v->type->rank == 0)
            continue;
        Root root = {.kind = ROOT_FILL, .value = v, .buffer = TRIAL_BUFFER, .source = NO_BUFFER};
        Nest *candidate = new_nest(pl, v->type);
        plan_leaves(pl, &root, NULL, candidate);
        if (reads_buffer(candidate, pl->plan, carried[j], k - first == j))
            return true;
    }
    return false;
}

static void fill_carried(Planner *pl, BlockState *st, Op *yield, int first, const int *carried,
                         int now)
{
    Plan *p = pl->plan;
    int n = yield->noperands - first;
    int *copies = NEW_N(p->arena, int, n);

    for (int j = 0; j < n; j++) {
        Value *v = yield->operands[first + j];
        copies[j] = NO_BUFFER;
        if (carried[j] == NO_BUFFER || p->facts[v->id].buffer == carried[j])
            continue;
        if (needs_copy(pl, yield, first, carried, j))
            copies[j] = plan_new_buffer(pl, v->type);
    }
    for (int j = 0; j < n; j++) {
        Value *v = yield->operands[first + j];
        if (carried[j] != NO_BUFFER && p->facts[v->id].buffer != carried[j])
            add_fill(pl, st, v, copies[j] == NO_BUFFER ? carried[j] : copies[j], NO_BUFFER, now);
    }
    for (int j = 0; j < n; j++) {
        if (copies[j] != NO_BUFFER)
            add_fill(pl, st, yield->operands[first + j], carried[j], copies[j], now);
    }
}

/* One buffer for each tile among the values; the same is given to `also` when not NULL. */
static int *carry_buffers(Planner *pl, Value *const *values, Value *const *also, int n)
{
    int *out = NEW_N(pl->plan->arena, int, MAX(n, 1));

    for (int i = 0; i < n; i++) {
        out[i] = values[i]->type->rank > 0 ? plan_new_buffer(pl, values[i]->type) : NO_BUFFER;
        pl->plan->facts[values[i]->id].buffer = out[i];
        if (also)
            pl->plan->facts[also[i]->id].buffer = out[i];
    }
    return out;
}

static void fill_inits(Planner *pl, BlockState *st, Op *op, int first, const int *buffers, int now)
{
    for (int i = first; i < op->noperands; i++) {
        if (buffers[i - first] != NO_BUFFER)
            add_fill(pl, st, op->operands[i], buffers[i - first], NO_BUFFER, now);
    }
}

static void plan_for(Planner *pl, BlockState *st, Op *op, int now)
{
    Block *body = op->regions[0];
    int *buffers = carry_buffers(pl, body->args + 1, op->results, op->nresults);

    fill_inits(pl, st, op, FOR_BOUNDS, buffers, now);
    flush(pl, st);
    Step s = {.kind = STEP_FOR, .op = op, .body = {plan_block(pl, body, buffers)}};
    vec_push(pl->plan->arena, &st->out->steps, s);
}

/* What `condition` passes on lives in the results' buffers, which region 1's arguments share. */
static void plan_while(Planner *pl, BlockState *st, Op *op, int now)
{
    Block *before = op->regions[0], *body = op->regions[1];
    int *carried = carry_buffers(pl, before->args, NULL, before->nargs);
    int *passed = carry_buffers(pl, op->results, body->args, op->nresults);

    fill_inits(pl, st, op, 0, carried, now);
    flush(pl, st);
    Step s = {.kind = STEP_WHILE, .op = op};
    s.body[0] = plan_block(pl, before, passed);
    s.body[1] = plan_block(pl, body, carried);
    vec_push(pl->plan->arena, &st->out->steps, s);
}

static void plan_if(Planner *pl, BlockState *st, Op *op)
{
    int *buffers = carry_buffers(pl, op->results, NULL, op->nresults);

    flush(pl, st);
    Step s = {.kind = STEP_IF, .op = op};
    s.body[0] = plan_block(pl, op->regions[0], buffers);
    s.body[1] = plan_block(pl, op->regions[1], buffers);
    vec_push(pl->plan->arena, &st->out->steps, s);
}

/* --- dot --- */

/* The argument of the enclosing loop that `v` is made from by ops that nobody else looks at. */
static const Value *sole_source(const Planner *pl, const Value *v, const Block *loop_body,
                                int depth)
{
    if (uses_count(&pl->plan->uses, v) != 1 || v->type->rank == 0 || depth > 8)
        return NULL;
    if (!v->def)
        return v->block == loop_body && v->block->owner ? v : NULL;
    if (!op_is_elementwise(v->def))
        return NULL;
    const Value *found = NULL;
    for (int i = 0; i < v->def->noperands && !found; i++)
        found = sole_source(pl, v->def->operands[i], loop_body, depth + 1);
    return found;
}

/* A dot whose accumulator is the loop's own carried tile works in place: its result is the
 * carried buffer when nothing else reads either. */
static int dot_buffer(Planner *pl, const Op *op, const int *carried)
{
    const Value *result = op->results[0];
    const Op *yield = op->block->last;
    const Value *source = sole_source(pl, op->operands[DOT_ACC], op->block, 0);

    if (!carried || !source || uses_count(&pl->plan->uses, result) != 1)
        return NO_BUFFER;
    int first = yield->code == OP_condition ? 1 : 0;
    for (int i = first; i < yield->noperands; i++) {
        if (yield->operands[i] == result &&
            pl->plan->facts[source->id].buffer == carried[i - first])
            return carried[i - first];
    }
    return NO_BUFFER;
}

static void plan_product(Planner *pl, BlockState *st, Op *op, const int *carried, int now)
{
    Value *result = op->results[0];
    int buffer = dot_buffer(pl, op, carried);

    if (buffer == NO_BUFFER)
        buffer = plan_new_buffer(pl, result->type);
    pl->plan->facts[result->id].buffer = buffer;
    flush(pl, st); /* operands may be read in place, and the sum may begin as zero in registers */
    if (pl->plan->facts[op->operands[DOT_ACC]->id].buffer != buffer)
        add_fill(pl, st, op->operands[DOT_ACC], buffer, NO_BUFFER, now);
    flush(pl, st);
    Step s = {.kind = STEP_DOT, .op = op, .dot = plan_dot(pl, op)};
    vec_push(pl->plan->arena, &st->out->steps, s);
}

/* --- sort --- */

/* It goes row by row, through memory for two of them, rounded up. */
static void plan_sort(Planner *pl, BlockState *st, Op *op)
{
    Value *result = op->results[0];
    Type work = *op->operands[0]->type;

    work.dims[0] = 2 << plan_sort_bits(&work);
    work.rank = 1;
    pl->plan->facts[result->id].buffer = plan_new_buffer(pl, result->type);
    flush(pl, st);
    Step s = {.kind = STEP_SORT, .op = op, .sort = {.work = plan_new_buffer(pl, &work)}};
    vec_push(pl->plan->arena, &st->out->steps, s);
}

/* --- records --- */

/* Its tiles are whole in front of it: those that have no buffer anyway get one for this. */
static void plan_record(Planner *pl, BlockState *st, Op *op, int now)
{
    int *buffers = NEW_N(pl->plan->arena, int, op->noperands + 1);

    for (int i = 0; i < op->noperands; i++) {
        Value *v = op->operands[i];
        buffers[i] = pl->plan->facts[v->id].buffer;
        if (v->type->rank == 0 || buffers[i] != NO_BUFFER)
            continue;
        buffers[i] = plan_new_buffer(pl, v->type);
        add_fill(pl, st, v, buffers[i], NO_BUFFER, now);
    }
    flush(pl, st);
    Step s = {.kind = STEP_RECORD, .op = op, .buffers = buffers};
    vec_push(pl->plan->arena, &st->out->steps, s);
}

/* --- ops --- */

/* An element that is counted where the last one was waits for it.  Neighbours have tables of their
 * own, which are added up at the end, where that costs little and they stay in the first cache. */
static void count_in_tables(Plan *p, const Op *op)
{
    enum { LINE = 16, MOST_TABLES = 4, FEW = 4096 };
    int64_t bins = type_numel(op->results[0]->type), table = (bins + LINE) / LINE * LINE;
    int64_t often = type_numel(op->operands[HISTOGRAM_VALUES]->type) / bins;
    Buffer *b = &p->buffers.at[p->facts[op->results[0]->id].buffer];

    b->table = table;
    b->tables = 1;
    while (b->tables < MOST_TABLES && 4 * b->tables <= often && 2 * b->tables * table <= FEW)
        b->tables *= 2;
    b->bytes = b->tables * table * dtype_size(b->dtype);
}

static void plan_tile_results(Planner *pl, const Op *op)
{
    for (int i = 0; i < op->nresults; i++) {
        if (op->results[i]->type->rank > 0)
            pl->plan->facts[op->results[i]->id].buffer = plan_new_buffer(pl, op->results[i]->type);
    }
    if (op->code == OP_histogram)
        count_in_tables(pl->plan, op);
}

/* Can the lanes of a vector run this region together? */
static bool runs_on_lanes(const Block *b)
{
    for (const Op *op = b->first; op; op = op->next) {
        if (op->code == OP_for || op->code == OP_while || op_has(op, READS | WRITES | EFFECT))
            return false;
        for (int r = 0; r < 2 && op->regions[r]; r++) {
            if (!runs_on_lanes(op->regions[r]))
                return false;
        }
    }
    return true;
}

/* The steps of a combine region, which are scalar.  For the rest of the plan they happen where
 * the op stands. */
static BlockPlan *plan_region(Planner *pl, const Op *op)
{
    int order = pl->order;
    const int *none = carry_buffers(pl, op->regions[0]->args, NULL, op->noperands);
    BlockPlan *out = plan_block(pl, op->regions[0], none);

    pl->order = order;
    return out;
}

static void plan_root(Planner *pl, BlockState *st, RootKind kind, Op *op, int now)
{
    Root root = {.kind = kind, .op = op, .buffer = NO_BUFFER, .source = NO_BUFFER};

    if (op->regions[0] && !runs_on_lanes(op->regions[0])) {
        root.combine = plan_region(pl, op);
        note_writes(pl, st, op, now++); /* its operands are whole before it writes */
    }
    if (kind == ROOT_ATOMIC)
        root.buffer = plan_tally(pl, op);
    if (kind != ROOT_ATOMIC || uses_count(&pl->plan->uses, op->results[0]) > 0)
        plan_tile_results(pl, op);
    add_root(pl, st, root, now);
}

static bool accesses_tile(const Op *op)
{
    return plan_pointer(op)->type->rank > 0;
}

static void plan_value(Planner *pl, BlockState *st, Op *op, int now)
{
    if (op->nresults == 0)
        return;
    Value *v = op->results[0];
    ValueFacts *f = &pl->plan->facts[v->id];
    if (v->type->rank == 0) {
        add_step(pl, st, STEP_SCALAR, op);
    } else if (f->buffered && uses_count(&pl->plan->uses, f->value) > 0) {
        f->buffer = plan_buffer_for(pl, v);
        add_fill(pl, st, v, f->buffer, NO_BUFFER, now);
    }
}

static void plan_op(Planner *pl, BlockState *st, Op *op, const int *carried, int now)
{
    switch (op->code) {
    case OP_store:
    case OP_atomic_rmw:
    case OP_atomic_cas:
        if (accesses_tile(op))
            plan_root(pl, st, op->code == OP_store ? ROOT_STORE : ROOT_ATOMIC, op, now);
        else
            add_step(pl, st, STEP_SCALAR, op);
        break;
    case OP_reduce:
    case OP_scan:
        plan_root(pl, st, op->code == OP_reduce ? ROOT_REDUCE : ROOT_SCAN, op, now);
        break;
    case OP_histogram:
        plan_root(pl, st, ROOT_COUNT, op, now);
        break;
    case OP_dot:
        plan_product(pl, st, op, carried, now);
        break;
    case OP_sort:
        plan_sort(pl, st, op);
        break;
    case OP_for:
        plan_for(pl, st, op, now);
        break;
    case OP_while:
        plan_while(pl, st, op, now);
        break;
    case OP_if:
        plan_if(pl, st, op);
        break;
    case OP_yield:
    case OP_condition:
        fill_carried(pl, st, op, op->code == OP_condition ? 1 : 0, carried, now);
        flush(pl, st);
        break;
    case OP_record:
        plan_record(pl, st, op, now);
        break;
    case OP_barrier:
        add_step(pl, st, STEP_SCALAR, op);
        break;
    case OP_assume:
    case OP_return:
        break;
    default:
        plan_value(pl, st, op, now);
        break;
    }
}

BlockPlan *plan_block(Planner *pl, Block *b, const int *carried)
{
    BlockState st = {.out = NEW(pl->plan->arena, BlockPlan)};

    for (Op *op = b->first; op; op = op->next) {
        int now = pl->order = pl->order + 1;
        plan_op(pl, &st, op, carried, now);
        note_writes(pl, &st, op, now);
    }
    flush(pl, &st);
    return st.out;
}
