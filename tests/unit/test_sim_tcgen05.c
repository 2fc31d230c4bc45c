/*
 * test_sim_tcgen05.c - products whose sums lie in tensor memory, in the simulator
 *
 * Operands of tests/sim/wgmma_case.h, which lie in shared memory as wgmma wants them too, are
 * compared with plain loops, bit by bit.  Then kernels that misuse tensor memory, shared memory or
 * threads must be stopped, and those that come near must not.
 */
#include "../sim/wgmma_case.h"
#include "seed.h"
#include "sim_run.h"

static WgmmaData data;
static uint32_t out[WGMMA_COLUMNS / 2][WGMMA_THREADS];

/* --- products --- */

/* Number of a type in the instruction's descriptor; -1: there is none. */
static int type_number(const char *type)
{
    static const char *const names[] = {"f16", "bf16", "tf32", "u8", "s8"};
    static const int numbers[] = {0, 1, 2, 0, 1};

    for (int i = 0; i < COUNT(names); i++) {
        if (strcmp(type, names[i]) == 0)
            return numbers[i];
    }
    return -1;
}

static const char *kind_of(const WgmmaCase *c)
{
    return c->d[0] == 's' ? "i8" : strcmp(c->a, "tf32") == 0 ? "tf32" : "f16";
}

static unsigned how_of(const WgmmaCase *c)
{
    unsigned a = (unsigned)type_number(c->a), b = (unsigned)type_number(c->b);

    return (c->d[0] == 's' ? 2u : 1u) << 4 | a << 7 | b << 10 | (unsigned)c->a_negative << 13 |
           (unsigned)c->b_negative << 14 | (unsigned)c->a_across << 15 |
           (unsigned)c->b_across << 16 | (unsigned)c->columns / 8 << 17 | WGMMA_ROWS / 16 << 24;
}

static uint64_t descriptor_of(const WgmmaOperand *o, int k)
{
    static const uint64_t swizzles[] = {0, 2, 4, 6};
    uint64_t d = wgmma_descriptor(o, k);

    return (d & UINT64_C(0x3fffffffffffffff)) | swizzles[d >> 62] << 61 | UINT64_C(1) << 46;
}

static void put_products(WgmmaWriter *w, const WgmmaCase *c, const WgmmaOperand *a,
                         const WgmmaOperand *b)
{
    for (int step = 0; step < c->steps; step++) {
        WGMMA_PUT(w,
                  "\tadd.s64 %%x, %%base, %llu;\n\tadd.s64 %%y, %%base, %llu;\n"
                  "\tsetp.ne.b32 %%p, %d, 0;\n"
                  "\ttcgen05.mma.cta_group::1.kind::%s [%%tm], %%x, %%y, %%how, %%p;\n",
                  (unsigned long long)descriptor_of(a, step * wgmma_k(c)),
                  (unsigned long long)descriptor_of(b, step * wgmma_k(c)), step > 0 || c->adds,
                  kind_of(c));
        if (c->flight)
            WGMMA_PUT(w, "\ttcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                         "[%%bar+8];\n");
    }
}

static void put_moves(WgmmaWriter *w, const WgmmaCase *c, const char *before, const char *behind)
{
    for (int j = 0; j < c->columns / 8; j++) {
        WGMMA_PUT(w, "\ttcgen05.%s", before);
        if (strstr(before, "st."))
            WGMMA_PUT(w, "[%%mine+%d], ", 8 * j);
        wgmma_put_list(w, 'd', 4 * j, 4);
        if (!strstr(before, "st."))
            WGMMA_PUT(w, ", [%%mine+%d]", 8 * j);
        WGMMA_PUT(w, ";\n");
    }
    WGMMA_PUT(w, "\ttcgen05.wait::%s.sync.aligned;\n", behind);
}

static int columns_asked(const WgmmaCase *c)
{
    int n = 32;

    while (n < c->columns)
        n *= 2;
    return n;
}

static void put_kernel(WgmmaWriter *w, const WgmmaCase *c, const WgmmaOperand *a,
                       const WgmmaOperand *b, int bytes)
{
    wgmma_put_head(w, bytes);
    WGMMA_PUT(w,
              "\t.shared .align 8 .b8 bars[24];\n\t.reg .b32 %%bar, %%tm, %%mine, %%how;\n"
              "\tmov.b32 %%bar, bars;\n\tmov.b32 %%how, %u;\n"
              "\tsetp.ne.u32 %%p, %%t, 0;\n\t@%%p bra $made;\n"
              "\tmbarrier.init.shared::cta.b64 [%%bar], 1;\n"
              "\tmbarrier.init.shared::cta.b64 [%%bar+8], %d;\n"
              "$made:\n\tsetp.ge.u32 %%p, %%t, 32;\n\t@%%p bra $have;\n"
              "\ttcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%%bar+16], %d;\n"
              "\ttcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
              "$have:\n\tbar.sync 0;\n\tld.shared.b32 %%tm, [%%bar+16];\n"
              "\tshr.u32 %%i, %%t, 5;\n\tshl.b32 %%i, %%i, 21;\n\tadd.s32 %%mine, %%tm, %%i;\n",
              how_of(c), c->steps, columns_asked(c));
    for (int i = 0; i < wgmma_results(c); i++)
        WGMMA_PUT(w, "\tld.global.b32 %%d%d, [%%before+%d];\n", i, i * 4 * WGMMA_THREADS);
    put_moves(w, c, "st.sync.aligned.16x256b.x1.b32 ", "st");
    WGMMA_PUT(w, "\ttcgen05.fence::before_thread_sync;\n\tbar.sync 0;\n"
                 "\ttcgen05.fence::after_thread_sync;\n"
                 "\tsetp.ne.u32 %%p, %%t, 0;\n\t@%%p bra $asked;\n");
    put_products(w, c, a, b);
    WGMMA_PUT(w, "\ttcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                 "[%%bar];\n$asked:\n"
                 "\tmbarrier.try_wait.parity.shared::cta.b64 %%p, [%%bar], 0;\n"
                 "\t@!%%p bra $asked;\n\ttcgen05.fence::after_thread_sync;\n");
    put_moves(w, c, "ld.sync.aligned.16x256b.x1.b32 ", "ld");
    for (int i = 0; i < wgmma_results(c); i++)
        WGMMA_PUT(w, "\tst.global.b32 [%%after+%d], %%d%d;\n", i * 4 * WGMMA_THREADS, i);
    WGMMA_PUT(w,
              "\tbar.sync 0;\n\tsetp.ge.u32 %%p, %%t, 32;\n\t@%%p bra $end;\n"
              "\ttcgen05.dealloc.cta_group::1.sync.aligned.b32 %%tm, %d;\n$end:\n\tret;\n}\n",
              columns_asked(c));
}

/* Does the instruction take it? */
static bool is_there(const WgmmaCase *c)
{
    return c->a_place != IN_REGISTERS && strcmp(c->d, "f16") != 0 && type_number(c->a) >= 0 &&
           type_number(c->b) >= 0 && !c->saturates &&
           !(c->d[0] == 's' && c->columns % 16 != 0 && c->columns > 24);
}

static void make_case(const WgmmaCase *c, uint64_t seed)
{
    WgmmaOperand a, b;
    WgmmaWriter w = {.text = data.text};
    bool apart = c->apart;
    int end;

    do {
        a = wgmma_operand(c, false, apart, 0);
        b = wgmma_operand(c, true, apart, (a.first + a.size + 1023) / 1024 * 1024);
        end = b.first + b.size;
    } while (end > WGMMA_IMAGE && apart && !(apart = false));
    end = (end + 15) / 16 * 16;
    wgmma_inputs(c, &data, seed);
    wgmma_fill(c, &data, &a, false);
    wgmma_fill(c, &data, &b, true);
    wgmma_multiply_plainly(c, &data);
    put_kernel(&w, c, &a, &b, end);
}

static void check_case(const WgmmaCase *c, uint64_t seed)
{
    char name[200];

    make_case(c, seed);
    SimRun r = sim_open(data.text, 4);
    memset(out, 0xff, sizeof out);
    sim_array(&r, 0, data.image, sizeof data.image);
    sim_array(&r, 1, data.left, sizeof data.left);
    sim_array(&r, 2, data.before, sizeof data.before);
    sim_array(&r, 3, out, sizeof out);
    sim_run(&r, "product");
    for (int i = 0; i < wgmma_results(c) * WGMMA_THREADS; i++) {
        uint32_t got = out[i / WGMMA_THREADS][i % WGMMA_THREADS];
        uint32_t wanted = data.after[i / WGMMA_THREADS][i % WGMMA_THREADS];

        if (got != wanted) {
            wgmma_name(c, name, sizeof name);
            fprintf(stderr, "%s: register %d of thread %d\n", name, i / WGMMA_THREADS,
                    i % WGMMA_THREADS);
        }
        assert_int_equal(got, wanted);
    }
    sim_close(&r);
}

static void test_products(void **state)
{
    int step = thorough() ? 1 : 7, done = 0;
    WgmmaCase c;

    (void)state;
    for (int i = 0; i < WGMMA_CASES; i += step) {
        if (!wgmma_case(i, &c) || !is_there(&c))
            continue;
        check_case(&c, (uint64_t)i);
        done++;
    }
    assert_true(done > 100);
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

/* A group's kernel: zeros at 0, 64 rows of A of 16 k, and at 2048, 8 columns of B; 32 columns of
 * tensor memory from %r4 on, %r5 in the warp's own lanes; mbarriers at 7168 and 7176. */
#define HEAD                                                                                       \
    SIM_HEAD ".visible .entry k(.param .u64 p)\n{\n.shared .align 128 .b8 sm[8192];\n"             \
             ".reg .pred %p<6>;\n.reg .b32 %r<16>, %d<8>;\n.reg .b64 %rd<9>;\n"                    \
             "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 4;\nmov.b32 %r3, 0;\n"                       \
             "st.shared.v4.b32 [%r2], {%r3, %r3, %r3, %r3};\n"                                     \
             "setp.ge.s32 %p0, %r1, 32;\n@!%p0 st.shared.v4.b32 [%r2+2048], {%r3, %r3, %r3, %r3};" \
             "\nmov.b64 %rd1, 0x0000400800400000;\nmov.b64 %rd2, 0x0000401000080080;\n"            \
             "mov.b32 %r6, 0x04020490;\nsetp.eq.s32 %p1, %r3, 0;\nsetp.ne.s32 %p2, %r1, 0;\n"      \
             "@!%p2 mbarrier.init.shared::cta.b64 [7168], 1;\n"                                    \
             "@!%p2 mbarrier.init.shared::cta.b64 [7176], 1;\n"                                    \
             "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
#define ALLOC                                                                                      \
    "@%p0 bra A;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [7184], 32;\nA:\n"       \
    "bar.sync 0;\nld.shared.b32 %r4, [7184];\nshr.u32 %r5, %r1, 5;\nshl.b32 %r5, %r5, 21;\n"       \
    "add.s32 %r5, %r5, %r4;\n"
#define DEALLOC                                                                                    \
    "bar.sync 0;\n@%p0 bra D;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;\nD:\n"
#define MMA "@!%p2 tcgen05.mma.cta_group::1.kind::f16 [%r4], %rd1, %rd2, %r6, %p1;\n"
#define COMMIT                                                                                     \
    "@!%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [7168];\n"
#define WAIT(label)                                                                                \
    label ":\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [7168], 0;\n@!%p3 bra " label ";\n"
#define LIST "{%d0, %d1, %d2, %d3}"
#define LD                                                                                         \
    "tcgen05.ld.sync.aligned.16x256b.x1.b32 " LIST ", [%r5];\ntcgen05.wait::ld.sync.aligned;\n"
#define ST                                                                                         \
    "tcgen05.st.sync.aligned.16x256b.x1.b32 [%r5], " LIST ";\ntcgen05.wait::st.sync.aligned;\n"
#define ALL MMA COMMIT WAIT("W")
#define STORE "st.shared.b32 [%r2], %r3;\n"

static void test_tensor_memory(void **state)
{
    static const char *const waited = "which a tcgen05.mma writes that it has not waited for";
    static const char *const touched = "has touched with no barrier between";
    static const SimMisuse all[] = {
        {ALLOC ALL LD DEALLOC, NULL},
        {ALLOC ST "bar.sync 0;\n" ALL LD DEALLOC, NULL},
        {ALLOC MMA COMMIT LD WAIT("W") DEALLOC, waited},
        {ALLOC MMA COMMIT ST WAIT("W") DEALLOC, waited},
        {ALLOC "@!%p0 bra S;\n" ST "S:\n" ALL DEALLOC, waited}, /* warp 0 comes first */
        {ALLOC ALL LD
         "bar.sync 0;\n@%p2 bra S;\n" MMA COMMIT
         "V:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [7168], 1;\n@!%p3 bra V;\nS:\n" DEALLOC,
         NULL},
        {ALLOC ST "setp.ge.s32 %p4, %r1, 96;\n@!%p4 bra S;\n" MMA "S:\n" DEALLOC, NULL},
        {ALLOC ST "setp.ne.s32 %p2, %r1, 96;\n" MMA COMMIT WAIT("W") DEALLOC, touched},
        {ALLOC "add.s32 %r5, %r5, 25;\n" LD DEALLOC, "reaches columns"},
        {ALLOC "add.s32 %r5, %r5, 8;\n" LD DEALLOC, NULL},
        {ALLOC "add.s32 %r4, %r4, 32;\n" MMA "sub.s32 %r4, %r4, 32;\n" DEALLOC, "reaches columns"},
        {ALLOC "mov.b32 %r5, %r4;\n" LD DEALLOC, "a warp reaches lane 0 of tensor memory"},
        {ALLOC "@%p2 add.s32 %r5, %r5, 8;\n" LD DEALLOC, "different addresses"},
        {ALLOC "add.s32 %r4, %r4, 65536;\n" MMA, "begins at lane 1"},
        {ALLOC, "32 columns of tensor memory that it has not given back"},
        {ALLOC MMA DEALLOC, "a tcgen05.mma that nobody has waited for"},
        {ALLOC MMA COMMIT DEALLOC, "a tcgen05.mma that nobody has waited for"},
        {ALLOC DEALLOC "@%p0 bra E;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;\nE:\n",
         "which the program has not"},
        {"@%p0 bra E;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [7184], 48;\nE:\n",
         "powers of two from 32 to 512"},
        {ALLOC "@%p0 bra E;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [7184], 32;\n"
               "E:\n",
         "has tensor memory"},
        {"@%p0 bra E;\ntcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nE:\n" ALLOC,
         "has given back its right to"},
    };

    (void)state;
    for (int i = 0; i < COUNT(all); i++)
        sim_misuse(HEAD, &all[i], 4);
}

static void test_operands(void **state)
{
    static const char *const wait = "reads: a wait for its tcgen05.commit is missing";
    static const char *const fence = "with no fence.proxy.async behind";
    static const SimMisuse all[] = {
        {ALLOC ALL STORE DEALLOC, NULL},
        {ALLOC MMA COMMIT "bar.sync 0;\n" STORE WAIT("W") DEALLOC, wait},
        {ALLOC MMA COMMIT "bar.sync 0;\n"
                          "st.shared.b32 [%r2+2560], %r3;\n" WAIT("W") DEALLOC,
         NULL}, /* it reads elsewhere */
        {ALLOC STORE "bar.sync 0;\n" MMA COMMIT WAIT("W") DEALLOC, fence},
        {ALLOC STORE "fence.proxy.async;\nbar.sync 0;\n" MMA COMMIT WAIT("W") DEALLOC, NULL},
        {ALLOC "setp.ne.s32 %p2, %r1, 96;\n" STORE "fence.proxy.async;\n" MMA DEALLOC,
         "with no barrier between"},
        {ALLOC "mov.b64 %rd1, 0x0000400800400180;\n" MMA, "which nobody has written"},
        {ALLOC "mov.b64 %rd1, 0x0000400800400200;\n" MMA, "of 8192 bytes of shared memory"},
        {ALLOC "mov.b64 %rd1, 0x0000000800400000;\n" MMA, "tcgen05.mma with the descriptor"},
        {ALLOC "mov.b64 %rd1, 0x6000400800400000;\n" MMA, "tcgen05.mma with the descriptor"},
        {ALLOC "mov.b32 %r6, 0x04020490;\nadd.s32 %r6, %r6, 64;\n" MMA, "none of its kind"},
        {ALLOC "mov.b32 %r6, 0x05020490;\n" MMA, "none of its kind"}, /* 80 rows */
        {ALLOC "mov.b32 %r6, 0x08020490;\n" MMA, "none of its kind"}, /* 128 rows, 8 columns */
        {ALLOC "mov.b32 %r6, 0x04020410;\n" MMA, "none of its kind"}, /* fp16 by bf16 */
        {ALLOC "mov.b32 %r6, 0x04020480;\n" MMA, "none of its kind"}, /* sums of fp16 */
        {ALLOC "mov.b32 %r6, 0x04020910;\n" MMA, "none of its kind"}, /* tf32 */
    };

    (void)state;
    for (int i = 0; i < COUNT(all); i++)
        sim_misuse(HEAD, &all[i], 4);
}

static void test_threads(void **state)
{
    static const SimMisuse all[] = {
        {ALLOC "setp.ge.s32 %p2, %r1, 2;\n" MMA, "several threads of a warp ask"},
        {ALLOC MMA "setp.ge.s32 %p2, %r1, 2;\n" COMMIT, "several threads of a warp ask"},
        {ALLOC MMA COMMIT COMMIT WAIT("W") DEALLOC, "a tcgen05.mma that nobody has waited for"},
        {"@%p2 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n",
         "a part of the warp does not reach"},
        {ALLOC "@%p2 bra S;\n" LD "S:\n" DEALLOC, "a part of the warp does not reach"},
        {ALLOC "@!%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
               "[7192];\n",
         "there is no mbarrier at byte 7192"},
        {ALLOC MMA WAIT("W") DEALLOC, "where 1 arrivals and 0 bytes are missing"},
    };
    static const SimMisuse few = {ALLOC MMA,
                                  "tcgen05 needs a group of four warps, and the block has 2"};

    (void)state;
    for (int i = 0; i < COUNT(all); i++)
        sim_misuse(HEAD, &all[i], 4);
    sim_misuse(HEAD, &few, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),      cmocka_unit_test(test_base_offsets),
        cmocka_unit_test(test_tensor_memory), cmocka_unit_test(test_operands),
        cmocka_unit_test(test_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
