/*
 * test_gpu.c - calls what `tilec build --arch` made, on a driver that writes down what it is asked
 *
 * C99 and C++17; tests/cli/build_gpu.sh compiles and runs it, with tests/unit/fake_cuda.c for the
 * driver.  With an argument it prints the PTX of one of the specialisations instead.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake_cuda.h"
#include "add_gpu.h"
#include "big_gpu.h"
#include "small_gpu.h"
#include "wide_gpu.h"

static int failures;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #what);                                      \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

typedef struct {
    Fake *state;
    FakeContext *context;
    FakeCurrent *current;
    FakeTop *top;
} Driver;

static void find(void *library, const char *name, void *to)
{
    void *found = dlsym(library, name);

    if (!found) {
        printf("the fake driver has no %s\n", name);
        exit(1);
    }
    memcpy(to, &found, sizeof found);
}

static Driver open_fake(void)
{
    void *library = dlopen(getenv("TILEC_LIBCUDA"), RTLD_NOW);
    FakeState *state;
    Driver d;

    if (!library)
        exit(1);
    find(library, "fake_state", &state);
    find(library, "fake_context", &d.context);
    find(library, "fake_current", &d.current);
    find(library, "fake_top", &d.top);
    d.state = state();
    return d;
}

static const float *at(uintptr_t address)
{
    return (const float *)address;
}

static float *out_at(uintptr_t address)
{
    return (float *)address;
}

/* The arguments, grid and threads; loaded once, into the primary context, which is current no more
 * behind it. */
static void test_launches(const Driver *d)
{
    int stream;

    CHECK(add_gpu(at(0x1000), at(0x2000), out_at(0x3000), 1001, 256, &stream) == TILEC_AOT_OK);
    CHECK(tilec_aot_gpu_problem() == NULL);
    CHECK(d->state->launches == 1 && d->state->modules == 1);
    CHECK(d->state->launched.grid[0] == 4 && d->state->launched.grid[1] == 1);
    CHECK(d->state->launched.block[0] >= 32 && d->state->launched.block[0] % 32 == 0);
    CHECK(d->state->launched.stream == &stream);
    CHECK(d->state->launched.args[0] == 0x1000 && d->state->launched.args[2] == 0x3000);
    CHECK((uint32_t)d->state->launched.args[3] == 1001);
    CHECK(d->top() == NULL && d->state->retained[0] == 1);
    CHECK(add_gpu(at(0x1000), at(0x2000), out_at(0x3000), 1001, 256, NULL) == TILEC_AOT_OK);
    CHECK(d->state->launches == 2 && d->state->modules == 1);
    CHECK(add_gpu(at(0x1000), at(0x2000), out_at(0x3000), 1008, 256, NULL) == TILEC_AOT_OK);
    CHECK(d->state->modules == 2); /* the form for multiples of 16 */
}

/* Each context has its own. */
static void test_contexts(const Driver *d)
{
    void *mine = d->context(1);

    d->current(mine);
    CHECK(add_gpu(at(0x1000), at(0x2000), out_at(0x3000), 1001, 256, NULL) == TILEC_AOT_OK);
    CHECK(d->state->modules == 3 && d->state->launched.device == 1 && d->top() == mine);
    d->current(NULL);
    CHECK(add_gpu(at(0x1000), at(0x2000), out_at(0x3000), 1001, 256, NULL) == TILEC_AOT_OK);
    CHECK(d->state->modules == 3 && d->state->launched.device == 0);
    CHECK(d->state->wrong_context == 0);
}

/* Shared memory beyond what every kernel may have is asked for. */
static void test_shared_memory(const Driver *d)
{
    const uint16_t *in = (const uint16_t *)(uintptr_t)0x10000;
    uint16_t *out = (uint16_t *)(uintptr_t)0x20000;

    CHECK(big_gpu(in, in, out, 256, 256, 256, 256, 256, 256, NULL) == TILEC_AOT_OK);
    CHECK(d->state->launched.shared > 48 << 10);
    CHECK(d->state->launched.dynamic >= (int)d->state->launched.shared);
    CHECK(d->state->launched.grid[0] == 4);
}

/* What each program has for itself lies behind the caller's arguments, and is given back. */
static void test_workspaces(const Driver *d)
{
    uint64_t own[2] = {111, 222};
    void *args[] = {&own[0], &own[1]};
    const int32_t grid[3] = {7, 8, 9}, few[3] = {3, 1, 1};
    const int32_t most[3] = {INT32_MAX, 65535, 65535};
    size_t before = d->state->allocated, memory = d->state->memory;
    tilec_aot_kernel k = add_gpu_1;

    k.image = "args=4";
    k.loaded = NULL;
    k.workspace = 192;
    k.own = 2;
    k.params = 4;
    d->state->memory = before + 7 * 8 * 9 * 192;
    CHECK(tilec_aot_launch(&k, args, grid, NULL) == TILEC_AOT_OK);
    CHECK(d->state->launched.args[0] == 111 && d->state->launched.args[1] == 222);
    CHECK(d->state->launched.args[2] != 0 && d->state->launched.args[2] % 64 == 0);
    CHECK(d->state->launched.args[3] == d->state->launched.args[2]);
    CHECK(d->state->allocated == before);
    CHECK(tilec_aot_launch(&k, args, most, NULL) == TILEC_AOT_FAILED);
    d->state->memory = before + 2 * 192;
    CHECK(tilec_aot_launch(&k, args, few, NULL) == TILEC_AOT_FAILED);
    CHECK(tilec_aot_gpu_problem() && strcmp(tilec_aot_gpu_problem(), "out of memory") == 0);
    d->state->memory = memory;
    d->state->fail = "cuLaunchKernel";
    d->state->result = 1;
    CHECK(tilec_aot_launch(&k, args, few, NULL) == TILEC_AOT_FAILED);
    d->state->fail = NULL;
    CHECK(d->state->allocated == before && d->top() == NULL);
    CHECK(add_gpu_1.workspace == 0 && add_gpu_1.own == add_gpu_1.params);
}

/* Tiles come by maps that the call makes; a call that gives none has other code. */
static void test_maps(const Driver *d)
{
    const uint16_t *a = (const uint16_t *)(uintptr_t)0x10000;
    const uint16_t *b = (const uint16_t *)(uintptr_t)0x40000;
    uint16_t *c = (uint16_t *)(uintptr_t)0x80000;
    int modules = d->state->modules;

    CHECK(wide_gpu(a, b, c, 512, 768, 320, 336, 784, 768, NULL) == TILEC_AOT_OK);
    CHECK(d->state->modules == modules + 1 && d->state->launched.grid[0] == 4 * 3);
    CHECK(d->state->launched.args[9] == 0x5a5a5a5a5a5a5a5a);
    CHECK(d->state->launched.args[10] == 0x5a5a5a5a5a5a5a5a);
    CHECK(d->state->launched.args[0] == 0x10000 && (uint32_t)d->state->launched.args[5] == 320);
    CHECK(d->state->map.address == 0x40000 && d->state->map.rank == 2 && d->state->map.type == 1);
    CHECK(d->state->map.extent[0] == 768 && d->state->map.extent[1] == 320);
    CHECK(d->state->map.stride[0] == 2 * 784 && d->state->map.box[0] == 64);
    CHECK(d->state->map.swizzle == 3 && d->state->map.step[0] == 1);
    CHECK(wide_gpu(a, b, c, 512, 768, 0, 336, 784, 768, NULL) == TILEC_AOT_OK);
    CHECK(wide_gpu(a, b, c, 512, 768, 320, 336, -784, 768, NULL) == TILEC_AOT_OK);
    CHECK(d->state->modules == modules + 2);
    CHECK(d->top() == NULL);
}

static void test_mistakes(const Driver *d)
{
    int64_t *out = (int64_t *)(uintptr_t)0x1000;
    int launches = d->state->launches;

    CHECK(add_gpu(at(0x1000), at(0x2000), out_at(0x3000), 0, 256, NULL) == TILEC_AOT_OK);
    CHECK(add_gpu(at(0x1000), at(0x2000), out_at(0x3000), 8, 512, NULL) == TILEC_AOT_REFUSED);
    CHECK(small_gpu(out, out, 5, 16, 1, 65536, 1, NULL) == TILEC_AOT_BAD_ARGUMENT);
    CHECK(small_gpu(out, out, 5, 16, -1, 1, 1, NULL) == TILEC_AOT_BAD_ARGUMENT);
    CHECK(d->state->launches == launches);
    d->state->fail = "cuModuleLoadDataEx";
    d->state->result = 218;
    CHECK(small_gpu(out, out, 5, 16, 1, 1, 1, NULL) == TILEC_AOT_FAILED);
    CHECK(tilec_aot_gpu_problem() && strcmp(tilec_aot_gpu_problem(), "a fake error") == 0);
    d->state->fail = NULL;
    CHECK(small_gpu(out, out, 5, 16, 1, 65535, 1, NULL) == TILEC_AOT_OK);
    CHECK(tilec_aot_gpu_problem() == NULL && d->state->launched.grid[1] == 65535);
    CHECK(d->top() == NULL);
}

int main(int argc, char **argv)
{
    Driver d;

    if (argc > 1) {
        fputs(strcmp(argv[1], "big") == 0 ? big_gpu_1.image : add_gpu_1.image, stdout);
        return 0;
    }
    d = open_fake();
    test_launches(&d);
    test_contexts(&d);
    test_shared_memory(&d);
    test_workspaces(&d);
    test_maps(&d);
    test_mistakes(&d);
    if (failures == 0)
        printf("all is well\n");
    return failures != 0;
}
