/*
 * parser.h - what the parts of the reader of PTX share
 *
 * All of it lives for one ptx_read().  An error fills in *error and leaves through the guard of
 * read.c; functions that only try give false and say in `why` what did not fit.
 */
#ifndef TILEC_PTX_PARSER_H
#define TILEC_PTX_PARSER_H

#include "ptx.h"

typedef enum { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_MARK } TokenKind;
typedef struct {
    TokenKind kind;
    Sym word;       /* of words and strings; strings without their quotes */
    char mark;      /* of marks: one character */
    bool is_float;  /* of numbers: `value` has the bits of a float of `bits` */
    int bits;       /* 64 for numbers in decimal with a point */
    uint64_t value; /* of numbers */
    uint32_t line;
} Token;

typedef enum { SYMBOL_REG, SYMBOL_VAR, SYMBOL_FUNC, SYMBOL_LABEL, SYMBOL_JUMPS } SymbolKind;
typedef struct {
    SymbolKind kind;
    int bits;       /* of a register; 1: a predicate */
    uint32_t place; /* of a register; the instruction of a label; an index of PtxModule.jumps */
    PtxVar *var;
    PtxFunc *func;
} Symbol;

typedef struct Scope Scope;
struct Scope {
    Scope *outer;
    Map *symbols;
};

/* A branch to a label that had not been seen; searched when its scope ends. */
typedef struct {
    Sym label;
    int depth;          /* of the scope that it is searched in next */
    uint32_t inst;      /* whose target it is, or */
    uint32_t *in_jumps; /* an entry of a jump table; NULL: of the instruction */
    uint32_t line;
} Fixup;

/* An instruction to one of whose addresses that of a variable is added at the end. */
typedef struct {
    uint32_t inst;
    int which; /* of Inst.at */
    const PtxVar *var;
} VarFixup;

/* A call, whose function may be defined later. */
typedef struct {
    uint32_t inst;
    PtxFunc *callee, *caller;
} CallFixup;

typedef struct {
    PtxModule *m;
    Arena *scratch; /* of the load */
    Guard *guard;
    PtxError *error;
    Interner *names;
    const Token *token; /* the next one */
    Scope *scope;
    int depth;     /* of scopes; 0: the module */
    PtxFunc *func; /* that is being read, or NULL */
    VEC(Fixup) fixups;
    VEC(VarFixup) var_fixups;
    VEC(CallFixup) calls;
    VEC(const char *) files; /* by .file number */
    Map *const_places;       /* constants of the register file by value and width */
    const PtxTable *table;
    Map *rows;             /* by the first word of their names: index in the table plus 1 */
    uint64_t global_bytes; /* of all variables in global memory */
    uint32_t trash;        /* place that takes what is written to `_`; as wide as any register */
    uint32_t source;       /* index of the place in force */
    char why[160];         /* why the row did not fit that came nearest */
    int nearest;           /* how far it came */
} Parser;

/* lex.c: the tokens of a text, in the arena; the last one is TOKEN_END. */
const Token *lex_ptx(Parser *p, const char *text, size_t len);

/* parse.c */
void ptx_module(Parser *p); /* all of the text; what it makes is in p->m */
/* Leave with a message about that line of the text. */
NORETURN void ptx_error(Parser *p, uint32_t line, const char *fmt, ...) PRINTF(3, 4);
bool ptx_mark(Parser *p, char mark);   /* take it if it comes next */
void ptx_expect(Parser *p, char mark); /* take it, or fail */
Sym ptx_word(Parser *p,
             const char *what); /* a word must come next; `what` says which in messages */
bool ptx_take_word(Parser *p, const char *word);      /* take this word if it comes next */
uint64_t ptx_take_number(Parser *p);                  /* or fail */
void ptx_declare(Parser *p, Sym name, Symbol symbol); /* in the scope that is open; it is copied */
Symbol *ptx_lookup(const Parser *p, Sym name);        /* NULL: not declared */

/* declare.c: each takes what stands behind its directive, with the end of the declaration */
void declare_vars(Parser *p, PtxSpace space, bool is_const, bool is_extern);
void declare_regs(Parser *p); /* `.b32 %r<5>, t;` */
/* An argument of a call, declared where it is called: one place for each thread. */
void declare_call_params(Parser *p);
/* `.param ..., .param ...)`: the parameters or the results of a function. */
void declare_params(Parser *p, PtxFunc *f, bool results);

/* operand.c */

/* A new place in the register file for a register of that width. */
uint32_t place_new(Parser *p, int bits);
/* The bits of a number where one of that width is wanted, behind a minus or not. */
uint64_t ptx_number_bits(const Token *t, int bits, bool negative);
/* Take the operands that `spec` asks for, as far as the semicolon; ptx.h has the letters.  False:
 * they are others. */
bool ptx_operands(Parser *p, const char *spec, Inst *in);

/* decode.c */

typedef enum { NEAR_MODIFIERS = 1, NEAR_TYPES, NEAR_OPERANDS } Nearness;
/* Say why a row does not fit, unless another one came nearer or as near.  Gives false. */
bool decode_misfit(Parser *p, Nearness near, const char *fmt, ...) PRINTF(3, 4);
/* An instruction, from its name to its semicolon. */
void decode_inst(Parser *p, Inst in);

#endif
