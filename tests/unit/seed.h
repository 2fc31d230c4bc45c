/*
 * seed.h - where the random numbers of a test come from, and how much of a test runs
 *
 * The numbers are the same in every run, unless TILEC_SEED says another seed; what CTest shows of a
 * test that failed has the one that repeats it.  A test of many like cases runs some of them, which
 * the seed chooses, and all of them with TILEC_THOROUGH in the environment.
 */
#ifndef TILEC_TESTS_SEED_H
#define TILEC_TESTS_SEED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/base.h"

static inline uint64_t seed_setting(const char *name, uint64_t otherwise)
{
    const char *s = os_env(name);

    return s != NULL ? strtoull(s, NULL, 10) : otherwise;
}

/* TILEC_SEED, or `otherwise`. */
static inline uint64_t first_seed(uint64_t otherwise)
{
    uint64_t seed = seed_setting("TILEC_SEED", otherwise);

    printf("TILEC_SEED=%llu repeats this\n", (unsigned long long)seed);
    return seed;
}

/* The seed of one of several streams of a test. */
static inline uint64_t own_seed(uint64_t stream)
{
    uint64_t seed = first_seed(1);

    return hash_bytes(&stream, sizeof stream, seed);
}

static inline bool thorough(void)
{
    const char *s = os_env("TILEC_THOROUGH");

    return s != NULL && *s;
}

/* Is this case one of the `one_in`-th part that runs?  `also` tells cases of one name apart. */
static inline bool chosen(const char *name, uint64_t also, unsigned one_in)
{
    uint64_t seed = seed_setting("TILEC_SEED", 1);

    return thorough() || hash_bytes(name, strlen(name), seed * 64 + also) % one_in == 0;
}

/* How many random kernels to try: TILEC_RANDOM_COUNT, or `otherwise`, and thoroughly eight times as
 * many. */
static inline uint64_t random_count(uint64_t otherwise)
{
    return seed_setting("TILEC_RANDOM_COUNT", thorough() ? 8 * otherwise : otherwise);
}

#endif
