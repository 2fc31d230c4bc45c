/*
 * repro.h - a launch as one file: the kernel, all that it uses, its arguments and the call
 *
 * The file needs nothing beside it: `tilec run` takes it, and Triton with PyTorch does.
 */
#ifndef TILEC_REPRO_H
#define TILEC_REPRO_H

#include "tilec.h"
#include "../names/front.h"

/* A launch: every argument has its name. */
typedef struct {
    const FrontFile *file;
    const char *kernel;
    const int32_t *grid;
    const tilec_arg *args;
    int nargs;
    const bool
        *unread; /* of each: the kernel writes to this array and never reads it; NULL: none */
    int num_warps, num_stages; /* 0: not said */
} ReproLaunch;

/* write.c: the text, in the arena, under the lock of the file; NULL and a diagnostic. */
const char *repro_text(const ReproLaunch *launch, Arena *a, Diags *d);

#endif
