/*
 * overwritten.c - random numbers that a launch has replaced, and never read
 *
 * tl.store(p + i, -lr * g) for tl.load(p + i) - lr * g: what was in p is lost, and the result looks
 * like one.  Who made p by rand or randn wanted it to be read; so that is told of arrays that the
 * kernel only stores to, where hardly an element is what it was.  Of one that has kept some, as
 * where a mask chooses what is to be 0, nothing is said.
 */
#include "call.h"

#include <string.h>

enum {
    MOST_BYTES = 16 << 20,
    MOST_KEPT = 64 /* of so many elements one may have its number again */
};

static bool is_suspect(const Call *k, const MaybeUnwritten *m)
{
    const Storage *s = m->block >= k->first_block ? &k->cli->store.blocks.at[m->block] : NULL;

    return s && s->is_drawn && s->bytes <= MOST_BYTES && dtype_is_float((DType)m->array.dtype) &&
           array_bytes(&m->array) == s->bytes &&
           (unwritten_uses(&k->unwritten, m->block) & (TILEC_LOADS | TILEC_STORES)) == TILEC_STORES;
}

void overwritten_watch(Call *k)
{
    if (!k->unwritten.wanted)
        return;
    unwritten_find_arrays(k);
    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        const MaybeUnwritten *m = &k->unwritten.arrays.at[i];
        if (is_suspect(k, m) && !fresh_has(&k->drawn, m->block))
            vec_push(k->cli->arena, &k->drawn, fresh_copy_of(k->cli, m->block));
    }
}

static int64_t count_kept(const char *now, const char *before, int64_t n, size_t bytes)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < n; i++)
        kept += memcmp(now + (size_t)i * bytes, before + (size_t)i * bytes, bytes) == 0;
    return kept;
}

static bool is_lost(const Call *k, const KeptBlock *b)
{
    for (int i = 0; i < k->unwritten.arrays.len; i++) {
        const MaybeUnwritten *m = &k->unwritten.arrays.at[i];
        const Storage *s = &k->cli->store.blocks.at[b->block];
        int64_t n = array_numel(&m->array);
        if (m->block == b->block && n > 1)
            return count_kept(s->memory, b->copy, n, tilec_dtype_size(m->array.dtype)) <=
                   n / MOST_KEPT;
    }
    return false;
}

void overwritten_tell(Call *k)
{
    for (int i = 0; i < k->drawn.len; i++) {
        for (int m = 0; is_lost(k, &k->drawn.at[i]) && m < k->unwritten.arrays.len; m++) {
            if (k->unwritten.arrays.at[m].block != k->drawn.at[i].block)
                continue;
            call_warn(k,
                      arena_printf(k->cli->arena,
                                   "%s: its random numbers are replaced, and nothing of them was "
                                   "loaded\n"
                                   "hint: is a load missing? What is only written begins as "
                                   "empty(%s,%s)",
                                   k->unwritten.arrays.at[m].name,
                                   tilec_dtype_name(k->unwritten.arrays.at[m].array.dtype),
                                   summary_shape(k->cli->arena, &k->unwritten.arrays.at[m].array)));
            return;
        }
    }
}
