/*
 * nv_sort_plan.c - the steps of sorts; see nv_sort.h
 */
#include "nv_sort.h"

enum { MOST_STEPS = LAYOUT_MAX_BITS * LAYOUT_MAX_BITS };

/* The operand's: its home, if its bits can be walked along the rows. */
static const Layout *sorted_layout(NvPlan *p, const Op *op, Layout *result, NvSort *s)
{
    const Value *from = op->operands[0];
    const Type *to = op->results[0]->type;
    int axis = from->type->rank - 1;
    const Layout *l = nv_home(p, from);
    AxisWalk walk;

    if (!l || !layout_walk(l, axis, &walk))
        l = nv_default_layout(p, from->type);
    if (l) {
        s->bits = l->bits[axis];
        s->registers = layout_in_order(l, axis, to->dims[axis], result, s->place);
    }
    return l;
}

void nv_choose_sort(NvPlan *p, const Op *op)
{
    Layout result;
    NvSort s = {0};

    if (sorted_layout(p, op, &result, &s))
        nv_set_home(p, op->results[0], &result, NV_PLAIN);
}

/* --- the network --- */

static void add(NvSort *s, NvSortStep *steps, NvSortStep step)
{
    steps[s->nsteps++] = step;
    s->exchanges += nv_sort_kind(s, step.mask) == STEP_WARP;
}

/* Those 1 << (bits - 1), .. 2, 1 apart. */
static void add_merge(NvSort *s, NvSortStep *steps, int bits)
{
    for (int bit = bits - 1; bit >= 0; bit--)
        add(s, steps, (NvSortStep){1u << bit, bit, false});
}

static void make_steps(NvPlan *p, NvSort *s, int kept)
{
    NvSortStep *steps = NEW_N(p->arena, NvSortStep, MOST_STEPS);

    for (int run = 0; run < kept; run++) {
        add(s, steps, (NvSortStep){(2u << run) - 1, run, false});
        add_merge(s, steps, run);
    }
    for (int bit = kept; bit < s->bits; bit++) {
        add(s, steps, (NvSortStep){1u << bit | ((1u << kept) - 1), bit, true});
        add_merge(s, steps, kept);
    }
    s->steps = steps;
}

/* --- the step --- */

static void take_buffer(NvPlan *p, NvStep *step, NvSort *s)
{
    int words = nv_sort_words(step->op->operands[0]->type);
    int64_t bytes = (int64_t)nv_thread_count(p) * words * 4;

    s->buffer = NV_NO_BUFFER;
    if (s->exchanges == 0)
        return;
    s->room = layout_registers(s->layout);
    while (s->room * bytes > p->chip->shared)
        s->room /= 2;
    s->buffer = nv_buffer(p, s->room * bytes);
    step->within = nv_wait_warps(p);
    nv_use(p, step, s->buffer, true, false);
    nv_use(p, step, s->buffer, s->room < layout_registers(s->layout), true);
}

void nv_list_sort(NvPlan *p, const Op *op)
{
    NvSort *s = NEW(p->arena, NvSort);
    Layout result;

    if (!nv_is_wanted(p, op))
        return;
    NvStep *step = nv_step(p, NV_SORT, op);
    *s = (NvSort){0};
    s->layout = sorted_layout(p, op, &result, s);
    make_steps(p, s, result.bits[result.rank - 1]);
    take_buffer(p, step, s);
    step->out[0] = nv_result(p, op, 0);
    if (!layout_equal(step->out[0]->layout, &result))
        bug("a sort of another layout");
    step->detail = s;
    nv_want(p, step, 0, s->layout);
    nv_list(p, step);
}
