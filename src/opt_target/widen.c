/*
 * widen.c - tiles of short rows become tiles of longer ones
 *
 * Takes and gives verified IR, for targets that run a tile as loops and keep windows.
 *
 * A tile of 32 x 64 elements comes to pieces of 32 rows.  Where these begin anywhere in a line of
 * the cache, each vector lies in two lines, and so do the ends of each piece, which a neighbour
 * writes to as well.  Programs may come in any order, and what is done element by element may be
 * done by tiles of any shape.  So where tiles are pid_r * R + rows and pid_c * C + columns, they
 * become tiles of K times as many columns and a Kth of the rows, which programs share in a loop:
 *
 *     for t in number .. tiles by programs:  rows = t // across * (R / K) + ..
 *
 * A mask keeps columns within those that the grid has.  Starts are found in front of an expand and
 * behind it, pid * R + arange(R)[:, None], and in sums with what is the same for all of the tile.
 */
#include "opt_target.h"
#include "../ir/analysis.h"

enum {
    ROW_BYTES = 4096,  /* of the new tiles */
    LINE = 64,         /* bytes */
    LEAST_ROWS = 2,    /* of them */
    MOST_SUMMANDS = 4, /* as deep are the sums that a start is looked for in */
    LEAST_WINDOW = 5,  /* loads of one array: those are tiles with a reason */
    MOST_OPS = 1000
};
enum { ROWS, COLUMNS, SIDES };

typedef struct {
    Func *func;
    Arena *arena;
    Module *module;
    UseLists uses;
    int nvalues;
    uint8_t *sides; /* by value of rank 1: along which of a tile's sides it is, as bits */
    int32_t old[SIDES], new[SIDES];
    const Value *start[SIDES]; /* pid * extent */
    uint8_t *moves;            /* by value: a scalar that is that, or it and others added up */
    const Op *program[SIDES];
    const Op *end;          /* behind it all is new */
    Map *values[SIDES + 1]; /* what is along each, and tiles */
    Value *inside;          /* of a row: the columns that the grid has */
} Widen;

/* --- is the kernel of that kind? ------------------------------------------------------------ */

static bool is_tile(const Widen *x, const Type *t)
{
    return t->rank == 2 && t->handle == HANDLE_NONE &&
           (t->dims[0] == x->old[ROWS] || t->dims[0] == 1) &&
           (t->dims[1] == x->old[COLUMNS] || t->dims[1] == 1);
}

static bool keeps_shape(const Op *op)
{
    return op->code == OP_splat || op->code == OP_const || op->code == OP_addptr ||
           op->code == OP_hint || (op->code == OP_load && !op_is_volatile(op)) ||
           op_is_elementwise(op);
}

static bool takes(const Widen *x, const Op *op)
{
    const Value *v = op->nresults > 0 ? op->results[0] : op_operand(op, 0);

    if (op->regions[0] || op->nresults > 1)
        return false;
    if (op->code == OP_return)
        return true;
    if (op->code == OP_store)
        return v->type->rank == 2 && is_tile(x, v->type) && !op_is_volatile(op);
    if (!v || op->nresults == 0)
        return false;
    if (v->type->rank == 0)
        return !op_has(op, WRITES | EFFECT) && !op_is_volatile(op);
    if (v->type->rank == 1)
        return (op->code == OP_arange && attr_start(op) == 0) ||
               (keeps_shape(op) && v->type->handle == HANDLE_NONE);
    return is_tile(x, v->type) &&
           (op->code == OP_expand || op->code == OP_broadcast || keeps_shape(op));
}

/* Have what an op of rank 1 reads along the same side. */
static bool mark_operands(Widen *x, const Op *op, uint8_t sides)
{
    for (int i = 0; i < op->noperands; i++) {
        const Value *v = op->operands[i];
        if (v->type->rank > 1)
            return false;
        if (v->type->rank == 1)
            x->sides[v->id] |= sides;
    }
    return true;
}

/* From the last op on: along which side each value of rank 1 is. */
static bool find_sides(Widen *x)
{
    x->sides = NEW_N(x->arena, uint8_t, (size_t)x->nvalues + 1);
    for (const Op *op = x->func->body->last; op; op = op->prev) {
        const Value *v = op->nresults > 0 ? op->results[0] : NULL;
        if (v && op->code == OP_expand) {
            if (op->operands[0]->type->rank != 1)
                return false;
            x->sides[op->operands[0]->id] |= (uint8_t)(1 << (attr_axis(op) == 1 ? ROWS : COLUMNS));
        } else if (v && v->type->rank == 1 && !mark_operands(x, op, x->sides[v->id])) {
            return false;
        }
    }
    for (const Op *op = x->func->body->first; op; op = op->next) {
        const Value *v = op->nresults > 0 ? op->results[0] : NULL;
        for (int k = 0; v && v->type->rank == 1 && k < SIDES; k++) {
            if ((x->sides[v->id] >> k & 1) && v->type->dims[0] != x->old[k])
                return false;
        }
    }
    return true;
}

/* Along which side a value is; SIDES: along both, or none. */
static int side_of(const Widen *x, const Value *v)
{
    const Type *t = v->type;

    if (t->rank == 1 && x->sides[v->id] == 1 << ROWS)
        return ROWS;
    if (t->rank == 1 && x->sides[v->id] == 1 << COLUMNS)
        return COLUMNS;
    if (t->rank == 2 && t->dims[0] != t->dims[1])
        return t->dims[1] == 1 ? ROWS : t->dims[0] == 1 ? COLUMNS : SIDES;
    return SIDES;
}

/* The tl.program_id() * number in a sum of scalars; NULL: there is none. */
static const Op *start_in(const Value *sum, int depth)
{
    const Op *mul = opt_made_by(sum, OP_mul), *add = opt_made_by(sum, OP_add), *found = NULL;

    if (mul)
        return opt_made_by(mul->operands[0], OP_program_id) ? mul : NULL;
    for (int i = 0; add && depth > 0 && !found && i < 2; i++)
        found = start_in(add->operands[i], depth - 1);
    return found;
}

/* Is it tl.program_id() * extent + other scalars + index, along that side? */
static bool find_start(Widen *x, const Op *add, const Value *index)
{
    int side = add->code == OP_add ? side_of(x, add->results[0]) : SIDES;

    if (side == SIDES)
        return false;
    const Value *other = add->operands[add->operands[0] == index];
    const Op *splat = opt_made_by(other, OP_splat);
    const Op *mul = splat ? start_in(splat->operands[0], MOST_SUMMANDS) : NULL;
    int64_t extent;
    if (!mul || !value_const_int(mul->operands[1], &extent) || extent != x->old[side] ||
        uses_count(&x->uses, mul->operands[0]) != 1 ||
        (x->start[side] && x->start[side] != mul->results[0]))
        return false;
    x->start[side] = mul->results[0];
    x->program[side] = mul->operands[0]->def;
    return true;
}

/* Is a start, or a sum with it, only added once to indices along that side? */
static bool is_start(Widen *x, const Value *v, int side)
{
    const Use *uses = uses_of(&x->uses, v);

    if (v->type->rank == 0 && x->moves[v->id])
        return false;
    x->moves[v->id] = v->type->rank == 0;
    for (int i = 0; i < uses_count(&x->uses, v); i++) {
        const Op *op = uses[i].op;
        const Value *other = op->code == OP_add ? op->operands[1 - uses[i].operand] : NULL;
        if (v->type->rank == 0) {
            if ((!other && op->code != OP_splat) || !is_start(x, op->results[0], side))
                return false;
            continue;
        }
        const Op *expand = other ? opt_made_by(other, OP_expand) : NULL;
        if (!other || side_of(x, op->results[0]) != side ||
            !opt_made_by(expand ? expand->operands[0] : other, OP_arange))
            return false;
    }
    return true;
}

/* All that is done with an arange, as it is or expanded, is that. */
static bool find_starts_of(Widen *x, const Value *index)
{
    const Use *uses = uses_of(&x->uses, index);

    for (int i = 0; i < uses_count(&x->uses, index); i++) {
        const Op *op = uses[i].op;
        bool is_expanded = op->code == OP_expand && index->type->rank == 1;
        if (is_expanded ? !find_starts_of(x, op->results[0]) : !find_start(x, op, index))
            return false;
    }
    return true;
}

static bool find_starts(Widen *x)
{
    int programs = 0;

    for (const Op *op = x->func->body->first; op; op = op->next) {
        if (op->code == OP_num_programs ||
            (op->code == OP_arange && !find_starts_of(x, op->results[0])))
            return false;
    }
    x->moves = NEW_N(x->arena, uint8_t, (size_t)x->nvalues + 1);
    for (int k = 0; k < SIDES; k++) {
        if (!x->start[k] || !is_start(x, x->start[k], k))
            return false;
    }
    for (const Op *op = x->func->body->first; op; op = op->next)
        programs += op->code == OP_program_id && (attr_axis(op) == attr_axis(x->program[ROWS]) ||
                                                  attr_axis(op) == attr_axis(x->program[COLUMNS]));
    return programs == SIDES;
}

/* The tile of all stores. */
static bool find_shape(Widen *x)
{
    for (const Op *op = x->func->body->first; op; op = op->next) {
        const Type *t = op->code == OP_store ? op->operands[STORE_PTR]->type : NULL;
        if (!t)
            continue;
        if (t->rank != 2 ||
            (x->old[ROWS] != 0 && (t->dims[0] != x->old[ROWS] || t->dims[1] != x->old[COLUMNS])))
            return false;
        x->old[ROWS] = t->dims[0];
        x->old[COLUMNS] = t->dims[1];
    }
    return x->old[ROWS] > 1 && x->old[COLUMNS] > 1;
}

static bool has_window(const Widen *x)
{
    int loads = 0;

    for (const Op *op = x->func->body->first; op; op = op->next)
        loads += op->code == OP_load;
    return loads >= LEAST_WINDOW;
}

/* --- is it worth it? ------------------------------------------------------------------------ */

/* All tiles are along rows in memory, and some stored ones begin anywhere in a line. */
static bool are_short_rows(const Widen *x, int *bytes)
{
    const AxisFacts *facts = axis_analyse_trusting(x->func, x->arena);
    bool anywhere = false;

    *bytes = 1;
    for (const Op *op = x->func->body->first; op; op = op->next) {
        if ((op->code != OP_load && op->code != OP_store) || op->operands[0]->type->rank != 2)
            continue;
        const Value *ptr = op->operands[0];
        const Axis *a = axis_of(facts, ptr);
        int32_t extent = ptr->type->dims[1];
        if (a->contiguity[1] != extent && a->constancy[1] != extent)
            return false;
        *bytes = MAX(*bytes, dtype_size(ptr->type->dtype));
        anywhere |= op->code == OP_store && a->divisibility % LINE != 0;
    }
    return anywhere;
}

static bool choose(Widen *x)
{
    int bytes, times = 1;

    if (!are_short_rows(x, &bytes))
        return false;
    while (x->old[COLUMNS] * times * 2 * bytes <= ROW_BYTES && x->old[ROWS] % (times * 2) == 0 &&
           x->old[ROWS] / (times * 2) >= LEAST_ROWS)
        times *= 2;
    x->new[ROWS] = x->old[ROWS] / times;
    x->new[COLUMNS] = x->old[COLUMNS] * times;
    return times > 1;
}

/* --- wider tiles ---------------------------------------------------------------------------- */

static const Type *type_for(const Widen *x, const Type *t, int side)
{
    Type own = *t;

    if (t->rank == 1)
        own.dims[0] = x->new[side];
    for (int k = 0; t->rank == 2 && k < SIDES; k++)
        own.dims[k] = t->dims[k] == 1 ? 1 : x->new[k];
    return type_of(x->module, own);
}

/* A mask, and that the grid has these columns. */
static Value *masked(const Widen *x, Builder *b, const Op *op, int operand, int side, Map *values)
{
    const Value *own = op_operand(op, operand), *ptr = op->operands[0];
    Value *mask = own ? map_get(values, MAP_KEY(own)) : NULL, *inside = x->inside;

    if (side == ROWS || (ptr->type->rank == 2 && ptr->type->dims[1] == 1))
        return mask;
    if (ptr->type->rank == 2) {
        Type t = *type_for(x, ptr->type, side);
        t.pointer = false;
        t.dtype = DT_I1;
        inside = build_broadcast(b, build_expand(b, inside, 0), type_of(x->module, t));
    }
    return mask ? build_binary(b, OP_and, mask, inside) : inside;
}

static void lower(const Widen *x, Builder *b, const Op *op, int side)
{
    Map *values = x->values[side];
    Value *v = op->nresults > 0 ? op->results[0] : NULL;

    b->span = op->span;
    b->site = op->site;
    b->mark = op->mark;
    if (op->code == OP_expand) {
        int axis = (int)attr_axis(op);
        Value *from = map_get(x->values[axis == 1 ? ROWS : COLUMNS], MAP_KEY(op->operands[0]));
        map_put(values, MAP_KEY(v), build_expand(b, from, axis));
    } else if (op->code == OP_hint && attr_hint_kind(op) != HINT_LIKELY) {
        map_put(values, MAP_KEY(v), map_get(values, MAP_KEY(op->operands[0])));
    } else if (op->code == OP_load) {
        Value *other = op_operand(op, LOAD_OTHER);
        Value *mask = masked(x, b, op, LOAD_MASK, side, values);
        Value *operands[] = {map_get(values, MAP_KEY(op->operands[0])), mask,
                             other ? map_get(values, MAP_KEY(other)) : NULL};
        const Type *t = type_for(x, v->type, side);
        Op *load =
            build_op(b, OP_load, mask ? other ? 3 : 2 : 1, operands, op->nattrs, op->attrs, 1, &t);
        load->results[0]->name = v->name;
        map_put(values, MAP_KEY(v), load->results[0]);
    } else if (op->code == OP_store) {
        Value *mask = masked(x, b, op, STORE_MASK, side, values);
        Value *operands[] = {map_get(values, MAP_KEY(op->operands[STORE_PTR])),
                             map_get(values, MAP_KEY(op->operands[1])), mask};
        build_op(b, OP_store, mask ? 3 : 2, operands, op->nattrs, op->attrs, 0, NULL);
    } else {
        Op *copy = op_clone(b, op, values);
        copy->results[0]->type = type_for(x, v->type, side);
        copy->results[0]->extents = NULL;
    }
}

static void lower_tile(Widen *x, Builder *b, Value *tile, Value *across, Value *columns)
{
    const Type *i32 = tile->type;
    Value *rows = build_int(b, i32, x->new[ROWS]), *wide = build_int(b, i32, x->new[COLUMNS]);
    Value *row = build_binary(b, OP_mul, build_binary(b, OP_div, tile, across), rows);
    Value *column = build_binary(b, OP_mul, build_binary(b, OP_rem, tile, across), wide);
    Value *index = build_arange(b, 0, x->new[COLUMNS]);

    index = build_binary(b, OP_add, index, build_splat(b, column, index->type));
    x->inside = build_binary(b, OP_lt, index, build_splat(b, columns, index->type));
    for (int i = 0; i < COUNT(x->values); i++) {
        x->values[i] = map_new(x->arena);
        map_put(x->values[i], MAP_KEY(x->start[ROWS]), row);
        map_put(x->values[i], MAP_KEY(x->start[COLUMNS]), column);
    }
    for (const Op *op = x->func->body->first; op != x->end; op = op->next) {
        const Value *v = op->nresults > 0 ? op->results[0] : NULL;
        bool is_sum = v && v->id < x->nvalues && x->moves[v->id] && op->code == OP_add;
        for (int k = 0; is_sum && k < COUNT(x->values); k++)
            lower(x, b, op, k);
        for (int k = 0; v && v->type->rank == 1 && k < SIDES; k++) {
            if (x->sides[v->id] >> k & 1)
                lower(x, b, op, k);
        }
        if (v ? v->type->rank == 2 : op->code == OP_store)
            lower(x, b, op, SIDES);
    }
}

static Value *programs_along(Builder *b, const Op *program)
{
    const Type *i32 = program->results[0]->type;
    int64_t axis = attr_axis(program);

    return build_op(b, OP_num_programs, 0, NULL, 1, &axis, 1, &i32)->results[0];
}

static void rewrite(Widen *x)
{
    Builder b = builder_before(opt_last(x->func->body));
    Value *programs[SIDES];
    const Type *i32 = x->program[ROWS]->results[0]->type;
    const Op *before = opt_last(x->func->body)->prev;
    int times = x->new[COLUMNS] / x->old[COLUMNS];

    for (int k = 0; k < SIDES; k++)
        programs[k] = programs_along(&b, x->program[k]);
    int first = attr_axis(x->program[ROWS]) < attr_axis(x->program[COLUMNS]) ? ROWS : COLUMNS;
    Value *number = build_binary(&b, OP_mul, x->program[1 - first]->results[0], programs[first]);
    number = build_binary(&b, OP_add, number, x->program[first]->results[0]);
    Value *step = build_binary(&b, OP_mul, programs[ROWS], programs[COLUMNS]);
    Value *up = build_binary(&b, OP_add, programs[COLUMNS], build_int(&b, i32, times - 1));
    Value *across = build_binary(&b, OP_div, up, build_int(&b, i32, times));
    Value *below = build_binary(&b, OP_mul, programs[ROWS], build_int(&b, i32, times));
    Value *tiles = build_binary(&b, OP_mul, below, across);
    Value *columns =
        build_binary(&b, OP_mul, programs[COLUMNS], build_int(&b, i32, x->old[COLUMNS]));
    Op *loop = build_op(&b, OP_for, FOR_BOUNDS, (Value *[]){number, tiles, step}, 0, NULL, 0, NULL);
    attr_set(loop, ATTR_any_order, 1);
    Value *tile = block_add_arg(loop->regions[0], i32);
    Builder in = builder_into(&b, loop->regions[0]);
    x->end = before->next;
    lower_tile(x, &in, tile, across, columns);
    build_yield(&in, OP_yield, 0, NULL);
    for (Op *op = (Op *)before, *prev; op; op = prev) {
        prev = op->prev;
        if (op->code == OP_store || (op->nresults > 0 && op->results[0]->type->rank > 0))
            op_remove(op);
    }
}

void opt_widen(Func *f)
{
    Widen x = {.func = f, .arena = f->module->arena, .module = f->module, .nvalues = f->nvalues};
    int count = 0;

    opt_resolve_all(f->body);
    if (!find_shape(&x))
        return;
    for (const Op *op = f->body->first; op; op = op->next) {
        if (++count > MOST_OPS || !takes(&x, op))
            return;
    }
    x.uses = ir_uses(f, x.arena);
    if (find_sides(&x) && find_starts(&x) && opt_stores_apart(f, x.arena) && !has_window(&x) &&
        choose(&x))
        rewrite(&x);
}
