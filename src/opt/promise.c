/*
 * promise.c - what is promised of a value holds for it from there on, too
 *
 * Kernels write `tl.multiple_of(ptrs, [16, 16])` as a statement and go on with `ptrs`, of which
 * Triton then knows it.  So where nobody takes the result of such a hint, what comes behind it in
 * its block, or in blocks within that, takes it in place of the value.
 */
#include "opt.h"
#include "../ir/analysis.h"

typedef struct {
    UseLists uses;
    Value *given, *promised; /* of the hint at hand */
} Promises;

static void use_promise(Op *op, void *promises)
{
    const Promises *p = promises;

    for (int i = 0; i < op->noperands; i++) {
        if (op->operands[i] == p->given)
            op->operands[i] = p->promised;
    }
}

static void visit(Op *op, void *promises)
{
    Promises *p = promises;

    if (op->code != OP_hint || attr_hint_kind(op) == HINT_WITHIN ||
        uses_count(&p->uses, op->results[0]) > 0)
        return;
    p->given = op->operands[0];
    p->promised = op->results[0];
    for (Op *later = op->next; later; later = later->next) {
        use_promise(later, p);
        for (int r = 0; r < COUNT(later->regions); r++) {
            if (later->regions[r])
                ir_walk(later->regions[r], use_promise, p);
        }
    }
}

void opt_promise(Func *f)
{
    Promises p = {.uses = ir_uses(f, f->module->arena)};

    ir_walk(f->body, visit, &p);
}
