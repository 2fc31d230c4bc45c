/*
 * nv_bound.c - the numbers of a run beside one number
 *
 * Of `offsets < n`, the usual mask, each register has a number of its own, which lies at a fixed
 * place c behind that of another one, x: x + c < n where c < n - x.  So there is one difference,
 * and a comparison with a constant for each, instead of a sum and a comparison.
 *
 * None of it may wrap.  The numbers of the run are not below 0, so that x + c does not, and all of
 * them are above every n below 0: what stands for such an n is 0, or -1 where x + c <= n or x + c =
 * n, and then n - x is above -2^31, or -2^63.  Of 64 bits, as labels of a class often have, the
 * difference is brought to 32, with what is beyond the places right beside them.
 */
#include "nv_values.h"

enum { FEW = 3 /* comparisons that are not worth a difference */ };

/* For a < b and so on: that of c and n - x, where the run is a, and where it is b. */
static const struct {
    LLVMIntPredicate left, right;
    int64_t least_left, least_right; /* that may stand for n */
} comparisons[OP_COUNT] = {
    [OP_lt] = {LLVMIntSLT, LLVMIntSGT, 0, -1}, [OP_le] = {LLVMIntSLE, LLVMIntSGE, -1, 0},
    [OP_gt] = {LLVMIntSGT, LLVMIntSLT, -1, 0}, [OP_ge] = {LLVMIntSGE, LLVMIntSLE, 0, -1},
    [OP_eq] = {LLVMIntEQ, LLVMIntEQ, -1, -1},  [OP_ne] = {LLVMIntNE, LLVMIntNE, -1, -1},
};

/* How far the number in register r lies behind that in register 0; false: nobody knows. */
static bool place_of(Nv *n, const NvTile *t, int r, int64_t *place)
{
    const Axis *x = axis_of(n->plan->axis, t->value);

    *place = 0;
    for (int d = 0; d < t->layout->rank; d++) {
        int64_t extent = t->layout->dims[d], along;
        if (x->constancy[d] == extent)
            continue;
        if (x->contiguity[d] != extent || !nv_index_behind(n, t->layout, r, d, &along))
            return false;
        *place += along;
    }
    return true;
}

/* Can all that it has be taken as numbers that do not wrap? */
static bool is_run(const Nv *n, const NvTile *t)
{
    const Axis *x = t->layout ? axis_of(n->plan->axis, t->value) : NULL;

    return x && dtype_is_signed(t->value->type->dtype) && !t->value->type->pointer &&
           x->has_range && x->lo >= 0;
}

/* The number that all registers are compared with; NULL: there are several. */
static Val the_one(const Val *of, int count)
{
    Val one = NULL;

    for (int r = 0; r < count; r++) {
        if (of[r] && one && of[r] != one)
            return NULL;
        one = of[r] ? of[r] : one;
    }
    return one;
}

/* Of x, `left` of the op or not, and the number that all are compared with: n - x. */
static Val difference(Nv *n, const Op *op, bool left, Val x, Val number)
{
    int64_t least = left ? comparisons[op->code].least_left : comparisons[op->code].least_right;
    const Axis *range = axis_of(n->plan->axis, op->operands[left]);

    if (!range->has_range || range->lo < least)
        number = llvm_call2(n->l, n->b, "llvm.smax", number, llvm_int(LLVMTypeOf(number), least));
    return LLVMBuildSub(n->b, number, x, "");
}

/* A difference of 64 bits as one of 32 that compares with all places from the first one on alike.
 */
static Val narrow(Nv *n, Val beyond, const int64_t *places, const Val *run, int count,
                  int64_t first)
{
    LLVMTypeRef wide = LLVMTypeOf(beyond);
    int64_t least = 0, most = 0;

    for (int r = 0; r < count; r++) {
        least = run[r] ? MIN(least, places[r] - first) : least;
        most = run[r] ? MAX(most, places[r] - first) : most;
    }
    if (wide != n->l->i64 || least <= INT32_MIN || most >= INT32_MAX)
        return beyond;
    beyond = llvm_call2(n->l, n->b, "llvm.smax", beyond, llvm_int(wide, least - 1));
    beyond = llvm_call2(n->l, n->b, "llvm.smin", beyond, llvm_int(wide, most + 1));
    return LLVMBuildTrunc(n->b, beyond, n->l->i32, "");
}

void nv_compare_run(Nv *n, const NvStep *s, Val *const in[2], int count, Val *out)
{
    const Op *op = s->op;
    bool left = the_one(in[1], count) != NULL;
    const NvTile *t = s->in[!left];
    Val number = the_one(in[left], count), beyond = NULL;
    const Val *run = in[!left];
    int64_t *places = NEW_N(n->arena, int64_t, count), first = 0;
    int own = 0;

    if (!number || !is_run(n, t) || s->take)
        return;
    for (int r = 0; r < count; r++) {
        if (run[r] && !place_of(n, t, r, &places[r]))
            return;
        own += run[r] != NULL;
    }
    for (int r = 0; r < count && own > FEW; r++) {
        if (!run[r])
            continue;
        if (!beyond) {
            first = places[r];
            beyond = difference(n, op, left, run[r], number);
            beyond = narrow(n, beyond, places, run, count, first);
            beyond = s->again ? nv_copy_number(n, beyond) : beyond;
        }
        LLVMIntPredicate how = left ? comparisons[op->code].left : comparisons[op->code].right;
        Val place = llvm_int(LLVMTypeOf(beyond), places[r] - first);
        out[r] = LLVMBuildICmp(n->b, how, place, beyond, "");
    }
}
