/*
 * longer.c - rounds of a loop that reduces tiles along what it counts become longer
 *
 * Takes and gives verified IR, for targets that run a tile as loops: there each round goes through
 * all rows of a tile for a few vectors of each, and brings the lanes of their sum together.
 *
 *     for k in lo .. hi by 32:                      for k in lo .. hi by 1024:
 *         s += sum(a[rows, k + 0..31], 1)     ->        s += sum(a[rows, k + 0..1023], 1)
 *
 * What rounds load lies one behind the other along that axis, so that a long row takes its place.
 * Lanes of rounds that are no more load nothing, and count as what changes no sum; where masks say
 * the first, and zeros that they leave the second, as `k + lanes < hi` mostly does, nothing is
 * added. Elements are combined in another order, as they may be within a tile.
 *
 * Asked from the reduction back, of each value along the dimension that becomes longer:
 *
 *     FIXED   it is the same in all rounds, and all along the dimension
 *     LANE    it grows by `step` from one element to the next, and is the same in all rounds
 *     ROUND   it grows by `step` from round to round, and is the same all along
 *     INDEX   what it is follows from its place among the elements of all rounds
 *
 * LANE and ROUND add up to INDEX where a round's step is that of as many lanes as there are.
 */
#include "longer.h"

enum {
    LONG = 1024, /* elements of the new rounds, at most */
    LONG_ALREADY = 256,
    MOST_OPS = 64 /* of a round */
};

typedef enum { NOTHING, FIXED, LANE, ROUND, INDEX } Kind;

typedef struct {
    Kind kind;
    int64_t step;
} Along;

static const Along nothing = {NOTHING, 0};

/* --- how values follow the rounds ------------------------------------------------------------ */

static bool is_in_round(const Longer *x, const Value *v)
{
    return block_encloses(x->loop->regions[0], v->block);
}

static Along along(const Longer *x, const Value *v, int d, int most);

/* Of what the loop carries, the number that each round adds. */
static Along along_carried(const Longer *x, const Value *v)
{
    const Op *next;
    int64_t by;

    if (v->index == 0)
        return (Along){ROUND, x->step};
    next = opt_last(x->loop->regions[0])->operands[v->index - 1]->def;
    if (!next || (next->code != OP_add && next->code != OP_addptr) || next->operands[0] != v ||
        !value_const_int(next->operands[1], &by))
        return nothing;
    return (Along){ROUND, by};
}

static Along sum_of(const Longer *x, Along p, Along q, int sign)
{
    int64_t step;

    if (p.kind == NOTHING || q.kind == NOTHING || __builtin_mul_overflow(q.step, sign, &q.step) ||
        __builtin_add_overflow(p.step, q.step, &step))
        return nothing;
    if (q.kind == FIXED)
        return p;
    if (p.kind == FIXED || (p.kind == q.kind && p.kind != INDEX))
        return q.kind == INDEX ? q : (Along){q.kind, step};
    if (p.kind == INDEX || q.kind == INDEX)
        return nothing;
    Along lane = p.kind == LANE ? p : q, round = p.kind == LANE ? q : p;
    bool meets = !__builtin_mul_overflow(lane.step, x->lanes, &step) && round.step == step;
    return meets ? (Along){INDEX, 0} : nothing;
}

static Along scaled(const Op *op, Along p, Along q)
{
    int64_t by;
    Along of = value_const_int(op->operands[1], &by) ? p : q;

    if (!value_const_int(op->operands[1], &by) && !value_const_int(op->operands[0], &by))
        return nothing;
    if (of.kind == NOTHING || __builtin_mul_overflow(of.step, by, &of.step))
        return nothing;
    return of;
}

/* Of any function of its operands, element by element. */
static Along function_of(Along p, Along q)
{
    if ((p.kind != FIXED && p.kind != INDEX) || (q.kind != FIXED && q.kind != INDEX))
        return nothing;
    return p.kind == INDEX ? p : q;
}

static Along along_elements(const Longer *x, const Op *op, int d, int most)
{
    Along all = {FIXED, 0}, of[2] = {all, all};

    for (int i = 0; i < op->noperands; i++) {
        Along each = along(x, op->operands[i], d, most);
        all = function_of(all, each);
        if (i < COUNT(of))
            of[i] = each;
    }
    if (all.kind != NOTHING)
        return all;
    if (dtype_is_float(op->operands[0]->type->dtype) && !op->operands[0]->type->pointer)
        return nothing;
    if (op->code == OP_add || op->code == OP_addptr || op->code == OP_sub)
        return sum_of(x, of[0], of[1], op->code == OP_sub ? -1 : 1);
    if (op->code == OP_mul)
        return scaled(op, of[0], of[1]);
    bool of_both = op_has(op, COMPARES) && sum_of(x, of[0], of[1], -1).kind == INDEX;
    return of_both ? (Along){INDEX, 0} : nothing;
}

static Along along_load(const Longer *x, const Op *load, int d, int most)
{
    const Value *p = load->operands[LOAD_PTR];

    if (op_is_volatile(load))
        return nothing;
    if (d >= 0 && p->type->rank > 1 && axis_of(x->facts, p)->contiguity[d] == 1)
        return nothing; /* rows lie another way */
    return along_elements(x, load, d, most);
}

/* Dimension d of the result is that of operand 0, -1 where there it has none. */
static int dim_before(const Op *op, int d)
{
    int n;

    if (d < 0 || op->code == OP_splat)
        return -1;
    if (op->code == OP_permute)
        return (int)attr_dims(op, &n)[d];
    if (op->code == OP_expand)
        return d == attr_axis(op) ? -1 : d - (d > attr_axis(op));
    return op->operands[0]->type->dims[d] == 1 ? -1 : d; /* broadcast */
}

static Along find_along(const Longer *x, const Value *v, int d, int most)
{
    const Op *op = v->def;

    if (!is_in_round(x, v) && (d < 0 || v->type->rank == 0))
        return (Along){FIXED, 0};
    if (!op)
        return d < 0 && v->block == x->loop->regions[0] ? along_carried(x, v) : nothing;
    if (most == 0)
        return nothing;
    switch (op->code) {
    case OP_const:
        return (Along){FIXED, 0};
    case OP_arange:
        return d < 0 ? (Along){FIXED, 0} : (Along){LANE, 1};
    case OP_splat:
    case OP_broadcast:
    case OP_expand:
    case OP_permute:
        return along(x, op->operands[0], dim_before(op, d), most - 1);
    case OP_load:
        return along_load(x, op, d, most - 1);
    default:
        return op->code == OP_addptr || (op_is_elementwise(op) && op_has(op, PURE))
                   ? along_elements(x, op, d, most - 1)
                   : nothing;
    }
}

/* d: the dimension that becomes longer; -1: there it has none.  Each value is asked once: y * (y +
 * 1), n times over, is 2^n paths. */
static Along along(const Longer *x, const Value *v, int d, int most)
{
    Map *known = x->along[d + 1];
    Along *found = map_get(known, MAP_KEY(v));

    if (!found) {
        found = NEW(x->func->module->arena, Along);
        *found = find_along(x, v, d, most);
        map_put(known, MAP_KEY(v), found);
    }
    return *found;
}

/* --- which loops ----------------------------------------------------------------------------- */

Op *longer_reduced(const Longer *x, int i)
{
    const Block *body = x->loop->regions[0];
    const Value *arg = body->args[i + 1], *next = opt_last(body)->operands[i];
    const Op *add = next->def;

    if (!add || add->block != body || add->noperands != 2 || uses_count(&x->uses, next) != 1 ||
        uses_count(&x->uses, arg) != 1 || (add->operands[0] != arg && add->operands[1] != arg))
        return NULL;
    Op *reduce = add->operands[add->operands[0] == arg]->def;
    if (!ir_reduces(reduce) || reduce->block != body || reduce->noperands != 1 ||
        uses_count(&x->uses, reduce->results[0]) != 1)
        return NULL;
    return ir_combine_kind(reduce).neutral == add->code ? reduce : NULL;
}

static bool is_carried_alike(Longer *x, int i)
{
    const Op *reduce = longer_reduced(x, i);
    const Value *arg = x->loop->regions[0]->args[i + 1];

    if (!reduce)
        return uses_count(&x->uses, x->loop->results[i]) == 0 &&
               along_carried(x, arg).kind == ROUND;
    const Type *t = reduce->operands[0]->type;
    int axis = (int)attr_axis(reduce);
    if (axis != t->rank - 1 || (x->lanes != 0 && x->lanes != t->dims[axis]))
        return false;
    x->lanes = t->dims[axis];
    return true;
}

static bool is_plain(const Longer *x)
{
    int ops = 0;

    for (const Op *op = x->loop->regions[0]->first; op; op = op->next, ops++) {
        bool plain = op->code == OP_load || op->code == OP_yield || ir_reduces(op) ||
                     (op_has(op, PURE) && !op->regions[0]);
        if (!plain)
            return false;
    }
    return ops <= MOST_OPS;
}

/* Finds how long its rounds are, and whether they may be longer. */
static bool may_be_longer(Longer *x)
{
    const Op *loop = x->loop;
    bool sums = false;

    if (loop->code != OP_for || attr_unroll(loop) != 0 || loop->nresults == 0 || !is_plain(x) ||
        !value_const_signed(loop->operands[FOR_STEP], &x->step) || x->step <= 0)
        return false;
    for (int i = 0; i < loop->nresults; i++) {
        if (!is_carried_alike(x, i))
            return false;
    }
    if (x->lanes < 2 || x->lanes >= LONG_ALREADY)
        return false;
    for (int d = 0; d <= MAX_RANK; d++)
        x->along[d] = map_new(x->func->module->arena);
    x->uncut = map_new(x->func->module->arena);
    x->zeros = map_new(x->func->module->arena);
    for (int i = 0; i < loop->nresults; i++) {
        const Op *reduce = longer_reduced(x, i);
        if (reduce &&
            along(x, reduce->operands[0], (int)attr_axis(reduce), LONGER_MOST_BACK).kind != INDEX)
            return false;
        sums |= reduce != NULL;
    }
    return sums;
}

/* As many as are long enough; of a loop whose rounds are known, a part of them. */
static int64_t rounds_together(const Longer *x)
{
    uint64_t trips = 0;
    bool known = opt_trip_count(x->loop, &trips);
    int64_t n = 1;

    while (2 * n * x->lanes <= LONG && (!known || 2 * (uint64_t)n <= trips) &&
           2 * n * x->step <= INT32_MAX)
        n *= 2;
    return n;
}

/* --- the new round --------------------------------------------------------------------------- */

static Value *made(Longer *x, Value *v, int d);

static const Type *longer_type(const Longer *x, const Value *v, int d)
{
    Type t = *v->type;

    if (d < 0)
        return v->type;
    t.dims[d] = (int32_t)(x->lanes * x->rounds);
    return type_of(x->func->module, t);
}

/* Where there is such a round, in that shape. */
static Value *inside_along(Longer *x, int d, const Type *t)
{
    Value *v = x->inside;

    for (int axis = 0; axis < t->rank; axis++) {
        if (axis != d)
            v = build_expand(&x->b, v, axis);
    }
    Type shape = *t;
    shape.dtype = DT_I1;
    shape.pointer = 0;
    return build_broadcast(&x->b, v, type_of(x->func->module, shape));
}

static Value *made_load(Longer *x, const Op *load, int d)
{
    Value *p = made(x, load->operands[LOAD_PTR], d), *mask = op_operand(load, LOAD_MASK);
    Value *other = op_operand(load, LOAD_OTHER);

    mask = mask ? made(x, mask, d) : NULL;
    if (d >= 0 && x->inside && !x->cut) {
        Value *inside = inside_along(x, d, p->type);
        mask = mask ? build_binary(&x->b, OP_and, mask, inside) : inside;
    }
    return build_load_like(&x->b, load, p, mask, other ? made(x, other, d) : NULL);
}

static Value *made_elements(Longer *x, const Op *op, int d)
{
    Map *values = map_new(x->func->module->arena);
    const Type *type = longer_type(x, op->results[0], d);

    for (int i = 0; i < op->noperands; i++)
        map_put(values, MAP_KEY(op->operands[i]), made(x, op->operands[i], d));
    return op_clone_as(&x->b, op, &type, values)->results[0];
}

static Value *made_by(Longer *x, const Op *op, int d)
{
    const Type *t = longer_type(x, op->results[0], d);
    uint64_t bits;
    int n, dims[MAX_RANK];

    if (d >= 0 && x->cut && x->inside && longer_is_before_end(x, op))
        return inside_along(x, d, t); /* whose sums do not wrap */
    switch (op->code) {
    case OP_const:
        value_constant(op->results[0], &bits);
        return build_const(&x->b, t, bits);
    case OP_arange:
        return build_arange(&x->b, (int32_t)attr_start(op), (int32_t)attr_start(op) + t->dims[0]);
    case OP_load:
        return made_load(x, op, d);
    case OP_splat:
        return build_splat(&x->b, made(x, op->operands[0], -1), t);
    case OP_broadcast:
        return build_broadcast(&x->b, made(x, op->operands[0], dim_before(op, d)), t);
    case OP_expand:
        return build_expand(&x->b, made(x, op->operands[0], dim_before(op, d)), (int)attr_axis(op));
    case OP_permute:
        for (int i = 0; i < t->rank; i++)
            dims[i] = (int)attr_dims(op, &n)[i];
        return build_permute(&x->b, made(x, op->operands[0], dim_before(op, d)), dims);
    default:
        return made_elements(x, op, d);
    }
}

/* The value in a longer round. */
static Value *made(Longer *x, Value *v, int d)
{
    Value *known = map_get(x->made[d + 1], MAP_KEY(v));

    if (known || (d < 0 && !is_in_round(x, v)))
        return known ? known : v;
    known = made_by(x, v->def, d);
    map_put(x->made[d + 1], MAP_KEY(v), known);
    return known;
}

/* Which lanes have a round: those of the rounds that are left, or, where masks cut them, that are
 * in front of the end. */
static Value *lanes_inside(Longer *x, Value *counter)
{
    Builder *b = &x->b;
    const Type *i64 = type_scalar(x->func->module, DT_I64);
    Value *hi = build_cast(b, x->loop->operands[FOR_HI], DT_I64, ROUND_NEAREST);
    Value *left = build_binary(b, OP_sub, hi, build_cast(b, counter, DT_I64, ROUND_NEAREST));

    left = build_binary(b, OP_min, left, build_int(b, i64, x->step * x->rounds));
    if (x->step > 1 && !x->cut) {
        left = build_binary(b, OP_add, left, build_int(b, i64, x->step - 1));
        left = build_binary(b, OP_div, left, build_int(b, i64, x->step));
    }
    if (!x->cut)
        left = build_binary(b, OP_mul, left, build_int(b, i64, x->lanes));
    Value *lane = build_arange(b, 0, (int32_t)(x->lanes * x->rounds));
    left = build_splat(b, build_cast(b, left, DT_I32, ROUND_NEAREST), lane->type);
    return build_binary(b, OP_lt, lane, left);
}

/* What the round adds, and the sum with it. */
static Value *added(Longer *x, Op *reduce, int i)
{
    const Op *add = opt_last(x->loop->regions[0])->operands[i]->def;
    int axis = (int)attr_axis(reduce);
    Value *tile = made(x, reduce->operands[0], axis);
    Map *values = map_new(x->func->module->arena);

    if (x->inside && !x->cut) {
        CombineKind kind = ir_combine_kind(reduce);
        DType t = tile->type->dtype;
        uint64_t bits = dtype_is_float(t) ? scalar_from_double(t, kind.real) : kind.bits;
        Value *inside = inside_along(x, axis, tile->type);
        Value *none = build_const(&x->b, tile->type, bits);
        tile = build_select(&x->b, inside, tile, none);
    }
    map_put(values, MAP_KEY(reduce->operands[0]), tile);
    op_clone(&x->b, reduce, values);
    map_put(values, MAP_KEY(x->loop->regions[0]->args[i + 1]),
            made(x, x->loop->regions[0]->args[i + 1], -1));
    return op_clone(&x->b, add, values)->results[0];
}

static Value *next_of(Longer *x, int i)
{
    Value *arg = x->loop->regions[0]->args[i + 1], *old = made(x, arg, -1);
    Op *reduce = longer_reduced(x, i);

    if (reduce)
        return added(x, reduce, i);
    const Op *next = opt_last(x->loop->regions[0])->operands[i]->def;
    int64_t by = along_carried(x, arg).step * x->rounds;
    Value *step = build_int(&x->b, next->operands[1]->type, by);
    return next->code == OP_addptr ? build_addptr(&x->b, old, step)
                                   : build_binary(&x->b, OP_add, old, step);
}

static void make_longer(Longer *x)
{
    Op *loop = x->loop;
    int n = loop->nresults;
    Value *operands[loop->noperands], *next[n + 1];
    const Type *types[n + 1];
    Builder before = builder_before(loop);
    uint64_t trips = 0;

    for (int i = 0; i <= MAX_RANK; i++)
        x->made[i] = map_new(x->func->module->arena);
    for (int i = 0; i < loop->noperands; i++)
        operands[i] = loop->operands[i];
    for (int i = 0; i < n; i++)
        types[i] = loop->results[i]->type;
    operands[FOR_STEP] = build_int(&before, loop->operands[FOR_STEP]->type, x->step * x->rounds);
    Op *longer =
        build_op(&before, OP_for, loop->noperands, operands, loop->nattrs, loop->attrs, n, types);
    for (int i = 0; i < loop->regions[0]->nargs; i++) {
        Value *old = loop->regions[0]->args[i];
        Value *new = block_add_arg(longer->regions[0], old->type);
        new->name = old->name;
        map_put(x->made[0], MAP_KEY(old), new);
    }
    x->b = builder_into(&before, longer->regions[0]);
    x->cut = longer_is_cut(x);
    if (!opt_trip_count(loop, &trips) || trips % (uint64_t)x->rounds != 0)
        x->inside = lanes_inside(x, longer->regions[0]->args[0]);
    for (int i = 0; i < n; i++)
        next[i] = next_of(x, i);
    build_yield(&x->b, OP_yield, n, next);
    for (int i = 0; i < n; i++)
        loop->results[i]->repl = longer->results[i];
    op_remove(loop);
}

/* False: there is no loop left that is to become longer. */
static bool visit(Func *f, const UseLists *uses, const AxisFacts *facts, Block *b)
{
    for (Op *op = b->first; op; op = op->next) {
        Longer x = {.func = f, .uses = *uses, .facts = facts, .loop = op};
        if (op->code == OP_for && may_be_longer(&x) && (x.rounds = rounds_together(&x)) > 1) {
            make_longer(&x);
            return true;
        }
        for (int r = 0; r < COUNT(op->regions) && !op_has(op, COMBINES); r++) {
            if (op->regions[r] && visit(f, uses, facts, op->regions[r]))
                return true;
        }
    }
    return false;
}

void opt_longer(Func *f)
{
    Arena *a = f->module->arena;
    bool again = true;

    while (again) {
        opt_resolve_all(f->body);
        UseLists uses = ir_uses(f, a);
        again = visit(f, &uses, axis_analyse(f, a), f->body);
    }
}
