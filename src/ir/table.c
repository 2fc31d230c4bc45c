/*
 * table.c - what ops.h says about each op, and small questions about ops and values
 */
#include <string.h>

#include "ir.h"

#define A0                                                                                         \
    {                                                                                              \
        ATTR_NONE                                                                                  \
    }
#define A1(a)                                                                                      \
    {                                                                                              \
        ATTR_##a                                                                                   \
    }
#define A2(a, b)                                                                                   \
    {                                                                                              \
        ATTR_##a, ATTR_##b                                                                         \
    }
#define A3(a, b, c)                                                                                \
    {                                                                                              \
        ATTR_##a, ATTR_##b, ATTR_##c                                                               \
    }
#define A4(a, b, c, d)                                                                             \
    {                                                                                              \
        ATTR_##a, ATTR_##b, ATTR_##c, ATTR_##d                                                     \
    }
#define A7(a, b, c, d, e, f, g)                                                                    \
    {                                                                                              \
        ATTR_##a, ATTR_##b, ATTR_##c, ATTR_##d, ATTR_##e, ATTR_##f, ATTR_##g                       \
    }
static const OpInfo infos[] = {
#define OP(name, operands, result, attrs, flags) {#name, operands, #result, attrs, flags},
#include "ops.h"
};

#define WORDS(Type, name, text, need) static const char *const words_of_##name[] = {
#define WORD(constant, word) word,
#define END(Type)                                                                                  \
    }                                                                                              \
    ;
#include "attrs.h"

enum { OPTIONAL, NEEDED };
static const AttrInfo attr_infos[] = {
    {.name = "none"},
#define NUMBER(name, text, need) {text, ATTR_IS_NUMBER, need, NULL, 0},
#define TEXT(name, text, need) {text, ATTR_IS_TEXT, need, NULL, 0},
#define LIST(name, text) {text, ATTR_IS_LIST, OPTIONAL, NULL, 0},
#define WORDS(Type, name, text, need)                                                              \
    {text, ATTR_IS_WORD, need, words_of_##name, COUNT(words_of_##name)},
#define WORD(constant, word)
#define END(Type)
#include "attrs.h"
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

bool table_word(const char **list, TableWord *out)
{
    const char *p = *list;

    while (*p == ' ')
        p++;
    if (*p == '\0')
        return false;
    *out = (TableWord){.s = p};
    while (*p && *p != ' ' && *p != '?' && *p != '*')
        p++;
    out->len = (int)(p - out->s);
    if (*p == '?' || *p == '*')
        out->mark = *p++;
    *list = p;
    return true;
}

const AttrInfo *attr_info(AttrId attr)
{
    if ((unsigned)attr >= ATTR_COUNT)
        bug("no attribute has the number %d", (int)attr);
    return &attr_infos[attr];
}

bool attr_from_word(AttrId attr, const char *s, size_t n, int64_t *out)
{
    const AttrInfo *info = attr_info(attr);

    for (int i = 0; i < info->nwords; i++) {
        if (strncmp(info->words[i], s, n) == 0 && info->words[i][n] == '\0') {
            *out = i;
            return true;
        }
    }
    return false;
}

int op_fixed_attrs(OpCode code)
{
    const AttrId *attrs = op_info(code)->attrs;
    int n = 0;

    while (attrs[n] != ATTR_NONE && attr_infos[attrs[n]].kind != ATTR_IS_LIST)
        n++;
    return n;
}

static int attr_place(const Op *op, AttrId attr)
{
    const OpInfo *info = op_info(op->code);

    for (int i = 0; info->attrs[i] != ATTR_NONE; i++) {
        if (info->attrs[i] == attr)
            return i;
    }
    bug("%s has no attribute `%s`", info->name, attr_info(attr)->name);
}

int64_t attr_get(const Op *op, AttrId attr)
{
    return op->attrs[attr_place(op, attr)];
}

void attr_set(Op *op, AttrId attr, int64_t v)
{
    op->attrs[attr_place(op, attr)] = v;
}

Sym attr_text(const Op *op, AttrId attr)
{
    int64_t v = attr_get(op, attr);

    return v ? (Sym)(intptr_t)v : "";
}

int64_t attr_of_text(Module *m, const char *s, size_t n)
{
    return n > 0 ? (int64_t)(intptr_t)intern_n(m->interner, s, n) : 0;
}

const int64_t *attr_list(const Op *op, AttrId attr, int *n)
{
    int first = attr_place(op, attr);

    *n = op->nattrs - first;
    return op->attrs + first;
}

/* Memory ops do not count: what they give depends on more than their operands. */
bool op_is_elementwise(const Op *op)
{
    return op_has(op, FOLDS) || op->code == OP_addptr || op->code == OP_hint;
}

bool op_contains(const Op *op, int flags)
{
    if (op_has(op, flags))
        return true;
    for (int r = 0; r < COUNT(op->regions); r++) {
        for (const Op *o = op->regions[r] ? op->regions[r]->first : NULL; o; o = o->next) {
            if (op_contains(o, flags))
                return true;
        }
    }
    return false;
}

bool op_has_effects(const Op *op)
{
    return op_contains(op, READS | WRITES | EFFECT);
}

bool value_constant(const Value *v, uint64_t *bits)
{
    for (;;) {
        while (v->repl)
            v = v->repl;
        if (!v->def || !op_has(v->def, MOVES))
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

bool value_const_signed(const Value *v, int64_t *out)
{
    uint64_t bits;
    int unused = 64 - dtype_bits(v->type->dtype);

    if (!value_constant(v, &bits))
        return false;
    *out = (int64_t)(bits << unused) >> unused;
    return true;
}

bool op_says_value(const Op *op)
{
    return op->code == OP_record && attr_record_kind(op) == RECORD_VALUE;
}
