/*
 * grad.h - reverse mode: from a kernel the kernel of its gradients, which src/grad_print/ writes as
 * Triton source
 *
 * docs/gradients.md has the design.  The forward is computed again; behind it stand its ops once
 * more from the last to the first, each handing the gradient of its result to its operands by the
 * rule that adjoints.h names.  All in one function, so that passes drop what no gradient needs.
 */
#ifndef TILEC_GRAD_GRAD_H
#define TILEC_GRAD_GRAD_H

#include "../ir/analysis.h"
#include "../terms/terms.h"

/* A parameter of the kernel as it is written. */
typedef struct {
    const char *name;
    bool is_constexpr;
    bool has_default;
    const char *value; /* of a constexpr, as Python writes it; NULL: it has no literal */
} GradParam;
enum { GRAD_NO_TAPE = -1 }; /* TILEC_TAPE_RECOMPUTE */
typedef struct {
    const char *kernel, *of;
    const char *const *wrt;
    int nwrt;
    const GradParam *params;
    int nparams;
    bool atomics;   /* where programs meet, else sums of parts */
    bool recompute; /* what the forward has stored, too */
    int tape;       /* 0: of each round; N: of N rounds; GRAD_NO_TAPE */
    bool fused;     /* does what the forward does, too */
    unsigned parts; /* arrays, by number in wrt, of which nothing but parts is tried: bits */
} GradWish;

/* What the derived kernel does with an array of gradients. */
typedef enum {
    GRAD_READ,
    GRAD_STORED, /* no element is met twice */
    GRAD_PARTS,  /* each program stores a row of its own, for a second kernel to add up */
    GRAD_ADDED   /* atomics add to what is there */
} GradFill;      /* as tilec_gradient_fill */

typedef VEC(Op *) GradOps;
/* How far numbers go, from 0 on without a gap: as far as the mask says, and lanes, rounds and
 * programs do. */
typedef struct {
    Poly bound, total;
} GradExtent;
/* Elements that are stored, from the array's beginning on: rows, so many of these, and so on. */
enum { COVER_LEVELS = 4 };
typedef struct {
    bool is_known;
    int n;
    GradExtent at[COVER_LEVELS]; /* elements of a row, rows, .. */
    Poly stride[COVER_LEVELS];   /* from the second on: how far one lies behind the one before */
} GradCover;
typedef struct {
    Value *array;    /* a parameter of the forward */
    Value *gradient; /* the parameter added for it */
    bool is_reached; /* something was added to it */
    GradFill fill;
    bool in_order;       /* of GRAD_ADDED: programs do not meet, and each adds without atomics */
    bool in_last_pass;   /* of GRAD_STORED: of several over the same elements */
    bool is_gathered;    /* .. : from windows that are shifted */
    bool may_have_parts; /* of GRAD_ADDED: if nothing else is found for it */
    bool is_transposed;  /* of any: a program sums up what all hand to its elements in a loop */
    bool has_zeros;      /* .. : also where an `if` hands nothing on */
    bool is_picked;      /* .. : with what is handed to an element by itself */
    GradOps loads;       /* of the array, that are active */
    GradOps adds;        /* of GRAD_ADDED, where they are not at the elements of loads: atomics */
    GradCover cover;
    /* of GRAD_PARTS */
    unsigned meeting;  /* axes of the grid: bits */
    Value *row;        /* where the program's begins */
    Value *width;      /* how many elements it has */
    const char *total; /* the array that the rows are added up in */
    bool fills_rows;   /* each element of its row is stored by each program: nobody zeroes it */
} GradArray;

/* What must hold at run time for no element of the array to be met twice: least <= most. */
typedef struct {
    const GradArray *array;
    Poly least, most;
} GradNeed;
typedef VEC(GradNeed) GradNeeds;

/* What data says, and is taken to be so: the assertion of it, with the place of what reads it. */
typedef struct {
    const GradArray *array;
    const Op *asserted;
} GradGranted;

/* Lanes and rounds of a program that hand gradients to the same elements, by one load. */
typedef struct {
    const Op *load;
    unsigned lanes;   /* along these axes: bits */
    const Op *rounds; /* the outermost loop all of whose rounds do; NULL: none */
    Value *sum;       /* of the rounds so far */
} GradMeeting;
typedef VEC(GradMeeting *) GradMeetings;

/* Of which rounds: of each; of as many as the wish says; of those from one of these to the next,
 * which are computed once more. */
typedef enum { TAPE_EACH, TAPE_POINTS, TAPE_BETWEEN } GradTapeKind;
/* A workspace that keeps what a carried value was at the begin of rounds. */
typedef struct {
    GradTapeKind kind;
    const char *of;
    Value *tape;   /* a parameter */
    Value *begin;  /* of the program's part */
    Value *rounds; /* that each program has room for, or as many as its loop has */
    int64_t elements;
    const Value *kept;
    Op *store;
    bool is_read;
} GradTape;
/* A loop whose rounds go backwards. */
typedef struct {
    const Op *forward; /* which runs before, and writes the tapes */
    Value *both;       /* the sum of the counters, of a round there and of that round here */
    GradTape **tapes;  /* by carried value; NULL: it has none */
    /* where not each round is kept: */
    GradTape **points; /* .. */
    Value *each;       /* how many rounds lie between them */
    Value **begun;     /* what the round began with, by carried value; NULL: there are tapes */
} GradRounds;

/* An element of the array is read, and then written. */
typedef struct {
    int array;       /* its parameter */
    Span written;    /* where */
    const Op *first; /* the forward's load, which a fused kernel has, too */
    const Op *load;  /* of the backward, which reads the array, too; NULL: it does not */
    bool is_checked; /* what was there before nobody needs; what is there is loaded */
} GradInPlace;

/* What the forward stores, and nothing overwrites. */
typedef struct {
    const Op *store;
    int array; /* its parameter */
    Value *value, *pointer, *mask;
    Value *below;    /* of value = constant / below; NULL: it is nothing of the kind */
    bool in_place;   /* the array held something else before, which was read */
    GradNeeds needs; /* where it is stored once */
    bool is_rounded; /* to 16 bits, when it is stored */
    bool is_loaded;  /* in place of computing it again */
    const Op *load;  /* then that */
} GradSaved;

/* What values are measured from in place of a maximum. */
typedef struct {
    const Op *store; /* of the maximum plus the log of a sum */
    Value *stored, *loaded;
    Value *sum, *guarded; /* of where(sum == 0, 1, sum), which is sum, the last one; or NULL */
} GradAnchor;

/* A result of a loop that is measured from where it ends, and the same of the one in front. */
typedef struct {
    Value *measured, *first;
} GradEnd;

/* A derived program does what several of the forward do. */
typedef struct {
    unsigned axes;             /* along which it walks: bits; 0: none */
    Value *all[AXES];          /* how many programs the forward has along these: parameters */
    Value *program, *programs; /* its own number along the first of these, and of how many */
    Op *front;                 /* what stands before it is done once, not for each program */
    Map *copies, *varies;      /* see grad_in_front() */
} GradWalk;

/* Work on one kernel.  Ops and values of the forward are looked at as they are; `again` has those
 * that a loop of the backward computes again. */
typedef struct Grad {
    Arena *arena;
    Func *func;
    const GradWish *wish;
    Diags *diags;
    Builder b; /* where the backward goes on */
    GradArray of, *wrt;
    int nwrt;
    uint8_t *facts; /* by id of the forward: GradFacts */
    int nfacts;     /* ids from here on are the backward's */
    UseLists uses;  /* of the forward */
    Map *adjoints;  /* id of a forward value: its gradient so far */
    Map *again;     /* MAP_KEY of a forward value: the value here */
    Map *rebased;   /* id of a carried pointer: the same address in the gradient's array */
    Map *loose;     /* MAP_KEY of loads, see grad_is_loose() */
    bool any_loose; /* loads, or what was loaded is in a mask: */
    bool data_leaves_out;
    bool is_masked; /* what is differentiated, where it is stored */
    bool is_summed; /* .. is added to by atomics */
    Map *meetings;  /* MAP_KEY of an active load of an array differentiated by: GradMeeting */
    GradNeeds needs;
    VEC(GradGranted) granted;
    Value *programs[AXES]; /* numbers of programs that needs name */
    Map *rounds;           /* MAP_KEY of where a loop ends: how many rounds needs say it has */
    VEC(GradInPlace) in_place;
    VEC(const Op *) as_stored; /* loads of what lies where `of` is stored: each element once */
    VEC(GradTape *) tapes;
    VEC(GradSaved) saved;
    Map *needed; /* MAP_KEY of ops, while it is known; else NULL */
    VEC(GradAnchor) anchors;
    VEC(const Value *) held; /* measured from, as they are: no gradient goes through them */
    VEC(GradEnd) ends;
    GradOps firsts;        /* the loops that say so */
    struct Moving *moving; /* reference.c's */
    VEC(Op *) barriers;    /* between writing and reading them */
    unsigned asked;        /* axes of the grid along which programs ask for their number: bits */
    GradOps sums;          /* along axes, of gradients so far */
    GradOps references;    /* maxima and minima that no gradient goes through */
    GradWalk walk;
    unsigned missed; /* arrays for which nothing was found, and that can have parts: bits */
    Block *forward;  /* of a fused kernel, what stands before the backward; NULL: that has it */
    bool by_itself;  /* what the kernel leaves in an array is differentiated by what was there */
    bool failed;
} Grad;

/* grad.c: behind the kernel, the module's as lowered, the gradients of wish->of with respect to
 * wish->wrt, in place of what the kernel does; ../grad_gather/gather.c goes on from there.  False:
 * a diagnostic, with the place of what cannot be derived. */
bool grad_begin(Module *m, const GradWish *wish, Arena *a, Diags *d, Grad *out);

/* --- inside of this folder, and for what prints --- */

/* REFERENCE: what is differentiated stays the same whatever it is. */
typedef enum { VARIES = 1, MATTERS = 2, REFERENCE = 4 } GradFacts;
/* It depends on what is differentiated by, and what is differentiated on it. */
bool grad_is_active(const Grad *g, const Value *v);
const char *grad_free_name(Grad *g, const char *name); /* of a parameter: or name_2, .. */
Value *grad_new_parameter(Grad *g, const char *name, const Type *type); /* of such a name */
void grad_refuse(Grad *g, const Op *op, const char *fmt, ...) PRINTF(3, 4);
/* New ops have the place of this one of the forward. */
void grad_stand_for(Grad *g, const Op *op);
/* The value that stands for one of the forward where the builder is. */
Value *grad_value(const Grad *g, Value *v);
Value *grad_adjoint(const Grad *g, const Value *v); /* NULL: zero so far */
void grad_set_adjoint(Grad *g, const Value *v, Value *d);
void grad_add(Grad *g, Value *v, Value *d);              /* to its adjoint; d may be NULL */
Value *grad_not_rounded(Builder *b, Value *d, DType to); /* in a wider type: as it was before */
bool grad_is_effect(const Op *op);  /* of the forward, which has it alone: stores, what it says */
void grad_block(Grad *g, Block *b); /* its ops, from the last to the first */
void grad_name(const Grad *g, const Value *v, Value *d); /* as its gradient, unless it has a name */

/* rules.c, rules_math.c: see adjoints.h */
typedef Value *(*GradRule)(Grad *g, const Op *op, int i, Value *d);
typedef enum { GRAD_RULE, GRAD_OWN, GRAD_ZERO, GRAD_REFUSED } GradKind;
typedef struct {
    GradKind kind;
    GradRule rule;
    const char *why;
} GradRow;
const GradRow *grad_row(OpCode code);
#define RULE(op, function) Value *function(Grad *g, const Op *o, int i, Value *d);
#define OWN(op, where)
#define ZERO(op, why)
#define REFUSED(op, why)
#include "adjoints.h"
/* 1 / (1 + exp(z)) by its own gradient, which stays finite where exp(z) does not: hands it to z.
 * False: the op is nothing of the kind. */
bool grad_logistic(Grad *g, const Op *op, Value *d);

/* rules.c: of the largest or smallest element with its index: its gradient to that element,
 * whatever is equal to it, as torch.max(dim).  False: the op is nothing of the kind. */
bool grad_winner(Grad *g, const Op *op);
bool grad_is_winner(const Op *op);

/* rules.c: arithmetic where the builder is, without what changes nothing */
Value *grad_number(Grad *g, const Value *like, double x); /* in its type and shape */
bool grad_is_number(const Value *v, double x);
Value *grad_binary(Grad *g, OpCode code, Value *x, Value *y);
Value *grad_negated(Grad *g, Value *x);
Value *grad_scaled(Grad *g, Value *x, double by);

/* quotients.c: of what is divided by one value for each row; NULL: it is nothing of the kind */
Value *grad_sum_of_quotient(Grad *g, Value *x, int axis);
Value *grad_sum_of_quotients(Grad *g, Value *x, Value *y); /* x + y, by the same */
Value *grad_times_result(Grad *g, const Op *o, Value *d);  /* d times the op's */

/* combine.c: of a reduction or scan by any function, of one tile or several, which have gradients:
 * hands them to its operands */
void grad_combining(Grad *g, const Op *op);

/* active.c */
void grad_find_active(Grad *g);
int grad_array_of(const Grad *g, const Value *pointer); /* number of its parameter; -1: not one */

/* reference.c: of what is active marks maxima and minima that values are only measured from */
void grad_find_references(Grad *g);
/* When these move, does v as this one of them does? */
bool grad_moves_with(const Grad *g, const Value *v, const Value *point);
bool grad_stays(const Grad *g, const Value *v); /* as it is, whatever moves */
bool grad_jumps(const Grad *g);                 /* something, as an integer made of what moves */

/* rounds.c: one `while` that gradients go through becomes a `for`, behind one that counts its
 * rounds; false: there is none */
bool grad_count_rounds(Grad *g);

/* anchor.c: maxima become what the forward stored of them; true: something has changed */
bool grad_measure_from_saved(Grad *g);
bool grad_measure_from_end(Grad *g); /* or what loops say in the end */
void grad_put_ends(Grad *g);         /* when all is derived: what they say, which is known */

/* needs.c: conditions that launches are to meet */
/* least <= most, unless that is seen; false: it is seen not to be. */
bool grad_need(Grad *g, const GradArray *a, const Poly *least, const PolyTerm *most);
void grad_need_for_all(Grad *g, const GradNeeds *needs); /* of any array: of all gradients */
/* Is that seen, or needed already? */
bool grad_is_granted(const Grad *g, const Poly *least, const PolyTerm *most);
const Value *grad_number_of_programs(Grad *g, int axis); /* to be named, not computed with */

/* walk.c: in front of a store or an atomic: what it stores is added to what is there; `waits`: for
 * what other threads of the program added. */
void grad_add_in_memory(Grad *g, Op *op, bool waits);

/* means.c */
/* The mean of x along the axis, if v is what is left when it has been taken off, 0 outside of the
 * mask, so that its sum is 0 where what is added to the needs holds; NULL: it is no such tile.
 * mask: NULL, v has none but its own. */
Value *grad_mean_taken_off(Grad *g, const Value *v, int axis, const Value *mask);
/* Where the forward adds up what rounding left in a mean, and stores both, the mean is what is
 * stored; before anything is derived. */
bool grad_take_means_as_stored(Grad *g);

/* saved.c */
void grad_find_saved(Grad *g); /* before anything is derived: what the forward stores, once */
/* Each element of its array, outside of loops?  What that takes is needed then. */
bool grad_is_stored_once(Grad *g, const Op *store);
/* Can it be computed there, too? Then it is, or is what it was. */
bool grad_can_stand(const Value *v, const Op *at);
Value *grad_stand(Builder *b, Value *v, const Op *at);
void grad_load_saved(Grad *g); /* behind: where that spares a pass over lanes or rounds */

/* loose.c: is the load one of lanes that --of is not stored of?  What it gives there is any number.
 */
void grad_find_loose(Grad *g);
bool grad_is_made_of(Grad *g, const Value *v, const Value *of); /* computed from it, somehow */
bool grad_is_loose(const Grad *g, const Op *load);

/* left_behind.c: what docstrings of derived kernels say of arrays that are as the forward left
 * them; false: this is such a kernel, and what is differentiated by may have part in them */
#define GRAD_LEFT_BEHIND " left it; a gradient of this one takes it for a constant."
bool grad_check_left_behind(Grad *g);

/* left_out.c: may 0 times the slope of operand i be no number, in lanes that masks leave out, and
 * get into sums over lanes? */
bool grad_needs_zeros(const Grad *g, const Op *op, int i);
bool grad_is_finite_left_out(const Grad *g, const Value *v); /* in such lanes */

/* memory.c */
void grad_find_asked(Grad *g);     /* the axes of the grid */
bool grad_check_memory(Grad *g);   /* what is read and written suits; refused otherwise */
bool grad_check_in_place(Grad *g); /* when all is derived: what was overwritten is not read */
void grad_load(Grad *g, const Op *op);
void grad_store(Grad *g, const Op *op);
bool grad_puts_in_memory(const Op *op); /* as a store does, or by adding to what is there */
/* Is it computed step by step from the array, or carried by a loop around the access? */
bool grad_can_rebase(const Value *pointer);
Value *grad_rebase(Grad *g, Value *pointer, const GradArray *to);
GradArray *grad_wrt_of(Grad *g, const Value *pointer); /* NULL: not differentiated by */

/* stored_over.c: do programs surely store one element of what is differentiated?  Refused then. */
bool grad_check_programs(Grad *g, const GradOps *stores);

/* alone.c */
/* Is no element of the array met twice by these accesses: by lanes, rounds, and programs along
 * those axes of the grid?  But for the meetings that are known.  Conditions go to g->needs. */
bool grad_alone(Grad *g, const GradArray *a, const GradOps *accesses, unsigned programs);
/* Does each of these alone meet no element twice, and no program one of another? */
bool grad_adds_once(Grad *g,
                    const GradArray *a); /* what is differentiated is not added to by several */
bool grad_in_order(Grad *g, const GradArray *a, const GradOps *accesses, unsigned programs);
unsigned grad_programs_of(const Grad *g, const Op *access, unsigned programs); /* in its address */
/* From the array's beginning, how many elements it may reach.  0: not known; -1: it may begin in
 * front of it. */
int64_t grad_reach(const Grad *g, const Op *access, unsigned programs);

/* linear.c: the sum, by others that are known where that can be; of gradients alone */
Value *grad_sum_along(Grad *g, Value *v, int axis);

/* meet.c */
/* Is it made so that it is seen to be the same along the axes: bits?  Then it without these. */
bool grad_can_drop(const Value *v, unsigned axes);
Value *grad_drop(Grad *g, Value *v, unsigned axes);
void grad_find_meeting(Grad *g, const Op *load);
const GradMeeting *grad_meeting(const Grad *g, const Op *access); /* NULL: it is no such load */
/* The gradient before it was rounded to the type of what was loaded; sums are in no less than fp32.
 */
Value *grad_widened(Grad *g, Value *d);
/* Hands d to the elements that were loaded, or to the sum of the rounds that meet there. */
void grad_add_to_array(Grad *g, const Op *load, Value *d);
/* Those whose sums this loop carries: from where on, and, where `sum` is the result, the end. */
GradMeetings grad_meetings_in(Grad *g, const Op *loop);
Value *grad_meeting_begins(Grad *g, const GradMeeting *m);
void grad_meeting_ends(Grad *g, GradMeeting *m, const Op *loop);

/* parts.c: `programs` are the axes whose programs do not meet */
bool grad_can_have_parts(const Grad *g, const GradOps *loads, unsigned programs);
bool grad_goes_by_rounds(const GradOps *loads); /* does an address, of a loop that counts? */
void grad_make_parts(Grad *g, GradArray *a);
/* i64, along these; of those that walk over others, where all axes of these are among them. */
Value *grad_program_number(const Grad *g, Builder *b, unsigned axes);
/* Does the mask keep the pointer within the row? */
bool grad_is_in_row(Grad *g, const GradArray *a, Value *pointer, Value *mask);
/* Are these all elements of the row?  What must hold for that is added to what the array needs. */
bool grad_fills_row(Grad *g, const GradArray *a, Value *pointer, Value *mask);

/* walk.c */
void grad_choose_walk(Grad *g); /* when it is known which arrays have parts */
bool grad_is_walked(const Grad *g, const GradArray *a); /* has each derived program one row? */
/* The same as what is the same for all programs that are walked over, in front of the loop over
 * them; NULL: it is not. */
Value *grad_in_front(const Grad *g, Value *v);
void grad_walk_programs(Grad *g); /* when all is derived: the loop */

/* loop.c */
void grad_loop(Grad *g, Op *op);

/* tape.c */
bool grad_can_go_back(Grad *g, const Op *loop); /* else refused */
GradRounds grad_write_tapes(Grad *g, const Op *loop, const bool *is_sum);
Value *grad_turned_counter(Grad *g, const GradRounds *r, Value *back);
/* What carried value i is where the round with this counter begins; `from`: where the loop does. */
Value *grad_round_begins(Grad *g, const GradRounds *r, const Op *loop, int i, Value *counter,
                         Value *from);
void grad_drop_tapes(Grad *g); /* that nothing reads */
/* Which round it is in which the counter has this value. */
Value *grad_round_of(Builder *b, const Op *loop, Value *counter);
GradTape *grad_new_tape(Grad *g, const Op *forward, int i, Value *limit, GradTapeKind kind);
Value *grad_tape_place(Builder *b, const GradTape *t, Value *round, const Type *shape);
void grad_put_barrier(Grad *g, Builder *b); /* threads of a program read what others wrote */

/* points.c: where not each round is kept */
Value *grad_rounds_apart(Grad *g, Builder *b, Value *rounds); /* how many to a point */
/* In front of the rounds of the forward's loop: what each of the points begins with. */
void grad_write_points(const GradRounds *r);
/* In a round of the backward: the forward's rounds once more, for those that are read next. */
void grad_go_again(Grad *g, GradRounds *r, const Op *loop, Value *back, Value *counter);

/* fused.c */
void grad_drop_effects(Grad *g, const GradOps *effects); /* of the forward, but those that stay */
bool grad_check_fused(Grad *g);  /* when it is known who adds to what; refused otherwise */
bool grad_keep_forward(Grad *g); /* a copy, before it is changed; false: it must be the only one */
void grad_put_forward(Grad *g);  /* in front of the backward */
bool grad_share_loads(Grad *g);  /* of both; true: there were some */

/* branch.c */
typedef VEC(Value *) GradValues;
/* Active values that ops in its regions use, and that do not stand there themselves. */
GradValues grad_from_outside(Grad *g, const Op *op);
void grad_without_effects(Grad *g, const Op *op, Op *copy); /* what it holds, of a copy of op */
void grad_compute_again(Grad *g,
                        const Block *b); /* its ops where the builder is, but for effects */
void grad_branch(Grad *g, Op *op);

#endif
