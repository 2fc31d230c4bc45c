/*
 * common.c - lanes stand for what they have in common with rounds: for d of t = d + u
 *
 *     for u in range(n):                            for u in range(n):
 *         atomic d_w[t - u] += f(t, u)       ->         d_w[d] += f(d + u, u)
 */
#include "../opt/opt.h"
#include "gather.h"
#include "transposed.h"

/* The address goes by the number of a lane plus the round, 1, or minus it, -1; 0: by neither. */
static int64_t common_with_round(const Way *w)
{
    const PolyAtom lane = {NULL, w->anew.side};
    Poly place, apart = {0};
    PolyTerm by, rounds;

    if (!tap_polynomial(w->tap->pointer, &place) || !anew_is_whole(&w->anew, &place) ||
        !tap_factors_of(&place, lane, &by) ||
        !tap_factors_of(&place, tap_atom(w->tap->counter), &rounds))
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

    if (!way_all_limits(w, &all) || !poly_push(&below, &(PolyTerm){.scale = -1}) ||
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
        if (poly_add(&end, &all.at[i], -1) && terms_is_same_poly(&end) &&
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
        if (way_knows_program(w, t->ends[i]) &&
            (!tap_add_end_limit(t, t->ends[i], &end) ||
             !domain_implies(&w->anew.domain, &w->nonzero, &end.at[0])))
            return false;
    }
    return true;
}

/* The first round reads whatever any round does: as they go on, masks become narrower. */
static bool first_reads_all(Way *w, int64_t sign, const Limits *mask)
{
    const Tap *t = w->tap;
    const PolyAtom lane = {NULL, w->anew.side}, counter = tap_atom(t->counter);
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
        if (!tap_polynomial(t->ends[i], &end) || !poly_add(&none, &end, -1) ||
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
    if (!domain_add_programs(g, w->anew.axis, w->count, &room) || !way_own_lanes(w, &whole))
        return false;
    for (int i = 0; i < w->nonzero.n && sign < 0; i++) {
        Poly end = whole;
        int64_t by, rounds;
        if (!domain_scale(&w->nonzero.at[i], lane, &by) || by != 1 ||
            !domain_scale(&w->nonzero.at[i], tap_atom(t->counter), &rounds) || rounds != 0 ||
            !poly_add(&end, &w->nonzero.at[i], -1) || !way_argument_of(&end) ||
            !grad_need(g, w->array, &end, &room.terms[0]))
            continue;
        Value *most = build_cast(b, way_argument_of(&end), DT_I32, ROUND_NEAREST);
        w->end = build_binary(b, OP_sub, most, way_own_begin(w));
        last = w->before = end;
        is_there = true;
        break;
    }
    for (int i = 0; i < t->nends; i++) {
        Poly end;
        if (!way_knows_program(w, t->ends[i]) &&
            !(last.count > 0 && tap_polynomial(t->ends[i], &end) && poly_equal(&end, &last)))
            w->end = way_least(b, w->end, build_cast(b, t->ends[i], DT_I32, ROUND_NEAREST));
    }
    if (sign > 0) {
        Value *one = build_int(b, w->begin->type, 1);
        Value *own = way_own_begin(w), *lanes = way_times_lanes(w, one);
        Value *beyond = build_binary(b, OP_add, own, lanes);
        w->end = way_least(b, beyond, w->end);
    }
    return is_there && w->end;
}

/* The last program has the round, if any has. */
static bool is_some_programs_round(Way *w, const Value *end)
{
    Domain *d = &w->anew.domain;
    Poly p, limit, last = {0};
    int64_t each;

    return tap_polynomial(end, &p) && way_is_round_below(w, end, &limit) &&
           domain_scale(&p, tap_atom(domain_program(w->g, w->anew.axis)), &each) && each >= 0 &&
           domain_add_program(w->g, w->anew.axis, each, &limit) &&
           domain_add_programs(w->g, w->anew.axis, -each, &limit) &&
           poly_push(&limit, &(PolyTerm){.scale = each}) &&
           anew_substitute(&w->anew, &limit, &last) && domain_implies(d, &w->anew.facts, &last);
}

/* Lanes stand for others, which may be none, in rounds that they may not have.  now: their numbers;
 * before: less than that. */
static bool guard_lanes(Way *w, int64_t sign, Value *now)
{
    const Tap *t = w->tap;
    Module *m = w->g->func->module;
    Builder *b = &w->g->b;
    const unsigned side = 1u << w->anew.side;
    LoadGuard lane = {.of_lane = true, .is_exact = true};

    if (sign > 0) {
        lane.holds = (Made){build_binary(b, OP_ge, now, build_int(b, now->type, 0)), side};
    } else {
        Value *before = build_cast(b, way_argument_of(&w->before), DT_I32, ROUND_NEAREST);
        if (!way_own_lanes(w, &lane.limit) || !poly_add(&lane.limit, &w->before, -1))
            return false;
        lane.holds = (Made){build_binary(b, OP_lt, now, build_splat(b, before, now->type)), side};
    }
    way_add_guard(w, lane);
    for (int i = 0; i < t->nends; i++) {
        LoadGuard both_ways = {.of_lane = true, .of_round = true}, round = {.of_round = true};
        if (!way_knows_program(w, t->ends[i]))
            continue;
        if (!way_is_round_below(w, t->ends[i], &round.limit))
            return false;
        both_ways.limit = round.limit;
        if (is_some_programs_round(w, t->ends[i]))
            round.holds = (Made){build_const(b, type_scalar(m, DT_I1), 1), 0};
        way_add_guard(w, both_ways);
        way_add_guard(w, round);
    }
    return !w->is_full;
}

static bool tell_common(Way *w, int64_t sign, const Value *counter)
{
    Anew *a = &w->anew;
    Poly granted = w->before, below = {0};

    a->domain.now = counter;
    a->round_is = (Poly){0};
    a->are_known = true;
    if (!way_own_lanes(w, &a->lane_is) ||
        !poly_push(&a->lane_is, &(PolyTerm){-sign, 1, {tap_atom(counter)}}) ||
        !poly_push(&a->round_is, &(PolyTerm){1, 1, {tap_atom(counter)}}))
        return false;
    if (w->before.count == 0)
        return true;
    /* round < before - program * count, and before <= programs * count */
    if (!domain_add_programs(w->g, a->axis, -w->count, &granted) ||
        !poly_push(&granted, &(PolyTerm){.scale = -1}) ||
        !domain_add_program(w->g, a->axis, w->count, &below) ||
        !poly_add(&below, &a->round_is, 1) || !poly_add(&below, &w->before, -1))
        return false;
    limits_add(&a->facts, &granted);
    limits_add(&a->facts, &below);
    return true;
}

Op *way_share(Grad *g, GradArray *array, const Tap *t, int side, int axis)
{
    const Type *i32 = type_scalar(g->func->module, DT_I32);
    Limits mask = {0};
    Builder outside;
    int64_t lo;
    Poly common;
    Way w;

    if (!way_begin(g, array, t, t->data, side, axis, &w) || !value_const_int(t->lo, &lo) || lo != 0)
        return NULL;
    const int64_t sign = common_with_round(&w);
    if (sign == 0 || !way_own_lanes(&w, &common) ||
        !poly_push(&common, &(PolyTerm){sign, 1, {tap_atom(t->counter)}}))
        return NULL;
    if (t->mask)
        limits_of_mask(&mask, t->mask, tap_sides);
    limits_of_nonzero(&w.anew.domain, &w.nonzero, t->data, tap_sides);
    const bool said = limits_say(&w.nonzero, &mask);
    for (int i = 0; i < mask.n; i++)
        limits_add(&w.nonzero, &mask.at[i]);
    if (!rounds_are_same(&w) || !first_reads_all(&w, sign, &mask) ||
        !elements_have_lanes(&w, &common))
        return NULL;
    way_make_own_lanes(&w, t->data);
    if (!find_rounds_range(&w, sign))
        return NULL;
    Op *loop = way_make_loop(&w, way_zeros_like(g, t->data), &outside);
    Value *counter = loop->regions[0]->args[0];
    const unsigned all = (1u << t->data->type->rank) - 1;
    const Made own = {w.own, 1u << side};
    Value *now = build_binary(&g->b, sign > 0 ? OP_sub : OP_add, w.own,
                              build_splat(&g->b, counter, w.own->type));
    counter->name = t->counter->name;
    w.anew.lane = (Made){now, 1u << side};
    w.anew.round = (Made){way_as_counter(&w, counter), 0};
    bool good = tell_common(&w, sign, counter) && guard_lanes(&w, sign, now);
    Value *d = good ? anew_spread(&w.anew, anew_make(&w.anew, t->data, tap_sides), all) : NULL;
    Value *where = NULL;
    if (d && t->mask && !said) {
        where = anew_spread(&w.anew, anew_make(&w.anew, t->mask, tap_sides), all);
        d = where ? d : NULL;
    }
    if (d && sign > 0) {
        Made there = {build_binary(&g->b, OP_ge, now, build_int(&g->b, now->type, 0)), 1u << side};
        where = way_both(&g->b, where, anew_spread(&w.anew, there, all));
    }
    if (!way_end_loop(&w, loop, d, where, &outside))
        return NULL;
    way_start_again(&w);
    w.anew.nguards = 0;
    w.anew.lane = own;
    w.anew.round = (Made){way_as_counter(&w, build_int(&g->b, i32, 0)), 0};
    w.anew.round_is = (Poly){0};
    w.anew.are_known = way_own_lanes(&w, &w.anew.lane_is);
    Value *pointer = anew_spread(&w.anew, anew_make(&w.anew, t->pointer, tap_sides), all);
    Value *read =
        t->mask ? anew_spread(&w.anew, anew_make(&w.anew, t->mask, tap_sides), all) : NULL;
    if (!pointer || (t->mask && !read))
        return NULL;
    return way_put(&w, pointer, loop->results[0], read);
}
