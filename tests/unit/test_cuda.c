/*
 * test_cuda.c - the device "cuda" without a GPU: its driver is fake_cuda.c
 *
 * What a machine lacks is tried in children, since a process opens its driver once.
 */
#include "scene.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../../src/run/record.h"
#include "fake_cuda.h"
#include "fake_cupti.h"

static Fake *fake;
static FakeContext *new_context;
static FakeCurrent *set_current;
static FakeEnd *end_context;
static FakeTop *current;

/* The fake library, whose path the build says; loaded before the device opens it. */
static void find_fake(void)
{
    const char *path = getenv("TILEC_FAKE_CUDA");
    void *lib = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

    assert_non_null(lib);
    fake = ((FakeState *)dlsym(lib, "fake_state"))();
    new_context = (FakeContext *)dlsym(lib, "fake_context");
    set_current = (FakeCurrent *)dlsym(lib, "fake_current");
    end_context = (FakeEnd *)dlsym(lib, "fake_end");
    current = (FakeTop *)dlsym(lib, "fake_top");
    setenv("TILEC_LIBCUDA", path, 1);
}

static const Device *cuda(void)
{
    return device_at(device_find("cuda"));
}

/* Whether the error has the text; it is freed. */
static void expect_text(char **error, const char *text)
{
    assert_non_null(*error);
    if (!strstr(*error, text))
        fail_msg("wanted: %s\ngot: %s", text, *error);
    free(*error);
    *error = NULL;
}

/* what a machine lacks */

typedef struct {
    const char *library; /* NULL: the fake one */
    const char *fail;
    int result, devices, version;
    const char *missing;
} Lack;

static int try_lack(const Lack *l)
{
    if (l->library)
        setenv("TILEC_LIBCUDA", l->library, 1);
    fake->fail = l->fail;
    fake->result = l->result;
    fake->devices = l->devices;
    fake->version = l->version;
    const char *missing = device_missing(cuda());
    if (missing && strstr(missing, l->missing) && cuda()->arrays->count() == 0)
        return 0;
    print_error("wanted: %s\ngot: %s\n", l->missing, missing ? missing : "nothing");
    return 1;
}

static void test_what_is_missing(void **state)
{
    static const Lack cases[] = {
        {"/nowhere/libcuda.so.1", NULL, 0, 1, 13000, "there is no NVIDIA driver: /nowhere/"},
        {"libm.so.6", NULL, 0, 1, 13000, "the NVIDIA driver is too old: it has no cuInit"},
        {NULL, NULL, 0, 1, 11080, "is for CUDA 11.8; 12.0 or a newer one is needed"},
        {NULL, NULL, 0, 0, 13000, "there is no NVIDIA GPU"},
        {NULL, "cuInit", 100, 0, 13000, "there is no NVIDIA GPU"},
        {NULL, "cuInit", 999, 1, 13000,
         "the NVIDIA driver fails in cuInit: CUDA_ERROR_FAKE: a fake error"},
        {NULL, "cuDeviceGetAttribute", 1, 1, 13000, "fails in cuDeviceGetAttribute"}};

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        pid_t child = fork();
        int status;

        if (child == 0)
            _exit(try_lack(&cases[i]));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

/* assembling, which looks for a program once a process */

typedef struct {
    const char *ptxas; /* a shell script of that name; NULL: there is none */
    const char *fail;  /* of the driver */
    const char *arch;
    bool broken;              /* the PTX, for the driver */
    bool lines;               /* are wanted */
    bool shown;               /* to be looked at: made for any chip */
    bool early;               /* it was expected */
    const char *made, *error; /* one of both: what came out begins so, or holds that */
    int warps, together;      /* of the program; of those that there should be */
    bool crowds;              /* one more is worth it */
    bool budgeted;            /* the PTX asks for registers */
    int told;                 /* and says for how many programs */
    GenBudget asked, wish;    /* what it was made with; what would be better */
} Assembly;

#define VERSION(n) "#!/bin/sh\n[ \"$1\" = --version ] && echo \"tools, release " n "\" && exit\n"

/* A script in a folder of its own, which is all that PATH has beside the system's. */
static void put_script(const char *folder, const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    chmod(path, 0700);
}

static const char *find_difference(const Assembly *c, RunStatus status, const GenOutput *out,
                                   const char *error)
{
    if (c->made && status != RUN_OK)
        return error ? error : "no error's text";
    if (c->made)
        return strncmp(out->data, c->made, strlen(c->made)) == 0 ? NULL : out->data;
    return error && strstr(error, c->error) ? NULL : error ? error : "no error";
}

static int try_assembly(const Assembly *c)
{
    char folder[] = "/tmp/tilec-test-XXXXXX", path[64], command[64];
    const GenOptions options = {
        .cpu = c->arch, .lines = c->lines, .shown = c->shown, .budget = c->asked};
    static const char text[] = "some ptx", told[] = "some ptx\n.minnctapersm 6\n{";
    const char *data = c->told ? told : text;
    GenOutput ptx = {.data = (char *)data, .len = strlen(data), .warps = c->warps ? c->warps : 4};
    GenOutput out;
    GenBudget wish;
    Arena *a = arena_new(NULL);
    char *error;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
    setenv("PATH", path, 1);
    if (c->ptxas)
        put_script(folder, "ptxas", c->ptxas);
    ptx.together = c->together;
    ptx.worth = 64;
    ptx.crowds = c->crowds;
    ptx.budgeted = c->budgeted;
    ptx.told = c->told;
    fake->fail = c->fail;
    fake->result = 999;
    fake->broken_ptx = c->broken ? "some" : NULL;
    void *keep = cuda()->open();
    if (c->early) /* and once no code came of it */
        cuda()->abandon(cuda()->expect(&options));
    void *begun = c->early ? cuda()->expect(&options) : NULL;
    RunStatus status = cuda()->assemble(keep, begun, &ptx, &options, a, &out, &wish, &error);
    const char *wrong = find_difference(c, status, &out, error);
    if (wrong)
        print_error("wanted: %s\ngot: %s\n", c->made ? c->made : c->error, wrong);
    bool clean = waitpid(-1, NULL, WNOHANG) == -1 && fake->links == 0 && !current() &&
                 wish == c->wish && (status != RUN_OK || out.warps == ptx.warps);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0 || wrong || !clean;
}

static void test_assembling(void **state)
{
    static const char good[] = VERSION("12.4") "echo \"ptxas $1 $2 $(cat)\"\n";
    static const char newer[] = VERSION("13.0") "echo newer\n";
    static const char refuses[] = VERSION("12.0") "echo 'line 9: too new' >&2\nexit 1\n";
    static const char tight[] = VERSION("12.4") "echo ' 12 bytes spill stores' >&2\ncat\n";
    static const char little[] = VERSION("12.4") "echo ' 8 bytes spill stores' >&2\ncat\n";
#define NEEDS(n, spills)                                                                           \
    VERSION("12.4")                                                                                \
    "echo 'Used " #n " registers, used 1 barriers, " #spills " bytes spill stores' >&2\ncat\n"
    static const char fits[] = NEEDS(64, 0), near[] = NEEDS(68, 0), wide[] = NEEDS(72, 0),
                      far[] = NEEDS(73, 0), slim[] = NEEDS(38, 0), third[] = NEEDS(168, 0),
                      broad[] = NEEDS(169, 0), less[] = NEEDS(64, 64), spills[] = NEEDS(64, 68),
                      half[] = NEEDS(64, 32);
#define NEEDS_ALONE(n, spills)                                                                     \
    VERSION("12.4")                                                                                \
    "ptx=$(cat)\ncase $ptx in\n*minnctapersm*) echo 'Used 80 registers' >&2 ;;\n"                  \
    "*) echo 'Used " #n " registers, " #spills " bytes spill stores' >&2 ;;\nesac\n"               \
    "echo \"$ptx\"\n"
    static const char modest[] = NEEDS_ALONE(72, 0), same[] = NEEDS_ALONE(73, 0),
                      thrifty[] = NEEDS_ALONE(40, 0), torn[] = NEEDS_ALONE(72, 4);
    static const char five[] = VERSION(
        "12.4") "ptx=$(cat)\ncase $ptx in\n"
                "*'minnctapersm 6'*) echo 'Used 80 registers, 32 bytes spill stores' >&2 ;;\n"
                "*) echo 'Used 96 registers, 8 bytes spill stores' >&2 ;;\nesac\n"
                "echo \"$ptx\"\n";
    static const char neither[] =
        VERSION("12.4") "echo 'Used 80 registers, 32 bytes spill stores' >&2\ncat\n";
    static const char tells[] = VERSION("12.4") "shift 4\necho \"$*\"\n";
    static const Assembly cases[] = {
        /* a budget stays, or goes where it spills */
        {good, NULL, "sm_90a", .budgeted = true, .made = "ptxas -arch sm_90a some ptx"},
        {little, NULL, "sm_90a", .budgeted = true, .made = "some ptx"},
        {tight, NULL, "sm_90a", .budgeted = true, .wish = GEN_BUDGET_NONE, .made = "some ptx"},
        {tight, NULL, "sm_90a", .early = true, .budgeted = true, .wish = GEN_BUDGET_NONE,
         .made = "some ptx"},
        {tight, NULL, "sm_90a", .asked = GEN_BUDGET_NONE, .wish = GEN_BUDGET_NONE,
         .made = "some ptx"},
        /* one fewer where it spills, if that does not */
        {five, NULL, "sm_90a", .budgeted = true, .told = 6, .made = "some ptx\n.minnctapersm 5\n{"},
        {neither, NULL, "sm_90a", .budgeted = true, .told = 6, .wish = GEN_BUDGET_NONE,
         .made = "some ptx\n.minnctapersm 6\n{"},
        /* two that do not fit by themselves, and what comes of it */
        {fits, NULL, "sm_90a", .warps = 16, .together = 2, .made = "some ptx"},
        {wide, NULL, "sm_90a", .warps = 16, .together = 2, .wish = 2, .made = "some ptx"},
        {wide, NULL, "sm_90a", .warps = 8, .together = 2, .made = "some ptx"},
        {wide, NULL, "sm_90a", .warps = 16, .made = "some ptx"},
        /* of five warps two share a quarter, where 65536 registers are enough for ten */
        {broad, NULL, "sm_90a", .warps = 5, .together = 2, .wish = 2, .made = "some ptx"},
        {third, NULL, "sm_90a", .warps = 5, .together = 2, .made = "some ptx"},
        {less, NULL, "sm_90a", .warps = 16, .together = 2, .asked = 2, .wish = 2,
         .made = "some ptx"},
        {spills, NULL, "sm_90a", .warps = 16, .together = 2, .asked = 2, .made = "some ptx"},
        {refuses, NULL, "sm_90a", .warps = 16, .together = 2, .asked = 2, .made = "some ptx"},
        /* three, for half of what may be spilled for two, or two */
        {third, NULL, "sm_90a", .warps = 5, .together = 3, .wish = 3, .made = "some ptx"},
        {half, NULL, "sm_90a", .warps = 5, .together = 3, .asked = 3, .wish = 3,
         .made = "some ptx"},
        {less, NULL, "sm_90a", .warps = 5, .together = 3, .asked = 3, .wish = 2,
         .made = "some ptx"},
        {less, NULL, "sm_90a", .warps = 5, .together = 3, .asked = 2, .wish = 2,
         .made = "some ptx"},
        {spills, NULL, "sm_90a", .warps = 5, .together = 3, .asked = 2, .made = "some ptx"},
        /* one more than fits by itself: for few registers, and where none is spilled */
        {near, NULL, "sm_90a", .warps = 8, .crowds = true, .wish = 4, .made = "some ptx"},
        {near, NULL, "sm_90a", .warps = 8, .made = "some ptx"},
        {wide, NULL, "sm_90a", .warps = 8, .crowds = true, .wish = 4, .made = "some ptx"},
        {far, NULL, "sm_90a", .warps = 8, .crowds = true, .made = "some ptx"},
        {slim, NULL, "sm_90a", .warps = 32, .crowds = true, .wish = 2, .made = "some ptx"},
        {slim, NULL, "sm_90a", .warps = 16, .crowds = true, .made = "some ptx"},
        {fits, NULL, "sm_90a", .warps = 8, .crowds = true, .made = "some ptx"},
        {fits, NULL, "sm_90a", .warps = 8, .crowds = true, .asked = 4, .wish = 4,
         .made = "some ptx"},
        {tight, NULL, "sm_90a", .warps = 8, .crowds = true, .asked = 4, .made = "some ptx"},
        /* told six, and left alone room for seven, six, twelve, or less than it needs */
        {modest, NULL, "sm_90a", .budgeted = true, .told = 5, .wish = 7, .made = "some ptx\n.minn"},
        {modest, NULL, "sm_90a", .budgeted = true, .told = 6, .made = "some ptx\n.minn"},
        {same, NULL, "sm_90a", .budgeted = true, .told = 6, .made = "some ptx\n.minn"},
        {thrifty, NULL, "sm_90a", .budgeted = true, .told = 6, .wish = 12,
         .made = "some ptx\n.minn"},
        {torn, NULL, "sm_90a", .budgeted = true, .told = 5, .made = "some ptx\n.minn"},
        {fits, NULL, "sm_90a", .budgeted = true, .told = 7, .asked = 7, .wish = 7,
         .made = "some ptx\n.minn"},
        {little, NULL, "sm_90a", .budgeted = true, .told = 7, .asked = 7,
         .made = "some ptx\n.minn"},
        {NULL, NULL, "sm_90a", .made = "cubin: some ptx"},
        {good, NULL, "sm_90a", .made = "ptxas -arch sm_90a some ptx"},
        {good, NULL, "sm_103", .shown = true, .made = "ptxas -arch sm_103 some ptx"},
        {tells, NULL, "sm_90a", .made = "/dev/stdin -v\n"},
        {tells, NULL, "sm_90a", .lines = true, .made = "/dev/stdin -v -lineinfo\n"},
        {good, NULL, "sm_70", .lines = true, .made = "some ptx"},
        {NULL, NULL, "sm_90a", .early = true, .made = "cubin: some ptx"},
        {good, NULL, "sm_90a", .early = true, .made = "ptxas -arch sm_90a some ptx"},
        {newer, NULL, "sm_90a", .early = true, .made = "cubin: some ptx"},
        {refuses, NULL, "sm_90a", .early = true, .made = "cubin: some ptx"},
        {good, NULL, "sm_70", .early = true, .made = "some ptx"},
        {newer, NULL, "sm_90a", .made = "cubin: some ptx"},
        {refuses, NULL, "sm_90a", .made = "cubin: some ptx"},
        {refuses, NULL, "sm_103", .shown = true,
         .error = "ptxas refuses the PTX that was made\n"
                  "note: line 9: too new"},
        {good, NULL, "sm_70", .made = "some ptx"}, /* the driver makes it fit what is here */
        {NULL, NULL, "sm_90a", .broken = true,
         .error = "the driver's assembler refuses the PTX that was made\n"
                  "note: line 1: the driver knows no such PTX\n"},
        {NULL, "cuLinkCreate_v2", "sm_90a", .error = "assembling a kernel: a fake error"},
        {NULL, "cuLinkComplete", "sm_80", .error = "assembling a kernel: a fake error"}};

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        pid_t child = fork();
        int status;

        if (child == 0)
            _exit(try_assembly(&cases[i]));
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0)
            fail_msg("case %d", i);
    }
}

/* The machine code as text comes from a program of the toolkit. */
/* For NVIDIA's profilers. */
static void test_lines_are_made_where_they_are_wanted(void **state)
{
    const LaunchFacts plain = {0}, wanted = {.lines = true};

    (void)state;
    assert_false(cuda()->options(&plain).lines);
    assert_true(cuda()->options(&wanted).lines);
}

static void test_disassembling(void **state)
{
    char folder[] = "/tmp/tilec-test-XXXXXX", path[64], command[64], *before, *error;
    const GenOutput code = {.data = "\177ELF code", .len = 9}, ptx = {.data = "text", .len = 4};
    Arena *a = arena_new(NULL);
    const char *text;

    (void)state;
    before = strdup(getenv("PATH"));
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
    setenv("PATH", path, 1);
    assert_int_equal(cuda()->show(&ptx, a, &text, &error), RUN_FAILED);
    expect_text(&error, "the stage `sass` needs ptxas of the CUDA toolkit");
    if (access("/usr/bin/nvdisasm", X_OK) != 0 && access("/usr/bin/cuobjdump", X_OK) != 0) {
        assert_int_equal(cuda()->show(&code, a, &text, &error), RUN_FAILED);
        expect_text(&error, "needs nvdisasm or cuobjdump");
    }
    put_script(folder, "cuobjdump", "#!/bin/sh\necho \"$1 of $(wc -c <$2) bytes\"\n");
    if (access("/usr/bin/nvdisasm", X_OK) != 0) {
        assert_int_equal(cuda()->show(&code, a, &text, &error), RUN_OK);
        assert_string_equal(text, "-sass of 9 bytes\n");
    }
    put_script(folder, "nvdisasm", "#!/bin/sh\necho 'no such code' >&2; exit 2\n");
    assert_int_equal(cuda()->show(&code, a, &text, &error), RUN_FAILED);
    expect_text(&error, "the disassembler refuses the code that was made\nnote: no such code");
    setenv("PATH", before, 1);
    free(before);
    arena_free(a);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* A driver that was started belongs to the process that did it. */
static void test_children_cannot_use_the_driver(void **state)
{
    int status;

    (void)state;
    assert_null(device_missing(cuda()));
    pid_t child = fork();
    if (child == 0)
        _exit(device_missing(cuda()) ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_units(void **state)
{
    Scene *s = *state;
    tilec_unit u;

    assert_int_equal(tilec_unit_count(s->ctx, "cuda"), 2);
    assert_int_equal(tilec_unit_info(s->ctx, "cuda", 0, &u), TILEC_OK);
    assert_string_equal(u.name, "Fake GPU");
    assert_string_equal(u.arch, "sm_90a");
    assert_int_equal(u.memory, 1 << 30);
    assert_int_equal(u.processors, 132);
    assert_int_equal(tilec_unit_info(s->ctx, "cuda", 1, &u), TILEC_OK);
    assert_string_equal(u.arch, "sm_80");
    assert_int_equal(tilec_unit_info(s->ctx, "cuda", 2, &u), TILEC_NOT_FOUND);
}

/* arrays */

static tilec_place on(void *data, int id)
{
    return (tilec_place){data, TILEC_MEMORY_DEVICE, id};
}

static tilec_place at_host(void *data)
{
    return (tilec_place){data, TILEC_MEMORY_HOST, 0};
}

static void test_arrays(void **state)
{
    uint64_t x[8], back[8], value = 0x1122334455667788, same = 0x0707070707070707;
    Scene *s = *state;
    void *a, *b;

    for (int i = 0; i < 8; i++)
        x[i] = (uint64_t)i * 3;
    assert_int_equal(tilec_alloc(s->ctx, "cuda", 0, sizeof x, &a, &s->error), TILEC_OK);
    assert_int_equal(tilec_alloc(s->ctx, "cuda", 1, sizeof x, &b, &s->error), TILEC_OK);
    assert_int_equal(fake->allocated, 2 * sizeof x);
    fake->log[0] = '\0';
    assert_int_equal(tilec_copy(s->ctx, "cuda", on(a, 0), at_host(x), sizeof x, NULL, &s->error),
                     TILEC_OK);
    assert_non_null(strstr(fake->log, "cuMemcpyHtoDAsync_v2 cuStreamSynchronize "));
    assert_int_equal(tilec_fill(s->ctx, "cuda", 0, (uint64_t *)a + 1, &value, 8, 2, NULL, NULL),
                     TILEC_OK);
    assert_int_equal(tilec_fill(s->ctx, "cuda", 0, (uint64_t *)a + 3, &same, 8, 1, NULL, NULL),
                     TILEC_OK);
    for (int size = 1; size <= 4; size *= 2)
        assert_int_equal(tilec_fill(s->ctx, "cuda", 0, (char *)a + 32 + size, &value, (size_t)size,
                                    1, NULL, NULL),
                         TILEC_OK);
    fake->log[0] = '\0';
    assert_int_equal(tilec_copy(s->ctx, "cuda", on(b, 1), on(a, 0), sizeof x, x, &s->error),
                     TILEC_OK);
    assert_non_null(strstr(fake->log, "cuMemcpyPeerAsync"));
    assert_null(strstr(fake->log, "cuStreamSynchronize"));
    assert_int_equal(tilec_copy(s->ctx, "cuda", at_host(back), on(b, 1), sizeof x, NULL, &s->error),
                     TILEC_OK);
    x[1] = x[2] = value;
    x[3] = same;
    for (int size = 1; size <= 4; size *= 2)
        memcpy((char *)x + 32 + size, &value, (size_t)size);
    assert_memory_equal(back, x, sizeof x);
    assert_int_equal(tilec_copy(s->ctx, "cuda", on((uint64_t *)b + 4, 1), on(b, 1), 32, NULL, NULL),
                     TILEC_OK);
    assert_int_equal(tilec_wait(s->ctx, "cuda", 1, x, &s->error), TILEC_OK);
    assert_int_equal(tilec_release(s->ctx, "cuda", 0, a, &s->error), TILEC_OK);
    assert_int_equal(tilec_release(s->ctx, "cuda", 1, b, &s->error), TILEC_OK);
    assert_int_equal(fake->allocated, 0);
    assert_int_equal(fake->wrong_context, 0);
    assert_null(current());
}

/* Whatever call of the driver fails, the work fails with its name, and nothing is left behind. */
static void test_arrays_when_the_driver_fails(void **state)
{
    static const struct {
        const char *call, *text;
        tilec_status status;
        int result;
    } cases[] = {
        {"cuDevicePrimaryCtxRetain", "number 0 of the device `cuda` cannot be used", TILEC_FAILED,
         999},
        {"cuCtxPushCurrent_v2", "cannot be used: a fake error (CUDA_ERROR_FAKE)", TILEC_FAILED,
         999},
        {"cuMemAlloc_v2", "no 64 bytes on number 0 of the device `cuda`: out of memory",
         TILEC_NO_MEMORY, 2},
        {"cuMemcpyHtoDAsync_v2", "64 bytes cannot be copied to number 0", TILEC_FAILED, 999},
        {"cuMemcpyDtoHAsync_v2", "64 bytes cannot be copied from number 0", TILEC_FAILED, 999},
        {"cuMemsetD32Async", "16 elements cannot be filled", TILEC_FAILED, 999},
        {"cuStreamSynchronize", "hint: with checks", TILEC_FAILED, 700},
        {"cuMemFree_v2", "cannot be released", TILEC_FAILED, 999}};
    char host[64] = {0};
    Scene *s = *state;

    for (int i = 0; i < COUNT(cases); i++) {
        tilec_context *ctx;
        void *a = NULL;
        tilec_status status;

        assert_int_equal(tilec_open("", &ctx, NULL), TILEC_OK);
        fake->fail = cases[i].call;
        fake->result = cases[i].result;
        fake->after = 0;
        status = tilec_alloc(ctx, "cuda", 0, 64, &a, &s->error);
        if (status == TILEC_OK)
            status = tilec_copy(ctx, "cuda", on(a, 0), at_host(host), 64, s, &s->error);
        if (status == TILEC_OK)
            status = tilec_copy(ctx, "cuda", at_host(host), on(a, 0), 64, s, &s->error);
        if (status == TILEC_OK)
            status = tilec_fill(ctx, "cuda", 0, a, host, 4, 16, NULL, &s->error);
        if (status == TILEC_OK)
            status = tilec_wait(ctx, "cuda", 0, NULL, &s->error);
        if (status == TILEC_OK)
            status = tilec_release(ctx, "cuda", 0, a, &s->error);
        assert_int_equal(status, cases[i].status);
        expect_text(&s->error, cases[i].text);
        assert_null(current());
        fake->fail = NULL;
        if (a)
            assert_int_equal(tilec_release(ctx, "cuda", 0, a, NULL), TILEC_OK);
        tilec_close(ctx);
        assert_int_equal(fake->allocated, 0);
        assert_int_equal(fake->retained[0], 0);
    }
}

/* contexts */

static void alloc_and_release(Scene *s, int id)
{
    void *a;

    assert_int_equal(tilec_alloc(s->ctx, "cuda", id, 64, &a, &s->error), TILEC_OK);
    assert_int_equal(tilec_release(s->ctx, "cuda", id, a, &s->error), TILEC_OK);
}

static void test_the_callers_context_is_used_and_stays(void **state)
{
    Scene *s = *state;
    void *mine = new_context(0);

    set_current(mine);
    fake->log[0] = '\0';
    alloc_and_release(s, 0);
    assert_null(strstr(fake->log, "cuCtxPushCurrent_v2"));
    assert_int_equal(fake->retained[0], 0);
    alloc_and_release(s, 1); /* of another GPU: the primary context, for as long as it takes */
    assert_non_null(strstr(fake->log, "cuCtxPushCurrent_v2"));
    assert_int_equal(fake->retained[1], 1);
    assert_ptr_equal(current(), mine);
    set_current(NULL);
    alloc_and_release(s, 1);
    assert_int_equal(fake->retained[1], 1); /* once for a context of tilec's */
    assert_null(current());
    assert_int_equal(fake->wrong_context, 0);
}

/* launches */

static const char image[] = "a kernel with args=3";

static void *load_image_of(const Func *f, const char *text, size_t shared)
{
    const GenOutput output = {
        .data = (char *)text, .len = strlen(text), .warps = 4, .shared = shared};
    const DeviceObject object = {.output = &output, .func = f};
    const char *why;
    void *code;

    assert_int_equal(cuda()->load(&object, &code, &why), RUN_OK);
    return code;
}

static void *load_image(const char *text, size_t shared)
{
    return load_image_of(NULL, text, shared);
}

static RunStatus launch_code(void *keep, void *code, DeviceLaunch l, char **error)
{
    static const uint64_t args[] = {111, 222, 333};

    l.args = args;
    l.nargs = COUNT(args);
    l.records_arg = -1;
    for (int i = 0; i < 3; i++)
        l.grid[i] = MAX(l.grid[i], 1);
    return cuda()->launch(keep, code, &l, error);
}

static void test_launches(void **state)
{
    void *keep = cuda()->open(), *code = load_image(image, 1024), *mine = new_context(0);
    char *error;
    int stream;

    (void)state;
    assert_int_equal(
        launch_code(keep, code, (DeviceLaunch){.grid = {7, 8, 9}, .stream = &stream}, &error),
        RUN_OK);
    assert_int_equal(fake->launched.device, 0);
    assert_memory_equal(fake->launched.grid, ((unsigned[]){7, 8, 9}), 12);
    assert_memory_equal(fake->launched.block, ((unsigned[]){128, 1, 1}), 12);
    assert_memory_equal(fake->launched.args, ((uint64_t[]){111, 222, 333}), 24);
    assert_int_equal(fake->launched.shared, 1024);
    assert_int_equal(fake->launched.dynamic, 0);
    assert_ptr_equal(fake->launched.stream, &stream);
    for (int i = 0; i < 3; i++)
        assert_int_equal(launch_code(keep, code, (DeviceLaunch){.id = 0}, &error), RUN_OK);
    assert_int_equal(fake->modules, 1);
    set_current(mine);
    assert_int_equal(launch_code(keep, code, (DeviceLaunch){.id = -1}, &error), RUN_OK);
    assert_int_equal(fake->modules, 2); /* in each context it has one of its own */
    assert_int_equal(launch_code(keep, code, (DeviceLaunch){.id = 1}, &error), RUN_OK);
    assert_int_equal(fake->modules, 3);
    assert_int_equal(fake->launched.device, 1);
    assert_ptr_equal(current(), mine);
    set_current(NULL);
    cuda()->unload(code);
    assert_int_equal(fake->modules, 0);
    assert_int_equal(fake->wrong_context, 0);
    cuda()->close(keep);
    assert_int_equal(fake->retained[0] + fake->retained[1], 0);
}

/* Threads meet at the first launch: each context gets one module all the same. */
typedef struct {
    void *keep, *code;
    bool right;
} Worker;

static void *launch_often(void *worker)
{
    Worker *w = worker;
    char *error;

    w->right = true;
    for (int i = 0; i < 100; i++)
        w->right = w->right &&
                   launch_code(w->keep, w->code, (DeviceLaunch){.id = i % 2}, &error) == RUN_OK;
    return NULL;
}

/* Each launch takes its own from the stream, for all programs, and gives it back behind them. */
static void test_workspace(void **state)
{
    const GenOutput output = {.data = (char *)image,
                              .len = strlen(image),
                              .warps = 4,
                              .recipe = {.workspace = 192, .workspace_arg = 1}};
    const DeviceObject object = {.output = &output};
    void *keep = cuda()->open(), *code;
    const char *why;
    char *error;

    (void)state;
    assert_int_equal(cuda()->load(&object, &code, &why), RUN_OK);
    size_t before = fake->allocated;
    assert_int_equal(launch_code(keep, code, (DeviceLaunch){.grid = {7, 8, 9}}, &error), RUN_OK);
    assert_int_equal(fake->launched.args[0], 111);
    assert_true(fake->launched.args[1] != 222 && fake->launched.args[1] % 64 == 0);
    assert_int_equal(fake->launched.args[2], 333);
    assert_int_equal(fake->allocated, before);
    size_t memory = fake->memory;
    fake->memory = before + 192 * 2;
    assert_int_equal(launch_code(keep, code, (DeviceLaunch){.grid = {2, 1, 1}}, &error), RUN_OK);
    assert_int_equal(launch_code(keep, code, (DeviceLaunch){.grid = {3, 1, 1}}, &error),
                     RUN_NO_MEMORY);
    expect_text(&error, "a workspace of 192 bytes for each of 3 programs");
    fake->memory = memory;
    cuda()->unload(code);
    cuda()->close(keep);
}

/* The driver encodes what the arguments say, and the kernel gets it as a parameter. */
static void test_tensor_maps(void **state)
{
    GenOutput output = {
        .data = (char *)image,
        .len = strlen(image),
        .warps = 4,
        .recipe = {
            .nmaps = 1,
            .maps = {{.extent = {{.constant = 9}, {.scale = {-2}, .param = {2}, .bytes = {4}}},
                      .stride[1] = {.constant = 32, .scale = {16}, .param = {1}, .bytes = {8}},
                      .box = {16, 8},
                      .rank = 2,
                      .element = 2,
                      .swizzle = TENSOR_SWIZZLE_32,
                      .pointer = 0,
                      .arg = 1}}}};
    const DeviceObject object = {.output = &output};
    uint64_t args[] = {4096, 7, (uint32_t)-50};
    DeviceLaunch launch = {.args = args, .nargs = 3, .grid = {1, 1, 1}, .records_arg = -1};
    void *keep = cuda()->open(), *code;
    const char *why;
    char *error;

    (void)state;
    assert_int_equal(cuda()->load(&object, &code, &why), RUN_OK);
    assert_int_equal(cuda()->launch(keep, code, &launch, &error), RUN_OK);
    assert_int_equal(fake->launched.args[1], UINT64_C(0x5a5a5a5a5a5a5a5a));
    assert_int_equal(fake->launched.args[0], 4096);
    assert_int_equal(fake->map.type, 1);
    assert_int_equal(fake->map.swizzle, 1);
    assert_int_equal(fake->map.rank, 2);
    assert_int_equal(fake->map.address, 4096);
    assert_int_equal(fake->map.extent[0], 9);
    assert_int_equal(fake->map.extent[1], 100);
    assert_int_equal(fake->map.stride[0], 32 + 16 * 7);
    assert_int_equal(fake->map.box[0], 16);
    assert_int_equal(fake->map.box[1], 8);
    assert_int_equal(fake->map.step[1], 1);
    int encoded = fake->map.count;
    assert_int_equal(cuda()->launch(keep, code, &launch, &error), RUN_OK);
    assert_int_equal(fake->map.count, encoded); /* it is the same, and was kept */
    assert_int_equal(fake->launched.args[1], UINT64_C(0x5a5a5a5a5a5a5a5a));
    for (uint64_t i = 1; i <= 40; i++) { /* more than are kept */
        args[0] = 4096 + 256 * i;
        args[2] = (uint32_t) - (int32_t)i;
        assert_int_equal(cuda()->launch(keep, code, &launch, &error), RUN_OK);
        assert_int_equal(fake->map.count, encoded + (int)i);
        assert_int_equal(fake->map.address, args[0]);
        assert_int_equal(fake->map.extent[1], 2 * i);
    }
    args[0] = 4104;
    assert_int_equal(cuda()->launch(keep, code, &launch, &error), RUN_FAILED);
    expect_text(&error, "argument 0: a tensor map's address is a multiple of 16");
    cuda()->unload(code);
    cuda()->close(keep);
}

static void test_threads_share_modules(void **state)
{
    Worker workers[6];
    pthread_t threads[COUNT(workers)];
    void *keep = cuda()->open(), *code = load_image(image, 0);
    int before = fake->launches;

    (void)state;
    for (int i = 0; i < COUNT(workers); i++) {
        workers[i] = (Worker){.keep = keep, .code = code};
        assert_int_equal(pthread_create(&threads[i], NULL, launch_often, &workers[i]), 0);
    }
    for (int i = 0; i < COUNT(workers); i++) {
        pthread_join(threads[i], NULL);
        assert_true(workers[i].right);
    }
    assert_int_equal(fake->launches, before + 100 * COUNT(workers));
    assert_int_equal(fake->modules, 2);
    assert_int_equal(fake->retained[0] + fake->retained[1], 2);
    assert_int_equal(fake->wrong_context, 0);
    cuda()->unload(code);
    cuda()->close(keep);
}

static void test_launches_that_are_too_large(void **state)
{
    void *keep = cuda()->open(), *large = load_image(image, 100 << 10);
    void *larger = load_image(image, 300 << 10);
    char *error;

    (void)state;
    assert_int_equal(
        launch_code(keep, large, (DeviceLaunch){.grid = {INT32_MAX, 65535, 65535}}, &error),
        RUN_OK);
    assert_int_equal(fake->launched.dynamic, 100 << 10);
    assert_int_equal(launch_code(keep, larger, (DeviceLaunch){0}, &error), RUN_FAILED);
    expect_text(&error, "needs 307200 bytes of shared memory; on number 0 of the device `cuda`, "
                        "Fake GPU, it can have 232448");
    cuda()->unload(large);
    cuda()->unload(larger);
    assert_int_equal(fake->modules, 0);
    cuda()->close(keep);
}

/* As three programs, of which the last did not come to its end. */
static void note_spans(uint64_t at)
{
    GenSpan *spans = (GenSpan *)(uintptr_t)at;

    assert_int_equal(spans[0].start, 0);
    assert_int_equal(spans[2].end, 0);
    spans[0] = (GenSpan){1000, 9000, 7, 0};
    spans[1] = (GenSpan){2000, 5000, 3, 0};
    spans[2] = (GenSpan){3000, 0, 7, 0};
}

static void test_spans_of_programs(void **state)
{
    static const char with_spans[] = "a kernel with args=4";
    void *keep = cuda()->open(), *code = load_image(with_spans, 0);
    Stints *stints = stints_new(10);
    DeviceLaunch launch = {.grid = {3, 1, 1}, .spans = true, .stints = stints};
    size_t allocated = fake->allocated;
    double before = os_seconds();
    char *error;

    (void)state;
    fake->kernel = note_spans;
    fake->kernel_arg = 3;
    assert_int_equal(launch_code(keep, code, launch, &error), RUN_OK);
    assert_int_equal(stints_count(stints), 2);
    const Stint *s = stints->at;
    assert_int_equal(s[0].worker, 7);
    assert_int_equal(s[1].worker, 3);
    assert_int_equal(s[1].first, 1);
    assert_int_equal(s[1].last, 2);
    assert_true(s[0].end >= before &&
                s[0].end <= os_seconds()); /* the last one ends with the launch */
    assert_true(fabs(s[0].end - s[0].start - 8e-6) < 1e-9);
    assert_true(fabs(s[0].end - s[1].end - 4e-6) < 1e-9);
    fake->kernel = NULL;
    launch.stints = NULL; /* there was no memory for them */
    assert_int_equal(launch_code(keep, code, launch, &error), RUN_OK);
    fake->fail = "cuMemAlloc_v2";
    fake->result = 2;
    fake->after = 0;
    assert_int_equal(launch_code(keep, code, launch, &error), RUN_NO_MEMORY);
    free(error);
    fake->fail = NULL;
    assert_int_equal(fake->allocated, allocated);
    cuda()->unload(code);
    cuda()->close(keep);
    stints_free(stints);
}

/* clocks */

enum { CLOCK_LINES = 3 };
static uint32_t clock_places[CLOCK_LINES];

/* As two multiprocessors, in rows 0 and 5; the last line is of no place. */
static void note_clocks(uint64_t at)
{
    GenClock *clocks = (GenClock *)(uintptr_t)at;

    for (int row = 0; row <= 5; row += 5) {
        for (int i = 0; i < CLOCK_LINES; i++) {
            GenClock *c = &clocks[row * GEN_CLOCKS + i];
            assert_int_equal(c->cycles, 0);
            *c = (GenClock){clock_places[i], 0, (uint64_t)(100 * (row + 1) + i)};
        }
    }
}

typedef struct {
    char text[256];
} Samples;

static void hear_sample(void *samples, const DeviceSample *s)
{
    Samples *to = samples;
    size_t len = strlen(to->text);

    snprintf(to->text + len, sizeof to->text - len, "%s:%d %llu; ", s->file ? s->file : "-",
             s->line, (unsigned long long)s->steps);
}

static void test_clocks_of_lines(void **state)
{
    static const char with_clocks[] = "a kernel with args=4", with_both[] = "another with args=5",
                      text[] = "one\ntwo\n";
    const LaunchFacts with_lines = {.arch = "sm_90a", .lines = true}, without = {.arch = "sm_90a"};
    void *keep = cuda()->open(), *code = load_image(with_clocks, 0),
         *both = load_image(with_both, 0);
    Arena *a = arena_new(NULL);
    SourceMap *sources = source_map_new(a);
    const Source *src = source_add(sources, "k.py", text, strlen(text));
    Stints *stints = stints_new(10);
    DeviceLaunch launch = {.grid = {1, 1, 1}, .clocks = true, .sources = sources};
    size_t allocated = fake->allocated;
    Samples samples = {""};
    const char *why = NULL;
    char *error;

    (void)state;
    clock_places[0] = src->base;
    clock_places[1] = src->base + 5;
    clock_places[2] = 0;
    assert_false(cuda()->options(&with_lines).clocks);
    cuda()->profile_pause(true); /* of nothing */
    assert_int_equal(cuda()->profile_start(&why), RUN_OK);
    assert_int_equal(cuda()->profile_start(&why), RUN_FAILED);
    assert_string_equal(why, "a profile is being taken already");
    assert_true(cuda()->options(&with_lines).clocks);
    assert_false(cuda()->options(&without).clocks);
    cuda()->profile_pause(true);
    assert_false(cuda()->options(&with_lines).clocks);
    cuda()->profile_pause(false);
    fake->kernel = note_clocks;
    fake->kernel_arg = 3;
    assert_int_equal(launch_code(keep, code, launch, &error), RUN_OK);
    fake->kernel_arg = 4; /* behind the spans */
    launch.spans = true;
    launch.stints = stints;
    assert_int_equal(launch_code(keep, both, launch, &error), RUN_OK);
    cuda()->profile_stop(hear_sample, &samples);
    assert_string_equal(samples.text, "k.py:1 1400; k.py:2 1404; -:0 1408; ");
    assert_int_equal(launch_code(keep, both, launch, &error), RUN_OK); /* it came too late */
    assert_int_equal(cuda()->profile_start(&why), RUN_OK);
    cuda()->profile_stop(hear_sample, &samples); /* there is nothing more */
    assert_string_equal(samples.text, "k.py:1 1400; k.py:2 1404; -:0 1408; ");
    fake->kernel = NULL;
    launch.spans = false;
    fake->capturing = launch.stream = (void *)0x77;
    assert_int_equal(launch_code(keep, code, launch, &error), RUN_FAILED);
    expect_text(&error, "it cannot be captured");
    fake->capturing = launch.stream = NULL;
    assert_int_equal(fake->allocated, allocated);
    cuda()->unload(code);
    cuda()->unload(both);
    cuda()->close(keep);
    stints_free(stints);
    arena_free(a);
}

/* counters, by CUPTI: fake_cupti.c; a process opens it once */

typedef struct {
    const char *library; /* NULL: the fake one */
    const char *fail;    /* of its functions */
    int result;
    const char *kernel_fails; /* a function of the driver */
    bool notes;               /* the code notes how long its lines take */
    const char *error;        /* NULL: it works */
} Counting;

typedef struct {
    int count;
    double sum;
    char last[64];
} Heard;

static void hear_counter(void *heard, const char *name, double value)
{
    Heard *h = heard;

    h->count++;
    h->sum += value;
    snprintf(h->last, sizeof h->last, "%s", name);
}

static uint64_t notes_at; /* what the kernel was told: where its notes go */

static void keep_address(uint64_t at)
{
    notes_at = at;
}

static int try_counting(const Counting *c)
{
    const char *path = getenv("TILEC_FAKE_CUPTI");
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    FakeCupti *cupti = ((FakeCuptiState *)dlsym(lib, "fake_cupti_state"))();
    void *keep = cuda()->open(), *code = load_image(c->notes ? "a kernel with args=4" : image, 0);
    Heard heard = {0};
    DeviceLaunch launch = {
        .grid = {1, 1, 1}, .clocks = c->notes, .on_counter = hear_counter, .counter_user = &heard};
    size_t allocated = fake->allocated;
    char *error;

    setenv("TILEC_LIBCUPTI", c->library ? c->library : path, 1);
    fake->kernel = c->notes ? keep_address : NULL;
    fake->kernel_arg = 3;
    cupti->fail = c->fail;
    cupti->result = c->result;
    cupti->lacks = "dram__bytes_read.sum";
    cupti->nan = "dram__bytes_write.sum";
    fake->fail = c->kernel_fails;
    fake->result = 700;
    int before = fake->launches;
    RunStatus status = launch_code(keep, code, launch, &error);
    if (fake->allocated != allocated)
        print_error("memory was not given back\n");
    else if (c->notes && !c->error && notes_at == 0)
        print_error("there was nowhere to note something\n");
    else if (cupti->wrong || cupti->open || cupti->counting)
        print_error("%d calls were wrong, %d are open\n", cupti->wrong, cupti->open);
    else if (c->error ? status == RUN_OK || !error || !strstr(error, c->error)
                      : status != RUN_OK || fake->launches != before + 1)
        print_error("wanted: %s\ngot: %s\n", c->error ? c->error : "counters",
                    error ? error : "none");
    else if (!c->error &&
             (heard.count != cupti->metrics - 1 || heard.count < 10 ||
              strcmp(heard.last, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") != 0))
        print_error("%d of %d counters, the last is %s\n", heard.count, cupti->metrics, heard.last);
    else if (c->error && heard.count != 0)
        print_error("%d counters of a launch that failed\n", heard.count);
    else
        return 0;
    return 1;
}

static void test_counters(void **state)
{
    static const Counting cases[] = {
        {.error = NULL},
        {.notes = true, .error = NULL},
        {.notes = true, .fail = "cuptiRangeProfilerStart", .result = 9, .error = "fails in start"},
        {.fail = "cuptiProfilerGetCounterAvailability", .result = 1, .error = NULL},
        {.library = "/nowhere/libcupti.so", .error = "there is no CUPTI: /nowhere/libcupti.so"},
        {.library = "libm.so.6", .error = "CUPTI is too old: it has no cupti"},
        {.fail = "cuptiRangeProfilerEnable",
         .result = 35,
         .error = "hint: the system keeps them from users"},
        {.fail = "cuptiProfilerInitialize",
         .result = 9,
         .error = "CUPTI fails in initialize: CUPTI_ERROR_FAKE (9)"},
        {.fail = "cuptiDeviceGetChipName", .result = 9, .error = "CUPTI fails in chip"},
        {.fail = "cuptiProfilerHostInitialize", .result = 46, .error = "fails in host_open"},
        {.fail = "cuptiProfilerHostConfigAddMetrics", .result = 9, .error = "choosing counters"},
        {.fail = "cuptiProfilerHostGetConfigImage", .result = 9, .error = "fails in config"},
        {.fail = "cuptiRangeProfilerGetCounterDataSize", .result = 9, .error = "counts_size"},
        {.fail = "cuptiRangeProfilerSetConfig", .result = 9, .error = "set_config"},
        {.fail = "cuptiRangeProfilerStart", .result = 9, .error = "fails in start"},
        {.fail = "cuptiRangeProfilerStop", .result = 9, .error = "fails in stop"},
        {.fail = "cuptiRangeProfilerDecodeData", .result = 9, .error = "fails in decode"},
        {.fail = "cuptiProfilerHostEvaluateToGpuValues", .result = 9, .error = "evaluate"},
        {.kernel_fails = "cuLaunchKernel", .error = "a launch that is counted"},
    };

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        pid_t child = fork();
        int status;

        if (child == 0)
            _exit(try_counting(&cases[i]));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

/* Profilers show the name of the entry. */
static void test_names_of_entries(void **state)
{
    static const char *const names[][2] = {{"softmax_kernel", "softmax_kernel"},
                                           {"f.<locals>.g2", "f__locals__g2"},
                                           {"h\303\244lfte", "h__lfte"},
                                           {"tilec_shared", "_tilec_shared"},
                                           {NULL, "tilec_kernel"}};
    void *keep = cuda()->open();
    char *error;

    (void)state;
    for (int i = 0; i < COUNT(names); i++) {
        const Func f = {.name = names[i][0]};
        void *code = load_image_of(names[i][0] ? &f : NULL, image, 0);

        assert_int_equal(launch_code(keep, code, (DeviceLaunch){0}, &error), RUN_OK);
        assert_string_equal(fake->entry, names[i][1]);
        cuda()->unload(code);
    }
    cuda()->close(keep);
}

static void test_launches_when_the_driver_fails(void **state)
{
    static const struct {
        const char *call, *text;
        bool timed;
    } cases[] = {{"cuModuleLoadDataEx", "a kernel cannot be loaded", false},
                 {"cuModuleGetFunction", "no entry `tilec_kernel`", false},
                 {"cuFuncSetAttribute", "of shared memory", false},
                 {"cuLaunchKernel", "a launch on number 0", false},
                 {"cuEventCreate", "a launch on number 0", true},
                 {"cuEventRecord", "a launch on number 0", true},
                 {"cuEventSynchronize", "a launch on number 0", true},
                 {"cuEventElapsedTime", "a launch on number 0", true}};
    void *keep = cuda()->open();
    char *error;
    double seconds;

    (void)state;
    for (int i = 0; i < COUNT(cases); i++) {
        void *code = load_image(image, 100 << 10);
        DeviceLaunch l = {.seconds = cases[i].timed ? &seconds : NULL};
        fake->fail = cases[i].call;
        fake->result = 700;
        fake->after = 0;
        assert_int_equal(launch_code(keep, code, l, &error), RUN_FAILED);
        expect_text(&error, cases[i].text);
        assert_null(current());
        fake->fail = NULL;
        assert_int_equal(launch_code(keep, code, l, &error), RUN_OK);
        cuda()->unload(code);
        assert_int_equal(fake->modules + fake->events, 0);
    }
    void *broken = load_image("broken", 0);
    fake->broken_ptx = "broken";
    assert_int_equal(launch_code(keep, broken, (DeviceLaunch){0}, &error), RUN_FAILED);
    expect_text(&error, "line 1: this is no PTX\na kernel cannot be loaded");
    fake->broken_ptx = NULL;
    cuda()->unload(broken);
    cuda()->close(keep);
}

static void test_timed_launches_wait(void **state)
{
    void *keep = cuda()->open(), *code = load_image(image, 0);
    double seconds = 0;
    char *error;

    (void)state;
    assert_int_equal(launch_code(keep, code, (DeviceLaunch){.seconds = &seconds}, &error), RUN_OK);
    assert_true(seconds > 1.49e-3 && seconds < 1.51e-3);
    assert_int_equal(fake->events, 0);
    cuda()->unload(code);
    cuda()->close(keep);
}

/* Nothing but the launch itself happens in a capture, even where the kernel must be loaded. */
static void test_launches_can_be_captured(void **state)
{
    void *keep = cuda()->open(), *code = load_image(image, 0);
    double seconds;
    char *error;
    int stream;

    (void)state;
    fake->capturing = &stream;
    for (int i = 0; i < 2; i++)
        assert_int_equal(launch_code(keep, code, (DeviceLaunch){.stream = &stream}, &error),
                         RUN_OK);
    assert_int_equal(
        launch_code(keep, code, (DeviceLaunch){.stream = &stream, .seconds = &seconds}, &error),
        RUN_FAILED);
    expect_text(&error, "it cannot be captured into a graph");
    fake->capturing = NULL;
    assert_int_equal(fake->violations, 0);
    cuda()->unload(code);
    cuda()->close(keep);
}

/* A fault of a kernel is that of the call that hears of it. */
static void test_errors_come_later(void **state)
{
    void *keep = cuda()->open(), *code = load_image(image, 0);
    Scene *s = *state;
    char *error;

    fake->later = 700;
    assert_int_equal(launch_code(keep, code, (DeviceLaunch){0}, &error), RUN_OK);
    assert_int_equal(tilec_wait(s->ctx, "cuda", 0, NULL, &s->error), TILEC_FAILED);
    expect_text(&s->error,
                "error: waiting for number 0 of the device `cuda`: a fake error "
                "(CUDA_ERROR_ILLEGAL_ADDRESS)\nnote: a kernel that was launched before went wrong");
    fake->later = 0;
    cuda()->unload(code);
    cuda()->close(keep);
}

static void test_facts(void **state)
{
    void *keep = cuda()->open(), *code = load_image(image, 2048);
    CodeFacts facts;
    char *error;

    (void)state;
    fake->local = 16;
    assert_int_equal(cuda()->facts(keep, code, 1, &facts, &error), RUN_OK);
    fake->local = 0;
    assert_int_equal(facts.warps, 4);
    assert_int_equal(facts.registers, 42);
    assert_int_equal(facts.shared, 2048);
    assert_int_equal(facts.local, 16);
    cuda()->unload(code);
    cuda()->close(keep);
}

/* A kernel that says something gets a buffer in the GPU's memory in place of the port, which is
 * read behind its end. */
typedef struct {
    RecordPort port;
    int calls;
    int64_t site;
    int32_t program[3];
    int value;
} Ear;

static void hear(RecordPort *port, int64_t site, const int32_t program[3],
                 const void *const *values)
{
    Ear *e = (Ear *)port;

    e->calls++;
    e->site = site;
    memcpy(e->program, program, sizeof e->program);
    memcpy(&e->value, values[0], sizeof e->value);
}

/* What one program of a launch would do. */
static void say(uint64_t buffer)
{
    static const uint32_t record[] = {8, 5, 1, 2, 3, 1, 7, 42};
    RecordBuffer *b = (RecordBuffer *)(uintptr_t)buffer;

    assert_int_equal(b->used[RECORDS_PRINTED], 0);
    memcpy(b->data, record, sizeof record);
    b->used[RECORDS_PRINTED] = COUNT(record);
}

/* One that takes room twice, and does not fill what it took first. */
static void say_nothing_right(uint64_t buffer)
{
    RecordBuffer *b = (RecordBuffer *)(uintptr_t)buffer;

    assert_int_equal(b->used[RECORDS_PRINTED], 0);
    for (int i = 0; i < 16; i++)
        assert_int_equal(b->data[i], 0);
    b->used[RECORDS_PRINTED] = 16;
}

static const RecordRoom with_prints = {.printed = 6 << 20, .failed = 2 << 20};
static const RecordRoom without_prints = {.failed = 512 << 10};

static DeviceLaunch speaking(Ear *ear, RecordRoom room)
{
    static const uint64_t args[] = {1, 2, 3};

    *ear = (Ear){.port = {.put = hear, .wide_floats = true}};
    return (DeviceLaunch){.args = args,
                          .nargs = COUNT(args),
                          .grid = {1, 1, 1},
                          .records = &ear->port,
                          .records_arg = 1,
                          .room = room};
}

/* Launch with nobody failing; gives what was called. */
static const char *speak(void *keep, void *code, const DeviceLaunch *l, void (*kernel)(uint64_t))
{
    char *error;

    fake->log[0] = '\0';
    fake->kernel = kernel;
    fake->kernel_arg = 1;
    assert_int_equal(cuda()->launch(keep, code, l, &error), RUN_OK);
    fake->kernel = NULL;
    return fake->log;
}

static void test_programs_that_say_something(void **state)
{
    void *keep = cuda()->open(), *code = load_image(image, 0);
    Ear ear;
    DeviceLaunch l = speaking(&ear, with_prints);

    (void)state;
    speak(keep, code, &l, say);
    assert_int_equal(ear.calls, 1);
    assert_int_equal(ear.site, 5);
    assert_memory_equal(ear.program, ((int32_t[]){1, 2, 3}), 12);
    assert_int_equal(ear.value, 42);
    assert_false(ear.port.wide_floats);
    assert_int_equal(fake->launched.args[2], 3);
    cuda()->unload(code);
    cuda()->close(keep);
    assert_int_equal(fake->allocated, 0);
}

/* The buffer stays for the next launch: cleared of what was used, and of that alone. */
static void test_record_buffers_are_kept(void **state)
{
    void *keep = cuda()->open(), *code = load_image(image, 0);
    Ear ear;
    DeviceLaunch l = speaking(&ear, without_prints);

    (void)state;
    assert_non_null(strstr(speak(keep, code, &l, NULL), "cuMemAlloc_v2"));
    assert_in_range(fake->allocated, 512 << 10, (512 << 10) + (long)sizeof(RecordBuffer));
    assert_string_equal(strstr(speak(keep, code, &l, NULL), "cuStreamIsCapturing"),
                        "cuStreamIsCapturing cuCtxGetId cuLaunchKernel cuMemcpyDtoHAsync_v2 "
                        "cuStreamSynchronize cuCtxPopCurrent_v2 ");
    l = speaking(&ear, with_prints); /* which needs a larger one, in place of it */
    speak(keep, code, &l, say);
    assert_in_range(fake->allocated, 8 << 20, (8 << 20) + (long)sizeof(RecordBuffer));
    speak(keep, code, &l, say);
    assert_null(strstr(fake->log, "cuMemAlloc_v2"));
    assert_int_equal(ear.calls, 2);
    speak(keep, code, &l, say_nothing_right); /* what stood there is no record of this launch */
    assert_int_equal(ear.calls, 2);
    speak(keep, code, &l, NULL);
    l = speaking(&ear, without_prints); /* the larger one serves as well */
    assert_null(strstr(speak(keep, code, &l, NULL), "cuMemAlloc_v2"));
    cuda()->unload(code);
    cuda()->close(keep);
    assert_int_equal(fake->allocated, 0);
}

/* --- launches that assert, and that nobody waits for --- */

/* What a program does whose assertion fails. */
static void fail_in(uint64_t buffer)
{
    static const uint32_t record[] = {8, 5, 1, 2, 3, 1, 7, 42};
    RecordBuffer *b = (RecordBuffer *)(uintptr_t)buffer;

    if (b->stop)
        return;
    assert_int_equal(b->used[RECORDS_FAILED], 0);
    for (int i = 0; i < COUNT(record); i++)
        assert_int_equal(b->data[i], 0);
    memcpy(b->data, record, sizeof record);
    b->used[RECORDS_FAILED] = COUNT(record);
    b->stop = 1;
    *(uint32_t *)(uintptr_t)b->told = 1;
}

/* Of whom was heard. */
typedef struct {
    Ear ear;
    const void *names[8];
    int n, ended;
} Asked;

static RecordPort *begin_telling(void *asked, const void *name)
{
    Asked *a = asked;

    a->names[a->n++] = name;
    return &a->ear.port;
}

static void end_telling(void *asked)
{
    ((Asked *)asked)->ended++;
}

static RunStatus ask(void *keep, bool waits, Asked *a)
{
    const DeviceHear hear_all = {a, begin_telling, end_telling};
    char *error;

    *a = (Asked){.ear = {.port = {.put = hear}}};
    fake->log[0] = '\0';
    RunStatus status = cuda()->hear(keep, waits, &hear_all, &error);
    free(error);
    return status;
}

static DeviceLaunch asserting(const char *name)
{
    Ear ignored;
    DeviceLaunch l = speaking(&ignored, without_prints);

    l.records = NULL;
    l.async = name;
    return l;
}

static void test_nobody_waits_for_what_asserts(void **state)
{
    void *keep = cuda()->open(), *code = load_image(image, 0), *other = load_image(image, 0);
    DeviceLaunch l = asserting("one"), second = asserting("two");
    Asked a;

    (void)state;
    assert_int_equal(ask(keep, true, &a), RUN_OK); /* nothing was launched */
    speak(keep, code, &l, NULL);
    assert_string_equal(strstr(speak(keep, code, &l, NULL), "cuCtxGetId"),
                        "cuCtxGetId cuCtxGetId cuLaunchKernel cuCtxPopCurrent_v2 ");
    assert_int_equal(ask(keep, false, &a), RUN_OK);
    assert_string_equal(fake->log, ""); /* the driver is not asked */
    assert_int_equal(a.n, 0);
    speak(keep, other, &second, NULL);
    for (int i = 0; i < 2; i++) { /* it fails, is told once, and may fail again */
        speak(keep, code, &l, fail_in);
        speak(keep, code, &l, fail_in);
        assert_int_equal(ask(keep, i == 1, &a), RUN_OK);
        assert_int_equal(a.n, 1);
        assert_string_equal(a.names[0], "one");
        assert_int_equal(a.ended, 1);
        assert_int_equal(a.ear.calls, 1);
        assert_int_equal(a.ear.value, 42);
        assert_int_equal(ask(keep, true, &a), RUN_OK);
        assert_int_equal(a.n, 0);
    }
    speak(keep, code, &l, fail_in);
    speak(keep, other, &second, fail_in);
    assert_int_equal(ask(keep, false, &a), RUN_OK);
    assert_int_equal(a.n, 2);
    cuda()->unload(other);
    speak(keep, code, &l, fail_in);
    cuda()->unload(code); /* with what it had to say */
    assert_int_equal(ask(keep, false, &a), RUN_OK);
    assert_int_equal(a.n, 0);
    cuda()->close(keep);
    assert_int_equal(fake->allocated, 0);
    assert_int_equal(fake->pinned, 0);
    assert_int_equal(fake->modules, 0);
}

static void test_what_asserts_may_be_captured(void **state)
{
    void *keep = cuda()->open(), *code = load_image(image, 0);
    DeviceLaunch l = asserting("captured");
    Asked a;
    char *error;

    (void)state;
    l.stream = &l;
    fake->capturing = l.stream;
    assert_int_equal(cuda()->launch(keep, code, &l, &error), RUN_FAILED);
    assert_non_null(strstr(error, "launch it once before"));
    free(error);
    fake->capturing = NULL;
    speak(keep, code, &l, NULL);
    fake->capturing = l.stream;
    fake->violations = 0;
    speak(keep, code, &l, fail_in);
    assert_int_equal(fake->violations, 0);
    fake->capturing = NULL;
    assert_int_equal(ask(keep, false, &a), RUN_OK);
    assert_int_equal(a.ear.calls, 1);
    cuda()->unload(code);
    cuda()->close(keep);
}

static void test_what_asserts_in_contexts(void **state)
{
    void *keep = cuda()->open(), *code = load_image(image, 0), *mine = new_context(0);
    DeviceLaunch l = asserting("mine");
    Asked a;

    (void)state;
    set_current(mine);
    speak(keep, code, &l, fail_in);
    set_current(NULL);
    speak(keep, code, &l, fail_in);
    assert_int_equal(ask(keep, false, &a), RUN_OK);
    assert_int_equal(a.ear.calls, 2);
    set_current(mine);
    speak(keep, code, &l, fail_in);
    set_current(NULL);
    end_context(mine); /* which took it along */
    assert_int_equal(ask(keep, true, &a), RUN_OK);
    assert_int_equal(a.n, 0);
    cuda()->unload(code);
    cuda()->close(keep);
    assert_int_equal(fake->wrong_context, 0);
    assert_int_equal(fake->allocated, 0);
    assert_int_equal(fake->pinned, 0);
}

static void test_what_asserts_when_the_driver_fails(void **state)
{
    static const char *const in_front[] = {"cuMemHostAlloc", "cuMemAlloc_v2", "cuMemsetD32Async",
                                           "cuMemcpyHtoDAsync_v2", "cuStreamSynchronize"};
    static const char *const behind[] = {"cuCtxPushCurrent_v2", "cuCtxSynchronize",
                                         "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize"};
    char *error;

    (void)state;
    for (int i = 0; i < COUNT(in_front) + COUNT(behind); i++) {
        void *keep = cuda()->open(), *code = load_image(image, 0);
        DeviceLaunch l = asserting("unlucky");
        bool is_early = i < COUNT(in_front);
        Asked a;

        if (!is_early)
            speak(keep, code, &l, fail_in);
        fake->fail = is_early ? in_front[i] : behind[i - COUNT(in_front)];
        fake->result = 999;
        if (is_early) {
            assert_int_equal(cuda()->launch(keep, code, &l, &error), RUN_FAILED);
            assert_non_null(error);
            free(error);
        } else {
            assert_int_equal(ask(keep, false, &a), RUN_FAILED);
        }
        fake->fail = NULL;
        cuda()->unload(code);
        cuda()->close(keep);
        assert_int_equal(fake->allocated, 0);
        assert_int_equal(fake->pinned, 0);
    }
}

/* Each context has its own, and one that was destroyed has taken its memory with it. */
static void test_record_buffers_of_contexts(void **state)
{
    void *keep = cuda()->open(), *code = load_image(image, 0), *mine = new_context(0);
    Ear ear;
    DeviceLaunch l = speaking(&ear, without_prints);

    (void)state;
    set_current(mine);
    speak(keep, code, &l, NULL);
    set_current(NULL);
    assert_non_null(strstr(speak(keep, code, &l, NULL), "cuMemAlloc_v2"));
    l.id = 1;
    assert_non_null(strstr(speak(keep, code, &l, NULL), "cuMemAlloc_v2"));
    assert_int_equal(fake->wrong_context, 0);
    end_context(mine);
    cuda()->unload(code);
    cuda()->close(keep);
    assert_int_equal(fake->allocated, 0);
    assert_int_equal(fake->modules, 0);
    assert_int_equal(fake->wrong_context, 0);
}

/* Whatever fails, nothing is kept that may be half cleared. */
static void test_record_buffers_when_the_driver_fails(void **state)
{
    static const char *const calls[] = {"cuMemAlloc_v2",        "cuMemsetD32Async",
                                        "cuMemcpyHtoDAsync_v2", "cuLaunchKernel",
                                        "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize"};
    void *keep = cuda()->open(), *code = load_image(image, 0);
    Ear ear;
    DeviceLaunch l = speaking(&ear, with_prints);
    char *error;

    (void)state;
    for (int i = 0; i < COUNT(calls); i++) {
        fake->fail = calls[i];
        fake->result = 999;
        fake->after = 0;
        assert_int_equal(cuda()->launch(keep, code, &l, &error), RUN_FAILED);
        expect_text(&error, "a fake error");
        assert_int_equal(fake->allocated, 0);
    }
    fake->fail = NULL;
    fake->capturing = &l;
    l.stream = &l;
    assert_int_equal(cuda()->launch(keep, code, &l, &error), RUN_FAILED);
    expect_text(&error, "cannot be captured");
    fake->capturing = NULL;
    cuda()->unload(code);
    cuda()->close(keep);
}

/* Launches of several threads at once have buffers of their own. */
static void *speak_often(void *worker)
{
    Worker *w = worker;
    char *error;

    w->right = true;
    for (int i = 0; i < 100; i++) {
        Ear ear;
        DeviceLaunch l = speaking(&ear, with_prints);
        l.stream = w;
        w->right = cuda()->launch(w->keep, w->code, &l, &error) == RUN_OK && ear.calls == 1 &&
                   ear.value == 42 && w->right;
    }
    return NULL;
}

static void test_threads_have_record_buffers(void **state)
{
    void *keep = cuda()->open(), *code = load_image(image, 0);
    Worker workers[4];
    pthread_t threads[COUNT(workers)];

    (void)state;
    fake->quiet = 1;
    fake->kernel = say;
    fake->kernel_arg = 1;
    for (int i = 0; i < COUNT(workers); i++) {
        workers[i] = (Worker){keep, code, false};
        assert_int_equal(pthread_create(&threads[i], NULL, speak_often, &workers[i]), 0);
    }
    for (int i = 0; i < COUNT(workers); i++) {
        pthread_join(threads[i], NULL);
        assert_true(workers[i].right);
    }
    fake->kernel = NULL;
    fake->quiet = 0;
    assert_in_range(fake->allocated, 8 << 20, COUNT(workers) * ((8 << 20) + sizeof(RecordBuffer)));
    cuda()->unload(code);
    cuda()->close(keep);
    assert_int_equal(fake->allocated, 0);
}

/* all of it, from a kernel's source on */

static void *alloc_floats(Scene *s, int id, int n)
{
    void *data;

    assert_int_equal(tilec_alloc(s->ctx, "cuda", id, (size_t)n * 4, &data, &s->error), TILEC_OK);
    return data;
}

static tilec_arg of_device(void *data, const int64_t *shape, int id)
{
    return (tilec_arg){.kind = TILEC_ARG_TENSOR,
                       .tensor = {data, TILEC_FP32, 1, shape, NULL, TILEC_MEMORY_DEVICE, id}};
}

static void expect_ok(Scene *s, tilec_status status)
{
    if (status != TILEC_OK)
        print_error("%s", s->error ? s->error : "no text\n");
    assert_int_equal(status, TILEC_OK);
}

static void test_a_kernel_is_launched(void **state)
{
    const tilec_launch_options on_0 = {.device = "cuda", .num_warps = 2};
    const int64_t shape[] = {1000};
    const int32_t grid[3] = {4, 1, 1};
    Scene *s = *state;
    tilec_stats stats;

    if (!has_cpu())
        skip();
    load(s, add_source);
    for (int id = 0; id < 2; id++) {
        void *x = alloc_floats(s, id, 1000), *out = alloc_floats(s, id, 1000);
        const tilec_arg args[] = {of_device(x, shape, id), of_device(x, shape, id),
                                  of_device(out, shape, id), of_int(NULL, 1000), of_int(NULL, 256)};
        expect_ok(s, tilec_launch(s->file, NULL, grid, args, 5, &on_0, &s->error));
        assert_int_equal(fake->launched.device, id);
        assert_memory_equal(fake->launched.grid, ((unsigned[]){4, 1, 1}), 12);
        assert_int_equal(fake->launched.block[0], 64);
        expect_ok(s, tilec_launch_stats(s->file, NULL, grid, args, 5, &on_0, &stats, &s->error));
        assert_int_equal(stats.warps, 2);
        assert_int_equal(stats.registers, 42);
        expect_ok(s, tilec_release(s->ctx, "cuda", id, x, &s->error));
        expect_ok(s, tilec_release(s->ctx, "cuda", id, out, &s->error));
    }
    assert_int_equal(fake->modules, 2); /* the chips differ, and so does their code */
}

static void test_grids_that_are_too_large(void **state)
{
    if (!has_cpu())
        skip();
    expect_grid_limits(*state, "cuda");
}

/* What was assembled is kept for other processes, and found. */
static void test_code_is_kept(void **state)
{
    char folder[] = "/tmp/tilec-test-XXXXXX", command[64];
    const tilec_launch_options options = {.device = "cuda"};
    const int32_t grid[3] = {1, 1, 1};
    tilec_stats stats;

    if (!has_cpu())
        skip();
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        tear_down(state);
        Scene *s = *state = calloc(1, sizeof *s);
        assert_int_equal(tilec_open(folder, &s->ctx, NULL), TILEC_OK);
        load(s, HEAD "@triton.jit\ndef k(n): pass\n");
        const tilec_arg args[] = {of_int(NULL, 5)};
        fake->log[0] = '\0';
        expect_ok(s, tilec_launch(s->file, NULL, grid, args, 1, &options, &s->error));
        assert_true(!strstr(fake->log, "cuLinkAddData_v2") || i == 0);
        expect_ok(s, tilec_launch_stats(s->file, NULL, grid, args, 1, &options, &stats, NULL));
        assert_int_equal(stats.from_cache, i);
        assert_true((stats.assemble_seconds > 0) == (i == 0));
        assert_int_equal(fake->allocated, 0);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void show_whole_cost(Scene *s, int launches)
{
    const tilec_launch_options options = {.device = "cuda"};
    const int64_t shape[] = {1000};
    const int32_t grid[3] = {4, 1, 1};
    void *x = alloc_floats(s, 0, 1000);
    const tilec_arg args[] = {of_device(x, shape, 0), of_device(x, shape, 0),
                              of_device(x, shape, 0), of_int(NULL, 1000), of_int(NULL, 256)};

    load(s, add_source);
    expect_ok(s, tilec_launch(s->file, NULL, grid, args, 5, &options, &s->error));
    double start = os_seconds();
    for (int i = 0; i < launches; i++)
        expect_ok(s, tilec_launch(s->file, NULL, grid, args, 5, &options, &s->error));
    print_message("tilec_launch(): %.0f ns with a fake driver\n",
                  (os_seconds() - start) * 1e9 / launches);
    expect_ok(s, tilec_release(s->ctx, "cuda", 0, x, &s->error));
}

/* How long the host is busy with a launch, but for the driver: shown, since machines differ. */
static void test_launch_cost(void **state)
{
    enum { LAUNCHES = 200000 };
    void *keep = cuda()->open(), *code = load_image(image, 0);
    char *error;

    (void)state;
    launch_code(keep, code, (DeviceLaunch){0}, &error);
    fake->quiet = 1;
    double start = os_seconds();
    for (int i = 0; i < LAUNCHES; i++)
        assert_int_equal(launch_code(keep, code, (DeviceLaunch){0}, &error), RUN_OK);
    print_message("a launch: %.0f ns with a fake driver\n",
                  (os_seconds() - start) * 1e9 / LAUNCHES);
    if (has_cpu())
        show_whole_cost(*state, LAUNCHES);
    fake->quiet = 0;
    cuda()->unload(code);
    cuda()->close(keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_missing),
        TEST(test_assembling),
        TEST(test_counters),
        TEST(test_lines_are_made_where_they_are_wanted),
        TEST(test_disassembling),
        TEST(test_children_cannot_use_the_driver),
        TEST(test_units),
        TEST(test_arrays),
        TEST(test_arrays_when_the_driver_fails),
        TEST(test_the_callers_context_is_used_and_stays),
        TEST(test_launches),
        TEST(test_workspace),
        TEST(test_tensor_maps),
        TEST(test_threads_share_modules),
        TEST(test_launches_that_are_too_large),
        TEST(test_names_of_entries),
        TEST(test_spans_of_programs),
        TEST(test_clocks_of_lines),
        TEST(test_launches_when_the_driver_fails),
        TEST(test_timed_launches_wait),
        TEST(test_launches_can_be_captured),
        TEST(test_errors_come_later),
        TEST(test_facts),
        TEST(test_programs_that_say_something),
        TEST(test_record_buffers_are_kept),
        TEST(test_nobody_waits_for_what_asserts),
        TEST(test_what_asserts_may_be_captured),
        TEST(test_what_asserts_in_contexts),
        TEST(test_what_asserts_when_the_driver_fails),
        TEST(test_record_buffers_of_contexts),
        TEST(test_record_buffers_when_the_driver_fails),
        TEST(test_threads_have_record_buffers),
        TEST(test_a_kernel_is_launched),
        TEST(test_grids_that_are_too_large),
        TEST(test_code_is_kept),
        TEST(test_launch_cost),
    };

    find_fake();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
