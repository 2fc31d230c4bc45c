/*
 * plan_schedule_internal.h - what the files share that list a nest's code, and that look at it then
 */
#ifndef TILEC_PLAN_SCHEDULE_PLAN_SCHEDULE_INTERNAL_H
#define TILEC_PLAN_SCHEDULE_PLAN_SCHEDULE_INTERNAL_H

#include "plan_schedule.h"

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
/* A division of a vector by what is one number for the whole row; `in`: its operands. */
bool plan_shares_divisor(const Scheduler *s, const Op *op, const Made *in);
/* Such an entry; `in` has its operands, and room for DIVIDE_ROW.  False: something was asked
 * for. */
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

/* plan_full.c: which nests stand twice, since their masks mostly hold all over the tile */
void plan_full(const Plan *p);

/* An IsThere: what stands in front of the nest, as its entries read it. */
bool plan_is_at_hand(const void *nest, const Value *v);

/* plan_place.c: which operands of products may be read in place */
void plan_place(const Plan *p);
/* Does an address go up evenly with the row, as a sum of what steps and of scalars that are there?
 */
bool plan_is_linear(const Plan *p, const Value *v, IsThere *is_there, const void *ctx);
/* How the tile that a nest fills lies in memory, if it may be read there: by rows, or columns, that
 * are dense; or by rows of which the program has to ask whether they are. */
typedef enum { PLACE_NONE, PLACE_ROWS, PLACE_ROWS_MAYBE, PLACE_COLUMNS } PlaceOrder;
PlaceOrder plan_place_order(const Plan *p, const Nest *n, const Value *v);

/* plan_result.c: which results of products go from registers to memory */
void plan_results(const Plan *p);

/* plan_whole.c: which loops of products are one product; last of these */
void plan_whole(const Plan *p);
/* plan_sum.c: which sums begin as zero in registers */
void plan_sums(const Plan *p);
/* plan_start.c: .. and which as something that is computed there */
void plan_starts(const Plan *p);
/* plan_scan.c: once all have schedules, take the buffers of results of scans that are at hand */
void plan_scan_results(Plan *p);

/* plan_beyond.c: may its last vectors reach beyond the ends of rows? */
bool plan_reaches_beyond(const Plan *p, const Nest *n);

#endif
