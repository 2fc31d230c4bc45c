/*
 * flat_tile.c - whole rows of flat indices, by tiles
 *
 * What flat.c has found is carried out: a loop over tiles in front of what the kernel was, which is
 * left for programs that have elements behind all whole rows.  flat.c says why, and what is right.
 */
#include <string.h>

#include "flat.h"

enum { MOST_ELEMENTS = 1 << 30 /* of all programs: i32 holds what is made of their numbers */ };

typedef struct {
    const Flat *flat;
    Module *module;
    bool *needed;        /* by value */
    Map *values;         /* what they are in a tile */
    const Type *shape;   /* i32, of a tile */
    Value *row, *column; /* in that shape */
    Value *several;      /* i32: which rows those are */
} Tile;

/* --- tiles ---------------------------------------------------------------------------------- */

static Value *scaled(Builder *b, Value *v, int64_t number)
{
    return number == 1 ? v : build_binary(b, OP_mul, v, build_int(b, v->type, number));
}

/* Give the product in that type. */
static Value *build_product(Builder *b, const Product *p, const Type *t)
{
    Value *out = NULL;

    for (int i = 0; i < p->count; i++) {
        Value *v = build_cast(b, (Value *)p->of[i], t->dtype, ROUND_NEAREST);
        out = out ? build_binary(b, OP_mul, out, v) : v;
    }
    return out ? scaled(b, out, p->number) : build_int(b, t, p->number);
}

static void add_to(Builder *b, Value **sum, Value *v)
{
    *sum = *sum ? build_binary(b, OP_add, *sum, v) : v;
}

static Value *build_sum(const Tile *x, Builder *b, const DigitSum *s)
{
    DType dtype = s->wide ? DT_I64 : DT_I32;
    const Type *scalar = type_scalar(x->module, dtype);
    const Type *tile = type_tile(x->module, dtype, 2, x->shape->dims);
    Value *factors[PLACES] = {NULL}, *rest = NULL, *sum = NULL;
    int first, end;

    for (int i = 0; i < s->count; i++) {
        const DigitTerm *t = &s->terms[i];
        Product scale;
        if (!t->has_digit)
            add_to(b, &rest, build_product(b, &t->scale, scalar));
        for (int k = 0; t->has_digit && digit_spans(&x->flat->places, &t->digit, &first, &end) &&
                        k < x->flat->places.count;
             k++) {
            if (k >= first && k < end && digit_scale(&x->flat->places, t, k, &scale))
                add_to(b, &factors[k], build_product(b, &scale, scalar));
        }
    }
    if (factors[PLACE_SEVERAL])
        add_to(b, &rest,
               build_binary(b, OP_mul, build_cast(b, x->several, dtype, ROUND_NEAREST),
                            factors[PLACE_SEVERAL]));
    Value *numbers[] = {x->column, x->row};
    for (int k = PLACE_ROW; k >= PLACE_COLUMN; k--) {
        int64_t number;
        if (!factors[k])
            continue;
        Value *v = build_cast(b, numbers[k], dtype, ROUND_NEAREST);
        if (!value_const_int(factors[k], &number) || number != 1)
            v = build_binary(b, OP_mul, v, build_splat(b, factors[k], tile));
        add_to(b, &sum, v);
    }
    if (rest && !s->base)
        add_to(b, &sum, build_splat(b, rest, tile));
    if (!sum)
        sum = build_int(b, tile, 0);
    if (!s->base)
        return sum;
    /* all fields of a record are so far from one scalar */
    Value *base = rest ? build_addptr(b, (Value *)s->base, rest) : (Value *)s->base;
    Type pointers = *base->type;
    pointers.rank = 2;
    memcpy(pointers.dims, x->shape->dims, 2 * sizeof *pointers.dims);
    return build_addptr(b, build_splat(b, base, type_of(x->module, pointers)), sum);
}

static bool is_placed(const Tile *x, const Value *v)
{
    const DigitSum *s = flat_sum(x->flat, v);

    return s && digit_is_placed(&x->flat->places, s);
}

/* What the stores need, from the last op on. */
static void find_needed(Tile *x)
{
    x->needed = NEW_N(x->flat->arena, bool, (size_t)x->flat->nvalues + 1);
    for (Op *op = x->flat->func->body->last; op; op = op->prev) {
        const Value *v = op->nresults > 0 ? op->results[0] : NULL;
        if (v ? !x->needed[v->id] || is_placed(x, v) : op->code != OP_store)
            continue;
        for (int i = 0; i < op->noperands; i++)
            x->needed[op->operands[i]->id] = true;
    }
}

/* i < n, of one number n: true of all whole rows, since only so many elements have such.  Gives n,
 * or NULL. */
static Value *limit_of(const Tile *x, const Op *op)
{
    bool compares = op->code == OP_lt && op->operands[0] == x->flat->flat;

    return compares && opt_made_by(op->operands[1], OP_splat) ? op->operands[1]->def->operands[0]
                                                              : NULL;
}

static void lower(Tile *x, Builder *b, const Op *op)
{
    const Value *v = op->nresults > 0 ? op->results[0] : NULL;

    b->span = op->span;
    b->site = op->site;
    b->mark = op->mark;
    if (v && is_placed(x, v)) {
        map_put(x->values, MAP_KEY(v), build_sum(x, b, flat_sum(x->flat, v)));
    } else if (v && limit_of(x, op)) {
        const Type *t = type_tile(x->module, DT_I1, 2, x->shape->dims);
        map_put(x->values, MAP_KEY(v), build_int(b, t, 1));
    } else if (v && op->code == OP_hint && attr_hint_kind(op) != HINT_LIKELY) {
        map_put(x->values, MAP_KEY(v), map_get(x->values, MAP_KEY(op->operands[0])));
    } else {
        Type t = v ? *v->type : *x->shape;
        t.rank = 2;
        memcpy(t.dims, x->shape->dims, 2 * sizeof *t.dims);
        const Type *tile = type_of(x->module, t);
        op_clone_as(b, op, &tile, x->values);
    }
}

static Value *smaller(Builder *b, Value *v, Value *most)
{
    return build_binary(b, OP_min, v, most);
}

static Value *tiles_in(Builder *b, Value *extent, int32_t size)
{
    Value *up = build_binary(b, OP_add, extent, build_int(b, extent->type, size - 1));

    return build_binary(b, OP_div, up, build_int(b, extent->type, size));
}

/* First of the tile's rows, or columns, along that extent: no later than a tile before its end. */
static Value *begin_of(Builder *b, Value *number, Value *extent, int32_t size)
{
    Value *last = build_binary(b, OP_sub, extent, build_int(b, extent->type, size));

    return smaller(b, scaled(b, number, size), last);
}

/* Numbers from `from` on, along that dimension of the tile. */
static Value *numbers_from(const Tile *x, Builder *b, Value *from, int dim)
{
    Value *v = build_arange(b, 0, x->shape->dims[dim]);

    v = build_binary(b, OP_add, v, build_splat(b, from, v->type));
    return build_broadcast(b, build_expand(b, v, 1 - dim), x->shape);
}

/* Scalars of i32 in front of the loop: how long a row is, how many rows there are in each number
 * of several and how many of these, all whole, or none. */
typedef struct {
    Value *columns, *rows, *several;
    Value *whole; /* i64: elements of all these */
} Extents;

static void also(Builder *b, Value **all, Value *condition)
{
    *all = build_binary(b, OP_and, *all, condition);
}

/* i1: does each row, and each column, have a tile, of what can be counted?  Then these factors'
 * products, which are no more than all, have not wrapped. */
static Value *fits(const Tile *x, Builder *b, Value *all, Value *row, Value *rows)
{
    const Product *cuts = x->flat->places.at;
    Value *most = build_int(b, all->type, MOST_ELEMENTS);
    Value *columns = build_int(b, row->type, x->flat->columns);
    Value *fits = build_binary(b, OP_ge, row, columns);

    Value *below = build_int(b, rows->type, x->flat->rows);
    also(b, &fits, build_binary(b, OP_ge, rows, below));
    also(b, &fits, build_binary(b, OP_le, all, most));
    also(b, &fits, build_binary(b, OP_le, row, most));
    also(b, &fits, build_binary(b, OP_le, rows, most));
    for (int i = 0; i < cuts[x->flat->places.count - 1].count; i++) {
        Value *factor = (Value *)cuts[x->flat->places.count - 1].of[i];
        also(b, &fits, build_binary(b, OP_gt, factor, build_int(b, factor->type, 0)));
    }
    return fits;
}

static Extents find_extents(Tile *x, Builder *b, const Op *end)
{
    const Type *i64 = type_scalar(x->module, DT_I64), *i32 = type_scalar(x->module, DT_I32);
    int64_t axis = attr_axis(x->flat->program);
    Value *programs = build_op(b, OP_num_programs, 0, NULL, 1, &axis, 1, &i32)->results[0];
    Value *all = scaled(b, build_cast(b, programs, DT_I64, ROUND_NEAREST), x->flat->block);
    for (const Op *op = x->flat->func->body->first; op != end; op = op->next) {
        if (op->nresults > 0 && x->needed[op->results[0]->id] && limit_of(x, op))
            all = smaller(b, all, build_cast(b, limit_of(x, op), DT_I64, ROUND_NEAREST));
    }
    Value *row = build_product(b, &x->flat->places.at[PLACE_ROW], i64), *rows,
          *several = build_int(b, i64, 1);
    Product in_several;

    if (x->flat->places.count > PLACE_SEVERAL &&
        product_quotient(&x->flat->places.at[PLACE_SEVERAL], &x->flat->places.at[PLACE_ROW],
                         &in_several)) {
        rows = build_product(b, &in_several, i64);
        several = build_binary(b, OP_div, all, build_binary(b, OP_mul, row, rows));
    } else {
        rows = build_binary(b, OP_div, all, row);
    }
    Value *fit = fits(x, b, all, row, rows), *none = build_int(b, i64, 0);
    several = build_select(b, fit, several, none);
    Value *whole = build_binary(b, OP_mul, build_binary(b, OP_mul, row, rows), several);
    Extents e;
    e.columns = build_cast(b, row, DT_I32, ROUND_NEAREST);
    e.rows = build_cast(b, rows, DT_I32, ROUND_NEAREST);
    e.several = build_cast(b, several, DT_I32, ROUND_NEAREST);
    e.whole = whole;
    return e;
}

static void lower_body(Tile *x, Builder *b, const Op *end)
{
    x->values = map_new(x->flat->arena);
    for (const Op *op = x->flat->func->body->first; op != end; op = op->next) {
        const Value *v = op->nresults > 0 ? op->results[0] : NULL;
        if (v ? v->type->rank > 0 && x->needed[v->id] : op->code == OP_store)
            lower(x, b, op);
    }
}

static void lower_tile(Tile *x, Builder *b, const Extents *e, Value *tile, const Op *end)
{
    bool down = x->flat->down;
    Value *across = tiles_in(b, e->columns, x->flat->columns),
          *below = tiles_in(b, e->rows, x->flat->rows);
    Value *each = build_binary(b, OP_mul, across, below);
    Value *in = build_binary(b, OP_rem, tile, each), *line = down ? below : across;
    Value *inner = build_binary(b, OP_rem, in, line), *outer = build_binary(b, OP_div, in, line);

    x->several = build_binary(b, OP_div, tile, each);
    Value *row = begin_of(b, down ? inner : outer, e->rows, x->flat->rows);
    x->row = numbers_from(x, b, row, x->flat->fields > 0);
    for (int field = 0; field < x->flat->fields; field++) {
        x->column = build_int(b, x->shape, field);
        lower_body(x, b, end);
    }
    if (x->flat->fields > 0)
        return;
    Value *column = begin_of(b, down ? outer : inner, e->columns, x->flat->columns);
    x->column = numbers_from(x, b, column, 1);
    lower_body(x, b, end);
}

static bool is_of_tiles(const Op *op)
{
    const Value *v = op->nresults > 0 ? op->results[0] : op_operand(op, 0);

    return v && v->type->rank > 0;
}

static void rewrite(Tile *x)
{
    Op *last = opt_last(x->flat->func->body);
    Builder b = builder_before(last);
    const Type *i32 = type_scalar(x->module, DT_I32), *i64 = type_scalar(x->module, DT_I64);
    Value *pid = x->flat->program->results[0];
    const Op *end = last->prev; /* behind it all is new */

    const int32_t tile_dims[] = {x->flat->rows, x->flat->columns};
    const int32_t field_dims[] = {1, x->flat->rows};
    x->shape = type_tile(x->module, DT_I32, 2, x->flat->fields > 0 ? field_dims : tile_dims);
    find_needed(x);
    Extents e = find_extents(x, &b, end->next);
    Value *across = tiles_in(&b, e.columns, x->flat->columns);
    Value *below = tiles_in(&b, e.rows, x->flat->rows);
    Value *tiles = build_binary(&b, OP_mul, across, below);
    tiles = build_binary(&b, OP_mul, tiles, e.several);
    int64_t axis = attr_axis(x->flat->program);
    Value *step = build_op(&b, OP_num_programs, 0, NULL, 1, &axis, 1, &i32)->results[0];
    Op *loop = build_op(&b, OP_for, FOR_BOUNDS, (Value *[]){pid, tiles, step}, 0, NULL, 0, NULL);
    attr_set(loop, ATTR_any_order, 1);
    Value *tile = block_add_arg(loop->regions[0], i32);
    Builder in = builder_into(&b, loop->regions[0]);
    lower_tile(x, &in, &e, tile, end->next);
    build_yield(&in, OP_yield, 0, NULL);
    Value *number = build_cast(&b, pid, DT_I64, ROUND_NEAREST);
    Value *later = build_binary(&b, OP_add, number, build_int(&b, i64, 1));
    Value *behind = build_binary(&b, OP_gt, scaled(&b, later, x->flat->block), e.whole);
    Op *branch = build_op(&b, OP_if, 1, &behind, 0, NULL, 0, NULL);
    const Op *stop = end->next;
    for (Op *op = x->flat->func->body->first, *next; op != stop; op = next) {
        next = op->next;
        if (is_of_tiles(op))
            op_append(branch->regions[0], op);
    }
    for (int r = 0; r < 2; r++) {
        in = builder_into(&b, branch->regions[r]);
        build_yield(&in, OP_yield, 0, NULL);
    }
}

void flat_rewrite(const Flat *f)
{
    Tile x = {.flat = f, .module = f->func->module};

    rewrite(&x);
}
