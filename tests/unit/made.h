/*
 * made.h - what a target makes of a kernel, made once for all runs of a test
 *
 * Nine tenths of what tests that compile take is LLVM's time.  Equal IR and options become equal
 * code as long as the compiler is of equal sources, which the key has (cache_key()), so a test
 * that looks at what code does, or is, may find it where CTest keeps such things
 * (TILEC_CACHE_DIR).  Thoroughly, and by hand without that variable, all is made anew.
 */
#ifndef TILEC_TEST_MADE_H
#define TILEC_TEST_MADE_H

#include "../../src/run/run.h"

#include "seed.h"

/* For this process; NULL: nothing is kept.  Left to the end of the process. */
static inline Cache *made_cache(void)
{
    static Cache *cache;

    if (!cache && os_env("TILEC_CACHE_DIR") && !thorough() && cache_open(NULL, &cache) != RUN_OK)
        cache = NULL;
    return cache;
}

/* Apart from the key of a launch, whose IR the passes have not seen yet. */
static inline Hash128 made_key(const Target *t, const Func *f, const GenOptions *o, GenStage stage,
                               Arena *a)
{
    const Hash128 key = cache_key(f, t->name, o, a);
    const char *text = arena_printf(a, "made %llx %llx stage %d", (unsigned long long)key.lo,
                                    (unsigned long long)key.hi, stage);

    return hash128_bytes(text, strlen(text));
}

/* As Target.emit(); what it refuses is not kept, nor plans, which take no LLVM. */
static inline bool made(const Target *t, const Func *f, const GenOptions *o, GenStage stage,
                        Arena *a, GenOutput *out, Diags *d)
{
    Cache *cache = stage == GEN_PLAN || stage == GEN_LAYOUT ? NULL : made_cache();
    Hash128 key;

    if (!cache)
        return t->emit(f, o, stage, a, out, d);
    key = made_key(t, f, o, stage, a);
    if (cache_get(cache, key, a, out))
        return true;
    if (!t->emit(f, o, stage, a, out, d))
        return false;
    cache_put(cache, key, out);
    return true;
}

#endif
