/*
 * execute.h - warps that run
 *
 * A worker, one thread of the host, runs one block after the other; a block's warps take turns,
 * each until it waits at a barrier, ends, or has run for long.  A warp executes an instruction for
 * all of its lanes at once, in loops over registers of 32 lanes.  Lanes that go different ways at a
 * branch are run one way after the other, and meet again where all ways do (flow.c).
 *
 * Instructions return nothing: what must not happen is kept by fault(), and stops the launch.
 */
#ifndef TILEC_SIM_EXECUTE_H
#define TILEC_SIM_EXECUTE_H

#include "../ptx/ptx.h"
#include "sim.h"
#include "../race/race.h"

enum {
    BARRIERS = 16,
    /* Paths that wait: each split leaves fewer lanes, so 31 of them with two paths each, and a call
     * more for each function that may be active. */
    MOST_PATHS = 2 * LANES + 64
};
#define ALL_LANES UINT32_MAX

enum { MAX_WARPS = 32, GROUP_WARPS = 4, MOST_GROUPS = MAX_WARPS / GROUP_WARPS };

/* What is in order before what a warp does now: what each of these did up to that clock.  The warps
 * of the block come first, then the last fence of each that orders its stores before what copies
 * and wgmma read, by its own clock, then the products of each group of warps. */
enum { MOST_KNOWN = 2 * MAX_WARPS + MOST_GROUPS };
typedef struct {
    uint32_t at[MOST_KNOWN];
} Known;

typedef struct Block Block;
typedef struct Worker Worker;
typedef struct Launch Launch;
typedef struct Pace Pace;

/* Lanes that run together: from `pc` on until they come to `meet`.  `frame` counts the calls. */
typedef struct {
    uint32_t pc, meet, mask, frame;
} Path;

typedef enum { WARP_READY, WARP_WAITS, WARP_DONE } WarpState;

/* cp.async: a copy that was asked for and not waited for. */
typedef struct {
    const char *from;
    uint32_t to; /* in shared memory */
    uint32_t group;
    uint8_t bytes, from_bytes; /* the rest is zeros */
    uint8_t lane;
} Copy;
typedef struct {
    Copy *at;
    int len, cap;
    uint32_t committed[LANES]; /* groups of each lane */
} Copies;

/* A tile of a tensor map; rank 0: there is none. */
typedef struct {
    TensorMap map;
    int32_t first[TENSOR_MAP_RANK]; /* element of each dimension, inside the tensor or not */
} Tile;

/* cp.async.bulk to shared memory, which an mbarrier is told of, and from there, which groups are.
 */
typedef struct {
    char *host; /* global memory; of a tile that of the tensor */
    Tile tile;
    uint32_t at, bytes;
    uint32_t mbarrier; /* its place in shared memory */
    uint64_t due;      /* when it arrives; by pace.c */
    uint32_t group;
    uint8_t warp, lane;
} Bulk;
typedef struct {
    Bulk *at;
    int len, cap;
} Bulks;

/* An mbarrier object: a phase ends when all have come, and all bytes that were told of. */
typedef struct {
    uint32_t at;                /* in shared memory */
    uint32_t expected, pending; /* arrivals of each phase, and those that this one still lacks */
    uint32_t phase;             /* how many have ended */
    int64_t bytes;              /* that this phase still lacks */
    Known came;                 /* by those who came to this phase, .. */
    Known known;                /* .. and by all to those that have ended */
    uint64_t due, ended;        /* when all that has come to this phase is there, and to the last;
                                 * by pace.c */
    bool is_copy, was_copy;     /* the last of it is a copy */
} Mbarrier;
typedef struct {
    Mbarrier *at;
    int len, cap;
} Mbarriers;

/* wgmma: a product that the four warps of a group do together; tcgen05: one that a thread of theirs
 * has asked for, or a commit of those before it. */
typedef struct {
    const Inst *in;
    uint64_t a, b;     /* where its operands are in shared memory, as its descriptors say */
    bool adds;         /* it adds to what is there */
    uint8_t came;      /* wgmma: warps of the group that have asked for it, a bit each */
    uint32_t d;        /* tcgen05: the address of its sum, */
    uint32_t how;      /* the instruction's descriptor, */
    uint32_t mbarrier; /* and of a commit, where in shared memory who waits is told */
} Product;
typedef struct {
    Product *at; /* that are not done; the first one is number `done` of the block */
    int len, cap;
    uint32_t done;
} Products;
/* A register that is an operand of some wgmma. */
typedef struct {
    const Inst *sum, *left;           /* the last that had it as result, and as A; NULL: none */
    uint32_t sum_number, left_number; /* .. as which of the warp's products, from 1 */
    uint32_t sum_fences;              /* behind so many fences; */
    uint32_t touched;                 /* likewise when others last touched it, and 1; 0: never */
} Held;
/* What a warp has to do with them. */
typedef struct {
    uint32_t asked;   /* it has asked for so many, */
    uint32_t waited;  /* has waited for so many, */
    uint32_t until;   /* and waits for so many */
    uint32_t *groups; /* `asked` at each commit that is not waited for */
    int len, cap;
    Held *held;      /* of SimModule.nheld registers, the first one's number is 1 */
    uint32_t fences; /* wgmma.fence, so far */
} Asked;

struct Warp {
    char *regs;
    char *local; /* the local memory of its lanes, one after the other */
    Path now;
    uint32_t live;  /* lanes that have not ended */
    uint32_t carry; /* of add.cc and its kin */
    WarpState state;
    bool stop;  /* leave the loop and look at `state` */
    bool again; /* the instruction has run before, and had to wait */
    int depth;
    Path waiting[MOST_PATHS];
    const Inst *inst; /* that runs, or waits */
    uint32_t inst_mask;
    int index; /* in its block */
    Block *block;
    Worker *worker;
    const SimModule *module;
    uint32_t clock; /* of shadow.c: counts what orders memory */
    Known seen;     /* its own clock is not kept up to date there */
    Copies copies;
    Bulks stores;                /* that are not waited for */
    uint32_t bulk_groups[LANES]; /* of them, of each lane, that are committed */
    Asked products;
    uint32_t registers; /* that it has asked for; 0: it was not */
    Pace *pace;         /* NULL: nothing is counted */
};

typedef struct {
    int expected, arrived;    /* threads; arrived 0: nobody is there */
    uint32_t waiting;         /* warps */
    uint32_t count, all, any; /* of the predicates of bar.red */
    Known joined;             /* by those that came */
    uint64_t latest;          /* of their clocks, by pace.c */
} Barrier;

typedef struct Shadow Shadow;
typedef struct OwnMemory OwnMemory;
typedef struct TensorMemory TensorMemory;

struct Block {
    Warp *warps;
    int nwarps;
    char *shared;
    uint32_t shared_bytes;
    Shadow *shadow;    /* one for each byte */
    uint32_t *fetched; /* by wgmma: of each 16 bytes and each group the time; NULL: never */
    uint32_t born;     /* clock that the block began with */
    uint64_t clock;    /* what programs read as one, of move.c */
    Barrier barriers[BARRIERS];
    Mbarriers mbarriers;
    Bulks loads;                  /* that have not arrived */
    Products groups[MOST_GROUPS]; /* of each group of warps */
    TensorMemory *tensor;         /* NULL: nobody has asked for any yet */
    int32_t program[3];
    RaceProgram race;
};

static inline int known_fence(const Block *b, int warp)
{
    return b->nwarps + warp;
}
static inline int known_group(const Block *b, int group)
{
    return 2 * b->nwarps + group;
}
static inline void know_also(const Block *b, Known *all, const Known *more)
{
    int n = known_group(b, b->nwarps / GROUP_WARPS);

    for (int i = 0; i < n; i++)
        all->at[i] = MAX(all->at[i], more->at[i]);
}

struct Worker {
    const Launch *launch;
    int index;
    Block block;
    WorkCount *counts; /* one for each instruction, or NULL */
    SimStatus status;
    SimError error;
};

struct Launch {
    const SimModule *module;
    const SimKernel *kernel;
    const SimLaunch *asked;
    const SimRange *globals; /* variables of the module */
    const char *params;      /* as PtxVar.address says */
    int64_t programs;
    _Atomic int64_t next; /* program that nobody has taken */
    _Atomic bool stopped; /* somebody has failed */
    Races *races;         /* NULL: nobody looks for them */
    OwnMemory *own;       /* NULL: programs may reach nothing but the launch's ranges */
};

#define REG(w, place, T) ((T *)((w)->regs + (place)))
#define OPERAND(w, in, n, T) REG(w, (in)->op[n], T)
#define FOR_LANES(lane, mask)                                                                      \
    for (uint32_t rest_ = (mask), lane; rest_ && (lane = (uint32_t)__builtin_ctz(rest_), true);    \
         rest_ &= rest_ - 1)

static inline void write_predicate(Warp *w, uint32_t place, uint32_t bits, uint32_t mask)
{
    uint32_t *p = REG(w, place, uint32_t);

    *p = (*p & ~mask) | (bits & mask);
}

/* fault.c: the launch stops here.  A lane of -1: the warp as a whole. */
void fault(Warp *w, SimFault kind, int lane, const char *fmt, ...) PRINTF(4, 5);

/* warp.c */

/* `at`, an array of `len` items that has room for another one; it may have moved.  NULL: memory is
 * out, and the launch stops. */
void *room_for_one(Warp *w, void *at, int len, int *cap, size_t bytes);
void warp_start(Warp *w);                    /* at the first instruction of the kernel */
void warp_run(Warp *w);                      /* until it waits, ends, fails or has run for long */
void warp_end_lanes(Warp *w, uint32_t mask); /* on all of its paths */

/* block.c: barriers */
bool block_run(Worker *worker, int64_t program); /* false: it failed */

/* access.c */

/* The addresses of an operand in all lanes, inactive ones too. */
void access_addresses(const Warp *w, const PtxAddress *a, uint64_t address[LANES]);
/* ACCESS_COPY: a write that has begun; until shadow_end_copy() nobody may touch the bytes.
 * ACCESS_FETCH: a read for it, which is not counted. */
typedef enum { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC, ACCESS_COPY, ACCESS_FETCH } AccessKind;
/* Where `bytes` from each address lie on the host, for the lanes of the mask, checked and counted.
 * False after a fault. */
bool access_resolve(Warp *w, PtxSpace space, AccessKind kind, uint32_t bytes, uint32_t mask,
                    const uint64_t address[LANES], char *host[LANES]);

/* The same of any number of bytes at once, in global or shared memory, not counted. */
bool access_run(Warp *w, PtxSpace space, AccessKind kind, int lane, uint64_t at, uint32_t bytes);

/* shadow.c: who touched which byte of shared memory */
Shadow *shadow_new(uint32_t bytes); /* NULL: out of memory */
void shadow_free(Shadow *s);        /* NULL is allowed */
void shadow_start_block(Block *b);  /* nothing is written yet, and nothing known of others */
/* An access by a lane; false after a fault. */
bool shadow_access(Warp *w, AccessKind kind, int lane, uint32_t at, uint32_t bytes);
/* May wgmma read them, as this warp asks for it?  False after a fault. */
bool shadow_may_fetch(Warp *w, uint32_t at, uint32_t bytes);
/* It will read 16 bytes for the product of that number of this warp's group; shadow_fetched(): this
 * warp has waited for that many.  False: memory is out. */
bool shadow_fetch(Warp *w, uint32_t at, uint32_t number);
void shadow_fetched(Warp *w, uint32_t count);
/* Who knows `all` knows that so many products of that group are done; is the one of that number? */
void shadow_product_done(const Block *b, Known *all, int group, uint32_t count);
bool shadow_knows_product(const Warp *w, int group, uint32_t number);
/* What this warp has done, and all that it knows of, is in order for who knows `all`. */
void shadow_tell(Warp *w, Known *all);
/* An ACCESS_COPY by this warp has arrived. */
void shadow_end_copy(Warp *w, uint32_t at, uint32_t bytes, bool bulk);
/* Has each of these bytes been written in front of a fence for what reads them, `reader`?  False
 * after a fault. */
bool shadow_fenced(Warp *w, int lane, uint32_t at, uint32_t bytes, const char *reader);

/* mbarrier.c */

/* The mbarrier of that address; NULL after a fault.  Until another one is made. */
Mbarrier *mbarrier_at(Warp *w, int lane, uint64_t address);
/* A copy that this warp began has brought bytes. */
void mbarrier_bring(Warp *w, Mbarrier *m, uint32_t bytes);
/* So many products of that group are done, which counts as an arrival; `w` asked for that. */
void mbarrier_tell_product(Warp *w, Mbarrier *m, int group, uint32_t count);
void mbarrier_wake(Block *b);  /* whoever waits for one looks again */
void mbarrier_report(Warp *w); /* it waits for one, and nobody can run */
bool mbarrier_waits(const Warp *w);

/* bulk.c */
void bulk_deliver(Block *b, Mbarrier *m); /* what copies bring to its phase arrives */
bool bulk_end(Block *b); /* false after a fault: copies that nobody has waited for */

/* A copy is kept until it is waited for; false: memory is out. */
bool bulk_keep(Warp *w, Bulks *all, Bulk bulk);
/* What a copy asks of global memory. */
void bulk_count(Warp *w, uint64_t from, uint64_t to, uint32_t bytes);

/* tensor.c: tiles of tensor maps between shared memory and global memory, when they are waited for
 */
void tensor_bring(Warp *w, const Bulk *b); /* to shared memory */
void tensor_take(Warp *w, const Bulk *b);  /* from there */

/* matrix.c */

/* The instruction needs the whole warp; false after a fault. */
bool matrix_whole_warp(Warp *w, uint32_t mask);
/* A row of n elements, as they lie in memory, as numbers; integers too. */
void matrix_widen(PtxType t, const void *from, int n, double *out);
/* The sum of products and an addend, as results are rounded. */
int32_t matrix_add_int(const Inst *in, double sum, int32_t c);
uint32_t matrix_add_float(double sum, float c);
uint16_t matrix_add_half(double sum, uint16_t c);

/* wgmma.c */
bool wgmma_open(Warp *w); /* false: memory is out */
void wgmma_start(Block *b);
void wgmma_close(Block *b); /* frees what it has */
bool wgmma_end(Block *b);   /* false after a fault: products that nobody has waited for */
bool wgmma_waits(const Warp *w);
void wgmma_report(Warp *w); /* it waits for others of its group, and nobody can run */

/* tcgen05.c */
void tcgen05_start(Block *b);
void tcgen05_close(Block *b);                /* frees what it has */
void tcgen05_deliver(Block *b, Mbarrier *m); /* what its phase waits for is done */
bool tcgen05_end(Block *b); /* false after a fault: what nobody has waited for or given back */

/* wgmma_check.c: in front of an instruction that touches registers which wgmma has; false after a
 * fault. */
bool wgmma_may_touch(Warp *w, const Inst *in);

/* The range of the launch that an address lies in, or -1. */
int access_range(const Launch *l, uint64_t address);

/* own.c: the process's memory, for kernels that follow addresses which they load */
OwnMemory *own_memory_new(void);      /* NULL: out of memory */
void own_memory_free(OwnMemory *own); /* NULL is allowed */
/* The part that an address lies in, which lives as long as `own`; NULL: it is in none. */
const SimRange *own_memory_find(OwnMemory *own, uint64_t address);

/* order.c: programs that touch the same global memory, for race.h; where the launch does not look
 * for races these do nothing, but the store */
/* In front of a plain read of `bytes` at an address that was resolved; false after a fault. */
bool order_load(Warp *w, int lane, const char *host, uint32_t bytes);
/* A plain write, which it does unless that is a fault. */
void order_store(Warp *w, int lane, char *host, const void *bytes, uint32_t n);
void order_fence(Warp *w);
/* In front of an atomic; `reads`: it makes something of what is there.  False after a fault. */
bool order_atomic(Warp *w, int lane, const char *host, uint32_t bytes, bool reads);
void order_seen(Warp *w, const char *host, uint32_t bytes); /* behind that atomic */
/* Behind a read that may wait for another program. */
void order_observe(Warp *w, const char *host, uint32_t bytes);

/* count.c */

/* A request of the lanes of a mask, for the instruction that runs; `bytes` of each lane. */
void count_global(Warp *w, uint32_t bytes, uint32_t mask, const uint64_t address[LANES]);
/* The same for copies from there to shared memory, each of no more than a sector. */
void count_copies(Warp *w, uint32_t mask, const uint64_t from[LANES], const uint64_t to[LANES]);
/* The same of shared memory, whose banks it takes turns at. */
void count_shared(Warp *w, uint32_t bytes, uint32_t mask, const uint64_t address[LANES]);
/* One request for what a unit reads there by itself, in whole lines. */
void count_unit(Warp *w, uint32_t bytes);
/* Add what n instructions did to what they did before. */
void count_add(WorkCount *to, const WorkCount *from, int n);
bool count_lines(const SimModule *m, const WorkCount *counts,
                 SimCounts *out); /* false: no memory */

/* pace.c: the clock of a warp that has the machine to itself, where work is counted */
void pace_mark(SimModule *m); /* fills in which unit does each instruction */
bool pace_open(Warp *w);      /* false: memory is out */
void pace_close(Warp *w);     /* frees it; of one that has none, too */
void pace_start(Warp *w);     /* at the kernel's beginning */
void pace_step(Warp *w, const Inst *in, WorkCount *count); /* in front of an instruction */
void pace_arrive(const Warp *w, Barrier *b);               /* which opens no earlier than now */
void pace_leave(Warp *w, const Barrier *b);                /* which opens */
uint64_t pace_now(const Warp *w);    /* its clock, in cycles; 0: nothing is counted */
uint64_t pace_copied(const Warp *w); /* when a copy arrives that begins now */
/* The mbarrier's last phase has ended, for who waits for it. */
void pace_wait(Warp *w, const Mbarrier *m);

/* The functions of the table's rows; table.c says which instruction each is. */
#define DECLARE_RUN(name, modifiers, types, operands, run) Execute run;
#include "rows.h"
PTX_TABLE(DECLARE_RUN, DECLARE_RUN)
#undef DECLARE_RUN

extern const PtxTable sim_table; /* table.c, of rows.h: what there is, and which function does it */

/* flow.c: fills in where branches meet. */
void flow_find_meets(SimModule *m, const PtxFunc *f, Arena *scratch);

/* wgmma_check.c: fills in which instructions touch registers that wgmma has. */
void wgmma_mark(SimModule *m);

#endif
