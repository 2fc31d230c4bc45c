/*
 * cpu_programs.c - the programs of a launch, one behind the other
 *
 * A launch asks for programs by their numbers, some in a row.  Number n is the n-th of the grid, x
 * the fastest, or the axis that the plan has first (plan_programs.c); or, where the plan has tiles
 * that go in strips (plan_keep.c), the n-th along these:
 *
 *     0  1  2 | 12 13 14      a strip is `width` columns of x, and all of y; the strips of a plane
 *     3  4  5 | 15 16 17      come one behind the other, then the next plane of z
 *     6  7  8 | 18 19 20
 *     9 10 11 | 21 22 23
 *
 * As many columns as the tiles of their programs have slots for: known when the kernel is called,
 * so all threads of a launch go the same way.
 */
#include "cpu.h"

/* Where a program is: along the axes in the order in which programs go, x, y, z but where another
 * one is first, and where the strip begins that it is in.  All i64. */
typedef struct {
    Val at[3], begin;
} InGrid;
enum { PLACES = 4 };

static Val *part(InGrid *p, int i)
{
    return i < COUNT(p->at) ? &p->at[i] : &p->begin;
}

/* --- strips --- */

/* What its op is made of, in front of all programs: plan_keep.c has seen that it can be. */
static void emit_before(Cpu *c, const Value *v)
{
    if (c->scalars[v->id] || !v->def)
        return;
    for (int i = 0; i < v->def->noperands; i++)
        emit_before(c, v->def->operands[i]);
    cpu_scalar(c, v->def);
}

static Val trips_of(Cpu *c, const Op *loop)
{
    for (int i = 0; i < FOR_BOUNDS; i++)
        emit_before(c, loop->operands[i]);
    return LLVMBuildZExt(c->b,
                         emit_trip_count(c->b, c->scalars[loop->operands[FOR_LO]->id],
                                         c->scalars[loop->operands[FOR_HI]->id],
                                         c->scalars[loop->operands[FOR_STEP]->id]),
                         c->l->i64, "");
}

/* Columns of the grid, so that strips are about as wide as each other.  Where not even two have
 * slots, one strip is all. */
static Val strip_width(Cpu *c, Val columns)
{
    LLVMTypeRef i64 = c->l->i64;
    Val one = llvm_int(i64, 1), width = columns;

    for (int i = 0; i < c->plan->keeps.len; i++) {
        const Keep *k = &c->plan->keeps.at[i];
        if (!k->strips)
            continue;
        Val loops = cpu_keep_loops(c, k, trips_of(c, k->loop));
        Val several = LLVMBuildICmp(c->b, LLVMIntUGT, loops, one, "");
        loops = llvm_extreme(c->l, c->b, false, false, width, loops);
        width = LLVMBuildSelect(c->b, several, loops, width, "");
    }
    width = llvm_extreme(c->l, c->b, true, false, width, one);
    Val less = LLVMBuildSub(c->b, columns, one, "");
    Val strips = LLVMBuildAdd(c->b, LLVMBuildUDiv(c->b, less, width, ""), one, "");
    return LLVMBuildAdd(c->b, LLVMBuildUDiv(c->b, less, strips, ""), one, "");
}

static bool has_strips(const Plan *p)
{
    bool has = false;

    for (int i = 0; i < p->keeps.len; i++)
        has |= p->keeps.at[i].strips;
    return has;
}

/* --- numbers --- */

/* Which axis of the grid is the i-th that programs go along. */
static int axis_at(const Plan *p, int i)
{
    return i == 0 ? p->first_axis : i <= p->first_axis ? i - 1 : i;
}

static void set_program(Cpu *c, const InGrid *p)
{
    for (int i = 0; i < COUNT(p->at); i++)
        c->program[axis_at(c->plan, i)] = LLVMBuildTrunc(c->b, p->at[i], c->l->i32, "");
}

static InGrid place_of(Cpu *c, Val n, const Val *size)
{
    Val row = LLVMBuildUDiv(c->b, n, size[0], "");
    InGrid p = {.begin = llvm_int(c->l->i64, 0)};

    p.at[0] = LLVMBuildURem(c->b, n, size[0], "");
    p.at[1] = LLVMBuildURem(c->b, row, size[1], "");
    p.at[2] = LLVMBuildUDiv(c->b, row, size[1], "");
    return p;
}

/* Behind the last column of the strip that begins there. */
static Val end_of(Cpu *c, Val begin, const Val *size)
{
    if (!c->strip)
        return size[0];
    return llvm_extreme(c->l, c->b, false, false, LLVMBuildAdd(c->b, begin, c->strip, ""), size[0]);
}

static InGrid place_in_strip(Cpu *c, Val n, const Val *size)
{
    Bld b = c->b;
    Val plane = LLVMBuildMul(b, size[0], size[1], ""), in_plane = LLVMBuildURem(b, n, plane, "");
    Val whole = LLVMBuildMul(b, c->strip, size[1], "");
    InGrid p = {.at = {[2] = LLVMBuildUDiv(b, n, plane, "")}};

    p.begin = LLVMBuildMul(b, LLVMBuildUDiv(b, in_plane, whole, ""), c->strip, "");
    Val inside = LLVMBuildURem(b, in_plane, whole, "");
    Val width = LLVMBuildSub(b, end_of(c, p.begin, size), p.begin, "");
    p.at[0] = LLVMBuildAdd(b, p.begin, LLVMBuildURem(b, inside, width, ""), "");
    p.at[1] = LLVMBuildUDiv(b, inside, width, "");
    return p;
}

/* Counted up without divisions. */
static InGrid next_place(Cpu *c, const InGrid *p, const Val *size)
{
    LLVMTypeRef t = c->l->i64;
    Bld b = c->b;
    Val zero = llvm_int(t, 0), end = end_of(c, p->begin, size);
    InGrid next = {.begin = p->begin};
    Val x = LLVMBuildAdd(b, p->at[0], llvm_int(t, 1), "");
    Val row = LLVMBuildICmp(b, LLVMIntEQ, x, end, ""); /* is through */
    Val y = LLVMBuildAdd(b, p->at[1], LLVMBuildZExt(b, row, t, ""), "");
    Val plane = LLVMBuildICmp(b, LLVMIntEQ, y, size[1], "");

    next.at[1] = LLVMBuildSelect(b, plane, zero, y, "");
    if (c->strip) {
        Val last = LLVMBuildICmp(b, LLVMIntEQ, end, size[0], "");
        Val begin = LLVMBuildSelect(b, last, zero, end, "");
        next.begin = LLVMBuildSelect(b, plane, begin, p->begin, "");
        plane = LLVMBuildAnd(b, plane, last, "");
    }
    next.at[0] = LLVMBuildSelect(b, row, next.begin, x, "");
    next.at[2] = LLVMBuildAdd(b, p->at[2], LLVMBuildZExt(b, plane, t, ""), "");
    return next;
}

/* --- the loop --- */

static void run_program(Cpu *c, const InGrid *p, LLVMBasicBlockRef exit)
{
    c->leave = exit;
    c->strip_begin = p->begin;
    cpu_debug_program(c);
    cpu_record_program(c);
    cpu_steps(c, c->plan->body);
}

/* --- parts of programs --- */

/* Where this part's range of each extent begins and ends; the last one ends with that. */
static void find_ranges(Cpu *c)
{
    const Split *s = &c->plan->split;
    LLVMTypeRef t = c->l->i64;
    Val next = LLVMBuildAdd(c->b, c->part, llvm_int(t, 1), "");
    Val is_last = LLVMBuildICmp(c->b, LLVMIntEQ, next, c->parts, "");

    c->from = NEW_N(c->arena, Val, s->ranges.len + 1);
    c->to = NEW_N(c->arena, Val, s->ranges.len + 1);
    for (int i = 0; i < s->ranges.len; i++) {
        int32_t extent = s->ranges.at[i].extent, unit = s->ranges.at[i].unit;
        Val ends[2];
        for (int k = 0; k < 2; k++) {
            Val all = LLVMBuildMul(c->b, k ? next : c->part, llvm_int(t, extent / unit), "");
            ends[k] =
                LLVMBuildMul(c->b, LLVMBuildUDiv(c->b, all, c->parts, ""), llvm_int(t, unit), "");
        }
        c->from[i] = ends[0];
        c->to[i] = LLVMBuildSelect(c->b, is_last, llvm_int(t, extent), ends[1], "");
    }
}

/* Number n is part n % parts of program n / parts; the launch says how many parts there are behind
 * the sizes of the grid. */
static void programs_in_parts(Cpu *c, Val first, Val last, const Val *size)
{
    LLVMTypeRef t = c->l->i64;
    Val offset = llvm_int(t, GEN_PARTS);
    Val parts =
        llvm_load(c->b, c->l->i32, LLVMBuildGEP2(c->b, c->l->i8, c->grid, &offset, 1, ""), 4);
    LLVMBasicBlockRef head = cpu_block(c), in = cpu_block(c), exit = cpu_block(c);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b);

    c->parts = LLVMBuildZExt(c->b, parts, t, "");
    LLVMBuildBr(c->b, head);
    LLVMPositionBuilderAtEnd(c->b, head);
    Val n = LLVMBuildPhi(c->b, t, "");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, n, last, ""), in, exit);
    LLVMPositionBuilderAtEnd(c->b, in);
    Val program = LLVMBuildUDiv(c->b, n, c->parts, "");
    InGrid place = c->strip ? place_in_strip(c, program, size) : place_of(c, program, size);
    c->part = LLVMBuildURem(c->b, n, c->parts, "");
    set_program(c, &place);
    find_ranges(c);
    run_program(c, &place, exit);
    Val after = LLVMBuildAdd(c->b, n, llvm_int(t, 1), "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, head);
    LLVMAddIncoming(n, (Val[]){first, after}, (LLVMBasicBlockRef[]){before, latch}, 2);
    LLVMPositionBuilderAtEnd(c->b, exit);
}

void cpu_programs(Cpu *c, Val first, Val last)
{
    LLVMTypeRef t = c->l->i64;
    Val size[3];
    InGrid place;

    for (int d = 0; d < 3; d++)
        size[d] = LLVMBuildSExt(c->b, c->programs[axis_at(c->plan, d)], t, "");
    if (has_strips(c->plan))
        c->strip = strip_width(c, size[0]);
    if (c->options->parts && c->plan->split.most > 1) {
        programs_in_parts(c, first, last, size);
        return;
    }
    InGrid start = c->strip ? place_in_strip(c, first, size) : place_of(c, first, size);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b), head = cpu_block(c), in = cpu_block(c),
                      exit = cpu_block(c);
    LLVMBuildBr(c->b, head);
    LLVMPositionBuilderAtEnd(c->b, head);
    Val n = LLVMBuildPhi(c->b, t, "");
    for (int i = 0; i < PLACES; i++)
        *part(&place, i) = LLVMBuildPhi(c->b, t, "");
    set_program(c, &place);
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, n, last, ""), in, exit);
    LLVMPositionBuilderAtEnd(c->b, in);
    run_program(c, &place, exit);
    InGrid next = next_place(c, &place, size);
    Val after = LLVMBuildAdd(c->b, n, llvm_int(t, 1), "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    LLVMBuildBr(c->b, head);
    LLVMBasicBlockRef from[] = {before, latch};
    LLVMAddIncoming(n, (Val[]){first, after}, from, 2);
    for (int i = 0; i < PLACES; i++)
        LLVMAddIncoming(*part(&place, i), (Val[]){*part(&start, i), *part(&next, i)}, from, 2);
    LLVMPositionBuilderAtEnd(c->b, exit);
}
