/*
 * run.h - this CPU, threads, the object cache, the loader, the plugin, and launching
 *
 * Returns status codes; never prints, exits or jumps (but an arena that is passed in may leave
 * through its guard).
 */
#ifndef TILEC_RUN_H
#define TILEC_RUN_H

#include <stdatomic.h>

#include "../gen/gen.h"

typedef enum {
    RUN_OK,
    RUN_NO_MEMORY,
    RUN_IO,
    RUN_BAD_OBJECT,
    RUN_BAD_GRID,
    RUN_NO_THREADS
} RunStatus;
const char *run_status_text(RunStatus s);

/* host.c: which CPU this is, in LLVM's words; no LLVM needed.  Static text, the same all run. */
const char *host_cpu_name(void);     /* "znver3", "sapphirerapids", "x86-64-v3", ... */
const char *host_cpu_features(void); /* "+avx2,+fma,..,-avx512f,..": all that code is chosen by */
const char *host_cpu_text(void);     /* for people: the model name */

/* reloc.c: the arithmetic of relocations, as data.  What a relocation can refer to: */
typedef struct {
    uint64_t symbol; /* S: the symbol's address, or that of its stub when it is out of reach */
    uint64_t slot;   /* G: the address of the 8 bytes that hold the symbol's address */
    int64_t addend;  /* A */
    uint64_t place;  /* P: where the bytes will run */
} RelocInput;
typedef enum { RELOC_OK, RELOC_UNKNOWN, RELOC_TOO_FAR } RelocResult;
int reloc_width(int machine, uint32_t type); /* bytes that it changes; 0: unknown type */
RelocResult reloc_apply(int machine, uint32_t type, const RelocInput *in, uint8_t *at);
enum { STUB_BYTES = 16, STUB_SLOT = 8 }; /* a jump through the address at STUB_SLOT */
void reloc_stub(int machine, uint64_t target, uint8_t *at);

/* loader.c: our own ELF loader.  Copies SHF_ALLOC sections to one mapping, relocates, seals.  Any
 * bytes may be given: what is not a sound object is RUN_BAD_OBJECT and *why is static text. */
typedef struct Code Code;
RunStatus code_load(const void *object, size_t len, Code **out, const char **why);
void *code_symbol(const Code *c, const char *name); /* global, defined; NULL when there is none */
void code_free(Code *c);

/* cache.c: one file per entry, safe under many processes and threads. */
typedef struct Cache Cache;
/* NULL: TILEC_CACHE_DIR, then XDG, then HOME; "" or a folder that cannot be used: memory only */
RunStatus cache_open(const char *folder, Cache **out);
void cache_close(Cache *c);
const char *cache_folder(const Cache *c); /* for the tests; NULL: memory only */
/* Why nothing is kept, when it was asked for: the folder is not trusted, or TILEC_CACHE_SIZE is no
 * size.  NULL when there is nothing to say; a folder that cannot be written says nothing. */
const char *cache_problem(const Cache *c);
/* A damaged or foreign entry is a miss and is removed. */
bool cache_get(Cache *c, Hash128 key, Arena *a, GenOutput *out);
void cache_remove(Cache *c, Hash128 key); /* of an entry that is of no use after all */
/* What is larger than the cap, or than any object should be, is not kept. */
RunStatus cache_put(Cache *c, Hash128 key, const GenOutput *in);
void cache_trim(Cache *c); /* remove the least recently used until three quarters of the cap are
                            * left; cache_put() calls it now and then */

/* pool.c: persistent threads, which start with the first job that can use more than one.
 * pool_run hands out chunks of [0, n) until none is left. */
typedef struct Pool Pool;
RunStatus pool_new(int threads, Pool **out); /* 0: one a CPU */
void pool_free(Pool *p);
int pool_threads(const Pool *p); /* at most: there are fewer when the system gives fewer */
/* Called with disjoint ranges; `worker` is below pool_threads(), no two calls at a time have the
 * same one, and `scratch` is its own.  Must not call pool_run on the same pool. */
typedef void PoolFn(void *ctx, int64_t first, int64_t last, int worker, void *scratch);
typedef struct {
    int64_t n, chunk;
    int threads;    /* at most; 0: all */
    size_t scratch; /* bytes for each worker, 64-byte aligned, undefined contents; 0: gives NULL */
    PoolFn *fn;
    void *ctx;
} PoolJob;
/* The caller works too, as 0, and does everything if the others are late.  Jobs take turns.
 * RUN_NO_MEMORY: there was not enough scratch, and nothing has run. */
RunStatus pool_run(Pool *p, const PoolJob *job);

/* launch.c */
typedef struct {
    CpuKernel *entry;
    size_t scratch;
    const uint64_t *args;
    int32_t grid[3];
    int threads; /* 0: all */
    /* nanoseconds that one program took in earlier launches, 0 unknown; kept up to date here.  May
     * be NULL.  With it a small launch stays on the calling thread. */
    _Atomic uint32_t *cost;
} CpuLaunch;
RunStatus cpu_launch(Pool *p, const CpuLaunch *l); /* p may be NULL: the calling thread alone */
/* x*y*z, or -1 when an extent is negative or the product is 2^62 or more. */
int64_t grid_programs(const int32_t grid[3]);

/* plugin.c: open tilec-llvm.so: TILEC_PLUGIN, else beside this library, else where it is
 * installed.  NULL and the reason, in the arena. */
const GenPlugin *run_plugin(Arena *a, const char **why);
/* Where it lies, seen from the file that holds this library, by an absolute path; NULL.  One that a
 * stranger owns, or that everybody may write to or put there, is none. */
const char *run_plugin_path(Arena *a, const char *library);

/* build.c: what the compiler was built from, in hex: equal ids make equal code. */
const char *run_build_id(void);

#endif
