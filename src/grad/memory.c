/*
 * memory.c - gradients through memory: a load hands its own to the array of gradients, at the same
 * addresses under the same mask; a store takes the gradient of what it stored
 *
 * The forward's stores are gone from the backward, so nothing may be read that they wrote.  Atomics
 * that add are stores of which several may meet: each has the gradient of the sum.
 */
#include "../opt/opt.h"
#include "grad.h"

/* --- the same address in another array --- */

Value *grad_rebase(Grad *g, Value *pointer, const GradArray *to)
{
    Value *known = map_get(g->rebased, (uint64_t)pointer->id), *made;
    Op *op = pointer->def;

    if (pointer == to->array)
        return to->row ? to->row : to->gradient;
    if (known)
        return known;
    if (!op || (op->code != OP_addptr && op->code != OP_hint && !op_has(op, MOVES)))
        bug("an address that memory.c has not checked");
    Value *from = grad_rebase(g, op->operands[0], to);
    if (op->code == OP_hint)
        return from;
    if (op->code == OP_addptr) {
        made = build_addptr(&g->b, from, grad_value(g, op->operands[1]));
    } else {
        const Type *type = type_with_shape(
            g->func->module, type_element(g->func->module, from->type), pointer->type);
        made = build_op(&g->b, op->code, 1, &from, op->nattrs, op->attrs, 1, &type)->results[0];
    }
    value_shaped_like(g->func->module, made, pointer);
    return made;
}

static Value *mask_of(const Grad *g, const Op *op, int at)
{
    Value *mask = op_operand(op, at);

    return mask ? grad_value(g, mask) : NULL;
}

/* The gradient of what an element holds, and of what stands for it where the mask is false. */
void grad_load(Grad *g, const Op *op)
{
    Value *d = grad_adjoint(g, op->results[0]);
    GradArray *to = grad_wrt_of(g, op->operands[LOAD_PTR]);
    Value *mask = mask_of(g, op, LOAD_MASK), *other = op_operand(op, LOAD_OTHER);

    if (other && grad_is_active(g, other))
        grad_add(g, other, build_select(&g->b, mask, grad_number(g, d, 0), d));
    if (!to)
        return;
    to->is_reached = true;
    grad_add_to_array(g, op, d);
}

void grad_store(Grad *g, const Op *op)
{
    Value *data = op->operands[STORE_DATA];

    if (grad_array_of(g, op->operands[STORE_PTR]) != g->of.array->index || !grad_is_active(g, data))
        return;
    Value *pointer = grad_rebase(g, op->operands[STORE_PTR], &g->of);
    Value *mask = mask_of(g, op, STORE_MASK);
    Value *zero = mask ? grad_number(g, data, 0) : NULL;
    Value *d = build_load(&g->b, pointer, mask, zero)->results[0];
    value_shaped_like(g->func->module, d, data);
    grad_add(g, data, d);
}

/* --- what is refused --- */

typedef struct {
    Grad *g;
    const PointerBases *bases;
    GradOps loads, stores; /* of all arrays, in the order of the program */
    GradOps sums;          /* atomics that add to what is differentiated */
} Memory;

static void collect(Op *op, void *memory)
{
    Memory *m = memory;
    OpAccess access = ir_access(op);

    for (int i = 0; i < m->g->anchors.len; i++) {
        if (op->nresults > 0 && op->results[0] == m->g->anchors.at[i].loaded)
            return; /* it is loaded by the backward alone */
    }
    if (grad_puts_in_memory(op) && op->nresults > 0 &&
        grad_array_of(m->g, op->operands[STORE_PTR]) == m->g->of.array->index) {
        vec_push(m->g->arena, &m->sums, op);
        vec_push(m->g->arena, &m->stores, op);
        return;
    }
    if (access.effect == READS)
        vec_push(m->g->arena, &m->loads, op);
    if (access.effect & WRITES) /* what an atomic reads nobody gets, or it is refused */
        vec_push(m->g->arena, &m->stores, op);
}

static uint64_t bit_of(const GradArray *a)
{
    return (uint64_t)1 << MIN(a->array->index, 63);
}

static uint64_t bases_of(const Memory *m, const Op *op)
{
    int pointer = ir_access(op).pointer;

    return pointer < 0 ? EVERY_PARAM : ir_bases_of(m->bases, op->operands[pointer]);
}

static bool note(const Memory *m, const Op *op, const char *text)
{
    ir_diag(m->g->diags, DIAG_NOTE, op, "%s", text);
    return false;
}

bool grad_can_rebase(const Value *pointer)
{
    while (pointer->def && (pointer->def->code == OP_addptr || pointer->def->code == OP_hint ||
                            op_has(pointer->def, MOVES)))
        pointer = pointer->def->operands[0];
    return !pointer->def;
}

/* What an op of memory does must be known, and to which array. */
static bool check_op(Memory *m, const Op *op)
{
    Grad *g = m->g;
    uint64_t bases = bases_of(m, op), wanted = bit_of(&g->of);
    int effect = ir_access(op).effect;

    for (int i = 0; i < g->nwrt; i++)
        wanted |= bit_of(&g->wrt[i]);
    if (effect != READS && op->nresults > 0 && uses_count(&g->uses, op->results[0]) > 0) {
        grad_refuse(g, op, "what an atomic gives depends on the order of programs");
        return false;
    }
    if ((bases & wanted) == 0)
        return op->code != OP_inline_asm_volatile;
    bool sums = grad_puts_in_memory(op) && grad_array_of(g, op->operands[0]) == g->of.array->index;
    if (effect != READS && effect != WRITES && !sums)
        grad_refuse(g, op,
                    "an array that is differentiated may be loaded, stored and added to only");
    else if (grad_array_of(g, op->operands[0]) < 0 || (bases & (bases - 1)) != 0)
        grad_refuse(g, op, "it cannot be told which array this is");
    else if (!grad_can_rebase(op->operands[0]))
        grad_refuse(g, op, "this address comes from a loop that has ended, which has no rule yet");
    return !g->failed;
}

/* In place: each lane reads what it then writes, once?  No two store one element, of which rounds
 * of what is differentiated are asked later, so it is read before.  By itself what is not stored
 * would keep its gradient, and what is not read have none: both go by one mask. */
static bool is_in_place(const Grad *g, const Op *load, const Op *store)
{
    const bool is_of =
        g->by_itself && grad_array_of(g, store->operands[STORE_PTR]) == g->of.array->index;

    if (!op_only_reads(load) || store->code != OP_store || load->block != store->block ||
        (opt_in_loop(store->block) && !is_of) ||
        load->operands[LOAD_PTR] != store->operands[STORE_PTR] ||
        (is_of && op_operand(load, LOAD_MASK) != op_operand(store, STORE_MASK)))
        return false;
    while (load && load != store)
        load = load->next;
    return load != NULL;
}

/* Is it seen, whatever strides are, that no lane reads what any lane of a program writes? */
static bool never_meet(const Memory *m, Op *load, Op *store)
{
    Grad *g = m->g;
    Op *both[] = {load, store};
    const GradOps ops = {.at = both, .len = 2};
    const int needs = g->needs.len;
    bool apart = op_only_reads(load) && store->code == OP_store &&
                 grad_array_of(g, load->operands[LOAD_PTR]) ==
                     grad_array_of(g, store->operands[STORE_PTR]) &&
                 grad_alone(g, &g->of, &ops, g->asked);

    if (g->by_itself && apart && grad_array_of(g, load->operands[LOAD_PTR]) == g->of.array->index)
        return true; /* strides are as its stores need them */
    apart = apart && g->needs.len == needs;
    g->needs.len = needs;
    return apart;
}

/* Is each element that is differentiated by itself both read and written? */
static bool check_pairs(Memory *m)
{
    const GradOps *all[2] = {&m->loads, &m->stores};

    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < all[i]->len; k++) {
            const Op *op = all[i]->at[k];
            bool found = grad_array_of(m->g, op->operands[0]) != m->g->of.array->index;
            for (int n = 0; n < all[1 - i]->len && !found; n++)
                found = is_in_place(m->g, i == 0 ? op : all[0]->at[n], i == 0 ? all[1]->at[n] : op);
            if (found)
                continue;
            grad_refuse(m->g, op,
                        "`%s` is differentiated by itself, and this element is not both read and "
                        "then written, under one mask: store to another array",
                        m->g->wish->of);
            return false;
        }
    }
    return true;
}

/* What is differentiated does not depend on it. */
static bool is_beside(const Grad *g, const Op *load)
{
    return op_only_reads(load) && !(g->facts[load->results[0]->id] & MATTERS);
}

/* Nothing is loaded that the kernel itself writes, as the backward does not write it; but what is
 * read before, where no gradient turns out to need it: then it may be written already. */
static bool check_apart(Memory *m)
{
    for (int i = 0; i < m->loads.len; i++) {
        for (int k = 0; k < m->stores.len; k++) {
            Op *load = m->loads.at[i], *store = m->stores.at[k];

            if ((bases_of(m, load) & bases_of(m, store)) == 0 || load == store ||
                never_meet(m, load, store))
                continue;
            int array = grad_array_of(m->g, store->operands[STORE_PTR]);
            if (array >= 0 && (is_in_place(m->g, load, store) || is_beside(m->g, load))) {
                vec_push(m->g->arena, &m->g->in_place,
                         ((GradInPlace){.array = array, .written = store->span, .first = load}));
                continue;
            }
            grad_refuse(m->g, load, "the kernel reads an array that it writes");
            return note(m, store, "written here");
        }
    }
    return !m->g->by_itself || check_pairs(m);
}

/* Are there more lanes, which all store, than numbers that offsets may be, as of `at % 8`? */
static bool has_more_lanes(const AxisFacts *facts, const Op *store)
{
    const Op *address = opt_made_by(store->operands[STORE_PTR], OP_addptr);

    if (!address || !opt_stores_most_lanes(store) || !opt_is_uniform(address->operands[0]) ||
        opt_is_uniform(store->operands[STORE_DATA]))
        return false;
    const Value *offsets = address->operands[1];
    const Axis *known = axis_of(facts, offsets);
    int64_t span;

    return known->has_range && !__builtin_sub_overflow(known->hi, known->lo, &span) &&
           span < type_numel(offsets->type) - 1;
}

/* Lanes that are known to store to one element: one of their values stays, and nobody says which.
 */
static bool check_lanes(const Memory *m, const GradOps *stores)
{
    const AxisFacts *facts = axis_analyse(m->g->func, m->g->arena);

    for (int i = 0; i < stores->len; i++) {
        if (opt_shared_lanes(facts, stores->at[i]) < 0 && !has_more_lanes(facts, stores->at[i]))
            continue;
        grad_refuse(m->g, stores->at[i],
                    "lanes of this store have one address, and which of their values stays is not "
                    "said: reduce them first, or give each an address of its own");
        return false;
    }
    return true;
}

static bool check_loops(Grad *g, const GradOps *stores)
{
    for (int i = 0; i < stores->len; i++) {
        const Op *owner = stores->at[i]->block->owner;
        for (; owner; owner = owner->block->owner) {
            if (owner->code == OP_for || owner->code == OP_if)
                continue;
            grad_refuse(g, stores->at[i], "a store in a `while` has no rule yet");
            return false;
        }
    }
    return true;
}

/* Made of the loop's counter, or of what is carried and goes on by the same in every round? */
static bool goes_with(Grad *g, const Value *v, const Op *loop)
{
    const Block *body = loop->regions[0];

    for (int i = 0; i < loop->nresults; i++) {
        const Value *arg = body->args[i + 1];
        const Op *next = opt_made_by(body->last->operands[i], OP_add);
        int64_t step;
        const bool steps = next && opt_is_int(arg) && next->operands[0] == arg &&
                           (value_const_int(next->operands[1], &step) ||
                            !opt_inside(next->operands[1]->block, loop));
        if (steps && grad_is_made_of(g, v, arg))
            return true;
    }
    return grad_is_made_of(g, v, body->args[0]);
}

/* In loops over work that programs share, where it goes by what a piece of that is?  That no two
 * pieces store one element is taken for granted, as it is of programs. */
static bool is_in_shared_work(Grad *g, const Op *store)
{
    for (const Op *o = store->block->owner; o; o = o->block->owner) {
        if (opt_is_loop(o) &&
            (!terms_shares_work(o) || !goes_with(g, store->operands[STORE_PTR], o)))
            return false;
    }
    return true;
}

/* Each element of what is differentiated is stored once, or the gradient would count twice. */
static bool check_stores(Memory *m)
{
    Grad *g = m->g;
    GradOps stores = {0};

    for (int i = 0; i < m->stores.len; i++) {
        const Op *op = m->stores.at[i];
        if (op->code == OP_store && grad_array_of(g, op->operands[0]) == g->of.array->index)
            vec_push(g->arena, &stores, m->stores.at[i]);
    }
    if (stores.len == 0 && m->sums.len == 0) {
        grad_refuse(
            g, NULL,
            "the kernel stores nothing to `%s`: what is differentiated is one of its outputs",
            g->wish->of);
        return false;
    }
    if (stores.len > 0 && m->sums.len > 0) {
        grad_refuse(g, stores.at[0], "`%s` is stored and added to: which came first is not known",
                    g->wish->of);
        return note(m, m->sums.at[0], "added to here");
    }
    g->is_summed = m->sums.len > 0;
    if (!check_lanes(m, &stores) || !check_loops(g, &stores) || !check_loops(g, &m->sums) ||
        !grad_check_programs(g, &stores))
        return false;
    if (stores.len == 0)
        return true;
    bool once = stores.len == 1 && !opt_in_loop(stores.at[0]->block);
    if (once || grad_alone(g, &g->of, &stores, 0) ||
        (stores.len == 1 && is_in_shared_work(g, stores.at[0])))
        return true;
    grad_refuse(g, stores.at[0], "it cannot be shown that each element of `%s` is stored once",
                g->wish->of);
    return stores.len == 1 ? false : note(m, stores.at[1], "stored here, too");
}

/* Does an address, of a loop that counts? */
static bool goes_by_rounds(const GradOps *loads)
{
    for (int i = 0; i < loads->len; i++) {
        const Op *loop = loads->at[i]->block->owner;
        Poly place;

        if (!loop || loop->code != OP_for || loop->block->owner ||
            !terms_polynomial(loads->at[i]->operands[LOAD_PTR], &place))
            continue;
        for (int t = 0; t < place.count; t++) {
            for (int k = 0; k < place.terms[t].count; k++) {
                if (place.terms[t].of[k].value == loop->regions[0]->args[0])
                    return true;
            }
        }
    }
    return false;
}

/* A number that runs times an argument, or, of `i >= 0`, beside one. */
static bool is_by_argument(const Poly *below)
{
    bool beside = false, falls = false;

    for (int t = 0; t < below->count; t++) {
        const PolyTerm *term = &below->terms[t];
        bool has_argument = false, runs = false;
        for (int f = 0; f < term->count; f++) {
            const Value *v = term->of[f].value;
            has_argument |= v && terms_same_for_all(v);
            runs |= !v || (!v->def && v->block->owner);
        }
        if (has_argument && runs)
            return true;
        beside |= has_argument;
        falls |= runs && term->scale < 0;
    }
    return beside && falls;
}

/* Does a mask say where windows end that step, or are moved, by what is known at run time?  They
 * mostly overlap, and are gathered. */
static bool steps_by_argument(const GradOps *loads)
{
    static const int8_t sides[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

    for (int i = 0; i < loads->len; i++) {
        const Value *mask = op_operand(loads->at[i], LOAD_MASK);
        PolyScope scope = {0};
        PolyBounds bounds = {0};

        if (mask)
            poly_bounds(&scope, mask, sides, &bounds);
        for (int k = 0; k < bounds.count; k++) {
            if (is_by_argument(&bounds.below[k]))
                return true;
        }
    }
    return false;
}

/* Does it, of which nothing else says that it meets no element twice, load what lies where an
 * element is stored, of which each is once? */
static void find_stored_place(Memory *m, const GradArray *a, Op *load)
{
    Grad *g = m->g;
    const GradOps one = {.at = &load, .len = 1};
    const int needs = g->needs.len;
    const bool alone = grad_alone(g, a, &one, g->asked);

    g->needs.len = needs;
    if (alone)
        return;
    for (int i = 0; i < m->stores.len; i++) {
        const Op *store = m->stores.at[i];
        if (store->code == OP_store &&
            grad_array_of(g, store->operands[STORE_PTR]) == g->of.array->index &&
            terms_go_where(load, a->array, store, g->of.array)) {
            vec_push(g->arena, &g->as_stored, load);
            return;
        }
    }
}

/* Nobody else meets an element; programs do, of which each has a row; or nothing is known. */
static void find_fill(Memory *m, GradArray *a)
{
    Grad *g = m->g;
    GradOps loads = {0};
    unsigned apart = g->asked;

    for (int i = 0; i < m->loads.len; i++) {
        if (grad_array_of(g, m->loads.at[i]->operands[0]) != a->array->index ||
            !grad_is_active(g, m->loads.at[i]->results[0]))
            continue;
        vec_push(g->arena, &loads, m->loads.at[i]);
        grad_find_meeting(g, m->loads.at[i]);
        find_stored_place(m, a, m->loads.at[i]);
        apart &= grad_programs_of(g, m->loads.at[i], g->asked);
    }
    if (loads.len == 0) {
        grad_refuse(g, NULL, "`%s` does not depend on `%s`", g->wish->of,
                    g->func->params[a->array->index].name);
        return;
    }
    a->meeting = g->asked & ~apart;
    const int needs = g->needs.len, number = (int)(a - g->wrt);
    const bool may_try = !g->wish->fused && number < 32 && !(g->wish->parts >> number & 1);
    if (grad_alone(g, a, &loads, g->asked) && grad_adds_once(g, a)) {
        const bool tries =
            may_try && g->needs.len > needs && a->array != g->of.array && steps_by_argument(&loads);
        if (tries)
            g->needs.len = needs;
        a->fill = tries ? GRAD_ADDED : GRAD_STORED;
        a->may_be_known = tries;
    } else if (!grad_by_atomics(g, a) && a->meeting && grad_alone(g, a, &loads, apart) &&
               grad_can_have_parts(g, &loads, apart)) {
        bool tries = may_try && goes_by_rounds(&loads);
        a->fill = tries ? GRAD_ADDED : GRAD_PARTS;
        a->may_be_known = tries;
    } else {
        a->fill = GRAD_ADDED;
    }
    a->loads = loads;
    if (a->array == g->of.array && a->fill != GRAD_STORED)
        grad_refuse(g, loads.at[0],
                    "`%s` is differentiated by itself, and this may meet an element "
                    "twice: store to another array",
                    g->wish->of);
}

static void find_read(Op *op, void *grad)
{
    Grad *g = grad;

    if (g->needed && !map_get(g->needed, MAP_KEY(op)))
        return;
    for (int i = 0; i < g->in_place.len && op_only_reads(op); i++) {
        GradInPlace *p = &g->in_place.at[i];
        bool stands = g->wish->fused && !g->forward && op == p->first;
        for (int k = 0; k < g->saved.len; k++)
            stands |= g->saved.at[k].load == op;
        if (grad_array_of(g, op->operands[LOAD_PTR]) == p->array && !stands && !p->is_checked)
            p->load = op;
    }
}

bool grad_check_in_place(Grad *g)
{
    ir_walk(g->func->body, find_read, g);
    for (int i = 0; i < g->in_place.len; i++) {
        const GradInPlace *p = &g->in_place.at[i];
        if (!p->load)
            continue;
        grad_refuse(g, p->load,
                    "the kernel reads an array that it writes, and the gradient needs what was "
                    "there before: store to another array");
        diag(g->diags, DIAG_NOTE, p->written, "written here");
        return false;
    }
    return true;
}

bool grad_check_memory(Grad *g)
{
    Memory m = {.g = g, .bases = ir_pointer_bases(g->func, g->arena)};

    ir_walk(g->func->body, collect, &m);
    for (int i = 0; i < m.loads.len; i++) {
        if (!check_op(&m, m.loads.at[i]))
            return false;
    }
    for (int i = 0; i < m.stores.len; i++) {
        if (!check_op(&m, m.stores.at[i]))
            return false;
    }
    if (!check_apart(&m) || !check_stores(&m))
        return false;
    for (int i = 0; i < g->nwrt && !g->failed; i++)
        find_fill(&m, &g->wrt[i]);
    grad_choose_walk(g);
    for (int i = 0; i < g->nwrt && !g->failed; i++) {
        if (g->wrt[i].fill == GRAD_PARTS)
            grad_make_parts(g, &g->wrt[i]);
    }
    return !g->failed;
}
