/*
 * machine.h - what the interpreter's files share; nothing outside src/interp/ includes it
 *
 * A SlotPlan says where the values of a function live: shapes are static, so every value gets a
 * slot of fixed size, and values that do not live at the same time share one (slots.c).  A Frame is
 * the memory of one activation; frames are kept and used again, so that running a program allocates
 * nothing.
 *
 * Elements lie in row-major order in memory form: dtype_size bytes each, i1 one byte of 0 or 1,
 * pointers 8 bytes.
 */
#ifndef TILEC_MACHINE_H
#define TILEC_MACHINE_H

#include "interp.h"

/* A combine region without loops runs on up to this many lanes at once: each of its scalars is
 * then an array. */
enum { WIDE_LANES = 512 };

enum { DEEPEST_CALL = 200 };

typedef struct InterpFrame Frame;

/* What a plan knows about one op beyond its operands' slots. */
typedef struct {
    int *temps; /* slots for the op's own use */
    int ntemps;
    bool wide;        /* of reduce, scan: the region runs on many lanes at once */
    Value **captured; /* of a wide region: scalars from outside; one temp each, at the end */
    int ncaptured;
} OpSlots;

typedef struct {
    int lanes;    /* elements that a scalar has room for: 1 or WIDE_LANES */
    bool keeps;   /* no value ever gives its slot to another */
    bool scalars; /* tiles have no slots */
} SlotOptions;

typedef struct {
    const Func *func;
    SlotOptions options;
    int nslots;
    size_t *bytes; /* by slot */
    int *slot_of;  /* by value id; -1: another value's memory, set while running */
    bool *fixed;   /* by value id: the same in every program, computed once a frame */
    Op **once;     /* the ops that make those, in order */
    int nonce;
    Map *ops;    /* Op* to OpSlots* */
    Frame *idle; /* frames that wait to be used again */
} SlotPlan;

typedef struct {
    Arena *arena;
    Guard guard;
    Diags *diags;
    const InterpLaunch *launch;
    int32_t program[3];
    RaceProgram race;        /* the same, where the launch looks for races */
    bool raced;              /* that is why it stopped */
    Map *plans, *wide_plans; /* Func* to SlotPlan* */
    int depth;               /* of calls */
    const Op *calls[DEEPEST_CALL];
    bool dry;         /* dry.c: memory is not touched, and what follows from it is not known; */
    const Map *masks; /* .. tiles are, where they are in this set of Value*, */
    int64_t budget;   /* .. until so many elements are computed; */
    double rounds;    /* .. and for how many rounds of loops one stands */
} Machine;

struct InterpFrame {
    Machine *machine;
    SlotPlan *plan;
    void **slot;   /* by value id */
    void **memory; /* by slot */
    size_t width;  /* lanes that each scalar has now; 1 outside wide regions */
    bool *made;    /* by value id: it is in its slot; NULL: unless the plan keeps values, all are */
    Frame *caller; /* .. and the op that calls; NULL: the kernel's */
    const Op *call;
    int site; /* of the op that an observer was told of last */
    Frame *next_idle;
};

static inline size_t value_size(const Value *v)
{
    return (size_t)type_size(v->type);
}
static inline size_t value_numel(const Value *v)
{
    return (size_t)type_numel(v->type);
}

/* The dtype to compute a value with: pointers are u64. */
static inline DType value_dtype(const Value *v)
{
    return v->type->pointer ? DT_U64 : v->type->dtype;
}

static inline void *operand(const Frame *f, const Op *op, int i)
{
    return f->slot[op->operands[i]->id];
}

static inline void *result(const Frame *f, const Op *op)
{
    return f->slot[op->results[0]->id];
}

/* slots.c */
/* In the arena; its frames are made by whoever runs it. */
SlotPlan *slots_plan(Arena *a, const Func *func, SlotOptions options);

/* frames.c */
/* A frame of the function that is not in use; the kernel's is then to run what is computed once. */
Frame *frame_take(Machine *m, const Func *func, bool wide);
void frame_give_back(Frame *f);
void frame_once(Frame *f);   /* run what is the same in every program */
void frame_forget(Frame *f); /* values of an activation before this one */
/* NULL for an op that needs nothing beyond operands and results. */
OpSlots *slots_of_op(const Frame *f, const Op *op);
static inline void *op_temp(const Frame *f, const OpSlots *p, int i)
{
    return f->memory[p->temps[i]];
}
size_t bytes_now(const Frame *f, const Value *v); /* of all lanes */
/* Where not all are: is it there, and may another be made of it?  A dry run hands on no tiles. */
bool is_made(const Frame *f, const Value *v);
bool set_made(Frame *f, const Value *v, bool made); /* gives `made` */
void copy_value(Frame *f, const Value *from, const Value *to);
/* Hand values on, as far as they are there. */
void copy_values(Frame *f, int n, Value *const *from, Value *const *to);

/* interp.c */
/* The frame of a kernel, for all of its programs; arena, diags and launch are there. */
Frame *machine_begin(Machine *m, const Func *kernel);
void machine_program(Machine *m, Frame *f, int64_t id); /* run it from its first op to its last */
const Op *exec_block(Frame *f, const Block *b);         /* gives its terminator */
void exec_op(Frame *f, const Op *op);
/* Tell those who look for races what an op means for the lanes of the program. */
void machine_note_lanes(Machine *m, const Op *op);
/* Stop the run with an error at the op. */
NORETURN void machine_stop(Machine *m, const Op *op, const char *fmt, ...) PRINTF(3, 4);
/* The same for a race with an access by the op, "load of". */
NORETURN void machine_stop_race(Machine *m, const Op *op, const char *access, const Race *race);

/* dry.c: exec_op() where only some values are known */
void dry_op(Frame *f, const Op *op);
/* A loop whose rounds are all alike, and so many that one is enough. */
bool dry_is_long(const Op *loop, uint64_t trips);
/* What its results are follows from its operands alone, and it is no control. */
bool dry_follows(const Op *op);

/* observe.c: exec_block() where the launch has an observer */
const Op *observe_block(Frame *f, const Block *b);

/* interp_memory.c */
/* Offsets of any integer dtype, in elements of the pointee. */
void exec_addptr(Frame *f, const Op *op);
/* Where the mask is false `other`, or 0; nothing is read there. */
void exec_load(Frame *f, const Op *op);
/* Of several lanes to one address the last wins (R210 leaves it open). */
void exec_store(Frame *f, const Op *op);
/* Gives what was there before, 0 where the mask is false; lanes in order.  Atomic beside other
 * threads too. */
void exec_atomic_rmw(Frame *f, const Op *op);
/* Gives what was there before, whether it was replaced or not. */
void exec_atomic_cas(Frame *f, const Op *op);

/* interp_record.c */
/* Hands the values to launch->records; without those nothing happens. */
void exec_record(Frame *f, const Op *op);
void exec_assert(Frame *f, const Op *op); /* and check */

/* interp_shape.c */
/* Put n copies of one element of 1, 2, 4 or 8 bytes. */
void machine_fill(void *dst, const void *one, size_t size, size_t n);
/* Copy a grid of elements; strides count elements, dims are row-major. */
void machine_copy_strided(void *dst, const int64_t *dst_strides, const void *src,
                          const int64_t *src_strides, int rank, const int64_t *dims, size_t size);
void machine_arange(const Op *op, int32_t *dst); /* i32 from the op's start on, one by one */
void machine_move(const Op *op, void *dst, const void *src); /* MOVES: from an operand's elements */
void exec_gather(Frame *f, const Op *op);                    /* 0 where the index leads nowhere */
void exec_histogram(Frame *f, const Op *op); /* values without a bin count nowhere */
void exec_sort(Frame *f, const Op *op);      /* by what slots.c keeps for one row's keys */

/* interp_reduce.c: how reduce and scan see a tile, and their temps */
typedef struct {
    int64_t outer, length, inner; /* length is the axis */
} CombineView;
/* Outer and inner: the product of what is left and right of the axis. */
CombineView combine_view(const Type *t, int axis);
/* Rows this short are first brought together, so that each step has many lanes. */
enum { SHORT_ROW = 32 };
/* Of each operand; the captured scalars come behind them all. */
typedef enum { TEMP_WORK, TEMP_FIRST, TEMP_SECOND, TEMP_ASIDE, COMBINE_TEMPS } CombineTemp;
/* As a tree: each level combines neighbours along the axis, and an odd last one waits for the next
 * level. */
void exec_reduce(Frame *f, const Op *op);
/* In order along the axis, from its end when reversed; each line by itself. */
void exec_scan(Frame *f, const Op *op);

/* data.c: sets of Value*, of a kernel and its helpers, in the arena */
Map *count_data(const Func *f, Arena *a);  /* what makes the elements that are stored */
Map *count_masks(const Func *f, Arena *a); /* the tiles that make masks, as far as dry_follows() */

/* interp_dot.c */
enum { DOT_ROWS = 4 }; /* rows of the result that are computed together */
/* It is i32 for integers, fp64 for fp64, else fp32; the accumulator may be another. */
DType dot_compute_dtype(const Op *op);
/* Batches of [rows, depth] x [depth, cols] + [rows, cols]. */
void exec_dot(Frame *f, const Op *op);

#endif
