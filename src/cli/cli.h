/*
 * cli.h - the command line: the command itself, how it stops, and what it tells
 *
 * Only this folder, src/commands and src/terminal print.  A command runs inside one guard
 * (commands/commands.c): whatever stops it calls cli_stop() with an exit code and a text, which is
 * printed there; so nothing below tests for errors twice.  Arrays live until the command ends, or
 * the Call that made them.
 *
 * Arrays and the language of their values are those of src/arrays.
 *
 *   command.h    what a command line says
 *   call.h       one call of a kernel, and what many of them are compared by
 */
#ifndef TILEC_CLI_H
#define TILEC_CLI_H

#include <stdatomic.h>
#include <stdio.h>

#include "tilec.h"
#include "../arrays/array.h"
#include "../terminal/terminal.h"

typedef enum {
    CLI_DONE = 0,
    CLI_REFUSED = CLIENT_REFUSED, /* the kernel was refused or failed */
    CLI_USAGE = CLIENT_USAGE,
    CLI_FILES = CLIENT_FILES /* a file could not be read or written */
} CliCode;

/* A copy of a storage in a device's memory. */
typedef struct {
    int block; /* which one of Cli.store */
    const char *device;
    int device_id;
    void *data;
} Moved;

typedef struct {
    Arena *arena;
    Guard guard;
    Client client;            /* this command, for what works for it */
    Store store;              /* its arrays */
    CliCode code;             /* what went wrong */
    const char *trouble;      /* when it stopped: the text for stderr */
    const Origin *trouble_at; /* the line of a file that a text of ours is about; NULL */
    const char *diagnosis;    /* the compiler's part of `trouble`; NULL: all of it */
    const char *trouble_file; /* the file that could not be read or written; NULL: none */
    tilec_status status;      /* what the library said of it; TILEC_OK: it is ours */
    int reason;               /* errno, where the system would not read or write a file; or 0 */
    bool json;                /* --json was given */
    bool quiet;               /* --quiet was */
    bool warned;              /* of something, by the compiler or the command */
    bool launched;            /* something, so that there are threads that no child has */
    bool diagnosed;           /* the text says where in a source file: print it as it is */
    tilec_context *tilec;
    tilec_file *file;
    VEC(Moved) moved;             /* copies of it in the memory of devices */
    FILE *tells;                  /* what goes to stdout, unless data or JSON are there */
    const struct EachGroup *each; /* the files that placeholders stand for; NULL: none */
    const char *compared;         /* what comparison_json() gave last, where JSON is asked for */
    const char *warning;          /* with --each: what call_warn() has to say; NULL: nothing */
    const char *unwritten;        /* .. and what unwritten_tell() has, as JSON; NULL: nothing */
    const char **rows; /* for each --save what this file adds to its table, NULL for none */
    int nrows;
    atomic_int *share; /* of a launch beside others: programs that have ended, in 1000ths */
    VEC(const char *) problems; /* what cli_complain() has told, as JSON, where that is asked for */
} Cli;

/* The one that a client is part of. */
static inline Cli *cli_of(Client *client)
{
    return CLIENT_OF(Cli, client, client);
}

/* trouble.c */
void cli_start(Cli *c); /* its memory, on its guard, and its arrays, of which there are none yet */

/* Leave the command with this exit code and this text for stderr, behind the file and the line of
 * c->client.origin. */
NORETURN void cli_stop(Cli *c, CliCode code, const char *fmt, ...) PRINTF(3, 4);

/* The same with CLI_FILES for what cannot be read or written: `path` goes in front of `why`. */
NORETURN void cli_stop_at_file(Cli *c, const char *path, const char *why);

/* Stops on anything but TILEC_OK; `error` (may be NULL) is where the library left its text. */
void cli_check(Cli *c, tilec_status status, char **error);

/* Do `work`; false when it was stopped: c->code, c->trouble and c->diagnosed say why, and it is for
 * the caller to print them or to go on. */
bool cli_attempt(Cli *c, void (*work)(Cli *c, void *context), void *context);

/* Print the text at once and go on: the command will exit with this code. */
void cli_complain(Cli *c, CliCode code, const char *fmt, ...) PRINTF(3, 4);

/* Print "tilec: warning: " and the text, unless --quiet, and go on. */
void cli_warn(Cli *c, const char *fmt, ...) PRINTF(2, 3);

/* The on_message of every launch: to stderr. */
void cli_tell(void *unused, const char *text);
bool cli_is_warning(const char *text); /* .. or one of several that it has */

/* problem.c: of a kernel that reaches memory outside of its arrays */
LastWords crash_words(Cli *c, const char *kernel, bool checked); /* by --check */

/* problem.c: what stopped the command, or what it told last, as a JSON object; from malloc(), NULL
 * without memory. */
char *problem_json(const Cli *c);
const char *problem_kept(Cli *c); /* the same in the arena; "null" for NULL */
/* The same of a kernel that ends, or has ended, its process. */
const char *problem_of_fault(Cli *c, const char *text, int exit_code);
char *problem_json_of_fault(const Cli *c, const char *text, int exit_code); /* as problem_json() */
/* The array of what cli_complain() has told as one more member of an object; nothing without any.
 */
void problem_put_all(Text *t, const Cli *c);
/* Of a signal that ends the command, for its handler; as problem_json(). */
char *problem_json_of_signal(int number);

#endif
