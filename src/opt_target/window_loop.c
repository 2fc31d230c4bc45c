/*
 * window_loop.c - does a loop go through a window, place by place?
 *
 * Takes any IR and changes nothing.  Rounds of such a loop all load one tile, each a place further
 * on than the one before, and put it together with what they carry:
 *
 *     for k, best:  best = max(best, load(x + (columns + k), mask=columns + k < width, other=0))
 *
 * or another loop in it does.  Written out (unroll.c), they are what window.c looks for.
 */
#include "window.h"
#include "../ir/analysis.h"

enum { MOST_ROUNDS = 64 };

typedef struct {
    const Op *loop;
    int64_t step;
    Map *loads; /* in it; all may happen at its end, since it writes nothing */
} WindowLoop;

/* Loads of a block that does nothing but compute; false: it does more. */
static bool gather_loads(WindowLoop *w, const Block *b)
{
    for (const Op *op = b->first; op; op = op->next) {
        if (op->code == OP_load)
            map_put(w->loads, MAP_KEY(op), (void *)op);
        else if (op->code != OP_for && !op_has(op, PURE | ENDS))
            return false;
        if (op->code == OP_for && !gather_loads(w, op->regions[0]))
            return false;
    }
    return true;
}

/* Does each round see v one place further on than the one before? */
static bool goes_on(const WindowLoop *w, const Value *v)
{
    int64_t places = 0;
    Shift s;

    if (!window_follows(w->loads, v, w->loop->regions[0]->args[0], w->step, &s))
        return false;
    for (int d = 0; d < MAX_RANK; d++)
        places += s.by[d] < 0 ? -s.by[d] : s.by[d];
    return places == 1;
}

static bool combines(const WindowLoop *w, const Value *v, const Value *carried);

/* The same of what a loop within makes of it. */
static bool combines_within(const WindowLoop *w, const Op *loop, int i, const Value *carried)
{
    return loop->operands[FOR_BOUNDS + i] == carried &&
           combines(w, loop->regions[0]->last->operands[i], loop->regions[0]->args[1 + i]);
}

/* Is v what is carried, put together with something that goes on? */
static bool combines(const WindowLoop *w, const Value *v, const Value *carried)
{
    const Op *op = v->def;

    if (op && op->code == OP_for)
        return combines_within(w, op, v->index, carried);
    if (!op || !window_is_chained(op))
        return false;
    for (int i = 0; i < 2; i++) {
        if (op->operands[i] == carried)
            return goes_on(w, op->operands[1 - i]);
    }
    return false;
}

bool window_loop(const Op *loop, Arena *a)
{
    WindowLoop w = {.loop = loop, .loads = map_new(a)};
    const Op *yield = loop->regions[0]->last;
    uint64_t trips;

    if (!opt_trip_count(loop, &trips) || trips < 2 || trips > MOST_ROUNDS ||
        !value_const_signed(loop->operands[FOR_STEP], &w.step) || !gather_loads(&w, yield->block))
        return false;
    for (int i = 0; i < loop->nresults; i++) {
        if (!combines(&w, yield->operands[i], loop->regions[0]->args[1 + i]))
            return false;
    }
    return loop->nresults > 0;
}
