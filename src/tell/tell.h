/*
 * tell.h - how a mistake is told, and what those ask of a function that look for mistakes
 *
 * Read by ../formula/ and ../suspect/, of which each file looks for one kind of mistake.
 */
#ifndef TILEC_TELL_TELL_H
#define TILEC_TELL_TELL_H

#include "../axis/march.h"
#include "../ir/analysis.h"
#include "../opt/opt.h"

/* What was asked of a function before. */
typedef struct {
    const AxisFacts *axis;
    UseLists uses; /* without a start: not asked for */
} SuspectFacts;

typedef struct {
    const Func *func;
    Arena *arena; /* gone behind the analysis */
    Diags *diags;
    SuspectFacts *facts;
} Suspect;

typedef void Suspicion(const Suspect *s);

/* tell.c */
/* Who looks follows operands along each way there is, some tens of ops far.  That is a few thousand
 * ways in what people write; y = y * (y + 1), twenty times over, is a million.  Of a function with
 * so many nothing is told. */
bool tell_is_tangled(const Func *f, Arena *a);
/* A warning at an op, with the calls that lead to it, and what to do about it. */
void tell_warn(const Suspect *s, const Op *at, const char *hint, const char *fmt, ...) PRINTF(4, 5);
/* Is there such an op in the function? */
bool tell_any(const Suspect *s, bool (*is)(const Op *op));
/* Of the function, made when they are first asked for. */
const AxisFacts *tell_axis(const Suspect *s);
const UseLists *tell_uses(const Suspect *s);
/* The innermost tl.range that it stands in; NULL: it stands in none. */
const Op *tell_loop_around(const Op *op);
/* Is it made in the loop? */
bool tell_is_inside(const Value *v, const Op *loop);
/* Is it another one in each round: does it follow from the counter, or from what is carried? */
bool tell_is_moved(const Value *v, const Op *loop, int depth);
/* Which dimension of the operand of such an op becomes `dim`; -1: none. */
int tell_dimension_before(const Op *op, int dim);
/* Does the index stand in that dimension of the value, or of the address? */
bool tell_is_along(const Value *v, int dim, const Value *index, int depth);
/* Do programs share out the rows of a tile of rows and columns, and does it sum along the rows? */
bool tell_is_shared_out(const Suspect *s, const Op *sum);

#endif
