/*
 * cpu_strided.c - loads and stores with a small constant step: rows backwards, elements that
 * several lanes have, and fields of interleaved records
 *
 * A row that is gone through backwards is read, and written, in contiguous vectors, whose lanes are
 * turned around.  Where lanes step once in 2, 4 or 8, a vector of fewer elements is.
 *
 * Four loads at p + 4*i + 0..3 (boxes as left, top, right, bottom) read every byte of one stretch
 * of memory.  The loads of a nest that differ only in a constant offset form a group; the stretch
 * from its first to its last element is read once, in contiguous vectors, and taken apart by
 * shuffles.  Nothing outside of that stretch is touched, and what lies inside it lies between two
 * elements that the program reads.  Under a mask only the elements that the program asks for are
 * read: a record's lane is repeated for its fields.
 *
 * Records that are apart, as with a stride that is an argument, are read one by one, each from its
 * first to its last element that the program asks for; side by side they are such a stretch.  One
 * that is masked off is read from a harmless place.
 *
 * Records of a power of two are halved until fields are left; others are picked lane by lane.
 *
 * Stores to all fields of records are the same the other way round: the fields' vectors are put
 * together, and the stretch is written in contiguous vectors.
 */
#include <string.h>

#include "cpu.h"

/* --- spread --- */

/* i1 for each group of `every` lanes: is any of them set? */
static Val any_of_groups(NestCg *n, Val mask, int every)
{
    int groups = n->lanes / every, lanes[MAX_LANES];
    Val any = NULL;

    for (int k = 0; k < every; k++) {
        for (int i = 0; i < groups; i++)
            lanes[i] = i * every + k;
        Val one = llvm_shuffle(n->c->l, n->at[n->rank], mask, NULL, groups, lanes);
        any = any ? LLVMBuildOr(n->at[n->rank], any, one, "") : one;
    }
    return any;
}

Val cpu_load_spread(NestCg *n, const Entry *e, Val mask)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    int every = e->access->steps.every, lanes[MAX_LANES], size = type_size(e->value->type);
    LLVMTypeRef element = emit_memory_type(&c->e, e->value->type->dtype);
    LLVMTypeRef groups = llvm_vector(element, n->lanes / every);
    Val p = cpu_input(n, e, IN_ADDRESS);
    Val v = mask ? cpu_masked_load(c, b, groups, p, size, any_of_groups(n, mask, every))
                 : cpu_load_row(n, groups, p, size, e->rare);

    for (int i = 0; i < n->lanes; i++)
        lanes[i] = i / every;
    v = llvm_shuffle(c->l, b, v, NULL, n->lanes, lanes);
    return mask ? LLVMBuildSelect(b, mask, v, LLVMConstNull(LLVMTypeOf(v)), "") : v;
}

/* --- flipped --- */

Val cpu_flip(NestCg *n, Val v, int flip)
{
    int lanes[MAX_LANES];

    for (int i = 0; i < n->lanes; i++)
        lanes[i] = i ^ flip;
    return llvm_shuffle(n->c->l, n->at[n->rank], v, NULL, n->lanes, lanes);
}

Val cpu_flipped_pointer(NestCg *n, const AccessPlan *a, const Entry *e, LLVMTypeRef element)
{
    Val back = llvm_int(n->c->l->i64, -a->steps.flip);

    return LLVMBuildGEP2(n->at[n->rank], element, cpu_input(n, e, IN_ADDRESS), &back, 1, "");
}

Val cpu_load_flipped(NestCg *n, const Entry *e, Val mask)
{
    LLVMTypeRef element = emit_memory_type(&n->c->e, e->value->type->dtype);
    LLVMTypeRef vector = llvm_vector(element, n->lanes);
    int flip = e->access->steps.flip, size = type_size(e->value->type);
    Val p = cpu_flipped_pointer(n, e->access, e, element);
    Val v = mask ? cpu_masked_load(n->c, n->at[n->rank], vector, p, size, cpu_flip(n, mask, flip))
                 : cpu_load_row(n, vector, p, size, e->rare);

    return cpu_flip(n, v, flip);
}

/* --- backwards --- */

/* The address of the last lane, which is the lowest. */
static Val last_pointer(NestCg *n, const Entry *e, LLVMTypeRef element)
{
    Bld b = n->at[n->rank];
    Val back = LLVMBuildSub(b, llvm_int(n->c->l->i64, 1 - n->lanes), n->index[n->inner], "");

    return LLVMBuildGEP2(b, element, cpu_input(n, e, IN_ADDRESS), &back, 1, "");
}

Val cpu_load_backwards(NestCg *n, const Entry *e, Val mask)
{
    Bld b = n->at[n->rank];
    DType t = e->value->type->dtype;
    LLVMTypeRef element = emit_memory_type(&n->c->e, t), vector = llvm_vector(element, n->lanes);
    Val p = last_pointer(n, e, element);

    if (mask)
        return cpu_turned(n,
                          cpu_masked_load(n->c, b, vector, p, dtype_size(t), cpu_turned(n, mask)));
    Val v = llvm_load(b, vector, p, dtype_size(t));
    LLVMSetVolatile(v, e->rare); /* again, as load_row() does */
    return cpu_turned(n, v);
}

void cpu_store_backwards(NestCg *n, const Root *r, const Entry *e, Val v, Val mask)
{
    Bld b = n->at[n->rank];
    int size = dtype_size(r->op->operands[STORE_PTR]->type->dtype);
    Val p = last_pointer(n, e, LLVMGetElementType(LLVMTypeOf(v)));

    if (mask)
        mask = cpu_turned(n, mask);
    v = cpu_turned(n, v);
    if (mask)
        cpu_masked_store(n->c, b, v, p, size, mask);
    else
        llvm_store(b, v, p, size);
}

/* --- records --- */

typedef struct {
    int64_t low, high;     /* smallest and largest constant offset of the group, in elements */
    int step, lanes, size; /* size: of an element, in bytes */
    Val *fields;           /* by offset - low */
    Val read[MAX_RECORD];
} Group;

/* The lanes of the k-th vector of the stretch that belong to a field of the group and to a record
 * whose lane of `mask` is set. */
static Val spread_mask(NestCg *n, const Group *g, Val mask, int k)
{
    int lanes[MAX_LANES];

    for (int i = 0; i < g->lanes; i++) {
        int element = k * g->lanes + i;
        lanes[i] = element % g->step <= g->high - g->low ? element / g->step : g->lanes;
    }
    return llvm_shuffle(n->c->l, n->at[n->rank], mask, LLVMConstNull(LLVMTypeOf(mask)), g->lanes,
                        lanes);
}

static void read_masked(NestCg *n, Group *g, LLVMTypeRef element, Val first, int align, Val mask)
{
    Bld b = n->at[n->rank];

    for (int k = 0; k < g->step; k++) {
        Val offset = llvm_int(n->c->l->i64, (int64_t)k * g->lanes);
        Val p = LLVMBuildGEP2(b, element, first, &offset, 1, "");
        g->read[k] = cpu_masked_load(n->c, b, llvm_vector(element, g->lanes), p, align,
                                     spread_mask(n, g, mask, k));
    }
}

/* Read the stretch; the last vector moves back so that it ends with the last element. */
static void read_whole(NestCg *n, Group *g, LLVMTypeRef element, Val first, int align)
{
    Bld b = n->at[n->rank];
    int64_t length = (int64_t)g->step * (g->lanes - 1) + (g->high - g->low) + 1;

    for (int k = 0; k < g->step; k++) {
        int64_t at = MIN((int64_t)k * g->lanes, length - g->lanes);
        Val offset = llvm_int(n->c->l->i64, at);
        Val p = LLVMBuildGEP2(b, element, first, &offset, 1, "");
        g->read[k] = llvm_load(b, llvm_vector(element, g->lanes), p, align);
    }
}

/* Lanes of `read` that follow each other in memory again: undo the move of read_whole(). */
static Val in_place(NestCg *n, const Group *g, int k)
{
    int64_t length = (int64_t)g->step * (g->lanes - 1) + (g->high - g->low) + 1;
    int moved = (int)((int64_t)k * g->lanes - MIN((int64_t)k * g->lanes, length - g->lanes));
    int lanes[MAX_LANES];

    if (moved == 0)
        return g->read[k];
    for (int i = 0; i < g->lanes; i++)
        lanes[i] = i + moved < g->lanes ? i + moved : -1;
    return llvm_shuffle(n->c->l, n->at[n->rank], g->read[k], NULL, g->lanes, lanes);
}

/* The first or the last halves, of `unit` elements, of the records in x and y.  Elements move in
 * lanes of up to 8 bytes: there are fewer of these, so shuffles are quicker to choose and to run.
 */
static Val half_records(NestCg *n, const Group *g, Val x, Val y, int unit, int half)
{
    int together = MIN(unit, 8 / g->size), lanes = g->lanes / together, pick[MAX_LANES];
    LLVMTypeRef own = LLVMTypeOf(x),
                wide = LLVMIntTypeInContext(n->c->l->ctx, (unsigned)(8 * g->size * together));
    Bld b = n->at[n->rank];

    unit /= together;
    for (int i = 0; i < lanes; i++)
        pick[i] = (2 * (i / unit) + half) * unit + i % unit;
    if (together > 1) {
        x = LLVMBuildBitCast(b, x, llvm_vector(wide, lanes), "");
        y = LLVMBuildBitCast(b, y, llvm_vector(wide, lanes), "");
    }
    return LLVMBuildBitCast(b, llvm_shuffle(n->c->l, b, x, y, lanes, pick), own, "");
}

/* v[0..count) hold records of count elements; split first from last halves until one vector a field
 * is left.  Where a half fills vectors nothing moves within them. */
static void halve(NestCg *n, const Group *g, Val *v, int count)
{
    Val first[MAX_RECORD] = {NULL}, last[MAX_RECORD] = {NULL};
    int unit = count / 2, whole = unit / g->lanes;

    if (count == 1)
        return;
    for (int k = 0; k < unit; k++) {
        int at = whole ? 2 * k - k % whole : 2 * k;
        first[k] = whole ? v[at] : half_records(n, g, v[at], v[at + 1], unit, 0);
        last[k] = whole ? v[at + whole] : half_records(n, g, v[at], v[at + 1], unit, 1);
    }
    halve(n, g, first, unit);
    halve(n, g, last, unit);
    memcpy(v, first, (size_t)unit * sizeof *v);
    memcpy(v + unit, last, (size_t)unit * sizeof *v);
}

/* Any step: take what each vector has, one vector after the other. */
static Val pick_field(NestCg *n, const Group *g, const Val *v, int field)
{
    Val out = NULL;

    for (int k = 0; k < g->step; k++) {
        int lanes[MAX_LANES];
        for (int i = 0; i < g->lanes; i++) {
            int at = g->step * i + field;
            lanes[i] = at / g->lanes == k ? g->lanes + at % g->lanes : out ? i : -1;
        }
        Val before = out ? out : LLVMGetPoison(LLVMTypeOf(v[k]));
        out = llvm_shuffle(n->c->l, n->at[n->rank], before, v[k], g->lanes, lanes);
    }
    return out;
}

static void take_apart(NestCg *n, Group *g, bool masked)
{
    Val v[MAX_RECORD] = {NULL};
    bool power = (g->step & (g->step - 1)) == 0;

    for (int k = 0; k < g->step; k++)
        v[k] = masked ? g->read[k] : in_place(n, g, k);
    if (power)
        halve(n, g, v, g->step);
    for (int f = 0; f <= g->high - g->low; f++)
        g->fields[f] = power ? v[f] : pick_field(n, g, v, f);
}

static Group group_of(const NestCg *n, const AccessPlan *a, DType t)
{
    return (Group){.low = a->group->low,
                   .high = a->group->high,
                   .step = a->group->step,
                   .lanes = n->lanes,
                   .size = dtype_size(t)};
}

/* x and y side by side; they have as many lanes. */
static Val side_by_side(NestCg *n, Val x, Val y)
{
    int lanes[MOST_APART], length = 2 * llvm_lanes(x);

    for (int i = 0; i < length; i++)
        lanes[i] = i;
    return llvm_shuffle(n->c->l, n->at[n->rank], x, y, length, lanes);
}

/* A record with elements behind it that nobody looks at: as many as a power of two, to be halved.
 */
static Val padded(NestCg *n, const Group *g, Val record, int length)
{
    int lanes[MAX_RECORD];

    if (length == g->step)
        return record;
    for (int i = 0; i < g->step; i++)
        lanes[i] = i < length ? i : -1;
    return llvm_shuffle(n->c->l, n->at[n->rank], record, NULL, g->step, lanes);
}

/* What the group has of the body's records, of which the first is at `p`, side by side. */
static void read_apart(NestCg *n, Group *g, const Entry *e, Val p, Val mask)
{
    Cpu *c = n->c;
    Bld b = n->at[n->rank];
    Val step = cpu_step(n, &e->access->steps, e), records[MAX_LANES];
    LLVMTypeRef element = emit_memory_type(&c->e, e->value->type->dtype);
    int length = g->step;

    while ((g->step & (g->step - 1)) != 0)
        g->step++;
    for (int i = 0; i < g->lanes; i++) {
        Val index = llvm_int(c->l->i32, i), from = p;
        if (mask)
            from =
                LLVMBuildSelect(b, LLVMBuildExtractElement(b, mask, index, ""), p, c->scratch, "");
        Val record = llvm_load(b, llvm_vector(element, length), from, g->size);
        records[i] = padded(n, g, record, length);
        p = LLVMBuildGEP2(b, element, p, &step, 1, "");
    }
    for (int many = g->lanes; many > 1; many /= 2) {
        for (int i = 0; i < many / 2; i++)
            records[i] = side_by_side(n, records[2 * i], records[2 * i + 1]);
    }
    for (int k = 0; k < g->step; k++)
        g->read[k] = llvm_slice(c->l, b, records[0], k * g->lanes, g->lanes);
}

/* The address of the first element of the body's stretch. */
static Val first_of_group(NestCg *n, const AccessPlan *a, const Entry *e, DType t)
{
    LLVMTypeRef element = emit_memory_type(&n->c->e, t), i64 = n->c->l->i64;
    Bld b = n->at[n->rank];
    Val step = a->group->apart ? cpu_step(n, &a->steps, e) : llvm_int(i64, a->group->step);
    Val at = LLVMBuildMul(b, n->index[n->inner], step, "");
    Val own = LLVMBuildGEP2(b, element, cpu_input(n, e, IN_ADDRESS), &at, 1, "");
    Val back = llvm_int(i64, a->group->low - a->steps.sum.offset);

    return LLVMBuildGEP2(b, element, own, &back, 1, "");
}

Val *cpu_records(NestCg *n, const Entry *e)
{
    DType t = e->value->type->dtype;
    LLVMTypeRef element = emit_memory_type(&n->c->e, t);
    Group g = group_of(n, e->access, t);
    Val mask = cpu_mask(n, e), first = first_of_group(n, e->access, e, t);

    g.fields = NEW_N(n->c->arena, Val, MAX_RECORD);
    if (e->access->group->apart)
        read_apart(n, &g, e, first, mask);
    else if (mask)
        read_masked(n, &g, element, first, g.size, mask);
    else
        read_whole(n, &g, element, first, g.size);
    take_apart(n, &g, mask || e->access->group->apart);
    for (int f = 0; mask && e->access->group->apart && f <= g.high - g.low; f++)
        g.fields[f] = LLVMBuildSelect(n->at[n->rank], mask, g.fields[f],
                                      LLVMConstNull(LLVMTypeOf(g.fields[f])), "");
    return g.fields;
}

/* --- stores --- */

/* Of x and y, in units of elements that alternate, the lower or upper half. */
static Val alternate(NestCg *n, const Group *g, Val x, Val y, int unit, int half)
{
    int together = MIN(unit, 8 / g->size), lanes = g->lanes / together, pick[MAX_LANES];
    LLVMTypeRef own = LLVMTypeOf(x),
                wide = LLVMIntTypeInContext(n->c->l->ctx, (unsigned)(8 * g->size * together));
    Bld b = n->at[n->rank];

    unit /= together;
    for (int i = 0; i < lanes; i++) {
        int from = (half * lanes / 2 / unit + i / (2 * unit)) * unit + i % unit;
        pick[i] = i % (2 * unit) < unit ? from : lanes + from;
    }
    x = LLVMBuildBitCast(b, x, llvm_vector(wide, lanes), "");
    y = LLVMBuildBitCast(b, y, llvm_vector(wide, lanes), "");
    return LLVMBuildBitCast(b, llvm_shuffle(n->c->l, b, x, y, lanes, pick), own, "");
}

/* halve() undone: fields v[0..count) become records. */
static void join(NestCg *n, const Group *g, Val *v, int count)
{
    Val out[MAX_RECORD] = {NULL};
    int unit = count / 2, whole = unit / g->lanes;

    if (count == 1)
        return;
    join(n, g, v, unit);
    join(n, g, v + unit, unit);
    for (int k = 0; k < unit; k++) {
        int at = whole ? 2 * k - k % whole : 2 * k;
        out[at] = whole ? v[k] : alternate(n, g, v[k], v[unit + k], unit, 0);
        out[whole ? at + whole : at + 1] =
            whole ? v[unit + k] : alternate(n, g, v[k], v[unit + k], unit, 1);
    }
    memcpy(v, out, (size_t)count * sizeof *v);
}

/* Any step: the k-th vector of the stretch takes what each field has of it. */
static Val put_together(NestCg *n, const Group *g, const Val *fields, int k)
{
    Val out = fields[0];

    for (int f = 0; f < g->step; f++) {
        int lanes[MAX_LANES];
        for (int i = 0; i < g->lanes; i++) {
            int at = k * g->lanes + i;
            lanes[i] = at % g->step == f ? g->lanes + at / g->step : f ? i : -1;
        }
        out = llvm_shuffle(n->c->l, n->at[n->rank], out, fields[f], g->lanes, lanes);
    }
    return out;
}

static void write_records(NestCg *n, const Group *g, const Val *v, Val first, Val mask)
{
    Bld b = n->at[n->rank];
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(v[0]));

    for (int k = 0; k < g->step; k++) {
        Val offset = llvm_int(n->c->l->i64, (int64_t)k * g->lanes);
        Val p = LLVMBuildGEP2(b, element, first, &offset, 1, "");
        if (mask)
            cpu_masked_store(n->c, b, v[k], p, g->size, spread_mask(n, g, mask, k));
        else
            llvm_store(b, v[k], p, g->size);
    }
}

void cpu_store_records(NestCg *n, const Root *r, const Entry *e)
{
    DType t = r->op->operands[STORE_PTR]->type->dtype;
    Val fields[MAX_RECORD] = {NULL}, v[MAX_RECORD], mask = cpu_mask(n, e);
    Group g = group_of(n, r->access, t);
    bool power = (g.step & (g.step - 1)) == 0;

    for (int f = 0; f < g.step; f++)
        fields[f] = cpu_to_memory(n, cpu_made(n, e->in[ACCESS_INPUTS + f]), t);
    memcpy(v, fields, sizeof v);
    if (power)
        join(n, &g, v, g.step);
    for (int k = 0; k < g.step && !power; k++)
        v[k] = put_together(n, &g, fields, k);
    write_records(n, &g, v, first_of_group(n, r->access, e, t), mask);
}
