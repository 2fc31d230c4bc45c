/*
 * upwards.c - loops that count down count up
 *
 *     for k in range(n - 1, -1, -1):          for ahead in range(0, n):
 *         acc = acc * x + tl.load(w + k)  ->      acc = acc * x + tl.load(w + (n - 1 - ahead))
 *
 * The rounds are the same, and come in the same order.  What is known of addresses, of masks and of
 * rounds that meet is known of counters that begin somewhere and grow.  Steps are constants.
 */
#include "forms.h"

typedef struct {
    const Value *from;
    Value *to;
} Renaming;

static void rename(Op *op, void *renaming)
{
    const Renaming *r = renaming;

    for (int i = 0; i < op->noperands; i++) {
        if (op->operands[i] == r->from && op != r->to->def)
            op->operands[i] = r->to;
    }
}

static void look_at(Op *loop, void *any)
{
    int64_t step;

    if (loop->code != OP_for || !value_const_int(loop->operands[FOR_STEP], &step) || step >= 0 ||
        step == INT32_MIN)
        return;
    Block *body = loop->regions[0];
    Value *counter = body->args[0], *first = loop->operands[FOR_LO];
    Builder in = builder_before(body->first), before = builder_before(loop);

    in.span = before.span = loop->span;
    in.site = before.site = loop->site;
    Renaming r = {.from = counter, .to = build_binary(&in, OP_sub, first, counter)};
    r.to->name = counter->name;
    counter->name = intern(in.module->interner, "ahead");
    loop->operands[FOR_HI] = build_binary(&before, OP_sub, first, loop->operands[FOR_HI]);
    loop->operands[FOR_LO] = build_int(&before, first->type, 0);
    loop->operands[FOR_STEP] = build_int(&before, first->type, -step);
    ir_walk(body, rename, &r);
    *(bool *)any = true;
}

bool forms_count_upwards(Func *f)
{
    bool any = false;

    ir_walk(f->body, look_at, &any);
    return any;
}
