/*
 * table.c - what ops.h says about each op, and small questions about ops and values
 */
#include <string.h>

#include "ir.h"

static const OpInfo infos[] = {
#define OP(name, operands, result, attrs, flags) {#name, operands, #result, attrs, flags},
#include "ops.h"
};

const OpInfo *op_info(OpCode code)
{
    if ((unsigned)code >= OP_COUNT)
        bug("no op has the number %d", (int)code);
    return &infos[code];
}

bool opcode_from_name(const char *s, size_t n, OpCode *out)
{
    for (int i = 0; i < OP_COUNT; i++) {
        if (strncmp(infos[i].name, s, n) == 0 && infos[i].name[n] == '\0') {
            *out = (OpCode)i;
            return true;
        }
    }
    return false;
}

/* Memory ops do not count: what they give depends on more than their operands. */
bool op_is_elementwise(const Op *op)
{
    return op_has(op, FOLDS) || op->code == OP_addptr || op->code == OP_hint;
}

bool op_has_effects(const Op *op)
{
    if (op_has(op, READS | WRITES))
        return true;
    for (int r = 0; r < COUNT(op->regions); r++) {
        for (const Op *o = op->regions[r] ? op->regions[r]->first : NULL; o; o = o->next) {
            if (op_has_effects(o))
                return true;
        }
    }
    return false;
}

/* Every element of the result is some element of operand 0. */
static bool only_moves_elements(OpCode code)
{
    return code == OP_splat || code == OP_broadcast || code == OP_expand || code == OP_reshape ||
           code == OP_permute;
}

bool value_constant(const Value *v, uint64_t *bits)
{
    for (;;) {
        while (v->repl)
            v = v->repl;
        if (!v->def || !only_moves_elements(v->def->code))
            break;
        v = v->def->operands[0];
    }
    if (!v->def || v->def->code != OP_const)
        return false;
    *bits = (uint64_t)v->def->attrs[0];
    return true;
}

bool value_const_int(const Value *v, int64_t *out)
{
    uint64_t bits;

    if (v->type->pointer || !dtype_is_int(v->type->dtype) || !value_constant(v, &bits))
        return false;
    *out = scalar_to_int(v->type->dtype, bits);
    return true;
}
