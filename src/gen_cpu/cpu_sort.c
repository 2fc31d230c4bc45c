/*
 * cpu_sort.c - rows of integers in order, by networks of minima and maxima
 *
 * A network compares the same pairs whatever the data, so vectors go through it without a branch.
 * It is Batcher's bitonic sorter ("Sorting networks and their applications", 1968), in the form in
 * which every comparison puts the less in front: sorted runs of 1 << s elements become one of
 * twice as many by comparing each element i of both with its mirror image, i ^ ((2 << s) - 1), and
 * then those that lie 1 << (s - 1), .. 2, 1 apart.
 *
 * Which element of a row an index means is ours to choose while there is no order.  Steps of short
 * distance are the most frequent ones: an index counts vectors first, then lanes, so that these
 * compare whole vectors, and only the last runs, which are as long as a lane's, need shuffles.  At
 * the end blocks of as many vectors as lanes are transposed.
 *
 * A pass takes a few steps: all vectors that those compare with each other are in registers at
 * once, and memory is read and written once for all of them.
 *
 * Where few elements of a long row are wanted (SortShape.kept), lists of so many are sorted in each
 * lane; then of two lists the less of each element and its mirror image are the least of both, in
 * an order that is one merge away from sorted: that halves what is left, until one list is.
 *
 * Rows are padded to a power of two with what comes last.
 */
#include "cpu.h"

enum { MOST_BITS = 4, MOST_VECTORS = 1 << MOST_BITS };

typedef struct {
    Cpu *c;
    SortShape shape;
    int lanes, pass_bits; /* pass_bits: 1 << that many vectors are in registers at once */
    DType dtype;
    bool descending;
    LLVMTypeRef element, vector;
    int bytes; /* of an element */
    Val work;  /* the row's vectors */
} Sort;

/* Steps that compare vectors 1 << low to 1 << (low + bits - 1) apart, the farthest first. */
typedef enum {
    PASS_STEPS, /* those alone */
    PASS_MERGE, /* the first one compares mirror images of 2 << (low + bits - 1) vectors */
    PASS_SORT,  /* of runs of one vector, all merges */
    PASS_HALVE  /* of two lists of 1 << (low + bits) vectors the lesser ones, in front of those */
} PassKind;
typedef struct {
    PassKind kind;
    int low, bits;
} Pass;

/* --- pieces --- */

static Val number(const Sort *s, int64_t n)
{
    return llvm_int(s->c->l->i64, n);
}

static Val element_at(const Sort *s, Val base, Val index)
{
    return LLVMBuildGEP2(s->c->b, s->element, base, &index, 1, "");
}

/* Vector `index` + `more` of the row. */
static Val vector_at(const Sort *s, Val index, int64_t more)
{
    Val first = LLVMBuildMul(s->c->b, index, number(s, s->lanes), "");

    return element_at(s, element_at(s, s->work, first), number(s, more * s->lanes));
}

static Val load(const Sort *s, Val at)
{
    return llvm_load(s->c->b, s->vector, at, s->bytes);
}

static void store(const Sort *s, Val v, Val at)
{
    llvm_store(s->c->b, v, at, s->bytes);
}

/* The one that goes to the front, or to the back. */
static Val one_of(const Sort *s, bool front, Val a, Val b)
{
    return llvm_extreme(s->c->l, s->c->b, front == s->descending, dtype_is_signed(s->dtype), a, b);
}

static void compare(const Sort *s, Val *front, Val *back)
{
    Val a = *front, b = *back;

    *front = one_of(s, true, a, b);
    *back = one_of(s, false, a, b);
}

/* A loop of so many rounds, or no loop for one; gives its index. */
static Val begin_rounds(const Sort *s, Loop *l, int64_t rounds)
{
    if (rounds == 1)
        return number(s, 0);
    *l = cpu_loop_begin(s->c);
    return l->index;
}

static void end_rounds(const Sort *s, const Loop *l, int64_t rounds)
{
    if (rounds > 1)
        cpu_loop_end(s->c, l, rounds, 1);
}

/* --- among vectors --- */

/* Steps within registers: bit i of their number is bit low + i of the vector's, which is the other
 * way round where `mirrored` says. */
static void steps(const Sort *s, Val *v, int bits, int first, const bool *mirrored)
{
    for (int bit = first; bit >= 0; bit--) {
        for (int i = 0; i < 1 << bits; i++) {
            int other = i | 1 << bit;
            if (i & 1 << bit)
                continue;
            if (mirrored[i])
                compare(s, &v[other], &v[i]);
            else
                compare(s, &v[i], &v[other]);
        }
    }
}

static const bool none_mirrored[MOST_VECTORS];

static void sort_registers(const Sort *s, Val *v, int bits)
{
    for (int size = 1; size <= bits; size++) {
        for (int i = 0; i < 1 << bits; i++) {
            if ((i & 1 << (size - 1)) == 0)
                compare(s, &v[i], &v[i ^ ((1 << size) - 1)]);
        }
        steps(s, v, bits, size - 2, none_mirrored);
    }
}

/* The upper half of the registers is mirrored: their bits below are those of the mirror image. */
static void merge_registers(const Sort *s, Val *v, int bits)
{
    int half = 1 << (bits - 1);
    bool mirrored[MOST_VECTORS];

    for (int i = 0; i < 1 << bits; i++)
        mirrored[i] = i >= half;
    for (int i = 0; i < half; i++)
        compare(s, &v[i], &v[i | half]);
    steps(s, v, bits, bits - 2, mirrored);
}

/* Where the vectors of round `index` are. */
static void pass_places(const Sort *s, Pass p, Val index, Val *at)
{
    Bld b = s->c->b;
    int above = p.kind == PASS_HALVE ? 1 : 0, half = p.bits > 0 ? 1 << (p.bits - 1) : 0;
    Val below = LLVMBuildAnd(b, index, number(s, (1 << p.low) - 1), "");
    Val group = LLVMBuildLShr(b, index, number(s, p.low), "");
    Val first = LLVMBuildShl(b, group, number(s, p.low + p.bits + above), "");
    Val last = LLVMBuildAdd(b, first, number(s, (1 << (p.low + p.bits)) - 1), "");

    first = LLVMBuildAdd(b, first, below, "");
    last = LLVMBuildSub(b, last, below, "");
    for (int i = 0; i < 1 << p.bits; i++) {
        bool mirrored = p.kind == PASS_MERGE && i >= half;
        int64_t away = (int64_t)(mirrored ? i - half : i) << p.low;
        at[i] = vector_at(s, mirrored ? last : first, mirrored ? -away : away);
    }
}

/* Of a pass that halves: the mirror images in the second list, and where the results go. */
static void halved_places(const Sort *s, Pass p, Val index, Val *mirror, Val *to)
{
    Bld b = s->c->b;
    int list = p.low + p.bits;
    Val below = LLVMBuildAnd(b, index, number(s, (1 << p.low) - 1), "");
    Val group = LLVMBuildLShr(b, index, number(s, p.low), "");
    Val last = LLVMBuildShl(b, group, number(s, list + 1), "");
    Val first = LLVMBuildShl(b, group, number(s, list), "");

    last = LLVMBuildSub(b, LLVMBuildAdd(b, last, number(s, (2 << list) - 1), ""), below, "");
    first = LLVMBuildAdd(b, first, below, "");
    for (int i = 0; i < 1 << p.bits; i++) {
        mirror[i] = vector_at(s, last, -((int64_t)i << p.low));
        to[i] = vector_at(s, first, (int64_t)i << p.low);
    }
}

/* Over 1 << log vectors. */
static void pass(const Sort *s, Pass p, int log)
{
    int64_t rounds = (int64_t)1 << (log - p.bits - (p.kind == PASS_HALVE));
    Val at[MOST_VECTORS], mirror[MOST_VECTORS], v[MOST_VECTORS];
    Loop l = {0};
    Val index = begin_rounds(s, &l, rounds);

    pass_places(s, p, index, at);
    for (int i = 0; i < 1 << p.bits; i++)
        v[i] = load(s, at[i]);
    if (p.kind == PASS_HALVE) {
        halved_places(s, p, index, mirror, at);
        for (int i = 0; i < 1 << p.bits; i++)
            v[i] = one_of(s, true, v[i], load(s, mirror[i]));
    }
    if (p.kind == PASS_SORT)
        sort_registers(s, v, p.bits);
    else if (p.kind == PASS_MERGE)
        merge_registers(s, v, p.bits);
    else
        steps(s, v, p.bits, p.bits - 1, none_mirrored);
    for (int i = 0; i < 1 << p.bits; i++)
        store(s, v[i], at[i]);
    end_rounds(s, &l, rounds);
}

/* All steps from 1 << (high - 1) apart on, the first ones by a pass of that kind. */
static void passes(const Sort *s, PassKind first, int high, int log)
{
    PassKind kind = first;

    do {
        int bits = MIN(high, s->pass_bits);
        high -= bits;
        pass(s, (Pass){kind, high, bits}, log);
        kind = PASS_STEPS;
    } while (high > 0);
}

/* Runs of 1 << to vectors become sorted, in each lane. */
static void sort_lanes_apart(const Sort *s, int to)
{
    int done = MIN(to, s->pass_bits);

    if (to == 0)
        return;
    pass(s, (Pass){PASS_SORT, 0, done}, s->shape.bits);
    while (done++ < to)
        passes(s, PASS_MERGE, done, s->shape.bits);
}

/* --- among lanes --- */

/* Lane i of the result is lane i ^ by. */
static Val crossed(const Sort *s, Val v, int by)
{
    int lanes[LLVM_MAX_LANES];

    for (int i = 0; i < s->lanes; i++)
        lanes[i] = i ^ by;
    return llvm_shuffle(s->c->l, s->c->b, v, NULL, s->lanes, lanes);
}

/* Lanes of a where that bit of their number is not set, of b where it is. */
static Val by_bit(const Sort *s, int bit, Val a, Val b)
{
    int lanes[LLVM_MAX_LANES];

    for (int i = 0; i < s->lanes; i++)
        lanes[i] = i >> bit & 1 ? s->lanes + i : i;
    return llvm_shuffle(s->c->l, s->c->b, a, b, s->lanes, lanes);
}

static Val step_of_lanes(const Sort *s, Val v, int bit)
{
    Val other = crossed(s, v, 1 << bit);
    Val back = one_of(s, false, v, other);

    return by_bit(s, bit, one_of(s, true, v, other), back);
}

/* A vector and its mirror image: runs of 1 << bit lanes become runs of twice as many, but for the
 * steps among vectors. */
static void merge_lanes(const Sort *s, int bit)
{
    int64_t vectors = (int64_t)1 << s->shape.bits;
    Loop l = {0};
    Val index = begin_rounds(s, &l, vectors / 2);
    Val front_place = vector_at(s, index, 0);
    Val place[2] = {front_place, vector_at(s, LLVMBuildNeg(s->c->b, index, ""), vectors - 1)};
    Val a = load(s, place[0]), b = crossed(s, load(s, place[1]), (2 << bit) - 1);
    Val front = one_of(s, true, a, b), back = one_of(s, false, a, b);

    a = by_bit(s, bit, front, back);
    b = crossed(s, by_bit(s, bit, back, front), (2 << bit) - 1);
    for (int k = bit - 1; k >= 0; k--) {
        a = step_of_lanes(s, a, k);
        b = step_of_lanes(s, b, k);
    }
    store(s, a, place[0]);
    store(s, b, place[1]);
    end_rounds(s, &l, vectors / 2);
}

static int lane_bits(const Sort *s)
{
    return __builtin_ctz((unsigned)s->lanes);
}

/* v[i] has what lane i of all vectors had. */
static void transpose(const Sort *s, Val *v)
{
    for (int bit = 0; bit < lane_bits(s); bit++) {
        for (int i = 0; i < s->lanes; i++) {
            int other = i | 1 << bit;
            if (i & 1 << bit)
                continue;
            Val a = v[i], b = v[other];
            v[i] = by_bit(s, bit, a, crossed(s, b, 1 << bit));
            v[other] = by_bit(s, bit, crossed(s, a, 1 << bit), b);
        }
    }
}

/* The row as its elements follow each other. */
static void write_in_order(const Sort *s, Val to)
{
    int64_t vectors = (int64_t)1 << s->shape.bits, rounds = vectors / s->lanes;
    Val v[LLVM_MAX_LANES];
    Loop l = {0};
    Val index = begin_rounds(s, &l, rounds);
    Val first = LLVMBuildMul(s->c->b, index, number(s, s->lanes), "");

    for (int i = 0; i < s->lanes; i++)
        v[i] = load(s, vector_at(s, first, i));
    transpose(s, v);
    to = element_at(s, to, first);
    for (int i = 0; i < s->lanes; i++)
        store(s, v[i], element_at(s, to, number(s, i * vectors)));
    end_rounds(s, &l, rounds);
}

/* --- the first ones --- */

/* Of the lists of two lanes that differ in that bit both get the lesser elements. */
static void halve_lanes(const Sort *s, int bit)
{
    int64_t vectors = (int64_t)1 << s->shape.kept, rounds = MAX(vectors / 2, 1);
    Loop l = {0};
    Val index = begin_rounds(s, &l, rounds);
    Val front_place = vector_at(s, index, 0);
    Val place[2] = {front_place, vector_at(s, LLVMBuildNeg(s->c->b, index, ""), vectors - 1)};
    Val a = load(s, place[0]), b = load(s, place[1]);

    store(s, one_of(s, true, a, crossed(s, b, 1 << bit)), place[0]);
    store(s, one_of(s, true, b, crossed(s, a, 1 << bit)), place[1]);
    end_rounds(s, &l, rounds);
    if (s->shape.kept > 0)
        passes(s, PASS_STEPS, s->shape.kept, s->shape.kept);
}

static void select_first(const Sort *s, Val to, int64_t wanted)
{
    Loop l = {0};

    sort_lanes_apart(s, s->shape.kept);
    for (int log = s->shape.bits; log > s->shape.kept; log--) {
        int bits = MIN(s->shape.kept, s->pass_bits), low = s->shape.kept - bits;
        pass(s, (Pass){PASS_HALVE, low, bits}, log);
        if (low > 0)
            passes(s, PASS_STEPS, low, log - 1);
    }
    for (int bit = 0; bit < lane_bits(s); bit++)
        halve_lanes(s, bit);
    Val index = begin_rounds(s, &l, wanted);
    Val v = llvm_load(s->c->b, s->element, vector_at(s, index, 0), s->bytes);
    llvm_store(s->c->b, v, element_at(s, to, index), s->bytes);
    end_rounds(s, &l, wanted);
}

/* --- rows --- */

static Val last_key(const Sort *s)
{
    Val last = LLVMConstInt(s->element, ir_extreme(s->dtype, !s->descending), 0);

    return llvm_splat(s->c->b, last, s->lanes);
}

/* As many vectors as have those elements, which may end within the last one: what is behind is read
 * and written, too, and `fill` (or NULL) takes its place. */
static void copy(const Sort *s, Val from, Val to, int64_t elements, Val fill)
{
    int64_t whole = elements / s->lanes, rest = elements % s->lanes;
    Loop l = {0};

    if (whole > 0) {
        Val index = begin_rounds(s, &l, whole);
        Val first = LLVMBuildMul(s->c->b, index, number(s, s->lanes), "");
        Val place = element_at(s, to, first);
        store(s, load(s, element_at(s, from, first)), place);
        end_rounds(s, &l, whole);
    }
    if (rest == 0)
        return;
    Val first = number(s, whole * s->lanes), v = load(s, element_at(s, from, first));
    if (fill) {
        Val lane = llvm_iota(s->c->l->i32, s->lanes);
        Val there = LLVMBuildICmp(s->c->b, LLVMIntULT, lane, llvm_int(LLVMTypeOf(lane), rest), "");
        v = LLVMBuildSelect(s->c->b, there, v, fill, "");
    }
    store(s, v, element_at(s, to, first));
}

static void read_row(const Sort *s, Val from, int64_t elements)
{
    int64_t vectors = (int64_t)1 << s->shape.bits;
    int64_t used = (elements + s->lanes - 1) / s->lanes;
    Loop l = {0};

    copy(s, from, s->work, elements, last_key(s));
    if (used == vectors)
        return;
    Val index = begin_rounds(s, &l, vectors - used);
    Val place = vector_at(s, index, used);
    store(s, last_key(s), place);
    end_rounds(s, &l, vectors - used);
}

static void sort_row(const Sort *s, Val to, int64_t wanted)
{
    int64_t padded = (int64_t)s->lanes << s->shape.bits;

    sort_lanes_apart(s, s->shape.bits);
    for (int bit = 0; bit < lane_bits(s); bit++) {
        merge_lanes(s, bit);
        passes(s, PASS_STEPS, s->shape.bits, s->shape.bits);
    }
    if (wanted == padded) {
        write_in_order(s, to);
        return;
    }
    Val ordered = element_at(s, s->work, number(s, padded));
    write_in_order(s, ordered);
    copy(s, ordered, to, wanted, NULL);
}

void cpu_sort(Cpu *c, const Op *op, SortShape shape)
{
    const Type *from = op->operands[0]->type, *to = op->results[0]->type;
    int64_t columns = from->dims[from->rank - 1], wanted = to->dims[to->rank - 1];
    int64_t rows = type_numel(from) / columns;
    int source = plan_buffer(c->plan, op->operands[0]);
    Sort s = {.c = c, .shape = shape, .lanes = shape.lanes, .dtype = from->dtype};
    Loop l = {0};

    s.descending = attr_descending(op) != 0;
    s.pass_bits = c->machine->avx512f ? MOST_BITS : MOST_BITS - 1;
    s.element = cpu_buffer_type(c, source, 0);
    s.vector = llvm_vector(s.element, s.lanes);
    s.bytes = cpu_buffer_size(c, source);
    s.work = cpu_buffer(c, c->b, shape.work);
    Val row = begin_rounds(&s, &l, rows), in = cpu_buffer(c, c->b, source);
    Val out = cpu_buffer(c, c->b, plan_buffer(c->plan, op->results[0]));
    in = element_at(&s, in, LLVMBuildMul(c->b, row, number(&s, columns), ""));
    out = element_at(&s, out, LLVMBuildMul(c->b, row, number(&s, wanted), ""));
    read_row(&s, in, columns);
    if (shape.kept != SORT_ALL)
        select_first(&s, out, wanted);
    else
        sort_row(&s, out, wanted);
    end_rounds(&s, &l, rows);
}
