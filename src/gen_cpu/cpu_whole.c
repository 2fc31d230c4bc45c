/*
 * cpu_whole.c - loops that may be one product of what lies in memory
 *
 * The plan (plan_whole.c) says which: numbers of a round are linear in its own.  Those of the
 * first round, the second and the last one are computed in front of the loop, and with them where
 * the operands' tiles are, and what is left along k.  Where tiles follow one another and the
 * grid has few programs that have the same ones, the product (cpu_dot_whole.c) is done in place of
 * the loop.  Numbers of 32 bits that come around between two rounds are seen at the last one.
 */
#include "cpu.h"

/* In one round. */
typedef struct {
    Placed of[2];
    Val first, limit; /* i64: what is counted along k, and up to where; NULL: all is there */
} Round;

static Val i64_of(Cpu *c, Val v)
{
    return LLVMBuildSExtOrBitCast(c->b, v, c->l->i64, "");
}

static Val equal(Cpu *c, Val x, Val y)
{
    return LLVMBuildICmp(c->b, LLVMIntEQ, x, y, "");
}

static void require(Cpu *c, Val *when, Val what)
{
    *when = LLVMBuildAnd(c->b, *when, what, "");
}

/* Of so many, the number of the last one; of none the first one's. */
static Val last_of(Cpu *c, Val n)
{
    Val one = llvm_int(c->l->i64, 1);

    return LLVMBuildSub(c->b, llvm_extreme(c->l, c->b, true, true, n, one), one, "");
}

/* Are a row's elements side by side, up to that one? */
static void require_dense(Cpu *c, const Value *address, Val last, Val *when)
{
    Placed p = cpu_place_along(c, address, 1, last);
    Val size = llvm_int(c->l->i64, dtype_size(address->type->dtype));
    Val alone = LLVMBuildIsNull(c->b, last, "");

    require(c, when, p.when);
    require(c, when, LLVMBuildOr(c->b, alone, equal(c, p.pitch, size), ""));
}

/* What the loop has in its n-th round, of the counter's type. */
static void set_round(Cpu *c, const Step *s, Val n)
{
    const Op *loop = s->op;
    const Block *body = loop->regions[0];
    Val lo = c->scalars[loop->operands[FOR_LO]->id],
        step = c->scalars[loop->operands[FOR_STEP]->id];

    c->scalars[body->args[0]->id] = LLVMBuildAdd(c->b, lo, LLVMBuildMul(c->b, n, step, ""), "");
    for (int i = 0; i < loop->nresults; i++) {
        const Value *v = body->args[i + 1];
        if (v->type->rank > 0)
            continue;
        const Value *by = body->last->operands[i]->def->operands[1];
        Val more = c->scalars[by->id], first = c->scalars[loop->operands[FOR_BOUNDS + i]->id];
        more = LLVMBuildMul(c->b, LLVMBuildIntCast2(c->b, n, LLVMTypeOf(more), 1, ""), more, "");
        c->scalars[v->id] = LLVMBuildAdd(c->b, first, more, "");
    }
    for (int i = 0; i < s->body[0]->steps.len; i++) {
        if (s->body[0]->steps.at[i].kind == STEP_SCALAR)
            cpu_scalar(c, s->body[0]->steps.at[i].op);
    }
}

/* Of so many rows and columns of the result (i64) tiles have what counts. */
static Round round_at(Cpu *c, const Step *s, const WholeAt *at, Val n)
{
    const Step *product = s->whole->product;
    const Value *depth = product->dot.live[LIVE_DEPTH];
    const Value *a = product->op->operands[DOT_A]->def->operands[LOAD_PTR];
    const Value *b = product->op->operands[DOT_B]->def->operands[LOAD_PTR];
    Val row = last_of(c, at->live[LIVE_ROWS]), column = last_of(c, at->live[LIVE_COLUMNS]);
    Val deepest = llvm_int(c->l->i64, b->type->dims[0] - 1);
    Round r = {0};

    set_round(c, s, n);
    r.of[DOT_A] = cpu_place_along(c, a, 0, row);
    r.of[DOT_B] =
        at->dense_columns ? cpu_place_along(c, b, 1, column) : cpu_place_along(c, b, 0, deepest);
    if (!s->whole->dense_rows)
        require_dense(c, b, column, &r.of[DOT_B].when);
    require(c, &r.of[DOT_A].when, cpu_place_goes_on(c, a, 1, deepest));
    require(c, &r.of[DOT_B].when,
            at->dense_columns ? cpu_place_goes_on(c, b, 0, deepest)
                              : cpu_place_goes_on(c, b, 1, column));
    if (depth) {
        r.first = i64_of(c, cpu_dot_first(c, plan_counted(depth)));
        r.limit = i64_of(c, cpu_dot_first(c, plan_limit(depth)));
    }
    return r;
}

static Val address(Cpu *c, const Placed *p)
{
    return LLVMBuildPtrToInt(c->b, p->base, c->l->i64, "");
}

/* Is that round (i64) where it has to be, as `first` is the first one? */
static void require_round(Cpu *c, const Step *s, const Round *first, const Round *r, Val n,
                          Val *when)
{
    const Op *dot = s->whole->product->op;
    const Type *a = dot->operands[DOT_A]->type;
    bool along = s->whole->dense_columns;
    Val k = LLVMBuildMul(c->b, n, llvm_int(c->l->i64, a->dims[1]), "");

    for (int i = DOT_A; i <= DOT_B; i++) {
        Val one =
            i == DOT_A || along ? llvm_int(c->l->i64, dtype_size(a->dtype)) : first->of[i].pitch;
        Val here = address(c, &r->of[i]);
        Val moved = LLVMBuildSub(c->b, here, address(c, &first->of[i]), "");
        require(c, when, r->of[i].when);
        require(c, when, equal(c, moved, LLVMBuildMul(c->b, k, one, "")));
        require(c, when, equal(c, r->of[i].pitch, first->of[i].pitch));
    }
    if (!first->first)
        return;
    Val left = LLVMBuildSub(c->b, r->limit, r->first, "");
    Val before = LLVMBuildSub(c->b, first->limit, first->first, "");
    Val stays = equal(c, r->first, first->first);
    require(c, when, LLVMBuildOr(c->b, stays, equal(c, r->limit, first->limit), ""));
    require(c, when, equal(c, LLVMBuildAdd(c->b, left, k, ""), before));
}

/* Elements along k of all rounds, of which the one that is counted last must not come around. */
static Val depth_of(Cpu *c, const Step *s, const Round *first, const Round *last, Val trips,
                    Val *when)
{
    const Op *dot = s->whole->product->op;
    int64_t k = dot->operands[DOT_A]->type->dims[1];
    Val all = LLVMBuildMul(c->b, trips, llvm_int(c->l->i64, k), "");

    if (!first->first)
        return all;
    const Value *counted = plan_counted(s->whole->product->dot.live[LIVE_DEPTH]);
    int64_t most = (counted->type->dtype == DT_I32 ? INT32_MAX : INT64_MAX) - k;
    const Round *ends[] = {first, last};
    for (int i = 0; i < COUNT(ends); i++)
        require(c, when,
                LLVMBuildICmp(c->b, LLVMIntSLE, ends[i]->first, llvm_int(c->l->i64, most), ""));
    Val left = LLVMBuildSub(c->b, first->limit, first->first, "");
    return llvm_extreme(c->l, c->b, false, true, left, all);
}

static Val live_of(Cpu *c, const Value *v, int64_t extent)
{
    return v ? cpu_dot_count(c, v, extent) : llvm_int(c->l->i64, extent);
}

/* Where its rows are, and that they are apart. */
static void place_result(Cpu *c, int buffer, Val columns, Val *when)
{
    const Nest *n = c->plan->buffers.at[buffer].stored;
    const Value *ptr = n->roots.at[0].op->operands[STORE_PTR];
    Val size = llvm_int(c->l->i64, dtype_size(ptr->type->dtype));
    Placed p = cpu_place_along(c, ptr, 0, llvm_int(c->l->i64, n->dims[0] - 1));

    require(c, when, p.when);
    require(c, when,
            LLVMBuildICmp(c->b, LLVMIntSGE, p.pitch, LLVMBuildMul(c->b, columns, size, ""), ""));
}

/* i1: are so many rows or columns of the result no more than `most`? */
static Val has_few(Cpu *c, const WholeAt *at, int which, int64_t most)
{
    return LLVMBuildICmp(c->b, LLVMIntULE, at->live[which], llvm_int(c->l->i64, most), "");
}

/* i1: see WHOLE_FAR_ROWS.  Of a any, where one block of columns reads it, or rows are gone along.
 */
static Val may_be_far(Cpu *c, const DotPlan *dot, int operand, const WholeAt *at)
{
    if (operand == DOT_A && at->dense_columns)
        return llvm_int(c->l->i1, 1);
    Val columns = has_few(c, at, LIVE_COLUMNS, (int64_t)dot->vectors * dot->lanes);

    if (operand == DOT_B)
        return at->few == 0 ? llvm_int(c->l->i1, 0) : has_few(c, at, LIVE_ROWS, at->most);
    return LLVMBuildOr(c->b, columns, has_few(c, at, LIVE_ROWS, WHOLE_FAR_ROWS), "");
}

/* Rows are close, or may be far, and few programs have the same ones, or these stay in the second
 * cache; or there are so few rows of a that nothing pays which is done for b. */
static void require_worth(Cpu *c, const Step *product, int operand, const WholeAt *at, Val *when)
{
    LLVMTypeRef i64 = c->l->i64;
    int buffer = plan_buffer(c->plan, product->op->operands[operand]);
    Val pitch = at->of[operand].pitch, few = cpu_place_wanted(c, buffer);
    Val all = LLVMBuildMul(c->b, pitch, at->live[operand == DOT_A ? LIVE_ROWS : LIVE_DEPTH], "");
    Val small = LLVMBuildICmp(c->b, LLVMIntULE, all, llvm_int(i64, WHOLE_SHARED), "");
    Val close = LLVMBuildICmp(c->b, LLVMIntULT, pitch, llvm_int(i64, PLACE_PITCH), "");

    require(c, when, LLVMBuildOr(c->b, close, may_be_far(c, &product->dot, operand, at), ""));
    few = LLVMBuildOr(c->b, few, may_be_far(c, &product->dot, DOT_B, at), "");
    require(c, when, LLVMBuildOr(c->b, few, small, ""));
}

LLVMBasicBlockRef cpu_whole_begin(Cpu *c, const Step *s, Val trips, Val *whole)
{
    const Step *product = s->whole->product;
    const Op *dot = product->op;
    LLVMTypeRef t = LLVMTypeOf(trips), i64 = c->l->i64;
    LLVMBasicBlockRef one = cpu_block(c), rounds = cpu_block(c), after = cpu_block(c);
    int sum = plan_buffer(c->plan, dot->results[0]);
    Val when = LLVMBuildIsNotNull(c->b, trips, ""), zero = llvm_int(t, 0);
    Val last = LLVMBuildSub(c->b, trips, llvm_int(t, 1), "");
    Val second = llvm_extreme(c->l, c->b, false, false, last, llvm_int(t, 1));
    Val number[] = {zero, second, last};
    const Type *acc = dot->results[0]->type;
    WholeAt at = {.stores = c->plan->buffers.at[sum].stored != NULL,
                  .few = s->whole->few,
                  .most = s->whole->most,
                  .thin = s->whole->thin,
                  .column = s->whole->column,
                  .dense_columns = s->whole->dense_columns};
    Round r[COUNT(number)] = {0};

    at.live[LIVE_ROWS] = live_of(c, product->dot.live[LIVE_ROWS], acc->dims[0]);
    at.live[LIVE_COLUMNS] = live_of(c, product->dot.live[LIVE_COLUMNS], acc->dims[1]);
    for (int i = 0; i < COUNT(r); i++)
        r[i] = round_at(c, s, &at, number[i]);
    for (int i = DOT_A; i <= DOT_B; i++)
        at.of[i] = r[0].of[i];
    for (int i = 0; i < COUNT(r); i++)
        require_round(c, s, &r[0], &r[i], LLVMBuildZExt(c->b, number[i], i64, ""), &when);
    if (at.thin)
        require(c, &when, has_few(c, &at, LIVE_ROWS, at.most));
    at.live[LIVE_DEPTH] = depth_of(c, s, &r[0], &r[2], LLVMBuildZExt(c->b, trips, i64, ""), &when);
    for (int i = 0; i < LIVES; i++)
        require(c, &when, LLVMBuildICmp(c->b, LLVMIntSGT, at.live[i], llvm_int(i64, 0), ""));
    for (int i = DOT_A; i <= DOT_B; i++)
        require_worth(c, product, i, &at, &when);
    if (at.stores)
        place_result(c, sum, at.live[LIVE_COLUMNS], &when);
    LLVMBuildCondBr(c->b, when, one, rounds);
    LLVMPositionBuilderAtEnd(c->b, one);
    cpu_dot_whole(c, dot, product->dot, &cpu_block_code, &at);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, rounds);
    *whole = when;
    return after;
}

void cpu_whole_end(Cpu *c, const Step *s, Val whole, LLVMBasicBlockRef after)
{
    Placed *p = &c->placed[plan_buffer(c->plan, s->whole->product->op->results[0])];

    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
    if (p->when)
        p->when = LLVMBuildOr(c->b, p->when, whole, "");
}
