/*
 * cpu_dot_pack.c - the second operand of a product in panels
 *
 * plan_dot.c says how elements lie in them.  Rows of b are read as they are in its buffer, one
 * vector of each that belong together, and written as one.  Where N ends within a panel, what is
 * behind the end of a row goes into it, for columns that nobody stores; where K ends within a
 * group, zeros.
 *
 * On the way something is reckoned of what is packed.  Of DOT_VNNI, whose a is made unsigned by
 * adding 128, what that adds to each column: 128 times its sum.  Of bf16 whether there are
 * subnormal numbers: as integers, without the sign, these are 1 to 127, so the smallest of all
 * elements less 1 tells, modulo 2^16.
 */
#include "cpu_dot.h"

enum { UNROLL = 4, SUBNORMALS = 127 /* but for the sign */, A_LANES = 32, WIDENED_LANES = 16 };

static int64_t panels(const Dot *d)
{
    return (d->n + d->plan.lanes - 1) / d->plan.lanes;
}

static Val element_of(Dot *d, Val base, int buffer, Val index)
{
    return LLVMBuildGEP2(d->c->b, cpu_buffer_type(d->c, buffer, 0), base, &index, 1, "");
}

static bool is_bf16(const Dot *d)
{
    return d->plan.unit == DOT_AMX && d->in == DT_FP32;
}

/* --- what is reckoned --- */

static Val first_of_running(Dot *d)
{
    Llvm *l = d->c->l;

    return is_bf16(d) ? llvm_int(llvm_vector(l->i16, d->plan.lanes * d->plan.group), -1)
                      : llvm_int(llvm_vector(l->i32, d->plan.lanes), 0);
}

/* The smaller ones of `running` and of bf16 x, as the head of this file has it. */
static Val smaller(Dot *d, Val running, Val x)
{
    Bld b = d->c->b;
    Val twice = LLVMBuildAdd(b, x, x, ""); /* the sign is gone: 2 to 254 */

    return llvm_extreme(d->c->l, b, false, false, running,
                        LLVMBuildSub(b, twice, llvm_int(LLVMTypeOf(x), 1), ""));
}

/* `rows` and `packed`: the same elements. */
static Val next_of_running(Dot *d, Val running, Val rows, Val packed)
{
    if (is_bf16(d))
        return smaller(d, running, rows);
    if (d->plan.unit != DOT_VNNI)
        return running;
    Val all = llvm_int(LLVMTypeOf(packed), -128);
    return cpu_dot_bytes(d->c, running, all, packed);
}

static void keep_smallest(Dot *d, Val smallest)
{
    Cpu *c = d->c;
    int lanes = llvm_lanes(smallest);
    Val all = smallest;

    for (; lanes > 1; lanes /= 2) {
        Val high = llvm_slice(c->l, c->b, all, lanes / 2, lanes / 2);
        all =
            llvm_extreme(c->l, c->b, false, false, llvm_slice(c->l, c->b, all, 0, lanes / 2), high);
    }
    Val before = llvm_load(c->b, c->l->i16, d->smallest, 2);
    llvm_store(c->b, llvm_extreme(c->l, c->b, false, false, before, all), d->smallest, 2);
}

static void keep_running(Dot *d, Val running, Val column)
{
    Cpu *c = d->c;

    if (is_bf16(d))
        keep_smallest(d, running);
    if (d->plan.unit == DOT_VNNI)
        llvm_store(c->b, running,
                   element_of(d, cpu_buffer(c, c->b, d->plan.sums), d->plan.sums, column), 4);
}

/* --- panels --- */

/* Bytes to 16 bits. */
static Val widen(Dot *d, Val bytes)
{
    Cpu *c = d->c;

    return LLVMBuildSExt(c->b, bytes, llvm_like(c->l->i16, bytes), "");
}

/* Row k + i of b from a column on, for i < n. */
static void read_rows(Dot *d, Val k, Val column, int n, Val *rows)
{
    Cpu *c = d->c;
    int buffer = d->buffer[DOT_B];
    LLVMTypeRef type = cpu_buffer_type(c, buffer, d->plan.lanes);

    for (int i = 0; i < d->plan.group; i++) {
        Val row = LLVMBuildAdd(c->b, k, llvm_int(c->l->i64, i), "");
        Val at = LLVMBuildMul(c->b, row, llvm_int(c->l->i64, d->n), "");
        at = element_of(d, d->base[DOT_B], buffer, LLVMBuildAdd(c->b, at, column, ""));
        rows[i] = i < n ? llvm_load(c->b, type, at, cpu_buffer_size(c, buffer)) : llvm_int(type, 0);
        if (d->plan.unit == DOT_PAIRS)
            rows[i] = widen(d, rows[i]);
    }
}

/* All elements of `group` rows of `lanes`, row by row. */
static Val join_rows(Dot *d, Val *rows)
{
    Cpu *c = d->c;
    int index[MAX_VECTOR];

    for (int i = 0; i < MAX_VECTOR; i++)
        index[i] = i;
    for (int n = d->plan.group, w = d->plan.lanes; n > 1; n /= 2, w *= 2) {
        for (int i = 0; i < n / 2; i++)
            rows[i] = llvm_shuffle(c->l, c->b, rows[2 * i], rows[2 * i + 1], 2 * w, index);
    }
    return rows[0];
}

/* And lane by lane. */
static Val interleave(Dot *d, Val rows)
{
    int group = d->plan.group, lanes = d->plan.lanes, index[MAX_VECTOR];

    for (int i = 0; i < group * lanes; i++)
        index[i] = i % group * lanes + i / group;
    return group == 1 ? rows : llvm_shuffle(d->c->l, d->c->b, rows, NULL, group * lanes, index);
}

/* Group `g` of the panel that begins at a column, of which n rows are there. */
static Val pack_group(Dot *d, Val g, Val column, int n, Val running)
{
    Cpu *c = d->c;
    LLVMTypeRef i64 = c->l->i64;
    Val rows[DOT_MAX_GROUP], k = LLVMBuildMul(c->b, g, llvm_int(i64, d->plan.group), "");

    read_rows(d, k, column, n, rows);
    Val joined = join_rows(d, rows), all = interleave(d, joined);
    Val at = LLVMBuildMul(c->b, column, llvm_int(i64, cpu_dot_depth(d)), "");
    Val inside = LLVMBuildMul(c->b, g, llvm_int(i64, d->plan.group * d->plan.lanes), "");
    Val element = LLVMBuildAdd(c->b, at, inside, "");
    at = element_of(d, cpu_buffer(c, c->b, d->plan.packed), d->plan.packed, element);
    llvm_store(c->b, all, at, cpu_buffer_size(c, d->plan.packed));
    return next_of_running(d, running, joined, all);
}

/* `whole`: of a round. */
static Val pack_whole_groups(Dot *d, Val column, int64_t whole, Val running)
{
    Cpu *c = d->c;
    int unroll = whole % UNROLL == 0 ? UNROLL : 1;
    Val limit = LLVMBuildUDiv(c->b, d->along, llvm_int(c->l->i64, d->plan.group), "");
    Loop l = cpu_loop_begin(c);
    Val phi = LLVMBuildPhi(c->b, LLVMTypeOf(running), "");

    LLVMAddIncoming(phi, &running, &l.before, 1);
    running = phi;
    for (int u = 0; u < unroll; u++) {
        Val g = LLVMBuildAdd(c->b, l.index, llvm_int(c->l->i64, u), "");
        running = pack_group(d, g, column, d->plan.group, running);
    }
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(c->b);
    LLVMAddIncoming(phi, &running, &latch, 1);
    cpu_loop_end_at(c, &l, limit, unroll);
    return running;
}

void cpu_dot_pack_begin(Dot *d)
{
    Cpu *c = d->c;

    if (!is_bf16(d))
        return;
    d->smallest = cpu_slot(c, c->l->i16);
    llvm_store(c->b, llvm_int(c->l->i16, -1), d->smallest, 2);
}

/* --- b by columns, to panels of multiply-adds --- */

/* Rows to columns: in each step lanes change places that lie `1 << s` apart, and vectors as well.
 */
static void transpose(Cpu *c, Val *v, int n)
{
    int low[MAX_VECTOR], high[MAX_VECTOR];

    for (int apart = n / 2; apart > 0; apart /= 2) {
        for (int i = 0; i < n; i++) {
            low[i] = (i & apart) == 0 ? i : n + i - apart;
            high[i] = (i & apart) == 0 ? i + apart : n + i;
        }
        for (int i = 0; i < n; i++) {
            if ((i & apart) != 0)
                continue;
            Val x = v[i], y = v[i + apart];
            v[i] = llvm_shuffle(c->l, c->b, x, y, n, low);
            v[i + apart] = llvm_shuffle(c->l, c->b, x, y, n, high);
        }
    }
}

/* `lanes` rows of the panel that begins at a column, of which n columns are there; what is read
 * beyond the last element along k is overwritten, or nobody's. */
static void turn_square(Dot *d, Val k, Val column, int n)
{
    Cpu *c = d->c;
    int lanes = d->plan.lanes, from = d->buffer[DOT_B], to = d->plan.packed;
    LLVMTypeRef i64 = c->l->i64, type = cpu_buffer_type(c, from, lanes);
    Val v[MAX_VECTOR], base = cpu_buffer(c, c->b, to);

    for (int i = 0; i < lanes; i++) {
        Val at = LLVMBuildAdd(c->b, column, llvm_int(i64, MIN(i, n - 1)), "");
        at = LLVMBuildMul(c->b, at, llvm_int(i64, d->across[DOT_B]), "");
        at = element_of(d, d->base[DOT_B], from, LLVMBuildAdd(c->b, at, k, ""));
        v[i] = llvm_load(c->b, type, at, cpu_buffer_size(c, from));
    }
    transpose(c, v, lanes);
    for (int i = 0; i < lanes; i++) {
        Val at = LLVMBuildMul(c->b, column, llvm_int(i64, cpu_dot_depth(d)), "");
        Val row = LLVMBuildAdd(c->b, k, llvm_int(i64, i), "");
        row = LLVMBuildMul(c->b, row, llvm_int(i64, lanes), "");
        at = element_of(d, base, to, LLVMBuildAdd(c->b, at, row, ""));
        llvm_store(c->b, v[i], at, cpu_buffer_size(c, to));
    }
}

static void turn_panel(Dot *d, Val column, int n)
{
    Cpu *c = d->c;
    Loop l = cpu_loop_begin(c);

    turn_square(d, l.index, column, n);
    cpu_loop_end_at(c, &l, d->along, d->plan.lanes);
}

static void turn(Dot *d)
{
    Cpu *c = d->c;
    int lanes = d->plan.lanes, rest = (int)(d->n % lanes);
    int64_t whole = d->n - rest;

    if (whole > 0) {
        Loop l = cpu_loop_begin(c);
        turn_panel(d, l.index, lanes);
        cpu_loop_end(c, &l, whole, lanes);
    }
    if (rest > 0)
        turn_panel(d, llvm_int(c->l->i64, whole), rest);
}

void cpu_dot_pack(Dot *d)
{
    Cpu *c = d->c;

    if (d->plan.unit == DOT_FMA) {
        turn(d);
        return;
    }
    int64_t whole = d->k / d->plan.group;
    int rest = (int)(d->k % d->plan.group);
    Loop l = cpu_loop_begin(c);
    Val column = LLVMBuildMul(c->b, l.index, llvm_int(c->l->i64, d->plan.lanes), "");
    Val running = first_of_running(d);

    if (whole > 0)
        running = pack_whole_groups(d, column, whole, running);
    if (rest > 0)
        running = pack_group(d, llvm_int(c->l->i64, whole), column, rest, running);
    keep_running(d, running, column);
    cpu_loop_end(c, &l, panels(d), 1);
}

/* --- a in 16 bits --- */

/* Rows of whole groups, of as many elements as there are.  Vectors go beyond the end of a row, in
 * rising order: what they leave at the beginning of the next one is overwritten, and what is left
 * in a group is multiplied by zeros.
 */
void cpu_dot_widen(Dot *d)
{
    Cpu *c = d->c;
    LLVMTypeRef i64 = c->l->i64, bytes = llvm_vector(c->l->i8, WIDENED_LANES);
    int64_t width = cpu_dot_depth(d);
    bool dense = d->plan.rounds == 1 && width == d->k;
    int64_t rows = dense ? 1 : d->m;
    Val columns = dense ? llvm_int(i64, d->m * d->k) : d->along;
    int from = d->buffer[DOT_A], to = d->plan.widened;
    Loop row = cpu_loop_begin(c);
    Val in = LLVMBuildMul(c->b, row.index, llvm_int(i64, d->down[DOT_A]), "");
    Val out = LLVMBuildMul(c->b, row.index, llvm_int(i64, width), "");
    Loop l = cpu_loop_begin(c);

    in = element_of(d, d->base[DOT_A], from, LLVMBuildAdd(c->b, in, l.index, ""));
    Val element = LLVMBuildAdd(c->b, out, l.index, "");
    out = element_of(d, cpu_buffer(c, c->b, to), to, element);
    llvm_store(c->b, widen(d, llvm_load(c->b, bytes, in, 1)), out, cpu_buffer_size(c, to));
    cpu_loop_end_at(c, &l, columns, WIDENED_LANES);
    cpu_loop_end(c, &row, rows, 1);
}

/* --- subnormal numbers --- */

/* A row of a, of `count` elements; `running` is what was found in front of it. */
static Val look_at_row(Dot *d, Val row, Val count, int lanes, Val running)
{
    Cpu *c = d->c;
    int buffer = d->buffer[DOT_A];
    Loop l = cpu_loop_begin(c);
    Val phi = LLVMBuildPhi(c->b, LLVMTypeOf(running), "");
    Val at = element_of(d, d->base[DOT_A], buffer, LLVMBuildAdd(c->b, row, l.index, ""));
    Val x = llvm_load(c->b, LLVMTypeOf(running), at, cpu_buffer_size(c, buffer));
    Val next = smaller(d, phi, x);

    LLVMAddIncoming(phi, (Val[]){running, next},
                    (LLVMBasicBlockRef[]){l.before, LLVMGetInsertBlock(c->b)}, 2);
    cpu_loop_end_at(c, &l, count, lanes);
    return next;
}

/* All of a: where it lies densely, as one row. */
static void look_at_a(Dot *d)
{
    Cpu *c = d->c;
    LLVMTypeRef i64 = c->l->i64;
    bool dense = d->plan.rounds == 1;
    int64_t rows = dense ? 1 : d->m, columns = dense ? d->m * d->k : d->k;
    Val count = dense ? llvm_int(i64, columns) : d->along;
    int lanes = A_LANES;

    while (columns % lanes != 0) /* K is even */
        lanes /= 2;
    Val none = llvm_int(cpu_buffer_type(c, d->buffer[DOT_A], lanes), -1);
    Loop l = cpu_loop_begin(c);
    Val running = LLVMBuildPhi(c->b, LLVMTypeOf(none), "");
    Val row = LLVMBuildMul(c->b, l.index, llvm_int(i64, d->most_k), "");
    Val next = look_at_row(d, row, count, lanes, running);
    LLVMAddIncoming(running, (Val[]){none, next},
                    (LLVMBasicBlockRef[]){l.before, LLVMGetInsertBlock(c->b)}, 2);
    cpu_loop_end(c, &l, rows, 1);
    keep_smallest(d, next);
}

Val cpu_dot_has_subnormals(Dot *d)
{
    Cpu *c = d->c;

    look_at_a(d);
    Val smallest = llvm_load(c->b, c->l->i16, d->smallest, 2);
    return LLVMBuildICmp(c->b, LLVMIntULT, smallest, llvm_int(c->l->i16, 2 * SUBNORMALS), "");
}
