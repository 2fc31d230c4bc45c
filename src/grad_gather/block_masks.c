/*
 * block_masks.c - what of a block is there, by masks of loops in two parts: rounds of the first
 * have all of it, and need none, those of the second have what the mask says
 *
 *     for n0 in range(0, n // N * N, N):        tl.load(k + n0 + lanes)
 *     for n0 in range(n // N * N, n, N):        tl.load(k + n0 + lanes, mask=n0 + lanes < n)
 *
 * The mask of the second is true in all rounds of the first, as these end, at a multiple of N,
 * where n is no less.
 */
#include "../opt/opt.h"
#include "gather.h"
#include "blocks.h"

void blocks_ends(Value *end, Value **out, int *n)
{
    const Op *op = end->def, *part;
    int64_t by, times;

    if (*n == MOST_ENDS)
        return;
    out[(*n)++] = end;
    switch (op ? op->code : OP_COUNT) {
    case OP_min:
        blocks_ends(op->operands[0], out, n);
        blocks_ends(op->operands[1], out, n);
        return;
    case OP_max: /* of a number and 0 */
        for (int i = 0; i < 2; i++) {
            if (value_const_int(op->operands[1 - i], &by) && by <= 0)
                blocks_ends(op->operands[i], out, n);
        }
        return;
    case OP_cast:
        blocks_ends(op->operands[0], out, n);
        return;
    case OP_mul: /* n // 16 * 16 */
        part = opt_made_by(op->operands[0], OP_div);
        if (part && value_const_int(op->operands[1], &times) && times > 0 &&
            value_const_int(part->operands[1], &by) && by == times)
            blocks_ends(part->operands[0], out, n);
        return;
    default:
        return;
    }
}

/* Is that, less than 0 where a mask is true, so in all lanes of the rounds that end there? */
static bool is_before_end(const Blocks *b, const Poly *below, const Tap *of, Value *end)
{
    const Type *tile = of->pointer->type;
    Poly rest = *below, p, counter;
    int64_t most = 0;

    if (!tap_polynomial(end, &p) || !tap_polynomial(of->counter, &counter) ||
        !poly_add(&rest, &p, 1) || !poly_add(&rest, &counter, -1))
        return false;
    for (int i = 0; i < rest.count; i++) {
        const PolyTerm *t = &rest.terms[i];
        if (t->count > 1 || (t->count == 1 && (t->of[0].value || t->scale < 0)))
            return false;
        most += t->count == 0 ? t->scale : t->scale * (tile->dims[t->of[0].key] - 1);
    }
    return most < b->step;
}

/* The limit, of a round of one loop, as one of a round of the other. */
static bool moved(const Poly *below, const Tap *one, const Tap *other, Poly *out, int64_t *times)
{
    Poly from, to;

    *out = *below;
    return tap_polynomial(one->counter, &from) && tap_polynomial(other->counter, &to) &&
           domain_scale(below, tap_atom(one->counter), times) && poly_add(out, &from, -*times) &&
           poly_add(out, &to, *times);
}

/* Is the mask of one true wherever that of the other tap is, in its rounds? */
static bool holds_too(const Blocks *b, const Tap *one, const Tap *other)
{
    Value *ends[MOST_ENDS];
    PolyScope scope = {0};
    PolyBounds bounds = {0}, said = {0};
    int n = 0;

    if (one == other || !one->mask || blocks_same(one->mask, one->loop, other->mask, other->loop))
        return true;
    poly_bounds(&scope, one->mask, tap_sides, &bounds);
    if (other->mask)
        poly_bounds(&scope, other->mask, tap_sides, &said);
    if (blocks_multiple(other->loop->operands[FOR_HI], b->step))
        blocks_ends(other->loop->operands[FOR_HI], ends, &n);
    for (int i = 0; i < bounds.count; i++) {
        Poly there;
        int64_t times;
        bool found = false;
        if (!moved(&bounds.below[i], one, other, &there, &times))
            return false;
        for (int k = 0; k < said.count && !found; k++)
            found = poly_equal(&said.below[k], &there);
        for (int k = 0; k < n && !found; k++)
            found = times == 1 && is_before_end(b, &bounds.below[i], one, ends[k]);
        if (!found)
            return false;
    }
    return !bounds.others;
}

bool blocks_say_all(const Tap *stored, const Tap *other)
{
    PolyScope scope = {0};
    PolyBounds said = {0}, bounds = {0};
    int64_t times;

    if (!other->mask || blocks_same(stored->mask, stored->loop, other->mask, other->loop))
        return true;
    if (!stored->mask)
        return false;
    poly_bounds(&scope, stored->mask, tap_sides, &said);
    poly_bounds(&scope, other->mask, tap_sides, &bounds);
    for (int i = 0; i < bounds.count; i++) {
        bool found = false;
        Poly there;
        if (!moved(&bounds.below[i], other, stored, &there, &times))
            return false;
        for (int k = 0; k < said.count && !found; k++)
            found = poly_equal(&said.below[k], &there);
        if (!found)
            return false;
    }
    return !bounds.others;
}

/* Is the number, where rounds that end at `ends` begin, negative only where there are none? */
static bool is_begin(const Value *v, Value *const *ends, int n)
{
    const Op *op = v->def, *part;
    int64_t x, y;

    if (value_const_int(v, &x))
        return x >= 0;
    for (int i = 0; i < n; i++) {
        if (ends[i] == v)
            return true;
    }
    switch (op ? op->code : OP_COUNT) {
    case OP_program_id:
    case OP_num_programs:
        return true;
    case OP_cast:
        return is_begin(op->operands[0], ends, n);
    case OP_min:
        return is_begin(op->operands[0], ends, n) && is_begin(op->operands[1], ends, n);
    case OP_add:
        return is_begin(op->operands[0], NULL, 0) && is_begin(op->operands[1], NULL, 0);
    case OP_div:
        return value_const_int(op->operands[1], &x) && x > 0 && is_begin(op->operands[0], NULL, 0);
    case OP_max:
        return is_begin(op->operands[0], NULL, 0) || is_begin(op->operands[1], NULL, 0) ||
               (is_begin(op->operands[0], ends, n) && is_begin(op->operands[1], ends, n));
    case OP_mul: /* n // 16 * 16, no less than n where that is negative */
        part = opt_made_by(op->operands[0], OP_div);
        if (part && value_const_int(op->operands[1], &x) && x > 0 &&
            value_const_int(part->operands[1], &y) && y == x)
            return is_begin(part->operands[0], ends, n);
        return is_begin(op->operands[0], NULL, 0) && is_begin(op->operands[1], NULL, 0);
    default:
        return false;
    }
}

bool blocks_begin(const Tap *t)
{
    Value *ends[MOST_ENDS];
    int n = 0;

    blocks_ends(t->loop->operands[FOR_HI], ends, &n);
    return is_begin(t->lo, ends, n);
}

bool blocks_find_masks(Blocks *b)
{
    for (int i = 0; i < b->narrays; i++) {
        b->stored[i] = NULL;
        for (int k = 0; k < b->ntaps; k++) {
            bool all = b->taps[k].array == b->arrays[i] && !b->stored[i];
            for (int m = 0; m < b->ntaps && all; m++)
                all = b->taps[m].array != b->arrays[i] ||
                      holds_too(b, &b->taps[k].tap, &b->taps[m].tap);
            b->stored[i] = all ? &b->taps[k].tap : b->stored[i];
        }
        if (!b->stored[i])
            return false;
    }
    return true;
}

bool blocks_say_rounds(const Value *mask, const Op *loop)
{
    const PolyAtom counter = tap_atom(loop->regions[0]->args[0]);
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    int64_t times;

    if (mask)
        poly_bounds(&scope, mask, tap_sides, &bounds);
    for (int i = 0; i < bounds.count; i++) {
        if (domain_scale(&bounds.below[i], counter, &times) && times == 1)
            return true;
    }
    return false;
}

Op *blocks_twin(Blocks *b, const Op *load)
{
    const Op *loop = b->loops[b->loop];

    for (int i = 0; i < b->nloops; i++) {
        for (Op *op = b->loops[i]->regions[0]->first; op && i != b->loop; op = op->next) {
            if (op->code != OP_load || op->results[0]->type != load->results[0]->type ||
                !blocks_say_rounds(op_operand(op, LOAD_MASK), b->loops[i]) ||
                !blocks_same(op->operands[LOAD_PTR], b->loops[i], load->operands[LOAD_PTR], loop))
                continue;
            const Tap one = {.loop = b->loops[i],
                             .counter = b->loops[i]->regions[0]->args[0],
                             .pointer = op->operands[LOAD_PTR],
                             .mask = op_operand(op, LOAD_MASK)};
            const Tap other = {.loop = loop,
                               .counter = loop->regions[0]->args[0],
                               .pointer = load->operands[LOAD_PTR],
                               .mask = op_operand(load, LOAD_MASK)};
            if (holds_too(b, &one, &other))
                return op;
        }
    }
    return NULL;
}
