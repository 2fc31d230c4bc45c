/*
 * inside.h - what the files of this folder share; nothing outside of it includes this
 */
#ifndef TILEC_DAP_INSIDE_H
#define TILEC_DAP_INSIDE_H

#include "dap.h"
#include "got.h"

/* stream.c: what has come, and not been taken yet */
typedef struct {
    char *data;
    size_t at, len, room; /* data[at .. len - 1] */
    size_t skip;          /* so much of what comes belongs to a message that is too long */
    size_t length;        /* that a header has said; 0: none yet */
    bool has_header;      /* all of it; a message is next */
    bool garbled;         /* something is no header */
} Stream;
typedef enum { STREAM_MORE, STREAM_MESSAGE, STREAM_GARBLED } StreamState;
/* Where the next bytes belong; NULL: memory is out. */
char *stream_room(Stream *s, size_t *room);
void stream_add(Stream *s, size_t n); /* they are there */
/* The next message, which lasts until the next call; of what is garbled, why. */
StreamState stream_next(Stream *s, const char **body, size_t *n, const char **why);
void stream_free(Stream *s);

/* What an editor was given a number for, until the run moves. */
typedef enum { TICKET_CALL, TICKET_NAMES, TICKET_ARRAYS, TICKET_TILE } TicketKind;
enum { MOST_DIMS = MAX((int)ARRAY_MAX_DIMS, (int)MAX_RANK) };
typedef struct {
    TicketKind kind;
    InterpPlace at; /* of a call and its names; its frame may be NULL */
    /* Of a tile, or of an array of the launch: elements first .. first + n - 1 behind an index. */
    const char *expression; /* whose value it is */
    const DebugTile *tile;  /* NULL: it is an array */
    Array array;            /* in any case */
    int depth;              /* so many numbers of the index */
    int64_t index[MOST_DIMS];
    int64_t first, n;
} Ticket;

/* A breakpoint or a watch, and who has asked for it. */
typedef struct {
    int number;
    const char *file; /* NULL: it is of a function, .. */
    bool is_watch;    /* .. or an element */
} Asked;

typedef enum {
    BEFORE = 1, /* there is no launch yet */
    STANDS = 2,
    RUNS = 4,
    OVER = 8,
    ALWAYS = BEFORE | STANDS | RUNS | OVER
} Stage;

typedef struct {
    Client *client;
    const DapHost *host;
    Stage stage;
    Stream stream;
    int64_t seq;                      /* of the last message that was sent */
    int64_t first_line, first_column; /* as the editor counts */
    Guard *guard;
    Arena *scratch; /* for as long as a message is worked on */
    Arena *moment;  /* for as long as the run stands still */

    const DebugLaunch *launch;
    Debugger *debugger;
    bool is_tried, is_configured; /* by `launch`, by `configurationDone` */
    bool stops_on_entry, stops_at_end;
    bool only_runs; /* nobody debugs */
    int64_t most_threads;
    bool launch_waits;  /* for its answer, .. */
    int64_t launch_seq; /* .. to the request of this number */
    Place kernel_at;
    const DebugStop *stop; /* where the run stands */
    VEC(int64_t) visited;  /* programs that it stood in */
    VEC(Asked) asked;
    VEC(Ticket) tickets;
    int64_t first_ticket; /* number of the first of them */
    bool moves;           /* the request lets the run go on */
    bool pauses, ends;    /* it is to stop, or to end */
    bool has_left;        /* the editor */
    int exit_code;
    unsigned ops; /* since the stream was looked at */

    const Got *args; /* of the request */
    Text body;       /* of its answer */
    bool answers_later;
    const char *why; /* it was refused */
} Dap;

/* answer.c */
void dap_put_source(Dap *p, Text *t, const Source *source);
void dap_put_place(Dap *p, Text *t, const Place *at); /* source, line and column; may be none */
Text event_new(Dap *p, const char *name);             /* its body is begun */
void event_send(Dap *p, Text *t);
void send_output(Dap *p, const char *category, const char *text);
void send_answer(Dap *p, int64_t seq, const char *command); /* with p->body, or p->why */
/* A member of what was got; stops the client unless it is of that kind.  `optional`: NULL, or what
 * stands for it, where it is not there. */
const Got *want(const Dap *p, const Got *g, const char *name, GotKind kind);
const Got *want_maybe(const Dap *p, const Got *g, const char *name, GotKind kind);
const char *want_text(const Dap *p, const Got *g, const char *name);
int64_t want_whole(const Dap *p, const Got *g, const char *name);
int64_t want_whole_or(const Dap *p, const Got *g, const char *name, int64_t otherwise);
int64_t line_from(const Dap *p, int64_t line); /* as the editor counts to ours */

/* session.c: do `work`; gives why it was stopped, NULL: it was not */
const char *dap_attempt(Dap *p, void (*work)(void *what), void *what);

/* look.c */
Ticket *new_ticket(Dap *p, TicketKind kind, int64_t *number);
const Ticket *find_ticket(const Dap *p, int64_t number); /* stops the client */

/* variables.c: of the answer `t`: value, type, reference; `is_whole`: a tile as a table */
void dap_put_value(Dap *p, Text *t, const char *key, const char *expression, const DebugValue *v,
                   bool is_whole);

/* moves.c, stops.c, look.c, variables.c: requests, with those of session.c */
#define REQUESTS(ROW)                                                                              \
    ROW(continue, STANDS)                                                                          \
    ROW(next, STANDS)                                                                              \
    ROW(stepIn, STANDS)                                                                            \
    ROW(stepOut, STANDS)                                                                           \
    ROW(stepBack, STANDS)                                                                          \
    ROW(reverseContinue, STANDS)                                                                   \
    ROW(pause, STANDS | RUNS)                                                                      \
    ROW(setBreakpoints, STANDS | RUNS)                                                             \
    ROW(setFunctionBreakpoints, STANDS | RUNS)                                                     \
    ROW(setExceptionBreakpoints, STANDS | RUNS)                                                    \
    ROW(dataBreakpointInfo, STANDS)                                                                \
    ROW(setDataBreakpoints, STANDS | RUNS)                                                         \
    ROW(exceptionInfo, STANDS)                                                                     \
    ROW(threads, ALWAYS)                                                                           \
    ROW(stackTrace, STANDS)                                                                        \
    ROW(scopes, STANDS)                                                                            \
    ROW(variables, STANDS)                                                                         \
    ROW(evaluate, STANDS)                                                                          \
    ROW(completions, STANDS)
#define DECLARE_REQUEST(name, stages) void request_##name(Dap *p);
REQUESTS(DECLARE_REQUEST)
#undef DECLARE_REQUEST

#endif
