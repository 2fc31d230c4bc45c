/*
 * llvm.c - the thin layer over LLVM's C API; see llvm.h
 *
 * The pass list is short on purpose: the tile IR has been through its own CSE, LICM and DCE, and
 * the emitter hoists by construction, so LLVM only promotes the accumulators and merges repeated
 * address arithmetic.  Compile time is about 6 ms plus 0.025 ms an instruction of the machine.
 */
#include "llvm.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include <string.h>

static const char usual_passes[] = "function(mem2reg,early-cse,simplifycfg)";
/* Of a function that is very long, and not cut: joining blocks whose conditions are the same takes
 * as long as there are blocks, for each of them. */
static const char quick_passes[] = "function(mem2reg,early-cse)";

/* --- from start to end --- */

/* Takes one of LLVM's messages. */
static const char *own_text(Llvm *l, char *text)
{
    l->text = text;
    const char *copy = arena_strndup(l->arena, text, strlen(text));
    l->text = NULL;
    LLVMDisposeMessage(text);
    return copy;
}

const char *llvm_host_features(Arena *a)
{
    Llvm l = {.arena = a};

    return own_text(&l, LLVMGetHostCPUFeatures());
}

/* What LLVM would print before it ends the process. */
static void note_problem(LLVMDiagnosticInfoRef info, void *llvm)
{
    Llvm *l = llvm;

    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError && !l->problem)
        l->problem = LLVMGetDiagInfoDescription(info);
}

/* What LLVM takes at most, many times over for ordinary kernels. */
static size_t memory_needed(int values)
{
    static const size_t base = (size_t)32 << 20, each = (size_t)16 << 10, most = (size_t)512 << 20;

    return MIN(base + each * (size_t)values, most);
}

static void start_module(Llvm *l, const LlvmMachine *m, int values, GenStage stage)
{
    if (!os_has_memory(memory_needed(values)))
        arena_alloc(l->arena, SIZE_MAX); /* leaves through its guard */
    l->ctx = LLVMContextCreate();
    LLVMContextSetDiscardValueNames(l->ctx, 1);
    LLVMContextSetDiagnosticHandler(l->ctx, note_problem, l);
    l->module = LLVMModuleCreateWithNameInContext("kernel", l->ctx);
    l->i1 = LLVMInt1TypeInContext(l->ctx);
    l->i8 = LLVMInt8TypeInContext(l->ctx);
    l->i16 = LLVMInt16TypeInContext(l->ctx);
    l->i32 = LLVMInt32TypeInContext(l->ctx);
    l->i64 = LLVMInt64TypeInContext(l->ctx);
    l->f16 = LLVMHalfTypeInContext(l->ctx);
    l->f32 = LLVMFloatTypeInContext(l->ctx);
    l->f64 = LLVMDoubleTypeInContext(l->ctx);
    l->ptr = LLVMPointerTypeInContext(l->ctx, 0);
    l->none = LLVMVoidTypeInContext(l->ctx);
    l->triple = m->triple ? m->triple : own_text(l, LLVMGetDefaultTargetTriple());
    l->cpu = m->cpu ? m->cpu : own_text(l, LLVMGetHostCPUName());
    l->features = m->features ? m->features : own_text(l, LLVMGetHostCPUFeatures());
    l->passes = m->passes ? m->passes : usual_passes;
    l->is_text = m->is_text;
    l->makes_object = stage == GEN_OBJECT && !m->is_text;
}

static void free_all(Llvm *l)
{
    llvm_drop_builders(l, 0);
    llvm_lines_free(l);
    if (l->object)
        LLVMDisposeMemoryBuffer(l->object);
    if (l->machine)
        LLVMDisposeTargetMachine(l->machine);
    if (l->module)
        LLVMDisposeModule(l->module);
    if (l->ctx)
        LLVMContextDispose(l->ctx);
    LLVMDisposeMessage(l->text);
    LLVMDisposeMessage(l->problem);
}

Bld llvm_builder(Llvm *l, LLVMBasicBlockRef at)
{
    vec_push(l->arena, &l->builders, NULL); /* nothing may fail once it is there */
    Bld b = LLVMCreateBuilderInContext(l->ctx);
    l->builders.at[l->builders.len - 1] = b;
    llvm_lines_place(l, b);
    LLVMPositionBuilderAtEnd(b, at);
    return b;
}

void llvm_drop_builders(Llvm *l, int kept)
{
    while (l->builders.len > kept)
        LLVMDisposeBuilder(l->builders.at[--l->builders.len]);
}

static void add_attribute(Llvm *l, Val fn, const char *name, const char *value)
{
    LLVMAttributeRef a = LLVMCreateStringAttribute(l->ctx, name, (unsigned)strlen(name), value,
                                                   (unsigned)strlen(value));

    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, a);
}

static void add_flag_attribute(Llvm *l, Val fn, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(l->ctx, kind, 0));
}

void llvm_apart(Llvm *l, Val fn, unsigned parameter)
{
    static const char name[] = "noalias";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    LLVMAddAttributeAtIndex(fn, parameter, LLVMCreateEnumAttribute(l->ctx, kind, 0));
}

Val llvm_function(Llvm *l, const char *name, LLVMTypeRef type)
{
    Val fn = LLVMAddFunction(l->module, name, type);

    add_flag_attribute(l, fn, "nounwind");
    add_attribute(l, fn, "target-cpu", l->cpu);
    add_attribute(l, fn, "target-features", l->features);
    add_attribute(l, fn, "prefer-vector-width", "512");
    add_attribute(l, fn, "frame-pointer", "all");
    return fn;
}

/* Code for CPUs is not ordered once more behind the choice of registers, which takes 5% of the time
 * of code generation: they order instructions themselves. */
static LLVMCodeGenOptLevel code_level(const Llvm *l)
{
    if (l->quickly)
        return LLVMCodeGenLevelNone;
    return l->is_text ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelLess;
}

static bool make_machine(Llvm *l, const char **why)
{
    char *error = NULL;
    LLVMTargetRef target;

    if (LLVMGetTargetFromTriple(l->triple, &target, &error) != 0) {
        *why = arena_printf(l->arena, "LLVM does not know this machine: %s", own_text(l, error));
        return false;
    }
    l->machine = LLVMCreateTargetMachine(target, l->triple, l->cpu, l->features, code_level(l),
                                         LLVMRelocPIC, LLVMCodeModelSmall);
    LLVMSetTarget(l->module, l->triple);
    LLVMSetTargetMachineAsmVerbosity(l->machine, l->lines != NULL); /* lines as comments, too */
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(l->machine);
    LLVMSetModuleDataLayout(l->module, layout);
    LLVMDisposeTargetData(layout);
    return true;
}

static void run_passes(Llvm *l, const char *passes)
{
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(l->module, passes, l->machine, o);

    LLVMDisposePassBuilderOptions(o);
    if (e)
        bug("LLVM does not take %s: %s", passes, LLVMGetErrorMessage(e));
}

bool llvm_is_call(Val i, const char *intrinsic)
{
    unsigned id = LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic));

    return LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)) &&
           LLVMGetIntrinsicID(LLVMGetCalledValue(i)) == id;
}

/* The one lane that a constant mask lets through; -1 when it is not constant or not one. */
static int only_lane(Val mask)
{
    int lane = -1;

    if (!LLVMIsConstant(mask))
        return -1;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(mask)); i++) {
        Val bit = LLVMGetAggregateElement(mask, i);
        if (!bit || !LLVMIsAConstantInt(bit))
            return -1;
        if (LLVMConstIntGetZExtValue(bit) == 0)
            continue;
        if (lane >= 0)
            return -1;
        lane = (int)i;
    }
    return lane;
}

static void store_only_lane(Llvm *l, Bld b, Val call)
{
    int mask_at = LLVM_VERSION_MAJOR >= 22 ? 2 : 3;
    Val v = LLVMGetOperand(call, 0), ptr = LLVMGetOperand(call, 1);
    int lane = only_lane(LLVMGetOperand(call, (unsigned)mask_at));

    if (lane < 0)
        return;
    LLVMPositionBuilderBefore(b, call);
    Val offset = LLVMConstInt(l->i64, (unsigned)lane, 0), x = llvm_slice(l, b, v, lane, 1);
    llvm_store(b, x, LLVMBuildGEP2(b, LLVMTypeOf(x), ptr, &offset, 1, ""), 1);
    LLVMInstructionEraseFromParent(call);
}

/* Is it what one vector gives where the other one has been loaded?  LLVM makes such selects of
 * these intrinsics. */
static bool selects_loaded(Val v)
{
    bool selects =
        LLVMIsASelectInst(v) || llvm_is_call(v, "llvm.maxnum") || llvm_is_call(v, "llvm.minnum");

    for (int i = 0; selects && i < LLVMGetNumOperands(v); i++) {
        if (LLVMIsALoadInst(LLVMGetOperand(v, (unsigned)i)))
            return true;
    }
    return false;
}

/* A store of a select between a vector and what is in memory would become a masked one, which AVX2
 * has for words only, and which takes an AMD processor a dozen cycles.  A fence, which is no
 * instruction, hides the select. */
static void keep_whole(Llvm *l, Bld b, Val store)
{
    Val v = LLVMGetOperand(store, 0);
    LLVMTypeRef t = LLVMTypeOf(v), words;

    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind || !selects_loaded(v))
        return;
    LLVMPositionBuilderBefore(b, store);
    words = LLVMTypeOf(llvm_slice(l, b, v, 0, 1));
    words = words == l->i32 ? l->f32 : words == l->i64 ? l->f64 : words;
    if (words != l->f32 && words != l->f64)
        return;
    words = llvm_vector(words, llvm_lanes(v));
    v = LLVMBuildBitCast(b, v, words, "");
    v = llvm_call(l, b, "llvm.arithmetic.fence", 1, &words, 1, &v);
    LLVMSetOperand(store, 0, v);
}

/* LLVM up to 22.1 makes a masked store of truncated integers that has one lane, known when
 * compiling, as wide as before the truncation, and so writes behind the array (LLVM's issue
 * 179489; AVX-512).  Such stores become scalar ones here, after all that could make a mask known.
 */
static void mend_stores(Llvm *l)
{
    bool words = strstr(l->features, "+avx2") && !strstr(l->features, "+avx512f");
    Val first = LLVMGetFirstFunction(l->module); /* data has none */
    Bld b = first ? llvm_builder(l, LLVMGetEntryBasicBlock(first)) : NULL;

    for (Val f = first; f; f = LLVMGetNextFunction(f)) {
        LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
        for (; block; block = LLVMGetNextBasicBlock(block)) {
            for (Val i = LLVMGetFirstInstruction(block), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (llvm_is_call(i, "llvm.masked.store"))
                    store_only_lane(l, b, i);
                else if (words && LLVMIsAStoreInst(i))
                    keep_whole(l, b, i);
            }
        }
    }
}

/* Is it what an instruction computes that a loop may count by? */
static bool may_count(Val next)
{
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(next));

    return LLVMIsAInstruction(next) && !LLVMIsAPHINode(next) && !LLVMIsATerminatorInst(next) &&
           (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind);
}

/* A mark that becomes no instruction, behind one. */
static Val mark(Llvm *l, Bld b, Val next)
{
    LLVMTypeRef t = LLVMTypeOf(next);

    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(next));
    if (t == l->ptr)
        return llvm_call1(l, b, "llvm.launder.invariant.group", next);
    return llvm_call2(l, b, "llvm.expect", next, llvm_int(t, 0));
}

enum { SHORT_LOOP = 16 /* instructions */ };

/* Is it a loop of a head and a few instructions without vectors, as sums of single elements are?
 * There one counter less is much, and found quickly. */
static bool is_short(LLVMBasicBlockRef head, LLVMBasicBlockRef latch)
{
    Val end = LLVMGetBasicBlockTerminator(head);
    int n = 0;

    if (latch != LLVMGetNextBasicBlock(head) || LLVMGetNumSuccessors(end) != 2 ||
        (LLVMGetSuccessor(end, 0) != latch && LLVMGetSuccessor(end, 1) != latch))
        return false;
    for (Val i = LLVMGetFirstInstruction(latch); i; i = LLVMGetNextInstruction(i)) {
        if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind || ++n > SHORT_LOOP)
            return false;
    }
    return true;
}

/* `seen`: the blocks in front of it. */
static void hide_steps(Llvm *l, Bld b, LLVMBasicBlockRef block, const Map *seen)
{
    Val phi = LLVMGetFirstInstruction(block);

    for (; phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            Val next = LLVMGetIncomingValue(phi, i);
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
            if (!map_get(seen, MAP_KEY(from)) && may_count(next) && !is_short(block, from))
                LLVMSetOperand(phi, i, mark(l, b, next));
        }
    }
}

/* Loop strength reduction would take a fifth of the time of code generation, and find nothing: what
 * a loop does not change is made in front of it, and addresses are made where they change.  It goes
 * by counters, and sees none where a mark stands between one round's value and the next.  So do the
 * passes beside it, which take as long again where the next value is chosen. */
static void hide_counters(Llvm *l)
{
    Val first = LLVMGetFirstFunction(l->module);
    Bld b = first ? llvm_builder(l, LLVMGetEntryBasicBlock(first)) : NULL;

    for (Val f = first; f; f = LLVMGetNextFunction(f)) {
        LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f);
        Map *seen = map_new(l->arena);
        for (; block; block = LLVMGetNextBasicBlock(block)) {
            hide_steps(l, b, block, seen);
            map_put(seen, MAP_KEY(block), block);
        }
    }
}

static bool emit_machine_code(Llvm *l, GenStage stage, GenOutput *out, const char **why)
{
    char *error = NULL;
    bool text = stage == GEN_ASM || l->is_text;
    LLVMCodeGenFileType type = text ? LLVMAssemblyFile : LLVMObjectFile;

    if (LLVMTargetMachineEmitToMemoryBuffer(l->machine, l->module, type, &error, &l->object) != 0) {
        *why = own_text(l, error);
        return false;
    }
    out->len = LLVMGetBufferSize(l->object);
    out->data = arena_strndup(l->arena, LLVMGetBufferStart(l->object), out->len);
    return true;
}

static void emit_text(Llvm *l, GenOutput *out)
{
    out->data = (char *)own_text(l, LLVMPrintModuleToString(l->module));
    out->len = strlen(out->data);
}

/* With the registers of better code, since what is reloaded where a loop begins has no line, and a
 * debugger would stop there again in each round: but for them no pass behind this touches it. */
static void keep_order(Llvm *l)
{
    for (Val fn = LLVMGetFirstFunction(l->module); fn; fn = LLVMGetNextFunction(fn)) {
        if (LLVMIsDeclaration(fn))
            continue;
        add_flag_attribute(l, fn, "noinline");
        add_flag_attribute(l, fn, "optnone");
    }
}

static bool finish(Llvm *l, GenStage stage, GenOutput *out, const char **why)
{
    bool very_long = llvm_is_very_long(l);
    l->quickly |= very_long;
    if (!make_machine(l, why))
        return false;
    if (!l->is_text && !l->ordered)
        llvm_cut(l);
    llvm_lines_end(l);
#ifdef TILEC_VERIFY_LLVM
    char *broken = NULL;
    if (LLVMVerifyModule(l->module, LLVMReturnStatusAction, &broken) != 0) {
        char *text = LLVMPrintModuleToString(l->module);
        bug("broken LLVM IR: %s\n%s", broken, text);
    }
    LLVMDisposeMessage(broken);
#endif
    run_passes(l, very_long && l->is_text ? quick_passes : l->passes);
    mend_stores(l);
    if (!l->is_text && !l->ordered && !l->quickly) {
        llvm_cut_blocks(l);
        hide_counters(l);
        llvm_place_constants(l);
    }
    if (l->ordered)
        keep_order(l);
    if (stage == GEN_LLVM)
        emit_text(l, out);
    else if (!emit_machine_code(l, stage, out, why))
        return false;
    if (l->problem)
        *why = arena_strndup(l->arena, l->problem, strlen(l->problem));
    return !l->problem;
}

/* One kernel on its way through LLVM.  What it allocates does not leave through its caller's guard,
 * or nobody would give LLVM's memory back. */
typedef struct {
    Guard guard;
    Arena *arena; /* leaves through `guard` */
    Llvm llvm;
    GenOutput out;
    const char *why; /* NULL, or what went wrong */
} Emission;

/* False: memory ran out. */
static bool attempt(Emission *e, const LlvmMachine *m, int values, void (*make)(Llvm *l, void *ctx),
                    void *ctx, GenStage stage)
{
    if (setjmp(e->guard.env) != 0)
        return false;
    e->arena = e->llvm.arena = arena_new(&e->guard);
    start_module(&e->llvm, m, values, stage);
    make(&e->llvm, ctx);
    finish(&e->llvm, stage, &e->out, &e->why);
    return true;
}

/* Copy code or message to the caller's arena, and leave nothing behind. */
static char *take_over(Emission *e, bool made, Arena *a)
{
    size_t len = e->why ? strlen(e->why) : e->out.len;
    char *copy = made ? arena_try_alloc(a, len + 1) : NULL;

    if (copy)
        memcpy(copy, e->why ? e->why : e->out.data, len);
    free_all(&e->llvm);
    arena_free(e->arena);
    return copy ? copy : arena_alloc(a, SIZE_MAX); /* leaves through the guard of `a` */
}

bool llvm_emit(const LlvmMachine *m, int values, void (*make)(Llvm *l, void *ctx), void *ctx,
               GenStage stage, Arena *a, GenOutput *out, Diags *d)
{
    Emission e = {.why = NULL};
    bool made = attempt(&e, m, values, make, ctx, stage), refused = e.why;
    char *text = take_over(&e, made, a);

    if (refused) {
        diag(d, DIAG_ERROR, (Span){0, 0}, "the code generator failed: %s", text);
        return false;
    }
    out->data = text;
    out->len = e.out.len;
    return true;
}
