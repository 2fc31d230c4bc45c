/*
 * check.c - look at every address before it is used
 *
 * Takes and gives verified IR, without calls.  In front of each load, store and atomic whose
 * pointer comes from arrays of the launch it puts a `check`, and takes the lanes that would leave
 * those arrays out of the access, so that a wrong address is reported and touches nothing.
 *
 * An address is seen as an offset, in elements, from the pointer of the array that it comes from.
 * Offsets are made beside the pointers: addptr adds to one, and what moves elements moves it. Where
 * a pointer comes from somewhere else (a loop carries it, a select chooses) its offset is the
 * distance between the two addresses.  What an array has is described by the hidden parameters of
 * its view (ir.h): so gaps between the rows of a slice are outside of it.
 *
 * A tile of offsets that is a sum of indices and scalars has a least and a largest one
 * (check_range.c). Where these two are inside of the array, which is nearly always, no element is
 * asked: the check stands in an `if`, and the mask of the access is true for all lanes at once.
 *
 * Indices of tiles that a hint says where they should be get a `check`, too; the tile is none of
 * the launch's memory, so nothing is taken out.
 *
 * Pointers that may come from several arrays have to be inside of one of them.  Those of which
 * nothing is known, such as one that was loaded, are left alone, and so are bare pointers.
 */
#include <string.h>

#include "check_range.h"
#include "../ir/analysis.h"

enum { MOST_ORIGINS = 8 }; /* of one pointer; one that has more is not checked */

typedef struct {
    Func *func;
    Arena *arena;
    const int *views;          /* by parameter: dimensions of its view, or negative */
    const PointerBases *bases; /* of the values that there were at first */
    const AxisFacts *facts;    /* the same */
    int known;                 /* how many those are */
    Map *offsets;              /* Value* of a pointer to its offset */
    Value **parts;             /* by parameter, VIEW_PARTS each: made when they are needed */
    const Type *i64;
} Checker;

enum { VIEW_PARTS = VIEW_STRIDE + 2 * MAX_RANK };

/* Where a value has been made: code that uses it may follow. */
static Builder behind(const Value *v)
{
    Op *next = v->def ? v->def->next : v->block->first;
    Builder b = builder_before(next);

    if (v->def) {
        b.span = v->def->span;
        b.site = v->def->site;
        b.mark = v->def->mark;
    }
    return b;
}

static const Type *longs(const Checker *c, const Value *like)
{
    return type_with_dtype(c->func->module, like->type, DT_I64);
}

/* A scalar for each element of a tile like that, or itself. */
static Value *spread(Builder *b, Value *scalar, const Value *like)
{
    return like->type->rank == 0 ? scalar : build_splat(b, scalar, like->type);
}

static Value *address(Builder *b, Value *p)
{
    return build_cast(b, p, DT_I64, ROUND_NEAREST);
}

/* log2 of the size of what p points to. */
static int size_bits(const Value *p)
{
    return __builtin_ctz((unsigned)dtype_size(p->type->dtype));
}

/* How far the address is from the array's, in elements of the array. */
static Value *distance(Checker *c, Builder *b, Value *p, int param)
{
    Value *base = c->func->body->args[param];
    Value *origin = spread(b, address(b, base), p);
    Value *d = build_binary(b, OP_sub, address(b, p), origin);
    int bits = size_bits(base);

    return bits == 0 ? d : build_binary(b, OP_shr, d, build_int(b, d->type, bits));
}

/* The one parameter that p comes from; -1: none or several. */
static int only_origin(const Checker *c, const Value *p)
{
    uint64_t set = ir_bases_of(c->bases, p);

    return set == 0 || (set & (set - 1)) != 0 ? -1 : __builtin_ctzll(set);
}

static Value *offset_of(Checker *c, Value *p, int param);

/* The same op on offsets instead of pointers. */
static Value *move_offset(Checker *c, Builder *b, const Op *op, int param)
{
    Value *in = offset_of(c, op->operands[0], param);
    const Type *t = longs(c, op->results[0]);

    return build_op(b, op->code, 1, &in, op->nattrs, op->attrs, 1, &t)->results[0];
}

static Value *make_offset(Checker *c, Value *p, int param)
{
    const Op *op = p->def;
    Value *base = c->func->body->args[param];
    Builder b = behind(p);

    if (p == base)
        return build_int(&b, c->i64, 0);
    bool same_size = op && op->noperands > 0 && op->operands[0]->type->pointer &&
                     size_bits(p) == size_bits(base) &&
                     size_bits(op->operands[0]) == size_bits(base);
    if (same_size && op->code == OP_addptr) {
        Value *before = offset_of(c, op->operands[0], param);
        return build_binary(&b, OP_add, before,
                            build_cast(&b, op->operands[1], DT_I64, ROUND_NEAREST));
    }
    if (same_size && op->code == OP_hint)
        return offset_of(c, op->operands[0], param);
    if (same_size && op_has(op, MOVES) && op->noperands == 1 && op->nresults == 1)
        return move_offset(c, &b, op, param);
    return distance(c, &b, p, param);
}

/* Of a pointer that comes from this parameter alone. */
static Value *offset_of(Checker *c, Value *p, int param)
{
    Value *v = map_get(c->offsets, MAP_KEY(p));

    if (!v) {
        v = make_offset(c, p, param);
        map_put(c->offsets, MAP_KEY(p), v);
    }
    return v;
}

/* --- inside of an array --- */

static Value *view_part(Checker *c, int param, int part)
{
    Value **v = &c->parts[param * VIEW_PARTS + part];

    if (!*v) {
        const char *name = arena_printf(c->arena, "%s.view%d", c->func->params[param].name, part);
        *v = func_add_hidden(c->func, name, c->i64, PARAM_VIEW, param, part);
    }
    return *v;
}

static Value *both(Builder *b, Value *x, Value *y)
{
    return x ? build_binary(b, OP_and, x, y) : y;
}

/* Into floor(x / stride), which is exact: both are integers of less than 53 bits.  Much faster than
 * a division of integers. */
static Value *quotient(Builder *b, Value *x, Value *stride)
{
    Value *divisor = build_cast(b, stride, DT_FP64, ROUND_NEAREST);
    Value *q = build_binary(b, OP_div, build_cast(b, x, DT_FP64, ROUND_NEAREST), divisor);

    return build_cast(b, build_unary(b, OP_floor, q), DT_I64, ROUND_NEAREST);
}

static Value *low_of(Checker *c, Builder *b, int param, const Value *like)
{
    return spread(b, view_part(c, param, VIEW_LOW), like);
}

/* i1: is the offset one of an element of a view that is one run of elements? */
static Value *inside_run(Checker *c, Builder *b, Value *offset, int param)
{
    Value *end =
        build_binary(b, OP_add, view_part(c, param, VIEW_LOW), view_part(c, param, VIEW_TAIL));
    Value *below = build_binary(b, OP_lt, offset, spread(b, end, offset));

    return both(b, build_binary(b, OP_ge, offset, low_of(c, b, param, offset)), below);
}

/* The same of any view. */
static Value *inside_view(Checker *c, Builder *b, Value *offset, int param)
{
    if (c->views[param] == 0)
        return inside_run(c, b, offset, param);
    Value *rest = build_binary(b, OP_sub, offset, low_of(c, b, param, offset));
    Value *ok = build_binary(b, OP_ge, rest, build_int(b, rest->type, 0));
    for (int d = 0; d < c->views[param]; d++) {
        Value *stride = spread(b, view_part(c, param, VIEW_STRIDE + 2 * d), offset);
        Value *count = spread(b, view_part(c, param, VIEW_COUNT + 2 * d), offset);
        Value *q = quotient(b, rest, stride);
        ok = both(b, ok, build_binary(b, OP_lt, q, count));
        rest = build_binary(b, OP_sub, rest, build_binary(b, OP_mul, q, stride));
    }
    return both(b, ok,
                build_binary(b, OP_lt, rest, spread(b, view_part(c, param, VIEW_TAIL), offset)));
}

/* What is left to explain of the offsets of a range, from dimension to dimension of a view. */
typedef struct {
    Value *lo, *hi;
    RangeTerm terms[RANGE_TERMS];
    int nterms;
} Remainder;

static void add_product(Builder *b, const RangeTerm *t, Value *scale, Value **lo, Value **hi)
{
    Value *x = build_binary(b, OP_mul, t->lo, scale), *y = build_binary(b, OP_mul, t->hi, scale);

    *lo = build_binary(b, OP_add, *lo, build_binary(b, OP_min, x, y));
    *hi = build_binary(b, OP_add, *hi, build_binary(b, OP_max, x, y));
}

/* Take out of the remainder what are multiples of this dimension's stride: i1, whether there are no
 * more of these than the dimension has.  Any way to split an offset that holds proves it inside. */
static Value *take_dimension(Builder *b, Remainder *r, Value *stride, Value *count)
{
    Value *none = build_int(b, stride->type, 0);
    Value *first = build_binary(b, OP_div, r->lo, stride), *last = first;
    Value *start = build_binary(b, OP_mul, first, stride);

    r->lo = build_binary(b, OP_sub, r->lo, start);
    r->hi = build_binary(b, OP_sub, r->hi, start);
    for (int i = 0; i < r->nterms; i++) {
        RangeTerm *t = &r->terms[i];
        Value *left = build_binary(b, OP_rem, t->scale, stride);
        Value *fits = build_binary(b, OP_eq, left, none);
        Value *steps = build_select(b, fits, build_binary(b, OP_div, t->scale, stride), none);
        add_product(b, t, steps, &first, &last);
        t->scale = build_select(b, fits, none, t->scale);
    }
    Value *below = build_binary(b, OP_lt, last, count);
    return both(b, build_binary(b, OP_ge, first, none), below);
}

/* Scalar i1: are all offsets of a range inside of the view? */
static Value *range_inside(Checker *c, Builder *b, const OffsetRange *range, int more, int param)
{
    bool whole = c->views[param] == 0; /* one run: no need to look closer */
    Value *low = view_part(c, param, VIEW_LOW), *ok = range->sound;
    Remainder r = {.lo = whole ? range->lo : range->rest_lo,
                   .hi = whole ? range->hi : range->rest_hi,
                   .nterms = whole ? 0 : range->nterms};

    memcpy(r.terms, range->terms, sizeof r.terms);
    r.lo = build_binary(b, OP_sub, r.lo, low);
    r.hi = build_binary(b, OP_sub, r.hi, low);
    if (more > 0)
        r.hi = build_binary(b, OP_add, r.hi, build_int(b, c->i64, more));
    for (int d = 0; d < c->views[param]; d++)
        ok = both(b, ok,
                  take_dimension(b, &r, view_part(c, param, VIEW_STRIDE + 2 * d),
                                 view_part(c, param, VIEW_COUNT + 2 * d)));
    for (int i = 0; i < r.nterms; i++)
        add_product(b, &r.terms[i], r.terms[i].scale, &r.lo, &r.hi);
    ok = both(b, ok, build_binary(b, OP_ge, r.lo, build_int(b, c->i64, 0)));
    return both(b, ok, build_binary(b, OP_lt, r.hi, view_part(c, param, VIEW_TAIL)));
}

/* How many elements of the array an access touches behind its first, when it is by a larger type.
 */
static int more_elements(const Checker *c, const Value *p, int param)
{
    return MAX((1 << size_bits(p)) / (1 << size_bits(c->func->body->args[param])) - 1, 0);
}

/* The same for all bytes that an access at this pointer touches. */
static Value *inside_array(Checker *c, Builder *b, Value *offset, const Value *p, int param)
{
    int more = more_elements(c, p, param);
    Value *ok = inside_view(c, b, offset, param);

    if (more <= 0)
        return ok;
    Value *last = build_binary(b, OP_add, offset, build_int(b, offset->type, more));
    return both(b, ok, inside_view(c, b, last, param));
}

/* What a report says of the pointer: its offset in the array that it comes from, or in the first.
 */
static Value *reported_offset(Checker *c, Builder *b, Value *p)
{
    int only = only_origin(c, p);

    return only >= 0 ? offset_of(c, p, only)
                     : distance(c, b, p, __builtin_ctzll(ir_bases_of(c->bases, p)));
}

/* i1: is the address in one of the arrays that it may come from? */
static Value *inside(Checker *c, Builder *b, Value *p)
{
    int only = only_origin(c, p);
    Value *ok = NULL;

    if (only >= 0)
        return inside_array(c, b, offset_of(c, p, only), p, only);
    for (uint64_t set = ir_bases_of(c->bases, p); set; set &= set - 1) {
        int param = __builtin_ctzll(set);
        Value *in = inside_array(c, b, distance(c, b, p, param), p, param);
        ok = ok ? build_binary(b, OP_or, ok, in) : in;
    }
    return ok;
}

/* --- accesses --- */

/* Does every array that the pointer may come from have a view? */
static bool can_check(const Checker *c, const Value *p)
{
    uint64_t set = ir_bases_of(c->bases, p);

    if (set == 0 || set >> 63 || __builtin_popcountll(set) > MOST_ORIGINS)
        return false;
    for (; set; set &= set - 1) {
        int param = __builtin_ctzll(set);
        if (param >= c->func->nparams || c->func->params[param].kind != PARAM_USER ||
            c->views[param] < 0)
            return false;
    }
    return true;
}

/* "load of x", "store to x or y" */
static int64_t describe(const Checker *c, const Op *op)
{
    Text t = text_new(c->arena);
    uint64_t set = ir_bases_of(c->bases, op->operands[0]);

    text_put(&t, !op_has(op, WRITES)  ? "load of "
                 : !op_has(op, READS) ? "store to "
                                      : "atomic on ");
    for (const char * or = ""; set; set &= set - 1, or = " or ")
        text_printf(&t, "%s%s", or, c->func->params[__builtin_ctzll(set)].name);
    return attr_of_text(c->func->module, t.s, t.len);
}

/* The same access where `mask` allows it. */
static void mask_access(Builder *b, Op *op, Value *mask)
{
    int at = ir_access(op).mask, n = MAX(op->noperands, at + 1);
    Value *operands[4];
    const Type *types[1];

    memcpy(operands, op->operands, sizeof operands[0] * (size_t)op->noperands);
    operands[at] = mask;
    for (int i = 0; i < op->nresults; i++)
        types[i] = op->results[i]->type;
    Op *masked = build_op(b, op->code, n, operands, op->nattrs, op->attrs, op->nresults, types);
    for (int i = 0; i < op->nresults; i++) {
        masked->results[i]->name = op->results[i]->name;
        op->results[i]->repl = masked->results[i];
    }
    op_remove(op);
}

static Value *all_of(Builder *b, Value *v)
{
    if (v->type->rank == 0)
        return v;
    Value *bad = build_cast(b, v, DT_I32, ROUND_NEAREST);
    return build_cast(b, build_reduce_all(b, OP_min, bad), DT_I1, ROUND_NEAREST);
}

/* A compare-and-swap has no mask: it happens if all of its lanes may. */
static void guard_access(Builder *b, Op *op, Value *ok)
{
    Value *go = all_of(b, ok);
    const Type *t = op->results[0]->type;
    Op *branch = build_op(b, OP_if, 1, &go, 0, NULL, 1, &t);
    Builder then = builder_into(b, branch->regions[0]);
    Builder otherwise = builder_into(b, branch->regions[1]);
    Value *nothing = build_const(&otherwise, t, 0);

    op->results[0]->repl = branch->results[0];
    Op *inner =
        build_op(&then, op->code, op->noperands, op->operands, op->nattrs, op->attrs, 1, &t);
    build_yield(&then, OP_yield, 1, inner->results);
    build_yield(&otherwise, OP_yield, 1, &nothing);
    op_remove(op);
}

/* Scalar i1: is all of the tile inside that its mask lets through?  NULL: it cannot be told without
 * looking at each element. */
static Value *all_inside(Checker *c, Builder *b, const Value *p, const Value *offset,
                         const Value *mask)
{
    int param = only_origin(c, p);
    OffsetRange range;

    if (param < 0 || !check_range(b, c->facts, c->known, offset, mask, &range))
        return NULL;
    return range_inside(c, b, &range, more_elements(c, p, param), param);
}

/* At b, or in an `if` there that runs when not all is well.  Nothing that is only needed in the
 * `if` is computed in front of it. */
static void put_check(Checker *c, Builder *b, const Op *op, Value *all, Value *offset)
{
    int64_t attrs[] = {describe(c, op), 0};
    Value *p = op->operands[0], *mask = op_operand(op, ir_access(op).mask);
    Builder at = *b;

    if (all) {
        Op *branch = build_op(b, OP_if, 1, &all, 0, NULL, 0, NULL);
        Builder then = builder_at_end(b->func, branch->regions[0]);
        at = builder_at_end(b->func, branch->regions[1]);
        at.span = then.span = b->span;
        at.site = then.site = b->site;
        at.mark = then.mark = b->mark;
        build_yield(&then, OP_yield, 0, NULL);
    }
    if (!mask)
        mask = build_int(&at, type_with_dtype(at.module, p->type, DT_I1), 1);
    build_op(&at, OP_check, 3, (Value *[]){inside(c, &at, p), mask, offset}, COUNT(attrs), attrs, 0,
             NULL);
    if (all)
        build_yield(&at, OP_yield, 0, NULL);
}

static void check_access(Checker *c, Op *op)
{
    Builder b = builder_before(op);
    Value *p = op->operands[0], *mask = op_operand(op, ir_access(op).mask);
    Value *offset = reported_offset(c, &b, p);
    Value *all = all_inside(c, &b, p, offset, mask);

    put_check(c, &b, op, all, offset);
    Value *ok = inside(c, &b, p);
    if (all)
        ok = build_binary(&b, OP_or, build_splat(&b, all, ok->type), ok);
    if (op->code == OP_atomic_cas)
        guard_access(&b, op, ok);
    else
        mask_access(&b, op, mask ? both(&b, mask, ok) : ok);
}

/* --- indices of tiles --- */

static bool is_index(const Op *op)
{
    return op->code == OP_hint && attr_hint_kind(op) == HINT_WITHIN;
}

/* Where such a run of elements begins: {} is the index. */
static int64_t describe_index(const Checker *c, int64_t dimension, int64_t extent)
{
    const char *text =
        extent == 1 ? arena_printf(c->arena, "index {} is outside of a dimension of %lld",
                                   (long long)dimension)
                    : arena_printf(c->arena,
                                   "a slice of %lld elements from {} on leaves a dimension of %lld",
                                   (long long)extent, (long long)dimension);

    return attr_of_text(c->func->module, text, strlen(text));
}

static void check_index(Checker *c, Op *op)
{
    Builder b = builder_before(op);
    int n;
    const int64_t *values = attr_values(op, &n);
    int64_t attrs[] = {describe_index(c, values[0], values[1]), 0};
    Value *index = op->operands[0];
    Value *at = build_cast(&b, index, DT_I64, ROUND_NEAREST);
    Value *last = build_int(&b, at->type, values[0] - values[1]);
    Value *below = build_binary(&b, OP_le, at, last);
    Value *ok = both(&b, build_binary(&b, OP_ge, at, build_int(&b, at->type, 0)), below);

    build_op(&b, OP_check, 3, (Value *[]){ok, build_int(&b, ok->type, 1), at}, COUNT(attrs), attrs,
             0, NULL);
}

/* In the order of the program, so that the offsets that one is made from are there. */
static void note_offset(Op *op, void *checker)
{
    Checker *c = checker;

    for (int i = 0; i < op->nresults; i++) {
        Value *p = op->results[i];
        if (!p->type->pointer || p->id >= c->known || !can_check(c, p))
            continue;
        if (only_origin(c, p) >= 0)
            offset_of(c, p, only_origin(c, p));
    }
}

typedef VEC(Op *) Ops;
typedef struct {
    Checker *checker;
    Ops found;
} Search;

static void note_access(Op *op, void *ctx)
{
    Search *s = ctx;

    if (is_index(op) || (ir_access(op).effect && can_check(s->checker, op->operands[0])))
        vec_push(s->checker->arena, &s->found, op);
}

void check_accesses(Func *f, const int *views)
{
    Arena *a = f->module->arena;
    Checker c = {.func = f,
                 .arena = a,
                 .views = views,
                 .bases = ir_pointer_bases(f, a),
                 .facts = axis_analyse(f, a),
                 .known = f->nvalues,
                 .offsets = map_new(a),
                 .parts = NEW_N(a, Value *, f->nparams * VIEW_PARTS + 1),
                 .i64 = type_scalar(f->module, DT_I64)};
    Search s = {.checker = &c};

    ir_walk(f->body, note_access, &s);
    if (s.found.len > 0)
        ir_walk(f->body, note_offset, &c);
    for (int i = 0; i < s.found.len; i++) {
        if (is_index(s.found.at[i]))
            check_index(&c, s.found.at[i]);
        else
            check_access(&c, s.found.at[i]);
    }
    opt_resolve_all(f->body);
}
