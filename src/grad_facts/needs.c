/*
 * needs.c - strides known only at run time: what must hold for no element to be met twice
 *
 * Of row * stride + column with `column < n` nothing says that n is at most the stride, as it is
 * wherever rows do not overlap.  So it is taken to be, and said: in the docstring of the derived
 * kernel, as an assertion in it, and as data, by which launches choose atomics where it does not
 * hold.  Terms with the same factors are a level, as in alone.c.  Levels stand in the order of
 * their factors, the factors in that of the parameters, the last of which is the smallest; what
 * all levels below reach must be at most the factors of the next.
 */
#include "alone.h"

static bool add_constant(Poly *p, int64_t n)
{
    return poly_push(p, &(PolyTerm){n, 0, {{0}}});
}

/* How many rounds there are of a loop from 0 on, by whatever program, as a value; NULL: nothing
 * says it for all. */
static const Value *number_of_rounds(Grad *g, const Op *loop, int64_t *step)
{
    Value *hi = loop->operands[FOR_HI];
    int64_t lo;
    const Value *from;
    const bool shares = terms_axis_of_strides(loop, step, &from) >= 0 && !from;

    if ((!shares && (!value_const_int(loop->operands[FOR_LO], &lo) || lo != 0 ||
                     !value_const_int(loop->operands[FOR_STEP], step))) ||
        *step <= 0 || !terms_same_for_all(hi))
        return NULL;
    Value *known = map_get(g->rounds, MAP_KEY(hi)); /* so that two needs are one */
    int64_t by;
    if (known && value_const_int(known->def->operands[1], &by) && by == *step)
        return known;
    Value *up = build_binary(&g->b, OP_add, hi, build_int(&g->b, hi->type, *step - 1));
    Value *rounds = build_binary(&g->b, OP_div, up, build_int(&g->b, hi->type, *step));
    map_put(g->rounds, MAP_KEY(hi), rounds);
    return rounds;
}

/* Numbers of programs by the names that needs have for them. */
static void name_programs(Grad *g, Poly *p)
{
    Poly out = {0};

    for (int i = 0; i < p->count; i++) {
        Poly product = {0}, next;
        poly_push(&product, &(PolyTerm){.scale = p->terms[i].scale});
        for (int k = 0; k < p->terms[i].count; k++) {
            PolyAtom atom = p->terms[i].of[k];
            const Op *op = atom.value ? atom.value->def : NULL;
            const Value *programs = op && op->code == OP_num_programs
                                        ? grad_number_of_programs(g, (int)attr_axis(op))
                                        : NULL;
            if (programs)
                atom = (PolyAtom){programs, MAX_RANK + programs->id};
            Poly factor = {0};
            if (!poly_push(&factor, &(PolyTerm){1, 1, {atom}}) ||
                !poly_product(&product, &factor, &next))
                return;
            product = next;
        }
        if (!poly_add(&out, &product, 1))
            return;
    }
    *p = out;
}

/* Of what a loop counts by the step, and lanes that fill it, or not: less than that many times the
 * rounds, also where the last goes on behind the loop's end. */
static bool bound_by_rounds(Grad *g, const Value *counter, int64_t by, int64_t lanes, Poly *out)
{
    const Op *loop = counter->block->owner;
    const Value *rounds;
    int64_t step = 0;
    Poly end;

    if (counter->index != 0 || !loop || loop->code != OP_for ||
        !(rounds = number_of_rounds(g, loop, &step)) || lanes >= by * step)
        return false;
    if (terms_polynomial(loop->operands[FOR_HI], &end) &&
        terms_divisor_of_all(&end, step) == step) {
        name_programs(g, &end); /* the last one ends there */
        return poly_add(out, &end, by);
    }
    return poly_push(out, &(PolyTerm){by * step, 1, {{rounds, MAX_RANK + rounds->id}}});
}

/* The mask says it of what it is made of: of 4 * column + lane with 4 lanes less than 4 times the
 * columns. */
static bool bound_by_multiple(Grad *g, const Op *access, const Poly *p, Poly *out)
{
    Poly times, bound;
    int64_t lanes;

    for (int i = 0; i < p->count; i++) {
        const int64_t by = p->terms[i].scale;

        if (by < 1 || !terms_split_multiples(access, p, by, &times, &lanes))
            continue;
        *out = (Poly){0};
        const Value *round =
            times.count == 1 && times.terms[0].count == 1 && times.terms[0].scale == 1
                ? times.terms[0].of[0].value
                : NULL;
        if (lanes >= by ? round && !round->def && bound_by_rounds(g, round, by, lanes, out)
                        : terms_end_by_mask(access, &times, &bound) && poly_add(out, &bound, by) &&
                              add_constant(out, lanes + 1 - by))
            return true;
    }
    return false;
}

const Value *grad_number_of_programs(Grad *g, int axis)
{
    const Type *i32 = type_scalar(g->func->module, DT_I32);
    const int64_t along = axis;

    if (!g->programs[axis])
        g->programs[axis] =
            build_op(&g->b, OP_num_programs, 0, NULL, 1, &along, 1, &i32)->results[0];
    return g->programs[axis];
}

/* By how many lanes, rounds and programs there are. */
static bool bound_by_counts(Grad *g, const Sum *level, Poly *out)
{
    *out = (Poly){0};
    for (int i = 0; i < level->n; i++) {
        const Term *t = &level->at[i];
        bool is_program = t->whose == g->func;

        if (t->count == 0 && !is_program)
            return false;
        if (!add_constant(out, is_program ? -t->by : t->by * (t->count - 1)))
            return false;
        if (!is_program)
            continue;
        const Value *programs = grad_number_of_programs(g, t->dim);
        PolyTerm all = {t->by, 1, {{programs, MAX_RANK + programs->id}}};
        if (!poly_push(out, &all))
            return false;
    }
    return add_constant(out, 1);
}

/* Less than what is the level? */
static bool bound_of(Grad *g, const Op *access, const Sum *level, const Poly *p, Poly *out)
{
    return terms_end_by_mask(access, p, out) || bound_by_multiple(g, access, p, out) ||
           bound_by_counts(g, level, out);
}

static bool is_known(const Grad *g, const GradNeed *n)
{
    for (int i = 0; i < g->needs.len; i++) {
        if (g->needs.at[i].array == n->array && poly_equal(&g->needs.at[i].least, &n->least) &&
            poly_equal(&g->needs.at[i].most, &n->most))
            return true;
    }
    return false;
}

bool grad_is_granted(const Grad *g, const Poly *least, const PolyTerm *most)
{
    Poly limit = {0}, apart = {0}, reached = *least;
    int64_t constant;

    if (!poly_push(&limit, most) || !poly_push(&apart, most) || !poly_add(&apart, least, -1))
        return false;
    terms_divide_both(&reached, &limit);
    for (int i = 0; i < g->needs.len; i++) {
        if (poly_equal(&g->needs.at[i].least, &reached) && poly_equal(&g->needs.at[i].most, &limit))
            return true;
    }
    return poly_is_constant(&apart, &constant) && constant >= 0;
}

/* Not unless a length is 0 or less: step + length <= step. */
static bool is_hopeless(const Poly *apart)
{
    for (int i = 0; i < apart->count; i++) {
        if (apart->terms[i].scale > 0)
            return false;
    }
    return apart->count > 0;
}

/* C / G * G <= C */
static bool is_of_quotient(const Poly *least, const PolyTerm *unit)
{
    PolyTerm whole, quotient;

    return least->count == 1 && terms_without_quotient(&least->terms[0], &whole) &&
           poly_divide(unit, &whole, &quotient) && quotient.count == 0 && quotient.scale > 0;
}

/* Launches know arguments, and nothing that is loaded. */
static bool is_of_memory(const Value *v)
{
    const Op *op = v->def;

    if (!op || op->regions[0])
        return false;
    if (op_only_reads(op))
        return true;
    for (int i = 0; i < op->noperands; i++) {
        if (is_of_memory(op->operands[i]))
            return true;
    }
    return false;
}

static bool names_memory(const Poly *p)
{
    for (int i = 0; i < p->count; i++) {
        for (int k = 0; k < p->terms[i].count; k++) {
            const Value *v = p->terms[i].of[k].value;
            if (v && is_of_memory(v))
                return true;
        }
    }
    return false;
}

bool grad_need(Grad *g, const GradArray *a, const Poly *least, const PolyTerm *unit)
{
    GradNeed n = {.array = a, .least = *least};
    Poly apart;
    int64_t constant;

    if (!poly_push(&n.most, unit))
        return false;
    name_programs(g, &n.least);
    name_programs(g, &n.most);
    apart = n.most;
    if (!poly_add(&apart, &n.least, -1))
        return false;
    if (poly_is_constant(&apart, &constant))
        return constant >= 0;
    if (is_of_quotient(&n.least, unit))
        return true;
    if (is_hopeless(&apart) || names_memory(&apart))
        return false;
    if (apart.count == 1) { /* n - R // 2 <= n: R is not negative */
        const Op *op = apart.terms[0].of[0].value->def;
        n.least = n.most = (Poly){0};
        if (!op || op->code != OP_div || apart.terms[0].count > 1 ||
            !terms_polynomial(op->operands[0], &n.most))
            n.most = apart;
    }
    terms_divide_both(&n.least, &n.most);
    if (!is_known(g, &n))
        vec_push(g->arena, &g->needs, n);
    return true;
}

void grad_need_for_all(Grad *g, const GradNeeds *needs)
{
    for (int i = 0; i < needs->len; i++) {
        for (int k = 0; k < g->nwrt; k++) {
            GradNeed n = needs->at[i];
            n.array = &g->wrt[k];
            if (!is_known(g, &n))
                vec_push(g->arena, &g->needs, n);
        }
    }
}

static bool has_program(const PolyTerm *t)
{
    for (int i = 0; i < t->count; i++) {
        const Op *op = t->of[i].value ? t->of[i].value->def : NULL;
        if (op && op->code == OP_program_id)
            return true;
    }
    return false;
}

/* More than what all terms but those of programs reach. */
static bool reach_of_program(Grad *g, const GradArray *a, const Op *access, const Sum *s,
                             Poly *reached)
{
    Sum inner = *s;
    PolyTerm units[MOST_UNITS];

    inner.n = 0;
    for (int i = 0; i < s->n; i++) {
        if (s->at[i].whose != g->func)
            inner.at[inner.n++] = s->at[i];
    }
    inner.raw.count = 0;
    for (int i = 0; i < s->raw.count; i++) {
        if (!has_program(&s->raw.terms[i]))
            inner.raw.terms[inner.raw.count++] = s->raw.terms[i];
    }
    int n = terms_units(&inner, units);
    *reached = (Poly){0};
    bool good = n >= 0 && add_constant(reached, 1);
    for (int i = 0; i < n && good; i++) {
        Sum level = terms_level(&inner, &units[i]);
        Poly p, bound, factors = {0};

        good = (units[i].count == 0 || grad_need(g, a, reached, &units[i])) &&
               terms_of_unit(&inner, &units[i], &p) && bound_of(g, access, &level, &p, &bound) &&
               poly_push(&factors, &units[i]) && poly_product(&bound, &factors, reached);
    }
    return good;
}

bool terms_apart(Grad *g, const GradArray *a, const Op *access, const Sum *s, const Poly *behind)
{
    const int before = g->needs.len;
    Term programs[AXES];
    Poly reached, all;
    int n = 0;
    bool good = !grad_by_atomics(g, a) && s->covered == 0 && !terms_has_parts(s) &&
                reach_of_program(g, a, access, s, &reached) && poly_add(&reached, behind, 1);

    for (int i = 0; i < s->n; i++) {
        Term t = s->at[i];
        if (t.whose != g->func || t.by == 0)
            continue;
        t.unit.scale = t.by;
        int at = n++;
        for (; at > 0 && terms_is_lower(&t.unit, &programs[at - 1].unit); at--)
            programs[at] = programs[at - 1];
        programs[at] = t;
    }
    for (int i = 0; i < n && good; i++) {
        const Value *count = grad_number_of_programs(g, programs[i].dim);
        PolyTerm factor = programs[i].unit;
        Poly times = {0};

        factor.scale = programs[i].by;
        good = factor.scale > 0 && grad_need(g, a, &reached, &factor);
        all = (Poly){0};
        good = good && poly_push(&times, &factor) &&
               poly_push(&all, &(PolyTerm){1, 1, {{count, MAX_RANK + count->id}}}) &&
               poly_product(&all, &times, &reached);
    }
    if (!good || n == 0)
        g->needs.len = before;
    return good && n > 0;
}

/* Factors that are as many as all below reach come next, whatever parameter they are. */
static void take_what_is_reached(PolyTerm *units, int n, const Poly *reached)
{
    const PolyTerm *all = &reached->terms[0];

    for (int i = 1; i < n && reached->count == 1 && all->scale == 1; i++) {
        const PolyTerm unit = units[i];
        if (!terms_same_unit(&unit, all))
            continue;
        for (int k = i; k > 0; k--)
            units[k] = units[k - 1];
        units[0] = unit;
    }
}

static bool need_levels(Grad *g, const GradArray *a, const Op *access, const Sum *s, Constants c)
{
    const Constants none = {0};
    const int before = g->needs.len;
    PolyTerm units[MOST_UNITS];
    int n = terms_units(s, units);
    Poly reached = {0}; /* more than all levels so far reach */
    bool good =
        n > 0 && (!grad_by_atomics(g, a) || a == &g->of) && add_constant(&reached, 1 + c.span);

    for (int i = 0; i < n && good; i++) {
        int64_t offset;
        take_what_is_reached(units + i, n - i, &reached);
        Sum level = terms_level(s, &units[i]), rest = terms_without_offset(&level, &offset);
        bool is_lowest = units[i].count == 0;
        Poly p, bound, factors = {0};

        PolyTerm least_step = units[i]; /* what all its terms are multiples of */
        least_step.scale = is_lowest ? 1 : terms_common_factor(&level);
        good = (is_lowest || grad_need(g, a, &reached, &least_step)) &&
               terms_are_digits(&level, is_lowest ? c : none);
        if (!good || i == n - 1)
            break;
        good = terms_of_unit(s, &units[i], &p) && bound_of(g, access, &rest, &p, &bound) &&
               poly_push(&factors, &units[i]) && add_constant(&bound, offset) &&
               terms_round_up(&bound, least_step.scale);
        good = good && (!is_lowest || add_constant(&bound, c.span)) &&
               poly_product(&bound, &factors, &reached);
    }
    if (!good)
        g->needs.len = before;
    return good;
}

/* Where an access begins within a row, and what it does not reach, beside what the other shares. */
typedef struct {
    Poly lo, hi;
    Poly length; /* more than 0, or there is no element */
} Range;
static bool range_of(Grad *g, const Op *access, const Sum *s, const Poly *from, Range *out)
{
    const PolyTerm one = {.scale = 1};
    const Sum level = terms_level(s, &one);
    Poly offset = s->shared, p;

    for (int i = 0; i < level.n; i++) {
        if (level.at[i].by < 0 || !level.at[i].from_zero)
            return false;
    }
    if (!poly_add(&offset, from, -1) || !terms_is_same_poly(&offset) ||
        !terms_of_unit(s, &one, &p) || !bound_of(g, access, &level, &p, &out->hi))
        return false;
    terms_begin_by_mask(access, &p, &out->lo);
    out->length = out->hi;
    return poly_add(&out->hi, &offset, 1) && poly_add(&out->lo, &offset, 1);
}

/* Of two that are: does the second one lie behind the first? */
static bool is_behind(const Range *first, const Range *second)
{
    enum { MOST_LENGTHS = 4 };
    Poly apart = second->lo, rest;
    bool known = poly_add(&apart, &first->hi, -1);
    int64_t constant;

    for (int i = 0; i < MOST_LENGTHS && known; i++) {
        rest = apart;
        if (terms_undivided(&rest) && poly_is_constant(&rest, &constant) && constant >= 0)
            return true;
        known = poly_add(&apart, &first->length, -1);
    }
    return false;
}

bool terms_in_order(Grad *g, const GradArray *a, Op *const access[2], const Sum s[2])
{
    const int before = g->needs.len;
    PolyTerm units[MOST_UNITS];
    Range of[2];
    bool good = true;

    for (int i = 0; i < 2 && good; i++)
        good = range_of(g, access[i], &s[i], &s[0].shared, &of[i]) &&
               (terms_are_levels(access[i], &s[i], (Constants){0}) ||
                terms_need(g, a, access[i], &s[i], (Constants){0}));
    const int first = good && is_behind(&of[1], &of[0]) ? 1 : 0;
    const int n = terms_units(&s[0], units), row = n > 0 && units[0].count == 0;
    good = good && (first == 1 || is_behind(&of[0], &of[1]));
    if (good && row < n) {
        const Sum level = terms_level(&s[0], &units[row]);
        Poly reached = of[1 - first].hi;
        units[row].scale = terms_common_factor(&level);
        good = (!grad_by_atomics(g, a) || a == &g->of) && poly_add(&reached, &of[first].lo, -1);
        good = good && grad_need(g, a, &reached, &units[row]);
    }
    if (!good)
        g->needs.len = before;
    return good;
}

bool terms_limit_programs(Grad *g, const GradArray *a, Sum *s)
{
    bool limited = false;

    for (int i = 0; i < s->n; i++) {
        Term *t = &s->at[i];
        int64_t next = 0;
        if (t->whose != g->func || t->count > 0 || t->by <= 0)
            continue;
        for (int k = 0; k < s->n; k++) {
            const Term *above = &s->at[k];
            if (above->by > t->by && above->whose == g->func && above->dim != t->dim &&
                terms_same_unit(&above->unit, &t->unit))
                next = next > 0 ? MIN(next, above->by) : above->by;
        }
        const Value *programs = grad_number_of_programs(g, t->dim);
        const PolyTerm most = {.scale = next / t->by};
        Poly least = {0};
        if (next == 0 ||
            !poly_push(&least, &(PolyTerm){1, 1, {{programs, MAX_RANK + programs->id}}}) ||
            !grad_need(g, a, &least, &most))
            continue;
        t->count = next / t->by;
        limited = true;
    }
    return limited;
}

bool terms_need(Grad *g, const GradArray *a, const Op *access, const Sum *s, Constants c)
{
    const int before = g->needs.len;
    Sum limited = *s;
    bool good = need_levels(g, a, access, s, c);

    if (!good && !grad_by_atomics(g, a) && terms_limit_programs(g, a, &limited))
        good = need_levels(g, a, access, &limited, c);
    if (!good)
        g->needs.len = before;
    return good;
}
