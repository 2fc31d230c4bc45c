/*
 * inverses.c - what several are divided by is divided by once
 *
 *     a / y, b / y    ->    inverse = 1.0 / y;  a * inverse, b * inverse
 *
 * So it is of tiles of which each lane has a divisor of its own: by what is the same for a row
 * numbers are divided as fast as they are multiplied.  A quotient may be one more unit in the last
 * place off, as what a person writes is; in fp32, where divisions take long.
 */
#include "../opt_target/opt_target.h"
#include "gather.h"

typedef struct {
    Grad *g;
    Map *first;    /* MAP_KEY of a divisor: the first division by it */
    Map *inverses; /* .. : 1 / it */
    bool changed;
} Inverses;

static bool is_spread(const Value *v)
{
    return opt_made_by(v, OP_splat) || opt_made_by(v, OP_broadcast) || opt_made_by(v, OP_expand) ||
           opt_made_by(v, OP_const);
}

static bool is_division(const Op *op)
{
    return op->code == OP_div && op->results[0]->type->rank > 0 &&
           op->results[0]->type->dtype == DT_FP32 && op->operands[1]->def &&
           !is_spread(op->operands[1]);
}

static Value *inverse_of(Inverses *s, Value *by)
{
    Builder b = builder_before(by->def->next);
    Value *one = build_float(&b, by->type, 1);
    Value *inverse = build_binary(&b, OP_div, one, by);

    inverse->name = intern(s->g->func->module->interner, "inverse");
    map_put(s->inverses, MAP_KEY(by), inverse);
    s->changed = true;
    return inverse;
}

static void find(Op *op, void *inverses)
{
    Inverses *s = inverses;
    const Op *first;

    if (!is_division(op))
        return;
    Value *by = op->operands[1];
    if (!(first = map_get(s->first, MAP_KEY(by))))
        map_put(s->first, MAP_KEY(by), op);
    else if (first->operands[0] != op->operands[0] && !map_get(s->inverses, MAP_KEY(by)))
        inverse_of(s, by);
}

static void replace(Op *op, void *inverses)
{
    const Inverses *s = inverses;
    Value *inverse = is_division(op) ? map_get(s->inverses, MAP_KEY(op->operands[1])) : NULL;
    uint64_t bits;

    if (!inverse || inverse == op->results[0])
        return;
    Builder b = builder_before(op);
    const bool is_one =
        value_constant(op->operands[0], &bits) && scalar_to_double(DT_FP32, bits) == 1;
    Value *v = is_one ? inverse : build_binary(&b, OP_mul, op->operands[0], inverse);
    if (!is_one)
        v->name = op->results[0]->name;
    value_shaped_like(op->block->func->module, v, op->results[0]);
    op->results[0]->repl = v;
}

bool gather_share_inverses(Grad *g, Diags *d)
{
    Inverses s = {.g = g, .first = map_new(g->arena), .inverses = map_new(g->arena)};

    ir_walk(g->func->body, find, &s);
    if (!s.changed)
        return true;
    ir_walk(g->func->body, replace, &s);
    opt_resolve_all(g->func->body);
    return opt_run_pass(g->func->module, "cse", d) && opt_run_pass(g->func->module, "dce", d);
}
