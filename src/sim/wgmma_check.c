/*
 * wgmma_check.c - who may touch the registers of wgmma, and when
 *
 * While a product is not waited for, its results, and A where it is in registers, belong to it.
 * Only other products may go on with the results, if they have the same shape, and share A.  A
 * product may have registers that anything else has touched only behind a wgmma.fence: PTX ISA,
 * "wgmma.fence". The first product needs one in any case.
 *
 * Which registers these are is known when a module is loaded, so that instructions without any of
 * them cost nothing.
 */
#include "wgmma.h"

static bool is_product(const Inst *in)
{
    return in->run == wgmma_mma || in->run == wgmma_mma_registers;
}

/* Results, and A in registers, come first. */
static int register_count(const Inst *in)
{
    return wgmma_results(in) + (in->run == wgmma_mma_registers ? 4 : 0);
}

/* --- when a module is loaded --- */

static void number_registers(SimModule *m, const Inst *in)
{
    for (int i = 0; i < register_count(in); i++) {
        uint16_t *number = &m->held[in->op[i] / FILE_ALIGN];

        if (*number == 0 && m->nheld < UINT16_MAX)
            *number = (uint16_t)++m->nheld;
    }
}

static uint16_t number_of(const SimModule *m, uint32_t place)
{
    return place == NO_OPERAND ? 0 : m->held[place / FILE_ALIGN];
}

static bool touches(const SimModule *m, const Inst *in)
{
    for (int i = 0; i < in->nops; i++) {
        if (number_of(m, in->op[i]))
            return true;
    }
    for (int i = 0; i < COUNT(in->at); i++) {
        if (in->at[i].base != 0 && number_of(m, in->at[i].base))
            return true;
    }
    return false;
}

void wgmma_mark(SimModule *m)
{
    bool any = false;

    for (int i = 0; i < m->code.len; i++)
        any |= is_product(&m->code.at[i]);
    if (!any)
        return;
    m->held = NEW_N(m->arena, uint16_t, m->file_bytes / FILE_ALIGN + 1);
    for (int i = 0; i < m->code.len; i++) {
        if (is_product(&m->code.at[i]))
            number_registers(m, &m->code.at[i]);
    }
    for (int i = 0; i < m->code.len; i++)
        m->code.at[i].is_held = !is_product(&m->code.at[i]) && touches(m, &m->code.at[i]);
}

/* --- when it runs --- */

static Held *held_at(const Warp *w, uint32_t place)
{
    uint16_t number = number_of(w->module, place);

    return number ? &w->products.held[number - 1] : NULL;
}

/* The product in flight that has it, or NULL. */
static const Inst *sum_in_flight(const Warp *w, const Held *h)
{
    return h->sum_number > w->products.waited ? h->sum : NULL;
}
static const Inst *left_in_flight(const Warp *w, const Held *h)
{
    return h->left_number > w->products.waited ? h->left : NULL;
}

static bool touch(Warp *w, uint32_t place)
{
    Held *h = held_at(w, place);

    if (!h)
        return true;
    const Inst *sum = sum_in_flight(w, h), *owner = sum ? sum : left_in_flight(w, h);
    h->touched = w->products.fences + 1;
    if (owner)
        fault(
            w, SIM_SYNC, -1,
            "it touches a register that is %s of the wgmma.mma_async in line %u of the PTX, which "
            "it has not waited for",
            sum ? "a result" : "in A", owner->line);
    return !owner;
}

bool wgmma_may_touch(Warp *w, const Inst *in)
{
    for (int i = 0; i < in->nops; i++) {
        if (!touch(w, in->op[i]))
            return false;
    }
    for (int i = 0; i < COUNT(in->at); i++) {
        if (in->at[i].base != 0 && !touch(w, in->at[i].base))
            return false;
    }
    return true;
}

static bool same_shape(const Inst *a, const Inst *b)
{
    return a->columns == b->columns && a->type[0] == b->type[0] && a->type[1] == b->type[1] &&
           a->type[2] == b->type[2];
}

static bool report_unfenced(Warp *w, int i, bool is_left)
{
    fault(w, SIM_SYNC, -1,
          "register %d of its %s was touched with no wgmma.fence behind, in front of this "
          "wgmma.mma_async",
          i, is_left ? "A" : "results");
    return false;
}

static bool report_taken(Warp *w, int i, bool is_left, const Inst *owner)
{
    fault(w, SIM_SYNC, -1,
          "register %d of its %s belongs to the wgmma.mma_async in line %u of the PTX, of another "
          "shape or as another operand, which it has not waited for",
          i, is_left ? "A" : "results", owner->line);
    return false;
}

static bool take_result(Warp *w, const Inst *in, int i)
{
    Held *h = held_at(w, in->op[i]);
    const Inst *sum = h ? sum_in_flight(w, h) : NULL, *left = h ? left_in_flight(w, h) : NULL;

    if (!h)
        return true;
    if (left || (sum && !same_shape(sum, in)))
        return report_taken(w, i, false, left ? left : sum);
    if (h->touched > w->products.fences ||
        (h->sum && !same_shape(h->sum, in) && h->sum_fences == w->products.fences))
        return report_unfenced(w, i, false);
    h->sum = in;
    h->sum_number = w->products.asked + 1;
    h->sum_fences = w->products.fences;
    return true;
}

static bool take_left(Warp *w, const Inst *in, int i, int number)
{
    Held *h = held_at(w, in->op[i]);
    const Inst *sum = h ? sum_in_flight(w, h) : NULL;

    if (!h)
        return true;
    if (sum)
        return report_taken(w, number, true, sum);
    if (h->touched > w->products.fences || (h->sum && h->sum_fences == w->products.fences))
        return report_unfenced(w, number, true);
    h->left = in;
    h->left_number = w->products.asked + 1;
    return true;
}

bool wgmma_take_registers(Warp *w, const Inst *in, const ProductShape *s)
{
    if (w->products.fences == 0) {
        fault(w, SIM_SYNC, -1, "a wgmma.fence is missing in front of the first wgmma.mma_async");
        return false;
    }
    for (int i = 0; i < s->results; i++) {
        if (!take_result(w, in, i))
            return false;
    }
    for (int i = 0; i < 4 && s->a_in_registers; i++) {
        if (!take_left(w, in, s->a + i, i))
            return false;
    }
    return true;
}
