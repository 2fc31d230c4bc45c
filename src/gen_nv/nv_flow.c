/*
 * nv_flow.c - the steps of a plan, one after the other: elementwise ops, loops and ifs
 *
 * Loops and ifs are branches of the whole block, for their conditions are scalars, which every
 * thread computes alike; carried tiles are a phi for each register.  Other kinds of steps have
 * files of their own, which the table of emitters names.
 */
#include "nv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- element by element --- */

static Val operand(const Nv *n, const NvStep *s, int i, int r)
{
    Val v = nv_get(n, s->in[i])[s->take ? s->take[r] : s->in[i]->layout ? r : 0];

    return v ? v : LLVMGetUndef(nv_type(n, s->in[i])); /* of what does not exist */
}

static Val compute(Nv *n, const NvStep *s, int r)
{
    static const char *const programs[] = {"nctaid.x", "nctaid.y", "nctaid.z"};
    const Op *op = s->op;
    Val in[MAX_ELEMENTWISE_OPERANDS] = {NULL};

    switch (op->code) {
    case OP_const:
        return emit_constant(&n->e, op->results[0]->type, (uint64_t)attr_bits(op));
    case OP_program_id:
        return n->program[attr_axis(op)];
    case OP_num_programs:
        return nv_special(n, programs[attr_axis(op)]);
    case OP_arange:
        return LLVMBuildAdd(n->b, nv_index(n, s->out[0]->layout, r, 0),
                            llvm_int(n->l->i32, attr_start(op)), "");
    default:
        break;
    }
    for (int i = 0; i < op->noperands; i++)
        in[i] = operand(n, s, i, r);
    if (op_has(op, TOWARD))
        return nv_toward(n, op, in);
    Val own = op->code == OP_cast        ? nv_truncate(n, op, in[0])
              : nv_is_loose(n->plan, op) ? nv_loose_math(n, op, in)
                                         : NULL;
    if (!own && op->code == OP_cast)
        own = nv_from_small_integer(n, op, in[0]);
    if (!own)
        own = nv_round_cut(n, op, in[0]);
    if (!own)
        own = nv_add_whole(n, op, in);
    if (own)
        return own;
    if (nv_native_math[op->code] && op->operands[0]->type->dtype == DT_FP32)
        return nv_math(n, op->code, in[0]);
    return op_has(op, MOVES) ? in[0] : emit_op(&n->e, n->b, op, in);
}

/* The power of two that every element of it is, 0 where there is none, or one far from 1. */
static double power_of_two(const Value *v)
{
    enum { FAR = 24 };
    float x;
    int exponent;

    while (v->def && op_has(v->def, MOVES) && v->def->noperands == 1)
        v = v->def->operands[0];
    if (!v->def || v->def->code != OP_const || v->type->pointer || v->type->dtype != DT_FP32)
        return 0;
    uint32_t bits = (uint32_t)attr_bits(v->def);
    memcpy(&x, &bits, sizeof x);
    bool is_power = isfinite(x) && fabs(frexp((double)x, &exponent)) == 0.5;
    return is_power && abs(exponent) <= FAR ? (double)x : 0;
}

/* Is v, made from a sum of x along an axis by what brings each sum back to its elements, nowhere
 * below x, which is not below 0?  Rounding keeps the order.  axis: where sums stand by now; -1. */
static bool has_as_part(const NvPlan *p, const Value *v, const Value *x, int64_t axis, int depth)
{
    enum { MOST = 8 };
    const Op *op = v->def;

    if (!op || depth == MOST)
        return false;
    switch (op->code) {
    case OP_splat:
    case OP_broadcast:
        return has_as_part(p, op->operands[0], x, axis, depth + 1);
    case OP_expand:
        return axis < 0 && has_as_part(p, op->operands[0], x, attr_axis(op), depth + 1);
    case OP_add:
        for (int i = 0; i < 2; i++) {
            if (nv_knows(p, op->operands[1 - i], NUMBER_UNSIGNED) &&
                has_as_part(p, op->operands[i], x, axis, depth + 1))
                return true;
        }
        return false;
    default:
        return ir_reduces(op) && ir_combine_kind(op).neutral == OP_add && op->operands[0] == x &&
               (axis == attr_axis(op) || (axis < 0 && x->type->rank == 1));
    }
}

/* The registers of two operands at most, NULL where nothing is to be computed, or the same as
 * elsewhere. */
static void operands(Nv *n, const NvStep *s, Val *in[2])
{
    int count = nv_count(s->out[0]);

    for (int i = 0; i < 2; i++)
        in[i] = NEW_N(n->arena, Val, count);
    for (int r = 0; r < count; r++) {
        bool own = (r & (int)s->same) == 0 && nv_turn(n, s, s->out[0], r);
        for (int i = 0; own && i < MIN(s->op->noperands, 2); i++)
            in[i][r] = operand(n, s, i, r);
    }
}

/* Loose ones by what is not tiny are cheaper one by one. */
static void divide_rows(Nv *n, const NvStep *s, Val *out)
{
    bool loose = nv_is_loose(n->plan, s->op);
    bool large = nv_knows(n->plan, s->op->operands[1], NUMBER_LARGE);
    bool no_signs = nv_knows(n->plan, s->op->operands[0], NUMBER_UNSIGNED);
    Val *in[2];

    if (loose && large)
        return;
    operands(n, s, in);
    nv_divide(n,
              &(NvDivision){.x = in[0],
                            .s = in[1],
                            .loose = loose,
                            .large = large,
                            .positive = nv_knows(n->plan, s->op->operands[1], NUMBER_UNSIGNED),
                            .no_signs = no_signs,
                            .parts = no_signs && has_as_part(n->plan, s->op->operands[1],
                                                             s->op->operands[0], -1, 0),
                            .power = power_of_two(s->op->operands[0])},
              nv_count(s->out[0]), out);
}

static bool is_positive(const Nv *n, const Value *v)
{
    const Axis *x = axis_of(n->plan->axis, v);

    return x->has_range && x->lo >= 0;
}

static void divide_words(Nv *n, const NvStep *s, Val *out)
{
    const Value *const *operand = (const Value *const *)s->op->operands;
    Val *in[2];

    operands(n, s, in);
    nv_divide_by_one(n,
                     &(NvQuotients){.op = s->op,
                                    .x = in[0],
                                    .s = in[1],
                                    .remainder = s->op->code == OP_rem,
                                    .is_signed = dtype_is_signed(operand[0]->type->dtype),
                                    .dividend_positive = is_positive(n, operand[0]),
                                    .divisor_positive = is_positive(n, operand[1])},
                     nv_count(s->out[0]), out);
}

static void compare(Nv *n, const NvStep *s, Val *out)
{
    Val *in[2];

    operands(n, s, in);
    nv_compare_run(n, s, in, nv_count(s->out[0]), out);
}

static void round_to_fp8(Nv *n, const NvStep *s, Val *out)
{
    Val *x[2];

    operands(n, s, x);
    nv_round_fp8(n, s->op->results[0]->type->dtype, x[0], nv_count(s->out[0]), out);
}

static void compute_pairs(Nv *n, const NvStep *s, Val *out)
{
    Val *in[2];

    if (s->op->noperands == 0)
        return;
    operands(n, s, in);
    nv_compute_pairs(n, s->op, in, nv_count(s->out[0]), out);
}

static void pick_rows(Nv *n, const NvStep *s, Val *out)
{
    Val *in[2];

    operands(n, s, in);
    nv_pick_entries(n, s->op->attrs, in[0], nv_count(s->out[0]), out);
}

static void shift_rows(Nv *n, const NvStep *s, Val *out)
{
    int64_t by;
    Val *in[2];

    if (!value_const_int(s->op->operands[1], &by) || by < 0 || by >= 32)
        return;
    operands(n, s, in);
    nv_shift_bits(n, in[0], (int)by, nv_count(s->out[0]), out);
}

/* What is cheaper for all registers together than one by one. */
static void compute_together(Nv *n, const NvStep *s, Val *out)
{
    const Type *t = s->op->results[0]->type;

    if (op_has(s->op, COMPARES) && dtype_is_int(s->op->operands[0]->type->dtype))
        compare(n, s, out);
    if (s->op->code == OP_cast && dtype_is_fp8(t->dtype) && attr_rounding(s->op) == ROUND_NEAREST)
        round_to_fp8(n, s, out);
    else if (s->op->code == OP_div && t->dtype == DT_FP32)
        divide_rows(n, s, out);
    else if ((s->op->code == OP_div || s->op->code == OP_rem) && dtype_is_int(t->dtype) &&
             dtype_bits(t->dtype) >= 32)
        divide_words(n, s, out);
    else if (s->op->code == OP_lookup8 && t->dtype == DT_U32)
        pick_rows(n, s, out);
    else if (s->op->code == OP_shl && t->dtype == DT_U32)
        shift_rows(n, s, out);
    else if (!t->pointer && t->dtype != DT_I1 && dtype_bits(t->dtype) <= 16)
        compute_pairs(n, s, out);
}

/* Is that register of the result made now? */
static bool is_made(const Nv *n, const NvStep *s, int r)
{
    return nv_turn(n, s, s->out[0], r) && !(s->take && s->take[r] < 0);
}

static void compute_tile(Nv *n, const NvStep *s)
{
    const NvTile *t = s->out[0];
    Val *out = nv_out(n, s, 0);
    NvRounding rounding;

    if (s->again && s->op->code == OP_cast)
        nv_copy_words(n, s->in[0]);
    compute_together(n, s, out);
    nv_begin_rounding(n, &rounding, s->op->results[0]->type);
    for (int r = 0; r < nv_count(t); r++) {
        if (out[r] || out[r & ~(int)s->same] || !is_made(n, s, r))
            continue;
        out[r] = compute(n, s, r);
        nv_round_with(n, &rounding, r, out);
    }
    nv_end_rounding(n, &rounding, out);
    for (int r = 0; r < nv_count(t); r++) {
        if (!out[r] && is_made(n, s, r))
            out[r] = out[r & ~(int)s->same];
    }
}

/* --- loops and ifs --- */

Val *nv_phis(Nv *n, const NvTile *t)
{
    Val *out = nv_set(n, t);

    for (int r = 0; r < nv_count(t); r++) {
        if (nv_live(t, r))
            out[r] = LLVMBuildPhi(n->b, nv_type(n, t), "");
    }
    return out;
}

/* From those of a tile; in_memory: they lie in tensor memory instead. */
static void incoming(Nv *n, Val *phis, const NvTile *from, bool in_memory, LLVMBasicBlockRef block)
{
    const Val *in = nv_get(n, from);

    for (int r = 0; r < nv_count(from); r++) {
        Val v = in_memory ? NULL : in[r];
        if (!phis[r])
            continue;
        if (!v)
            v = LLVMGetUndef(LLVMTypeOf(phis[r]));
        LLVMAddIncoming(phis[r], &v, &block, 1);
    }
}

/* --- what a loop carries in words (nv_carries_words()) --- */

enum { WORD = 4 };

/* Registers of a tile as they lie in memory, several to a word, and back. */
static Val *pack_tile(Nv *n, const NvTile *t)
{
    const Type *type = t->value->type;
    int size = type_size(type), each = WORD / size, count = nv_count(t);
    Val *words = NEW_N(n->arena, Val, count / each), elements[WORD];
    const Val *registers = nv_get(n, t);

    for (int r = 0; r < count; r += each) {
        for (int k = 0; k < each; k++)
            elements[k] = nv_to_bits(n, type, registers[r + k]);
        nv_pack(n, elements, each, size, &words[r / each]);
    }
    return words;
}

static void unpack_tile(Nv *n, const NvTile *t, const Val *words)
{
    const Type *type = t->value->type;
    int size = type_size(type), each = WORD / size;
    Val elements[WORD], *registers = nv_set(n, t);

    for (int r = 0; r < nv_count(t); r += each) {
        nv_unpack(n, &words[r / each], each, size, elements);
        for (int k = 0; k < each; k++)
            registers[r + k] = nv_from_bits(n, type, elements[k]);
    }
}

/* Phis of words, from those in front of the loop. */
static Val *word_phis(Nv *n, const Val *first, int count, LLVMBasicBlockRef before)
{
    Val *phis = NEW_N(n->arena, Val, count);

    for (int i = 0; i < count; i++) {
        Val v = first[i];
        phis[i] = LLVMBuildPhi(n->b, LLVMTypeOf(v), "");
        LLVMAddIncoming(phis[i], &v, &before, 1);
    }
    return phis;
}

static int words_of(const NvTile *t)
{
    return nv_count(t) * type_size(t->value->type) / WORD;
}

/* The same registers under another name. */
static void rename_tile(Nv *n, const NvTile *from, const NvTile *to)
{
    n->regs[to->id] = n->regs[from->id];
}

static void emit_for(Nv *n, const NvStep *s)
{
    nv_hold_rows(n, s);
    if (s->ahead && s->ahead->delayed) {
        nv_delayed_for(n, s);
        return;
    }
    const NvBlock *body = s->body[0];
    Val lo = nv_scalar(n, s->in[FOR_LO]), step = nv_scalar(n, s->in[FOR_STEP]);
    Val trips = emit_trip_count(n->b, lo, nv_scalar(n, s->in[FOR_HI]), step);
    LLVMTypeRef t = LLVMTypeOf(lo);
    NvRunner *ahead = nv_ahead_begin(n, s, lo, step, trips);
    nv_sums_enter(n, s);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(n->b), head = nv_block(n), in = nv_block(n),
                      exit = nv_block(n);
    Val **phis = NEW_N(n->arena, Val *, s->nout + 1), **words = NEW_N(n->arena, Val *, s->nout + 1);

    for (int i = 0; i < s->nout; i++)
        words[i] = nv_carries_words(s, i) ? pack_tile(n, s->in[FOR_BOUNDS + i]) : NULL;
    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, head);
    Val left = LLVMBuildPhi(n->b, t, ""), iv = LLVMBuildPhi(n->b, t, "");
    for (int i = 0; i < s->nout; i++) {
        if (words[i]) {
            words[i] = word_phis(n, words[i], words_of(body->args[i + 1]), before);
            continue;
        }
        phis[i] = nv_phis(n, body->args[i + 1]);
        incoming(n, phis[i], s->in[FOR_BOUNDS + i], nv_sum_is_carried(s, i), before);
    }
    nv_set(n, body->args[0])[0] = iv;
    if (ahead)
        nv_ahead_phis(n, ahead);
    for (int i = 0; i < s->nout; i++) {
        if (words[i])
            unpack_tile(n, body->args[i + 1], words[i]);
        if (words[i])
            phis[i] = n->regs[body->args[i + 1]->id];
    }
    Val go = LLVMBuildICmp(n->b, LLVMIntNE, left, llvm_int(t, 0), "");
    LLVMBuildCondBr(n->b, go, in, exit);
    LLVMPositionBuilderAtEnd(n->b, in);
    if (ahead)
        nv_ahead_round(n, ahead, iv, left);
    nv_steps(n, body);
    if (ahead)
        nv_ahead_end(n, ahead);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(n->b);
    Val next = LLVMBuildAdd(n->b, iv, step, "");
    Val fewer = LLVMBuildSub(n->b, left, llvm_int(t, 1), "");
    for (int i = 0; i < s->nout; i++) {
        Val *last = words[i] ? pack_tile(n, body->ends[i]) : NULL;
        for (int k = 0; last && k < words_of(body->ends[i]); k++)
            LLVMAddIncoming(words[i][k], &last[k], &latch, 1);
        if (!last)
            incoming(n, phis[i], body->ends[i], nv_sum_is_carried(s, i), latch);
    }
    LLVMAddIncoming(left, (Val[]){trips, fewer}, (LLVMBasicBlockRef[]){before, latch}, 2);
    LLVMAddIncoming(iv, (Val[]){lo, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, exit);
    for (int i = 0; i < s->nout; i++) {
        Val *out = nv_set(n, s->out[i]);
        for (int r = 0; r < nv_count(s->out[i]); r++)
            out[r] = phis[i][r];
        phis[i] = out;
    }
    if (ahead)
        nv_ahead_land(n, ahead, phis);
}

static void emit_while(Nv *n, const NvStep *s)
{
    const NvBlock *test = s->body[0], *body = s->body[1];
    LLVMBasicBlockRef before = LLVMGetInsertBlock(n->b), head = nv_block(n), in = nv_block(n),
                      exit = nv_block(n);
    Val **phis = NEW_N(n->arena, Val *, test->nargs + 1);

    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, head);
    for (int i = 0; i < test->nargs; i++) {
        phis[i] = nv_phis(n, test->args[i]);
        incoming(n, phis[i], s->in[i], false, before);
    }
    nv_steps(n, test);
    for (int i = 0; i < body->nargs; i++) {
        rename_tile(n, test->ends[i + 1], body->args[i]);
        rename_tile(n, test->ends[i + 1], s->out[i]);
    }
    LLVMBuildCondBr(n->b, nv_scalar(n, test->ends[0]), in, exit);
    LLVMPositionBuilderAtEnd(n->b, in);
    nv_steps(n, body);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(n->b);
    for (int i = 0; i < test->nargs; i++)
        incoming(n, phis[i], body->ends[i], false, latch);
    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, exit);
}

static void emit_if(Nv *n, const NvStep *s)
{
    LLVMBasicBlockRef first = nv_block(n), arm[2] = {first, nv_block(n)}, end[2];
    LLVMBasicBlockRef after = nv_block(n);

    LLVMBuildCondBr(n->b, nv_scalar(n, s->in[0]), arm[0], arm[1]);
    for (int r = 0; r < 2; r++) {
        LLVMPositionBuilderAtEnd(n->b, arm[r]);
        nv_clock_at(n, s->op);
        nv_steps(n, s->body[r]);
        end[r] = LLVMGetInsertBlock(n->b);
        LLVMBuildBr(n->b, after);
    }
    LLVMPositionBuilderAtEnd(n->b, after);
    for (int i = 0; i < s->nout; i++) {
        Val *phis = nv_phis(n, s->out[i]);
        for (int r = 0; r < 2; r++)
            incoming(n, phis, s->body[r]->ends[i], false, end[r]);
    }
}

/* --- steps --- */

static void emit_barrier(Nv *n, const NvStep *s)
{
    nv_wait(n, &s->within);
}

/* i1: does this thread store anything in the slice? */
static Val stores_something(Nv *n, const NvStep *slices)
{
    const NvBlock *b = slices->body[0];
    const Val *inside = nv_get(n, slices->inside);
    Val any = llvm_int(n->l->i1, 0);

    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        for (int r = 0; s->kind == NV_STORE && r < nv_count(nv_step_shape(s)); r++) {
            if (nv_turn(n, s, nv_step_shape(s), r))
                any = LLVMBuildOr(n->b, any, inside[nv_register_read(s, STORE_MASK, r)], "");
        }
    }
    return any;
}

/* What is read behind all slices is made in its own: LLVM would rather compute it there, where what
 * it is made of would have to be kept until then. */
static void make_now(Nv *n, const NvBlock *slices)
{
    for (int i = 0; i < slices->steps.len; i++) {
        const NvStep *s = slices->steps.at[i];
        for (int r = 0; s->leaves && r < nv_count(s->out[0]); r++) {
            Val *v = &n->regs[s->out[0]->id][r];
            if (nv_turn(n, s, s->out[0], r) && LLVMTypeOf(*v) == n->l->f32)
                *v = nv_asm(n, n->l->f32, "", "=f,0", v, 1);
        }
    }
}

static void emit_slices(Nv *n, const NvStep *s)
{
    for (n->slice = 0; n->slice < s->slices; n->slice++) {
        nv_take_words(n, s->body[0]);
        if (!s->inside || n->slice < s->filled) {
            nv_steps(n, s->body[0]);
            make_now(n, s->body[0]);
            continue;
        }
        LLVMBasicBlockRef slice = nv_block(n), behind = nv_block(n);
        LLVMBuildCondBr(n->b, stores_something(n, s), slice, behind);
        LLVMPositionBuilderAtEnd(n->b, slice);
        nv_steps(n, s->body[0]);
        LLVMBuildBr(n->b, behind);
        LLVMPositionBuilderAtEnd(n->b, behind);
    }
    n->slice = 0;
}

static void (*const emitters[NV_STEP_KINDS])(Nv *n, const NvStep *s) = {
    [NV_COMPUTE] = compute_tile, [NV_LOAD] = nv_load,     [NV_STORE] = nv_store,
    [NV_CONVERT] = nv_convert,   [NV_PUT] = nv_put,       [NV_COPY] = nv_copy,
    [NV_SPLIT] = nv_split,       [NV_MOVE] = nv_move,     [NV_REDUCE] = nv_reduce,
    [NV_SCAN] = nv_scan,         [NV_ATOMIC] = nv_atomic, [NV_DOT] = nv_dot,
    [NV_LAND] = nv_land,         [NV_RECORD] = nv_record, [NV_INLINE] = nv_inline,
    [NV_BARRIER] = emit_barrier, [NV_FOR] = emit_for,     [NV_WHILE] = emit_while,
    [NV_IF] = emit_if,           [NV_SORT] = nv_sort,     [NV_SLICES] = emit_slices,
    [NV_FILL] = nv_fill,         [NV_SEND] = nv_send,     [NV_SENT] = nv_sent,
    [NV_TAKE] = nv_take,
};

void nv_steps(Nv *n, const NvBlock *b)
{
    nv_clock_note(n);
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        const Op *around = llvm_at(n->l, s->op);
        nv_clock_at(n, s->op);
        if (s != n->delayed || n->delayed_rows)
            emitters[s->kind](n, s);
        if (s == n->delayed)
            nv_end_turn(n);
        llvm_at(n->l, around);
    }
    nv_clock_note(n);
}

void nv_region(Nv *n, const NvBlock *b, const Val *args, Val *results)
{
    for (int i = 0; i < b->nargs; i++)
        nv_set(n, b->args[i])[0] = args[i];
    nv_clock_pause(n, true);
    nv_steps(n, b);
    nv_clock_pause(n, false);
    for (int i = 0; i < b->nends; i++)
        results[i] = nv_scalar(n, b->ends[i]);
}
