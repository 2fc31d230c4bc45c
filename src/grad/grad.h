/*
 * grad.h - reverse mode: from a kernel the kernel of its gradients, as Triton source
 *
 * docs/gradients.md has the design.  The forward is computed again; behind it stand its ops once
 * more from the last to the first, each handing the gradient of its result to its operands by the
 * rule that adjoints.h names.  All in one function, so that passes drop what no gradient needs.
 */
#ifndef TILEC_GRAD_GRAD_H
#define TILEC_GRAD_GRAD_H

#include "../ir/analysis.h"

/* A parameter of the kernel as it is written. */
typedef struct {
    const char *name;
    bool is_constexpr;
    bool has_default;
    const char *value; /* of a constexpr, as Python writes it; NULL: it has no literal */
} GradParam;
typedef struct {
    const char *kernel, *of;
    const char *const *wrt;
    int nwrt;
    const GradParam *params;
    int nparams;
} GradWish;

/* What the derived kernel does with an array of gradients. */
typedef enum { GRAD_READ, GRAD_STORED, GRAD_ADDED } GradFill; /* as tilec_gradient_fill */
typedef struct {
    const char *array, *gradient; /* parameters: `x`, `d_x` */
    GradFill fill;
} GradParameter;
typedef struct {
    const char *text, *kernel; /* the file; its kernel's name */
    GradParameter *gradients;  /* of wish->of, then of wish->wrt in their order */
    int ngradients;
} GradResult;

/* grad.c: the source of the kernel of the gradients of wish->of with respect to wish->wrt, in the
 * arena.  Takes the module of the kernel as lowered, which is no use afterwards.  False: a
 * diagnostic, with the place of what cannot be derived. */
bool grad_derive(Module *m, const GradWish *wish, Arena *a, Diags *d, GradResult *out);

/* --- inside of this folder --- */

typedef struct {
    Value *array;    /* a parameter of the forward */
    Value *gradient; /* the parameter added for it */
    bool is_reached; /* something was added to it */
    bool alone;      /* no element is met twice: stored, else added to what is there */
} GradArray;

/* Work on one kernel.  Ops and values of the forward are looked at as they are; `again` has those
 * that a loop of the backward computes again. */
typedef struct {
    Arena *arena;
    Func *func;
    const GradWish *wish;
    Diags *diags;
    Builder b; /* where the backward goes on */
    GradArray of, *wrt;
    int nwrt;
    uint8_t *facts;    /* by id of the forward: GradFacts */
    int nfacts;        /* ids from here on are the backward's */
    UseLists uses;     /* of the forward */
    Map *adjoints;     /* id of a forward value: its gradient so far */
    Map *again;        /* MAP_KEY of a forward value: the value here */
    Map *rebased;      /* id of a carried pointer: the same address in the gradient's array */
    GradResult result; /* known but for the text when that is printed */
    bool failed;
} Grad;

typedef enum { VARIES = 1, MATTERS = 2, SUMMED = 4 } GradFacts; /* SUMMED: see loop.c */
/* It depends on what is differentiated by, and what is differentiated on it. */
bool grad_is_active(const Grad *g, const Value *v);
void grad_refuse(Grad *g, const Op *op, const char *fmt, ...) PRINTF(3, 4);
/* The value that stands for one of the forward where the builder is. */
Value *grad_value(const Grad *g, Value *v);
Value *grad_adjoint(const Grad *g, const Value *v); /* NULL: zero so far */
void grad_set_adjoint(Grad *g, const Value *v, Value *d);
void grad_add(Grad *g, Value *v, Value *d); /* to its adjoint; d may be NULL */
void grad_block(Grad *g, Block *b);         /* its ops, from the last to the first */

/* rules.c, rules_math.c: see adjoints.h */
typedef Value *(*GradRule)(Grad *g, const Op *op, int i, Value *d);
typedef enum { GRAD_RULE, GRAD_OWN, GRAD_ZERO, GRAD_REFUSED } GradKind;
typedef struct {
    GradKind kind;
    GradRule rule;
    const char *why;
} GradRow;
const GradRow *grad_row(OpCode code);
#define RULE(op, function) Value *function(Grad *g, const Op *o, int i, Value *d);
#define OWN(op, where)
#define ZERO(op, why)
#define REFUSED(op, why)
#include "adjoints.h"
/* 1 / (1 + exp(z)) by its own gradient, which stays finite where exp(z) does not: hands it to z.
 * False: the op is nothing of the kind. */
bool grad_logistic(Grad *g, const Op *op, Value *d);

/* rules.c: arithmetic where the builder is, without what changes nothing */
Value *grad_number(Grad *g, const Value *like, double x); /* in its type and shape */
Value *grad_binary(Grad *g, OpCode code, Value *x, Value *y);
Value *grad_negated(Grad *g, Value *x);
Value *grad_scaled(Grad *g, Value *x, double by);

/* active.c */
void grad_find_active(Grad *g);
int grad_array_of(const Grad *g, const Value *pointer); /* number of its parameter; -1: not one */

/* left_out.c: may 0 times the slope of operand i be no number, in lanes that masks leave out, and
 * get into sums over lanes? */
bool grad_needs_zeros(const Grad *g, const Op *op, int i);

/* memory.c */
bool grad_check_memory(Grad *g); /* what is read and written suits; refused otherwise */
void grad_load(Grad *g, const Op *op);
void grad_store(Grad *g, const Op *op);
/* Is it computed step by step from the array, or carried by a loop around the access? */
bool grad_can_rebase(const Value *pointer);
Value *grad_rebase(Grad *g, Value *pointer, const GradArray *to);
GradArray *grad_wrt_of(Grad *g, const Value *pointer); /* NULL: not differentiated by */

/* alone.c */
typedef VEC(Op *) GradOps;
/* Is no element met twice by these accesses: by lanes, rounds, and (`programs`) programs? */
bool grad_alone(const Grad *g, const GradOps *accesses, bool programs);

/* loop.c */
void grad_loop(Grad *g, Op *op);

/* print.c, print_expr.c */
const char *grad_print(Grad *g);

#endif
