/*
 * test_sim.c - the simulator's control flow and memories, and what it refuses
 *
 * The kernels are in tests/sim; what they should give is computed here.
 */
#include <limits.h>

#include "sim_run.h"

/* control flow */

static uint32_t collatz_steps(uint64_t n)
{
    uint32_t steps = 0;

    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static void test_loop_parts_lanes(void **state)
{
    enum { N = 3 * 64 };
    uint32_t out[N];
    char *text = sim_file("control.ptx");
    SimRun r = sim_open(text, 2);

    (void)state;
    sim_array(&r, 0, out, sizeof out);
    r.launch.grid[0] = 3;
    r.launch.threads = 2;
    sim_run(&r, "collatz");
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(out[i], collatz_steps(i + 1));
    sim_close(&r);
    free(text);
}

static void test_calls(void **state)
{
    uint32_t out[32];
    char *text = sim_file("control.ptx");
    SimRun r = sim_open(text, 1);

    (void)state;
    sim_array(&r, 0, out, sizeof out);
    r.args[1] = 1000;
    sim_run(&r, "calls");
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i % 2 == 0 ? 7 : i > 20 ? UINT32_MAX : 3 * i + 1000);
    sim_close(&r);
    free(text);
}

static void test_jump_table(void **state)
{
    static const uint32_t expected[] = {10, 20, 30, 20};
    uint32_t out[64];
    char *text = sim_file("control.ptx");
    SimRun r = sim_open(text, 2);

    (void)state;
    sim_array(&r, 0, out, sizeof out);
    sim_run(&r, "jumps");
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], expected[i % 4]);
    sim_close(&r);
    free(text);
}

static void test_scopes(void **state)
{
    uint32_t out[32];
    char *text = sim_file("control.ptx");
    SimRun r = sim_open(text, 1);

    (void)state;
    sim_array(&r, 0, out, sizeof out);
    sim_run(&r, "scopes");
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], (i < 16 ? 5 : 0) + (i < 8 ? 100 : 0));
    sim_close(&r);
    free(text);
}

static void test_votes_of_blocks(void **state)
{
    uint32_t out[64];
    char *text = sim_file("control.ptx");
    SimRun r = sim_open(text, 2);

    (void)state;
    sim_array(&r, 0, out, sizeof out);
    sim_run(&r, "votes");
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], 2 * 40 + 100);
    sim_close(&r);
    free(text);
}

/* memories */

static void test_vectors(void **state)
{
    _Alignas(16) uint32_t in[128], out[128] = {0};
    char *text = sim_file("memory.ptx");
    SimRun r = sim_open(text, 1);

    (void)state;
    for (uint32_t i = 0; i < 128; i++)
        in[i] = i * 2654435761u;
    sim_array(&r, 0, out, sizeof out);
    sim_array(&r, 1, in, sizeof in);
    sim_run(&r, "copy4");
    assert_memory_equal(in, out, sizeof in);
    sim_close(&r);
    free(text);
}

static void test_narrow_elements(void **state)
{
    static const int table[] = {7, 11, 13, 17};
    int8_t in[32];
    int32_t out[32];
    char *text = sim_file("memory.ptx");
    SimRun r = sim_open(text, 1);

    (void)state;
    for (int i = 0; i < 32; i++)
        in[i] = (int8_t)(i * 37);
    sim_array(&r, 0, out, sizeof out);
    sim_array(&r, 1, in, sizeof in);
    r.args[2] = 0xfa; /* a byte, zero-extended */
    sim_run(&r, "narrow");
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], in[i] + (uint8_t)in[i] + table[i % 4] - 1 + 0xfa);
    sim_close(&r);
    free(text);
}

static void test_shared_memory(void **state)
{
    uint32_t in[256], out[256];
    char *text = sim_file("memory.ptx");
    SimRun r = sim_open(text, 8);

    (void)state;
    for (uint32_t i = 0; i < 256; i++)
        in[i] = i * i;
    sim_array(&r, 0, out, sizeof out);
    sim_array(&r, 1, in, sizeof in);
    r.launch.shared = sizeof in;
    sim_run(&r, "reverse");
    for (int i = 0; i < 256; i++)
        assert_int_equal(out[i], in[255 - i]);
    sim_close(&r);
    free(text);
}

static void test_local_memory(void **state)
{
    uint32_t out[64];
    char *text = sim_file("memory.ptx");
    SimRun r = sim_open(text, 2);

    (void)state;
    sim_array(&r, 0, out, sizeof out);
    sim_run(&r, "stack");
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(out[i], 100 * i + i % 4);
    sim_close(&r);
    free(text);
}

static void test_addresses_of_parameters(void **state)
{
    uint32_t out[32];
    char *text = sim_file("memory.ptx");
    SimRun r = sim_open(text, 1);

    (void)state;
    sim_array(&r, 0, out, sizeof out);
    r.args[1] = 111;
    r.args[2] = 222;
    sim_run(&r, "params");
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], i % 2 ? 111 : 222);
    sim_close(&r);
    free(text);
}

/* what is refused */

static void expect_bad(const char *body, int line, const char *why)
{
    char text[2000];
    SimModule *m;
    SimError error;

    snprintf(text, sizeof text, SIM_HEAD "%s", body);
    assert_int_equal(sim_load(text, strlen(text), &m, &error), SIM_BAD_PTX);
    if (!strstr(error.text, why))
        fprintf(stderr, "'%s' is not in '%s'\n", why, error.text);
    assert_non_null(strstr(error.text, why));
    assert_int_equal(error.ptx_line, line);
}

#define BODY(text)                                                                                 \
    ".entry k()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<5>;\n.reg .b64 %rd<3>;\n" text "}\n"

static void test_unknown_text(void **state)
{
    (void)state;
    expect_bad(BODY("frobnicate.b32 %r1, %r2;\n"), 9, "unknown instruction 'frobnicate.b32'");
    expect_bad(BODY("add.fuzzy.s32 %r1, %r2, %r3;\n"), 9, "unknown modifier 'fuzzy'");
    expect_bad(BODY("mul.s32 %r1, %r2, %r3;\n"), 9, "unknown instruction 'mul.s32'");
    expect_bad(BODY("add.s32 %r1, %r2;\n"), 9, "an operand is missing");
    expect_bad(BODY("add.s32 %r1, %r2, %r3, %r4;\n"), 9, "too many operands");
    expect_bad(BODY("add.s32 %r1, %rd1, %r2;\n"), 9, "'%rd1' has 64 bits, not 32");
    expect_bad(BODY("add.s32 %r1, %r9, %r2;\n"), 9, "'%r9' is not known");
    expect_bad(BODY("@%r1 bra L;\nL:\n"), 9, "is no predicate");
    expect_bad(BODY("bra L;\n"), 9, "there is no label 'L'");
    expect_bad(BODY("L:\nL:\n"), 10, "declared twice");
    expect_bad(".entry k()\n{\n", 6, "a function does not end");
    expect_bad(".global .u32 x[2] = {1, 2, 3};\n", 4, "too many values");
    expect_bad(".frob\n", 4, "unknown directive");
    expect_bad(".entry k() .frob 3\n{}\n", 4, "unknown directive");
}

static void test_wrong_operands(void **state)
{
    (void)state;
    expect_bad(BODY("ld.global.b32 %r1, %rd1;\n"), 9, "an address is missing");
    expect_bad(BODY("ld.global.b32 %r1, [L];\nL:\n"), 9, "'L' is no address");
    expect_bad(BODY("ld.global.v2.b32 %r1, [%rd1];\n"), 9, "a list of 2 registers is missing");
    expect_bad(BODY("ld.global.v2.b32 {%r1, %r2, %r3}, [%rd1];\n"), 9,
               "a list of more than 2 registers");
    expect_bad(BODY("ld.global.v2.b32 {%r1, %rd1}, [%rd1];\n"), 9, "registers of different widths");
    expect_bad(BODY("L:\nadd.s32 L, %r1, %r2;\n"), 10, "'L' is no register");
    expect_bad(BODY("bra 3;\n"), 9, "a label is missing");
    expect_bad(BODY("call 3;\n"), 9, "a function is missing");
    expect_bad(BODY("cp.async.wait_group %r1;\n"), 9, "a number is missing");
}

static void test_wrong_declarations(void **state)
{
    (void)state;
    expect_bad(".global .u33 x;\n", 4, "is no type");
    expect_bad(".global x;\n", 4, "a type is missing");
    expect_bad(".global .align x .u32 y;\n", 4, "a number is missing");
    expect_bad(".global .u32 x = y;\n", 4, "an initialiser may not have addresses");
    expect_bad(".shared .u32 x = 1;\n", 4, "only global memory has initial values");
    expect_bad(".entry k(.u32 x)\n{\nret;\n}\n", 4, "'.param' is missing");
    expect_bad(".func f()\n;\n.entry k()\n{\ncall f;\nret;\n}\n", 8, "there is no function 'f'");
    expect_bad(".file 1\n", 5, "no file");
}

static void test_recursion(void **state)
{
    (void)state;
    expect_bad(".func f() ;\n.func g()\n{\ncall f;\nret;\n}\n.func f()\n{\ncall g;\nret;\n}\n", 7,
               "recursive");
}

/* Calls of calls: two of each function by the one before, so the ways double with each. */
static void test_deep_calls(void **state)
{
    char text[4000];
    int len = snprintf(text, sizeof text, SIM_HEAD ".func f0()\n{\nret;\n}\n");
    SimModule *m;
    SimError error;

    (void)state;
    for (int i = 1; i < 50; i++)
        len += snprintf(text + len, sizeof text - (size_t)len,
                        ".func f%d()\n{\ncall f%d;\ncall f%d;\nret;\n}\n", i, i - 1, i - 1);
    assert_int_equal(sim_load(text, (size_t)len, &m, &error), SIM_OK);
    sim_unload(m);
    for (int i = 50; i < 70; i++)
        len += snprintf(text + len, sizeof text - (size_t)len,
                        ".func f%d()\n{\ncall f%d;\nret;\n}\n", i, i - 1);
    assert_int_equal(sim_load(text, (size_t)len, &m, &error), SIM_BAD_PTX);
    assert_non_null(strstr(error.text, "calls in calls"));
}

static void test_hostile_text(void **state)
{
    char *braces = malloc(1000001);

    (void)state;
    memset(braces, '{', 1000000);
    memcpy(braces, ".global .u32 x = ", 17);
    braces[1000000] = 0;
    SimModule *m;
    SimError error;
    assert_int_equal(sim_load(braces, 1000000, &m, &error), SIM_BAD_PTX);
    assert_non_null(strstr(error.text, "too many braces"));
    /* a number at the end of what may be read */
    memcpy(braces + 1000000 - 3, "1.5", 3);
    assert_int_equal(sim_load(braces + 1000000 - 3, 3, &m, &error), SIM_BAD_PTX);
    free(braces);
    expect_bad(".version", 4, "a number is missing");
    expect_bad(".loc 4294967295 1 1\n", 4, "too large");
    expect_bad(".global .b8 x[268435456];\n.global .b8 y;\n", 5, "'y' is too large");
    expect_bad(".shared .b8 x[4294967296][4294967296];\n", 4, "'x' is too large");
    expect_bad(BODY(".reg .b64 a<1000000>, b<1000000>;\n"), 9, "too many registers");
    expect_bad(BODY("T: .branchtargets L;\nL:\nbra T;\n"), 11, "there is no label 'T'");
    expect_bad(BODY("L:\nbrx.idx %r1, L;\n"), 10, "there is no label 'L'");
    expect_bad(BODY("/*/\n*/frob;\n"), 10, "unknown instruction 'frob'");
    expect_bad(".func k();\n.entry k()\n{\n}\n", 5, "defined twice");
    /* a function's own parameter lies where it lies */
    expect_bad(".func g(.param .b32 b)\n;\n.func f(.param .b32 a)\n{\ncall g, (a);\nret;\n}\n", 8,
               "no parameter");
    expect_bad(".func g(.param .b32 b)\n;\n.func f()\n{\n.param .b64 a;\ncall g, (a);\nret;\n}\n",
               9, "an argument of 8 bytes for a parameter of 4");
}

/* An offset may be any number, and so may a negative float of 128 bits. */
static void test_large_numbers(void **state)
{
    const char *text = SIM_HEAD ".global .b128 x = -0d3ff0000000000000;\n" BODY(
        "ld.global.b32 %r1, [x+-0x8000000000000000];\n");
    SimModule *m;
    SimError error;

    (void)state;
    assert_int_equal(sim_load(text, strlen(text), &m, &error), SIM_OK);
    sim_unload(m);
}

static void test_bad_launch(void **state)
{
    SimRun r = sim_open(SIM_HEAD ".entry k() .maxntid 64,1,1\n{\nret;\n}\n", 3);

    (void)state;
    assert_null(sim_kernel(r.module, "other"));
    sim_go(&r, "k");
    assert_int_equal(r.status, SIM_BAD_LAUNCH);
    assert_non_null(strstr(r.error.text, "made for 64"));
    r.launch.warps = 33;
    sim_go(&r, "k");
    assert_int_equal(r.status, SIM_BAD_LAUNCH);
    r.launch.warps = INT_MAX;
    sim_go(&r, "k");
    assert_int_equal(r.status, SIM_BAD_LAUNCH);
    r.launch.warps = 1;
    r.launch.shared = SIZE_MAX;
    sim_go(&r, "k");
    assert_int_equal(r.status, SIM_BAD_LAUNCH);
    r.launch.shared = 0;
    for (int i = 0; i < 3; i++)
        r.launch.grid[i] = INT32_MAX;
    sim_go(&r, "k");
    assert_int_equal(r.status, SIM_BAD_LAUNCH);
    sim_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop_parts_lanes),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_jump_table),
        cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_narrow_elements),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_local_memory),
        cmocka_unit_test(test_unknown_text),
        cmocka_unit_test(test_wrong_operands),
        cmocka_unit_test(test_wrong_declarations),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_deep_calls),
        cmocka_unit_test(test_hostile_text),
        cmocka_unit_test(test_large_numbers),
        cmocka_unit_test(test_bad_launch),
        cmocka_unit_test(test_addresses_of_parameters),
        cmocka_unit_test(test_votes_of_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
