/*
 * test_debug.c - the debugger without its prompt: forward and back are the same way, memory
 * included
 */
#include "help.h"
#include "../../src/debug/debug.h"

static const char source[] = "import triton\n"                                          /* 1 */
                             "import triton.language as tl\n"                           /* 2 */
                             "@triton.jit\n"                                            /* 3 */
                             "def thrice(v):\n"                                         /* 4 */
                             "    w = v + v\n"                                          /* 5 */
                             "    return w + v\n"                                       /* 6 */
                             "@triton.jit\n"                                            /* 7 */
                             "def k(x, sums, n, B: tl.constexpr):\n"                    /* 8 */
                             "    at = tl.program_id(0) * B + tl.arange(0, B)\n"        /* 9 */
                             "    for i in range(n):\n"                                 /* 10 */
                             "        tile = tl.load(x + at, mask=at != 5, other=0)\n"  /* 11 */
                             "        tl.store(x + at, thrice(tile))\n"                 /* 12 */
                             "        tl.atomic_add(sums + i, tl.sum(tile))\n"          /* 13 */
                             "    if tl.program_id(0) == 1:\n"                          /* 14 */
                             "        tl.device_print('x', tl.sum(tl.load(x + at)))\n"; /* 15 */

enum { PROGRAMS = 3, ROUNDS = 2, BLOCK = 4, NX = PROGRAMS * BLOCK, MOST_STOPS = 200 };

/* What is seen where the run stands. */
typedef struct {
    int line;
    DebugMoment moment;
    float x[NX], sums[ROUNDS];
} Seen;

typedef struct Run Run;
struct Run {
    Debugger *debugger;
    Arena *arena;
    void (*at_stop)(Run *r, const DebugStop *stop);
    float x[NX], sums[ROUNDS];
    Seen seen[MOST_STOPS];
    int nseen, at, prints;
    bool goes_back;
    bool hurries;                /* whoever asks is told to stop, once */
    const char *const *commands; /* those to come */
    Text told;
};

static void stopped(void *run, const DebugStop *stop)
{
    Run *r = run;

    r->at_stop(r, stop);
}

static bool holds(void *run, const InterpPlace *at, const char *condition)
{
    Run *r = run;
    DebugValue v = {0};
    const char *why = "";

    assert_true(debug_evaluate(r->debugger, at, condition, r->arena, &v, &why));
    return *(const uint8_t *)v.tiles[0].data != 0;
}

static void printed(void *run, const char *text)
{
    Run *r = run;

    r->prints++;
    text_printf(&r->told, "printed %s\n", text);
}

static void logged(void *run, const char *text)
{
    text_printf(&((Run *)run)->told, "logged %s\n", text);
}

static bool interrupts(void *run)
{
    Run *r = run;
    bool hurries = r->hurries;

    r->hurries = false;
    return hurries;
}

static tilec_arg tensor(const char *name, float *data, const int64_t *n)
{
    return (tilec_arg){.name = name,
                       .kind = TILEC_ARG_TENSOR,
                       .tensor = {.data = data, .dtype = TILEC_FP32, .ndim = 1, .shape = n}};
}

static tilec_status run(Cli *c, Run *r)
{
    static const int32_t grid[3] = {PROGRAMS, 1, 1};
    static const int64_t nx = NX, nsums = ROUNDS;
    const tilec_launch_options options = {0};
    const tilec_arg args[] = {
        tensor("x", r->x, &nx),
        tensor("sums", r->sums, &nsums),
        {.name = "n", .kind = TILEC_ARG_INT, .integer = ROUNDS},
        {.name = "B", .kind = TILEC_ARG_INT, .integer = BLOCK},
    };
    const DebugHost host = {.ctx = r,
                            .stopped = stopped,
                            .holds = holds,
                            .printed = printed,
                            .logged = logged,
                            .interrupts = interrupts};
    DebugLaunch launch = {
        .kernel = "k", .grid = grid, .args = args, .nargs = COUNT(args), .options = &options};
    tilec_context *ctx = NULL;
    tilec_file *file = NULL;
    char *error = NULL;

    for (int i = 0; i < NX; i++)
        r->x[i] = (float)i;
    assert_int_equal(tilec_open("", &ctx, &error), TILEC_OK);
    assert_int_equal(tilec_load_string(ctx, "k.py", source, strlen(source), &file, &error),
                     TILEC_OK);
    launch.file = file;
    r->arena = c->arena;
    r->told = text_new(c->arena);
    text_put(&r->told, "");
    r->debugger = debug_new(&c->client, &launch, &host);
    tilec_status status = debug_run(r->debugger, &error);
    debug_free(r->debugger);
    tilec_unload(file);
    tilec_close(ctx);
    return status;
}

/* --- there and back --- */

static Seen look(const Run *r, const DebugStop *stop)
{
    Seen s = {.line = stop->place.frame ? debug_line(&stop->place).line : 0,
              .moment = stop->moment};

    memcpy(s.x, r->x, sizeof s.x);
    memcpy(s.sums, r->sums, sizeof s.sums);
    return s;
}

/* Step to the end, and back to the beginning, and then again half the way. */
static void there_and_back(Run *r, const DebugStop *stop)
{
    Seen now = look(r, stop);

    if (!r->goes_back) {
        assert_true(r->nseen < MOST_STOPS);
        r->seen[r->nseen++] = now;
        r->goes_back = stop->why == DEBUG_ENDED;
        r->at = r->nseen - 1;
        if (!r->goes_back) {
            debug_step(r->debugger, 1);
            return;
        }
    } else {
        r->at--;
        assert_int_equal(now.line, r->seen[r->at].line);
        assert_int_equal(now.moment.program, r->seen[r->at].moment.program);
        assert_int_equal(now.moment.step, r->seen[r->at].moment.step);
        assert_memory_equal(now.x, r->seen[r->at].x, sizeof now.x);
        assert_memory_equal(now.sums, r->seen[r->at].sums, sizeof now.sums);
    }
    if (r->at > 0)
        debug_back(r->debugger, 1);
}

static void test_back_is_the_way_there(void **state)
{
    Run r = {.at_stop = there_and_back};

    assert_int_equal(run(*state, &r), TILEC_OK);
    /* 3 programs of 9, `for`, 2 rounds of 11 to 13 with 5 and 6, 14; the print, and the end */
    assert_true(r.nseen > 3 * 13);
    assert_int_equal(r.at, 0);
    assert_int_equal(r.prints, 1); /* once, on the way there */
}

/* --- commands --- */

static void tell_stop(Run *r, const DebugStop *stop)
{
    static const char *const why[] = {[DEBUG_BEGINS] = "begins",
                                      [DEBUG_STEPPED] = "step",
                                      [DEBUG_CAME] = "came",
                                      [DEBUG_BREAKPOINT] = "break",
                                      [DEBUG_WRITTEN] = "written",
                                      [DEBUG_CAUGHT] = "caught",
                                      [DEBUG_FAULT] = "fault",
                                      [DEBUG_ENDED] = "ended",
                                      [DEBUG_INTERRUPTED] = "interrupted"};

    text_printf(&r->told, "%s", why[stop->why]);
    if (stop->place.frame)
        text_printf(&r->told, " %s:%d of %d", debug_function(&stop->place, r->arena),
                    debug_line(&stop->place).line, stop->program[0]);
    if (stop->why == DEBUG_WRITTEN || stop->why == DEBUG_CAUGHT)
        text_printf(&r->told, " [%.*s]", (int)strcspn(stop->text, "\n"), stop->text);
    text_put(&r->told, "\n");
}

static void tell_value(Run *r, const InterpPlace *at, const char *text)
{
    DebugValue v = {0};
    const char *why = NULL;

    if (!debug_evaluate(r->debugger, at, text, r->arena, &v, &why)) {
        text_printf(&r->told, "%.*s\n", (int)strcspn(why, "\n"), why);
        return;
    }
    text_printf(&r->told, "%s =", text);
    if (v.text)
        text_printf(&r->told, " %s", v.text);
    for (int64_t i = 0; !v.text && i < (v.tiles[0].ndim ? v.tiles[0].shape[0] : 1); i++) {
        uint64_t bits = element_get_bits(v.tiles[0].data, i, (size_t)dtype_size(v.tiles[0].dtype));
        text_printf(&r->told, " %g", scalar_to_double(v.tiles[0].dtype, bits));
    }
    text_put(&r->told, "\n");
}

/* In line 12, which is hit twice in each program. */
static void hit(Debugger *d, const char *hits, const char *log)
{
    static const int32_t any[3] = {-1, -1, -1};
    DebugWhen when = {.log = log};

    assert_true(debug_hits_read(hits, &when.hits));
    assert_non_null(debug_break(d, NULL, 12, NULL, any, &when, &(const char *){NULL}));
}

/* Obey up to a command that goes on. */
static void obey(Run *r, const DebugStop *stop)
{
    static const int32_t any[3] = {-1, -1, -1}, second[3] = {1, -1, -1};
    Debugger *d = r->debugger;

    tell_stop(r, stop);
    for (const char *word; (word = *r->commands) != NULL;) {
        r->commands++;
        if (strncmp(word, "break ", 6) == 0)
            assert_non_null(debug_break(d, NULL, atoi(word + 6), NULL, any, &(DebugWhen){0},
                                        &(const char *){NULL}));
        else if (strcmp(word, "second") == 0)
            assert_non_null(debug_break(d, NULL, 0, "thrice", second,
                                        &(DebugWhen){.condition = "tl.max(v) > 10"},
                                        &(const char *){NULL}));
        else if (strncmp(word, "hits ", 5) == 0)
            hit(d, word + 5, NULL);
        else if (strncmp(word, "log ", 4) == 0)
            hit(d, "%2", word + 4);
        else if (strcmp(word, "hurry") == 0)
            r->hurries = true;
        else if (strcmp(word, "watch") == 0)
            debug_watch(d, "x[6]", (uint64_t)(uintptr_t)&r->x[6], TILEC_FP32);
        else if (strcmp(word, "delete") == 0)
            assert_true(debug_delete(d, 1));
        else if (strncmp(word, "print ", 6) == 0)
            tell_value(r, &stop->place, word + 6);
        else
            break;
    }
    const char *move = *r->commands ? r->commands[-1] : "end";
    if (strcmp(move, "continue") == 0)
        debug_continue(d);
    else if (strcmp(move, "reverse") == 0)
        debug_reverse(d);
    else if (strcmp(move, "step") == 0)
        debug_step(d, 1);
    else if (strcmp(move, "next") == 0)
        debug_next(d, 1);
    else if (strcmp(move, "finish") == 0)
        debug_finish(d);
    else if (strcmp(move, "last") == 0)
        debug_go_to_program(d, PROGRAMS - 1);
    else if (strcmp(move, "run") == 0)
        debug_restart(d);
}

#define COMMANDS(...) ((const char *const[]){__VA_ARGS__, "end", NULL})

static void check(Cli *c, const char *const *commands, const char *want)
{
    Run r = {.at_stop = obey, .commands = commands};

    assert_int_equal(run(c, &r), TILEC_OK);
    assert_string_equal(r.told.s, want);
}

static void test_steps(void **state)
{
    check(*state, COMMANDS("next", "next", "step", "step", "step", "finish", "finish", "last"),
          "begins k:9 of 0\n"
          "step k:10 of 0\n"
          "step k:11 of 0\n"
          "step k:12 of 0\n"
          "step thrice:5 of 0\n"
          "step thrice:6 of 0\n"
          "step k:13 of 0\n"
          "step k:9 of 1\n"
          "printed (1, 0, 0) x: 153.0\n"
          "came k:9 of 2\n");
}

static void test_values(void **state)
{
    check(*state,
          COMMANDS("break 13", "continue", "print at", "print tl.sum(tile)", "print tile[1:3] * 2",
                   "print tl.load(x + at)", "print (B, i)", "print til", "print tl.load(x + 99)",
                   "delete"),
          "begins k:9 of 0\n"
          "break k:13 of 0\n"
          "at = 0 1 2 3\n"
          "tl.sum(tile) = 6\n"
          "tile[1:3] * 2 = 2 4\n"
          "tl.load(x + at) = 0 3 6 9\n"
          "(B, i) = (%v, %v)\n"
          "`til` is not defined\n"
          "load of x[99] is outside of its 12 elements\n");
}

/* .. where the program stands, which is no other place than the kernel's own. */
static void test_values_of_a_program(void **state)
{
    check(*state,
          COMMANDS("last", "print tl.program_id(0)", "print tl.num_programs(0)",
                   "print tl.program_id(2) + tl.num_programs(1)", "break 5", "continue",
                   "print tl.program_id(0) + tl.num_programs(0)"),
          "begins k:9 of 0\n"
          "printed (1, 0, 0) x: 153.0\n"
          "came k:9 of 2\n"
          "tl.program_id(0) = 2\n"
          "tl.num_programs(0) = 3\n"
          "tl.program_id(2) + tl.num_programs(1) = 1\n"
          "break thrice:5 of 2\n"
          "tl.program_id(0) + tl.num_programs(0) = 5\n");
}

static void test_reasons(void **state)
{
    check(*state, COMMANDS("second", "watch", "run", "continue", "continue", "reverse", "reverse"),
          "begins k:9 of 0\n"
          "written k:13 of 1 [k.py:12: x[6] was 6., now 18.]\n"
          "break thrice:5 of 1\n"
          "written k:13 of 1 [k.py:12: x[6] was 18., now 54.]\n"
          "break thrice:5 of 1\n"
          "written k:13 of 1 [k.py:12: x[6] was 6., now 18.]\n");
}

/* A hit has the same number whichever way one comes there, and a log is told once. */
static void test_hits(void **state)
{
    check(*state,
          COMMANDS("hits >=5", "log {i} of {tl.load(x + 99)}: {tl.max(tile)}{", "continue",
                   "continue", "reverse", "continue"),
          "begins k:9 of 0\n"
          "logged 1 of {tl.load(x + 99): load of x[99] is outside of its 12 elements}: 9.{\n"
          "logged 1 of {tl.load(x + 99): load of x[99] is outside of its 12 elements}: 21.{\n"
          "printed (1, 0, 0) x: 153.0\n"
          "break k:12 of 2\n"
          "logged 1 of {tl.load(x + 99): load of x[99] is outside of its 12 elements}: 33.{\n"
          "break k:12 of 2\n"
          "break k:12 of 2\n"
          "break k:12 of 2\n");
}

static void test_hits_are_read(void **state)
{
    static const char *const bad[] = {"", "0", ">=", "x", "3x", "-1", "%0", "3 4"};
    DebugHits h;

    (void)state;
    for (int i = 0; i < COUNT(bad); i++)
        assert_false(debug_hits_read(bad[i], &h));
    assert_true(debug_hits_read(" > 2 ", &h));
    assert_int_equal(h.kind, HITS_FROM);
    assert_int_equal(h.n, 3);
}

/* Who is interrupted as it looks for where to go back to stays where it was. */
static void test_going_back_ends(void **state)
{
    check(*state, COMMANDS("last", "next", "hurry", "reverse", "reverse"),
          "begins k:9 of 0\n"
          "printed (1, 0, 0) x: 153.0\n"
          "came k:9 of 2\n"
          "step k:10 of 2\n"
          "interrupted k:10 of 2\n"
          "begins k:9 of 0\n");
}

/* .. a function ends where the next one begins. */
static void test_lines_of_functions(void **state)
{
    check(*state, COMMANDS("break 3", "continue", "run", "delete", "break 7", "run"),
          "begins k:9 of 0\n"
          "break thrice:5 of 0\n"
          "break thrice:5 of 0\n"
          "break k:9 of 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_back_is_the_way_there, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_steps, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_values, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_values_of_a_program, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_reasons, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_hits, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_hits_are_read, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_going_back_ends, open_cli, close_cli),
        cmocka_unit_test_setup_teardown(test_lines_of_functions, open_cli, close_cli),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
