/*
 * assemble.c - from PTX to the code of one chip
 *
 * The program `ptxas` goes first where there is one that makes code which the driver takes: as a
 * process it needs a tenth of the time in which the driver has loaded its own assembler.  What it
 * refuses, being older than the PTX perhaps, goes to the driver, whose word is the last.  Where
 * there is neither, or PTX for another chip than those that are here is to be run, it stays what it
 * is, and the driver assembles it when it loads it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_cuda.h"

enum { LOG_BYTES = 16 << 10 };

/* What was said about PTX or code, as a diagnostic. */
static RunStatus refuse_assembly(char **error, const char *who, const char *what, const char *log)
{
    size_t n = strlen(log);

    while (n > 0 && log[n - 1] == '\n')
        n--;
    if (asprintf(error, "error: %s refuses the %s that was made\nnote: %.*s\n", who, what,
                 (int)MIN(n, LOG_BYTES), log) < 0)
        *error = NULL;
    return RUN_FAILED;
}

/* A GPU of the kind that code is made for; -1: there is none here. */
static int unit_of(const char *arch)
{
    for (int i = 0; i < cuda_count(); i++) {
        if (strcmp(cuda_unit(i)->arch, arch) == 0)
            return i;
    }
    return -1;
}

/* Code for an older chip than those here stays PTX, of which their driver makes what it can. */
static bool stays_ptx(const GenOptions *o)
{
    return unit_of(o->cpu) < 0 && cuda_count() > 0 && !o->shown;
}

/* --- ptxas --- */

/* Programs that were started while the PTX is made: half of the time that ptxas takes for a small
 * kernel it spends on itself. */
typedef struct {
    bool asks, assembles; /* which of these run */
    OsProgram version, ptxas;
} Begun;

static const char *const ask_version[] = {"ptxas", "--version", NULL};
/* The first part of its version; 0: there is no such program; -1: nobody has asked.  One may come,
 * but not under a running process. */
static _Atomic int ptxas_known = -1;

typedef struct {
    char arch[64];
    const char *argv[9];
} PtxasCall;

static void set_ptxas_call(PtxasCall *c, const GenOptions *o)
{
    const char *const argv[] = {"ptxas",       "-arch",      c->arch, "-o",
                                "/dev/stdout", "/dev/stdin", "-v",    o->lines ? "-lineinfo" : NULL,
                                NULL};

    snprintf(c->arch, sizeof c->arch, "%s", o->cpu);
    memcpy(c->argv, argv, sizeof argv);
}

/* Code of a newer CUDA than the driver's runs only where the first part of the version agrees. */
static bool is_major_usable(int major)
{
    int driver = cuda_driver_major();

    return major > 0 && (driver == 0 || major <= driver);
}

void *cuda_expect(const GenOptions *o)
{
    int known = atomic_load_explicit(&ptxas_known, memory_order_relaxed);
    PtxasCall call;

    if ((known >= 0 && !is_major_usable(known)) || stays_ptx(o))
        return NULL;
    Begun *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    set_ptxas_call(&call, o);
    b->assembles = os_start(call.argv, &b->ptxas) == 0;
    b->asks = b->assembles && known < 0 && os_start(ask_version, &b->version) == 0;
    return b;
}

void cuda_abandon(void *begun)
{
    Begun *b = begun;

    if (b && b->asks)
        os_stop(&b->version);
    if (b && b->assembles)
        os_stop(&b->ptxas);
    free(b);
}

/* The version that a ptxas calls "release 13.0", its first part; 0: there is no such program. */
static int ptxas_major(Arena *a, Begun *b)
{
    int major = atomic_load_explicit(&ptxas_known, memory_order_relaxed);
    OsRun run;

    if (major >= 0)
        return major;
    int status = b && b->asks ? os_finish(&b->version, a, NULL, 0, &run)
                              : os_run(a, ask_version, NULL, 0, &run);
    if (b)
        b->asks = false;
    const char *release = status == 0 && run.code == 0 ? strstr(run.output, "release ") : NULL;
    major = release ? atoi(release + strlen("release ")) : 0;
    atomic_store_explicit(&ptxas_known, major, memory_order_relaxed);
    return major;
}

static RunStatus ask_ptxas(const GenOutput *ptx, const GenOptions *o, Begun *b, Arena *a,
                           OsRun *run, char **error)
{
    PtxasCall call;
    int status;

    set_ptxas_call(&call, o);
    if (b && b->assembles)
        status = os_finish(&b->ptxas, a, ptx->data, ptx->len, run);
    else
        status = os_run(a, call.argv, ptx->data, ptx->len, run);
    if (b)
        b->assembles = false;
    if (status == ENOMEM)
        return RUN_NO_MEMORY;
    if (status != 0 || run->code != 0 || run->noutput == 0)
        return refuse_assembly(error, "ptxas", "PTX", status ? strerror(status) : run->errors);
    return RUN_OK;
}

/* A copy of the PTX, to be changed; NULL: there is no memory for it. */
static char *copy_of(const GenOutput *ptx, Arena *a)
{
    char *copy = arena_try_alloc(a, ptx->len + 1);

    if (copy)
        memcpy(copy, ptx->data, ptx->len + 1);
    return copy;
}

/* What ptxas says of PTX like `ptx` with that text; what goes wrong here is none of the caller's
 * business. */
static PtxasReport ask_about(const GenOutput *ptx, char *text, const GenOptions *o, Arena *a,
                             OsRun *run)
{
    GenOutput other = *ptx;
    char *error = NULL;

    other.data = text;
    RunStatus status = ask_ptxas(&other, o, NULL, a, run, &error);
    free(error);
    return status == RUN_OK ? ptxas_report(run->errors) : (PtxasReport){0};
}

/* Where the PTX has told how many programs there shall be: may more of them be better? */
static GenBudget ask_alone(const GenOutput *ptx, const GenOptions *o, Arena *a)
{
    char *copy = copy_of(ptx, a);
    OsRun run;

    if (!copy)
        return o->budget;
    cuda_leave_alone(copy);
    PtxasReport report = ask_about(ptx, copy, o, a, &run);
    return report.registers > 0 ? cuda_more(ptx, &report) : o->budget;
}

/* Where they were too many: does one fewer leave registers enough?  *run is of that, then. */
static bool ask_for_fewer(const GenOutput *ptx, const GenOptions *o, Arena *a, OsRun *run)
{
    char *copy = ptx->told > 1 ? copy_of(ptx, a) : NULL;
    GenOutput fewer = *ptx;
    OsRun other;

    if (!copy)
        return false;
    cuda_tell_fewer(copy);
    fewer.told--;
    PtxasReport report = ask_about(ptx, copy, o, a, &other);
    if (report.registers == 0 || cuda_wish(&fewer, GEN_BUDGET_PLAN, &report) == GEN_BUDGET_NONE)
        return false;
    *run = other;
    return true;
}

static RunStatus run_ptxas(const GenOutput *ptx, const GenOptions *o, Begun *b, Arena *a,
                           GenOutput *out, GenBudget *wish, char **error)
{
    OsRun run;
    RunStatus status = ask_ptxas(ptx, o, b, a, &run, error);

    if (status != RUN_OK)
        return status;
    PtxasReport report = ptxas_report(run.errors);
    *wish = cuda_wish(ptx, o->budget, &report);
    if (*wish == GEN_BUDGET_NONE && o->budget != *wish && ask_for_fewer(ptx, o, a, &run))
        *wish = o->budget;
    else if (o->budget == GEN_BUDGET_PLAN && *wish == o->budget && ptx->told > 0)
        *wish = ask_alone(ptx, o, a);
    out->data = run.output;
    out->len = run.noutput;
    return RUN_OK;
}

/* --- the driver --- */

/* The log belongs to the state that it was made with. */
typedef struct {
    CuLink link;
    char log[LOG_BYTES];
} Linker;

static CuResult add_ptx(const CudaDriver *d, Linker *l, const GenOutput *ptx, bool lines)
{
    const int options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BYTES, CU_JIT_LINE_INFO};
    void *values[] = {l->log, (void *)(uintptr_t)sizeof l->log, (void *)(uintptr_t)lines};
    CuResult r = d->link_new(COUNT(options), options, values, &l->link);

    if (r != CU_SUCCESS)
        return r;
    return d->link_add(l->link, CU_JIT_INPUT_PTX, ptx->data, ptx->len + 1, "tilec", 0, NULL, NULL);
}

/* What the linker made belongs to it, and ends with it. */
static RunStatus take_image(const CudaDriver *d, CuLink link, Arena *a, GenOutput *out, CuResult *r)
{
    void *image;
    size_t len;

    *r = d->link_complete(link, &image, &len);
    if (*r != CU_SUCCESS)
        return RUN_FAILED;
    char *copy = arena_try_alloc(a, len);
    if (!copy)
        return RUN_NO_MEMORY;
    memcpy(copy, image, len);
    out->data = copy;
    out->len = len;
    return RUN_OK;
}

static RunStatus link_in(const CudaDriver *d, Linker *l, const GenOutput *ptx, bool lines, Arena *a,
                         GenOutput *out, char **error)
{
    CuResult r = add_ptx(d, l, ptx, lines);
    RunStatus status = r == CU_SUCCESS ? take_image(d, l->link, a, out, &r) : RUN_FAILED;

    if (l->link)
        d->link_free(l->link);
    if (status == RUN_FAILED && l->log[0])
        return refuse_assembly(error, "the driver's assembler", "PTX", l->log);
    return status == RUN_FAILED ? cuda_refuse(r, error, "assembling a kernel") : status;
}

static RunStatus run_driver(CudaState *state, int id, const GenOutput *ptx, bool lines, Arena *a,
                            GenOutput *out, char **error)
{
    Linker *l = arena_try_alloc(a, sizeof *l);
    CudaScope s;

    *error = NULL;
    if (!l)
        return RUN_NO_MEMORY;
    RunStatus status = cuda_enter(state, id, &s, error);
    if (status != RUN_OK)
        return status;
    status = link_in(s.driver, l, ptx, lines, a, out, error);
    cuda_leave(&s);
    return status;
}

RunStatus cuda_assemble(void *state, void *begun, const GenOutput *ptx, const GenOptions *o,
                        Arena *a, GenOutput *out, GenBudget *wish, char **error)
{
    RunStatus status = RUN_OK;
    int id = unit_of(o->cpu);
    bool tried = is_major_usable(ptxas_major(a, begun));

    *error = NULL;
    *out = *ptx;
    *wish = o->budget;
    if (tried && !stays_ptx(o))
        status = run_ptxas(ptx, o, begun, a, out, wish, error);
    cuda_abandon(begun);
    if (tried && status == RUN_FAILED && o->budget > 0) {
        free(*error); /* an attempt: there is code that asks for less */
        *error = NULL;
        *wish = GEN_BUDGET_PLAN;
        return RUN_OK;
    }
    if (id < 0 || (tried && status != RUN_FAILED))
        return status;
    free(*error);
    return run_driver(state, id, ptx, o->lines, a, out, error);
}

/* --- text --- */

/* What a disassembler makes of the code; nvdisasm also says which line an instruction is from, and
 * through which calls. */
static int disassemble(const GenOutput *object, Arena *a, OsRun *run)
{
    static const char *const nvdisasm[] = {"nvdisasm", "-c", "-gi", "/dev/stdin", NULL};
    static const char *const cuobjdump[] = {"cuobjdump", "-sass", "/dev/stdin", NULL};
    int status = os_run(a, nvdisasm, object->data, object->len, run);

    return status == ENOENT ? os_run(a, cuobjdump, object->data, object->len, run) : status;
}

static RunStatus lacks(char **error, const char *what)
{
    if (asprintf(error, "error: the stage `sass` needs %s of the CUDA toolkit, in PATH\n", what) <
        0)
        *error = NULL;
    return RUN_FAILED;
}

RunStatus cuda_show(const GenOutput *object, Arena *a, const char **text, char **error)
{
    static const char elf[] = {0x7f, 'E', 'L', 'F'};
    OsRun run;

    *error = NULL;
    if (object->len < sizeof elf || memcmp(object->data, elf, sizeof elf) != 0)
        return lacks(error, "ptxas");
    int status = disassemble(object, a, &run);
    if (status == ENOMEM)
        return RUN_NO_MEMORY;
    if (status != 0)
        return lacks(error, "nvdisasm or cuobjdump");
    if (run.code != 0)
        return refuse_assembly(error, "the disassembler", "code", run.errors);
    *text = run.output;
    return RUN_OK;
}
