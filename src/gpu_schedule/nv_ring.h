/*
 * nv_ring.h - tiles that one thread asks for, ahead of the warps that multiply them
 *
 * Loads of loops that feed products of groups of warps, whose addresses are affine in the indices
 * of the tile with strides that the launch knows, become copies of tensor maps: the unit for
 * tensors brings a whole tile, zeros beyond the bounds of its mask.  A *producer*, one thread of a
 * warp more, runs the loops by itself and asks for the tiles of round after round, as long as there
 * is room in a *ring* of stages; the warps of the program wait for a stage to be *full*, and say
 * when they have read it and it is *empty*: an mbarrier of each kind for each stage.
 *
 * One ring serves all such loops of a kernel, in the order of the program: who takes turns at it
 * counts rounds through all of them.
 */
#ifndef TILEC_GPU_PLAN_NV_RING_H
#define TILEC_GPU_PLAN_NV_RING_H

#include "nv_schedule.h"
#include "../axis/poly.h"

/* A tile that tensor copies bring or take. */
typedef struct NvTensor {
    const NvTile *tile; /* in shared memory; in the ring's buffer from tile->at of the stage on */
    const Op *op;       /* the load, or the store */
    int map;            /* of the recipe */
    int rank;
    Poly at[TENSOR_MAP_RANK]; /* coordinates of its first element, in scalars */
    int boxes;                /* copies, one behind the other along the map's dimension 0: */
    int row;                  /* elements of each along it */
    int64_t bytes;            /* of each */
    int part;                 /* of the stage, in the ring */
} NvTensor;

/* Detail of NV_SEND, of the registers in[0]; its other operands are scalars of coordinates.  Each
 * warp lays down what it has, which are whole boxes, and one of its lanes has them copied. */
typedef struct {
    NvTensor tensor; /* of the first warp's first box; `boxes` of each warp */
    uint32_t *box;   /* where they are: the coordinate of their first element, */
    uint32_t warp[LAYOUT_MAX_WARP_BITS]; /* .. and how bits of the warp's number move it */
    int nwarp;
    int along; /* the dimension of the tile that is the map's first */
    NvPut put;
} NvSend;

/* Where each round leaves a product to the next one, a stage has two parts, which are filled and
 * read each by itself: what the round alone reads, so that it is empty a round earlier, and what
 * that product does. */
enum { NV_RING_PARTS = 2 };

/* Detail of NV_FILL: all tiles of a round of a loop, for which a stage must be empty first. */
typedef struct NvFill {
    VEC(NvTensor) tensors;        /* in the order of their places */
    int64_t bytes[NV_RING_PARTS]; /* of each part */
    bool soon;                    /* the round itself reads of the last part, too */
    bool last;                    /* nothing is filled behind its loop: nobody waits for its end */
} NvFill;

struct NvRing {
    int stages;
    int64_t bytes; /* of each: of the largest loop */
    int buffer;    /* all stages, one behind the other */
    int parts;     /* of a stage */
    int barriers;  /* the buffer of mbarriers: of each part of each stage `full`, then `empty` */
    Map *fills;    /* loop (Op) to NvFill */
    VEC(const NvStep *) loops;
    int warps;     /* of the producer, one of whose threads does all: 1, or a group that gives its
                    * registers to the others */
    int registers; /* that these have of a thread then; 0: they stay as they are */
    const NvStep
        *leaves;   /* the producer's: in that arm of it programs end, before there is a ring; */
    int leaves_in; /* .. NULL: none does */
};
enum { NV_MBARRIER_BYTES = 8 };

/* nv_tensor.c */
/* How a load whose result lies in shared memory, or a store of what lies there, is a copy of a
 * tensor map, of so many rows at most: *out but for its map, which is *map.  False: it is none;
 * *assumed gets parameters that must not be negative. */
bool nv_tensor_of(NvPlan *p, const Op *op, const NvTile *at, int rows, NvTensor *out, GenMap *map,
                  uint64_t *assumed);
const Value *nv_tensor_value(const Op *op); /* what it loads or stores */

/* nv_begin.c */
/* Is the coordinate, that far from the access's first element, never negative?  *assumed gets
 * parameters that must not be, either. */
bool nv_begins_at_zero(NvPlan *p, const Op *access, const Poly *coordinate, uint64_t *assumed);
int nv_parameter_of(const NvPlan *p, const PolyAtom *a); /* its number; -1: it is none */

/* nv_producer.c */
/* Can a thread by itself run the loop, with what it stands in, and say where those tiles lie? */
bool nv_can_produce(NvPlan *p, const Op *loop, const NvFill *fill);
/* The producer's program, for all loops of the ring. */
NvBlock *nv_list_producer(NvPlan *p);
/* What an argument of a loop's region is, in one round or another, into *from; 0: it is a counter,
 * or of no loop. */
int nv_carried_from(const Value *v, const Value *from[2]);

/* nv_wrap.c */
/* A load's rows along that dimension come from `index % bound`, and `index` goes beyond the bound:
 * is what such rows give nowhere to be seen?  Then they need not be loaded. */
bool nv_wrap_is_unseen(NvPlan *p, const Op *load, const PolyWrap *wrap);

/* nv_ring.c */
/* The fill of a loop all of whose loads become tensor copies, which is in the ring then; NULL: that
 * cannot be, and nothing has changed. */
const NvFill *nv_ring_loop(NvPlan *p, const NvStep *loop, const NvStep *const *loads,
                           const NvStep *const *puts, int count);
/* The tiles of its stages are placed: this many of so many bytes. */
void nv_ring_room(NvPlan *p, const NvStep *loop, int stages, int64_t bytes);
/* Behind all loops: how long the ring is, and the producer's program. */
void nv_ring_finish(NvPlan *p);

/* What a round's products have in registers of a thread, and what else it needs, where it has made
 * the rows of `delayed` in the round before; NULL: there is no such product. */
int64_t nv_round_registers(const NvBlock *round, const NvStep *delayed);

/* Programs that fit a multiprocessor by the registers that products of the ring's loops need. */
int64_t nv_programs_by_registers(const NvPlan *p);

/* nv_leave.c */
void nv_find_leave(NvPlan *p); /* into NvRing.leaves */
/* What is wrong with it; NULL: nothing. */
const char *nv_leave_wrong(const NvPlan *p);

/* nv_delay.c: have a loop with a fill leave a product to its next round, where that is of use. */
void nv_delay_product(NvPlan *p, NvBlock *body, const int *users, NvAhead *a);
/* Do all warps wait for each other while one group has its turn? */
bool nv_meets_in_turn(const NvStep *loop);
/* Barriers are put: loops in whose turns all warps meet take none. */
void nv_settle_turns(NvPlan *p);

/* Have the recipe bring that map; its number, -1: there is no room for it. */
int nv_map_number(NvPlan *p, const GenMap *map);
/* Parameters whose being negative no map allows, as bits: extents and strides that are no sums. */
uint64_t nv_map_parameters(const NvPlan *p);

/* nv_send.c: have stores of products go by tensor copies, where that costs nothing. */
void nv_send_results(NvPlan *p);
/* What is wrong with a step of the block, as far as it sends or waits for that; NULL: nothing. */
const char *nv_send_wrong(const NvPlan *p, const NvBlock *b, const NvStep *s);

/* nv_copies.c: what is wrong with what a loop's threads copy for themselves and take; NULL:
 * nothing. */
const char *nv_copies_wrong(const NvPlan *p, const NvStep *loop);

/* nv_verify_loop.c: does the loop hand over that product, which goes on, to its next round?  Its
 * end is nobody else's then. */
bool nv_is_handed_on(const NvStep *loop, const NvTile *t);
/* What is wrong with products that go on over the end of a round; with one that rounds leave to the
 * next; with what a producer brings for a round.  NULL: nothing. */
const char *nv_flying_wrong(const NvStep *loop);
const char *nv_delayed_wrong(const NvPlan *p, const NvStep *loop);
const char *nv_fill_wrong(const NvPlan *p, const NvStep *loop);

/* nv_ring_print.c: maps and ring, a line each; a fill and a send as the step says it. */
void nv_ring_put(Text *t, const NvPlan *p, Printer *names);
void nv_fill_put(Text *t, Printer *names, const NvFill *fill);
void nv_send_put(Text *t, Printer *names, const NvSend *send);

/* nv_ring.c */
/* A stage fewer; false: there are two, which is the least. */
bool nv_ring_shorten(NvPlan *p);

#endif
