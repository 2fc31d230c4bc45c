/*
 * access.c - how the value of a tile follows one index of the space that it is read in
 *
 * A nest of loops reads tiles at its own indices: a *map* says for each dimension of a tile which
 * index of the space it is read at, -1 for always 0.  Addresses and what masks compare are sums of
 * products of such indices, so along one of them, the inner one, such a value is a first value and
 * a step: base + stride * scale * index, or as one number if scale is none.  That makes accesses
 * contiguous, masks bounds, and accesses of other elements of the same records neighbours.
 *
 * Where the arithmetic is not linear, the axis analysis may still know that the values of one
 * vector are consecutive or equal ((start + i) % n with everything divisible by 16): the value is
 * then *chunked*, it steps from the first lane of each vector on.
 *
 * Quotients of such runs by less than a vector has lanes, (start + i) // 2, step once in so many of
 * these, and such a run `^` a number has the lanes of each vector in another order.
 *
 * Quotients of indices, x // D, step too, where a nest stays within *pieces* of a row in which they
 * do not change: there x % D is x less a number.
 *
 * Signed 32-bit index arithmetic is taken not to wrap *within one tile*; the first value is exact.
 * A kernel for which that matters addresses memory 2^31 elements apart.  Masks are another matter,
 * hashes are compared too: so it is known at which i32 a value was widened.  All else steps modulo
 * the width of its type, which is harmless until it is widened: what may come around before that
 * does not step evenly.
 *
 * Takes any IR and changes nothing.  Answers are kept in the space; operands are answered first,
 * over a stack, because chains may be long.
 */
#include <string.h>

#include "access.h"

enum { MAX_WIDENED = 32, LEAST_BITS = 32 /* of what is not taken to come around */ };

/* --- maps --- */

/* Tiles of up to six dimensions, which nearly all are, have keys of one word. */
WideKey access_key(const Value *v, const int8_t *map)
{
    enum { BITS = 5, FIRST = 6 }; /* of one dimension; how many stand beside the id */
    _Static_assert(MAX_RANK < 1 << BITS && (MAX_RANK - FIRST) * BITS < 63, "0 to MAX_RANK in each");
    WideKey key = {(uint64_t)v->id + 1, 0};
    int rank = v->type->rank;

    for (int d = 0; d < FIRST; d++)
        key.low = key.low << BITS | (uint64_t)(d < rank ? map[d] + 1 : 0);
    for (int d = FIRST; d < rank; d++)
        key.high = key.high << BITS | (uint64_t)(map[d] + 1);
    return key;
}

/* The operand that v renames, and which dimension of v each of its dimensions follows; -1: none. */
static Value *renaming(const Value *v, int8_t *map_in)
{
    const Op *op = v->def;
    Move m;

    if (!op || op->code == OP_splat) /* a scalar is no tile of another name */
        return NULL;
    if (op->code == OP_hint) {
        for (int d = 0; d < v->type->rank; d++)
            map_in[d] = (int8_t)d;
        return op->operands[0];
    }
    if (!op_has(op, MOVES) || !op_renames(op, &m))
        return NULL;
    memcpy(map_in, m.follows, sizeof m.follows);
    return op->operands[0];
}

bool access_rearranges(const Value *v)
{
    int8_t in[MAX_RANK];

    return v->def && op_has(v->def, MOVES) && v->def->code != OP_splat && !renaming(v, in);
}

Value *access_renamed(const Value *v, const int8_t *map, int8_t *map_in)
{
    Value *in = renaming(v, map_in);

    for (int d = 0; in && d < in->type->rank; d++)
        map_in[d] = map_in[d] < 0 ? -1 : map[map_in[d]];
    return in;
}

/* --- operands first --- */

typedef struct {
    Value *value;
    int8_t map[MAX_RANK];
    int next; /* operand */
} Visit;

/* The i-th value that the answer for v rests on, and where it is read; NULL: no more. */
typedef Value *Rests(const AccessSpace *s, const Value *v, const int8_t *map, int i, int8_t *in);
typedef void Answer(AccessSpace *s, Value *v, const int8_t *map);

static Visit visit_at(Value *v, const int8_t *map)
{
    Visit x = {.value = v};

    for (int d = 0; d < v->type->rank; d++)
        x.map[d] = map[d];
    return x;
}

/* Answer for v and all that it rests on, as far as `known` does not have it. */
static void answer_all(AccessSpace *s, const Map *known, Value *v, const int8_t *map, Rests *rests,
                       Answer *answer)
{
    VEC(Visit) todo = {0};

    vec_push(s->arena, &todo, visit_at(v, map));
    while (todo.len > 0) {
        Visit *top = &todo.at[todo.len - 1];
        int8_t in[MAX_RANK];
        Value *next = rests(s, top->value, top->map, top->next++, in);
        if (next && !map_get_wide(known, access_key(next, in))) {
            vec_push(s->arena, &todo, visit_at(next, in));
        } else if (!next) {
            Visit done = todo.at[--todo.len];
            answer(s, done.value, done.map);
        }
    }
}

static Value *operand_at(const Op *op, int i, const int8_t *map, int8_t *in)
{
    if (i >= op->noperands)
        return NULL;
    for (int d = 0; d < op->operands[i]->type->rank; d++)
        in[d] = map[d];
    return op->operands[i];
}

/* --- does a value follow the inner index at all? --- */

static bool is_given(const AccessSpace *s, const Value *v)
{
    return !v->def || s->is_given(s->whose, v);
}

static Value *followed(const AccessSpace *s, const Value *v, const int8_t *map, int i, int8_t *in)
{
    if (v->type->rank == 0 || is_given(s, v) || access_rearranges(v))
        return NULL;
    Value *source = access_renamed(v, map, in);
    if (source)
        return i == 0 ? source : NULL;
    source = i == 0 || !access_is_sure(s, v, map) ? operand_at(v->def, i, map, in) : NULL;
    if (v->def->code == OP_gather && i == GATHER_SOURCE)
        in[attr_axis(v->def)] = -1; /* where the other operand says */
    return source;
}

/* Only their addresses matter. */
static const char it_follows = 2, it_waits = 1, it_stays = 0;

static void find_following(AccessSpace *s, Value *v, const int8_t *map)
{
    bool own =
        v->type->rank > 0 && (is_given(s, v) || v->def->code == OP_arange || access_rearranges(v));
    bool yes = false, waits = !own && access_is_sure(s, v, map);
    int8_t in[MAX_RANK];
    const Value *x;
    bool stays = v->def && !op_is_remainder(v->def) && access_quotient(s, v, map) != NO_QUOTIENT;

    for (int d = 0; own && d < v->type->rank; d++)
        yes |= map[d] == s->inner && v->type->dims[d] > 1;
    for (int i = 0; !yes && !stays && (x = followed(s, v, map, i, in)); i++) {
        const void *is = map_get_wide(s->follows, access_key(x, in));
        yes = is == &it_follows;
        waits |= is == &it_waits;
    }
    const char *is = yes ? &it_follows : waits ? &it_waits : &it_stays;
    map_put_wide(s->follows, access_key(v, map), (void *)is);
}

static const void *following(AccessSpace *s, const Value *v, const int8_t *map)
{
    WideKey key = access_key(v, map);

    if (v->type->rank == 0)
        return &it_stays;
    if (!map_get_wide(s->follows, key))
        answer_all(s, s->follows, (Value *)v, map, followed, find_following);
    return map_get_wide(s->follows, key);
}

bool access_follows(AccessSpace *s, const Value *v, const int8_t *map)
{
    return following(s, v, map) == &it_follows;
}

/* What steps may be made of what waits. */
static Value *waited_for(const AccessSpace *s, const Value *v, const int8_t *map, int i, int8_t *in)
{
    return map_get_wide(s->follows, access_key(v, map)) == &it_follows ? followed(s, v, map, i, in)
                                                                       : NULL;
}

static void find_waiting(AccessSpace *s, Value *v, const int8_t *map)
{
    int8_t in[MAX_RANK];
    const Value *x;
    bool waits = map_get_wide(s->follows, access_key(v, map)) == &it_waits;

    for (int i = 0; !waits && (x = waited_for(s, v, map, i, in)); i++)
        waits = map_get_wide(s->waits, access_key(x, in)) == &it_waits;
    map_put_wide(s->waits, access_key(v, map), (void *)(waits ? &it_waits : &it_stays));
}

bool access_waits(AccessSpace *s, const Value *v, const int8_t *map)
{
    WideKey key = access_key(v, map);

    if (v->type->rank == 0 || s->sure.len == 0)
        return false;
    following(s, v, map); /* and all that it rests on */
    if (!map_get_wide(s->waits, key))
        answer_all(s, s->waits, (Value *)v, map, waited_for, find_waiting);
    return map_get_wide(s->waits, key) == &it_waits;
}

/* --- steps --- */

bool access_is_index(const Type *t)
{
    return t->pointer || (!dtype_is_float(t->dtype) && t->dtype != DT_I1);
}

static bool constant_int(const Value *v, int64_t *out)
{
    int8_t in[MAX_RANK];
    const Value *x = v;

    while (x && !value_const_int(x, out)) {
        v = x;
        x = renaming(v, in);
        if (!x && v->def && v->def->code == OP_splat)
            x = v->def->operands[0];
    }
    return x != NULL;
}

/* Can it be seen from the first lane of each vector? */
static bool may_be_chunked(const Access *a)
{
    return a->chunked || a->stride == 0 || !a->scale;
}

/* Both lists, of which the first is copied.  Who has so many wraps for all we know. */
static const Widened *join_accesses(AccessSpace *s, const Widened *x, const Widened *y)
{
    static const Widened too_many = {.stride = INT64_MAX};

    if (!y)
        return x;
    for (int count = 0; x; x = x->next, count++) {
        if (count == MAX_WIDENED)
            return &too_many;
        Widened *w = NEW(s->arena, Widened);
        *w = *x;
        w->next = y;
        y = w;
    }
    return y;
}

static Access sum_accesses(AccessSpace *s, const Op *op, Access x, Access y)
{
    Access out = {.chunked = x.chunked || y.chunked};

    if (!x.ok || !y.ok || (x.scale && y.stride != 0) || (y.scale && x.stride != 0))
        return out;
    if (out.chunked && (!may_be_chunked(&x) || !may_be_chunked(&y)))
        return out;
    if (x.stride != 0 && y.stride != 0 && (x.every != y.every || x.flip != y.flip))
        return out;
    out.every = MAX(x.every, y.every);
    out.flip = MAX(x.flip, y.flip);
    out.ok = op->code == OP_sub ? !__builtin_sub_overflow(x.stride, y.stride, &out.stride)
                                : !__builtin_add_overflow(x.stride, y.stride, &out.stride);
    out.scale = x.scale ? x.scale : y.scale;
    for (int d = 0; d < MAX_RANK; d++)
        out.scale_map[d] = (x.scale ? &x : &y)->scale_map[d];
    out.widened = join_accesses(s, x.widened, y.widened);
    return out;
}

static Access product_access(const Op *op, Access x, Access y, const int8_t *map)
{
    const Value *factor = op->operands[1];

    if (x.ok && y.ok && x.stride == 0 && y.stride != 0) {
        Access t = x;
        x = y;
        y = t;
        factor = op->operands[0];
    }
    Access out = {.chunked = x.chunked || y.chunked, .every = x.every};
    int64_t number;
    bool constant = constant_int(factor, &number);
    if (!x.ok || !y.ok || y.stride != 0 || (x.scale && !constant))
        return out;
    out = x;
    out.chunked |= y.chunked;
    if (x.stride == 0)
        return out;
    if (constant) {
        out.ok = !__builtin_mul_overflow(x.stride, number, &out.stride);
        return out;
    }
    out.ok = !y.chunked;
    out.scale = factor;
    for (int d = 0; d < factor->type->rank; d++)
        out.scale_map[d] = map[d];
    return out;
}

static Access shifted(const Op *op, Access x, Access y)
{
    int64_t k;

    if (!x.ok || !y.ok || y.stride != 0 || x.scale || !constant_int(op->operands[1], &k) || k < 0 ||
        k > 31)
        return (Access){0};
    Access out = {.chunked = x.chunked, .every = x.every, .flip = x.flip, .widened = x.widened};
    out.ok = !__builtin_mul_overflow(x.stride, (int64_t)1 << k, &out.stride);
    return out;
}

/* Integers step modulo their width; that is a step only where they do not come around, which is
 * taken for granted of i32 and wider alone: (offs - 5) as u32 and offs as u8 do on purpose. */
static bool steps_evenly(const AccessSpace *s, const Value *v, const Access *a)
{
    const Axis *facts = axis_of(s->axis, v);
    DType t = v->type->dtype;

    if (v->type->pointer || t == DT_I32 || dtype_bits(t) == 64 || a->stride == 0)
        return true;
    if (!facts || !facts->has_range || a->scale)
        return false;
    int64_t values = (int64_t)1 << dtype_bits(t), step = a->stride < 0 ? -a->stride : a->stride;
    return step < values && facts->hi - facts->lo < values - step;
}

/* `x`, the steps of `v`, where they go on with 64 bits. */
static Access widened(AccessSpace *s, Value *v, const int8_t *map, Access x)
{
    if (!x.ok || x.stride == 0 || v->type->pointer || dtype_bits(v->type->dtype) == 64)
        return x;
    if (!steps_evenly(s, v, &x))
        return (Access){0};
    if (v->type->dtype != DT_I32)
        return x;
    Widened *w = NEW(s->arena, Widened);
    *w = (Widened){.value = v, .stride = x.stride, .next = x.widened};
    for (int d = 0; d < v->type->rank; d++)
        w->map[d] = map[d];
    x.widened = w;
    return x;
}

/* Pointers step in elements, integers in bytes when they are addresses. */
static Access converted(AccessSpace *s, const Op *op, const int8_t *map, Access x)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    int64_t had = from->pointer ? dtype_size(from->dtype) : 1;
    int64_t wants = to->pointer ? dtype_size(to->dtype) : 1;

    if (from->pointer || to->pointer || dtype_bits(to->dtype) > dtype_bits(from->dtype))
        x = widened(s, op->operands[0], map, x);
    if (!x.ok || __builtin_mul_overflow(x.stride, had, &x.stride) || x.stride % wants != 0)
        return (Access){0};
    x.stride /= wants;
    return x;
}

static Access negated(Access x)
{
    x.ok = x.ok && !__builtin_sub_overflow(0, x.stride, &x.stride);
    return x;
}

/* What the steps of v are made from: nothing where it is not made of steps. */
static Value *stepped(const AccessSpace *s, const Value *v, const int8_t *map, int i, int8_t *in)
{
    if (!access_is_index(v->type) || v->type->rank == 0 || is_given(s, v) ||
        map_get_wide(s->follows, access_key(v, map)) != &it_follows)
        return NULL;
    Value *source = access_renamed(v, map, in);
    if (source)
        return i == 0 ? source : NULL;
    switch (v->def->code) {
    case OP_addptr:
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_shl:
    case OP_neg:
        return operand_at(v->def, i, map, in);
    case OP_cast:
        return access_is_index(v->def->operands[0]->type) ? operand_at(v->def, i, map, in) : NULL;
    case OP_rem:
    case OP_and:
        return i == 0 && access_quotient(s, v, map) != NO_QUOTIENT ? operand_at(v->def, i, map, in)
                                                                   : NULL;
    default:
        return NULL;
    }
}

static Access known_access(const AccessSpace *s, const Value *v, const int8_t *map)
{
    const Access *a = map_get_wide(s->accesses, access_key(v, map));

    return a ? *a : (Access){0};
}

static Access by_definition(AccessSpace *s, Value *v, const int8_t *map)
{
    int8_t in[MAX_RANK];
    const Op *op = v->def;

    if (op->code == OP_arange)
        return (Access){.ok = true, .stride = 1};
    if (!stepped(s, v, map, 0, in))
        return (Access){0};
    Access x = known_access(s, stepped(s, v, map, 0, in), in), y = {0};
    if (access_renamed(v, map, in))
        return x;
    if (op_is_remainder(op))
        return x;
    if (op->noperands > 1)
        y = known_access(s, op->operands[1], map);
    switch (op->code) {
    case OP_addptr:
        return sum_accesses(s, op, x, widened(s, op->operands[1], map, y));
    case OP_add:
    case OP_sub:
        return sum_accesses(s, op, x, y);
    case OP_mul:
        return product_access(op, x, y, map);
    case OP_shl:
        return shifted(op, x, y);
    case OP_neg:
        return negated(x);
    default:
        return converted(s, op, map, x);
    }
}

/* The one dimension of v that is read at the inner index; -1: none or several are. */
static int inner_dimension(const AccessSpace *s, const Value *v, const int8_t *map)
{
    int dim = -1;

    for (int d = 0; d < v->type->rank; d++) {
        if (map[d] != s->inner || v->type->dims[d] == 1)
            continue;
        if (dim >= 0)
            return -1;
        dim = d;
    }
    return dim;
}

/* What v is the quotient of, rounded down, by a power of two below the lanes of a vector; NULL. */
static const Value *divided_by_few(const AccessSpace *s, const Value *v, int64_t *by)
{
    const Op *op = v->def;

    if (!op || (op->code != OP_div && op->code != OP_shr) ||
        dtype_bits(v->type->dtype) < LEAST_BITS || !constant_int(op->operands[1], by) || *by < 1)
        return NULL;
    if (op->code == OP_shr)
        *by = (int64_t)1 << MIN(*by, 30);
    const Axis *x = axis_of(s->axis, op->operands[0]);
    bool down = op->code == OP_shr || dtype_is_unsigned(v->type->dtype) ||
                (x && x->has_range && x->lo >= 0);
    return x && down && *by > 1 && *by < s->lanes && s->lanes % *by == 0 ? op->operands[0] : NULL;
}

/* Quotients of runs that cover whole vectors, whose first ones leave no remainder. */
static Access by_groups(const AccessSpace *s, const Value *v, const int8_t *map)
{
    int dim = inner_dimension(s, v, map);
    int64_t by;
    const Value *of = divided_by_few(s, v, &by);

    if (dim < 0 || !of || s->anywhere)
        return (Access){0};
    const Axis *x = axis_of(s->axis, of);
    if (x->contiguity[dim] % s->lanes != 0 || x->divisibility % by != 0)
        return (Access){0};
    return (Access){.ok = true, .chunked = true, .stride = 1, .every = (int)by};
}

/* Runs that cover whole vectors and begin at multiples of these, `^` a number: of its bits those
 * below the lanes say which two lanes change places, the others where the vector is. */
static Access by_flips(const AccessSpace *s, const Value *v, const int8_t *map)
{
    int dim = inner_dimension(s, v, map);
    const Op *op = v->def;
    int64_t with;

    if (dim < 0 || s->anywhere || (s->lanes & (s->lanes - 1)) != 0 || !op || op->code != OP_xor ||
        dtype_bits(v->type->dtype) < LEAST_BITS)
        return (Access){0};
    bool last = constant_int(op->operands[1], &with);
    if ((!last && !constant_int(op->operands[0], &with)) || with < 0)
        return (Access){0};
    const Axis *x = axis_of(s->axis, op->operands[last ? 0 : 1]);
    if (!x || x->contiguity[dim] % s->lanes != 0 || x->divisibility % s->lanes != 0)
        return (Access){0};
    return (Access){.ok = true, .chunked = true, .flip = (int)(with & (s->lanes - 1)), .stride = 1};
}

/* Runs known to the axis analysis that cover whole vectors; they too step modulo the width. */
static Access by_runs(const AccessSpace *s, const Value *v, const int8_t *map)
{
    const Axis *a = axis_of(s->axis, v);
    int dim = inner_dimension(s, v, map);

    if (dim < 0 || !a || s->anywhere)
        return (Access){0};
    bool equal = a->constancy[dim] % s->lanes == 0, runs = a->contiguity[dim] % s->lanes == 0;
    if (!equal && !runs)
        return (Access){0};
    return (Access){.ok = true, .chunked = true, .stride = equal ? 0 : 1};
}

/* --- what pointers are sums of (access_sum.c) --- */

/* A constant step from a pointer that is known is one more: chains of them may be long. */
static PointerSum sum_of(const AccessSpace *s, const Value *ptr, const int8_t *map)
{
    const Op *op = ptr->def;
    int64_t c;

    if (op && op->code == OP_addptr && value_const_int(op->operands[1], &c)) {
        PointerSum before = known_access(s, op->operands[0], map).sum;
        before.offset += c;
        if (before.base)
            return before;
    }
    return access_sum_below(ptr);
}

static void find_access(AccessSpace *s, Value *v, const int8_t *map)
{
    Access *a = NEW(s->arena, Access);

    if (access_is_index(v->type) && !access_follows(s, v, map)) {
        a->ok = true;
    } else if (access_is_index(v->type)) {
        if (!is_given(s, v))
            *a = by_definition(s, v, map);
        if (!a->ok || !steps_evenly(s, v, a))
            *a = by_runs(s, v, map);
        if (!a->ok)
            *a = by_groups(s, v, map);
        if (!a->ok)
            *a = by_flips(s, v, map);
    }
    if (v->type->pointer)
        a->sum = sum_of(s, v, map);
    map_put_wide(s->accesses, access_key(v, map), a);
}

Access access_of(AccessSpace *s, Value *v, const int8_t *map)
{
    WideKey key = access_key(v, map);

    if (!map_get_wide(s->accesses, key)) {
        access_follows(s, v, map); /* of all that it rests on */
        answer_all(s, s->accesses, v, map, stepped, find_access);
    }
    return known_access(s, v, map);
}

AccessSpace *access_space(Arena *a, const AxisFacts *axis, int inner, int lanes,
                          bool (*given)(const void *whose, const Value *v), const void *whose)
{
    AccessSpace *s = NEW(a, AccessSpace);

    *s = (AccessSpace){.arena = a,
                       .axis = axis,
                       .inner = inner,
                       .lanes = lanes,
                       .is_given = given,
                       .whose = whose,
                       .follows = map_new(a),
                       .waits = map_new(a),
                       .accesses = map_new(a)};
    return s;
}
