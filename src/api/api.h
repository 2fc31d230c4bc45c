/*
 * api.h - inside of the C API: what its files share
 *
 * A call becomes a Request; bind.c turns its arguments into a Binding; spec.c remembers what was
 * compiled for which Binding; compile.c makes what is not there yet; api.c runs it.  Read
 * compile.c first: it is the compiler on one page.
 */
#ifndef TILEC_API_H
#define TILEC_API_H

#include <pthread.h>
#include <stdatomic.h>

#include "tilec.h"
#include "../front/front.h"
#include "../interp/interp.h"
#include "../opt/opt.h"
#include "../run/run.h"

enum { MAX_PARAMS = 128, KEY_BYTES = 32 * MAX_PARAMS, SPEC_BUCKETS = 256 };

typedef enum { DEVICE_CPU, DEVICE_INTERP, DEVICE_COUNT } Device;

struct tilec_context {
    Cache *cache;
    pthread_mutex_t lock; /* held while the pool is made */
    _Atomic(Pool *) pool; /* NULL before the first launch on a CPU */
    _Atomic(const GenPlugin *) plugin;
    _Atomic size_t llc_bytes; /* of the last-level data cache; 0: not asked yet */
};

/* What stands in for an argument that is not given. */
typedef struct {
    bool known;
    Const value;
    const char *text; /* the source of a value that is not a constant, or NULL */
    int heuristic;    /* which one of FrontTuning goes before all of this; -1: none */
} Fallback;

typedef struct {
    const char *name;
    int index;                    /* in the file */
    const FrontKernel *signature; /* NULL when it is wrong; `problem` then says why */
    const char *problem;
    Fallback *fallbacks;       /* one a parameter */
    const FrontTuning *tuning; /* NULL when `signature` is */
} Kernel;

typedef struct Specialisation Specialisation;

/* Lexing and lowering allocate in `arena` and `names`, so they happen under `lock`.  Lookups in
 * `specs` need no lock: chains only grow, at the front. */
struct tilec_file {
    tilec_context *ctx;
    Guard guard; /* of `arena`, and of each job that runs under `lock` */
    pthread_mutex_t lock;
    Arena *arena;
    Interner *names;
    SourceMap *sources;   /* read without the lock, added to under it */
    const Source *source; /* one of `sources` */
    FrontFile *parsed;
    Kernel *kernels;
    int nkernels;
    const Kernel *only; /* the one that NULL stands for, or NULL */
    _Atomic(Specialisation *) specs[SPEC_BUCKETS];
};

/* The arguments of one call, one entry a parameter; nothing here is allocated.  Texts and tuples
 * in `params` that a heuristic made live as long as the job that bound them. */
typedef struct {
    FrontArg params[MAX_PARAMS];
    uint64_t slots[MAX_PARAMS];              /* of the run-time arguments, in order */
    const tilec_tensor *tensors[MAX_PARAMS]; /* by slot; NULL where there is none */
    int nslots;
    bool typed_only; /* some argument is a type without a value: cannot be run */
    size_t nkey;     /* what compiled code depends on, as bytes, and their hash */
    uint64_t hash;
    uint8_t key[KEY_BYTES];
} Binding;

/* Machine code for one specialisation and one set of promises about memory. */
typedef struct {
    Code *code;
    CpuKernel *entry;
    size_t scratch;
    double seconds; /* that making it took */
    bool from_cache;
    _Atomic uint32_t cost; /* see CpuLaunch */
} Variant;

/* One call of the API. */
typedef struct {
    tilec_file *file;
    const Kernel *kernel;
    Device device;
    const tilec_arg *args;
    int nargs;
    tilec_launch_options options;
    Binding *binding;
    /* what spec_ready() found */
    Specialisation *spec;
    Variant *variant; /* cpu only */
} Request;

/* What a launch may promise (GenOptions), and how many sets of promises there are. */
enum { IF_DISJOINT = 1, IF_STREAMING = 2, VARIANTS = 2 * IF_STREAMING };

/* What is known of one kernel with one set of types and constants. */
struct Specialisation {
    Specialisation *next; /* in its bucket */
    uint64_t hash;
    _Atomic bool ready; /* what follows is set, and no longer changes but for more variants */
    uint64_t stored;    /* bit i: slot i is written through; 63 stands for all from there on */
    /* interp only: the lowered kernel, in an arena of its own */
    Arena *arena;
    const Func *func;
    double seconds;
    _Atomic(Variant *) variants[VARIANTS]; /* cpu only; by spec_variant_index() */
    size_t nkey;
    uint8_t key[];
};

/* compile.c: the compiler, and where fail() and a lack of memory land */
typedef struct {
    Arena *arena;
    Diags *diags;
    bool repeats; /* what it says of a success was said before */
} Job;
typedef tilec_status JobFn(Job *job, void *what);
/* Run `fn` with an arena and diagnostics of its own, which have their places in `sources` (NULL: in
 * none).  What it reported becomes *error when it failed, and else *message, if there was anything;
 * each may be NULL. */
tilec_status job_run(Guard *guard, SourceMap *sources, JobFn *fn, void *what, char **error,
                     char **message);
/* Report an error without a place; gives `status`. */
tilec_status job_refuse(Job *job, tilec_status status, const char *fmt, ...) PRINTF(3, 4);

/* text NULL: read from path */
typedef struct {
    tilec_file *file;
    const char *path, *text;
    size_t len;
} LoadJob;
tilec_status compile_file(Job *job, void *load);       /* on a LoadJob with a new file */
tilec_status compile_request(Job *job, void *request); /* on a Request, under the file's lock */
/* its steps, for dump.c as well; NULL after an error */
const Func *compile_lower(const Request *r, Arena *a, Diags *d); /* under the file's lock */
const Func *compile_optimise(const Func *f, const Target *target, Diags *d);
const Target *compile_target(tilec_context *ctx, Arena *a, const char **why);
GenOptions compile_options(const Request *r, uint64_t stored);

/* bind.c: from the arguments of a call to parameters (semantics R22 to R29) */
void bind_describe(tilec_file *f, Kernel *k, Arena *a); /* finds the fallbacks */
/* Quietly when job is NULL; TILEC_OK, or what was wrong. */
tilec_status bind_request(Request *r, Job *job);
int bind_param_index(const FrontKernel *k, const char *name, int guess); /* -1: none */
/* The Python value of an argument; false for tensors, types, and what is wrong. */
bool bind_constant_of(const tilec_arg *a, Const *out);
/* A constant as an argument that would mean the same; false for what no argument can say. */
bool bind_argument_of(const Const *c, tilec_arg *out);
/* The launch option of that name as tilec_launch_options has it, and its default; false: none. */
bool bind_option(const Request *r, const char *name, Const *out);
bool bind_option_default(const char *name, Const *out);
/* What parameter `param` of a bound call takes; text may live in `job`. */
typedef struct {
    Request *request;
    int param;
    tilec_arg value;
} ValueJob;
tilec_status bind_param_value(Job *job, void *value); /* on a ValueJob, under the file's lock */

/* heuristics.c */
typedef struct {
    bool known;
    Const value;
    FrontTrouble trouble; /* why not, when it was to be explained and nobody gave the value */
} Computed;
/* One entry for each heuristic of the kernel, in `a`; `given` holds one argument, or NULL, a
 * parameter. */
const Computed *heuristics_evaluate(const Request *r, const tilec_arg *const *given, Arena *a,
                                    bool explain);

/* memory.c: what the arguments of a launch promise; sets of parameters as MemoryUse has them */
/* Whether every two tensors are apart or both only read; and how many bytes they are together. */
bool memory_disjoint(const Binding *b, uint64_t stored, double *bytes);
double memory_bytes(const Binding *b, uint64_t params); /* of these parameters' tensors */

/* spec.c: compiled kernels of one file */
Specialisation *spec_find(tilec_file *f, const Binding *b);
/* Under the file's lock; NULL when memory is out. */
Specialisation *spec_add(tilec_file *f, const Binding *b);
void spec_free_all(tilec_file *f);
/* Whether everything is there that this call needs; fills its last fields. */
bool spec_ready(Request *r);
void spec_free_variant(Variant *v);
int spec_variant_index(const GenOptions *o);

/* dump.c: jobs under the file's lock */
typedef struct {
    Request *request;
    const char *stage;
    char *text; /* for tilec_free() */
} DumpJob;
tilec_status dump_stage(Job *job, void *dump); /* on a DumpJob */
const char *dump_stage_name(int i);            /* NULL behind the last */
typedef struct {
    Request *request; /* that is ready */
    const int32_t *grid;
    tilec_stats stats;
} StatsJob;
tilec_status dump_stats(Job *job, void *stats); /* on a StatsJob */

#endif
