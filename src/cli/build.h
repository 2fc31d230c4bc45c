/*
 * build.h - `tilec build`: what its files share
 *
 *   build.c         what the command line asks for, and the files
 *   build_names.c   what parameters and the function are called in C
 *   build_forms.c   which specialisations that makes
 *   build_header.c  the header, in C
 *   build_gpu.c     what of it is another for a GPU
 *   build_grid.c    an expression of Python's as one of C's
 */
#ifndef TILEC_CLI_BUILD_H
#define TILEC_CLI_BUILD_H

#include "cli.h"

/* How a parameter of the kernel gets its value. */
typedef enum {
    BUILD_GIVEN,  /* by each call of the C function */
    BUILD_CHOSEN, /* by each call too, but it is one of a few, which are compiled in */
    BUILD_FIXED   /* it is compiled in, and no parameter of the C function */
} BuildKind;

typedef struct {
    const char *name, *c_name;
    BuildKind kind;
    tilec_arg type;  /* of BUILD_GIVEN: a TILEC_ARG_TYPE */
    tilec_arg value; /* of BUILD_FIXED; unless it `is_missing`, and takes its default */
    bool is_missing;
    VEC(int64_t) choices; /* of BUILD_CHOSEN */
    bool is_written;      /* what it points to */
} BuildParam;

/* Of a form: this parameter has that value. */
typedef struct {
    int param;
    int64_t value;
} BuildCondition;
typedef VEC(BuildCondition) BuildConditions;

typedef struct {
    const char *symbol;
    BuildConditions conditions;
    bool is_aligned; /* arrays begin at multiples of 16 bytes, and integers are multiples of 16 */
} BuildForm;

typedef struct {
    Cli *cli;
    const Options *options;
    const char *symbol; /* of the function, and in front of the names of all others */
    BuildParam *params;
    int nparams;
    VEC(BuildForm) forms;     /* of those that fit a call the first one is taken */
    VEC(const char *) levels; /* of the CPU, or one chip */
    bool is_gpu;
    const char *grid[3]; /* in C, over the parameters; all NULL: the caller gives it */
    bool may_fault;
} Build;

/* build_names.c */
/* A parameter's name in C and C++, other than those that parameters in front of it have there.  The
 * names of all of them in Python are known, and the function's. */
const char *build_c_name(const Build *b, const char *name);
/* The name of the function: the kernel's, or what --name says; stops where it is taken. */
const char *build_symbol(Cli *c, const Options *o);

/* build_forms.c */
/* From the parameters and what --variant says. */
void build_add_forms(Build *b);
/* The arguments of a form for tilec_build(), in the arena. */
tilec_build_form build_form_arguments(const Build *b, const BuildForm *f);
bool build_is_integer(const BuildParam *p); /* BUILD_GIVEN, and a whole number */
bool build_is_slot(const BuildForm *f, const Build *b, int param); /* it has one in `args` */

/* build_grid.c */
void build_grid(Build *b, const char *text); /* sets b->grid */

/* build_header.c */
const char *build_header_text(const Build *b);
/* Names of our own in functions that have the kernel's parameters. */
#define GRID "tilec_grid"
#define WORDS "tilec_words"
#define ARGS "tilec_args"
/* Of such a function: its parameters "const float *x, int32_t n, "; the same for a call "x, n, ";
 * " *     x: an array .." a line; the words with the bits of what is given; the condition of a form
 * on these, which gives how many parts it has. */
void header_put_parameters(Text *t, const Build *b);
void header_put_arguments(Text *t, const Build *b);
void header_put_description(Text *t, const Build *b);
void header_put_words(Text *t, const Build *b);
int header_put_conditions(Text *t, const Build *b, const BuildForm *f);

/* build_gpu.c: text of the header where b->is_gpu */
extern const char gpu_common[]; /* what all headers need, once */
void gpu_put_head(Text *t,
                  const Build *b); /* of the comment at the top: what is linked, and runs */
void gpu_put_variables(Text *t, const Build *b); /* what the object has */
void gpu_put_function(Text *t, const Build *b);

#endif
