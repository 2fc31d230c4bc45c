/*
 * trouble.c - stopping with a reason, and what a misspelt word was probably meant to be
 */
#include "command.h"

#include <string.h>

/* What users and files wrote is in these texts: it must not drive the terminal. */
static const char *printable(Cli *c, const char *fmt, va_list ap)
{
    Text t = text_new(c->arena);

    text_put(&t, "");
    if (c->client.origin)
        text_put_printable(&t, arena_printf(c->arena,
                                            "%s:%d: ", shown_name(c->arena, c->client.origin->file),
                                            c->client.origin->line));
    text_put_printable(&t, arena_vprintf(c->arena, fmt, ap));
    return t.s;
}

/* The exit code that stands for a status of the library. */
static CliCode code_of(tilec_status s)
{
    switch (s) {
    case TILEC_OK:
        return CLI_DONE;
    case TILEC_IO:
        return CLI_FILES;
    case TILEC_NOT_FOUND:
    case TILEC_BAD_ARGUMENT:
        return CLI_USAGE;
    default:
        return CLI_REFUSED;
    }
}

void cli_stop(Cli *c, CliCode code, const char *fmt, ...)
{
    va_list ap;

    c->code = code;
    va_start(ap, fmt);
    c->trouble = printable(c, fmt, ap);
    c->trouble_at = c->client.origin;
    va_end(ap);
    fail(&c->guard);
}

/* Stop with what the library said, a text of one line or several. */
NORETURN static void stop_by_library(Cli *c, tilec_status status, const char *text)
{
    size_t n = strlen(text);

    while (n > 0 && text[n - 1] == '\n')
        n--;
    c->status = status;
    c->diagnosed = status == TILEC_REFUSED || status == TILEC_FAULT;
    cli_stop(c, code_of(status), "%.*s", (int)n, text);
}

/* What works for the command stops it. */
static void stop_client(Client *client, const ClientTrouble *why)
{
    Cli *c = cli_of(client);

    if (why->status != TILEC_OK || why->file) {
        c->reason = why->reason;
        c->trouble_file = why->file;
    }
    if (why->status != TILEC_OK)
        stop_by_library(c, (tilec_status)why->status, why->text);
    cli_stop(c, (CliCode)why->fault, "%s", why->text);
}

/* .. or cannot do a part of it. */
static void complain_client(Client *client, const ClientTrouble *why)
{
    Cli *c = cli_of(client);

    c->reason = why->reason ? why->reason : c->reason;
    c->trouble_file = why->file;
    cli_complain(c, (CliCode)why->fault, "%s", why->text);
    c->trouble_file = NULL;
}

static void warn_client(Client *client, const char *text)
{
    cli_warn(cli_of(client), "%s", text);
}

void cli_start(Cli *c)
{
    c->arena = arena_new(&c->guard);
    c->client = (Client){.arena = c->arena,
                         .words = interner_new(c->arena),
                         .stop = stop_client,
                         .complain = complain_client,
                         .warn = warn_client};
    c->store = store_new(&c->client, &cli_values);
}

void cli_stop_at_file(Cli *c, const char *path, const char *why)
{
    c->trouble_file = path;
    cli_stop(c, CLI_FILES, "%s: %s", shown_name(c->arena, path), why);
}

void cli_check(Cli *c, tilec_status status, char **error)
{
    const char *text;

    if (status == TILEC_OK)
        return;
    text = arena_printf(c->arena, "%s", error && *error ? *error : tilec_status_text(status));
    if (error)
        tilec_free(*error);
    stop_by_library(c, status, text);
}

bool cli_attempt(Cli *c, void (*work)(Cli *c, void *context), void *context)
{
    const Guard outer = c->guard;
    const Origin *origin = c->client.origin;
    volatile bool done = false;

    c->status = TILEC_OK;
    c->reason = 0;
    c->trouble_file = NULL;
    c->diagnosed = false;
    if (setjmp(c->guard.env) == 0) {
        work(c, context);
        done = true;
    } else if (c->guard.why == GUARD_NO_MEMORY) {
        c->code = CLI_REFUSED;
        c->status = TILEC_NO_MEMORY;
        c->trouble = "out of memory";
    }
    c->guard = outer;
    c->client.origin = origin;
    return done;
}

void cli_complain(Cli *c, CliCode code, const char *fmt, ...)
{
    va_list ap;

    c->code = code;
    c->status = TILEC_OK;
    c->trouble_at = c->client.origin;
    va_start(ap, fmt);
    c->trouble = printable(c, fmt, ap);
    va_end(ap);
    terminal_say_trouble("tilec: %s\n", c->trouble);
    if (c->json)
        vec_push(c->arena, &c->problems, problem_kept(c));
}

void cli_warn(Cli *c, const char *fmt, ...)
{
    va_list ap;

    c->warned = true;
    if (c->quiet)
        return;
    va_start(ap, fmt);
    terminal_say("tilec: warning: %s\n", printable(c, fmt, ap));
    va_end(ap);
}

bool cli_is_warning(const char *text)
{
    return strstr(text, "warning: ") != NULL;
}

void cli_tell(void *unused, const char *text)
{
    (void)unused;
    terminal_say("%s", text);
}
