/*
 * inline_ptx.h - inline assembly: its registers, and texts of PTX read into ops
 */
#ifndef TILEC_INLINE_PTX_H
#define TILEC_INLINE_PTX_H

#include "../ir/ir.h"

/* constraints.c: the registers of inline assembly. */
typedef struct {
    const char *text;
    int len, bits; /* of the register */
    int same;      /* as that constraint's register; -1: one of its own */
    bool result;
} AsmConstraint;
typedef struct {
    VEC(AsmConstraint) all; /* without clobbers */
    const int *words;       /* registers of result or operand i, results first */
} AsmConstraints;
bool asm_constraints(Arena *a, const Op *op, AsmConstraints *out); /* false: they do not fit */

/* asm_text.c: put the ops that a text is in front of `op`, and give what each of its results is.
 * NULL, or else why it is no text of such ops: a sentence that names what is not known.  What was
 * made then is dead. */
const char *asm_read(Op *op, Value **results);

#endif
