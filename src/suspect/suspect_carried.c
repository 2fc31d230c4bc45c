/*
 * suspect_carried.c - what the rounds of a loop carry to no end
 *
 *   - what begins as 0, and is 0 behind each round that begins with 0: a product that begins with
 *     0.0, also one that a scan goes on with, tl.cumsum(v) * carry;
 *   - a number that is the sum, or the greatest, of a round's tile, and not looked at by the next
 *     one: m = tl.max(v, 0) for m = tl.maximum(m, tl.max(v, 0));
 *   - a tile that is the last round's alone, and summed up behind the loop: acc = v for acc += v;
 *   - a sum of products of which one factor is loaded in each round from another place, and the
 *     other one, loaded there too, from the same: a channel that was forgotten in its address;
 *   - acc += tl.dot(a, b, acc), which adds the total to itself;
 *   - tl.sum(h[:, None] * w, 1) of a state h, in which no element of h meets another one;
 *   - tl.where(t >= tl.load(p), j, e), where each round loads the same.
 */
#include "suspect.h"

enum { DEEPEST = 24, MOST_VISITS = 1000 };

/* --- zeros that stay --- */

static bool is_zero(const Value *v)
{
    uint64_t bits;

    return !v->type->pointer && !v->type->handle && value_constant(v, &bits) &&
           scalar_to_double(v->type->dtype, bits) == 0;
}

/* Is it 0 where `was` is 0, as products and sums are? */
static bool is_zero_of(const Value *v, const Value *was, int depth, int *left)
{
    const Op *op = v->def;
    int zeros = 0;

    if (v == was || is_zero(v))
        return true;
    if (!op || depth == 0 || --*left < 0)
        return false;
    if (op_has(op, MOVES) || op->code == OP_cast ||
        ((ir_reduces(op) || op->code == OP_scan) && op->noperands == 1 &&
         ir_combine_code(op) == OP_add))
        return is_zero_of(op->operands[0], was, depth - 1, left);
    for (int i = op->code == OP_select; i < op->noperands; i++)
        zeros += is_zero_of(op->operands[i], was, depth - 1, left);
    if (op->code == OP_mul)
        return zeros > 0;
    return (op->code == OP_add || op->code == OP_sub || op->code == OP_select) &&
           zeros == op->noperands - (op->code == OP_select);
}

static void look_for_zero(const Suspect *s, const Op *loop, int i)
{
    const Value *was = loop->regions[0]->args[1 + i];
    const Value *now = opt_last(loop->regions[0])->operands[i];

    if (was->type->pointer || was->type->handle || !dtype_is_float(was->type->dtype) ||
        !is_zero(ir_bare(loop->operands[FOR_BOUNDS + i])) || now == was || is_zero(ir_bare(now)) ||
        !now->def || uses_count(tell_uses(s), was) == 0 ||
        !is_zero_of(now, was, DEEPEST, &(int){MOST_VISITS}))
        return;
    tell_warn(s, now->def, "a product begins with 1",
              "this begins as 0, and 0 times what a round has is 0 in all of them");
}

/* --- the last round alone --- */

static void look_for_last(const Suspect *s, const Op *loop, int i)
{
    const UseLists *uses = tell_uses(s);
    const Value *now = ir_uncast(opt_last(loop->regions[0])->operands[i]);
    uint64_t bits;

    if (now->type->rank > 0 || !ir_reduces(now->def) || now->def->noperands != 1 ||
        uses_count(uses, now) != 1 || uses_count(uses, loop->regions[0]->args[1 + i]) > 0 ||
        uses_count(uses, loop->results[i]) == 0 ||
        !value_constant(loop->operands[FOR_BOUNDS + i], &bits) ||
        !tell_is_moved(now, loop, DEEPEST) || !tell_is_inside(now, loop))
        return;
    bool adds = ir_combine_code(now->def) == OP_add;
    tell_warn(s, now->def,
              adds ? "total += tl.sum(..)" : "m = tl.maximum(m, tl.max(..)), or tl.minimum",
              "each round makes this of its own tile, and only that of the last one is left "
              "behind the loop");
}

/* at = j + i, of the place i of the round's greatest */
static void look_for_last_place(const Suspect *s, const Op *loop, int i)
{
    const UseLists *uses = tell_uses(s);
    const Op *sum = ir_uncast(opt_last(loop->regions[0])->operands[i])->def;
    const Value *counter = loop->regions[0]->args[0];
    int64_t first;

    if (!sum || sum->code != OP_add || sum->results[0]->type->rank > 0 ||
        uses_count(uses, sum->results[0]) != 1 ||
        uses_count(uses, loop->regions[0]->args[1 + i]) > 0 ||
        uses_count(uses, loop->results[i]) == 0 ||
        !value_const_signed(loop->operands[FOR_BOUNDS + i], &first))
        return;
    for (int k = 0; k < 2; k++) {
        const Value *place = ir_uncast(sum->operands[k]);
        if (ir_uncast(sum->operands[1 - k]) == counter && ir_reduces(place->def) &&
            place->def->noperands == 2 && place->index == 1 && tell_is_moved(place, loop, DEEPEST))
            tell_warn(s, sum, "at = tl.where(m > best, j + i, at)",
                      "each round makes this of its own tile, and only that of the last one is "
                      "left behind the loop");
    }
}

/* Is it only summed up, as the parts of lanes that rounds have added up are? */
static bool is_only_summed(const Suspect *s, const Value *v)
{
    const UseLists *uses = tell_uses(s);
    int n = uses_count(uses, v);

    for (int i = 0; i < n; i++) {
        const Op *op = uses_of(uses, v)[i].op;
        if (!ir_reduces(op) || op->noperands != 1 || ir_combine_code(op) != OP_add)
            return false;
    }
    return n > 0;
}

/* acc = x for acc += x, of an x that the round uses otherwise, too */
static void look_for_last_tile(const Suspect *s, const Op *loop, int i)
{
    const UseLists *uses = tell_uses(s);
    const Value *now = opt_last(loop->regions[0])->operands[i];
    const Op *load = ir_uncast(now)->def;

    if (now->type->rank == 0 || now->type->pointer || !dtype_is_float(now->type->dtype) || !load ||
        load->code != OP_load || !tell_is_inside(now, loop) || uses_count(uses, now) < 2 ||
        uses_count(uses, loop->regions[0]->args[1 + i]) > 0 ||
        !is_zero(ir_bare(loop->operands[FOR_BOUNDS + i])) || !is_only_summed(s, loop->results[i]) ||
        !tell_is_moved(now, loop, DEEPEST))
        return;
    tell_warn(s, load, "acc += v adds them up",
              "each round loads this anew, and only that of the last one is summed up behind the "
              "loop");
}

/* --- a factor without the round --- */

/* Does it follow from the round?  Of the counters of loops within it, their bounds do. */
static bool is_of_round(const Value *v, const Op *loop, int depth, int *left)
{
    const Op *op = v->def;

    if (!tell_is_inside(v, loop))
        return false;
    if (--*left < 0)
        return true;
    if (!op) {
        const Op *owner = v->block->owner;
        if (depth == 0 || owner == loop || owner->code != OP_for || v->index > 0)
            return true;
        return is_of_round(owner->operands[FOR_LO], loop, depth - 1, left) ||
               is_of_round(owner->operands[FOR_HI], loop, depth - 1, left);
    }
    if (depth == 0 || (op->regions[0] && !op_has(op, COMBINES)))
        return true;
    for (int i = 0; i < op->noperands; i++) {
        if (is_of_round(op->operands[i], loop, depth - 1, left))
            return true;
    }
    return false;
}

/* The one load within the loop that it is, element by element and by a mask of its own; NULL. */
static const Op *load_in(const Value *v, const Op *loop)
{
    const Op *op = ir_bare(v)->def;

    return op && op->code == OP_load && tell_is_inside(op->results[0], loop) ? op : NULL;
}

/* A product that is added to `was`, in the loop or in one within it; NULL. */
static const Op *added_product(const Value *v, const Value *was, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0)
        return NULL;
    if (op->code == OP_for) {
        int i = v->index;
        if (op->operands[FOR_BOUNDS + i] != was)
            return NULL;
        return added_product(opt_last(op->regions[0])->operands[i], op->regions[0]->args[1 + i],
                             depth - 1);
    }
    for (int k = 0; op->code == OP_add && k < 2; k++) {
        const Op *product = ir_uncast(op->operands[1 - k])->def;
        /* written out: was + a * b + c * d */
        if ((op->operands[k] == was || added_product(op->operands[k], was, depth - 1)) && product &&
            product->code == OP_mul)
            return product;
    }
    return NULL;
}

static void note_effect(Op *op, void *found)
{
    *(bool *)found |= op_has(op, WRITES | EFFECT) || op_is_volatile(op);
}

static void look_for_factor(const Suspect *s, const Op *loop, int i)
{
    const Op *product = added_product(opt_last(loop->regions[0])->operands[i],
                                      loop->regions[0]->args[1 + i], DEEPEST);
    bool effects = false;

    for (int k = 0; product && k < 2; k++) {
        const Op *same = load_in(product->operands[k], loop);
        const Op *other = load_in(product->operands[1 - k], loop);
        if (!same || !other || is_of_round(same->results[0], loop, DEEPEST, &(int){MOST_VISITS}) ||
            !is_of_round(other->operands[LOAD_PTR], loop, DEEPEST, &(int){MOST_VISITS}))
            continue;
        ir_walk(loop->regions[0], note_effect, &effects);
        if (!effects)
            tell_warn(s, same, "is the counter of the loop missing in this address?",
                      "each round of a loop loads this factor from the same elements, and the "
                      "other one from others, and adds up their products");
        return;
    }
}

/* --- a total that is added to itself --- */

/* acc + tl.dot(a, b, acc) */
static void look_for_twice(const Suspect *s, const Op *op)
{
    uint64_t bits;

    for (int i = 0; i < 2; i++) {
        const Op *dot = ir_uncast(op->operands[i])->def;
        const Value *total = op->operands[1 - i];
        if (dot && dot->code == OP_dot && dot->operands[2] == total &&
            !value_constant(total, &bits))
            tell_warn(s, op, "acc = tl.dot(a, b, acc), or acc += tl.dot(a, b)",
                      "the product has been added to this already, and is added to it again");
    }
}

/* --- a recurrence whose elements do not meet --- */

/* Is it v, the same along that dimension, times or plus a tile of both? */
static bool is_spread_along(const Value *tile, const Value *v, int axis)
{
    const Op *op = ir_uncast(tile)->def;

    for (int i = 0; op && (op->code == OP_mul || op->code == OP_add) && i < 2; i++) {
        const Op *spread = op->operands[i]->def;
        while (spread && spread->code == OP_broadcast)
            spread = spread->operands[0]->def;
        if (spread && spread->code == OP_expand && attr_axis(spread) == axis &&
            ir_uncast(spread->operands[0]) == v && ir_unmoved(op->operands[1 - i])->type->rank == 2)
            return true;
    }
    return false;
}

typedef struct {
    const Suspect *s;
    const Value *was;
} Spread;

/* tl.sum(h[:, None] * w, 1) */
static void look_for_spread(Op *op, void *spread)
{
    const Spread *x = spread;

    if (!ir_reduces(op) || op->noperands != 1 || op->operands[0]->type->rank != 2 ||
        op->operands[0]->type->dims[0] != op->operands[0]->type->dims[1] ||
        !is_spread_along(op->operands[0], x->was, (int)attr_axis(op)))
        return;
    tell_warn(x->s, op, "the other axis, or v[None, :] for v[:, None]",
              "this goes along the dimension in which all are the same element of what the loop "
              "carries: no element meets another one");
}

/* --- a condition that is the same in all rounds --- */

static bool loads_in(const Value *v, const Op *loop, int depth, int *left)
{
    const Op *op = v->def;

    if (!op || depth == 0 || --*left < 0 || !tell_is_inside(v, loop))
        return false;
    if (op_only_reads(op))
        return true;
    for (int i = 0; i < op->noperands; i++) {
        if (loads_in(op->operands[i], loop, depth - 1, left))
            return true;
    }
    return false;
}

/* e = tl.where(t >= tl.load(p), j, e), where each round loads p */
static void look_for_choice(const Suspect *s, const Op *loop, int i)
{
    const Op *choice = ir_uncast(opt_last(loop->regions[0])->operands[i])->def;
    const Value *was = loop->regions[0]->args[1 + i];
    bool effects = false;

    if (!choice || choice->code != OP_select || !tell_is_inside(choice->results[0], loop))
        return;
    const Value *condition = choice->operands[0];
    for (int k = 1; k <= 2; k++) {
        if (ir_uncast(choice->operands[k]) != was ||
            !is_of_round(choice->operands[3 - k], loop, DEEPEST, &(int){MOST_VISITS}) ||
            is_of_round(condition, loop, DEEPEST, &(int){MOST_VISITS}) ||
            !loads_in(condition, loop, DEEPEST, &(int){MOST_VISITS}))
            continue;
        ir_walk(loop->regions[0], note_effect, &effects);
        if (!effects)
            tell_warn(s, choice, "is the counter of the loop missing in an address?",
                      "each round loads the same to choose by, so that the last one is chosen, "
                      "or none");
        return;
    }
}

static void look_at(Op *op, void *suspect)
{
    if (op->code == OP_add)
        look_for_twice(suspect, op);

    for (int i = 0; op->code == OP_for && i < op->nresults; i++) {
        look_for_zero(suspect, op, i);
        look_for_last(suspect, op, i);
        look_for_last_tile(suspect, op, i);
        look_for_last_place(suspect, op, i);
        look_for_factor(suspect, op, i);
        look_for_choice(suspect, op, i);
        Spread x = {suspect, op->regions[0]->args[1 + i]};
        if (x.was->type->rank == 1)
            ir_walk(op->regions[0], look_for_spread, &x);
    }
}

static bool is_for(const Op *op)
{
    return op->code == OP_for;
}

void suspect_carried(const Suspect *s)
{
    if (tell_any(s, is_for))
        ir_walk(s->func->body, look_at, (void *)s);
}
