/*
 * mbarrier.c - mbarrier objects: warps that wait for each other's arrivals, and for bytes
 *
 * An object lies in 8 bytes of shared memory, whose bits are nobody's business: what it counts is
 * kept beside.  A phase ends when as many have arrived as it expects and copies have brought all
 * bytes that were told of; the next one begins at once.  Who waits knows from then on what those
 * did who came.  Copies arrive when somebody waits for them, as late as may be.
 *
 * try_wait waits, as long as it takes: a chip gives up after some time, and programs ask again.
 * Where nobody can run, it never comes, and the launch stops.
 */
#include "execute.h"

static Mbarrier *search(const Block *b, uint32_t at)
{
    for (int i = 0; i < b->mbarriers.len; i++) {
        if (b->mbarriers.at[i].at == at)
            return &b->mbarriers.at[i];
    }
    return NULL;
}

Mbarrier *mbarrier_at(Warp *w, int lane, uint64_t address)
{
    Mbarrier *m = search(w->block, (uint32_t)address);

    if (!m)
        fault(w, SIM_SYNC, lane, "there is no mbarrier at byte %u of shared memory",
              (uint32_t)address);
    else if (!access_run(w, SPACE_SHARED, ACCESS_ATOMIC, lane, (uint32_t)address, 8))
        return NULL;
    return m;
}

static bool keep(Warp *w, Mbarrier m)
{
    Mbarriers *all = &w->block->mbarriers;
    Mbarrier *at = room_for_one(w, all->at, all->len, &all->cap, sizeof m);

    if (!at)
        return false;
    all->at = at;
    all->at[all->len++] = m;
    return true;
}

/* mbarrier.init [at], arrivals */
void mbarrier_init(Warp *w, const Inst *in, uint32_t mask)
{
    enum { MOST = (1 << 20) - 1 };
    const uint32_t *counts = OPERAND(w, in, 0, uint32_t);
    uint64_t at[LANES];
    char *host[LANES];

    access_addresses(w, &in->at[0], at);
    FOR_LANES(lane, mask)
    {
        at[lane] = (uint32_t)at[lane];
        if (!access_resolve(w, SPACE_SHARED, ACCESS_WRITE, 8, UINT32_C(1) << lane, at, host))
            return;
        if (counts[lane] < 1 || counts[lane] > MOST) {
            fault(w, SIM_SYNC, (int)lane, "an mbarrier of %u arrivals", counts[lane]);
            return;
        }
        if (search(w->block, (uint32_t)at[lane])) {
            fault(w, SIM_SYNC, (int)lane,
                  "at byte %u of shared memory is an mbarrier: mbarrier.inval is missing",
                  (uint32_t)at[lane]);
            return;
        }
        Mbarrier m = {.at = (uint32_t)at[lane], .expected = counts[lane], .pending = counts[lane]};
        if (!keep(w, m))
            return;
    }
}

void mbarrier_inval(Warp *w, const Inst *in, uint32_t mask)
{
    Mbarriers *all = &w->block->mbarriers;
    uint64_t at[LANES];

    access_addresses(w, &in->at[0], at);
    FOR_LANES(lane, mask)
    {
        Mbarrier *m = mbarrier_at(w, (int)lane, at[lane]);

        if (!m)
            return;
        *m = all->at[--all->len];
    }
}

/* --- phases --- */

static bool is_wait(const Inst *in)
{
    return in->run == mbarrier_try || in->run == mbarrier_try_parity;
}

bool mbarrier_waits(const Warp *w)
{
    return w->state == WARP_WAITS && is_wait(w->inst);
}

void mbarrier_wake(Block *b)
{
    for (int i = 0; i < b->nwarps; i++) {
        if (mbarrier_waits(&b->warps[i]))
            b->warps[i].state = WARP_READY;
    }
}

static void end_phase(Block *b, Mbarrier *m)
{
    if (m->pending == 0)
        mbarrier_wake(b); /* for bytes that are to come, too: who waits has them brought */
    if (m->pending > 0 || m->bytes != 0)
        return;
    m->phase++;
    m->ended = m->due;
    m->was_copy = m->is_copy;
    m->due = 0;
    m->is_copy = false;
    m->pending = m->expected;
    know_also(b, &m->known, &m->came);
    m->came = (Known){0};
}

void mbarrier_bring(Warp *w, Mbarrier *m, uint32_t bytes)
{
    m->bytes -= bytes;
    m->came.at[w->index] = MAX(m->came.at[w->index], w->clock);
    w->clock++;
    if (m->bytes < 0)
        fault(w, SIM_SYNC, -1,
              "copies bring %lld bytes more than the mbarrier at byte %u of shared memory expects",
              (long long)-m->bytes, m->at);
    else
        end_phase(w->block, m);
}

void mbarrier_tell_product(Warp *w, Mbarrier *m, int group, uint32_t count)
{
    if (m->pending == 0) {
        fault(w, SIM_SYNC, -1,
              "tcgen05.commit arrives at the mbarrier at byte %u of shared memory, which expects "
              "%u arrivals, and all have come",
              m->at, m->expected);
        return;
    }
    m->pending--;
    m->due = MAX(m->due, pace_now(w));
    shadow_product_done(w->block, &m->came, group, count);
    end_phase(w->block, m);
}

/* A request of all lanes; mbarrier_at() counts none. */
static void count_once(Warp *w, uint32_t mask, const uint64_t at[LANES])
{
    if (w->worker->counts)
        count_shared(w, 8, mask, at);
}

/* Arrivals of each lane, behind bytes that are told of; `states` is NULL where there are none. */
static void arrive(Warp *w, const Inst *in, uint32_t mask, const uint32_t *counts,
                   const uint32_t *bytes, uint64_t *states)
{
    uint64_t at[LANES];

    access_addresses(w, &in->at[0], at);
    count_once(w, mask, at);
    FOR_LANES(lane, mask)
    {
        Mbarrier *m = mbarrier_at(w, (int)lane, at[lane]);
        uint32_t count = counts ? counts[lane] : states ? 1 : 0;

        if (!m)
            return;
        if (count > m->pending) {
            fault(w, SIM_SYNC, (int)lane,
                  "more arrivals than the %u that the mbarrier at byte %u of shared memory expects",
                  m->expected, m->at);
            return;
        }
        if (states)
            states[lane] = m->phase;
        m->bytes += bytes ? bytes[lane] : 0;
        m->pending -= count;
        if (pace_now(w) >= m->due)
            m->is_copy = false;
        m->due = MAX(m->due, pace_now(w));
        shadow_tell(w, &m->came);
        if (count > 0)
            end_phase(w->block, m);
    }
    w->clock++;
}

/* mbarrier.arrive state, [at]{, count} */
void mbarrier_arrive(Warp *w, const Inst *in, uint32_t mask)
{
    const uint32_t *counts = in->op[1] == NO_OPERAND ? NULL : OPERAND(w, in, 1, uint32_t);

    arrive(w, in, mask, counts, NULL, OPERAND(w, in, 0, uint64_t));
}

/* mbarrier.arrive.expect_tx state, [at], bytes */
void mbarrier_arrive_expect(Warp *w, const Inst *in, uint32_t mask)
{
    arrive(w, in, mask, NULL, OPERAND(w, in, 1, uint32_t), OPERAND(w, in, 0, uint64_t));
}

/* mbarrier.expect_tx [at], bytes */
void mbarrier_expect(Warp *w, const Inst *in, uint32_t mask)
{
    arrive(w, in, mask, NULL, OPERAND(w, in, 0, uint32_t), NULL);
}

/* --- waiting --- */

/* Of which lanes has the phase ended: that of the parity, else of the state. */
static bool find_ended(Warp *w, const Inst *in, uint32_t mask, bool by_parity, uint32_t *ended)
{
    uint64_t at[LANES];

    *ended = 0;
    access_addresses(w, &in->at[0], at);
    FOR_LANES(lane, mask)
    {
        Mbarrier *m = mbarrier_at(w, (int)lane, at[lane]);
        uint32_t phase;

        if (!m)
            return false;
        phase = by_parity ? OPERAND(w, in, 1, uint32_t)[lane] & 1
                          : (uint32_t)OPERAND(w, in, 1, uint64_t)[lane];
        if (phase == (by_parity ? m->phase & 1 : m->phase))
            tcgen05_deliver(w->block, m);
        if (phase == (by_parity ? m->phase & 1 : m->phase) && m->pending == 0)
            bulk_deliver(w->block, m);
        if (w->worker->status != SIM_OK)
            return false;
        if (phase == (by_parity ? m->phase & 1 : m->phase))
            continue;
        *ended |= UINT32_C(1) << lane;
        know_also(w->block, &w->seen, &m->known);
        pace_wait(w, m);
    }
    if (*ended == mask)
        count_once(w, mask, at);
    return true;
}

/* It says what is, and others have a turn. */
static void test(Warp *w, const Inst *in, uint32_t mask, bool by_parity)
{
    uint32_t ended;

    if (!find_ended(w, in, mask, by_parity, &ended))
        return;
    write_predicate(w, in->op[0], ended, mask);
    w->stop = ended != mask;
}

/* It comes back to this instruction until all have ended. */
static void wait(Warp *w, const Inst *in, uint32_t mask, bool by_parity)
{
    uint32_t ended;

    if (!find_ended(w, in, mask, by_parity, &ended))
        return;
    write_predicate(w, in->op[0], ended, mask);
    if (ended == mask)
        return;
    w->now.pc--;
    w->again = true;
    w->state = WARP_WAITS;
    w->stop = true;
    w->inst_mask = mask & ~ended;
}

void mbarrier_test(Warp *w, const Inst *in, uint32_t mask)
{
    test(w, in, mask, false);
}

void mbarrier_test_parity(Warp *w, const Inst *in, uint32_t mask)
{
    test(w, in, mask, true);
}

void mbarrier_try(Warp *w, const Inst *in, uint32_t mask)
{
    wait(w, in, mask, false);
}

void mbarrier_try_parity(Warp *w, const Inst *in, uint32_t mask)
{
    wait(w, in, mask, true);
}

void mbarrier_report(Warp *w)
{
    int lane = __builtin_ctz(w->inst_mask);
    uint64_t at[LANES];

    access_addresses(w, &w->inst->at[0], at);
    Mbarrier *m = mbarrier_at(w, lane, at[lane]);
    if (m)
        fault(w, SIM_SYNC, lane,
              "it waits for the mbarrier at byte %u of shared memory, where %u arrivals and %lld "
              "bytes are missing",
              m->at, m->pending, (long long)m->bytes);
}
