/*
 * inside.h - what the files of the prompt share; nothing outside src/prompt/ includes it
 */
#ifndef TILEC_PROMPT_INSIDE_H
#define TILEC_PROMPT_INSIDE_H

#include "prompt.h"
#include "../show/show.h"

/* What a command came to. */
typedef struct {
    const char *command; /* NULL: none, the launch begins */
    Text said;           /* what it shows */
    Text members;        /* of its object, as JSON */
} Answer;

typedef struct {
    const PromptHost *host;
    Client *client;
    const DebugLaunch *launch;
    Debugger *debugger;
    const DebugStop *stop;      /* where the run stands */
    InterpPlace place;          /* the call that is looked at: the stop's, or one that it is in */
    int level;                  /* so many calls further out */
    int listed;                 /* the line behind those that `list` has shown; 0: none yet */
    bool moves;                 /* the command lets the run go on */
    bool compares;              /* it goes on to the end, and then to what is wrong */
    const char *last;           /* command line */
    VEC(const char *) displays; /* command lines to obey at each stop */
    bool is_displaying;         /* .. and this is one: JSON has it as text alone */
    Answer answer;
} Prompt;

/* prompt.c */
void say(Prompt *p, const char *fmt, ...) PRINTF(2, 3);
void draw(Prompt *p, const char *picture); /* in which nothing of a user's is left as it was */
void complain(Prompt *p, const char *why);
void need_frame(const Prompt *p); /* stops the client where the launch has ended */
/* A number that is all of the text, 1 where that is empty; stops the client. */
int64_t count_of(const Prompt *p, const char *text);
const char *skip_blanks(const char *s);

/* answer.c: all of it does nothing where nobody asks for JSON */
void answer_begin(Prompt *p, const char *command);
bool answer_keeps(Prompt *p, const char *text); /* false: it is to be said */
void answer_error(Prompt *p, const char *why);
void answer_stop(Prompt *p);
void answer_value(Prompt *p, const DebugValue *v);
void answer_send(Prompt *p);

/* moves.c, stops.c, look.c: `text` is what stands behind the command's name */
#define COMMANDS(ROW)                                                                              \
    ROW(run)                                                                                       \
    ROW(continue)                                                                                  \
    ROW(step)                                                                                      \
    ROW(next)                                                                                      \
    ROW(finish)                                                                                    \
    ROW(back)                                                                                      \
    ROW(reverse)                                                                                   \
    ROW(program)                                                                                   \
    ROW(differ)                                                                                    \
    ROW(quit)                                                                                      \
    ROW(break)                                                                                     \
    ROW(log)                                                                                       \
    ROW(watch)                                                                                     \
    ROW(catch)                                                                                     \
    ROW(delete)                                                                                    \
    ROW(print)                                                                                     \
    ROW(info)                                                                                      \
    ROW(list)                                                                                      \
    ROW(where)                                                                                     \
    ROW(up)                                                                                        \
    ROW(down)                                                                                      \
    ROW(picture)
#define DECLARE_COMMAND(name) void do_##name(Prompt *p, const char *text);
COMMANDS(DECLARE_COMMAND)
#undef DECLARE_COMMAND
/* At the end of a launch that `differ` went to: go to what is wrong; false: nothing is. */
bool goes_to_difference(Prompt *p);
bool condition_holds(void *prompt, const InterpPlace *at, const char *condition);
void look_at_place(Prompt *p); /* one line of the source, where the run stands */

#endif
