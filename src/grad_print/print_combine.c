/*
 * print_combine.c - reductions and scans of several tiles, and the functions that they combine with
 *
 * Such a function stands in front of the kernel, once for all that do the same.
 */
#include "../opt/opt.h"
#include "print.h"

/* extreme, place = tl.max(values, axis=0, return_indices=True), or place = tl.argmax(values,
 * axis=0)
 */
void put_winner(Writer *p, const Op *op)
{
    static const char *const wishes[] = {"extreme", "place"};
    const bool is_max = ir_combine_kind(op).winner == OP_max;
    const char *names[2];

    if (uses_count(&p->uses, op->results[0]) == 0) {
        const char *name = print_new_name(p, print_plain_name(p, op->results[1]->name, wishes[1]));
        print_begin(p);
        text_printf(&p->text, "%s = tl.%s(", name, is_max ? "argmax" : "argmin");
        put_value(p, op->operands[0], LEVEL_ANY);
        text_printf(&p->text, ", axis=%d)", (int)attr_axis(op));
        put_end(p, op);
        map_put(p->names, MAP_KEY(op->results[1]), (void *)name);
        return;
    }

    for (int i = 0; i < 2; i++)
        names[i] = print_new_name(p, print_plain_name(p, op->results[i]->name, wishes[i]));
    print_begin(p);
    text_printf(&p->text, "%s, %s = tl.%s(", names[0], names[1], is_max ? "max" : "min");
    put_value(p, op->operands[0], LEVEL_ANY);
    text_printf(&p->text, ", axis=%d, return_indices=True)", (int)attr_axis(op));
    put_end(p, op);
    for (int i = 0; i < 2; i++)
        map_put(p->names, MAP_KEY(op->results[i]), (void *)names[i]);
}

/* --- halves of the last axis --- */

/* Which of both a sum takes, and the tile; -1: it is another sum. */
static int half_of(const Writer *p, const Op *op, const Value **whole)
{
    const Op *select = op->code == OP_reduce && op->noperands == 1 && ir_combine_code(op) == OP_add
                           ? opt_made_by(op->operands[0], OP_select)
                           : NULL;

    if (!select || select->results[0]->type->rank < 2 ||
        attr_axis(op) != select->results[0]->type->rank - 1 ||
        uses_count(&p->uses, select->results[0]) != 1 ||
        !gather_is_first_of_two(select->operands[0]))
        return -1;
    const int half = grad_is_number(select->operands[1], 0);
    *whole = select->operands[1 + half];
    return grad_is_number(select->operands[2 - half], 0) ? half : -1;
}

/* The sum of the other half, in the same block; NULL: nobody has it. */
static const Op *other_half(const Writer *p, const Op *op, const Value *whole, int half)
{
    for (int i = 0; i < uses_count(&p->uses, whole); i++) {
        const Op *select = uses_of(&p->uses, whole)[i].op;
        const Value *of;
        if (select->code != OP_select || uses_count(&p->uses, select->results[0]) != 1)
            continue;
        const Op *sum = uses_of(&p->uses, select->results[0])[0].op;
        if (sum->block == op->block && half_of(p, sum, &of) == 1 - half && of == whole)
            return sum;
    }
    return NULL;
}

/* first, second = tl.split(x) */
bool put_split(Writer *p, const Op *op)
{
    const Value *whole;
    const int half = half_of(p, op, &whole);
    const char *names[2];

    if (half < 0)
        return false;
    if (map_get(p->names, MAP_KEY(op->results[0])))
        return true;
    const Op *other = other_half(p, op, whole, half);
    const Op *halves[2] = {half == 0 ? op : other, half == 0 ? other : op};
    print_shorten(p, whole, LINE / 2);
    for (int i = 0; i < 2; i++)
        names[i] = halves[i] ? print_new_name(p, print_plain_name(p, halves[i]->results[0]->name,
                                                                  i ? "second" : "first"))
                             : "_";
    print_begin(p);
    text_printf(&p->text, "%s, %s = tl.split(", names[0], names[1]);
    put_value(p, whole, LEVEL_ANY);
    text_put(&p->text, ")");
    put_end(p, op);
    for (int i = 0; i < 2; i++) {
        if (halves[i])
            map_put(p->names, MAP_KEY(halves[i]->results[0]), (void *)names[i]);
    }
    return true;
}

/* Before it is repeated along the last axis; NULL: it is not. */
static const Value *before_last_axis(const Value *v)
{
    const int last = v->type->rank - 1;
    const Op *op = opt_made_by(v, OP_broadcast) ? v->def->operands[0]->def : NULL;

    return op && op->code == OP_expand && attr_axis(op) == last &&
                   op->operands[0]->type->rank == last
               ? op->operands[0]
               : NULL;
}

bool print_is_joined(const Op *op)
{
    const Value *x = op->code == OP_select ? before_last_axis(op->operands[1]) : NULL;
    const Value *y = x ? before_last_axis(op->operands[2]) : NULL;

    return y && x->type == y->type && x->type->rank + 1 == op->results[0]->type->rank &&
           gather_is_first_of_two(op->operands[0]);
}

void put_joined(Writer *p, const Op *op)
{
    text_put(&p->text, "tl.join(");
    put_value(p, before_last_axis(op->operands[1]), LEVEL_ANY);
    text_put(&p->text, ", ");
    put_value(p, before_last_axis(op->operands[2]), LEVEL_ANY);
    text_put(&p->text, ")");
}

bool print_is_hidden(const Writer *p, const Op *op)
{
    const Value *v = op->results[0], *whole;
    bool hidden = op->code == OP_arange || op->code == OP_expand || op->code == OP_broadcast ||
                  op->code == OP_eq;

    for (int i = 0; hidden && i < uses_count(&p->uses, v); i++) {
        const Use *use = &uses_of(&p->uses, v)[i];
        const Op *by = use->op;
        if (by->code != OP_select)
            hidden = by->nresults == 1 && print_is_hidden(p, by);
        else if (use->operand == 0 && !print_is_joined(by))
            hidden = uses_count(&p->uses, by->results[0]) == 1 &&
                     half_of(p, uses_of(&p->uses, by->results[0])[0].op, &whole) >= 0;
        else
            hidden = use->operand == 0;
    }
    return hidden;
}

/* first, second = tl.associative_scan((x, y), 0, combine) */
void put_several(Writer *p, const Op *op)
{
    const char **names = NEW_N(p->arena, const char *, op->nresults);

    for (int i = 0; i < op->noperands; i++) /* a line has one or two of them */
        print_shorten(p, op->operands[i], LINE / 2);
    print_begin(p);
    for (int i = 0; i < op->nresults; i++) {
        const Value *v = op->results[i];
        bool is_used =
            uses_count(&p->uses, v) > 0; /* else a name of its own, for its type's sake */
        names[i] = print_new_name(p, is_used ? print_plain_name(p, v->name, "t") : "_");
        text_printf(&p->text, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    text_put(&p->text, " = ");
    put_along(p, op);
    put_end(p, op);
    for (int i = 0; i < op->nresults; i++)
        map_put(p->names, MAP_KEY(op->results[i]), (void *)names[i]);
}

/* Behind its name.  Its arguments are `a` and `b`, or `a_0`, `a_1`, .. */
static const char *function_text(const Writer *of, const Op *op)
{
    const Block *body = op->regions[0];
    Writer p = *of;

    p.text = text_new(of->arena);
    p.taken = map_new(of->arena);
    p.indent = 1;
    p.line = 0;
    print_take_words(&p);
    for (int i = 0; i < body->nargs; i++) {
        const char *side = i < op->noperands ? "a" : "b";
        const char *wish =
            op->noperands == 1 ? side : arena_printf(of->arena, "%s_%d", side, i % op->noperands);
        const char *name = print_new_name(&p, wish);
        text_printf(&p.text, "%s%s", i > 0 ? ", " : "(", name);
        map_put(p.names, MAP_KEY(body->args[i]), (void *)name);
    }
    text_put(&p.text, "):\n");
    put_block(&p, body);
    text_put(&p.text, "    return ");
    for (int i = 0; i < op->nresults; i++) {
        text_put(&p.text, i > 0 ? ", " : "");
        put_value(&p, body->last->operands[i], LEVEL_ANY);
    }
    text_put(&p.text, "\n");
    return p.text.s;
}

const char *print_function_of(Writer *p, const Op *op)
{
    const char *text = function_text(p, op);
    Interner *in = p->g->func->module->interner;
    const char *name = map_get(p->combines, MAP_KEY(intern(in, text)));

    if (name)
        return name;
    name = print_new_name(p, arena_printf(p->arena, "%s_combine", p->result->kernel));
    text_printf(p->functions, "@triton.jit\ndef %s%s\n\n", name, text);
    map_put(p->combines, MAP_KEY(intern(in, text)), (void *)name);
    return name;
}
