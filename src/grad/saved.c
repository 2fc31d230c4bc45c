/*
 * saved.c - what the forward has stored is loaded, not computed again, where that needs a pass over
 * lanes or rounds: a mean, 1 / sqrt(variance), a log of a sum of exponentials
 *
 *     tl.store(rstd + row, scale)      scale = tl.load(rstd + row)
 *
 * So the derived kernel reads arrays as the forward left them.  What may be loaded is a value as it
 * was stored, not rounded on the way, by a store that runs as often as the value is made, to an
 * element that no other one stores to, and that the kernel does not read.  What is loaded in the
 * end are those without which more reductions, scans, products or loops would have to run.
 *
 * Of an array that is updated in place what was there before is gone, and what is there now is
 * loaded wherever it is needed.
 */
#include "../opt/opt.h"
#include "grad.h"

/* --- what may be loaded --- */

typedef struct {
    Grad *g;
    const PointerBases *bases;
    int array;      /* a parameter */
    GradOps stores; /* to it */
    bool is_used;   /* in other ways, but that it is */
    bool in_place;  /* read before it is written */
} Uses;

static bool reads_before(const Grad *g, const Op *op)
{
    for (int i = 0; i < g->in_place.len; i++) {
        if (g->in_place.at[i].first == op)
            return true;
    }
    return false;
}

static void note_use(Op *op, void *uses)
{
    Uses *u = uses;
    const OpAccess access = ir_access(op);
    const uint64_t bit = (uint64_t)1 << MIN(u->array, 63);

    if (!(access.effect & (READS | WRITES)) || op->code == OP_barrier)
        return;
    const uint64_t bases =
        access.pointer < 0 ? EVERY_PARAM : ir_bases_of(u->bases, op->operands[access.pointer]);
    if ((bases & bit) == 0)
        return;
    bool is_store =
        op->code == OP_store && grad_array_of(u->g, op->operands[STORE_PTR]) == u->array;
    const bool is_before = reads_before(u->g, op);
    u->in_place |= is_before;
    u->is_used |= !is_store && !is_before;
    if (is_store)
        vec_push(u->g->arena, &u->stores, op);
}

/* *out: what must hold for that, and is not needed yet. */
static bool is_stored_once(Grad *g, const Op *store, bool *in_place, GradNeeds *out)
{
    const int array = grad_array_of(g, store->operands[STORE_PTR]), needs = g->needs.len;
    Uses u = {.g = g, .bases = ir_pointer_bases(g->func, g->arena), .array = array};

    if (array < 0 || opt_in_loop(store->block))
        return false;
    const GradArray saved = {.array = g->func->body->args[array]};
    ir_walk(g->func->body, note_use, &u);
    *in_place = u.in_place;
    if (u.is_used)
        return false;
    if (array == g->of.array->index && u.stores.len == 1) /* which is taken for granted */
        return true;
    const bool once = grad_alone(g, &saved, &u.stores, g->asked);
    for (int i = needs; i < g->needs.len; i++)
        vec_push(g->arena, out, g->needs.at[i]);
    g->needs.len = needs;
    return once;
}

bool grad_is_stored_once(Grad *g, const Op *store)
{
    GradNeeds needs = {0};
    bool in_place;
    const bool once = is_stored_once(g, store, &in_place, &needs) && !in_place;

    if (once)
        grad_need_for_all(g, &needs);
    return once;
}

/* Does the value stand in front of the op, in its block or one around it? */
static bool stands_before(const Value *v, const Op *at)
{
    const Block *b = v->def ? v->def->block : v->block;

    if (!block_encloses(b, at->block))
        return false;
    while (at->block != b)
        at = at->block->owner;
    for (const Op *op = v->def; op && op != at; op = op->next) {
        if (!op->next)
            return false;
    }
    return !v->def || v->def != at;
}

bool grad_can_stand(const Value *v, const Op *at)
{
    const Op *op = v->def;

    if (stands_before(v, at))
        return true;
    if (!op || !op_has(op, PURE) || op->regions[0])
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (!grad_can_stand(op->operands[i], at))
            return false;
    }
    return true;
}

static Value *copied(Builder *b, Value *v, const Op *at, Map *copies)
{
    const Op *op = v->def;
    Value *known = map_get(copies, MAP_KEY(v));

    if (known || stands_before(v, at))
        return known ? known : v;
    for (int i = 0; i < op->noperands; i++)
        copied(b, op->operands[i], at, copies);
    return op_clone(b, op, copies)->results[0];
}

Value *grad_stand(Builder *b, Value *v, const Op *at)
{
    return copied(b, v, at, map_new(b->module->arena));
}

/* Where it is loaded: in front of what made it. */
static Op *place_of(const GradSaved *s)
{
    return s->below ? s->below->def : s->value->def;
}

/* What it is a constant divided by, as 1 / sqrt(..): that is told by it as well. */
static Value *divisor_of(const Value *v, const GradSaved *s)
{
    uint64_t bits;
    const Op *op = opt_made_by(v, OP_div);
    Value *below = op && value_constant(op->operands[0], &bits) && bits ? op->operands[1] : NULL;

    return below && below->def && below->def->block == v->def->block &&
                   grad_can_stand(s->pointer, below->def)
               ? below
               : NULL;
}

/* Is it 0 in lanes that the mask leaves out, as what is loaded there is? */
static bool is_zero_outside(const Value *v, const Value *mask)
{
    const Op *op = v->def;

    if (!op)
        return false;
    switch (op->code) {
    case OP_load: {
        const Value *other = op_operand(op, LOAD_OTHER);
        return op_operand(op, LOAD_MASK) == mask && (!other || grad_is_number(other, 0));
    }
    case OP_mul:
        return is_zero_outside(op->operands[0], mask) || is_zero_outside(op->operands[1], mask);
    case OP_add:
    case OP_sub:
        return is_zero_outside(op->operands[0], mask) && is_zero_outside(op->operands[1], mask);
    case OP_cast:
    case OP_neg:
        return is_zero_outside(op->operands[0], mask);
    default:
        return false;
    }
}

/* Lanes that are not stored hold 0 where they are loaded: that is harmless where nobody but the
 * store has the value, whose gradient is 0 there, and what it is made of has a slope by it, not by
 * 1 / it. */
static bool suits_mask(const Grad *g, const Op *store, const Value *v)
{
    const Value *mask = op_operand(store, STORE_MASK);
    const OpCode code = v->def->code;
    bool is_harmless =
        code == OP_div || code == OP_exp || code == OP_exp2 || code == OP_tanh || code == OP_scan;

    return !mask || (grad_can_stand(mask, v->def) &&
                     (is_zero_outside(v, mask) || (is_harmless && uses_count(&g->uses, v) == 1)));
}

/* Are all gradients rounded as the result is?  Else they may be finer than it, or it infinite. */
static bool rounds_all(const Grad *g, const Op *store)
{
    const DType t = store->operands[STORE_DATA]->type->dtype;
    bool all = dtype_is_small_float(t) &&
               grad_array_of(g, store->operands[STORE_PTR]) == g->of.array->index;

    for (int i = 0; i < g->nwrt; i++)
        all &= g->wrt[i].array->type->dtype == t;
    return all;
}

/* What the store holds, before it was rounded to 16 bits. */
static Value *stored_value(const Grad *g, const Op *store)
{
    Value *v = store->operands[STORE_DATA];
    const Op *cast = opt_made_by(v, OP_cast);

    return cast && dtype_is_float(cast->operands[0]->type->dtype) && rounds_all(g, store)
               ? cast->operands[0]
               : v;
}

/* Is it made by ops of the same block as the store, so that where one runs, both do? */
static bool suits(const Grad *g, const Op *store)
{
    const Value *v = store->code == OP_store ? stored_value(g, store) : NULL;

    return v && v->def && v->def->block == store->block && v->def->code != OP_const &&
           dtype_is_float(v->type->dtype) && grad_can_stand(store->operands[STORE_PTR], v->def) &&
           suits_mask(g, store, v);
}

static void find(Op *op, void *grad)
{
    Grad *g = grad;

    if (suits(g, op))
        vec_push(g->arena, &g->saved, ((GradSaved){.store = op}));
}

void grad_find_saved(Grad *g)
{
    int n = 0;

    if (g->wish->recompute || g->wish->fused)
        return;
    ir_walk(g->func->body, find, g);
    for (int i = 0; i < g->saved.len; i++) {
        GradSaved s = g->saved.at[i];
        s.array = grad_array_of(g, s.store->operands[STORE_PTR]);
        s.value = stored_value(g, s.store);
        s.pointer = s.store->operands[STORE_PTR];
        s.mask = op_operand(s.store, STORE_MASK);
        s.is_rounded = s.value != s.store->operands[STORE_DATA];
        s.below = s.mask || s.is_rounded ? NULL : divisor_of(s.value, &s);
        if (is_stored_once(g, s.store, &s.in_place, &s.needs) &&
            (!s.in_place || g->facts[s.value->id] & MATTERS))
            g->saved.at[n++] = s;
    }
    g->saved.len = n;
}

/* --- what is worth it --- */

/* What the kernel needs, when some values are loaded. */
typedef struct {
    Grad *g;
    const bool *is_loaded; /* of g->saved */
    Map *seen;
    int passes;
} Needed;

static void need_op(Needed *n, const Op *op);

static int number_of(const Grad *g, const Value *v)
{
    for (int i = 0; i < g->saved.len; i++) {
        if (g->saved.at[i].value == v || g->saved.at[i].below == v)
            return i;
    }
    return -1;
}

static void need(Needed *n, const Value *v)
{
    const int saved = number_of(n->g, v);

    if (saved >= 0 && n->is_loaded[saved])
        return;
    if (v->def || v->block->owner)
        need_op(n, v->def ? v->def : v->block->owner);
}

static void need_tape(Needed *n, const Op *load)
{
    const int array = grad_array_of(n->g, load->operands[LOAD_PTR]);

    for (int i = 0; i < n->g->tapes.len; i++) {
        if (n->g->tapes.at[i]->tape->index == array)
            need_op(n, n->g->tapes.at[i]->store);
    }
}

static void need_op(Needed *n, const Op *op)
{
    if (map_get(n->seen, MAP_KEY(op)))
        return;
    map_put(n->seen, MAP_KEY(op), (void *)op);
    n->passes +=
        opt_is_loop(op) || op_has(op, COMBINES) || op->code == OP_dot || op->code == OP_sort;
    for (int i = 0; i < op->noperands; i++)
        need(n, op->operands[i]);
    if (op_only_reads(op))
        need_tape(n, op);
    if (op->block->owner)
        need_op(n, op->block->owner);
    for (int r = 0; r < COUNT(op->regions) && op->regions[r] && op->regions[r]->last; r++)
        need_op(n, op->regions[r]->last);
}

static void need_effect(Op *op, void *needed)
{
    Needed *n = needed;
    bool is_tape = false;

    for (int i = 0; i < n->g->tapes.len; i++)
        is_tape |= n->g->tapes.at[i]->store == op;
    if (!is_tape && op->code != OP_barrier && !op->regions[0] && op_contains(op, WRITES | EFFECT))
        need_op(n, op);
}

/* How many passes over lanes or rounds there are. */
static int passes(Grad *g, const bool *is_loaded)
{
    Needed n = {.g = g, .is_loaded = is_loaded, .seen = map_new(g->arena)};

    ir_walk(g->func->body, need_effect, &n);
    return n.passes;
}

/* The fewest without which there are more. */
static void choose(Grad *g, bool *is_loaded)
{
    for (int i = 0; i < g->saved.len; i++)
        is_loaded[i] = g->saved.at[i].in_place;
    const int without = passes(g, is_loaded);

    for (int i = 0; i < g->saved.len; i++)
        is_loaded[i] = true;
    const int fewest = passes(g, is_loaded);
    for (int i = g->saved.len - 1; i >= 0; i--) {
        if (g->saved.at[i].in_place)
            continue;
        is_loaded[i] = false;
        is_loaded[i] = fewest < without && passes(g, is_loaded) > fewest;
    }
}

/* --- loading --- */

/* x / y with y = 1 / loaded. */
typedef struct {
    const Value *below;
    Value *loaded;
} Inverse;

static void multiply(Op *op, void *inverse)
{
    const Inverse *in = inverse;

    if (op->code != OP_div || op->operands[1] != in->below)
        return;
    op->code = OP_mul;
    op->operands[1] = in->loaded;
}

static void undo_division(Grad *g, const GradSaved *s, Value *loaded, Builder *b)
{
    Op *made = s->value->def;
    Inverse inverse = {s->below, loaded};

    Value *over = grad_stand(b, made->operands[0], loaded->def);
    s->below->repl = build_binary(b, OP_div, over, loaded);
    if (grad_is_number(over, 1))
        ir_walk(g->func->body, multiply, &inverse);
}

static void load(Grad *g, GradSaved *s)
{
    Op *at = place_of(s);
    Builder b = builder_before(at);

    b.span = s->store->span;
    b.site = s->store->site;
    Value *pointer = grad_stand(&b, s->pointer, at);
    Value *mask = s->mask ? grad_stand(&b, s->mask, at) : NULL;
    const Type *type = s->store->operands[STORE_DATA]->type;
    Value *zero = mask ? build_float(&b, type, 0) : NULL;
    Value *loaded = build_load(&b, pointer, mask, zero)->results[0];
    s->load = loaded->def;
    loaded->name = s->value->name;
    value_shaped_like(g->func->module, loaded, s->value);
    loaded = build_cast(&b, loaded, s->value->type->dtype, ROUND_NEAREST);
    value_shaped_like(g->func->module, loaded, s->value);
    if (s->below)
        undo_division(g, s, loaded, &b);
    s->value->repl = loaded;
    s->is_loaded = true;
    grad_need_for_all(g, &s->needs);
    for (int i = 0; i < g->in_place.len; i++) { /* it may become that load, which nobody needs */
        const GradInPlace *p = &g->in_place.at[i];
        if (p->array == s->array)
            p->first->results[0]->name = loaded->name;
    }
}

/* What else but products takes what is rounded? */
typedef struct {
    const GradSaved *saved;
    bool found;
} Rounded;

static void find_other(Op *op, void *rounded)
{
    Rounded *r = rounded;
    const Value *v = r->saved->value;

    for (int i = 0; i < op->noperands; i++)
        r->found |= op->operands[i] == v && op->code != OP_mul &&
                    !(op->code == OP_cast && dtype_is_small_float(op->results[0]->type->dtype));
}

/* What was rounded is as good where gradients are multiplied by it, as by the result of attention
 * that keys are taken off by; a difference from a mean, or exp(x - log), would lose what it says.
 */
static void drop_rounded(Grad *g)
{
    int n = 0;

    for (int i = 0; i < g->saved.len; i++) {
        const GradSaved s = g->saved.at[i];
        Rounded r = {.saved = &s};
        if (s.is_rounded)
            ir_walk(g->func->body, find_other, &r);
        if (!r.found)
            g->saved.at[n++] = s;
    }
    g->saved.len = n;
}

/* In the arm of an `if` that was computed again. */
static void follow(Grad *g)
{
    int n = 0;

    for (int i = 0; i < g->saved.len; i++) {
        GradSaved s = g->saved.at[i];
        s.pointer = grad_value(g, s.pointer);
        s.mask = s.mask ? grad_value(g, s.mask) : NULL;
        s.value = grad_value(g, s.value);
        s.below = s.below ? grad_value(g, s.below) : NULL;
        if (s.value->def && grad_can_stand(s.pointer, place_of(&s)))
            g->saved.at[n++] = s;
    }
    g->saved.len = n;
}

/* What the backward computes as the forward did. */
static void merge(Op *op, void *grad)
{
    const Grad *g = grad;

    for (int i = 0; i < g->saved.len; i++) {
        const Op *made = g->saved.at[i].value->def;
        bool same = op != made && op->code == made->code && op->code == OP_div &&
                    block_encloses(made->block, op->block);
        for (int k = 0; k < op->noperands && same; k++)
            same = op->operands[k] == made->operands[k];
        if (same)
            op->results[0]->repl = made->results[0];
    }
}

/* Measured from the log of the sum, the sum is 1. */
static void load_anchor(Grad *g, const GradAnchor *a)
{
    Value *sum = grad_value(g, a->sum), *stored = grad_value(g, a->stored);
    Builder b = builder_before(sum->def);

    sum->repl = build_float(&b, sum->type, 1);
    if (a->guarded) {
        sum = grad_value(g, a->guarded);
        b = builder_before(sum->def);
        sum->repl = build_float(&b, sum->type, 1);
    }
    stored->repl = grad_value(g, a->loaded);
}

/* What was there before, and what is there now, are loads of one address: once the rest is put in
 * order they would be one. */
static void check_before(Grad *g)
{
    Needed n = {
        .g = g, .is_loaded = NEW_N(g->arena, bool, g->saved.len + 1), .seen = map_new(g->arena)};

    ir_walk(g->func->body, need_effect, &n);
    g->needed = n.seen;
    g->failed |= !grad_check_in_place(g);
    g->needed = NULL;
    for (int i = 0; i < g->in_place.len; i++)
        g->in_place.at[i].is_checked = true;
}

void grad_load_saved(Grad *g)
{
    follow(g);
    ir_walk(g->func->body, merge, g);
    for (int i = 0; i < g->anchors.len; i++)
        load_anchor(g, &g->anchors.at[i]);
    opt_resolve_all(g->func->body);
    drop_rounded(g);
    bool *is_loaded = NEW_N(g->arena, bool, g->saved.len + 1);
    choose(g, is_loaded);
    for (int i = 0; i < g->saved.len; i++) {
        if (is_loaded[i])
            load(g, &g->saved.at[i]);
    }
    opt_resolve_all(g->func->body);
    if (!g->wish->fused)
        check_before(g);
    for (int i = 0; i < g->anchors.len && !g->wish->fused; i++) {
        const Op *store = g->anchors.at[i].store;
        GradSaved s = {.store = store, .is_loaded = true};
        s.array = grad_array_of(g, store->operands[STORE_PTR]);
        vec_push(g->arena, &g->saved, s);
    }
}
