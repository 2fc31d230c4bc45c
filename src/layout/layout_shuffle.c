/*
 * layout_shuffle.c - conversions within a warp: selects by lane, and exchanges among lanes
 *
 * For every register k of the result and every thread there is a source, a register and a lane of
 * the same warp, and it is linear in k and the thread: source(k, t) = s(k) + s(t).  An exchange
 * gives each lane one word from a lane of its choice, while each lane offers one word to all. Where
 * in round k all lanes would ask for their register k, some lane might have to offer two words.  So
 * in round k lane t asks for its register k + after(t), whose source is s(k) + v(t), with v(t) =
 * s(t) + s(after(t)); and a lane that is asked for must know which of its registers is wanted:
 * before(lane), a function of the asked lane alone.
 *
 * Therefore v must be chosen such that two lanes which ask the same lane ask for the same
 * register: no v(t) may be a register without a lane, other than 0.  Each v(bit of t) may be s(bit)
 * plus anything of U, which the sources of registers and the copies of the source layout span: see
 * choose_vector(). What remains is linear algebra again: before() from v, and the source of each
 * round.
 *
 * Elements of less than 4 bytes travel together where registers of the result have their sources in
 * registers of one thread: that is done first, and what follows knows only words.
 */
#include "layout_internal.h"

enum {
    LANE = LAYOUT_MAX_REG_BITS, /* of a source: where the lane begins, above the word's number */
    MOST_PACKED = 2
};
#define WORD_MASK ((1u << LANE) - 1)

typedef struct {
    uint32_t word[LAYOUT_MAX_REG_BITS]; /* registers that a bit of the word's number moves */
    uint32_t packed[MOST_PACKED];       /* and a bit of the element's number in the word */
    int nword, npacked;
} Words;

/* An element of U: what it adds to a source, and to the register of the result that asks. */
typedef struct {
    uint32_t source, asks;
} Freedom;

typedef struct {
    const Layout *from, *to;
    int bytes;
    Words have, want;
    VectorSpace held;                       /* coordinates; named by sources */
    uint32_t of_word[LAYOUT_MAX_REG_BITS];  /* s of bits of the result's words */
    uint32_t of_thread[LAYOUT_THREAD_BITS]; /* s of bits of threads */
    int nfreedom;
    Freedom freedom[LAYOUT_MAX_REG_BITS + LAYOUT_MAX_LANE_BITS];
    uint32_t v[LAYOUT_THREAD_BITS]; /* what was chosen */
    Shuffles out;
} Maker;

/* --- words --- */

/* Which registers of `l` move its coordinate like that; 0: none do. */
static uint32_t registers_for(const VectorSpace *registers, uint32_t coordinate)
{
    uint32_t made;

    return space_reduce(registers, coordinate, &made) == 0 ? made : 0;
}

/* Put up to `n` bits of the result's registers into words. */
static void pack(Maker *m, int n)
{
    VectorSpace registers = {0}, used = {0};
    Words *have = &m->have, *want = &m->want;

    *have = *want = (Words){0};
    for (int i = 0; i < m->from->nreg; i++)
        space_add(&registers, m->from->reg[i], 1u << i, NULL);
    for (int i = 0; i < m->to->nreg; i++) {
        uint32_t source = want->npacked < n ? registers_for(&registers, m->to->reg[i]) : 0;
        if (source == 0) {
            want->word[want->nword++] = 1u << i;
            continue;
        }
        space_add(&used, source, 0, NULL);
        want->packed[want->npacked++] = 1u << i;
        have->packed[have->npacked++] = source;
    }
    for (int i = 0; i < m->from->nreg; i++) {
        if (space_add(&used, 1u << i, 0, NULL))
            have->word[have->nword++] = 1u << i;
    }
}

static uint32_t sum_of_chosen(const uint32_t *v, uint32_t bits)
{
    uint32_t sum = 0;

    for (; bits; bits &= bits - 1)
        sum ^= v[__builtin_ctz(bits)];
    return sum;
}

/* Coordinate that registers move. */
static uint32_t moved_by(const Layout *l, uint32_t registers)
{
    return sum_of_chosen(l->reg, registers);
}

/* Sources have three parts here: word, lane, and above them the element's number in the word. */
enum { PACKED = LANE + LAYOUT_MAX_LANE_BITS };

static void find_held(Maker *m)
{
    const Layout *l = m->from;
    uint32_t made;

    m->held = (VectorSpace){0};
    m->nfreedom = 0;
    for (int i = 0; i < m->have.npacked; i++)
        space_add(&m->held, moved_by(l, m->have.packed[i]), 1u << (PACKED + i), NULL);
    for (int i = 0; i < m->have.nword; i++)
        space_add(&m->held, moved_by(l, m->have.word[i]), 1u << i, NULL);
    for (int i = 0; i < l->nlane; i++) {
        uint32_t name = 1u << (LANE + i);
        if (!space_add(&m->held, l->lane[i], name, &made))
            m->freedom[m->nfreedom++] = (Freedom){made ^ name, 0};
    }
}

/* False: no thread of the same warp has it. */
static bool find_source(const Maker *m, uint32_t coordinate, uint32_t *source)
{
    return space_reduce(&m->held, coordinate, source) == 0;
}

/* Fill in what sources are; false: other warps have some, or elements would change their place
 * within words from lane to lane. */
static bool find_sources(Maker *m)
{
    const Layout *from = m->from, *to = m->to;
    uint32_t packed = 0;
    bool ok = true;

    find_held(m);
    for (int i = 0; i < m->nfreedom; i++)
        packed |= m->freedom[i].source;
    for (int i = 0; i < to->nlane && ok; i++) {
        ok = find_source(m, to->lane[i], &m->of_thread[i]);
        packed |= m->of_thread[i];
    }
    for (int i = 0; i < to->nwarp && ok; i++) {
        uint32_t *source = &m->of_thread[to->nlane + i];
        ok = find_source(m, to->warp[i] ^ from->warp[i], source);
        packed |= *source;
    }
    for (int i = 0; i < m->want.nword && ok; i++) {
        uint32_t *source = &m->of_word[i];
        ok = find_source(m, moved_by(to, m->want.word[i]), source);
        m->want.word[i] ^= sum_of_chosen(m->want.packed, *source >> PACKED);
        *source &= (1u << PACKED) - 1;
        m->freedom[m->nfreedom++] = (Freedom){*source, 1u << i};
    }
    return ok && packed >> PACKED == 0;
}

/* --- the choice of v --- */

static uint32_t lane_of(uint32_t source)
{
    return source >> LANE;
}

static void choose_vector(Maker *m, int bit, uint32_t asks, uint32_t v)
{
    m->v[bit] = v;
    m->out.after[bit] = asks;
}

/* Choose v of a bit such that its lane is that one; false: there is none. */
static bool choose_lane(Maker *m, int bit, uint32_t lane)
{
    VectorSpace lanes = {0};
    uint32_t made, v = m->of_thread[bit], asks = 0;

    for (int i = 0; i < m->nfreedom; i++)
        space_add(&lanes, lane_of(m->freedom[i].source), 1u << i, NULL);
    if (space_reduce(&lanes, lane_of(v) ^ lane, &made) != 0)
        return false;
    for (; made; made &= made - 1) {
        const Freedom *f = &m->freedom[__builtin_ctz(made)];
        v ^= f->source;
        asks ^= f->asks;
    }
    choose_vector(m, bit, asks, v);
    return true;
}

/* Each lane asks itself but for what the round adds, so the rounds that add nothing are free. */
static bool choose_own(Maker *m)
{
    for (int i = 0; i < m->to->nlane; i++) {
        if (!choose_lane(m, i, 1u << i))
            return false;
    }
    return true;
}

/* Is s of the bit among those of earlier bits and U?  Then its v is the sum of theirs. */
static bool choose_dependent(Maker *m, int bit)
{
    enum { EARLIER = 20 };
    VectorSpace s = {0};
    uint32_t made, v = 0, asks = 0;

    for (int i = 0; i < m->nfreedom; i++)
        space_add(&s, m->freedom[i].source, 1u << i, NULL);
    for (int i = 0; i < bit; i++)
        space_add(&s, m->v[i], 1u << (EARLIER + i), NULL);
    if (space_reduce(&s, m->of_thread[bit], &made) != 0)
        return false;
    for (int i = 0; i < bit; i++)
        v ^= made >> (EARLIER + i) & 1 ? m->v[i] : 0;
    for (int i = 0; i < m->nfreedom; i++)
        asks ^= made >> i & 1 ? m->freedom[i].asks : 0;
    choose_vector(m, bit, asks, v);
    return true;
}

/* A lane that is none of those asked so far, nor a sum of them. */
static bool choose_new(Maker *m, int bit, VectorSpace *asked)
{
    uint32_t s = m->of_thread[bit];

    if (space_add(asked, lane_of(s), 1u << bit, NULL)) {
        choose_vector(m, bit, 0, s);
        return true;
    }
    for (int i = 0; i < m->nfreedom; i++) {
        const Freedom *f = &m->freedom[i];
        if (space_add(asked, lane_of(s ^ f->source), 1u << bit, NULL)) {
            choose_vector(m, bit, f->asks, s ^ f->source);
            return true;
        }
    }
    return false;
}

static bool choose_any(Maker *m)
{
    VectorSpace asked = {0};

    for (int i = 0; i < m->to->nlane; i++) {
        if (!choose_dependent(m, i) && !choose_new(m, i, &asked))
            return false;
    }
    return true;
}

/* Warps ask themselves, so nothing is forbidden; the same lane is best. */
static void choose_warps(Maker *m)
{
    for (int i = m->to->nlane; i < m->to->nlane + m->to->nwarp; i++) {
        if (!choose_lane(m, i, 0))
            choose_vector(m, i, 0, m->of_thread[i]);
    }
}

/* --- the result --- */

/* before(): which word a lane offers since it is that one. */
static uint32_t offered(const VectorSpace *asked, const uint32_t *v, uint32_t lane)
{
    uint32_t made;

    space_reduce(asked, lane, &made); /* no lane that is asked has another rest than 0 */
    return sum_of_chosen(v, made) & WORD_MASK;
}

static VectorSpace asked_lanes(const Maker *m)
{
    VectorSpace asked = {0};

    for (int i = 0; i < m->to->nlane; i++)
        space_add(&asked, lane_of(m->v[i]), 1u << i, NULL);
    return asked;
}

static const int32_t *word_table(const Layout *l, const Words *w, Arena *a)
{
    int per_word = 1 << w->npacked, n = 1 << w->nword;
    int32_t *table = NEW_N(a, int32_t, n * per_word);

    for (int i = 0; i < n * per_word; i++) {
        uint32_t word = (uint32_t)i >> w->npacked, element = (uint32_t)i & ((uint32_t)per_word - 1);
        uint32_t r = sum_of_chosen(w->word, word) ^ sum_of_chosen(w->packed, element);
        table[i] = layout_register_live(l, r) ? (int32_t)r : -1;
    }
    return table;
}

static bool has_word(const Shuffles *s, uint32_t word)
{
    for (int i = 0; i < s->per_word; i++) {
        if (s->to[(int)word * s->per_word + i] >= 0)
            return true;
    }
    return false;
}

/* Does any thread take something that exists in this round? */
static bool round_matters(const Maker *m, uint32_t k)
{
    VectorSpace after = {0};
    uint32_t basis[LAYOUT_THREAD_BITS];
    int n = 0;

    for (int i = 0; i < LAYOUT_THREAD_BITS; i++) {
        if (space_add(&after, m->out.after[i], 0, NULL))
            basis[n++] = m->out.after[i];
    }
    for (uint32_t i = 0; i < 1u << n; i++) {
        if (has_word(&m->out, k ^ sum_of_chosen(basis, i)))
            return true;
    }
    return false;
}

static void make_rounds(Maker *m, const VectorSpace *asked, Arena *a)
{
    Shuffles *s = &m->out;
    ShuffleRound *rounds = NEW_N(a, ShuffleRound, s->nto);
    bool own = true;

    for (int i = 0; i < LAYOUT_THREAD_BITS; i++)
        own = own && s->source[i] == (i < m->to->nlane ? 1 << i : 0);
    for (uint32_t k = 0; k < (uint32_t)s->nto; k++) {
        uint32_t source = sum_of_chosen(m->of_word, k), lane = lane_of(source);
        uint32_t send = (source & WORD_MASK) ^ offered(asked, m->v, lane);
        if (round_matters(m, k))
            rounds[s->nrounds++] =
                (ShuffleRound){(int)send, (int)k, (uint8_t)lane, own && lane == 0};
    }
    s->rounds = rounds;
}

static void make_shuffles(Maker *m, Arena *a)
{
    Shuffles *s = &m->out;
    VectorSpace asked = asked_lanes(m);

    s->per_word = 1 << m->want.npacked;
    s->nlane = m->to->nlane;
    s->nfrom = 1 << m->have.nword;
    s->nto = 1 << m->want.nword;
    s->from = word_table(m->from, &m->have, a);
    s->to = word_table(m->to, &m->want, a);
    for (int i = 0; i < m->to->nlane; i++) {
        s->before[i] = offered(&asked, m->v, 1u << i);
        s->source[i] = (uint8_t)lane_of(m->v[i]);
    }
    for (int i = m->to->nlane; i < m->to->nlane + m->to->nwarp; i++) {
        s->before[i] = (m->v[i] & WORD_MASK) ^ offered(&asked, m->v, lane_of(m->v[i]));
        s->source[i] = (uint8_t)lane_of(m->v[i]);
    }
    make_rounds(m, &asked, a);
}

const Shuffles *shuffles_between(const Layout *from, const Layout *to, int bytes, Arena *a)
{
    Maker m = {.from = from, .to = to, .bytes = bytes};

    pack(&m, bytes < 4 ? layout_bits_of(4 / bytes) : 0);
    if (!find_sources(&m)) {
        pack(&m, 0);
        if (!find_sources(&m))
            return NULL;
    }
    if (!choose_own(&m) && !choose_any(&m))
        return NULL;
    choose_warps(&m);
    make_shuffles(&m, a);
    Shuffles *made = NEW(a, Shuffles);
    *made = m.out;
    return made;
}

/* A shuffle takes two cycles, a select half of one. */
int shuffles_cost(const Shuffles *s, int bytes)
{
    int halves = 0;

    for (int i = 0; i < s->nrounds; i++)
        halves += s->rounds[i].own ? 0 : 4;
    for (int i = 0; i < LAYOUT_THREAD_BITS; i++) {
        halves += s->before[i] ? s->nfrom : 0;
        halves += s->after[i] ? s->nto : 0;
    }
    return (bytes == 8 ? 2 * halves : halves) / 2;
}
