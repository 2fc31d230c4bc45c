/*
 * test_random.c - random kernels on a target and, after the passes, in the interpreter
 *
 * The target is in question here: it gets kernels of random_kernel.h after all passes.
 * test_opt_random.c looks at the passes, one by one and without a target.
 *
 * Results are compared to the bit, but for the sign of zero.  Half of the kernels get arrays that
 * are parts of one array, and are compiled without the promise that arrays lie apart.
 *
 * The targets are the CPU's, and that for GPUs, in the simulator as an sm_90a and as an sm_80, or
 * on the device TILEC_VERSUS_DEVICE, with 1 to 8 warps.
 *
 * TILEC_SEED=N is the number of the first kernel, TILEC_RANDOM_COUNT how many there are.  Kernels
 * run in processes of their own; when one fails, ops are left out as long as it still does, and
 * what is left is printed.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random_kernel.h"

#include "seed.h"
#include <cmocka.h> /* after base.h: both have a fail() */

enum { PROGRAMS = 3, OVERLAP = 20, ARRAY = REGION - OVERLAP, MOST_REPORTS = 8 };

static const GenPlugin *plugin;
static bool apart; /* the kernels are made for a GPU */

static void add_array(Case *c, DType t, size_t n, bool random, uint64_t seed)
{
    size_t size = (size_t)dtype_size(t);
    uint8_t *x = NEW_N(c->arena, uint8_t, n * size);
    for (size_t i = 0; random && i < n; i++) {
        uint64_t bits = scalar_from_double(t, random_below(&seed, LIMIT) - LIMIT / 3);
        memcpy(x + i * size, &bits, size);
    }
    c->params[c->nparams++] = (Argument){.dtype = t, .n = n, .start = x, .close = 1e-30};
}

static bool overlaps(uint64_t seed)
{
    return seed % 2 != 0;
}

static bool aligned(uint64_t seed)
{
    return seed % 8 >= 6 && !overlaps(seed);
}

/* In an overlapping case the arrays of one type lie in the first of them, a few elements on. */
static Case make_case(Arena *a, uint64_t seed, const char *text)
{
    Case c = {.arena = a, .plugin = plugin, .grid = {PROGRAMS, 1, 1}, .text = text};
    c.aligned = aligned(seed);
    c.warps = apart && seed % 5 > 0 ? 1 << (seed % 5 - 1) : 0;
    uint64_t rng = seed;
    size_t own = apart ? PROGRAMS * REGION : ARRAY;
    for (int i = 0, first = 0; i < ARRAYS; i++) {
        if (array_types[i] != array_types[first])
            first = i;
        add_array(&c, array_types[i], i == first ? own + OVERLAP : own, true, seed + (uint64_t)i);
        if (overlaps(seed) && i != first) {
            c.params[i].inside = 1 + first;
            c.params[i].offset = (size_t)random_below(&rng, OVERLAP);
        }
    }
    add_array(&c, DT_I32, PROGRAMS * RESULTS * RESULT_SIZE, false, 0);
    add_array(&c, DT_FP32, PROGRAMS * RESULTS * RESULT_SIZE, false, 0);
    c.params[c.nparams++] = (Argument){.dtype = DT_I32, .bits = 21};
    return c;
}

static Engine engine_for(uint64_t seed)
{
    if (apart)
        return overlaps(seed) ? ENGINE_SIM : ENGINE_SIM_DISJOINT;
    if (overlaps(seed) || seed % 8 == 0)
        return ENGINE_CPU;
    return aligned(seed) ? ENGINE_CPU_STREAMING : ENGINE_CPU_DISJOINT;
}

/* True when all engines agree on what the text does, or the kernel with this number. */
static bool agree(uint64_t seed, const char *text, bool show)
{
    Arena *a = arena_new(NULL);
    if (text == NULL)
        text = random_kernel(a, seed, aligned(seed), apart);
    Case c = make_case(a, seed, text);
    const Engine engine = engine_for(seed);
    const struct {
        Engine engine;
        const char *chip;
    } runs[] = {{ENGINE_INTERP, NULL}, {engine, NULL}, {engine, "sm_80"}};
    int n = apart && versus_device() == NULL ? 3 : 2;
    bool ok = true;
    if (show)
        fprintf(stderr, "%s", text);
    for (int i = 0; i < n && ok; i++) {
        Text why = text_new(a);
        c.chip = runs[i].chip;
        ok = versus_run(&c, runs[i].engine, &why);
        if (!ok && c.chip != NULL)
            text_printf(&why, "on %s\n", c.chip);
        if (!ok && show)
            fprintf(stderr, "%s%s\n", overlaps(seed) ? "(b and c lie in a, y in x) " : "", why.s);
    }
    arena_free(a);
    return ok;
}

/* Of the CPU on each of several threads, since others may use the machine; one that hangs without
 * using it ends, too. */
static void limit_time(uint64_t seconds)
{
    const struct rlimit most = {4 * seconds, 4 * seconds};

    setrlimit(RLIMIT_CPU, &most);
    alarm((unsigned)(10 * seconds));
}

/* What a process of its own, which may crash or hang, says of a text, or of all `count` kernels
 * from `seed` on where there is no text. */
static bool agree_apart(uint64_t seed, uint64_t count, const char *text, bool show)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}; /* cmocka has them */
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < COUNT(deadly); i++)
            signal(deadly[i], SIG_DFL);
        limit_time(20 + 2 * count);
        if (!show && freopen("/dev/null", "w", stderr) == NULL)
            _exit(2);
        bool ok = true;
        for (uint64_t end = seed + count; seed < end && ok; seed++)
            ok = agree(seed, text, show);
        _exit(ok ? 0 : 1);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    if (show && WIFSIGNALED(status))
        fprintf(stderr, "stopped by signal %d\n", WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* --- leaving ops out --- */

typedef struct {
    int left;
    Op *found;
} Nth;

static void count_down(Op *op, void *ctx)
{
    Nth *nth = ctx;
    if (nth->left-- == 0)
        nth->found = op;
}

/* Addresses are made of these; without them, lanes or programs could meet or leave the arrays. What
 * a reduction does with two elements must stay associative. */
static bool is_vital(const Op *op)
{
    const Op *around = op->block->owner;
    if (around != NULL && (around->code == OP_reduce || around->code == OP_scan))
        return true;
    switch (op->code) {
    case OP_barrier:
        return true;
    case OP_program_id:
    case OP_num_programs:
    case OP_const:
    case OP_arange:
    case OP_splat:
    case OP_broadcast:
    case OP_expand:
    case OP_addptr:
    case OP_add:
    case OP_mul:
        return op->results[0]->type->rank > 0 || op->code == OP_const || op->code == OP_addptr;
    default:
        return op_has(op, ENDS);
    }
}

static void see_replaced(Op *op, void *ctx)
{
    (void)ctx;
    ir_resolve_operands(op);
}

/* The text without op number n, zeros in place of its results; NULL when that cannot be, or there
 * is no such op (*end). */
static const char *without(Arena *a, const char *text, int n, bool *end)
{
    Diags *d = diags_new(a, NULL);
    Source src = {"kernel.ir", text, strlen(text)};
    Module *m = ir_read(a, interner_new(a), &src, d);
    if (m == NULL)
        fail_msg("the kernel cannot be read: %s\n%s", diags_text(d, a), text);
    Nth nth = {.left = n};
    ir_walk(m->funcs[0]->body, count_down, &nth);
    Op *op = nth.found;
    *end = op == NULL;
    if (op == NULL || is_vital(op))
        return NULL;
    Builder b = builder_before(op);
    for (int i = 0; i < op->nresults; i++) {
        if (op->results[i]->type->pointer)
            return NULL;
        op->results[i]->repl = build_const(&b, op->results[i]->type, 0);
    }
    ir_walk(m->funcs[0]->body, see_replaced, NULL);
    op_remove(op);
    return opt_run_pass(m, "dce", d) && ir_verify(m, d) ? ir_print(m, a) : NULL;
}

static void report(uint64_t seed)
{
    Arena *a = arena_new(NULL);
    const char *text = random_kernel(a, seed, aligned(seed), apart);
    for (bool again = true; again;) {
        again = false;
        bool end = false;
        for (int n = 0; !end; n++) {
            const char *less = without(a, text, n, &end);
            if (less == NULL || agree_apart(seed, 1, less, false))
                continue;
            text = less;
            again = true;
            n--;
        }
    }
    agree_apart(seed, 1, text, true);
    arena_free(a);
    print_error("TILEC_SEED=%llu TILEC_RANDOM_COUNT=1 repeats this\n", (unsigned long long)seed);
}

/* LLVM, and more so a device of its own, is slow to open: a process tries many kernels, and one by
 * one only those among which one fails. */
static void try_kernels(void)
{
    const char *why = NULL;
    Arena *a = arena_new(NULL);
    plugin = run_plugin(a, &why);
    if (plugin == NULL)
        fail_msg("no code generator: %s", why);
    uint64_t first = first_seed(1), count = random_count(thorough() ? 25 : 15);
    uint64_t batch = versus_device() != NULL ? 64 : 16;
    int wrong = 0;
    for (uint64_t seed = first; seed < first + count && wrong < MOST_REPORTS; seed++) {
        uint64_t n = MIN(batch, first + count - seed);
        if (seed % batch == 0 && n == batch && agree_apart(seed, n, NULL, false)) {
            seed += n - 1;
        } else if (!agree_apart(seed, 1, NULL, false)) {
            report(seed);
            wrong++;
        }
    }
    arena_free(a);
    if (wrong > 0)
        fail_msg("%d kernels differ", wrong);
}

/* By the CPU target. */
static void test_random(void **state)
{
    (void)state;
    if (versus_device() != NULL)
        skip();
    try_kernels();
}

/* By the GPU target, in the simulator. */
static void test_random_apart(void **state)
{
    (void)state;
    apart = true;
    try_kernels();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_random_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
