/*
 * nv.h - what the files of the target for NVIDIA GPUs share
 *
 * Carrying out a plan (nv_plan.h) as LLVM IR for one thread, in reading order:
 *   nv.c         the kernel function: parameters, threads; the target
 *   nv_flow.c    steps, loops, ifs, elementwise ops; nv_code.c what all files call
 *   nv_math.c    functions that the chip has
 *   nv_tile.c    the registers of a tile, and which element each of them is
 *   nv_words.c   one access of one thread; nv_memory.c loads and stores
 *   nv_convert.c a tile from one layout to another
 *   nv_pair.c    fp16, bf16 and short integers two at a time
 *   nv_divide.c  quotients with one divisor; nv_quotient.c those of integers
 *   nv_pick.c    entries of small tables, four registers at a time
 *   nv_move.c    moves that are no linear map; nv_gather.c gathers and histograms
 *   nv_sort.c    rows in order
 *   nv_combine.c what reductions and scans share: nv_reduce.c, nv_scan.c
 *   nv_mma.c     products by instructions for matrices; nv_wgmma.c by those of four warps,
 *                nv_fma.c by multiply-adds
 *   nv_ahead.c   loops whose copies run ahead; nv_ring.c those of a producer
 *   nv_once.c    what one thread does for all that hold copies
 *   nv_atomic.c; nv_record.c what programs say
 *   nv_build.c   several kernels in one object, for programs without this library
 *   nv_spans.c   when programs ran; nv_clock.c how long lines took
 *   nv_calls.c   which calls a line was inlined through
 *
 * A tile is one LLVM scalar a register, in the register form of emit.h.  Registers that hold
 * nothing that exists are NULL.  Code of all steps goes to n->b.
 *
 * Address spaces: pointers of the program are global ones; shared memory is one array.
 */
#ifndef TILEC_GEN_NV_NV_H
#define TILEC_GEN_NV_NV_H

#include "../gen/emit.h"
#include "../gpu_schedule/nv_schedule.h"

enum { NV_GLOBAL = 1, NV_SHARED = 3 };                   /* LLVM's address spaces */
enum { NV_LANE_BITS = 5, NV_LANES = 1 << NV_LANE_BITS }; /* of all chips that code is made for */

typedef struct NvRunner NvRunner; /* nv_ahead.c: of a loop */
typedef struct NvClock NvClock;   /* nv_clock.c */

typedef struct {
    Arena *arena;
    const NvPlan *plan;
    const Func *func;
    char entry[GEN_ENTRY]; /* its name in the code */
    const GenOptions *options;
    Llvm *l;
    Emit e;
    Bld b;
    Val fn;
    Val shared;                    /* i32: where the array begins; NULL where the plan needs none */
    Val thread, lane, warp;        /* i32: numbers within the block, the warp, the block */
    Val leader;                    /* i1: the first thread, or NULL while nobody has asked */
    Val program[3];                /* i32 */
    Val stopped;                   /* i1: an assertion has failed, as the plan's `look` asks */
    Val **regs;                    /* by tile id; NULL: not computed yet */
    Map *parts;                    /* nv_tile.c: what threads contribute to indices */
    Map *quotients;                /* nv_quotient.c: their magnitudes and signs; */
    Map *reciprocals;              /* .. what divides by a number */
    Map *made;                     /* nv_pair.c: how words were made; */
    VEC(struct NvIssued *) issued; /* nv_memory.c: loads that a branch has to see yet */
    Map *kept;                     /* nv_memory.c: words that came in front of slices, by tile */
    Map *held;                     /* nv_hold.c: cells of words, and lists of them, by step */
    Map *lifted;                   /* nv_integer.c: floats that were integers */
    Map *halves;                   /* nv_pair.c: bytes that were computed as halves of words */
    Val *stage;      /* by buffer: where its stage of now begins, an i32; NULL: it has one */
    Val ring_number; /* cells (i32) of this thread: the ring's next stage, */
    Val ring_parity; /* .. and how often it has come around */
    Val sums_at;     /* i32: the address of the program's tensor memory */
    Val asked;       /* cell (i32): products whose sums lie there, so far */
    const NvStep **products; /* by tile: whose sum is on its way, or was; NULL: no product's */
    const NvStep *delayed;   /* a product that is done for the round before (nv_delay.c) */
    Val *delayed_rows;       /* the words of its rows; NULL: it is left out of this round */
    bool turns;              /* the round that is being made is one of a group among several */
    NvRunner *runner;        /* of the loop whose round is being made; NULL: nothing runs ahead */
    int slice;               /* which of a chain of steps that go by slices */
    NvClock *clock;          /* of lines; NULL: nobody asked, or it has not begun */
    bool left;               /* a result of bf16 is still to be rounded (nv_pair.c) */
    Val active;              /* i1: copies and loads are asked for at all; NULL: they are */
} Nv;

/* nv_code.c */
LLVMBasicBlockRef nv_block(Nv *n);    /* a new one, behind all others */
void nv_wait(Nv *n, const NvWait *w); /* what the plan says; all who wait come here */
void nv_wait_all(Nv *n); /* all threads that are launched, before the producer goes its own way */
/* i1: have any of the threads that run the program that bit set, or all?  They wait for each other.
 */
Val nv_vote(Nv *n, bool any, Val own);
/* What this thread has written to shared memory is there for units that read it by themselves. */
void nv_fence_unit(Nv *n);
void nv_set_registers(Nv *n, bool more, int count); /* nv.c: of each thread of these warps */
/* Of this program in the grid, x fastest, an i64. */
Val nv_program_number(Nv *n);
Val nv_special(Nv *n, const char *name); /* "tid.x": a register of the chip, an i32 */

/* A cell (i32) of this thread, 0 at the beginning. */
Val nv_new_cell(Nv *n);
/* i32: 0, though the assembler cannot know, as addresses are positive; NULL: there is none. */
Val nv_never(Nv *n);
/* Until the phase of that parity of an mbarrier is over. */
void nv_wait_phase(Nv *n, Val barrier, Val parity);

/* nv_flow.c */
void nv_steps(Nv *n, const NvBlock *b); /* all of them */
Val *nv_phis(Nv *n, const NvTile *t);   /* a phi for each register of a tile */
/* Evaluate a region planned by nv_list_region() on scalars: its arguments, its results. */
void nv_region(Nv *n, const NvBlock *b, const Val *args, Val *results);

/* nv_tile.c */
int nv_count(const NvTile *t);        /* registers, whether they are live or not; 1 for scalars */
bool nv_live(const NvTile *t, int r); /* does register r hold an element in any thread? */
/* The same, and is it made in the slice of now, where the step goes by slices? */
bool nv_turn(const Nv *n, const NvStep *s, const NvTile *t, int r);
const Val *nv_get(const Nv *n, const NvTile *t); /* its registers; a bug() before it is computed */
Val *nv_set(Nv *n, const NvTile *t);             /* room for them, all NULL */
Val *nv_out(Nv *n, const NvStep *s,
            int i); /* the same of a result; in later slices what is there */
Val nv_scalar(const Nv *n, const NvTile *t);       /* the one of a scalar */
LLVMTypeRef nv_type(const Nv *n, const NvTile *t); /* of a register */
/* Register number i of the vector that register r begins, of which bit k of that number is bit
 * regs[k] of the register's. */
int nv_vector_register(const int8_t *regs, int r, int i);
/* The exclusive or of those of masks[] whose bit of the thread's number is set: an i32. */
Val nv_thread_map(Nv *n, const uint32_t *masks);
/* The index along a dimension of the element in register r, and all of its coordinate: i32. */
Val nv_index(Nv *n, const Layout *l, int r, int dim);
/* How far the index of register r is behind that of register 0; false: not alike in all threads. */
bool nv_index_behind(Nv *n, const Layout *l, int r, int dim, int64_t *out);
/* Does the element in register r exist?  NULL: in every thread. */
Val nv_exists(Nv *n, const Layout *l, int r);
/* Is none of these bits of the thread's number set?  NULL: there are no such bits. */
Val nv_is_first(Nv *n, uint32_t copies);
Val nv_both(Nv *n, Val a, Val b); /* and of two i1, each of which may be NULL for true */
/* The address (an i32) in shared memory, `offset` bytes (an i32) behind the beginning of a buffer.
 */
Val nv_shared_at(Nv *n, int buffer, Val offset);
/* Code for values that every step may use, in front of all others, until nv_leave_head() gets what
 * this gives: where code was made before. */
LLVMBasicBlockRef nv_at_head(Nv *n);
void nv_leave_head(Nv *n, LLVMBasicBlockRef before);

/* nv_words.c: one instruction that reads or writes 1, 2, 4, 8 or 16 bytes, as words: one i16 for
 * one or two bytes, else i32s.  Nothing moves across them. */
typedef struct {
    const char *how; /* "ld.global.cg", "st.shared": all in front of the width */
    Val address;     /* an i64 of global memory, an i32 of shared memory; a multiple of `bytes` */
    int64_t offset;  /* in bytes, a constant */
    Val predicate;   /* i1: of this thread; NULL: true */
    int bytes;
} NvPlace;
enum { NV_MOST_WORDS = NV_ACCESS_BYTES / 4 };
/* other: the words where the predicate is false; NULL: zeros. */
void nv_read(Nv *n, const NvPlace *p, const Val *other, Val *words);
void nv_write(Nv *n, const NvPlace *p,
              const Val *words); /* as many words as the place has bytes for */
/* Between words and their elements, integers of so many bytes each; returns how many words. */
int nv_pack(Nv *n, const Val *elements, int count, int bytes, Val *words);
/* The other way: `count` elements out of as many words as nv_pack() makes of them. */
void nv_unpack(Nv *n, const Val *words, int count, int bytes, Val *elements);
/* Instructions in PTX; constraints as LLVM has them.  `type`: of the result.  Reads or writes
 * memory, or has another effect: never dropped or moved across others. */
Val nv_asm(Nv *n, LLVMTypeRef type, const char *text, const char *constraints, const Val *args,
           int nargs);
/* The same without any effect: what the registers in give. */
Val nv_pure_asm(Nv *n, LLVMTypeRef type, const char *text, const char *constraints, const Val *args,
                int nargs);

/* nv_math.c */
extern const bool nv_native_math[OP_COUNT];        /* of fp32 */
Val nv_math(Nv *n, OpCode code, Val x);            /* one of those: in fp32 */
Val nv_toward(Nv *n, const Op *op, const Val *in); /* arithmetic that rounds to a side */
/* What the plan says may be off by a little; NULL: there is nothing that is cheaper. */
Val nv_loose_math(Nv *n, const Op *op, const Val *in);
/* x, where the conversion to an integer rounds instead of floor() and its like; NULL: it does not.
 */
Val nv_round_cut(Nv *n, const Op *op, Val x);
/* A cast of floats to integers of 32 bits or less by one instruction; NULL: it is another one. */
Val nv_truncate(Nv *n, const Op *op, Val x);

/* nv_integer.c */
/* A 32-bit integer of a small range, or a byte of a word, as a float of at most 32 bits, or NULL.
 */
Val nv_from_small_integer(Nv *n, const Op *op, Val x);
/* A sum or difference of such a one in fp32 and a whole number that is a constant; NULL: it is
 * another thing. */
Val nv_add_whole(Nv *n, const Op *op, const Val *in);
/* A byte of a word, and what was done to it by constants. */
typedef struct {
    Val word;
    int byte, count;
    struct {
        LLVMOpcode code;
        uint32_t by;
    } done[4];
} NvByte;
bool nv_find_byte(const Nv *n, Val x, NvByte *out);  /* of an i8; false: it is of no word */
Val nv_word_of_byte(Nv *n, const NvByte *x);         /* in which all four went the same way */
bool nv_same_word(const NvByte *a, const NvByte *b); /* that one */

/* nv_memory.c */
/* Where register r of an access whose data has that layout is; but for the predicate. */
void nv_locate(Nv *n, const NvStep *s, const Layout *l, int r, NvPlace *out);
/* Steps of the kinds NV_LOAD and NV_STORE, as their NvAccess says. */
void nv_load(Nv *n, const NvStep *s);
void nv_store(Nv *n, const NvStep *s); /* threads that hold copies write nothing */
/* The bits of an element as memory has them, an integer. */
Val nv_to_bits(Nv *n, const Type *t, Val v);
LLVMTypeRef nv_bits_type(const Nv *n, const Type *t); /* that integer's */
Val nv_from_bits(Nv *n, const Type *t, Val v);        /* from those bits to the register form */

/* nv_convert.c */
/* NV_CONVERT: in[0] to out[0] by the step's Conversion, whose barriers are in it. */
void nv_convert(Nv *n, const NvStep *s);
/* From the register form to what is exchanged between threads, an integer of 1, 2, 4 or 8 bytes. */
Val nv_to_exchanged(Nv *n, const Type *t, Val v);
Val nv_from_exchanged(Nv *n, const Type *t, Val v); /* and back */
/* The value that lane (an i32) of this warp has in v, an i32. */
Val nv_shuffle(Nv *n, Val v, Val lane);
Val nv_shuffle_xor(Nv *n, Val v, uint32_t lanes); /* .. whose number differs in these bits */

/* nv_cast.c */
EmitSmall nv_small_floats(Nv *n);
/* Numbers of fp32 rounded to fp8, two at a time, where the chip can; the others of out[] stay
 * NULL. */
void nv_round_fp8(Nv *n, DType t, const Val *x, int count, Val *out);

/* nv_pair.c: where two elements of fp16 or bf16 are computed by one instruction, out[] of those
 * registers whose operands are in in[]; the others stay NULL */
void nv_compute_pairs(Nv *n, const Op *op, Val *const in[2], int count, Val *out);
/* The number that is one of two in a word, of which nv_unpack() has made that element; NULL: it has
 * not.  And the word of which that has made both, as they are for memory; NULL: there is none. */
Val nv_bf16_of_word(Nv *n, Val element);
Val nv_word_of_halves(const Nv *n, const Val elements[2]);
/* A word that an instruction made of two, made anew where code is made now, and others as they are:
 * A's words of wgmma must not be made while the unit reads others, and a copy would count for the
 * assembler as written then. */
Val nv_made_again(Nv *n, Val word);
/* Elements of two bytes in copies of their words, which the assembler does not take for these. */
void nv_copy_words(Nv *n, const NvTile *t);
Val nv_copy_number(Nv *n, Val number); /* an integer, alike */
/* Results of type t that are computed between begin and end are not rounded to bf16 before
 * nv_round_with() is told of each register, and two of them together, then. */
typedef struct {
    const Type *type;
    Val (*one)(void *target, Val x);
    int regs[2], found;
} NvRounding;
void nv_begin_rounding(Nv *n, NvRounding *x, const Type *t);
void nv_round_with(Nv *n, NvRounding *x, int r, Val *out);
void nv_end_rounding(Nv *n, const NvRounding *x, Val *out);

/* nv_hold.c */
/* Words (i32) become others that are the same, though the assembler cannot know; `again`: behind a
 * branch that it does not turn into predicates, so that in front of it all of them are asked for.
 * nv_never() must not be NULL. */
void nv_change(Nv *n, Val **words, int count, bool again);
/* In front of a loop, for its products, the rows that it does not change. */
void nv_hold_rows(Nv *n, const NvStep *loop);

/* nv_once.c */
Val nv_once_doer(Nv *n, const NvOnce *once); /* is it this thread?  NULL: all are (also for NULL) */
/* What the doers of the step have in values[], integers of so many bytes each, or NULL, becomes
 * everybody's. */
void nv_once_tell(Nv *n, const NvStep *s, Val *values, int count, int bytes);

/* nv_sums.c: tensor memory */
void nv_sums_begin(Nv *n); /* ask for the memory; without such products nothing */
void nv_sums_end(Nv *n);   /* give it back */
/* In front of a loop: sums that go on over the end of its rounds move there, out of what it carries
 * in registers. */
void nv_sums_enter(Nv *n, const NvStep *loop);
bool nv_sum_is_carried(const NvStep *loop, int i); /* is the i-th value that it carries one? */

/* nv_ahead.c */
/* The first rounds of what runs ahead of a loop; NULL: nothing does. */
NvRunner *nv_ahead_begin(Nv *n, const NvStep *loop, Val lo, Val step, Val trips);
void nv_ahead_phis(Nv *n, NvRunner *r); /* at the loop's head */
/* At the beginning of the round with that counter, when `left` are to come, this one included. */
void nv_ahead_round(Nv *n, NvRunner *r, Val counter, Val left);
/* The first product of a round has asked for what it multiplies first; others change nothing. */
void nv_ahead_now(Nv *n, const NvStep *product);
void nv_ahead_end(Nv *n, NvRunner *r); /* of the round */
void nv_ahead_land(Nv *n, const NvRunner *r,
                   Val **results); /* behind the loop: products in flight */
/* NV_COPY: asks for a load's elements in shared memory, in the stage of now; waits for nothing. */
void nv_copy(Nv *n, const NvStep *s);
/* Registers that the slice of now reads of what lies in words (NvStep.words). */
void nv_take_words(Nv *n, const NvBlock *slices);
void nv_take(Nv *n, const NvStep *s); /* NV_TAKE: what has been copied to shared memory */
/* Of both: does a vector begin with that register that no other one equals, and where it lies. */
bool nv_begins_own(const NvStep *s, int r);
void nv_own_place(Nv *n, const NvTile *t, int vector, int bytes, NvPlace *out);

/* nv_ring.c: tiles that a producer brings; nothing where the plan has no ring */
/* Behind it are the warps of the program; the producer's program is made. */
void nv_ring_begin(Nv *n);
void nv_fill(Nv *n, const NvStep *s); /* NV_FILL */
/* The warps' side: wait until what the round reads of the next stage is there, which n->stage has
 * then; say that this warp has read a part of it, or of the one before it; go on to the next one.
 */
void nv_ring_full(Nv *n, const NvFill *fill);
void nv_ring_empty(Nv *n, bool before, int part, Val predicate); /* NULL: true */
void nv_ring_next(Nv *n);

/* Wait until what the round before has left to this one is there. */
void nv_ring_left(Nv *n, const NvFill *fill);
/* Have n->stage be that of the stage before the next one. */
void nv_ring_back(Nv *n);

/* nv_tensor.c */
/* Ask for all of a tile of the ring's stage that begins there, told to an mbarrier. */
void nv_copy_tensor(Nv *n, const NvStep *s, const NvTensor *t, Val stage, Val barrier);
void nv_send(Nv *n, const NvStep *s); /* NV_SEND */
void nv_sent(Nv *n, const NvStep *s); /* NV_SENT */

/* nv_delay.c: a loop with a product that a round leaves to the next one */
void nv_delayed_for(Nv *n, const NvStep *s);
void nv_begin_turns(Nv *n); /* in front of all that takes turns */
void nv_end_turn(Nv *n);    /* this group has asked for its products of a round */

/* nv_split.c */
/* NV_SPLIT: the tile in[0] to the pieces out[0], in shared memory; with what the unit needs to see
 * them. */
void nv_split(Nv *n, const NvStep *s);
/* Pieces of bf16 of two elements of fp32, each the rest of those before it, rounded to nearest: in
 * a word each, the first element below. */
void nv_pieces_of_pair(Nv *n, const Val pair[2], int pieces, Val *words);
/* In products in parts elements of three pieces are multiplied by 2^16, so that those of small ones
 * are whole, too: down to 2^-125, and up to 2^111.  Two pieces are not all of an element anyway,
 * and whole down to 2^-117. */
int nv_scale(int pieces); /* log2 of it */
Val nv_scaled(Nv *n, Val v, int pieces);

/* nv_put.c */
/* NV_PUT: the registers of in[0] to where out[0] lies in shared memory. */
void nv_put(Nv *n, const NvStep *s);
void nv_lay_down(Nv *n, const NvTile *from, const NvTile *to, const NvPut *put); /* the same */
/* Fill in where in shared memory an element of a tile lies.  Its coordinate is the exclusive or of
 * `fixed` and of those of threads[] whose bit of the thread's number is set. */
void nv_shared_place(Nv *n, const NvTile *t, const uint32_t threads[LAYOUT_THREAD_BITS],
                     uint32_t fixed, NvPlace *out);
/* The same, where something else moves the element too: by an exclusive or with the offset in
 * bytes, of which no other bits are ever set. */
typedef struct {
    Val offset; /* an i32; NULL: 0 */
    uint32_t bits;
} NvMoved;
void nv_shared_place_by(Nv *n, const NvTile *t, const uint32_t threads[LAYOUT_THREAD_BITS],
                        uint32_t fixed, const NvMoved *by, NvPlace *out);
/* Where bit `bit` of an i32 is set, the element is moved further, by that coordinate. */
void nv_move_by_bit(Nv *n, const SharedLayout *memory, uint32_t coordinate, Val number, int bit,
                    NvMoved *to);
/* What bits of the thread's number move in a layout: lanes, then warps. */
void nv_threads_of(const Layout *l, uint32_t threads[LAYOUT_THREAD_BITS]);

/* nv_divide.c: x[r] / s[r], correctly rounded, or loosely, into out[r], of those registers of fp32
 * where that is cheaper together than one by one; the others of out[] stay NULL. */
typedef struct {
    const Val *x, *s; /* NULL where nothing is */
    bool loose;
    double power;         /* all x are this power of two, not far from 1; 0: they are not */
    bool large, positive; /* s is NUMBER_LARGE, NUMBER_UNSIGNED */
    bool no_signs;        /* x is NUMBER_UNSIGNED; that only saves time */
    bool parts;           /* no x is above its s, or s is no number: it is a sum that has x in it */
} NvDivision;
void nv_divide(Nv *n, const NvDivision *d, int count, Val *out);
/* nv_quotient.c: the same of integers of 32 or 64 bits, of those registers that are divided by one
 * number; out[] are quotients, or remainders.  The builder may be in another block behind it. */
typedef struct {
    const Op *op;
    const Val *x, *s; /* NULL where nothing is */
    bool remainder, is_signed;
    bool dividend_positive, divisor_positive; /* not below 0 */
} NvQuotients;
void nv_divide_by_one(Nv *n, const NvQuotients *d, int count, Val *out);

/* nv_pick.c: entries of a table of eight, u32, by the low bits of x[r]; x[r] shifted to the left;
 * of those registers where that is cheaper so.  The others of out[] stay NULL. */
void nv_pick_entries(Nv *n, const int64_t *entries, const Val *x, int count, Val *out);
void nv_shift_bits(Nv *n, const Val *x, int by, int count, Val *out);

/* nv_bound.c: of a comparison, what is cheaper for all registers together: where one operand is a
 * run of integers and the other one number.  The others of out[] stay NULL. */
void nv_compare_run(Nv *n, const NvStep *s, Val *const in[2], int count, Val *out);

/* nv_move.c, nv_inline.c, nv_reduce.c, nv_scan.c, nv_atomic.c, nv_dot.c, nv_record.c */
/* One step of that kind each: the operands are s->in, the results s->out, which are computed then;
 * what each kind needs beside is in s->detail.  NV_MOVE, by its op: */
void nv_move(Nv *n, const NvStep *s);
/* Where the element with these indices of a tile of type t lies in the step's buffer, which has it
 * dense and row-major. */
Val nv_laid_down_at(Nv *n, const NvStep *s, const Type *t, const Val *at);
void nv_gather(Nv *n, const NvStep *s);    /* of NV_MOVE, by its op */
void nv_histogram(Nv *n, const NvStep *s); /* of NV_MOVE too: counts in shared memory */
void nv_reduce(Nv *n, const NvStep *s);    /* keeps the order where the region is not known */
void nv_scan(Nv *n, const NvStep *s);      /* the same */
void nv_sort(Nv *n, const NvStep *s);      /* the network of its NvSort */
void nv_atomic(Nv *n, const NvStep *s);    /* one thread of those with copies does it */
void nv_dot(Nv *n, const NvStep *s);       /* by mma.sync, or by nv_fma() */
void nv_land(Nv *n, const NvStep *s);
void nv_fma(Nv *n, const NvStep *s);    /* NV_DOT by multiply-adds, operands in shared memory */
void nv_record(Nv *n, const NvStep *s); /* to the kernel's RecordBuffer */
/* Code for when the condition holds goes to n->b; gives where to go on. */
LLVMBasicBlockRef nv_begin_if(Nv *n, Val condition);
void nv_end_if(Nv *n, LLVMBasicBlockRef after);
void nv_record_program(Nv *n);          /* at the head of a program: not if another one failed */
void nv_inline(Nv *n, const NvStep *s); /* once for each group of elements that the op packs */

/* nv_spans.c: what GenOptions.spans asks for, at the head of a program and at its end */
void nv_spans_begin(Nv *n);
void nv_spans_end(Nv *n);

/* nv_clock.c: what GenOptions.clocks asks for: from begin to end, steps of these ops come now; and,
 * where control parts or comes together, what went by so far is noted */
void nv_clock_begin(Nv *n);
void nv_clock_at(Nv *n, const Op *op);   /* NULL: of no line of its own */
void nv_clock_note(Nv *n);               /* for the line of now, if it had any code */
void nv_clock_pause(Nv *n, bool paused); /* steps that are part of another one; they nest */
void nv_clock_end(Nv *n);                /* each warp adds its sums to the launch's */

/* nv_build.c: Target.build, of one level, which is a chip: data for linkers, and no code */
bool nv_build(const GenBuild *b, Arena *a, GenOutput *out, Diags *d);

/* nv_calls.c: a PTX text with lines gets directives for the calls that they were inlined through */
void nv_say_calls(const Module *m, Arena *a, GenOutput *ptx);

#endif
