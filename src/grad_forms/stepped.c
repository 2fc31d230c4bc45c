/*
 * stepped.c - what every round of a loop moves on by the same is where the loop's counter says
 *
 *     for i in range(0, n, BLOCK):            for i in range(0, n, BLOCK):
 *         .. tl.load(p, mask=at + i < n)  ->      .. tl.load(first + i, mask=at + i < n)
 *         p += BLOCK
 *
 * So addresses and masks speak of one number, by which is known who meets whom, and loops that go
 * backwards carry no pointer.  Steps are constants; what is read behind the loop stays as it is.
 */
#include "forms.h"

/* What each round adds to carried value i, which is a multiple of the counter's step; 0: something
 * else is done. */
static int64_t times_of(const Op *loop, int i, int64_t step)
{
    const Value *arg = loop->regions[0]->args[i + 1], *next = loop->regions[0]->last->operands[i];
    const Op *op = next->def;
    int64_t by;

    if (!op || (op->code != OP_addptr && (op->code != OP_add || !opt_is_int(next))) ||
        op->operands[0] != arg || !value_const_int(op->operands[1], &by))
        return 0;
    return by % step == 0 ? by / step : 0;
}

static const Value *without_casts(const Value *v)
{
    while (opt_made_by(v, OP_cast))
        v = v->def->operands[0];
    return v;
}

/* Where it is in a round, at the beginning of the body. */
static Value *place_of(const Op *loop, int i, int64_t times)
{
    Block *body = loop->regions[0];
    Value *begin = loop->operands[FOR_BOUNDS + i], *arg = body->args[i + 1];
    Value *from = loop->operands[FOR_LO], *by = body->args[0];
    const DType counter = by->type->dtype;
    Builder b = builder_before(body->first);
    int64_t lo;
    const bool is_counter = opt_is_int(arg) && arg->type->rank == 0 && times == 1 &&
                            without_casts(begin) == without_casts(from);

    b.span = body->last->operands[i]->def->span;
    b.site = body->last->operands[i]->def->site;
    if (!is_counter && (!value_const_int(from, &lo) || lo != 0))
        by = build_binary(&b, OP_sub, by, from);
    if (!arg->type->pointer)
        by = build_cast(&b, by, arg->type->dtype, ROUND_NEAREST);
    else if (times != 1) /* pointers go further than i32 */
        by = build_cast(&b, by, DT_I64, ROUND_NEAREST);
    else
        by = build_cast(&b, by, counter, ROUND_NEAREST);
    if (times != 1)
        by = build_binary(&b, OP_mul, by, build_int(&b, by->type, times));
    if (arg->type->rank > 0)
        by = build_splat(&b, by, arg->type);
    Value *place = is_counter           ? by
                   : arg->type->pointer ? build_addptr(&b, begin, by)
                                        : build_binary(&b, OP_add, begin, by);
    if (!is_counter)
        place->name = arg->name;
    return place;
}

typedef struct {
    const Value *from;
    Value *to;
    const Op *except;
} Renaming;

static void rename(Op *op, void *renaming)
{
    const Renaming *r = renaming;

    for (int i = 0; i < op->noperands; i++) {
        if (op->operands[i] == r->from && op != r->except)
            op->operands[i] = r->to;
    }
}

static void look_at(Op *loop, void *func)
{
    Func *f = func;
    int64_t step, times;

    if (loop->code != OP_for || !value_const_int(loop->operands[FOR_STEP], &step) || step <= 0)
        return;
    for (int i = 0; i < loop->nresults; i++) {
        const UseLists uses = ir_uses(f, f->module->arena);
        if ((times = times_of(loop, i, step)) == 0 || uses_count(&uses, loop->results[i]) > 0)
            continue;
        Value *arg = loop->regions[0]->args[i + 1], *place = place_of(loop, i, times);
        Renaming r = {.from = arg, .to = place};
        loop->regions[0]->last->operands[i] = arg; /* carried by nobody any more */
        r.except = loop->regions[0]->last;
        ir_walk(loop->regions[0], rename, &r);
    }
}

void forms_place_by_counters(Func *f)
{
    ir_walk(f->body, look_at, f);
}
