/*
 * tilec.h - compile and run Triton-language kernels from C
 *
 *     tilec_context *ctx;  tilec_file *file;  char *error;
 *     tilec_open(NULL, &ctx, &error);
 *     tilec_load_file(ctx, "add.py", &file, &error);
 *     tilec_launch(file, "add_kernel", grid, args, nargs, NULL, &error);
 *     tilec_unload(file);
 *     tilec_close(ctx);
 *
 * The one public header; examples/ has whole programs and docs/c-api.md the tasks.  Nothing here
 * prints, exits or keeps global state, with one exception: where the library finds an error of its
 * own, or LLVM says that it cannot go on, one line on stderr says where and the process is aborted.
 * For LLVM to run out of memory is such a case, so it is not begun with where there is little: the
 * call then gives TILEC_NO_MEMORY.
 *
 * Errors: functions that can fail return a tilec_status.  Where the last parameter is
 * `char **error` and not NULL, it receives NULL on success, and on failure the full diagnostic
 * text (file, line, column, source line, caret, hints), which ends with a newline and which
 * tilec_free() frees.  If even that text cannot be allocated it is NULL.  Results are written only
 * on success, but for contexts, files and memory, which are NULL after a failure: to give them back
 * is harmless then.
 *
 * Structs: zero is the default of every field, so set them with designated initialisers, or start
 * from {0}.  Later versions may add fields, in two ways.  A tilec_tensor and tilec_launch_options
 * have room for some, `reserved`: it must be zero until it has names, and a library refuses what it
 * does not know there, so that a program which is newer than its library is told so and no sizes
 * change.  Of all structs tilec_open() tells the library which layout the program was compiled
 * with; a library knows all layouts up to its own, takes fields that the program does not know as
 * zero, and never writes to them.  So a program needs no change and no new build for a newer
 * library; one of a newer layout is refused by tilec_open().  Values that are none of an enum's are
 * TILEC_BAD_ARGUMENT.
 *
 * Threads: every function may be called from any thread, and one context and one file may be used
 * by several threads at once.  Only the ends need care: tilec_unload() and tilec_close() must be
 * the last call on their object.  One that comes behind is TILEC_BAD_ARGUMENT, or does nothing if
 * it can say nothing, for the last files that a context has unloaded; behind the end of a context,
 * and for older files, only as a rule.  A call needs 64 KiB of stack, and a launch that is compiled
 * what the kernel takes beside that, a few KiB; whatever needs more, such as compiling, runs on a
 * thread of its own where less than 4 MiB are left.  After fork() a child may go on using the
 * parent's objects, on one thread, if no call was running on another thread of the parent during
 * the fork: a child of that moment inherits its locks, and may wait for ever.
 *
 * Environment: TILEC_CACHE_DIR and TILEC_CACHE_SIZE (see tilec_open()); TILEC_PLUGIN, the path of
 * the code generator tilec-llvm.so, absolute, when it is not beside the library (or see
 * tilec_open_options); TILEC_LIBCUDA, that of NVIDIA's driver when it is not where the system looks
 * for libcuda.so.1; TILEC_DEBUG=1, read by tilec_open(), makes TILEC_DEBUG_NAMES of every launch's
 * `debug`; TILEC_PERF=1, TILEC_DEBUG_LINES, and writes jit-PID.dump and /tmp/perf-PID.map for
 * Linux's perf; TILEC_SAMPLES: see tilec_profile_start().
 */
#ifndef TILEC_H
#define TILEC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header, for #if and for people; tilec_version() is that of the library. */
#define TILEC_VERSION_MAJOR 0
#define TILEC_VERSION_MINOR 1
#define TILEC_VERSION_PATCH 0
#define TILEC_VERSION_NUMBER                                                                       \
    (TILEC_VERSION_MAJOR * 10000 + TILEC_VERSION_MINOR * 100 + TILEC_VERSION_PATCH)
#define TILEC_VERSION                                                                              \
    TILEC_WORDS(TILEC_VERSION_MAJOR)                                                               \
    "." TILEC_WORDS(TILEC_VERSION_MINOR) "." TILEC_WORDS(TILEC_VERSION_PATCH)
#define TILEC_WORDS(value) TILEC_QUOTED(value)
#define TILEC_QUOTED(value) #value
#define TILEC_LAYOUT 1 /* of the structs below; one more in a release that changes a size */

typedef enum {
    TILEC_OK = 0,
    TILEC_REFUSED,   /* the kernel or an argument is wrong; the text says where and why */
    TILEC_NOT_FOUND, /* no such kernel, parameter or device */
    TILEC_IO,        /* a file could not be read or written */
    TILEC_NO_MEMORY,
    TILEC_BAD_ARGUMENT, /* a NULL, a negative count, no value of an enum: the caller's mistake */
    TILEC_FAILED,       /* the machine refused: no threads, no code generator, a damaged install */
    TILEC_FAULT,    /* the kernel has run, and an assertion in it, or a check of its accesses, found
                     * something wrong, or the simulator an access outside of its arrays, a race
                     * or a barrier that not all come to; the text says what and where */
    TILEC_CANCELLED /* by the caller's on_progress or `cancel`; some programs have run, others have
                       not */
} tilec_status;

/* clang-format off */
/* Element types, in the order of the compiler's own table.  An I1 is one byte of 0 or 1. */
typedef enum {
    TILEC_I1, TILEC_I8, TILEC_I16, TILEC_I32, TILEC_I64,
    TILEC_U8, TILEC_U16, TILEC_U32, TILEC_U64,
    TILEC_FP8E4NV, TILEC_FP8E5, TILEC_FP8E4B8, TILEC_FP8E5B16, TILEC_FP8E4B15,
    TILEC_FP16, TILEC_BF16, TILEC_FP32, TILEC_FP64
} tilec_dtype;
/* clang-format on */

typedef struct tilec_context tilec_context; /* devices, threads, the cache */
typedef struct tilec_file tilec_file;       /* one parsed source file and its compiled kernels */

/* Where the bytes of a tensor are. */
typedef enum { TILEC_MEMORY_HOST, TILEC_MEMORY_DEVICE } tilec_memory;

#define TILEC_MAX_DIMS 64
#define TILEC_UNEQUAL_LISTS 2147483647 /* an `ndim` that is refused: see tilec_array() */

/*
 * A strided array in memory that the caller owns; the fields of a DLPack tensor.  A kernel gets
 * only the address and the dtype.  Shape and strides say which bytes the kernel may touch: when
 * they show that no two tensors of a launch overlap, faster code is chosen, so they must not be
 * smaller than the truth.  Strides may be zero or negative; `data` is element (0, 0, ...).
 */
typedef struct {
    void *data; /* a multiple of the size of an element; may be NULL when the tensor has none */
    tilec_dtype dtype;
    int ndim;               /* up to TILEC_MAX_DIMS.  0: one element.  Negative: a bare pointer of
                             * unknown extent, which is taken to overlap everything; shape and
                             * strides are not looked at */
    const int64_t *shape;   /* elements, `ndim` of them, none negative */
    const int64_t *strides; /* elements; NULL = row-major without gaps */
    tilec_memory memory;    /* must be the one that the launch's device works on */
    int device_id;          /* of TILEC_MEMORY_DEVICE: which one of that name; a launch runs there,
                             * so all of its tensors have the same */
    int read_only;          /* not 0: a launch of a kernel that may write to it is refused */
    size_t
        blank; /* not 0: nothing was written to it yet.  A launch with `check` on a device that
                * looks for races stops where it loads an element that it has not stored before */
    const void *reserved[1]; /* NULL: room for later versions */
} tilec_tensor;

/*
 * What an argument is, and which of its fields holds the value.  Where the kernel's parameter is
 * tl.constexpr the value is compiled in and each value compiles anew.  Else it becomes a run-time
 * value, by Triton's rules: an integer 1 and NONE are compiled in all the same, and tensors and
 * integers also specialise on their divisibility (integers by 4, 8 and 16; addresses by 16 and 64
 * bytes).  A dtype annotation on the parameter fixes the type, and a 1 then stays a run-time value.
 * tilec_launch_options.unspecialised turns this off.
 */
typedef enum {
    TILEC_ARG_TENSOR, /* tensor */
    TILEC_ARG_INT,    /* integer: i32, or i64 where the value needs it */
    TILEC_ARG_UINT,   /* uinteger: the same, and u64 for values of 2^63 and more */
    TILEC_ARG_FLOAT,  /* real: fp32 at run time, to which it is rounded, unless the parameter says
                       * `x: tl.float64` */
    TILEC_ARG_BOOL,   /* integer != 0 */
    TILEC_ARG_NONE,
    TILEC_ARG_STRING, /* text; constexpr parameters only */
    TILEC_ARG_DTYPE,  /* dtype; constexpr parameters only */
    TILEC_ARG_TYPE,   /* tilec_dump() and tilec_build() only: a run-time value of `dtype`, a pointer
                       * if `pointer`; `integer` is what divides every value, or address in bytes:
                       * 1, 4, 8, 16, or of a pointer 1, 16, 64; 0: 16 for pointers, else 1 */
    TILEC_ARG_TUPLE,  /* items, nitems.  For a constexpr parameter they are constants, compiled in;
                       * for any other each is what it would be as an argument.  If all of them have
                       * names it is a named tuple */
    TILEC_ARG_FUNCTION,   /* text: the name of a @triton.jit function of the file, or of one that
                           * tilec_add_function() added, or what the file imports: "helper",
                           * "module.helper", "tl.exp"; compiled in */
    TILEC_ARG_CONSTEXPR,  /* items, one: a constant that is compiled in for any parameter */
    TILEC_ARG_DESCRIPTOR, /* tensor, of which the last stride is 1; items, nitems: the extents of
                           * its tiles as INT, one a dimension; if `integer` is not 0 what lies
                           * outside of it is NaN, else 0 */
    TILEC_ARG_OBJECT      /* text: what tells it from others; constexpr parameters only.  Something
                           * of the host's that a kernel may be given but cannot read */
} tilec_arg_kind;

typedef struct tilec_arg {
    const char *name; /* the parameter; NULL = the next in order */
    tilec_arg_kind kind;
    tilec_tensor tensor;
    int64_t integer;
    uint64_t uinteger;
    double real;
    const char *text; /* NUL-terminated */
    tilec_dtype dtype;
    int pointer;
    const struct tilec_arg *items; /* of a tuple with the names of their fields, or NULL; tuples in
                                    * tuples are at most 8 deep, and a launch has at most 192
                                    * arguments, each item counted */
    int nitems;
} tilec_arg;

/* One parameter of a kernel; its texts live as long as the file. */
typedef struct {
    const char *name;
    int is_constexpr; /* annotated tl.constexpr */
    int has_default;  /* may be left out: a default value, or one from @triton.autotune or
                       * @triton.heuristics */
    int line;         /* where it is declared, from 1 */
    int has_value;    /* `value` is what it takes when it is left out.  0 without a default, for a
                       * default that no tilec_arg can hold, such as a tuple, and if is_computed */
    tilec_arg value;  /* INT, UINT, FLOAT, BOOL, NONE, STRING or DTYPE, with the parameter's name */
    int is_computed;  /* @triton.heuristics computes it from the other arguments of a launch:
                       * tilec_param_value() says what */
} tilec_param;

/* What a program of a launch said; see tilec_launch_options.on_record. */
typedef enum {
    TILEC_RECORD_PRINT,  /* print() or tl.device_print() */
    TILEC_RECORD_ASSERT, /* assert or tl.device_assert() that failed */
    TILEC_RECORD_CHECK,  /* with `check`: an access outside of an array */
    TILEC_RECORD_LOST    /* `failures` prints beyond the first 8 MiB, or 262,144, of a launch */
} tilec_record_kind;

typedef struct {
    tilec_record_kind kind;
    const char *file; /* where it is written, the line and column from 1; NULL: nobody knows */
    int line, column;
    int32_t program[3]; /* which program; of what failed, the one with the lowest number */
    int64_t element;    /* of what failed: the first element of its tile, row-major; -1: no tile */
    int64_t offset;     /* of a check: the element, counted from the array's pointer */
    int64_t failures;   /* elements that failed, in all programs that did */
    int64_t programs;
    const char *message; /* of an assertion what it says, of a check "load of x" */
    const char *text;    /* for people: what a print prints, without a newline at its end; of what
                          * failed a diagnostic as in errors; control characters are \\xNN */
} tilec_record;

/* What the instructions of one line of the source did in a launch, on a device that counts.  A
 * GPU's threads go in warps of 32 lanes, and all but `lanes` counts what a warp does. */
typedef struct {
    const char *file; /* NULL: the line is one of the PTX */
    int line;
    uint64_t instructions; /* that were executed */
    uint64_t lanes; /* that took part in them: 32 for each where no mask or branch left some out */
    uint64_t global_requests; /* accesses to global memory: loads, stores, atomics, copies */
    uint64_t global_lines;    /* what they asked the L2, each for a part of a line of 128 bytes */
    uint64_t global_sectors; /* of 32 bytes, that were fetched: 4 an access for fp32 without gaps */
    uint64_t shared_requests, shared_waves; /* of shared memory; how often its banks took turns */
    uint64_t shared_extra;                  /* turns that bank conflicts cost */
    uint64_t branches, divergent;           /* with a condition; those that split a warp */
    uint64_t special; /* instructions of the unit for exp2, sin, 1 / x and their kin */
    uint64_t tensor;  /* products of matrices on tensor cores */
    uint64_t apart;   /* additions of a product, which one instruction could do with it */
    /* Cycles that warps spend here, if each had a multiprocessor to itself, by a model of what
     * instructions wait for (docs/simulator.md); and those of them that go to waits for memory, for
     * shared memory and special functions, and for other warps at barriers. */
    uint64_t cycles, memory_waits, shared_waits, barrier_waits;
} tilec_count;

/* What a chip has counted in a launch; see tilec_launch_options.on_counter. */
typedef struct {
    const char *name; /* NVIDIA's, as Nsight Compute has it: "dram__bytes_read.sum"; it stays */
    double value;     /* in what the name says: a number, bytes, nanoseconds, percent */
} tilec_counter;

/* What compiled code knows of its source; each has what stands before it. */
typedef enum {
    TILEC_DEBUG_NONE,
    TILEC_DEBUG_LINES, /* which lines, and calls of helpers, instructions are from: for profilers.
                        * The instructions are the same */
    TILEC_DEBUG_NAMES  /* where arguments and variables are: for debuggers.  Statements are computed
                        * one after the other, and named tiles kept: slower, the same results but
                        * for the order of roundings in sums */
} tilec_debug;

/* Programs first, first + 1, .. last - 1 of a grid, counted with x fastest. */
typedef struct {
    int64_t first, last;
} tilec_programs;

/* What a stretch of time of a launch was spent on; see tilec_launch_options.on_span. */
typedef enum {
    TILEC_SPAN_COMPILE, /* all of a compile, or of what the cache spares of it */
    TILEC_SPAN_PHASE, /* a part of it; its length is measured, it is placed behind the one before */
    TILEC_SPAN_LAUNCH, /* from when the programs begin, or are queued, to when the launch returns */
    TILEC_SPAN_PROGRAMS, /* some programs, one after the other, on one thread */
    TILEC_SPAN_DEVICE /* of devices with memory of their own, where `seconds` asks: all programs, by
                       * the device's clock, placed so that it ends with the launch */
} tilec_span_kind;

typedef struct {
    tilec_span_kind kind;
    const char *name;        /* of the kernel or the phase */
    double start, end;       /* seconds on the system's monotonic clock */
    int thread;              /* 0: the calling one; others in programs, which are numbered from 1;
                              * of programs on a GPU the multiprocessor, from 0 on */
    tilec_programs programs; /* of TILEC_SPAN_PROGRAMS */
} tilec_span;

/* How far a launch is; see tilec_launch_options.on_progress. */
typedef struct {
    int64_t programs;     /* of the grid */
    int64_t begun, ended; /* of them, so far; negative where the device does not tell, as GPUs */
    double seconds;       /* since the launch began */
    double still_seconds; /* since any of `begun` and `ended` last changed: a program takes that
                           * long, or waits for what does not come */
    const tilec_programs
        *running; /* that have begun and not all ended, one entry a thread, `nrunning`
                   * and 64 at most; short programs begin several at a time */
    int nrunning;
} tilec_progress;

enum { TILEC_TAPE_RECOMPUTE = -1 };    /* of tilec_launch_options.tape */
enum { TILEC_ATOMICS_OF_ALL = 1 };     /* of tilec_launch_options.atomics */
#define TILEC_ATOMICS_OF(i) (2 << (i)) /* of wrt[i], i < 30 */

typedef struct {
    const char *device; /* "cpu" (also NULL), "interp" the reference interpreter, "cuda", or "sim",
                         * a simulated GPU on the host's memory */
    int threads;        /* at most that many; 0 = every CPU; negative is refused */
    int num_warps, num_stages; /* 0 = the defaults; hints on a CPU; negative is refused.  A kernel
                                * that declares parameters of these names and is not given them
                                * gets these */
    /*
     * NULL, or what receives the text of a compile that succeeded and had something to say: its
     * warnings, with their places, and what tl.static_print prints, in the order of the source.
     * A launch whose grid has no programs warns of that too.  Called before the kernel runs, on the
     * calling thread and with no lock held; `text` is freed behind it, `user` is passed on.  The
     * text comes with the launch that compiles, or that finds what an earlier process compiled in
     * the cache; later launches of the same specialisation on the same device say nothing.
     * tilec_dump() compiles, and says it, each time.  When a compile fails the same text is part of
     * the error's.  With the environment variable TILEC_MESSAGES=1, when the context is opened,
     * NULL is what writes to stderr.
     */
    void (*on_message)(void *user, const char *text);
    void *user;
    void *stream; /* of the device, for work in order; NULL = its default.  Devices on the host's
                   * memory have no others: anything else is refused */
    /*
     * Not 0: every load, store and atomic is checked, and one outside of the view (shape and
     * strides) of the array that its pointer comes from is reported and does not happen; a load
     * gives its `other` value, or 0.  Bare pointers are not checked; on_message says so.  The
     * launch then runs to its end, but no longer than 2 s while accesses fail, and gives
     * TILEC_FAULT.  So does an integer division by zero or a shift by the width or more whose
     * result is used, a false promise (tl.multiple_of, tl.max_contiguous, tl.assume), and a store
     * of two lanes to one element; the launch stops at these as at an assertion.  Devices with
     * `finds_races` also look for races between programs, and stop at the first one; "interp"
     * checks accesses without this, too.  Checked kernels are compiled apart and are up to some
     * times slower; without this nothing is.
     */
    int check;
    /*
     * NULL, or what receives what the programs say, one call a record: prints, in the order of the
     * programs and within each in its own; then what failed, one record for each place in the
     * source.  Called behind the end of the launch, on the calling thread and with no lock held;
     * everything in the record ends with the call, `user` is passed on.  Without it prints go
     * nowhere; assertions and checks make the launch fail all the same.
     */
    void (*on_record)(void *user, const tilec_record *record);
    /* What code is made for, where the device leaves a choice: "sm_90a"; of "cpu" the levels of
     * x86-64, "x86-64", "x86-64-v2" to "x86-64-v4".  NULL = the machine that is here.  What a
     * device has no code for, or a CPU cannot run, is refused with TILEC_BAD_ARGUMENT. */
    const char *arch;
    /* NULL, or what receives how long the programs ran, measured by the device; the launch then
     * waits for their end. */
    double *seconds;
    /* NULL, or what receives the counts of a launch that succeeded, one call a line of the source,
     * in the order of files and lines; `user` is passed on.  Devices that do not count, which is
     * all but "sim", refuse it with TILEC_BAD_ARGUMENT. */
    void (*on_count)(void *user, const tilec_count *count);
    /* NULL, or what receives which code ran, or would have: of two launches of one file the same
     * where they ran the same code, as long as the file lives.  For nothing but to be compared. */
    const void **compiled;
    /*
     * NULL, or what is told how far the launch is, ten times a second, the first time after a tenth
     * of a second: so never by a short one.  Called on a thread of its own while the programs run;
     * `user` is passed on, and what `progress` points to ends with the call.  It must not launch
     * anything on this context.  When it gives something else than 0 the launch is cancelled:
     * programs that have begun end, no others begin, and unless none was left tilec_launch() gives
     * TILEC_CANCELLED.  A GPU's programs cannot be stopped.  Where the system starts no more
     * threads it is not called, which on_message is told.  A launch that asks costs some ten
     * microseconds more, and its programs a clock's reading each hundredth of a second.
     */
    int (*on_progress)(void *user, const tilec_progress *progress);
    /* For the CPU's code; "cuda" takes the lines, others take it without use.  gdb is told of such
     * code as it is loaded; docs/debugging.md says how to stop in it. */
    tilec_debug debug;
    /* Not 0: one form of the code serves all values of the run-time parameters.  An integer 1 is
     * not compiled in, and nothing is taken from what divides integers and addresses, as if all
     * parameters stood in do_not_specialize.  For programs in which a compile at the wrong moment
     * costs more than code that knows less, such as of a stride that is 1 mostly.  The dtypes, the
     * width of integers, whether tensors overlap and whether they fit into the cache still count.
     */
    int unspecialised;
    /* NULL, or what receives what took how long: behind a compile, and behind the end of a launch
     * that has run, one call a span; the span ends with the call, `user` is passed on.
     * Programs are told by the CPU in the pieces in which its threads take them, by others one by
     * one: the first 131,072 of these.  On "cuda" the code is compiled once more for that, to note
     * when each program ran, and the launch waits for its end.
     */
    void (*on_span)(void *user, const tilec_span *span);
    /* Not 0: all floats are computed as fp64, and rounded where they are stored; what memory and
     * parameters hold stays what it is.  The difference to a launch without it is what a kernel's
     * own roundings cost.  Slow.  2: narrower types that the source names are fp64, too, and so
     * are literals, so that a kernel written for them takes arrays of fp64. */
    int wide_floats;
    /* In a kernel that tilec_derive() gives, programs that hand gradients to the same element of
     * these arrays add them by atomics: TILEC_ATOMICS_OF_ALL, or TILEC_ATOMICS_OF(i) of wrt[i], of
     * several added.  0: each stores a part, which a second kernel adds up. */
    int atomics;
    /*
     * NULL, or a number at which the launch looks now and then, between programs: when it is no
     * longer 0 the launch is cancelled as by on_progress.  A signal's handler or another thread may
     * write it: it is read atomically.  No thread is started for it, and on the CPU launches that
     * are known to take less than a hundredth of a second do not look.
     */
    const volatile int *cancel;
    /* Not 0: a kernel that tilec_derive() gives computes again what the forward has stored, and
     * reads nothing that the forward writes; else see `saved` of tilec_derived. */
    int recompute;
    /* What a loop of such a kernel whose rounds go backwards keeps of what its rounds began with:
     * 0, of each; TILEC_TAPE_RECOMPUTE, nothing, and each round is computed from the loop's
     * beginning; N > 0, of N rounds, from which the others are computed once more. */
    int tape;
    /* Not 0: such a kernel also stores what the forward does; it is launched in its place.  Refused
     * where programs hand gradients to the same element, but with `atomics`. */
    int fused;
    /*
     * NULL, or what receives what the chip counted in this launch: one call a counter, which are
     * about twenty, behind the launch's end, which is waited for; `user` is passed on.  Of "cuda",
     * by CUPTI, which runs the kernel several times for it, each time with memory as it was,
     * and then leaves `seconds` as it is.
     * Refused with TILEC_FAILED, before anything has run, where CUPTI is not installed or not
     * allowed to count, and with TILEC_BAD_ARGUMENT by devices that have no such counters.
     */
    void (*on_counter)(void *user, const tilec_counter *counter);
    /* Not 0: a launch on "cuda" whose kernel asserts, and neither prints nor checks, is not waited
     * for either, and may be captured into a graph, but for the first one of its kernel there.
     * What fails in it is not that launch's: tilec_async_fault() tells, and until it has, programs
     * of that kernel end as they begin.  on_record does not hear of it.  Without use to other
     * devices, and to launches that are waited for for another reason. */
    int async_asserts;
    const void *reserved[4]; /* NULL: room for later versions */
} tilec_launch_options;

/* One device; the texts live as long as the context. */
typedef struct {
    const char *name;        /* for tilec_launch_options.device */
    const char *description; /* for people: the CPU's model */
    int available;           /* this machine has it; that the code generator is missing shows at
                              * the first launch that must compile */
    int threads;
    const char *missing; /* what this machine lacks for it, when it is not available; NULL */
    int finds_races; /* not 0: with tilec_launch_options.check it looks for programs that race, too
                      */
} tilec_device;

/* One of the devices of a name; the texts live as long as the context. */
typedef struct {
    const char *name; /* for people: the model */
    const char *arch; /* for tilec_launch_options.arch; NULL: there is no choice */
    uint64_t memory;  /* bytes of its own; 0: it works on the host's */
    int processors;   /* that run programs at the same time */
} tilec_unit;

/* What one launch cost and does; see tilec_launch_stats(). */
typedef struct {
    double compile_seconds; /* what making the compiled kernel took when this file first needed it:
                             * compiling, or loading it from disk */
    int from_cache;         /* it came from disk */
    double flops; /* float operations, and those of dot products of integers; negative when
                   * they cannot be counted */
    double bytes; /* tensors read plus tensors written, once each; no more than loads and stores
                   * name where that can be counted */
    /* Of a GPU's code, else 0: */
    int warps;        /* that run one program */
    int registers;    /* of a thread */
    int shared_bytes; /* that the threads of a program share */
    int local_bytes;  /* of a thread, in memory: what its registers do not hold */
    /* Parts of compile_seconds, all 0 where the kernel came from disk: */
    double generator_seconds; /* loading the code generator, for the first compile of a process */
    double emit_seconds;      /* optimising and making code, or PTX */
    double assemble_seconds;  /* making a GPU's code of that */
    double int_ops; /* operations on integers that make what is stored: not addresses and masks, not
                     * comparisons, selections and conversions; negative as `flops` is */
    int in_place; /* not 0: it writes memory that it also reads, as far as the shapes of the tensors
                   * tell, so that running it again does something else */
    double keep_seconds; /* a part of compile_seconds, too: loading the code, and writing it to the
                          * cache; 0 where the kernel came from there */
    /* Of `flops` those of dot products of int8, and of bf16, for which processors have units of
     * their own: */
    double int8_flops, bf16_flops;
} tilec_stats;

/*
 * Make a context.  Cheap: threads start with the first launch that
 * needs them, and the code generator is loaded when something must be compiled that the cache
 * does not hold.
 *
 * cache_folder: where compiled kernels are kept between processes; NULL: TILEC_CACHE_DIR, else
 *     $XDG_CACHE_HOME/tilec, else ~/.cache/tilec; "" keeps them in memory only, and so does a
 *     folder that cannot be made or is not trusted (tilec_cache_problem() says so).  One that
 * cannot be written to is only read, so that a warm one can be shipped. Any number of processes of
 * one user may share a folder.  It is looked up once, and stays open until tilec_close().
 *     TILEC_CACHE_SIZE (bytes, or a number with K, M, G or T; default 1G; 0: memory only) bounds
 *     it: the least recently used go.
 * Fails with TILEC_NO_MEMORY; TILEC_BAD_ARGUMENT; TILEC_FAILED when the program was compiled with
 * a newer tilec.h than the library.
 */
static inline tilec_status tilec_open(const char *cache_folder, tilec_context **out, char **error);

/* How a context is made; NULL is the default of all. */
typedef struct {
    const char *cache_folder; /* as for tilec_open() */
    /*
     * The code generator, tilec-llvm.so, of the same build as the library, by an absolute path; it
     * is then looked for nowhere else.  It goes before TILEC_PLUGIN, and is trusted as that is: it
     * is run whoever owns it, so it must be a file that only those may write to whom the program
     * trusts.  It is opened when something must first be compiled, and a process has but one.
     */
    const char *plugin;
    /* Where it is looked for last, by an absolute path; it must belong to root or to the user, and
     * not be writable by everybody.  By default TILEC_LAST_PLUGIN, which find_package(tilec)
     * defines for programs with the static library. */
    const char *last_plugin;
} tilec_open_options;

#ifndef TILEC_LAST_PLUGIN
#define TILEC_LAST_PLUGIN NULL
#endif

/* tilec_open() with options, which may be NULL and are not kept.  Fails as it does, and with
 * TILEC_BAD_ARGUMENT for a plugin by a path that is not absolute.  That there is none at that path
 * shows at the first launch that must compile. */
static inline tilec_status tilec_open_with(const tilec_open_options *options, tilec_context **out,
                                           char **error);

/* What these call: for programs in other languages, with the layout that their structs have. */
tilec_status tilec_open_layout(int layout, const char *cache_folder, tilec_context **out,
                               char **error);
tilec_status tilec_open_options_layout(int layout, const tilec_open_options *options,
                                       tilec_context **out, char **error);

static inline tilec_status tilec_open_with(const tilec_open_options *options, tilec_context **out,
                                           char **error)
{
    tilec_open_options all;

    all.cache_folder = options ? options->cache_folder : NULL;
    all.plugin = options ? options->plugin : NULL;
    all.last_plugin = options && options->last_plugin ? options->last_plugin : TILEC_LAST_PLUGIN;
    return tilec_open_options_layout(TILEC_LAYOUT, &all, out, error);
}

static inline tilec_status tilec_open(const char *cache_folder, tilec_context **out, char **error)
{
    tilec_open_options options;

    options.cache_folder = cache_folder;
    options.plugin = NULL;
    options.last_plugin = NULL;
    return tilec_open_with(&options, out, error);
}

/* What is in the cache is run, so a folder that belongs to another user, or that the group or
 * everybody may write to, is not used; nor is any when TILEC_CACHE_SIZE cannot be read, when none
 * can be made, or nothing says where.  One line that says so, or that the folder is only read, for
 * a warning; NULL when there is nothing to warn of, as where nobody wants a cache.  It lives as
 * long as the context. */
const char *tilec_cache_problem(const tilec_context *ctx);

/* The folder in which compiled kernels are kept, for what else belongs to this machine and may be
 * lost; NULL when they are kept in memory only.  It lives as long as the context. */
const char *tilec_cache_folder(const tilec_context *ctx);

/* Free a context, and what its files have: unload these before, or nothing but unload them after.
 * Waits for its threads to end.  NULL is allowed. */
void tilec_close(tilec_context *ctx);

/*
 * Read a Python source file and find the @triton.jit functions in it, the decorators that tune
 * them, and what those name: constants, lambdas, functions of one `return`.  Everything else
 * (imports, host code, benchmarks) is skipped.  A syntax error inside one kernel is reported when
 * that kernel is used, so that it does not spoil the others.
 *
 * Fails with TILEC_IO when the file cannot be read or is larger than 256 MiB; TILEC_REFUSED when
 * it is no text of which kernels can be told apart (a bracket or a string that never ends), or has
 * no @triton.jit function; what is skipped is not checked; TILEC_BAD_ARGUMENT for NULLs;
 * TILEC_NO_MEMORY.
 */
tilec_status tilec_load_file(tilec_context *ctx, const char *path, tilec_file **out, char **error);

/* The same for text in memory, which is copied.  `name` stands for the path in messages; NULL:
 * "<string>".  More than 256 MiB are TILEC_REFUSED. */
tilec_status tilec_load_string(tilec_context *ctx, const char *name, const char *text, size_t len,
                               tilec_file **out, char **error);

/*
 * A global that code outside of kernels would compute, such as `SMS = device_count()`: it counts as
 * if the file said `NAME: tl.constexpr = VALUE`, whatever it says.  `name` is NAME, or MODULE.NAME
 * for another file, whose path ends with that module: "utils.WIDTH", "package.utils.WIDTH". `value`
 * is an expression: "64", "1.5", "'text'", "None", "True", "tl.float16" or "fp16", "(8, 8)".
 */
typedef struct {
    const char *name, *value;
} tilec_define;

/*
 * A program that has run the Python of a package, such as a Python extension, knows what its names
 * stand for: a function `tilec_load_options.resolve` answers for them, in front of what the files
 * say, and of what cannot be found in files.
 *
 * A question is about `name`, as it stands in `function` ("kernel", "outer.kernel"; NULL: outside
 * of functions, as in a default) of a module; "n=" is the default of that function's parameter n.
 * `module` is the name that an earlier answer gave that module; NULL is the loaded file, or a file
 * that the library found by itself; `path` is that of the file, NULL if there is none.
 */
typedef struct {
    const char *name, *function, *module, *path;
} tilec_question;

typedef enum {
    TILEC_NAME_UNKNOWN,  /* what the files say counts; so does a kind that the library lacks */
    TILEC_NAME_VALUE,    /* value; if is_constexpr a kernel may use it by its bare name, as it may a
                          * dtype or None; else only where any global counts, as in defaults */
    TILEC_NAME_FUNCTION, /* role, text, length, path, line, module, function */
    TILEC_NAME_MODULE,   /* module; path, if it may be read for names that are not answered */
    TILEC_NAME_LANGUAGE, /* module: what of the language it is, in full: "triton.language",
                          * "triton.language.exp", "triton.language.extra.libdevice"; or a type of
                          * pointers as annotations say it, "*fp32", "const *fp32" */
    TILEC_NAME_CLASS,    /* role, text, length, path, line, module, function: as of a function */
    TILEC_NAME_LIBRARY,  /* module: what a library for the host has, in full: "torch.tanh".  Kernels
                          * may compare its dtypes, and call torch.finfo() and the like */
    TILEC_NAME_OBJECT    /* what is no value of a kernel: text, which says what it is ("a dict"),
                          * hint, module, where its attributes are asked for; is_constexpr */
} tilec_name_kind;

typedef enum {
    TILEC_ROLE_JIT,       /* under @triton.jit: called in kernels */
    TILEC_ROLE_CONSTEXPR, /* a constexpr_function */
    TILEC_ROLE_PYTHON,    /* any other function, called outside of kernels only */
    /* of classes: */
    TILEC_ROLE_NAMED_TUPLE, /* of typing.NamedTuple */
    TILEC_ROLE_AGGREGATE,   /* under @triton.aggregate */
    TILEC_ROLE_ENUM         /* of enum.Enum and its kin */
} tilec_role;

/* An answer, which comes zeroed but for `line`, which is 1.  What it points to must stay until
 * the resolver is called again or the call that asked ends; the library keeps copies. */
typedef struct {
    tilec_name_kind kind;
    tilec_arg value; /* INT, UINT, FLOAT, BOOL, NONE, STRING, DTYPE, or a TUPLE of these */
    int is_constexpr;
    tilec_role role;
    const char *text; /* the function or class, from its decorators, its `def` or `class` on,
                       * indented as it may be */
    size_t length;
    const char *function; /* its name in the text; NULL: the one that was asked for */
    const char *module;   /* a function's or class's: where names in it are asked for */
    const char *path;     /* a function's or class's: for messages */
    int line;             /* of the text in that file, up to 2^30 */
    /* A function's options: `nunspecialised` names of parameters in Triton's do_not_specialize,
     * noinline, and `nunaligned` in do_not_specialize_on_alignment.  What decorators in the text
     * say counts as well. */
    const char *const *unspecialised;
    int nunspecialised;
    int noinline;
    const char *const *unaligned;
    int nunaligned;
    /* What to do instead of using an object.  NULL: nothing, as an object that is there for its
     * attributes may be passed on, and its bare name be used, whatever is_constexpr says. */
    const char *hint;
} tilec_name;

/* What is known about the other files that a kernel's file imports from.  Nothing here but `user`
 * is kept behind the call; texts are copied. */
typedef struct {
    const char *const *paths; /* `npaths` folders in which modules are looked for */
    int npaths;
    const tilec_define *defines; /* `ndefines`; of two for one name the last counts */
    int ndefines;
    /*
     * NULL, or what answers questions about names, each once for as long as the file lives.  Called
     * while the file is loaded and while something of it is compiled or described, never by a
     * launch that finds its kernel compiled; on the thread that compiles, which need not be the
     * caller's, but with the caller waiting, and never by two at once for one file.  It must
     * return, and must not call the library for this file.
     */
    void (*resolve)(void *user, const tilec_question *question, tilec_name *answer);
    void *user;
} tilec_load_options;

/*
 * The same as tilec_load_file(), or with `text` that is not NULL as tilec_load_string(), for a file
 * whose kernels use helpers and constants of other files.  `options` may be NULL.
 *
 * What a kernel takes from an import is found without Python.  `from .a import f` is looked for
 * beside the file; absolute modules in the folder around the outermost package that the file is
 * in, then in options->paths, then in the file's own folder and those above it (but for those that
 * everybody may write to).  Outside of options->paths a module must belong to this user, to root or
 * to the owner of the first file, and be no more open to everybody than that.  A text in memory
 * stands in the folder that its name has.  Files are read when a kernel first needs a name of
 * theirs, are at most 4 MiB each, 64 MiB and 512 files together, and are kept until tilec_unload();
 * one that is not there matters only to the kernels that need it.
 *
 * Fails as those functions do; TILEC_REFUSED too for a define that is none.  That its value makes
 * no sense shows when a kernel uses it.
 */
tilec_status tilec_load(tilec_context *ctx, const char *path, const char *text, size_t len,
                        const tilec_load_options *options, tilec_file **out, char **error);

/*
 * The same for one kernel alone, which is given as a resolver gives a function: its text with its
 * path and line, so that messages point into the file that it comes from, and the module in which
 * its names are asked for.  The kind and the role are not looked at; `kernel` is not kept.
 *
 * Fails as tilec_load_string() does, and with TILEC_REFUSED when the text has no such function.
 */
tilec_status tilec_load_function(tilec_context *ctx, const tilec_name *kernel,
                                 const tilec_load_options *options, tilec_file **out, char **error);

/*
 * Make a function of the host one of the file's: from then on a TILEC_ARG_FUNCTION may name it as
 * `name`, which no kernel of the file must have; one that was added by that name stays what it is.
 * It is given as a resolver gives it, of the role TILEC_ROLE_JIT or TILEC_ROLE_CONSTEXPR, and is
 * not kept.  Not from inside of a resolver.
 *
 * Fails with TILEC_REFUSED when the text has no such function; TILEC_BAD_ARGUMENT for NULLs and
 * another role; TILEC_NO_MEMORY.
 */
tilec_status tilec_add_function(tilec_file *file, const char *name, const tilec_name *function,
                                char **error);

/* 1: a TILEC_ARG_FUNCTION may name it.  Reads the files that the file imports it from.  0 of NULL.
 */
int tilec_has_function(tilec_file *file, const char *name);

/* Free a file and its compiled kernels; no launch of it may be running.  NULL is allowed. */
void tilec_unload(tilec_file *file);

/* The @triton.jit functions in file order, helpers included; the names live as long as the file.
 * NULL for an index out of range.  A NULL file has none.  Where a kernel is asked for, one inside
 * of a function or class may also be named with these, "Class.kernel". */
int tilec_kernel_count(const tilec_file *file);
const char *tilec_kernel_name(const tilec_file *file, int i);

/* The only kernel of the file: the @triton.jit function that no other one in it calls or passes
 * on.  NULL when there are several such, or none, since all are called; and for a NULL file.
 * Wherever a kernel is asked for, NULL means this one. */
const char *tilec_only_kernel(const tilec_file *file);

/*
 * The parameters of a kernel.  The count is negative when there is no such kernel, its signature
 * is wrong (a launch says why), or the file is NULL.  tilec_param_info() gives TILEC_NOT_FOUND for
 * such a kernel or an index out of range, TILEC_BAD_ARGUMENT for NULLs.
 */
int tilec_param_count(const tilec_file *file, const char *kernel);
tilec_status tilec_param_info(const tilec_file *file, const char *kernel, int i, tilec_param *out);

/*
 * What parameter `i` takes in a call with these arguments: the argument given for it, or what
 * stands in for one that was left out; so a grid can be computed from a block size that comes from
 * @triton.autotune or @triton.heuristics.  The arguments are those of tilec_launch(), all of them;
 * nothing is compiled.  A text in `out` lives as long as the file, or is the caller's own.
 *
 * Fails as tilec_launch() does for wrong arguments, and with TILEC_NOT_FOUND for an index out of
 * range or a value that no tilec_arg can hold, such as a tuple.
 */
tilec_status tilec_param_value(tilec_file *file, const char *kernel, int i, const tilec_arg *args,
                               int nargs, const tilec_launch_options *options, tilec_arg *out,
                               char **error);

/* One configuration of @triton.autotune, as arguments that a launch may be given by name: values of
 * parameters, and num_warps and its kin.  They live as long as the file. */
typedef struct {
    const tilec_arg *values;
    int nvalues;
} tilec_config;

/*
 * The configurations that @triton.autotune lists for a kernel, in its order; 0 without any, and for
 * a NULL file.  A launch that says nothing takes the values of the first.  tilec_config_info()
 * gives TILEC_NOT_FOUND for an index out of range, TILEC_BAD_ARGUMENT for NULLs, and TILEC_REFUSED
 * for one whose values the file does not tell, or that no tilec_arg can hold.
 */
int tilec_config_count(const tilec_file *file, const char *kernel);
tilec_status tilec_config_info(const tilec_file *file, const char *kernel, int i,
                               tilec_config *out);

/* Why tilec_config_info() refuses a configuration, as an error at the expression that has no value
 * when the file is read; NULL where it does not.  And its `pre_hook`, as it is written: a function
 * of Python's, which no launch here calls; NULL where it has none.  Both live as long as the file.
 */
const char *tilec_config_problem(const tilec_file *file, const char *kernel, int i);
const char *tilec_config_hook(const tilec_file *file, const char *kernel, int i);

/* The i-th parameter that its `key` names: the fastest configuration may be another one where the
 * value of such an argument, or the dtype of any array, is another.  NULL behind the last. */
const char *tilec_tuning_key(const tilec_file *file, const char *kernel, int i);

/*
 * Run a kernel over a grid of programs and wait for the end; on a device with memory of its own it
 * is queued on options->stream, and the call waits only if it is timed, or the kernel may say
 * something (prints, assertions, checks).
 *
 * grid: programs along x, y, z, none negative; 1 for a dimension that is not used; on GPUs, and
 *     where they are simulated, y and z go up to 65535.  A zero launches nothing, but still checks
 *     and compiles, and is warned of through on_message.  Of {n, 0, 0} with n above zero, what C
 *     makes of `grid[3] = {n}`, it is known that it was not meant: it is refused.
 * args, nargs: in any order.  As in a Python call, unnamed ones come first and fill the parameters
 *     in order, named ones may follow.  A parameter that is left out takes what @triton.heuristics
 *     computes for it, else the value of the first @triton.autotune configuration, else its
 *     default.  Heuristics see all other arguments; one that cannot be evaluated (the text says
 *     where and why) must be given.  Launch options of Triton (num_warps, num_stages, num_ctas,
 *     maxnreg, ...) are accepted as named arguments: `debug`, when it is false, leaves assertions
 *     out, when it is true, or `sanitize_overflow` is, an integer that overflows is a failed one;
 *     `enable_fp_fusion`, when it is true, has products of floats added without being rounded, on
 *     every device (docs/accuracy.md); num_warps and num_stages go before those of `options`;
 *     maxnreg, from 1 to 255, is the most registers that a thread of a GPU may have.
 *     Nothing is kept after the call: the same array may be changed and passed again.
 * options: NULL = all defaults.
 *
 * The first launch of a kernel with a new set of dtypes and compiled-in values compiles it
 * (milliseconds, tens of them for the first in a process; a fraction of one when the cache has
 * it); later ones find it without a lock.  Kernels with @triton.heuristics evaluate these at each
 * launch.  Several threads may launch at once; launches that use more than one CPU, or more than
 * a few KiB for intermediate tiles, take turns, and one on a single CPU keeps others out if both
 * kernels have atomics: where nothing else can, these need no locks, unless their scope is "sys".
 * Programs of one launch run in any order and at the same time.
 *
 * Fails with TILEC_REFUSED when an argument or the kernel is wrong; TILEC_NOT_FOUND for the name
 * of the kernel, a parameter or the device; TILEC_BAD_ARGUMENT for NULLs, negative sizes, a
 * tensor that is read_only and may be written to, one in another memory than the device's, and a
 * grid of {n, 0, 0} or beyond 2^62 programs; TILEC_FAILED when the device is not available, or the
 * code generator is missing or refuses; TILEC_NO_MEMORY.  Nothing has run then, except that the
 * interpreter gives TILEC_REFUSED in the middle of a launch where tl.assume does not hold or calls
 * nest too deep.  TILEC_FAULT when programs have run and found something wrong: behind an assertion
 * that failed its program ends, others that are running go on to their end, and no further one
 * begins; memory is as they left it. So it is where the device "sim" stops an access outside of the
 * launch's arrays, checked or not.
 */
tilec_status tilec_launch(tilec_file *file, const char *kernel, const int32_t grid[3],
                          const tilec_arg *args, int nargs, const tilec_launch_options *options,
                          char **error);

/*
 * What launches with async_asserts have found wrong that have ended since the last such call:
 * TILEC_FAULT, and the text of all of it in *error; TILEC_OK: nothing, which takes some nanoseconds
 * to find out.
 *
 * device: as in tilec_launch_options
 * waits: not 0: for the end of all such launches, and whatever else runs in their contexts
 *
 * What a file's launches have found is lost with tilec_unload(): ask before.  Fails with
 * TILEC_NOT_FOUND for the device, TILEC_BAD_ARGUMENT for no context, and TILEC_FAILED where the
 * device does.
 */
tilec_status tilec_async_fault(tilec_context *ctx, const char *device, int waits, char **error);

/* Everything tilec_launch() does short of running: check, compile and keep.  Fails as it does. */
tilec_status tilec_prepare(tilec_file *file, const char *kernel, const tilec_arg *args, int nargs,
                           const tilec_launch_options *options, char **error);

/* One launch that is to be made ready: the parameters of tilec_prepare(), and what comes of it. */
typedef struct {
    tilec_file *file;
    const char *kernel;
    const tilec_arg *args;
    int nargs;
    const tilec_launch_options *options;
    tilec_status status; /* what tilec_prepare() gave */
    char *error;         /* likewise, for tilec_free() */
} tilec_preparation;

/*
 * tilec_prepare() for each of the list, several at a time on threads of their own: compiling a
 * kernel for several block sizes takes as long as the slowest where there are CPUs enough.  On the
 * calling thread and in the order of the list, on_message then gets what each compile said; other
 * functions of options are called as they are by tilec_prepare(), from any thread.
 *
 * threads: at most that many, 16 at most; 0 = every CPU
 *
 * TILEC_OK whatever becomes of the single ones; TILEC_BAD_ARGUMENT for NULL and negative numbers,
 * and TILEC_NO_MEMORY: nothing is touched then.
 */
tilec_status tilec_prepare_all(tilec_preparation *list, int n, int threads);

/*
 * Say what such a launch would do; compiles if need be, writes no tensor.  Float operations are
 * counted by running the scalar part of up to a few hundred programs spread over the grid and
 * scaling up: adds, multiplies and the like count 1 an element, masked ones too, fma and dot 2,
 * exp and its kin 1.  Bytes are the sizes of the tensors that the kernel can read plus those that
 * it can write, so sparse use of a tensor counts in full; bare pointers count nothing.
 *
 * Fails as tilec_launch() does.
 */
tilec_status tilec_launch_stats(tilec_file *file, const char *kernel, const int32_t grid[3],
                                const tilec_arg *args, int nargs,
                                const tilec_launch_options *options, tilec_stats *out,
                                char **error);

/* What a kernel may do with a tensor: bits of `uses` below. */
typedef enum {
    TILEC_LOADS = 1,
    TILEC_STORES = 2,      /* an atomic does both */
    TILEC_LOADS_FIRST = 4, /* beside TILEC_LOADS: what was there before the launch, for sure, unless
                            * programs wait for each other */
    /* beside TILEC_STORES: the kernel has NaN or inf among its constants, or pads with NaN */
    TILEC_OWN_NAN = 8,
    TILEC_OWN_INF = 16
} tilec_use;

/*
 * Tell what a launch with these arguments may do with each of its tensors, those of descriptors and
 * tuples too, in the order of the parameters.  The kernel is compiled if it is not, and nothing
 * runs.  `uses` may say too much of a tensor (a pointer that is one of two counts as both), never
 * too little; tensors in one memory are not told of each other.
 *
 * on_tensor: called with `user`, in no other thread; `tensor` is the caller's own, in `args`.
 *
 * Fails as tilec_launch() does; with TILEC_BAD_ARGUMENT where on_tensor is NULL.
 */
tilec_status tilec_launch_memory(tilec_file *file, const char *kernel, const tilec_arg *args,
                                 int nargs, const tilec_launch_options *options,
                                 void (*on_tensor)(void *user, const tilec_tensor *tensor,
                                                   int uses),
                                 void *user, char **error);

/* The value of a configuration by its name; NULL: it has none. */
const tilec_arg *tilec_config_value(const tilec_config *config, const char *name);

/* What tilec_tune() has found out about one configuration. */
typedef struct {
    int number;  /* of the configuration in its list */
    int same_as; /* the number of an earlier one that is the same code on this device, and counts
                  * for this one too; -1: there is none.  The rest is of such */
    tilec_status status; /* of its first run.  TILEC_CANCELLED: it was not run for want of time, or
                          * not timed before all was cancelled */
    const char *error;   /* why it does not run; NULL: it does, or `run` knows */
    /* Seconds a run, if status is TILEC_OK: the median of its rounds, and what a fifth of them took
     * less, and more, than. */
    double median, low, high;
    const double *rounds; /* seconds, the fastest run of each, in order; `nrounds`.  0: the times
                           * are from an earlier tuning */
    int nrounds;
    int is_slower; /* not 0: than the fastest, by a hundredth or more and too often for chance */
} tilec_trial;

/* How to tune, and what with; NULL is the default of all. */
typedef struct {
    /* `nconfigs` configurations; NULL: those of @triton.autotune that the file tells.  Of values
     * that are no parameters of the kernel, num_warps and num_stages count and others do not.  They
     * must not be among the arguments. */
    const tilec_config *configs;
    int nconfigs;
    const char *const *keys; /* `nkeys` parameters whose values matter; NULL: its `key` */
    int nkeys;
    /* NULL: the grid of the call.  Else it is asked once for each configuration, with `user`, and
     * fills in `out`, which is 1, 1, 1. */
    void (*grid)(void *user, const tilec_config *config, int32_t out[3]);
    /*
     * NULL: kernels are launched.  Else what makes a run of a configuration instead, and says what
     * it took, on the calling thread: a program that does more than a launch.  The first run of
     * each is not counted.  TILEC_CANCELLED ends everything, any other failure in the first run
     * the configuration.
     */
    tilec_status (*run)(void *user, int number, double *seconds);
    int measures; /* not 0: run() measures by itself: once for each, and that is its time */
    int rounds;   /* 0: 20, or until one is left */
    /* 0: as long as it takes.  Else nothing new begins when it is used up, but that one
     * configuration is run, and that all which were run are timed once. */
    double seconds;
    int anew;      /* not 0: measure, whatever is known */
    int unkept;    /* not 0: look for nothing in the folder of the cache, and keep nothing there */
    int device_id; /* on which one arrays will be, where they are not yet on any */
    /* NULL, or what receives one call a configuration behind the end, in the order of the list; the
     * trial ends with the call.  When tuning is cancelled it hears what was timed by then. */
    void (*on_trial)(void *user, const tilec_trial *trial);
    /* NULL, or what is told which share is done, 0 .. 1, behind each visit of a configuration.
     * Something else than 0 cancels. */
    int (*on_progress)(void *user, double share);
    const volatile int *cancel; /* as in tilec_launch_options */
    void *user;
    const void *reserved[8]; /* NULL: room for later versions */
} tilec_tune_options;

/* The fastest configuration. */
typedef struct {
    int number;          /* in the list */
    tilec_config config; /* lives as long as the file, or as the caller's list */
    double seconds;      /* a run: the median */
    int was_known;       /* not 0: from an earlier tuning, nothing was run */
} tilec_choice;

/*
 * Find the fastest of several configurations of a kernel.
 *
 * Each is run once, those that fail are out, and the others are timed in turns, so that a machine
 * which gets slower or faster does so for all: a round visits each, by turns forwards and
 * backwards, for some runs within 4 ms, of which the fastest counts.  Those that take half as long
 * again as the fastest after three rounds are left out of the rest, a fifth behind five, a tenth
 * behind eight, a twentieth behind twelve; it ends when one is left.  The one with the least median
 * is chosen.  Launches tell on_message what compiling the first one says; what programs print is
 * not heard.  That all give the same results is not looked at.
 *
 * Arrays that a configuration both reads and writes are copied, put back before each of its runs,
 * outside of its time, and at the end; arrays that are only written are left as the last run has
 * them.  With `run` that is the caller's.
 *
 * What was found is kept in the folder of the cache (*.tuned), for this machine, device, number of
 * threads, arch and version, the text of the kernel, the values of its keys and the dtypes of all
 * arrays, and is found again there by any program, the command and the Python package; by any
 * number of processes.  What cannot be written is told to on_message.
 *
 * grid: as for tilec_launch(); NULL where options->grid says it, and with `run`
 * args, nargs: as for tilec_launch(), all but the values of configurations; with `run` they only
 *     say what the choice depends on, and may be fewer
 * launch, options: NULL = all defaults
 * out: the fastest
 *
 * Fails with TILEC_NOT_FOUND when there are no configurations, and for the name of the kernel or
 * the device; as the first configuration does when none runs; TILEC_CANCELLED by on_progress,
 * `cancel` or run(): nothing is kept then; TILEC_NO_MEMORY, for copies too; TILEC_BAD_ARGUMENT for
 * NULLs, negative numbers, and `reserved` that is not NULL.
 */
tilec_status tilec_tune(tilec_file *file, const char *kernel, const int32_t grid[3],
                        const tilec_arg *args, int nargs, const tilec_launch_options *launch,
                        const tilec_tune_options *options, tilec_choice *out, char **error);

/* What an earlier tilec_tune() with such arguments, here or in another program, has found: the
 * fastest of those of the list that are known.  Runs nothing, and compiles nothing. TILEC_NOT_FOUND
 * when none is; else it fails as tilec_tune() does. */
tilec_status tilec_tuned(tilec_file *file, const char *kernel, const tilec_arg *args, int nargs,
                         const tilec_launch_options *launch, const tilec_tune_options *options,
                         tilec_choice *out, char **error);

/* What a line of a source costs; of the two functions below each sets its own fields. */
typedef struct {
    const char *file; /* ends with the call that it is given to.  NULL: none, such as the library */
    int line;
    uint64_t samples; /* tilec_profile_stop(): how often a thread was seen there */
    /* tilec_launch_lines(): what the programs of a launch do there, as tilec_stats counts it; bytes
     * are those of all elements that are read and written, each time, without those that a mask
     * leaves out unless it depends on what was loaded */
    double flops, int_ops, bytes;
    /* tilec_profile_stop(): what samples are even steps of.  "cycles" of the processor, with ":p",
     * ":pp" or ":ppp" behind it where it places its samples (so much) more precisely; "cpu-clock",
     * the time that the thread computed; "timer", the same by signals; "microseconds", of which
     * none is missed, those of the interpreter.  Static text */
    const char *clock;
    /* .. and about what the processor did there meanwhile, where the clock is its cycles; else, and
     * where it does not count that, 0 */
    double cycles, instructions, cache_misses;
    double int8_flops, bf16_flops; /* tilec_launch_lines(): as in tilec_stats */
} tilec_line;

/*
 * Take samples of what the threads that run programs on the CPU do, from start to stop, and tell
 * them by line in the order of files and lines.  Of "interp" it is how long each line took; of
 * "cuda" the cycles that warps were at it, which code with lines notes itself, on launches that are
 * waited for.  On the CPU programs tell their lines if they are launched with `debug` of
 * TILEC_DEBUG_LINES or more; helpers count as what they are, not where they are called.  Linux's
 * perf events are used where the system allows them, of which time inside of the system is not
 * seen; else the signal SIGPROF, for the whole process: where that had no handler it is ignored
 * from then on.  TILEC_SAMPLES=cycles, cpu-clock or timer in the environment is the
 * tilec_line.clock to have.
 *
 * What is done between a pause (paused: 1) and its end (0), by any thread, is left out; neither
 * does anything when there is nothing to pause or end.
 *
 * device: NULL, "cpu", "interp" or "cuda"; others are refused with TILEC_BAD_ARGUMENT.  on_line:
 * NULL drops the samples; `user` is passed on.
 *
 * TILEC_FAILED: samples are being taken already, or cannot be so.  To stop what was not started
 * tells nothing.
 */
tilec_status tilec_profile_start(tilec_context *ctx, const char *device, char **error);
tilec_status tilec_profile_pause(tilec_context *ctx, const char *device, int paused, char **error);
tilec_status tilec_profile_stop(tilec_context *ctx, const char *device,
                                void (*on_line)(void *user, const tilec_line *line), void *user,
                                char **error);

/* Say what each line would do in such a launch, in the order of files and lines; nothing where
 * tilec_stats.flops is not known.  TILEC_BAD_ARGUMENT where on_line is NULL; else as
 * tilec_launch_stats(). */
tilec_status tilec_launch_lines(tilec_file *file, const char *kernel, const int32_t grid[3],
                                const tilec_arg *args, int nargs,
                                const tilec_launch_options *options,
                                void (*on_line)(void *user, const tilec_line *line), void *user,
                                char **error);

/*
 * Show a stage of the compiler as text, to be freed with tilec_free().
 *
 * stage: one of tilec_stage_name():
 *     "ast" the syntax tree (arguments are not looked at), "ir" the tile IR as lowered, "vars" what
 *     names mean in it at each line, "opt" the IR after the passes; from the code generator
 *     "plan" the loop nests of a CPU, "schedule" what each of them computes, in order, "layout" how
 *     tiles lie on the lanes of a GPU, "llvm" its IR, "asm" a CPU's machine code, "ptx" what a
 *     GPU's driver is given, "sass" the machine code for that.  The last four say which line of the
 *     source an instruction comes from.  "asm:7" and "asm:7-9" are what is of these lines of the
 *     kernel's file alone, or of calls in them; so are those of "ir", "opt", "ptx" and "sass".
 *     "ir:places" has behind each op where it comes from, from the innermost call outwards,
 *     `# k.py:7 @[ k.py:16 ]`; so have "opt", "plan" and "layout".
 *
 * args: as for tilec_launch(), or TILEC_ARG_TYPE where there is no value.  A pointer so given is
 *     taken to be 16-byte aligned and apart from all others, an integer to be any but 1.  Tensors
 *     may be in any memory.
 *
 * options: from "opt" on, what is shown is made for the device; for "interp", which runs "ir", the
 *     CPU's is shown.  Where `device` is NULL it is the first whose code has the stage.
 *
 * Fails as tilec_launch() does for the kernel and its arguments; with TILEC_BAD_ARGUMENT for NULLs
 * and a stage that does not exist, or not for the device; TILEC_REFUSED where nothing is of the
 * lines; TILEC_FAILED from "plan" on when the code
 * generator is missing or refuses.  Without one "opt" shows what targets get that have no math
 * functions.
 */
tilec_status tilec_dump(tilec_file *file, const char *kernel, const char *stage,
                        const tilec_arg *args, int nargs, const tilec_launch_options *options,
                        char **text, char **error);

/* What a derived kernel does with an array of gradients. */
typedef enum {
    TILEC_GRADIENT_READ,   /* that of what is differentiated */
    TILEC_GRADIENT_STORED, /* the elements that the forward reads are stored, others left alone: of
                            * what is differentiated by itself they are to be those of its gradient
                            */
    TILEC_GRADIENT_PARTS,  /* programs store parts, and a sum fills it: see `sums` */
    TILEC_GRADIENT_ADDED   /* it is added to what is there: zero it before */
} tilec_gradient_fill;
typedef struct {
    const char *array,
        *gradient; /* a parameter of the forward; that of the derived kernel for it */
    tilec_gradient_fill fill;
    const char *stored; /* how many elements are stored, from the pointer on: such an expression as
                         * tilec_workspace has; an array of no more, one behind the other, may hold
                         * anything before. NULL: that is not known */
} tilec_gradient;

/* A parameter of a derived kernel for which the launch allocates memory.  `count`, of elements, is
 * an expression of Python's over the kernel's parameters and `grid`, whose extents are grid[0] to
 * grid[2]. */
typedef struct {
    const char *name, *count;
    tilec_dtype dtype;
    int is_zero; /* not 0: before the launch */
} tilec_workspace;
/* Behind the launch: KERNEL_sum(total, parts, rows, width, ROWS=16, BLOCK=128), cdiv(width, 128)
 * programs, with such expressions for `rows` and `width`. */
typedef struct {
    const char *total, *parts, *rows, *width;
} tilec_partial_sum;
/* A parameter that says how many elements of `array` there are, from its pointer on; NULL: how many
 * rounds a loop has at most in any program, which the caller must know. */
typedef struct {
    const char *name, *array;
} tilec_gradient_size;

/* An expression that must be true of a call, of Python's as above, as `n <= x_stride`.  Else the
 * gradient of `array` is wrong, as elements overlap or windows end elsewhere: derive with
 * `atomics` of it. Of the array that is differentiated elements are stored twice, and nothing
 * helps. */
typedef struct {
    const char *array, *text;
} tilec_gradient_need;

/* A parameter that says how many programs the forward has, by such an expression. */
typedef struct {
    const char *name, *text;
} tilec_gradient_programs;

/* A derived kernel; tilec_free() frees it as a whole. */
typedef struct {
    const char *text;                /* a Python file */
    const char *kernel;              /* the kernel in it */
    const tilec_gradient *gradients; /* of `of`, then of `wrt` in their order */
    const tilec_workspace *workspaces;
    const tilec_partial_sum *sums;
    const tilec_gradient_size *sizes;
    const tilec_gradient_need *needs;
    int ngradients, nworkspaces, nsums, nsizes, nneeds;
    const char *accesses; /* for people: who adds to which gradient, and how, a line each */
    const char *grid[3];  /* that it is launched with: such expressions, where a program does the
                           * work of several of the forward's, else grid[0] to grid[2] */
    const tilec_gradient_programs *programs;
    int nprograms;
    const char *const *saved; /* arrays that are to be as the forward left them */
    int nsaved;
} tilec_derived;

/*
 * The kernel of a kernel's gradients (docs/gradients.md), for tilec_free().
 *
 * of: the array, a parameter, that is differentiated.
 * wrt: nwrt arrays that it is differentiated by.  The derived kernel has the parameters of this one
 *     and, behind those that are no constants, d_NAME for `of` and for each of these.
 *
 * args, options: as for tilec_dump().  What is derived holds for these types and constants.
 *
 * Fails as tilec_dump() does; with TILEC_REFUSED, and the line, for what cannot be differentiated.
 */
tilec_status tilec_derive(tilec_file *file, const char *kernel, const char *of,
                          const char *const *wrt, int nwrt, const tilec_arg *args, int nargs,
                          const tilec_launch_options *options, tilec_derived **derived,
                          char **error);

/*
 * A launch as one Python file that needs no other: the kernel, the functions, classes and globals
 * that it uses of whatever files, its arguments, and the call.  `tilec run FILE` makes that launch,
 * and so does `python FILE` with Triton and PyTorch.  Gives its text, for tilec_free().
 *
 * args: as for tilec_launch(); arrays are in the host's memory.  Those of up to 32 KiB are there as
 *     they are; of larger ones the file says how they are made where that can be seen, and else has
 *     random numbers of their statistics, which a comment tells.
 * options: the hints num_warps and num_stages go into the file.
 *
 * Fails as tilec_dump() does; with TILEC_REFUSED for arguments that no text stands for.
 */
tilec_status tilec_reproduce(tilec_file *file, const char *kernel, const int32_t grid[3],
                             const tilec_arg *args, int nargs, const tilec_launch_options *options,
                             char **text, char **error);

/* A kernel with one set of types and constants, as a function for tilec_build(). */
typedef struct {
    const char *symbol; /* its name: an identifier of C's */
    const tilec_arg
        *args; /* as for tilec_dump(): TILEC_ARG_TYPE is given at run time, what is to be
                * compiled in is a TILEC_ARG_CONSTEXPR where the parameter is not one */
    int nargs;
} tilec_build_form;

typedef struct {
    const tilec_build_form *forms; /* `nforms` */
    int nforms;
    const char *level_symbol;  /* the name of `int LEVEL(void)`: which of `levels` is used; -1: the
                                * environment's TILEC_CPU names none that there is code for, and
                                * the forms give TILEC_NOT_FOUND */
    const char *const *levels; /* `nlevels` sets of CPUs that there is code for, each of which
                                * includes the ones in front of it: "x86-64", "x86-64-v2" to
                                * "x86-64-v4".  The first is not asked for: the program needs it */
    int nlevels;
    int disjoint;              /* not 0: no call will be given two arrays that overlap */
    int num_warps, num_stages; /* as in tilec_launch_options, and so are these: */
    void (*on_message)(void *user, const char *text);
    void *user;
    int exported; /* not 0: the functions, or variables, are visible outside of a shared library
                   * that the object is linked into; else they are hidden */
    const char *device; /* NULL: "cpu".  "cuda": `levels` is one, the chip, as "sm_90a"; there is no
                         * function LEVEL, whose name may be NULL, and a form is the variable that
                         * docs/aot.md describes */
} tilec_build_options;

/* What it gives. */
typedef struct {
    void *data; /* an object for linkers, for tilec_free() */
    size_t size;
    uint64_t written; /* bit i: what parameter i points to may be written, by some form; 63 stands
                       * for all from there on */
    int may_fault;    /* not 0: a kernel has assertions */
} tilec_object;

/*
 * Compile a kernel ahead of time: give an object that a program links, in place of this library.
 * Of each form it has
 *
 *     int SYMBOL(const void *args, const int32_t grid[3], int64_t first, int64_t last);
 *
 * which runs the programs first .. last-1 of the grid, on the calling thread, with code for the
 * highest level of the CPU that it runs on; docs/aot.md says what `args` points to, what it returns
 * and what the object calls.  What programs print goes nowhere; for GPUs a kernel that prints or
 * asserts is refused.
 *
 * Fails as tilec_launch() does for the kernel and its arguments, with TILEC_NOT_FOUND for a level
 * that this architecture does not have; TILEC_BAD_ARGUMENT for NULLs, no forms, no levels, levels
 * out of order, names that are no identifiers or are there twice; TILEC_FAILED when the code
 * generator is missing or refuses.
 */
tilec_status tilec_build(tilec_file *file, const char *kernel, const tilec_build_options *options,
                         tilec_object *out, char **error);

/*
 * Give the header of what tilec_build() makes, in C99 and C++17: functions with the kernel's
 * parameters, which check their arguments, choose a form, and call it.  docs/aot.md says what it
 * declares.  Needs no code generator, and compiles nothing.
 *
 * What calls give follows from the forms.  A parameter that they have as TILEC_ARG_TYPE is one of
 * the function; what all of them compile in with one value, or leave out, is none.  Where whole
 * numbers are compiled in with several values, or by some forms alone, calls say which: a form with
 * such a number is for calls with that number.  Of the forms that fit a call, by these numbers and
 * by what divides addresses and integers, the first one is taken; a call that fits none is refused.
 *
 * kernel, options: as tilec_build() got them
 * object: what it gave, which says what may be written and fail; NULL: all that is possible, as for
 *     a look at whether the rest is right
 * function: its name; those of others in the header begin with it and a `_`.  NULL: the kernel's
 * grid: how many programs, as an expression of Python's over whole numbers, or a tuple of up to
 *     three: "cdiv(n, BLOCK)".  NULL: calls say it
 * text: becomes the header, for tilec_free()
 *
 * Fails as tilec_build() does for options; with TILEC_BAD_ARGUMENT too for a name that C or its
 * library has taken, a grid that is no such expression, values of numbers that are not compiled in
 * and have no type, forms that differ in anything else than whole numbers and what divides them.
 */
tilec_status tilec_build_header(tilec_file *file, const char *kernel,
                                const tilec_build_options *options, const tilec_object *object,
                                const char *function, const char *grid, char **text, char **error);

/* The stages of tilec_dump(), in the order in which a kernel passes them; NULL for an index out of
 * range. */
const char *tilec_stage_name(int i);

/* The devices that this build knows, whether they can be used here or not.  The count is 0 for a
 * NULL context; tilec_device_info() gives TILEC_NOT_FOUND for an index out of range,
 * TILEC_BAD_ARGUMENT for NULLs. */
int tilec_device_count(const tilec_context *ctx);
tilec_status tilec_device_info(const tilec_context *ctx, int i, tilec_device *out);

/*
 * Arrays of devices with memory of their own.  `device` names the device as in
 * tilec_launch_options, `device_id` says which one of that name, from 0.
 *
 * Work for such a device is queued, on the stream that is given or on its default one, and calls
 * return before it is done; work of one stream is done in order.  Where a call waits it says so.
 * Errors of what was queued, such as an access where no memory is, come later: from tilec_wait(),
 * or from any other call that reaches the device in the meantime.  What memory such a kernel wrote
 * to is then unknown, and the device may refuse everything until the process ends.
 *
 * These calls fail with TILEC_NOT_FOUND for a device or a number that there is not;
 * TILEC_BAD_ARGUMENT for NULLs, for a device that works on the host's memory (where the C library
 * has all of this), and for a stream where there are none; TILEC_NO_MEMORY; TILEC_FAILED when the
 * device is not available or refuses.
 */

/* How many there are of a name: 1 for a device on the host's memory; 0 where the machine has none,
 * or no device is called that, or ctx is NULL. */
int tilec_unit_count(const tilec_context *ctx, const char *device);
/* TILEC_NOT_FOUND when there is no such one. */
tilec_status tilec_unit_info(const tilec_context *ctx, const char *device, int device_id,
                             tilec_unit *out);

/* Memory of a device, aligned to at least 256 bytes; what is in it is unknown.  0 bytes give an
 * address that must be released too. */
tilec_status tilec_alloc(tilec_context *ctx, const char *device, int device_id, size_t bytes,
                         void **out, char **error);
/* Give it back, after everything that was queued for it: waits for the device.  NULL is allowed. */
tilec_status tilec_release(tilec_context *ctx, const char *device, int device_id, void *data,
                           char **error);

/* One end of a copy: an address of the host's memory, or of that of one of the devices. */
typedef struct {
    void *data;
    tilec_memory memory;
    int device_id; /* of TILEC_MEMORY_DEVICE */
} tilec_place;
/*
 * Copy between places that do not overlap, of which the host's memory is at most one.  The stream
 * is one of the device that is copied to, or from if to the host.  Where it is NULL and the host's
 * memory takes part the copy is done when the call returns, and so is all that was queued on the
 * default stream before; on a stream that is given the host's memory must stay as it is until that
 * was waited for.
 */
tilec_status tilec_copy(tilec_context *ctx, const char *device, tilec_place to, tilec_place from,
                        size_t bytes, void *stream, char **error);
/* Fill with `count` times the element of `size` bytes, 1, 2, 4 or 8, that `value` points to. */
tilec_status tilec_fill(tilec_context *ctx, const char *device, int device_id, void *data,
                        const void *value, size_t size, size_t count, void *stream, char **error);

/* Wait for all that was queued on a stream.  On a device on the host's memory there is nothing to
 * wait for. */
tilec_status tilec_wait(tilec_context *ctx, const char *device, int device_id, void *stream,
                        char **error);

const char *tilec_version(void);               /* of the library: "0.1.0"; static */
const char *tilec_status_text(tilec_status s); /* static, a few words */
size_t tilec_dtype_size(tilec_dtype t);        /* bytes of one element; 0 for a wrong value */
const char *tilec_dtype_name(tilec_dtype t);   /* "fp32"; NULL for a wrong value */
void tilec_free(void *p);                      /* texts given by this library; NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
