/*
 * nv_values.h - what a thread has in registers, and what it computes of that
 *
 * The part of the target for NVIDIA GPUs (../gen_nv/nv.h) that knows elements, not steps:
 *   nv_tile.c     the registers of a tile, and which element each of them is
 *   nv_words.c    one access of one thread; words and their elements
 *   nv_math.c     functions that the chip has
 *   nv_integer.c  integers of few bits as floats; nv_cast.c bf16 and fp8 by the chip
 *   nv_pair.c     fp16, bf16 and short integers two at a time
 *   nv_divide.c   quotients with one divisor, nv_dividends.c whether all may go so;
 *                 nv_quotient.c those of integers
 *   nv_pick.c     entries of small tables, four registers at a time
 *   nv_bound.c    comparisons of a run of indices with one number
 *
 * A tile is one LLVM scalar a register, in the register form of emit.h.  Registers that hold
 * nothing that exists are NULL.  Code of all steps goes to n->b.
 *
 * Address spaces: pointers of the program are global ones; shared memory is one array.
 */
#ifndef TILEC_GEN_NV_VALUES_H
#define TILEC_GEN_NV_VALUES_H

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

/* nv_tile.c */
LLVMBasicBlockRef nv_block(Nv *n);    /* a new one, behind all others */
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

/* The bits of an element as memory has them, an integer. */
Val nv_to_bits(Nv *n, const Type *t, Val v);
LLVMTypeRef nv_bits_type(const Nv *n, const Type *t); /* that integer's */
Val nv_from_bits(Nv *n, const Type *t, Val v);        /* from those bits to the register form */

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

/* nv_cast.c */
EmitSmall nv_small_floats(Nv *n);
/* Numbers of fp32 rounded to fp8, two at a time, where the chip can; the others of out[] stay
 * NULL. */
void nv_round_fp8(Nv *n, DType t, const Val *x, int count, Val *out);
/* Of a word the bytes of these numbers, two elements: */
/* Of fp8, as two of fp16 in a word.  NULL: there is no short way on this chip. */
Val nv_fp8_halves(Nv *n, DType t, Val word, const int byte[2]);
/* Is that of an integer of a byte what a cast to that type gives? */
bool nv_casts_bytes_to(DType t);
/* The same of fp8 or of integers. */
Val nv_byte_halves(Nv *n, DType from, Val word, const int byte[2]);
/* Of integers, as two of bf16: 128 and the lower bits of each, minus 128, or 256 where the highest
 * one is set and has a sign.  NULL: they are no bytes. */
Val nv_byte_bf16(Nv *n, DType from, Val word, const int byte[2]);

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

#endif
