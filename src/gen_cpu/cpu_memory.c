/*
 * cpu_memory.c - loads, stores and scratch buffers, by vectors where the address allows
 *
 * An access takes the best form that its address and mask permit: one scalar (nothing changes with
 * the inner dimension), a contiguous vector, a row backwards or fields of records (cpu_strided.c),
 * or a gather.  Lanes that are masked off never change the program's memory, nor are they read from
 * another page than one that is there: scalars, and gathers and scatters where the machine has none
 * with a mask, use a harmless place in scratch for them instead of branching.
 */
#include "cpu.h"

/* --- scalars --- */

Val cpu_scalar_load(Cpu *c, Bld b, const Type *t, Val ptr, Val mask, Val other)
{
    if (mask)
        ptr = LLVMBuildSelect(b, mask, ptr, c->scratch, "");
    Val v = llvm_load(b, emit_memory_type(&c->e, t->dtype), ptr, type_size(t));
    v = emit_from_memory(&c->e, b, v, t->dtype);
    if (!mask)
        return v;
    return LLVMBuildSelect(b, mask, v, other ? other : LLVMConstNull(LLVMTypeOf(v)), "");
}

/* Masked off, the store goes to the place in scratch that nobody reads. */
void cpu_scalar_store(Cpu *c, Bld b, DType t, Val ptr, Val v, Val mask)
{
    if (mask)
        ptr = LLVMBuildSelect(b, mask, ptr, c->scratch, "");
    llvm_store(b, emit_to_memory(&c->e, b, v, t), ptr, dtype_size(t));
}

/* --- small elements under a mask --- */

/* The machine has masked moves of 4 and 8 bytes; of 1 and 2 only with AVX-512BW. */
static bool moves_masked(const Cpu *c, int size)
{
    return size >= 4 || c->machine->avx512bw;
}

Val cpu_masked_load(Cpu *c, Bld b, LLVMTypeRef vector, Val ptr, int size, Val mask)
{
    if (moves_masked(c, size) || llvm_lanes(mask) < 8)
        return llvm_masked_load(c->l, b, vector, ptr, size, mask, LLVMConstNull(vector));
    LLVMBasicBlockRef whole = cpu_block(c), single = cpu_block(c), after = cpu_block(c);
    Val some = llvm_may_read_whole(c->l, b, ptr, llvm_lanes(mask) * size, mask),
        none = LLVMConstNull(vector);
    llvm_likely(c->l, LLVMBuildCondBr(b, some, whole, single));
    LLVMPositionBuilderAtEnd(b, whole);
    Val x = LLVMBuildSelect(b, mask, llvm_load(b, vector, ptr, size), none, "");
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, single);
    Val slot = cpu_slot(c, vector);
    LLVMBuildStore(b, none, slot);
    llvm_copy_lanes(c->l, b, slot, ptr, LLVMGetElementType(vector), size, mask);
    Val y = LLVMBuildLoad2(b, vector, slot, "");
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, after);
    Val out = LLVMBuildPhi(b, vector, "");
    LLVMAddIncoming(out, (Val[]){x, y}, (LLVMBasicBlockRef[]){whole, single}, 2);
    return out;
}

void cpu_masked_store(Cpu *c, Bld b, Val v, Val ptr, int size, Val mask)
{
    if (moves_masked(c, size) || llvm_lanes(mask) < 8) {
        llvm_masked_store(c->l, b, v, ptr, size, mask);
        return;
    }
    Val slot = cpu_slot(c, LLVMTypeOf(v));
    LLVMBuildStore(b, v, slot);
    llvm_copy_lanes(c->l, b, ptr, slot, LLVMGetElementType(LLVMTypeOf(v)), size, mask);
}

/* --- lanes at addresses of their own --- */

/* Without masked gathers, which even AVX-512 has for elements of 4 and 8 bytes only, the machine
 * would branch around each lane; lanes that are masked off go to the harmless place in scratch
 * instead. */
static Val redirect(Cpu *c, Bld b, Val ptrs, int size, Val *mask)
{
    Val all = llvm_int(llvm_vector(c->l->i1, llvm_lanes(ptrs)), -1);

    if (*mask && c->machine->avx512f && size >= LLVM_WORD)
        return ptrs;
    if (*mask)
        ptrs = LLVMBuildSelect(b, *mask, ptrs, llvm_splat(b, c->scratch, llvm_lanes(ptrs)), "");
    *mask = all;
    return ptrs;
}

/* Elements of 16 bits that are loaded one by one are integers: LLVM loads each float into a
 * register of which all others are said to be a part, so that each waits for the one before. */
static LLVMTypeRef loaded_one_by_one(const Cpu *c, LLVMTypeRef element)
{
    bool is_short = element == c->l->f16 || LLVMGetTypeKind(element) == LLVMBFloatTypeKind;

    return is_short ? c->l->i16 : element;
}

Val cpu_gather_pointers(Cpu *c, Bld b, LLVMTypeRef vector, Val ptrs, int align, Val mask)
{
    LLVMTypeRef element = loaded_one_by_one(c, LLVMGetElementType(vector));
    LLVMTypeRef words = llvm_vector(element, llvm_lanes(ptrs));
    Val none = LLVMConstNull(words), asked = mask;

    if (mask && c->machine->avx512f && align < LLVM_WORD)
        return llvm_gather_small(c->l, b, vector, ptrs, align, mask);
    ptrs = redirect(c, b, ptrs, align, &asked);
    Val v = llvm_gather(c->l, b, words, ptrs, align, asked, none);
    if (mask && asked != mask)
        v = LLVMBuildSelect(b, mask, v, none, "");
    return LLVMBuildBitCast(b, v, vector, "");
}

static void scatter(Cpu *c, Bld b, Val v, Val ptrs, int align, Val mask)
{
    ptrs = redirect(c, b, ptrs, align, &mask);
    llvm_scatter(c->l, b, v, ptrs, align, mask);
}

/* --- loads --- */

Val cpu_load_row(NestCg *n, LLVMTypeRef vector, Val ptr, int align, bool again)
{
    Val v = llvm_load(n->at[n->rank], vector, ptr, align);

    if (again)
        LLVMSetVolatile(v, 1);
    return v;
}

Val cpu_mask(NestCg *n, const Entry *e)
{
    Val mask = e->in[IN_MASK] == NO_ENTRY ? NULL : cpu_lanes(n, e, IN_MASK);

    if (!n->lane_ok)
        return mask;
    return !mask ? n->lane_ok : LLVMBuildAnd(n->at[n->rank], mask, n->lane_ok, "");
}

/* The address of the first lane, where lanes follow each other or share one address. */
static Val first_pointer(NestCg *n, const Access *a, const Entry *e, DType t)
{
    Val base = cpu_input(n, e, IN_ADDRESS);

    if (a->chunked || a->stride == 0)
        return base;
    return LLVMBuildGEP2(n->at[n->rank], emit_memory_type(&n->c->e, t), base, &n->index[n->inner],
                         1, "");
}

Val cpu_step(NestCg *n, const Access *a, const Entry *e)
{
    Val stride = llvm_int(n->c->l->i64, a->stride);

    if (!a->scale)
        return stride;
    Ev x = cpu_made(n, e->in[IN_SCALE]);
    Bld b = n->at[x.level];
    bool is_signed = dtype_is_signed(a->scale->type->dtype);
    return LLVMBuildMul(b, stride, LLVMBuildIntCast2(b, x.v, n->c->l->i64, is_signed, ""), "");
}

/* The address of the first of lanes that are steps apart. */
static Val first_of_steps(NestCg *n, const Access *a, const Entry *e, LLVMTypeRef element, Val step)
{
    Bld b = n->at[n->rank];
    Val first =
        a->chunked ? llvm_int(n->c->l->i64, 0) : LLVMBuildMul(b, n->index[n->inner], step, "");

    return LLVMBuildGEP2(b, element, cpu_input(n, e, IN_ADDRESS), &first, 1, "");
}

/* The pointers of all lanes as a vector. */
static Val lane_pointers(NestCg *n, const Access *a, const Entry *e, DType t)
{
    if (!a->ok)
        return cpu_lanes(n, e, IN_ADDRESS);
    Bld b = n->at[n->rank];
    LLVMTypeRef i64 = n->c->l->i64, element = emit_memory_type(&n->c->e, t);
    Val step = cpu_step(n, a, e), start = first_of_steps(n, a, e, element, step);
    Val lanes = llvm_iota(i64, n->lanes);
    if (a->every > 0)
        lanes = LLVMBuildUDiv(b, lanes, llvm_int(LLVMTypeOf(lanes), a->every), "");
    if (a->flip > 0) {
        Val flip = llvm_int(LLVMTypeOf(lanes), a->flip);
        lanes = LLVMBuildSub(b, LLVMBuildXor(b, lanes, flip, ""), flip, "");
    }
    Val offsets = LLVMBuildMul(b, llvm_splat(b, step, n->lanes), lanes, "");
    return LLVMBuildGEP2(b, element, start, &offsets, 1, "");
}

/* Where the machine does not gather such elements, and all lanes are wanted. */
static bool goes_by_steps(const NestCg *n, const Access *a, int size, Val mask)
{
    bool gathers = n->c->machine->avx512f && size >= LLVM_WORD;

    return !mask && a->ok && a->every == 0 && a->flip == 0 && !gathers;
}

/* Lanes in even steps, without a vector of addresses, of which each would come out by itself.  Four
 * share one, which is as many as the addresses of instructions reach. */
static Val load_steps(NestCg *n, const Access *a, const Entry *e, LLVMTypeRef vector, int align)
{
    enum { SHARE = 4 };
    Bld b = n->at[n->rank];
    LLVMTypeRef element = loaded_one_by_one(n->c, LLVMGetElementType(vector));
    Val step = cpu_step(n, a, e), far[SHARE + 1];
    Val out = LLVMGetUndef(llvm_vector(element, n->lanes));
    Val p = first_of_steps(n, a, e, element, step);

    for (int i = 0; i <= SHARE; i++)
        far[i] = LLVMBuildMul(b, step, llvm_int(n->c->l->i64, i), "");
    for (int i = 0; i < n->lanes; i++) {
        if (i > 0 && i % SHARE == 0)
            p = LLVMBuildGEP2(b, element, p, &far[SHARE], 1, "");
        Val at = LLVMBuildGEP2(b, element, p, &far[i % SHARE], 1, "");
        Val v = llvm_load(b, element, at, align);
        out = LLVMBuildInsertElement(b, out, v, llvm_int(n->c->l->i32, i), "");
    }
    return LLVMBuildBitCast(b, out, vector, "");
}

/* The same address for every lane, masks that differ: load once if any lane wants it. */
static Val load_shared(NestCg *n, const Type *t, Val ptr, Val mask, Val other)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    Val any = mask ? llvm_call1(c->l, b, "llvm.vector.reduce.or", mask) : NULL;
    Val v = llvm_splat(b, cpu_scalar_load(c, b, t, ptr, any, NULL), n->lanes);

    return mask ? LLVMBuildSelect(b, mask, v, other, "") : v;
}

/* The mask of an access, where that is one number for all lanes, which are there; else NULL. */
static Val one_mask(const NestCg *n, const Entry *e)
{
    if (n->lane_ok || e->in[IN_MASK] == NO_ENTRY || cpu_made(n, e->in[IN_MASK]).vec)
        return NULL;
    return cpu_input(n, e, IN_MASK);
}

/* Where so many bytes may be accessed instead of what is masked off, `ptr` or there; else NULL. */
static Val or_harmless(NestCg *n, const Entry *e, Val ptr, int bytes, int most)
{
    Val all = one_mask(n, e);

    return all && bytes <= most ? LLVMBuildSelect(n->at[n->rank], all, ptr, n->c->scratch, "")
                                : NULL;
}

/* A vector as it lies in memory; lanes that a mask leaves out are zero. */
static Val load_lanes(NestCg *n, const Entry *e, Val mask)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    const AccessPlan *a = e->access;
    DType t = e->value->type->dtype;
    LLVMTypeRef vector = llvm_vector(emit_memory_type(&c->e, t), n->lanes);
    int align = type_size(e->value->type);

    if (a->form == FORM_CONTIGUOUS) {
        Val p = first_pointer(n, &a->steps, e, t);
        Val always = or_harmless(n, e, p, n->lanes * align, PLAN_SINK);
        if (always)
            return LLVMBuildSelect(b, mask, cpu_load_row(n, vector, always, align, e->rare),
                                   LLVMConstNull(vector), "");
        return mask ? cpu_masked_load(c, b, vector, p, align, mask)
                    : cpu_load_row(n, vector, p, align, e->rare);
    }
    if (a->form == FORM_BACKWARDS)
        return cpu_load_backwards(n, e, mask);
    if (a->form == FORM_SPREAD)
        return cpu_load_spread(n, e, mask);
    if (a->form == FORM_FLIPPED)
        return cpu_load_flipped(n, e, mask);
    if (e->in[IN_INDEX] != NO_ENTRY)
        return cpu_load_indexed(n, e);
    if (goes_by_steps(n, &a->steps, align, mask))
        return load_steps(n, &a->steps, e, vector, align);
    return cpu_gather_pointers(c, b, vector, lane_pointers(n, &a->steps, e, t), align, mask);
}

/* What IN_DATA of a load has for the lanes that are masked off. */
static Val other_lanes(NestCg *n, const Entry *e)
{
    if (e->in[IN_DATA] != NO_ENTRY)
        return cpu_lanes(n, e, IN_DATA);
    return LLVMConstNull(emit_register_type(&n->c->e, e->value->type->dtype, n->lanes));
}

/* From what lies in memory to register form, with what is given instead. */
static Val with_others(NestCg *n, const Entry *e, Val raw, Val mask, Val other)
{
    Bld b = n->at[n->rank];
    Val out = emit_from_memory(&n->c->e, b, raw, e->value->type->dtype);

    return !mask || LLVMIsNull(other) ? out : LLVMBuildSelect(b, mask, out, other, "");
}

static Val load_uniform(NestCg *n, const Entry *e)
{
    return cpu_scalar_load(n->c, n->at[e->level], e->value->type, cpu_input(n, e, IN_ADDRESS),
                           cpu_input(n, e, IN_MASK), cpu_input(n, e, IN_DATA));
}

Val cpu_load(NestCg *n, const Entry *e)
{
    const AccessPlan *a = e->access;
    const Type *t = e->value->type;

    if (!e->vector)
        return load_uniform(n, e);
    Val mask = cpu_mask(n, e), other = mask ? other_lanes(n, e) : NULL;
    if (a->form == FORM_SHARED)
        return load_shared(n, t, first_pointer(n, &a->steps, e, t->dtype), mask, other);
    return with_others(n, e, load_lanes(n, e, mask), mask, other);
}

Val cpu_load_field(NestCg *n, const Entry *e)
{
    Val mask = cpu_mask(n, e), other = mask ? other_lanes(n, e) : NULL;
    const Val *fields = n->made[e->in[IN_ADDRESS]].fields;

    return with_others(n, e, fields[e->access->steps.sum.offset - e->access->group->low], mask,
                       other);
}

/* --- stores --- */

Val cpu_to_memory(NestCg *n, Ev e, DType t)
{
    Ev memory = e;

    memory.v = emit_to_memory(&n->c->e, n->at[e.level], e.v, t);
    return cpu_vectorise(n, memory);
}

/* In pieces of that size, first to last: where LLVM cuts vectors itself it stores the last piece
 * first, and lines that two pieces share are then waited for twice. */
static void store_pieces(NestCg *n, Val v, Val ptr, DType t, int64_t bytes, bool streaming)
{
    Bld b = n->at[n->rank];
    LLVMTypeRef element = emit_memory_type(&n->c->e, t);
    int lanes = (int)(bytes / dtype_size(t));

    for (int at = 0; at < n->lanes; at += lanes) {
        Val offset = llvm_int(n->c->l->i64, at);
        Val piece = lanes == n->lanes ? v : llvm_slice(n->c->l, b, v, at, lanes);
        Val s = llvm_store(b, piece, LLVMBuildGEP2(b, element, ptr, &offset, 1, ""),
                           streaming ? (int)bytes : dtype_size(t));
        if (streaming)
            llvm_mark_nontemporal(n->c->l, s);
    }
}

/* Outputs larger than the cache go around it: non-temporal stores in the largest aligned pieces. */
static void store_streaming(NestCg *n, Val v, Val ptr, DType t, int64_t align)
{
    store_pieces(n, v, ptr, t, align, true);
    n->c->nontemporal_used = true;
}

static void store_contiguous(NestCg *n, const AccessPlan *a, DType t, Val v, Val ptr, Val mask)
{
    Bld b = n->at[n->rank];

    if (mask)
        cpu_masked_store(n->c, b, v, ptr, dtype_size(t), mask);
    else if (a->streaming)
        store_streaming(n, v, ptr, t, a->align);
    else if (n->lanes * dtype_size(t) > n->c->machine->vector_bytes)
        store_pieces(n, v, ptr, t, n->c->machine->vector_bytes, false);
    else
        llvm_store(b, v, ptr, dtype_size(t));
}

void cpu_store_root(NestCg *n, const Root *r, const Entry *e)
{
    Cpu *c = n->c;
    const AccessPlan *a = r->access;
    DType t = r->op->operands[STORE_PTR]->type->dtype;
    if (a->form == FORM_RECORD) {
        cpu_store_records(n, r, e);
        return;
    }
    Ev data = cpu_made(n, e->in[IN_DATA]);
    bool same_mask = e->in[IN_MASK] == NO_ENTRY || !cpu_made(n, e->in[IN_MASK]).vec;
    Val mask = cpu_mask(n, e);

    if (a->form == FORM_SHARED && !data.vec && same_mask && !n->lane_ok) {
        cpu_scalar_store(c, n->at[n->rank], t, first_pointer(n, &a->steps, e, t), data.v,
                         cpu_input(n, e, IN_MASK));
        return;
    }
    Val v = cpu_to_memory(n, data, t);
    if (a->form == FORM_CONTIGUOUS) {
        Val ptr = first_pointer(n, &a->steps, e, t);
        Val always = or_harmless(n, e, ptr, n->lanes * dtype_size(t), PLAN_MARK);
        store_contiguous(n, a, t, v, always ? always : ptr, always ? NULL : mask);
    } else if (a->form == FORM_FLIPPED) {
        Val ptr = cpu_flipped_pointer(n, a, e, emit_memory_type(&c->e, t));
        mask = mask ? cpu_flip(n, mask, a->steps.flip) : NULL;
        v = cpu_flip(n, v, a->steps.flip);
        store_contiguous(n, a, t, v, ptr, mask);
    } else if (a->form == FORM_BACKWARDS)
        cpu_store_backwards(n, r, e, v, mask);
    else if (a->form == FORM_PACKED)
        cpu_store_packed(n, r, e, v, mask);
    else
        scatter(c, n->at[n->rank], v, lane_pointers(n, &a->steps, e, t), dtype_size(t), mask);
}

/* --- buffers --- */

static void pitches(const Cpu *c, int buffer, const Type *shape, int64_t *pitch)
{
    const Buffer *f = &c->plan->buffers.at[buffer];
    int64_t p = 1;

    for (int d = shape->rank - 1; d >= 0; d--) {
        bool folded = d == f->folded - 1;
        pitch[d] = folded ? 0 : p;
        p *= folded ? 1 : d == shape->rank - 1 && f->row != 0 ? f->row : shape->dims[d];
    }
    if (f->turned) {
        pitch[0] = 1;
        pitch[1] = f->row;
    }
}

Val cpu_element(Cpu *c, Bld b, int buffer, const Type *shape, const Val *index)
{
    int64_t pitch[MAX_RANK];
    Val at = llvm_int(c->l->i64, 0);

    pitches(c, buffer, shape, pitch);
    for (int d = 0; d < shape->rank; d++) {
        if (!index[d] || shape->dims[d] == 1)
            continue;
        Val part =
            pitch[d] == 1 ? index[d] : LLVMBuildMul(b, index[d], llvm_int(c->l->i64, pitch[d]), "");
        at = LLVMBuildAdd(b, at, part, "");
    }
    return LLVMBuildGEP2(b, cpu_buffer_type(c, buffer, 0), cpu_buffer(c, b, buffer), &at, 1, "");
}

/* Where a shape stands in a nest: the step along the inner dimension, and the level and indices of
 * the rest. */
typedef struct {
    int64_t step;
    int level;
    Val index[MAX_RANK];
} Spot;

static Spot find_spot(const NestCg *n, const Reading *r)
{
    Spot s = {0};
    int64_t pitch[MAX_RANK];

    pitches(n->c, r->buffer, r->shape, pitch);
    for (int d = 0; d < r->shape->rank; d++) {
        int dim = r->map[d];
        if (dim < 0 || r->shape->dims[d] == 1)
            continue;
        if (dim == n->inner && !r->lane) {
            s.step += pitch[d];
            continue;
        }
        s.index[d] = (r->index ? r->index : n->index)[dim];
        s.level = MAX(s.level, r->index ? n->rank : n->nest->level_of[dim]);
    }
    return s;
}

static Val inner_address(NestCg *n, int buffer, const Spot *s, Val row)
{
    Bld b = n->at[n->rank];
    Val at = n->index[n->inner];

    if (s->step != 1)
        at = LLVMBuildMul(b, at, llvm_int(n->c->l->i64, s->step), "");
    return LLVMBuildGEP2(b, cpu_buffer_type(n->c, buffer, 0), row, &at, 1, "");
}

static Val lane_addresses(NestCg *n, int buffer, const Spot *s, Val first)
{
    Val offsets[MAX_LANES];

    for (int i = 0; i < n->lanes; i++)
        offsets[i] = llvm_int(n->c->l->i64, i * s->step);
    Val lanes = LLVMConstVector(offsets, (unsigned)n->lanes);
    return LLVMBuildGEP2(n->at[n->rank], cpu_buffer_type(n->c, buffer, 0), first, &lanes, 1, "");
}

/* Behind the extent a buffer holds what others have left there.  As floats that is often subnormal,
 * and a division of such lanes, which nobody looks at, takes hundreds of cycles: they are 1. */
static Val within_extent(NestCg *n, Val v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(t));

    if (!n->lane_ok || (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind))
        return v;
    return LLVMBuildSelect(n->at[n->rank], n->lane_ok, v, llvm_real(t, 1), "");
}

Ev cpu_read(NestCg *n, const Reading *r)
{
    Cpu *c = n->c;
    Spot s = find_spot(n, r);
    int size = cpu_buffer_size(c, r->buffer);
    Bld b = n->at[s.level];
    LLVMTypeRef element = cpu_buffer_type(c, r->buffer, 0);
    Val row = cpu_element(c, b, r->buffer, r->shape, s.index);
    Val skip = llvm_int(c->l->i64, r->first);

    if (r->first != 0)
        row = LLVMBuildGEP2(b, element, row, &skip, 1, "");
    if (s.step == 0)
        return (Ev){.v = cpu_from_buffer(c, b, r->buffer, llvm_load(b, element, row, size)),
                    .level = s.level};
    b = n->at[n->rank];
    LLVMTypeRef vector = cpu_buffer_type(c, r->buffer, n->lanes);
    Val at = inner_address(n, r->buffer, &s, row), raw;
    if (s.step == 1)
        raw = cpu_load_row(n, vector, at, size, r->again);
    else
        raw = cpu_gather_pointers(c, b, vector, lane_addresses(n, r->buffer, &s, at), size,
                                  n->lane_ok);
    Val v = within_extent(n, cpu_from_buffer(c, b, r->buffer, raw));
    return (Ev){.v = v, .vec = true, .level = n->rank};
}

void cpu_fill(NestCg *n, int buffer, const Type *shape, const int8_t *map, Ev e)
{
    Cpu *c = n->c;
    const Reading place = {.buffer = buffer, .shape = shape, .map = map, .lane = n->nest->serial};
    Spot s = find_spot(n, &place);
    int size = cpu_buffer_size(c, buffer);
    Val row = cpu_element(c, n->at[s.level], buffer, shape, s.index);
    Bld b = n->at[n->rank];
    Ev memory = e;

    memory.v = cpu_to_buffer(c, n->at[e.level], buffer, e.v);
    if (s.step == 0) {
        Val one = e.vec ? llvm_slice(c->l, b, memory.v, 0, 1) : memory.v;
        llvm_store(b, one, row, size);
        return;
    }
    Val v = cpu_vectorise(n, memory);
    Val first = inner_address(n, buffer, &s, row);
    if (s.step != 1)
        scatter(c, b, v, lane_addresses(n, buffer, &s, first), size, n->lane_ok);
    else if (n->lane_ok)
        cpu_masked_store(c, b, v, first, size, n->lane_ok);
    else
        llvm_store(b, v, first, size);
}
