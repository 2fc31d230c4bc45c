/*
 * debug.h - a debugger of kernels: a launch on the interpreter that stops, shows values, and goes
 * back
 *
 * A run is the same each time: its programs run one after the other, and what they find in memory
 * is what was there before the launch.  So a moment, a program and how many of its ops have begun,
 * is all that there is to know of where one is; to go back is to undo what the programs have
 * written, up to the beginning of one of them, and to run that again up to an earlier moment.
 *
 * Nothing here prints or reads.  A DebugHost is told when the run stands still, looks at what it
 * wants, and says how to go on; what it asks for wrongly stops its Client.
 *
 *   debug.c     the run: launching, ending, going again
 *   watcher.c   what is looked at in front of each op: statements, breakpoints, the ends of steps
 *   written.c   what programs write: undoing it, and elements that are watched
 *   recalled.c  results of costly ops, which are taken as programs run again
 *   caught.c    NaN and infinities where they are made
 *   lines.c     statements and lines
 *   names.c     what names mean at a place, and their values
 *   hits.c      which hits of a breakpoint count, and what it says
 *   evaluate.c  expressions of the kernel's language, on the values of the moment
 *   pieces.c    arrays of the launch in expressions
 *   asked.c     what people ask for in words: values, conditions, elements
 *   shown.c     values as text
 *   versions.c  values of another version, or of a device, by their names: the first that is
 *               another here, or in the place of those here
 *   accesses.c  which elements programs read and write, in a launch of its own
 *   pictured.c  the same as people ask for it in words, and as a picture
 */
#ifndef TILEC_DEBUG_DEBUG_H
#define TILEC_DEBUG_DEBUG_H

#include "../arrays/value.h"
#include "../interp/interp.h"
#include "../ir/mark.h"
#include "../show/show.h"

typedef struct Debugger Debugger;
typedef struct DebugVersion DebugVersion;

typedef struct {
    int64_t program; /* its number in the grid, x fastest */
    int64_t step;    /* so many of its ops have begun */
} DebugMoment;

typedef enum {
    DEBUG_BEGINS, /* where the launch does */
    DEBUG_STEPPED,
    DEBUG_CAME, /* where it was asked to go */
    DEBUG_BREAKPOINT,
    DEBUG_WRITTEN, /* an element that is watched */
    DEBUG_CAUGHT,
    DEBUG_INTERRUPTED, /* by the host */
    DEBUG_FAULT,       /* what comes next ends the launch */
    DEBUG_ENDED
} DebugWhy;

typedef struct {
    DebugWhy why;
    int number;       /* of the breakpoint or the watch */
    const char *text; /* of a fault the diagnostic, of what was caught what that is; else NULL */
    DebugMoment moment;
    int32_t program[3];
    InterpPlace place; /* its frame is NULL where the launch has ended */
} DebugStop;

/* What to run; all of it outlives the debugger. */
typedef struct {
    tilec_file *file;
    const char *kernel;
    const int32_t *grid;
    const tilec_arg *args;
    int nargs;
    const tilec_launch_options *options; /* `check`: races, too, which takes longer */
    const tilec_load_options *load;      /* what the file was loaded with */
    /* The arguments as words name them, with arrays of the store; NULL: nobody asks in words. */
    Store *store;
    const Names *names;
    bool says_names;       /* its code says what names are given, for versions */
    DebugVersion *follows; /* .. and they are given what they are there; NULL: the interpreter's */
} DebugLaunch;

typedef struct {
    void *ctx;
    /* On the thread of the programs; one of the moves below is to be asked for. */
    void (*stopped)(void *ctx, const DebugStop *stop);
    /* Is it so there?  Of a breakpoint with a condition. */
    bool (*holds)(void *ctx, const InterpPlace *at, const char *condition);
    void (*printed)(void *ctx, const char *text); /* each print once, however often one goes back */
    void (*logged)(void *ctx, const char *text); /* by a breakpoint that does not stop, once each */
    void (*said)(void *ctx, const char *text);   /* warnings; NULL: the launch's on_message */
    bool (*interrupts)(void *ctx);               /* is it to stop here?  Asked often; NULL: never */
    /* Do `work`; gives why it stopped the client, NULL: it did not.  NULL: nobody asks in words. */
    const char *(*attempt)(void *ctx, void (*work)(void *what), void *what);
} DebugHost;

/* debug.c */
Debugger *debug_new(Client *c, const DebugLaunch *launch, const DebugHost *host);
/* Stands still at the first statement of the first program; comes back when the host has ended it,
 * or with why nothing could be run. */
tilec_status debug_run(Debugger *d, char **error);
void debug_free(Debugger *d);                                         /* behind debug_run() */
int64_t debug_program_number(const Debugger *d, const int32_t at[3]); /* of a DebugMoment */

/* Moves, from within stopped(): how the run goes on when that returns. */
void debug_end(Debugger *d);             /* for good: debug_run() comes back */
void debug_restart(Debugger *d);         /* from the first program on, up to a reason to stop */
void debug_continue(Debugger *d);        /* up to a reason to stop */
void debug_step(Debugger *d, int64_t n); /* statements, those of helpers too */
void debug_next(Debugger *d, int64_t n); /* statements of this call, or of those it is in */
void debug_finish(Debugger *d);          /* to the statement behind this call */
void debug_back(Debugger *d, int64_t n); /* statements */
void debug_reverse(Debugger *d);         /* to the last reason to stop */
void debug_go_to_end(Debugger *d);       /* of the launch, whatever there is on the way */
void debug_go_to(Debugger *d, DebugMoment moment);      /* one that has been, or comes */
void debug_go_to_program(Debugger *d, int64_t program); /* to its first statement */
/* From the first statement on, with a look for races and reads of what nobody has written. */
void debug_check(Debugger *d);
bool debug_checks(const Debugger *d); /* is there such a look? */

/* --- reasons to stop --- */

/* Which of its hits, by their numbers, a breakpoint is for. */
typedef enum { HITS_ALL, HITS_AT, HITS_FROM, HITS_EACH } DebugHitsKind;
typedef struct {
    DebugHitsKind kind;
    int64_t n;
} DebugHits;
bool debug_hits_read(const char *text, DebugHits *out); /* "3" (or "==3"), ">=3", ">2", "%2" */
void debug_hits_put(Text *t, const DebugHits *h);       /* the same; nothing for all */
/* When a breakpoint stops. */
typedef struct {
    const char *condition; /* NULL: always */
    DebugHits hits;        /* of those where the condition holds */
    const char *log;       /* say this, with values for each {EXPR}, and go on; NULL: stop */
} DebugWhen;
typedef struct {
    int number;
    const Source *source;
    int line;
    int32_t program[3]; /* -1: any */
    DebugWhen when;
    VEC(DebugMoment) seen; /* its hits so far, in their order, where they are counted */
    DebugMoment logged;    /* the last one that was said */
} DebugBreak;
typedef struct {
    int number;
    const char *name; /* "out[3,7]" */
    uint64_t address;
    tilec_dtype dtype;
} DebugWatch;

/* Kinds of values that are caught where they are made. */
enum { DEBUG_NAN = 1, DEBUG_INF = 2 };

/* At the first statement that begins in that line of the file (NULL: the kernel's), or behind it in
 * the same function, of which decorators and `def` are a part; in the first line of that function
 * where `function` is not NULL.  Gives the breakpoint; NULL: there is no such statement, or *why is
 * what is wrong with what it asks for there. */
const DebugBreak *debug_break(Debugger *d, const char *file, int line, const char *function,
                              const int32_t program[3], const DebugWhen *when, const char **why);
const DebugWatch *debug_watch(Debugger *d, const char *name, uint64_t address, tilec_dtype dtype);
void debug_catch(Debugger *d, int kinds);   /* these, and no others */
int debug_caught(const Debugger *d);        /* kinds of values, DEBUG_NAN and so on */
bool debug_delete(Debugger *d, int number); /* of a breakpoint or a watch; false: there is none */
const DebugBreak *debug_break_at(const Debugger *d, int i); /* NULL behind the last, as below */
const DebugWatch *debug_watch_at(const Debugger *d, int i);

/* --- elements --- */

typedef struct {
    const char *name; /* "out[3,7]" */
    tilec_dtype dtype;
} DebugElement;
typedef struct {
    const DebugElement *element;
    uint64_t address;
    DebugMoment moment; /* behind it */
} DebugWrite;
/* Where the launch has ended: of the last writes to each of the elements, by their addresses, the
 * one that came first.  False: nothing has written to any. */
bool debug_first_of_last(const Debugger *d, const Map *elements, DebugWrite *out);

/* --- another version --- */

/* A run of another version, or on another device. */
typedef struct {
    const char *name; /* as messages call it */
    const int32_t *grid;
    void *ctx;
    /* Do `work` with such a launch, on arrays of its own; NULL: debug_version_take() has them. */
    void (*afresh)(void *ctx, void (*work)(void *what, const DebugLaunch *fresh), void *what);
} DebugOther;
/* The values that names were given there, up to 256 MiB of them at a time. */
DebugVersion *debug_version_new(Client *c, Store *store, const DebugOther *run);
void debug_version_free(DebugVersion *v); /* no Debugger looks at it any more */
void debug_version_take(DebugVersion *v, const DebugLaunch *launch); /* by that launch */
void debug_version_begin(DebugVersion *v, int64_t program); /* what comes is of that program */
const char *debug_version_error(const DebugVersion *v); /* why there are none; NULL: there are */
/* To the first value, of that moment's program and in front of that moment, that a name has there
 * and not here; where there is none, or the grids are not the same, to that moment. */
void debug_differ(Debugger *d, DebugVersion *v, DebugMoment moment);

/* --- accesses --- */

/* One access to an array, by the lanes of a tile that are in it. */
typedef struct {
    int64_t at, n; /* elements in memory, from the first one that the array has there */
    int kind;      /* of access_kinds: what each of them is by then */
} DebugRun;
typedef struct {
    int64_t program;
    Place place;
    int effect, array; /* READS, WRITES or both; its number in DebugAccesses */
    VEC(DebugRun) runs;
} DebugAccess;
typedef struct {
    VEC(DebugAccess) all; /* in the order of the run */
    int64_t room;         /* for so many runs more; 0: there were more than it has */
    int64_t programs;     /* that have begun */
} DebugAccessLog;

/* A launch of its own, with arrays of its own, which it changes. */
typedef struct {
    const DebugLaunch *launch;
    int64_t program;               /* note what this one does; -1: all */
    const Debugger *until;         /* end where that one stands; NULL: behind all programs */
    DebugAccessLog *log;           /* NULL, or takes each access by itself */
    int64_t most;                  /* look at no more elements of arrays in all; 0: at any number */
    bool (*interrupts)(void *ctx); /* is it to end here?  Asked at each op; NULL: never */
    void *ctx;
} DebugAccessWish;
typedef VEC(Accessed) DebugAccesses; /* of all arrays among the arguments */
/* accesses.c: *ended is why it did not come to the end that was wished for; NULL: it did. */
/* None where the arrays have more elements than were wished for. */
DebugAccesses debug_accesses(const DebugAccessWish *wish, Arena *a, const char **ended);

/* pictured.c: "x access now program 1,0" */
enum { DEBUG_PICTURE_PIXELS = 1024 };
typedef struct {
    const char *name; /* of the array */
    int64_t program;  /* what this one does; -1: all */
    bool until_now, by_program;
} DebugPicture;
/* NAME access|programs [now] [program [X[,Y[,Z]]]]; false: it is something else.  May stop. */
bool debug_picture_named(const Debugger *d, const char *text, DebugPicture *out);
/* Of that array, by a wish that says all but what the picture is of; stops where there is none. */
const Accessed *debug_picture_take(const Debugger *d, const DebugPicture *w, DebugAccessWish wish,
                                   const char **ended);
/* For a terminal's file descriptor; -1: in letters. */
void debug_put_picture(const Debugger *d, Text *t, const DebugPicture *w, const Accessed *x,
                       int terminal);
/* "3,*": what stands at *text up to a blank; -1 is any, where there may be stars.  May stop. */
void debug_program_named(const Debugger *d, const char **text, bool stars, int32_t out[3]);

/* --- looking --- */

/* A scalar or a tile: its elements, row-major. */
typedef struct {
    DType dtype; /* of pointers i64: how many elements behind the first of `array` they point to */
    int ndim;
    int64_t shape[MAX_RANK];
    const void *data;    /* NULL: it has not been computed */
    const uint8_t *mask; /* where it was loaded; NULL: everywhere, or nobody knows */
    const char *array;   /* what pointers point into; NULL: it is no pointer */
    bool is_outside;     /* .. or no, but it is the nearest */
    const tilec_tensor *tensor;
} DebugTile;
typedef struct {
    const char *name;
    const char *text; /* what it means, with a %v for each of `tiles`; NULL: the only tile */
    DebugTile *tiles;
    int n;
} DebugValue;
typedef VEC(DebugValue) DebugValues;

/* names.c: in the arena, as long as the run stands still */
DebugValues debug_names(const Debugger *d, const InterpPlace *at, Arena *a);
/* evaluate.c: false: *why says what is wrong with it */
bool debug_evaluate(Debugger *d, const InterpPlace *at, const char *text, Arena *a, DebugValue *out,
                    const char **why);
/* asked.c */
#define DEBUG_NO_NAMES "the launch has ended, and no names are left; arrays are: print NAME"
/* A name, an expression, or a value of arrays, in the arena; at->frame may be NULL behind the end.
 * Stops the client where it has none. */
void debug_look_up(Debugger *d, const InterpPlace *at, const char *text, Arena *a, DebugValue *out);
/* The array of the launch that the text is about: its name, or that and an index or a method.
 * NULL: it is about none, or the name, one of `names`, means something else at this place. */
const Array *debug_array_named(const Debugger *d, const char *text, const DebugValues *names);
/* *why, in the client's arena, says what is wrong with it, then it holds; NULL. */
bool debug_holds(Debugger *d, const InterpPlace *at, const char *condition, const char **why);
const DebugWatch *debug_watch_element(Debugger *d, const char *text); /* "out[3,7]"; may stop */

/* shown.c */
int64_t debug_tile_numel(const DebugTile *t);
Array debug_tile_array(const DebugTile *t);                              /* shares the elements */
const char *debug_element_text(Arena *a, const DebugTile *t, int64_t k); /* number k, row-major */
void debug_put_brief(Text *t, const DebugValue *v); /* in one line, without a newline */
void debug_put_value(Text *t, const char *name,
                     const DebugValue *v); /* .. and the table of a tile */

/* lines.c */
typedef VEC(const Source *) DebugSources;
DebugSources debug_sources(const Debugger *d, Arena *a); /* that have statements of the kernel */
Place debug_line(const InterpPlace *at);                 /* of the statement that the place is in */
const char *debug_function(const InterpPlace *at, Arena *a); /* as site_function() has it */

#endif
