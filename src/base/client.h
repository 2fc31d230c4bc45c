/*
 * client.h - whom a part of the library works for: the command, or another front door
 *
 * What front doors share (src/arrays, src/guess, src/batch) prints nothing and ends nothing.  It is
 * handed a Client: what it makes lives in that arena, what it cannot do it says by client_stop(),
 * which does not come back, and what a user should know by client_warn().  A front door puts a
 * Client into a struct of its own, CLIENT_OF() finds that again, and gives it the two functions.
 */
#ifndef TILEC_BASE_CLIENT_H
#define TILEC_BASE_CLIENT_H

#include "base.h"

typedef enum {
    CLIENT_REFUSED = 1, /* it cannot be done */
    CLIENT_USAGE,       /* it was asked for wrongly */
    CLIENT_FILES        /* a file cannot be read or written */
} ClientFault;

/* A line of a file that says a part of the command line. */
typedef struct Origin {
    const char *file, *folder; /* paths in it are relative to that */
    int line;
    int depth; /* 1: named on the command line itself; 2: in a file that is named there ... */
    const char *call;           /* the named call that it is in, or NULL */
    const struct Origin *outer; /* the line that names the file; NULL: the command line does */
} Origin;

/* Why a client is stopped. */
typedef struct {
    ClientFault fault;
    const char *text; /* in the arena */
    const char *file; /* that cannot be read or written; NULL: none */
    int status;       /* the tilec_status of the library's own text, which says the fault; or 0 */
    int reason;       /* errno, where the system would not read or write the file; or 0 */
} ClientTrouble;

typedef struct Client Client;
struct Client {
    Arena *arena;
    Interner *words;      /* of expressions and syntax trees */
    const Origin *origin; /* of what is looked at, for messages and paths; NULL: no file */
    void (*stop)(Client *client, const ClientTrouble *why); /* must leave by a guard */
    /* What cannot be done, while the rest goes on: the work as a whole has failed. */
    void (*complain)(Client *client, const ClientTrouble *why);
    void (*warn)(Client *client, const char *text); /* of one or more lines; comes back */
};

/* The struct of that type whose member is this Client. */
#define CLIENT_OF(type, member, client) ((type *)((char *)(client)-offsetof(type, member)))

/* client.c */
NORETURN void client_stop(Client *c, ClientFault fault, const char *fmt, ...) PRINTF(3, 4);
/* The same with CLIENT_FILES for a file: `path` goes in front of `why`. */
NORETURN void client_stop_at_file(Client *c, const char *path, const char *why);
/* `error` is one of os_write_file() or os_check_output(). */
NORETURN void client_stop_at_output(Client *c, const char *path, int error);
NORETURN void client_stop_for(Client *c, const ClientTrouble *why);
void client_complain(Client *c, const ClientTrouble *why);
void client_warn(Client *c, const char *fmt, ...) PRINTF(2, 3);

/* words.c */
/* `path`, or where it is from the folder of c->origin. */
const char *origin_path(const Client *c, const char *path);
const char *folder_of(Arena *a, const char *path);  /* "." for a name alone */
const char *shell_word(Arena *a, const char *word); /* as a shell's command has it, with quotes */

#endif
