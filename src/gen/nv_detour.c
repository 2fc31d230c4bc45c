/*
 * nv_detour.c - a short way for many registers, and a long one for the few times it is not right
 *
 * One test tells for a group of registers whether the short way gives them exactly what the long
 * one does.  Which way is known before anything is computed: at no time are arguments and results
 * alive together.  The long way is a function: where it is called the code stays short, and the
 * assembler puts its own behind that of the kernel.
 */
#include "nv.h"

#include <string.h>

enum { TOGETHER = 4 }; /* registers of one call */

/* A function of so many numbers and what they share; at first it has no body. */
static Val declare(Nv *n, const NvDetour *d, LLVMTypeRef *type)
{
    static const char attribute[] = "noinline";
    LLVMTypeRef f32 = n->l->f32, params[] = {f32, f32, f32, f32, f32};
    LLVMTypeRef results = LLVMStructTypeInContext(n->l->ctx, params, TOGETHER, 0);
    unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));

    *type = LLVMFunctionType(results, params, TOGETHER + (d->shared ? 1 : 0), 0);
    Val fn = LLVMGetNamedFunction(n->l->module, d->name);
    if (fn)
        return fn;
    fn = llvm_function(n->l, d->name, *type);
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(n->l->ctx, kind, 0));
    return fn;
}

static Val long_way(Nv *n, const NvDetour *d, LLVMTypeRef *type)
{
    Val fn = declare(n, d, type);
    Bld caller = n->b;

    if (LLVMCountBasicBlocks(fn) > 0)
        return fn;
    n->b = llvm_builder(n->l, LLVMAppendBasicBlockInContext(n->l->ctx, fn, ""));
    Val all = LLVMGetPoison(LLVMGetReturnType(*type));
    for (unsigned i = 0; i < TOGETHER; i++) {
        Val one = d->rare(n, LLVMGetParam(fn, i), d->shared ? LLVMGetParam(fn, TOGETHER) : NULL);
        all = LLVMBuildInsertValue(n->b, all, one, i, "");
    }
    LLVMBuildRet(n->b, all);
    n->b = caller;
    return fn;
}

static void go_long_way(Nv *n, const NvDetour *d, const Val *x, const int *regs, int count,
                        Val *out)
{
    LLVMTypeRef type;
    Val fn = long_way(n, d, &type);

    for (int i = 0; i < count; i += TOGETHER) {
        Val args[TOGETHER + 1];
        for (int k = 0; k < TOGETHER; k++)
            args[k] = x[regs[MIN(i + k, count - 1)]];
        args[TOGETHER] = d->shared;
        Val all = LLVMBuildCall2(n->b, type, fn, args, TOGETHER + (d->shared ? 1 : 0), "");
        for (int k = 0; k < MIN(TOGETHER, count - i); k++)
            out[i + k] = LLVMBuildExtractValue(n->b, all, (unsigned)k, "");
    }
}

void nv_detour(Nv *n, const NvDetour *d, Val good, const Val *x, const int *regs, int count,
               Val *out)
{
    Val usual[NV_DETOUR_MOST], rare[NV_DETOUR_MOST];
    LLVMBasicBlockRef way = nv_block(n), detour = nv_block(n), after = nv_block(n);

    llvm_likely(n->l, LLVMBuildCondBr(n->b, good, way, detour));
    LLVMPositionBuilderAtEnd(n->b, way);
    for (int i = 0; i < count; i++)
        usual[i] = d->usual(n, x[regs[i]], d->how);
    LLVMBuildBr(n->b, after);
    LLVMPositionBuilderAtEnd(n->b, detour);
    go_long_way(n, d, x, regs, count, rare);
    LLVMBuildBr(n->b, after);
    LLVMPositionBuilderAtEnd(n->b, after);
    for (int i = 0; i < count; i++) {
        out[regs[i]] = LLVMBuildPhi(n->b, n->l->f32, "");
        LLVMAddIncoming(out[regs[i]], (Val[]){usual[i], rare[i]},
                        (LLVMBasicBlockRef[]){way, detour}, 2);
    }
}
