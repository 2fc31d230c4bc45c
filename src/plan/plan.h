/*
 * plan.h - how the tiles of a kernel become loop nests, before any code is made
 *
 * The planner reads optimised IR and decides, without LLVM and testable as text (`tilec dump
 * --stage plan`): which tile values are computed again wherever they are needed, which are kept in
 * scratch memory, which effects share one loop nest, in which order its loops run, how wide and how
 * often side by side, which masks bound them, what form each access takes, and where a value may
 * not be moved past a store.  Last comes for each nest what its code computes, in order (`--stage
 * schedule`), which ../plan_schedule/ adds.  cpu_*.c then only carries the plan out.
 *
 * Vocabulary.  A tile value is *virtual* (evaluated inside the loops of each consumer) or
 * *buffered* (computed once by a `fill` into scratch): what compilers call rematerialising and
 * materialising, and plan.c chooses.  A *root* is what forces work: a store, an atomic, a
 * reduction, a scan, a histogram, a fill.  A *nest* is a set of roots over one index space.  A
 * block's plan is a list of *steps*, in order.  The *schedule* of a nest is its lists of *entries*:
 * one in front of the inner loop and one for each *segment* that bounds cut this loop into.  A
 * *usual* select has a fast path and a slow one; cpu_detour.c follows it from the pass that makes
 * it to the branch that it becomes.
 */
#ifndef TILEC_PLAN_H
#define TILEC_PLAN_H

#include "../opt/opt.h"
#include "../gen/gen.h"
#include "../ir/analysis.h"
#include "plan_entry.h"

enum {
    MAX_VECTOR = 64, /* bytes of a register */
    MAX_UNROLL = 4,  /* copies of a nest's body */
    MAX_PLANES = 4,  /* that go through a strip together */
    MAX_LANES = 64   /* of a body's vectors, each of which may be several registers */
};
_Static_assert(MAX_VECTOR <= MAX_LANES, "a register may be full of bytes");

/* What the plan needs to know of a CPU. */
typedef struct {
    int vector_bytes, registers; /* of vectors: how wide, how many */
    bool fma, neon, avx2, avx512f, avx512bw, avx512fp16, avx512vnni, amx_int8, amx_bf16;
} Machine;

/* How a reduction or scan goes through its elements. */
typedef enum {
    ALONG_LANES, /* by vectors along the inner dimension, whose lanes are put together in the end */
    ALONG_ROWS,  /* along another one: the result's buffer has what came before, row by row */
    ALONG_ELEMENTS /* along the inner dimension of a serial nest: one accumulator */
} Along;
typedef struct {
    Along along;
    CombineKind kind; /* with `neutral`: elements are put together by that one op, and accumulators
                       * begin with what changes nothing; without: by the region */
    bool counts;      /* of a scan: it counts what is packed, and lanes need not be put together */
    bool rising;      /* of a `winner` of floats along lanes: its indices step up along the row */
} Combining;

typedef struct BlockPlan BlockPlan;
typedef enum {
    ROOT_STORE,
    ROOT_ATOMIC,
    ROOT_REDUCE,
    ROOT_SCAN,
    ROOT_COUNT, /* a histogram */
    ROOT_FILL
} RootKind;
typedef struct {
    RootKind kind;
    Op *op;              /* of all but fills */
    Value *value;        /* what a fill computes */
    int buffer;          /* where a fill goes; of an atomic that is tallied its table */
    int source;          /* the fill copies this buffer instead of computing; else NO_BUFFER */
    BlockPlan *combine;  /* the region's steps, when it cannot run on the lanes of a vector */
    Combining combining; /* of a reduction or scan */
    AccessPlan *access;  /* of a store, and of an atomic whose nest has vectors */
    bool dies;           /* a store or count that bounds mask off */
} Root;

/* A load or a buffer that some root of a nest reads, and the nest dimension behind each of its
 * dimensions (-1: always index 0). */
typedef struct {
    Value *value;
    int8_t map[MAX_RANK];
    bool identity;      /* read at the very index that the nest stands at */
    bool load;          /* memory is read here, not a buffer */
    AccessPlan *access; /* of a load */
} Leaf;

/* A load of which a nest asks a cache for the next program's elements: `share` parts of its row
 * from part `first` on.  Or, where it goes through several rows, for all of the row that comes so
 * many later. */
enum { AHEAD_PARTS = 16 };
typedef struct {
    Leaf leaf;
    int first, share;
    int level;   /* of the cache: 1 or 2 */
    int rows;    /* 0: the next program */
    int operand; /* 1 + the buffer of an operand whose product asks for what this reads in the next
                  * rounds (DotPlan.from); 0: none */
} Ahead;

typedef struct Nest Nest;
struct Nest {
    int id; /* no other nest has it; some belong to none */
    int rank;
    int32_t dims[MAX_RANK];
    int order[MAX_RANK]; /* loop order: order[rank-1] is the inner dimension, run in vectors */
    /* Not empty: the inner loop goes through a piece of the row, in which these stay, and the last
     * of the loops around it from piece to piece: over a dimension of `dims` that no tile has. */
    VEC(Quotient) pieces;
    bool halved;   /* some of these are comparisons */
    bool aligned;  /* pieces begin at multiples of `lanes` */
    int least;     /* where a divisor that is no constant is below this, .. */
    Nest *whole;   /* .. this one runs: without pieces.  NULL: all are constants */
    Nest *direct;  /* of an atomic that is added up in a table: by vectors, where it is not */
    bool serial;   /* one element at a time, for the one root: atomics, loops in regions */
    int work;      /* ops that one element takes, each counted once for each root */
    int values;    /* the same without weights, and with what is rarely computed */
    bool branches; /* on what all lanes of a vector are: divisions, usual selects */
    bool widens;   /* floats of 16 bits to fp32: it does more with them than to move their bits */
    int lanes, unroll;  /* of the vectors of a body; copies of it in the loop */
    AccessSpace *space; /* its indices, as accesses follow them */
    VEC(Root) roots;
    VEC(Leaf) leaves;
    VEC(Ahead) ahead;
    VEC(Bound) bounds; /* when all hold, the body needs no masks for them */
    VEC(Value *)
    full;                   /* comparisons (plan_full.c): where these hold all over the tile, so do
                             * all bounds, and none is found for each row; empty: nobody can know */
    Map *access;            /* of loads, by access_key(): AccessPlan */
    const Op *unless;       /* a loop right behind it: it runs where that has no round (plan_sum.c);
                             * a product that does its work: never (plan_start.c); NULL: always */
    int keep;               /* 1 + the number in plan->keeps of what it fills; 0: it always runs */
    int place;              /* 1 + the buffer that it fills, unless that is read in place; 0: it has
                             * to be filled */
    int result;             /* 1 + the buffer that it stores, unless the product has stored it from
                             * registers (plan_result.c); 0: it has not */
    VEC(const Op *) early;  /* .. scalars that are computed before that, to know where */
    int level_of[MAX_RANK]; /* by dimension: of its loop, see Entry; 0 where that has one trip */
    bool backwards;         /* the inner loop: a reverse scan */
    int lined;          /* 1 + the root to whose lines vectors are stored (plan_line.c), around the
                         * cache, or into it where Schedule.again; 0: they begin where the row
                         * does */
    Schedule *schedule; /* NULL in a plan that is too large */
    int split, split_range; /* where a program has parts: the dimension of which each has a range,
                             * and which of plan->split.ranges; SPLIT_NONE: all of it */
};
/* The level of what is in front of all loops over a row. */
static inline int nest_row_level(const Nest *n)
{
    return n->rank - 1 - (n->pieces.len > 0);
}
/* Dimensions of its tiles. */
static inline int nest_tile_rank(const Nest *n)
{
    return n->rank - (n->pieces.len > 0);
}

/* What multiplies two tiles, see plan_dot.c. */
typedef enum {
    DOT_FMA,   /* multiply-adds of vectors, or of integers a product and a sum */
    DOT_PAIRS, /* sums of two products of 16 bits in each lane of a vector */
    DOT_VNNI,  /* sums of four products of bytes in each lane of a vector */
    DOT_AMX    /* products of tiles */
} DotUnit;
enum { DOT_MAX_ROWS = 14 /* of vectors */, DOT_MAX_VECTORS = 4, DOT_MAX_GROUP = 4 };
enum { DOT_MOST_VECTORS = 8 }; /* of a block of one row, in place */
enum { LIVE_ROWS, LIVE_COLUMNS, LIVE_DEPTH, LIVES };
typedef struct {
    DotUnit unit;
    int lanes, rows, vectors; /* the block of acc that stays in registers: rows by vectors of so
                               * many lanes */
    int rest;          /* rows of the blocks at the end, that have fewer; 0: there are none */
    int height, depth; /* of DOT_AMX: rows of a tile of one vector, and elements along k */
    int group;         /* elements along k that are multiplied at once in a lane */
    int rounds;        /* of the loop around: tiles of so many are multiplied together */
    int packed;        /* buffer: b in panels (plan_dot.c); NO_BUFFER: where it is */
    int sums;          /* buffer: of DOT_VNNI what a's being unsigned adds to each column */
    int widened;       /* buffer: of DOT_PAIRS a in 16 bits, in rows of whole groups */
    int keep;          /* of b, and what is packed of it, as Nest has it */
    bool asks[2];      /* a and b: for what the next rounds have in the slots behind this one */
    struct {
        int rows, bytes;
    } from[2]; /* .. and, where a round has filled its tile anew, for so many rows of so many
                * bytes that the next ones are made of; of no rows: not for those */
    const Nest *start;  /* what fills the sum before, done in registers (plan_start.c), or NULL */
    Value *live[LIVES]; /* comparisons (plan_live.c): rows and columns of the result that are looked
                         * at, and elements along k that are not zero, are as many as they hold for;
                         * NULL: all */
} DotPlan;

/* A tile of which a thread's next programs most likely want the same again (plan_keep.c): it is
 * filled, and packed, where one of the scalars that it is made of is another one than when that was
 * done last, or this launch has not done it yet. */
enum { KEEP_PACKED, KEEP_SMALLEST, KEEP_HEAD }; /* words: see cpu_keep.c */
enum { KEEP_KNOWN, KEEP_USED, KEEP_MISSED, KEEP_STRIP, KEEP_STATE };
typedef struct {
    Value *value;
    const Op *loop; /* each of whose rounds has a tile of its own; NULL: there is one */
    int rounds;     /* that are multiplied together (DotPlan): their tiles are in one slot */
    int slots;      /* that are kept; tiles of later rounds of the loop share one behind them */
    bool several;   /* programs come back to tiles later: slots are for as many loops as fit, .. */
    unsigned again; /* .. where the grid has several programs along one of these axes, as bits; 0:
                     * nobody knows */
    bool strips;    /* .. and programs run in strips of as many columns of the grid as have slots:
                     * how many rounds the loop has is known before them */
    int keys;       /* buffer of i64: for each slot KEEP_HEAD words, and for each round in it one
                     * that is not 0 where there is a tile, and the scalars that it was made of;
                     * of several then KEEP_STATE words */
    Value **by;     /* these scalars */
    int nby;
} Keep;
static inline int keep_round_words(const Keep *k)
{
    return 1 + k->nby;
}
static inline int keep_slot_words(const Keep *k)
{
    return KEEP_HEAD + k->rounds * keep_round_words(k);
}
/* With the one that is shared. */
static inline int keep_all_slots(const Keep *k)
{
    return k->slots + (k->loop != NULL);
}
static inline int64_t keep_words(const Keep *k)
{
    return (int64_t)keep_all_slots(k) * keep_slot_words(k) + (k->loop ? KEEP_STATE : 0);
}

/* Sums of a thread that are added to memory later (plan_tally.c). */
enum { TALLY_SLOTS = 1024, TALLY_WORDS = 2 };
typedef struct {
    int buffer; /* of i64: for each slot an address and a sum */
    DType dtype;
    int64_t elements; /* of the tile that is added */
} Tally;

/* A row to be sorted: 1 << bits vectors, with padding behind its end. */
enum { SORT_ALL = -1 };
typedef struct {
    int lanes, bits;
    int kept; /* SORT_ALL, or: of lists of 1 << kept elements those that come first are kept */
    int work; /* buffer: of two rows */
} SortShape;

typedef enum {
    STEP_SCALAR,
    STEP_NEST,
    STEP_DOT,
    STEP_SORT,
    STEP_RECORD,
    STEP_FOR,
    STEP_WHILE,
    STEP_IF
} StepKind;
typedef struct Step Step;
typedef struct {
    const Step *product;
    const Nest *of[2]; /* that fill its operands, in each round */
    int few, most;     /* rows: blocks of so many have DOT_MAX_VECTORS, where there are no more rows
                        * than     `most`, and rows of b may be far apart; 0: none */
    bool column;       /* it has one column: where that is dense, vectors go along k */
    bool thin;         /* it has to have no more rows than `most` */
    bool dense_columns; /* b's columns are dense: vectors go along k, in blocks of `few` rows */
    bool dense_rows;    /* false: its rows may be, as the program's numbers say */
} Whole;
struct Step {
    StepKind kind;
    Op *op; /* of all but nests */
    Nest *nest;
    DotPlan dot;
    SortShape sort;
    const int *buffers; /* of a record, by operand: where a tile lies; NO_BUFFER for scalars */
    BlockPlan *body[2]; /* of for, while, if */
    Whole *whole;       /* of a loop that may be one product of what lies in memory
                         * (plan_whole.c); NULL: it may not */
};
struct BlockPlan {
    VEC(Step) steps;
};

/* A piece of scratch memory: a dense row-major tile in register form (small floats as fp32), or as
 * the products that alone read it take it: in memory form, or packed.  Of no bytes where nobody
 * reads it (plan_scan.c). */
typedef struct {
    DType dtype; /* of floats under 32 bits DT_FP32, but in memory form */
    bool pointer;
    int64_t bytes, offset;
    const Op *loop; /* not NULL: tiles of so many of its rounds, a power of two, lie here, .. */
    int rounds;
    int64_t apart, row; /* .. so many elements apart, in rows of so many elements, which of an
                         * operand of DOT_FMA may be more than a row has; 0: dense */
    int folded;         /* 1 + the dimension of its tile along which all elements are in one place:
                         * what runs on (plan_scan.c); 0: none */
    bool either;        /* the one product that reads it takes it in either order, .. */
    bool turned;        /* .. and it is column by column, each of `row` elements */
    bool biased;        /* bytes are there without a sign, as 128 more: DOT_VNNI alone reads them */
    const Op *in_place; /* the load that fills it, whose memory its product may read instead
                         * (plan_place.c); NULL: it may not */
    int same[2]; /* where a or b of the product that reads it may be in place: the axes of the grid
                  * along which programs have the same one, as bits; -1: not, or unknown */
    int alike;   /* the same of the operand that lies here, in place or not */
    int waits; /* bits: in a loop of several rounds that product rather waits for them than to have
                * a, b or, bit PLACE_BOTH, both in place */
    const Op *begins;   /* the loop in whose first round the product that adds to it takes it for
                         * zero, whatever lies here (plan_sum.c); or the product, which always
                         * does; NULL: there is none */
    const Nest *stored; /* what stores it, unless the last product of this op, a loop or the product
                         * itself, has done so (plan_result.c); NULL: none */
    const Op *last;
    int tables;    /* a histogram counts in so many, .. */
    int64_t table; /* .. each of so many elements */
    int keep;      /* 1 + the number in plan->keeps of what has slots here; 0: there are none */
    int64_t slot;  /* bytes of one */
} Buffer;

/* Bytes that a nest accesses at once, should all copies of a body become one vector.  The last one
 * of a row may begin at its last element, and loads of it are not masked. */
enum { PLAN_WIDEST = MAX_UNROLL * MAX_VECTOR };

/* Bytes in front of all buffers: a harmless target for accesses that are masked off, and for
 * vectors that begin in front of the first one. */
enum { PLAN_SINK = 128 };
/* Where in them a kernel that keeps tiles notes that it has begun to, in this launch. */
enum { PLAN_MARK = 64 };
_Static_assert(PLAN_MARK + 8 <= (int)GEN_ALONE && (int)GEN_ALONE + 8 <= (int)GEN_CLEARED &&
                   (int)GEN_CLEARED <= (int)PLAN_SINK,
               "a launch clears it, and says behind it whether it is alone");

/* How a program is run in parts (src/split/).  Of `n` parts part `i` has of each dimension of
 * `extent` elements whole units, but the last part what is left over, too: from unit
 * extent / unit * i / n on. */
enum { SPLIT_NONE = -1, SPLIT_MOST = 1024 };
typedef struct {
    int32_t extent, unit;
} SplitRange;
/* Rounds store to memory of their own if the pitch of one to the next is above what they reach. */
typedef struct {
    int64_t pitch;      /* times `scale`, in elements; not 0 */
    const Value *scale; /* an integer that is there in front of the loop; NULL: 1 */
    int64_t reach;      /* .. and, where that is less, limit - 1 */
    const Value *limit; /* such an integer; NULL: there is none */
} SplitIf;
typedef struct {
    int most;         /* parts that there may be; 1: a program stays whole */
    const Op *loop;   /* of whose rounds each has some; NULL: of elements of nests */
    VEC(SplitIf) ifs; /* else the first part has all rounds */
    VEC(SplitRange) ranges;
} Split;

/* A plan of a larger size is refused. */
enum { PLAN_MOST_OPS = 250000 };
enum { NO_BUFFER = -1, NEST_NONE = -1, NEST_SEVERAL = -2 };

/* Are two elements of a tile of pointers at one address? */
typedef enum { REPEATS_UNASKED, REPEATS_NEVER, REPEATS_MAYBE } Repeats;

/* Facts about one value, indexed by its id. */
typedef struct {
    Value *value;
    int buffer;    /* NO_BUFFER: virtual, scalar or unused */
    bool buffered; /* has to be: a mark that no later round takes back */
    bool has_load; /* a load can be reached through virtual operands */
    int cost;      /* of evaluating one element, down to loads and buffers, .. */
    int divided;   /* .. and as much more where quotients do not stay in pieces of rows */
    int order;     /* position of the definition in program order */
    int depth;     /* loops around it */
    Block *block;
    int fill_nest; /* the nest that fills its buffer, when buffered */
    int walked;    /* the first nest of this round that was seen to evaluate it, or NEST_NONE */
    int nest;      /* the one nest it is evaluated in, or NEST_NONE, NEST_SEVERAL */
    const PointerSum *sum; /* of pointers, once it was asked for */
    int64_t multiple; /* of integers: what differences of elements are multiples of; 0: unasked */
    int use_depth;    /* deepest loop it is evaluated in */
    bool crosses;     /* evaluated in another block than it is defined in */
    Repeats repeats;
} ValueFacts;

typedef struct {
    Arena *arena;
    const Func *func;
    const GenOptions *options;
    Machine machine;
    AxisFacts *axis;
    UseLists uses;
    const PointerBases *bases; /* where options->disjoint makes them worth something */
    ValueFacts *facts;
    BlockPlan *body;
    VEC(Buffer) buffers;
    VEC(Keep) keeps;
    VEC(Tally) tallies;
    Split split;
    int first_axis;      /* of the grid: along which programs come one behind the other */
    int64_t *workspaces; /* by parameter of PARAM_WORKSPACE: where it begins in scratch */
    int64_t scratch;     /* bytes one thread needs */
    int64_t front;       /* of these, without the slots of what is kept, which come last */
    int64_t size;        /* in ops: of the code that the plan comes to, about */
    const Op *beyond;    /* where that passes PLAN_MOST_OPS, or NULL */
} Plan;

/* What a load, store or atomic accesses. */
_Static_assert(LOAD_PTR == 0 && STORE_PTR == 0 && RMW_PTR == 0 && CAS_PTR == 0,
               "plan_pointer() is right for all of them");
static inline Value *plan_pointer(const Op *access)
{
    return access->operands[0];
}

/* plan.c */
/* The nests of a kernel and their shapes, without schedules; plan_make() goes on from there. */
Plan *plan_nests(const Func *f, const GenOptions *o, Machine m, Arena *a);
int plan_buffer(const Plan *p, const Value *v); /* its number in plan->buffers, or NO_BUFFER */
/* The one value that a name means from a mark on, if that is still one of the kernel; NULL. */
Value *plan_named(const Plan *p, const Mark *m);
/* plan_line.c: may a load read what the nest stores?  Not when they come from different parameters
 * and the launch promised that those are apart. */
bool plan_sees_stores(const Plan *p, const Nest *n, const Op *load);
/* .. and has a nest lines that its schedule does without?  Then they are no more, and it needs
 * another one. */
bool plan_drop_lines(Plan *p, Nest *n);
DType plan_register_dtype(DType t);      /* the dtype that values of t have outside of memory */
bool plan_is_short_float(const Type *t); /* fp16, bf16 */
/* The tile from whose buffer a gather takes elements: its source, or what that is a renaming of.
 * from[d]: which dimension of the source the tile's dimension d follows, or -1. */
Value *plan_gathered(const Op *gather, int8_t *from);
bool plan_is_usual(const Op *op); /* a select whose SELECT_ELSE is rarely computed */
/* plan_live.c: of a comparison that counts what steps, and up to where */
Value *plan_counted(const Value *v);
Value *plan_limit(const Value *v);
/* From a tile's first element to its last, of an index or of one number. */
int64_t plan_steps(const Plan *p, const Value *v);
/* Can both be computed for the first element, of scalars that are there? */
typedef bool IsThere(const void *ctx, const Value *scalar);
bool plan_can_count(const Value *v, IsThere *is_there, const void *ctx);
/* Of a comparison: can its operands be computed so, for the first and the last element? */
bool plan_holds_by_ends(const Value *v, IsThere *is_there, const void *ctx);
/* Does a comparison in the mask of a tile cut what `live` does, by dimension, and nothing else? */
bool plan_cuts(const Plan *p, const Op *dot, Value *mask, const Value *v, Value *const live[2]);
/* plan_dot.c: is the product in a loop that does nothing with the sum but add to it?  Its argument
 * is what is added to, and it yields the result as the same. */
bool plan_only_adds(const Plan *p, const Op *dot);
/* plan_strips.c: does a nest go in strips, now that its schedule is made? */
void plan_strips(const Plan *p, Nest *n);
/* .. where several planes go through a strip, does nothing cut one of them alone? */
bool plan_planes_are_alike(const Nest *n);
/* plan_keep.c: has a loop as many rounds in all programs, which is known before the first one? */
bool plan_rounds_are_known(const Op *loop);
/* plan_shape.c: of LLVM's names of features, "+avx2,-avx512f,..": what is not there is absent */
Machine plan_machine(const char *features);
/* .. the lanes that a nest would have if its rows were long enough */
int plan_full_lanes(const Plan *p, const Nest *n);
/* Does a reverse scan run along this dimension of the nest? */
bool plan_runs_backwards(const Nest *n, int dim);
/* plan_pieces.c: does an integer step up along the inner index of the space without coming around
 * where it was widened?  By how much, `most` at most: or 0. */
int64_t plan_steps_up(const Plan *p, AccessSpace *space, Value *v, const int8_t *map, int64_t most);
/* plan_access.c: is it this bound, wherever its dimensions are 1? */
bool plan_same_place(const Bound *b, const Value *v, const int8_t *map);
/* Is a mask false wherever one of the last bounds of the nest is?  False where it has none. */
bool plan_ends_with_bounds(Plan *p, Nest *n, Value *mask, const int8_t *map);
/* Does each load's mask have all bounds of the nest, or none? */
bool plan_bounds_meet(Plan *p, Nest *n);
/* plan_order.c */
extern const int8_t plan_identity[MAX_RANK]; /* maps each dimension to itself */
/* Does the map read v at the very index of a nest of that rank? */
bool plan_is_identity(const Value *v, const int8_t *map, int rank);
/* Under which mask a store stores, a histogram counts, an atomic changes something; else NULL. */
Value *plan_root_mask(const Root *r);

/* The limits of reading operands in place; a bit of Buffer.waits. */
enum { PLACE_PROGRAMS = 2, PLACE_PITCH = 2048, PLACE_BOTH = 2 };
/* Bytes of an operand of one product (Whole) that more programs may have, a share of the second
 * cache. */
enum { WHOLE_SHARED = 256 << 10 };
/* Rows that are far apart come to few places of the first cache, which have room for so many of its
 * first operand's. */
enum { WHOLE_FAR_ROWS = 8 };

/* Operands, as ir.h names those of other ops. */
enum { DOT_A, DOT_B, DOT_ACC };

#endif
