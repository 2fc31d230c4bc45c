/*
 * moves.h - how values change when points of reference move, which ../grad/reference.c asks
 */
#ifndef TILEC_GRAD_FORMS_MOVES_H
#define TILEC_GRAD_FORMS_MOVES_H

#include "../ir/analysis.h"
#include "../opt/opt.h"

enum { MOST_MOVES = 4 };
typedef struct {
    const Value *of, *factor; /* factor: a scalar; NULL: 1 */
    double by;
    int8_t dims[MAX_RANK]; /* along which its lanes lie, which move each for itself; -1: along none.
                            * m[:, None] moves otherwise than m[None, :] */
} Drift;
/* ANYTHING: of what a loop carries, while nothing is known. */
typedef enum { SHIFTS, GROWS, ANYTHING, NOT_KNOWN } How;
typedef struct {
    How how;
    Drift at[MOST_MOVES];
    int n;          /* 0: it does not change */
    uint64_t blame; /* of NOT_KNOWN: what was moved */
} Change;

typedef struct Moving {
    const struct Grad *g; /* whose they are */
    Arena *arena;
    VEC(Op *) moved; /* maxima and minima */
    Map *changes;    /* id: Change */
    Map *blames;     /* id of what moves: which of `moved` it comes from, as bits */
    uint64_t wrong;  /* what stores are to blame on */
    bool jumps;      /* an integer or a condition is made of what moves */
} Moving;

/* moves.c */
Value *moves_made_of(Value *v); /* what its elements, maybe converted, are those of */
bool moves_number(const Value *v, double *out); /* false: it is no constant float */
extern const Change moves_none;
bool moves_is_float(const Value *v);                     /* no pointer to one */
Change moves_change_of(const Moving *m, const Value *v); /* as far as is known */
void moves_set(Moving *m, const Value *v, Change c);     /* in place of what was known */
/* Which of those moved make this one move, as bits. */
uint64_t moves_blame_of_point(const Moving *m, const Value *of);
uint64_t moves_blame_of(const Moving *m, const Change *c); /* .. make it change */
Change moves_not_known(uint64_t blame);                    /* of no blame: it does not change */
Change moves_own(const Value *v); /* it moves by itself, lanes each for itself */
/* Does it say that v moves as `of` does, lane by lane? */
bool moves_as(const Change *c, const Value *v);
bool moves_equal(const Change *a, const Change *b); /* whatever moves by how much */
Change moves_times(Change c, double by);            /* all of its moves */
Change moves_plus(const Moving *m, Change a, const Change *b, double by); /* a + by * b */
bool moves_fit_any(const Value *v, How how); /* does it change so by any moves at all? */
/* Of one of two values; a and b are how they change. */
Change moves_either(const Moving *m, const Value *x, const Value *y, Change a, Change b);
Change moves_of_op(const Moving *m, const Op *op); /* of its results, floats, by its operands */

#endif
