/*
 * check_left.c - stores of lanes that a load's mask leaves out, where accesses are checked
 *
 * v = tl.load(x + 3 * i, mask=3 * i < n) and tl.store(out + i, v, mask=i < n) store what is
 * undefined in Triton, and 0 here, where the one mask lets through what the other leaves out.
 * Whether there are such lanes depends on the numbers of a launch, so it is asked when the programs
 * run.  Only of loads without `other`, which says what is meant, and of what is computed element by
 * element: nothing of what tl.where chooses, or a mask is multiplied with.  Block pointers and
 * descriptors, which are not taken apart yet, have zeros beyond their ends.
 *
 * Takes and gives verified IR, without calls.
 */
#include <string.h>

#include "check.h"

enum { DEEPEST = 12, SAME_DEPTH = 12, MOST_LOADS = 4 };

typedef struct {
    const Op *at[MOST_LOADS];
    int n;
} Loads;

static bool is_masked_alone(const Op *load)
{
    if (load->code != OP_load)
        return false;
    const OpAccess m = ir_access(load);
    return op_operand(load, m.mask) && !op_operand(load, m.other);
}

static void note_load(Loads *found, const Op *load)
{
    for (int i = 0; i < found->n; i++) {
        if (found->at[i] == load)
            return;
    }
    if (found->n < MOST_LOADS)
        found->at[found->n++] = load;
}

/* A factor that is 0 or 1 chooses, as tl.where does. */
static bool chooses(const Op *op)
{
    if (op->code == OP_select)
        return true;
    for (int i = 0; (op->code == OP_mul || op->code == OP_and) && i < op->noperands; i++) {
        if (ir_uncast(op->operands[i])->type->dtype == DT_I1)
            return true;
    }
    return false;
}

static void find_loads(Loads *found, const Value *v, const Type *shape, int depth)
{
    const Op *op = v->def;

    if (!op || depth == 0 || !type_same_shape(v->type, shape))
        return;
    if (op_only_reads(op)) {
        if (is_masked_alone(op))
            note_load(found, op);
        return;
    }
    for (int i = 0; i < op->noperands && op_has(op, FOLDS) && !chooses(op); i++)
        find_loads(found, op->operands[i], shape, depth - 1);
}

static void ask(Op *store, const Op *load)
{
    static const char text[] = "this stores a lane that the mask of a load leaves out, and that is "
                               "undefined: one mask for both, or other=";
    Value *let = op_operand(store, STORE_MASK), *read = op_operand(load, ir_access(load).mask);
    Builder b = builder_before(store);
    int64_t attrs[] = {attr_of_text(b.module, text, strlen(text)), 0, 1};
    Value *operands[] = {read, let};

    if (let && ir_same(let, read, SAME_DEPTH))
        return;
    b.span = store->span;
    b.site = store->site;
    b.mark = store->mark;
    build_op(&b, OP_assert, let ? 2 : 1, operands, COUNT(attrs), attrs, 0, NULL);
}

static void look_at(Op *op, void *unused)
{
    Loads found = {.n = 0};

    (void)unused;
    if (op->code != OP_store || op->operands[STORE_DATA]->type->rank == 0)
        return;
    find_loads(&found, op->operands[STORE_DATA], op->operands[STORE_DATA]->type, DEEPEST);
    for (int i = 0; i < found.n; i++)
        ask(op, found.at[i]);
}

void check_left_out(Func *f)
{
    ir_walk(f->body, look_at, NULL);
}
