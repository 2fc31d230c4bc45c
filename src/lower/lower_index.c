/*
 * lower_index.c - subscripts of tiles: x[i, 2:5, None] as a value and as a target (semantics R21,
 * R152, R153)
 *
 * Every entry becomes an Index, and src/tl/elements.c makes ops of these.  Constants count as
 * Python counts them, from the end where they are negative, and are refused where the tile has no
 * such element.  What is known at run time only counts from 0.  A slice has as many elements as the
 * compiler can tell: where its bounds are known at run time only, their difference must be a
 * constant, which is looked for by taking both apart into sums.
 *
 * A tile never changes: `x[i] = y` binds the name to another one.
 */
#include "lower.h"

/* --- sums: how far one bound of a slice is from the other --- */

enum { MOST_TERMS = 8, MOST_STEPS = 12 };

typedef struct {
    const Value *value;
    __int128 factor;
} Term;
/* The terms with their factors, and a constant. */
typedef struct {
    Term at[MOST_TERMS];
    int n;
    __int128 constant;
    bool beyond; /* there were more */
} Sum;

/* Do both compute the same, of the same values? */
static bool computes_same(const Value *a, const Value *b, int steps)
{
    const Op *x = a->def, *y = b->def;

    if (a == b)
        return true;
    if (!x || !y || x->code != y->code || a->type != b->type || !op_has(x, PURE) ||
        x->noperands != y->noperands || x->nattrs != y->nattrs || x->regions[0] || steps == 0)
        return false;
    for (int i = 0; i < x->nattrs; i++) {
        if (x->attrs[i] != y->attrs[i])
            return false;
    }
    for (int i = 0; i < x->noperands; i++) {
        if (!computes_same(x->operands[i], y->operands[i], steps - 1))
            return false;
    }
    return x->nresults == 1;
}

static void add_term(Sum *s, const Value *v, __int128 factor)
{
    int i = 0;

    while (i < s->n && !computes_same(s->at[i].value, v, MOST_STEPS))
        i++;
    if (i == MOST_TERMS) {
        s->beyond = true;
        return;
    }
    if (i == s->n)
        s->at[s->n++] = (Term){v, 0};
    s->at[i].factor += factor;
}

static bool is_integer(const Value *v)
{
    return v->type->rank == 0 && !v->type->pointer && dtype_is_int(v->type->dtype);
}

/* Add `factor` times v. */
static void add_sum(Sum *s, const Value *v, __int128 factor, int steps)
{
    const Op *op = v->def;
    int64_t c;

    if (value_const_int(v, &c)) {
        s->constant += factor * c;
        return;
    }
    if (!op || steps == 0 || op->noperands == 0 || !is_integer(op->operands[0])) {
        add_term(s, v, factor);
        return;
    }
    const Value *x = op->operands[0], *y = op->noperands > 1 ? op->operands[1] : NULL;
    bool scaled = op->code == OP_mul && factor == (int32_t)factor;
    if (op->code == OP_add || op->code == OP_sub) {
        add_sum(s, x, factor, steps - 1);
        add_sum(s, y, op->code == OP_add ? factor : -factor, steps - 1);
    } else if (scaled && value_const_int(y, &c) && c == (int32_t)c) {
        add_sum(s, x, factor * c, steps - 1);
    } else if (scaled && value_const_int(x, &c) && c == (int32_t)c) {
        add_sum(s, y, factor * c, steps - 1);
    } else if (op->code == OP_cast || op->code == OP_hint) {
        add_sum(s, x, factor, steps - 1);
    } else {
        add_term(s, v, factor);
    }
}

/* b - a, or b alone where a is NULL, if that is a constant. */
static bool constant_difference(const Value *a, const Value *b, __int128 *out)
{
    Sum s = {0};

    add_sum(&s, b, 1, MOST_STEPS);
    if (a)
        add_sum(&s, a, -1, MOST_STEPS);
    for (int i = 0; i < s.n; i++) {
        if (s.at[i].factor != 0)
            return false;
    }
    *out = s.constant;
    return !s.beyond;
}

/* --- entries --- */

/* One index, or one bound of a slice. */
typedef struct {
    bool known;
    __int128 number;
    Value *run; /* a scalar, or a tile of indices */
} Bound;

static bool is_absent(const Node *n)
{
    return !n || n->kind == N_NONE;
}

static bool is_full_slice(const Node *n)
{
    return n->kind == N_SLICE && is_absent(n->left) && is_absent(n->right) && is_absent(n->extra);
}

static bool refuse_index(Lower *l, Val v, Span span)
{
    bool run = v.kind == VAL_RUN && !val_is_handle(v);

    if (v.kind == VAL_UNKNOWN)
        return false;
    if (run && !v.run->type->pointer && v.run->type->dtype == DT_I1) {
        error_at(l, span, E_TILE_INDEX);
        hint_at(l, H_TILE_MASK);
        return false;
    }
    error_at(l, span, E_INDEX_DTYPE, val_text(l, v));
    if (run && !v.run->type->pointer)
        hint_at(l, H_INDEX_DTYPE);
    return false;
}

/* False after an error. */
static bool read_bound(Lower *l, Val v, Span span, Bound *out)
{
    *out = (Bound){.known = true};
    if (v.kind == VAL_CONST && const_is_integral(v.c)) {
        out->number = v.c->integer;
        return true;
    }
    if (v.kind != VAL_RUN || val_is_handle(v) || v.run->type->pointer ||
        !dtype_is_int(v.run->type->dtype) || v.run->type->dtype == DT_I1)
        return refuse_index(l, v, span);
    if (v.run->type->rank > 0 || !constant_difference(NULL, v.run, &out->number))
        *out = (Bound){.run = v.run};
    return true;
}

/* i32: what it does not hold is outside of every tile, and stays so. */
static Value *to_i32(Lower *l, Value *v)
{
    DType t = v->type->dtype;

    if (dtype_bits(t) == 64) {
        Value *most = build_int(&l->b, v->type, INT32_MAX);
        v = build_binary(&l->b, OP_min, v, most);
        if (dtype_is_signed(t))
            v = build_binary(&l->b, OP_max, v, build_int(&l->b, v->type, INT32_MIN));
    } else if (t == DT_U32) {
        v = build_binary(&l->b, OP_min, v, build_int(&l->b, v->type, INT32_MAX));
    }
    return build_cast(&l->b, v, DT_I32, ROUND_NEAREST);
}

/* The index of the first of so many elements: `extent` of a dimension. */
static Value *meant_within(Lower *l, Value *index, int32_t dimension, int32_t extent)
{
    const int64_t attrs[] = {HINT_WITHIN, dimension, extent};

    return build_op(&l->b, OP_hint, 1, &index, COUNT(attrs), attrs, 0, NULL)->results[0];
}

static bool refuse_pointers(Lower *l, const Value *x, Span span)
{
    if (!x->type->pointer)
        return false;
    error_at(l, span, E_INDEX_POINTERS);
    hint_at(l, H_INDEX_POINTERS);
    return true;
}

/* One element, or those that a tile of indices says. */
static bool read_element(Lower *l, const Value *x, Val v, Span span, Index *i)
{
    int32_t extent = x->type->dims[i->axis];
    Bound b;

    if (!read_bound(l, v, span, &b) || (b.run && refuse_pointers(l, x, span)))
        return false;
    i->extent = 1;
    i->kind = b.run && b.run->type->rank > 0 ? INDEX_TILE : INDEX_ONE;
    if (b.run) {
        l->b.span = span;
        i->at = meant_within(l, i->kind == INDEX_TILE ? b.run : to_i32(l, b.run), extent, 1);
        return true;
    }
    if (b.number < -(__int128)extent || b.number >= extent) {
        error_at(l, span, E_INDEX_RANGE, (long long)b.number, extent);
        hint_at(l, H_INDEX_RANGE, extent, extent - 1);
        return false;
    }
    i->start = (int64_t)(b.number < 0 ? b.number + extent : b.number);
    return true;
}

static __int128 clamp_bound(__int128 i, int n)
{
    i = i < 0 ? i + n : i;
    return i < 0 ? 0 : i > n ? n : i;
}

/* A slice whose bounds are known: as Python has them. */
static bool known_slice(Lower *l, __int128 from, __int128 to, int32_t extent, Span span, Index *i)
{
    from = clamp_bound(from, extent);
    to = clamp_bound(to, extent);
    if (from >= to) {
        error_at(l, span, E_SLICE_EMPTY, extent);
        return false;
    }
    i->start = (int64_t)from;
    i->extent = (int32_t)(to - from);
    return true;
}

static bool run_slice(Lower *l, const Bound *from, const Bound *to, int32_t extent, const Node *n,
                      Index *i)
{
    Span span = n->span;
    bool scalars = from->run && to->run && from->run->type->rank == 0 && to->run->type->rank == 0;
    __int128 many;

    if (!scalars || !constant_difference(from->run, to->run, &many)) {
        error_at(l, span, E_SLICE_EXTENT);
        if (from->known != to->known)
            l->language->hint_not_constexpr(l, from->known ? n->right : n->left);
        hint_at(l, H_SLICE_EXTENT);
        return false;
    }
    if (many > extent)
        error_at(l, span, E_SLICE_LONG, (long long)many, extent);
    else if (many < 1)
        error_at(l, span, E_SLICE_EMPTY, extent);
    if (many < 1 || many > extent)
        return false;
    l->b.span = span;
    i->extent = (int32_t)many;
    i->at = meant_within(l, to_i32(l, from->run), extent, i->extent);
    return true;
}

/* A bound of a slice, which may be left out; false after an error. */
static bool slice_bound(Lower *l, const Node *n, __int128 absent, Bound *out)
{
    Val v = n ? lower_expr(l, n) : val_none(l);

    *out = (Bound){.known = true, .number = absent};
    return val_is_none(v) || read_bound(l, v, n->span, out);
}

static bool read_slice(Lower *l, const Value *x, const Node *n, Index *i)
{
    int32_t extent = x->type->dims[i->axis];
    Bound from, to, step;

    i->kind = INDEX_SLICE;
    if (!slice_bound(l, n->left, 0, &from) || !slice_bound(l, n->right, extent, &to) ||
        !slice_bound(l, n->extra, 1, &step))
        return false;
    if (!step.known || step.number != 1) {
        error_at(l, n->span, E_SLICE_STEP);
        hint_at(l, "%s",
                step.known && step.number == -1  ? H_SLICE_FLIP
                : step.known && step.number == 2 ? H_SLICE_HALVES
                                                 : H_SLICE_LOAD);
        return false;
    }
    if (from.known && to.known)
        return known_slice(l, from.number, to.number, extent, n->span, i);
    return !refuse_pointers(l, x, n->span) && run_slice(l, &from, &to, extent, n, i);
}

static bool refuse_entry(Lower *l, const Value *x, const Node *n)
{
    if (x->type->rank > 0) {
        error_at(l, n->span, E_INDEX_MANY, val_type_text(l, x->type));
        return false;
    }
    error_at(l, n->span, E_TILE_INDEX);
    hint_at(l, x->type->pointer ? H_POINTER_INDEX : H_SCALAR_INDEX);
    return false;
}

/* One entry at dimension *axis, behind which that stands.  A `:` too many is let pass, as the
 * reference does. */
static bool read_entry(Lower *l, const Value *x, const Node *n, int *axis, Index *i)
{
    Val v = val_none(l);

    *i = (Index){.axis = *axis, .extent = 1};
    if (n->kind != N_SLICE && n->kind != N_NONE)
        v = lower_expr(l, n);
    if (v.kind == VAL_UNKNOWN)
        return false;
    if (n->kind != N_SLICE && val_is_none(v))
        return true; /* INDEX_NEW */
    ++*axis;
    if (is_full_slice(n)) {
        i->kind = INDEX_ALL;
        return true;
    }
    if (i->axis >= x->type->rank)
        return refuse_entry(l, x, n);
    return n->kind == N_SLICE ? read_slice(l, x, n, i) : read_element(l, x, v, n->span, i);
}

/* So many dimensions stand behind `...`: the entries behind it, without None. */
static int entries_behind(const Node *const *entries, int n)
{
    int count = 0;

    for (int k = 0; k < n; k++)
        count += entries[k]->kind != N_NONE;
    return count;
}

/* `...`: all dimensions that no entry is about. */
static int skip_dimensions(const Value *x, const Node *const *behind, int n, int axis, Indices *out)
{
    int end = x->type->rank - entries_behind(behind, n);

    for (; axis < end && out->n < COUNT(out->at); axis++)
        out->at[out->n++] = (Index){.kind = INDEX_ALL, .axis = axis};
    return axis;
}

/* False after an error. */
static bool read_entries(Lower *l, const Value *x, const Node *brackets, Indices *out)
{
    bool several = brackets->kind == N_TUPLE;
    const Node *const *entries =
        several ? (const Node *const *)brackets->items : (const Node *const *)&brackets;
    int n = several ? brackets->nitems : 1, axis = 0, tiles = 0;

    out->n = 0;
    for (int k = 0; k < n; k++) {
        if (out->n == COUNT(out->at)) {
            error_at(l, brackets->span, E_RANK, MAX_RANK);
            return false;
        }
        if (entries[k]->kind == N_ELLIPSIS) {
            axis = skip_dimensions(x, entries + k + 1, n - k - 1, axis, out);
            continue;
        }
        Index *i = &out->at[out->n++];
        if (!read_entry(l, x, entries[k], &axis, i))
            return false;
        tiles += i->kind == INDEX_TILE;
    }
    if (skip_dimensions(x, NULL, 0, axis, out) < x->type->rank) {
        error_at(l, brackets->span, E_RANK, MAX_RANK);
        return false;
    }
    if (tiles < 2)
        return true;
    error_at(l, brackets->span, E_INDEX_SEVERAL);
    hint_at(l, H_INDEX_SEVERAL);
    return false;
}

Val index_tile(Lower *l, Value *v, const Node *brackets, Span span)
{
    Indices at;

    if (!read_entries(l, v, brackets, &at))
        return val_unknown();
    l->b.span = span;
    return val_run(l->language->elements_of(l, v, &at, span));
}

/* --- targets --- */

static void refuse_target(Lower *l, const Node *target, Val x)
{
    bool run = x.kind == VAL_RUN && !val_is_handle(x);

    if (x.kind == VAL_UNKNOWN)
        return;
    if (run && x.run->type->pointer) {
        error_at(l, target->span, E_SETITEM_POINTER);
        hint_at(l, H_SETITEM_POINTER);
        return;
    }
    error_at(l, target->span, E_SETITEM, val_text(l, x));
    if (x.kind == VAL_TUPLE)
        hint_at(l, H_PUT_TUPLE);
}

/* The tile that a name in front of brackets means; NULL after an error. */
static Value *target_tile(Lower *l, const Node *target)
{
    const Node *left = target->left;
    Val x;

    if (left->kind != N_NAME) {
        error_at(l, target->span, E_PUT_LEFT);
        hint_at(l, left->kind == N_SUBSCRIPT ? H_PUT_NESTED : H_PUT_LEFT);
        return NULL;
    }
    x = lower_expr(l, left);
    if (x.kind == VAL_RUN && !val_is_handle(x) && !x.run->type->pointer && x.run->type->rank > 0)
        return x.run;
    refuse_target(l, target, x);
    return NULL;
}

static bool read_target(Lower *l, const Value *x, const Node *target, Indices *at)
{
    if (!read_entries(l, x, target->right, at))
        return false;
    for (int k = 0; k < at->n; k++) {
        if (at->at[k].kind != INDEX_TILE)
            continue;
        error_at(l, target->span, E_PUT_TILE);
        hint_at(l, H_PUT_TILE);
        return false;
    }
    return true;
}

static bool is_real(Val v)
{
    return v.kind == VAL_CONST ? v.c->kind == CONST_FLOAT
                               : v.kind == VAL_RUN && !val_is_handle(v) && !v.run->type->pointer &&
                                     dtype_is_float(v.run->type->dtype);
}

/* The value as elements of x, of which there are so many; NULL after an error. */
static Value *fit_value(Lower *l, const Value *x, const Type *slot, Val v, Span span)
{
    DType t = x->type->dtype;
    Value *y;

    if (is_real(v) && dtype_is_int(t)) {
        error_at(l, span, E_PUT_KIND, val_text(l, v), dtype_triton_name(t));
        hint_at(l, H_PUT_KIND, dtype_long_name(t));
        return NULL;
    }
    if (val_is_number(v))
        y = l->language->literal_cast(l, v.c, t, span);
    else
        y = (y = l->language->val_to_run(l, v, span))
                ? l->language->ops_cast(l, y, t, ROUND_NEAREST, span)
                : NULL;
    bool fits = y && y->type->rank <= slot->rank;
    for (int d = 1; fits && d <= y->type->rank; d++) {
        int32_t n = y->type->dims[y->type->rank - d];
        fits = n == 1 || n == slot->dims[slot->rank - d];
    }
    if (y && !fits)
        error_at(l, span, E_PUT_SHAPE, val_type_text(l, y->type),
                 val_type_text(l, type_with_shape(l->module, x->type, slot)));
    return fits ? l->language->ops_to_shape(l, y, slot) : NULL;
}

/* Bind the name of the target to x with these elements. */
static void put_elements(Lower *l, const Node *target, Value *x, const Indices *at, Val v,
                         Span span)
{
    Type slot = {0};
    Value *y = NULL;

    l->b.span = span;
    if (v.kind != VAL_UNKNOWN && l->language->elements_shape(l, x, at, true, &slot, target->span))
        y = fit_value(l, x, &slot, v, span);
    lower_assign(l, target->left,
                 y ? val_run(l->language->elements_put(l, x, at, y)) : val_unknown(), span);
}

void index_assign(Lower *l, const Node *target, Val v, Span span)
{
    Value *x = target_tile(l, target);
    Indices at;

    if (x && read_target(l, x, target, &at))
        put_elements(l, target, x, &at, v, span);
}

void index_augment(Lower *l, const Node *n)
{
    Value *x = target_tile(l, n->left), *part;
    Indices at;

    if (!x || !read_target(l, x, n->left, &at))
        return;
    l->b.span = n->left->span;
    if (!(part = l->language->elements_of(l, x, &at, n->left->span)))
        return;
    Val y = lower_expr(l, n->right);
    l->b.span = n->span;
    put_elements(l, n->left, x, &at,
                 l->language->ops_binary(l, (BinaryOp)n->op, val_run(part), y, n->span), n->span);
}
