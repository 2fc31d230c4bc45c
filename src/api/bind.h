/*
 * bind.h - what the files share that bind the arguments of a call
 *
 *   bind.c          which argument goes to which parameter; reads first
 *   bind_value.c    what a parameter becomes
 *   bind_parts.c    the same for what holds several values
 *   bind_missing.c  what it takes that was not given
 *   bind_key.c      what all of this makes of the key
 *
 * Each function that gives a bool gives false where the call is wrong, which it has said then.
 */
#ifndef TILEC_API_BIND_H
#define TILEC_API_BIND_H

#include "api.h"

typedef enum { WISH_UNSAID, WISH_ON, WISH_OFF } Wish;

/* One call while it is bound. */
typedef struct {
    Request *r;
    Job *job; /* NULL: quietly */
    Binding *out;
    const FrontKernel *kernel;
    tilec_status status;      /* the first thing that was wrong */
    Arena *arena;             /* NULL where nothing needs one */
    Wish debug, overflow;     /* what the launch says of `debug` and `sanitize_overflow`, .. */
    Wish fusion;              /* .. and of `enable_fp_fusion` */
    bool misspelt;            /* a name was wrong: a parameter that is missing is no news then */
    const Computed *computed; /* by @triton.heuristics; NULL when there are none */
    const tilec_arg *given[MAX_PARAMS];
    int nparts; /* parameters, and parts of what is given for them */
    int level;  /* tuples in tuples that are being bound */
} Binder;

/* Where a value goes, and the rules that hold for it. */
typedef struct {
    const FrontParam *param; /* of a part of a tuple one that says nothing but its name */
    FrontArg *arg;           /* that was zero, but for its name */
} BindTo;

/* --- bind.c --- */

/* The call is wrong: keeps the first status, and reports where there is a job; false. */
bool bind_refuse(Binder *b, tilec_status status, Span span, const char *fmt, ...) PRINTF(4, 5);
/* More about what was refused; nothing without a job. */
void bind_note(Binder *b, Span span, const char *fmt, ...) PRINTF(3, 4);
void bind_hint(Binder *b, const char *fmt, ...) PRINTF(2, 3); /* what to do about it */
BindTo bind_to(Binder *b, int i);                             /* parameter i */

/* --- bind_value.c --- */

/* Is it a number of warps (R330)?  All other options are hints that a CPU ignores. */
bool bind_check_warps(Binder *b, Span span, const Const *c);
/* Take a plain value, which is copied; its parts live as long as the binding. */
bool bind_value(Binder *b, BindTo to, const Const *c);
bool bind_argument(Binder *b, BindTo to, const tilec_arg *a); /* of the caller */
bool bind_tensor(Binder *b, BindTo to, const tilec_tensor *t);

/* --- bind_parts.c --- */

enum { BIND_MOST_LEVELS = 8 };

bool bind_tuple(Binder *b, BindTo to, const tilec_arg *a);
bool bind_tuple_value(Binder *b, BindTo to, const Const *c); /* which may be in the signature */
bool bind_descriptor(Binder *b, BindTo to, const tilec_arg *a);

/* --- bind_missing.c --- */

int bind_option_index(const char *name); /* a launch option of that name; -1: there is none */
const char *bind_near_option(const char *name); /* NULL: none is near */
int bind_option_least(int option);              /* what a whole number for it must be at least */
/* What a parameter takes that the caller did not give; NULL when there is nothing.  May be *option,
 * which is written then. */
const Const *bind_missing_value(const Binder *b, int i, Const *option);
/* Parameter i, which the caller did not give, takes that value. */
bool bind_missing(Binder *b, int i);

/* --- bind_key.c --- */

/* Add bytes to the key, which has room for what one call can have. */
void bind_key_put(Binding *out, const void *p, size_t n);
void bind_key_byte(Binding *out, int byte);           /* the same for one */
void bind_key_constant(Binding *out, const Const *c); /* its kind and value */
/* A parameter whose value is not in the key: its type, and what divides it. */
void bind_key_run_time(Binding *out, DType t, bool pointer, int divisible);
void bind_key_parts(Binding *out, const FrontArg *a); /* how many, and what they make */
void bind_key_name(Binding *out, const char *name);   /* of an element; NULL: none */
void bind_key_arch(Binding *out);                     /* what code is made for, as out->arch says */

/* configs.c: fill k->configs and k->problems, in the arena, from k->tuning */
void configs_describe(const tilec_file *f, Kernel *k, Arena *a);

#endif
