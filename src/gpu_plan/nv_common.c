/*
 * nv_common.c - small tiles of a loop that many threads want alike
 *
 * As the row maxima of a score's columns, or the scales of a factor: loaded where they are wanted,
 * each thread asks for many elements that its neighbours ask for as well, and waits for them in the
 * round that computes with them.  In a loop whose factors are copied to shared memory some rounds
 * ahead, they come there with these, each element once, and every thread takes those that it wants
 * from there (NV_TAKE).
 *
 * Whether the copies can run ahead is known when the loop is planned (nv_pipeline.c); where one
 * cannot, the kernel is planned again without (NvPlan.no_common).
 */
#include "nv_plan.h"

static bool is_loop_of_products(const Op *loop)
{
    if (!loop || loop->code != OP_for)
        return false;
    for (const Op *op = loop->regions[0]->first; op; op = op->next) {
        if (op->code == OP_dot)
            return true;
    }
    return false;
}

bool nv_pads_with_zero(const Op *load)
{
    const Value *other = op_operand(load, LOAD_OTHER);
    uint64_t bits;

    return !other || (value_constant(other, &bits) && bits == 0);
}

/* Does the round hand it on?  Then it has been asked for early enough. */
static bool is_for_next_round(const NvPlan *p, const Op *load)
{
    const Use *uses = uses_of(&p->uses, load->results[0]);

    for (int i = 0; i < uses_count(&p->uses, load->results[0]); i++) {
        if (uses[i].op == load->block->last)
            return true;
    }
    return false;
}

/* Do several threads have each element? */
static bool is_held_often(const NvPlan *p, const Value *v, const Layout *wanted)
{
    enum { TWICE = 2 };

    return (int64_t)layout_registers(wanted) * nv_thread_count(p) > TWICE * type_numel(v->type);
}

bool nv_may_be_common(const NvPlan *p, const Op *load)
{
    const Op *loop = load->block->owner;
    int dim, bits = nv_most_vector_bits(p, load, &dim);

    return !p->no_common && is_loop_of_products(loop) && nv_stages_wanted(p, loop) >= 2 &&
           nv_is_small_load(p, load) && nv_pads_with_zero(load) && !is_for_next_round(p, load) &&
           type_size(load->results[0]->type) << bits >= NV_LEAST_COPY &&
           dim == load->results[0]->type->rank - 1;
}

bool nv_is_common(const NvPlan *p, const Op *load, const Layout *wanted)
{
    return nv_may_be_common(p, load) && is_held_often(p, load->results[0], wanted);
}

/* As it comes, row by row. */
static SharedLayout plain(const Layout *l, int bytes)
{
    SharedLayout s = {.nbits = layout_total_bits(l), .bytes = bytes};

    for (int i = 0; i < s.nbits; i++)
        s.offset[i] = s.coordinate[i] = 1u << i;
    return s;
}

void nv_make_common(NvPlan *p, const Op *load)
{
    const Value *v = load->results[0];
    SharedLayout memory = plain(nv_home(p, v), type_size(v->type));
    NvTile *t = nv_shared_tile(p, v, &memory);

    t->common = true;
    nv_value(p, v)->common = t;
    p->commons++;
}

void nv_list_take(NvPlan *p, const NvTile *from, const NvTile *to)
{
    NvStep *s = nv_step_between(p, NV_TAKE, from, to);
    NvPut *take = NEW(p->arena, NvPut);

    take->nvector = nv_shared_vector(to->layout, &from->memory, take->regs);
    s->detail = take;
    nv_use(p, s, from->buffer, false, false);
    nv_list(p, s);
}
