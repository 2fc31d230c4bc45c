/*
 * fma.c - how fast this machine multiplies and adds right now
 *
 * Twelve independent chains keep two units of latency four or five busy; nothing touches memory.
 */
#include "bench.h"

enum { CHAINS = 12, STEPS = 20000, PARTS = 20 }; /* so many parts a thread */

/* GCC's vector types: the same source for AVX-512, AVX2 and what the build's machine has. */
typedef float Vec16 __attribute__((vector_size(64), aligned(4)));
typedef float Vec8 __attribute__((vector_size(32), aligned(4)));

/* One flat body for each vector width; the sum keeps the chains alive. */
/* clang-format off */
#define FMA_LOOP(Vec, lanes, attributes, name)                            \
    attributes static double name(void)                                   \
    {                                                                     \
        Vec acc[CHAINS], scale = {0}, step = {0};                         \
        double sum = 0;                                                   \
                                                                          \
        for (int k = 0; k < lanes; k++) {                                 \
            scale[k] = 0.999f;                                            \
            step[k] = 0.001f;                                             \
        }                                                                 \
        for (int c = 0; c < CHAINS; c++)                                  \
            acc[c] = step * (float)c;                                     \
        for (int i = 0; i < STEPS; i++) {                                 \
            _Pragma("GCC unroll 12")                                      \
            for (int c = 0; c < CHAINS; c++)                              \
                acc[c] = acc[c] * scale + step;                           \
        }                                                                 \
        for (int c = 0; c < CHAINS; c++)                                  \
            for (int k = 0; k < lanes; k++)                               \
                sum += (double)acc[c][k];                                 \
        return sum;                                                       \
    }

#define FAST optimize("O3", "fp-contract=fast"), noinline
#if defined(__x86_64__)
FMA_LOOP(Vec16, 16, __attribute__((target("avx512f,fma"), FAST)), loop_avx512)
FMA_LOOP(Vec8, 8, __attribute__((target("avx2,fma"), FAST)), loop_avx2)
#endif
FMA_LOOP(Vec8, 8, __attribute__((FAST)), loop_plain)
/* clang-format on */

static void fma_part(void *ctx, int part)
{
    double (*const *loop)(void) = ctx;
    volatile double sink = (*loop)();

    (void)part;
    (void)sink;
}

double fma_rate_by(int threads, double (*clock)(void))
{
    double (*loop)(void) = loop_plain;
    int lanes = 8;
    double start;

#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        loop = loop_avx512;
        lanes = 16;
    } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        loop = loop_avx2;
    }
#endif
    start = clock();
    on_threads(threads, PARTS * threads, fma_part, &loop);
    return 2.0 * CHAINS * STEPS * lanes * PARTS * threads / (clock() - start);
}

double fma_rate(int threads)
{
    return fma_rate_by(threads, now);
}
