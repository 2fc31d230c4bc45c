/*
 * legalise_asm.c - inline assembly for targets that have none
 *
 * Takes and gives verified IR.  A text that is one instruction of PTX, of those that are ops here,
 * becomes that op, rounded as the op is: `ex2.approx.ftz.f32 $0, $1;` is exp2.  Whatever else is
 * left is refused, with its place.
 */
#include <string.h>

#include "opt.h"

/* Instructions by what stands in front of the first dot; type: what must stand behind the last. */
static const struct {
    const char *name, *type;
    DType dtype; /* that it computes in */
    OpCode op;
    int operands;
} instructions[] = {
    {"ex2", "f32", DT_FP32, OP_exp2, 1},    {"lg2", "f32", DT_FP32, OP_log2, 1},
    {"sin", "f32", DT_FP32, OP_sin, 1},     {"cos", "f32", DT_FP32, OP_cos, 1},
    {"tanh", "f32", DT_FP32, OP_tanh, 1},   {"sqrt", "f32", DT_FP32, OP_sqrt, 1},
    {"rsqrt", "f32", DT_FP32, OP_rsqrt, 1}, {"rcp", "f32", DT_FP32, OP_div, 1},
    {"add", "f32", DT_FP32, OP_add, 2},     {"sub", "f32", DT_FP32, OP_sub, 2},
    {"mul", "f32", DT_FP32, OP_mul, 2},     {"div", "f32", DT_FP32, OP_div, 2},
    {"fma", "f32", DT_FP32, OP_fma, 3},     {"popc", "b32", DT_U32, OP_popc, 1},
};

/* Is it NAME.MODIFIER.TYPE, with modifiers that say no more than how exact it is? */
static bool is_instruction(const char *text, size_t n, const char *name, const char *type)
{
    static const char *const modifiers[] = {"approx", "ftz", "full", "rn"};
    size_t len = strcspn(text, ".");

    if (len >= n || len != strlen(name) || memcmp(text, name, len) != 0)
        return false;
    for (;;) {
        bool known = false;

        text += len + 1;
        n -= len + 1;
        len = MIN(strcspn(text, "."), n);
        if (len == n)
            return n == strlen(type) && memcmp(text, type, n) == 0;
        for (int i = 0; i < COUNT(modifiers); i++)
            known = known || (strlen(modifiers[i]) == len && memcmp(modifiers[i], text, len) == 0);
        if (!known)
            return false;
    }
}

/* Are `$0, $1, ..` up to this number all that is left of the text? */
static bool is_operand_list(const char *text, int last)
{
    for (int i = 0; i <= last; i++) {
        text += strspn(text, " \t\n");
        if (text[0] != '$' || text[1] != '0' + i)
            return false;
        text += 2;
        text += strspn(text, " \t\n");
        text += i < last && *text == ',';
    }
    text += *text == ';';
    return text[strspn(text, " \t\n")] == '\0';
}

/* The row of the only instruction of a text; -1: it is something else. */
static int instruction_of(const Op *op)
{
    const char *text = attr_asm(op) + strspn(attr_asm(op), " \t\n");
    size_t n = strcspn(text, " \t\n");

    for (int i = 0; i < COUNT(instructions); i++) {
        if (is_instruction(text, n, instructions[i].name, instructions[i].type))
            return op->noperands == instructions[i].operands &&
                           is_operand_list(text + n, op->noperands)
                       ? i
                       : -1;
    }
    return -1;
}

static bool is_word(const Value *v, DType t)
{
    return !v->type->pointer && dtype_bits(v->type->dtype) == dtype_bits(t);
}

static void translate(Op *op, void *ctx)
{
    int row = op->code == OP_inline_asm && op->nresults == 1 ? instruction_of(op) : -1;
    bool fits = row >= 0 && is_word(op->results[0], instructions[row].dtype);
    Value *v[3];

    (void)ctx;
    ir_resolve_operands(op);
    for (int i = 0; fits && i < op->noperands; i++)
        fits = is_word(op->operands[i], instructions[row].dtype);
    if (!fits || attr_pack(op) != 1)
        return;
    Builder b = builder_before(op);
    OpCode code = instructions[row].op;
    int n = op->noperands;
    for (int i = 0; i < n; i++)
        v[i] = build_bitcast(&b, op->operands[i], instructions[row].dtype);
    if (code == OP_div && n == 1) {
        v[1] = v[0];
        v[0] = build_float(&b, v[1]->type, 1);
        n = 2;
    }
    Value *result = build_op(&b, code, n, v, 0, NULL, 0, NULL)->results[0];
    op->results[0]->repl = build_bitcast(&b, result, op->results[0]->type->dtype);
    op->results[0]->repl->name = op->results[0]->name;
    op_remove(op);
}

void opt_translate_asm(Module *m)
{
    for (int i = 0; i < m->nfuncs; i++) {
        ir_walk(m->funcs[i]->body, translate, NULL);
        opt_resolve_all(m->funcs[i]->body);
    }
}

typedef struct {
    const char *device;
    Diags *diags;
} Report;

static void report_asm(Op *op, void *report)
{
    const Report *r = report;

    if (op->code == OP_inline_asm || op->code == OP_inline_asm_volatile) {
        ir_diag(r->diags, DIAG_ERROR, op, "inline assembly means nothing to the device `%s`",
                r->device);
        diag(r->diags, DIAG_HINT, (Span){0},
             "write it with functions of tl for devices without it");
    }
}

bool opt_refuse_asm(const Module *m, const char *device, Diags *d)
{
    int errors = diag_errors(d);
    Report r = {device, d};

    for (int i = 0; i < m->nfuncs; i++)
        ir_walk(m->funcs[i]->body, report_asm, &r);
    return diag_errors(d) == errors;
}
