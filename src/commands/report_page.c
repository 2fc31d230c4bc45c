/*
 * report_page.c - `tilec report`: a page, or a text, of what `run --time`, `--profile` and
 * `--count` measure and `dump` shows of one call, or of two versions of it
 *
 * On the CPU, in the interpreter and on a GPU lines have samples, on the simulator counters.
 * The simulator is not: its time is none of a GPU's.
 */
#include "debugged.h"
#include "../page/page.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static bool is_timed(const Options *o)
{
    return !profiled_is_on(o, "sim");
}

/* What `run` would be asked for, to measure what there is on the device. */
static void wish(Options *o)
{
    o->profile =
        profiled_is_on(o, "cpu") || profiled_is_on(o, "interp") || profiled_is_on(o, "cuda");
    o->count = profiled_is_on(o, "sim");
    o->time = is_timed(o);
    if (o->profile)
        o->launch.debug = MAX(o->launch.debug, TILEC_DEBUG_LINES);
    o->uses_tuned = true;
}

static void check_device(Cli *c, const Options *o)
{
    if (o->ptxas && !profiled_is_on(o, "sim"))
        cli_stop(c, CLI_USAGE, "--ptxas is for --device sim; on cuda the registers are known");
}

static void check_output(Cli *c, const Options *o)
{
    size_t n = o->output ? strlen(o->output) : 0;

    if (!o->output && !o->text)
        cli_stop(c, CLI_USAGE,
                 "where to? -o FILE.html is missing; --text prints what matters most");
    if (!o->output)
        return;
    if ((n < 5 || strcmp(o->output + n - 5, ".html") != 0) &&
        (n < 4 || strcmp(o->output + n - 4, ".htm") != 0))
        cli_stop(c, CLI_USAGE, "-o %s: what is written is a page, FILE.html",
                 shown_name(c->arena, o->output));
    writing_check(&c->client, o->output);
}

/* --- one version --- */

static const char *machine_of(const Call *k)
{
    const char *device = k->timing.device;
    Arena *a = k->cli->arena;
    tilec_device d = {0};
    tilec_unit u;

    for (int i = 0; i < tilec_device_count(k->cli->tilec); i++) {
        if (tilec_device_info(k->cli->tilec, i, &d) == TILEC_OK && strcmp(d.name, device) == 0)
            break;
    }
    if (tilec_unit_info(k->cli->tilec, device, k->options.device_id, &u) == TILEC_OK &&
        u.memory > 0)
        return arena_printf(a, "%s, %d multiprocessors", u.name, u.processors);
    int threads = k->options.launch.threads ? k->options.launch.threads : d.threads;
    return strcmp(device, "cpu") == 0
               ? arena_printf(a, "%s, %d thread%s", d.description, threads, threads == 1 ? "" : "s")
               : d.description;
}

static int threads_of(const Call *k)
{
    tilec_device d = {0};

    if (!profiled_is_on(&k->options, "cpu") || tilec_device_info(k->cli->tilec, 0, &d) != TILEC_OK)
        return 0;
    return k->options.launch.threads > 0 ? MIN(k->options.launch.threads, d.threads) : d.threads;
}

/* Those that the device has; of the interpreter the one that it runs. */
static void add_stages(RunView *v, const Call *k)
{
    Arena *a = k->cli->arena;
    tilec_launch_options launch = k->options.launch;
    const ViewStage *known;

    launch.device = k->timing.device; /* else it is one that has the stage */
    for (int i = 0; (known = view_stage(i)) != NULL; i++) {
        char *text = NULL, *error = NULL;
        ViewStage stage = *known;

        if (i > 0 && profiled_is_on(&k->options, "interp"))
            return;
        if (tilec_dump(k->cli->file, k->options.kernel, stage.name, k->args.args, k->args.count,
                       &launch, &text, &error) == TILEC_OK) {
            stage.text = arena_strndup(a, text, strlen(text));
            vec_push(a, &v->stages, stage);
        }
        tilec_free(text);
        tilec_free(error);
    }
}

static const char *ptx_of(const RunView *v)
{
    for (int i = 0; i < v->stages.len; i++) {
        if (strcmp(v->stages.at[i].name, "ptx") == 0)
            return v->stages.at[i].text;
    }
    return NULL;
}

/* The chip that the PTX names, "sm_90a"; NULL: there is none. */
static const char *chip_of(const RunView *v)
{
    static const char target[] = "\n.target ";
    const char *ptx = ptx_of(v), *at = ptx ? strstr(ptx, target) : NULL;

    return at ? arena_strndup(v->arena, at + strlen(target), strcspn(at + strlen(target), ", \n"))
              : NULL;
}

static void ask_ptxas(RunView *v, const Call *k)
{
    const char *chip = chip_of(v);
    const char *problem =
        chip ? assembled_find(v->arena, chip, ptx_of(v), &v->timing.stats) : "there is no PTX";

    if (problem)
        cli_stop(k->cli, CLI_REFUSED, "--ptxas: %s", problem);
}

static void add_occupancy(RunView *v, const Call *k)
{
    const char *chip = chip_of(v);
    Occupancy *o = NEW(v->arena, Occupancy);
    tilec_unit u = {0};

    if (tilec_unit_info(k->cli->tilec, k->timing.device, k->options.device_id, &u) != TILEC_OK ||
        u.memory == 0)
        u.processors = 0;
    if (chip && occupancy_find(chip, &v->timing.stats, k->timing.grid, u.processors, o))
        v->occupancy = o;
}

/* What each line does, where no samples brought it. */
static ProfileLines *count_lines(const Call *k)
{
    ProfileLines *lines = NEW(k->cli->arena, ProfileLines);
    char *error = NULL;

    *lines = (ProfileLines){.arena = k->cli->arena};
    cli_check(k->cli,
              tilec_launch_lines(k->cli->file, k->options.kernel, k->timing.grid, k->there,
                                 k->args.count, &k->options.launch, profile_add, lines, &error),
              &error);
    return lines;
}

/* --- accesses --- */

enum { ACCESS_COLUMNS = 96, ACCESS_ROWS = 64, MOST_RUNS = 1 << 20, MOST_STEP_BYTES = 200000 };
enum {
    MOST_ELEMENTS = 1 << 26,
    FEW_ELEMENTS = 1 << 24
};                                      /* that are looked at at all, and step by step */
static const double access_seconds = 2; /* of the interpreter, for what there is room on a page */

static bool is_late(void *end)
{
    return os_seconds() > *(const double *)end;
}

/* The cells of an access, each once, with what they are by then: "3+2r 10R".  `kinds` has what each
 * is, which the access may change. */
static const char *step_cells(Arena *a, const AccessCells *c, const int32_t *numbers,
                              uint8_t *kinds, const DebugAccess *of)
{
    const int n = c->width * c->height;
    uint8_t *is_there = NEW_N(a, uint8_t, n + 1);
    Text t = text_new(a);

    memset(is_there, 0, (size_t)n + 1);
    for (int i = 0; i < of->runs.len; i++) {
        const DebugRun *r = &of->runs.at[i];

        for (int64_t k = r->at; k < r->at + r->n; k++) {
            if (numbers[k] < 0)
                continue;
            is_there[numbers[k]] = 1;
            kinds[numbers[k]] = (uint8_t)MAX(kinds[numbers[k]], r->kind);
        }
    }
    text_put(&t, "");
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && is_there[end] == is_there[i] && kinds[end] == kinds[i];)
            end++;
        if (!is_there[i])
            continue;
        text_printf(&t, end > i + 1 ? "%s%d+%d" : "%s%d", t.len ? " " : "", i, end - i);
        text_printf(&t, "%c", access_kinds[kinds[i]].letter);
    }
    return t.s;
}

/* One by one, as far as there is room on a page. */
static void add_steps(RunView *v, const DebugAccesses *arrays, const DebugAccessLog *log)
{
    Arena *a = v->arena;
    int32_t **numbers = NEW_N(a, int32_t *, arrays->len + 1);
    uint8_t **kinds = NEW_N(a, uint8_t *, arrays->len + 1);
    int *access = NEW_N(a, int, arrays->len + 1);
    size_t bytes = 0;
    int n = 0;

    for (int i = 0; i < arrays->len; i++) {
        if (array_numel(&arrays->at[i].array) == 0)
            continue;
        const AccessCells *c = &v->accesses.at[n].cells;
        access[i] = n++;
        numbers[i] = accesses_cell_numbers(a, &arrays->at[i], c);
        kinds[i] = NEW_N(a, uint8_t, c->width * c->height);
        memset(kinds[i], 0, (size_t)c->width * (size_t)c->height);
    }
    v->steps_in_part = log->room == 0 || v->accesses_of > 0;
    for (int i = 0; i < log->all.len; i++) {
        const DebugAccess *of = &log->all.at[i];
        const int to = access[of->array];
        ViewStep step = {.program = of->program,
                         .file = of->place.source ? of->place.source->path : NULL,
                         .line = of->place.line,
                         .reads = (of->effect & READS) != 0,
                         .writes = (of->effect & WRITES) != 0,
                         .access = to};

        step.cells =
            step_cells(a, &v->accesses.at[to].cells, numbers[of->array], kinds[of->array], of);
        bytes += strlen(step.cells) + 16;
        v->steps_in_part |= bytes > MOST_STEP_BYTES;
        if (bytes > MOST_STEP_BYTES)
            return;
        vec_push(a, &v->steps, step);
    }
}

/* What programs do with arrays, by a launch on the interpreter with arrays of its own. */
static void add_accesses(RunView *v, const Call *k)
{
    Cli *c = k->cli;
    Options o = k->options;
    double end = os_seconds() + access_seconds;
    const char *ended;
    int64_t elements = 0;
    Debugged d;

    o.profile = o.count = o.time = false;
    o.launch.debug = TILEC_DEBUG_NONE;
    o.launch.check = 0;
    debug_prepare(c, &o, &d);
    DebugAccessLog log = {.room = MOST_RUNS};
    const DebugAccessWish wish = {.launch = &d.launch,
                                  .program = -1,
                                  .log = &log,
                                  .most = MOST_ELEMENTS,
                                  .interrupts = is_late,
                                  .ctx = &end};
    const DebugAccesses all = debug_accesses(&wish, v->arena, &ended);
    for (int i = 0; i < all.len; i++) {
        const Accessed *x = &all.at[i];
        Text counts = text_new(v->arena);

        accesses_put(&counts, x);
        const ViewAccess access = {
            .name = x->name,
            .type = arena_printf(v->arena, "%s %s", tilec_dtype_name(x->array.dtype),
                                 summary_shape(v->arena, &x->array)),
            .counts = counts.s,
            .cells = accesses_cells(v->arena, x, ACCESS_COLUMNS, ACCESS_ROWS)};
        if (array_numel(&x->array) > 0)
            vec_push(v->arena, &v->accesses, access);
        elements += x->count;
    }
    v->accesses_of = ended ? log.programs : 0;
    if (elements <= FEW_ELEMENTS)
        add_steps(v, &all, &log);
    call_close(&d.call);
}

/* Of a call that has run, and is timed if it is to be. */
static RunView *view_of(Call *k, const char *version)
{
    Arena *a = k->cli->arena;
    RunView *v = NEW(a, RunView);

    *v = (RunView){.arena = a,
                   .version = version,
                   .file = k->options.file,
                   .machine = machine_of(k),
                   .threads = threads_of(k)};
    if (k->options.profile) {
        v->profile = NEW(a, Profile);
        *v->profile = profile_stop(k);
        v->lines = v->profile->lines;
    } else {
        v->lines = count_lines(k);
    }
    k->timing.hint = is_timed(&k->options) ? shape_hint(k) : NULL;
    v->timing = k->timing;
    if (v->profile)
        v->profile->timing = &v->timing;
    v->counting = k->options.count ? &k->counting : NULL;
    k->options.launch.on_message = NULL; /* it was heard */
    add_stages(v, k);
    if (k->options.ptxas)
        ask_ptxas(v, k);
    add_occupancy(v, k);
    if (k->options.output)
        add_accesses(v, k);
    return v;
}

static const RunView *view_alone(Call *k, Cli *c, const Options *o)
{
    call_init(k, c, o);
    call_open(k);
    call_evaluate(k);
    call_launch(k);
    call_count(k);
    if (k->options.profile)
        profile_start(k);
    if (k->options.time)
        timing_measure(k);
    return view_of(k, NULL);
}

/* --- two --- */

static void view_both(Page *p, Cli *c, const Options *o)
{
    Against *g = against_both(c, o, is_timed(o));

    for (int i = 0; i < PAGE_VIEWS; i++) {
        Call *k = against_call(g, i);

        k->options.profile = o->profile;
        if (o->profile)
            profile_start(k);
        p->views[p->nviews++] = view_of(k, shown_name(c->arena, against_name(g, i)));
    }
    p->kernel = against_call(g, 0)->options.kernel;
    p->ratio = against_sentence(g);
}

static const char *words_of(Cli *c, int argc, char **argv)
{
    Text t = text_new(c->arena);

    text_put(&t, "tilec report");
    for (int i = 0; i < argc; i++)
        text_printf(&t, " %s", shell_word(c->arena, argv[i]));
    return t.s;
}

static const char *made_by(Cli *c)
{
    time_t now = time(NULL);
    struct tm day;
    char text[32] = "";

    if (gmtime_r(&now, &day))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &day);
    return arena_printf(c->arena, "Made by tilec %s, %s.", tilec_version(), text);
}

void command_report(Cli *c, int argc, char **argv)
{
    Options o = cli_options(c, COMMAND_REPORT, argc, argv);
    Page p = {.arena = c->arena, .command = words_of(c, argc, argv), .made = made_by(c)};
    Call k;

    check_device(c, &o);
    check_output(c, &o);
    wish(&o);
    if (o.against.text) {
        view_both(&p, c, &o);
    } else {
        p.views[p.nviews++] = view_alone(&k, c, &o);
        p.kernel = k.options.kernel;
    }
    if (o.text)
        fputs(page_text(&p), stdout);
    if (!o.output)
        return;
    const char *html = page_html(&p);
    int error = os_write_file(o.output, html, strlen(html));
    if (error)
        client_stop_at_output(&c->client, o.output, error);
    if (!c->quiet)
        printf("%s%s: a page for a browser, %zu kB\n", o.text ? "\n" : "",
               shown_name(c->arena, o.output), strlen(html) / 1000 + 1);
}
