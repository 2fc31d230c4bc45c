/*
 * example.h - between the files that make a call of a kernel which can be copied
 *
 * guess.c says what parameters are for; example_text.c makes a first draft of that and writes
 * drafts as words of a command; example_try.c runs one in a process of its own and sees what
 * happens; example.c changes drafts until one runs.
 */
#ifndef TILEC_GUESS_EXAMPLE_H
#define TILEC_GUESS_EXAMPLE_H

#include "../syntax/ast.h"
#include "guess.h"

enum { EXAMPLE_DIMS = 4 };

/* What an array is filled with. */
typedef enum {
    FILL_RANDN,
    FILL_RANDINT, /* from 0 to below the extent of a dimension */
    FILL_ARANGE,  /* each number once: what is stored there is stored everywhere */
    FILL_FULL,    /* the extent of a dimension: lengths */
    FILL_ZEROS,
    FILL_EMPTY,
    FILL_MASK,
    FILL_NONE /* no array is given */
} Fill;

/* One argument of a draft. */
typedef struct {
    const char *text; /* a number or constant; NULL of one that is no array: left out, or by role */
    bool is_left_out; /* it has a default */
    Fill fill;        /* of an array: */
    const char *dtype;
    int64_t dims[EXAMPLE_DIMS];
    int ndims;
} DraftArgument;

typedef struct {
    DraftArgument *args; /* by parameter */
    const char *grid[3]; /* NULL: as the guess has it */
    int extent, block;   /* of every dimension, of tiles, unless something else is said */
} Draft;

typedef struct {
    Client *c;
    const ExampleHost *host;
    ExampleOf of;
    const Guess *guess;
    bool is_flat; /* no array has more than one dimension */
    bool is_deep; /* something has many */
} Maker;

/* example_text.c */
Maker maker_new(Client *c, const ExampleHost *host, const ExampleOf *of, const Guess *guess);
Draft draft_new(const Maker *m);
Draft draft_small(const Maker *m); /* less of everything, where the first one takes too long */
Draft draft_copy(const Maker *m, const Draft *from);
/* The draft as words of a command line. */
Example draft_example(const Maker *m, const Draft *d);
int64_t draft_numel(const DraftArgument *a);

/* example_try.c */
/* How far a draft came, the best last. */
typedef enum {
    CAME_NOWHERE,   /* it cannot be compiled, or its arguments cannot be evaluated */
    CAME_INTO_LOOP, /* it does not end, or dies */
    CAME_OUTSIDE,   /* of arrays */
    CAME_SO_FAR,    /* it went well until its time was over */
    CAME_THROUGH,   /* but outputs have elements that nobody wrote */
    CAME_TO_ALL
} Came;
typedef struct {
    int64_t least, most;           /* offsets outside of the array; most < 0: none behind it */
    int64_t unwritten;             /* elements of what is FILL_EMPTY */
    int64_t written[EXAMPLE_DIMS]; /* by dimension: behind the last element that was written */
} TriedArray;
typedef struct {
    Came came;
    int line;          /* of what stopped the compiler; 0: unknown */
    int64_t failures;  /* elements outside of arrays */
    int64_t unwritten; /* elements in all, of so many */
    int64_t outputs;
    const char *problem; /* NULL: none */
    double seconds;      /* of the CPU */
    TriedArray *arrays;  /* by parameter */
} Tried;
Tried example_try(const Maker *m, const Draft *d);

#endif
