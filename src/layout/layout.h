/*
 * layout.h - where the elements of a tile are on a GPU: in registers, lanes, warps, shared memory
 *
 * A tile of one program is spread over the threads of its block.  A Layout says which element the
 * register r of lane l of warp w holds, as a linear map over bits: every bit of r, l and w that is
 * set moves the element's coordinate by an exclusive or.  Whole families of layouts (blocked,
 * operands of matrix instructions, slices, broadcasts) are such maps, and what one must know of
 * them (how to get from one to another, which threads hold copies, which accesses collide in the
 * banks of shared memory) is linear algebra over GF(2).  The idea is that of Triton's linear
 * layouts.
 *
 * A coordinate is one number: the bits of the indices of all dimensions side by side, the last
 * dimension's lowest.  Dimension d has bits[d] = ceil(log2(dims[d])) bits: an extent that is no
 * power of two is padded, and what lies beyond it does not exist: nobody computes, reads or writes
 * it, and registers that hold nothing else are never made.
 *
 * Every layout here keeps to these rules, which the makers establish and the operations keep:
 *  1. each coordinate, padding included, is held by somebody;
 *  2. the bits of the registers of one thread are independent: no register is a copy of another
 *     one of the same thread.  Lanes and warps may be: their bits that matter not are bases of 0.
 *
 * Nothing in here knows LLVM; all of it is data that prints.  layout.c has the algebra,
 * layout_axis.c what reductions and slices need,
 * layout_make.c the usual layouts, layout_shared.c those of shared memory, layout_convert.c the
 * ways from one layout to another, layout_text.c the text.
 */
#ifndef TILEC_LAYOUT_H
#define TILEC_LAYOUT_H

#include "../ir/ir.h"

enum {
    LAYOUT_MAX_LANE_BITS = 6, /* 64 lanes */
    LAYOUT_MAX_WARP_BITS = 5, /* 32 warps */
    LAYOUT_MAX_REG_BITS = 14,
    LAYOUT_THREAD_BITS = LAYOUT_MAX_LANE_BITS + LAYOUT_MAX_WARP_BITS,
    LAYOUT_MAX_BITS = 24 /* of a coordinate: registers, lanes and warps together */
};

/* The threads of a block, as bits of numbers: a thread's has the lane's below, the warp's above. */
typedef struct {
    int lane_bits, warp_bits;
} LayoutThreads;

typedef struct {
    int8_t rank;
    int8_t nreg, nlane, nwarp; /* bits of the number of a register, a lane, a warp */
    int8_t bits[MAX_RANK];     /* of the index along each dimension */
    int32_t dims[MAX_RANK];    /* extents: indices from there on do not exist */
    /* where bit i of the number of a register, lane, warp moves the coordinate */
    uint32_t reg[LAYOUT_MAX_REG_BITS];
    uint32_t lane[LAYOUT_MAX_LANE_BITS];
    uint32_t warp[LAYOUT_MAX_WARP_BITS];
} Layout;

/* Who holds an element. */
typedef struct {
    uint32_t reg, lane, warp;
} Holder;

/* The number of a holder's thread within the block. */
static inline uint32_t layout_thread(const Layout *l, Holder h)
{
    return h.lane | h.warp << l->nlane;
}

/* layout.c: coordinates */
int layout_bits_of(int32_t extent);         /* ceil(log2(extent)); 0 for 1 */
int layout_total_bits(const Layout *l);     /* of a coordinate */
int layout_shift(const Layout *l, int dim); /* which bit of the coordinate is bit 0 of that index */
int32_t layout_index(const Layout *l, uint32_t coordinate, int dim);  /* along that dimension */
uint32_t layout_coordinate_of(const Layout *l, const int32_t *index); /* one for each dimension */
bool layout_exists(const Layout *l, uint32_t coordinate); /* no index is beyond its extent */
/* The element of a holder; linear: that of (r, 0, 0) ^ that of (0, lane, warp). */
uint32_t layout_at(const Layout *l, Holder h);
int layout_registers(const Layout *l); /* of a thread: 1 << nreg */

typedef enum { EXISTS_IN_NONE, EXISTS_IN_SOME, EXISTS_IN_ALL } Existence;
/* Does register r hold what exists: in no thread (it is never made), in some, in all?  SOME may be
 * said where it is one of the others, if a bit of lane or warp moves more than one dimension. */
Existence layout_register_exists(const Layout *l, uint32_t r);
static inline bool layout_register_live(const Layout *l, uint32_t r)
{
    return layout_register_exists(l, r) != EXISTS_IN_NONE;
}

/* layout.c: the map as a whole */
bool layout_same_shape(const Layout *a, const Layout *b); /* rank and extents */
bool layout_equal(const Layout *a, const Layout *b);      /* the same shape and the same map */
/* Make rule 2 hold: drop every bit of registers that only gives copies.  Returns which stay: bit i
 * of the new number was the i-th set bit of it in the old one (layout_deposit, layout_extract). */
uint32_t layout_drop_copies(Layout *l);
uint32_t layout_deposit(uint32_t bits, uint32_t mask); /* the low bits to where the mask has ones */
uint32_t layout_extract(uint32_t bits, uint32_t mask); /* and back */
/* Do rules 1 and 2 hold?  For tests and assertions. */
bool layout_is_sound(const Layout *l);

/* From coordinates to holders, linear too: bit i of a coordinate moves the holder by bit[i]. */
typedef struct {
    Holder bit[LAYOUT_MAX_BITS];
    Holder copies; /* bits of lane and warp which only give copies; those of reg are 0 */
} Inverse;
/* Of several holders of an element it names the one which has the bits in `copies` 0; exactly one
 * has.  So who stores every element once lets only those threads store. */
void layout_invert(const Layout *l, Inverse *out);
Holder layout_holder(const Inverse *v, uint32_t coordinate); /* that one */

/* The elements that follow each other along a dimension within one thread: bit i of the index is
 * moved by nothing but bit regs[i] of the register's number, for i below the result.  So every
 * register starts or belongs to a run of 1 << result elements, whose index is a multiple of that.
 */
int layout_run_bits(const Layout *l, int dim, int8_t regs[LAYOUT_MAX_REG_BITS]);

/* layout.c: layouts of other shapes that need no data to move; `out` may be `l` */
void layout_permute(const Layout *l, const int *dims, Layout *out); /* out dim i = in dim dims[i] */
void layout_expand(const Layout *l, int axis, Layout *out); /* a dimension of 1 before `axis` */
/* The same elements in row-major order, in the same registers.  False: that is no linear map, since
 * a padded extent would lie inside another dimension. */
bool layout_reshape(const Layout *l, int rank, const int32_t *dims, Layout *out);
/* The layout that the operand of a broadcast to `l` should have: of extent 1 where dims[] says.
 * Lanes and warps along these have copies.  Gives a mask: register r of the result is register
 * layout_extract(r, mask) of the operand. */
uint32_t layout_broadcast_operand(const Layout *l, const int32_t *dims, Layout *out);
/* Without that dimension, such as the result of a reduction. */
void layout_remove(const Layout *l, int axis, Layout *out);
/* With a new dimension before `axis`, held in registers: their lowest bits. */
bool layout_insert(const Layout *l, int axis, int32_t extent, Layout *out);
/* layout_axis.c: along one axis
 *
 * What moves along it, from the lowest bit of the index to the highest: for reductions and
 * scans. */
typedef enum { STEP_REGISTER, STEP_LANE, STEP_WARP } StepKind;
typedef struct {
    StepKind kind;
    int bit; /* of that number: it moves bit i of the index in step[i] */
} AxisStep;
typedef struct {
    int nsteps;
    AxisStep step[LAYOUT_MAX_BITS];
    uint32_t across; /* bits of the register's number that do not move along the axis */
    Layout result;   /* of a reduction: register r has come from layout_deposit(r, across) and those
                        that differ from it along the axis; lanes and warps along it have copies */
} AxisWalk;
/* False: some bit moves along the axis and elsewhere, or two move the same bit of the index;
 * convert first. */
bool layout_walk(const Layout *l, int axis, AxisWalk *out);
/* For a layout that can be walked: the same rows, put in order by a network that is free to say
 * which element is which.  Bits of the index are, from the lowest on, place[0], place[1] ..:
 * registers' in the order of their numbers, then lanes', then warps'.  The result has the first
 * `extent` elements of each row: of bits beyond, those of registers are dropped, and those of lanes
 * and warps give copies.  Returns which bits of the register's number stay. */
uint32_t layout_in_order(const Layout *l, int axis, int32_t extent, Layout *out,
                         AxisStep place[LAYOUT_MAX_BITS]);
/* The tile of dims[] that begins at starts[]: false where some thread would need what another one
 * has.  `take` (in the arena): register r of the result is take[r] of `l`; -1: holds nothing. */
bool layout_slice(const Layout *l, const int64_t *starts, const int32_t *dims, Layout *out,
                  Arena *a, const int32_t **take);

/* The other way: a layout of a tile of dims[] of which each thread has what the slice with layout
 * `l` that begins at starts[] needs of it.  False: that is no linear map, since the slice lies
 * across multiples of its padded extents, or the rest of the tile would take too many registers. */
bool layout_slice_operand(const Layout *l, const int64_t *starts, const int32_t *dims, Layout *out,
                          Arena *a, const int32_t **take);

/* layout_make.c: the usual layouts; false: the tile is too large for so many threads.
 *
 * Coalesced: 1 << vector_bits registers along dimension order[0], then lanes, then warps, then the
 * remaining registers, each from the low bits of order[0] on to the high ones of order[rank - 1];
 * warps go by warp_order, which may be NULL: the same.  Extents beyond powers of two end in the
 * highest registers, so whole ones are not made. */
bool layout_blocked(Layout *out, int rank, const int32_t *dims, const int8_t *order,
                    int vector_bits, const int8_t *warp_order, LayoutThreads threads);
/* The same with 1 << equal_bits registers along another dimension behind the vector's, where that
 * many neighbours are alike. */
bool layout_blocked_equal(Layout *out, int rank, const int32_t *dims, const int8_t *order,
                          int vector_bits, int dim, int equal_bits, LayoutThreads threads);

/* Instructions for matrices of 32 lanes, mma.sync.mMnNkK: fragments of A [.., M, K], B [.., K, N]
 * and of the accumulator [.., M, N], as the PTX ISA has them. */
typedef struct {
    int m, n, k; /* powers of two */
    int bytes;   /* of an element of A and B */
} MmaShape;
enum { MMA_LANE_BITS = 5 };
typedef enum { MMA_A, MMA_B, MMA_ACC } MmaPart;
/* m16n8k8 for 4 bytes (tf32), m16n8k16 for 2, m16n8k32 for 1, m8n8k4 for 8 (fp64) */
MmaShape mma_shape(int bytes);
typedef struct {
    MmaShape shape;
    int batch_warps, m_warps, n_warps; /* bits: how warps are spread; together those of the block */
    /* Two rows of A, or columns of B, that are neighbours are in the same thread, in two rows of
     * its fragment, or in two fragments side by side: for elements of a byte that lie next to each
     * other across K, of which two move at a time.  Those of 16 rows or columns change places. */
    bool row_pairs, column_pairs;
    /* Four warps multiply together, wgmma.mma_async.m64nNkK: the accumulator's fragments and A's in
     * registers.  Of B, and without pairs and batches, there are none. */
    bool groups;
    bool tall; /* of groups: 128 rows together, of which a warp has 32 side by side: tcgen05.mma */
} MmaTiling;
/* What the registers of such a layout are for, as bits: how many elements the fragment of a thread
 * has, and how many rows, columns and batches of fragments a warp. */
typedef struct {
    int fragment, columns, rows, batches; /* from the lowest bit on */
    uint32_t kept; /* of the number that is made of those: the rest gives copies */
} MmaRegisters;
/* Above the fragment each dimension is first on warps, then on registers; all of K is on registers.
 * Tiles smaller than a fragment give copies, in which the instruction computes the same again.
 * `regs` may be NULL. */
bool layout_mma(Layout *out, MmaPart part, const MmaTiling *t, int rank, const int32_t *dims,
                MmaRegisters *regs);
/* Which register of the layout is element number `element` of the fragment, as the ISA counts them,
 * for that one of the fragments of a warp. */
uint32_t mma_register(const MmaRegisters *r, int batch, int row, int column, int element);
/* Where K is less than the instruction's, fragments of A and B hold copies along K, of which only
 * those that have these bits 0 may count: the others must be made zero.  reg: of the number within
 * the fragment. */
Holder mma_surplus(MmaPart part, const MmaShape *s, int32_t k);
/* The sum of a dot by multiply-adds: blocks of 4 x 4 elements of a thread, 4 x 8 lanes of these, so
 * that few elements of the operands serve many.  Blocks are smaller where threads would be left
 * that compute what others do. */
bool layout_multiply_add(Layout *out, int rank, const int32_t *dims, LayoutThreads threads);
/* An operand of it, for that layout of the sum: K on registers, the lowest ones. */
bool layout_multiply_add_operand(const Layout *sum, MmaPart part, int32_t k, Layout *out);

/*
 * layout_shared.c: tiles in shared memory
 *
 * The offset of a coordinate, in elements, is linear as well, so a swizzle is nothing special.  An
 * access is one instruction of a warp: each lane reads or writes a vector, elements that are
 * neighbours in memory.  Memory is asked in wavefronts of 128 bytes, one from each of 32 banks: as
 * many lanes at a time as have 128 bytes together.
 */
typedef struct {
    int nbits;                            /* of an offset */
    int bytes;                            /* of an element */
    uint32_t offset[LAYOUT_MAX_BITS];     /* how bit i of the coordinate moves the offset */
    uint32_t coordinate[LAYOUT_MAX_BITS]; /* how bit i of the offset moves the coordinate */
} SharedLayout;
uint32_t shared_offset(const SharedLayout *s, uint32_t coordinate); /* in elements */
int64_t shared_bytes(const SharedLayout *s);                        /* of all, padding included */
bool shared_equal(const SharedLayout *a, const SharedLayout *b);

enum { MAX_VECTOR_BITS = 4 }; /* 16 elements of a byte */
typedef struct {
    int nvector;                         /* bits of the number of an element in the vector; */
    uint32_t vector[MAX_VECTOR_BITS];    /* which bit of the coordinate each of them is */
    int nlane;                           /* bits of the lane's number, and how they */
    uint32_t lane[LAYOUT_MAX_LANE_BITS]; /* move the coordinate */
} SharedAccess;
/* Registers of a layout in vectors.  False: some of these bits is not a register's alone. */
bool shared_access(const Layout *l, int nvector, const uint32_t *vector, SharedAccess *out);

/* What ldmatrix reads at a time: up to four matrices of 8 rows of 16 bytes.  Lane i gives the
 * address of row i % 8 of matrix i / 8, which is that of the element that access.lane says.  A word
 * that a lane gets is a word of the fragment: its elements are the registers whose numbers differ
 * in the bits of `word`.  Each bit of the matrix's number is a bit of the register's.
 *
 * Elements of a byte that lie across the fragment's words move in pairs.  A lane then gets for each
 * element of a row of the fragment the one beside it too (`pair`).  Where words have four elements
 * two matrices, which differ in the word's upper bit, have together what two words of the fragment
 * are put together from; where they have two, a word is bytes 0 and 2, or 1 and 3, of what came. */
typedef struct {
    SharedAccess access;
    int word_bits, matrix_bits;
    int8_t matrix[2]; /* bits of the register's number */
    int8_t pair;      /* likewise; -1: there are no pairs */
} MatrixAccess;
/* For an operand's layout.  With `trans` the rows lie across the words of the fragment: for 2
 * bytes, and for 1 where the layout has pairs (MmaTiling).  False: it is no layout for ldmatrix. */
bool shared_ldmatrix(const Layout *l, int bytes, bool trans, MatrixAccess *out);

/* layout_wgmma.c: how wgmma.mma_async finds an operand in shared memory, in the fields of its
 * matrix descriptor.  Rows of `span` bytes lie below each other; in each block of 8 of them,
 * vectors of 16 bytes are swizzled. */
typedef struct {
    int swizzle;      /* as the descriptor counts: 1 of 128 bytes, 2 of 64, 3 of 32 */
    int lead, stride; /* bytes: between blocks along a row's dimension, and across it */
    bool trans;       /* rows lie along M or N, not along K */
} WgmmaOperand;
enum { WGMMA_ALIGN = 1024, WGMMA_ROWS = 64, WGMMA_WARP_BITS = 2 }; /* of a group of 4 warps */
/* A tile [M, K] or [K, N] that is an operand. */
typedef struct {
    int bytes; /* of an element */
    int k;     /* the dimension that the product sums over */
    int along; /* the dimension along which neighbours lie in memory */
} WgmmaTile;
/* Aligned to WGMMA_ALIGN.  False: the tile is too small along one of the two, has not two
 * dimensions, or the chip has no such operand: of other than 2 bytes rows lie along K. */
bool shared_wgmma(const Layout *shape, const WgmmaTile *t, SharedLayout *out,
                  WgmmaOperand *operand);
/* The same memory as that of the tile's transpose; bits of the tile's rows and columns. */
void shared_transpose(const SharedLayout *s, int row_bits, int column_bits, SharedLayout *out);

/* layout_tensor.c: a tile [rows, columns] in shared memory as boxes of a tensor map, one behind the
 * other along the dimension whose elements lie side by side. */
typedef struct {
    int along;   /* that dimension */
    int row;     /* elements of a box along it, */
    int rows;    /* .. and across it */
    int boxes;   /* of the tile */
    int swizzle; /* TensorSwizzle */
} SharedBoxes;
/* `row_bits`, `column_bits`: of the indices.  False: copies cannot lay a tile down so. */
bool shared_boxes(const SharedLayout *s, int row_bits, int column_bits, SharedBoxes *out);

/* The layout in memory in which one or two accesses, of who writes and who reads the tile, take the
 * fewest wavefronts, and neighbouring lanes of the first one share lines of 128 bytes.  Where both
 * have vectors, one's are the first bits of the other's. */
void shared_choose(const Layout *shape, int bytes, const SharedAccess *accesses, int n,
                   SharedLayout *out);
/* Of one access of a warp; each takes at least its bytes / 128, rounded up. */
int shared_wavefronts(const SharedLayout *s, const SharedAccess *a);

/*
 * layout_convert.c: from one layout of a tile to another one, as data
 */
typedef enum {
    CONVERT_NOTHING,   /* the same registers */
    CONVERT_REGISTERS, /* each thread has what it needs, in registers known now */
    CONVERT_SHUFFLE,   /* each warp has: selects by lane, and exchanges among lanes */
    CONVERT_SHARED     /* through shared memory */
} ConvertKind;

/* One shfl.sync.idx of every lane: register `send` goes out, `take` comes in, from lane
 * source(lane, warp) ^ lane, see Shuffles. */
typedef struct {
    int send, take; /* words */
    uint8_t lane;
    bool own; /* source is the thread itself: no instruction */
} ShuffleRound;

/*
 * In this order:
 *  1. pack: word i of a thread is the registers from[i * per_word ..] of the source (elements of
 *     less than 4 bytes; one of 8 bytes is one word too, of two shuffles); -1: nothing
 *  2. for each bit of the thread's number (lane bits, then warp bits) with before[bit] != 0:
 *     where it is set, words w and w ^ before[bit] change places
 *  3. each round, from words of step 2 to new words
 *  4. as step 2, by after[bit]
 *  5. unpack: word i is the registers to[i * per_word ..] of the result; -1: nothing
 * source(lane, warp) is the exclusive or of source[bit] over the bits that are set.
 */
typedef struct {
    int per_word;
    int nlane;      /* bits of the lane's number */
    int nfrom, nto; /* words, powers of two */
    const int32_t *from, *to;
    uint32_t before[LAYOUT_THREAD_BITS], after[LAYOUT_THREAD_BITS];
    uint8_t source[LAYOUT_THREAD_BITS];
    int nrounds;
    const ShuffleRound *rounds;
} Shuffles;

/* One vector in shared memory: registers regs[0 .. 1 << nvector), in this order. */
typedef struct {
    uint32_t offset;     /* in elements; exclusive or with the thread's own */
    const int32_t *regs; /* -1: nothing exists there; a write puts anything */
} SharedVector;
/* One side of the exchange. */
typedef struct {
    int nlane;                           /* bits of the lane's number */
    int nvector;                         /* bits: elements of a vector; aligned to its size */
    uint32_t thread[LAYOUT_THREAD_BITS]; /* offset: what lane bits, then warp bits move */
    int wavefronts;                      /* of one vector of a warp */
} SharedSide;
typedef struct {
    int nwrites, nreads;
    const SharedVector *writes, *reads;
} SharedPiece;
/* For each piece: wait for those who used the memory before, write, wait, read.  The waits are for
 * the block; for the warp alone where `within_warp`, but for the first one, which depends on what
 * the memory was used for.  Everything that is read has been written. */
typedef struct {
    SharedLayout memory; /* of a piece: bits of the coordinate that number pieces move nothing */
    bool within_warp;
    Holder copies; /* threads that have one of these bits set do not write */
    SharedSide write, read;
    int npieces;
    const SharedPiece *pieces;
} Exchange;

typedef struct {
    ConvertKind kind;
    int nregs; /* of the result */
    /* NOTHING, REGISTERS: register r is take[r] of the source; -1: it holds nothing */
    const int32_t *take;
    const Shuffles *shuffles; /* SHUFFLE */
    const Exchange *exchange; /* SHARED */
} Conversion;

/* The two have one shape.  `bytes` of an element: 1, 2, 4 or 8; at most `limit` bytes of shared
 * memory are used, as far as pieces can do it.  In the arena; never fails. */
const Conversion *layout_convert(const Layout *from, const Layout *to, int bytes, int64_t limit,
                                 Arena *a);
/* Where pieces cannot do it, as threads of one layout move what registers of the other one have,
 * and the other way around: a layout in the middle, to and from which pieces are smaller.  False:
 * there is none. */
bool layout_between(const Layout *from, const Layout *to, Layout *middle);
/* The same by that kind alone, NULL where it cannot: for tests and for those who know better. */
const Conversion *layout_convert_by(ConvertKind kind, const Layout *from, const Layout *to,
                                    int bytes, int64_t limit, Arena *a);

/* layout_text.c: one line each, without a newline.
 *     [32,64] regs (0,1) (0,2) lanes (0,4) (0,8) (0,16) (0,32) (1,0) warps (2,0) -
 * where each tuple is what one bit moves, lowest bit first, and `-` gives copies. */
const char *layout_text(const Layout *l, Arena *a);
/* [16,16] offsets (0,1) (0,2) .. */
const char *shared_text(const SharedLayout *s, const Layout *shape, Arena *a);
/* Several lines: what must be done. */
const char *conversion_text(const Conversion *c, Arena *a);

#endif
