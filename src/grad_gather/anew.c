/*
 * anew.c - a value of some lanes and rounds, computed for others
 *
 * Of a tile that is handed on each element is a number made of indices: of those along its sides,
 * of which one goes on with programs, program * count + lane, and of the counter of a loop.  Here
 * it is made of others that are given for these: each op once more, with the sides that it has
 * then, which may be more or fewer than before.  In what is made of program * count + lane alone
 * the program becomes 0, and the lane all of that.
 *
 * Conditions that always hold for the new lanes and rounds are left out.
 */
#include <string.h>

#include "../opt/opt.h"
#include "transposed.h"

static const Made none = {0};

void gather_operand_sides(const Op *op, const Value *x, const int8_t *sides, int8_t *out)
{
    int n, rank = x->type->rank;
    const int64_t *dims;

    memset(out, -1, MAX_RANK);
    switch (op->code) {
    case OP_splat:
        return;
    case OP_broadcast:
        for (int d = 0; d < rank; d++)
            out[d] = x->type->dims[d] == op->results[0]->type->dims[d] ? sides[d] : -1;
        return;
    case OP_expand:
        for (int d = 0; d < rank; d++)
            out[d] = sides[d + (d >= attr_axis(op))];
        return;
    case OP_reduce:
        for (int d = 0; d < rank; d++)
            out[d] = d == attr_axis(op) ? -1 : sides[d - (d > attr_axis(op))];
        return;
    case OP_permute:
        dims = attr_dims(op, &n);
        for (int d = 0; d < n; d++)
            out[dims[d]] = sides[d];
        return;
    default:
        memcpy(out, sides, MAX_RANK);
    }
}

/* --- polynomials --- */

static bool is_own_program(const Anew *a, const PolyAtom *atom)
{
    const Op *op = atom->value ? atom->value->def : NULL;

    return op && op->code == OP_program_id && attr_axis(op) == a->axis;
}

static PolyTerm without(const PolyTerm *t, int factor)
{
    PolyTerm rest = *t;

    rest.count--;
    memmove(&rest.of[factor], &rest.of[factor + 1],
            sizeof rest.of[0] * (size_t)(rest.count - factor));
    return rest;
}

bool anew_is_whole(const Anew *a, const Poly *p)
{
    Poly rest = *p;

    for (int i = 0; i < p->count; i++) { /* without lane * factors: its twin goes, too */
        for (int k = 0; k < p->terms[i].count; k++) {
            const PolyAtom *atom = &p->terms[i].of[k];
            if (atom->value || atom->key != a->side)
                continue;
            PolyTerm lane = p->terms[i], twin = without(&lane, k);
            const Value *program = domain_program(a->domain.g, a->axis);
            if (!program || twin.count == POLY_FACTORS)
                return false;
            Poly factors = {0}, one = {0}, product;
            twin.scale *= a->domain.extents[a->side];
            lane.scale = -lane.scale;
            if (!poly_push(&factors, &twin) ||
                !poly_push(&one, &(PolyTerm){1, 1, {{program, MAX_RANK + program->id}}}) ||
                !poly_product(&factors, &one, &product) || !poly_add(&rest, &product, -1) ||
                !poly_push(&rest, &lane))
                return false;
        }
    }
    for (int i = 0; i < rest.count; i++) {
        for (int k = 0; k < rest.terms[i].count; k++) {
            const Value *v = rest.terms[i].of[k].value;
            if (v ? domain_knows(v, a->axis, NULL, map_new(a->domain.g->arena)) &&
                        v != a->domain.counter
                  : rest.terms[i].of[k].key == a->side)
                return false;
        }
    }
    return true;
}

/* Does the integer, or the address, have no part of lane or program but as one number? */
static bool is_whole(const Anew *a, const Value *v, const int8_t *sides)
{
    PolyScope scope = {0};
    Poly p;

    return (v->type->pointer || dtype_is_int(v->type->dtype)) && v->type->dtype != DT_I1 &&
           poly_of(&scope, v, sides, &p) && anew_is_whole(a, &p);
}

bool anew_substitute(const Anew *a, const Poly *p, Poly *out)
{
    *out = (Poly){0};
    if (!a->are_known || !anew_is_whole(a, p))
        return false;
    for (int i = 0; i < p->count; i++) {
        Poly product = {0};
        bool gone = false, good = poly_push(&product, &(PolyTerm){.scale = p->terms[i].scale});

        for (int k = 0; k < p->terms[i].count && good; k++) {
            const PolyAtom *atom = &p->terms[i].of[k];
            Poly as_it_is = {0}, next;
            const Poly *factor = &as_it_is;

            gone |= is_own_program(a, atom);
            if (!atom->value && atom->key == a->side)
                factor = &a->lane_is;
            else if (atom->value && atom->value == a->domain.counter)
                factor = &a->round_is;
            else
                good = poly_push(&as_it_is, &(PolyTerm){1, 1, {*atom}});
            good = good && poly_product(&product, factor, &next);
            product = next;
        }
        if (!good || (!gone && !poly_add(out, &product, 1)))
            return false;
    }
    return true;
}

/* --- shapes --- */

static const Type *type_of_sides(const Anew *a, const Type *element, unsigned sides)
{
    Type type = *element;

    type.rank = 0;
    memset(type.dims, 0, sizeof type.dims);
    for (int i = 0; i < a->domain.nsides; i++) {
        if (sides >> a->domain.order[i] & 1)
            type.dims[type.rank++] = a->domain.extents[a->domain.order[i]];
    }
    return type_of(a->domain.g->func->module, type);
}

/* Which dimension it is, or would be. */
static int place_of(const Anew *a, unsigned sides, int side)
{
    int place = 0;

    for (int i = 0; a->domain.order[i] != side; i++)
        place += sides >> a->domain.order[i] & 1;
    return place;
}

Value *anew_spread(Anew *a, Made m, unsigned sides)
{
    Builder *b = &a->domain.g->b;
    Module *module = a->domain.g->func->module;
    unsigned has = m.sides;
    Value *v = m.v;

    if (!v || has == sides)
        return v;
    if (has == 0)
        return build_splat(b, v, type_of_sides(a, v->type, sides));
    for (int s = 0; s < a->domain.nsides; s++) {
        if (!((sides & ~has) >> s & 1))
            continue;
        v = build_expand(b, v, place_of(a, has, s));
        has |= 1u << s;
    }
    return build_broadcast(b, v, type_of_sides(a, type_element(module, v->type), sides));
}

/* --- ops --- */

static Made make(Anew *a, Value *v, const int8_t *sides, bool whole);

static bool is_true(Made m)
{
    uint64_t bits;

    return m.v && m.v->type->dtype == DT_I1 && value_constant(m.v, &bits) && bits != 0;
}

static Made constant_of(Anew *a, const Type *type, uint64_t bits)
{
    const Type *element = type_element(a->domain.g->func->module, type);

    return (Made){build_const(&a->domain.g->b, element, bits), 0};
}

/* A comparison that is true for all new lanes and rounds. */
static bool always_holds(Anew *a, const Value *v, const int8_t *sides)
{
    Limits l = {0};
    Poly now;

    limits_of_mask(&l, v, sides);
    return l.n == 1 && !l.others && anew_substitute(a, &l.at[0], &now) &&
           domain_implies(&a->domain, &a->facts, &now);
}

/* Of what is loaded where the condition is true, 0 elsewhere. */
static bool is_zero_elsewhere(Anew *a, const Op *choice, const int8_t *sides)
{
    const Value *loaded = choice->operands[1];
    Limits wanted = {0}, said = {0};
    uint64_t bits;

    if (!value_constant(choice->operands[2], &bits) || bits != 0)
        return false;
    while (loaded->def && (loaded->def->code == OP_broadcast || loaded->def->code == OP_expand))
        loaded = loaded->def->operands[0];
    if (!opt_made_by(loaded, OP_load))
        return false;
    limits_of_mask(&wanted, choice->operands[0], sides);
    limits_of_nonzero(&a->domain, &said, choice->operands[1], sides);
    Limits left = {.others = wanted.others};
    for (int i = 0; i < wanted.n; i++) {
        Poly now;
        if (!anew_substitute(a, &wanted.at[i], &now) ||
            !domain_implies(&a->domain, &a->facts, &now))
            limits_add(&left, &wanted.at[i]);
    }
    return limits_say(&said, &left);
}

static Made make_elementwise(Anew *a, const Op *op, const int8_t *sides, bool whole)
{
    Module *module = a->domain.g->func->module;
    const Type *element = type_element(module, op->results[0]->type);
    Made of[MAX_ELEMENTWISE_OPERANDS];
    Value *operands[MAX_ELEMENTWISE_OPERANDS];
    unsigned all = 0;

    for (int i = 0; i < op->noperands; i++) {
        of[i] = make(a, op->operands[i], sides, whole);
        if (!of[i].v)
            return none;
        all |= of[i].sides;
    }
    if (op->code == OP_and && (is_true(of[0]) || is_true(of[1])))
        return is_true(of[0]) ? of[1] : of[0];
    if (op->code == OP_select && (is_true(of[0]) || is_zero_elsewhere(a, op, sides)))
        return of[1];
    grad_stand_for(a->domain.g, op);
    for (int i = 0; i < op->noperands; i++)
        operands[i] = anew_spread(a, of[i], all);
    if (op->code == OP_addptr)
        return (Made){build_addptr(&a->domain.g->b, operands[0], operands[1]), all};
    const Type *type = type_of_sides(a, element, all);
    return (Made){build_op(&a->domain.g->b, op->code, op->noperands, operands, op->nattrs,
                           op->attrs, 1, &type)
                      ->results[0],
                  all};
}

static bool has_lane(const Anew *a, const Value *v, const int8_t *sides)
{
    Map *seen = map_new(a->domain.g->arena);

    for (int d = 0; d < v->type->rank; d++) {
        if (sides[d] == a->side)
            return true;
    }
    map_put(seen, MAP_KEY(a->domain.counter), (void *)a->domain.counter); /* not asked for */
    return domain_knows(v, a->axis, NULL, seen);
}

/* The mask of a load, with what must be said of what it loads; none: that cannot be. */
static Made guarded(Anew *a, const Op *load, Made mask, const int8_t *sides)
{
    const Value *pointer = load->operands[LOAD_PTR], *given = op_operand(load, LOAD_MASK);
    const bool by_lane = has_lane(a, pointer, sides);
    const bool by_round = domain_knows(pointer, -1, a->domain.counter, map_new(a->domain.g->arena));
    Limits said = {0};

    if (given)
        limits_of_mask(&said, given, sides);
    for (int i = 0; i < a->nguards; i++) {
        const LoadGuard *g = &a->guards[i];
        const Limits wanted = {.at = {g->limit}, .n = 1};
        if ((g->of_lane && !by_lane) || (g->of_round && !by_round) ||
            (g->is_exact ? limits_say(&said, &wanted)
                         : domain_implies(&a->domain, &said, &g->limit)))
            continue;
        if (!g->holds.v)
            return none;
        if (is_true(g->holds))
            continue;
        if (!mask.v || is_true(mask)) {
            mask = g->holds;
            continue;
        }
        const unsigned all = mask.sides | g->holds.sides;
        Value *x = anew_spread(a, mask, all), *y = anew_spread(a, g->holds, all);
        mask = (Made){build_binary(&a->domain.g->b, OP_and, x, y), all};
    }
    return mask.v ? mask : constant_of(a, type_scalar(a->domain.g->func->module, DT_I1), 1);
}

static Made make_load(Anew *a, const Op *op, const int8_t *sides)
{
    Builder *b = &a->domain.g->b;
    Module *module = a->domain.g->func->module;
    Made of[3] = {{0}};
    Value *operands[3];
    unsigned all = 0;
    int n = op->noperands;

    if (op->code != OP_load || op_is_volatile(op))
        return none;
    for (int i = 0; i < n; i++) {
        of[i] = make(a, op->operands[i], sides, false);
        if (!of[i].v)
            return none;
    }
    of[LOAD_MASK] = guarded(a, op, of[LOAD_MASK], sides);
    if (!of[LOAD_MASK].v)
        return none;
    n = is_true(of[LOAD_MASK]) ? 1 : n;
    if (n < 3 && !is_true(of[LOAD_MASK])) { /* a mask has what stands where it is false */
        of[LOAD_OTHER] = constant_of(a, op->results[0]->type, 0);
        n = 3;
    }
    grad_stand_for(a->domain.g, op);
    for (int i = 0; i < n; i++)
        all |= of[i].sides;
    for (int i = 0; i < n; i++)
        operands[i] = anew_spread(a, of[i], all);
    const Type *type = type_of_sides(a, type_element(module, op->results[0]->type), all);
    Op *made = build_op(b, OP_load, n, operands, op->nattrs, op->attrs, 1, &type);
    return (Made){made->results[0], all};
}

static Made make_sum(Anew *a, const Op *op, const int8_t *sides, bool whole)
{
    int8_t of[MAX_RANK];

    if (op->noperands != 1 || ir_combine_code(op) == OP_COUNT ||
        a->domain.nsides == MOST_SIDES_ANEW)
        return none;
    gather_operand_sides(op, op->operands[0], sides, of);
    const int side = domain_add_side(&a->domain, op, of);
    of[attr_axis(op)] = (int8_t)side;
    Made x = make(a, op->operands[0], of, whole);
    grad_stand_for(a->domain.g, op);
    Value *tile = anew_spread(a, x, x.sides | 1u << side);
    if (!tile)
        return none;
    return (Made){
        build_reduce_along(&a->domain.g->b, ir_combine_code(op), tile, place_of(a, x.sides, side)),
        x.sides & ~(1u << side)};
}

static Made make_index(Anew *a, const Op *op, const int8_t *sides, bool whole)
{
    Builder *b = &a->domain.g->b;
    int32_t start = (int32_t)attr_start(op);

    grad_stand_for(a->domain.g, op);

    if (sides[0] < 0)
        return constant_of(a, op->results[0]->type, (uint64_t)(int64_t)start);
    if (sides[0] != a->side)
        return (Made){op_clone(b, op, map_new(a->domain.g->arena))->results[0], 1u << sides[0]};
    if (!whole || !a->lane.v)
        return none;
    if (start == 0)
        return a->lane;
    Value *from = build_int(b, a->lane.v->type, start);
    return (Made){build_binary(b, OP_add, a->lane.v, from), a->lane.sides};
}

static Made make_op(Anew *a, Value *v, const int8_t *sides, bool whole)
{
    const Op *op = v->def;
    int8_t of[MAX_RANK];

    if (op->nresults != 1)
        return none;
    if (a->are_known && v->type->dtype == DT_I1 && always_holds(a, v, sides))
        return constant_of(a, v->type, 1);
    whole = whole || is_whole(a, v, sides);
    switch (op->code) {
    case OP_const:
        return constant_of(a, v->type, (uint64_t)op->attrs[0]);
    case OP_arange:
        return make_index(a, op, sides, whole);
    case OP_program_id:
        if (attr_axis(op) != a->axis)
            return (Made){v, 0};
        return whole ? constant_of(a, v->type, 0) : none;
    case OP_splat:
    case OP_broadcast:
    case OP_expand:
    case OP_permute:
    case OP_hint:
        gather_operand_sides(op, op->operands[0], sides, of);
        return make(a, op->operands[0], of, whole);
    case OP_reduce:
        return make_sum(a, op, sides, whole);
    default:
        if (op_only_reads(op))
            return make_load(a, op, sides);
        return op->code == OP_addptr || (op_is_elementwise(op) && !op->regions[0])
                   ? make_elementwise(a, op, sides, whole)
                   : none;
    }
}

/* Does it stay what it is? */
static bool is_same(const Anew *a, const Value *v, const int8_t *sides, unsigned *has)
{
    *has = 0;
    if (v->block->owner || domain_knows(v, a->axis, a->domain.counter, map_new(a->domain.g->arena)))
        return false;
    for (int d = 0; d < v->type->rank; d++) {
        if (sides[d] < 0 || sides[d] == a->side || v->type->dims[d] == 1 ||
            place_of(a, *has, sides[d]) != d)
            return false;
        *has |= 1u << sides[d];
    }
    return __builtin_popcount(*has) == v->type->rank;
}

static uint64_t key_of(const Value *v, const int8_t *sides, bool whole)
{
    uint64_t key = (uint64_t)v->id * 2 + whole;

    for (int d = 0; d < v->type->rank; d++)
        key = key * (MOST_SIDES_ANEW + 1) + (uint64_t)(sides[d] + 1);
    return key * (MAX_RANK + 1) + (uint64_t)v->type->rank;
}

static void keep(Anew *a, uint64_t key, Made made)
{
    Made *kept = NEW(a->domain.g->arena, Made);

    *kept = made;
    map_put(a->made, key, kept);
}

static Made make(Anew *a, Value *v, const int8_t *sides, bool whole)
{
    const uint64_t key = key_of(v, sides, whole);
    unsigned has;

    const Made *known = map_get(a->made, key);
    if (known)
        return *known;
    Made made = none;
    if (v == a->domain.counter)
        made = a->round;
    else if (is_same(a, v, sides, &has))
        made = (Made){v, has};
    else if (v->def)
        made = make_op(a, v, sides, whole);
    if (!made.v)
        return none;
    if (v->name && !made.v->name && made.v->def && made.v->def->code != OP_const)
        made.v->name = v->name;
    keep(a, key, made);
    return made;
}

void anew_know(Anew *a, const Value *v, const int8_t *sides, Made made)
{
    keep(a, key_of(v, sides, false), made);
}

Made anew_make(Anew *a, Value *v, const int8_t *sides)
{
    return make(a, v, sides, false);
}
