/*
 * debugged.h - `tilec debug`: what its two front doors share, the prompt and editors
 */
#ifndef TILEC_CLI_DEBUGGED_H
#define TILEC_CLI_DEBUGGED_H

#include "commands.h"
#include "../debug/debug.h"

/* A call that is debugged; it must stay where it is. */
typedef struct {
    Options options; /* as they were given */
    Call call;
    tilec_load_options load;
    DebugLaunch launch;
    DebugVersion *follows; /* of --device; NULL: the interpreter's own values */
    DebugVersion *version; /* that `differ` looks for values of; NULL: none */
} Debugged;

/* debug.c */
/* All but running it: on the interpreter, and with --device by values of that device. */
void debug_prepare(Cli *c, const Options *o, Debugged *d);
void debug_close(Debugged *d); /* with its arrays, and what it has of others */
/* Do `work` with another call of the same options, which has arrays of its own. */
void debug_afresh(Cli *c, const Options *options,
                  void (*work)(void *what, const DebugLaunch *fresh), void *what);

/* debug_dap.c */
void debug_serve(Cli *c, const Options *o); /* --dap */
/* Do `work`; gives why it was stopped, which stops nothing else; NULL: it was not. */
const char *debug_attempt(Cli *c, void (*work)(void *what), void *what);

#endif
