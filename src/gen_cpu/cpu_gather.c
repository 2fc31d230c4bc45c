/*
 * cpu_gather.c - elements of a tile at places that another tile says, and how many have each value
 *
 * A gather reads the buffer of its source.  Whatever an index says, no other memory is used: who
 * asks for what is not there reads what is, and is given zero.  Where the index is one number for
 * all lanes, or steps by one from lane to lane, these are one vector, which may begin in front of
 * the row; else each lane has an address of its own, which is 32 bits from where the row begins.
 *
 * A histogram adds one at a time, in tables that take turns (plan_block.c).  What counts nowhere is
 * counted behind the last bin of a table.
 */
#include "cpu.h"

_Static_assert(MAX_TILE <= INT32_MAX, "i32 says every place in a tile");

/* An index of any integer type, as i32; only as right as it is inside of a tile. */
static Val to_place(const Cpu *c, Bld b, Val index, DType t)
{
    return LLVMBuildIntCast2(b, index, llvm_like(c->l->i32, index), dtype_is_signed(t), "");
}

/* i1: is it at least 0 and below the extent? */
static Val is_inside(const Cpu *c, Bld b, Val index, DType t, int32_t extent)
{
    Val i = dtype_bits(t) == 64 ? index : to_place(c, b, index, t);

    return LLVMBuildICmp(b, LLVMIntULT, i, llvm_int(LLVMTypeOf(i), extent), "");
}

/* --- gathers --- */

/* Of the tile in the buffer, where a gather stands. */
typedef struct {
    const Type *shape;
    Val place, ok;  /* of the index: as i32, and whether it is inside, NULL for yes */
    bool spread;    /* each lane has its own */
    int64_t pitch;  /* from one place to the next; 0: the index says nothing */
    int64_t step;   /* from one lane to the next, beside that */
    int32_t extent; /* along the axis */
    Val row;        /* the address of place 0; where the index is not spread, of its place */
} Spot;

/* Set what the dimensions of the tile come to, of which all but one follow the nest. */
static void find_row(NestCg *n, const Entry *e, Spot *s)
{
    Bld b = n->at[e->level];
    LLVMTypeRef i64 = n->c->l->i64;
    Val index[MAX_RANK] = {NULL};
    int64_t pitch = 1;

    for (int d = s->shape->rank - 1; d >= 0; d--) {
        int dim = e->map[d];
        if (d == e->number)
            s->pitch = pitch;
        if (d == e->number && !s->spread)
            index[d] = LLVMBuildSExt(b, s->place, i64, "");
        if (dim >= 0 && s->shape->dims[d] > 1)
            index[d] = n->index[dim];
        if (index[d] && dim == n->inner && e->vector)
            s->step += pitch;
        pitch *= s->shape->dims[d];
    }
    s->row = cpu_element(n->c, b, e->buffer, s->shape, index);
}

static Val zero_unless(Bld b, Val ok, Val v)
{
    return ok ? LLVMBuildSelect(b, ok, v, LLVMConstNull(LLVMTypeOf(v)), "") : v;
}

static Spot find_spot(NestCg *n, const Entry *e)
{
    const Op *op = e->value->def;
    Bld b = n->at[e->level];
    Ev index = cpu_made(n, e->in[0]);
    DType t = op->operands[GATHER_INDEX]->type->dtype;
    int8_t from[MAX_RANK];
    Spot s = {.shape = plan_gathered(op, from)->type, .spread = index.vec};

    s.extent = op->operands[GATHER_SOURCE]->type->dims[attr_axis(op)];
    s.place = to_place(n->c, b, index.v, t);
    s.ok = e->inside ? NULL : is_inside(n->c, b, index.v, t, s.extent);
    if (!s.spread)
        s.place = zero_unless(b, s.ok, s.place);
    find_row(n, e, &s);
    return s;
}

/* AVX-512 gathers words under a mask, and of words: small elements are cut out of those, the last
 * of which ends in the padding of the buffer. */
static Val gather_words(Cpu *c, Bld b, int buffer, Val ptrs, Val mask)
{
    int lanes = llvm_lanes(ptrs), size = cpu_buffer_size(c, buffer);
    LLVMTypeRef words = llvm_vector(c->l->i32, lanes), vector = cpu_buffer_type(c, buffer, lanes);

    if (size >= dtype_size(DT_I32))
        return llvm_gather(c->l, b, vector, ptrs, size, mask, LLVMConstNull(vector));
    Val v = llvm_gather(c->l, b, words, ptrs, size, mask, LLVMConstNull(words));
    return LLVMBuildTrunc(b, v, vector, "");
}

/* The lanes at these offsets from the row, in elements; zero where the mask, which may be NULL, is
 * false. */
static Val gather_lanes(NestCg *n, int buffer, Val row, Val offsets, Val mask)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    Val all = llvm_int(llvm_vector(c->l->i1, n->lanes), -1);
    LLVMTypeRef element = cpu_buffer_type(c, buffer, 0);

    if (c->machine->avx512f) {
        Val ptrs = LLVMBuildGEP2(b, element, row, &offsets, 1, "");
        return gather_words(c, b, buffer, ptrs, mask ? mask : all);
    }
    offsets = zero_unless(b, mask, offsets);
    Val ptrs = LLVMBuildGEP2(b, element, row, &offsets, 1, "");
    LLVMTypeRef vector = cpu_buffer_type(c, buffer, n->lanes);
    Val v =
        llvm_gather(c->l, b, vector, ptrs, cpu_buffer_size(c, buffer), all, LLVMConstNull(vector));
    return zero_unless(b, mask, v);
}

static Val both(Bld b, Val x, Val y)
{
    return x && y ? LLVMBuildAnd(b, x, y, "") : x ? x : y;
}

/* Each lane at its own place. */
static Val gather_spread(NestCg *n, const Entry *e, const Spot *s)
{
    LLVMTypeRef i32 = n->c->l->i32;
    Bld b = n->at[n->rank];
    Val offsets = LLVMBuildMul(b, s->place, llvm_int(LLVMTypeOf(s->place), s->pitch), "");

    if (s->step != 0) {
        Val steps = llvm_splat(b, llvm_int(i32, s->step), n->lanes);
        steps = LLVMBuildMul(b, llvm_iota(i32, n->lanes), steps, "");
        offsets = LLVMBuildAdd(b, offsets, steps, "");
    }
    return gather_lanes(n, e->buffer, s->row, offsets, both(b, s->ok, n->lane_ok));
}

/* All lanes at one place, behind each other or at even steps. */
static Val read_row(NestCg *n, const Entry *e, const Spot *s)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    LLVMTypeRef i32 = c->l->i32;

    if (s->step == 1)
        return llvm_load(b, cpu_buffer_type(c, e->buffer, n->lanes), s->row,
                         cpu_buffer_size(c, e->buffer));
    Val steps = llvm_splat(b, llvm_int(i32, s->step), n->lanes);
    steps = LLVMBuildMul(b, llvm_iota(i32, n->lanes), steps, "");
    return gather_lanes(n, e->buffer, s->row, steps, n->lane_ok);
}

/* The lanes are neighbours, of which some may be outside of the row.  Where all are, any vector
 * does. */
static Val read_run(NestCg *n, const Entry *e, const Spot *s)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    LLVMTypeRef i32 = c->l->i32;
    bool up = e->access->form == FORM_CONTIGUOUS;
    Val start = llvm_slice(c->l, b, s->place, 0, 1), reach = llvm_int(i32, n->lanes - 1);

    if (!up)
        start = LLVMBuildSub(b, start, reach, "");
    if (s->ok) {
        Val most = llvm_int(i32, (int64_t)s->extent + n->lanes - 1);
        Val any = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildAdd(b, start, reach, ""), most, "");
        start = zero_unless(b, any, start);
    }
    Val at = LLVMBuildGEP2(b, cpu_buffer_type(c, e->buffer, 0), s->row, &start, 1, "");
    Val v =
        llvm_load(b, cpu_buffer_type(c, e->buffer, n->lanes), at, cpu_buffer_size(c, e->buffer));
    return up ? v : cpu_turned(n, v);
}

Val cpu_gather(NestCg *n, const Entry *e)
{
    Cpu *c = n->c;
    Bld b = n->at[e->level];
    const Spot s = find_spot(n, e);
    Val v, ok = s.ok;

    if (!e->vector)
        v = llvm_load(b, cpu_buffer_type(c, e->buffer, 0), s.row, cpu_buffer_size(c, e->buffer));
    else if (e->access)
        v = read_run(n, e, &s);
    else if (s.spread && s.pitch != 0) {
        v = gather_spread(n, e, &s);
        ok = NULL; /* zero as it is */
    } else
        v = read_row(n, e, &s);
    v = cpu_from_buffer(c, b, e->buffer, v);
    return zero_unless(b, ok, v);
}

/* --- histograms --- */

void cpu_count_begin(NestCg *n)
{
    Cpu *c = n->c;
    Bld b = n->at[0];

    for (int i = 0; i < n->nest->roots.len; i++) {
        const Root *r = &n->nest->roots.at[i];
        if (r->kind != ROOT_COUNT)
            continue;
        int buffer = plan_buffer(c->plan, r->op->results[0]);
        Val bytes = llvm_int(c->l->i64, c->plan->buffers.at[buffer].bytes);
        LLVMBuildMemSet(b, cpu_buffer(c, b, buffer), llvm_int(c->l->i8, 0), bytes,
                        (unsigned)cpu_buffer_size(c, buffer));
    }
}

void cpu_count_body(NestCg *n, const Op *op, const Entry *e)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    DType t = op->operands[HISTOGRAM_VALUES]->type->dtype;
    int32_t bins = op->results[0]->type->dims[0];
    int buffer = plan_buffer(c->plan, op->results[0]);
    const Buffer *plan = &c->plan->buffers.at[buffer];
    Val values = cpu_lanes(n, e, HISTOGRAM_VALUES), table = cpu_buffer(c, b, buffer);
    Val place = to_place(c, b, values, t), ok = is_inside(c, b, values, t, bins);
    LLVMTypeRef i32 = c->l->i32;

    if (e->in[HISTOGRAM_MASK] != NO_ENTRY)
        ok = LLVMBuildAnd(b, ok, cpu_lanes(n, e, HISTOGRAM_MASK), "");
    ok = both(b, ok, n->lane_ok);
    place = LLVMBuildSelect(b, ok, place, llvm_int(LLVMTypeOf(place), bins), "");
    for (int i = 0; i < n->lanes; i++) {
        Val bin = llvm_slice(c->l, b, place, i, 1);
        Val first = llvm_int(c->l->i64, i % plan->tables * plan->table);
        Val own = LLVMBuildGEP2(b, i32, table, &first, 1, "");
        Val at = LLVMBuildGEP2(b, i32, own, &bin, 1, "");
        Val count = llvm_load(b, i32, at, dtype_size(DT_I32));
        llvm_store(b, LLVMBuildAdd(b, count, llvm_int(i32, 1), ""), at, dtype_size(DT_I32));
    }
}

/* All tables into the first one, in whole lines. */
static void add_up_tables(Cpu *c, int buffer)
{
    const Buffer *plan = &c->plan->buffers.at[buffer];
    LLVMTypeRef i32 = c->l->i32, line = llvm_vector(i32, MAX_VECTOR / dtype_size(DT_I32));
    Val table = cpu_buffer(c, c->b, buffer), sum = NULL, first = NULL;
    Loop loop = cpu_loop_begin(c);

    for (int k = 0; k < plan->tables; k++) {
        Val at = LLVMBuildAdd(c->b, loop.index, llvm_int(c->l->i64, k * plan->table), "");
        Val ptr = LLVMBuildGEP2(c->b, i32, table, &at, 1, "");
        Val counts = llvm_load(c->b, line, ptr, dtype_size(DT_I32));
        first = k == 0 ? ptr : first;
        sum = k == 0 ? counts : LLVMBuildAdd(c->b, sum, counts, "");
    }
    llvm_store(c->b, sum, first, dtype_size(DT_I32));
    cpu_loop_end(c, &loop, plan->table, MAX_VECTOR / dtype_size(DT_I32));
}

void cpu_count_end(NestCg *n)
{
    for (int i = 0; i < n->nest->roots.len; i++) {
        const Root *r = &n->nest->roots.at[i];
        int buffer = r->kind == ROOT_COUNT ? plan_buffer(n->c->plan, r->op->results[0]) : NO_BUFFER;
        if (buffer != NO_BUFFER && n->c->plan->buffers.at[buffer].tables > 1)
            add_up_tables(n->c, buffer);
    }
}
