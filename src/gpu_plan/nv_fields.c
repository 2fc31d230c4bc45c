/*
 * nv_fields.c - loads of neighbouring fields of records as one
 *
 * A box is four numbers side by side, and a kernel loads each of them for a tile of boxes: four
 * loads whose addresses go in steps of four elements.  Where they differ by constants alone, under
 * one mask, with nothing written between them, the first one reads for all of them: two or four
 * elements with one instruction.  The records must be as aligned as that asks for.
 */
#include "nv_plan.h"

enum { MOST_OPEN = 64 }; /* loads looked at together; of more, the last are left alone */

typedef struct {
    const Op *op;
    PointerSum sum; /* that its address is */
} Field;

typedef struct {
    NvPlan *plan;
    Field at[MOST_OPEN];
    int count;
} Open;

static bool same_record(const Field *a, const Field *b)
{
    return a->sum.base == b->sum.base && a->sum.index == b->sum.index;
}

static bool alike(const Op *a, const Op *b)
{
    return op_operand(a, LOAD_MASK) == op_operand(b, LOAD_MASK) &&
           op_operand(a, LOAD_OTHER) == op_operand(b, LOAD_OTHER) &&
           attr_cache(a) == attr_cache(b) && attr_evict(a) == attr_evict(b) &&
           a->results[0]->type == b->results[0]->type;
}

/* The load that is open for the element `offset` behind that of f's record. */
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
    int size = type_size(f.op->results[0]->type), members[NV_MOST_FIELDS];
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
    NvFields *g = NEW(o->plan->arena, NvFields);
    int first = members[0];
    for (int i = 0; i < n; i++) {
        first = MIN(first, members[i]); /* they are open in program order */
        g->ops[i] = o->at[members[i]].op;
    }
    g->count = n;
    g->leader = o->at[first].op;
    g->before = o->at[first].sum.offset - start;
    for (int i = 0; i < n; i++) {
        map_put(o->plan->fields, MAP_KEY(g->ops[i]), g);
        o->at[members[i]].op = NULL;
    }
    return true;
}

/* Something is written, or the block ends. */
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

static void find_in_block(NvPlan *p, const Block *b)
{
    Open *o = NEW(p->arena, Open);

    o->plan = p;
    for (const Op *op = b->first; op; op = op->next) {
        if (op_only_reads(op))
            look_at(o, op);
        if (op_contains(op, WRITES | EFFECT))
            close_all(o);
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                find_in_block(p, op->regions[r]);
        }
    }
    close_all(o);
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

bool nv_list_field(NvPlan *p, const Op *op, const NvTile *t)
{
    NvFields *g = map_get(p->fields, MAP_KEY(op));

    if (!g)
        return false;
    g->out[place_among_fields(g, op)] = t;
    if (op != g->leader)
        return true;
    const Layout *home = nv_home(p, op->results[0]);
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
