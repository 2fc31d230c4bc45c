/*
 * ranks.h - several processes for one job, as mpirun and srun start them
 *
 * The program itself knows no MPI: where it is one of several ranks it opens tilec-mpi.so, which
 * mpi.c becomes where there is an MPI to build it with.  Messages are bytes with a tag.
 */
#ifndef INSPECT_RANKS_H
#define INSPECT_RANKS_H

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

typedef struct Ranks {
    int rank, size;             /* 0 of 1 where nobody started several */
    int host_rank, host_size;   /* of those on this machine */
    const RanksTable *messages; /* NULL: not opened */
} Ranks;

/* What the environment says; opens nothing. */
Ranks ranks_find(void);
/* NULL, or why ranks cannot talk to each other, for free(). */
char *ranks_open(Ranks *r);
void ranks_close(const Ranks *r); /* behind the last message; waits for the others */
/* NULL, or why not. */
char *ranks_send(const Ranks *r, int to, int tag, const void *bytes, size_t n);
typedef struct {
    int from, tag;
    void *bytes; /* `n`, for free() */
    size_t n;
} Message;
/* False: there is none now, or (`why`) there will be none. */
bool ranks_receive(const Ranks *r, Message *out, char **why);

#endif
