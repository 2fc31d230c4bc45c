/*
 * debug.c - `tilec debug`: the debugger's prompt on the terminal, a script, or a pipe
 */
#include "debugged.h"
#include "../prompt/prompt.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char prompt_text[] = "(tilec) ";

/* Where commands come from: the scripts of -x, one after the other, then stdin. */
typedef struct {
    Cli *cli;
    Call *call;
    Comparisons compared;
    const Options *options;
    const char *rest; /* of the scripts; NULL: nothing */
    bool is_terminal;
    double end;   /* of a time in which nobody wonders why nothing comes */
    double stop;  /* .. and after which a run is stopped */
    unsigned ops; /* that were asked at */
    int replays;  /* since the last line from stdin */
    FILE *kept;   /* where lines are recorded; NULL: nowhere */
} Commands;

enum { MOST_REPLAYS = 100, OPS_A_LOOK = 256 };
static const double patience = 2; /* seconds */

/* --- reading --- */

static const char *read_script(Cli *c, const char *path)
{
    char *text;
    size_t len;
    int error = os_read_file(c->arena, path, LARGEST_SOURCE, &text, &len);

    if (error)
        cli_stop_at_file(c, path, strerror(error));
    return text;
}

/* All of them, before anything runs: from within a run nothing may stop the command. */
static const char *read_scripts(Cli *c, const Options *o)
{
    Text t = text_new(c->arena);

    text_put(&t, "");
    for (int i = 0; i < o->scripts.len; i++)
        text_printf(&t, "%s\n", read_script(c, o->scripts.at[i]));
    return t.s;
}

static const char *script_line(Commands *r)
{
    size_t n = strcspn(r->rest, "\n");
    const char *line = arena_strndup(r->cli->arena, r->rest, n);

    if (n > 0 && !r->cli->json)
        printf("%s%s\n", prompt_text, line); /* so that what it shows can be read */
    r->rest = r->rest[n] ? r->rest + n + 1 : NULL;
    return line;
}

/* What Ctrl-C leaves of a line does nothing. */
static const char dropped[] = "#";

static const char *stdin_line(Commands *r, PromptWords words)
{
    char *line = NULL;
    size_t room = 0;

    bool is_there = true;

    r->replays = 0;
    if (r->is_terminal) {
        line = terminal_read(prompt_text, words.first, words.others);
        is_there = line != NULL;
        if (interrupt_take() == SIGINT) {
            free(line);
            clearerr(stdin);
            putchar('\n');
            return dropped;
        }
    } else {
        fflush(stdout); /* for who waits at the other end of the pipe */
        is_there = getline(&line, &room, stdin) >= 0;
    }
    const char *kept = is_there ? arena_printf(r->cli->arena, "%s", line) : NULL;
    free(line);
    if (!kept && r->is_terminal)
        putchar('\n');
    return kept;
}

static const char *next_line(Commands *r, PromptWords words)
{
    if (r->rest)
        r->rest += strspn(r->rest, " \t\r\n"); /* an empty line repeats nothing here */
    if (r->rest && *r->rest)
        return script_line(r);
    r->rest = NULL;
    return stdin_line(r, words);
}

/* Ctrl-C at the prompt drops the line, in a run it stops that. */
static const char *read_command(void *commands, PromptWords words)
{
    Commands *r = commands;

    interrupt_take();
    interrupt_defer(r->is_terminal);
    const char *line = next_line(r, words);
    r->end = os_seconds() + patience;
    r->stop = r->options->timeout > 0 ? os_seconds() + r->options->timeout : INFINITY;
    return line;
}

/* Asked at each op: the clock is looked at now and then. */
static bool interrupts(void *commands)
{
    Commands *r = commands;

    if (++r->ops % OPS_A_LOOK != 0)
        return interrupt_take() != 0;
    if (r->is_terminal && os_seconds() > r->end) {
        fputs("still running: Ctrl-C stops it where it is\n", stderr);
        r->end = INFINITY;
    }
    bool is_late = os_seconds() > r->stop;
    r->stop = is_late ? INFINITY : r->stop;
    return interrupt_take() != 0 || is_late;
}

/* --- keeping --- */

static void record(void *commands, const char *path)
{
    Commands *r = commands;
    int error = *path ? os_check_output(path, false) : 0;

    if (r->kept)
        fclose(r->kept);
    r->kept = NULL;
    if (error)
        client_stop_at_output(&r->cli->client, path, error);
    if (!*path)
        return;
    r->kept = fopen(path, "w");
    if (!r->kept)
        cli_stop_at_file(r->cli, path, strerror(errno));
}

static void keep(void *commands, const char *line)
{
    Commands *r = commands;

    if (r->kept)
        fprintf(r->kept, "%s\n", line);
}

static void replay(void *commands, const char *path)
{
    Commands *r = commands;

    if (++r->replays > MOST_REPLAYS)
        cli_stop(r->cli, CLI_USAGE, "%s replays itself", shown_name(r->cli->arena, path));
    const char *text = read_script(r->cli, path);
    r->rest = arena_printf(r->cli->arena, "%s\n%s", text, r->rest ? r->rest : "");
}

/* --- writing --- */

static void say(void *commands, const char *text)
{
    Arena *a = ((Commands *)commands)->cli->arena;
    Text t = text_new(a);

    text_put(&t, "");
    text_put_printable(&t, text);
    fputs(colour_tables(a, t.s), stdout);
}

static void draw(void *commands, const char *picture)
{
    (void)commands;
    fputs(picture, stdout);
}

static void answer(void *commands, const char *json)
{
    (void)commands;
    puts(json);
}

static void complain(void *commands, const char *text)
{
    (void)commands;
    fflush(stdout);
    terminal_say_trouble("%s\n", text);
}

/* --- comparing --- */

/* Are the elements k of both, which are dense, apart? */
static bool is_apart(Cli *c, const Comparison *m, const Array *got, int64_t k)
{
    const Array here = {.data = array_element(got, k), .dtype = got->dtype};
    const Array there = {.data = array_element(&m->want, k), .dtype = m->want.dtype};
    Difference is = {.rtol = m->is.rtol, .atol = m->is.atol};

    difference_find(&c->store, &here, &there, &is);
    return is.wrong > 0;
}

static void note_wrong(Cli *c, const Comparison *m, Map *wrong)
{
    const Array got = array_cast(&c->store, m->got, m->got->dtype);
    int64_t n = m->is.wrong > 0 ? array_numel(&got) : 0;

    for (int64_t k = 0; k < n; k++) {
        int64_t index[ARRAY_MAX_DIMS], rest = k;

        if (!is_apart(c, m, &got, k))
            continue;
        for (int i = got.ndim - 1; i >= 0; rest /= got.shape[i--])
            index[i] = rest % got.shape[i];
        DebugElement *e = NEW(c->arena, DebugElement);
        *e = (DebugElement){
            arena_printf(c->arena, "%s[%s]", m->name, array_index_text(c->arena, &got, k)),
            got.dtype};
        map_put(wrong, MAP_KEY(array_at(m->got, index)), e);
    }
}

static const char *compare(void *commands, Map *wrong)
{
    Commands *r = commands;

    for (int i = 0; i < r->compared.len; i++) { /* it may have been asked before */
        Difference *is = &r->compared.at[i].is;
        *is = (Difference){.rtol = is->rtol, .atol = is->atol, .wants_units = is->wants_units};
    }
    compare_finish(r->call, &r->compared);
    for (int i = 0; i < r->compared.len; i++)
        note_wrong(r->cli, &r->compared.at[i], wrong);
    return comparison_text(&r->cli->store, &r->compared);
}

static void add_comparisons(Cli *c, Comparisons *all, Comparisons more)
{
    for (int i = 0; i < more.len; i++)
        vec_push(c->arena, all, more.at[i]);
}

/* --- running --- */

static DebugLaunch launch_of(const Call *k, const tilec_load_options *load)
{
    return (DebugLaunch){.file = k->cli->file,
                         .kernel = k->options.kernel,
                         .grid = k->timing.grid,
                         .args = k->there,
                         .nargs = k->args.count,
                         .options = &k->options.launch,
                         .load = load,
                         .store = &k->cli->store,
                         .names = &k->args.names};
}

/* Where a call runs; of the name NULL: on the interpreter. */
typedef struct {
    const char *name, *arch;
    int id;
} Where;

static void prepare_on(Cli *c, const Options *options, Where where, Debugged *d)
{
    Options o = *options;

    o.launch.device = where.name;
    o.launch.arch = where.arch;
    o.device_id = where.id;
    call_init(&d->call, c, &o);
    call_open(&d->call);
    call_evaluate(&d->call);
    move_there(&d->call);
    d->load = (tilec_load_options){.paths = o.paths.at,
                                   .npaths = o.paths.len,
                                   .defines = o.defines.at,
                                   .ndefines = o.defines.len};
    d->launch = launch_of(&d->call, &d->load);
}

void debug_afresh(Cli *c, const Options *options,
                  void (*work)(void *what, const DebugLaunch *fresh), void *what)
{
    Debugged d;

    prepare_on(c, options, (Where){0}, &d);
    work(what, &d.launch);
    call_close(&d.call);
}

/* --- other devices --- */

typedef struct {
    Cli *cli;
    const Options *options;
    Where where;
} Elsewhere;

static void afresh_elsewhere(void *elsewhere, void (*work)(void *what, const DebugLaunch *fresh),
                             void *what)
{
    const Elsewhere *e = elsewhere;
    Debugged d;

    prepare_on(e->cli, e->options, e->where, &d);
    work(what, &d.launch);
    call_close(&d.call);
}

/* Values as they are there. */
static DebugVersion *version_on(Debugged *d, Where where)
{
    Cli *c = d->call.cli;
    Elsewhere *e = NEW(c->arena, Elsewhere);

    *e = (Elsewhere){c, &d->options, where};
    return debug_version_new(
        &c->client, &c->store,
        &(DebugOther){
            .name = where.name, .grid = d->call.timing.grid, .ctx = e, .afresh = afresh_elsewhere});
}

static bool is_elsewhere(const char *device)
{
    return device && strcmp(device, "interp") != 0;
}

static void follow(Debugged *d)
{
    Cli *c = d->call.cli;
    const Options *o = &d->options;

    d->follows = version_on(d, (Where){o->launch.device, o->launch.arch, o->device_id});
    d->launch.follows = d->follows;
    d->launch.says_names = true;
    debug_version_begin(d->follows, 0);
    if (debug_version_error(d->follows))
        cli_stop(c, CLI_REFUSED, "%s", debug_version_error(d->follows));
}

void debug_prepare(Cli *c, const Options *o, Debugged *d)
{
    *d = (Debugged){.options = *o};
    prepare_on(c, &d->options, (Where){0}, d);
    if (is_elsewhere(o->launch.device))
        follow(d);
}

void debug_close(Debugged *d)
{
    if (d->follows)
        debug_version_free(d->follows);
    if (d->version)
        debug_version_free(d->version);
    call_close(&d->call);
}

static void afresh(void *commands, void (*work)(void *what, const DebugLaunch *fresh), void *what)
{
    const Commands *r = commands;

    debug_afresh(r->cli, r->options, work, what);
}

static void check_output(void *commands, const char *path)
{
    writing_check(&((Commands *)commands)->cli->client, path);
}

/* One command: what stops it does not stop the debugger. */
static const char *attempt(void *commands, void (*work)(void *what), void *what)
{
    return debug_attempt(((Commands *)commands)->cli, work, what);
}

/* --- other versions --- */

static void run_other(void *debugged, const Call *other, const char *name)
{
    Debugged *d = debugged;
    const DebugLaunch launch = launch_of(other, NULL);
    const DebugOther run = {.name = name, .grid = other->timing.grid};

    d->version = debug_version_new(&d->call.cli->client, &d->call.cli->store, &run);
    debug_version_take(d->version, &launch);
}

/* Of --against that, else of the first device that something is compared with, is the version for
 * whose values `differ` looks.  Values of the interpreter are another's with --device alone. */
static Comparisons prepare_version(Debugged *d)
{
    const Options *o = &d->options;
    Comparisons out = compare_prepare(&d->call);
    const char *device = NULL;
    int id = 0;

    if (o->against.text)
        add_comparisons(d->call.cli, &out, against_prepare(&d->call, run_other, d));
    for (int i = 0; i < o->compares.len && !d->version; i++) {
        if (compare_device(d->call.cli, &o->compares.at[i], &device, &id) &&
            (is_elsewhere(device) || d->follows))
            d->version = version_on(d, (Where){.name = device, .id = id});
    }
    d->launch.says_names |= d->version != NULL;
    return out;
}

void command_debug(Cli *c, int argc, char **argv)
{
    Options o = cli_options(c, COMMAND_DEBUG, argc, argv);
    Debugged d;
    Commands commands = {.cli = c, .call = &d.call, .options = &o};
    char *error = NULL;

    if (o.dap) {
        debug_serve(c, &o);
        return;
    }
    commands.rest = read_scripts(c, &o);
    commands.is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    debug_prepare(c, &o, &d);
    commands.compared = prepare_version(&d);
    const PromptHost host = {.ctx = &commands,
                             .read = read_command,
                             .say = say,
                             .draw = draw,
                             .complain = complain,
                             .answer = o.json ? answer : NULL,
                             .attempt = attempt,
                             .record = record,
                             .keep = keep,
                             .replay = replay,
                             .interrupts = interrupts,
                             .afresh = afresh,
                             .check_output = check_output,
                             .compare = commands.compared.len > 0 ? compare : NULL,
                             .version = d.version,
                             .repeats = commands.is_terminal,
                             .terminal = o.json ? -1 : STDOUT_FILENO};
    cli_check(c, prompt_run(&host, &d.launch, &error), &error);
    if (commands.kept)
        fclose(commands.kept);
    debug_close(&d);
}
