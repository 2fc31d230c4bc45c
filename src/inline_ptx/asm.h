/*
 * asm.h - inline PTX as ops: what its reader, the table of its instructions and their meanings
 * share
 *
 *   constraints.c    which registers a text has for its results and operands
 *   asm_text.c       a text, statement by statement: declarations, registers, operands, predicates
 *   asm_rows.c       THE table of instructions, and which row a name is
 *   asm_float.c, asm_int.c, asm_convert.c   what the rows call: instructions by theme
 *
 * A register holds unsigned integers of 8, 16, 32 or 64 bits in the shape of the results, or i1
 * where it is a predicate.  An instruction sees them as its types say.
 */
#ifndef TILEC_INLINE_PTX_ASM_H
#define TILEC_INLINE_PTX_ASM_H

#include "inline_ptx.h"

/* A type of PTX; of pairs the dtype is that of each half. */
typedef struct {
    const char *name;
    DType dtype;
    int lanes, bits; /* bits of a register that holds all lanes */
} AsmType;
const AsmType *asm_type(const char *name, size_t n); /* NULL: none that is known */

enum { ASM_MOST_PARTS = 8, ASM_MOST_OPERANDS = 5, ASM_MOST_LETTERS = 64 };

typedef struct AsmRow AsmRow;

/* One instruction: its row, its types in order, and the words behind its name that are none. */
typedef struct {
    const AsmRow *row;
    const AsmType *type[3];
    int ntypes, nwords;
    char words[ASM_MOST_PARTS][ASM_MOST_LETTERS];
    uint32_t number; /* of an operand `n` */
} AsmInst;
bool asm_has(const AsmInst *in, const char *word);

/* A place where instructions become ops. */
typedef struct {
    Builder b;
    const Type *shape; /* whose dtype does not count */
} Asm;

/* Give the value of the instruction in any dtype of the right width; `v` are the operands as the
 * row says.  NULL: these words mean nothing that is known here. */
typedef Value *AsmMake(Asm *a, const AsmInst *in, Value **v);

/* operands, one letter each: 0 1 of type 0 or 1; x of type 1 in a register that may be wider; w
 * twice as wide as type 0; i u32; p a predicate; n an integer that is written there. words: those
 * that the instruction may have behind its name; ! must. types: names that each type may have, `|`
 * between the types. result: 0 of type 0; x of type 0 in a register that may be wider; p a
 * predicate; w i as above. */
struct AsmRow {
    const char *name, *words, *types, *result, *operands;
    AsmMake *make;
    OpCode op;
    bool pairs; /* `make` takes both lanes of a pair at once; else it is called for each */
};

/* asm_rows.c: the row of an instruction by its whole name, `cvt.rn.f16x2.f32`, and its number of
 * operands; NULL: there is none. */
const AsmRow *asm_row(const char *name, int noperands, AsmInst *out);

/* Values of one number, and casts without rounding to a side. */
Value *asm_int(Asm *a, DType t, int64_t v);
Value *asm_float(Asm *a, DType t, double v);
Value *asm_cast(Asm *a, Value *v, DType t);
Value *asm_bitcast(Asm *a, Value *v, DType t);
Value *asm_op(Asm *a, OpCode op, Value *x, Value *y); /* y NULL: of one operand */
Value *asm_bits(Asm *a, Value *v); /* as an unsigned integer of that width; i1 as it is */
/* How the words say to round: .rn .rz .rm .rp, also with an i behind them. */
Rounding asm_rounding(const AsmInst *in);
/* .sat of a float: between 0 and 1, where NaN is 0; .relu: not below 0, where NaN stays. */
Value *asm_clamped(Asm *a, const AsmInst *in, Value *v);

AsmMake asm_float_op, asm_toward, asm_reciprocal, asm_approx, asm_fma, asm_least, asm_copysign,
    asm_testp;
AsmMake asm_int_op, asm_sat_int, asm_product, asm_wide, asm_high, asm_mad, asm_mad_wide,
    asm_mad_high, asm_shift, asm_funnel, asm_lop3, asm_prmt, asm_extract, asm_insert, asm_count,
    asm_reverse, asm_find, asm_dot4, asm_cnot, asm_sad;
AsmMake asm_move, asm_compare, asm_set, asm_select;
AsmMake asm_convert, asm_convert_pair, asm_convert_tf32, asm_from_pair, asm_to_fp4, asm_from_fp4;

#endif
