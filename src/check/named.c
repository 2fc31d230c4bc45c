/*
 * named.c - have a kernel say each value that a name of the source is given, and what it stores
 *
 * A record behind the op that makes the value, for each name, which is said with the function that
 * it is one of: "helper.x", ".x" of the kernel itself.  What has no name is said where it matters:
 * what is stored as "helper.=", in front of the store, what `if` and `while` ask as "helper.?", and
 * the bounds of a loop as "helper.:".  Who asks hears the same values from any device, in the same
 * order of each program, as long as they take the same way.
 *
 * Takes and gives verified IR, without calls.  Pointers and handles are not said, nor what a region
 * computes that combines elements.
 */
#include <string.h>

#include "check.h"

typedef struct {
    Func *func;
    Map *said; /* Value* that have a name */
} Naming;

static bool is_in_combination(const Block *b)
{
    for (; b->owner; b = b->owner->block) {
        if (op_has(b->owner, COMBINES))
            return true;
    }
    return false;
}

static bool can_be_said(const Value *v)
{
    return v && v->def && !v->type->pointer && !v->type->handle && !is_in_combination(v->block);
}

static void say(const Naming *n, Builder b, Value *v, int site, const char *name)
{
    Arena *a = n->func->module->arena;
    const char *function = site == 0 ? "" : site_function(n->func, site, a);
    const char *text = arena_printf(a, "%s.%s", function, name);
    Op *op = build_op(&b, OP_record, 1, &v, 0, NULL, 0, NULL);

    attr_set(op, ATTR_record_kind, RECORD_VALUE);
    attr_set(op, ATTR_message, attr_of_text(n->func->module, text, strlen(text)));
}

/* As if the name's statement had made the value, behind what else is said of that. */
static Builder behind(const Op *def, Span span)
{
    Op *next = def->next;

    while (op_says_value(next))
        next = next->next;
    Builder b = builder_before(next);
    b.span = span;
    b.site = def->site;
    b.mark = def->mark;
    return b;
}

static void say_bound(Naming *n, const Mark *m)
{
    Value *v = m->name && !m->text && m->nvalues == 1 ? ir_resolve(m->values[0]) : NULL;

    if (!can_be_said(v))
        return;
    map_put(n->said, MAP_KEY(v), v);
    say(n, behind(v->def, m->span), v, m->site, m->name);
}

/* Unless a name has it, or it is a constant. */
static void say_operand(const Naming *n, Op *op, int i, const char *name)
{
    Value *v = ir_resolve(op->operands[i]);
    uint64_t bits;

    if (can_be_said(v) && !is_in_combination(op->block) && !map_get(n->said, MAP_KEY(v)) &&
        !value_constant(v, &bits))
        say(n, builder_before(op), v, op->site, name);
}

static void say_operands(Op *op, void *naming)
{
    const Naming *n = naming;
    OpAccess a = ir_access(op);

    if (a.effect & WRITES && a.data > 0)
        say_operand(n, op, a.data, "=");
    if (op->code == OP_if || op->code == OP_condition)
        say_operand(n, op, 0, "?");
    for (int i = 0; op->code == OP_for && i < FOR_BOUNDS; i++)
        say_operand(n, op, i, ":");
}

void check_named(Func *f)
{
    Naming n = {f, map_new(f->module->arena)};

    for (int i = 0; i < f->marks.len; i++)
        say_bound(&n, &f->marks.at[i]);
    ir_walk(f->body, say_operands, &n);
}
