/*
 * tell.c - what those ask and do that look for mistakes: a warning, and facts of a
 * function
 */
#include "tell.h"

enum { DEEPEST = 24 };

void tell_warn(const Suspect *s, const Op *at, const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    ir_diag_v(s->diags, DIAG_WARNING, at, fmt, ap);
    va_end(ap);
    if (diag_kept(s->diags))
        diag(s->diags, DIAG_HINT, (Span){0}, "%s", hint);
}

typedef struct {
    bool (*is)(const Op *op);
    bool found;
} Any;

static void look_for(Op *op, void *any)
{
    Any *a = any;

    a->found = a->found || a->is(op);
}

bool tell_any(const Suspect *s, bool (*is)(const Op *op))
{
    Any any = {is, false};

    ir_walk(s->func->body, look_for, &any);
    return any.found;
}

const AxisFacts *tell_axis(const Suspect *s)
{
    if (!s->facts->axis)
        s->facts->axis = axis_analyse(s->func, s->arena);
    return s->facts->axis;
}

const UseLists *tell_uses(const Suspect *s)
{
    if (!s->facts->uses.start)
        s->facts->uses = ir_uses(s->func, s->arena);
    return &s->facts->uses;
}

const Op *tell_loop_around(const Op *op)
{
    const Op *owner = op->block->owner;

    while (owner && owner->code != OP_for)
        owner = owner->block->owner;
    return owner;
}

bool tell_is_inside(const Value *v, const Op *loop)
{
    for (const Block *b = v->block; b; b = b->owner ? b->owner->block : NULL) {
        if (b->owner == loop)
            return true;
    }
    return false;
}

bool tell_is_moved(const Value *v, const Op *loop, int depth)
{
    if (!tell_is_inside(v, loop))
        return false;
    if (!v->def || depth == 0 || (v->def->regions[0] && !op_has(v->def, COMBINES)))
        return true;
    for (int i = 0; i < v->def->noperands; i++) {
        if (tell_is_moved(v->def->operands[i], loop, depth - 1))
            return true;
    }
    return false;
}

int tell_dimension_before(const Op *op, int dim)
{
    Move m;

    if (!op_renames(op, &m))
        return -1;
    for (int d = 0; d < op->operands[0]->type->rank; d++) {
        if (m.follows[d] == dim && op->operands[0]->type->dims[d] > 1)
            return d;
    }
    return -1;
}

bool tell_is_along(const Value *v, int dim, const Value *index, int depth)
{
    const Op *op = v->def;

    if (v == index)
        return dim == 0;
    if (!op || depth == 0 || v->type->rank == 0)
        return false;
    if (op_has(op, MOVES)) {
        dim = tell_dimension_before(op, dim);
        return dim >= 0 && tell_is_along(op->operands[0], dim, index, depth - 1);
    }
    for (int i = 0; i < op->noperands && (op_has(op, FOLDS) || op->code == OP_addptr); i++) {
        if (tell_is_along(op->operands[i], dim, index, depth - 1))
            return true;
    }
    return false;
}

static const Op *load_of(const Value *v, int depth)
{
    const Op *op = ir_bare(v)->def;
    const Op *load = NULL;

    if (!op || depth == 0 || op_only_reads(op))
        return op && op_only_reads(op) ? op : NULL;
    for (int i = 0; i < op->noperands && op_has(op, FOLDS) && !load; i++)
        load = load_of(op->operands[i], depth - 1);
    return load;
}

typedef struct {
    unsigned axes; /* of the grid, that the kernel asks for */
} Asked;

static void note_axis(Op *op, void *asked)
{
    if (op->code == OP_program_id)
        ((Asked *)asked)->axes |= 1u << attr_axis(op);
}

bool tell_is_shared_out(const Suspect *s, const Op *sum)
{
    const Op *load = load_of(sum->operands[0], DEEPEST);
    Asked asked = {0};
    int64_t by;

    if (!load || sum->operands[0]->type->rank != 2 || !s->func->is_kernel ||
        !type_same_shape(load->results[0]->type, sum->operands[0]->type))
        return false;
    ir_walk(s->func->body, note_axis, &asked);
    const Value *p = load->operands[ir_access(load).pointer];
    const Value *index = axis_program_march(p, -1, &by);
    return index && (asked.axes & (asked.axes - 1)) == 0 && by == index->type->dims[0] &&
           tell_is_along(p, (int)attr_axis(sum), index, DEEPEST);
}

/* --- how many ways back there are --- */

enum { FURTHEST = 40 /* ops, of all who look */, MOST_WAYS = 1 << 16 /* of one value */ };

typedef struct {
    const uint64_t *before; /* by value id: ways back that are an op shorter */
    uint64_t *now, most;
} Ways;

static void count_ways(Op *op, void *ways)
{
    Ways *w = ways;
    uint64_t n = 1;

    for (int i = 0; i < op->noperands; i++)
        n += w->before[op->operands[i]->id];
    for (int i = 0; i < op->nresults; i++)
        w->now[op->results[i]->id] = n;
    w->most = MAX(w->most, n);
}

bool tell_is_tangled(const Func *f, Arena *a)
{
    uint64_t *counts[2];

    for (int i = 0; i < COUNT(counts); i++)
        counts[i] = NEW_N(a, uint64_t, f->nvalues);
    for (int depth = 0; depth < FURTHEST; depth++) {
        Ways w = {.before = counts[depth % 2], .now = counts[1 - depth % 2]};

        ir_walk(f->body, count_ways, &w);
        if (w.most > MOST_WAYS)
            return true;
    }
    return false;
}
