/*
 * suspect_causal.c - causal masks that are turned around
 *
 * A program of rows pid * BLOCK + tl.arange(..) that goes through keys up to its diagonal,
 * range(0, (pid + 1) * BLOCK, N), keeps those with rows >= keys.  With rows <= keys all rounds but
 * the one on the diagonal keep nothing at all, and the rounds were made for nothing.
 *
 * tl.where(tl.arange(0, N)[None, :] <= tl.arange(0, M)[:, None], v, 0.0) of tiles that programs
 * share out compares places in the tile, and not in the matrix.
 */
#include "suspect.h"

enum { SAME_DEPTH = 8 };

/* pid * by, by * pid; NULL: it is no such product.  Gives the number of the program. */
static const Value *begin_of(const Value *v, const Value *by)
{
    const Op *op = ir_bare(v)->def;

    for (int i = 0; op && op->code == OP_mul && i < 2; i++) {
        const Op *program = ir_bare(op->operands[i])->def;
        if (program && program->code == OP_program_id &&
            ir_same(ir_bare(op->operands[1 - i]), by, SAME_DEPTH))
            return ir_bare(op->operands[i]);
    }
    return NULL;
}

/* The program and the block of (pid + 1) * BLOCK, or the lesser of that and a number. */
static bool is_diagonal(const Value *v, const Value **program, const Value **block, int depth)
{
    const Op *op = ir_bare(v)->def;
    int64_t one;

    if (!op || depth == 0)
        return false;
    for (int i = 0; i < 2 && op->code == OP_min; i++) {
        if (is_diagonal(op->operands[i], program, block, depth - 1))
            return true;
    }
    for (int i = 0; i < 2 && op->code == OP_mul; i++) {
        const Op *next = ir_bare(op->operands[i])->def;
        if (!next || next->code != OP_add)
            continue;
        for (int k = 0; k < 2; k++) {
            const Op *id = ir_bare(next->operands[k])->def;
            if (!id || id->code != OP_program_id ||
                !value_const_int(ir_bare(next->operands[1 - k]), &one) || one != 1)
                continue;
            *program = id->results[0];
            *block = ir_bare(op->operands[1 - i]);
            return true;
        }
    }
    return false;
}

/* pid * BLOCK + tl.arange(0, BLOCK) */
static bool is_rows(const Value *v, const Value *program, const Value *block)
{
    const Op *op = ir_bare(v)->def;

    for (int i = 0; op && op->code == OP_add && i < 2; i++) {
        const Op *range = ir_bare(op->operands[1 - i])->def;
        const Value *begin = begin_of(op->operands[i], block);
        if (begin && range && range->code == OP_arange && ir_same(begin, program, SAME_DEPTH))
            return true;
    }
    return false;
}

/* s + tl.arange(0, N), of the counter s */
static bool is_keys(const Value *v, const Op *loop)
{
    const Op *op = ir_bare(v)->def;

    for (int i = 0; op && op->code == OP_add && i < 2; i++) {
        const Op *range = ir_bare(op->operands[1 - i])->def;
        if (range && range->code == OP_arange &&
            ir_bare(op->operands[i]) == loop->regions[0]->args[0])
            return true;
    }
    return false;
}

typedef struct {
    const Suspect *s;
    const Op *loop;
    const Value *program, *block;
} Search;

static void look_at_mask(Op *op, void *search)
{
    const Search *x = search;
    bool less = op->code == OP_lt || op->code == OP_le,
         more = op->code == OP_gt || op->code == OP_ge;

    if (!less && !more)
        return;
    const Value *lesser = op->operands[less ? 0 : 1], *greater = op->operands[less ? 1 : 0];
    if (is_rows(lesser, x->program, x->block) && is_keys(greater, x->loop))
        tell_warn(x->s, op, "a causal mask keeps rows >= keys",
                  "this loop ends at the diagonal, and in all rounds before that no key is "
                  "behind a row: the mask keeps nothing");
}

/* --- places in a tile --- */

/* tl.arange as it is, along that dimension; NULL. */
static const Value *lane_along(const Value *v, int dim)
{
    const Op *op = ir_bare(v)->def;

    return op && op->code == OP_arange && tell_is_along(v, dim, op->results[0], SAME_DEPTH)
               ? op->results[0]
               : NULL;
}

/* Does something else count from it on? */
static bool is_offset(const Suspect *s, const Value *lane)
{
    const UseLists *uses = tell_uses(s);

    for (int i = 0; i < uses_count(uses, lane); i++) {
        OpCode code = uses_of(uses, lane)[i].op->code;
        if (code == OP_add || code == OP_sub)
            return true;
    }
    return false;
}

/* The axis of the grid along which programs share out that dimension of the tile, or -1. */
static int shared_along(const Value *p, int dim)
{
    int64_t by;

    for (int axis = 0; axis < 3; axis++) {
        const Value *index = axis_program_march(p, axis, &by);
        if (index && by == index->type->dims[0] && tell_is_along(p, dim, index, SAME_DEPTH))
            return axis;
    }
    return -1;
}

static void look_at_places(const Suspect *s, const Op *choice)
{
    const Op *compare = choice->operands[0]->def;
    const Op *load = ir_uncast(choice->operands[1])->def;

    if (!compare || !op_has(compare, COMPARES) || !load || !op_only_reads(load) ||
        load->results[0]->type->rank != 2 || choice->results[0]->type->rank != 2)
        return;
    const Value *p = load->operands[ir_access(load).pointer];
    for (int k = 0; k < 2; k++) {
        const Value *row = lane_along(compare->operands[k], 0);
        const Value *column = lane_along(compare->operands[1 - k], 1);
        int rows = shared_along(p, 0), columns = shared_along(p, 1);
        if (!row || !column || rows == columns || (rows < 0 && is_offset(s, row)) ||
            (columns < 0 && is_offset(s, column)))
            continue;
        tell_warn(s, compare, "compare what the address is made of: pid * BLOCK + tl.arange(..)",
                  "this compares places in a tile, and each program has another tile of the "
                  "matrix");
        return;
    }
}

static void look_at(Op *op, void *suspect)
{
    if (op->code == OP_select)
        look_at_places(suspect, op);

    Search x = {.s = suspect, .loop = op};
    int64_t begin;

    if (op->code == OP_for && value_const_int(op->operands[FOR_LO], &begin) && begin == 0 &&
        is_diagonal(op->operands[FOR_HI], &x.program, &x.block, 3))
        ir_walk(op->regions[0], look_at_mask, &x);
}

void suspect_causal(const Suspect *s)
{
    if (s->func->is_kernel)
        ir_walk(s->func->body, look_at, (void *)s);
}
