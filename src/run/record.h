/*
 * record.h - what the programs of one launch say: what they print, and what was found wrong
 *
 * A launch whose kernel has ops that say something owns a Records.  Programs put records into it
 * from any thread, through its port; when the launch has ended it gives them in order.  What is
 * printed is kept as text, up to a limit; behind that it is only counted.  Of each place in the
 * source where an assertion or check failed, the program with the lowest number is kept, and how
 * often it happened is counted, so nothing of that is lost.
 */
#ifndef TILEC_RECORD_H
#define TILEC_RECORD_H

#include "../ir/ir.h"

/* One op of the kernel that may say something; its number in the table is the op's `site`. */
typedef struct {
    RecordKind kind;
    const char *text; /* of a print: what stands around the values, each of which is a {} */
    bool hex;
    int nvalues;
    const Type *types; /* of a print's values, each by itself */
    Span span;         /* where it is written */
    bool inserted;     /* an assertion that nobody wrote: its text says all */
    int threads;       /* of a print: 0, or it is shown as so many threads of a GPU print it */
} RecordSite;

typedef struct {
    int site;
    int64_t program;  /* its number in the grid, x fastest */
    int32_t at[3];    /* the same as x, y, z */
    const char *text; /* of a print */
    /* of the rest: in that program the number of the first element that failed, row-major (-1: it
     * is no tile), and what check ops say of it; elements and programs that failed, in all */
    int64_t element, offset, failures, programs;
} Record;

typedef struct Records Records;
/* For a launch over this grid; the table must outlive it.  NULL when memory is out. */
Records *records_new(const RecordSite *sites, int nsites, const int32_t grid[3]);
void records_free(Records *r);        /* NULL is allowed */
RecordPort *records_port(Records *r); /* lives as long as `r`; for any thread */
/* From now on each print is told at once, on the thread that prints, and is not kept; what failed
 * is told, too, and kept.  Its text ends with the call. */
typedef void RecordHear(void *user, const Record *record);
void records_hear(Records *r, RecordHear *hear, void *user);

/* A value that a name is given.  It ends with the call, which is made under a lock, in the order of
 * each program, and behind the launch where that has a buffer. */
typedef struct {
    const char *name; /* of a RecordSite */
    const Type *type;
    int64_t program;
    const void *data;
    bool wide_floats; /* as in RecordPort */
} RecordedValue;
typedef struct {
    void (*value)(void *user, const RecordedValue *v); /* NULL: nobody wants them */
    void *user;
    int64_t first, last; /* of the programs [first, last) */
} RecordValues;
void records_want(Records *r, const RecordValues *values);

/* Behind the launch.  Prints come first, by program, those of one program in its own order; then
 * what failed, by place.  *n entries, which live as long as `r`. */
const Record *records_list(Records *r, int *n);
/* Checks went on failing for so long, 2 s, that programs which had not begun were left out. */
bool records_cut_short(const Records *r);
int64_t records_lost(const Records *r);         /* prints, or values, that were not kept */
void records_lose(RecordPort *port, int64_t n); /* that many more; of records_port() */

/* record_buffer.c: for devices whose programs write into a buffer (ir.h) */
typedef struct {
    size_t printed, failed, values; /* bytes for prints, for what was found wrong, for values */
    int64_t first, last;            /* of the programs whose values are wanted */
    uint64_t told;                  /* as in RecordBuffer */
} RecordRoom;
/* What a launch needs whose programs may speak at these places; NULL: nobody wants values. */
RecordRoom record_room(const RecordSite *sites, int nsites, const RecordValues *values);
size_t record_buffer_bytes(RecordRoom room); /* of a buffer with that room */
/* Make the header of a buffer as it must be in front of a launch: it is followed by zeros, which
 * the caller writes. */
void record_buffer_begin(RecordBuffer *header, RecordRoom room);
/* The words of data[] that programs of one kind have used; `bytes` are the buffer's. */
void record_buffer_used(const RecordBuffer *b, size_t bytes, int kind, uint64_t *from,
                        uint64_t *to);
/* Behind the launch: all that programs have put there, to the port of the launch, in order. */
void record_buffer_drain(const RecordBuffer *b, size_t bytes, RecordPort *port);

/* record_text.c: "(X, Y, Z)" and what a print says, for free(); NULL when memory is out.  Tiles of
 * more than a thousand elements show the first and last three along each long dimension.  As
 * threads print: a line for each element of a tile, and one for each thread of a scalar. */
char *record_text(const RecordSite *s, const int32_t program[3], const void *const *values,
                  bool wide_floats);

#endif
