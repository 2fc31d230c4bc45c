/*
 * widen.c - all floats of a kernel as fp64
 *
 * Takes and gives verified IR, without calls and handles.  What a kernel computes in fp16 or fp32
 * is computed in fp64, what memory and parameters hold stays what it is: a load is widened behind
 * it, what is stored is rounded once, there.  So the difference to the kernel as it was written is
 * what its own roundings cost; `--compare fp64` shows it.
 *
 * Conversions between floats do nothing then, those that somebody wrote to round included.  Bits
 * are looked at in the type that they were written for: the value is rounded to it in front of a
 * bitcast, and widened behind one.
 */
#include "check.h"

typedef struct {
    Module *module;
    Map *narrow; /* Value* -> DType + 1: what it was before */
    Map *wide;   /* Value* -> Value*: what stands for one that keeps its type */
} Widen;

static bool is_narrow(const Value *v)
{
    const Type *t = v->type;

    return !t->pointer && t->handle == HANDLE_NONE && dtype_is_float(t->dtype) &&
           t->dtype != DT_FP64;
}

static void note_narrow(Widen *w, const Value *wide, DType was)
{
    map_put(w->narrow, MAP_KEY(wide), (void *)(uintptr_t)(was + 1));
}

/* The same value from here on. */
static void retype(Widen *w, Value *v)
{
    if (!is_narrow(v))
        return;
    note_narrow(w, v, v->type->dtype);
    v->type = type_with_dtype(w->module, v->type, DT_FP64);
}

/* What was made in its own type is cast at b, for all that follows. */
static void widen_at(Widen *w, Builder *b, Value *v)
{
    if (!is_narrow(v))
        return;
    DType was = v->type->dtype;
    Value *wide = build_cast(b, v, DT_FP64, ROUND_NEAREST);
    note_narrow(w, wide, was);
    map_put(w->wide, MAP_KEY(v), wide);
}

static Builder behind(Op *op)
{
    Builder b = builder_before(op->next);

    b.span = op->span;
    b.site = op->site;
    return b;
}

/* An operand as it was written, in front of the op. */
static void narrow_operand(const Widen *w, Op *op, int i)
{
    uintptr_t was = (uintptr_t)map_get(w->narrow, MAP_KEY(op->operands[i]));

    if (was == 0)
        return;
    Builder b = builder_before(op);
    op->operands[i] = build_cast(&b, op->operands[i], (DType)(was - 1), ROUND_NEAREST);
}

/* Memory, bits and the assembler's text: as they were. */
static bool keeps_types(const Op *op)
{
    return op_has(op, READS | WRITES) || op->code == OP_bitcast || op->code == OP_inline_asm;
}

static void store_as(Op *op, int i, DType t)
{
    Builder b = builder_before(op);

    if (!op->operands[i]->type->pointer && dtype_is_float(op->operands[i]->type->dtype))
        op->operands[i] = build_cast(&b, op->operands[i], t, ROUND_NEAREST);
}

/* Data is of the pointer's type, whatever made it. */
static void narrow_data(const Widen *w, Op *op)
{
    for (int i = 0; i < op->noperands; i++) {
        if (op->noperands > 0 && op->operands[0]->type->pointer && i > 0)
            store_as(op, i, op->operands[0]->type->dtype);
        else
            narrow_operand(w, op, i);
    }
}

static void widen_constant(Widen *w, Op *op)
{
    Value *v = op->results[0];

    if (!is_narrow(v))
        return;
    double x = scalar_to_double(v->type->dtype, (uint64_t)attr_bits(op));
    attr_set(op, ATTR_bits, (int64_t)scalar_from_double(DT_FP64, x));
    retype(w, v);
}

/* A conversion between floats stays, as one of fp64 to fp64: it says what type it had. */
static void widen_cast(Op *op)
{
    if (op->code == OP_cast && dtype_is_float(op->results[0]->type->dtype))
        attr_set(op, ATTR_rounding, ROUND_NEAREST);
}

static void widen_block(Widen *w, Block *b);

static void widen_op(Widen *w, Op *op)
{
    for (int i = 0; i < op->noperands; i++) {
        Value *wide = map_get(w->wide, MAP_KEY(op->operands[i]));
        op->operands[i] = wide ? wide : op->operands[i];
    }
    if (keeps_types(op)) {
        narrow_data(w, op);
        if (op->nresults == 0)
            return;
        Builder b = behind(op);
        for (int i = 0; i < op->nresults; i++)
            widen_at(w, &b, op->results[i]);
        return;
    }
    if (op->code == OP_const) {
        widen_constant(w, op);
        return;
    }
    widen_cast(op);
    for (int i = 0; i < op->nresults; i++)
        retype(w, op->results[i]);
    for (int r = 0; r < COUNT(op->regions); r++) {
        if (op->regions[r])
            widen_block(w, op->regions[r]);
    }
}

static void widen_block(Widen *w, Block *b)
{
    for (int i = 0; i < b->nargs; i++)
        retype(w, b->args[i]);
    for (Op *op = b->first, *next; op; op = next) {
        next = op->next;
        widen_op(w, op);
    }
}

void check_widen(Func *f)
{
    Widen w = {f->module, map_new(f->module->arena), map_new(f->module->arena)};
    Op *first = f->body->first;
    Builder b = builder_before(first);

    for (int i = 0; i < f->body->nargs; i++)
        widen_at(&w, &b, f->body->args[i]);
    for (Op *op = first, *next; op; op = next) {
        next = op->next;
        widen_op(&w, op);
    }
}
