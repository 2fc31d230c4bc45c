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

static void replace_uses(Op *op)
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

static const Type *scalar_of(Lower *l, const Type *t)
{
    return t->rank > 0 && type_numel(t) == 1 ? type_element(l->module, t) : t;
}

static bool takes_or_gives_singles(const Func *f)
{
    bool found = false;

    for (int i = 0; i < f->nparams; i++)
        found |= is_single(f->body->args[i]);
    for (int i = 0; i < f->nresults; i++)
        found |= f->results[i]->rank > 0 && type_numel(f->results[i]) == 1;
    return found;
}

/* A copy whose parameters and results are scalars where they were tiles of one element: others may
 * call the function as it is. */
static Func *with_scalars(Lower *l, const Func *f)
{
    Func *copy = func_new(l->module, lower_function_name(l, f->name), f->span);
    Builder b = builder_at_end(copy, copy->body);
    Map *values = map_new(l->arena);

    for (int i = 0; i < f->nparams; i++) {
        const Type *t = scalar_of(l, f->body->args[i]->type);
        map_put(values, MAP_KEY(f->body->args[i]), func_add_param(copy, f->params[i].name, t, 0));
    }
    copy->nresults = f->nresults;
    copy->results = NEW_N(l->module->arena, const Type *, f->nresults + 1);
    for (int i = 0; i < f->nresults; i++)
        copy->results[i] = scalar_of(l, f->results[i]);
    for (const Op *op = f->body->first; op; op = op->next)
        op_clone(&b, op, values);
    return copy;
}

/* Operands come before their uses, so they are scalars already. */
static void make_scalar(Op *op, void *lower)
{
    Lower *l = lower;

    ir_resolve_operands(op);
    if (op->callee && takes_or_gives_singles(op->callee))
        op->callee = with_scalars(l, op->callee);
    bool gives_one = op->nresults > 0 && type_numel(op->results[0]->type) == 1;
    bool takes_one = op->noperands > 0 && op->operands[0]->type->rank == 0;
    bool keeps = op_has(op, MOVES) || op->code == OP_hint;

    if (gives_one && takes_one && keeps)
        replace_uses(op);
    else if (takes_one && op_has(op, COMBINES))
        replace_uses(op);
    else if (gives_one && op->code == OP_arange)
        replace_arange(op);
    else
        for (int i = 0; i < op->nresults; i++) {
            if (is_single(op->results[i]))
                op->results[i]->type = scalar_of(l, op->results[i]->type);
        }
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
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                drop_unused(n, op->regions[r]);
        }
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

    ir_walk(f->body, make_scalar, l);
    needs.uses = NEW_N(l->arena, int, f->nvalues + 1);
    ir_walk(f->body, count_uses, &needs);
    drop_unused(&needs, f->body);
    ir_walk(f->body, check_op, &check);
    return check.good;
}
