/*
 * test_sim_async.c - mbarriers and copies of many bytes in the simulator
 *
 * Each kernel of tests/sim/async.ptx is launched once as it should be, and once with each flaw that
 * a chip answers with a wrong number, now and then, or by waiting for ever.
 */
#include "sim_run.h"

enum { WORDS = 128, MOST_TILES = 7 };

typedef struct {
    char *text;
    SimRun run;
    _Alignas(16) uint32_t in[WORDS * MOST_TILES], out[WORDS * MOST_TILES];
} Scene;

static void open_scene(Scene *s, int warps)
{
    s->text = sim_file("async.ptx");
    s->run = sim_open(s->text, warps);
    for (uint32_t i = 0; i < COUNT(s->in); i++) {
        s->in[i] = 1000 + i;
        s->out[i] = 0;
    }
}

static void close_scene(Scene *s)
{
    sim_close(&s->run);
    free(s->text);
}

/* The launch must stop with that message. */
static void stops(SimRun *r, const char *kernel, SimFault kind, const char *why)
{
    sim_go(r, kernel);
    if (!strstr(r->error.text, why))
        fprintf(stderr, "'%s' is not in '%s'\n", why, r->error.text);
    assert_int_equal(r->status, SIM_FAULT);
    assert_non_null(strstr(r->error.text, why));
    assert_int_equal(r->error.kind, kind);
}

static void open_ring(Scene *s, uint32_t tiles, uint32_t flaws)
{
    open_scene(s, 2);
    sim_array(&s->run, 0, s->in, sizeof s->in);
    sim_array(&s->run, 1, s->out, sizeof s->out);
    s->run.args[2] = tiles;
    s->run.args[3] = flaws;
}

static void test_ring(void **state)
{
    Scene s;

    (void)state;
    for (uint32_t tiles = 0; tiles <= MOST_TILES; tiles++) {
        open_ring(&s, tiles, 0);
        sim_run(&s.run, "ring");
        for (uint32_t i = 0; i < COUNT(s.out); i++)
            assert_int_equal(s.out[i], i < WORDS * tiles ? s.in[i] + 1 : 0);
        close_scene(&s);
    }
}

static void test_flaws_of_rings(void **state)
{
    static const struct {
        uint32_t flaws, tiles;
        SimFault kind;
        const char *why;
    } flaws[] = {
        {1, MOST_TILES, SIM_SYNC, "more arrivals than the 1 that the mbarrier at byte 1024"},
        {4, MOST_TILES, SIM_SYNC, "while cp.async copies to it: a wait is missing"},
        {2, 1, SIM_SYNC, "where 0 arrivals and 16 bytes are missing"},
        {8, MOST_TILES, SIM_SYNC, "where 32 arrivals and 0 bytes are missing"},
        {16, MOST_TILES, SIM_SYNC, "copies bring 16 bytes more than the mbarrier at byte 1024"},
    };
    Scene s;

    (void)state;
    for (int i = 0; i < COUNT(flaws); i++) {
        open_ring(&s, flaws[i].tiles, flaws[i].flaws);
        if (flaws[i].flaws == 4) /* .. or of a stage that nothing is asked for, as turns have it */
            stops(&s.run, "ring", SIM_SYNC, "shared memory");
        else
            stops(&s.run, "ring", flaws[i].kind, flaws[i].why);
        close_scene(&s);
    }
}

static void open_back(Scene *s, uint32_t flaws)
{
    open_scene(s, 4);
    sim_array(&s->run, 0, s->out, sizeof s->out);
    s->run.args[1] = flaws;
}

static void test_copy_back(void **state)
{
    Scene s;

    (void)state;
    open_back(&s, 0);
    sim_run(&s.run, "back");
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(s.out[i], i);
    close_scene(&s);
    open_back(&s, 1);
    stops(&s.run, "back", SIM_SYNC, "with no fence.proxy.async behind");
    close_scene(&s);
    open_back(&s, 8); /* what others have fenced no barrier has told */
    stops(&s.run, "back", SIM_SYNC, "with no fence.proxy.async behind");
    close_scene(&s);
    open_back(&s, 2); /* it reads what was stored too early */
    sim_run(&s.run, "back");
    assert_int_equal(s.out[0], 77);
    close_scene(&s);
    open_back(&s, 4);
    stops(&s.run, "back", SIM_SYNC, "nobody has waited for");
    close_scene(&s);
}

static void test_meetings(void **state)
{
    Scene s;

    (void)state;
    open_scene(&s, 2);
    sim_array(&s.run, 0, s.out, sizeof s.out);
    s.run.args[1] = 5;
    sim_run(&s.run, "meet");
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(s.out[i], 5 * 64);
    close_scene(&s);
    open_scene(&s, 1); /* of 64 arrivals half, and test_wait asks for ever */
    s.run.launch.turns = 50;
    sim_array(&s.run, 0, s.out, sizeof s.out);
    s.run.args[1] = 1;
    stops(&s.run, "meet", SIM_CODE, "it has not ended");
    close_scene(&s);
}

/* One thread's body, and what is wrong with it. */
static void test_misuse(void **state)
{
    static const char *const wrong[][2] = {
        {"mbarrier.inval.shared.b64 [%r1+8];", "no mbarrier at byte 8"},
        {"mbarrier.arrive.shared.b64 _, [%r1+8];", "no mbarrier at byte 8"},
        {"mbarrier.init.shared.b64 [%r1], 1;", "mbarrier.inval is missing"},
        {"mbarrier.init.shared.b64 [%r1+8], 0;", "an mbarrier of 0 arrivals"},
        {"mbarrier.init.shared.b64 [%r1+4], 1;", "not a multiple of 8"},
        {"mbarrier.arrive.shared.b64 _, [%r1], 3;", "more arrivals than the 2"},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+16], [%rd1], 24, "
         "[%r1];",
         "24 bytes, which is no multiple of 16"},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+16], [%rd1+8], "
         "16, [%r1];",
         "not a multiple of 16"},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+16], [%rd1], 16, "
         "[%r1];",
         "the block ends while cp.async.bulk copies to byte 16"},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+16], [%rd1+16], "
         "32, [%r1];",
         "of an array of 32 bytes"},
    };
    static const char *const head =
        SIM_HEAD ".visible .entry k(.param .u64 p)\n{\n.shared .align 16 .b8 sm[64];\n"
                 ".reg .pred %p<2>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\nld.param.b64 %rd1, [p];\n"
                 "mov.b32 %r1, sm;\nmov.u32 %r2, %laneid;\nsetp.ne.s32 %p1, %r2, 0;\n"
                 "@%p1 bra L;\nmbarrier.init.shared.b64 [%r1], 2;\n";
    _Alignas(16) char array[32] = {0};
    char text[1500];

    (void)state;
    for (int i = 0; i < COUNT(wrong); i++) {
        snprintf(text, sizeof text, "%s%s\nL:\nret;\n}\n", head, wrong[i][0]);
        SimRun r = sim_open(text, 1);
        sim_array(&r, 0, array, sizeof array);
        sim_go(&r, "k");
        if (!strstr(r.error.text, wrong[i][1]))
            fprintf(stderr, "%s: '%s' is not in '%s'\n", wrong[i][0], wrong[i][1], r.error.text);
        assert_int_equal(r.status, SIM_FAULT);
        assert_non_null(strstr(r.error.text, wrong[i][1]));
        sim_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring),      cmocka_unit_test(test_flaws_of_rings),
        cmocka_unit_test(test_copy_back), cmocka_unit_test(test_meetings),
        cmocka_unit_test(test_misuse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
