/*
 * nv_budget.c - how many programs shall share a multiprocessor, which is how many registers a
 * thread may have
 *
 * Left alone, the assembler takes as few registers as it can, and loads what a row needs behind its
 * reductions piece by piece, each piece waiting for memory by itself.  Told how many programs there
 * shall be, it uses what they leave.  Where nothing is loaded there, it is not told, but asked
 * again if it has left no room for a second program (device_cuda/budget.c).  What a program without
 * loops keeps over its barriers, or its widest tile, tells how many fit; what else it needs comes
 * and goes.
 *
 * Likewise in a loop whose rounds load what the next one reads (../opt_target/ahead.c): left alone,
 * the assembler puts these loads to the round's end, where their registers are free again, and the
 * next round begins by waiting for them.  Told how many programs there shall be, it puts them to
 * the front.
 *
 * The other way round, of programs that only stream, load much, compute little and store, two are
 * enough where each by itself brings all the loads that keep the memory busy: one loads while the
 * other stores.  With a third one, loads wait in queues and reads and writes interleave worse.  PTX
 * cannot say how many programs there shall be at most, but chips with `setmaxnreg` give a kernel
 * that uses it as many registers as its directive names, needed or not.
 *
 * Where the launch says how many registers a thread may have (`maxnreg`), that is all that counts.
 * A program whose warps hand registers to each other has them dealt out already.
 *
 * The plan is whole, barriers and all.
 */
#include "nv_ring.h"

/* Tiles that one step makes and another one reads, by numbers of steps. */
typedef struct {
    int made, read;
} Life;

static int64_t registers_of(const NvTile *t)
{
    return (int64_t)layout_registers(t->layout) * (type_size(t->value->type) > 4 ? 2 : 1);
}

/* Registers that hold data: masks are in others, addresses and indices are made where they are
 * used. */
static int64_t data_registers(const NvPlan *p, const NvTile *t)
{
    const Type *type = t->value->type;

    if (!t->layout || type->pointer || type->dtype == DT_I1 || !nv_home(p, t->value))
        return 0;
    return registers_of(t);
}

/* Step number i of the kernel; what goes by slices is one step.  False: it has steps within of
 * which nobody knows how often they are done, or multiplies, which is planned register by register.
 */
static bool note_life(const NvStep *s, int i, Life *lives)
{
    if (s->kind == NV_DOT ||
        (s->body[0] && s->kind != NV_REDUCE && s->kind != NV_SCAN && s->kind != NV_SLICES))
        return false;
    for (int k = 0; k < s->nin; k++) {
        if (s->in[k])
            lives[s->in[k]->id].read = i;
    }
    for (int k = 0; k < s->nout; k++) {
        if (s->out[k])
            lives[s->out[k]->id].made = i;
    }
    for (int k = 0; s->kind == NV_SLICES && k < s->body[0]->steps.len; k++) {
        if (!note_life(s->body[0]->steps.at[k], i, lives))
            return false;
    }
    return true;
}

/* NULL: nobody knows. */
static const Life *lives_of(const NvPlan *p)
{
    Life *lives = NEW_N(p->arena, Life, p->tiles.len + 1);

    for (int i = 0; i < p->body->steps.len; i++) {
        if (!note_life(p->body->steps.at[i], i, lives))
            return NULL;
    }
    return lives;
}

static bool waits_within(const NvStep *s)
{
    return s->kind != NV_BARRIER && nv_meets(&s->within);
}

/* The most that stays in registers over a barrier; 0: there is none. */
static int64_t kept_registers(const NvPlan *p, const Life *lives)
{
    int64_t *change = NEW_N(p->arena, int64_t, p->body->steps.len + 1), kept = 0, most = 0;

    for (int t = 0; t < p->tiles.len; t++) {
        int64_t n = data_registers(p, p->tiles.at[t]);
        if (lives[t].made + 1 >= lives[t].read)
            continue;
        change[lives[t].made + 1] += n;
        change[lives[t].read] -= n;
    }
    for (int i = 0; i < p->body->steps.len; i++) {
        kept += change[i];
        if (waits_within(p->body->steps.at[i]))
            most = MAX(most, kept);
    }
    return most;
}

/* Is data loaded behind a barrier, so that there is something to gather? */
static bool loads_behind_barrier(const NvPlan *p)
{
    bool synced = false;

    for (int i = 0; i < p->body->steps.len; i++) {
        const NvStep *s = p->body->steps.at[i];
        if (synced && s->kind == NV_LOAD && data_registers(p, s->out[0]) > 0)
            return true;
        synced = synced || waits_within(s);
    }
    return false;
}

static int64_t widest_tile(const NvPlan *p)
{
    int64_t most = 0;

    for (int t = 0; t < p->tiles.len; t++) {
        int64_t n = data_registers(p, p->tiles.at[t]);
        most = MAX(most, n);
    }
    return most;
}

/* All tiles that a scan has at once, in whose place comes what it makes: of those of several. */
static int64_t scanned_registers(const NvPlan *p)
{
    int64_t most = 0;

    for (int i = 0; i < p->body->steps.len; i++) {
        const NvStep *s = p->body->steps.at[i];
        int64_t n = 0;
        for (int k = 0; s->kind == NV_SCAN && s->nin > 1 && k < s->nin; k++)
            n += registers_of(s->in[k]);
        most = MAX(most, n);
    }
    return most;
}

enum {
    UNIT = 8,      /* of registers that a thread has; */
    ALWAYS = 16,   /* what any thread needs */
    WORD = 4,      /* bytes of one */
    THREADS = 1536 /* of every chip's multiprocessor */
};

static int64_t in_units(int64_t registers)
{
    return (registers + UNIT - 1) / UNIT * UNIT;
}

/* So many programs that what is loaded behind a barrier goes in few batches; 0: as it comes. */
static int together(const NvPlan *p, const Life *lives)
{
    int64_t kept = kept_registers(p, lives), threads = (int64_t)nv_thread_count(p);

    if (kept == 0 || !loads_behind_barrier(p))
        return 0;
    kept = MAX(kept, widest_tile(p));
    int64_t by_shared = p->chip->shared / MAX(p->shared, 1);
    int64_t each = in_units(MAX(kept + kept / 4, scanned_registers(p)) + ALWAYS);
    return (int)MIN(MIN(p->chip->registers / each, THREADS) / threads, by_shared);
}

/* What a round has in registers if it loads first what the next one reads, in all loops of a block
 * the most; 0: none does. */
static int64_t ahead_registers(const NvPlan *p, const NvBlock *b)
{
    int64_t most = 0;

    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        int64_t carried = 0, loaded = 0;
        for (int r = 0; r < COUNT(s->body) && s->kind != NV_REDUCE && s->kind != NV_SCAN; r++)
            most = MAX(most, s->body[r] ? ahead_registers(p, s->body[r]) : 0);
        for (int k = 0; s->kind == NV_FOR && k < s->body[0]->nends; k++) {
            int64_t n = data_registers(p, s->body[0]->ends[k]);
            if (nv_carries_words(s, k))
                n = n * type_size(s->body[0]->ends[k]->value->type) / WORD;
            carried += n;
            loaded += nv_load_of(s->body[0], s->body[0]->ends[k]) ? n : 0;
        }
        most = MAX(most, loaded > 0 ? carried + loaded : 0);
    }
    return most;
}

/* The widest tile that a block makes, of those that go by slices what a slice makes. */
static int64_t widest_made(const NvPlan *p, const NvBlock *b, int slices)
{
    int64_t most = 0;

    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->nout; k++)
            most = MAX(most, s->out[k] ? data_registers(p, s->out[k]) / slices : 0);
        for (int r = 0; r < COUNT(s->body); r++)
            most = MAX(most, s->body[r] ? widest_made(p, s->body[r], MAX(s->slices, 1)) : 0);
    }
    return most;
}

/* So many programs that rounds may begin with the next one's loads; 0: as it comes. */
static int together_in_loops(const NvPlan *p)
{
    enum { LEAST = 2 };
    int64_t kept = ahead_registers(p, p->body), threads = (int64_t)nv_thread_count(p);
    int64_t each = in_units(kept + widest_made(p, p->body, 1) + ALWAYS);
    int64_t fit = MIN(p->chip->registers / each, THREADS);

    return kept > 0 && fit / threads >= LEAST ? (int)(fit / threads) : 0;
}

/* Two, where programs wait at barriers with something in registers and two fit by all but these,
 * or two or three, as many as fit by what products of a ring's tiles need, which are often computed
 * with between these; 0: as it comes. */
static int wished(const NvPlan *p, const Life *lives)
{
    enum { TWO = 2, MOST = 3 };
    int64_t fitting = p->ring && p->ring->registers == 0 ? nv_programs_by_registers(p) : 0;

    if (fitting >= TWO)
        fitting = MIN(fitting, nv_programs_by_shared(p, p->shared));
    if (fitting >= TWO)
        return (int)MIN(fitting, MOST);
    if (!lives)
        return 0;
    bool fit = nv_thread_count(p) <= p->chip->threads / TWO && p->shared <= p->chip->shared / TWO;

    return fit && kept_registers(p, lives) > 0 ? TWO : 0;
}

/* --- programs that stream --- */

static bool is_light(const Op *op)
{
    switch (op->code) {
    case OP_div:
    case OP_rem:
    case OP_sqrt:
        return false;
    default:
        return op_is_elementwise(op) && !op_has(op, APPROX | TOWARD);
    }
}

/* What a program does that loads, all of it at once and in vectors, computes little, and stores. */
typedef struct {
    int64_t bytes;     /* that it loads; 0: it does other things */
    int64_t registers; /* of a thread, that these come to */
} Stream;

static bool is_streaming(const NvPlan *p, const NvStep *s)
{
    bool computes = s->nout > 0 && s->out[0] && data_registers(p, s->out[0]) > 0;

    if (nv_meets(&s->within) || nv_meets(&s->before))
        return false;
    switch (s->kind) {
    case NV_COMPUTE:
        return !computes || is_light(s->op);
    case NV_LOAD:
        return s->out[0] && (!s->out[0]->layout || s->access->vector_bits > 0);
    case NV_STORE:
        return s->access->vector_bits > 0;
    default:
        return false;
    }
}

static Stream stream_of(const NvPlan *p)
{
    enum { LIGHT = 4 }; /* registers computed for each that is loaded */
    Stream found = {0, 0};
    int64_t work = 0;

    for (int i = 0; i < p->body->steps.len; i++) {
        const NvStep *s = p->body->steps.at[i];
        const NvTile *t = s->nout > 0 ? s->out[0] : NULL;
        if (!is_streaming(p, s))
            return (Stream){0, 0};
        if (!t || !t->layout)
            continue;
        *(s->kind == NV_LOAD ? &found.registers : &work) += data_registers(p, t);
        if (s->kind == NV_LOAD)
            found.bytes += type_numel(t->value->type) * type_size(t->value->type);
    }
    return work <= LIGHT * found.registers ? found : (Stream){0, 0};
}

/* The registers of a thread with which two programs fit and no third one; 0: as it comes.  Measured
 * on an H200: kernels are fastest with 40 to 64 KiB of loads on their way to a multiprocessor. */
static int room_for_two(const NvPlan *p)
{
    enum { BUSY = 64 << 10, LEAST_WARPS = 8, TOGETHER = 2 };
    Stream s = stream_of(p);
    int64_t threads = (int64_t)nv_thread_count(p), room = p->chip->registers / TOGETHER / threads;
    int64_t third = p->chip->registers / (TOGETHER + 1) / threads;

    if (s.bytes < BUSY || !chip_has(p->chip, CHIP_SET_REGISTERS) || p->warps < LEAST_WARPS ||
        room < in_units(s.registers + s.registers / 4 + ALWAYS))
        return 0;
    return in_units(s.registers + UNIT) <= third ? (int)room : 0;
}

static void find_product(Op *op, void *found)
{
    *(bool *)found |= op->code == OP_dot;
}

/* Bytes that a thread may spill for a second program: what is computed behind a loop of products is
 * done while the other one multiplies.  Measured on an H200, where a product with a bias, GELU and
 * a residual takes 188 us so with 208 of them, and 262 alone on its multiprocessor with none. */
enum { SPILLS = 64, SPILLS_BESIDE_RING = 256 };

void nv_choose_budget(NvPlan *p)
{
    const Life *lives = lives_of(p);
    bool multiplies = false;

    ir_walk(p->func->body, find_product, &multiplies);
    bool dealt = p->ring && p->ring->registers > 0;
    p->most = dealt ? 0 : p->func->maxnreg;
    if (p->most > 0)
        return;
    p->crowds = !multiplies && !p->ring;
    p->in_loops = !lives && !multiplies;
    p->together = lives ? together(p, lives) : p->in_loops ? together_in_loops(p) : 0;
    p->wished = p->together == 0 ? wished(p, lives) : 0;
    p->worth = p->ring ? SPILLS_BESIDE_RING : SPILLS;
    p->room = p->together == 0 ? room_for_two(p) : 0;
    if (p->options->budget != GEN_BUDGET_PLAN) {
        p->together = MAX(p->options->budget, 0);
        p->room = 0;
    }
}
