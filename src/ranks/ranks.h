/*
 * ranks.h - several processes for one job, as mpirun and srun start them
 *
 * For programs that do many like pieces of work: the command's `run --each`, and tilec-inspect.
 * Nothing here knows an MPI but tilec-mpi.so (mpi.c), which is made where there is one and opened
 * only where a process is one of several ranks.  ranks.c says which rank this is and has messages,
 * bytes with a tag; share.c hands the items of a job out to the ranks, and brings back what came of
 * them.  It stands on nothing but the C library, and prints nothing.
 */
#ifndef TILEC_RANKS_RANKS_H
#define TILEC_RANKS_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/* What tilec-mpi.so has under the name `tilec_ranks`.  All calls come from one thread; those that
 * give an int give 0, or an error of MPI's. */
typedef struct {
    int version; /* RANKS_VERSION: both are of one build */
    int (*begin)(int *rank, int *size);
    int (*send)(int to, int tag, const void *bytes, size_t n); /* may wait for its receiver */
    /* Is there a message?  Then from whom, which tag, and how many bytes. */
    int (*look)(int *is_there, int *from, int *tag, size_t *n);
    int (*take)(int from, int tag, void *bytes, size_t n);
    int (*end)(void); /* waits for all ranks */
    void (*explain)(int error, char *text, size_t room);
} RanksTable;
enum { RANKS_VERSION = 1 };

/* --- ranks.c --- */

typedef struct {
    int rank, size;             /* 0 of 1 where nobody started several */
    int host_rank, host_size;   /* of those on this machine */
    const RanksTable *messages; /* NULL: not opened */
} Ranks;

/* What the environment says; opens nothing. */
Ranks ranks_find(void);
/* The CPUs that this process may use: its own, or where the ranks of a machine may use all of them
 * its share.  At least 1. */
int ranks_cpus(const Ranks *r);
/* The plugin, unless `messages` is there.  NULL, or why it cannot be used, for free(). */
char *ranks_open(Ranks *r);
/* From here on by one thread alone.  NULL, or why ranks cannot talk to each other. */
char *ranks_begin(Ranks *r);
void ranks_end(const Ranks *r); /* behind the last message; waits for the others */
char *ranks_send(const Ranks *r, int to, int tag, const void *bytes, size_t n);
typedef struct RanksMessage {
    struct RanksMessage *next;
    int rank, tag; /* whom it is from */
    size_t n;
    char bytes[];
} RanksMessage;
/* The next one, for free(); NULL: there is none now, or (`why`) there will be none. */
RanksMessage *ranks_receive(const Ranks *r, char **why);

/* --- share.c: the items of a job, 0 to n - 1, on all ranks ---
 *
 * The first rank hands them out, does some itself, and is told what came of the others'.  The
 * others ask ahead, so that none waits for an answer.  All messages are a thread's of their own, so
 * the functions are for any thread.  A single rank has all items, and no such thread. */

typedef struct Share Share;
/* Waits for the other ranks to begin.  NULL: `why`, for free(), says why not. */
Share *share_open(Ranks *ranks, char **why);
/* The next item for this rank; another one than the first waits for it.  False: there are no more,
 * or share_halt() was called, here or on the first rank. */
bool share_next(Share *s, int *item);
/* No more items, on the first rank for anybody. */
void share_halt(Share *s);
/* Why there are no more messages; NULL: there is nothing wrong.  Such a share has halted. */
const char *share_trouble(Share *s);
/* Waits for the other ranks, unless there is trouble.  NULL does nothing. */
void share_close(Share *s);

/* on the first rank */
/* So many items; another rank takes `chunk` of them at once, and is told `job` before, which must
 * stay where it is. */
void share_tell(Share *s, int items, int chunk, const void *job, size_t n);
void share_begin(Share *s); /* the others may have some */
/* What another rank has given, for free(); NULL: nothing, so far. */
RanksMessage *share_take(Share *s);
/* Have all others left, and is all taken?  So it is with one rank, and where there is trouble. */
bool share_is_over(Share *s);
void share_wait(Share *s, double seconds); /* at most, for one of both */

/* on the others */
/* Waits for what share_tell() says; the bytes are the share's.  False: there is no job. */
bool share_hear(Share *s, const void **job, size_t *n);
/* From now on this rank asks for items, so many ahead: one for each of its threads. */
void share_ask(Share *s, int ahead);
void share_give(Share *s, const void *bytes, size_t n); /* what came of an item; copied */

#endif
