/*
 * print_combine.c - reductions and scans of several tiles, and the functions that they combine with
 *
 * Such a function stands in front of the kernel, once for all that do the same.
 */
#include "../opt/opt.h"
#include "print.h"

/* extreme, place = tl.max(values, axis=0, return_indices=True) */
void put_winner(Writer *p, const Op *op)
{
    static const char *const wishes[] = {"extreme", "place"};
    const char *names[2];

    for (int i = 0; i < 2; i++)
        names[i] = print_new_name(p, print_plain_name(p, op->results[i]->name, wishes[i]));
    print_begin(p);
    text_printf(&p->text, "%s, %s = tl.%s(", names[0], names[1],
                ir_combine_kind(op).winner == OP_max ? "max" : "min");
    put_value(p, op->operands[0], LEVEL_ANY);
    text_printf(&p->text, ", axis=%d, return_indices=True)", (int)attr_axis(op));
    put_end(p, op);
    for (int i = 0; i < 2; i++)
        map_put(p->names, MAP_KEY(op->results[i]), (void *)names[i]);
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
