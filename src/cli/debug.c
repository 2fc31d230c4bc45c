/*
 * debug.c - `tilec debug`: the debugger's prompt on the terminal, a script, or a pipe
 */
#include "call.h"
#include "../prompt/prompt.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char prompt_text[] = "(tilec) ";

/* Where commands come from: the scripts of -x, one after the other, then stdin. */
typedef struct {
    Cli *cli;
    const Options *options;
    int script;       /* the next one */
    const char *rest; /* of the one that is read; NULL: none is */
    bool is_terminal;
} Commands;

/* --- reading --- */

static const char *next_script(Commands *r)
{
    const char *path = r->options->scripts.at[r->script++];
    char *text;
    size_t len;
    int error = os_read_file(r->cli->arena, path, LARGEST_SOURCE, &text, &len);

    if (error)
        cli_stop_at_file(r->cli, path, strerror(error));
    return text;
}

static const char *script_line(Commands *r)
{
    size_t n = strcspn(r->rest, "\n");
    const char *line = arena_strndup(r->cli->arena, r->rest, n);

    if (n > 0)
        printf("%s%s\n", prompt_text, line); /* so that what it shows can be read */
    r->rest = r->rest[n] ? r->rest + n + 1 : NULL;
    return line;
}

static const char *stdin_line(Commands *r)
{
    char *line = NULL;
    size_t room = 0;

    if (r->is_terminal)
        fputs(prompt_text, stdout);
    fflush(stdout);
    ssize_t n = getline(&line, &room, stdin);
    const char *kept = n < 0 ? NULL : arena_strndup(r->cli->arena, line, (size_t)n);
    free(line);
    if (!kept && r->is_terminal)
        putchar('\n');
    return kept;
}

static const char *read_command(void *commands)
{
    Commands *r = commands;

    while (r->rest || r->script < r->options->scripts.len) {
        if (!r->rest)
            r->rest = next_script(r);
        if (r->rest && *r->rest)
            return script_line(r);
        r->rest = NULL;
    }
    return stdin_line(r);
}

/* --- writing --- */

static void say(void *commands, const char *text)
{
    Text t = text_new(((Commands *)commands)->cli->arena);

    text_put(&t, "");
    text_put_printable(&t, text);
    fputs(t.s, stdout);
}

static void complain(void *commands, const char *text)
{
    (void)commands;
    fflush(stdout);
    terminal_say_trouble("%s\n", text);
}

/* --- running --- */

typedef struct {
    void (*work)(void *what);
    void *what;
} Work;

static void do_work(Cli *c, void *work)
{
    const Work *w = work;

    (void)c;
    w->work(w->what);
}

/* One command: what stops it does not stop the debugger. */
static const char *attempt(void *commands, void (*work)(void *what), void *what)
{
    Cli *c = ((Commands *)commands)->cli;

    if (cli_attempt(c, do_work, &(Work){work, what}))
        return NULL;
    c->code = CLI_DONE;
    return c->trouble;
}

void command_debug(Cli *c, int argc, char **argv)
{
    Options o = cli_options(c, COMMAND_DEBUG, argc, argv);
    Call k;
    Commands commands = {.cli = c, .options = &o};
    char *error = NULL;

    commands.is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    o.launch.device = NULL;
    call_init(&k, c, &o);
    call_open(&k);
    call_evaluate(&k);
    const tilec_load_options load = {.paths = o.paths.at,
                                     .npaths = o.paths.len,
                                     .defines = o.defines.at,
                                     .ndefines = o.defines.len};
    const DebugLaunch launch = {.file = c->file,
                                .kernel = k.options.kernel,
                                .grid = k.timing.grid,
                                .args = k.args.args,
                                .nargs = k.args.count,
                                .options = &k.options.launch,
                                .load = &load};
    const PromptHost host = {.ctx = &commands,
                             .read = read_command,
                             .say = say,
                             .complain = complain,
                             .attempt = attempt,
                             .repeats = commands.is_terminal,
                             .terminal = STDOUT_FILENO};
    cli_check(c, prompt_run(&host, &c->store, &k.args.names, &launch, &error), &error);
    call_close(&k);
}
