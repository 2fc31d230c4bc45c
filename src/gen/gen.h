/*
 * gen.h - what a code generator is
 *
 * A Target is data and one function that turns optimised IR into bytes.  Targets that need LLVM
 * live in the plugin tilec-llvm.so, which the core opens on the first cache miss through
 * tilec_gen_plugin() below; the core itself never links LLVM.  Code generators read src/ir/ and
 * src/opt/'s analyses and nothing else of the project.
 */
#ifndef TILEC_GEN_H
#define TILEC_GEN_H

#include <stdio.h>
#include <string.h>

#include "../base/tensor_map.h"
#include "../ir/ir.h"

/* Of targets whose programs share the registers of one processor: what the code asks an assembler
 * for. */
typedef int GenBudget; /* or room for so many programs */
enum {
    GEN_BUDGET_PLAN = 0, /* what the target finds right, which may be nothing */
    GEN_BUDGET_NONE = -1 /* nothing */
};

/* Everything outside the IR that the generated code depends on; all of it is in the cache key. */
typedef struct {
    /* LLVM's names, as host_cpu_name() and host_cpu_features() give them; NULL = this machine. */
    const char *cpu, *features;
    /* promised by the launch: two pointer arguments never reach the same memory.  False: the
     * code must be right for any overlap. */
    bool disjoint;
    bool streaming;    /* the launch moves more than the last-level cache holds */
    bool few_programs; /* its grid is no larger than ir_most_programs() says */
    bool lines;        /* say which lines of the source instructions come from */
    /* for debuggers, with lines: statements are computed one after the other, and objects say where
     * what they name is */
    bool debug;
    bool shown;      /* the code is to be looked at: of a chip that may not be here */
    bool no_tensors; /* the launch cannot make the tensor maps that the code would like to have */
    bool spans;      /* of targets whose programs are blocks of warps: see GenSpan */
    bool clocks;     /* of the same: see GenClock */
    bool parts;      /* a launch has few programs: it may have each run in parts (GenOutput) */
    GenBudget budget;
    const char *folder; /* of objects with lines: where relative paths of the source begin; NULL */
} GenOptions;

/* The texts that targets, or the devices behind them, can give, in the order in which a kernel
 * passes them. */
#define GEN_TEXTS(ROW)                                                                             \
    ROW(PLAN, "plan")                                                                              \
    ROW(SCHEDULE, "schedule")                                                                      \
    ROW(LAYOUT, "layout")                                                                          \
    ROW(LLVM, "llvm")                                                                              \
    ROW(ASM, "asm")                                                                                \
    ROW(PTX, "ptx")                                                                                \
    ROW(SASS, "sass")
#define GEN_STAGE_OF_TEXT(id, name) GEN_##id,
typedef enum { GEN_OBJECT, GEN_TEXTS(GEN_STAGE_OF_TEXT) GEN_STAGE_COUNT } GenStage;
#undef GEN_STAGE_OF_TEXT
#define GEN_HAS(id) (1u << GEN_##id) /* of Target.texts */

/* A number that a launch knows: a constant, and parameters of the kernel times constants. */
enum { GEN_TERMS = 3, GEN_MAPS = 4 };
typedef struct {
    int64_t constant;
    int64_t scale[GEN_TERMS];
    int32_t param[GEN_TERMS]; /* signed integers */
    int32_t bytes[GEN_TERMS]; /* of that parameter: 4 or 8; 0: there is no such term */
} GenSum;

/* A tensor map (src/base/tensor_map.h) that the launch makes, for a parameter of 128 bytes. */
typedef struct {
    GenSum extent[TENSOR_MAP_RANK]; /* elements */
    GenSum stride[TENSOR_MAP_RANK]; /* bytes; that of dimension 0 is an element's: in its place is
                                     * what else must not be negative */
    int32_t box[TENSOR_MAP_RANK];
    int32_t rank, element, swizzle; /* as in TensorMap */
    int32_t pointer;                /* which argument is the address of the tensor */
    int32_t arg;                    /* and which one the map goes to */
    int32_t unused;                 /* no padding: the cache has it as it is */
} GenMap;

/* What a launch brings beside the arguments: its recipe. */
typedef struct {
    int64_t workspace; /* bytes that each program has for itself, a multiple of WORKSPACE_ALIGN; 0:
                        * none, and nobody looks at the rest */
    int workspace_arg; /* which argument is where they lie, one program behind the other, x fastest
                        */
    int nmaps;
    GenMap maps[GEN_MAPS];
} GenRecipe;

/* Bytes from the sizes of the grid on at which code with GenOptions.parts finds an i32: in how many
 * parts each program is run.  The numbers that it is called with are those of parts, one program's
 * behind the other's. */
enum { GEN_PARTS = 12 };
enum { GEN_CLEARED = 128 };
/* Where in scratch there is an i64 that is not 0 if this thread runs the whole launch, and none
 * that has atomics runs beside it: then these need no locks. */
enum { GEN_ALONE = 72 };
typedef struct {
    char *data; /* in the arena; an ELF object, or text with a NUL behind it */
    size_t len;
    size_t scratch; /* bytes of scratch one thread needs, 64-byte aligned; of them the first
                     * GEN_CLEARED are 0 when a thread begins to work on a launch */
    /* of targets whose programs threads run: in how many parts, each by itself, this code may run a
     * program; 1: there is no code that runs it but as a whole; 0: code with GenOptions.parts may
     */
    int parts;
    /* of targets whose programs are blocks of warps, else 0: */
    int warps;     /* that run one program */
    size_t shared; /* bytes of memory that they share, beside what the object itself declares */
    int together;  /* programs that a multiprocessor should have room for, if that costs little: */
    int worth;     /* .. bytes of registers that a thread spills, at most */
    bool crowds;   /* and one more than by themselves, if that costs next to nothing */
    int told;      /* the code says that so many shall fit, so that rounds begin with the loads of
                    * the next one; 0: it says no such thing */
    bool budgeted; /* the code asks for registers, or for none too many */
    GenRecipe recipe;
} GenOutput;

/* When a program ran, by the chip's clock, and on which multiprocessor.  Code that notes it has one
 * more parameter, behind all others: where the first GEN_SPANS programs have one each, x fastest.
 */
enum { GEN_SPANS = 1 << 17 };
typedef struct {
    uint64_t start, end; /* nanoseconds; end 0: it has not ended */
    uint32_t unit, unused;
} GenSpan;

/* How many cycles of their multiprocessor warps were at a line of the source.  Code that notes it
 * has one more parameter, behind all others, also that of spans: GEN_CLOCK_ROWS rows of GEN_CLOCKS,
 * in which the lines have the same order; which row a warp adds to does not matter. */
enum { GEN_CLOCKS = 256, GEN_CLOCK_ROWS = 32 };
typedef struct {
    uint32_t place, unused; /* an offset of the source map in that line; 0: other lines */
    uint64_t cycles;
} GenClock;

/* What the entry of a kernel's code for a GPU is called, which profilers show: as the kernel, with
 * underscores for what assemblers do not take and apart from names of our own; NULL has one, too.
 */
enum { GEN_ENTRY = 128 };
static inline const char *gen_entry_name(const char *kernel, char out[GEN_ENTRY])
{
    const char *name = kernel ? kernel : "kernel";
    bool is_ours = strncmp(name, "tilec_", 6) == 0;

    snprintf(out, GEN_ENTRY, "%s%s", is_ours ? "_" : kernel ? "" : "tilec_", name);
    for (char *s = out; *s; s++) {
        if (!(*s >= '0' && *s <= '9') && !((*s | 32) >= 'a' && (*s | 32) <= 'z'))
            *s = '_';
    }
    return out;
}

/* A set of CPUs that have something in common: what code for them may use, and how a program finds
 * out that it runs on one of them. */
typedef struct {
    uint32_t leaf, subleaf; /* what cpuid is asked */
    int reg;                /* which of eax, ebx, ecx and edx holds the answer */
    uint32_t bits;          /* all of them must be set */
} GenCpuTest;
enum { GEN_CPU_TESTS = 8 };
typedef struct {
    const char *name, *features; /* LLVM's, as in GenOptions */
    GenCpuTest tests[GEN_CPU_TESTS];
    int ntests;
    uint32_t state; /* bits of XCR0: what the system must save */
} GenLevel;

/* A kernel with one set of types and constants, as a function of C's:
 *
 *     int SYMBOL(const void *args, const int32_t grid[3], int64_t first, int64_t last)
 *
 * runs the programs first .. last-1 of the grid, x fastest, on the calling thread, with the code
 * of the highest level that the machine has.  docs/aot.md says what `args` points to and what it
 * returns, and what SYMBOL is for a GPU. */
typedef struct {
    const char *symbol;
    const Func *const *funcs; /* optimised; one a level, none shared */
} GenForm;

/* Several of them in one object, which needs nothing but the C library. */
typedef struct {
    /* Each includes what is in front of it, and the first one is not tested.  Of GPUs there is one,
     * whose name is that of the chip. */
    const GenLevel *levels;
    int nlevels;
    const char *const *known; /* all levels that there are, lowest first, NULL behind the last */
    const GenForm *forms;
    int nforms;
    const char *level_symbol; /* `int f(void)`: the number of the level that is used */
    bool disjoint;            /* as in GenOptions, of all launches */
    bool exported;            /* functions are visible outside of a shared library */
} GenBuild;

/* A row of the table in plugin.c, or of a device that needs no LLVM (src/device/device.h). */
typedef struct {
    const char *name;            /* "cpu"; in the cache's key, and how a device asks for it */
    const bool *native_math;     /* for OptOptions.native */
    bool straight_math;          /* for OptOptions.straight_math */
    bool windows;                /* for OptOptions.windows */
    bool (*takes)(const Op *op); /* for OptOptions.takes */
    const char *const
        *archs;          /* what GenOptions.cpu may be, NULL behind the last; NULL: not asked */
    unsigned texts;      /* which ones emit() gives: GEN_HAS(PLAN) | GEN_HAS(LLVM) ... */
    void (*start)(void); /* once, before all else: LLVM's part for it; NULL: nothing */
    bool (*emit)(const Func *f, const GenOptions *o, GenStage stage, Arena *a, GenOutput *out,
                 Diags *d);
    /* An object for linkers; false: a diagnostic.  NULL: the target makes none. */
    bool (*build)(const GenBuild *b, Arena *a, GenOutput *out, Diags *d);
} Target;

enum { GEN_ABI = 17 };
typedef struct {
    int abi; /* GEN_ABI of the build that made the plugin */
    const char *build_id;
    const Target *const *targets;
    int ntargets;
} GenPlugin;

/* plugin.c, exported from tilec-llvm.so */
/* Static; from any thread.  The first call starts what LLVM needs for the targets. */
const GenPlugin *tilec_gen_plugin(void);

#endif
