/*
 * device_cuda.h - NVIDIA's GPUs: contexts, memory, modules, launches
 *
 * driver.h is what all of this stands on.  Every function below needs a driver that is there
 * (cuda_missing() gives NULL) unless it says otherwise, may be called from any thread, and leaves
 * the thread's current context as it found it.
 */
#ifndef TILEC_DEVICE_CUDA_H
#define TILEC_DEVICE_CUDA_H

#include <pthread.h>
#include <stdatomic.h>

#include "../base/ptxas.h"
#include "driver.h"

typedef struct CudaRecords CudaRecords;
typedef struct CudaAsync CudaAsync;
typedef struct CudaCode CudaCode;

/* What a tilec_context keeps: the primary contexts of the GPUs that it has used, and buffers for
 * what programs say that no launch is using. */
typedef struct {
    pthread_mutex_t lock;
    _Atomic(CuContext) primary[CUDA_UNITS]; /* NULL: not yet; set under the lock */
    CudaRecords *spare;                     /* under the lock */
    pthread_mutex_t async_lock;
    CudaAsync *asyncs;                 /* under that */
    _Atomic(volatile uint32_t *) told; /* not 0 there, in the host's memory: one of them failed */
} CudaState;

/* context.c */
void *cuda_open(void); /* works without a driver, as cuda_close() does; NULL when memory is out */
/* Let go of the primary contexts and free the state; no call may be at work with it. */
void cuda_close(void *state);
/*
 * A stretch of work in the context of one GPU: the one that is current when it is of that GPU, so
 * that a program which has made its own is served in it, else the primary one, which is made
 * current until cuda_leave().
 */
typedef struct {
    const CudaDriver *driver;
    CudaState *state;
    int id; /* of the GPU */
    CuContext context;
    bool pushed;
} CudaScope;
/* id -1: the GPU of the current context, else number 0.  When it fails there is nothing to leave,
 * and *error is the diagnostic. */
RunStatus cuda_enter(CudaState *state, int id, CudaScope *scope, char **error);
/* Behind a cuda_enter() that worked, on the same thread: the context that was current is again. */
void cuda_leave(CudaScope *scope);
/* The context that cuda_enter() would take, for copies that need two. */
RunStatus cuda_context(CudaState *state, int id, CuContext *context, char **error);
int cuda_current(void); /* the GPU of the current context, else 0 */

/* arrays.c */
extern const DeviceArrays cuda_arrays;

/* assemble.c: from PTX to the code of one chip; see the functions of Device, for which they stand.
 * Without a driver too, if there is a program `ptxas`. */
void *cuda_expect(const GenOptions *o);
void cuda_abandon(void *begun); /* NULL is allowed */

/* budget.c: no function of it needs a driver */

/* Which budget may make a better kernel than the one with this report, whose PTX asked for `asked`?
 * The same: this one is to be taken. */
GenBudget cuda_wish(const GenOutput *ptx, GenBudget asked, const PtxasReport *r);
/* The PTX names one program fewer. */
void cuda_tell_fewer(char *ptx);
/* The PTX no longer says how many programs shall fit. */
void cuda_leave_alone(char *ptx);
/* The budget that is worth an attempt where PTX with GenOutput.told has that report without it. */
GenBudget cuda_more(const GenOutput *ptx, const PtxasReport *alone);
RunStatus cuda_assemble(void *state, void *begun, const GenOutput *ptx, const GenOptions *o,
                        Arena *a, GenOutput *out, GenBudget *wish, char **error);
/* Device.show: the code of a chip as text. */
RunStatus cuda_show(const GenOutput *object, Arena *a, const char **text, char **error);

/* module.c: compiled kernels, which are loaded into each context that they are launched in. */
RunStatus cuda_load(const DeviceObject *object, void **code, const char **why); /* no driver */
/* Take it out of all contexts and free it; none of its launches may be under way, and contexts that
 * the program has destroyed meanwhile are passed over. */
void cuda_unload(void *code);
typedef struct {
    CuFunction function;
    unsigned threads, shared; /* of a program */
    const GenRecipe *recipe;  /* of the code */
} CudaKernel;
/* The kernel in the scope's context; also while work is captured into a graph. */
RunStatus cuda_kernel(CudaCode *code, const CudaScope *scope, CudaKernel *out, char **error);
/* Where launches of it that nobody waits for leave what they assert: cuda_async_open(), whose
 * buffer ends with the code. */
RunStatus cuda_async(CudaCode *code, const CudaScope *scope, const DeviceLaunch *l, CuAddress *at,
                     char **error);
/* Device.facts: what a program takes of GPU `id`, into which the kernel is loaded for that. */
RunStatus cuda_facts(void *state, void *code, int id, CodeFacts *out, char **error);

/*
 * records.c: what programs say, on a stream that is no capture.  Buffers are kept by the context,
 * and one launch uses one at a time, so launches of several threads and streams do not meet there.
 */
/* A buffer for the records of one launch, ready when the stream comes to what is queued next. */
RunStatus cuda_records_open(const CudaScope *s, CuStream stream, RecordRoom room, CudaRecords **out,
                            char **error);
CuAddress cuda_records_address(const CudaRecords *r); /* of its RecordBuffer, for the kernel */
/* Behind the launch, whose end it waits for: hand over what was said, and keep the buffer. */
RunStatus cuda_records_drain(const CudaScope *s, CuStream stream, CudaRecords *r, RecordPort *port,
                             char **error);
/* Instead of that, where the launch failed: free the buffer. */
void cuda_records_drop(const CudaScope *s, CudaRecords *r);
/* The same of one that is not given back: its port is asked for where something was said, and it is
 * made ready again. */
CuResult cuda_records_read(const CudaScope *s, CudaRecords *r, RecordRoom room,
                           const DeviceHear *hear, const void *speaker);
/* Free one in a context that the program may have destroyed; no scope is needed. */
void cuda_records_free(const CudaDriver *d, CudaRecords *r);

/*
 * async.c: what programs assert whose launches nobody waits for.  Their buffer stays with the code
 * in its context, where captured launches find it, too; who fails in it writes a word of the
 * host's.
 */
/* The buffer for the code in the scope's context.  The first time there nothing may be captured. */
RunStatus cuda_async_open(const CudaScope *s, const CudaCode *code, const DeviceLaunch *l,
                          CuAddress *at, char **error);
RunStatus cuda_async_hear(void *state, bool waits, const DeviceHear *hear, char **error);
/* The code ends; NULL: every one does. */
void cuda_async_close(CudaState *state, const CudaCode *code);

/* spans.c: memory of the launch's stream where programs note when they ran, and what they noted, to
 * l->stints, behind the launch, whose end is waited for */
CuResult cuda_spans_open(const CudaScope *s, const DeviceLaunch *l, CuAddress *out);
CuResult cuda_spans_tell(const CudaScope *s, const DeviceLaunch *l, CuAddress at);
/* Free the spare ones of a state that is about to end; no scope is needed. */
void cuda_records_close(CudaState *state);

/* clocks.c: Device.profile_start and its like; while it is on code that knows its lines is made
 * with GenOptions.clocks.  Memory of the launch's stream for that, and what the launch noted there,
 * which the profile gets, behind the launch, whose end is waited for. */
RunStatus cuda_profile_start(const char **why);
void cuda_profile_pause(bool paused); /* code that is launched meanwhile notes nothing */
/* Tells what was noted since the start, a line at a time. */
void cuda_profile_stop(void (*on_sample)(void *ctx, const DeviceSample *sample), void *ctx);
bool cuda_is_profiled(void); /* on, and not paused */
/* What an open failed to give is left 0; what it gave is the caller's to release. */
CuResult cuda_clocks_open(const CudaScope *s, const DeviceLaunch *l, CuAddress *out);
CuResult cuda_clocks_tell(const CudaScope *s, const DeviceLaunch *l, CuAddress at); /* may wait */

/* counters.c: a launch that is counted, whatever launch() launches, which may run several times;
 * refuses, before anything has run, where there is no CUPTI, or it is not allowed to count */
typedef struct {
    RunStatus (*launch)(void *ctx, char **error); /* one kernel, in the scope */
    void *ctx;
    void (*on_counter)(void *user, const char *name, double value);
    void *user;
} CudaCounted;
RunStatus cuda_count_launch(const CudaScope *s, const CudaCounted *what, char **error);

/* launch.c: Device.launch.  Returns when the work is in the stream, and behind its end where there
 * are records; refuses, before anything runs, more arguments than the driver can take. */
RunStatus cuda_launch(void *state, void *code, const DeviceLaunch *launch, char **error);
/* Is what the stream is given captured into a graph? */
bool cuda_is_captured(const CudaScope *s, CuStream stream);

#endif
