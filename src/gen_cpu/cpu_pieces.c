/*
 * cpu_pieces.c - pieces of rows, in which quotients of their indices stay (plan_pieces.c)
 *
 * A piece begins where the one before ended.  There the dividend x is computed as the row's lanes
 * would be, modulo its type, and divided as one number: q = x / D, rounded towards 0, and what
 * remains is x - q D in all of the piece.  It ends at the first element for which any quotient is
 * another one: with x >= 0, or q = 0, that has D - (x - q D) to go, and with a negative q, 1 - (x -
 * q D); or where x comes around.  D is above 0.  Rounded down, as by x >> k and x & (2^k - 1), what
 * remains is never negative, and D - (x - q D) is to go for any x.
 */
#include "cpu.h"

/* How much x may grow before its quotient changes, i64. */
static Val room_of(Cpu *c, Bld b, Val x, Val q, Val divisor, bool down)
{
    LLVMTypeRef t = LLVMTypeOf(x), i64 = c->l->i64;
    Val zero = llvm_int(t, 0);
    Val rest = LLVMBuildSub(b, x, LLVMBuildMul(b, q, divisor, ""), "");
    Val falls = LLVMBuildICmp(b, LLVMIntSLT, q, zero, "");
    Val from = down ? divisor : LLVMBuildSelect(b, falls, llvm_int(t, 1), divisor, "");

    from = LLVMBuildIntCast2(b, from, i64, 1, "");
    rest = LLVMBuildIntCast2(b, rest, i64, 1, "");
    return llvm_call2(c->l, b, "llvm.ssub.sat", from, rest);
}

/* The same of a comparison. */
static Val room_below(Cpu *c, Bld b, Val x, int64_t from)
{
    LLVMTypeRef i64 = c->l->i64;
    Val limit = llvm_int(i64, from), none = llvm_int(i64, INT64_MAX);

    x = LLVMBuildIntCast2(b, x, i64, 1, "");
    Val below = LLVMBuildICmp(b, LLVMIntSLT, x, limit, "");
    Val left = llvm_call2(c->l, b, "llvm.ssub.sat", limit, x);
    return LLVMBuildSelect(b, below, left, none, "");
}

/* x, or its quotient, and how much it may grow before that changes. */
static Val quotient_of(NestCg *n, const Entry *e, Val x, Val *room)
{
    Cpu *c = n->c;
    Bld b = n->at[e->level];
    const Quotient *own = &n->nest->pieces.at[e->number];
    LLVMTypeRef t = LLVMTypeOf(x);

    if (quotient_compares(own)) {
        *room = room_below(c, b, x, own->from);
        return x;
    }
    Val divisor = own->down ? llvm_int(t, own->number) : cpu_input(n, e, PIECE_DIVISOR);
    Val places = llvm_int(t, own->down ? __builtin_ctzll((uint64_t)own->number) : 0);
    Val q = own->down ? LLVMBuildAShr(b, x, places, "") : LLVMBuildSDiv(b, x, divisor, "");
    *room = room_of(c, b, x, q, divisor, own->down);
    return q;
}

Val cpu_piece(NestCg *n, const Entry *e)
{
    Llvm *l = n->c->l;
    Bld b = n->at[e->level];
    int64_t step = n->nest->pieces.at[e->number].stride;
    DType dtype = e->value->type->dtype;
    Val row = cpu_input(n, e, PIECE_ROW), room;
    LLVMTypeRef t = LLVMTypeOf(row);
    Val at = LLVMBuildIntCast2(b, n->begin, t, 1, "");
    Val x = LLVMBuildAdd(b, row, LLVMBuildMul(b, at, llvm_int(t, step), ""), "");
    Val q = quotient_of(n, e, x, &room);
    Val steps = llvm_int(l->i64, step), more = llvm_int(l->i64, step - 1);

    room = LLVMBuildUDiv(b, LLVMBuildAdd(b, room, more, ""), steps, "");
    Val most = llvm_int(t, (int64_t)ir_extreme(dtype, true));
    Val above = LLVMBuildIntCast2(b, LLVMBuildSub(b, most, x, ""), l->i64, 0, "");
    Val around = LLVMBuildUDiv(b, above, steps, "");
    Val left = LLVMBuildSub(b, LLVMBuildSub(b, n->end, n->begin, ""), llvm_int(l->i64, 1), "");
    left = llvm_call2(l, b, "llvm.umin", left, around); /* behind the first element */
    left = LLVMBuildAdd(b, left, llvm_int(l->i64, 1), "");
    n->end = LLVMBuildAdd(b, n->begin, llvm_call2(l, b, "llvm.umin", left, room), "");
    return q;
}

Val cpu_remainder(NestCg *n, const Entry *e)
{
    Ev q = cpu_made(n, e->in[REMAINDER_QUOTIENT]), d = cpu_made(n, e->in[REMAINDER_DIVISOR]);
    Bld b = n->at[e->level], at = n->at[q.level];
    bool masked = e->value->def->code == OP_and; /* by one less than what divides */
    Val by = masked ? LLVMBuildAdd(at, d.v, llvm_int(LLVMTypeOf(d.v), 1), "") : d.v;
    Val gone = LLVMBuildMul(at, q.v, by, "");

    if (e->vector)
        gone = llvm_splat(b, gone, n->lanes);
    return LLVMBuildSub(b, cpu_input(n, e, REMAINDER_OF), gone, "");
}

Val cpu_pieces_pay(Cpu *c, const Nest *n)
{
    Val all = llvm_int(c->l->i1, 1);

    for (int i = 0; i < n->pieces.len; i++) {
        const Quotient *q = &n->pieces.at[i];
        int64_t number;
        if (!q->divisor || value_const_int(q->divisor, &number))
            continue;
        Val d = c->scalars[q->divisor->id];
        Val least = llvm_int(LLVMTypeOf(d), n->least * q->stride);
        all = LLVMBuildAnd(c->b, all, LLVMBuildICmp(c->b, LLVMIntSGE, d, least, ""), "");
    }
    return all;
}
