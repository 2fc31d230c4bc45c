/*
 * verify.h - what verify.c and the files of rules share; nothing outside src/ir/ includes it
 */
#ifndef TILEC_VERIFY_H
#define TILEC_VERIFY_H

#include "ir.h"

typedef struct {
    const Func *func;
    Arena *arena; /* the module's */
    Diags *diags;
    const Value **visible; /* by id: the value, where it may be used at this point */
    bool *seen;            /* by id: some value has it */
} Verifier;

/* Report an error of this op (of the function when op is NULL); gives false. */
bool verify_say(const Verifier *v, const Op *op, const char *fmt, ...) PRINTF(3, 4);
const char *verify_type_text(const Verifier *v, const Type *t); /* in the module's arena */

/* verify_rules.c: what an op demands beyond its row of the table.  The row was checked before,
 * and so was everything in the op's regions. */
bool verify_rule(const Verifier *v, const Op *op);
bool verify_gives(const Verifier *v, const Op *op, int n); /* so many results */
bool verify_result_is(const Verifier *v, const Op *op, int i, const Type *want);
bool verify_keeps_element(const Verifier *v, const Op *op); /* one result, elements of operand 0 */
bool verify_axis_in(const Verifier *v, const Op *op, int n);

/* verify_memory.c, verify_regions.c: their part of it; NULL: they say nothing about the op */
typedef bool VerifyRule(const Verifier *v, const Op *op);
VerifyRule *verify_memory_rule(OpCode code);
VerifyRule *verify_regions_rule(OpCode code);
/* The terminator of a block hands over exactly these types, its first `skip` operands aside. */
bool verify_hands_over(const Verifier *v, const Block *b, int skip, int n,
                       const Type *const *types);

#endif
