/*
 * fuzz_source.c - any bytes as a Python file: a diagnostic, or kernels that print and lower
 *
 * Every kernel is lowered for guessed arguments: constexpr parameters get their default or a small
 * integer, others a pointer or a scalar, chosen by a hash of the name and the text.  What comes out
 * verifies, or a diagnostic says why nothing does.
 */
#include <string.h>

#include "../../src/api/language.h"
#include "../../src/lower/lowering.h"
#include "../../src/ir/mark.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An error in one kernel after another: more says nothing new. */
enum { MOST_KERNELS = 8 };

static FrontArg guess(const FrontParam *p, uint64_t seed)
{
    static const DType scalars[] = {DT_I32, DT_I64, DT_FP32, DT_I1};
    static const DType pointees[] = {DT_FP32, DT_FP16, DT_I32, DT_I8};
    uint64_t h = hash_bytes(p->name, strlen(p->name), seed);
    FrontArg arg = {.name = p->name, .is_constexpr = p->is_constexpr};

    if (p->is_constexpr) {
        arg.constant = (Const){.kind = CONST_INT, .integer = (__int128)1 << h % 8};
        if (p->has_default && p->default_known)
            arg.constant = p->default_value;
        return arg;
    }
    arg.pointer = p->typed ? p->pointer : strstr(p->name, "ptr") != NULL || h % 3 == 0;
    arg.dtype = arg.pointer ? pointees[h / 8 % COUNT(pointees)] : scalars[h / 8 % COUNT(scalars)];
    if (p->typed)
        arg.dtype = p->dtype;
    arg.divisible = h / 64 % 2 ? 16 : 1;
    return arg;
}

static void lower(const FrontFile *f, const char *name, uint64_t seed, SourceMap *sources, Arena *a)
{
    Diags *d = diags_new(a, sources);
    const FrontKernel *k = front_kernel(f, name, a, d);
    FrontArg *args;
    Module *m;

    if (!k != (diag_errors(d) > 0))
        bug("`%s` refused without a reason, or in spite of one", name);
    if (!k)
        return;
    args = NEW_N(a, FrontArg, MAX(k->nparams, 1));
    for (int i = 0; i < k->nparams; i++)
        args[i] = guess(&k->params[i], seed);
    m = front_lower(f, name, args, k->nparams, NULL, a, d);
    if (!m != (diag_errors(d) > 0))
        bug("`%s` lowered in spite of an error, or not without one", name);
    if (m && !ir_verify(m, d))
        bug("`%s` is broken: %s\n%s", name, diags_text(d, a), ir_print(m, a));
    if (m)
        ir_print_vars(m, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Arena *a = arena_new(NULL);
    Diags *d = diags_new(a, NULL);
    const char *text = arena_strndup(a, (const char *)data, size);
    const Source *src = source_add(diags_sources(d), "<fuzz>", text, size);
    const FrontOptions options = {.in_memory = true};
    FrontFile *f = front_parse(a, interner_new(a), &triton_language, src, &options, d);

    if (!f != (diag_errors(d) > 0))
        bug("a file refused without a reason, or read in spite of one");
    for (int i = 0; f && i < MIN(front_kernel_count(f), MOST_KERNELS); i++) {
        const char *name = front_kernel_name(f, i);

        front_print_ast(f, name, a);
        if (!front_tuning(f, name))
            bug("`%s` is no kernel of its file", name);
        lower(f, name, hash_bytes(data, size, 0), diags_sources(d), a);
    }
    diags_text(d, a);
    arena_free(a);
    return 0;
}
