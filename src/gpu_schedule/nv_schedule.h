/*
 * nv_schedule.h - the plan of a kernel as a whole: what runs ahead, in which order, where shared
 * memory lies, and who waits for whom
 *
 * src/gpu_plan lists the steps; here they are moved, repeated, cut into slices and given to a
 * producer, buffers get places and barriers are put between steps.  nv_schedule.c has all of it in
 * order.  The plan is data before and behind it, as nv_plan.h says, is checked, and can be printed.
 */
#ifndef TILEC_GPU_SCHEDULE_NV_SCHEDULE_H
#define TILEC_GPU_SCHEDULE_NV_SCHEDULE_H

#include "../gpu_plan/nv_plan.h"

/* nv_schedule.c */
/* NULL: a diagnostic.  Lives in the arena; `f` and `o` must outlive it. */
NvPlan *nv_plan_make(const Func *f, const GenOptions *o, Arena *a, Diags *d);

/* nv_land.c: wait for products of groups of warps where somebody asks for them. */
void nv_land_products(NvPlan *p);

/* nv_sums.c: which columns of tensor memory sums of products have, and the buffer for them.  More
 * than the chip has: the plan is to be made without. */
enum { NV_SUM_COLUMNS = 512, NV_SUM_LEAST = 32 };
void nv_place_sums(NvPlan *p);
/* What is wrong with the sums of a block's products; NULL: nothing. */
const char *nv_sums_wrong(const NvPlan *p, const NvBlock *b, const NvStep *s);

/* nv_again.c */
void nv_compare_again(NvPlan *p, NvBlock *b);
void nv_cast_again(NvPlan *p);

/* nv_rounds.c */
void nv_issue_loads(NvPlan *p); /* into NvStep.issued */
/* What is wrong with what a loop keeps, and with what its rounds load ahead; NULL: nothing. */
const char *nv_loop_wrong(const NvStep *loop);

/* nv_shared.c */
void nv_place(NvPlan *p);             /* buffers and barriers */
int64_t nv_place_buffers(NvPlan *p);  /* these alone; bytes of a block */
int nv_shared_align(const NvPlan *p); /* of where shared memory begins, in bytes */

/* nv_wait.c */
void nv_put_barriers(NvPlan *p); /* buffers have their places */
/* The first step that reaches memory which another thread may still be at work on, for want of a
 * barrier; NULL: there is none, which is so behind that. */
const NvStep *nv_hurried(NvPlan *p);

/* nv_budget.c */
void nv_choose_budget(NvPlan *p); /* NvPlan.together */

/* nv_slices.c */
/* Cut chains of long tiles into slices.  The plan is whole, barriers and all. */
void nv_slice(NvPlan *p);
/* The tile whose registers a step makes, or stores; NULL: it has none. */
const NvTile *nv_step_shape(const NvStep *s);
/* Are these two thirds of a thread's registers?  Addresses need some, and so do other blocks. */
bool nv_takes_many(const NvPlan *p, int64_t registers);
/* nv_words.c */
/* The register of operand i that register r of a step that may go by slices is made of; -1: none.
 */
int nv_register_read(const NvStep *s, int i, int r);
/* Registers of 32 bits that one of the tile takes: none where it is a mask, which are in others, or
 * an index, which is made where it is used. */
int nv_register_words(const NvPlan *p, const NvTile *t);
enum { NV_MOST_HALVES = 8 }; /* times that a chain's tiles are halved */
/* How often to halve them for corners that several loads read; 0: there are none. */
int nv_halves_of_corners(const NvPlan *p, NvStep *const *steps, int count);
/* The steps of a chain in an order in which its loads, and what these are made of, come
 * first; how many those are, 0 where some have to stay. */
int nv_loads_first(const NvPlan *p, NvStep *const *steps, int count, NvStep **order);
/* Bits of the number of a register of what a load gives within the word in which it comes. */
int nv_within_word(const NvStep *load);
uint32_t nv_vector_bits(const NvStep *s); /* of a register's number, within the access's vector */
/* nv_raise.c: conversions of small tiles go in front of chains of long ones. */
void nv_raise(NvPlan *p);

/* nv_verify.c: is all made that the plan reads?  False: a diagnostic says what is not, and where.
 * The plan is whole; takes time that grows with its length alone. */
bool nv_verify(NvPlan *p);

/* nv_plan_print.c */
const char *nv_step_name(NvStepKind kind); /* "load" */
/* The plan as `tilec dump --stage layout` shows it, in the arena. */
const char *nv_plan_text(const NvPlan *p, Arena *a);

/* nv_sink.c: what is computed in front of a loop, or of the conversion of a long tile, for what
 * comes behind it moves there. */
void nv_sink(NvPlan *p);
/* nv_stages.c */
enum { NV_ENOUGH_WARPS = 8 }; /* on a multiprocessor: two for each of its schedulers */
/* At most as many as wanted, of so many bytes; `copied`: buffers whose tiles will lie in them. */
int nv_stages_that_fit(const NvPlan *p, const NvBlock *body, const bool *copied, int64_t bytes,
                       int wanted);
/* Programs that a multiprocessor takes when a block has so many bytes of shared memory. */
int64_t nv_programs_by_shared(const NvPlan *p, int64_t bytes);
/* .. that has so many bytes of copies for a loop beside what its body uses of its own. */
int64_t nv_programs_beside(const NvPlan *p, const NvBlock *body, const bool *copied, int64_t bytes);
/* nv_pipeline.c: loads of loops with dots become copies into several buffers. */
void nv_pipeline(NvPlan *p);
/* By tile: how many steps of the block, and within them, read it, or the ends of blocks. */
void nv_count_users(const NvBlock *b, int *users);

/* nv_ring.c: warps of a block, with the producer's */
int nv_launched_warps(const NvPlan *p);

#endif
