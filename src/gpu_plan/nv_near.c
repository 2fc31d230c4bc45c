/*
 * nv_near.c - short axes in the registers of a thread
 *
 * A reduction along an axis that lies in several lanes or warps exchanges elements, and leaves
 * copies of its results in all of them.  Where a tile is reduced again and again along short axes,
 * it moves once to where each thread has all of these, and its threads share what is beside them.
 * Those who take tiles apart and put them together gain most, as a join does not move anything
 * either: the new axis is one of registers.
 */
#include "nv_plan.h"

enum { MOST_REDUCTIONS = 16 };

/* Reductions of what is computed of a tile element by element. */
typedef struct {
    const Block *loop; /* a value of it may be handed to its next round */
    int left;          /* uses that are still looked at */
    int n;
    const Op *op[MOST_REDUCTIONS];
    bool elsewhere; /* something else uses it, or nobody knows */
} Reduced;

static void add_reduction(Reduced *r, const Op *op)
{
    for (int i = 0; i < r->n; i++) {
        if (r->op[i] == op)
            return;
    }
    if (r->n == MOST_REDUCTIONS)
        r->elsewhere = true;
    else
        r->op[r->n++] = op;
}

static void find_reductions(const NvPlan *p, const Value *v, Reduced *r)
{
    const Use *uses = uses_of(&p->uses, v);

    for (int i = 0; i < uses_count(&p->uses, v) && !r->elsewhere; i++) {
        const Op *op = uses[i].op;
        bool goes_on = op->nresults == 1 && op_is_elementwise(op) &&
                       type_same_shape(op->results[0]->type, v->type);
        if (--r->left < 0)
            r->elsewhere = true;
        else if (op->code == OP_reduce)
            add_reduction(r, op);
        else if (goes_on)
            find_reductions(p, op->results[0], r);
        else
            r->elsewhere = !r->loop || op != r->loop->last;
    }
}

/* The bits of the coordinate that are indices along that axis. */
static uint32_t bits_along(const Layout *l, int axis)
{
    return (uint32_t)(((UINT64_C(1) << l->bits[axis]) - 1) << layout_shift(l, axis));
}

static int count_along(const uint32_t *bases, int n, uint32_t along)
{
    int count = 0;

    for (int i = 0; i < n; i++)
        count += (bases[i] & along) != 0;
    return count;
}

/* Instructions of a thread for a reduction along `axis` beside those among its registers. */
static int64_t exchanges(const Layout *l, int axis)
{
    enum { LANES = 2 }; /* a shuffle, and combining what came */
    uint32_t along = bits_along(l, axis);
    int64_t each = layout_registers(l) >> count_along(l->reg, l->nreg, along);
    int lanes = count_along(l->lane, l->nlane, along);
    int warps = count_along(l->warp, l->nwarp, along);

    return each * LANES * lanes + (warps > 0 ? each * (1 + (INT64_C(1) << warps)) : 0);
}

/* Instructions of a thread to move all that it has to where those axes are near. */
static int64_t moving(const Layout *l, uint32_t along)
{
    enum { LANES_2 = 3, MEMORY = 2, MEETING = 16 }; /* a shuffle for two, and a choice for each */
    int64_t each = layout_registers(l);

    if (count_along(l->warp, l->nwarp, along) > 0)
        return each * MEMORY + MEETING;
    return each * LANES_2 / 2 * count_along(l->lane, l->nlane, along);
}

/* All that moves along these bits in registers; what these had of the slowest dimension goes where
 * it was.  False: it is too much, or goes along with something else. */
static bool move_near(const Layout *l, uint32_t along, Layout *out)
{
    *out = *l;
    for (int i = 0; i < l->nlane + l->nwarp; i++) {
        uint32_t *far = i < l->nlane ? &out->lane[i] : &out->warp[i - l->nlane], *most = NULL;
        if ((*far & along) == 0)
            continue;
        for (int k = 0; k < l->nreg; k++) {
            if ((out->reg[k] & along) == 0 && (!most || out->reg[k] > *most))
                most = &out->reg[k];
        }
        if (!most || (*far & ~along) != 0)
            return false;
        uint32_t basis = *far;
        *far = *most;
        *most = basis;
    }
    return true;
}

/* Move it near for these, which run so many times, if that is less to do for so many ways. */
static const Layout *near_for(NvPlan *p, const Layout *home, const Reduced *r, int times, int ways)
{
    int64_t now = 0;
    uint32_t along = 0;
    Layout l;

    for (int i = 0; i < r->n; i++) {
        now += exchanges(home, (int)attr_axis(r->op[i])) * times;
        along |= bits_along(home, (int)attr_axis(r->op[i]));
    }
    if (now <= moving(home, along) * ways || !move_near(home, along, &l))
        return home;
    return nv_layout(p, &l);
}

/* What the op broadcasts as operand i; NULL: that is no broadcast, or of what one before has. */
static const Value *part_of(const Op *op, int i)
{
    const Op *by = op->operands[i]->def;

    if (!by || by->code != OP_broadcast)
        return NULL;
    for (int k = 0; k < i; k++) {
        const Op *other = op->operands[k]->def;
        if (other && other->code == OP_broadcast && other->operands[0] == by->operands[0])
            return NULL;
    }
    return by->operands[0];
}

/* Does it put broadcasts together that have no fewer elements than its result? */
static bool is_join(const Op *op)
{
    int64_t elements = 0;

    for (int i = 0; i < op->noperands; i++)
        elements += part_of(op, i) ? type_numel(part_of(op, i)->type) : 0;
    return op_is_elementwise(op) && op->nresults == 1 &&
           elements >= type_numel(op->results[0]->type);
}

/* Does what is reduced go back, element by element, to all that it is of? */
static bool goes_back(const NvPlan *p, const Value *v, int depth)
{
    const Use *uses = uses_of(&p->uses, v);

    for (int i = 0; i < uses_count(&p->uses, v); i++) {
        const Op *op = uses[i].op;
        if (depth == 0)
            return true;
        if (v->def->code == OP_broadcast) {
            if (!is_join(op))
                return true;
        } else if (op->code == OP_broadcast || op->code == OP_expand ||
                   (op_is_elementwise(op) && op->nresults == 1)) {
            if (goes_back(p, op->results[0], depth - 1))
                return true;
        }
    }
    return false;
}

enum { LOOKED_AT = 64 };

const Layout *nv_near_reductions(NvPlan *p, const Value *v, const Layout *home)
{
    enum { DEPTH = 8 };
    Reduced r = {.left = LOOKED_AT};

    if (v->type->rank < 2)
        return home;
    find_reductions(p, v, &r);
    for (int i = 0; i < r.n && !r.elsewhere; i++) {
        for (int k = 0; k < r.op[i]->nresults; k++)
            r.elsewhere = r.elsewhere || goes_back(p, r.op[i]->results[k], DEPTH);
    }
    return r.n < 2 || r.elsewhere ? home : near_for(p, home, &r, 1, 1);
}

/* Does an op that is neither computed element by element nor a reduction have such tiles? */
typedef struct {
    const Type *shape;
    bool found;
} Other;

static void find_other(Op *op, void *context)
{
    Other *o = context;

    if (op->noperands == 0 || op_is_elementwise(op) || op->code == OP_reduce || op_has(op, MOVES))
        return;
    for (int i = 0; i < op->noperands + op->nresults; i++) {
        const Value *v = i < op->noperands ? op->operands[i] : op->results[i - op->noperands];
        o->found = o->found || (op->block->last != op && type_same_shape(v->type, o->shape));
    }
}

const Layout *nv_near_in_loop(NvPlan *p, const Block *body, const Value *carried,
                              const Layout *home)
{
    enum { ROUNDS = 4, IN_AND_OUT = 2 }; /* most loops have more rounds */
    Reduced r = {.loop = body, .left = LOOKED_AT};
    Other other = {carried->type, false};

    find_reductions(p, carried, &r);
    if (r.n == 0 || r.elsewhere)
        return home;
    ir_walk((Block *)body, find_other, &other);
    return other.found ? home : near_for(p, home, &r, ROUNDS, IN_AND_OUT);
}

/* The new axis `d` goes to threads that have copies, as far as there are any: what one reduction
 * after the other left in several lanes would fill more registers with each join. */
static void move_to_copies(Layout *l, int d)
{
    uint32_t along = bits_along(l, d);
    int k = 0;

    for (int i = 0; i < l->nlane + l->nwarp; i++) {
        uint32_t *copy = i < l->nlane ? &l->lane[i] : &l->warp[i - l->nlane];
        while (k < l->nreg && (l->reg[k] & along) == 0)
            k++;
        if (*copy == 0 && k < l->nreg) {
            *copy = l->reg[k];
            l->reg[k] = 0;
        }
    }
    layout_drop_copies(l);
}

const Layout *nv_joined_home(NvPlan *p, const Op *op)
{
    const Type *t = op->results[0]->type;
    const Value *first = NULL;
    int64_t elements = 0;
    Layout l;

    for (int i = 0; i < op->noperands; i++) {
        const Value *part = part_of(op, i);
        if (!part || !nv_home(p, part))
            continue;
        if (first && !layout_equal(nv_home(p, first), nv_home(p, part)))
            return NULL;
        first = part;
        elements += type_numel(part->type);
    }
    if (!first || elements < type_numel(t))
        return NULL;
    l = *nv_home(p, first);
    for (int d = 0; d < t->rank; d++) {
        if (first->type->dims[d] == t->dims[d])
            continue;
        layout_remove(&l, d, &l);
        if (!layout_insert(&l, d, t->dims[d], &l))
            return NULL;
        move_to_copies(&l, d);
    }
    return nv_layout(p, &l);
}
