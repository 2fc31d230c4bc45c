/*
 * sim.h - execute PTX on the host
 *
 * The simulator runs the PTX that the NVIDIA target emits: LLVM's text and the inline assembly in
 * it.  It exists so that GPU code can be tested, counted and checked on machines without a GPU.
 * docs/simulator.md says what it understands, what its arithmetic promises, and what it checks.
 *
 * Global, constant and parameter memory is the host's memory; addresses in kernels are host
 * pointers.  What it does not know is an error with the text of the line, never skipped.  It
 * includes src/base/, src/ptx/ and src/race/ and nothing else; it prints nothing and never exits.
 */
#ifndef TILEC_SIM_H
#define TILEC_SIM_H

#include "../base/tensor_map.h"
#include "../race/race.h"

/* What stopped a load or a launch. */
typedef enum {
    SIM_OK,
    SIM_NO_MEMORY,
    SIM_BAD_PTX,    /* the text is not understood */
    SIM_BAD_LAUNCH, /* the kernel cannot be launched like this */
    SIM_FAULT,      /* a program did what it must not do */
    SIM_CANCELLED   /* by who watches */
} SimStatus;

/* What a program that faults has done. */
typedef enum {
    SIM_CODE,   /* an instruction that cannot be executed, or trap */
    SIM_ACCESS, /* of memory that it must not touch so */
    SIM_RACE,   /* two warps, or two programs, and no order between them */
    SIM_SYNC    /* barriers, waits, and what a whole warp does together */
} SimFault;

/* Where and why.  Texts are cut where they do not fit. */
typedef struct {
    char text[400];   /* the message alone */
    char file[256];   /* of the source by .loc, or "" */
    int line, column; /* of the source, from 1; 0: unknown */
    int ptx_line;     /* from 1; 0: none */
    char ptx[160];    /* the text of that line */
    SimFault kind;    /* for SIM_FAULT, and where memory is out: what it is */
    int program[3];   /* .. and who did it */
    int warp, lane;   /* lane -1: the warp as a whole */
    /* of an access to global memory that must not be: what it is, else NULL; the range of the
     * launch that is nearest, where it is outside of all and one is near, else -1 */
    const char *access; /* "load of" */
    int range;
    uint64_t address;
    /* of a race: with whom, and where that is */
    bool is_race;
    Race race;
    char other_file[256];
    int other_line, other_column;
} SimError;

typedef struct PtxModule SimModule;
typedef struct PtxKernel SimKernel;

/* load.c */

/* Read PTX text, of `len` bytes.  What the module needs is copied.  On failure *error says why. */
SimStatus sim_load(const char *text, size_t len, SimModule **out, SimError *error);
void sim_unload(SimModule *m); /* NULL is allowed; none of its kernels may be running */
/* The entry of that name, or the first one for NULL.  NULL: there is none. */
const SimKernel *sim_kernel(const SimModule *m, const char *name);

/* Memory that programs may reach. */
typedef struct {
    uint64_t address, bytes;
    bool read_only;
    uint32_t unit; /* bytes of an element; 0: nobody looks for races in it */
    bool blank;    /* who looks for races is told of loads of what nobody has written, too */
} SimRange;

typedef struct {
    LineCount *lines; /* by file and line, for free(); the files live as long as the module */
    int count;
} SimCounts;

/* Instructions of a warp until another one has a turn: it may be waited for. */
enum { SIM_TURN = 20000 };

typedef struct {
    int32_t grid[3];
    int warps;            /* of a block */
    size_t shared;        /* bytes of dynamic shared memory */
    const uint64_t *args; /* one slot a parameter, of which it takes the low bytes; of one with more
                           * than 8 bytes the address of them */
    const SimRange *ranges;
    int nranges;       /* negative: every address is taken to be good */
    int threads;       /* of the host, at most; 0 or 1: the caller's alone */
    int turns;         /* of SIM_TURN instructions that a warp may take; 0: any number */
    SimCounts *counts; /* NULL: nothing is counted */
    bool roams;        /* programs may follow addresses that they load into the process's memory */
    bool races;        /* look for races between programs, too */
    Watch *watch;      /* NULL, or is told of each program; SIM_CANCELLED when it says so */
    Stints *stints;    /* NULL, or where programs are noted */
} SimLaunch;

/* tensor.c */

/* The simulator's own spelling of a tensor map, which no chip reads.  NULL; else why there is none:
 * static text. */
const char *sim_encode_tensor_map(const TensorMap *t, void *out);

/* launch.c */

/* Run a kernel over its grid and wait for the end.  Several may run at once, of one kernel too. */
SimStatus sim_launch(const SimKernel *k, const SimLaunch *launch, SimError *error);
/* `error` as people read it: a line that names the place, and notes.  In the arena. */
const char *sim_error_text(const SimError *error, Arena *a);

#endif
