/*
 * exchanged.c - lanes that are summed up, and rounds, take each other's place
 *
 *     for u in range(n):                            for t in range(programs * BLOCK):
 *         atomic d_x[u] += sum over t of f   ->         d_x[u] += f
 *
 * Lanes are those of u now, and the counter is that of t, of all programs.
 */
#include "../opt/opt.h"
#include "gather.h"
#include "transposed.h"

/* Are there about as many rounds as lanes, of all programs?  Each program goes through all lanes
 * for a tile of rounds, which for few rounds, as of a window, is one program that does all. */
static bool rounds_are_many(Way *w)
{
    const PolyAtom lane = {NULL, w->anew.side};

    for (int i = 0; i < w->tap->nends; i++) {
        Poly end;
        if (way_knows_program(w, w->tap->ends[i]))
            return true;
        for (int k = 0; k < w->nonzero.n && tap_polynomial(w->tap->ends[i], &end); k++) {
            Poly last;
            int64_t by;
            if (domain_scale(&w->nonzero.at[k], lane, &by) && by == 1 && way_own_lanes(w, &last) &&
                poly_add(&last, &w->nonzero.at[k], -1) && poly_equal(&last, &end))
                return true;
        }
    }
    return false;
}

/* In all rounds that a program has there is a lane of some program; what not all programs have is
 * 0 in the others; and lanes of programs without them belong to no element. */
static bool rounds_have_lanes(Way *w)
{
    const Tap *t = w->tap;
    Domain *d = &w->anew.domain;
    const Poly *need = NULL;
    Poly counter, lanes, own, known;
    bool covered = false;

    if (!tap_polynomial(t->counter, &counter) || !way_own_lanes(w, &own))
        return false;
    for (int i = 0; i < t->nends; i++) {
        Poly end, room = {0}, last, rounds = counter;
        int64_t each;
        if (!tap_polynomial(t->ends[i], &end) ||
            !domain_add_programs(w->g, w->anew.axis, w->count, &room))
            return false;
        lanes = room;
        if (!poly_add(&room, &end, -1) || !poly_add(&rounds, &end, -1))
            return false;
        covered |= domain_is_not_negative(d, &room);
        if (!way_knows_program(w, t->ends[i])) {
            if (terms_is_same_poly(&end)) {
                known = end;
                need = &known;
            }
            continue;
        }
        last = end; /* of the last program, without the lane's number and 1 */
        if (!domain_scale(&end, tap_atom(domain_program(w->g, w->anew.axis)), &each) || each < 0 ||
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
    if (!way_own_lanes(w, &own))
        return;
    for (int i = 0; i < w->nonzero.n; i++) {
        Poly limit = w->nonzero.at[i], whole = own;
        int64_t by, rounds;

        if (!anew_is_whole(a, &limit) || !domain_scale(&limit, lane, &by) ||
            !domain_scale(&limit, tap_atom(w->tap->counter), &rounds))
            continue;
        if (by == 1 && rounds == 0 && !w->end && poly_add(&whole, &limit, -1)) {
            w->end = way_argument_of(&whole); /* lane - (lane - n) */
            *last = w->end ? whole : *last;
        }
        /* round - lane - 1, for all of the program's rounds */
        Poly apart = limit, one = {0};
        if (by == -1 && rounds == 1 && poly_add(&apart, &own, 1) &&
            tap_polynomial(w->tap->counter, &whole) && poly_add(&apart, &whole, -1) &&
            poly_push(&one, &(PolyTerm){.scale = -1}) && poly_equal(&apart, &one))
            *first = one;
    }
    if (first->count > 0)
        w->begin = way_own_begin(w);
    PolyTerm all = {.scale = 0};
    Poly room = {0};
    if (domain_add_programs(w->g, a->axis, w->count, &room))
        all = room.terms[0];
    if (!w->end || !grad_is_granted(w->g, last, &all))
        w->end = way_least(&w->g->b, way_all_lanes(w), w->end);
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
    if (!poly_push(&a->lane_is, &(PolyTerm){1, 1, {tap_atom(counter)}}) ||
        !way_own_lanes(w, &a->round_is))
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

/* Lanes are rounds now: of those that no program has nothing is loaded. */
static bool guard_rounds(Way *w)
{
    const Tap *t = w->tap;
    Builder *b = &w->g->b;
    Value *round = way_as_counter(w, w->own);
    const unsigned side = 1u << w->anew.side;
    int64_t lo;

    for (int i = 0; i < t->nends; i++) {
        LoadGuard g = {.of_round = true};
        if (!way_is_round_below(w, t->ends[i], &g.limit))
            return false;
        if (!way_knows_program(w, t->ends[i]))
            g.holds =
                (Made){build_binary(b, OP_lt, round,
                                    build_splat(b, way_as_counter(w, t->ends[i]), round->type)),
                       side};
        way_add_guard(w, g);
    }
    if (!value_const_int(t->lo, &lo) || lo != 0) {
        LoadGuard g = {.of_round = true, .is_exact = true};
        g.holds = (Made){
            build_binary(b, OP_ge, round, build_splat(b, way_as_counter(w, t->lo), round->type)),
            side};
        way_add_guard(w, g);
    }
    return !w->is_full;
}

static Op *sum_lanes(Way *w, Value *tile, Value *sum, int64_t behind, const Poly *last)
{
    const unsigned all = (1u << tile->type->rank) - 1;
    Builder outside;
    Op *loop = way_make_loop(w, sum, &outside);
    Value *counter = loop->regions[0]->args[0];

    w->anew.made = map_new(w->g->arena);
    w->anew.lane = (Made){counter, 0};
    w->anew.round = (Made){way_as_counter(w, w->own), 1u << w->anew.side};
    bool good = tell_exchanged(w, counter, behind, last);
    Value *d = good ? anew_spread(&w->anew, anew_make(&w->anew, tile, tap_sides), all) : NULL;
    return way_end_loop(w, loop, d, NULL, &outside) ? loop : NULL;
}

/* In two parts, as the forward does: the first has the masks that are true in the other. */
static Op *sum_all_lanes(Way *w, Value *tile, bool from_own, const Poly *last)
{
    Builder *b = &w->g->b;
    Value *sum = way_zeros_like(w->g, tile), *end = w->end;

    if (!w->tap->part || !from_own)
        return sum_lanes(w, tile, sum, from_own ? 0 : -1, last);
    Value *behind =
        build_binary(b, OP_add, w->begin, way_times_lanes(w, build_int(b, end->type, 1)));
    w->end = way_least(b, behind, end);
    Op *first = sum_lanes(w, tile, sum, 0, last);
    w->begin = behind;
    w->end = end;
    return first ? sum_lanes(w, tile, first->results[0], w->count, last) : NULL;
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
        *out = way_both(b, *out, build_binary(b, OP_ge, round, build_splat(b, t->lo, round->type)));
    for (int i = 0; i < t->nends; i++) {
        if (way_knows_program(w, t->ends[i]))
            continue;
        Value *end = build_splat(b, way_as_counter(w, t->ends[i]), round->type);
        *out = way_both(b, *out, build_binary(b, OP_lt, round, end));
    }
    return true;
}

/* The sum over lanes that the value is, or that it is so many times; NULL. */
static const Op *sum_in(const Value *v)
{
    const Op *op = v->def, *found = NULL;

    switch (op ? op->code : OP_COUNT) {
    case OP_reduce:
        return op->noperands == 1 && ir_combine_code(op) == OP_add ? op : NULL;
    case OP_neg:
        return sum_in(op->operands[0]);
    case OP_mul:
        found = sum_in(op->operands[0]);
        return found ? found : sum_in(op->operands[1]);
    default:
        return NULL;
    }
}

Op *way_exchange(Grad *g, GradArray *array, const Tap *t, int axis)
{
    const Op *sum = sum_in(t->data);
    int8_t sides[MAX_RANK];
    Poly first, last;
    Way w;

    if (!sum)
        return NULL;
    Value *tile = sum->operands[0];
    const int side = (int)attr_axis(sum);
    for (int d = 0; d < MAX_RANK; d++)
        sides[d] = (int8_t)(d + (d >= side));
    if (!way_begin(g, array, t, tile, side, axis, &w))
        return NULL;
    limits_of_nonzero(&w.anew.domain, &w.nonzero, tile, tap_sides);
    if (t->mask)
        limits_of_mask(&w.nonzero, t->mask, sides);
    if (way_knows_program(&w, t->lo) || !rounds_are_many(&w) || !rounds_have_lanes(&w))
        return NULL;
    way_make_own_lanes(&w, tile);
    if (!guard_rounds(&w))
        return NULL;
    find_lanes_range(&w, &first, &last);
    Op *loop = sum_all_lanes(&w, tile, first.count > 0, &last);
    if (!loop)
        return NULL;
    const unsigned all = (1u << tile->type->rank) - 1;
    way_start_again(&w);
    w.anew.lane = (Made){NULL, 0};
    w.anew.round = (Made){way_as_counter(&w, w.own), 1u << side};
    anew_know(&w.anew, sum->results[0], sides, (Made){loop->results[0], all});
    Value *mask, *pointer = anew_spread(&w.anew, anew_make(&w.anew, t->pointer, sides), all);
    Value *d = anew_make(&w.anew, t->data, sides).v;
    if (!d || !pointer || !where_read(&w, sides, all, &mask))
        return NULL;
    return way_put(&w, pointer, d, mask);
}
