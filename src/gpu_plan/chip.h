/*
 * chip.h - what a plan for a GPU depends on: a row for each chip
 *
 * Planners ask a row, never a chip's number.  A new chip is a row of chip.c.
 */
#ifndef TILEC_GPU_PLAN_CHIP_H
#define TILEC_GPU_PLAN_CHIP_H

#include "../base/base.h"

/* What only some chips have. */
typedef enum {
    CHIP_FP8_DOT = 1 << 0,       /* a product of fp8 that keeps fp8's own speed */
    CHIP_FP8_CAST = 1 << 1,      /* fp8e4nv to fp16, two at a time */
    CHIP_WIDE_ATOMICS = 1 << 2,  /* sums of 16 bytes of floats, and of single bf16 */
    CHIP_SET_REGISTERS = 1 << 3, /* setmaxnreg */
    CHIP_MMA = 1 << 4,           /* mma.sync, whose fragments are those of 32 lanes */
    CHIP_WGMMA = 1 << 5,         /* wgmma.mma_async, of four warps together */
    CHIP_PAIRS = 1 << 6,         /* sums of bf16, and min and max of int16, two at a time */
    CHIP_TENSOR_MEMORY = 1 << 7, /* tcgen05.mma, of four warps, whose sums lie in tensor memory */
    CHIP_GROUPS = CHIP_WGMMA | CHIP_TENSOR_MEMORY
} ChipFeature;

typedef struct {
    const char *name;     /* LLVM's: "sm_90a" */
    const char *features; /* the version of PTX that our instructions and the chip ask for; NULL:
                             no code can be made */
    int lane_bits;        /* of the number of a thread within its warp */
    int banks;            /* of shared memory, each of 4 bytes */
    int warps;            /* that a block may have at most */
    int64_t shared;       /* bytes of shared memory that a block may have */
    int threads;          /* that a multiprocessor holds at once */
    int registers;        /* of a multiprocessor, each of 4 bytes */
    int own_registers;    /* that a thread may have at most */
    unsigned has;         /* ChipFeature */
} Chip;

/* A chip of 64 lanes without matrix instructions: there are plans for it, and no code. */
extern const char chip_64_lanes[];

/* The row of a name; NULL, or a name that there is not: the oldest one's. */
const Chip *chip_find(const char *name);
extern const char *const chip_names[]; /* oldest first, NULL behind the last */
static inline bool chip_has(const Chip *c, ChipFeature f)
{
    return (c->has & f) != 0;
}

#endif
