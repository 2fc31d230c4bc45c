/*
 * programs.c - what is said of a grid that the kernel does not go with, and found out for it
 *
 * A grid counts programs, and each of them works on a whole tile.  Who comes from CUDA gives blocks
 * and threads, (4, 256): where the kernel never asks for tl.program_id(1), 256 programs do the same
 * work, and what they add by atomics is 256 times as much.  Or writes a kernel of one element a
 * program, which works, up to 90 times slower than tiles of a thousand.
 *
 * Those are found when a kernel is lowered and said once, at the first launch with such a grid.
 * Nothing is said where an atomic's result is used, since programs may then share out the work by
 * tickets; nor of one axis where none is asked for, and programs only count or print.
 *
 * strides.c, reach.c and loaded.c look at more of a launch, and say it in the same way.
 */
#include <math.h>
#include <stdio.h>

#include "api.h"

enum { MANY_SINGLE = 1 << 14 }; /* programs of one element that are worth a word */

/* --- the kernel --- */

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
    case OP_program_id:
        p->axes |= 1U << attr_axis(op);
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
    p->bounded_by_data |= is_bounded_by_data(op);
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

Programs programs_of(const Func *f)
{
    Programs p = {.loads_first = loads_first(f), .waits = ir_waits(f->module, f->module->arena)};

    p.steps = strides_of(f);
    p.reaches = reaches_of(f);
    p.rows = rows_of(f);
    for (int i = 0; i < f->module->nfuncs; i++) {
        const Func *each = f->module->funcs[i];
        Walk w = {&p, ir_uses(each, f->module->arena)};
        ir_walk(each->body, visit, &w);
    }
    return p;
}

/* --- telling --- */

void programs_say(const Request *r, const char *text)
{
    if (r->options.on_message)
        r->options.on_message(r->options.user, text);
}

void programs_warn_of_none(const Request *r, const int32_t *grid)
{
    char text[128];

    snprintf(text, sizeof text, "warning: the grid %dx%dx%d has no programs: nothing runs\n",
             grid[0], grid[1], grid[2]);
    programs_say(r, text);
}

/* The axis with more than one program that the kernel does not ask for; -1: none. */
static int idle_axis(const Programs *p, const int32_t *grid)
{
    if (p->takes_tickets || (p->axes == 0 && (p->has_atomics || p->speaks || !p->has_stores)))
        return -1;
    for (int i = 0; i < 3; i++) {
        if (grid[i] > 1 && !(p->axes >> i & 1))
            return i;
    }
    return -1;
}

static void warn_of_axis(const Request *r, const int32_t *grid, int axis)
{
    char text[600];

    snprintf(text, sizeof text,
             "warning: the grid is %dx%dx%d, and kernel `%s` never asks for tl.program_id(%d): all "
             "%d programs along that axis do the same\n"
             "hint: a grid counts programs, each of which works on a whole tile, and no threads: "
             "the extent of an axis that is not used is 1\n",
             grid[0], grid[1], grid[2], r->kernel->name, axis, grid[axis]);
    programs_say(r, text);
}

static void warn_of_scalars(const Request *r, int64_t programs)
{
    char text[600];

    snprintf(text, sizeof text,
             "warning: each of the %lld programs of kernel `%s` works on single elements, which is "
             "up to 90 times slower than tiles\n"
             "hint: i = tl.program_id(0) * 1024 + tl.arange(0, 1024), loads and stores with "
             "mask=i < n, and a grid of as many programs as there are tiles\n",
             (long long)programs, r->kernel->name);
    programs_say(r, text);
}

bool programs_claim(const Request *r, unsigned bit)
{
    return !(atomic_fetch_or_explicit(&r->spec->grids_told, bit, memory_order_relaxed) & bit);
}

void programs_warn(const Request *r, const int32_t *grid)
{
    const Programs *p = &r->spec->programs;
    int64_t programs = grid_programs(grid);
    int axis = idle_axis(p, grid);

    if (axis >= 0 && programs_claim(r, TOLD_AXES))
        warn_of_axis(r, grid, axis);
    if (!p->has_tiles && !p->has_loops && !p->has_atomics && !p->speaks && p->has_stores &&
        p->axes != 0 && programs >= MANY_SINGLE && programs_claim(r, TOLD_SCALARS))
        warn_of_scalars(r, programs);
    strides_warn(r);
    reaches_warn(r, grid);
    rows_warn(r);
}
