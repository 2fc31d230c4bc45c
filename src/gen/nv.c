/*
 * nv.c - the target for NVIDIA GPUs: one kernel function that is one thread of a program
 *
 * Plans the kernel (nv_plan.h), then carries the plan out step by step; LLVM makes PTX of it. Loops
 * and ifs are branches of the whole block, for their conditions are scalars, which every thread
 * computes alike; carried tiles are a phi for each register.
 *
 * The kernel `tilec_kernel` takes one parameter for each of the function's, in memory form, and is
 * launched with GenOutput.warps * 32 threads a block and GenOutput.shared bytes of dynamic shared
 * memory; the grid is that of the programs.
 */
#include "nv.h"

#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>
#include <stdio.h>
#include <string.h>

enum { KERNEL_CALL = 71 }; /* LLVM's number of the calling convention */

LLVMBasicBlockRef nv_block(Nv *n)
{
    return LLVMAppendBasicBlockInContext(n->l->ctx, n->fn, "");
}

/* The first of two names that this LLVM has. */
static const char *intrinsic(const char *now, const char *before)
{
    return LLVMLookupIntrinsicID(now, strlen(now)) != 0 ? now : before;
}

void nv_wait_block(Nv *n)
{
    static const char now[] = "llvm.nvvm.barrier.cta.sync.aligned.all";
    const char *name = intrinsic(now, "llvm.nvvm.barrier0");
    Val which = llvm_int(n->l->i32, 0);

    llvm_call(n->l, n->b, name, 0, NULL, strcmp(name, now) == 0, &which);
}

void nv_wait_warp(Nv *n)
{
    Val all = llvm_int(n->l->i32, -1);

    llvm_call(n->l, n->b, "llvm.nvvm.bar.warp.sync", 0, NULL, 1, &all);
}

static Val special(Nv *n, const char *name)
{
    char whole[64];

    snprintf(whole, sizeof whole, "llvm.nvvm.read.ptx.sreg.%s", name);
    return llvm_call(n->l, n->b, whole, 0, NULL, 0, NULL);
}

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
        return special(n, programs[attr_axis(op)]);
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
    if (nv_native_math[op->code] && op->operands[0]->type->dtype == DT_FP32)
        return nv_math(n, op->code, in[0]);
    return op_has(op, MOVES) ? in[0] : emit_op(&n->e, n->b, op, in);
}

/* Quotients that registers share the divisor of. */
static void divide_rows(Nv *n, const NvStep *s, Val *out)
{
    int count = nv_count(s->out[0]);
    Val *in[2] = {NEW_N(n->arena, Val, count), NEW_N(n->arena, Val, count)};

    for (int r = 0; r < count; r++) {
        for (int i = 0; nv_turn(n, s, s->out[0], r) && i < COUNT(in); i++)
            in[i][r] = operand(n, s, i, r);
    }
    nv_divide_shared(n, in[0], in[1], count, out);
}

static void compute_tile(Nv *n, const NvStep *s)
{
    const NvTile *t = s->out[0];
    Val *out = nv_out(n, s, 0);

    if (s->op->code == OP_div && s->op->results[0]->type->dtype == DT_FP32)
        divide_rows(n, s, out);
    for (int r = 0; r < nv_count(t); r++) {
        if (!out[r] && nv_turn(n, s, t, r) && !(s->take && s->take[r] < 0))
            out[r] = out[r & ~(int)s->same] ? out[r & ~(int)s->same] : compute(n, s, r);
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

static void incoming(Nv *n, Val *phis, const NvTile *from, LLVMBasicBlockRef block)
{
    const Val *in = nv_get(n, from);

    for (int r = 0; r < nv_count(from); r++) {
        Val v = in[r];
        if (!phis[r])
            continue;
        if (!v)
            v = LLVMGetUndef(LLVMTypeOf(phis[r]));
        LLVMAddIncoming(phis[r], &v, &block, 1);
    }
}

/* The same registers under another name. */
static void rename_tile(Nv *n, const NvTile *from, const NvTile *to)
{
    n->regs[to->id] = n->regs[from->id];
}

static void emit_for(Nv *n, const NvStep *s)
{
    const NvBlock *body = s->body[0];
    Val lo = nv_scalar(n, s->in[FOR_LO]), step = nv_scalar(n, s->in[FOR_STEP]);
    Val trips = emit_trip_count(n->b, lo, nv_scalar(n, s->in[FOR_HI]), step);
    LLVMTypeRef t = LLVMTypeOf(lo);
    NvRunner *ahead = nv_ahead_begin(n, s, lo, step, trips);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(n->b), head = nv_block(n), in = nv_block(n),
                      exit = nv_block(n);
    Val **phis = NEW_N(n->arena, Val *, s->nout + 1);

    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, head);
    Val left = LLVMBuildPhi(n->b, t, ""), iv = LLVMBuildPhi(n->b, t, "");
    for (int i = 0; i < s->nout; i++) {
        phis[i] = nv_phis(n, body->args[i + 1]);
        incoming(n, phis[i], s->in[FOR_BOUNDS + i], before);
    }
    nv_set(n, body->args[0])[0] = iv;
    if (ahead)
        nv_ahead_phis(n, ahead);
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
    for (int i = 0; i < s->nout; i++)
        incoming(n, phis[i], body->ends[i], latch);
    LLVMAddIncoming(left, (Val[]){trips, fewer}, (LLVMBasicBlockRef[]){before, latch}, 2);
    LLVMAddIncoming(iv, (Val[]){lo, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, exit);
    for (int i = 0; i < s->nout; i++)
        n->regs[s->out[i]->id] = phis[i];
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
        incoming(n, phis[i], s->in[i], before);
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
        incoming(n, phis[i], body->ends[i], latch);
    LLVMBuildBr(n->b, head);
    LLVMPositionBuilderAtEnd(n->b, exit);
}

static void emit_if(Nv *n, const NvStep *s)
{
    LLVMBasicBlockRef arm[2] = {nv_block(n), nv_block(n)}, end[2], after = nv_block(n);

    LLVMBuildCondBr(n->b, nv_scalar(n, s->in[0]), arm[0], arm[1]);
    for (int r = 0; r < 2; r++) {
        LLVMPositionBuilderAtEnd(n->b, arm[r]);
        nv_steps(n, s->body[r]);
        end[r] = LLVMGetInsertBlock(n->b);
        LLVMBuildBr(n->b, after);
    }
    LLVMPositionBuilderAtEnd(n->b, after);
    for (int i = 0; i < s->nout; i++) {
        Val *phis = nv_phis(n, s->out[i]);
        for (int r = 0; r < 2; r++)
            incoming(n, phis, s->body[r]->ends[i], end[r]);
    }
}

/* --- steps --- */

static void emit_barrier(Nv *n, const NvStep *s)
{
    (void)s;
    nv_wait_block(n);
}

static void emit_slices(Nv *n, const NvStep *s)
{
    for (n->slice = 0; n->slice < s->slices; n->slice++)
        nv_steps(n, s->body[0]);
    n->slice = 0;
}

static void (*const emitters[NV_STEP_KINDS])(Nv *n, const NvStep *s) = {
    [NV_COMPUTE] = compute_tile, [NV_LOAD] = nv_load,         [NV_STORE] = nv_store,
    [NV_CONVERT] = nv_convert,   [NV_PUT] = nv_put,           [NV_COPY] = nv_copy,
    [NV_MOVE] = nv_move,         [NV_REDUCE] = nv_reduce,     [NV_SCAN] = nv_scan,
    [NV_ATOMIC] = nv_atomic,     [NV_DOT] = nv_dot,           [NV_RECORD] = nv_record,
    [NV_INLINE] = nv_inline,     [NV_BARRIER] = emit_barrier, [NV_FOR] = emit_for,
    [NV_WHILE] = emit_while,     [NV_IF] = emit_if,           [NV_SLICES] = emit_slices,
};

void nv_steps(Nv *n, const NvBlock *b)
{
    for (int i = 0; i < b->steps.len; i++) {
        const NvStep *s = b->steps.at[i];
        const Op *around = llvm_at(n->l, s->op);
        emitters[s->kind](n, s);
        llvm_at(n->l, around);
    }
}

void nv_region(Nv *n, const NvBlock *b, const Val *args, Val *results)
{
    for (int i = 0; i < b->nargs; i++)
        nv_set(n, b->args[i])[0] = args[i];
    nv_steps(n, b);
    for (int i = 0; i < b->nends; i++)
        results[i] = nv_scalar(n, b->ends[i]);
}

/* --- the kernel function --- */

static void load_arguments(Nv *n)
{
    const Block *body = n->func->body;

    for (int i = 0; i < body->nargs; i++) {
        const Type *t = body->args[i]->type;
        Val v = LLVMGetParam(n->fn, (unsigned)i);
        nv_set(n, n->plan->body->args[i])[0] =
            t->pointer ? v : emit_from_memory(&n->e, n->b, v, t->dtype);
    }
}

static void find_shared(Nv *n)
{
    enum { ALIGN = 128 };
    LLVMTypeRef bytes = LLVMArrayType2(n->l->i8, 0);

    if (n->plan->shared == 0)
        return;
    Val array = LLVMAddGlobalInAddressSpace(n->l->module, bytes, "tilec_shared", NV_SHARED);
    LLVMSetLinkage(array, LLVMExternalLinkage);
    LLVMSetAlignment(array, ALIGN);
    n->shared = LLVMBuildPtrToInt(n->b, array, n->l->i32, "");
}

static void add_text_attribute(Nv *n, const char *name, const char *value)
{
    LLVMAttributeRef a = LLVMCreateStringAttribute(n->l->ctx, name, (unsigned)strlen(name), value,
                                                   (unsigned)strlen(value));

    LLVMAddAttributeAtIndex(n->fn, LLVMAttributeFunctionIndex, a);
}

static LLVMTypeRef kernel_type(Nv *n)
{
    const Block *body = n->func->body;
    LLVMTypeRef *params = NEW_N(n->arena, LLVMTypeRef, body->nargs + 1);

    for (int i = 0; i < body->nargs; i++) {
        const Type *t = body->args[i]->type;
        params[i] = t->pointer ? n->l->ptr : emit_memory_type(&n->e, t->dtype);
    }
    return LLVMFunctionType(n->l->none, params, (unsigned)body->nargs, 0);
}

static void find_threads(Nv *n)
{
    static const char *const programs[] = {"ctaid.x", "ctaid.y", "ctaid.z"};

    n->thread = special(n, "tid.x");
    n->lane = LLVMBuildAnd(n->b, n->thread, llvm_int(n->l->i32, NV_LANES - 1), "");
    n->warp = LLVMBuildLShr(n->b, n->thread, llvm_int(n->l->i32, LAYOUT_LANE_BITS), "");
    for (int d = 0; d < COUNT(n->program); d++)
        n->program[d] = special(n, programs[d]);
}

/* Give back what the kernel was never given: all that it does is that the assembler takes the
 * directive for what there shall be, and no longer for what there may be at most. */
static void take_room(Nv *n)
{
    Val room = llvm_int(n->l->i32, n->plan->room);

    llvm_call(n->l, n->b, "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32", 0, NULL, 1, &room);
}

static void emit_function(Nv *n)
{
    n->fn = llvm_function(n->l, "tilec_kernel", kernel_type(n));
    LLVMSetFunctionCallConv(n->fn, KERNEL_CALL);
    const char *threads = arena_printf(n->arena, "%d,1,1", n->plan->warps * NV_LANES);
    add_text_attribute(n, "nvvm.reqntid", threads);
    if (n->plan->together > 0)
        add_text_attribute(n, "nvvm.minctasm", arena_printf(n->arena, "%d", n->plan->together));
    if (n->plan->room > 0)
        add_text_attribute(n, "nvvm.maxnreg", arena_printf(n->arena, "%d", n->plan->room));
    llvm_lines_begin(n->l, n->func, n->fn, n->options);
    LLVMBasicBlockRef entry = nv_block(n), start = nv_block(n);
    n->b = llvm_builder(n->l, entry);
    if (n->plan->room > 0)
        take_room(n);
    find_threads(n);
    find_shared(n);
    load_arguments(n);
    LLVMBuildBr(n->b, start); /* what layouts need of threads goes in front of this */
    LLVMPositionBuilderAtEnd(n->b, start);
    nv_record_program(n);
    nv_steps(n, n->plan->body);
    LLVMBuildRetVoid(n->b);
}

/* --- the target --- */

static void make_code(Llvm *l, void *nv)
{
    Nv *n = nv;

    n->arena = l->arena;
    n->l = l;
    l->quickly = n->plan->registers >= NV_LONG_REGISTERS;
    l->ptr = LLVMPointerTypeInContext(l->ctx, NV_GLOBAL);
    n->e = (Emit){
        .l = l, .rounds_bf16 = true, .no_rem = true, .whole_addresses = true, .picks_floats = true};
    n->regs = NEW_N(n->arena, Val *, n->plan->tiles.len + 1);
    n->parts = map_new(n->arena);
    n->stage = NEW_N(n->arena, Val, n->plan->buffers.len + 1);
    emit_function(n);
}

/* The version of PTX: what the instructions that we use ask for, and the chip. */
static const char *features_of(int chip)
{
    static const struct {
        int chip;
        const char *features;
    } rows[] = {{121, "+ptx88"}, {120, "+ptx87"}, {103, "+ptx88"}, {100, "+ptx86"}};

    for (int i = 0; i < COUNT(rows); i++) {
        if (chip >= rows[i].chip)
            return rows[i].features;
    }
    return "+ptx84";
}

/* Chips that our instructions exist on, by LLVM's names. */
static const char *const archs[] = {"sm_80",  "sm_86",  "sm_87",  "sm_89",  "sm_90", "sm_90a",
                                    "sm_100", "sm_103", "sm_120", "sm_121", NULL};

static bool emit_for_nv(const Func *f, const GenOptions *o, GenStage stage, Arena *a,
                        GenOutput *out, Diags *d)
{
    NvPlan *plan = nv_plan_make(f, o, a, d);

    if (!plan)
        return false;
    *out =
        (GenOutput){.warps = plan->warps, .shared = (size_t)plan->shared, .together = plan->wished};
    if (stage == GEN_LAYOUT) {
        out->data = (char *)nv_plan_text(plan, a);
        out->len = strlen(out->data);
        return true;
    }
    Nv n = {.plan = plan, .func = f, .options = o};
    LlvmMachine machine = {.triple = "nvptx64-nvidia-cuda",
                           .cpu = o->cpu ? o->cpu : "sm_80",
                           .features =
                               o->features && *o->features ? o->features : features_of(plan->chip),
                           .is_text = true};
    if (!llvm_emit(&machine, (int)MIN(plan->registers, INT32_MAX), make_code, &n, stage, a, out, d))
        return false;
    if (o->lines && stage != GEN_LLVM)
        nv_say_calls(f->module, a, out);
    return true;
}

static void start(void)
{
#if LLVM_VERSION_MAJOR == 22
    /* Before it makes one sum from another, a pass looks through 32 instructions for whether the
     * other may be poison, each time: half of what code for a GPU took.  Our sums never are: of the
     * flags that make poison they have `nuw` alone, and that where it holds. */
    static const char *const argv[] = {"tilec", "-enable-poison-reuse-guard=false"};
    LLVMParseCommandLineOptions(COUNT(argv), argv, NULL);
#endif
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

const Target nv_target = {.name = "nv",
                          .straight_math = true,
                          .archs = archs,
                          .native_math = nv_native_math,
                          .inline_asm = true,
                          .texts = GEN_HAS(LAYOUT) | GEN_HAS(LLVM) | GEN_HAS(PTX),
                          .start = start,
                          .emit = emit_for_nv,
                          .build = nv_build};
