/*
 * walk.h - between the files that guess what a kernel's parameters are for
 *
 * walk.c finds its way through a kernel's syntax trees, address.c reads addresses and what programs
 * take their places from, data.c follows loaded values; guess.c looks at each node and notes what
 * it learns.
 */
#ifndef TILEC_GUESS_WALK_H
#define TILEC_GUESS_WALK_H

#include "../syntax/ast.h"
#include "guess.h"

/* A variable whose values are being followed: not again inside of themselves. */
typedef struct Followed {
    const AstFunc *f;
    const char *name;
    const struct Followed *outer;
} Followed;

/* A function that is being looked at, and who calls it with what. */
typedef struct Frame {
    const AstFunc *f;
    const struct Frame *caller; /* NULL: the kernel itself */
    const Node *const *args;    /* of the call, by parameter; NULL: not given */
    int depth;                  /* of calls */
    const Followed *followed;
} Frame;

typedef struct {
    Client *c;
    const Functions *functions;
    Guess *out;
    GuessedParam nobody;    /* what an address without a parameter is noted at */
    Map *bindings;          /* AstFunc* to what its statements assign; made when it is needed */
    GuessedParam *accessed; /* the array whose mask is looked at */
    bool counts;            /* of quotients guess_meet_params() looks at the dividends */
    int budget;             /* expressions that may still be looked at */
    int met, nmet;          /* what guess_single_param() has come by */
} Guesser;

enum { GUESS_DEEPEST_CALL = 6, GUESS_RANGE = 1u << 3 /* behind the bits of three axes */ };

/* walk.c */
typedef void GuessVisit(Guesser *g, const Frame *fr, const Node *n);
typedef VEC(const Node *) Nodes;
void guess_visit_all(Guesser *g, const Frame *fr, Node *const *list, int n, GuessVisit *visit);
int guess_param_index(const AstFunc *f, const char *name); /* -1: it is none */
/* The values that statements of the function assign to a variable. */
Nodes guess_bindings(Guesser *g, const Frame *fr, const char *name);
/* Begin to follow a variable; false: that has begun already. */
bool guess_follow(const Frame *fr, const char *name, Followed *next, Frame *inside);
/* "load" of tl.load, "cdiv" of triton.cdiv and of cdiv; NULL: no call, or of something else. */
const char *guess_callee(const Node *n);
bool guess_calls(const Node *n, const char *name);
bool guess_is_atomic(const Node *n);
const Node *guess_argument(const Node *call, int i, const char *keyword); /* or NULL */
/* The function of the file that a call is of, and the frame in which it runs; NULL: none. */
const AstFunc *guess_enter(Guesser *g, const Frame *fr, const Node *call, Frame *inside);
Nodes guess_results(Guesser *g, const AstFunc *f); /* what it returns, in any place */
/* Call `meet` for every parameter of the kernel that `n` is computed from, without what is loaded.
 */
typedef void GuessMeet(Guesser *g, int param);
void guess_meet_params(Guesser *g, const Frame *fr, const Node *n, GuessMeet *meet);
/* The one parameter that `n` is computed from; -1: none, or several. */
int guess_single_param(Guesser *g, const Frame *fr, const Node *n);

/* address.c */
/* What the sum of an address is made of. */
typedef struct {
    int leaves[ARRAY_MAX_DIMS], nleaves;   /* parameters that are terms */
    int strides[ARRAY_MAX_DIMS], nstrides; /* that are factors */
    bool has_unit;                         /* a term without such a factor */
    bool is_constant;                      /* one that is a constant of the kernel */
    bool has_next;                         /* a term is the literal 1 */
    bool is_loaded;                        /* a term or a factor was loaded */
    int constants;                         /* dimensions whose stride is constant, as in row * N */
    int scale;                             /* the largest literal factor */
} Address;
void guess_read_address(Guesser *g, const Frame *fr, const Node *n, Address *out);
/* Note how the address reaches its pointer, which is given; nobody's where there is none. */
GuessedParam *guess_use_address(Guesser *g, const Frame *fr, const Node *address);
void guess_add_once(int *list, int *n, int v);
int guess_axis_of(const Node *call); /* of a program_id */
/* The axis whose program_id `n` is, itself or by a variable; -1. */
int guess_program_axis(Guesser *g, const Frame *fr, const Node *n);
/* The axes that `n` is computed from, a bit each, and GUESS_RANGE if it is a tile of numbers; what
 * is loaded is not looked into. */
unsigned guess_axes_of(Guesser *g, const Frame *fr, const Node *n);
/* What a size is computed from, as an expression of parameters; NULL: it cannot be written. */
const char *guess_size_text(Guesser *g, const Frame *fr, const Node *n);
/* `place` is less than `size`, which bounds the axis that the place is made of; not exact: it is
 * brought below it by `%`. */
void guess_bound_axis(Guesser *g, const Frame *fr, const Node *place, const Node *size,
                      bool is_exact);

/* data.c */
typedef void GuessData(Guesser *g, GuessedParam *pointer);
/* Call `meet` for every pointer whose loaded elements become elements of `n` with the dtype that
 * they have. */
void guess_meet_data(Guesser *g, const Frame *fr, const Node *n, GuessData *meet);
/* Does `n` depend on what was loaded? */
bool guess_is_data(Guesser *g, const Frame *fr, const Node *n);
/* Do floats make it, so that it is no index? */
bool guess_is_real(Guesser *g, const Frame *fr, const Node *n);
/* Is it a conversion to tl.int32 of what a parameter scales?  That would not need one, were it an
 * integer. */
bool guess_is_scaled(Guesser *g, const Frame *fr, const Node *conversion);
/* The dtype that a stored value is known to have, as in x.to(tl.int8); NULL: none is known. */
const char *guess_dtype(Guesser *g, const Frame *fr, const Node *n);

#endif
