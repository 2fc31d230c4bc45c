/*
 * test_long.c - long programs: the code generator on a thread with a small stack
 *
 * Every test makes the text of a kernel whose values depend on each other in one long chain, and
 * compiles it where a call for each link of the chain would overflow the stack.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../src/gen/gen.h"
#include "../../src/opt/opt.h"
#include "../../src/run/run.h"

#include "seed.h"
#include <cmocka.h> /* behind base.h, because it makes fail() a macro */

enum { STACK = 256 << 10, TOO_MANY_LINKS = 300000 };

/* More than the stack has room for calls, which take a hundred bytes and more each. */
static int many_links(void)
{
    return thorough() ? 8000 : 2600;
}

static int few_links(void)
{
    return thorough() ? 800 : 150;
}

static int most_links(void)
{
    return thorough() ? 50000 : 8000;
}

typedef struct {
    const GenPlugin *plugin;
    const char *text;
    GenStage stage;
    bool ok;
    double seconds; /* of this thread alone, however busy the machine is */
    int block;      /* lines of the longest block of the code */
    char said[256];
} Job;

static const char head[] = "kernel @k(%x: *fp32, %out: *fp32, %t: *i32, %n: i32) {\n"
                           "  %i = arange start=0 : i32[64]\n"
                           "  %px = splat %x : *fp32[64]\n"
                           "  %pt = splat %t : *i32[64]\n"
                           "  %nn = splat %n : i32[64]\n"
                           "  %p0 = addptr %px, %i : *fp32[64]\n"
                           "  %po = splat %out : *fp32[64]\n"
                           "  %to = addptr %po, %i : *fp32[64]\n"
                           "  %yes = lt %i, %nn : i1[64]\n";

static double thread_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Labels and functions begin where other lines are indented. */
static int longest_block(const GenOutput *out)
{
    const char *line = out->data, *end = line + out->len;
    int longest = 0, lines = 0;

    for (const char *next; (next = memchr(line, '\n', (size_t)(end - line))); line = next + 1) {
        lines = *line == ' ' ? lines + 1 : 0;
        longest = MAX(longest, lines);
    }
    return longest;
}

/* No pass is run: they would fold what these chains are made of. */
static void *compile(void *p)
{
    Job *job = p;
    Arena *a = arena_new(NULL);
    Diags *d = diags_new(a, NULL);
    const Source *src = source_add(diags_sources(d), "long.ir", job->text, strlen(job->text));
    Module *m = ir_read(a, interner_new(a), src, d);
    GenOptions g = {.cpu = "x86-64", .features = "+avx,+avx2,+fma", .disjoint = true};
    GenOutput out;

    double before = thread_seconds();
    job->ok = m && job->plugin->targets[0]->emit(m->funcs[0], &g, job->stage, a, &out, d);
    job->seconds = thread_seconds() - before;
    job->block = job->ok && job->stage == GEN_LLVM ? longest_block(&out) : 0;
    snprintf(job->said, sizeof job->said, "%s", diags_text(d, a));
    arena_free(a);
    return NULL;
}

/* `links` lines made from a format that takes the numbers of this link and the one before.
 * `refusal`: what is said instead, or NULL. */
static Job run_chain(Arena *a, int links, GenStage stage, const char *first, const char *link,
                     const char *last, const char *refusal)
{
    Text t = text_new(a);
    Job job = {.stage = stage};
    pthread_attr_t attr;
    pthread_t thread;

    job.plugin = run_plugin(a, &(const char *){NULL});
    assert_non_null(job.plugin);
    text_printf(&t, "%s%s", head, first);
    for (int i = 1; i <= links; i++)
        text_printf(&t, link, i, i - 1);
    text_printf(&t, last, links);
    text_put(&t, "  return\n}\n");
    job.text = t.s;
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attr, compile, &job), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attr);
    if (refusal ? job.ok || !strstr(job.said, refusal) : !job.ok)
        fail_msg("%s", job.said);
    return job;
}

/* Gives the seconds that it took. */
static double compile_chain(Arena *a, int links, GenStage stage, const char *first,
                            const char *link, const char *last, const char *refusal)
{
    return run_chain(a, links, stage, first, link, last, refusal).seconds;
}

/* Plan, LLVM IR, and for fewer links machine code, where LLVM takes longest. */
static void check_chain(int links, const char *first, const char *link, const char *last)
{
    Arena *a = arena_new(NULL);

    compile_chain(a, links, GEN_PLAN, first, link, last, NULL);
    compile_chain(a, links, GEN_LLVM, first, link, last, NULL);
    compile_chain(a, few_links(), GEN_OBJECT, first, link, last, NULL);
    arena_free(a);
}

static void test_values(void **state)
{
    (void)state;
    check_chain(most_links(), "  %v0 = load %p0 : fp32[64]\n",
                "  %%w%1$d = mul %%v%2$d, %%v%2$d : fp32[64]\n"
                "  %%v%1$d = add %%w%1$d, %%v0 : fp32[64]\n",
                "  store %%to, %%v%d\n");
}

static void test_scalars(void **state)
{
    (void)state;
    check_chain(many_links(), "  %v0 = load %x : fp32\n  %c = const 2.0 : fp32\n",
                "  %%v%1$d = mul %%v%2$d, %%v%2$d : fp32\n", "  store %%out, %%v%d\n");
}

static void test_masks(void **state)
{
    (void)state;
    check_chain(many_links(), "  %m0 = lt %i, %nn : i1[64]\n",
                "  %%y%1$d = load %%pt, %%yes : i32[64]\n"
                "  %%z%1$d = lt %%y%1$d, %%nn : i1[64]\n"
                "  %%m%1$d = and %%z%1$d, %%m%2$d : i1[64]\n",
                "  %%v = load %%p0, %%m%1$d : fp32[64]\n  store %%to, %%v, %%m%1$d\n");
}

static void test_addresses(void **state)
{
    (void)state;
    check_chain(many_links(), "", "  %%p%1$d = addptr %%p%2$d, %%nn : *fp32[64]\n",
                "  %%v = load %%p%d : fp32[64]\n  store %%to, %%v\n");
}

static void test_indices(void **state)
{
    (void)state;
    check_chain(many_links(), "  %j0 = add %i, %nn : i32[64]\n",
                "  %%a%1$d = addptr %%pt, %%j%2$d : *i32[64]\n"
                "  %%j%1$d = load %%a%1$d : i32[64]\n",
                "  %%p = addptr %%px, %%j%d : *fp32[64]\n"
                "  %%v = load %%p : fp32[64]\n  store %%to, %%v\n");
}

static void test_others(void **state)
{
    (void)state;
    check_chain(many_links(), "  %v0 = load %p0 : fp32[64]\n",
                "  %%v%1$d = load %%p0, %%yes, %%v%2$d : fp32[64]\n", "  store %%to, %%v%d\n");
}

/* The detours of a usual select begin in the values before it. */
static void test_detours(void **state)
{
    (void)state;
    check_chain(many_links(), "  %v0 = load %p0 : fp32[64]\n",
                "  %%c%1$d = lt %%v%2$d, %%v0 : i1[64]\n"
                "  %%h%1$d = hint %%c%1$d kind=likely : i1[64]\n"
                "  %%a%1$d = mul %%v%2$d, %%v0 : fp32[64]\n"
                "  %%b%1$d = add %%v%2$d, %%v0 : fp32[64]\n"
                "  %%v%1$d = select %%h%1$d, %%a%1$d, %%b%1$d : fp32[64]\n",
                "  store %%to, %%v%d\n");
}

/* Addresses that are all made from one number: LLVM extended it, and cut it back for each. */
static void test_offsets(void **state)
{
    (void)state;
    check_chain(many_links(), "  %v0 = load %x : fp32\n",
                "  %%c%1$d = const %1$d : i32\n"
                "  %%o%1$d = mul %%n, %%c%1$d : i32\n"
                "  %%p%1$d = addptr %%x, %%o%1$d : *fp32\n"
                "  %%l%1$d = load %%p%1$d : fp32\n"
                "  %%v%1$d = add %%v%2$d, %%l%1$d : fp32\n",
                "  store %%out, %%v%d\n");
}

/* Linear from some length on: this took half a minute. */
static void test_long_object(void **state)
{
    Arena *a = arena_new(NULL);

    (void)state;
    compile_chain(a, many_links() / 2, GEN_OBJECT, "  %v0 = const 1 : i32\n",
                  "  %%w%1$d = mul %%v%2$d, %%n : i32\n"
                  "  %%s%1$d = shr %%v%2$d, %%w%1$d : i32\n"
                  "  %%v%1$d = xor %%w%1$d, %%s%1$d : i32\n",
                  "  store %%t, %%v%d\n", NULL);
    arena_free(a);
}

/* Five times the links take no more than `MOST_TIMES` the time, measured again where they seem to.
 * Before long code was cut in pieces they took 12 times as long and more. */
static void check_linear(int links, const char *first, const char *link, const char *last)
{
    enum { MORE = 5, MOST_TIMES = 8, TRIES = 20 };
    Arena *a = arena_new(NULL);
    double few = 0, many = 0;

    for (int i = 0; i < TRIES && (i == 0 || many > MOST_TIMES * few); i++) {
        few = compile_chain(a, links, GEN_OBJECT, first, link, last, NULL);
        many = compile_chain(a, MORE * links, GEN_OBJECT, first, link, last, NULL);
    }
    if (many > MOST_TIMES * few)
        fail_msg("%d links take %.3f s, %d take %.3f s", links, few, MORE * links, many);
    arena_free(a);
}

static void test_linear(void **state)
{
    (void)state;
    check_linear(thorough() ? 500 : 250, "  %v0 = add %n, %n : i32\n",
                 "  %%c%1$d = const %1$d : i32\n"
                 "  %%d%1$d = div %%v%2$d, %%c%1$d : i32\n"
                 "  %%v%1$d = add %%d%1$d, %%n : i32\n",
                 "  store %%t, %%v%d\n");
    check_linear(thorough() ? 200 : 120, "  %v0 = load %p0 : fp32[64]\n",
                 "  %%r%1$d = reduce %%v%2$d axis=0 : fp32 { (%%a%1$d: fp32, %%b%1$d: fp32)\n"
                 "    %%c%1$d = add %%a%1$d, %%b%1$d : fp32\n"
                 "    yield %%c%1$d\n"
                 "  }\n"
                 "  %%s%1$d = splat %%r%1$d : fp32[64]\n"
                 "  %%v%1$d = add %%v%2$d, %%s%1$d : fp32[64]\n",
                 "  store %%to, %%v%d\n");
}

/* A piece of a long function is one block, its first: LLVM ordered all of it as one, and held what
 * it had loaded in thousands of slots of the stack. */
static void test_blocks(void **state)
{
    enum { LINKS = 400, MOST_LINES = 1000 };
    Arena *a = arena_new(NULL);
    Job job = run_chain(a, LINKS, GEN_LLVM, "  %v0 = load %p0 : fp32[64]\n",
                        "  %%c%1$d = const %1$d : i32\n"
                        "  %%s%1$d = splat %%c%1$d : i32[64]\n"
                        "  %%o%1$d = mul %%i, %%s%1$d : i32[64]\n"
                        "  %%a%1$d = addptr %%px, %%o%1$d : *fp32[64]\n"
                        "  %%d%1$d = sub %%nn, %%s%1$d : i32[64]\n"
                        "  %%m%1$d = lt %%i, %%d%1$d : i1[64]\n"
                        "  %%l%1$d = load %%a%1$d, %%m%1$d : fp32[64]\n"
                        "  %%v%1$d = add %%v%2$d, %%l%1$d : fp32[64]\n",
                        "  store %%to, %%v%d\n", NULL);

    (void)state;
    assert_in_range(job.block, 100, MOST_LINES);
    arena_free(a);
}

static void test_too_long(void **state)
{
    (void)state;
    if (!thorough())
        skip(); /* a second to read so many lines */
    Arena *a = arena_new(NULL);
    compile_chain(a, TOO_MANY_LINKS, GEN_OBJECT, "  %v0 = load %x : fp32\n",
                  "  %%v%1$d = mul %%v%2$d, %%v%2$d : fp32\n", "  store %%out, %%v%d\n",
                  "long.ir:250010:14: error: this kernel is too long");
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),      cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_masks),       cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_indices),     cmocka_unit_test(test_others),
        cmocka_unit_test(test_detours),     cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_long_object), cmocka_unit_test(test_linear),
        cmocka_unit_test(test_blocks),      cmocka_unit_test(test_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
