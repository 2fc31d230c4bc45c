/*
 * memory.c - what an op reads or writes of memory, as its row of ops.h says
 *
 * Who only wants to know where, how much, and which lanes, asks here, and works for every op that
 * accesses memory, also for one that is added later.  The words of the row are the description:
 * `ptr` or `handle` is where, `mask` which lanes, `data` what is written, the one before it what
 * memory is compared with, and a `data?` stands for what is left out.
 */
#include <string.h>

#include "ir.h"
#include "analysis.h"

static bool is_word(const TableWord *w, const char *word)
{
    return (size_t)w->len == strlen(word) && memcmp(w->s, word, (size_t)w->len) == 0;
}

static void note_word(OpAccess *a, const TableWord *w, int i)
{
    if (is_word(w, "ptr") || is_word(w, "handle")) {
        a->pointer = i;
    } else if (is_word(w, "mask")) {
        a->mask = i;
    } else if (is_word(w, "data") && w->mark == '?') {
        a->other = i;
    } else if (is_word(w, "data")) {
        a->compared = a->data;
        a->data = i;
    }
}

OpAccess ir_access(const Op *op)
{
    static const OpAccess none = {0, -1, -1, -1, -1, -1, 0};
    const OpInfo *info = op_info(op->code);
    const char *words = info->operands;
    OpAccess a = none;
    TableWord w;

    if (!(info->flags & (READS | WRITES)))
        return none;
    for (int i = 0; table_word(&words, &w); i++)
        note_word(&a, &w, i);
    if (a.pointer < 0)
        return none;
    const Type *t = op->operands[a.pointer]->type;
    a.effect = info->flags & (READS | WRITES);
    a.bytes = type_numel(t) * dtype_size(t->dtype);
    return a;
}

bool op_only_reads(const Op *op)
{
    return op_has(op, READS) && !op_has(op, WRITES);
}

bool op_is_volatile(const Op *op)
{
    const AttrId *attrs = op_info(op->code)->attrs;

    while (*attrs != ATTR_NONE && *attrs != ATTR_volatile)
        attrs++;
    return *attrs == ATTR_volatile && attr_volatile(op) != 0;
}
