/*
 * nv_inline.c - the user's own instructions (inline_asm), run for each few elements of a thread
 *
 * Operands and results lie in one layout.  `pack` elements that are neighbours among a thread's
 * registers go into one run of the text, in memory form, side by side in registers as wide as the
 * constraints say; where registers are left over, the last element stands for what is missing.
 */
#include <string.h>

#include "nv.h"
#include "../inline_ptx/inline_ptx.h"

static LLVMTypeRef register_type(const Nv *n, const AsmConstraint *c)
{
    char letter = c->text[strspn(c->text, "=&+ \n")];

    if (letter == 'f')
        return n->l->f32;
    if (letter == 'd')
        return n->l->f64;
    return c->bits == 1    ? n->l->i1
           : c->bits == 16 ? n->l->i16
           : c->bits == 32 ? n->l->i32
                           : n->l->i64;
}

static Val as_type(Nv *n, Val v, LLVMTypeRef t)
{
    return LLVMTypeOf(v) == t ? v : LLVMBuildBitCast(n->b, v, t, "");
}

/* The bits of a group of elements as one integer, and back. */
static Val join(Nv *n, const Type *t, const Val *elements, int count)
{
    unsigned bits = (unsigned)(8 * type_size(t));
    LLVMTypeRef whole = LLVMIntTypeInContext(n->l->ctx, bits * (unsigned)count);
    Val v = LLVMGetPoison(LLVMVectorType(LLVMIntTypeInContext(n->l->ctx, bits), (unsigned)count));

    for (int i = 0; i < count; i++)
        v = LLVMBuildInsertElement(n->b, v, nv_to_bits(n, t, elements[i]), llvm_int(n->l->i32, i),
                                   "");
    return LLVMBuildBitCast(n->b, v, whole, "");
}

static void split_word(Nv *n, const Type *t, Val whole, Val *elements, int count)
{
    LLVMTypeRef one = LLVMIntTypeInContext(n->l->ctx, (unsigned)(8 * type_size(t)));
    Val v = LLVMBuildBitCast(n->b, whole, LLVMVectorType(one, (unsigned)count), "");

    for (int i = 0; i < count; i++) {
        Val bits = LLVMBuildExtractElement(n->b, v, llvm_int(n->l->i32, i), "");
        elements[i] = nv_from_bits(n, t, bits);
    }
}

/* One run of the text, on the registers regs[0 .. pack). */
typedef struct {
    const NvStep *step;
    const AsmConstraints *constraints;
    const int *regs;
    int pack;
    Val *args;
    LLVMTypeRef *types;
    int nargs, ntypes;
} Run;

static void add_operand(Nv *n, Run *x, int i, int constraint)
{
    const NvTile *t = x->step->in[i];
    int words = x->constraints->words[x->step->nout + i];
    const AsmConstraint *c = &x->constraints->all.at[constraint];
    Val elements[8 * NV_ACCESS_BYTES];

    for (int k = 0; k < x->pack; k++)
        elements[k] = nv_get(n, t)[t->layout ? x->regs[k] : 0];
    Val whole = join(n, t->value->type, elements, x->pack);
    LLVMTypeRef all = LLVMIntTypeInContext(n->l->ctx, (unsigned)(words * c->bits));
    whole = LLVMBuildZExtOrBitCast(n->b, whole, all, "");
    for (int w = 0; w < words; w++) {
        Val at = LLVMBuildLShr(n->b, whole, llvm_int(all, (int64_t)w * c->bits), "");
        Val word = LLVMBuildTruncOrBitCast(n->b, at,
                                           LLVMIntTypeInContext(n->l->ctx, (unsigned)c->bits), "");
        x->args[x->nargs++] = as_type(n, word, register_type(n, c));
    }
}

static void take_result(Nv *n, Run *x, int i, int constraint, Val got)
{
    const NvTile *t = x->step->out[i];
    int words = x->constraints->words[i];
    unsigned need = (unsigned)(8 * type_size(t->value->type) * x->pack);
    const AsmConstraint *c = &x->constraints->all.at[constraint];
    LLVMTypeRef one = LLVMIntTypeInContext(n->l->ctx, (unsigned)c->bits);
    LLVMTypeRef all = LLVMIntTypeInContext(n->l->ctx, (unsigned)(words * c->bits));
    Val whole = llvm_int(all, 0), elements[8 * NV_ACCESS_BYTES];

    for (int w = 0; w < words; w++) {
        Val word =
            x->ntypes == 1 ? got : LLVMBuildExtractValue(n->b, got, (unsigned)(constraint + w), "");
        word = LLVMBuildZExtOrBitCast(n->b, as_type(n, word, one), all, "");
        word = LLVMBuildShl(n->b, word, llvm_int(all, (int64_t)w * c->bits), "");
        whole = LLVMBuildOr(n->b, whole, word, "");
    }
    whole = LLVMBuildTruncOrBitCast(n->b, whole, LLVMIntTypeInContext(n->l->ctx, need), "");
    split_word(n, t->value->type, whole, elements, x->pack);
    for (int k = 0; k < x->pack; k++)
        n->regs[t->id][t->layout ? x->regs[k] : 0] = elements[k];
}

static void run_once(Nv *n, Run *x)
{
    const Op *op = x->step->op;
    int constraint = 0;

    x->args = NEW_N(n->arena, Val, x->constraints->all.len + 1);
    x->types = NEW_N(n->arena, LLVMTypeRef, x->constraints->all.len + 1);
    for (int i = 0; i < op->nresults; i++) {
        for (int w = 0; w < x->constraints->words[i]; w++)
            x->types[x->ntypes++] = register_type(n, &x->constraints->all.at[constraint++]);
    }
    for (int i = 0; i < op->noperands; i++) {
        add_operand(n, x, i, constraint);
        constraint += x->constraints->words[op->nresults + i];
    }
    LLVMTypeRef result = x->ntypes == 1
                             ? x->types[0]
                             : LLVMStructTypeInContext(n->l->ctx, x->types, (unsigned)x->ntypes, 0);
    Val got = nv_asm(n, result, attr_asm(op), attr_constraints(op), x->args, x->nargs);
    constraint = 0;
    for (int i = 0; i < op->nresults; i++) {
        take_result(n, x, i, constraint, got);
        constraint += x->constraints->words[i];
    }
}

void nv_inline(Nv *n, const NvStep *s)
{
    int count = nv_count(s->out[0]), pack = (int)attr_pack(s->op), used = 0;
    int *regs = NEW_N(n->arena, int, pack);

    for (int i = 0; i < s->nout; i++)
        nv_set(n, s->out[i]);
    for (int r = 0; r < count; r++) {
        if (nv_live(s->out[0], r))
            regs[used++] = r;
        bool last = r == count - 1;
        if (used == 0 || (used < pack && !last))
            continue;
        for (int k = used; k < pack; k++)
            regs[k] = regs[used - 1];
        run_once(n, &(Run){.step = s, .constraints = s->detail, .regs = regs, .pack = pack});
        used = 0;
    }
}
