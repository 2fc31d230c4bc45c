/*
 * frames.c - frames, and the values in them: made, copied, forgotten
 *
 * A frame is taken for each call and given back at its end; the plan keeps it for the next one.
 */
#include <string.h>

#include "machine.h"

static void check_memory(Machine *m, const SlotPlan *plan)
{
    size_t bytes = 0;

    for (int s = 0; s < plan->nslots; s++)
        bytes += plan->bytes[s];
    if (bytes > IR_MOST_TILE_BYTES)
        machine_stop(
            m, plan->func->body->first,
            "this kernel holds too many tiles at once: they take %zu MiB, and at most %d go",
            bytes >> 20, IR_MOST_TILE_BYTES >> 20);
}

static Frame *frame_new(Machine *m, SlotPlan *plan)
{
    Frame *f = NEW(m->arena, Frame);

    check_memory(m, plan);
    f->machine = m;
    f->plan = plan;
    f->width = 1;
    f->memory = NEW_N(m->arena, void *, plan->nslots + 1);
    for (int s = 0; s < plan->nslots; s++)
        f->memory[s] = arena_alloc(m->arena, plan->bytes[s]);
    f->slot = NEW_N(m->arena, void *, plan->func->nvalues + 1);
    for (int v = 0; v < plan->func->nvalues; v++)
        f->slot[v] = plan->slot_of[v] >= 0 ? f->memory[plan->slot_of[v]] : NULL;
    f->made = plan->options.keeps ? NEW_N(m->arena, bool, plan->func->nvalues + 1) : NULL;
    return f;
}

void frame_once(Frame *f)
{
    for (int i = 0; i < f->plan->nonce; i++)
        exec_op(f, f->plan->once[i]);
}

static SlotOptions slot_options(const Machine *m, bool wide)
{
    const InterpObserver *observer = m->launch->observer;

    return (SlotOptions){.lanes = wide ? WIDE_LANES : 1,
                         .keeps = m->dry || (observer && observer->keeps_values),
                         .scalars = m->dry};
}

Frame *frame_take(Machine *m, const Func *func, bool wide)
{
    Map *plans = wide ? m->wide_plans : m->plans;
    SlotPlan *plan = map_get(plans, MAP_KEY(func));
    Frame *f = plan ? plan->idle : NULL;

    if (f) {
        plan->idle = f->next_idle;
        return f;
    }
    if (!plan) {
        plan = slots_plan(m->arena, func, slot_options(m, wide));
        map_put(plans, MAP_KEY(func), plan);
    }
    f = frame_new(m, plan);
    if (!func->is_kernel)
        frame_once(f);
    return f;
}

void frame_forget(Frame *f)
{
    if (f->made)
        memset(f->made, false, (size_t)f->plan->func->nvalues);
}

void frame_give_back(Frame *f)
{
    f->next_idle = f->plan->idle;
    f->plan->idle = f;
}

OpSlots *slots_of_op(const Frame *f, const Op *op)
{
    return map_get(f->plan->ops, MAP_KEY(op));
}

/* --- values --- */

size_t bytes_now(const Frame *f, const Value *v)
{
    return value_size(v) * value_numel(v) * f->width;
}

bool is_made(const Frame *f, const Value *v)
{
    return !f->made || (f->made[v->id] && !(f->machine->dry && v->type->rank > 0));
}

bool set_made(Frame *f, const Value *v, bool made)
{
    if (f->made)
        f->made[v->id] = made;
    return made;
}

void copy_value(Frame *f, const Value *from, const Value *to)
{
    void *dst = f->slot[to->id], *src = f->slot[from->id];

    if (dst != src) /* slots.c: the same bytes */
        memcpy(dst, src, bytes_now(f, to));
}

void copy_values(Frame *f, int n, Value *const *from, Value *const *to)
{
    for (int i = 0; i < n; i++) {
        if (set_made(f, to[i], is_made(f, from[i])))
            copy_value(f, from[i], to[i]);
    }
}
