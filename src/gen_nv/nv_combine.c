/*
 * nv_combine.c - what reductions and scans have in common; see nv_combine.h
 *
 * Between threads values go as words, in register form: sums of small floats are not rounded before
 * their end.
 *
 * Elements beyond the extent do not exist.  Where some element changes nothing, they become that
 * one at the start; where there is none, the later of two parts counts only if its first element
 * exists (if it does not, neither does anything behind it).
 */
#include "nv_combining.h"

#include <string.h>

/* --- the region --- */

static void apply_region(Combining *c, const Part *a, const Part *b, Part *out)
{
    Val args[2 * MAX_COMBINED];

    if (c->wide) {
        Val in[] = {a->v[0], b->v[0]};
        *out = (Part){{emit_unrounded(&c->n->e, c->n->b, c->plan->kind.only, in)}};
        return;
    }
    for (int k = 0; k < c->count; k++) {
        args[k] = a->v[k];
        args[c->count + k] = b->v[k];
    }
    nv_region(c->n, c->step->body[0], args, out->v);
}

void combining_select(Combining *c, Val condition, const Part *a, const Part *b, Part *out)
{
    for (int k = 0; k < c->count; k++)
        out->v[k] = LLVMBuildSelect(c->n->b, condition, a->v[k], b->v[k], "");
}

/* i1: does the row exist that a register is in, and is this the thread to do it?  NULL: always. */
static Val may_run(Combining *c, int r)
{
    const Layout *l = c->plan->layout;
    uint32_t threads = (1u << (NV_LANE_BITS + l->nwarp)) - 1;
    Val all =
        c->plan->once ? nv_is_first(c->n, threads & ~nv_telling_bits(c->plan, c->done)) : NULL;

    for (int d = 0; d < l->rank; d++) {
        if (d == c->plan->axis || (l->dims[d] & (l->dims[d] - 1)) == 0)
            continue;
        Val at = nv_index(c->n, l, r, d), end = llvm_int(c->n->l->i32, l->dims[d]);
        all = nv_both(c->n, all, LLVMBuildICmp(c->n->b, LLVMIntULT, at, end, ""));
    }
    return all;
}

/* The region behind a branch. */
static void apply_behind(Combining *c, Val when, const Part *a, const Part *b, const Part *other,
                         Part *out)
{
    Nv *n = c->n;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(n->b), in = nv_block(n), after = nv_block(n);
    Part both;

    LLVMBuildCondBr(n->b, when, in, after);
    LLVMPositionBuilderAtEnd(n->b, in);
    apply_region(c, a, b, &both);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(n->b);
    LLVMBuildBr(n->b, after);
    LLVMPositionBuilderAtEnd(n->b, after);
    for (int k = 0; k < c->count; k++) {
        Val phi = LLVMBuildPhi(n->b, LLVMTypeOf(both.v[k]), "");
        LLVMAddIncoming(phi, (Val[]){both.v[k], other->v[k]}, (LLVMBasicBlockRef[]){end, before},
                        2);
        out->v[k] = phi;
    }
}

void combining_apply(Combining *c, int r, const Part *a, const Part *b, Val when, const Part *other,
                     Part *out)
{
    Part both;

    if (c->plan->uses_memory)
        when = nv_both(c->n, when, may_run(c, r));
    if (c->plan->uses_memory && when) {
        apply_behind(c, when, a, b, other, out);
        return;
    }
    apply_region(c, a, b, &both);
    if (when)
        combining_select(c, when, &both, other, &both);
    *out = both;
}

void combining_append(Combining *c, int r, const Part *a, const Part *b, Certainty exists, Val when,
                      Part *out)
{
    if (exists == NEVER || !b->v[0])
        *out = *a;
    else
        combining_apply(c, r, a, b, exists == SOMETIMES ? when : NULL, a, out);
}

/* --- where elements are --- */

uint32_t combining_index(const Combining *c, int r)
{
    const Layout *l = c->plan->layout;

    return (uint32_t)layout_index(l, layout_at(l, (Holder){.reg = (uint32_t)r}), c->plan->axis);
}

int combining_register(const Combining *c, uint32_t index)
{
    int r = 0;

    for (; index; index &= index - 1)
        r |= 1 << c->plan->walk.step[__builtin_ctz(index)].bit;
    return r;
}

bool combining_is_left(const Combining *c, int r)
{
    return (combining_index(c, r) & c->done) == 0;
}

Certainty combining_exists(Combining *c, uint32_t index, Val *when)
{
    const Layout *l = c->plan->layout;
    uint32_t extent = (uint32_t)l->dims[c->plan->axis], moved = c->thread_bits & ~c->done;
    LLVMTypeRef i32 = c->n->l->i32;

    if (c->filled || (index | moved) < extent)
        return ALWAYS;
    if (index >= extent)
        return NEVER;
    Val thread = nv_index(c->n, l, 0, c->plan->axis);
    if (moved != c->thread_bits)
        thread = LLVMBuildAnd(c->n->b, thread, llvm_int(i32, moved), "");
    *when = LLVMBuildICmp(c->n->b, LLVMIntULT, thread, llvm_int(i32, extent - index), "");
    return SOMETIMES;
}

Val combining_bit(Combining *c, int index_bit)
{
    AxisStep s = c->plan->walk.step[index_bit];
    int bit = s.kind == STEP_WARP ? s.bit + NV_LANE_BITS : s.bit;
    LLVMTypeRef i32 = c->n->l->i32;
    Val set = LLVMBuildAnd(c->n->b, c->n->thread, llvm_int(i32, (int64_t)1 << bit), "");

    return LLVMBuildICmp(c->n->b, LLVMIntNE, set, llvm_int(i32, 0), "");
}

/* --- the start --- */

/* A NaN, or the worst there is, with an index behind all others. */
static void neutral_pair(const Combining *c, Part *out)
{
    const Type *t = c->step->op->operands[0]->type, *places = c->step->op->operands[1]->type;
    LLVMTypeRef value = emit_type(&c->n->e, t, 0), index = emit_type(&c->n->e, places, 0);
    bool worst_is_high = c->plan->kind.winner == OP_min;

    out->v[0] = dtype_is_float(t->dtype)
                    ? llvm_real(value, __builtin_nan(""))
                    : LLVMConstInt(value, ir_extreme(t->dtype, worst_is_high), 0);
    out->v[1] = LLVMConstInt(index, ir_extreme(places->dtype, true), 0);
}

void combining_neutral(const Combining *c, Part *out)
{
    const Type *t = c->step->op->operands[0]->type;
    LLVMTypeRef reg = emit_type(&c->n->e, t, 0);

    if (c->plan->kind.winner != OP_COUNT) {
        neutral_pair(c, out);
        return;
    }

    *out = (Part){{dtype_is_float(t->dtype) ? llvm_real(reg, c->plan->kind.real)
                                            : LLVMConstInt(reg, c->plan->kind.bits, 0)}};
}

/* Sets what does not exist to what changes nothing. */
static void fill_with_neutral(Combining *c)
{
    Part nothing;

    combining_neutral(c, &nothing);
    for (int r = 0; r < c->registers; r++) {
        Val when;
        if (c->x[r].v[0] && combining_exists(c, combining_index(c, r), &when) == SOMETIMES)
            combining_select(c, when, &c->x[r], &nothing, &c->x[r]);
    }
    c->filled = true;
}

/* Sums of small floats are rounded at their end, and extremes need not be: then what changes
 * nothing may be what the format does not have. */
static bool is_wide(const Combining *c)
{
    const Type *t = c->step->op->operands[0]->type;

    if (t->pointer || !dtype_is_small_float(t->dtype))
        return false;
    switch (c->plan->kind.neutral) {
    case OP_add:
        return ir_reduces(c->step->op);
    case OP_min:
    case OP_max:
    case OP_minnan:
    case OP_maxnan:
        return true;
    default:
        return false;
    }
}

Combining combining_begin(Nv *n, const NvStep *s)
{
    const NvCombine *plan = s->detail;
    Combining c = {.n = n, .step = s, .plan = plan, .count = s->nin};

    c.registers = layout_registers(plan->layout);
    c.x = NEW_N(n->arena, Part, c.registers);
    for (int i = 0; i < plan->walk.nsteps; i++) {
        if (plan->walk.step[i].kind != STEP_REGISTER)
            c.thread_bits |= 1u << i;
    }
    for (int r = 0; r < c.registers; r++) {
        for (int k = 0; k < c.count; k++)
            c.x[r].v[k] = nv_live(s->in[k], r) ? nv_get(n, s->in[k])[r] : NULL;
    }
    if (plan->kind.neutral != OP_COUNT || plan->kind.winner != OP_COUNT)
        fill_with_neutral(&c);
    c.wide = is_wide(&c);
    return c;
}

/* --- words --- */

static int part_words(Combining *c, int k)
{
    return nv_combined_words(c->step->op->operands[k]->type);
}

static LLVMTypeRef type_of_value(const Combining *c, int k)
{
    return emit_type(&c->n->e, c->step->op->operands[k]->type, 0);
}

static void to_words(Combining *c, int k, Val v, Val words[2])
{
    Nv *n = c->n;

    if (c->step->op->operands[k]->type->pointer)
        v = LLVMBuildPtrToInt(n->b, v, n->l->i64, "");
    v = llvm_bits(n->l, n->b, v);
    if (part_words(c, k) == 1)
        words[0] = LLVMBuildZExtOrBitCast(n->b, v, n->l->i32, "");
    else
        nv_pack(n, &v, 1, 2 * NV_WORD, words);
}

static Val from_words(Combining *c, int k, const Val words[2])
{
    Nv *n = c->n;
    LLVMTypeRef t = type_of_value(c, k);
    Val v = words[0];

    if (part_words(c, k) == 2)
        nv_unpack(n, words, 1, 2 * NV_WORD, &v);
    if (c->step->op->operands[k]->type->pointer)
        return LLVMBuildIntToPtr(n->b, v, t, "");
    if (LLVMGetTypeKind(t) == LLVMIntegerTypeKind)
        return LLVMBuildTruncOrBitCast(n->b, v, t, "");
    return LLVMBuildBitCast(n->b, v, t, "");
}

static void shuffle(Combining *c, const char *instruction, const Part *part, Val which, Part *out)
{
    Nv *n = c->n;

    for (int k = 0; k < c->count; k++) {
        Val words[2];
        to_words(c, k, part->v[k], words);
        for (int i = 0; i < part_words(c, k); i++) {
            Val args[] = {llvm_int(n->l->i32, -1), words[i], which,
                          llvm_int(n->l->i32, NV_LANES - 1)};
            words[i] = llvm_call(n->l, n->b, instruction, 0, NULL, COUNT(args), args);
        }
        out->v[k] = from_words(c, k, words);
    }
}

void combining_shuffle(Combining *c, const Part *part, int lane_bit, Part *out)
{
    shuffle(c, "llvm.nvvm.shfl.sync.bfly.i32", part, llvm_int(c->n->l->i32, (int64_t)1 << lane_bit),
            out);
}

void combining_fetch(Combining *c, const Part *part, Val lane, Part *out)
{
    shuffle(c, "llvm.nvvm.shfl.sync.idx.i32", part, lane, out);
}

/* --- through shared memory --- */

/*
 * Each value has an area of its own.  In it the words of (writer, slot, part) lie in this order,
 * parts lowest, where parts are neighbours; else those of (slot, part, writer), and lowest so many
 * slots as a vector has.  Slots are numbered by the bits of the register's number that are not
 * done.
 */
typedef struct {
    const NvStage *stage;
    int parts, threads;
    int vector;         /* of slots */
    uint32_t slot_bits; /* of the register's number */
    Val read, write;    /* bytes from the beginning of the area, without the slot */
} Area;

/* The bit of the thread's number that moves the index so. */
static int moving_bit(const Combining *c, int index_bit)
{
    AxisStep s = c->plan->walk.step[index_bit];

    return s.kind == STEP_WARP ? s.bit + NV_LANE_BITS : s.bit;
}

/* Number of the part of this thread, as masks for nv_thread_map(). */
static void part_masks(const Combining *c, const NvStage *g, int64_t scale, uint32_t *masks)
{
    for (int i = 0; i < c->plan->walk.nsteps; i++) {
        if (g->bits >> i & 1)
            masks[moving_bit(c, i)] |= layout_extract(1u << i, g->bits) * (uint32_t)scale;
    }
}

Val combining_own(Combining *c, const NvStage *g)
{
    uint32_t masks[LAYOUT_THREAD_BITS] = {0};

    part_masks(c, g, 1, masks);
    return nv_thread_map(c->n, masks);
}

static int64_t slot_offset(const Area *a, int r, int part, int words)
{
    int64_t slot = layout_extract((uint32_t)r, a->slot_bits);
    int64_t high = slot / a->vector, low = slot % a->vector;
    int64_t at = a->stage->neighbours ? slot * a->parts + part
                                      : (high * a->parts + part) * a->threads * a->vector + low;

    return at * words * NV_WORD;
}

static Area area_of(Combining *c, const NvStage *g, int k)
{
    int words = part_words(c, k);
    Area a = {.stage = g,
              .parts = nv_stage_parts(g),
              .threads = nv_stage_threads(g),
              .vector = nv_stage_slots(g, c->step->op->operands[k]->type)};
    uint32_t read[LAYOUT_THREAD_BITS] = {0}, write[LAYOUT_THREAD_BITS],
             bytes = (uint32_t)words * NV_WORD;
    uint32_t writer = bytes * (uint32_t)(g->neighbours ? a.parts * g->slots : a.vector);
    uint32_t part = g->neighbours ? bytes : bytes * (uint32_t)(a.threads * a.vector);

    for (int r = 0; r < c->registers; r++) {
        if (combining_is_left(c, r))
            a.slot_bits |= (uint32_t)r;
    }
    for (int i = 0; i < LAYOUT_THREAD_BITS; i++) {
        if (g->writers >> i & 1)
            read[i] = writer * layout_extract(1u << i, g->writers);
    }
    memcpy(write, read, sizeof write);
    part_masks(c, g, part, write);
    for (int i = 0; i < NV_LANE_BITS; i++) {
        if (g->lanes >> i & 1)
            read[i] = part * (uint32_t)g->each * layout_extract(1u << i, g->lanes);
    }
    for (int i = 0; i < LAYOUT_THREAD_BITS; i++)
        read[i] |= (uint32_t)slot_offset(&a, (int)c->plan->deal.each[i], 0, words);
    a.read = nv_thread_map(c->n, read);
    a.write = nv_thread_map(c->n, write);
    return a;
}

/* The register of the slot that is so many behind that of r, of one vector. */
static int of_vector(const Area *a, int r, int i)
{
    return r | (int)layout_deposit((uint32_t)i, a->slot_bits);
}

/* How many slots of operand k go at once from register r on: all of a vector, of which r is the
 * first, 0 for the others, or 1 where some are nothing. */
static int slots_at_once(const Combining *c, const Area *a, int r, int k)
{
    int first = r & ~of_vector(a, 0, a->vector - 1);

    for (int i = 0; i < a->vector; i++) {
        if (!c->x[of_vector(a, first, i)].v[k])
            return 1;
    }
    return r == first ? a->vector : 0;
}

static void write_parts(Combining *c, const NvStage *g, int k)
{
    Nv *n = c->n;
    int words = part_words(c, k);
    Area a = area_of(c, g, k);
    uint32_t all = (1u << LAYOUT_THREAD_BITS) - 1, telling = g->writers;
    NvPlace p = {.how = "st.shared"};

    for (int i = 0; i < c->plan->walk.nsteps; i++) {
        if (g->bits >> i & 1)
            telling |= 1u << moving_bit(c, i);
    }
    p.predicate = nv_is_first(n, all & ~telling);
    p.address = nv_shared_at(n, g->buffer, a.write);
    for (int r = 0; r < c->registers; r++) {
        Val out[NV_MOST_WORDS];
        if (!combining_is_left(c, r) || !c->x[r].v[k])
            continue;
        int slots = slots_at_once(c, &a, r, k);
        p.offset = nv_stage_start(g, c->step->op, k) + slot_offset(&a, r, 0, words);
        p.bytes = slots * words * NV_WORD;
        for (int i = 0; i < slots; i++)
            to_words(c, k, c->x[of_vector(&a, r, i)].v[k], out + i * words);
        if (slots > 0)
            nv_write(n, &p, out);
    }
}

/* Of rows that are dealt out each thread has one. */
static void read_parts(Combining *c, const NvStage *g, int k, Part *parts)
{
    Nv *n = c->n;
    int words = part_words(c, k);
    Area a = area_of(c, g, k);
    int each = nv_stage_vector(g, c->step->op->operands[k]->type);
    NvPlace p = {.how = "ld.shared"};

    p.address = nv_shared_at(n, g->buffer, a.read);
    for (int r = 0; r < c->registers; r++) {
        if (!combining_is_left(c, r) || !c->x[r].v[k] || ((uint32_t)r & c->plan->deal.rows))
            continue;
        int slots = c->plan->deal.rows ? 1 : slots_at_once(c, &a, r, k);
        p.bytes = each * slots * words * NV_WORD;
        for (int i = 0; slots > 0 && i < g->each; i += each) {
            Val in[NV_MOST_WORDS];
            p.offset = nv_stage_start(g, c->step->op, k) + slot_offset(&a, r, i, words);
            nv_read(n, &p, NULL, in);
            for (int e = 0; e < each * slots; e++) {
                Part *to = &parts[of_vector(&a, r, e / each) * g->each + i + e % each];
                to->v[k] = from_words(c, k, in + e * words);
            }
        }
    }
}

Part *combining_exchange(Combining *c, const NvStage *g)
{
    Part *parts = NEW_N(c->n->arena, Part, c->registers * g->each);

    for (int k = 0; k < c->count; k++)
        write_parts(c, g, k);
    nv_wait(c->n, &c->step->within);
    for (int k = 0; k < c->count; k++)
        read_parts(c, g, k, parts);
    return parts;
}
