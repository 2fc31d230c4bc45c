/*
 * contract.c - products within a loose power are added as they are
 *
 * Takes and gives verified IR.  2^(a b - c), as the weights of attention are, of which nobody sees
 * the last bits (loose.c), has one rounding of its exponent instead of two: fma(a, b, -c).  That
 * is nearer to what is meant, but not what is written to the last bit, so all other sums of
 * products stay as they are.  A product that somebody else wants as well is there anyway.
 */
#include "opt.h"
#include "../ir/analysis.h"

static bool is_power(const Op *op)
{
    return op->code == OP_exp || op->code == OP_exp2 || op->code == OP_exp10;
}

/* The product that is that operand of a sum, and of nothing else; NULL: it is none. */
static const Op *own_product(const Op *sum, int i, const UseLists *uses)
{
    const Op *product = sum->operands[i]->def;

    return product && product->code == OP_mul && uses_count(uses, sum->operands[i]) == 1 ? product
                                                                                         : NULL;
}

static Value *negated(Builder *b, Value *v)
{
    return build_op(b, OP_neg, 1, &v, 0, NULL, 1, &v->type)->results[0];
}

/* The sum as one op, in front of it; NULL: it is none of a product. */
static Value *contracted(Op *sum, const UseLists *uses)
{
    bool subtracts = sum->code == OP_sub;

    for (int i = 0; i < 2; i++) {
        const Op *product = own_product(sum, i, uses);
        if (!product)
            continue;
        Builder b = builder_before(sum);
        Value *v[] = {product->operands[0], product->operands[1], sum->operands[1 - i]};
        int opposite = i == 0 ? 2 : 0; /* what changes its sign in a difference */
        if (subtracts)
            v[opposite] = negated(&b, v[opposite]);
        return build_op(&b, OP_fma, 3, v, 0, NULL, 1, &sum->results[0]->type)->results[0];
    }
    return NULL;
}

typedef struct {
    UseLists uses;
    const uint8_t *facts;
} Contract;

static void visit(Op *op, void *contract)
{
    const Contract *c = contract;
    Op *sum = is_power(op) ? op->operands[0]->def : NULL;

    if (!sum || (sum->code != OP_sub && sum->code != OP_add) ||
        !(c->facts[op->results[0]->id] & NUMBER_LOOSE) ||
        uses_count(&c->uses, sum->results[0]) != 1)
        return;
    Value *v = contracted(sum, &c->uses);
    if (v)
        op->operands[0] = v;
}

void opt_contract(Func *f)
{
    Arena *a = f->module->arena;
    Contract c = {.uses = ir_uses(f, a), .facts = axis_number_facts(f, a)};

    ir_walk(f->body, visit, &c);
}
