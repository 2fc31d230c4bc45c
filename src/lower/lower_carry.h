/*
 * lower_carry.h - what lower_loop.c and lower_carry.c share; nothing else includes it
 */
#ifndef TILEC_LOWER_CARRY_H
#define TILEC_LOWER_CARRY_H

#include "lower.h"

typedef struct {
    int slot;
    Binding binding; /* its value is that before the loop */
    int first;       /* of its parts in init, passed, final and args */
} Carried;
typedef VEC(Carried) CarriedNames;

/* The parts of `fresh` stand behind those of `names` in passed and args[1], and nowhere else. */
typedef struct {
    Lower *l;
    CarriedNames names;
    CarriedNames fresh; /* names that the condition of a `while` binds first */
    Values init;
    Values passed; /* by the condition to the body of a `while` */
    Values final;
    Value **args[2]; /* in the region(s) */
    bool *fixed;     /* parts that never change */
} Loop;

void carry_names(Loop *loop, const Node *n); /* finds those of a `for` or a `while` */
/* What a region is given as its arguments, and the names bound to them. */
void carry_open(Loop *loop, int region, Block *block);
/* At the end of a region: the parts that the names have there. */
void carry_close(Loop *loop, int region, Values *out);
bool carry_has_slot(const CarriedNames *names, int slot);
/* A name that is not carried was assigned: it was not there before, or cannot be carried. */
void carry_leave_name(Loop *loop, const Change *c);
void carry_leave(Loop *loop, Changes changes); /* all of them */
/* Parts that no round changes are no arguments; afterwards `fixed` is known. */
void carry_drop_fixed(Loop *loop, Block *const *blocks, int regions);
/* The values that change, of a list that begins with one for every carried part. */
Values carry_changing(const Loop *loop, const Values *all);
/* Bind the names to what they are behind the loop: of `given`, what changes is a result. */
void carry_take_results(Loop *loop, const Values *given, const Op *op);

#endif
