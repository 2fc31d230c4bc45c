/*
 * nv_slices.c - long tiles in slices, so that not all of their registers are in use at once
 *
 * A chain of loads, elementwise steps and stores needs no tile as a whole: what a store takes of
 * one register depends on few registers of each step in front of it.  Where all tiles together ask
 * for more registers than a thread should have, the steps of such a chain are done for some
 * registers of each, then for the next ones, and so on.  What is stored, or used behind the chain,
 * is cut by the highest bits of the register's number, which no vector of an access has; everything
 * else is computed in the first slice that asks for it, once.
 *
 * Blocks are powers of two, and what a row has often ends in the middle: where all stores have one
 * mask, slices are for threads alone that have something to store there.
 *
 * A slice that loads waits for memory by itself.  Where registers hold what all of them load, as
 * the words in which it comes, all loads of a chain stand in front of its slices (nv_words.c).
 *
 * Runs last, when barriers are in the plan.  A chain has none inside, so no two of its accesses to
 * memory meet, but for those of one thread to one element, whose order slices keep.
 */
#include "nv_schedule.h"

#include <string.h>

enum { NOBODY = INT16_MAX };

/* What makes one register of a step, with the others of its vector. */
typedef struct {
    int32_t step, reg;
} Event;

/* Some steps of a block, one behind the other. */
typedef struct {
    NvPlan *plan;
    const int32_t *uses; /* by tile: how often it is read in all of the plan */
    NvStep *const *steps;
    int count;
    int *inside;      /* by tile: how often it is read in the chain; else 0 */
    int16_t **slices; /* by tile that a step makes: in which slice each register is wanted */
    int32_t **last;   /* by tile that is read: which event reads each register last */
    Map *vectors; /* by layout: bits of the register's number that are in a vector of some access */
    const NvStep **loads; /* by tile: the load in front of the slices that gives it, in words */
    Event *events;        /* room for all */
} Chain;

/* --- what a step reads and makes --- */

const NvTile *nv_step_shape(const NvStep *s)
{
    for (int i = 0; i < s->nout; i++) {
        if (s->out[i])
            return s->out[i];
    }
    return s->kind == NV_STORE ? s->in[STORE_DATA] : NULL;
}

static int registers_of(const NvTile *t)
{
    return t->layout ? layout_registers(t->layout) : 1;
}

static bool is_live(const NvTile *t, int r)
{
    return !t->layout || layout_register_live(t->layout, (uint32_t)r);
}

static bool may_be_cut(const NvStep *s)
{
    switch (s->kind) {
    case NV_COMPUTE:
    case NV_LOAD:
    case NV_STORE:
        return nv_step_shape(s) != NULL && !s->once;
    case NV_CONVERT:
        return s->conversion->kind <= CONVERT_REGISTERS;
    default:
        return false;
    }
}

/* --- slices --- */

static bool leaves(const Chain *c, const NvTile *t)
{
    return c->uses[t->id] > c->inside[t->id];
}

/* Of 1 << bits slices, that of register r of what is stored or used later: its highest bits that no
 * vector has. */
static int slice_at(const Chain *c, const Layout *l, int bits, int r)
{
    if (!l)
        return 0;
    const uint32_t *vectors = map_get(c->vectors, MAP_KEY(l));
    uint32_t free = ((uint32_t)layout_registers(l) - 1) & ~(vectors ? *vectors : 0);
    int have = __builtin_popcount(free);
    uint32_t number = layout_extract((uint32_t)r, free);
    return (int)(have > bits ? number >> (have - bits) : number << (bits - have));
}

static void want(int16_t *slices, int r, int slice)
{
    slices[r] = (int16_t)MIN(slices[r], slice);
}

/* Registers of a vector, or fields of a record, are there at once. */
static void join_vectors(const NvStep *s, int16_t *slices, int n)
{
    uint32_t vector = nv_vector_bits(s);

    for (int r = 0; vector && r < n; r++)
        want(slices, r & ~(int)vector, slices[r]);
    for (int r = 0; vector && r < n; r++)
        slices[r] = slices[r & ~(int)vector];
}

/* From the users of a step to the step, then to what it reads. */
static void cut_step(const Chain *c, NvStep *s, int bits)
{
    const NvTile *shape = nv_step_shape(s);
    int n = registers_of(shape);
    bool all = s->kind == NV_STORE;
    int16_t *slices = s->slice_of;

    for (int r = 0; r < n; r++)
        slices[r] = NOBODY;
    for (int i = 0; i < s->nout; i++) {
        if (!s->out[i])
            continue;
        all |= leaves(c, s->out[i]);
        for (int r = 0; r < n; r++)
            want(slices, r, c->slices[s->out[i]->id][r]);
    }
    for (int r = 0; all && r < n; r++)
        want(slices, r, slice_at(c, shape->layout, bits, r));
    join_vectors(s, slices, n);
    for (int r = 0; r < n; r++) {
        for (int i = 0; i < s->nin && is_live(shape, r) && slices[r] != NOBODY; i++) {
            int from = nv_register_read(s, i, r);
            if (from >= 0 && c->slices[s->in[i]->id])
                want(c->slices[s->in[i]->id], from, slices[r]);
        }
    }
}

static void cut(const Chain *c, int bits)
{
    for (int i = 0; i < c->count; i++) {
        for (int k = 0; k < c->steps[i]->nout; k++) {
            const NvTile *t = c->steps[i]->out[k];
            for (int r = 0; t && r < registers_of(t); r++)
                c->slices[t->id][r] = NOBODY;
        }
    }
    for (int i = c->count; i-- > 0;)
        cut_step(c, c->steps[i], bits);
}

/* --- how many registers are in use --- */

/* All of a chain in the order in which a thread does them; returns how many. */
static int32_t list_events(const Chain *c, int slices, Event *out)
{
    int32_t begin[(1 << NV_MOST_HALVES) + 1] = {0};

    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < c->count; i++) {
            const NvStep *s = c->steps[i];
            const NvTile *shape = nv_step_shape(s);
            for (int r = 0; r < registers_of(shape); r++) {
                if (s->slice_of[r] == NOBODY || !is_live(shape, r))
                    continue;
                if (pass == 0)
                    begin[s->slice_of[r] + 1]++;
                else
                    out[begin[s->slice_of[r]]++] = (Event){i, r};
            }
        }
        for (int k = 0; pass == 0 && k < slices; k++)
            begin[k + 1] += begin[k];
    }
    return begin[slices - 1];
}

/* What a register takes: of what lies in words that of its word. */
static int words_of(const Chain *c, const NvTile *t, int r)
{
    const NvStep *load = c->loads[t->id];

    return load && (r & nv_within_word(load)) != 0 ? 0 : nv_register_words(c->plan, t);
}

/* Notes which event reads a register last.  Gives what those take that no step of the chain makes:
 * they are in use from the beginning on. */
static int64_t note_reads(const Chain *c, const Event *events, int32_t n)
{
    int64_t sum = 0;

    for (int32_t e = 0; e < n; e++) {
        const NvStep *s = c->steps[events[e].step];
        for (int i = 0; i < s->nin; i++) {
            int from = nv_register_read(s, i, events[e].reg);
            if (from < 0)
                continue;
            int32_t *last = &c->last[s->in[i]->id][from];
            if (*last < 0 && !c->slices[s->in[i]->id])
                sum += words_of(c, s->in[i], from);
            *last = leaves(c, s->in[i]) ? INT32_MAX : e;
        }
    }
    return sum;
}

/* The most that are in use at once when the chain is cut into 1 << bits slices. */
static int64_t registers_in_use(const Chain *c, int bits)
{
    int32_t n;
    int64_t now, most;

    cut(c, bits);
    for (int i = 0; i < c->count; i++) {
        for (int k = 0; k < c->steps[i]->nin; k++) {
            const NvTile *t = c->steps[i]->in[k];
            if (t)
                memset(c->last[t->id], 0xff, sizeof(int32_t) * (size_t)registers_of(t));
        }
    }
    n = list_events(c, 1 << bits, c->events);
    most = now = note_reads(c, c->events, n);
    for (int32_t e = 0; e < n; e++) {
        const NvStep *s = c->steps[c->events[e].step];
        for (int i = 0; i < s->nout; i++)
            now += s->out[i] ? nv_register_words(c->plan, s->out[i]) : 0;
        most = MAX(most, now);
        for (int i = 0; i < s->nin; i++) {
            int from = nv_register_read(s, i, c->events[e].reg);
            if (from < 0 || c->last[s->in[i]->id][from] != e)
                continue;
            now -= words_of(c, s->in[i], from);
            c->last[s->in[i]->id][from] = INT32_MAX; /* not twice */
        }
    }
    return most;
}

/* --- chains --- */

/* What a thread of such a block can have. */
static int64_t most_registers(const NvPlan *p)
{
    return MIN(p->chip->own_registers, p->chip->registers / (nv_thread_count(p)));
}

bool nv_takes_many(const NvPlan *p, int64_t registers)
{
    return registers > most_registers(p) * 2 / 3;
}

static int64_t all_registers(const Chain *c)
{
    int64_t sum = 0;

    for (int i = 0; i < c->count; i++) {
        for (int k = 0; k < c->steps[i]->nout; k++) {
            const NvTile *t = c->steps[i]->out[k];
            sum += t ? (int64_t)nv_register_words(c->plan, t) * registers_of(t) : 0;
        }
    }
    return sum;
}

/* How often to halve the tiles: as seldom as makes the chain short, or else does nearly all that
 * can be done, for what is read at once is waited for once. */
static int choose_slices(const Chain *c)
{
    int64_t now[NV_MOST_HALVES + 1], fair = most_registers(c->plan) * 3 / 8, least;
    int n = 0, best = 0;

    now[0] = least = registers_in_use(c, 0);
    if (!nv_takes_many(c->plan, least))
        return 0;
    while (n < NV_MOST_HALVES && now[n] > fair) {
        n++;
        now[n] = registers_in_use(c, n);
        least = MIN(least, now[n]);
    }
    if (least > now[0] - now[0] / 8)
        return 0;
    if (least > fair)
        fair = MAX(most_registers(c->plan) * 2 / 3, least + least / 8);
    while (now[best] > fair)
        best++;
    return best;
}

/* The same of a chain whose loads stand in front of it, where two programs have registers for them,
 * or else one has; 0: they do not fit. */
static int choose_behind_loads(const Chain *c)
{
    int64_t most = most_registers(c->plan), now[NV_MOST_HALVES + 1];
    int64_t two = MIN(most, c->plan->chip->registers / nv_thread_count(c->plan) / 2);
    const int64_t rooms[] = {two * 3 / 4, most * 2 / 3};

    for (int n = 1; n <= NV_MOST_HALVES; n++)
        now[n] = registers_in_use(c, n);
    for (int i = 0; i < COUNT(rooms); i++) {
        for (int n = 1; n <= NV_MOST_HALVES; n++) {
            if (now[n] <= rooms[i])
                return n;
        }
    }
    return 0;
}

static void note_vector(Chain *c, const NvStep *s)
{
    const Layout *l = nv_step_shape(s)->layout;
    uint32_t *bits = map_get(c->vectors, MAP_KEY(l));

    if (!bits) {
        bits = NEW(c->plan->arena, uint32_t);
        map_put(c->vectors, MAP_KEY(l), bits);
    }
    *bits |= nv_vector_bits(s);
}

static void begin_chain(Chain *c)
{
    NvPlan *p = c->plan;
    int64_t events = 0;

    c->vectors = map_new(p->arena);
    for (int i = 0; i < c->count; i++) {
        NvStep *s = c->steps[i];
        int n = registers_of(nv_step_shape(s));
        if (s->access && s->access->vector_bits > 0)
            note_vector(c, s);
        events += n;
        s->slice_of = NEW_N(p->arena, int16_t, n);
        for (int k = 0; k < s->nout; k++) {
            if (s->out[k])
                c->slices[s->out[k]->id] = NEW_N(p->arena, int16_t, n);
        }
        for (int k = 0; k < s->nin; k++) {
            if (s->in[k] && c->inside[s->in[k]->id]++ == 0)
                c->last[s->in[k]->id] = NEW_N(p->arena, int32_t, registers_of(s->in[k]));
        }
    }
    c->events = NEW_N(p->arena, Event, events);
}

/* The chain is cut. */
static void end_chain(Chain *c)
{
    for (int i = 0; i < c->count; i++) {
        for (int k = 0; k < c->steps[i]->nout; k++) {
            if (c->steps[i]->out[k])
                c->slices[c->steps[i]->out[k]->id] = NULL;
        }
        for (int k = 0; k < c->steps[i]->nin; k++) {
            if (c->steps[i]->in[k])
                c->inside[c->steps[i]->in[k]->id] = 0;
        }
    }
}

/* It is not, or will be otherwise. */
static void forget_chain(Chain *c)
{
    end_chain(c);
    for (int i = 0; i < c->count; i++)
        c->steps[i]->slice_of = NULL;
}

/* --- slices beyond the end of a row --- */

/* The mask of all stores of tiles in the chain, when it is made in front of the chain. */
static const NvTile *mask_of_stores(const Chain *c)
{
    const NvTile *mask = NULL;

    for (int i = 0; i < c->count; i++) {
        const NvStep *s = c->steps[i];
        const NvTile *m = s->kind == NV_STORE ? s->in[STORE_MASK] : NULL;
        if (s->kind != NV_STORE || !nv_step_shape(s)->layout)
            continue;
        if (!m || c->slices[m->id] || (mask && m != mask))
            return NULL;
        mask = m;
    }
    return mask;
}

/* How many slices there are, from the first one on, behind which nobody reads what a slice makes
 * but that slice itself. */
static int filled_slices(const Chain *c, int slices)
{
    int filled = 0;

    for (int i = 0; i < c->count; i++) {
        const NvStep *s = c->steps[i];
        const NvTile *shape = nv_step_shape(s);
        for (int r = 0; r < registers_of(shape); r++) {
            bool whole = s->kind == NV_STORE && !shape->layout;
            if (s->slice_of[r] == NOBODY || !is_live(shape, r))
                continue;
            for (int k = 0; k < s->nout; k++)
                whole |= s->out[k] && leaves(c, s->out[k]);
            if (whole)
                filled = MAX(filled, s->slice_of[r] + 1);
            for (int k = 0; k < s->nin; k++) {
                int from = nv_register_read(s, k, r);
                const int16_t *made = from >= 0 ? c->slices[s->in[k]->id] : NULL;
                if (made && made[from] != s->slice_of[r])
                    filled = MAX(filled, made[from] + 1);
            }
        }
    }
    return MIN(filled, slices);
}

/* Blocks are powers of two and rows are not: a thread that stores nothing in a slice need not do
 * it. Not where something is loaded, which is to be asked for at once. */
static void leave_out_slices(const Chain *c, NvStep *s)
{
    const NvTile *mask = mask_of_stores(c);

    for (int i = 0; i < c->count; i++) {
        if (c->steps[i]->kind == NV_LOAD)
            return;
    }
    s->filled = mask ? filled_slices(c, s->slices) : s->slices;
    s->inside = s->filled < s->slices ? mask : NULL;
}

/* The step that does all of the chain in 1 << bits slices. */
static NvStep *slices_of(const Chain *c, int bits)
{
    NvStep *s = nv_step(c->plan, NV_SLICES, NULL);

    cut(c, bits);
    s->body[0] = NEW(c->plan->arena, NvBlock);
    s->slices = 1 << bits;
    for (int i = 0; i < c->count; i++) {
        const NvTile *t = c->steps[i]->nout > 0 ? c->steps[i]->out[0] : NULL;
        c->steps[i]->leaves = t && t->layout && leaves(c, t) && nv_register_words(c->plan, t) > 0;
        vec_push(c->plan->arena, &s->body[0]->steps, c->steps[i]);
    }
    leave_out_slices(c, s);
    return s;
}

/* The steps of the chain, its loads first; *first: how many stand in front of slices. */
static NvStep *slices_behind_loads(Chain *c, int *first)
{
    NvStep **steps = NEW_N(c->plan->arena, NvStep *, c->count), *s = NULL;
    Chain rest = *c;

    *first = nv_loads_first(c->plan, c->steps, c->count, steps);
    rest.steps = steps + *first;
    rest.count -= *first;
    if (*first == 0 || rest.count < 2)
        return NULL;
    for (int i = 0; i < *first; i++) {
        if (steps[i]->kind == NV_LOAD)
            c->loads[steps[i]->out[0]->id] = steps[i];
    }
    begin_chain(&rest);
    int bits = choose_behind_loads(&rest);
    if (bits > 0) {
        s = slices_of(&rest, bits);
        for (int i = 0; i < *first; i++)
            steps[i]->words = steps[i]->kind == NV_LOAD && nv_within_word(steps[i]) != 0 &&
                              !leaves(&rest, steps[i]->out[0]);
        c->steps = steps;
        end_chain(&rest);
    } else {
        forget_chain(&rest);
    }
    return s;
}

/* The step that does the chain but for its first steps, or NULL: it stays as it is. */
static NvStep *cut_chain(Chain *c, int *first)
{
    NvStep *s = NULL;

    *first = 0;
    int corners = nv_halves_of_corners(c->plan, c->steps, c->count);
    if (corners == 0 && !nv_takes_many(c->plan, all_registers(c)))
        return NULL;
    begin_chain(c);
    int bits = choose_slices(c);
    forget_chain(c);
    if (MAX(bits, corners) == 0)
        return NULL;
    if (corners == 0)
        s = slices_behind_loads(c, first);
    if (s)
        return s;
    *first = 0;
    begin_chain(c);
    s = slices_of(c, MAX(bits, corners));
    end_chain(c);
    return s;
}

static void slice_block(Chain *c, NvBlock *b)
{
    NvBlock out = {0};

    for (int i = 0; i < b->steps.len;) {
        NvStep *s = b->steps.at[i];
        int first = 0;
        for (int r = 0; s->kind != NV_REDUCE && s->kind != NV_SCAN && r < COUNT(s->body); r++) {
            if (s->body[r])
                slice_block(c, s->body[r]);
        }
        c->steps = &b->steps.at[i];
        for (c->count = 0; i + c->count < b->steps.len && may_be_cut(c->steps[c->count]);)
            c->count++;
        NvStep *whole = c->count > 1 ? cut_chain(c, &first) : NULL;
        int n = whole ? first : MAX(c->count, 1);
        for (int k = 0; k < n; k++)
            vec_push(c->plan->arena, &out.steps, c->steps[k]);
        if (whole)
            vec_push(c->plan->arena, &out.steps, whole);
        i += MAX(c->count, 1);
    }
    b->steps.at = out.steps.at;
    b->steps.len = out.steps.len;
    b->steps.cap = out.steps.cap;
}

static void count_uses(const NvBlock *b, int32_t *uses)
{
    for (int i = 0; i < b->nends; i++) {
        if (b->ends[i])
            uses[b->ends[i]->id]++;
    }
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->nin; k++) {
            if (s->in[k])
                uses[s->in[k]->id]++;
        }
        if (s->ahead)
            count_uses(&s->ahead->steps, uses);
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                count_uses(s->body[r], uses);
        }
    }
}

void nv_slice(NvPlan *p)
{
    int n = p->tiles.len + 1;
    int32_t *uses = NEW_N(p->arena, int32_t, n);
    Chain c = {.plan = p,
               .uses = uses,
               .inside = NEW_N(p->arena, int, n),
               .slices = NEW_N(p->arena, int16_t *, n),
               .last = NEW_N(p->arena, int32_t *, n),
               .loads = NEW_N(p->arena, const NvStep *, n)};

    count_uses(p->body, uses);
    slice_block(&c, p->body);
}
