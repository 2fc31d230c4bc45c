/*
 * small.h - floats as numbers of the host: formats, rounding, and what NVIDIA's chips make of NaN
 *
 * small.c does everything that has fewer bits than a float by way of doubles: a result is computed
 * with its last bit made odd where it is not exact, so that rounding it once more is as good as
 * rounding it once.
 */
#ifndef TILEC_SIM_SMALL_H
#define TILEC_SIM_SMALL_H

#include "../ptx/ptx.h"

/* Makes NAME of NAME_loops, a WIDE_LOOPS whose loops become vectors: once for each width of these,
 * of which a call takes the widest that there is.  Results are the same, since nothing contracts.
 */
#define WIDE_LOOPS static inline __attribute__((always_inline))
#if defined(__x86_64__)
#define WIDE(linkage, name, parameters, arguments)                                                 \
    __attribute__((target("avx512f"))) static void name##_512 parameters                           \
    {                                                                                              \
        name##_loops arguments;                                                                    \
    }                                                                                              \
    __attribute__((target("avx2"))) static void name##_256 parameters                              \
    {                                                                                              \
        name##_loops arguments;                                                                    \
    }                                                                                              \
    linkage void name parameters                                                                   \
    {                                                                                              \
        int bytes = os_vector_bytes();                                                             \
        if (bytes >= 64)                                                                           \
            name##_512 arguments;                                                                  \
        else if (bytes >= 32)                                                                      \
            name##_256 arguments;                                                                  \
        else                                                                                       \
            name##_loops arguments;                                                                \
    }
#else
#define WIDE(linkage, name, parameters, arguments)                                                 \
    linkage void name parameters                                                                   \
    {                                                                                              \
        name##_loops arguments;                                                                    \
    }
#endif

#define NAN_F32 UINT32_C(0x7fffffff) /* what a chip gives for any NaN */
#define NAN_16 UINT16_C(0x7fff)

typedef enum { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY } Rounding;
Rounding rounding_of(const Inst *in); /* by .rn and its kin; nearest where there is none */
int host_rounding(Rounding r);        /* for fesetround() */

double odd_add(double a, double b);           /* the last bit is odd where it is not exact */
double odd_fma(double a, double b, double c); /* a * b must be exact */
double odd_from_int(uint64_t magnitude, bool negative); /* likewise */

/* From a format of at most 32 bits: exactly. */
double small_to_double(PtxType t, uint32_t bits);
/* A row of them: of 8 and 16 bits as they lie in memory, tf32 in 32. */
void small_widen(PtxType t, const void *from, int n, double *to);
/* To one: `finite` gives the largest number instead of infinity, as .satfinite does. */
uint32_t small_from_double(PtxType t, double x, Rounding r, bool finite);

static inline float float_of(uint32_t bits)
{
    union {
        uint32_t u;
        float f;
    } x = {.u = bits};

    return x.f;
}
static inline uint32_t bits_of(float f)
{
    union {
        float f;
        uint32_t u;
    } x = {.f = f};

    return x.u;
}
static inline double double_of(uint64_t bits)
{
    union {
        uint64_t u;
        double f;
    } x = {.u = bits};

    return x.f;
}
static inline uint64_t bits_of_double(double f)
{
    union {
        double f;
        uint64_t u;
    } x = {.f = f};

    return x.u;
}
/* Denormals to zero with their sign. */
static inline uint32_t flush32(uint32_t bits)
{
    return bits & UINT32_C(0x7f800000) ? bits : bits & UINT32_C(0x80000000);
}

#endif
