/*
 * build.h - `tilec build`: what its files share
 *
 *   build.c        what the command line asks for, and the files
 *   build_forms.c  which specialisations that makes
 *
 * The library makes the object and the header of them.
 */
#ifndef TILEC_CLI_BUILD_H
#define TILEC_CLI_BUILD_H

#include "commands.h"

/* How a parameter of the kernel gets its value. */
typedef enum {
    BUILD_GIVEN,  /* by each call of the C function */
    BUILD_CHOSEN, /* by each call too, but it is one of a few, which are compiled in */
    BUILD_FIXED   /* it is compiled in, and no parameter of the C function */
} BuildKind;

typedef struct {
    const char *name;
    BuildKind kind;
    tilec_arg type;  /* of BUILD_GIVEN: a TILEC_ARG_TYPE */
    tilec_arg value; /* of BUILD_FIXED; unless it `is_missing`, and takes its default */
    bool is_missing;
    VEC(int64_t) choices; /* of BUILD_CHOSEN */
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
    VEC(tilec_arg) wishes;    /* what launches look for: `debug` */
    VEC(BuildForm) forms;     /* of those that fit a call the first one is taken */
    VEC(const char *) levels; /* of the CPU, or one chip */
    bool is_gpu;
} Build;

/* build_forms.c */
/* From the parameters and what --variant says. */
void build_add_forms(Build *b);
/* The arguments of a form for tilec_build(), in the arena. */
tilec_build_form build_form_arguments(const Build *b, const BuildForm *f);

#endif
