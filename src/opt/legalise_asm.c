/*
 * legalise_asm.c - inline assembly for targets that have none
 *
 * Takes and gives verified IR.  A text of PTX whose instructions are all ops here becomes these,
 * rounded as the ops are: `ex2.approx.ftz.f32 $0, $1;` is exp2.  Its registers hold 32 or 64 bits,
 * of one element each.  Whatever else is left is refused, with its place.
 */
#include <stdio.h>
#include <stdlib.h>
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
    {"fma", "f32", DT_FP32, OP_fma, 3},     {"neg", "f32", DT_FP32, OP_neg, 1},
    {"abs", "f32", DT_FP32, OP_abs, 1},     {"min", "f32", DT_FP32, OP_min, 2},
    {"max", "f32", DT_FP32, OP_max, 2},     {"popc", "b32", DT_U32, OP_popc, 1},
    {"clz", "b32", DT_U32, OP_clz, 1},      {"and", "b32", DT_U32, OP_and, 2},
    {"or", "b32", DT_U32, OP_or, 2},        {"xor", "b32", DT_U32, OP_xor, 2},
    {"not", "b32", DT_U32, OP_not, 1},      {"shl", "b32", DT_U32, OP_shl, 2},
    {"shr", "b32", DT_U32, OP_shr, 2},      {"shr", "u32", DT_U32, OP_shr, 2},
    {"add", "u32", DT_U32, OP_add, 2},      {"add", "s32", DT_I32, OP_add, 2},
    {"sub", "u32", DT_U32, OP_sub, 2},      {"sub", "s32", DT_I32, OP_sub, 2},
    {"min", "u32", DT_U32, OP_min, 2},      {"min", "s32", DT_I32, OP_min, 2},
    {"max", "u32", DT_U32, OP_max, 2},      {"max", "s32", DT_I32, OP_max, 2},
    {"mov", "b32", DT_U32, OP_hint, 1},     {"mov", "u32", DT_U32, OP_hint, 1},
    {"mov", "b64", DT_U64, OP_hint, 1},     {"mov", "u64", DT_U64, OP_hint, 1},
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

static bool is_word(const Value *v, DType t)
{
    return !v->type->pointer && dtype_bits(v->type->dtype) == dtype_bits(t);
}

/* --- a text, statement by statement --- */

enum { MOST_NAMES = 32, MOST_LETTERS = 32 };

/* A register of the text and what it holds: 32 or 64 bits, as unsigned integers. */
typedef struct {
    char name[MOST_LETTERS];
    Value *value;
} Register;
typedef struct {
    Builder b;
    const Op *op;
    const char *at; /* what is left of the text */
    Register registers[MOST_NAMES];
    int n;
} Reader;

static void skip_spaces(Reader *r)
{
    r->at += strspn(r->at, " \t\n\r{}"); /* the braces of a text only keep its names apart */
}

/* The next word, of letters that names, types and numbers have; false: there is none. */
static bool read_word(Reader *r, char *out)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$%-";

    skip_spaces(r);
    size_t n = strspn(r->at, letters);
    if (n == 0 || n >= MOST_LETTERS)
        return false;
    memcpy(out, r->at, n);
    out[n] = '\0';
    r->at += n;
    return true;
}

static bool accept_letter(Reader *r, char c)
{
    skip_spaces(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static Register *find_register(Reader *r, const char *name)
{
    for (int i = 0; i < r->n; i++) {
        if (strcmp(r->registers[i].name, name) == 0)
            return &r->registers[i];
    }
    return NULL;
}

static bool set_register(Reader *r, const char *name, Value *v)
{
    Register *g = find_register(r, name);

    if (!g && r->n == MOST_NAMES)
        return false;
    if (!g)
        g = &r->registers[r->n++];
    memcpy(g->name, name, MOST_LETTERS);
    g->value = v;
    return true;
}

/* A register or an integer, as what the instruction computes in; NULL: neither, or of another
 * width. */
static Value *read_operand(Reader *r, const char *word, DType t)
{
    const Register *g = find_register(r, word);
    const Type *shape = r->op->results[0]->type;
    char *end;

    if (g)
        return is_word(g->value, t) ? build_bitcast(&r->b, g->value, t) : NULL;
    if (dtype_is_float(t))
        return NULL;
    long long number = strtoll(word, &end, 0);
    return end > word && !*end ? build_int(&r->b, type_with_dtype(r->b.module, shape, t), number)
                               : NULL;
}

/* The row of an instruction; -1: it is none of these. */
static int row_of(const char *word)
{
    for (int i = 0; i < COUNT(instructions); i++) {
        if (is_instruction(word, strlen(word), instructions[i].name, instructions[i].type))
            return i;
    }
    return -1;
}

static Value *compute(Reader *r, int row, Value **v)
{
    OpCode code = instructions[row].op;
    int n = instructions[row].operands;

    if (code == OP_hint) /* mov */
        return v[0];
    if (code == OP_div && n == 1) {
        v[1] = v[0];
        v[0] = build_float(&r->b, v[1]->type, 1);
        n = 2;
    }
    return build_op(&r->b, code, n, v, 0, NULL, 0, NULL)->results[0];
}

/* INSTRUCTION RESULT, OPERAND.. ; */
static bool read_instruction(Reader *r, const char *name)
{
    int row = row_of(name);
    char result[MOST_LETTERS], word[MOST_LETTERS];
    Value *v[3];

    if (row < 0 || !read_word(r, result))
        return false;
    for (int i = 0; i < instructions[row].operands; i++) {
        if (!accept_letter(r, ',') || !read_word(r, word) ||
            !(v[i] = read_operand(r, word, instructions[row].dtype)))
            return false;
    }
    return set_register(r, result, compute(r, row, v));
}

/* .reg .TYPE NAME, NAME..; or an instruction; false at what is neither. */
static bool read_statement(Reader *r)
{
    char word[MOST_LETTERS];

    if (!read_word(r, word))
        return false;
    if (strcmp(word, ".reg") == 0)
        r->at += strcspn(r->at, ";"); /* they are known once they hold something */
    else if (!read_instruction(r, word))
        return false;
    return accept_letter(r, ';') || !*r->at;
}

/* The operands are the registers behind those of the results. */
static bool name_operands(Reader *r)
{
    for (int i = 0; i < r->op->noperands; i++) {
        char name[MOST_LETTERS] = {0};
        Value *v = r->op->operands[i];

        snprintf(name, sizeof name, "$%d", r->op->nresults + i);
        if (!is_word(v, DT_U32) && !is_word(v, DT_U64))
            return false;
        if (!set_register(r, name, v))
            return false;
    }
    return true;
}

/* What each result is, in out[]; false: the text has something that is no op here. */
static bool read_text(Reader *r, Value **out)
{
    if (!name_operands(r))
        return false;
    for (skip_spaces(r); *r->at; skip_spaces(r)) {
        if (!read_statement(r))
            return false;
    }
    for (int i = 0; i < r->op->nresults; i++) {
        char name[MOST_LETTERS] = {0};
        const Value *want = r->op->results[i];

        snprintf(name, sizeof name, "$%d", i);
        const Register *g = find_register(r, name);
        if (!g || want->type->pointer || !is_word(want, g->value->type->dtype))
            return false;
        out[i] = build_bitcast(&r->b, g->value, want->type->dtype);
    }
    return true;
}

/* Are there as many constraints as results and operands?  Clobbers do not count.  Where not, a
 * target with an assembler says so. */
static bool constraints_fit(const Op *op)
{
    int n = 0;

    for (const char *s = attr_constraints(op); *s; s += strcspn(s, ","), s += *s == ',')
        n += *s != '~';
    return n == op->nresults + op->noperands;
}

static void translate(Op *op, void *ctx)
{
    Value *results[MOST_NAMES];

    (void)ctx;
    ir_resolve_operands(op);
    if (op->code != OP_inline_asm || op->nresults == 0 || op->nresults > MOST_NAMES ||
        op->noperands == 0 || attr_pack(op) != 1 || !constraints_fit(op))
        return;
    Reader r = {.b = builder_before(op), .op = op, .at = attr_asm(op)};
    if (!read_text(&r, results))
        return; /* what was made so far is dead */
    for (int i = 0; i < op->nresults; i++) {
        op->results[i]->repl = results[i];
        if (!results[i]->name)
            results[i]->name = op->results[i]->name;
    }
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
