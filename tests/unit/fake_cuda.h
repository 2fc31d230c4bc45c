/*
 * fake_cuda.h - what tests ask of the driver that fake_cuda.c stands in for
 *
 * The library keeps memory, contexts, modules and streams as the real one does, on the host, and
 * refuses what that one would refuse.  Tests set the fields of `input` and read the others.
 */
#ifndef TILEC_TEST_FAKE_CUDA_H
#define TILEC_TEST_FAKE_CUDA_H

#include <stddef.h>
#include <stdint.h>

enum { FAKE_LOG = 1 << 14, FAKE_ARGS = 12 };

typedef struct {
    /* input */
    int devices, version; /* as they are found with the start */
    int major[4], minor[4];
    size_t memory;    /* of each device: what is allocated beyond is refused */
    const char *fail; /* the symbol of the function that fails with `result` */
    int result;       /* .. behind `after` calls that work */
    int after;
    int later;              /* what waiting gives, and everything behind that */
    void *capturing;        /* the stream that is being captured */
    const char *broken_ptx; /* an image that begins so is refused, with a log */
    int quiet;              /* no log is kept */
    int local;              /* bytes that kernels have of it */
    /* NULL, or what a launch does with the 8 bytes of that argument */
    void (*kernel)(uint64_t arg);
    int kernel_arg;

    /* what happened */
    char log[FAKE_LOG];         /* the symbols called, each with a space behind it, until cleared */
    int violations;             /* calls that a capture does not allow */
    size_t allocated;           /* bytes, now */
    int pinned;                 /* pieces of the host's memory, now */
    int retained[4];            /* primary contexts, now */
    int modules, events, links; /* that there are, now */
    int wrong_context;          /* calls about what belongs to another context */
    struct {
        int device; /* of the context that was current */
        unsigned grid[3], block[3], shared;
        void *stream;
        uint64_t args[FAKE_ARGS]; /* 8 bytes of each */
        int dynamic;              /* the most shared memory that was asked for */
    } launched;
    char entry[128]; /* the last that a module was asked for */
    int launches;
    struct {
        int type, swizzle;
        unsigned rank;
        uint64_t address, extent[5], stride[4];
        uint32_t box[5], step[5];
        int count; /* of all that were encoded */
    } map;         /* the last that was encoded: as 8 bytes 0x5a */
} Fake;

/* exported from the library, beside the driver's own names */
typedef Fake *FakeState(void);           /* "fake_state" */
typedef void *FakeContext(int device);   /* "fake_context": a context that a program has made */
typedef void FakeCurrent(void *context); /* "fake_current": make it current; NULL: none */
typedef void FakeEnd(void *context);     /* "fake_end": the program destroys that context */
typedef void *FakeTop(void);             /* "fake_top": the current one, or NULL */

#endif
