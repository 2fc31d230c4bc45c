/*
 * nv.h - what the files of the target for NVIDIA GPUs share
 *
 * Carrying out a plan (nv_plan.h) as LLVM IR for one thread, in reading order:
 *   nv.c         the kernel function: parameters, threads; the target
 *   nv_flow.c    steps, loops, ifs, elementwise ops; nv_code.c what all files call
 *   nv_memory.c  loads and stores
 *   nv_convert.c a tile from one layout to another
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
 * What is done with the elements of one thread is in ../gen_nv_values.
 */
#ifndef TILEC_GEN_NV_NV_H
#define TILEC_GEN_NV_NV_H

#include "../gen_nv_values/nv_values.h"

/* nv_code.c */
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

/* nv_memory.c */
/* Where register r of an access whose data has that layout is; but for the predicate. */
void nv_locate(Nv *n, const NvStep *s, const Layout *l, int r, NvPlace *out);
/* Steps of the kinds NV_LOAD and NV_STORE, as their NvAccess says. */
void nv_load(Nv *n, const NvStep *s);
void nv_store(Nv *n, const NvStep *s); /* threads that hold copies write nothing */
/* nv_convert.c */
/* NV_CONVERT: in[0] to out[0] by the step's Conversion, whose barriers are in it. */
void nv_convert(Nv *n, const NvStep *s);
/* From the register form to what is exchanged between threads, an integer of 1, 2, 4 or 8 bytes. */
Val nv_to_exchanged(Nv *n, const Type *t, Val v);
Val nv_from_exchanged(Nv *n, const Type *t, Val v); /* and back */
/* The value that lane (an i32) of this warp has in v, an i32. */
Val nv_shuffle(Nv *n, Val v, Val lane);
Val nv_shuffle_xor(Nv *n, Val v, uint32_t lanes); /* .. whose number differs in these bits */

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
