/*
 * reversed.c - programs that take their work from the last to the first are numbered the other way
 *
 *     tile = tl.num_programs(0) - 1 - tl.program_id(0)      tile = tl.program_id(0)
 *
 * Where nothing else is made of the program's number, the same programs run, and which of them does
 * what is nobody's business: what is asked of addresses has one way of counting to know.
 */
#include "forms.h"

typedef struct {
    Arena *arena;
    UseLists uses;
    VEC(Op *) numbers; /* program_id */
    unsigned forward;  /* axes along which it is used in another way: bits */
} Numbers;

/* num_programs - 1 - number, of one axis */
static bool is_reversed(const Op *op, const Value *number)
{
    const Op *last = op->code == OP_sub && op->operands[1] == number ? op->operands[0]->def : NULL;
    const Op *all = last && last->noperands == 2 ? last->operands[0]->def : NULL;
    int64_t one;

    return all && all->code == OP_num_programs && attr_axis(all) == attr_axis(number->def) &&
           value_const_int(last->operands[1], &one) &&
           ((last->code == OP_sub && one == 1) || (last->code == OP_add && one == -1));
}

static void look_at(Op *op, void *numbers)
{
    Numbers *n = numbers;

    if (op->code != OP_program_id)
        return;
    const Value *number = op->results[0];
    for (int i = 0; i < uses_count(&n->uses, number); i++) {
        if (!is_reversed(uses_of(&n->uses, number)[i].op, number))
            n->forward |= 1u << attr_axis(op);
    }
    vec_push(n->arena, &n->numbers, op);
}

void forms_number_from_the_first(Func *f)
{
    Arena *arena = f->module->arena;
    Numbers n = {.arena = arena, .uses = ir_uses(f, arena)};

    ir_walk(f->body, look_at, &n);
    for (int i = 0; i < n.numbers.len; i++) {
        Value *number = n.numbers.at[i]->results[0];

        for (int k = 0; k < uses_count(&n.uses, number); k++) {
            Value *reversed = uses_of(&n.uses, number)[k].op->results[0];
            if (n.forward >> attr_axis(n.numbers.at[i]) & 1)
                continue;
            if (!number->name)
                number->name = reversed->name;
            reversed->repl = number;
        }
    }
    opt_resolve_all(f->body);
}
