/*
 * cpu_debug.c - what the names of a kernel stand for while it runs, for debuggers
 *
 * Only where GenOptions.debug asks for it.  Arguments are where the launch put them.  A scalar that
 * the source names has a slot on the stack, written where the statement that names it has ended;
 * a tile has one with the address of its buffer, which the plan gives every named tile (plan.c).
 * Stores to slots are volatile, so that no pass drops them; that, and the buffers, is what makes
 * such code slower.
 *
 * A name that stands for nothing but constants, as a constexpr does, is a scalar too; one that is a
 * constant first and a value of the program later has only the latter.
 *
 * A nest goes through its lines once a row or vector, which nobody wants to step through: in front
 * of it stands one instruction for each line that it computes, where breakpoints stop once, and all
 * of the nest is of the last of these.  So is a product.
 *
 * The statements that have ended are told by the marks (ir/mark.c) that the next op of a block
 * stands behind.  A name whose value is not computed there, or never, has none: it keeps what it
 * had.
 */
#include "cpu.h"

#include <string.h>

/* A name in one frame. */
typedef struct {
    Sym name;
    int site;
    const Type *type; /* of all that it stands for here; what has another one is not shown */
    Val slot;
} Variable;

/* A mark that a name takes its value from. */
typedef struct {
    const Mark *mark;
    const Value *value; /* NULL: the mark's constant */
    int number;         /* of the mark */
    int variable;
    bool done;
} Binding;

/* DWARF's numbers: DW_ATE_* of types, DW_OP_* of places. */
enum { DWARF_BOOLEAN = 2, DWARF_FLOAT = 4, DWARF_SIGNED = 5, DWARF_UNSIGNED = 7 };
enum { DWARF_DEREF = 0x06, DWARF_PLUS = 0x23 };

struct CpuDebug {
    LLVMDIBuilderRef di;
    LLVMMetadataRef types[DT_COUNT];
    VEC(Variable) variables;
    VEC(Binding) bindings;
    const Op *
        *made;     /* by value id, of tiles: at whose place the code that fills its buffer stands */
    bool *stopped; /* by value id: there is an instruction for the line that computes it */
    Val program;   /* the slot of the program's x, y, z */
    Val line;      /* what the instructions of lines write to */
};

/* --- types --- */

static LLVMMetadataRef scalar_type(const Cpu *c, DType t)
{
    LLVMMetadataRef *type = &c->debug->types[t];
    const char *name = dtype_long_name(t);
    LLVMDWARFTypeEncoding kind = t == DT_I1             ? DWARF_BOOLEAN
                                 : dtype_is_float(t)    ? DWARF_FLOAT
                                 : dtype_is_unsigned(t) ? DWARF_UNSIGNED
                                                        : DWARF_SIGNED;

    if (!*type)
        *type = LLVMDIBuilderCreateBasicType(c->debug->di, name, strlen(name),
                                             8 * (uint64_t)dtype_size(t), kind, LLVMDIFlagZero);
    return *type;
}

static LLVMMetadataRef pointer_to(const Cpu *c, LLVMMetadataRef type)
{
    return LLVMDIBuilderCreatePointerType(c->debug->di, type, 64, 0, 0, "", 0);
}

static LLVMMetadataRef element_type(const Cpu *c, const Type *t, bool in_memory)
{
    DType scalar = in_memory || t->pointer ? t->dtype : plan_register_dtype(t->dtype);

    return t->pointer ? pointer_to(c, scalar_type(c, scalar)) : scalar_type(c, scalar);
}

static LLVMMetadataRef array_type(const Cpu *c, LLVMMetadataRef element, int bytes, int rank,
                                  const int32_t *dims)
{
    LLVMMetadataRef ranges[MAX_RANK];
    uint64_t bits = 8 * (uint64_t)bytes;

    for (int d = 0; d < rank; d++) {
        ranges[d] = LLVMDIBuilderGetOrCreateSubrange(c->debug->di, 0, dims[d]);
        bits *= (uint64_t)dims[d];
    }
    return LLVMDIBuilderCreateArrayType(c->debug->di, bits, 0, element, ranges, (unsigned)rank);
}

/* As a slot, or what it points to, holds it: in register form. */
static LLVMMetadataRef variable_type(const Cpu *c, const Type *t)
{
    LLVMMetadataRef element = element_type(c, t, false);
    int bytes = t->pointer ? 8 : dtype_size(plan_register_dtype(t->dtype));

    return t->rank == 0 ? element : array_type(c, element, bytes, t->rank, t->dims);
}

/* --- variables --- */

static LineFrame frame_of(const Cpu *c, int site)
{
    LineFrame f;

    if (!llvm_lines_frame(c->l, site, &f))
        bug("variables without lines");
    return f;
}

/* Say that `variable` lies where the expression leads to from the address of `slot`. */
static void declare(Cpu *c, Val slot, LLVMMetadataRef variable, LLVMMetadataRef place,
                    uint64_t *way, size_t steps)
{
    LLVMMetadataRef expression = LLVMDIBuilderCreateExpression(c->debug->di, way, steps);

    LLVMDIBuilderInsertDeclareRecordAtEnd(c->debug->di, slot, variable, expression, place,
                                          LLVMGetInsertBlock(c->entry));
}

static void declare_local(Cpu *c, int site, const char *name, LLVMMetadataRef type, Val slot,
                          bool points)
{
    LineFrame f = frame_of(c, site);
    uint64_t way[] = {DWARF_DEREF};
    LLVMMetadataRef variable = LLVMDIBuilderCreateAutoVariable(
        f.di, f.scope, name, strlen(name), f.file, 0, type, 1, LLVMDIFlagZero, 0);

    declare(c, slot, variable, f.place, way, points ? COUNT(way) : 0);
}

static Val keep(Cpu *c, Val v, Val slot)
{
    Val store = LLVMBuildStore(c->b, v, slot);

    LLVMSetVolatile(store, 1);
    return store;
}

static Val kept(Cpu *c, Val v)
{
    Val slot = LLVMBuildAlloca(c->entry, LLVMTypeOf(v), "");

    keep(c, v, slot);
    return slot;
}

/* --- what there is from the beginning --- */

static void declare_argument(Cpu *c, int i, Val slot)
{
    const Param *p = &c->func->params[i];
    LLVMMetadataRef type = element_type(c, c->func->body->args[i]->type, true);
    LineFrame f = frame_of(c, 0);
    uint64_t way[] = {DWARF_DEREF, DWARF_PLUS, 8 * (uint64_t)i};
    LLVMMetadataRef variable =
        LLVMDIBuilderCreateParameterVariable(f.di, f.scope, p->name, strlen(p->name),
                                             (unsigned)i + 1, f.file, 0, type, 1, LLVMDIFlagZero);

    declare(c, slot, variable, f.place, way, COUNT(way));
}

static void declare_programs(Cpu *c)
{
    const int32_t axes[] = {COUNT(c->program)};
    LLVMMetadataRef three = array_type(c, scalar_type(c, DT_I32), 4, 1, axes);

    c->debug->program = LLVMBuildAlloca(c->entry, LLVMArrayType2(c->l->i32, COUNT(c->program)), "");
    declare_local(c, 0, "program_id", three, c->debug->program, false);
    declare_local(c, 0, "num_programs", three, kept(c, c->grid), true);
}

/* --- names --- */

static int variable_for(Cpu *c, const Mark *m, const Type *type)
{
    CpuDebug *d = c->debug;

    for (int i = 0; i < d->variables.len; i++) {
        const Variable *known = &d->variables.at[i];
        if (known->name == m->name && known->site == m->site)
            return known->type == type ? i : -1;
    }
    LLVMTypeRef held = type->rank > 0 ? c->l->ptr : emit_type(&c->e, type, 0);
    Variable new = {m->name, m->site, type, LLVMBuildAlloca(c->entry, held, "")};
    LLVMSetVolatile(LLVMBuildStore(c->entry, LLVMConstNull(held), new.slot), 1);
    declare_local(c, m->site, m->name, variable_type(c, type), new.slot, type->rank > 0);
    vec_push(c->arena, &d->variables, new);
    return d->variables.len - 1;
}

static bool is_argument(const Cpu *c, const Value *v)
{
    return !v->def && v->block == c->func->body;
}

static void bind(Cpu *c, int number, const Value *v, const Type *type)
{
    const Mark *m = &c->func->marks.at[number];
    int variable = variable_for(c, m, type);

    if (variable >= 0)
        vec_push(c->arena, &c->debug->bindings, ((Binding){m, v, number, variable, false}));
}

static void find_values(Cpu *c)
{
    for (int i = 0; i < c->func->marks.len; i++) {
        const Mark *m = &c->func->marks.at[i];
        const Value *v = plan_named(c->plan, m);
        if (!v || (m->site == 0 && is_argument(c, v)))
            continue;
        if (v->type->rank == 0 || plan_buffer(c->plan, v) != NO_BUFFER)
            bind(c, i, v, v->type);
    }
}

static bool is_variable(const Cpu *c, const Mark *m, int n)
{
    for (int i = 0; i < n; i++) {
        const Variable *known = &c->debug->variables.at[i];
        if (known->name == m->name && known->site == m->site)
            return true;
    }
    return false;
}

/* Behind find_values(): names that have none of these. */
static void find_constants(Cpu *c)
{
    int n = c->debug->variables.len;

    for (int i = 0; i < c->func->marks.len; i++) {
        const Mark *m = &c->func->marks.at[i];
        if (m->name && m->constant && !is_variable(c, m, n))
            bind(c, i, NULL, m->constant);
    }
}

void cpu_debug_begin(Cpu *c)
{
    LineFrame f;

    if (!c->options->debug || !llvm_lines_frame(c->l, 0, &f))
        return;
    c->debug = NEW(c->arena, CpuDebug);
    c->debug->di = f.di;
    c->debug->made = NEW_N(c->arena, const Op *, c->func->nvalues + 1);
    c->debug->stopped = NEW_N(c->arena, bool, c->func->nvalues + 1);
    c->debug->line = cpu_slot(c, c->l->i32);
    Val args = kept(c, c->args);
    for (int i = 0; i < c->func->nparams; i++) {
        if (c->func->params[i].kind == PARAM_USER)
            declare_argument(c, i, args);
    }
    declare_programs(c);
    find_values(c);
    find_constants(c);
}

void cpu_debug_program(Cpu *c)
{
    for (int i = 0; c->debug && i < COUNT(c->program); i++) {
        Val offset = llvm_int(c->l->i64, 4 * i);
        keep(c, c->program[i], LLVMBuildGEP2(c->b, c->l->i8, c->debug->program, &offset, 1, ""));
    }
}

/* How many marks of the frame `site` the op stands behind; 0 where it is no part of that. */
static int marks_before(const Cpu *c, const Op *op, int site)
{
    const CallSite *call = call_site(c->func->module, op->site);
    int at = op->site, mark = op->mark;

    for (; at != site && call; call = call_site(c->func->module, at)) {
        at = call->parent;
        mark = call->mark;
    }
    return at == site ? mark : 0;
}

/* What the name stands for; NULL where that is not computed yet. */
static Val value_of(Cpu *c, const Binding *b)
{
    const Value *v = b->value;

    if (!v)
        return emit_constant(&c->e, b->mark->constant, b->mark->bits);
    if (v->type->rank == 0)
        return c->scalars[v->id];
    return !v->def || c->debug->made[v->id] ? cpu_buffer(c, c->b, plan_buffer(c->plan, v)) : NULL;
}

/* Where a name takes its value: what a loop or an `if` hands on does so there, not where it was
 * bound in front of that or in it; a tile, in the line of the nest that made it. */
static Span place_of(const Cpu *c, const Binding *b)
{
    const Value *v = b->value;
    const Op *by = !v ? NULL : v->def ? v->def : v->block->owner;
    const Op *nest = v ? c->debug->made[v->id] : NULL;

    if (by && by->regions[0])
        return by->span;
    return nest && nest->site == b->mark->site ? nest->span : b->mark->span;
}

void cpu_debug_step(Cpu *c, const Op *next)
{
    for (int i = 0; c->debug && next && i < c->debug->bindings.len; i++) {
        Binding *b = &c->debug->bindings.at[i];
        const Mark *m = b->mark;
        if (b->done || m->block != next->block || b->number >= marks_before(c, next, m->site))
            continue;
        Val v = value_of(c, b);
        if (!v)
            continue;
        Val store = keep(c, v, c->debug->variables.at[b->variable].slot);
        llvm_lines_set(c->l, store, place_of(c, b), m->site);
        b->done = true;
    }
}

/* --- lines --- */

typedef VEC(const Op *) Stops; /* ops, no two of one line of one frame */

static int line_of(const Cpu *c, const Op *op)
{
    return source_place(c->func->module->sources, op->span.start).line;
}

/* By line within a frame; frames as their values are needed. */
static void add_stop(Cpu *c, Stops *stops, const Op *op)
{
    int line = line_of(c, op), at = 0;

    for (; at < stops->len; at++) {
        const Op *other = stops->at[at];
        if (other->site == op->site && line_of(c, other) == line)
            return;
        if (other->site == op->site && line_of(c, other) > line)
            break;
    }
    vec_push(c->arena, stops, op);
    memmove(&stops->at[at + 1], &stops->at[at], sizeof *stops->at * (size_t)(stops->len - 1 - at));
    stops->at[at] = op;
}

static bool is_computed(const Entry *e)
{
    return e->value && e->value->def && e->kind != MAKE_SCALAR && e->kind != MAKE_CONST &&
           e->kind != MAKE_KNOWN && e->kind != MAKE_READ;
}

/* What an earlier nest has computed already has its line there. */
static void stop_at_entries(Cpu *c, Stops *stops, const Schedule *s)
{
    for (int i = 0; i < s->entries.len; i++) {
        const Entry *e = &s->entries.at[i];
        if (!is_computed(e) || c->debug->stopped[e->value->id])
            continue;
        c->debug->stopped[e->value->id] = true;
        add_stop(c, stops, e->value->def);
    }
}

const Op *cpu_debug_lines(Cpu *c, const Step *s, const Op *op)
{
    Stops stops = {0};

    if (!c->debug || !op || (s->kind != STEP_NEST && s->kind != STEP_DOT && s->kind != STEP_SORT))
        return op;
    if (s->nest)
        stop_at_entries(c, &stops, s->nest->schedule);
    add_stop(c, &stops, op);
    for (int i = 0; i < stops.len; i++) {
        Val store = keep(c, llvm_int(c->l->i32, 0), c->debug->line);
        llvm_lines_set(c->l, store, stops.at[i]->span, stops.at[i]->site);
    }
    return stops.at[stops.len - 1];
}

static void note_made(Cpu *c, const Op *op, const Op *at)
{
    for (int i = 0; i < op->nresults; i++)
        c->debug->made[op->results[i]->id] = at;
}

void cpu_debug_made(Cpu *c, const Step *s, const Op *at)
{
    if (!c->debug)
        return;
    if (s->op)
        note_made(c, s->op, at);
    for (int i = 0; s->nest && i < s->nest->roots.len; i++) {
        const Root *r = &s->nest->roots.at[i];
        if (r->op)
            note_made(c, r->op, at);
        else
            c->debug->made[r->value->id] = at;
    }
}
