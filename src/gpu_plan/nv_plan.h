/*
 * nv_plan.h - how a kernel is spread over the threads of a block, before any code is made
 *
 * One program runs as one block of warps.  The planner reads optimised IR and decides, without LLVM
 * and testable as text (`tilec dump --stage layout`): which layout (layout.h) each tile has, where
 * it changes, how wide accesses are, what lies in shared memory and where threads must wait.
 * src/gen_nv/ then only carries the plan out, step by step.
 *
 * Vocabulary.  A *tile* is a value in one layout; a scalar is a tile without one, and every thread
 * holds it.  A value's *home* is the layout that its op gives it; a value without a home is *free*:
 * it is computed in whatever layout is asked for, once for each.  A block's plan is a list of
 * *steps*, in order.
 *
 * Two walks over the program make it.  nv_choose.c goes forward and gives homes.  nv_steps.c goes
 * backward: when it comes to an op it knows in which layouts the results are wanted, lists the
 * op's step and the conversions behind it, and says in which layouts it wants the operands.  Both
 * find what an op needs in the table of nv_rules.c, whose rules use nv_parts.c, nv_homes.c and
 * nv_want.c.  src/gpu_schedule then works on the plan as a whole, which it begins and ends: what
 * runs ahead, where buffers lie, where barriers stand.  Who does a step and what is waited for are
 * data, as all else is.
 */
#ifndef TILEC_GPU_PLAN_NV_PLAN_H
#define TILEC_GPU_PLAN_NV_PLAN_H

#include "../opt/opt.h"
#include "../gen/gen.h"
#include "../layout/layout.h"
#include "chip.h"
#include "../ir/analysis.h"

enum {
    NV_ACCESS_BYTES = 16,        /* of one thread, in one instruction */
    NV_LEAST_COPY = 4,           /* .. that goes to shared memory by itself, at least */
    NV_MOST_REGISTERS = 1 << 20, /* of all tiles together: a plan beyond is refused */
    /* from here on LLVM does what takes linear time alone; ptxas does the rest as well, in code
     * that is up to a sixth longer */
    NV_LONG_REGISTERS = 4096,
    NV_CHEAP = 12 /* ops up to which a free value is computed again */
};

typedef struct NvStep NvStep;
typedef struct NvPlan NvPlan;
typedef struct NvBlock NvBlock;
typedef struct NvAhead NvAhead;
typedef struct NvRing NvRing; /* gpu_schedule/nv_ring.h */
typedef struct NvFill NvFill;
typedef struct NvTensor NvTensor;
typedef struct NvPut NvPut;

/* A value in a layout, as one thread holds it: layout_registers() registers, of which some may not
 * be live; one register when it is a scalar. */
typedef struct NvTile {
    int id; /* dense within the plan */
    const Value *value;
    const Layout *layout; /* interned: the same layout is one pointer; NULL: a scalar */
    int buffer;           /* it lies in shared memory instead; else NV_NO_BUFFER */
    int64_t at;           /* bytes from the beginning of the buffer */
    SharedLayout memory;  /* of that */
    bool by_unit;         /* the unit for matrices reads it there by itself, not threads: writers
                             need a fence */
    bool common;          /* it is copied there once, and each thread takes what it wants */
    const struct NvTile *whole; /* not NULL: this one lies there in pieces of bf16, `pieces` tiles
                                   one behind the other, made of that one in shared memory */
    int pieces;
} NvTile;

/* How a global access goes: groups of registers whose elements are neighbours in memory. */
typedef struct {
    int vector_bits;                  /* elements that one instruction moves */
    int8_t regs[LAYOUT_MAX_REG_BITS]; /* bit i of the number within the vector is this bit of the
                                         register's */
    uint32_t run;    /* bits of the register's number along one run of addresses: the pointer of a
                        register is that of the one without these bits, and a constant */
    uint32_t copies; /* bits of the thread's number: who has one set need not write */
} NvAccess;

/* Of threads that hold copies one does something, and the others learn what it found. */
typedef struct {
    uint32_t copies; /* bits of the thread's number: who has one set does nothing */
    bool told;       /* does anybody have to learn it? */
    int buffer;      /* in which they find it; NV_NO_BUFFER: a lane of their warp has it */
} NvOnce;
enum { NV_ONCE_BYTES = 8 }; /* for one value on its way */

/* Loads or stores of neighbouring elements that one instruction does (nv_fields.c). */
enum { NV_MOST_FIELDS = 4 };
enum {
    STORE_FIELDS = STORE_MASK + 1
}; /* operands of such an NV_STORE from here on: all that it
      writes, by address */
typedef struct {
    const Op *ops[NV_MOST_FIELDS];     /* by address */
    int count;                         /* 2 or 4 */
    const Op *leader;                  /* where it is done: the first load, or the last store */
    int64_t before;                    /* elements between the first one and the leader's */
    const NvTile *out[NV_MOST_FIELDS]; /* of loads; NULL: nobody wants it */
    const Layout *home;                /* of loads: where all of them are, once one is listed */
} NvFields;

typedef enum {
    NV_COMPUTE, /* elementwise, constants, coordinates; what moves registers at most */
    NV_LOAD,
    NV_STORE,
    NV_CONVERT, /* the same value in another layout */
    NV_PUT,     /* registers to a tile in shared memory */
    NV_SPLIT,   /* a tile in shared memory to its pieces there */
    NV_COPY,    /* memory to a tile in shared memory, without waiting for it */
    NV_TAKE,    /* what lies there, copied by each thread for itself or for all, to registers */
    NV_FILL,    /* of the producer: a round's tiles come to the ring's next stage (nv_ring.h) */
    NV_SEND, /* registers to memory by way of shared memory, without waiting for it (nv_ring.h) */
    NV_SENT, /* a wait for that: what it says that it reads is no longer read */
    NV_MOVE, /* elements to other threads, by a rule that is no linear map */
    NV_REDUCE,
    NV_SCAN,
    NV_SORT, /* rows, by a network (nv_sort.h) */
    NV_ATOMIC,
    NV_DOT,
    NV_LAND, /* products of groups of warps have ended, and their sums are there (nv_land.c) */
    NV_RECORD,
    NV_INLINE,  /* the user's own instructions */
    NV_BARRIER, /* threads wait for each other: the program's own, or for shared memory */
    NV_FOR,
    NV_WHILE,
    NV_IF,
    NV_SLICES, /* the steps of its body, for some registers of each, then for the next ones */
    NV_STEP_KINDS
} NvStepKind;

/* Shared memory that one step or several use. */
enum { NV_NO_BUFFER = -1 };
typedef struct {
    int64_t bytes, offset; /* the offset is given by gpu_schedule/nv_shared.c; a multiple of 128 */
    int first, last;       /* steps, numbered in program order, between which it is in use */
    int align;             /* 0: as all are */
    bool always;           /* in use from the beginning on, or, where it has no steps, throughout */
} NvBuffer;

/* Who: so many warps of the program, from one on. */
typedef struct {
    int first, count;
} NvWarps;

/* What is waited for. */
typedef enum {
    NV_WAIT_NONE,
    NV_WAIT_LANES,    /* those of each warp for each other */
    NV_WAIT_WARPS,    /* all threads of these warps for each other, at a barrier of the chip */
    NV_WAIT_COPIES,   /* each thread for its own copies (NV_COPY) */
    NV_WAIT_PRODUCTS, /* each group of four warps for its own products */
    NV_WAIT_SENT      /* each thread for the tiles that it has sent (NV_SEND) */
} NvWaitKind;
typedef struct {
    NvWaitKind kind;
    NvWarps who;   /* waits */
    int barrier;   /* NV_WAIT_WARPS: its number */
    int in_flight; /* COPIES, PRODUCTS, SENT: groups that may still be under way behind it */
    bool fence;    /* COPIES: the unit for matrices reads them by itself */
    bool read;     /* SENT: until they have been read, which is before memory has them */
} NvWait;

/* What a step does with a buffer; `late`: behind the last time that it waits within. */
typedef struct {
    int buffer;
    bool write, late;
} NvUse;

struct NvStep {
    NvStepKind kind;
    int number;   /* in program order, as NvBuffer counts */
    const Op *op; /* NULL of barriers that the planner has put in */
    const NvTile **in, **out;
    int nin, nout; /* in: one for each operand of the op, and STORE_FIELDS; NULL: it wants none */
    NvWarps who;   /* does it */
    VEC(NvUse) uses;
    NvWait within; /* between its parts; of NV_BARRIER: what it is */
    NvWait before; /* in front of it: nv_put_barriers() puts an NV_BARRIER there */
    bool early;    /* NV_LOAD: may be done in front of what comes first, which is worth it */
    bool again;    /* NV_COMPUTE: it has been made before, which the assembler must not see */
    bool words;    /* NV_LOAD: it stays in words, of which slices take what they ask for */
    const NvStep *issued; /* NV_LOAD: for a loop's next round; behind that step, the last of them,
                             all are issued.  NULL: when the assembler likes */
    NvBlock *body[2]; /* of for, while, if; [0] of reduce and scan: what combines two elements */
    /* of one kind each */
    const int32_t *take; /* NV_COMPUTE of a move: register r is take[r] of the operand; -1: nothing;
                          * NULL: the same number */
    uint32_t same; /* NV_COMPUTE, NV_LOAD: bits of the register's number that change nothing: a
                    * register is that of the one without these bits */
    const Conversion *conversion;
    const NvAccess *access; /* of loads, stores, atomics */
    const NvOnce *once;     /* of atomics, and of loads of what may change meanwhile; NULL: each
                             * thread does it */
    const NvAhead *ahead;   /* of a loop; NULL: nothing runs ahead of it */
    int slices;             /* NV_SLICES: how many */
    int filled; /* .. of which so many are done by all threads, and the others by those of */
    const NvTile *inside; /* which `inside` has a lane there; NULL: all are filled */
    bool leaves; /* of steps in those: what it makes is read behind them, and kept till then */
    int16_t *slice_of;  /* .. by register: in which one it is made or stored, none where it is
                         * beyond; NULL: in no slices */
    const void *detail; /* of the kinds whose file says what it is */
};

struct NvBlock {
    VEC(NvStep *) steps;
    const NvTile **args, **ends; /* of the block's arguments; of what its terminator hands over */
    int nargs, nends;
};

/* Of a loop: steps that run some rounds ahead of its body and copy to shared memory what that will
 * read (nv_pipeline.c). */
struct NvAhead {
    int stages;      /* buffers */
    int distance;    /* rounds that the steps run ahead, each of whose copies are a group */
    NvWait own, all; /* one behind the other, before a round reads its copies: for those of each
                        thread, then for all threads */
    int buffer;      /* all stages, one behind the other */
    int64_t bytes;   /* of a stage */
    NvBlock steps; /* with arguments and ends as the body has, NULL where they need none; all tiles
                      that they make are their own, but for those of the copies */
    const NvStep *host;  /* behind the first reads of that product the steps of a round are done, so
                            that it has something to multiply; NULL: where the round begins */
    const NvStep *early; /* the product whose first reads of a round are done in the round before,
                            where the barrier is, too; NULL: each round begins with its own */
    VEC(const NvStep *) flying; /* products that go on over the end of their round */
    NvWait free; /* in front of a round's copies: all threads have seen what reads their place end;
                    none where that is so already */
    NvWait landed;         /* behind the loop, for products that go on */
    const NvStep *delayed; /* a product of the round before, behind a round's first one
                              (nv_delay.c); NULL: none */
    int delayed_end;       /* which of the body's ends its sum is */
    bool turns;            /* groups of warps ask for the products of a round one after the other */
    const NvFill *fill;    /* not NULL: a producer brings the tiles, `stages` and `distance` are the
                            * ring's, there are no steps, and `own` and `all` wait for nothing */
};

/* Detail of NV_MOVE: vectors in which the operand is laid down and, where it is no gather, the
 * result read, as bits of the number of their elements; bit i is bit put[i] or get[i] of the
 * register's. */
typedef struct {
    int put_bits, get_bits;
    int8_t put[LAYOUT_MAX_REG_BITS], get[LAYOUT_MAX_REG_BITS];
} NvMove;

/* Detail of NV_COPY, whose other parts are those of the load that it was. */
typedef struct {
    const NvTile *shape;  /* what the load would have given */
    const Layout *layout; /* the places of its registers in the tile in shared memory */
    int bits;             /* of the number of elements of a vector */
    int own;              /* vectors that each thread copies for itself, in the order of its
                             registers: vector v of all threads lies behind v - 1; 0: it copies for
                             all, to `layout` */
} NvCopy;

/* Detail of NV_PUT: vectors in which a tile is laid down, as bits of the register's number; of the
 * NV_TAKE of one that is copied for all, those in which it is read. */
struct NvPut {
    int nvector;
    int8_t regs[MAX_VECTOR_BITS];
    uint32_t copies; /* bits of the thread's number: who has one set need not write */
    bool fence;      /* who reads it does so by itself, without threads */
};

/* Detail of NV_SPLIT: which thread makes which elements, those of its registers in vectors: as bits
 * of the register's number, how they are read, and how the pieces are laid down. */
typedef struct {
    const Layout *layout;
    int nread, nwrite; /* nread <= nwrite */
    int8_t read[MAX_VECTOR_BITS], write[MAX_VECTOR_BITS];
    uint32_t copies; /* bits of the thread's number: who has one set does nothing */
} NvSplit;

/* What the planner knows of a value, by its id. */
typedef enum { NV_WEAK, NV_PLAIN, NV_DOT_RESULT } NvStrength;
typedef struct {
    const Layout *home;   /* NULL: free, or a scalar */
    NvStrength strength;  /* of the wish to stay there */
    int cost;             /* of one element, from what has a home on */
    VEC(NvTile *) tiles;  /* in the layouts in which it is wanted */
    const NvTile *common; /* in shared memory, from where other layouts take it; NULL: it goes there
                             from its home */
} NvValue;

/* Accesses of one shape that go along the same dimension fastest, which share their vectors. */
typedef struct {
    const Type *shape;
    int fastest;
    int widest, most;  /* bits: vectors that some access can use; what the largest element allows */
    int with, without; /* bytes of an element, of the accesses that can use vectors or cannot */
    int word;          /* bits: elements in a word, of the largest element */
    int scanned; /* 1 and the dimension that some scan goes along, if that is not the fastest; 0 */
    int run, equal; /* bits: neighbours for scans of several values; those that loads read alike */
} NvGroup;

struct NvPlan {
    Arena *arena;
    const Func *func;
    const GenOptions *options;
    Diags *diags;
    const Chip *chip;
    int warps;     /* a power of two */
    int together;  /* programs that shall fit a multiprocessor at once; 0: as it comes */
    bool in_loops; /* .. so that rounds begin with the loads of the next one */
    int wished;    /* the same, if it costs next to nothing: nobody knows before it is assembled, */
    int worth;     /* .. which is so many bytes of registers that a thread spills */
    bool crowds;   /* what it waits for is memory, so one more than fit by themselves is worth it */
    int most;      /* registers of a thread, as the launch says; 0: it does not */
    GenRecipe recipe;
    int room; /* registers of a thread, with which just two programs fit; 0: as it comes */
    AxisFacts *axis;
    const PointerBases *bases;
    uint64_t written;  /* parameters, as bits of bases, whose arrays the kernel writes */
    bool has_groups;   /* some product is computed by groups of four warps, */
    bool has_pieces;   /* and in pieces */
    bool meets;        /* programs may wait for each other, or write by their own instructions */
    uint64_t constant; /* parameters, as bits of bases, whose arrays nobody writes while it runs */
    UseLists uses;
    Map *group_ways; /* dot to how groups of four warps compute it, or why not (nv_group_dot.c) */
    NvValue *values;
    const uint8_t *facts; /* axis_number_facts() */
    VEC(NvTile *) tiles;
    VEC(Layout *) layouts;
    VEC(NvBuffer) buffers;
    Map *fields;         /* load to NvFields */
    VEC(NvGroup) groups; /* nv_access.c: all of the kernel's, each with all of its accesses */
    NvBlock *body;
    /* The vote on the first assertions, which also finds out whether one failed elsewhere, and the
     * record behind it that ends the program then; NULL: it is asked for at the program's start. */
    const NvStep *look, *looked;
    bool turns;        /* some loop's groups take turns */
    NvRing *ring;      /* what a producer fills; NULL: there is none */
    NvBlock *producer; /* the steps of its thread, the first one behind all warps */
    bool no_tensors;   /* tiles are not to come by tensor copies */
    bool no_pieces;    /* products are not to go in pieces */
    bool no_common;    /* small tiles are not to be copied for all threads */
    int commons;       /* tiles that shall be, and are not copies yet */
    bool no_sums;      /* sums are not to lie in tensor memory */
    int sum_columns;   /* of tensor memory that the program has; 0: none */
    int sums;          /* the buffer of their address and of what their products arrive at, */
    int sums_at_once;  /* .. products that may be under way together, a power of two */
    NvBlock *at;       /* the block that steps are listed for, last one first */
    int64_t shared;    /* bytes of a block */
    int64_t registers; /* of all tiles */
    bool alone;        /* steps listed now are of one thread by itself: of a combine function */
    bool refused;      /* a diagnostic says why */
};

/* What the planner does with an op.  A new op is a row of the table in nv_rules.c. */
typedef struct {
    /* Give the results their homes, from those of the operands. */
    void (*choose)(NvPlan *p, const Op *op);
    /* The results are wanted as values[].tiles say: list the steps, last one first, and want the
     * operands. */
    void (*list)(NvPlan *p, const Op *op);
} NvRule;
const NvRule *nv_rule(OpCode code); /* nv_rules.c; never NULL: one refuses what there is not */

/* fp8 goes between threads as the fp32 that it is in registers, where its bits cost more to make
 * than they save: unless the chip converts it, and all that it may be. */
static inline bool nv_goes_as_it_is(const NvPlan *p, const Type *t)
{
    return !t->pointer && dtype_is_fp8(t->dtype) &&
           !(t->dtype == DT_FP8E4NV && chip_has(p->chip, CHIP_FP8_CAST));
}
static inline int nv_exchanged_bytes(const NvPlan *p, const Type *t) /* of an element */
{
    return nv_goes_as_it_is(p, t) ? 4 : type_size(t);
}
static inline int nv_warp_bits(const NvPlan *p)
{
    return __builtin_ctz((unsigned)p->warps);
}
static inline LayoutThreads nv_block_threads(const NvPlan *p)
{
    return (LayoutThreads){p->chip->lane_bits, nv_warp_bits(p)};
}
static inline int nv_thread_count(const NvPlan *p) /* of a block */
{
    return p->warps << p->chip->lane_bits;
}
static inline bool nv_knows(const NvPlan *p, const Value *v, NumberFact fact)
{
    return p->facts[v->id] & fact;
}
/* May the op's powers and quotients be off by some units in the last place? */
static inline bool nv_is_loose(const NvPlan *p, const Op *op)
{
    return (op->code == OP_exp || op->code == OP_exp2 || op->code == OP_div) &&
           op->results[0]->type->dtype == DT_FP32 && nv_knows(p, op->results[0], NUMBER_LOOSE);
}
static inline NvWarps nv_all_warps(const NvPlan *p)
{
    return (NvWarps){0, p->warps};
}
static inline NvWait nv_wait_lanes(const NvPlan *p)
{
    return (NvWait){.kind = NV_WAIT_LANES, .who = nv_all_warps(p)};
}
static inline NvWait nv_wait_warps(const NvPlan *p) /* of the whole program */
{
    return (NvWait){.kind = NV_WAIT_WARPS, .who = nv_all_warps(p)};
}
static inline bool nv_meets(const NvWait *w) /* do warps wait for each other? */
{
    return w->kind == NV_WAIT_WARPS;
}
static inline uint32_t nv_threads(const NvPlan *p) /* the bits of a thread's number */
{
    return (uint32_t)nv_thread_count(p) - 1;
}

/* nv_parts.c */
const Layout *nv_layout(NvPlan *p, const Layout *l);         /* interned */
NvTile *nv_tile(NvPlan *p, const Value *v, const Layout *l); /* the one tile of v in l, made once */
/* Another tile of that one's value, which no step finds by nv_tile(). */
NvTile *nv_own_tile(NvPlan *p, const NvTile *like, const Layout *l);
NvStep *nv_step(NvPlan *p, NvStepKind kind, const Op *op); /* with room for all tiles; not listed */
/* The same from one tile to another one of the same value. */
NvStep *nv_step_between(NvPlan *p, NvStepKind kind, const NvTile *from, const NvTile *to);
int nv_stages_wanted(const NvPlan *p, const Op *loop); /* of its copies to shared memory */
void nv_list(NvPlan *p, NvStep *s); /* in front of those of the block that are listed already */
int nv_buffer(NvPlan *p, int64_t bytes); /* a new one's number; nv_place() says where it lies */
/* The step reads or writes the buffer; `late`: only behind the last time that it waits within. */
void nv_use(NvPlan *p, NvStep *s, int buffer, bool write, bool late);
/* This op (NULL: nobody knows which) is not done yet on this target, or not in this form. */
void nv_refuse(NvPlan *p, const Op *op, const char *what);
static inline NvValue *nv_value(const NvPlan *p, const Value *v)
{
    return &p->values[v->id];
}
static inline bool nv_is_tile(const Value *v)
{
    return v->type->rank > 0;
}
static inline const Layout *nv_home(const NvPlan *p, const Value *v)
{
    return p->values[v->id].home;
}

/* nv_homes.c */
void nv_set_home(NvPlan *p, const Value *v, const Layout *l, NvStrength s); /* copies *l */
const Layout *nv_need_home(NvPlan *p, const Value *v);     /* given one when it has none */
const Layout *nv_default_layout(NvPlan *p, const Type *t); /* the last dimension fastest */

/* nv_choose.c: forward */
void nv_choose(NvPlan *p);
/* Rules, as all nv_choose_..() of one op: give the results homes, where the op has a say in it.
 * Elementwise: that of the operand which wishes most; none where all operands are free. */
void nv_choose_elementwise(NvPlan *p, const Op *op);
void nv_choose_move(NvPlan *p, const Op *op); /* shapes: the home of the operand, moved along */
/* for, while, if: one home for what is carried or handed over, then the bodies. */
void nv_choose_control(NvPlan *p, const Op *op);

/* nv_near.c: where tiles go that are reduced again and again along short axes */
/* Of what is computed element by element and lies at home: there, or where less is exchanged. */
const Layout *nv_near_reductions(NvPlan *p, const Value *v, const Layout *home);
/* Of what a loop carries, for the reductions of its body. */
const Layout *nv_near_in_loop(NvPlan *p, const Block *body, const Value *carried,
                              const Layout *home);
/* Of an op whose operands are broadcasts: where these come from, if they have together no fewer
 * elements than the result, as the parts of a join have; then it is no more to move.  Or NULL. */
const Layout *nv_joined_home(NvPlan *p, const Op *op);

/* nv_want.c */
/* The step that brings a value from one layout to another; not listed. */
NvStep *nv_convert_step(NvPlan *p, const NvTile *from, const NvTile *to);
/* Does anybody want a result of the op, or does it do more than give them? */
bool nv_is_wanted(const NvPlan *p, const Op *op);
/* The result in its home, whose tile this gives, or NULL where nobody wants it and the op has no
 * effect; conversions to the other layouts are listed. */
NvTile *nv_result(NvPlan *p, const Op *op, int i);
/* From the home of a value to all other layouts in which it is wanted. */
void nv_list_conversions(NvPlan *p, const NvTile *home);
void nv_want(NvPlan *p, NvStep *s, int operand, const Layout *l); /* s->in[operand] */

/* nv_steps.c: backward */
void nv_list_block(NvPlan *p, const Block *b, NvBlock *out); /* ends wanted before */
/* Does value i that a `for` carries lie between rounds as it does in memory, several elements to a
 * word?  What a round loads for the next one does: nobody waits for it, to convert it, before. */
bool nv_carries_words(const NvStep *loop, int i);
/* The load of a block, or of its slices, that makes the tile; NULL: none does. */
const NvStep *nv_load_of(const NvBlock *b, const NvTile *t);
/* The operands in the layout of the result, or in what its rule makes of it. */
void nv_list_elementwise(NvPlan *p, const Op *op);
/* Rules too, as all nv_list_..() of one op: list its step and what converts its results, and say
 * in which layouts the operands are wanted; nothing where nobody wants a result and it has no
 * effect. */
void nv_list_move(NvPlan *p, const Op *op);
void nv_list_control(NvPlan *p, const Op *op); /* with the steps of its bodies */
/* The region of a reduce or scan as steps on scalars, which a thread does alone: there is no
 * barrier in them, and nothing is left to other threads. */
NvBlock *nv_list_region(NvPlan *p, const Block *region);

/* nv_put_plan.c: tiles in shared memory */
/* That of a value, made once; list_conversions() then puts it there. */
NvTile *nv_shared_tile(NvPlan *p, const Value *v, const SharedLayout *memory);
/* How registers of a layout go to shared memory that lies so. */
NvPut nv_put_of(const Layout *from, const SharedLayout *to);
/* List the step that copies registers to the same value's tile in shared memory. */
void nv_list_put(NvPlan *p, const NvTile *from, const NvTile *to);
/* A value of fp32 in shared memory in so many pieces of bf16, which lie there so (bytes: 2); made
 * of the value's whole tile, which is one more of its tiles.  `along`: the dimension along which
 * neighbours lie. */
NvTile *nv_split_tile(NvPlan *p, const Value *v, const SharedLayout *memory, int along, int pieces);
void nv_list_split(NvPlan *p, const NvTile *to); /* the step that makes them */
/* Bits of the number of an element within the longest vector that registers of a layout have in one
 * piece in shared memory: bit i is bit regs[i] of the register's number. */
int nv_shared_vector(const Layout *l, const SharedLayout *memory, int8_t regs[MAX_VECTOR_BITS]);

/* nv_common.c: small tiles of a loop that many threads want alike */
/* Does a load give 0, if anything, for what its mask leaves out, as copies to shared memory do? */
bool nv_pads_with_zero(const Op *load);
/* Is a load in that layout to be copied to shared memory once, for all threads? */
bool nv_is_common(const NvPlan *p, const Op *load, const Layout *wanted);
bool nv_may_be_common(const NvPlan *p, const Op *load); /* .. in some layout */
/* Its result, which has a home, lies there; list_conversions() then has it put and taken. */
void nv_make_common(NvPlan *p, const Op *load);
void nv_list_take(NvPlan *p, const NvTile *from, const NvTile *to); /* from there to registers */

/* nv_access.c: how memory is accessed; the rule for loads */
void nv_choose_load(NvPlan *p, const Op *op); /* coalesced */
void nv_list_load(NvPlan *p, const Op *op);   /* one of a group goes by nv_list_field() */
/* Does each round of a loop load so few elements, which nobody writes meanwhile, that every thread
 * could load those that it wants?  False for NULL. */
bool nv_is_small_load(const NvPlan *p, const Op *op);
/* For the op's pointer: lanes along what is contiguous, 16 bytes for each where that goes. */
const Layout *nv_coalesced(NvPlan *p, const Op *access);
/* The same with neighbours in lanes beside each other. */
const Layout *nv_by_elements(NvPlan *p, const Value *pointer);
/* The same for a pointer of which no access is known. */
const Layout *nv_coalesced_pointer(NvPlan *p, const Value *pointer);
/* Bits of the number of elements that one instruction may move at most; *dim: along that one. */
int nv_most_vector_bits(const NvPlan *p, const Op *access, int *dim);
/* Bits of the register's number between which the elements of a value are equal. */
uint32_t nv_equal_registers(const NvPlan *p, const Value *v, const Layout *l);
/* Mark the loads that may be done early; barriers stand where they belong. */
void nv_find_early_loads(NvPlan *p);
/* Of an access in that layout; `vectors`: false for what goes by elements. */
const NvAccess *nv_access(NvPlan *p, const Op *access, const Layout *l, bool vectors);

/* nv_store.c: the rule for stores, in the layout that costs least */
void nv_list_store(NvPlan *p, const Op *op);
/* Cycles of a multiprocessor for a store from that layout, with what brings its operands there; for
 * bringing a value there from its home; and for laying such a tile down in shared memory until
 * others may read it.  INT64_MAX: it cannot. */
int64_t nv_cost_of_store(NvPlan *p, const Op *op, const Layout *l);
int64_t nv_cost_of_conversion(NvPlan *p, const Value *v, const Layout *to);
int64_t nv_cost_of_put(const NvPlan *p, const Layout *l, const SharedLayout *memory);

/* nv_offset.c: where the element at that coordinate lies, but for what is the same for all of the
 * tile; false: nobody knows. */
bool nv_offset_of(const Value *pointer, const Layout *l, uint32_t at, int64_t *elements);

/* nv_once_plan.c */
/* How a step with so many results of that layout (NULL: scalars) is done by one thread for all
 * copies of it; `told`: somebody wants the results.  Says which memory the step uses, and whether
 * it waits. */
const NvOnce *nv_once(NvPlan *p, NvStep *s, const Layout *l, int results, bool told);
/* The same of a load: NULL where nobody writes what it reads while it does. */
const NvOnce *nv_once_loaded(NvPlan *p, NvStep *s, const Layout *l);

/* nv_fields.c */
void nv_find_fields(NvPlan *p);                             /* before homes are chosen */
bool nv_is_stored_later(const NvPlan *p, const Op *op);     /* by another field's store */
void nv_want_fields(NvPlan *p, NvStep *s, const Layout *l); /* all that a store writes */
/* A load of a group, wanted in t (or NULL), is listed where the first stands.  False: none. */
bool nv_list_field(NvPlan *p, const Op *op, const NvTile *t);
const Layout *nv_fields_home(NvPlan *p, const Op *load); /* NULL: of no group, or not yet known */

/* The rules of other files.  nv_combine_plan.c: results where the walk along the axis ends. */
void nv_choose_reduce(NvPlan *p, const Op *op);
void nv_choose_scan(NvPlan *p, const Op *op); /* the layout of the operands */
void nv_list_reduce(NvPlan *p, const Op *op); /* with the region, and memory where warps meet */
void nv_list_scan(NvPlan *p, const Op *op);   /* the same */
/* nv_move_plan.c */
/* A reshape or slice whose result is that tile, through shared memory; refused where the operand
 * takes too much. */
void nv_list_far_move(NvPlan *p, const Op *op, const NvTile *t);
/* How an operand in that layout is laid down. */
const NvMove *nv_move_plan_put(NvPlan *p, const Value *operand, const Layout *l);
/* nv_gather_plan.c: both lay the source or the counts down in shared memory. */
void nv_choose_gather(NvPlan *p, const Op *op);    /* as the index is */
void nv_list_gather(NvPlan *p, const Op *op);      /* refused where the source takes too much */
void nv_choose_sort(NvPlan *p, const Op *op);      /* from the operand's; nv_sort_plan.c */
void nv_list_sort(NvPlan *p, const Op *op);        /* warps exchange elements in pieces */
void nv_choose_histogram(NvPlan *p, const Op *op); /* a layout of its own */
void nv_list_histogram(NvPlan *p, const Op *op);   /* refused where the counts take too much */
/* nv_atomic_plan.c: coalesced as a load; the step is listed even where nobody wants the result. */
void nv_choose_atomic(NvPlan *p, const Op *op);
/* Bits of the number of neighbours that one instruction of the chip updates at most. */
int nv_atomic_bits(const NvPlan *p, const Op *op);
void nv_list_atomic(NvPlan *p, const Op *op); /* with memory for results of whoever holds copies */
/* nv_record_plan.c: there are no results to choose homes for. */
void nv_list_record(NvPlan *p, const Op *op);
void nv_find_look(NvPlan *p);                   /* NvPlan.look, when all steps are listed */
void nv_choose_inline(NvPlan *p, const Op *op); /* nv_inline_plan.c: one operand's home for all */
void nv_list_inline(NvPlan *p, const Op *op);   /* refused where its constraints cannot be met */
/* nv_dot.c: the accumulator as the instruction has it; refused where none computes the types. */
void nv_choose_dot(NvPlan *p, const Op *op);
void nv_list_dot(NvPlan *p, const Op *op); /* operands in fragments, or put into shared memory */

#endif
