/*
 * seed.h - where the random numbers of a test come from
 *
 * The same in every run, unless TILEC_SEED says another seed; what CTest shows of a test that
 * failed has the one that repeats it.
 */
#ifndef TILEC_TESTS_SEED_H
#define TILEC_TESTS_SEED_H

#include <stdio.h>
#include <stdlib.h>

#include "../../src/base/base.h"

/* TILEC_SEED, or `otherwise`. */
static inline uint64_t first_seed(uint64_t otherwise)
{
    const char *s = os_env("TILEC_SEED");
    uint64_t seed = s != NULL ? strtoull(s, NULL, 10) : otherwise;

    printf("TILEC_SEED=%llu repeats this\n", (unsigned long long)seed);
    return seed;
}

/* How many random kernels to try: TILEC_RANDOM_COUNT, or `otherwise`. */
static inline uint64_t random_count(uint64_t otherwise)
{
    const char *s = os_env("TILEC_RANDOM_COUNT");

    return s != NULL ? strtoull(s, NULL, 10) : otherwise;
}

/* The seed of one of several streams of a test. */
static inline uint64_t own_seed(uint64_t stream)
{
    uint64_t seed = first_seed(1);

    return hash_bytes(&stream, sizeof stream, seed);
}

#endif
