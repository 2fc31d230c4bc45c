/*
 * test.c - `tilec test`: make every call that kernels' files name, and compare what comes out
 *
 * A call passes when it runs, its assertions hold, and its arrays are what its `--compare` lines
 * say; without such lines they must be what the interpreter makes of them.  One that fails, for
 * whatever reason, costs no other.
 */
#include "commands.h"

#include <stdio.h>
#include <string.h>

static const char reference[] = "interp";

typedef enum { TEST_FAILED, TEST_PASSED, TEST_SKIPPED } TestResult;

/* One call on one device. */
typedef struct {
    const NamedCall *call;
    const char *device;
    int argc; /* the command line */
    char **argv;
    TestResult result;
    double seconds; /* of everything: compiling, references */
    const char *kernel;
    bool is_default;      /* no comparison was asked for */
    bool in_part;         /* --check did not look for races */
    const char *why;      /* it did not pass, or is warned of: lines for people; NULL */
    const char *compared; /* JSON, or NULL */
    const char *files;    /* .. of a call for many files: objects with commas between; NULL */
    const char *problem;  /* what stopped it, as JSON; NULL */
} Test;
typedef VEC(Test) Tests;

/* What the command line and the call say. */
static Options options_of(Cli *c, const Test *t)
{
    Options o = cli_options(c, COMMAND_TEST, t->argc, t->argv);

    options_add_call(&c->client, COMMAND_TEST, &o, t->call);
    return o;
}

/* --- what there is to test --- */

static bool is_wanted(const Options *o, const NamedCall *call, const char *kernel)
{
    if (kernel && (!call->kernel || strcmp(call->kernel, kernel) != 0))
        return false;
    for (int i = 0; i < o->calls.len; i++) {
        if (calls_is_named(call, o->calls.at[i]))
            return true;
    }
    return o->calls.len == 0;
}

/* The devices that a call is tested on, as --device has them. */
static void find_devices(Cli *c, void *test)
{
    Test *t = test;
    Options o = options_of(c, t);

    t->kernel = o.kernel;
    t->device = o.devices ? o.devices : "cpu";
}

/* A mistake in the call shows again when it is made. */
static void add_tests(Cli *c, Test t, Tests *out)
{
    t.device = "cpu";
    t.kernel = t.call->kernel;
    cli_attempt(c, find_devices, &t);
    for (const char *s = t.device; *s; s += *s == ',') {
        size_t n = strcspn(s, ",");

        t.device = arena_strndup(c->arena, s, n);
        vec_push(c->arena, out, t);
        s += n;
    }
}

typedef VEC(const char *) Words;

static void warn_of_no_calls(Cli *c, const char *path)
{
    cli_warn(c,
             "%s names no calls: write `# tilec: call NAME --grid E NAME=VALUE...` above a kernel",
             shown_name(c->arena, path));
}

/* Give how many calls a file names; `names` gets all of them. */
static int tests_of_file(Cli *c, const Options *o, const char *path, const char *kernel, Test t,
                         Tests *out, Words *names)
{
    const NamedCalls calls = *calls_of_file(&c->client, path);

    for (int i = 0; i < calls.len; i++) {
        t.call = &calls.at[i];
        vec_push(c->arena, names, t.call->name);
        if (is_wanted(o, t.call, kernel))
            add_tests(c, t, out);
    }
    return calls.len;
}

/* Of one word FOLDER or FILE.py[:KERNEL].  In a folder some files are there for others, and name
 * no calls. */
static void tests_of_word(Cli *c, const Options *o, const char *word, const Test *t, Tests *out,
                          Words *names)
{
    const char *kernel = NULL;
    const char *path = word;
    int calls = 0, before = out->len;

    if (os_entry(word).kind == OS_FOLDER) {
        EachPaths files = each_in_folder(&c->client, word, ".py");

        for (int i = 0; i < files.len; i++)
            calls += tests_of_file(c, o, files.at[i], NULL, *t, out, names);
    } else {
        path = operand_file(&c->client, word, &kernel);
        calls = tests_of_file(c, o, path, kernel, *t, out, names);
    }
    if (calls == 0)
        warn_of_no_calls(c, path);
    else if (kernel && out->len == before && o->calls.len == 0)
        cli_warn(c, "%s names calls, but none of a kernel '%s'", shown_name(c->arena, path),
                 kernel);
}

static void check_wanted(Cli *c, const Options *o, const Tests *tests, const Words *names)
{
    for (int i = 0; i < o->calls.len; i++) {
        const char *name = o->calls.at[i];
        bool found = false;

        for (int k = 0; k < tests->len; k++)
            found |= calls_is_named(tests->at[k].call, name);
        if (!found)
            cli_stop(c, CLI_USAGE, "--call %s: there is no such call%s", name,
                     hint_text(c->arena, name, names->at, names->len));
    }
    if (tests->len == 0)
        cli_stop(c, CLI_USAGE, "there is nothing to test");
}

/* --- testing --- */

/* Why a device that only the call asks for cannot be used here; NULL. */
static const char *missing(Cli *c, const char *device)
{
    tilec_device d;

    for (int i = 0; tilec_device_info(c->tilec, i, &d) == TILEC_OK; i++) {
        if (strcmp(d.name, device) == 0 && !d.available)
            return arena_printf(c->arena, "the device `%s` cannot be used here: %s", device,
                                d.missing);
    }
    return NULL;
}

/* A command that does the same, and can be given more options. */
static const char *command_again(Cli *c, const Test *t)
{
    const char *file = t->call->path;

    if (t->kernel)
        file = arena_printf(c->arena, "%s:%s", file, t->kernel);
    return arena_printf(c->arena, "tilec run %s --call %s --device %s%s%s%s",
                        shell_word(c->arena, file), shell_word(c->arena, t->call->name), t->device,
                        t->is_default ? " --compare " : "", t->is_default ? reference : "",
                        options_again(&c->client, t->argc, t->argv));
}

/* Is it a call for each of many files?  Only as one of `run` it says of which: `o` gets that. */
static bool take_files(Cli *c, Options *o, const NamedCall *call)
{
    Options run = {0};

    if (!each_is_read(o))
        return false;
    options_add_call(&c->client, COMMAND_RUN, &run, call);
    o->eaches.at = run.eaches.at;
    o->eaches.len = run.eaches.len;
    o->batch = run.batch;
    return run.eaches.len > 0;
}

/* Why a call that opened is not made here; NULL. */
static const char *why_skipped(Cli *c, const Options *o, const Test *t)
{
    bool chosen = cli_options(c, COMMAND_TEST, t->argc, t->argv).devices != NULL;

    return chosen ? NULL : missing(c, o->launch.device);
}

static void test_files(Cli *c, Test *t, const Options *o)
{
    EachTest files;

    t->result = each_test(c, o, &files) ? TEST_PASSED : TEST_FAILED;
    t->why = files.why;
    t->files = files.compared;
    t->in_part = o->launch.check && !checked_races(c, o->launch.device);
}

/* Either may be NULL. */
static const char *join_lines(Cli *c, const char *first, const char *second)
{
    if (!first || !second)
        return first ? first : second;
    return arena_printf(c->arena, "%s\n%s", first, second);
}

static void test_call(Cli *c, Test *t, Call *k)
{
    Comparisons compared;

    call_evaluate(k);
    compared = compare_prepare(k);
    k->unwritten.wanted = true;
    call_launch(k);
    t->in_part = checked_in_part(k);
    unwritten_find(k);
    if (!compare_finish(k, &compared)) {
        t->why = comparison_text(&c->store, &compared);
    } else {
        const char *unwritten = unwritten_text(k);
        t->why = join_lines(c, unwritten, compare_warning(k, &compared));
        t->result = unwritten && unwritten_refuses(k) ? TEST_FAILED : TEST_PASSED;
    }
    t->compared = comparison_json(&c->store, &compared);
}

static void make_call(Cli *c, void *test)
{
    Test *t = test;
    Options o = options_of(c, t);
    bool has_files = take_files(c, &o, t->call);
    Call k;

    c->json = has_files && o.json; /* stdout is the parent's */
    operand_device(&c->client, &o, t->device);
    t->is_default = o.compares.len == 0 && strcmp(o.launch.device, reference) != 0;
    if (t->is_default)
        vec_push(c->arena, &o.compares, ((CompareText){.with = reference}));
    call_init(&k, c, &o);
    k.silent = true;
    call_open(&k);
    t->kernel = k.options.kernel;
    t->why = why_skipped(c, &o, t);
    t->result = TEST_SKIPPED;
    if (t->why)
        return;
    t->result = TEST_FAILED;
    if (has_files)
        test_files(c, t, &k.options);
    else
        test_call(c, t, &k);
}

/* What a child process tells of a test: fields with SEPARATOR between them. */
#define SEPARATOR "\x1e"

static const char *tell_test(Cli *c, void *test)
{
    Test *t = test;

    if (!cli_attempt(c, make_call, t)) {
        t->result = TEST_FAILED;
        t->why = c->trouble;
        t->problem = problem_kept(c);
    }
    const char *const fields[] = {t->kernel, t->why, t->compared, t->files, t->problem};
    Text out = text_new(c->arena);

    text_printf(&out, "%d" SEPARATOR "%d" SEPARATOR "%d", (int)t->result, t->is_default,
                t->in_part);
    for (int i = 0; i < COUNT(fields); i++)
        text_printf(&out, SEPARATOR "%s", fields[i] ? fields[i] : "");
    return out.s;
}

/* The field that `*text` begins with, NULL if it is empty; `*text` moves behind it. */
static const char *next_field(Cli *c, const char **text)
{
    size_t n = strcspn(*text, SEPARATOR);
    const char *field = n ? arena_strndup(c->arena, *text, n) : NULL;

    *text += n + ((*text)[n] != '\0');
    return field;
}

/* In a process of its own: a kernel may end it. */
static void run_test(Cli *c, Test *t)
{
    double start = os_seconds();
    const char *text;

    if (trial_run(c, 0, tell_test, t, &text)) {
        t->result = (TestResult)(*next_field(c, &text) - '0');
        t->is_default = *next_field(c, &text) == '1';
        t->in_part = *next_field(c, &text) == '1';
        t->kernel = next_field(c, &text);
        t->why = next_field(c, &text);
        t->compared = next_field(c, &text);
        t->files = next_field(c, &text);
        t->problem = next_field(c, &text);
    } else {
        t->result = TEST_FAILED;
        t->why = text;
        t->problem = problem_of_fault(c, text, CLI_REFUSED);
    }
    t->seconds = os_seconds() - start;
}

/* --- telling --- */

static const char *const results[] = {"FAIL", "PASS", "SKIP"};

typedef struct {
    int place, name, device;
} Widths;

static const char *place_of(Cli *c, const Test *t)
{
    return arena_printf(c->arena, "%s:%d", shown_name(c->arena, t->call->path), t->call->line);
}

static Widths measure(Cli *c, const Tests *tests)
{
    Widths w = {0};

    for (int i = 0; i < tests->len; i++) {
        const Test *t = &tests->at[i];

        w.place = MAX(w.place, (int)strlen(place_of(c, t)));
        w.name = MAX(w.name, (int)strlen(shown_name(c->arena, t->call->name)));
        w.device = MAX(w.device, (int)strlen(t->device));
    }
    return w;
}

static void print_indented(const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");

        printf("      %.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static void print_test(Cli *c, const Test *t, const Widths *w)
{
    printf("%s  %-*s  %-*s  %-*s  %.3f s\n", results[t->result], w->place, place_of(c, t), w->name,
           shown_name(c->arena, t->call->name), w->device, t->device, t->seconds);
    if (t->why)
        print_indented(t->why);
    if (t->result == TEST_FAILED)
        printf("      again: %s\n", command_again(c, t));
    fflush(stdout);
}

static int count(const Tests *tests, TestResult result)
{
    int n = 0;

    for (int i = 0; i < tests->len; i++)
        n += tests->at[i].result == result;
    return n;
}

static bool any_in_part(const Tests *tests)
{
    bool any = false;

    for (int i = 0; i < tests->len; i++)
        any |= tests->at[i].in_part;
    return any;
}

static void print_summary(const Tests *tests)
{
    int skipped = count(tests, TEST_SKIPPED);

    printf("%d passed, %d failed", count(tests, TEST_PASSED), count(tests, TEST_FAILED));
    if (skipped)
        printf(", %d skipped", skipped);
    putchar('\n');
}

static void put_known(Text *t, const char *name, const char *value)
{
    if (value)
        json_text(t, name, value);
}

static void put_test(Text *out, const Test *t)
{
    json_object(out, NULL);
    json_text(out, "file", t->call->path);
    json_int(out, "line", t->call->line);
    put_known(out, "call", t->call->name);
    put_known(out, "kernel", t->kernel);
    put_known(out, "device", t->device);
    json_text(out, "result", results[t->result]);
    json_fixed(out, "seconds", t->seconds, 6);
    put_known(out, "why", t->why);
    if (t->compared)
        json_value(out, "compare", t->compared);
    if (t->files) {
        json_array(out, "compared");
        text_put(out, t->files);
        json_array_end(out);
    }
    if (t->problem)
        json_value(out, "problem", t->problem);
    json_object_end(out);
}

static void print_json(Cli *c, const Tests *tests)
{
    Text out = text_new(c->arena);

    json_object(&out, NULL);
    json_int(&out, "passed", count(tests, TEST_PASSED));
    json_int(&out, "failed", count(tests, TEST_FAILED));
    json_int(&out, "skipped", count(tests, TEST_SKIPPED));
    json_array(&out, "calls");
    for (int i = 0; i < tests->len; i++)
        put_test(&out, &tests->at[i]);
    json_array_end(&out);
    json_object_end(&out);
    puts(out.s);
}

void command_test(Cli *c, int argc, char **argv)
{
    Options o = cli_options(c, COMMAND_TEST, argc, argv);
    const Test blank = {.argc = argc, .argv = argv};
    Tests tests = {0};
    Words names = {0};
    Widths w;

    compare_check_devices(c, o.devices);
    for (int i = 0; i < o.files.len; i++)
        tests_of_word(c, &o, o.files.at[i], &blank, &tests, &names);
    check_wanted(c, &o, &tests, &names);
    w = measure(c, &tests);
    for (int i = 0; i < tests.len; i++) {
        run_test(c, &tests.at[i]);
        if (!o.json)
            print_test(c, &tests.at[i], &w);
    }
    if (o.json)
        print_json(c, &tests);
    else
        print_summary(&tests);
    checked_tell(any_in_part(&tests));
    c->code = count(&tests, TEST_FAILED) ? CLI_REFUSED : CLI_DONE;
}
