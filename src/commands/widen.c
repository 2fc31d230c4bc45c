/*
 * widen.c - arrays of floats of a call as ones of fp64, for differences of them
 */
#include "commands.h"

#include <string.h>

/* The storage of the array as fp64, for it alone: derivatives take arrays to be apart. */
static void widen_tensor(Cli *c, tilec_tensor *t)
{
    int block = array_block(&c->store, t->data);
    const Storage s = c->store.blocks.at[block];
    int64_t size = (int64_t)tilec_dtype_size(t->dtype), n = (int64_t)s.bytes / size;
    const Array old = {
        .data = s.memory, .dtype = t->dtype, .ndim = 1, .shape = {n}, .strides = {1}};
    Array made = array_new(&c->store, TILEC_FP64, 1, &n);

    if (!s.is_empty)
        array_numbers(&old, 0, n, made.data);
    t->data = (double *)made.data + ((char *)t->data - (char *)s.memory) / size;
    t->dtype = TILEC_FP64;
}

void args_widen(Cli *c, Arguments *a)
{
    tilec_arg *args = NEW_N(c->arena, tilec_arg, a->count + 1);

    memcpy(args, a->args, sizeof *args * (size_t)a->count);
    a->args = args;
    for (int i = 0; i < a->count; i++) {
        const tilec_tensor *t = &args[i].tensor;
        bool is_ours = args[i].kind == TILEC_ARG_TENSOR && array_block(&c->store, t->data) >= 0;

        if (is_ours && t->dtype >= TILEC_FP8E4NV)
            widen_tensor(c, &args[i].tensor);
    }
}
