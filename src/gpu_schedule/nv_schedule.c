/*
 * nv_schedule.c - the plan of a kernel for a GPU, from front to end
 *
 * nv_plan.h says what a plan is and which file decides what.  Here: how many warps a program has,
 * and in which order all else is decided.
 */
#include "nv_ring.h"

static void find_largest(Op *op, void *largest)
{
    int64_t *most = largest;

    for (int i = 0; i < op->nresults; i++) {
        int64_t n = type_numel(op->results[i]->type);
        *most = MAX(*most, n);
    }
}

static void find_assembly(Op *op, void *found)
{
    *(bool *)found |= op->code == OP_inline_asm || op->code == OP_inline_asm_volatile;
}

/* So many that no two lanes have the same element of the largest tile, where that is fewer. */
static int without_copies(int64_t largest, int warps, const Chip *chip)
{
    while (warps > 1 && largest <= ((int64_t)warps << chip->lane_bits) / 2)
        warps /= 2;
    return warps;
}

/* What is asked for; else so many that a thread has a few elements of the largest tile.  In both
 * cases no warps that would only compute what others do, and meet them at barriers. */
static int choose_warps(const Func *f, const Chip *chip)
{
    enum { USUAL = 4, LARGE = 4096, PER_THREAD = 32 };
    int64_t largest = 1;
    int warps = USUAL;
    bool assembly = false; /* which may ask for its thread */

    ir_walk(f->body, find_largest, &largest);
    ir_walk(f->body, find_assembly, &assembly);
    if (f->num_warps > chip->warps || (f->num_warps > 0 && assembly))
        return f->num_warps;
    if (f->num_warps > 0)
        return without_copies(largest, f->num_warps, chip);
    warps = without_copies(largest, warps, chip);
    if (largest >= LARGE)
        warps *= 2;
    while (warps < chip->warps && largest / (warps << chip->lane_bits) > 2 * PER_THREAD)
        warps *= 2;
    return warps;
}

static bool is_too_large(NvPlan *p)
{
    if (p->registers <= NV_MOST_REGISTERS)
        return false;
    const Unrolled *most = ir_most_unrolled(p->func->module, p->func->nvalues);
    diag(p->diags, DIAG_ERROR, most ? most->span : p->func->span,
         "this kernel is too large: its tiles come to %lld registers of each thread, and at most "
         "%d go",
         (long long)p->registers, NV_MOST_REGISTERS);
    diag(p->diags, DIAG_HINT, (Span){0, 0},
         "use a smaller block and a loop, or ask for more warps (num_warps)");
    return true;
}

static bool has_too_many_warps(NvPlan *p)
{
    if (p->warps <= p->chip->warps)
        return false;
    diag(p->diags, DIAG_ERROR, p->func->span, "num_warps is %d; a GPU's block has at most %d",
         p->warps, p->chip->warps);
    return true;
}

static void find_meeting(Op *op, void *meets)
{
    switch (op->code) {
    case OP_atomic_rmw:
    case OP_atomic_cas:
    case OP_inline_asm:
    case OP_inline_asm_volatile:
        *(bool *)meets = true;
        break;
    default:
        break;
    }
}

/* Which arrays the kernel writes.  The others are constant, unless it may wait for somebody else
 * who writes, or writes by instructions of its own. */
static void find_written(NvPlan *p)
{
    p->written = ir_memory_use(p->func, p->arena).stored;
    ir_walk(p->func->body, find_meeting, &p->meets);
    p->constant = p->meets || !p->options->disjoint ? 0 : ~p->written;
}

/* What the launch has to bring for the kernel's workspaces. */
static void find_recipe(NvPlan *p)
{
    p->recipe.workspace = ir_workspace_at(p->func, p->func->nparams);
    for (int i = p->func->nparams; i-- > 0;) {
        if (p->func->params[i].kind == PARAM_WORKSPACE)
            p->recipe.workspace_arg = i;
    }
}

/* What a plan is made without, since it would take too much shared memory. */
typedef struct {
    bool tensors, pieces, sums, common;
} Without;

/* There is no room for all: leave out one thing more, what costs least first. */
static bool leaves_out_more(const NvPlan *p, Without *without)
{
    if (p->sum_columns > NV_SUM_COLUMNS)
        return without->sums = true;
    if (p->shared <= p->chip->shared || (!p->ring && !p->has_pieces))
        return false;
    without->pieces = without->pieces || p->has_pieces;
    without->tensors = without->tensors || !p->has_pieces;
    return true;
}

/* NULL: a diagnostic, or *again: there is to be another plan. */
static NvPlan *make_plan(const Func *f, const GenOptions *o, Without *without, bool *again,
                         Arena *a, Diags *d)
{
    NvPlan *p = NEW(a, NvPlan);

    *again = false;
    *p = (NvPlan){.arena = a,
                  .func = f,
                  .options = o,
                  .diags = d,
                  .no_tensors = without->tensors,
                  .no_pieces = without->pieces,
                  .no_common = without->common,
                  .no_sums = without->sums};
    p->chip = chip_find(o->cpu);
    p->warps = choose_warps(f, p->chip);
    if (has_too_many_warps(p))
        return NULL;
    p->axis = axis_analyse_trusting(f, a);
    p->bases = ir_pointer_bases(f, a);
    find_written(p);
    find_recipe(p);
    p->uses = ir_uses(f, a);
    p->values = NEW_N(a, NvValue, f->nvalues + 1);
    p->group_ways = map_new(a);
    p->facts = axis_number_facts(f, a);
    nv_find_fields(p);
    nv_choose(p);
    if (p->refused)
        return NULL;
    p->body = NEW(a, NvBlock);
    nv_list_block(p, f->body, p->body);
    if (p->refused || is_too_large(p))
        return NULL;
    nv_sink(p);
    nv_pipeline(p);
    if (p->commons > 0) {
        *again = without->common = true;
        return NULL;
    }
    nv_send_results(p);
    nv_raise(p);
    nv_land_products(p);
    nv_place_sums(p);
    nv_place(p);
    *again = leaves_out_more(p, without);
    if (p->refused || *again)
        return NULL;
    nv_compare_again(p, p->body);
    nv_slice(p);
    nv_cast_again(p);
    nv_find_early_loads(p);
    nv_issue_loads(p);
    nv_find_leave(p);
    nv_find_look(p);
    nv_choose_budget(p);
    return nv_verify(p) ? p : NULL;
}

NvPlan *nv_plan_make(const Func *f, const GenOptions *o, Arena *a, Diags *d)
{
    Without without = {.tensors = o->no_tensors};
    NvPlan *p;
    bool again;

    do {
        p = make_plan(f, o, &without, &again, a, d);
    } while (again);
    return p;
}
