/*
 * combine.c - the function of a reduction or scan works on single elements (R253)
 *
 * Users write it for tiles all the same: `a + tl.zeros((1,), tl.int1)` to ask for a dtype,
 * `x[None]` for a shape.  A tile of one element is taken for that element, what nothing needs is
 * dropped, and a tile that is left is an error where it stands.
 */
#include "lower.h"

static bool is_single(const Value *v)
{
    return v->type->rank > 0 && type_numel(v->type) == 1;
}

static bool has_tile(const Op *op)
{
    bool found = false;

    for (int i = 0; i < op->noperands; i++)
        found |= op->operands[i]->type->rank > 0;
    for (int i = 0; i < op->nresults; i++)
        found |= op->results[i]->type->rank > 0;
    return found;
}

static void replace(Op *op)
{
    for (int i = 0; i < op->nresults; i++)
        op->results[i]->repl = op->operands[i];
    op_remove(op);
}

static void replace_arange(Op *op)
{
    Builder b = builder_before(op);

    op->results[0]->repl = build_int(&b, type_scalar(b.module, DT_I32), op->attrs[0]);
    op_remove(op);
}

/* Operands come before their uses, so they are scalars already. */
static void make_scalar(Op *op, void *module)
{
    ir_resolve_operands(op);
    bool gives_one = op->nresults > 0 && type_numel(op->results[0]->type) == 1;
    bool takes_one = op->noperands > 0 && op->operands[0]->type->rank == 0;
    bool keeps = op_has(op, MOVES) || op->code == OP_hint;

    if (gives_one && takes_one && keeps)
        replace(op);
    else if (takes_one && (op->code == OP_reduce || op->code == OP_scan))
        replace(op);
    else if (gives_one && op->code == OP_arange)
        replace_arange(op);
    else
        for (int i = 0; i < op->nresults; i++)
            if (is_single(op->results[i]))
                op->results[i]->type = type_element(module, op->results[i]->type);
}

/* --- what nothing needs --- */

typedef struct {
    int *uses; /* by value id */
} Needs;

static void count_uses(Op *op, void *needs)
{
    for (int i = 0; i < op->noperands; i++)
        ((Needs *)needs)->uses[op->operands[i]->id]++;
}

static void drop_unused(Needs *n, Block *b)
{
    for (Op *op = b->last, *earlier; op; op = earlier) {
        bool used = op_has(op, ENDS) || op->callee || op_has_effects(op);

        earlier = op->prev;
        for (int r = 0; r < COUNT(op->regions); r++)
            if (op->regions[r])
                drop_unused(n, op->regions[r]);
        for (int i = 0; i < op->nresults; i++)
            used |= n->uses[op->results[i]->id] > 0;
        for (int i = 0; i < op->noperands && !used; i++)
            n->uses[op->operands[i]->id]--;
        if (!used)
            op_remove(op);
    }
}

/* --- what is left --- */

typedef struct {
    Lower *l;
    bool good;
} Check;

static void check_op(Op *op, void *check)
{
    Check *c = check;

    if (!c->good || !(has_tile(op) || op->callee))
        return;
    if (op->callee && !has_tile(op)) {
        c->good = combine_works_on_elements(c->l, op->callee);
        return;
    }
    const Value *v = op->nresults > 0 ? op->results[0] : op->operands[0];
    error_at(c->l, op->span, E_COMBINE_TILE, val_type_text(c->l, v->type));
    hint_at(c->l, H_COMBINE_TILE);
    c->good = false;
}

bool combine_works_on_elements(Lower *l, Func *f)
{
    Needs needs;
    Check check = {l, true};

    ir_walk(f->body, make_scalar, l->module);
    needs.uses = NEW_N(l->arena, int, f->nvalues + 1);
    ir_walk(f->body, count_uses, &needs);
    drop_unused(&needs, f->body);
    ir_walk(f->body, check_op, &check);
    return check.good;
}
