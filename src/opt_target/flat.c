/*
 * flat.c - programs of flat indices become tiles of rows and columns
 *
 * Takes and gives verified IR, for targets that run a tile as loops and keep windows.
 *
 *     i = pid * B + arange(B);  store(o + i % N * M + i // N, load(x + i))
 *
 * transposes, and comes to one element of each line of memory; a window around i // N and i % N is
 * loaded element by element.  Both are plain in tiles of rows and columns.  Programs may come in
 * any order, and each element is computed by itself, so whole rows go by tiles, which programs
 * share:
 *
 *     for t in pid .. tiles by programs:
 *         r, c = the rows and columns of tile t;  store(o + c * M + r, load(x + r * N + c))
 *     if pid * B + B > whole rows * N:  as it was
 *
 * The last tile of a row begins in the one before, where elements are computed twice.  So nothing
 * that is stored may be read, and there must be a tile in each row: else whole rows are none.
 *
 * Of records, i // 3 and i % 3 by a small constant, a tile has the rows alone, and what is done
 * with each field stands behind one another: what is stored so to 3 * r + 0 .. 2 goes together
 * (plan_access.c), from planes that are read along.
 *
 * Integers are taken apart as sums of digits of i, i // from % size, times scalars: then
 * (i // W % H) * W + i % W is one digit, i % (H * W), and what is made of channels, rows and
 * columns is affine in a row, a column, and the number of what they are in.  i is not negative, nor
 * is what divides it where there are whole rows.
 */
#include <stdlib.h>

#include "flat.h"
#include "../ir/analysis.h"

enum {
    LINE = 64,          /* bytes */
    LEAST_SHARED = 4,   /* elements of a line that are worth it */
    LEAST_WINDOW = 5,   /* loads of one array */
    WINDOW_BYTES = 256, /* of a row of a tile that is a window */
    WINDOW_ROWS = 16,
    LONG = 32,       /* sides of a tile that is transposed: along stores, .. */
    SHORT = 16,      /* .. and across */
    MOST_FIELDS = 4, /* columns of a row that are written out, .. */
    RECORDS = 256,   /* .. and so many rows at a time */
    MOST_OPS = 4000
};

const DigitSum *flat_sum(const Flat *x, const Value *v)
{
    return v->id < x->nvalues ? x->sums[v->id] : NULL;
}

/* --- is the kernel of that kind? ------------------------------------------------------------ */

/* tl.program_id(axis) * B + arange(B): the number of an element. */
static bool is_flat(Flat *x, const UseLists *uses, const Value *v, int32_t *block)
{
    const Op *op = v->def;
    int64_t number;

    if (!op || op->code != OP_add || v->type->rank != 1)
        return false;
    for (int k = 0; k < 2; k++) {
        const Value *index = op->operands[k], *splat = op->operands[1 - k];
        if (!opt_is_index(index, 0) || !opt_made_by(index, OP_arange) ||
            !opt_made_by(splat, OP_splat))
            continue;
        const Value *start = splat->def->operands[0];
        Op *mul = opt_made_by(start, OP_mul);
        Op *pid = mul ? opt_made_by(mul->operands[0], OP_program_id) : NULL;
        if (!pid || !value_const_int(mul->operands[1], &number) || number != v->type->dims[0] ||
            uses_count(uses, index) != 1 || uses_count(uses, splat) != 1 ||
            uses_count(uses, start) != 1 || uses_count(uses, pid->results[0]) != 1)
            continue;
        x->program = pid;
        *block = v->type->dims[0];
        return true;
    }
    return false;
}

/* Element by element, and nothing but loads and stores of memory. */
static bool takes(const Flat *x, const Op *op)
{
    const Value *v = op->nresults > 0 ? op->results[0] : op_operand(op, 0);

    if (op->regions[0] || op->nresults > 1)
        return false;
    if (op->code == OP_return || op->code == OP_assume)
        return true;
    if (v && v->type->rank == 0)
        return !op_has(op, WRITES | EFFECT) && !op_is_volatile(op);
    if (!v || v->type->rank != 1 || v->type->dims[0] != x->block || op->code == OP_bitcast)
        return false;
    if (op->code == OP_load || op->code == OP_store)
        return !op_is_volatile(op);
    return op->code == OP_arange || op->code == OP_splat || op->code == OP_const ||
           op->code == OP_addptr || op->code == OP_hint || op_is_elementwise(op);
}

static bool find_flat(Flat *x)
{
    const Block *b = x->func->body;
    UseLists uses = ir_uses(x->func, x->arena);
    int programs = 0, indices = 0, count = 0;

    for (const Op *op = b->first; op && !x->flat; op = op->next) {
        if (op->nresults == 1 && is_flat(x, &uses, op->results[0], &x->block))
            x->flat = op->results[0];
    }
    for (const Op *op = b->first; op && x->flat; op = op->next) {
        programs += (op->code == OP_program_id && attr_axis(op) == attr_axis(x->program)) ||
                    op->code == OP_num_programs;
        indices += op->code == OP_arange;
        if (++count > MOST_OPS || !takes(x, op))
            return false;
    }
    return x->flat && programs == 1 && indices == 1;
}

/* --- rows and columns ----------------------------------------------------------------------- */

static Value *address_of(const Op *op)
{
    return op->code == OP_load || op->code == OP_store ? op->operands[0] : NULL;
}

/* By addresses; or by all that is asked of digits. */
static bool find_cuts(Flat *x, bool addresses)
{
    DigitCuts c = {0};

    for (const Op *op = x->func->body->first; op; op = op->next) {
        bool asks = op->nresults > 0 && !flat_sum(x, op->results[0]) && op_is_elementwise(op);
        for (int i = 0; i < op->noperands; i++) {
            const Value *v = op->operands[i];
            if (v->type->rank > 0 && flat_sum(x, v) &&
                (v == address_of(op) || (asks && !addresses)))
                digit_add_cuts(&c, flat_sum(x, v));
        }
    }
    return digit_places_of(&c, &x->places);
}

/* --- is it worth it? ------------------------------------------------------------------------ */

/* Along a row each element is in another line, which goes on in the next row. */
static bool is_transposed(const Flat *x, const Value *ptr)
{
    const DigitSum *s = ptr->type->rank > 0 ? flat_sum(x, ptr) : NULL;
    int64_t bytes = dtype_size(ptr->type->dtype);
    Product along, down;

    return s && digit_is_placed(&x->places, s) &&
           digit_factor(&x->places, s, PLACE_COLUMN, &along) &&
           digit_factor(&x->places, s, PLACE_ROW, &down) && along.number != 0 &&
           (along.count > 0 || llabs(along.number) * bytes >= LINE) && down.count == 0 &&
           down.number != 0 && llabs(down.number) * bytes * LEAST_SHARED <= LINE;
}

/* Loads of tiles from one array. */
static int count_loads(const Flat *x, const PointerBases *bases, uint64_t from)
{
    int count = 0;

    for (const Op *op = x->func->body->first; op; op = op->next)
        count += op->code == OP_load && op->results[0]->type->rank > 0 &&
                 ir_bases_of(bases, op->operands[LOAD_PTR]) == from;
    return count;
}

static bool has_window(const Flat *x, int *bytes)
{
    const PointerBases *bases = ir_pointer_bases(x->func, x->arena);

    for (const Op *op = x->func->body->first; op; op = op->next) {
        if (op->code != OP_load || op->results[0]->type->rank == 0)
            continue;
        *bytes = dtype_size(op->results[0]->type->dtype);
        if (count_loads(x, bases, ir_bases_of(bases, op->operands[LOAD_PTR])) >= LEAST_WINDOW)
            return true;
    }
    return false;
}

/* Rows of a few columns, as planes, where each is in memory of its own, or of which other elements
 * are asked for than the one whose turn it is. */
static bool has_records(const Flat *x)
{
    const Product *row = &x->places.at[PLACE_ROW];
    bool found = false;

    if (row->count > 0 || row->number > MOST_FIELDS)
        return false;
    for (const Op *op = x->func->body->first; op; op = op->next) {
        const Value *ptr = address_of(op);
        const DigitSum *s = ptr && ptr->type->rank > 0 ? flat_sum(x, ptr) : NULL;
        Product along, down;
        if (!s || !digit_is_placed(&x->places, s) ||
            !digit_factor(&x->places, s, PLACE_COLUMN, &along) ||
            !digit_factor(&x->places, s, PLACE_ROW, &down) || down.count > 0)
            continue;
        bool next = along.number == 1 && along.count == 0;
        found |=
            (llabs(down.number) == 1 && along.number != 0) || (down.number == row->number && !next);
    }
    return found;
}

/* No row that is known is shorter than a tile. */
static bool has_tiles(const Flat *x)
{
    const Product *row = &x->places.at[PLACE_ROW];

    return row->count > 0 || row->number >= x->columns;
}

/* Choose the tiles, with `windows` for these, too, whose masks tell rows; false: it stays as it is.
 */
static bool is_worth_it(Flat *x, bool windows)
{
    bool stores = false, loads = false;
    int bytes = 1;

    if (has_records(x)) {
        x->fields = (int32_t)x->places.at[PLACE_ROW].number;
        x->rows = RECORDS;
        x->columns = x->fields;
        return true;
    }
    for (const Op *op = x->func->body->first; op; op = op->next) {
        if (address_of(op) && is_transposed(x, address_of(op)))
            *(op->code == OP_store ? &stores : &loads) = true;
    }
    if (stores || loads) {
        x->rows = stores ? LONG : SHORT;
        x->columns = stores ? SHORT : LONG;
        x->down = !stores;
        return has_tiles(x);
    }
    if (!windows || !has_window(x, &bytes))
        return false;
    x->rows = WINDOW_ROWS;
    x->columns = WINDOW_BYTES / bytes;
    return has_tiles(x);
}

void opt_flat(Func *f)
{
    Flat x = {.func = f, .arena = f->module->arena, .nvalues = f->nvalues};

    opt_resolve_all(f->body);
    if (!find_flat(&x) || !opt_stores_apart(x.func, x.arena))
        return;
    x.sums = digit_sums(f, f->body, x.flat, x.arena);
    for (int i = 0; i < 2; i++) {
        if (find_cuts(&x, i == 0) && is_worth_it(&x, i == 1)) {
            flat_rewrite(&x);
            return;
        }
    }
}
