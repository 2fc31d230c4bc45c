/*
 * plan_ahead.c - let memory work while a program computes
 *
 * A row kernel reads its row from memory in one nest and computes on the cached copy in the next
 * ones; during those the memory idles.  So all nests that read a row also prefetch what the next
 * program will read first, each a share that fits its cost: memory is asked at an even pace, which
 * leaves room for what the nests store.  A row that only one nest reads is prefetched there,
 * because the processor's own prefetching stops at the end of a page.  A row is a tile of one
 * dimension that is read outside of loops or in one, whose next round is then what comes next; of
 * short ones that a loop walks over each asks for the one that comes some rounds later.
 *
 * Rows of a larger tile that are short, and far from each other, end before the processor has seen
 * where they go, and what is computed of one fills its window: so each asks for a whole row some
 * rows on, which may lie behind the tile, where the loop or the next program goes on.
 *
 * Of such rows, where they become an operand of a product in a loop, the product asks for those of
 * the next round (cpu_dot_ahead.c): while it multiplies, nobody else asks for anything.
 *
 * Only launches that move more than the cache holds ask for it.  Where the next row is, the
 * generated code finds out by itself: as far from this row as this one is from the one before.  Of
 * rows that an index from memory picks that says nothing.
 */
#include "plan_internal.h"

/* A load and the nests that read it. */
typedef struct {
    const Leaf *leaf;
    VEC(Nest *) nests;
} Row;

enum {
    CACHE_LINE = 64,
    SHORT_ROW = 1024,   /* bytes: the processor has hardly seen where it goes when it ends */
    AHEAD_BYTES = 4096, /* that are on their way */
    LEAST_ROWS = 8,
    MOST_ROWS = 16,
    OVERHEAD = 4, /* of a vector: its load and the loop, about in instructions */
    LEVEL_1_ROW =
        8 << 10 /* bytes: two such rows and a buffer leave room in any first-level cache */
};

static int nest_cost(const Plan *p, const Nest *n)
{
    int cost = 0;

    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        const Value *v = r->kind == ROOT_FILL
                             ? r->value
                             : r->op->operands[r->kind == ROOT_STORE ? STORE_DATA : 0];
        cost += OVERHEAD + p->facts[v->id].cost;
    }
    return cost;
}

/* Is its place made of something that was loaded, a tile of at least that rank? */
static bool is_picked(const Plan *p, const Leaf *leaf, int rank)
{
    VEC(const Value *) todo = {0};
    Map *seen = map_new(p->arena);

    vec_push(p->arena, &todo, leaf->value->def->operands[LOAD_PTR]);
    while (todo.len > 0) {
        const Value *v = todo.at[--todo.len];
        if (!v->def || map_get(seen, MAP_KEY(v)))
            continue;
        if (v->def->code == OP_load && v->type->rank >= rank)
            return true;
        map_put(seen, MAP_KEY(v), v->def);
        for (int i = 0; i < v->def->noperands; i++)
            vec_push(p->arena, &todo, v->def->operands[i]);
    }
    return false;
}

static bool known_contiguous(const Plan *p, const Leaf *leaf)
{
    const Axis *a = axis_of(p->axis, leaf->value->def->operands[LOAD_PTR]);

    return a && leaf->identity && a->contiguity[0] == leaf->value->type->dims[0] &&
           !is_picked(p, leaf, 0);
}

static void see(Plan *p, Map *rows, Nest *n, const Leaf *leaf)
{
    if (!leaf->load || !known_contiguous(p, leaf))
        return;
    Row *r = map_get(rows, MAP_KEY(leaf->value));
    if (!r) {
        r = NEW(p->arena, Row);
        r->leaf = leaf;
        map_put(rows, MAP_KEY(leaf->value), r);
    }
    if (r->nests.len == 0 || r->nests.at[r->nests.len - 1] != n)
        vec_push(p->arena, &r->nests, n);
}

static int64_t row_bytes(const Row *r)
{
    const Type *t = r->leaf->value->type;

    return (int64_t)t->dims[0] * (t->pointer ? 8 : dtype_size(t->dtype));
}

/* A short row that is computed on for long has time to come all the way. */
static int cache_level(const Row *r)
{
    return r->nests.len > 1 && row_bytes(r) <= LEVEL_1_ROW ? 1 : 2;
}

/* Rounded sums, so that the shares make a whole. */
static void share_out(Plan *p, const Row *r)
{
    int total = 0, sum = 0, first = 0, level = cache_level(r);

    for (int i = 0; i < r->nests.len; i++)
        total += nest_cost(p, r->nests.at[i]);
    for (int i = 0; i < r->nests.len; i++) {
        sum += nest_cost(p, r->nests.at[i]);
        int end = (int)(((int64_t)sum * AHEAD_PARTS + total / 2) / MAX(total, 1));
        if (end > first)
            vec_push(p->arena, &r->nests.at[i]->ahead,
                     ((Ahead){*r->leaf, first, end - first, level}));
        first = end;
    }
}

/* What a loop reads again in each round is there. */
static bool stays(const Leaf *leaf, const Block *loop)
{
    return leaf->load && leaf->value->def->operands[LOAD_PTR]->block != loop;
}

/* Does the loop go on by what no constant says, as by the number of programs? */
static bool jumps(const Block *loop)
{
    int64_t step;

    return loop->owner->code == OP_for && !value_const_int(loop->owner->operands[FOR_STEP], &step);
}

/* A short tile that a loop walks over is asked for some rounds before its turn. */
static void ask_for_round(Plan *p, const Row *r)
{
    int bytes = (int)row_bytes(r);

    if (bytes < CACHE_LINE)
        return;
    Ahead a = {*r->leaf, .level = 1, .rows = MIN(AHEAD_BYTES / bytes, MOST_ROWS)};
    vec_push(p->arena, &r->nests.at[0]->ahead, a);
}

/* The rows that a block's nests read. */
static void look_in(Plan *p, const BlockPlan *b, const Block *loop)
{
    Map *rows = map_new(p->arena);

    for (int i = 0; i < b->steps.len; i++) {
        Nest *n = b->steps.at[i].nest;
        for (int k = 0; n && n->rank == 1 && !n->serial && k < n->leaves.len; k++) {
            if (!loop || !stays(&n->leaves.at[k], loop))
                see(p, rows, n, &n->leaves.at[k]);
        }
    }
    for (int i = 0; i < b->steps.len; i++) {
        Nest *n = b->steps.at[i].nest;
        for (int k = 0; n && k < n->leaves.len; k++) {
            const Row *r = map_get(rows, MAP_KEY(n->leaves.at[k].value));
            if (!r || r->leaf != &n->leaves.at[k])
                continue;
            if (!loop || r->nests.len > 1 || jumps(loop) || row_bytes(r) > SHORT_ROW)
                share_out(p, r);
            else
                ask_for_round(p, r);
        }
    }
}

/* Short rows, each at a place of its own: the dimension of the nest that they follow is neither
 * repeated nor theirs. */
static int bytes_of_row(const Plan *p, const Nest *n, const Leaf *leaf)
{
    const Type *t = leaf->value->type;
    const Axis *a = axis_of(p->axis, leaf->value->def->operands[LOAD_PTR]);
    int inner = n->order[n->rank - 1], outer = n->order[n->rank - 2];
    bool in_rows = false, by_rows = false;

    for (int d = 0; a && d < t->rank; d++) {
        in_rows |= leaf->map[d] == inner && a->contiguity[d] == n->dims[inner];
        by_rows |= leaf->map[d] == outer && t->dims[d] == n->dims[outer];
    }
    return in_rows && by_rows ? n->dims[inner] * dtype_size(t->dtype) : 0;
}

static void look_down(Plan *p, Nest *n)
{
    if (n->rank < 2 || n->serial || n->dims[n->order[n->rank - 2]] < LEAST_ROWS)
        return;
    for (int i = 0; i < n->leaves.len; i++) {
        const Leaf *leaf = &n->leaves.at[i];
        int bytes = leaf->load ? bytes_of_row(p, n, leaf) : 0;
        if (bytes < CACHE_LINE || bytes > SHORT_ROW || is_picked(p, leaf, 1))
            continue;
        Ahead a = {*leaf, .level = 1, .rows = MAX(AHEAD_BYTES / bytes, LEAST_ROWS / 2)};
        a.rows = MIN(a.rows, MOST_ROWS);
        vec_push(p->arena, &n->ahead, a);
    }
}

static void look_down_block(Plan *p, BlockPlan *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const Step *s = &b->steps.at[i];
        if (s->kind == STEP_NEST)
            look_down(p, s->nest);
        look_down_block(p, s->body[0]);
        look_down_block(p, s->body[1]);
    }
}

/* The prefetch of a nest that fills this buffer and no other. */
static Ahead *ahead_of_fill(const Nest *n, int buffer)
{
    bool fills = n && n->roots.len == 1 && n->roots.at[0].kind == ROOT_FILL &&
                 n->roots.at[0].buffer == buffer;

    for (int i = 0; fills && i < n->ahead.len; i++) {
        if (n->ahead.at[i].rows > 0)
            return &n->ahead.at[i];
    }
    return NULL;
}

static void ask_for_operand(Plan *p, const BlockPlan *b, Step *product, int operand)
{
    int buffer = plan_buffer(p, product->op->operands[operand]);

    for (int i = 0; i < b->steps.len; i++) {
        const Nest *n = b->steps.at[i].nest;
        Ahead *a = ahead_of_fill(n, buffer);
        if (!a)
            continue;
        int inner = n->order[n->rank - 1], outer = n->order[n->rank - 2];
        a->operand = 1 + buffer;
        product->dot.from[operand].rows = n->dims[outer];
        product->dot.from[operand].bytes = n->dims[inner] * dtype_size(a->leaf.value->type->dtype);
    }
}

/* Of the operands of a loop's products, which are made anew in each round. */
static void look_at_products(Plan *p, BlockPlan *b, bool in_loop)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        Step *s = &b->steps.at[i];
        bool asks = in_loop && s->kind == STEP_DOT && s->dot.unit != DOT_AMX &&
                    s->op->results[0]->type->rank == 2;
        for (int k = 0; asks && k < COUNT(s->dot.from); k++)
            ask_for_operand(p, b, s, k);
        look_at_products(p, s->body[0], s->kind == STEP_FOR);
        look_at_products(p, s->body[1], false);
    }
}

static void look_in_loops(Plan *p, const BlockPlan *b)
{
    for (int i = 0; i < b->steps.len; i++) {
        const Step *s = &b->steps.at[i];
        if (s->kind != STEP_FOR)
            continue;
        look_in(p, s->body[0], s->op->regions[0]);
        look_in_loops(p, s->body[0]);
    }
}

void plan_look_ahead(Plan *p)
{
    if (!p->options->streaming)
        return;
    look_down_block(p, p->body);
    look_at_products(p, p->body, false);
    look_in(p, p->body, NULL);
    look_in_loops(p, p->body);
}
