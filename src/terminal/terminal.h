/*
 * terminal.h - what a program says on a terminal while it works for a person, and how it ends there
 *
 * Texts in colour, a line of progress that is wiped, lines that are typed, Ctrl-C, and last words
 * when a kernel ends the process.  All of it belongs to the process: a library that runs in another
 * one leaves it alone.
 */
#ifndef TILEC_TERMINAL_TERMINAL_H
#define TILEC_TERMINAL_TERMINAL_H

#include <stdio.h>

#include "tilec.h"
#include "../base/base.h"

/* colour.c */
/* Print a text that a kernel made, with a newline, so that it cannot drive a terminal. */
void terminal_line(FILE *out, const char *text);
/* What is for people goes to stderr through these, from any thread, as whole lines */
void terminal_say(const char *fmt, ...) PRINTF(1, 2);
void terminal_say_trouble(const char *fmt, ...)
    PRINTF(1, 2);                                       /* "tilec: " and why something failed */
const char *colour_trouble(Arena *a, const char *text); /* the same, for later */
/* Text for stdout, where tables of elements are in colours if that is a terminal, too. */
const char *colour_tables(Arena *a, const char *text);
const char *colour_name(void);        /* "tilec:", for what a handler of signals says */
bool colour_choose(const char *when); /* "auto", "always" or "never"; false: it is none of them */
void colour_find(int nwords, char *const *words); /* what --color will be, for all until then */

/* edit.c: a line that a person types behind the prompt, who may go back to earlier ones, and
 * complete the beginnings of the first word and of others (NULL behind the last of each); for
 * free().  NULL: there are no more. */
char *terminal_read(const char *prompt, const char *const *first, const char *const *others);

/* interrupt.c: from now on Ctrl-C, and what ends a command likewise, wipes the line of progress */
void interrupt_watch(void);
void interrupt_wipes(bool shown); /* there is one now, or none any more */
void interrupt_says(const char *fmt, ...)
    PRINTF(1, 2); /* how far the command is, when it ends so */
/* In a process whose parent says it: it ends at the first signal, silently. */
void interrupt_be_quiet(void);
void interrupt_tell(void); /* that; also in a handler of signals */
/* .. with an object on stdout, from malloc(), which this gives for each signal; NULL: no more. */
void interrupt_tells_json(char *(*object)(int number));
/* From now on the first signal is only noted, for a command that then ends by itself; the next one
 * ends it at once. */
void interrupt_defer(bool defers);
/* A signal that is noted ends a read() that waits, also where it came right in front of that: then
 * a second later, by SIGALRM. */
void interrupt_reads(bool reading);
int interrupt_noted(void);                /* the signal; 0: none */
const volatile int *interrupt_flag(void); /* where it stands, for launches to be cancelled by */
int interrupt_take(void);                 /* the same, and the next one is the first again */
NORETURN void interrupt_end(void);        /* by the one that was noted */
void interrupt_settle(
    void); /* before the process ends: wipe, and wait for files that are written */

/* rescue.c: text files that a signal, or a kernel that ends the process, is not to take along */
typedef struct {
    int n;
    struct {
        const char *path; /* "-": stdout */
        const char *text;
        size_t length;
    } at[];
} Rescue;
void rescue_publish(const Rescue *all); /* in place of what was before; NULL: nothing */
void rescue_write(void);                /* from a handler */

/* progress.c: one line on a terminal's stderr, from half a second of work on; else nothing. */
typedef struct {
    const char *what;
    double started, shown;
    double next_warning; /* of a launch: after so many seconds in which nothing moves */
    bool quiet;          /* nothing is shown, and nothing warned of */
} Progress;
/* `what` is kept; nothing is shown yet, and nothing ever if it is to be quiet. */
Progress progress_start(bool quiet, const char *what);
void progress_at(Progress *p, double share); /* 0..1 */
/* The same for files, with their rate and the time that is left. */
void progress_files(Progress *p, double done, int all);
/* The line for a launch over the grid, `what` being its kernel, and a warning where it seems to
 * hang; from any thread. */
void progress_of_launch(Progress *p, const int32_t grid[3], const tilec_progress *t);
/* The warning alone, where another line is shown. */
void progress_warn_of_launch(Progress *p, const int32_t grid[3], const tilec_progress *t);
/* "0 of 6 programs have ended, and (0, 0, 0) has begun and not ended"; from any thread. */
enum { PROGRAMS_TEXT = 800 };
void progress_put_programs(char out[PROGRAMS_TEXT], const int32_t grid[3], const tilec_progress *t);
/* May they wait for one another?  One program alone has nobody to wait for. */
bool progress_may_wait(const int32_t grid[3]);
void progress_end(Progress *p); /* wipes the line */

/* crash.c: while it watches, a kernel that ends the process by SIGSEGV or SIGBUS is named first */
enum { CRASH_SIGNALS = 2 };
typedef struct {
    const char *text;
    const char *json[CRASH_SIGNALS]; /* for stdout, by signal; "" where no JSON is wanted */
} LastWords;
int crash_signal(int i); /* the number of that one of CRASH_SIGNALS */
/* May be nested, on any threads: the words of the first one are said. */
void crash_watch(const LastWords *words);
void crash_unwatch(void);     /* behind the last one the system's own handling is back */
void crash_be_quiet(void);    /* in a process whose parent says what has ended it */
enum { CRASH_WAITS = 3000 };  /* milliseconds */
void crash_witness(int pipe); /* what is read there by then is said, too; -1: of nobody */
void crash_say_files(void);   /* those that are begun and not ended, on stderr */
/* The words then name the files between these two; the path must last as long. */
void crash_file_begin(const char *path);
void crash_file_end(const char *path); /* nothing when it did not begin */

#endif
