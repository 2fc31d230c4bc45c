/*
 * row_parts.c - windows over rows that are told by quotient and remainder, n = row // H, i = row %
 * H
 *
 *     x + ((n * H + i + 1) * W + column                 x + (row + 1) * W + column
 *
 * So it is of images that lie behind each other: the row of a window is the program's number,
 * moved, and masks such as `i + 1 < H` say that it lies in the image.  Remainders are written as
 * what is left of the number, i = row - n * H, so that one way of saying it is the other, too.
 */
#include "gather.h"
#include "windows.h"

/* A program's number divided by what is the same for all; NULL: it is none. */
static const Op *division_of_program(const Value *v, OpCode code)
{
    const Op *op = v ? v->def : NULL;

    return op && op->code == code && terms_is_part(v) && op->operands[0]->def &&
                   op->operands[0]->def->code == OP_program_id
               ? op
               : NULL;
}

/* The quotient that belongs to a remainder, as the kernel has it, or made to be named. */
static const Value *quotient_beside(Grad *g, const Op *rem)
{
    for (const Op *op = g->func->body->first; op; op = op->next) {
        if (op->code == OP_div && op->operands[0] == rem->operands[0] &&
            op->operands[1] == rem->operands[1])
            return op->results[0];
    }
    return build_binary(&g->b, OP_div, rem->operands[0], rem->operands[1]);
}

/* number - quotient * divisor */
static bool without_remainder(Grad *g, const Op *rem, Poly *out)
{
    const Value *quotient = quotient_beside(g, rem);
    const Poly q = {1, {{1, 1, {{quotient, MAX_RANK + quotient->id}}}}};
    Poly by, product;

    return terms_polynomial(rem->operands[0], out) && terms_polynomial(rem->operands[1], &by) &&
           poly_product(&q, &by, &product) && poly_add(out, &product, -1);
}

bool window_without_remainders(Grad *g, Poly *p)
{
    Poly out = {0};

    for (int i = 0; i < p->count; i++) {
        Poly product = {0}, factor, next;

        poly_push(&product, &(PolyTerm){.scale = p->terms[i].scale});
        for (int k = 0; k < p->terms[i].count; k++) {
            const PolyAtom atom = p->terms[i].of[k];
            const Op *rem = division_of_program(atom.value, OP_rem);

            factor = (Poly){1, {{1, 1, {atom}}}};
            if ((rem && !without_remainder(g, rem, &factor)) ||
                !poly_product(&product, &factor, &next))
                return false;
            product = next;
        }
        if (!poly_add(&out, &product, 1))
            return false;
    }
    *p = out;
    return true;
}

/* Of a term that is a multiple of quotient * divisor: how many times that, *times; NULL: it is not.
 */
static const Op *multiple_of_division(const PolyTerm *t, int64_t *times)
{
    for (int k = 0; k < t->count; k++) {
        const Op *op = division_of_program(t->of[k].value, OP_div);
        Poly by, whole;
        PolyTerm rest;

        if (op && terms_polynomial(op->operands[1], &by) &&
            poly_product(&by, &(Poly){1, {{1, 1, {t->of[k]}}}}, &whole) && whole.count == 1 &&
            poly_divide(t, &whole.terms[0], &rest) && rest.count == 0) {
            *times = rest.scale;
            return op;
        }
    }
    return NULL;
}

/* How many quotients there are, ceil(programs / divisor): to be named. */
static const Value *number_of_quotients(Grad *g, const Op *division)
{
    Value *known = map_get(g->rounds, MAP_KEY(division->results[0]));
    Value *by = division->operands[1], *up;

    if (known)
        return known;
    Value *all = (Value *)grad_number_of_programs(g, (int)attr_axis(division->operands[0]->def));
    all = build_cast(&g->b, all, by->type->dtype, ROUND_NEAREST);
    up = build_binary(&g->b, OP_add, all, by);
    up = build_binary(&g->b, OP_add, up, build_int(&g->b, by->type, -1));
    known = build_binary(&g->b, OP_div, up, by);
    map_put(g->rounds, MAP_KEY(division->results[0]), known);
    return known;
}

bool window_most_of_quotients(Grad *g, Poly *p)
{
    Poly most = {0};

    for (int i = 0; i < p->count; i++) {
        int64_t times;
        const Op *op = multiple_of_division(&p->terms[i], &times);
        Poly by, last = {0}, product;

        if (op && times < 0) /* at least 0 */
            continue;
        if (!op) {
            if (!poly_push(&most, &p->terms[i]))
                return false;
            continue;
        }
        const Value *all = number_of_quotients(g, op);
        if (!poly_push(&last, &(PolyTerm){1, 1, {{all, MAX_RANK + all->id}}}) ||
            !poly_push(&last, &(PolyTerm){.scale = -1}) ||
            !terms_polynomial(op->operands[1], &by) || !poly_product(&last, &by, &product) ||
            !poly_add(&most, &product, times))
            return false;
    }
    *p = most;
    return true;
}
