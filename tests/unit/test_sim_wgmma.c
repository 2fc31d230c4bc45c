/*
 * test_sim_wgmma.c - products of warp groups in the simulator
 *
 * Those of tests/sim/wgmma_case.h are compared with plain loops, bit by bit.  Then kernels that
 * misuse registers, shared memory or groups must be stopped, and those that come near must not.
 */
#include "../sim/wgmma_case.h"
#include "seed.h"
#include "sim_run.h"

static WgmmaData data;
static uint32_t out[WGMMA_COLUMNS / 2][WGMMA_THREADS];

/* Sums that are rounded are rounded once here, and twice in plain loops, from double. */
static bool is_good(const WgmmaCase *c, uint32_t got, uint32_t wanted)
{
    double error = wgmma_decode(c->d, got) - wgmma_decode(c->d, wanted);
    int bits = wgmma_mantissa(c->d);

    return got == wanted || (c->rough && bits == 23 &&
                             fabs(error) <= ldexp(fabs(wgmma_decode(c->d, wanted)), -bits));
}

static void compare(const WgmmaCase *c)
{
    char name[200];

    for (int r = 0; r < wgmma_results(c); r++) {
        for (int t = 0; t < WGMMA_THREADS; t++) {
            if (is_good(c, out[r][t], data.after[r][t]))
                continue;
            wgmma_name(c, name, sizeof name);
            fprintf(stderr, "%s: register %d of thread %d: %08x, not %08x\n", name, r, t, out[r][t],
                    data.after[r][t]);
            assert_int_equal(out[r][t], data.after[r][t]);
        }
    }
}

static void check_case(const WgmmaCase *c, uint64_t seed)
{
    wgmma_make(c, &data, seed);
    SimRun r = sim_open(data.text, 4);
    memset(out, 0xff, sizeof out);
    sim_array(&r, 0, data.image, sizeof data.image);
    sim_array(&r, 1, data.left, sizeof data.left);
    sim_array(&r, 2, data.before, sizeof data.before);
    sim_array(&r, 3, out, sizeof out);
    sim_run(&r, "product");
    compare(c);
    sim_close(&r);
}

static void test_products(void **state)
{
    int step = thorough() ? 1 : 17, done = 0;
    WgmmaCase c;

    (void)state;
    for (int i = 0; i < WGMMA_CASES; i += step) {
        if (!wgmma_case(i, &c))
            continue;
        check_case(&c, (uint64_t)i);
        done++;
    }
    assert_true(done > 120);
}

static void test_rounding(void **state)
{
    WgmmaCase c;

    (void)state;
    for (int i = 0; wgmma_rough_case(i, &c); i++)
        check_case(&c, (uint64_t)i);
}

/* Patterns of swizzling that do not begin at a multiple of 1024 bytes. */
static void test_base_offsets(void **state)
{
    WgmmaCase c;

    (void)state;
    for (int i = 0; wgmma_shifted_case(i, &c); i++)
        check_case(&c, (uint64_t)i);
}

/* --- what must not be --- */

/* A group's kernel: zeros at 0, 64 rows of A of 16 k, and at 2048, 8 columns of B, or 16. */
#define HEAD                                                                                       \
    SIM_HEAD ".visible .entry k(.param .u64 p)\n{\n.shared .align 128 .b8 sm[8192];\n"             \
             ".reg .pred %p<3>;\n.reg .b32 %r<9>, %a<4>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n"   \
             "ld.param.b64 %rd0, [p];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 4;\n"               \
             "mov.b32 %r3, 0;\nst.shared.v4.b32 [%r2], {%r3, %r3, %r3, %r3};\n"                    \
             "setp.ge.s32 %p0, %r1, 32;\n@!%p0 st.shared.v4.b32 [%r2+2048], {%r3, %r3, %r3, %r3};" \
             "\nmov.b64 %rd1, 0x0000000800400000;\nmov.b64 %rd2, 0x0000001000080080;\n"            \
             "setp.eq.s32 %p1, %r3, 0;\nsetp.lt.s32 %p2, %r1, 16;\n"                               \
             "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
#define FENCE "wgmma.fence.sync.aligned;\n"
#define COMMIT "wgmma.commit_group.sync.aligned;\n"
#define WAIT "wgmma.wait_group.sync.aligned 0;\n"
#define TYPES ".f32.bf16.bf16 "
#define MMA                                                                                        \
    "wgmma.mma_async.sync.aligned.m64n8k16" TYPES                                                  \
    "{%f0, %f1, %f2, %f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;\n"
#define MMA_LEFT                                                                                   \
    "wgmma.mma_async.sync.aligned.m64n8k16" TYPES                                                  \
    "{%f0, %f1, %f2, %f3}, {%a0, %a1, %a2, %a3}, %rd2, %p1, 1, 1, 0;\n"
#define MMA_WIDE                                                                                   \
    "wgmma.mma_async.sync.aligned.m64n16k16" TYPES                                                 \
    "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %rd1, %rd2, %p1, 1, 1, 0, 0;\n"
#define STORE "st.shared.b32 [%r2], %r3;\n"

static void test_registers(void **state)
{
    static const char *const result = "it touches a register that is a result";
    static const char *const unfenced = "of its results was touched with no wgmma.fence behind";
    const SimMisuse all[] = {
        {FENCE MMA COMMIT WAIT "add.f32 %f0, %f0, %f1;\n", NULL},
        {FENCE MMA MMA COMMIT MMA COMMIT WAIT, NULL},
        {FENCE MMA COMMIT WAIT MMA COMMIT WAIT, NULL},
        {FENCE MMA COMMIT WAIT "add.f32 %f0, %f0, %f1;\n" FENCE MMA COMMIT WAIT, NULL},
        {FENCE MMA COMMIT "@!%p1 mov.f32 %f0, 0f00000000;\n" WAIT, NULL}, /* by no lane */
        {FENCE MMA COMMIT "mov.f32 %f0, 0f00000000;\n" WAIT, result},
        {FENCE MMA COMMIT "add.f32 %f8, %f3, %f8;\n" WAIT, result},
        {FENCE MMA WAIT "add.f32 %f8, %f3, %f8;\n", result}, /* it is in no group */
        {FENCE MMA COMMIT MMA COMMIT "wgmma.wait_group.sync.aligned 1;\nmov.f32 %f8, %f0;\n",
         result},
        {FENCE MMA COMMIT FENCE "st.shared.f32 [%r2], %f1;\n" WAIT, result},
        {FENCE MMA_LEFT COMMIT MMA_LEFT COMMIT WAIT, NULL},
        {FENCE MMA_LEFT COMMIT "mov.b32 %a3, 1;\n" WAIT, "it touches a register that is in A"},
        {FENCE MMA COMMIT MMA_WIDE COMMIT WAIT, "of another shape"},
        {FENCE MMA COMMIT WAIT MMA_WIDE COMMIT WAIT, unfenced},
        {FENCE MMA COMMIT WAIT FENCE MMA_WIDE COMMIT WAIT, NULL},
        {MMA COMMIT WAIT, "a wgmma.fence is missing in front of the first"},
        {FENCE "mov.f32 %f0, 0f00000000;\n" MMA COMMIT WAIT, unfenced},
        {FENCE MMA COMMIT WAIT "mov.f32 %f8, %f0;\n" MMA COMMIT WAIT, unfenced},
        {FENCE "mov.b32 %a2, 1;\n" MMA_LEFT COMMIT WAIT, "register 2 of its A was touched"},
        {"mov.b32 %a2, 1;\n" FENCE MMA_LEFT COMMIT WAIT, NULL},
    };

    (void)state;
    for (int i = 0; i < COUNT(all); i++)
        sim_misuse(HEAD, &all[i], 4);
}

static void test_shared_memory(void **state)
{
    static const char *const wait = "reads: wgmma.wait_group is missing";
    static const char *const fence = "with no fence.proxy.async behind";
    const SimMisuse all[] = {
        {FENCE MMA COMMIT WAIT STORE "fence.proxy.async;\nbar.sync 0;\n" MMA COMMIT WAIT, NULL},
        {FENCE MMA COMMIT STORE WAIT, wait},
        {FENCE MMA COMMIT MMA COMMIT "wgmma.wait_group.sync.aligned 1;\n" STORE WAIT, wait},
        {FENCE MMA COMMIT "cp.async.ca.shared.global [%r2], [%rd0], 16;\n" WAIT, wait},
        {FENCE MMA COMMIT "atom.shared.add.u32 %r4, [%r2], 1;\n" WAIT, wait},
        {FENCE MMA COMMIT "st.shared.b32 [%r2+2560], %r3;\n" WAIT, NULL}, /* it reads elsewhere */
        {FENCE MMA COMMIT "ld.shared.b32 %r4, [%r2];\n" WAIT, NULL},
        {STORE "bar.sync 0;\n" FENCE MMA COMMIT WAIT, fence},
        {STORE "fence.proxy.async.global;\nbar.sync 0;\n" FENCE MMA COMMIT WAIT, fence},
        {STORE "bar.sync 0;\nfence.proxy.async;\n" FENCE MMA COMMIT WAIT, fence},
        {STORE "fence.proxy.async;\n" FENCE MMA COMMIT WAIT, "with no barrier between"},
        {"cp.async.ca.shared.global [%r2], [%rd0], 16;\ncp.async.wait_all;\nbar.sync 0;\n" FENCE MMA
             COMMIT WAIT,
         fence},
        {"cp.async.ca.shared.global [%r2], [%rd0], 16;\ncp.async.wait_all;\nfence.proxy.async;\n"
         "bar.sync 0;\n" FENCE MMA COMMIT WAIT,
         NULL},
        {"cp.async.ca.shared.global [%r2], [%rd0], 16;\nfence.proxy.async;\nbar.sync 0;\n" FENCE MMA
             COMMIT WAIT,
         "while cp.async copies to it"},
        {"mov.b64 %rd1, 0x0000000800400100;\n" FENCE MMA COMMIT WAIT, "which nobody has written"},
        {"mov.b64 %rd1, 0x0000000800400200;\n" FENCE MMA COMMIT WAIT, "of 8192 bytes of shared"},
    };

    (void)state;
    for (int i = 0; i < COUNT(all); i++)
        sim_misuse(HEAD, &all[i], 4);
}

static void test_groups(void **state)
{
    static const SimMisuse all[] = {
        {FENCE MMA COMMIT, "it has not waited for"},
        {FENCE MMA WAIT, "it has not waited for"},
        {"@%p2 bra L;\n" FENCE "L:\n", "a part of the warp does not reach"},
        {"@%p0 mov.b64 %rd2, 0x0000000800080080;\n" FENCE MMA COMMIT WAIT,
         "it asks for another wgmma.mma_async than others of its group"},
        {"@%p2 mov.b64 %rd2, 0x0000000800080080;\n" FENCE MMA COMMIT WAIT,
         "the lanes of a warp give wgmma different descriptors"},
        {"setp.lt.s32 %p1, %r1, 16;\n" FENCE MMA COMMIT WAIT, "differ about whether wgmma adds"},
        {FENCE "@%p0 bra L;\n" MMA "L:\n" COMMIT WAIT, "which warp 1 has not asked for"},
        {"setmaxnreg.inc.sync.aligned.u32 232;\n", NULL},
        {"setmaxnreg.inc.sync.aligned.u32 100;\n", "setmaxnreg of 100 registers"},
        {"setmaxnreg.dec.sync.aligned.u32 264;\n", "setmaxnreg of 264 registers"},
    };
    static const SimMisuse few = {FENCE, "wgmma needs a group of four warps, and the block has 2"};

    (void)state;
    for (int i = 0; i < COUNT(all); i++)
        sim_misuse(HEAD, &all[i], 4);
    sim_misuse(HEAD, &few, 2);
}

/* 20 warps are launched with 96 registers of a thread each, so 4 that keep 24 leave the others 114.
 */
static void test_all_registers(void **state)
{
    static const char *const asked[] = {"112", "120"};
    char text[1000];

    (void)state;
    for (int i = 0; i < COUNT(asked); i++) {
        snprintf(text, sizeof text,
                 ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
                 ".reg .pred %%p<1>;\n.reg .b32 %%r<1>;\nmov.u32 %%r0, %%tid.x;\n"
                 "setp.ge.s32 %%p0, %%r0, 128;\n@%%p0 bra L;\n"
                 "setmaxnreg.dec.sync.aligned.u32 24;\nret;\nL:\n"
                 "setmaxnreg.inc.sync.aligned.u32 %s;\nret;\n}\n",
                 asked[i]);
        SimRun r = sim_open(text, 20);
        sim_go(&r, "k");
        assert_int_equal(r.status, i == 0 ? SIM_OK : SIM_FAULT);
        assert_true(i == 0 || strstr(r.error.text, "and wait for ever"));
        sim_close(&r);
    }
}

/* Each warp executes it once, and so does one that waits for others. */
static void test_counts(void **state)
{
    static const char *const names[] = {"\nwgmma.mma_async", "\nwgmma.wait_group"};
    char text[4000];

    (void)state;
    snprintf(text, sizeof text, "%s%sret;\n}\n", HEAD, FENCE MMA COMMIT WAIT);
    SimRun r = sim_open(text, 4);
    r.launch.counts = &r.counts;
    r.launch.nranges = -1;
    sim_run(&r, "k");
    for (int i = 0; i < COUNT(names); i++) {
        int line = 2, found = 0;

        for (const char *s = text; s < strstr(text, names[i]); s++)
            line += *s == '\n';
        for (int k = 0; k < r.counts.count; k++) {
            if (r.counts.lines[k].line != line)
                continue;
            assert_int_equal(r.counts.lines[k].work.instructions, 4);
            assert_int_equal(r.counts.lines[k].work.lanes, 128);
            found++;
        }
        assert_int_equal(found, 1);
    }
    sim_close(&r);
}

/* What no chip has is no instruction here. */
static void test_no_instructions(void **state)
{
    static const char *const none[] = {
        "m64n8k8.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p1, 1, 1, 0, 0",
        "m64n12k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p1, 1, 1, 0, 0",
        "m64n264k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p1, 1, 1, 0, 0",
        "f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p1, 1, 1, 0, 0",
        "m64n8k16.f16.bf16.bf16 {%f0, %f1}, %rd1, %rd2, %p1, 1, 1, 0, 0",
        "m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2}, %rd1, %rd2, %p1, 1, 1, 0, 0",
        "m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p1, 1, 1, 0",
        "m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p1, 1, %r1, 0, 0",
        "m64n8k8.f32.tf32.tf32 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p1, 1, 1, 0, 0",
        "m64n8k32.s32.s8.s8 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p1, 1, 1",
        "m64n40k32.s32.s8.s8 {%f0, %f1, %f2, %f3, %f0, %f1, %f2, %f3, %f0, %f1, %f2, %f3, %f0, "
        "%f1, %f2, %f3, %f0, %f1, %f2, %f3}, %rd1, %rd2, %p1",
    };
    char text[4000];

    (void)state;
    for (int i = 0; i < COUNT(none); i++) {
        SimModule *m;
        SimError e;

        snprintf(text, sizeof text, "%swgmma.mma_async.sync.aligned.%s;\nret;\n}\n", HEAD, none[i]);
        assert_int_equal(sim_load(text, strlen(text), &m, &e), SIM_BAD_PTX);
        assert_non_null(strstr(e.text, "unknown instruction"));
    }
}

/* --- a ring of stages --- */

enum { TILES = 5, RING_ROWS = 128, RING_K = 16, RING_COLUMNS = 8, TILE_HALVES = 2176 };

typedef struct {
    double a[TILES][RING_ROWS][RING_K], b[TILES][RING_K][RING_COLUMNS];
    uint16_t in[TILES][TILE_HALVES];
    float out[8][WGMMA_THREADS];
} Ring;

static void fill_ring(Ring *ring)
{
    const WgmmaCase exact = {0};
    uint64_t seed = 7;

    for (int tile = 0; tile < TILES; tile++) {
        for (int k = 0; k < RING_K; k++) {
            int part = k / 8 * 64 + k % 8; /* of the first of two core matrices side by side */

            for (int i = 0; i < RING_ROWS; i++) {
                double x = wgmma_number(&exact, "bf16", &seed);

                ring->a[tile][i][k] = x;
                ring->in[tile][i / 64 * 1024 + i % 64 * 8 + k / 8 * 512 + k % 8] =
                    (uint16_t)wgmma_encode("bf16", x);
            }
            for (int j = 0; j < RING_COLUMNS; j++) {
                ring->b[tile][k][j] = wgmma_number(&exact, "bf16", &seed);
                ring->in[tile][2048 + part + j * 8] =
                    (uint16_t)wgmma_encode("bf16", ring->b[tile][k][j]);
            }
        }
    }
}

static double ring_sum(const Ring *ring, uint32_t tiles, int row, int column)
{
    double sum = 0;

    for (uint32_t tile = 0; tile < tiles; tile++) {
        for (int k = 0; k < RING_K; k++)
            sum += ring->a[tile][row][k] * ring->b[tile][k][column];
    }
    return sum;
}

static SimRun open_ring(Ring *ring, const char *text, uint32_t tiles, uint32_t flaws)
{
    SimRun r = sim_open(text, 12);

    sim_array(&r, 0, ring->in, sizeof ring->in);
    sim_array(&r, 1, ring->out, sizeof ring->out);
    r.args[2] = tiles;
    r.args[3] = flaws;
    return r;
}

static void test_ring(void **state)
{
    static Ring ring;
    char *text = sim_file("wgmma.ptx");

    (void)state;
    fill_ring(&ring);
    for (uint32_t tiles = 0; tiles <= TILES; tiles++) {
        SimRun r = open_ring(&ring, text, tiles, 0);
        sim_run(&r, "ring");
        for (int i = 0; i < 8 * WGMMA_THREADS; i++) {
            int t = i % WGMMA_THREADS, e = i / WGMMA_THREADS % 4, group = i / WGMMA_THREADS / 4;
            int row = group * 64 + t / 32 * 16 + t % 32 / 4 + e / 2 * 8;

            assert_true(ring.out[i / WGMMA_THREADS][t] ==
                        ring_sum(&ring, tiles, row, t % 4 * 2 + e % 2));
        }
        sim_close(&r);
    }
    free(text);
}

static void test_flaws_of_rings(void **state)
{
    static const struct {
        uint32_t flaws;
        SimFault kind;
        const char *why;
    } flaws[] = {
        {1, SIM_SYNC, "reads: wgmma.wait_group is missing"},
        {2, SIM_RACE, "which warp 0 wrote with no barrier between"},
        {4, SIM_SYNC, "which warp 7 has not asked for"},
    };
    static Ring ring;
    char *text = sim_file("wgmma.ptx");

    (void)state;
    for (int i = 0; i < COUNT(flaws); i++) {
        SimRun r = open_ring(&ring, text, flaws[i].flaws == 4 ? 2 : TILES, flaws[i].flaws);
        sim_go(&r, "ring");
        if (!strstr(r.error.text, flaws[i].why))
            fprintf(stderr, "'%s' is not in '%s'\n", flaws[i].why, r.error.text);
        assert_int_equal(r.status, SIM_FAULT);
        assert_non_null(strstr(r.error.text, flaws[i].why));
        assert_int_equal(r.error.kind, flaws[i].kind);
        sim_close(&r);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_base_offsets),    cmocka_unit_test(test_registers),
        cmocka_unit_test(test_shared_memory),   cmocka_unit_test(test_groups),
        cmocka_unit_test(test_no_instructions), cmocka_unit_test(test_all_registers),
        cmocka_unit_test(test_counts),          cmocka_unit_test(test_ring),
        cmocka_unit_test(test_flaws_of_rings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
