/*
 * formula_state.c - a running mean that is made and not kept
 *
 * What an optimizer keeps from step to step, m = b * m + (1 - b) * g, is loaded, used, and stored
 * to where it was loaded.  Told is of a kernel that keeps one of these and not another one: v = c *
 * v + (1 - c) * g * g with all that follows from it, and no store to the array of v.
 *
 * So is (1 - t) * x + (1 - t) * y, a blend of two by one weight.
 */
#include "formula.h"

enum { SAME_DEPTH = 12, MOST_BLENDS = 8 };

typedef struct {
    const Op *sum, *load;
} Blend;

typedef struct {
    const Suspect *s;
    const PointerBases *bases;
    uint64_t stored; /* arrays */
    Blend at[MOST_BLENDS];
    int n;
} Blends;

/* 1 - c */
static bool is_rest_of(const Value *v, const Value *c)
{
    const Op *op = ir_bare(v)->def;
    uint64_t bits;

    return op && op->code == OP_sub && value_constant(op->operands[0], &bits) &&
           scalar_to_double(op->operands[0]->type->dtype, bits) == 1 &&
           ir_same(ir_bare(op->operands[1]), ir_bare(c), SAME_DEPTH);
}

static bool has_rest(const Value *v, const Value *c, int depth)
{
    const Op *op = ir_bare(v)->def;

    for (int i = 0; op && op->code == OP_mul && depth > 0 && i < 2; i++) {
        if (is_rest_of(op->operands[i], c) || has_rest(op->operands[i], c, depth - 1))
            return true;
    }
    return false;
}

static const Op *load_of(const Value *v)
{
    const Op *op = ir_bare(v)->def;

    return op && op->code == OP_load ? op : NULL;
}

/* c * tl.load(p) + (1 - c) * .., in any order */
static const Op *blended_load(const Op *sum)
{
    enum { FACTORS = 4 };

    for (int i = 0; i < 2; i++) {
        const Op *product = ir_bare(sum->operands[i])->def;
        for (int k = 0; product && product->code == OP_mul && k < 2; k++) {
            const Op *load = load_of(product->operands[k]);
            if (load && has_rest(sum->operands[1 - i], product->operands[1 - k], FACTORS))
                return load;
        }
    }
    return NULL;
}

static void note(Op *op, void *blends)
{
    Blends *b = blends;
    const Op *load = op->code == OP_add ? blended_load(op) : NULL;

    if (op_has(op, WRITES) && op->noperands > 0)
        b->stored |= ir_bases_of(b->bases, op->operands[0]);
    if (load && b->n < MOST_BLENDS)
        b->at[b->n++] = (Blend){op, load};
}

static bool is_stored_itself(const Suspect *s, const Value *v, int depth)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *user = uses_of(uses, v)[i].op;
        if (op_has(user, WRITES) || user->code == OP_yield || user->code == OP_return ||
            (user->code == OP_cast && depth > 0 &&
             is_stored_itself(s, user->results[0], depth - 1)))
            return true;
    }
    return false;
}

/* --- a blend of two by one weight --- */

/* The other factor of (1 - t) * x, where t is a number of the launch; NULL. */
static const Value *weighted(const Value *product, const Value **weight)
{
    const Op *op = ir_bare(product)->def;
    uint64_t bits;

    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        const Op *rest = ir_bare(op->operands[i])->def;
        if (!rest || rest->code != OP_sub || ir_bare(rest->operands[1])->def ||
            !value_constant(rest->operands[0], &bits) ||
            scalar_to_double(rest->operands[0]->type->dtype, bits) != 1)
            continue;
        *weight = ir_bare(rest->operands[1]);
        return ir_bare(op->operands[1 - i]);
    }
    return NULL;
}

static void look_at_weights(Op *op, void *suspect)
{
    const Value *one = NULL, *two = NULL;

    if (op->code != OP_add)
        return;
    const Value *x = weighted(op->operands[0], &one), *y = weighted(op->operands[1], &two);
    if (x && y && x != y && one == two && load_of(x) && load_of(y))
        tell_warn(suspect, op, "t * x + (1 - t) * y",
                  "both of these are weighted by 1 - t, and none by t");
}

void formula_state(const Suspect *s)
{
    Blends b = {.s = s, .bases = ir_pointer_bases(s->func, s->arena)};
    bool keeps = false;

    ir_walk(s->func->body, look_at_weights, (void *)s);
    if (!s->func->is_kernel)
        return;
    ir_walk(s->func->body, note, &b);
    for (int i = 0; i < b.n; i++) {
        uint64_t array = ir_bases_of(b.bases, b.at[i].load->operands[LOAD_PTR]);
        keeps |= (b.stored & array) != 0 && is_stored_itself(s, b.at[i].sum->results[0], 2);
    }
    for (int i = 0; keeps && i < b.n; i++) {
        uint64_t array = ir_bases_of(b.bases, b.at[i].load->operands[LOAD_PTR]);
        if ((b.stored & array) == 0 && !is_stored_itself(s, b.at[i].sum->results[0], 2))
            tell_warn(s, b.at[i].sum, "tl.store(v + i, ..), as the other one is stored",
                      "this running mean is not stored to where the last one was loaded, and "
                      "another one of the kernel is");
    }
}
