/*
 * plan_internal.h - what the files share that find nests; see plan.h for the vocabulary
 */
#ifndef TILEC_PLAN_PLAN_INTERNAL_H
#define TILEC_PLAN_PLAN_INTERNAL_H

#include "plan.h"

/* An effect on memory in the block being planned. */
typedef struct {
    const Value *ptr; /* NULL: anything */
    int order;
} Write;

/* The state of one block while its steps are listed. */
typedef struct {
    BlockPlan *out;
    Nest *open; /* takes more roots until flushed */
    VEC(Write) writes;
} BlockState;

typedef struct {
    Plan *plan;
    Map *nest_of_op; /* op -> nest id + 1 */
    int next_nest;
    int order;
    int64_t visits; /* of values from roots, in this round */
    /* plan_keep.c: parameters through which memory is written, bits as in MemoryUse; all of them
     * where accesses are ordered, or nobody knows.  Bytes that each product may keep. */
    uint64_t written;
    int64_t most_kept;
    int64_t most_several; /* .. and of those that several programs come back to */
    bool multiplies;      /* the kernel has products */
    bool changed;         /* a mark was added: another round is needed */
} Planner;

/* plan_block.c.  `carried` holds the buffers that the block's yield fills, one for each operand
 * (NO_BUFFER for scalars), or NULL. */
BlockPlan *plan_block(Planner *pl, Block *b, const int *carried);

/* plan.c */
bool plan_is_whole(const Value *v); /* does it only exist as a whole tile? */
int plan_op_cost(const Op *op);     /* of one element, about in instructions */
/* Of a tile that several nests need, and none has a buffer for. */
bool plan_is_worth_a_buffer(const ValueFacts *f);
bool plan_is_worth_a_row(const ValueFacts *f); /* .. that each row of a nest needs */

/* plan_order.c */
const Type *plan_root_shape(const Root *r); /* the type whose dimensions its nest runs over */
/* Fill in leaves, work and branches of `into`, a nest of the root's shape that has no roots yet: a
 * candidate, which becomes the open nest, or is added to it (`open`, or NULL), or is only looked
 * at. */
void plan_leaves(Planner *pl, const Root *root, const Nest *open, Nest *into);
/* Mark loads that would move past a write to memory they may reach. */
void plan_pin_loads(Planner *pl, const BlockState *st, const Root *root, const Nest *candidate,
                    int now);
/* May the root join the open nest?  Of equal dimensions, and neither reads what the other writes,
 * but for an element's own. */
bool plan_can_fuse(const Planner *pl, const Nest *open, const Root *root, const Nest *candidate);
/* .. do both want the same inner loop, where either fills an operand that may lie in either order?
 */
bool plan_goes_alike(const Planner *pl, const Nest *open, const Root *root, const Nest *candidate);
int plan_inner_dimension(const Planner *pl, const Nest *n); /* as it is chosen below */
/* The inner dimension is the one along which most accesses are contiguous; the rest keep their
 * order. */
void plan_choose_order(Planner *pl, Nest *n);
/* plan_block.c: of so many elements; gives its number */
int plan_add_buffer(Planner *pl, DType t, int64_t elements);
int plan_new_buffer(Planner *pl, const Type *t); /* of a tile in register form */
/* plan_dot.c */
/* Of a tile that an op computes element by element, and that is kept: as those want it who read it.
 * Gives the number of the buffer. */
int plan_buffer_for(Planner *pl, Value *v);
void plan_turn(Planner *pl, int buffer, const Value *v); /* it lies column by column */
/* Of a product whose operands are in buffers; adds those that it takes itself. */
DotPlan plan_dot(Planner *pl, const Op *op);
/* plan_live.c: which parts of the product count; fills in `live` */
void plan_live(const Plan *p, const Op *dot, DotPlan *d);
/* plan_keep.c */
void plan_keep_begin(Planner *pl); /* once, before there is anything to keep */
/* May an operand of that product stay for the next programs?  `rounds` are multiplied together.
 * Adds to plan->keeps what is kept, and gives 1 + its number, or 0. */
int plan_keep(Planner *pl, Value *v, const Op *product, int rounds, int *same);
/* Make slots of a buffer that has room for one. */
void plan_add_slots(Plan *p, int buffer, int keep);
/* plan_tally.c: the table where an atomic's additions are added up, or NO_BUFFER */
int plan_tally(Planner *pl, const Op *op);
/* .. whether it may add vectors to neighbours: nobody asks what was there */
bool plan_adds_vectors(const Plan *p, const Root *r);
/* .. and whether the nest of one, whose loops are in order, goes by vectors */
bool plan_adds_rows(Plan *p, const Nest *n);
/* plan_access.c: set forms and bounds of a nest that has its shape */
void plan_accesses(Plan *p, Nest *n);
bool plan_has_buffer(const void *plan, const Value *v); /* for access_space() */
/* Does the kernel load from where it stores? */
bool plan_stores_in_place(const Plan *p, const Value *ptr);
/* plan_pack.c: does a store pack what its mask keeps?  *skip: see AccessPlan */
bool plan_packs(const Plan *p, const Nest *n, const Op *store, int *skip);
bool plan_counts_packed(const Nest *n); /* .. for another root, does its scan count that? */
/* plan_line.c: have vectors of a nest, whose accesses are known, begin where a line does */
void plan_lines(Plan *p, Nest *n);
/* .. of one that stores into the cache and is in no pieces */
void plan_lines_in_cache(Plan *p, Nest *n);
/* plan_records.c */
/* May it be of a field of records of a length that is known? */
bool plan_is_record(const Nest *n, const Access *a);
/* .. or of any other length? */
bool plan_is_apart(const Nest *n, const Access *a);
/* Put the loads that belong together with leaf `first`, and have no group yet, into one. */
void plan_group_loads(Plan *p, Nest *n, int first);
/* Where the store of root `first` and others come to whole records that begin with it, make them
 * one store. */
void plan_group_stores(Plan *p, Nest *n, int first);
/* plan_shape.c: set lanes, copies and blocks */
enum { REGISTER_WORK = 4 /* ops in one unrolled body, for each vector register */ };
void plan_shape(Plan *p);
/* Set lanes and unroll, of rows of so many elements. */
void plan_size_body(const Plan *p, Nest *n, int extent);
AccessSpace *plan_space(Plan *p, const Nest *n); /* its indices, for its lanes */
/* Set its space, the forms of its accesses and its bounds; fewer lanes where small elements are
 * gathered. */
void plan_find_accesses(Plan *p, Nest *n);
/* plan_pieces.c: the nest, which has its shape, or one in its place that goes through rows in
 * pieces */
Nest *plan_pieces(Plan *p, Nest *n);
Nest *plan_copy_nest(Plan *p, const Nest *n); /* whose accesses may be others */
/* The dimension of a nest, without a shape yet, along which a pointer steps by one element in
 * pieces of rows; -1: none, or it would do without pieces. */
int plan_dimension_in_pieces(Plan *p, const Nest *n, Value *ptr, const int8_t *map);
/* Is it a quotient, or what remains, that most likely stays in pieces of rows, or steps there? */
bool plan_has_pieces(const Plan *p, const Op *op);
int plan_sort_bits(const Type *t); /* of the places of a row, rounded up to a power of two */
/* plan_strips.c: give a nest that may go in strips wider vectors */
void plan_widen_strips(const Plan *p, Nest *n);
/* plan_size.c: set size and `beyond` */
void plan_measure(Plan *p);
/* plan_ahead.c: choose what each nest prefetches for the next program. */
void plan_look_ahead(Plan *p);
/* plan_programs.c: choose in which order programs come */
void plan_programs(Plan *p);
bool plan_wants_order(const Func *f); /* plan_keep.c: that of the grid */

#endif
