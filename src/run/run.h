/*
 * run.h - what running needs on every device: status codes, the object cache, the plugin
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
    RUN_NO_THREADS,
    RUN_FAILED,    /* the device refused; a diagnostic says what */
    RUN_STOPPED,   /* by the kernel itself; a diagnostic says why */
    RUN_FAULT,     /* the same, for what its programs must not do: accesses, races, barriers */
    RUN_CANCELLED, /* by who watches it */
} RunStatus;
const char *run_status_text(RunStatus s); /* for people; static text, for any number */

/* cache.c: one file per entry, safe under many processes and threads. */
typedef struct Cache Cache;
/* NULL: TILEC_CACHE_DIR, then XDG, then HOME; "" or a folder that cannot be used: memory only */
RunStatus cache_open(const char *folder, Cache **out);
void cache_close(Cache *c);               /* NULL is allowed; no other thread may use it any more */
const char *cache_folder(const Cache *c); /* NULL: memory only */
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

/* key.c: of the kernel `f` as it stands, compiled with these options; `target`: what makes its
 * code, and what assembles that. */
Hash128 cache_key(const Func *f, const char *target, const GenOptions *o, Arena *a);

/* grid.c: x*y*z, or -1 when an extent is negative or the product is 2^62 or more. */
int64_t grid_programs(const int32_t grid[3]);

/* plugin.c: open tilec-llvm.so: TILEC_PLUGIN, else beside this library, else where it is
 * installed.  NULL and the reason, in the arena. */
const GenPlugin *run_plugin(Arena *a, const char **why);
/* The same, and where it is nowhere the one at `last`, if that is not NULL and no stranger's. */
const GenPlugin *run_plugin_or_last(Arena *a, const char *last, const char **why);
/* The one at this path, whoever put it there; NULL and the reason, in the arena. */
const GenPlugin *run_plugin_at(Arena *a, const char *path, const char **why);
/* Where it lies, seen from the file that holds this library, by an absolute path, or in the folder
 * `installed`, with a slash at its end, if that is not NULL; else NULL.  One that a
 * stranger owns, or that everybody may write to or put there, is none: the first such is said in
 * *why, which is NULL before. */
const char *run_plugin_path(Arena *a, const char *library, const char *installed, const char **why);

/* build.c: what the compiler was built from, in hex: equal ids make equal code. */
const char *run_build_id(void);

#endif
