/*
 * cpu.c - the CPU target: one kernel function that runs a range of programs
 *
 * Plans the kernel (plan.h), then carries the plan out: a loop over programs around the steps of
 * the body; scalar values are LLVM values, loops and ifs are blocks with phis, nests and dots have
 * files of their own (cpu.h lists them).
 *
 * A combine function (of a reduction or scan) that only computes runs on whole vectors, with both
 * arms of its ifs.  One with loops or memory accesses does not: lanes would wait for the one that
 * takes longest, lanes that hold nothing could loop forever, and every place that combines vectors
 * would hold the loops again.  Its nest is serial, like that of an atomic, and its region becomes
 * the same scalar code that it would be in the kernel's body, once, and run once per element.
 */
#include "cpu.h"

#include <string.h>

/* --- scalar ops --- */

static Val scalar(Cpu *c, const Value *v)
{
    return c->scalars[v->id];
}

/* NULL where the op leaves the operand out. */
static Val scalar_operand(Cpu *c, const Op *op, int i)
{
    const Value *v = op_operand(op, i);

    return v ? scalar(c, v) : NULL;
}

static Val scalar_load(Cpu *c, const Op *op)
{
    return cpu_scalar_load(c, c->b, op->results[0]->type, scalar(c, op->operands[LOAD_PTR]),
                           scalar_operand(c, op, LOAD_MASK), scalar_operand(c, op, LOAD_OTHER));
}

/* A scalar that is the one element of a tile in a buffer. */
static Val only_element(Cpu *c, const Value *v)
{
    int buffer = plan_buffer(c->plan, v);
    Val x = llvm_load(c->b, cpu_buffer_type(c, buffer, 0), cpu_buffer(c, c->b, buffer),
                      cpu_buffer_size(c, buffer));

    return cpu_from_buffer(c, c->b, buffer, x);
}

static Val scalar_value(Cpu *c, const Op *op)
{
    Val *in = NEW_N(c->arena, Val, op->noperands + 1);

    switch (op->code) {
    case OP_const:
        return emit_constant(&c->e, op->results[0]->type, (uint64_t)attr_bits(op));
    case OP_program_id:
        return c->program[attr_axis(op)];
    case OP_num_programs:
        return c->programs[attr_axis(op)];
    case OP_load:
        return scalar_load(c, op);
    default:
        break;
    }
    if (op->operands[0]->type->rank > 0)
        return only_element(c, op->operands[0]);
    for (int i = 0; i < op->noperands; i++)
        in[i] = scalar(c, op->operands[i]);
    if (op->code == OP_atomic_rmw || op->code == OP_atomic_cas)
        return cpu_scalar_atomic(c, c->b, op, in);
    return op_has(op, MOVES) ? in[0] : emit_op(&c->e, c->b, op, in);
}

void cpu_scalar(Cpu *c, const Op *op)
{
    if (op->code == OP_barrier) {
        LLVMBuildFence(c->b, LLVMAtomicOrderingAcquireRelease, 1, ""); /* for this program only */
        return;
    }
    if (op->code == OP_store) {
        const Value *ptr = op->operands[STORE_PTR];
        cpu_scalar_store(c, c->b, ptr->type->dtype, scalar(c, ptr),
                         scalar(c, op->operands[STORE_DATA]), scalar_operand(c, op, STORE_MASK));
        return;
    }
    c->scalars[op->results[0]->id] = scalar_value(c, op);
}

/* --- combine functions --- */

/* A region without loops and memory accesses, run on all lanes at once. */
typedef struct {
    Cpu *c;
    Bld b;
    int lanes;
    Map *values; /* IR value to LLVM value */
} Region;

static Val region_value(const Region *r, const Value *v)
{
    Val x = map_get(r->values, MAP_KEY(v));

    return x ? x : llvm_splat(r->b, r->c->scalars[v->id], r->lanes);
}

static void region_block(const Region *r, const Block *block);

/* Both arms are computed, the condition picks lane by lane; verified regions have no effects. */
static void region_if(const Region *r, const Op *op)
{
    Val condition = region_value(r, op->operands[0]);

    for (int arm = 0; arm < 2; arm++)
        region_block(r, op->regions[arm]);
    for (int i = 0; i < op->nresults; i++) {
        Val x = region_value(r, op->regions[0]->last->operands[i]);
        Val y = region_value(r, op->regions[1]->last->operands[i]);
        map_put(r->values, MAP_KEY(op->results[i]), LLVMBuildSelect(r->b, condition, x, y, ""));
    }
}

static void region_block(const Region *r, const Block *block)
{
    Cpu *c = r->c;

    for (const Op *op = block->first; op != block->last; op = op->next) {
        Val *in = NEW_N(c->arena, Val, op->noperands + 1), out;
        if (op->code == OP_if) {
            region_if(r, op);
            continue;
        }
        for (int i = 0; i < op->noperands; i++)
            in[i] = region_value(r, op->operands[i]);
        if (op->noperands == 0)
            out = llvm_splat(r->b, scalar_value(c, op), r->lanes);
        else
            out = emit_op(&c->e, r->b, op, in);
        map_put(r->values, MAP_KEY(op->results[0]), out);
    }
}

void cpu_region(Cpu *c, Bld b, const Block *region, const Val *args, int lanes, Val *results)
{
    Region r = {c, b, lanes, map_new(c->arena)};

    for (int i = 0; i < region->nargs; i++)
        map_put(r.values, MAP_KEY(region->args[i]), args[i]);
    region_block(&r, region);
    for (int i = 0; i < region->last->noperands; i++)
        results[i] = region_value(&r, region->last->operands[i]);
}

/* --- loops and ifs --- */

static Val phi_for(Cpu *c, const Value *v)
{
    if (v->type->rank > 0)
        return NULL;
    return c->scalars[v->id] = LLVMBuildPhi(c->b, emit_type(&c->e, v->type, 0), "");
}

static void incoming(Cpu *c, Val phi, const Value *from, LLVMBasicBlockRef block)
{
    if (!phi)
        return;
    Val v = scalar(c, from);
    LLVMAddIncoming(phi, &v, &block, 1);
}

/* Do tiles of its rounds have places of their own? */
static bool has_places(const Cpu *c, const Op *loop)
{
    bool has = false;

    for (int i = 0; i < c->plan->buffers.len; i++) {
        const Buffer *b = &c->plan->buffers.at[i];
        has |= b->loop == loop || b->begins == loop || b->last == loop;
    }
    for (int i = 0; i < c->plan->keeps.len; i++)
        has |= c->plan->keeps.at[i].loop == loop;
    return has;
}

/* Where tiles of this round lie, of those that several rounds put side by side, or in slots. */
static void place_tiles(Cpu *c, const Op *loop, Val trips, Val left)
{
    LLVMTypeRef i64 = c->l->i64;

    if (!has_places(c, loop))
        return;
    c->round = LLVMBuildZExt(c->b, LLVMBuildSub(c->b, trips, left, ""), i64, "");
    c->is_last = LLVMBuildICmp(c->b, LLVMIntEQ, left, llvm_int(LLVMTypeOf(left), 1), "");
    c->trips = LLVMBuildZExt(c->b, trips, i64, "");
    for (int i = 0; i < c->plan->buffers.len; i++) {
        const Buffer *f = &c->plan->buffers.at[i];
        if (f->loop != loop)
            continue;
        Val n = cpu_place_round(c, i, f->rounds);
        c->shift[i] = LLVMBuildMul(c->b, n, llvm_int(i64, f->apart * cpu_buffer_size(c, i)), "");
    }
}

/* The body of a loop, which may have loops within it. */
static void emit_body(Cpu *c, const Step *s, Val trips, Val left)
{
    Val round = c->round, is_last = c->is_last, of = c->trips;

    place_tiles(c, s->op, trips, left);
    cpu_steps(c, s->body[0]);
    c->round = round;
    c->is_last = is_last;
    c->trips = of;
}

/* Of a loop: the counter and the rounds left at the head of the first round, and those left behind
 * the last one. */
typedef struct {
    Val first, left, behind;
} Rounds;

static Val wide(Cpu *c, const Value *v)
{
    return LLVMBuildIntCast2(c->b, c->scalars[v->id], c->l->i64, dtype_is_signed(v->type->dtype),
                             "");
}

/* i1: do rounds of the loop that is split store to memory of their own? */
static Val rounds_are_apart(Cpu *c)
{
    LLVMTypeRef i64 = c->l->i64;
    Val all = llvm_int(c->l->i1, 1);

    for (int i = 0; i < c->plan->split.ifs.len; i++) {
        const SplitIf *s = &c->plan->split.ifs.at[i];
        Val pitch = llvm_int(i64, s->pitch), reach = llvm_int(i64, s->reach);
        if (s->scale)
            pitch = LLVMBuildMul(c->b, pitch, wide(c, s->scale), "");
        if (s->limit)
            reach = llvm_call2(c->l, c->b, "llvm.smin", reach,
                               LLVMBuildSub(c->b, wide(c, s->limit), llvm_int(i64, 1), ""));
        all = LLVMBuildAnd(c->b, all, LLVMBuildICmp(c->b, LLVMIntSGT, pitch, reach, ""), "");
    }
    return all;
}

/* A part of the program has some of the rounds of one loop, and all of others. */
static Rounds rounds_of(Cpu *c, const Op *loop, Val lo, Val step, Val trips)
{
    LLVMTypeRef t = LLVMTypeOf(lo), i64 = c->l->i64;
    Val ends[2];

    if (!c->part || loop != c->plan->split.loop)
        return (Rounds){lo, trips, llvm_int(t, 0)};
    Val splits = rounds_are_apart(c);
    Val all = LLVMBuildZExt(c->b, trips, i64, "");
    for (int k = 0; k < 2; k++) {
        Val part = LLVMBuildAdd(c->b, c->part, llvm_int(i64, k), "");
        Val whole = LLVMBuildMul(c->b, LLVMBuildUDiv(c->b, all, c->parts, ""), part, "");
        Val more = LLVMBuildMul(c->b, LLVMBuildURem(c->b, all, c->parts, ""), part, "");
        Val end = LLVMBuildAdd(c->b, whole, LLVMBuildUDiv(c->b, more, c->parts, ""), "");
        Val none = LLVMBuildICmp(c->b, LLVMIntEQ, part, llvm_int(i64, 0), "");
        Val alone = LLVMBuildSelect(c->b, none, llvm_int(i64, 0), all, "");
        end = LLVMBuildSelect(c->b, splits, end, alone, "");
        ends[k] = LLVMBuildTrunc(c->b, end, t, "");
    }
    Val skipped = LLVMBuildMul(c->b, ends[0], step, "");
    Rounds own = {.first = LLVMBuildAdd(c->b, lo, skipped, "")};
    own.left = LLVMBuildSub(c->b, trips, ends[0], "");
    own.behind = LLVMBuildSub(c->b, trips, ends[1], "");
    return own;
}

/* In front of a loop, where that has no round. */
static void nest_unless(Cpu *c, const Nest *n)
{
    const Op *loop = n->unless;
    if (loop->code == OP_dot)
        return;
    LLVMBasicBlockRef none = cpu_block(c), after = cpu_block(c);
    Val trips =
        emit_trip_count(c->b, scalar(c, loop->operands[FOR_LO]), scalar(c, loop->operands[FOR_HI]),
                        scalar(c, loop->operands[FOR_STEP]));

    LLVMBuildCondBr(c->b, LLVMBuildIsNull(c->b, trips, ""), none, after);
    LLVMPositionBuilderAtEnd(c->b, none);
    cpu_nest(c, n);
    LLVMBuildBr(c->b, after);
    LLVMPositionBuilderAtEnd(c->b, after);
}

static void emit_rounds(Cpu *c, const Step *s, Val trips)
{
    const Op *op = s->op;
    const Block *body = op->regions[0];
    Val lo = scalar(c, op->operands[FOR_LO]), step = scalar(c, op->operands[FOR_STEP]);
    LLVMTypeRef t = LLVMTypeOf(lo);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b), head = cpu_block(c), in = cpu_block(c),
                      exit = cpu_block(c);

    Rounds own = rounds_of(c, op, lo, step, trips);
    LLVMBuildBr(c->b, head);
    LLVMPositionBuilderAtEnd(c->b, head);
    Val left = LLVMBuildPhi(c->b, t, ""), iv = LLVMBuildPhi(c->b, t, "");
    Val *phis = NEW_N(c->arena, Val, op->nresults + 1);
    for (int i = 0; i < op->nresults; i++) {
        phis[i] = phi_for(c, body->args[i + 1]);
        incoming(c, phis[i], op->operands[FOR_BOUNDS + i], before);
    }
    c->scalars[body->args[0]->id] = iv;
    Val go = LLVMBuildICmp(c->b, LLVMIntNE, left, own.behind, "");
    LLVMBuildCondBr(c->b, go, in, exit);
    LLVMPositionBuilderAtEnd(c->b, in);
    emit_body(c, s, trips, left);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    Val next = LLVMBuildAdd(c->b, iv, step, "");
    Val fewer = LLVMBuildSub(c->b, left, llvm_int(t, 1), "");
    for (int i = 0; i < op->nresults; i++)
        incoming(c, phis[i], body->last->operands[i], latch);
    LLVMAddIncoming(left, (Val[]){own.left, fewer}, (LLVMBasicBlockRef[]){before, latch}, 2);
    LLVMAddIncoming(iv, (Val[]){own.first, next}, (LLVMBasicBlockRef[]){before, latch}, 2);
    LLVMBuildBr(c->b, head);
    LLVMPositionBuilderAtEnd(c->b, exit);
    for (int i = 0; i < op->nresults; i++) {
        if (phis[i])
            c->scalars[op->results[i]->id] = phis[i];
    }
}

static void emit_for(Cpu *c, const Step *s)
{
    const Op *op = s->op;
    Val trips = emit_trip_count(c->b, scalar(c, op->operands[FOR_LO]),
                                scalar(c, op->operands[FOR_HI]), scalar(c, op->operands[FOR_STEP]));
    Val whole;

    cpu_place_results(c, op, LLVMBuildIsNotNull(c->b, trips, ""));
    if (!s->whole || c->part) {
        emit_rounds(c, s, trips);
        return;
    }
    LLVMBasicBlockRef after = cpu_whole_begin(c, s, trips, &whole);
    emit_rounds(c, s, trips);
    cpu_whole_end(c, s, whole, after);
}

static void emit_while(Cpu *c, const Step *s)
{
    const Op *op = s->op;
    const Block *test = op->regions[0], *body = op->regions[1];
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->b), head = cpu_block(c), in = cpu_block(c),
                      exit = cpu_block(c);

    LLVMBuildBr(c->b, head);
    LLVMPositionBuilderAtEnd(c->b, head);
    Val *phis = NEW_N(c->arena, Val, test->nargs + 1);
    for (int i = 0; i < test->nargs; i++) {
        phis[i] = phi_for(c, test->args[i]);
        incoming(c, phis[i], op->operands[i], before);
    }
    cpu_steps(c, s->body[0]);
    const Op *end = test->last;
    for (int i = 1; i < end->noperands; i++) {
        c->scalars[op->results[i - 1]->id] = scalar(c, end->operands[i]);
        c->scalars[body->args[i - 1]->id] = scalar(c, end->operands[i]);
    }
    LLVMBuildCondBr(c->b, scalar(c, end->operands[0]), in, exit);
    LLVMPositionBuilderAtEnd(c->b, in);
    cpu_steps(c, s->body[1]);
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    for (int i = 0; i < test->nargs; i++)
        incoming(c, phis[i], body->last->operands[i], latch);
    LLVMBuildBr(c->b, head);
    LLVMPositionBuilderAtEnd(c->b, exit);
}

static void emit_if(Cpu *c, const Step *s)
{
    const Op *op = s->op;
    LLVMBasicBlockRef arm[2], end[2];
    Val *values[2];

    for (int r = 0; r < 2; r++)
        arm[r] = cpu_block(c);
    LLVMBasicBlockRef after = cpu_block(c);
    LLVMBuildCondBr(c->b, scalar(c, op->operands[0]), arm[0], arm[1]);
    for (int r = 0; r < 2; r++) {
        LLVMPositionBuilderAtEnd(c->b, arm[r]);
        cpu_steps(c, s->body[r]);
        end[r] = LLVMGetInsertBlock(c->b);
        values[r] = NEW_N(c->arena, Val, op->nresults + 1);
        for (int i = 0; i < op->nresults; i++)
            values[r][i] = scalar(c, op->regions[r]->last->operands[i]);
        LLVMBuildBr(c->b, after);
    }
    LLVMPositionBuilderAtEnd(c->b, after);
    for (int i = 0; i < op->nresults; i++) {
        Val phi = phi_for(c, op->results[i]);
        if (phi)
            LLVMAddIncoming(phi, (Val[]){values[0][i], values[1][i]}, end, 2);
    }
}

/* To copy a tile that is there is work of the step that wants a copy. */
static bool only_copies(const Cpu *c, const Step *s)
{
    const Root *r = s->kind == STEP_NEST ? &s->nest->roots.at[0] : NULL;
    int own = r && r->kind == ROOT_FILL ? plan_buffer(c->plan, r->value) : NO_BUFFER;

    return own != NO_BUFFER && own != r->buffer;
}

/* The op that step i is for, or the first of them; NULL where that is none.  `before` is that of
 * the step before. */
static const Op *op_of(const Cpu *c, const BlockPlan *plan, int i, const Op *before)
{
    while (i < plan->steps.len && only_copies(c, &plan->steps.at[i]))
        i++;
    const Step *s = i < plan->steps.len ? &plan->steps.at[i] : NULL;
    if (!s || s->kind != STEP_NEST)
        return s ? s->op : before;
    const Root *first = &s->nest->roots.at[0];
    return first->op ? first->op : first->value->def;
}

static bool is_tallied(const Nest *n)
{
    return n->roots.at[0].kind == ROOT_ATOMIC && n->roots.at[0].buffer != NO_BUFFER;
}

void cpu_steps(Cpu *c, const BlockPlan *plan)
{
    const Op *op = NULL;

    for (int i = 0; i < plan->steps.len; i++) {
        const Step *s = &plan->steps.at[i];
        op = op_of(c, plan, i, op);
        cpu_debug_step(c, op);
        const Op *at = cpu_debug_lines(c, s, op), *around = llvm_at(c->l, at);
        switch (s->kind) {
        case STEP_SCALAR:
            cpu_scalar(c, s->op);
            break;
        case STEP_NEST:
            if (s->nest->unless)
                nest_unless(c, s->nest);
            else if (s->nest->result != 0)
                cpu_place_store(c, s->nest);
            else if (s->nest->place != 0)
                cpu_place_fill(c, s->nest);
            else if (s->nest->keep != 0)
                cpu_keep_fill(c, s->nest, NULL);
            else if (is_tallied(s->nest))
                cpu_tally_nest(c, s->nest);
            else if (s->nest->roots.at[0].kind == ROOT_ATOMIC)
                cpu_atomic_nest(c, s->nest);
            else
                cpu_nest(c, s->nest);
            break;
        case STEP_DOT:
            cpu_place_results(c, s->op, llvm_int(c->l->i1, 1));
            cpu_dot(c, s->op, s->dot, &cpu_block_code);
            break;
        case STEP_SORT:
            cpu_sort(c, s->op, s->sort);
            break;
        case STEP_RECORD:
            cpu_record(c, s->op, s->buffers);
            break;
        case STEP_FOR:
            emit_for(c, s);
            break;
        case STEP_WHILE:
            emit_while(c, s);
            break;
        case STEP_IF:
            emit_if(c, s);
            break;
        }
        llvm_at(c->l, around);
        cpu_debug_made(c, s, at);
    }
}

/* --- the kernel function --- */

static Val load_argument(Cpu *c, int i, const Type *t)
{
    Val offset = llvm_int(c->l->i64, 8 * i);
    Val slot = LLVMBuildGEP2(c->b, c->l->i8, c->args, &offset, 1, "");

    if (t->pointer)
        return llvm_load(c->b, c->l->ptr, slot, 8);
    Val v = llvm_load(c->b, emit_memory_type(&c->e, t->dtype), slot, dtype_size(t->dtype));
    return emit_from_memory(&c->e, c->b, v, t->dtype);
}

static Val workspace(Cpu *c, int i)
{
    Val offset = llvm_int(c->l->i64, c->plan->workspaces[i]);

    return LLVMBuildGEP2(c->b, c->l->i8, c->scratch, &offset, 1, "");
}

static void load_arguments(Cpu *c)
{
    const Block *body = c->func->body;

    for (int i = 0; i < body->nargs; i++) {
        bool has_none = c->func->params[i].kind == PARAM_WORKSPACE;

        c->scalars[body->args[i]->id] =
            has_none ? workspace(c, i) : load_argument(c, i, body->args[i]->type);
    }
}

static void fence_streaming_stores(Cpu *c)
{
    static const char x86[] = "x86_64";

    if (strncmp(c->l->triple, x86, strlen(x86)) != 0)
        LLVMBuildFence(c->b, LLVMAtomicOrderingRelease, 0, "");
    else if (c->nontemporal_used)
        llvm_call(c->l, c->b, "llvm.x86.sse.sfence", 0, NULL, 0, NULL);
}

static void emit_function(Cpu *c, const char *name)
{
    Llvm *l = c->l;
    LLVMTypeRef params[5] = {l->ptr, l->ptr, l->i64, l->i64, l->ptr};

    c->fn = llvm_function(l, name, LLVMFunctionType(l->none, params, 5, 0));
    LLVMBasicBlockRef entry = cpu_block(c), start = cpu_block(c);
    llvm_lines_begin(l, c->func, c->fn, c->options);
    c->entry = llvm_builder(l, entry);
    c->b = llvm_builder(l, start);
    c->args = LLVMGetParam(c->fn, 0);
    c->grid = LLVMGetParam(c->fn, 1);
    c->scratch = LLVMGetParam(c->fn, 4);
    load_arguments(c);
    for (int d = 0; d < 3; d++) {
        Val offset = llvm_int(l->i64, 4 * d);
        c->programs[d] =
            llvm_load(c->b, l->i32, LLVMBuildGEP2(c->b, l->i8, c->grid, &offset, 1, ""), 4);
    }
    cpu_debug_begin(c);
    cpu_atomics_begin(c);
    if (c->plan->keeps.len > 0)
        cpu_keep_begin(c);
    Val first = LLVMGetParam(c->fn, 2), last = LLVMGetParam(c->fn, 3);
    cpu_tally_begin(c, LLVMBuildSub(c->b, last, first, ""));
    cpu_programs(c, first, last);
    cpu_tally_end(c);
    fence_streaming_stores(c);
    LLVMBuildRetVoid(c->b);
    LLVMBuildBr(c->entry, start);
}

/* --- all of it --- */

enum { MANY_OPS = 2000 };

void cpu_kernel(Cpu *c, Llvm *l, const char *name)
{
    c->arena = l->arena;
    c->l = l;
    l->ordered |= c->options->debug;
    c->scalars = NEW_N(c->arena, Val, c->func->nvalues + 1);
    c->shift = NEW_N(c->arena, Val, c->plan->buffers.len + 1);
    c->in_slot = NEW_N(c->arena, Val, c->plan->buffers.len + 1);
    c->placed = NEW_N(c->arena, Placed, c->plan->buffers.len + 1);
    c->sources = NEW_N(c->arena, SourceRows, c->plan->buffers.len + 1);
    c->machine = &c->plan->machine;
    c->e = (Emit){.l = l, .long_code = c->plan->size >= MANY_OPS};
    c->e.has_half = c->machine->avx512fp16;
    c->e.moves_words = true;
    c->e.no_fma = !c->machine->fma;
    c->e.no_saturation = !c->machine->neon;
    c->e.table_lanes = c->machine->avx512f ? 16 : c->machine->avx2 ? 8 : c->machine->neon ? 4 : 0;
    emit_function(c, name);
}
