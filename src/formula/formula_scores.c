/*
 * formula_scores.c - keys that are not there, in the sum of a softmax
 *
 * k = tl.load(keys, mask=columns < n, other=0.0) makes scores of 0 of the keys behind the last one,
 * tl.dot(q, k), and exp of these counts in the sum by which all are divided; so does what is added
 * up behind any product of a matrix whose rows or columns were masked.  tl.where(columns < n,
 * scores, -inf) takes them out, and then nothing is said.
 *
 * In a loop the mask may let all lanes through, as where a causal mask ends the keys in front of
 * the last block: told only where the loop goes as far as the number that the mask compares with.
 *
 * So is tl.argmin or tl.argmax of such products, where a 0 wins against what is there.
 */
#include "formula.h"

#include "../unread/unread.h"

enum { DEEPEST = 24 };

static bool is_number_of_its_own(const Op *op)
{
    return op->code == OP_const || op->code == OP_program_id || op->code == OP_num_programs ||
           op->code == OP_arange;
}

/* What a value is made of, each once. */
static void note_sources(const Value *v, Map *sources, int depth)
{
    if (map_get(sources, MAP_KEY(v)))
        return;
    map_put(sources, MAP_KEY(v), (void *)v);
    for (int i = 0; depth > 0 && v->def && i < v->def->noperands; i++)
        note_sources(v->def->operands[i], sources, depth - 1);
}

/* Is a parameter, or what was loaded, a source of the mask and part of the bound, too? */
static bool have_in_common(const Value *bound, const Map *sources, Map *seen, int depth)
{
    const Op *op = bound->def;

    if (depth == 0 || (op && is_number_of_its_own(op)) || map_get(seen, MAP_KEY(bound)))
        return false;
    map_put(seen, MAP_KEY(bound), (void *)bound);
    if (!op || !(op_has(op, FOLDS) || op_has(op, MOVES)))
        return map_get(sources, MAP_KEY(bound)) != NULL;
    for (int i = 0; i < op->noperands; i++) {
        if (have_in_common(op->operands[i], sources, seen, depth - 1))
            return true;
    }
    return false;
}

static const Op *loop_around(const Op *op)
{
    const Op *owner = op->block->owner;

    while (owner && owner->code != OP_for && owner->code != OP_while)
        owner = owner->block->owner;
    return owner;
}

/* May the mask leave out lanes in the loop, if it is in one? */
static bool ends_in_a_round(Arena *arena, const Op *load)
{
    const Op *loop = loop_around(load);
    int64_t low, high, step;

    if (!loop || loop->code == OP_while)
        return !loop;
    const Value *mask = load->operands[ir_access(load).mask], *end = loop->operands[FOR_HI];
    if (value_const_signed(end, &high))
        return value_const_signed(loop->operands[FOR_LO], &low) &&
               value_const_signed(loop->operands[FOR_STEP], &step) && step > 1 &&
               (high - low) % step != 0;
    Map *sources = map_new(arena);
    note_sources(mask, sources, DEEPEST);
    return have_in_common(end, sources, map_new(arena), DEEPEST);
}

static void look_at(Op *op, void *suspect)
{
    const Suspect *s = suspect;

    if (!ir_reduces(op) || op->noperands > 2)
        return;
    const CombineKind kind = ir_combine_kind(op);
    bool chooses = op->noperands == 2 && kind.winner != OP_COUNT;
    if (!chooses && (!kind.only || kind.only->code != OP_add))
        return;
    const Value *v = op->operands[0];
    const MaskedLoads loads = unread_loads(s->arena, v, true, true);
    for (int i = 0; i < loads.n; i++) {
        const MaskedLoad *l = &loads.at[i];
        if (!l->multiplied || !ends_in_a_round(s->arena, l->load) ||
            !unread_counts(s->arena, l->load, chooses ? kind.winner : OP_add, v,
                           (int)attr_axis(op)))
            continue;
        if (chooses)
            tell_warn(s, op,
                      "mask it again: tl.where(columns < n, scores, -float(\"inf\")) for the "
                      "greatest, float(\"inf\") for the least",
                      "what a mask leaves out of a matrix is 0 in products with it, and may be "
                      "what this chooses");
        else
            tell_warn(s, op,
                      "mask it again: tl.where(columns < n, scores, -float(\"inf\")) in front of "
                      "the maximum and of exp; tl.where(mask, .., 0.0) in front of a plain sum",
                      "what a mask leaves out of a matrix is 0 in products with it, and counts in "
                      "this sum");
        return;
    }
}

void formula_scores(const Suspect *s)
{
    ir_walk(s->func->body, look_at, (void *)s);
}
