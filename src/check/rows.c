/*
 * rows.c - tiles that masks take for whole rows
 *
 * Found in a kernel without loops and calls, where every access to an array has a mask that
 * compares the tile's lanes, from 0 on, with a number.  Not where the address goes on by whole
 * tiles from program to program, or where two accesses begin at different places: then the mask is
 * not about the row.
 */
#include "programs.h"
#include "../ir/analysis.h"
#include "../opt/opt.h"

enum { DEEPEST = 12, MOST_MASKS = 4, MOST_SLOTS = 64 };

typedef struct {
    RowTile tile;
    const Value *pointer;
    int accesses;
    bool moves; /* they begin at several places: halves of a row, of which each has that mask */
} FoundTile;

typedef struct {
    FoundTile tiles[MOST_ROW_TILES];
    int ntiles;
    const Func *func;
    int accesses[MOST_SLOTS]; /* to each array */
    bool fails;               /* there are some of which nobody knows the array, or loops */
} Rows;

static bool has_factor(const Op *op, int32_t lanes)
{
    int64_t step;

    for (int i = 0; op->code == OP_mul && i < 2; i++) {
        if (value_const_int(op->operands[i], &step) && step == lanes)
            return true;
    }
    return false;
}

/* Does it begin at a number times `lanes`? */
static bool goes_by_tiles(const Value *v, int32_t lanes, int depth)
{
    const Op *op = ir_bare(v)->def;

    if (!op || depth == 0)
        return false;
    if (op->code == OP_mul)
        return has_factor(op, lanes);
    for (int i = 0; i < op->noperands && (op_has(op, FOLDS) || op->code == OP_addptr); i++) {
        if (goes_by_tiles(op->operands[i], lanes, depth - 1))
            return true;
    }
    return false;
}

static bool read_row(const Func *f, const Op *op, RowTile *r)
{
    const Op *range = op->code == OP_lt ? ir_bare(op->operands[0])->def : NULL;

    if (!range || range->code != OP_arange || attr_start(range) != 0)
        return false;
    const Value *limit = ir_bare(op->operands[1]);
    r->lanes = range->results[0]->type->dims[0];
    r->limit = value_const_int(limit, &r->number) ? -1 : strides_slot_of(f, limit);
    if (r->limit >= 0)
        r->type = f->body->args[r->limit]->type->dtype;
    return opt_is_int(limit) && (r->limit >= 0 || limit->def);
}

static bool same_tile(const RowTile *a, const RowTile *b)
{
    return a->array == b->array && a->limit == b->limit && a->lanes == b->lanes &&
           (a->limit >= 0 || a->number == b->number);
}

static void note_tile(Rows *rows, const RowTile *r, const Value *pointer)
{
    for (int i = 0; i < rows->ntiles; i++) {
        FoundTile *old = &rows->tiles[i];
        if (!same_tile(&old->tile, r))
            continue;
        old->accesses++;
        old->tile.stores |= r->stores;
        old->moves |= !ir_same(old->pointer, pointer, DEEPEST);
        return;
    }
    if (rows->ntiles < MOST_ROW_TILES)
        rows->tiles[rows->ntiles++] = (FoundTile){.tile = *r, .pointer = pointer, .accesses = 1};
}

/* All that the mask compares with, one and the other. */
static void note_rows(Rows *rows, const Value *mask, const Value *pointer, RowTile r, int depth)
{
    const Op *op = ir_bare(mask)->def;

    if (!op || depth == 0)
        return;
    if (op->code == OP_and) {
        note_rows(rows, op->operands[0], pointer, r, depth - 1);
        note_rows(rows, op->operands[1], pointer, r, depth - 1);
    } else if (read_row(rows->func, op, &r) && !goes_by_tiles(pointer, r.lanes, DEEPEST)) {
        note_tile(rows, &r, pointer);
    }
}

static void note_access(Rows *rows, const Op *op)
{
    const OpAccess access = ir_access(op);
    const Value *pointer = op->operands[access.pointer], *base = ir_bare(pointer);
    const Value *mask = op_operand(op, access.mask);

    while (base->def && base->def->code == OP_addptr)
        base = ir_bare(base->def->operands[0]);
    int array = strides_slot_of(rows->func, base);
    rows->fails |= array < 0 || array >= MOST_SLOTS;
    if (rows->fails)
        return;
    rows->accesses[array]++;
    if (mask)
        note_rows(rows, mask, pointer, (RowTile){.array = array, .stores = op->code == OP_store},
                  MOST_MASKS);
}

static void visit(Op *op, void *rows)
{
    Rows *r = rows;

    r->fails |= op->code == OP_for || op->code == OP_while || op->code == OP_call;
    if (!r->fails && op_has(op, READS | WRITES) && op->noperands > 0)
        note_access(r, op);
}

RowTiles rows_of(const Func *f)
{
    RowTiles kept = {.n = 0};
    Rows rows = {.func = f};

    ir_walk(f->body, visit, &rows);
    for (int i = 0; !rows.fails && i < rows.ntiles; i++) {
        const FoundTile *t = &rows.tiles[i];
        if (t->accesses == rows.accesses[t->tile.array] && !t->moves)
            kept.at[kept.n++] = t->tile;
    }
    return kept;
}
