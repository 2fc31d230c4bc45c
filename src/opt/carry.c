/*
 * carry.c - loops carry scalars instead of tiles where a scalar says the same
 *
 * Takes and gives verified IR, folded before (uniform tiles are splats or constants).  Two kinds
 * of carried tiles in a `for`:
 *
 *   stepping   tiles of pointers or integers that only ever have uniform amounts added, as in
 *              `a_ptrs += BLOCK_K * stride_ak`: the tile stays in front of the loop, the sum of
 *              the amounts is carried, and the body begins with tile + splat(sum).  Exact, since
 *              integers and addresses wrap.  Sums for pointers are i64 (elements).
 *   uniform    tiles that are a splat in front of the loop and a splat when handed on.
 *
 * Loops that count down to 0, as `range(K, 0, -BLOCK_K)`, count up to where they began before
 * that, so that what follows knows numbers from 0 on alone.
 *
 * What the old tile was is rebuilt behind the loop too; dce drops it if nobody asks.
 */
#include "opt.h"

enum { MAX_STEPS = 64 }; /* additions to one tile in one iteration */

typedef struct {
    Value *amount; /* a uniform tile */
    bool minus;
} Step;

/* Is v = *from + amount, for a uniform amount? */
static bool split_step(const Value *v, Value **from, Step *step)
{
    const Op *op = v->def;

    if (!op || (op->code != OP_addptr && op->code != OP_add && op->code != OP_sub))
        return false;
    Value *x = ir_resolve(op->operands[0]), *y = ir_resolve(op->operands[1]);
    if (!opt_is_uniform(y) && op->code == OP_add) {
        Value *swap = x;
        x = y;
        y = swap;
    }
    *from = x;
    *step = (Step){y, op->code == OP_sub};
    return opt_is_uniform(y);
}

/* The amounts between the argument and what the body hands on; 0 when that is not how it goes. */
static int find_steps(const Value *arg, Value *next, Step *steps)
{
    int n = 0;

    while (next != arg) {
        Value *from;
        if (next->block == arg->block && next->def && next->def->code == OP_hint) {
            next = ir_resolve(next->def->operands[0]); /* the same numbers */
            continue;
        }
        if (next->block != arg->block || n == MAX_STEPS || !split_step(next, &from, &steps[n]))
            return 0;
        n++;
        next = from;
    }
    return n;
}

static Value *sum_of_steps(Builder *b, Value *sum, const Step *steps, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        Value *amount = opt_uniform_scalar(b, steps[i].amount);
        amount = build_cast(b, amount, sum->type->dtype, ROUND_NEAREST);
        sum = build_binary(b, steps[i].minus ? OP_sub : OP_add, sum, amount);
    }
    return sum;
}

static Value *tile_at(Builder *b, Value *init, Value *sum)
{
    OpCode code = init->type->pointer ? OP_addptr : OP_add;

    return build_binary(b, code, init, build_splat(b, sum, init->type));
}

/* A value in the place of `old`; the name stays with what is rebuilt. */
static Value *new_value(const Value *old, const Type *type)
{
    Func *f = old->block->func;
    Value *v = NEW(f->module->arena, Value);

    *v = (Value){type, old->def, old->block, old->index, f->nvalues++, NULL, NULL};
    return v;
}

static void replace_carry(Value *old, Value *new)
{
    new->name = old->name;
    old->repl = new;
}

/* Let slot i carry a scalar, from `init` to `next`. */
static void set_slot(Op *loop, int i, Value *init, Value *next)
{
    loop->operands[FOR_BOUNDS + i] = init;
    opt_last(loop->regions[0])->operands[i] = next;
}

static void carry_sum(Op *loop, int i)
{
    Block *body = loop->regions[0];
    Value *init = loop->operands[FOR_BOUNDS + i], *arg = body->args[1 + i];
    Value *result = loop->results[i];
    Step steps[MAX_STEPS];
    bool steppable = init->type->pointer || (opt_is_int(init) && init->type->dtype != DT_I1);
    int n = steppable ? find_steps(arg, ir_resolve(opt_last(body)->operands[i]), steps) : 0;

    if (n == 0)
        return;
    Builder front = builder_before(loop), start = builder_before(body->first);
    Builder end = builder_before(opt_last(body)), behind = builder_before(loop->next);
    const Type *t = type_scalar(front.module, init->type->pointer ? DT_I64 : init->type->dtype);
    Value *sum = body->args[1 + i] = new_value(arg, t);
    Value *total = loop->results[i] = new_value(result, t);
    Value *stepped = sum_of_steps(&end, sum, steps, n);
    set_slot(loop, i, build_int(&front, t, 0), stepped);
    replace_carry(arg, tile_at(&start, init, sum));
    replace_carry(result, tile_at(&behind, init, total));
}

static bool carry_scalar(Op *loop, int i)
{
    Block *body = loop->regions[0];
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a `for` has its region */
    Value *init = loop->operands[FOR_BOUNDS + i], *arg = body->args[1 + i];
    Value *result = loop->results[i], *next = ir_resolve(opt_last(body)->operands[i]);

    if (!opt_is_uniform(init) || !opt_is_uniform(next))
        return false;
    Builder front = builder_before(loop), start = builder_before(body->first);
    Builder end = builder_before(opt_last(body)), behind = builder_before(loop->next);
    const Type *t = type_element(front.module, init->type);
    Value *now = body->args[1 + i] = new_value(arg, t);
    Value *last = loop->results[i] = new_value(result, t);
    Value *carried = opt_uniform_scalar(&end, next);
    set_slot(loop, i, opt_uniform_scalar(&front, init), carried);
    replace_carry(arg, build_splat(&start, now, init->type));
    replace_carry(result, build_splat(&behind, last, init->type));
    return true;
}

/* for k = n; k > 0; k -= step: for up = 0; up < n; up += step, and k is n - up. */
static void count_up(Op *loop)
{
    Block *body = loop->regions[0];
    Value *down = body->args[0], *n = loop->operands[FOR_LO];
    int64_t end, step;

    if (!value_const_signed(loop->operands[FOR_HI], &end) || end != 0 ||
        !value_const_signed(loop->operands[FOR_STEP], &step) || step >= 0 || step == INT64_MIN)
        return;
    Builder front = builder_before(loop), start = builder_before(body->first);
    loop->operands[FOR_LO] = build_int(&front, n->type, 0);
    loop->operands[FOR_HI] = n;
    loop->operands[FOR_STEP] = build_int(&front, n->type, (uint64_t)-step);
    Value *up = body->args[0] = new_value(down, n->type);
    replace_carry(down, build_binary(&start, OP_sub, n, up));
}

static void carry_loop(Op *loop)
{
    count_up(loop);
    for (int i = 0; i < loop->nresults; i++) {
        if (type_is_tile(loop->results[i]->type) && !carry_scalar(loop, i))
            carry_sum(loop, i);
    }
}

/* Inner loops first: a tile that steps in both then steps by one sum in the outer one. */
static void carry_block(Block *b)
{
    for (Op *op = b->first; op; op = op->next) {
        ir_resolve_operands(op);
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                carry_block(op->regions[r]);
        }
        if (op->code == OP_for)
            carry_loop(op);
    }
}

void opt_carry(Func *f)
{
    carry_block(f->body);
    opt_resolve_all(f->body);
}
