/*
 * test_random_source.c - random kernels in the Triton language on every device without a GPU
 *
 * Kernels of random_source.h run on the interpreter as they are written, on the CPU, now and then
 * as code for one of its lower levels, and in the simulator as an sm_90a and as an sm_80, by way of
 * tilec.h, and must leave the same bits in all arrays.  What a GPU has no room for is refused, and
 * counted.
 *
 * TILEC_SEED=N is the number of the first kernel, TILEC_RANDOM_COUNT how many there are; a single
 * one is printed.  Processes try several kernels, and one by one those among which one fails.
 */
#include "random_source.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "../../src/device_cpu/device_cpu.h"
#include "seed.h"

enum { GUARD = 64, BATCH = 16, MOST_REPORTS = 8, REFUSED = 3 };

typedef struct {
    const char *device, *arch;
} Machine;

typedef struct {
    uint8_t *data[SOURCE_ARRAYS]; /* with guards on both sides */
} Memory;

static size_t element_size(const SourceArray *a)
{
    return tilec_dtype_size(a->dtype);
}

static size_t whole_bytes(const SourceArray *a)
{
    return (size_t)(a->n + 2 * GUARD + 1) * element_size(a);
}

static uint8_t *first_element(const SourceArray *a, uint8_t *data)
{
    return data + (GUARD + (a->odd ? 1 : 0)) * element_size(a);
}

/* Small whole numbers. */
static void fill(const SourceArray *a, uint8_t *data, uint64_t seed)
{
    size_t size = element_size(a);
    uint8_t *first = first_element(a, data);

    memset(data, 0x3c, whole_bytes(a));
    for (int64_t i = 0; i < a->n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int v = a->is_sum     ? 0
                : a->is_index ? (int)(seed >> 33) % 4
                              : (int)(seed >> 33) % 4 - (int)(seed >> 40) % 4;
        uint64_t bits = a->is_full ? seed >> 20 : scalar_from_double((DType)a->dtype, v);
        memcpy(first + (size_t)i * size, &bits, size);
    }
}

static Memory new_memory(Arena *a, const RandomSource *s, uint64_t seed)
{
    Memory m;

    for (int i = 0; i < s->narrays; i++) {
        if (s->arrays[i].same) {
            m.data[i] = m.data[s->arrays[i].same - 1];
            continue;
        }
        uintptr_t at = (uintptr_t)arena_alloc(a, whole_bytes(&s->arrays[i]) + 128);
        m.data[i] = (uint8_t *)((at + 127) / 128 * 128);
        fill(&s->arrays[i], m.data[i], seed + (uint64_t)i);
    }
    return m;
}

/* The level of this name where this machine has it, else NULL: what it has. */
static const char *cpu_level(const char *name)
{
    for (int i = 0; name && host_level(i); i++) {
        if (strcmp(host_level(i)->name, name) == 0 && host_has_level(i))
            return name;
    }
    return NULL;
}

static tilec_status launch_on(tilec_file *file, const RandomSource *s, const Memory *m,
                              const Machine *machine, char **error)
{
    tilec_arg args[SOURCE_ARRAYS + SOURCE_INTS];
    tilec_launch_options options = {.device = machine->device,
                                    .arch = machine->arch,
                                    .num_warps = s->num_warps,
                                    .num_stages = s->num_stages};
    int n = 0;

    for (int i = 0; i < s->narrays; i++) {
        const SourceArray *a = &s->arrays[i];
        args[n++] = (tilec_arg){.kind = TILEC_ARG_TENSOR,
                                .tensor = {first_element(a, m->data[i]), a->dtype, 1, &a->n}};
    }
    for (int i = 0; i < s->nints; i++)
        args[n++] = of_int(NULL, s->ints[i].value);
    return tilec_launch(file, NULL, s->grid, args, n, &options, error);
}

/* Says of the first element that differs what there is instead; zeros of both signs are the same,
 * which a maximum of them tells apart. */
static bool same(const RandomSource *s, const Memory *want, const Memory *got, Text *why)
{
    for (int i = 0; i < s->narrays; i++) {
        const SourceArray *a = &s->arrays[i];
        size_t size = element_size(a);
        for (size_t k = 0; k < whole_bytes(a) / size; k++) {
            uint64_t x = 0, y = 0;
            memcpy(&x, want->data[i] + k * size, size);
            memcpy(&y, got->data[i] + k * size, size);
            double v = scalar_to_double((DType)a->dtype, x);
            double z = scalar_to_double((DType)a->dtype, y);
            if (x == y || v == z)
                continue;
            text_printf(why, "%s[%ld] of %ld: wanted %.9g, got %.9g\n", a->name,
                        (long)k - GUARD - (a->odd ? 1 : 0), (long)a->n, v, z);
            return false;
        }
    }
    return true;
}

static void show_launch(const RandomSource *s)
{
    fprintf(stderr, "%s\n# grid %d, %d; num_warps %d, num_stages %d\n#", s->text.s, s->grid[0],
            s->grid[1], s->num_warps, s->num_stages);
    for (int i = 0; i < s->narrays; i++)
        fprintf(stderr, " %s: %s[%ld]%s", s->arrays[i].name, tilec_dtype_name(s->arrays[i].dtype),
                (long)s->arrays[i].n, s->arrays[i].odd ? " odd" : "");
    for (int i = 0; i < s->nints; i++)
        fprintf(stderr, " %s=%ld", s->ints[i].name, (long)s->ints[i].value);
    fprintf(stderr, "\n");
}

/* 0: all devices agree; 1: they do not; REFUSED: one of the GPUs has no room. */
static int agree(tilec_context *ctx, uint64_t seed, bool show)
{
    static const char *const levels[] = {NULL, NULL, "x86-64-v3", NULL, "x86-64-v2", "x86-64-v4"};
    static const Machine interp = {"interp", NULL};
    const Machine all[] = {
        {"cpu", cpu_level(levels[seed % COUNT(levels)])}, {"sim", "sm_90a"}, {"sim", "sm_80"}};
    Arena *a = arena_new(NULL);
    RandomSource s = random_source(a, seed);
    Text why = text_new(a);
    tilec_file *file = NULL;
    char *error = NULL;
    int answer = 0;
    Memory want = new_memory(a, &s, seed);

    if (show)
        show_launch(&s);
    tilec_status status = tilec_load_string(ctx, "random.py", s.text.s, s.text.len, &file, &error);
    if (status == TILEC_OK)
        status = launch_on(file, &s, &want, &interp, &error);
    if (status != TILEC_OK)
        text_printf(&why, "interp: %s\n", error);
    for (int i = 0; i < COUNT(all) && status == TILEC_OK; i++) {
        Memory got = new_memory(a, &s, seed);
        tilec_status there = launch_on(file, &s, &got, &all[i], &error);
        if (there == TILEC_FAILED && i > 0 && strstr(error, "bytes of shared memory")) {
            answer = REFUSED;
            tilec_free(error);
            error = NULL;
            continue;
        }
        status = there;
        if (status != TILEC_OK || !same(&s, &want, &got, &why)) {
            text_printf(&why, "on %s %s: %s\n", all[i].device, all[i].arch ? all[i].arch : "",
                        error ? error : "");
            status = TILEC_FAILED;
        }
    }
    if (show && status != TILEC_OK)
        fprintf(stderr, "%s\n", why.s);
    tilec_free(error);
    tilec_unload(file);
    arena_free(a);
    return status != TILEC_OK ? 1 : answer;
}

/* In a process of its own, which may crash or hang: as agree(), of several kernels the worst; how
 * many were refused goes to `refused`. */
static int agree_apart(uint64_t seed, uint64_t count, bool show, int *refused)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}; /* cmocka has them */
    const struct rlimit most = {60 + 20 * count, 60 + 20 * count};
    int status = 0;

    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        tilec_context *ctx = NULL;
        int refusals = 0;
        for (int i = 0; i < COUNT(deadly); i++)
            signal(deadly[i], SIG_DFL);
        setrlimit(RLIMIT_CPU, &most);
        alarm((unsigned)(10 * most.rlim_cur));
        if (!show && !freopen("/dev/null", "w", stderr))
            _exit(2);
        if (tilec_open(os_env("TILEC_CACHE_DIR") && !thorough() ? NULL : "", &ctx, NULL))
            _exit(2);
        for (uint64_t end = seed + count; seed < end; seed++) {
            int answer = agree(ctx, seed, show);
            if (answer == 1)
                _exit(1);
            refusals += answer == REFUSED;
        }
        _exit(100 + refusals);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    if (show && WIFSIGNALED(status))
        fprintf(stderr, "stopped by signal %d\n", WTERMSIG(status));
    if (!WIFEXITED(status) || WEXITSTATUS(status) < 100)
        return 1;
    *refused += WEXITSTATUS(status) - 100;
    return 0;
}

static void test_random_source(void **state)
{
    uint64_t first = first_seed(1), count = random_count(12), end = first + count;
    int wrong = 0, refused = 0;

    (void)state;
    if (!has_cpu())
        skip();
    for (uint64_t seed = first; seed < end && wrong < MOST_REPORTS;) {
        uint64_t n = MIN((uint64_t)BATCH, end - seed);
        int ignored = 0;
        if (count > 1 && agree_apart(seed, n, false, &refused) == 0) {
            seed += n;
            continue;
        }
        for (uint64_t last = seed + n; seed < last; seed++) {
            if (count > 1 && agree_apart(seed, 1, false, &refused) == 0)
                continue;
            if (agree_apart(seed, 1, true, &ignored) == 0)
                continue;
            wrong++;
            print_error("TILEC_SEED=%llu TILEC_RANDOM_COUNT=1 repeats this\n",
                        (unsigned long long)seed);
        }
    }
    printf("%d of %llu kernels have no room on a GPU\n", refused, (unsigned long long)count);
    if (wrong > 0)
        fail_msg("%d kernels differ", wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_source)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
