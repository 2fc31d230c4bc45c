/*
 * offsets.c - a pointer that a loop moves on in some of its rounds becomes a number of elements
 *
 *     for step in range(n):                     offset = 0
 *         h = h * tl.load(p) + 1                for step in range(n):
 *         if tl.load(takes + step) > 0:    ->       h = h * tl.load(p + offset) + 1
 *             p += 1                                offset += 1 where the `if` says so
 *
 * Where rounds go backwards it is to be known what each began with, and numbers can be kept.  So it
 * is of pointers that arms of an `if`, choices, or steps that a round makes move on from where the
 * loop began.
 */
#include "forms.h"

typedef struct {
    Func *func;
    const Op *loop;
    Value *begin;        /* what all are counted from */
    VEC(Value *) moving; /* arguments and results that become numbers */
    Map *pointers;       /* by MAP_KEY of these: begin + number */
    bool varies;         /* what a round steps by is not the same in all */
} Offsets;

static bool is_moving(const Offsets *o, const Value *v)
{
    for (int i = 0; i < o->moving.len; i++) {
        if (o->moving.at[i] == v)
            return true;
    }
    return false;
}

static void add(Offsets *o, Value *v)
{
    if (!is_moving(o, v))
        vec_push(o->func->module->arena, &o->moving, v);
}

static bool collect(Offsets *o, Value *v);

/* A carried value of a loop, by its number. */
static bool collect_carried(Offsets *o, const Op *loop, int i)
{
    Value *arg = loop->regions[0]->args[i + 1];

    if (is_moving(o, arg))
        return true;
    add(o, arg);
    add(o, loop->results[i]);
    return collect(o, loop->operands[FOR_BOUNDS + i]) &&
           collect(o, loop->regions[0]->last->operands[i]);
}

static bool collect_chosen(Offsets *o, const Op *branch, Value *v)
{
    o->varies = true;
    add(o, v);
    return branch->regions[1] && collect(o, branch->regions[0]->last->operands[v->index]) &&
           collect(o, branch->regions[1]->last->operands[v->index]);
}

/* Is it made from where the loop began? */
static bool collect(Offsets *o, Value *v)
{
    const Op *op = v->def;

    if (v == o->begin || is_moving(o, v))
        return true;
    if (!opt_inside(v->block, o->loop) || v->type != o->begin->type)
        return false;
    if (!op)
        return v->block->owner->code == OP_for && v->index > 0 &&
               collect_carried(o, v->block->owner, v->index - 1);
    switch (op->code) {
    case OP_addptr:
        o->varies |= opt_inside(op->operands[1]->block, o->loop);
        return collect(o, op->operands[0]);
    case OP_select:
        o->varies = true;
        return collect(o, op->operands[1]) && collect(o, op->operands[2]);
    case OP_if:
        return collect_chosen(o, op, v);
    case OP_for:
        return collect_carried(o, op, v->index);
    default:
        return false;
    }
}

/* --- numbers in their place --- */

static void make_pointer(Offsets *o, Value *v)
{
    Module *m = o->func->module;
    Builder b = builder_before(v->def ? v->def->next : v->block->first);

    v->type = type_with_shape(m, type_scalar(m, DT_I64), o->begin->type);
    Value *pointer = build_addptr(&b, o->begin, v);
    pointer->name = v->name;
    v->name = v->name ? intern(m->interner, arena_printf(m->arena, "%s_offset", v->name)) : NULL;
    map_put(o->pointers, MAP_KEY(v), pointer);
}

static void use_pointers(Op *op, void *offsets)
{
    const Offsets *o = offsets;

    for (int i = 0; i < op->noperands; i++) {
        Value *pointer = map_get(o->pointers, MAP_KEY(op->operands[i]));
        if (pointer && pointer->def != op)
            op->operands[i] = pointer;
    }
}

/* How far the pointer is from where the loop began. */
static Value *offset_of(const Offsets *o, Builder *b, Value *v)
{
    const Op *op = v->def;

    if (v == o->begin)
        return build_int(b, o->moving.at[0]->type, 0);
    for (int i = 0; i < o->moving.len; i++) {
        if (map_get(o->pointers, MAP_KEY(o->moving.at[i])) == v)
            return o->moving.at[i];
    }
    b->span = op->span;
    b->site = op->site;
    if (op->code == OP_select) {
        Value *x = offset_of(o, b, op->operands[1]);
        Value *y = offset_of(o, b, op->operands[2]);
        return build_select(b, op->operands[0], x, y);
    }
    Value *step = build_cast(b, op->operands[1], DT_I64, ROUND_NEAREST);
    return build_binary(b, OP_add, offset_of(o, b, op->operands[0]), step);
}

static void set_operand(const Offsets *o, Op *op, int i)
{
    Builder b = builder_before(op);

    op->operands[i] = offset_of(o, &b, op->operands[i]);
}

static void hand_on_numbers(const Offsets *o, const Value *v)
{
    Op *op = v->def ? v->def : v->block->owner;

    if (op->code == OP_if) {
        set_operand(o, op->regions[0]->last, v->index);
        set_operand(o, op->regions[1]->last, v->index);
    } else if (!v->def) {
        set_operand(o, op, FOR_BOUNDS + v->index - 1);
        set_operand(o, op->regions[0]->last, v->index - 1);
    }
}

static void change(Offsets *o)
{
    for (int i = 0; i < o->moving.len; i++)
        make_pointer(o, o->moving.at[i]);
    ir_walk(o->func->body, use_pointers, o);
    for (int i = 0; i < o->moving.len; i++)
        hand_on_numbers(o, o->moving.at[i]);
}

static void look_at(Op *op, void *func)
{
    Func *f = func;

    for (int i = 0; op->code == OP_for && i < op->nresults; i++) {
        Offsets o = {.func = f,
                     .loop = op,
                     .begin = op->operands[FOR_BOUNDS + i],
                     .pointers = map_new(f->module->arena)};
        if (o.begin->type->pointer && collect_carried(&o, op, i) && o.varies)
            change(&o);
    }
}

void forms_count_offsets(Func *f)
{
    ir_walk(f->body, look_at, f);
}
