/*
 * test_sampler.c - samples of threads: what the kernel gives, and that the sampler takes all of it
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "../../src/device_cpu/device_cpu.h"
#include "interp_text.h"

enum { PAGE = 4096, THREADS = 3 };

/* --- rings --- */

static const PerfEvent each_fault = {SAMPLE_MISSES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
                                     1};

/* Sanitizers would touch pages of their own. */
__attribute__((no_sanitize("thread"), no_sanitize("address"))) static void touch_new_pages(int n)
{
    size_t bytes = (size_t)n * PAGE;
    volatile char *p =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(p != MAP_FAILED);
    madvise((char *)p, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += PAGE)
        p[i] = 1;
    munmap((char *)p, bytes);
}

typedef struct {
    int n, here; /* `here`: of touch_new_pages(), about */
} Faults;

static void hear_fault(void *ctx, uint64_t address)
{
    Faults *f = ctx;
    uint64_t start = (uint64_t)(uintptr_t)touch_new_pages;

    f->n++;
    f->here += address > start && address < start + 1024;
}

static Faults faults_of(PerfRing *r)
{
    Faults f = {0};

    perf_ring_read(r, hear_fault, &f);
    return f;
}

static void test_rings_give_each_sample_once(void **state)
{
    PerfRing r;

    (void)state;
    if (!perf_ring_open(&r, &each_fault, 0)) {
        print_message("skipped: perf_event_open() says: %s\n", strerror(errno));
        skip();
    }
    touch_new_pages(100);
    assert_int_equal(faults_of(&r).n, 0);
    perf_ring_count(&r, true);
    for (int i = 0; i < 30; i++) { /* several times around the ring */
        touch_new_pages(1000);
        Faults f = faults_of(&r);
        assert_in_range(f.here, 1000, 1001);
        assert_true(f.n >= f.here);
    }
    perf_ring_count(&r, false);
    faults_of(&r);
    touch_new_pages(100);
    assert_int_equal(faults_of(&r).n, 0);
    perf_ring_close(&r);
}

/* --- the sampler --- */

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double compute(double seconds)
{
    double start = cpu_seconds();

    while (cpu_seconds() < start + seconds) {
        for (volatile int i = 0; i < 10000; i++)
            continue;
    }
    return cpu_seconds() - start;
}

static void *join_and_compute(void *seconds)
{
    sampler_join();
    *(double *)seconds = compute(*(double *)seconds);
    return NULL;
}

typedef struct {
    double steps, cycles, instructions;
    char clock[16];
} Heard;

static void hear_sample(void *ctx, const DeviceSample *s)
{
    Heard *h = ctx;

    assert_true(s->steps == 1 || s->steps == 0);
    h->steps += s->steps;
    h->cycles += s->cycles;
    h->instructions += s->instructions;
    assert_true(strlen(s->clock) < sizeof h->clock);
    strcpy(h->clock, s->clock);
}

/* False, and it says so: this machine has no such samples. */
static bool start_with(const char *clock)
{
    const char *why = "";

    setenv("TILEC_SAMPLES", clock, 1);
    RunStatus status = sampler_start(&why);
    unsetenv("TILEC_SAMPLES");
    if (status != RUN_OK)
        print_message("skipped: %s: %s\n", clock, why);
    return status == RUN_OK;
}

/* Samples of some threads, after each has computed for a while; `computed`: all of them. */
static Heard sample_threads(double seconds, double *computed)
{
    pthread_t threads[THREADS];
    double took[THREADS];
    Heard heard = {0};

    for (int i = 0; i < THREADS; i++) {
        took[i] = seconds;
        assert_int_equal(pthread_create(&threads[i], NULL, join_and_compute, &took[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        *computed += took[i];
    }
    sampler_stop(hear_sample, &heard);
    return heard;
}

/* Never more steps than fit into the time that was computed; at least a share of them, in the best
 * of some tries: a busy system looks less often.  A second of a thread is `rate` of these. */
static void check_steps(const char *clock, double rate, double share)
{
    double best = 0;

    for (int tries = 0; tries < 20 && best < share; tries++) {
        double computed = 0;
        if (tries > 0)
            assert_true(start_with(clock));
        Heard h = sample_threads(0.15, &computed);
        assert_string_equal(h.clock, clock);
        assert_true(h.cycles == 0 && h.instructions == 0);
        assert_true(h.steps <= 1.1 * computed * rate);
        best = MAX(best, h.steps / (computed * rate));
    }
    assert_true(best >= share);
}

static void test_the_clock_of_the_system_samples_all_threads(void **state)
{
    (void)state;
    if (!start_with("cpu-clock"))
        skip();
    check_steps("cpu-clock", 1 / 500e-6, 0.4);
}

static void test_timers_sample_all_threads(void **state)
{
    (void)state;
    assert_true(start_with("timer"));
    check_steps("timer", 1000, 0.07); /* as often as the system looks */
}

static void test_counters_sample_all_threads(void **state)
{
    double computed = 0;

    (void)state;
    if (!start_with("cycles"))
        skip();
    Heard h = sample_threads(0.3, &computed);
    assert_true(strncmp(h.clock, "cycles", 6) == 0);
    assert_true(h.cycles > computed * 2e8 && h.cycles < computed * 1e10);
    assert_true(h.instructions == 0 || h.instructions > 0.05 * h.cycles);
}

static void test_a_pause_is_left_out(void **state)
{
    static const char *const clocks[] = {"cpu-clock", "timer"};

    (void)state;
    for (int i = 0; i < COUNT(clocks); i++) {
        Heard h = {0};
        if (!start_with(clocks[i]))
            continue;
        sampler_join();
        sampler_pause(true);
        compute(0.1);
        sampler_stop(hear_sample, &h);
        assert_true(h.steps <= 2);
        h = (Heard){0};
        /* a busy machine looks less often */
        for (int tries = 0; tries < 10 && h.steps <= 10; tries++) {
            assert_true(start_with(clocks[i]));
            sampler_pause(true);
            sampler_join();
            sampler_pause(false);
            sampler_pause(false);
            compute(0.1);
            sampler_stop(hear_sample, &h);
        }
        assert_true(h.steps > 10);
    }
}

static void test_kinds_that_nobody_knows_are_refused(void **state)
{
    const char *why = "";

    (void)state;
    setenv("TILEC_SAMPLES", "sundial", 1);
    assert_int_equal(sampler_start(&why), RUN_FAILED);
    assert_string_equal(why, "TILEC_SAMPLES is none of cycles, cpu-clock and timer");
    setenv("TILEC_SAMPLES", "", 1);
    assert_int_equal(sampler_start(&why), RUN_OK);
    assert_int_equal(sampler_start(&why), RUN_FAILED);
    assert_string_equal(why, "samples are being taken already");
    sampler_stop(hear_sample, &(Heard){0});
    unsetenv("TILEC_SAMPLES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rings_give_each_sample_once),
        cmocka_unit_test(test_the_clock_of_the_system_samples_all_threads),
        cmocka_unit_test(test_timers_sample_all_threads),
        cmocka_unit_test(test_counters_sample_all_threads),
        cmocka_unit_test(test_a_pause_is_left_out),
        cmocka_unit_test(test_kinds_that_nobody_knows_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
