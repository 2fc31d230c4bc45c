/*
 * run.h - devices, threads, the object cache, the loader, and launching
 *
 * Returns status codes; never prints, exits or jumps.
 */
#ifndef TILEC_RUN_H
#define TILEC_RUN_H

#include "../gen/gen.h"

typedef enum {
    RUN_OK, RUN_NO_MEMORY, RUN_IO, RUN_BAD_OBJECT, RUN_NO_PLUGIN, RUN_BAD_GRID, RUN_NO_THREADS
} RunStatus;
const char *run_status_text(RunStatus s);

/* host.c: which CPU this is, in LLVM's words; no LLVM needed.  Static text, the same all run. */
const char *host_cpu_name(void);     /* "znver3", "sapphirerapids", "x86-64-v3", ... */
const char *host_cpu_features(void); /* "+avx2,+fma,..." only what the code generator asks about */
const char *host_cpu_text(void);     /* for people: the model name */

/* loader.c: our own ELF loader.  Copies SHF_ALLOC sections to one mapping, relocates, seals. */
typedef struct Code Code;
RunStatus code_load(const void *object, size_t len, Code **out, const char **why);
void *code_symbol(const Code *c, const char *name);
void code_free(Code *c);

/* cache.c: one file per entry, safe under many processes. */
typedef struct Cache Cache;
RunStatus cache_open(const char *folder, Cache **out); /* NULL: TILEC_CACHE_DIR, then XDG, then HOME */
void cache_close(Cache *c);
const char *cache_folder(const Cache *c); /* NULL when there is nowhere to write: memory only */
/* A damaged or foreign entry is a miss and is removed. */
bool cache_get(Cache *c, Hash128 key, Arena *a, GenOutput *out);
RunStatus cache_put(Cache *c, Hash128 key, const GenOutput *in);

/* pool.c: persistent threads.  parallel_for hands out chunks of [0, n) until none is left. */
typedef struct Pool Pool;
RunStatus pool_new(int threads, Pool **out); /* 0: one a CPU */
void pool_free(Pool *p);
int pool_threads(const Pool *p);
/* fn is called with disjoint ranges; `worker` is 0..threads-1.  The caller works too. */
void pool_run(Pool *p, int64_t n, int64_t chunk, int threads,
              void (*fn)(void *ctx, int64_t first, int64_t last, int worker), void *ctx);

/* launch.c */
typedef struct {
    CpuKernel *entry;
    size_t scratch;
    const uint64_t *args;
    int32_t grid[3];
    int threads; /* 0: all */
} CpuLaunch;
RunStatus cpu_launch(Pool *p, const CpuLaunch *l);

/* plugin.c: open tilec-llvm.so: beside this library, then the install folder, TILEC_PLUGIN first. */
const GenPlugin *run_plugin(const char **why); /* NULL and the reason */

#endif
