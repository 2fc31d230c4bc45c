/*
 * terms.h - the address of an access as a sum of terms: what runs, and by how much
 *
 * Whether no two of its numbers are the same is asked by who wants to know (../grad/alone.c).
 */
#ifndef TILEC_TERMS_H
#define TILEC_TERMS_H

#include "../axis/poly.h"
#include "../ir/analysis.h"
#include "../opt/opt.h"

enum { AXES = 3 }; /* of a grid */
#define EVERY_AXIS ((1u << AXES) - 1)
enum { MOST_TERMS = 12, MOST_TOLD = 4 };
typedef struct {
    const void *whose; /* NULL: of lanes; the loop of rounds, the function of programs; or the
                        * quotient or remainder that a program's number was divided into */
    int dim;           /* .. along this one; the axis of programs; of rounds: BACKWARDS, or 0; of
                        * a part that is a tile the dimension that it lies along */
    int64_t by, count; /* count 0: not known */
    PolyTerm unit;     /* the factors known at run time; its scale is 1 */
    bool from_zero;    /* of rounds: the counter begins at a constant that is not negative */
    bool is_part;      /* pid // heads, or pid % heads, also of the tile i of a flat index */
} Term;
enum { BACKWARDS = 1 }; /* rounds that an address counts from the last one: n - 1 - i */
typedef struct {
    Term at[MOST_TERMS];
    int n;
    Poly raw;    /* the address as it is */
    Poly shared; /* what is the same for all that might meet, with the constant */
    bool ok;
    unsigned programs; /* axes along which programs are asked about: bits */
    unsigned covered;  /* .. of which a loop's counter says all: range(program, n, programs), or
                        * range(program * each, min(program * each + each, n)); or a flat index
                        * that all parts of are there */
    unsigned told;     /* .. and the lanes that such an index says all of: bits, by dimension */
    const void *told_rounds[MOST_TOLD]; /* .. and loops */
    int ntold;
    const Func *func;
    const Type *tile; /* of the access */
} Sum;

/* terms.c */
bool terms_same_for_all(const Value *v); /* a scalar made of arguments and constants */
/* Whose a term is that runs over what accesses differ by, beside a constant: 0 and n of x + i and
 * x + n + i. */
extern const char terms_offset;
/* programs: the axes along which they are asked about; `ok` says whether it is such a sum. */
Sum terms_of(const Func *f, const Op *access, unsigned programs);
bool terms_polynomial(const Value *v, Poly *out);
bool terms_address(const Op *access, Poly *out); /* of which parts of tiles are atoms, too */
/* The terms of an integer that an access is made of; false: it is no such sum. */
bool terms_of_number(const Sum *s, const Poly *number, Sum *out);
const Op *terms_made_by(const Value *v, OpCode code); /* but for casts; NULL: it is not */
bool terms_same_unit(const PolyTerm *a, const PolyTerm *b);
/* The atom of a term that is not the same for all, and the rest; NULL: all are, or several not. */
const PolyAtom *terms_split(const Sum *s, const PolyTerm *t, PolyTerm *rest, bool *shared);
bool terms_has(const Sum *s, const void *whose, int dim);
unsigned terms_programs(const Sum *s); /* those of the axes that have a term */
/* Those whose factors known at run time are these. */
Sum terms_level(const Sum *s, const PolyTerm *unit);
/* A level without what accesses differ by; *span: how far that reaches. */
Sum terms_without_offset(const Sum *level, int64_t *span);

/* A loop over what programs share among them: from the number of each on, or of the blocks of that
 * size.  With the right step each counter is one program's. */
bool terms_shares_work(const Op *loop);

/* The axis of programs that step by their number from their own on, or by blocks of so many; -1:
 * none.  *from: what lies before them all; NULL: nothing. */
int terms_axis_of_strides(const Op *loop, int64_t *times, const Value **from);

/* The axis of programs that count from their number times so many on, up to where the next one
 * begins, or less far: they never count to one number twice; -1: none. */
int terms_axis_of_blocks(const Op *loop);

/* Constants of several accesses: how far the nearest and the farthest lie apart.  0: there is one.
 */
typedef struct {
    int64_t gap, span;
} Constants;
bool terms_are_digits(Sum *s, Constants c); /* of one level: different sums; sorts them */

/* parts.c */
/* Is it what a program's number leaves when it is divided, pid // heads or pid % heads, or when
 * that is divided again?  By constants and arguments; these must be more than 0. */
bool terms_is_part(const Value *v);
/* .. or what a flat index, a tile of which no element is negative, leaves: i // W, i % W? */
bool terms_is_any_part(const Value *v);
bool terms_has_parts(const Sum *s);
/* What it, or what it is made of, was divided by, number `which` of those; NULL: there are no more.
 */
const Value *terms_divisor(const Value *part, int which);
/* Where a loop, or the division that it comes from, says a number to end; false: neither does. */
bool terms_end_of(const Value *v, Poly *out);
/* That the number, if j is one, is less than that. */
void terms_add_own_bound(const Poly *j, PolyBounds *out);
unsigned terms_axes_of_parts(const Sum *s); /* of programs whose parts there are, all of them */
/* Of a flat index all of whose parts there are, and of which no number comes twice: what it is made
 * of is told. */
void terms_tell_wholes(const Op *access, Sum *s);

/* bounds.c: terms that the mask says a number of, so far and no further */
void terms_bounds_of(const Op *access, PolyBounds *out); /* what its mask says */
void terms_bound(const Op *access, Sum *s);
/* The condition of the access, or the loop that counts it, says: less than *out, the same for all.
 */
bool terms_end_by_mask(const Op *access, const Poly *p, Poly *out);
/* .. at least *out: 0, or what a condition `column >= R` says. */
void terms_begin_by_mask(const Op *access, const Poly *p, Poly *out);
/* p as multiples of `by`, without that, and lanes between them; *lanes: how far these go. */
bool terms_split_multiples(const Op *access, const Poly *p, int64_t by, Poly *out, int64_t *lanes);
/* With R for R // 2 * 2, which is no more, where it is taken off; false: it has no room. */
bool terms_undivided(Poly *p);

/* levels.c */
int64_t terms_common_divisor(int64_t a, int64_t b);
int64_t terms_divisor_of_all(const Poly *p, int64_t divisor); /* and of that */
/* 1 <= n in place of 8 <= 8 * n, and programs <= heads of n * programs <= n * heads: a level's n is
 * more than 0 wherever there is an element. */
void terms_divide_both(Poly *a, Poly *b);
/* With the last of the numbers of loops and parts that have a factor of this sign: the least or the
 * most that it may be, as 0 of n - 1 - i. */
bool terms_take_last(const Poly *p, int sign, Poly *out);
bool terms_are_not_negative(const Poly *p); /* constants, indices, programs, rounds */
bool terms_is_same_poly(const Poly *p);     /* for all programs, in all rounds */
/* Of the factors of terms: is a level with those of a below one with those of b? */
bool terms_is_lower(const PolyTerm *a, const PolyTerm *b);
/* With v for v / d, and for v / d * d, which is no more: of an argument v, or a product of some.
 * False: it has no such quotient. */
bool terms_without_quotient(const PolyTerm *t, PolyTerm *out);
/* The factors of all terms, the smallest first; -1: too many, or one is negative. */
enum { MOST_UNITS = 4 };
int terms_units(const Sum *s, PolyTerm units[MOST_UNITS]);
/* What of the address has these factors, without them. */
bool terms_of_unit(const Sum *s, const PolyTerm *unit, Poly *out);
int64_t terms_common_factor(const Sum *level); /* what its coefficients are multiples of */
/* To more than what multiples of the step are less than: that of 8 * n - 7 is 8 * n. */
bool terms_round_up(Poly *bound, int64_t step);
/* Does no sum of the address's terms come twice?  Constants are of the lowest level. */
bool terms_are_levels(const Op *access, const Sum *s, Constants c);

/* varies.c: what may be another value in another program along that axis, by MAP_KEY; and does
 * which element a store goes to, or whether it is stored, go by that? */
Map *terms_varying(const Func *f, int axis, Arena *a);
bool terms_goes_by(const Map *varying, const Op *store);

/* same_place.c: does the access go, behind the array's beginning, to the element that b goes to
 * behind that of the other array, in each lane, round and program, and nowhere where b does not go?
 */
bool terms_go_where(const Op *a, const Value *array, const Op *b, const Value *other);

#endif
