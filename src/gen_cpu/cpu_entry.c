/*
 * cpu_entry.c - the entries of a schedule, one after the other
 *
 * What to compute, where and in which order is in the plan (plan_schedule.c, plan_values.c): each
 * entry reads what earlier ones have given, and is put at the loop that it names.  Nothing is asked
 * here, and nothing decided.
 */
#include "cpu.h"

#include <string.h>

/* Copies of a body are constants apart: lanes of all of them begin with one number. */
static Val without_constant(Val i, int64_t *constant)
{
    if (!LLVMIsAInstruction(i) || LLVMGetInstructionOpcode(i) != LLVMAdd ||
        !LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
        return i;
    *constant = LLVMConstIntGetSExtValue(LLVMGetOperand(i, 1));
    return LLVMGetOperand(i, 0);
}

/* The index of a loop as an integer of 32 bits: the first lane's, with all lanes where it is a
 * vector. */
static Val index_of_entry(NestCg *n, const Entry *e)
{
    Llvm *l = n->c->l;
    int dim = e->map[0];
    int64_t start = attr_start(e->value->def), copy = 0;

    if (e->role == AS_ROW || dim < 0)
        return llvm_int(l->i32, start);
    Bld b = n->at[e->level];
    Val first = e->vector ? without_constant(n->index[dim], &copy) : n->index[dim];
    Val i = LLVMBuildIntCast2(b, first, l->i32, 1, "");
    if (!e->vector)
        return start != 0 ? LLVMBuildAdd(b, i, llvm_int(l->i32, start), "") : i;
    Val lanes = llvm_iota(l->i32, n->lanes);
    lanes = LLVMBuildAdd(b, lanes, llvm_int(LLVMTypeOf(lanes), start + copy), "");
    return LLVMBuildAdd(b, llvm_splat(b, i, n->lanes), lanes, "");
}

/* A comparison that holds all over the tile. */
static bool holds_throughout(const NestCg *n, const Entry *e)
{
    for (int i = 0; n->full && i < n->nest->full.len; i++) {
        if (n->nest->full.at[i] == e->value)
            return true;
    }
    return false;
}

static Val result_of_op(NestCg *n, const Entry *e)
{
    Val in[MAX_ELEMENTWISE_OPERANDS] = {NULL};

    if (!e->vector && holds_throughout(n, e))
        return llvm_int(n->c->l->i1, 1);
    for (int i = 0; i < e->nin; i++)
        in[i] = e->vector ? cpu_lanes(n, e, i) : cpu_input(n, e, i);
    return emit_op(&n->c->e, n->at[e->level], e->value->def, in);
}

static Val divided(NestCg *n, const Entry *e)
{
    Ev x = cpu_made(n, e->in[0]), s = cpu_made(n, e->in[1]);
    DType t = e->value->type->dtype;

    if (!dtype_is_float(t))
        return cpu_divide_integers(n, e);
    return emit_round(&n->c->e, n->at[n->rank], cpu_divide(n, x, s), t);
}

static Val emit_run(NestCg *n, const Entry *e)
{
    Bld b = n->at[n->rank];
    Val first = cpu_input(n, e, 0), lanes = llvm_iota(LLVMTypeOf(first), n->lanes);

    if (e->number > 1)
        lanes = LLVMBuildUDiv(b, lanes, llvm_int(LLVMTypeOf(lanes), e->number), "");
    return LLVMBuildAdd(b, llvm_splat(b, first, n->lanes), lanes, "");
}

static Val read_buffer(NestCg *n, const Entry *e)
{
    if (n->result == 1 + e->buffer)
        return cpu_from_buffer(n->c, n->at[n->rank], e->buffer, n->sum);
    const Reading r = {.buffer = e->buffer,
                       .first = e->number,
                       .shape = e->value->type,
                       .map = e->map,
                       .lane = e->role == AS_LANE,
                       .again = e->rare};

    return cpu_read(n, &r).v;
}

/* --- roots --- */

static void fill_entry(NestCg *n, const Root *r, const Entry *e)
{
    cpu_fill(n, r->buffer, r->value->type, plan_identity, cpu_made(n, e->in[0]));
}

static void root(NestCg *n, int number)
{
    const Entry *e = &n->nest->schedule->entries.at[number];
    const Root *r = &n->nest->roots.at[e->number];

    switch (r->kind) {
    case ROOT_STORE:
        cpu_store_root(n, r, e);
        break;
    case ROOT_ATOMIC:
        cpu_atomic_root(n, r, e);
        break;
    case ROOT_REDUCE:
        cpu_reduce_body(n, r->op, e);
        break;
    case ROOT_SCAN:
        n->made[number].fields = cpu_scan_body(n, r, e);
        break;
    case ROOT_COUNT:
        cpu_count_body(n, r->op, e);
        break;
    case ROOT_FILL:
        fill_entry(n, r, e);
        break;
    }
}

/* --- entries --- */

static Val value_of(NestCg *n, const Entry *e)
{
    Cpu *c = n->c;

    switch (e->kind) {
    case MAKE_SCALAR:
        return c->scalars[e->value->id];
    case MAKE_KNOWN:
        return llvm_int(c->l->i1, e->number);
    case MAKE_ZERO:
        return LLVMConstNull(emit_register_type(&c->e, e->value->type->dtype, 0));
    case MAKE_CONST:
        return emit_constant(&c->e, e->value->type, (uint64_t)attr_bits(e->value->def));
    case MAKE_INDEX:
        return index_of_entry(n, e);
    case MAKE_READ:
        return read_buffer(n, e);
    case MAKE_GATHER:
        return cpu_gather(n, e);
    case MAKE_SCANNED:
        return n->made[e->in[0]].fields[e->number];
    case MAKE_OP:
        return result_of_op(n, e);
    case MAKE_DIVIDE:
        return divided(n, e);
    case MAKE_RUN:
        return emit_run(n, e);
    case MAKE_PIECE:
        return cpu_piece(n, e);
    case MAKE_REMAINDER:
        return cpu_remainder(n, e);
    case MAKE_SOME:
        return cpu_some(n);
    case MAKE_ANY:
        return llvm_call1(n->c->l, n->at[n->rank], "llvm.vector.reduce.or", cpu_mask(n, e));
    case MAKE_LOAD:
        return cpu_load(n, e);
    case MAKE_FIELD:
        return cpu_load_field(n, e);
    case MAKE_MEET:
        return cpu_detour_end(n, &n->detour, cpu_lanes(n, e, 1));
    default:
        bug("an entry of kind %d is no value", (int)e->kind);
    }
}

static void begin_detour(NestCg *n, const Entry *e)
{
    Val usual = cpu_lanes(n, e, 1);

    n->detour = cpu_detour_begin(n, cpu_all(n, cpu_input(n, e, 0)), usual);
}

static void make_entry(NestCg *n, int number)
{
    const Entry *e = &n->nest->schedule->entries.at[number];

    switch (e->kind) {
    case MAKE_RECORD:
        n->made[number].fields = cpu_records(n, e);
        break;
    case MAKE_DETOUR:
        begin_detour(n, e);
        break;
    case MAKE_CUT:
        cpu_cut(n, e);
        break;
    case MAKE_AHEAD:
        if (n->this_plane == 0) /* from one of its rows to the next it is as far each time */
            cpu_ahead(n, e);
        break;
    case MAKE_LINE:
        cpu_line(n, e);
        break;
    case MAKE_ROOT:
        root(n, number);
        break;
    case MAKE_REST:
        cpu_reduce_rest(n, n->nest->roots.at[e->number].op, e);
        break;
    default:
        n->made[number].value = value_of(n, e);
        break;
    }
}

/* The op that an entry is for, or NULL.  To read what an earlier nest made is work of this one, and
 * is of its line; for a debugger all of a nest is (cpu_debug.c). */
static const Op *op_of(const NestCg *n, const Entry *e)
{
    if (n->c->debug || e->kind == MAKE_READ)
        return NULL;
    if (e->kind != MAKE_ROOT && e->kind != MAKE_REST)
        return e->value ? e->value->def : NULL;
    const Root *r = &n->nest->roots.at[e->number];
    return r->op ? r->op : r->value->def;
}

/* Nothing, which keeps its place: LLVM looks at all loads of a block that nothing stands between,
 * for each of them.  It touches no memory that loads could be of, so that these still go in front
 * of loops. */
static void part_loads(const NestCg *n, Bld b)
{
    enum { INACCESSIBLE_MEMORY = 3 << 2 }; /* LLVM's MemoryEffects: read and written */
    LLVMContextRef ctx = n->c->l->ctx;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx), NULL, 0, 0);
    Val nothing = LLVMGetInlineAsm(type, "", 0, "", 0, 1, 0, LLVMInlineAsmDialectATT, 0);
    Val call = LLVMBuildCall2(b, type, nothing, NULL, 0, "");
    unsigned kind = LLVMGetEnumAttributeKindForName("memory", strlen("memory"));

    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(ctx, kind, INACCESSIBLE_MEMORY));
}

enum { TOGETHER = 128 /* entries of long code */ };

static void make_at(NestCg *n, int number)
{
    const Op *op = op_of(n, &n->nest->schedule->entries.at[number]);
    const Op *around = op ? llvm_at(n->c->l, op) : NULL;

    make_entry(n, number);
    if (op)
        llvm_at(n->c->l, around);
}

void cpu_part(NestCg *n, Part part, int level)
{
    const Schedule *s = n->nest->schedule;

    for (int i = 0; i < s->part[part].len; i++) {
        int number = s->part[part].at[i];
        if (level != ANY_LEVEL && s->entries.at[number].level != level)
            continue;
        make_at(n, number);
        if (n->c->e.long_code && i % TOGETHER == TOGETHER - 1)
            part_loads(n, n->at[s->entries.at[number].level]);
    }
}

void cpu_values(NestCg *n, Part part, int level)
{
    const Schedule *s = n->nest->schedule;

    for (int i = 0; i < s->part[part].len; i++) {
        int number = s->part[part].at[i];
        const Entry *e = &s->entries.at[number];
        bool gives = e->kind != MAKE_ROOT && e->kind != MAKE_CUT && e->kind != MAKE_AHEAD;
        if (gives && (level == ANY_LEVEL || e->level == level))
            make_at(n, number);
    }
}
