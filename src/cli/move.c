/*
 * move.c - arrays on devices that have memory of their own
 *
 * The command's arrays lie in the host's memory, several of them perhaps in one storage.  For such
 * a device every storage that an argument uses is copied there as a whole, the arguments are made
 * to point into the copies, and what a launch did is copied back in the same way.
 */
#include "cli.h"

static tilec_place there(const Cli *c, void *data)
{
    return (tilec_place){data, TILEC_MEMORY_DEVICE, c->device_id};
}

/* Does the device have a memory of its own?  One that this machine lacks stops the command. */
static bool has_memory(Cli *c)
{
    char *error = NULL;
    tilec_unit unit;
    void *nothing;

    if (tilec_unit_count(c->tilec, c->device) == 0)
        check(c, tilec_alloc(c->tilec, c->device, c->device_id, 1, &nothing, &error), &error);
    if (tilec_unit_info(c->tilec, c->device, c->device_id, &unit) != TILEC_OK)
        stop(c, CLI_USAGE, "--device %s:%d: there are only %d of them, from 0", c->device,
             c->device_id, tilec_unit_count(c->tilec, c->device));
    return unit.memory > 0;
}

/* Where the storage is on the device; copied when it is not there yet. */
static char *move_storage(Cli *c, const Storage *s)
{
    const tilec_place from = {.data = s->memory};
    Moved m = {.storage = s};
    char *error = NULL;

    for (int i = 0; i < c->moved.len; i++) {
        if (c->moved.at[i].storage == s)
            return c->moved.at[i].data;
    }
    check(c, tilec_alloc(c->tilec, c->device, c->device_id, s->bytes, &m.data, &error), &error);
    vec_push(c->arena, &c->moved, m); /* now: it is released even if the copy fails */
    check(c, tilec_copy(c->tilec, c->device, there(c, m.data), from, s->bytes, NULL, &error),
          &error);
    return m.data;
}

static const Storage *storage_of(const Cli *c, const void *data)
{
    for (int i = 0; i < c->blocks.len; i++) {
        const Storage *s = &c->blocks.at[i];
        uintptr_t start = (uintptr_t)s->memory, at = (uintptr_t)data;

        if (at >= start && at - start < s->bytes)
            return s;
    }
    bug("an array outside of all storage");
}

static bool is_empty(const tilec_tensor *t)
{
    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] == 0)
            return true;
    }
    return false;
}

static void move_tensor(Cli *c, tilec_tensor *t)
{
    t->memory = TILEC_MEMORY_DEVICE;
    t->device_id = c->device_id;
    if (is_empty(t)) {
        t->data = NULL;
        return;
    }
    const Storage *s = storage_of(c, t->data);
    size_t offset = (size_t)((char *)t->data - (char *)s->memory);
    t->data = move_storage(c, s) + offset;
}

static void move_arguments(Cli *c, tilec_arg *args, int n)
{
    for (int i = 0; i < n; i++) {
        if (args[i].kind == TILEC_ARG_TENSOR || args[i].kind == TILEC_ARG_DESCRIPTOR)
            move_tensor(c, &args[i].tensor);
        if (args[i].kind == TILEC_ARG_TUPLE)
            move_arguments(c, (tilec_arg *)args[i].items, args[i].nitems); /* args.c made them */
    }
}

bool move_there(Cli *c, Arguments *a)
{
    if (!has_memory(c))
        return false;
    move_arguments(c, a->args, a->count);
    return true;
}

void move_back(Cli *c)
{
    for (int i = 0; i < c->moved.len; i++) {
        const Moved *m = &c->moved.at[i];
        const tilec_place to = {.data = m->storage->memory};
        char *error = NULL;

        check(
            c,
            tilec_copy(c->tilec, c->device, to, there(c, m->data), m->storage->bytes, NULL, &error),
            &error);
    }
}

void move_release(Cli *c)
{
    for (int i = 0; i < c->moved.len; i++)
        tilec_release(c->tilec, c->device, c->device_id, c->moved.at[i].data, NULL);
    c->moved.len = 0;
}
