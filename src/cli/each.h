/*
 * each.h - `run --each`: one command line for many files, as a host of src/batch
 *
 * src/batch launches, shares and settles; workers.c gives each thread a Cli of its own, each.c
 * makes the calls, each_tell.c says what became of them.
 */
#ifndef TILEC_CLI_EACH_H
#define TILEC_CLI_EACH_H

#include "call.h"
#include "../batch/each.h"

/* workers.c: a crew whose workers are Clis */
Crew workers_new(Cli *c, int n); /* n of them, with the library and the file of `c` */
/* Work in a Cli that has nothing yet, and keeps what it gets until worker_release(). */
CrewResult worker_attempt(Cli *c, CrewWork *work, void *context, int i);
void worker_release(Cli *c);

/* The command's part of an Each. */
typedef struct {
    Each each;
    Cli *cli;
    const Options *options;
    atomic_int *shares; /* of the threads of the crew: see Cli.share */
    LastWords words;    /* if a kernel ends the process */
    Progress progress;
    double started;
    bool tests;   /* for `tilec test`: only failures are told, to cli->tells, and not all of many */
    int troubles; /* of these so far */
} Eaches;
static inline Eaches *eaches_of(const Each *e)
{
    return CLIENT_OF(Eaches, each, e);
}

/* each_tell.c: functions of an EachHost, and the end */
void tell_file(Each *e, const EachFile *f, const char *told, const char *trouble);
void tell_warning(Each *e, const EachFile *f, const char *warning);
void tell_complaint(Each *e, int code, const char *text);
void tell_progress(Each *e);
void tell_keep_tables(Each *e, const GatheredTable *tables, int n); /* for a signal */
void tell_interrupted(Each *e);                                     /* ends the process */
/* Writes the tables, and says how many files are done: a line for people, or JSON. */
void tell_end(Eaches *a);

#endif
