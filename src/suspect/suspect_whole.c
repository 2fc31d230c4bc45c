/*
 * suspect_whole.c - tiles that are taken as a whole where their rows count
 *
 * tl.sum(v) without an axis is one number for the whole tile, and out + rows has room for one of
 * each row: all of them get the same.  Told where the stored number is a reduction of all of a
 * tile of two dimensions, and nothing else, and is stored by the index of one of them.
 *
 * v / tl.sum(v) of rows that programs share out depends on how many rows a program has.  Told where
 * a mask compares them with how many there are, and the sum goes nowhere but into such tiles.
 *
 * tl.reshape(v, (N, M)) of a tile of M x N keeps the order of the elements, and is no transpose.
 * Told where it is stored by the index of columns where the load had that of rows, and the other
 * way round.
 */
#include "suspect.h"

enum { MOST_INDICES = 16, DEEPEST = 16 };

/* Tiles of one dimension that an address is made of. */
typedef struct {
    const Value *at[MOST_INDICES];
    int n;
} Indices;

static void note_indices(Indices *x, const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || v->type->rank == 0 || op->code == OP_splat)
        return;
    if (v->type->rank == 1 && opt_is_int(v) && x->n < MOST_INDICES)
        x->at[x->n++] = v;
    for (int i = 0; i < op->noperands; i++) {
        if (op_has(op, FOLDS) || op_has(op, MOVES) || op->code == OP_addptr || op->code == OP_hint)
            note_indices(x, op->operands[i], depth - 1);
    }
}

/* An index that runs along `there` of one address and along `here` of another one. */
static bool share_index(const Value *there, int dim_there, const Value *here, int dim_here)
{
    Indices x = {.n = 0};

    note_indices(&x, here, DEEPEST);
    for (int i = 0; i < x.n; i++) {
        if (tell_is_along(here, dim_here, x.at[i], DEEPEST) &&
            tell_is_along(there, dim_there, x.at[i], DEEPEST))
            return true;
    }
    return false;
}

/* The load that a tile is made of, element by element, and that has its shape; NULL: none. */
static const Op *load_of(const Value *v, const Type *shape, int depth)
{
    const Op *op = ir_uncast(v)->def, *load = NULL;

    if (!op || depth == 0)
        return NULL;
    if (op_only_reads(op))
        return type_same_shape(op->results[0]->type, shape) ? op : NULL;
    for (int i = 0; i < op->noperands && op_has(op, FOLDS) && !load; i++)
        load = load_of(op->operands[i], shape, depth - 1);
    return load;
}

/* --- one number for all rows --- */

/* The reduction of all elements that a number is, by constants and numbers; NULL: it is more. */
static const Op *whole_reduction(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def, *found = NULL;
    uint64_t bits;

    if (!op || depth == 0)
        return NULL;
    if (ir_reduces(op) && op->noperands == 1)
        return op->operands[0]->type->rank == 1 && op->operands[0]->def &&
                       op->operands[0]->def->code == OP_reshape
                   ? op
                   : NULL;
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++) {
        const Value *part = ir_bare(op->operands[i]);
        if (value_constant(part, &bits) || (!part->def && part->type->rank == 0))
            continue;
        const Op *reduction = whole_reduction(part, depth - 1);
        if (!reduction || (found && found != reduction))
            return NULL;
        found = reduction;
    }
    return found;
}

static void look_at_number(const Suspect *s, const Op *store)
{
    const Value *p = store->operands[STORE_PTR];
    const Op *reduction =
        p->type->rank == 1 ? whole_reduction(store->operands[STORE_DATA], DEEPEST) : NULL;
    const Value *tile = reduction ? reduction->operands[0]->def->operands[0] : NULL;
    const Op *load = tile && tile->type->rank == 2 ? load_of(tile, tile->type, DEEPEST) : NULL;

    for (int dim = 0; load && dim < 2; dim++) {
        if (tile->type->dims[dim] == 1 || tile->type->dims[1 - dim] == 1 ||
            !share_index(load->operands[ir_access(load).pointer], dim, p, 0))
            continue;
        tell_warn(s, reduction,
                  dim == 0 ? "axis=1 leaves one for each row" : "axis=0 leaves one for each column",
                  "this is one number for the whole tile, and is stored for each of its %d %s",
                  tile->type->dims[dim], dim == 0 ? "rows" : "columns");
        return;
    }
}

/* --- rows of other programs --- */

/* Does it go into tiles of two dimensions that are stored, and nowhere else? */
static bool is_for_tiles(const UseLists *uses, const Value *v, int depth)
{
    for (int i = 0; i < uses_count(uses, v); i++) {
        const Op *op = uses_of(uses, v)[i].op;
        if (op->code == OP_store ? v->type->rank != 2
                                 : depth == 0 || !(op_has(op, FOLDS) || op_has(op, MOVES)) ||
                                       !is_for_tiles(uses, op->results[0], depth - 1))
            return false;
    }
    return uses_count(uses, v) > 0;
}

static void look_at_sum(const Suspect *s, const Op *sum)
{
    const Op *flat = sum->noperands == 1 ? sum->operands[0]->def : NULL;
    const Value *tile = flat && flat->code == OP_reshape ? flat->operands[0] : NULL;
    const Op *load = tile && tile->type->rank == 2 ? load_of(tile, tile->type, DEEPEST) : NULL;
    const Value *mask = load ? op_operand(load, ir_access(load).mask) : NULL;
    int64_t by;

    if (!mask || ir_combine_code(sum) != OP_add || sum->block != s->func->body)
        return;
    const Value *rows = axis_program_march(load->operands[ir_access(load).pointer], -1, &by);
    for (int dim = 0; rows && by == rows->type->dims[0] && dim < 2; dim++) {
        const Value *limited = mean_limited_along(mask, dim, DEEPEST);
        if (limited && limited != rows && tell_is_along(limited, 0, rows, DEEPEST) &&
            is_for_tiles(tell_uses(s), sum->results[0], DEEPEST))
            tell_warn(s, sum, dim == 0 ? "axis=1 leaves one for each row" : "axis=0",
                      "this sum is of the %d %s that a program has, and another one where it "
                      "has more: what is stored depends on the size of the tile",
                      tile->type->dims[dim], dim == 0 ? "rows" : "columns");
    }
}

/* --- reshapes for transposes --- */

static const Op *reshape_of(const Value *v, int depth)
{
    const Op *op = ir_uncast(v)->def, *found = NULL;

    if (!op || depth == 0 || op->code == OP_reshape)
        return op && op->code == OP_reshape ? op : NULL;
    for (int i = 0; i < op->noperands && op_has(op, FOLDS) && !found; i++)
        found = reshape_of(op->operands[i], depth - 1);
    return found;
}

static void look_at_reshape(const Suspect *s, const Op *store)
{
    const Op *reshape = reshape_of(store->operands[STORE_DATA], DEEPEST);
    const Type *from = reshape ? reshape->operands[0]->type : NULL;
    const Type *to = reshape ? reshape->results[0]->type : NULL;

    if (!reshape || from->rank != 2 || to->rank != 2 || from->dims[0] != to->dims[1] ||
        from->dims[1] != to->dims[0] || from->dims[0] == 1 || from->dims[1] == 1)
        return;
    const Op *load = load_of(reshape->operands[0], from, DEEPEST);
    const Value *there = load ? load->operands[ir_access(load).pointer] : NULL;
    const Value *here = store->operands[STORE_PTR];
    if (load && type_same_shape(here->type, to) && share_index(there, 0, here, 1) &&
        share_index(there, 1, here, 0))
        tell_warn(s, reshape, "tl.trans(x)",
                  "this keeps the order of the elements, and is stored as if it were the "
                  "transpose");
}

static void look_at(Op *op, void *suspect)
{
    if (op->code == OP_reduce)
        look_at_sum(suspect, op);
    if (op->code != OP_store)
        return;
    look_at_number(suspect, op);
    look_at_reshape(suspect, op);
}

static bool is_reshape(const Op *op)
{
    return op->code == OP_reshape;
}

void suspect_whole(const Suspect *s)
{
    if (tell_any(s, is_reshape))
        ir_walk(s->func->body, look_at, (void *)s);
}
