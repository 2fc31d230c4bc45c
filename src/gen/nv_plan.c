/*
 * nv_plan.c - the plan of a kernel for a GPU, from front to end; and the parts that it is made of
 *
 * nv_plan.h says what a plan is and which file decides what.  Here: how many warps a program has,
 * and the making of layouts, tiles, steps and buffers.
 */
#include "nv_plan.h"

#include <stdlib.h>
#include <string.h>

/* "sm_90a" gives 90; NULL: 80. */
static int chip_number(const char *cpu)
{
    enum { OLDEST = 80 };
    static const char prefix[] = "sm_";

    if (!cpu || strncmp(cpu, prefix, strlen(prefix)) != 0)
        return OLDEST;
    return (int)strtol(cpu + strlen(prefix), NULL, 10);
}

/* sm_90a: what may not run on later chips. */
static bool is_for_one_chip(const char *cpu)
{
    return cpu && *cpu && cpu[strlen(cpu) - 1] == 'a';
}

int64_t nv_most_shared(int chip)
{
    if (chip == 80 || chip == 87)
        return 163 << 10;
    return chip == 86 || chip == 89 || chip >= 120 ? 99 << 10 : NV_MOST_SHARED;
}

/* --- parts --- */

const Layout *nv_layout(NvPlan *p, const Layout *l)
{
    for (int i = 0; i < p->layouts.len; i++) {
        if (p->layouts.at[i] == l || layout_equal(p->layouts.at[i], l))
            return p->layouts.at[i];
    }
    Layout *copy = NEW(p->arena, Layout);
    *copy = *l;
    vec_push(p->arena, &p->layouts, copy);
    return copy;
}

NvTile *nv_tile(NvPlan *p, const Value *v, const Layout *l)
{
    NvValue *facts = nv_value(p, v);

    if (l)
        l = nv_layout(p, l);
    for (int i = 0; i < facts->tiles.len; i++) {
        if (facts->tiles.at[i]->layout == l)
            return facts->tiles.at[i];
    }
    NvTile *t = NEW(p->arena, NvTile);
    *t = (NvTile){.id = p->tiles.len, .value = v, .layout = l, .buffer = NV_NO_BUFFER};
    vec_push(p->arena, &p->tiles, t);
    vec_push(p->arena, &facts->tiles, t);
    p->registers += l ? layout_registers(l) : 1;
    return t;
}

NvStep *nv_step(NvPlan *p, NvStepKind kind, const Op *op)
{
    NvStep *s = NEW(p->arena, NvStep);

    *s = (NvStep){.kind = kind, .op = op};
    if (!op)
        return s;
    s->nin = op->noperands;
    s->nout = op->nresults;
    s->in = NEW_N(p->arena, const NvTile *, s->nin + 1);
    s->out = NEW_N(p->arena, const NvTile *, s->nout + 1);
    return s;
}

void nv_list(NvPlan *p, NvStep *s)
{
    vec_push(p->arena, &p->at->steps, s);
}

int nv_buffer(NvPlan *p, int64_t bytes)
{
    vec_push(p->arena, &p->buffers, (NvBuffer){.bytes = bytes});
    return p->buffers.len - 1;
}

void nv_use(NvPlan *p, NvStep *s, int buffer, bool write, bool late)
{
    NvUse use = {buffer, write, late};

    vec_push(p->arena, &s->uses, use);
}

void nv_refuse(NvPlan *p, const Op *op, const char *what)
{
    if (op)
        ir_diag(p->diags, DIAG_ERROR, op, "not yet on this target: %s", what);
    else
        diag(p->diags, DIAG_ERROR, p->func->span, "not yet on this target: %s", what);
    p->refused = true;
}

/* --- the whole --- */

static void find_largest(Op *op, void *largest)
{
    int64_t *most = largest;

    for (int i = 0; i < op->nresults; i++) {
        int64_t n = type_numel(op->results[i]->type);
        *most = MAX(*most, n);
    }
}

/* What is asked for; else so many that a thread has a few elements of the largest tile. */
static int choose_warps(const Func *f)
{
    enum { USUAL = 4, LARGE = 4096, PER_THREAD = 32 };
    int64_t largest = 1;
    int warps = USUAL;

    if (f->num_warps > 0)
        return f->num_warps;
    ir_walk(f->body, find_largest, &largest);
    while (warps > 1 && largest <= (int64_t)warps * NV_LANES / 2)
        warps /= 2;
    if (largest >= LARGE)
        warps *= 2;
    while (warps < NV_MOST_WARPS && largest / (warps * NV_LANES) > 2 * PER_THREAD)
        warps *= 2;
    return warps;
}

static int number_block(NvPlan *p, NvBlock *b, int next);

static int number_step(NvPlan *p, NvStep *s, int next)
{
    s->number = next++;
    for (int r = 0; r < COUNT(s->body); r++) {
        if (s->body[r])
            next = number_block(p, s->body[r], next);
    }
    return next;
}

static int number_block(NvPlan *p, NvBlock *b, int next)
{
    for (int i = 0; i < b->steps.len; i++)
        next = number_step(p, b->steps.at[i], next);
    return next;
}

static bool is_too_large(NvPlan *p)
{
    if (p->registers <= NV_MOST_REGISTERS)
        return false;
    diag(p->diags, DIAG_ERROR, p->func->span,
         "this kernel is too large: its tiles come to %lld registers of each thread, and at most "
         "%d go",
         (long long)p->registers, NV_MOST_REGISTERS);
    diag(p->diags, DIAG_HINT, (Span){0, 0},
         "use a smaller block and a loop, or ask for more warps (num_warps)");
    return true;
}

static bool has_too_many_warps(NvPlan *p)
{
    if (p->warps <= NV_MOST_WARPS)
        return false;
    diag(p->diags, DIAG_ERROR, p->func->span, "num_warps is %d; a GPU's block has at most %d",
         p->warps, NV_MOST_WARPS);
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

NvPlan *nv_plan_make(const Func *f, const GenOptions *o, Arena *a, Diags *d)
{
    NvPlan *p = NEW(a, NvPlan);

    *p = (NvPlan){.arena = a, .func = f, .options = o, .diags = d};
    p->chip = chip_number(o->cpu);
    p->resizes = p->chip >= 90 && is_for_one_chip(o->cpu);
    p->warps = choose_warps(f);
    if (has_too_many_warps(p))
        return NULL;
    p->axis = axis_analyse_trusting(f, a);
    p->bases = ir_pointer_bases(f, a);
    find_written(p);
    p->uses = ir_uses(f, a);
    p->values = NEW_N(a, NvValue, f->nvalues + 1);
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
    nv_raise(p);
    number_block(p, p->body, 0);
    nv_place(p);
    if (p->refused)
        return NULL;
    nv_slice(p);
    nv_find_early_loads(p);
    nv_choose_budget(p);
    return nv_verify(p) ? p : NULL;
}
