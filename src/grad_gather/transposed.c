/*
 * transposed.c - loops in which programs add to elements that others add to, too: each program sums
 * up what all hand to its own
 *
 *     t = program * BLOCK + lanes           u = program * BLOCK + lanes
 *     for u in range(n):             ->     for t in range(n):
 *         atomic d_x[u] += sum f(t, u)          d_x[u] += f(t, u)
 *
 *     t = program * BLOCK + lanes           d = program * BLOCK + lanes
 *     for u in range(n):             ->     for u in range(n):
 *         atomic d_w[t - u] += f(t, u)          d_w[d] += f(d + u, u)
 *
 * In the first lanes that are summed up and rounds take each other's place, in the second a lane
 * stands for what it has in common with others.  Either way the sum has the same parts, where
 *
 *   1. what is handed on is made of program * BLOCK + lane and of the round alone (anew.c);
 *   2. each element has a lane: rounds go no further than lanes of all programs do;
 *   3. of rounds that some programs have, and others not, the others would hand on 0 (domain.c).
 *
 * A loop that was split in two, one part of which has masks that are true in the other, is one.
 * The sum is stored where nobody else meets the element (alone.c), and else added by one atomic.
 */
#include "../opt/opt.h"
#include "gather.h"
#include "transposed.h"

enum { MOST_ENDS = 6 };

/* An atomic in a loop. */
typedef struct {
    Op *op;
    const Op *loop;
    Value *counter, *pointer, *mask, *data; /* data: before it was rounded */
    Value *lo, *ends[MOST_ENDS]; /* of the loop: less than all of these */
    int nends;
    Op *part; /* the atomic of another part of the loop; NULL */
} Tap;

static const int8_t plain[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* --- taps --- */

static void add_ends(Tap *t, Value *hi)
{
    const Op *least = opt_made_by(hi, OP_min);

    if (least && t->nends < MOST_ENDS - 1) {
        add_ends(t, least->operands[0]);
        add_ends(t, least->operands[1]);
    } else if (t->nends < MOST_ENDS) {
        t->ends[t->nends++] = hi;
    }
}

static Value *before_rounding(Value *v)
{
    const Op *cast = opt_made_by(v, OP_cast);

    return cast && dtype_is_float(cast->operands[0]->type->dtype) &&
                   dtype_size(cast->operands[0]->type->dtype) > dtype_size(v->type->dtype)
               ? cast->operands[0]
               : v;
}

/* In a loop that steps by one, and stands in no other. */
static bool tap_of(Op *op, Tap *t)
{
    const Op *loop = op->block->owner;
    int64_t step, lo;

    if (!loop || loop->code != OP_for || loop->block->owner ||
        !value_const_int(loop->operands[FOR_STEP], &step) || step != 1)
        return false;
    *t = (Tap){.op = op, .loop = loop, .counter = loop->regions[0]->args[0]};
    t->pointer = op->operands[STORE_PTR];
    t->mask = op_operand(op, STORE_MASK);
    t->data = before_rounding(op->operands[STORE_DATA]);
    t->lo = loop->operands[FOR_LO];
    add_ends(t, loop->operands[FOR_HI]);
    return !value_const_int(t->lo, &lo) || lo >= 0;
}

static bool polynomial(const Value *v, Poly *out)
{
    PolyScope scope = {0};

    return poly_of(&scope, v, plain, out);
}

static bool add_end_limit(const Tap *t, const Value *end, Limits *l)
{
    Poly p, hi;

    if (!polynomial(t->counter, &p) || !polynomial(end, &hi) || !poly_add(&p, &hi, -1))
        return false;
    limits_add(l, &p);
    return true;
}

/* --- loops in two parts --- */

/* Is what part `a` hands on what part `b` does in the rounds of a?  All is said of b's counter. */
typedef struct {
    Domain domain;
    const Tap *a, *b;
    Limits rounds; /* of a */
} Match;

/* The mask of b is true where a hands on anything: in its rounds, where `beside` is not 0. */
static bool is_true_in(Match *m, const Value *mask, const Value *beside, const int8_t *sides)
{
    Limits wanted = {0}, given = m->rounds;

    if (beside)
        limits_of_nonzero(&m->domain, &given, beside, sides);
    limits_of_mask(&wanted, mask, sides);
    for (int i = 0; i < wanted.n; i++) {
        if (!domain_implies(&m->domain, &given, &wanted.at[i]))
            return false;
    }
    return !wanted.others;
}

static bool matches(Match *m, const Value *x, const Value *y, const int8_t *sides, int depth);

static bool is_same_op(const Op *x, const Op *y)
{
    if (x->code != y->code || x->noperands != y->noperands || x->nresults != 1 ||
        x->nattrs != y->nattrs || x->results[0]->type != y->results[0]->type)
        return false;
    for (int i = 0; i < x->nattrs; i++) {
        if (x->attrs[i] != y->attrs[i])
            return false;
    }
    if (op_has(x, COMBINES))
        return ir_combine_code(x) != OP_COUNT && ir_combine_code(x) == ir_combine_code(y);
    return !x->regions[0] && (op_has(x, PURE) || op_only_reads(x));
}

static bool all_match(Match *m, const Op *x, const Op *y, const int8_t *sides, int depth)
{
    int8_t of[MAX_RANK];

    if (!is_same_op(x, y))
        return false;
    for (int i = 0; i < x->noperands; i++) {
        anew_operand_sides(x, x->operands[i], sides, of);
        if (x->code == OP_reduce) {
            if (m->domain.nsides == MOST_SIDES_ANEW)
                return false;
            of[attr_axis(x)] = (int8_t)domain_add_side(&m->domain, x, of);
        }
        if (!matches(m, x->operands[i], y->operands[i], of, depth - 1))
            return false;
    }
    return true;
}

static bool matches(Match *m, const Value *x, const Value *y, const int8_t *sides, int depth)
{
    const Op *op = y->def;
    uint64_t p, q;

    if (x == y || (x == m->a->counter && y == m->b->counter))
        return true;
    if (depth == 0 || !op)
        return false;
    if (value_constant(x, &p) && value_constant(y, &q))
        return p == q && x->type == y->type;
    if (op->code == OP_select && value_constant(op->operands[2], &q) && q == 0 &&
        !opt_made_by(x, OP_select) && is_true_in(m, op->operands[0], x, sides))
        return matches(m, x, op->operands[1], sides, depth - 1);
    for (int i = 0; i < 2 && op->code == OP_and; i++) {
        if (is_true_in(m, op->operands[i], NULL, sides))
            return matches(m, x, op->operands[1 - i], sides, depth - 1);
    }
    return x->def && all_match(m, x->def, op, sides, depth);
}

/* What a hands on in rounds that b, begun where a does, would not have, is 0. */
static bool ends_hold(Match *m)
{
    Limits given = m->rounds;

    limits_of_nonzero(&m->domain, &given, m->a->data, plain);
    for (int i = 0; i < m->b->nends; i++) {
        Limits end = {0};
        if (!add_end_limit(m->b, m->b->ends[i], &end) ||
            !domain_implies(&m->domain, &given, &end.at[0]))
            return false;
    }
    return true;
}

enum { DEEPEST = 64 };

/* Do the rounds of b follow those of a, in which it would do the same? */
static bool is_part_of(Grad *g, const Tap *a, const Tap *b)
{
    Match m = {.domain = domain_of(g, a->data->type, b->counter), .a = a, .b = b};
    Tap turned = *a;

    if (a->loop == b->loop || a->loop->operands[FOR_HI] != b->lo)
        return false;
    turned.counter = b->counter;
    for (int i = 0; i < a->nends; i++) {
        if (!add_end_limit(&turned, a->ends[i], &m.rounds))
            return false;
    }
    if (a->mask ? !b->mask || !matches(&m, a->mask, b->mask, plain, DEEPEST)
                : b->mask && !is_true_in(&m, b->mask, NULL, plain))
        return false;
    return matches(&m, a->pointer, b->pointer, plain, DEEPEST) &&
           matches(&m, a->data, b->data, plain, DEEPEST) && ends_hold(&m);
}

static void join_parts(Grad *g, Tap *all, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            if (i == k || all[i].part || all[k].part || !all[i].op || !all[k].op ||
                !is_part_of(g, &all[i], &all[k]))
                continue;
            all[k].lo = all[i].lo;
            all[k].part = all[i].op;
            all[i].op = NULL;
            break;
        }
    }
}

/* --- both ways --- */

typedef struct {
    Grad *g;
    GradArray *array;
    const Tap *tap;
    Anew anew;
    int64_t count;   /* of lanes */
    Limits nonzero;  /* where it hands on anything: what it is made of, and its mask, say so */
    Value *begin, *end; /* of the new loop */
    Value *own; /* the program's lanes, program * count + lane */
} Way;

static Value *program_number(Way *w, OpCode code)
{
    const Type *i32 = type_scalar(w->g->func->module, DT_I32);
    const int64_t axis = w->anew.axis;

    return build_op(&w->g->b, code, 0, NULL, 1, &axis, 1, &i32)->results[0];
}

/* So many times a number: of lanes, as they are called. */
static Value *times_lanes(Way *w, Value *number)
{
    Value *count = build_int(&w->g->b, number->type, w->count);

    value_name_number(count, value_extent(w->own, 0));
    return build_binary(&w->g->b, OP_mul, number, count);
}

static Value *own_begin(Way *w)
{
    return times_lanes(w, program_number(w, OP_program_id));
}

static Value *all_lanes(Way *w)
{
    return times_lanes(w, program_number(w, OP_num_programs));
}

static PolyAtom atom_of(const Value *v)
{
    return (PolyAtom){v, MAX_RANK + v->id};
}

/* program * count + lane */
static bool own_lanes(Way *w, Poly *out)
{
    *out = (Poly){0};
    return domain_add_program(w->g, w->anew.axis, w->count, out) &&
           poly_push(out, &(PolyTerm){1, 1, {{NULL, w->anew.side}}});
}

static bool all_limits(Way *w, Limits *out)
{
    const Tap *t = w->tap;

    *out = w->nonzero;
    for (int i = 0; i < t->nends; i++) {
        if (!add_end_limit(t, t->ends[i], out))
            return false;
    }
    return true;
}

static bool knows_program(const Way *w, const Value *v)
{
    return domain_knows(v, w->anew.axis, NULL, map_new(w->g->arena));
}

/* The scalar is less than this argument alone; NULL: it is nothing of the kind. */
static Value *argument_of(const Poly *p)
{
    const PolyTerm *t = &p->terms[0];

    return p->count == 1 && t->count == 1 && t->scale == 1 && grad_same_for_all(t->of[0].value)
               ? (Value *)t->of[0].value
               : NULL;
}

static Value *least(Builder *b, Value *x, Value *y)
{
    if (!x || !y)
        return x ? x : y;
    return build_binary(b, OP_min, x, build_cast(b, y, x->type->dtype, ROUND_NEAREST));
}

static bool begin_way(Grad *g, GradArray *array, const Tap *t, const Value *tile, int side, int axis,
                      Way *w)
{
    const Type *type = tile->type;

    if (type->rank == 0 || type->rank >= MOST_SIDES_ANEW || !domain_program(g, axis))
        return false;
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] == 1)
            return false;
    }
    *w = (Way){.g = g, .array = array, .tap = t, .count = type->dims[side]};
    w->anew = (Anew){.domain = domain_of(g, type, t->counter), .loop = t->loop, .axis = axis,
                     .side = side, .made = map_new(g->arena)};
    return true;
}

static void make_own_lanes(Way *w, const Value *tile)
{
    Builder *b = &w->g->b;
    Value *lanes = build_arange(b, 0, (int32_t)w->count);
    const Symbol *called = value_extent(tile, w->anew.side);

    value_name_extents(w->g->func->module, lanes, &called);
    w->own = lanes;
    w->own = build_binary(b, OP_add, build_splat(b, own_begin(w), lanes->type), lanes);
}

static Value *as_counter(Way *w, Value *v)
{
    return build_cast(&w->g->b, v, w->tap->counter->type->dtype, ROUND_NEAREST);
}

static void start_again(Way *w)
{
    w->anew.made = map_new(w->g->arena);
    w->anew.facts.n = 0;
    w->anew.are_known = false;
}

static Value *zeros_like(Grad *g, const Value *like)
{
    const Type *type = like->type;

    if (dtype_is_small_float(type->dtype))
        type = type_with_dtype(g->func->module, type, DT_FP32);
    Value *zero = build_float(&g->b, type, 0);
    value_shaped_like(g->func->module, zero, like);
    return zero;
}

/* A loop from begin to end that carries the sum so far; the builder goes into it. */
static Op *make_loop(Way *w, Value *sum, Builder *outside)
{
    Grad *g = w->g;
    const Type *type = sum->type;
    Value *one = build_int(&g->b, w->end->type, 1);
    Value *operands[FOR_BOUNDS + 1] = {w->begin, w->end, one, sum};
    Op *loop = build_op(&g->b, OP_for, FOR_BOUNDS + 1, operands, w->tap->loop->nattrs,
                        w->tap->loop->attrs, 1, &type);
    Block *body = loop->regions[0];
    if (body->nargs == 0)
        block_add_arg(body, w->end->type);
    if (body->nargs == 1)
        block_add_arg(body, type);
    body->args[1]->name = loop->results[0]->name = intern(g->func->module->interner, "gathered");
    value_shaped_like(g->func->module, body->args[1], sum);
    value_shaped_like(g->func->module, loop->results[0], sum);
    *outside = g->b;
    g->b = builder_into(&g->b, body);
    return loop;
}

/* The sum goes on by d, under the condition; NULL: there is none.  Without d there is no loop. */
static bool end_loop(Way *w, Op *loop, Value *d, Value *mask, const Builder *outside)
{
    Grad *g = w->g;
    Value *sum = loop->regions[0]->args[1];

    if (d) {
        d = build_cast(&g->b, d, sum->type->dtype, ROUND_NEAREST);
        if (mask)
            d = build_select(&g->b, mask, d, grad_number(g, d, 0));
        d = build_binary(&g->b, OP_add, sum, d);
        build_yield(&g->b, OP_yield, 1, &d);
    }
    g->b = *outside;
    if (!d)
        op_remove(loop);
    return d != NULL;
}

/* --- lanes that are summed up, and rounds --- */

/* In all rounds that a program has there is a lane of some program; what not all programs have is
 * 0 in the others; and lanes of programs without them belong to no element. */
static bool rounds_have_lanes(Way *w)
{
    const Tap *t = w->tap;
    Domain *d = &w->anew.domain;
    const Poly *need = NULL;
    Poly counter, lanes, own, known;
    bool covered = false;

    if (!polynomial(t->counter, &counter) || !own_lanes(w, &own))
        return false;
    for (int i = 0; i < t->nends; i++) {
        Poly end, room = {0}, last, rounds = counter;
        int64_t each;
        if (!polynomial(t->ends[i], &end) || !domain_add_programs(w->g, w->anew.axis, w->count, &room))
            return false;
        lanes = room;
        if (!poly_add(&room, &end, -1) || !poly_add(&rounds, &end, -1))
            return false;
        covered |= domain_is_not_negative(d, &room);
        if (!knows_program(w, t->ends[i])) {
            if (grad_is_same_poly(&end)) {
                known = end;
                need = &known;
            }
            continue;
        }
        last = end; /* of the last program, without the lane's number and 1 */
        if (!domain_scale(&end, atom_of(domain_program(w->g, w->anew.axis)), &each) || each < 0 ||
            !domain_add_program(w->g, w->anew.axis, -each, &last) ||
            !domain_add_programs(w->g, w->anew.axis, each, &last) ||
            !poly_push(&last, &(PolyTerm){.scale = -each - 1}) || !poly_add(&last, &own, -1) ||
            !domain_is_not_negative(d, &last) || !domain_implies(d, &w->nonzero, &rounds))
            return false;
    }
    if (covered)
        return true;
    return need && lanes.count == 1 && grad_need(w->g, w->array, need, &lanes.terms[0]);
}

/* From the program's own lanes on, where what is handed on says so, and as far as it does. */
static void find_lanes_range(Way *w, Poly *first, Poly *last)
{
    Anew *a = &w->anew;
    const PolyAtom lane = {NULL, a->side};
    Poly own;

    w->begin = build_int(&w->g->b, type_scalar(w->g->func->module, DT_I32), 0);
    w->end = NULL;
    *first = *last = (Poly){0};
    if (!own_lanes(w, &own))
        return;
    for (int i = 0; i < w->nonzero.n; i++) {
        Poly limit = w->nonzero.at[i], whole = own;
        int64_t by, rounds;

        if (!anew_is_whole(a, &limit) || !domain_scale(&limit, lane, &by) ||
            !domain_scale(&limit, atom_of(w->tap->counter), &rounds))
            continue;
        if (by == 1 && rounds == 0 && !w->end && poly_add(&whole, &limit, -1)) {
            w->end = argument_of(&whole); /* lane - (lane - n) */
            *last = w->end ? whole : *last;
        }
        /* round - lane - 1, for all of the program's rounds */
        Poly apart = limit, one = {0};
        if (by == -1 && rounds == 1 && poly_add(&apart, &own, 1) && polynomial(w->tap->counter, &whole) &&
            poly_add(&apart, &whole, -1) && poly_push(&one, &(PolyTerm){.scale = -1}) &&
            poly_equal(&apart, &one))
            *first = one;
    }
    if (first->count > 0)
        w->begin = own_begin(w);
    PolyTerm all = {.scale = 0};
    Poly room = {0};
    if (domain_add_programs(w->g, a->axis, w->count, &room))
        all = room.terms[0];
    if (!w->end || !grad_is_granted(w->g, last, &all))
        w->end = least(&w->g->b, all_lanes(w), w->end);
    w->end = build_cast(&w->g->b, w->end, DT_I32, ROUND_NEAREST);
}

/* What is known of the new lanes and rounds: the counter is below the end, and begins with, or so
 * far behind, the own lanes. */
static bool tell_exchanged(Way *w, const Value *counter, int64_t behind, const Poly *last)
{
    Anew *a = &w->anew;
    Poly limit;

    a->domain.now = counter;
    a->are_known = true;
    a->facts.n = 0;
    a->lane_is = (Poly){0};
    if (!poly_push(&a->lane_is, &(PolyTerm){1, 1, {atom_of(counter)}}) || !own_lanes(w, &a->round_is))
        return false;
    limit = a->lane_is;
    if (last->count > 0 && poly_add(&limit, last, -1))
        limits_add(&a->facts, &limit);
    limit = (Poly){0};
    if (behind >= 0 && domain_add_program(w->g, a->axis, w->count, &limit) &&
        poly_add(&limit, &a->lane_is, -1) && poly_push(&limit, &(PolyTerm){.scale = behind - 1}))
        limits_add(&a->facts, &limit);
    return true;
}

static Op *sum_lanes(Way *w, Value *tile, Value *sum, int64_t behind, const Poly *last)
{
    const unsigned all = (1u << tile->type->rank) - 1;
    Builder outside;
    Op *loop = make_loop(w, sum, &outside);
    Value *counter = loop->regions[0]->args[0];

    w->anew.made = map_new(w->g->arena);
    w->anew.lane = (Made){counter, 0};
    w->anew.round = (Made){as_counter(w, w->own), 1u << w->anew.side};
    bool good = tell_exchanged(w, counter, behind, last);
    Value *d = good ? anew_spread(&w->anew, anew_make(&w->anew, tile, plain), all) : NULL;
    return end_loop(w, loop, d, NULL, &outside) ? loop : NULL;
}

/* In two parts, as the forward does: the first has the masks that are true in the other. */
static Op *sum_all_lanes(Way *w, Value *tile, bool from_own, const Poly *last)
{
    Builder *b = &w->g->b;
    Value *sum = zeros_like(w->g, tile), *end = w->end;

    if (!w->tap->part || !from_own)
        return sum_lanes(w, tile, sum, from_own ? 0 : -1, last);
    Value *behind = build_binary(b, OP_add, w->begin, times_lanes(w, build_int(b, end->type, 1)));
    w->end = least(b, behind, end);
    Op *first = sum_lanes(w, tile, sum, 0, last);
    w->begin = behind;
    w->end = end;
    return first ? sum_lanes(w, tile, first->results[0], w->count, last) : NULL;
}

static Value *both(Builder *b, Value *x, Value *y)
{
    return x ? build_binary(b, OP_and, x, y) : y;
}

/* The element is read: its mask says so, and there is such a round. */
static bool where_read(Way *w, const int8_t *sides, unsigned all, Value **out)
{
    Anew *a = &w->anew;
    const Tap *t = w->tap;
    Builder *b = &w->g->b;
    Value *round = anew_spread(a, a->round, all);
    int64_t lo;

    *out = NULL;
    if (t->mask) {
        *out = anew_spread(a, anew_make(a, t->mask, sides), all);
        if (!*out)
            return false;
    }
    if (!value_const_int(t->lo, &lo) || lo != 0)
        *out = both(b, *out, build_binary(b, OP_ge, round, build_splat(b, t->lo, round->type)));
    for (int i = 0; i < t->nends; i++) {
        if (knows_program(w, t->ends[i]))
            continue;
        Value *end = build_splat(b, as_counter(w, t->ends[i]), round->type);
        *out = both(b, *out, build_binary(b, OP_lt, round, end));
    }
    return true;
}

static Op *put(Way *w, Value *pointer, Value *sum, Value *mask)
{
    Grad *g = w->g;
    Value *d = build_cast(&g->b, sum, pointer->type->dtype, ROUND_NEAREST);

    grad_stand_for(g, w->tap->op);
    return build_op(&g->b, OP_store, mask ? 3 : 2, (Value *[]){pointer, d, mask}, 0, NULL, 0, NULL);
}

static Op *exchange(Grad *g, GradArray *array, const Tap *t, int axis)
{
    const Op *sum = opt_made_by(t->data, OP_reduce);
    int8_t sides[MAX_RANK];
    Poly first, last;
    Way w;

    if (!sum || sum->noperands != 1 || ir_combine_code(sum) != OP_add)
        return NULL;
    Value *tile = sum->operands[0];
    const int side = (int)attr_axis(sum);
    for (int d = 0; d < MAX_RANK; d++)
        sides[d] = (int8_t)(d + (d >= side));
    if (!begin_way(g, array, t, tile, side, axis, &w))
        return NULL;
    limits_of_nonzero(&w.anew.domain, &w.nonzero, tile, plain);
    if (t->mask)
        limits_of_mask(&w.nonzero, t->mask, sides);
    if (knows_program(&w, t->lo) || !rounds_have_lanes(&w))
        return NULL;
    make_own_lanes(&w, tile);
    find_lanes_range(&w, &first, &last);
    Op *loop = sum_all_lanes(&w, tile, first.count > 0, &last);
    if (!loop)
        return NULL;
    const unsigned all = (1u << tile->type->rank) - 1;
    start_again(&w);
    w.anew.lane = (Made){NULL, 0};
    w.anew.round = (Made){as_counter(&w, w.own), 1u << side};
    Value *mask, *pointer = anew_spread(&w.anew, anew_make(&w.anew, t->pointer, sides), all);
    if (!pointer || !where_read(&w, sides, all, &mask))
        return NULL;
    return put(&w, pointer, loop->results[0], mask);
}

/* --- lanes that stand for what they have in common with rounds --- */

/* What the atom is multiplied by, in the one term that has it. */
static bool factors_of(const Poly *p, PolyAtom atom, PolyTerm *out)
{
    const PolyTerm one = {1, 1, {atom}};
    int found = 0;

    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count; k++) {
            if (p->terms[i].of[k].key == atom.key && found++ == 0 &&
                !poly_divide(&p->terms[i], &one, out))
                return false;
        }
    }
    return found == 1;
}

/* The address goes by the number of a lane plus the round, 1, or minus it, -1; 0: by neither. */
static int64_t common_with_round(const Way *w)
{
    const PolyAtom lane = {NULL, w->anew.side};
    Poly place, apart = {0};
    PolyTerm by, rounds;

    if (!polynomial(w->tap->pointer, &place) || !anew_is_whole(&w->anew, &place) ||
        !factors_of(&place, lane, &by) || !factors_of(&place, atom_of(w->tap->counter), &rounds))
        return 0;
    const int64_t sign = by.scale == rounds.scale ? 1 : -1;
    rounds.scale *= -sign;
    return poly_push(&apart, &by) && poly_push(&apart, &rounds) && apart.count == 0 ? sign : 0;
}

/* Each element that anything is handed to has a lane. */
static bool elements_have_lanes(Way *w, const Poly *common)
{
    Domain *d = &w->anew.domain;
    Poly below = {0}, room = {0}, beyond = *common;
    Limits all;

    if (!all_limits(w, &all) || !poly_push(&below, &(PolyTerm){.scale = -1}) ||
        !poly_add(&below, common, -1) || !domain_implies(d, &all, &below) ||
        !domain_add_programs(w->g, w->anew.axis, w->count, &room))
        return false;
    const PolyTerm lanes = room.terms[0];
    if (!poly_add(&beyond, &room, -1))
        return false;
    if (domain_is_below_zero(d, &beyond))
        return true;
    for (int i = 0; i < all.n; i++) { /* common - (common - end) */
        Poly end = *common;
        if (poly_add(&end, &all.at[i], -1) && grad_is_same_poly(&end) &&
            grad_need(w->g, w->array, &end, &lanes))
            return true;
    }
    return false;
}

/* Programs that have not a round would hand on 0 in it. */
static bool rounds_are_same(Way *w)
{
    const Tap *t = w->tap;

    for (int i = 0; i < t->nends; i++) {
        Limits end = {0};
        if (knows_program(w, t->ends[i]) &&
            (!add_end_limit(t, t->ends[i], &end) ||
             !domain_implies(&w->anew.domain, &w->nonzero, &end.at[0])))
            return false;
    }
    return true;
}

/* The first round reads whatever any round does: as they go on, masks become narrower. */
static bool first_reads_all(Way *w, int64_t sign, const Limits *mask)
{
    const Tap *t = w->tap;
    const PolyAtom lane = {NULL, w->anew.side}, counter = atom_of(t->counter);
    Limits now = {0};

    for (int i = 0; i < mask->n; i++) {
        int64_t by, rounds;
        Poly first = mask->at[i];
        if (!domain_scale(&mask->at[i], lane, &by) ||
            !domain_scale(&mask->at[i], counter, &rounds) || rounds - sign * by < 0 ||
            !poly_push(&first, &(PolyTerm){-rounds, 1, {counter}}))
            return false;
        limits_add(&now, &first);
    }
    for (int i = 0; i < t->nends; i++) { /* it is there */
        Poly end, none = {0};
        if (!polynomial(t->ends[i], &end) || !poly_add(&none, &end, -1) ||
            !domain_implies(&w->anew.domain, &now, &none))
            return false;
    }
    return !mask->others;
}

/* The rounds that all programs have, as far as lanes are there: of lane - round those from its own
 * on, of lane + round those before the end of what is handed on. */
static bool find_rounds_range(Way *w, int64_t sign)
{
    Grad *g = w->g;
    Builder *b = &g->b;
    const Tap *t = w->tap;
    const PolyAtom lane = {NULL, w->anew.side};
    Poly room = {0}, whole = {0}, last = {0};
    bool is_there = sign > 0;

    w->begin = build_cast(b, t->lo, DT_I32, ROUND_NEAREST);
    w->end = NULL;
    if (!domain_add_programs(g, w->anew.axis, w->count, &room) || !own_lanes(w, &whole))
        return false;
    for (int i = 0; i < w->nonzero.n && sign < 0; i++) {
        Poly end = whole;
        int64_t by, rounds;
        if (!domain_scale(&w->nonzero.at[i], lane, &by) || by != 1 ||
            !domain_scale(&w->nonzero.at[i], atom_of(t->counter), &rounds) || rounds != 0 ||
            !poly_add(&end, &w->nonzero.at[i], -1) || !argument_of(&end) ||
            !grad_need(g, w->array, &end, &room.terms[0]))
            continue;
        Value *most = build_cast(b, argument_of(&end), DT_I32, ROUND_NEAREST);
        w->end = build_binary(b, OP_sub, most, own_begin(w));
        last = end;
        is_there = true;
        break;
    }
    for (int i = 0; i < t->nends; i++) {
        Poly end;
        if (!knows_program(w, t->ends[i]) &&
            !(last.count > 0 && polynomial(t->ends[i], &end) && poly_equal(&end, &last)))
            w->end = least(b, w->end, build_cast(b, t->ends[i], DT_I32, ROUND_NEAREST));
    }
    if (sign > 0) {
        Value *one = build_int(b, w->begin->type, 1);
        Value *beyond = build_binary(b, OP_add, own_begin(w), times_lanes(w, one));
        w->end = least(b, beyond, w->end);
    }
    return is_there && w->end;
}

static bool tell_common(Way *w, int64_t sign, const Value *counter)
{
    Anew *a = &w->anew;

    a->domain.now = counter;
    a->round_is = (Poly){0};
    a->are_known = true;
    return own_lanes(w, &a->lane_is) &&
           poly_push(&a->lane_is, &(PolyTerm){-sign, 1, {atom_of(counter)}}) &&
           poly_push(&a->round_is, &(PolyTerm){1, 1, {atom_of(counter)}});
}

static Op *share(Grad *g, GradArray *array, const Tap *t, int side, int axis)
{
    const Type *i32 = type_scalar(g->func->module, DT_I32);
    Limits mask = {0};
    Builder outside;
    int64_t lo;
    Poly common;
    Way w;

    if (!begin_way(g, array, t, t->data, side, axis, &w) || !value_const_int(t->lo, &lo) || lo != 0)
        return NULL;
    const int64_t sign = common_with_round(&w);
    if (sign == 0 || !own_lanes(&w, &common) ||
        !poly_push(&common, &(PolyTerm){sign, 1, {atom_of(t->counter)}}))
        return NULL;
    if (t->mask)
        limits_of_mask(&mask, t->mask, plain);
    limits_of_nonzero(&w.anew.domain, &w.nonzero, t->data, plain);
    const bool said = limits_say(&w.nonzero, &mask);
    for (int i = 0; i < mask.n; i++)
        limits_add(&w.nonzero, &mask.at[i]);
    if (!rounds_are_same(&w) || !first_reads_all(&w, sign, &mask) || !elements_have_lanes(&w, &common))
        return NULL;
    make_own_lanes(&w, t->data);
    if (!find_rounds_range(&w, sign))
        return NULL;
    Op *loop = make_loop(&w, zeros_like(g, t->data), &outside);
    Value *counter = loop->regions[0]->args[0];
    const unsigned all = (1u << t->data->type->rank) - 1;
    const Made own = {w.own, 1u << side};
    Value *now = build_binary(&g->b, sign > 0 ? OP_sub : OP_add, w.own,
                              build_splat(&g->b, counter, w.own->type));
    counter->name = t->counter->name;
    w.anew.lane = (Made){now, 1u << side};
    w.anew.round = (Made){as_counter(&w, counter), 0};
    bool good = tell_common(&w, sign, counter);
    Value *d = good ? anew_spread(&w.anew, anew_make(&w.anew, t->data, plain), all) : NULL;
    Value *where = NULL;
    if (d && t->mask && !said) {
        where = anew_spread(&w.anew, anew_make(&w.anew, t->mask, plain), all);
        d = where ? d : NULL;
    }
    if (d && sign > 0) {
        Made there = {build_binary(&g->b, OP_ge, now, build_int(&g->b, now->type, 0)), 1u << side};
        where = both(&g->b, where, anew_spread(&w.anew, there, all));
    }
    if (!end_loop(&w, loop, d, where, &outside))
        return NULL;
    start_again(&w);
    w.anew.lane = own;
    w.anew.round = (Made){as_counter(&w, build_int(&g->b, i32, 0)), 0};
    w.anew.round_is = (Poly){0};
    w.anew.are_known = own_lanes(&w, &w.anew.lane_is);
    Value *pointer = anew_spread(&w.anew, anew_make(&w.anew, t->pointer, plain), all);
    Value *read = t->mask ? anew_spread(&w.anew, anew_make(&w.anew, t->mask, plain), all) : NULL;
    if (!pointer || (t->mask && !read))
        return NULL;
    return put(&w, pointer, loop->results[0], read);
}

/* --- all --- */

enum { MOST_TAPS = 16 };
typedef struct {
    Grad *g;
    const GradArray *array;
    Tap taps[MOST_TAPS];
    int n, others; /* that are no taps */
    GradOps adds;
} Search;

static bool adds_to(const Search *s, const Op *op)
{
    return op->code == OP_atomic_rmw &&
           grad_array_of(s->g, op->operands[0]) == s->array->gradient->index;
}

static void find_add(Op *op, void *search)
{
    Search *s = search;

    if (adds_to(s, op))
        vec_push(s->g->arena, &s->adds, op);
}

static void find_tap(Op *op, void *search)
{
    Search *s = search;

    if (!adds_to(s, op))
        return;
    if (s->n < MOST_TAPS && tap_of(op, &s->taps[s->n]))
        s->n++;
    else
        s->others++;
}

static bool goes_by_round(const Tap *t)
{
    Poly place;
    PolyTerm by;

    return polynomial(t->pointer, &place) && factors_of(&place, atom_of(t->counter), &by);
}

/* Does each lane have an element of its own, in its program? */
static Op *if_alone(Grad *g, const GradArray *a, Op *store)
{
    const GradOps one = {.at = &store, .len = 1};

    if (!store || grad_alone(g, a, &one, 0))
        return store;
    op_remove(store);
    return NULL;
}

/* Sums it up in another loop; gives what stores the sum, or NULL. */
static Op *transpose(Grad *g, GradArray *a, const Tap *t)
{
    const int needs = g->needs.len;
    Op *made = NULL;

    if (!goes_by_round(t))
        return NULL;
    grad_stand_for(g, t->op);
    for (int axis = 0; axis < AXES && !made; axis++) {
        if (!(g->asked >> axis & 1))
            continue;
        made = if_alone(g, a, exchange(g, a, t, axis));
        if (!made)
            g->needs.len = needs;
        for (int side = 0; side < t->pointer->type->rank && !made; side++) {
            made = if_alone(g, a, share(g, a, t, side, axis));
            if (!made)
                g->needs.len = needs;
        }
    }
    return made;
}

static void add_atomically(Grad *g, Op *store)
{
    const int64_t add[3] = {RMW_ADD, SEM_RELAXED, 0};
    const Builder before = g->b;

    g->b = builder_before(store);
    build_op(&g->b, OP_atomic_rmw, store->noperands, store->operands, 3, add, 1,
             &store->operands[STORE_DATA]->type);
    op_remove(store);
    g->b = before;
}

void gather_transposed(Grad *g, GradArray *a)
{
    Search *s = NEW(g->arena, Search);
    GradOps made = {0};
    const int needs = g->needs.len;

    *s = (Search){.g = g, .array = a};
    if (a->fill != GRAD_ADDED || a->in_last_pass || g->wish->atomics)
        return;
    ir_walk(g->func->body, find_tap, s);
    join_parts(g, s->taps, s->n);
    for (int i = 0; i < s->n; i++) {
        Tap *t = &s->taps[i];
        Op *store = t->op ? transpose(g, a, t) : NULL;
        if (!store) {
            s->others += t->op != NULL;
            continue;
        }
        vec_push(g->arena, &made, store);
        op_remove(t->op);
        if (t->part)
            op_remove(t->part);
    }
    const int then = g->needs.len;
    if (made.len == 1 && s->others == 0 && grad_alone(g, a, &made, g->asked)) {
        a->fill = GRAD_STORED;
        a->is_gathered = a->is_transposed = true;
        return;
    }
    g->needs.len = made.len > 0 ? then : needs;
    for (int i = 0; i < made.len; i++)
        add_atomically(g, made.at[i]);
    if (made.len == 0)
        return;
    a->is_transposed = true;
    *s = (Search){.g = g, .array = a};
    ir_walk(g->func->body, find_add, s);
    a->adds = s->adds;
}
