/*
 * plan_entry.h - how the accesses of a nest go, what its rows are cut by, what its code computes
 *
 * Part of plan.h.
 */
#ifndef TILEC_PLAN_ENTRY_H
#define TILEC_PLAN_ENTRY_H

#include "../opt/opt.h"

/* How an access of a nest goes along its inner dimension. */
typedef enum {
    FORM_UNIFORM,    /* one scalar, computed where the row is */
    FORM_SHARED,     /* one address for all lanes, whose masks or data differ */
    FORM_CONTIGUOUS, /* a vector, from the row's first address or the chunk's */
    FORM_BACKWARDS,  /* the same of lanes that step down by one: a vector that ends there */
    FORM_SPREAD,     /* neighbours, each of which several lanes have: x // 2 */
    FORM_FLIPPED,    /* a vector whose lanes change places: x ^ 1 */
    FORM_RECORD,     /* fields of records, read or written together with others */
    FORM_STEPS,      /* lanes at even steps */
    FORM_INDEXED,    /* by an index tile: where it is not masked, look whether it is a run */
    FORM_PACKED,     /* of stores: lanes that the mask keeps, one behind the other (plan_pack.c) */
    FORM_LANES       /* an address for each lane */
} AccessForm;

enum {
    MAX_RECORD = 8,   /* elements of a record whose fields are read together */
    MOST_APART = 256, /* .. and of all records of a body that are apart */
    NT_LEAST = 16,    /* bytes: the smallest non-temporal vector store */
    NT_LINE = 64      /* .. and a line of the cache, which such stores should fill */
};
typedef struct {
    int64_t low, high; /* smallest and largest constant offset of the group, in elements */
    int step;          /* elements of a record; of those that are apart, what is read of each */
    bool apart;        /* they follow each other at the steps of the access, whatever these are */
    int *stores;       /* of stores the numbers of the roots, by field; there is one for each */
    int last;          /* .. the last of these in the nest, which stores all */
} RecordGroup;

typedef struct {
    AccessForm form;
    Access steps;       /* of the address */
    Value *index;       /* FORM_INDEXED */
    RecordGroup *group; /* FORM_RECORD */
    int skip;       /* FORM_PACKED: from where the first lane would be stored, if that is off, so
                     * many elements to where the first one is */
    int64_t align;  /* of stores: bytes that the address of every vector is a multiple of */
    bool streaming; /* around the cache, in aligned pieces */
} AccessPlan;

/* A conjunct of some mask that is true for the inner indices up to some point of each row, or from
 * one on. */
typedef enum {
    BOUND_ROW,     /* the same for the whole row */
    BOUND_COMPARE, /* of what steps up with something fixed in the row */
    BOUND_FROM,    /* such a comparison that is false up to some point, and true from there on */
    BOUND_OR       /* u | x: true where u is, and nobody knows where it is false */
} BoundKind;
typedef struct {
    BoundKind kind;
    Value *value;
    int8_t map[MAX_RANK];
    int operand;  /* of comparisons the one that steps, of BOUND_OR that which is u */
    Access steps; /* of comparisons */
    bool is_last; /* where it is false, so is every mask that has a bound: the dead segment begins
                   * there; else it begins where all bounds are false */
} Bound;
static inline bool bound_compares(const Bound *b)
{
    return b->kind == BOUND_COMPARE || b->kind == BOUND_FROM;
}
/* Is it known to be false behind where it holds? */
static inline bool bound_ends(const Bound *b)
{
    return b->kind == BOUND_ROW || b->kind == BOUND_COMPARE;
}

/* What a nest computes, one entry for each value that code is made for.  An entry reads the results
 * of others, all of which stand before it, and nothing else: who makes code goes through lists of
 * them (Part) and has nothing to find out.  plan_schedule.c and plan_values.c make them. */
typedef enum {
    AS_VALUE, /* of all lanes: a vector, or one scalar where they have the same */
    AS_LANE,  /* of the body's first lane, as a scalar */
    AS_ROW,   /* of the row's first element, as a scalar: of what steps evenly */
    AS_MASK,  /* of an access, where more is known than of values */
    ROLES
} Role;
typedef enum {
    MAKE_SCALAR,  /* of rank 0: what steps before the nest have computed */
    MAKE_KNOWN,   /* an i1 that all lanes have here: `number` */
    MAKE_ZERO,    /* of the value's dtype */
    MAKE_CONST,   /* what its op says */
    MAKE_INDEX,   /* of a loop */
    MAKE_READ,    /* a buffer that holds a tile of the value's shape from element `number` on */
    MAKE_GATHER,  /* one that holds plan_gathered(), along its dimension `number` (-1: none) at the
                   * index that the input says */
    MAKE_SCANNED, /* result `number` of the nest's scan, whose root is the input: at hand, in no
                   * buffer */
    MAKE_OP,      /* the value's op on the inputs */
    MAKE_DIVIDE,  /* a vector by one number for the whole row; of integers the remainder, too, and
                   * where they step by `number` from DIVIDE_ROW on, their first element */
    MAKE_RUN,     /* consecutive numbers, from the input on, each for `number` lanes */
    MAKE_PIECE,   /* quotient `number` of the nest, of which it may be what ends the piece; inputs:
                   * the  dividend at the row's first element, and the divisor */
    MAKE_REMAINDER, /* what remains of such a division: inputs are the dividend, MAKE_PIECE, and the
                     * op's other operand: the divisor, or a mask */
    MAKE_SOME,      /* i1: do all bounds hold for some element of the row, or piece? */
    MAKE_ANY,       /* i1: is the mask of an access, the input IN_MASK, true for some lane? */
    MAKE_LOAD,      /* inputs below */
    MAKE_RECORD,    /* reads records and takes them apart; inputs as of a load */
    MAKE_FIELD,     /* a load of a field of those records */
    MAKE_DETOUR, /* lanes for which the usual way holds, and its result: if these are not all .. */
    MAKE_MEET,   /* .. entries from there to here are computed: the detour, and its result */
    MAKE_CUT,    /* of bound `number`: what a row is cut by; inputs below */
    MAKE_AHEAD,  /* prefetch `number`: the row's first address */
    MAKE_LINE,   /* where the first line of root `number` begins, in the row; input: the row's first
                  * address */
    MAKE_ROOT,   /* a body's part of root `number`: its operands; of a store, see below */
    MAKE_REST    /* the same of a reduction, for all that is left of a row at once */
} EntryKind;
typedef struct {
    EntryKind kind;
    Role role;
    bool vector; /* along the inner dimension, else one scalar */
    bool rare;   /* in a detour */
    int level;   /* of the loop that it stands in: 0 in front of all, the nest's rank in the body */
    Value *value;
    int8_t map[MAX_RANK]; /* by which dimensions of the nest it is indexed */
    int buffer;           /* of MAKE_READ, MAKE_GATHER */
    bool inside;          /* of MAKE_GATHER: no index is outside of the source */
    int64_t number;
    const AccessPlan *access; /* of a load; NULL where one scalar is loaded for all lanes.  Of
                               * MAKE_GATHER how the index steps through a row, by one; or NULL */
    int *in;                  /* numbers of entries */
    int nin;
} Entry;
enum { NO_ENTRY = -1 };
/* Inputs of loads and stores; NO_ENTRY for a mask that is true and whatever is not needed. */
enum {
    IN_ADDRESS, /* the first, or a vector of all; of MAKE_FIELD the records; with IN_INDEX, where
                 * index 0 is */
    IN_MASK,
    IN_DATA,  /* of stores, and what a load gives where it is masked off (NO_ENTRY: zero) */
    IN_SCALE, /* of the steps */
    IN_INDEX, /* of an access of FORM_INDEXED */
    ACCESS_INPUTS
};
/* Inputs of MAKE_PIECE and MAKE_REMAINDER. */
enum { PIECE_ROW, PIECE_DIVISOR };
enum { REMAINDER_OF, REMAINDER_QUOTIENT, REMAINDER_DIVISOR };
/* Inputs of MAKE_CUT: of comparisons what steps, its limit, and the i32s that were widened on the
 * way; of others the value alone. */
enum { IN_STEPS, IN_LIMIT, IN_WIDENED };
/* Third input of MAKE_DIVIDE, or NO_ENTRY. */
enum { DIVIDE_ROW = 2 };
/* A store of whole records has no IN_DATA, but its fields from ACCESS_INPUTS on. */

/* The lists of a schedule: in front of the inner loop, then the bodies of its segments.  Where all
 * bounds hold; where masks are real; where none of the bounds holds, or one that is_last does not,
 * what is done once and what each vector does. */
typedef enum { PART_ROWS, PART_MAIN, PART_MIXED, PART_REST, PART_DEAD, PARTS } Part;
typedef struct {
    VEC(Entry) entries; /* of all parts, by number */
    VEC(int) part[PARTS];
    bool ends;   /* some bound has an end, behind which there is a dead segment */
    bool again;  /* what is left of a segment: by a whole vector that begins in the one before it */
    bool beyond; /* .. or reaches beyond the end of the row: buffers have room (plan_beyond.c) */
    bool edges;  /* `again`, and so is, before that, what lies on both sides of where all bounds
                  * hold, as if dead.  Only a row without a whole vector between them is mixed */
    bool whole;  /* .. and there are so few vectors in a row that all stand side by side */
    int rows; /* of the loop around the inner one, which a body computes one behind the other: they
               * read the same rows of buffers */
    bool strips; /* the loop around the inner one runs within that, for a strip of columns: as many
                  * as its bodies have (plan_strips.c) */
    bool alike;  /* .. and rows of what is dead are so, and come to their number times one */
    bool picks;  /* .. and of all roots the largest or least float is wanted, which one instruction
                  * picks where what it has so far is a number: from the last row to the first,
                  * beginning with the infinity that loses to all.  What that is still there in the
                  * end may be NaN, and is combined as ever */
    int planes;  /* .. and of the loop around both so many trips go through a strip together: they
                  * read the same vectors.  1: each by itself */
} Schedule;

#endif
