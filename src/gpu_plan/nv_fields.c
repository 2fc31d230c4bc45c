/*
 * nv_fields.c - loads, or stores, of neighbouring fields of records as one
 *
 * A box is four numbers side by side, and a kernel loads each of them for a tile of boxes: four
 * loads whose addresses go in steps of four elements.  Where they differ by constants alone, under
 * one mask, with nothing written between them, the first one reads for all of them: two or four
 * elements with one instruction.  The records must be as aligned as that asks for.
 *
 * Stores are gathered in the same way, and the last one writes for all of them, since by then there
 * is everything that they write.  The first ones come later by that, so nothing between them may
 * read or write memory, but for stores of that group: two records are the same or apart, so these
 * meet none of each other.
 */
#include "nv_plan.h"

enum { MOST_OPEN = 64 }; /* loads looked at together; of more, the last are left alone */

typedef struct {
    const Op *op;
    PointerSum sum; /* that its address is */
} Field;

typedef struct {
    NvPlan *plan;
    bool stores; /* all of one record, or all are loads, of any */
    Field at[MOST_OPEN];
    int count;
} Open;

static bool same_record(const Field *a, const Field *b)
{
    return a->sum.base == b->sum.base && a->sum.index == b->sum.index;
}

static bool is_store(const Op *op)
{
    return op->code == OP_store;
}

/* What it loads or stores. */
static const Value *data_of(const Op *op)
{
    return is_store(op) ? op->operands[STORE_DATA] : op->results[0];
}

static bool same_lanes(const Op *a, const Op *b)
{
    if (is_store(a))
        return op_operand(a, STORE_MASK) == op_operand(b, STORE_MASK);
    return op_operand(a, LOAD_MASK) == op_operand(b, LOAD_MASK) &&
           op_operand(a, LOAD_OTHER) == op_operand(b, LOAD_OTHER);
}

/* Both are loads, or both are stores. */
static bool alike(const Op *a, const Op *b)
{
    return same_lanes(a, b) && attr_cache(a) == attr_cache(b) && attr_evict(a) == attr_evict(b) &&
           data_of(a)->type == data_of(b)->type;
}

/* The access that is open for the element `offset` behind that of f's record. */
static int find(const Open *o, const Field *f, int64_t offset)
{
    for (int i = 0; i < o->count; i++) {
        const Field *x = &o->at[i];
        if (x->op && x->sum.offset == offset && same_record(x, f) && alike(x->op, f->op))
            return i;
    }
    return -1;
}

/* Is every address a multiple of so many bytes?  Runs of neighbours are better off as they are. */
static bool is_aligned(const NvPlan *p, const Value *pointer, int64_t bytes)
{
    const Axis *x = axis_of(p->axis, pointer);

    for (int d = 0; d < pointer->type->rank; d++) {
        if (x->contiguity[d] > 1)
            return false;
    }
    return x->divisibility % bytes == 0;
}

/* Make a group of the n elements from a multiple of n on, of which f is one. */
static bool close_group(Open *o, int which, int n)
{
    Field f = o->at[which];
    int size = type_size(data_of(f.op)->type), members[NV_MOST_FIELDS];
    int64_t start = f.sum.offset - ((f.sum.offset % n) + n) % n;

    if (n * size > NV_ACCESS_BYTES)
        return false;
    for (int i = 0; i < n; i++) {
        members[i] = find(o, &f, start + i);
        if (members[i] < 0)
            return false;
    }
    if (!is_aligned(o->plan, o->at[members[0]].op->operands[LOAD_PTR], n * size))
        return false;
    int first = members[0], last = first; /* they are open in program order */
    for (int i = 1; i < n; i++) {
        first = MIN(first, members[i]);
        last = MAX(last, members[i]);
    }
    if (o->stores && last - first >= n)
        return false;
    NvFields *g = NEW(o->plan->arena, NvFields);
    int leader = o->stores ? last : first;
    for (int i = 0; i < n; i++)
        g->ops[i] = o->at[members[i]].op;
    g->count = n;
    g->leader = o->at[leader].op;
    g->before = o->at[leader].sum.offset - start;
    for (int i = 0; i < n; i++) {
        map_put(o->plan->fields, MAP_KEY(g->ops[i]), g);
        o->at[members[i]].op = NULL;
    }
    return true;
}

/* Something is written, or read behind stores, or the block ends. */
static void close_all(Open *o)
{
    for (int i = 0; i < o->count; i++) {
        for (int n = NV_MOST_FIELDS; n > 1 && o->at[i].op; n /= 2)
            close_group(o, i, n);
    }
    o->count = 0;
}

static void look_at(Open *o, const Op *op)
{
    if (o->count == MOST_OPEN || attr_volatile(op) || !nv_is_tile(op->results[0]))
        return;
    Field f = {op, access_sum(op->operands[LOAD_PTR])};
    if (find(o, &f, f.sum.offset) < 0)
        o->at[o->count++] = f;
}

/* One that may meet those that are open, as any of other records, stays behind them. */
static void look_at_store(Open *o, const Op *op)
{
    Field f = {op, access_sum(op->operands[STORE_PTR])};

    if (o->count > 0 && (o->count == MOST_OPEN || !same_record(&o->at[0], &f) ||
                         !alike(o->at[0].op, op) || find(o, &f, f.sum.offset) >= 0))
        close_all(o);
    o->at[o->count++] = f;
}

static void find_in_block(NvPlan *p, const Block *b)
{
    Open *o = NEW(p->arena, Open), *stores = NEW(p->arena, Open);

    o->plan = stores->plan = p;
    stores->stores = true;
    for (const Op *op = b->first; op; op = op->next) {
        if (op_only_reads(op))
            look_at(o, op);
        if (op_contains(op, WRITES | EFFECT))
            close_all(o);
        if (is_store(op) && nv_is_tile(op->operands[STORE_DATA]))
            look_at_store(stores, op);
        else if (op_has_effects(op))
            close_all(stores);
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                find_in_block(p, op->regions[r]);
        }
    }
    close_all(o);
    close_all(stores);
}

void nv_find_fields(NvPlan *p)
{
    p->fields = map_new(p->arena);
    find_in_block(p, p->func->body);
}

/* The place of a member among the results. */
static int place_among_fields(const NvFields *g, const Op *op)
{
    int i = 0;

    while (g->ops[i] != op)
        i++;
    return i;
}

/* Some have a home by what their addresses are made of, and others follow these; or the first that
 * is listed goes where it is wanted. */
const Layout *nv_fields_home(NvPlan *p, const Op *load)
{
    NvFields *g = map_get(p->fields, MAP_KEY(load));

    for (int i = 0; g && i < g->count && !g->home; i++)
        g->home = nv_home(p, g->ops[i]->results[0]);
    return g ? g->home : NULL;
}

bool nv_list_field(NvPlan *p, const Op *op, const NvTile *t)
{
    NvFields *g = map_get(p->fields, MAP_KEY(op));

    if (!g)
        return false;
    g->out[place_among_fields(g, op)] = t;
    if (op != g->leader)
        return true;
    const Layout *home = nv_fields_home(p, op);
    NvStep *s = nv_step(p, NV_LOAD, op);
    s->nout = g->count;
    s->out = g->out;
    s->access = nv_access(p, op, home, false);
    s->detail = g;
    s->once = nv_once_loaded(p, s, home);
    for (int i = 0; i < op->noperands; i++)
        nv_want(p, s, i, home);
    nv_list(p, s);
    return true;
}

bool nv_is_stored_later(const NvPlan *p, const Op *op)
{
    const NvFields *g = map_get(p->fields, MAP_KEY(op));

    return g && op != g->leader;
}

void nv_want_fields(NvPlan *p, NvStep *s, const Layout *l)
{
    const NvFields *g = map_get(p->fields, MAP_KEY(s->op));

    if (!g)
        return;
    const NvTile **in = NEW_N(p->arena, const NvTile *, STORE_FIELDS + g->count);
    for (int i = 0; i < s->nin; i++)
        in[i] = s->in[i];
    for (int i = 0; i < g->count; i++)
        in[STORE_FIELDS + i] = nv_tile(p, g->ops[i]->operands[STORE_DATA], l);
    s->in = in;
    s->nin = STORE_FIELDS + g->count;
    s->detail = g;
}
