/*
 * target_cpu.c - the target "cpu": plans a function, checks the plan, has code made of it
 *
 * plan.h says what a plan is, cpu.h how it is carried out.
 */
#include "../plan_schedule/plan_schedule.h"
#include "target_cpu.h"

#include <llvm-c/Target.h>
#include <string.h>

static void make_code(Llvm *l, void *cpu)
{
    cpu_kernel(cpu, l, "tilec_kernel");
}

static bool give_text(GenOutput *out, const char *text)
{
    out->data = (char *)text;
    out->len = strlen(text);
    return true;
}

static bool emit_for_cpu(const Func *f, const GenOptions *o, GenStage stage, Arena *a,
                         GenOutput *out, Diags *d)
{
    const char *features = o->features ? o->features : llvm_host_features(a);
    Plan *plan = plan_make(f, o, plan_machine(features), a);

    split_programs(plan);

    *out = (GenOutput){.scratch = (size_t)plan->scratch};
    out->parts = plan->split.most < 2 ? 1 : o->parts ? plan->split.most : 0;
    if (stage == GEN_PLAN)
        return give_text(out, plan_text(plan, a));
    if (stage == GEN_SCHEDULE && !plan->beyond)
        return give_text(out, plan_schedule_text(plan, a));
    if (!cpu_takes(d, plan))
        return false;
    Cpu c = {.plan = plan, .func = f, .options = o, .launched = true};
    LlvmMachine m = {.cpu = o->cpu, .features = o->features};
    return llvm_emit(&m, f->nvalues, make_code, &c, stage, a, out, d);
}

static void start(void)
{
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser(); /* of cpu_build.c: cpuid */
}

const Target cpu_target = {
    .name = "cpu",
    .windows = true,
    .texts = GEN_HAS(PLAN) | GEN_HAS(SCHEDULE) | GEN_HAS(LLVM) | GEN_HAS(ASM),
    .start = start,
    .emit = emit_for_cpu,
    .build = cpu_build,
};
