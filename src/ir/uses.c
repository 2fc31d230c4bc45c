/*
 * uses.c - where each value is used
 *
 * Counted in one walk and filled in by a second, so all uses of a value lie side by side, in the
 * order of the ops.  What a pass changes afterwards is not in it.
 */
#include "ir.h"
#include "analysis.h"

static void count_block(const Block *b, int *count)
{
    for (const Op *op = b->first; op; op = op->next) {
        for (int i = 0; i < op->noperands; i++)
            count[op->operands[i]->id]++;
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                count_block(op->regions[r], count);
        }
    }
}

static void fill_block(Block *b, Use *all, int *next)
{
    for (Op *op = b->first; op; op = op->next) {
        for (int i = 0; i < op->noperands; i++)
            all[next[op->operands[i]->id]++] = (Use){op, i};
        for (int r = 0; r < COUNT(op->regions); r++) {
            if (op->regions[r])
                fill_block(op->regions[r], all, next);
        }
    }
}

UseLists ir_uses(const Func *f, Arena *a)
{
    int n = f->nvalues;
    int *start = NEW_N(a, int, n + 2), *count = start + 1;

    /* count[id] is start[id + 1]: first how many uses id has, then where they begin; filling moves
     * that on to where they end, which is where those of id + 1 begin. */
    count_block(f->body, count);
    int total = 0;
    for (int i = 0; i < n; i++) {
        int here = count[i];
        count[i] = total;
        total += here;
    }
    Use *all = NEW_N(a, Use, total + 1);
    fill_block(f->body, all, count);
    return (UseLists){start, all};
}
