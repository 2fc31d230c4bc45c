/*
 * pace.c - how long a warp would take by itself, and what it waits for: a model, not a clock
 *
 * Where work is counted each warp has a clock.  An instruction begins when the registers that it
 * reads are there, and takes a cycle; what it writes is there as much later as its unit takes.  The
 * cycles between are a wait for what the last of these registers comes from.  A barrier opens at
 * the clock of the last warp that comes, as does a phase of an mbarrier; copies arrive as loads do.
 * Nothing else is in the way: other warps, queues, caches and the assembler's order are not known,
 * and neither is what wgmma waits for.  docs/simulator.md says what that is good for.
 *
 * Latencies are those of an H100 as microbenchmarks of it find them, rounded.
 */
#include <stdlib.h>
#include <string.h>

#include "execute.h"

typedef enum { OF_NOTHING, OF_MATH, OF_PRODUCT, OF_SHARED, OF_MEMORY } Origin;
enum { MATH_CYCLES = 4, SHARED_CYCLES = 30, TENSOR_CYCLES = 32, MEMORY_CYCLES = 800 };
enum { MOST_GROUPS_OPEN = 8 };

struct Pace {
    uint64_t now;
    uint64_t asked;                    /* when all copies that are not committed have arrived .. */
    uint64_t groups[MOST_GROUPS_OPEN]; /* .. and those of the last groups, in a ring */
    uint32_t committed;
    uint32_t nplaces;
    uint64_t *ready; /* when what is at each place of the register file is there, */
    uint8_t *origin; /* and where it comes from */
};

/* clang-format off */
/*   does it          unit             its result comes from, cycles later   */
#define UNITS(U)                                                                                   \
    U(rcp_f32,        special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(rcp_f64,        special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(sqrt_f32,       special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(sqrt_f64,       special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(rsqrt_f32,      special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(rsqrt_f64,      special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(div_f32,        special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(div_f64,        special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(ex2_f32,        special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(half_ex2_f,     special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(half_ex2_fx2,   special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(lg2_f32,        special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(sin_f32,        special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(cos_f32,        special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(tanh_f32,       special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(half_tanh_f,    special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(half_tanh_fx2,  special,         OF_SHARED,    SHARED_CYCLES)                                \
    U(matrix_mma,     tensor,          OF_MATH,      TENSOR_CYCLES)                                \
    U(matrix_mma8,    tensor,          OF_MATH,      TENSOR_CYCLES)                                \
    U(wgmma_mma,      tensor,          OF_MATH,      MATH_CYCLES)                                  \
    U(wgmma_mma_registers, tensor,     OF_MATH,      MATH_CYCLES)                                  \
    U(mul_f32,        none,            OF_PRODUCT,   MATH_CYCLES)                                  \
    U(mul_f32_full,   none,            OF_PRODUCT,   MATH_CYCLES)                                  \
    U(mul_f64,        none,            OF_PRODUCT,   MATH_CYCLES)                                  \
    U(half_mul_f,     none,            OF_PRODUCT,   MATH_CYCLES)                                  \
    U(half_mul_fx2,   none,            OF_PRODUCT,   MATH_CYCLES)                                  \
    U(add_f32,        adds,            OF_MATH,      MATH_CYCLES)                                  \
    U(add_f32_full,   adds,            OF_MATH,      MATH_CYCLES)                                  \
    U(add_f64,        adds,            OF_MATH,      MATH_CYCLES)                                  \
    U(half_add_f,     adds,            OF_MATH,      MATH_CYCLES)                                  \
    U(half_add_fx2,   adds,            OF_MATH,      MATH_CYCLES)                                  \
    U(sub_f32,        adds,            OF_MATH,      MATH_CYCLES)                                  \
    U(sub_f32_full,   adds,            OF_MATH,      MATH_CYCLES)                                  \
    U(sub_f64,        adds,            OF_MATH,      MATH_CYCLES)                                  \
    U(half_sub_f,     adds,            OF_MATH,      MATH_CYCLES)                                  \
    U(half_sub_fx2,   adds,            OF_MATH,      MATH_CYCLES)                                  \
    U(matrix_load,    none,            OF_SHARED,    SHARED_CYCLES)                                \
    U(exchange_shfl,  none,            OF_SHARED,    SHARED_CYCLES)                                \
    U(move_load,      loads,           OF_MEMORY,    MEMORY_CYCLES)                                \
    U(atomic_atom,    loads,           OF_MEMORY,    MEMORY_CYCLES)
/* clang-format on */

typedef enum { UNIT_none, UNIT_special, UNIT_tensor, UNIT_adds, UNIT_loads } UnitName;
typedef struct {
    Execute *run;
    UnitName unit;
    Origin origin;
    int cycles;
} Unit;
#define AS_UNIT(run, unit, origin, cycles) {run, UNIT_##unit, origin, cycles},
static const Unit units[] = {{NULL, UNIT_none, OF_MATH, MATH_CYCLES}, UNITS(AS_UNIT)};

void pace_mark(SimModule *m)
{
    for (int i = 0; i < m->code.len; i++) {
        for (int k = 1; k < COUNT(units); k++) {
            if (units[k].run == m->code.at[i].run)
                m->code.at[i].unit = (uint8_t)k;
        }
    }
}

/* What a load waits for depends on which memory it is of. */
static Unit unit_of(const Inst *in)
{
    Unit u = units[in->unit];

    if (u.unit != UNIT_loads || in->space == SPACE_GLOBAL || in->space == SPACE_GENERIC ||
        in->space == SPACE_LOCAL)
        return u;
    return in->space == SPACE_SHARED ? (Unit){u.run, u.unit, OF_SHARED, SHARED_CYCLES} : units[0];
}

bool pace_open(Warp *w)
{
    uint32_t n = w->module->file_bytes / FILE_ALIGN + 1;
    Pace *p = calloc(1, sizeof *p);

    w->pace = p;
    if (!p)
        return false;
    p->nplaces = n;
    p->ready = calloc(n, sizeof *p->ready);
    p->origin = calloc(n, sizeof *p->origin);
    return p->ready && p->origin;
}

void pace_close(Warp *w)
{
    if (!w->pace)
        return;
    free(w->pace->ready);
    free(w->pace->origin);
    free(w->pace);
}

void pace_start(Warp *w)
{
    Pace *p = w->pace;

    if (!p)
        return;
    p->now = p->asked = 0;
    p->committed = 0;
    memset(p->groups, 0, sizeof p->groups);
    memset(p->ready, 0, p->nplaces * sizeof *p->ready);
}

static void wait_until(Pace *p, WorkCount *c, uint64_t at, Origin origin)
{
    if (at <= p->now)
        return;
    c->cycles += at - p->now;
    c->memory_waits += origin == OF_MEMORY ? at - p->now : 0;
    c->shared_waits += origin == OF_SHARED ? at - p->now : 0;
    p->now = at;
}

/* --- instructions --- */

typedef struct {
    uint64_t at;
    Origin origin;
    bool product; /* one of them was just multiplied */
} Needed;

static void need(const Pace *p, Needed *n, uint32_t place)
{
    if (place == NO_OPERAND)
        return;
    place /= FILE_ALIGN;
    n->product |= p->origin[place] == OF_PRODUCT;
    if (p->ready[place] <= n->at)
        return;
    n->at = p->ready[place];
    n->origin = p->origin[place];
}

static Needed needed_by(const Pace *p, const Inst *in)
{
    Needed n = {0};

    for (int i = in->results; i < in->nops; i++)
        need(p, &n, in->op[i]);
    for (int i = 0; i < COUNT(in->at); i++)
        need(p, &n, in->at[i].base ? in->at[i].base : NO_OPERAND);
    need(p, &n, in->guard);
    return n;
}

static void give(Pace *p, const Inst *in, const Unit *u)
{
    for (int i = 0; i < in->results; i++) {
        if (in->op[i] == NO_OPERAND)
            continue;
        p->ready[in->op[i] / FILE_ALIGN] = p->now + (uint64_t)u->cycles;
        p->origin[in->op[i] / FILE_ALIGN] = (uint8_t)u->origin;
    }
}

/* cp.async: arrives as a load does; groups are in order, so one has arrived with those before. */
static void step_copies(Pace *p, WorkCount *c, const Inst *in)
{
    if (in->run == copy_async || in->run == copy_async_ignore)
        p->asked = p->now + MEMORY_CYCLES;
    if (in->run == copy_commit || in->run == copy_wait_all)
        p->groups[p->committed++ % MOST_GROUPS_OPEN] = p->asked;
    uint32_t open = in->run == copy_wait_group ? (uint32_t)in->number : 0;
    if ((in->run != copy_wait_group && in->run != copy_wait_all) || open >= p->committed ||
        open >= MOST_GROUPS_OPEN)
        return;
    wait_until(p, c, p->groups[(p->committed - 1 - open) % MOST_GROUPS_OPEN], OF_MEMORY);
}

void pace_step(Warp *w, const Inst *in, WorkCount *c)
{
    const Unit u = unit_of(in);
    Pace *p = w->pace;
    const Needed n = needed_by(p, in);

    c->special += u.unit == UNIT_special;
    c->tensor += u.unit == UNIT_tensor;
    c->apart += u.unit == UNIT_adds && n.product;
    wait_until(p, c, n.at, n.origin);
    step_copies(p, c, in);
    p->now++;
    c->cycles++;
    give(p, in, &u);
}

/* --- barriers --- */

void pace_arrive(const Warp *w, Barrier *b)
{
    if (w->pace)
        b->latest = MAX(b->latest, w->pace->now);
}

static void meet(Warp *w, uint64_t at, Origin origin)
{
    if (!w->pace || at <= w->pace->now)
        return;
    WorkCount *c = &w->worker->counts[w->inst - w->module->code.at];
    c->barrier_waits += origin == OF_NOTHING ? at - w->pace->now : 0;
    wait_until(w->pace, c, at, origin);
}

void pace_leave(Warp *w, const Barrier *b)
{
    meet(w, b->latest, OF_NOTHING);
}

uint64_t pace_now(const Warp *w)
{
    return w->pace ? w->pace->now : 0;
}

uint64_t pace_copied(const Warp *w)
{
    return pace_now(w) + MEMORY_CYCLES;
}

void pace_wait(Warp *w, const Mbarrier *m)
{
    meet(w, m->ended, m->was_copy ? OF_MEMORY : OF_NOTHING);
}
