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

static bool word_is(const TableWord *w, const char *s)
{
    return strncmp(w->s, s, (size_t)w->len) == 0 && s[w->len] == '\0';
}

/* The values of an attribute in the order of their enum in ir.h; NULL for a plain number. */
static const char *words_of(OpCode code, const TableWord *attr)
{
    static const struct {
        const char *attr, *words;
    } rows[] = {
        {"rounding", "nearest zero"},
        {"precision", "ieee tf32 tf32x3 bf16x3 bf16x6"},
        {"sem", "acq_rel acquire release relaxed"},
        {"scope", "gpu cta sys"},
        {"cache", "none ca cg cs cv wb wt"},
        {"evict", "normal first last"},
    };

    if (word_is(attr, "kind"))
        return code == OP_hint ? "multiple_of max_contiguous max_constancy likely"
                               : "add max min and or xor xchg";
    for (int i = 0; i < COUNT(rows); i++) {
        if (word_is(attr, rows[i].attr))
            return rows[i].words;
    }
    return NULL;
}

int attr_words(OpCode code, const TableWord *attr)
{
    const char *words = words_of(code, attr);
    TableWord w;
    int n = 0;

    while (words && table_word(&words, &w))
        n++;
    return n;
}

void attr_put(Text *t, OpCode code, const TableWord *attr, int64_t v)
{
    const char *words = words_of(code, attr);
    TableWord w;

    for (int64_t i = 0; words && table_word(&words, &w); i++) {
        if (i == v) {
            text_putn(t, w.s, (size_t)w.len);
            return;
        }
    }
    text_printf(t, "%lld", (long long)v);
}

bool attr_from_word(OpCode code, const TableWord *attr, const char *s, size_t n, int64_t *out)
{
    const char *words = words_of(code, attr);
    TableWord w;

    for (int64_t i = 0; words && table_word(&words, &w); i++) {
        if ((size_t)w.len == n && memcmp(w.s, s, n) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

bool attr_is_required(const TableWord *attr)
{
    return word_is(attr, "bits") || word_is(attr, "axis") || word_is(attr, "start") ||
           word_is(attr, "kind");
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
