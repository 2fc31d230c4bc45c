/*
 * each.h - `run --each`: one command line for many files
 *
 * pattern.c finds paths, name_list.c reads them, files.c makes them the files of a command and says
 * what a placeholder means for one of them; crew.c has threads, each with a Cli of its own; each.c
 * runs a call for every file, batch.c one for several at once.
 */
#ifndef TILEC_CLI_EACH_H
#define TILEC_CLI_EACH_H

#include <pthread.h>

#include "call.h"

/* files.c: what texts mean for the files of c->each */
Array each_load(Cli *c, const FileText *text);
/* The value of a placeholder that `text` begins with; gives its length, 0: it is none. */
size_t each_value(Cli *c, const char *text, Const *out);

/* pattern.c */
typedef VEC(const char *) EachPaths;
/* What a pattern of --each matches, folders too, sorted; a path may be there twice. */
EachPaths each_match(Cli *c, const char *pattern);

/* name_list.c */
EachPaths each_listed(Cli *c, const char *list); /* what that file names; "-": stdin */

/* files.c */
typedef struct {
    const char *path;
    int index; /* from 0, in the order of the names */
} EachFile;
typedef struct {
    EachFile *at;
    int len, cap;
} EachFiles;
/* The files that the patterns of --each match, each once; stops when there are none. */
EachFiles each_find(Cli *c, const Options *o);
/* gather.c: one .csv for all files, a row or several for each, with its path in front */
void each_mark_gathered(Cli *c,
                        Options *o); /* those of --save that name no place for a file's name */
typedef struct {
    Arena *arena;
    Text *texts; /* for each --save, what there is so far */
    bool *begun; /* there is a line of titles */
} Gathered;
Gathered gathered_new(Cli *c, const Options *o);
void gathered_add(Gathered *g, const Options *o, char *const *rows); /* of the next file */
void gathered_write(Cli *c, const Gathered *g, const Options *o);    /* may leave an exit code */
bool each_has_place(const char *text); /* a placeholder in the name of a file */
/* `text` for one file; stops on a placeholder that there is not. */
const char *each_expand(Cli *c, const EachFile *f, const char *text);
/* each_outputs.c */
uint64_t each_identity(const OsEntry *e,
                       const char *name);      /* of that name in a folder; "": itself */
uint64_t each_place(Cli *c, const char *path); /* the same for all spellings of a path */
/* The options with the outputs of one file. */
Options each_options(Cli *c, const Options *o, const EachFile *f);
/* Stops when an output cannot be written, is that of two files, or an input that was not meant. */
void each_check_outputs(Cli *c, const Options *o, const EachFiles *files);

/* An array that was read before the call which needs it. */
typedef struct {
    FileText text;
    Array array;
    bool is_stack; /* of one file after another; else the same for all of them */
} EachArray;
typedef VEC(EachArray) EachArrays;
/* Shapes of arrays of which it was found out whether they are written; calls on all threads add to
 * it. */
enum { MOST_SHAPES = 1000 };
typedef struct {
    pthread_mutex_t lock;
    uint64_t at[MOST_SHAPES]; /* hashes */
    int n;
} EachShapes;

/* What a call on files is given: Cli.each. */
typedef struct EachGroup {
    const EachFile *files;
    int n;
    bool stacked; /* arrays of files have a leading dimension for the n files */
    const EachArrays *arrays;
    EachShapes *shapes; /* NULL: nothing is launched for it */
} EachGroup;

/* crew.c */
/* What became of a piece of work.  The texts are from malloc(). */
typedef struct {
    bool failed;
    CliCode code;
    tilec_status status;
    int reason;      /* as Cli.reason */
    double seconds;  /* that it took */
    char *told;      /* what it printed; NULL: there was no memory */
    char *trouble;   /* why it failed; NULL */
    char *problem;   /* the same as problem_json() has it, where that is asked for; NULL */
    char *compared;  /* what compare_json() gave, likewise */
    char *warning;   /* what the kernel did not write; NULL .. */
    char *unwritten; /* .. and as JSON */
    char **rows;     /* as Cli.rows */
    int nrows;
} CrewResult;
typedef struct {
    Cli *clis;
    int n;
} Crew;
/* Do piece i.  What it allocates in the arena, and all its arrays, are gone behind it; what it
 * prints goes to c->tells.  It fails by being stopped, or by leaving an exit code. */
typedef void CrewWork(Cli *c, void *context, int i);
typedef struct {
    CrewWork *work;
    /* Behind it; takes the texts.  False: no more pieces are begun. */
    bool (*settle)(void *context, int i, CrewResult *r);
    void (*watch)(void *context); /* some times a second, and behind the last piece */
    void *context;
} CrewTask;
Crew crew_new(Cli *c, int n); /* n threads, with the library and the file of `c` */
/* Work in a Cli that has nothing yet, and keeps what it gets until crew_release(). */
CrewResult crew_attempt(Cli *c, CrewWork *work, void *context, int i);
void crew_release(Cli *c);
void crew_rows_free(char **rows, int n);
/* Piece i, on this thread; it is for the caller to settle. */
CrewResult crew_do(Crew *w, const CrewTask *task, int i);
/* Pieces 0 to n - 1 in any order, on all threads; settle() and watch() never at the same time.
 * Where there are too few file handles for so many threads it goes on with fewer. */
void crew_run(Crew *w, int n, const CrewTask *task);

/* each.c: what became of the files, told in their order */
typedef struct {
    char *told;    /* from malloc(): for stdout */
    char *trouble; /* the same: why it failed */
    char *problem; /* .. as JSON */
    char *compared;
    char **rows; /* see CrewResult */
    int nrows;
    double seconds;
    bool made; /* its outputs are written, whatever --compare says */
    bool done;
} EachOutcome;
/* each_json.c: what is known of the files that were told, as elements of arrays */
typedef struct {
    Text failed, problems, results, compared, unwritten;
} EachJson;
typedef struct {
    Cli *cli;
    const Options *options;
    EachFiles files;
    EachArrays constants; /* arrays of files that are the same for all */
    Crew crew;
    EachOutcome *outcomes; /* one for each file */
    atomic_int *shares;    /* of the threads of the crew: see Cli.share */
    int threads;           /* for all of it */
    int told, failed, done;
    int *older;         /* for each file: its outputs that are there; NULL: nobody wants to know */
    int replaced;       /* of these so far */
    int stale;          /* files that failed, and have some of an earlier run */
    int skipped;        /* whose outputs were there; they are not among the files */
    int halted;         /* errno of what all further files would meet too; 0 */
    int left;           /* .. and how many these are, or those that a signal leaves */
    double interrupted; /* when a signal was first seen; 0: there was none */
    int differ;         /* of these by --compare */
    Gathered gathered;
    EachJson json; /* with --json */
    EachShapes shapes;
    Progress progress;
    double started;
    bool tests;   /* for `tilec test`: only failures are told, to cli->tells, and not all of many */
    int troubles; /* of these so far */
} Each;
/* Take what became of file `i`, with the texts; one thread at a time.  False: the disk is full, or
 * the like, so that no more files need to be begun. */
bool each_settle(Each *e, int i, CrewResult *r);
bool each_is_over(const Each *e); /* no more files are to be begun: for this, or for a signal */
/* Some times a second, and behind the last file: each_tell(); and the end, behind a signal, where
 * the files that are being worked on take long. */
void each_watch(Each *e);
/* Tell, and take, what was not written of file `i`. */
void each_warn(Each *e, int i, CrewResult *r);
/* Are these shapes, as a text, met for the first time? */
/* each_shapes.c */
bool each_meets_shapes(const EachGroup *group, const char *shapes);
/* Give a failure that says nothing of itself these words. */
void each_blame(const Cli *c, CrewResult *r, const char *why);
void crew_result_free(CrewResult *r); /* crew.c: of one that nobody takes */
void each_tell(Each *e); /* of all files in front of which all are settled, and the progress */
/* What a call printed, under the name of its file. */
void each_tell_text(Each *e, const EachFile *f, const char *text, bool failed);
/* Is it done, but not what --compare says? */
bool each_is_difference(const CrewResult *r);
/* Has the failure to do with the call, as far as can be told, and not with the file? */
bool each_is_of_call(const CrewResult *r);
/* Stop the command with a failure that all files would have alike. */
NORETURN void each_stop_early(Each *e, int i, CrewResult *r);

/* each_json.c */
void each_json_begin(Each *e);
void each_json_add(Each *e, int i); /* of file i, which is done; before its texts are gone */
/* Of the same, at any time: objects about arrays that are not written. */
void each_json_unwritten(Each *e, int i, const char *arrays);
void each_json_print(const Each *e, double seconds);

/* each_outputs.c: leaves out what --skip-existing means, and finds Each.older */
void each_look_at_outputs(Each *e);

/* batch.c */
void batch_run(Each *e);

#endif
