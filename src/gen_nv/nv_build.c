/*
 * nv_build.c - kernels ahead of time: one object for a CPU's linker, with the PTX of each
 *
 * Of each form the object has a variable of the form's name, which the header of `tilec build`
 * declares (src/aot/runtime_gpu.h) and hands to the driver:
 *
 *     struct { const char *image; int32_t threads, shared; int64_t workspace; int32_t own, params;
 *              void *loaded; int32_t nmaps; const GenMap *maps; void *plain; const char *entry; }
 *
 * the PTX as a text, how many threads run a program, how many bytes of shared memory they need
 * beside what the image declares, the launch's recipe (gen.h), where `own` parameters are the
 * caller's and those behind them workspaces, a word of the header's own, NULL at first, the tensor
 * maps that the launch makes, where it makes some the same without for calls that give none, and
 * the name of the image's entry.
 */
#include "nv.h"

typedef struct {
    const GenBuild *build;
    const GenOutput *images; /* one a form */
    const GenOutput *plain;  /* the same without tensor maps, where that has some */
} NvBuild;

/* With a NUL behind it. */
static Val make_text(Llvm *l, const char *symbol, const char *data, size_t len)
{
    Val text = LLVMConstStringInContext2(l->ctx, data, len, 0);
    Val global = LLVMAddGlobal(l->module, LLVMTypeOf(text), symbol);

    LLVMSetInitializer(global, text);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    return global;
}

/* The maps as they are in memory, which is how the header reads them; NULL: there are none. */
static Val make_maps(Llvm *l, const char *symbol, const GenRecipe *r)
{
    size_t bytes = sizeof r->maps[0] * (size_t)r->nmaps;
    Val data, global;

    if (r->nmaps == 0)
        return LLVMConstNull(l->ptr);
    data = LLVMConstStringInContext2(l->ctx, (const char *)r->maps, bytes, 1);
    global = LLVMAddGlobal(l->module, LLVMTypeOf(data), arena_printf(l->arena, "%s.maps", symbol));
    LLVMSetInitializer(global, data);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetAlignment(global, _Alignof(GenMap));
    return global;
}

static Val make_variable(Llvm *l, const GenForm *form, const char *symbol, const GenOutput *image,
                         Val plain)
{
    int params = form->funcs[0]->nparams;
    char entry[GEN_ENTRY];
    const char *name = gen_entry_name(form->funcs[0]->name, entry);
    int own = image->recipe.workspace > 0 ? image->recipe.workspace_arg : params;
    Val fields[] = {make_text(l, arena_printf(l->arena, "%s.ptx", symbol), image->data, image->len),
                    llvm_int(l->i32, NV_LANES * image->warps),
                    llvm_int(l->i32, (int64_t)image->shared),
                    llvm_int(l->i64, image->recipe.workspace),
                    llvm_int(l->i32, own),
                    llvm_int(l->i32, params),
                    LLVMConstNull(l->ptr),
                    llvm_int(l->i32, image->recipe.nmaps),
                    make_maps(l, symbol, &image->recipe),
                    plain,
                    make_text(l, arena_printf(l->arena, "%s.entry", symbol), name, strlen(name))};
    Val all = LLVMConstStructInContext(l->ctx, fields, COUNT(fields), 0);
    Val variable = LLVMAddGlobal(l->module, LLVMTypeOf(all), symbol);

    LLVMSetInitializer(variable, all);
    return variable;
}

static void make_form(Llvm *l, const NvBuild *b, int i)
{
    const GenForm *form = &b->build->forms[i];
    Val plain = LLVMConstNull(l->ptr), variable;

    if (b->images[i].recipe.nmaps > 0) {
        const char *symbol = arena_printf(l->arena, "%s.plain", form->symbol);
        plain = make_variable(l, form, symbol, &b->plain[i], plain);
        LLVMSetLinkage(plain, LLVMInternalLinkage);
    }
    variable = make_variable(l, form, form->symbol, &b->images[i], plain);
    LLVMSetVisibility(variable, b->build->exported ? LLVMDefaultVisibility : LLVMHiddenVisibility);
}

static void make_variables(Llvm *l, void *build)
{
    const NvBuild *b = build;

    for (int i = 0; i < b->build->nforms; i++)
        make_form(l, b, i);
}

bool nv_build(const GenBuild *b, Arena *a, GenOutput *out, Diags *d)
{
    static const LlvmMachine host = {0};
    GenOptions options = {.cpu = b->levels[0].name, .features = "", .disjoint = b->disjoint};
    GenOutput *images = NEW_N(a, GenOutput, b->nforms), *plain = NEW_N(a, GenOutput, b->nforms);
    NvBuild all = {b, images, plain};

    for (int i = 0; i < b->nforms; i++) {
        const Func *f = b->forms[i].funcs[0];
        options.no_tensors = false;
        if (!nv_target.emit(f, &options, GEN_OBJECT, a, &images[i], d))
            return false;
        options.no_tensors = true;
        if (images[i].recipe.nmaps > 0 && !nv_target.emit(f, &options, GEN_OBJECT, a, &plain[i], d))
            return false;
    }
    *out = (GenOutput){0};
    return llvm_emit(&host, 0, make_variables, &all, GEN_OBJECT, a, out, d);
}
