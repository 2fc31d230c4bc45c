/*
 * nv_record.c - what programs say: prints, and what was found wrong
 *
 * ir.h has the buffer that records go to, whose address the hidden parameter holds.  The first
 * thread of the program takes room for a record and writes its head and scalars; tiles are written
 * by all threads, row-major.  Behind an assertion that failed the program ends, and those that have
 * not begun look first whether one has.
 */
#include "nv.h"

#include <stddef.h>

typedef struct {
    Nv *n;
    const NvStep *step;
    Val buffer;     /* i64: its address */
    Val record;     /* i64: the address of this record; 0: there is no room */
    Val leader;     /* i1: the first thread; NULL: nobody else comes here */
    int64_t *place; /* by operand, in bytes of the record */
    int64_t bytes;  /* of all of it */
} Record;

static Val port_of(const Nv *n)
{
    const Value *v = func_hidden(n->func, PARAM_RECORDS);
    Val port = v ? nv_scalar(n, n->plan->body->args[v->index]) : NULL;

    return port ? LLVMBuildPtrToInt(n->b, port, n->l->i64, "") : NULL;
}

/* --- room --- */

enum { EIGHT = 8 }; /* bytes at whose multiples records and operands begin */

static int64_t rounded_to_eight(int64_t bytes)
{
    return (bytes + EIGHT - 1) / EIGHT * EIGHT;
}

static void find_places(Record *r)
{
    const Op *op = r->step->op;

    r->place = NEW_N(r->n->arena, int64_t, op->noperands + 1);
    r->bytes = rounded_to_eight((RECORD_PLACES + op->noperands) * (int64_t)sizeof(uint32_t));
    for (int i = 0; i < op->noperands; i++) {
        const Type *t = op->operands[i]->type;
        r->place[i] = r->bytes;
        r->bytes += rounded_to_eight(type_numel(t) * type_size(t));
    }
}

/* A word of 64 bits in the head of the buffer. */
static Val read_head(const Record *r, size_t offset)
{
    NvPlace p = {.how = "ld.global", .address = r->buffer, .offset = (int64_t)offset, .bytes = 8};
    Val words[2], v;

    nv_read(r->n, &p, NULL, words);
    nv_unpack(r->n, words, 1, 8, &v);
    return v;
}

/* The first thread of all.  Asked once, in front of everything: what is asked for each record is
 * compared with all that were asked before. */
static Val leader_of(Nv *n)
{
    LLVMBasicBlockRef at = LLVMGetInsertBlock(n->b);

    if (n->leader)
        return n->leader;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(n->fn);
    LLVMPositionBuilderBefore(n->b, LLVMGetBasicBlockTerminator(entry));
    n->leader = nv_is_first(n, UINT32_MAX);
    LLVMPositionBuilderAtEnd(n->b, at);
    return n->leader;
}

/* Of a word of the records.  As an instruction of the machine: sums on one address are all compared
 * with each other by a pass of LLVM's, and a kernel may have thousands of records. */
static Val word_address(const Record *r, Val word)
{
    const char *multiply =
        arena_printf(r->n->arena, "mad.lo.u64 $0, $1, %zu, $2;", sizeof(uint32_t));
    Val data =
        LLVMBuildAdd(r->n->b, r->buffer, llvm_int(r->n->l->i64, offsetof(RecordBuffer, data)), "");

    return nv_pure_asm(r->n, r->n->l->i64, multiply, "=l,l,l", (Val[]){word, data}, 2);
}

/* Does anybody want values of this program? */
static Val is_wanted(const Record *r)
{
    Nv *n = r->n;
    Val number = nv_program_number(n);
    Val behind =
        LLVMBuildICmp(n->b, LLVMIntUGE, number, read_head(r, offsetof(RecordBuffer, first)), "");
    Val before =
        LLVMBuildICmp(n->b, LLVMIntULT, number, read_head(r, offsetof(RecordBuffer, last)), "");

    return LLVMBuildAnd(n->b, behind, before, "");
}

/* By the first thread alone. */
static Val take_record_room(const Record *r)
{
    static const size_t kinds[] = {[RECORD_PRINT] = RECORDS_PRINTED,
                                   [RECORD_ASSERT] = RECORDS_FAILED,
                                   [RECORD_CHECK] = RECORDS_FAILED,
                                   [RECORD_VALUE] = RECORDS_VALUES};
    Nv *n = r->n;
    RecordKind kind = attr_record_kind(r->step->op);
    size_t which = sizeof(uint64_t) * kinds[kind];
    Val words = llvm_int(n->l->i64, r->bytes / (int64_t)sizeof(uint32_t));
    Val none = llvm_int(n->l->i64, 0), wanted = kind == RECORD_VALUE ? is_wanted(r) : NULL;
    const char *take = arena_printf(n->arena, "atom.relaxed.gpu.global.add.u64 $0, [$1+%zu], $2;",
                                    offsetof(RecordBuffer, used) + which);
    const char *lose = arena_printf(n->arena, "@$1 red.relaxed.gpu.global.add.u32 [$0+%zu], 1;",
                                    offsetof(RecordBuffer, lost));
    Val end = read_head(r, offsetof(RecordBuffer, end) + which);
    words = wanted ? LLVMBuildSelect(n->b, wanted, words, none, "") : words;
    Val at = nv_asm(n, n->l->i64, take, "=l,l,l,~{memory}", (Val[]){r->buffer, words}, 2);

    Val full = LLVMBuildICmp(n->b, LLVMIntUGT, LLVMBuildAdd(n->b, at, words, ""), end, "");
    full = nv_both(n, wanted, full);
    nv_asm(n, n->l->none, lose, "l,b,~{memory}", (Val[]){r->buffer, full}, 2);
    Val record = LLVMBuildSelect(n->b, full, none, word_address(r, at), "");
    return wanted ? LLVMBuildSelect(n->b, wanted, record, none, "") : record;
}

/* --- contents --- */

static void put_in_record(const Record *r, Val address, int64_t offset, Val bits, Val predicate)
{
    int bytes = (int)LLVMGetIntTypeWidth(LLVMTypeOf(bits)) / 8;
    NvPlace p = {.how = "st.global",
                 .address = address,
                 .offset = offset,
                 .predicate = predicate,
                 .bytes = bytes};
    Val words[2];

    nv_pack(r->n, &bits, 1, bytes, words);
    nv_write(r->n, &p, words);
}

static void put_word(const Record *r, int64_t word, Val v)
{
    put_in_record(r, r->record, word * (int64_t)sizeof(uint32_t), v, r->leader);
}

static void put_head(const Record *r)
{
    LLVMTypeRef i32 = r->n->l->i32;
    const Op *op = r->step->op;

    put_word(r, RECORD_WORDS, llvm_int(i32, r->bytes / (int64_t)sizeof(uint32_t)));
    put_word(r, RECORD_SITE, llvm_int(i32, attr_record_site(op)));
    for (int d = 0; d < 3; d++)
        put_word(r, RECORD_PROGRAM + d, r->n->program[d]);
    put_word(r, RECORD_COUNT, llvm_int(i32, op->noperands));
    for (int i = 0; i < op->noperands; i++)
        put_word(r, RECORD_PLACES + i, llvm_int(i32, r->place[i] / (int64_t)sizeof(uint32_t)));
}

/* An element as memory has it, an integer. */
static Val bits_in_memory(Nv *n, const Type *t, Val v)
{
    if (t->pointer)
        return LLVMBuildPtrToInt(n->b, v, n->l->i64, "");
    return llvm_bits(n->l, n->b, emit_to_memory(&n->e, n->b, v, t->dtype));
}

/* Bytes from the first element to that in register r. */
static Val element_offset(Nv *n, const NvTile *t, int r)
{
    const Type *type = t->value->type;
    int64_t pitch = type_size(type);
    Val sum = llvm_int(n->l->i32, 0);

    for (int d = type->rank - 1; d >= 0; d--) {
        Val index = nv_index(n, t->layout, r, d);
        index = LLVMBuildMul(n->b, index, llvm_int(n->l->i32, pitch), "");
        sum = LLVMBuildAdd(n->b, sum, index, "");
        pitch *= type->dims[d];
    }
    return LLVMBuildZExt(n->b, sum, n->l->i64, "");
}

static void put_tile(const Record *r, int i)
{
    Nv *n = r->n;
    const NvTile *t = r->step->in[i];
    Inverse inverse;

    layout_invert(t->layout, &inverse);
    Val first = nv_is_first(n, inverse.copies.lane | inverse.copies.warp << NV_LANE_BITS);
    for (int k = 0; k < nv_count(t); k++) {
        if (!nv_live(t, k))
            continue;
        Val at = LLVMBuildAdd(n->b, r->record, element_offset(n, t, k), "");
        Val writes = nv_both(n, first, nv_exists(n, t->layout, k));
        put_in_record(r, at, r->place[i], bits_in_memory(n, t->value->type, nv_get(n, t)[k]),
                      writes);
    }
}

static void put_operands(const Record *r)
{
    for (int i = 0; i < r->step->nin; i++) {
        const NvTile *t = r->step->in[i];
        if (t->layout)
            put_tile(r, i);
        else
            put_in_record(r, r->record, r->place[i],
                          bits_in_memory(r->n, t->value->type, nv_scalar(r->n, t)), r->leader);
    }
}

/* --- the step --- */

LLVMBasicBlockRef nv_begin_if(Nv *n, Val condition)
{
    LLVMBasicBlockRef inside = nv_block(n), after = nv_block(n);

    LLVMBuildCondBr(n->b, condition, inside, after);
    LLVMPositionBuilderAtEnd(n->b, inside);
    return after;
}

void nv_end_if(Nv *n, LLVMBasicBlockRef after)
{
    LLVMBuildBr(n->b, after);
    LLVMPositionBuilderAtEnd(n->b, after);
}

static void write_record(const Record *r)
{
    Val there = LLVMBuildICmp(r->n->b, LLVMIntNE, r->record, llvm_int(r->n->l->i64, 0), "");
    LLVMBasicBlockRef after = nv_begin_if(r->n, there);

    put_head(r);
    put_operands(r);
    nv_end_if(r->n, after);
}

/* All threads learn from the first one where the record goes. */
static void share_record(Record *r)
{
    Nv *n = r->n;
    NvPlace p = {.bytes = sizeof(uint64_t)};
    Val words[2], leader = leader_of(n);
    LLVMBasicBlockRef after = nv_begin_if(n, leader);

    p.address = nv_shared_at(n, r->step->uses.at[0].buffer, llvm_int(n->l->i32, 0));
    Val taken = take_record_room(r);
    p.how = "st.shared";
    nv_pack(n, &taken, 1, p.bytes, words);
    nv_write(n, &p, words);
    nv_end_if(n, after);
    nv_wait(n, &r->step->within);
    p.how = "ld.shared";
    nv_read(n, &p, NULL, words);
    nv_unpack(n, words, 1, p.bytes, &r->record);
    r->leader = leader;
    write_record(r);
}

/* Nothing behind it runs. */
static void end_program(const Record *r)
{
    Nv *n = r->n;
    Val one = llvm_int(n->l->i32, 1), told = read_head(r, offsetof(RecordBuffer, told));
    Val asks = LLVMBuildICmp(n->b, LLVMIntNE, told, llvm_int(n->l->i64, 0), "");

    put_in_record(r, r->buffer, offsetof(RecordBuffer, stop), one, leader_of(n));
    put_in_record(r, told, 0, one, nv_both(n, leader_of(n), asks));
    LLVMBuildRetVoid(n->b);
    LLVMPositionBuilderAtEnd(n->b, nv_block(n));
}

static void put_record(Record *r)
{
    Nv *n = r->n;

    if (r->step->uses.len > 0) {
        share_record(r);
        return;
    }
    LLVMBasicBlockRef after = nv_begin_if(n, leader_of(n));
    r->record = take_record_room(r);
    write_record(r);
    nv_end_if(n, after);
}

/* Is it behind the vote that ends programs which are not to run, too? */
static bool is_looked_at(const Nv *n, const NvStep *s)
{
    const NvStep *looked = n->plan->looked;

    return looked && block_encloses(looked->op->block, s->op->block);
}

/* There: has this one failed itself, and nobody before it began?  The first thread, which says
 * so, knows. */
static void put_record_if_failed(Record *r)
{
    Nv *n = r->n;
    Val first = nv_scalar(n, r->step->in[0]), none = llvm_int(n->l->i32, INT32_MAX);
    Val failed = LLVMBuildICmp(n->b, LLVMIntNE, first, none, "");

    failed = LLVMBuildAnd(n->b, failed, LLVMBuildNot(n->b, n->stopped, ""), "");
    LLVMBasicBlockRef after = nv_begin_if(n, failed);
    put_record(r);
    nv_end_if(n, after);
}

void nv_record(Nv *n, const NvStep *s)
{
    Record r = {.n = n, .step = s, .buffer = port_of(n)};

    if (!r.buffer)
        return; /* nobody listens */
    find_places(&r);
    if (is_looked_at(n, s))
        put_record_if_failed(&r);
    else
        put_record(&r);
    if (attr_record_kind(s->op) == RECORD_ASSERT)
        end_program(&r);
}

static void find_assertion(Op *op, void *found)
{
    if (op->code == OP_record && attr_record_kind(op) == RECORD_ASSERT)
        *(bool *)found = true;
}

/* All threads do as the first one sees it: here, or where the plan has them vote. */
void nv_record_program(Nv *n)
{
    Val port = port_of(n), stop;
    bool asserts = false;

    ir_walk(n->func->body, find_assertion, &asserts);
    if (!port || !asserts)
        return;
    NvPlace p = {.how = "ld.volatile.global", .address = port, .bytes = sizeof(int32_t)};
    p.offset = offsetof(RecordBuffer, stop);
    p.predicate = leader_of(n);
    nv_read(n, &p, NULL, &stop);
    n->stopped = LLVMBuildICmp(n->b, LLVMIntNE, stop, llvm_int(n->l->i32, 0), "");
    if (n->plan->look)
        return;
    LLVMBasicBlockRef go = nv_begin_if(n, nv_vote(n, true, n->stopped));
    LLVMBuildRetVoid(n->b);
    LLVMPositionBuilderAtEnd(n->b, go);
}
