/*
 * plan_dot.c - how each product of tiles is multiplied: by which unit, in which blocks, and how its
 * operands lie
 *
 * Where the machine has a unit for the dtypes that takes the extents, operands keep the width that
 * they have in memory, and b is packed in front of the product: in panels of `lanes` columns, and
 * in these the 32 bits of a column that the unit multiplies at once side by side,
 *
 *     packed[panel][k / group][lane][k % group] = b[k][panel lanes + lane]
 *
 * Else a block of acc is multiplied out of the buffers as they are.  Where the nests that fill them
 * go through columns, they lie column by column (plan_turn()): elements of a are taken one by one,
 * and b is packed, in groups of one.
 *
 *   unit   dtypes      needs                     what it takes
 *   amx    i8          amx-int8                  tiles of 16 rows, 16 columns, 64 along k ..
 *   amx    bf16        amx-bf16                  .. and 32, or as much as divides M, N and K, where
 *                                                that is not too little
 *   vnni   i8          avx512vnni, avx512bw      everything
 *   pairs  i8          avx2                      everything; as i16, which packing makes of them
 *   fma    all                                   everything
 *
 * Where a loop does nothing with acc but add to it, products wait: operands of several
 * rounds lie side by side, those of a in one row, and are multiplied once all are there, or in the
 * last round.
 *
 * Rows and columns that nobody looks at, and elements along k that are zero, are left out, in whole
 * blocks and steps (plan_live.c).
 *
 * All multiply i8 exactly.  What amx does to bf16 is in cpu_dot_tiles.c, with what is done about
 * it.
 */
#include "plan_internal.h"

/* Full blocks of a product are as large as the registers allow: 16, and 32 with AVX-512 and NEON.
 * Wider than high they are where there are few rows, or too few sums would run side by side.  With
 * NEON an element of a is a load of its own, which AVX-512 has within the multiply-add: there the
 * block is the one with the fewest loads for its products. */
enum { ROWS = 6, ROWS_AVX512 = DOT_MAX_ROWS, VECTORS = 2, FEW_ROWS = 2 };
enum { ENOUGH_SUMS = 8 /* two units, of latency four */ };

enum { LINE = 64, CROWDED = 512 /* bytes */ };

/* The accumulators, the vectors of b, and one element of a in all lanes. */
#define REGISTERS(rows, vectors) ((rows) * (vectors) + (vectors) + 1)
_Static_assert(REGISTERS(ROWS, VECTORS) <= 16 && REGISTERS(FEW_ROWS, DOT_MAX_VECTORS) <= 16 &&
                   REGISTERS(ROWS_AVX512, VECTORS) <= 32 && REGISTERS(ROWS, DOT_MAX_VECTORS) <= 32,
               "a block stays in registers");

/* Where bytes of a have their sign, an element takes work of its own, for all vectors of a row:
 * there are more of them. */
enum { VNNI_LANES = 16, VNNI_ROWS = 6, VNNI_VECTORS = DOT_MAX_VECTORS };
_Static_assert(REGISTERS(VNNI_ROWS, VNNI_VECTORS) + 1 <= 32, "and what makes a unsigned");

enum { GROUP_BYTES = 4, TILE_ROWS = 16, TILE_COLUMNS = 16, TILE_ROW_BYTES = 64 };
enum { TILE_BLOCK = 2 /* tiles; of eight, four are sums, two of a and two of b */ };

/* Tiles that are full to so small a part still take less time than vectors.  Of bf16 a product has
 * so many multiply-adds, or looking for subnormal numbers takes what tiles save. */
enum { WORTH = 16, LEAST_WORK = 32 << 10 };

/* Each element of b is packed once, and multiplied so often at least, or packing does not pay. */
enum { LEAST_ROWS = 4 };

/* Bytes along k of a sum that is long enough, and of an operand that stays in the cache; and how
 * much more the accumulator takes than the operands before waiting pays. */
enum { LONG_SUM = 256, LONG_SUM_FMA = 512, MOST_TOGETHER = 128 << 10, SUM_SHARE = 4 };

typedef struct {
    int m, n, k;
} Extents;

static Extents extents_of(const Op *op)
{
    const Type *a = op->operands[DOT_A]->type, *b = op->operands[DOT_B]->type;

    return (Extents){
        .m = a->dims[a->rank - 2], .n = b->dims[b->rank - 1], .k = a->dims[a->rank - 1]};
}

static int group_of(const Op *op)
{
    return GROUP_BYTES / dtype_size(op->operands[DOT_A]->type->dtype);
}

/* The largest multiple of `step` that divides n, of those up to `most`; 0: there is none. */
static int part_of(int n, int most, int step)
{
    int best = 0;

    for (int part = step; part <= most; part += step)
        best = n % part == 0 ? part : best;
    return best;
}

/* Of a product: rows, columns, and elements along k.  Columns are a power of two, for vectors. */
typedef struct {
    int height, lanes, depth;
} Tile;

static Tile tile_of(const Op *op)
{
    Extents e = extents_of(op);
    int most = TILE_ROW_BYTES / dtype_size(op->operands[DOT_A]->type->dtype);

    return (Tile){part_of(e.m, TILE_ROWS, 1), MIN(e.n & -e.n, TILE_COLUMNS),
                  part_of(e.k, most, group_of(op))};
}

/* --- units --- */

static bool is_of(const Op *op, DType t)
{
    return op->operands[DOT_A]->type->dtype == t && op->operands[DOT_B]->type->dtype == t;
}

/* Do tiles take less time than vectors would? */
static bool tiles_pay(const Op *op)
{
    Extents e = extents_of(op);
    Tile t = tile_of(op);
    int bytes = t.depth * dtype_size(op->operands[DOT_A]->type->dtype);
    int64_t least = is_of(op, DT_BF16) ? LEAST_WORK : 0;

    return t.height >= LEAST_ROWS && (int64_t)e.m * e.n * e.k >= least &&
           t.height * t.lanes * bytes >= TILE_ROWS * TILE_COLUMNS * TILE_ROW_BYTES / WORTH;
}

/* As far as dtypes and extents go. */
static bool tiles_take(const Machine *m, const Op *op)
{
    bool there = (m->amx_int8 && is_of(op, DT_I8)) || (m->amx_bf16 && is_of(op, DT_BF16));

    return there && tiles_pay(op);
}

static bool is_multiplied(const Use *u)
{
    return u->op->code == OP_dot && u->operand != DOT_ACC;
}

/* It goes nowhere but into products that take it as it is in memory. */
static bool keeps_its_width(const Plan *p, const Value *v)
{
    const Use *uses = uses_of(&p->uses, v);

    if (v->type->dtype != DT_BF16 || v->type->pointer || p->options->debug)
        return false;
    for (int i = 0; i < uses_count(&p->uses, v); i++) {
        if (!is_multiplied(&uses[i]) || !tiles_take(&p->machine, uses[i].op))
            return false;
    }
    return true;
}

/* By which unit, when operands lie as it wants. */
static DotUnit wanted_unit(const Plan *p, const Op *op)
{
    const Machine *m = &p->machine;

    if (tiles_take(m, op))
        return DOT_AMX;
    if (!is_of(op, DT_I8) || extents_of(op).m < LEAST_ROWS || !m->avx2)
        return DOT_FMA;
    return m->avx512vnni && m->avx512bw ? DOT_VNNI : DOT_PAIRS;
}

static DType lies_as(const Plan *p, const Op *op, int operand)
{
    return p->buffers.at[plan_buffer(p, op->operands[operand])].dtype;
}

static DotUnit unit_of(const Plan *p, const Op *op)
{
    DType t = op->operands[DOT_A]->type->dtype;

    return lies_as(p, op, DOT_A) == t && lies_as(p, op, DOT_B) == t ? wanted_unit(p, op) : DOT_FMA;
}

/* --- rounds of a loop --- */

/* Nobody else looks at it, and it is computed in each round of that loop. */
static bool is_made_for(const Plan *p, const Value *v, const Block *body)
{
    return uses_count(&p->uses, v) == 1 && v->def && v->def->block == body && !plan_is_whole(v);
}

bool plan_only_adds(const Plan *p, const Op *op)
{
    const Value *acc = op->operands[DOT_ACC], *sum = op->results[0];
    const Block *body = op->block;

    if (!body->owner || body->owner->code != OP_for || acc->def || acc->block != body)
        return false;
    return uses_count(&p->uses, acc) == 1 && uses_count(&p->uses, sum) == 1 &&
           body->last->operands[acc->index - 1] == sum; /* argument 0 is the counter */
}

/* Is the accumulator what a round takes most for, read and written, or are the operands? */
static bool sum_is_most(const Op *op)
{
    Extents e = extents_of(op);
    int64_t sum = 2 * (int64_t)e.m * e.n * dtype_size(op->results[0]->type->dtype);
    int64_t operands = (int64_t)(e.m + e.n) * e.k * dtype_size(op->operands[DOT_A]->type->dtype);

    return sum >= SUM_SHARE * operands;
}

/* Where sums stay in registers from round to round, no rounding may be missed. */
static bool unit_may_wait(const Op *op, DotUnit unit)
{
    DType sum = op->results[0]->type->dtype;

    return unit == DOT_AMX || unit == DOT_VNNI || unit == DOT_PAIRS ||
           (unit == DOT_FMA && plan_register_dtype(sum) == sum);
}

static bool may_wait(const Plan *p, const Op *op)
{
    DotUnit unit = wanted_unit(p, op);

    return !p->options->debug && unit_may_wait(op, unit) &&
           (unit == DOT_FMA || extents_of(op).k % group_of(op) == 0) &&
           op->operands[DOT_A]->type->rank == 2 && plan_only_adds(p, op) &&
           is_made_for(p, op->operands[DOT_A], op->block) &&
           is_made_for(p, op->operands[DOT_B], op->block);
}

/* Tiles of as many rounds are multiplied together as make a long sum: then the accumulator is read
 * and written less often.  Blocks of multiply-adds do that in the same time however many there are;
 * by the faster units it counts where it is most of the work.  1 where each is multiplied by
 * itself. */
static int rounds_of(const Plan *p, const Op *op)
{
    Extents e = extents_of(op);
    bool by_fma = wanted_unit(p, op) == DOT_FMA;
    DType t = op->operands[DOT_A]->type->dtype;
    int64_t bytes = (int64_t)e.k * dtype_size(by_fma ? plan_register_dtype(t) : t);
    int longest = by_fma ? LONG_SUM_FMA : LONG_SUM, rounds = 1;

    if (!may_wait(p, op) || (!by_fma && !sum_is_most(op)))
        return 1;
    while (2 * rounds * bytes <= longest && 2 * rounds * bytes * MAX(e.m, e.n) <= MOST_TOGETHER)
        rounds *= 2;
    return rounds;
}

/* --- how operands lie --- */

/* Rows of a power of two come to few places of the first cache, so these are longer by a line. */
static int64_t pitch_of(DType t, int64_t columns)
{
    int size = dtype_size(t);

    return columns * size % CROWDED == 0 ? columns + LINE / size : columns;
}

/* Is it a tile of which only parts are read, vectors that begin anywhere in its rows? */
static bool is_read_in_parts(const Plan *p, const Value *v)
{
    for (int i = 0; i < uses_count(&p->uses, v); i++) {
        if (uses_of(&p->uses, v)[i].op->code != OP_slice)
            return false;
    }
    return v->type->rank > 1 && uses_count(&p->uses, v) > 0 && !p->options->debug;
}

/* Vectors at one place of all rows are aligned alike, where that takes at most half as much again:
 * none of those that begin a row, or follow one another from there, lie in two lines of the cache.
 * 0: rows are dense. */
static int64_t pitch_of_parts(const Plan *p, DType dtype, const Type *t)
{
    int64_t columns = t->dims[t->rank - 1], vector = p->machine.vector_bytes / dtype_size(dtype);
    int64_t pitch = pitch_of(dtype, (columns + vector - 1) / vector * vector);

    return 2 * pitch <= 3 * columns && pitch != columns ? pitch : 0;
}

/* Elements along k of so many rounds are together, or those of a row of b or a column of a. */
static void lay_out(Buffer *b, const Type *t, bool is_a, int rounds)
{
    bool along_k = is_a != b->turned;
    int64_t k = is_a ? t->dims[1] : t->dims[0], other = is_a ? t->dims[0] : t->dims[1];

    b->row = pitch_of(b->dtype, along_k ? rounds * k : other);
    b->apart = along_k ? k : k * b->row;
}

/* Room for both orders. */
static int64_t elements_of(DType dtype, const Type *t, bool is_a, int rounds)
{
    int64_t k = (int64_t)rounds * (is_a ? t->dims[1] : t->dims[0]);
    int64_t other = is_a ? t->dims[0] : t->dims[1];

    return MAX(k * pitch_of(dtype, other), other * pitch_of(dtype, k));
}

void plan_turn(Planner *pl, int buffer, const Value *v)
{
    Buffer *b = &pl->plan->buffers.at[buffer];
    const Use *u = uses_of(&pl->plan->uses, v);

    b->turned = true;
    lay_out(b, v->type, u->operand == DOT_A, b->rounds);
}

/* The product that alone reads it, or NULL. */
static const Op *sole_product(const Plan *p, const Value *v)
{
    const Use *u = uses_of(&p->uses, v);

    return uses_count(&p->uses, v) == 1 && is_multiplied(u) ? u->op : NULL;
}

/* Multiply-adds take elements of a one by one, and b is transposed where it is packed. */
static bool takes_either(const Plan *p, const Op *op)
{
    return wanted_unit(p, op) == DOT_FMA && !p->options->debug &&
           op->operands[DOT_A]->type->rank == 2 && op->operands[DOT_A] != op->operands[DOT_B];
}

/* By VNNI a's bytes are without a sign: made so once, by the nest that fills the buffer, not in
 * each product of a block. */
static bool is_biased(const Plan *p, const Value *v, const Op *product)
{
    return product && product->operands[DOT_A] == v && wanted_unit(p, product) == DOT_VNNI &&
           !plan_is_whole(v) && !p->options->debug;
}

int plan_buffer_for(Planner *pl, Value *v)
{
    const Plan *p = pl->plan;
    const Type *t = v->type;
    const Op *product = t->pointer ? NULL : sole_product(p, v);
    int rounds = product ? rounds_of(p, product) : 1;

    bool waits_narrow = rounds > 1 && wanted_unit(p, product) != DOT_FMA;
    bool is_narrow = !t->pointer && (waits_narrow || keeps_its_width(p, v));
    DType dtype = is_narrow ? t->dtype : plan_register_dtype(t->dtype);
    bool either = product && takes_either(p, product),
         is_a = product && product->operands[DOT_A] == v;
    int64_t elements =
        either ? elements_of(dtype, t, is_a, rounds) : (int64_t)rounds * type_numel(t);
    int64_t pitch = !t->pointer && is_read_in_parts(p, v) ? pitch_of_parts(p, dtype, t) : 0;
    if (pitch != 0)
        elements = type_numel(t) / t->dims[t->rank - 1] * pitch;
    int number = t->pointer ? plan_new_buffer(pl, t) : plan_add_buffer(pl, dtype, elements);
    Buffer *b = &pl->plan->buffers.at[number];
    b->either = either;
    b->biased = is_biased(p, v, product);
    b->row = pitch;
    b->rounds = rounds;
    if (either)
        lay_out(b, t, is_a, rounds);
    if (rounds > 1)
        b->loop = product->block->owner;
    if (rounds > 1 && !either) {
        b->apart = is_a ? t->dims[1] : type_numel(t);
        b->row = is_a ? (int64_t)rounds * t->dims[1] : t->dims[1];
    }
    b->same[DOT_A] = b->same[DOT_B] = -1;
    int same = -1, keep = product ? plan_keep(pl, v, product, rounds, &same) : 0;
    b = &pl->plan->buffers.at[number];
    b->same[is_a ? DOT_A : DOT_B] = b->alike = same;
    if (keep != 0)
        plan_add_slots(pl->plan, number, keep);
    return number;
}

/* Of what programs come back to, most is no longer in the caches that are near. */
static bool comes_back(const Plan *p, const Op *op, int operand)
{
    int keep = p->buffers.at[plan_buffer(p, op->operands[operand])].keep;

    return keep != 0 && p->keeps.at[keep - 1].several;
}

/* --- blocks --- */

/* What whole blocks leave over goes with the last of these into several that have almost as many
 * rows, since sums of few rows wait for each other. */
static int rest_of(int m, int rows, int vectors)
{
    int left = m % rows, most = m / rows + 1;

    for (int n = 1; left > 0 && n <= most; n++) {
        int all = left + (n - 1) * rows;
        if (all % n == 0 && all / n * vectors >= ENOUGH_SUMS)
            return all / n;
    }
    return left;
}

static DotPlan block_of_vectors(const Plan *p, const Op *op)
{
    Extents e = extents_of(op);
    DType sum = plan_register_dtype(op->results[0]->type->dtype);
    DotPlan d = {.unit = DOT_FMA, .lanes = p->machine.vector_bytes / dtype_size(sum)};

    while (d.lanes > 1 && d.lanes / 2 >= e.n)
        d.lanes /= 2;
    d.rows = MIN(e.m, p->machine.avx512f ? ROWS_AVX512 : ROWS);
    d.vectors = e.m <= FEW_ROWS || p->machine.neon ? DOT_MAX_VECTORS : VECTORS;
    return d;
}

static DotPlan block_of_pairs(const Plan *p, const Op *op)
{
    bool wide = p->machine.avx512bw;

    return (DotPlan){.unit = DOT_PAIRS,
                     .lanes = (wide ? MAX_VECTOR : MAX_VECTOR / 2) / dtype_size(DT_I32),
                     .rows = MIN(extents_of(op).m, wide ? ROWS_AVX512 : ROWS),
                     .vectors = VECTORS};
}

static DotPlan block_of_bytes(const Plan *p, const Op *op)
{
    Extents e = extents_of(op);
    bool biased = p->buffers.at[plan_buffer(p, op->operands[DOT_A])].biased;

    return (DotPlan){.unit = DOT_VNNI,
                     .lanes = VNNI_LANES,
                     .rows = MIN(e.m, biased ? ROWS_AVX512 : VNNI_ROWS),
                     .vectors = biased ? VECTORS : VNNI_VECTORS};
}

static DotPlan block_of_tiles(const Op *op)
{
    Extents e = extents_of(op);
    Tile t = tile_of(op);
    DotPlan d = {.unit = DOT_AMX, .lanes = t.lanes, .height = t.height, .depth = t.depth};

    d.rows = d.height * MIN(e.m / d.height, TILE_BLOCK);
    d.vectors = MIN(e.n / d.lanes, TILE_BLOCK);
    return d;
}

/* Up to whole parts. */
static int64_t rounded(int n, int part)
{
    return (n + (int64_t)part - 1) / part * part;
}

static DotPlan block_of(const Plan *p, const Op *op, DotUnit unit)
{
    switch (unit) {
    case DOT_AMX:
        return block_of_tiles(op);
    case DOT_VNNI:
        return block_of_bytes(p, op);
    case DOT_PAIRS:
        return block_of_pairs(p, op);
    default:
        return block_of_vectors(p, op);
    }
}

DotPlan plan_dot(Planner *pl, const Op *op)
{
    Extents e = extents_of(op);
    DType t = op->operands[DOT_B]->type->dtype;
    DotUnit unit = unit_of(pl->plan, op);
    DotPlan d = block_of(pl->plan, op, unit);

    d.rest = unit == DOT_AMX ? e.m % d.rows : rest_of(e.m, d.rows, d.vectors);
    d.packed = d.sums = d.widened = NO_BUFFER;
    d.rounds = rounds_of(pl->plan, op);
    d.group = 1;
    plan_live(pl->plan, op, &d);
    const Buffer *b = &pl->plan->buffers.at[plan_buffer(pl->plan, op->operands[DOT_B])];
    d.keep = b->keep;
    for (int i = 0; i < COUNT(d.asks); i++)
        d.asks[i] = unit != DOT_AMX && comes_back(pl->plan, op, i);
    if (unit == DOT_FMA && !b->turned)
        return d;
    if (unit == DOT_FMA)
        t = b->dtype;
    if (unit == DOT_PAIRS)
        t = DT_I16;
    if (unit != DOT_FMA)
        d.group = GROUP_BYTES / dtype_size(t);
    int64_t columns = rounded(e.n, d.lanes), depth = rounded(d.rounds * e.k, d.group);
    int more = unit == DOT_FMA ? d.lanes * d.lanes : 0; /* where whole vectors are transposed */
    d.packed = plan_add_buffer(pl, t, columns * depth + more);
    if (unit == DOT_VNNI)
        d.sums = plan_add_buffer(pl, DT_I32, columns);
    if (unit == DOT_PAIRS)
        d.widened = plan_add_buffer(pl, t, e.m * depth);
    if (d.keep != 0) {
        plan_add_slots(pl->plan, d.packed, d.keep);
        if (d.sums != NO_BUFFER)
            plan_add_slots(pl->plan, d.sums, d.keep);
    }
    return d;
}
