/*
 * debug_dap.c - `tilec debug --dap`: an editor at stdin and stdout
 */
#include "debugged.h"
#include "../dap/dap.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    Cli *cli;
    int out;         /* where messages go: what prints to stdout goes to stderr */
    bool fails;      /* nobody takes them any more */
    Options options; /* of its launch, and as they are before it */
    Debugged debugged;
} Editor;

/* --- the stream --- */

static long read_bytes(void *editor, char *to, size_t room, bool waits)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    ssize_t n;

    if (((Editor *)editor)->fails)
        return -1;
    if (!waits && poll(&in, 1, 0) <= 0)
        return 0;
    do
        n = read(STDIN_FILENO, to, room);
    while (n < 0 && errno == EINTR);
    return n > 0 ? n : -1;
}

static void write_bytes(void *editor, const char *bytes, size_t n)
{
    Editor *e = editor;

    while (n > 0 && !e->fails) {
        ssize_t done = write(e->out, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        e->fails = done < 0;
        bytes += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
}

/* --- work --- */

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

const char *debug_attempt(Cli *c, void (*work)(void *what), void *what)
{
    if (cli_attempt(c, do_work, &(Work){work, what}))
        return NULL;
    c->code = CLI_DONE;
    return c->trouble;
}

static const char *attempt(void *editor, void (*work)(void *what), void *what)
{
    return debug_attempt(((Editor *)editor)->cli, work, what);
}

static const DebugLaunch *prepare(void *editor, const DapWanted *wanted)
{
    Editor *e = editor;
    char **words = NEW_N(e->cli->arena, char *, wanted->n + 1);

    for (int i = 0; i < wanted->n; i++)
        words[i] = arena_printf(e->cli->arena, "%s", wanted->words[i]);
    if (wanted->folder && chdir(wanted->folder) != 0)
        cli_stop_at_file(e->cli, wanted->folder, strerror(errno));
    Options o = cli_options(e->cli, COMMAND_DEBUG, wanted->n, words);
    if (o.dap || o.scripts.len > 0 || o.compares.len > 0 || o.against.text)
        cli_stop(e->cli, CLI_USAGE, "an editor has no use for --dap, -x, --compare and --against");
    e->options = o;
    debug_prepare(e->cli, &o, &e->debugged);
    return &e->debugged.launch;
}

static void afresh(void *editor, void (*work)(void *what, const DebugLaunch *fresh), void *what)
{
    const Editor *e = editor;

    debug_afresh(e->cli, &e->options, work, what);
}

void debug_serve(Cli *c, const Options *o)
{
    Editor *e = NEW(c->arena, Editor);
    const DapHost host = {.ctx = e,
                          .read = read_bytes,
                          .write = write_bytes,
                          .attempt = attempt,
                          .prepare = prepare,
                          .afresh = afresh};

    if (o->file)
        cli_stop(c, CLI_USAGE, "--dap takes no file: an editor's `launch` says which");
    e->cli = c;
    file_claim_stdin(&c->store, "--dap");
    e->out = dup(STDOUT_FILENO);
    if (e->out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        cli_stop(c, CLI_FILES, "stdout: %s", strerror(errno));
    signal(SIGPIPE, SIG_IGN);
    dap_run(&c->client, &host);
}
