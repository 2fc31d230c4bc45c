/*
 * plan_internal.h - what the planner's files share; see plan.h for the vocabulary
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

/* What a load, store or atomic accesses. */
_Static_assert(LOAD_PTR == 0 && STORE_PTR == 0 && RMW_PTR == 0 && CAS_PTR == 0,
               "plan_pointer() is right for all of them");
static inline Value *plan_pointer(const Op *access)
{
    return access->operands[0];
}

/* plan.c */
bool plan_is_whole(const Value *v); /* does it only exist as a whole tile? */
int plan_op_cost(const Op *op);     /* of one element, about in instructions */
/* Of a tile that several nests need, and none has a buffer for. */
bool plan_is_worth_a_buffer(const ValueFacts *f);
bool plan_is_worth_a_row(const ValueFacts *f); /* .. that each row of a nest needs */
bool plan_is_usual(const Op *op);              /* a select whose SELECT_ELSE is rarely computed */

/* plan_order.c */
/* Does the map read v at the very index of a nest of that rank? */
bool plan_is_identity(const Value *v, const int8_t *map, int rank);
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
/* plan_beyond.c: may its last vectors reach beyond the ends of rows? */
bool plan_reaches_beyond(const Plan *p, const Nest *n);
/* plan_line.c: have vectors of a nest, whose accesses are known, begin where a line does */
void plan_lines(Plan *p, Nest *n);
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
 * pieces
 */
Nest *plan_pieces(Plan *p, Nest *n);
Nest *plan_copy_nest(Plan *p, const Nest *n); /* whose accesses may be others */
/* The dimension of a nest, without a shape yet, along which a pointer steps by one element in
 * pieces of rows; -1: none, or it would do without pieces. */
int plan_dimension_in_pieces(Plan *p, const Nest *n, Value *ptr, const int8_t *map);
/* Is it a quotient, or what remains, that most likely stays in pieces of rows, or steps there? */
bool plan_has_pieces(const Plan *p, const Op *op);
int plan_sort_bits(const Type *t); /* of the places of a row, rounded up to a power of two */
/* plan_access.c: is it this bound, wherever its dimensions are 1? */
bool plan_same_place(const Bound *b, const Value *v, const int8_t *map);
/* Is a mask false wherever one of the last bounds of the nest is?  False where it has none. */
bool plan_ends_with_bounds(Plan *p, Nest *n, Value *mask, const int8_t *map);
/* Does each load's mask have all bounds of the nest, or none? */
bool plan_bounds_meet(Plan *p, Nest *n);
/* What is made of a value at a place of the nest: an entry; and whether that holds in this segment
 * only, because a bound is known in it. */
typedef struct {
    int entry;
    bool local;
} Made;
/* A value that is asked for; `detour`: the entry of that which it has begun, or NO_ENTRY. */
typedef struct {
    Role role;
    Value *value;
    int8_t map[MAX_RANK];
    int detour;
} Ask;
/* What was made in a body, by access_key() for each role; reads of records by their group. */
enum { RECORDS = ROLES, TABLES };
typedef struct Tables Tables;
struct Tables {
    Map *of[TABLES];
    const Tables *under; /* holds what these do not, or NULL */
};
/* A schedule while it is made. */
typedef struct {
    Plan *plan;
    Nest *nest;
    Schedule *out;
    Part part;           /* the list that grows; PART_ROWS: no body stands yet */
    bool tail;           /* vectors of this part may reach beyond the extent */
    bool stored;         /* this body has written to memory or a buffer */
    bool rare;           /* in a detour */
    uint64_t assumed;    /* bounds, as bits, that values of a dead segment took for false */
    int values;          /* of this body */
    int *data;           /* by root: what a store of this body stores */
    int *pieces;         /* by number in nest->pieces: the entry of the quotient */
    int some;            /* MAKE_SOME, or NO_ENTRY */
    Map *lasting[ROLES]; /* what PART_ROWS holds */
    const Tables *body, *current; /* of this body; of the detour in it, or the same */
    int known[2];                 /* the entries of false and true, or NO_ENTRY */
    VEC(Ask) asked;               /* each for the one before it */
} Scheduler;

/* plan_entry.c */
Tables *plan_tables(Arena *a, const Tables *under); /* empty */
Entry *plan_entry_of(const Scheduler *s, Made m);   /* until the next one is added */
/* Add a copy of an entry to this part, or to PART_ROWS where it lasts beyond the body. */
Made plan_entry(Scheduler *s, Entry e, bool local);
Entry plan_entry_for(EntryKind kind, const Ask *a); /* without inputs, at level 0 */
/* In the arena, for an entry. */
int *plan_inputs(Scheduler *s, const int *in, int n);
/* Add an entry at the level of its inputs, a vector where one of them is. */
Made plan_made_of(Scheduler *s, EntryKind kind, const Ask *a, const int *in, int n, bool local);
/* One of a vector, in the body, whatever the levels of its inputs; it is not added. */
Entry plan_vector_entry(Scheduler *s, EntryKind kind, const Ask *a, const int *in, int n);
Made plan_known(Scheduler *s, bool what, bool local); /* an i1 that all lanes have */
/* i1 of the row, or piece, asked for in PART_MAIN: MAKE_SOME. */
Made plan_some(Scheduler *s);
Made plan_any(Scheduler *s, Made mask); /* i1 of this vector: MAKE_ANY */
/* Is it known here, as a constant or by plan_known(), to be the i1 `what`? */
bool plan_is_known(const Scheduler *s, Made m, bool what);
void *plan_pack(Made m); /* as a table holds it; never NULL */
/* False: it was not made in this body so far. */
bool plan_recall(const Scheduler *s, int table, WideKey key, Made *out);
/* For plan_recall(): in the tables of the body that is being planned, or in lasting ones where what
 * was asked for is the same along the innermost dimension. */
void plan_remember(Scheduler *s, const Ask *a, Made m);
/* False: it has been asked for, and whoever needs it has to wait. */
bool plan_get(Scheduler *s, Role role, Value *v, const int8_t *map, Made *out);

/* plan_divide.c */
/* Does an integer step up along the inner index of the space without coming around where it was
 * widened?  By how much, `most` at most: or 0. */
int64_t plan_steps_up(const Plan *p, AccessSpace *space, Value *v, const int8_t *map, int64_t most);
/* A division of a vector by what is one number for the whole row; `in`: its operands. */
bool plan_shares_divisor(const Scheduler *s, const Op *op, const Made *in);
/* Such an entry; `in` has its operands, and room for DIVIDE_ROW.  False: something was asked for.
 */
bool plan_divide(Scheduler *s, const Ask *a, int *in, bool local, Made *out);

/* Of quotient `number` of the nest's pieces: it, what is left of the dividend, or a comparison that
 * it is.  False: something was asked for. */
bool plan_in_piece(Scheduler *s, const Ask *a, int number, Made *out);

/* plan_values.c */
/* Make it, and all it needs before it. */
Made plan_compute(Scheduler *s, Role role, Value *v, const int8_t *map);
/* Set the inputs of an access but mask and data; `masked`: some lanes may be off. */
void plan_address(Scheduler *s, const AccessPlan *a, Value *ptr, const int8_t *map, bool masked,
                  int *in);
/* For a tile in a buffer that has the shape of that value, read at `map`. */
Entry plan_buffer_entry(const Scheduler *s, int buffer, int64_t first, Value *shape, Role role,
                        const int8_t *map);

/* plan_schedule.c: make the schedules of all nests */
void plan_schedule(Plan *p);

/* plan_strips.c: give a nest that may go in strips wider vectors; say whether it does, once its
 * schedule is made */
void plan_widen_strips(const Plan *p, Nest *n);
void plan_strips(const Plan *p, Nest *n);

/* plan_full.c: which nests stand twice, since their masks mostly hold all over the tile */
void plan_full(const Plan *p);

/* An IsThere: what stands in front of the nest, as its entries read it. */
bool plan_is_at_hand(const void *nest, const Value *v);

/* plan_place.c: which operands of products may be read in place */
void plan_place(const Plan *p);
/* Does an address go up evenly with the row, as a sum of what steps and of scalars that are there?
 */
bool plan_is_linear(const Plan *p, const Value *v, IsThere *is_there, const void *ctx);

/* plan_result.c: which results of products go from registers to memory */
void plan_results(const Plan *p);

/* plan_whole.c: which loops of products are one product; last of these */
void plan_whole(const Plan *p);
/* plan_live.c: does a comparison in the mask of a tile cut what `live` does, by dimension, and
 * nothing else? */
bool plan_cuts(const Plan *p, const Op *dot, Value *mask, const Value *v, Value *const live[2]);

/* plan_sum.c: which sums begin as zero in registers */
void plan_sums(const Plan *p);
/* plan_start.c: .. and which as something that is computed there */
void plan_starts(const Plan *p);
/* plan_dot.c: is the product in a loop that does nothing with the sum but add to it?  Its argument
 * is what is added to, and it yields the result as the same. */
bool plan_only_adds(const Plan *p, const Op *dot);

/* plan_scan.c: once all have schedules, take the buffers of results of scans that are at hand */
void plan_scan_results(Plan *p);

/* plan_size.c: set size and `beyond` */
void plan_measure(Plan *p);
/* plan_ahead.c: choose what each nest prefetches for the next program. */
void plan_look_ahead(Plan *p);
/* plan_programs.c: choose in which order programs come */
void plan_programs(Plan *p);
bool plan_wants_order(const Func *f); /* plan_keep.c: that of the grid */

const Type *plan_root_shape(const Root *r); /* the type whose dimensions its nest runs over */

#endif
