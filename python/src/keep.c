/*
 * keep.c - objects and memory that a launch needs until it has ended
 *
 * All but unusual launches fit into what the structure itself has, so that they allocate nothing.
 */
#include <string.h>

#include "core.h"

void keep_init(Keep *k)
{
    k->file = NULL;
    k->any_object = false;
    k->on_device = false;
    k->stream = NULL;
    k->objects = k->some_objects;
    k->nobjects = k->ndims = k->nblocks = 0;
    k->room = COUNT(k->some_objects);
    k->dims = k->some_dims;
    k->dims_room = COUNT(k->some_dims);
    k->blocks = k->some_blocks;
    k->blocks_room = COUNT(k->some_blocks);
}

void keep_clear(Keep *k)
{
    for (int i = 0; i < k->nobjects; i++)
        Py_DECREF(k->objects[i]);
    for (int i = 0; i < k->nblocks; i++)
        PyMem_Free(k->blocks[i]);
    if (k->objects != k->some_objects)
        PyMem_Free(k->objects);
    if (k->blocks != k->some_blocks)
        PyMem_Free(k->blocks);
    keep_init(k);
}

/* Twice the room for pointers; `some` is what they began in. */
static void *more_pointers(void *at, int *room, const void *some)
{
    size_t bytes = (size_t)*room * sizeof(void *);
    void *grown = at == some ? PyMem_Malloc(2 * bytes) : PyMem_Realloc(at, 2 * bytes);

    if (!grown) {
        PyErr_NoMemory();
        return NULL;
    }
    if (at == some)
        memcpy(grown, some, bytes);
    *room *= 2;
    return grown;
}

int keep_object(Keep *k, PyObject *o)
{
    void *grown;

    if (!o)
        return -1;
    if (k->nobjects == k->room) {
        grown = more_pointers(k->objects, &k->room, k->some_objects);
        if (!grown) {
            Py_DECREF(o);
            return -1;
        }
        k->objects = grown;
    }
    k->objects[k->nobjects++] = o;
    return 0;
}

void *keep_memory(Keep *k, size_t bytes)
{
    void *block;

    if (k->nblocks == k->blocks_room) {
        void *grown = more_pointers(k->blocks, &k->blocks_room, k->some_blocks);
        if (!grown)
            return NULL;
        k->blocks = grown;
    }
    block = PyMem_Malloc(bytes ? bytes : 1);
    if (block)
        k->blocks[k->nblocks++] = block;
    else
        PyErr_NoMemory();
    return block;
}

int64_t *keep_dims(Keep *k, int n)
{
    if (k->ndims + n > k->dims_room) {
        k->ndims = 0;
        k->dims_room = n > 512 ? n : 512;
        k->dims = keep_memory(k, sizeof(int64_t) * (size_t)k->dims_room);
        if (!k->dims) {
            k->dims_room = 0;
            return NULL;
        }
    }
    k->ndims += n;
    return k->dims + k->ndims - n;
}
