/*
 * device_cpu.h - the machine that we run on: its instruction set, the loader of its objects, its
 * threads, and launching
 *
 * Returns status codes; never prints, exits or jumps.
 */
#ifndef TILEC_DEVICE_CPU_H
#define TILEC_DEVICE_CPU_H

#include <stdatomic.h>

#include "../device/device.h"

/* host.c: which CPU this is, in LLVM's words; no LLVM needed.  Static text, the same all run. */
const char *host_cpu_name(void);     /* "znver3", "sapphirerapids", "x86-64-v3", ... */
const char *host_cpu_features(void); /* "+avx2,+fma,..,-avx512f,..": all that code is chosen by */
const char *host_cpu_text(void);     /* for people: the model name */
/* The levels of its architecture, each of which includes the one in front of it; static. */
const GenLevel *host_level(int i); /* NULL behind the last */
bool host_has_level(int i);        /* this CPU is of that level */

/* reloc.c: the arithmetic of relocations, as data.  What a relocation can refer to: */
typedef struct {
    uint64_t symbol; /* S: the symbol's address, or that of its stub when it is out of reach */
    uint64_t slot;   /* G: the address of the 8 bytes that hold the symbol's address */
    int64_t addend;  /* A */
    uint64_t place;  /* P: where the bytes will run */
} RelocInput;
typedef enum { RELOC_OK, RELOC_UNKNOWN, RELOC_TOO_FAR } RelocResult;
int reloc_width(int machine, uint32_t type); /* bytes that it changes; 0: unknown type */
/* Change the bytes at `at`, which is where they lie now and need not be in->place.  `machine` is
 * ELF's e_machine, `type` its relocation; nothing is written unless OK. */
RelocResult reloc_apply(int machine, uint32_t type, const RelocInput *in, uint8_t *at);
enum { STUB_BYTES = 16, STUB_SLOT = 8 }; /* a jump through the address at STUB_SLOT */
/* Write STUB_BYTES at `at`, 8-byte aligned; they may run anywhere, and jump to `target`. */
void reloc_stub(int machine, uint64_t target, uint8_t *at);

/* line_table.c: lines of a source by address */
enum { LINE_FILES = 256 };
typedef struct {
    uint64_t address; /* from here to the next row */
    int file, line;   /* line 0: none */
    int number;       /* in the order of the section */
} LineRow;
typedef struct {
    LineRow *rows; /* by address */
    int n;
    char *files[LINE_FILES];
} LineTable;
/* The address that stands so many bytes into the section, relocated. */
typedef uint64_t LineAddress(const void *ctx, uint64_t offset);
/* Of a section .debug_line; NULL: it is none that we know, or memory is out. */
LineTable *line_table_read(const void *section, size_t len, LineAddress *address_at,
                           const void *ctx);
void line_table_free(LineTable *t);                                   /* NULL is allowed */
const LineRow *line_table_find(const LineTable *t, uint64_t address); /* NULL: nobody knows */

/* loader.c: our own ELF loader.  Copies SHF_ALLOC sections to one mapping, relocates, seals.  Any
 * bytes may be given: what is not a sound object is RUN_BAD_OBJECT and *why is static text. */
typedef struct Code Code;
/* On success the code no longer needs the object.  Else *out is NULL: RUN_BAD_OBJECT or
 * RUN_NO_MEMORY. */
RunStatus code_load(const void *object, size_t len, Code **out, const char **why);
/* As long as the code is there; NULL: it does not know them. */
const LineTable *code_lines(const Code *c);
void *code_symbol(const Code *c, const char *name); /* global, defined; NULL when there is none */
void code_free(Code *c); /* NULL is allowed; none of its symbols may be running */

/* debugger.c: what gdb and the profiler know of loaded code */
typedef struct JitCode JitCode;
typedef struct {
    uint64_t start, end;      /* of what was mapped */
    const uint64_t *sections; /* where each was placed, or 0 */
    LineTable *lines;         /* is taken over; may be NULL */
} JitPlaces;
/* A sound object that has debug information.  NULL when memory is out: nobody then knows of it. */
JitCode *debugger_register(const void *object, size_t len, const JitPlaces *places);
void debugger_unregister(JitCode *code); /* before the code goes; NULL is allowed */
/* Call `fn` for the line that each address is of, as far as that is known now: `file` is NULL for
 * code of no line, or not loaded by us. */
void debugger_lines(const uint64_t *addresses, size_t n,
                    void (*fn)(void *ctx, const char *file, int line), void *ctx);

const LineTable *debugger_table(const JitCode *code); /* NULL for NULL */

/* perf.c: where TILEC_PERF asks for it, tell perf of a kernel that was loaded; `t` may be NULL */
void perf_note(const char *name, const void *entry, const LineTable *t);

/* perf_event.c: samples that Linux takes of the calling thread, outside of the kernel */
typedef enum { SAMPLE_TIME, SAMPLE_INSTRUCTIONS, SAMPLE_MISSES, SAMPLE_KINDS } SampleKind;
typedef struct {
    SampleKind kind;
    uint32_t type; /* as perf_event_open() has them */
    uint64_t config, period;
} PerfEvent;
typedef struct {
    PerfEvent events[SAMPLE_KINDS]; /* the first one measures time */
    int n, precise;                 /* 0..3: how near to the place of the event samples are */
} PerfChoice;
/* What this thread may have, and so others of the process.  False: not even time. */
bool perf_choose_counters(PerfChoice *out); /* cycles, with instructions and misses if there are */
bool perf_choose_clock(PerfChoice *out);    /* the system's clock of the thread */
typedef struct {
    SampleKind kind;
    int fd;
    void *head; /* a page of the kernel's, and behind it what it writes */
} PerfRing;
bool perf_ring_open(PerfRing *r, const PerfEvent *e, int precise); /* does not count yet */
void perf_ring_count(const PerfRing *r, bool on);                  /* from any thread */
/* Call `fn` for each sample since the last time; by one thread at a time. */
void perf_ring_read(PerfRing *r, void (*fn)(void *ctx, uint64_t address), void *ctx);
void perf_ring_close(PerfRing *r);

/* sampler.c: where the threads that run programs are, at even steps of their CPU time.  For the
 * whole process: one at a time. */
RunStatus sampler_start(const char **why); /* RUN_FAILED, and *why is static text */
void sampler_join_now(void);
extern _Atomic bool sampler_runs;
/* Each thread that runs programs calls this in front of them; next to nothing but while it runs. */
static inline void sampler_join(void)
{
    if (atomic_load_explicit(&sampler_runs, memory_order_relaxed))
        sampler_join_now();
}
void sampler_pause(bool paused); /* what threads do meanwhile is not looked at */
void sampler_stop(void (*fn)(void *ctx, const DeviceSample *sample), void *ctx);

/* pool.c: persistent threads, which start with the first job that can use more than one.
 * pool_run hands out chunks of [0, n) until none is left. */
typedef struct Pool Pool;
RunStatus pool_new(int threads, Pool **out); /* 0: one a CPU */
/* Ends its threads and waits for them; NULL is allowed.  No job may be running.  In a forked child,
 * which has no such threads, only the memory goes. */
void pool_free(Pool *p);
int pool_threads(const Pool *p);   /* at most: there are fewer when the system gives fewer */
int pool_listening(const Pool *p); /* helpers that would hear a job now, without being woken */
/* Called with disjoint ranges; `worker` is below pool_threads(), no two calls at a time have the
 * same one, and `scratch` is its own.  Must not call pool_run on the same pool. */
typedef void PoolFn(void *ctx, int64_t first, int64_t last, int worker, void *scratch);
typedef struct {
    int64_t n, chunk;
    int threads; /* at most; 0: all */
    /* bytes for each worker, 64-byte aligned; 0: gives NULL.  The first GEN_CLEARED, or all of
     * them, are 0 when it takes its first programs, what else is there is undefined. */
    size_t scratch;
    PoolFn *fn;
    void *ctx;
    bool in_order; /* no chunk begins before those in front of it */
} PoolJob;
/* The caller works too, as 0, and does everything if the others are late.  Jobs take turns.
 * RUN_NO_MEMORY: there was not enough scratch, and nothing has run. */
RunStatus pool_run(Pool *p, const PoolJob *job);

/*
 * launch.c
 *
 * The kernel's ABI; symbol "tilec_kernel".  Runs linear programs [first, last) of the grid, x
 * fastest.  `args` holds one 8-byte slot a parameter: a pointer, or the value's bits zero-extended.
 * `scratch` belongs to this thread alone.  Code with GenOptions.parts finds at grid[3] in how many
 * parts programs are run, and first and last are numbers of parts.  src/gen_cpu/cpu.c emits it.
 */
typedef void CpuKernel(const uint64_t *args, const int32_t grid[4], int64_t first, int64_t last,
                       void *scratch);
typedef struct {
    CpuKernel *entry;
    size_t scratch;
    const uint64_t *args;
    int32_t grid[3];
    int threads; /* 0: all */
    /* nanoseconds that one program took in earlier launches, 0 unknown; kept up to date here.  May
     * be NULL.  With it a small launch stays on the calling thread. */
    _Atomic uint32_t *cost;
    _Atomic uint32_t *alone_cost; /* the same of launches whose atomics needed no locks, or NULL */
    /* counts launches that were too short to look at the clock each time; NULL: look each time */
    _Atomic uint32_t *short_launches;
    Watch *watch;   /* NULL, or is told of the programs, and may cancel: RUN_CANCELLED */
    Stints *stints; /* NULL, or where chunks are noted */
    int parts;      /* that a program may be run in, for which the code was made; 0, 1: none */
    bool waits;     /* a program may wait for any other: all threads, one program at a time */
    bool atomics;   /* the kernel has some, which need no locks where nobody else has (GEN_ALONE) */
} CpuLaunch;
RunStatus cpu_launch(Pool *p, const CpuLaunch *l); /* p may be NULL: the calling thread alone */

#endif
