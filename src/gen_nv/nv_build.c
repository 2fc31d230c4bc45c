/*
 * nv_build.c - kernels ahead of time: one object for a CPU's linker, with the PTX of each
 *
 * Of each form the object has a variable of the form's name, which the header of `tilec build`
 * declares (src/aot/runtime_gpu.h) and hands to the driver:
 *
 *     struct { const char *image; int32_t threads, shared; int64_t workspace; int32_t own, params;
 *              void *loaded; }
 *
 * the PTX as a text, how many threads run a program, how many bytes of shared memory they need
 * beside what the image declares, the launch's recipe (gen.h), where `own` parameters are the
 * caller's and those behind them workspaces, and a word of the header's own, NULL at first.
 */
#include "nv.h"

typedef struct {
    const GenBuild *build;
    const GenOutput *images; /* one a form */
} NvBuild;

static Val make_image(Llvm *l, const char *symbol, const GenOutput *image)
{
    Val text = LLVMConstStringInContext2(l->ctx, image->data, image->len, 0);
    Val global =
        LLVMAddGlobal(l->module, LLVMTypeOf(text), arena_printf(l->arena, "%s.ptx", symbol));

    LLVMSetInitializer(global, text);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    return global;
}

static void make_variable(Llvm *l, const GenForm *form, const GenOutput *image, bool exported)
{
    const char *symbol = form->symbol;
    int params = form->funcs[0]->nparams;
    int own = image->recipe.workspace > 0 ? image->recipe.workspace_arg : params;
    Val fields[] = {make_image(l, symbol, image),
                    llvm_int(l->i32, NV_LANES * image->warps),
                    llvm_int(l->i32, (int64_t)image->shared),
                    llvm_int(l->i64, image->recipe.workspace),
                    llvm_int(l->i32, own),
                    llvm_int(l->i32, params),
                    LLVMConstNull(l->ptr)};
    Val all = LLVMConstStructInContext(l->ctx, fields, COUNT(fields), 0);
    Val variable = LLVMAddGlobal(l->module, LLVMTypeOf(all), symbol);

    LLVMSetInitializer(variable, all);
    LLVMSetVisibility(variable, exported ? LLVMDefaultVisibility : LLVMHiddenVisibility);
}

static void make_variables(Llvm *l, void *build)
{
    const NvBuild *b = build;

    for (int i = 0; i < b->build->nforms; i++)
        make_variable(l, &b->build->forms[i], &b->images[i], b->build->exported);
}

bool nv_build(const GenBuild *b, Arena *a, GenOutput *out, Diags *d)
{
    static const LlvmMachine host = {0};
    const GenOptions options = {
        .cpu = b->levels[0].name, .features = "", .disjoint = b->disjoint, .no_tensors = true};
    GenOutput *images = NEW_N(a, GenOutput, b->nforms);
    NvBuild all = {b, images};

    for (int i = 0; i < b->nforms; i++) {
        if (!nv_target.emit(b->forms[i].funcs[0], &options, GEN_OBJECT, a, &images[i], d))
            return false;
        if (images[i].recipe.nmaps > 0)
            bug("no object has room for tensor maps");
    }
    *out = (GenOutput){0};
    return llvm_emit(&host, 0, make_variables, &all, GEN_OBJECT, a, out, d);
}
