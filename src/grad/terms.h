/*
 * terms.h - the address of an access as a sum of terms, which alone.c and needs.c ask whether they
 * give one sum twice
 */
#ifndef TILEC_GRAD_TERMS_H
#define TILEC_GRAD_TERMS_H

#include "../opt/opt.h"
#include "../opt/poly.h"
#include "grad.h"

enum { MOST_TERMS = 12 };
typedef struct {
    const void *whose; /* NULL: of lanes */
    int dim;           /* .. along this one; the axis of programs */
    int64_t by, count; /* count 0: not known */
    PolyTerm unit;     /* the factors known at run time; its scale is 1 */
    bool from_zero;    /* of rounds: the counter begins at a constant that is not negative */
} Term;
typedef struct {
    Term at[MOST_TERMS];
    int n;
    Poly raw;    /* the address as it is */
    Poly shared; /* what is the same for all that might meet, with the constant */
    bool ok;
    unsigned programs; /* axes along which programs are asked about: bits */
    unsigned covered;  /* .. of which a loop's counter says all: range(program, n, programs), or
                        * range(program * each, min(program * each + each, n)) */
    const Grad *g;
    const Type *tile; /* of the access */
} Sum;

/* terms.c */
/* Whose a term is that runs over what accesses differ by, beside a constant: 0 and n of x + i and
 * x + n + i. */
extern const char terms_offset;
/* programs: the axes along which they are asked about; `ok` says whether it is such a sum. */
Sum terms_of(const Grad *g, const Op *access, unsigned programs);
bool terms_polynomial(const Value *v, Poly *out);
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

/* alone.c */
/* Constants of several accesses: how far the nearest and the farthest lie apart.  0: there is one.
 */
typedef struct {
    int64_t gap, span;
} Constants;
bool terms_are_digits(Sum *s, Constants c); /* of one level: different sums; sorts them */
/* What a loop says of its counter, if j is one: less than its end. */
void terms_add_loop_bound(const Poly *j, PolyBounds *out);

/* bounded.c: terms that the mask says a number of, so far and no further */
void terms_bound(const Op *access, Sum *s);

/* needs.c */
/* Does no sum of the address's terms come twice if numbers known at run time are as they mostly
 * are, a row's stride no less than its length?  What must hold is added to what the array needs. */
bool terms_need(Grad *g, const GradArray *a, const Op *access, const Sum *s, Constants c);
/* Does each program stay within what lies between it and the next, `behind` elements further on, so
 * that no two meet by whatever access?  Conditions as above. */
bool terms_apart(Grad *g, const GradArray *a, const Op *access, const Sum *s, int64_t behind);

#endif
