/*
 * facts.h - what is known of a kernel before its gradients are derived: which values count, what is
 * only measured from, which lanes masks leave out, who meets at which element, and what launches
 * must meet for that; and Grad, in which all folders of gradients keep what they know
 *
 * Nothing here changes what the kernel does.  ../grad/grad.h goes on from it.
 */
#ifndef TILEC_GRAD_FACTS_FACTS_H
#define TILEC_GRAD_FACTS_FACTS_H

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
#define GRAD_ALL (~0u)
typedef struct {
    const char *kernel, *of;
    const char *const *wrt;
    int nwrt;
    const GradParam *params;
    int nparams;
    unsigned atomics; /* see grad_by_atomics(): bits, by number in wrt; GRAD_ALL: of all */
    bool recompute;   /* what the forward has stored, too */
    int tape;         /* 0: of each round; N: of N rounds; GRAD_NO_TAPE */
    bool fused;       /* does what the forward does, too */
    unsigned parts;   /* arrays, by number in wrt, of which no gathering is tried in place of
                       * parts, or of stores under conditions: bits */
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
    bool in_order;      /* of GRAD_ADDED: programs do not meet, and each adds without atomics */
    bool in_last_pass;  /* of GRAD_STORED: of several over the same elements */
    bool is_gathered;   /* .. : from windows that are shifted */
    bool may_be_known;  /* of GRAD_ADDED: has parts, or is stored, if it is not gathered */
    bool is_transposed; /* of any: a program sums up what all hand to its elements in a loop */
    bool has_zeros;     /* .. : also where an `if` hands nothing on */
    bool is_picked;     /* .. : with what is handed to an element by itself */
    GradOps loads;      /* of the array, that are active */
    GradOps adds;       /* of GRAD_ADDED, where they are not at the elements of loads: atomics */
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
    Map *left_out;  /* MAP_KEY of a value: 1 + what it is in lanes left out, see left_out.c */
    Map *to_sums;   /* .. : does its gradient reach a sum over lanes? */
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
    unsigned missed; /* arrays that are not gathered, and of which another way is known: bits */
    Block *forward;  /* of a fused kernel, what stands before the backward; NULL: that has it */
    bool by_itself;  /* what the kernel leaves in an array is differentiated by what was there */
    bool failed;
} Grad;

/* facts.c */
/* What an op does to gradients: a rule gives those of its operands, a file of its own does, it has
 * none, or is refused; of the last two why. */
typedef enum { GRAD_RULE, GRAD_OWN, GRAD_ZERO, GRAD_REFUSED } GradKind;
typedef struct {
    GradKind kind;
    const char *why;
} GradRow;
const GradRow *grad_row(OpCode code);
/* An error at the op, or at the kernel; the first one counts. */
void grad_refuse(Grad *g, const Op *op, const char *fmt, ...) PRINTF(3, 4);
/* Does it, as a store does, or by adding to what is there? */
bool grad_puts_in_memory(const Op *op);
/* Is it wished that whoever meets at its elements adds by atomics?  Nothing is taken for granted of
 * it then.  Of any other array: is it so of all these? */
bool grad_by_atomics(const Grad *g, const GradArray *a);
void grad_find_asked(Grad *g); /* the axes of the grid */

/* REFERENCE: what is differentiated stays the same whatever it is. */
typedef enum { VARIES = 1, MATTERS = 2, REFERENCE = 4 } GradFacts;
/* active.c */
void grad_find_active(Grad *g);
/* It depends on what is differentiated by, and what is differentiated on it. */
bool grad_is_active(const Grad *g, const Value *v);
int grad_array_of(const Grad *g, const Value *pointer); /* number of its parameter; -1: not one */
GradArray *grad_wrt_of(Grad *g, const Value *pointer);  /* NULL: not differentiated by */

/* reference.c: of what is active marks maxima and minima that values are only measured from */
void grad_find_references(Grad *g);
/* When these move, does v as this one of them does? */
bool grad_moves_with(const Grad *g, const Value *v, const Value *point);
bool grad_stays(const Grad *g, const Value *v); /* as it is, whatever moves */
bool grad_jumps(const Grad *g);                 /* something, as an integer made of what moves */

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

/* needs.c: conditions that launches are to meet */
/* least <= most, unless that is seen; false: it is seen not to be. */
bool grad_need(Grad *g, const GradArray *a, const Poly *least, const PolyTerm *most);
void grad_need_for_all(Grad *g, const GradNeeds *needs); /* of any array: of all gradients */
/* Is that seen, or needed already? */
bool grad_is_granted(const Grad *g, const Poly *least, const PolyTerm *most);
const Value *grad_number_of_programs(Grad *g, int axis); /* to be named, not computed with */

/* stored_over.c: do programs surely store one element of what is differentiated?  Refused then. */
bool grad_check_programs(Grad *g, const GradOps *stores);

/* alone.c */
/* Is no element of the array met twice by these accesses: by lanes, rounds, and programs along
 * those axes of the grid?  But for the meetings that are known.  Conditions go to g->needs. */
bool grad_alone(Grad *g, const GradArray *a, const GradOps *accesses, unsigned programs);
/* Does each of these alone meet no element twice, and no program one of another? */
bool grad_adds_once(Grad *g,
                    const GradArray *a); /* what is differentiated is not added to by several */
bool grad_in_order(Grad *g, const GradArray *a, const GradOps *accesses, unsigned programs,
                   bool *again); /* one may come to an element again in another round */

/* reach.c */
unsigned grad_programs_of(const Grad *g, const Op *access, unsigned programs); /* in its address */
/* From the array's beginning, how many elements it may reach.  0: not known; -1: it may begin in
 * front of it. */
int64_t grad_reach(const Grad *g, const Op *access, unsigned programs);

/* meeting.c */
/* Is it made so that it is seen to be the same along the axes: bits?  Then it without these. */
bool grad_can_drop(const Value *v, unsigned axes);
/* The axes of what an op takes that become these of what it gives. */
unsigned grad_axes_before_expand(const Op *op, unsigned axes);
unsigned grad_axes_before_permute(const Op *op, unsigned axes);
bool grad_runs_once(const Op *loop); /* at least, whatever the arguments */
void grad_find_meeting(Grad *g, const Op *load);
const GradMeeting *grad_meeting(const Grad *g, const Op *access); /* NULL: it is no such load */

#endif
