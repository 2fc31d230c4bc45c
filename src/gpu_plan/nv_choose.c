/*
 * nv_choose.c - the home of every tile: the layout in which its op gives it
 *
 * One walk forward.  Memory, reductions and products say where their results are; what is computed
 * from them element by element stays there; constants, indices and what is made of these alone are
 * free.  What several operands disagree about goes to the one that wishes most.  What a loop
 * carries has one home in all rounds, so a body is walked again when the end of it wishes more
 * than what came in.
 */
#include "nv_plan.h"

enum { ROUNDS = 4 }; /* until carried homes are left as they are */

/* The operand that wishes most, or NULL: all are free. */
static const Value *dearest(const NvPlan *p, const Op *op)
{
    const Value *best = NULL;

    for (int i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i];
        if (nv_home(p, v) && (!best || nv_value(p, v)->strength > nv_value(p, best)->strength))
            best = v;
    }
    return best;
}

static int element_cost(const NvPlan *p, const Op *op)
{
    enum { MOST = 1000 };
    int cost = 1;

    for (int i = 0; i < op->noperands; i++)
        cost += nv_value(p, op->operands[i])->cost;
    return MIN(cost, MOST);
}

/* Are these addresses that move with a loop which leaves the tiles alone that they are made of?
 * Then those are converted in front of it, and not the addresses in each round. */
static bool moves_with_loop(const NvPlan *p, const Op *op)
{
    const Block *body = op->block;

    while (body->owner && body->owner->code != OP_for && body->owner->code != OP_while)
        body = body->owner->block;
    if (op->code != OP_addptr || !body->owner)
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (nv_home(p, op->operands[i]) && block_encloses(body, op->operands[i]->block))
            return false;
    }
    return true;
}

void nv_choose_elementwise(NvPlan *p, const Op *op)
{
    const Value *v = op->results[0], *like = nv_is_tile(v) ? dearest(p, op) : NULL;
    const Layout *joined = nv_is_tile(v) && !like ? nv_joined_home(p, op) : NULL;

    if (like && !moves_with_loop(p, op))
        nv_set_home(p, v, nv_near_reductions(p, v, nv_home(p, like)), nv_value(p, like)->strength);
    else if (joined)
        nv_set_home(p, v, joined, NV_PLAIN);
    else
        *nv_value(p, v) = (NvValue){.cost = nv_is_tile(v) ? element_cost(p, op) : 0};
}

/* --- moves --- */

/* Where the elements are when they do not move; false: some have to. */
static bool moved_layout(NvPlan *p, const Op *op, const Layout *from, Layout *out)
{
    const Type *t = op->results[0]->type;
    const int64_t *list;
    const int32_t *take;
    int dims[MAX_RANK], n;

    switch (op->code) {
    case OP_expand:
        layout_expand(from, (int)attr_axis(op), out);
        return true;
    case OP_permute:
        list = attr_dims(op, &n);
        for (int d = 0; d < n; d++)
            dims[d] = (int)list[d];
        layout_permute(from, dims, out);
        return true;
    case OP_reshape:
        return layout_reshape(from, t->rank, t->dims, out);
    case OP_slice:
        return layout_slice(from, attr_starts(op, &n), t->dims, out, p->arena, &take);
    default:
        bug("%s has no layout of its own", op_info(op->code)->name);
    }
}

/* Can the operand be asked for in the layout that goes with any of the result's? */
static bool is_reversible(const NvPlan *p, const Op *op)
{
    Layout any = {0}, back;
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    const int32_t *take;
    int n;

    if ((op->code != OP_reshape && op->code != OP_slice) || from->rank == 0 || to->rank == 0)
        return true;
    int8_t order[MAX_RANK];
    for (int d = 0; d < to->rank; d++)
        order[d] = (int8_t)(to->rank - 1 - d);
    if (!layout_blocked(&any, to->rank, to->dims, order, 0, NULL, nv_block_threads(p)))
        return false;
    if (op->code == OP_slice)
        return layout_slice_operand(&any, attr_starts(op, &n), from->dims, &back, p->arena, &take);
    return layout_reshape(&any, from->rank, from->dims, &back);
}

/* What is broadcast is made for several elements. */
static int moved_cost(const NvPlan *p, const Op *op)
{
    int cost = nv_value(p, op->operands[0])->cost;
    int64_t from = type_numel(op->operands[0]->type), to = type_numel(op->results[0]->type);

    return op->code == OP_broadcast ? (int)((cost * from + to - 1) / to) : cost;
}

void nv_choose_move(NvPlan *p, const Op *op)
{
    const Value *v = op->results[0], *from = op->operands[0];
    Layout l;

    *nv_value(p, v) = (NvValue){.cost = moved_cost(p, op)};
    if (!nv_is_tile(v) || !nv_is_tile(from) || op->code == OP_broadcast)
        return;
    if (!nv_home(p, from) && is_reversible(p, op))
        return;
    const Layout *home = nv_need_home(p, from);
    if (home && moved_layout(p, op, home, &l))
        nv_set_home(p, v, &l, nv_value(p, from)->strength);
    else
        nv_need_home(p, v);
}

/* --- loops and ifs --- */

/* Let `v` live where `like` does, if that wishes more.  True: it moves there. */
static bool follow(NvPlan *p, const Value *v, const Value *like)
{
    const NvValue *a = nv_value(p, v), *b = nv_value(p, like);

    if (!b->home || (a->home && a->strength >= b->strength) || a->home == b->home)
        return false;
    nv_set_home(p, v, b->home, b->strength);
    return true;
}

/* Homes for all results of a block, by the rules of its ops; those of its arguments are set. */
static void choose_block(NvPlan *p, const Block *b)
{
    for (const Op *op = b->first; op != b->last && !p->refused; op = op->next)
        nv_rule(op->code)->choose(p, op);
}

/* Where ops want a value that has no home, or what they make of it. */
typedef struct {
    int left; /* uses that are still looked at */
    int found;
    Layout layout; /* the first one, */
    bool loads;    /* .. of what is loaded there */
    bool several;  /* what else is loaded there has another one */
} Wanted;

static void find_wanted(const NvPlan *p, const Value *v, Wanted *w);

/* By an op that makes `made` of it, or loads it from there. */
static void find_wanted_by(const NvPlan *p, const Value *v, const Op *op, Wanted *w)
{
    const Value *made = op->nresults == 1 && nv_is_tile(op->results[0]) ? op->results[0] : NULL;
    bool loads = op->code == OP_load;
    Wanted there = {.left = w->left};
    Layout l;

    if (!made || (op->code != OP_expand && op->code != OP_broadcast &&
                  !((loads || op_is_elementwise(op)) && type_same_shape(made->type, v->type))))
        return;
    if (nv_home(p, made))
        there = (Wanted){w->left, 1, *nv_home(p, made), loads, false};
    else if (!loads)
        find_wanted(p, made, &there);
    w->left = there.left;
    if (there.found == 0)
        return;
    if (op->code == OP_expand)
        layout_remove(&there.layout, (int)attr_axis(op), &l);
    else if (op->code == OP_broadcast)
        layout_broadcast_operand(&there.layout, v->type->dims, &l);
    else
        l = there.layout;
    w->several =
        w->several || there.several || (w->loads && there.loads && !layout_equal(&l, &w->layout));
    if (w->found++ > 0)
        return;
    w->layout = l;
    w->loads = there.loads;
}

static void find_wanted(const NvPlan *p, const Value *v, Wanted *w)
{
    const Use *uses = uses_of(&p->uses, v);

    for (int i = 0; i < uses_count(&p->uses, v) && --w->left >= 0; i++)
        find_wanted_by(p, v, uses[i].op, w);
}

/* Each warp has all of it, so that shuffles bring it to wherever it is wanted; NULL: that takes too
 * many registers. */
static const Layout *in_each_warp(NvPlan *p, const Value *v)
{
    static const int8_t order[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    enum { MOST = 4 };
    LayoutThreads threads = nv_block_threads(p);
    int warps = threads.warp_bits;
    Layout l;

    threads.warp_bits = 0;
    if (!layout_blocked(&l, v->type->rank, v->type->dims, order, 0, NULL, threads) ||
        layout_registers(&l) > MOST)
        return NULL;
    l.nwarp = (int8_t)warps;
    return nv_layout(p, &l);
}

/* A counter of elements is made of nothing that lies anywhere: it goes to what it is used with. So
 * does a small tile that each round loads for the next one, if that takes few registers: many
 * come from shared memory.  Indices of rows of several tiles that are loaded in several layouts go
 * to none of these: they would pass through shared memory from there to the others, and copies that
 * run ahead cannot. */
static void settle(NvPlan *p, const Value *v, const Op *next)
{
    enum { MOST = 16, LOOKED_AT = 256 };
    Wanted w = {.left = LOOKED_AT};
    bool small = nv_is_small_load(p, next);

    find_wanted(p, v, &w);
    const Layout *whole = small && w.several ? in_each_warp(p, v) : NULL;
    if (w.found == 0)
        nv_need_home(p, v);
    else if (whole)
        nv_set_home(p, v, whole, NV_WEAK);
    else if (small && layout_registers(&w.layout) > MOST)
        nv_set_home(p, v, nv_coalesced(p, next), NV_WEAK);
    else
        nv_set_home(p, v, &w.layout, NV_WEAK);
}

/* The homes of carried values: first from what comes in, then also from what comes around. */
static void choose_carried(NvPlan *p, const Block *body, Value *const *args, Value *const *first,
                           Value *const *next, int n)
{
    for (int i = 0; i < n; i++) {
        *nv_value(p, args[i]) = (NvValue){0};
        if (nv_is_tile(args[i]) && !nv_is_small_load(p, next[i]->def) &&
            follow(p, args[i], first[i]))
            nv_set_home(p, args[i], nv_near_in_loop(p, body, args[i], nv_home(p, args[i])),
                        nv_value(p, args[i])->strength);
        if (args[i]->type->rank > 0 && args[i]->type->pointer && !nv_home(p, args[i]))
            nv_set_home(p, args[i], nv_coalesced_pointer(p, args[i]), NV_WEAK);
    }
    for (int round = 0; round < ROUNDS; round++) {
        bool changed = false, last = round == ROUNDS - 1;
        choose_block(p, body);
        for (int i = 0; i < n && !last; i++)
            changed |= nv_is_tile(args[i]) && follow(p, args[i], next[i]);
        for (int i = 0; i < n && (last || !changed); i++) { /* one by one, while there is time */
            if (nv_is_tile(args[i]) && !nv_home(p, args[i])) {
                settle(p, args[i], next[i]->def);
                changed = true;
            }
        }
        if (!changed)
            return;
    }
    choose_block(p, body);
}

static void choose_for(NvPlan *p, const Op *op)
{
    const Block *body = op->regions[0];

    *nv_value(p, body->args[0]) = (NvValue){0};
    choose_carried(p, body, body->args + 1, op->operands + FOR_BOUNDS, body->last->operands,
                   op->nresults);
    for (int i = 0; i < op->nresults; i++)
        *nv_value(p, op->results[i]) = *nv_value(p, body->args[i + 1]);
}

/* The second region's arguments are what the condition hands on. */
static void choose_while_body(NvPlan *p, const Op *op)
{
    const Block *test = op->regions[0], *body = op->regions[1];

    for (int i = 0; i < body->nargs; i++) {
        const Value *v = test->last->operands[i + 1];
        *nv_value(p, body->args[i]) = (NvValue){0};
        if (nv_is_tile(v) && !follow(p, body->args[i], v))
            nv_need_home(p, body->args[i]);
        *nv_value(p, op->results[i]) = *nv_value(p, body->args[i]);
    }
    choose_block(p, body);
}

static void choose_while(NvPlan *p, const Op *op)
{
    const Block *test = op->regions[0], *body = op->regions[1];

    for (int i = 0; i < test->nargs; i++) {
        *nv_value(p, test->args[i]) = (NvValue){0};
        if (nv_is_tile(test->args[i]) && !follow(p, test->args[i], op->operands[i]))
            nv_need_home(p, test->args[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        bool changed = false;
        choose_block(p, test);
        choose_while_body(p, op);
        for (int i = 0; i < test->nargs && round < ROUNDS - 1; i++)
            changed |=
                nv_is_tile(test->args[i]) && follow(p, test->args[i], body->last->operands[i]);
        if (!changed)
            return;
    }
}

static void choose_if(NvPlan *p, const Op *op)
{
    for (int r = 0; r < 2; r++)
        choose_block(p, op->regions[r]);
    for (int i = 0; i < op->nresults; i++) {
        const Value *v = op->results[i];
        *nv_value(p, v) = (NvValue){0};
        if (!nv_is_tile(v))
            continue;
        for (int r = 0; r < 2; r++)
            follow(p, v, op->regions[r]->last->operands[i]);
        nv_need_home(p, v);
    }
}

void nv_choose_control(NvPlan *p, const Op *op)
{
    if (op->code == OP_for)
        choose_for(p, op);
    else if (op->code == OP_while)
        choose_while(p, op);
    else
        choose_if(p, op);
}

void nv_choose(NvPlan *p)
{
    choose_block(p, p->func->body);
}
