/*
 * print.h - tile IR as Triton source: print.c has statements, print_control.c loops and branches,
 * print_combine.c those of several tiles, print_random.c draws, print_lines.c where they come from,
 * print_expr.c expressions, print_ops.c how ops are spelled, print_head.c what stands around
 */
#ifndef TILEC_GRAD_PRINT_H
#define TILEC_GRAD_PRINT_H

#include "../grad_gather/gather.h"

typedef struct {
    const char *array, *gradient; /* parameters: `x`, `d_x`; of parts that of their sum */
    GradFill fill;
    const char *stored; /* how many elements are, of those in a row; NULL: not known */
} GradParameter;
/* A parameter that says how many programs the forward has. */
typedef struct {
    const char *name, *text;
} GradPrograms;
/* Memory that a launch allocates.  Texts are expressions over the parameters and `grid`. */
typedef struct {
    const char *name;
    DType dtype;
    const char *count; /* of elements */
    bool is_zero;      /* before the launch */
} GradWorkspace;
typedef struct {
    const char *total, *parts, *rows, *width; /* the second kernel's arguments */
} GradSum;
typedef struct {
    const char *name, *array; /* elements of that from its pointer on; NULL: rounds of a loop */
} GradSize;
/* An expression that is true, or the gradient of the array is wrong: its elements overlap. */
typedef struct {
    const char *array, *text;
} GradNeedText;
typedef struct {
    const char *text, *kernel; /* the file; its kernel's name */
    const char *accesses;      /* who adds to what, for people */
    GradParameter *gradients;  /* of wish->of, then of wish->wrt in their order */
    int ngradients;
    VEC(GradWorkspace) workspaces;
    VEC(GradSum) sums; /* by the kernel with `_sum` behind its name */
    VEC(GradSize) sizes;
    VEC(GradNeedText) needs;
    VEC(const char *) saved; /* arrays that are read as the forward left them */
    const char *grid[AXES];  /* what it is launched with */
    VEC(GradPrograms) programs;
} GradResult;

/* print.c: the kernel that was derived as a file, in its arena; false: a diagnostic says what
 * cannot be written. */
bool grad_print(Grad *g, GradResult *out);

/* --- inside of this folder --- */

typedef struct {
    Grad *g;
    GradResult *result;
    Arena *arena;
    Text text;
    UseLists uses;
    Map *names; /* MAP_KEY of a value: what it is called in the source; else it is an expression */
    Map *taken; /* a name: not for another value, and which number comes next behind it */
    Text *functions; /* those that combine, in front of the kernel */
    Map *combines;   /* the text of such a function: its name */
    Map *draws, *drawn,
        *given; /* print_random.c: a Draw; it and what it is made of; what it takes */
    int indent;
    size_t began; /* where in the text the statement does */
    int line;     /* of the forward, which was named last; 0: none */
} Writer;

/* How tightly Python's operators bind. */
typedef enum {
    LEVEL_ANY,
    LEVEL_COMPARE,
    LEVEL_OR,
    LEVEL_XOR,
    LEVEL_AND,
    LEVEL_SHIFT,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_UNARY,
    LEVEL_ATOM
} Level;

enum { LINE = 100 };
typedef VEC(const char *) Words;

/* print.c */
const char *print_new_name(Writer *p, const char *wish); /* or wish_1, .. */
/* A name of the user's, without what only frames of the lowering have: `acc`, `f.x`. */
const char *print_plain_name(Writer *p, const char *name, const char *otherwise);
void print_take_words(Writer *p);            /* that are no names of values */
void print_begin(Writer *p);                 /* a statement */
void print_enter(Writer *p, const Op *from); /* behind `for ..`, of this op of the forward */
/* Back to where the block's statement stands. */
void print_leave(Writer *p);
void put_block(Writer *p, const Block *b);
void print_assign(Writer *p, const Value *v); /* a statement that gives it a name */

/* print_long.c: statements of parts of v, until what is left of it fits behind so many columns */
void print_shorten(Writer *p, const Value *v, int used);
/* Between parentheses, in lines of at most LINE columns, of which `used` are, indented to the
 * parenthesis. */
void put_list(Writer *p, const Words *all, int used);

/* print_control.c */
/* A `for` with what it carries; one whose rounds are not counted; an `if` with what it gives. */
void put_loop(Writer *p, const Op *loop);
void put_while(Writer *p, const Op *loop);
void put_branch(Writer *p, const Op *branch);

/* print_combine.c */
void put_winner(Writer *p, const Op *op);  /* of the largest or smallest with its index */
void put_several(Writer *p, const Op *op); /* a reduction or scan of several tiles */
/* The two halves of a tile's last axis, if it is a sum of one of them: it then needs no other
 * statement. */
bool put_split(Writer *p, const Op *op);
bool print_is_joined(const Op *op); /* from two halves: tl.join */
void put_joined(Writer *p, const Op *op);
bool print_is_hidden(const Writer *p, const Op *op); /* only such sums and choices read it */
/* What a reduction or scan combines with, as a function of the file: its name. */
const char *print_function_of(Writer *p, const Op *op);

/* print_random.c */
/* Random numbers, as a call, and the seed and offset that it takes. */
typedef struct {
    const char *call;
    const Value *of[2];
} Draw;
void print_find_draws(Writer *p);
const Draw *print_draw(const Writer *p, const Value *v);  /* NULL: it is none */
bool print_is_for_draws(const Writer *p, const Value *v); /* only such calls are made of it */
void put_draw(Writer *p, const Draw *draw);

/* print_lines.c */
/* Ends a statement: behind it the line that `from` stands in, unless it was named by the statement
 * before.  NULL: it comes from no line. */
void put_end(Writer *p, const Op *from);

/* The line of the kernel itself that it comes from, of what helpers do that of the call; its code.
 */
int print_line_of(const Writer *p, const Op *op, const char **code);

/* print_access.c */
const char *print_accesses(const Writer *of); /* who adds to what, and which tapes there are */

/* print_head.c */
/* "min(grid[0], 256) * grid[2]": how many programs the derived kernel has along some axes. */
const char *print_programs(const Writer *p, unsigned axes);
const char *print_kept_rounds(const GradTape *t);
void print_describe(Writer *p); /* the result but for its text */
void put_signature(Writer *p);
void put_docstring(Writer *p);
void put_asserts(Writer *p);
void put_sum(Writer *p); /* the kernel that adds parts up, where there are some */

/* print_needs.c */
void print_needs(Writer *p);        /* what launches must meet, a line each */
void print_say_needs(Writer *p);    /* .. in the docstring */
void print_assert_needs(Writer *p); /* .. as assertions */
void print_describe_needs(Writer *p);
/* Numbers that a launch knows, or the kernel. */
void print_polynomial(Writer *w, const Poly *p, bool in_launch);
void print_line(Writer *p, const char *line); /* of the docstring, or several */

/* print_ops.c */
void put_expand(Writer *p, const Op *op); /* x[:, None] */
typedef struct {
    const char *text;
    Level level;
} Form;
Form print_operator(const Op *op);              /* between two operands; text NULL: none */
const char *print_function(const Op *op);       /* NULL: it is no call of one */
const char *print_reduction(const Op *op);      /* NULL: it has no name */
OpCode print_opposite_of(OpCode comparison);    /* OP_COUNT: it is none */
bool print_knows(const Op *op);                 /* has it a way to be written? */
bool print_is_inline(const Value *v);           /* never a statement of its own */
const char *print_name_without(const Value *v); /* what one without a name is called */
/* What sums for each lane are called, by what they are summed up to in the end; NULL. */
const char *print_name_of_sum(const Writer *p, const Value *v);

/* print_expr.c */
void put_extent(Writer *p, const Value *v, int d);      /* of a dimension */
void put_value(Writer *p, const Value *v, Level level); /* in its own shape */
/* What spreads to its shape where it stands beside something of that shape. */
void put_bare(Writer *p, const Value *v, Level level);
/* A reduction or scan. */
void put_along(Writer *p, const Op *op);
/* How it is made, whatever it is called. */
void put_made(Writer *p, const Value *v, Level level);
/* In an op of this shape that broadcasts: operands from `first` on. */
void put_operands(Writer *p, const Op *op, int first, int n, const char *const *leads);
/* Can the opposite of a condition be written by one operator?  Then it is. */
/* Of (a + (b - 1)) // b and (a + b - 1) // b, a; NULL: it is another division. */
const Value *print_rounded_up(const Writer *p, const Op *op);
/* Of 1.0 / (1.0 + exp(-x)), x; NULL: it is another division. */
const Value *print_sigmoid(const Writer *p, const Op *op);
bool print_opposite(const Writer *p, const Value *condition);
void put_opposite(Writer *p, const Value *condition);

#endif
