/*
 * aot.h - the header of an object that was compiled ahead of time, as text
 *
 *   names.c      what the function and its parameters are called in C
 *   grid.c       an expression of Python's as one of C's
 *   describe.c   what a header's comments say
 *   header.c     all of it
 *   fill.c       text with holes
 *   template_*.h, runtime*.h  that text: C, which is copied into headers; templates.c shows it to
 *                             compilers
 *
 * Takes what the caller of tilec_build() has said, as parameters and forms; src/api/header.c makes
 * these of its arguments.  What is wrong with a name or a grid is a text; nothing else can fail.
 */
#ifndef TILEC_AOT_H
#define TILEC_AOT_H

#include "tilec.h"
#include "../base/base.h"

/* How a parameter of the kernel gets its value. */
typedef enum {
    AOT_GIVEN,  /* by each call of the C function */
    AOT_CHOSEN, /* by each call too, but it is one of a few, which are compiled in */
    AOT_FIXED   /* it is compiled in, and no parameter of the C function */
} AotKind;

typedef struct {
    const char *name, *c_name; /* the latter from aot_header() on */
    AotKind kind;
    tilec_arg type;  /* of AOT_GIVEN: a TILEC_ARG_TYPE */
    tilec_arg value; /* of AOT_FIXED */
    bool is_missing; /* .. unless no form has said anything of it */
    VEC(int64_t) choices;
    bool is_written; /* what it points to */
} AotParam;

/* What a form says of a parameter of the C function. */
typedef struct {
    bool is_set;   /* only this value will do, and it is compiled in */
    int64_t value; /* .. which one */
    int64_t
        divisor; /* else its bits, an address or an integer, are a multiple of that: 1 or more */
} AotUse;

typedef struct {
    const char *symbol;
    AotUse *uses; /* one a parameter; of AOT_FIXED it says nothing */
} AotForm;

typedef struct {
    Arena *arena;
    const char *kernel;
    const char *function; /* the name in C; the names of all others begin with it and a `_` */
    const char *level;    /* of the function that says which level is used; NULL for GPUs */
    AotParam *params;
    int nparams;
    const AotForm *forms; /* of those that fit a call the first one is taken */
    int nforms;
    const char *const *levels; /* of the CPU, or one chip */
    int nlevels;
    bool is_gpu, is_disjoint, may_fault;
    const char *grid;      /* an expression of Python's; NULL: the caller gives it */
    const char *extent[3]; /* .. in C, from aot_header() on */
} AotHeader;

/* The header's text, in the arena; NULL: *problem says why not.  The function's name is one that
 * aot_name_problem() has nothing to say of. */
const char *aot_header(AotHeader *h, const char **problem);

/* names.c */
/* Why nobody can give a function that name; NULL. */
const char *aot_name_problem(Arena *a, const char *name);
/* Gives names to all parameters; what is wrong, or NULL. */
const char *aot_name_params(AotHeader *h);

/* grid.c */
const char *aot_grid(AotHeader *h); /* fills in h->extent; what is wrong, or NULL */

/* describe.c: texts of several lines, without a line break at the end */
bool aot_is_integer(const AotParam *p); /* AOT_GIVEN, and a whole number */
/* Has the form a word for it? */
bool aot_is_slot(const AotHeader *h, const AotForm *f, int param);
const char *aot_describe_params(const AotHeader *h);    /* "x: an array of fp32, which is .." */
const char *aot_describe_forms(const AotHeader *h);     /* "k_1: n == 7, any arguments" */
const char *aot_describe_constants(const AotHeader *h); /* "Compiled in: BLOCK = 64."; "" */
const char *aot_list(Arena *a, const char *const *words, int n, const char *last); /* "a, b or c" */

/* fill.c */
typedef struct {
    const char *name, *text;
} AotHole;
/* A part of a template behind what is in `t`.  What is put at the end of a line may have several,
 * each of which begins as the hole's does, and none, with which the hole's is left out. */
void aot_fill(Text *t, const char *part, const AotHole *holes, int n);

#endif
