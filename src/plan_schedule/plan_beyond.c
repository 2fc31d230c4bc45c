/*
 * plan_beyond.c - vectors that reach beyond the ends of rows, where buffers have room
 *
 * Of a row that is no multiple of a vector the last one begins in the one before it
 * (Schedule.again), so it lies in two lines of the cache, as do its reads, each partly behind a
 * store that has not been done yet.  Where a nest does nothing but make one buffer of others, and
 * all of these have rows that are longer by what is left of the vector, it may as well be written
 * as a whole: what is there belongs to nobody, nothing is asked of it, and operations on it do no
 * harm.
 */
#include "plan_schedule_internal.h"

/* Elements of a row of the nest in whole vectors. */
static int64_t whole_vectors(const Nest *n)
{
    int64_t extent = n->dims[n->order[n->rank - 1]];

    return (extent + n->lanes - 1) / n->lanes * n->lanes;
}

/* A tile whose rows lie in room of their own, and along which the inner loop goes.  first: in the
 * buffer, where the nest's first element is. */
static bool has_room(const Plan *p, const Nest *n, int buffer, const Type *t, const int8_t *map,
                     int64_t first)
{
    const Buffer *b = &p->buffers.at[buffer];
    int last = t->rank - 1;

    if (b->row == 0 || b->either || b->turned || b->rounds > 1 || b->folded || t->rank < 2 ||
        map[last] != n->order[n->rank - 1])
        return false;
    for (int d = 0; d < last; d++) {
        if (map[d] == map[last])
            return false;
    }
    return first % b->row + whole_vectors(n) <= b->row;
}

static bool is_harmless(const Plan *p, const Nest *n, const Entry *e)
{
    switch (e->kind) {
    case MAKE_SCALAR:
    case MAKE_KNOWN:
    case MAKE_ZERO:
    case MAKE_CONST:
    case MAKE_ROOT:
        return true;
    case MAKE_OP:
        return op_has(e->value->def, PURE) && !e->value->def->regions[0];
    case MAKE_READ:
        return !e->vector || has_room(p, n, e->buffer, e->value->type, e->map, e->number);
    default:
        return false;
    }
}

bool plan_reaches_beyond(const Plan *p, const Nest *n)
{
    const Schedule *s = n->schedule;

    if (!s->again || s->strips || n->bounds.len > 0)
        return false;
    for (int i = 0; i < n->roots.len; i++) {
        const Root *r = &n->roots.at[i];
        if (r->kind != ROOT_FILL || r->source != NO_BUFFER || r->value->type->rank != n->rank ||
            !has_room(p, n, r->buffer, r->value->type, plan_identity, 0))
            return false;
    }
    for (int i = 0; i < s->entries.len; i++) {
        if (!is_harmless(p, n, &s->entries.at[i]))
            return false;
    }
    return true;
}
