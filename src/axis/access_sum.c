/*
 * access_sum.c - what a pointer, or a tile of them, is the sum of
 *
 * Fields of records, and rows of neighbours, are at addresses that differ by constants.  The kernel
 * may have added these anywhere: to the pointer, to one of its offsets, before it was made a tile,
 * or as the last.  Here they are taken out, and what is left is compared.
 */
#include <string.h>

#include "access.h"

const int8_t access_identity[MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
_Static_assert(MAX_RANK == 16, "the map above has an entry for each dimension");

/* The operand that v renames, and which dimension of v each of its dimensions follows. */
static Value *renaming(const Value *v, int8_t *map)
{
    return access_renamed(v, access_identity, map);
}

/* Take constant steps off its base, whether all lanes take them together or one by one. */
static void split_base(PointerSum *s)
{
    int64_t c;

    while (s->base->def) {
        const Op *op = s->base->def;

        if (op->code == OP_addptr && value_const_int(op->operands[1], &c))
            s->offset += c;
        else if (op->code != OP_splat)
            return;
        s->base = op->operands[0];
    }
}

/* Narrower integers may come around on purpose. */
static bool is_wide(const Value *v)
{
    return v->type->dtype == DT_I32 || dtype_bits(v->type->dtype) == 64;
}

PointerSum access_sum(const Value *ptr)
{
    PointerSum s = {.base = ptr};
    int64_t c;

    split_base(&s);
    if (!s.base->def || s.base->def->code != OP_addptr)
        return s;
    s.index = s.base->def->operands[1];
    s.base = s.base->def->operands[0];
    split_base(&s);
    while (is_wide(s.index) && s.index->def && s.index->def->code == OP_add &&
           value_const_int(s.index->def->operands[1], &c)) {
        s.offset += c;
        s.index = s.index->def->operands[0];
    }
    return s;
}

enum { MOST_BELOW = 16 /* names and sums that a base is looked for below */ };

/* Take constant steps off a base, and add them up; the rest. */
static const Value *without_constants(const Value *base, int64_t *sum)
{
    int64_t c;

    while (base->def && base->def->code == OP_addptr &&
           value_const_int(base->def->operands[1], &c)) {
        *sum = (int64_t)((uint64_t)*sum + (uint64_t)c);
        base = base->def->operands[0];
    }
    return base;
}

/* What a base is of another name for, or is added to; NULL: it is something else. */
static const Value *below(const Value *base, int8_t *map)
{
    const Op *op = base->def;

    if (!op)
        return NULL;
    return op->code == OP_addptr || op->code == OP_splat ? op->operands[0] : renaming(base, map);
}

/* All constants in a base, as far down as same_base() goes. */
static int64_t constants_below(const Value *base)
{
    int8_t map[MAX_RANK];
    int64_t sum = 0;

    base = without_constants(base, &sum);
    for (int i = 0; i < MOST_BELOW; i++) {
        const Value *next = below(base, map);
        if (!next)
            break;
        base = without_constants(next, &sum);
    }
    return sum;
}

static bool same_step(const Value *a, const int8_t *map_a, const Value *b, const int8_t *map_b)
{
    if (a->def->code != b->def->code || a->type->rank != b->type->rank)
        return false;
    if (a->def->code == OP_addptr)
        return a->def->operands[1] == b->def->operands[1];
    const Type *in = a->def->operands[0]->type;
    return in->rank == b->def->operands[0]->type->rank && in->dtype == b->type->dtype &&
           memcmp(map_a, map_b, (size_t)in->rank) == 0;
}

/* But for constants? */
static bool same_base(const Value *a, const Value *b)
{
    int8_t map_a[MAX_RANK] = {0}, map_b[MAX_RANK] = {0};
    int64_t none = 0;

    for (int i = 0; i <= MOST_BELOW; i++) {
        a = without_constants(a, &none);
        b = without_constants(b, &none);
        if (a == b)
            return true;
        const Value *next_a = below(a, map_a), *next_b = below(b, map_b);
        if (!next_a || !next_b || !same_step(a, map_a, b, map_b))
            return false;
        a = next_a;
        b = next_b;
    }
    return false;
}

PointerSum access_sum_below(const Value *ptr)
{
    PointerSum s = access_sum(ptr);
    int8_t in[MAX_RANK];
    int64_t c;

    s.offset = (int64_t)((uint64_t)s.offset + (uint64_t)constants_below(s.base));
    for (int d = 0; d < MAX_RANK; d++)
        s.follows[d] = (int8_t)d;
    while (s.index && s.index->def) {
        const Op *op = s.index->def;
        const Value *source = renaming(s.index, in);
        for (int d = 0; source && d < source->type->rank; d++)
            in[d] = in[d] < 0 ? -1 : s.follows[in[d]];
        if (source)
            memcpy(s.follows, in, sizeof in);
        else if (!is_wide(s.index) || op->code != OP_add || !value_const_int(op->operands[1], &c))
            return s;
        else
            s.offset += c;
        s.index = op->operands[0];
    }
    return s;
}

bool access_same_sum(const PointerSum *a, const PointerSum *b)
{
    if (a->index != b->index || !same_base(a->base, b->base))
        return false;
    for (int d = 0; a->index && d < a->index->type->rank; d++) {
        if (a->follows[d] != b->follows[d])
            return false;
    }
    return true;
}
