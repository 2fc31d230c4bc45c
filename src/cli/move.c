/*
 * move.c - arrays on devices that have memory of their own
 *
 * The command's arrays lie in the host's memory, several of them perhaps in one storage.  For such
 * a device every storage that an argument uses is copied there as a whole, the arguments of
 * launches point into the copies, and what a launch did is copied back in the same way.  Copies end
 * with their storage.
 */
#include "call.h"

#include <string.h>

tilec_place move_place(const Moved *m)
{
    return (tilec_place){m->data, TILEC_MEMORY_DEVICE, m->device_id};
}

/* Does the device have a memory of its own?  One that this machine lacks stops the command. */
static bool has_memory(const Call *k)
{
    Cli *c = k->cli;
    const char *device = k->options.launch.device;
    int id = k->options.device_id;
    char *error = NULL;
    tilec_unit unit;
    void *nothing;

    if (!device) /* the CPU */
        return false;
    if (tilec_unit_count(c->tilec, device) == 0)
        cli_check(c, tilec_alloc(c->tilec, device, id, 1, &nothing, &error), &error);
    if (tilec_unit_info(c->tilec, device, id, &unit) != TILEC_OK)
        cli_stop(c, CLI_USAGE, "--device %s:%d: there are only %d of them, from 0", device, id,
                 tilec_unit_count(c->tilec, device));
    return unit.memory > 0;
}

static bool is_on_device_of(const Call *k, const Moved *m)
{
    return m->device_id == k->options.device_id && strcmp(m->device, k->timing.device) == 0;
}

/* Where the block is on the device; copied when it is not there yet. */
static char *move_block(const Call *k, int block)
{
    Cli *c = k->cli;
    const Storage *s = &c->store.blocks.at[block];
    const tilec_place from = {.data = s->memory};
    Moved m = {block, k->options.launch.device, k->options.device_id, NULL};
    char *error = NULL;

    for (int i = 0; i < c->moved.len; i++) {
        if (c->moved.at[i].block == block && is_on_device_of(k, &c->moved.at[i]))
            return c->moved.at[i].data;
    }
    cli_check(c, tilec_alloc(c->tilec, m.device, m.device_id, s->bytes, &m.data, &error), &error);
    vec_push(c->arena, &c->moved, m); /* now: it is released even if the copy fails */
    cli_check(c, tilec_copy(c->tilec, m.device, move_place(&m), from, s->bytes, NULL, &error),
              &error);
    return m.data;
}

static int block_of(const Cli *c, const void *data)
{
    int block = array_block(&c->store, data);

    if (block < 0)
        bug("an array outside of all storage");
    return block;
}

static bool is_empty(const tilec_tensor *t)
{
    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] == 0)
            return true;
    }
    return false;
}

static tilec_tensor moved_tensor(const Call *k, tilec_tensor t)
{
    t.memory = TILEC_MEMORY_DEVICE;
    t.device_id = k->options.device_id;
    if (is_empty(&t)) {
        t.data = NULL;
        return t;
    }
    int block = block_of(k->cli, t.data);
    size_t offset = (size_t)((char *)t.data - (char *)k->cli->store.blocks.at[block].memory);
    t.data = move_block(k, block) + offset;
    return t;
}

static tilec_arg *moved_arguments(const Call *k, const tilec_arg *args, int n)
{
    tilec_arg *out = NEW_N(k->cli->arena, tilec_arg, n + 1);

    for (int i = 0; i < n; i++) {
        out[i] = args[i];
        if (args[i].kind == TILEC_ARG_TENSOR || args[i].kind == TILEC_ARG_DESCRIPTOR)
            out[i].tensor = moved_tensor(k, args[i].tensor);
        if (args[i].kind == TILEC_ARG_TUPLE)
            out[i].items = moved_arguments(k, args[i].items, args[i].nitems);
    }
    return out;
}

bool move_there(Call *k)
{
    k->there = k->args.args;
    if (!has_memory(k))
        return false;
    k->there = moved_arguments(k, k->args.args, k->args.count);
    return true;
}

/* It came there for this call. */
static bool is_of_call(const Call *k, const Moved *m)
{
    return m->block >= k->first_block && is_on_device_of(k, m);
}

int64_t move_bytes(const Call *k)
{
    int64_t bytes = 0;

    for (int i = 0; i < k->cli->moved.len; i++) {
        const Moved *m = &k->cli->moved.at[i];

        if (is_of_call(k, m))
            bytes += (int64_t)k->cli->store.blocks.at[m->block].bytes;
    }
    return bytes;
}

void move_back(const Call *k)
{
    Cli *c = k->cli;

    for (int i = 0; i < c->moved.len; i++) {
        const Moved *m = &c->moved.at[i];
        const Storage *s = &c->store.blocks.at[m->block];
        const tilec_place to = {.data = s->memory};
        char *error = NULL;

        if (!is_of_call(k, m))
            continue;
        cli_check(c, tilec_copy(c->tilec, m->device, to, move_place(m), s->bytes, NULL, &error),
                  &error);
    }
}

void move_release(Cli *c, int kept)
{
    int n = 0;

    for (int i = 0; i < c->moved.len; i++) {
        const Moved *m = &c->moved.at[i];

        if (m->block < kept)
            c->moved.at[n++] = *m;
        else
            tilec_release(c->tilec, m->device, m->device_id, m->data, NULL);
    }
    c->moved.len = n;
}
