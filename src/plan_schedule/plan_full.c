/*
 * plan_full.c - nests of short rows whose masks mostly hold all over the tile
 *
 * Where a row ends is found for each row.  Of a few vectors that takes longer than what is done in
 * them, and but for a matrix's last tiles nothing ends there: a nest that fills or stores short
 * rows stands twice, and the one without bounds runs where all comparisons of their masks hold
 * throughout.  Such a comparison is of an index, which steps by one along a dimension of the tile,
 * with one number: it holds throughout where it does for the first index and for the last.  Both
 * are computed in front of the nest, of scalars that are there.
 *
 * So does a nest in strips through which several planes go together (plan_strips.c), where masks
 * would cut some of these alone.
 */
#include "plan_schedule_internal.h"

enum { SHORT_ROW = 8, OPERAND_ROW = 32 /* vectors */ };
enum { LEAST_ROWS = 4, FEW_VALUES = 100 /* that stand twice */ };
enum { MOST_BEHIND = 40 /* ops, of a mask */ };

typedef struct {
    const Plan *plan;
    Nest *nest;
    int behind; /* ops that may still be looked at */
} Full;

bool plan_is_at_hand(const void *nest, const Value *v)
{
    const Schedule *s = ((const Nest *)nest)->schedule;

    for (int i = 0; i < s->entries.len; i++) {
        if (s->entries.at[i].kind == MAKE_SCALAR && s->entries.at[i].value == v)
            return true;
    }
    return false;
}

static bool compares(const Value *v)
{
    return v->def && (v->def->code == OP_lt || v->def->code == OP_le || v->def->code == OP_gt ||
                      v->def->code == OP_ge);
}

/* Index numbers made wider as such, not what is computed of them and may have wrapped. */
static bool widens_indices_only(const Value *v, int most)
{
    const Op *op = v->def;

    if (v->type->rank == 0 || !op || op->noperands == 0)
        return true;
    if (most == 0)
        return false;
    if (op->code == OP_cast) {
        const Value *from = op->operands[0];
        while (from->def && op_has(from->def, MOVES) && from->def->code != OP_slice)
            from = from->def->operands[0];
        return from->def && (from->def->code == OP_arange || from->def->code == OP_const);
    }
    for (int i = 0; i < op->noperands; i++) {
        if (!widens_indices_only(op->operands[i], most - 1))
            return false;
    }
    return true;
}

/* Is it an index along one dimension of the nest, or one number? */
static bool is_even(const Full *f, const Value *v, const int8_t *map)
{
    const Axis *a = v->type->rank > 0 ? axis_of(f->plan->axis, v) : NULL;
    bool steps = false;

    for (int d = 0; d < v->type->rank; d++) {
        int extent = v->type->dims[d];
        if (extent == 1 || a->constancy[d] == extent)
            continue;
        if (steps || map[d] < 0 || f->nest->dims[map[d]] != extent || a->contiguity[d] != extent)
            return false;
        steps = true;
    }
    return widens_indices_only(v, MOST_BEHIND);
}

static bool can_be_asked(const Full *f, const Value *v, const int8_t *map)
{
    return compares(v) && plan_holds_by_ends(v, plan_is_at_hand, f->nest) &&
           is_even(f, v->def->operands[0], map) && is_even(f, v->def->operands[1], map);
}

/* Notes the comparisons of a mask; false: it has something else. */
static bool note_mask(Full *f, Value *v, const int8_t *map)
{
    int8_t in[MAX_RANK];

    if (f->behind-- == 0)
        return false;
    Value *renamed = access_renamed(v, map, in);
    if (renamed)
        return note_mask(f, renamed, in);
    if (v->def && v->def->code == OP_and)
        return note_mask(f, v->def->operands[0], map) && note_mask(f, v->def->operands[1], map);
    if (!can_be_asked(f, v, map))
        return false;
    for (int i = 0; i < f->nest->full.len; i++) {
        if (f->nest->full.at[i] == v)
            return true;
    }
    vec_push(f->plan->arena, &f->nest->full, v);
    return true;
}

static bool has_rows_of(const Nest *n, int vectors)
{
    int inner = n->order[n->rank - 1], extent = n->dims[inner];
    int64_t rows = 1;

    for (int d = 0; d < n->rank; d++)
        rows *= d == inner ? 1 : n->dims[d];
    return rows >= LEAST_ROWS && n->bounds.len > 0 && n->pieces.len == 0 && !n->schedule->strips &&
           extent % n->lanes == 0 && extent / n->lanes <= vectors && n->values <= FEW_VALUES;
}

bool plan_has_short_rows(const Nest *n)
{
    return has_rows_of(n, SHORT_ROW);
}

/* Of what a product reads, or leaves, rows may be longer, since where all masks hold that may be in
 * place (plan_place.c, plan_result.c). */
static int short_row(const Plan *p, const Nest *n)
{
    const Root *r = &n->roots.at[0];
    bool operand = r->kind == ROOT_FILL && r->buffer >= 0 && p->buffers.at[r->buffer].either;

    for (int i = 0; i < n->leaves.len && r->kind == ROOT_STORE; i++) {
        const Value *v = n->leaves.at[i].value;
        operand |= v->def && (v->def->code == OP_dot || v->def->code == OP_for);
    }
    return operand ? OPERAND_ROW : SHORT_ROW;
}

static bool may_stand_twice(const Plan *p, const Nest *n)
{
    return has_rows_of(n, short_row(p, n)) && n->schedule->rows == 1 && !n->serial &&
           !n->backwards && n->lined == 0 && !p->options->debug;
}

/* Several planes go through a strip together, but for those that are cut alone. */
static bool wants_whole_planes(const Nest *n)
{
    return n->schedule->planes > 1 && !plan_planes_are_alike(n);
}

static bool only_fills_and_stores(const Nest *n)
{
    for (int i = 0; i < n->roots.len; i++) {
        RootKind k = n->roots.at[i].kind;
        if (k != ROOT_FILL && k != ROOT_STORE)
            return false;
    }
    return true;
}

static void note_masks(const Plan *p, Nest *n)
{
    Full f = {.plan = p, .nest = n, .behind = MOST_BEHIND};

    for (int i = 0; i < n->bounds.len; i++) {
        const Bound *b = &n->bounds.at[i];
        if (b->kind == BOUND_OR || !note_mask(&f, b->value, b->map)) {
            n->full.len = 0;
            return;
        }
    }
}

/* Of loads of one number for a row, which no bound masks: all of a mask, or nothing. */
static void note_single_loads(const Plan *p, Nest *n)
{
    for (int i = 0; i < n->leaves.len; i++) {
        const Leaf *leaf = &n->leaves.at[i];
        const Op *op = leaf->load ? leaf->value->def : NULL;
        Full f = {.plan = p, .nest = n, .behind = MOST_BEHIND};
        int before = n->full.len;
        if (!op || op->code != OP_load || op->noperands <= LOAD_MASK ||
            leaf->access->form != FORM_UNIFORM)
            continue;
        if (!note_mask(&f, op->operands[LOAD_MASK], leaf->map))
            n->full.len = before;
    }
}

static void look_at_planes(const Plan *p, Nest *n)
{
    if (n->dims[n->order[n->rank - 1]] % n->lanes == 0 && n->values <= FEW_VALUES)
        note_masks(p, n);
    if (n->full.len > 0)
        note_single_loads(p, n);
    else
        n->schedule->planes = 1;
}

static void look_at_nest(const Plan *p, Nest *n)
{
    if (wants_whole_planes(n))
        look_at_planes(p, n);
    else if (may_stand_twice(p, n) && only_fills_and_stores(n))
        note_masks(p, n);
}

static void look_at_block(const Plan *p, const BlockPlan *b)
{
    for (int i = 0; b && i < b->steps.len; i++) {
        const Step *s = &b->steps.at[i];
        if (s->kind == STEP_NEST)
            look_at_nest(p, s->nest);
        look_at_block(p, s->body[0]);
        look_at_block(p, s->body[1]);
    }
}

void plan_full(const Plan *p)
{
    look_at_block(p, p->body);
}
