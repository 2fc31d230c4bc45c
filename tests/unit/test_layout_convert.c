/*
 * test_layout_convert.c - conversions between layouts, and layouts of shared memory
 *
 * Conversions are executed by a model of the machine, every thread of a block with its registers,
 * exactly as layout.h says, and each element of the result is looked at.
 */
#include <stdio.h>
#include <string.h>

#include "random_layout.h" /* before cmocka, which makes fail() a macro */
#include <cmocka.h>

enum {
    ROUNDS = 40,
    MOST_REGS = 1 << 11,
    MOST_THREADS = 64 * 8,
    NOTHING = -1,  /* in a register that holds nothing that exists */
    UNWRITTEN = -2 /* in memory */
};

/* What each thread has in its registers: coordinates of elements. */
typedef struct {
    int nregs, nthreads, nlane;
    int32_t (*at)[MOST_REGS];
} Threads;

static Threads new_threads(int nregs, int nthreads, int nlane, Arena *a)
{
    Threads t = {nregs, nthreads, nlane,
                 arena_alloc(a, sizeof(int32_t[MOST_REGS]) * (size_t)nthreads)};

    assert_true(nregs <= MOST_REGS);
    for (int i = 0; i < nthreads; i++) {
        for (int r = 0; r < nregs; r++)
            t.at[i][r] = NOTHING;
    }
    return t;
}

static Holder holder(const Layout *l, int thread, int r)
{
    return (Holder){(uint32_t)r, (uint32_t)thread & ((1u << l->nlane) - 1),
                    (uint32_t)thread >> l->nlane};
}

static Threads threads_with(const Layout *l, Arena *a)
{
    Threads t = new_threads(layout_registers(l), 1 << (l->nlane + l->nwarp), l->nlane, a);

    for (int i = 0; i < t.nthreads; i++) {
        for (int r = 0; r < t.nregs; r++) {
            uint32_t c = layout_at(l, holder(l, i, r));
            t.at[i][r] = layout_exists(l, c) ? (int32_t)c : NOTHING;
        }
    }
    return t;
}

static uint32_t sum_of_bits(const uint32_t *v, int bits)
{
    uint32_t sum = 0;

    for (int i = 0; bits >> i; i++)
        sum ^= bits >> i & 1 ? v[i] : 0;
    return sum;
}

/* --- registers and shuffles --------------------------------------------------------------------
 */

static Threads run_registers(const Conversion *c, const Threads *from, Arena *a)
{
    Threads to = new_threads(c->nregs, from->nthreads, from->nlane, a);

    for (int i = 0; i < to.nthreads; i++) {
        for (int r = 0; r < to.nregs; r++)
            to.at[i][r] = c->take[r] < 0 ? NOTHING : from->at[i][c->take[r]];
    }
    return to;
}

/* Of words of up to four elements: [thread][word * 4 + element]. */
static void swap_words(Threads *t, const uint32_t masks[LAYOUT_THREAD_BITS])
{
    for (int i = 0; i < t->nthreads; i++) {
        uint32_t by = sum_of_bits(masks, i);
        int32_t old[MOST_REGS];
        memcpy(old, t->at[i], sizeof(old));
        for (int w = 0; w < t->nregs / 4; w++)
            memcpy(&t->at[i][w * 4], &old[((uint32_t)w ^ by) * 4], sizeof(int32_t[4]));
    }
}

static Threads run_shuffles(const Conversion *c, const Threads *from, Arena *a)
{
    const Shuffles *s = c->shuffles;
    Threads sent = new_threads(s->nfrom * 4, from->nthreads, from->nlane, a);
    Threads taken = new_threads(s->nto * 4, from->nthreads, from->nlane, a);
    Threads to = new_threads(c->nregs, from->nthreads, from->nlane, a);
    uint32_t source[LAYOUT_THREAD_BITS];

    for (int i = 0; i < from->nthreads; i++) {
        for (int k = 0; k < s->nfrom * s->per_word; k++) {
            int32_t r = s->from[k];
            sent.at[i][k / s->per_word * 4 + k % s->per_word] = r < 0 ? NOTHING : from->at[i][r];
        }
    }
    swap_words(&sent, s->before);
    for (int i = 0; i < LAYOUT_THREAD_BITS; i++)
        source[i] = s->source[i];
    for (int k = 0; k < s->nrounds; k++) {
        const ShuffleRound *r = &s->rounds[k];
        for (int i = 0; i < from->nthreads; i++) {
            int lane = (int)sum_of_bits(source, i) ^ r->lane, first = i >> s->nlane << s->nlane;
            assert_true(lane < 1 << s->nlane);
            if (r->own)
                assert_int_equal(first + lane, i);
            memcpy(&taken.at[i][r->take * 4], &sent.at[first + lane][r->send * 4],
                   sizeof(int32_t[4]));
        }
    }
    swap_words(&taken, s->after);
    for (int i = 0; i < from->nthreads; i++) {
        for (int k = 0; k < s->nto * s->per_word; k++) {
            if (s->to[k] >= 0)
                to.at[i][s->to[k]] = taken.at[i][k / s->per_word * 4 + k % s->per_word];
        }
    }
    return to;
}

/* --- shared memory -----------------------------------------------------------------------------
 */

/* The wavefronts of one access: lanes that have 128 bytes together go at once, and take as long as
 * the bank of which the most different words are wanted. */
static int count_wavefronts(const uint32_t *offset, int nlane, int element, int nvector)
{
    int bytes = element << nvector, total = 0;
    int lanes = bytes <= 2 ? 1 << nlane : 128 / bytes; /* of two bytes two lanes share a word */

    lanes = lanes < 1 << nlane ? lanes : 1 << nlane;
    for (int first = 0; first < 1 << nlane; first += lanes) {
        int most = 0;
        for (int bank = 0; bank < 32; bank++) {
            uint32_t words[64 * 4];
            int n = 0;
            for (int i = first; i < first + lanes; i++) {
                for (uint32_t b = 0; b < (uint32_t)bytes; b += 4) {
                    uint32_t word = (offset[i] * (uint32_t)element + b) / 4;
                    bool known = word % 32 != (uint32_t)bank;
                    for (int k = 0; k < n && !known; k++)
                        known = words[k] == word;
                    if (!known)
                        words[n++] = word;
                }
            }
            most = n > most ? n : most;
        }
        total += most;
    }
    return total;
}

static void check_side(const SharedSide *s, int element, uint32_t at, int thread)
{
    uint32_t offset[1 << LAYOUT_MAX_LANE_BITS];

    for (int i = 0; i < 1 << s->nlane; i++)
        offset[i] = sum_of_bits(s->thread, (thread >> s->nlane << s->nlane) + i) ^ at;
    assert_int_equal(count_wavefronts(offset, s->nlane, element, s->nvector), s->wavefronts);
}

static uint32_t vector_offset(const SharedSide *s, const SharedVector *v, int thread)
{
    uint32_t offset = sum_of_bits(s->thread, thread) ^ v->offset;

    assert_int_equal(offset & ((1u << s->nvector) - 1), 0);
    return offset;
}

static bool is_writer(const Exchange *e, int thread)
{
    int nlane = e->write.nlane;

    return ((uint32_t)thread & ((1u << nlane) - 1) & e->copies.lane) == 0 &&
           ((uint32_t)thread >> nlane & e->copies.warp) == 0;
}

typedef struct {
    int32_t holds, warp; /* who wrote it */
} Cell;

static void run_writes(const Exchange *e, const SharedPiece *p, const Threads *from, Cell *memory)
{
    for (int i = 0; i < from->nthreads; i++) {
        for (int k = 0; k < p->nwrites && is_writer(e, i); k++) {
            uint32_t offset = vector_offset(&e->write, &p->writes[k], i);
            for (int n = 0; n < 1 << e->write.nvector; n++) {
                int32_t r = p->writes[k].regs[n];
                Cell *cell = &memory[offset + (uint32_t)n];
                assert_true(offset + (uint32_t)n < 1u << e->memory.nbits);
                assert_int_equal(cell->holds, UNWRITTEN);
                *cell = (Cell){r < 0 ? NOTHING : from->at[i][r], i >> e->write.nlane};
            }
        }
    }
}

static void run_reads(const Exchange *e, const SharedPiece *p, Threads *to, const Cell *memory)
{
    for (int i = 0; i < to->nthreads; i++) {
        for (int k = 0; k < p->nreads; k++) {
            uint32_t offset = vector_offset(&e->read, &p->reads[k], i);
            for (int n = 0; n < 1 << e->read.nvector; n++) {
                const Cell *cell = &memory[offset + (uint32_t)n];
                int32_t r = p->reads[k].regs[n];
                assert_int_not_equal(cell->holds, UNWRITTEN);
                if (e->within_warp)
                    assert_int_equal(cell->warp, i >> e->read.nlane);
                if (r >= 0)
                    to->at[i][r] = cell->holds;
            }
        }
    }
}

static Threads run_exchange(const Conversion *c, const Threads *from, Arena *a)
{
    const Exchange *e = c->exchange;
    Threads to = new_threads(c->nregs, from->nthreads, from->nlane, a);
    Cell *memory = NEW_N(a, Cell, 1u << e->memory.nbits);

    for (int i = 0; i < e->npieces; i++) {
        const SharedPiece *p = &e->pieces[i];
        for (int k = 0; k < 1 << e->memory.nbits; k++)
            memory[k].holds = UNWRITTEN;
        run_writes(e, p, from, memory);
        run_reads(e, p, &to, memory);
        check_side(&e->write, e->memory.bytes, p->writes[0].offset, 0);
        check_side(&e->read, e->memory.bytes, p->reads[0].offset, from->nthreads - 1);
    }
    return to;
}

/* --- conversions -------------------------------------------------------------------------------
 */

static Threads run(const Conversion *c, const Threads *from, Arena *a)
{
    switch (c->kind) {
    case CONVERT_SHUFFLE:
        return run_shuffles(c, from, a);
    case CONVERT_SHARED:
        return run_exchange(c, from, a);
    default:
        return run_registers(c, from, a);
    }
}

/* Wherever an element must be, it is. */
static void check_result(const Layout *l, const Threads *got, const char *what)
{
    for (int i = 0; i < got->nthreads; i++) {
        for (int r = 0; r < got->nregs; r++) {
            uint32_t c = layout_at(l, holder(l, i, r));
            if (layout_exists(l, c) && got->at[i][r] != (int32_t)c)
                fail_msg("thread %d register %d has %d and not %d:\n%s", i, r, got->at[i][r],
                         (int)c, what);
        }
    }
}

static const int64_t no_limit = INT64_MAX;

/* In every way that there is; gives those ways as bits. */
static int check_conversion(const Layout *from, const Layout *to, int bytes, int64_t limit,
                            Arena *a)
{
    Threads source = threads_with(from, a);
    int ways = 0;

    for (int kind = CONVERT_NOTHING; kind <= CONVERT_SHARED; kind++) {
        const Conversion *c = layout_convert_by((ConvertKind)kind, from, to, bytes, limit, a);
        if (!c)
            continue;
        const char *what = arena_printf(a, "%s\nto %s\n%s", layout_text(from, a),
                                        layout_text(to, a), conversion_text(c, a));
        Threads got = run(c, &source, a);
        check_result(to, &got, what);
        ways |= 1 << kind;
    }
    assert_true(ways >> CONVERT_SHARED & 1);
    return ways;
}

/* Within one warp there is always a way without memory. */
static void test_random_conversions(void **state)
{
    uint64_t rng = 7;
    int ways[1 << (CONVERT_SHARED + 1)] = {0};

    (void)state;
    for (int s = 0; s < COUNT(shapes); s++) {
        for (int i = 0; i < ROUNDS; i++) {
            Arena *a = arena_new(NULL);
            LayoutThreads threads = random_threads(&rng, 2);
            Layout from = some_layout(&rng, &shapes[s], threads);
            Layout to = some_layout(&rng, &shapes[s], threads);
            int bytes = 1 << random_below(&rng, 4);
            int64_t limit = random_below(&rng, 2) ? no_limit : 1 << random_below(&rng, 12);
            int met = check_conversion(&from, &to, bytes, limit, a);
            assert_true(threads.warp_bits > 0 || (met >> CONVERT_SHUFFLE & 1));
            ways[met]++;
            arena_free(a);
        }
    }
    assert_true(ways[1 << CONVERT_SHARED] > 100);
    assert_true(ways[1 << CONVERT_SHARED | 1 << CONVERT_SHUFFLE] > 100);
    assert_true(ways[0xf] > 100);
}

/* The same threads with their registers in another order, and fewer of them. */
static void test_registers(void **state)
{
    uint64_t rng = 3;

    (void)state;
    for (int s = 0; s < COUNT(shapes); s++) {
        for (int i = 0; i < ROUNDS; i++) {
            Arena *a = arena_new(NULL);
            Layout from = some_layout(&rng, &shapes[s], warps(1)), to = from;
            shuffle(&rng, to.reg, to.nreg);
            if (to.nreg > 1)
                to.reg[0] ^= to.reg[1];
            assert_true(check_conversion(&from, &to, 4, no_limit, a) >> CONVERT_REGISTERS & 1);
            assert_true(layout_convert(&from, &to, 4, no_limit, a)->kind <= CONVERT_REGISTERS);
            arena_free(a);
        }
    }
}

static Layout blocked(int32_t rows, int32_t columns, int fastest, int vector_bits, int warp_bits)
{
    const int8_t order[] = {(int8_t)fastest, (int8_t)!fastest};
    const int32_t dims[] = {rows, columns};
    Layout l;

    assert_true(layout_blocked(&l, 2, dims, order, vector_bits, NULL, warps(warp_bits)));
    return l;
}

static Layout fragments(MmaPart part, int bytes, int32_t rows, int32_t columns, int m_warps,
                        int n_warps)
{
    const MmaTiling t = {mma_shape(bytes), 0, m_warps, n_warps};
    const int32_t dims[] = {rows, columns};
    Layout l;

    assert_true(layout_mma(&l, part, &t, 2, dims, NULL));
    return l;
}

/* Neighbours across K in pairs, as for elements of a byte in memory. */
static Layout paired(MmaPart part, int bytes, int32_t rows, int32_t columns)
{
    const MmaTiling t = {mma_shape(bytes), 0, 1, 1, .row_pairs = true, .column_pairs = true};
    const int32_t dims[] = {rows, columns};
    Layout l;

    assert_true(layout_mma(&l, part, &t, 2, dims, NULL));
    return l;
}

/* What a matrix product needs, at sizes that are met. */
static void test_usual_conversions(void **state)
{
    (void)state;
    for (int bytes = 1; bytes <= 4; bytes *= 2) {
        Arena *a = arena_new(NULL);
        Layout rows = blocked(64, 64, 1, 3, 2), columns = blocked(64, 64, 0, 2, 2);
        Layout acc = fragments(MMA_ACC, 2, 64, 64, 1, 1),
               left = fragments(MMA_A, bytes, 64, 64, 1, 1);
        Layout right = fragments(MMA_B, bytes, 64, 64, 1, 1);
        Layout odd = blocked(50, 60, 1, 2, 2), odd_acc = fragments(MMA_ACC, 2, 50, 60, 1, 1);
        check_conversion(&rows, &columns, bytes, no_limit, a);
        check_conversion(&columns, &rows, bytes, 2048, a);
        check_conversion(&acc, &rows, bytes, no_limit, a);
        check_conversion(&rows, &acc, bytes, no_limit, a);
        check_conversion(&rows, &left, bytes, no_limit, a);
        check_conversion(&columns, &right, bytes, 1024, a);
        check_conversion(&acc, &left, bytes, no_limit, a);
        check_conversion(&odd_acc, &odd, bytes, no_limit, a);
        check_conversion(&odd, &odd_acc, bytes, 1024, a);
        arena_free(a);
    }
}

static int bits_of_exchange(const Layout *from, const Layout *to, Arena *a)
{
    return layout_convert_by(CONVERT_SHARED, from, to, 4, 1, a)->exchange->memory.nbits;
}

/* By way of a layout in the middle less memory is needed, and everything comes where it must be.
 * Gives how many bits that memory's elements have; 0: there is no such layout. */
static int check_between(const Layout *from, const Layout *to, Arena *a)
{
    Layout middle;

    if (!layout_between(from, to, &middle))
        return 0;
    int bits = MAX(bits_of_exchange(from, &middle, a), bits_of_exchange(&middle, to, a));
    assert_true(layout_is_sound(&middle));
    assert_true(bits < bits_of_exchange(from, to, a));
    check_conversion(from, &middle, 4, 1, a);
    check_conversion(&middle, to, 4, 1, a);
    return bits;
}

/* Tiles that are turned, of which all bits or some are moved by threads of either layout. */
static void test_between(void **state)
{
    Arena *a = arena_new(NULL);
    Layout rows = blocked(64, 64, 1, 2, 4), columns = blocked(64, 64, 0, 2, 4);
    Layout few = blocked(64, 64, 1, 2, 1), turned = blocked(64, 64, 0, 2, 1);

    (void)state;
    assert_int_equal(bits_of_exchange(&rows, &columns, a), 12);
    assert_int_equal(check_between(&rows, &columns, a), 11);
    assert_int_equal(check_between(&columns, &rows, a), 11);
    assert_int_equal(check_between(&few, &turned, a), 9);
    assert_int_equal(check_between(&rows, &rows, a), 0);
    arena_free(a);
}

static void test_random_between(void **state)
{
    uint64_t rng = 11;
    int found = 0;

    (void)state;
    for (int s = 0; s < COUNT(shapes); s++) {
        for (int i = 0; i < ROUNDS; i++) {
            Arena *a = arena_new(NULL);
            LayoutThreads threads = random_threads(&rng, 2);
            Layout from = some_layout(&rng, &shapes[s], threads);
            Layout to = some_layout(&rng, &shapes[s], threads);
            found += check_between(&from, &to, a) > 0;
            arena_free(a);
        }
    }
    assert_true(found > 100);
}

static ConvertKind kind_of(const Layout *from, const Layout *to, int bytes)
{
    Arena *a = arena_new(NULL);
    ConvertKind kind = layout_convert(from, to, bytes, no_limit, a)->kind;

    check_conversion(from, to, bytes, no_limit, a);
    arena_free(a);
    return kind;
}

static void test_choice(void **state)
{
    Layout rows = blocked(16, 64, 1, 2, 1), columns = blocked(16, 64, 0, 2, 1);
    Layout small = blocked(8, 8, 1, 1, 0), turned = blocked(8, 8, 0, 1, 0);
    Layout acc = fragments(MMA_ACC, 2, 32, 16, 1, 0), left = fragments(MMA_A, 2, 32, 16, 1, 0);
    Layout one = blocked(1, 128, 1, 0, 2), all = one;

    (void)state;
    assert_int_equal(kind_of(&rows, &rows, 4), CONVERT_NOTHING);
    assert_int_equal(kind_of(&rows, &columns, 4), CONVERT_SHARED);
    assert_int_equal(kind_of(&small, &turned, 4), CONVERT_SHUFFLE);
    assert_int_equal(kind_of(&acc, &left, 2), CONVERT_NOTHING); /* a product as an operand */
    /* every warp has all, then a part: it knows which by its number */
    all.reg[all.nreg++] = all.warp[0];
    all.reg[all.nreg++] = all.warp[1];
    all.warp[0] = all.warp[1] = 0;
    assert_int_equal(kind_of(&all, &one, 4), CONVERT_SHUFFLE);
    assert_int_equal(kind_of(&one, &all, 4), CONVERT_SHARED);
}

static void check_text(const char *got, const char *want)
{
    if (strcmp(got, want) != 0)
        fail_msg("it is\n%s\nand not\n%s", got, want);
}

static void test_text(void **state)
{
    Arena *a = arena_new(NULL);
    Layout wide = blocked(2, 32, 1, 1, 0), tall = blocked(2, 32, 0, 1, 0);

    (void)state;
    check_text(conversion_text(layout_convert(&wide, &tall, 4, no_limit, a), a),
               "convert by shuffle\n"
               "before lane bit 4: 1\n"
               "source lane bit 0: 16\n"
               "source lane bit 1: 1\n"
               "source lane bit 2: 2\n"
               "source lane bit 3: 4\n"
               "source lane bit 4: 8\n"
               "shuffle 0 to 0\n"
               "shuffle 1 to 1 lane ^ 16\n"
               "after lane bit 0: 1\n");
    check_text(conversion_text(layout_convert_by(CONVERT_SHARED, &wide, &tall, 2, no_limit, a), a),
               "convert by shared\n"
               "128 bytes, pieces 1, within warps\n"
               "write vectors of 1, wavefronts 1\n"
               "write lane bit 0: 2\n"
               "write lane bit 1: 4\n"
               "write lane bit 2: 8\n"
               "write lane bit 3: 16\n"
               "write lane bit 4: 1\n"
               "read vectors of 2, wavefronts 1\n"
               "read lane bit 0: 32\n"
               "read lane bit 1: 2\n"
               "read lane bit 2: 4\n"
               "read lane bit 3: 8\n"
               "read lane bit 4: 16\n"
               "write at 0: 0\n"
               "write at 32: 1\n"
               "read at 0: 0 1\n");
    arena_free(a);
}

/* --- banks -------------------------------------------------------------------------------------
 */

static int best_wavefronts(int nlane, int bytes, int nvector)
{
    int n = (bytes << nvector << nlane) / 128;

    return n > 1 ? n : 1;
}

static int brute_wavefronts(const SharedLayout *s, const SharedAccess *access)
{
    uint32_t offset[1 << LAYOUT_MAX_LANE_BITS];

    for (int i = 0; i < 1 << access->nlane; i++)
        offset[i] = shared_offset(s, sum_of_bits(access->lane, i));
    int n = count_wavefronts(offset, access->nlane, s->bytes, access->nvector);
    assert_int_equal(shared_wavefronts(s, access), n);
    return n;
}

static void check_shared(const SharedLayout *s, const Layout *l)
{
    assert_int_equal(s->nbits, layout_total_bits(l));
    for (uint32_t c = 0; c < 1u << s->nbits; c++) {
        uint32_t offset = shared_offset(s, c);
        assert_true(offset < 1u << s->nbits);
        assert_int_equal(sum_of_bits(s->coordinate, (int)offset), c);
    }
}

/* One element at a time never conflicts, whatever the layouts, where lanes need not share words: 64
 * lanes of 2 bytes must, in pairs that two layouts may disagree about. */
static void test_banks(void **state)
{
    uint64_t rng = 5;

    (void)state;
    for (int s = 0; s < COUNT(shapes); s++) {
        for (int i = 0; i < ROUNDS; i++) {
            LayoutThreads threads = random_threads(&rng, 1);
            Layout l[] = {some_layout(&rng, &shapes[s], threads),
                          some_layout(&rng, &shapes[s], threads)};
            int bytes = 1 << random_below(&rng, 4);
            SharedAccess access[2];
            SharedLayout memory;
            assert_true(shared_access(&l[0], 0, NULL, &access[0]));
            assert_true(shared_access(&l[1], 0, NULL, &access[1]));
            shared_choose(&l[0], bytes, access, 2, &memory);
            check_shared(&memory, &l[0]);
            for (int k = 0; k < 2; k++) {
                int best = best_wavefronts(threads.lane_bits, bytes, 0);
                int got = brute_wavefronts(&memory, &access[k]);
                assert_true(got == best || (threads.lane_bits > MMA_LANE_BITS && got == 2 * best));
            }
        }
    }
}

/* Row-major, without a swizzle. */
static SharedLayout plain_memory(const Layout *shape, int bytes)
{
    SharedLayout s = {.bytes = bytes, .nbits = layout_total_bits(shape)};

    for (int i = 0; i < s.nbits; i++)
        s.offset[i] = s.coordinate[i] = 1u << i;
    return s;
}

/* Vectors of 16 bytes in, the same rows out by ldmatrix, or columns by ldmatrix.trans. */
static void test_plain_layout_conflicts(void **state)
{
    Layout rows = blocked(64, 64, 1, 3, 2), left = fragments(MMA_A, 2, 64, 64, 1, 1);
    SharedAccess write;
    SharedLayout plain = plain_memory(&rows, 2);
    MatrixAccess read;

    (void)state;
    check_shared(&plain, &rows);
    assert_int_equal(shared_offset(&plain, 77), 77);
    assert_true(shared_access(&rows, 3, (uint32_t[]){1, 2, 4}, &write));
    assert_int_equal(brute_wavefronts(&plain, &write), 4);
    assert_true(shared_ldmatrix(&left, 2, false, &read));
    assert_int_equal(brute_wavefronts(&plain, &read.access), 32);
    assert_false(shared_access(&rows, 1, (uint32_t[]){8}, &write));
}

/* The well-known swizzle: bits of the row are added to those of the column's group of 8. */
static void test_swizzle_as_text(void **state)
{
    Arena *a = arena_new(NULL);
    Layout rows = blocked(16, 64, 1, 3, 2), left = fragments(MMA_A, 2, 16, 64, 0, 2);
    SharedAccess access[2];
    SharedLayout memory;
    MatrixAccess read;

    (void)state;
    assert_true(shared_ldmatrix(&left, 2, false, &read));
    assert_true(shared_access(&rows, 3, read.access.vector, &access[0]));
    access[1] = read.access;
    shared_choose(&rows, 2, access, 2, &memory);
    check_text(shared_text(&memory, &rows, a),
               "[16,64] offsets (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (1,8) (2,16) (4,32) (8,0)");
    arena_free(a);
}

/* Rows of 64 bytes below each other: the 32 bytes of a sector that two lanes write stay side by
 * side, or a copy to shared memory asks the L2 for each lane by itself. */
static void test_sectors(void **state)
{
    Arena *a = arena_new(NULL);
    Layout columns = blocked(64, 128, 0, 4, 2);
    SharedAccess access[2];
    SharedLayout memory;

    (void)state;
    for (int nvector = 0; nvector <= 4; nvector++) {
        assert_true(
            shared_access(&columns, 4, (uint32_t[]){1 << 7, 2 << 7, 4 << 7, 8 << 7}, &access[0]));
        assert_true(shared_access(&columns, nvector, access[0].vector, &access[1]));
        shared_choose(&columns, 1, access, 2, &memory);
        assert_int_equal(shared_offset(&memory, access[0].lane[0]), 16);
        assert_int_equal(shared_wavefronts(&memory, &access[0]), 4);
    }
    arena_free(a);
}

/* Execute ldmatrix on a tile in memory, as the ISA has it, for all registers of an operand. */
static void run_ldmatrix(const Layout *l, const SharedLayout *s, const MatrixAccess *m, bool trans)
{
    int per_word = 1 << m->word_bits, pairs = m->pair >= 0 ? 1 << m->pair : 0;
    int bits = (per_word - 1) | pairs;

    for (int i = 0; i < m->matrix_bits; i++)
        bits |= 1 << m->matrix[i];
    for (int r = 0; r < layout_registers(l); r++) {
        for (int thread = 0; thread < 32 << l->nwarp; thread++) {
            int lane = thread % 32, warp = thread / 32, matrix = 0;
            for (int i = 0; i < m->matrix_bits; i++)
                matrix |= (r >> m->matrix[i] & 1) << i;
            int e = r % (pairs ? 2 : per_word);
            int row = trans ? lane % 4 * 2 + e : lane / 4;
            int column = trans ? lane / 4 : lane % 4 * per_word + e;
            if (pairs)
                column = 2 * column + (r >> m->pair & 1);
            uint32_t base = layout_at(l, (Holder){(uint32_t)(r & ~bits), 0, (uint32_t)warp});
            uint32_t at = shared_offset(s, base ^ sum_of_bits(m->access.lane, matrix * 8 + row));
            assert_int_equal(at * (uint32_t)s->bytes % 16, 0);
            assert_int_equal(sum_of_bits(s->coordinate, (int)at + column),
                             layout_at(l, holder(l, thread, r)));
        }
    }
}

static void check_operand(MmaPart part, int bytes, int32_t rows, int32_t columns, int fastest)
{
    Layout global = blocked(rows, columns, fastest, layout_bits_of(16 / bytes), 2);
    bool trans = (part == MMA_A) != (fastest == 1);
    Layout l = fragments(part, bytes, rows, columns, 1, 1);
    SharedAccess access[2];
    SharedLayout memory;
    MatrixAccess read;

    if (trans && bytes == 1) {
        assert_false(shared_ldmatrix(&l, bytes, trans, &read));
        l = paired(part, bytes, rows, columns);
    }
    assert_int_equal(shared_ldmatrix(&l, bytes, trans, &read), !trans || bytes <= 2);
    if (trans && bytes > 2)
        return;
    access[1] = read.access;
    assert_true(shared_access(&global, read.access.nvector, read.access.vector, &access[0]));
    shared_choose(&l, bytes, access, 2, &memory);
    check_shared(&memory, &l);
    assert_int_equal(brute_wavefronts(&memory, &access[0]), 4);
    if (read.matrix_bits == 2)
        assert_int_equal(brute_wavefronts(&memory, &access[1]), 4);
    run_ldmatrix(&l, &memory, &read, trans);
}

/* Bytes across K that become elements of two in registers. */
static void check_cast_operand(MmaPart part, int32_t rows, int32_t columns)
{
    Layout l = paired(part, 2, rows, columns);
    SharedLayout memory;
    MatrixAccess read;

    assert_true(shared_ldmatrix(&l, 1, true, &read));
    assert_int_equal(read.word_bits, 1);
    shared_choose(&l, 1, &read.access, 1, &memory);
    check_shared(&memory, &l);
    run_ldmatrix(&l, &memory, &read, true);
}

static void test_ldmatrix(void **state)
{
    (void)state;
    check_cast_operand(MMA_A, 64, 32);
    check_cast_operand(MMA_A, 32, 16);
    check_cast_operand(MMA_B, 32, 64);
    check_cast_operand(MMA_B, 16, 32);
    for (int bytes = 1; bytes <= 4; bytes *= 2) {
        for (int fastest = 0; fastest <= 1; fastest++) {
            check_operand(MMA_A, bytes, 64, 32, fastest);
            check_operand(MMA_A, bytes, 32, 64, fastest);
            check_operand(MMA_B, bytes, 64, 64, fastest);
            check_operand(MMA_B, bytes, 32, 128, fastest);
        }
    }
    Layout doubles = fragments(MMA_A, 8, 64, 32, 0, 0), flat = fragments(MMA_A, 2, 64, 2, 0, 0);
    MatrixAccess none;
    assert_false(shared_ldmatrix(&doubles, 8, false, &none));
    assert_false(shared_ldmatrix(&flat, 2, false, &none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_conversions),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_usual_conversions),
        cmocka_unit_test(test_between),
        cmocka_unit_test(test_random_between),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_banks),
        cmocka_unit_test(test_plain_layout_conflicts),
        cmocka_unit_test(test_swizzle_as_text),
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_ldmatrix),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
