/*
 * fresh.c - the arrays of a call as they were, for each of its timed runs
 *
 * A kernel that writes what it also reads does something else each time: a sort finds sorted data,
 * a count goes on counting.  Where the library says that a launch is of this kind, the blocks are
 * copied before the first run, those that it has changed are kept, and every further run that is
 * timed begins with them.  Copying is not timed, but leaves the arrays in the caches as far as they
 * fit there.
 */
#include "call.h"

#include <string.h>

/* There may be too little memory for that; the times are then those of what the runs find. */
static bool has_room(const Call *k)
{
    size_t bytes = 0;

    for (int i = k->first_block; i < k->cli->store.blocks.len; i++)
        bytes += k->cli->store.blocks.at[i].bytes;
    return os_has_memory(bytes);
}

bool fresh_has(const KeptBlocks *all, int block)
{
    for (int i = 0; i < all->len; i++) {
        if (all->at[i].block == block)
            return true;
    }
    return false;
}

KeptBlock fresh_copy_of(Cli *c, int block)
{
    const Storage from = c->store.blocks.at[block];
    Array copy = array_new(&c->store, TILEC_U8, 1, (int64_t[]){(int64_t)from.bytes});

    memcpy(copy.data, from.memory, from.bytes);
    return (KeptBlock){block, copy.data};
}

void fresh_copy(Call *k, int end)
{
    for (int i = k->first_block; i < end; i++)
        vec_push(k->cli->arena, &k->kept, fresh_copy_of(k->cli, i));
}

void fresh_keep(Call *k)
{
    if (!k->timing.stats.in_place)
        return;
    if (has_room(k))
        fresh_copy(k, k->cli->store.blocks.len);
    else
        cli_warn(k->cli,
                 "there is no memory for a copy of the arrays: runs are timed on what earlier "
                 "ones left");
}

void fresh_settle(Call *k)
{
    int n = 0;

    for (int i = 0; i < k->kept.len; i++) {
        const KeptBlock kept = k->kept.at[i];
        const Storage *now = &k->cli->store.blocks.at[kept.block];

        if (memcmp(now->memory, kept.copy, now->bytes) != 0)
            k->kept.at[n++] = kept;
    }
    k->kept.len = n;
    k->timing.fresh = n > 0;
}

void fresh_put(const Call *k, const KeptBlock *kept)
{
    Cli *c = k->cli;
    const Storage *s = &c->store.blocks.at[kept->block];
    const tilec_place from = {.data = kept->copy};
    char *error = NULL;

    for (int i = 0; i < c->moved.len; i++) {
        const Moved *m = &c->moved.at[i];

        if (m->block != kept->block)
            continue;
        cli_check(c, tilec_copy(c->tilec, m->device, move_place(m), from, s->bytes, NULL, &error),
                  &error);
        return;
    }
    memcpy(s->memory, kept->copy, s->bytes);
}

/* Around what is none of the timed runs. */
static void pause_samples(const Call *k, bool paused)
{
    char *error = NULL;

    cli_check(k->cli,
              tilec_profile_pause(k->cli->tilec, k->options.launch.device, paused ? 1 : 0, &error),
              &error);
}

void fresh_restore(const Call *k, const KeptBlocks *kept)
{
    bool pauses = k->options.profile && kept->len > 0;

    if (pauses)
        pause_samples(k, true);
    for (int i = 0; i < kept->len; i++)
        fresh_put(k, &kept->at[i]);
    if (pauses)
        pause_samples(k, false);
}
