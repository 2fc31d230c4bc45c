/*
 * nv_access.c - how global memory is accessed: coalesced layouts, and the width of accesses
 *
 * The axis analysis says along which dimension addresses are neighbours, for how many elements, and
 * how they are aligned.  Lanes go along that dimension, each with as many elements as 16 bytes hold
 * where alignment, extent and mask allow.  Accesses of one shape that go along the same dimensions
 * share one layout, made for the widest element among them, so that what is computed from one to
 * the other does not move.
 */
#include "nv_anywhere.h"

enum {
    WORD = 4,   /* bytes of a lane that are together a line of 32 lanes */
    SECTOR = 32 /* bytes that memory gives at least */
};

/* Dimensions from the one with the longest runs of neighbours to the one with the shortest; of
 * equals the last one first. */
static void order_of(const NvPlan *p, const Value *pointer, int8_t order[MAX_RANK])
{
    const Axis *x = axis_of(p->axis, pointer);
    int rank = pointer->type->rank;

    order[0] = (int8_t)(rank - 1);
    for (int i = 1; i < rank; i++) {
        int d = rank - 1 - i, at = i;
        for (; at > 0 && x->contiguity[order[at - 1]] < x->contiguity[d]; at--)
            order[at] = order[at - 1];
        order[at] = (int8_t)d;
    }
}

static int log2_of(int64_t n)
{
    return 63 - __builtin_clzll((unsigned long long)MAX(n, 1));
}

/* The largest power of two that divides n, as its logarithm. */
static int twos_in(int64_t n)
{
    return n == 0 ? 62 : __builtin_ctzll((unsigned long long)n);
}

/* Bits of the number of elements along `dim` whose addresses are neighbours, from any index that is
 * a multiple of that number on. */
static int run_bits(const NvPlan *p, const Value *pointer, int dim)
{
    int64_t run = axis_of(p->axis, pointer)->contiguity[dim], extent = pointer->type->dims[dim];

    return run == extent ? layout_bits_of(pointer->type->dims[dim]) : twos_in(run);
}

/* Bits of the number of elements that an instruction for such an access may have. */
static int most_bits(const NvPlan *p, const Op *access)
{
    bool plain = !op_has(access, READS) || !op_has(access, WRITES);
    int size = type_size(&(Type){.dtype = access->operands[0]->type->dtype});

    return plain ? log2_of(NV_ACCESS_BYTES / size) : nv_atomic_bits(p, access);
}

/* Bits of the number of elements along `dim` that one instruction may move. */
static int vector_bits(const NvPlan *p, const Op *access, int dim)
{
    const Value *pointer = access->operands[0], *mask = op_operand(access, ir_access(access).mask);
    int size = type_size(&(Type){.dtype = pointer->type->dtype});
    int bits = MIN(run_bits(p, pointer, dim), twos_in(pointer->type->dims[dim]));

    bits = MIN(bits, most_bits(p, access));
    bits = MIN(bits, twos_in(axis_of(p->axis, pointer)->divisibility) - log2_of(size));
    if (mask) {
        int64_t same = axis_of(p->axis, mask)->constancy[dim];
        bits = MIN(bits, same == mask->type->dims[dim] ? bits : twos_in(same));
    }
    return MAX(bits, 0);
}

/* --- layouts --- */

static bool may_have_vectors(const NvPlan *p, const Op *op)
{
    bool is_atomic = op->code == OP_atomic_rmw;

    return ir_access(op).effect && op->code != OP_atomic_cas && op->operands[0]->type->rank > 0 &&
           most_bits(p, op) > (is_atomic ? 0 : -1);
}

/* Bits of the number of neighbours for which addresses, and what else a load depends on, are
 * alike. */
static int equal_bits(const NvPlan *p, const Op *load, int dim)
{
    int bits = layout_bits_of(load->operands[0]->type->dims[dim]);

    for (int i = 0; i < load->noperands; i++) {
        int64_t same = axis_of(p->axis, load->operands[i])->constancy[dim];
        if (same != load->operands[i]->type->dims[dim])
            bits = MIN(bits, twos_in(same));
    }
    return bits;
}

/* Does it go into products and nowhere else, as it is? */
static bool only_multiplied(const NvPlan *p, const Value *v, int depth)
{
    enum { MOST = 4, FACTORS = 2 };
    const Use *uses = uses_of(&p->uses, v);

    for (int i = 0; i < uses_count(&p->uses, v); i++) {
        const Op *op = uses[i].op;
        bool moves = op->nresults == 1 && op_has(op, MOVES) && depth < MOST;
        bool factor = op->code == OP_dot && uses[i].operand < FACTORS;
        if (!factor && !(moves && only_multiplied(p, op->results[0], depth + 1)))
            return false;
    }
    return true;
}

/* Nothing else has to be in such a load's layout.  In a loop: what is loaded once is no matter, and
 * wider vectors of it may be what registers are short of. */
static bool is_multiplied(const NvPlan *p, const Op *access)
{
    const Op *loop = access->block->owner;
    return access->code == OP_load && loop && loop->code == OP_for &&
           only_multiplied(p, access->results[0], 0);
}

static NvGroup *group_of(NvPlan *p, const Value *pointer)
{
    int8_t order[MAX_RANK];

    order_of(p, pointer, order);
    for (int i = 0; i < p->groups.len; i++) {
        NvGroup *g = &p->groups.at[i];
        if (g->fastest == order[0] && type_same_shape(g->shape, pointer->type))
            return g;
    }
    NvGroup new = {.shape = pointer->type,
                   .fastest = order[0],
                   .most = log2_of(NV_ACCESS_BYTES),
                   .word = log2_of(WORD)};
    vec_push(p->arena, &p->groups, new);
    return &p->groups.at[p->groups.len - 1];
}

static void join_group(Op *op, void *plan)
{
    NvPlan *p = plan;

    if (!may_have_vectors(p, op) || is_multiplied(p, op))
        return;
    NvGroup *g = group_of(p, op->operands[0]);
    int bits = vector_bits(p, op, g->fastest);
    int size = type_size(&(Type){.dtype = op->operands[0]->type->dtype});
    g->widest = MAX(g->widest, bits);
    g->word = bits > 0 || op_only_reads(op) ? MIN(g->word, log2_of(WORD / size)) : 0;
    int equal = bits == 0 && op_only_reads(op) ? equal_bits(p, op, g->fastest) : 0;
    if (equal < layout_bits_of(op->operands[0]->type->dims[g->fastest]))
        g->equal = MAX(g->equal, equal);
    if (bits == 0 && op_only_reads(op) &&
        (equal > 0 || nv_hardly_changes(p, op->operands[0], g->fastest) ||
         nv_is_looked_up(p, op->operands[0], g->fastest)))
        return; /* any layout does: of equal ones, the more of them a thread has, the less it reads
                 */
    if (bits > 0) {
        g->most = MIN(g->most, most_bits(p, op));
        g->with += size;
    } else {
        g->without += size;
    }
}

/* A scan of several values across the dimension that is fastest in memory, where lanes along that
 * one read whole lines: along the other one they would shuffle for each of their registers.  One
 * value goes there and back through shared memory.  Along the fastest one, where lanes shuffle
 * all of the values once for each run of a thread's neighbours, a lane has as many neighbours as
 * a sector of memory, if it reads them by vectors. */
static void join_scan(Op *op, void *plan)
{
    NvPlan *p = plan;

    for (int i = 0; op->code == OP_scan && op->nresults > 1 && i < p->groups.len; i++) {
        NvGroup *g = &p->groups.at[i];
        if (!type_same_shape(g->shape, op->operands[0]->type))
            continue;
        if (attr_axis(op) == g->fastest)
            g->run = log2_of(SECTOR) - log2_of(WORD);
        else if (layout_bits_of(g->shape->dims[g->fastest]) >= p->chip->lane_bits)
            g->scanned = attr_axis(op) + 1;
    }
}

static const NvGroup *joined_group(NvPlan *p, const Value *pointer)
{
    if (p->groups.len == 0) {
        ir_walk(p->func->body, join_group, p);
        ir_walk(p->func->body, join_scan, p);
    }
    return group_of(p, pointer);
}

/* Vectors that all accesses of this shape and order share.  Those that go by elements are better
 * off with neighbours in neighbouring lanes, so they win where they move more; but for the elements
 * of a word, which lanes beside each other read a line of memory of either way.  Where any layout
 * does, a thread has all the neighbours that are equal. */
static int shared_vector_bits(const NvPlan *p, const NvGroup *g)
{
    int bits = MIN(g->widest, g->with >= g->without ? g->most : g->word);
    int lines = layout_bits_of(g->shape->dims[g->fastest]) - p->chip->lane_bits;

    if (g->with == 0 && g->without == 0)
        return MIN(g->equal, g->most);
    if (g->scanned > 0)
        return MIN(bits, lines);
    return bits > 0 ? MAX(bits, g->run) : 0;
}

/* --- loads of packed numbers --- */

static bool feeds_product(const NvPlan *p, const Value *v, int depth);

/* Does a loop hand it to a round that has it multiplied? */
static bool feeds_carried(const NvPlan *p, const Use *use, int depth)
{
    const Op *op = use->op, *loop = op->code == OP_for ? op : op->block->owner;
    int at = op->code == OP_for ? use->operand - FOR_BOUNDS : use->operand;

    return loop && loop->code == OP_for && at >= 0 && (op == loop || op == op->block->last) &&
           feeds_product(p, loop->regions[0]->args[at + 1], depth);
}

/* Is an operand of a product computed of it? */
static bool feeds_product(const NvPlan *p, const Value *v, int depth)
{
    enum { MOST = 12 };
    const Use *uses = uses_of(&p->uses, v);

    for (int i = 0; depth < MOST && i < uses_count(&p->uses, v); i++) {
        const Op *op = uses[i].op;
        bool goes_on = op->nresults == 1 && (op_is_elementwise(op) || op_has(op, MOVES));
        if (op->code == OP_dot || (goes_on && feeds_product(p, op->results[0], depth + 1)) ||
            (!goes_on && feeds_carried(p, &uses[i], depth + 1)))
            return true;
    }
    return false;
}

/* Bits of neighbours for which a load reads the same along another dimension than the fastest one,
 * *across, as of packed numbers of which each row takes its part: a thread reads them once, and
 * knows how far to shift.  Tiles that are multiplied move from there anyhow.  0: there are none, or
 * all of them are. */
static int alike_bits(const NvPlan *p, const Op *op, int fastest, int *across)
{
    const Type *t = op->operands[0]->type;

    if (op->code != OP_load || t->rank < 2 || !feeds_product(p, op->results[0], 0))
        return 0;
    for (int d = 0; d < t->rank; d++) {
        int bits = d != fastest ? equal_bits(p, op, d) : 0;
        *across = d;
        if (bits > 0 && bits < layout_bits_of(t->dims[d]))
            return bits;
    }
    return 0;
}

/* Threads come first: no more elements than each of them has. */
static int fair_bits(const NvPlan *p, const Type *t, int bits)
{
    int64_t each = type_numel(t) / ((int64_t)nv_thread_count(p));

    return MIN(bits, log2_of(each));
}

/* The lowest `bits` bits of the index along `dim`, in the coordinate. */
static uint32_t index_bits_below(const Layout *l, int dim, int bits)
{
    return (uint32_t)(((UINT64_C(1) << bits) - 1) << layout_shift(l, dim));
}

/* Along that dimension each thread has neighbours, and warps are apart: what registers and warps
 * have of it, in order. */
static const Layout *with_runs(NvPlan *p, const Layout *of, int dim)
{
    Layout l = *of;
    uint32_t *at[LAYOUT_MAX_BITS], along = index_bits_below(&l, dim, l.bits[dim]);
    int n = 0;

    for (int i = 0; i < l.nreg + l.nwarp; i++) {
        uint32_t *basis = i < l.nreg ? &l.reg[i] : &l.warp[i - l.nreg];
        if (*basis != 0 && (*basis & ~along) == 0)
            at[n++] = basis;
    }
    for (int i = 0; i < n; i++) {
        int least = i;
        for (int k = i + 1; k < n; k++)
            least = *at[k] < *at[least] ? k : least;
        uint32_t moved = *at[least];
        *at[least] = *at[i];
        *at[i] = moved;
    }
    return nv_layout(p, &l);
}

/* With 1 << alike registers along that dimension, but of no more elements than a thread has. */
static const Layout *blocked(NvPlan *p, const Value *pointer, int bits, int across, int alike)
{
    const Type *t = pointer->type;
    int8_t order[MAX_RANK];
    Layout l;

    order_of(p, pointer, order);
    bits = MIN(fair_bits(p, t, bits), layout_bits_of(t->dims[order[0]]));
    alike = alike > 0 ? fair_bits(p, t, bits + alike) - bits : 0;
    bool made = alike > 0
                    ? layout_blocked_equal(&l, t->rank, t->dims, order, bits, across, alike,
                                           nv_block_threads(p))
                    : layout_blocked(&l, t->rank, t->dims, order, bits, NULL, nv_block_threads(p));
    return made ? nv_layout(p, &l) : nv_default_layout(p, t); /* which says that it is too large */
}

const Layout *nv_coalesced_pointer(NvPlan *p, const Value *pointer)
{
    int8_t order[MAX_RANK];
    int size = type_size(&(Type){.dtype = pointer->type->dtype});

    order_of(p, pointer, order);
    int bits = MIN(run_bits(p, pointer, order[0]), log2_of(NV_ACCESS_BYTES / size));
    bits = MIN(bits, twos_in(axis_of(p->axis, pointer)->divisibility) - log2_of(size));
    return blocked(p, pointer, MAX(bits, 0), -1, 0);
}

/* Along which dimension vectors go. */
static int fastest(const NvPlan *p, const Value *pointer)
{
    int8_t order[MAX_RANK];

    order_of(p, pointer, order);
    return order[0];
}

const Layout *nv_by_elements(NvPlan *p, const Value *pointer)
{
    return blocked(p, pointer, 0, -1, 0);
}

const Layout *nv_coalesced(NvPlan *p, const Op *access)
{
    const Value *pointer = access->operands[0];
    int across = -1, alike = alike_bits(p, access, fastest(p, pointer), &across);
    const NvGroup *g = joined_group(p, pointer);
    int bits =
        is_multiplied(p, access) ? vector_bits(p, access, g->fastest) : shared_vector_bits(p, g);
    const Layout *l = blocked(p, pointer, bits, across, alike);

    return g->scanned > 0 ? with_runs(p, l, g->scanned - 1) : l;
}

int nv_most_vector_bits(const NvPlan *p, const Op *access, int *dim)
{
    *dim = fastest(p, access->operands[0]);
    return vector_bits(p, access, *dim);
}

/* Bits of the thread's number that only give copies. */
static uint32_t copies_of(const Layout *l)
{
    Inverse v;

    layout_invert(l, &v);
    return layout_thread(l, v.copies);
}

/* Bits of the register's number that move none of the coordinate but these bits. */
static uint32_t registers_within(const Layout *l, uint32_t within)
{
    uint32_t bits = 0;

    for (int i = 0; i < l->nreg; i++) {
        if ((l->reg[i] & ~within) == 0)
            bits |= 1u << i;
    }
    return bits;
}

uint32_t nv_equal_registers(const NvPlan *p, const Value *v, const Layout *l)
{
    const Axis *x = axis_of(p->axis, v);
    uint32_t within = 0;

    for (int d = 0; d < l->rank; d++) {
        bool all = x->constancy[d] == l->dims[d];
        within |= index_bits_below(l, d, all ? l->bits[d] : twos_in(x->constancy[d]));
    }
    return registers_within(l, within);
}

const NvAccess *nv_access(NvPlan *p, const Op *access, const Layout *l, bool vectors)
{
    NvAccess *a = NEW(p->arena, NvAccess);
    const Value *pointer = access->operands[0];

    *a = (NvAccess){.copies = p->alone ? 0 : UINT32_MAX};
    if (!l)
        return a;
    int dim = fastest(p, pointer);
    int run = layout_run_bits(l, dim, a->regs);
    a->vector_bits = vectors ? MIN(run, vector_bits(p, access, dim)) : 0;
    a->run = registers_within(l, index_bits_below(l, dim, run_bits(p, pointer, dim)));
    a->copies = copies_of(l);
    return a;
}

/* --- loads --- */

/* Of what nobody writes while the kernel runs? */
static bool reads_constant(const NvPlan *p, const Op *load)
{
    uint64_t bases = ir_bases_of(p->bases, load->operands[0]);

    return bases != 0 && (bases & ~p->constant) == 0;
}

static bool is_small(const NvPlan *p, const Op *op)
{
    return op && op->code == OP_load && !op_is_volatile(op) &&
           type_numel(op->results[0]->type) <= nv_thread_count(p) && reads_constant(p, op);
}

bool nv_is_small_load(const NvPlan *p, const Op *op)
{
    return is_small(p, op) && !map_get(p->fields, MAP_KEY(op));
}

/* Is it of a loop's round, or what is loaded alive in none? */
static bool has_its_round(const Op *op)
{
    const Op *owner = op->block->owner;

    if (owner && owner->code == OP_for)
        return true;
    for (; op; op = op->block->owner) {
        for (const Op *next = op->next; next; next = next->next) {
            if (next->code == OP_for || next->code == OP_while)
                return false;
        }
    }
    return true;
}

/* A small tile of addresses that any thread can compute is loaded where it is wanted: all threads
 * of the program would meet for passing it on.  Where nobody wants it anywhere it lies along its
 * last dimension, so that is to be the one along which it is read. */
static bool follows_users(const NvPlan *p, const Op *op)
{
    if (!is_small(p, op) || !has_its_round(op) || op->results[0]->type->rank == 0 ||
        fastest(p, op->operands[LOAD_PTR]) != op->results[0]->type->rank - 1)
        return false;
    for (int i = 0; i < op->noperands; i++) {
        if (nv_home(p, op->operands[i]))
            return false;
    }
    return true;
}

/* Where such a tile is wanted; many registers of it would rather come from shared memory. */
static const Layout *wanted_home(NvPlan *p, const Op *op, const Layout *wanted)
{
    enum { MOST = 8 };
    const Op *owner = op->block->owner;
    bool in_loop = owner && owner->code == OP_for;

    return !wanted || in_loop || layout_registers(wanted) <= MOST ? wanted : nv_coalesced(p, op);
}

/* Where nobody had a say in it before it was wanted. */
static void choose_late(NvPlan *p, const Op *op, const Layout *wanted)
{
    const Layout *beside = nv_fields_home(p, op);
    bool common = wanted && nv_is_common(p, op, wanted);
    const Layout *made = nv_home(p, op->operands[LOAD_PTR]);
    NvValue *facts = nv_value(p, op->results[0]);

    if (beside)
        facts->home = beside;
    else if (common && made)
        facts->home = made;
    else if (common || made)
        facts->home = nv_coalesced(p, op);
    else
        facts->home = wanted_home(p, op, wanted);
    if (common)
        nv_make_common(p, op);
}

void nv_choose_load(NvPlan *p, const Op *op)
{
    const Value *v = op->results[0];

    *nv_value(p, v) = (NvValue){.cost = nv_is_tile(v) ? NV_CHEAP + 1 : 0};
    if (nv_is_tile(v) && !follows_users(p, op) && !nv_may_be_common(p, op))
        nv_set_home(p, v, nv_coalesced(p, op), NV_PLAIN);
}

/* Bits of the register's number that change nothing of what a load reads. */
static uint32_t equal_loads(const NvPlan *p, const NvStep *s, const Layout *l)
{
    uint32_t equal = UINT32_MAX;

    if (!l || s->once || op_is_volatile(s->op))
        return 0;
    for (int i = 0; i < s->op->noperands; i++)
        equal &= nv_equal_registers(p, s->op->operands[i], l);
    return equal;
}

void nv_list_load(NvPlan *p, const Op *op)
{
    NvValue *facts = nv_value(p, op->results[0]);

    if (!facts->home && facts->tiles.len > 0)
        choose_late(p, op, facts->tiles.at[0]->layout);
    NvTile *t = nv_result(p, op, 0);
    if (nv_list_field(p, op, t) || !t)
        return;
    NvStep *s = nv_step(p, NV_LOAD, op);
    s->out[0] = t;
    s->access = nv_access(p, op, t->layout, true);
    s->once = nv_once_loaded(p, s, t->layout);
    s->same = equal_loads(p, s, t->layout);
    for (int i = 0; i < op->noperands; i++)
        nv_want(p, s, i, t->layout);
    nv_list(p, s);
}

/* A load of a constant array behind a store, a barrier or the end of a loop's round gains if the
 * assembler may move it up.  Behind none of these it could only move it down, behind stores of what
 * was loaded before, so that one wait for memory becomes two; those stay where they are. */
static void find_early_loads(const NvPlan *p, const NvBlock *b, bool behind)
{
    for (int i = 0; i < b->steps.len; i++) {
        NvStep *s = b->steps.at[i];
        s->early = s->kind == NV_LOAD && behind && reads_constant(p, s->op);
        for (int r = 0; r < COUNT(s->body); r++) {
            if (s->body[r])
                find_early_loads(p, s->body[r], behind || s->kind != NV_IF);
        }
        if (s->ahead)
            find_early_loads(p, &s->ahead->steps, true);
        behind = behind || nv_meets(&s->within) || s->body[0] ||
                 (s->op && op_has(s->op, WRITES | EFFECT));
    }
}

void nv_find_early_loads(NvPlan *p)
{
    find_early_loads(p, p->body, false);
}
