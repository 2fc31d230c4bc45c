/*
 * access_sure.c - loads whose masks do not matter, since what is made of them is masked, too
 *
 * v = load(p, m) is one number where m is true and p stays, and `other` elsewhere.  Where all that
 * a nest does has m in its masks, nobody looks at a lane with `other`: then v stays, as p does, and
 * addresses that are made of it step.  It is known only in a body, where some lane's mask is true.
 */
#include <string.h>

#include "access.h"

enum { DEEPEST = 12 /* conjunctions in a mask, which else is one */ };

static void split(Value *v, const int8_t *map, int depth, AccessPlaces *out, Arena *a)
{
    int8_t in[MAX_RANK];
    Value *source = access_renamed(v, map, in);

    if (source && depth > 0) {
        split(source, in, depth - 1, out, a);
    } else if (v->def && v->def->code == OP_and && depth > 0) {
        split(v->def->operands[0], map, depth - 1, out, a);
        split(v->def->operands[1], map, depth - 1, out, a);
    } else {
        AccessPlace at = {.value = v};
        memcpy(at.map, map, sizeof *map * (size_t)v->type->rank);
        vec_push(a, out, at);
    }
}

static bool has_place(const AccessPlaces *all, const AccessPlace *x)
{
    WideKey key = access_key(x->value, x->map);

    for (int i = 0; i < all->len; i++) {
        WideKey other = access_key(all->at[i].value, all->at[i].map);
        if (other.low == key.low && other.high == key.high)
            return true;
    }
    return false;
}

void access_meet_mask(Arena *a, AccessPlaces *sure, Value *mask, const int8_t *map, bool first)
{
    AccessPlaces own = {0}, both = {0};

    if (mask)
        split(mask, map, DEEPEST, &own, a);
    for (int i = 0; i < sure->len; i++) {
        if (has_place(&own, &sure->at[i]))
            vec_push(a, &both, sure->at[i]);
    }
    *sure = first ? own : both;
}

bool access_is_sure(const AccessSpace *s, const Value *v, const int8_t *map)
{
    Value *mask = v->def && v->def->code == OP_load ? op_operand(v->def, LOAD_MASK) : NULL;
    AccessPlaces own = {0};

    if (!mask || s->sure.len == 0)
        return false;
    split(mask, map, DEEPEST, &own, s->arena);
    for (int i = 0; i < own.len; i++) {
        if (!has_place(&s->sure, &own.at[i]))
            return false;
    }
    return true;
}
