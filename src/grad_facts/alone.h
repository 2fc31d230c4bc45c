/*
 * alone.h - do terms of an address (../terms/terms.h) give one sum twice?  What alone.c, needs.c
 * and reach.c ask each other
 */
#ifndef TILEC_GRAD_FACTS_ALONE_H
#define TILEC_GRAD_FACTS_ALONE_H

#include "../terms/terms.h"
#include "facts.h"

/* reach.c */
/* Quotients and remainders of programs' numbers tell them where no divisor is negative: is it so,
 * or needed now? */
bool terms_need_divisors(Grad *g, const GradArray *a, const GradOps *accesses, unsigned programs);

/* needs.c */
/* Does no sum of the address's terms come twice if numbers known at run time are as they mostly
 * are, a row's stride no less than its length?  What must hold is added to what the array needs. */
bool terms_need(Grad *g, const GradArray *a, const Op *access, const Sum *s, Constants c);
/* Does all that one of two accesses reaches lie behind all that the other does, and both within
 * what lies between two rows?  Of accesses whose terms with factors agree; conditions as above. */
bool terms_in_order(Grad *g, const GradArray *a, Op *const access[2], const Sum s[2]);
/* Programs along an axis are taken to be no more than fit between two along another, and that is
 * added to the needs: 3 heads of 8 elements of rows of 24.  False: nothing was. */
bool terms_limit_programs(Grad *g, const GradArray *a, Sum *s);
/* Does each program stay within what lies between it and the next, `behind` elements further on, so
 * that no two meet by whatever access?  Conditions as above. */
bool terms_apart(Grad *g, const GradArray *a, const Op *access, const Sum *s, const Poly *behind);

#endif
