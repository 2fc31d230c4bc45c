/*
 * device.h - what a device is
 *
 * A device is one row of the table below and a folder src/device_NAME, which defines NAME_device:
 * what it is called, how its code is made and loaded, and how a kernel is launched on it.  Nothing
 * else in the project asks which device it has before it; docs/porting.md says how to add one.
 *
 * Devices return status codes; they never print, exit or jump to their caller.
 */
#ifndef TILEC_DEVICE_H
#define TILEC_DEVICE_H

#include "../run/record.h"
#include "../run/run.h"

/* The first is the default.  A device is listed to users unless it is `internal`. */
#define DEVICES(ROW) ROW(cpu) ROW(interp) ROW(cuda) ROW(sim) ROW(null)

/* Whose memory a device works on; tilec_memory in tilec.h. */
typedef enum { MEMORY_HOST, MEMORY_DEVICE } MemoryKind;

/* One of the devices of a kind, where a machine may have several: number `id` of count(). */
typedef struct {
    const char *name; /* for people; all texts are static */
    const char *arch; /* what its code is made for: LaunchFacts.arch; NULL: there is no choice */
    uint64_t memory;  /* bytes */
    int processors;   /* that run programs at the same time */
} DeviceUnit;

typedef struct {
    void *to;
    const void *from;
    size_t bytes; /* not 0 */
    MemoryKind to_memory, from_memory;
    int to_id, from_id; /* of MEMORY_DEVICE */
    void *stream;
} DeviceCopy;

typedef struct {
    int id;
    void *data;
    uint64_t value; /* its low `size` bytes, again and again */
    int size;       /* 1, 2, 4 or 8 */
    size_t count;   /* not 0 */
    void *stream;
} DeviceFill;

/* Where a thread was, and what of its work that stands for; the texts end with the call. */
typedef struct {
    const char *file; /* NULL: in code of no line */
    int line;
    const char *clock;                   /* what samples are even steps of; see tilec_line */
    uint64_t steps;                      /* how many of them */
    double cycles, instructions, misses; /* 0: of those nothing is known */
} DeviceSample;

/*
 * What a device with memory of its own can do beside launching; `state` as in Device.  When one
 * fails *error is a whole diagnostic for free(), or NULL where run_status_text() says enough.  What
 * has a stream is queued there and may end after the call, but where the stream is NULL and the
 * host's memory is one end of a copy; errors of what was queued may come from any later call.
 */
typedef struct {
    int (*count)(void);                     /* how many there are; ids are below; 0: `missing` */
    bool (*unit)(int id, DeviceUnit *unit); /* -1: of a launch that has no tensors */
    RunStatus (*alloc)(void *state, int id, size_t bytes, void **data, char **error);
    RunStatus (*release)(void *state, int id, void *data, char **error);
    RunStatus (*copy)(void *state, const DeviceCopy *copy, char **error);
    RunStatus (*fill)(void *state, const DeviceFill *fill, char **error);
    RunStatus (*wait)(void *state, int id, void *stream, char **error);
} DeviceArrays;

/* What code may depend on that a launch says: about the memory of its tensors, and about the chip.
 */
typedef struct {
    bool disjoint;     /* no two pointer arguments reach the same memory, or neither is written */
    double bytes;      /* of all tensors together */
    bool few_programs; /* as in GenOptions */
    const char *arch;  /* of a device that `has_archs`; NULL: the one that is here */
    bool lines, debug, spans; /* what is wanted of GenOptions, where there is such a thing */
    int64_t programs;         /* of the launch; 0: nobody knows */
    int threads;              /* that it may have; 0: all */
} LaunchFacts;

/* What becomes code that can be launched. */
typedef struct {
    const GenOutput *output; /* of the device's target */
    const Func *func; /* the kernel as it was lowered, in memory that outlives the code; NULL: only
                       * its code is known, as it must not be on a device without target */
} DeviceObject;

/* What loaded code takes of the machine; all of it for one program, but for registers and local. */
typedef struct {
    int warps;
    int registers; /* of a thread */
    int shared;    /* bytes that the threads of a program share */
    int local;     /* bytes of memory that a thread has for what its registers do not hold */
} CodeFacts;

/* Bytes that the programs of a launch may reach, those of an element, and whether nothing was
 * written there yet. */
typedef struct {
    uint64_t address, bytes;
    uint32_t unit;
    bool blank;
} MemoryRange;

/* Elements of a range, from number `first` on: `is_cut`: the mask leaves out other lanes. */
typedef struct {
    int64_t first, lanes;
    bool is_cut;
} ElementRun;

typedef struct {
    const uint64_t *args; /* one slot a parameter: a pointer, or the value's bits zero-extended */
    int nargs;
    int32_t grid[3];
    int threads;         /* at most; 0: as many as the device has */
    int id;              /* which one: where its tensors are; -1: it has none, or the host's */
    void *stream;        /* NULL: the default, and for all that do not have any */
    double *seconds;     /* NULL; or, of devices with arrays: wait, and say how long it ran */
    RecordPort *records; /* where programs say something: also the value of the kernel's hidden
                          * parameter for that; NULL when it has none */
    int records_arg;     /* which one of args that is; -1: none */
    RecordRoom room;     /* of devices whose programs write into a buffer: what it holds */
    const void *async;  /* of devices that `hear`: not NULL: nobody waits for what it asserts, which
                         * they tell by this name; there are no `records` then */
    SourceMap *sources; /* of the kernel's places, for diagnostics */
    Watch *watch;   /* NULL, or is told of the programs, by devices on the host's memory, which give
                     * RUN_CANCELLED when it says so and some have not run */
    Stints *stints; /* NULL, or where devices may note what ran when */
    bool spans, clocks;        /* the code was made with these of GenOptions */
    const MemoryRange *ranges; /* of devices that want them: the tensors */
    int nranges;               /* -1: not known */
    /* Of devices that want them: an address in range `i`, "x[3]"; one outside of it, which is the
     * nearest: "x[1000] is outside of its 1000 elements".  In the arena. */
    const char *(*describe)(void *user, Arena *a, int i, uint64_t address, bool outside);
    void *describe_user;
    bool roams; /* the kernel may follow addresses that it loads, or gets as numbers */
    bool waits; /* programs may wait for others: they are to run beside each other where they can */
    bool atomics; /* the kernel has some */
    bool races;   /* of devices that can: look for races between programs, too */
    /* Of "interp": who watches, and then only these of the grid run; NULL: nobody, and all. */
    const struct InterpObserver *observer;
    int64_t first, last;
    /* Of such, behind a launch that went well: nobody has changed range `i`, and read[k] is whether
     * element k of it was loaded, as some were and some not. */
    void (*on_part)(void *user, int i, const unsigned char *read);
    /* .. and while it runs: an access takes elements of range `i` one behind the other. */
    void (*on_run)(void *user, int i, Span span, const ElementRun *run);
    void *part_user; /* of both */
    /* NULL; or, of devices that count: what receives the lines, behind the end of the launch */
    void (*on_count)(void *user, const LineCount *count);
    void *count_user;
    /* NULL; or, of devices that `has_counters`: what receives what the chip counted, by its names,
     * behind the end of the launch */
    void (*on_counter)(void *user, const char *name, double value);
    void *counter_user;
} DeviceLaunch;

/* Who hears of launches with DeviceLaunch.async; the calls come in pairs. */
typedef struct {
    void *user;
    RecordPort *(*begin)(void *user, const void *async); /* NULL: memory is out */
    void (*end)(void *user);
} DeviceHear;

/* Bytes of workspace that a launch brings for all programs of its grid; 0: none; -1: more than can
 * be said. */
static inline int64_t device_workspace_bytes(const GenRecipe *r, const int32_t grid[3])
{
    int64_t bytes = r->workspace;

    for (int d = 0; d < 3; d++) {
        if (__builtin_mul_overflow(bytes, (int64_t)grid[d], &bytes))
            return -1;
    }
    return bytes;
}

/* The tensor map that a launch with these arguments makes.  NULL; else why no chip takes
 * it: static text. */
const char *device_tensor_map(const GenMap *m, const uint64_t *args, TensorMap *out);
/* Do these arguments give all maps of the recipe? */
bool device_maps_fit(const GenRecipe *r, const uint64_t *args);

/*
 * `state` is what open() gave for this context, or NULL; `code` what load() gave.  Every function
 * may be called by several threads at once.  Where one may be NULL, that stands for doing nothing.
 */
typedef struct {
    const char *name;        /* for tilec_launch_options.device */
    bool internal;           /* for tests: found by its name, but not listed */
    const char *target_name; /* what makes its code; NULL: it runs IR as lowered and legalised */
    const Target *target;    /* that target; NULL: the plugin has it */
    bool schedules;          /* it follows wishes for warps and stages; else they are dropped */

    bool has_archs; /* its code may be for another chip than the one that is here */
    /* Why it has no code for that chip, or, if it `runs`, cannot run it here; NULL: it may be so.
     * Static text.  May be NULL: the target knows. */
    const char *(*refuse_arch)(const char *arch, bool runs);
    /* Those that one object may have code for together, each of which includes the one in front of
     * it; NULL behind the last.  May be NULL: there are none. */
    const GenLevel *(*level)(int i);

    bool checks;       /* every launch on it looks at all accesses, asked for or not */
    bool finds_races;  /* it looks at DeviceLaunch.races */
    bool counts;       /* it counts what the lines of the source do */
    bool has_counters; /* of the chip, for launches that ask */
    bool wants_ranges; /* it looks at DeviceLaunch.ranges */
    int most_y_and_z;  /* programs along y, and along z, that a grid may have; 0: any number */

    MemoryKind memory; /* tensors elsewhere are refused */
    bool has_streams;
    const DeviceArrays *arrays; /* of MEMORY_DEVICE; NULL: it works on the host's */

    const char *(*describe)(void); /* for people; static text */
    /* What this machine lacks for launching on it, for people; NULL: nothing.  May be NULL.  Its
     * code can be made and looked at all the same. */
    const char *(*missing)(void);
    int (*threads)(void); /* that a launch may use */

    /* What a context keeps for this device: threads, a connection to a driver.  Made with the first
     * launch, on one thread; NULL, when memory is out, is passed on to launch().  May be NULL. */
    void *(*open)(void);
    void (*close)(void *state);

    /* All that the code depends on beside the IR, for launches like this one.  Called at every
     * launch, so it must be quick.  May be NULL, for a device without target: nothing. */
    GenOptions (*options)(const LaunchFacts *facts);

    /* Code is about to be made that will be assembled: begin what takes its time.  What it gives,
     * NULL for nothing, is for assemble(), or for abandon() when no code comes.  May be NULL. */
    void *(*expect)(const GenOptions *o);
    void (*abandon)(void *begun);
    /* Make of the target's output what is kept in the cache and loaded.  `begun` is what expect()
     * gave, or NULL, and ends here.  `out` begins as a copy of `in`, new data is in the arena,
     * whose guard is not taken; errors as from launch().  *wish begins as o->budget; another one:
     * code with that may be better, and if then *wish says again what it was made with, it is.
     * Works as far as it can where the machine lacks the device.  May be NULL. */
    RunStatus (*assemble)(void *state, void *begun, const GenOutput *in, const GenOptions *o,
                          Arena *a, GenOutput *out, GenBudget *wish, char **error);
    const char *(*assembler)(void); /* its kind and version, for the cache's key; static text */
    /* Texts of what assemble() made: GEN_HAS(SASS), and the function that gives it, in the arena.
     */
    unsigned texts;
    RunStatus (*show)(const GenOutput *object, Arena *a, const char **text, char **error);

    /* RUN_BAD_OBJECT: the object is damaged, and *why is static text. */
    RunStatus (*load)(const DeviceObject *object, void **code, const char **why);
    void (*unload)(void *code); /* never NULL, of a kernel that no longer runs; may be NULL */

    /* Look where the threads of this process are in code that has lines, from the one call to the
     * other, which tells of samples.  NULL: it cannot. */
    RunStatus (*profile_start)(const char **why); /* RUN_FAILED, and *why is static text */
    void (*profile_pause)(bool paused);           /* what threads do meanwhile is not looked at */
    void (*profile_stop)(void (*on_sample)(void *ctx, const DeviceSample *sample), void *ctx);

    /* What the code takes on number `id`; may be NULL. */
    RunStatus (*facts)(void *state, void *code, int id, CodeFacts *out, char **error);

    /* Run the programs of the grid, of which there are some.  Waits for their end unless it has
     * arrays, and then too when there are records.  When it fails *error is a whole diagnostic for
     * free(), or NULL where run_status_text() says enough. */
    RunStatus (*launch)(void *state, void *code, const DeviceLaunch *launch, char **error);
    /* Tell what launches with DeviceLaunch.async, which have ended or are waited for, have found
     * wrong since the last time.  Costs next to nothing where that is nothing.  May be NULL: it
     * waits for every launch that asserts. */
    RunStatus (*hear)(void *state, bool waits, const DeviceHear *hear, char **error);
} Device;

#define DECLARE_DEVICE(name) extern const Device name##_device;
DEVICES(DECLARE_DEVICE)
#undef DECLARE_DEVICE

#define COUNT_DEVICE(name) +1
enum { DEVICE_COUNT = 0 DEVICES(COUNT_DEVICE) };
#undef COUNT_DEVICE

/* device.c: the rows by number, the listed ones first; NULL behind the last */
const Device *device_at(int i);
int device_listed(void);                     /* how many are listed */
const char *device_missing(const Device *d); /* NULL: nothing; else for people, static text */
int device_find(const char *name);           /* its number; NULL: the default; -1: there is none */
/* What code for device number `id` is made for; NULL: there is no such, or no choice. */
const char *device_arch(const Device *d, int id);

#endif
