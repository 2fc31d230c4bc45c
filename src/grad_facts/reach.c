/*
 * reach.c - what numbers of an address are at least and at most: how far it goes, and divisors of
 * programs' numbers, which must be positive
 */
#include "alone.h"

/* The address without what is the same for all: how many elements it may reach from there. */
static int64_t reach_of(const Sum *s)
{
    int64_t reach = 1, far;

    for (int i = 0; i < s->n; i++) {
        const Term *t = &s->at[i];
        if (t->by < 0)
            return -1;
        if (t->by > 0 && (t->count == 0 || t->unit.count > 0 ||
                          __builtin_mul_overflow(t->by, t->count - 1, &far) ||
                          __builtin_add_overflow(reach, far, &reach)))
            return 0;
    }
    return reach;
}

/* Where the access reads anything, is the scalar more than 0?  Its mask says it of something that
 * is not negative to be less. */
static bool is_positive(const Op *access, const PolyTerm *scalar)
{
    Value *mask = op_operand(access, ir_access(access).mask);
    PolyScope scope = {0};
    PolyBounds bounds = {0};
    int8_t map[MAX_RANK];

    for (int d = 0; d < MAX_RANK; d++)
        map[d] = (int8_t)d;
    if (mask)
        poly_bounds(&scope, mask, map, &bounds);
    for (int i = 0; i < bounds.count; i++) { /* below = rest - scalar */
        PolyTerm one = *scalar;
        Poly rest = bounds.below[i];
        one.scale = 1;
        if (poly_push(&rest, &one) && terms_are_not_negative(&rest))
            return true;
    }
    return false;
}

unsigned grad_programs_of(const Grad *g, const Op *access, unsigned programs)
{
    Sum s = terms_of(g->func, access, programs);

    return terms_programs(&s);
}

/* A product of which no factor is negative where the access reads. */
static bool is_never_negative(const Op *access, const PolyTerm *t)
{
    for (int i = 0; i < t->count; i++) {
        const Value *v = t->of[i].value;
        const PolyTerm one = {1, 1, {t->of[i]}};
        const bool is_program = v && v->def && v->def->code == OP_program_id;
        const bool is_array = v && v->type->pointer && t->count == 1;

        if (!v || (!is_program && !is_array && !terms_is_part(v) && !is_positive(access, &one)))
            return false;
    }
    return t->scale >= 0;
}

int64_t grad_reach(const Grad *g, const Op *access, unsigned programs)
{
    Sum s = terms_of(g->func, access, programs);
    int64_t reach = s.ok ? reach_of(&s) : -1;

    for (int i = 0; i < s.shared.count && reach >= 0; i++) {
        const PolyTerm *t = &s.shared.terms[i];

        if (!is_never_negative(access, t))
            return -1;
        if (t->count == 0)
            reach += reach > 0 ? t->scale : 0;
        else if (!t->of[0].value->type->pointer)
            reach = 0;
    }
    return reach;
}

/* More than 0?  Else that is needed, or, with atomics, is not so. */
static bool divides(Grad *g, const GradArray *a, const Op *access, const Value *divisor)
{
    int64_t least = 1, by;
    Poly p, apart = {0};

    for (; divisor->def; divisor = divisor->def->operands[0]) { /* (n + 3) // 4: 1 <= n */
        const OpCode code = divisor->def->code;
        if (code == OP_num_programs)
            return true;
        if ((code == OP_div || code == OP_add) && !value_const_int(divisor->def->operands[1], &by))
            break;
        if (code == OP_div ? by <= 0 || __builtin_mul_overflow(least, by, &least)
                           : code != OP_add && code != OP_cast)
            break;
        least -= code == OP_add ? by : 0;
    }
    if (!terms_polynomial(divisor, &p) || p.count != 1)
        return false;
    poly_push(&apart, &(PolyTerm){.scale = least});
    return (least <= 1 && p.terms[0].scale > 0 && is_positive(access, &p.terms[0])) ||
           ((!grad_by_atomics(g, a) || a == &g->of) && grad_need(g, a, &apart, &p.terms[0]));
}

bool terms_need_divisors(Grad *g, const GradArray *a, const GradOps *accesses, unsigned programs)
{
    const int needs = g->needs.len;
    bool good = true;

    for (int i = 0; i < accesses->len; i++) {
        const Sum s = terms_of(g->func, accesses->at[i], programs);
        for (int k = 0; k < s.n; k++) {
            const Value *divisor;
            for (int w = 0; s.at[k].is_part && (divisor = terms_divisor(s.at[k].whose, w)); w++)
                good = good && divides(g, a, accesses->at[i], divisor);
        }
    }
    if (!good)
        g->needs.len = needs;
    return good;
}
