/*
 * access_quotient.c - what is divided, and what is compared, by one number for all of a tile
 *
 * access.c lets nests go in pieces where such a quotient stays, or a comparison gives the same.
 */
#include <string.h>

#include "access.h"

/* What a value is under other names, and where that is read. */
static Value *original(Value *v, int8_t *map)
{
    int8_t in[MAX_RANK] = {0};
    Value *x;

    while ((x = access_renamed(v, map, in))) {
        memcpy(map, in, sizeof in);
        v = x;
    }
    return v;
}

/* The scalar, or the constant, that all elements of a tile are; NULL: nobody knows. */
static Value *one_number(Value *v)
{
    int8_t map[MAX_RANK] = {0};

    v = original(v, map);
    if (v->type->rank == 0)
        return v;
    if (!v->def)
        return NULL;
    if (op_has(v->def, MOVES) && v->def->operands[0]->type->rank == 0)
        return v->def->operands[0];
    return v->def->code == OP_const ? v : NULL;
}

/* By which power of two x >> k and x & (2^k - 1) divide, rounded down, whatever the sign of x; 0:
 * by none. */
static int64_t power_of_two(const Op *op, int64_t number)
{
    const int most = 30; /* bits */

    if (op->code == OP_shr)
        return number > 0 && number <= most ? (int64_t)1 << number : 0;
    return number > 0 && number < (int64_t)1 << most && (number & (number + 1)) == 0 ? number + 1
                                                                                     : 0;
}

/* Set divisor, number and how it is rounded; false: it is no division. */
static bool divides_by(const Op *op, Quotient *out)
{
    Value *by = one_number(op->operands[1]);
    int64_t number;
    bool known = by && value_const_int(by, &number);

    out->down = op->code == OP_shr || op->code == OP_and;
    if (out->down)
        out->number = known ? power_of_two(op, number) : 0;
    else
        out->number = known ? number : 0;
    out->divisor = out->down ? NULL : by;
    return by && (out->number > 0 || (!known && !out->down));
}

bool access_division(const Value *v, const int8_t *map, Quotient *out)
{
    const Op *op = v->def;

    *out = (Quotient){0};
    if (!op || (op->code != OP_div && op->code != OP_shr && !op_is_remainder(op)) ||
        v->type->pointer || (v->type->dtype != DT_I32 && v->type->dtype != DT_I64) ||
        !divides_by(op, out))
        return false;
    memcpy(out->map, map, sizeof *map * (size_t)v->type->rank);
    out->dividend = original(op->operands[0], out->map);
    return true;
}

bool access_comparison(const Value *v, const int8_t *map, Quotient *out)
{
    const Op *op = v->def;
    int64_t number;

    *out = (Quotient){0};
    if (!op || (op->code != OP_lt && op->code != OP_le && op->code != OP_gt && op->code != OP_ge))
        return false;
    const Type *t = op->operands[0]->type;
    Value *left = one_number(op->operands[0]), *right = one_number(op->operands[1]);
    bool turned = left && value_const_int(left, &number);
    if (t->pointer || (t->dtype != DT_I32 && t->dtype != DT_I64) ||
        (!turned && !(right && value_const_int(right, &number))) || number == INT64_MAX)
        return false;
    bool next =
        turned ? op->code == OP_lt || op->code == OP_ge : op->code == OP_le || op->code == OP_gt;
    memcpy(out->map, map, sizeof *map * (size_t)v->type->rank);
    out->dividend = original(op->operands[turned], out->map);
    out->from = number + next;
    return true;
}

static bool same_divisor(const Quotient *x, const Quotient *y)
{
    return x->number == y->number && x->down == y->down && x->from == y->from &&
           quotient_compares(x) == quotient_compares(y) &&
           (x->number > 0 || x->divisor == y->divisor);
}

int access_quotient(const AccessSpace *s, const Value *v, const int8_t *map)
{
    Quotient own;

    if (s->nquotients == 0 || (!access_division(v, map, &own) && !access_comparison(v, map, &own)))
        return NO_QUOTIENT;
    WideKey key = access_key(own.dividend, own.map);
    for (int i = 0; i < s->nquotients; i++) {
        const Quotient *q = &s->quotients[i];
        WideKey other = access_key(q->dividend, q->map);
        if (other.low == key.low && other.high == key.high && same_divisor(q, &own))
            return i;
    }
    return NO_QUOTIENT;
}
