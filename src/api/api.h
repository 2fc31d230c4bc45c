/*
 * api.h - inside of the C API: what its files share
 *
 * A call becomes a Request; bind.c turns its arguments into a Binding; spec.c remembers what was
 * compiled for which Binding; compile.c makes what is not there yet; launch.c runs it.  Read
 * compile.c first: it is the compiler on one page.  job.c is where work is done that may be left
 * early; devices are src/device/.
 */
#ifndef TILEC_API_H
#define TILEC_API_H

#include <pthread.h>
#include <stdatomic.h>

#include "tilec.h"
#include "listing.h"
#include "../device/device.h"
#include "../lower/lowering.h"
#include "../check/check.h"
#include "../check/programs.h"
#include "../warn/warn.h"
#include "../tensor/tensor.h"
#include "../opt/opt.h"
#include "../run/record.h"
#include "../ir/analysis.h"

enum { MAX_PARAMS = 192, KEY_BYTES = 40 * MAX_PARAMS, SPEC_BUCKETS = 256 };

typedef struct Reporter Reporter; /* progress.c */

/* What an object is, its `life`; any other word is that of none.  See handles.c. */
enum {
    CONTEXT_LIVES = 0x54437478,
    FILE_LIVES = 0x54466c65,
    FILE_WITHOUT_CONTEXT = 0x5446776f,
    HANDLE_ENDED = 0x54656e64
};

struct tilec_context {
    Cache *cache;
    atomic_int life;
    pthread_mutex_t lock;  /* held while a device is opened, and for the next three */
    tilec_file *files;     /* that live, the newest first */
    tilec_file *ended[16]; /* objects of the last ones that do not */
    unsigned nended;       /* how many ended, ever */
    _Atomic(void *) states[DEVICE_COUNT]; /* what each keeps; NULL before its first launch */
    char *plugin_path;                    /* where the caller says that the plugin is, or NULL */
    char *last_plugin;                    /* where it is looked for last, or NULL */
    _Atomic(const GenPlugin *) plugin;
    tilec_debug detail;            /* that all launches want at least */
    bool speaks;                   /* what no on_message receives goes to stderr */
    _Atomic(Reporter *) reporters; /* of launches that are over: progress_join() */
};

/* What stands in for an argument that is not given. */
typedef struct {
    bool known;
    Const value;
    const char *text; /* the source of a value that is not a constant, or NULL */
    Span where;       /* what in it cannot be told, */
    const char *why;  /* and the reason, or NULL */
    int heuristic;    /* which one of FrontTuning goes before all of this; -1: none */
} Fallback;

typedef struct {
    const char *name;
    const char *full_name;        /* with what it is nested in */
    int index;                    /* in the file */
    const FrontKernel *signature; /* NULL when it is wrong; `problem` then says why */
    const char *problem;
    Fallback *fallbacks;       /* one a parameter */
    bool has_tuple;            /* among the values of these */
    const FrontTuning *tuning; /* NULL when `signature` is */
    tilec_config *configs;     /* its configurations; nvalues -1: not known */
    const char **problems;     /* why not, for each; NULL: it is */
} Kernel;

typedef struct Specialisation Specialisation;
typedef struct Speech Speech;

/* Lexing and lowering allocate in `arena` and `names`, so they happen under `lock`, and `arena`
 * leaves through the guard of the job that holds it.  Lookups in `specs` need no lock: chains only
 * grow, at the front. */
struct tilec_file {
    tilec_context *ctx;
    atomic_int life;
    tilec_file *next, **link; /* in the context's list, whose lock guards them */
    pthread_mutex_t lock;
    pthread_cond_t made; /* told when somebody is done with making a variant */
    Arena *arena;
    Interner *names;
    SourceMap *sources;   /* read without the lock, added to under it */
    const Source *source; /* one of `sources` */
    const char *folder;   /* where its path, if that is relative, begins */
    FrontFile *parsed;
    Kernel *kernels;
    int nkernels;
    const Kernel *only; /* the one that NULL stands for, or NULL */
    _Atomic(Specialisation *) specs[SPEC_BUCKETS];
};

/* The arguments of one call, one entry a parameter; nothing here is allocated.  What `params` point
 * to, texts, tuples and parts, lives as long as the job that bound them. */
typedef struct {
    FrontArg params[MAX_PARAMS];
    uint64_t slots[MAX_PARAMS];              /* of the run-time arguments and parts, in order */
    const tilec_tensor *tensors[MAX_PARAMS]; /* by slot; NULL where there is none */
    int nslots;
    int id; /* of the device that its tensors are on; -1: they are the host's, or none */
    const char
        *arch; /* what code is made for; NULL: for the machine, or whatever the device says */
    int num_warps, num_stages, maxnreg; /* what is wished for; 0: nothing.  Not looked for where
                                         * neither the device nor a compile asks */
    bool drops_asserts, finds_overflow; /* as FrontLaunch has them */
    bool fuses;      /* enable_fp_fusion: products of floats are added without being rounded */
    bool typed_only; /* some argument is a type without a value: cannot be run */
    size_t nkey;     /* what compiled code depends on, as bytes, and their hash */
    uint64_t hash;
    uint8_t key[KEY_BYTES];
} Binding;

/* Seconds that went into parts of a compile. */
typedef struct {
    double generator, emit, assemble, keep;
} CompileParts;

/* What a device launches for one specialisation and one set of promises about memory. */
typedef struct {
    const Device *device;
    void *code;         /* the device's own */
    Arena *ir;          /* what `code` runs, for a device without target; else NULL */
    double seconds;     /* that making it took */
    CompileParts parts; /* of these */
    bool from_cache;
    GenRecipe recipe; /* of launches; of a device without target nothing */
    bool spans;       /* it notes when programs ran */
    bool clocks;      /* .. and how long lines took */
    bool whole;       /* no code runs its programs in parts: GenOptions.parts changes nothing */
} Variant;

/* Who watches a launch, of programs first, .. last - 1 of the grid. */
typedef struct {
    /* On the interpreter, whatever the device is, those programs alone; NULL: nobody. */
    const struct InterpObserver *observer;
    int64_t first, last;
    /* With the observer's `ctx`, on its thread.  Prints come through on_record at once; this is
     * when something failed: the launch should end, and says then what it was.  It may be NULL. */
    void (*on_fault)(void *ctx);
    bool names; /* the code says what names are given (check_named()), */
    /* .. to whom this is: on any device, of those programs; NULL: to nobody.  *lost: so many values
     * there was no room for. */
    void (*on_value)(void *user, const RecordedValue *v);
    void *user;
    int64_t *lost;
} Observed;

/* One call of the API. */
typedef struct {
    tilec_file *file;
    const Kernel *kernel;
    int device; /* its number in the table */
    const tilec_arg *args;
    int nargs;
    tilec_launch_options options;
    tilec_debug detail;  /* that the options or the context want */
    bool checks_unasked; /* options.check is not the caller's */
    bool shown;          /* nothing will run: what was not said about the device may be chosen */
    int64_t programs;    /* of the grid; 0: nobody has said */
    Binding *binding;
    const int32_t *grid;      /* NULL: it is not known yet, and is taken for a usual one */
    bool no_tensors;          /* no tensor maps can be made of the arguments */
    const Observed *observed; /* NULL: nobody watches */
    /* what spec_ready() found */
    Specialisation *spec;
    Variant *variant;
} Request;
static inline const struct InterpObserver *request_observer(const Request *r)
{
    return r->observed ? r->observed->observer : NULL;
}
static inline bool request_names(const Request *r)
{
    return r->observed && r->observed->names;
}

/* What a launch may promise or want (GenOptions), and how many sets of that there are. */
enum {
    IF_DISJOINT = 1,
    IF_STREAMING = 2,
    WITH_LINES = 4,
    WITH_DEBUG = 8,
    WITHOUT_TENSORS = 16,
    WITH_SPANS = 32,
    WITH_CLOCKS = 64,
    IF_FEW_PROGRAMS = 128,
    IN_PARTS = 256,
    VARIANTS = 512
};

/* What is known of one kernel with one set of types and constants.  The fields in the middle are
 * read and written under the file's lock. */
struct Specialisation {
    Specialisation *next; /* in its bucket */
    uint64_t hash;
    _Atomic bool lowered;  /* `use` and `speech` are known */
    MemoryUse use;         /* bit i: of slot i; 63 stands for all from there on */
    bool roams;            /* it may use memory of which no parameter says where it is */
    Programs programs;     /* what its programs make of the grid */
    int32_t most_programs; /* ir_most_programs() */
    _Atomic uint64_t launches_told[TOLD_KINDS]; /* src/warn: what was said of launches, once */

    Arena *words;   /* of `speech` */
    Speech *speech; /* what the kernel may say; NULL: nothing, and there are no hidden parameters */
    bool told;      /* what its compiler had to say was said */
    bool making[VARIANTS]; /* a thread is at work on it */

    _Atomic(Variant *) variants[VARIANTS]; /* by spec_variant_index(); set once */
    size_t nkey;
    uint8_t key[];
};

/* job.c: work that may be left early */
typedef struct {
    Guard guard;
    Arena *arena; /* its memory, which ends with it */
    Diags *diags;
    bool repeats; /* what it says of a success was said before */
} Job;
typedef tilec_status JobFn(Job *job, void *what);
/* Run `fn` with an arena and diagnostics of its own, which have no places.  What it reported
 * becomes *error when it failed, and else *message, if there was anything; each may be NULL. */
tilec_status job_run(JobFn *fn, void *what, char **error, char **message);
/* The same in steps, for what needs a file. */
typedef struct {
    JobFn *locked;   /* under the file's lock */
    JobFn *unlocked; /* behind it, unless it failed; may be NULL */
    void (*finish)(Job *job, void *what, tilec_status status); /* under the lock, whatever happened;
                                                                * may be NULL */
} FileJob;
/* Takes and lets go of the lock, which the caller must not hold; where the stack is short, on a
 * thread of its own. */
tilec_status job_run_on_file(tilec_file *f, const FileJob *steps, void *what, char **error,
                             char **message);
/* The same as job_run() with the places of a file, whose lock is not needed for that. */
tilec_status job_run_with_places(tilec_file *f, JobFn *fn, void *what, char **error);
/* Under the file's lock: let go of it until another job has made a variant, or failed to. */
void job_wait(Job *job, tilec_file *f);
/* Report an error without a place; gives `status`. */
tilec_status job_refuse(Job *job, tilec_status status, const char *fmt, ...) PRINTF(3, 4);

/* status.c */
/* *error becomes the text in the form of a diagnostic; `error` may be NULL. */
void api_error(char **error, const char *fmt, ...) PRINTF(2, 3);
/* Say what is wrong; the value is `status`, which a macro lets whoever reads the caller see. */
/* Put more behind a text for free(), which may be NULL; without memory for it, it stays. */
void api_append(char **text, const char *more);
#define api_refuse(error, status, ...) (api_error(error, __VA_ARGS__), (status))
void api_no_error(char **error); /* what there is before anything was refused: NULL */
/* What a caller of the API learns of a status of run/: TILEC_FAILED where there is none closer. */
tilec_status api_status(RunStatus status);
/* The same for what a device gave, and its text; `text` is handed over. */
tilec_status api_device_status(RunStatus status, char *text, char **error);

/* kernels.c */
/* By its short name or its full one; NULL stands for the only one.  NULL: there is no such kernel.
 */
const Kernel *api_find_kernel(const tilec_file *file, const char *name);

/* devices.c */
int api_device(const char *name,
               char **error); /* its number; -1: there is none, and that is said */
/* Why code of the device for that chip cannot be made, or run if it `runs`; NULL. */
const char *api_refuse_arch(const Device *d, const char *arch, bool runs);
bool api_available(const Device *d, char **error); /* else what the machine lacks is said */
/* What a device keeps for this context: NULL when it keeps nothing, or memory is out. */
void *api_device_state(tilec_context *ctx, int number);

/* Report what a device gave, whose text is a whole diagnostic for free(), or NULL. */
tilec_status job_device_status(Job *job, RunStatus status, char *text);

/* handles.c: NULL where a call may use it; else what is wrong, for a message */
const char *handle_problem_of_file(const tilec_file *f);
const char *handle_problem_of_context(const tilec_context *ctx);
static inline bool handle_is_file(const tilec_file *f)
{
    return f && atomic_load_explicit(&f->life, memory_order_relaxed) == FILE_LIVES;
}
static inline bool handle_is_context(const tilec_context *ctx)
{
    return ctx && atomic_load_explicit(&ctx->life, memory_order_relaxed) == CONTEXT_LIVES;
}
void handle_add_file(tilec_context *ctx, tilec_file *f); /* from here on it lives */
/* The object of a file whose contents were freed: its context keeps it for a while. */
void handle_end_file(tilec_file *f);
/* .. of one that outlived its context: it is freed. */
void handle_free_orphan(tilec_file *f);
/* Frees the contents of files that live, and the objects of those that do not. */
void handle_end_context(tilec_context *ctx, void (*free_contents)(tilec_file *f));

/* load.c; text NULL: read from path */
typedef struct {
    tilec_file *file;
    const char *path, *text;
    size_t len;
    tilec_load_options options;
    const tilec_name *kernel; /* NULL, or what the text is */
} LoadJob;
tilec_status load_file(Job *job, void *load); /* on a LoadJob with a new file */
typedef struct {
    tilec_file *file;
    const char *name;
    const tilec_name *function;
} AddedJob;
tilec_status load_function(Job *job, void *added);
tilec_status find_function(Job *job, void *wanted);
/* of front_import_function() */ /* on an AddedJob, under the file's lock */

/* compile.c: the compiler */
/* Bind the arguments of a request, and make what spec_ready() wants unless it is there. */
tilec_status compile_request(Request *r, char **error, char **message);
/* its steps, for dump.c as well; NULL after an error */
const Func *compile_lower(const Request *r, Arena *a, Diags *d); /* under the file's lock */
/* Changes the module of `f` and gives its kernel, now the only function; NULL and a diagnostic.
 * target NULL: every op that can be expanded is.  Of `o` what the code may rely on, and for whom it
 * is. */
const Func *compile_optimise(const Func *f, const Device *device, const Target *target,
                             const GenOptions *o, Diags *d);
/* NOT_FOUND where the target makes no code for it (GenOptions.cpu). */
tilec_status compile_check_arch(Job *job, const Target *t, const char *arch);
/* compile_optimise() and then the target's output: what a cache miss costs. */
tilec_status compile_emit(Job *job, const Func *lowered, const Device *device, const Target *target,
                          const GenOptions *o, GenStage stage, GenOutput *out);
/* .. and then what the device makes of it to be loaded, with what its expect() gave, which is NULL
 * then.  Sets what these two took. */
tilec_status compile_object(Job *job, const Request *r, const Func *lowered, const Target *target,
                            const GenOptions *o, void **begun, GenOutput *out, CompileParts *parts);
/* What makes code for the device; NULL and the reason. */
const Target *compile_target(tilec_context *ctx, const Device *d, Arena *a, const char **why);
/* Zeroed when code does not depend on the launch; quick, and without the lock.  `stored` and
 * `most_programs` as in Specialisation. */
GenOptions compile_options(const Request *r, const Device *d, uint64_t stored,
                           int32_t most_programs);

/* bind.c: from the arguments of a call to parameters (semantics R22 to R29) */
void bind_describe(tilec_file *f, Kernel *k, Arena *a); /* finds the fallbacks */
/* Quietly when job is NULL; TILEC_OK, or what was wrong. */
tilec_status bind_request(Request *r, Job *job);
int bind_param_index(const FrontKernel *k, const char *name, int guess); /* -1: none */
/* The launch option of that name as tilec_launch_options has it, and its default; false: none. */
bool bind_option(const Request *r, const char *name, Const *out);
/* False: there is no such option, or nothing stands in for it. */
bool bind_option_default(const char *name, Const *out);
/* What parameter `param` of a bound call takes; text may live in `job`. */
typedef struct {
    Request *request;
    int param;
    tilec_arg value;
} ValueJob;
tilec_status bind_param_value(Job *job, void *value); /* on a ValueJob, under the file's lock */

enum { NO_MEMORY_BELOW = 4096 }; /* no address of an array is */

/* launch.c: tilec_launch() on the interpreter, whatever the options say, with who watches it */
tilec_status api_launch_observed(tilec_file *file, const char *kernel, const int32_t grid[3],
                                 const tilec_arg *args, int nargs,
                                 const tilec_launch_options *options, const Observed *observed,
                                 char **error);

/* request.c: what can be checked of a call without binding its arguments.  The rest of the request
 * is empty, but for its binding and whether it is shown. */
tilec_status request_open(Request *r, tilec_file *file, const char *kernel, const tilec_arg *args,
                          int nargs, const tilec_launch_options *options, char **error);
/* Bind the arguments, and compile unless that was done before. */
tilec_status request_ready(Request *r, char **error);
/* job_run_on_file() on its file, with the messages passed on. */
tilec_status request_run_on_file(const Request *r, const FileJob *steps, void *what, char **error);

/* constant.c */
/* The Python value of an argument; false for tensors, types, and what is wrong.  Tuples are made in
 * `arena`, functions are those of `file`; NULL: there is none of these. */
bool bind_constant_of(const tilec_arg *a, const FrontFile *file, Arena *arena, Const *out);
/* A constant as an argument that would mean the same; false for what no argument can say. */
bool bind_argument_of(const Const *c, tilec_arg *out);

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

/* What a launch option such as num_warps is for this call: given, computed, or from the first
 * configuration of @triton.autotune.  False: nobody says. */
bool heuristics_option(const Request *r, const tilec_arg *const *given, const Computed *computed,
                       const char *name, Const *out);

/* memory.c: what the arguments of a launch promise; sets of parameters as MemoryUse has them */
/* Whether every two tensors are apart or both only read; and how many bytes they are together. */
bool memory_disjoint(const Binding *b, uint64_t stored, double *bytes);
/* The first tensor that may be written and is read-only; NULL: there is none. */
const tilec_tensor *memory_written_wrongly(const Binding *b, uint64_t stored);
/* What may be done with the tensor of a slot: tilec_uses, together. */
int memory_uses(const Specialisation *s, int slot);
/* The bytes that each tensor spans, MAX_PARAMS at most; how many there are, -1 when nobody knows.
 */
int memory_ranges(const Binding *b, MemoryRange *out);
/* The tensor that range `i` of memory_ranges() is of. */
const tilec_tensor *memory_of_range(const Binding *b, int i);
/* Another tensor that spans the address; NULL: there is none. */
const tilec_tensor *memory_shared(const Binding *b, const tilec_tensor *t, uint64_t address);
/* Does a launch read memory that it writes?  The sets are of parameters. */
bool memory_in_place(const Binding *b, uint64_t loaded, uint64_t stored);
/* The tensor of a slot is written, and none that is read reaches into it. */
bool memory_is_only_written(const Binding *b, int slot, uint64_t loaded, uint64_t stored);
double memory_bytes(const Binding *b, uint64_t params); /* of these parameters' tensors */

/* progress.c: a launch on the request's device, which its on_progress, if any, hears of */
RunStatus progress_launch(const Request *r, void *state, DeviceLaunch *launch, char **text);
/* Wait for threads of launches that are over, and free what they had. */
void progress_join(tilec_context *ctx);

/* speech.c: launches of kernels that may say something */
/* What such launches need, from the kernel as it was lowered; nothing where it says nothing. */
void speech_prepare(Specialisation *s, const Request *r, const Func *f, Guard *guard);
/* One launch with these slots; the port is where its programs say something. */
typedef tilec_status LaunchFn(const Request *r, const int32_t *grid, const uint64_t *slots,
                              RecordPort *records, char **error);
/* Launch, and hand over what was said.  TILEC_FAULT when that was about something wrong. */
tilec_status speech_launch(const Request *r, const int32_t *grid, LaunchFn *launch, char **error);

/* As DeviceLaunch.async: not NULL where the launch is not waited for. */
const void *speech_async(const Request *r);
/* What such launches have found wrong on a device that `hears`. */
tilec_status speech_hear(const Device *d, void *state, bool waits, char **error);
int speech_nargs(const Speech *s);        /* slots of such a launch */
int speech_records_arg(const Speech *s);  /* the slot with the port in it; -1: none */
RecordRoom speech_room(const Request *r); /* for a device that needs a buffer there */

/* request.c: the name of the argument that it is; NULL: it is an item of one. */
const char *request_name_of_tensor(const Request *r, const tilec_tensor *t);

/* spec.c: compiled kernels of one file */
/* By types and constants; NULL: there is none yet.  Needs no lock; lives as long as the file. */
Specialisation *spec_find(tilec_file *f, const Binding *b);
/* Under the file's lock; NULL when memory is out. */
Specialisation *spec_add(tilec_file *f, const Binding *b);
/* With the last one who uses the file: nobody may look up or launch any more. */
void spec_free_all(tilec_file *f);
/* Whether everything is there that this call needs; fills its last fields.  Where what is there
 * wants tensor maps that cannot be made of the arguments, it needs code without. */
bool spec_ready(Request *r);
void spec_free_variant(Variant *v);          /* its code must not be running; NULL is allowed */
int spec_variant_index(const GenOptions *o); /* below VARIANTS */

/* profile.c: lines of sources, each once; for free() */
typedef struct {
    tilec_line *at;
    int n;
} LineList;
/* The entry of a line, which is new where there is none; NULL: memory ran out. */
tilec_line *line_list_at(LineList *l, const char *file, int line);
/* Tell them in the order of files and lines (on_line NULL: do not), and free them. */
void line_list_tell(LineList *l, void (*on_line)(void *user, const tilec_line *line), void *user);

/* ranges.c: what a tool that looks on at the process is told of launches */
void ranges_open(void); /* let it in; nothing, where there is none */
void ranges_push(const char *name);
void ranges_pop(void);

/* spans.c: what on_span of a request is told, if it is there */
void spans_tell_compile(const Request *r, double start); /* of what just became ready */
Stints *spans_begin(const Request *r); /* for a launch; NULL: nobody asks, or there is no memory */
void spans_tell_launch(const Request *r, Stints *stints, double start); /* frees them */

/* lines.c: what is of some lines */
typedef struct {
    size_t name_length; /* of the stage's name, which may stand in front of them */
    long first, last;   /* lines of the kernel's file; first 0: all there is */
    bool places;        /* each op shall name its line */
} LineRange;
bool lines_parse(const char *stage, LineRange *out); /* false: behind its colon are no lines */
/* What is of these lines, in the arena; NULL: nothing is, which is said. */
const char *lines_of_listing(const char *listing, const LineRange *range, const Source *source,
                             Arena *a, Diags *d);
const char *lines_of_module(const Module *m, const LineRange *range, const Source *source, Arena *a,
                            Diags *d);

/* dump.c */
typedef struct {
    Request *request;
    const char *stage; /* its name, and maybe lines behind a colon */
    LineRange lines;
    const Func *func; /* as lowered; NULL: `text` is made */
    char *text;       /* for tilec_free() */
} DumpJob;
extern const FileJob dump_stage;    /* on a DumpJob */
const char *dump_stage_name(int i); /* NULL behind the last */
typedef struct {
    Request *request; /* that is ready */
    const int32_t *grid;
    const Func *func; /* as lowered */
    tilec_stats stats;
    double asked;    /* bytes that loads and stores name, each time */
    LineList *lines; /* NULL: nobody asks for them */
} StatsJob;
extern const FileJob dump_stats; /* on a StatsJob */

/* derive.c */
typedef struct {
    Request *request;
    const char *of;
    const char *const *wrt;
    int nwrt;
    tilec_derived *derived; /* for tilec_free() */
} DeriveJob;
extern const FileJob derive_gradients; /* on a DeriveJob */

/* reproduce.c */
typedef struct {
    Request *request;
    const int32_t *grid;
    char *text; /* for tilec_free() */
} ReproduceJob;
extern const FileJob reproduce_launch; /* on a ReproduceJob */

/* build.c */
typedef struct {
    Request *requests; /* one a form */
    const tilec_build_options *options;
    const GenLevel *levels;
    int nlevels;
    GenForm *forms;
    tilec_object *out;
} BuildJob;
/* What can be told without compiling; the second finds the kernel, and is for what the first has
 * taken. */
tilec_status api_check_build(const tilec_build_options *o, char **error);
tilec_status api_open_build(tilec_file *file, const char *kernel, const tilec_build_options *o,
                            const Kernel **out, char **error);
/* Else what code is made for is a chip. */
bool api_build_has_levels(const tilec_build_options *o);

#endif
