/*
 * plan_records.c - which loads are of fields of the same records, and which stores come to whole
 * ones
 *
 * Accesses that differ in a constant alone, and step by more than they are apart, are one access to
 * records (cpu_strided.c).  Of short ones the length is known, and all that lies between the first
 * and the last is read; others are *apart*: of each what lies between its first and its last field
 * is, which has to be a few bytes.
 */
#include "plan_internal.h"

enum {
    LEAST_LANES = 4,  /* for which it pays to read records one by one */
    APART_BYTES = 16, /* that are read of each, at most */
    WORD = 4          /* bytes: a smaller element is loaded into a lane in one instruction */
};

static bool same_map(const int8_t *x, const int8_t *y, int rank)
{
    for (int d = 0; d < rank; d++) {
        if (x[d] != y[d])
            return false;
    }
    return true;
}

/* One step, which two do not have whose offset and index wrap together. */
static bool same_steps(const Access *a, const Access *b)
{
    return access_same_sum(&a->sum, &b->sum) && a->stride == b->stride && a->scale == b->scale &&
           (!a->scale || same_map(a->scale_map, b->scale_map, a->scale->type->rank));
}

/* Fields of the same records: one mask, so that all lanes of all of them are read together. */
static bool same_records(const Leaf *x, const Leaf *y)
{
    return x->value->type == y->value->type && same_map(x->map, y->map, x->value->type->rank) &&
           op_operand(x->value->def, LOAD_MASK) == op_operand(y->value->def, LOAD_MASK) &&
           same_steps(&x->access->steps, &y->access->steps);
}

bool plan_is_record(const Nest *n, const Access *a)
{
    return a->ok && a->stride >= 2 && a->stride <= MAX_RECORD && !a->scale && !a->chunked &&
           n->lanes >= 2;
}

bool plan_is_apart(const Nest *n, const Access *a)
{
    bool far = a->scale || a->stride > MAX_RECORD || a->stride < -1;

    return a->ok && far && a->every == 0 && !a->chunked && n->lanes >= LEAST_LANES;
}

/* Is what lies apart read by as many instructions as single elements are?  LLVM takes three or five
 * small ones apart, and puts them together again. */
static bool is_in_pieces(const RecordGroup *g, int size)
{
    return g->step == 1 || (size < WORD && (g->step & (g->step - 1)) != 0);
}

/* A field by itself of records that are apart is at steps. */
void plan_group_loads(Plan *p, Nest *n, int first)
{
    AccessPlan *own = n->leaves.at[first].access;
    RecordGroup *g = NEW(p->arena, RecordGroup);
    bool apart = plan_is_apart(n, &own->steps);
    int size = type_size(n->leaves.at[first].value->type);
    int most = MIN(APART_BYTES / size, MOST_APART / n->lanes);

    *g = (RecordGroup){.low = own->steps.sum.offset,
                       .high = own->steps.sum.offset,
                       .step = apart ? MIN(most, MAX_RECORD) : (int)own->steps.stride,
                       .apart = apart};
    for (int i = first; i < n->leaves.len; i++) {
        const Leaf *leaf = &n->leaves.at[i];
        AccessPlan *a = leaf->access;
        if (!a || a->form != FORM_RECORD || a->group || !same_records(&n->leaves.at[first], leaf) ||
            MAX(g->high, a->steps.sum.offset) - MIN(g->low, a->steps.sum.offset) >= g->step)
            continue;
        g->low = MIN(g->low, a->steps.sum.offset);
        g->high = MAX(g->high, a->steps.sum.offset);
        a->group = g;
    }
    if (!apart)
        return;
    g->step = (int)(g->high - g->low) + 1;
    for (int i = first; i < n->leaves.len && is_in_pieces(g, size); i++) {
        AccessPlan *a = n->leaves.at[i].access;
        if (a && a->group == g)
            *a = (AccessPlan){.form = FORM_STEPS, .steps = a->steps};
    }
}

/* The store of the element that lies `offset` behind that of root `first` in each record, under the
 * same mask; NULL: there is none, or another one behind it to the same place. */
static Root *find_field(const Nest *n, const Root *first, int offset)
{
    const Access *own = &first->access->steps;
    Root *found = NULL;

    for (int i = 0; i < n->roots.len; i++) {
        Root *r = &n->roots.at[i];
        if (r->kind != ROOT_STORE || !same_steps(own, &r->access->steps) ||
            r->access->steps.sum.offset != own->sum.offset + offset)
            continue;
        if (found || plan_root_mask(r) != plan_root_mask(first))
            return NULL;
        found = r;
    }
    return found;
}

/* They are stored where the last of them stands, since none of what stands between them reaches the
 * same memory (plan_order.c). */
void plan_group_stores(Plan *p, Nest *n, int first)
{
    Root *own = &n->roots.at[first], *fields[MAX_RECORD] = {NULL};
    int step = (int)own->access->steps.stride;
    RecordGroup *g = NEW(p->arena, RecordGroup);

    for (int f = 0; f < step; f++) {
        fields[f] = find_field(n, own, f);
        if (!fields[f])
            return;
    }
    *g = (RecordGroup){.low = own->access->steps.sum.offset, .step = step};
    g->high = g->low + step - 1;
    g->stores = NEW_N(p->arena, int, step);
    for (int f = 0; f < step; f++) {
        g->stores[f] = (int)(fields[f] - n->roots.at);
        g->last = MAX(g->last, g->stores[f]);
        fields[f]->access->form = FORM_RECORD;
        fields[f]->access->group = g;
    }
}
