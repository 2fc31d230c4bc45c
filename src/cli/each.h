/*
 * each.h - `run --each`: one command line for many files
 *
 * src/batch finds the files, has the threads and saves what comes out; workers.c gives each thread
 * a Cli of its own; each.c runs a call for every file, batch.c one for several at once.  Where the
 * command is one of several ranks, the first one tells everything, and each_ranks.c is between
 * them.
 */
#ifndef TILEC_CLI_EACH_H
#define TILEC_CLI_EACH_H

#include "call.h"
#include "../ranks/ranks.h"

/* workers.c: a crew whose workers are Clis */
Crew workers_new(Cli *c, int n); /* n of them, with the library and the file of `c` */
/* Work in a Cli that has nothing yet, and keeps what it gets until worker_release(). */
CrewResult worker_attempt(Cli *c, CrewWork *work, void *context, int i);
void worker_release(Cli *c);
/* The options with the outputs of one file. */
Options each_options(Cli *c, const Options *o, const EachFile *f);

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
    Ranks ranks;
    Share *share; /* who has which file, or with --batch, range of files */
    Text packed;  /* on another rank: room for what is sent */
    bool tests;   /* for `tilec test`: only failures are told, to cli->tells, and not all of many */
    int troubles; /* of these so far */
} Each;
/* crew_run(), while Ctrl-C is noted for settle() and watch() to end it, so that what is complete is
 * counted. */
void each_crew_run(Each *e, int n, const CrewTask *task);
/* Take what became of file `i`, with the texts; one thread at a time.  False: the disk is full, or
 * the like, so that no more files need to be begun. */
bool each_settle(Each *e, int i, CrewResult *r);
bool each_is_over(const Each *e); /* no more files are to be begun: for this, or for a signal */
/* Some times a second, and behind the last file: each_tell(); and the end, behind a signal, where
 * the files that are being worked on take long. */
void each_watch(Each *e);
/* Give a failure that says nothing of itself these words. */
void each_blame(const Cli *c, CrewResult *r, const char *why);
void each_tell(Each *e); /* of all files in front of which all are settled, and the progress */
int each_next(Each *e);  /* the next item for this rank, -1: there are no more; as CrewTask.next */
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

/* each_sums.c */
void each_sum_up(Each *e); /* a line for people; --json has the same on stdout */

/* batch.c */
int batch_range(const Each *e); /* how many files a rank takes at once */
void batch_run(Each *e);

/* each_ranks.c */
/* Do `work` as one of all ranks.  What stops it, here or on the first rank, stops all of them. */
void each_on_ranks(Each *e, void (*work)(Cli *c, void *each));
/* On the first rank: so many items there are, and these files; and the others may have some. */
void each_share_files(Each *e, int items, int chunk);
/* On another one: waits for them; false: there is nothing to do. */
bool each_hear_files(Each *e);
bool each_assists(const Each *e); /* is this another rank than the first? */
/* What became of file `i`, for the first rank, with the texts. */
void each_send(Each *e, int i, CrewResult *r);
void each_take_theirs(Each *e); /* on the first rank: settle what others have sent */
void each_wait_for_ranks(Each *e);
int each_threads(const Each *e); /* for all of this rank */
/* Of several GPUs each rank of a machine has another one, unless --device says which. */
void each_choose_unit(Each *e, Options *o);

#endif
