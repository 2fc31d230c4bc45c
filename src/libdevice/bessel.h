/*
 * bessel.h - Bessel functions, for libdevice.c
 */
#ifndef TILEC_LIBDEVICE_BESSEL_H
#define TILEC_LIBDEVICE_BESSEL_H

#include "../lower/lower.h"

/* The function J, Y or I of that order, 0 or 1, of a tile of fp32 or fp64. */
Value *build_bessel(Lower *l, char kind, int order, Value *x);

#endif
