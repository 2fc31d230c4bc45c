/*
 * access.h - how addresses and indices of tiles step along a loop over them
 *
 * axis.h says what is true of a value by itself; here a value is read at the indices of a nest of
 * loops, as targets write them, and the question is how it follows the innermost one.
 */
#ifndef TILEC_AXIS_ACCESS_H
#define TILEC_AXIS_ACCESS_H

#include "axis.h"

/* access.c: how a value follows the inner index of a space of indices.  A map gives, for each
 * dimension of a value, the index that it is read at, or -1 for 0. */
typedef struct Widened Widened;
struct Widened {
    Value *value; /* an i32 that is extended to 64 bits as if its steps did not wrap */
    int8_t map[MAX_RANK];
    int64_t stride;
    const Widened *next;
};
/* What a pointer is the sum of.  Of the constant some may have been taken from an index of 32 or 64
 * bits, as if that did not wrap. */
typedef struct {
    const Value *base;        /* itself a pointer or tile of them; its constants do not count */
    const Value *index;       /* what is added to it; NULL: nothing */
    int64_t offset;           /* what is added besides, in elements */
    int8_t follows[MAX_RANK]; /* of access_sum_below(): along which of the pointer's dimensions each
                               * one of the index is read; -1: none */
} PointerSum;
extern const int8_t access_identity[MAX_RANK]; /* maps each dimension to itself */
/* access_sum.c: what pointers are sums of */
PointerSum access_sum(const Value *ptr);
/* The same, but the index may be what is expanded and broadcast to the pointer's shape, without the
 * constants that were added before, and constants of the base count wherever they were added. */
PointerSum access_sum_below(const Value *ptr);
/* Two of the latter: but for constants? */
bool access_same_sum(const PointerSum *a, const PointerSum *b);
/* Along the inner index: first value + stride * scale * index, pointers in elements.  Of a pointer,
 * whichever way it goes along the index, it is also told what it is the sum of. */
typedef struct {
    bool ok;            /* else it follows the index in some other way, or is no int or pointer */
    bool chunked;       /* only from the first lane of each vector on */
    int every;          /* chunked: lanes step once in so many of them; 0: each does */
    int flip;           /* chunked: lane k is where k ^ flip would be */
    int64_t stride;     /* 0: the same everywhere */
    const Value *scale; /* not NULL: stays while the inner index moves; read at scale_map */
    int8_t scale_map[MAX_RANK];
    const Widened *widened; /* what it was made from */
    PointerSum sum;         /* of a pointer; else nothing */
} Access;
/* A quotient of what steps along the inner index by what does not, or a comparison of it.  In a
 * piece of the index's range where the quotient stays, what remains of the division steps as the
 * dividend does. */
typedef struct {
    Value *dividend; /* a signed integer, no renaming of another one; what is compared */
    int8_t map[MAX_RANK];
    Value *divisor; /* of OP_div and OP_rem: a scalar, or a tile that is a constant */
    int64_t number; /* that constant, which is above 0; 0: it is none */
    bool down;      /* by OP_shr and OP_and: rounded down, `number` is a power of two */
    int64_t from;   /* of a comparison: whether that many are reached */
    int64_t stride; /* of the dividend */
} Quotient;
static inline bool quotient_compares(const Quotient *q)
{
    return !q->divisor && !q->down;
}
/* Is it what remains, of an op that divides so? */
static inline bool op_is_remainder(const Op *op)
{
    return op->code == OP_rem || op->code == OP_and;
}
/* A value, and where it is read. */
typedef struct {
    Value *value;
    int8_t map[MAX_RANK];
} AccessPlace;
typedef VEC(AccessPlace) AccessPlaces;
typedef struct {
    Arena *arena;
    const AxisFacts *axis;
    int inner, lanes;          /* the index; how many of its values make a vector */
    const Quotient *quotients; /* the index stays within pieces where none of these changes, .. */
    int nquotients;
    bool anywhere; /* .. and vectors may begin at any value of it, not just multiples of `lanes` */
    AccessPlaces sure; /* where one of these is false, nobody looks at what is computed */
    bool (*is_given)(const void *whose, const Value *v); /* as data, not by its definition */
    const void *whose;
    Map *follows, *waits, *accesses; /* the answers so far */
} AccessSpace;
/* `inner` is an index of the maps; `given` names the values that are data for whoever asks, with
 * `whose` handed to it.  All that is passed in must outlive the space. */
AccessSpace *access_space(Arena *a, const AxisFacts *axis, int inner, int lanes,
                          bool (*given)(const void *whose, const Value *v), const void *whose);
bool access_is_index(const Type *t); /* what may have steps: numbers but floats, and pointers */
bool access_follows(AccessSpace *s, const Value *v, const int8_t *map); /* the inner index */
/* .. or does it stay, but is known only in a body: by loads that access_is_sure() speaks of? */
bool access_waits(AccessSpace *s, const Value *v, const int8_t *map);
/* The number in s->quotients of what v divides, or is the remainder of; NO_QUOTIENT. */
enum { NO_QUOTIENT = -1 };
int access_quotient(const AccessSpace *s, const Value *v, const int8_t *map);
/* Of a division or remainder of integers that is read at `map`, or a shift or mask that is one; its
 * stride is not set.  False: it is none, or the divisor neither a scalar nor a constant above 0. */
bool access_division(const Value *v, const int8_t *map, Quotient *out);
bool access_comparison(const Value *v, const int8_t *map, Quotient *out);
/* Kept in the space, so asking again costs a look-up. */
Access access_of(AccessSpace *s, Value *v, const int8_t *map);
/* A key for maps, one to one: v read at the indices map[d], each -1 to MAX_RANK - 1. */
WideKey access_key(const Value *v, const int8_t *map);
/* What v is a renaming of, or NULL when its definition does more than rename dimensions (broadcast,
 * expand, permute, unit-dim reshape, hint).  `map_in` gets the operand's map. */
Value *access_renamed(const Value *v, const int8_t *map, int8_t *map_in);
/* Are the elements of v those of an operand, read whole, in a way that no renaming is? */
bool access_rearranges(const Value *v);

/* access_sure.c */
/* Leave of `sure` what is a conjunct of a mask (NULL: true), or, the first time, make it these. */
void access_meet_mask(Arena *a, AccessPlaces *sure, Value *mask, const int8_t *map, bool first);
/* Is it a load whose mask holds wherever somebody looks at it? */
bool access_is_sure(const AccessSpace *s, const Value *v, const int8_t *map);

/* access_distinct.c */
/* Is no value of an int or pointer tile in two of its elements?  False where that is not known. */
bool access_distinct(Arena *a, const AxisFacts *x, Value *v);
/* What all differences between elements of an int tile are multiples of, as far as its steps are
 * fixed numbers; at least 1. */
int64_t access_multiple(Arena *a, const AxisFacts *x, Value *v);
/* How every named tile steps along each of its own dimensions, and which is distinct, for tests. */
const char *access_text(const AxisFacts *x, const Func *f, Arena *a);

#endif
