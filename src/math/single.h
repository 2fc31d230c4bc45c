/*
 * single.h - the numbers of tanh and erf in fp32
 *
 * for the expansions of math_hyper.c and math_erf.c, which say what they are, and for a target that
 * computes the same around instructions of its own.
 */
#ifndef TILEC_SINGLE_H
#define TILEC_SINGLE_H

/* clang-format off */
#define TANH_EDGE 0x1.193ea8p-1 /* log(3)/2: tanh a = 1/2 */
#define TANH_LOW  -0x1.55554ap-2, 0x1.110ceep-3, -0x1.b91e7ep-5, 0x1.58e518p-6, -0x1.9921ap-8

#define ERF_EDGE  0.95
#define ERF_TOP   4
#define ERF_LOW   0x1.06eba8p-3, -0x1.81274p-2, 0x1.ce2d64p-4, -0x1.b80124p-6, 0x1.544b08p-8, \
                  -0x1.a6181p-11, 0x1.4fa924p-14
#define ERF_HIGH  0x1.00ba88p-12, 0x1.20a22ap+0, 0x1.4668c4p-1, 0x1.a881b4p-4, -0x1.69e00cp-6, \
                  0x1.8a50d4p-9, -0x1.938328p-13
/* clang-format on */

#endif
