/*
 * each.h - the same call for each of many files: launched on threads and ranks, and settled in
 * order
 *
 * batch.h has its parts: the files, the threads, what is saved.  each.c makes a call for every
 * file, batches.c one for several at once, each_ranks.c shares them over ranks, each_json.c has
 * what became of them for programs.  Who makes the calls, and tells what they give, is the
 * EachHost: a front door fills in an Each, and hears the rest from there.
 */
#ifndef TILEC_BATCH_EACH_H
#define TILEC_BATCH_EACH_H

#include "batch.h"
#include "../ranks/ranks.h"

/* What became of a file, until it is told. */
typedef struct {
    char *told;    /* from malloc(): what its kernel printed */
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
/* A value or a reference in which names of files may stand; `name` is for messages. */
typedef struct {
    const char *name, *text;
    const Origin *origin;
} EachText;
typedef VEC(EachText) EachTexts;

typedef struct EachHost EachHost;
typedef struct {
    /* from the front door */
    Client *client; /* whom it is for, on the thread that calls */
    Store *store;   /* its arrays: those that are the same for all files */
    const EachHost *host;
    const Saves *saves; /* as each_mark_gathered() gives them */
    int compress;       /* zlib's level for these */
    EachTexts values;   /* arguments of the call */
    EachTexts others;   /* other texts that read files, as references */
    EachFiles files;    /* on the first rank */
    int batch;          /* files of one shape a call; 0: each file has one of its own */
    bool wants_json;    /* results are kept as that */
    Ranks ranks;        /* of which this is one */
    Crew crew;          /* the threads, from each_go() on */
    int threads;        /* for all of it */
    int launch_threads; /* of the first launches, which are alone; 0: all */
    int *older;         /* by file: its outputs that are there; NULL: nobody wants to know */
    bool skips;         /* files whose outputs are there .. */
    int skipped;        /* .. which are so many, and are not among the files */
    /* what comes out */
    int failed, done, differ; /* files; of these by --compare */
    int replaced;             /* older outputs */
    int stale;                /* files that failed, and have some of an earlier run */
    int halted;               /* errno of what all further files would meet too; 0 */
    int left;                 /* files that this, or a signal, leaves */
    Gathered gathered;
    EachJson json; /* with wants_json */
    /* its own */
    EachArrays constants; /* arrays of files that are the same for all */
    EachShapes shapes;
    EachOutcome *outcomes; /* one for each file */
    Map *warned;           /* hashes of warnings */
    int told;
    double interrupted; /* when a signal was first seen; 0: there was none */
    Share *share;       /* who has which file, or with batches, range of files */
    Text packed;        /* on another rank: room for what is sent */
} Each;

/* A batch on its way. */
typedef struct {
    Each *each;
    const struct Batches *batches;
    const int *numbers; /* of its files, in Each.files */
    EachGroup group;    /* these files; its arrays are there from each_pile() on */
    EachArrays arrays;
    bool again;                  /* a call was made before */
    const Array *const *outputs; /* by launch(): one for each of Each.saves, its first extent that
                                  * of the files */
    void *own;                   /* the host's, until release() */
} EachLaunch;

/* What the front door does.  The first three come from any thread; of the others none comes while
 * another one has not come back. */
struct EachHost {
    /* A call for the file of that group, which saves its results to `saves`; it may be stopped. */
    void (*call)(Each *e, Store *worker, const EachGroup *group, const Saves *saves, int threads,
                 bool again);
    /* These rows belong to what is being done for that worker, as save_all() gives them. */
    void (*add_rows)(Store *worker, const char **rows, int n);
    void (*end_file)(const EachFile *f); /* one that `call` or launch() has begun has ended */
    /* A call for a batch, whose arrays each_pile() gives; its results stay until release(). */
    CrewResult (*launch)(EachLaunch *l);
    void (*release)(EachLaunch *l);
    /* Threads are at work from now on, or not any more; `launches`: each has calls of its own. */
    void (*works)(Each *e, bool begins, bool launches);
    /* What became of a file, in the order of the files: what it printed, and why it failed. */
    void (*tell)(Each *e, const EachFile *f, const char *told, const char *trouble);
    void (*warn)(Each *e, const EachFile *f, const char *warning); /* when it is known */
    void (*complain)(Each *e, int code, const char *text);         /* what is no file's */
    void (*progress)(Each *e);                                     /* some times a second */
    /* The tables as far as they are, for a signal that ends the process. */
    void (*keep_tables)(Each *e, const GatheredTable *tables, int n);
    /* What says as JSON that a file failed with this code for this reason; from malloc(). */
    char *(*problem)(Each *e, int code, const char *why);
    bool (*is_interrupted)(void);
    void (*end_interrupted)(Each *e); /* behind what is complete; does not come back */
    /* The same with a failure that all files would have alike. */
    void (*stop_early)(Each *e, const EachFile *f, CrewResult *r);
};

/* --- for the front door --- */

/* each_ranks.c */
void each_open(Each *e);          /* waits for all ranks; stops where they cannot talk */
bool each_assists(const Each *e); /* is this another rank than the first, which has the files? */
/* On another one: the files that each_go() of the first one has; false: there is nothing to do. */
bool each_hear_files(Each *e);
/* On another one, which cannot take part: why, for the first one to say. */
void each_excuse(Each *e, int code, const char *why);
/* Behind each_open(), whatever came: ends all ranks.  False: messages between them were lost. */
bool each_close(Each *e);

/* each.c */
/* Leaves out the files whose outputs are there, with e->skips, and counts those of the others. */
void each_look_at_outputs(Each *e);
/* All calls.  It may be stopped. */
void each_go(Each *e);
/* The array of a batch for each name of a file, in the arena of a store: fills in `group`. */
void each_pile(EachLaunch *l, Store *store);

/* each_json.c */
/* One object, with what is known. */
const char *each_json_object(const Each *e, double seconds);

/* --- for each other --- */

/* each.c */
/* Take what became of file `i`, with the texts; one thread at a time.  False: the disk is full, or
 * the like, so that no more files need to be begun. */
bool each_settle(Each *e, int i, CrewResult *r);
bool each_is_over(const Each *e); /* no more files are to be begun: for this, or for a signal */
/* Some times a second, and behind the last file: each_tell(); and the end, behind a signal, where
 * the files that are being worked on take long. */
void each_watch(Each *e);
/* Give a failure that says nothing of itself these words. */
void each_blame(Each *e, CrewResult *r, const char *why);
void each_tell(Each *e); /* of all files in front of which all are settled, and the progress */
/* Is it done, but not what --compare says? */
bool each_is_difference(const CrewResult *r);
/* Has the failure to do with the call, as far as can be told, and not with the file? */
bool each_is_of_call(const CrewResult *r);
/* Stop it all with what became of file `i`, which all files would have alike. */
void each_stop_early(Each *e, int i, CrewResult *r);
int each_next(Each *e); /* the next item for this rank, -1: there are no more */
/* crew_run(), while a signal is only noted, so that what is complete is counted. */
void each_crew_run(Each *e, int n, bool launches, const CrewTask *task);

/* batches.c */
int batches_range(const Each *e); /* how many files a rank takes at once */
void batches_run(Each *e);

/* each_ranks.c */
void each_share_files(Each *e); /* on the first rank: which there are */
void each_send(Each *e, int i, CrewResult *r);
void each_take_theirs(Each *e); /* on the first rank: settle what others have sent */
void each_wait_for_ranks(Each *e);

/* each_json.c */
void each_json_begin(Each *e);
void each_json_add(Each *e, int i); /* of file i, which is done; before its texts are gone */
/* Of the same, at any time: objects about arrays that are not written. */
void each_json_unwritten(Each *e, int i, const char *arrays);

#endif
