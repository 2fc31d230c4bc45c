/*
 * cpu_dot_column.c - blocks of a product whose columns lie one behind the other, each by itself
 *
 * Where b has one column, of a vector of columns one would count; and where elements along k are
 * side by side, a vector of columns would be put together of as many rows of memory.  So vectors go
 * along k, in rows of a and in columns of b alike.  Some columns are gone through together; each
 * element of the result has a vector of sums, and these are added up in the end.  What K leaves
 * over goes first, masked, so that all else is whole vectors.  Both operands lie in memory
 * (cpu_dot_whole.c).
 */
#include "cpu_dot.h"

#include <string.h>

/* Columns that are gone through together. */
enum { SIDE = 4 };

/* What a step reads, and adds to. */
typedef struct {
    int rows, columns;
    Val a[DOT_MAX_ROWS], b[SIDE]; /* where rows and columns begin */
    Val sums[DOT_MAX_ROWS][SIDE];
} Strip;

static Val element(Dot *d, int which, Val line, Val at)
{
    return LLVMBuildGEP2(d->c->b, cpu_buffer_type(d->c, d->buffer[which], 0), line, &at, 1, "");
}

static void add_step(Dot *d, Strip *s, Val at)
{
    Val b[SIDE];

    for (int j = 0; j < s->columns; j++)
        b[j] = cpu_dot_load(d, DOT_B, element(d, DOT_B, s->b[j], at), d->plan.lanes);
    for (int r = 0; r < s->rows; r++) {
        Val a = cpu_dot_load(d, DOT_A, element(d, DOT_A, s->a[r], at), d->plan.lanes);
        for (int j = 0; j < s->columns; j++)
            s->sums[r][j] = cpu_dot_multiply_add(d, a, b[j], s->sums[r][j]);
    }
}

/* Elements that fill no vector, or one; gives how many there were. */
static Val add_first(Dot *d, Strip *s)
{
    Cpu *c = d->c;
    int lanes = d->plan.lanes;
    Val last = LLVMBuildSub(c->b, d->along, llvm_int(c->l->i64, 1), "");
    Val n = LLVMBuildAnd(c->b, last, llvm_int(c->l->i64, lanes - 1), ""), mask = d->mask;

    Val most = llvm_splat(c->b, LLVMBuildTrunc(c->b, n, c->l->i32, ""), lanes);
    d->mask = LLVMBuildICmp(c->b, LLVMIntULE, llvm_iota(c->l->i32, lanes), most, "");
    add_step(d, s, llvm_int(c->l->i64, 0));
    d->mask = mask;
    return LLVMBuildAdd(c->b, n, llvm_int(c->l->i64, 1), "");
}

static void add_rest(Dot *d, Strip *s, Val first)
{
    Cpu *c = d->c;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b), some = cpu_block(c), after = cpu_block(c);
    Val rest = LLVMBuildSub(c->b, d->along, first, ""), mask = d->mask;
    Strip begun = *s;

    LLVMBuildCondBr(c->b, LLVMBuildIsNull(c->b, rest, ""), after, some);
    LLVMPositionBuilderAtEnd(c->b, some);
    Loop l = cpu_loop_begin(c);
    for (int r = 0; r < s->rows; r++) {
        for (int j = 0; j < s->columns; j++) {
            s->sums[r][j] = LLVMBuildPhi(c->b, LLVMTypeOf(begun.sums[r][j]), "");
            LLVMAddIncoming(s->sums[r][j], &begun.sums[r][j], &l.before, 1);
        }
    }
    const Strip phi = *s;
    d->mask = NULL;
    add_step(d, s, LLVMBuildAdd(c->b, first, l.index, ""));
    d->mask = mask;
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    for (int r = 0; r < s->rows; r++) {
        for (int j = 0; j < s->columns; j++)
            LLVMAddIncoming(phi.sums[r][j], &s->sums[r][j], &latch, 1);
    }
    cpu_loop_end_at(c, &l, rest, d->plan.lanes);
    LLVMBasicBlockRef ends[] = {before, LLVMGetInsertBlock(c->b)};
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
    for (int r = 0; r < s->rows; r++) {
        for (int j = 0; j < s->columns; j++) {
            Val of[] = {begun.sums[r][j], s->sums[r][j]};
            s->sums[r][j] = LLVMBuildPhi(c->b, LLVMTypeOf(of[0]), "");
            LLVMAddIncoming(s->sums[r][j], of, ends, COUNT(of));
        }
    }
}

static void add_all(Dot *d, Strip *s)
{
    add_rest(d, s, add_first(d, s));
}

static Strip strip_of(Dot *d, const DotBlock *block, int columns)
{
    Val zero = llvm_int(d->c->l->i64, 0);
    Strip s = {.rows = block->rows, .columns = columns};

    for (int r = 0; r < s.rows; r++) {
        s.a[r] = cpu_dot_at(d, DOT_A, block->row, r, zero, 0);
        for (int j = 0; j < columns; j++)
            s.sums[r][j] = LLVMConstNull(LLVMTypeOf(block->sums[r][0]));
    }
    return s;
}

/* --- one column --- */

static Val added_up(Cpu *c, Val v)
{
    for (int n = llvm_lanes(v) / 2; n > 0; n /= 2) {
        Val low = llvm_slice(c->l, c->b, v, 0, n);
        Val high = llvm_slice(c->l, c->b, v, n, n);
        v = LLVMBuildFAdd(c->b, low, high, "");
    }
    return v;
}

static void one_column(Dot *d, DotBlock *block)
{
    Cpu *c = d->c;
    Val zero = llvm_int(c->l->i64, 0);
    Strip s = strip_of(d, block, 1);

    s.b[0] = cpu_dot_at(d, DOT_B, zero, 0, zero, 0);
    add_all(d, &s);
    for (int r = 0; r < block->rows; r++)
        block->sums[r][0] = LLVMBuildInsertElement(
            c->b, block->sums[r][0], added_up(c, s.sums[r][0]), llvm_int(c->l->i32, 0), "");
}

/* --- as many as a vector has lanes --- */

/* A vector whose lanes are in pieces, each with parts of the sum of one vector. */
typedef struct {
    Val v;
    int of[MAX_VECTOR]; /* by piece */
} Pieces;

/* Halves of each piece are added: of x and y in one vector, a piece of x before one of y. */
static Pieces halved(Cpu *c, const Pieces *x, const Pieces *y, int lanes, int width)
{
    int low[MAX_VECTOR], high[MAX_VECTOR], half = width / 2;
    Pieces out = {0};

    for (int piece = 0, n = 0; piece < lanes / width; piece++) {
        out.of[2 * piece] = x->of[piece];
        out.of[2 * piece + 1] = y->of[piece];
        for (int i = 0; i < width; i++, n++) {
            low[n] = piece * width + i % half + (i < half ? 0 : lanes);
            high[n] = low[n] + half;
        }
    }
    Val one = llvm_shuffle(c->l, c->b, x->v, y->v, lanes, low);
    out.v = LLVMBuildFAdd(c->b, one, llvm_shuffle(c->l, c->b, x->v, y->v, lanes, high), "");
    return out;
}

/* Of as many vectors as they have lanes: lane i has the sum of all lanes of vector i. */
static Val sums_of(Cpu *c, const Val *vectors, int lanes)
{
    Pieces all[MAX_VECTOR] = {0};
    int where[MAX_VECTOR];

    for (int i = 0; i < lanes; i++)
        all[i] = (Pieces){.v = vectors[i], .of = {i}};
    for (int n = lanes, width = lanes; n > 1; n /= 2, width /= 2) {
        for (int i = 0; i < n / 2; i++)
            all[i] = halved(c, &all[i], &all[i + n / 2], lanes, width);
    }
    for (int i = 0; i < lanes; i++)
        where[all[0].of[i]] = i;
    return llvm_shuffle(c->l, c->b, all[0].v, all[0].v, lanes, where);
}

/* Behind the last column that counts that one is read again. */
static Val column_at(Dot *d, const DotBlock *block, int number)
{
    Cpu *c = d->c;
    Val last = LLVMBuildSub(c->b, d->live[LIVE_COLUMNS], llvm_int(c->l->i64, 1), "");
    Val j = LLVMBuildAdd(c->b, block->column, llvm_int(c->l->i64, number), "");

    j = llvm_extreme(c->l, c->b, false, true, j, last);
    return cpu_dot_at(d, DOT_B, j, 0, llvm_int(c->l->i64, 0), 0);
}

static void columns_of_block(Dot *d, DotBlock *block)
{
    int lanes = d->plan.lanes, side = MIN(lanes, SIDE);
    Val all[DOT_MAX_ROWS][MAX_VECTOR];

    for (int first = 0; first < lanes; first += side) {
        Strip s = strip_of(d, block, side);
        for (int j = 0; j < side; j++)
            s.b[j] = column_at(d, block, first + j);
        add_all(d, &s);
        for (int r = 0; r < block->rows; r++)
            memcpy(&all[r][first], s.sums[r], sizeof *s.sums[r] * (size_t)side);
    }
    for (int r = 0; r < block->rows; r++)
        block->sums[r][0] = sums_of(d->c, all[r], lanes);
}

void cpu_dot_column(Dot *d, DotBlock *block)
{
    if (d->dense_columns)
        columns_of_block(d, block);
    else
        one_column(d, block);
}
