/*
 * suspect_crossed.c - what belongs to rows, and meets columns
 *
 * In square tiles a value for each row fits where one for each column is meant: acc / s for
 * acc / s[:, None], tl.max(qk, axis=0) for axis=1, a tile that is stored without tl.trans, and
 * sums over columns that are stored by rows.  So every dimension of a tile is given a label, the
 * index by which its elements were addressed, start + tl.arange(..), which dot products,
 * reductions, loops and all that works element by element hand on.  Told is where
 *   - what a reduction left for one dimension meets, along another one, what has a label of its
 * own;
 *   - two tiles, or a tile and the address that it is stored to, have their labels crosswise;
 *   - what was summed over an index is stored by that index;
 *   - of two factors of a product one has the other's index where it is not summed over;
 *   - what was loaded by the index of one dimension meets a tile of both along the other one;
 *   - what a reduction of a tile left for its rows meets, along the columns, the tile itself,
 *     whatever their indices are.
 *
 * tl.arange alone, which nothing moves, may count from where any other index begins, as in a block
 * on the diagonal; then only what a reduction made is told of; what was loaded for rows is told
 * of by suspect_axes.c.  Nothing is said of a value that is used along both dimensions, as norms
 * in a table of distances are.
 */
#include "suspect.h"

enum { PASSES = 2, SAME_DEPTH = 12 };

typedef struct {
    const Value *index; /* NULL: none, or several */
    const Value *over;  /* the index of what was reduced away to get here; NULL: nothing was */
    bool reduced;
} Label;
typedef struct {
    Label at[MAX_RANK];
} Labels;

typedef struct {
    const Suspect *s;
    const UseLists *uses;
    Labels *of; /* by value id */
    bool tell;
} Cross;

static Labels *labels_of(const Cross *c, const Value *v)
{
    return &c->of[v->id];
}

/* --- labels --- */

static bool same_index(const Value *a, const Value *b)
{
    return a && b && ir_same(a, b, SAME_DEPTH);
}

/* tl.arange, which counts from 0 wherever the program is. */
static bool is_bare(const Value *index)
{
    return index->def && index->def->code == OP_arange;
}

/* Of one dimension of two operands: what both say, or the one that says something. */
static Label join(Label a, Label b)
{
    const Label none = {0};

    if (!a.index || !b.index)
        return a.index ? a : b;
    if (is_bare(a.index) != is_bare(b.index)) {
        Label moved = is_bare(a.index) ? b : a;
        moved.reduced = a.reduced && b.reduced;
        return moved;
    }
    if (!same_index(a.index, b.index))
        return none;
    a.reduced = a.reduced && b.reduced;
    a.over = same_index(a.over, b.over) ? a.over : NULL;
    return a;
}

static Labels joined(const Cross *c, const Op *op)
{
    Labels all = {0};

    for (int i = 0; i < op->noperands; i++) {
        for (int d = 0; d < op->operands[i]->type->rank; d++) {
            if (op->operands[i]->type->dims[d] > 1)
                all.at[d] = i == 0 ? labels_of(c, op->operands[i])->at[d]
                                   : join(all.at[d], labels_of(c, op->operands[i])->at[d]);
        }
    }
    return all;
}

/* Is a number that the compiler does not know added to all lanes? */
static bool is_start(const Value *v)
{
    uint64_t bits;

    return v->def && v->def->code == OP_splat && !value_constant(v, &bits);
}

/* start + tl.arange(..) is an index of its own; what is computed from an index keeps its label. */
static Labels of_elements(const Cross *c, const Op *op)
{
    Labels all = joined(c, op);
    const Value *made = op->results[0];

    if (op->code != OP_add || made->type->rank != 1 || !opt_is_int(made))
        return all;
    for (int i = 0; i < 2; i++) {
        const Label *other = &labels_of(c, op->operands[1 - i])->at[0];
        if (other->index && is_bare(other->index) && is_start(op->operands[i]))
            all.at[0] = (Label){.index = made};
    }
    return all;
}

static Labels of_moved(const Cross *c, const Op *op)
{
    Labels all = {0};
    Move m;

    if (!op_renames(op, &m))
        return all;
    for (int d = 0; d < op->operands[0]->type->rank; d++) {
        if (m.follows[d] >= 0 && op->operands[0]->type->dims[d] > 1)
            all.at[m.follows[d]] = labels_of(c, op->operands[0])->at[d];
    }
    return all;
}

static Labels of_reduced(const Cross *c, const Op *op, const Value *tile)
{
    const Labels *before = labels_of(c, tile);
    Labels all = {0};
    int axis = (int)attr_axis(op);

    for (int d = 0, to = 0; d < tile->type->rank; d++) {
        if (d == axis)
            continue;
        all.at[to] = before->at[d];
        all.at[to].reduced = before->at[d].index != NULL;
        all.at[to++].over = before->at[axis].index;
    }
    return all;
}

static Labels of_dot(const Cross *c, const Op *op)
{
    Labels all = {0};
    int rank = op->results[0]->type->rank;

    for (int d = 0; d < rank - 1; d++)
        all.at[d] = labels_of(c, op->operands[0])->at[d];
    all.at[rank - 1] = labels_of(c, op->operands[1])->at[rank - 1];
    return all;
}

/* What both arms, or the beginning and the end of a round, give. */
static void carry(const Cross *c, const Value *into, const Value *a, const Value *b)
{
    for (int d = 0; d < into->type->rank; d++)
        labels_of(c, into)->at[d] = join(labels_of(c, a)->at[d], labels_of(c, b)->at[d]);
}

static Labels of_result(const Cross *c, const Op *op)
{
    const Labels none = {0};

    if (op->code == OP_arange)
        return (Labels){.at[0] = {.index = op->results[0]}};
    if (op->code == OP_dot)
        return of_dot(c, op);
    if (op->code == OP_splat || op->code == OP_gather)
        return none;
    if (op_has(op, MOVES))
        return of_moved(c, op);
    if (op_only_reads(op) && ir_access(op).pointer >= 0)
        return *labels_of(c, op->operands[ir_access(op).pointer]);
    if (op_has(op, FOLDS) || op->code == OP_addptr || op->code == OP_bitcast || op->code == OP_hint)
        return of_elements(c, op);
    return none;
}

/* --- what is told --- */

static bool is_moved(const Label *l)
{
    return l->index && !is_bare(l->index);
}

/* The dimension of the tile that has this index, where it is not `dim`; -1. */
static int found_at(const Labels *tile, int rank, int dim, const Value *index)
{
    for (int d = 0; d < rank; d++) {
        if (d != dim && same_index(tile->at[d].index, index))
            return d;
    }
    return -1;
}

static bool is_labelled_beside(const Labels *value, int rank, int dim)
{
    for (int d = 0; d < rank; d++) {
        if (d != dim && value->at[d].index)
            return true;
    }
    return false;
}

/* A dimension along which the value has the index of another dimension of the tile, and the tile
 * one of its own; -1: there is none. */
static int crossed(const Labels *tile, const Labels *value, int rank)
{
    for (int d = 0; d < rank; d++) {
        const Label *v = &value->at[d], *t = &tile->at[d];
        if (!is_moved(v) || !t->index || same_index(v->index, t->index))
            continue;
        bool told = v->reduced || (is_moved(t) && is_labelled_beside(value, rank, d));
        if (told && found_at(tile, rank, d, v->index) >= 0 &&
            found_at(value, rank, d, v->index) < 0)
            return d;
    }
    return -1;
}

/* Of a reduction over the last axis the front end has said it. */
static bool is_told(const Value *v)
{
    const Op *op = ir_unmoved(v)->def;

    return ir_reduces(op) && attr_axis(op) == op->operands[0]->type->rank - 1;
}

/* Is it given to different dimensions in different places? */
static bool is_used_both_ways(const Cross *c, const Value *v)
{
    const Value *source = ir_unmoved(v);
    const Use *at = uses_of(c->uses, source);
    int axis = -1;

    for (int i = 0; i < uses_count(c->uses, source); i++) {
        const Op *op = at[i].op;
        if (op->code != OP_expand)
            continue;
        if (axis >= 0 && axis != attr_axis(op))
            return true;
        axis = (int)attr_axis(op);
    }
    return false;
}

static const char turn_hint[] = "v[:, None] is one for each row, v[None, :] one for each column; "
                                "tl.sum(x, axis=1) and its kin give one for each row";

static void look_at_pair(Cross *c, const Op *op, const Value *tile, const Value *value)
{
    int rank = tile->type->rank;

    if (rank < 2 || value->type->rank != rank)
        return;
    int dim = crossed(labels_of(c, tile), labels_of(c, value), rank);
    if (dim < 0 || is_told(value) || is_used_both_ways(c, value))
        return;
    const Value *index = labels_of(c, value)->at[dim].index;
    tell_warn(c->s, op, turn_hint,
              "what is one for each index of dimension %d of this tile is used along its "
              "dimension %d",
              found_at(labels_of(c, tile), rank, dim, index), dim);
}

static bool is_of_dimension(const Cross *c, const Value *value, int dim, const Label *index)
{
    const Label *l = labels_of(c, value)->at;

    return !l[1 - dim].index && !l[dim].reduced && is_moved(&l[dim]) &&
           same_index(l[dim].index, index->index);
}

/* A tile of rows and columns, and what was loaded by the index of the one, along the other. */
static void look_at_loaded(Cross *c, const Op *op, const Value *tile, const Value *value)
{
    const Label *to = labels_of(c, tile)->at;

    if (tile->type->rank != 2 || value->type->rank != 2 || op_has(op, COMPARES) ||
        !dtype_is_float(op->results[0]->type->dtype) || !is_moved(&to[0]) || !is_moved(&to[1]) ||
        same_index(to[0].index, to[1].index) || is_used_both_ways(c, value))
        return;
    for (int dim = 0; dim < 2; dim++) {
        if (is_of_dimension(c, value, dim, &to[1 - dim]) && !diag_warned(c->s->diags, op->span)) {
            tell_warn(c->s, op, turn_hint,
                      "this was loaded by the index of dimension %d of the tile, and is used "
                      "along its dimension %d",
                      1 - dim, dim);
            return;
        }
    }
}

/* Is it made of v, element by element?  Of elements that are chosen, as a row by its number, a sum
 * is an element, which may go anywhere. */
static bool is_made_of(const Value *made, const Value *v, int depth)
{
    const Op *op = made->def;

    if (made == v)
        return true;
    if (!op || op->code == OP_select)
        return false;
    for (int i = 0; op_has(op, FOLDS) && depth > 0 && i < op->noperands; i++) {
        if (is_made_of(op->operands[i], v, depth - 1))
            return true;
    }
    return false;
}

/* What the reduction left that a value is made of, and the last dimension that was inserted; NULL:
 * it is none, or one that is used along both dimensions. */
static const Op *reduction_behind(const Cross *c, const Value *value, const Op **expand)
{
    const Op *op = value->def;

    while (op && !ir_reduces(op)) {
        bool works = op_has(op, FOLDS) && (op->noperands == 1 || opt_is_uniform(op->operands[1]));
        if ((!works && op->code != OP_broadcast && op->code != OP_expand) ||
            is_used_both_ways(c, op->operands[0]))
            return NULL;
        *expand = op->code == OP_expand ? op : *expand;
        op = op->operands[0]->def;
    }
    return op;
}

/* v - tl.sum(v, axis=1)[None, :] */
static void look_at_own(Cross *c, const Op *op, const Value *tile, const Value *value)
{
    const Op *expand = NULL, *reduce = reduction_behind(c, value, &expand);

    if (!expand || !reduce || reduce->operands[0]->type->rank != 2 ||
        expand->operands[0]->type->rank != 1 || attr_axis(expand) == attr_axis(reduce) ||
        !(is_made_of(tile, reduce->operands[0], SAME_DEPTH) ||
          is_made_of(reduce->operands[0], tile, SAME_DEPTH)) ||
        diag_warned(c->s->diags, op->span))
        return;
    int dim = (int)attr_axis(reduce);
    tell_warn(c->s, op, turn_hint,
              "what a reduction left for each index of dimension %d of this tile is used along "
              "its dimension %d",
              1 - dim, dim);
}

/* Both count, with numbers that the compiler does not know, and not the same. */
static bool are_apart(const Label *a, const Label *b)
{
    return is_moved(a) && is_moved(b) && !same_index(a->index, b->index);
}

static bool are_alike(const Label *a, const Label *b)
{
    return is_moved(a) && same_index(a->index, b->index);
}

static bool note_program(const Op *op, void *axes)
{
    if (op->code == OP_program_id)
        *(unsigned *)axes |= 1U << attr_axis(op);
    return true;
}

/* Do both follow from numbers of programs, and these along different axes? */
static bool are_of_other_programs(const Cross *c, const Label *a, const Label *b)
{
    unsigned first = 0, second = 0;

    ir_slice(c->s->func, c->s->arena, &a->index, 1, note_program, &first);
    ir_slice(c->s->func, c->s->arena, &b->index, 1, note_program, &second);
    return first != 0 && second != 0 && (first & second) == 0;
}

/* Columns of the first operand go with rows of the second. */
static void look_at_product(Cross *c, const Op *op)
{
    const Label *a = labels_of(c, op->operands[0])->at, *b = labels_of(c, op->operands[1])->at;

    if (op->operands[0]->type->rank != 2 || op->operands[1]->type->rank != 2 ||
        !are_apart(&a[1], &b[0]))
        return;
    if (are_alike(&a[0], &b[1]) || are_of_other_programs(c, &a[1], &b[0]))
        tell_warn(c->s, op, "tl.dot(b, a)",
                  "what is summed over has two indices, of columns of the first operand and of "
                  "rows of the second one: are the operands turned around?");
    else if (are_alike(&a[1], &b[1]) || are_alike(&a[0], &b[0]))
        tell_warn(c->s, op,
                  are_alike(&a[1], &b[1]) ? "tl.dot(a, tl.trans(b))" : "tl.dot(tl.trans(a), b)",
                  "both operands have one index along their %s, and what is summed over, columns "
                  "of the first by rows of the second, has two: was tl.trans forgotten?",
                  are_alike(&a[1], &b[1]) ? "columns" : "rows");
}

/* Is an address that of the index over which the value was reduced, and not its own?  Two
 * tl.arange are told apart by their names. */
static bool is_reduced_index(const Label *value, const Label *to)
{
    if (is_moved(to))
        return same_index(value->over, to->index) && !same_index(value->index, to->index);
    return to->index && value->index && is_bare(to->index) && is_bare(value->index) &&
           value->over == to->index && value->index != to->index;
}

static void look_at_store(Cross *c, const Op *op)
{
    const OpAccess access = ir_access(op);
    const Value *pointer = op->operands[access.pointer], *data = op->operands[access.data];
    const Label *to = labels_of(c, pointer)->at, *from = labels_of(c, data)->at;

    if (pointer->type->rank == 2 && is_moved(&to[0]) && is_moved(&to[1]) && is_moved(&from[0]) &&
        is_moved(&from[1]) && same_index(to[0].index, from[1].index) &&
        same_index(to[1].index, from[0].index) && !same_index(to[0].index, to[1].index))
        tell_warn(c->s, op, "tl.trans(x) has rows for columns",
                  "this tile has rows where its address has columns, and columns where that "
                  "has rows");
    if (pointer->type->rank == 1 && from[0].reduced && is_reduced_index(&from[0], &to[0]))
        tell_warn(c->s, op,
                  "axis=1 goes along rows, and leaves one for each row; axis=0 one for each "
                  "column",
                  "this is stored by the index over which it was reduced: its elements belong "
                  "to the other one");
}

static void look_at(Cross *c, const Op *op)
{
    if (op->code == OP_store)
        look_at_store(c, op);
    if (op->code == OP_dot)
        look_at_product(c, op);
    if (!op_has(op, FOLDS) || op->noperands < 2 || op->code == OP_select)
        return;
    look_at_pair(c, op, op->operands[0], op->operands[1]);
    look_at_pair(c, op, op->operands[1], op->operands[0]);
    look_at_loaded(c, op, op->operands[0], op->operands[1]);
    look_at_loaded(c, op, op->operands[1], op->operands[0]);
    look_at_own(c, op, op->operands[0], op->operands[1]);
    look_at_own(c, op, op->operands[1], op->operands[0]);
}

/* --- the walk --- */

static void walk(Cross *c, const Block *b);

static void walk_loop(Cross *c, const Op *op)
{
    const Block *body = op->regions[0];
    const Op *end = opt_last(body);

    for (int i = 0; i < op->nresults; i++)
        carry(c, body->args[i + 1], op->operands[FOR_BOUNDS + i], end->operands[i]);
    walk(c, body);
    for (int i = 0; i < op->nresults; i++)
        carry(c, op->results[i], op->operands[FOR_BOUNDS + i], end->operands[i]);
}

static void walk_if(Cross *c, const Op *op)
{
    for (int r = 0; r < 2; r++)
        walk(c, op->regions[r]);
    for (int i = 0; i < op->nresults; i++)
        carry(c, op->results[i], opt_last(op->regions[0])->operands[i],
              opt_last(op->regions[1])->operands[i]);
}

static void walk_op(Cross *c, const Op *op)
{
    if (op->code == OP_for)
        walk_loop(c, op);
    else if (op->code == OP_if)
        walk_if(c, op);
    else if (op->code == OP_while) {
        walk(c, op->regions[0]);
        walk(c, op->regions[1]);
    } else if (ir_reduces(op) || op->code == OP_scan) {
        for (int i = 0; i < op->nresults; i++)
            *labels_of(c, op->results[i]) = op->code == OP_scan
                                                ? *labels_of(c, op->operands[i])
                                                : of_reduced(c, op, op->operands[0]);
    } else if (op->nresults == 1)
        *labels_of(c, op->results[0]) = of_result(c, op);
    if (c->tell)
        look_at(c, op);
}

static void walk(Cross *c, const Block *b)
{
    for (const Op *op = b->first; op; op = op->next)
        walk_op(c, op);
}

static bool makes_two_dimensions(const Op *op)
{
    return op->code == OP_expand || op->code == OP_permute;
}

void suspect_crossed(const Suspect *s)
{
    if (!tell_any(s, makes_two_dimensions))
        return;
    Cross c = {.s = s, .uses = tell_uses(s)};
    c.of = NEW_N(s->arena, Labels, s->func->nvalues);
    for (int i = 0; i < PASSES; i++) {
        c.tell = i == PASSES - 1;
        walk(&c, s->func->body);
    }
}
