/*
 * test_no_memory.c - compiling where the system gives no more memory: a status, never the end of
 * the process
 *
 * Each trial is a child of this process, which has loaded the code generator, with a limit a little
 * above what it has mapped.  Sanitizers map terabytes, so nothing can be limited under them.
 */
#include "scene.h"
#include "seed.h"

#include <sys/resource.h>
#include <sys/wait.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool can_limit = false;
#else
static const bool can_limit = true;
#endif

/* LLVM needs some megabytes for many rounds. */
static const char source[] = HEAD "@triton.jit\n"
                                  "def k(x, out, N: tl.constexpr):\n"
                                  "    i = tl.arange(0, 128)\n"
                                  "    for j in tl.static_range(N):\n"
                                  "        v = tl.load(x + i * (j + 3), mask=i < 77 + j)\n"
                                  "        tl.store(out + i * j, v, mask=i < 99 - j)\n";

static tilec_status prepare(Scene *s, int64_t rounds)
{
    const tilec_arg args[] = {{.kind = TILEC_ARG_TENSOR, .tensor = {(void *)64, TILEC_FP32, -1}},
                              {.kind = TILEC_ARG_TENSOR, .tensor = {(void *)64, TILEC_FP32, -1}},
                              of_int(NULL, rounds)};

    return tilec_prepare(s->file, NULL, args, 3, NULL, NULL);
}

/* Bytes that this process has mapped. */
static size_t mapped(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    size_t pages = 0;

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%zu", &pages), 1);
    fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* In a child: compile with so much memory left, then without a limit.  Its exit code is 0 when the
 * first gave a status that is right, and the second worked; 10 more when the first worked. */
static int compile_with(Scene *s, size_t left)
{
    struct rlimit limit, before;

    getrlimit(RLIMIT_AS, &before);
    limit = (struct rlimit){mapped() + left, before.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
    tilec_status status = prepare(s, 12);
    setrlimit(RLIMIT_AS, &before);
    if (status != TILEC_OK && status != TILEC_NO_MEMORY)
        return 1;
    return prepare(s, 12) != TILEC_OK ? 2 : status == TILEC_OK ? 10 : 0;
}

static void test_compiling_without_memory(void **state)
{
    static const int kilobytes[] = {0, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
    Scene *s = *state;
    int worked = 0, failed = 0;

    if (!has_cpu() || !can_limit)
        skip();
    load(s, source);
    assert_int_equal(prepare(s, 2), TILEC_OK);
    for (int i = 0; i < COUNT(kilobytes); i += thorough() ? 1 : 2) {
        pid_t child = fork();
        int status;

        if (child == 0)
            _exit(compile_with(s, (size_t)kilobytes[i] << 10));
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) % 10 != 0)
            print_error("with %d KiB: %x\n", kilobytes[i], (unsigned)status);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) % 10 == 0);
        worked += WEXITSTATUS(status) == 10;
        failed += WEXITSTATUS(status) == 0;
    }
    assert_true(worked > 0 && failed > (thorough() ? 3 : 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_compiling_without_memory)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
