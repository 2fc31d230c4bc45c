/*
 * programs.c - what a kernel's programs make of the grid, and what they find in memory
 *
 * An atomic's result that is used may share out the work by tickets; programs that print, assert or
 * run text may be there for that alone.
 */
#include "programs.h"

#include <math.h>

#include "../ir/analysis.h"
#include "../ir/scalar.h"

typedef struct {
    Programs *p;
    UseLists uses; /* of the function at hand */
} Walk;

static bool is_large(const Value *v)
{
    return v->type->rank > 0 && type_numel(v->type) > 1;
}

static void note_atomic(const Walk *w, const Op *op)
{
    w->p->has_atomics = true;
    w->p->takes_tickets |= uses_count(&w->uses, op->results[0]) > 0;
}

static void note_constant(Programs *p, const Op *op)
{
    DType t = op->results[0]->type->dtype;
    uint64_t bits;

    if (op->results[0]->type->pointer || !dtype_is_float(t) ||
        !value_constant(op->results[0], &bits))
        return;
    double v = scalar_to_double(t, bits);
    p->own_nan |= isnan(v) != 0;
    p->own_inf |= isinf(v) && v > 0;
}

/* A number that was loaded, or follows from one. */
static bool is_loaded_number(const Value *v, int depth)
{
    const Op *op = v->def;

    while (op && (op->code == OP_splat || op->code == OP_cast))
        op = op->operands[0]->def;
    if (!op || depth == 0)
        return false;
    if (op_has(op, READS))
        return op->results[0]->type->rank == 0;
    for (int i = 0; i < op->noperands; i++) {
        if (op_has(op, FOLDS) && op->operands[i]->type->rank == 0 &&
            is_loaded_number(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

static bool is_bounded_by_data(const Op *op)
{
    enum { DEEPEST = 8 };

    if (op->code == OP_for)
        return is_loaded_number(op->operands[FOR_LO], DEEPEST) ||
               is_loaded_number(op->operands[FOR_HI], DEEPEST);
    return op_has(op, COMPARES) && (is_loaded_number(op->operands[0], DEEPEST) ||
                                    is_loaded_number(op->operands[1], DEEPEST));
}

/* range(0, pid), or t > 0 */
static bool looks_back(const Op *op)
{
    const Op *bound = op->code == OP_for ? ir_bare(op->operands[FOR_HI])->def : NULL;
    int64_t first;

    if (bound)
        return bound->code == OP_program_id;
    return (op->code == OP_gt || op->code == OP_ge) &&
           value_const_signed(op->operands[1], &first) && first == (op->code == OP_ge);
}

static bool follows_from_memory(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || op_has(op, READS))
        return op && op_has(op, READS);
    if (op->code == OP_cast && dtype_is_float(op->operands[0]->type->dtype))
        return true; /* a position that was rounded may end anywhere, too */
    for (int i = 0; i < op->noperands; i++) {
        bool hands_on = op_has(op, FOLDS) || op_has(op, MOVES) || op->code == OP_splat;
        if (hands_on && follows_from_memory(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

static bool is_indexed_by_data(const Op *op)
{
    enum { DEEPEST = 16 };

    return op->code == OP_addptr && follows_from_memory(op->operands[1], DEEPEST);
}

static void visit(Op *op, void *walk)
{
    const Walk *w = walk;
    Programs *p = w->p;

    switch (op->code) {
    case OP_const:
        note_constant(p, op);
        break;
    case OP_load_block:
        p->own_nan |= attr_padding(op) == PAD_NAN || op->operands[0]->type->padding == PAD_NAN;
        break;
    case OP_store:
    case OP_store_block:
        p->has_stores = true;
        p->has_tiles |= op->code == OP_store_block;
        break;
    case OP_atomic_rmw:
    case OP_atomic_cas:
        note_atomic(w, op);
        break;
    case OP_for:
    case OP_while:
        p->has_loops = true;
        break;
    case OP_record:
    case OP_inline_asm:
    case OP_inline_asm_volatile:
        p->speaks = true;
        break;
    default:
        break;
    }
    for (int i = 0; i < op->noperands; i++) { /* one that nobody uses is as good as none */
        const Op *number = op->operands[i]->def;
        if (number && number->code == OP_program_id)
            p->axes |= 1U << attr_axis(number);
    }
    p->indexed_by_data |= is_indexed_by_data(op);
    p->looks_back |= looks_back(op);
    for (int i = 0; i < op->nresults; i++)
        p->has_tiles |= is_large(op->results[i]);
}

/* --- what the launch finds in memory --- */

typedef struct {
    const PointerBases *bases;
    uint64_t touched, loads_first;
} Order;

static bool is_single(uint64_t set)
{
    return set != 0 && (set & (set - 1)) == 0;
}

/* Is it asked in some programs, or in none? */
static bool is_uniform(const Value *mask)
{
    return mask->type->rank == 0 || (mask->def && mask->def->code == OP_splat);
}

static void note_access(Order *o, const Op *op, bool conditional)
{
    uint64_t set = ir_bases_of(o->bases, op->operands[0]);
    bool loads = op_has(op, READS) && !(op->code == OP_atomic_rmw && attr_rmw_kind(op) == RMW_XCHG);
    const Value *mask = op_operand(op, ir_access(op).mask);

    conditional |= mask && is_uniform(mask);
    if (loads && !conditional && is_single(set) && !(o->touched & set))
        o->loads_first |= set;
    o->touched |= set;
}

/* In the order of the program. */
static void note_order(Order *o, const Block *b, bool conditional)
{
    for (const Op *op = b->first; op; op = op->next) {
        if (op->code == OP_call)
            o->touched = EVERY_PARAM; /* who knows */
        else if (op_has(op, READS | WRITES) && op->noperands > 0)
            note_access(o, op, conditional);
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                note_order(o, op->regions[r], conditional || op->code == OP_if);
        }
    }
}

static uint64_t loads_first(const Func *f)
{
    Order o = {.bases = ir_pointer_bases(f, f->module->arena)};

    note_order(&o, f->body, false);
    return o.loads_first;
}

static void note_bound(Op *op, void *bounded)
{
    *(bool *)bounded |= is_bounded_by_data(op);
}

bool programs_bounded_by_data(const Module *m)
{
    bool bounded = false;

    for (int i = 0; i < m->nfuncs; i++)
        ir_walk(m->funcs[i]->body, note_bound, &bounded);
    return bounded;
}

typedef struct {
    const PointerBases *bases;
    uint64_t arrays;
} Indexed;

static void note_indexed(Op *op, void *indexed)
{
    Indexed *x = indexed;

    if (is_indexed_by_data(op))
        x->arrays |= ir_bases_of(x->bases, op->operands[0]);
}

static uint64_t indexed_arrays(const Func *f)
{
    Indexed x = {.bases = ir_pointer_bases(f, f->module->arena)};

    ir_walk(f->body, note_indexed, &x);
    return x.arrays;
}

Programs programs_of(const Func *f)
{
    Programs p = {.loads_first = loads_first(f),
                  .waits = ir_waits(f->module, f->module->arena),
                  .indexed = indexed_arrays(f),
                  .bounded_by_data = programs_bounded_by_data(f->module)};

    p.steps = strides_of(f);
    p.reaches = reaches_of(f);
    p.rows = rows_of(f);
    p.together = together_of(f);
    for (int i = 0; i < f->module->nfuncs; i++) {
        const Func *each = f->module->funcs[i];
        Walk w = {&p, ir_uses(each, f->module->arena)};
        ir_walk(each->body, visit, &w);
    }
    if (!p.waits && !p.takes_tickets)
        p.shared = shared_of(f, p.axes);
    return p;
}
