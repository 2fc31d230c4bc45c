/*
 * memory.c - the memory of the device "null": two of them, each with a list of pieces
 *
 * The pieces lie in the host's memory, but only what was allocated here may be named: what is not
 * inside of a piece is refused, as hardware would.  So everything in front of a device with memory
 * of its own can be tested where there is none.  Work is done at once, whatever the stream.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_null.h"

enum { UNITS = 2 };
#define UNIT_BYTES ((size_t)1 << 20)

typedef struct Piece Piece;
struct Piece {
    Piece *next;
    char *data;
    size_t bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that follows */
static Piece *pieces[UNITS];
static size_t used[UNITS];

static int count_of_null(void)
{
    return UNITS;
}

static bool unit_on_null(int id, DeviceUnit *out)
{
    static const DeviceUnit units[UNITS] = {
        {.name = "first nothing", .arch = "none", .memory = UNIT_BYTES, .processors = 1},
        {.name = "second nothing", .arch = "less", .memory = UNIT_BYTES, .processors = 2}};

    if (id < -1 || id >= UNITS)
        return false;
    *out = units[MAX(id, 0)];
    return true;
}

static RunStatus complain(char **error, const char *what, const void *data, int id)
{
    if (asprintf(error, "error: %p is %s of number %d of the device `null`\n", data, what, id) < 0)
        *error = NULL;
    return RUN_FAILED;
}

static void refuse_bytes(char **error, size_t bytes, int id)
{
    if (asprintf(
            error,
            "error: no %zu bytes on number %d of the device `null`, which exists for tests and "
            "has %zu bytes for all arrays\n",
            bytes, id, UNIT_BYTES) < 0)
        *error = NULL;
}

static RunStatus alloc_on_null(void *state, int id, size_t bytes, void **data, char **error)
{
    Piece *b = malloc(sizeof *b);
    char *memory = bytes <= UNIT_BYTES ? aligned_alloc(256, (bytes + 255) / 256 * 256) : NULL;
    RunStatus status = RUN_NO_MEMORY;

    (void)state;
    *error = NULL;
    pthread_mutex_lock(&lock);
    if (b && memory && used[id] + bytes <= UNIT_BYTES) {
        *b = (Piece){pieces[id], memory, bytes};
        pieces[id] = b;
        used[id] += bytes;
        *data = memory;
        status = RUN_OK;
    }
    pthread_mutex_unlock(&lock);
    if (status != RUN_OK) {
        free(memory);
        free(b);
        refuse_bytes(error, bytes, id);
    }
    return status;
}

static RunStatus release_on_null(void *state, int id, void *data, char **error)
{
    Piece *found = NULL;

    (void)state;
    *error = NULL;
    pthread_mutex_lock(&lock);
    Piece **b = &pieces[id];
    while (*b && (*b)->data != data)
        b = &(*b)->next;
    found = *b;
    if (found) {
        *b = found->next;
        used[id] -= found->bytes;
    }
    pthread_mutex_unlock(&lock);
    if (!found)
        return complain(error, "no array", data, id);
    free(found->data);
    free(found);
    return RUN_OK;
}

/* Whether all of the bytes are in one piece. */
static bool owns(int id, const void *data, size_t bytes)
{
    uintptr_t start = (uintptr_t)data;
    bool inside = false;

    pthread_mutex_lock(&lock);
    for (const Piece *b = pieces[id]; b && !inside; b = b->next)
        inside = start >= (uintptr_t)b->data && start - (uintptr_t)b->data <= b->bytes &&
                 bytes <= b->bytes - (start - (uintptr_t)b->data);
    pthread_mutex_unlock(&lock);
    return inside;
}

static RunStatus copy_on_null(void *state, const DeviceCopy *c, char **error)
{
    (void)state;
    *error = NULL;
    if (c->to_memory == MEMORY_DEVICE && !owns(c->to_id, c->to, c->bytes))
        return complain(error, "not in memory", c->to, c->to_id);
    if (c->from_memory == MEMORY_DEVICE && !owns(c->from_id, c->from, c->bytes))
        return complain(error, "not in memory", c->from, c->from_id);
    memcpy(c->to, c->from, c->bytes);
    return RUN_OK;
}

static RunStatus fill_on_null(void *state, const DeviceFill *f, char **error)
{
    (void)state;
    *error = NULL;
    if (!owns(f->id, f->data, f->count * (size_t)f->size))
        return complain(error, "not in memory", f->data, f->id);
    for (size_t i = 0; i < f->count; i++)
        memcpy((char *)f->data + i * (size_t)f->size, &f->value, (size_t)f->size);
    return RUN_OK;
}

static RunStatus wait_on_null(void *state, int id, void *stream, char **error)
{
    (void)state;
    (void)id;
    (void)stream;
    *error = NULL;
    return RUN_OK;
}

const DeviceArrays null_arrays = {.count = count_of_null,
                                  .unit = unit_on_null,
                                  .alloc = alloc_on_null,
                                  .release = release_on_null,
                                  .copy = copy_on_null,
                                  .fill = fill_on_null,
                                  .wait = wait_on_null};

int null_pieces(void)
{
    int n = 0;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < UNITS; i++) {
        for (const Piece *b = pieces[i]; b; b = b->next)
            n++;
    }
    pthread_mutex_unlock(&lock);
    return n;
}
