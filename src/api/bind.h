/*
 * bind.h - what the files share that bind the arguments of a call
 *
 *   bind.c          which argument goes to which parameter; reads first
 *   bind_value.c    what a parameter becomes
 *   bind_missing.c  what it takes that was not given
 *   bind_key.c      what all of this makes of the key
 *
 * Each function that gives a bool gives false where the call is wrong, which it has said then.
 */
#ifndef TILEC_API_BIND_H
#define TILEC_API_BIND_H

#include "api.h"

/* One call while it is bound. */
typedef struct {
    Request *r;
    Job *job; /* NULL: quietly */
    Binding *out;
    const FrontKernel *kernel;
    tilec_status status;      /* the first thing that was wrong */
    Arena *arena;             /* NULL where nothing needs one */
    bool misspelt;            /* a name was wrong: a parameter that is missing is no news then */
    const Computed *computed; /* by @triton.heuristics; NULL when there are none */
    const tilec_arg *given[MAX_PARAMS];
} Binder;

/* --- bind.c --- */

/* The call is wrong: keeps the first status, and reports where there is a job; false. */
bool bind_refuse(Binder *b, tilec_status status, Span span, const char *fmt, ...) PRINTF(4, 5);
/* More about what was refused; nothing without a job. */
void bind_note(Binder *b, Span span, const char *fmt, ...) PRINTF(3, 4);
void bind_hint(Binder *b, const char *fmt, ...) PRINTF(2, 3); /* what to do about it */

/* --- bind_value.c --- */

/* Is it a number of warps (R330)?  All other options are hints that a CPU ignores. */
bool bind_check_warps(Binder *b, Span span, const Const *c);
/* Parameter i takes a plain value, which is copied; its parts live as long as the binding. */
bool bind_value(Binder *b, int i, const Const *c);
/* Parameter i takes an argument of the caller. */
bool bind_given(Binder *b, int i, const tilec_arg *a);

/* --- bind_missing.c --- */

int bind_option_index(const char *name); /* a launch option of that name; -1: there is none */
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
void bind_key_arch(Binding *out); /* what code is made for, as out->arch says */

#endif
