/*
 * prompt.h - the debugger's commands: lines of text come in, what they show goes out
 *
 * Nothing here prints or reads: a front door does, as a PromptHost.  docs/debugging.md has the
 * commands from a user's side; the table of prompt.c is what `help` says.
 *
 *   prompt.c   reading lines, finding the command, telling where the run stands
 *   moves.c    commands that let it go on, or back
 *   stops.c    breakpoints, watches, what is caught
 *   look.c     source, names, values
 *   answer.c   what a command came to as JSON
 */
#ifndef TILEC_PROMPT_PROMPT_H
#define TILEC_PROMPT_PROMPT_H

#include "../debug/debug.h"

/* What a line most likely begins with, and what it goes on with; NULL behind the last ones. */
typedef struct {
    const char *const *first, *const *others;
} PromptWords;

typedef struct {
    void *ctx;
    const char *(*read)(void *ctx, PromptWords words); /* the next line; NULL: there are no more */
    void (*say)(void *ctx, const char *text);
    void (*draw)(void *ctx, const char *picture);  /* which may have codes that drive a terminal */
    void (*complain)(void *ctx, const char *text); /* of a command that was wrong */
    /* NULL, or what takes all that say() and complain() would, a JSON object for each command. */
    void (*answer)(void *ctx, const char *json);
    /* Do `work`; gives why it was stopped, NULL: it was not. */
    const char *(*attempt)(void *ctx, void (*work)(void *what), void *what);
    /* Behind the end of the launch: what there is to say of its arrays, and of those elements that
     * are not what they should be a DebugElement by its address.  NULL: nobody has said what that
     * is. */
    const char *(*compare)(void *ctx, Map *wrong);
    DebugVersion *version; /* whose results these should be; NULL: there is none */
    /* Keep command lines from now on in a file, "": no more; one of them; obey those of a file
     * next. The first and the last stop the client where they cannot. */
    void (*record)(void *ctx, const char *path);
    void (*keep)(void *ctx, const char *line);
    void (*replay)(void *ctx, const char *path);
    /* Do `work` with the launch on arrays of its own, as they are before it. */
    void (*afresh)(void *ctx, void (*work)(void *what, const DebugLaunch *fresh), void *what);
    void (*check_output)(void *ctx, const char *path); /* stops the client where it may not write */
    bool (*interrupts)(void *ctx); /* has somebody asked to stop the run?  NULL: nobody can */
    bool repeats;                  /* an empty line is the last command again */
    int terminal;                  /* where pictures go to; -1: to none */
} PromptHost;

/* Debug the launch, which has a store and names, by commands, until they end it or there are none
 * left.  Gives what debug_run() does. */
tilec_status prompt_run(const PromptHost *host, const DebugLaunch *launch, char **error);

#endif
