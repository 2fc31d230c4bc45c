/*
 * nv_divide.h - numbers that are divided together, and whether they may go the short way
 */
#ifndef TILEC_GEN_NV_VALUES_NV_DIVIDE_H
#define TILEC_GEN_NV_VALUES_NV_DIVIDE_H

#include "nv_values.h"

enum { NV_MOST_DIVIDENDS = 64 }; /* of one branch */

/* Registers x[regs[]], each to be divided by s[regs[]]; those that share one stand together. */
typedef struct {
    const Val *x, *s;
    const int *regs;
    int count;
    bool no_signs, parts; /* as in NvDivision */
} NvDividends;

/* How they are divided: as usual; the short way; that of numbers of which some are not finite. */
enum { NV_DETOUR, NV_USUAL, NV_INFINITE, NV_WAYS };

/* Halves are never too small or too large, but may be infinite. */
bool nv_all_integers(const NvDividends *g);
bool nv_all_halves(const NvDividends *g);
/* i1 of x[regs[]]: without a sign where that is said, are all within these?  Neither 0 nor NaN is.
 */
Val nv_all_within(Nv *n, const Val *x, const int *regs, int count, bool magnitude, double least,
                  double most);
/* i1: is none of them, without a sign, beyond that? */
Val nv_none_above(Nv *n, const Val *x, const int *regs, int count, double most);
/* The largest, without a sign where that is said; NaN does not count. */
Val nv_largest(Nv *n, const Val *x, const int *regs, int count, bool magnitude);
/* i1: are all dividends within these? */
Val nv_dividends_within(Nv *n, const NvDividends *g, double least, double most);
/* The same of those that have no sign, of which some may be 0. */
Val nv_unsigned_within(Nv *n, const NvDividends *g, bool zeros, double least, double most);
/* An i32: the way of dividends that are not all within these, where `too`; NV_INFINITE where that
 * is one.  `usual` is NV_USUAL, of which LLVM does not know that.  The builder may be in another
 * block behind it. */
Val nv_rare_way(Nv *n, const NvDividends *g, Val too, Val usual, double least, double most,
                bool infinite);

#endif
