/*
 * nv_group_dot.c - products that four warps compute together: wgmma.mma_async
 *
 * The instruction multiplies 64 rows of A, which are in shared memory or in registers, and up to
 * 256 columns of B in shared memory, where the unit for matrices reads them by itself;
 * layout_wgmma.c says how they lie there.  The sum's fragments are those of mma.sync, 16 rows for
 * each warp.  Groups of warps go along the rows first, since then each has longer rows of the sum,
 * and what is read of B serves most.
 *
 * Elements of fp32 go through it as three pieces of bf16, which have all of an element's 24 bits,
 * in six products: those that are left out are below the sum's last bit.  The unit cuts off what a
 * sum has no room for, always toward zero, and these errors would add up; so it sums up parts of K,
 * each from zero on, and threads add them, rounded to nearest (Ootomo and Yokota, "Recovering
 * single precision accuracy from Tensor Cores", 2022; Henry, Tang and Heinecke, "Leveraging the
 * bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations", 2019).  What then
 * is not finite is multiplied once more by multiply-adds, so A and B are in shared memory as they
 * are, too.
 *
 * The unit works by itself.  A product that is summed up round by round of a loop, and that nobody
 * else asks for, goes on while threads begin the next round.
 */
#include "nv_dot.h"

/* --- whether --- */

/* The operand's rows in memory lie along K; of 2 bytes they may lie across it. */
static int along_k(MmaPart operand) /* which of its dimensions that is */
{
    return operand == MMA_A ? 1 : 0;
}

static bool lies_well(const NvPlan *p, const Value *v, int k)
{
    const Layout *home = nv_home(p, v);
    int8_t regs[LAYOUT_MAX_REG_BITS];

    return type_size(v->type) == 2 || !home ||
           layout_run_bits(home, k, regs) >= layout_run_bits(home, 1 - k, regs);
}

/* Of the instruction's sum. */
static int32_t rows_of(const NvDot *d)
{
    return d->turned ? d->n : d->m;
}

static int32_t columns_of(const NvDot *d)
{
    return d->turned ? d->m : d->n;
}

/* Of a product in pieces. */
static const char *what_hinders_pieces(NvPlan *p, const Op *op, const NvDot *d)
{
    /* registers of a thread, and of a part of the sum, and for all else, where there are few; of
     * shared memory */
    enum { MOST_SUM = 128, PART_SUM = 32, OTHERS = 88, FEW = 255, SHARE = 3 };
    int64_t sum = type_numel(op->results[0]->type) / nv_thread_count(p);
    int64_t there = p->chip->registers / nv_thread_count(p);
    bool few = there < FEW && sum + 2 * MIN(sum, PART_SUM) + OTHERS > there;
    const Value *b = op->operands[nv_dot_operand(d, MMA_B)];
    int64_t bytes = type_numel(b->type) * d->mma->pieces * d->mma->bytes;

    if (p->no_pieces)
        return "its pieces have no room in shared memory";
    if (nv_late_source(p, op, MMA_A, NULL) != op->operands[MMA_A])
        return "A is converted behind shared memory";
    if (sum > MOST_SUM || few)
        return "a thread has no registers for sums of parts";
    if (bytes > p->chip->shared / SHARE)
        return "the pieces of B take too much shared memory";
    return NULL;
}

/* Of a product whose sum is to lie in tensor memory: A comes from shared memory, as B does. */
static const char *what_hinders_rows(NvPlan *p, const Op *op, const NvDot *d)
{
    MmaPart rows = nv_dot_operand(d, MMA_A), columns = nv_dot_operand(d, MMA_B);

    if (nv_sums_in_parts(d->mma))
        return "its sums go in parts";
    if (nv_late_source(p, op, rows, NULL) != op->operands[rows])
        return "A is converted behind shared memory";
    if (!lies_well(p, op->operands[rows], along_k(rows)))
        return "A lies across K";
    if (!lies_well(p, op->operands[columns], along_k(columns)))
        return "B lies across K";
    return NULL;
}

/* NULL: nothing. */
static const char *what_hinders(NvPlan *p, const Op *op, const NvDot *d)
{
    enum { ROW = 32, COLUMNS = 16 }; /* bytes along K; columns of a group at least */
    MmaPart columns = nv_dot_operand(d, MMA_B);
    const Value *b = op->operands[columns];

    if (!chip_has(p->chip, CHIP_GROUPS))
        return "the chip has none";
    if (!d->mma->group)
        return "none for these types";
    if (p->no_sums)
        return "tensor memory has no room for its sum";
    if (op->results[0]->type->rank != 2)
        return "there are batches";
    if (nv_warp_bits(p) < WGMMA_WARP_BITS)
        return "fewer than 4 warps";
    if (rows_of(d) < WGMMA_ROWS)
        return "fewer than 64 rows";
    if (columns_of(d) < COLUMNS)
        return "fewer than 16 columns";
    if (d->k * d->mma->bytes < ROW)
        return "rows of K of less than 32 bytes";
    if (nv_late_source(p, op, columns, NULL) != b)
        return "B is converted behind shared memory";
    if (chip_has(p->chip, CHIP_TENSOR_MEMORY))
        return what_hinders_rows(p, op, d);
    if (d->mma->pieces > 1)
        return what_hinders_pieces(p, op, d);
    if (!lies_well(p, b, along_k(columns)))
        return "B lies across K";
    return NULL;
}

/* Is that worth while?  What the unit takes from memory alone is the other operand then, and rows
 * of what one product makes are no rows of the next one. */
static bool may_turn(NvPlan *p, const Op *op, const NvDot *d)
{
    if (op->results[0]->type->rank != 2)
        return false;
    return d->mma->pieces > 1 ? d->m < WGMMA_ROWS : d->m >= WGMMA_ROWS && !nv_is_chained(p, op);
}

/* Rows first, then columns; what neither has is computed twice.  Rows of bytes across K come
 * through registers, in pairs. */
static MmaTiling spread_groups(NvPlan *p, const Op *op, const NvDot *d)
{
    enum { COLUMN_BITS = 4 };
    MmaTiling t = {.shape = mma_shape(d->mma->bytes), .groups = true, .m_warps = WGMMA_WARP_BITS};
    int rows = layout_bits_of(rows_of(d)) - layout_bits_of(WGMMA_ROWS);
    int columns = layout_bits_of(columns_of(d)) - COLUMN_BITS;

    t.tall = d->in_tensor_memory && rows-- > 0;
    t.row_pairs = d->mma->bytes == 1 && nv_lies_across(p, op, nv_dot_operand(d, MMA_A));
    for (int left = nv_warp_bits(p) - WGMMA_WARP_BITS; left > 0; left--) {
        if (rows-- > 0 || columns-- <= 0)
            t.m_warps++;
        else
            t.n_warps++;
    }
    return t;
}

/* Along K.  Of fp32: as exact as so many multiply-adds in a row. */
static int32_t part_of(const Op *op, const NvDot *d)
{
    enum { PART = 32, OF_TWO = 64, FP8_PART = 128 }; /* two pieces are off by more than the unit */
    int32_t step = d->tiling.shape.k, most = FP8_PART;

    if (d->mma->pieces > 1)
        return d->mma->pieces > 2 ? PART : OF_TWO;
    if (!nv_sums_in_parts(d->mma))
        return 0;
    if (attr_imprecise(op) > 0)
        most = (int32_t)MIN(most, attr_imprecise(op));
    return MIN(most, d->k + step - 1) / step * step;
}

typedef struct {
    const char *hinders; /* NULL: nothing */
    bool turned;
} GroupWay;

/* Homes may change between the two times that a plan is asked for: the first answer holds. */
static bool goes_by_groups(NvPlan *p, const Op *op, NvDot *d)
{
    const GroupWay *known = map_get(p->group_ways, MAP_KEY(op));

    if (!known) {
        GroupWay *way = NEW(p->arena, GroupWay);
        way->hinders = what_hinders(p, op, d);
        d->turned = way->hinders && may_turn(p, op, d);
        way->turned = d->turned && !what_hinders(p, op, d);
        if (way->turned)
            way->hinders = NULL;
        map_put(p->group_ways, MAP_KEY(op), way);
        known = way;
    }
    d->no_groups = known->hinders;
    d->turned = known->turned;
    return !known->hinders;
}

bool nv_plan_group_dot(NvPlan *p, const Op *op, NvDot *d)
{
    if (!goes_by_groups(p, op, d))
        return false;
    p->has_groups = true;
    d->kind = DOT_WGMMA;
    d->in_tensor_memory = chip_has(p->chip, CHIP_TENSOR_MEMORY);
    d->tiling = spread_groups(p, op, d);
    d->part = part_of(op, d);
    p->has_pieces |= d->mma->pieces > 1;
    d->layout[MMA_A] = nv_mma_layout(p, d, MMA_A, op->operands[nv_dot_operand(d, MMA_A)]->type);
    d->layout[MMA_ACC] = nv_mma_layout(p, d, MMA_ACC, op->results[0]->type);
    return true;
}

/* --- operands --- */

/* Rows go along what is written in longer pieces, if the instruction can have it so. */
static SharedLayout place_operand(NvPlan *p, const NvDot *d, MmaPart part, const Value *v,
                                  WgmmaOperand *out)
{
    const Layout *home = nv_need_home(p, v);
    int k = along_k(nv_dot_operand(d, part));
    WgmmaTile t = {.bytes = d->mma->bytes, .k = k, .along = 1 - k};
    int8_t regs[LAYOUT_MAX_REG_BITS];
    SharedLayout memory;

    if (layout_run_bits(home, 1 - k, regs) > layout_run_bits(home, k, regs) &&
        shared_wgmma(home, &t, &memory, out))
        return memory;
    t.along = k;
    if (!shared_wgmma(home, &t, &memory, out))
        bug("an operand of wgmma has no place");
    return memory;
}

/* What it is the transpose of, if it is: that lies in memory once for all, as one product's rows
 * and another one's columns.  `memory` becomes that of it. */
static const Value *straighten(const Value *v, SharedLayout *memory)
{
    while (v->def && v->def->code == OP_permute && v->type->rank == 2) {
        int n, rows = layout_bits_of(v->type->dims[0]), columns = layout_bits_of(v->type->dims[1]);
        SharedLayout turned;
        if (attr_dims(v->def, &n)[0] != 1)
            break;
        shared_transpose(memory, rows, columns, &turned);
        *memory = turned;
        v = v->def->operands[0];
    }
    return v;
}

static void want_memory(NvPlan *p, NvStep *s, NvDot *d, MmaPart part)
{
    const Value *v = s->op->operands[nv_dot_operand(d, part)];
    NvOperand *o = &d->operand[part];
    SharedLayout memory = place_operand(p, d, part, v, &o->memory);

    o->place = memory;
    v = straighten(v, &memory);
    nv_need_home(p, v);
    NvTile *t = nv_shared_tile(p, v, &memory);

    t->by_unit = true;
    p->buffers.at[t->buffer].align = WGMMA_ALIGN;
    o->way = OPERAND_MEMORY;
    s->in[part] = t;
    nv_use(p, s, t->buffer, false, false);
}

/* B in pieces, and both as they are. */
static void want_pieces(NvPlan *p, NvStep *s, NvDot *d)
{
    const Value *a = s->op->operands[nv_dot_operand(d, MMA_A)];
    const Value *b = s->op->operands[nv_dot_operand(d, MMA_B)];
    NvOperand *o = &d->operand[MMA_B];
    int k = d->turned ? 1 : 0;

    s->in = NEW_N(p->arena, const NvTile *, DOT_WHOLE + 2);
    s->nin = DOT_WHOLE + 2;
    nv_want_fragments(p, s, d, MMA_A);
    s->in[DOT_WHOLE + MMA_A] = s->in[MMA_A];
    if (s->in[MMA_A]->buffer == NV_NO_BUFFER) {
        SharedAccess writer =
            nv_writer_of(nv_need_home(p, a), type_size(a->type), &(SharedAccess){0});
        SharedLayout memory;
        shared_choose(nv_home(p, a), type_size(a->type), &writer, 1, &memory);
        s->in[DOT_WHOLE + MMA_A] = nv_shared_tile(p, a, &memory);
        nv_use(p, s, s->in[DOT_WHOLE + MMA_A]->buffer, false, false);
    }
    o->place = place_operand(p, d, MMA_B, b, &o->memory);
    o->way = OPERAND_MEMORY;
    s->in[MMA_B] = nv_split_tile(p, b, &o->place, o->memory.trans ? 1 - k : k, d->mma->pieces);
    s->in[DOT_WHOLE + MMA_B] = s->in[MMA_B]->whole;
    nv_use(p, s, s->in[MMA_B]->buffer, false, false);
    nv_use(p, s, s->in[DOT_WHOLE + MMA_B]->buffer, false, false);
}

/* Registers of a thread that leave a multiprocessor two groups of warps at least, of one program or
 * of two, whose fifth warp is a producer. */
static int64_t room_of_group(const NvPlan *p)
{
    enum { OF_TWO = 3 }; /* warps of two programs in one quarter */

    return p->warps > 1 << WGMMA_WARP_BITS
               ? nv_ring_registers(p)
               : nv_quarter_registers(p) / OF_TWO / NV_REGISTER_UNIT * NV_REGISTER_UNIT;
}

/* What parts take: as many columns as there are registers for, as the unit reads rows in memory
 * once for each part; and two, so that one is begun before the one in front of it is added. */
static void size_parts(const NvPlan *p, const NvStep *s, NvDot *d)
{
    enum { FEW = 64, MANY = 128, OTHERS = 28 };
    static const struct {
        int columns, at_once;
    } ways[] = {{MANY, 2}, {MANY, 1}, {FEW, 2}, {FEW, 1}};
    int64_t sum = type_numel(s->op->results[0]->type) / nv_thread_count(p);
    int32_t threads = 1 << (p->chip->lane_bits + WGMMA_WARP_BITS), rows = 0;
    bool in_memory = d->operand[MMA_A].way == OPERAND_MEMORY, fits = false;

    if (!in_memory)
        rows = WGMMA_ROWS * d->part * d->mma->bytes * d->mma->pieces / 4 / threads;
    for (int i = in_memory ? 0 : 2; i < COUNT(ways) && !fits; i++) {
        d->part_columns = ways[i].columns;
        d->parts_at_once = ways[i].at_once;
        d->part_words = WGMMA_ROWS * d->part_columns / threads + rows;
        fits = d->mma->pieces > 1 || /* which have enough to do in between */
               sum + d->parts_at_once * d->part_words + OTHERS <= room_of_group(p);
    }
}

/* The innermost loop around an op that does not change the value; NULL: there is none. */
static const Op *loop_without(const Op *op, const Value *v)
{
    for (const Block *b = op->block; b && b != v->block; b = b->owner ? b->owner->block : NULL) {
        if (b->owner && b->owner->code == OP_for)
            return b->owner;
    }
    return NULL;
}

/* Registers of a thread for the sums of a loop's products, and for their rows that are not in
 * memory: what other products make, and what the loop does not change. */
typedef struct {
    NvPlan *plan;
    const Op *loop;
    int64_t words;
} LoopWords;

static void count_words(Op *op, void *count)
{
    LoopWords *c = count;

    if (op->code != OP_dot)
        return;
    const Value *rows = op->operands[MMA_A];
    int threads = nv_thread_count(c->plan);
    c->words += type_numel(op->results[0]->type) / threads;
    if (nv_is_chained(c->plan, op) || loop_without(op, rows))
        c->words += type_numel(rows->type) * type_size(rows->type) / 4 / threads;
}

/* Rows that a loop does not change are read once, where there is room: the unit would read them in
 * memory for each product. */
static bool keeps_rows(NvPlan *p, const NvStep *s, const NvDot *d, const Value *rows)
{
    enum { OTHERS = 40 };
    LoopWords count = {.plan = p, .loop = loop_without(s->op, rows)};

    if (!count.loop || d->turned || d->part > 0 || !nv_home(p, rows))
        return false;
    ir_walk(count.loop->regions[0], count_words, &count);
    return count.words + OTHERS <= room_of_group(p);
}

static void want_operands(NvPlan *p, NvStep *s, NvDot *d)
{
    MmaPart rows = nv_dot_operand(d, MMA_A);
    const Value *a = s->op->operands[rows];

    if (d->in_tensor_memory)
        want_memory(p, s, d, MMA_A);
    else if (keeps_rows(p, s, d, a))
        s->in[MMA_A] = nv_tile(p, a, d->layout[MMA_A]);
    else if (nv_late_source(p, s->op, rows, NULL) != a || !nv_goes_through_memory(p, d, MMA_A, a) ||
             !lies_well(p, a, along_k(rows)))
        nv_want_fragments(p, s, d, MMA_A);
    else
        want_memory(p, s, d, MMA_A);
    if (d->operand[MMA_A].way == OPERAND_REGISTERS && d->part == 0)
        d->kept = loop_without(s->op, a);
    d->at_once = d->kept || d->operand[MMA_A].way == OPERAND_MEMORY;
    want_memory(p, s, d, MMA_B);
}

void nv_want_group_operands(NvPlan *p, NvStep *s, NvDot *d)
{
    if (d->mma->pieces > 1)
        want_pieces(p, s, d);
    else
        want_operands(p, s, d);
    if (d->part > 0)
        size_parts(p, s, d);
}

/* --- products that go on --- */

/* Does something of that block write the buffer? */
static bool is_written(const NvBlock *b, int buffer)
{
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int k = 0; k < s->uses.len; k++) {
            if (s->uses.at[k].buffer == buffer && s->uses.at[k].write)
                return true;
        }
    }
    return false;
}

/* Is the sum what the round before has left, and what the next one begins with, and nothing else?
 * The memory format of an fp16 sum is made behind the product, for which that must be done. */
static bool is_only_carried(const NvBlock *body, const NvStep *s, const int *users)
{
    const NvTile *sum = s->out[0];

    for (int i = 0; i < body->nends; i++) {
        if (body->ends[i] == sum)
            return body->args[i + 1] == s->in[MMA_ACC] && users[sum->id] == 1 &&
                   users[s->in[MMA_ACC]->id] == 1 && sum->value->type->dtype != DT_FP16;
    }
    return false;
}

void nv_find_flying(NvPlan *p, const NvBlock *body, const int *users, const bool *copied,
                    NvAhead *a)
{
    for (int i = 0; i < body->steps.len; i++) {
        const NvStep *s = body->steps.at[i];
        const NvDot *d = s->kind == NV_DOT ? s->detail : NULL;
        bool flies = d && d->kind == DOT_WGMMA && d->part == 0 && is_only_carried(body, s, users);
        for (int part = MMA_A; flies && part <= MMA_B; part++)
            flies = d->operand[part].way == OPERAND_MEMORY &&
                    (copied[s->in[part]->id] || !is_written(body, s->in[part]->buffer));
        if (flies)
            vec_push(p->arena, &a->flying, s);
    }
}

/* Behind its last product each thread waits for those of the round before, then all wait for each
 * other; so the copies of a round take the place of what these have read. */
void nv_let_fly(const NvPlan *p, const NvStep *loop, NvAhead *a)
{
    for (int i = 0; i < a->flying.len; i++)
        ((NvDot *)a->flying.at[i]->detail)->in_flight = a->flying.len;
    if (a->flying.len == 0)
        return;
    a->free = nv_wait_warps(p);
    a->landed = (NvWait){.kind = NV_WAIT_PRODUCTS, .who = loop->who};
}
