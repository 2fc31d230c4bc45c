/*
 * suspect_axes.c - what was loaded for rows, and is given to columns
 *
 * tl.load(bias + rows)[None, :] in a tile whose elements go to out + rows[:, None] * n +
 * columns[None, :]: the extents fit only where tiles are square, and the results are those of
 * another column.  Looked for at each store: an index that runs along one dimension of the address
 * alone, and along another one of a value that was loaded by it.
 *
 * tl.sum(x * x, 0) * tl.sum(y * y, 1), of square tiles: one for each column times one for each row.
 *
 * Nothing is said unless both dimensions have indices of their own that programs or rounds move: in
 * a block on the diagonal, columns count from the row where it begins, tl.arange alone, and what is
 * loaded for rows is right for columns.  Nor where the same index was also loaded by along its own
 * dimension, as in a[rows][:, None] - a[rows][None, :].
 */
#include "suspect.h"

enum { MOST_INDICES = 32, DEEPEST = 30, SAME_DEPTH = 12 };

/* Tiles of one dimension that are indices, and along which dimension of the store each runs. */
typedef struct {
    const Value *at[MOST_INDICES];
    int along[MOST_INDICES];
    int n;
} Indices;

/* Which dimension of the store each dimension of a value is; -1: of none. */
typedef struct {
    int at[MAX_RANK];
} Dims;

/* Is it another one for other programs, or in other rounds? */
static bool is_moved(const Value *v, int depth)
{
    const Op *op = v->def;

    if (!op)
        return v->block->owner != NULL && v->index == 0;
    if (op->code == OP_program_id)
        return true;
    for (int i = 0; i < op->noperands && depth > 0; i++) {
        bool goes_on = op_has(op, FOLDS) || op_has(op, MOVES) || op->code == OP_splat ||
                       op->code == OP_cast || op->code == OP_hint;
        if (goes_on && is_moved(op->operands[i], depth - 1))
            return true;
    }
    return false;
}

static void note_index(Indices *x, const Value *v, int along)
{
    if (x->n == MOST_INDICES || along < 0)
        return;
    x->at[x->n] = v;
    x->along[x->n++] = along;
}

static Dims dims_before(const Op *op, const Dims *dims)
{
    Dims before;
    Move m;

    for (int d = 0; d < MAX_RANK; d++)
        before.at[d] = -1;
    if (!op_renames(op, &m))
        return before;
    for (int d = 0; d < op->operands[0]->type->rank; d++) {
        if (op->operands[0]->type->dims[d] > 1 && m.follows[d] >= 0)
            before.at[d] = dims->at[m.follows[d]];
    }
    return before;
}

/* The indices that an address, or an index, is made of. */
static void find_indices(Indices *x, const Value *v, const Dims *dims, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || v->type->rank == 0 || op->code == OP_splat)
        return;
    if (op_has(op, MOVES)) {
        const Dims before = dims_before(op, dims);
        find_indices(x, op->operands[0], &before, depth - 1);
        return;
    }
    if (v->type->rank == 1 && opt_is_int(v) && is_moved(v, DEEPEST))
        note_index(x, v, dims->at[0]);
    for (int i = 0; i < op->noperands; i++) {
        if (op_has(op, FOLDS) || op->code == OP_addptr || op->code == OP_hint)
            find_indices(x, op->operands[i], dims, depth - 1);
    }
}

/* What loads of one dimension, of which a value is made, are loaded by. */
typedef struct {
    Indices by;
    const Op *loads[MOST_INDICES];
} Loaded;

static void find_loads(Loaded *l, const Value *v, const Dims *dims, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || v->type->rank == 0 || op->code == OP_splat)
        return;
    if (op_has(op, MOVES)) {
        const Dims before = dims_before(op, dims);
        find_loads(l, op->operands[0], &before, depth - 1);
        return;
    }
    if (op_only_reads(op) && v->type->rank == 1) {
        int first = l->by.n;
        find_indices(&l->by, op->operands[ir_access(op).pointer], dims, depth - 1);
        for (int i = first; i < l->by.n; i++)
            l->loads[i] = op;
        return;
    }
    for (int i = 0; i < op->noperands; i++) {
        if (op_has(op, FOLDS) || op->code == OP_cast)
            find_loads(l, op->operands[i], dims, depth - 1);
    }
}

/* Does v run along `dim`? */
static bool runs_along(const Indices *x, const Value *v, int dim)
{
    for (int i = 0; i < x->n; i++) {
        if (x->along[i] == dim && ir_same(x->at[i], v, SAME_DEPTH))
            return true;
    }
    return false;
}

/* Another dimension than `dim` along which v runs; -1. */
static int other_dimension(const Indices *x, const Value *v, int dim, int rank)
{
    for (int d = 0; d < rank; d++) {
        if (d != dim && runs_along(x, v, d))
            return d;
    }
    return -1;
}

static bool has_moved_index(const Indices *x, int dim)
{
    for (int i = 0; i < x->n; i++) {
        if (x->along[i] == dim)
            return true;
    }
    return false;
}

static bool is_turned(const Indices *address, const Loaded *l, int i, int rank)
{
    const Value *v = l->by.at[i];
    int dim = l->by.along[i], own = other_dimension(address, v, dim, rank);

    return own >= 0 && !runs_along(address, v, dim) && has_moved_index(address, dim) &&
           !runs_along(&l->by, v, own);
}

/* --- one for each row times one for each column --- */

/* The sum of a square tile, or another reduction, that it is made of, element by element; NULL. */
static const Op *reduced_square(const Value *v, int depth)
{
    const Op *op = v->def, *found = NULL;

    if (!op || depth == 0 || v->type->rank != 1)
        return NULL;
    if (ir_reduces(op)) {
        const Type *t = op->operands[0]->type;
        return op->noperands == 1 && t->rank == 2 && t->dims[0] == t->dims[1] ? op : NULL;
    }
    for (int i = 0; i < op->noperands && op_has(op, FOLDS); i++) {
        const Op *one = reduced_square(op->operands[i], depth - 1);
        if (one && found && attr_axis(one) != attr_axis(found))
            return NULL;
        found = one ? one : found;
    }
    return found;
}

static void look_at_product(const Suspect *s, const Op *op)
{
    const Op *a = reduced_square(op->operands[0], SAME_DEPTH);
    const Op *b = reduced_square(op->operands[1], SAME_DEPTH);

    if (a && b && attr_axis(a) != attr_axis(b))
        tell_warn(s, op, "reduce both along the same axis",
                  "one of these was reduced along axis %d of a square tile, and the other one "
                  "along axis %d: rows meet columns",
                  (int)attr_axis(a), (int)attr_axis(b));
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;
    Indices address = {.n = 0};
    Loaded loaded = {.by = {.n = 0}};
    Dims dims;

    if (op->code == OP_mul || op->code == OP_div)
        look_at_product(s, op);
    if (op->code != OP_store || op->operands[STORE_PTR]->type->rank < 2)
        return;
    int rank = op->operands[STORE_PTR]->type->rank;
    for (int d = 0; d < MAX_RANK; d++)
        dims.at[d] = d;
    find_indices(&address, op->operands[STORE_PTR], &dims, DEEPEST);
    find_loads(&loaded, op->operands[STORE_DATA], &dims, DEEPEST);
    for (int i = 0; i < loaded.by.n; i++) {
        if (!is_turned(&address, &loaded, i, rank))
            continue;
        int dim = loaded.by.along[i];
        tell_warn(s, loaded.loads[i],
                  "v[:, None] is one for each row, v[None, :] one for each column: load it by "
                  "the index of the dimension that it is for",
                  "this is loaded by the index of dimension %d of what is stored, and given to "
                  "dimension %d",
                  other_dimension(&address, loaded.by.at[i], dim, rank), dim);
        return;
    }
}

void suspect_axes(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
