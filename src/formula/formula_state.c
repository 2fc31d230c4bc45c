/*
 * formula_state.c - a running mean that is made and not kept
 *
 * What an optimizer keeps from step to step, m = b * m + (1 - b) * g, is loaded, used, and stored
 * to where it was loaded.  Told is of a kernel that keeps one of these and not another one: v = c *
 * v + (1 - c) * g * g with all that follows from it, and no store to the array of v.
 *
 * So is (1 - t) * x + (1 - t) * y, a blend of two by one weight, and t * x + (1 - t) * x, one of x
 * and itself, and t * x + (1 + t) * y; and v = t * v + (1 - u) * g of two numbers of the launch,
 * where nothing has 1 - t.
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
    Blend unlike[MOST_BLENDS];       /* weights t and 1 - u */
    const Value *first[MOST_BLENDS]; /* .. their t */
    int nunlike;
    const Value *rests[MOST_BLENDS]; /* what 1 - .. is of */
    int nrests;
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

/* The t of a factor 1 - t, a number of the launch; NULL. */
static const Value *rest_in(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;
    const Value *found = NULL;

    if (op && op->code == OP_sub && is_rest_of(v, op->operands[1])) {
        found = ir_bare(op->operands[1]);
        return found->def || found->block->owner ? NULL : found;
    }
    for (int i = 0; op && op->code == OP_mul && depth > 0 && i < 2 && !found; i++)
        found = rest_in(op->operands[i], depth - 1);
    return found;
}

/* t * tl.load(p) + (1 - u) * .. */
static void note_unlike(Blends *b, const Op *sum)
{
    enum { FACTORS = 4 };

    for (int i = 0; i < 4 && b->nunlike < MOST_BLENDS; i++) {
        const Op *product = ir_bare(sum->operands[i / 2])->def;
        const Value *u = rest_in(sum->operands[1 - i / 2], FACTORS);
        if (!u || !product || product->code != OP_mul)
            continue;
        const Value *t = ir_bare(product->operands[i % 2]);
        const Op *load = load_of(product->operands[1 - i % 2]);
        if (!load || t == u || t->def || t->block->owner || t->type->pointer)
            continue;
        b->first[b->nunlike] = t;
        b->unlike[b->nunlike++] = (Blend){sum, load};
    }
}

static void note(Op *op, void *blends)
{
    Blends *b = blends;
    const Op *load = op->code == OP_add ? blended_load(op) : NULL;

    if (op_has(op, WRITES) && op->noperands > 0)
        b->stored |= ir_bases_of(b->bases, op->operands[0]);
    if (load && b->n < MOST_BLENDS)
        b->at[b->n++] = (Blend){op, load};
    if (op->code == OP_add && !load)
        note_unlike(b, op);
    if (op->code == OP_sub && b->nrests < MOST_BLENDS &&
        is_rest_of(op->results[0], op->operands[1]))
        b->rests[b->nrests++] = ir_bare(op->operands[1]);
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
        if (!rest || rest->code != OP_sub || !value_constant(rest->operands[0], &bits) ||
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

/* t * x + (1 - t) * x */
static void look_at_one(Op *op, void *suspect)
{
    for (int i = 0; op->code == OP_add && i < 4; i++) {
        const Value *product = op->operands[1 - i / 2], *t = NULL;
        const Value *x = weighted(product, &t);
        const Op *other = ir_bare(op->operands[i / 2])->def;
        if (x && x->def && other && other->code == OP_mul && ir_bare(other->operands[i % 2]) == t &&
            ir_bare(other->operands[1 - i % 2]) == x)
            tell_warn(suspect, op, "t * x + (1 - t) * y",
                      "this blends a value with itself: t and 1 - t of the same are all of it");
    }
}

/* t * x + (1 + t) * y */
static void look_at_more(Op *op, void *suspect)
{
    uint64_t bits;

    for (int i = 0; op->code == OP_add && !opt_is_int(op->results[0]) && i < 8; i++) {
        const Op *product = ir_bare(op->operands[i & 1])->def;
        const Op *other = ir_bare(op->operands[1 - (i & 1)])->def;
        if (!product || !other || product->code != OP_mul || other->code != OP_mul)
            continue;
        const Value *t = ir_bare(product->operands[i >> 1 & 1]);
        const Op *more = ir_bare(other->operands[i >> 2])->def;
        for (int k = 0; more && more->code == OP_add && k < 2; k++) {
            if (ir_bare(more->operands[k]) == t && value_constant(more->operands[1 - k], &bits) &&
                scalar_to_double(more->operands[1 - k]->type->dtype, bits) == 1)
                tell_warn(suspect, more, "t * x + (1 - t) * y",
                          "the weights of these two are t and 1 + t, and of a blend 1 - t");
        }
    }
}

/* Of a running mean that is kept, and whose t no 1 - t belongs to. */
static void look_at_unlike(const Blends *b, int i)
{
    uint64_t array = ir_bases_of(b->bases, b->unlike[i].load->operands[LOAD_PTR]);

    for (int k = 0; k < b->nrests; k++) {
        if (b->rests[k] == b->first[i])
            return;
    }
    if ((b->stored & array) && b->nrests < MOST_BLENDS &&
        is_stored_itself(b->s, b->unlike[i].sum->results[0], 2))
        tell_warn(b->s, b->unlike[i].sum, "t * v + (1 - t) * g, with one t",
                  "the weights of this running mean are a number, and 1 less another one");
}

void formula_state(const Suspect *s)
{
    Blends b = {.s = s, .bases = ir_pointer_bases(s->func, s->arena)};
    bool keeps = false;

    ir_walk(s->func->body, look_at_weights, (void *)s);
    ir_walk(s->func->body, look_at_one, (void *)s);
    ir_walk(s->func->body, look_at_more, (void *)s);
    if (!s->func->is_kernel)
        return;
    ir_walk(s->func->body, note, &b);
    for (int i = 0; i < b.nunlike; i++)
        look_at_unlike(&b, i);
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
