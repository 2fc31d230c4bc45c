/*
 * contract.c - products are added as they are, within a loose power and where a launch asks for it
 *
 * Takes and gives verified IR.  2^(a b - c), as the weights of attention are, of which nobody sees
 * the last bits (src/axis/loose.c), has one rounding of its exponent instead of two: fma(a, b,
 * -c).  That is nearer to what is meant, but not what is written to the last bit, so all other sums
 * of products stay as they are, unless the launch says enable_fp_fusion: then all of them are made
 * so, in front of all passes and for every device, so that these agree.  A product that is wanted
 * as it is as well is there anyway.
 */
#include "opt.h"
#include "../ir/analysis.h"

typedef struct {
    UseLists uses;
    const uint8_t *facts; /* of numbers; NULL: all sums are meant */
} Contract;

static bool is_power(const Op *op)
{
    return op->code == OP_exp || op->code == OP_exp2 || op->code == OP_exp10;
}

static bool is_sum(const Op *op)
{
    return op->code == OP_add || op->code == OP_sub;
}

/* Is it an operand of sums alone, and of none that takes it twice?  p - p is 0, not what rounding
 * p cuts off. */
static bool is_only_added(const Contract *c, const Value *v)
{
    const Use *use = uses_of(&c->uses, v);

    for (int n = uses_count(&c->uses, v); n > 0; n--, use++) {
        if (!is_sum(use->op) || use->op->operands[0] == use->op->operands[1])
            return false;
    }
    return true;
}

/* The product that is that operand of a sum, and that nobody needs rounded; NULL: it is none. */
static const Op *own_product(const Contract *c, const Op *sum, int i)
{
    const Value *v = sum->operands[i];

    if (!v->def || v->def->code != OP_mul)
        return NULL;
    bool own = c->facts ? uses_count(&c->uses, v) == 1 : is_only_added(c, v);
    return own ? v->def : NULL;
}

static Value *negated(Builder *b, Value *v)
{
    return build_op(b, OP_neg, 1, &v, 0, NULL, 1, &v->type)->results[0];
}

/* The sum as one op, in front of it; NULL: it is none of a product. */
static Value *contracted(const Contract *c, Op *sum)
{
    bool subtracts = sum->code == OP_sub;

    for (int i = 0; i < 2; i++) {
        const Op *product = own_product(c, sum, i);
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

static void visit(Op *op, void *contract)
{
    const Contract *c = contract;
    Op *sum = is_power(op) ? op->operands[0]->def : NULL;

    if (!sum || !is_sum(sum) || !(c->facts[op->results[0]->id] & NUMBER_LOOSE) ||
        uses_count(&c->uses, sum->results[0]) != 1)
        return;
    Value *v = contracted(c, sum);
    if (v)
        op->operands[0] = v;
}

void opt_contract(Func *f)
{
    Arena *a = f->module->arena;
    Contract c = {.uses = ir_uses(f, a), .facts = axis_number_facts(f, a)};

    ir_walk(f->body, visit, &c);
}

/* --- where a launch asks for it --- */

static void fuse(Op *op, void *contract)
{
    const Type *t = is_sum(op) ? op->results[0]->type : NULL;
    Value *v = t && !t->pointer && dtype_is_float(t->dtype) ? contracted(contract, op) : NULL;

    if (!v)
        return;
    v->name = op->results[0]->name;
    op->results[0]->repl = v;
}

static void fuse_func(Func *f)
{
    Contract c = {.uses = ir_uses(f, f->module->arena)};

    ir_walk(f->body, fuse, &c);
    opt_resolve_all(f->body);
}

void opt_fuse(Module *m, Diags *d)
{
    int errors = diag_errors(d);

    opt_inline(m, d);
    for (int i = 0; i < m->nfuncs && diag_errors(d) == errors; i++) {
        Func *f = m->funcs[i];
        opt_promise(f); /* else what stands alone is dropped */
        opt_fold(f);    /* what nobody needs would count as a use */
        opt_cse(f);
        opt_dce(f);
        opt_dot(f); /* has the sums that tl.dot is in for itself: an accumulator is worth more */
        fuse_func(f);
        opt_dce(f);
    }
}
