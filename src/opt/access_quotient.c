/*
 * access_quotient.c - what is divided, and what is compared, by one number for all of a tile
 *
 * access.c lets nests go in pieces where such a quotient stays, or a comparison gives the same.
 */
#include <string.h>

#include "opt.h"

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

bool access_division(const Value *v, const int8_t *map, Quotient *out)
{
    const Op *op = v->def;

    if (!op || (op->code != OP_div && op->code != OP_rem) || v->type->pointer ||
        (v->type->dtype != DT_I32 && v->type->dtype != DT_I64))
        return false;
    memcpy(out->map, map, sizeof *map * (size_t)v->type->rank);
    out->dividend = original(op->operands[0], out->map);
    out->divisor = one_number(op->operands[1]);
    return out->divisor != NULL;
}

bool access_comparison(const Value *v, const int8_t *map, Quotient *out)
{
    const Op *op = v->def;
    int64_t number;

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
    out->divisor = NULL;
    out->from = number + next;
    return true;
}

static bool same_number(const Value *x, const Value *y)
{
    int64_t a, b;

    if (x == y || !x || !y)
        return x == y;
    return value_const_int(x, &a) && value_const_int(y, &b) && a == b;
}

int access_quotient(const AccessSpace *s, const Value *v, const int8_t *map)
{
    Quotient own = {0};

    if (s->nquotients == 0 || (!access_division(v, map, &own) && !access_comparison(v, map, &own)))
        return NO_QUOTIENT;
    WideKey key = access_key(own.dividend, own.map);
    for (int i = 0; i < s->nquotients; i++) {
        const Quotient *q = &s->quotients[i];
        WideKey other = access_key(q->dividend, q->map);
        if (other.low == key.low && other.high == key.high &&
            same_number(q->divisor, own.divisor) && q->from == own.from)
            return i;
    }
    return NO_QUOTIENT;
}
