/*
 * rounds.c - a `while` that gradients go through, and whose rounds nothing tells but its values
 *
 *     while error > 1e-6:        rounds = 0
 *         x = ..                 while error > 1e-6:  x = ..; rounds += 1
 *                                for _ in range(0, rounds):  x = ..
 *
 * It runs twice: for the number of its rounds, with what its condition needs, and as a loop whose
 * rounds can go backwards.  Where the number changes, so that the result jumps, there is no
 * gradient.
 */
#include "../opt/opt.h"
#include "grad.h"

enum { HEAD, BODY };

static void clone_ops(Builder *b, const Block *from, Map *to)
{
    for (const Op *op = from->first; op != from->last; op = op->next)
        op_clone(b, op, to);
}

static Value *mapped(const Map *to, Value *v)
{
    Value *found = map_get(to, MAP_KEY(v));

    return found ? found : v;
}

static void add_args(Block *to, const Block *from, Map *map)
{
    for (int i = 0; i < from->nargs; i++) {
        Value *arg = block_add_arg(to, from->args[i]->type);
        arg->name = from->args[i]->name;
        map_put(map, MAP_KEY(from->args[i]), arg);
    }
}

static void collect_effects(Op *op, void *ops)
{
    if (grad_is_effect(op))
        vec_push(op->block->func->module->arena, (GradOps *)ops, op);
}

/* The same loop without effects, which counts its rounds: their number. */
static Value *number_of_rounds(Builder *b, const Op *loop)
{
    const Block *head = loop->regions[HEAD], *body = loop->regions[BODY];
    const int n = head->nargs, m = body->nargs;
    const Type *type = type_scalar(b->module, DT_I32);
    Value **values = NEW_N(b->module->arena, Value *, MAX(n, m) + 2);
    const Type **types = NEW_N(b->module->arena, const Type *, m + 1);
    Map *to = map_new(b->module->arena);
    GradOps effects = {0};

    for (int i = 0; i < n; i++)
        values[i] = loop->operands[i];
    for (int i = 0; i < m; i++)
        types[i] = loop->results[i]->type;
    values[n] = build_int(b, type, 0);
    types[m] = type;
    Op *made = build_op(b, OP_while, n + 1, values, 0, NULL, m + 1, types);
    for (int r = HEAD; r <= BODY; r++) {
        const Block *from = loop->regions[r];
        Builder in = builder_into(b, made->regions[r]);
        add_args(made->regions[r], from, to);
        Value *count = block_add_arg(made->regions[r], type);
        clone_ops(&in, from, to);
        for (int i = 0; i < from->last->noperands; i++)
            values[i] = mapped(to, from->last->operands[i]);
        values[from->last->noperands] =
            r == HEAD ? count : build_binary(&in, OP_add, count, build_int(&in, type, 1));
        build_yield(&in, from->last->code, from->last->noperands + 1, values);
    }
    ir_walk(made->regions[BODY], collect_effects, &effects);
    for (int i = 0; i < effects.len; i++)
        op_remove(effects.at[i]);
    made->results[m]->name = intern(b->module->interner, "rounds");
    return made->results[m];
}

/* So many rounds of it, and what is computed for the condition when they are over. */
static void repeat(Builder *b, const Op *loop, Value *rounds)
{
    const Block *head = loop->regions[HEAD], *body = loop->regions[BODY];
    const int n = head->nargs;
    Value **values = NEW_N(b->module->arena, Value *, FOR_BOUNDS + n);
    const Type **types = NEW_N(b->module->arena, const Type *, n + 1);
    Map *to = map_new(b->module->arena);

    values[FOR_LO] = build_int(b, rounds->type, 0);
    values[FOR_HI] = rounds;
    values[FOR_STEP] = build_int(b, rounds->type, 1);
    for (int i = 0; i < n; i++) {
        values[FOR_BOUNDS + i] = loop->operands[i];
        types[i] = loop->operands[i]->type;
    }
    Op *made = build_op(b, OP_for, FOR_BOUNDS + n, values, 0, NULL, n, types);
    Builder in = builder_into(b, made->regions[0]);
    if (made->regions[0]->nargs == 0)
        block_add_arg(made->regions[0], rounds->type);
    add_args(made->regions[0], head, to);
    clone_ops(&in, head, to);
    for (int i = 0; i < body->nargs; i++)
        map_put(to, MAP_KEY(body->args[i]), mapped(to, head->last->operands[i + 1]));
    clone_ops(&in, body, to);
    for (int i = 0; i < n; i++)
        values[i] = mapped(to, body->last->operands[i]);
    build_yield(&in, OP_yield, n, values);
    to = map_new(b->module->arena);
    for (int i = 0; i < n; i++) {
        made->results[i]->name = head->args[i]->name;
        map_put(to, MAP_KEY(head->args[i]), made->results[i]);
    }
    clone_ops(b, head, to);
    for (int i = 0; i < loop->nresults; i++)
        loop->results[i]->repl = mapped(to, head->last->operands[i + 1]);
}

typedef struct {
    const Grad *g;
    Op *loop;
} Found;

/* The first `while` with active results, in whose condition nothing is stored. */
static void find(Op *op, void *found)
{
    Found *f = found;
    GradOps effects = {0};
    bool is_active = false;

    for (int i = 0; i < op->nresults && op->code == OP_while; i++)
        is_active |= grad_is_active(f->g, op->results[i]);
    if (f->loop || !is_active)
        return;
    ir_walk(op->regions[HEAD], collect_effects, &effects);
    f->loop = effects.len == 0 ? op : NULL;
}

bool grad_count_rounds(Grad *g)
{
    Found f = {.g = g};

    ir_walk(g->func->body, find, &f);
    if (!f.loop)
        return false;
    Builder b = builder_before(f.loop);
    repeat(&b, f.loop, number_of_rounds(&b, f.loop));
    opt_resolve_all(g->func->body);
    op_remove(f.loop);
    return true;
}
