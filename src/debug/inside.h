/*
 * inside.h - what the files of the debugger share; nothing outside src/debug/ includes it
 */
#ifndef TILEC_DEBUG_INSIDE_H
#define TILEC_DEBUG_INSIDE_H

#include "debug.h"
#include "../api/api.h"

/* What elements were before programs wrote to them: all of it since the launch began, in order. */
typedef struct {
    uint64_t address;
    size_t at, bytes; /* in `data` of the journal */
    size_t size;      /* of an element */
    int64_t step;     /* of the op, in its program */
} Written;
typedef struct {
    int64_t program;
    size_t nwritten, nbytes; /* that there were when it began */
} ProgramMark;
typedef struct {
    Written *written;
    uint8_t *data;
    ProgramMark *programs;
    size_t nwritten, nbytes, nprograms; /* that there are */
    size_t written_room, byte_room, program_room;
    bool is_full; /* memory ran out: what was written from here on cannot be undone */
} Journal;

/* What costly ops gave, in the order of their moments. */
typedef struct {
    DebugMoment moment;
    void *data;
} RecalledResult;
typedef struct {
    RecalledResult *at;
    size_t n, room, bytes; /* bytes: of all data */
} Recalled;

/* A statement that has begun. */
typedef struct {
    int64_t step;
    int depth; /* of calls */
} Begun;

/* What a run goes on for. */
typedef enum {
    FOR_STOPS,      /* reasons to stop */
    FOR_STATEMENT,  /* .. and statements at that depth, or nearer to the kernel */
    FOR_MOMENT,     /* for that one alone, which has been before */
    FOR_DIFFERENCE, /* for a value that the other version has not, up to that moment */
    FOR_END,
    FOR_PROGRAM,   /* for the first statement of that program */
    FOR_LAST_STOP, /* in front of that moment, of its program: to note where the last one is, and
                      end */
    FOR_LAST_STATEMENT
} Purpose;
typedef struct {
    Purpose purpose;
    DebugMoment moment;
    int depth;
    int64_t count;    /* of statements */
    DebugMoment from; /* of FOR_LAST_..: where the run stood */
    DebugWhy why;     /* how FOR_MOMENT ends, where there is no other reason to stop */
} Wish;

/* What a watched element was in front of the op that is writing to it. */
typedef struct {
    int number; /* of the watch; 0: none is being written to */
    uint64_t before;
} Writing;

enum { MOST_DEPTH = 201, MOST_WAITING = 16, MOST_BEGUN = 1 << 20 };

/* A statement whose first op is one of a helper that was inlined: it begins in front of that. */
typedef struct {
    InterpPlace at;
    int depth;
} Waiting;

struct Debugger {
    Client *client;
    DebugLaunch launch;
    const DebugHost *host;
    InterpObserver observer;
    Observed observed;
    Wish wish;
    bool goes_again; /* the launch ends here, and begins again for the wish */
    bool ends;       /* it ends for good */
    bool has_ended;
    bool stands; /* within stopped() */

    DebugMoment now, farthest; /* farthest: that there ever was */
    bool is_new;               /* now is that */
    bool found;                /* of FOR_LAST_..: `last` */
    DebugMoment last;
    int depth;
    int statement[MOST_DEPTH]; /* the mark that began it, by depth; -1: none */
    Waiting waiting[MOST_WAITING];
    int nwaiting;
    Begun *begun; /* in this program, up to now */
    size_t nbegun, begun_room;
    bool forgot_begun; /* the first of them */
    int64_t ops;       /* that were told of, in this program */
    const Op *op;      /* that was told of last, and its frame */
    const InterpFrame *frame;
    int32_t program[3];

    DebugVersion *version;  /* for FOR_DIFFERENCE */
    const char *difference; /* that the op in front has made; NULL: none */
    Span differs_at;

    bool checks; /* for races, though the launch's options do not say so */

    bool failed; /* the op at `now` is why the launch ends */
    DebugMoment fault_at;
    char *fault; /* the diagnostic; NULL: there is none yet */

    Journal journal;
    Recalled recalled;
    Writing writing;
    VEC(DebugBreak) breaks;
    VEC(DebugWatch) watches;
    int numbers; /* given so far */
    int catches;
    const Module *module; /* of the run; NULL before the first op */
    Map *lines;           /* Func* to the lines of its marks */
    VEC(struct Evaluated *) evaluated;
};

/* written.c */
void written_note(Debugger *d, const InterpAccess *a); /* in front of it */
void written_begin_program(Journal *j, int64_t program);
void written_undo(Journal *j, int64_t program); /* all since that program began */
void written_free(Journal *j);
/* What the op in front, `d->op`, did to a watched element, as a text in the arena; NULL: nothing.
 */
const char *written_tell(Debugger *d, int *number, Arena *a);

/* recalled.c: as an observer has it, of the op at `now` */
void *recalled_room(void *debugger, size_t bytes, bool *is_there);
void recalled_forget(Recalled *r);
void recalled_free(Recalled *r);

/* caught.c: what the op in front, `d->op`, has made of what is caught; NULL: nothing */
const char *caught_tell(const Debugger *d, Arena *a);

/* versions.c: at a record of a value; what it is and there is not, as a text; NULL: nothing */
const char *version_compare(DebugVersion *v, const InterpFrame *f, const Op *record, Arena *a);
/* Gives it what it is there; where that is not known for the first time, what to say, with a %s for
 * the other's name; NULL. */
const char *version_follow(DebugVersion *v, const InterpFrame *f, const Op *record);
bool version_fits(const DebugVersion *v, const int32_t grid[3]);
const char *version_name(const DebugVersion *v); /* as messages call it */

/* watcher.c */
InterpObserver watcher_observer(Debugger *d);

/* hits.c */
bool moment_is_before(DebugMoment a, DebugMoment b);
bool hits_count(Debugger *d, DebugBreak *b); /* it is hit now: is it for this hit? */
void hits_log(Debugger *d, DebugBreak *b, const InterpPlace *at);

/* lines.c */
int statement_of(const InterpPlace *at); /* its mark; -1: none */
int statement_line(Debugger *d, const Func *f, int mark);
Place statement_place(const Func *f, int mark);

/* names.c: what names mean in front of a statement, of values their types alone */
DebugValues names_at_statement(const Debugger *d, const Func *f, int mark, Arena *a);

/* pieces.c: a value of arrays, in whose language the names that are numbers have values, too; why
 * it is none, NULL: it is in *out. */
const char *piece_value(const Debugger *d, const DebugValues *names, const char *text, Arena *a,
                        DebugValue *out);
bool piece_is_all(const char *text); /* an array's name, with indices and methods alone behind it */
/* The expression with a name in place of each indexed array, whose values are put behind `taken`;
 * NULL: *why one has none. */
const char *pieces_taken(Debugger *d, const DebugValues *names, const char *text, Arena *a,
                         DebugValues *taken, const char **why);

/* evaluate.c */
void evaluated_free(Debugger *d);
/* Why the expression has no value in front of that statement, whatever the values there are, or is
 * no condition; NULL: it may have one. */
const char *evaluate_unfit(Debugger *d, const Func *f, int mark, const char *text,
                           bool is_condition, Arena *a);

/* hits.c: the same of all that a breakpoint asks for there */
const char *hits_unfit(Debugger *d, const Func *f, int mark, const DebugWhen *when, Arena *a);

#endif
