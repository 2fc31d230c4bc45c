/*
 * cpu_build.c - kernels ahead of time: one object that programs link, with code for several CPUs
 *
 * Takes a GenBuild, whose functions have been through the passes, and makes one LLVM module of it:
 *
 *     LEVEL()                        asks cpuid once which level the machine has; TILEC_CPU names a
 *                                    lower one; -1: one that there is no code for, or none
 *     SYMBOL(args, grid, first, last)  of each form: calls its kernel of that level
 *     SYMBOL.x86-64 ...              the kernels, as emit() makes them, internal
 *
 * Beside the kernel's own arithmetic the object calls memcpy(), the C library's math functions,
 * getenv(), strcmp(), and aligned_alloc() and free() where a kernel needs much scratch memory.  It
 * has one word of state, the level.  docs/aot.md is about the same from outside.
 */
#include "../plan_schedule/plan_schedule.h"
#include "target_cpu.h"

#include <stddef.h>
#include <string.h>

enum { ON_STACK = 4096, SCRATCH_ALIGN = 64 }; /* scratch up to here lies on the caller's stack */
enum { LEAF_FEATURES = 1, OSXSAVE_ECX_BIT = 27, FIRST_EXTENDED_LEAF = INT32_MIN };
enum { EAX, EBX, ECX, EDX };

/* What an entry returns; the values are those of tilec_status. */
enum { BUILD_DONE = 0, BUILD_NO_CPU = 2, BUILD_NO_MEMORY = 4, BUILD_FAULT = 7 };

typedef struct {
    const GenBuild *build;
    GenOptions *options; /* one a level */
    Plan **plans;        /* [form][level] */
    Llvm *l;
    Val level; /* the function LEVEL */
    LLVMTypeRef level_type;
} Build;

/* A function that code is being put into. */
typedef struct {
    Llvm *l;
    Val fn;
    Bld b;
} Body;

static LLVMBasicBlockRef new_block(const Body *f)
{
    return LLVMAppendBasicBlockInContext(f->l->ctx, f->fn, "");
}

/* Code goes on there. */
static void go_to(const Body *f, LLVMBasicBlockRef block)
{
    LLVMPositionBuilderAtEnd(f->b, block);
}

static Body begin_body(Llvm *l, const char *name, LLVMTypeRef type)
{
    Body f = {.l = l, .fn = llvm_function(l, name, type)};

    f.b = llvm_builder(l, new_block(&f));
    return f;
}

static LLVMTypeRef function_type(LLVMTypeRef result, int n, LLVMTypeRef *params)
{
    return LLVMFunctionType(result, params, (unsigned)n, 0);
}

/* A function of the C library. */
static Val call_c(const Body *f, const char *name, LLVMTypeRef type, int n, Val *args)
{
    Val fn = LLVMGetNamedFunction(f->l->module, name);

    if (!fn)
        fn = LLVMAddFunction(f->l->module, name, type);
    return LLVMBuildCall2(f->b, type, fn, args, (unsigned)n, "");
}

static Val text_constant(const Body *f, const char *text)
{
    return LLVMBuildGlobalStringPtr(f->b, text, "");
}

/* --- LEVEL() --- */

/* One of the four words that cpuid answers. */
static Val ask_cpu(const Body *f, uint32_t leaf, uint32_t subleaf, int reg)
{
    static const char code[] = "cpuid";
    static const char operands[] = "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}";
    LLVMTypeRef i32 = f->l->i32, results[] = {i32, i32, i32, i32}, params[] = {i32, i32};
    LLVMTypeRef all = LLVMStructTypeInContext(f->l->ctx, results, COUNT(results), 0);
    LLVMTypeRef type = function_type(all, COUNT(params), params);
    Val fn = LLVMGetInlineAsm(type, code, strlen(code), operands, strlen(operands), 1, 0,
                              LLVMInlineAsmDialectATT, 0);
    Val args[] = {llvm_int(i32, (int32_t)leaf), llvm_int(i32, (int32_t)subleaf)};

    return LLVMBuildExtractValue(f->b, LLVMBuildCall2(f->b, type, fn, args, COUNT(args), ""),
                                 (unsigned)reg, "");
}

static Val has_bits(const Body *f, Val word, uint32_t bits)
{
    Val wanted = llvm_int(f->l->i32, (int32_t)bits);

    return LLVMBuildICmp(f->b, LLVMIntEQ, LLVMBuildAnd(f->b, word, wanted, ""), wanted, "");
}

/* XCR0, or 0 where the system saves nothing of the kind. */
static Val ask_saved_state(const Body *f)
{
    static const char code[] = "xgetbv",
                      operands[] = "={ax},{cx},~{dx},~{dirflag},~{fpsr},~{flags}";
    LLVMTypeRef i32 = f->l->i32, type = function_type(i32, 1, &i32);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(f->b), ask = new_block(f), after = new_block(f);
    Val fn = LLVMGetInlineAsm(type, code, strlen(code), operands, strlen(operands), 1, 0,
                              LLVMInlineAsmDialectATT, 0);
    Val zero = llvm_int(i32, 0);

    LLVMBuildCondBr(f->b,
                    has_bits(f, ask_cpu(f, LEAF_FEATURES, 0, ECX), UINT32_C(1) << OSXSAVE_ECX_BIT),
                    ask, after);
    go_to(f, ask);
    Val low = LLVMBuildCall2(f->b, type, fn, &zero, 1, "");
    LLVMBuildBr(f->b, after);
    go_to(f, after);
    Val state = LLVMBuildPhi(f->b, i32, "");
    LLVMAddIncoming(state, (Val[]){zero, low}, (LLVMBasicBlockRef[]){from, ask}, 2);
    return state;
}

/* i1: the CPU answers the question, and as it must. */
static Val passes_test(const Body *f, const GenCpuTest *t)
{
    uint32_t first = t->leaf & (uint32_t)FIRST_EXTENDED_LEAF;
    Val last = ask_cpu(f, first, 0, EAX);
    Val known = LLVMBuildICmp(f->b, LLVMIntUGE, last, llvm_int(f->l->i32, (int32_t)t->leaf), "");

    return LLVMBuildAnd(f->b, known, has_bits(f, ask_cpu(f, t->leaf, t->subleaf, t->reg), t->bits),
                        "");
}

/* The number of the highest level of which nothing is missing. */
static Val find_level(const Body *f, const GenBuild *b)
{
    Val state = ask_saved_state(f), best = llvm_int(f->l->i32, 0);

    for (int k = 1; k < b->nlevels; k++) {
        const GenLevel *level = &b->levels[k];
        Val good = has_bits(f, state, level->state);
        for (int i = 0; i < level->ntests; i++)
            good = LLVMBuildAnd(f->b, good, passes_test(f, &level->tests[i]), "");
        best = LLVMBuildSelect(f->b, good, llvm_int(f->l->i32, k), best, "");
    }
    return best;
}

/* The highest level of the object that is none above number `limit` of all; -1: there is no such.
 */
static int highest_within(const GenBuild *b, int limit)
{
    int highest = -1;

    for (int k = 0; k < b->nlevels; k++) {
        for (int i = 0; i <= limit; i++)
            highest = strcmp(b->levels[k].name, b->known[i]) == 0 ? k : highest;
    }
    return highest;
}

static Val is_text(const Body *f, Val text, const char *wanted)
{
    Llvm *l = f->l;
    LLVMTypeRef texts[] = {l->ptr, l->ptr};
    Val args[] = {text, text_constant(f, wanted)};
    Val differs = call_c(f, "strcmp", function_type(l->i32, 2, texts), 2, args);

    return LLVMBuildICmp(f->b, LLVMIntEQ, differs, llvm_int(l->i32, 0), "");
}

/* That, or the lower one that the environment names; -1: it names what there is no code for. */
static Val limit_level(const Body *f, const GenBuild *b, Val best)
{
    Llvm *l = f->l;
    LLVMTypeRef texts[] = {l->ptr, l->ptr};
    Val name = text_constant(f, "TILEC_CPU");
    Val wish = call_c(f, "getenv", function_type(l->ptr, 1, texts), 1, &name);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(f->b), read = new_block(f), after = new_block(f);

    LLVMBuildCondBr(f->b, LLVMBuildIsNull(f->b, wish, ""), after, read);
    go_to(f, read);
    Val limited = LLVMBuildSelect(f->b, is_text(f, wish, ""), best, llvm_int(l->i32, -1), "");
    for (int i = 0; b->known[i]; i++) {
        Val most = llvm_int(l->i32, highest_within(b, i));
        Val less = LLVMBuildICmp(f->b, LLVMIntSLT, most, best, "");
        Val least = LLVMBuildSelect(f->b, less, most, best, "");
        limited = LLVMBuildSelect(f->b, is_text(f, wish, b->known[i]), least, limited, "");
    }
    LLVMBuildBr(f->b, after);
    go_to(f, after);
    Val level = LLVMBuildPhi(f->b, l->i32, "");
    LLVMAddIncoming(level, (Val[]){best, limited}, (LLVMBasicBlockRef[]){from, read}, 2);
    return level;
}

/* Threads may find it at the same time: they find the same. */
static Val atomic_word(Val access)
{
    LLVMSetAlignment(access, 4);
    LLVMSetOrdering(access, LLVMAtomicOrderingMonotonic);
    return access;
}

static void set_visibility(const Build *x, Val function)
{
    LLVMSetVisibility(function, x->build->exported ? LLVMDefaultVisibility : LLVMHiddenVisibility);
}

static void make_level(Build *x)
{
    Llvm *l = x->l;
    Val known = LLVMAddGlobal(l->module, l->i32, "level_and_two"); /* 0: not asked yet */

    LLVMSetLinkage(known, LLVMInternalLinkage);
    LLVMSetInitializer(known, llvm_int(l->i32, 0));
    x->level_type = function_type(l->i32, 0, NULL);
    Body f = begin_body(l, x->build->level_symbol, x->level_type);
    x->level = f.fn;
    set_visibility(x, f.fn);
    LLVMBasicBlockRef ask = new_block(&f), done = new_block(&f);
    Val now = atomic_word(LLVMBuildLoad2(f.b, l->i32, known, ""));
    Val two = llvm_int(l->i32, 2);
    LLVMBuildCondBr(f.b, LLVMBuildICmp(f.b, LLVMIntEQ, now, llvm_int(l->i32, 0), ""), ask, done);
    go_to(&f, done);
    LLVMBuildRet(f.b, LLVMBuildSub(f.b, now, two, ""));
    go_to(&f, ask);
    Val level = limit_level(&f, x->build, find_level(&f, x->build));
    atomic_word(LLVMBuildStore(f.b, LLVMBuildAdd(f.b, level, two, ""), known));
    LLVMBuildRet(f.b, level);
}

/* --- what programs say: an assertion that fails ends a call, prints go nowhere --- */

typedef struct {
    const Build *x;
    VEC(Val) failures; /* i8 a site: is it an assertion? */
} Sites;

static void note_site(Op *op, void *sites)
{
    Sites *s = sites;

    if (op->code != OP_record)
        return;
    while (s->failures.len <= attr_record_site(op))
        vec_push(s->x->l->arena, &s->failures, llvm_int(s->x->l->i8, 0));
    s->failures.at[attr_record_site(op)] =
        llvm_int(s->x->l->i8, attr_record_kind(op) == RECORD_ASSERT);
}

static Val field(const Body *f, Val base, size_t offset)
{
    Val at = llvm_int(f->l->i64, (int64_t)offset);

    return LLVMBuildGEP2(f->b, f->l->i8, base, &at, 1, "");
}

/* put(port, site, program, values) of a RecordPort: lets no other program begin if the site is an
 * assertion.  The numbers of sites are those of the form's first function; all have the same. */
static Val make_put(Build *x, const GenForm *form)
{
    Llvm *l = x->l;
    LLVMTypeRef params[] = {l->ptr, l->i64, l->ptr, l->ptr};
    Sites s = {.x = x};

    ir_walk(form->funcs[0]->body, note_site, &s);
    Val flags = LLVMConstArray(l->i8, s.failures.at, (unsigned)s.failures.len);
    Val table = LLVMAddGlobal(l->module, LLVMTypeOf(flags), "is_assertion");
    LLVMSetInitializer(table, flags);
    LLVMSetGlobalConstant(table, 1);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    Body f = begin_body(l, arena_printf(l->arena, "%s.put", form->symbol),
                        function_type(l->none, COUNT(params), params));
    LLVMSetLinkage(f.fn, LLVMInternalLinkage);
    LLVMBasicBlockRef failed = new_block(&f), done = new_block(&f);
    Val site = LLVMGetParam(f.fn, 1);
    Val flag = llvm_load(f.b, l->i8, LLVMBuildGEP2(f.b, l->i8, table, &site, 1, ""), 1);
    LLVMBuildCondBr(f.b, LLVMBuildICmp(f.b, LLVMIntNE, flag, llvm_int(l->i8, 0), ""), failed, done);
    go_to(&f, failed);
    llvm_store(f.b, llvm_int(l->i32, 1),
               field(&f, LLVMGetParam(f.fn, 0), offsetof(RecordPort, stop)), 4);
    LLVMBuildBr(f.b, done);
    go_to(&f, done);
    LLVMBuildRetVoid(f.b);
    return f.fn;
}

/* --- SYMBOL() --- */

static const char *kernel_name(const Build *x, const GenForm *form, int level)
{
    return arena_printf(x->l->arena, "%s.%s", form->symbol, x->build->levels[level].name);
}

/* One of a form's kernels, for the CPUs of one level. */
static Val make_kernel(Build *x, int form, int level)
{
    const GenForm *which = &x->build->forms[form];
    Llvm *l = x->l;
    const char *cpu = l->cpu, *features = l->features;
    Cpu c = {.plan = x->plans[form * x->build->nlevels + level],
             .func = which->funcs[level],
             .options = &x->options[level]};

    l->cpu = c.options->cpu;
    l->features = c.options->features;
    cpu_kernel(&c, l, kernel_name(x, which, level));
    LLVMSetLinkage(c.fn, LLVMInternalLinkage);
    llvm_drop_builders(l, 0);
    l->cpu = cpu;
    l->features = features;
    return c.fn;
}

/* The caller's slots with the hidden one behind them: where the port of this call is. */
static Val slots_with_port(const Body *f, const GenForm *form, Val port)
{
    Llvm *l = f->l;
    size_t n = (size_t)form->funcs[0]->body->nargs;
    Val slots = LLVMBuildAlloca(f->b, LLVMArrayType2(l->i64, n), "");

    LLVMBuildMemCpy(f->b, slots, 8, LLVMGetParam(f->fn, 0), 8,
                    llvm_int(l->i64, 8 * (int64_t)(n - 1)));
    llvm_store(f->b, port, field(f, slots, 8 * (n - 1)), 8);
    return slots;
}

static Val make_port(const Body *f, Val put)
{
    Val port = LLVMBuildAlloca(f->b, LLVMArrayType2(f->l->i64, (sizeof(RecordPort) + 7) / 8), "");

    llvm_store(f->b, put, field(f, port, offsetof(RecordPort, put)), 8);
    llvm_store(f->b, llvm_int(f->l->i32, 0), field(f, port, offsetof(RecordPort, stop)), 4);
    llvm_store(f->b, llvm_int(f->l->i8, 1), field(f, port, offsetof(RecordPort, wide_floats)), 1);
    return port;
}

/* Scratch memory of the heap; without it the entry returns. */
static Val allocate(const Body *f, size_t bytes)
{
    Llvm *l = f->l;
    LLVMTypeRef sizes[] = {l->i64, l->i64};
    LLVMBasicBlockRef none = new_block(f), there = new_block(f);
    Val args[] = {llvm_int(l->i64, SCRATCH_ALIGN), llvm_int(l->i64, (int64_t)bytes)};
    Val memory = call_c(f, "aligned_alloc", function_type(l->ptr, 2, sizes), 2, args);

    LLVMBuildCondBr(f->b, LLVMBuildIsNull(f->b, memory, ""), none, there);
    go_to(f, none);
    LLVMBuildRet(f->b, llvm_int(l->i32, BUILD_NO_MEMORY));
    go_to(f, there);
    return memory;
}

/* Without what is kept: no more is read of it than has been written.  Vectors may reach beyond the
 * end of a row in scratch memory.  What they find there goes nowhere, but a detour may be taken for
 * it (cpu_detour.c), at random if that is what there is. */
static void clear_scratch(const Body *f, const Plan *p, Val memory, size_t bytes)
{
    int64_t cleared = p->keeps.len > 0 ? p->front : (int64_t)bytes;

    if (p->buffers.len > 0)
        LLVMBuildMemSet(f->b, memory, llvm_int(f->l->i8, 0), llvm_int(f->l->i64, cleared),
                        SCRATCH_ALIGN);
}

/* One way of the entry: `stack` is scratch memory of ON_STACK bytes. */
static void call_kernel(const Build *x, const Body *f, int form, int level, Val kernel, Val args,
                        Val stack)
{
    Llvm *l = f->l;
    const Plan *plan = x->plans[form * x->build->nlevels + level];
    size_t bytes = ((size_t)plan->scratch + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
    bool heap = bytes > ON_STACK;
    Val memory = bytes == 0 ? LLVMConstNull(l->ptr) : heap ? allocate(f, bytes) : stack;
    clear_scratch(f, plan, memory, bytes);
    Val all[] = {args, LLVMGetParam(f->fn, 1), LLVMGetParam(f->fn, 2), LLVMGetParam(f->fn, 3),
                 memory};
    LLVMTypeRef params[] = {l->ptr, l->ptr, l->i64, l->i64, l->ptr};

    LLVMBuildCall2(f->b, function_type(l->none, COUNT(params), params), kernel, all, COUNT(all),
                   "");
    if (heap)
        call_c(f, "free", function_type(l->none, 1, &l->ptr), 1, &memory);
}

static Val result_of(const Body *f, Val port)
{
    LLVMTypeRef i32 = f->l->i32;

    if (!port)
        return llvm_int(i32, BUILD_DONE);
    Val stopped = llvm_load(f->b, i32, field(f, port, offsetof(RecordPort, stop)), 4);
    return LLVMBuildSelect(f->b, LLVMBuildICmp(f->b, LLVMIntNE, stopped, llvm_int(i32, 0), ""),
                           llvm_int(i32, BUILD_FAULT), llvm_int(i32, BUILD_DONE), "");
}

/* Kernels divide by the extents of the grid, which may be 0 then. */
static void return_without_programs(const Body *f)
{
    LLVMBasicBlockRef none = new_block(f), some = new_block(f);
    Val any = LLVMBuildICmp(f->b, LLVMIntSLT, LLVMGetParam(f->fn, 2), LLVMGetParam(f->fn, 3), "");

    LLVMBuildCondBr(f->b, any, some, none);
    go_to(f, none);
    LLVMBuildRet(f->b, llvm_int(f->l->i32, BUILD_DONE));
    go_to(f, some);
}

static void make_entry(Build *x, int form)
{
    const GenForm *which = &x->build->forms[form];
    Llvm *l = x->l;
    LLVMTypeRef params[] = {l->ptr, l->ptr, l->i64, l->i64};
    int n = x->build->nlevels;
    Val *kernels = NEW_N(l->arena, Val, n);
    bool speaks = func_hidden(which->funcs[0], PARAM_RECORDS) != NULL;

    for (int k = 0; k < n; k++)
        kernels[k] = make_kernel(x, form, k);
    Val put = speaks ? make_put(x, which) : NULL;
    Body f = begin_body(l, which->symbol, function_type(l->i32, COUNT(params), params));
    set_visibility(x, f.fn);
    Val stack = LLVMBuildAlloca(f.b, LLVMArrayType2(l->i8, ON_STACK), "");
    LLVMSetAlignment(stack, SCRATCH_ALIGN);
    Val port = speaks ? make_port(&f, put) : NULL;
    Val args = speaks ? slots_with_port(&f, which, port) : LLVMGetParam(f.fn, 0);
    return_without_programs(&f);
    Val level = LLVMBuildCall2(f.b, x->level_type, x->level, NULL, 0, "");
    LLVMBasicBlockRef none = new_block(&f), done = new_block(&f);
    Val ways = LLVMBuildSwitch(f.b, level, none, (unsigned)n);
    for (int k = 0; k < n; k++) {
        LLVMBasicBlockRef way = new_block(&f);
        LLVMAddCase(ways, llvm_int(l->i32, k), way);
        go_to(&f, way);
        call_kernel(x, &f, form, k, kernels[k], args, stack);
        LLVMBuildBr(f.b, done);
    }
    go_to(&f, none);
    LLVMBuildRet(f.b, llvm_int(l->i32, BUILD_NO_CPU));
    go_to(&f, done);
    LLVMBuildRet(f.b, result_of(&f, port));
}

/* --- all of it --- */

static void make_module(Llvm *l, void *build)
{
    Build *x = build;

    x->l = l;
    make_level(x);
    for (int i = 0; i < x->build->nforms; i++)
        make_entry(x, i);
}

/* What LLVM's memory is reckoned by; false: a diagnostic. */
static bool plan_all(Build *x, Arena *a, Diags *d, int *values)
{
    const GenBuild *b = x->build;

    for (int i = 0; i < b->nforms; i++) {
        for (int k = 0; k < b->nlevels; k++) {
            const Func *f = b->forms[i].funcs[k];
            Plan *plan = plan_make(f, &x->options[k], plan_machine(b->levels[k].features), a);
            if (!cpu_takes(d, plan))
                return false;
            x->plans[i * b->nlevels + k] = plan;
            *values += f->nvalues;
        }
    }
    return true;
}

bool cpu_build(const GenBuild *b, Arena *a, GenOutput *out, Diags *d)
{
    Build x = {.build = b,
               .options = NEW_N(a, GenOptions, b->nlevels),
               .plans = NEW_N(a, Plan *, b->nlevels * b->nforms)};
    const LlvmMachine lowest = {.cpu = b->levels[0].name, .features = b->levels[0].features};
    int values = 0;

    for (int k = 0; k < b->nlevels; k++)
        x.options[k] = (GenOptions){
            .cpu = b->levels[k].name, .features = b->levels[k].features, .disjoint = b->disjoint};
    *out = (GenOutput){0};
    return plan_all(&x, a, d, &values) &&
           llvm_emit(&lowest, values, make_module, &x, GEN_OBJECT, a, out, d);
}
