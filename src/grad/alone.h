/*
 * alone.h - do terms of an address (../opt/terms.h) give one sum twice?  What alone.c and needs.c
 * ask each other
 */
#ifndef TILEC_GRAD_ALONE_H
#define TILEC_GRAD_ALONE_H

#include "../opt/terms.h"
#include "grad.h"

/* levels.c */
int64_t terms_common_divisor(int64_t a, int64_t b);
/* With the last of the numbers of loops and parts that have a factor of this sign: the least or the
 * most that it may be, as 0 of n - 1 - i. */
bool terms_take_last(const Poly *p, int sign, Poly *out);
bool terms_are_not_negative(const Poly *p); /* constants, indices, programs, rounds */
/* Does no sum of the address's terms come twice?  Constants are of the lowest level. */
bool terms_are_levels(const Op *access, const Sum *s, Constants c);

/* needs.c */
/* Does no sum of the address's terms come twice if numbers known at run time are as they mostly
 * are, a row's stride no less than its length?  What must hold is added to what the array needs. */
bool terms_need(Grad *g, const GradArray *a, const Op *access, const Sum *s, Constants c);
/* Programs along an axis are taken to be no more than fit between two along another, and that is
 * added to the needs: 3 heads of 8 elements of rows of 24.  False: nothing was. */
bool terms_limit_programs(Grad *g, const GradArray *a, Sum *s);
/* Does each program stay within what lies between it and the next, `behind` elements further on, so
 * that no two meet by whatever access?  Conditions as above. */
bool terms_apart(Grad *g, const GradArray *a, const Op *access, const Sum *s, const Poly *behind);

#endif
