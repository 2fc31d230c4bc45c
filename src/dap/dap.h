/*
 * dap.h - the debugger in editors: the Debug Adapter Protocol, a message in, messages out
 *
 * An editor sends requests as JSON and is answered; what happens meanwhile it is told by events.
 * Nothing here reads or writes: a front door does, as a DapHost.  Programs are threads, of which
 * only some are told (look.c); tiles are variables that unfold by rows.  Nothing that an editor
 * sends may end the process: it is answered with what is wrong.
 *
 *   stream.c     bytes to messages
 *   got.c        JSON that was sent, by the library json-c
 *   answer.c     JSON that is sent, and what must be asked of what was got
 *   session.c    requests by name, and the life of a session: launch, run, end
 *   moves.c      requests that let the run go on, or back
 *   stops.c      breakpoints, elements that are watched, what is caught
 *   look.c       threads, calls, scopes, expressions
 *   variables.c  names and their values, a level at a time
 */
#ifndef TILEC_DAP_DAP_H
#define TILEC_DAP_DAP_H

#include "../debug/debug.h"

/* What an editor wants to debug: words of a command line. */
typedef struct {
    const char *folder; /* where relative paths begin; NULL: where the process stands */
    const char *const *words;
    int n;
} DapWanted;

typedef struct {
    void *ctx;
    /* Gives how many bytes have come; 0: none yet, which only happens unless it waits; -1: no more
     * will. */
    long (*read)(void *ctx, char *to, size_t room, bool waits);
    void (*write)(void *ctx, const char *bytes, size_t n);
    /* Do `work`; gives why it was stopped, NULL: it was not. */
    const char *(*attempt)(void *ctx, void (*work)(void *what), void *what);
    /* Make what is wanted ready, once a session, with a store and names; stops the client. */
    const DebugLaunch *(*prepare)(void *ctx, const DapWanted *wanted);
    /* Do `work` with the same launch on arrays of its own, as they are before it. */
    void (*afresh)(void *ctx, void (*work)(void *what, const DebugLaunch *fresh), void *what);
} DapHost;

/* Serve an editor until it has left. */
void dap_run(Client *client, const DapHost *host);

#endif
