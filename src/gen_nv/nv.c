/*
 * nv.c - the target for NVIDIA GPUs: one kernel function that is one thread of a program
 *
 * Plans the kernel (nv_plan.h), then carries the plan out step by step (nv_flow.c); LLVM makes PTX
 * of it.
 *
 * The kernel, by its own name, takes one parameter for each of the function's, in memory form, and
 * is launched with GenOutput.warps * 32 threads a block and GenOutput.shared bytes of dynamic
 * shared memory; the grid is that of the programs.
 */
#include "nv.h"

#include "../gpu_schedule/nv_ring.h"

#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>
#include <stdio.h>
#include <string.h>

enum { KERNEL_CALL = 71 }; /* LLVM's number of the calling convention */

Val nv_program_number(Nv *n)
{
    static const char *const programs[] = {"nctaid.x", "nctaid.y"};
    Val number = LLVMBuildZExt(n->b, n->program[2], n->l->i64, "");

    for (int d = 1; d >= 0; d--) {
        Val extent = LLVMBuildZExt(n->b, nv_special(n, programs[d]), n->l->i64, "");
        Val at = LLVMBuildZExt(n->b, n->program[d], n->l->i64, "");
        number = LLVMBuildAdd(n->b, LLVMBuildMul(n->b, number, extent, ""), at, "");
    }
    return number;
}

/* Where this program's part of all workspaces begins, an i64: behind those of the programs in front
 * of it. */
static Val find_workspace(Nv *n)
{
    return LLVMBuildMul(n->b, nv_program_number(n), llvm_int(n->l->i64, n->plan->recipe.workspace),
                        "");
}

/* Of that parameter: the launch says in one argument where all of them lie. */
static Val workspace(Nv *n, int i, Val first)
{
    Val all = LLVMGetParam(n->fn, (unsigned)n->plan->recipe.workspace_arg);
    Val offset = llvm_int(n->l->i64, ir_workspace_at(n->func, i));
    Val at = LLVMBuildAdd(n->b, first, offset, "");

    return LLVMBuildGEP2(n->b, n->l->i8, all, &at, 1, "");
}

static void load_arguments(Nv *n)
{
    const Block *body = n->func->body;
    Val first = n->plan->recipe.workspace > 0 ? find_workspace(n) : NULL;

    for (int i = 0; i < body->nargs; i++) {
        const Type *t = body->args[i]->type;
        Val v = LLVMGetParam(n->fn, (unsigned)i);
        if (n->func->params[i].kind == PARAM_WORKSPACE)
            v = workspace(n, i, first);
        nv_set(n, n->plan->body->args[i])[0] =
            t->pointer ? v : emit_from_memory(&n->e, n->b, v, t->dtype);
    }
}

static void find_shared(Nv *n)
{
    LLVMTypeRef bytes = LLVMArrayType2(n->l->i8, 0);

    if (n->plan->shared == 0)
        return;
    Val array = LLVMAddGlobalInAddressSpace(n->l->module, bytes, "tilec_shared", NV_SHARED);
    LLVMSetLinkage(array, LLVMExternalLinkage);
    LLVMSetAlignment(array, (unsigned)nv_shared_align(n->plan));
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
    int nmaps = n->plan->recipe.nmaps, before = body->nargs + nmaps;
    int all = before + n->options->spans + n->options->clocks;
    LLVMTypeRef *params = NEW_N(n->arena, LLVMTypeRef, all + 1);

    for (int i = 0; i < body->nargs; i++) {
        const Type *t = body->args[i]->type;
        params[i] = t->pointer ? n->l->ptr : emit_memory_type(&n->e, t->dtype);
    }
    for (int i = 0; i < nmaps; i++)
        params[n->plan->recipe.maps[i].arg] = n->l->ptr;
    for (int i = before; i < all; i++)
        params[i] = n->l->ptr;
    return LLVMFunctionType(n->l->none, params, (unsigned)all, 0);
}

/* Tensor maps are parameters by value, and only their addresses are asked for. */
static void pass_maps(Nv *n)
{
    static const char by_value[] = "byval", aligned[] = "align";
    LLVMTypeRef map = LLVMArrayType2(n->l->i8, TENSOR_MAP_BYTES);
    unsigned kinds[] = {LLVMGetEnumAttributeKindForName(by_value, strlen(by_value)),
                        LLVMGetEnumAttributeKindForName(aligned, strlen(aligned))};

    for (int i = 0; i < n->plan->recipe.nmaps; i++) {
        unsigned at = 1 + (unsigned)n->plan->recipe.maps[i].arg;
        LLVMAddAttributeAtIndex(n->fn, at, LLVMCreateTypeAttribute(n->l->ctx, kinds[0], map));
        LLVMAddAttributeAtIndex(n->fn, at,
                                LLVMCreateEnumAttribute(n->l->ctx, kinds[1], TENSOR_MAP_ALIGN));
    }
}

static void find_threads(Nv *n)
{
    static const char *const programs[] = {"ctaid.x", "ctaid.y", "ctaid.z"};

    n->thread = nv_special(n, "tid.x");
    n->lane = LLVMBuildAnd(n->b, n->thread, llvm_int(n->l->i32, NV_LANES - 1), "");
    n->warp = LLVMBuildLShr(n->b, n->thread, llvm_int(n->l->i32, NV_LANE_BITS), "");
    for (int d = 0; d < COUNT(n->program); d++)
        n->program[d] = nv_special(n, programs[d]);
}

void nv_set_registers(Nv *n, bool more, int count)
{
    const char *name = more ? "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32"
                            : "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32";
    Val v = llvm_int(n->l->i32, count);

    llvm_call(n->l, n->b, name, 0, NULL, 1, &v);
}

static void emit_function(Nv *n)
{
    n->fn = llvm_function(n->l, gen_entry_name(n->func->name, n->entry), kernel_type(n));
    LLVMSetFunctionCallConv(n->fn, KERNEL_CALL);
    pass_maps(n);
    const char *threads = arena_printf(n->arena, "%d,1,1", nv_launched_warps(n->plan) * NV_LANES);
    add_text_attribute(n, "nvvm.reqntid", threads);
    if (n->plan->ring && n->plan->ring->registers > 0)
        add_text_attribute(n, "nvvm.minctasm", "1"); /* so that it is known how many there are */
    else if (n->plan->together > 0)
        add_text_attribute(n, "nvvm.minctasm", arena_printf(n->arena, "%d", n->plan->together));
    int most = MAX(n->plan->most, n->plan->room); /* not both */
    if (most > 0)
        add_text_attribute(n, "nvvm.maxnreg", arena_printf(n->arena, "%d", most));
    llvm_lines_begin(n->l, n->func, n->fn, n->options);
    LLVMBasicBlockRef entry = nv_block(n), start = nv_block(n);
    n->b = llvm_builder(n->l, entry);
    /* give back what the kernel was never given: all that it does is that the assembler takes the
     * directive for what there shall be, and no longer for what there may be at most */
    if (n->plan->room > 0)
        nv_set_registers(n, false, n->plan->room);
    find_threads(n);
    find_shared(n);
    load_arguments(n);
    LLVMBuildBr(n->b, start); /* what layouts need of threads goes in front of this */
    LLVMPositionBuilderAtEnd(n->b, start);
    nv_spans_begin(n);
    nv_record_program(n);
    nv_sums_begin(n);
    nv_ring_begin(n);
    nv_clock_begin(n);
    nv_begin_turns(n);
    nv_steps(n, n->plan->body);
    nv_sums_end(n);
    nv_clock_end(n);
    nv_spans_end(n);
    LLVMBuildRetVoid(n->b);
}

/* --- the target --- */

static void make_code(Llvm *l, void *nv)
{
    Nv *n = nv;

    n->arena = l->arena;
    n->l = l;
    /* sums of wgmma.mma_async must stay where they are, which takes the slower way */
    l->quickly = n->plan->registers >= NV_LONG_REGISTERS && !n->plan->has_groups;
    l->ptr = LLVMPointerTypeInContext(l->ctx, NV_GLOBAL);
    n->e = (Emit){.l = l,
                  .small = nv_small_floats(n),
                  .no_rem = true,
                  .whole_addresses = true,
                  .picks_bytes = true,
                  .picks_floats = true};
    n->regs = NEW_N(n->arena, Val *, n->plan->tiles.len + 1);
    n->products = NEW_N(n->arena, const NvStep *, n->plan->tiles.len + 1);
    n->parts = map_new(n->arena);
    n->quotients = map_new(n->arena);
    n->reciprocals = map_new(n->arena);
    n->halves = map_new(n->arena);
    n->lifted = map_new(n->arena);
    n->made = map_new(n->arena);
    n->kept = map_new(n->arena);
    n->held = map_new(n->arena);
    n->stage = NEW_N(n->arena, Val, n->plan->buffers.len + 1);
    emit_function(n);
}

static bool emit_for_nv(const Func *f, const GenOptions *o, GenStage stage, Arena *a,
                        GenOutput *out, Diags *d)
{
    NvPlan *plan = nv_plan_make(f, o, a, d);

    if (!plan)
        return false;
    *out = (GenOutput){.warps = nv_launched_warps(plan),
                       .shared = (size_t)plan->shared,
                       .together = plan->wished,
                       .worth = plan->worth,
                       .crowds = plan->crowds,
                       .told = plan->in_loops ? plan->together : 0,
                       .budgeted = plan->together > 0 || plan->room > 0,
                       .recipe = plan->recipe};
    if (stage == GEN_LAYOUT) {
        out->data = (char *)nv_plan_text(plan, a);
        out->len = strlen(out->data);
        return true;
    }
    if (!plan->chip->features)
        bug("there is no code for the chip %s", plan->chip->name);
    Nv n = {.plan = plan, .func = f, .options = o};
    LlvmMachine machine = {.triple = "nvptx64-nvidia-cuda",
                           .cpu = plan->chip->name,
                           .features =
                               o->features && *o->features ? o->features : plan->chip->features,
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

static bool takes(const Op *op)
{
    return op->code == OP_inline_asm || op->code == OP_inline_asm_volatile;
}

const Target nv_target = {.name = "nv",
                          .straight_math = true,
                          .archs = chip_names,
                          .native_math = nv_native_math,
                          .takes = takes,
                          .texts = GEN_HAS(LAYOUT) | GEN_HAS(LLVM) | GEN_HAS(PTX),
                          .start = start,
                          .emit = emit_for_nv,
                          .build = nv_build};
